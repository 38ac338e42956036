/* SPDX-License-Identifier: Apache-2.0 */
/* rules_2d.config - validate_matmul_mcast2d_config of tt-metal. */
#include "config/config_rules.h"

static bool by_height(const struct ttp_ruling *r)
{
    const struct ttp_placement *in0 = &r->problem->in0;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t columns = ttp_shard_columns(in0);

    NEED(!c->transpose_mcast, "2-HT", "transpose_mcast with a height-sharded input 0");
    NEED(c->block_w == r->tiles.k, "2-HK", "in0_block_w %u is not the whole Kt %llu", c->block_w,
         NUM(r->tiles.k));
    NEED(columns == 0 || columns == r->tiles.k, "2-HS",
         "a shard of %llu tile columns is not the whole Kt %llu", NUM(columns), NUM(r->tiles.k));
    NEED(in0->grid_x <= 1, "2-HC", "input 0 is on %u columns of cores, not on one", in0->grid_x);
    return true;
}

static bool sharded_in0(const struct ttp_ruling *r)
{
    const struct ttp_placement *in0 = &r->problem->in0;
    const struct ttp_matmul_config *c = r->config;

    NEED(c->fuse_batch, "2-FUSE", "a sharded input 0 needs fuse_batch");
    NEED(in0->layout == TTP_LAYOUT_BLOCK || in0->layout == TTP_LAYOUT_HEIGHT, "2-AL",
         "input 0 must be block or height sharded");
    if (in0->has_shard) {
        const uint64_t rows = ttp_shard_rows(r, in0), columns = ttp_shard_columns(in0);

        NEED(rows == c->per_core_m, "2-SHM", "per_core_M %u is not the %llu tile rows of a shard",
             c->per_core_m, NUM(rows));
        NEED(columns % c->block_w == 0, "2-SHK",
             "a shard of %llu tile columns is not a multiple of in0_block_w %u", NUM(columns),
             c->block_w);
    } else {
        r->out->assumed_shard = true;
        r->out->shard_w = c->block_w;
    }
    if (in0->layout == TTP_LAYOUT_HEIGHT)
        return by_height(r);
    NEED(in0->col_major == c->transpose_mcast, "2-ORI",
         "shards of input 0 are %s, and transpose_mcast is %s",
         in0->col_major ? "COL_MAJOR" : "ROW_MAJOR", c->transpose_mcast ? "true" : "false");
    NEED(!ttp_is_sharded(&r->problem->out_at) || ttp_same_place(in0, &r->problem->out_at), "O-SAME",
         "input 0 and the output are both sharded, but not in the same memory and layout");
    return true;
}

/* Weights whose batches are dealt out to the DRAM banks. */
static bool in1_by_height(const struct ttp_ruling *r)
{
    const struct ttp_placement *in1 = &r->problem->in1;
    const uint64_t rows = in1->has_shard ? ttp_ceil_div(in1->height, 32) : 0;

    NEED(!in1->l1, "2-BH", "a height-sharded input 1 must be in DRAM");
    NEED(!r->config->fuse_batch, "2-BHF", "fuse_batch with a height-sharded input 1");
    if (!in1->has_shard)
        return true;
    NEED(in1->width == r->problem->n || ttp_weight_shard_columns(r, in1) == r->tiles.n, "2-BHN",
         "a shard of input 1 is %u wide, N is %llu", in1->width, NUM(r->problem->n));
    NEED(rows % r->tiles.k == 0, "2-BHK", "a shard of %llu tile rows is not a multiple of Kt %llu",
         NUM(rows), NUM(r->tiles.k));
    NEED(rows / r->tiles.k * r->problem->chip.banks >= r->problem->batch_b, "2-BHB",
         "shards hold %llu batches, there are %llu",
         NUM(rows / r->tiles.k * r->problem->chip.banks), NUM(r->problem->batch_b));
    return true;
}

static bool sharded_in1(const struct ttp_ruling *r)
{
    const struct ttp_placement *in0 = &r->problem->in0, *in1 = &r->problem->in1;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t columns = ttp_weight_shard_columns(r, in1);

    NEED(!c->transpose_mcast, "2-BT", "transpose_mcast with a sharded input 1");
    NEED(in1->nd ? !in1->l1 : in1->layout != TTP_LAYOUT_BLOCK, "2-BL",
         "input 1 must be width or height sharded");
    if (in1->layout == TTP_LAYOUT_HEIGHT)
        return in1_by_height(r);
    NEED(in1->grid_y <= 1, "2-BG", "input 1 is on %u rows of cores, not on one", in1->grid_y);
    if (!in1->l1)
        return true;
    NEED(!ttp_is_sharded(in0) || in0->layout == TTP_LAYOUT_HEIGHT, "2-BA",
         "input 1 in L1: input 0 must be interleaved or height sharded");
    NEED(columns == 0 || columns == c->per_core_n, "2-BN",
         "per_core_N %u is not the %llu tile columns of a shard of input 1", c->per_core_n,
         NUM(columns));
    return true;
}

bool ttp_config_rules_2d(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;
    const struct ttp_placement *out = &r->problem->out_at;
    const uint64_t x = c->transpose_mcast ? r->by : r->bx, y = c->transpose_mcast ? r->bx : r->by;

    NEED(x <= c->grid_x, "D-2DX", "%llu blocks along x do not fit the %u columns of the grid",
         NUM(x), c->grid_x);
    NEED(y <= c->grid_y, "D-2DY", "%llu blocks along y do not fit the %u rows of the grid", NUM(y),
         c->grid_y);
    if (ttp_is_sharded(&r->problem->in0) && !sharded_in0(r))
        return false;
    if (ttp_is_sharded(&r->problem->in1) && !sharded_in1(r))
        return false;
    if (!ttp_is_sharded(out))
        return true;
    NEED(out->layout == TTP_LAYOUT_BLOCK, "2-OL", "the output must be block sharded");
    if (!ttp_config_rules_sharded_output(r))
        return false;
    NEED(r->problem->batch == 1 || c->fuse_batch, "2-OB",
         "sharded output of %llu batches needs fuse_batch", NUM(r->problem->batch));
    return true;
}
