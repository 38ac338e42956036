/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - the configs that propose.c considers. */
#include "config/propose.h"

#define DIVISORS_MAX 200
/* Steps of more tiles than that were never measured, and leave nothing to overlap. */
#define BLOCK_W_MAX 128
/* minimal_matmul is for large inputs: below 8 tile rows there is no measured one. */
#define MINIMAL_ROWS 8

/* Divisors of n up to max, ascending. */
static size_t divisors(uint64_t n, uint64_t max, uint32_t *out)
{
    size_t count = 0;
    uint64_t d;

    for (d = 1; d * d <= n && d <= max && count < DIVISORS_MAX; d++)
        if (n % d == 0)
            out[count++] = (uint32_t)d;
    for (d--; d >= 1 && count < DIVISORS_MAX; d--)
        if (n % d == 0 && n / d > d && n / d <= max)
            out[count++] = (uint32_t)(n / d);
    return count;
}

/* The largest subblocks of a block: one not higher than wide, one higher. */
static size_t subblocks(const struct ttp_matmul *p, uint32_t h, uint32_t w, bool one_row,
                        struct ttp_subblock out[2])
{
    const uint32_t most = (p->full_sync ? 16 : 8) / (p->fp32_acc ? 2 : 1);
    uint32_t area[2] = {0, 0};

    for (uint32_t sh = 1; sh <= most && sh <= h; sh++)
        for (uint32_t sw = 1; sw * sh <= most && sw <= w; sw++) {
            const bool higher = sh > sw;

            if (h % sh != 0 || w % sw != 0 || (one_row && sh > 1 && sw != w) ||
                sh * sw <= area[higher])
                continue;
            area[higher] = sh * sw;
            out[higher] = (struct ttp_subblock){(uint8_t)sh, (uint8_t)sw};
        }
    if (area[0] == 0)
        out[0] = out[1];
    return (area[0] > 0) + (area[1] > area[0] || (area[1] > 0 && area[0] == 0));
}

/* All subblocks worth a look; false: L1 is full. */
static bool with_subblocks(struct ttp_search *s, struct ttp_matmul_config c, uint32_t rows,
                           uint32_t columns)
{
    struct ttp_subblock sub[2] = {{0, 0}, {0, 0}};
    const bool one_row = ttp_is_sharded(&s->problem.out_at);
    const size_t n = subblocks(&s->problem, rows, columns, one_row, sub);
    bool fits = true;

    for (size_t i = 0; i < n; i++) {
        c.subblock_h = sub[i].h;
        c.subblock_w = sub[i].w;
        fits = ttp_config_search_add(s, &c);
    }
    return fits;
}

/* Parts of per_core that a core holds at once, the largest first. */
static void with_blocks(struct ttp_search *s, struct ttp_matmul_config c)
{
    uint32_t rows[DIVISORS_MAX], columns[DIVISORS_MAX];
    const size_t nr = divisors(c.per_core_m, c.per_core_m, rows);
    const size_t nc = divisors(c.per_core_n, c.per_core_n, columns);
    const bool sharded = ttp_is_sharded(&s->problem.out_at);

    for (size_t i = nr; i-- > 0;) {
        size_t fitting = 0;

        /* smaller parts of a row of blocks only read more: the first few that fit are enough */
        for (size_t j = nc; j-- > 0 && fitting < 3;) {
            if (sharded && rows[i] > 1 && j + 1 < nc)
                break;
            c.out_block_h = rows[i];
            c.out_block_w = columns[j];
            fitting += with_subblocks(s, c, rows[i], columns[j]);
        }
        if (fitting == 3 && nr - i >= 4)
            break;
    }
}

/* Every width of a step. */
static void with_steps(struct ttp_search *s, struct ttp_matmul_config c)
{
    uint32_t width[DIVISORS_MAX];
    const size_t n = divisors(ttp_ceil_div(s->problem.k, 32), BLOCK_W_MAX, width);

    for (size_t i = 0; i < n; i++) {
        const size_t before = s->legal;

        c.block_w = width[i];
        with_blocks(s, c);
        /* wider steps need more L1 */
        if (s->legal == before && i > 0 && width[i - 1] > 1)
            return;
    }
}

