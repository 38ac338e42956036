/* SPDX-License-Identifier: Apache-2.0 */
/* config_page.c - configs of a matmul, with headlines and notes. */
#include "base/quantity.h"
#include "outputs/outputs.h"

/* ---- the problem ---- */

static const char *const fidelities[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

#define VIEW                    struct ttp_config_view
#define MATMUL                  struct ttp_matmul
#define OF_PROBLEM(name, value) TTP_GET(name, VIEW, MATMUL, value)
OF_PROBLEM(get_in0_type, ttp_value_word(ttp_cost_tile_type_name(r->a)))
OF_PROBLEM(get_weights_type, ttp_value_word(ttp_cost_tile_type_name(r->b)))
OF_PROBLEM(get_out_type, ttp_value_word(ttp_cost_tile_type_name(r->out)))
OF_PROBLEM(get_bias, ttp_value_bool(r->bias != TTP_TILE_NONE))
OF_PROBLEM(get_in0, ttp_value_text(ttp_config_placement_text(&r->in0, c->arena)))
OF_PROBLEM(get_weights, ttp_value_text(ttp_config_placement_text(&r->in1, c->arena)))
OF_PROBLEM(get_out, ttp_value_text(ttp_config_placement_text(&r->out_at, c->arena)))
OF_PROBLEM(get_board, ttp_value_word(r->chip.board->name))
OF_PROBLEM(get_op, ttp_value_text(c->op))

#define PROBLEM(member) TTP_FIGURE(MATMUL, member)
static const struct ttp_field problem_fields[] = {
    TTP_INT("m", "", PROBLEM(m)),
    TTP_INT("k", "", PROBLEM(k)),
    TTP_INT("n", "", PROBLEM(n)),
    TTP_INT("batch", "", PROBLEM(batch)),
    TTP_INT("batch_b", "", PROBLEM(batch_b)),
    TTP_WORDS("in0_datatype", .get = get_in0_type),
    TTP_WORDS("in1_datatype", .get = get_weights_type),
    TTP_WORDS("out_datatype", .get = get_out_type),
    TTP_FLAG("bias", .get = get_bias),
    {.id = "fidelity", TTP_WORD(MATMUL, fidelity, fidelities)},
    TTP_FLAG("fp32_acc", PROBLEM(fp32_acc)),
    TTP_WORDS("in0_memory", .get = get_in0),
    TTP_WORDS("in1_memory", .get = get_weights),
    TTP_WORDS("out_memory", .get = get_out),
    TTP_WORDS("board", .get = get_board),
    TTP_WORDS("op", .get = get_op,
              .help = "of the run; null if the problem was given on the command line"),
};
static const struct ttp_fields problem = {TTP_FIELDS(problem_fields)};

/* ---- the answer ---- */

static bool is_check(const struct ttp_config_view *v)
{
    return v->rows && strcmp(v->action, "check") == 0;
}

/* Of the config that was checked, or that ttnn picks. */
static struct ttp_value answer(const struct ttp_config_view *v, const char *id)
{
    const struct ttp_config_context context = {v->arena};
    const struct ttp_field *f = ttp_fields_find(&ttp_config_fields, ttp_str_from(id));

    return v->rows && strcmp(v->action, "propose") != 0 ? ttp_field_value(f, &context, v->row)
                                                        : (struct ttp_value){0};
}

#define OF_VIEW(name, value) TTP_GET(name, VIEW, VIEW, value)
OF_VIEW(get_verdict, answer(r, "verdict"))
OF_VIEW(get_rule, answer(r, "rule"))
OF_VIEW(get_reason, answer(r, "reason"))
OF_VIEW(get_config, answer(r, "config"))
OF_VIEW(get_l1_bytes, answer(r, "l1_bytes"))
OF_VIEW(get_predicted, answer(r, "predicted_us"))
OF_VIEW(get_shard,
        is_check(r) && r->row->check.assumed_shard && r->row->check.verdict != TTP_CONFIG_BROKEN
            ? ttp_value_i64(r->row->check.shard_w)
            : (struct ttp_value){0})

static struct ttp_records list_not_checked(const void *context, const void *row)
{
    const struct ttp_config_view *v = row;
    struct ttp_records open = {&ttp_bare_cstr, context, NULL, sizeof(const char *), 0};

    if (is_check(v)) {
        open.first = v->row[0].check.open;
        open.count = v->row[0].check.nopen;
    }
    return open;
}

#define FIGURE(member) TTP_FIGURE(VIEW, member)
static const struct ttp_field view_fields[] = {
    TTP_WORDS("action", FIGURE(action), .help = "check, auto or propose"),
    {.id = "problem", TTP_OBJECT_AT(VIEW, problem, problem)},
    TTP_WORDS("verdict", .get = get_verdict, .help = "legal, broken or undecided"),
    TTP_WORDS("rule", .get = get_rule, .help = "the first that is broken"),
    TTP_WORDS("reason", .get = get_reason, .help = "the reason, with its numbers"),
    TTP_WORDS("config", .get = get_config, .help = "checked, or picked by ttnn"),
    TTP_INT("l1_bytes", "bytes", .get = get_l1_bytes, .help = "per core"),
    TTP_REAL("predicted_us", "us", 1, .get = get_predicted, .help = "predicted by the cost model"),
    {.id = "not_checked",
     .type = TTP_ROWS,
     .list = list_not_checked,
     .sub = &ttp_bare_cstr,
     .help = "what the input is not enough to decide"},
    TTP_INT("assumed_shard_tiles", "", .get = get_shard,
            .help = "legal only if input 0 has shards of this width"),
    {.id = "why", TTP_ROWS_AT(VIEW, why, nwhy, ttp_bare_cstr), .help = "ttnn picks this config"},
    TTP_FLAG("depends_on_l1", FIGURE(depends_on_l1)),
    TTP_INT("tried", "", FIGURE(tried), .help = "configs of a search"),
    TTP_INT("legal", "", FIGURE(legal), .help = "of them"),
    TTP_WORDS("python", FIGURE(python), .help = "to paste"),
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

enum { PART_VIEW, PART_CONFIGS };
static const struct ttp_part_spec parts[] = {
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_CONFIGS] = {.id = "configs", .fields = &ttp_config_fields},
};
const struct ttp_document_spec ttp_config_document = {
    .schema = "tt-perf.config/1",
    .help = "Program configs of a matmul",
    TTP_PARTS(parts),
    .main = PART_CONFIGS,
};

/* ---- the page ---- */

static void put_verdict(const struct ttp_show *show, const struct ttp_config_view *v)
{
    const struct ttp_config_check *check = &v->row[0].check;
    const int width = show->form == TTP_FORM_TEXT ? show->width : 0;
    struct ttp_sink *out = show->out;

    if (check->verdict == TTP_CONFIG_BROKEN)
        ttp_paint_wrapped(
            out, ttp_sink_format(show->arena, "broken: %s: %s", check->rule, check->reason), width,
            0, 2);
    else
        ttp_sink_printf(out, "%s\n", ttp_config_verdict_name(check->verdict));
    for (size_t i = 0; i < check->nopen; i++)
        ttp_paint_wrapped(out, ttp_sink_format(show->arena, "not checked: %s", check->open[i]),
                          width, 0, 2);
    if (check->verdict != TTP_CONFIG_BROKEN && check->assumed_shard)
        ttp_paint_wrapped(
            out,
            ttp_sink_format(show->arena,
                            "legal only if the shards of input 0 are %u tiles wide (or a multiple "
                            "that divides K): their shape was not given",
                            check->shard_w),
            width, 0, 2);
    if (check->has_l1)
        ttp_sink_printf(out, "L1: %llu of %llu bytes per core (%.1f %%)\n",
                        (unsigned long long)check->l1_bytes, (unsigned long long)check->l1_limit,
                        ttp_config_l1_pct(check));
}

static void put_auto(const struct ttp_show *show, const struct ttp_config_view *v)
{
    const int width = show->form == TTP_FORM_TEXT ? show->width : 0;

    for (size_t i = 0; i < v->nwhy; i++)
        ttp_paint_wrapped(show->out, ttp_sink_format(show->arena, "because: %s", v->why[i]), width,
                          0, 2);
    if (v->depends_on_l1)
        ttp_sink_own(show->out, "a different amount of free L1 may give a different config\n");
    if (v->rows)
        ttp_paint_wrapped(show->out,
                          ttp_sink_format(show->arena, "config: %.*s",
                                          TTP_FMT(ttp_config_text(&v->row[0].config, v->arena))),
                          width, 0, 2);
}

void ttp_out_config_put_scale(const struct ttp_show *show, double scale, double model_us)
{
    ttp_paint_wrapped(
        show->out,
        ttp_sink_format(show->arena,
                        "predicted times are scaled to the measured time, x %.2f: the model alone "
                        "predicts %.*s for the config in use",
                        scale, TTP_FMT(ttp_time_us_text(model_us, show->arena))),
        show->form == TTP_FORM_TEXT ? show->width : 0, 0, 2);
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_config_view *v = arg;
    struct ttp_sink *out = show->out;

    const bool markdown = show->form == TTP_FORM_MARKDOWN;
    const ttp_str line = ttp_sink_format(
        show->arena, "%.*s%s%.*s; input 0 %.*s, weights %.*s, output %.*s; %s", TTP_FMT(v->op),
        v->op.len ? ": " : "", TTP_FMT(ttp_config_matmul_line(v->problem, v->arena)),
        TTP_FMT(ttp_config_placement_text(&v->problem->in0, v->arena)),
        TTP_FMT(ttp_config_placement_text(&v->problem->in1, v->arena)),
        TTP_FMT(ttp_config_placement_text(&v->problem->out_at, v->arena)),
        v->problem->chip.board->name);
    ttp_paint_wrapped(out, line, markdown ? 0 : show->width, 0, 2);
    if (markdown)
        ttp_sink_char(out, '\n');
    if (strcmp(v->action, "check") == 0)
        put_verdict(show, v);
    else if (strcmp(v->action, "auto") == 0)
        put_auto(show, v);
    else
        ttp_sink_printf(out, "%llu configs tried, %llu legal; predictions, not measurements\n",
                        (unsigned long long)v->tried, (unsigned long long)v->legal);
    if (v->scale > 0)
        ttp_out_config_put_scale(show, v->scale, v->model_us);
    if (v->rows)
        ttp_sink_char(out, '\n');
}

/* What another config must save at least: the model cannot tell less. */
#define LEAST_PART 0.02

/* A narrow table cuts configs where they begin to differ. */
#define NARROW 140

/* Why ranks are not in the order of times. */
static void put_unsure(const struct ttp_show *show, const struct ttp_config_view *v)
{
    for (size_t i = 0; i < v->rows; i++)
        if (v->row[i].unsure_move) {
            ttp_sink_char(show->out, '\n');
            ttp_paint_wrapped(show->out,
                              TTP_STR("A config that moves tensors for a gain below the model's "
                                      "error comes after the best one that does not."),
                              show->width, 0, 2);
            return;
        }
}

static void put_in_full(const struct ttp_show *show, const struct ttp_config_view *v)
{
    if (show->form != TTP_FORM_TEXT || show->width <= 0 || show->width >= NARROW || show->columns)
        return;
    put_unsure(show, v);
    ttp_sink_own(show->out, "\nProposals in full:\n");
    for (size_t i = 0; i < v->rows; i++)
        if (v->row[i].origin == TTP_ORIGIN_PROPOSED)
            ttp_paint_wrapped(show->out,
                              ttp_sink_format(show->arena, "  rank %zu  %.*s%s%s", v->row[i].rank,
                                              TTP_FMT(ttp_config_text(&v->row[i].config, v->arena)),
                                              v->row[i].try_it ? ", try" : "",
                                              v->row[i].moves_tensors ? ", moves tensors" : ""),
                              show->width, 0, 10);
}

/* Is what is in use about as fast as what is to be pasted? */
static bool keeps(const struct ttp_config_view *v)
{
    const struct ttp_config_row *used = NULL, *first = NULL;

    for (size_t i = 0; i < v->rows; i++) {
        const struct ttp_config_row *row = &v->row[i];

        if (row->origin == TTP_ORIGIN_USED && row->has_time)
            used = row;
        if (row->origin == TTP_ORIGIN_PROPOSED && row->has_time && !first)
            first = row;
    }
    return v->pasted == TTP_ORIGIN_PROPOSED && used && first &&
           first->time.ns > used->time.ns * (1 - LEAST_PART);
}

static void put_python(const struct ttp_show *show, const void *arg)
{
    const struct ttp_config_view *v = arg;
    ttp_str rest = v->python, line;

    if (strcmp(v->action, "propose") == 0)
        put_in_full(show, v);
    if (v->python.len == 0)
        return;
    if (keeps(v))
        ttp_sink_printf(
            show->out,
            "\nNo proposal is predicted to be %.0f %% faster than the config in use: keep "
            "it.\n",
            100 * LEAST_PART);
    ttp_sink_own(show->out, "\nPython of the ");
    if (v->pasted == TTP_ORIGIN_PROPOSED)
        ttp_sink_printf(show->out, "proposal of rank %zu:\n\n", v->pasted_rank);
    else
        ttp_sink_printf(show->out, "config%s:\n\n",
                        v->pasted == TTP_ORIGIN_USED ? " in use, which is the first" : "");
    /* indented: in Markdown it is code, in which nothing is markup */
    const enum ttp_gate gate = show->out->gate;
    show->out->gate = TTP_GATE_TEXT;
    while (ttp_str_next_line(&rest, &line))
        ttp_sink_printf(show->out, "    %.*s\n", TTP_FMT(line));
    show->out->gate = gate;
}

ttp_code ttp_out_config(const struct ttp_show *show, const struct ttp_config_view *view,
                        struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .foot = put_python};
    const struct ttp_config_context context = {view->arena};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_config_document, show->arena);
    ttp_document_object(&doc, PART_VIEW, view, view);
    ttp_document_rows(&doc, PART_CONFIGS, &context, view->row, view->rows);
    return ttp_show_document(show, &doc, &page, err);
}

