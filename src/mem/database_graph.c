/* SPDX-License-Identifier: Apache-2.0 */
/* database_graph.c - what one op of a database did to the buffers that were live before it. */
#include "mem/database_graph.h"

#include "base/order.h"
#include "base/vec.h"
#include "mem/capture_lane.h"

struct lane_of {
    int64_t device;
    struct ttp_mem_lane lane;
    const struct ttp_mem_device *facts; /* NULL: none */
    uint64_t peak, cb, tensors;
    bool any;
};

struct graph {
    const struct ttp_mem_op_input *r;
    struct lane_of *lane;
    size_t lanes;
    struct ttp_mem_buffer *buffer;
    size_t buffers;
    uint32_t *frame;
    size_t frames, frame_cap;
    uint32_t functions;
};

static const struct ttp_mem_device *facts_of(const struct ttp_mem_op_input *r, int64_t id)
{
    for (size_t i = 0; i < r->devices; i++)
        if (r->device[i].id == id)
            return &r->device[i];
    return NULL;
}

static struct lane_of *find_lane(const struct graph *g, int64_t device)
{
    for (size_t i = 0; i < g->lanes; i++)
        if (g->lane[i].device == device)
            return &g->lane[i];
    return NULL;
}

static void need_lane(struct graph *g, int64_t device)
{
    if (find_lane(g, device) || g->lanes == TTP_MEM_DEVICES_MAX)
        return;
    *TTP_PUSH(g->r->scratch, g->lane, g->lanes) =
        (struct lane_of){.device = device, .facts = facts_of(g->r, device)};
}

static void look(struct lane_of *l)
{
    const uint64_t tensors = l->lane.set[TTP_MEM_L1].bytes, cb = l->lane.cb_bytes;

    if (l->any && tensors + cb <= l->peak)
        return;
    l->any = true;
    l->peak = tensors + cb;
    l->cb = cb;
    l->tensors = tensors;
}

static uint32_t find_buffer(const struct graph *g, const struct lane_of *l, int64_t pool,
                            int64_t address)
{
    const struct ttp_mem_set *set = &l->lane.set[pool];
    size_t lo = 0;

    TTP_BISECT(lo, g->buffer ? set->count : 0, mid, g->buffer[set->item[mid]].address < address);
    if (lo >= set->count || !g->buffer)
        return TTP_MEM_NONE;
    return g->buffer[set->item[lo]].address == address ? set->item[lo] : TTP_MEM_NONE;
}

