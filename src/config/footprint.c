/* SPDX-License-Identifier: Apache-2.0 */
/* footprint.config - the L1 of a core that a matmul uses: its circular buffers and shards. A buffer
 * that is backed by a tensor is that tensor's shard. */
#include "config/config_rules.h"

/* A semaphore and its padding next to a sharded input 0. */
#define SHARD_EXTRA 64

struct footprint {
    const struct ttp_matmul *problem;
    const struct ttp_matmul_config *config;
    struct ttp_matmul_tiles tiles;
    uint64_t nb;       /* steps along K */
    uint64_t in0, in1; /* bytes of a tile as it lies in a buffer */
};

static bool sharded_in_l1(const struct ttp_placement *at)
{
    return at->l1 && ttp_is_sharded(at);
}

static uint64_t aligned(uint64_t bytes, uint64_t to)
{
    return ttp_ceil_div(bytes, to) * to;
}

/* Does the packer add to what is in L1 already? */
static bool accumulates(const struct footprint *f)
{
    const struct ttp_matmul_config *c = f->config;

    if (!f->problem->l1_acc)
        return false;
    if (c->type == TTP_MATMUL_REUSE)
        return f->nb > 2;
    if (c->type == TTP_MATMUL_2D || (c->type == TTP_MATMUL_1D && !c->mcast_in0 && !c->gather_in0))
        return f->nb > 2 || (f->nb > 1 && f->problem->bias != TTP_TILE_NONE);
    return f->nb > 1;
}

/* Bytes of a tile of partial results; 0: they share the buffer of the output. */
static uint64_t partial_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const enum ttp_tile_type format = p->fp32_acc      ? TTP_TILE_F32
                                      : accumulates(f) ? TTP_TILE_BF16
                                                       : p->out;
    const bool splits = ttp_is_sharded(&p->out_at) &&
                        (c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D) && !c->gather_in0 &&
                        c->per_core_m != c->out_block_h;
    const bool untilizes =
        (p->untilize || c->untilize_out) && c->subblock_w && c->out_block_w > c->subblock_w;

    if (format == p->out && !splits && !untilizes)
        return 0;
    return ttp_cost_tile_bytes(format, p->tile_h, p->tile_w);
}

/* Tiles of a shard of input 0; where its shape is unknown, those it would have at least. */
static uint64_t in0_shard_tiles(const struct footprint *f, uint64_t at_least)
{
    const struct ttp_placement *at = &f->problem->in0;

    if (!at->has_shard)
        return at_least;
    return ttp_ceil_div(at->height, f->problem->tile_h) * ttp_ceil_div(at->width, 32);
}

/* The same of the output, whose tiles are as wide as those of input 1. */
static uint64_t out_shard_tiles(const struct footprint *f, uint64_t at_least)
{
    const struct ttp_placement *at = &f->problem->out_at;

    if (!at->has_shard)
        return at_least;
    return ttp_ceil_div(at->height, f->problem->tile_h) *
           ttp_ceil_div(at->width, f->problem->tile_w);
}

static uint64_t in1_shard_bytes(const struct footprint *f, uint64_t at_least)
{
    const struct ttp_placement *at = &f->problem->in1;

    if (!at->has_shard)
        return at_least * f->tiles.in1;
    return ttp_ceil_div(at->height, 32) * ttp_ceil_div(at->width, f->problem->tile_w) *
           f->tiles.in1;
}

/* 1d without gather, and 2d. */
static uint64_t cast_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const uint64_t batches = c->fuse_batch ? 1 : p->batch > p->batch_b ? p->batch : p->batch_b;
    const uint64_t twice = batches * f->nb > 1 ? 2 : 1;
    const uint64_t block = (uint64_t)c->out_block_h * c->out_block_w;
    const bool mcast_in1 = c->type == TTP_MATMUL_1D && !c->mcast_in0;
    const bool in0_reused = mcast_in1 && p->batch == 1 && p->batch_b > 1;
    uint64_t in0 = (uint64_t)c->out_block_h * c->block_w * twice * f->in0;
    uint64_t bytes = 0;

    if (in0_reused)
        in0 = c->per_core_m * f->tiles.k * f->in0;
    if (sharded_in_l1(&p->in0)) {
        bytes +=
            in0_shard_tiles(f, (uint64_t)c->per_core_m * (mcast_in1 ? f->tiles.k : c->block_w)) *
            f->tiles.in0;
        if (!mcast_in1)
            bytes += SHARD_EXTRA;
        else if (c->block_w >= f->tiles.k) /* the shard is the block */
            in0 = 0;
    }
    bytes += in0;
    if (p->transpose_a)
        bytes += in0;
    bytes += sharded_in_l1(&p->in1) ? in1_shard_bytes(f, f->tiles.k * c->per_core_n)
                                    : (uint64_t)c->out_block_w * c->block_w * twice * f->in1;
    bytes += ttp_is_sharded(&p->out_at) ? (uint64_t)c->per_core_m * c->per_core_n * f->tiles.out
                                        : block * f->tiles.out;
    bytes += block * partial_bytes(f);
    if (p->bias != TTP_TILE_NONE)
        bytes += c->out_block_w * f->tiles.bias;
    return bytes;
}

