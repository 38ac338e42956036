/* SPDX-License-Identifier: Apache-2.0 */
/* op_tensors.c - the tensors of one op of a graph capture: shapes, types and where they are.
 *
 * They are read a second time, for the op that was asked for: a run has one tensor node per use,
 * and the analysis of memory needs none of their texts. */
#include "base/sink.h"
#include "base/vec.h"
#include "mem/capture_nodes.h"

/* The first function of the op that takes two tensors or more is the one that computes. */
struct search {
    uint32_t from, to; /* counters of the op */
    uint32_t depth;    /* of functions that are open */
    uint32_t at;       /* depth of the function, 0: not found yet */
    bool ended;
    uint32_t *wanted; /* counters of its inputs, then of what its end leads to */
    size_t count, inputs;
    struct ttp_mem_op_tensors *out;
    struct ttp_arena *arena;
};

/* What follows the last "::" or '.': "DataType::BFLOAT16". */
static ttp_str last_name(ttp_str text)
{
    size_t at = text.len;

    while (at > 0 && text.ptr[at - 1] != ':')
        at--;
    return ttp_str_slice(text, at, text.len);
}

/* The numbers of a text, up to `most`; how many there are. */
static size_t numbers_of(ttp_str text, uint64_t *out, size_t most)
{
    size_t n = 0, at = 0;

    while (at < text.len) {
        size_t end = at;

        while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9')
            end++;
        if (end > at && n < most && ttp_str_to_u64(ttp_str_slice(text, at, end), &out[n]))
            n++;
        at = end > at ? end : at + 1;
    }
    return n;
}

/* The text between the first `key` and the next `end`; empty: there is none. */
static ttp_str between(ttp_str text, ttp_str key, ttp_str end)
{
    const size_t at = ttp_str_find(text, key);

    if (at == TTP_NPOS)
        return (ttp_str){0};
    text = ttp_str_slice(text, at + key.len, text.len);
    return ttp_str_slice(text, 0, ttp_str_find(text, end));
}

/* "ShardSpec(grid={[(x=0,y=0) - (x=7,y=7)]},shape={32, 64},orientation=...)" */
static void take_shard(struct ttp_mem_op_tensor *t, ttp_str config)
{
    const ttp_str spec = between(config, TTP_STR(",shard_spec=ShardSpec"), TTP_STR(",nd_shard"));
    const ttp_str grid = between(spec, TTP_STR("grid="), TTP_STR("shape="));
    const ttp_str shape = between(spec, TTP_STR("shape="), TTP_STR("orientation="));
    uint64_t size[2], core[4 * 64], cores = 0;
    const size_t n = numbers_of(grid, core, TTP_COUNT(core));

    if (numbers_of(shape, size, 2) != 2 || n < 4 || n % 4 != 0)
        return;
    for (size_t i = 0; i < n; i += 4) {
        if (core[i + 2] < core[i] || core[i + 3] < core[i + 1] || core[i + 2] > 255 ||
            core[i + 3] > 255)
            return;
        cores += (core[i + 2] - core[i] + 1) * (core[i + 3] - core[i + 1] + 1);
    }
    t->shard_h = size[0];
    t->shard_w = size[1];
    t->shard_cores = cores;
    t->shard_col_major = ttp_str_has(spec, TTP_STR("COL_MAJOR"));
}

static struct ttp_mem_op_tensor tensor_of(const struct ttp_mem_node *n, struct ttp_arena *arena)
{
    struct ttp_mem_op_tensor t = {0};
    const ttp_str memory = n->text[TTP_TEXT_MEMORY];

