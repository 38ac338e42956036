/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/outputs.h"

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

void ttp_out_loss_text(struct ttp_sink *out, const struct ttp_loss_view *view,
                       struct ttp_arena *arena)
{
    const struct ttp_tensor *t = view->tensor;

    if (t->name.len)
        ttp_sink_printf(out, "%.*s: ", TTP_FMT(t->name));
    ttp_sink_printf(out, "%s %.*s\n", ttp_dtype_name(t->dtype),
                    TTP_FMT(ttp_tensor_shape_text(t->shape, t->ndim, arena)));
    if (view->spread->rows)
        put_spread(out, view->spread);
    ttp_sink_printf(out, "%-10s %12s %12s %12s %10s  %s\n", "format", "PCC", "Frobenius",
                    "max error", "became 0", "verdict");
    for (size_t i = 0; i < view->count; i++) {
        const struct ttp_loss *l = &view->loss[i];
        const uint64_t values = view->spread->values;

        ttp_sink_printf(out, "%-10s %12.8f %12.4g %12.4g %8.2f %%  %s\n", ttp_dtype_name(l->format),
                        l->compare.pcc, l->compare.frobenius, l->compare.max_abs,
                        values ? 100 * (double)l->flushed / (double)values : 0,
                        l->compare.pass ? "holds" : "FAILS");
    }
    ttp_sink_printf(out, "a format holds where PCC is at least %g and the Frobenius error fits\n",
                    view->gate);
}
