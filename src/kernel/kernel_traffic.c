/* SPDX-License-Identifier: Apache-2.0 */
/* NoC events to volumes. A command buffer keeps its target: transfers "with state" go where the
 * last "set state" of the same RISC, NoC and direction pointed. */
#include "base/vec.h"
#include "kernel/kernel.h"

/* What a RISC of a core set up or is in the middle of. */
struct agent {
    int16_t sx, sy;
    uint8_t risc;
    struct {
        bool set;
        int16_t x, y;
        uint32_t bytes;
    } state[2][2]; /* by NoC, and read or write */
    bool in_barrier[2];
    uint64_t barrier_start[2]; /* read, write */
};

struct counting {
    struct ttp_traffic *out;
    const struct ttp_noc_trace *trace;
    const struct ttp_noc_grid *grid;
    struct ttp_core_set compute; /* cores with zones, if there is no grid */
    struct agent *agent;
    size_t nagents, last;
    struct ttp_arena *arena;
};

enum action {
    NOTHING,
    READ,
    WRITE,
    SET_READ,
    SET_WRITE,
    READ_STATE,
    WRITE_STATE,
    MULTICAST,
    READ_START,
    READ_END,
    WRITE_START,
    WRITE_END,
    SEMAPHORE,
    FABRIC
};

static enum action action_of(const struct counting *c, const struct ttp_noc_event *e)
{
    switch ((enum ttp_noc_type)e->type) {
    case TTP_NOC_READ:
        return READ;
    case TTP_NOC_READ_SET_STATE:
    case TTP_NOC_READ_DRAM_SHARDED_SET_STATE:
        return SET_READ;
    case TTP_NOC_READ_WITH_STATE:
    case TTP_NOC_READ_WITH_STATE_AND_TRID:
    case TTP_NOC_READ_DRAM_SHARDED_WITH_STATE:
        return READ_STATE;
    case TTP_NOC_WRITE:
    case TTP_NOC_WRITE_WITH_TRID:
    case TTP_NOC_WRITE_INLINE:
        return WRITE;
    case TTP_NOC_WRITE_SET_STATE:
    case TTP_NOC_WRITE_WITH_TRID_SET_STATE:
        return SET_WRITE;
    case TTP_NOC_WRITE_WITH_STATE:
    case TTP_NOC_WRITE_WITH_TRID_WITH_STATE:
        return WRITE_STATE;
    case TTP_NOC_WRITE_MULTICAST:
        return MULTICAST;
    case TTP_NOC_READ_BARRIER_START:
        return READ_START;
    case TTP_NOC_READ_BARRIER_END:
        return READ_END;
    case TTP_NOC_WRITE_BARRIER_START:
        return WRITE_START;
    case TTP_NOC_WRITE_BARRIER_END:
        return WRITE_END;
    case TTP_NOC_SEMAPHORE_INC:
    case TTP_NOC_SEMAPHORE_WAIT:
    case TTP_NOC_SEMAPHORE_SET:
        return SEMAPHORE;
    case TTP_NOC_FABRIC_UNICAST_WRITE:
    case TTP_NOC_FABRIC_UNICAST_INLINE_WRITE:
    case TTP_NOC_FABRIC_FUSED_UNICAST_ATOMIC_INC:
    case TTP_NOC_FABRIC_MULTICAST_WRITE:
    case TTP_NOC_FABRIC_UNICAST_SCATTER_WRITE:
        return FABRIC;
    case TTP_NOC_OTHER:
        return e->name != TTP_SYM_NONE &&
                       ttp_str_has(ttp_sym_name(&c->trace->names, e->name), TTP_STR("SEMAPHORE"))
                   ? SEMAPHORE
                   : NOTHING;
    default:
        return NOTHING;
    }
}

static enum ttp_kernel_risc risc_of(const struct ttp_noc_event *e)
{
    switch ((enum ttp_noc_risc)e->risc) {
    case TTP_NOC_RISC_NCRISC:
        return TTP_KERNEL_NCRISC;
    case TTP_NOC_RISC_BRISC:
        return TTP_KERNEL_BRISC;
    case TTP_NOC_RISC_TRISC_0:
        return TTP_KERNEL_TRISC_0;
    case TTP_NOC_RISC_TRISC_1:
        return TTP_KERNEL_TRISC_1;
    case TTP_NOC_RISC_TRISC_2:
        return TTP_KERNEL_TRISC_2;
    case TTP_NOC_RISC_ERISC:
        return TTP_KERNEL_ERISC;
    default:
        return TTP_KERNEL_OTHER;
    }
}

