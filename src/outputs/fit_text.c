/* SPDX-License-Identifier: Apache-2.0 */
/* What fits a core, and what a board can do, for people. */
#include <math.h>
#include <stdio.h>

#include "outputs/outputs.h"
#include "outputs/paint.h"

static void put_size(struct ttp_sink *out, uint64_t bytes)
{
    char digits[TTP_NUM_MAX];
    const size_t n = ttp_num_i64_grouped(digits, (int64_t)bytes);

    ttp_sink_printf(out, "%.*s B", (int)n, digits);
    if (bytes >= 1 << 20)
        ttp_sink_printf(out, " (%.1f MiB)", (double)bytes / (1 << 20));
    else if (bytes >= 1024)
        ttp_sink_printf(out, " (%.1f KiB)", (double)bytes / 1024);
}

static void put_line(struct ttp_sink *out, const char *name, uint64_t bytes, const char *note)
{
    ttp_sink_printf(out, "  %-12s ", name);
    put_size(out, bytes);
    ttp_sink_printf(out, "%s%s\n", *note ? "  " : "", note);
}

static void put_verdict(struct ttp_sink *out, bool good, const char *word, bool color)
{
    if (color)
        ttp_paint_themed(out, good ? TTP_GREEN : TTP_RED, ttp_str_from(word));
    else
        ttp_sink_put(out, ttp_str_from(word));
}

static void put_core(struct ttp_sink *out, const struct ttp_fit_core *core)
{
    char note[200];

    ttp_sink_printf(out, "A core of board %s (%s)\n", core->board->name, core->board->chip);
    put_line(out, "L1", core->l1_bytes, core->l1_source ? core->l1_source->name : "--l1");
    if (core->reserved_source)
        snprintf(note, sizeof(note), "%s, %s", core->reserved_source->name,
                 core->reserved_source->date);
    else
        snprintf(note, sizeof(note), "%s",
                 core->reserved_bytes ? "--reserved" : "none, or not known");
    put_line(out, "reserved", core->reserved_bytes, note);
    if (core->other_bytes)
        put_line(out, "other", core->other_bytes, "--other");
}

/* --- buffers --- */

static void put_buffers(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    const struct ttp_fit_plan *plan = view->plan;

    ttp_sink_printf(out, "\n  %-24s %10s %12s %12s  %s\n", "buffer", "tile B", "block B", "total B",
                    "largest block with the others as they are");
    for (size_t i = 0; i < view->buffers; i++) {
        const struct ttp_fit_buffer *b = &view->buffer[i];

        ttp_sink_printf(out, "  %-24.*s %10llu %12llu %12llu  ", TTP_FMT(b->text),
                        (unsigned long long)b->tile_bytes, (unsigned long long)b->block_bytes,
                        (unsigned long long)b->bytes);
        if (b->max_tiles == 0)
            ttp_sink_put(out, TTP_STR("not even one tile\n"));
        else
            ttp_sink_printf(out, "%llu tiles: %llux%u or %ux%llu\n",
                            (unsigned long long)b->max_tiles, (unsigned long long)b->max_rows,
                            b->cols, b->rows, (unsigned long long)b->max_cols);
    }
    ttp_sink_char(out, '\n');
    put_line(out, "buffers", plan->buffer_bytes, "");
    put_line(out, plan->fits ? "left" : "too much",
             plan->fits ? plan->left_bytes : plan->over_bytes, "");
    ttp_sink_put(out, TTP_STR("  "));
    put_verdict(out, plan->fits, plan->fits ? "FITS" : "DOES NOT FIT", view->color);
    ttp_sink_printf(out, ", %.1f %% of what is free",
                    plan->available_bytes
                        ? 100 * (double)plan->buffer_bytes / (double)plan->available_bytes
                        : 0.0);
    if (plan->fits)
        ttp_sink_printf(out, "; all blocks can be %llu times as large",
                        (unsigned long long)plan->scale_all);
    else
        ttp_sink_printf(out, "; all blocks must shrink to %.0f %%",
                        floor(100 * (double)plan->available_bytes / (double)plan->buffer_bytes));
    ttp_sink_char(out, '\n');
}

static void put_sweep(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    ttp_sink_printf(out,
                    "\n  Block sizes, all buffers alike, and how often a tensor of %llux%llu is "
                    "moved a block at a time\n",
                    (unsigned long long)view->tensor[0], (unsigned long long)view->tensor[1]);
    ttp_sink_printf(out, "  %-8s %14s %12s\n", "block", "buffers B", "transfers");
    for (size_t i = 0; i < view->plan->steps; i++) {
        const struct ttp_fit_step *s = &view->plan->step[i];
        char block[32];

        snprintf(block, sizeof(block), "%ux%u", s->edge, s->edge);
        ttp_sink_printf(out, "  %-8s %14llu %12llu  %s%s\n", block, (unsigned long long)s->bytes,
                        (unsigned long long)s->transfers, s->fits ? "fits" : "does not fit",
                        s->edge > 8 ? "; matmuls lose about 30 % beyond 8 (TT-Lang notes)" : "");
    }
}

