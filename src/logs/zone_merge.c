/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of zones, merged in the order of the file: bare markers meet the zones that are open in
 * their lane. Lanes exist only while something is open in them. */
#include "base/vec.h"
#include "logs/zone_log.h"

struct lane_key {
    uint32_t core;
    ttp_sym risc;
    struct ttp_exec_key exec;
};

struct ttp_open_lane {
    struct lane_key key;
    uint32_t next; /* in its bucket, or in the list of unused ones: position + 1 */
    uint32_t top;  /* innermost open zone: position + 1 */
    uint32_t depth;
};

struct ttp_open_zone {
    uint32_t site;
    uint32_t below; /* position + 1 */
    uint64_t cycle;
};

/* One run of a block being merged. */
struct merging {
    struct ttp_zone_merge *m;
    struct ttp_zone_log *log;
    struct ttp_arena *arena;
    struct lane_key key;
};

static uint64_t key_hash(const struct lane_key *k)
{
    return ttp_exec_key_mix(ttp_exec_key_hash(&k->exec) ^ ((uint64_t)k->core << 32 | k->risc));
}

static bool same_key(const struct lane_key *a, const struct lane_key *b)
{
    return a->core == b->core && a->risc == b->risc && ttp_exec_key_eq(&a->exec, &b->exec);
}

static uint32_t find_lane(const struct ttp_zone_merge *m, const struct lane_key *key)
{
    if (m->open_lanes == 0)
        return 0;
    uint32_t at = m->bucket[key_hash(key) & (m->nbuckets - 1)];
    while (at && !same_key(&m->lane[at - 1].key, key))
        at = m->lane[at - 1].next;
    return at;
}

static void more_buckets(struct ttp_zone_merge *m, struct ttp_arena *arena)
{
    const size_t n = m->nbuckets ? m->nbuckets * 2 : 1024;
    uint32_t *bucket = TTP_NEW(arena, uint32_t, n);

    for (size_t i = 0; i < m->nbuckets; i++)
        for (uint32_t at = m->bucket[i], next; at; at = next) {
            struct ttp_open_lane *lane = &m->lane[at - 1];
            uint32_t *into = &bucket[key_hash(&lane->key) & (n - 1)];
            next = lane->next;
            lane->next = *into;
            *into = at;
        }
    m->bucket = bucket;
    m->nbuckets = n;
}

static uint32_t open_lane(struct ttp_zone_merge *m, const struct lane_key *key,
                          struct ttp_arena *arena)
{
    uint32_t at = m->free_lane;

    if (m->open_lanes >= m->nbuckets)
        more_buckets(m, arena);
    if (at) {
        m->free_lane = m->lane[at - 1].next;
    } else {
        TTP_ROOM(arena, m->lane, m->nlanes);
        at = (uint32_t)++m->nlanes;
    }
    uint32_t *bucket = &m->bucket[key_hash(key) & (m->nbuckets - 1)];
    m->lane[at - 1] = (struct ttp_open_lane){.key = *key, .next = *bucket};
    *bucket = at;
    m->open_lanes++;
    return at;
}

static void close_lane(struct ttp_zone_merge *m, uint32_t lane)
{
    struct ttp_open_lane *l = &m->lane[lane - 1];
    uint32_t *link = &m->bucket[key_hash(&l->key) & (m->nbuckets - 1)];

    while (*link != lane)
        link = &m->lane[*link - 1].next;
    *link = l->next;
    l->next = m->free_lane;
    m->free_lane = lane;
    m->open_lanes--;
}

static void push(struct ttp_zone_merge *m, uint32_t lane, const struct ttp_zone_mark *mark,
                 struct ttp_arena *arena)
{
    uint32_t at = m->free_zone;

    if (at) {
        m->free_zone = m->zone[at - 1].below;
    } else {
        TTP_ROOM(arena, m->zone, m->nzones);
        at = (uint32_t)++m->nzones;
    }
    struct ttp_open_lane *l = &m->lane[lane - 1];
    m->zone[at - 1] = (struct ttp_open_zone){mark->site, l->top, mark->start_cycle};
    l->top = at;
    l->depth++;
    m->open_zones++;
}

