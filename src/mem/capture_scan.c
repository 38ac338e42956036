/* SPDX-License-Identifier: Apache-2.0 */
/* capture_scan.c - the first pass over a graph capture.
 *
 * Ops are numbered by the rules of the importer that makes ttnn-visualizer's databases, so that ids
 * are those that people see there. Buffers are distinguished by their buffer node, never by their
 * address: one address has many tenants. */
#include "mem/capture_state.h"

#include "base/vec.h"

/* No ops, but what they call may be. */
static const ttp_str wrappers[] = {
    TTP_STR("ttnn::convert_python_tensor_to_tt_tensor"),
    TTP_STR("tt::tt_metal::detail::convert_tt_tensor_to_framework_tensor"),
    TTP_STR("Tensor::deallocate"),
    TTP_STR("Tensor::to_device"),
    TTP_STR("Tensor::reshape"),
    TTP_STR("tt::tt_metal::to_dtype"),
};

bool ttp_mem_is_free(ttp_str name)
{
    return ttp_str_eq(name, TTP_STR("Tensor::deallocate")) ||
           ttp_str_eq(name, TTP_STR("ttnn.deallocate")) ||
           ttp_str_eq(name, TTP_STR("ttnn::deallocate"));
}

static bool is_wrapper(ttp_str name)
{
    for (size_t i = 0; i < TTP_COUNT(wrappers); i++)
        if (ttp_str_starts(name, wrappers[i]))
            return true;
    return false;
}

/* --- functions --- */

static struct ttp_mem_op *add_op(struct ttp_mem_scan *s, ttp_str name, uint32_t start)
{
    struct ttp_mem_capture *c = s->c;
    struct ttp_mem_op *op = TTP_PUSH(s->arena, c->op, c->ops);

    *op = (struct ttp_mem_op){.id = (uint32_t)c->ops,
                              .start = start,
                              .end = TTP_MEM_NONE,
                              .name = ttp_sym_name(&s->names, ttp_sym_intern(&s->names, name)),
                              .frees = ttp_mem_is_free(name)};
    return op;
}

static void start_function(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    static const ttp_str from_torch = TTP_STR("ttnn.from_torch");
    const ttp_str name = n->name.len ? n->name : TTP_STR("unknown");
    const bool loads = ttp_str_eq(name, from_torch);
    /* uploading weights before the first op is not part of the model */
    const bool filtered = is_wrapper(name) || (loads && !s->seen_compute);
    struct ttp_mem_frame *f = TTP_PUSH_WITHIN(s->scratch, s->frame, s->frames, s->frame_cap);

    if (!filtered && s->real_depth == 0 && !loads)
        s->seen_compute = true;
    *f = (struct ttp_mem_frame){.counter = n->counter,
                                .launch = TTP_MEM_NONE,
                                .nested = s->real_depth > 0 || filtered,
                                .name = ttp_sym_intern(&s->names, name),
                                .signature = n->signature};
    if (!f->nested) {
        s->real_depth++;
        (void)add_op(s, name, n->counter);
        s->op = (uint32_t)s->c->ops - 1;
    }
    if (ttp_mem_is_free(name))
        return;
    for (size_t i = 0; i < n->inputs; i++)
        *TTP_PUSH(s->scratch, s->input, s->inputs) =
            (struct ttp_mem_input_use){n->input[i], n->counter};
}

/* What is known of a launch once its function is over. */
static void close_frame(struct ttp_mem_scan *s, const struct ttp_mem_frame *f)
{
    if (f->launch != TTP_MEM_NONE)
        s->c->launch[f->launch].cbs = f->cbs;
}

static void end_function(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    if (s->frames == 0) /* its start is older than the capture */
        return;
    const struct ttp_mem_frame *f = &s->frame[--s->frames];
    close_frame(s, f);
    if (f->nested)
        return;
    struct ttp_mem_op *op = &s->c->op[s->op];
    op->end = n->counter;
    op->duration_ns = n->duration_ns;
    op->finished = true;
    s->real_depth--;
    s->op = TTP_MEM_NONE;
}

static void add_launch(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    struct ttp_mem_frame *f = s->frames ? &s->frame[s->frames - 1] : NULL;
    struct ttp_mem_capture *c = s->c;
    const bool has = ttp_mem_has(n, TTP_PARAM_DEVICE_ID);
    const int64_t device = has ? n->param[TTP_PARAM_DEVICE_ID] : 0;

    if (!f)
        return;
    if (f->launch == TTP_MEM_NONE) {
        f->launch = (uint32_t)c->launches;
        *TTP_PUSH(s->arena, c->launch, c->launches) =
            (struct ttp_mem_launch){.counter = f->counter,
                                    .op = s->op,
                                    .first = TTP_MEM_NONE,
                                    .name = ttp_sym_name(&s->names, f->name),
                                    .signature = f->signature};
    }
    struct ttp_mem_launch *launch = &c->launch[f->launch];
    launch->count++;
    for (uint32_t i = launch->first; i != TTP_MEM_NONE; i = s->launched[i].next)
        if (s->launched[i].has_device == has && s->launched[i].device == device) {
            s->launched[i].count++;
            return;
        }
    *TTP_PUSH(s->arena, s->launched, s->launcheds) =
        (struct ttp_mem_launches){has, device, 1, launch->first};
    launch->first = (uint32_t)s->launcheds - 1;
}

