/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_fit.c - `tt-perf fit`: what fits the L1 of a core, and board peaks. */
#include "core/cmd.h"
#include "core/run_input.h"
#include "fit/fit.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "verbs/capture_room.h"

struct fit_opts {
    struct ttp_common_opts common;
    const char *arch, *reserved, *embedding, *from, *ranges, *tensor, *tile, *mem, *rank, *device;
    struct ttp_words dfbs;
    int64_t other, op;
};

#define FIELD(name) offsetof(struct fit_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "arch", FIELD(arch),
               "a board (n150, p150a, ...) or a chip (wormhole, blackhole, grayskull); with "
               "--from or --op, the default is that of the run or the capture",
               .metavar = "NAME", .group = "Chip"),
    TTP_OPTION(STR, "reserved", FIELD(reserved),
               "L1 per core that firmware and kernels use before any buffer; auto, the default, "
               "uses the board table",
               .metavar = "BYTES"),
    TTP_OPTION(INT, "other", FIELD(other), "other L1 use per core: shards of tensors, l1_small",
               .metavar = "BYTES", .min = 0, .max = INT64_C(1) << 40),
    TTP_OPTION(LIST, "dfb", FIELD(dfbs),
               "a dataflow buffer of N blocks (default 2) of R x C tiles; may be repeated; prefix "
               "NAME= to name it",
               .metavar = "RxC:TYPE:N", .group = "What to fit"),
    TTP_OPTION(STR, "tile", FIELD(tile), "size of a tile (default 32x32)", .metavar = "HxW"),
    TTP_OPTION(STR, "tensor", FIELD(tensor),
               "tensor whose transfers are counted, in elements (default 1024x1024)",
               .metavar = "RxC"),
    TTP_OPTION(
        STR, "embedding", FIELD(embedding),
        "a table of R rows: does it fit one core, sharded over the grid, or DRAM, and how to "
        "split it",
        .metavar = "RxC:TYPE"),
    TTP_OPTION(
        STR, "from", FIELD(from),
        "L1 use of the operations of a profiled run: an ops CSV, or a folder that contains one",
        .of_run = true, .metavar = "RUN"),
    TTP_OPTION(STR, "rank", FIELD(rank), "only ops of rank N of the run of --from", .metavar = "N"),
    TTP_OPTION(STR, "device", FIELD(device), "only ops of device D (of rank R, if given)",
               .metavar = "[R:]D"),
    TTP_OPTION(
        STR, "mem", FIELD(mem),
        "take the free L1 of the ops of --from, or of the op of --op, from a graph capture or a "
        "folder with one",
        .of_run = true, .metavar = "FILE"),
    TTP_OPTION(INT, "op", FIELD(op),
               "fit the buffers into what op N of the capture of --mem leaves free: its number in "
               "tt-perf mem",
               .metavar = "N", .min = 1, .max = INT64_C(1) << 31),
    TTP_OPTION(STR, "ranges", FIELD(ranges), "peak figures of a board, each with its source",
               .metavar = "BOARD", .group = "Expectations"),
};

/* Of a run, the operations with the most; JSON and CSV have all. */
#define SHOWN 20

struct fit_run {
    const struct ttp_ctx *ctx;
    const struct fit_opts *o;
    struct ttp_fit_core core;
    struct ttp_fit_buffer *buffer;
    struct ttp_fit_plan plan;
    struct ttp_fit_table table;
    struct ttp_ops ops;
    struct ttp_fit_op *op;
    size_t nops;
    bool has_ops, has_kernel;
    struct ttp_kernel_input input;
    struct ttp_fit_kernel kernel;
    const char *run_arch; /* NULL: the run does not state it */
    uint64_t tensor[2];
    struct ttp_err *err;
};

/* --- options --- */

