/* SPDX-License-Identifier: Apache-2.0 */
/* What fits a core, and what a board can do, for people. */
#include <math.h>
#include <stdio.h>

#include "outputs/cells.h"
#include "outputs/columns_text.h"
#include "outputs/outputs.h"
#include "outputs/paint.h"

struct printing {
    struct ttp_sink *out;
    struct ttp_arena *arena;
    int width;
    bool color;
};

static void put_size(struct ttp_sink *out, uint64_t bytes)
{
    ttp_put_grouped(out, (int64_t)bytes);
    ttp_sink_put(out, TTP_STR(" B"));
    if (bytes >= 1 << 20)
        ttp_sink_printf(out, " (%.1f MiB)", (double)bytes / (1 << 20));
    else if (bytes >= 1024)
        ttp_sink_printf(out, " (%.1f KiB)", (double)bytes / 1024);
}

#define INDENT     2
#define NAME_WIDTH 15

static void put_line(const struct printing *p, const char *name, uint64_t bytes, const char *note)
{
    struct ttp_sink line;

    ttp_sink_to_arena(&line, p->arena);
    put_size(&line, bytes);
    ttp_sink_printf(&line, "%s%s", *note ? "  " : "", note);
    ttp_sink_printf(p->out, "  %-12s ", name);
    ttp_paint_wrapped(p->out, ttp_sink_text(&line), p->width, NAME_WIDTH, NAME_WIDTH);
}

/* A sentence on lines of its own. */
static TTP_PRINTF(2, 3) void put_words(const struct printing *p, const char *text, ...)
{
    va_list args;

    va_start(args, text);
    const ttp_str line = ttp_sink_vformat(p->arena, text, args);
    va_end(args);
    ttp_sink_repeat(p->out, ' ', INDENT);
    ttp_paint_wrapped(p->out, line, p->width, INDENT, INDENT);
}

static void put_verdict(const struct printing *p, bool good, const char *word)
{
    if (p->color)
        ttp_paint_themed(p->out, good ? TTP_GREEN : TTP_RED, ttp_str_from(word));
    else
        ttp_sink_put(p->out, ttp_str_from(word));
}

static void set_count(struct ttp_cells *c, size_t column, uint64_t n)
{
    char text[TTP_NUM_MAX];
    ttp_cells_set(c, column, ttp_grouped(text, (int64_t)n));
}

static void put_core(const struct printing *p, const struct ttp_fit_core *core)
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

/* --- buffers --- */

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

static void put_buffer_table(const struct printing *p, const struct ttp_fit_view *view)
{
    static const struct ttp_cell_column columns[] = {
        {"buffer", true, 0},
        {"tile B", false, 1},
        {"block B", false, 2},
        {"total B", false, 0},
        {"largest block, the others as they are", true, 0}};
    struct ttp_cells c;

    ttp_cells_init(&c, columns, TTP_COUNT(columns), p->arena);
    c.indent = INDENT;
    c.name_least = 8;
    for (size_t i = 0; i < view->buffers; i++) {
        const struct ttp_fit_buffer *b = &view->buffer[i];

        ttp_cells_add_row(&c);
        ttp_cells_set(&c, 0, b->text);
        set_count(&c, 1, b->tile_bytes);
        set_count(&c, 2, b->block_bytes);
        set_count(&c, 3, b->bytes);
        ttp_cells_set(&c, 4, largest_block(b, p->arena));
    }
    ttp_sink_char(p->out, '\n');
    ttp_cells_text(p->out, &c, p->width, p->color);
}

