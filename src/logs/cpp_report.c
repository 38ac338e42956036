/* SPDX-License-Identifier: Apache-2.0 */
/* cpp_device_perf_report.csv: one row per execution, columns found by name. */
#include <math.h>

#include "base/csv.h"
#include "base/input.h"
#include "base/num.h"
#include "base/python_text.h"
#include "base/vec.h"
#include "logs/device_log.h"

#define MAX_COLUMNS 512

/* Columns that hold whole numbers. Those without a place in ttp_cpp_row are passed on as text, but
 * as the number they are. */
static const struct {
    const char *name;
    int number; /* enum ttp_cpp_number, -1: none */
} numbers[] = {
    {"GLOBAL CALL COUNT", TTP_CPP_RUN_ID},
    {"METAL TRACE ID", TTP_CPP_TRACE_ID},
    {"METAL TRACE REPLAY SESSION ID", TTP_CPP_REPLAY},
    {"DEVICE ID", TTP_CPP_DEVICE},
    {"CORE COUNT", TTP_CPP_CORE_COUNT},
    {"AVAILABLE WORKER CORE COUNT", -1},
    {"DEVICE TRACE FIRMWARE DURATION [ns]", -1},
    {"DEVICE TRACE KERNEL DURATION [ns]", -1},
    {"DEVICE KERNEL FIRST TO LAST START [ns]", -1},
    {"DEVICE FW DURATION [ns]", TTP_CPP_FW_NS},
    {"DEVICE FW START CYCLE", TTP_CPP_FW_START},
    {"DEVICE FW END CYCLE", TTP_CPP_FW_END},
    {"DEVICE KERNEL DURATION [ns]", -1},
    {"DEVICE KERNEL DURATION DM START [ns]", -1},
    {"DEVICE KERNEL START CYCLE", TTP_CPP_KERNEL_START},
    {"DEVICE KERNEL END CYCLE", TTP_CPP_KERNEL_END},
    {"DEVICE KERNEL DM START CYCLE", TTP_CPP_DM_START},
    {"DEVICE KERNEL DM END CYCLE", TTP_CPP_DM_END},
    {"DEVICE BRISC KERNEL DURATION [ns]", -1},
    {"DEVICE NCRISC KERNEL DURATION [ns]", -1},
    {"DEVICE TRISC0 KERNEL DURATION [ns]", -1},
    {"DEVICE TRISC1 KERNEL DURATION [ns]", -1},
    {"DEVICE TRISC2 KERNEL DURATION [ns]", -1},
    {"DEVICE ERISC KERNEL DURATION [ns]", -1},
    {"DEVICE QUASAR_DM KERNEL DURATION [ns]", TTP_CPP_QUASAR_DM_NS},
    {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]", TTP_CPP_QUASAR_TRISC_NS},
    {"DEVICE DM FW DURATION [ns]", -1},
    {"DEVICE TRISC FW DURATION [ns]", -1},
    {"DEVICE QUASAR_DM KERNEL START CYCLE", TTP_CPP_QUASAR_DM_START},
    {"DEVICE QUASAR_DM KERNEL END CYCLE", TTP_CPP_QUASAR_DM_END},
    {"DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE", TTP_CPP_QUASAR_TRISC_START},
    {"DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE", TTP_CPP_QUASAR_TRISC_END},
};

struct reading {
    struct ttp_cpp_report *report;
    const struct ttp_logs_options *options;
    struct ttp_arena *arena;
    int *kind; /* of each column: position in `numbers`, -1: text */
    uint64_t lines;
};

static ttp_code read_names(struct reading *r, const struct ttp_csv *csv,
                           const struct ttp_csv_row *row, struct ttp_err *err)
{
    struct ttp_cpp_report *report = r->report;
    bool id = false, device = false;

    if (row->nfields > MAX_COLUMNS)
        return ttp_fail(err, TTP_ELIMIT, "%zu columns; more than %d are not a device report",
                        row->nfields, MAX_COLUMNS);
    report->ncolumns = row->nfields;
    report->column = TTP_NEW(r->arena, ttp_str, row->nfields);
    r->kind = TTP_NEW(r->arena, int, row->nfields);
    for (size_t c = 0; c < row->nfields; c++) {
        const ttp_str name = ttp_csv_field(csv, row, c, r->arena);
        report->column[c] = ttp_arena_copy(r->arena, name);
        r->kind[c] = -1;
        for (size_t k = 0; k < TTP_COUNT(numbers); k++)
            if (ttp_str_eq(name, ttp_str_from(numbers[k].name)))
                r->kind[c] = (int)k;
        id |= ttp_str_eq(name, TTP_STR("GLOBAL CALL COUNT"));
        device |= ttp_str_eq(name, TTP_STR("DEVICE ID"));
    }
    if (!id || !device)
        return ttp_fail(err, TTP_EPARSE, "no column '%s'", id ? "DEVICE ID" : "GLOBAL CALL COUNT");
    return TTP_OK;
}

