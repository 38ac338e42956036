/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_pcc.c - `tt-perf pcc`: checks a tensor against a golden one. */
#include <math.h>

#include "core/verbs.h"
#include "outputs/outputs.h"
#include "tensor/tensor.h"

/* Positions are those of enum ttp_pcc_version. */
const char *const ttp_pcc_versions[] = {"current", "2026-06", "numpy", NULL};

#define FIELD(name) offsetof(struct ttp_pcc_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(FLOAT, "pcc", FIELD(gate), "PCC must be at least P (default 0.99)", .metavar = "P",
               .group = "Verdict"),
    TTP_OPTION(FLOAT, "frobenius", FIELD(frobenius),
               "the norm of the error must be at most F times golden's (default sqrt(2 (1 - P)), "
               "0.141 for 0.99)",
               .metavar = "F"),
    TTP_OPTION(FLAG, "pcc-only", FIELD(pcc_only),
               "judge by PCC alone, as tt-metal does; only report the rest"),
    TTP_OPTION(FLOAT, "rtol", FIELD(rtol), "relative tolerance of allclose (default 1e-5)",
               .metavar = "X"),
    TTP_OPTION(FLOAT, "atol", FIELD(atol),
               "absolute tolerance of allclose (default 1e-8; 1e-4 if PCC is undefined)",
               .metavar = "X"),
    TTP_OPTION(
        LIST, "key", FIELD(keys),
        "only the tensor of that name, or GOLDEN=ACTUAL if the names differ; may be repeated",
        .metavar = "NAME", .group = "Tensors"),
    TTP_OPTION(STR, "dtype", FIELD(dtype),
               "type of raw data, and of bf16 stored in .npy; GOLDEN,ACTUAL if they differ",
               .metavar = "TYPE"),
    TTP_OPTION(STR, "shape", FIELD(shape), "read the files as raw data of this shape",
               .metavar = "N,N"),
    TTP_OPTION(STR, "loss", FIELD(loss),
               "compare a tensor with itself converted to these formats: bfp8_b, bfp4_b, bfp2_b, "
               "bf16, f16, f8_e4m3, f8_e5m2",
               .metavar = "FORMATS", .group = "Prediction"),
};

static const struct ttp_pcc_verb defaults = {
    .gate = 0.99, .frobenius = -1, .rtol = NAN, .atol = NAN};

struct pcc_run {
    const struct ttp_ctx *ctx;
    const struct ttp_pcc_verb *options;
    const struct ttp_words *operands;
    struct ttp_compare_options compare;
    struct ttp_file file[2];
    struct ttp_tensors list[2];
    struct ttp_err *err;
};

/* --- options --- */

static ttp_code parse_shape(struct ttp_tensor_options *out, const char *text, struct ttp_err *err)
{
    ttp_str rest = ttp_str_trim(ttp_str_from(text));

    out->has_shape = true;
    if (ttp_str_starts(rest, TTP_STR("[")) && ttp_str_ends(rest, TTP_STR("]")))
        rest = ttp_str_slice(rest, 1, rest.len - 1);
    while (rest.len) {
        const size_t comma = ttp_str_find_char(rest, ',');
        const size_t end = comma == TTP_NPOS ? rest.len : comma;

        if (out->ndim == TTP_TENSOR_DIMS_MAX ||
            !ttp_str_to_u64(ttp_str_trim(ttp_str_slice(rest, 0, end)), &out->shape[out->ndim++]))
            return ttp_fail(err, TTP_EUSAGE, "--shape '%s' is not a list of whole numbers", text);
        rest = ttp_str_slice(rest, end + 1, rest.len);
    }
    return TTP_OK;
}

static ttp_code find_dtype(enum ttp_dtype *out, ttp_str name, struct ttp_err *err)
{
    *out = ttp_tensor_dtype_find(ttp_str_trim(name));
    if (*out != TTP_DTYPE_NONE)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "unknown type '%.*s'", TTP_FMT(ttp_str_slice(name, 0, 60)));
    ttp_err_hint(err, "use one of f64 f32 f16 bf16 f8_e4m3 f8_e5m2 i8..i64 u8..u64 bool "
                      "bfloat8_b bfloat4_b bfloat2_b");
    return TTP_EUSAGE;
}

