/* SPDX-License-Identifier: Apache-2.0 */
/* advise_page.c - a plan for human readers: what the run is, the next change, the others, the
 * checklist.
 */
#include "base/quantity.h"
#include "outputs/advise/advise_parts.h"
#include "outputs/advise/checklist.h"
#include "outputs/show/paint.h"

#define TOP_OPS 5 /* named in text by default */

/* Gains that differ by less are printed as one. */
#define SAME_PART 0.005

#define BAR    20
#define NARROW 120 /* columns that leave no room for it */

static const char *kind_text(const struct ttp_plan *plan)
{
    return plan->model == TTP_MODEL_TRANSFORMER ? "transformer"
           : plan->model == TTP_MODEL_CNN       ? "convolutional network"
           : plan->model == TTP_MODEL_KERNELS   ? "custom kernels"
                                                : "not recognised";
}

/* The steps that the changes of the plan belong to, in its order; empty: there are none. */
static ttp_str path_text(const struct ttp_plan *plan, struct ttp_arena *arena)
{
    bool named[TTP_STEPS] = {false};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < plan->count; i++) {
        const enum ttp_step step = plan->item[i].rule->step;

        if (named[step])
            continue;
        named[step] = true;
        ttp_sink_printf(&out, "%s%s", out.len ? ", " : "", ttp_advice_step_title(step));
    }
    return ttp_sink_text(&out);
}

/* A line from here on: what follows a break is set in by `hang`. */
TTP_PRINTF(3, 4)
static void put_line(const struct ttp_show *show, size_t hang, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ttp_paint_wrapped(show->out, ttp_sink_vformat(show->arena, fmt, args), show->width, 0, hang);
    va_end(args);
}

/* As `report` has it: of several devices the median, not the sum of the slowest. */
static void put_iteration(struct ttp_sink *out, const struct ttp_plan *plan,
                          const struct ttp_report *r)
{
    const struct ttp_window *w = &r->window;

    ttp_put_time_us(out, plan->total_us - plan->between_us);
    ttp_sink_put(out, TTP_STR(", of which "));
    ttp_put_time_us(out, plan->gap_us);
    ttp_sink_put(out, TTP_STR(" gaps"));
    if (plan->between_us > 0) {
        ttp_sink_put(out, TTP_STR(", and "));
        ttp_put_time_us(out, plan->between_us);
        ttp_sink_printf(out,
                        " before each %s: ", w->kind == TTP_WINDOW_REPLAY ? "replay" : "iteration");
        ttp_put_time_us(out, plan->total_us);
    }
}

/* Why no figure of the plan can be trusted, and what to do about it. */
static void put_bad_quality(const struct ttp_show *show, const struct ttp_quality *quality)
{
    const struct ttp_quality_item *worst = ttp_analysis_worst_check(quality);

    if (!worst || worst->level != TTP_QUALITY_BAD)
        return;
    put_line(show, 2, "bad data: %.*s", TTP_FMT(worst->text));
    if (worst->to_do)
        put_line(show, 2, "before any change: %s", worst->to_do);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_plan_view *view = arg;
    const struct ttp_plan *plan = view->plan;
    const struct ttp_report *r = view->report;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;

    if (markdown)
        ttp_sink_own(show->out, "## Plan for ");
    ttp_sink_printf(show->out, "%.*s\n", TTP_FMT(view->name));
    ttp_sink_repeat(show->out, '\n', markdown);
    put_bad_quality(show, &r->quality);
    const size_t ops = r->window.devices ? r->window.ops : r->count;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, show->arena);
    ttp_sink_printf(&line, "%s, %zu op%s, ", r->arch->name, ops, ops == 1 ? "" : "s");
    put_iteration(&line, plan, r);
    put_line(show, 2, "%.*s", TTP_FMT(ttp_sink_text(&line)));
    ttp_sink_printf(show->out, "model: %s%s%s\n", kind_text(plan),
                    plan->memory_bound ? ", memory bound" : "",
                    plan->host_bound ? ", host bound" : "");
    const ttp_str path = path_text(plan, show->arena);
    if (path.len)
        put_line(show, 2, "recommended path: %.*s (tt-perf explain paths)", TTP_FMT(path));
}

