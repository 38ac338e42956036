/* SPDX-License-Identifier: Apache-2.0 */
/* one_op.c - one operation on one page: every figure that is known of it. */
#include "base/quantity.h"
#include "outputs/report/report_parts.h"

#define PAGE 80

void ttp_out_one_op(const struct ttp_show *show, const struct ttp_report_view *view, size_t op)
{
    const struct ttp_op *o = &view->report->op[op];
    const int page = show->width > 0 ? show->width : PAGE;
    size_t label = 0;

    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const size_t n = strlen(ttp_op_fields.field[i].id);
        label = n > label ? n : label;
    }
    ttp_sink_printf(show->out, "%.*s, ID %u\n\n",
                    TTP_FMT(ttp_sym_name(view->report->syms, o->name)), o->row + 2);
    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const struct ttp_field *field = &ttp_op_fields.field[i];
        const struct ttp_value v = ttp_field_value(field, view->report, o);
        const bool number = v.kind == TTP_VALUE_INT || v.kind == TTP_VALUE_REAL;
        struct ttp_sink line;

        if (v.kind == TTP_VALUE_NONE)
            continue;
        ttp_sink_to_arena(&line, show->arena);
        ttp_sink_printf(&line, "%-*s ", (int)label, field->id);
        ttp_sink_put(&line, ttp_show_cell(field, v, NULL, show->arena));
        if (number && field->unit && *field->unit && ttp_quantity_us_per(field->unit) == 0)
            ttp_sink_printf(&line, " %s", field->unit);
        ttp_paint_wrapped(show->out, ttp_sink_text(&line), page, 0, label + 1);
    }
}
