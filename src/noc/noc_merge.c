/* SPDX-License-Identifier: Apache-2.0 */
/* noc_merge.c - records of several devices in one order, on one clock. */
#include "noc/noc_merge.h"

#include "base/order.h"

/* Devices of one program start within milliseconds of each other; clocks that were never
 * synchronised differ by the time between two resets. */
#define SLACK_CYCLES 100000000ULL

/* ---- sorting; both are stable: equal records keep their order in the files ---- */

struct key {
    uint64_t core; /* device, x, y, RISC */
    uint64_t cycle;
    uint32_t at;
};

TTP_ORDER(by_cycle, struct key, TTP_UP(cycle), TTP_UP(at))

TTP_ORDER(by_core, struct key, TTP_UP(core), by_cycle(x, y))

static uint64_t core_of(const struct ttp_noc_event *e)
{
    return (uint64_t)e->device << 40 | (uint64_t)((uint16_t)e->sx ^ 0x8000U) << 24 |
           (uint64_t)((uint16_t)e->sy ^ 0x8000U) << 8 | e->risc;
}

static bool is_sorted(const struct ttp_noc_trace *t)
{
    for (size_t i = 1; i < t->nevents; i++) {
        const struct key a = {core_of(&t->event[i - 1]), t->event[i - 1].cycle, 0};
        const struct key b = {core_of(&t->event[i]), t->event[i].cycle, 1};
        if (by_core(&a, &b) > 0)
            return false;
    }
    return true;
}

static void sort_events(struct ttp_noc_trace *t, int (*order)(const void *, const void *),
                        struct ttp_arena *arena)
{
    struct ttp_arena scratch = {0};
    struct key *key = TTP_NEW(&scratch, struct key, t->nevents);
    struct ttp_noc_event *sorted = TTP_NEW(arena, struct ttp_noc_event, t->nevents);

    for (size_t i = 0; i < t->nevents; i++)
        key[i] = (struct key){core_of(&t->event[i]), t->event[i].cycle, (uint32_t)i};
    TTP_SORT(key, t->nevents, order);
    for (size_t i = 0; i < t->nevents; i++)
        sorted[i] = t->event[key[i].at];
    t->event = sorted;
    ttp_arena_free(&scratch);
}

static void find_ends(struct ttp_noc_trace *t)
{
    t->first_cycle = t->nevents ? UINT64_MAX : 0;
    t->last_cycle = 0;
    for (size_t i = 0; i < t->nevents; i++) {
        const uint64_t cycle = t->event[i].cycle;
        t->first_cycle = cycle < t->first_cycle ? cycle : t->first_cycle;
        t->last_cycle = cycle > t->last_cycle ? cycle : t->last_cycle;
    }
}

/* ---- clocks ---- */

/* tt-npe: once a time is more than twice the one before, the rest is dropped. */
static uint64_t cut_tail(struct ttp_noc_trace *t)
{
    for (size_t i = 1; i < t->nevents; i++) {
        const uint64_t before = t->event[i - 1].cycle;
        if (before > 1000 && t->event[i].cycle / 2 >= before && t->event[i].cycle > 2 * before) {
            const uint64_t dropped = t->nevents - i;
            t->nevents = i;
            return dropped;
        }
    }
    return 0;
}

struct span {
    uint64_t first, last;
    uint32_t device;
};

TTP_ORDER(by_first, struct span, TTP_UP(first))

/* When the events of each device happened, in order; zones often do not say whose they are. */
static size_t find_spans(struct span *span, const struct ttp_noc_trace *t, struct ttp_arena *arena)
{
    uint32_t *slot = TTP_NEW(arena, uint32_t, TTP_NOC_NOWHERE + 1U);
    size_t n = 0;

    for (size_t i = 0; i < t->nevents; i++) {
        const struct ttp_noc_event *e = &t->event[i];
        if (!e->device_said)
            continue;
        if (slot[e->device] == 0) {
            span[n] = (struct span){e->cycle, e->cycle, e->device};
            slot[e->device] = (uint32_t)++n;
        }
        struct span *s = &span[slot[e->device] - 1];
        s->first = e->cycle < s->first ? e->cycle : s->first;
        s->last = e->cycle > s->last ? e->cycle : s->last;
    }
    TTP_SORT(span, n, by_first);
    return n;
}

static bool spans_agree(const struct span *span, size_t n)
{
    uint64_t end = n ? span[0].last : 0;

    for (size_t i = 1; i < n; i++) {
        if (span[i].first > end && span[i].first - end > SLACK_CYCLES)
            return false;
        end = span[i].last > end ? span[i].last : end;
    }
    return true;
}

static const struct span *nearest(const struct span *span, size_t n, uint64_t cycle)
{
    const struct span *best = span;
    uint64_t distance = UINT64_MAX;

    for (size_t i = 0; i < n; i++) {
        const uint64_t d = cycle < span[i].first  ? span[i].first - cycle
                           : cycle > span[i].last ? cycle - span[i].last
                                                  : 0;
        if (d < distance) {
            distance = d;
            best = &span[i];
        }
    }
    return best;
}

