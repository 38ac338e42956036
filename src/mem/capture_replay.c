/* SPDX-License-Identifier: Apache-2.0 */
/* capture_replay.c - the second pass over a graph capture: what was live after each event. */
#include "base/vec.h"

#include "base/order.h"
#include "mem/capture_lane.h"

struct frame {
    uint32_t counter, launch; /* launch: position, or TTP_MEM_NONE */
    bool op;
    uint64_t most; /* bytes of circular buffers that it had at once */
};

struct replay {
    struct ttp_mem_scan *scan;
    struct ttp_mem_capture *capture;
    const struct ttp_mem_options *options;
    struct ttp_mem_lane *lane;
    uint64_t *alloc, *freed; /* counter and buffer, in order */
    size_t allocs, frees, next_alloc, next_free;
    struct frame *frame;
    size_t frames, frame_cap;
    uint32_t op, next_op, next_launch;
    struct ttp_map cb_of; /* signature of a launch to what its circular buffers took */
    uint64_t *cb_seen;
    size_t cb_seens;
    uint64_t map_best;
    bool begun;
    struct ttp_mem_snapshot_row *row;
    size_t rows, row_cap;
};

/* --- instants --- */

static enum ttp_mem_class classify(const struct replay *r, const struct ttp_mem_buffer *b,
                                   uint32_t counter)
{
    const struct ttp_mem_capture *c = r->capture;

    if (r->op == TTP_MEM_NONE)
        return ttp_mem_next_use(c, b, counter + 1) != TTP_MEM_NONE ? TTP_MEM_WAITING
                                                                   : TTP_MEM_STALE;
    const struct ttp_mem_op *op = &c->op[r->op]; /* one that never ended continues for ever */
    if (b->alloc != TTP_MEM_NONE && b->alloc >= op->start && b->alloc <= op->end)
        return b->freed != TTP_MEM_NONE && b->freed <= op->end ? TTP_MEM_INTERMEDIATE
                                                               : TTP_MEM_OUTPUT;
    const uint32_t use = ttp_mem_next_use(c, b, op->start);
    if (use == TTP_MEM_NONE)
        return TTP_MEM_STALE;
    return use <= op->end ? TTP_MEM_INPUT : TTP_MEM_WAITING;
}

/* Larger first; of equals the older one. */
static bool is_larger(const struct ttp_mem_capture *c, uint32_t a, uint32_t b)
{
    const struct ttp_mem_buffer *x = &c->buffer[a], *y = &c->buffer[b];

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes;
    if (x->alloc != y->alloc)
        return x->alloc + 1 < y->alloc + 1; /* those older than the capture come first */
    return a < b;
}

static void add_largest(struct ttp_mem_use *use, const struct ttp_mem_capture *c, uint32_t at,
                        enum ttp_mem_class is)
{
    size_t place = use->nlargest;

    while (place > 0 && is_larger(c, at, use->largest[place - 1].buffer))
        place--;
    if (place == TTP_MEM_LARGEST)
        return;
    if (use->nlargest < TTP_MEM_LARGEST)
        use->nlargest++;
    for (size_t i = use->nlargest - 1u; i > place; i--)
        use->largest[i] = use->largest[i - 1];
    use->largest[place] = (struct ttp_mem_placed){at, (uint8_t)is};
}

static void keep_map(struct replay *r, uint32_t device, const uint8_t *is)
{
    const struct ttp_mem_set *set = &r->lane[device].set[TTP_MEM_L1];
    struct ttp_mem_capture *c = r->capture;

    c->map = TTP_NEW(r->scan->arena, struct ttp_mem_placed, set->count + 1);
    c->maps = set->count;
    c->map_op = r->op;
    c->map_device = device;
    c->map_cb_end = ttp_mem_lane_cb_end(&r->lane[device], &c->device[device]);
    for (size_t i = 0; i < set->count; i++)
        c->map[i] = (struct ttp_mem_placed){set->item[i], is[i]};
}

