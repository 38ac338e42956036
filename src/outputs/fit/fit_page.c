/* SPDX-License-Identifier: Apache-2.0 */
/* What fits a core. Sizes are shown byte by byte: what fits is decided by the last one. */
#include <math.h>

#include "outputs/outputs.h"
#include "outputs/show/columns_text.h"
#include "outputs/show/paint.h"

#define INDENT    2
#define EDGE_GOOD 8 /* tiles: TT-Lang notes */

/* ---- rows and their fields ---- */

struct core_row {
    struct ttp_fit_core of;
    const char *board, *l1_source;
    ttp_str reserved_source;
};

#define CORE(member) TTP_FIGURE(struct core_row, member)
static const struct ttp_field core_fields[] = {
    TTP_WORDS("board", CORE(board)),
    TTP_INT_COLUMN("l1_bytes", "L1", "B", 0, CORE(of.l1_bytes), .help = "of a core"),
    TTP_WORDS_COLUMN("l1_source", "  from", 0, CORE(l1_source)),
    TTP_INT_COLUMN("reserved_bytes", "Reserved", "B", 0, CORE(of.reserved_bytes),
                   .help = "by firmware and kernels"),
    TTP_WORDS_COLUMN("reserved_source", "  from", 0, CORE(reserved_source)),
    TTP_INT_COLUMN("other_bytes", "Other", "B", 0, CORE(of.other_bytes), .help = "--other"),
};
static const struct ttp_fields core_figures = {TTP_FIELDS(core_fields)};

#define PLAN(member) TTP_FIGURE(struct ttp_fit_plan, member)
static const struct ttp_field plan_fields[] = {
    TTP_FLAG("fits", .optional = true, PLAN(fits)),
    TTP_INT_COLUMN("buffer_bytes", "Buffers", "B", 0, PLAN(buffer_bytes), .optional = true),
    TTP_INT_COLUMN("available_bytes", "Available", "B", 0, PLAN(available_bytes), .optional = true,
                   .help = "for buffers"),
    TTP_INT_COLUMN("left_bytes", "Left", "B", 0, PLAN(left_bytes), .optional = true),
    TTP_INT_COLUMN("over_bytes", "Too much", "B", 0, PLAN(over_bytes), .optional = true),
    TTP_INT("scale_all", "", PLAN(scale_all), .optional = true,
            .help = "largest factor on all blocks that still fits; 0 if they do not fit"),
};
static const struct ttp_fields plan_figures = {TTP_FIELDS(plan_fields)};

struct buffer_row {
    struct ttp_fit_buffer of;
    const char *dtype;
    ttp_str largest; /* "348 tiles: 87x4 or 4x87" */
};

#define BUFFER(member) TTP_FIGURE(struct buffer_row, of.member)
static const struct ttp_field buffer_fields[] = {
    TTP_WORDS_COLUMN("text", "Buffer", 0, BUFFER(text), .help = "as given"),
    TTP_INT("rows", "", BUFFER(rows), .help = "tiles"),
    TTP_INT("cols", "", BUFFER(cols), .help = "tiles"),
    TTP_INT("count", "", BUFFER(count), .help = "blocks"),
    TTP_WORDS("datatype", TTP_FIGURE(struct buffer_row, dtype)),
    TTP_INT_COLUMN("tile_bytes", "Tile", "B", 1, BUFFER(tile_bytes)),
    TTP_INT_COLUMN("block_bytes", "Block", "B", 2, BUFFER(block_bytes)),
    TTP_INT_COLUMN("bytes", "Total", "B", 0, BUFFER(bytes)),
    TTP_INT("max_tiles", "", BUFFER(max_tiles), .help = "of the largest block that fits"),
    TTP_INT("max_rows", "", BUFFER(max_rows), .help = "with as many columns"),
    TTP_INT("max_cols", "", BUFFER(max_cols), .help = "with as many rows"),
    TTP_WORDS_COLUMN("largest", "Largest block, others unchanged", 0,
                     TTP_FIGURE(struct buffer_row, largest), .table_only = true),
};
static const struct ttp_fields buffer_figures = {TTP_FIELDS(buffer_fields),
                                                 .hint = "tt-perf fit --columns help lists them"};

struct step_row {
    struct ttp_fit_step of;
    ttp_str block;
    const char *verdict;
};

