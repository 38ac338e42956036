/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/report_grid.h"
#include "base/gate.h"

#include <math.h>

#include "base/python_text.h"

#define SEPARATION 2
#define NAME_MIN   28 /* a name is shortened to this before more columns go */
#define NAME_LEAST 8  /* and to this when none is left to go */

static struct ttp_spread spread_of(const struct ttp_grid *g, const struct ttp_grid_row *row)
{
    const struct ttp_report *report = g->view->report;
    const size_t place = (size_t)(row->op - report->op);
    struct ttp_spread s = {.min_us = INFINITY};
    size_t times = 0, gaps = 0;

    for (size_t k = 0; k < row->fold->repeats; k++) {
        const struct ttp_op *op = &report->op[place + k * row->fold->rows];
        s.time_pct += op->has & TTP_HAS_TOTAL ? op->total_pct : 0;
        if (op->has & TTP_HAS_TIME) {
            s.mean_us += op->time_us;
            s.min_us = fmin(s.min_us, op->time_us);
            s.max_us = fmax(s.max_us, op->time_us);
            times++;
        }
        if (op->has & TTP_HAS_GAP) {
            s.mean_gap_us += op->gap_us;
            gaps++;
        }
    }
    s.has_time = times;
    s.has_gap = gaps;
    s.mean_us /= times ? (double)times : 1;
    s.mean_gap_us /= gaps ? (double)gaps : 1;
    return s;
}

/* The row, unless it is below the smallest share; of a folded one all repetitions count. */
static void add_row(struct ttp_grid *g, const struct ttp_op *op, const struct ttp_fold *fold)
{
    const struct ttp_grid_row row = {TTP_GRID_OP, op, fold};
    const bool captured = op->has & TTP_ONLY_CAPTURED; /* no share of what ran */
    const double share = captured ? 0 : fold ? spread_of(g, &row).time_pct : op->total_pct;

    if (op->kind == TTP_OP_DEVICE && (captured || op->has & TTP_HAS_TOTAL) &&
        share < g->view->min_percentage) {
        g->hidden += fold ? fold->repeats : 1;
        g->hidden_pct += share;
        return;
    }
    g->row[g->rows++] = row;
}

/* Rows in the order of the view; of repeated layers the first only, unless the view picked rows of
 * its own. */
static void choose_rows(struct ttp_grid *g, struct ttp_arena *arena)
{
    const struct ttp_report_view *view = g->view;
    const struct ttp_folds *folds = view->all_rows ? view->folds : NULL;
    size_t next_fold = 0;

    g->row = TTP_NEW(arena, struct ttp_grid_row, view->rows + (folds ? 2 * folds->count : 0));
    for (size_t i = 0; i < view->rows; i++) {
        if (folds && next_fold < folds->count && folds->item[next_fold].first == i) {
            const struct ttp_fold *f = &folds->item[next_fold++];
            g->row[g->rows++] = (struct ttp_grid_row){TTP_GRID_FOLD_HEAD, NULL, f};
            for (size_t k = 0; k < f->rows; k++)
                add_row(g, &view->report->op[i + k], f);
            g->row[g->rows++] = (struct ttp_grid_row){TTP_GRID_FOLD_END, NULL, f};
            i += f->rows * f->repeats - 1;
        } else {
            add_row(g, &view->report->op[view->row[i]], NULL);
        }
    }
}

/* Does any row say something in this column? */
static bool is_used(const struct ttp_report_view *view, const struct ttp_field *c)
{
    const ttp_str id = ttp_str_from(c->id);
    int64_t first = -1;

    if (ttp_str_eq(id, TTP_STR("available_cores")))
        return view->report->partitioned;
    if (!ttp_str_eq(id, TTP_STR("device"))) {
        for (size_t i = 0; i < view->rows; i++)
            if (c->get(view->report, &view->report->op[view->row[i]]).kind != TTP_VALUE_NONE)
                return true;
        return false;
    }
    for (size_t i = 0; i < view->rows; i++) { /* one device needs no column */
        const struct ttp_op *op = &view->report->op[view->row[i]];
        if (!(op->has & TTP_HAS_DEVICE))
            continue;
        if (first >= 0 && first != op->device)
            return true;
        first = op->device;
    }
    return false;
}

