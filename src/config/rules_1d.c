/* SPDX-License-Identifier: Apache-2.0 */
/* rules_1d.config - validate_matmul_work_distribution_and_gather_ring_topology and
 * validate_matmul_mcast1d_config of tt-metal. */
#include "config/config_rules.h"

static bool spread(const struct ttp_ruling *r)
{
    const struct ttp_matmul_config *c = r->config;
    const uint64_t mf = r->tiles.mf, nt = r->tiles.n;

    NEED(r->by * r->bx <= (uint64_t)c->grid_x * c->grid_y, "D-CORES",
         "%llu blocks of per_core_M %u x per_core_N %u do not fit the %u cores of the grid %ux%u",
         NUM(r->by * r->bx), c->per_core_m, c->per_core_n, c->grid_x * c->grid_y, c->grid_x,
         c->grid_y);
    if (c->mcast_in0) {
        NEED(r->by == 1, "D-1D0", "mcast_in0: per_core_M %u does not hold all %llu tile rows",
             c->per_core_m, NUM(mf));
        return true;
    }
    NEED(r->bx == 1, "D-1D1", "mcast_in1: per_core_N %u does not hold all %llu tile columns",
         c->per_core_n, NUM(nt));
    NEED(ttp_ceil_div(nt, c->out_block_w) == c->per_core_n / c->out_block_w, "D-1D1W",
         "mcast_in1: %llu tile columns fill %llu blocks of out_block_w %u, per_core_N %u has %u",
         NUM(nt), NUM(ttp_ceil_div(nt, c->out_block_w)), c->out_block_w, c->per_core_n,
         c->per_core_n / c->out_block_w);
    if (r->by > 1)
        return true;
    NEED(ttp_ceil_div(mf, c->out_block_h) == c->per_core_m / c->out_block_h, "D-1D1H",
         "mcast_in1: %llu tile rows fill %llu blocks of out_block_h %u, per_core_M %u has %u",
         NUM(mf), NUM(ttp_ceil_div(mf, c->out_block_h)), c->out_block_h, c->per_core_m,
         c->per_core_m / c->out_block_h);
    NEED(mf % c->out_block_h == 0 || c->per_core_m == c->out_block_h, "D-1D1P",
         "mcast_in1: the last block of out_block_h %u is partly empty with %llu tile rows",
         c->out_block_h, NUM(mf));
    return true;
}

static bool inside_grid(const struct ttp_ruling *r)
{
    const struct ttp_placement *out = &r->problem->out_at;
    const struct ttp_matmul_config *c = r->config;

    if (!c->gather_in0 && ttp_is_sharded(out) && out->l1 && out->grid_x)
        NEED(out->grid_x <= c->grid_x && out->grid_y <= c->grid_y, "D-OUTGRID",
             "the output's shards are on %ux%u cores, the grid has %ux%u", out->grid_x, out->grid_y,
             c->grid_x, c->grid_y);
    NEED(!c->has_hop_cores || c->gather_in0, "D-HOP", "hop_cores without gather_in0");
    return true;
}

static bool same_cores(const struct ttp_placement *a, const struct ttp_placement *b)
{
    return (a->cores == 0 || b->cores == 0 || a->cores == b->cores) &&
           (a->grid_x == 0 || b->grid_x == 0 || (a->grid_x == b->grid_x && a->grid_y == b->grid_y));
}

static bool ring_tensors(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;

    NEED(p->in0.layout == TTP_LAYOUT_WIDTH && !p->in0.nd, "1-GA",
         "gather_in0: input 0 is not width sharded");
    NEED(p->in1.layout == TTP_LAYOUT_WIDTH || (!ttp_is_sharded(&p->in1) && !p->in1.l1), "1-GB",
         "gather_in0: input 1 is neither width sharded nor interleaved in DRAM");
    NEED(ttp_is_sharded(&p->out_at) && (p->out_at.has_shard || p->out_at.cores), "1-GO",
         "gather_in0: the output needs a shard spec");
    NEED(!ttp_is_sharded(&p->in1) || !p->in1.l1 || same_cores(&p->in0, &p->in1), "1-GAB",
         "gather_in0: input 1 is on %u cores, input 0 on %u", p->in1.cores, p->in0.cores);
    NEED(ttp_is_sharded(&p->in1) || same_cores(&p->in0, &p->out_at), "1-GAO",
         "gather_in0: the output is on %u cores, input 0 on %u", p->out_at.cores, p->in0.cores);
    NEED(!ttp_has_bias(r), "1-GBIAS", "gather_in0 cannot fuse a bias");
    return true;
}

/* Shards of input 0 travel round a ring of cores. */
static bool gather(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;

    NEED(!c->stream_in1 || c->gather_in0, "1-MODE", "stream_in1 without gather_in0");
    if (!c->gather_in0)
        return true;
    NEED(!p->transpose_a && !p->transpose_b, "R-TRANS", "gather_in0 with a transposed input");
    NEED(ttp_is_sharded(&p->in0), "R-SHARD", "gather_in0: input 0 is not sharded");
    NEED(!c->mcast_in0, "1-MODE", "gather_in0 conflicts with mcast_in0");
    NEED(p->global_cb || c->receivers == 1, "1-GCB",
         "gather_in0 without a global circular buffer: num_global_cb_receivers is %u, not 1",
         c->receivers);
    return ring_tensors(r);
}

