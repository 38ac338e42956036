/* SPDX-License-Identifier: Apache-2.0 */
/* The host: a track for each of its threads, one for its messages. Tracy exports zones by source
 * location, so they are sorted before they can nest. */
#include <inttypes.h>
#include <stdio.h>

#include "base/order.h"
#include "base/spill.h"
#include "outputs/trace/trace_run.h"

enum { RANK_MESSAGES = 2, RANK_THREADS = 10 };
#define HOST_PID 1
/* Longer names help no one on a timeline; the whole text is an argument. */
#define MESSAGE_NAME_MAX 120

struct zone {
    uint32_t thread;
    ttp_sym name; /* of the writer */
    int64_t start_ns, end_ns;
    uint64_t op_id;
    bool has_op;
};

struct hosting {
    struct ttp_tracing *tracing;
    struct ttp_spill *zones;
    struct name {
        ttp_sym name; /* in the writer */
        bool wanted;
    } * name; /* by the reader's symbol */
    size_t nnames;
    ttp_track messages;
};

TTP_ORDER(by_thread_and_time, struct zone, TTP_UP(thread), TTP_UP(start_ns), TTP_DOWN(end_ns),
          TTP_DOWN(has_op), TTP_UP(op_id), TTP_UP(name))

static void learn_names(struct hosting *h, const struct ttp_symtab *names)
{
    if (names->count > h->nnames)
        h->name = ttp_arena_resize(h->tracing->arena, h->name, names->count * sizeof(*h->name));
    for (; h->nnames < names->count; h->nnames++) {
        const ttp_str name = ttp_sym_name(names, (ttp_sym)h->nnames);

        h->name[h->nnames] =
            (struct name){.name = ttp_out_trace_name(&h->tracing->w, name),
                          .wanted = ttp_out_trace_wants_zone(&h->tracing->options->filter, name)};
    }
}

/* Ops are always wanted: arrows begin at them. */
static bool is_wanted(const struct hosting *h, const struct ttp_host_zone *z)
{
    const struct ttp_tracing *t = h->tracing;

    if (z->end_ns >= TTP_TRACE_HOST_NS_MAX || !(h->name[z->name].wanted || z->has_op))
        return false;
    return !t->narrowed || (t->has_window && z->end_ns >= t->from_ns && z->start_ns <= t->to_ns);
}

static ttp_code take_zones(void *arg, const struct ttp_host_zone_batch *batch, struct ttp_err *err)
{
    struct hosting *h = arg;

    learn_names(h, batch->names);
    h->tracing->w.counts.unknown_zones += batch->bad;
    for (size_t i = 0; i < batch->nzones; i++) {
        const struct ttp_host_zone *z = &batch->zone[i];

        if (!is_wanted(h, z))
            continue;
        TTP_TRY(ttp_spill_add(h->zones,
                              &(struct zone){.thread = z->thread,
                                             .name = h->name[z->name].name,
                                             .start_ns = z->start_ns,
                                             .end_ns = z->end_ns,
                                             .op_id = z->op_id,
                                             .has_op = z->has_op},
                              err));
    }
    return TTP_OK;
}

/* A zone that is an op has the op's name, and an arrow to where it ran. */
static bool put_zone(struct ttp_tracing *t, struct ttp_lanes *lanes, const struct zone *z)
{
    const struct ttp_host_log *log = t->run->report->logs.host;
    const struct ttp_host_op *op = z->has_op && log ? ttp_logs_find_op(log, z->op_id) : NULL;
    struct ttp_trace_arg arg[2] = {{TTP_KEY_OP_ID, TTP_ARG_UINT, {.u = z->op_id}},
                                   {TTP_KEY_TEXT, TTP_ARG_NAME, {.name = z->name}}};
    struct ttp_trace_slice s = {.start_ns = z->start_ns + t->host_shift_ns,
                                .end_ns = z->end_ns + t->host_shift_ns,
                                .name = z->name,
                                .arg = arg,
                                .nargs = z->has_op};

    if (op) {
        const ttp_str code = ttp_out_tracing_field(op, "op_code");
        const bool latest = op->has_time && op->start_ns == z->start_ns;

        if (code.len) {
            s.name = ttp_out_trace_name(&t->w, code);
            s.nargs = 2;
        }
        s.flow_out = latest ? t->flow_of_host_op[op - log->op] : 0;
    }
    return ttp_out_lanes_put(lanes, &s);
}

