/* SPDX-License-Identifier: Apache-2.0 */
/* remedies.c - what to do when memory does not suffice, by kind of failure. */
#include "base/file.h"
#include "mem/mem_parts.h"

#define FREE   "free tensors that no later op uses, with ttnn.deallocate(), before this op"
#define DRAM   "keep tensors that are used later in DRAM (ttnn.DRAM_MEMORY_CONFIG)"
#define SHARDS "use smaller shards: more cores, or a smaller batch or chunk of the sequence"
#define BFP8   "store tensors as bfloat8_b, which halves bfloat16"
#define BLOCKS                                                                                     \
    "use smaller blocks (in0_block_w, per_core_M, per_core_N, out_subblock) or more cores: "       \
    "tt-perf config proposes program configs that fit"

static const char *const full[] = {FREE, DRAM, SHARDS, BFP8, NULL};
static const char *const fragmented[] = {
    "free the tensors between the holes, with ttnn.deallocate(): the free space suffices, but "
    "not in one block",
    "close the holes: ttnn.reallocate() moves a tensor that must stay, and long-lived tensors that "
    "are allocated first leave none",
    SHARDS, DRAM, NULL};
static const char *const too_large[] = {
    "no other tensor is in the way: shard it over more cores, or keep it in DRAM "
    "(ttnn.DRAM_MEMORY_CONFIG)",
    BFP8, NULL};
static const char *const dram[] = {
    "free tensors that no later op uses, with ttnn.deallocate()",
    "store weights and caches as bfloat8_b or bfloat4_b",
    "use a smaller batch or a shorter sequence, or shard weights and caches over more devices",
    NULL};
static const char *const small[] = {"open the device with a larger l1_small_size", NULL};
static const char *const trace[] = {"open the device with a larger trace_region_size", NULL};
static const char *const clash[] = {
    BLOCKS, "free tensors that the op does not use, or keep its inputs in DRAM", NULL};
static const char *const growth[] = {BLOCKS, NULL};

const char *const *ttp_mem_remedies(const struct ttp_mem_failure *f)
{
    if (f->kind != TTP_MEM_OUT_OF_MEMORY)
        return f->kind == TTP_MEM_CB_CLASH ? clash : growth;
    if (ttp_str_eq(f->pool, ttp_str_from(ttp_mem_pool_name(TTP_MEM_L1_SMALL))))
        return small;
    if (ttp_str_eq(f->pool, ttp_str_from(ttp_mem_pool_name(TTP_MEM_TRACE))))
        return trace;
    if (ttp_str_eq(f->pool, ttp_str_from(ttp_mem_pool_name(TTP_MEM_DRAM))))
        return dram;
    return f->verdict == TTP_MEM_LARGER_THAN_BANK ? too_large
           : f->verdict == TTP_MEM_FRAGMENTED     ? fragmented
                                                  : full;
}

const struct ttp_mem_op *ttp_mem_maker(const struct ttp_mem_capture *c,
                                       const struct ttp_mem_buffer *b)
{
    for (size_t i = 0; b->alloc != TTP_MEM_NONE && i < c->ops; i++)
        if (c->op[i].start <= b->alloc && b->alloc <= c->op[i].end)
            return &c->op[i];
    return NULL;
}

const char *ttp_mem_find_beside(const char *path, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *dir =
        slash ? ttp_arena_zstr(arena, (ttp_str){path, (size_t)(slash - path) + 1}) : ".";
    struct ttp_words names;

    if (ttp_file_list(&names, dir, arena, NULL) != TTP_OK)
        return NULL;
    for (size_t i = 0; i < names.count; i++) {
        const ttp_str name = ttp_str_from(names.word[i]);
        const char *found = slash ? ttp_file_join(dir, names.word[i], arena) : names.word[i];

        if (!ttp_str_has(name, TTP_STR(".json")) && !ttp_str_ends(name, TTP_STR(".sqlite")))
            continue;
        const enum ttp_mem_file_kind kind = ttp_mem_file_kind(found);
        if (kind == TTP_MEM_FILE_CAPTURE || kind == TTP_MEM_FILE_DATABASE)
            return found;
    }
    return NULL;
}
