/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run_verb.h"

#include <unistd.h>

#include "base/file_kind.h"
#include "base/outsink.h"
#include "core/boards_option.h"
#include "core/bundle_operands.h"
#include "core/ctx.h"
#include "core/failure.h"
#include "core/file_hint.h"
#include "core/form.h"
#include "core/help.h"
#include "core/lost_file.h"
#include "core/provenance.h"
#include "core/run_limits.h"
#include "dropin/dropin.h"

static ttp_code check_operands(const struct ttp_cmd *cmd, const struct ttp_words *operands,
                               struct ttp_err *err)
{
    if (operands->count < (size_t)cmd->min_operands)
        return ttp_fail(err, TTP_EUSAGE, operands->count ? "too few operands" : "missing operand");
    if (cmd->max_operands >= 0 && operands->count > (size_t)cmd->max_operands)
        return ttp_fail(err, TTP_EUSAGE, "unexpected operand '%s'",
                        operands->word[cmd->max_operands]);
    const bool action = cmd->operand == TTP_OPERAND_ACTION;
    if ((cmd->operand != TTP_OPERAND_WORD && !action) || cmd->words_optional)
        return TTP_OK;
    for (size_t i = 0; i < operands->count && !(action && i > 0); i++) {
        const char *word = operands->word[i];

        if (ttp_opts_choice(cmd->words, ttp_str_from(word)) >= 0)
            continue;
        return ttp_opts_fail_choice(cmd->words, word, "", err);
    }
    return TTP_OK;
}

static bool asks_columns(const struct ttp_common_opts *common)
{
    return common->columns && strcmp(common->columns, "help") == 0;
}

/* What --columns help asks for. */
static void list_columns(const struct ttp_ctx *ctx, const struct ttp_common_opts *common)
{
    for (size_t i = 0; ctx->cmd->documents[i]; i++) {
        struct ttp_document_spec d = *ctx->cmd->documents[i];

        if (d.no_table)
            continue;
        if (ctx->cmd->documents[1]) {
            ttp_sink_repeat(ctx->out, '\n', i > 0);
            ttp_sink_printf(ctx->out, "%s\n", d.help);
        }
        if (ctx->cmd->columns_part)
            d.main = ctx->cmd->columns_part(common);
        ttp_show_column_help(ctx->out, &d, ctx->width);
    }
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const struct ttp_common_opts *common,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    return common->imitate ? ttp_dropin_verb(status, ctx, common, operands, err)
                           : ctx->cmd->run(status, ctx, common, operands, err);
}

/* A terminal would obey some of the bytes. */
static ttp_code check_terminal(const struct ttp_ctx *ctx, const char *path, struct ttp_err *err)
{
    if (!ttp_form_is_binary(ctx->show.form) || strcmp(path, "-") != 0 || !isatty(STDOUT_FILENO))
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "refusing to write --format %s to a terminal", ctx->format);
    ttp_err_hint(err, "use -o FILE, or a pipe");
    return TTP_EUSAGE;
}

static enum ttp_gate gate_of(enum ttp_form form)
{
    return form == TTP_FORM_MARKDOWN  ? TTP_GATE_MARKDOWN
           : ttp_form_is_binary(form) ? TTP_GATE_NONE
                                      : TTP_GATE_TEXT;
}

/* Run with everything parsed: open the output, work, and keep the output only if all went well. */
static ttp_code run_into_output(int *status, struct ttp_ctx *ctx,
                                const struct ttp_common_opts *common,
                                const struct ttp_words *operands, struct ttp_err *err)
{
    const bool folder = ctx->cmd->output_is_folder && ctx->cmd->output_is_folder(common);
    const char *path = common->output && !folder ? common->output : "-";
    struct ttp_outsink out;
    struct ttp_pager pager;

    if (asks_columns(common))
        ctx->show.form = TTP_FORM_TEXT;
    TTP_TRY(check_terminal(ctx, path, err));
    TTP_TRY(ttp_outsink_open(&out, path, err));
    ctx->out = &out.sink;
    /* people read all formats; output that a program needs byte for byte calls ttp_ctx_exact() */
    ctx->out->gate = gate_of(ctx->show.form);
    ctx->output_path = out.file.fd == STDOUT_FILENO ? NULL : path;
    ctx->color = ttp_color_wanted(
        common->no_color ? TTP_COLOR_NEVER : (enum ttp_color_choice)common->color, out.file.fd);
    ctx->width = ttp_columns(out.file.fd);
    ctx->show.out = ctx->out;
    ctx->show.color = ctx->color;
    ctx->show.width = ctx->width;
    ttp_pager_begin(&pager, ctx, common);
    ttp_code done = TTP_OK;
    if (asks_columns(common))
        list_columns(ctx, common);
    else
        done = run(status, ctx, common, operands, err);
    if (done != TTP_OK && ctx->show.form == TTP_FORM_JSON)
        out.sink.len = 0; /* half a document is none */
    const ttp_code rc = ttp_outsink_close(&out, done, err);
    ttp_pager_end(&pager);
    ctx->out = ctx->show.out = NULL;
    if (done == TTP_OK && rc != TTP_OK)
        *status = 0; /* the result cannot be read */
    return rc;
}

