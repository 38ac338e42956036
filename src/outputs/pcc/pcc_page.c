/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of tensors for human readers: the verdict last. */
#include <math.h>
#include <stdio.h>

#include "outputs/pcc/pcc_fields.h"
#include "outputs/show/paint.h"

/* From no error to the largest. */
static const char ramp[] = " .:-=+*#%@";
#define RAMP_STEPS (sizeof(ramp) - 2)
#define VALUES     23 /* where they begin */

static const char *const how_text[] = {
    [TTP_PCC_CORRELATED] = "",
    [TTP_PCC_EQUAL] = "all values are equal",
    [TTP_PCC_BOTH_NAN] = "no numbers on either side",
    [TTP_PCC_ONE_NAN] = "one side is all NaN",
    [TTP_PCC_ONE_ZERO] = "one side is all 0: decided by allclose",
    [TTP_PCC_UNDEFINED] = "undefined, one side does not vary: decided by allclose",
    [TTP_PCC_UNDEFINED_PASSED] = "undefined, one side does not vary: passed by this version",
};

bool ttp_out_pcc_pair_passes(const struct ttp_pcc_view *view, const struct ttp_pcc_pair *pair)
{
    const struct ttp_compare *r = &pair->result;

    return view->pcc_only ? r->compared && r->pcc_ok : r->pass;
}

bool ttp_out_pcc_passes(const struct ttp_pcc_view *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (!ttp_out_pcc_pair_passes(view, &view->pair[i]))
            return false;
    return view->golden_only == 0;
}

struct printing {
    struct ttp_sink *out;
    const struct ttp_pcc_view *view;
    bool color;
    int width;
    struct ttp_arena *arena;
};

static void put_word(const struct printing *p, bool good, ttp_str yes, ttp_str no)
{
    const ttp_str word = good ? yes : no;

    if (p->color)
        ttp_paint_themed(p->out, good ? TTP_GREEN : TTP_RED, word);
    else
        ttp_sink_put(p->out, word);
}

/* "  label      value   ok" */
static void put_check(const struct printing *p, const char *label, const char *value, bool good)
{
    const char *old = p->view->pcc_only ? "noted" : "FAILED";

    ttp_sink_printf(p->out, "  %-20s %-40s ", label, value);
    put_word(p, good, TTP_STR("ok"), ttp_str_from(old));
    ttp_sink_char(p->out, '\n');
}

/* "  label      text", broken where the page ends. */
TTP_PRINTF(3, 4)
static void put_fact(const struct printing *p, const char *label, const char *fmt, ...)
{
    va_list args;

    ttp_sink_printf(p->out, "  %-20s ", label);
    va_start(args, fmt);
    ttp_paint_wrapped(p->out, ttp_sink_vformat(p->arena, fmt, args), p->width, VALUES, VALUES);
    va_end(args);
}

static void put_index(const struct printing *p, const uint64_t *index, uint32_t ndim)
{
    ttp_sink_put(p->out, ttp_tensor_shape_text(index, ndim, p->arena));
}

/* What is at the place of an error that is named first. */
static void put_spot(const struct printing *p, const char *label, ttp_str error,
                     const struct ttp_spot *s, uint32_t ndim)
{
    put_fact(p, label, "%.*s at %.*s: golden %.9g, actual %.9g", TTP_FMT(error),
             TTP_FMT(ttp_tensor_shape_text(s->index, ndim, p->arena)), s->golden, s->actual);
}

static ttp_str number(const struct printing *p, double value)
{
    return ttp_sink_format(p->arena, "%.6g", value);
}

static void put_tensor(const struct printing *p, const struct ttp_tensor *t)
{
    ttp_sink_printf(p->out, "%s ", ttp_tensor_dtype_name(t->dtype));
    put_index(p, t->shape, t->ndim);
}

static void put_heat(const struct printing *p, const struct ttp_compare *r)
{
    float max = 0;

    for (uint32_t i = 0; i < r->heat_rows * r->heat_cols; i++)
        max = fmaxf(max, r->heat[i]);
    if (!(max > 0) || r->heat_rows * r->heat_cols < 2)
        return;
    ttp_sink_printf(p->out, "  error by tile, %llu x %llu tiles, '@' is %.4g (RMS):\n",
                    (unsigned long long)r->tile_rows, (unsigned long long)r->tile_cols,
                    (double)max);
    for (uint32_t y = 0; y < r->heat_rows; y++) {
        ttp_sink_own(p->out, "    |");
        for (uint32_t x = 0; x < r->heat_cols; x++) {
            const float share = r->heat[y * r->heat_cols + x] / max;
            const size_t step = isfinite(share) ? (size_t)ceilf(share * RAMP_STEPS) : RAMP_STEPS;
            const ttp_str cell = {&ramp[step], 1};

            if (p->color && step * 3 > RAMP_STEPS * 2)
                ttp_paint_themed(p->out, TTP_RED, cell);
            else if (p->color && step * 3 > RAMP_STEPS)
                ttp_paint_themed(p->out, TTP_YELLOW, cell);
            else
                ttp_sink_put(p->out, cell);
        }
        ttp_sink_own(p->out, "|\n");
    }
}