/* Events of an agent are together, so the one before is nearly always the one. */
static struct agent *agent_of(struct counting *c, const struct ttp_noc_event *e)
{
    for (size_t i = 0; i < c->nagents; i++) {
        const size_t at = c->last >= i ? c->last - i : c->nagents - (i - c->last);
        struct agent *a = &c->agent[at];
        if (a->sx == e->sx && a->sy == e->sy && a->risc == e->risc) {
            c->last = at;
            return a;
        }
    }
    TTP_ROOM(c->arena, c->agent, c->nagents);
    c->last = c->nagents++;
    c->agent[c->last] = (struct agent){.sx = (int16_t)e->sx, .sy = (int16_t)e->sy, .risc = e->risc};
    return &c->agent[c->last];
}

static enum ttp_traffic_end end_of(const struct counting *c, int x, int y)
{
    if (x < 0 || y < 0)
        return TTP_END_OTHER;
    if (!c->grid)
        return ttp_kernel_has_core(&c->compute, x, y) ? TTP_END_L1 : TTP_END_DRAM;
    switch (ttp_device_core_kind(c->grid, x, y)) {
    case TTP_CORE_WORKER:
        return TTP_END_L1;
    case TTP_CORE_DRAM:
        return TTP_END_DRAM;
    case TTP_CORE_ETH:
        return TTP_END_ETH;
    default:
        return TTP_END_OTHER;
    }
}

static void add_transfer(struct ttp_transfers *t, uint32_t bytes)
{
    t->count++;
    t->bytes += bytes;
    t->saturated += bytes >= TTP_KERNEL_SATURATED;
}

static size_t noc_of(const struct ttp_noc_event *e)
{
    return e->noc == 0 || e->noc == 1 ? (size_t)e->noc : 2;
}

static void add_payload(struct counting *c, const struct ttp_noc_event *e, bool read, int x, int y,
                        uint32_t bytes)
{
    struct ttp_traffic *t = c->out;
    const enum ttp_traffic_end end = end_of(c, x, y);
    const enum ttp_kernel_risc risc = risc_of(e);

    ttp_kernel_add_size(&t->sizes, bytes, c->arena);
    add_transfer(read ? &t->read[end] : &t->write[end], bytes);
    (read ? t->noc_reads : t->noc_writes)[noc_of(e)]++;
    (read ? t->risc_read_bytes : t->risc_written_bytes)[risc] += bytes;
    if (end == TTP_END_L1)
        ttp_kernel_add_core(&t->l1_targets, x, y, c->arena);
    if (end == TTP_END_DRAM && c->grid) {
        const int channel = ttp_device_dram_channel(c->grid, x, y);
        if (channel >= 0 && channel < 32)
            t->dram_channels |= 1u << channel;
    }
}

static void set_state(struct counting *c, const struct ttp_noc_event *e, bool read)
{
    struct agent *a = agent_of(c, e);

    if (e->noc != 0 && e->noc != 1)
        return;
    a->state[e->noc][read].set = e->dx >= 0;
    a->state[e->noc][read].x = (int16_t)e->dx;
    a->state[e->noc][read].y = (int16_t)e->dy;
    a->state[e->noc][read].bytes = (uint32_t)e->bytes;
}

static void add_with_state(struct counting *c, const struct ttp_noc_event *e, bool read)
{
    const struct agent *a = agent_of(c, e);
    const bool known = (e->noc == 0 || e->noc == 1) && a->state[e->noc][read].set;
    int x = e->dx, y = e->dy;
    uint32_t bytes = (uint32_t)e->bytes;

    c->out->with_state++;
    if (x < 0 && known) {
        x = a->state[e->noc][read].x;
        y = a->state[e->noc][read].y;
    }
    if (bytes == 0 && known)
        bytes = a->state[e->noc][read].bytes;
    c->out->lost_state += x < 0;
    add_payload(c, e, read, x, y, bytes);
}

/* Coordinates from `from` to `to` on a ring of n routers. */
static int steps(int from, int to, int n)
{
    return to >= from ? to - from + 1 : n > 0 ? to + n - from + 1 : 0;
}

/* Workers in the rectangle of a multicast; it may go round the torus, and NoC 1 travels backwards.
 */
