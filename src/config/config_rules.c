/* SPDX-License-Identifier: Apache-2.0 */
/* config_rules.config - the rules that all configs share, and the order of all. Functions of
 * tt-metal that are named here are in
 * ttnn/cpp/ttnn/operations/matmul/device/matmul_device_operation.cpp. */
#include "config/config_rules.h"

#include <stdarg.h>
#include <stdio.h>

const char *ttp_config_verdict_name(enum ttp_config_verdict verdict)
{
    static const char *const names[] = {"legal", "broken", "undecided"};

    return names[verdict];
}

bool ttp_config_rule_broken(const struct ttp_ruling *r, const char *rule, const char *fmt, ...)
{
    va_list args;

    r->out->verdict = TTP_CONFIG_BROKEN;
    r->out->rule = rule;
    if (r->quick)
        return false;
    va_start(args, fmt);
    (void)vsnprintf(r->out->reason, sizeof(r->out->reason), fmt, args);
    va_end(args);
    return false;
}

void ttp_config_rule_open(const struct ttp_ruling *r, const char *what)
{
    if (r->out->nopen < TTP_COUNT(r->out->open))
        r->out->open[r->out->nopen++] = what;
}

static bool has_type(const struct ttp_ruling *r, unsigned types)
{
    return (types & 1U << r->config->type) != 0;
}
#define TYPE(t) (1U << TTP_MATMUL_##t)
#define CAST    (TYPE(1D) | TYPE(2D))
#define BLOCKED (CAST | TYPE(REUSE))

static bool tiny_tiles(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;

    NEED(p->a != TTP_TILE_BFP4 || p->tile_h >= 4, "U-BFP4", "bfp4 needs a tile height of 4, not %u",
         p->tile_h);
    NEED(p->b != TTP_TILE_BFP4 || p->tile_w >= 4, "U-BFP4", "bfp4 needs a tile width of 4, not %u",
         p->tile_w);
    NEED(!p->transpose_b || p->tile_w != 16, "U-TINY",
         "input 1 cannot be transposed with tiles of width 16");
    NEED(!has_type(r, CAST) || p->tile_h >= 16 || (p->b != TTP_TILE_BFP8 && p->b != TTP_TILE_BFP4),
         "U-TINY", "%s weights need a tile height of 16, not %u", ttp_cost_tile_type_name(p->b),
         p->tile_h);
    return true;
}

/* validate_matmul_operand_basics, _matrix_dimensions, _bfloat4_tile_dims, _tiny_tile_constraints */
static bool operands(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;

    NEED(p->a != TTP_TILE_INTEGER && p->b != TTP_TILE_INTEGER && !p->not_tiled, "U-DTYPE",
         "inputs must be of a float type and in TILE layout");
    NEED(p->m > 0 && p->k > 0 && p->n > 0, "U-DIM", "no dimension may be 0: %llu x %llu x %llu",
         NUM(p->m), NUM(p->k), NUM(p->n));
    NEED(p->k1 == 0 || p->k1 == p->k, "U-DIM", "K of input 0 is %llu, of input 1 %llu", NUM(p->k),
         NUM(p->k1));
    return tiny_tiles(r);
}

/* validate_matmul_compute_grid_and_per_core_dims */
static bool grid(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;
    const struct ttp_cost_chip *chip = &r->problem->chip;

    if (has_type(r, BLOCKED) && !c->gather_in0) {
        NEED(c->grid_x > 0 && c->grid_y > 0, "G-ZERO", "the grid %ux%u has no cores", c->grid_x,
             c->grid_y);
        NEED(c->grid_x <= chip->grid_x && c->grid_y <= chip->grid_y, "G-DEVICE",
             "the grid %ux%u is larger than the %ux%u of a %s", c->grid_x, c->grid_y, chip->grid_x,
             chip->grid_y, chip->board->name);
    }
    if (has_type(r, TYPE(MULTICORE) | TYPE(MINIMAL)))
        return true;
    NEED(c->block_w > 0, "G-NONZERO", "in0_block_w is 0");
    NEED(c->per_core_m > 0, "G-NONZERO", "per_core_M is 0");
    NEED(c->per_core_n > 0, "G-NONZERO", "per_core_N is 0");
    return true;
}

