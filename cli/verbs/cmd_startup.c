/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_startup.c - `tt-perf startup`: start-up time before the steady state. */
#include <stdlib.h>

#include "base/file.h"
#include "core/cmd.h"
#include "outputs/outputs.h"

struct startup_opts {
    struct ttp_common_opts common;
    bool check;
};

#define FIELD(name) offsetof(struct startup_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "check", FIELD(check),
               "exit with 1 if there is a finding, such as a kernel cache that is not reused"),
};

/* Where the runtime writes without being told. */
static const char *usual_folder(struct ttp_arena *arena)
{
    const char *logs = getenv("TT_METAL_LOGS_PATH");

    return ttp_file_join(logs && *logs ? logs : ".", "generated/inspector", arena);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct startup_opts *o = opts;
    const char *usual[] = {usual_folder(ctx->arena)};
    const struct ttp_words inputs = operands->count ? *operands : (struct ttp_words){usual, 1};
    struct ttp_startup *processes, *others = NULL;
    struct ttp_startup_finding *finding;
    struct ttp_startup_view view = {0};
    struct ttp_show show = ctx->show;

    TTP_TRY(ttp_startup_read(&processes, &view.ranks, inputs.word[0], ctx->arena, err));
    view.run = processes;
    if (inputs.count > 1)
        TTP_TRY(ttp_startup_read(&others, &view.others, inputs.word[1], ctx->arena, err));
    view.other = others;
    view.findings = ttp_startup_findings(&finding, processes, view.ranks, ctx->arena);
    view.finding = finding;
    show.inputs = &inputs;
    TTP_TRY(ttp_out_startup(&show, &view, err));
    if (o->check && view.findings)
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static const struct ttp_document_spec *const documents[] = {&ttp_startup_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf startup", "the last run in this folder"},
    {"tt-perf startup generated/inspector", "the same, given the folder of its logs"},
    {"tt-perf startup cold/inspector warm/inspector", "the gain from a warm kernel cache"},
    {"tt-perf startup --check logs/inspector", "fail if every run rebuilds its kernels"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_startup = {
    .name = "startup",
    .args = "[DIR [DIR]]",
    .summary = "show where start-up time goes before the steady state",
    .description =
        "Reads the logs of tt-metal's inspector, which every run writes unless "
        "TT_METAL_INSPECTOR=0: when devices were opened, which programs were compiled and for "
        "how long, which kernels were built and which came from the cache, and when launches "
        "became steady. The default is generated/inspector in TT_METAL_LOGS_PATH or in the "
        "current folder. The next tt-metal process deletes that folder; 'tt-perf record' keeps a "
        "copy.\n\n"
        "The steady state begins with the first launch after a compilation that is followed by "
        "50 launches before the next compilation. Text logs in the folder provide statistics of "
        "the kernel cache. A folder with one folder per rank gives a row per rank; two folders "
        "are compared.",
    TTP_CMD_OPTIONS(options, struct startup_opts),
    .takes = TTP_TAKES_REPORT,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 2,
    .examples = examples,
    .exit_notes = "1 with --check if there is a finding.",
    .run = run,
};