/* " with bfp4 weights at LoFi": the matmul that a config is for; empty: as it is. */
static ttp_str changed_text(const struct ttp_plan_config *c, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (c->folded)
        ttp_sink_put(&out, TTP_STR(" of the folded batch"));
    if (c->weights)
        ttp_sink_printf(&out, " with %s weights", c->weights);
    if (c->fidelity)
        ttp_sink_printf(&out, " at %s", c->fidelity);
    return ttp_sink_text(&out);
}

/* What tt-perf config proposes for a matmul. */
static void put_config(const struct ttp_show *show, const struct ttp_plan_config *c)
{
    const ttp_str changed = changed_text(c, show->arena);

    if (!c->pays) {
        put_line(show, 10,
                 "        config%.*s: keep it, no other is predicted to be %.0f %% faster",
                 TTP_FMT(changed), 100 * TTP_CONFIG_LEAST_PART);
        return;
    }
    put_line(show, 10,
             "        config%.*s: %.*s, predicted %.*s (%.*s to %.*s, %s confidence), saves "
             "%.*s%s%s%s",
             TTP_FMT(changed), TTP_FMT(c->config),
             TTP_FMT(ttp_time_us_text(c->predicted_us, show->arena)),
             TTP_FMT(ttp_time_us_text(c->low_us, show->arena)),
             TTP_FMT(ttp_time_us_text(c->high_us, show->arena)), c->confidence,
             TTP_FMT(ttp_time_us_text(c->gain_us, show->arena)),
             changed.len ? " together with the change" : "", c->try_it ? ", try" : "",
             c->moves_tensors ? ", moves tensors" : "");
}

/* "ID 112 Matmul 32 x 4096 x 2048, DRAM", as a report names it. */
static ttp_str name_of(const struct ttp_show *show, const struct ttp_plan_view *view,
                       const struct ttp_op *op)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, show->arena);
    ttp_sink_printf(&out, "ID %u ", op->row + 2);
    ttp_sink_put(&out, ttp_sym_name(view->report->syms, op->name));
    if (op->limit != TTP_LIMIT_NONE)
        ttp_sink_printf(&out, ", %s", ttp_diagnosis_limit_name((enum ttp_limit)op->limit));
    return ttp_sink_text(&out);
}

/* Where the first config that pays is in Python. */
static void put_paste(const struct ttp_show *show, const struct ttp_plan_view *view,
                      const struct ttp_plan_item *item)
{
    for (size_t i = 0; i < item->ops && i < TTP_PLAN_CONFIGS; i++)
        if (item->config[i].known && item->config[i].pays) {
            const struct ttp_plan_config *c = &item->config[i];

            ttp_str choice = {0};

            if (c->rank > 1)
                choice = ttp_sink_format(show->arena, " --paste %zu", c->rank);
            put_line(
                show, 6, "    to paste: tt-perf config --run %.*s%.*s%.*s --id %u%s%s%s%s%s%.*s",
                TTP_FMT(view->operands), TTP_FMT(view->options), TTP_FMT(view->memory),
                view->report->op[item->op[i]].row + 2, c->folded ? " --fold-batch" : "",
                c->weights ? " --weights " : "", c->weights ? c->weights : "",
                c->fidelity ? " --fidelity " : "", c->fidelity ? c->fidelity : "", TTP_FMT(choice));
            return;
        }
}

/* Is the config of an op for other formats, so that its gain is that of both? */
static bool is_of_formats(const struct ttp_plan_item *item, size_t i)
{
    return i < TTP_PLAN_CONFIGS && item->config[i].known &&
           (item->config[i].weights || item->config[i].fidelity);
}

static void put_ops(const struct ttp_show *show, const struct ttp_plan_view *view,
                    const struct ttp_plan_item *item)
{
    const struct ttp_report *r = view->report;

    const size_t top = view->top ? view->top : TOP_OPS;

    for (size_t i = 0; i < item->ops && i < top; i++) {
        const struct ttp_op *op = &r->op[item->op[i]];
        const double gain = item->op_gain_us[i];

        put_line(show, 6, "    %.*s%s%.*s%s", TTP_FMT(name_of(show, view, op)),
                 gain > 0 ? ", saves " : "",
                 TTP_FMT(gain > 0 ? ttp_time_us_text(gain, show->arena) : (ttp_str){0}),
                 gain > 0 && is_of_formats(item, i) ? " with its config" : "");
        if (i < TTP_PLAN_CONFIGS && item->config[i].known)
            put_config(show, &item->config[i]);
    }
    if (item->ops > top)
        ttp_sink_printf(show->out, "    ... and %zu more\n", item->ops - top);
    put_paste(show, view, item);
}

