/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/shapes.h"

#include <math.h>

#include "base/python_text.h"

enum tensor { IN0, IN1, OUT, TENSORS };

struct shape {
    __int128 dim[TENSORS][4]; /* enum ttp_ops_dim; wide, because Python's have no end */
    bool known[TENSORS][4];
};

ttp_str ttp_analysis_shapes_short_type(ttp_str type)
{
    static const struct {
        const char *name, *brief;
    } types[] = {
        {"BFLOAT16", "BF16"}, {"BFLOAT8_B", "BFP8"}, {"BFLOAT4_B", "BFP4"}, {"FLOAT32", "FP32"}};

    for (size_t i = 0; i < TTP_COUNT(types); i++)
        if (ttp_str_eq(type, ttp_str_from(types[i].name)))
            return ttp_str_from(types[i].brief);
    return type;
}

/* A whole number of up to 38 digits. */
static bool parse_wide(ttp_str text, __int128 *out)
{
    char buffer[TTP_PYTHON_INT_MAX];
    const ttp_str digits = ttp_python_int_text(text, buffer);
    const size_t sign = digits.len && digits.ptr[0] == '-';

    if (digits.len == 0 || digits.len - sign > 38)
        return false;
    *out = 0;
    for (size_t i = sign; i < digits.len; i++)
        *out = *out * 10 + (digits.ptr[i] - '0');
    if (sign)
        *out = -*out;
    return true;
}

/* A dimension cell: a number, or "padded[logical]", of which the padded size was computed. */
static bool parse_dim(bool numeric, ttp_str text, __int128 *out)
{
    const size_t open = ttp_str_find_char(text, '[');
    int64_t v;
    double f;

    if (open != TTP_NPOS && ttp_str_find_char(text, ']') != TTP_NPOS)
        text = ttp_str_slice(text, 0, open);
    if (ttp_str_to_i64(text, &v)) {
        *out = v;
        return true;
    }
    if (!numeric)
        return parse_wide(text, out);
    if (ttp_str_eq(text, TTP_STR("True")) || ttp_str_eq(text, TTP_STR("False"))) {
        *out = text.len == 4;
        return true;
    }
    if (!ttp_str_to_f64(text, &f) || !(f > -0x1p126 && f < 0x1p126))
        return false;
    *out = (__int128)f;
    return true;
}

static void read_shape(const struct ttp_measured *m, struct shape *out)
{
    const struct ttp_ops *ops = m->stage->ops;
    const size_t first = ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;

    for (size_t t = 0; t < TENSORS; t++)
        for (size_t d = 0; d < 4; d++) {
            const enum ttp_ops_text column = first + t * 4 + d;
            const ttp_sym sym = ttp_ops_sym(ops, column, m->row);
            out->known[t][d] =
                sym != TTP_SYM_MISSING && parse_dim(ttp_ops_is_numeric(ops, column, m->row),
                                                    ttp_sym_name(&ops->syms, sym), &out->dim[t][d]);
        }
}

static ttp_str memory_of(const struct ttp_measured *m, enum tensor t)
{
    const struct ttp_ops *ops = m->stage->ops;
    return ttp_sym_name(&ops->syms, ttp_ops_sym(ops, TTP_OPS_IN0_MEMORY + t, m->row));
}

static ttp_sym type_of(const struct ttp_measured *m, enum tensor t)
{
    return t == IN0 ? m->op->in0_datatype : t == IN1 ? m->op->in1_datatype : m->op->out_datatype;
}

/* Bytes of an element. An original takes the first number in the type's name as bits, 4 bytes if
 * there is none, and so leaves out the exponents of block formats; we do so for unknown types. */
static double element_bytes(const struct ttp_measured *m, enum tensor t)
{
    ttp_str type = ttp_sym_name(&m->stage->ops->syms, type_of(m, t));
    const double known = m->stage->rules->no_exponents ? 0 : ttp_diagnosis_element_bytes(type);
    int64_t bits;

    if (known > 0)
        return known;
    for (; type.len; type = ttp_str_slice(type, 1, type.len))
        if (ttp_python_digits(type, &bits))
            return (double)bits / 8;
    return 4;
}

