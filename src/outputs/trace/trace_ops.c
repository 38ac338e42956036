/* SPDX-License-Identifier: Apache-2.0 */
/* Ops on their devices, with arrows from the host; signposts and replays of traces. */
#include <inttypes.h>
#include <stdio.h>

#include "outputs/trace/trace_run.h"

#define OP_ARGS_MAX 16

/* Numbers of arrows: ops count from 1, replays from here. */
#define REPLAY_FLOWS ((uint64_t)1 << 40)

enum { RANK_OPS };

struct args {
    struct ttp_trace_arg arg[OP_ARGS_MAX];
    size_t count;
};

static void add_uint(struct args *a, enum ttp_trace_key key, uint64_t v)
{
    a->arg[a->count++] = (struct ttp_trace_arg){(uint8_t)key, TTP_ARG_UINT, {.u = v}};
}

static void add_known(struct args *a, enum ttp_trace_key key, int64_t v)
{
    if (v != TTP_NO_ID)
        a->arg[a->count++] = (struct ttp_trace_arg){(uint8_t)key, TTP_ARG_INT, {.i = v}};
}

static void add_real(struct args *a, enum ttp_trace_key key, bool known, double v)
{
    if (known)
        a->arg[a->count++] = (struct ttp_trace_arg){(uint8_t)key, TTP_ARG_REAL, {.f = v}};
}

static void add_text(struct args *a, enum ttp_trace_key key, ttp_str text)
{
    if (text.len)
        a->arg[a->count++] = (struct ttp_trace_arg){(uint8_t)key, TTP_ARG_TEXT, {.text = text}};
}

static void add_fact(struct args *a, const struct ttp_trace_fact *fact)
{
    if (fact->bound)
        add_text(a, TTP_KEY_BOUND, ttp_str_from(fact->bound));
    add_real(a, TTP_KEY_DRAM_PCT, fact->has_dram_pct, fact->dram_pct);
    add_real(a, TTP_KEY_FLOPS_PCT, fact->has_flops_pct, fact->flops_pct);
}

static void collect_args(struct args *a, const struct ttp_tracing *t, const struct ttp_trace_op *op)
{
    a->count = 0;
    add_uint(a, TTP_KEY_OP_ID, op->key.run_id);
    if (op->row != TTP_NPOS)
        add_uint(a, TTP_KEY_REPORT_ID, op->row + 2);
    add_uint(a, TTP_KEY_START_CYCLE, op->start_cycle);
    add_uint(a, TTP_KEY_CYCLES, op->end_cycle - op->start_cycle);
    if (op->kernel_cycles != TTP_NO_ID)
        add_uint(a, TTP_KEY_KERNEL_NS,
                 (uint64_t)ttp_trace_cycles_to_ns((uint64_t)op->kernel_cycles,
                                                  t->device[op->key.device].mhz));
    add_uint(a, TTP_KEY_CORES, op->cores);
    add_known(a, TTP_KEY_TRACE_ID, op->key.trace_id);
    add_known(a, TTP_KEY_REPLAY, op->key.replay);
    add_known(a, TTP_KEY_SUB_DEVICE, op->sub_device);
    if (t->run->fact && op->row != TTP_NPOS)
        add_fact(a, &t->run->fact[op->row]);
    if (!op->host)
        return;
    add_text(a, TTP_KEY_OP_CODE, ttp_out_tracing_field(op->host, "op_code"));
    add_text(a, TTP_KEY_OP_TYPE, ttp_out_tracing_field(op->host, "op_type"));
    add_text(a, TTP_KEY_FIDELITY, op->host->info->fidelity);
    add_text(a, TTP_KEY_ATTRIBUTES, ttp_out_tracing_field(op->host, "attributes"));
}

/* ---- replays ---- */

struct replays {
    const struct ttp_host_log *host;
    uint64_t *first; /* of each entry of host->replays: number of its first replay */
    uint8_t *shown;  /* by that number: an op of it has been written */
    uint64_t count;
};