/* ---- lists ---- */

#define LIST(member) TTP_FIGURE(struct ttp_config_list_view, member)
static const struct ttp_field list_fields[] = {
    TTP_WORDS("action", LIST(action)),
    TTP_WORDS("title", LIST(title)),
};
static const struct ttp_fields list_figures = {TTP_FIELDS(list_fields)};

#define LIST_DOCUMENT(name, schema_name, key, what, rows_of)                                       \
    static const struct ttp_part_spec name##_parts[] = {                                           \
        {.kind = TTP_PART_DATA, .fields = &list_figures, .json_only = true},                       \
        {.id = (key), .fields = &(rows_of)}};                                                      \
    const struct ttp_document_spec name = {                                                        \
        .schema = (schema_name), .help = (what), TTP_PARTS(name##_parts), .main = 1}
LIST_DOCUMENT(ttp_config_ops_document, "tt-perf.config-ops/1", "ops",
              "Program configs of the matmuls of a run", ttp_config_op_fields);
LIST_DOCUMENT(ttp_config_constants_document, "tt-perf.config-constants/1", "constants",
              "Constants of the cost model", ttp_cost_fields);
LIST_DOCUMENT(ttp_config_other_document, "tt-perf.config-other/1", "other",
              "Program configs of other ops", ttp_other_fields);

static void put_title(const struct ttp_show *show, const void *arg)
{
    const struct ttp_config_list_view *v = arg;

    ttp_sink_printf(show->out, "%.*s\n\n", TTP_FMT(v->title));
}

ttp_code ttp_out_config_list(const struct ttp_show *show, const struct ttp_config_list_view *view,
                             struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_title};
    struct ttp_document doc;

    ttp_document_init(&doc, view->spec, show->arena);
    ttp_document_object(&doc, 0, view, view);
    ttp_document_set(&doc, 1, view->context,
                     (struct ttp_document_rows){view->row, view->row_size, view->rows});
    return ttp_show_document(show, &doc, &page, err);
}
