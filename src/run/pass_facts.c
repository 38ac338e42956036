/* SPDX-License-Identifier: Apache-2.0 */
/* pass_facts.c - what one pass recorded: which programs, how long they took, how many markers they
 * wrote. */
#include "base/order.h"
#include "base/vec.h"
#include "run/run_passes.h"

/* Fixed ids of markers in tt-metal's profiler. */
enum { TIMER_NOC_EVENT = 12345, TIMER_COUNTER = 9090 };

/* Markers of one RISC of one core for one program. */
struct lane {
    uint32_t program, core;
    uint8_t risc;
    uint64_t marks;
};

struct reading {
    struct ttp_pass_facts *out;
    struct ttp_arena *arena;
    struct ttp_map programs, lanes;
    struct lane *lane;
    size_t nlanes;
};

static uint32_t program_of(struct reading *r, const struct ttp_exec_key *key)
{
    struct ttp_pass_facts *out = r->out;
    const uint64_t hash = ttp_exec_key_hash(key);
    uint32_t at;

    TTP_MAP_EACH (at, &r->programs, hash)
        if (ttp_exec_key_eq(&out->program[at].key, key))
            return at;
    ttp_map_add(&r->programs, hash, (uint32_t)out->nprograms);
    *TTP_PUSH(r->arena, out->program, out->nprograms) =
        (struct ttp_pass_program){.key = *key, .first = UINT64_MAX};
    return (uint32_t)out->nprograms - 1;
}

static struct lane *lane_of(struct reading *r, uint32_t program, const struct ttp_zone_lane *l)
{
    const uint64_t hash = ttp_hash_u64(program, (uint64_t)l->core << 8 | l->risc);
    uint32_t at;

    TTP_MAP_EACH (at, &r->lanes, hash)
        if (r->lane[at].program == program && r->lane[at].core == l->core &&
            r->lane[at].risc == l->risc)
            return &r->lane[at];
    ttp_map_add(&r->lanes, hash, (uint32_t)r->nlanes);
    struct lane *new_one = TTP_PUSH(r->arena, r->lane, r->nlanes);
    *new_one = (struct lane){.program = program, .core = l->core, .risc = (uint8_t)l->risc};
    return new_one;
}

static void add_zone(struct ttp_pass_program *p, ttp_str name, const struct ttp_zone_mark *m)
{
    if (!ttp_str_ends(name, TTP_STR("-KERNEL")))
        return;
    p->first = m->start_cycle < p->first ? m->start_cycle : p->first;
    p->last = m->end_cycle > p->last ? m->end_cycle : p->last;
}

static ttp_code take(void *arg, const struct ttp_zone_log *log, const struct ttp_zone_batch *batch,
                     struct ttp_err *err)
{
    struct reading *r = arg;

    (void)err;
    for (size_t i = 0; i < batch->nlanes; i++) {
        const struct ttp_zone_lane *l = &batch->lane[i];
        struct ttp_exec_key key = l->key;

        if (key.run_id == 0)
            continue;
        key.device = log->device[log->core[l->core].device];
        const uint32_t program = program_of(r, &key);
        struct lane *lane = lane_of(r, program, l);
        for (size_t k = 0; k < l->nmarks; k++) {
            const struct ttp_zone_mark *m = &l->mark[k];
            if (m->kind == TTP_MARK_ZONE)
                add_zone(&r->out->program[program],
                         ttp_sym_name(&log->names, log->site[m->site].name), m);
            lane->marks += m->kind == TTP_MARK_ZONE ? 2 : 1;
        }
    }
    return TTP_OK;
}

static void see_sites(struct ttp_pass_facts *out, const struct ttp_zone_log *log)
{
    for (size_t i = 0; i < log->nsites; i++) {
        const struct ttp_zone_site *s = &log->site[i];

        out->noc |= s->timer_id == TIMER_NOC_EVENT;
        out->counters |= s->timer_id == TIMER_COUNTER;
        out->lines |= ttp_kernel_is_line(ttp_sym_name(&log->names, s->name));
    }
}

TTP_ORDER(by_key, struct ttp_pass_program, TTP_UP(key.device), TTP_UP(key.run_id),
          TTP_UP(key.trace_id), TTP_UP(key.replay))

static ttp_code read_device(struct ttp_pass_facts *out, const struct ttp_logs_options *options,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct reading r = {.out = out, .arena = arena, .programs.arena = arena, .lanes.arena = arena};
    const struct ttp_zone_request request = {.kinds = 1u << TTP_MARK_ZONE | 1u << TTP_MARK_DATA |
                                                      1u << TTP_MARK_EVENT | 1u << TTP_MARK_TOTAL,
                                             .take = take,
                                             .arg = &r};
    struct ttp_zone_log log;

    TTP_TRY(ttp_logs_stream_zones(&log, out->paths.device, &request, options, arena, err));
    for (size_t i = 0; i < r.nlanes; i++) {
        struct ttp_pass_program *p = &out->program[r.lane[i].program];
        p->marks = r.lane[i].marks > p->marks ? r.lane[i].marks : p->marks;
    }
    see_sites(out, &log);
    TTP_SORT(out->program, out->nprograms, by_key);
    return TTP_OK;
}

ttp_code ttp_run_pass_read(struct ttp_pass_facts *out, const char *dir, unsigned threads,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_logs_options options = {.threads = threads};
    struct ttp_noc_folder traces;

    *out = (struct ttp_pass_facts){.name = dir};
    TTP_TRY(ttp_logs_find(&out->paths, dir, arena, err));
    if (!out->paths.device) {
        ttp_fail(err, TTP_ENOTFOUND, "no profile_log_device.csv: not a pass of a kernel profile");
        ttp_err_where(err, dir, 0);
        ttp_err_hint(err, "record it with 'tt-perf record --mode kernel', or with "
                          "TT_METAL_DEVICE_PROFILER=1");
        return TTP_ENOTFOUND;
    }
    TTP_TRY(read_device(out, &options, arena, err));
    TTP_TRY(ttp_logs_find_noc_traces(&traces, out->paths.folder, arena, err));
    out->noc = traces.nprograms > 0 || traces.unread.count > 0;
    if (out->paths.messages) {
        TTP_TRY(ttp_logs_read_messages(&out->host, out->paths.messages, &options, arena, err));
        out->has_host = out->host.nops > 0;
    }
    return TTP_OK;
}
