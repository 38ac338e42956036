/* SPDX-License-Identifier: Apache-2.0 */
/* report_csv.c - the report's rows as CSV: tt-perf-report's column names, unrounded numbers,
 * missing cells empty. */
#include "outputs/csv_text.h"
#include "outputs/outputs.h"

static bool takes_column(const struct ttp_report_view *view, const struct ttp_op_column *c)
{
    const ttp_str id = ttp_str_from(c->spec.id);

    if (ttp_str_eq(id, TTP_STR("raw_op_code")))
        return view->raw_op_codes;
    return !ttp_str_eq(id, TTP_STR("kind"));
}

/* A spreadsheet takes such a text for a formula; a quote in front keeps it text. */
static void put_text(struct ttp_sink *out, ttp_str text)
{
    struct ttp_arena arena = {0};
    struct ttp_sink guarded;

    if (text.len == 0 || !memchr("=+-@\t\r", text.ptr[0], 6)) {
        ttp_csv_put(out, text);
        return;
    }
    ttp_sink_to_arena(&guarded, &arena);
    ttp_sink_char(&guarded, '\'');
    ttp_sink_put(&guarded, text);
    ttp_csv_put(out, ttp_sink_text(&guarded));
    ttp_arena_free(&arena);
}

static void put_value(struct ttp_sink *out, struct ttp_value v)
{
    if (v.kind == TTP_VALUE_INT)
        ttp_sink_i64(out, v.v.i);
    else if (v.kind == TTP_VALUE_REAL)
        ttp_sink_f64(out, v.v.f, TTP_NUM_PYTHON);
    else if (v.kind == TTP_VALUE_TEXT)
        put_text(out, v.v.text);
}

/* Findings come in the order of the rows; *next is the first not yet written. */
static void put_advice(struct ttp_sink *out, const struct ttp_findings *f, size_t op, size_t *next,
                       struct ttp_arena *arena)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (; *next < f->count && f->item[*next].op == op; (*next)++) {
        if (f->item[*next].section != TTP_ADVICE_MATMUL)
            continue;
        if (text.len)
            ttp_sink_put(&text, TTP_STR(" • "));
        ttp_sink_put(&text, f->item[*next].text);
    }
    ttp_csv_put(out, ttp_sink_text(&text));
}

void ttp_out_report_csv(struct ttp_sink *out, const struct ttp_report_view *view,
                        struct ttp_arena *arena)
{
    size_t count, shown = 0, next = 0;
    const struct ttp_op_column *all = ttp_analysis_columns(&count);
    const struct ttp_op_column **column = TTP_NEW(arena, const struct ttp_op_column *, count);

    if (view->column) {
        column = TTP_NEW(arena, const struct ttp_op_column *, view->columns);
        for (; shown < view->columns; shown++)
            column[shown] = view->column[shown];
    }
    for (size_t i = 0; !view->column && i < count; i++)
        if (takes_column(view, &all[i]))
            column[shown++] = &all[i];
    for (size_t c = 0; c < shown; c++)
        ttp_sink_printf(out, "%s%s", c ? "," : "", column[c]->csv_title);
    if (view->findings && !view->column)
        ttp_sink_put(out, TTP_STR(",Advice"));
    ttp_sink_put(out, TTP_STR("\r\n"));
    for (size_t r = 0; r < view->rows; r++) {
        const struct ttp_mark mark = ttp_arena_mark(arena);
        for (size_t c = 0; c < shown; c++) {
            if (c)
                ttp_sink_char(out, ',');
            put_value(out, column[c]->get(view->report, &view->report->op[view->row[r]]));
        }
        if (view->findings && !view->column) {
            ttp_sink_char(out, ',');
            put_advice(out, view->findings, view->row[r], &next, arena);
        }
        ttp_sink_put(out, TTP_STR("\r\n"));
        ttp_arena_rewind(arena, mark);
    }
}
