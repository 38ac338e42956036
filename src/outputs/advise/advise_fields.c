/* SPDX-License-Identifier: Apache-2.0 */
/* advise_fields.c - the figures of a plan. */
#include "outputs/advise/advise_parts.h"

#define GET(name, row_type, expression)                                                            \
    static struct ttp_value get_##name(const void *context, const void *row)                       \
    {                                                                                              \
        const struct ttp_plan_view *view = context;                                                \
        const row_type *r = row;                                                                   \
        (void)view;                                                                                \
        return expression;                                                                         \
    }

static struct ttp_value real(bool known, double v)
{
    return known ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}} : (struct ttp_value){0};
}

static struct ttp_value word(const char *s)
{
    return s && *s ? (struct ttp_value){TTP_VALUE_TEXT, {.text = ttp_str_from(s)}}
                   : (struct ttp_value){0};
}

/* --- ops of an item --- */

static const struct ttp_op *op_of(const struct ttp_plan_view *view, const size_t *index)
{
    return &view->report->op[*index];
}

/* The row is in the list of its item: the gain stands at the same place of another list. */
struct item_ops {
    const struct ttp_plan_view *view;
    const struct ttp_plan_item *item;
};

#define GET_OP(name, expression)                                                                   \
    static struct ttp_value get_op_##name(const void *context, const void *row)                    \
    {                                                                                              \
        const struct ttp_plan_view *view = ((const struct item_ops *)context)->view;               \
        const struct ttp_op *op = op_of(view, row);                                                \
        return expression;                                                                         \
    }
GET_OP(id, ((void)view, (struct ttp_value){TTP_VALUE_INT, {.i = (int64_t)op->row + 2}}))
GET_OP(name,
       ((struct ttp_value){TTP_VALUE_TEXT, {.text = ttp_sym_name(view->report->syms, op->code)}}))
GET_OP(limit, ((void)view, word(ttp_analysis_limit_name((enum ttp_limit)op->limit))))

static struct ttp_value get_op_gain(const void *context, const void *row)
{
    const struct ttp_plan_item *item = ((const struct item_ops *)context)->item;

    return real(item->gain_us > 0, item->op_gain_us[(const size_t *)row - item->op]);
}

static const struct ttp_field op_fields[] = {
    TTP_MEMBER("id", "ID", "", TTP_I64, 0, "line of the op in its file", .get = get_op_id),
    TTP_MEMBER("op", "Op", "", TTP_TEXT, 0, "name and size", .get = get_op_name),
    TTP_MEMBER("limit", "Limit", "", TTP_TEXT, 0, "what holds the op up", .get = get_op_limit),
    TTP_MEMBER("gain_us", "Gain", "us", TTP_F64, 1, "what the change saves of it",
               .get = get_op_gain),
};
static const struct ttp_fields ops = {TTP_FIELDS(op_fields)};

static struct ttp_records list_ops(const void *context, const void *row)
{
    const struct ttp_plan_view *view = context;
    const struct ttp_plan_item *item = row;
    struct item_ops *of = TTP_NEW(view->report->notes.arena, struct item_ops, 1);

    *of = (struct item_ops){view, item};
    return (struct ttp_records){&ops, of, item->op, sizeof(*item->op),
                                item->ops < view->top ? item->ops : view->top};
}

/* --- items --- */

double ttp_advise_further_pct(const struct ttp_plan_item *item)
{
    const double alone = item->device_pct > 0 ? item->device_pct : item->gain_pct;

    return item->gain_us > 0 ? alone * item->further_us / item->gain_us : 0;
}

#define ITEM struct ttp_plan_item
GET(rule, ITEM, word(r->rule->id))
GET(step, ITEM, word(ttp_step_id(r->rule->step)))
GET(title, ITEM, word(r->rule->title))
GET(why, ITEM, word(r->rule->why))
GET(verify, ITEM, word(r->rule->verify))
GET(gain, ITEM, real(r->gain_us > 0, r->gain_us))
GET(gain_pct, ITEM, real(r->gain_us > 0, r->gain_pct))
GET(device_pct, ITEM, real(r->device_pct > 0, r->device_pct))
GET(further, ITEM, real(r->gain_us > 0, r->further_us))
GET(further_pct, ITEM, real(r->gain_us > 0, ttp_advise_further_pct(r)))

