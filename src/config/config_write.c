/* SPDX-License-Identifier: Apache-2.0 */
/* config_write.c - configs and problems as one line. */
#include "base/sink.h"
#include "config/config_parts.h"

static bool has_blocks(const struct ttp_matmul_config *c)
{
    return c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D || c->type == TTP_MATMUL_REUSE;
}

static bool splits(const struct ttp_matmul_config *c)
{
    return c->type != TTP_MATMUL_REUSE &&
           (c->out_block_h != c->per_core_m || c->out_block_w != c->per_core_n);
}

static void put_1d(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    if (!c->mcast_in0)
        ttp_sink_own(s, " mcast_in0=false");
    if (c->gather_in0)
        ttp_sink_own(s, " gather_in0=true");
    if (c->untilize_out)
        ttp_sink_own(s, " untilize_out=true");
    if (c->stream_in1)
        ttp_sink_own(s, " stream_in1=true");
    if (c->receivers > 1)
        ttp_sink_printf(s, " num_global_cb_receivers=%u", c->receivers);
}

static void put_blocked(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    ttp_sink_printf(s, " grid=%ux%u in0_block_w=%u out_subblock_h=%u out_subblock_w=%u", c->grid_x,
                    c->grid_y, c->block_w, c->subblock_h, c->subblock_w);
    if (splits(c))
        ttp_sink_printf(s, " out_block_h=%u out_block_w=%u", c->out_block_h, c->out_block_w);
    ttp_sink_printf(s, " per_core_M=%u per_core_N=%u", c->per_core_m, c->per_core_n);
    if (c->type == TTP_MATMUL_1D)
        put_1d(s, c);
    if (c->transpose_mcast)
        ttp_sink_own(s, " transpose_mcast=true");
    if (c->type != TTP_MATMUL_REUSE && !c->fuse_batch)
        ttp_sink_own(s, " fuse_batch=false");
}

ttp_str ttp_config_text(const struct ttp_matmul_config *c, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_sink_put(&s, ttp_str_from(ttp_config_matmul_type_name(c->type)));
    if (has_blocks(c))
        put_blocked(&s, c);
    else if (c->type == TTP_MATMUL_MINIMAL)
        ttp_sink_printf(&s,
                        " grid=%ux%u M_block_size=%u K_block_size=%u N_block_size=%u "
                        "subblock_h=%u subblock_w=%u",
                        c->grid_x, c->grid_y, c->out_block_h, c->block_w, c->out_block_w,
                        c->subblock_h, c->subblock_w);
    else if (c->type != TTP_MATMUL_MULTICORE)
        ttp_sink_printf(&s, " in0_block_w=%u per_core_M=%u per_core_N=%u", c->block_w,
                        c->per_core_m, c->per_core_n);
    if (c->activation != TTP_ACT_NONE)
        ttp_sink_printf(&s, " fused_activation=%s", ttp_config_activation_name(c->activation));
    return ttp_sink_text(&s);
}

ttp_str ttp_config_line(const struct ttp_matmul_config *c, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_sink_printf(&s, "%s", ttp_config_matmul_type_name(c->type));
    if (has_blocks(c)) {
        ttp_sink_printf(&s, " %ux%u block_w %u subblock %ux%u", c->grid_x, c->grid_y, c->block_w,
                        c->subblock_h, c->subblock_w);
        if (splits(c))
            ttp_sink_printf(&s, " out_block %ux%u", c->out_block_h, c->out_block_w);
        ttp_sink_printf(&s, " per_core %ux%u", c->per_core_m, c->per_core_n);
        if (c->type == TTP_MATMUL_1D)
            ttp_sink_put(&s, c->gather_in0  ? TTP_STR(" gather")
                             : c->mcast_in0 ? TTP_STR(" mcast_in0")
                                            : TTP_STR(" mcast_in1"));
        if (c->type != TTP_MATMUL_REUSE && !c->fuse_batch)
            ttp_sink_put(&s, TTP_STR(" unfused"));
    } else if (c->type == TTP_MATMUL_MINIMAL) {
        ttp_sink_printf(&s, " %ux%u M/K/N %u/%u/%u subblock %ux%u", c->grid_x, c->grid_y,
                        c->out_block_h, c->block_w, c->out_block_w, c->subblock_h, c->subblock_w);
    } else if (c->type != TTP_MATMUL_MULTICORE) {
        ttp_sink_printf(&s, " block_w %u per_core %ux%u", c->block_w, c->per_core_m, c->per_core_n);
    }
    if (c->activation != TTP_ACT_NONE)
        ttp_sink_printf(&s, " %s", ttp_config_activation_name(c->activation));
    return ttp_sink_text(&s);
}

static const char *const fidelities[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

static uint64_t padded(uint64_t size, uint32_t tile)
{
    return tile ? ttp_ceil_div(size, tile) * tile : size;
}

/* With the padding of tiles, as a report names the op, then the logical ones if they are less. */
static void put_sizes(struct ttp_sink *s, const struct ttp_matmul *p)
{
    const unsigned long long m = padded(p->m, p->tile_h), k = padded(p->k, 32),
                             n = padded(p->n, p->tile_w);

    ttp_sink_printf(s, "%llu x %llu x %llu", m, k, n);
    if (m != p->m || k != p->k || n != p->n)
        ttp_sink_printf(s, " (logical %llu x %llu x %llu)", (unsigned long long)p->m,
                        (unsigned long long)p->k, (unsigned long long)p->n);
}

ttp_str ttp_config_matmul_line(const struct ttp_matmul *p, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    if (p->batch > 1 || p->batch_b > 1)
        ttp_sink_printf(&s, "batch %llu/%llu of ", (unsigned long long)p->batch,
                        (unsigned long long)p->batch_b);
    put_sizes(&s, p);
    ttp_sink_printf(&s, ", %s x %s -> %s, %s", ttp_cost_tile_type_name(p->a),
                    ttp_cost_tile_type_name(p->b), ttp_cost_tile_type_name(p->out),
                    fidelities[p->fidelity]);
    if (p->fp32_acc)
        ttp_sink_put(&s, TTP_STR(" fp32 accumulation"));
    if (p->bias != TTP_TILE_NONE)
        ttp_sink_put(&s, TTP_STR(", bias"));
    if (p->sparse)
        ttp_sink_put(&s, TTP_STR(", sparse"));
    return ttp_sink_text(&s);
}
