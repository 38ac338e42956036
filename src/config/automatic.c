/* SPDX-License-Identifier: Apache-2.0 */
/* automatic.config - the config that ttnn picks when the caller gives none:
 * create_simple_matmul_program_config, create_matmul_program_config and get_matmul_program_config
 * of device/config/matmul_program_config.cpp. */
#include "config/config_rules.h"

struct choosing {
    const struct ttp_matmul *problem;
    struct ttp_matmul_tiles tiles;
    struct ttp_config_auto *out;
    uint64_t free_bytes;
    bool squeezed; /* something did not fit */
    bool older;
};

static void because(struct choosing *a, const char *why)
{
    if (a->out->nwhy < TTP_COUNT(a->out->why))
        a->out->why[a->out->nwhy++] = why;
}

/* What ttnn thinks the circular buffers of an m x n block with steps of k tiles take. */
static bool fits(struct choosing *a, uint64_t m, uint64_t n, uint64_t k)
{
    const struct ttp_matmul *p = a->problem;
    const uint64_t partial = p->fp32_acc           ? 4096
                             : a->tiles.out > 2048 ? a->tiles.out
                                                   : 2048; /* of a 32x32 tile */
    const uint64_t shard =
        ttp_is_sharded(&p->in0) && p->in0.has_shard
            ? ttp_ceil_div(p->in0.height, p->tile_h) * ttp_ceil_div(p->in0.width, 32) * a->tiles.in0
            : 0;
    const uint64_t bytes = 2 * m * k * a->tiles.in0 + 2 * n * k * a->tiles.in1 +
                           m * n * a->tiles.in0 + m * n * partial + n * a->tiles.bias + shard;

    if (bytes < a->free_bytes)
        return true;
    a->squeezed = true;
    return false;
}

/* `one_row`: only a single row as wide as the block, for sharded output. */
static void subblock(const struct choosing *a, struct ttp_matmul_config *c, bool one_row)
{
    c->subblock_h = c->subblock_w = 1;
    for (size_t i = 0; i < TTP_SUBBLOCKS; i++) {
        const struct ttp_subblock s = ttp_subblocks[i];

        if ((a->problem->fp32_acc && s.h * s.w > 4) ||
            (one_row && (s.w != c->out_block_w || s.h != 1)))
            continue;
        if (c->out_block_h % s.h == 0 && c->out_block_w % s.w == 0) {
            c->subblock_h = s.h;
            c->subblock_w = s.w;
            return;
        }
    }
}

/* The same list with h and w swapped, which the path with a core grid uses. */
static void subblock_swapped(const struct choosing *a, struct ttp_matmul_config *c, uint32_t rows,
                             uint32_t columns)
{
    c->subblock_h = c->subblock_w = 1;
    for (size_t i = 0; i < TTP_SUBBLOCKS; i++) {
        const struct ttp_subblock s = ttp_subblocks[i];

        if ((!a->problem->fp32_acc || s.h * s.w <= 4) && rows % s.w == 0 && columns % s.h == 0) {
            c->subblock_h = s.w;
            c->subblock_w = s.h;
            return;
        }
    }
}

/* ---- the out block: the largest part of per_core that fits ---- */

static double ratio(uint64_t m, uint64_t n)
{
    return m > n ? (float)m / (float)n : (float)n / (float)m;
}

#define DIVISORS_MAX 160 /* no number up to 65535 has more */

/* Divisors of n in the order in which ttnn tries them: n, 1, then from n / 2 down to 2. */
static size_t divisors(uint32_t n, uint32_t *out)
{
    size_t count = 0;

    out[count++] = n;
    if (n == 1)
        return count;
    out[count++] = 1;
    for (uint32_t d = n / 2; d > 1; d--)
        if (n % d == 0)
            out[count++] = d;
    return count;
}

struct factors {
    uint32_t m[DIVISORS_MAX], n[DIVISORS_MAX];
    size_t nm, nn;
};