static const struct ttp_field item_fields[] = {
    TTP_COLUMN("further_pct", "Gain", "%", TTP_F64, 1, 0,
               "further_us as a share of the device time, or of the run for gaps",
               .get = get_further_pct),
    TTP_COLUMN("further_us", "Gain", "us", TTP_F64, 1, 0,
               "what is left of the gain after all changes before it", .get = get_further),
    TTP_COLUMN("rule", "Rule", "", TTP_TEXT, 0, 0, "its name; 'tt-perf explain NAME' says how",
               .get = get_rule),
    TTP_COLUMN("title", "What to do", "", TTP_TEXT, 0, 0, "the change in a few words",
               .get = get_title),
    TTP_COLUMN("op_count", "Ops", "", TTP_I64, 0, 0, "ops that it is about", TTP_FIGURE(ITEM, ops)),
    TTP_MEMBER("step", "Step", "", TTP_TEXT, 0, "step of optimising a model", .get = get_step),
    TTP_MEMBER("why", "Why", "", TTP_TEXT, 0, "why it helps", .get = get_why),
    TTP_MEMBER("verify", "Verify", "", TTP_TEXT, 0, "how to see that it did", .get = get_verify),
    TTP_MEMBER("gain_us", "Alone", "us", TTP_F64, 1, "the gain if it is the only change",
               .get = get_gain),
    TTP_MEMBER("gain_pct", "Alone", "%", TTP_F64, 1, "gain_us as a share of the run",
               .get = get_gain_pct),
    TTP_MEMBER("device_pct", "Device", "%", TTP_F64, 1,
               "gain_us as a share of the device time; none for gaps", .get = get_device_pct),
    TTP_MEMBER("evidence", "Evidence", "", TTP_TEXT, 0, "what of the run shows it",
               TTP_FIGURE(ITEM, evidence)),
    {.id = "ops",
     .type = TTP_ROWS,
     .sub = &ops,
     .list = list_ops,
     .help = "the largest gain first; at most as many as --top says"},
};
static const struct ttp_fields items = {TTP_FIELDS(item_fields),
                                        .hint = "tt-perf advise --columns help lists them"};

/* --- the run --- */

static const char *const models[] = {"unknown", "transformer", "cnn", "kernels"};

#define VIEW struct ttp_plan_view
static struct ttp_value truth(bool yes)
{
    return (struct ttp_value){TTP_VALUE_BOOL, {.text = yes ? TTP_STR("True") : TTP_STR("False")}};
}
GET(arch, VIEW, word(r->report->arch->name))
GET(model, VIEW, word(models[r->plan->model]))
GET(memory_bound, VIEW, truth(r->plan->memory_bound))
GET(host_bound, VIEW, truth(r->plan->host_bound))
GET(total, VIEW, real(true, r->plan->total_us))
GET(gap, VIEW, real(true, r->report->gap_us))
GET(next, VIEW, r->plan->count ? word(r->plan->item[0].rule->id) : (struct ttp_value){0})

static const struct ttp_field run_fields[] = {
    TTP_MEMBER("run", "", "", TTP_TEXT, 0, "file or folder", TTP_FIGURE(VIEW, name)),
    TTP_MEMBER("arch", "", "", TTP_TEXT, 0, "architecture", .get = get_arch),
    TTP_MEMBER("model", "", "", TTP_TEXT, 0, "unknown, transformer, cnn or kernels",
               .get = get_model),
    TTP_MEMBER("memory_bound", "", "", TTP_BOOL, 0, NULL, .get = get_memory_bound),
    TTP_MEMBER("host_bound", "", "", TTP_BOOL, 0, NULL, .get = get_host_bound),
    TTP_MEMBER("total_us", "", "us", TTP_F64, 0, "device time and gaps", .get = get_total),
    TTP_MEMBER("gap_us", "", "us", TTP_F64, 0, "sum of the gaps", .get = get_gap),
    TTP_MEMBER("next", "", "", TTP_TEXT, 0, "rule of the first change", .get = get_next),
};
static const struct ttp_fields run = {TTP_FIELDS(run_fields)};

/* --- steps: their number is the row's place --- */

static const char *const states[] = {"not_applicable", "open", "partly", "done"};
#define STEP struct ttp_plan_step
GET(step_id, STEP, word(ttp_step_id((enum ttp_step)(r - view->plan->step))))

static const struct ttp_field step_fields[] = {
    TTP_MEMBER("step", "", "", TTP_TEXT, 0, NULL, .get = get_step_id),
    {.id = "state", TTP_WORD(STEP, state, states)},
    TTP_MEMBER("seen", "", "", TTP_TEXT, 0, "in which rows", TTP_FIGURE(STEP, seen)),
};
static const struct ttp_fields steps = {TTP_FIELDS(step_fields)};

static const struct ttp_part_spec parts[] = {
    [TTP_ADVISE_RUN] = {.kind = TTP_PART_DATA, .fields = &run, .json_only = true},
    [TTP_ADVISE_PLAN] = {.id = "plan", .fields = &items, .help = "the largest gain first"},
    [TTP_ADVISE_STEPS] = {.id = "steps", .fields = &steps, .json_only = true},
};
const struct ttp_document_spec ttp_advise_document = {
    .schema = "tt-perf.advise/2",
    .help = "What to change in a run",
    TTP_PARTS(parts),
    .main = TTP_ADVISE_PLAN,
};
