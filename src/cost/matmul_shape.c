/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_shape.c - sizes in tiles that the rules, the footprint and the prediction share. */
#include "cost/cost.h"

const struct ttp_subblock ttp_subblocks[TTP_SUBBLOCKS] = {
    {4, 2}, {2, 4}, {8, 1}, {1, 8}, {7, 1}, {1, 7}, {3, 2}, {2, 3}, {6, 1}, {1, 6},
    {5, 1}, {1, 5}, {2, 2}, {4, 1}, {1, 4}, {3, 1}, {1, 3}, {2, 1}, {1, 2}, {1, 1},
};

/* A fact of the board, or of the one that its architecture represents. */
static double fact_of(const struct ttp_board *board, enum ttp_fact fact)
{
    const struct ttp_arch *arch =
        board->report_arch ? ttp_device_find_arch(ttp_str_from(board->report_arch), false) : NULL;
    double v = 0;

    if (!ttp_board_fact(board, fact, &v) && arch && arch->board)
        (void)ttp_board_fact(ttp_board_find(ttp_boards_builtin(), ttp_str_from(arch->board)), fact,
                             &v);
    return v;
}

/* What a user's file says may be anything; 0: no use. */
static uint32_t small_fact(const struct ttp_board *board, enum ttp_fact fact)
{
    const double v = fact_of(board, fact);

    return v >= 1 && v <= 256 ? (uint32_t)v : 0;
}

static uint64_t bytes_fact(const struct ttp_board *board, enum ttp_fact fact)
{
    const double v = fact_of(board, fact);

    return v >= 1 && v <= 1e12 ? (uint64_t)v : 0;
}

bool ttp_cost_chip_of(struct ttp_cost_chip *out, const struct ttp_board *board)
{
    *out = (struct ttp_cost_chip){
        .board = board,
        .cost = ttp_board_costs(board),
        .grid_x = small_fact(board, TTP_FACT_GRID_X),
        .grid_y = small_fact(board, TTP_FACT_GRID_Y),
        .banks = small_fact(board, TTP_FACT_DRAM_BANKS),
        .l1_bytes = bytes_fact(board, TTP_FACT_L1_BYTES),
        .reserved_bytes = bytes_fact(board, TTP_FACT_L1_RESERVED_BYTES),
        .ghz = fact_of(board, TTP_FACT_AICLK_MAX_MHZ) / 1000,
        .alignment = strcmp(board->chip, "blackhole") == 0 ? 64 : 32,
    };
    return out->grid_x && out->grid_y && out->banks && out->l1_bytes && out->ghz > 0;
}

void ttp_cost_matmul_init(struct ttp_matmul *p, const struct ttp_cost_chip *chip)
{
    *p = (struct ttp_matmul){
        .batch = 1,
        .batch_b = 1,
        .a = TTP_TILE_BF16,
        .b = TTP_TILE_BFP8,
        .out = TTP_TILE_BF16,
        .chip = *chip,
        .fidelity = TTP_FIDELITY_HIFI2,
        .l1_acc = true,
        .tile_h = 32,
        .tile_w = 32,
    };
}

void ttp_cost_matmul_measure(struct ttp_matmul_tiles *out, const struct ttp_matmul *p,
                             const struct ttp_matmul_config *c)
{
    *out = (struct ttp_matmul_tiles){
        .m = ttp_ceil_div(p->m, p->tile_h),
        .k = ttp_ceil_div(p->k, 32),
        .n = ttp_ceil_div(p->n, p->tile_w),
        .in0 = ttp_cost_tile_bytes(p->a, p->tile_h, 32),
        .in1 = ttp_cost_tile_bytes(p->b, 32, p->tile_w),
        .out = ttp_cost_tile_bytes(p->out, p->tile_h, p->tile_w),
        .bias = ttp_cost_tile_bytes(p->bias, p->tile_h, p->tile_w),
    };
    ttp_cost_matmul_fold(out, p, c);
}

void ttp_cost_matmul_fold(struct ttp_matmul_tiles *tiles, const struct ttp_matmul *p,
                          const struct ttp_matmul_config *c)
{
    const bool folds = c->type == TTP_MATMUL_DRAM || c->type == TTP_MATMUL_MINIMAL ||
                       ((c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D) && c->fuse_batch);

    tiles->mf = folds ? tiles->m * p->batch : tiles->m;
}

void ttp_cost_matmul_dram_split(struct ttp_dram_split *out, uint64_t nt, uint32_t banks,
                                bool fp32_acc)
{
    const uint64_t shard = ttp_ceil_div(nt, banks);
    const uint32_t widest = fp32_acc ? 4 : 8;

    /* a bank that holds nothing but padding has no worker */
    out->workers = shard ? (uint32_t)(banks - (shard * banks - nt) / shard) : 0;
    out->n = ttp_ceil_div(nt, out->workers);
    out->subblock_w = 1;
    for (size_t i = 0; i < TTP_SUBBLOCKS; i++)
        if (ttp_subblocks[i].h == 1 && ttp_subblocks[i].w <= widest &&
            out->n % ttp_subblocks[i].w == 0) {
            out->subblock_w = ttp_subblocks[i].w;
            break;
        }
    out->n_wide = out->n;
    if (out->subblock_w < widest) { /* as few subblocks as can be, of equal width */
        const uint64_t count = ttp_ceil_div(out->n, widest);

        out->subblock_w = (uint32_t)ttp_ceil_div(out->n, count);
        out->n_wide = out->subblock_w * count;
    }
}

/* Cores of a matmul whose blocks are dealt out to the grid. */
static uint32_t dealt(uint64_t blocks, const struct ttp_matmul_config *c)
{
    const uint64_t cores = (uint64_t)c->grid_x * c->grid_y;

    return (uint32_t)(blocks < cores ? blocks : cores);
}

uint32_t ttp_cost_matmul_cores(const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    struct ttp_matmul_tiles t;
    struct ttp_dram_split split;
    const struct ttp_matmul_config whole = {.grid_x = p->chip.grid_x, .grid_y = p->chip.grid_y};

    ttp_cost_matmul_measure(&t, p, c);
    switch (c->type) {
    case TTP_MATMUL_DRAM:
        ttp_cost_matmul_dram_split(&split, t.n, p->chip.banks, p->fp32_acc);
        return split.workers;
    case TTP_MATMUL_BATCHED:
        return p->chip.banks;
    case TTP_MATMUL_MULTICORE:
        return dealt(p->batch * t.m * t.n, &whole);
    case TTP_MATMUL_MINIMAL:
        return c->grid_x * c->grid_y;
    default:
        break;
    }
    if (c->per_core_m == 0 || c->per_core_n == 0)
        return 0;
    if (c->type == TTP_MATMUL_REUSE)
        return dealt(ttp_ceil_div(p->batch * t.m, c->per_core_m), c);
    if (c->gather_in0 && p->in0.cores)
        return p->in0.cores;
    return dealt(ttp_ceil_div(t.mf, c->per_core_m) * ttp_ceil_div(t.n, c->per_core_n), c);
}