static void index_replays(struct replays *r, const struct ttp_tracing *t)
{
    *r = (struct replays){.host = t->run->report->logs.host};
    if (!r->host || !r->host->nreplays)
        return;
    r->first = TTP_NEW(t->arena, uint64_t, r->host->nreplays);
    for (size_t i = 0; i < r->host->nreplays; i++) {
        r->first[i] = r->count;
        r->count += r->host->replays[i].count;
    }
    r->shown = TTP_NEW(t->arena, uint8_t, r->count);
}

/* The arrow that ends at the op: from the replay's message to its first op, or from its own zone.
 */
static uint64_t flow_to(struct ttp_tracing *t, struct replays *r, size_t i)
{
    const struct ttp_trace_op *op = &t->op[i];
    const struct ttp_host_log *host = r->host;

    if (!op->host)
        return 0;
    if (op->key.replay == TTP_NO_ID) {
        if (!op->host->has_time || !t->run->host_zones)
            return 0;
        t->flow_of_host_op[op->host - host->op] = (uint32_t)i + 1;
        return i + 1;
    }
    const struct ttp_trace_replays *of =
        ttp_logs_find_replays(host, t->device[op->key.device].id, op->key.trace_id);
    if (!of || !r->first || op->key.replay < 1 || (uint64_t)op->key.replay > of->count)
        return 0;
    const uint64_t number = r->first[of - host->replays] + (uint64_t)op->key.replay - 1;
    if (r->shown[number])
        return 0;
    r->shown[number] = 1;
    return REPLAY_FLOWS + number;
}

static bool in_window(const struct ttp_tracing *t, int64_t ns)
{
    return !t->narrowed || (t->has_window && ns >= t->from_ns && ns <= t->to_ns);
}

static void put_replays(struct ttp_tracing *t, const struct replays *r, ttp_track track)
{
    for (size_t i = 0; r->host && i < r->host->nreplays; i++) {
        const struct ttp_trace_replays *of = &r->host->replays[i];
        char name[96];

        if (!ttp_out_trace_wants_device(&t->options->filter, of->device))
            continue;
        snprintf(name, sizeof(name), "replay trace %" PRId64 " on device %" PRId64, of->trace_id,
                 of->device);
        const ttp_sym sym = ttp_out_trace_name(&t->w, ttp_str_from(name));
        for (size_t k = 0; k < of->count; k++) {
            const struct ttp_trace_arg arg = {TTP_KEY_REPLAY, TTP_ARG_UINT, {.u = k + 1}};
            const uint64_t number = r->first[i] + k;

            if (!in_window(t, of->ns[k]) || of->ns[k] < 0)
                continue;
            ttp_out_trace_instant(&t->w, track,
                                  &(struct ttp_trace_slice){
                                      .start_ns = of->ns[k] + t->host_shift_ns,
                                      .name = sym,
                                      .arg = &arg,
                                      .nargs = 1,
                                      .flow_out = r->shown[number] ? REPLAY_FLOWS + number : 0});
        }
    }
}

/* ---- signposts ---- */

static void put_signpost(struct ttp_tracing *t, ttp_track track, const struct ttp_signpost *s)
{
    ttp_str text = s->text;
    size_t at;

    while ((at = ttp_str_find(text, TTP_STR(": "))) != TTP_NPOS)
        text = ttp_str_slice(text, at + 2, text.len);
    const size_t end = ttp_str_find_char(text, '\n');
    const struct ttp_trace_arg arg = {
        TTP_KEY_TEXT,
        TTP_ARG_TEXT,
        {.text = end == TTP_NPOS ? TTP_STR("") : ttp_str_slice(text, end + 1, text.len)}};

    ttp_out_trace_instant(&t->w, track,
                          &(struct ttp_trace_slice){.start_ns = s->ns + t->host_shift_ns,
                                                    .name = TTP_SYM_NONE,
                                                    .text = ttp_str_slice(text, 0, end),
                                                    .arg = &arg,
                                                    .nargs = arg.v.text.len > 0});
}

