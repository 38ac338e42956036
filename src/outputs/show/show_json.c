/* SPDX-License-Identifier: Apache-2.0 */
/* show_json.c - records as JSON. */
#include "base/iso_time.h"
#include "outputs/show/show_forms.h"

static void put_value(struct ttp_json_writer *w, struct ttp_value v)
{
    char time[TTP_ISO_TIME_MAX];

    switch (v.kind) {
    case TTP_VALUE_INT:
        ttp_json_put_i64(w, v.v.i);
        break;
    case TTP_VALUE_REAL:
        ttp_json_put_f64(w, v.v.f);
        break;
    case TTP_VALUE_TEXT:
        ttp_json_put_str(w, v.v.text);
        break;
    case TTP_VALUE_BOOL:
        ttp_json_put_bool(w, ttp_str_eq(v.v.text, TTP_STR("True")));
        break;
    case TTP_VALUE_MOMENT:
        ttp_json_put_str(w, (ttp_str){time, ttp_iso_time(time, v.v.i)});
        break;
    case TTP_VALUE_NONE:
        ttp_json_put_null(w);
    }
}

/* A field without an id represents the element itself. */
static bool is_bare(const struct ttp_fields *fields)
{
    return fields->count == 1 && !fields->field[0].id;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the declarations nest */
static void put_inner(struct ttp_json_writer *w, const struct ttp_field *f,
                      const struct ttp_records *inner);

static void put_record(struct ttp_json_writer *w, const struct ttp_records *records, size_t i)
{
    const struct ttp_field *first = &records->fields->field[0];

    if (is_bare(records->fields) && (first->type == TTP_OBJECT || first->type == TTP_ROWS)) {
        const struct ttp_records inner =
            ttp_field_records(first, records->context, ttp_records_at(records, i));
        put_inner(w, first, &inner);
        return;
    }
    if (is_bare(records->fields)) {
        put_value(w, ttp_field_value(&records->fields->field[0], records->context,
                                     ttp_records_at(records, i)));
        return;
    }
    ttp_json_begin_object(w);
    ttp_show_json_members(w, records, i);
    ttp_json_end_object(w);
}

/* An object; the first field of a row is its key, the others are its value. */
static void put_map(struct ttp_json_writer *w, const struct ttp_records *rows)
{
    const struct ttp_field *key = &rows->fields->field[0];
    const struct ttp_fields others = {.field = key + 1, .count = rows->fields->count - 1};
    struct ttp_records value = *rows;
    char digits[TTP_NUM_MAX];

    value.fields = &others;
    ttp_json_begin_object(w);
    for (size_t i = 0; i < rows->count; i++) {
        const struct ttp_value k = ttp_field_value(key, rows->context, ttp_records_at(rows, i));

        if (k.kind == TTP_VALUE_NONE)
            continue;
        ttp_json_put_key(w, k.kind == TTP_VALUE_INT ? (ttp_str){digits, ttp_num_i64(digits, k.v.i)}
                                                    : k.v.text);
        put_record(w, &value, i);
    }
    ttp_json_end_object(w);
}

static void put_tuple(struct ttp_json_writer *w, const struct ttp_records *rows, size_t row)
{
    ttp_json_begin_array(w);
    for (size_t i = 0; i < rows->fields->count; i++)
        ttp_show_json_value(w, &rows->fields->field[i], rows->context, ttp_records_at(rows, row));
    ttp_json_end_array(w);
}

static void put_inner(struct ttp_json_writer *w, const struct ttp_field *f,
                      const struct ttp_records *inner)
{
    if (f->type == TTP_OBJECT) {
        if (inner->count)
            put_record(w, inner, 0);
        else
            ttp_json_put_null(w);
        return;
    }
    if (f->nest == TTP_NEST_MAP) {
        put_map(w, inner);
        return;
    }
    ttp_json_begin_array(w);
    for (size_t i = 0; i < inner->count; i++)
        if (f->nest == TTP_NEST_TUPLES)
            put_tuple(w, inner, i);
        else
            put_record(w, inner, i);
    ttp_json_end_array(w);
}

static void put_nested(struct ttp_json_writer *w, const struct ttp_field *f, const void *context,
                       const void *row)
{
    const struct ttp_records inner = ttp_field_records(f, context, row);

    if (f->optional && !inner.first)
        return;
    ttp_json_put_key(w, ttp_str_from(f->id));
    put_inner(w, f, &inner);
}

static void put_plain(struct ttp_json_writer *w, const struct ttp_field *f, struct ttp_value v)
{
    if (f->type == TTP_JSON && v.kind == TTP_VALUE_TEXT)
        ttp_json_put_raw(w, v.v.text);
    else
        put_value(w, v);
}

static void put_member(struct ttp_json_writer *w, const struct ttp_field *f, const void *context,
                       const void *row)
{
    if (f->type == TTP_OBJECT || f->type == TTP_ROWS) {
        put_nested(w, f, context, row);
        return;
    }
    const struct ttp_value v = ttp_field_value(f, context, row);
    if (f->optional && v.kind == TTP_VALUE_NONE)
        return;
    ttp_json_put_key(w, ttp_str_from(f->id));
    put_plain(w, f, v);
}

void ttp_show_json_value(struct ttp_json_writer *w, const struct ttp_field *f, const void *context,
                         const void *row)
{
    if (f->type == TTP_OBJECT || f->type == TTP_ROWS) {
        const struct ttp_records inner = ttp_field_records(f, context, row);
        put_inner(w, f, &inner);
        return;
    }
    put_plain(w, f, ttp_field_value(f, context, row));
}

void ttp_show_json_members(struct ttp_json_writer *w, const struct ttp_records *record, size_t row)
{
    for (size_t i = 0; i < record->fields->count; i++)
        if (!record->fields->field[i].table_only)
            put_member(w, &record->fields->field[i], record->context, ttp_records_at(record, row));
}
/* NOLINTEND(misc-no-recursion) */

void ttp_show_json_rows(struct ttp_json_writer *w, const struct ttp_table *table)
{
    const struct ttp_records *rows = table->rows;

    ttp_json_begin_array(w);
    for (size_t i = 0; i < table->count; i++) {
        const void *row = ttp_records_at(rows, table->index[i]);

        if (is_bare(rows->fields)) {
            put_record(w, rows, table->index[i]);
            continue;
        }
        ttp_json_begin_object(w);
        if (table->columns == 0)
            ttp_show_json_members(w, rows, table->index[i]);
        for (size_t c = 0; c < table->columns; c++)
            put_member(w, table->column[c], rows->context, row);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}