/* The second type is the actual tensor's; one alone is both. */
static ttp_code parse_reading(struct ttp_tensor_options *out, const struct ttp_pcc_verb *o,
                              size_t side, struct ttp_err *err)
{
    ttp_str part[2];

    if (o->shape)
        TTP_TRY(parse_shape(out, o->shape, err));
    if (!o->dtype)
        return TTP_OK;
    const size_t n = ttp_str_split(ttp_str_from(o->dtype), ',', part, 2);
    return find_dtype(&out->dtype, part[side < n ? side : 0], err);
}

/* --- pairs --- */

struct pairing {
    struct ttp_pcc_pair *pair;
    size_t count;
    ttp_str *lonely[2]; /* names of golden's and actual's without a partner */
    size_t nlonely[2];
};

static ttp_code find_tensor(const struct ttp_tensor **out, const struct pcc_run *r, size_t side,
                            ttp_str name)
{
    *out = ttp_tensor_find(&r->list[side], name);
    if (*out)
        return TTP_OK;
    ttp_fail(r->err, TTP_ENOTFOUND, "no tensor '%.*s'", TTP_FMT(ttp_str_slice(name, 0, 120)));
    ttp_err_where(r->err, r->operands->word[side], 0);
    const char **names = TTP_NEW(r->ctx->arena, const char *, r->list[side].count + 1);
    for (size_t i = 0; i < r->list[side].count; i++)
        names[i] = ttp_arena_zstr(r->ctx->arena, r->list[side].item[i].name);
    const char *near = ttp_opts_nearest(ttp_arena_zstr(r->ctx->arena, name), names);
    if (near)
        ttp_err_hint(r->err, "did you mean '%s'?", near);
    else if (r->list[side].count)
        ttp_err_hint(r->err, "the file has %zu tensors, the first is '%s'", r->list[side].count,
                     names[0]);
    return TTP_ENOTFOUND;
}

static void add_pair(struct pairing *p, const struct ttp_tensor *g, const struct ttp_tensor *a)
{
    struct ttp_pcc_pair *pair = &p->pair[p->count++];

    pair->name = g->name;
    pair->golden = g;
    pair->actual = a;
}

static ttp_code pair_by_key(struct pairing *p, const struct pcc_run *r)
{
    for (size_t i = 0; i < r->options->keys.count; i++) {
        const ttp_str key = ttp_str_from(r->options->keys.word[i]);
        const struct ttp_tensor *g = ttp_tensor_find(&r->list[0], key), *a;
        const size_t sign = g ? TTP_NPOS : ttp_str_find_char(key, '=');
        const ttp_str name = ttp_str_slice(key, 0, sign);

        if (!g)
            TTP_TRY(find_tensor(&g, r, 0, name));
        TTP_TRY(
            find_tensor(&a, r, 1, sign == TTP_NPOS ? name : ttp_str_slice(key, sign + 1, key.len)));
        add_pair(p, g, a);
    }
    return TTP_OK;
}

/* Two files of one tensor each are about that tensor, whatever it is called. */
static void pair_by_name(struct pairing *p, const struct pcc_run *r)
{
    const struct ttp_tensors *g = &r->list[0], *a = &r->list[1];

    if (g->count == 1 && a->count == 1) {
        add_pair(p, &g->item[0], &a->item[0]);
        return;
    }
    for (size_t i = 0; i < g->count; i++) {
        const struct ttp_tensor *other = ttp_tensor_find(a, g->item[i].name);

        if (other)
            add_pair(p, &g->item[i], other);
        else
            p->lonely[0][p->nlonely[0]++] = g->item[i].name;
    }
    for (size_t i = 0; i < a->count; i++)
        if (!ttp_tensor_find(g, a->item[i].name))
            p->lonely[1][p->nlonely[1]++] = a->item[i].name;
}

