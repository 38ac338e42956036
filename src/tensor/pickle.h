/* SPDX-License-Identifier: Apache-2.0 */
/* pickle.h - a pickle as a graph of values. Nothing in it is ever called, imported or built: what
 * Python would call becomes a node of that kind. Private to tensor. */
#ifndef TTP_TENSOR_PICKLE_H
#define TTP_TENSOR_PICKLE_H

#include "base/arena.h"
#include "base/err.h"

enum ttp_pickle_kind {
    TTP_PICKLE_NONE,
    TTP_PICKLE_BOOL,
    TTP_PICKLE_INT,    /* beyond 64 bits: 0, with text "big" */
    TTP_PICKLE_FLOAT,  /* its value is useless here and not kept */
    TTP_PICKLE_STRING, /* bytes too */
    TTP_PICKLE_TUPLE,
    TTP_PICKLE_LIST, /* sets too */
    TTP_PICKLE_DICT, /* item: key, value, key, value ... */
    TTP_PICKLE_GLOBAL,
    TTP_PICKLE_PERSISTENT, /* a thing kept outside the pickle; item[0] is its id */
    TTP_PICKLE_OBJECT,     /* what `callable` would have returned */
};

/* Nodes are named by their place in the graph; 0 is a None. The graph may have cycles. */
struct ttp_pickle_node {
    enum ttp_pickle_kind kind;
    uint32_t callable, args, state; /* OBJECT; state 0: none */
    int64_t number;                 /* INT, BOOL */
    ttp_str text, module;           /* STRING; name and module of a GLOBAL */
    uint32_t *item;                 /* TUPLE, LIST, DICT, PERSISTENT; DICT items of an OBJECT */
    uint32_t count;
};

struct ttp_pickle {
    struct ttp_pickle_node *node;
    size_t count;
    uint32_t root;
};

/* Texts point into `bytes`. TTP_EPARSE: not a pickle, one that uses what no tensor file needs, or
 * one that names something only an attack would (os.system, eval, ...). */
TTP_NODISCARD ttp_code ttp_tensor_pickle_read(struct ttp_pickle *out, ttp_str bytes,
                                              struct ttp_arena *arena, struct ttp_err *err);

#endif