/* A peak of the run, of the op, or of both. */
static void take_peak(struct replay *r, uint32_t device, uint32_t counter,
                      struct ttp_mem_peak *of_run, struct ttp_mem_use *of_op)
{
    const struct ttp_mem_lane *lane = &r->lane[device];
    const struct ttp_mem_set *set = &lane->set[TTP_MEM_L1];
    const struct ttp_mem_capture *c = r->capture;
    const struct ttp_mark mark = ttp_arena_mark(r->scan->scratch);
    uint8_t *is = TTP_NEW(r->scan->scratch, uint8_t, set->count + 1);
    struct ttp_mem_peak peak = {
        .any = true, .at = counter, .l1 = set->bytes + lane->cb_bytes, .cb = lane->cb_bytes};

    if (of_op)
        of_op->nlargest = 0;
    for (size_t i = 0; i < set->count; i++) {
        const enum ttp_mem_class k = classify(r, &c->buffer[set->item[i]], counter);

        is[i] = (uint8_t)k;
        peak.part[k] += c->buffer[set->item[i]].bytes;
        if (of_op)
            add_largest(of_op, c, set->item[i], k);
    }
    if (of_run)
        *of_run = peak;
    if (of_op) {
        of_op->peak = peak;
        if (c->op[r->op].id == r->options->map_op && (c->maps == 0 || peak.l1 > r->map_best)) {
            r->map_best = peak.l1;
            keep_map(r, device, is);
        }
    }
    ttp_arena_rewind(r->scan->scratch, mark);
}

static void look_at_op(struct replay *r, uint32_t device)
{
    struct ttp_mem_use *use = &r->capture->use[r->op * r->capture->devices + device];
    struct ttp_mem_lane *lane = &r->lane[device];
    const struct ttp_mem_device *d = &r->capture->device[device];
    const struct ttp_mem_gaps gaps = ttp_mem_lane_gaps(lane, r->capture->buffer, d);
    const uint64_t cb = lane->cb_inferred > lane->cb_bytes ? lane->cb_inferred : lane->cb_bytes;
    int64_t headroom;

    if (lane->set[TTP_MEM_L1].bytes + cb > use->peak_inferred) {
        use->peak_inferred = lane->set[TTP_MEM_L1].bytes + cb;
        use->cb_inferred = cb;
    }
    if (gaps.known && (!use->has_largest_free || gaps.largest < use->largest_free_min)) {
        use->has_largest_free = true;
        use->largest_free_min = gaps.largest;
    }
    if (ttp_mem_lane_headroom(&headroom, lane, r->capture->buffer, d) &&
        (!use->has_headroom || headroom < use->headroom_min)) {
        use->has_headroom = true;
        use->headroom_min = headroom;
    }
}

static void look(struct replay *r, uint32_t device, uint32_t counter)
{
    const struct ttp_mem_lane *lane = &r->lane[device];
    struct ttp_mem_device *d = &r->capture->device[device];
    const uint64_t l1 = lane->set[TTP_MEM_L1].bytes + lane->cb_bytes;
    const uint64_t cb = lane->cb_inferred > lane->cb_bytes ? lane->cb_inferred : lane->cb_bytes;
    struct ttp_mem_use *use =
        r->op == TTP_MEM_NONE ? NULL : &r->capture->use[r->op * r->capture->devices + device];
    const bool of_run = !d->peak.any || l1 > d->peak.l1;
    const bool of_op = use && (!use->peak.any || l1 > use->peak.l1);

    if (of_run || of_op)
        take_peak(r, device, counter, of_run ? &d->peak : NULL, of_op ? use : NULL);
    if (of_run)
        d->peak_op = r->op;
    if (lane->set[TTP_MEM_L1].bytes + cb > d->peak_inferred)
        d->peak_inferred = lane->set[TTP_MEM_L1].bytes + cb;
    if (!d->dram_any || lane->set[TTP_MEM_DRAM].bytes > d->dram_peak) {
        d->dram_any = true;
        d->dram_peak = lane->set[TTP_MEM_DRAM].bytes;
        d->dram_peak_total = lane->set[TTP_MEM_DRAM].size;
        d->dram_peak_op = r->op;
    }
    if (use)
        look_at_op(r, device);
}

