/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a report as ops_perf_results.csv, as JSON, or as the columns that reading the CSV
 * would give. In the CSV every ',' in a cell is ';', cells with '"', CR or LF are quoted, lines end
 * with CRLF. */
#include "base/gate.h"
#include "base/json_read.h"
#include "ops/ops_block.h"
#include "ops/report_rows.h"

static ttp_str without_commas(ttp_str s, struct ttp_arena *scratch)
{
    if (ttp_str_find_char(s, ',') == TTP_NPOS)
        return s;
    char *text = TTP_NEW(scratch, char, s.len);
    for (size_t i = 0; i < s.len; i++)
        text[i] = (char)(s.ptr[i] == ',' ? ';' : s.ptr[i]);
    return (ttp_str){text, s.len};
}

static ttp_str mlir_cell(const struct ttp_ops_report *report, const struct ttp_host_op *op,
                         uint32_t index)
{
    /* what ttrt writes for ops that no message precedes */
    static const ttp_str missing[] = {
        {"loc(\"unknown\")", 14}, {"false", 5}, {"false", 5}, {"{}", 2}};
    const ttp_sym sym[] = {op->location, op->const_eval, op->input_layout, op->program};

    if (sym[index] == TTP_SYM_NONE)
        return missing[index];
    return ttp_sym_name(&report->logs.host->names, sym[index]);
}

static ttp_str child_cell(const struct ttp_host_op *op, ttp_sym name, struct ttp_arena *scratch)
{
    for (size_t i = 0; i < op->nchildren; i++) {
        char text[TTP_NUM_MAX];
        if (op->child[i].name == name)
            return ttp_arena_copy(scratch, (ttp_str){text, ttp_num_i64(text, op->child[i].ns)});
    }
    return (ttp_str){0};
}

static ttp_str size_cell(const struct ttp_op_info *info, ttp_str name)
{
    for (size_t i = 0; i < info->nkernel_sizes; i++)
        if (ttp_str_eq(info->kernel_size[i].key, name))
            return info->kernel_size[i].text;
    return (ttp_str){0};
}

static ttp_str counter_cell(const struct ttp_rendering *r, const struct ttp_report_row *row,
                            const struct ttp_column *c)
{
    const struct ttp_ops_report *report = r->report;
    const struct ttp_counted *pass = c->cell ? &report->counted[c->cell - 1] : NULL;
    const struct ttp_report_row *of = pass ? pass->row[row - report->row] : row;

    if (!of || !of->device)
        return (ttp_str){0};
    return ttp_ops_counter_cell(pass ? pass->tables : report->counters, c->index,
                                &r->counters[c->cell], of->device, r->scratch);
}

static ttp_str cell_of(const struct ttp_rendering *r, const struct ttp_report_row *row,
                       const struct ttp_column *c)
{
    const struct ttp_op_info *info = row->op ? row->op->info : NULL;

    if (c->kind == COLUMN_FIELD)
        return r->cell[c->index];
    if (c->kind == COLUMN_COUNTER)
        return counter_cell(r, row, c);
    if (!info)
        return (ttp_str){0};
    switch (c->kind) {
    case COLUMN_INPUT:
        return c->index < info->ninputs ? info->input[c->index].cell[c->cell] : (ttp_str){0};
    case COLUMN_OUTPUT:
        return c->index < info->noutputs ? info->output[c->index].cell[c->cell] : (ttp_str){0};
    case COLUMN_KERNEL_SIZE:
        return size_cell(info, c->name);
    case COLUMN_CHILD:
        return child_cell(row->op, c->index, r->scratch);
    case COLUMN_MLIR:
        return mlir_cell(r->report, row->op, c->index);
    default:
        return (ttp_str){0};
    }
}

/* Device-only reports have only the columns that some row has a value in. */
static ttp_code find_present(bool *present, const struct ttp_ops_report *report,
                             struct ttp_arena *scratch, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_rendering r;
    ttp_code rc = TTP_OK;

    ttp_ops_rendering_init(&r, report, &arena, scratch);
    for (size_t i = 0; i < report->nrows && rc == TTP_OK; i++) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        rc = ttp_ops_render_row(&r, &report->row[i], err);
        for (size_t c = 0; c < FIELDS && rc == TTP_OK; c++)
            present[c] |= r.cell[c].ptr != NULL;
        ttp_arena_rewind(scratch, mark);
    }
    ttp_arena_free(&arena);
    return rc;
}

