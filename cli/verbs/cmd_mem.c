/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_mem.c - `tt-perf mem`: memory use of a run on its devices. */
#include "core/cmd.h"
#include "ops/ops.h"
#include "outputs/outputs.h"

struct mem_opts {
    struct ttp_common_opts common;
    const char *rank, *device;
    int64_t op;
    bool partial;
};

#define FIELD(name) offsetof(struct mem_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(INT, "op", FIELD(op), "also show the addresses of op N at its peak", .metavar = "N",
               .min = 1, .max = INT64_C(1) << 31, .group = "Selection"),
    TTP_OPTION(STR, "rank", FIELD(rank),
               "only the captures of rank N (default: each rank separately)", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(FLAG, "partial", FIELD(partial),
               "if a capture is truncated, use the part that exists", .group = "Input"),
};

static ttp_code check_op(const struct ttp_mem_run *run, int64_t op, struct ttp_err *err)
{
    if (op == 0)
        return TTP_OK;
    for (size_t i = 0; i < run->captures; i++)
        if ((uint64_t)op <= run->capture[i].ops)
            return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "no op %lld", (long long)op);
    if (run->captures)
        ttp_err_hint(err, "the capture has ops 1 to %zu", run->capture[0].ops);
    else
        ttp_err_hint(err, "--op requires a graph capture");
    return TTP_EUSAGE;
}

/* Not every form and option goes with every input. */
static ttp_code check_form(const struct ttp_show *show, size_t captures, struct ttp_err *err)
{
    if (ttp_form_is_picture(show->form) && captures != 1)
        return ttp_fail(err, TTP_EUSAGE, "a picture needs one graph capture, got %zu", captures);
    if (ttp_form_flat(show->form) && captures == 0)
        return ttp_fail(err, TTP_EUSAGE, "--format %s requires a graph capture",
                        ttp_form_flat(show->form));
    if (captures == 0 && (show->columns || show->selection.where || show->selection.sort))
        return ttp_fail(err, TTP_EUSAGE, "--columns, --where and --sort require a graph capture");
    return TTP_OK;
}

/* A picture has the addresses of the op that failed, or else of the fullest, if none was asked for:
 * 0, nothing is known of it. */
static uint32_t drawn_op(const struct ttp_mem_run *memory)
{
    const struct ttp_mem_capture *c = memory->capture;
    const struct ttp_mem_device *most = NULL;

    if (memory->captures == 1 && ttp_mem_has_finding(memory) && c->ops &&
        !c->op[c->ops - 1].finished)
        return c->op[c->ops - 1].id;
    for (size_t i = 0; memory->captures == 1 && i < c->devices; i++)
        if (c->device[i].peak_op != TTP_MEM_NONE && (!most || c->device[i].peak.l1 > most->peak.l1))
            most = &c->device[i];
    return most ? c->op[most->peak_op].id : 0;
}

/* A picture of an op that the user did not choose is known only after a first look. */
static ttp_code load(struct ttp_mem_run *out, struct ttp_mem_options *wanted,
                     const struct ttp_words *inputs, const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const bool drawn = ttp_form_is_picture(ctx->show.form) || ctx->show.form == TTP_FORM_HTML;
    const bool chosen = wanted->map_op != 0;

    TTP_TRY(ttp_mem_load(out, inputs, wanted, ctx->arena, err));
    if (!drawn || chosen)
        return TTP_OK;
    wanted->map_op = drawn_op(out);
    return wanted->map_op ? ttp_mem_load(out, inputs, wanted, ctx->arena, err) : TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    static const char *here[] = {"."};
    const struct mem_opts *o = opts;
    const struct ttp_words inputs = operands->count ? *operands : (struct ttp_words){here, 1};
    struct ttp_mem_options wanted = {.partial = o->partial, .map_op = (uint32_t)o->op};
    struct ttp_device_choice choice;
    struct ttp_mem_difference difference;
    struct ttp_mem_run memory;
    struct ttp_show show = ctx->show;

    show.inputs = &inputs;
    TTP_TRY(ttp_ops_parse_choice(&choice, o->rank, o->device, err));
    wanted.one_device = choice.id >= 0;
    wanted.device = choice.id;
    TTP_TRY(load(&memory, &wanted, &inputs, ctx, err));
    TTP_TRY(ttp_mem_choose(&memory, choice.rank, &wanted, err));
    TTP_TRY(check_op(&memory, o->op, err));
    const bool pair = inputs.count == 2 && memory.captures == 2;
    TTP_TRY(check_form(&show, memory.captures, err));
    if (pair)
        ttp_mem_compare(&difference, &memory.capture[0], &memory.capture[1], ctx->arena);
    const struct ttp_mem_view view = {.run = &memory, .difference = pair ? &difference : NULL};
    TTP_TRY(ttp_out_mem(&show, &view, err));
    if (ttp_mem_has_finding(&memory))
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static const struct ttp_document_spec *const documents[] = {&ttp_mem_document,
                                                            &ttp_mem_difference_document, NULL};
static const char *const formats[] = {TTP_TABLE_FORMATS, "svg", "png", NULL};

static const struct ttp_example examples[] = {
    {"tt-perf mem generated/ttnn/reports/run", "the parts of the L1 peak, and stale tensors"},
    {"tt-perf mem graph_capture.json --op 12", "the addresses of op 12's buffers"},
    {"tt-perf mem graph_capture.json -o memory.svg", "L1 over ops, and lifetimes of buffers"},
    {"tt-perf mem before.json after.json", "which ops need more or less than before"},
    {"tt-perf mem db.sqlite run.log", "why an allocation failed"},
    {"tt-perf mem - < run.log", "what to do about a failed allocation, from standard input"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_mem = {
    .name = "mem",
    .args = "[FILE|DIR...]",
    .summary = "show L1 and DRAM use, stale tensors and failed allocations",
    .description =
        "Reads graph captures (graph_capture*.json; .gz and .zst are fine), ttnn-visualizer's "
        "db.sqlite, the memory reporter's CSVs, the inspector's mesh_buffers_log.yaml, a recording "
        "(.ttcap) of a run with TT_METAL_MEM_PROFILER=1, the "
        "allocator's shared memory, and messages of failed allocations in any text log; '-' is a "
        "text "
        "log on standard input. The "
        "default is the current folder. All of these are read from a folder; if it has captures, "
        "the text shows those.\n\n"
        "Bytes are per bank: a block is allocated in every bank at once. The peak of an op is "
        "the sum of circular buffers of the fullest core, inputs, outputs, intermediates, "
        "tensors that later ops use, and stale tensors. A capture has circular buffers only for "
        "the first launch of a program: '~' marks ops whose circular buffers come from an "
        "earlier launch, '>=' those where they are unknown.\n\n"
        "Two captures are compared op by op. Text shows ten rows per list, the fullest ops "
        "first, unless --top and --sort change that; CSV has all ops in order, or all changes "
        "between two captures.",
    TTP_CMD_OPTIONS(options, struct mem_opts),
    .takes = TTP_TAKES_REPORT,
    .formats = formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "1 if an op or an allocation failed, or circular buffers overlap tensors.",
    .run = run,
};
