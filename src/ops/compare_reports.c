/* SPDX-License-Identifier: Apache-2.0 */
/* compare_reports.c - compares two ops CSVs of the same logs, cell by cell, as tt-metal's own
 * compare_full_op_report does: rows in the order of call count and host start, columns by name. */
#include "base/csv.h"
#include "base/order.h"
#include "base/vec.h"
#include "ops/ops.h"

#define COLUMNS_MAX 4096

struct row {
    uint64_t call, start;
    size_t number; /* in the file */
    const ttp_str *cell;
};
struct table {
    ttp_str *title;
    size_t columns;
    struct row *row;
    size_t rows;
};

TTP_ORDER(by_call, struct row, TTP_UP(call), TTP_UP(start), TTP_UP(number))

static size_t column_of(const struct table *t, ttp_str title)
{
    for (size_t i = 0; i < t->columns; i++)
        if (ttp_str_eq(t->title[i], title))
            return i;
    return TTP_NPOS;
}

/* The column of `t` with the title of column `c` of `from`. If several share the title, the first
 * belongs to the first, the second to the second, and so on. */
static size_t column_like(const struct table *t, const struct table *from, size_t c)
{
    size_t earlier = 0;

    for (size_t i = 0; i < c; i++)
        earlier += ttp_str_eq(from->title[i], from->title[c]);
    for (size_t i = 0; i < t->columns; i++)
        if (ttp_str_eq(t->title[i], from->title[c]) && earlier-- == 0)
            return i;
    return TTP_NPOS;
}

static uint64_t number_in(const ttp_str *cell, size_t column)
{
    uint64_t v;

    return column != TTP_NPOS && ttp_str_to_u64(ttp_str_trim(cell[column]), &v) ? v : 0;
}

static ttp_code read_table(struct table *out, ttp_str text, const char *name,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_csv *csv = TTP_NEW(arena, struct ttp_csv, 1);
    struct ttp_csv_row row = {.end = TTP_NEW(arena, uint32_t, COLUMNS_MAX), .max = COLUMNS_MAX};

    *out = (struct table){0};
    csv->text = text;
    csv->sep = ',';
    if (!ttp_csv_next(csv, &row) || row.nfields > COLUMNS_MAX)
        return ttp_fail(err, TTP_EPARSE, "'%.200s': not an ops CSV", name);
    out->columns = row.nfields;
    out->title = TTP_NEW(arena, ttp_str, row.nfields);
    for (size_t i = 0; i < row.nfields; i++)
        out->title[i] = ttp_csv_field(csv, &row, i, arena);
    const size_t call = column_of(out, TTP_STR("GLOBAL CALL COUNT"));
    const size_t start = column_of(out, TTP_STR("HOST START TS"));
    if (call == TTP_NPOS)
        return ttp_fail(err, TTP_EPARSE, "'%.200s': no column GLOBAL CALL COUNT", name);
    while (ttp_csv_next(csv, &row)) {
        ttp_str *cell = TTP_NEW(arena, ttp_str, out->columns);

        for (size_t i = 0; i < out->columns && i < row.nfields; i++)
            cell[i] = ttp_csv_field(csv, &row, i, arena);
        const struct row made = {number_in(cell, call), number_in(cell, start), out->rows, cell};
        *TTP_PUSH(arena, out->row, out->rows) = made;
    }
    TTP_SORT(out->row, out->rows, by_call);
    return TTP_OK;
}

static bool is_empty(ttp_str cell)
{
    return cell.len == 0 || ttp_str_eq_any_case(cell, TTP_STR("nan")) ||
           ttp_str_eq_any_case(cell, TTP_STR("none"));
}

static void compare_cells(struct ttp_report_difference *out, const struct table *a,
                          const struct table *b, const size_t *other)
{
    for (size_t r = 0; r < a->rows && r < b->rows; r++)
        for (size_t c = 0; c < a->columns; c++) {
            if (other[c] == TTP_NPOS)
                continue;
            const ttp_str x = ttp_str_trim(a->row[r].cell[c]);
            const ttp_str y = ttp_str_trim(b->row[r].cell[other[c]]);

            out->cells++;
            if (ttp_str_eq(x, y) || (is_empty(x) && is_empty(y)))
                continue;
            if (out->different++ == 0) {
                out->column = a->title[c];
                out->call = a->row[r].call;
                out->first = x;
                out->second = y;
            }
        }
}

ttp_code ttp_ops_compare_reports(struct ttp_report_difference *out, struct ttp_report_texts texts,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    struct table a, b;

    *out = (struct ttp_report_difference){0};
    TTP_TRY(read_table(&a, texts.first, texts.first_name, arena, err));
    TTP_TRY(read_table(&b, texts.second, texts.second_name, arena, err));
    size_t *other = TTP_NEW(arena, size_t, a.columns);
    for (size_t c = 0; c < a.columns; c++) {
        other[c] = column_like(&b, &a, c);
        out->columns += other[c] != TTP_NPOS;
    }
    out->first_rows = a.rows;
    out->second_rows = b.rows;
    out->first_columns = a.columns;
    out->second_columns = b.columns;
    compare_cells(out, &a, &b, other);
    return TTP_OK;
}
