/* SPDX-License-Identifier: Apache-2.0 */
/* page_rows.c - a table as packed columns: a page of 10,000 operations must stay small. */
#include <math.h>

#include "base/sym.h"
#include "outputs/page/page.h"
#include "outputs/show/show_forms.h"

/* Digits that are enough to draw and to compare; exact figures are in JSON and CSV. */
#define DIGITS 7

struct column {
    const struct ttp_field *field;
    const struct ttp_table *table;
    struct ttp_value *value;
};

static bool same_value(struct ttp_value a, struct ttp_value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == TTP_VALUE_NONE)
        return true;
    return ttp_value_is_text(a)       ? ttp_str_eq(a.v.text, b.v.text)
           : a.kind == TTP_VALUE_REAL ? a.v.f == b.v.f
                                      : a.v.i == b.v.i;
}

static void put_number(struct ttp_json_writer *w, double v, struct ttp_arena *arena)
{
    struct ttp_sink digits;

    if (!isfinite(v)) {
        ttp_json_put_null(w);
        return;
    }
    ttp_sink_to_arena(&digits, arena);
    ttp_sink_printf(&digits, "%.*g", DIGITS, v);
    ttp_json_put_raw(w, ttp_sink_text(&digits));
}

static void put_value(struct ttp_json_writer *w, const struct column *c, size_t i,
                      struct ttp_arena *arena)
{
    if (c->value[i].kind == TTP_VALUE_REAL)
        put_number(w, c->value[i].v.f, arena);
    else
        ttp_show_json_value(w, c->field, c->table->rows->context,
                            ttp_records_at(c->table->rows, c->table->index[i]));
}

/* Few words that many rows repeat: the words, and a number for each row. */
static void put_words(struct ttp_json_writer *w, const struct column *c, struct ttp_symtab *words)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("w"));
    ttp_json_begin_array(w);
    for (ttp_sym s = 0; s < words->count; s++)
        ttp_json_put_str(w, ttp_sym_name(words, s));
    ttp_json_end_array(w);
    ttp_json_put_key(w, TTP_STR("i"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < c->table->count; i++)
        ttp_json_put_i64(w, c->value[i].kind == TTP_VALUE_NONE
                                ? -1
                                : (int64_t)ttp_sym_intern(words, c->value[i].v.text));
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static bool put_packed(struct ttp_json_writer *w, const struct column *c, bool *empty,
                       struct ttp_arena *arena)
{
    const size_t count = c->table->count;
    struct ttp_symtab words = {.arena = arena};
    bool constant = true;

    for (size_t i = 1; i < count && constant; i++)
        constant = same_value(c->value[0], c->value[i]);
    if (constant) {
        *empty = count == 0 || c->value[0].kind == TTP_VALUE_NONE;
        ttp_json_begin_object(w);
        ttp_json_put_key(w, TTP_STR("v"));
        if (*empty)
            ttp_json_put_null(w);
        else
            put_value(w, c, 0, arena);
        ttp_json_end_object(w);
        return true;
    }
    if (c->field->type != TTP_TEXT)
        return false;
    for (size_t i = 0; i < count; i++)
        if (c->value[i].kind != TTP_VALUE_NONE)
            (void)ttp_sym_intern(&words, c->value[i].v.text);
    if ((size_t)words.count * 2 > count)
        return false;
    put_words(w, c, &words);
    return true;
}

void ttp_page_put_rows(struct ttp_json_writer *w, struct ttp_page_part *part,
                       struct ttp_arena *arena)
{
    const struct ttp_table *table = part->table;
    const struct ttp_fields *fields = table->rows->fields;

    ttp_json_begin_array(w);
    for (size_t f = 0; f < fields->count; f++) {
        const struct ttp_field *field = &fields->field[f];
        struct column c = {field, table, TTP_NEW(arena, struct ttp_value, table->count)};

        if (!ttp_field_is_nested(field)) {
            for (size_t i = 0; i < table->count; i++)
                c.value[i] = ttp_field_value(field, table->rows->context,
                                             ttp_records_at(table->rows, table->index[i]));
            if (put_packed(w, &c, &part->empty[f], arena))
                continue;
        }
        ttp_json_begin_array(w);
        for (size_t i = 0; i < table->count; i++)
            put_value(w, &c, i, arena);
        ttp_json_end_array(w);
    }
    ttp_json_end_array(w);
}