#define STEP(member) TTP_FIGURE(struct step_row, member)
static const struct ttp_field step_fields[] = {
    TTP_WORDS_COLUMN("block", "Block", 0, STEP(block), .table_only = true),
    TTP_INT("block_edge", "", STEP(of.edge), .help = "tiles"),
    TTP_INT_COLUMN("bytes", "Buffers", "B", 0, STEP(of.bytes)),
    TTP_REAL_COLUMN("transfers", "Transfers", "", 0, 0, STEP(of.transfers)),
    TTP_FLAG("fits", STEP(of.fits)),
    TTP_WORDS_COLUMN("verdict", "", 0, STEP(verdict), .table_only = true),
};
static const struct ttp_fields step_figures = {TTP_FIELDS(step_fields)};

static struct ttp_value get_table_type(const void *context, const void *row)
{
    (void)context;
    return ttp_value_text(
        ttp_str_from(ttp_tensor_dtype_name(((const struct ttp_fit_table *)row)->type)));
}

#define TABLE(member) TTP_FIGURE(struct ttp_fit_table, member)
static const char *const places[] = {"core", "grid", "dram", "nowhere"};
static const struct ttp_field table_fields[] = {
    TTP_INT_COLUMN("rows", "Rows", "", 0, TABLE(rows)),
    TTP_INT_COLUMN("cols", "Columns", "", 0, TABLE(cols)),
    TTP_WORDS_COLUMN("datatype", "Type", 0, .get = get_table_type),
    TTP_INT_COLUMN("bytes", "Needs", "B", 0, TABLE(bytes)),
    TTP_INT_COLUMN("core_bytes", "One core", "B", 0, TABLE(core_bytes), .help = "free"),
    TTP_INT("cores", "", TABLE(cores)),
    TTP_INT_COLUMN("grid_bytes", "The grid", "B", 0, TABLE(grid_bytes), .help = "free"),
    TTP_INT_COLUMN("dram_bytes", "DRAM", "B", 0, TABLE(dram_bytes), .above_0 = true),
    {.id = "place",
     .title = "Goes to",
     .in_table = true,
     TTP_WORD(struct ttp_fit_table, place, places)},
    TTP_INT("cores_needed", "", TABLE(cores_needed), .help = "0: more than available"),
    TTP_INT("rows_per_core", "", TABLE(rows_per_core)),
    TTP_INT("rows_in_grid", "", TABLE(rows_in_grid), .help = "maximum that fits"),
    TTP_INT("chips_needed", "", TABLE(chips_needed), .help = "to hold it in L1"),
};
static const struct ttp_fields table_figures = {TTP_FIELDS(table_fields)};

#define DFB(member) TTP_FIGURE(struct ttp_fit_dfb, member)
static const struct ttp_field dfb_fields[] = {
    TTP_INT_COLUMN("index", "Buffer", "", 0, DFB(index), .is_id = true),
    TTP_WORDS_COLUMN("filled_by", "Filled by", 0, DFB(producer)),
    TTP_WORDS_COLUMN("emptied_by", "Emptied by", 0, DFB(consumer)),
};
static const struct ttp_fields dfb_figures = {TTP_FIELDS(dfb_fields)};

#define KERNEL(member) TTP_FIGURE(struct ttp_fit_kernel, member)
static const struct ttp_field kernel_fields[] = {
    TTP_WORDS_COLUMN("program", "Program", 0, KERNEL(program)),
    {.id = "buffers", TTP_ROWS_AT(struct ttp_fit_kernel, buffer, buffers, dfb_figures)},
    TTP_INT_COLUMN("blocks_bytes", "One block of each", "B", 0, KERNEL(blocks_bytes),
                   .above_0 = true, .help = "from its transfers"),
    TTP_INT("blocks_per_core", "", KERNEL(blocks), .above_0 = true,
            .help = "that a core reads into one buffer"),
    TTP_FLAG("at_least", KERNEL(at_least), .help = "the buffers may be larger"),
    TTP_INT_COLUMN("core_bytes", "Two blocks of each", "B", 0, KERNEL(bytes), .above_0 = true),
    TTP_INT_COLUMN("available_bytes", "Available", "B", 0, KERNEL(available_bytes)),
    TTP_FLAG("fits", KERNEL(fits)),
    TTP_INT("scale", "", KERNEL(scale),
            .help = "largest factor on the block size that still fits and leaves a core two"),
};
static const struct ttp_fields kernel_figures = {TTP_FIELDS(kernel_fields)};

struct op_row {
    struct ttp_fit_op of;
    uint64_t id;
    ttp_str op;
    uint64_t left_bytes;
    bool fits;
    bool has_memory;
    int64_t stale_bytes;
};

