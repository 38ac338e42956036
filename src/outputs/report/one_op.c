/* SPDX-License-Identifier: Apache-2.0 */
/* one_op.c - one operation on one page: every figure that is known of it, and for a matmul the
 * configs that it could have. */
#include "base/quantity.h"
#include "config/config.h"
#include "outputs/report/report_parts.h"

#define PAGE 80
/* Proposals below the config in use and ttnn's own. */
#define ALTERNATIVES 5

struct one_op {
    const struct ttp_report_view *view;
    const struct ttp_op *op;
    size_t alternatives;
    double scale; /* of predicted times; 0: none */
};

enum { PART_OP, PART_ALTERNATIVES };
static const struct ttp_part_spec parts[] = {
    [PART_OP] = {.id = "op",
                 .fields = &ttp_op_fields,
                 .kind = TTP_PART_OBJECT,
                 .json_only = true,
                 .help = "as in a report"},
    [PART_ALTERNATIVES] = {.id = "alternatives",
                           .title = "Program configs",
                           .fields = &ttp_config_fields,
                           .help = "for a matmul: the config in use, the one that ttnn picks, and "
                                   "proposals, fastest first; empty for other ops"},
};
const struct ttp_document_spec ttp_report_op_document = {
    .schema = "tt-perf.report-op/1",
    .help = "One op of a run",
    TTP_PARTS(parts),
    .main = PART_ALTERNATIVES,
};

/* What the threads of the kernel wait for, as `kernel` says it: durations of a row do not. */
static void put_kernel(const struct ttp_show *show, const struct one_op *one, int page)
{
    const struct ttp_kernel_report *kernels = one->view->plan.kernels;
    const unsigned id = one->op->row + 2;

    for (size_t i = 0; kernels && i < kernels->nprograms; i++) {
        const struct ttp_kernel_program *m = &kernels->program[i];

        if (m->op_id != id || !m->verdict.from_waits)
            continue;
        ttp_sink_char(show->out, '\n');
        ttp_paint_wrapped(show->out, ttp_kernel_sentence(m, show->arena),
                          show->form == TTP_FORM_TEXT ? page : 0, 0, 2);
        ttp_show_sentence(show, "next: its threads and lines (tt-perf kernel %.*s --program %u)",
                          TTP_FMT(one->view->operands), id);
        return;
    }
}

static void put_figures(const struct ttp_show *show, const void *arg)
{
    const struct one_op *one = arg;
    const struct ttp_report_view *view = one->view;
    const int page = show->width > 0 ? show->width : PAGE;
    const bool markdown = show->form == TTP_FORM_MARKDOWN;
    size_t label = 0;

    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const size_t n = strlen(ttp_op_fields.field[i].id);
        label = n > label ? n : label;
    }
    if (markdown)
        ttp_sink_own(show->out, "## ");
    ttp_sink_printf(show->out, "%.*s, ID %u\n\n",
                    TTP_FMT(ttp_sym_name(view->report->syms, one->op->name)), one->op->row + 2);
    for (size_t i = 0; i < ttp_op_fields.count; i++) {
        const struct ttp_field *field = &ttp_op_fields.field[i];
        const struct ttp_value v = ttp_field_value(field, view->report, one->op);
        const bool number = v.kind == TTP_VALUE_INT || v.kind == TTP_VALUE_REAL;
        struct ttp_sink line;

        if (v.kind == TTP_VALUE_NONE)
            continue;
        ttp_sink_to_arena(&line, show->arena);
        ttp_sink_printf(&line, "%-*s%s ", markdown ? 0 : (int)label, field->id,
                        markdown ? ":" : "");
        ttp_sink_put(&line, ttp_show_cell(field, v, NULL, show->arena));
        if (number && field->unit && *field->unit && ttp_quantity_us_per(field->unit) == 0)
            ttp_sink_printf(&line, " %s", field->unit);
        if (markdown)
            ttp_sink_own(show->out, "- ");
        ttp_paint_wrapped(show->out, ttp_sink_text(&line), markdown ? 0 : page, 0, label + 1);
    }
    put_kernel(show, one, page);
    if (one->alternatives) {
        ttp_sink_char(show->out, '\n');
        ttp_paint_wrapped(show->out,
                          TTP_STR("Program configs; times are predictions of the cost model, and "
                                  "'tt-perf config' has the Python to paste"),
                          show->form == TTP_FORM_TEXT ? show->width : 0, 0, 2);
        if (one->scale > 0)
            ttp_out_config_put_scale(show, one->scale, one->op->time_us / one->scale);
        ttp_sink_char(show->out, '\n');
    }
}

static void put_alternatives(const struct ttp_show *show, const void *arg, size_t part,
                             const struct ttp_table *table)
{
    const struct one_op *one = arg;

    (void)part;
    if (one->alternatives)
        ttp_show_table(show, table);
}

ttp_code ttp_out_one_op(const struct ttp_show *show, const struct ttp_report_view *view, size_t op,
                        struct ttp_err *err)
{
    struct one_op one = {.view = view, .op = &view->report->op[op]};
    const struct ttp_page page = {.arg = &one, .head = put_figures, .body = put_alternatives};
    const struct ttp_config_context context = {show->arena};
    struct ttp_op_configs configs;
    struct ttp_document doc;

    if (ttp_advice_configs(&configs, view->report,
                           (struct ttp_op_configs_wanted){.op = op, .top = ALTERNATIVES},
                           show->arena))
        one.alternatives = configs.found.count;
    one.scale = configs.scale;
    ttp_document_init(&doc, &ttp_report_op_document, show->arena);
    ttp_document_object(&doc, PART_OP, view->report, one.op);
    ttp_document_rows(&doc, PART_ALTERNATIVES, &context, configs.found.row, one.alternatives);
    return ttp_show_document(show, &doc, &page, err);
}
