/* SPDX-License-Identifier: Apache-2.0 */
/* report_text.c - the report for a terminal. */
#include "base/gate.h"
#include "base/python_text.h"
#include "outputs/advice_groups.h"
#include "outputs/report_grid.h"
#include "outputs/report_writers.h"

#define BAR_MAX 30

struct page {
    struct ttp_sink *out;
    const struct ttp_report_view *view;
    struct ttp_arena *arena;
};

static void paint(const struct page *p, enum ttp_color color, ttp_str text)
{
    if (text.len) /* nothing in colour would keep blanks at the end of the line */
        ttp_paint_themed(p->out, p->view->color ? color : TTP_PLAIN, text);
}

static void put_padded(const struct page *p, ttp_str text, size_t width, bool left,
                       enum ttp_color color)
{
    const size_t n = ttp_sink_columns(p->out, text), pad = n < width ? width - n : 0;

    ttp_sink_repeat(p->out, ' ', left ? 0 : pad);
    paint(p, color, text);
    ttp_sink_repeat(p->out, ' ', left ? pad : 0);
}

/* Lines end where the text does. */
static void end_line(const struct page *p, size_t line_start)
{
    if (p->out->len > line_start)
        while (p->out->len > line_start && p->out->buf[p->out->len - 1] == ' ')
            p->out->len--;
    ttp_sink_char(p->out, '\n');
}

/* Room for a whole line, so that the place where it starts stays in the buffer. */
static size_t start_line(const struct page *p)
{
    (void)ttp_sink_room(p->out, 8192);
    return p->out->len;
}

/* A paragraph: broken between words where it would run past the page, later lines indented. */
struct flow {
    const struct page *page;
    size_t column, hang;
};

static void flow_put(struct flow *f, enum ttp_color color, ttp_str text)
{
    const size_t width = f->page->view->width > 0 ? (size_t)f->page->view->width : SIZE_MAX;

    text = ttp_gate_text(f->page->arena, text);
    while (text.len) {
        size_t n = ttp_paint_fit(text, width > f->column ? width - f->column : 0);

        if (n == 0 && f->column <= f->hang) { /* a word longer than the line */
            for (n = 1; n < text.len && !ttp_paint_may_break(text, n);)
                n++;
        }
        if (n) {
            ttp_str part = ttp_str_slice(text, 0, n);
            text = ttp_str_slice(text, n, text.len);
            while (text.len && part.len && part.ptr[part.len - 1] == ' ') /* ends the line */
                part.len--;
            paint(f->page, color, part);
            f->column += ttp_str_code_points(part);
        }
        if (text.len) {
            ttp_sink_char(f->page->out, '\n');
            ttp_sink_repeat(f->page->out, ' ', f->hang);
            f->column = f->hang;
            text = ttp_str_trim(text);
        }
    }
}

/* One line, or what becomes of it on a narrow page. */
static void put_line(const struct page *p, ttp_str text)
{
    struct flow f = {p, 0, 2};

    flow_put(&f, TTP_PLAIN, text);
    ttp_sink_char(p->out, '\n');
}

static void put_rule(const struct page *p, const struct ttp_grid *g)
{
    size_t width = 2 * (g->columns - 1);

    for (size_t c = 0; c < g->columns; c++)
        width += g->width[c];
    for (size_t i = 0; i < width; i++)
        ttp_sink_put(p->out, TTP_STR("─"));
    ttp_sink_char(p->out, '\n');
}

static void put_cells(const struct page *p, const struct ttp_grid *g,
                      const struct ttp_grid_row *row)
{
    const size_t start = start_line(p);

    for (size_t c = 0; c < g->columns; c++) {
        if (c)
            ttp_sink_put(p->out, TTP_STR("  "));
        const struct ttp_mark mark = ttp_arena_mark(p->arena);
        put_padded(p, ttp_grid_cell(g, row, c, p->arena), g->width[c], g->column[c]->left,
                   ttp_grid_color(g, row, c));
        ttp_arena_rewind(p->arena, mark);
    }
    end_line(p, start);
}

