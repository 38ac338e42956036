/* SPDX-License-Identifier: Apache-2.0 */
/* docs/formats/cb_flow_graph.md describes both files. */
#include "kernel/flow_graph.h"
#include "base/json_walk.h"
#include "base/vec.h"
#include "kernel/kernel.h"

#define LIST_MAX 100000

static const char *const list_names[TTP_FLOW_LISTS] = {
    [TTP_FLOW_PRODUCERS] = "producers",
    [TTP_FLOW_CONSUMERS] = "consumers",
    [TTP_FLOW_DMA] = "dma_ops",
    [TTP_FLOW_WAITS] = "wait_ops",
};

static bool is(ttp_str key, const char *name)
{
    return ttp_str_eq(key, ttp_str_from(name));
}

static void read_op(struct ttp_json_walk *w, struct ttp_flow_op *op)
{
    ttp_str key;

    *op = (struct ttp_flow_op){.line = -1};
    while (ttp_walk_member(w, &key)) {
        if (is(key, "kernel"))
            (void)ttp_walk_text(w, &op->kernel);
        else if (is(key, "thread"))
            (void)ttp_walk_text(w, &op->thread);
        else if (is(key, "op"))
            (void)ttp_walk_text(w, &op->op);
        else if (is(key, "direction"))
            (void)ttp_walk_text(w, &op->direction);
        else if (is(key, "line"))
            (void)ttp_walk_i64(w, &op->line);
        else
            ttp_walk_leave(w);
    }
}

static void read_ops(struct ttp_json_walk *w, struct ttp_flow_buffer *b, size_t list)
{
    if (!ttp_walk_into_array(w))
        return;
    while (ttp_walk_item(w)) {
        if (!ttp_walk_into_object(w))
            continue;
        if (b->nops[list] >= LIST_MAX) {
            w->code = ttp_fail(w->err, TTP_ELIMIT, "more than %d operations on a buffer", LIST_MAX);
            return;
        }
        read_op(w, TTP_PUSH(w->arena, b->op[list], b->nops[list]));
    }
}

static void read_buffer(struct ttp_json_walk *w, struct ttp_flow_buffer *b)
{
    ttp_str key;

    *b = (struct ttp_flow_buffer){.index = -1, .dfb_id = -1};
    while (ttp_walk_member(w, &key)) {
        size_t list = 0;
        while (list < TTP_FLOW_LISTS && !is(key, list_names[list]))
            list++;
        if (list < TTP_FLOW_LISTS)
            read_ops(w, b, list);
        else if (is(key, "cb_index") || is(key, "dfb_index"))
            (void)ttp_walk_i64(w, &b->index);
        else if (is(key, "dfb_id"))
            (void)ttp_walk_i64(w, &b->dfb_id);
        else
            ttp_walk_leave(w);
    }
    if (b->index < 0)
        b->index = b->dfb_id;
}

/* The list that a graph consists of. */
struct graph_list {
    const char *name, *other_name; /* other_name: NULL: it has one */
    const char *what;              /* its items, in messages */
    const char *hint;              /* how to get the file */
    void (*read)(struct ttp_json_walk *w, void *graph);
    size_t count; /* items read */
};

static ttp_code parse_list(struct graph_list *l, ttp_str json, void *graph, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_json_walk w;
    bool found = false;
    ttp_str key;

    ttp_walk_begin(&w, json, arena, err);
    if (ttp_walk_into_object(&w))
        while (ttp_walk_member(&w, &key)) {
            const bool list = is(key, l->name) || (l->other_name && is(key, l->other_name));
            if (!list || !ttp_walk_into_array(&w)) {
                ttp_walk_leave(&w);
                continue;
            }
            found = true;
            while (ttp_walk_item(&w)) {
                if (!ttp_walk_into_object(&w))
                    continue;
                if (l->count++ >= LIST_MAX) {
                    w.code = ttp_fail(err, TTP_ELIMIT, "more than %d %s", LIST_MAX, l->what);
                    break;
                }
                l->read(&w, graph);
            }
        }
    TTP_TRY(ttp_walk_end(&w));
    if (!found) {
        ttp_fail(err, TTP_EPARSE, "missing list '%s'", l->name);
        ttp_err_hint(err, "%s", l->hint);
        return TTP_EPARSE;
    }
    return TTP_OK;
}

static void read_next_buffer(struct ttp_json_walk *w, void *graph)
{
    struct ttp_flow_graph *g = graph;

    read_buffer(w, TTP_PUSH(w->arena, g->buffer, g->nbuffers));
}

ttp_code ttp_kernel_parse_flow(struct ttp_flow_graph *out, ttp_str json, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct graph_list list = {
        .name = "circular_buffers",
        .other_name = "dataflow_buffers",
        .what = "buffers",
        .hint = "TT-Lang writes cb_flow_graph.json while it compiles with TTLANG_AUTO_PROFILE=1",
        .read = read_next_buffer};

    *out = (struct ttp_flow_graph){.json = json};
    return parse_list(&list, json, out, arena, err);
}

static void read_pipe(struct ttp_json_walk *w, struct ttp_pipe *p)
{
    const struct {
        const char *name;
        int64_t *value;
    } member[] = {
        {"srcX", &p->src_x},
        {"srcY", &p->src_y},
        {"dstStartX", &p->dst_start_x},
        {"dstStartY", &p->dst_start_y},
        {"dstEndX", &p->dst_end_x},
        {"dstEndY", &p->dst_end_y},
        {"pipeNetId", &p->net},
        {"receiverCBIndex", &p->receiver},
    };
    ttp_str key;

    *p = (struct ttp_pipe){.net = -1, .receiver = -1};
    while (ttp_walk_member(w, &key)) {
        size_t i = 0;
        while (i < TTP_COUNT(member) && !is(key, member[i].name))
            i++;
        if (i < TTP_COUNT(member))
            (void)ttp_walk_i64(w, member[i].value);
        else
            ttp_walk_leave(w);
    }
}

static void read_next_pipe(struct ttp_json_walk *w, void *graph)
{
    struct ttp_pipe_graph *g = graph;

    read_pipe(w, TTP_PUSH(w->arena, g->pipe, g->npipes));
}

ttp_code ttp_kernel_parse_pipes(struct ttp_pipe_graph *out, ttp_str json, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct graph_list list = {.name = "pipes",
                              .what = "pipes",
                              .hint = "TT-Lang writes it to the path in TTLANG_PIPE_GRAPH_JSON",
                              .read = read_next_pipe};

    *out = (struct ttp_pipe_graph){.json = json};
    return parse_list(&list, json, out, arena, err);
}

ttp_code ttp_kernel_read_flow(struct ttp_flow_graph *out, const char *path, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_walk_read_file(&text, path, arena, err));
    const ttp_code rc = ttp_kernel_parse_flow(out, text, arena, err);
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

ttp_code ttp_kernel_read_pipes(struct ttp_pipe_graph *out, const char *path,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    ttp_str text;

    TTP_TRY(ttp_walk_read_file(&text, path, arena, err));
    const ttp_code rc = ttp_kernel_parse_pipes(out, text, arena, err);
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}