static ttp_code find_board(const struct ttp_board **out, const struct fit_run *r, const char *name)
{
    *out = ttp_board_of(r->ctx->boards, ttp_str_from(name));
    if (*out)
        return TTP_OK;
    struct ttp_sink known;
    (void)ttp_fail(r->err, TTP_EUSAGE, "unknown board or chip '%s'", name);
    ttp_sink_to_arena(&known, r->ctx->arena);
    for (size_t i = 0; i < r->ctx->boards->count; i++)
        ttp_sink_printf(&known, "%s%s", i ? " " : "", r->ctx->boards->board[i].name);
    ttp_err_hint(r->err, "known: %.*s", TTP_FMT(ttp_sink_text(&known)));
    return TTP_EUSAGE;
}

static ttp_code parse_pair(uint64_t out[2], const char *text, const char *option, uint64_t max,
                           struct ttp_err *err)
{
    ttp_str part[3];

    if (ttp_str_split(ttp_str_from(text), 'x', part, 3) == 2 && ttp_str_to_u64(part[0], &out[0]) &&
        ttp_str_to_u64(part[1], &out[1]) && out[0] > 0 && out[1] > 0 && out[0] <= max &&
        out[1] <= max)
        return TTP_OK;
    return ttp_fail(err, TTP_EUSAGE, "%s '%s' is not ROWSxCOLS", option, text);
}

static ttp_code set_tile(struct fit_run *r)
{
    uint64_t tile[2] = {32, 32};

    if (r->o->tile)
        TTP_TRY(parse_pair(tile, r->o->tile, "--tile", 32, r->err));
    /* what the hardware has: faces of up to 16 x 16, two by two */
    if ((tile[0] & (tile[0] - 1)) != 0 || (tile[1] != 16 && tile[1] != 32))
        return ttp_fail(
            r->err, TTP_EUSAGE,
            "--tile '%s' is invalid: use a height of 1 2 4 8 16 32 and a width of 16 or 32",
            r->o->tile);
    r->core.tile = (struct ttp_fit_tile){(uint32_t)tile[0], (uint32_t)tile[1]};
    return TTP_OK;
}

/* Buffers may grow from the start of L1 to the lowest tensor of that op. */
static ttp_code set_core_of_capture(struct fit_run *r)
{
    const char *arch = r->o->arch ? r->o->arch : r->run_arch;
    struct ttp_capture_room at;

    if (arch)
        TTP_TRY(find_board(&r->core.board, r, arch));
    TTP_TRY(ttp_capture_room_read(&at, r->o->mem, r->o->op, r->ctx, r->err));
    TTP_TRY(ttp_capture_room_board(&r->core.board, &at, r->ctx, r->err));
    const uint64_t base = (uint64_t)at.device.l1_base;
    const uint64_t end = base + (uint64_t)at.device.l1_bank_bytes;
    const uint64_t all = (uint64_t)at.device.worker_l1_bytes;
    r->core.l1_bytes = all > end ? all : end;
    r->core.reserved_bytes = base;
    /* tensors, and l1_small at the end */
    r->core.other_bytes = (uint64_t)r->o->other + r->core.l1_bytes - base - at.room.below_tensors;
    r->core.capture = r->o->mem;
    return TTP_OK;
}

/* What firmware and kernels use before any buffer. */
static ttp_code set_reserved(struct fit_run *r)
{
    const struct ttp_fact_value *reserved = &r->core.board->fact[TTP_FACT_L1_RESERVED_BYTES];
    uint64_t bytes;

    if (r->o->reserved && strcmp(r->o->reserved, "auto") != 0) {
        if (!ttp_str_to_u64(ttp_str_from(r->o->reserved), &bytes) || bytes > (uint64_t)1 << 40)
            return ttp_fail(r->err, TTP_EUSAGE,
                            "--reserved '%s' is invalid: use auto or a number of bytes",
                            r->o->reserved);
        r->core.reserved_bytes = bytes;
        return TTP_OK;
    }
    if (reserved->source) {
        r->core.reserved_bytes = (uint64_t)reserved->value;
        r->core.reserved_source = reserved->source;
        return TTP_OK;
    }
    ttp_ctx_warn(r->ctx, "the reserved L1 of %s is unknown: assuming none; see --reserved",
                 r->core.board->name);
    return TTP_OK;
}

