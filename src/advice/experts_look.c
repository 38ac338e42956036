/* SPDX-License-Identifier: Apache-2.0 */
/* experts_look.c - predictions for mixtures of experts: the experts that the router chooses, the
 * time of sparse_matmul for them, and its share of the time of all experts' matmuls. */
#include <math.h>

#include "advice/matmul_look.h"

/* Ops after the router's TopK in which the tensor of the chosen ones shows its size. */
#define CHOSEN_SPAN 8
/* Where tokens choose more of the experts than this, computing all of them is as fast. */
#define FEW_PART 0.5

/* ---- the router ---- */

struct size {
    double padded, logical;
};

/* The last dimension of a tensor: "32[8]", or a number. */
static bool last_size(struct size *out, const struct ttp_report *r, const struct ttp_op *op,
                      enum ttp_which_tensor tensor)
{
    const size_t first = r->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS;
    const ttp_str text =
        ttp_analysis_text(r, op, (enum ttp_ops_text)(first + (size_t)tensor * 4 + TTP_DIM_X));
    const size_t open = ttp_str_find_char(text, '[');

    if (!ttp_str_to_f64(ttp_str_slice(text, 0, open == TTP_NPOS ? text.len : open), &out->padded))
        return false;
    out->logical = out->padded;
    return open == TTP_NPOS ||
           ttp_str_to_f64(ttp_str_slice(text, open + 1, text.len - 1), &out->logical);
}

/* TopK gives whole tiles; what follows uses the columns that the model asked for. */
static double used_columns(const struct ttp_report *r, size_t topk, struct size out)
{
    for (size_t i = topk + 1; i <= topk + CHOSEN_SPAN && i < r->count; i++) {
        struct size in;

        if (r->op[i].kind == TTP_OP_DEVICE && last_size(&in, r, &r->op[i], TTP_TENSOR_IN0) &&
            in.padded == out.padded && in.logical > 1 && in.logical < out.logical)
            return in.logical;
    }
    return out.logical;
}

struct ttp_router ttp_advice_router_find(const struct ttp_report *r, const uint32_t *is)
{
    for (size_t i = 0; i < r->count; i++) {
        struct size from, chosen;

        if ((is[i] & TTP_IS_ROUTER) && last_size(&from, r, &r->op[i], TTP_TENSOR_IN0) &&
            last_size(&chosen, r, &r->op[i], TTP_TENSOR_OUT) && chosen.logical > 0 &&
            chosen.logical < from.logical)
            return (struct ttp_router){used_columns(r, i, chosen), from.logical,
                                       (double)r->window.devices};
    }
    return (struct ttp_router){0};
}

/* Experts of these that `rows` tokens choose, if they choose evenly. Where devices share the
 * experts, the router has more than a device has; it may also have more because it is padded. */
static double chosen_of(const struct ttp_router *router, double experts, double rows)
{
    const bool shared = router->devices > 1 && experts * router->devices <= router->of;
    const double part = router->chosen / (shared ? router->of : experts);

    return part < 1 ? experts * (1 - pow(1 - part, rows)) : experts;
}

/* ---- sparse_matmul ---- */

bool ttp_advice_sparse_products(const struct ttp_report *r, const struct ttp_config_op *op,
                                size_t at, const struct ttp_router *router, double out[2])
{
    const ttp_str attributes = ttp_analysis_text(r, &r->op[at], TTP_OPS_ATTRIBUTES);
    const size_t nnz = ttp_str_find(attributes, TTP_STR("'nnz': '"));
    const double batch = (double)op->problem.batch, experts = (double)op->problem.batch_b;
    const bool of_input = ttp_str_has(attributes, TTP_STR("'is_input_a_sparse': 'true'"));

    if (!(experts > 0))
        return false;
    out[1] = of_input ? fmax(batch, experts) : batch * experts;
    if (nnz != TTP_NPOS) {
        const ttp_str rest = ttp_str_slice(attributes, nnz + 8, attributes.len);
        uint64_t given;

        if (ttp_str_to_u64(ttp_str_slice(rest, 0, ttp_str_find_char(rest, '\'')), &given) &&
            given > 0 && (double)given <= out[1]) {
            out[0] = (double)given;
            return true;
        }
    }
    if (!(router->chosen > 0))
        return false;
    out[0] = fmax(1, out[1] / experts * chosen_of(router, experts, (double)op->problem.m));
    return true;
}