/* The next size that needs fewer parts of n; 0: none. */
static uint64_t next_size(uint64_t n, uint64_t size)
{
    const uint64_t parts = ttp_ceil_div(n, size);

    return parts == 1 ? 0 : ttp_ceil_div(n, parts - 1);
}

/* A size, and those above it that subblocks divide better: padding is legal and often faster. */
static size_t padded(uint64_t size, uint64_t whole, uint64_t out[3])
{
    size_t n = 1;

    out[0] = size;
    for (uint64_t step = 2; step <= 4; step *= 2) {
        const uint64_t up = ttp_ceil_div(size, step) * step;

        if (up != out[n - 1] && size > 2 && up <= whole)
            out[n++] = up;
    }
    return n;
}

static void one_d(struct ttp_search *s, bool mcast_in0, bool fuse)
{
    const struct ttp_cost_chip *chip = &s->problem.chip;
    const uint64_t cores = (uint64_t)chip->grid_x * chip->grid_y;
    struct ttp_matmul_config c = {.type = TTP_MATMUL_1D, .mcast_in0 = mcast_in0, .receivers = 1};
    struct ttp_matmul_tiles t;

    c.fuse_batch = fuse;
    c.activation = s->problem.activation;
    ttp_cost_matmul_measure(&t, &s->problem, &c);
    const uint64_t split = mcast_in0 ? t.n : t.mf, whole = mcast_in0 ? t.mf : t.n;
    if (whole > UINT16_MAX || split > UINT16_MAX)
        return;
    for (uint64_t size = ttp_ceil_div(split, cores); size; size = next_size(split, size)) {
        uint64_t sizes[3];
        const size_t n = padded(size, split, sizes);

        for (size_t i = 0; i < n; i++) {
            const uint64_t used = ttp_ceil_div(split, sizes[i]);

            c.grid_x = used < chip->grid_x ? (uint32_t)used : chip->grid_x;
            c.grid_y = (uint32_t)ttp_ceil_div(used, c.grid_x);
            c.per_core_m = (uint32_t)(mcast_in0 ? whole : sizes[i]);
            c.per_core_n = (uint32_t)(mcast_in0 ? sizes[i] : whole);
            with_steps(s, c);
        }
        /* fewer than an eighth of the cores: only for outputs that small */
        if (ttp_ceil_div(split, size) * 8 <= cores && ttp_ceil_div(split, size) * 2 <= split)
            break;
    }
}

static void two_d(struct ttp_search *s, bool fuse)
{
    const struct ttp_cost_chip *chip = &s->problem.chip;
    struct ttp_matmul_config c = {.type = TTP_MATMUL_2D, .receivers = 1};
    struct ttp_matmul_tiles t;

    c.fuse_batch = fuse;
    c.activation = s->problem.activation;
    ttp_cost_matmul_measure(&t, &s->problem, &c);
    if (t.mf > UINT32_MAX / 2 || t.n > UINT32_MAX / 2)
        return;
    for (uint64_t rows = ttp_ceil_div(t.mf, chip->grid_y); rows; rows = next_size(t.mf, rows)) {
        const uint64_t by = ttp_ceil_div(t.mf, rows);

        for (uint64_t columns = ttp_ceil_div(t.n, chip->grid_x); columns;
             columns = next_size(t.n, columns)) {
            const uint64_t bx = ttp_ceil_div(t.n, columns);
            uint64_t sizes[3];
            const size_t n = padded(columns, t.n, sizes);

            /* half of the cores that could work at least */
            if (rows > UINT16_MAX || columns > UINT16_MAX ||
                (bx * by * 2 < (uint64_t)chip->grid_x * chip->grid_y &&
                 (columns > ttp_ceil_div(t.n, chip->grid_x) ||
                  rows > ttp_ceil_div(t.mf, chip->grid_y))))
                break;
            c.grid_x = (uint32_t)bx;
            c.grid_y = (uint32_t)by;
            c.per_core_m = (uint32_t)rows;
            for (size_t i = 0; i < n && sizes[i] <= UINT16_MAX; i++) {
                c.per_core_n = (uint32_t)sizes[i];
                with_steps(s, c);
            }
        }
    }
}

