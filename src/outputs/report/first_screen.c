/* SPDX-License-Identifier: Apache-2.0 */
/* first_screen.c - the first screen of a report: a headline, then groups of its ops. */
#include "outputs/report/first_screen.h"

#include <math.h>

#include "base/quantity.h"
#include "outputs/mesh/mesh_headline.h"
#include "outputs/report/report_parts.h"
#include "outputs/show/paint.h"

#define GROUPS     20 /* unless asked otherwise */
#define PAGE       80 /* columns where the terminal does not say */
#define LABEL      14 /* columns of a label of the headline */
#define TOP_GROUPS 3
/* Ops of a group whose longest takes so many times the shortest are not alike. */
#define MUCH_SPREAD 1.2
/* From here on a terminal has room for the spread of a group. */
#define WIDE 100

/* What to run next. */
enum more { MORE_NONE, MORE_PLAN, MORE_KERNEL, MORE_MESH };

struct screen {
    struct ttp_sink *out;
    const struct ttp_report_view *view;
    const struct ttp_report *report;
    struct ttp_screen_groups groups;
    struct ttp_arena *arena;
    size_t page;
    bool wide, color;
    bool marked;  /* a share above 100 % was printed */
    bool unknown; /* a bound that is not known was printed */
    bool mixed;   /* a mean of ops that differ was printed */
    enum more more;
};

/* A headline has six lines: what is too long for one is cut. */
static void put_cut(const struct screen *s, ttp_str text, size_t column)
{
    const size_t room = s->page > column + 10 ? s->page - column : 10;

    ttp_sink_put(s->out, ttp_paint_shorten(text, room, s->arena));
    ttp_sink_char(s->out, '\n');
}

static void put_label(const struct screen *s, const char *label)
{
    const ttp_str name = ttp_str_from(label);

    if (s->color)
        ttp_paint_themed(s->out, TTP_CYAN, name);
    else
        ttp_sink_put(s->out, name);
    ttp_sink_repeat(s->out, ' ', LABEL + 1 - name.len);
}

static void put_line(const struct screen *s, const char *label, const struct ttp_sink *text)
{
    put_label(s, label);
    put_cut(s, ttp_sink_text(text), LABEL + 1);
}

/* What matters more than a short headline. */
static void put_lines(const struct screen *s, const char *label, ttp_str text)
{
    put_label(s, label);
    ttp_paint_wrapped(s->out, text, (int)s->page, LABEL + 1, LABEL + 1);
}

/* ---- headline ---- */

/* The worst; JSON and --check have all. NULL: nothing to complain about. */
static void put_quality(const struct screen *s)
{
    const struct ttp_quality_item *worst = ttp_analysis_worst_check(&s->report->quality);

    if (worst)
        put_lines(s, ttp_analysis_quality_name(worst->level), worst->text);
}

/* The ranks, missing ones first, and how well their clocks are known. */
static void put_ranks(const struct screen *s)
{
    struct ttp_sink text;

    if (!s->view->mesh)
        return;
    ttp_sink_to_arena(&text, s->arena);
    ttp_out_mesh_put_headline(&text, s->view->mesh, s->arena);
    ttp_paint_wrapped(s->out, ttp_sink_text(&text), (int)s->page, 0, 2);
}

/* Every check with its result and what to do. */
static void put_checks(const struct screen *s)
{
    const struct ttp_quality *q = &s->report->quality;

    ttp_sink_char(s->out, '\n');
    for (unsigned c = 0; c < TTP_CHECKS; c++) {
        const struct ttp_quality_item *item = &q->item[c];
        struct ttp_sink text;

        ttp_sink_to_arena(&text, s->arena);
        ttp_sink_printf(&text, "%-13s %-8s %.*s", ttp_analysis_check_name(c),
                        ttp_analysis_quality_name(item->level), TTP_FMT(item->text));
        if (item->to_do)
            ttp_sink_printf(&text, "; %s", item->to_do);
        ttp_paint_wrapped(s->out, ttp_sink_text(&text), (int)s->page, 0, 23);
    }
}