/* "high", "low (try it)"; and where the figure is from. */
static const char *confidence_text(const struct ttp_plan_item *item)
{
    return item->confidence == TTP_PLAN_TRY ? "low (try it)"
                                            : ttp_plan_confidence_name(item->confidence);
}

static const char *basis_text(const struct ttp_plan_item *item)
{
    static const char *const texts[] = {[TTP_BASIS_MEASURED] = "measured in this run",
                                        [TTP_BASIS_MODELLED] = "modelled",
                                        [TTP_BASIS_GUESSED] = "guessed"};

    return texts[item->rule->basis];
}

/* What is expected of it here, and what it would bring alone if that is more. */
static void put_gain(const struct ttp_show *show, const struct ttp_plan *plan,
                     const struct ttp_plan_item *item)
{
    const bool less = item->further_us < item->gain_us * (1 - SAME_PART);
    const double us = less ? item->further_us : item->gain_us, part = us / item->gain_us;
    struct ttp_arena *arena = show->arena;
    struct ttp_sink line;

    ttp_sink_to_arena(&line, arena);
    /* the end of the range is what it may bring, not what is expected of it */
    ttp_sink_printf(&line, "  expected gain: %s%.*s%s, %.1f %% of the run%s",
                    us < item->high_us ? "" : "up to ", TTP_FMT(ttp_time_us_text(us, arena)),
                    less ? " after the changes before it" : "", item->gain_pct * part,
                    plan->between_us > 0 ? " with its waits" : "");
    if (item->device_pct > 0)
        ttp_sink_printf(&line, ", %.1f %% of its device time", item->device_pct * part);
    if (less)
        ttp_sink_printf(&line, "; alone %.*s", TTP_FMT(ttp_time_us_text(item->gain_us, arena)));
    put_line(show, 4, "%.*s", TTP_FMT(ttp_sink_text(&line)));
    put_line(show, 4, "  range: %.*s to %.*s, confidence: %s, %s",
             TTP_FMT(ttp_time_us_text(item->low_us, arena)),
             TTP_FMT(ttp_time_us_text(item->high_us, arena)), confidence_text(item),
             basis_text(item));
}

/* All that is known of an item but its name. */
static void put_details(const struct ttp_show *show, const struct ttp_plan_view *view,
                        const struct ttp_plan_item *item)
{
    if (item->gain_us > 0)
        put_gain(show, view->plan, item);
    put_line(show, 4, "  because: %s", item->rule->why);
    put_line(show, 4, "  evidence: %.*s", TTP_FMT(item->evidence));
    if (item->formula.len)
        put_line(show, 4, "  formula: %.*s", TTP_FMT(item->formula));
    put_ops(show, view, item);
    put_line(show, 4, "  risk: %s", item->rule->risk);
    put_line(show, 4, "  verify: %.*s: %s", TTP_FMT(ttp_out_advise_command(view, item)),
             item->rule->verify);
    ttp_sink_printf(show->out, "  how: tt-perf explain %s\n", item->rule->id);
}

/* What to do, and on which device. */
static ttp_str name_change(const struct ttp_plan_item *item, struct ttp_arena *arena)
{
    return ttp_sink_format(arena, "%s%s%.*s%s", item->rule->title, item->whom.len ? " (" : "",
                           TTP_FMT(item->whom), item->whom.len ? ")" : "");
}

static void put_next(const struct ttp_show *show, const struct ttp_plan_view *view)
{
    const struct ttp_plan_item *item = &view->plan->item[0];

    ttp_sink_char(show->out, '\n');
    ttp_paint_themed(show->out, show->color ? TTP_GREEN : TTP_PLAIN, TTP_STR("Next change: "));
    ttp_paint_wrapped(show->out, name_change(item, show->arena), show->width,
                      sizeof("Next change: ") - 1, 2);
    put_details(show, view, item);
}

