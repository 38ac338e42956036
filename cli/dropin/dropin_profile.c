/* SPDX-License-Identifier: Apache-2.0 */
/* dropin_profile.c - called as tt_profile, the command line of tt-torch's tool of that name. */
#include <unistd.h>

#include "core/failure.h"
#include "core/message.h"
#include "dropin/argparse.h"
#include "dropin/tools.h"
#include "verbs/record_job.h"

struct profile_opts {
    const char *output;
    int64_t port;
};

/* Texts as the original has them; that of the port is its own. */
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "output_path", offsetof(struct profile_opts, output), "Output file path",
               .letter = 'o'),
    TTP_OPTION(INT, "port", offsetof(struct profile_opts, port), "Output file path", .letter = 'p'),
};

static const struct ttp_argparse grammar = {
    .prog = "tt_profile",
    .description = NULL,
    .opt = options,
    .nopt = TTP_COUNT(options),
    .positional = "test_command",
    .positional_help = "The test command to run",
    .one_positional = true,
};

enum { FIRST_PORT = 8086 };
#define DEFAULT_OUTPUT "device_ops_perf_trace.csv"

static const char *report_path(const char *output, struct ttp_arena *arena)
{
    if (output[0] == '/')
        return output;
    return ttp_arena_zstr(arena, ttp_sink_format(arena, "results/perf/%s", output));
}

/* The original's default means: any free one. */
static int64_t which_port(int64_t given)
{
    return given == FIRST_PORT ? TTP_PORT_ANY : given;
}

static ttp_code profile(int *status, const struct profile_opts *o, const char *command,
                        struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct ttp_cmd self = {.name = "tt_profile"};
    struct ttp_sink out;
    const struct ttp_ctx ctx = {.cmd = &self, .arena = arena, .out = &out, .format = "text"};
    const char *words[] = {"/bin/sh", "-c", command};
    const struct ttp_record_job job = {
        .command = {words, TTP_COUNT(words)},
        .port = which_port(o->port),
        .zones = TTP_ZONES_OPS,
        .process = true,
        .report_file = report_path(o->output ? o->output : DEFAULT_OUTPUT, arena),
        .report_named = o->output != NULL,
        .mlir_columns = true,
        .require_capture = true,
        .settings =
            {.device = true, .ops = true, .report = true, .cpp_report = true, .clear_l1 = true},
    };

    if (o->port < 1 || o->port > UINT16_MAX)
        return ttp_fail(err, TTP_EUSAGE, "invalid port %lld", (long long)o->port);
    ttp_sink_to_fd(&out, STDOUT_FILENO, arena);
    out.gate = TTP_GATE_TEXT;
    const ttp_code rc = ttp_record_job_run(status, &job, &ctx, err);
    if (rc == TTP_ENOTFOUND && *status == 0)
        *status = 1; /* as the original ends without data */
    return rc;
}

int ttp_profile_dropin_main(int argc, char **argv)
{
    struct profile_opts o = {.port = FIRST_PORT};
    struct ttp_arena arena = {0};
    struct ttp_words commands = {0};
    struct ttp_err err = {0};
    int status = 0;

    if (ttp_argparse_run(&status, &o, &commands, &grammar, argc, argv, &arena) &&
        profile(&status, &o, commands.word[0], &arena, &err) != TTP_OK) {
        status = status ? status : TTP_EXIT_RUN_FAILED;
        ttp_message("tt_profile: error: %s%s%s\n", err.text, err.hint[0] ? "; " : "", err.hint);
    }
    ttp_arena_free(&arena);
    return status;
}
