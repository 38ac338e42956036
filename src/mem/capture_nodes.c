/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/map.h"
#include "base/vec.h"
#include "mem/capture_nodes.h"

#define WINDOW    ((size_t)2 << 20)
#define DEPTH_MAX 64
#define TEXT_MAX  ((size_t)1 << 20)
#define NODES_MAX ((uint64_t)1 << 31)

struct walk {
    const struct ttp_mem_source *source;
    const struct ttp_mem_visitor *visitor;
    struct ttp_json_reader json;
    size_t at;              /* how much has been fed */
    struct ttp_arena texts; /* of the current node */
    struct ttp_mem_node node;
    uint32_t *connection, *input; /* room that nodes share */
    size_t connection_cap, input_cap;
    struct ttp_arena lists;
    uint64_t nodes;
    int64_t last; /* counter of the node before */
    bool any_graph, done;
};

static void feed(struct walk *w)
{
    const ttp_str text = w->source->text;
    const ttp_str piece = ttp_str_slice(text, w->at, w->at + WINDOW);

    if (w->source->file.map && w->at >= WINDOW)
        ttp_file_forget(&w->source->file, ttp_str_slice(text, w->at - WINDOW, w->at));
    w->at += piece.len;
    ttp_json_feed(&w->json, piece, w->at == text.len);
}

static ttp_code pull(enum ttp_json_event *e, struct walk *w, struct ttp_err *err)
{
    do {
        TTP_TRY(ttp_json_next(e, &w->json, err));
        if (*e == TTP_JSON_MORE)
            feed(w);
    } while (*e == TTP_JSON_MORE);
    return TTP_OK;
}

/* Past one value; if it is an array or object, all of it. */
static ttp_code skip(enum ttp_json_event *e, struct walk *w, struct ttp_err *err)
{
    do {
        TTP_TRY(ttp_json_skip(e, &w->json, err));
        if (*e == TTP_JSON_MORE)
            feed(w);
    } while (*e == TTP_JSON_MORE);
    return TTP_OK;
}

static ttp_code skip_value(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    return skip(&e, w, err);
}

/* --- a node --- */

static const struct {
    ttp_str name;
    enum ttp_mem_node_kind kind;
} kinds[] = {
    {TTP_STR("function_start"), TTP_NODE_FUNCTION_START},
    {TTP_STR("function_end"), TTP_NODE_FUNCTION_END},
    {TTP_STR("tensor"), TTP_NODE_TENSOR},
    {TTP_STR("buffer"), TTP_NODE_BUFFER},
    {TTP_STR("buffer_allocate"), TTP_NODE_ALLOCATE},
    {TTP_STR("buffer_deallocate"), TTP_NODE_FREE},
    {TTP_STR("circular_buffer_allocate"), TTP_NODE_CB},
    {TTP_STR("dataflow_buffer_allocate"), TTP_NODE_CB},
    {TTP_STR("scratchpad_allocate"), TTP_NODE_CB},
    {TTP_STR("circular_buffer_deallocate_all"), TTP_NODE_CB_END},
    {TTP_STR("error"), TTP_NODE_ERROR},
};

static enum ttp_mem_node_kind kind_of(ttp_str name)
{
    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (ttp_str_eq(kinds[i].name, name))
            return kinds[i].kind;
    return TTP_NODE_OTHER;
}

static const ttp_str param_names[TTP_PARAMS] = {
    [TTP_PARAM_SIZE] = TTP_STR("size"),
    [TTP_PARAM_ADDRESS] = TTP_STR("address"),
    [TTP_PARAM_TENSOR_ID] = TTP_STR("tensor_id"),
    [TTP_PARAM_DEVICE_ID] = TTP_STR("device_id"),
    [TTP_PARAM_BUFFER_TYPE] = TTP_STR("buffer_type"),
    [TTP_PARAM_PAGE_SIZE] = TTP_STR("page_size"),
    [TTP_PARAM_NUM_CORES] = TTP_STR("num_cores"),
    [TTP_PARAM_BANK_BYTES] = TTP_STR("max_size_per_bank"),
};

static uint64_t hash(uint64_t h, ttp_str text)
{
    return ttp_hash_text(ttp_hash_text(h, text),
                         TTP_STR("\xff")); /* an end: "ab","c" is not "a","bc" */
}

