/* SPDX-License-Identifier: Apache-2.0 */
/* report_ops.c - the table of ops for human readers: repeated layers, sums, highlights. */
#include <math.h>

#include "base/quantity.h"
#include "outputs/report/first_screen.h"
#include "outputs/report/report_parts.h"

struct ops {
    const struct ttp_report_view *view;
    const size_t *row; /* ops of the table */
    bool markdown;
};

/* What repeats and has this op; NULL: nothing. */
static const struct ttp_fold *find_fold(const struct ttp_fold *item, size_t count, size_t op)
{
    size_t from = 0, to = count;

    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        const struct ttp_fold *f = &item[mid];

        if (op < f->first)
            to = mid;
        else if (op >= f->first + f->rows * f->repeats)
            from = mid + 1;
        else
            return f;
    }
    return NULL;
}

/* The replays or layers that have an op, and the layers inside the first of those replays. */
struct folded {
    const struct ttp_fold *outer, *inner; /* NULL: none */
};

static struct folded fold_of(const struct ttp_report_view *view, size_t op)
{
    const struct ttp_folds *folds = view->all_rows ? view->folds : NULL;

    if (!folds)
        return (struct folded){0};
    return (struct folded){find_fold(folds->item, folds->count, op),
                           find_fold(folds->inner, folds->inners, op)};
}

static bool is_repetition_of(const struct ttp_fold *fold, size_t op)
{
    return fold && op >= fold->first + fold->rows;
}

static size_t repeats_of(struct folded f)
{
    return (f.outer ? f.outer->repeats : 1) * (f.inner ? f.inner->repeats : 1);
}

/* Figures of one op over all repetitions. */
struct spread {
    double time_pct, mean_us, min_us, max_us, mean_gap_us;
    size_t times, gaps;
};

static void add_to_spread(struct spread *s, const struct ttp_op *op)
{
    s->time_pct += op->has & TTP_HAS_TOTAL ? op->total_pct : 0;
    if (op->has & TTP_HAS_TIME) {
        s->mean_us += op->time_us;
        s->min_us = fmin(s->min_us, op->time_us);
        s->max_us = fmax(s->max_us, op->time_us);
        s->times++;
    }
    if (op->has & TTP_HAS_GAP) {
        s->mean_gap_us += op->gap_us;
        s->gaps++;
    }
}

static struct spread spread_of(struct folded f, const struct ttp_op *first)
{
    const size_t inner = f.inner ? f.inner->repeats : 1, count = repeats_of(f);
    struct spread s = {.min_us = INFINITY};

    for (size_t k = 0; k < count; k++)
        add_to_spread(&s, first + (f.outer ? k / inner * f.outer->rows : 0) +
                              (f.inner ? k % inner * f.inner->rows : 0));
    s.mean_us /= s.times ? (double)s.times : 1;
    s.mean_gap_us /= s.gaps ? (double)s.gaps : 1;
    return s;
}

TTP_GET(get_none, void, void, (struct ttp_value){0})

/* Columns that only repeated layers have. */
static const struct ttp_field least = {
    .id = "min_us", .title = "Min", .unit = "us", .type = TTP_F64, .drop = 1, .get = get_none};
static const struct ttp_field most = {
    .id = "max_us", .title = "Max", .unit = "us", .type = TTP_F64, .drop = 1, .get = get_none};

static bool folded_value(struct ttp_value *value, const void *arg, const struct ttp_field *field,
                         const void *row)
{
    const struct ops *o = arg;
    const struct ttp_op *op = row;
    const struct folded fold = fold_of(o->view, (size_t)(op - o->view->report->op));

    if (!fold.outer)
        return false;
    const struct spread s = spread_of(fold, op);
    const struct {
        const char *id;
        bool known;
        double value;
    } figures[] = {{"share_percent", op->has & TTP_HAS_TOTAL, s.time_pct},
                   {"device_us", s.times, s.mean_us},
                   {"min_us", s.times, s.min_us},
                   {"max_us", s.times, s.max_us},
                   {"gap_us", s.gaps, s.mean_gap_us}};
    for (size_t i = 0; i < TTP_COUNT(figures); i++)
        if (figures[i].known && ttp_report_is_field(field, figures[i].id)) {
            *value = ttp_value_f64(figures[i].value);
            return true;
        }
    return false;
}

