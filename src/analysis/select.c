/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - what a user asked for: columns by name, rows filtered, sorted, cut. */
#include <stdlib.h>

#include "analysis/analysis.h"

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
        const double x = a->value.kind == TTP_VALUE_INT ? (double)a->value.v.i : a->value.v.f;
        const double y = b->value.kind == TTP_VALUE_INT ? (double)b->value.v.i : b->value.v.f;
        order = (x > y) - (x < y);
    }
    if (order)
        return a->descending ? -order : order;
    return (a->row > b->row) - (a->row < b->row);
}

static ttp_code no_such_column(ttp_str name, struct ttp_err *err)
{
    const ttp_code rc = ttp_fail(err, TTP_EUSAGE, "no column '%.*s'",
                                 (int)(name.len < 60 ? name.len : 60), name.ptr);

    ttp_err_hint(err, "tt-perf report --columns help lists them");
    return rc;
}

static ttp_code sort_rows(size_t *row, size_t rows, const struct ttp_report *report, const char *by,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str name = ttp_str_from(by), order = {0};
    const size_t colon = ttp_str_find_char(name, ':');

    if (colon != TTP_NPOS) {
        order = ttp_str_slice(name, colon + 1, name.len);
        name = ttp_str_slice(name, 0, colon);
        if (!ttp_str_eq(order, TTP_STR("asc")) && !ttp_str_eq(order, TTP_STR("desc")))
            return ttp_fail(err, TTP_EUSAGE, "sort order '%.*s' is neither 'asc' nor 'desc'",
                            (int)(order.len < 60 ? order.len : 60), order.ptr);
    }
    const struct ttp_op_column *column = ttp_analysis_find_column(name);
    if (!column)
        return no_such_column(name, err);
    /* the largest number first, texts from a to z */
    const bool descending =
        order.len ? ttp_str_eq(order, TTP_STR("desc")) : column->spec.type != TTP_SYM;
    struct sorted *key = TTP_NEW(arena, struct sorted, rows);
    for (size_t i = 0; i < rows; i++)
        key[i] = (struct sorted){column->get(report, &report->op[row[i]]), row[i], descending};
    qsort(key, rows, sizeof(*key), by_value);
    for (size_t i = 0; i < rows; i++)
        row[i] = key[i].row;
    return TTP_OK;
}

ttp_code ttp_analysis_select(size_t **row, size_t *rows, const struct ttp_report *report,
                             const struct ttp_selection *selection, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_filter *filter = NULL;

    if (selection->where)
        TTP_TRY(ttp_analysis_parse_filter(&filter, ttp_str_from(selection->where), arena, err));
    *row = TTP_NEW(arena, size_t, report->count);
    *rows = 0;
    for (size_t i = 0; i < report->count; i++)
        if (!filter || ttp_analysis_filter_keeps(filter, report, &report->op[i]))
            (*row)[(*rows)++] = i;
    if (selection->sort)
        TTP_TRY(sort_rows(*row, *rows, report, selection->sort, arena, err));
    if (selection->top && selection->top < *rows)
        *rows = selection->top;
    return TTP_OK;
}

ttp_code ttp_analysis_choose_columns(const struct ttp_op_column *const **column, size_t *columns,
                                     const char *list, struct ttp_arena *arena, struct ttp_err *err)
{
    const size_t n = ttp_str_split(ttp_str_from(list), ',', NULL, 0);
    ttp_str *name = TTP_NEW(arena, ttp_str, n);
    const struct ttp_op_column **chosen = TTP_NEW(arena, const struct ttp_op_column *, n);

    (void)ttp_str_split(ttp_str_from(list), ',', name, n);
    for (size_t i = 0; i < n; i++) {
        chosen[i] = ttp_analysis_find_column(ttp_str_trim(name[i]));
        if (!chosen[i])
            return no_such_column(name[i], err);
    }
    *column = chosen;
    *columns = n;
    return TTP_OK;
}