/* --- buffers --- */

static uint64_t positive(int64_t v)
{
    return v > 0 && v < INT64_C(1) << 48 ? (uint64_t)v : 0;
}

/* Take over what a node says about a buffer. */
static void describe(struct ttp_mem_scan *s, uint32_t at, const struct ttp_mem_node *n)
{
    struct ttp_mem_buffer *b = &s->c->buffer[at];
    const enum ttp_mem_pool pool = ttp_mem_pool_of(n);

    if (pool != TTP_MEM_POOLS)
        b->pool = (uint8_t)pool;
    b->size = positive(ttp_mem_param(n, TTP_PARAM_SIZE, 0));
    b->has_address |= ttp_mem_has(n, TTP_PARAM_ADDRESS);
    b->address = ttp_mem_param(n, TTP_PARAM_ADDRESS, b->address);
    s->raw[at] = (struct ttp_mem_raw){
        .bank_bytes = ttp_mem_has(n, TTP_PARAM_BANK_BYTES)
                          ? (int64_t)positive(n->param[TTP_PARAM_BANK_BYTES])
                          : -1,
        .page_bytes = (int64_t)positive(ttp_mem_param(n, TTP_PARAM_PAGE_SIZE, 0)),
        .cores = (int64_t)positive(ttp_mem_param(n, TTP_PARAM_NUM_CORES, 0)),
        .device = ttp_mem_param(n, TTP_PARAM_DEVICE_ID, s->raw[at].device),
    };
}

static uint32_t add_buffer(struct ttp_mem_scan *s, uint32_t node)
{
    const struct ttp_mem_buffer b = {.node = node,
                                     .alloc = TTP_MEM_NONE,
                                     .freed = TTP_MEM_NONE,
                                     .device = TTP_MEM_NONE,
                                     .before = TTP_MEM_NONE,
                                     .pool = TTP_MEM_POOLS};

    *TTP_PUSH(s->arena, s->c->buffer, s->c->buffers) = b;
    *TTP_PUSH(s->scratch, s->raw, s->raws) = (struct ttp_mem_raw){.bank_bytes = -1};
    return (uint32_t)s->c->buffers - 1;
}

static struct ttp_mem_identity *identity_of(struct ttp_mem_scan *s, uint32_t node)
{
    uint32_t at = ttp_map_get(&s->identity_of, node);

    if (at == TTP_MEM_NONE) {
        at = (uint32_t)s->identities;
        *TTP_PUSH(s->scratch, s->identity, s->identities) =
            (struct ttp_mem_identity){.latest = TTP_MEM_NONE};
        ttp_map_put(&s->identity_of, node, at);
    }
    return &s->identity[at];
}

/* A buffer node comes before the allocation it is for; without one it is older than the capture. */
static void take_buffer_node(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    struct ttp_mem_identity *id = identity_of(s, n->counter);

    id->link = (uint32_t)s->links;
    for (size_t i = 0; i < n->connections; i++)
        *TTP_PUSH(s->arena, s->c->tensor_at, s->links) = n->connection[i];
    id->links = (uint32_t)s->links - id->link;
    if (id->latest == TTP_MEM_NONE) {
        id->latest = add_buffer(s, n->counter);
        describe(s, id->latest, n);
    }
}

static void allocate(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    uint32_t at;

    if (n->connections == 0) { /* the earliest reports have no buffer nodes */
        const uint64_t address = (uint64_t)ttp_mem_param(n, TTP_PARAM_ADDRESS, 0);
        const uint32_t before = ttp_map_get(&s->bare, address);

        at = add_buffer(s, n->counter);
        s->c->buffer[at].before = before;
        ttp_map_put(&s->bare, address, at);
    } else {
        struct ttp_mem_identity *id = identity_of(s, n->connection[0]);
        const bool fresh = id->latest != TTP_MEM_NONE &&
                           s->c->buffer[id->latest].alloc == TTP_MEM_NONE &&
                           s->c->buffer[id->latest].freed == TTP_MEM_NONE;

        at = fresh ? id->latest : add_buffer(s, n->connection[0]);
        if (!fresh)
            s->c->buffer[at].before = id->latest;
        id->latest = at;
    }
    s->c->buffer[at].alloc = n->counter;
    describe(s, at, n);
}