/* Rows of the file before and after the window, if the line has room. */
static void put_omitted(const struct screen *s, struct ttp_sink *text)
{
    const struct ttp_window *w = &s->report->window;
    const size_t rows = s->report->ops->rows;
    const size_t later = rows > w->last_row ? rows - w->last_row - 1 : 0;
    ttp_str words = {0};

    if (w->kind == TTP_WINDOW_WHOLE)
        return;
    if (w->first_row > 0 && later > 0)
        words = ttp_sink_format(s->arena, ", %u rows before, %zu after", w->first_row, later);
    else if (w->first_row > 0 || later > 0)
        words = ttp_sink_format(s->arena, ", %zu %s row%s omitted", w->first_row + later,
                                later ? "later" : "earlier", w->first_row + later == 1 ? "" : "s");
    if (text->len + words.len <= s->page)
        ttp_sink_put(text, words);
    else if (words.len)
        ttp_sink_put(text, ttp_sink_format(s->arena, ", %zu other rows", w->first_row + later));
}

static void put_what(const struct screen *s)
{
    const struct ttp_report *r = s->report;
    const struct ttp_window *w = &r->window;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, s->arena);
    ttp_sink_printf(&text, "%s, %zu device%s; ", r->arch->name, w->devices,
                    w->devices == 1 ? "" : "s");
    if (w->kind == TTP_WINDOW_REPLAY)
        ttp_sink_printf(&text, "%s%.*s", w->iterations == 1 ? "the replay of " : "replays of ",
                        TTP_FMT(w->name));
    else if (w->kind == TTP_WINDOW_SIGNPOSTS)
        ttp_sink_printf(&text, "range '%.*s'", TTP_FMT(w->name));
    else if (w->kind == TTP_WINDOW_REPETITION)
        ttp_sink_printf(&text, "%zu repetitions of the same ops", w->iterations);
    else if (w->name.len)
        ttp_sink_printf(&text, "window '%.*s'", TTP_FMT(w->name));
    else
        ttp_sink_put(&text, TTP_STR("the whole run"));
    ttp_sink_printf(&text, " (%zu op%s)", w->ops, w->ops == 1 ? "" : "s");
    put_omitted(s, &text);
    put_cut(s, ttp_sink_text(&text), 0);
}

static void put_throughput(const struct screen *s, struct ttp_sink *text, double all)
{
    const double rate = s->view->tokens * 1e6 / all;

    ttp_sink_printf(text, "; %.1f tokens/s", rate);
    if (s->view->users > 0)
        ttp_sink_printf(text, ", %.1f tokens/s/user", rate / s->view->users);
}

static void put_iteration(const struct screen *s)
{
    const struct ttp_window *w = &s->report->window;
    const double all = w->device_us + w->gap_us;
    struct ttp_sink text;

    ttp_sink_to_arena(&text, s->arena);
    ttp_put_time_us(&text, all);
    if (all > 0)
        ttp_sink_printf(&text, "   %s %.1f %%", s->view->tokens > 0 ? "busy" : "device busy",
                        w->device_us / all * 100);
    if (s->view->tokens > 0 && all > 0) {
        put_throughput(s, &text, all);
    } else {
        ttp_sink_put(&text, TTP_STR(", gaps "));
        ttp_put_time_us(&text, w->gap_us);
        if (w->iterations > 1 && w->min_total_us > 0)
            ttp_sink_printf(&text, "; %zu within %.1f %%", w->iterations,
                            (w->max_total_us - w->min_total_us) / w->min_total_us * 100);
    }
    put_line(s, w->kind == TTP_WINDOW_WHOLE ? "all of it" : "one iteration", &text);
}

