/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_tree.h"

#include <assert.h>
#include <math.h>

struct building {
    struct ttp_arena *arena;
    struct ttp_node *open[TTP_JSON_DEPTH_DEFAULT + 1]; /* by depth; the value itself at 0 */
    struct ttp_node **end[TTP_JSON_DEPTH_DEFAULT + 1]; /* where the next one is linked */
    uint32_t depth;
    ttp_str key;
    size_t nodes;
};

static void add(struct building *b, enum ttp_json_event event, const struct ttp_json_reader *r)
{
    struct ttp_node *n = TTP_NEW(b->arena, struct ttp_node, 1);

    n->kind = event;
    n->key = b->key;
    n->offset = r->offset;
    if (event == TTP_JSON_STRING || event == TTP_JSON_NUMBER)
        n->text = ttp_arena_copy(b->arena, r->text);
    b->key = (ttp_str){0};
    assert(b->end[b->depth]); /* set when that level was opened */
    *b->end[b->depth] = n;
    b->end[b->depth] = &n->next;
    b->nodes++;
    if (event == TTP_JSON_OBJECT_BEGIN || event == TTP_JSON_ARRAY_BEGIN) {
        b->open[++b->depth] = n;
        b->end[b->depth] = &n->child;
    }
}

ttp_code ttp_json_tree(struct ttp_node **out, ttp_str text, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    struct ttp_json_reader r = {.python = true, .replace_surrogate = true, .many = true};
    struct building b = {.arena = arena, .end = {out}};
    enum ttp_json_event event;
    ttp_code rc;

    *out = NULL;
    ttp_json_feed(&r, text, true);
    while ((rc = ttp_json_next(&event, &r, err)) == TTP_OK && event != TTP_JSON_END) {
        if (b.nodes == TTP_NODES_MAX) {
            rc = ttp_fail_at(err, TTP_ELIMIT, r.offset, "more than %d values", TTP_NODES_MAX);
            break;
        }
        if (event == TTP_JSON_KEY)
            b.key = ttp_arena_copy(arena, r.text);
        else if (event == TTP_JSON_OBJECT_END || event == TTP_JSON_ARRAY_END)
            b.depth--;
        else
            add(&b, event, &r);
    }
    ttp_json_clear(&r);
    return rc;
}

const struct ttp_node *ttp_node_get(const struct ttp_node *n, const char *key)
{
    const struct ttp_node *found = NULL;

    if (!n || n->kind != TTP_JSON_OBJECT_BEGIN)
        return NULL;
    for (const struct ttp_node *c = n->child; c; c = c->next)
        if (ttp_str_eq(c->key, ttp_str_from(key)))
            found = c;
    return found;
}

ttp_str ttp_node_str(const struct ttp_node *n)
{
    return n && n->kind == TTP_JSON_STRING ? n->text : (ttp_str){"", 0};
}

double ttp_node_f64(const struct ttp_node *n)
{
    double v = NAN;

    if (!n || n->kind != TTP_JSON_NUMBER || !ttp_json_to_f64(n->text, &v))
        return NAN;
    return v;
}

bool ttp_node_true(const struct ttp_node *n)
{
    return n && n->kind == TTP_JSON_TRUE;
}

const struct ttp_node *ttp_node_first(const struct ttp_node *n)
{
    return n && n->kind == TTP_JSON_ARRAY_BEGIN ? n->child : NULL;
}