#define OP(member) TTP_FIGURE(struct op_row, member)
static const struct ttp_field op_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, OP(id)),
    TTP_WORDS_COLUMN("op", "Op", 0, OP(op)),
    TTP_INT_COLUMN("cores", "Cores", "", 2, OP(of.cores)),
    TTP_INT_COLUMN("input_0_bytes", "Input 0", "B", 3, OP(of.bytes[0])),
    TTP_INT_COLUMN("input_1_bytes", "Input 1", "B", 4, OP(of.bytes[1])),
    TTP_INT_COLUMN("output_bytes", "Output", "B", 3, OP(of.bytes[2])),
    TTP_INT_COLUMN("core_bytes", "Per core", "B", 0, OP(of.total_bytes)),
    TTP_INT_COLUMN("left_bytes", "Left", "B", 0, OP(left_bytes), TTP_KNOWN_IF(struct op_row, fits),
                   .help = "for its circular buffers; with --mem from the start of L1 to the "
                           "lowest tensor"),
    TTP_INT_COLUMN("stale_bytes", "Stale", "B", 1, OP(stale_bytes),
                   TTP_KNOWN_IF(struct op_row, has_memory),
                   .help = "in tensors that nothing uses any more, from the capture of --mem"),
};
static const struct ttp_fields op_figures = {TTP_FIELDS(op_fields),
                                             .hint = "tt-perf fit --columns help lists them"};

enum { PART_CORE, PART_BUFFERS, PART_PLAN, PART_SWEEP, PART_EMBEDDING, PART_KERNEL, PART_OPS };
static const struct ttp_part_spec parts[] = {
    [PART_CORE] = {.kind = TTP_PART_DATA, .fields = &core_figures},
    [PART_BUFFERS] = {"buffers", "Buffers", &buffer_figures, .optional = true},
    [PART_PLAN] = {NULL, "All buffers", &plan_figures, TTP_PART_DATA},
    [PART_SWEEP] = {"sweep", "Block sizes, all buffers alike", &step_figures, .optional = true},
    [PART_EMBEDDING] = {"embedding", "Table", &table_figures, TTP_PART_OBJECT, .optional = true},
    [PART_KERNEL] = {"kernel", "Kernel", &kernel_figures, TTP_PART_OBJECT, .optional = true},
    [PART_OPS] = {"ops", "Operations", &op_figures, .optional = true},
};
const struct ttp_document_spec ttp_fit_document = {
    .schema = "tt-perf.fit/2",
    .help = "L1 of a core: operations of a run",
    TTP_PARTS(parts),
    .main = PART_OPS,
};
const struct ttp_document_spec ttp_fit_buffers_document = {
    .schema = "tt-perf.fit/2",
    .help = "L1 of a core: buffers",
    TTP_PARTS(parts),
    .main = PART_BUFFERS,
};

/* ---- text below a part ---- */

/* A sentence on lines of its own. */
static TTP_PRINTF(2, 3) void put_words(const struct ttp_show *p, const char *text, ...)
{
    va_list args;

    va_start(args, text);
    const ttp_str line = ttp_sink_vformat(p->arena, text, args);
    va_end(args);
    ttp_sink_repeat(p->out, ' ', INDENT);
    ttp_paint_wrapped(p->out, line, p->width, INDENT, INDENT);
}

static void put_verdict(const struct ttp_show *p, bool good, const char *word)
{
    if (p->color)
        ttp_paint_themed(p->out, good ? TTP_GREEN : TTP_RED, ttp_str_from(word));
    else
        ttp_sink_put(p->out, ttp_str_from(word));
}

static void put_plan(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_plan *plan = view->plan;
    const double free_bytes = (double)plan->available_bytes, all = (double)plan->buffer_bytes;

    ttp_sink_put(p->out, TTP_STR("  "));
    put_verdict(p, plan->fits, plan->fits ? "FITS" : "DOES NOT FIT");
    ttp_sink_printf(p->out, ", %.1f %% of what is free",
                    free_bytes > 0 ? 100 * all / free_bytes : 0);
    if (plan->fits)
        ttp_sink_printf(p->out, "; L1 has room for blocks %llu times as large\n",
                        (unsigned long long)plan->scale_all);
    else if (100 * free_bytes >= all)
        ttp_sink_printf(p->out, "; all blocks must shrink to %.0f %%\n",
                        floor(100 * free_bytes / all));
    else if (free_bytes > 0)
        ttp_sink_printf(p->out, "; all blocks must be %.0f times smaller\n",
                        ceil(all / free_bytes));
    else
        ttp_sink_own(p->out, "; nothing is free\n");
}

