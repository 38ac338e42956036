/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/pcc/pcc_fields.h"

#define BAR_WIDTH 40

static const struct {
    unsigned from, to;
    const char *label;
} ranges[] = {
    {0, 0, "0"},   {1, 1, "1"},   {2, 2, "2"},     {3, 3, "3"},
    {4, 5, "4-5"}, {6, 7, "6-7"}, {8, 15, "8-15"}, {16, TTP_SPREAD_MAX, "16 and more"},
};

/* A value s powers of two below the largest of its row keeps the bits of the format minus s. */
static void put_spread(struct ttp_sink *out, const struct ttp_exponents *s)
{
    ttp_sink_printf(out,
                    "exponents in rows of 16 (powers of two between largest and smallest), "
                    "%llu rows:\n",
                    (unsigned long long)s->rows);
    for (size_t i = 0; i < TTP_COUNT(ranges); i++) {
        uint64_t n = 0;

        for (unsigned k = ranges[i].from; k <= ranges[i].to; k++)
            n += s->count[k];
        if (n == 0)
            continue;
        const double share = (double)n / (double)s->rows;
        ttp_sink_printf(out, "  %-12s %5.1f %% ", ranges[i].label, 100 * share);
        ttp_sink_repeat(out, '#', (size_t)(share * BAR_WIDTH + 0.5));
        ttp_sink_char(out, '\n');
    }
}

static void put_head(const struct ttp_show *show, const void *arg)
{
    const struct ttp_loss_view *view = arg;
    const struct ttp_tensor *t = view->tensor;

    if (t->name.len)
        ttp_sink_printf(show->out, "%.*s: ", TTP_FMT(t->name));
    ttp_sink_printf(show->out, "%s %.*s\n", ttp_tensor_dtype_name(t->dtype),
                    TTP_FMT(ttp_tensor_shape_text(t->shape, t->ndim, show->arena)));
    if (view->spread->rows && show->form == TTP_FORM_TEXT)
        put_spread(show->out, view->spread);
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct ttp_loss_view *view = arg;

    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
    ttp_sink_printf(
        show->out,
        "a format passes if PCC is at least %g and the Frobenius error is within its limit\n",
        view->gate);
}

static const struct ttp_field spread_fields[] = {
    TTP_INT("rows", "", TTP_FIGURE(struct ttp_exponents, rows)),
    TTP_INT("values", "", TTP_FIGURE(struct ttp_exponents, values)),
    {.id = "rows_by_spread",
     TTP_ARRAY_HERE(struct ttp_exponents, count, ttp_bare_u64),
     .help =
         "rows of 16 by largest minus smallest exponent; the last one includes larger differences"},
};
static const struct ttp_fields spread_figures = {TTP_FIELDS(spread_fields)};

static const struct ttp_field view_fields[] = {
    {.id = "name", .type = TTP_TEXT, TTP_FIGURE(struct ttp_loss_view, name)},
    {.id = "tensor", TTP_OBJECT_AT(struct ttp_loss_view, tensor, ttp_pcc_tensor_fields)},
    TTP_REAL("pcc_gate", "", 0, TTP_FIGURE(struct ttp_loss_view, gate)),
    {.id = "exponent_spread", TTP_OBJECT_AT(struct ttp_loss_view, spread, spread_figures)},
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

enum { PART_VIEW, PART_FORMATS };
static const struct ttp_part_spec parts[] = {
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_FORMATS] = {.id = "formats", .fields = &ttp_loss_fields},
};
const struct ttp_document_spec ttp_loss_document = {
    .schema = "tt-perf.pcc-loss/1",
    .help = "Accuracy of a tensor in narrower formats",
    TTP_PARTS(parts),
    .main = PART_FORMATS,
};

ttp_code ttp_out_loss(const struct ttp_show *show, const struct ttp_loss_view *view,
                      struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .head = put_head, .foot = put_foot};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_loss_document, show->arena);
    ttp_document_object(&doc, PART_VIEW, NULL, view);
    ttp_document_rows(&doc, PART_FORMATS, view, view->loss, view->count);
    return ttp_show_document(show, &doc, &page, err);
}
