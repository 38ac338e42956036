/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/pcc/pcc_fields.h"

static const char *const how_words[] = {
    [TTP_PCC_CORRELATED] = "correlated",
    [TTP_PCC_EQUAL] = "equal",
    [TTP_PCC_BOTH_NAN] = "both_nan",
    [TTP_PCC_ONE_NAN] = "one_nan",
    [TTP_PCC_ONE_ZERO] = "one_zero",
    [TTP_PCC_UNDEFINED] = "undefined",
    [TTP_PCC_UNDEFINED_PASSED] = "undefined_passed",
};

static struct ttp_value word(const char *text)
{
    return (struct ttp_value){TTP_VALUE_TEXT, {.text = ttp_str_from(text)}};
}

static struct ttp_value get_dtype(const void *context, const void *row)
{
    (void)context;
    return word(ttp_tensor_dtype_name(((const struct ttp_tensor *)row)->dtype));
}

static struct ttp_records list_shape(const void *context, const void *row)
{
    const struct ttp_tensor *t = row;

    return (struct ttp_records){&ttp_bare_u64, context, t->shape, sizeof(*t->shape), t->ndim};
}

static const struct ttp_field tensor_fields[] = {
    {.id = "datatype", .type = TTP_TEXT, .get = get_dtype, .help = "f32, bf16, bfloat8_b, ..."},
    {.id = "shape", .type = TTP_ROWS, .list = list_shape, .sub = &ttp_bare_u64},
};
const struct ttp_fields ttp_pcc_tensor_fields = {TTP_FIELDS(tensor_fields)};

#define SPOT(member) TTP_FIGURE(struct ttp_spot, member)
static const struct ttp_field spot_fields[] = {
    {.id = "index", TTP_ROWS_HERE(struct ttp_spot, index, ndim, ttp_bare_u64)},
    TTP_REAL("golden", "", 0, SPOT(golden)),
    TTP_REAL("actual", "", 0, SPOT(actual), .help = "in golden's type"),
};
static const struct ttp_fields spot = {TTP_FIELDS(spot_fields)};

#define NONFINITE(member) TTP_FIGURE(struct ttp_nonfinite, member)
static const struct ttp_field nonfinite_fields[] = {
    TTP_INT("nan", "", NONFINITE(nan)),
    TTP_INT("inf", "", NONFINITE(inf)),
    TTP_INT("neg_inf", "", NONFINITE(neg_inf)),
};
static const struct ttp_fields nonfinite = {TTP_FIELDS(nonfinite_fields)};

#define COMPARED(member) TTP_FIGURE(struct ttp_compare, member)
static const struct ttp_field tile_fields[] = {
    TTP_INT("row", "", COMPARED(worst_tile_row)),
    TTP_INT("col", "", COMPARED(worst_tile_col)),
    {.id = "origin",
     TTP_ROWS_HERE(struct ttp_compare, worst_origin, ndim, ttp_bare_u64),
     .help = "index of its first element"},
    TTP_INT("height", "", COMPARED(worst_height)),
    TTP_INT("width", "", COMPARED(worst_width)),
    TTP_REAL("pcc", "", 0, COMPARED(worst_pcc), .help = "null where undefined"),
    TTP_REAL("relative_frobenius", "", 0, COMPARED(worst_frobenius)),
    TTP_REAL("rms_error", "", 0, COMPARED(worst_rms)),
};
static const struct ttp_fields tile = {TTP_FIELDS(tile_fields)};

static const struct ttp_field heat_fields[] = {
    TTP_INT("rows", "", COMPARED(heat_rows)),
    TTP_INT("cols", "", COMPARED(heat_cols)),
    {.id = "rms_error",
     TTP_ROWS_HERE(struct ttp_compare, heat, heat_cells, ttp_bare_f32),
     .help = "largest of the tiles below each cell, row by row"},
};
static const struct ttp_fields heat = {TTP_FIELDS(heat_fields)};

static const struct ttp_field moved_fields[] = {
    {.id = "golden", TTP_OBJECT_HERE(struct ttp_compare, golden_nonfinite, nonfinite)},
    {.id = "actual", TTP_OBJECT_HERE(struct ttp_compare, actual_nonfinite, nonfinite)},
    TTP_INT("positions_differ", "", COMPARED(nonfinite_moved)),
    {.id = "first",
     TTP_OBJECT_HERE(struct ttp_compare, nonfinite_at, spot),
     TTP_KNOWN_IF(struct ttp_compare, nonfinite_at.found)},
};
static const struct ttp_fields moved = {TTP_FIELDS(moved_fields)};