static void look_everywhere(struct replay *r, uint32_t counter)
{
    for (uint32_t d = 0; d < r->capture->devices; d++)
        look(r, d, counter);
}

/* --- the end of an op --- */

static void close_op(struct replay *r, uint32_t op)
{
    for (uint32_t d = 0; d < r->capture->devices; d++) {
        struct ttp_mem_use *use = &r->capture->use[op * r->capture->devices + d];
        struct ttp_mem_lane *lane = &r->lane[d];

        use->end_l1 = lane->set[TTP_MEM_L1].bytes;
        use->end_dram = lane->set[TTP_MEM_DRAM].bytes;
        use->end_small = lane->set[TTP_MEM_L1_SMALL].bytes;
        use->end = ttp_mem_lane_gaps(lane, r->capture->buffer, &r->capture->device[d]);
    }
}

static ttp_code keep_row(void *arg, const struct ttp_mem_snapshot_row *row, struct ttp_err *err)
{
    struct replay *r = arg;

    (void)err;
    if (row->bytes < 0 || row->bytes >= INT64_C(1) << 48)
        return TTP_OK;
    *TTP_PUSH_WITHIN(r->scan->scratch, r->row, r->rows, r->row_cap) = *row;
    return TTP_OK;
}

TTP_ORDER(by_place, struct ttp_mem_snapshot_row, TTP_UP(device), TTP_UP(pool), TTP_UP(address))

static void add_unknown(struct replay *r, uint32_t device, const struct ttp_mem_snapshot_row *row)
{
    struct ttp_mem_capture *c = r->capture;

    *TTP_PUSH(r->scan->arena, c->buffer, c->buffers) =
        (struct ttp_mem_buffer){.node = TTP_MEM_NONE,
                                .alloc = TTP_MEM_NONE,
                                .freed = TTP_MEM_NONE,
                                .before = TTP_MEM_NONE,
                                .device = device,
                                .pool = (uint8_t)row->pool,
                                .has_address = true,
                                .address = row->address,
                                .bytes = (uint64_t)row->bytes};
    ttp_mem_lane_add(&r->lane[device], c->buffer, (uint32_t)c->buffers - 1, r->scan->scratch);
    c->reconciled++;
}

/* One pool of one device: rows [from, to) are what was there. */
static void reconcile_pool(struct replay *r, uint32_t device, int64_t pool, size_t from, size_t to)
{
    struct ttp_mem_lane *lane = &r->lane[device];
    struct ttp_mem_set *set = &lane->set[pool];
    size_t i = 0, k = from;

    if (set->placeless)
        return;
    while (i < set->count || k < to) {
        const int64_t live = i < set->count ? r->capture->buffer[set->item[i]].address : INT64_MAX;
        const int64_t told = k < to ? r->row[k].address : INT64_MAX;

        if (live == told) {
            i++;
            k++;
        } else if (live < told) {
            (void)ttp_mem_lane_remove(lane, r->capture->buffer, set->item[i]);
            r->capture->reconciled++;
        } else {
            add_unknown(r, device, &r->row[k]);
            i++;
            k++;
        }
    }
}

/* What the runtime itself saw after an op is exact: it knows buffers that are older than the
 * capture. */
static ttp_code reconcile(struct replay *r, uint32_t function, struct ttp_err *err)
{
    const uint32_t at = ttp_map_get(&r->scan->snapshot_of, function);
    size_t from = 0;

    if (at == TTP_MEM_NONE)
        return TTP_OK;
    r->rows = 0;
    TTP_TRY(ttp_mem_snapshot_read(r->scan->source, r->scan->snapshot[at].offset, keep_row, r, err));
    TTP_SORT(r->row, r->rows, by_place);
    r->capture->snapshots++;
    for (uint32_t d = 0; d < r->capture->devices; d++)
        for (int64_t pool = 0; pool < TTP_MEM_POOLS; pool++) {
            const int64_t id = r->capture->device[d].id;

            while (from < r->rows && (r->row[from].device < id ||
                                      (r->row[from].device == id && r->row[from].pool < pool)))
                from++;
            size_t to = from;
            while (to < r->rows && r->row[to].device == id && r->row[to].pool == pool)
                to++;
            if (pool == TTP_MEM_DRAM || pool == TTP_MEM_L1 || pool == TTP_MEM_L1_SMALL)
                reconcile_pool(r, d, pool, from, to);
            from = to;
        }
    return TTP_OK;
}

