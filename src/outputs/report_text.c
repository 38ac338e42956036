/* SPDX-License-Identifier: Apache-2.0 */
/* report_text.c - the report for a terminal. */
#include "base/python_text.h"
#include "outputs/advice_groups.h"
#include "outputs/report_grid.h"

#define BAR_MAX 30

struct page {
    struct ttp_sink *out;
    const struct ttp_report_view *view;
    struct ttp_arena *arena;
};

static void paint(const struct page *p, enum ttp_color color, ttp_str text)
{
    ttp_paint_themed(p->out, p->view->color ? color : TTP_PLAIN, text);
}

static void put_padded(const struct page *p, ttp_str text, size_t width, bool left,
                       enum ttp_color color)
{
    const size_t n = ttp_python_visible(text), pad = n < width ? width - n : 0;

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
    if (row->kind == TTP_GRID_FOLD_END) {
        paint(p, TTP_GREY, TTP_STR("└─"));
    } else {
        paint(p, TTP_GREY, TTP_STR("┌─ "));
        paint(p, TTP_CYAN, ttp_grid_fold_text(row->fold, p->arena));
    }
    ttp_sink_char(p->out, '\n');
}

static void put_table(const struct page *p)
{
    struct ttp_grid g;

    ttp_grid_init(&g, p->view, p->arena);
    ttp_grid_fit(&g, p->view->width > 0 ? (size_t)p->view->width : 0);
    size_t start = start_line(p);
    for (size_t c = 0; c < g.columns; c++) {
        if (c)
            ttp_sink_put(p->out, TTP_STR("  "));
        put_padded(p, ttp_str_from(g.column[c]->spec.title), g.width[c], g.column[c]->left,
                   TTP_PLAIN);
    }
    end_line(p, start);
    put_rule(p, &g);
    for (size_t r = 0; r < g.rows; r++)
        if (g.row[r].kind == TTP_GRID_OP)
            put_cells(p, &g, &g.row[r]);
        else
            put_fold(p, &g.row[r]);
    put_rule(p, &g);
    start = start_line(p);
    for (size_t c = 0; c < g.columns; c++) {
        if (c)
            ttp_sink_put(p->out, TTP_STR("  "));
        put_padded(p, ttp_grid_total(&g, c, p->arena), g.width[c], g.column[c]->left, TTP_GREY);
    }
    end_line(p, start);
    if (g.hidden)
        ttp_sink_printf(p->out,
                        "%zu rows below %g %% are hidden, together %.1f %% (--min-percentage 0 "
                        "shows them)\n",
                        g.hidden, p->view->min_percentage, g.hidden_pct);
}

static void put_title(const struct page *p, ttp_str title)
{
    ttp_sink_char(p->out, '\n');
    paint(p, TTP_MAGENTA, title);
    ttp_sink_char(p->out, '\n');
}

/* "12, 45, 78, ... (40 in all)" */
static void put_ids(const struct page *p, const struct ttp_advice_group *group)
{
    const size_t shown = group->count < 8 ? group->count : 8;

    for (size_t i = 0; i < shown; i++) {
        if (i)
            ttp_sink_put(p->out, TTP_STR(", "));
        ttp_sink_u64(p->out, (uint64_t)p->view->report->op[group->op[i]].row + 2);
    }
    if (group->count > shown)
        ttp_sink_printf(p->out, ", ... (%zu in all)", group->count);
}