static ttp_code set_core(struct fit_run *r)
{
    const char *arch = r->o->arch ? r->o->arch : r->run_arch;

    TTP_TRY(set_tile(r));
    if (r->o->op)
        return set_core_of_capture(r);
    if (!arch) {
        ttp_fail(r->err, TTP_EUSAGE, "--arch is required");
        ttp_err_hint(r->err, "for example --arch blackhole, or a board: --arch n150");
        return TTP_EUSAGE;
    }
    TTP_TRY(find_board(&r->core.board, r, arch));
    const struct ttp_fact_value *l1 = &r->core.board->fact[TTP_FACT_L1_BYTES];
    if (!l1->source)
        return ttp_fail(r->err, TTP_ENOTFOUND, "the L1 size of '%s' is unknown",
                        r->core.board->name);
    r->core.l1_bytes = (uint64_t)l1->value;
    r->core.l1_source = l1->source;
    r->core.other_bytes = (uint64_t)r->o->other;
    return set_reserved(r);
}

/* --- runs --- */

static ttp_code plan_buffers(struct fit_run *r)
{
    const size_t n = r->o->dfbs.count;

    r->tensor[0] = r->tensor[1] = 1024;
    if (r->o->tensor)
        TTP_TRY(parse_pair(r->tensor, r->o->tensor, "--tensor", UINT32_MAX, r->err));
    r->buffer = TTP_NEW(r->ctx->arena, struct ttp_fit_buffer, n);
    for (size_t i = 0; i < n; i++)
        TTP_TRY(ttp_fit_parse_buffer(&r->buffer[i], r->o->dfbs.word[i], r->err));
    return ttp_fit_plan(&r->plan, &r->core, (struct ttp_fit_buffers){r->buffer, n}, r->tensor,
                        r->err);
}

static ttp_code read_ops(struct fit_run *r)
{
    const struct ttp_ops_read_options reading = {0};
    const struct ttp_run_plan plan = {0};
    struct ttp_run_sources sources;

    const char *missing = ttp_run_missing_ranks(r->o->from, r->ctx->arena);
    if (missing)
        ttp_ctx_warn(r->ctx, "%s: %s", r->o->from, missing);
    TTP_TRY(ttp_run_open_sources(&sources, (struct ttp_paths){&r->o->from, 1}, &plan, r->ctx->arena,
                                 r->err));
    const ttp_code rc = ttp_run_read_ops(&r->ops, &sources, &reading, r->ctx->arena, r->err);
    ttp_run_close_sources(&sources);
    if (rc != TTP_OK)
        return rc;
    if (!r->o->op)
        TTP_TRY(ttp_run_input_join_memory(&r->ops, r->o->mem, NULL, r->ctx, r->err));
    r->has_ops = true;
    for (size_t i = 0; i < r->ops.rows && !r->run_arch; i++) {
        const ttp_sym arch = ttp_ops_sym(&r->ops, TTP_OPS_ARCH, i);
        if (arch != TTP_SYM_MISSING)
            r->run_arch = ttp_arena_zstr(r->ctx->arena, ttp_sym_name(&r->ops.syms, arch));
    }
    return TTP_OK;
}

/* Only ops of the rank and the device that were asked for. */
static ttp_code choose_ops(struct fit_run *r)
{
    struct ttp_device_choice choice;
    size_t kept = 0;

    if (!r->o->rank && !r->o->device)
        return TTP_OK;
    TTP_TRY(ttp_ops_parse_choice(&choice, r->o->rank, r->o->device, r->err));
    for (size_t i = 0; i < r->nops; i++)
        if (ttp_ops_is_chosen(&r->ops, &choice, r->op[i].row))
            r->op[kept++] = r->op[i];
    r->nops = kept;
    for (size_t i = 0; i < r->ops.rows; i++)
        if (ttp_ops_is_chosen(&r->ops, &choice, i))
            return TTP_OK;
    return ttp_fail(r->err, TTP_ENOTFOUND, "no op of %s %s", r->o->device ? "device" : "rank",
                    r->o->device ? r->o->device : r->o->rank);
}

