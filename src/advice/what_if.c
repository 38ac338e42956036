/* SPDX-License-Identifier: Apache-2.0 */
/* what_if.c - the iteration if some ops had other settings: --what-if.
 *
 * Matmuls whose config is known are predicted by the cost model: the measured time times the ratio
 * of two predictions. Others scale with their bound; ops that cannot be predicted are unchanged. */
#include <math.h>

#include "advice/matmul_look.h"
#include "advice/rule_parts.h"

static const char *const keys[] = {
    "weights",        "in0",        "out",        "fidelity", "in0_block_w", "out_subblock_h",
    "out_subblock_w", "per_core_M", "per_core_N", "config",   "remove",
};
enum key {
    KEY_WEIGHTS,
    KEY_IN0,
    KEY_OUT,
    KEY_FIDELITY,
    KEY_BLOCK_W,
    KEY_SUBBLOCK_H,
    KEY_SUBBLOCK_W,
    KEY_PER_CORE_M,
    KEY_PER_CORE_N,
    KEY_CONFIG,
    KEY_REMOVE,
    KEYS
};

/* ---- the text ---- */

static ttp_code bad_value(ttp_str value, const char *key, const char *hint, struct ttp_err *err)
{
    (void)ttp_fail(err, TTP_EUSAGE, "'%.*s' is not a value of %s",
                   TTP_FMT(ttp_str_slice(value, 0, 60)), key);
    ttp_err_hint(err, "%s", hint);
    return TTP_EUSAGE;
}

static ttp_code set_type(enum ttp_tile_type *out, ttp_str value, const char *key,
                         struct ttp_err *err)
{
    if (ttp_cost_tile_type_find(out, value) && *out != TTP_TILE_INTEGER)
        return TTP_OK;
    return bad_value(value, key, "bf16, bfp8, bfp4, bfp2, f32", err);
}

