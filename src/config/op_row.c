/* SPDX-License-Identifier: Apache-2.0 */
/* op_row.c - the matmul of a row of the operations table. */
#include "config/config_parts.h"
#include "config/config_rules.h"

/* Text that is between `key` and the next `end`; empty: no such key. */
static ttp_str between(ttp_str text, ttp_str key, char end)
{
    const size_t at = ttp_str_find(text, key);

    if (at == TTP_NPOS)
        return (ttp_str){0};
    text = ttp_str_slice(text, at + key.len, text.len);
    return ttp_str_slice(text, 0, ttp_str_find_char(text, end));
}

struct reading {
    const struct ttp_ops *ops;
    size_t row;
    struct ttp_config_op *out;
    ttp_str attributes;
};

static ttp_str text_of(const struct reading *r, enum ttp_ops_text column)
{
    const ttp_sym sym = ttp_ops_sym(r->ops, column, r->row);

    return sym == TTP_SYM_MISSING ? (ttp_str){0} : ttp_sym_name(&r->ops->syms, sym);
}

/* "64[1]", padded and logical, or a number: what was computed. If padding only fills the last tile,
 * the logical size implies the padded one. */
static bool parse_dim(ttp_str text, uint64_t *padded, uint64_t *logical)
{
    const size_t open = ttp_str_find_char(text, '[');
    const uint64_t max = (uint64_t)1 << 31;

    if (open == TTP_NPOS) {
        const size_t point =
            ttp_str_find(text, TTP_STR(".0")); /* a column with gaps is of floats */

        if (!ttp_str_to_u64(ttp_str_slice(text, 0, point), padded))
            return false;
        *logical = *padded;
    } else if (!ttp_str_to_u64(ttp_str_slice(text, 0, open), padded) ||
               !ttp_str_to_u64(ttp_str_slice(text, open + 1, ttp_str_find_char(text, ']')),
                               logical)) {
        return false;
    }
    return *padded > 0 && *padded <= max && *logical > 0 && *logical <= *padded;
}

static uint64_t size_of(uint64_t padded, uint64_t logical, uint64_t tile)
{
    return ttp_ceil_div(logical, tile) * tile == padded ? logical : padded;
}

/* Rows, columns and batches of input 0 or 1. */
static bool read_shape(const struct reading *r, size_t tensor, uint64_t size[2], uint64_t *batch)
{
    const size_t first =
        (r->ops->format == TTP_FORMAT_V1 ? TTP_OPS_LEGACY_DIMS : TTP_OPS_DIMS) + tensor * 4;
    uint64_t padded[4], logical[4];

    for (size_t d = 0; d < 4; d++)
        if (!parse_dim(text_of(r, (enum ttp_ops_text)(first + d)), &padded[d], &logical[d]))
            return false;
    size[0] = size_of(padded[TTP_DIM_Y], logical[TTP_DIM_Y], 32);
    size[1] = size_of(padded[TTP_DIM_X], logical[TTP_DIM_X], 32);
    *batch = padded[TTP_DIM_W] * padded[TTP_DIM_Z];
    return *batch <= (uint64_t)1 << 24;
}

static bool says(const struct reading *r, ttp_str text)
{
    return ttp_str_has(r->attributes, text);
}

static bool read_sizes(struct reading *r)
{
    struct ttp_matmul *p = &r->out->problem;
    uint64_t in0[2], in1[2];

    if (!read_shape(r, 0, in0, &p->batch) || !read_shape(r, 1, in1, &p->batch_b))
        return false;
    p->transpose_a = says(r, TTP_STR("'transpose_a': 'true'"));
    p->transpose_b = says(r, TTP_STR("'transpose_b': 'true'"));
    p->m = in0[p->transpose_a];
    p->k = in0[!p->transpose_a];
    p->n = in1[!p->transpose_b];
    p->k1 = ttp_ceil_div(in1[p->transpose_b], 32) == ttp_ceil_div(p->k, 32) ? p->k
                                                                            : in1[p->transpose_b];
    return true;
}

static bool read_tensor(const struct reading *r, enum ttp_ops_text type, enum ttp_ops_text memory,
                        enum ttp_tile_type *out, struct ttp_placement *at)
{
    return ttp_cost_tile_type_find(out, text_of(r, type)) &&
           ttp_config_parse_placement(at, text_of(r, memory), NULL) == TTP_OK;
}

static bool read_tensors(const struct reading *r)
{
    struct ttp_matmul *p = &r->out->problem;
    const ttp_str bias = text_of(r, TTP_OPS_IN2_DATATYPE);

    if (!read_tensor(r, TTP_OPS_IN0_DATATYPE, TTP_OPS_IN0_MEMORY, &p->a, &p->in0) ||
        !read_tensor(r, TTP_OPS_IN1_DATATYPE, TTP_OPS_IN1_MEMORY, &p->b, &p->in1) ||
        !read_tensor(r, TTP_OPS_OUT_DATATYPE, TTP_OPS_OUT_MEMORY, &p->out, &p->out_at))
        return false;
    if (!p->sparse && !ttp_cost_tile_type_find(&p->bias, bias))
        p->bias = TTP_TILE_NONE;
    p->not_tiled = ttp_str_has(text_of(r, TTP_OPS_IN0_LAYOUT), TTP_STR("ROW_MAJOR")) ||
                   ttp_str_has(text_of(r, TTP_OPS_IN1_LAYOUT), TTP_STR("ROW_MAJOR"));
    return true;
}