static void choose_columns(struct ttp_grid *g, struct ttp_arena *arena)
{
    const struct ttp_report_view *view = g->view;
    const struct ttp_field *all = ttp_op_fields.field;
    const size_t count = ttp_op_fields.count;

    g->column = TTP_NEW(arena, const struct ttp_field *, view->column ? view->columns : count);
    if (view->column) {
        for (; g->columns < view->columns; g->columns++)
            g->column[g->columns] = view->column[g->columns];
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].in_table && (all[i].drop == 0 || is_used(view, &all[i])))
            g->column[g->columns++] = &all[i];
}

/* "54 (51–56)", or "8" where all are 8. */
static void put_spread(struct ttp_sink *out, const struct ttp_spread *s)
{
    ttp_sink_fixed(out, s->mean_us, 0, true);
    if (round(s->min_us) == round(s->max_us))
        return;
    ttp_sink_put(out, TTP_STR(" ("));
    ttp_sink_fixed(out, s->min_us, 0, true);
    ttp_sink_put(out, TTP_STR("–"));
    ttp_sink_fixed(out, s->max_us, 0, true);
    ttp_sink_char(out, ')');
}

static ttp_str full_cell(const struct ttp_grid *g, const struct ttp_grid_row *row, size_t column,
                         struct ttp_arena *arena)
{
    const struct ttp_field *c = g->column[column];
    struct ttp_value v = c->get(g->view->report, row->op);
    const ttp_str id = ttp_str_from(c->id);
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (row->fold) {
        const struct ttp_spread s = spread_of(g, row);
        if (ttp_str_eq(id, TTP_STR("total_pct")))
            v.v.f = s.time_pct;
        else if (ttp_str_eq(id, TTP_STR("device_time_us")) && s.has_time) {
            put_spread(&out, &s);
            return ttp_sink_text(&out);
        } else if (ttp_str_eq(id, TTP_STR("gap_us")) && s.has_gap) {
            v = (struct ttp_value){TTP_VALUE_REAL, {.f = s.mean_gap_us}};
        }
    }
    switch (v.kind) {
    case TTP_VALUE_INT:
        ttp_sink_i64(&out, v.v.i);
        break;
    case TTP_VALUE_REAL:
        ttp_sink_fixed(&out, v.v.f, c->digits, true);
        break;
    case TTP_VALUE_TEXT:
    case TTP_VALUE_BOOL:
        return ttp_str_eq(id, TTP_STR("op")) ? ttp_paint_brief_name(v.v.text, arena) : v.v.text;
    default:
        break;
    }
    return ttp_sink_text(&out);
}

void ttp_grid_init(struct ttp_grid *g, const struct ttp_report_view *view, struct ttp_arena *arena)
{
    *g = (struct ttp_grid){.view = view, .shows_part = view->rows < view->report->count};
    choose_rows(g, arena);
    choose_columns(g, arena);
    g->width = TTP_NEW(arena, size_t, g->columns);
    g->dropped = TTP_NEW(arena, const struct ttp_field *, g->columns);
    struct ttp_arena scratch = {0};
    for (size_t c = 0; c < g->columns; c++) {
        const size_t title = ttp_str_code_points(ttp_str_from(g->column[c]->title));
        const size_t total = ttp_python_visible(ttp_grid_total(g, c, TTP_TOTAL_RUN, &scratch));
        g->width[c] = total > title ? total : title;
    }
    for (size_t r = 0; r < g->rows; r++) {
        const struct ttp_mark mark = ttp_arena_mark(&scratch);
        for (size_t c = 0; c < g->columns && g->row[r].kind == TTP_GRID_OP; c++) {
            const size_t n =
                ttp_str_code_points(ttp_gate_text(&scratch, full_cell(g, &g->row[r], c, &scratch)));
            g->width[c] = n > g->width[c] ? n : g->width[c];
        }
        ttp_arena_rewind(&scratch, mark);
    }
    ttp_arena_free(&scratch);
}

static size_t total_width(const struct ttp_grid *g)
{
    size_t width = g->columns ? SEPARATION * (g->columns - 1) : 0;

    for (size_t c = 0; c < g->columns; c++)
        width += g->width[c];
    return width;
}

static size_t widest_name(const struct ttp_grid *g)
{
    size_t best = 0;

    for (size_t c = 1; c < g->columns; c++)
        if (g->column[c]->left && (!g->column[best]->left || g->width[c] > g->width[best]))
            best = c;
    return best;
}