/* --- tables --- */

static void put_split(struct ttp_sink *out, const struct ttp_fit_table *t)
{
    switch (t->place) {
    case TTP_FIT_ONE_CORE:
        ttp_sink_put(out,
                     TTP_STR("  keep it in the L1 of one core, or of each core that reads it\n"));
        break;
    case TTP_FIT_GRID:
        ttp_sink_printf(out,
                        "  shard it by rows over %llu cores, %llu rows each; all %llu cores: %llu "
                        "rows each\n",
                        (unsigned long long)t->cores_needed, (unsigned long long)t->rows_per_core,
                        (unsigned long long)t->cores,
                        (unsigned long long)((t->rows + t->cores - 1) / t->cores));
        break;
    case TTP_FIT_DRAM:
        ttp_sink_put(out, TTP_STR("  keep it in DRAM, interleaved over the banks"));
        if (t->rows_in_grid)
            ttp_sink_printf(out, ", and the hottest %llu rows in L1; or spread it over %llu chips",
                            (unsigned long long)t->rows_in_grid,
                            (unsigned long long)t->chips_needed);
        ttp_sink_char(out, '\n');
        break;
    case TTP_FIT_NOWHERE:
        ttp_sink_put(out,
                     TTP_STR("  more than the chip's DRAM: split it over chips, or use a narrower "
                             "format\n"));
        break;
    }
}

static void put_table(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    static const char *const places[] = {"one core", "the grid, sharded", "DRAM",
                                         "nowhere on one chip"};
    const struct ttp_fit_table *t = view->table;

    ttp_sink_printf(out, "\nTable of %llu x %llu %s\n", (unsigned long long)t->rows,
                    (unsigned long long)t->cols, ttp_dtype_name(t->type));
    put_line(out, "needs", t->bytes, "");
    put_line(out, "one core", t->core_bytes, t->bytes <= t->core_bytes ? "fits" : "does not fit");
    put_line(out, "the grid", t->grid_bytes, t->cores_needed ? "fits" : "does not fit");
    if (t->dram_bytes)
        put_line(out, "DRAM", t->dram_bytes, t->bytes <= t->dram_bytes ? "fits" : "does not fit");
    ttp_sink_printf(out, "  %-12s ", "goes to");
    put_verdict(out, t->place <= TTP_FIT_GRID, places[t->place], view->color);
    ttp_sink_char(out, '\n');
    put_split(out, t);
}

/* --- a run --- */

static void put_ops(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    const uint64_t taken = view->core->reserved_bytes + view->core->other_bytes;
    const uint64_t room = view->core->l1_bytes > taken ? view->core->l1_bytes - taken : 0;

    if (view->nops == 0) {
        ttp_sink_put(out, TTP_STR("\nNo operation of the run has a tensor in L1.\n"));
        return;
    }
    ttp_sink_printf(out, "\n  %6s  %-36s %6s %11s %11s %11s %11s %11s\n", "ID", "op", "cores",
                    "input 0 B", "input 1 B", "output B", "per core B", "left B");
    for (size_t i = 0; i < view->nops; i++) {
        const struct ttp_fit_op *o = &view->op[i];
        const ttp_sym code = ttp_ops_sym(view->ops, TTP_OPS_CODE, o->row);
        const ttp_str name =
            code == TTP_SYM_MISSING ? TTP_STR("?") : ttp_sym_name(&view->ops->syms, code);

        ttp_sink_printf(out, "  %6zu  %-36.*s %6llu %11llu %11llu %11llu %11llu ", o->row + 2,
                        (int)(name.len < 36 ? name.len : 36), name.ptr,
                        (unsigned long long)o->cores, (unsigned long long)o->bytes[0],
                        (unsigned long long)o->bytes[1], (unsigned long long)o->bytes[2],
                        (unsigned long long)o->total_bytes);
        if (o->total_bytes <= room)
            ttp_sink_printf(out, "%11llu\n", (unsigned long long)(room - o->total_bytes));
        else
            ttp_sink_printf(out, "%11s\n", "none");
    }
    ttp_sink_put(out,
                 TTP_STR("  left is for the op's own circular buffers; tensors that live longer "
                         "take from it too\n"));
}

