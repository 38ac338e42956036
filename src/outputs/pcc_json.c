/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schemas/tt-perf.pcc-1.json describes what is written here. */
#include <math.h>

#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/pcc_words.h"

static const char *const how_words[] = {
    [TTP_PCC_CORRELATED] = "correlated",
    [TTP_PCC_EQUAL] = "equal",
    [TTP_PCC_BOTH_NAN] = "both_nan",
    [TTP_PCC_ONE_NAN] = "one_nan",
    [TTP_PCC_ONE_ZERO] = "one_zero",
    [TTP_PCC_UNDEFINED] = "undefined",
    [TTP_PCC_UNDEFINED_PASSED] = "undefined_passed",
};

static void put_numbers(struct ttp_json_writer *w, const char *key, const uint64_t *v, uint32_t n)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
    for (uint32_t i = 0; i < n; i++)
        ttp_json_put_u64(w, v[i]);
    ttp_json_end_array(w);
}

static void begin(struct ttp_json_writer *w, const char *key)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_object(w);
}

static void put_tensor(struct ttp_json_writer *w, const char *key, const struct ttp_tensor *t)
{
    begin(w, key);
    ttp_member_str(w, "dtype", ttp_str_from(ttp_dtype_name(t->dtype)));
    put_numbers(w, "shape", t->shape, t->ndim);
    ttp_json_end_object(w);
}

static void put_spot(struct ttp_json_writer *w, const char *key, const struct ttp_spot *s,
                     uint32_t ndim)
{
    begin(w, key);
    put_numbers(w, "index", s->index, ndim);
    ttp_member_f64(w, "golden", s->golden);
    ttp_member_f64(w, "actual", s->actual);
    ttp_json_end_object(w);
}

static void put_nonfinite(struct ttp_json_writer *w, const char *key, const struct ttp_nonfinite *n)
{
    begin(w, key);
    ttp_member_u64(w, "nan", n->nan);
    ttp_member_u64(w, "inf", n->inf);
    ttp_member_u64(w, "neg_inf", n->neg_inf);
    ttp_json_end_object(w);
}