static bool drop_one(struct ttp_grid *g)
{
    size_t worst = 0;

    for (size_t c = 1; c < g->columns; c++)
        if (g->column[c]->drop >= g->column[worst]->drop)
            worst = c;
    if (g->columns < 2 || g->column[worst]->drop == 0 || g->view->column) /* who asks gets them */
        return false;
    size_t at = g->ndropped++; /* all are of one array, in their order */
    for (; at > 0 && g->dropped[at - 1] > g->column[worst]; at--)
        g->dropped[at] = g->dropped[at - 1];
    g->dropped[at] = g->column[worst];
    g->columns--;
    for (size_t c = worst; c < g->columns; c++) {
        g->column[c] = g->column[c + 1];
        g->width[c] = g->width[c + 1];
    }
    return true;
}

/* Names give way first, down to a readable length, then columns by their order, then names again.
 */
void ttp_grid_fit(struct ttp_grid *g, size_t width)
{
    size_t least = NAME_MIN;

    while (width && g->columns && total_width(g) > width) {
        const size_t name = widest_name(g), excess = total_width(g) - width;
        const size_t spare =
            g->column[name]->left && g->width[name] > least ? g->width[name] - least : 0;

        if (spare >= excess || least == NAME_LEAST) {
            g->width[name] -= spare < excess ? spare : excess;
            if (spare < excess) /* as narrow as it gets */
                break;
        } else if (!drop_one(g)) {
            least = NAME_LEAST;
        }
    }
}

ttp_str ttp_grid_cell(const struct ttp_grid *g, const struct ttp_grid_row *row, size_t column,
                      struct ttp_arena *arena)
{
    const ttp_str text = ttp_gate_text(arena, full_cell(g, row, column, arena));
    return g->column[column]->left ? ttp_paint_shorten(text, g->width[column], arena) : text;
}

static enum ttp_color cores_color(const struct ttp_op *op)
{
    double cores;

    if (!ttp_cell_f64(op->cores, &cores))
        return TTP_PLAIN;
    if ((op->has & TTP_DRAM_SHARDED) || cores == (double)op->available_cores)
        return TTP_GREEN;
    return cores < 10 && cores < (double)op->available_cores / 2 ? TTP_RED : TTP_PLAIN;
}

static enum ttp_color bound_color(const struct ttp_op *op, bool dram, bool flops)
{
    switch ((enum ttp_bound)op->bound) {
    case TTP_BOUND_DRAM:
        return flops ? TTP_PLAIN : TTP_GREEN;
    case TTP_BOUND_FLOP:
        return dram ? TTP_PLAIN : TTP_GREEN;
    case TTP_BOUND_BOTH:
        return TTP_GREEN;
    case TTP_BOUND_SLOW:
        if (!dram && !flops)
            return TTP_YELLOW;
        return dram == (op->dram_pct > op->flops_pct) ? TTP_YELLOW : TTP_PLAIN;
    case TTP_BOUND_HOST:
        return TTP_RED;
    default:
        return TTP_PLAIN;
    }
}

static enum ttp_color fidelity_color(const struct ttp_op *op)
{
    static const enum ttp_color colors[] = {[TTP_FIDELITY_UNKNOWN] = TTP_PLAIN,
                                            [TTP_FIDELITY_SUFFICIENT] = TTP_GREEN,
                                            [TTP_FIDELITY_HIGH] = TTP_RED,
                                            [TTP_FIDELITY_LOW] = TTP_CYAN};
    return colors[op->verdict];
}

