/* SPDX-License-Identifier: Apache-2.0 */
/* advise_fields.c - the figures of a plan. */
#include <math.h>

#include "outputs/advise/advise_parts.h"
#include "outputs/report/window_fields.h"

/* --- ops of an item --- */

static const struct ttp_op *op_of(const struct ttp_plan_view *view, const size_t *index)
{
    return &view->report->op[*index];
}

/* The row is in the list of its item: the gain is at the same place of another list. */
struct item_ops {
    const struct ttp_plan_view *view;
    const struct ttp_plan_item *item;
};

#define ITEM_OPS struct item_ops
TTP_GET(get_op_id, ITEM_OPS, size_t, ttp_value_i64((int64_t)op_of(c->view, r)->row + 2))
TTP_GET(get_op_name, ITEM_OPS, size_t,
        ttp_value_text(ttp_sym_name(c->view->report->syms, op_of(c->view, r)->name)))
TTP_GET(get_op_limit, ITEM_OPS, size_t,
        ttp_value_word(ttp_diagnosis_limit_name((enum ttp_limit)op_of(c->view, r)->limit)))
TTP_GET(get_op_gain, ITEM_OPS, size_t,
        ttp_value_f64(c->item->gain_us > 0 ? c->item->op_gain_us[r - c->item->op] : NAN))

TTP_GET(get_op_further, ITEM_OPS, size_t,
        ttp_value_f64(c->item->gain_us > 0 ? c->item->op_further_us[r - c->item->op] : NAN))

#define CONFIG(member) TTP_FIGURE(struct ttp_plan_config, member)
static const struct ttp_field config_fields[] = {
    TTP_WORDS("config", CONFIG(config), .help = "in the form that tt-perf config check reads"),
    TTP_REAL("predicted_us", "us", 1, CONFIG(predicted_us)),
    TTP_REAL("low_us", "us", 1, CONFIG(low_us)),
    TTP_REAL("high_us", "us", 1, CONFIG(high_us)),
    TTP_REAL("gain_us", "us", 1, CONFIG(gain_us)),
    TTP_FLAG("pays", CONFIG(pays), .help = "faster by more than the model's error"),
    TTP_WORDS("confidence", CONFIG(confidence), .help = "high, medium or low"),
    TTP_FLAG("try", CONFIG(try_it), .help = "few such configs were measured"),
    TTP_FLAG("moves_tensors", CONFIG(moves_tensors)),
    TTP_FLAG("folded", CONFIG(folded), .help = "for the batches folded into the rows"),
    TTP_WORDS("weights", CONFIG(weights),
              .help = "type of the weights that it is for; null: as in the run"),
    TTP_WORDS("fidelity", CONFIG(fidelity),
              .help = "math fidelity that it is for; null: as in the run"),
};
static const struct ttp_fields config = {TTP_FIELDS(config_fields)};

static struct ttp_records list_config(const void *context, const void *row)
{
    const struct item_ops *c = context;
    const size_t at = (size_t)((const size_t *)row - c->item->op);
    const bool known = at < TTP_PLAN_CONFIGS && c->item->config[at].known;

    return (struct ttp_records){&config, NULL, known ? &c->item->config[at] : NULL, 0, known};
}

#define BUFFER(member) TTP_FIGURE(struct ttp_spill_buffer, member)
static const struct ttp_field buffer_fields[] = {
    TTP_INT("address", "", BUFFER(address)),
    TTP_INT("bytes", "B", BUFFER(bytes), .help = "of a bank"),
    TTP_INT("tensor_id", "", BUFFER(tensor), .is_id = true, .help = "the last that lived in it"),
    TTP_INT("last_op", "", BUFFER(last_op), .above_0 = true, .help = "of the capture that used it"),
    TTP_WORDS("last_op_name", BUFFER(last_name)),
};
static const struct ttp_fields buffers = {TTP_FIELDS(buffer_fields)};