/* What is above a peak cannot be true, and is marked. */
static bool marked_cell(ttp_str *text, const void *arg, const struct ttp_field *field,
                        const void *row, struct ttp_arena *arena)
{
    const struct ttp_op *op = row;
    const bool dram = ttp_report_is_field(field, "dram_percent");
    const double pct = dram ? op->dram_pct : op->flops_pct;
    struct ttp_sink out;

    (void)arg;
    if (!(dram ? op->has & TTP_HAS_DRAM_PCT
               : ttp_report_is_field(field, "flops_percent") && (op->has & TTP_HAS_FLOPS_PCT)) ||
        !(pct > 100))
        return false;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%.1f!", pct);
    *text = ttp_sink_text(&out);
    return true;
}

static void put_marked(const struct ttp_show *show, const struct ttp_report_view *view,
                       const struct ttp_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct ttp_op *op = t->index[i] == SIZE_MAX ? NULL : &view->report->op[t->index[i]];
        if (!op || !(((op->has & TTP_HAS_DRAM_PCT) && op->dram_pct > 100) ||
                     ((op->has & TTP_HAS_FLOPS_PCT) && op->flops_pct > 100)))
            continue;
        ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show));
        ttp_paint_wrapped(show->out, ttp_str_from(TTP_REPORT_OVER_PEAK), show->width, 0, 2);
        return;
    }
}

/* "replay of trace 0 from LayerNorm 32 x 64", "layer from ...", "the same 3 ops from ..." */
static void put_fold_name(struct ttp_sink *out, const struct ttp_report *r,
                          const struct ttp_fold *f)
{
    const ttp_str first = ttp_sym_name(r->syms, r->op[f->first].name);
    double trace = 0;

    if (f->kind == TTP_FOLD_REPLAY) {
        (void)ttp_analysis_cell(r, &r->op[f->first], TTP_OPS_TRACE_ID, &trace);
        ttp_sink_printf(out, "replay of trace %.0f from %.*s: %zu op%s", trace, TTP_FMT(first),
                        f->rows, f->rows == 1 ? "" : "s");
    } else if (f->kind == TTP_FOLD_LAYER) {
        ttp_sink_printf(out, "layer from %.*s: %zu ops", TTP_FMT(first), f->rows);
    } else if (f->rows > 1) {
        ttp_sink_printf(out, "the same %zu ops from %.*s", f->rows, TTP_FMT(first));
    } else {
        ttp_sink_put(out, first);
    }
}

/* `times`: replays that it is in. */
static void put_fold(struct ttp_sink *out, const struct ttp_report *r, const struct ttp_fold *f,
                     size_t times)
{
    ttp_sink_printf(out, "x%zu ", f->repeats);
    put_fold_name(out, r, f);
    ttp_sink_printf(out, ", %.1f %% of the time, ", f->time_pct);
    ttp_put_time_us(out, f->time_us / (double)(f->repeats * times));
    ttp_sink_put(out, TTP_STR(" each ("));
    ttp_put_time_us(out, f->min_us);
    ttp_sink_put(out, TTP_STR(" to "));
    ttp_put_time_us(out, f->max_us);
    ttp_sink_char(out, ')');
}

static void put_line(struct ttp_sink *out, bool *first, const char *frame)
{
    if (!*first)
        ttp_sink_char(out, '\n');
    ttp_sink_put(out, ttp_str_from(frame));
    *first = false;
}

/* Ends of the boxes before this row, and beginnings of those that it is in. */
static ttp_str fold_lines(const void *arg, size_t i, struct ttp_arena *arena)
{
    const struct ops *o = arg;
    const struct folded none = {0}, before = i ? fold_of(o->view, o->row[i - 1]) : none,
                        now = o->row[i] != SIZE_MAX ? fold_of(o->view, o->row[i]) : none;
    const bool other = before.outer != now.outer, other_inner = before.inner != now.inner;
    struct ttp_sink out;
    bool first = true;

    ttp_sink_to_arena(&out, arena);
    if (before.inner && other_inner && !o->markdown)
        put_line(&out, &first, "│└─");
    if (before.outer && other && !o->markdown)
        put_line(&out, &first, "└─");
    if (now.outer && other) {
        put_line(&out, &first, o->markdown ? "" : "┌─ ");
        put_fold(&out, o->view->report, now.outer, 1);
    }
    if (now.outer && now.inner && other_inner) {
        put_line(&out, &first, o->markdown ? "" : "│┌─ ");
        put_fold(&out, o->view->report, now.inner, now.outer->repeats);
    }
    return ttp_sink_text(&out);
}

