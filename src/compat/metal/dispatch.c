/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch cores, as get_dispatch_core_ops() of process_device_log.py follows them. */
#include <assert.h>

#include "base/order.h"
#include "base/vec.h"
#include "compat/metal/metal_markers.h"

#define DEVICE_LOG "profile_log_device.csv"

/* Zones that a RISC reports for one op id. */
struct dispatched {
    int64_t id;
    uint32_t *row;
    size_t nrows;
};

struct dispatcher {
    struct ttp_original *o;
    struct ttp_arena *arena;
    uint32_t *zone; /* rows of the zone that is open */
    size_t nzone, cap_zone;
    int64_t id;
    ttp_sym command;
    bool finished;
    struct dispatched *op; /* in order of first appearance, then of time */
    size_t nops;
};

static struct dispatched *find(const struct dispatcher *d, int64_t id)
{
    for (size_t i = 0; i < d->nops; i++)
        if (d->op[i].id == id)
            return &d->op[i];
    return NULL;
}

static void end_zone(struct dispatcher *d)
{
    struct ttp_table_row *row = d->o->table.row;
    struct dispatched *op = find(d, d->id);

    row[d->zone[0]].zone = row[d->zone[d->nzone - 1]].zone = d->command;
    if (!op) {
        op = TTP_PUSH(d->arena, d->op, d->nops);
        *op = (struct dispatched){.id = d->id};
    }
    for (size_t i = 0; i < d->nzone; i++)
        *TTP_PUSH(d->arena, op->row, op->nrows) = d->zone[i];
    d->nzone = 0;
    if (d->finished)
        d->id = 0;
}

static ttp_code bad_meta(const struct ttp_table_row *row, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "the original cannot evaluate the meta data '%.*s'",
             TTP_FMT(row->meta));
    ttp_err_where(err, DEVICE_LOG, row->line);
    return TTP_EPARSE;
}

static ttp_code follow(struct dispatcher *d, uint32_t at, struct ttp_err *err)
{
    const struct ttp_table_row *row = &d->o->table.row[at];
    struct ttp_table_member member;

    *TTP_PUSH_WITHIN(d->arena, d->zone, d->nzone, d->cap_zone) = at;
    if (ttp_str_has(row->meta, TTP_STR("workers_runtime_id"))) {
        if (!ttp_compat_marker_table_eval(&member, row->meta, "workers_runtime_id", d->arena) ||
            !member.number)
            return bad_meta(row, err);
        d->finished = false;
        d->id = find(d, member.i) ? 0 : member.i;
    }
    if (ttp_str_has(row->meta, TTP_STR("dispatch_command_type"))) {
        if (!ttp_compat_marker_table_eval(&member, row->meta, "dispatch_command_type", d->arena) ||
            member.number)
            return bad_meta(row, err);
        d->command = ttp_compat_marker_table_zone(&d->o->table, member.text);
        d->finished |=
            ttp_str_has(member.text, TTP_STR("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"));
        d->id += ttp_str_has(member.text, TTP_STR("CQ_DISPATCH_CMD_SEND_GO_SIGNAL"));
    }
    if (row->type == TTP_ROW_END)
        end_zone(d);
    return TTP_OK;
}

struct timed {
    int64_t time;
    size_t at;
};

TTP_ORDER(by_time, struct timed, TTP_UP(time), TTP_UP(at))

/* Its ops in order of their first zone. */
static void sort_ops(struct dispatcher *d)
{
    struct timed *order = TTP_NEW(d->arena, struct timed, d->nops);
    struct dispatched *sorted = TTP_NEW(d->arena, struct dispatched, d->nops);

    for (size_t i = 0; i < d->nops; i++) {
        assert(d->op[i].row); /* an op has a zone */
        order[i] = (struct timed){d->o->table.row[d->op[i].row[0]].time, i};
    }
    TTP_SORT(order, d->nops, by_time);
    for (size_t i = 0; i < d->nops; i++)
        sorted[i] = d->op[order[i].at];
    d->op = sorted;
}

