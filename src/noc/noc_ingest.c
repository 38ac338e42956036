/* SPDX-License-Identifier: Apache-2.0 */
/* noc_ingest.c - records become transfers.
 *
 * A record says which API was called, when, and (mostly) with which other end. A transfer is data
 * that moves: reads flow towards the core that asked, start a latency later, and calls that reuse
 * the state of a command buffer take their ends from the call that set it. */
#include "base/vec.h"
#include "noc/noc_programs.h"
#include "noc/noc_route.h"

#include <inttypes.h>

#define FULL_COUNTER_BYTES 8160

/* Ends and size that a call left in a command buffer. */
struct state {
    int32_t sx, sy, dx, dy;
    int64_t bytes;
    bool set;
};

enum kind { KIND_NONE, KIND_READ, KIND_WRITE, KIND_MULTICAST, KIND_FABRIC };
enum use { USE_PLAIN, USE_SETS, USE_REUSES };

/* What a type of event does. `ours`: tt-npe ignores it, though data moves. */
static const struct {
    uint8_t kind, use;
    bool ours;
} types[TTP_NOC_TYPES] = {
    [TTP_NOC_READ] = {KIND_READ, USE_PLAIN, false},
    [TTP_NOC_READ_SET_STATE] = {KIND_READ, USE_SETS, false},
    [TTP_NOC_READ_WITH_STATE] = {KIND_READ, USE_REUSES, false},
    [TTP_NOC_READ_WITH_STATE_AND_TRID] = {KIND_READ, USE_REUSES, false},
    [TTP_NOC_READ_DRAM_SHARDED_SET_STATE] = {KIND_READ, USE_SETS, false},
    [TTP_NOC_READ_DRAM_SHARDED_WITH_STATE] = {KIND_READ, USE_REUSES, false},
    [TTP_NOC_WRITE] = {KIND_WRITE, USE_PLAIN, false},
    [TTP_NOC_WRITE_WITH_TRID] = {KIND_WRITE, USE_PLAIN, true},
    [TTP_NOC_WRITE_MULTICAST] = {KIND_MULTICAST, USE_PLAIN, false},
    [TTP_NOC_WRITE_SET_STATE] = {KIND_WRITE, USE_SETS, false},
    [TTP_NOC_WRITE_WITH_STATE] = {KIND_WRITE, USE_REUSES, false},
    [TTP_NOC_WRITE_WITH_TRID_SET_STATE] = {KIND_WRITE, USE_SETS, true},
    [TTP_NOC_WRITE_WITH_TRID_WITH_STATE] = {KIND_WRITE, USE_REUSES, true},
    [TTP_NOC_FABRIC_UNICAST_WRITE] = {KIND_FABRIC, USE_PLAIN, false},
    [TTP_NOC_FABRIC_UNICAST_INLINE_WRITE] = {KIND_FABRIC, USE_PLAIN, false},
    [TTP_NOC_FABRIC_UNICAST_ATOMIC_INC] = {KIND_FABRIC, USE_PLAIN, false},
    [TTP_NOC_FABRIC_FUSED_UNICAST_ATOMIC_INC] = {KIND_FABRIC, USE_PLAIN, false},
    [TTP_NOC_FABRIC_UNICAST_SCATTER_WRITE] = {KIND_FABRIC, USE_PLAIN, false},
    [TTP_NOC_FABRIC_MULTICAST_WRITE] = {KIND_FABRIC, USE_PLAIN, true},
    [TTP_NOC_FABRIC_MULTICAST_ATOMIC_INC] = {KIND_FABRIC, USE_PLAIN, true},
};

/* One end or another is missing. */
static bool carries_data(uint8_t type)
{
    return types[type].kind != KIND_NONE || type == TTP_NOC_WRITE_INLINE || type == TTP_NOC_OTHER;
}

const char *ttp_noc_skip_name(enum ttp_noc_skip why)
{
    static const char *const names[TTP_NOC_SKIPS] = {
        [TTP_NOC_SKIP_TYPE] = "unsupported kind",
        [TTP_NOC_SKIP_RISC] = "no RISC core given",
        [TTP_NOC_SKIP_EMPTY] = "no bytes",
        [TTP_NOC_SKIP_STATE] = "reuse of a state that was never set",
        [TTP_NOC_SKIP_PLACE] = "source or destination is not on the device",
        [TTP_NOC_SKIP_NOC] = "missing NoC or multicast rectangle",
        [TTP_NOC_SKIP_PATH] = "the path over the fabric is unknown",
        [TTP_NOC_SKIP_RECT] = "a multicast ends before it starts",
    };

    return names[why];
}

