/* SPDX-License-Identifier: Apache-2.0 */
/* config_page.c - configs of a matmul as text, Markdown, CSV and JSON, all from the same fields. */
#include "base/gate.h"
#include "outputs/cells.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"

/* ---- a value in each form ---- */

static ttp_str shown(const struct ttp_field *f, struct ttp_value v, struct ttp_arena *arena)
{
    struct ttp_sink s;

    if (v.kind == TTP_VALUE_NONE)
        return (ttp_str){0};
    if (ttp_value_is_text(v))
        return v.v.text;
    ttp_sink_to_arena(&s, arena);
    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(&s, v.v.i);
    else
        ttp_sink_fixed(&s, v.v.f, f->digits, false);
    return ttp_sink_text(&s);
}

static void put_json(struct ttp_json_writer *w, const struct ttp_field *f, struct ttp_value v)
{
    ttp_member_key(w, f->id);
    switch (v.kind) {
    case TTP_VALUE_NONE:
        ttp_json_put_null(w);
        break;
    case TTP_VALUE_INT:
        ttp_json_put_i64(w, v.v.i);
        break;
    case TTP_VALUE_REAL:
        ttp_json_put_fixed(w, v.v.f, 3);
        break;
    case TTP_VALUE_BOOL:
        ttp_json_put_bool(w, ttp_str_eq(v.v.text, TTP_STR("True")));
        break;
    default:
        ttp_json_put_str(w, v.v.text);
    }
}

/* ---- tables of records ---- */

/* Of the first cell of a row; NULL: none has one. */
typedef enum ttp_color (*color_of_row)(const void *row);

static void make_cells(struct ttp_cells *c, const struct ttp_records *rows, color_of_row color,
                       struct ttp_arena *arena)
{
    const struct ttp_fields *fields = rows->fields;
    struct ttp_cell_column *column = TTP_NEW(arena, struct ttp_cell_column, fields->count);
    const char **unit = TTP_NEW(arena, const char *, fields->count);
    size_t n = 0;

    for (size_t i = 0; i < fields->count; i++)
        if (fields->field[i].in_table) {
            column[n] = (struct ttp_cell_column){fields->field[i].title, fields->field[i].left,
                                                 fields->field[i].drop};
            unit[n++] = fields->field[i].unit;
        }
    ttp_cells_init(c, column, n, arena);
    for (size_t r = 0; r < rows->count; r++) {
        size_t at = 0;

        ttp_cells_add_row(c);
        for (size_t i = 0; i < fields->count; i++) {
            const struct ttp_field *f = &fields->field[i];

            if (!f->in_table)
                continue;
            const ttp_str cell = shown(f, f->get(rows->context, ttp_records_at(rows, r)), arena);
            if (cell.len && f->unit[0]) /* a column with a unit is there */
                c->unit = unit;
            ttp_cells_set(c, at++, cell);
        }
        if (color)
            ttp_cells_paint(c, 0, color(ttp_records_at(rows, r)));
    }
}

static void put_csv(struct ttp_sink *out, const struct ttp_records *rows, struct ttp_arena *arena)
{
    for (size_t i = 0; i < rows->fields->count; i++)
        ttp_sink_printf(out, "%s%s", i ? "," : "", rows->fields->field[i].id);
    ttp_sink_own(out, "\n");
    for (size_t r = 0; r < rows->count; r++) {
        for (size_t i = 0; i < rows->fields->count; i++) {
            const struct ttp_field *f = &rows->fields->field[i];

            if (i)
                ttp_sink_char(out, ',');
            ttp_gate_put_csv(out, shown(f, f->get(rows->context, ttp_records_at(rows, r)), arena));
        }
        ttp_sink_own(out, "\n");
    }
}