/* "10-10", "{32; 32}": two numbers up to 256. */
static bool two_numbers(ttp_str text, uint32_t out[2])
{
    uint64_t v[2];
    size_t at = 0;

    for (size_t i = 0; i < 2; i++) {
        size_t end;

        while (at < text.len && !(text.ptr[at] >= '0' && text.ptr[at] <= '9'))
            at++;
        for (end = at; end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9';)
            end++;
        if (!ttp_str_to_u64(ttp_str_slice(text, at, end), &v[i]) || v[i] < 1 || v[i] > 256)
            return false;
        out[i] = (uint32_t)v[i];
        at = end;
    }
    return true;
}

static void read_attributes(const struct reading *r)
{
    struct ttp_matmul *p = &r->out->problem;
    const ttp_str fidelity = text_of(r, TTP_OPS_FIDELITY);
    const ttp_str grid = between(r->attributes, TTP_STR("'user_core_coord': '"), '\'');
    const ttp_str tile = between(r->attributes, TTP_STR("tile_shape={"), '}');
    const ttp_str kernel = between(r->attributes, TTP_STR("math_fidelity="), ';');
    uint32_t v[2];

    if (!ttp_device_find_fidelity(fidelity, &p->fidelity))
        (void)ttp_device_find_fidelity(kernel, &p->fidelity);
    p->fp32_acc = says(r, TTP_STR("fp32_dest_acc_en=1"));
    p->l1_acc = !says(r, TTP_STR("packer_l1_acc=0"));
    p->full_sync = says(r, TTP_STR("dst_full_sync_en=1"));
    p->untilize = says(r, TTP_STR("'untilize_out': 'true'"));
    p->swiglu = says(r, TTP_STR("'fuse_swiglu': 'true'"));
    p->global_cb =
        says(r, TTP_STR("'global_cb': '")) && !says(r, TTP_STR("'global_cb': 'std::nullopt'"));
    p->activation =
        ttp_config_parse_activation(between(r->attributes, TTP_STR("fused_activation': '"), '\''));
    if (two_numbers(grid, v)) {
        p->user_x = v[0];
        p->user_y = v[1];
    }
    if (two_numbers(tile, v) && v[0] <= 32 && v[1] <= 32) {
        p->tile_h = v[0];
        p->tile_w = v[1];
    }
}

/* The grid that ops could use in that run; false: the row does not say. A Wormhole loses rows of
 * cores, a Blackhole columns. */
static bool read_grid(const struct reading *r)
{
    struct ttp_cost_chip *chip = &r->out->problem.chip;
    double cores;

    if (!ttp_cell_f64(ttp_ops_cell(r->ops, TTP_OPS_AVAILABLE_CORES, r->row), &cores) ||
        !(cores >= 1 && cores <= 65536))
        return false;
    const uint32_t n = (uint32_t)cores;
    if (n == chip->grid_x * chip->grid_y)
        return true;
    if (chip->alignment == 32 && n % chip->grid_x == 0)
        chip->grid_y = n / chip->grid_x;
    else if (chip->alignment == 64 && n % chip->grid_y == 0)
        chip->grid_x = n / chip->grid_y;
    else
        return false;
    return true;
}

/* The log of a config that ttnn chose differs in what the caller's has by default. */
static bool chosen_by_ttnn(const struct ttp_config_op *op)
{
    const struct ttp_matmul_config *c = &op->config;

    if (op->problem.sparse || op->problem.user_x)
        return false;
    if (c->type == TTP_MATMUL_1D)
        return c->receivers == 0 && !c->fuse_batch;
    return c->type == TTP_MATMUL_MULTICORE || (c->type == TTP_MATMUL_2D && !c->fuse_batch);
}

/* It ran, so the device has the config's grid at least; and ttnn takes all of it. */
static void settle_grid(struct ttp_config_op *op, bool known)
{
    struct ttp_cost_chip *chip = &op->problem.chip;
    const struct ttp_matmul_config *c = &op->config;

    if (c->grid_x == 0)
        return;
    if (op->by_ttnn && !known) {
        chip->grid_x = c->grid_x;
        chip->grid_y = c->grid_y;
    }
    if (chip->grid_x < c->grid_x)
        chip->grid_x = c->grid_x;
    if (chip->grid_y < c->grid_y)
        chip->grid_y = c->grid_y;
    op->by_ttnn = op->by_ttnn && c->grid_x == chip->grid_x && c->grid_y == chip->grid_y;
}

static bool is_matmul(const struct ttp_op_family *family)
{
    return (family->traits & TTP_IS_MATMUL) && !family->waits;
}

bool ttp_config_is_matmul(ttp_str op_code)
{
    const struct ttp_op_family family = ttp_op_family_of(op_code);

    return is_matmul(&family);
}

/* What minimal_matmul does without a config. */
static void default_minimal(struct ttp_config_op *op)
{
    const struct ttp_matmul *p = &op->problem;
    const bool wide = p->n >= p->m * p->batch;

    op->config = (struct ttp_matmul_config){.type = TTP_MATMUL_MINIMAL,
                                            .grid_x = p->chip.grid_x,
                                            .grid_y = p->chip.grid_y,
                                            .block_w = 8,
                                            .out_block_h = 8,
                                            .out_block_w = 8,
                                            .subblock_h = p->fp32_acc || wide ? 2 : 4,
                                            .subblock_w = p->fp32_acc || !wide ? 2 : 4};
    op->has_config = op->by_ttnn = true;
}

/* What other tensors of the run leave of L1, where a graph capture says it. */
static void read_memory(const struct reading *r)
{
    const struct ttp_op_memory *m = r->ops->memory ? &r->ops->memory[r->row] : NULL;

    if (m && m->has_room)
        ttp_config_matmul_leave_room(&r->out->problem, (uint64_t)m->below_tensors_bytes,
                                     (uint64_t)m->below_others_bytes);
}

ttp_code ttp_config_of_row(struct ttp_config_op *out, const struct ttp_ops *ops, size_t row,
                           const struct ttp_board *board, struct ttp_err *err)
{
    struct reading r = {.ops = ops, .row = row, .out = out};
    struct ttp_cost_chip chip;
    double ns;

    *out = (struct ttp_config_op){0};
    const ttp_str code = text_of(&r, TTP_OPS_CODE);
    const struct ttp_op_family family = ttp_op_family_of(code);
    if (!is_matmul(&family))
        return ttp_fail(err, TTP_ENOTFOUND, "'%.*s' is not a matmul",
                        TTP_FMT(ttp_str_slice(code, 0, 60)));
    if (!board || !ttp_cost_chip_of(&chip, board))
        return ttp_fail(err, TTP_ENOTFOUND, "the grid, banks or L1 of the board are unknown");
    ttp_cost_matmul_init(&out->problem, &chip);
    r.attributes = text_of(&r, TTP_OPS_ATTRIBUTES);
    out->problem.sparse = family.traits & TTP_IS_SPARSE;
    if (!read_sizes(&r))
        return ttp_fail(err, TTP_ENOTFOUND, "the row has no shapes of its inputs");
    if (!read_tensors(&r))
        return ttp_fail(err, TTP_ENOTFOUND, "the row has no datatype or memory of a tensor");
    read_attributes(&r);
    read_memory(&r);
    const bool grid_known = read_grid(&r);
    if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, row), &ns) && ns > 0)
        out->measured_ns = ns;
    if ((family.marks & TTP_OP_MINIMAL) && says(&r, TTP_STR("'config': 'std::nullopt'"))) {
        default_minimal(out);
        return TTP_OK;
    }
    if (r.attributes.len == 0)
        return TTP_OK;
    const ttp_code rc = ttp_config_parse(&out->config, r.attributes, err);
    if (rc == TTP_ENOTFOUND)
        return TTP_OK;
    if (rc != TTP_OK)
        return rc == TTP_EUSAGE ? TTP_EPARSE : rc;
    out->has_config = true;
    out->by_ttnn = chosen_by_ttnn(out);
    settle_grid(out, grid_known);
    return TTP_OK;
}