/* --- how cells stand out --- */

static enum ttp_tone cores_tone(const struct ttp_op *op)
{
    double cores;

    if (!ttp_cell_f64(op->cores, &cores))
        return TTP_TONE_PLAIN;
    if ((op->has & TTP_DRAM_SHARDED) || cores == (double)op->available_cores)
        return TTP_TONE_GOOD;
    return cores < 10 && cores < (double)op->available_cores / 2 ? TTP_TONE_BAD : TTP_TONE_PLAIN;
}

/* Of a figure next to the peak of DRAM, or of the cores. */
static enum ttp_tone peak_tone(const struct ttp_op *op, bool dram)
{
    switch ((enum ttp_bound)op->bound) {
    case TTP_BOUND_DRAM:
        return dram ? TTP_TONE_GOOD : TTP_TONE_PLAIN;
    case TTP_BOUND_FLOP:
        return dram ? TTP_TONE_PLAIN : TTP_TONE_GOOD;
    case TTP_BOUND_BOTH:
        return TTP_TONE_GOOD;
    case TTP_BOUND_SLOW:
        return dram == (op->dram_pct > op->flops_pct) ? TTP_TONE_WARN : TTP_TONE_PLAIN;
    case TTP_BOUND_HOST:
        return TTP_TONE_BAD;
    default:
        return TTP_TONE_PLAIN;
    }
}

static enum ttp_tone limit_tone(enum ttp_limit limit)
{
    switch (limit) {
    case TTP_LIMIT_DRAM:
    case TTP_LIMIT_FLOP:
    case TTP_LIMIT_BOTH:
        return TTP_TONE_GOOD;
    case TTP_LIMIT_HOST:
        return TTP_TONE_BAD;
    case TTP_LIMIT_NONE:
    case TTP_LIMIT_LINK:
        return TTP_TONE_PLAIN;
    default:
        return TTP_TONE_WARN;
    }
}

static enum ttp_tone op_tone(const void *arg, const struct ttp_field *field, const void *row)
{
    static const enum ttp_tone fidelity[] = {[TTP_FIDELITY_UNKNOWN] = TTP_TONE_PLAIN,
                                             [TTP_FIDELITY_SUFFICIENT] = TTP_TONE_GOOD,
                                             [TTP_FIDELITY_HIGH] = TTP_TONE_BAD,
                                             [TTP_FIDELITY_LOW] = TTP_TONE_CYAN};
    const struct ops *o = arg;
    const struct ttp_op *op = row;
    const bool full = op->analysed == TTP_ANALYSED_FULL;

    if (ttp_report_is_field(field, "op"))
        return op->kind == TTP_OP_HOST
                   ? TTP_TONE_BAD
                   : ttp_out_report_name_tone(ttp_sym_name(o->view->report->syms, op->code));
    if (ttp_report_is_field(field, "bound"))
        return limit_tone(ttp_analysis_limit(op));
    if (ttp_report_is_field(field, "limit"))
        return limit_tone((enum ttp_limit)op->limit);
    if (ttp_report_is_field(field, "dram_gbs") || ttp_report_is_field(field, "dram_percent"))
        return full ? peak_tone(op, true) : TTP_TONE_PLAIN;
    if (ttp_report_is_field(field, "tflops") || ttp_report_is_field(field, "flops_percent"))
        return full ? peak_tone(op, false) : TTP_TONE_PLAIN;
    if (ttp_report_is_field(field, "cores"))
        return cores_tone(op);
    if (ttp_report_is_field(field, "gap_us"))
        return (op->has & TTP_HAS_GAP) && op->gap_us > TTP_GAP_FLAGGED_US ? TTP_TONE_BAD
                                                                          : TTP_TONE_PLAIN;
    return ttp_report_is_field(field, "fidelity") ? fidelity[op->verdict] : TTP_TONE_PLAIN;
}

/* --- sums --- */

/* Over the rows of the view. */
static struct ttp_value sum_shown(const struct ttp_report_view *view, uint32_t has, size_t offset)
{
    struct ttp_sum sum = {0};

    for (size_t i = 0; i < view->rows; i++) {
        const struct ttp_op *op = &view->report->op[view->row[i]];
        double v;

        memcpy(&v, (const char *)op + offset, sizeof(v));
        if ((op->has & has) && v > 0) /* a negative gap is overlap, which costs nothing */
            ttp_analysis_sum_add(&sum, v);
    }
    return ttp_value_f64(ttp_analysis_sum_value(&sum));
}