static void put_signposts(struct ttp_tracing *t, ttp_track track)
{
    const struct ttp_host_log *host = t->run->report->logs.host;

    for (size_t i = 0; host && i < host->nsignposts; i++)
        if (in_window(t, host->signpost[i].ns) && host->signpost[i].ns >= 0)
            put_signpost(t, track, &host->signpost[i]);
}

/* ---- ops ---- */

static void put_op(struct ttp_tracing *t, struct ttp_lanes *lanes, ttp_track stages, size_t i,
                   uint64_t flow)
{
    const struct ttp_trace_op *op = &t->op[i];
    const struct ttp_trace_device_state *d = &t->device[op->key.device];
    char buf[48];
    struct args args;

    collect_args(&args, t, op);
    struct ttp_trace_slice s = {
        .start_ns = ttp_trace_device_ns(d, op->start_cycle),
        .end_ns = ttp_trace_device_ns(d, op->end_cycle),
        .name = ttp_out_trace_name(&t->w, ttp_out_tracing_op_name(t, op, buf, sizeof(buf))),
        .arg = args.arg,
        .nargs = args.count,
        .flow_in = flow,
    };
    if (!ttp_out_lanes_put(lanes, &s))
        t->w.counts.lost_zones++;
    ttp_out_trace_stage(&t->w, stages,
                        &(struct ttp_out_trace_stage){.start_ns = s.start_ns,
                                                      .end_ns = s.end_ns,
                                                      .id = i,
                                                      .name = s.name,
                                                      .grid = op->cores,
                                                      .threads = op->threads ? op->threads : 1,
                                                      .arg = args.arg,
                                                      .nargs = args.count});
}

ttp_code ttp_out_tracing_put_ops(struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_host_log *host = t->run->report->logs.host;
    struct ttp_lanes *lanes = TTP_NEW(t->arena, struct ttp_lanes, 1);
    const ttp_track signposts = ttp_out_trace_add_track(
        &t->w, &(struct ttp_trace_track){
                   .parent = t->host, .name = TTP_STR("Signposts"), .kind = TTP_TRACK_SLICES});
    const ttp_track replaying =
        ttp_out_trace_add_track(&t->w, &(struct ttp_trace_track){.parent = t->host,
                                                                 .name = TTP_STR("Trace replays"),
                                                                 .kind = TTP_TRACK_SLICES,
                                                                 .rank = 1});
    struct replays replays;
    ttp_track stages = 0;
    uint32_t device = UINT32_MAX;

    (void)err;
    index_replays(&replays, t);
    t->flow_of_host_op = TTP_NEW(t->arena, uint32_t, host ? host->nops : 0);
    for (size_t i = 0; i < t->nops; i++) {
        const struct ttp_trace_op *op = &t->op[i];

        if (!op->wanted)
            continue;
        if (op->key.device != device) {
            device = (uint32_t)op->key.device;
            ttp_out_lanes_finish(lanes);
            *lanes = (struct ttp_lanes){.w = &t->w,
                                        .flat = true,
                                        .spec = {.parent = t->device[device].group,
                                                 .name = TTP_STR("Ops"),
                                                 .kind = TTP_TRACK_SLICES,
                                                 .rank = RANK_OPS}};
            stages = ttp_out_trace_add_track(
                &t->w, &(struct ttp_trace_track){
                           .name = TTP_STR("Ops"), .kind = TTP_TRACK_STAGES, .device = device});
        }
        put_op(t, lanes, stages, i, flow_to(t, &replays, i));
    }
    ttp_out_lanes_finish(lanes);
    put_signposts(t, signposts);
    put_replays(t, &replays, replaying);
    return TTP_OK;
}