static void name_thread(struct ttp_lanes *lanes, struct ttp_tracing *t, uint32_t thread)
{
    char name[32];

    ttp_out_lanes_finish(lanes);
    snprintf(name, sizeof(name), "Thread %" PRIu32, thread);
    *lanes = (struct ttp_lanes){
        .w = &t->w,
        .spec = {.parent = t->host,
                 .name = ttp_arena_copy(t->arena, ttp_str_from(name)),
                 .kind = TTP_TRACK_THREAD,
                 .rank = RANK_THREADS + (int32_t)(thread > INT32_MAX / 2 ? INT32_MAX / 2 : thread),
                 .pid = HOST_PID,
                 .tid = (int32_t)(thread & INT32_MAX)}};
}

static ttp_code put_threads(struct hosting *h, struct ttp_err *err)
{
    struct ttp_tracing *t = h->tracing;
    struct ttp_lanes *lanes = TTP_NEW(t->arena, struct ttp_lanes, 1);
    uint32_t thread = 0;
    struct zone z;
    bool more;

    TTP_TRY(ttp_spill_sort(h->zones, err));
    for (;;) {
        TTP_TRY(ttp_spill_next(h->zones, &z, &more, err));
        if (!more)
            break;
        if (!lanes->w || z.thread != thread)
            name_thread(lanes, t, z.thread);
        thread = z.thread;
        t->w.counts.lost_zones += !put_zone(t, lanes, &z);
    }
    ttp_out_lanes_finish(lanes);
    return TTP_OK;
}

/* Ops, signposts and replays have places of their own. */
static bool is_shown_elsewhere(ttp_str text)
{
    return ttp_str_has(text, TTP_STR("TT_SIGNPOST")) ||
           ttp_str_starts(text, TTP_STR("TT_METAL_TRACE_REPLAY")) ||
           (ttp_logs_names_op(text) && ttp_str_has(text, TTP_STR("_OP")));
}

static ttp_code take_message(void *arg, ttp_str text, int64_t ns, struct ttp_err *err)
{
    struct hosting *h = arg;
    struct ttp_tracing *t = h->tracing;
    const ttp_str line = ttp_str_slice(text, 0, ttp_str_find_char(text, '\n'));
    const struct ttp_trace_arg whole = {TTP_KEY_TEXT, TTP_ARG_TEXT, {.text = text}};

    (void)err;
    if (ns < 0 || ns >= TTP_TRACE_HOST_NS_MAX || is_shown_elsewhere(text) ||
        (t->narrowed && (!t->has_window || ns < t->from_ns || ns > t->to_ns)))
        return TTP_OK;
    ttp_out_trace_instant(
        &t->w, h->messages,
        &(struct ttp_trace_slice){.start_ns = ns + t->host_shift_ns,
                                  .name = TTP_SYM_NONE,
                                  .text = ttp_str_slice(line, 0, MESSAGE_NAME_MAX),
                                  .arg = &whole,
                                  .nargs = text.len > line.len || line.len > MESSAGE_NAME_MAX});
    return TTP_OK;
}

ttp_code ttp_out_tracing_put_host(struct ttp_tracing *t, struct ttp_err *err)
{
    const struct ttp_logs_options reading = {.threads = t->options->threads,
                                             .progress = t->options->progress,
                                             .doing = "writing zones of the host"};
    struct hosting h = {.tracing = t};
    ttp_code rc = TTP_OK;

    h.messages =
        ttp_out_trace_add_track(&t->w, &(struct ttp_trace_track){.parent = t->host,
                                                                 .name = TTP_STR("Messages"),
                                                                 .kind = TTP_TRACK_SLICES,
                                                                 .rank = RANK_MESSAGES});
    if (t->run->messages && !t->options->op_zones_only)
        TTP_TRY(ttp_logs_stream_messages(t->run->messages, take_message, &h, err));
    if (!t->run->host_zones)
        return TTP_OK;
    TTP_TRY(ttp_spill_open(&h.zones, sizeof(struct zone), by_thread_and_time, 0, err));
    rc = ttp_logs_stream_host_zones(
        t->run->host_zones,
        (struct ttp_host_zone_request){t->options->op_zones_only, take_zones, &h}, &reading,
        t->arena, err);
    if (rc == TTP_OK)
        rc = put_threads(&h, err);
    ttp_spill_close(h.zones);
    return rc;
}