    t.dims = numbers_of(n->text[TTP_TEXT_SHAPE], t.shape, TTP_COUNT(t.shape));
    t.type = ttp_arena_copy(arena, last_name(n->text[TTP_TEXT_DTYPE]));
    t.row_major = ttp_str_has(n->text[TTP_TEXT_LAYOUT], TTP_STR("ROW_MAJOR"));
    const ttp_str layout = last_name(between(memory, TTP_STR("memory_layout="), TTP_STR(",")));
    const ttp_str pool = last_name(between(memory, TTP_STR("buffer_type="), TTP_STR(",")));
    if (layout.len && pool.len)
        t.memory = ttp_sink_format(arena, "%.*s_%.*s", TTP_FMT(pool), TTP_FMT(layout));
    take_shard(&t, memory);
    return t;
}

static void want(struct search *s, const uint32_t *counter, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *TTP_PUSH(s->arena, s->wanted, s->count) = counter[i];
}

static void begin(struct search *s, const struct ttp_mem_node *n)
{
    s->depth++;
    if (s->at || n->inputs < 2)
        return;
    s->at = s->depth;
    s->inputs = n->inputs;
    s->out->function = ttp_arena_copy(s->arena, n->name);
    want(s, n->input, n->inputs);
}

static void end(struct search *s, const struct ttp_mem_node *n)
{
    if (s->at && !s->ended && s->depth == s->at) {
        s->ended = true;
        want(s, n->connection, n->connections);
    }
    s->depth -= s->depth > 0;
}

/* Of a function that failed the output is known only by its buffer. */
static void take_buffer(struct search *s, const struct ttp_mem_node *n)
{
    struct ttp_mem_op_tensor *t = &s->out->output;
    const enum ttp_mem_pool pool = ttp_mem_pool_of(n);

    if (!s->at || s->ended || t->memory.len || pool > TTP_MEM_L1 || !n->text[TTP_TEXT_LAYOUT].len)
        return;
    t->memory = ttp_sink_format(s->arena, "%s_%.*s", ttp_mem_pool_name(pool),
                                TTP_FMT(n->text[TTP_TEXT_LAYOUT]));
}

static ttp_code find_function(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct search *s = arg;

    (void)err;
    if (n->counter < s->from || n->counter > s->to)
        return TTP_OK;
    if (n->kind == TTP_NODE_FUNCTION_START)
        begin(s, n);
    else if (n->kind == TTP_NODE_FUNCTION_END)
        end(s, n);
    else if (n->kind == TTP_NODE_BUFFER)
        take_buffer(s, n);
    return TTP_OK;
}

static ttp_code take_tensor(void *arg, const struct ttp_mem_node *n, struct ttp_err *err)
{
    struct search *s = arg;

    (void)err;
    if (n->kind != TTP_NODE_TENSOR)
        return TTP_OK;
    for (size_t i = 0; i < s->count; i++) {
        if (s->wanted[i] != n->counter)
            continue;
        const struct ttp_mem_op_tensor t = tensor_of(n, s->arena);
        if (i < s->inputs && i < TTP_COUNT(s->out->input))
            s->out->input[i] = t;
        else if (i >= s->inputs && !s->out->output.dims && t.memory.len)
            s->out->output = t;
    }
    return TTP_OK;
}

ttp_code ttp_mem_read_op_tensors(struct ttp_mem_op_tensors *out, const char *path,
                                 const struct ttp_mem_op *op, struct ttp_arena *arena,
                                 struct ttp_err *err)
{
    struct ttp_mem_source source;
    struct search s = {.from = op->start, .to = op->end, .out = out, .arena = arena};
    const struct ttp_mem_visitor functions = {
        .node = find_function, .arg = &s, .graph_only = true, .texts = true};
    const struct ttp_mem_visitor tensors = {
        .node = take_tensor, .arg = &s, .graph_only = true, .texts = true};

    *out = (struct ttp_mem_op_tensors){0};
    TTP_TRY(ttp_mem_source_open(&source, path, err));
    ttp_code rc = ttp_mem_walk(&source, &functions, err);
    out->inputs = s.inputs < TTP_COUNT(out->input) ? s.inputs : TTP_COUNT(out->input);
    if (rc == TTP_OK && s.count)
        rc = ttp_mem_walk(&source, &tensors, err);
    ttp_mem_source_close(&source);
    return rc;
}
