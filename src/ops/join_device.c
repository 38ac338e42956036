/* SPDX-License-Identifier: Apache-2.0 */
/* Host ops joined with the device log. Each execution is joined by its key; or by
 * position: both lists are sorted by id and must be equal, and replays are distinguished by
 * repeated ids. */
#include "base/order.h"
#include "base/vec.h"
#include "ops/join.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DEVICE_LOG "profile_log_device.csv"

struct joining_device {
    struct ttp_joining *joining;
    const struct ttp_host_device *host;
    struct ttp_device_ops found;
    uint32_t device; /* position in log->device */
};

/* A host op's turn on the device. */
struct turn {
    uint32_t op; /* in host->op */
    uint64_t id;
    bool replay;
    int64_t session, time_ns;
};

TTP_ORDER(by_first_cycle, struct ttp_device_op *const,
          TTP_COMPARE((*x)->first_cycle, (*y)->first_cycle), TTP_COMPARE(*x, *y))

TTP_ORDER(by_id_and_cycle, struct ttp_device_op *const, TTP_COMPARE((*x)->first_id, (*y)->first_id),
          by_first_cycle(x, y))

/* Current dispatchers write the low 16 bits of the program's own number, of which an op id is the
 * encoding: then it is the next op of such a number to start. */
static size_t find_dispatched(const struct ttp_dispatch_op *dispatch,
                              struct ttp_device_op *const *op, size_t nops, bool ids_only)
{
    size_t found = nops;

    for (size_t i = 0; i < nops; i++)
        if (op[i]->first_id == dispatch->run_id)
            return i;
    for (size_t i = 0; i < nops && !ids_only; i++)
        if ((op[i]->first_id >> 10 & 0xFFFF) == dispatch->run_id &&
            op[i]->first_cycle >= dispatch->first_cycle &&
            (found == nops || op[i]->first_cycle < op[found]->first_cycle))
            found = i;
    return found;
}

/* Strictly, all that dispatch cores did has an analysis that was asked for. */
static ttp_code check_dispatch(const struct joining_device *d,
                               const struct ttp_dispatch_op *dispatch, struct ttp_err *err)
{
    const uint32_t wanted = d->joining->wanted;

    if (!d->joining->options->rules.strict ||
        (dispatch->command.count >= 2 && (wanted >> TTP_AN_DISPATCH_COMMAND & 1)) ||
        (dispatch->go.count >= 2 && (wanted >> TTP_AN_DISPATCH_GO & 1)))
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE,
             "op %" PRIu64 " on a dispatch core of device %" PRId64
             " has none of the requested analyses",
             dispatch->run_id, d->host->id);
    ttp_err_where(err, DEVICE_LOG, dispatch->line);
    return TTP_EPARSE;
}

/* The first op of that id gets the dispatch core's times for it. */
static ttp_code attach_dispatch(struct joining_device *d, struct ttp_device_op **op, size_t nops,
                                bool replays, struct ttp_err *err)
{
    const struct ttp_device_log *log = d->joining->logs->device;

    for (size_t i = 0; i < log->ndispatch; i++) {
        const struct ttp_dispatch_op *dispatch = &log->dispatch[i];

        if (dispatch->device != d->device)
            continue;
        TTP_TRY(check_dispatch(d, dispatch, err));
        const size_t at =
            find_dispatched(dispatch, op, nops, d->joining->options->rules.by_position);
        if (at < nops) {
            const struct ttp_span *span[] = {&dispatch->command, &dispatch->go};
            for (size_t k = 0; k < 2; k++)
                if (span[k]->count >= 2)
                    op[at]->span[TTP_AN_DISPATCH_COMMAND + k] =
                        (struct ttp_measure){true, (int64_t)span[k]->first, (int64_t)span[k]->last,
                                             (int64_t)(span[k]->last - span[k]->first)};
            continue;
        }
        if (replays)
            continue;
        if (d->joining->options->rules.strict) {
            ttp_fail(err, TTP_EPARSE,
                     "a dispatch core of device %" PRId64 " names op %" PRIu64
                     ", which no worker core ran",
                     d->host->id, dispatch->run_id);
            ttp_err_where(err, DEVICE_LOG, dispatch->line);
            ttp_err_hint(err, "%s", ttp_ops_problem_hint(TTP_PROBLEM_DISPATCH_UNMATCHED));
            return TTP_EPARSE;
        }
        ttp_ops_problem_add(&d->joining->report->problem[TTP_PROBLEM_DISPATCH_UNMATCHED],
                            DEVICE_LOG, dispatch->line, "op %" PRIu64 " on device %" PRId64,
                            dispatch->run_id, d->host->id);
    }
    return TTP_OK;
}

/* Ops as the host has them, and as the device shows them. */
struct both_sides {
    const struct turn *turn;
    size_t nturns;
    struct ttp_device_op **op;
    size_t nops;
};