struct ingest {
    struct ttp_noc_load *out;
    const struct ttp_noc_model *model;
    const struct ttp_noc_trace *trace;
    struct ttp_noc_rules rules;
    struct ttp_arena *arena;
    struct state read, write;           /* of the current core and RISC, or of all */
    const struct ttp_noc_event *before; /* the last event that may set a state */
    uint32_t record;                    /* the current one */
};

static void skip(struct ingest *in, enum ttp_noc_skip why, int64_t bytes)
{
    if (in->out->skipped[why]++ == 0)
        in->out->first_skipped[why] = in->record;
    in->out->skipped_bytes[why] += (uint64_t)bytes;
}

/* Both ends of a call as they are written. */
struct ends {
    int64_t sx, sy, dx, dy;
};

static uint64_t read_latency(const struct ttp_noc_model *m, const struct ends *t)
{
    if (t->sx == t->dx)
        return t->sy == t->dy ? m->read_same_core : m->read_same_column;
    return t->sy == t->dy ? m->read_same_row : m->read_other;
}

static uint64_t write_latency(const struct ttp_noc_model *m, struct ttp_noc_way way)
{
    /* of a strange NoC as tt-npe: -1 hop */
    const int64_t hops = way.noc == TTP_NOC_STRANGE ? -1 : ttp_noc_hops(m->grid, way);

    return (uint64_t)(m->write_base + m->write_hop * hops);
}

static bool is_inside(const struct ttp_noc_grid *g, int x, int y)
{
    return x >= 0 && y >= 0 && x < g->cols && y < g->rows;
}

static bool is_placed(const struct ttp_noc_model *m, const struct ttp_noc_transfer *t)
{
    return t->device < m->chips && is_inside(m->grid, t->sx, t->sy) &&
           is_inside(m->grid, t->dx, t->dy) && is_inside(m->grid, t->ex, t->ey);
}

static ttp_code invalid(const struct ingest *in, const struct ttp_noc_transfer *t,
                        struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE,
             "transfer %zu (record %" PRIu32 "): %" PRIu32 " bytes from (%d,%d) to (%d,%d) on "
             "device %u is invalid on %s",
             in->out->ntransfers, t->event, ttp_noc_bytes(t), t->sx, t->sy, t->dx, t->dy, t->device,
             in->model->name);
    return TTP_EPARSE;
}

static ttp_code emit(struct ingest *in, const struct ttp_noc_transfer *t, struct ttp_err *err)
{
    struct ttp_noc_load *out = in->out;

    if (t->packet_bytes == 0 || t->packets == 0 || !is_placed(in->model, t)) {
        if (in->rules.strict)
            return invalid(in, t, err);
        skip(in, is_placed(in->model, t) ? TTP_NOC_SKIP_EMPTY : TTP_NOC_SKIP_PLACE,
             ttp_noc_bytes(t));
        return TTP_OK;
    }
    if (out->ntransfers == INT32_MAX)
        return ttp_fail(err, TTP_ELIMIT, "more than 2 billion transfers");
    TTP_ROOM(in->arena, out->transfer, out->ntransfers);
    out->full_counters += t->packet_bytes == FULL_COUNTER_BYTES;
    out->transfer[out->ntransfers++] = *t;
    return TTP_OK;
}

/* ---- fabric ---- */

/* `t` says where to and how much. */
static ttp_code emit_hop(struct ingest *in, struct ttp_noc_transfer *t, const struct ttp_noc_hop *h,
                         struct ttp_err *err)
{
    t->sx = h->start_x;
    t->sy = h->start_y;
    t->ex = t->dx;
    t->ey = t->dy;
    if (in->rules.cut_values)
        t->device = (uint16_t)h->device;
    else
        t->device =
            h->device < 0 || h->device >= TTP_NOC_NOWHERE ? TTP_NOC_NOWHERE : (uint16_t)h->device;
    t->noc = h->noc != 0;
    t->parent = h->parent;
    TTP_TRY(emit(in, t, err));
    t->index++;
    return TTP_OK;
}