static void put_header(struct ttp_sink *out, const struct ttp_columns *columns)
{
    for (size_t c = 0; c < columns->ncolumns; c++) {
        const ttp_str name = columns->column[c].name;

        if (c)
            ttp_sink_char(out, ',');
        ttp_gate_put_csv_exact(out, name);
    }
    ttp_sink_put(out, TTP_STR("\r\n"));
}

static bool is_true(const struct ttp_ops_report *report, ttp_sym sym)
{
    return sym != TTP_SYM_NONE &&
           ttp_str_eq(ttp_str_trim(ttp_sym_name(&report->logs.host->names, sym)), TTP_STR("true"));
}

static bool left_out(const struct ttp_ops_report *report, const struct ttp_report_row *row,
                     unsigned without)
{
    const struct ttp_host_op *op = row->op;

    return op && (((without & TTP_WITHOUT_CONST_EVAL) && is_true(report, op->const_eval)) ||
                  ((without & TTP_WITHOUT_INPUT_LAYOUT) && is_true(report, op->input_layout)));
}

static void put_row(struct ttp_sink *out, const struct ttp_rendering *r,
                    const struct ttp_report_row *row, const struct ttp_columns *columns)
{
    for (size_t c = 0; c < columns->ncolumns; c++) {
        if (c)
            ttp_sink_char(out, ',');
        ttp_gate_put_csv_exact(out,
                               without_commas(cell_of(r, row, &columns->column[c]), r->scratch));
    }
    ttp_sink_put(out, TTP_STR("\r\n"));
}

/* As a number where it is one that JSON can hold, else as text. */
static void put_member(struct ttp_json_writer *out, ttp_str name, ttp_str cell)
{
    int64_t whole;
    double value;

    if (cell.len == 0)
        return;
    ttp_json_put_key(out, name);
    if (ttp_json_to_i64(cell, &whole))
        ttp_json_put_i64(out, whole);
    else if (ttp_json_to_f64(cell, &value))
        ttp_json_put_f64(out, value);
    else
        ttp_json_put_str(out, cell);
}

static void put_object(struct ttp_json_writer *out, const struct ttp_rendering *r,
                       const struct ttp_report_row *row, const struct ttp_columns *columns)
{
    ttp_json_begin_object(out);
    for (size_t c = 0; c < columns->ncolumns; c++)
        put_member(out, columns->column[c].name, cell_of(r, row, &columns->column[c]));
    ttp_json_end_object(out);
}

/* Where rows go: one of the three. */
struct target {
    struct ttp_sink *csv;
    struct ttp_json_writer *json;
    struct ttp_ops_rows *rows;
    struct ttp_ops_header header; /* of rows */
    unsigned without;
};

static ttp_str plain_cell(struct ttp_ops_block *b, const struct ttp_rendering *r,
                          const struct ttp_report_row *row, const struct ttp_column *column)
{
    return ttp_ops_block_repair(b, without_commas(cell_of(r, row, column), r->scratch));
}

/* Only what reports read of it. */
static void take_row(const struct target *to, const struct ttp_rendering *r,
                     const struct ttp_report_row *row, const struct ttp_columns *columns)
{
    const struct ttp_ops_header *h = &to->header;
    struct ttp_ops_block *b = &to->rows->block;

    for (size_t c = 0; c < TTP_OPS_TEXTS; c++)
        if (h->text[c] != TTP_NPOS)
            ttp_ops_block_put_text(b, c, plain_cell(b, r, row, &columns->column[h->text[c]]));
    for (size_t c = 0; c < TTP_OPS_NUMBERS; c++)
        if (h->number[c] != TTP_NPOS)
            ttp_ops_block_put_number(b, c, plain_cell(b, r, row, &columns->column[h->number[c]]));
    b->rows++;
}