/* Of all pairs of divisors the largest product below `area`, of those with that product the
 * squarest, of equals the last tried. Returns the product; 0: none. */
static uint64_t next_area(const struct factors *f, uint64_t area, uint32_t *m, uint32_t *n)
{
    uint64_t best = 0;

    for (size_t i = 0; i < f->nm; i++)
        for (size_t j = 0; j < f->nn; j++) {
            const uint64_t product = (uint64_t)f->m[i] * f->n[j];

            if (product >= area || product < best ||
                (product == best && ratio(*m, *n) < ratio(f->m[i], f->n[j])))
                continue;
            best = product;
            *m = f->m[i];
            *n = f->n[j];
        }
    return best;
}

/* The largest divisor of k up to itself with which the block fits; 0: none. `free`: it may be less
 * than k. */
static uint32_t fitting_k(struct choosing *a, uint32_t m, uint32_t n, uint32_t k, bool free)
{
    for (uint32_t d = k; d >= 1; d--) {
        if (k % d == 0 && fits(a, m, n, d))
            return d;
        if (!free)
            return 0;
    }
    return 0;
}

static void out_block(struct choosing *a, struct ttp_matmul_config *c, bool free_k)
{
    struct factors f;
    uint32_t m = 1, n = 1;

    c->out_block_h = c->per_core_m;
    c->out_block_w = c->per_core_n;
    if (fits(a, c->per_core_m, c->per_core_n, c->block_w))
        return;
    because(a, "the whole block does not fit the free L1: it is split");
    f.nm = divisors(c->per_core_m, f.m);
    f.nn = divisors(c->per_core_n, f.n);
    for (uint64_t area = UINT64_MAX; (area = next_area(&f, area, &m, &n)) > 0;) {
        const uint32_t k = fitting_k(a, m, n, c->block_w, free_k);

        if (k) {
            c->out_block_h = m;
            c->out_block_w = n;
            c->block_w = k;
            return;
        }
    }
    c->out_block_h = c->out_block_w = 1;
    if (free_k)
        c->block_w = 1;
}

/* ---- configs ---- */

static void one_d(struct choosing *a, bool mcast_in0)
{
    const struct ttp_cost_chip *chip = &a->problem->chip;
    const uint64_t cores = (uint64_t)chip->grid_x * chip->grid_y;
    struct ttp_matmul_config *c = &a->out->config;

    *c = (struct ttp_matmul_config){
        .type = TTP_MATMUL_1D,
        .grid_x = chip->grid_x,
        .grid_y = chip->grid_y,
        .block_w = a->tiles.k % 2 == 0 ? 2 : 1,
        .per_core_m = (uint32_t)(mcast_in0 ? a->tiles.m : ttp_ceil_div(a->tiles.m, cores)),
        .per_core_n = (uint32_t)(mcast_in0 ? ttp_ceil_div(a->tiles.n, cores) : a->tiles.n),
        .mcast_in0 = mcast_in0,
    };
    out_block(a, c, false);
    subblock(a, c, false);
}

static void two_d(struct choosing *a, bool all_dram, uint32_t factor, uint32_t k)
{
    const struct ttp_cost_chip *chip = &a->problem->chip;
    struct ttp_matmul_config *c = &a->out->config;

    *c = (struct ttp_matmul_config){
        .type = TTP_MATMUL_2D,
        .grid_x = chip->grid_x,
        .grid_y = chip->grid_y,
        .block_w = k,
        .per_core_m = factor,
        .per_core_n = factor,
        .out_block_h = factor,
        .out_block_w = factor,
        .subblock_h = factor == 2 ? 4 : 1,
        .subblock_w = 2,
    };
    if (!all_dram)
        return;
    c->block_w = (uint32_t)(a->tiles.k % chip->grid_x == 0 ? a->tiles.k / chip->grid_x : 1);
    c->per_core_m = (uint32_t)ttp_ceil_div(a->tiles.m, chip->grid_y);
    c->per_core_n = (uint32_t)ttp_ceil_div(a->tiles.n, chip->grid_x);
    out_block(a, c, true);
    subblock(a, c, false);
}