static ttp_code set_fidelity(struct ttp_what_if *w, ttp_str value, struct ttp_err *err)
{
    static const char *const names[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

    for (unsigned f = 0; f < TTP_FIDELITIES; f++)
        if (ttp_str_eq_any_case(value, ttp_str_from(names[f]))) {
            w->fidelity = (enum ttp_fidelity)f;
            w->has_fidelity = true;
            return TTP_OK;
        }
    return bad_value(value, keys[KEY_FIDELITY], "LoFi, HiFi2, HiFi3, HiFi4", err);
}

static uint32_t *size_of(struct ttp_what_if *w, enum key key)
{
    switch (key) {
    case KEY_BLOCK_W:
        return &w->block_w;
    case KEY_SUBBLOCK_H:
        return &w->subblock_h;
    case KEY_SUBBLOCK_W:
        return &w->subblock_w;
    case KEY_PER_CORE_M:
        return &w->per_core_m;
    default:
        return &w->per_core_n;
    }
}

static ttp_code set_size(uint32_t *out, ttp_str value, const char *key, struct ttp_err *err)
{
    uint64_t v;

    if (!ttp_str_to_u64(value, &v) || v == 0 || v > 65536)
        return bad_value(value, key, "a number of tiles, 1 to 65536", err);
    *out = (uint32_t)v;
    return TTP_OK;
}

static ttp_code set(struct ttp_what_if *w, enum key key, ttp_str value, struct ttp_err *err)
{
    switch (key) {
    case KEY_WEIGHTS:
        return set_type(&w->weights, value, keys[key], err);
    case KEY_IN0:
        return set_type(&w->in0, value, keys[key], err);
    case KEY_OUT:
        return set_type(&w->out, value, keys[key], err);
    case KEY_FIDELITY:
        return set_fidelity(w, value, err);
    case KEY_CONFIG:
        w->best_config = ttp_str_eq_any_case(value, TTP_STR("best"));
        return w->best_config ? TTP_OK : bad_value(value, keys[key], "best", err);
    case KEY_REMOVE:
        w->remove = ttp_str_eq_any_case(value, TTP_STR("yes"));
        return w->remove ? TTP_OK : bad_value(value, keys[key], "yes", err);
    default:
        return set_size(size_of(w, key), value, keys[key], err);
    }
}

ttp_code ttp_what_if_parse(struct ttp_what_if *out, ttp_str text, struct ttp_err *err)
{
    unsigned seen = 0;
    ttp_str rest = text;

    *out = (struct ttp_what_if){0};
    while (rest.len || !seen) {
        const size_t end = ttp_str_find_char(rest, ',');
        const ttp_str one = ttp_str_trim(ttp_str_slice(rest, 0, end == TTP_NPOS ? rest.len : end));
        const size_t sign = ttp_str_find_char(one, '=');
        const ttp_str name = ttp_str_trim(ttp_str_slice(one, 0, sign == TTP_NPOS ? one.len : sign));
        unsigned k = 0;

        while (k < KEYS && !ttp_str_eq_any_case(name, ttp_str_from(keys[k])))
            k++;
        if (k == KEYS || sign == TTP_NPOS) {
            (void)ttp_fail(err, TTP_EUSAGE, "'%.*s' is not a change",
                           TTP_FMT(ttp_str_slice(one, 0, 60)));
            ttp_err_hint(err,
                         "write KEY=VALUE with commas between them: weights, in0, out, fidelity, "
                         "in0_block_w, out_subblock_h, out_subblock_w, per_core_M, per_core_N, "
                         "config=best, remove=yes");
            return TTP_EUSAGE;
        }
        if (seen & 1U << k)
            return ttp_fail(err, TTP_EUSAGE, "%s is given twice", keys[k]);
        seen |= 1U << k;
        TTP_TRY(set(out, (enum key)k, ttp_str_trim(ttp_str_slice(one, sign + 1, one.len)), err));
        rest = end == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(rest, end + 1, rest.len);
        if (end != TTP_NPOS && rest.len == 0)
            return ttp_fail(err, TTP_EUSAGE, "a change is missing after the last comma");
    }
    return TTP_OK;
}

/* ---- which ops ---- */

/* The i-th size from the end in "Matmul b={8} x 32 x 4096 x 14336"; none: the name has no three. */
static struct ttp_value size_in_name(const void *context, const void *row, size_t which)
{
    const struct ttp_report *r = context;
    ttp_str name = ttp_sym_name(r->syms, ((const struct ttp_op *)row)->code), part[3];
    uint64_t size[3];

    for (size_t i = 3; i-- > 0;) {
        size_t at = name.len;
        while (at > 0 && name.ptr[at - 1] != ' ')
            at--;
        part[i] = ttp_str_slice(name, at, name.len);
        if (!ttp_str_to_u64(part[i], &size[i]) || size[i] > INT64_MAX)
            return (struct ttp_value){0};
        name = ttp_str_slice(name, 0, at);
        if (i && !ttp_str_ends(name, TTP_STR(" x ")))
            return (struct ttp_value){0};
        name = ttp_str_slice(name, 0, i ? name.len - 3 : name.len);
    }
    return ttp_value_i64((int64_t)size[which]);
}

static struct ttp_value get_m(const void *context, const void *row)
{
    return size_in_name(context, row, 0);
}

static struct ttp_value get_k(const void *context, const void *row)
{
    return size_in_name(context, row, 1);
}

static struct ttp_value get_n(const void *context, const void *row)
{
    return size_in_name(context, row, 2);
}

/* Those of a report, and the sizes of matmuls. */
static const struct ttp_fields *fields_with_sizes(struct ttp_arena *arena)
{
    static const struct ttp_field sizes[] = {
        TTP_INT("m", "", .get = get_m, .help = "rows of a matmul"),
        TTP_INT("k", "", .get = get_k, .help = "its inner size"),
        TTP_INT("n", "", .get = get_n, .help = "its columns"),
    };
    struct ttp_fields *all = TTP_NEW(arena, struct ttp_fields, 1);
    struct ttp_field *field =
        TTP_NEW(arena, struct ttp_field, ttp_op_fields.count + TTP_COUNT(sizes));

    memcpy(field, ttp_op_fields.field, ttp_op_fields.count * sizeof(*field));
    memcpy(field + ttp_op_fields.count, sizes, sizeof(sizes));
    *all = ttp_op_fields;
    all->field = field;
    all->count = ttp_op_fields.count + TTP_COUNT(sizes);
    all->hint = "tt-perf report --columns help lists them; m, k and n are the sizes of a matmul";
    return all;
}

/* ---- one op ---- */

static void say(struct ttp_what_if_row *row, struct ttp_arena *arena, const char *what,
                const char *more)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%s%s", what, more ? more : "");
    row->note = ttp_sink_text(&out);
}

static struct ttp_matmul problem_then(const struct ttp_what_if *w, const struct ttp_config_op *op)
{
    struct ttp_matmul p = op->problem;

    if (w->weights)
        p.b = w->weights;
    if (w->in0)
        p.a = w->in0;
    if (w->out)
        p.out = w->out;
    if (w->has_fidelity)
        p.fidelity = w->fidelity;
    return p;
}