static void put_fold(const struct page *p, const struct ttp_grid_row *row)
{
    struct flow f = {p, 0, 3};

    if (row->kind == TTP_GRID_FOLD_END) {
        flow_put(&f, TTP_GREY, TTP_STR("└─"));
    } else {
        flow_put(&f, TTP_GREY, TTP_STR("┌─ "));
        flow_put(&f, TTP_CYAN, ttp_grid_fold_text(row->fold, p->arena));
    }
    ttp_sink_char(p->out, '\n');
}

static void put_total(const struct page *p, const struct ttp_grid *g, enum ttp_grid_total which)
{
    const size_t start = start_line(p);
    bool any = false;

    for (size_t c = 0; c < g->columns; c++)
        any |= ttp_grid_total(g, c, which, p->arena).len != 0;
    if (!any)
        return;
    for (size_t c = 0; c < g->columns; c++) {
        if (c)
            ttp_sink_put(p->out, TTP_STR("  "));
        put_padded(p, ttp_grid_total(g, c, which, p->arena), g->width[c], g->column[c]->left,
                   TTP_GREY);
    }
    end_line(p, start);
}

static void put_hidden(const struct page *p, const struct ttp_grid *g)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(&text,
                    "%zu %s below %g %% %s hidden, together %.1f %% (--min-percentage 0 shows ",
                    g->hidden, g->hidden == 1 ? "row" : "rows", p->view->min_percentage,
                    g->hidden == 1 ? "is" : "are", g->hidden_pct);
    ttp_sink_put(&text, g->hidden == 1 ? TTP_STR("it)") : TTP_STR("them)"));
    put_line(p, ttp_sink_text(&text));
}

/* Which columns there was no room for. */
static void put_dropped(const struct page *p, const struct ttp_grid *g)
{
    struct ttp_sink titles;

    ttp_sink_to_arena(&titles, p->arena);
    for (size_t i = 0; i < g->ndropped; i++)
        ttp_sink_printf(&titles, "%s%s", i ? ", " : "", g->dropped[i]->title);
    ttp_paint_no_room(p->out, ttp_sink_text(&titles), ", or choose with --columns", p->view->width,
                      0, p->view->color, p->arena);
}

static void put_table(const struct page *p)
{
    struct ttp_grid g;

    ttp_grid_init(&g, p->view, p->arena);
    ttp_grid_fit(&g, p->view->width > 0 ? (size_t)p->view->width : 0);
    const size_t start = start_line(p);
    for (size_t c = 0; c < g.columns; c++) {
        if (c)
            ttp_sink_put(p->out, TTP_STR("  "));
        put_padded(p, ttp_str_from(g.column[c]->title), g.width[c], g.column[c]->left, TTP_PLAIN);
    }
    end_line(p, start);
    put_rule(p, &g);
    for (size_t r = 0; r < g.rows; r++)
        if (g.row[r].kind == TTP_GRID_OP)
            put_cells(p, &g, &g.row[r]);
        else
            put_fold(p, &g.row[r]);
    put_rule(p, &g);
    if (g.shows_part)
        put_total(p, &g, TTP_TOTAL_SHOWN);
    put_total(p, &g, TTP_TOTAL_RUN);
    if (g.hidden)
        put_hidden(p, &g);
    if (g.ndropped)
        put_dropped(p, &g);
}

static void put_title(const struct page *p, ttp_str title)
{
    ttp_sink_char(p->out, '\n');
    paint(p, TTP_MAGENTA, title);
    ttp_sink_char(p->out, '\n');
}