/* "kernel:line" of the first op of a list. */
static ttp_str place_of(const struct ttp_flow_buffer *b, enum ttp_flow_list list,
                        struct ttp_arena *arena)
{
    struct ttp_sink text;

    if (b->nops[list] == 0)
        return (ttp_str){0};
    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(&text, "%.*s", TTP_FMT(b->op[list][0].kernel));
    if (b->op[list][0].line >= 0)
        ttp_sink_printf(&text, ":%lld", (long long)b->op[list][0].line);
    return ttp_sink_text(&text);
}

/* The program whose blocks are largest: it decides. */
static void fit_kernel(struct fit_run *r)
{
    const struct ttp_kernel_report *report = &r->input.report;
    const struct ttp_flow_graph *flow = report->flow;
    struct ttp_fit_dfb *buffer = TTP_NEW(r->ctx->arena, struct ttp_fit_dfb, flow->nbuffers);

    for (size_t i = 0; i < flow->nbuffers; i++)
        buffer[i] = (struct ttp_fit_dfb){
            .index = flow->buffer[i].index,
            .producer = place_of(&flow->buffer[i], TTP_FLOW_PRODUCERS, r->ctx->arena),
            .consumer = place_of(&flow->buffer[i], TTP_FLOW_CONSUMERS, r->ctx->arena)};
    r->kernel = (struct ttp_fit_kernel){.buffer = buffer, .buffers = flow->nbuffers};
    for (size_t i = 0; i < report->nprograms; i++) {
        const struct ttp_kernel_program *m = &report->program[i];

        if (i > 0 && m->targets.block_bytes <= r->kernel.blocks_bytes)
            continue;
        r->kernel.program = m->name;
        r->kernel.blocks_bytes = m->targets.block_bytes;
        r->kernel.blocks = m->targets.blocks;
        r->kernel.at_least = m->targets.dram_at_least;
    }
    ttp_fit_kernel(&r->kernel, &r->core);
}

/* The run of a TT-Lang kernel has a flow graph: what it says goes before, and the run need not have
 * a table of operations. */
static ttp_code read_run(struct fit_run *r)
{
    const struct ttp_kernel_request request = {.dir = r->o->from, .traces = true, .host = true};

    if (!ttp_run_has_flow(r->o->from, r->ctx->arena))
        return read_ops(r);
    TTP_TRY(ttp_run_input_kernels(&r->input, request, r->ctx, r->err));
    r->has_kernel = true;
    if (r->input.report.arch.len)
        r->run_arch = ttp_arena_zstr(r->ctx->arena, r->input.report.arch);
    const ttp_code rc = read_ops(r);
    if (rc == TTP_OK || rc == TTP_EIO)
        return rc;
    ttp_ctx_note(r->ctx, "no operations: %s", r->err ? r->err->text : "");
    return TTP_OK;
}

static ttp_code put_fit(const struct fit_run *r)
{
    const struct ttp_fit_view view = {
        .core = &r->core,
        .plan = r->o->dfbs.count ? &r->plan : NULL,
        .buffer = r->buffer,
        .buffers = r->o->dfbs.count,
        .tensor = r->tensor,
        .table = r->o->embedding ? &r->table : NULL,
        .ops = r->has_ops ? &r->ops : NULL,
        .op = r->op,
        .nops = r->nops,
        .kernel = r->has_kernel ? &r->kernel : NULL,
    };
    struct ttp_show show = r->ctx->show;

    if (r->has_ops && show.selection.top == 0 && show.form == TTP_FORM_TEXT)
        show.selection.top = SHOWN;
    return ttp_out_fit(&show, &view, r->err);
}

static ttp_code run_ranges(const struct fit_run *r)
{
    const struct ttp_board *board;

    TTP_TRY(find_board(&board, r, r->o->ranges));
    return ttp_out_ranges(&r->ctx->show, board, r->err);
}