static void reuse(struct ttp_search *s)
{
    const struct ttp_cost_chip *chip = &s->problem.chip;
    const uint64_t mt = ttp_ceil_div(s->problem.m, s->problem.tile_h),
                   nt = ttp_ceil_div(s->problem.n, s->problem.tile_w);
    uint32_t rows[DIVISORS_MAX], width[DIVISORS_MAX];
    struct ttp_matmul_config c = {.type = TTP_MATMUL_REUSE,
                                  .grid_x = chip->grid_x,
                                  .grid_y = chip->grid_y,
                                  .per_core_n = (uint32_t)nt};

    if (nt > UINT16_MAX || mt > UINT16_MAX)
        return;
    const size_t nr = divisors(mt, mt, rows);
    const size_t nw = divisors(ttp_ceil_div(s->problem.k, 32), BLOCK_W_MAX, width);
    for (size_t i = 0; i < nr; i++)
        for (size_t j = 0; j < nw; j++) {
            c.per_core_m = rows[i];
            c.block_w = width[j];
            if (!with_subblocks(s, c, c.per_core_m, c.per_core_n))
                break;
        }
}

static void dram(struct ttp_search *s)
{
    const struct ttp_cost_chip *chip = &s->problem.chip;
    const uint64_t kt = ttp_ceil_div(s->problem.k, 32),
                   nt = ttp_ceil_div(s->problem.n, s->problem.tile_w);
    const struct ttp_placement in0 = s->problem.in0;
    uint32_t cores[DIVISORS_MAX], width[DIVISORS_MAX];
    struct ttp_matmul_config c = {.type = TTP_MATMUL_DRAM, .per_core_m = 1};

    c.activation = s->problem.activation;
    const size_t nc = divisors(kt, (uint64_t)chip->grid_x * chip->grid_y, cores);
    for (size_t i = 0; i < nc; i++) {
        if (in0.has_shard ? in0.cores != cores[i] : ttp_ceil_div(nt, cores[i]) > UINT16_MAX)
            continue;
        if (!in0.has_shard) {
            s->problem.in0.has_shard = true;
            s->problem.in0.height = s->problem.tile_h;
            s->problem.in0.width = (uint32_t)(kt / cores[i] * 32);
            s->problem.in0.cores = cores[i];
        }
        c.per_core_n = (uint32_t)ttp_ceil_div(nt, cores[i]);
        const size_t nw = divisors(kt / cores[i], BLOCK_W_MAX, width);
        for (size_t j = nw; j-- > 0;) {
            c.block_w = width[j];
            (void)ttp_config_search_add(s, &c);
        }
        s->problem.in0 = in0;
    }
}

static void minimal(struct ttp_search *s)
{
    static const uint8_t sizes[] = {2, 4, 6, 8, 10, 12, 13, 16, 20, 24, 32};
    const struct ttp_cost_chip *chip = &s->problem.chip;
    struct ttp_matmul_config c = {
        .type = TTP_MATMUL_MINIMAL, .grid_x = chip->grid_x, .grid_y = chip->grid_y};

    for (size_t i = 0; i < TTP_COUNT(sizes); i++)
        for (size_t j = 0; j < TTP_COUNT(sizes); j++)
            for (size_t k = 0; k < TTP_COUNT(sizes); k++) {
                c.out_block_h = sizes[i];
                c.out_block_w = sizes[j];
                c.block_w = sizes[k];
                if (!with_subblocks(s, c, c.out_block_h, c.out_block_w))
                    break;
            }
}