/* Exact product, rounded once; a product beyond 128 bits is rounded as it grows. */
static double product(const __int128 *factor, size_t n)
{
    __int128 exact = 1;
    double rough = 1;
    bool fits = true;

    for (size_t i = 0; i < n; i++) {
        fits = fits && !__builtin_mul_overflow(exact, factor[i], &exact);
        rough *= (double)factor[i];
    }
    return fits ? (double)exact : rough;
}

static void put_type(const struct ttp_measured *m, ttp_sym type)
{
    if (type != TTP_SYM_MISSING)
        ttp_sink_put(m->label,
                     ttp_analysis_shapes_short_type(ttp_sym_name(&m->stage->ops->syms, type)));
    else
        ttp_sink_put(m->label, m->stage->rules->plain_times ? TTP_STR("nan") : TTP_STR("?"));
}

static ttp_str fidelity_of(const struct ttp_measured *m)
{
    return ttp_sym_name(&m->stage->ops->syms, ttp_ops_sym(m->stage->ops, TTP_OPS_FIDELITY, m->row));
}

/* "FID in0 x in1 => out" with short names. */
static void label_fidelity(struct ttp_measured *m)
{
    struct ttp_symtab *syms = &m->stage->ops->syms;
    struct ttp_op *op = m->op;

    m->label->len = 0;
    ttp_sink_put(m->label, fidelity_of(m));
    if (!m->stage->rules->plain_times && op->in0_datatype == TTP_SYM_MISSING &&
        op->in1_datatype == TTP_SYM_MISSING && op->out_datatype == TTP_SYM_MISSING) {
        op->fidelity_text = ttp_sym_intern(syms, ttp_sink_text(m->label));
        return;
    }
    ttp_sink_char(m->label, ' ');
    put_type(m, op->in0_datatype);
    ttp_sink_put(m->label, TTP_STR(" x "));
    put_type(m, op->in1_datatype);
    ttp_sink_put(m->label, TTP_STR(" => "));
    put_type(m, op->out_datatype);
    op->fidelity_text = ttp_sym_intern(syms, ttp_python_strip(ttp_sink_text(m->label)));
}

/* Peak rate of one core in FLOP/s; false: the fidelity is not one of the four. */
static bool peak_per_core(const struct ttp_measured *m, double *out)
{
    enum ttp_fidelity f;

    if (!ttp_device_find_fidelity(fidelity_of(m), &f) ||
        (m->stage->rules->no_hifi3 && f == TTP_FIDELITY_HIFI3))
        return false;
    *out = m->stage->report->arch->tflops_per_core[f] * 1e12;
    return true;
}

static ttp_code unknown_fidelity(const struct ttp_measured *m, struct ttp_err *err)
{
    const ttp_str f = fidelity_of(m);
    return ttp_fail(err, TTP_EPARSE, "row %u: unknown math fidelity: %.*s", m->row + 2,
                    (int)(f.len < 60 ? f.len : 60), f.len ? f.ptr : "");
}

static void set_dram(struct ttp_measured *m, double bytes)
{
    struct ttp_op *op = m->op;

    if (!(bytes > 0) || (!m->has_ns && !m->stage->rules->plain_times))
        return;
    op->dram_bytes = bytes;
    op->dram_gbs = bytes / (m->ns * 1e-9) / 1e9;
    op->has |= TTP_HAS_DRAM;
    if (m->stage->report->arch->dram_gbs > 0 || m->stage->rules->strict) {
        op->dram_pct = op->dram_gbs / m->stage->report->arch->dram_gbs * 100;
        op->has |= TTP_HAS_DRAM_PCT;
    }
}

static void set_flops(struct ttp_measured *m, double work, double peak)
{
    struct ttp_op *op = m->op;

    if (!m->has_ns && !m->stage->rules->plain_times)
        return;
    const double flops = work / (m->ns * 1e-9);
    if (!isnan(flops)) {
        op->tflops = flops / 1e12;
        op->has |= TTP_HAS_FLOPS;
    }
    if (peak > 0 || m->stage->rules->plain_times) {
        op->flops_pct = flops / peak * 100;
        op->has |= TTP_HAS_FLOPS_PCT;
    }
}

