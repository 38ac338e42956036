/* SPDX-License-Identifier: Apache-2.0 */
/* show_parquet.c - the main part of documents as an Apache Parquet file: the rows and columns of
 * CSV, with types. */
#include "base/iso_time.h"
#include "base/version.h"
#include "outputs/show/parquet.h"
#include "outputs/show/show_forms.h"

static const struct ttp_table *table_of(const struct ttp_showing *s)
{
    return &s->table[s->doc->spec->main];
}

/* The next row: of this document, or of the next one that has any. */
struct cursor {
    const struct ttp_showing *s;
    size_t row;
};

static const struct ttp_table *next(size_t *row, struct cursor *at)
{
    while (at->row == table_of(at->s)->count)
        *at = (struct cursor){at->s->rest, 0};
    *row = table_of(at->s)->index[at->row++];
    return table_of(at->s);
}

static struct ttp_value cell(struct cursor *at, size_t column)
{
    size_t row;
    const struct ttp_table *t = next(&row, at);

    return ttp_field_value(t->column[column], t->rows->context, ttp_records_at(t->rows, row));
}

/* ---- types ---- */

static enum ttp_parquet_type declared_type(const struct ttp_field *f)
{
    switch (f->type) {
    case TTP_I64:
        return TTP_PARQUET_INT;
    case TTP_F64:
        return TTP_PARQUET_REAL;
    case TTP_BOOL:
        return TTP_PARQUET_BOOL;
    case TTP_MOMENT:
        return TTP_PARQUET_MOMENT;
    default:
        return TTP_PARQUET_TEXT;
    }
}

/* A device is a number, but "rank:number" among several ranks: then the whole column is text. */
static enum ttp_parquet_type widen(enum ttp_parquet_type type, enum ttp_value_kind kind)
{
    const bool fits = kind == TTP_VALUE_NONE || type == TTP_PARQUET_TEXT ||
                      (kind == TTP_VALUE_BOOL && type == TTP_PARQUET_BOOL) ||
                      (kind == TTP_VALUE_MOMENT && type == TTP_PARQUET_MOMENT) ||
                      (kind == TTP_VALUE_INT && type == TTP_PARQUET_INT) ||
                      (kind == TTP_VALUE_INT && type == TTP_PARQUET_REAL) ||
                      (kind == TTP_VALUE_REAL && type == TTP_PARQUET_REAL);

    if (fits)
        return type;
    return kind == TTP_VALUE_REAL && type == TTP_PARQUET_INT ? TTP_PARQUET_REAL : TTP_PARQUET_TEXT;
}

static enum ttp_parquet_type type_of(const struct ttp_showing *s, size_t column, uint64_t rows)
{
    enum ttp_parquet_type type = declared_type(table_of(s)->column[column]);
    struct cursor at = {s, 0};

    for (uint64_t i = 0; i < rows && type != TTP_PARQUET_TEXT; i++)
        type = widen(type, cell(&at, column).kind);
    return type;
}

/* ---- values ---- */

/* Parquet's texts are UTF-8: what is not becomes U+FFFD, as in JSON. */
static ttp_str as_utf8(ttp_str text, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (ttp_str_valid_utf8(text) == text.len)
        return text;
    ttp_sink_to_arena(&out, arena);
    while (text.len) {
        const size_t valid = ttp_str_valid_utf8(text);

        ttp_sink_put(&out, ttp_str_slice(text, 0, valid));
        text = ttp_str_slice(text, valid, text.len);
        if (text.len == 0)
            break;
        ttp_sink_put(&out, TTP_STR("\xEF\xBF\xBD"));
        text = ttp_str_slice(text, ttp_json_malformed(text), text.len);
    }
    return ttp_sink_text(&out);
}