/* validate_matmul_block_and_subblock_configuration */
static bool divides(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;

    NEED(c->out_block_h % c->subblock_h == 0, "B-BLKH",
         "out_block_h %u is not a multiple of out_subblock_h %u", c->out_block_h, c->subblock_h);
    NEED(c->out_block_w % c->subblock_w == 0, "B-BLKW",
         "out_block_w %u is not a multiple of out_subblock_w %u", c->out_block_w, c->subblock_w);
    NEED(c->per_core_m % c->out_block_h == 0, "B-PCM",
         "per_core_M %u is not a multiple of out_block_h %u", c->per_core_m, c->out_block_h);
    NEED(c->per_core_n % c->out_block_w == 0, "B-PCN",
         "per_core_N %u is not a multiple of out_block_w %u", c->per_core_n, c->out_block_w);
    return true;
}

static bool not_zero(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;

    NEED(c->subblock_h > 0 && c->subblock_w > 0, "B-SUB0", "the subblock %ux%u has no tiles",
         c->subblock_h, c->subblock_w);
    NEED(!has_type(r, CAST) || (c->out_block_h > 0 && c->out_block_w > 0), "B-BLK0",
         "the out block %ux%u has no tiles", c->out_block_h, c->out_block_w);
    return true;
}

/* Tiles that the dest registers hold at once. */
static uint32_t dest_tiles(const struct ttp_matmul *p)
{
    const uint32_t all = 16384 / (p->tile_h * p->tile_w);

    return all / (p->full_sync ? 1 : 2) / (p->fp32_acc ? 2 : 1);
}

static bool dest(const struct ttp_ruling *r, const char *rule)
{
    const struct ttp_matmul_config *c = r->config;

    NEED((uint64_t)c->subblock_h * c->subblock_w <= dest_tiles(r->problem), rule,
         "the subblock %ux%u has %u tiles, dest registers hold %u%s", c->subblock_h, c->subblock_w,
         c->subblock_h * c->subblock_w, dest_tiles(r->problem),
         r->problem->fp32_acc ? " with fp32 accumulation" : "");
    return true;
}

static bool blocks(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;

    if (!has_type(r, BLOCKED))
        return true;
    NEED(r->tiles.k % c->block_w == 0, "B-K", "Kt %llu is not a multiple of in0_block_w %u",
         NUM(r->tiles.k), c->block_w);
    if (!not_zero(r))
        return false;
    if (c->type != TTP_MATMUL_REUSE)
        return divides(r) && dest(r, "B-DEST");
    NEED(c->per_core_m % c->subblock_h == 0, "B-PCM",
         "per_core_M %u is not a multiple of out_subblock_h %u", c->per_core_m, c->subblock_h);
    NEED(c->per_core_n % c->subblock_w == 0, "B-PCN",
         "per_core_N %u is not a multiple of out_subblock_w %u", c->per_core_n, c->subblock_w);
    return dest(r, "B-DEST");
}

static bool batch_fits(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;

    if (p->batch_b == 1 || p->batch == p->batch_b)
        return true;
    return c->type == TTP_MATMUL_1D && !c->fuse_batch && !c->mcast_in0 &&
           c->activation == TTP_ACT_NONE && p->batch == 1 && !ttp_is_sharded(&p->in0) &&
           !ttp_is_sharded(&p->in1) && !ttp_is_sharded(&p->out_at);
}

/* validate_matmul_batch_compatibility, _bias_shape, _untilize_out, _mcast_fuse_batch_preamble;
 * get_activation_params, get_post_process_bias */
static bool bias(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t bias_h =
        c->type == TTP_MATMUL_REUSE ? r->tiles.m * p->tile_h : (uint64_t)p->tile_h;
    const bool reuse_default = c->type == TTP_MATMUL_REUSE && p->bias_h == 0;

    if (!ttp_has_bias(r))
        return true;
    NEED(reuse_default || (p->bias_h ? p->bias_h : p->tile_h) == bias_h, "U-BIASH",
         "the bias is %u rows high, not %llu", p->bias_h ? p->bias_h : p->tile_h, NUM(bias_h));
    NEED(p->tile_w != 16, "U-BIAS16", "no bias with tiles of width 16 of input 1");
    NEED(c->type != TTP_MATMUL_MULTICORE, "U-BIASMC",
         "a multicore matmul cannot fuse a bias: ttnn adds it in a second op");
    return true;
}

