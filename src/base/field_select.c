/* SPDX-License-Identifier: Apache-2.0 */
/* field_select.c - fields by name, and rows filtered, sorted and cut. */
#include <stdio.h>

#include "base/order.h"

#include "base/field.h"

struct sorted {
    struct ttp_value value;
    size_t row;
    bool descending;
};

static int by_value(const void *pa, const void *pb)
{
    const struct sorted *a = pa, *b = pb;
    int order = 0;

    if ((a->value.kind == TTP_VALUE_NONE) != (b->value.kind == TTP_VALUE_NONE))
        return a->value.kind == TTP_VALUE_NONE ? 1 : -1;
    if (ttp_value_is_text(a->value) && ttp_value_is_text(b->value)) {
        order = ttp_str_cmp(a->value.v.text, b->value.v.text);
    } else if (a->value.kind != TTP_VALUE_NONE) {
        const double x = ttp_value_number(a->value), y = ttp_value_number(b->value);
        order = (x > y) - (x < y);
    }
    if (order)
        return a->descending ? -order : order;
    return (a->row > b->row) - (a->row < b->row);
}

static const struct ttp_field *by_id(const struct ttp_fields *fields, ttp_str id)
{
    for (size_t i = 0; i < fields->count; i++)
        if (ttp_str_eq(id, ttp_str_from(fields->field[i].id)))
            return &fields->field[i];
    return NULL;
}

/* Names of 0.1, which scripts still use in --columns, --sort and --where. */
static const struct ttp_field *by_former_id(const struct ttp_fields *fields, ttp_str name)
{
    static const struct ttp_field_alias former[] = {
        {"device_time_us", "device_us"},
        {"total_pct", "share_percent"},
        {"time_pct", "share_percent"},
        {"raw_op_code", "code"},
        {"cores_used", "cores"},
        {"busy_us", "compute_us"},
        {"measured_us", "device_us"},
        {"op_id", "id"},
        {"ops", "op_count"},
        {"count", "op_count"},
        {"fix", "hint"},
        {"dtype", "datatype"},
        {"fault", "error"},
        {"dram_bw_util", "dram_percent"},
        {"eth_bw_util_agg", "eth_percent"},
    };
    char percent[64];

    for (size_t i = 0; i < TTP_COUNT(former); i++)
        if (ttp_str_eq(name, ttp_str_from(former[i].brief)))
            return by_id(fields, ttp_str_from(former[i].id));
    if (!ttp_str_ends(name, TTP_STR("_pct")) || name.len >= sizeof(percent) - 4)
        return NULL;
    snprintf(percent, sizeof(percent), "%.*spercent", (int)(name.len - 3), name.ptr);
    return by_id(fields, ttp_str_from(percent));
}

const struct ttp_field *ttp_fields_find(const struct ttp_fields *fields, ttp_str name)
{
    for (size_t i = 0; i < fields->aliases; i++)
        if (ttp_str_eq(name, ttp_str_from(fields->alias[i].brief)))
            name = ttp_str_from(fields->alias[i].id);
    const struct ttp_field *found = by_id(fields, name);
    return found ? found : by_former_id(fields, name);
}

ttp_code ttp_fields_unknown(const struct ttp_fields *fields, ttp_str name, struct ttp_err *err)
{
    const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "no column '%.*s'",
                                 (int)(name.len < 60 ? name.len : 60), name.ptr);

    ttp_err_hint(err, "%s", fields->hint);
    return rc;
}

struct row_order {
    size_t *index, count;
};

static ttp_code sort_rows(struct row_order to, const struct ttp_records *rows, const char *by,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str name = ttp_str_from(by), order = {0};
    const size_t colon = ttp_str_find_char(name, ':');

    if (colon != TTP_NPOS) {
        order = ttp_str_slice(name, colon + 1, name.len);
        name = ttp_str_slice(name, 0, colon);
        if (!ttp_str_eq(order, TTP_STR("asc")) && !ttp_str_eq(order, TTP_STR("desc")))
            return ttp_fail(err, TTP_EUSAGE, "invalid sort order '%.*s': use 'asc' or 'desc'",
                            (int)(order.len < 60 ? order.len : 60), order.ptr);
    }
    const struct ttp_field *field = ttp_fields_find(rows->fields, name);
    if (!field)
        return ttp_fields_unknown(rows->fields, name, err);
    /* the largest number first, texts from a to z */
    const bool is_number = field->type != TTP_TEXT && field->type != TTP_BOOL;
    const bool descending = order.len ? ttp_str_eq(order, TTP_STR("desc")) : is_number;
    struct sorted *key = TTP_NEW(arena, struct sorted, to.count);
    for (size_t i = 0; i < to.count; i++)
        key[i] = (struct sorted){
            ttp_field_value(field, rows->context, ttp_records_at(rows, to.index[i])), to.index[i],
            descending};
    TTP_SORT(key, to.count, by_value);
    for (size_t i = 0; i < to.count; i++)
        to.index[i] = key[i].row;
    return TTP_OK;
}

ttp_code ttp_records_select(size_t **index, size_t *count, const struct ttp_records *rows,
                            const struct ttp_selection *selection, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_filter *filter = NULL;

    if (selection->where)
        TTP_TRY(
            ttp_filter_parse(&filter, rows->fields, ttp_str_from(selection->where), arena, err));
    *index = TTP_NEW(arena, size_t, rows->count);
    *count = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (!filter || ttp_filter_keeps(filter, rows->context, ttp_records_at(rows, i)))
            (*index)[(*count)++] = i;
    if (selection->sort)
        TTP_TRY(sort_rows((struct row_order){*index, *count}, rows, selection->sort, arena, err));
    if (selection->top && selection->top < *count)
        *count = selection->top;
    return TTP_OK;
}

ttp_code ttp_fields_choose(const struct ttp_field *const **chosen, size_t *count,
                           const struct ttp_fields *fields, const char *list,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const size_t n = ttp_str_split(ttp_str_from(list), ',', NULL, 0);
    ttp_str *name = TTP_NEW(arena, ttp_str, n);
    const struct ttp_field **found = TTP_NEW(arena, const struct ttp_field *, n);

    (void)ttp_str_split(ttp_str_from(list), ',', name, n);
    for (size_t i = 0; i < n; i++) {
        found[i] = ttp_fields_find(fields, ttp_str_trim(name[i]));
        if (!found[i])
            return ttp_fields_unknown(fields, name[i], err);
    }
    *chosen = found;
    *count = n;
    return TTP_OK;
}