#define SPILL(member) TTP_FIGURE(struct ttp_plan_spill, member)
static const struct ttp_field spill_fields[] = {
    TTP_INT("op_id", "", SPILL(op_id), .help = "in the capture"),
    TTP_INT("needed_bytes", "B", SPILL(needed_bytes), .help = "of a bank, for the output"),
    TTP_INT("largest_free_bytes", "B", SPILL(largest_free_bytes), .help = "above circular buffers"),
    TTP_INT("largest_free_without_stale_bytes", "B", SPILL(without_stale_bytes)),
    TTP_INT("stale_bytes", "B", SPILL(stale_bytes)),
    {.id = "free",
     TTP_ROWS_AT(struct ttp_plan_spill, buffer, buffers, buffers),
     .help = "the fewest bytes that make room; empty: it fits already"},
};
static const struct ttp_fields spill = {TTP_FIELDS(spill_fields)};

static struct ttp_records list_spill(const void *context, const void *row)
{
    const struct item_ops *c = context;
    const bool asked = strcmp(c->item->rule->id, "stale-l1") == 0;
    const struct ttp_plan_spill *of = asked ? c->view->plan->spill[*(const size_t *)row] : NULL;

    return (struct ttp_records){&spill, NULL, of, 0, of != NULL};
}

static const struct ttp_field op_fields[] = {
    TTP_INT("id", "", .get = get_op_id, .title = "ID", .help = "line of the op in its file"),
    TTP_WORDS("op", .get = get_op_name, .title = "Op", .help = "name and size"),
    TTP_WORDS("limit", .get = get_op_limit, .title = "Limit", .help = "bottleneck of the op"),
    TTP_REAL("gain_us", "us", 1, .get = get_op_gain, .title = "Gain",
             .help = "time that the change saves"),
    TTP_REAL("further_us", "us", 1, .get = get_op_further, .title = "Further",
             .help = "gain that remains after all earlier changes"),
    {.id = "proposed_config",
     .type = TTP_OBJECT,
     .sub = &config,
     .list = list_config,
     .optional = true,
     .help = "for a matmul: the first proposal of tt-perf config"},
    {.id = "stale_l1",
     .type = TTP_OBJECT,
     .sub = &spill,
     .list = list_spill,
     .optional = true,
     .help = "for the rule stale-l1: what keeps the output out of L1"},
};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields)};

static struct ttp_records list_ops(const void *context, const void *row)
{
    const struct ttp_plan_view *view = context;
    const struct ttp_plan_item *item = row;
    struct item_ops *of = TTP_NEW(view->report->notes.arena, struct item_ops, 1);

    *of = (struct item_ops){view, item};
    return (struct ttp_records){&ops, of, item->op, sizeof(*item->op),
                                view->top && view->top < item->ops ? view->top : item->ops};
}

/* --- items --- */

ttp_str ttp_out_advise_command(const struct ttp_plan_view *view, const struct ttp_plan_item *item)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, view->report->notes.arena);
    const ttp_str words = ttp_str_from(item->rule->shown_by ? item->rule->shown_by : "diff ");
    /* the others do not read a part of a run */
    const bool of_part = !item->rule->shown_by || ttp_str_starts(words, TTP_STR("report ")) ||
                         ttp_str_starts(words, TTP_STR("advise "));

    ttp_sink_printf(&out, "tt-perf %.*s", TTP_FMT(words));
    if (!item->rule->shown_by)
        ttp_sink_printf(&out, "%.*s AFTER", TTP_FMT(view->operands));
    if (of_part)
        ttp_sink_put(&out, view->options);
    return ttp_sink_text(&out);
}

#define ITEM struct ttp_plan_item
TTP_GET(get_rule, struct ttp_plan_view, ITEM, ttp_value_word(r->rule->id))
TTP_GET(get_step, struct ttp_plan_view, ITEM, ttp_value_word(ttp_advice_step_id(r->rule->step)))
TTP_GET(get_title, struct ttp_plan_view, ITEM, ttp_value_word(r->rule->title))
TTP_GET(get_why, struct ttp_plan_view, ITEM, ttp_value_word(r->rule->why))
TTP_GET(get_verify, struct ttp_plan_view, ITEM, ttp_value_word(r->rule->verify))
TTP_GET(get_command, struct ttp_plan_view, ITEM, ttp_value_text(ttp_out_advise_command(c, r)))
TTP_GET(get_basis, struct ttp_plan_view, ITEM, ttp_value_word(ttp_plan_basis_name(r->rule->basis)))
TTP_GET(get_risk, struct ttp_plan_view, ITEM, ttp_value_word(r->rule->risk))
TTP_GET(get_further, struct ttp_plan_view, ITEM,
        ttp_value_f64(r->gain_us > 0 ? r->further_us : NAN))