static struct ttp_value shown_total(const struct ttp_report_view *view,
                                    const struct ttp_field *field, struct ttp_arena *arena)
{
    static const struct {
        const char *id;
        uint32_t has;
        size_t offset;
    } sums[] = {{"share_percent", TTP_HAS_TOTAL, offsetof(struct ttp_op, total_pct)},
                {"device_us", TTP_HAS_TIME, offsetof(struct ttp_op, time_us)},
                {"gap_us", TTP_HAS_GAP, offsetof(struct ttp_op, gap_us)}};

    for (size_t i = 0; i < TTP_COUNT(sums); i++)
        if (ttp_report_is_field(field, sums[i].id))
            return sum_shown(view, sums[i].has, sums[i].offset);
    if (!ttp_report_is_field(field, "op"))
        return (struct ttp_value){0};
    return ttp_value_text(
        ttp_sink_format(arena, "%zu of %zu rows", view->rows, view->report->count));
}

static ttp_str count_ops(const struct ttp_report *r, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%zu device op%s, %zu host op%s", r->device_ops,
                    r->device_ops == 1 ? "" : "s", r->host_ops, r->host_ops == 1 ? "" : "s");
    if (r->signposts)
        ttp_sink_printf(&out, ", %zu signpost%s", r->signposts, r->signposts == 1 ? "" : "s");
    return ttp_sink_text(&out);
}

static struct ttp_value run_total(const struct ttp_report *r, const struct ttp_field *field,
                                  struct ttp_arena *arena)
{
    const struct {
        const char *id;
        bool known;
        double value;
    } totals[] = {{"share_percent", r->time_us > 0, 100},
                  {"device_us", true, r->time_us + r->wait_us},
                  {"gap_us", true, r->gap_us},
                  {"overlap_us", true, r->time_us - r->busy_us},
                  {"dram_gbs", r->has_roofline, r->roofline_gbs},
                  {"dram_percent", r->has_roofline, r->roofline_pct}};

    if (ttp_report_is_field(field, "op"))
        return ttp_value_text(count_ops(r, arena));
    for (size_t i = 0; i < TTP_COUNT(totals); i++)
        if (totals[i].known && ttp_report_is_field(field, totals[i].id))
            return ttp_value_f64(totals[i].value);
    return (struct ttp_value){0};
}

/* What is not in the times of ops, so that shares add up. */
static struct ttp_value wait_total(const struct ttp_report *r, const struct ttp_field *field)
{
    if (ttp_report_is_field(field, "op"))
        return ttp_value_word("waiting for other devices");
    if (ttp_report_is_field(field, "share_percent"))
        return ttp_value_f64(r->wait_us / (r->time_us + r->wait_us) * 100);
    return ttp_report_is_field(field, "device_us") ? ttp_value_f64(r->wait_us)
                                                   : (struct ttp_value){0};
}

static bool has_shown_total(const struct ttp_report_view *view)
{
    return view->rows < view->report->count;
}

static struct ttp_value op_total(const void *arg, size_t which, const struct ttp_field *field,
                                 struct ttp_arena *arena)
{
    const struct ttp_report_view *view = ((const struct ops *)arg)->view;
    const size_t wait = has_shown_total(view) ? 1 : 0;

    if (which < wait)
        return shown_total(view, field, arena);
    return which == wait && view->report->wait_us > 0 ? wait_total(view->report, field)
                                                      : run_total(view->report, field, arena);
}

/* --- which rows and columns --- */

/* Rows of the view but those below the smallest share and those of the host, and of repeated layers
 * the first only; of these all repetitions count. SIZE_MAX ends them. */