static ttp_code emit_writes(struct ingest *in, struct ttp_noc_transfer *t,
                            const struct ttp_noc_hop *h, struct ttp_err *err)
{
    for (uint32_t i = 0; i < h->count; i++) {
        const struct ttp_noc_write *w = &in->trace->write[h->write + i];
        if (w->dx == TTP_NOC_UNSAID || w->dy == TTP_NOC_UNSAID || w->bytes == TTP_NOC_UNSAID)
            continue;
        t->dx = w->dx;
        t->dy = w->dy;
        t->packet_bytes = (uint32_t)w->bytes;
        TTP_TRY(emit_hop(in, t, h, err));
    }
    return TTP_OK;
}

/* Stretches of 2025's merged traces have an end and no parent. */
static bool usable(const struct ingest *in, const struct ttp_noc_hop *h)
{
    const bool forward = h->forward_x != TTP_NOC_UNSAID && h->forward_y != TTP_NOC_UNSAID;

    if (in->rules.no_old_paths && h->old)
        return false;
    return h->device != TTP_NOC_UNSAID && h->start_x != TTP_NOC_UNSAID &&
           h->start_y != TTP_NOC_UNSAID && (h->has_writes || forward);
}

/* Position of a path's element among the transfers: of its forward, which the next chip waits for.
 */
static int32_t parent_of(const struct ingest *in, const struct ttp_noc_fabric *f, uint32_t hop)
{
    const struct ttp_noc_hop *h = &in->trace->hop[f->hop];
    const int32_t parent = h[hop].old ? (int32_t)hop - 1 : h[hop].parent;
    int32_t index = 0;

    if (in->rules.parents_by_place || parent < 0 || parent >= (int32_t)f->nhops)
        return parent;
    for (int32_t i = 0; i <= parent; i++) {
        if (!usable(in, &h[i]))
            continue;
        for (uint32_t w = 0; w < h[i].count; w++) {
            const struct ttp_noc_write *to = &in->trace->write[h[i].write + w];
            index +=
                to->dx != TTP_NOC_UNSAID && to->dy != TTP_NOC_UNSAID && to->bytes != TTP_NOC_UNSAID;
        }
        index += h[i].forward_x != TTP_NOC_UNSAID && h[i].forward_y != TTP_NOC_UNSAID;
    }
    return index > 0 ? index - 1 : -1;
}

/* What is not given is a NoC that does not exist. */
static int latency_noc(const struct ingest *in, int noc)
{
    return in->rules.odd_latencies && noc == TTP_NOC_UNSAID ? TTP_NOC_STRANGE : noc;
}

/* All of a packet starts when it has reached the first stop of its way. */
static ttp_code take_hop(struct ingest *in, const struct ttp_noc_event *e,
                         struct ttp_noc_transfer *t, uint32_t i, struct ttp_err *err)
{
    const struct ttp_noc_fabric *f = &in->trace->fabric[e->fabric];
    struct ttp_noc_hop h = in->trace->hop[f->hop + i];
    const bool ended = in->rules.no_old_paths && h.old;

    if (t->index == 0)
        t->offset_cycles += write_latency(
            in->model, (struct ttp_noc_way){h.start_x, h.start_y, ended ? -1 : h.forward_x,
                                            ended ? -1 : h.forward_y, latency_noc(in, h.noc)});
    if (!usable(in, &h))
        return TTP_OK;
    h.parent = parent_of(in, f, i);
    TTP_TRY(emit_writes(in, t, &h, err));
    if (h.forward_x == TTP_NOC_UNSAID || h.forward_y == TTP_NOC_UNSAID)
        return TTP_OK;
    t->dx = h.forward_x;
    t->dy = h.forward_y;
    t->packet_bytes = (uint32_t)e->bytes;
    return emit_hop(in, t, &h, err);
}

static ttp_code emit_fabric(struct ingest *in, const struct ttp_noc_event *e,
                            struct ttp_noc_transfer *t, struct ttp_err *err)
{
    const struct ttp_noc_fabric *f = &in->trace->fabric[e->fabric];
    const size_t first = in->out->ntransfers;

    t->group = in->out->ngroups++;
    if (f->nhops && in->rules.lone_blackholes && strcmp(in->model->grid->arch, "blackhole") == 0)
        return ttp_fail(err, TTP_EPARSE, "fabric events on %s", in->model->name);
    for (uint32_t i = 0; i < f->nhops; i++)
        TTP_TRY(take_hop(in, e, t, i, err));
    if (in->out->ntransfers == first)
        skip(in, TTP_NOC_SKIP_PATH, e->bytes);
    return TTP_OK;
}

/* ---- events ---- */