/* --- events --- */

static void start_function(struct replay *r, const struct ttp_mem_node *n)
{
    const struct ttp_mem_capture *c = r->capture;
    const bool op = r->next_op < c->ops && c->op[r->next_op].start == n->counter;
    struct frame *f = TTP_PUSH_WITHIN(r->scan->scratch, r->frame, r->frames, r->frame_cap);
    const bool launch =
        r->next_launch < c->launches && c->launch[r->next_launch].counter == n->counter;

    *f = (struct frame){
        .counter = n->counter, .launch = launch ? r->next_launch++ : TTP_MEM_NONE, .op = op};
    if (op)
        r->op = r->next_op++;
    if (op || !r->begun)
        look_everywhere(r, n->counter);
    r->begun = true;
}

static void remember_cbs(struct replay *r, const struct frame *f)
{
    if (f->launch == TTP_MEM_NONE || r->capture->launch[f->launch].source != TTP_MEM_CB_GIVEN)
        return;
    ttp_map_put(&r->cb_of, r->capture->launch[f->launch].signature, (uint32_t)r->cb_seens);
    *TTP_PUSH(r->scan->scratch, r->cb_seen, r->cb_seens) = f->most;
}

static ttp_code end_function(struct replay *r, const struct ttp_mem_node *n, struct ttp_err *err)
{
    if (r->frames == 0)
        return TTP_OK;
    const struct frame f = r->frame[--r->frames];

    remember_cbs(r, &f);
    for (uint32_t d = 0; d < r->capture->devices; d++)
        ttp_mem_lane_clear_frame(&r->lane[d], f.counter);
    (void)n; /* nothing grows at the end of a function: no peak can be here */
    if (r->scan->snapshots)
        TTP_TRY(reconcile(r, f.counter, err));
    if (f.op) {
        close_op(r, r->op);
        r->op = TTP_MEM_NONE;
    }
    return TTP_OK;
}

static void allocate(struct replay *r, const struct ttp_mem_node *n)
{
    while (r->next_alloc < r->allocs && r->alloc[r->next_alloc] >> 32 == n->counter) {
        const uint32_t at = (uint32_t)r->alloc[r->next_alloc++];

        ttp_mem_lane_add(&r->lane[r->capture->buffer[at].device], r->capture->buffer, at,
                         r->scan->scratch);
        look(r, r->capture->buffer[at].device, n->counter);
    }
}

static void give_back(struct replay *r, const struct ttp_mem_node *n)
{
    const struct ttp_mem_capture *c = r->capture;
    const bool op = r->frames == 0 && r->next_op < c->ops && c->op[r->next_op].start == n->counter;

    while (r->next_free < r->frees && r->freed[r->next_free] >> 32 == n->counter) {
        const uint32_t at = (uint32_t)r->freed[r->next_free++];

        (void)ttp_mem_lane_remove(&r->lane[c->buffer[at].device], c->buffer, at);
        if (!op)
            look(r, c->buffer[at].device, n->counter);
    }
    if (op) {
        r->op = r->next_op++;
        look_everywhere(r, n->counter);
        close_op(r, r->op);
        r->op = TTP_MEM_NONE;
    }
}