int ttp_verb_help(const struct ttp_cmd *cmd, int fd, struct ttp_arena *arena)
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

/* Is JSON what is asked for, whether or not the verb has it? Then mistakes are reported in it. */
static bool asks_json(const struct ttp_ctx *ctx, int argc, char **argv)
{
    if (ctx->show.form == TTP_FORM_JSON || ctx->show.form == TTP_FORM_NDJSON)
        return true;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--format=json") == 0 ||
            (i + 1 < argc && strcmp(argv[i], "--format") == 0 && strcmp(argv[i + 1], "json") == 0))
            return true;
    return false;
}

/* Verbs that print one form may write another to a file. */
static bool names_page(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (ttp_str_ends(ttp_str_from(argv[i]), TTP_STR(".html")))
            return true;
    return false;
}

/* Files that are left alone. Any thread may find one, hence the arena of its own. */
struct skipping {
    const struct ttp_ctx *ctx;
    struct ttp_words told;
    struct ttp_arena arena;
};

/* Each file once, however often it is read. */
static void tell_skipped(const char *path, const char *what, void *arg)
{
    struct skipping *s = arg;

    for (size_t i = 0; i < s->told.count; i++)
        if (strcmp(s->told.word[i], path) == 0)
            return;
    ttp_words_add(&s->told, ttp_arena_zstr(&s->arena, ttp_str_from(path)), &s->arena);
    ttp_ctx_warn(s->ctx, "skipped '%s': it is %s, not a regular file", path, what);
}

/* What the command line says, before anything is done. */
struct parsed {
    struct ttp_common_opts *common;
    struct ttp_words operands;
};

void *ttp_verb_defaults(const struct ttp_cmd *cmd, struct ttp_arena *arena)
{
    struct ttp_common_opts *opts = ttp_arena_alloc(arena, 1, cmd->opts_size, 16);

    if (cmd->defaults)
        memcpy(opts, cmd->defaults, cmd->opts_size);
    opts->format = TTP_FORMAT_NOT_GIVEN;
    return opts;
}

/* What the options mean for the run as a whole; `rc`: of parsing them. */
static ttp_code settle(struct ttp_ctx *ctx, struct parsed *given, ttp_code rc, struct ttp_err *err)
{
    struct ttp_common_opts *common = given->common;
    const ttp_code form_rc = ttp_form_choose(ctx, common, rc == TTP_OK ? err : NULL);

    ctx->show.columns = common->columns;
    ctx->show.selection = (struct ttp_selection){common->where, common->sort, (size_t)common->top};
    ctx->show.inputs = &given->operands;
    ctx->show.arena = ctx->arena;
    ctx->quiet = common->quiet;
    ctx->verbose = common->verbose;
    ctx->boards = ttp_boards_builtin();
    return rc == TTP_OK ? form_rc : rc;
}

#define TOP_NOT_GIVEN INT64_MIN

/* 0 means all rows to users; to verbs it means that they choose, and the largest number means all.
 * A verb with a default of its own interprets the option itself. */
static int64_t rows_asked(int64_t top)
{
    return top == TOP_NOT_GIVEN ? 0 : top == 0 ? INT32_MAX : top;
}