/* Every device begins at cycle 0. Records that do not say whose they are go to the device whose
 * time they are nearest to. */
static void align(struct ttp_noc_trace *t, struct span *span, size_t n)
{
    for (size_t i = 0; i < t->nevents; i++) {
        struct ttp_noc_event *e = &t->event[i];
        if (!e->device_said)
            e->device = e->dst_device = nearest(span, n, e->cycle)->device;
    }
    for (size_t k = 0; k < n; k++) {
        uint64_t first = span[k].first;
        for (size_t i = 0; i < t->nevents; i++)
            if (t->event[i].device == span[k].device && t->event[i].cycle < first &&
                first - t->event[i].cycle <= SLACK_CYCLES)
                first = t->event[i].cycle;
        for (size_t i = 0; i < t->nevents; i++)
            if (t->event[i].device == span[k].device)
                t->event[i].cycle = t->event[i].cycle > first ? t->event[i].cycle - first : 0;
    }
}

static enum ttp_noc_clocks check_clocks(struct ttp_noc_trace *t)
{
    struct ttp_arena scratch = {0};
    struct span *span = TTP_NEW(&scratch, struct span, TTP_NOC_NOWHERE + 1U);
    const size_t n = find_spans(span, t, &scratch);
    const bool agree = spans_agree(span, n);

    if (!agree)
        align(t, span, n);
    ttp_arena_free(&scratch);
    if (n < 2)
        return TTP_NOC_CLOCKS_ONE;
    return agree ? TTP_NOC_CLOCKS_AGREE : TTP_NOC_CLOCKS_ALIGNED;
}

/* ---- fabric ---- */

static ttp_code find_paths(struct ttp_noc_trace *t, const struct ttp_topology *topology,
                           const struct ttp_noc_rules *rules, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    for (size_t i = 0; i < t->nevents; i++) {
        const struct ttp_noc_event *e = &t->event[i];

        if (e->fabric == TTP_NOC_NO_FABRIC || (t->fabric[e->fabric].has_path && !rules->paths_anew))
            continue;
        const char *why = ttp_noc_find_path(t, i, topology, rules->path_slips, arena);
        if (why && rules->strict)
            return ttp_fail(err, TTP_EPARSE, "no path for a fabric event of device %u: %s",
                            e->device, why);
    }
    return TTP_OK;
}

/* ---- gaps ---- */

/* A device that waits for others whose clock or start is unknown: a millisecond, and more. */
#define GAP_CYCLES 1000000ULL
#define GAP_TIMES  10

/* How much time before `cycle` was in gaps; `end` and `lost` describe them in order. */
static uint64_t lost_before(const uint64_t *end, const uint64_t *lost, size_t n, uint64_t cycle)
{
    size_t low = 0;

    TTP_BISECT(low, n, mid, end[mid] <= cycle);
    return low ? lost[low - 1] : 0;
}

/* Take out the times in which no core of any device recorded anything, if that is nearly all. */
static uint64_t close_gaps(struct ttp_noc_trace *t)
{
    struct ttp_arena scratch = {0};
    uint64_t *time = TTP_NEW(&scratch, uint64_t, t->nevents + 1);
    uint64_t *end = TTP_NEW(&scratch, uint64_t, t->nevents + 1);
    uint64_t *lost = TTP_NEW(&scratch, uint64_t, t->nevents + 1);
    uint64_t sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < t->nevents; i++)
        time[i] = t->event[i].cycle;
    TTP_SORT(time, t->nevents, ttp_by_u64);
    for (size_t i = 1; i < t->nevents; i++)
        if (time[i] - time[i - 1] > GAP_CYCLES) {
            sum += time[i] - time[i - 1];
            end[n] = time[i];
            lost[n++] = sum;
        }
    const uint64_t span = t->nevents ? time[t->nevents - 1] - time[0] : 0;
    if (sum / GAP_TIMES <= span - sum)
        sum = 0;
    for (size_t i = 0; i < t->nevents && sum; i++)
        t->event[i].cycle -= lost_before(end, lost, n, t->event[i].cycle);
    ttp_arena_free(&scratch);
    return sum;
}

ttp_code ttp_noc_merge(struct ttp_noc_trace *trace, struct ttp_noc_merging by,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    *by.timing = (struct ttp_noc_timing){.clocks = TTP_NOC_CLOCKS_AGREE};
    if (by.rules->cut_at_jump) {
        sort_events(trace, by_cycle, arena);
        by.timing->dropped_records = cut_tail(trace);
        if (by.timing->dropped_records)
            by.timing->clocks = TTP_NOC_CLOCKS_CUT;
    } else {
        by.timing->clocks = check_clocks(trace);
        by.timing->closed_cycles = close_gaps(trace);
    }
    if (by.topology)
        TTP_TRY(find_paths(trace, by.topology, by.rules, arena, err));
    if (!is_sorted(trace))
        sort_events(trace, by_core, arena);
    find_ends(trace);
    return TTP_OK;
}