static size_t *choose_rows(size_t *count, struct ttp_report_hidden *hidden,
                           const struct ttp_report_view *view, struct ttp_arena *arena)
{
    size_t *row = TTP_NEW(arena, size_t, view->rows + 1);

    *count = 0;
    *hidden = (struct ttp_report_hidden){0};
    for (size_t i = 0; i < view->rows; i++) {
        const size_t at = view->row[i];
        const struct ttp_op *op = &view->report->op[at];
        const struct folded fold = fold_of(view, at);
        const bool captured = op->has & TTP_ONLY_CAPTURED; /* no share of what ran */

        if (is_repetition_of(fold.outer, at) || is_repetition_of(fold.inner, at))
            continue;
        if (op->kind == TTP_OP_HOST && !view->host_ops) {
            hidden->host++;
            continue;
        }
        const double share = captured     ? 0
                             : fold.outer ? spread_of(fold, op).time_pct
                                          : op->total_pct;
        if (op->kind == TTP_OP_DEVICE && (captured || op->has & TTP_HAS_TOTAL) &&
            share < view->min_percentage) {
            hidden->rows += repeats_of(fold);
            hidden->pct += share;
            continue;
        }
        row[(*count)++] = at;
    }
    row[*count] = SIZE_MAX;
    return row;
}

/* One device needs no column. */
static bool has_devices(const struct ttp_report_view *view)
{
    int64_t first = -1;

    for (size_t i = 0; i < view->rows; i++) {
        const struct ttp_op *op = &view->report->op[view->row[i]];

        if (!(op->has & TTP_HAS_DEVICE))
            continue;
        if (first >= 0 && first != op->device)
            return true;
        first = op->device;
    }
    return false;
}

static void choose_columns(struct ttp_table *t, const struct ttp_report_view *view,
                           struct ttp_arena *arena)
{
    const struct ttp_field **column =
        TTP_NEW(arena, const struct ttp_field *, ttp_op_fields.count + 2);
    const bool devices = has_devices(view);
    size_t n = 0;

    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const struct ttp_field *f = &ttp_op_fields.field[i];

        if (!f->in_table || (ttp_report_is_field(f, "device") && !devices) ||
            (ttp_report_is_field(f, "available_cores") && !view->report->partitioned))
            continue;
        column[n++] = f;
        if (ttp_report_is_field(f, "device_us")) {
            column[n++] = &least;
            column[n++] = &most;
        }
    }
    t->column = column;
    t->columns = n;
    t->may_drop = true;
}

static void put_hidden(const struct ttp_show *show, const struct ttp_report_view *view,
                       const struct ttp_report_hidden *hidden)
{
    const bool one = hidden->rows == 1;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, show->arena);
    ttp_sink_printf(&text,
                    "%zu %s below %g %% %s hidden, together %.1f %% (--min-percentage 0 shows %s)",
                    hidden->rows, one ? "row" : "rows", view->min_percentage, one ? "is" : "are",
                    hidden->pct, one ? "it" : "them");
    ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show));
    ttp_paint_wrapped(show->out, ttp_sink_text(&text), show->width, 0, 2);
}

static void put_slowest(const struct ttp_show *show, const struct ttp_report *report)
{
    const ttp_str note = ttp_out_report_slowest(report, show->arena);

    if (note.len == 0)
        return;
    ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show));
    ttp_paint_wrapped(show->out, note, show->width, 0, 2);
}

void ttp_out_report_page_ops(const struct ttp_show *show, const void *arg, size_t part,
                             const struct ttp_table *table)
{
    const struct ttp_report_view *view = arg;
    struct ops o = {.view = view, .markdown = ttp_report_is_markdown(show)};
    struct ttp_table t = *table;
    struct ttp_report_hidden hidden;

    (void)part;
    if (view->rows == 0) {
        if (view->report->count)
            ttp_sink_printf(show->out, "all %zu operations are filtered out\n",
                            view->report->count);
        else
            ttp_sink_own(show->out, "no operations to show\n");
        return;
    }
    o.row = choose_rows(&t.count, &hidden, view, show->arena);
    t.index = o.row;
    if (t.columns == 0)
        choose_columns(&t, view, show->arena);
    t.arg = &o;
    t.ruled = true;
    if (view->folds && view->all_rows) {
        t.value = folded_value;
        t.above = fold_lines;
        t.above_tone = TTP_TONE_CYAN;
    }
    t.cell = marked_cell;
    t.tone = op_tone;
    t.foot = op_total;
    t.feet = 1 + has_shown_total(view) + (view->report->wait_us > 0);
    ttp_show_table(show, &t);
    put_marked(show, view, &t);
    put_slowest(show, view->report);
    if (hidden.rows)
        put_hidden(show, view, &hidden);
    if (hidden.host) {
        ttp_sink_repeat(show->out, '\n', ttp_report_is_markdown(show));
        ttp_sink_printf(show->out, "%zu host op%s not shown (--host-ops)\n", hidden.host,
                        hidden.host == 1 ? "" : "s");
    }
}