/* The parts of one percent or more, and what is left of all. */
static void put_parts(struct ttp_sink *text, const struct ttp_time_budget *budget, bool idle)
{
    const size_t before = text->len;
    double rest = 0;

    for (size_t i = 0; i < budget->count; i++) {
        const struct ttp_budget_part *part = &budget->part[i];

        if (part->idle != idle)
            continue;
        if (part->pct >= 1)
            ttp_sink_printf(text, "%s%s %.0f %%", text->len > before ? ", " : "", part->name,
                            part->pct);
        else
            rest += part->pct;
    }
    if (rest >= 0.5 && !idle)
        ttp_sink_printf(text, ", other %.0f %%", fmax(rest, 1));
}

static void put_bounds(const struct screen *s)
{
    struct ttp_time_budget budget;
    struct ttp_sink text;

    ttp_out_screen_budget(&budget, s->report);
    ttp_sink_to_arena(&text, s->arena);
    if (!(s->report->window.device_us > 0))
        return;
    put_parts(&text, &budget, true);
    if (text.len) /* other shares are of the device time everywhere */
        ttp_sink_put(&text, TTP_STR("; of device time: "));
    put_parts(&text, &budget, false);
    if (text.len)
        put_lines(s, "bound by", ttp_sink_text(&text));
}

static void put_top(const struct screen *s)
{
    struct ttp_sink text, one;

    ttp_sink_to_arena(&text, s->arena);
    for (size_t i = 0; i < s->groups.count && i < TOP_GROUPS && s->groups.time_us > 0; i++) {
        const struct ttp_screen_group *g = &s->groups.item[i];
        ttp_sink_to_arena(&one, s->arena);
        ttp_sink_printf(&one, "%s%.*s %.0f %%", i ? ", " : "", TTP_FMT(g->name),
                        ttp_out_screen_share(&s->groups, g->time_us));
        if (i && LABEL + 1 + text.len + one.len > s->page)
            break;
        ttp_sink_put(&text, ttp_sink_text(&one));
    }
    if (text.len)
        put_line(s, "most time in", &text);
}

static void put_cold(const struct screen *s)
{
    const struct ttp_window *w = &s->report->window;
    struct ttp_sink text;

    if (!(w->cold_s >= 0.01))
        return;
    ttp_sink_to_arena(&text, s->arena);
    ttp_sink_printf(&text, "%.2g s, %zu program%s ran for the first time", w->cold_s,
                    w->compiled_programs, w->compiled_programs == 1 ? "" : "s");
    put_line(s, "cold start", &text);
}

/* The verb that tells more about what takes the most time. */
static enum more more_about(const struct screen *s, const struct ttp_plan *plan)
{
    const double gain_us = plan->count ? plan->item[0].further_us : 0;

    /* no rule of the plan sees why devices wait without all their clocks */
    if (s->report->wait_us > gain_us && !s->view->plan.mesh)
        return MORE_MESH;
    if (s->groups.count && ttp_advice_is_own(s->report, &s->report->op[s->groups.item[0].first]) &&
        !ttp_str_starts(s->groups.item[0].name, TTP_STR(TTP_PROGRAM_OP)))
        return MORE_KERNEL;
    return plan->count ? MORE_PLAN : MORE_NONE;
}

