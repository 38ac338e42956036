/* SPDX-License-Identifier: Apache-2.0 */
/* rules_banked.config - validate_matmul_reuse_config, _dram_sharded_config and
 * _batched_dram_sharded_config of tt-metal. */
#include "config/config_rules.h"

/* ---- reuse ---- */

static bool reuse_split(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;
    const uint64_t mt = r->tiles.m, all = r->problem->batch * mt;

    if (mt == 0 || c->per_core_m == 0) /* refused before */
        return true;
    if (c->per_core_m > mt) {
        NEED(c->per_core_m % mt == 0, "E-MM", "per_core_M %u is not a multiple of Mt %llu",
             c->per_core_m, NUM(mt));
        NEED(all % c->per_core_m == 0, "E-MT",
             "the %llu tile rows of all batches are not a multiple of per_core_M %u", NUM(all),
             c->per_core_m);
    } else {
        NEED(mt % c->per_core_m == 0, "E-MD", "Mt %llu is not a multiple of per_core_M %u", NUM(mt),
             c->per_core_m);
    }
    NEED(c->per_core_n == r->tiles.n, "E-N", "per_core_N %u is not Nt %llu", c->per_core_n,
         NUM(r->tiles.n));
    return true;
}

static bool reuse_in0(const struct ttp_ruling *r)
{
    const struct ttp_placement *in0 = &r->problem->in0, *in1 = &r->problem->in1;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t rows = ttp_shard_rows(r, in0), columns = ttp_shard_columns(in0);

    NEED(in0->layout != TTP_LAYOUT_WIDTH, "E-AW", "input 0 must not be width sharded");
    if (!in0->has_shard) {
        r->out->assumed_shard = true;
        r->out->shard_w = (uint32_t)r->tiles.k;
    }
    NEED(columns == 0 || columns == r->tiles.k, "E-AK",
         "a shard of %llu tile columns is not the whole Kt %llu", NUM(columns), NUM(r->tiles.k));
    NEED(c->block_w == (columns ? columns : r->tiles.k), "E-AB",
         "in0_block_w %u is not the %llu tile columns of a shard", c->block_w,
         NUM(columns ? columns : r->tiles.k));
    NEED(rows == 0 || rows == c->per_core_m, "E-AM",
         "per_core_M %u is not the %llu tile rows of a shard", c->per_core_m, NUM(rows));
    if (!ttp_is_sharded(in1))
        return true;
    NEED(ttp_same_place(in0, in1), "E-AB2",
         "both inputs are sharded, but not in the same memory and layout");
    NEED((in0->grid_x == 0 || in1->grid_x == 0 ||
          (in0->grid_x == in1->grid_x && in0->grid_y == in1->grid_y)) &&
             in0->col_major == in1->col_major,
         "E-AB3", "shards of the inputs are on different cores or in different order");
    return true;
}

static bool reuse_in1(const struct ttp_ruling *r)
{
    const struct ttp_placement *in1 = &r->problem->in1;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t columns = ttp_weight_shard_columns(r, in1);

    NEED(c->per_core_m % r->tiles.m == 0, "E-BM",
         "input 1 is sharded: per_core_M %u is not a multiple of Mt %llu", c->per_core_m,
         NUM(r->tiles.m));
    NEED(in1->layout != TTP_LAYOUT_WIDTH, "E-BW", "input 1 must not be width sharded");
    NEED(columns == 0 || columns == r->tiles.n, "E-BN",
         "a shard of input 1 has %llu tile columns, Nt is %llu", NUM(columns), NUM(r->tiles.n));
    NEED(!in1->has_shard || ttp_ceil_div(in1->height, 32) % r->tiles.k == 0, "E-BK",
         "the %llu tile rows of a shard of input 1 are not a multiple of Kt %llu",
         NUM(ttp_ceil_div(in1->height, 32)), NUM(r->tiles.k));
    return true;
}

/* Cores that hold shards of one of its tensors; 0: unknown. */
static uint32_t shard_cores(const struct ttp_matmul *p)
{
    return p->in0.cores ? p->in0.cores : p->in1.cores ? p->in1.cores : p->out_at.cores;
}

bool ttp_config_rules_reuse(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t blocks = c->per_core_m ? p->batch * r->tiles.m / c->per_core_m : 0;

    if (!reuse_split(r))
        return false;
    if (ttp_is_sharded(&p->in0) && !reuse_in0(r))
        return false;
    NEED(p->batch == 1 || p->batch_b > 1, "E-BC",
         "input 0 has %llu batches, input 1 has one: it is not broadcast", NUM(p->batch));
    NEED(p->batch_b == 1 || r->tiles.m % c->subblock_h == 0, "E-SH",
         "Mt %llu is not a multiple of out_subblock_h %u", NUM(r->tiles.m), c->subblock_h);
    if (ttp_is_sharded(&p->in1) && !reuse_in1(r))
        return false;
    NEED(p->out_at.layout != TTP_LAYOUT_WIDTH, "E-OW", "the output must not be width sharded");
    if (!ttp_config_rules_sharded_output(r))
        return false;
    NEED(shard_cores(p) == 0 || blocks % shard_cores(p) == 0, "E-EVEN",
         "%llu blocks are not spread evenly over %u cores", NUM(blocks), shard_cores(p));
    NEED(!ttp_has_bias(r) || c->per_core_m % r->tiles.m == 0, "E-BIAS",
         "a bias needs all %llu tile rows of a batch in one block", NUM(r->tiles.m));
    return true;
}

