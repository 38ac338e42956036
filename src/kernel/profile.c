/* SPDX-License-Identifier: Apache-2.0 */
/* Zones to invocations. Firmware is passed over, kernels go straight to their core, everything else
 * to the statistics of its line: one lookup a zone. */
#include "base/map.h"
#include "base/vec.h"
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
    size_t cap_kinds, cap_names;
    struct ttp_map invocations, cores, lines;
    uint32_t last_invocation, last_core; /* position + 1 */
    struct previous {
        uint32_t core; /* position + 1 in the profile */
        enum ttp_kernel_risc risc;
        struct ttp_zone_mark mark;
        bool old; /* than a kernel that is complete */
    } previous;   /* mark that was added or omitted, of a kernel or inside one */
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

/* --- invocations --- */

static uint32_t find_invocation(struct reading *r, const struct ttp_exec_key *key)
{
    struct ttp_kernel_profile *p = r->out;
    uint32_t at;

    if (r->last_invocation && ttp_exec_key_eq(&p->invocation[r->last_invocation - 1].key, key))
        return r->last_invocation - 1;
    TTP_MAP_EACH (at, &r->invocations, ttp_exec_key_hash(key))
        if (ttp_exec_key_eq(&p->invocation[at].key, key))
            break;
    if (at == TTP_MAP_NONE) {
        at = (uint32_t)p->ninvocations;
        *TTP_PUSH(r->arena, p->invocation, p->ninvocations) = (struct ttp_invocation){.key = *key};
        ttp_map_add(&r->invocations, ttp_exec_key_hash(key), at);
    }
    r->last_invocation = at + 1;
    return at;
}

/* --- cores of an invocation --- */

static struct ttp_kernel_core *find_or_add_core(struct reading *r, uint32_t invocation,
                                                uint32_t core)
{
    struct ttp_kernel_profile *p = r->out;

    if (r->last_core && p->core[r->last_core - 1].invocation == invocation &&
        p->core[r->last_core - 1].core == core)
        return &p->core[r->last_core - 1];
    const uint64_t key = (uint64_t)invocation << 32 | core;
    uint32_t at = ttp_map_get(&r->cores, key);
    if (at == TTP_MAP_NONE) {
        struct ttp_invocation *v = &p->invocation[invocation];

        at = (uint32_t)p->ncores;
        *TTP_PUSH(r->arena, p->core, p->ncores) =
            (struct ttp_kernel_core){.invocation = invocation,
                                     .core = core,
                                     .first_cycle = UINT64_MAX,
                                     .next = v->first_core};
        ttp_map_put(&r->cores, key, at);
        v->first_core = at + 1;
        v->cores++;
    }
    r->last_core = at + 1;
    return &p->core[at];
}

/* --- lines --- */

static struct ttp_line_stat *find_line(struct reading *r, uint32_t invocation, uint32_t site,
                                       enum ttp_kernel_risc risc)
{
    struct ttp_kernel_profile *p = r->out;
    const uint64_t hash = ttp_hash_u64((uint64_t)invocation << 8 | risc, site);
    uint32_t at;

    TTP_MAP_EACH (at, &r->lines, hash) {
        struct ttp_line_stat *l = &p->line[at];
        if (l->invocation == invocation && l->site == site && l->risc == risc)
            return l;
    }
    struct ttp_invocation *v = &p->invocation[invocation];
    ttp_map_add(&r->lines, hash, (uint32_t)p->nlines);
    struct ttp_line_stat *line = TTP_PUSH(r->arena, p->line, p->nlines);
    *line = (struct ttp_line_stat){.invocation = invocation,
                                   .site = site,
                                   .risc = (uint8_t)risc,
                                   .min = UINT64_MAX,
                                   .next = v->first_line};
    v->first_line = (uint32_t)p->nlines;
    v->lines++;
    return line;
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

    TTP_RESERVE(r->arena, r->kind, (size_t)site + 1, r->cap_kinds);
    TTP_RESERVE(r->arena, p->name, (size_t)site + 1, r->cap_names);
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
    c->kernel_end[risc] = m->end_cycle;
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

static bool same_mark(const struct ttp_zone_mark *a, const struct ttp_zone_mark *b)
{
    return a->kind == b->kind && a->site == b->site && a->start_cycle == b->start_cycle &&
           a->end_cycle == b->end_cycle && a->data == b->data;
}

/* A RISC runs one kernel after the other, so what it has measured by the end of one is older than
 * all that follows. Rows that are older all the same were written twice, one by one or log after
 * log. Totals have the time of the kernel's start and follow its end. */
static bool is_repeated(struct reading *r, const struct owner *of, const struct ttp_zone_mark *m)
{
    const uint32_t core = (uint32_t)(of->core - r->out->core) + 1;
    struct previous *p = &r->previous;
    const bool same_lane = p->core == core && p->risc == of->risc;

    if (of->risc == TTP_KERNEL_OTHER) /* several RISCs */
        return false;
    const bool again = same_lane && same_mark(&p->mark, m);
    const bool old = again || m->kind == TTP_MARK_TOTAL
                         ? same_lane && p->old
                         : m->end_cycle <= of->core->kernel_end[of->risc];
    const bool repeated = again || old;
    *p = (struct previous){core, of->risc, *m, old};
    r->out->repeated += repeated;
    return repeated;
}

static void add_mark(struct reading *r, const struct owner *of, const struct ttp_zone_mark *m)
{
    const enum site_kind kind = site_kind(r, of->log, m->site);
    const enum ttp_kernel_risc risc = of->risc;
    struct ttp_kernel_core *c = of->core;

    if (kind == SITE_FIRMWARE || is_repeated(r, of, m))
        return;
    if (m->kind == TTP_MARK_TOTAL) {
        add_wait(r, c, risc, kind, m->data);
        return;
    }
    if (kind == SITE_KERNEL) {
        add_kernel(c, risc, m);
        return;
    }
    if (!c->has_kernel)
        extend(c, m);
    if (c->pairs[risc] < TTP_KERNEL_MAX_PAIRS)
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
        const struct owner of = {log, find_or_add_core(r, v, lane->core), v, risc_of(lane->risc)};
        for (size_t i = 0; i < lane->nmarks; i++)
            add_mark(r, &of, &lane->mark[i]);
    }
    return TTP_OK;
}

ttp_code ttp_kernel_read_profile(struct ttp_kernel_profile *out, const char *path,
                                 const struct ttp_profile_options *options, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct reading r = {.out = out,
                        .options = options,
                        .arena = arena,
                        .invocations.arena = arena,
                        .cores.arena = arena,
                        .lines.arena = arena};
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