static void pop(struct ttp_zone_merge *m, uint32_t lane)
{
    struct ttp_open_lane *l = &m->lane[lane - 1];
    const uint32_t at = l->top;

    l->top = m->zone[at - 1].below;
    l->depth--;
    m->zone[at - 1].below = m->free_zone;
    m->free_zone = at;
    m->open_zones--;
}

/* The lane a marker belongs to. The profiler moves starts, and only starts, of a dispatch core's
 * zones to the op they serve. */
static struct lane_key key_of(const struct merging *g, const struct ttp_zone_mark *mark)
{
    struct lane_key key = g->key;

    if (g->log->site[mark->site].dispatch) {
        key.exec.run_id = 0;
        key.exec.trace_id = key.exec.replay = TTP_NO_ID;
    }
    return key;
}

static void begin_bare(struct merging *g, const struct ttp_zone_mark *mark)
{
    const struct lane_key key = key_of(g, mark);
    uint32_t lane = find_lane(g->m, &key);

    if (!lane)
        lane = open_lane(g->m, &key, g->arena);
    push(g->m, lane, mark, g->arena);
}

/* Make of the end a zone; false: none to end. */
static bool end_bare(struct merging *g, struct ttp_zone_mark *mark)
{
    struct ttp_zone_merge *m = g->m;
    const struct lane_key key = key_of(g, mark);
    const uint32_t lane = find_lane(m, &key);
    const ttp_sym base = g->log->site[mark->site].base;
    uint32_t at = lane ? m->lane[lane - 1].top : 0;
    uint64_t inside = 0;

    for (; at && g->log->site[m->zone[at - 1].site].base != base; at = m->zone[at - 1].below)
        inside++;
    if (!at) {
        g->log->orphan_ends++;
        return false;
    }
    g->log->orphan_starts += inside;
    for (; inside; inside--)
        pop(m, lane);
    mark->kind = TTP_MARK_ZONE;
    mark->site = m->zone[at - 1].site;
    mark->start_cycle = m->zone[at - 1].cycle;
    const bool good = mark->start_cycle <= mark->end_cycle;
    g->log->backward_zones += !good;
    pop(m, lane);
    const uint32_t depth = m->lane[lane - 1].depth;
    mark->depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
    if (depth == 0)
        close_lane(m, lane);
    return good;
}

static void forget_open(struct merging *g)
{
    const uint32_t lane = find_lane(g->m, &g->key);

    if (!lane)
        return;
    for (; g->m->lane[lane - 1].depth; g->log->orphan_starts++)
        pop(g->m, lane);
    close_lane(g->m, lane);
}

static uint32_t depth_of(const struct merging *g)
{
    const uint32_t lane = find_lane(g->m, &g->key);

    return lane ? g->m->lane[lane - 1].depth : 0;
}

/* Settle the marks of a run in place; returns how many are left to hand out. */
static size_t settle(struct merging *g, struct ttp_zone_mark *mark, size_t n, const uint32_t *site)
{
    uint32_t around = depth_of(g);
    size_t out = 0;

    for (size_t i = 0; i < n; i++) {
        struct ttp_zone_mark k = mark[i];
        k.site = site[k.site];
        switch (k.kind) {
        case TTP_MARK_START:
            begin_bare(g, &k);
            around = depth_of(g);
            continue;
        case TTP_MARK_END:
            if (end_bare(g, &k)) {
                g->log->zones++;
                mark[out++] = k;
            }
            around = depth_of(g);
            continue;
        case TTP_MARK_RESET:
            forget_open(g);
            around = 0;
            continue;
        default:
            g->log->zones += k.kind == TTP_MARK_ZONE;
            k.depth = (uint16_t)(k.depth + around < UINT16_MAX ? k.depth + around : UINT16_MAX);
            mark[out++] = k;
        }
    }
    return out;
}

static size_t map_sites_only(struct ttp_zone_mark *mark, size_t n, const uint32_t *site)
{
    for (size_t i = 0; i < n; i++)
        mark[i].site = site[mark[i].site];
    return n;
}

static uint32_t find_device(struct ttp_zone_log *log, int64_t id, struct ttp_arena *arena)
{
    for (size_t i = log->ndevices; i-- > 0;)
        if (log->device[i] == id)
            return (uint32_t)i;
    TTP_ROOM(arena, log->device, log->ndevices);
    log->device[log->ndevices] = id;
    return (uint32_t)log->ndevices++;
}

