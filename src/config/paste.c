/* SPDX-License-Identifier: Apache-2.0 */
/* paste.c - a config as Python for ttnn. */
#include "base/sink.h"
#include "config/config_rules.h"

static void grid(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    ttp_sink_printf(s, "    compute_with_storage_grid_size=ttnn.CoreCoord(%u, %u),\n", c->grid_x,
                    c->grid_y);
}

static void activation(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    if (c->activation == TTP_ACT_NONE || c->activation == TTP_ACT_OTHER)
        ttp_sink_own(s, "    fused_activation=None,\n");
    else
        ttp_sink_printf(s, "    fused_activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.%s),\n",
                        ttp_config_activation_name(c->activation));
}

static const char *truth(bool v)
{
    return v ? "True" : "False";
}

static void blocked(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    grid(s, c);
    ttp_sink_printf(s, "    in0_block_w=%u,\n    out_subblock_h=%u,\n    out_subblock_w=%u,\n",
                    c->block_w, c->subblock_h, c->subblock_w);
    if (c->type != TTP_MATMUL_REUSE)
        ttp_sink_printf(s, "    out_block_h=%u,\n    out_block_w=%u,\n", c->out_block_h,
                        c->out_block_w);
    ttp_sink_printf(s, "    per_core_M=%u,\n    per_core_N=%u,\n", c->per_core_m, c->per_core_n);
    if (c->type == TTP_MATMUL_REUSE)
        return;
    if (c->type == TTP_MATMUL_2D)
        ttp_sink_printf(s, "    transpose_mcast=%s,\n", truth(c->transpose_mcast));
    activation(s, c);
    ttp_sink_printf(s, "    fuse_batch=%s,\n", truth(c->fuse_batch));
    if (c->type == TTP_MATMUL_1D)
        ttp_sink_printf(s, "    mcast_in0=%s,\n", truth(c->mcast_in0));
    if (c->gather_in0)
        ttp_sink_own(s, "    gather_in0=True,\n");
}

static void program(struct ttp_sink *s, const struct ttp_matmul_config *c)
{
    ttp_sink_printf(s, "program_config = ttnn.%s(\n", ttp_config_matmul_type_class(c->type));
    if (c->type == TTP_MATMUL_MINIMAL) {
        ttp_sink_printf(s,
                        "    M_block_size=%u,\n    K_block_size=%u,\n    N_block_size=%u,\n"
                        "    subblock_h=%u,\n    subblock_w=%u,\n",
                        c->out_block_h, c->block_w, c->out_block_w, c->subblock_h, c->subblock_w);
        grid(s, c);
    } else if (c->type == TTP_MATMUL_DRAM || c->type == TTP_MATMUL_BATCHED) {
        ttp_sink_printf(s, "    in0_block_w=%u,\n    per_core_M=%u,\n    per_core_N=%u,\n",
                        c->block_w, c->per_core_m, c->per_core_n);
        activation(s, c);
    } else if (c->type != TTP_MATMUL_MULTICORE) {
        blocked(s, c);
    }
    ttp_sink_own(s, ")\n");
}

static void kernel(struct ttp_sink *s, const struct ttp_matmul *p)
{
    static const char *const fidelities[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};

    ttp_sink_printf(s,
                    "compute_kernel_config = ttnn.init_device_compute_kernel_config(\n"
                    "    device.arch(),\n    math_fidelity=ttnn.MathFidelity.%s,\n"
                    "    math_approx_mode=False,\n    fp32_dest_acc_en=%s,\n"
                    "    packer_l1_acc=%s,\n",
                    fidelities[p->fidelity], truth(p->fp32_acc), truth(p->l1_acc));
    if (p->full_sync)
        ttp_sink_own(s, "    dst_full_sync_en=True,\n");
    ttp_sink_own(s, ")\n");
}

static const char *layout_name(const struct ttp_placement *at)
{
    static const char *const names[] = {"INTERLEAVED", "WIDTH_SHARDED", "HEIGHT_SHARDED",
                                        "BLOCK_SHARDED"};

    return names[at->layout];
}