static void put_nonfinite(const struct printing *p, const struct ttp_pcc_pair *pair)
{
    const struct ttp_compare *r = &pair->result;
    const struct ttp_nonfinite *g = &r->golden_nonfinite, *a = &r->actual_nonfinite;
    char text[160];

    snprintf(text, sizeof(text), "%llu NaN, %llu inf, %llu -inf; actual %llu, %llu, %llu",
             (unsigned long long)g->nan, (unsigned long long)g->inf, (unsigned long long)g->neg_inf,
             (unsigned long long)a->nan, (unsigned long long)a->inf,
             (unsigned long long)a->neg_inf);
    const bool none = g->nan + g->inf + g->neg_inf + a->nan + a->inf + a->neg_inf == 0;
    put_check(p, "not finite", none ? "none" : text, r->nonfinite_moved == 0);
    if (r->nonfinite_moved == 0)
        return;
    snprintf(text, sizeof(text), "%llu, the first", (unsigned long long)r->nonfinite_moved);
    put_spot(p, "  positions differ", ttp_str_from(text), &r->nonfinite_at, pair->golden->ndim);
}

static void put_pcc(const struct printing *p, const struct ttp_compare *r)
{
    char text[120];

    snprintf(text, sizeof(text), "%.9f >= %g", r->pcc, p->view->gate);
    ttp_sink_printf(p->out, "  %-20s %-40s ", "PCC", text);
    put_word(p, r->pcc_ok, TTP_STR("ok"), TTP_STR("FAILED"));
    ttp_sink_char(p->out, '\n');
    if (*how_text[r->how])
        put_fact(p, "", "%s", how_text[r->how]);
}

static void put_errors(const struct printing *p, const struct ttp_pcc_pair *pair)
{
    const struct ttp_compare *r = &pair->result;

    ttp_sink_printf(p->out, "  %-20s ", "allclose");
    if (r->allclose)
        ttp_sink_own(p->out, "yes\n");
    else
        ttp_sink_printf(p->out, "no, %llu of %llu outside\n", (unsigned long long)r->outside,
                        (unsigned long long)r->count);
    if (!(r->max_abs > 0))
        return;
    put_spot(p, "largest error", number(p, r->max_abs), &r->max_abs_at, pair->golden->ndim);
    ttp_sink_printf(p->out, "  %-20s %.6g\n", "largest relative", r->max_rel);
    if (r->has_ulp)
        put_spot(p, "largest in ULP", number(p, r->max_ulp), &r->max_ulp_at, pair->golden->ndim);
    put_fact(p, "worst tile", "%llux%llu at %.*s: PCC %.6f, Frobenius %.4g, RMS error %.4g",
             (unsigned long long)r->worst_height, (unsigned long long)r->worst_width,
             TTP_FMT(ttp_tensor_shape_text(r->worst_origin, pair->golden->ndim, p->arena)),
             r->worst_pcc, r->worst_frobenius, r->worst_rms);
    put_heat(p, r);
}

static void put_details(const struct printing *p, const struct ttp_pcc_pair *pair)
{
    const struct ttp_compare *r = &pair->result;
    char text[160];

    put_check(p, "shape", r->same_shape ? "the same" : "not the same", r->same_shape);
    if (!r->compared) {
        put_fact(p, "values", "not compared: %s",
                 pair->golden->count != pair->actual->count
                     ? "the sizes differ"
                     : "same sizes, but actual is not stored in row order");
        return;
    }
    put_nonfinite(p, pair);
    put_pcc(p, r);
    snprintf(text, sizeof(text), "%.6g <= %.4g", r->frobenius, r->frobenius_limit);
    put_check(p, "relative Frobenius", text, r->frobenius_ok);
    put_errors(p, pair);
}

static void put_pair(const struct printing *p, const struct ttp_pcc_pair *pair)
{
    const bool good = ttp_out_pcc_pair_passes(p->view, pair);

    put_word(p, good, TTP_STR("pass"), TTP_STR("FAIL"));
    ttp_sink_own(p->out, "  ");
    if (pair->name.len)
        ttp_sink_printf(p->out, "%.*s: ", TTP_FMT(pair->name));
    put_tensor(p, pair->golden);
    ttp_sink_own(p->out, " against ");
    put_tensor(p, pair->actual);
    if (p->view->count > 1 && good && !p->view->all_details) {
        ttp_sink_printf(p->out, ": PCC %.9f, Frobenius %.4g\n", pair->result.pcc,
                        pair->result.frobenius);
        return;
    }
    ttp_sink_char(p->out, '\n');
    put_details(p, pair);
}