void ttp_config_search_all(struct ttp_search *s)
{
    const struct ttp_matmul *p = &s->problem;
    const bool interleaved = !ttp_is_sharded(&p->in0) && !ttp_is_sharded(&p->out_at);
    const uint64_t rows = ttp_ceil_div(p->m, p->tile_h) * p->batch;
    const bool fuse = p->batch_b == 1;

    if (p->m == 0 || p->k == 0 || p->n == 0 || p->sparse || p->a == TTP_TILE_NONE ||
        p->b == TTP_TILE_NONE || p->out == TTP_TILE_NONE)
        return;
    ttp_cost_matmul_measure(&s->tiles, p, &(struct ttp_matmul_config){0});
    if (s->variant == 0) {
        one_d(s, true, fuse);
        one_d(s, false, fuse);
        two_d(s, fuse);
    }
    if (p->batch_b > 1)
        reuse(s);
    if (p->in1.layout == TTP_LAYOUT_WIDTH && !p->in1.l1 && p->in0.layout == TTP_LAYOUT_WIDTH)
        dram(s);
    if (interleaved && p->batch_b == 1 && rows >= MINIMAL_ROWS && !p->transpose_a &&
        !p->transpose_b)
        minimal(s);
}

void ttp_config_search_variants(struct ttp_variants *out, const struct ttp_matmul *p,
                                bool keep_placement)
{
    const uint64_t rows = ttp_ceil_div(p->m ? p->m : 1, p->tile_h) * p->batch;
    const bool banked = p->in1.layout == TTP_LAYOUT_WIDTH && !p->in1.l1 &&
                        p->in0.layout == TTP_LAYOUT_WIDTH && p->in0.l1;

    out->count = 1;
    out->problem[0] = *p;
    if (keep_placement || banked || rows != 1 || p->batch_b != 1 || p->transpose_a ||
        p->transpose_b || p->untilize)
        return;
    /* one tile row: weights in shards over the DRAM banks */
    struct ttp_matmul *other = &out->problem[out->count++];
    *other = *p;
    other->in0 = (struct ttp_placement){.layout = TTP_LAYOUT_WIDTH, .l1 = true};
    other->in1 = (struct ttp_placement){.layout = TTP_LAYOUT_WIDTH};
    other->out_at = other->in0;
}

static uint64_t at_least_one(uint64_t v)
{
    return v ? v : 1;
}

/* As many columns as a row of cores has, then rows. */
static void spread(struct ttp_placement *at, const struct ttp_cost_chip *chip, uint64_t cores)
{
    const uint64_t columns = at_least_one(chip->grid_x), rows = chip->grid_y;
    uint64_t x = at_least_one(cores < columns ? cores : columns);

    while (x > 1 && cores % x != 0)
        x--;
    x = at_least_one(x);
    if (cores / x > rows) /* no rectangle has that many: the last row is not full */
        x = columns;
    at->cores = (uint32_t)cores;
    at->grid_x = (uint32_t)x;
    at->grid_y = (uint32_t)ttp_ceil_div(cores, x);
    at->has_shard = true;
}

void ttp_config_place_shards(struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    const uint64_t kt = ttp_ceil_div(p->k, 32);
    const uint64_t cores_max = (uint64_t)p->chip.grid_x * p->chip.grid_y;
    struct ttp_matmul_tiles t;

    if (c->type != TTP_MATMUL_DRAM || c->per_core_n == 0 || c->block_w == 0)
        return;
    ttp_cost_matmul_measure(&t, p, c);
    if (!p->in0.has_shard) {
        uint64_t cores = at_least_one(ttp_ceil_div(t.n, c->per_core_n));

        /* the search put both on as many cores; else the most that in0_block_w allows */
        if (kt % cores != 0 || kt / cores % c->block_w != 0)
            for (cores = cores_max < kt ? cores_max : kt;
                 cores > 1 && (kt % cores != 0 || kt / cores % c->block_w != 0);)
                cores--;
        p->in0.height = p->tile_h;
        p->in0.width = (uint32_t)(kt / at_least_one(cores) * 32);
        spread(&p->in0, &p->chip, cores);
    }
    if (!p->out_at.has_shard) {
        p->out_at.height = p->tile_h;
        p->out_at.width = c->per_core_n * p->tile_w;
        spread(&p->out_at, &p->chip, ttp_ceil_div(t.n, c->per_core_n));
    }
}