TTP_GET(get_further_pct, struct ttp_plan_view, ITEM,
        ttp_value_f64(r->gain_us > 0 ? ttp_plan_further_pct(r) : NAN))

TTP_GET(get_low, struct ttp_plan_view, ITEM, ttp_value_f64(r->gain_us > 0 ? r->low_us : NAN))
TTP_GET(get_high, struct ttp_plan_view, ITEM, ttp_value_f64(r->gain_us > 0 ? r->high_us : NAN))
TTP_GET(get_confidence, struct ttp_plan_view, ITEM,
        ttp_value_word(ttp_plan_confidence_name(r->confidence)))

static const struct ttp_field item_fields[] = {
    TTP_REAL_COLUMN("further_percent", "Gain", "%", 1, 0, .get = get_further_pct,
                    .help = "further_us as a share of the device time, or of the run for gaps"),
    TTP_REAL_COLUMN("further_us", "Gain", "us", 1, 0, .get = get_further,
                    .help = "gain that remains after all earlier changes"),
    TTP_WORDS_COLUMN("rule", "Rule", 0, .get = get_rule,
                     .help = "its name; see 'tt-perf explain NAME'"),
    TTP_WORDS_COLUMN("title", "What to do", 0, .get = get_title,
                     .help = "the change in a few words"),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(ITEM, ops), .help = "ops that it affects"),
    TTP_WORDS("step", .get = get_step, .title = "Step", .help = "step of optimising a model"),
    TTP_WORDS("why", .get = get_why, .title = "Why", .help = "why it helps"),
    TTP_WORDS("verify", .get = get_verify, .title = "Verify", .help = "evidence that it worked"),
    TTP_WORDS("command", .get = get_command, .title = "Command",
              .help = "verifies it; AFTER is the run with the change"),
    TTP_WORDS("risk", .get = get_risk, .title = "Risk",
              .help = "risk of the change, mainly for accuracy"),
    TTP_WORDS("basis", .get = get_basis, .title = "Basis",
              .help = "of the gain: measured in this run, modelled, or guessed from others"),
    TTP_WORDS("formula", TTP_FIGURE(ITEM, formula), .optional = true, .title = "Formula",
              .help = "gain of the first op, with its numbers"),
    TTP_REAL("gain_us", "us", 1, TTP_FIGURE(ITEM, gain_us), .above_0 = true, .title = "Alone",
             .help = "the gain if it is the only change"),
    TTP_REAL("gain_percent", "%", 1, TTP_FIGURE(ITEM, gain_pct), .above_0 = true, .title = "Alone",
             .help = "gain_us as a share of the run"),
    TTP_REAL("device_percent", "%", 1, TTP_FIGURE(ITEM, device_pct), .above_0 = true,
             .title = "Device", .help = "gain_us as a share of the device time; none for gaps"),
    TTP_REAL("low_us", "us", 1, .get = get_low, .title = "Low",
             .help = "lower bound of further_us, from measured campaigns"),
    TTP_REAL("high_us", "us", 1, .get = get_high, .title = "High",
             .help = "upper bound of further_us"),
    TTP_WORDS_COLUMN("confidence", "Confidence", 1, .get = get_confidence,
                     .help = "high, medium or try"),
    TTP_WORDS("instead_of", TTP_FIGURE(ITEM, instead_of), .optional = true, .title = "Instead of",
              .help = "earlier rule that saves the same time: apply only one of them"),
    TTP_WORDS("evidence", TTP_FIGURE(ITEM, evidence), .title = "Evidence",
              .help = "evidence in the run"),
    {.id = "ops",
     .type = TTP_ROWS,
     .sub = &ops,
     .list = list_ops,
     .help = "of one iteration, largest gain first; all, or at most --top entries"},
};
const struct ttp_fields ttp_plan_item_fields = {TTP_FIELDS(item_fields),
                                                .hint = "tt-perf advise --columns help lists them"};

/* --- the run --- */

static const char *const models[] = {"unknown", "transformer", "cnn", "kernels"};

#define VIEW struct ttp_plan_view
static struct ttp_records list_quality(const void *context, const void *row)
{
    const struct ttp_plan_view *view = row;

