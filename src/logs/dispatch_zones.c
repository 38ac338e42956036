/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch cores. Their BRISC and NCRISC handle commands in zones; packets inside a zone name the
 * command and the op it is for. The n-th op of BRISC and the n-th of NCRISC belong together
 * (process_device_log.py, get_dispatch_core_ops). A zone's first and last marker count under the
 * name of its command, those between under their own. */
#include "base/order.h"
#include "base/vec.h"
#include "logs/device_log.h"

/* Zones of one RISC for one op. */
struct lane_op {
    uint64_t id;
    uint64_t first_cycle, line;
    uint64_t worker, worker_cycle; /* the op a packet named; cycle UINT64_MAX: none did */
    struct ttp_span command, go;
};

struct lane {
    struct lane_op *op;
    size_t nops;
    uint64_t id;
    bool finished, in_zone, command_is_dispatch, command_is_go;
    uint64_t zone_first, zone_line;
    uint64_t worker, worker_cycle;
    struct ttp_span command, go; /* inside the open zone, its first marker left out */
};

struct ttp_dispatch_core {
    uint32_t core;
    struct lane lane[2]; /* BRISC, NCRISC */
};

static void extend(struct ttp_span *s, uint64_t cycle)
{
    s->first = s->count == 0 || cycle < s->first ? cycle : s->first;
    s->last = s->count == 0 || cycle > s->last ? cycle : s->last;
    s->count++;
}

static void join(struct ttp_span *into, const struct ttp_span *from)
{
    if (from->count == 0)
        return;
    const uint32_t count = into->count + from->count;
    extend(into, from->first);
    extend(into, from->last);
    into->count = count;
}

static struct lane_op *find_op(struct lane *lane, uint64_t id)
{
    for (size_t i = lane->nops; i-- > 0;)
        if (lane->op[i].id == id)
            return &lane->op[i];
    return NULL;
}

static void close_zone(struct lane *lane, uint64_t cycle, struct ttp_arena *arena)
{
    struct lane_op *op = find_op(lane, lane->id);

    if (!op) {
        op = TTP_PUSH(arena, lane->op, lane->nops);
        *op = (struct lane_op){.id = lane->id,
                               .first_cycle = lane->zone_first,
                               .line = lane->zone_line,
                               .worker_cycle = UINT64_MAX};
    }
    if (lane->command_is_dispatch) {
        extend(&lane->command, lane->zone_first);
        extend(&lane->command, cycle);
    }
    if (lane->command_is_go) {
        extend(&lane->go, lane->zone_first);
        extend(&lane->go, cycle);
    }
    join(&op->command, &lane->command);
    join(&op->go, &lane->go);
    if (lane->worker_cycle < op->worker_cycle) {
        op->worker = lane->worker;
        op->worker_cycle = lane->worker_cycle;
    }
    lane->in_zone = false;
    if (lane->finished)
        lane->id = 0;
}

static void add_row(struct lane *lane, const struct ttp_dispatch_row *r, struct ttp_arena *arena)
{
    const bool first = !lane->in_zone;

    if (first) {
        lane->in_zone = true;
        lane->zone_first = r->cycle;
        lane->zone_line = r->line;
        lane->worker_cycle = UINT64_MAX;
        lane->command = lane->go = (struct ttp_span){0};
    }
    if (r->has_worker) {
        lane->finished = false;
        lane->id = find_op(lane, r->worker) ? 0 : r->worker; /* only the first replay counts */
        if (r->cycle < lane->worker_cycle) {
            lane->worker = r->worker;
            lane->worker_cycle = r->cycle;
        }
    }
    if (r->has_command) {
        lane->command_is_dispatch = r->command_is_dispatch;
        lane->command_is_go = r->command_is_go;
        lane->finished |= r->command_notifies;
        lane->id += r->command_is_go;
    }
    if (r->zone_end) {
        close_zone(lane, r->cycle, arena);
    } else if (!first) {
        if (r->command)
            extend(&lane->command, r->cycle);
        if (r->go)
            extend(&lane->go, r->cycle);
    }
}

void ttp_logs_dispatch_add(struct ttp_dispatch_state *s, uint32_t core,
                           const struct ttp_dispatch_row *r, struct ttp_arena *arena)
{
    size_t i = s->ncores;

    while (i > 0 && s->core[i - 1].core != core)
        i--;
    if (i == 0) {
        *TTP_PUSH(arena, s->core, s->ncores) = (struct ttp_dispatch_core){.core = core};
        i = s->ncores;
    }
    add_row(&s->core[i - 1].lane[r->subordinate], r, arena);
}

TTP_ORDER(by_first_cycle, struct lane_op, TTP_UP(first_cycle), TTP_UP(id))

static void pair_lanes(struct ttp_device_log *log, const struct ttp_dispatch_core *c,
                       struct ttp_arena *arena)
{
    const struct lane *master = &c->lane[0], *subordinate = &c->lane[1];

    TTP_SORT(master->op, master->nops, by_first_cycle);
    TTP_SORT(subordinate->op, subordinate->nops, by_first_cycle);
    for (size_t i = 0; i < master->nops; i++) {
        const struct lane_op *op = &master->op[i];
        if (op->id == 0) /* zones of no op */
            continue;
        if (i >= subordinate->nops) {
            if (log->unpaired_dispatch_cores++ == 0)
                log->unpaired_dispatch = (struct ttp_dispatch_op){
                    .device = log->core[c->core].device, .run_id = op->id, .line = op->line};
            return;
        }
        const struct lane_op *other = &subordinate->op[i];
        const bool own = op->worker_cycle <= other->worker_cycle;
        const struct lane_op *named = own ? op : other;

        *TTP_PUSH(arena, log->dispatch, log->ndispatch) = (struct ttp_dispatch_op){
            .device = log->core[c->core].device,
            .run_id = named->worker_cycle == UINT64_MAX ? 0 : named->worker,
            .line = named->line,
            .first_cycle =
                op->first_cycle < other->first_cycle ? op->first_cycle : other->first_cycle,
            .command = op->command,
            .go = other->go,
        };
    }
}

void ttp_logs_dispatch_finish(struct ttp_device_log *log, const struct ttp_dispatch_state *s,
                              struct ttp_arena *arena)
{
    for (size_t i = 0; i < s->ncores; i++)
        pair_lanes(log, &s->core[i], arena);
}