static void put_next(struct screen *s)
{
    struct ttp_plan plan;
    struct ttp_sink text;

    ttp_plan_make(&plan, s->report, &s->view->plan, s->arena);
    s->more = more_about(s, &plan);
    const struct ttp_quality_item *worst = ttp_analysis_worst_check(&s->report->quality);
    if (worst && worst->level == TTP_QUALITY_BAD && worst->to_do) {
        put_lines(s, "next", ttp_str_from(worst->to_do)); /* figures that are wrong need no plan */
        return;
    }
    ttp_sink_to_arena(&text, s->arena);
    if (s->more == MORE_MESH) {
        ttp_sink_printf(&text, "find out which chips the others wait for (tt-perf mesh %.*s)",
                        TTP_FMT(s->view->operands));
    } else if (s->more == MORE_KERNEL) {
        ttp_sink_printf(&text, "see what the threads of the kernel wait for (tt-perf kernel %.*s)",
                        TTP_FMT(s->view->operands));
    } else if (s->more == MORE_PLAN) {
        ttp_sink_printf(&text, "%s: %zu op%s", plan.item[0].rule->title, plan.item[0].ops,
                        plan.item[0].ops == 1 ? "" : "s");
        if (plan.item[0].further_us > 0) {
            /* what is only worth a try, or the end of its range, is not promised */
            ttp_sink_put(&text, plan.item[0].gain_us < plan.item[0].high_us ? TTP_STR(", -")
                                                                            : TTP_STR(", up to -"));
            ttp_put_time_us(&text, plan.item[0].further_us);
            if (plan.item[0].confidence == TTP_PLAN_TRY)
                ttp_sink_put(&text, TTP_STR(" (try)"));
        }
    }
    if (text.len) /* the gain is at its end */
        put_lines(s, "next", ttp_sink_text(&text));
}

/* ---- groups ---- */

/* The nearer peak. What is above it cannot be true and is marked. */
static void put_reached(struct screen *s, struct ttp_sink *line, const struct ttp_screen_group *g)
{
    const bool dram = g->dram_pct >= g->flops_pct;
    const double pct = dram ? g->dram_pct : g->flops_pct;

    if (!(pct >= 0.5))
        return;
    ttp_sink_printf(line, " %3.0f %% %s%s", pct, dram ? "DRAM" : "FLOPs", pct > 100 ? " !" : "");
    s->marked |= pct > 100;
}

static void put_rule(const struct screen *s)
{
    for (size_t i = 1; i < s->page; i++)
        ttp_sink_own(s->out, "─");
    ttp_sink_char(s->out, '\n');
}

/* Share, time and ops of a line; names begin after them. */
static void put_sums(const struct screen *s, struct ttp_sink *line, double us, size_t ops)
{
    char number[TTP_NUM_FIXED_MAX];
    const size_t n = ttp_num_fixed(number, us, 1, true);

    ttp_sink_printf(line, "%5.1f ", ttp_out_screen_share(&s->groups, us));
    ttp_sink_repeat(line, ' ', n < 9 ? 9 - n : 0);
    ttp_sink_put(line, (ttp_str){number, n});
    if (ops)
        ttp_sink_printf(line, " %4zu ", ops);
    else
        ttp_sink_repeat(line, ' ', 6);
}

/* The mean of its ops; a mean of ops that differ is marked. */
static void put_each(struct screen *s, struct ttp_sink *line, const struct ttp_screen_group *g)
{
    const bool mixed = g->max_us > MUCH_SPREAD * g->min_us;
    const double us = g->time_us / (double)g->count;
    const int digits = mixed && us >= 99999.95 ? 0 : 1;
    const ttp_str text = ttp_sink_format(s->arena, "%s%.*f", mixed ? "~" : "", digits, us);

    ttp_sink_repeat(line, ' ', text.len < 7 ? 7 - text.len : 0);
    ttp_sink_put(line, text);
    ttp_sink_repeat(line, ' ', 2);
    s->mixed |= mixed;
}

/* Blanks at the end are of no use. */
static void end_line(const struct screen *s, struct ttp_sink *line)
{
    while (line->len && line->buf[line->len - 1] == ' ')
        line->len--;
    ttp_sink_join(s->out, line);
    ttp_sink_char(s->out, '\n');
}