static void name_op(struct ttp_measured *m)
{
    m->op->code = ttp_sym_intern(&m->stage->ops->syms, ttp_sink_text(m->label));
}

static void start_label(struct ttp_measured *m)
{
    m->label->len = 0;
    ttp_sink_put(m->label, m->code);
}

static void put_wide(struct ttp_sink *out, __int128 v)
{
    char digits[40]; /* of 2^127 */
    size_t at = sizeof(digits);
    unsigned __int128 left = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

    do {
        digits[--at] = (char)('0' + (int)(left % 10));
        left /= 10;
    } while (left);
    if (v < 0)
        ttp_sink_char(out, '-');
    ttp_sink_put(out, (ttp_str){digits + at, sizeof(digits) - at});
}

static void put_size(struct ttp_sink *out, __int128 a, __int128 b, __int128 c)
{
    put_wide(out, a);
    ttp_sink_put(out, TTP_STR(" x "));
    put_wide(out, b);
    ttp_sink_put(out, TTP_STR(" x "));
    put_wide(out, c);
}

/* Strictly, tensors have a memory and a datatype. */
static bool memories_known(const struct ttp_measured *m)
{
    for (size_t t = 0; t < TENSORS; t++)
        if (memory_of(m, t).len == 0 ||
            ttp_ops_is_numeric(m->stage->ops, TTP_OPS_IN0_MEMORY + t, m->row) ||
            !m->stage->ops->text[TTP_OPS_IN0_DATATYPE + t].sym)
            return false;
    return true;
}

static bool all_known(const bool *known, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++)
        all &= known[i];
    return all;
}

/* Which dims a matmul cannot do without. */
static bool matmul_shape_known(const struct shape *sh)
{
    return all_known(sh->known[IN0], 4) && sh->known[IN1][TTP_DIM_W] && sh->known[IN1][TTP_DIM_Z] &&
           sh->known[IN1][TTP_DIM_X];
}

/* Its name is searched for a number of bits. */
static bool type_is_text(const struct ttp_measured *m, enum tensor t)
{
    return type_of(m, t) != TTP_SYM_MISSING &&
           !ttp_ops_is_numeric(m->stage->ops, TTP_OPS_IN0_DATATYPE + t, m->row);
}

static bool matmul_bytes(const struct ttp_measured *m, const struct shape *sh, double *bytes)
{
    *bytes = 0;
    for (size_t t = 0; t < TENSORS; t++) {
        if (!ttp_str_has(memory_of(m, t), TTP_STR("DRAM")))
            continue;
        if (!all_known(sh->known[t], 4) || (m->stage->rules->strict && !type_is_text(m, t)))
            return false;
        *bytes += product(sh->dim[t], 4) * element_bytes(m, t);
    }
    return true;
}

/* Cores that count for the peak, and that the report shows. */
static bool matmul_cores(struct ttp_measured *m, double *out)
{
    struct ttp_op *op = m->op;

    if (op->has & TTP_DRAM_SHARDED) {
        const int own = m->stage->rules->dram_workers;
        const int workers = own ? own : m->stage->report->arch->dram_workers;
        op->cores = (struct ttp_cell){TTP_CELL_INT, {.i = workers}};
    } else if (m->stage->rules->any_cores) {
        op->cores = ttp_ops_cell(m->stage->ops, TTP_OPS_CORES, m->row);
        if (op->cores.kind == TTP_CELL_MISSING)
            op->cores = (struct ttp_cell){TTP_CELL_FLOAT, {.f = NAN}};
    }
    return ttp_cell_f64(op->cores, out);
}

struct matmul {
    __int128 m, k, n, w, z;
};

