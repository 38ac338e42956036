/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cmd.h"
#include "core/help.h"

struct help_opts {
    struct ttp_common_opts common;
    bool man;
};

static const struct ttp_opt opts[] = {
    TTP_OPTION(FLAG, "man", offsetof(struct help_opts, man),
               "print the generated part of the manual page", .hidden = true),
};

static ttp_code unknown(const char *topic, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *near = ttp_opts_nearest(topic, ttp_cmd_names(arena));

    ttp_fail(err, TTP_EUSAGE, "no help for '%s'", topic);
    if (near)
        ttp_err_hint(err, "did you mean '%s'?", near);
    else
        ttp_err_hint(err, "'tt-perf help' lists the verbs");
    return TTP_EUSAGE;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *options,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct help_opts *o = options;
    const char *topic = operands->count ? operands->word[0] : NULL;

    (void)status;
    if (!topic) {
        if (o->man)
            ttp_man_commands(ctx->out, ctx->arena);
        else
            ttp_help_program(ctx->out, ctx->width, ctx->arena);
        return TTP_OK;
    }
    if (strcmp(topic, "exit-codes") == 0) {
        if (o->man)
            ttp_man_exit_codes(ctx->out, ctx->arena);
        else
            ttp_help_exit_codes(ctx->out, ctx->width, ctx->arena);
        return TTP_OK;
    }
    const struct ttp_cmd *cmd = ttp_cmd_find(topic);
    if (!cmd)
        return unknown(topic, ctx->arena, err);
    if (o->man)
        ttp_man_options(ctx->out, cmd, ctx->arena);
    else
        ttp_help_command(ctx->out, cmd, ctx->width, ctx->arena);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf help report", "explain the verb report; 'tt-perf report --help' prints the same"},
    {"tt-perf help exit-codes", "list what each exit status means"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_help = {
    .name = "help",
    .args = "[VERB | exit-codes]",
    .summary = "explain a verb or the exit status",
    .description = "Without a verb, list all verbs. With one, print its usage, options and "
                   "examples. The topic exit-codes lists the exit status that all verbs share.",
    TTP_CMD_OPTIONS(opts, struct help_opts),
    .operand = TTP_OPERAND_VERB,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
