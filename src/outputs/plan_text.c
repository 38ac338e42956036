/* SPDX-License-Identifier: Apache-2.0 */
/* plan_text.c - a plan for people: what the run is, the next change, the others, the checklist. */
#include <stdio.h>

#include "outputs/outputs.h"
#include "outputs/paint.h"

#define BAR       20
#define NARROW    120 /* columns that leave no room for it */
#define STEP_NAME 27
/* Items of which less is left are not shown. */
#define SHOWN_PCT 0.05

struct printing {
    struct ttp_sink *out;
    const struct ttp_plan_view *view;
    struct ttp_arena *arena;
};

static void put_colored(const struct printing *p, enum ttp_color color, const char *text)
{
    if (p->view->color)
        ttp_paint_themed(p->out, color, ttp_str_from(text));
    else
        ttp_sink_put(p->out, ttp_str_from(text));
}

static const char *kind_text(const struct ttp_plan *plan)
{
    return plan->model == TTP_MODEL_TRANSFORMER ? "transformer"
           : plan->model == TTP_MODEL_CNN       ? "convolutional network"
           : plan->model == TTP_MODEL_KERNELS   ? "own kernels"
                                                : "not recognised";
}

/* The order for this kind of run: docs/explain/paths.md. */
static const char *path_text(const struct ttp_plan *plan)
{
    if (plan->model == TTP_MODEL_KERNELS)
        return "cores, DRAM traffic, block size";
    if (plan->host_bound)
        return "Metal Trace, two command queues, no host ops";
    if (plan->model == TTP_MODEL_CNN)
        return "sharding, conv2d (act_block_h), then Metal Trace";
    if (plan->memory_bound)
        return "memory and sharding, data formats, double buffers";
    return "data formats, Metal Trace, two command queues";
}

/* A line from here on: what follows a break is set in by `hang`. */
TTP_PRINTF(3, 4)
static void put_line(const struct printing *p, size_t hang, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ttp_paint_wrapped(p->out, ttp_sink_vformat(p->arena, fmt, args), p->view->width, 0, hang);
    va_end(args);
}

static void put_head(const struct printing *p)
{
    const struct ttp_plan *plan = p->view->plan;
    const struct ttp_report *r = p->view->report;

    ttp_sink_printf(p->out, "%.*s\n%s, %zu op%s, ", TTP_FMT(p->view->name), r->arch->name, r->count,
                    r->count == 1 ? "" : "s");
    ttp_sink_fixed(p->out, plan->total_us, 1, true);
    ttp_sink_own(p->out, " μs, of which ");
    ttp_sink_fixed(p->out, r->gap_us, 1, true);
    ttp_sink_own(p->out, " μs gaps\n");
    ttp_sink_printf(p->out, "model: %s%s%s\n", kind_text(plan),
                    plan->memory_bound ? ", memory bound" : "",
                    plan->host_bound ? ", host bound" : "");
    put_line(p, 2, "path for it: %s (tt-perf explain paths)", path_text(plan));
}

/* What tt-perf config proposes for a matmul. */
static void put_config(const struct printing *p, const struct ttp_plan_config *c)
{
    if (!c->pays) {
        ttp_sink_own(p->out, "        config: none is predicted to be more than 5 % faster\n");
        return;
    }
    put_line(
        p, 10,
        "        config: %.*s, predicted %.1f μs (%.1f-%.1f), saves %.1f μs, confidence %s%s%s",
        TTP_FMT(c->config), c->predicted_us, c->low_us, c->high_us, c->gain_us, c->confidence,
        c->try_it ? ", try" : "", c->moves_tensors ? ", places tensors anew" : "");
}

static void put_ops(const struct printing *p, const struct ttp_plan_item *item)
{
    const struct ttp_report *r = p->view->report;

    for (size_t i = 0; i < item->ops && i < p->view->top; i++) {
        const struct ttp_op *op = &r->op[item->op[i]];
        const ttp_str name = ttp_paint_brief_name(ttp_sym_name(r->syms, op->code), p->arena);
        ttp_sink_printf(p->out, "    ID %-6u %.*s", op->row + 2, TTP_FMT(name));
        if (item->op_gain_us[i] > 0)
            ttp_sink_printf(p->out, ", saves %.1f μs", item->op_gain_us[i]);
        ttp_sink_char(p->out, '\n');
        if (i < TTP_PLAN_CONFIGS && item->config[i].known)
            put_config(p, &item->config[i]);
    }
    if (item->ops > p->view->top)
        ttp_sink_printf(p->out, "    ... and %zu more\n", item->ops - p->view->top);
}

static void put_next(const struct printing *p)
{
    const struct ttp_plan_item *item = &p->view->plan->item[0];

    ttp_sink_char(p->out, '\n');
    put_colored(p, TTP_GREEN, "Next change: ");
    ttp_sink_printf(p->out, "%s\n", item->rule->title);
    if (item->gain_us > 0) {
        ttp_sink_own(p->out, "  expected gain: ");
        ttp_sink_fixed(p->out, item->gain_us, 1, true);
        ttp_sink_printf(p->out, " μs, %.1f %% of the run", item->gain_pct);
        if (item->device_pct > 0)
            ttp_sink_printf(p->out, ", %.1f %% of its device time", item->device_pct);
        ttp_sink_printf(p->out, "\n  range: %.1f to %.1f μs, confidence: %s\n", item->low_us,
                        item->high_us, ttp_plan_confidence_name(item->confidence));
    }
    put_line(p, 4, "  because: %s", item->rule->why);
    put_line(p, 4, "  evidence: %.*s", TTP_FMT(item->evidence));
    put_ops(p, item);
    put_line(p, 4, "  verify: %s", item->rule->verify);
    ttp_sink_printf(p->out, "  how: tt-perf explain %s\n", item->rule->id);
}