/* The live allocation that is released; TTP_MEM_NONE: one older than the capture. */
static uint32_t find_live(const struct ttp_mem_scan *s, uint32_t latest, int64_t device)
{
    uint32_t any = TTP_MEM_NONE;

    for (uint32_t at = latest; at != TTP_MEM_NONE; at = s->c->buffer[at].before) {
        const struct ttp_mem_buffer *b = &s->c->buffer[at];

        if (b->freed != TTP_MEM_NONE)
            continue;
        if (s->raw[at].device == device)
            return at;
        any = any == TTP_MEM_NONE ? at : any;
    }
    return any;
}

static bool is_known(const struct ttp_mem_scan *s, const struct ttp_mem_node *n, uint32_t *latest)
{
    if (n->connections == 0) {
        *latest = ttp_map_get(&s->bare, (uint64_t)ttp_mem_param(n, TTP_PARAM_ADDRESS, 0));
        return *latest != TTP_MEM_NONE;
    }
    const uint32_t at = ttp_map_get(&s->identity_of, n->connection[0]);
    *latest = at == TTP_MEM_NONE ? TTP_MEM_NONE : s->identity[at].latest;
    return *latest != TTP_MEM_NONE;
}

static void give_back(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    uint32_t latest, at;

    if (is_known(s, n, &latest)) {
        at = find_live(s, latest, ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
        if (at == TTP_MEM_NONE) /* released twice */
            return;
    } else {
        at = add_buffer(s, n->connections ? n->connection[0] : n->counter);
        if (n->connections)
            identity_of(s, n->connection[0])->latest = at;
        describe(s, at, n);
    }
    struct ttp_mem_buffer *b = &s->c->buffer[at];
    b->freed = n->counter;
    if (b->alloc == TTP_MEM_NONE) {
        const bool says_more = ttp_mem_param(n, TTP_PARAM_SIZE, 0) > 0;

        if (says_more)
            describe(s, at, n);
        b->has_address |= ttp_mem_has(n, TTP_PARAM_ADDRESS);
        b->address = ttp_mem_param(n, TTP_PARAM_ADDRESS, b->address);
    }
    if (s->frames == 0) {
        struct ttp_mem_op *op = add_op(s, TTP_STR("ttnn::deallocate"), n->counter);

        op->end = n->counter;
        op->finished = true;
    }
}

/* --- tensors and circular buffers --- */

static void add_chip(struct ttp_mem_scan *s, int64_t chip, int64_t mesh)
{
    if (chip < 0 || mesh < 0 || s->chips >= TTP_MEM_DEVICES_MAX)
        return;
    for (size_t i = 0; i < s->chips; i++)
        if (s->chip[i].chip == chip)
            return;
    *TTP_PUSH(s->scratch, s->chip, s->chips) = (struct ttp_mem_chip){chip, mesh};
}

/* Which chips a mesh has: [{"device_id":0,"mesh_device_id":1,...},...]. */
static void take_chips(struct ttp_mem_scan *s, ttp_str text)
{
    struct ttp_json_reader json = {0};
    enum ttp_json_event e = TTP_JSON_MORE;
    int64_t chip = -1, mesh = -1, *wanted = NULL;

    ttp_json_feed(&json, text, true);
    while (ttp_json_next(&e, &json, NULL) == TTP_OK && e != TTP_JSON_END) {
        if (e == TTP_JSON_KEY) {
            const bool is_chip = ttp_str_eq(json.text, TTP_STR("device_id"));
            const bool is_mesh = ttp_str_eq(json.text, TTP_STR("mesh_device_id"));

            wanted = is_chip ? &chip : is_mesh ? &mesh : NULL;
            continue;
        }
        if (wanted && (e == TTP_JSON_NUMBER || e == TTP_JSON_STRING))
            (void)ttp_json_to_i64(json.text, wanted);
        wanted = NULL;
        if (e == TTP_JSON_OBJECT_END) {
            add_chip(s, chip, mesh);
            chip = mesh = -1;
        }
    }
    ttp_json_clear(&json);
}

static void take_tensor(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    if (n->device_tensors.len)
        take_chips(s, n->device_tensors);
    if (!ttp_mem_has(n, TTP_PARAM_TENSOR_ID))
        return;
    *TTP_PUSH(s->arena, s->tensor_node, s->c->tensor_nodes) = n->counter;
    *TTP_PUSH(s->arena, s->tensor_id, s->tensor_ids) = n->param[TTP_PARAM_TENSOR_ID];
}

static void take_cb_chip(struct ttp_mem_scan *s, int64_t chip)
{
    for (size_t i = s->cb_chips; i-- > 0;)
        if (s->cb_chip[i] == chip)
            return;
    if (s->cb_chips < TTP_MEM_DEVICES_MAX)
        *TTP_PUSH(s->scratch, s->cb_chip, s->cb_chips) = chip;
}

static void take_cb(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    if (s->frames)
        s->frame[s->frames - 1].cbs++;
    if (!n->view)
        take_cb_chip(s, ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0));
    if (n->view && ttp_mem_has(n, TTP_PARAM_ADDRESS))
        *TTP_PUSH(s->scratch, s->view, s->views) = (struct ttp_mem_view_use){
            n->counter, ttp_mem_has(n, TTP_PARAM_DEVICE_ID),
            ttp_mem_param(n, TTP_PARAM_DEVICE_ID, 0), n->param[TTP_PARAM_ADDRESS]};
}