/* Value of 'name' in the attributes: after the colon, quotes off. */
static ttp_str attribute(ttp_str text, ttp_str name)
{
    const size_t at = ttp_str_find(text, name);

    if (at == TTP_NPOS)
        return (ttp_str){0};
    ttp_str rest = ttp_str_slice(text, at + name.len, text.len);
    const size_t colon = ttp_str_find_char(rest, ':');
    rest = ttp_str_trim(ttp_str_slice(rest, colon == TTP_NPOS ? rest.len : colon + 1, rest.len));
    if (rest.len && (rest.ptr[0] == '\'' || rest.ptr[0] == '"')) {
        const ttp_str inner = ttp_str_slice(rest, 1, rest.len);
        return ttp_str_slice(inner, 0, ttp_str_find_char(inner, rest.ptr[0]));
    }
    size_t end = 0;
    while (end < rest.len && !memchr(";,} ", rest.ptr[end], 4))
        end++;
    return ttp_str_slice(rest, 0, end);
}

static bool is_transposed(const struct ttp_measured *m, ttp_str which)
{
    return !m->stage->rules->plain_shapes &&
           ttp_str_eq_any_case(attribute(m->attributes, which), TTP_STR("true"));
}

static struct matmul matmul_of(const struct ttp_measured *m, const struct shape *sh)
{
    const __int128 *a = sh->dim[IN0], *b = sh->dim[IN1];
    const bool ta = is_transposed(m, TTP_STR("transpose_a"));
    const bool tb = is_transposed(m, TTP_STR("transpose_b")) && sh->known[IN1][TTP_DIM_Y];

    return (struct matmul){a[ta ? TTP_DIM_X : TTP_DIM_Y], a[ta ? TTP_DIM_Y : TTP_DIM_X],
                           b[tb ? TTP_DIM_Y : TTP_DIM_X],
                           a[TTP_DIM_W] > b[TTP_DIM_W] ? a[TTP_DIM_W] : b[TTP_DIM_W],
                           a[TTP_DIM_Z] > b[TTP_DIM_Z] ? a[TTP_DIM_Z] : b[TTP_DIM_Z]};
}

static void name_matmul(struct ttp_measured *m, const struct matmul *mm)
{
    __int128 batch;

    if (__builtin_mul_overflow(mm->w, mm->z, &batch))
        batch = 0; /* no such tensor exists */
    start_label(m);
    if (batch > 1) {
        ttp_sink_put(m->label, TTP_STR(" b={"));
        put_wide(m->label, batch);
        ttp_sink_put(m->label, TTP_STR("} x "));
    } else {
        ttp_sink_char(m->label, ' ');
    }
    put_size(m->label, mm->m, mm->k, mm->n);
    name_op(m);
}

/* Name the op; its FLOP. */
static double matmul_work(struct ttp_measured *m, const struct shape *sh)
{
    const struct matmul mm = matmul_of(m, sh);
    const __int128 factors[] = {mm.m, mm.k, mm.n, mm.w, mm.z, 2};

    name_matmul(m, &mm);
    return product(factors, TTP_COUNT(factors));
}

static ttp_code matmul_strictly(struct ttp_measured *m, struct ttp_err *err)
{
    double peak, cores, bytes;
    struct shape sh = {0};

    read_shape(m, &sh);
    if (!memories_known(m))
        return ttp_fail(err, TTP_EPARSE, "row %u: a matmul without tensor memory", m->row + 2);
    if (!matmul_bytes(m, &sh, &bytes) || !matmul_shape_known(&sh))
        return ttp_fail(err, TTP_EPARSE, "row %u: a matmul without tensor sizes or datatypes",
                        m->row + 2);
    if (m->ns == 0)
        return ttp_fail(err, TTP_EPARSE, "row %u: a matmul that took no time", m->row + 2);
    if (!peak_per_core(m, &peak))
        return unknown_fidelity(m, err);
    if (!matmul_cores(m, &cores))
        return ttp_fail(err, TTP_EPARSE, "row %u: 'CORE COUNT' is not a number", m->row + 2);
    if (cores == 0)
        return ttp_fail(err, TTP_EPARSE, "row %u: a matmul on no cores", m->row + 2);
    const double work = matmul_work(m, &sh);
    set_dram(m, bytes);
    set_flops(m, work, peak * cores);
    label_fidelity(m);
    return TTP_OK;
}