static ttp_code mismatch(const struct joining_device *d, struct both_sides side,
                         struct ttp_err *err)
{
    char which[96] = "", line[24] = "";
    size_t at = 0;

    while (at < side.nturns && at < side.nops && side.op[at]->first_id == side.turn[at].id)
        at++;
    if (at < side.nturns && at < side.nops)
        snprintf(which, sizeof(which),
                 ": the device shows op %" PRIu64 " where the host has op %" PRIu64,
                 side.op[at]->first_id, side.turn[at].id);
    else if (at < side.nturns)
        snprintf(which, sizeof(which), ": op %" PRIu64 " of the host is missing", side.turn[at].id);
    else if (at < side.nops)
        snprintf(which, sizeof(which), ": the host has no op %" PRIu64, side.op[at]->first_id);
    if (at < side.nops)
        snprintf(line, sizeof(line), ":%" PRIu64, side.op[at]->exec->line);
    ttp_fail(err, TTP_EPARSE,
             "device data mismatch: expected %zu ops but received %zu on device %" PRId64
             "%s (" DEVICE_LOG "%s)",
             side.nturns, side.nops, d->host->id, which, line);
    ttp_err_hint(err, "markers were lost, or an op ran without a host message");
    if (at < side.nturns)
        ttp_err_where(err, "tracy_ops_data.csv", d->joining->logs->host->op[side.turn[at].op].line);
    else if (at < side.nops)
        ttp_err_where(err, DEVICE_LOG, side.op[at]->exec->line);
    return TTP_EPARSE;
}

static void put_turn(struct joining_device *d, const struct turn *turn,
                     const struct ttp_device_op *op)
{
    struct ttp_joining *j = d->joining;
    const struct ttp_host_op *host = &j->logs->host->op[turn->op];
    struct ttp_report_row row = j->host[turn->op];

    row.device = op;
    row.session = turn->replay ? turn->session : TTP_NO_ID;
    row.key = j->look ? j->look->counters(j->look, d->device, op, row.session)
              : op->exec->replay == row.session ? op->exec
                                                : NULL;
    row.sub_device = ttp_ops_join_sub_device(
        j, (struct ttp_exec_key){d->host->id, host->id, host->trace_id, row.session});
    /* the record goes by the id of the op's last marker, which in damaged data is not
     * that of its first: it then takes the place of another op */
    row.id = op->last_id;
    if (!turn->replay) {
        const struct ttp_host_op *place = ttp_logs_find_op(j->logs->host, op->last_id);

        if (place)
            j->host[place - j->logs->host->op] = row;
        return;
    }
    row.replay = true;
    row.trace_id = host->trace_id;
    row.time_ns = turn->time_ns;
    ttp_ops_join_put_replay(j, &row);
}

/* A trace on its way through the replays of a device. */
struct trace_walk {
    int64_t trace_id;
    const struct ttp_trace_replays *replays;
    size_t next;   /* replay that ops belong to now */
    uint64_t *ids; /* that were seen in it */
    size_t nids, cap;
};

struct walk {
    struct trace_walk *trace;
    size_t ntraces;
};

static struct trace_walk *find_trace(struct walk *w, struct joining_device *d, int64_t trace_id)
{
    struct ttp_joining *j = d->joining;

    for (size_t i = 0; i < w->ntraces; i++)
        if (w->trace[i].trace_id == trace_id)
            return &w->trace[i];
    TTP_ROOM(j->arena, w->trace, w->ntraces);
    w->trace[w->ntraces] =
        (struct trace_walk){.trace_id = trace_id,
                            .replays = ttp_logs_find_replays(j->logs->host, d->host->id, trace_id)};
    return &w->trace[w->ntraces++];
}

/* An id that comes again begins the next replay. */
static void step(struct trace_walk *t, uint64_t id, struct ttp_arena *arena)
{
    for (size_t i = 0; i < t->nids; i++)
        if (t->ids[i] == id) {
            t->next++;
            t->nids = 0;
        }
    *TTP_PUSH_WITHIN(arena, t->ids, t->nids, t->cap) = id;
}

static ttp_code walk_replays(struct joining_device *d, struct ttp_device_op **op, size_t *nops,
                             struct turn *turn, size_t *nturns, struct ttp_err *err)
{
    const struct ttp_host_log *host = d->joining->logs->host;
    struct walk w = {0};
    size_t kept = 0;