static void put_buffers(const struct printing *p, const struct ttp_fit_view *view)
{
    const struct ttp_fit_plan *plan = view->plan;
    const double free_bytes = (double)plan->available_bytes, all = (double)plan->buffer_bytes;

    put_buffer_table(p, view);
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

#define EDGE_GOOD 8 /* TT-Lang notes */

static void put_sweep(const struct printing *p, const struct ttp_fit_view *view)
{
    static const struct ttp_cell_column columns[] = {
        {"block", true, 0}, {"buffers B", false, 0}, {"transfers", false, 0}, {"", true, 0}};
    struct ttp_cells c;
    bool large = false;

    ttp_sink_char(p->out, '\n');
    put_words(
        p,
        "Block sizes, all buffers alike, and how often a tensor of %llux%llu is moved a block "
        "at a time",
        (unsigned long long)view->tensor[0], (unsigned long long)view->tensor[1]);
    ttp_cells_init(&c, columns, TTP_COUNT(columns), p->arena);
    c.indent = INDENT;
    for (size_t i = 0; i < view->plan->steps; i++) {
        const struct ttp_fit_step *s = &view->plan->step[i];
        const bool above = s->edge > EDGE_GOOD;
        char block[32];

        snprintf(block, sizeof(block), "%ux%u", s->edge, s->edge);
        ttp_cells_add_row(&c);
        ttp_cells_set(&c, 0, ttp_str_from(block));
        set_count(&c, 1, s->bytes);
        set_count(&c, 2, s->transfers);
        ttp_cells_set(&c, 3,
                      s->fits ? above ? TTP_STR("fits *") : TTP_STR("fits")
                      : above ? TTP_STR("does not fit *")
                              : TTP_STR("does not fit"));
        large |= above;
    }
    ttp_cells_text(p->out, &c, p->width, p->color);
    if (large)
        put_words(p, "* matmuls lose about 30 %% beyond %d (TT-Lang notes)", EDGE_GOOD);
}

/* --- tables --- */

static void put_split(const struct printing *p, const struct ttp_fit_table *t)
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

static void put_table(const struct printing *p, const struct ttp_fit_table *t)
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

/* --- a run --- */

enum { OP_ID, OP_NAME, OP_CORES, OP_INPUT_0, OP_INPUT_1, OP_OUTPUT, OP_TOTAL, OP_LEFT, OP_COLUMNS };

static void add_op(struct ttp_cells *c, const struct ttp_fit_view *view, const struct ttp_fit_op *o)
{
    const uint64_t taken = view->core->reserved_bytes + view->core->other_bytes;
    const uint64_t room = view->core->l1_bytes > taken ? view->core->l1_bytes - taken : 0;
    const ttp_sym code = ttp_ops_sym(view->ops, TTP_OPS_CODE, o->row);
    char id[24];

    ttp_cells_add_row(c);
    ttp_cells_set(c, OP_ID, (ttp_str){id, ttp_num_u64(id, o->row + 2)});
    ttp_cells_set(c, OP_NAME,
                  code == TTP_SYM_MISSING ? TTP_STR("?") : ttp_sym_name(&view->ops->syms, code));
    set_count(c, OP_CORES, o->cores);
    for (size_t i = 0; i < 3; i++)
        set_count(c, OP_INPUT_0 + i, o->bytes[i]);
    set_count(c, OP_TOTAL, o->total_bytes);
    if (o->total_bytes <= room)
        set_count(c, OP_LEFT, room - o->total_bytes);
    else
        ttp_cells_set(c, OP_LEFT, TTP_STR("none"));
}

static void put_ops(const struct printing *p, const struct ttp_fit_view *view)
{
    static const struct ttp_cell_column columns[OP_COLUMNS] = {
        [OP_ID] = {"ID", false, 0},
        [OP_NAME] = {"op", true, 0},
        [OP_CORES] = {"cores", false, 2},
        [OP_INPUT_0] = {"input 0 B", false, 3},
        [OP_INPUT_1] = {"input 1 B", false, 4},
        [OP_OUTPUT] = {"output B", false, 3},
        [OP_TOTAL] = {"per core B", false, 0},
        [OP_LEFT] = {"left B", false, 0},
    };
    struct ttp_cells c;

    if (view->nops == 0) {
        ttp_sink_own(p->out, "\nNo operation of the run has a tensor in L1.\n");
        return;
    }
    ttp_cells_init(&c, columns, OP_COLUMNS, p->arena);
    c.indent = INDENT;
    c.name = OP_NAME;
    c.name_least = 16;
    for (size_t i = 0; i < view->nops; i++)
        add_op(&c, view, &view->op[i]);
    ttp_sink_char(p->out, '\n');
    ttp_cells_text(p->out, &c, p->width, p->color);
    put_words(p, "left is for the op's own circular buffers; tensors that live longer take from it "
                 "too");
}

static void put_kernel(const struct printing *p, const struct ttp_fit_kernel *k)
{
    static const struct ttp_cell_column columns[] = {
        {"buffer", false, 0}, {"filled by", true, 0}, {"emptied by", true, 0}};
    struct ttp_cells c;
    struct ttp_sink line;
    char index[24];

    ttp_sink_printf(p->out, "\nDataflow buffers of %.*s: %zu\n",
                    TTP_FMT(k->program.len ? k->program : TTP_STR("the kernel")), k->buffers);
    ttp_cells_init(&c, columns, TTP_COUNT(columns), p->arena);
    c.indent = INDENT;
    c.name = 1;
    c.name_least = 16;
    for (size_t i = 0; i < k->buffers; i++) {
        ttp_cells_add_row(&c);
        ttp_cells_set(&c, 0, (ttp_str){index, ttp_num_i64(index, k->buffer[i].index)});
        ttp_cells_set(&c, 1, k->buffer[i].producer);
        ttp_cells_set(&c, 2, k->buffer[i].consumer);
    }
    ttp_cells_text(p->out, &c, p->width, p->color);
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

void ttp_out_fit_text(struct ttp_sink *out, const struct ttp_fit_view *view,
                      struct ttp_arena *arena)
{
    const struct printing p = {out, arena, view->width, view->color};

    put_core(&p, view->core);
    if (view->plan) {
        put_buffers(&p, view);
        put_sweep(&p, view);
    }
    if (view->table)
        put_table(&p, view->table);
    if (view->kernel)
        put_kernel(&p, view->kernel);
    if (view->ops)
        put_ops(&p, view);
}

/* --- what a board can do --- */

/* Where figures are from: each source once, its number behind the figure. */
struct sources {
    const struct ttp_source *at[TTP_FACTS];
    size_t count;
};

static size_t number_of(struct sources *s, const struct ttp_source *source)
{
    size_t i = 0;

    while (i < s->count && s->at[i] != source)
        i++;
    if (i == s->count)
        s->at[s->count++] = source;
    return i + 1;
}

static void add_fact(struct ttp_cells *c, const struct ttp_board *board, int fact,
                     struct sources *sources)
{
    const struct ttp_fact_value *v = &board->fact[fact];
    const struct ttp_fact_spec *spec = &ttp_fact_specs[fact];
    char text[40], number[24];

    ttp_cells_add_row(c);
    ttp_cells_set(c, 0, ttp_str_from(spec->title));
    if (spec->kind == TTP_FACT_VERSION)
        ttp_cells_set(c, 1, ttp_version_text(text, (uint32_t)v->value));
    else if (v->value == floor(v->value))
        set_count(c, 1, (uint64_t)v->value);
    else
        ttp_cells_set(c, 1, (ttp_str){text, ttp_num_f64(text, v->value, TTP_NUM_JSON)});
    ttp_cells_set(c, 2, ttp_str_from(spec->unit));
    snprintf(number, sizeof(number), "[%zu]", number_of(sources, v->source));
    ttp_cells_set(c, 3, ttp_str_from(number));
}

static bool is_guide(int fact)
{
    return fact >= TTP_FACT_STATELESS_GBS_MIN && fact <= TTP_FACT_STATEFUL_GBS_MAX;
}

static void put_facts(const struct printing *p, const struct ttp_board *board, bool guide,
                      struct sources *sources)
{
    static const struct ttp_cell_column columns[] = {
        {"figure", true, 0}, {"value", false, 0}, {"", true, 0}, {"source", true, 0}};
    struct ttp_cells c;

    ttp_cells_init(&c, columns, TTP_COUNT(columns), p->arena);
    c.indent = INDENT;
    for (int f = 0; f < TTP_FACTS; f++)
        if (board->fact[f].source && is_guide(f) == guide)
            add_fact(&c, board, f, sources);
    ttp_cells_text(p->out, &c, p->width, p->color);
}

static void put_rate(const struct printing *p, const char *name, double v, const char *unit,
                     const char *how)
{
    enum { COLUMN = 45 };

    if (isnan(v))
        return;
    ttp_sink_printf(p->out, "  %-26s %9.1f %-4s  ", name, v, unit);
    ttp_paint_wrapped(p->out, ttp_str_from(how), p->width, COLUMN, COLUMN);
}

static void put_rates(const struct printing *p, const struct ttp_board *board)
{
    static const char *const names[] = {"matmul, LoFi", "matmul, HiFi2", "matmul, HiFi3",
                                        "matmul, HiFi4"};
    struct ttp_fit_roofline r;

    ttp_fit_roofline(&r, board);
    for (int f = 0; f < TTP_FIDELITIES; f++)
        put_rate(p, names[f], r.tflops[f], "TF/s", "FLOP per cycle x cores x AI clock");
    put_rate(p, "DRAM", r.dram_gbs, "GB/s",
             "as below; 92 % is reached by readers beside their bank");
    put_rate(p, "PCIe, one direction", r.pcie_gbs, "GB/s", "lanes x speed, coding taken off");
    put_rate(p, "L1 of the grid", r.l1_bytes / 1048576, "MiB", "cores x L1");
    put_rate(p, "both limits meet at, LoFi", r.balance_flop_byte, "FLOP", "per byte of DRAM");
}

void ttp_out_ranges_text(struct ttp_sink *out, const struct ttp_board *board, int width,
                         struct ttp_arena *arena)
{
    const struct printing p = {out, arena, width, false};
    struct sources sources = {.count = 0};

    ttp_sink_printf(out,
                    "%s (%s), per chip unless it says board\n\nMost it can do, by computation\n",
                    board->name, board->chip);
    put_rates(&p, board);
    ttp_sink_own(out, "\nFigures and their sources\n");
    put_facts(&p, board, false, &sources);
    if (board->fact[TTP_FACT_STATELESS_GBS].source) {
        ttp_sink_char(out, '\n');
        ttp_paint_wrapped(out,
                          TTP_STR("One author's pipeline, not a promise: (input + output bytes) x "
                                  "iterations / time"),
                          width, 0, INDENT);
        put_facts(&p, board, true, &sources);
    }
    ttp_sink_char(out, '\n');
    for (size_t i = 0; i < sources.count; i++) {
        const struct ttp_source *s = sources.at[i];
        put_words(&p, "[%zu] %s%s%s", i + 1, s->name, *s->date ? ", " : "", s->date);
    }
}