/* Each RISC of a core has command buffers of its own. */
static void enter_core(struct ingest *in, const struct ttp_noc_event *e)
{
    const struct ttp_noc_event *b = in->before;

    if (!in->rules.shared_state &&
        (!b || b->sx != e->sx || b->sy != e->sy || b->device != e->device || b->risc != e->risc)) {
        in->read = (struct state){0};
        in->write = (struct state){0};
    }
    in->before = e;
}

/* Both ends and the size of a call; false: they are unknown. */
static bool resolve(struct ingest *in, const struct ttp_noc_event *e, struct ends *ends,
                    struct ttp_noc_transfer *t)
{
    const bool read = types[e->type].kind == KIND_READ;
    struct state *state = read ? &in->read : &in->write;

    if (types[e->type].use == USE_REUSES) {
        if (!state->set && !in->rules.shared_state)
            return false;
        *ends = (struct ends){state->sx, state->sy, state->dx, state->dy};
        t->packet_bytes = state->bytes > 0 ? (uint32_t)state->bytes : t->packet_bytes;
    }
    if (read)
        *ends = (struct ends){ends->dx, ends->dy, ends->sx, ends->sy};
    t->sx = (int16_t)ends->sx;
    t->sy = (int16_t)ends->sy;
    t->dx = (int16_t)ends->dx;
    t->dy = (int16_t)ends->dy;
    return true;
}

static bool set_rectangle(struct ttp_noc_transfer *t, const struct ttp_noc_event *e)
{
    if (e->mcast_start_x == TTP_NOC_UNSAID || e->mcast_start_y == TTP_NOC_UNSAID ||
        e->mcast_end_x == TTP_NOC_UNSAID || e->mcast_end_y == TTP_NOC_UNSAID)
        return false;
    const int16_t corner[2][2] = {{(int16_t)e->mcast_start_x, (int16_t)e->mcast_start_y},
                                  {(int16_t)e->mcast_end_x, (int16_t)e->mcast_end_y}};
    const unsigned start = t->noc != 0; /* NoC 1 travels to the upper left */
    t->multicast = true;
    t->dx = corner[start][0];
    t->dy = corner[start][1];
    t->ex = corner[!start][0];
    t->ey = corner[!start][1];
    return true;
}

/* Of a multicast to its near corner, or to the core (-1,-1). */
static void add_latency(const struct ingest *in, const struct ttp_noc_event *e,
                        const struct ends *ends, struct ttp_noc_transfer *t)
{
    const uint8_t kind = types[e->type].kind;

    if (kind == KIND_READ)
        t->offset_cycles += read_latency(in->model, ends);
    else if (kind == KIND_MULTICAST && !in->rules.odd_latencies)
        t->offset_cycles +=
            write_latency(in->model, (struct ttp_noc_way){t->sx, t->sy, e->mcast_start_x,
                                                          e->mcast_start_y, e->noc});
    else if (kind == KIND_WRITE || kind == KIND_MULTICAST)
        t->offset_cycles += write_latency(
            in->model, (struct ttp_noc_way){ends->sx, ends->sy, ends->dx, ends->dy, e->noc});
}

/* If one direction is, and may be, see ttp_noc_last_x(). */
static bool is_inverted(const struct ingest *in, const struct ttp_noc_transfer *t)
{
    return in->rules.half_inverted ? t->ex < t->dx && t->ey < t->dy
                                   : t->ex < t->dx || t->ey < t->dy;
}

static ttp_code refuse_inverted(const struct ingest *in, const struct ttp_noc_transfer *t,
                                struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE,
             "transfer %zu (record %" PRIu32 "): a multicast to the rectangle (%d,%d) to (%d,%d), "
             "which ends before it starts",
             in->out->ntransfers, in->record, t->dx, t->dy, t->ex, t->ey);
    return TTP_EPARSE;
}

/* *left_out: it was skipped. */
static ttp_code take_rectangle(struct ingest *in, const struct ttp_noc_event *e,
                               struct ttp_noc_transfer *t, bool *left_out, struct ttp_err *err)
{
    *left_out = !set_rectangle(t, e);
    if (*left_out) {
        skip(in, TTP_NOC_SKIP_NOC, t->packet_bytes);
        return TTP_OK;
    }
    if (e->noc == TTP_NOC_STRANGE) { /* tt-npe: to nowhere */
        t->multicast = false;
        t->dx = t->dy = t->ex = t->ey = TTP_NOC_UNSAID;
    } else if (is_inverted(in, t)) {
        if (in->rules.strict)
            return refuse_inverted(in, t, err);
        *left_out = true;
        skip(in, TTP_NOC_SKIP_RECT, t->packet_bytes);
    }
    return TTP_OK;
}