/* NOLINTBEGIN(bugprone-macro-parentheses): types and members */
/* Figures of `result`, a struct ttp_compare in a row of type `row`. */
#define RESULT(row, result, member)                                                                \
    TTP_FIGURE(row, result.member), TTP_KNOWN_IF(row, result.compared)
#define RESULT_FIELDS(row, result)                                                                 \
    TTP_INT("elements", "", RESULT(row, result, count), .title = "Elements"),                      \
        {.id = "pcc",                                                                              \
         .title = "PCC",                                                                           \
         .type = TTP_F64,                                                                          \
         .digits = 9,                                                                              \
         .in_table = true,                                                                         \
         RESULT(row, result, pcc)},                                                                \
        {.id = "pcc_how",                                                                          \
         .title = "How",                                                                           \
         TTP_WORD(row, result.how, how_words),                                                     \
         .left = true,                                                                             \
         TTP_KNOWN_IF(row, result.compared),                                                       \
         .help = "how PCC was determined; see tt-perf-pcc(1)"},                                    \
        {.id = "relative_frobenius",                                                               \
         .title = "Frobenius",                                                                     \
         .type = TTP_F64,                                                                          \
         .digits = -4,                                                                             \
         .in_table = true,                                                                         \
         RESULT(row, result, frobenius),                                                           \
         .help = "norm of the error over golden's norm; absolute if that is 0"},                   \
        {.id = "relative_frobenius_limit",                                                         \
         .title = "Limit",                                                                         \
         .type = TTP_F64,                                                                          \
         .digits = -4,                                                                             \
         RESULT(row, result, frobenius_limit)},                                                    \
        TTP_FLAG("allclose", RESULT(row, result, allclose), .title = "Allclose"),                  \
        {.id = "outside_tolerance",                                                                \
         .title = "Outside",                                                                       \
         .type = TTP_I64,                                                                          \
         RESULT(row, result, outside),                                                             \
         .help = "elements outside allclose"},                                                     \
        {.id = "max_abs_error",                                                                    \
         .title = "Max error",                                                                     \
         .type = TTP_F64,                                                                          \
         .digits = -4,                                                                             \
         .drop = 2,                                                                                \
         .in_table = true,                                                                         \
         RESULT(row, result, max_abs)},                                                            \
        {.id = "max_rel_error",                                                                    \
         .title = "Max relative",                                                                  \
         .type = TTP_F64,                                                                          \
         .digits = -4,                                                                             \
         RESULT(row, result, max_rel),                                                             \
         .help = "divided by |actual|"},                                                           \
        {.id = "max_abs_error_at",                                                                 \
         TTP_OBJECT_HERE(row, result.max_abs_at, spot),                                            \
         TTP_KNOWN_IF(row, result.max_abs_at.found)},                                              \
        {.id = "max_ulp",                                                                          \
         .title = "Max ULP",                                                                       \
         .type = TTP_F64,                                                                          \
         .digits = -4,                                                                             \
         TTP_FIGURE(row, result.max_ulp),                                                          \
         TTP_KNOWN_IF(row, result.has_ulp),                                                        \
         .help = "in steps of the coarser type"},                                                  \
        {.id = "max_ulp_at",                                                                       \
         TTP_OBJECT_HERE(row, result.max_ulp_at, spot),                                            \
         TTP_KNOWN_IF(row, result.max_ulp_at.found)},                                              \
        {.id = "nonfinite",                                                                        \
         TTP_OBJECT_HERE(row, result, moved),                                                      \
         TTP_KNOWN_IF(row, result.compared)},                                                      \
        {.id = "tile_rows",                                                                        \
         .title = "Tile rows",                                                                     \
         .type = TTP_I64,                                                                          \
         RESULT(row, result, tile_rows)},                                                          \
        {.id = "tile_cols",                                                                        \
         .title = "Tile columns",                                                                  \
         .type = TTP_I64,                                                                          \
         RESULT(row, result, tile_cols)},                                                          \
        {.id = "worst_tile",                                                                       \
         TTP_OBJECT_HERE(row, result, tile),                                                       \
         TTP_KNOWN_IF(row, result.compared)},                                                      \
    {                                                                                              \
        .id = "heat_map", TTP_OBJECT_HERE(row, result, heat), TTP_KNOWN_IF(row, result.compared)   \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

static struct ttp_value get_pass(const void *context, const void *row)
{
    return (struct ttp_value){
        TTP_VALUE_BOOL,
        {.text = ttp_out_pcc_pair_passes(context, row) ? TTP_STR("True") : TTP_STR("False")}};
}

static enum ttp_tone pair_tone(const void *context, const void *row)
{
    return ttp_out_pcc_pair_passes(context, row) ? TTP_TONE_GOOD : TTP_TONE_BAD;
}

void ttp_out_pcc_judge(struct ttp_pcc_pair *pair)
{
    const struct ttp_compare *r = &pair->result;
    const struct {
        bool failed;
        const char *name;
    } checks[] = {{!r->same_shape, "shape"},
                  {r->nonfinite_moved > 0, "nonfinite"},
                  {r->compared && !r->pcc_ok, "pcc"},
                  {r->compared && !r->frobenius_ok, "relative_frobenius"}};

    pair->failures = 0;
    for (size_t i = 0; i < TTP_COUNT(checks); i++)
        if (checks[i].failed)
            pair->failed[pair->failures++] = checks[i].name;
}

static struct ttp_value get_failed(const void *context, const void *row)
{
    const struct ttp_pcc_pair *pair = row;

    (void)context;
    return pair->failures ? word(pair->failed[0]) : (struct ttp_value){0};
}

static const struct ttp_field pair_fields[] = {
    TTP_WORDS_COLUMN("name", "Tensor", 0, TTP_FIGURE(struct ttp_pcc_pair, name)),
    {.id = "pass",
     .title = "Passes",
     .type = TTP_BOOL,
     .left = true,
     .in_table = true,
     .get = get_pass,
     .tone = pair_tone},
    TTP_WORDS_COLUMN("failed_check", "Failed check", 1, .get = get_failed,
                     .help = "the first that failed: shape, nonfinite, pcc or relative_frobenius"),
    {.id = "failed_checks", TTP_ROWS_HERE(struct ttp_pcc_pair, failed, failures, ttp_bare_cstr)},
    {.id = "golden", TTP_OBJECT_AT(struct ttp_pcc_pair, golden, ttp_pcc_tensor_fields)},
    {.id = "actual", TTP_OBJECT_AT(struct ttp_pcc_pair, actual, ttp_pcc_tensor_fields)},
    TTP_FLAG("compared", TTP_FIGURE(struct ttp_pcc_pair, result.compared), .title = "Compared"),
    RESULT_FIELDS(struct ttp_pcc_pair, result),
};
const struct ttp_fields ttp_pcc_pair_fields = {TTP_FIELDS(pair_fields),
                                               .hint = "tt-perf pcc --columns help lists them"};

static struct ttp_value get_format(const void *context, const void *row)
{
    (void)context;
    return word(ttp_tensor_dtype_name(((const struct ttp_loss *)row)->format));
}

static struct ttp_value get_flushed_pct(const void *context, const void *row)
{
    const struct ttp_loss_view *view = context;
    const uint64_t flushed = ((const struct ttp_loss *)row)->flushed;

    return view->spread->values
               ? (struct ttp_value){TTP_VALUE_REAL,
                                    {.f = 100 * (double)flushed / (double)view->spread->values}}
               : (struct ttp_value){0};
}

static enum ttp_tone loss_tone(const void *context, const void *row)
{
    (void)context;
    return ((const struct ttp_loss *)row)->compare.pass ? TTP_TONE_GOOD : TTP_TONE_BAD;
}

static const struct ttp_field loss_fields[] = {
    TTP_WORDS_COLUMN("format", "Format", 0, .get = get_format),
    {.id = "pass",
     .title = "Holds",
     .type = TTP_BOOL,
     .left = true,
     .in_table = true,
     TTP_FIGURE(struct ttp_loss, compare.pass),
     .tone = loss_tone,
     .help = "PCC is at least the gate, and the Frobenius error is within its limit"},
    RESULT_FIELDS(struct ttp_loss, compare),
    TTP_INT("flushed_to_zero", "", TTP_FIGURE(struct ttp_loss, flushed),
            .help = "values that are not 0 and would become 0", .title = "Flushed"),
    TTP_REAL_COLUMN("flushed_percent", "Flushed", "%", 2, 3, .get = get_flushed_pct),
};
const struct ttp_fields ttp_loss_fields = {TTP_FIELDS(loss_fields),
                                           .hint = "tt-perf pcc --columns help lists them"};