static void memory(struct ttp_sink *s, const char *name, const struct ttp_placement *at)
{
    const char *const buffer = at->l1 ? "L1" : "DRAM";

    if (at->nd) {
        ttp_sink_printf(s, "# %s: sharded along other dimensions, unchanged\n", name);
        return;
    }
    if (at->layout == TTP_LAYOUT_INTERLEAVED) {
        ttp_sink_printf(s, "%s = ttnn.%s_MEMORY_CONFIG\n", name, buffer);
        return;
    }
    ttp_sink_printf(s,
                    "%s = ttnn.MemoryConfig(\n    ttnn.TensorMemoryLayout.%s,\n"
                    "    ttnn.BufferType.%s,\n",
                    name, layout_name(at), buffer);
    if (at->has_shard && at->grid_x && at->grid_x * at->grid_y == at->cores)
        ttp_sink_printf(s,
                        "    ttnn.ShardSpec(\n        ttnn.CoreRangeSet({ttnn.CoreRange("
                        "ttnn.CoreCoord(0, 0), ttnn.CoreCoord(%u, %u))}),\n"
                        "        [%u, %u],\n        ttnn.ShardOrientation.%s,\n    ),\n",
                        at->grid_x - 1, at->grid_y - 1, at->height, at->width,
                        at->col_major ? "COL_MAJOR" : "ROW_MAJOR");
    else if (at->has_shard)
        ttp_sink_printf(s,
                        "    ttnn.ShardSpec(\n        ttnn.num_cores_to_corerangeset(%u, "
                        "device.compute_with_storage_grid_size(), row_wise=True),\n"
                        "        [%u, %u],\n        ttnn.ShardOrientation.%s,\n    ),\n",
                        at->cores, at->height, at->width,
                        at->col_major ? "COL_MAJOR" : "ROW_MAJOR");
    ttp_sink_own(s, ")\n");
}

/* Weights in shards over the DRAM banks: N is padded to whole shards. */
static void banked_weights(struct ttp_sink *s, const struct ttp_matmul *p)
{
    const uint32_t banks = p->chip.banks;
    const uint64_t kt = ttp_ceil_div(p->k, 32) * 32;
    const uint64_t wide = ttp_ceil_div(p->n, (uint64_t)32 * banks) * 32 * banks;

    ttp_sink_printf(s,
                    "# weights: %llu columns%s in %u shards, one per DRAM bank\n"
                    "dram_grid = device.dram_grid_size()\n"
                    "weights_memory_config = ttnn.MemoryConfig(\n"
                    "    ttnn.TensorMemoryLayout.WIDTH_SHARDED,\n"
                    "    ttnn.BufferType.DRAM,\n"
                    "    ttnn.ShardSpec(\n"
                    "        ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), "
                    "ttnn.CoreCoord(dram_grid.x - 1, dram_grid.y - 1))}),\n"
                    "        [%llu, %llu],\n"
                    "        ttnn.ShardOrientation.ROW_MAJOR,\n"
                    "    ),\n"
                    ")\n",
                    NUM(wide), wide != p->n ? " with padding" : "", banks, NUM(kt),
                    NUM(wide / banks));
    ttp_sink_printf(s,
                    "weights = ttnn.as_tensor(\n    weights_torch, dtype=ttnn.%s, "
                    "layout=ttnn.TILE_LAYOUT,\n    device=device, "
                    "memory_config=weights_memory_config,\n)\n",
                    ttp_cost_tile_type_ttnn_name(p->b));
}

static void call(struct ttp_sink *s, const struct ttp_matmul *p, const struct ttp_matmul_config *c)
{
    const bool minimal = c->type == TTP_MATMUL_MINIMAL;

    if (minimal)
        ttp_sink_printf(s,
                        "output = ttnn.experimental.minimal_matmul(\n    activations, weights%s, "
                        "config=program_config,\n",
                        p->bias != TTP_TILE_NONE ? ", bias_tensor=bias" : "");
    else
        ttp_sink_printf(s,
                        "output = ttnn.linear(\n    activations, weights%s, "
                        "program_config=program_config,\n",
                        p->bias != TTP_TILE_NONE ? ", bias=bias" : "");
    ttp_sink_printf(s,
                    "    compute_kernel_config=compute_kernel_config, "
                    "memory_config=output_memory_config,\n    dtype=ttnn.%s,\n)\n",
                    ttp_cost_tile_type_ttnn_name(p->out));
}

ttp_str ttp_config_python(const struct ttp_matmul *p, const struct ttp_matmul_config *c,
                          struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    program(&s, c);
    kernel(&s, p);
    memory(&s, "input_memory_config", &p->in0);
    if (p->in1.layout == TTP_LAYOUT_WIDTH && !p->in1.l1)
        banked_weights(&s, p);
    else
        memory(&s, "weights_memory_config", &p->in1);
    memory(&s, "output_memory_config", &p->out_at);
    if (p->batch > 1 && p->batch_b == 1 && (c->fuse_batch || c->type == TTP_MATMUL_MINIMAL) &&
        c->type != TTP_MATMUL_DRAM)
        ttp_sink_printf(&s,
                        "# the %llu batches are folded into the rows: the weights are read "
                        "once\n",
                        NUM(p->batch));
    if (c->type == TTP_MATMUL_DRAM || ttp_is_sharded(&p->in0))
        ttp_sink_own(&s, "activations = ttnn.to_memory_config(activations, input_memory_config)\n");
    call(&s, p, c);
    return ttp_sink_text(&s);
}