static bool interleaved(const struct ttp_matmul *p)
{
    return !ttp_is_sharded(&p->in0) && !ttp_is_sharded(&p->in1) && !ttp_is_sharded(&p->out_at);
}

/* More than eight times as long as wide, or one tile of something in DRAM. */
static bool is_narrow(uint64_t rows, uint64_t columns, bool all_dram)
{
    const uint64_t times = rows > columns ? rows / columns : columns / rows;

    return times > 8 || (all_dram && (rows <= 32 || columns <= 32));
}

/* Blocks of the simple path. */
struct simple {
    bool dram, wide, tall;
    uint32_t factor, k;
    uint64_t by, bx;
    bool ranged; /* the blocks are a core range: more than one, and they fit the grid */
};

static void survey(struct choosing *a, struct simple *s)
{
    const struct ttp_matmul *p = a->problem;
    const struct ttp_cost_chip *chip = &p->chip;
    const bool all_dram = !p->in0.l1 && !p->in1.l1 && !p->out_at.l1;
    const uint64_t rows = a->tiles.m * p->tile_h, columns = a->tiles.n * p->tile_w;

    *s = (struct simple){.dram = all_dram && interleaved(p), .factor = 16, .k = 2};
    if (interleaved(p) && is_narrow(rows, columns, all_dram)) {
        s->wide = columns > rows;
        s->tall = !s->wide;
    }
    while (s->factor > 1 && !fits(a, s->factor, s->factor, s->k))
        s->factor /= 2;
    s->by = ttp_ceil_div(a->tiles.m, s->factor);
    s->bx = ttp_ceil_div(a->tiles.n, s->factor);
    if ((ttp_is_sharded(&p->out_at) || s->by > 1 || s->bx > 1) && a->tiles.k % 2 != 0)
        s->k = 1;
    s->ranged = (s->by > 1 || s->bx > 1) && s->by <= chip->grid_y && s->bx <= chip->grid_x;
}

/* In0 interleaved, no core grid. */
static void simple(struct choosing *a)
{
    const struct ttp_matmul *p = a->problem;
    const struct ttp_cost_chip *chip = &p->chip;
    const enum ttp_layout out = p->out_at.layout;
    const bool reuses_in0 = p->batch == 1 && p->batch_b > 1 && interleaved(p);
    struct simple s;

    survey(a, &s);
    const bool by_range = !s.dram || a->older; /* older builds let the range decide in DRAM too */
    const bool legal =
        s.dram || (s.bx * s.by <= (uint64_t)chip->grid_x * chip->grid_y && a->tiles.k % s.k == 0);
    if (reuses_in0) {
        because(a,
                "input 0 has one batch and input 1 several: input 0 stays, the weights are sent");
        one_d(a, false);
    } else if (!legal) {
        because(a, "the blocks do not fit the grid, or K is odd");
        a->out->config = (struct ttp_matmul_config){.type = TTP_MATMUL_MULTICORE};
    } else if (s.wide || (s.ranged && s.by == 1 && by_range) ||
               (!s.ranged && out == TTP_LAYOUT_WIDTH)) {
        because(a, s.wide ? "N is much larger than M, or M is one tile: 1D, input 0 is broadcast"
                          : "one row of blocks: 1D, input 0 is broadcast");
        one_d(a, true);
    } else if (s.tall || (s.ranged && s.bx == 1 && by_range) ||
               (!s.ranged && out == TTP_LAYOUT_HEIGHT)) {
        because(a, s.tall ? "M is much larger than N, or N is one tile: 1D, input 1 is broadcast"
                          : "one column of blocks: 1D, input 1 is broadcast");
        one_d(a, false);
    } else if (s.ranged || s.dram || out == TTP_LAYOUT_BLOCK) {
        because(a, s.dram ? "all tensors are interleaved in DRAM: 2D over the whole grid"
                          : "the blocks form a core range: 2D");
        two_d(a, s.dram, s.factor, s.k);
    } else {
        because(a, "no core range fits: one tile at a time");
        a->out->config = (struct ttp_matmul_config){.type = TTP_MATMUL_MULTICORE};
    }
}