/* "12, 45, 78, ... (40 in all)" */
static void add_ids(const struct page *p, struct ttp_sink *text,
                    const struct ttp_advice_group *group)
{
    const size_t shown = group->count < 8 ? group->count : 8;

    for (size_t i = 0; i < shown; i++) {
        if (i)
            ttp_sink_put(text, TTP_STR(", "));
        ttp_sink_u64(text, (uint64_t)p->view->report->op[group->op[i]].row + 2);
    }
    if (group->count > shown)
        ttp_sink_printf(text, ", ... (%zu in all)", group->count);
}

static void put_group(const struct page *p, const struct ttp_advice_group *group)
{
    struct flow f = {p, 2, 6};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    if (group->time_pct > 0)
        ttp_sink_printf(&text, "  %.1f %%", group->time_pct);
    ttp_sink_put(&text, TTP_STR("  ID "));
    add_ids(p, &text, group);
    ttp_sink_put(p->out, TTP_STR("  "));
    flow_put(&f, group->color, group->title);
    flow_put(&f, TTP_PLAIN, ttp_sink_text(&text));
    ttp_sink_char(p->out, '\n');
    for (size_t i = 0; i < group->lines; i++) {
        f = (struct flow){p, 6, 6};
        ttp_sink_put(p->out, TTP_STR("    - "));
        flow_put(&f, TTP_PLAIN, group->line[i]);
        ttp_sink_char(p->out, '\n');
    }
}

static void put_advice(const struct page *p)
{
    struct ttp_advice_groups groups;

    ttp_advice_groups_make(&groups, p->view, p->arena);
    if (groups.count == 0)
        return;
    put_title(p, TTP_STR("Advice"));
    for (size_t i = 0; i < groups.count; i++)
        put_group(p, &groups.item[i]);
}

static void put_bar(const struct page *p, double pct)
{
    struct ttp_sink bar;

    ttp_sink_to_arena(&bar, p->arena);
    ttp_paint_bar(&bar, pct / 100 * BAR_MAX);
    paint(p, TTP_BLUE, ttp_sink_text(&bar));
}

static size_t key_width(const struct page *p)
{
    const struct ttp_summary *s = p->view->summary;
    size_t width = 8;

    for (size_t i = 0; i < s->count; i++) {
        const size_t n = ttp_sink_columns(p->out, ttp_paint_brief_name(s->group[i].key, p->arena));
        width = n > width ? n : width;
    }
    return width;
}

/* Columns beside the name: share, time and count; device; category and FLOPs. */
#define SUMMARY_FIXED   27
#define SUMMARY_DEVICE  9
#define SUMMARY_DETAILS 19

/* How the summary is laid out. */
struct summary_layout {
    size_t name; /* columns */
    bool details, bars;
};

static struct summary_layout lay_out_summary(const struct page *p)
{
    const struct ttp_summary *s = p->view->summary;
    const size_t room = p->view->width > 0 ? (size_t)p->view->width : 200;
    const size_t fixed = SUMMARY_FIXED + (s->per_device ? SUMMARY_DEVICE : 0);
    struct summary_layout l = {.name = key_width(p)};

    l.details = s->by != TTP_GROUP_CATEGORY && room >= fixed + SUMMARY_DETAILS + 24;
    const size_t taken = fixed + (l.details ? SUMMARY_DETAILS : 0);
    if (l.name + taken > room)
        l.name = room > taken + 8 ? room - taken : 8;
    l.bars = l.name + taken + 2 + BAR_MAX <= room;
    return l;
}