/* The same in short, for Markdown. */
static void put_next_line(const struct ttp_show *show, const struct ttp_plan_view *view)
{
    const struct ttp_plan_item *item = &view->plan->item[0];
    struct ttp_sink *out = show->out;

    ttp_sink_printf(out, "\n**Next change:** %.*s", TTP_FMT(name_change(item, show->arena)));
    if (item->gain_us > 0)
        ttp_sink_printf(out, ": %.*s (%.*s to %.*s), confidence %s, %s",
                        TTP_FMT(ttp_time_us_text(item->further_us, show->arena)),
                        TTP_FMT(ttp_time_us_text(item->low_us, show->arena)),
                        TTP_FMT(ttp_time_us_text(item->high_us, show->arena)),
                        confidence_text(item), basis_text(item));
    ttp_sink_printf(out, ". Evidence: %.*s. Verify: `%.*s`: %s.\n", TTP_FMT(item->evidence),
                    TTP_FMT(ttp_out_advise_command(view, item)), item->rule->verify);
}

/* How the gain of an item of the list was found. */
static void put_reckoning(const struct ttp_show *show, const struct ttp_plan_view *view,
                          const struct ttp_plan_item *item)
{
    if (!(item->gain_us > 0))
        return;
    put_line(show, 10, "        %.*s: %.*s",
             TTP_FMT(name_of(show, view, &view->report->op[item->op[0]])), TTP_FMT(item->formula));
    put_line(show, 10, "        %s, range %.*s to %.*s; risk: %s", basis_text(item),
             TTP_FMT(ttp_time_us_text(item->low_us, show->arena)),
             TTP_FMT(ttp_time_us_text(item->high_us, show->arena)), item->rule->risk);
}

static void put_bar(const struct ttp_show *show, double part, size_t length)
{
    const size_t full = (size_t)(part * (double)length + 0.5);

    for (size_t i = 0; i < length; i++)
        ttp_sink_put(show->out, i < full ? TTP_STR("█") : TTP_STR("·"));
}

/* What to do, at how many ops, and what it is an alternative to. */
static ttp_str title_of(const struct ttp_plan_item *item, struct ttp_arena *arena)
{
    struct ttp_sink title;

    ttp_sink_to_arena(&title, arena);
    ttp_sink_printf(&title, "%.*s, %zu %s%s", TTP_FMT(name_change(item, arena)), item->ops,
                    item->ops == 1 ? "op" : "ops",
                    item->confidence == TTP_PLAN_TRY ? " (try)" : "");
    if (item->instead_of)
        ttp_sink_printf(&title, "; alternative to %s: only what it gains beyond that counts",
                        item->instead_of);
    return ttp_sink_text(&title);
}

/* Titles are too long for a column. */
static void put_items(const struct ttp_show *show, const struct ttp_plan_view *view,
                      const struct ttp_table *table)
{
    const size_t bar = show->width > 0 && show->width < NARROW ? 0 : BAR;
    const size_t names = 24 + bar; /* where they begin */

    ttp_sink_char(show->out, '\n');
    put_line(show, 2,
             "Plan, by gain and confidence (later gains exclude what earlier ones already save; "
             "predicted times are measured times scaled by the model); %% of device time, for gaps "
             "%% of the run");
    for (size_t i = 0; i < table->count; i++) {
        const struct ttp_plan_item *item = &view->plan->item[table->index[i]];
        const double pct = ttp_plan_further_pct(item);
        const ttp_str time = ttp_time_us_text(item->further_us, show->arena);

        if (item->gain_us > 0) {
            ttp_sink_printf(show->out, "  %6.1f %% ", pct);
            for (size_t n = ttp_str_code_points(time); n < 9; n++)
                ttp_sink_char(show->out, ' ');
            ttp_sink_put(show->out, time);
        } else {
            ttp_sink_own(show->out, "  not estimated     ");
        }
        ttp_sink_own(show->out, "  ");
        put_bar(show, pct / 100, bar);
        ttp_sink_repeat(show->out, ' ', bar ? 2 : 0);
        ttp_sink_printf(show->out, "%-19s ", item->rule->id);
        const size_t id = strlen(item->rule->id);
        ttp_paint_wrapped(show->out, title_of(item, show->arena), show->width,
                          names + (id > 19 ? id : 19) + 1, names + 20);
        if (view->full && table->index[i] > 0)
            put_details(show, view, item);
        else if (table->index[i] > 0)
            put_reckoning(show, view, item);
    }
}

/* The longest of the user's own kernels whose threads are known; NULL: none. */
static const struct ttp_kernel_program *longest_of(const struct ttp_kernel_report *kernels)
{
    const struct ttp_kernel_program *longest = NULL;

    for (size_t i = 0; kernels && i < kernels->nprograms; i++) {
        const struct ttp_kernel_program *m = &kernels->program[i];
        if (m->verdict.from_waits && m->verdict.thread != TTP_LIMIT_NONE &&
            (!longest || m->duration_cycles > longest->duration_cycles))
            longest = m;
    }
    return longest;
}

