/* SPDX-License-Identifier: Apache-2.0 */
/* field_value.c - figures that are in their row. */
#include <math.h>

#include "base/field.h"

#define BARE(name, of, as)                                                                         \
    static const struct ttp_field bare_##name[] = {{.type = (of), .stored = (as)}};                \
    const struct ttp_fields ttp_bare_##name = {TTP_FIELDS(bare_##name)};
BARE(u32, TTP_I64, TTP_STORED_U32)
BARE(i64, TTP_I64, TTP_STORED_I64)
BARE(u64, TTP_I64, TTP_STORED_U64)
BARE(f64, TTP_F64, TTP_STORED_F64)
BARE(f32, TTP_F64, TTP_STORED_F32)
BARE(str, TTP_TEXT, TTP_STORED_STR)
BARE(cstr, TTP_TEXT, TTP_STORED_CSTR)

struct ttp_value ttp_value_i64(int64_t v)
{
    return (struct ttp_value){TTP_VALUE_INT, {.i = v}};
}

struct ttp_value ttp_value_f64(double v)
{
    return isnan(v) ? (struct ttp_value){0} : (struct ttp_value){TTP_VALUE_REAL, {.f = v}};
}

struct ttp_value ttp_value_text(ttp_str s)
{
    return s.len ? (struct ttp_value){TTP_VALUE_TEXT, {.text = s}} : (struct ttp_value){0};
}

struct ttp_value ttp_value_word(const char *s)
{
    return ttp_value_text(ttp_str_from(s));
}

struct ttp_value ttp_value_bool(bool yes)
{
    return (struct ttp_value){TTP_VALUE_BOOL, {.text = yes ? TTP_STR("True") : TTP_STR("False")}};
}

struct ttp_value ttp_value_moment(int64_t unix_ns)
{
    return unix_ns > 0 ? (struct ttp_value){TTP_VALUE_MOMENT, {.i = unix_ns}}
                       : (struct ttp_value){0};
}

double ttp_value_number(struct ttp_value v)
{
    if (v.kind == TTP_VALUE_INT || v.kind == TTP_VALUE_MOMENT)
        return (double)v.v.i;
    return v.kind == TTP_VALUE_REAL ? v.v.f : NAN;
}

#define LOAD(type, place) (*(type const *)(const void *)(place))

static struct ttp_value stored(const struct ttp_field *f, const char *place)
{
    uint64_t u;

    switch ((enum ttp_stored)f->stored) {
    case TTP_STORED_BOOL:
        return ttp_value_bool(LOAD(bool, place));
    case TTP_STORED_I32:
        return ttp_value_i64(LOAD(int32_t, place));
    case TTP_STORED_U8:
        return ttp_value_i64(LOAD(uint8_t, place));
    case TTP_STORED_U32:
        return ttp_value_i64(LOAD(uint32_t, place));
    case TTP_STORED_I64:
        return ttp_value_i64(LOAD(int64_t, place));
    case TTP_STORED_U64:
        u = LOAD(uint64_t, place);
        return u > INT64_MAX ? ttp_value_f64((double)u) : ttp_value_i64((int64_t)u);
    case TTP_STORED_F32:
        return ttp_value_f64((double)LOAD(float, place));
    case TTP_STORED_F64:
        return ttp_value_f64(LOAD(double, place));
    case TTP_STORED_STR:
        return ttp_value_text(LOAD(ttp_str, place));
    case TTP_STORED_CSTR:
        return ttp_value_text(ttp_str_from(LOAD(char *, place)));
    case TTP_STORED_CHARS:
        return ttp_value_word(place);
    default:
        return (struct ttp_value){0};
    }
}

static bool is_known(const struct ttp_field *f, const void *row)
{
    return f->known_at == 0 || LOAD(bool, (const char *)row + f->known_at - 1);
}

struct ttp_value ttp_field_value(const struct ttp_field *field, const void *context,
                                 const void *row)
{
    if (field->get)
        return field->get(context, row);
    if (field->type == TTP_OBJECT || field->type == TTP_ROWS || !is_known(field, row))
        return (struct ttp_value){0};
    const struct ttp_value v = stored(field, (const char *)row + field->offset);
    if ((field->is_id && ttp_value_number(v) < 0) || (field->above_0 && !(ttp_value_number(v) > 0)))
        return (struct ttp_value){0};
    if (field->type == TTP_MOMENT)
        return ttp_value_moment(v.kind == TTP_VALUE_INT ? v.v.i : 0);
    if (field->scale != 0) /* thousandths by division, which rounds as one writes the number */
        return ttp_value_f64(field->scale < 1 ? ttp_value_number(v) / (1 / field->scale)
                                              : ttp_value_number(v) * field->scale);
    if (!field->word || v.kind != TTP_VALUE_INT)
        return v;
    return v.v.i >= 0 && v.v.i < (int64_t)field->words
               ? ttp_value_text(ttp_str_from(field->word[v.v.i]))
               : (struct ttp_value){0};
}

struct ttp_records ttp_field_records(const struct ttp_field *field, const void *context,
                                     const void *row)
{
    struct ttp_records out = {.fields = field->sub, .context = context, .size = field->row_size};
    const char *place = (const char *)row + field->offset;

    if (field->list)
        return field->list(context, row);
    if (!is_known(field, row))
        return out;
    out.first = field->stored == TTP_STORED_HERE ? place : LOAD(void *, place);
    if (field->type == TTP_ROWS)
        out.count = field->fixed ? field->fixed : LOAD(size_t, (const char *)row + field->count_at);
    else
        out.count = out.first ? 1 : 0;
    return out;
}