static void put_bar(const struct printing *p, double part, size_t length)
{
    const size_t full = (size_t)(part * (double)length + 0.5);

    for (size_t i = 0; i < length; i++)
        ttp_sink_put(p->out, i < full ? TTP_STR("█") : TTP_STR("·"));
}

/* What is left of an item after those before it: of the device time, or of the run for gaps. */
static double further_pct(const struct ttp_plan_item *item)
{
    const double alone = item->device_pct > 0 ? item->device_pct : item->gain_pct;

    return item->gain_us > 0 ? alone * item->further_us / item->gain_us : 0;
}

static void put_items(const struct printing *p)
{
    const struct ttp_plan *plan = p->view->plan;
    const size_t bar = p->view->width > 0 && p->view->width < NARROW ? 0 : BAR;
    const size_t names = 29 + bar; /* where they begin */
    struct ttp_sink title;

    ttp_sink_char(p->out, '\n');
    put_line(p, 2,
             "Plan, the largest gain first (of later ones what earlier ones leave); %% of device "
             "time, of the run for gaps");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];
        const double pct = further_pct(item);
        if (item->gain_us > 0 && pct < SHOWN_PCT)
            continue;
        if (item->gain_us > 0)
            ttp_sink_printf(p->out, "  %6.1f %% %12.1f μs ", pct, item->further_us);
        else
            ttp_sink_own(p->out, "  not estimated          ");
        put_bar(p, pct / 100, bar);
        ttp_sink_printf(p->out, "  %-19s ", item->rule->id);
        ttp_sink_to_arena(&title, p->arena);
        ttp_sink_printf(&title, "%s, %zu %s%s", item->rule->title, item->ops,
                        item->ops == 1 ? "op" : "ops",
                        item->confidence == TTP_PLAN_TRY ? " (try)" : "");
        const size_t id = strlen(item->rule->id);
        ttp_paint_wrapped(p->out, ttp_sink_text(&title), p->view->width,
                          names + (id > 19 ? id : 19) + 1, names + 20);
    }
}

/* The seven steps, and the targets of kernels where there are any. */
static bool is_shown(const struct ttp_plan *plan, enum ttp_step step)
{
    return step < TTP_MODEL_STEPS || plan->step[step].state != TTP_STEP_NOT_APPLICABLE;
}

static void put_step(const struct printing *p, enum ttp_step step)
{
    static const char *const box[] = {"[-]", "[ ]", "[~]", "[x]"};
    const ttp_str seen = p->view->plan->step[step].seen;

    ttp_sink_printf(p->out, "  %s ", box[p->view->plan->step[step].state]);
    if (seen.len)
        ttp_sink_printf(p->out, "%-*s", STEP_NAME, ttp_step_title(step));
    else
        ttp_sink_put(p->out, ttp_str_from(ttp_step_title(step)));
    ttp_paint_wrapped(p->out, seen, p->view->width, 6 + STEP_NAME, 6 + STEP_NAME);
}

static void put_steps(const struct printing *p)
{
    ttp_sink_own(p->out, "\nChecklist ([x] in place, [~] partly, [ ] open, [-] does not "
                         "apply)\n");
    for (size_t s = 0; s < TTP_STEPS; s++)
        if (is_shown(p->view->plan, (enum ttp_step)s))
            put_step(p, (enum ttp_step)s);
    ttp_sink_own(p->out,
                 "  [ ] final check                tt-perf pcc golden output, PCC >= 0.99\n");
}

void ttp_out_plan_text(struct ttp_sink *out, const struct ttp_plan_view *view,
                       struct ttp_arena *arena)
{
    const struct printing p = {out, view, arena};

    put_head(&p);
    if (view->plan->count) {
        put_next(&p);
        put_items(&p);
    } else {
        ttp_sink_char(out, '\n');
        put_line(&p, 0,
                 "No rule has anything to say: nothing here is far from its ceiling for a known "
                 "reason.");
    }
    put_steps(&p);
}

void ttp_out_plan_markdown(struct ttp_sink *out, const struct ttp_plan_view *view)
{
    const struct ttp_plan *plan = view->plan;

    ttp_sink_printf(out, "## Plan for %.*s\n\n%s, %.1f μs, model: %s%s%s.\n\n", TTP_FMT(view->name),
                    view->report->arch->name, plan->total_us, kind_text(plan),
                    plan->memory_bound ? ", memory bound" : "",
                    plan->host_bound ? ", host bound" : "");
    ttp_sink_own(out, "| % | μs | rule | what to do | ops |\n|--:|--:|---|---|--:|\n");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ttp_plan_item *item = &plan->item[i];
        ttp_sink_printf(out, "| %.1f | %.1f | `%s` | %s | %zu |\n",
                        plan->total_us > 0 ? item->further_us / plan->total_us * 100 : 0,
                        item->further_us, item->rule->id, item->rule->title, item->ops);
    }
    ttp_sink_char(out, '\n');
    for (size_t s = 0; s < TTP_STEPS; s++)
        if (plan->step[s].state != TTP_STEP_NOT_APPLICABLE)
            ttp_sink_printf(out, "- [%s] %s%s%.*s\n",
                            plan->step[s].state == TTP_STEP_DONE ? "x" : " ",
                            ttp_step_title((enum ttp_step)s), plan->step[s].seen.len ? ": " : "",
                            TTP_FMT(plan->step[s].seen));
}