static bool is_scalar(enum ttp_json_event e)
{
    return e == TTP_JSON_STRING || e == TTP_JSON_NUMBER;
}

static const ttp_str text_names[TTP_TEXTS] = {
    [TTP_TEXT_SHAPE] = TTP_STR("shape"),
    [TTP_TEXT_DTYPE] = TTP_STR("dtype"),
    [TTP_TEXT_LAYOUT] = TTP_STR("layout"),
    [TTP_TEXT_MEMORY] = TTP_STR("memory_config"),
};

/* Where the text of a parameter is kept; NULL: it is not wanted. */
static ttp_str *text_of(struct walk *w, ttp_str key)
{
    struct ttp_mem_node *n = &w->node;

    for (int i = 0; w->visitor->texts && i < TTP_TEXTS; i++)
        if (ttp_str_eq(text_names[i], key))
            return &n->text[i];
    if (ttp_str_eq(key, TTP_STR("name")))
        return &n->name;
    if (ttp_str_eq(key, TTP_STR("type")))
        return &n->type;
    if (ttp_str_eq(key, TTP_STR("core_range_set")))
        return &n->cores;
    if (ttp_str_eq(key, TTP_STR("device_tensors")))
        return &n->device_tensors;
    if (ttp_str_eq(key, TTP_STR("error_operation")))
        return &n->name;
    if (ttp_str_eq(key, TTP_STR("error_type")))
        return &n->type;
    return ttp_str_eq(key, TTP_STR("error_message")) ? &n->error : NULL;
}

static bool is_view_key(ttp_str key)
{
    return ttp_str_eq(key, TTP_STR("globally_allocated")) ||
           ttp_str_eq(key, TTP_STR("borrows_memory"));
}

static int param_of(ttp_str key)
{
    for (int i = 0; i < TTP_PARAMS; i++)
        if (ttp_str_eq(param_names[i], key))
            return i;
    return -1;
}

static ttp_code read_param(struct walk *w, struct ttp_err *err)
{
    struct ttp_mem_node *n = &w->node;
    enum ttp_json_event e;
    const int param = param_of(w->json.text);
    ttp_str *text = param < 0 ? text_of(w, w->json.text) : NULL;
    const bool view = is_view_key(w->json.text);

    TTP_TRY(skip(&e, w, err));
    if (param >= 0 && is_scalar(e) && ttp_json_to_i64(w->json.text, &n->param[param]))
        n->has |= 1u << param;
    else if (text && e == TTP_JSON_STRING)
        *text = ttp_arena_copy(&w->texts, w->json.text);
    else if (view)
        n->view |= e == TTP_JSON_TRUE || (is_scalar(e) && ttp_str_eq(w->json.text, TTP_STR("1")));
    return TTP_OK;
}

static ttp_code read_params(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    TTP_TRY(pull(&e, w, err));
    if (e == TTP_JSON_ARRAY_BEGIN)
        return ttp_fail_at(err, TTP_EPARSE, w->json.offset, "params of a node must be a list");
    if (e != TTP_JSON_OBJECT_BEGIN) /* null when empty */
        return TTP_OK;
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            return TTP_OK;
        TTP_TRY(read_param(w, err));
    }
}

static ttp_code read_arguments(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;
    const uint32_t depth = w->json.depth;

    do {
        TTP_TRY(pull(&e, w, err));
        if (is_scalar(e))
            w->node.signature = hash(w->node.signature, w->json.text);
    } while (w->json.depth > depth);
    return TTP_OK;
}

/* Counters of other nodes; what is none is left out. */
static ttp_code read_list(uint32_t **list, size_t *cap, size_t *count, struct walk *w,
                          struct ttp_err *err)
{
    enum ttp_json_event e;
    uint64_t v;

    TTP_TRY(pull(&e, w, err));
    if (e == TTP_JSON_OBJECT_BEGIN)
        return ttp_fail_at(err, TTP_EPARSE, w->json.offset, "expected a list of nodes");
    if (e != TTP_JSON_ARRAY_BEGIN)
        return TTP_OK;
    const uint32_t depth = w->json.depth;
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (w->json.depth < depth)
            return TTP_OK;
        if (!is_scalar(e) || !ttp_json_to_u64(w->json.text, &v) || v >= NODES_MAX)
            continue;
        TTP_RESERVE(&w->lists, *list, *count + 1, *cap);
        (*list)[(*count)++] = (uint32_t)v;
    }
}