double ttp_advice_sparse_ns(const struct ttp_matmul_look *look, const struct ttp_matmul *p)
{
    struct ttp_matmul_time time;

    return ttp_cost_sparse_matmul(&time, p, &look->op.config, look->active, look->products)
               ? time.ns
               : 0;
}

struct search {
    struct ttp_matmul expert;
    double active, products;
    double best, high; /* ns; 0: none yet */
};

static void try_config(struct search *s, const struct ttp_matmul_config *c)
{
    struct ttp_config_check check;
    struct ttp_matmul_time time;

    if (!ttp_cost_sparse_matmul(&time, &s->expert, c, s->active, s->products) ||
        (s->best > 0 && time.ns >= s->best))
        return;
    ttp_config_check(&check, &s->expert, c);
    if (check.verdict != TTP_CONFIG_LEGAL)
        return;
    s->best = time.ns;
    s->high = time.high_ns;
}

static void try_steps(struct search *s, struct ttp_matmul_config *c)
{
    struct ttp_matmul_tiles t;

    ttp_cost_matmul_measure(&t, &s->expert, c);
    for (c->block_w = 1; c->block_w <= t.k; c->block_w++)
        if (t.k % c->block_w == 0)
            try_config(s, c);
}

static uint32_t widest_subblock(uint32_t columns, bool fp32)
{
    uint32_t w = fp32 ? 4 : 8;

    while (columns % w)
        w--;
    return w;
}

/* All 1d configs of one expert: columns of a core, and tiles of a step. */
static void search_configs(struct search *s)
{
    const struct ttp_cost_chip *chip = &s->expert.chip;
    struct ttp_matmul_config c = {.type = TTP_MATMUL_1D,
                                  .mcast_in0 = true,
                                  .subblock_h = 1,
                                  .out_block_h = 1,
                                  .per_core_m = 1};
    struct ttp_matmul_tiles t;

    ttp_cost_matmul_measure(&t, &s->expert, &c);
    for (c.per_core_n = 1; c.per_core_n <= t.n && c.per_core_n <= 64; c.per_core_n++) {
        const uint32_t cores = (uint32_t)ttp_ceil_div(t.n, c.per_core_n);

        if (cores > chip->grid_x * chip->grid_y)
            continue;
        c.grid_x = cores < chip->grid_x ? cores : chip->grid_x;
        c.grid_y = (uint32_t)ttp_ceil_div(cores, c.grid_x);
        c.out_block_w = c.per_core_n;
        c.subblock_w = widest_subblock(c.per_core_n, s->expert.fp32_acc);
        try_steps(s, &c);
    }
}

static struct ttp_matmul expert_of(const struct ttp_matmul *p)
{
    struct ttp_matmul one = *p;

    one.sparse = false;
    one.batch = one.batch_b = 1;
    return one;
}

/* Only the steps are varied: what other splits of an expert bring was never measured. */
void ttp_advice_look_at_sparse(struct ttp_matmul_look *look)
{
    struct ttp_matmul_config c = look->op.config;
    struct search s = {
        .expert = expert_of(&look->op.problem), .active = look->active, .products = look->products};
    const double now =
        look->op.has_config && look->active > 0 ? ttp_advice_sparse_ns(look, &look->op.problem) : 0;

    look->predicted = now > 0;
    if (!look->predicted)
        return;
    ttp_advice_look_at_formats(look, ttp_advice_sparse_ns);
    try_steps(&s, &c);
    look->left.config = ttp_advice_part_left(s.best, now);
    look->most.config = s.best > 0 ? s.high / now : 0;
}

void ttp_advice_look_at_experts(struct ttp_matmul_look *look, const struct ttp_router *router,
                                double now)
{
    const struct ttp_matmul *p = &look->op.problem;
    struct search s = {.expert = expert_of(p), .products = (double)p->batch_b};

    if (!(router->chosen > 0) || p->batch_b < TTP_EXPERTS_MIN || p->batch != p->batch_b)
        return;
    s.active = fmax(1, chosen_of(router, s.products, (double)p->m));
    if (s.active > FEW_PART * s.products)
        return;
    s.expert.in0 = s.expert.out_at = (struct ttp_placement){0}; /* sharded inputs: not supported */
    search_configs(&s);
    look->left.sparse = ttp_advice_part_left(s.best, now);
}