static ttp_code take_transfer(struct ingest *in, const struct ttp_noc_event *e,
                              struct ttp_noc_transfer *t, struct ttp_err *err)
{
    struct ends ends = {e->sx, e->sy, e->dx, e->dy};

    if (!resolve(in, e, &ends, t)) {
        skip(in, TTP_NOC_SKIP_STATE, t->packet_bytes);
        return TTP_OK;
    }
    if (e->noc == TTP_NOC_UNSAID) {
        skip(in, TTP_NOC_SKIP_NOC, t->packet_bytes);
        return TTP_OK;
    }
    if (types[e->type].kind != KIND_MULTICAST || in->rules.odd_latencies)
        add_latency(in, e, &ends, t);
    if (types[e->type].kind == KIND_MULTICAST) {
        bool left_out;
        TTP_TRY(take_rectangle(in, e, t, &left_out, err));
        if (left_out)
            return TTP_OK;
        if (!in->rules.odd_latencies)
            add_latency(in, e, &ends, t);
    } else {
        t->ex = t->dx;
        t->ey = t->dy;
    }
    if (e->fabric != TTP_NOC_NO_FABRIC)
        return emit_fabric(in, e, t, err);
    if (types[e->type].kind == KIND_FABRIC && !in->rules.plain_fabric) {
        skip(in, TTP_NOC_SKIP_PATH, t->packet_bytes);
        return TTP_OK;
    }
    if ((uint16_t)e->device != (uint16_t)e->dst_device) { /* only the fabric leaves a chip */
        t->device = TTP_NOC_NOWHERE;
    }
    return emit(in, t, err);
}

static ttp_code take_event(struct ingest *in, const struct ttp_noc_event *e, struct ttp_err *err)
{
    struct ttp_noc_transfer t = {.offset_cycles = e->cycle - in->out->first_cycle,
                                 .packet_bytes = (uint32_t)e->bytes,
                                 .packets = 1,
                                 .event = (uint32_t)(e - in->trace->event),
                                 .group = TTP_NOC_NO_GROUP,
                                 .index = e->fabric == TTP_NOC_NO_FABRIC ? -1 : 0,
                                 .parent = -1,
                                 .device = (uint16_t)e->device,
                                 .noc = e->noc != 0,
                                 .type = e->type};

    in->record = t.event;
    if (types[e->type].kind == KIND_NONE || (in->rules.few_types && types[e->type].ours)) {
        if (carries_data(e->type))
            skip(in, TTP_NOC_SKIP_TYPE, e->bytes);
        return TTP_OK;
    }
    if (e->risc == TTP_NOC_RISC_NONE) {
        skip(in, TTP_NOC_SKIP_RISC, e->bytes);
        return TTP_OK;
    }
    if (e->bytes == 0 && (e->type == TTP_NOC_READ || e->type == TTP_NOC_WRITE)) {
        skip(in, TTP_NOC_SKIP_EMPTY, 0);
        return TTP_OK;
    }
    enter_core(in, e);
    if (types[e->type].use == USE_SETS) {
        struct state *state = types[e->type].kind == KIND_READ ? &in->read : &in->write;
        *state = (struct state){e->sx, e->sy, e->dx, e->dy, e->bytes, true};
        return TTP_OK;
    }
    return take_transfer(in, e, &t, err);
}

static ttp_code check_zones(struct ingest *in, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct ttp_noc_zone_walk walk;
    ttp_code rc = TTP_OK;

    ttp_noc_zones_init(&walk, in->trace, &scratch);
    ttp_noc_zones_unpaired(&in->out->unpaired, &walk, &scratch);
    if (in->rules.strict)
        rc = ttp_noc_zones_enter(&walk, in->trace->nevents, err);
    ttp_arena_free(&scratch);
    return rc;
}