static ttp_code read_counter(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;
    uint64_t v;

    TTP_TRY(pull(&e, w, err));
    if (!is_scalar(e) || !ttp_json_to_u64(w->json.text, &v))
        return ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                           "the counter of a node is not a number");
    if (v >= NODES_MAX)
        return ttp_fail_at(err, TTP_ELIMIT, w->json.offset, "more than 2^31 nodes");
    if (w->source->increasing && (int64_t)v <= w->last)
        return ttp_fail_at(err, TTP_EPARSE, w->json.offset, "nodes are not in order");
    w->node.counter = (uint32_t)v;
    return TTP_OK;
}

static ttp_code read_scalar(struct walk *w, ttp_str key, struct ttp_err *err)
{
    const bool type = ttp_str_eq(key, TTP_STR("node_type"));
    const bool duration = ttp_str_eq(key, TTP_STR("duration_ns"));
    enum ttp_json_event e;

    TTP_TRY(skip(&e, w, err));
    if (type && e == TTP_JSON_STRING)
        w->node.kind = kind_of(w->json.text);
    else if (duration && is_scalar(e))
        (void)ttp_json_to_u64(w->json.text, &w->node.duration_ns);
    return TTP_OK;
}

static ttp_code read_member(struct walk *w, struct ttp_err *err)
{
    const ttp_str key = w->json.text;

    if (ttp_str_eq(key, TTP_STR("params")))
        return read_params(w, err);
    if (ttp_str_eq(key, TTP_STR("connections")))
        return read_list(&w->connection, &w->connection_cap, &w->node.connections, w, err);
    if (ttp_str_eq(key, TTP_STR("input_tensors")))
        return read_list(&w->input, &w->input_cap, &w->node.inputs, w, err);
    if (ttp_str_eq(key, TTP_STR("arguments")))
        return read_arguments(w, err);
    if (ttp_str_eq(key, TTP_STR("counter")))
        return read_counter(w, err);
    return read_scalar(w, key, err);
}

/* The object has been begun. */
static ttp_code read_node(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    ttp_arena_reset(&w->texts);
    if (w->last + 1 >= (int64_t)NODES_MAX)
        return ttp_fail_at(err, TTP_ELIMIT, w->json.offset, "more than 2^31 nodes");
    w->node = (struct ttp_mem_node){.counter = (uint32_t)(w->last + 1), .signature = TTP_HASH_TEXT};
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            break;
        TTP_TRY(read_member(w, err));
    }
    w->node.connection = w->connection;
    w->node.input = w->input;
    w->node.signature = hash(w->node.signature, w->node.name);
    w->last = w->node.counter;
    w->nodes++;
    return w->visitor->node(w->visitor->arg, &w->node, err);
}

/* The array has been begun. */
static ttp_code read_graph(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    w->any_graph = true;
    if (w->visitor->graph)
        w->visitor->graph(w->visitor->arg, w->json.offset);
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_ARRAY_END)
            break;
        if (e != TTP_JSON_OBJECT_BEGIN)
            return ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                               "a node of the graph is not an object");
        TTP_TRY(read_node(w, err));
    }
    w->done = w->visitor->graph_only;
    return TTP_OK;
}

/* --- what is next to the graph --- */

#define DEVICE_FIELD(name) offsetof(struct ttp_mem_device, name)
static const struct {
    ttp_str key;
    size_t offset;
} device_fields[] = {
    {TTP_STR("device_id"), DEVICE_FIELD(id)},
    {TTP_STR("l1_num_banks"), DEVICE_FIELD(l1_banks)},
    {TTP_STR("num_dram_channels"), DEVICE_FIELD(dram_banks)},
    {TTP_STR("l1_bank_size"), DEVICE_FIELD(l1_bank_bytes)},
    {TTP_STR("address_at_first_l1_cb_buffer"), DEVICE_FIELD(l1_base)},
    {TTP_STR("worker_l1_size"), DEVICE_FIELD(worker_l1_bytes)},
    {TTP_STR("dram_size_per_channel"), DEVICE_FIELD(dram_bank_bytes)},
    {TTP_STR("num_x_compute_cores"), DEVICE_FIELD(grid_x)},
    {TTP_STR("num_y_compute_cores"), DEVICE_FIELD(grid_y)},
};

