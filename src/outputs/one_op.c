/* SPDX-License-Identifier: Apache-2.0 */
/* one_op.c - one operation on one page. */
#include "outputs/outputs.h"
#include "outputs/paint.h"

#define PAGE  80
#define LABEL 20

static void put_value(struct ttp_sink *out, const struct ttp_field *field, struct ttp_value v)
{
    switch (v.kind) {
    case TTP_VALUE_INT:
        ttp_sink_i64(out, v.v.i);
        break;
    case TTP_VALUE_REAL:
        ttp_sink_fixed(out, v.v.f, 2, true);
        break;
    case TTP_VALUE_TEXT:
    case TTP_VALUE_BOOL:
        ttp_sink_put(out, v.v.text);
        break;
    case TTP_VALUE_NONE:
        break;
    }
    if (field->unit && field->unit[0] && (v.kind == TTP_VALUE_INT || v.kind == TTP_VALUE_REAL))
        ttp_sink_printf(out, " %s", field->unit);
}

void ttp_out_one_op(struct ttp_sink *out, const struct ttp_report_view *view, size_t op,
                    struct ttp_arena *arena)
{
    const struct ttp_op *o = &view->report->op[op];
    const int page = view->width > 0 ? view->width : PAGE;

    ttp_sink_printf(out, "%.*s, ID %u\n\n",
                    TTP_FMT(ttp_paint_brief_name(ttp_sym_name(view->report->syms, o->code), arena)),
                    o->row + 2);
    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const struct ttp_field *field = &ttp_op_fields.field[i];
        const struct ttp_value v = field->get(view->report, o);
        struct ttp_sink line;

        if (v.kind == TTP_VALUE_NONE || (v.kind == TTP_VALUE_TEXT && v.v.text.len == 0))
            continue;
        ttp_sink_to_arena(&line, arena);
        ttp_sink_printf(&line, "%-*s ", LABEL, field->id);
        put_value(&line, field, v);
        ttp_paint_wrapped(out, ttp_sink_text(&line), page, 0, LABEL + 1);
    }
}