/* ---- dram ---- */

static bool dram_steps(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;
    const uint64_t rows = ttp_shard_rows(r, &r->problem->in0),
                   columns = ttp_shard_columns(&r->problem->in0);

    NEED(c->per_core_m == r->tiles.mf, "W-M", "per_core_M %u is not Mt %llu", c->per_core_m,
         NUM(r->tiles.mf));
    NEED(r->tiles.mf == 1, "W-M1", "Mt is %llu, only one tile row is supported", NUM(r->tiles.mf));
    NEED(rows == 0 || rows == c->per_core_m, "W-SHM",
         "a shard of input 0 has %llu tile rows, per_core_M is %u", NUM(rows), c->per_core_m);
    NEED(r->tiles.k % c->block_w == 0, "W-K", "Kt %llu is not a multiple of in0_block_w %u",
         NUM(r->tiles.k), c->block_w);
    NEED(columns == 0 || columns % c->block_w == 0, "W-SHK",
         "a shard of %llu tile columns is not a multiple of in0_block_w %u", NUM(columns),
         c->block_w);
    NEED(columns == 0 || r->tiles.k % columns == 0, "W-EVEN",
         "Kt %llu is not a multiple of the %llu tile columns of a shard", NUM(r->tiles.k),
         NUM(columns));
    return true;
}

bool ttp_config_rules_dram(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t cores = (uint64_t)p->chip.grid_x * p->chip.grid_y;

    NEED(p->tile_h >= 16, "W-TINY", "tiles are %u rows high, at least 16 are needed", p->tile_h);
    NEED(p->in0.l1 && p->in0.layout == TTP_LAYOUT_WIDTH, "W-A",
         "input 0 must be width sharded in L1");
    NEED(ttp_is_sharded(&p->out_at), "W-O", "the output must be sharded");
    NEED(ttp_same_place(&p->in0, &p->out_at), "O-SAME",
         "input 0 and the output are not sharded in the same memory and layout");
    NEED(!p->in0.col_major, "W-ORI", "shards of input 0 must be ROW_MAJOR");
    if (!dram_steps(r))
        return false;
    NEED(p->in1.layout == TTP_LAYOUT_WIDTH && !p->in1.nd, "W-B", "input 1 must be width sharded");
    NEED(!p->in1.l1, "W-BD", "input 1 must be in DRAM");
    NEED(!p->in1.col_major, "W-BD", "shards of input 1 must be ROW_MAJOR");
    NEED(ttp_ceil_div(r->tiles.n, c->per_core_n) <= cores, "W-STORE",
         "the output needs %llu cores of per_core_N %u, there are %llu",
         NUM(ttp_ceil_div(r->tiles.n, c->per_core_n)), c->per_core_n, NUM(cores));
    if (!p->in0.has_shard) {
        r->out->assumed_shard = true;
        r->out->shard_w = c->block_w;
    }
    return true;
}

/* ---- batched ---- */

bool ttp_config_rules_batched(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const uint32_t banks = p->chip.banks;

    NEED(p->in0.l1 && p->in0.layout == TTP_LAYOUT_HEIGHT && !p->in0.col_major, "X-A",
         "input 0 must be height sharded in L1, ROW_MAJOR");
    NEED(p->out_at.layout == TTP_LAYOUT_HEIGHT, "X-O", "the output must be height sharded");
    NEED(p->out_at.has_shard, "X-OS", "the output needs a shard spec");
    NEED(r->tiles.k % c->block_w == 0, "X-K", "Kt %llu is not a multiple of in0_block_w %u",
         NUM(r->tiles.k), c->block_w);
    NEED(p->in1.layout == TTP_LAYOUT_HEIGHT && !p->in1.l1, "X-B",
         "input 1 must be height sharded in DRAM");
    NEED(p->in0.cores == 0 || p->in0.cores == banks, "X-CORES",
         "input 0 is on %u cores, not on the %u that read the banks", p->in0.cores, banks);
    NEED(p->out_at.cores == banks, "X-CORES",
         "the output is on %u cores, not on the %u that read the banks", p->out_at.cores, banks);
    if (!p->in0.has_shard) {
        r->out->assumed_shard = true;
        r->out->shard_w = (uint32_t)r->tiles.k;
    }
    return true;
}
