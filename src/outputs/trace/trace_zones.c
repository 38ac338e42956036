/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of the device log on tracks of their own: device, core, RISC. They come in the order of
 * their ends and leave as brackets: walking the list backwards, a zone ends before what is inside
 * it, and begins after, so the events of a lane are collected from the last to the first. */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "outputs/trace/trace_run.h"

enum { RANK_CORES = 16, CORE_ROW = 1000 };

/* Static ids of the profiler's own data (profiler_common.h): they are not events of a program. */
enum { TIMER_COUNTER = 9090, TIMER_NOC = 12345, TIMER_NOC_DEBUG = 23456 };

struct risc {
    ttp_sym name;
    ttp_track track;
    uint32_t next; /* of the same core: position + 1 */
};

struct core {
    bool known, wanted;
    uint32_t device; /* position */
    ttp_track group;
    uint32_t first; /* RISC: position + 1 */
};

struct site {
    bool known, wanted, has_source;
    ttp_sym name, source;
};

/* One bracket of a lane. */
struct bracket {
    uint32_t mark;
    bool begins;
};

struct zoning {
    struct ttp_tracing *tracing;
    struct core *core;
    size_t ncores;
    struct risc *risc;
    size_t nriscs;
    struct site *site;
    size_t nsites;
    struct bracket *bracket;
    uint32_t *open; /* marks that are open, walking backwards */
    size_t cap_marks;
    struct {
        struct ttp_exec_key key;
        bool valid, wanted;
    } last; /* the key that was looked up last */
};

static struct core *core_of(struct zoning *z, const struct ttp_zone_log *log, uint32_t at)
{
    struct ttp_tracing *t = z->tracing;

    if (at >= z->ncores) {
        z->core = ttp_arena_resize(t->arena, z->core, log->ncores * sizeof(*z->core));
        z->ncores = log->ncores;
    }
    struct core *c = &z->core[at];
    if (TTP_LIKELY(c->known))
        return c;
    const struct ttp_core *place = &log->core[at];
    const size_t device = ttp_out_tracing_device(t, log->device[place->device]);
    char name[64];

    c->known = true;
    c->device = (uint32_t)device;
    c->wanted = device != TTP_NPOS && t->device[device].wanted &&
                ttp_out_trace_wants_core(&t->options->filter, place->x, place->y);
    if (!c->wanted)
        return c;
    snprintf(name, sizeof(name), "Core (%" PRId32 ",%" PRId32 ")", place->x, place->y);
    c->group = ttp_out_trace_add_track(
        &t->w, &(struct ttp_trace_track){.parent = t->device[device].group,
                                         .name = ttp_str_from(name),
                                         .kind = TTP_TRACK_GROUP,
                                         .rank = RANK_CORES + (place->y % CORE_ROW) * CORE_ROW +
                                                 place->x % CORE_ROW});
    return c;
}

static ttp_track track_of(struct zoning *z, const struct ttp_zone_log *log, struct core *c,
                          const struct ttp_zone_lane *lane)
{
    for (uint32_t at = c->first; at; at = z->risc[at - 1].next)
        if (z->risc[at - 1].name == lane->risc_name)
            return z->risc[at - 1].track;
    TTP_ROOM(z->tracing->arena, z->risc, z->nriscs);
    z->risc[z->nriscs] = (struct risc){
        .name = lane->risc_name,
        .track = ttp_out_trace_add_track(
            &z->tracing->w,
            &(struct ttp_trace_track){.parent = c->group,
                                      .name = ttp_sym_name(&log->names, lane->risc_name),
                                      .kind = TTP_TRACK_SLICES,
                                      .rank = (int32_t)lane->risc}),
        .next = c->first,
    };
    c->first = (uint32_t)++z->nriscs;
    return z->risc[z->nriscs - 1].track;
}

