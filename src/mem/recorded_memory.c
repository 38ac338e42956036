/* SPDX-License-Identifier: Apache-2.0 */
/* recorded_memory.c - allocations and frees that a Tracy client sent with TT_METAL_MEM_PROFILER=1:
 * sizes are over all banks, pools are called "Device 0 L1", and an address belongs to its pool. */
#include "base/map.h"
#include "base/order.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "mem/mem_parts.h"

struct live {
    uint64_t address, bytes;
    uint32_t pool;
    bool is;
};

struct reader {
    struct ttp_mem_buffer_log *out;
    const struct ttp_trace *trace;
    struct ttp_arena *arena, *scratch;
    uint32_t *pool_of; /* by name: position plus one; 0: none yet */
    struct ttp_map by_place;
    struct live *live;
    size_t lives;
};

static uint32_t pool_of(struct reader *r, ttp_sym name)
{
    if (!r->pool_of[name]) {
        *TTP_PUSH(r->arena, r->out->pool, r->out->pools) = (struct ttp_mem_log_pool){
            .name = ttp_arena_copy(r->arena, ttp_sym_name(&r->trace->names, name))};
        r->pool_of[name] = (uint32_t)r->out->pools;
    }
    return r->pool_of[name] - 1;
}

/* Addresses of different pools overlap. */
static uint64_t key_of(uint32_t pool, uint64_t address)
{
    return (uint64_t)pool * UINT64_C(0x9e3779b97f4a7c15) ^ address;
}

static struct live *find(struct reader *r, uint32_t pool, uint64_t address)
{
    const uint32_t at = ttp_map_get(&r->by_place, key_of(pool, address));

    return at != TTP_MAP_NONE && r->live[at].pool == pool && r->live[at].address == address
               ? &r->live[at]
               : NULL;
}

static void add(struct reader *r, uint32_t pool, const struct ttp_trace_memory *m)
{
    struct ttp_mem_log_pool *p = &r->out->pool[pool];
    struct live *l = find(r, pool, m->address);

    if (!l) {
        ttp_map_put(&r->by_place, key_of(pool, m->address), (uint32_t)r->lives);
        l = TTP_PUSH(r->scratch, r->live, r->lives);
        *l = (struct live){.address = m->address, .pool = pool};
    }
    if (l->is) /* its free was lost: an address has one tenant */
        p->bytes -= l->bytes;
    l->is = true;
    l->bytes = m->bytes;
    r->out->allocations++;
    p->bytes += m->bytes;
    if (p->bytes > p->peak_bytes) {
        p->peak_bytes = p->bytes;
        p->peak_ns = m->ns > 0 ? (uint64_t)m->ns : 0;
    }
}

static void release(struct reader *r, uint32_t pool, const struct ttp_trace_memory *m)
{
    struct live *l = find(r, pool, m->address);

    if (!l || !l->is) {
        r->out->unpaired_frees++;
        return;
    }
    r->out->pool[pool].bytes -= l->bytes;
    l->is = false;
}

/* The innermost zone of an op at that moment: the one that began last. */
static ttp_str op_at(const struct ttp_trace *t, int64_t ns)
{
    size_t found = t->zone.count;

    for (size_t i = 0; i < t->zone.count; i++)
        if (t->zone.start_ns[i] <= ns &&
            (t->zone.end_ns[i] >= ns || t->zone.end_ns[i] == TTP_ZONE_OPEN) &&
            (found == t->zone.count || t->zone.start_ns[i] >= t->zone.start_ns[found]))
            found = i;
    if (found == t->zone.count)
        return (ttp_str){0};
    const uint32_t extra = t->zone.extra[found];
    const ttp_str name = ttp_sym_name(&t->names, t->source[t->zone.source[found]].name);
    return extra != TTP_ZONE_NONE && t->zone.note[extra].text.len ? t->zone.note[extra].text : name;
}

TTP_ORDER(by_name, struct ttp_mem_log_pool, ttp_str_cmp(x->name, y->name))

static void replay(struct reader *r)
{
    struct ttp_mem_buffer_log *out = r->out;

    for (size_t i = 0; i < r->trace->nmemory; i++) {
        const struct ttp_trace_memory *m = &r->trace->memory[i];
        const uint32_t pool = pool_of(r, m->pool);

        if (m->freed)
            release(r, pool, m);
        else
            add(r, pool, m);
    }
    for (size_t i = 0; i < r->lives; i++)
        out->live_at_end += r->live[i].is;
    for (size_t i = 0; i < out->pools; i++)
        out->pool[i].peak_op =
            ttp_arena_copy(r->arena, op_at(r->trace, (int64_t)out->pool[i].peak_ns));
    TTP_SORT(out->pool, out->pools, by_name);
}

ttp_code ttp_mem_read_recording(struct ttp_mem_buffer_log *out, const char *path,
                                struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_trace_reading how = {.zones = TTP_ZONES_OPS, .memory = true};
    struct ttp_arena scratch = {0};
    struct ttp_trace trace;

    *out = (struct ttp_mem_buffer_log){.path = path, .recording = true};
    ttp_code rc = ttp_capture_trace_read(&trace, path, &how, &scratch, err);
    if (rc == TTP_OK && trace.nmemory == 0) {
        rc = ttp_fail(err, TTP_EPARSE, "'%s' has no memory data", path);
        ttp_err_where(err, path, 0);
        ttp_err_hint(err,
                     trace.kind == TTP_TRACE_TRACY
                         ? "memory in .tracy files is not read; 'tt-perf record' keeps it, with "
                           "TT_METAL_MEM_PROFILER=1"
                         : "record the run with TT_METAL_MEM_PROFILER=1");
    }
    if (rc == TTP_OK) {
        struct reader r = {.out = out,
                           .trace = &trace,
                           .arena = arena,
                           .scratch = &scratch,
                           .pool_of = TTP_NEW(&scratch, uint32_t, trace.names.count + 1),
                           .by_place = {.arena = &scratch}};
        replay(&r);
    }
    ttp_arena_free(&scratch);
    return rc;
}