static void put_buffer(struct graph *g, const struct ttp_mem_snapshot_row *row)
{
    struct lane_of *l = find_lane(g, row->device);

    if (!l)
        return;
    const uint32_t old = find_buffer(g, l, row->pool, row->address);
    if (old != TTP_MEM_NONE)
        (void)ttp_mem_lane_remove(&l->lane, g->buffer, old);
    /* a list without room has none: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    *TTP_PUSH(g->r->scratch, g->buffer, g->buffers) =
        (struct ttp_mem_buffer){.pool = (uint8_t)row->pool,
                                .has_address = true,
                                .address = row->address,
                                .bytes = (uint64_t)row->bytes};
    ttp_mem_lane_add(&l->lane, g->buffer, (uint32_t)g->buffers - 1, g->r->scratch);
}

static void allocate(struct graph *g, const struct ttp_mem_node *n)
{
    const int64_t device = ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0);
    const enum ttp_mem_pool pool = ttp_mem_pool_of(n);
    struct lane_of *l = find_lane(g, device);
    const struct ttp_mem_raw raw = {
        .bank_bytes = ttp_mem_param(n, TTP_PARAM_BANK_BYTES, -1),
        .page_bytes = ttp_mem_param(n, TTP_PARAM_PAGE_SIZE, 0),
        .cores = ttp_mem_param(n, TTP_PARAM_NUM_CORES, 0),
    };
    const int64_t size = ttp_mem_param(n, TTP_PARAM_SIZE, 0);
    bool estimated;

    if (!l || pool == TTP_MEM_POOLS || size < 0 || size >= INT64_C(1) << 48 || raw.page_bytes < 0 ||
        raw.page_bytes >= INT64_C(1) << 48 || raw.cores < 0 || raw.bank_bytes >= INT64_C(1) << 48)
        return;
    const uint64_t bytes = ttp_mem_bank_bytes(&estimated, (uint64_t)size, &raw, pool, l->facts);
    const struct ttp_mem_snapshot_row row = {device, ttp_mem_param(n, TTP_PARAM_ADDRESS, 0),
                                             (int64_t)bytes, (int64_t)pool};
    put_buffer(g, &row);
    look(l);
}

static void give_back(struct graph *g, const struct ttp_mem_node *n)
{
    const enum ttp_mem_pool pool = ttp_mem_pool_of(n);
    struct lane_of *l = find_lane(g, ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));

    if (!l || pool == TTP_MEM_POOLS)
        return;
    const uint32_t at = find_buffer(g, l, pool, ttp_mem_param(n, TTP_PARAM_ADDRESS, 0));
    if (at != TTP_MEM_NONE)
        (void)ttp_mem_lane_remove(&l->lane, g->buffer, at);
    look(l);
}

/* Of a chip, else of the only device. */
static struct lane_of *lane_of_cb(const struct graph *g, const struct ttp_mem_node *n)
{
    struct lane_of *l =
        ttp_mem_has(n, TTP_PARAM_DEVICE_ID) ? find_lane(g, n->param[TTP_PARAM_DEVICE_ID]) : NULL;

    return l ? l : g->lanes == 1 ? g->lane : NULL;
}

static ttp_code lay_out(struct graph *g, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct lane_of *l = lane_of_cb(g, n);

    if (!l || n->view)
        return TTP_OK;
    TTP_TRY(ttp_mem_lane_lay_out(&l->lane, n, g->frames ? g->frame[g->frames - 1] : TTP_MEM_NONE,
                                 g->r->scratch, err));
    look(l);
    return TTP_OK;
}

static void end_function(struct graph *g)
{
    if (g->frames == 0)
        return;
    const uint32_t frame = g->frame[--g->frames];
    for (size_t i = 0; i < g->lanes; i++)
        ttp_mem_lane_clear_frame(&g->lane[i].lane, frame);
}

static ttp_code replay_node(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct graph *g = arg;

    switch (n->kind) {
    case TTP_NODE_FUNCTION_START:
        *TTP_PUSH_WITHIN(g->r->scratch, g->frame, g->frames, g->frame_cap) = ++g->functions;
        break;
    case TTP_NODE_FUNCTION_END:
        end_function(g);
        break;
    case TTP_NODE_ALLOCATE:
        allocate(g, n);
        break;
    case TTP_NODE_FREE:
        give_back(g, n);
        break;
    case TTP_NODE_CB:
        return lay_out(g, n, err);
    case TTP_NODE_CB_END:
        for (size_t i = 0; i < g->lanes; i++)
            ttp_mem_lane_clear_chip(&g->lane[i].lane, g->lanes == 1,
                                    ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
        break;
    default:
        break;
    }
    return TTP_OK;
}

static ttp_code note_device(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    (void)err;
    if (n->kind == TTP_NODE_ALLOCATE || n->kind == TTP_NODE_FREE)
        need_lane(arg, ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
    return TTP_OK;
}

static void begin_graph(struct graph *g)
{
    const struct ttp_mem_op_input *r = g->r;

    for (size_t i = 0; i < r->befores; i++)
        put_buffer(g, &r->before[i]);
    for (size_t i = 0; i < g->lanes; i++)
        look(&g->lane[i]);
}

static ttp_code replay(struct graph *g, struct ttp_err *err)
{
    const struct ttp_mem_op_input *r = g->r;
    const struct ttp_mem_source source = {.text = r->graph};
    const struct ttp_mem_visitor devices = {.node = note_device, .arg = g};
    const struct ttp_mem_visitor events = {.node = replay_node, .arg = g};

    for (size_t i = 0; i < r->befores; i++)
        need_lane(g, r->before[i].device);
    for (size_t i = 0; i < r->afters; i++)
        need_lane(g, r->after[i].device);
    if (source.text.len)
        TTP_TRY(ttp_mem_walk(&source, &devices, err));
    begin_graph(g);
    return source.text.len ? ttp_mem_walk(&source, &events, err) : TTP_OK;
}

/* --- output about the op --- */

static void sum_up(struct ttp_mem_row_device *out, const struct graph *g, size_t from, size_t to)
{
    const struct ttp_mem_op_input *r = g->r;
    const struct lane_of *l = find_lane(g, r->after[from].device);
    const struct ttp_mem_device none = {0}, *facts = l && l->facts ? l->facts : &none;
    struct ttp_mem_sweep sweep;

    *out = (struct ttp_mem_row_device){.device = r->after[from].device};
    ttp_mem_sweep_begin(&sweep, facts);
    for (size_t i = from; i < to; i++) {
        const struct ttp_mem_snapshot_row *row = &r->after[i];

        out->dram_end += row->pool == TTP_MEM_DRAM ? (uint64_t)row->bytes : 0;
        out->small_end += row->pool == TTP_MEM_L1_SMALL ? (uint64_t)row->bytes : 0;
        if (row->pool != TTP_MEM_L1)
            continue;
        out->l1_end += (uint64_t)row->bytes;
        ttp_mem_sweep_block(&sweep, row->address > 0 ? (uint64_t)row->address : 0,
                            (uint64_t)row->bytes);
    }
    out->end = ttp_mem_sweep_end(&sweep);
    if (l) {
        out->l1_peak = l->peak;
        out->cb_at_peak = l->cb;
        out->tensors_at_peak = l->tensors;
    }
}

static void put_devices(struct ttp_mem_row *row, const struct graph *g)
{
    const struct ttp_mem_op_input *r = g->r;
    struct ttp_mem_row_device *out = TTP_NEW(r->arena, struct ttp_mem_row_device, g->lanes + 1);

    for (size_t from = 0, to; from < r->afters && row->devices < g->lanes; from = to) {
        to = from;
        while (to < r->afters && r->after[to].device == r->after[from].device)
            to++;
        sum_up(&out[row->devices++], g, from, to);
    }
    row->device = out;
}

ttp_code ttp_mem_op_replay(struct ttp_mem_row *row, const struct ttp_mem_op_input *input,
                           struct ttp_err *err)
{
    struct graph g = {.r = input};

    TTP_TRY(replay(&g, err));
    put_devices(row, &g);
    return TTP_OK;
}
