/* SPDX-License-Identifier: Apache-2.0 */
/* Zones to invocations. Firmware is passed over, kernels go straight to their core, everything else
 * to the statistics of its line: one lookup a zone. */
#include "kernel/kernel.h"
#include "kernel/line_text.h"

enum site_kind {
    SITE_NEW,
    SITE_FIRMWARE,
    SITE_KERNEL,
    SITE_WAIT,
    SITE_RESERVE,
    SITE_BARRIER,
    SITE_PLAIN
};

struct reading {
    struct ttp_kernel_profile *out;
    const struct ttp_profile_options *options;
    struct ttp_arena *arena;
    uint8_t *kind; /* of each site */
    size_t cap_sites;
    size_t cap_invocations, cap_cores, cap_lines;
    uint32_t *invocation_slot, *core_slot, *line_slot; /* open addressing: position + 1 */
    size_t ninvocation_slots, ncore_slots, nline_slots;
    uint32_t last_invocation, last_core; /* position + 1 */
};

static const char *const risc_names[TTP_KERNEL_RISCS] = {"NCRISC",  "BRISC", "TRISC_0", "TRISC_1",
                                                         "TRISC_2", "ERISC", "other"};

const char *ttp_kernel_risc_name(enum ttp_kernel_risc risc)
{
    return risc_names[risc];
}

static enum ttp_kernel_risc risc_of(enum ttp_risc risc)
{
    switch (risc) {
    case TTP_RISC_NCRISC:
        return TTP_KERNEL_NCRISC;
    case TTP_RISC_BRISC:
        return TTP_KERNEL_BRISC;
    case TTP_RISC_TRISC0:
        return TTP_KERNEL_TRISC_0;
    case TTP_RISC_TRISC1:
        return TTP_KERNEL_TRISC_1;
    case TTP_RISC_TRISC2:
        return TTP_KERNEL_TRISC_2;
    case TTP_RISC_ERISC:
        return TTP_KERNEL_ERISC;
    default:
        return TTP_KERNEL_OTHER;
    }
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t h = (a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

/* Room for one more, grown by half. */
static void *room(void *list, size_t count, size_t *cap, size_t size, struct ttp_arena *arena)
{
    if (count < *cap)
        return list;
    *cap = *cap ? *cap + *cap / 2 : 256;
    return ttp_arena_resize(arena, list, *cap * size);
}

typedef uint64_t hash_fn(const struct reading *r, size_t i);

static void rehash(struct reading *r, uint32_t **slot, size_t *nslots, size_t count, hash_fn *hash)
{
    const size_t n = *nslots ? *nslots * 2 : 1024;

    *slot = ttp_arena_resize(r->arena, *slot, n * sizeof(**slot));
    memset(*slot, 0, n * sizeof(**slot));
    *nslots = n;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash(r, i) & (n - 1);
        while ((*slot)[at])
            at = (at + 1) & (n - 1);
        (*slot)[at] = (uint32_t)i + 1;
    }
}

/* --- invocations --- */

static uint64_t hash_invocation(const struct reading *r, size_t i)
{
    return ttp_exec_key_hash(&r->out->invocation[i].key);
}

static uint32_t find_invocation(struct reading *r, const struct ttp_exec_key *key)
{
    struct ttp_kernel_profile *p = r->out;

    if (r->last_invocation && ttp_exec_key_eq(&p->invocation[r->last_invocation - 1].key, key))
        return r->last_invocation - 1;
    if (p->ninvocations * 2 >= r->ninvocation_slots)
        rehash(r, &r->invocation_slot, &r->ninvocation_slots, p->ninvocations, hash_invocation);
    size_t at = ttp_exec_key_hash(key) & (r->ninvocation_slots - 1);
    while (r->invocation_slot[at] &&
           !ttp_exec_key_eq(&p->invocation[r->invocation_slot[at] - 1].key, key))
        at = (at + 1) & (r->ninvocation_slots - 1);
    if (!r->invocation_slot[at]) {
        p->invocation = room(p->invocation, p->ninvocations, &r->cap_invocations,
                             sizeof(*p->invocation), r->arena);
        p->invocation[p->ninvocations] = (struct ttp_invocation){.key = *key};
        r->invocation_slot[at] = (uint32_t)++p->ninvocations;
    }
    r->last_invocation = r->invocation_slot[at];
    return r->last_invocation - 1;
}

/* --- cores of an invocation --- */

static uint64_t hash_core(const struct reading *r, size_t i)
{
    return mix(r->out->core[i].invocation, r->out->core[i].core);
}

static struct ttp_kernel_core *find_core(struct reading *r, uint32_t invocation, uint32_t core)
{
    struct ttp_kernel_profile *p = r->out;

