/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - finds the verb or the drop-in tool, sets up its context, turns its result into an exit
 * status. SIGPIPE ends us: a reader that has seen enough does so quietly. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "ctx.h"
#include "failure.h"
#include "help.h"

/* Tools we stand in for: called by that name, we speak their language. */
static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} dropins[] = {
    {"tt-perf-report", ttp_report_dropin_main},
};

static ttp_code check_operands(const struct ttp_cmd *cmd, const struct ttp_words *operands,
                               struct ttp_err *err)
{
    if (operands->count < (size_t)cmd->min_operands)
        return ttp_fail(err, TTP_EUSAGE, operands->count ? "too few operands" : "missing operand");
    if (cmd->max_operands >= 0 && operands->count > (size_t)cmd->max_operands)
        return ttp_fail(err, TTP_EUSAGE, "unexpected operand '%s'",
                        operands->word[cmd->max_operands]);
    if (cmd->operand != TTP_OPERAND_WORD)
        return TTP_OK;
    for (size_t i = 0; i < operands->count; i++) {
        const char *word = operands->word[i];

        if (ttp_opts_choice(cmd->words, ttp_str_from(word)) >= 0)
            continue;
        return ttp_opts_fail_choice(cmd->words, word, "", err);
    }
    return TTP_OK;
}

/* Run with everything parsed: open the output, work, and keep the output only if all went well. */
static ttp_code run_into_output(int *status, struct ttp_ctx *ctx,
                                const struct ttp_common_opts *common,
                                const struct ttp_words *operands, struct ttp_err *err)
{
    const char *path = common->output ? common->output : "-";
    struct ttp_outfile file;
    struct ttp_sink sink;

    TTP_TRY(ttp_outfile_open(&file, path, err));
    ttp_sink_to_fd(&sink, file.fd, ctx->arena);
    ctx->out = &sink;
    ctx->output_path = file.fd == STDOUT_FILENO ? NULL : path;
    ctx->color = ttp_color_wanted((enum ttp_color)common->color, file.fd);
    ctx->width = ttp_columns(file.fd);
    ttp_code rc = ctx->cmd->run(status, ctx, common, operands, err);
    /* a failed command keeps its own message, whatever happens to its half-written output */
    const ttp_code flushed = ttp_sink_finish(&sink, rc == TTP_OK ? err : NULL);
    if (rc == TTP_OK && flushed != TTP_OK) {
        rc = flushed;
        if (ctx->output_path)
            ttp_err_where(err, path, 0);
    }
    if (rc == TTP_OK)
        return ttp_outfile_commit(&file, err);
    ttp_outfile_abort(&file);
    return rc;
}

/* Help on a command, or on the program if cmd is NULL. */
static int show_help(const struct ttp_cmd *cmd, int fd, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    struct ttp_sink out;

    ttp_sink_to_fd(&out, fd, arena);
    if (cmd)
        ttp_help_command(&out, cmd, ttp_columns(fd), arena);
    else
        ttp_help_program(&out, ttp_columns(fd), arena);
    if (ttp_sink_finish(&out, &err) == TTP_OK)
        return TTP_EXIT_OK;
    ttp_failure_print(NULL, &err, TTP_EXIT_IO, false);
    return TTP_EXIT_IO;
}

static int run_command(const struct ttp_cmd *cmd, int argc, char **argv, struct ttp_arena *arena)
{
    struct ttp_common_opts *common = ttp_arena_alloc(arena, 1, cmd->opts_size, 16);
    struct ttp_ctx ctx = {.cmd = cmd, .arena = arena, .format = "text"};
    struct ttp_err err = {0};
    struct ttp_words operands;
    size_t nopt;
    int status = 0;

    if (cmd->defaults)
        memcpy(common, cmd->defaults, cmd->opts_size);
    const struct ttp_opt *opt = ttp_cmd_options(&nopt, cmd, arena);
    ttp_code rc =
        ttp_opts_parse(common, &operands, &ctx.dashdash, opt, nopt, argc, argv, arena, &err);
    if (common->help)
        return show_help(cmd, STDOUT_FILENO, arena);
    if (cmd->formats)
        ctx.format = cmd->formats[common->format];
    ctx.quiet = common->quiet;
    ctx.verbose = common->verbose;
    if (rc == TTP_OK)
        rc = check_operands(cmd, &operands, &err);
    if (rc != TTP_OK && !err.hint[0])
        ttp_err_hint(&err, "see 'tt-perf %s --help'", cmd->name);
    if (rc == TTP_OK)
        rc = run_into_output(&status, &ctx, common, &operands, &err);
    if (rc == TTP_OK)
        return status;
    status = status ? status : ttp_exit_status(rc);
    ttp_failure_print(cmd->name, &err, status, strcmp(ctx.format, "json") == 0);
    return status;
}

static int no_such_verb(const char *word, struct ttp_arena *arena)
{
    struct ttp_err err = {0};
    const char *near = ttp_opts_nearest(word, ttp_cmd_names(arena));

    ttp_fail(&err, TTP_EUSAGE, "unknown %s '%s'", word[0] == '-' ? "option" : "verb", word);
    if (near && word[0] != '-')
        ttp_err_hint(&err, "did you mean '%s'?", near);
    else
        ttp_err_hint(&err, "see 'tt-perf --help'");
    ttp_failure_print(NULL, &err, TTP_EXIT_USAGE, false);
    return TTP_EXIT_USAGE;
}

static int run_program(int argc, char **argv, struct ttp_arena *arena)
{
    if (argc < 2) {
        show_help(NULL, STDERR_FILENO, arena);
        return TTP_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return show_help(NULL, STDOUT_FILENO, arena);
    if (strcmp(word, "--version") == 0)
        return printf("tt-perf %s\n", ttp_version) < 0 || fflush(stdout) ? TTP_EXIT_IO
                                                                         : TTP_EXIT_OK;
    const struct ttp_cmd *cmd = ttp_cmd_find(word);
    return cmd ? run_command(cmd, argc - 2, argv + 2, arena) : no_such_verb(word, arena);
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "tt-perf";
    struct ttp_arena arena = {0};

    ttp_outfile_tidy_on_signals();
    for (size_t i = 0; i < TTP_COUNT(dropins); i++)
        if (strcmp(name, dropins[i].name) == 0)
            return dropins[i].main(argc, argv);
    const int status = run_program(argc, argv, &arena);
    ttp_arena_free(&arena);
    return status;
}