/* A name that is too long loses the blanks of its shape before it loses its end. */
static ttp_str fit_name(const struct screen *s, ttp_str name, size_t room)
{
    struct ttp_sink tight;
    size_t at;

    if (ttp_str_code_points(name) <= room)
        return name;
    ttp_sink_to_arena(&tight, s->arena);
    while ((at = ttp_str_find(name, TTP_STR(" x "))) != TTP_NPOS) {
        ttp_sink_put(&tight, ttp_str_slice(name, 0, at));
        ttp_sink_char(&tight, 'x');
        name = ttp_str_slice(name, at + 3, name.len);
    }
    ttp_sink_put(&tight, name);
    return ttp_paint_shorten(ttp_sink_text(&tight), room, s->arena);
}

struct widths {
    size_t name, bound;
};

static void put_group(struct screen *s, const struct ttp_screen_group *g, struct widths width)
{
    const size_t name = width.name;
    const ttp_str shown = fit_name(s, g->name, name);
    struct ttp_sink line;

    ttp_sink_beside(&line, s->out, s->arena);
    put_sums(s, &line, g->time_us, g->count);
    put_each(s, &line, g);
    if (s->wide)
        ttp_sink_printf(&line, "%8.1f-%-8.1f  ", g->min_us, g->max_us);
    const size_t columns = ttp_sink_columns(&line, shown);
    ttp_sink_put(&line, shown);
    ttp_sink_repeat(&line, ' ', columns < name ? name - columns : 0);
    if (g->cores)
        ttp_sink_printf(&line, " %5lld", (long long)g->cores);
    else
        ttp_sink_repeat(&line, ' ', 6);
    const char *bound = ttp_out_screen_group_bound(g);
    s->unknown |= strcmp(bound, TTP_REPORT_UNKNOWN) == 0;
    ttp_sink_printf(&line, "  %-*s", (int)width.bound, bound);
    put_reached(s, &line, g);
    end_line(s, &line);
}

/* The line for what is not shown, and the last one. */
static void put_total(const struct screen *s, double us, size_t ops, const char *text)
{
    struct ttp_sink line;

    ttp_sink_beside(&line, s->out, s->arena);
    put_sums(s, &line, us, ops);
    ttp_sink_repeat(&line, ' ', 9);
    ttp_sink_put(&line, ttp_str_from(text));
    end_line(s, &line);
}

static void put_rest(const struct screen *s, size_t from)
{
    size_t ops = 0;
    double us = 0;

    for (size_t i = from; i < s->groups.count; i++) {
        us += s->groups.item[i].time_us;
        ops += s->groups.item[i].count;
    }
    if (ops == 0)
        return;
    put_total(s, us, ops,
              ttp_arena_zstr(s->arena, ttp_sink_format(s->arena, "%zu more group%s (--top 0)",
                                                       s->groups.count - from,
                                                       s->groups.count - from == 1 ? "" : "s")));
}

/* Is one of the first groups above its peak? */
static bool has_marks(const struct screen *s, size_t groups)
{
    for (size_t i = 0; i < groups; i++)
        if (s->groups.item[i].dram_pct > 100 || s->groups.item[i].flops_pct > 100)
            return true;
    return false;
}

/* Of the columns of the first groups. */
static struct widths fit_columns(const struct screen *s, size_t groups)
{
    struct widths w = {.bound = strlen("Bound")};

    for (size_t i = 0; i < groups; i++) {
        const size_t n = strlen(ttp_out_screen_group_bound(&s->groups.item[i]));
        w.bound = n > w.bound ? n : w.bound;
    }
    const size_t fixed =
        30 + (s->wide ? 19 : 0) + 6 + 2 + w.bound + (has_marks(s, groups) ? 14 : 12);
    w.name = s->page > fixed + 12 ? s->page - fixed : 12;
    return w;
}