static ttp_code parse(struct parsed *out, struct ttp_ctx *ctx, int argc, char **argv,
                      struct ttp_err *err)
{
    const struct ttp_cmd *cmd = ctx->cmd;
    struct ttp_opts_grammar grammar = {.command = cmd->operand == TTP_OPERAND_COMMAND};

    out->common = ttp_verb_defaults(cmd, ctx->arena);
    const bool own_top = out->common->top != 0;
    if (!own_top)
        out->common->top = TOP_NOT_GIVEN;
    grammar.opt = ttp_cmd_options(&grammar.count, cmd, ctx->arena);
    struct ttp_opts_given given = {.opts = out->common};
    ttp_code rc =
        ttp_opts_parse(&given, &grammar, (struct ttp_arguments){argc, argv}, ctx->arena, err);
    out->operands = given.operands;
    ctx->dashdash = given.dashdash;
    if (!own_top)
        out->common->top = rows_asked(out->common->top);
    rc = settle(ctx, out, rc, err);
    if (rc == TTP_OK && !out->common->help && !asks_columns(out->common))
        rc = check_operands(cmd, &out->operands, err);
    return rc;
}

/* All that follows the command line; `rc` and *err are of reading it. */
static int execute(struct ttp_ctx *ctx, struct parsed *given, bool json, ttp_code rc,
                   struct ttp_err *err)
{
    const struct ttp_cmd *cmd = ctx->cmd;
    struct skipping skipping = {.ctx = ctx};
    struct ttp_unpacked unpacked = {0};
    int status = 0;

    const struct ttp_last_words around = ttp_lost_file_say((struct ttp_last_words){
        cmd->name, json, cmd->own_failure ? cmd->own_failure : TTP_EXIT_IO});
    if (rc == TTP_OK)
        rc = ttp_run_limits_set(cmd, given->common,
                                given->operands.count ? given->operands.word[0] : NULL, err);
    ttp_file_kind_on_skip(tell_skipped, &skipping);
    if (rc == TTP_OK && cmd->takes & TTP_TAKES_BOARDS)
        rc = ttp_boards_load(&ctx->boards, given->common->boards, ctx->arena, err);
    if (rc == TTP_OK)
        rc = ttp_bundles_unpack(&unpacked, &given->operands, given->common, ctx, err);
    if (rc == TTP_OK)
        rc = run_into_output(&status, ctx, given->common, &unpacked.operands, err);
    ttp_unpacked_remove(&unpacked);
    ttp_run_limits_no_time();
    ttp_lost_file_say(around);
    ttp_file_kind_on_skip(NULL, NULL);
    ttp_arena_free(&skipping.arena);
    if (rc == TTP_OK)
        return status;
    ttp_file_hint(err, cmd, &given->operands, ctx->arena);
    if (rc == TTP_EUSAGE && !err->hint[0])
        ttp_err_hint(err, "see 'tt-perf %s --help'", cmd->name);
    status = status ? status : cmd->own_failure ? cmd->own_failure : ttp_exit_status(rc);
    ttp_failure_print(cmd->name, err, status, json);
    return status;
}

int ttp_verb_run(const struct ttp_cmd *cmd, int argc, char **argv, struct ttp_arena *arena)
{
    struct ttp_ctx ctx = {.cmd = cmd, .arena = arena};
    struct ttp_err err = {0};
    struct parsed given;
    const ttp_code rc = parse(&given, &ctx, argc, argv, &err);

    if (given.common->help)
        return ttp_verb_help(cmd, STDOUT_FILENO, arena);
    const bool json = asks_json(&ctx, cmd->operand == TTP_OPERAND_COMMAND ? 0 : argc, argv);
    if (rc == TTP_OK && (ctx.show.form == TTP_FORM_HTML || names_page(argc, argv)))
        ctx.show.about = ttp_provenance_of(cmd, argc, argv, &given.operands, arena);
    return execute(&ctx, &given, json, rc, &err);
}

int ttp_verb_run_with(const struct ttp_cmd *cmd, void *opts, const struct ttp_words *operands,
                      struct ttp_arena *arena)
{
    struct ttp_ctx ctx = {.cmd = cmd, .arena = arena, .dashdash = operands->count};
    struct parsed given = {opts, *operands};
    struct ttp_err err = {0};
    const ttp_code rc = settle(&ctx, &given, TTP_OK, &err);

    return execute(&ctx, &given, false, rc, &err);
}