    *nturns = 0;
    for (size_t i = 0; i < *nops; i++) {
        const struct ttp_host_op *known = ttp_logs_find_op(host, op[i]->first_id);
        struct turn t = {.session = TTP_NO_ID};

        if (!known || !known->info->has_device || known->info->device != d->host->id)
            continue;
        t.op = (uint32_t)(known - host->op);
        t.id = known->id;
        op[kept++] = op[i];
        if (known->trace_id != TTP_NO_ID) {
            struct trace_walk *trace = find_trace(&w, d, known->trace_id);

            step(trace, known->id, d->joining->arena);
            if (!trace->replays || trace->next >= trace->replays->count) {
                ttp_fail(err, TTP_EPARSE,
                         "device %" PRId64 " replayed trace %" PRId64
                         " more often than the host's %zu messages (op %" PRIu64 ")",
                         d->host->id, known->trace_id, trace->replays ? trace->replays->count : 0,
                         known->id);
                ttp_err_where(err, "tracy_ops_data.csv", known->line);
                return TTP_EPARSE;
            }
            t.replay = true;
            t.session = (int64_t)trace->next + 1;
            t.time_ns = trace->replays->ns[trace->next];
        }
        turn[(*nturns)++] = t;
    }
    *nops = kept;
    return TTP_OK;
}

TTP_ORDER(by_id_and_session, struct turn, TTP_UP(id), TTP_UP(session))

/* Both lists by id, one next to the other. */
static ttp_code join_by_position(struct joining_device *d, struct ttp_err *err)
{
    struct ttp_joining *j = d->joining;
    const bool replays = j->logs->host->nreplays > 0;
    size_t nops = d->found.nops, nturns = d->host->nops;
    struct ttp_device_op **op = TTP_NEW(j->arena, struct ttp_device_op *, nops);
    struct turn *turn = TTP_NEW(j->arena, struct turn, nops > nturns ? nops : nturns);

    for (size_t i = 0; i < nops; i++)
        op[i] = &d->found.op[i];
    if (nops)
        qsort(op, nops, sizeof(struct ttp_device_op *), by_first_cycle);
    for (size_t i = 0; i < nturns; i++)
        turn[i] = (struct turn){
            .op = d->host->op[i], .id = j->logs->host->op[d->host->op[i]].id, .session = TTP_NO_ID};
    if (replays)
        TTP_TRY(walk_replays(d, op, &nops, turn, &nturns, err));
    if (nops)
        qsort(op, nops, sizeof(struct ttp_device_op *), by_id_and_cycle);
    TTP_SORT(turn, nturns, by_id_and_session);
    TTP_TRY(attach_dispatch(d, op, nops, replays, err));
    bool same = nops == nturns;
    for (size_t i = 0; i < nops && same; i++)
        same = op[i]->first_id == turn[i].id;
    if (!same)
        return mismatch(d, (struct both_sides){turn, nturns, op, nops}, err);
    for (size_t i = 0; i < nops; i++) {
        const struct ttp_device_ops one = {op[i], 1};

        TTP_TRY(ttp_ops_join_check_analyses(j, &one, err));
        put_turn(d, &turn[i], op[i]);
    }
    return TTP_OK;
}

struct replay {
    int64_t trace_id, session; /* session TTP_NO_ID: none */
};

/* A log without trace columns counts executions; the host knows whether a trace was captured. */
static struct replay replay_of(const struct ttp_device_log *log, const struct ttp_exec *e,
                               const struct ttp_host_op *host)
{
    if (log->has_replays)
        return (struct replay){e->trace_id, e->replay};
    if (host->trace_id != TTP_NO_ID)
        return (struct replay){host->trace_id, e->replay == TTP_NO_ID ? 1 : e->replay};
    /* the first execution is the call itself */
    return (struct replay){TTP_NO_ID, e->replay > 1 ? e->replay : TTP_NO_ID};
}

static void join_execution(struct joining_device *d, const struct ttp_device_op *op)
{
    struct ttp_joining *j = d->joining;
    const struct ttp_host_op *host = ttp_logs_find_op(j->logs->host, op->first_id);
    struct ttp_problem *problem = j->report->problem;

    if (!host || !host->info->has_device || host->info->device != d->host->id) {
        ttp_ops_problem_add(&problem[TTP_PROBLEM_DEVICE_OP_WITHOUT_HOST], DEVICE_LOG,
                            op->exec->line, "op %" PRIu64 " on device %" PRId64, op->first_id,
                            d->host->id);
        return;
    }
    const uint32_t at = (uint32_t)(host - j->logs->host->op);
    struct ttp_report_row row = j->host[at];
    const struct replay replay = replay_of(j->logs->device, op->exec, host);

    row.device = op;
    row.key = op->exec;
    row.sub_device = op->exec->sub_device;
    if (replay.session == TTP_NO_ID) {
        j->host[at] = row;
        return;
    }
    const struct ttp_trace_replays *replays =
        ttp_logs_find_replays(j->logs->host, d->host->id, replay.trace_id);
    row.replay = true;
    row.trace_id = replay.trace_id;
    row.session = replay.session;
    row.time_ns = host->message_ns;
    if (replays && replay.session >= 1 && (uint64_t)replay.session <= replays->count)
        row.time_ns = replays->ns[replay.session - 1];
    else
        ttp_ops_problem_add(&problem[TTP_PROBLEM_REPLAY_WITHOUT_MESSAGE], DEVICE_LOG,
                            op->exec->line, "op %" PRIu64 ", replay %" PRId64 " of trace %" PRId64,
                            host->id, replay.session, replay.trace_id);
    ttp_ops_join_put_replay(j, &row);
}