/* ---- sparse matmuls: only some of the experts' weights are used ---- */

struct sparse {
    int64_t active, dense; /* matrix products done, and that a dense op would do */
    bool known;
};

/* Stops at the largest number instead of overflowing: such sizes are nonsense anyway. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t out;
    return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

static struct sparse sparse_work(const struct ttp_measured *m, const struct shape *sh)
{
    const int64_t b0 = times((int64_t)sh->dim[IN0][TTP_DIM_W], (int64_t)sh->dim[IN0][TTP_DIM_Z]);
    const int64_t b1 = times((int64_t)sh->dim[IN1][TTP_DIM_W], (int64_t)sh->dim[IN1][TTP_DIM_Z]);
    const bool a_sparse =
        ttp_str_eq(attribute(m->attributes, TTP_STR("is_input_a_sparse")), TTP_STR("true"));
    const bool b_sparse =
        !ttp_str_eq(attribute(m->attributes, TTP_STR("is_input_b_sparse")), TTP_STR("false"));
    struct sparse out = {0};
    int64_t groups = b0;

    if (a_sparse && b_sparse) {
        groups = 1;
        out.dense = b1;
    } else if (a_sparse) {
        groups = b1 && b0 / b1 > 1 ? b0 / b1 : 1;
        out.dense = times(groups, b1);
    } else {
        out.dense = b_sparse ? times(b0, b1) : (b0 > b1 ? b0 : b1);
    }
    if (ttp_str_to_i64(attribute(m->attributes, TTP_STR("nnz")), &out.active)) {
        out.known = true;
    } else if (m->stage->options->active_experts) {
        out.active = times(m->stage->options->active_experts, groups);
        out.known = true;
    }
    return out;
}

static double tensor_share(const struct ttp_measured *m, enum tensor t, __int128 a, __int128 b)
{
    const __int128 pair[] = {a, b};

    return ttp_str_has(memory_of(m, t), TTP_STR("DRAM")) ? product(pair, 2) * element_bytes(m, t)
                                                         : 0;
}

static void sparse_matmul(struct ttp_matmul_text *out, struct ttp_measured *m,
                          const struct shape *sh)
{
    const struct sparse sp = sparse_work(m, sh);
    const struct matmul mm = matmul_of(m, sh);
    const __int128 factors[] = {mm.m, mm.k, mm.n, sp.active, 2};

    start_label(m);
    ttp_sink_put(m->label, TTP_STR(" active="));
    if (sp.known)
        ttp_sink_i64(m->label, sp.active);
    else
        ttp_sink_char(m->label, '?');
    ttp_sink_char(m->label, '/');
    ttp_sink_i64(m->label, sp.dense);
    ttp_sink_put(m->label, TTP_STR(" x "));
    put_size(m->label, mm.m, mm.k, mm.n);
    name_op(m);
    out->lacks_active = !sp.known;
    out->has_rates = sp.known;
    if (!sp.known)
        return;
    out->bytes =
        (double)sp.active * (tensor_share(m, IN0, mm.m, mm.k) + tensor_share(m, IN1, mm.k, mm.n) +
                             tensor_share(m, OUT, mm.m, mm.n));
    out->work = product(factors, TTP_COUNT(factors));
}

static bool shape_plausible(const struct shape *sh)
{
    for (size_t t = 0; t < TENSORS; t++)
        for (size_t d = 0; d < 4; d++)
            if (!sh->known[t][d] || sh->dim[t][d] < 1 || sh->dim[t][d] > (int64_t)1 << 32)
                return false;
    return true;
}

static void name_unknown(struct ttp_measured *m)
{
    start_label(m);
    ttp_sink_put(m->label, TTP_STR(" unknown shape"));
}

static void read_matmul(struct ttp_matmul_text *out, struct ttp_measured *m)
{
    struct shape sh = {0};

    *out = (struct ttp_matmul_text){.known = true};
    read_shape(m, &sh);
    out->has_fidelity = peak_per_core(m, &out->peak);
    if (!shape_plausible(&sh)) {
        name_unknown(m);
        name_op(m);
    } else if (ttp_stage_traits(m->stage, m->op->raw_code) & TTP_IS_SPARSE) {
        sparse_matmul(out, m, &sh);
    } else {
        (void)matmul_bytes(m, &sh, &out->bytes);
        out->work = matmul_work(m, &sh);
        out->has_rates = true;
    }
    label_fidelity(m);
    out->code = m->op->code;
    out->fidelity = m->op->fidelity_text;
}

ttp_code ttp_analysis_shapes_matmul(struct ttp_measured *m, struct ttp_err *err)
{
    struct ttp_matmul_text own = {0}, *text = m->matmul ? m->matmul : &own;
    double cores;

    if (m->stage->rules->strict)
        return matmul_strictly(m, err);
    if (!matmul_cores(m, &cores))
        cores = 0;
    if (!text->known)
        read_matmul(text, m);
    m->op->code = text->code;
    m->op->fidelity_text = text->fidelity;
    m->unknown_fidelities += !text->has_fidelity;
    m->unknown_sparse += text->lacks_active;
    if (text->has_rates) {
        set_dram(m, text->bytes);
        set_flops(m, text->work, text->peak * cores);
    }
    return TTP_OK;
}

static bool conv_shape_known(const struct shape *sh)
{
    return sh->known[OUT][TTP_DIM_Y] && sh->known[IN0][TTP_DIM_X] && sh->known[IN1][TTP_DIM_X];
}

static ttp_code check_conv(const struct ttp_measured *m, const struct shape *sh, bool window,
                           double *peak, struct ttp_err *err)
{
    if (!memories_known(m))
        return ttp_fail(err, TTP_EPARSE, "row %u: a convolution without tensor memory", m->row + 2);
    if (!conv_shape_known(sh))
        return ttp_fail(err, TTP_EPARSE, "row %u: a convolution without tensor sizes", m->row + 2);
    if (!window)
        return ttp_fail(err, TTP_EPARSE, "row %u: a convolution without window_hw", m->row + 2);
    if (m->ns == 0)
        return ttp_fail(err, TTP_EPARSE, "row %u: a convolution that took no time", m->row + 2);
    if (m->stage->report->worker_cores == 0)
        return ttp_fail(err, TTP_EPARSE, "row %u: a convolution on no cores", m->row + 2);
    return peak_per_core(m, peak) ? TTP_OK : unknown_fidelity(m, err);
}

ttp_code ttp_analysis_shapes_conv(struct ttp_measured *m, struct ttp_err *err)
{
    const struct ttp_analysis_rules *rules = m->stage->rules;
    struct shape sh = {0};
    double peak = 0, cores = (double)m->stage->report->worker_cores;
    const bool window = m->conv->has_window;
    const int64_t *hw = m->conv->window;

    read_shape(m, &sh);
    if (rules->strict)
        TTP_TRY(check_conv(m, &sh, window, &peak, err));
    else if (!peak_per_core(m, &peak))
        m->unknown_fidelities++;
    if (!rules->any_cores && !ttp_cell_f64(m->op->cores, &cores))
        cores = 0;
    if (window && conv_shape_known(&sh)) {
        const __int128 rows = sh.dim[OUT][TTP_DIM_Y], out = sh.dim[IN1][TTP_DIM_X];
        const __int128 factors[] = {rows, sh.dim[IN0][TTP_DIM_X], hw[0], hw[1], out, 2};
        __int128 depth;
        start_label(m);
        ttp_sink_char(m->label, ' ');
        if (__builtin_mul_overflow(factors[1], (__int128)times(hw[0], hw[1]), &depth))
            depth = 0; /* no such tensor exists */
        put_size(m->label, rows, depth, out);
        set_flops(m, product(factors, TTP_COUNT(factors)), peak * cores);
    } else {
        name_unknown(m);
    }
    ttp_sink_put(m->label, m->conv->label);
    name_op(m);
    label_fidelity(m);
    return TTP_OK;
}