static const struct site *site_of(struct zoning *z, const struct ttp_zone_log *log, uint32_t at)
{
    struct ttp_tracing *t = z->tracing;

    if (at >= z->nsites) {
        z->site = ttp_arena_resize(t->arena, z->site, log->nsites * sizeof(*z->site));
        z->nsites = log->nsites;
    }
    struct site *s = &z->site[at];
    if (TTP_LIKELY(s->known))
        return s;
    const struct ttp_zone_site *place = &log->site[at];
    const ttp_str name = ttp_sym_name(&log->names, place->name);
    const ttp_str file = ttp_sym_name(&log->names, place->file);

    s->known = true;
    s->wanted = name.len && ttp_out_trace_wants_zone(&t->options->filter, name) &&
                place->timer_id != TIMER_COUNTER && place->timer_id != TIMER_NOC &&
                place->timer_id != TIMER_NOC_DEBUG;
    if (!s->wanted)
        return s;
    s->name = ttp_out_trace_name(&t->w, name);
    s->has_source = file.len > 0;
    if (s->has_source) {
        s->source = ttp_out_trace_name(
            &t->w, ttp_sink_format(t->arena, "%.*s:%" PRIu32, TTP_FMT(file), place->line));
    }
    return s;
}

static bool wants_lane(struct zoning *z, const struct core *c, const struct ttp_zone_lane *lane)
{
    if (!c->wanted)
        return false;
    if (!z->tracing->narrowed)
        return true;
    struct ttp_exec_key key = lane->key;
    key.device = c->device;
    if (!z->last.valid || !ttp_exec_key_eq(&z->last.key, &key)) {
        const struct ttp_trace_op *op = ttp_out_tracing_find(z->tracing, &key);

        z->last.valid = true;
        z->last.key = key;
        z->last.wanted = op && op->wanted;
    }
    return z->last.wanted;
}

/* Is mark i inside the one that was opened last? */
static bool is_inside(const struct ttp_zone_mark *outer, const struct ttp_zone_mark *inner)
{
    return inner->depth > outer->depth && inner->start_cycle >= outer->start_cycle &&
           inner->end_cycle <= outer->end_cycle;
}

/* Brackets of the zones of a lane, the last first. */
static size_t collect(struct zoning *z, const struct ttp_zone_log *log,
                      const struct ttp_zone_lane *lane)
{
    size_t n = 0, depth = 0;

    if (lane->nmarks > z->cap_marks) {
        z->cap_marks = lane->nmarks * 2;
        z->bracket =
            ttp_arena_resize(z->tracing->arena, z->bracket, z->cap_marks * 2 * sizeof(*z->bracket));
        z->open = ttp_arena_resize(z->tracing->arena, z->open, z->cap_marks * sizeof(*z->open));
    }
    for (size_t i = lane->nmarks; i-- > 0;) {
        const struct ttp_zone_mark *m = &lane->mark[i];

        if (m->kind != TTP_MARK_ZONE || !site_of(z, log, m->site)->wanted)
            continue;
        if (m->end_cycle >= TTP_TRACE_CYCLE_MAX) {
            z->tracing->w.counts.lost_zones++;
            continue;
        }
        while (depth && !is_inside(&lane->mark[z->open[depth - 1]], m))
            z->bracket[n++] = (struct bracket){z->open[--depth], true};
        z->bracket[n++] = (struct bracket){(uint32_t)i, false};
        z->open[depth++] = (uint32_t)i;
    }
    while (depth)
        z->bracket[n++] = (struct bracket){z->open[--depth], true};
    return n;
}