/* As CSV has it. */
static ttp_str as_text(struct ttp_value v, struct ttp_arena *arena)
{
    _Static_assert(TTP_NUM_MAX <= TTP_ISO_TIME_MAX, "room for a number");
    char *to = ttp_arena_bytes(arena, TTP_ISO_TIME_MAX);

    if (v.kind == TTP_VALUE_INT)
        return (ttp_str){to, ttp_num_i64(to, v.v.i)};
    if (v.kind == TTP_VALUE_REAL)
        return (ttp_str){to, ttp_num_f64(to, v.v.f, TTP_NUM_PYTHON)};
    return (ttp_str){to, ttp_iso_time(to, v.v.i)};
}

static struct ttp_value as_type(struct ttp_value v, enum ttp_parquet_type type,
                                struct ttp_arena *arena)
{
    if (type == TTP_PARQUET_REAL && v.kind == TTP_VALUE_INT)
        return ttp_value_f64((double)v.v.i);
    if (type == TTP_PARQUET_TEXT && v.kind != TTP_VALUE_NONE)
        return ttp_value_text(ttp_value_is_text(v) ? as_utf8(v.v.text, arena) : as_text(v, arena));
    return v;
}

/* ---- the file ---- */

/* Names are those of CSV; ids, units and meanings are in the metadata. */
static ttp_str name_of(const struct ttp_field *f)
{
    return ttp_str_from(f->csv_title ? f->csv_title : f->id);
}

static ttp_str describe_columns(const struct ttp_table *t, struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    struct ttp_json_writer w = {.sink = &text};
    ttp_json_begin_array(&w);
    for (size_t c = 0; c < t->columns; c++) {
        const struct ttp_field *f = t->column[c];

        ttp_json_begin_object(&w);
        ttp_json_put_key(&w, TTP_STR("name"));
        ttp_json_put_str(&w, name_of(f));
        ttp_json_put_key(&w, TTP_STR("id"));
        ttp_json_put_str(&w, ttp_str_from(f->id));
        if (f->unit && f->unit[0]) {
            ttp_json_put_key(&w, TTP_STR("unit"));
            ttp_json_put_str(&w, ttp_str_from(f->unit));
        }
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    return ttp_sink_text(&text);
}

static void put_group(struct ttp_parquet *file, const struct cursor *from, uint32_t rows,
                      struct ttp_arena *texts)
{
    ttp_parquet_group(file, rows);
    for (size_t c = 0; c < file->columns; c++) {
        struct cursor at = *from;

        for (uint32_t i = 0; i < rows; i++) {
            ttp_parquet_put(file, as_type(cell(&at, c), file->column[c].type, texts));
            if (i % TTP_PARQUET_PAGE_ROWS == 0)
                ttp_arena_reset(texts);
        }
    }
}

void ttp_show_parquet(const struct ttp_showing *s)
{
    const struct ttp_table *t = table_of(s);
    struct ttp_arena *arena = s->show->arena, texts = {0};
    struct ttp_parquet_column *column = TTP_NEW(arena, struct ttp_parquet_column, t->columns);
    struct ttp_parquet *file = TTP_NEW(arena, struct ttp_parquet, 1);
    struct cursor at = {s, 0};
    uint64_t left = 0;

    for (const struct ttp_showing *d = s; d; d = d->rest)
        left += table_of(d)->count;
    for (size_t c = 0; c < t->columns; c++)
        column[c] = (struct ttp_parquet_column){name_of(t->column[c]), type_of(s, c, left)};
    ttp_parquet_begin(file, s->show->out, column, t->columns, arena);
    while (left) {
        const uint32_t rows =
            left < TTP_PARQUET_GROUP_ROWS ? (uint32_t)left : TTP_PARQUET_GROUP_ROWS;
        size_t row;

        put_group(file, &at, rows, &texts);
        for (uint32_t i = 0; i < rows; i++)
            (void)next(&row, &at);
        left -= rows;
    }
    const struct ttp_parquet_note notes[] = {
        {TTP_STR("tt_perf.schema"), ttp_str_from(s->doc->spec->schema)},
        {TTP_STR("tt_perf.version"), ttp_str_from(ttp_version)},
        {TTP_STR("tt_perf.columns"), describe_columns(t, arena)},
    };
    ttp_parquet_end(file, notes, TTP_COUNT(notes));
    ttp_arena_free(&texts);
}