static bool extras(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;

    NEED(batch_fits(r), "U-BATCH", "input 1 has %llu batches, input 0 has %llu", NUM(p->batch_b),
         NUM(p->batch));
    if (!bias(r))
        return false;
    NEED(c->activation != TTP_ACT_OTHER && p->activation != TTP_ACT_OTHER, "U-ACT",
         "that activation cannot be fused");
    if (p->untilize || c->untilize_out) {
        NEED(c->type == TTP_MATMUL_1D, "U-UNTIL", "only a 1d matmul untilizes its output");
        NEED(p->out == TTP_TILE_BF16 || p->out == TTP_TILE_F32, "U-UNTIL",
             "untilized output is bf16 or f32, not %s", ttp_cost_tile_type_name(p->out));
    }
    if (has_type(r, CAST) && c->fuse_batch) {
        NEED(p->batch_b == 1, "F-BATCH", "fuse_batch with %llu batches of input 1",
             NUM(p->batch_b));
        NEED(!p->transpose_a || p->batch == 1 || r->tiles.m == 1, "F-TRANS",
             "fuse_batch with transposed input 0 of %llu batches and %llu tile rows", NUM(p->batch),
             NUM(r->tiles.m));
    }
    return true;
}

bool ttp_config_rules_sharded_output(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;

    if (!ttp_is_sharded(&r->problem->out_at))
        return true;
    NEED(c->subblock_w == c->per_core_n || c->subblock_h == 1, "O-SUB",
         "sharded output: out_subblock_w %u is not per_core_N %u, and out_subblock_h is %u",
         c->subblock_w, c->per_core_n, c->subblock_h);
    NEED(c->type == TTP_MATMUL_REUSE || c->out_block_w == c->per_core_n || c->out_block_h == 1,
         "O-BLK", "sharded output: out_block_w %u is not per_core_N %u, and out_block_h is %u",
         c->out_block_w, c->per_core_n, c->out_block_h);
    return true;
}

bool ttp_config_rules_multicore(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;

    NEED(!ttp_is_sharded(&p->in0) && !ttp_is_sharded(&p->in1) && !ttp_is_sharded(&p->out_at),
         "M-INT", "a multicore matmul supports only interleaved tensors");
    NEED(p->tile_h == 32 && p->tile_w == 32, "M-TINY",
         "a multicore matmul supports only 32x32 tiles");
    return true;
}

/* minimal_matmul_device_operation.cpp */
bool ttp_config_rules_minimal(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const struct ttp_cost_chip *chip = &p->chip;

    NEED(p->a != TTP_TILE_FP8 && p->a != TTP_TILE_BFP2 && p->b != TTP_TILE_FP8 &&
             p->b != TTP_TILE_BFP2,
         "N-DTYPE", "minimal_matmul supports only bf16, bfp8, bfp4 and f32");
    NEED(p->batch_b == 1, "N-B", "the weights have %llu batches", NUM(p->batch_b));
    NEED(c->out_block_h > 0 && c->block_w > 0 && c->out_block_w > 0, "G-NONZERO",
         "a block size is 0: M %u, K %u, N %u", c->out_block_h, c->block_w, c->out_block_w);
    if (!not_zero(r))
        return false;
    NEED(c->out_block_h % c->subblock_h == 0, "N-MH",
         "M_block_size %u is not a multiple of subblock_h %u", c->out_block_h, c->subblock_h);
    NEED(c->out_block_w % c->subblock_w == 0, "N-NW",
         "N_block_size %u is not a multiple of subblock_w %u", c->out_block_w, c->subblock_w);
    NEED(c->grid_x >= 2 && c->grid_y >= 2, "N-GRID2", "the grid %ux%u is smaller than 2x2",
         c->grid_x, c->grid_y);
    NEED(c->grid_x <= chip->grid_x && c->grid_y <= chip->grid_y, "N-GRID",
         "the grid %ux%u is larger than the %ux%u of a %s", c->grid_x, c->grid_y, chip->grid_x,
         chip->grid_y, chip->board->name);
    NEED(!p->swiglu || (r->tiles.n % 2 == 0 && c->out_block_w % 2 == 0), "N-SWIGLU",
         "fuse_swiglu needs even N and N_block_size, not %llu and %u tiles", NUM(r->tiles.n),
         c->out_block_w);
    return dest(r, "N-DEST");
}

