/* SPDX-License-Identifier: Apache-2.0 */
/* json_tree.h - a small JSON document as a tree, with access to values by name, in any order.
 */
#ifndef TTP_BASE_JSON_TREE_H
#define TTP_BASE_JSON_TREE_H

#include "base/json_read.h"

struct ttp_node {
    enum ttp_json_event kind; /* OBJECT_BEGIN, ARRAY_BEGIN, STRING, NUMBER, TRUE, FALSE, NULL */
    ttp_str key;              /* in an object */
    ttp_str text;             /* of strings and numbers */
    struct ttp_node *child, *next;
    size_t offset;
};

/* Larger documents are for json_read.h. */
#define TTP_NODES_MAX 4000000

/* All values of a text (one, or one after the other as in ndjson), linked by `next`; NULL: none. In
 * the arena. TTP_EPARSE, TTP_ELIMIT: err->offset says where. */
TTP_NODISCARD ttp_code ttp_json_tree(struct ttp_node **out, ttp_str text, struct ttp_arena *arena,
                                     struct ttp_err *err);

/* The member of that name, the last if there are several; NULL: none, or not an object. */
const struct ttp_node *ttp_node_get(const struct ttp_node *n, const char *key);
/* Its value, or the missing value: empty, NAN, false. NULL is allowed. */
ttp_str ttp_node_str(const struct ttp_node *n);
double ttp_node_f64(const struct ttp_node *n);
bool ttp_node_true(const struct ttp_node *n);
/* The first element of an array; NULL: empty, or not an array. */
const struct ttp_node *ttp_node_first(const struct ttp_node *n);

/* The same of a member. */
static inline ttp_str ttp_node_str_of(const struct ttp_node *n, const char *key)
{
    return ttp_node_str(ttp_node_get(n, key));
}
static inline double ttp_node_f64_of(const struct ttp_node *n, const char *key)
{
    return ttp_node_f64(ttp_node_get(n, key));
}
static inline bool ttp_node_true_of(const struct ttp_node *n, const char *key)
{
    return ttp_node_true(ttp_node_get(n, key));
}
static inline const struct ttp_node *ttp_node_first_of(const struct ttp_node *n, const char *key)
{
    return ttp_node_first(ttp_node_get(n, key));
}

#endif
