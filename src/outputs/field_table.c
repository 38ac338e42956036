/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/field_table.h"

#include "base/gate.h"
#include "outputs/cells.h"
#include "outputs/columns_text.h"

#define COLUMNS_MAX 32
#define NAME_LEAST  12

static ttp_str value_text(struct ttp_value v, const struct ttp_field *f, struct ttp_arena *arena)
{
    char text[TTP_NUM_FIXED_MAX];

    if (v.kind == TTP_VALUE_INT)
        return ttp_arena_copy(arena, ttp_grouped(text, v.v.i));
    if (v.kind == TTP_VALUE_REAL)
        return ttp_arena_copy(arena, (ttp_str){text, ttp_num_fixed(text, v.v.f, f->digits, true)});
    return ttp_value_is_text(v) ? v.v.text : (ttp_str){0};
}

void ttp_field_table(struct ttp_sink *out, const struct ttp_records *rows, const size_t *index,
                     size_t count, const struct ttp_mem_style *style, struct ttp_arena *arena)
{
    struct ttp_cell_column column[COLUMNS_MAX];
    const struct ttp_field *field[COLUMNS_MAX];
    struct ttp_cells cells;
    size_t n = 0, name = 0;

    for (size_t i = 0; i < rows->fields->count && n < COLUMNS_MAX; i++) {
        const struct ttp_field *f = &rows->fields->field[i];

        if (!f->in_table)
            continue;
        name = f->type == TTP_TEXT && f->drop == 0 && f->title[0] ? n : name;
        field[n] = f;
        column[n++] = (struct ttp_cell_column){f->title, f->left, f->drop};
    }
    ttp_cells_init(&cells, column, n, arena);
    cells.indent = style->markdown ? 0 : 2;
    cells.name = name;
    cells.name_least = NAME_LEAST;
    for (size_t r = 0; r < count; r++) {
        const void *row = ttp_records_at(rows, index ? index[r] : r);

        ttp_cells_add_row(&cells);
        for (size_t i = 0; i < n; i++)
            ttp_cells_set(&cells, i,
                          value_text(field[i]->get(rows->context, row), field[i], arena));
    }
    if (style->markdown)
        ttp_cells_markdown(out, &cells);
    else
        ttp_cells_text(out, &cells, style->width, style->color);
}

void ttp_field_csv(struct ttp_sink *out, const struct ttp_records *rows, bool header)
{
    const struct ttp_fields *fields = rows->fields;

    for (size_t i = 0; i < fields->count && header; i++)
        ttp_sink_printf(out, "%s%s", i ? "," : "", fields->field[i].id);
    if (header)
        ttp_sink_char(out, '\n');
    for (size_t r = 0; r < rows->count; r++) {
        const void *row = ttp_records_at(rows, r);

        for (size_t i = 0; i < fields->count; i++) {
            const struct ttp_value v = fields->field[i].get(rows->context, row);

            if (i)
                ttp_sink_char(out, ',');
            if (v.kind == TTP_VALUE_INT)
                ttp_sink_i64(out, v.v.i);
            else if (v.kind == TTP_VALUE_REAL)
                ttp_sink_f64(out, v.v.f, TTP_NUM_PYTHON);
            else if (ttp_value_is_text(v))
                ttp_gate_put_csv(out, v.v.text);
        }
        ttp_sink_char(out, '\n');
    }
}
