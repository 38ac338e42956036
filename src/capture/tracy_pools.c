/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as a .tracy file has it: one record for an allocation and its free, by pool. */
#include "base/vec.h"
#include "capture/tracy_plan.h"

struct pools {
    struct ttp_tracy_plan *plan;
    struct ttp_map pool_at; /* key of a pool -> position */
    struct ttp_map live_at; /* hash of pool and address -> position plus one; 0: freed */
};

static ttp_str pool_name(const struct ttp_tracy_plan *plan, uint64_t key)
{
    const uint32_t at = ttp_map_get(&plan->keep->pool_at, key);

    return at == TTP_MAP_NONE ? (ttp_str){0} : plan->keep->pool[at].text;
}

static size_t pool_of(struct pools *p, uint64_t key, ttp_str name)
{
    struct ttp_tracy_plan *plan = p->plan;
    const uint32_t known = ttp_map_get(&p->pool_at, key);

    if (known != TTP_MAP_NONE)
        return known;
    ttp_map_put(&p->pool_at, key, (uint32_t)plan->npools);
    const struct ttp_tracy_pool pool = {
        .key = key, .low = UINT64_MAX, .id = key ? ttp_tracy_add_name(plan, name) : 0};
    *TTP_PUSH(plan->arena, plan->pool, plan->npools) = pool;
    return plan->npools - 1;
}

static void release(struct ttp_tracy_pool *pool, size_t at, int64_t ns, uint16_t thread)
{
    struct ttp_tracy_allocation *a = &pool->item[at];

    a->freed_ns = ns < a->taken_ns ? a->taken_ns : ns;
    a->freed_by = thread;
    pool->usage -= a->bytes;
    pool->freed++;
}

static uint64_t live_key(size_t pool, uint64_t address)
{
    return ttp_hash_u64(ttp_hash_u64(0, pool), address);
}

/* The allocation at that address that is not freed; false: none. */
static bool find_live(const struct pools *p, size_t pool, uint64_t address, size_t *at)
{
    const uint32_t found = ttp_map_get(&p->live_at, live_key(pool, address));

    if (found == TTP_MAP_NONE || found == 0)
        return false;
    *at = found - 1;
    const struct ttp_tracy_allocation *a = &p->plan->pool[pool].item[*at];
    return *at < p->plan->pool[pool].count && a->address == address && a->freed_ns < 0;
}

/* Tracy gives up on a program that takes what it has; here the first one ends then. */
static void take(struct pools *p, size_t pool, const struct ttp_kept_memory *m, uint16_t thread)
{
    struct ttp_tracy_pool *to = &p->plan->pool[pool];
    size_t at;

    if (find_live(p, pool, m->address, &at))
        release(to, at, m->ns, thread);
    if (to->count >= TTP_MAP_NONE - 2)
        return;
    *TTP_PUSH(p->plan->arena, to->item, to->count) =
        (struct ttp_tracy_allocation){.address = m->address,
                                      .bytes = m->bytes,
                                      .taken_ns = m->ns,
                                      .freed_ns = TTP_KEPT_NEVER,
                                      .taken_by = thread};
    ttp_map_put(&p->live_at, live_key(pool, m->address), (uint32_t)to->count);
    to->usage += m->bytes;
    to->low = m->address < to->low ? m->address : to->low;
    to->high = m->address + m->bytes > to->high ? m->address + m->bytes : to->high;
    p->plan->allocations++;
}

static void change(struct pools *p, const struct ttp_kept_memory *m, ttp_str name)
{
    struct ttp_tracy_plan *plan = p->plan;
    const uint16_t thread = ttp_tracy_thread(plan, m->thread);
    struct ttp_kept_memory fit = *m;
    const size_t at = pool_of(p, m->pool, name);
    struct ttp_tracy_pool *pool = &plan->pool[at];
    size_t live;

    fit.ns = ttp_tracy_fit(plan, m->ns);
    plan->last_ns = fit.ns > plan->last_ns ? fit.ns : plan->last_ns;
    switch (m->change) {
    case TTP_MEMORY_TAKEN:
        take(p, at, &fit, thread);
        break;
    case TTP_MEMORY_FREED: /* of what was taken before the recording: nothing is known */
        if (find_live(p, at, m->address, &live))
            release(pool, live, fit.ns, thread);
        break;
    case TTP_MEMORY_ALL_FREED:
        for (; pool->discarded < pool->count; pool->discarded++)
            if (pool->item[pool->discarded].freed_ns < 0)
                release(pool, pool->discarded, fit.ns, thread);
        break;
    }
}

/* A capture file without the raw stream has the named pools, and no threads. */
static void change_recorded(struct pools *p)
{
    const struct ttp_trace *t = p->plan->trace;

    for (size_t i = 0; i < t->nmemory; i++) {
        const struct ttp_trace_memory *m = &t->memory[i];

        change(p,
               &(struct ttp_kept_memory){.ns = m->ns,
                                         .address = m->address,
                                         .bytes = m->bytes,
                                         .pool = (uint64_t)m->pool + 1,
                                         .change = m->freed ? TTP_MEMORY_FREED : TTP_MEMORY_TAKEN},
               ttp_sym_name(&t->names, m->pool));
    }
}

void ttp_tracy_plan_pools(struct ttp_tracy_plan *plan)
{
    const struct ttp_wire_keep *k = plan->keep;
    struct pools p = {.plan = plan};

    p.pool_at.arena = p.live_at.arena = plan->arena;
    (void)pool_of(&p, 0, (ttp_str){0}); /* viewers want it even if it is empty */
    for (size_t i = 0; i < k->nmemory; i++)
        change(&p, &k->memory[i], pool_name(plan, k->memory[i].pool));
    if (!k->filled)
        change_recorded(&p);
}