/* In0 sharded: parameters follow from the shard. */
static bool from_shard(struct choosing *a)
{
    const struct ttp_matmul *p = a->problem;
    const struct ttp_placement *in0 = &p->in0;
    struct ttp_matmul_config *c = &a->out->config;
    const bool sharded_out = ttp_is_sharded(&p->out_at);
    const uint64_t mf = p->batch * a->tiles.m,
                   rows = ttp_ceil_div(in0->height ? in0->height : 1, p->tile_h);
    const uint64_t columns = ttp_ceil_div(in0->width ? in0->width : 1, 32);

    if (!in0->has_shard || !in0->grid_x || ttp_is_sharded(&p->in1) || in0->nd)
        return false;
    because(a, "input 0 is sharded: the shards give the parameters");
    *c = (struct ttp_matmul_config){.type = TTP_MATMUL_1D,
                                    .grid_x = in0->grid_x,
                                    .grid_y = in0->grid_y,
                                    .fuse_batch = true,
                                    .mcast_in0 = in0->layout == TTP_LAYOUT_WIDTH};
    uint64_t common = columns, rest = a->tiles.k;
    while (rest) { /* greatest common divisor */
        const uint64_t r = common % rest;

        common = rest;
        rest = r;
    }
    if (in0->layout == TTP_LAYOUT_WIDTH) {
        c->per_core_m = (uint32_t)mf;
        c->per_core_n = (uint32_t)ttp_ceil_div(a->tiles.n, in0->cores);
        c->block_w = (uint32_t)common;
    } else if (in0->layout == TTP_LAYOUT_HEIGHT) {
        c->per_core_m = (uint32_t)rows;
        c->per_core_n = (uint32_t)a->tiles.n;
        c->block_w = (uint32_t)a->tiles.k;
    } else {
        const uint32_t x = in0->col_major ? in0->grid_y : in0->grid_x;
        const uint32_t y = in0->col_major ? in0->grid_x : in0->grid_y;

        c->type = TTP_MATMUL_2D;
        c->mcast_in0 = false;
        c->transpose_mcast = in0->col_major;
        c->per_core_m = (uint32_t)ttp_ceil_div(mf, y);
        c->per_core_n = (uint32_t)ttp_ceil_div(a->tiles.n, x);
        c->block_w = x == a->tiles.k / columns ? (uint32_t)common : 1;
    }
    out_block(a, c, false);
    subblock(a, c, sharded_out);
    return true;
}

/* Of the path with a core grid: 1D where the output is narrow or something is one tile. */
static void narrow_grid(struct choosing *a, uint64_t mf)
{
    const struct ttp_matmul *p = a->problem;
    const uint64_t cores = (uint64_t)p->user_x * p->user_y;
    struct ttp_matmul_config *c = &a->out->config;
    const bool tall = p->in0.layout == TTP_LAYOUT_HEIGHT ||
                      (p->in0.layout != TTP_LAYOUT_WIDTH && mf > a->tiles.n);

    c->type = TTP_MATMUL_1D;
    c->mcast_in0 = !tall;
    c->per_core_m = (uint32_t)(tall ? ttp_ceil_div(mf, cores) : mf);
    c->per_core_n = (uint32_t)(tall ? a->tiles.n : ttp_ceil_div(a->tiles.n, cores));
    c->block_w = (uint32_t)ttp_ceil_div(a->tiles.k, cores);
    while (c->block_w > 1 && a->tiles.k % c->block_w != 0)
        c->block_w--;
    out_block(a, c, false);
    subblock_swapped(a, c, c->out_block_h, c->out_block_w);
}

