/* SPDX-License-Identifier: Apache-2.0 */
/* What fits a core, for people. */
#include <math.h>
#include <stdio.h>

#include "outputs/columns_text.h"
#include "outputs/fit/fit_fields.h"
#include "outputs/paint.h"

#define INDENT     2
#define NAME_WIDTH 15

static void put_size(struct ttp_sink *out, uint64_t bytes)
{
    ttp_put_grouped(out, (int64_t)bytes);
    ttp_sink_put(out, TTP_STR(" B"));
    if (bytes >= 1 << 20)
        ttp_sink_printf(out, " (%.1f MiB)", (double)bytes / (1 << 20));
    else if (bytes >= 1024)
        ttp_sink_printf(out, " (%.1f KiB)", (double)bytes / 1024);
}

static void put_line(const struct ttp_show *p, const char *name, uint64_t bytes, const char *note)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    put_size(&line, bytes);
    ttp_sink_printf(&line, "%s%s", *note ? "  " : "", note);
    ttp_sink_printf(p->out, "  %-12s ", name);
    ttp_paint_wrapped(p->out, ttp_sink_text(&line), p->width, NAME_WIDTH, NAME_WIDTH);
}

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

static void put_core(const struct ttp_show *p, const struct ttp_fit_core *core)
{
    char note[200];

    ttp_sink_printf(p->out, "A core of board %s (%s)\n", core->board->name, core->board->chip);
    put_line(p, "L1", core->l1_bytes, core->l1_source ? core->l1_source->name : "--l1");
    if (core->reserved_source)
        snprintf(note, sizeof(note), "%s, %s", core->reserved_source->name,
                 core->reserved_source->date);
    else
        snprintf(note, sizeof(note), "%s",
                 core->reserved_bytes ? "--reserved" : "none, or not known");
    put_line(p, "reserved", core->reserved_bytes, note);
    if (core->other_bytes)
        put_line(p, "other", core->other_bytes, "--other");
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

static void put_split(const struct ttp_show *p, const struct ttp_fit_table *t)
{
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

static void put_table(const struct ttp_show *p, const struct ttp_fit_table *t)
{
    static const char *const places[] = {"one core", "the grid, sharded", "DRAM",
                                         "nowhere on one chip"};

    ttp_sink_printf(p->out, "\nTable of %llu x %llu %s\n", (unsigned long long)t->rows,
                    (unsigned long long)t->cols, ttp_dtype_name(t->type));
    put_line(p, "needs", t->bytes, "");
    put_line(p, "one core", t->core_bytes, t->bytes <= t->core_bytes ? "fits" : "does not fit");
    put_line(p, "the grid", t->grid_bytes, t->cores_needed ? "fits" : "does not fit");
    if (t->dram_bytes)
        put_line(p, "DRAM", t->dram_bytes, t->bytes <= t->dram_bytes ? "fits" : "does not fit");
    ttp_sink_printf(p->out, "  %-12s ", "goes to");
    put_verdict(p, t->place <= TTP_FIT_GRID, places[t->place]);
    ttp_sink_char(p->out, '\n');
    put_split(p, t);
}

/* --- parts of the page --- */

static void put_buffers(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_plan *plan = view->plan;
    const double free_bytes = (double)plan->available_bytes, all = (double)plan->buffer_bytes;

    ttp_sink_char(p->out, '\n');
    put_line(p, "buffers", plan->buffer_bytes, "");
    put_line(p, plan->fits ? "left" : "too much", plan->fits ? plan->left_bytes : plan->over_bytes,
             "");
    ttp_sink_put(p->out, TTP_STR("  "));
    put_verdict(p, plan->fits, plan->fits ? "FITS" : "DOES NOT FIT");
    ttp_sink_printf(p->out, ", %.1f %% of what is free",
                    free_bytes > 0 ? 100 * all / free_bytes : 0);
    if (plan->fits)
        ttp_sink_printf(p->out, "; all blocks can be %llu times as large\n",
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

    if (steps && view->plan->step[steps - 1].edge > TTP_FIT_EDGE_GOOD)
        put_words(p, "* matmuls lose about 30 %% beyond %d (TT-Lang notes)", TTP_FIT_EDGE_GOOD);
}

static void put_kernel(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_kernel *k = view->kernel;
    const struct ttp_records buffers = {&ttp_fit_kernel_dfb_fields, NULL, k->buffer,
                                        sizeof(*k->buffer), k->buffers};
    struct ttp_sink line;

    ttp_sink_printf(p->out, "\nDataflow buffers of %.*s: %zu\n",
                    TTP_FMT(k->program.len ? k->program : TTP_STR("the kernel")), k->buffers);
    ttp_show_table(p, &(struct ttp_table){.rows = &buffers, .indent = INDENT});
    if (k->blocks_bytes == 0) {
        put_words(p, "how large they are is not known: a flow graph does not say it, and there are "
                     "no NoC traces of its transfers");
        return;
    }
    ttp_sink_to_arena(&line, p->arena);
    put_size(&line, k->blocks_bytes);
    put_words(p, "one block of each, from its transfers%s: %.*s", k->at_least ? " (at least)" : "",
              TTP_FMT(ttp_sink_text(&line)));
    ttp_sink_to_arena(&line, p->arena);
    put_size(&line, k->bytes);
    ttp_sink_put(&line, TTP_STR(" of "));
    put_size(&line, k->available_bytes);
    put_words(p, "two blocks of each: %.*s", TTP_FMT(ttp_sink_text(&line)));
    ttp_sink_put(p->out, TTP_STR("  "));
    put_verdict(p, k->fits, k->fits ? "FITS" : "DOES NOT FIT");
    if (k->scale > 1)
        ttp_sink_printf(p->out, "; blocks may be %llu times as large",
                        (unsigned long long)k->scale);
    ttp_sink_char(p->out, '\n');
}

static void put_no_ops(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    if (view->nops == 0)
        ttp_sink_own(p->out, "\nNo operation of the run has a tensor in L1.\n");
    else
        put_words(p, "left is for the op's own circular buffers; tensors that live longer take "
                     "from it too");
}

static void put_embedding(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    put_table(p, view->table);
}

enum { PART_CORE, PART_PLAN, PART_BUFFERS, PART_SWEEP, PART_EMBEDDING, PART_KERNEL, PART_OPS };
static const struct ttp_part_spec parts[] = {
    [PART_CORE] = {.kind = TTP_PART_DATA, .fields = &ttp_fit_core_fields, .json_only = true},
    [PART_PLAN] = {.kind = TTP_PART_DATA, .title = "Plan", .fields = &ttp_fit_plan_fields},
    [PART_BUFFERS] = {.id = "buffers",
                      .title = "Buffers",
                      .fields = &ttp_fit_buffer_fields,
                      .optional = true},
    [PART_SWEEP] = {.id = "sweep",
                    .title = "Block sizes, all buffers alike",
                    .fields = &ttp_fit_step_fields,
                    .optional = true},
    [PART_EMBEDDING] = {.id = "embedding",
                        .kind = TTP_PART_OBJECT,
                        .title = "Table",
                        .fields = &ttp_fit_table_fields,
                        .optional = true},
    [PART_KERNEL] = {.id = "kernel",
                     .kind = TTP_PART_OBJECT,
                     .title = "Dataflow buffers",
                     .fields = &ttp_fit_kernel_fields,
                     .optional = true},
    [PART_OPS] = {.id = "ops",
                  .title = "Operations",
                  .fields = &ttp_fit_op_fields,
                  .optional = true},
};
const struct ttp_document_spec ttp_fit_document = {
    .schema = "tt-perf.fit/2",
    .help = "What fits a core: operations of a run",
    TTP_PARTS(parts),
    .main = PART_OPS,
};
const struct ttp_document_spec ttp_fit_buffers_document = {
    .schema = "tt-perf.fit/2",
    .help = "What fits a core: buffers",
    TTP_PARTS(parts),
    .main = PART_BUFFERS,
};

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_fit_core *core = ((const struct ttp_fit_view *)arg)->core;

    if (show->form == TTP_FORM_MARKDOWN)
        ttp_show_facts(show, &(struct ttp_records){&ttp_fit_core_fields, NULL, core, 0, 1});
    else
        put_core(show, core);
}

static void put_sweep_title(const struct ttp_show *p, const struct ttp_fit_view *view)
{
    put_words(
        p,
        "Block sizes, all buffers alike, and how often a tensor of %llux%llu is moved a block "
        "at a time",
        (unsigned long long)view->tensor[0], (unsigned long long)view->tensor[1]);
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    static void (*const after[])(const struct ttp_show *, const struct ttp_fit_view *) = {
        [PART_BUFFERS] = put_buffers,     [PART_SWEEP] = put_sweep, [PART_KERNEL] = put_kernel,
        [PART_EMBEDDING] = put_embedding, [PART_OPS] = put_no_ops,
    };
    struct ttp_table indented = *table;

    if (show->form == TTP_FORM_MARKDOWN) {
        ttp_sink_printf(show->out, "\n## %s\n\n", parts[part].title);
        if (parts[part].kind == TTP_PART_ROWS)
            ttp_show_table(show, table);
        else
            ttp_show_facts(show, table->rows);
        return;
    }
    if (parts[part].kind == TTP_PART_ROWS && table->count) {
        ttp_sink_char(show->out, '\n');
        if (part == PART_SWEEP)
            put_sweep_title(show, arg);
        indented.indent = INDENT;
        ttp_show_table(show, &indented);
    }
    if (after[part])
        after[part](show, arg);
}

/* --- rows --- */

static const struct ttp_fit_buffer_row *make_buffers(const struct ttp_fit_view *view,
                                                     struct ttp_arena *arena)
{
    struct ttp_fit_buffer_row *row = TTP_NEW(arena, struct ttp_fit_buffer_row, view->buffers);

    for (size_t i = 0; i < view->buffers; i++)
        row[i] =
            (struct ttp_fit_buffer_row){view->buffer[i], largest_block(&view->buffer[i], arena)};
    return row;
}

static const struct ttp_fit_op_row *make_ops(const struct ttp_fit_view *view,
                                             struct ttp_arena *arena)
{
    const uint64_t taken = view->core->reserved_bytes + view->core->other_bytes;
    const uint64_t room = view->core->l1_bytes > taken ? view->core->l1_bytes - taken : 0;
    struct ttp_fit_op_row *row = TTP_NEW(arena, struct ttp_fit_op_row, view->nops);

    for (size_t i = 0; i < view->nops; i++) {
        const struct ttp_fit_op *o = &view->op[i];
        const ttp_sym code = ttp_ops_sym(view->ops, TTP_OPS_CODE, o->row);

        row[i] = (struct ttp_fit_op_row){
            .of = *o,
            .id = o->row + 2,
            .op = code == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&view->ops->syms, code),
            .left_bytes = room - o->total_bytes,
            .fits = o->total_bytes <= room};
    }
    return row;
}

ttp_code ttp_out_fit(const struct ttp_show *show, const struct ttp_fit_view *view,
                     struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .body = put_body};
    struct ttp_document_spec spec = view->ops ? ttp_fit_document : ttp_fit_buffers_document;
    struct ttp_document doc;

    spec.no_table = !view->ops && !view->plan;
    ttp_document_init(&doc, &spec, show->arena);
    ttp_document_object(&doc, PART_CORE, NULL, view->core);
    if (view->plan) {
        ttp_document_object(&doc, PART_PLAN, NULL, view->plan);
        ttp_document_rows(&doc, PART_BUFFERS, NULL, make_buffers(view, show->arena), view->buffers);
        ttp_document_rows(&doc, PART_SWEEP, NULL, view->plan->step, view->plan->steps);
    }
    if (view->table)
        ttp_document_object(&doc, PART_EMBEDDING, NULL, view->table);
    if (view->kernel)
        ttp_document_object(&doc, PART_KERNEL, NULL, view->kernel);
    if (view->ops)
        ttp_document_rows(&doc, PART_OPS, NULL, make_ops(view, show->arena), view->nops);
    return ttp_show_document(show, &doc, &page, err);
}