static ttp_code place_table(struct fit_run *r)
{
    TTP_TRY(ttp_fit_parse_table(&r->table, r->o->embedding, r->err));
    return ttp_fit_table(&r->table, &r->core, r->err);
}

static ttp_code check_options(const struct fit_run *r)
{
    const struct fit_opts *o = r->o;

    if (o->dfbs.count == 0 && !o->embedding && !o->from)
        return ttp_fail(r->err, TTP_EUSAGE, "give --dfb, --embedding, --from or --ranges");
    if (o->op && !o->mem)
        return ttp_fail(r->err, TTP_EUSAGE, "--op requires --mem");
    if (o->mem && !o->op && !o->from)
        return ttp_fail(r->err, TTP_EUSAGE, "--mem requires --from or --op");
    if ((o->rank || o->device) && !o->from)
        return ttp_fail(r->err, TTP_EUSAGE, "--%s requires --from", o->rank ? "rank" : "device");
    if (o->op && o->reserved)
        return ttp_fail(r->err, TTP_EUSAGE, "--reserved conflicts with --op");
    return TTP_OK;
}

static ttp_code fit_ops(struct fit_run *r)
{
    r->nops = ttp_fit_ops(&r->op, &r->ops, &r->core, r->ctx->arena);
    return choose_ops(r);
}

static bool is_too_large(const struct fit_run *r)
{
    return (r->o->dfbs.count && !r->plan.fits) || (r->has_kernel && !r->kernel.fits);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct fit_run r = {.ctx = ctx, .o = opts, .err = err};

    (void)operands;
    if (r.o->ranges)
        return run_ranges(&r);
    TTP_TRY(check_options(&r));
    if (r.o->from)
        TTP_TRY(read_run(&r));
    TTP_TRY(set_core(&r));
    if (r.o->dfbs.count)
        TTP_TRY(plan_buffers(&r));
    if (r.o->embedding)
        TTP_TRY(place_table(&r));
    if (r.has_kernel)
        fit_kernel(&r);
    if (r.has_ops)
        TTP_TRY(fit_ops(&r));
    TTP_TRY(put_fit(&r));
    if (is_too_large(&r))
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static const struct ttp_document_spec *const documents[] = {
    &ttp_fit_document, &ttp_fit_buffers_document, &ttp_ranges_document, NULL};

static const struct ttp_example examples[] = {
    {"tt-perf fit --arch blackhole --dfb 4x4:bf16:2 --dfb 2x8:bfp8_b:2",
     "do these buffers fit a core, and how large can they be?"},
    {"tt-perf fit --arch n150 --embedding 100000x512:fp32", "where can this table live?"},
    {"tt-perf fit --from generated/profiler/reports", "the L1 use of a run"},
    {"tt-perf fit --from ops.csv --mem graph_capture.json",
     "the free L1 at each op, from the addresses in its capture"},
    {"tt-perf fit --arch n150 --dfb 4x4:bf16:2 --mem graph_capture.json --op 12",
     "do these buffers fit in addition to the tensors of op 12?"},
    {"tt-perf fit --ranges p150a", "peak figures of a p150a, with sources"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_fit = {
    .name = "fit",
    .summary = "check what fits the L1 of a core, and show board peaks",
    .description =
        "Adds up the L1 that dataflow buffers use per core, and shows what is left, the largest "
        "block that still fits and how many transfers each block size needs; shows where a table "
        "can live; lists the L1 use of the operations of a run, and the dataflow buffers of a "
        "TT-Lang kernel from its flow graph and transfers; prints the peak figures of a board. "
        "Tile sizes are exact and include the exponents of block formats.",
    TTP_CMD_OPTIONS(options, struct fit_opts),
    .takes = TTP_TAKES_REPORT | TTP_TAKES_BOARDS,
    .formats = ttp_table_formats,
    .documents = documents,
    .examples = examples,
    .exit_notes = "1 if the buffers do not fit.",
    .run = run,
};
