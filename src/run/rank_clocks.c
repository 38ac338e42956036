/* SPDX-License-Identifier: Apache-2.0 */
/* rank_clocks.c - times of the hosts' logs in the time of all hosts. */
#include <math.h>

#include "base/sink.h"
#include "run/rank_file.h"

static bool has_clocks(const struct ttp_run_rank *r)
{
    return r->has_facts && r->facts.start.realtime_ns > 0 && r->facts.start.tsc > 0 &&
           r->facts.host_log.ns_per_tick > 0 && (r->facts.boot_id.len || r->facts.host.len);
}

/* CLOCK_MONOTONIC_RAW for each tick: between two readings, or as the program measured it. */
static double ns_per_tick(const struct ttp_rank_facts *f)
{
    const double ticks = (double)(f->end.tsc - f->start.tsc),
                 ns = (double)(f->end.monotonic_raw_ns - f->start.monotonic_raw_ns);

    return f->end.realtime_ns > 0 && ticks > 0 && ns > 0 ? ns / ticks : f->host_log.ns_per_tick;
}

struct ttp_mesh_host_clock ttp_run_rank_clock(const struct ttp_run_rank *r, struct ttp_arena *arena)
{
    const struct ttp_rank_facts *f = &r->facts;

    if (!has_clocks(r))
        return (struct ttp_mesh_host_clock){0};
    const double each = ns_per_tick(f);
    const double since = (double)(f->host_log.tick_at_0 - f->start.tsc) * each;
    /* a program begins while it is recorded: its log counts by another counter otherwise */
    if (since < 0 || (f->end.tsc > 0 && f->host_log.tick_at_0 > f->end.tsc))
        return (struct ttp_mesh_host_clock){0};
    return (struct ttp_mesh_host_clock){
        .known = true,
        /* ranks of one start of a machine share its counter */
        .machine = ttp_arena_copy(arena, f->boot_id.len ? f->boot_id : f->host),
        .counter_at_0_ns = f->start.monotonic_raw_ns + (int64_t)llround(since),
        .realtime_ns = f->start.realtime_ns - f->start.monotonic_raw_ns,
        .rate = each / f->host_log.ns_per_tick,
        .error_ns = (double)(f->start.width_ns + f->end.width_ns),
        .end_ns = f->end.realtime_ns > 0 ? f->end.monotonic_raw_ns : 0,
    };
}