static ttp_code lay_out(struct replay *r, const struct ttp_mem_node *n, struct ttp_err *err)
{
    const uint32_t device = ttp_mem_device_of(r->scan, ttp_mem_has(n, TTP_PARAM_DEVICE_ID),
                                              ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
    struct frame *f = r->frames ? &r->frame[r->frames - 1] : NULL;

    if (n->view || device == TTP_MEM_NONE)
        return TTP_OK;
    TTP_TRY(ttp_mem_lane_lay_out(&r->lane[device], n, f ? f->counter : TTP_MEM_NONE,
                                 r->scan->scratch, err));
    if (f && r->lane[device].cb_bytes > f->most)
        f->most = r->lane[device].cb_bytes;
    look(r, device, n->counter);
    return TTP_OK;
}

static void launch(struct replay *r, const struct ttp_mem_node *n)
{
    const bool has = ttp_mem_has(n, TTP_PARAM_DEVICE_ID);
    const int64_t chip = ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0);
    const struct frame *f = r->frames ? &r->frame[r->frames - 1] : NULL;
    const struct ttp_mem_launch *l =
        f && f->launch != TTP_MEM_NONE ? &r->capture->launch[f->launch] : NULL;

    for (uint32_t d = 0; d < r->capture->devices; d++)
        ttp_mem_lane_clear_chip(&r->lane[d], !has || r->capture->device[d].id == chip, chip);
    if (!l || l->source != TTP_MEM_CB_INFERRED)
        return;
    const uint32_t seen = ttp_map_get(&r->cb_of, l->signature);
    const uint32_t device = ttp_mem_device_of(r->scan, has, chip);
    if (seen == TTP_MEM_NONE || device == TTP_MEM_NONE)
        return;
    r->lane[device].cb_inferred = r->cb_seen[seen];
    r->lane[device].inferred_frame = f->counter;
    look(r, device, n->counter);
}

static ttp_code take_node(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct replay *r = arg;

    switch (n->kind) {
    case TTP_NODE_FUNCTION_START:
        start_function(r, n);
        return TTP_OK;
    case TTP_NODE_FUNCTION_END:
        return end_function(r, n, err);
    case TTP_NODE_ALLOCATE:
        allocate(r, n);
        return TTP_OK;
    case TTP_NODE_FREE:
        give_back(r, n);
        return TTP_OK;
    case TTP_NODE_CB:
        return lay_out(r, n, err);
    case TTP_NODE_CB_END:
        launch(r, n);
        return TTP_OK;
    default:
        return TTP_OK;
    }
}

static void begin(struct replay *r)
{
    struct ttp_mem_capture *c = r->capture;

    r->alloc = TTP_NEW(r->scan->scratch, uint64_t, c->buffers + 1);
    r->freed = TTP_NEW(r->scan->scratch, uint64_t, c->buffers + 1);
    for (uint32_t i = 0; i < c->buffers; i++) {
        const struct ttp_mem_buffer *b = &c->buffer[i];

        if (b->device == TTP_MEM_NONE)
            continue;
        if (b->alloc == TTP_MEM_NONE)
            ttp_mem_lane_add(&r->lane[b->device], c->buffer, i, r->scan->scratch);
        else
            r->alloc[r->allocs++] = (uint64_t)b->alloc << 32 | i;
        if (b->freed != TTP_MEM_NONE)
            r->freed[r->frees++] = (uint64_t)b->freed << 32 | i;
    }
    TTP_SORT(r->alloc, r->allocs, ttp_by_u64);
    TTP_SORT(r->freed, r->frees, ttp_by_u64);
}

ttp_code ttp_mem_replay_run(struct ttp_mem_scan *s, const struct ttp_mem_options *options,
                            struct ttp_err *err)
{
    struct ttp_mem_capture *c = s->c;
    struct replay r = {.scan = s,
                       .capture = c,
                       .options = options,
                       .lane = TTP_NEW(s->scratch, struct ttp_mem_lane, c->devices + 1),
                       .op = TTP_MEM_NONE,
                       .cb_of = {.arena = s->scratch}};
    const struct ttp_mem_visitor visitor = {.node = take_node, .arg = &r, .graph_only = true};

    c->use = TTP_NEW(s->arena, struct ttp_mem_use, c->ops * c->devices + 1);
    begin(&r);
    /* what is before the nodes, pages perhaps, is passed over this time */
    struct ttp_mem_source nodes = *s->source;
    nodes.text = ttp_str_slice(nodes.text, s->graph_at, nodes.text.len);
    const ttp_code rc = ttp_mem_walk(&nodes, &visitor, err);
    if (rc != TTP_OK && err)
        err->offset += s->graph_at;
    if (rc != TTP_OK && !c->partial)
        return rc;
    if (r.op != TTP_MEM_NONE)
        close_op(&r, r.op);
    return TTP_OK;
}