static void put_summary_row(const struct page *p, const struct ttp_group *g,
                            const struct summary_layout *l)
{
    const struct ttp_summary *s = p->view->summary;
    const size_t start = start_line(p);
    char number[TTP_NUM_FIXED_MAX];

    put_padded(p, (ttp_str){number, ttp_num_fixed(number, g->time_pct, 1, true)}, 7, false,
               TTP_PLAIN);
    ttp_sink_put(p->out, TTP_STR("  "));
    const ttp_str key =
        ttp_paint_shorten(ttp_paint_brief_name(g->key, p->arena), l->name, p->arena);
    put_padded(p, key, l->name, true, ttp_paint_op_color(g->key));
    if (s->per_device)
        ttp_sink_printf(p->out, "  dev %-3lld", (long long)g->device);
    put_padded(p, (ttp_str){number, ttp_num_fixed(number, g->time_us, 0, true)}, 11, false,
               TTP_PLAIN);
    put_padded(p, (ttp_str){number, ttp_num_i64_grouped(number, (int64_t)g->count)}, 7, false,
               TTP_PLAIN);
    if (l->details) {
        ttp_sink_printf(p->out, "  %-8s", ttp_analysis_category_name(g->category));
        const size_t n =
            g->has_weighted && g->has_flops ? ttp_num_fixed(number, g->flops_weighted, 1, true) : 0;
        put_padded(p, (ttp_str){number, n}, 9, false, TTP_PLAIN);
    }
    if (l->bars) {
        ttp_sink_put(p->out, TTP_STR("  "));
        put_bar(p, g->time_pct);
    }
    end_line(p, start);
}

static void put_summary(const struct page *p)
{
    static const char *const by[] = {"op and memory of input 0", "op", "category"};
    const struct ttp_summary *s = p->view->summary;
    const struct summary_layout l = lay_out_summary(p);
    struct ttp_sink text;
    double hidden = 0;
    size_t nhidden = 0;

    put_title(p, p->view->rows < p->view->report->count ? TTP_STR("Summary of the whole run")
                                                        : TTP_STR("Summary"));
    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(&text, "by %s, shares of device time", by[s->by]);
    put_line(p, ttp_sink_text(&text));
    ttp_sink_printf(p->out, "Total %%  %-*s%s    Time μs  Count%s\n", (int)l.name, "Group",
                    s->per_device ? "         " : "", l.details ? "  Category  FLOPs %" : "");
    for (size_t i = 0; i < s->count; i++) {
        if (s->group[i].time_pct < p->view->min_percentage && s->group[i].time_us > 0) {
            hidden += s->group[i].time_pct;
            nhidden++;
            continue;
        }
        put_summary_row(p, &s->group[i], &l);
    }
    if (nhidden)
        ttp_sink_printf(p->out, "%7.1f  %zu more %s below %g %%\n", hidden, nhidden,
                        nhidden == 1 ? "group" : "groups", p->view->min_percentage);
}

static void put_headline(const struct page *p)
{
    const struct ttp_report *r = p->view->report;
    struct flow f = {p, 0, 2};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, p->arena);
    ttp_sink_printf(&text, ", %lld cores, %g GB/s DRAM", (long long)r->worker_cores,
                    r->arch->dram_gbs);
    if (r->busy_us < r->time_us) {
        ttp_sink_put(&text, TTP_STR("; busy "));
        ttp_sink_fixed(&text, r->busy_us, 0, true);
        ttp_sink_put(&text, TTP_STR(" μs of "));
        ttp_sink_fixed(&text, r->time_us, 0, true);
        ttp_sink_put(&text, TTP_STR(" μs op time, because ops overlapped"));
    }
    flow_put(&f, TTP_MAGENTA, ttp_str_from(r->arch->name));
    flow_put(&f, TTP_PLAIN, ttp_sink_text(&text));
    ttp_sink_own(p->out, "\n\n");
}

void ttp_out_report_text(struct ttp_sink *out, const struct ttp_report_view *view)
{
    struct ttp_arena scratch = {0}; /* of its own: rewound while the sink may grow in its arena */
    const struct page p = {out, view, &scratch};

    put_headline(&p);
    if (view->rows == 0 && view->report->count)
        ttp_sink_printf(out, "none of %zu operations to show\n", view->report->count);
    else if (view->rows == 0)
        ttp_sink_own(out, "no operations to show\n");
    else
        put_table(&p);
    if (view->findings && view->rows)
        put_advice(&p);
    if (view->summary && !view->summary->empty)
        put_summary(&p);
    ttp_arena_free(&scratch);
}