static struct ttp_matmul_config config_then(const struct ttp_what_if *w,
                                            const struct ttp_config_op *op)
{
    struct ttp_matmul_config c = op->config;

    if (w->block_w)
        c.block_w = w->block_w;
    if (w->subblock_h)
        c.subblock_h = w->subblock_h;
    if (w->subblock_w)
        c.subblock_w = w->subblock_w;
    if (w->per_core_m) {
        c.out_block_h = c.out_block_h == c.per_core_m ? w->per_core_m : c.out_block_h;
        c.per_core_m = w->per_core_m;
    }
    if (w->per_core_n) {
        c.out_block_w = c.out_block_w == c.per_core_n ? w->per_core_n : c.out_block_w;
        c.per_core_n = w->per_core_n;
    }
    return c;
}

/* The config that 'tt-perf config' names first, and that in use where it is about as fast; false:
 * no config has a prediction. */
static bool best_config(struct ttp_config_row *out, const struct ttp_matmul *p,
                        const struct ttp_matmul_config *used, struct ttp_arena *arena)
{
    const struct ttp_config_request request = {.used = used, .top = 1};
    struct ttp_config_proposals found;

    ttp_config_propose(&found, p, &request, arena);
    const struct ttp_config_row *best = ttp_config_best(&found), *now = &found.row[0];
    if (!best || !best->has_time)
        return false;
    const bool keeps = now->has_time && now->check.verdict != TTP_CONFIG_BROKEN &&
                       best->time.ns > now->time.ns * (1 - TTP_CONFIG_LEAST_PART);
    *out = keeps ? *now : *best;
    return true;
}

/* By the cost model; false: it does not know the matmul as it is. */
static bool by_model(struct ttp_what_if_row *row, const struct ttp_what_if *w,
                     const struct ttp_config_op *op, struct ttp_arena *arena)
{
    const struct ttp_matmul p = problem_then(w, op);
    const struct ttp_matmul_config c = config_then(w, op);
    struct ttp_config_row now, then;

    if (!op->has_config || op->problem.sparse)
        return false;
    ttp_config_judge(&now, TTP_ORIGIN_USED, &op->problem, &op->config);
    if (!now.has_time)
        return false;
    if (!w->best_config)
        ttp_config_judge(&then, TTP_ORIGIN_GIVEN, &p, &c);
    else if (!best_config(&then, &p, &c, arena))
        return false;
    if (then.check.verdict == TTP_CONFIG_BROKEN) {
        say(row, arena, "unchanged: the config would be illegal: ", then.check.reason);
        return true;
    }
    if (!then.has_time)
        return false;
    row->predicted_us = row->time_us * then.time.ns / now.time.ns;
    row->low_us = row->predicted_us * then.time.low_ns / then.time.ns;
    row->high_us = row->predicted_us * then.time.high_ns / then.time.ns;
    row->basis = "modelled";
    if (w->best_config)
        row->note = then.origin == TTP_ORIGIN_USED ? TTP_STR("keep the config in use")
                                                   : ttp_config_text(&then.config, arena);
    return true;
}

/* Other formats of a sparse_matmul, as the plan predicts them; false: something else changes, or
 * the model does not know it. */
static bool by_sparse_model(struct ttp_what_if_row *row, const struct ttp_what_if *w,
                            const struct ttp_matmul_look *look)
{
    const bool configured = w->best_config || w->block_w || w->subblock_h || w->subblock_w ||
                            w->per_core_m || w->per_core_n;

    if (!look || !look->predicted || !look->op.problem.sparse || configured)
        return false;
    const struct ttp_matmul p = problem_then(w, &look->op);
    const double now = ttp_advice_sparse_ns(look, &look->op.problem),
                 then = ttp_advice_sparse_ns(look, &p);
    if (!(now > 0) || !(then > 0))
        return false;
    row->predicted_us = row->time_us * then / now;
    row->low_us = fmin(row->predicted_us, row->time_us);
    row->high_us = fmax(row->predicted_us, row->time_us);
    row->basis = "modelled";
    return true;
}

/* No op takes less than its DRAM traffic and its arithmetic at the peak, as in a plan. */
static void hold(struct ttp_what_if_row *row, const struct ttp_what_if *w,
                 const struct ttp_plan_run *run)
{
    const struct ttp_plan_work work = {
        .weights = w->weights, .fidelity = w->has_fidelity ? w->fidelity : TTP_FIDELITY_HIFI4};
    const double least = fmin(ttp_plan_roofline_with(run, row->op, &work), row->time_us);

    if (w->in0 || w->out) /* their traffic changes as well */
        return;
    row->predicted_us = fmax(row->predicted_us, least);
    row->low_us = fmax(row->low_us, least);
    row->high_us = fmax(row->high_us, least);
}