/* Shards of input 0 go round a ring. */
static uint64_t gather_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const uint64_t shard = in0_shard_tiles(f, (uint64_t)c->per_core_m * c->block_w);
    const uint64_t ring = p->in0.cores ? p->in0.cores : ttp_ceil_div(f->tiles.k, c->block_w);
    const uint64_t width = p->in0.has_shard ? ttp_ceil_div(p->in0.width, 32) : c->block_w;
    const uint64_t output = (uint64_t)c->per_core_m * c->per_core_n;

    return ring * shard * f->tiles.in0 +
           (sharded_in_l1(&p->in1) ? in1_shard_bytes(f, f->tiles.k * c->per_core_n)
                                   : 2 * width * c->per_core_n * f->in1) +
           output * f->tiles.out + output * partial_bytes(f);
}

static uint64_t reuse_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const uint64_t rows = c->per_core_m < f->tiles.m ? c->per_core_m : f->tiles.m;
    const uint64_t output = (uint64_t)c->per_core_m * c->per_core_n;

    return (sharded_in_l1(&p->in0) ? in0_shard_tiles(f, c->per_core_m * f->tiles.k) * f->tiles.in0
                                   : 2 * rows * c->block_w * f->in0) +
           (sharded_in_l1(&p->in1) ? in1_shard_bytes(f, f->tiles.k * c->per_core_n)
                                   : 2 * (uint64_t)c->per_core_n * c->block_w * f->in1) +
           output * f->tiles.out + output * partial_bytes(f) +
           (p->bias != TTP_TILE_NONE ? rows * c->per_core_n * f->tiles.bias : 0);
}

static uint64_t dram_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    struct ttp_dram_split split;

    ttp_cost_matmul_dram_split(&split, f->tiles.n, p->chip.banks, p->fp32_acc);
    return (uint64_t)c->block_w * (f->nb > 1 ? 2 : 1) * f->tiles.in0 +
           split.n * c->block_w * (f->nb > 1 ? 3 : 1) * f->tiles.in1 +
           split.n_wide * (f->tiles.out + partial_bytes(f)) +
           (p->bias != TTP_TILE_NONE ? split.n_wide * f->tiles.bias : 0) +
           in0_shard_tiles(f, c->block_w) * f->tiles.in0 +
           out_shard_tiles(f, c->per_core_n) * f->tiles.out;
}

static uint64_t batched_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const uint64_t batches = ttp_ceil_div(p->batch, p->chip.banks);
    const uint64_t output =
        out_shard_tiles(f, batches * c->per_core_m * c->per_core_n) * f->tiles.out;

    return 2 * (uint64_t)c->per_core_m * c->block_w * f->tiles.in0 +
           3 * (uint64_t)c->block_w * c->per_core_n * f->tiles.in1 + output +
           (uint64_t)c->per_core_m * c->per_core_n * partial_bytes(f) +
           in0_shard_tiles(f, batches * c->per_core_m * f->tiles.k) * f->tiles.in0 + output;
}

static uint64_t minimal_bytes(const struct footprint *f)
{
    const struct ttp_matmul *p = f->problem;
    const struct ttp_matmul_config *c = f->config;
    const uint64_t block = (uint64_t)c->out_block_h * c->out_block_w;

    return 2 * (uint64_t)c->out_block_h * c->block_w * f->in0 +
           2 * (uint64_t)c->block_w * c->out_block_w * f->in1 + 2 * block * f->tiles.out +
           block * ttp_cost_tile_bytes(p->fp32_acc ? TTP_TILE_F32 : TTP_TILE_BF16, 32, 32) +
           (p->bias != TTP_TILE_NONE ? c->out_block_w * f->tiles.bias : 0);
}

uint64_t ttp_config_l1_bytes(const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    struct ttp_matmul_tiles tiles;

    ttp_cost_matmul_measure(&tiles, p, c);
    return ttp_config_l1_bytes_of(p, c, &tiles);
}

uint64_t ttp_config_l1_bytes_of(const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                                const struct ttp_matmul_tiles *tiles)
{
    struct footprint f = {.problem = p, .config = c, .tiles = *tiles};

    f.nb = c->block_w ? f.tiles.k / c->block_w : 0;
    f.in0 = aligned(f.tiles.in0, p->chip.alignment);
    f.in1 = aligned(f.tiles.in1, p->chip.alignment);
    switch (c->type) {
    case TTP_MATMUL_1D:
        return c->gather_in0 ? gather_bytes(&f) : cast_bytes(&f);
    case TTP_MATMUL_2D:
        return cast_bytes(&f);
    case TTP_MATMUL_REUSE:
        return reuse_bytes(&f);
    case TTP_MATMUL_DRAM:
        return dram_bytes(&f);
    case TTP_MATMUL_BATCHED:
        return batched_bytes(&f);
    case TTP_MATMUL_MINIMAL:
        return minimal_bytes(&f);
    default: /* two tiles of each tensor */
        return 2 * (f.tiles.in0 + f.tiles.in1 + f.tiles.out);
    }
}