static uint64_t receivers(const struct counting *c, const struct ttp_noc_event *e)
{
    const bool back = e->noc == 1;
    const int sx = back ? e->mcast_end_x : e->mcast_start_x;
    const int sy = back ? e->mcast_end_y : e->mcast_start_y;
    const int ex = back ? e->mcast_start_x : e->mcast_end_x;
    const int ey = back ? e->mcast_start_y : e->mcast_end_y;
    const int cols = c->grid ? c->grid->cols : 0, rows = c->grid ? c->grid->rows : 0;
    const int w = steps(sx, ex, cols), h = steps(sy, ey, rows);
    uint64_t n = 0;

    if (sx < 0 || sy < 0 || ex < 0 || ey < 0 || w > 64 || h > 64)
        return 1;
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++)
            n += end_of(c, cols ? (sx + i) % cols : sx + i, rows ? (sy + j) % rows : sy + j) ==
                 TTP_END_L1;
    return n ? n : 1;
}

static void add_multicast(struct counting *c, const struct ttp_noc_event *e)
{
    struct ttp_traffic *t = c->out;

    ttp_kernel_add_size(&t->sizes, e->bytes, c->arena);
    add_transfer(&t->multicast, (uint32_t)e->bytes);
    t->multicast_received += e->bytes * receivers(c, e);
    t->noc_writes[noc_of(e)]++;
    t->risc_written_bytes[risc_of(e)] += e->bytes;
}

static void begin_barrier(struct counting *c, const struct ttp_noc_event *e, bool read)
{
    struct agent *a = agent_of(c, e);

    ++*(read ? &c->out->read_barriers : &c->out->write_barriers);
    a->in_barrier[!read] = true;
    a->barrier_start[!read] = e->cycle;
}

static void end_barrier(struct counting *c, const struct ttp_noc_event *e, bool read)
{
    struct agent *a = agent_of(c, e);
    const uint64_t cycles = e->cycle - a->barrier_start[!read];

    if (!a->in_barrier[!read] || e->cycle < a->barrier_start[!read])
        return;
    a->in_barrier[!read] = false;
    *(read ? &c->out->read_barrier_cycles : &c->out->write_barrier_cycles) += cycles;
    c->out->risc_barrier_cycles[risc_of(e)] += cycles;
}

static void add_event(struct counting *c, const struct ttp_noc_event *e)
{
    const enum action action = action_of(c, e);

    ttp_kernel_add_core(&c->out->sources, e->sx, e->sy, c->arena);
    switch (action) {
    case READ:
    case WRITE:
        add_payload(c, e, action == READ, e->dx, e->dy, (uint32_t)e->bytes);
        break;
    case SET_READ:
    case SET_WRITE:
        set_state(c, e, action == SET_READ);
        break;
    case READ_STATE:
    case WRITE_STATE:
        add_with_state(c, e, action == READ_STATE);
        break;
    case MULTICAST:
        add_multicast(c, e);
        break;
    case READ_START:
    case WRITE_START:
        begin_barrier(c, e, action == READ_START);
        break;
    case READ_END:
    case WRITE_END:
        end_barrier(c, e, action == READ_END);
        break;
    case SEMAPHORE:
        c->out->semaphores++;
        break;
    case FABRIC:
        add_transfer(&c->out->fabric, (uint32_t)e->bytes);
        break;
    case NOTHING:
        break;
    }
}

static bool is_zone(const struct ttp_noc_event *e)
{
    return e->type == TTP_NOC_ZONE_START || e->type == TTP_NOC_ZONE_END;
}

void ttp_kernel_traffic(struct ttp_traffic *out, const struct ttp_noc_trace *trace,
                        const struct ttp_noc_grid *grid, struct ttp_arena *arena)
{
    struct counting c = {.out = out, .trace = trace, .grid = grid, .arena = arena};

    *out = (struct ttp_traffic){.first_cycle = trace->first_cycle, .last_cycle = trace->last_cycle};
    for (size_t i = 0; !grid && i < trace->nevents; i++)
        if (is_zone(&trace->event[i]))
            ttp_kernel_add_core(&c.compute, trace->event[i].sx, trace->event[i].sy, arena);
    for (size_t i = 0; i < trace->nevents; i++)
        if (!is_zone(&trace->event[i]) && trace->event[i].type != TTP_NOC_NONE)
            add_event(&c, &trace->event[i]);
}

const struct ttp_noc_grid *ttp_kernel_guess_grid(const struct ttp_noc_trace *trace)
{
    const struct ttp_noc_grid *wormhole = ttp_device_noc_grid(TTP_STR("wormhole_b0"));

    for (size_t i = 0; i < trace->nevents; i++)
        if (trace->event[i].sx >= wormhole->cols || trace->event[i].dx >= wormhole->cols)
            return ttp_device_noc_grid(TTP_STR("blackhole"));
    return wormhole;
}