static void put_group(const struct page *p, const struct ttp_advice_group *group)
{
    ttp_sink_put(p->out, TTP_STR("  "));
    paint(p, group->color, group->title);
    ttp_sink_printf(p->out, "  %.1f %%  ID ", group->time_pct);
    put_ids(p, group);
    ttp_sink_char(p->out, '\n');
    for (size_t i = 0; i < group->lines; i++) {
        ttp_sink_put(p->out, TTP_STR("    - "));
        ttp_sink_put(p->out, group->line[i]);
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
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double cells = pct / 100 * BAR_MAX;
    const size_t whole = cells > 0 ? (size_t)cells : 0;
    struct ttp_sink bar;

    ttp_sink_to_arena(&bar, p->arena);
    for (size_t i = 0; i < whole; i++)
        ttp_sink_put(&bar, TTP_STR("█"));
    ttp_sink_put(&bar, ttp_str_from(eighths[(size_t)((cells - (double)whole) * 8) & 7]));
    paint(p, TTP_BLUE, ttp_sink_text(&bar));
}

static size_t key_width(const struct page *p)
{
    const struct ttp_summary *s = p->view->summary;
    size_t width = 8;

    for (size_t i = 0; i < s->count; i++) {
        const size_t n = ttp_python_visible(ttp_paint_brief_name(s->group[i].key, p->arena));
        width = n > width ? n : width;
    }
    return width;
}

/* Columns beside the name: share, time, count, category, FLOPs and the bar's blank. */
#define SUMMARY_FIXED 44

static void put_summary_row(const struct page *p, const struct ttp_group *g, size_t width,
                            bool bars)
{
    const struct ttp_summary *s = p->view->summary;
    const size_t start = start_line(p);
    char number[TTP_NUM_FIXED_MAX];

    put_padded(p, (ttp_str){number, ttp_num_fixed(number, g->time_pct, 1, true)}, 7, false,
               TTP_PLAIN);
    ttp_sink_put(p->out, TTP_STR("  "));
    ttp_str key = ttp_paint_brief_name(g->key, p->arena);
    if (ttp_str_code_points(key) > width)
        key = ttp_str_slice(key, 0, width);
    put_padded(p, key, width, true, ttp_paint_op_color(g->key));
    if (s->per_device)
        ttp_sink_printf(p->out, "  dev %-3lld", (long long)g->device);
    put_padded(p, (ttp_str){number, ttp_num_fixed(number, g->time_us, 0, true)}, 11, false,
               TTP_PLAIN);
    put_padded(p, (ttp_str){number, ttp_num_i64_grouped(number, (int64_t)g->count)}, 7, false,
               TTP_PLAIN);
    if (s->by != TTP_GROUP_CATEGORY) {
        ttp_sink_printf(p->out, "  %-8s", ttp_analysis_category_name(g->category));
        const size_t n =
            g->has_weighted && g->has_flops ? ttp_num_fixed(number, g->flops_weighted, 1, true) : 0;
        put_padded(p, (ttp_str){number, n}, 7, false, TTP_PLAIN);
    }
    if (bars) {
        ttp_sink_put(p->out, TTP_STR("  "));
        put_bar(p, g->time_pct);
    }
    end_line(p, start);
}

static void put_summary(const struct page *p)
{
    static const char *const by[] = {"op and memory of input 0", "op", "category"};
    const struct ttp_summary *s = p->view->summary;
    const size_t room = p->view->width > 0 ? (size_t)p->view->width : 200;
    size_t width = key_width(p);
    double hidden = 0;
    size_t nhidden = 0;

    put_title(p, TTP_STR("Summary"));
    ttp_sink_printf(p->out, "by %s\n", by[s->by]);
    if (width + SUMMARY_FIXED > room)
        width = room > SUMMARY_FIXED + 16 ? room - SUMMARY_FIXED : 16;
    const bool bars = width + SUMMARY_FIXED + BAR_MAX / 2 <= room;
    ttp_sink_printf(p->out, "Total %%  %-*s%s    Time μs  Count%s\n", (int)width, "Group",
                    s->per_device ? "         " : "",
                    s->by != TTP_GROUP_CATEGORY ? "  Category  FLOPs %" : "");
    for (size_t i = 0; i < s->count; i++) {
        if (s->group[i].time_pct < p->view->min_percentage && s->group[i].time_us > 0) {
            hidden += s->group[i].time_pct;
            nhidden++;
            continue;
        }
        put_summary_row(p, &s->group[i], width, bars);
    }
    if (nhidden)
        ttp_sink_printf(p->out, "%7.1f  %zu more groups below %g %%\n", hidden, nhidden,
                        p->view->min_percentage);
}

static void put_headline(const struct page *p)
{
    const struct ttp_report *r = p->view->report;

    paint(p, TTP_MAGENTA, ttp_str_from(r->arch->name));
    ttp_sink_printf(p->out, ", %lld cores, %g GB/s DRAM", (long long)r->worker_cores,
                    r->arch->dram_gbs);
    if (r->busy_us < r->time_us) {
        ttp_sink_put(p->out, TTP_STR("; busy "));
        ttp_sink_fixed(p->out, r->busy_us, 0, true);
        ttp_sink_put(p->out, TTP_STR(" μs of "));
        ttp_sink_fixed(p->out, r->time_us, 0, true);
        ttp_sink_put(p->out, TTP_STR(" μs op time, because ops overlapped"));
    }
    ttp_sink_put(p->out, TTP_STR("\n\n"));
}

void ttp_out_report_text(struct ttp_sink *out, const struct ttp_report_view *view,
                         struct ttp_arena *arena)
{
    const struct page p = {out, view, arena};

    put_headline(&p);
    if (view->rows == 0)
        ttp_sink_put(out, TTP_STR("no operations to show\n"));
    else
        put_table(&p);
    if (view->findings && view->rows)
        put_advice(&p);
    if (view->summary && !view->summary->empty)
        put_summary(&p);
}