/* Ops of the host that the device shows nothing of. */
static void count_missing(struct joining_device *d)
{
    struct ttp_joining *j = d->joining;
    bool *shown = TTP_NEW(j->arena, bool, j->logs->host->nops);

    for (size_t i = 0; i < d->found.nops; i++) {
        const struct ttp_host_op *op = ttp_logs_find_op(j->logs->host, d->found.op[i].first_id);
        if (op)
            shown[op - j->logs->host->op] = true;
    }
    for (size_t i = 0; i < d->host->nops; i++) {
        const struct ttp_host_op *op = &j->logs->host->op[d->host->op[i]];
        const bool captured = op->trace_id != TTP_NO_ID &&
                              !ttp_logs_find_replays(j->logs->host, d->host->id, op->trace_id);
        if (!shown[d->host->op[i]])
            ttp_ops_problem_add(&j->report->problem[captured ? TTP_PROBLEM_TRACE_NEVER_REPLAYED
                                                             : TTP_PROBLEM_OP_WITHOUT_DEVICE_DATA],
                                "tracy_ops_data.csv", op->line, "op %" PRIu64 " on device %" PRId64,
                                op->id, d->host->id);
    }
}

static ttp_code join_by_key(struct joining_device *d, struct ttp_err *err)
{
    struct ttp_joining *j = d->joining;
    struct ttp_device_op **op = TTP_NEW(j->arena, struct ttp_device_op *, d->found.nops);

    for (size_t i = 0; i < d->found.nops; i++)
        op[i] = &d->found.op[i];
    if (d->found.nops)
        qsort(op, d->found.nops, sizeof(struct ttp_device_op *), by_id_and_cycle);
    TTP_TRY(attach_dispatch(d, op, d->found.nops, j->logs->host->nreplays > 0, err));
    for (size_t i = 0; i < d->found.nops; i++)
        join_execution(d, &d->found.op[i]);
    count_missing(d);
    return TTP_OK;
}

TTP_ORDER(by_cycle, struct ttp_device_op, TTP_UP(first_cycle))

/* Logs without op ids: the n-th op of the device is the n-th of the host, if there are as many. */
static void join_by_order(struct joining_device *d)
{
    struct ttp_joining *j = d->joining;

    if (d->found.nops != d->host->nops) {
        ttp_ops_problem_add(&j->report->problem[TTP_PROBLEM_NO_OP_IDS], NULL, 0,
                            "device %" PRId64 ": %zu ops in the log, %zu of the host", d->host->id,
                            d->found.nops, d->host->nops);
        return;
    }
    TTP_SORT(d->found.op, d->found.nops, by_cycle);
    for (size_t i = 0; i < d->found.nops; i++) {
        j->host[d->host->op[i]].device = &d->found.op[i];
        j->host[d->host->op[i]].key = d->found.op[i].exec;
    }
}

static ttp_code join_one(struct ttp_joining *j, const struct ttp_host_device *host,
                         const struct ttp_part_index *parts, struct ttp_err *err)
{
    const struct ttp_device_log *log = j->logs->device;
    struct joining_device d = {.joining = j, .host = host};

    while (d.device < log->ndevices && log->device[d.device] != host->id)
        d.device++;
    if (d.device == log->ndevices)
        return ttp_ops_join_device_missing(j, host, DEVICE_LOG, err);
    if (j->look)
        d.found = j->look->found[d.device];
    else
        TTP_TRY(ttp_ops_device_find(&d.found,
                                    &(struct ttp_device_search){log, parts, d.device,
                                                                j->options->rules.by_position,
                                                                j->report->problem},
                                    j->arena, err));
    if (!log->has_op_ids)
        join_by_order(&d);
    else
        TTP_TRY(j->options->rules.by_position ? join_by_position(&d, err) : join_by_key(&d, err));
    ttp_ops_device_mask(&d.found, j->wanted);
    return TTP_OK;
}

ttp_code ttp_ops_join_device(struct ttp_joining *j, const struct ttp_host_device *device,
                             size_t ndevices, struct ttp_err *err)
{
    struct ttp_part_index parts;

    ttp_ops_part_index_build(&parts, j->logs->device, j->arena);
    TTP_TRY(ttp_ops_join_check_dispatch(j, err));
    for (size_t i = 0; i < ndevices; i++)
        TTP_TRY(join_one(j, &device[i], &parts, err));
    return TTP_OK;
}