static void put_kernel(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    const struct ttp_fit_kernel *k = view->kernel;

    ttp_sink_printf(out, "\nDataflow buffers of %.*s: %zu\n",
                    TTP_FMT(k->program.len ? k->program : TTP_STR("the kernel")), k->buffers);
    ttp_sink_printf(out, "  %6s  %-28s %s\n", "buffer", "filled by", "emptied by");
    for (size_t i = 0; i < k->buffers; i++)
        ttp_sink_printf(out, "  %6lld  %-28.*s %.*s\n", (long long)k->buffer[i].index,
                        (int)(k->buffer[i].producer.len < 28 ? k->buffer[i].producer.len : 28),
                        k->buffer[i].producer.ptr, TTP_FMT(k->buffer[i].consumer));
    if (k->blocks_bytes == 0) {
        ttp_sink_put(out, TTP_STR("  how large they are is not known: a flow graph does not say "
                                  "it, and there are no NoC traces of its transfers\n"));
        return;
    }
    ttp_sink_printf(
        out, "  one block of each, from its transfers%s: ", k->at_least ? " (at least)" : "");
    put_size(out, k->blocks_bytes);
    ttp_sink_put(out, TTP_STR("\n  two blocks of each: "));
    put_size(out, k->bytes);
    ttp_sink_put(out, TTP_STR(" of "));
    put_size(out, k->available_bytes);
    ttp_sink_put(out, TTP_STR("; "));
    put_verdict(out, k->fits, k->fits ? "fits" : "does not fit", view->color);
    if (k->scale > 1)
        ttp_sink_printf(out, "; blocks may be %llu times as large", (unsigned long long)k->scale);
    ttp_sink_char(out, '\n');
}

void ttp_out_fit_text(struct ttp_sink *out, const struct ttp_fit_view *view)
{
    put_core(out, view->core);
    if (view->plan) {
        put_buffers(out, view);
        put_sweep(out, view);
    }
    if (view->table)
        put_table(out, view);
    if (view->kernel)
        put_kernel(out, view);
    if (view->ops)
        put_ops(out, view);
}

/* --- what a board can do --- */

static void put_fact(struct ttp_sink *out, const struct ttp_board *board, int fact)
{
    const struct ttp_fact_value *v = &board->fact[fact];
    const struct ttp_fact_spec *spec = &ttp_fact_specs[fact];
    char text[40];

    if (spec->kind == TTP_FACT_VERSION) {
        const ttp_str version = ttp_version_text(text, (uint32_t)v->value);
        text[version.len] = '\0';
    } else {
        text[ttp_num_f64(text, v->value, TTP_NUM_JSON)] = '\0';
    }
    ttp_sink_printf(out, "  %-34s %14s %-5s  %s%s%s\n", spec->title, text, spec->unit,
                    v->source->name, *v->source->date ? ", " : "", v->source->date);
}

static void put_rate(struct ttp_sink *out, const char *name, double v, const char *unit,
                     const char *how)
{
    if (!isnan(v))
        ttp_sink_printf(out, "  %-34s %14.1f %-5s  %s\n", name, v, unit, how);
}

static bool is_guide(int fact)
{
    return fact >= TTP_FACT_STATELESS_GBS_MIN && fact <= TTP_FACT_STATEFUL_GBS_MAX;
}

void ttp_out_ranges_text(struct ttp_sink *out, const struct ttp_board *board)
{
    static const char *const names[] = {"matmul, LoFi", "matmul, HiFi2", "matmul, HiFi3",
                                        "matmul, HiFi4"};
    struct ttp_fit_roofline r;

    ttp_fit_roofline(&r, board);
    ttp_sink_printf(out,
                    "%s (%s), per chip unless it says board\n\nMost it can do, by computation\n",
                    board->name, board->chip);
    for (int f = 0; f < TTP_FIDELITIES; f++)
        put_rate(out, names[f], r.tflops[f], "TF/s",
                 "FLOP per cycle x cores of the grid x AI clock");
    put_rate(out, "DRAM", r.dram_gbs, "GB/s",
             "as below; 92 % is reached by readers beside their bank");
    put_rate(out, "PCIe, one direction", r.pcie_gbs, "GB/s", "lanes x speed, coding taken off");
    put_rate(out, "L1 of the grid", r.l1_bytes / 1048576, "MiB", "cores x L1");
    put_rate(out, "both limits meet at, LoFi", r.balance_flop_byte, "FLOP", "per byte of DRAM");
    ttp_sink_put(out, TTP_STR("\nFigures and their sources\n"));
    for (int f = 0; f < TTP_FACTS; f++)
        if (board->fact[f].source && !is_guide(f))
            put_fact(out, board, f);
    if (!board->fact[TTP_FACT_STATELESS_GBS].source)
        return;
    ttp_sink_put(out, TTP_STR("\nOne author's pipeline, not a promise: (input + output bytes) x "
                              "iterations / time\n"));
    for (int f = 0; f < TTP_FACTS; f++)
        if (board->fact[f].source && is_guide(f))
            put_fact(out, board, f);
}