/* sparse_matmul checks no more than the divisors of its 1d config. */
static bool sparse(const struct ttp_ruling *r)
{
    return not_zero(r) && divides(r);
}

static bool of_type(const struct ttp_ruling *r)
{
    static bool (*const rules[TTP_MATMUL_TYPES])(const struct ttp_ruling *) = {
        [TTP_MATMUL_MULTICORE] = ttp_config_rules_multicore,
        [TTP_MATMUL_REUSE] = ttp_config_rules_reuse,
        [TTP_MATMUL_2D] = ttp_config_rules_2d,
        [TTP_MATMUL_1D] = ttp_config_rules_1d,
        [TTP_MATMUL_DRAM] = ttp_config_rules_dram,
        [TTP_MATMUL_BATCHED] = ttp_config_rules_batched,
        [TTP_MATMUL_MINIMAL] = ttp_config_rules_minimal,
    };

    return rules[r->config->type](r);
}

static bool judge(struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;

    if (r->problem->sparse) {
        if (c->type == TTP_MATMUL_1D)
            return sparse(r);
        return ttp_config_rule_broken(r, "S-1D", "sparse_matmul requires a 1d config");
    }
    if (!operands(r))
        return false;
    if (c->type == TTP_MATMUL_MINIMAL)
        return of_type(r);
    if (!grid(r) || !blocks(r) || !extras(r))
        return false;
    if (c->per_core_m && c->per_core_n) {
        r->by = ttp_ceil_div(r->tiles.mf, c->per_core_m);
        r->bx = ttp_ceil_div(r->tiles.n, c->per_core_n);
    }
    return of_type(r);
}

/* Not in tt-metal's validation: the allocator throws later. */
static void fit_l1(const struct ttp_ruling *r)
{
    const struct ttp_cost_chip *chip = &r->problem->chip;
    const uint64_t taken = chip->reserved_bytes + r->problem->other_l1_bytes;
    struct ttp_config_check *out = r->out;

    out->l1_limit = chip->l1_bytes > taken ? chip->l1_bytes - taken : 0;
    if (r->problem->a == TTP_TILE_NONE || r->problem->b == TTP_TILE_NONE ||
        r->problem->out == TTP_TILE_NONE) {
        ttp_config_rule_open(r, "L1: a datatype is unknown");
        return;
    }
    out->l1_bytes = ttp_config_l1_bytes_of(r->problem, r->config, &r->tiles);
    out->has_l1 = true;
    if (out->l1_bytes > out->l1_limit)
        (void)ttp_config_rule_broken(r, "L1", "a core needs %llu bytes of L1 and has %llu",
                                     NUM(out->l1_bytes), NUM(out->l1_limit));
}

static void check(struct ttp_ruling *r)
{
    struct ttp_config_check *out = r->out;

    out->verdict = TTP_CONFIG_LEGAL;
    out->rule = NULL;
    out->reason[0] = '\0';
    out->has_l1 = out->assumed_shard = false;
    out->l1_bytes = out->l1_limit = 0;
    out->cores = 0;
    out->nopen = 0;
    if (!judge(r))
        return;
    if (!r->quick)
        out->cores = ttp_cost_matmul_cores(r->problem, r->config);
    if (!r->problem->sparse)
        fit_l1(r);
    if (r->problem->global_cb)
        ttp_config_rule_open(r, "the global circular buffer: senders, receivers and ring order");
    if (out->verdict == TTP_CONFIG_LEGAL && out->nopen)
        out->verdict = TTP_CONFIG_UNDECIDED;
}

void ttp_config_check(struct ttp_config_check *out, const struct ttp_matmul *p,
                      const struct ttp_matmul_config *c)
{
    struct ttp_ruling r = {.problem = p, .config = c, .out = out};

    ttp_cost_matmul_measure(&r.tiles, p, c);
    check(&r);
}

void ttp_config_check_quickly(struct ttp_config_check *out, const struct ttp_matmul *p,
                              const struct ttp_matmul_config *c,
                              const struct ttp_matmul_tiles *tiles)
{
    struct ttp_ruling r = {.problem = p, .config = c, .tiles = *tiles, .out = out, .quick = true};

    check(&r);
}