    if (r->last_core && p->core[r->last_core - 1].invocation == invocation &&
        p->core[r->last_core - 1].core == core)
        return &p->core[r->last_core - 1];
    if (p->ncores * 2 >= r->ncore_slots)
        rehash(r, &r->core_slot, &r->ncore_slots, p->ncores, hash_core);
    size_t at = mix(invocation, core) & (r->ncore_slots - 1);
    while (r->core_slot[at] && (p->core[r->core_slot[at] - 1].invocation != invocation ||
                                p->core[r->core_slot[at] - 1].core != core))
        at = (at + 1) & (r->ncore_slots - 1);
    if (!r->core_slot[at]) {
        struct ttp_invocation *v = &p->invocation[invocation];
        p->core = room(p->core, p->ncores, &r->cap_cores, sizeof(*p->core), r->arena);
        p->core[p->ncores] = (struct ttp_kernel_core){.invocation = invocation,
                                                      .core = core,
                                                      .first_cycle = UINT64_MAX,
                                                      .next = v->first_core};
        r->core_slot[at] = (uint32_t)++p->ncores;
        v->first_core = r->core_slot[at];
        v->cores++;
    }
    r->last_core = r->core_slot[at];
    return &p->core[r->last_core - 1];
}

/* --- lines --- */

static uint64_t hash_line(const struct reading *r, size_t i)
{
    const struct ttp_line_stat *l = &r->out->line[i];
    return mix((uint64_t)l->invocation << 8 | l->risc, l->site);
}

static struct ttp_line_stat *find_line(struct reading *r, uint32_t invocation, uint32_t site,
                                       enum ttp_kernel_risc risc)
{
    struct ttp_kernel_profile *p = r->out;

    if (p->nlines * 2 >= r->nline_slots)
        rehash(r, &r->line_slot, &r->nline_slots, p->nlines, hash_line);
    size_t at = mix((uint64_t)invocation << 8 | risc, site) & (r->nline_slots - 1);
    for (; r->line_slot[at]; at = (at + 1) & (r->nline_slots - 1)) {
        struct ttp_line_stat *l = &p->line[r->line_slot[at] - 1];
        if (l->invocation == invocation && l->site == site && l->risc == risc)
            return l;
    }
    struct ttp_invocation *v = &p->invocation[invocation];
    p->line = room(p->line, p->nlines, &r->cap_lines, sizeof(*p->line), r->arena);
    p->line[p->nlines] = (struct ttp_line_stat){.invocation = invocation,
                                                .site = site,
                                                .risc = (uint8_t)risc,
                                                .min = UINT64_MAX,
                                                .next = v->first_line};
    r->line_slot[at] = (uint32_t)++p->nlines;
    v->first_line = r->line_slot[at];
    v->lines++;
    return &p->line[p->nlines - 1];
}

static void add_cycles(struct ttp_line_stat *l, uint64_t cycles)
{
    l->count++;
    l->sum += cycles;
    l->min = cycles < l->min ? cycles : l->min;
    l->max = cycles > l->max ? cycles : l->max;
}

/* --- sites --- */

static bool is_wait(ttp_str op, const char *what)
{
    const size_t n = strlen(what);

    return op.len > n && ttp_str_ends(op, ttp_str_from(what)) && op.ptr[op.len - n - 1] == '_';
}

static enum site_kind kind_of(const struct reading *r, ttp_str zone,
                              const struct ttp_line_name *name)
{
    if (ttp_str_ends(zone, TTP_STR("-FW")))
        return SITE_FIRMWARE;
    if (ttp_str_ends(zone, TTP_STR("-KERNEL")))
        return SITE_KERNEL;
    if (ttp_str_eq(zone, TTP_STR("CB-COMPUTE-WAIT-FRONT")) || is_wait(name->op, "wait"))
        return SITE_WAIT;
    if (ttp_str_eq(zone, TTP_STR("CB-COMPUTE-RESERVE-BACK")) || is_wait(name->op, "reserve"))
        return SITE_RESERVE;
    if (name->line && name->op.len == 0 && r->options->waits &&
        ttp_kernel_find_barrier(r->options->waits, name->kernel, name->line))
        return SITE_BARRIER;
    return SITE_PLAIN;
}

static enum site_kind site_kind(struct reading *r, const struct ttp_zone_log *log, uint32_t site)
{
    struct ttp_kernel_profile *p = r->out;