ttp_code ttp_noc_from_trace(struct ttp_noc_load *out, struct ttp_noc_modelling by,
                            const struct ttp_noc_trace *trace, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ingest in = {
        .out = out, .model = by.model, .trace = trace, .rules = *by.rules, .arena = arena};

    *out = (struct ttp_noc_load){
        .model = by.model, .first_cycle = trace->first_cycle, .has_window = true};
    out->window = TTP_NEW(arena, struct ttp_noc_window, by.model->chips);
    if (by.rules->idle_windows && trace->nevents == 0)
        out->first_cycle = UINT64_MAX;
    ttp_noc_find_windows(out, trace, by.rules->idle_windows);
    TTP_TRY(check_zones(&in, err));
    for (size_t i = 0; i < trace->nevents; i++)
        TTP_TRY(take_event(&in, &trace->event[i], err));
    return TTP_OK;
}

/* ---- workload files ---- */

static bool fits(int64_t v, int64_t high)
{
    return v >= 0 && v <= high;
}

static ttp_code take_item(struct ingest *in, const struct ttp_noc_workload_item *item,
                          struct ttp_err *err)
{
    const bool multicast = item->dst_x == TTP_NOC_UNSAID && item->dst_y == TTP_NOC_UNSAID;
    const int64_t dx = multicast ? item->mcast_start_x : item->dst_x;
    const int64_t dy = multicast ? item->mcast_start_y : item->dst_y;
    const int64_t ex = multicast ? item->mcast_end_x : item->dst_x;
    const int64_t ey = multicast ? item->mcast_end_y : item->dst_y;

    if (!in->rules.cut_values &&
        (!fits(item->packet_size, UINT32_MAX) || !fits(item->num_packets, UINT32_MAX) ||
         !fits(item->src_x, INT8_MAX) || !fits(item->src_y, INT8_MAX) || !fits(dx, INT8_MAX) ||
         !fits(dy, INT8_MAX) || !fits(ex, INT8_MAX) || !fits(ey, INT8_MAX) ||
         !fits(item->device_id, UINT16_MAX - 1) || !fits(item->phase_cycle_offset, INT64_MAX))) {
        ttp_fail(err, TTP_EPARSE, "transfer %zu has an invalid number", in->out->ntransfers);
        ttp_err_where(err, "", item->line);
        return TTP_EPARSE;
    }
    const struct ttp_noc_transfer t = {.offset_cycles = (uint64_t)item->phase_cycle_offset,
                                       .packet_bytes = (uint32_t)item->packet_size,
                                       .packets = (uint32_t)item->num_packets,
                                       .inject = (float)item->injection_rate,
                                       .event = in->record,
                                       .group = TTP_NOC_NO_GROUP,
                                       .index = -1,
                                       .parent = -1,
                                       .sx = (int16_t)item->src_x,
                                       .sy = (int16_t)item->src_y,
                                       .dx = (int16_t)dx,
                                       .dy = (int16_t)dy,
                                       .ex = (int16_t)ex,
                                       .ey = (int16_t)ey,
                                       .device = (uint16_t)item->device_id,
                                       .noc = item->noc != 0,
                                       .type = item->type,
                                       .multicast = multicast};
    const size_t before = in->out->ntransfers;
    const ttp_code rc =
        multicast && is_inverted(in, &t) ? refuse_inverted(in, &t, err) : emit(in, &t, err);
    if (rc == TTP_OK && in->out->ntransfers > before)
        return TTP_OK;
    if (rc == TTP_OK)
        invalid(in, &t, err);
    ttp_err_where(err, "", item->line);
    return rc == TTP_OK ? TTP_EPARSE : rc;
}

ttp_code ttp_noc_from_workload(struct ttp_noc_load *out, struct ttp_noc_modelling by,
                               const struct ttp_noc_workload *file, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct ingest in = {.out = out, .model = by.model, .rules = *by.rules, .arena = arena};

    *out = (struct ttp_noc_load){.model = by.model, .has_window = file->has_golden};
    if (by.rules->strict && (!file->has_golden || by.model->chips > 1))
        return ttp_fail(err, TTP_EPARSE, "%s",
                        by.model->chips > 1 ? "a workload for more than one chip"
                                            : "no golden_result");
    out->window = TTP_NEW(arena, struct ttp_noc_window, by.model->chips);
    for (unsigned d = 0; d < by.model->chips; d++)
        out->window[d].end_cycle = file->has_golden ? file->golden_cycles : INT64_MAX;
    out->mesh.end_cycle = file->has_golden ? file->golden_cycles : INT64_MAX;
    out->item = file->item;
    for (size_t i = 0; i < file->nitems; i++) {
        in.record = (uint32_t)i;
        TTP_TRY(take_item(&in, &file->item[i], err));
    }
    return TTP_OK;
}