static void put_lonely(const struct printing *p, const char *where, const ttp_str *name,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        ttp_sink_printf(p->out, "%s: '%.*s'\n", where, TTP_FMT(name[i]));
}

/* Which checks failed somewhere, in words. */
static void put_reasons(const struct printing *p)
{
    bool shape = false, moved = false, pcc = false, frobenius = false;
    const char *sep = "";

    for (size_t i = 0; i < p->view->count; i++) {
        const struct ttp_compare *r = &p->view->pair[i].result;

        shape = shape || !r->same_shape;
        moved = moved || r->nonfinite_moved > 0;
        pcc = pcc || (r->compared && !r->pcc_ok);
        frobenius = frobenius || (r->compared && !r->frobenius_ok);
    }
    const struct {
        bool failed;
        const char *name;
    } reasons[] = {{p->view->golden_only > 0, "tensors are missing"},
                   {shape && !p->view->pcc_only, "shape"},
                   {moved && !p->view->pcc_only, "positions of NaN and infinity"},
                   {pcc, "PCC"},
                   {frobenius && !p->view->pcc_only, "relative Frobenius"}};
    for (size_t i = 0; i < TTP_COUNT(reasons); i++) {
        if (!reasons[i].failed)
            continue;
        ttp_sink_printf(p->out, "%s%s", sep, reasons[i].name);
        sep = ", ";
    }
}

/* The details of every pair that fails; in Markdown and for many tensors the table says enough. */
static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    const struct ttp_pcc_view *view = arg;
    const struct printing p = {show->out, view, show->color, show->width, show->arena};

    (void)part;
    if (show->form == TTP_FORM_MARKDOWN || show->columns) {
        ttp_show_table(show, table);
        return;
    }
    for (size_t i = 0; i < table->count; i++)
        put_pair(&p, &view->pair[table->index[i]]);
}

static void put_verdict(const struct ttp_show *show, const void *arg)
{
    const struct ttp_pcc_view *view = arg;
    const struct printing p = {show->out, view, show->color, show->width, show->arena};
    size_t passed = 0;

    for (size_t i = 0; i < view->count; i++)
        passed += ttp_out_pcc_pair_passes(view, &view->pair[i]);
    if (show->form == TTP_FORM_MARKDOWN)
        ttp_sink_char(show->out, '\n');
    put_lonely(&p, "only in golden", view->golden_name, view->golden_only);
    put_lonely(&p, "only in actual", view->actual_name, view->actual_only);
    const bool good = ttp_out_pcc_passes(view);
    put_word(&p, good, TTP_STR("PASS"), TTP_STR("FAIL"));
    if (view->count + view->golden_only > 1)
        ttp_sink_printf(p.out, " %zu of %zu tensors", passed, view->count + view->golden_only);
    if (!good) {
        ttp_sink_own(p.out, ": ");
        put_reasons(&p);
    }
    ttp_sink_char(p.out, '\n');
}

static struct ttp_value get_passes(const void *context, const void *row)
{
    (void)context;
    return (struct ttp_value){
        TTP_VALUE_BOOL, {.text = ttp_out_pcc_passes(row) ? TTP_STR("True") : TTP_STR("False")}};
}

#define VIEW(member) TTP_FIGURE(struct ttp_pcc_view, member)
static const struct ttp_field view_fields[] = {
    TTP_FLAG("pass", .get = get_passes, .help = "all tensors pass"),
    TTP_REAL("pcc_gate", "", 0, VIEW(gate), .help = "least PCC"),
    TTP_FLAG("pcc_only", VIEW(pcc_only), .help = "PCC alone decides"),
    {.id = "pcc_version", .type = TTP_TEXT, VIEW(version), .help = "definition of PCC"},
    {.id = "golden_only",
     TTP_ROWS_AT(struct ttp_pcc_view, golden_name, golden_only, ttp_bare_str),
     .help = "tensors that ACTUAL lacks"},
    {.id = "actual_only",
     TTP_ROWS_AT(struct ttp_pcc_view, actual_name, actual_only, ttp_bare_str),
     .help = "tensors that GOLDEN lacks"},
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

enum { PART_VIEW, PART_TENSORS };
static const struct ttp_part_spec parts[] = {
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_TENSORS] = {.id = "tensors", .fields = &ttp_pcc_pair_fields},
};
const struct ttp_document_spec ttp_pcc_document = {
    .schema = "tt-perf.pcc/2",
    .help = "Comparison of tensors",
    TTP_PARTS(parts),
    .main = PART_TENSORS,
};

ttp_code ttp_out_pcc(const struct ttp_show *show, const struct ttp_pcc_view *view,
                     struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = put_body, .foot = put_verdict};
    struct ttp_document doc;

    ttp_document_init(&doc, &ttp_pcc_document, show->arena);
    ttp_document_object(&doc, PART_VIEW, NULL, view);
    ttp_document_rows(&doc, PART_TENSORS, view, view->pair, view->count);
    return ttp_show_document(show, &doc, &page, err);
}
