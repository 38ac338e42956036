/* SPDX-License-Identifier: Apache-2.0 */
/* noc_zones.c - zones of a NoC trace, by core and RISC.
 *
 * tt-npe first collects the zones of every core and RISC, then walks through the records. A record
 * whose core has zones moves along that core's zones up to its own time, from their beginning if
 * the record before was another core's; a record whose core has none leaves everything as it is.
 * With records in order of core, RISC and time that is what one expects; it matters where they are
 * not. */
#include "base/order.h"
#include "base/vec.h"
#include "noc/noc.h"

#include <inttypes.h>

struct ttp_noc_zone_list {
    uint64_t core;
    size_t first, end; /* in ttp_noc_zone_walk.zone */
};

/* Device, place and RISC, all cut to size. A RISC that is unknown counts as `*last`, the one
 * before, where values are cut: tt-npe reads a variable that was not set. */
static uint64_t core_of(const struct ttp_noc_trace *trace, const struct ttp_noc_event *e,
                        uint8_t *last)
{
    const bool known = e->risc != TTP_NOC_RISC_NONE && e->risc != TTP_NOC_RISC_OTHER;
    const uint64_t risc = known || !trace->cut_values ? e->risc : *last;

    *last = (uint8_t)risc;
    return (uint64_t)(uint16_t)e->device << 40 | (uint64_t)(uint16_t)e->sy << 24 |
           (uint64_t)(uint16_t)e->sx << 8 | risc;
}

static bool is_zone(const struct ttp_noc_event *e)
{
    return (e->type == TTP_NOC_ZONE_START || e->type == TTP_NOC_ZONE_END) &&
           e->risc != TTP_NOC_RISC_NONE && e->sx != TTP_NOC_UNSAID && e->sy != TTP_NOC_UNSAID;
}

double ttp_noc_zone_cycle(const struct ttp_noc_trace *trace, const struct ttp_noc_event *e)
{
    if (trace->cut_values)
        return (double)e->cycle - (double)trace->first_cycle;
    return (double)(e->cycle - trace->first_cycle);
}

struct keyed {
    uint64_t core;
    uint32_t record;
};

TTP_ORDER(by_core, struct keyed, TTP_UP(core), TTP_UP(record))

/* `n`: of `key`, in order. */
static void make_lists(struct ttp_noc_zone_walk *w, const struct keyed *key, size_t n)
{
    w->zone = TTP_NEW(w->arena, uint32_t, n + 1);
    w->list = TTP_NEW(w->arena, struct ttp_noc_zone_list, n + 1);
    for (size_t i = 0; i < n; i++) {
        w->zone[i] = key[i].record;
        if (i == 0 || key[i].core != key[i - 1].core)
            w->list[w->nlists++] = (struct ttp_noc_zone_list){key[i].core, i, i};
        w->list[w->nlists - 1].end = i + 1;
    }
}

void ttp_noc_zones_init(struct ttp_noc_zone_walk *out, const struct ttp_noc_trace *trace,
                        struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0};
    struct keyed *key = TTP_NEW(&scratch, struct keyed, trace->nevents + 1);
    uint8_t last = TTP_NOC_RISC_BRISC;
    size_t n = 0;

    *out = (struct ttp_noc_zone_walk){.trace = trace, .arena = arena, .last = last};
    for (size_t i = 0; i < trace->nevents; i++)
        if (is_zone(&trace->event[i]))
            key[n++] = (struct keyed){core_of(trace, &trace->event[i], &last), (uint32_t)i};
    TTP_SORT(key, n, by_core);
    make_lists(out, key, n);
    out->count = TTP_NEW(arena, uint32_t, trace->names.count + 1U);
    ttp_arena_free(&scratch);
}

size_t ttp_noc_zones_of(const uint32_t **out, const struct ttp_noc_zone_walk *w, size_t list)
{
    *out = w->zone + w->list[list].first;
    return w->list[list].end - w->list[list].first;
}

enum ttp_noc_risc ttp_noc_zones_risc(const struct ttp_noc_zone_walk *w, size_t list)
{
    return (enum ttp_noc_risc)(w->list[list].core & 0xff);
}

static const struct ttp_noc_zone_list *find_list(const struct ttp_noc_zone_walk *w, uint64_t core)
{
    size_t low = 0;

    if (w->at && w->at->core == core)
        return w->at;
    TTP_BISECT(low, w->nlists, mid, w->list[mid].core < core);
    return low < w->nlists && w->list[low].core == core ? &w->list[low] : NULL;
}