static void take_error(struct ttp_mem_scan *s, const struct ttp_mem_node *n)
{
    const struct ttp_mem_op *op = s->op == TTP_MEM_NONE ? NULL : &s->c->op[s->op];

    *TTP_PUSH(s->arena, s->c->error, s->c->errors) = (struct ttp_mem_error){
        op ? op->id : 0,
        n->name.len ? ttp_arena_copy(s->arena, n->name)
        : op        ? op->name
                    : TTP_STR("an op"),
        ttp_arena_copy(s->arena, n->type), ttp_arena_copy(s->arena, n->error)};
}

static ttp_code take_node(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct ttp_mem_scan *s = arg;

    (void)err;
    switch (n->kind) {
    case TTP_NODE_FUNCTION_START:
        start_function(s, n);
        break;
    case TTP_NODE_FUNCTION_END:
        end_function(s, n);
        break;
    case TTP_NODE_TENSOR:
        take_tensor(s, n);
        break;
    case TTP_NODE_BUFFER:
        take_buffer_node(s, n);
        break;
    case TTP_NODE_ALLOCATE:
        allocate(s, n);
        break;
    case TTP_NODE_FREE:
        give_back(s, n);
        break;
    case TTP_NODE_CB:
        take_cb(s, n);
        break;
    case TTP_NODE_CB_END:
        add_launch(s, n);
        break;
    case TTP_NODE_ERROR:
        take_error(s, n);
        break;
    default:
        break;
    }
    return TTP_OK;
}

static ttp_code take_device(void *arg, const struct ttp_mem_device *d, struct ttp_err *err)
{
    struct ttp_mem_scan *s = arg;

    if (s->facts == TTP_MEM_DEVICES_MAX)
        return ttp_fail(err, TTP_ELIMIT, "more than %d devices", TTP_MEM_DEVICES_MAX);
    *TTP_PUSH(s->scratch, s->fact, s->facts) = *d;
    return TTP_OK;
}

static ttp_code take_snapshot(void *arg, uint32_t counter, size_t offset, struct ttp_err *err)
{
    struct ttp_mem_scan *s = arg;

    (void)err;
    ttp_map_put(&s->snapshot_of, counter, (uint32_t)s->snapshots);
    *TTP_PUSH(s->scratch, s->snapshot, s->snapshots) =
        (struct ttp_mem_snapshot_at){counter, offset};
    return TTP_OK;
}

static void take_fact(void *arg, ttp_str key, ttp_str value)
{
    struct ttp_mem_scan *s = arg;

    if (ttp_str_eq(key, TTP_STR("version")))
        (void)ttp_json_to_i64(value, &s->c->version);
    else if (ttp_str_eq(key, TTP_STR("rank")))
        s->c->has_rank = ttp_json_to_i64(value, &s->c->rank);
}

static void take_graph(void *arg, size_t offset)
{
    struct ttp_mem_scan *s = arg;

    s->graph_at = offset;
}

ttp_code ttp_mem_scan_run(struct ttp_mem_scan *s, bool partial, struct ttp_err *err)
{
    const struct ttp_mem_visitor visitor = {.node = take_node,
                                            .device = take_device,
                                            .snapshot = take_snapshot,
                                            .fact = take_fact,
                                            .graph = take_graph,
                                            .arg = s};
    struct ttp_err cut = {0};

    s->op = TTP_MEM_NONE;
    const ttp_code rc = ttp_mem_walk(s->source, &visitor, &cut);
    if (rc != TTP_OK && !(partial && rc == TTP_EPARSE && s->c->ops + s->c->buffers > 0)) {
        if (err)
            *err = cut;
        return rc;
    }
    if (rc != TTP_OK) {
        s->c->partial = true;
        s->c->cut = ttp_arena_zstr(s->arena, ttp_str_from(cut.text));
        s->c->cut_offset = cut.offset;
    }
    while (s->frames)
        close_frame(s, &s->frame[--s->frames]);
    return TTP_OK;
}