bool ttp_mem_device_set(struct ttp_mem_device *d, ttp_str key, int64_t value)
{
    for (size_t i = 0; i < TTP_COUNT(device_fields); i++)
        if (ttp_str_eq(device_fields[i].key, key) && value >= 0 && value < INT64_C(1) << 48) {
            memcpy((char *)d + device_fields[i].offset, &value, sizeof(value));
            return true;
        }
    return false;
}

static ttp_code read_device(struct walk *w, struct ttp_err *err)
{
    struct ttp_mem_device d = {0};
    enum ttp_json_event e;

    for (;;) {
        int64_t value;

        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            break;
        const ttp_str key = ttp_arena_copy(&w->texts, w->json.text);
        TTP_TRY(skip(&e, w, err));
        if (e == TTP_JSON_STRING && ttp_str_eq(key, TTP_STR("arch")))
            snprintf(d.arch, sizeof(d.arch), "%.*s", TTP_FMT(w->json.text));
        else if (is_scalar(e) && ttp_json_to_i64(w->json.text, &value))
            (void)ttp_mem_device_set(&d, key, value);
    }
    return w->visitor->device(w->visitor->arg, &d, err);
}

static ttp_code read_devices(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    TTP_TRY(pull(&e, w, err));
    if (e != TTP_JSON_ARRAY_BEGIN)
        return e == TTP_JSON_NULL ? TTP_OK
                                  : ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                                                "the devices of a capture are not a list");
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_ARRAY_END)
            return TTP_OK;
        if (e != TTP_JSON_OBJECT_BEGIN)
            return ttp_fail_at(err, TTP_EPARSE, w->json.offset, "a device is not an object");
        TTP_TRY(read_device(w, err));
    }
}

static ttp_code read_facts(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    TTP_TRY(pull(&e, w, err));
    if (e != TTP_JSON_OBJECT_BEGIN)
        return TTP_OK;
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            return TTP_OK;
        const ttp_str key = ttp_arena_copy(&w->texts, w->json.text);
        TTP_TRY(skip(&e, w, err));
        if (is_scalar(e))
            w->visitor->fact(w->visitor->arg, key, w->json.text);
    }
}

static ttp_code read_version(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    TTP_TRY(skip(&e, w, err));
    if (is_scalar(e))
        w->visitor->fact(w->visitor->arg, TTP_STR("version"), w->json.text);
    return TTP_OK;
}

/* The value of the current key: its position is reported, and it is skipped. */
static ttp_code read_snapshot(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;
    uint64_t counter;
    const bool known = ttp_str_to_u64(w->json.text, &counter) && counter < NODES_MAX;
    /* the value comes after the key and its colon: the place need not be exact */
    const size_t offset = w->json.offset;

    TTP_TRY(skip(&e, w, err));
    if (!known || e != TTP_JSON_ARRAY_END)
        return TTP_OK;
    return w->visitor->snapshot(w->visitor->arg, (uint32_t)counter, offset, err);
}

static ttp_code read_snapshots(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    TTP_TRY(pull(&e, w, err));
    if (e != TTP_JSON_OBJECT_BEGIN)
        return e == TTP_JSON_NULL ? TTP_OK
                                  : ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                                                "per_operation_buffers is not an object");
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            return TTP_OK;
        TTP_TRY(read_snapshot(w, err));
    }
}

static ttp_code read_section(struct walk *w, struct ttp_err *err)
{
    const ttp_str key = w->json.text;
    enum ttp_json_event e;

    if (ttp_str_eq(key, TTP_STR("graph"))) {
        TTP_TRY(pull(&e, w, err));
        if (e != TTP_JSON_ARRAY_BEGIN)
            return ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                               "the graph of a capture is not a list");
        return read_graph(w, err);
    }
    if (ttp_str_eq(key, TTP_STR("devices")) && w->visitor->device)
        return read_devices(w, err);
    if (ttp_str_eq(key, TTP_STR("metadata")) && w->visitor->fact)
        return read_facts(w, err);
    if (ttp_str_eq(key, TTP_STR("version")) && w->visitor->fact)
        return read_version(w, err);
    if (ttp_str_eq(key, TTP_STR("per_operation_buffers")) && w->visitor->snapshot)
        return read_snapshots(w, err);
    return skip_value(w, err);
}