static void begin_rows(struct target *to, const struct ttp_columns *columns, size_t rows)
{
    struct ttp_ops_rows *out = to->rows;

    out->columns = columns->ncolumns;
    out->name = TTP_NEW(&out->block.arena, ttp_str, out->columns);
    for (size_t c = 0; c < out->columns; c++)
        out->name[c] = ttp_arena_copy(&out->block.arena, columns->column[c].name);
    ttp_ops_match_header(&to->header, out->name, out->columns);
    out->block.input.last = true;
    out->block.problem_fields = out->columns; /* the last row is whole */
    ttp_ops_block_begin(&out->block);
    ttp_ops_block_reserve(&out->block, &to->header, rows);
}

/* Does the row that was rendered belong to a device that was not asked for? */
static bool is_of_other_device(const struct ttp_rendering *r)
{
    const ttp_str device = r->cell[FIELD_DEVICE_ID];
    int64_t id;

    return r->report->one_device && device.len &&
           !(ttp_str_to_i64(device, &id) && id == r->report->device);
}

static ttp_code put_rows(struct target *to, const struct ttp_ops_report *report,
                         const struct ttp_columns *columns, struct ttp_arena *scratch,
                         struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_rendering r;
    ttp_code rc = TTP_OK;
    bool any = !report->one_device;

    ttp_ops_rendering_init(&r, report, &arena, scratch);
    for (size_t i = 0; i < report->nrows && rc == TTP_OK; i++) {
        const struct ttp_report_row *row = &report->row[i];
        const struct ttp_mark mark = ttp_arena_mark(scratch);

        rc = ttp_ops_render_row(&r, row, err);
        any |= rc == TTP_OK && r.cell[FIELD_DEVICE_ID].len && !is_of_other_device(&r);
        if (rc != TTP_OK || left_out(report, row, to->without) || is_of_other_device(&r))
            continue;
        if (to->csv)
            put_row(to->csv, &r, row, columns);
        else if (to->json)
            put_object(to->json, &r, row, columns);
        else
            take_row(to, &r, row, columns);
        ttp_arena_rewind(scratch, mark);
    }
    ttp_arena_free(&arena);
    return rc == TTP_OK && !any ? ttp_fail(err, TTP_ENOTFOUND, "no device %lld in this run",
                                           (long long)report->device)
                                : rc;
}

static ttp_code write_report(struct target *to, const struct ttp_ops_report *report,
                             struct ttp_arena *scratch, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_columns columns;
    bool present[FIELDS] = {0};
    ttp_code rc = TTP_OK;

    if (report->device_only)
        rc = find_present(present, report, scratch, err);
    if (rc == TTP_OK) {
        ttp_ops_columns_choose(&columns, report, report->device_only ? present : NULL, &arena);
        if (to->csv)
            put_header(to->csv, &columns);
        else if (to->rows)
            begin_rows(to, &columns, report->nrows);
        rc = put_rows(to, report, &columns, scratch, err);
    }
    ttp_arena_free(&arena);
    return ttp_ops_name_run_file(&report->logs, rc, err);
}

ttp_code ttp_ops_write_csv(struct ttp_sink *out, const struct ttp_ops_report *report,
                           unsigned without, struct ttp_arena *scratch, struct ttp_err *err)
{
    struct target to = {.csv = out, .without = without};

    return write_report(&to, report, scratch, err);
}

ttp_code ttp_ops_write_json(struct ttp_json_writer *out, const struct ttp_ops_report *report,
                            struct ttp_arena *scratch, struct ttp_err *err)
{
    struct target to = {.json = out};

    ttp_json_begin_array(out);
    const ttp_code rc = write_report(&to, report, scratch, err);
    ttp_json_end_array(out);
    return rc;
}

ttp_code ttp_ops_make_rows(struct ttp_ops_rows **out, const struct ttp_ops_report *report,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    struct target to = {.rows = TTP_NEW(arena, struct ttp_ops_rows, 1)};
    struct ttp_arena scratch = {0};

    const ttp_code rc = write_report(&to, report, &scratch, err);
    ttp_arena_free(&scratch);
    if (rc != TTP_OK) {
        ttp_ops_drop_rows(to.rows);
        return rc;
    }
    ttp_ops_block_finish(&to.rows->block);
    *out = to.rows;
    return TTP_OK;
}

void ttp_ops_drop_rows(struct ttp_ops_rows *rows)
{
    ttp_arena_free(&rows->block.arena);
}