/* By what bounds the op: bytes of its weights at the DRAM rate it reaches, arithmetic at the rate
 * of the fidelity. */
static bool by_bound(struct ttp_what_if_row *row, const struct ttp_what_if *w,
                     const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = ttp_rule_op(run, i);
    const double *rate = run->report->arch ? run->report->arch->tflops_per_core : NULL;
    double dram = ttp_rule_dram_time(op, 100), flop = ttp_rule_flop_time(op, 100);
    const double now = fmax(dram, flop);
    struct ttp_tensor_size weights;
    enum ttp_fidelity fidelity;

    if (!(now > 0) || !(w->weights || w->has_fidelity))
        return false;
    if (w->weights && ttp_analysis_tensor(&weights, run->report, op, TTP_TENSOR_IN1) &&
        weights.in_dram && op->dram_bytes > 0) {
        const double bytes =
            weights.padded / 1024 * (double)ttp_cost_tile_bytes(w->weights, 32, 32);
        dram *= fmax(1 + (bytes - weights.bytes) / op->dram_bytes, 0);
    }
    if (w->has_fidelity && rate &&
        ttp_device_find_fidelity(ttp_analysis_text(run->report, op, TTP_OPS_FIDELITY), &fidelity) &&
        rate[w->fidelity] > 0)
        flop *= rate[fidelity] / rate[w->fidelity];
    row->predicted_us = row->time_us * fmax(dram, flop) / now;
    /* between no effect and the whole of it */
    row->low_us = fmin(row->predicted_us, row->time_us);
    row->high_us = fmax(row->predicted_us, row->time_us);
    row->basis = "guessed";
    row->note = TTP_STR("the cost model does not know its config");
    return true;
}

static void predict(struct ttp_what_if_row *row, const struct ttp_what_if *w,
                    const struct ttp_plan_run *run, struct ttp_arena *arena)
{
    const size_t i = row->op;
    struct ttp_config_op op;

    row->time_us = row->predicted_us = row->low_us = row->high_us =
        ttp_rule_time(ttp_rule_op(run, i));
    if (w->remove) {
        row->predicted_us = row->low_us = row->high_us = 0;
        row->basis = "measured";
        row->note = TTP_STR("removed");
        return;
    }
    if ((ttp_advice_matmul(&op, run->report, i) && by_model(row, w, &op, arena)) ||
        by_sparse_model(row, w, run->matmul[i]) ||
        ((run->is[i] & TTP_IS_MATMUL) && by_bound(row, w, run, i))) {
        hold(row, w, run);
        return;
    }
    row->note = run->is[i] & TTP_IS_MATMUL ? TTP_STR("unchanged: its config or sizes are unknown")
                                           : TTP_STR("unchanged: only matmuls have a model");
}

/* ---- all of them ---- */

ttp_code ttp_what_if(struct ttp_what_if_result *out, const struct ttp_what_if *w,
                     const struct ttp_report *report, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_plan_run run = ttp_plan_look(report, &(struct ttp_plan_sources){0}, arena);
    double saved = 0, most = 0, least = 0;
    struct ttp_filter *filter = NULL;

    *out = (struct ttp_what_if_result){
        .row = TTP_NEW(arena, struct ttp_what_if_row, report->count ? report->count : 1)};
    if (w->where.len)
        TTP_TRY(ttp_filter_parse(&filter, fields_with_sizes(arena), w->where, arena, err));
    for (size_t i = 0; i < report->count; i++) {
        const struct ttp_op *op = &report->op[i];
        if (op->kind != TTP_OP_DEVICE || !(op->has & TTP_HAS_TIME) ||
            (filter && !ttp_filter_keeps(filter, report, op)))
            continue;
        struct ttp_what_if_row *row = &out->row[out->count++];
        row->op = i;
        predict(row, w, &run, arena);
        out->changed += row->basis != NULL;
        saved += row->time_us - row->predicted_us;
        most += row->time_us - row->low_us;
        least += row->time_us - row->high_us;
    }
    /* the rows of several devices are those of the slowest, and ops may overlap */
    const double part = report->time_us > 0 ? ttp_plan_room(report, false) / report->time_us : 0;
    out->now_us = ttp_plan_iteration(report, &out->gap_us);
    out->predicted_us = out->now_us - saved * part;
    out->low_us = out->now_us - most * part;
    out->high_us = out->now_us - least * part;
    return TTP_OK;
}