static void put_begin(struct zoning *z, const struct core *c, ttp_track track,
                      const struct ttp_zone_lane *lane, const struct ttp_zone_mark *m)
{
    const struct ttp_trace_device_state *d = &z->tracing->device[c->device];
    const struct site *site = &z->site[m->site];
    struct ttp_trace_arg arg[4];
    size_t n = 0;

    arg[n++] = (struct ttp_trace_arg){TTP_KEY_START_CYCLE, TTP_ARG_UINT, {.u = m->start_cycle}};
    arg[n++] =
        (struct ttp_trace_arg){TTP_KEY_CYCLES, TTP_ARG_UINT, {.u = m->end_cycle - m->start_cycle}};
    if (site->has_source)
        arg[n++] = (struct ttp_trace_arg){TTP_KEY_SOURCE, TTP_ARG_NAME, {.name = site->source}};
    if (m->depth == 0 && lane->key.run_id)
        arg[n++] = (struct ttp_trace_arg){TTP_KEY_OP_ID, TTP_ARG_UINT, {.u = lane->key.run_id}};
    ttp_out_trace_begin(
        &z->tracing->w, track,
        &(struct ttp_trace_slice){.start_ns = ttp_trace_device_ns(d, m->start_cycle),
                                  .end_ns = ttp_trace_device_ns(d, m->end_cycle),
                                  .name = site->name,
                                  .arg = arg,
                                  .nargs = n});
}

static void put_event(struct zoning *z, const struct core *c, ttp_track track,
                      const struct ttp_zone_log *log, const struct ttp_zone_mark *m)
{
    const struct site *site = site_of(z, log, m->site);
    const struct ttp_trace_arg arg[] = {{TTP_KEY_START_CYCLE, TTP_ARG_UINT, {.u = m->start_cycle}},
                                        {TTP_KEY_DATA, TTP_ARG_UINT, {.u = m->data}}};

    if (!site->wanted || m->start_cycle >= TTP_TRACE_CYCLE_MAX)
        return;
    ttp_out_trace_instant(
        &z->tracing->w, track,
        &(struct ttp_trace_slice){
            .start_ns = ttp_trace_device_ns(&z->tracing->device[c->device], m->start_cycle),
            .name = site->name,
            .arg = arg,
            .nargs = m->kind == TTP_MARK_DATA ? 2 : 1});
}

static void put_lane(struct zoning *z, const struct ttp_zone_log *log,
                     const struct ttp_zone_lane *lane)
{
    struct core *c = core_of(z, log, lane->core);

    if (!wants_lane(z, c, lane))
        return;
    const ttp_track track = track_of(z, log, c, lane);
    const struct ttp_trace_device_state *d = &z->tracing->device[c->device];
    for (size_t n = collect(z, log, lane); n-- > 0;) {
        const struct ttp_zone_mark *m = &lane->mark[z->bracket[n].mark];

        if (z->bracket[n].begins)
            put_begin(z, c, track, lane, m);
        else
            ttp_out_trace_end(&z->tracing->w, track, ttp_trace_device_ns(d, m->end_cycle));
    }
    for (size_t i = 0; i < lane->nmarks; i++)
        if (lane->mark[i].kind != TTP_MARK_ZONE)
            put_event(z, c, track, log, &lane->mark[i]);
}

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    (void)err;
    for (size_t i = 0; i < batch->nlanes; i++)
        put_lane(arg, log, &batch->lane[i]);
    return TTP_OK;
}

ttp_code ttp_out_tracing_put_zones(struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_logs_options reading = {.threads = t->options->threads,
                                             .progress = t->options->progress,
                                             .doing = "writing zones of devices"};
    struct zoning z = {.tracing = t};
    const struct ttp_zone_request request = {.kinds = 1u << TTP_MARK_ZONE | 1u << TTP_MARK_EVENT |
                                                      1u << TTP_MARK_DATA,
                                             .take = take,
                                             .arg = &z};
    struct ttp_zone_log log;

    if (!t->run->device_log)
        return TTP_OK;
    TTP_TRY(ttp_logs_stream_zones(&log, t->run->device_log, &request, &reading, t->arena, err));
    t->w.counts.lost_zones += log.orphan_starts + log.orphan_ends + log.backward_zones;
    return TTP_OK;
}