/* The caller gave a core grid. */
static bool on_user_grid(struct choosing *a)
{
    const struct ttp_matmul *p = a->problem;
    struct ttp_matmul_config *c = &a->out->config;
    const uint64_t mf = p->batch * a->tiles.m;
    const bool one_tile = a->tiles.k == 1 || a->tiles.m == 1 || a->tiles.n == 1;

    *c = (struct ttp_matmul_config){.grid_x = p->user_x, .grid_y = p->user_y, .fuse_batch = true};
    if (ttp_is_sharded(&p->in0))
        return false; /* needs the shard, and nothing of it was measured */
    because(a, "the caller gave a core grid");
    if (p->batch_b > 1) {
        *c = (struct ttp_matmul_config){.type = TTP_MATMUL_REUSE,
                                        .grid_x = p->user_x,
                                        .grid_y = p->user_y,
                                        .block_w = 1,
                                        .per_core_m = (uint32_t)a->tiles.m,
                                        .per_core_n = (uint32_t)a->tiles.n};
        if (p->batch == 1 || ttp_is_sharded(&p->in1) || !fits(a, a->tiles.m, a->tiles.n, 1))
            return false;
        subblock_swapped(a, c, c->per_core_m, c->per_core_n);
        return true;
    }
    if (is_narrow(mf * p->tile_h, a->tiles.n * p->tile_w, false) || one_tile) {
        narrow_grid(a, mf);
        return true;
    }
    c->type = TTP_MATMUL_2D;
    c->per_core_m = (uint32_t)ttp_ceil_div(mf, p->user_y);
    c->per_core_n = (uint32_t)ttp_ceil_div(a->tiles.n, p->user_x);
    c->block_w = 4;
    while (c->block_w > 1 && a->tiles.k % c->block_w != 0)
        c->block_w--;
    out_block(a, c, false);
    subblock_swapped(a, c, c->out_block_h, c->out_block_w);
    if (c->subblock_w != c->per_core_n)
        c->subblock_h = 1;
    return true;
}

bool ttp_config_auto(struct ttp_config_auto *out, const struct ttp_matmul *p, bool older)
{
    const struct ttp_cost_chip *chip = &p->chip;
    const uint64_t taken = chip->reserved_bytes + p->other_l1_bytes;
    struct choosing a = {.problem = p, .out = out, .older = older};
    bool known = true;

    *out = (struct ttp_config_auto){0};
    if (p->m == 0 || p->k == 0 || p->n == 0 || p->a == TTP_TILE_NONE || p->b == TTP_TILE_NONE ||
        p->out == TTP_TILE_NONE || p->sparse)
        return false;
    a.free_bytes = chip->l1_bytes > taken ? chip->l1_bytes - taken : 0;
    ttp_cost_matmul_measure(&a.tiles, p, &(struct ttp_matmul_config){.type = TTP_MATMUL_MULTICORE});
    if (a.tiles.m > UINT16_MAX || a.tiles.n > UINT16_MAX)
        return false;
    if (p->user_x && p->user_y)
        known = on_user_grid(&a);
    else if (ttp_is_sharded(&p->in0))
        known = from_shard(&a);
    else
        simple(&a);
    out->config.receivers = 0; /* as it is logged when ttnn chose */
    out->config.activation = p->activation;
    out->depends_on_l1 = a.squeezed;
    return known;
}

/* Do they describe the same program? How many receivers a global buffer has does not count without
 * one. */
bool ttp_config_same(const struct ttp_matmul_config *a, const struct ttp_matmul_config *b)
{
    return a->type == b->type && a->grid_x == b->grid_x && a->grid_y == b->grid_y &&
           a->block_w == b->block_w && a->subblock_h == b->subblock_h &&
           a->subblock_w == b->subblock_w && a->out_block_h == b->out_block_h &&
           a->out_block_w == b->out_block_w && a->per_core_m == b->per_core_m &&
           a->per_core_n == b->per_core_n && a->activation == b->activation &&
           a->transpose_mcast == b->transpose_mcast && a->fuse_batch == b->fuse_batch &&
           (a->type != TTP_MATMUL_1D ||
            (a->mcast_in0 == b->mcast_in0 && a->gather_in0 == b->gather_in0));
}