/* No rule applies. What limits the kernel is known all the same, if its threads are. */
static void put_nothing(const struct ttp_show *show, const struct ttp_plan_view *view)
{
    const struct ttp_kernel_program *m = longest_of(view->kernels);
    struct ttp_sink text;

    if (!m) {
        put_line(show, 0,
                 view->kernels_unknown
                     ? "No rule applies to what is known: record the run with 'tt-perf "
                       "record --mode kernel' to see what its kernels wait for."
                     : "No rule applies: nothing is far from its ceiling for a known "
                       "reason.");
        return;
    }
    ttp_sink_to_arena(&text, show->arena);
    ttp_sink_put(&text, TTP_STR("No rule applies. "));
    ttp_sink_put(&text, ttp_kernel_sentence(m, show->arena));
    if (m->lines)
        ttp_sink_put(&text, TTP_STR(" 'tt-perf annotate' shows the lines that take the time."));
    put_line(show, 0, "%.*s", TTP_FMT(ttp_sink_text(&text)));
}

static void put_plan(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_plan_view *view = arg;

    (void)part;
    if (view->known)
        ttp_out_advise_put_known(show, view);
    if (view->plan->count && show->form == TTP_FORM_TEXT)
        put_next(show, view);
    else if (view->plan->count)
        put_next_line(show, view);
    if (view->plan->count == 0) {
        ttp_sink_char(show->out, '\n');
        put_nothing(show, view);
    } else if (show->form == TTP_FORM_MARKDOWN || show->columns) {
        ttp_sink_char(show->out, '\n');
        ttp_show_table(show, table);
    } else {
        put_items(show, view, table);
    }
}

static void put_steps(const struct ttp_show *show, const void *arg)
{
    const struct ttp_plan *plan = ((const struct ttp_plan_view *)arg)->plan;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;

    ttp_sink_char(show->out, '\n');
    if (!markdown)
        ttp_sink_own(show->out, "Checklist " TTP_CHECKLIST_LEGEND "\n");
    for (unsigned s = 0; s < TTP_STEPS; s++)
        if (plan->step[s].state != TTP_STEP_NOT_APPLICABLE ||
            (!markdown && (s < TTP_MODEL_STEPS || plan->step[s].seen.len)))
            ttp_out_checklist_put(show, plan->step[s].state,
                                  ttp_advice_step_title((enum ttp_step)s), plan->step[s].seen);
    if (!markdown)
        ttp_out_checklist_put(show, TTP_STEP_OPEN, "final check",
                              TTP_STR("tt-perf pcc golden output, PCC >= 0.99"));
}

/* Changes that bring nothing after those before them are of no use to people. */
static const struct ttp_plan *without_rest(const struct ttp_plan *plan, struct ttp_arena *arena)
{
    struct ttp_plan *out = TTP_NEW(arena, struct ttp_plan, 1);

    *out = *plan;
    out->item = TTP_NEW(arena, struct ttp_plan_item, plan->count + 1);
    out->count = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (ttp_plan_is_shown(&plan->item[i]))
            out->item[out->count++] = plan->item[i];
    return out;
}

ttp_code ttp_out_advise(const struct ttp_show *show, const struct ttp_plan_view *view,
                        struct ttp_err *err)
{
    struct ttp_plan_view shown = *view;
    const struct ttp_page page = {
        .arg = &shown, .head = put_head, .body = put_plan, .foot = put_steps};
    struct ttp_document doc;

    const bool people = show->form != TTP_FORM_JSON && !ttp_form_flat(show->form);

    if (people)
        shown.plan = without_rest(view->plan, show->arena);

    ttp_document_init(&doc, &ttp_advise_document, show->arena);
    ttp_document_object(&doc, TTP_ADVISE_RUN, view, view);
    if (view->known)
        ttp_document_rows(&doc, TTP_ADVISE_KNOWN, view, view->known->item, view->known->count);
    ttp_document_rows(&doc, TTP_ADVISE_PLAN, &shown, shown.plan->item, shown.plan->count);
    ttp_document_rows(&doc, TTP_ADVISE_STEPS, view, view->plan->step, TTP_STEPS);
    return ttp_show_document(show, &doc, &page, err);
}