static void open_zone(struct ttp_noc_zone_walk *w, ttp_sym name)
{
    *TTP_PUSH_WITHIN(w->arena, w->open, w->nopen, w->cap_open) =
        (struct ttp_noc_open_zone){name, w->count[name]++};
}

/* False: an end that does not end the innermost zone. */
static bool step(struct ttp_noc_zone_walk *w, const struct ttp_noc_event *e)
{
    if (e->type == TTP_NOC_ZONE_START) {
        open_zone(w, e->name);
        return true;
    }
    if (w->nopen == 0 || w->open[w->nopen - 1].name != e->name)
        return false;
    w->nopen--;
    return true;
}

static void enter_list(struct ttp_noc_zone_walk *w, const struct ttp_noc_zone_list *list)
{
    for (size_t i = w->at ? w->at->first : 0; w->at && i < w->at->end; i++)
        w->count[w->trace->event[w->zone[i]].name] = 0;
    w->at = list;
    w->next = list->first;
    w->nopen = 0;
}

static ttp_code refuse(const struct ttp_noc_trace *trace, size_t record, const char *what,
                       struct ttp_err *err)
{
    const struct ttp_noc_event *e = &trace->event[record];

    ttp_fail(err, TTP_EPARSE, "record %zu (core %" PRId32 "-%" PRId32 " %s): %s", record, e->sx,
             e->sy, ttp_logs_noc_risc_name((enum ttp_noc_risc)e->risc), what);
    return TTP_EPARSE;
}

ttp_code ttp_noc_zones_refuse_end(const struct ttp_noc_trace *trace, size_t record,
                                  struct ttp_err *err)
{
    return refuse(trace, record, "it ends a zone that is not the innermost", err);
}

static ttp_code look_at(struct ttp_noc_zone_walk *w, size_t record, struct ttp_err *err)
{
    const struct ttp_noc_trace *trace = w->trace;
    const struct ttp_noc_event *e = &trace->event[record];
    const struct ttp_noc_zone_list *list = find_list(w, core_of(trace, e, &w->last));

    if (!list) {
        if (!w->at && trace->strict_zones)
            return refuse(trace, record, "no zones on the core of the first record", err);
        w->away = !trace->strict_zones;
        return TTP_OK;
    }
    w->away = false;
    if (list != w->at)
        enter_list(w, list);
    while (w->next < list->end) {
        const uint32_t zone = w->zone[w->next];
        if (ttp_noc_zone_cycle(trace, &trace->event[zone]) >
            (double)(e->cycle - trace->first_cycle))
            break;
        if (!step(w, &trace->event[zone]) && trace->strict_zones)
            return ttp_noc_zones_refuse_end(trace, zone, err);
        w->next++;
    }
    return TTP_OK;
}

ttp_code ttp_noc_zones_enter(struct ttp_noc_zone_walk *w, size_t event, struct ttp_err *err)
{
    for (; w->record <= event && w->record < w->trace->nevents; w->record++)
        TTP_TRY(look_at(w, w->record, err));
    return TTP_OK;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void pair_up(struct ttp_noc_unpaired *out, const struct ttp_noc_event *event,
                    const uint32_t *zone, size_t n, uint32_t *stack)
{
    size_t depth = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_noc_event *e = &event[zone[i]];
        if (e->type == TTP_NOC_ZONE_START) {
            stack[depth++] = zone[i];
        } else if (depth && event[stack[depth - 1]].name == e->name) {
            depth--;
        } else {
            out->count++;
            out->first = least(zone[i], out->first);
            out->first_end = least(zone[i], out->first_end);
        }
    }
    out->count += depth;
    if (depth)
        out->first = least(stack[0], out->first);
}

void ttp_noc_zones_unpaired(struct ttp_noc_unpaired *out, const struct ttp_noc_zone_walk *w,
                            struct ttp_arena *scratch)
{
    *out = (struct ttp_noc_unpaired){0, UINT32_MAX, UINT32_MAX};
    for (size_t k = 0; k < w->nlists; k++) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        const uint32_t *zone;
        const size_t n = ttp_noc_zones_of(&zone, w, k);
        pair_up(out, w->trace->event, zone, n, TTP_NEW(scratch, uint32_t, n));
        ttp_arena_rewind(scratch, mark);
    }
}