static void put_sweep(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const size_t steps = view->plan->steps;

    put_words(p, "transfers: number of block transfers for a tensor of %llux%llu",
              (unsigned long long)view->tensor[0], (unsigned long long)view->tensor[1]);
    if (steps && view->plan->step[steps - 1].edge > EDGE_GOOD)
        put_words(p, "* matmuls lose about 30 %% beyond %d in one dimension (TT-Lang notes)",
                  EDGE_GOOD);
}

static void put_split(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_table *t = view->table;

    switch (t->place) {
    case TTP_FIT_ONE_CORE:
        put_words(p, "keep it in the L1 of one core, or of each core that reads it");
        break;
    case TTP_FIT_GRID:
        put_words(
            p, "shard it by rows over %llu cores, %llu rows each; all %llu cores: %llu rows each",
            (unsigned long long)t->cores_needed, (unsigned long long)t->rows_per_core,
            (unsigned long long)t->cores,
            (unsigned long long)((t->rows + t->cores - 1) / t->cores));
        break;
    case TTP_FIT_DRAM:
        if (t->rows_in_grid)
            put_words(p,
                      "keep it in DRAM, interleaved over the banks, and the hottest %llu rows in "
                      "L1; or spread it over %llu chips",
                      (unsigned long long)t->rows_in_grid, (unsigned long long)t->chips_needed);
        else
            put_words(p, "keep it in DRAM, interleaved over the banks");
        break;
    case TTP_FIT_NOWHERE:
        put_words(p, "more than the chip's DRAM: split it over chips, or use a narrower format");
        break;
    }
}

static void put_kernel(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_kernel *k = view->kernel;
    const struct ttp_records buffers = {&dfb_figures, NULL, k->buffer, sizeof(*k->buffer),
                                        k->buffers};

    if (k->blocks_bytes == 0) {
        put_words(p, "the size of its buffers is unknown: a flow graph lacks it, and there are "
                     "no NoC traces of its transfers");
    } else {
        ttp_sink_put(p->out, TTP_STR("  "));
        put_verdict(p, k->fits, k->fits ? "FITS" : "DOES NOT FIT");
        if (k->at_least)
            ttp_sink_own(p->out, ", a lower bound from the traces");
        if (k->scale > 1)
            ttp_sink_printf(p->out, "; blocks can be %llu times as large",
                            (unsigned long long)k->scale);
        if (k->blocks)
            ttp_sink_printf(p->out, " (a core reads %llu of each)", (unsigned long long)k->blocks);
        ttp_sink_char(p->out, '\n');
    }
    ttp_show_heading(p, "Dataflow buffers");
    ttp_show_table(p, &(struct ttp_table){.rows = &buffers, .indent = INDENT});
}

static void put_ops(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    put_words(p, view->nops && view->ops->memory
                     ? "the rest is for the op's own circular buffers; for ops in the capture, "
                       "it excludes all live tensors"
                 : view->nops
                     ? "the rest is for the op's own circular buffers and for tensors that live "
                       "longer"
                     : "No operation of the run has a tensor in L1.");
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_board *board = ((const struct ttp_fit_view *)arg)->core->board;

    ttp_sink_printf(show->out, "A core of board %s (%s)\n", board->name, board->chip);
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    static void (*const below[])(const struct ttp_show *, const struct ttp_fit_view *) = {
        [PART_PLAN] = put_plan,     [PART_SWEEP] = put_sweep, [PART_EMBEDDING] = put_split,
        [PART_KERNEL] = put_kernel, [PART_OPS] = put_ops,
    };
    struct ttp_table indented = *table;

    ttp_show_heading(show, parts[part].title);
    indented.indent = INDENT;
    if (parts[part].kind != TTP_PART_ROWS)
        ttp_show_facts(show, table->rows);
    else if (table->count)
        ttp_show_table(show, &indented);
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
    if (below[part])
        below[part](show, arg);
}

/* ---- rows ---- */

static struct core_row make_core(const struct ttp_fit_core *core, struct ttp_arena *arena)
{
    struct core_row row = {.of = *core,
                           .board = core->board->name,
                           .l1_source = core->l1_source ? core->l1_source->name : "--l1"};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    if (core->capture) {
        row.l1_source = "capture";
        ttp_sink_put(&text, TTP_STR("capture"));
    } else if (core->reserved_source)
        ttp_sink_printf(&text, "%s, %s", core->reserved_source->name, core->reserved_source->date);
    else
        ttp_sink_printf(&text, "%s", core->reserved_bytes ? "--reserved" : "none, or unknown");
    row.reserved_source = ttp_sink_text(&text);
    return row;
}