static ttp_code refuse_foreign(struct walk *w, struct ttp_err *err)
{
    ttp_fail_at(err, TTP_EPARSE, w->json.offset, "this is not a graph capture: it has no graph");
    ttp_err_hint(err, "if the capture has several files, give graph_capture*.json");
    return TTP_EPARSE;
}

static ttp_code read_sections(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    while (!w->done) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            break;
        TTP_TRY(read_section(w, err));
    }
    return TTP_OK;
}

static ttp_code walk_all(struct walk *w, struct ttp_err *err)
{
    enum ttp_json_event e;

    feed(w);
    TTP_TRY(pull(&e, w, err));
    if (e == TTP_JSON_ARRAY_BEGIN)
        TTP_TRY(read_graph(w, err));
    else if (e == TTP_JSON_OBJECT_BEGIN)
        TTP_TRY(read_sections(w, err));
    if (w->done)
        return TTP_OK;
    const bool bare = e == TTP_JSON_ARRAY_BEGIN && w->nodes == 0 && w->source->increasing;
    if (!w->any_graph || bare)
        return refuse_foreign(w, err);
    return pull(&e, w, err); /* nothing may follow */
}

ttp_code ttp_mem_walk(const struct ttp_mem_source *s, const struct ttp_mem_visitor *visitor,
                      struct ttp_err *err)
{
    struct walk w = {.source = s, .visitor = visitor, .last = -1};

    w.json.max_depth = DEPTH_MAX;
    w.json.max_token = TEXT_MAX;
    w.json.replace_surrogate = true;
    w.json.python = true;
    const ttp_code rc = walk_all(&w, err);
    ttp_json_clear(&w.json);
    ttp_arena_free(&w.texts);
    ttp_arena_free(&w.lists);
    return rc;
}

/* --- snapshots --- */

static ttp_code read_row(struct walk *w, ttp_mem_row_fn *use, void *arg, struct ttp_err *err)
{
    static const ttp_str keys[] = {TTP_STR("device_id"), TTP_STR("address"),
                                   TTP_STR("max_size_per_bank"), TTP_STR("buffer_type")};
    int64_t value[TTP_COUNT(keys)] = {0};
    enum ttp_json_event e;

    for (;;) {
        size_t k = 0;

        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_OBJECT_END)
            break;
        while (k < TTP_COUNT(keys) && !ttp_str_eq(keys[k], w->json.text))
            k++;
        TTP_TRY(skip(&e, w, err));
        if (k < TTP_COUNT(keys) && is_scalar(e))
            (void)ttp_json_to_i64(w->json.text, &value[k]);
    }
    const struct ttp_mem_snapshot_row row = {value[0], value[1], value[2], value[3]};
    return use(arg, &row, err);
}

static ttp_code read_rows(struct walk *w, ttp_mem_row_fn *use, void *arg, struct ttp_err *err)
{
    enum ttp_json_event e;

    feed(w);
    TTP_TRY(pull(&e, w, err));
    if (e != TTP_JSON_ARRAY_BEGIN)
        return ttp_fail_at(err, TTP_EPARSE, w->json.offset, "the buffers of an op are not a list");
    for (;;) {
        TTP_TRY(pull(&e, w, err));
        if (e == TTP_JSON_ARRAY_END)
            return TTP_OK;
        if (e != TTP_JSON_OBJECT_BEGIN)
            return ttp_fail_at(err, TTP_EPARSE, w->json.offset,
                               "a buffer of an op is not an object");
        TTP_TRY(read_row(w, use, arg, err));
    }
}

ttp_code ttp_mem_snapshot_read(const struct ttp_mem_source *s, size_t offset, ttp_mem_row_fn *use,
                               void *arg, struct ttp_err *err)
{
    const ttp_str rest = ttp_str_slice(s->text, offset, s->text.len);
    const size_t colon = ttp_str_find_char(rest, ':');
    const struct ttp_mem_source part = {
        .text = ttp_str_slice(rest, colon == TTP_NPOS ? rest.len : colon + 1, rest.len)};
    struct walk w = {.source = &part, .last = -1};

    w.json.max_depth = DEPTH_MAX;
    w.json.max_token = TEXT_MAX;
    const ttp_code rc = read_rows(&w, use, arg, err);
    if (rc != TTP_OK && err)
        err->offset += (size_t)(part.text.ptr - s->text.ptr);
    ttp_json_clear(&w.json);
    return rc;
}