static bool is_core(const struct ttp_core *c, uint32_t device, const struct ttp_block_core *core)
{
    return c->x == core->x && c->y == core->y && c->device == device;
}

/* Cores come in the same order again and again. */
static uint32_t find_or_add_core(struct ttp_zone_merge *m, struct ttp_zone_log *log,
                                 const struct ttp_block_core *core, struct ttp_arena *arena)
{
    const uint32_t device = find_device(log, core->device, arena);
    size_t i = log->ncores;

    if (m->core_guess < log->ncores && is_core(&log->core[m->core_guess], device, core))
        return m->core_guess++;
    while (i > 0 && !is_core(&log->core[i - 1], device, core))
        i--;
    if (i == 0) {
        *TTP_PUSH(arena, log->core, log->ncores) =
            (struct ttp_core){.device = device, .x = core->x, .y = core->y};
        i = log->ncores;
    }
    m->core_guess = (uint32_t)i;
    return (uint32_t)i - 1;
}

static uint32_t *merge_sites(struct ttp_zone_merge *m, struct ttp_zone_log *log,
                             struct ttp_zone_block *b, const ttp_sym *name, struct ttp_arena *arena)
{
    uint32_t *map = TTP_NEW(b->arena, uint32_t, b->sites.count);

    for (size_t i = 0; i < b->sites.count; i++) {
        struct ttp_zone_site s = b->sites.site[i];
        s.name = name[s.name];
        s.file = name[s.file];
        s.base = name[s.base];
        map[i] = ttp_logs_site_intern(&m->sites, &s, arena);
    }
    log->site = m->sites.site;
    log->nsites = m->sites.count;
    return map;
}

ttp_code ttp_logs_zone_merge_block(struct ttp_zone_merge *m, struct ttp_zone_target to,
                                   struct ttp_zone_block *b, struct ttp_err *err)
{
    const bool bare = to.request->kinds >> TTP_MARK_START & 1;
    ttp_sym *name = TTP_NEW(b->arena, ttp_sym, b->names.count);
    uint32_t *core = TTP_NEW(b->arena, uint32_t, b->ncores);
    struct ttp_zone_lane *lane = TTP_NEW(b->arena, struct ttp_zone_lane, b->nruns);
    struct ttp_zone_batch batch = {.lane = lane};

    if (to.log->names.count + (uint64_t)b->names.count > UINT32_MAX / 2 ||
        m->nzones > UINT32_MAX / 2)
        return ttp_fail(err, TTP_ELIMIT, "more than 2^31 names or open zones");
    ttp_sym_merge(&to.log->names, &b->names, name);
    const uint32_t *site = merge_sites(m, to.log, b, name, to.arena);
    for (size_t i = 0; i < b->ncores; i++)
        core[i] = find_or_add_core(m, to.log, &b->core[i], to.arena);
    for (size_t i = 0; i < b->nruns; i++) {
        const struct ttp_zone_run *run = &b->run[i];
        if (run->count == 0)
            continue;
        struct ttp_zone_mark *mark = &b->mark[run->first];
        struct merging g = {m, to.log, to.arena,
                            .key = {core[run->core], name[run->risc_name], run->key}};
        g.key.exec.device = to.log->core[g.key.core].device;
        const size_t n =
            bare ? map_sites_only(mark, run->count, site) : settle(&g, mark, run->count, site);
        if (n)
            lane[batch.nlanes++] = (struct ttp_zone_lane){.core = g.key.core,
                                                          .risc = run->risc,
                                                          .risc_name = g.key.risc,
                                                          .key = g.key.exec,
                                                          .mark = mark,
                                                          .nmarks = n};
    }
    to.log->orphan_starts += b->orphan_starts;
    to.log->backward_zones += b->backward_zones;
    return batch.nlanes ? to.request->take(to.request->arg, to.log, &batch, err) : TTP_OK;
}

void ttp_logs_zone_merge_finish(const struct ttp_zone_merge *m, struct ttp_zone_log *log)
{
    log->orphan_starts += m->open_zones;
}