static ttp_str largest_block(const struct ttp_fit_buffer *b, struct ttp_arena *arena)
{
    struct ttp_sink text;

    if (b->max_tiles == 0)
        return TTP_STR("not even one tile");
    ttp_sink_to_arena(&text, arena);
    ttp_put_grouped(&text, (int64_t)b->max_tiles);
    ttp_sink_put(&text, b->max_tiles == 1 ? TTP_STR(" tile") : TTP_STR(" tiles"));
    if (b->max_rows)
        ttp_sink_printf(&text, ": %llux%u", (unsigned long long)b->max_rows, b->cols);
    if (b->max_cols)
        ttp_sink_printf(&text, "%s %ux%llu", b->max_rows ? " or" : ":", b->rows,
                        (unsigned long long)b->max_cols);
    return ttp_sink_text(&text);
}

static const struct buffer_row *make_buffers(const struct ttp_fit_view *view,
                                             struct ttp_arena *arena)
{
    struct buffer_row *row = TTP_NEW(arena, struct buffer_row, view->buffers);

    for (size_t i = 0; i < view->buffers; i++)
        row[i] = (struct buffer_row){view->buffer[i], ttp_tensor_dtype_name(view->buffer[i].type),
                                     largest_block(&view->buffer[i], arena)};
    return row;
}

static const struct step_row *make_steps(const struct ttp_fit_plan *plan, struct ttp_arena *arena)
{
    struct step_row *row = TTP_NEW(arena, struct step_row, plan->steps);

    for (size_t i = 0; i < plan->steps; i++) {
        const struct ttp_fit_step *s = &plan->step[i];
        const bool large = s->edge > EDGE_GOOD;
        struct ttp_sink block;

        ttp_sink_to_arena(&block, arena);
        ttp_sink_printf(&block, "%ux%u", s->edge, s->edge);
        row[i] = (struct step_row){*s, ttp_sink_text(&block),
                                   s->fits ? large ? "fits *" : "fits"
                                   : large ? "does not fit *"
                                           : "does not fit"};
    }
    return row;
}

static const struct op_row *make_ops(const struct ttp_fit_view *view, struct ttp_arena *arena)
{
    const uint64_t taken = view->core->reserved_bytes + view->core->other_bytes;
    const uint64_t room = view->core->l1_bytes > taken ? view->core->l1_bytes - taken : 0;
    struct op_row *row = TTP_NEW(arena, struct op_row, view->nops);

    for (size_t i = 0; i < view->nops; i++) {
        const struct ttp_fit_op *o = &view->op[i];
        const ttp_sym code = ttp_ops_sym(view->ops, TTP_OPS_CODE, o->row);

        row[i] = (struct op_row){
            .of = *o,
            .id = o->row + 2,
            .op = code == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&view->ops->syms, code),
            .left_bytes = room - o->total_bytes,
            .fits = o->total_bytes <= room};
        const struct ttp_op_memory *m = view->ops->memory ? &view->ops->memory[o->row] : NULL;
        if (!m || !m->has_room)
            continue;
        row[i].left_bytes = (uint64_t)m->below_tensors_bytes;
        row[i].fits = row[i].has_memory = true;
        row[i].stale_bytes = m->stale_bytes;
    }
    return row;
}

ttp_code ttp_out_fit(const struct ttp_show *show, const struct ttp_fit_view *view,
                     struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_body};
    struct ttp_document_spec spec = view->ops ? ttp_fit_document : ttp_fit_buffers_document;
    const struct core_row core = make_core(view->core, show->arena);
    struct ttp_document doc;

    spec.no_table = !view->ops && !view->plan;
    ttp_document_init(&doc, &spec, show->arena);
    ttp_document_object(&doc, PART_CORE, NULL, &core);
    if (view->plan) {
        ttp_document_object(&doc, PART_PLAN, NULL, view->plan);
        ttp_document_rows(&doc, PART_BUFFERS, NULL, make_buffers(view, show->arena), view->buffers);
        ttp_document_rows(&doc, PART_SWEEP, NULL, make_steps(view->plan, show->arena),
                          view->plan->steps);
    }
    if (view->table)
        ttp_document_object(&doc, PART_EMBEDDING, NULL, view->table);
    if (view->kernel)
        ttp_document_object(&doc, PART_KERNEL, NULL, view->kernel);
    if (view->ops)
        ttp_document_rows(&doc, PART_OPS, NULL, make_ops(view, show->arena), view->nops);
    return ttp_show_document(show, &doc, &page, err);
}