static void put_heat(struct ttp_json_writer *w, const struct ttp_compare *r)
{
    begin(w, "heat_map");
    ttp_member_u64(w, "rows", r->heat_rows);
    ttp_member_u64(w, "cols", r->heat_cols);
    ttp_json_put_key(w, TTP_STR("rms_error"));
    ttp_json_begin_array(w);
    for (uint32_t i = 0; i < r->heat_rows * r->heat_cols; i++)
        ttp_json_put_f64(w, (double)r->heat[i]);
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

static void put_worst(struct ttp_json_writer *w, const struct ttp_compare *r, uint32_t ndim)
{
    begin(w, "worst_tile");
    ttp_member_u64(w, "row", r->worst_tile_row);
    ttp_member_u64(w, "col", r->worst_tile_col);
    put_numbers(w, "origin", r->worst_origin, ndim);
    ttp_member_u64(w, "height", r->worst_height);
    ttp_member_u64(w, "width", r->worst_width);
    ttp_member_f64(w, "pcc", r->worst_pcc);
    ttp_member_f64(w, "relative_frobenius", r->worst_frobenius);
    ttp_member_f64(w, "rms_error", r->worst_rms);
    ttp_json_end_object(w);
}

/* The numbers of a comparison, as members of the object that is open. */
static void put_numbers_of(struct ttp_json_writer *w, const struct ttp_compare *r, uint32_t ndim)
{
    ttp_member_u64(w, "elements", r->count);
    ttp_member_f64(w, "pcc", r->pcc);
    ttp_member_str(w, "pcc_how", ttp_str_from(how_words[r->how]));
    ttp_member_f64(w, "relative_frobenius", r->frobenius);
    ttp_member_f64(w, "relative_frobenius_limit", r->frobenius_limit);
    ttp_member_bool(w, "allclose", r->allclose);
    ttp_member_u64(w, "outside_tolerance", r->outside);
    ttp_member_f64(w, "max_abs_error", r->max_abs);
    ttp_member_f64(w, "max_rel_error", r->max_rel);
    if (r->max_abs > 0)
        put_spot(w, "max_abs_error_at", &r->max_abs_at, ndim);
    if (r->has_ulp)
        ttp_member_f64(w, "max_ulp", r->max_ulp);
    if (r->has_ulp && r->max_ulp > 0)
        put_spot(w, "max_ulp_at", &r->max_ulp_at, ndim);
    begin(w, "nonfinite");
    put_nonfinite(w, "golden", &r->golden_nonfinite);
    put_nonfinite(w, "actual", &r->actual_nonfinite);
    ttp_member_u64(w, "positions_differ", r->nonfinite_moved);
    if (r->nonfinite_moved)
        put_spot(w, "first", &r->nonfinite_at, ndim);
    ttp_json_end_object(w);
    ttp_member_u64(w, "tile_rows", r->tile_rows);
    ttp_member_u64(w, "tile_cols", r->tile_cols);
    if (r->count) {
        put_worst(w, r, ndim);
        put_heat(w, r);
    }
}

static void put_failed(struct ttp_json_writer *w, const struct ttp_compare *r)
{
    const struct {
        bool failed;
        const char *name;
    } checks[] = {{!r->same_shape, "shape"},
                  {r->nonfinite_moved > 0, "nonfinite"},
                  {r->compared && !r->pcc_ok, "pcc"},
                  {r->compared && !r->frobenius_ok, "relative_frobenius"}};

    ttp_json_put_key(w, TTP_STR("failed_checks"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < TTP_COUNT(checks); i++)
        if (checks[i].failed)
            ttp_json_put_str(w, ttp_str_from(checks[i].name));
    ttp_json_end_array(w);
}

static void put_pair(struct ttp_json_writer *w, const struct ttp_pcc_view *view,
                     const struct ttp_pcc_pair *pair)
{
    ttp_json_begin_object(w);
    ttp_member_str(w, "name", pair->name);
    ttp_member_bool(w, "pass", ttp_pcc_pair_passes(view, pair));
    put_failed(w, &pair->result);
    put_tensor(w, "golden", pair->golden);
    put_tensor(w, "actual", pair->actual);
    ttp_member_bool(w, "compared", pair->result.compared);
    if (pair->result.compared)
        put_numbers_of(w, &pair->result, pair->golden->ndim);
    ttp_json_end_object(w);
}

static void put_names(struct ttp_json_writer *w, const char *key, const ttp_str *name, size_t count)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        ttp_json_put_str(w, name[i]);
    ttp_json_end_array(w);
}

void ttp_out_pcc_json(struct ttp_json_writer *w, const struct ttp_pcc_view *view)
{
    ttp_json_begin_object(w);
    ttp_member_bool(w, "pass", ttp_pcc_passes(view));
    ttp_member_f64(w, "pcc_gate", view->options->gate);
    ttp_member_bool(w, "pcc_only", view->pcc_only);
    ttp_member_str(w, "compat_version", ttp_str_from(view->version));
    ttp_json_put_key(w, TTP_STR("tensors"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->count; i++)
        put_pair(w, view, &view->pair[i]);
    ttp_json_end_array(w);
    put_names(w, "golden_only", view->golden_name, view->golden_only);
    put_names(w, "actual_only", view->actual_name, view->actual_only);
    ttp_json_end_object(w);
}

static void put_spread(struct ttp_json_writer *w, const struct ttp_exponents *s)
{
    begin(w, "exponent_spread");
    ttp_member_u64(w, "rows", s->rows);
    ttp_member_u64(w, "values", s->values);
    put_numbers(w, "rows_by_spread", s->count, TTP_SPREAD_MAX + 1);
    ttp_json_end_object(w);
}

void ttp_out_loss_json(struct ttp_json_writer *w, const struct ttp_loss_view *view)
{
    ttp_json_begin_object(w);
    begin(w, "loss");
    ttp_member_str(w, "name", view->tensor->name);
    put_tensor(w, "tensor", view->tensor);
    ttp_member_f64(w, "pcc_gate", view->gate);
    put_spread(w, view->spread);
    ttp_json_put_key(w, TTP_STR("formats"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < view->count; i++) {
        ttp_json_begin_object(w);
        ttp_member_str(w, "format", ttp_str_from(ttp_dtype_name(view->loss[i].format)));
        ttp_member_bool(w, "pass", view->loss[i].compare.pass);
        ttp_member_u64(w, "flushed_to_zero", view->loss[i].flushed);
        put_numbers_of(w, &view->loss[i].compare, view->tensor->ndim);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
    ttp_json_end_object(w);
}