static void extend(struct ttp_span *span, uint64_t time)
{
    if (span->count++ == 0)
        span->first = time;
    span->last = time;
}

/* What the BRISC did for an op, and what the NCRISC did for the one that is as many before it. */
static struct ttp_dispatch_op join_rows(struct ttp_original *o, const struct dispatched *master,
                                        const struct dispatched *subordinate, uint32_t device,
                                        struct ttp_arena *arena)
{
    const struct ttp_marker_table *t = &o->table;
    const size_t n = master->nrows + subordinate->nrows;
    struct timed *order = TTP_NEW(arena, struct timed, n);
    struct ttp_dispatch_op out = {.device = device};
    bool named = false;

    for (size_t i = 0; i < n; i++)
        order[i].at = i,
        order[i].time =
            t->row[i < master->nrows ? master->row[i] : subordinate->row[i - master->nrows]].time;
    TTP_SORT(order, n, by_time);
    for (size_t i = 0; i < n; i++) {
        const size_t at = order[i].at;
        const struct ttp_table_row *row =
            &t->row[at < master->nrows ? master->row[at] : subordinate->row[at - master->nrows]];
        const struct ttp_zone *zone = ttp_original_zone(o, row);
        struct ttp_table_member member;

        if (i == 0) {
            out.first_cycle = (uint64_t)row->time;
            out.line = row->line;
        }
        if (!named && ttp_str_has(row->meta, TTP_STR("workers_runtime_id")) &&
            ttp_compat_marker_table_eval(&member, row->meta, "workers_runtime_id", arena)) {
            out.run_id = (uint64_t)member.i;
            named = true;
        }
        if (zone->command && t->lane[row->lane] == TTP_RISC_BRISC)
            extend(&out.command, (uint64_t)row->time);
        if (zone->go && t->lane[row->lane] == TTP_RISC_NCRISC)
            extend(&out.go, (uint64_t)row->time);
    }
    return out;
}

static ttp_code follow_core(struct ttp_original *o, uint32_t core, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_marker_table *t = &o->table;
    struct dispatcher master = {
        .o = o, .arena = arena, .command = ttp_compat_marker_table_zone(t, TTP_STR(""))};
    struct dispatcher subordinate = master;
    struct ttp_device_log *log = &o->log;

    for (uint32_t i = o->core_from[core]; i < o->core_from[core + 1]; i++) {
        const uint32_t at = o->by_core[i];
        const enum ttp_risc risc = t->lane[t->row[at].lane];

        if (risc == TTP_RISC_BRISC)
            TTP_TRY(follow(&master, at, err));
        else if (risc == TTP_RISC_NCRISC)
            TTP_TRY(follow(&subordinate, at, err));
    }
    sort_ops(&master);
    sort_ops(&subordinate);
    for (size_t i = 0; i < master.nops; i++) {
        if (master.op[i].id <= 0)
            continue;
        if (i >= subordinate.nops) {
            ttp_fail(err, TTP_EPARSE,
                     "the BRISC of a dispatch core names more ops than its NCRISC: op %lld has no "
                     "counterpart",
                     (long long)master.op[i].id);
            ttp_err_where(err, DEVICE_LOG, t->row[master.op[i].row[0]].line);
            return TTP_EPARSE;
        }
        *TTP_PUSH(arena, log->dispatch, log->ndispatch) =
            join_rows(o, &master.op[i], &subordinate.op[i], t->core[core].device, arena);
    }
    return TTP_OK;
}

ttp_code ttp_original_dispatch(struct ttp_original *o, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_marker_table *t = &o->table;

    for (uint32_t c = 0; c < t->ncores; c++) {
        if (!t->core[c].dispatch)
            continue;
        TTP_TRY(follow_core(o, c, arena, err));
    }
    return TTP_OK;
}