static void put_legend(const struct screen *s)
{
    if (s->mixed)
        ttp_paint_wrapped(s->out,
                          s->wide ? TTP_STR("~ mean of ops whose times differ by more than 20 %")
                                  : TTP_STR("~ mean of ops whose times differ by more than 20 %: "
                                            "see --rows, or min-max from 100 columns on"),
                          (int)s->page, 0, 2);
    if (s->marked)
        ttp_paint_wrapped(s->out, ttp_str_from(TTP_REPORT_OVER_PEAK), (int)s->page, 0, 2);
    if (s->unknown)
        ttp_paint_wrapped(s->out,
                          TTP_STR(TTP_REPORT_UNKNOWN
                                  ": the run has neither tensors nor waits of the op: 'tt-perf "
                                  "record -- COMMAND' records tensors, with --mode kernel also "
                                  "what threads wait for"),
                          (int)s->page, 0, 2);
}

static void put_groups(struct screen *s)
{
    const size_t top = s->view->top ? s->view->top : GROUPS;
    const size_t most = s->view->all_groups || s->groups.count < top ? s->groups.count : top;
    const struct widths width = fit_columns(s, most);
    static const char *const footers[] = {
        [MORE_NONE] = "--rows: each op in order; --op ID: one op",
        [MORE_PLAN] = "--rows, --op ID: details; tt-perf advise: plan",
        [MORE_KERNEL] = "--rows, --op ID: details; tt-perf kernel: threads",
        [MORE_MESH] = "--rows, --op ID: details; tt-perf mesh: waits"};
    size_t ops = 0;

    if (s->groups.count == 0 && s->report->host_ops) {
        ttp_sink_printf(s->out, "\n%zu host op%s (--host-ops), none on a device\n",
                        s->report->host_ops, s->report->host_ops == 1 ? "" : "s");
        return;
    }
    ttp_sink_printf(s->out, "\nShare   Time μs  Ops Each μs  %s%-*s Cores  %-*s Reaches\n",
                    s->wide ? "  min-max μs       " : "", (int)width.name, "Op", (int)width.bound,
                    "Bound");
    put_rule(s);
    for (size_t i = 0; i < most; i++)
        put_group(s, &s->groups.item[i], width);
    put_rest(s, most);
    if (ttp_out_screen_share(&s->groups, s->groups.wait_us) >= 0.05)
        put_total(s, s->groups.wait_us, 0, "waiting in collectives for other devices");
    put_rule(s);
    for (size_t i = 0; i < s->groups.count; i++)
        ops += s->groups.item[i].count;
    put_total(s, s->groups.time_us + s->groups.wait_us, ops, footers[s->more]);
    if (s->report->host_ops)
        ttp_sink_printf(s->out, "%zu host op%s not shown (--host-ops)\n", s->report->host_ops,
                        s->report->host_ops == 1 ? "" : "s");
    const ttp_str slowest = ttp_out_report_slowest(s->report, s->arena);
    if (slowest.len)
        ttp_paint_wrapped(s->out, slowest, (int)s->page, 0, 2);
    put_legend(s);
}

static void put_headline(struct screen *s)
{
    put_ranks(s);
    put_quality(s);
    put_what(s);
    put_iteration(s);
    put_bounds(s);
    put_top(s);
    put_cold(s);
    put_next(s);
}

static struct screen make_screen(const struct ttp_show *show, const struct ttp_report_view *view)
{
    struct screen s = {.out = show->out,
                       .view = view,
                       .report = view->report,
                       .arena = show->arena,
                       .color = show->color};

    s.page = show->width > 0 ? (size_t)show->width : PAGE;
    s.wide = s.page >= WIDE;
    ttp_out_screen_group_ops(&s.groups, view->report, view->top ? view->top : GROUPS, show->arena);
    return s;
}

void ttp_out_headline(const struct ttp_show *show, const struct ttp_report_view *view)
{
    struct screen s = make_screen(show, view);

    put_headline(&s);
}

void ttp_out_first_screen(const struct ttp_show *show, const struct ttp_report_view *view)
{
    struct screen s = make_screen(show, view);

    put_headline(&s);
    if (view->checks)
        put_checks(&s);
    put_groups(&s);
}