static void put_records(struct ttp_json_writer *w, const char *key, const struct ttp_records *rows)
{
    ttp_member_array(w, key);
    for (size_t r = 0; r < rows->count; r++) {
        ttp_json_begin_object(w);
        for (size_t i = 0; i < rows->fields->count; i++) {
            const struct ttp_field *f = &rows->fields->field[i];

            put_json(w, f, f->get(rows->context, ttp_records_at(rows, r)));
        }
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}

/* ---- what stands around the table ---- */

static enum ttp_color config_color(const void *row)
{
    const struct ttp_config_row *r = row;

    if (r->check.verdict == TTP_CONFIG_BROKEN)
        return TTP_RED;
    return r->origin == TTP_ORIGIN_PROPOSED && r->rank == 1 ? TTP_GREEN : TTP_PLAIN;
}

static struct ttp_records records(const struct ttp_config_view *v, struct ttp_config_context *c)
{
    *c = (struct ttp_config_context){v->arena};
    return (struct ttp_records){&ttp_config_fields, c, v->row, sizeof(*v->row), v->rows};
}

static void put_verdict(struct ttp_sink *out, const struct ttp_config_view *v)
{
    const struct ttp_config_check *check = &v->row[0].check;

    if (check->verdict == TTP_CONFIG_BROKEN)
        ttp_sink_printf(out, "broken: %s: %s\n", check->rule, check->reason);
    else
        ttp_sink_printf(out, "%s\n", ttp_config_verdict_name(check->verdict));
    for (size_t i = 0; i < check->nopen; i++)
        ttp_sink_printf(out, "not checked: %s\n", check->open[i]);
    if (check->verdict != TTP_CONFIG_BROKEN && check->assumed_shard)
        ttp_sink_printf(out,
                        "if input 0 has shards %u tiles wide (or a multiple that divides K): "
                        "their shape was not given\n",
                        check->shard_w);
    if (check->has_l1)
        ttp_sink_printf(out, "L1: %llu of %llu bytes of a core (%.1f %%)\n",
                        (unsigned long long)check->l1_bytes, (unsigned long long)check->l1_limit,
                        ttp_config_l1_pct(check));
}

static void put_auto(struct ttp_sink *out, const struct ttp_config_view *v)
{
    for (size_t i = 0; i < v->nwhy; i++)
        ttp_sink_printf(out, "because: %s\n", v->why[i]);
    if (v->depends_on_l1)
        ttp_sink_own(out, "with another amount of free L1 it would be another one\n");
    if (v->rows)
        ttp_sink_printf(out, "config: %.*s\n",
                        TTP_FMT(ttp_config_text(&v->row[0].config, v->arena)));
}

static void put_propose(struct ttp_sink *out, const struct ttp_config_view *v)
{
    ttp_sink_printf(out, "%zu configs tried, %zu legal; predictions, not measurements\n", v->tried,
                    v->legal);
}

static void put_facts(struct ttp_sink *out, const struct ttp_config_view *v)
{
    if (strcmp(v->action, "check") == 0)
        put_verdict(out, v);
    else if (strcmp(v->action, "auto") == 0)
        put_auto(out, v);
    else
        put_propose(out, v);
}

static void put_title(struct ttp_sink *out, const struct ttp_config_view *v)
{
    if (v->op.len)
        ttp_sink_printf(out, "%.*s: ", TTP_FMT(v->op));
    ttp_sink_printf(out, "%.*s; input 0 %.*s, weights %.*s, output %.*s; %s\n",
                    TTP_FMT(ttp_matmul_line(v->problem, v->arena)),
                    TTP_FMT(ttp_placement_text(&v->problem->in0, v->arena)),
                    TTP_FMT(ttp_placement_text(&v->problem->in1, v->arena)),
                    TTP_FMT(ttp_placement_text(&v->problem->out_at, v->arena)),
                    v->problem->chip.board->name);
}

void ttp_out_config_text(struct ttp_sink *out, const struct ttp_config_view *v)
{
    struct ttp_config_context context;
    const struct ttp_records rows = records(v, &context);
    struct ttp_cells cells;
    ttp_str rest = v->python, line;

    put_title(out, v);
    put_facts(out, v);
    if (v->rows) {
        make_cells(&cells, &rows, config_color, v->arena);
        ttp_sink_own(out, "\n");
        ttp_cells_text(out, &cells, v->width, v->color);
    }
    if (v->python.len == 0)
        return;
    ttp_sink_printf(out, "\nTo paste, the %s:\n\n",
                    v->pasted == TTP_ORIGIN_PROPOSED ? "first proposal" : "config");
    while (ttp_str_next_line(&rest, &line))
        ttp_sink_printf(out, "    %.*s\n", TTP_FMT(line));
}

void ttp_out_config_markdown(struct ttp_sink *out, const struct ttp_config_view *v)
{
    struct ttp_config_context context;
    const struct ttp_records rows = records(v, &context);
    struct ttp_cells cells;
    ttp_str rest = v->python, line;

    put_title(out, v);
    ttp_sink_own(out, "\n");
    put_facts(out, v);
    if (v->rows) {
        make_cells(&cells, &rows, config_color, v->arena);
        ttp_sink_own(out, "\n");
        ttp_cells_markdown(out, &cells);
    }
    if (v->python.len == 0)
        return;
    /* indented code: nothing in it is markup */
    ttp_sink_own(out, "\n");
    const enum ttp_gate gate = out->gate;
    out->gate = TTP_GATE_TEXT;
    while (ttp_str_next_line(&rest, &line))
        ttp_sink_printf(out, "    %.*s\n", TTP_FMT(line));
    out->gate = gate;
}

void ttp_out_config_csv(struct ttp_sink *out, const struct ttp_config_view *v)
{
    struct ttp_config_context context;
    const struct ttp_records rows = records(v, &context);

    put_csv(out, &rows, v->arena);
}

static void put_problem(struct ttp_json_writer *w, const struct ttp_config_view *v)
{
    const struct ttp_matmul *p = v->problem;
    static const char *const fidelities[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

    ttp_member_object(w, "problem");
    ttp_member_u64(w, "m", p->m);
    ttp_member_u64(w, "k", p->k);
    ttp_member_u64(w, "n", p->n);
    ttp_member_u64(w, "batch", p->batch);
    ttp_member_u64(w, "batch_b", p->batch_b);
    ttp_member_text(w, "in0_type", ttp_tile_type_name(p->a));
    ttp_member_text(w, "weights_type", ttp_tile_type_name(p->b));
    ttp_member_text(w, "out_type", ttp_tile_type_name(p->out));
    ttp_member_bool(w, "bias", p->bias != TTP_TILE_NONE);
    ttp_member_text(w, "fidelity", fidelities[p->fidelity]);
    ttp_member_bool(w, "fp32_acc", p->fp32_acc);
    ttp_member_str(w, "in0_memory", ttp_placement_text(&p->in0, v->arena));
    ttp_member_str(w, "weights_memory", ttp_placement_text(&p->in1, v->arena));
    ttp_member_str(w, "out_memory", ttp_placement_text(&p->out_at, v->arena));
    ttp_member_text(w, "board", p->chip.board->name);
    ttp_member_str_or_null(w, "op", v->op);
    ttp_json_end_object(w);
}

void ttp_out_config_json(struct ttp_json_writer *w, const struct ttp_config_view *v)
{
    struct ttp_config_context context;
    const struct ttp_records rows = records(v, &context);
    const struct ttp_config_check *check = v->rows ? &v->row[0].check : NULL;
    const bool checked = check && strcmp(v->action, "check") == 0;

    ttp_json_begin_object(w);
    ttp_member_text(w, "action", v->action);
    put_problem(w, v);
    if (checked) {
        ttp_member_text(w, "verdict", ttp_config_verdict_name(check->verdict));
        ttp_member_str_or_null(w, "rule", ttp_str_from(check->rule));
        ttp_member_str_or_null(w, "reason", ttp_str_from(check->reason));
    }
    put_records(w, "configs", &rows);
    ttp_member_array(w, "not_checked");
    for (size_t i = 0; checked && i < check->nopen; i++)
        ttp_json_put_str(w, ttp_str_from(check->open[i]));
    ttp_json_end_array(w);
    if (checked && check->assumed_shard && check->verdict != TTP_CONFIG_BROKEN)
        ttp_member_u64(w, "assumed_shard_tiles", check->shard_w);
    else
        ttp_member_null(w, "assumed_shard_tiles");
    ttp_member_array(w, "why");
    for (size_t i = 0; i < v->nwhy; i++)
        ttp_json_put_str(w, ttp_str_from(v->why[i]));
    ttp_json_end_array(w);
    ttp_member_bool(w, "depends_on_l1", v->depends_on_l1);
    ttp_member_u64(w, "tried", v->tried);
    ttp_member_u64(w, "legal", v->legal);
    ttp_member_str_or_null(w, "python", v->python);
    ttp_json_end_object(w);
}

/* ---- lists ---- */

void ttp_out_config_list_text(struct ttp_sink *out, const struct ttp_config_list_view *v)
{
    struct ttp_cells cells;

    ttp_sink_printf(out, "%.*s\n\n", TTP_FMT(v->title));
    make_cells(&cells, &v->rows, NULL, v->arena);
    ttp_cells_text(out, &cells, v->width, v->color);
}

void ttp_out_config_list_markdown(struct ttp_sink *out, const struct ttp_config_list_view *v)
{
    struct ttp_cells cells;

    ttp_sink_printf(out, "%.*s\n\n", TTP_FMT(v->title));
    make_cells(&cells, &v->rows, NULL, v->arena);
    ttp_cells_markdown(out, &cells);
}

void ttp_out_config_list_csv(struct ttp_sink *out, const struct ttp_config_list_view *v)
{
    put_csv(out, &v->rows, v->arena);
}

void ttp_out_config_list_json(struct ttp_json_writer *w, const struct ttp_config_list_view *v)
{
    ttp_json_begin_object(w);
    ttp_member_text(w, "action", v->action);
    ttp_member_str(w, "title", v->title);
    put_records(w, v->key, &v->rows);
    ttp_json_end_object(w);
}