/* int(), and where that fails int(float()). */
static bool read_whole(ttp_str cell, int64_t *out)
{
    double value;

    if (ttp_python_int(cell, out))
        return true;
    if (!ttp_python_float(cell, &value) || !(fabs(value) < 9e18))
        return false;
    *out = (int64_t)value;
    return true;
}

static bool read_cell(struct ttp_cpp_row *out, size_t c, ttp_str cell, const struct reading *r)
{
    const int kind = r->kind[c];
    char text[TTP_NUM_MAX];
    int64_t value;

    cell = ttp_python_strip(cell);
    if (kind >= 0 && cell.len) {
        if (!read_whole(cell, &value))
            return false;
        if (numbers[kind].number >= 0)
            out->number[numbers[kind].number] = value;
        cell = (ttp_str){text, ttp_num_i64(text, value)};
    }
    out->cell[c] = ttp_arena_copy(r->arena, cell);
    return true;
}

static ttp_code read_row(struct reading *r, const struct ttp_csv *csv,
                         const struct ttp_csv_row *row, struct ttp_err *err)
{
    struct ttp_cpp_report *report = r->report;
    const struct ttp_mark mark = ttp_arena_mark(r->arena);
    struct ttp_cpp_row out = {.line = r->lines + row->line + 1};
    bool good = true;

    if (r->options->strict && row->nfields > report->ncolumns) {
        ttp_fail(err, TTP_EPARSE, "too many fields: %zu, not %zu", row->nfields, report->ncolumns);
        ttp_err_where(err, "", out.line);
        return TTP_EPARSE;
    }
    out.cell = TTP_NEW(r->arena, ttp_str, report->ncolumns);
    for (size_t k = 0; k < TTP_CPP_NUMBERS; k++)
        out.number[k] = TTP_CPP_EMPTY;
    for (size_t c = 0; c < report->ncolumns && c < row->nfields && good; c++)
        good = read_cell(&out, c, ttp_csv_field(csv, row, c, r->arena), r);
    if (!good) {
        ttp_arena_rewind(r->arena, mark);
        if (report->bad_rows.count++ == 0)
            report->bad_rows.line = out.line;
        if (!r->options->strict)
            return TTP_OK;
        ttp_fail(err, TTP_EPARSE, "cell is not a number");
        ttp_err_where(err, "", out.line);
        return TTP_EPARSE;
    }
    if (out.number[TTP_CPP_DEVICE] == TTP_CPP_EMPTY ||
        out.number[TTP_CPP_RUN_ID] == TTP_CPP_EMPTY) {
        ttp_arena_rewind(r->arena, mark);
        return TTP_OK;
    }
    *TTP_PUSH(r->arena, report->row, report->nrows) = out;
    return TTP_OK;
}

static ttp_code read_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct reading *r = arg;
    uint32_t end[MAX_COLUMNS];
    struct ttp_csv csv = {.text = text, .sep = ','};
    struct ttp_csv_row row = {.end = end, .max = MAX_COLUMNS};

    while (ttp_csv_next(&csv, &row)) {
        r->report->truncated = row.nfields < r->report->ncolumns && text.ptr[text.len - 1] != '\n';
        if (!r->report->column)
            TTP_TRY(read_names(r, &csv, &row, err));
        else
            TTP_TRY(read_row(r, &csv, &row, err));
    }
    r->lines += csv.lines;
    return TTP_OK;
}

static size_t cut(ttp_str text, bool last, void *arg)
{
    (void)arg;
    return ttp_csv_whole_rows(text, ',', last);
}

ttp_code ttp_logs_read_cpp_report(struct ttp_cpp_report *out, const char *path,
                                  const struct ttp_logs_options *options, struct ttp_arena *arena,
                                  struct ttp_err *err)
{
    struct reading r = {.report = out, .options = options, .arena = arena};

    *out = (struct ttp_cpp_report){0};
    TTP_TRY(ttp_input_each(path, cut, read_block, &r, err));
    if (out->column)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE, "the file is empty");
    ttp_err_where(err, path, 0);
    return TTP_EPARSE;
}
