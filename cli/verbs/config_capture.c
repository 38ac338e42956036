/* SPDX-License-Identifier: Apache-2.0 */
/* config_capture.c - the matmul of an op of a graph capture: `tt-perf config --mem FILE --op N`. */
#include "verbs/config_capture.h"

static bool is_on_device(const struct ttp_mem_op_tensor *t)
{
    return t->dims >= 2 && t->type.len && t->memory.len;
}

static uint64_t batches_of(const struct ttp_mem_op_tensor *t)
{
    uint64_t n = 1;

    for (size_t i = 0; i + 2 < t->dims; i++)
        n *= t->shape[i] && t->shape[i] < 1 << 12 ? t->shape[i] : 1;
    return n;
}

/* A capture does not tell about transposes: the one that makes the inner sizes equal. */
static bool read_sizes(struct ttp_matmul *p, const struct ttp_mem_op_tensors *all)
{
    const struct ttp_mem_op_tensor *a = &all->input[0], *b = &all->input[1];
    const uint64_t *const sa = &a->shape[a->dims - 2], *const sb = &b->shape[b->dims - 2];

    if (sa[1] != sb[0] && sa[1] != sb[1])
        return false;
    p->m = sa[0];
    p->k = sa[1];
    p->transpose_b = sa[1] != sb[0];
    p->n = sb[!p->transpose_b];
    p->batch = batches_of(a);
    p->batch_b = batches_of(b);
    for (size_t i = 0; i < 2; i++)
        if (sa[i] == 0 || sb[i] == 0 || sa[i] > UINT32_C(1) << 21 || sb[i] > UINT32_C(1) << 21)
            return false;
    return true;
}

static void place(struct ttp_placement *at, const struct ttp_mem_op_tensor *t)
{
    const uint64_t most = UINT32_C(1) << 30;

    if ((!at->nd && at->layout == TTP_LAYOUT_INTERLEAVED) || !t->shard_cores || !t->shard_h ||
        !t->shard_w || t->shard_h > most || t->shard_w > most)
        return;
    at->has_shard = true;
    at->height = (uint32_t)t->shard_h;
    at->width = (uint32_t)t->shard_w;
    at->cores = (uint32_t)t->shard_cores;
    at->col_major = t->shard_col_major;
}

/* The type and the memory of a tensor, as options would set them. */
static bool set_tensor(struct ttp_matmul *p, const char *const name[2], struct ttp_placement *at,
                       const struct ttp_mem_op_tensor *t, struct ttp_arena *arena)
{
    /* as an ops CSV spells it */
    const ttp_str memory = ttp_sink_format(arena, "DEV_0_%.*s", TTP_FMT(t->memory));

    if (t->type.len && ttp_config_matmul_set(p, name[0], t->type, NULL) != TTP_OK)
        return false;
    if (t->memory.len && ttp_config_matmul_set(p, name[1], memory, NULL) != TTP_OK)
        return false;
    place(at, t);
    return true;
}

bool ttp_config_matmul_of_capture(struct ttp_matmul *p, const struct ttp_mem_op_tensors *all,
                                  struct ttp_arena *arena)
{
    static const char *const name[3][2] = {{"a", "am"}, {"b", "bm"}, {"o", "om"}};
    struct ttp_matmul found = *p;

    if (all->inputs < 2 || !is_on_device(&all->input[0]) || !is_on_device(&all->input[1]) ||
        !read_sizes(&found, all))
        return false;
    found.out = found.a; /* what ttnn does without a dtype */
    if (!set_tensor(&found, name[0], &found.in0, &all->input[0], arena) ||
        !set_tensor(&found, name[1], &found.in1, &all->input[1], arena))
        return false;
    found.out = found.a;
    if (!set_tensor(&found, name[2], &found.out_at, &all->output, arena))
        return false;
    if (all->inputs > 2 && !ttp_cost_tile_type_find(&found.bias, all->input[2].type))
        found.bias = TTP_TILE_NONE;
    found.not_tiled = all->input[0].row_major || all->input[1].row_major;
    *p = found;
    return true;
}

void ttp_config_chip_of_capture(struct ttp_cost_chip *chip, const struct ttp_mem_device *d)
{
    if (d->grid_x > 0 && d->grid_x <= 256 && d->grid_y > 0 && d->grid_y <= 256) {
        chip->grid_x = (uint32_t)d->grid_x;
        chip->grid_y = (uint32_t)d->grid_y;
    }
    if (d->dram_banks > 0 && d->dram_banks <= 64)
        chip->banks = (uint32_t)d->dram_banks;
}