void ttp_config_fold_batch(struct ttp_matmul *p)
{
    if (p->batch_b != 1)
        return;
    p->m *= p->batch;
    p->batch = 1;
}

static bool same_placement(const struct ttp_placement *a, const struct ttp_placement *b)
{
    return a->layout == b->layout && a->l1 == b->l1 && a->has_shard == b->has_shard &&
           a->nd == b->nd && a->col_major == b->col_major && a->height == b->height &&
           a->width == b->width && a->cores == b->cores && a->grid_x == b->grid_x &&
           a->grid_y == b->grid_y;
}

bool ttp_config_op_same(const struct ttp_config_op *a, const struct ttp_config_op *b)
{
    const struct ttp_matmul *p = &a->problem, *q = &b->problem;

    return p->m == q->m && p->k == q->k && p->n == q->n && p->batch == q->batch &&
           p->batch_b == q->batch_b && p->a == q->a && p->b == q->b && p->out == q->out &&
           p->bias == q->bias && p->fidelity == q->fidelity && p->fp32_acc == q->fp32_acc &&
           p->l1_acc == q->l1_acc && p->full_sync == q->full_sync && p->sparse == q->sparse &&
           p->transpose_a == q->transpose_a && p->transpose_b == q->transpose_b &&
           p->chip.board == q->chip.board && p->chip.grid_x == q->chip.grid_x &&
           p->chip.grid_y == q->chip.grid_y && same_placement(&p->in0, &q->in0) &&
           p->other_l1_bytes == q->other_l1_bytes && same_placement(&p->in1, &q->in1) &&
           same_placement(&p->out_at, &q->out_at) && a->has_config == b->has_config &&
           ttp_config_same(&a->config, &b->config);
}