    if (site >= r->cap_sites) {
        const size_t cap = site < 128 ? 256 : (size_t)site * 2;
        r->kind = ttp_arena_resize(r->arena, r->kind, cap * sizeof(*r->kind));
        p->name = ttp_arena_resize(r->arena, p->name, cap * sizeof(*p->name));
        r->cap_sites = cap;
    }
    if (r->kind[site] == SITE_NEW) {
        const ttp_str zone = ttp_sym_name(&log->names, log->site[site].name);
        p->name[site] = ttp_kernel_line_name(zone);
        r->kind[site] = (uint8_t)kind_of(r, zone, &p->name[site]);
    }
    return (enum site_kind)r->kind[site];
}

static void extend(struct ttp_kernel_core *c, const struct ttp_zone_mark *m)
{
    c->first_cycle = m->start_cycle < c->first_cycle ? m->start_cycle : c->first_cycle;
    c->last_cycle = m->end_cycle > c->last_cycle ? m->end_cycle : c->last_cycle;
}

static void add_kernel(struct ttp_kernel_core *c, enum ttp_kernel_risc risc,
                       const struct ttp_zone_mark *m)
{
    if (!c->has_kernel) { /* what was there before it were zones of a log that lost some */
        c->has_kernel = true;
        c->first_cycle = UINT64_MAX;
        c->last_cycle = 0;
    }
    extend(c, m);
    c->kernel[risc] += m->end_cycle - m->start_cycle;
}

static void add_wait(struct reading *r, struct ttp_kernel_core *c, enum ttp_kernel_risc risc,
                     enum site_kind kind, uint64_t cycles)
{
    if (kind == SITE_WAIT)
        c->wait[risc] += cycles;
    else if (kind == SITE_RESERVE)
        c->reserve[risc] += cycles;
    else if (kind == SITE_BARRIER)
        c->barrier[risc] += cycles;
    r->out->has_waits |= kind == SITE_WAIT || kind == SITE_RESERVE;
}

/* What the marks of a lane belong to. */
struct owner {
    const struct ttp_zone_log *log;
    struct ttp_kernel_core *core;
    uint32_t invocation;
    enum ttp_kernel_risc risc;
};

static void add_mark(struct reading *r, const struct owner *of, const struct ttp_zone_mark *m)
{
    const enum site_kind kind = site_kind(r, of->log, m->site);
    const enum ttp_kernel_risc risc = of->risc;
    struct ttp_kernel_core *c = of->core;

    if (m->kind == TTP_MARK_TOTAL) {
        add_wait(r, c, risc, kind, m->data);
        return;
    }
    if (kind == SITE_FIRMWARE)
        return;
    if (kind == SITE_KERNEL) {
        add_kernel(c, risc, m);
        return;
    }
    if (!c->has_kernel)
        extend(c, m);
    c->pairs[risc]++;
    add_wait(r, c, risc, kind, m->end_cycle - m->start_cycle);
    add_cycles(find_line(r, of->invocation, m->site, risc), m->end_cycle - m->start_cycle);
}

static bool wanted(const struct ttp_profile_options *o, const struct ttp_core *core)
{
    for (size_t i = 0; i < o->ncores; i++)
        if (o->core[i][0] == core->x && o->core[i][1] == core->y)
            return true;
    return o->ncores == 0;
}

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    struct reading *r = arg;

    if (r->out->ncores > UINT32_MAX / 2 || r->out->nlines > UINT32_MAX / 2)
        return ttp_fail(err, TTP_ELIMIT, "more than 2^31 lines of invocations");
    for (size_t l = 0; l < batch->nlanes; l++) {
        const struct ttp_zone_lane *lane = &batch->lane[l];
        const struct ttp_core *core = &log->core[lane->core];
        struct ttp_exec_key key = lane->key;

        if (key.run_id == 0 || !wanted(r->options, core))
            continue;
        key.device = log->device[core->device];
        const uint32_t v = find_invocation(r, &key);
        const struct owner of = {log, find_core(r, v, lane->core), v, risc_of(lane->risc)};
        for (size_t i = 0; i < lane->nmarks; i++)
            add_mark(r, &of, &lane->mark[i]);
    }
    return TTP_OK;
}

ttp_code ttp_kernel_read_profile(struct ttp_kernel_profile *out, const char *path,
                                 const struct ttp_profile_options *options, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct reading r = {.out = out, .options = options, .arena = arena};
    const struct ttp_zone_request request = {
        .kinds = 1u << TTP_MARK_ZONE | 1u << TTP_MARK_TOTAL, .take = take, .arg = &r};

    *out = (struct ttp_kernel_profile){0};
    TTP_TRY(ttp_logs_stream_zones(&out->log, path, &request, &options->logs, arena, err));
    for (size_t i = 0; i < out->ncores; i++)
        for (size_t risc = 0; risc < TTP_KERNEL_RISCS; risc++)
            out->invocation[out->core[i].invocation].full_buffers +=
                out->core[i].pairs[risc] >= TTP_KERNEL_MAX_PAIRS;
    return TTP_OK;
}