    return (struct ttp_records){&ttp_quality_fields, context, &view->report->quality, 0, 1};
}

static struct ttp_records list_window(const void *context, const void *row)
{
    const struct ttp_plan_view *view = row;

    return (struct ttp_records){&ttp_window_fields, context, &view->report->window, 0, 1};
}

TTP_GET(get_arch, struct ttp_plan_view, VIEW, ttp_value_word(r->report->arch->name))
TTP_GET(get_model, struct ttp_plan_view, VIEW, ttp_value_word(models[r->plan->model]))
TTP_GET(get_memory_bound, struct ttp_plan_view, VIEW, ttp_value_bool(r->plan->memory_bound))
TTP_GET(get_host_bound, struct ttp_plan_view, VIEW, ttp_value_bool(r->plan->host_bound))
TTP_GET(get_total, struct ttp_plan_view, VIEW, ttp_value_f64(r->plan->total_us))
TTP_GET(get_gap, struct ttp_plan_view, VIEW, ttp_value_f64(r->plan->gap_us))
TTP_GET(get_between, struct ttp_plan_view, VIEW, ttp_value_f64(r->plan->between_us))
TTP_GET(get_next, struct ttp_plan_view, VIEW,
        ttp_value_word(r->plan->count ? r->plan->item[0].rule->id : NULL))

static const struct ttp_field run_fields[] = {
    TTP_WORDS("run", TTP_FIGURE(VIEW, name), .help = "file or folder"),
    TTP_WORDS("arch", .get = get_arch, .help = "architecture"),
    {.id = "quality",
     .type = TTP_OBJECT,
     .list = list_quality,
     .sub = &ttp_quality_fields,
     .help = TTP_QUALITY_HELP},
    {.id = "window",
     .type = TTP_OBJECT,
     .list = list_window,
     .sub = &ttp_window_fields,
     .help = TTP_WINDOW_HELP},
    TTP_WORDS("model", .get = get_model, .help = "unknown, transformer, cnn or kernels"),
    TTP_FLAG("memory_bound", .get = get_memory_bound),
    TTP_FLAG("host_bound", .get = get_host_bound),
    TTP_REAL("total_us", "us", 0, .get = get_total,
             .help = "of an iteration: device time, gaps and the wait before it"),
    TTP_REAL("gap_us", "us", 0, .get = get_gap, .help = "gaps inside the iteration"),
    TTP_REAL("between_us", "us", 0, .get = get_between,
             .help = "wait before the iteration; 0 if negligible"),
    TTP_WORDS("next", .get = get_next, .help = "rule of the first change"),
};
static const struct ttp_fields run = {TTP_FIELDS(run_fields)};

/* --- steps: their number is the row's place --- */

static const char *const states[] = {"not_applicable", "open", "partly", "done"};
#define STEP struct ttp_plan_step
TTP_GET(get_step_id, struct ttp_plan_view, STEP,
        ttp_value_word(ttp_advice_step_id((enum ttp_step)(r - c->plan->step))))

static const struct ttp_field step_fields[] = {
    TTP_WORDS("step", .get = get_step_id),
    {.id = "state", TTP_WORD(STEP, state, states)},
    TTP_WORDS("seen", TTP_FIGURE(STEP, seen), .help = "evidence in the rows"),
};
static const struct ttp_fields steps = {TTP_FIELDS(step_fields)};

static const struct ttp_part_spec parts[] = {
    [TTP_ADVISE_RUN] = {.kind = TTP_PART_DATA, .fields = &run, .json_only = true},
    [TTP_ADVISE_KNOWN] = {.id = "history",
                          .fields = &ttp_known_op_fields,
                          .json_only = true,
                          .optional = true,
                          .help = "with --history: ops that ran faster with other settings"},
    [TTP_ADVISE_PLAN] = {.id = "plan",
                         .fields = &ttp_plan_item_fields,
                         .help = "by gain and confidence: a gain that is only worth a try comes "
                                 "after smaller ones that are surer"},
    [TTP_ADVISE_STEPS] = {.id = "steps", .fields = &steps, .json_only = true},
};
const struct ttp_document_spec ttp_advise_document = {
    .schema = "tt-perf.advise/2",
    .help = "Recommended changes of a run",
    TTP_PARTS(parts),
    .main = TTP_ADVISE_PLAN,
};