enum ttp_color ttp_grid_color(const struct ttp_grid *g, const struct ttp_grid_row *row,
                              size_t column)
{
    const struct ttp_op *op = row->op;
    const ttp_str id = ttp_str_from(g->column[column]->id);

    if (ttp_str_eq(id, TTP_STR("op")))
        return op->kind == TTP_OP_HOST
                   ? TTP_RED
                   : ttp_paint_op_color(ttp_sym_name(g->view->report->syms, op->code));
    if (ttp_str_eq(id, TTP_STR("bound")))
        return bound_color(op, false, false);
    if (ttp_str_starts(id, TTP_STR("dram_")) && op->analysed == TTP_ANALYSED_FULL)
        return bound_color(op, true, false);
    if (ttp_str_eq(id, TTP_STR("tflops")) || ttp_str_eq(id, TTP_STR("flops_pct")))
        return op->analysed == TTP_ANALYSED_FULL ? bound_color(op, false, true) : TTP_PLAIN;
    if (ttp_str_eq(id, TTP_STR("cores")))
        return cores_color(op);
    if (ttp_str_eq(id, TTP_STR("gap_us")))
        return (op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US ? TTP_RED : TTP_PLAIN;
    return ttp_str_eq(id, TTP_STR("fidelity")) ? fidelity_color(op) : TTP_PLAIN;
}

static void put_count(struct ttp_sink *out, const char *separator, size_t n, const char *what)
{
    ttp_sink_printf(out, "%s%zu %s%s", separator, n, what, n == 1 ? "" : "s");
}

/* Sum over the rows of the view. */
static double sum_shown(const struct ttp_grid *g, uint32_t has, size_t offset)
{
    struct ttp_sum sum = {0};

    for (size_t i = 0; i < g->view->rows; i++) {
        const struct ttp_op *op = &g->view->report->op[g->view->row[i]];
        double v;

        memcpy(&v, (const char *)op + offset, sizeof(v));
        if ((op->has & has) && v > 0) /* a negative gap is overlap, which costs nothing */
            ttp_sum_add(&sum, v);
    }
    return ttp_sum_value(&sum);
}

static void put_shown(const struct ttp_grid *g, ttp_str id, int digits, struct ttp_sink *out)
{
    if (ttp_str_eq(id, TTP_STR("op")))
        ttp_sink_printf(out, "%zu of %zu rows", g->view->rows, g->view->report->count);
    else if (ttp_str_eq(id, TTP_STR("total_pct")))
        ttp_sink_fixed(out, sum_shown(g, TTP_HAS_TOTAL, offsetof(struct ttp_op, total_pct)), digits,
                       true);
    else if (ttp_str_eq(id, TTP_STR("device_time_us")))
        ttp_sink_fixed(out, sum_shown(g, TTP_HAS_TIME, offsetof(struct ttp_op, time_us)), digits,
                       true);
    else if (ttp_str_eq(id, TTP_STR("gap_us")))
        ttp_sink_fixed(out, sum_shown(g, TTP_HAS_GAP, offsetof(struct ttp_op, gap_us)), digits,
                       true);
}

static void put_run(const struct ttp_grid *g, ttp_str id, int digits, struct ttp_sink *out)
{
    const struct ttp_report *r = g->view->report;

    if (ttp_str_eq(id, TTP_STR("op"))) {
        put_count(out, "", r->device_ops, "device op");
        put_count(out, ", ", r->host_ops, "host op");
        if (r->signposts)
            put_count(out, ", ", r->signposts, "signpost");
    } else if (ttp_str_eq(id, TTP_STR("total_pct")) && r->time_us + r->gap_us > 0) {
        ttp_sink_fixed(out, 100, digits, true);
    } else if (ttp_str_eq(id, TTP_STR("device_time_us"))) {
        ttp_sink_fixed(out, r->time_us, digits, true);
    } else if (ttp_str_eq(id, TTP_STR("gap_us"))) {
        ttp_sink_fixed(out, r->gap_us, digits, true);
    } else if (ttp_str_eq(id, TTP_STR("overlap_us"))) {
        ttp_sink_fixed(out, r->time_us - r->busy_us, digits, true);
    } else if (r->has_roofline && ttp_str_eq(id, TTP_STR("dram_gbs"))) {
        ttp_sink_fixed(out, r->roofline_gbs, digits, true);
    } else if (r->has_roofline && ttp_str_eq(id, TTP_STR("dram_pct"))) {
        ttp_sink_fixed(out, r->roofline_pct, digits, true);
    }
}

ttp_str ttp_grid_total(const struct ttp_grid *g, size_t column, enum ttp_grid_total which,
                       struct ttp_arena *arena)
{
    const struct ttp_field *c = g->column[column];
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (which == TTP_TOTAL_SHOWN)
        put_shown(g, ttp_str_from(c->id), c->digits, &out);
    else
        put_run(g, ttp_str_from(c->id), c->digits, &out);
    return c->left && g->width[column]
               ? ttp_paint_shorten(ttp_sink_text(&out), g->width[column], arena)
               : ttp_sink_text(&out);
}

ttp_str ttp_grid_fold_text(const struct ttp_fold *f, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "x%zu: %zu op%s repeated, %.1f %% of the run, ", f->repeats, f->rows,
                    f->rows == 1 ? "" : "s", f->time_pct);
    ttp_sink_fixed(&out, f->time_us / (double)f->repeats, 0, true);
    ttp_sink_put(&out, TTP_STR(" μs each ("));
    ttp_sink_fixed(&out, f->min_us, 0, true);
    ttp_sink_put(&out, TTP_STR("–"));
    ttp_sink_fixed(&out, f->max_us, 0, true);
    ttp_sink_char(&out, ')');
    return ttp_sink_text(&out);
}
