/* SPDX-License-Identifier: Apache-2.0 */
/* capture_nodes.h - the nodes of a graph capture, one after the other. Private to mem.
 *
 * The file is mapped and read in windows whose pages are released; a node lives until the next
 * one. Page records and everything else that is not asked for are skipped without being built. */
#ifndef TTP_MEM_CAPTURE_NODES_H
#define TTP_MEM_CAPTURE_NODES_H

#include "base/file.h"
#include "base/json_read.h"
#include "mem/mem_parts.h"

enum ttp_mem_node_kind {
    TTP_NODE_OTHER,
    TTP_NODE_FUNCTION_START,
    TTP_NODE_FUNCTION_END,
    TTP_NODE_TENSOR,
    TTP_NODE_BUFFER,
    TTP_NODE_ALLOCATE,
    TTP_NODE_FREE,
    TTP_NODE_CB,     /* circular or dataflow buffer, scratchpad */
    TTP_NODE_CB_END, /* circular_buffer_deallocate_all: a launch */
    TTP_NODE_ERROR,
};

/* Whole numbers among the parameters, written as numbers or as texts. */
enum ttp_mem_param {
    TTP_PARAM_SIZE,
    TTP_PARAM_ADDRESS,
    TTP_PARAM_TENSOR_ID,
    TTP_PARAM_DEVICE_ID,
    TTP_PARAM_BUFFER_TYPE,
    TTP_PARAM_PAGE_SIZE,
    TTP_PARAM_NUM_CORES,
    TTP_PARAM_BANK_BYTES, /* max_size_per_bank */
    TTP_PARAMS
};

/* Texts of tensors and buffers, for visitors that ask for them. */
enum ttp_mem_text {
    TTP_TEXT_SHAPE,
    TTP_TEXT_DTYPE,
    TTP_TEXT_LAYOUT,
    TTP_TEXT_MEMORY, /* memory_config */
    TTP_TEXTS
};

struct ttp_mem_node {
    enum ttp_mem_node_kind kind;
    uint32_t counter;
    uint32_t has; /* bit per ttp_mem_param */
    int64_t param[TTP_PARAMS];
    bool view; /* of a circular buffer: no bytes of its own */
    ttp_str name, type, cores, device_tensors, error; /* of an error: its op and its kind, too */
    ttp_str text[TTP_TEXTS];
    uint64_t signature; /* of name and arguments, for launches */
    uint64_t duration_ns;
    uint32_t *connection, *input;
    size_t connections, inputs;
};

static inline bool ttp_mem_has(const struct ttp_mem_node *n, enum ttp_mem_param p)
{
    return (n->has >> p & 1) != 0;
}

/* The parameter, or `other` without one. */
static inline int64_t ttp_mem_param(const struct ttp_mem_node *n, enum ttp_mem_param p,
                                    int64_t other)
{
    return ttp_mem_has(n, p) ? n->param[p] : other;
}

/* TTP_MEM_POOLS: unknown. */
enum ttp_mem_pool ttp_mem_pool_of(const struct ttp_mem_node *n);

/* Callbacks of a reader of a capture. Members that are NULL are skipped. */
struct ttp_mem_visitor {
    ttp_code (*node)(void *arg, const struct ttp_mem_node *node, struct ttp_err *err);
    ttp_code (*device)(void *arg, const struct ttp_mem_device *device, struct ttp_err *err);
    /* The buffers after the op whose function began at `counter` are at this offset. */
    ttp_code (*snapshot)(void *arg, uint32_t counter, size_t offset, struct ttp_err *err);
    void (*fact)(void *arg, ttp_str key, ttp_str value); /* "version", and those of "metadata" */
    void (*graph)(void *arg, size_t offset);             /* where the list of nodes begins */
    void *arg;
    bool graph_only; /* stop after the nodes */
    bool texts;      /* nodes have their texts, too */
};

/* Text that is read from the beginning, and at places. */
struct ttp_mem_source {
    ttp_str text;
    struct ttp_file file; /* closed unless the text was mapped */
    bool increasing;      /* counters must grow; in subgraphs of a database they need not */
};

/* Plain files are mapped; others are decompressed into a file without a name first. */
TTP_NODISCARD ttp_code ttp_mem_source_open(struct ttp_mem_source *out, const char *path,
                                           struct ttp_err *err);
void ttp_mem_source_close(struct ttp_mem_source *s);

/* TTP_EPARSE, TTP_ELIMIT: err->offset is the place. */
TTP_NODISCARD ttp_code ttp_mem_walk(const struct ttp_mem_source *s,
                                    const struct ttp_mem_visitor *visitor, struct ttp_err *err);

/* One buffer of a snapshot. */
struct ttp_mem_snapshot_row {
    int64_t device, address, bytes, pool;
};
typedef ttp_code ttp_mem_row_fn(void *arg, const struct ttp_mem_snapshot_row *row,
                                struct ttp_err *err);
/* Those of the array at `offset`. */
TTP_NODISCARD ttp_code ttp_mem_snapshot_read(const struct ttp_mem_source *s, size_t offset,
                                             ttp_mem_row_fn *use, void *arg, struct ttp_err *err);

#endif