static bool in0_shard(const struct ttp_ruling *r, bool wide)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t rows = ttp_shard_rows(r, &p->in0), columns = ttp_shard_columns(&p->in0);

    NEED(rows == c->per_core_m, "1-SHM", "per_core_M %u is not the %llu tile rows of a shard",
         c->per_core_m, NUM(rows));
    NEED(c->gather_in0 || columns % c->block_w == 0, "1-SHK",
         "a shard of %llu tile columns is not a multiple of in0_block_w %u", NUM(columns),
         c->block_w);
    if (wide)
        return true;
    NEED(p->in0.cores == 0 || r->by <= p->in0.cores, "1-MC",
         "%llu blocks of per_core_M %u, input 0 is on %u cores", NUM(r->by), c->per_core_m,
         p->in0.cores);
    NEED(columns == r->tiles.k, "1-SHKF", "a shard of %llu tile columns is not the whole Kt %llu",
         NUM(columns), NUM(r->tiles.k));
    return true;
}

static bool sharded_in0(const struct ttp_ruling *r)
{
    const struct ttp_matmul *p = r->problem;
    const struct ttp_matmul_config *c = r->config;
    const bool wide = c->mcast_in0 || c->gather_in0;

    NEED(c->fuse_batch, "1-FUSE", "a sharded input 0 needs fuse_batch");
    NEED(!wide || p->in0.layout == TTP_LAYOUT_WIDTH, "1-AW", "%s: input 0 must be width sharded",
         c->gather_in0 ? "gather_in0" : "mcast_in0");
    NEED(wide || p->in0.layout == TTP_LAYOUT_HEIGHT, "1-AH",
         "mcast_in1: input 0 must be height sharded");
    NEED(!p->in0.col_major, "1-ORI", "shards of input 0 must be ROW_MAJOR");
    if (c->mcast_in0)
        NEED(r->tiles.mf == c->per_core_m, "1-M", "per_core_M %u is not the %llu tile rows",
             c->per_core_m, NUM(r->tiles.mf));
    if (!p->in0.has_shard) {
        r->out->assumed_shard = true;
        r->out->shard_w = wide ? c->block_w : (uint32_t)r->tiles.k;
        return true;
    }
    return in0_shard(r, wide);
}

static bool sharded_out(const struct ttp_ruling *r)
{
    const struct ttp_placement *out = &r->problem->out_at;
    const struct ttp_matmul_config *c = r->config;

    if (!ttp_is_sharded(out))
        return true;
    NEED(!ttp_is_sharded(&r->problem->in0) || ttp_same_place(&r->problem->in0, out), "O-SAME",
         "input 0 and the output are both sharded, but not in the same memory and layout");
    if (c->mcast_in0 || c->gather_in0) {
        NEED(out->layout == TTP_LAYOUT_WIDTH ||
                 (out->layout == TTP_LAYOUT_BLOCK && out->grid_y <= 1),
             "1-OW", "the output must be width sharded");
        NEED(r->tiles.mf == c->per_core_m, "1-M", "per_core_M %u is not the %llu tile rows",
             c->per_core_m, NUM(r->tiles.mf));
    } else {
        NEED(out->layout == TTP_LAYOUT_HEIGHT ||
                 (out->layout == TTP_LAYOUT_BLOCK && out->grid_x <= 1),
             "1-OH", "mcast_in1: the output must be height sharded");
        NEED(r->tiles.n == c->per_core_n, "1-N", "per_core_N %u is not the %llu tile columns",
             c->per_core_n, NUM(r->tiles.n));
    }
    return ttp_config_rules_sharded_output(r);
}

static bool sharded_in1(const struct ttp_ruling *r)
{
    const struct ttp_placement *in1 = &r->problem->in1;
    const struct ttp_matmul_config *c = r->config;
    const uint64_t columns = ttp_weight_shard_columns(r, in1);

    if (!ttp_is_sharded(in1))
        return true;
    NEED(c->mcast_in0 || c->gather_in0, "1-BI", "mcast_in1: input 1 must be interleaved");
    if (!in1->l1)
        return true;
    NEED(in1->layout == TTP_LAYOUT_WIDTH, "1-BW", "input 1 in L1 must be width sharded");
    NEED(columns == 0 || columns == c->per_core_n, "1-BN",
         "per_core_N %u is not the %llu tile columns of a shard of input 1", c->per_core_n,
         NUM(columns));
    return true;
}

bool ttp_config_rules_1d(const struct ttp_ruling *r)
{
    if (!r->config->gather_in0 && !spread(r))
        return false;
    if (!inside_grid(r) || !gather(r))
        return false;
    if (ttp_is_sharded(&r->problem->in0) && !sharded_in0(r))
        return false;
    return sharded_out(r) && sharded_in1(r);
}