static ttp_code make_pairs(struct pairing *p, const struct pcc_run *r)
{
    struct ttp_arena *arena = r->ctx->arena;
    const size_t keys = r->options->keys.count;

    p->pair = TTP_NEW(arena, struct ttp_pcc_pair, keys ? keys : r->list[0].count);
    if (keys)
        return pair_by_key(p, r);
    for (size_t side = 0; side < 2; side++)
        p->lonely[side] = TTP_NEW(arena, ttp_str, r->list[side].count);
    pair_by_name(p, r);
    if (p->count == 0 && r->list[0].count)
        return ttp_fail(r->err, TTP_ENOTFOUND, "no tensor has the same name in both files");
    return TTP_OK;
}

/* --- runs --- */

static ttp_code open_side(struct pcc_run *r, size_t side)
{
    struct ttp_tensor_options reading = {0};

    TTP_TRY(parse_reading(&reading, r->options, side, r->err));
    return ttp_tensor_open(&r->list[side], &r->file[side], r->operands->word[side], &reading,
                           r->ctx->arena, r->err);
}

static ttp_code run_compare(int *status, struct pcc_run *r)
{
    struct pairing p = {0};

    TTP_TRY(open_side(r, 0));
    TTP_TRY(open_side(r, 1));
    TTP_TRY(make_pairs(&p, r));
    for (size_t i = 0; i < p.count; i++) {
        TTP_TRY(ttp_tensor_compare(&p.pair[i].result, p.pair[i].golden, p.pair[i].actual,
                                   &r->compare, r->err));
        ttp_out_pcc_judge(&p.pair[i]);
    }
    const struct ttp_pcc_view view = {
        .gate = r->compare.gate,
        .pcc_only = r->options->pcc_only,
        .version = ttp_pcc_versions[r->options->version],
        .count = p.count,
        .pair = p.pair,
        .golden_only = p.nlonely[0],
        .actual_only = p.nlonely[1],
        .golden_name = p.lonely[0],
        .actual_name = p.lonely[1],
        .all_details = r->ctx->verbose,
    };
    TTP_TRY(ttp_out_pcc(&r->ctx->show, &view, r->err));
    if (!ttp_out_pcc_passes(&view))
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static ttp_code parse_formats(enum ttp_dtype *out, size_t *count, const char *text,
                              struct ttp_err *err)
{
    ttp_str part[TTP_DTYPE_COUNT];

    *count = ttp_str_split(ttp_str_from(text), ',', part, TTP_COUNT(part));
    if (*count > TTP_COUNT(part))
        return ttp_fail(err, TTP_EUSAGE, "--loss names too many formats");
    for (size_t i = 0; i < *count; i++) {
        TTP_TRY(find_dtype(&out[i], part[i], err));
        const bool block = ttp_tensor_dtype_size(out[i]) == 0;
        const bool narrow = out[i] >= TTP_DTYPE_F16 && out[i] <= TTP_DTYPE_F8_E5M2;
        if (!block && !narrow)
            return ttp_fail(err, TTP_EUSAGE, "--loss: unsupported format '%s'",
                            ttp_tensor_dtype_name(out[i]));
    }
    return TTP_OK;
}

/* The tensor --loss is about. */
static ttp_code choose_tensor(const struct ttp_tensor **out, const struct pcc_run *r)
{
    if (r->options->keys.count)
        return find_tensor(out, r, 0, ttp_str_from(r->options->keys.word[0]));
    *out = &r->list[0].item[0];
    if (r->list[0].count == 1)
        return TTP_OK;
    ttp_fail(r->err, TTP_EUSAGE, "the file has %zu tensors", r->list[0].count);
    ttp_err_hint(r->err, "choose one with --key, such as '%.*s'",
                 r->list[0].count ? (int)(*out)->name.len : 0,
                 r->list[0].count ? (*out)->name.ptr : "");
    return TTP_EUSAGE;
}

static ttp_code run_loss(int *status, struct pcc_run *r)
{
    enum ttp_dtype format[TTP_DTYPE_COUNT] = {TTP_DTYPE_NONE};
    struct ttp_exponents spread;
    const struct ttp_tensor *t;
    size_t count;

    TTP_TRY(parse_formats(format, &count, r->options->loss, r->err));
    TTP_TRY(open_side(r, 0));
    TTP_TRY(choose_tensor(&t, r));
    TTP_TRY(ttp_tensor_spread(&spread, t, r->compare.threads, r->err));
    struct ttp_loss *loss = TTP_NEW(r->ctx->arena, struct ttp_loss, count);
    for (size_t i = 0; i < count; i++) {
        TTP_TRY(ttp_tensor_loss(&loss[i], t, format[i], &r->compare, r->err));
        if (!loss[i].compare.pass)
            *status = TTP_EXIT_FINDING;
    }
    const struct ttp_loss_view view = {t->name, t, &spread, count, loss, r->compare.gate};
    return ttp_out_loss(&r->ctx->show, &view, r->err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    struct pcc_run r = {.ctx = ctx, .options = opts, .operands = operands, .err = err};

    r.compare = (struct ttp_compare_options){.gate = r.options->gate,
                                             .frobenius = r.options->frobenius,
                                             .rtol = r.options->rtol,
                                             .atol = r.options->atol,
                                             .fallback_rtol = r.options->rtol,
                                             .fallback_atol = r.options->atol,
                                             .version = (enum ttp_pcc_version)r.options->version,
                                             .threads = (unsigned)r.options->common.threads};
    if (!(r.options->gate >= -1 && r.options->gate <= 1))
        return ttp_fail(err, TTP_EUSAGE, "--pcc must be between -1 and 1");
    if (operands->count != (r.options->loss ? 1 : 2)) {
        (void)ttp_fail(err, TTP_EUSAGE,
                       r.options->loss ? "--loss takes one file" : "two files are required");
        ttp_err_hint(err, r.options->loss ? "tt-perf pcc --loss bfp8_b TENSOR"
                                          : "tt-perf pcc GOLDEN ACTUAL compares them");
        return TTP_EUSAGE;
    }
    const ttp_code rc = r.options->loss ? run_loss(status, &r) : run_compare(status, &r);
    ttp_file_close(&r.file[0]);
    ttp_file_close(&r.file[1]);
    return rc;
}

static const struct ttp_document_spec *const documents[] = {&ttp_pcc_document, &ttp_loss_document,
                                                            NULL};

static const struct ttp_example examples[] = {
    {"tt-perf pcc golden.pt output.pt",
     "compare all tensors by name; exit status 1 if one differs"},
    {"tt-perf pcc --pcc 0.999 --key logits golden.npz out.npz", "one tensor with a stricter limit"},
    {"tt-perf pcc --dtype bf16 --shape 32,4096 a.bin b.bin", "raw data"},
    {"tt-perf pcc --loss bfp8_b,bfp4_b --key model.norm.weight w.safetensors",
     "the accuracy that tensor would lose in these formats"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_pcc = {
    .name = "pcc",
    .args = "GOLDEN ACTUAL | --loss FORMATS TENSOR",
    .summary = "compare tensors: PCC, error norms, ULP, worst tile",
    .description =
        "Compares the tensors of two files by name and checks that ACTUAL matches GOLDEN. Both "
        "must have the same shape, NaN and infinity in the same places, a PCC of at least 0.99, "
        "and an error that is small relative to golden's norm: PCC alone accepts an output that "
        "is twice as large as it should be. ACTUAL is converted to golden's type first, as "
        "tt-metal does.\n\n"
        "Files may be .npy, .npz, .safetensors, torch .pt and .pth (read without running "
        "anything), ttnn .tensorbin, or raw data with --dtype and --shape.\n\n"
        "With --loss one tensor is compared with itself after conversion to a narrower format.",
    TTP_CMD_OPTIONS(options, struct ttp_pcc_verb),
    .defaults = &defaults,
    .takes = TTP_TAKES_REPORT | TTP_TAKES_THREADS,
    .formats = ttp_table_formats,
    .documents = documents,
    .operand = TTP_OPERAND_FILE,
    .min_operands = 1,
    .max_operands = 2,
    .examples = examples,
    .exit_notes = "1 if a check fails or ACTUAL lacks a tensor of GOLDEN.",
    .run = run,
};
