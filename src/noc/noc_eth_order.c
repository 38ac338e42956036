/* SPDX-License-Identifier: Apache-2.0 */
/* noc_eth_order.c - a mean of doubles depends, in its last digit, on the order of its terms. tt-npe
 * takes them from a std::unordered_map that was filled from another one; this is the order in which
 * libstdc++ lists that map: a list in which whoever finds its bucket empty goes to the front and
 * the rest after the one before its bucket, turned over whenever the table grows. */
#include "noc/noc_eth_order.h"

#define NONE UINT32_MAX

struct table {
    const uint64_t *hash;
    uint32_t *next;   /* of each node; node n is the head of the list */
    uint32_t *bucket; /* the node before the first of each bucket, or NONE */
    uint32_t head, buckets, count;
};

static uint64_t mix(uint64_t seed, uint64_t v)
{
    const uint64_t a = 0x5555555555555555ULL * (v ^ v >> 32);
    const uint64_t mixed = 17316035218449499591ULL * (a ^ a >> 32);

    return (seed << 21 | seed >> 43) ^ mixed;
}

static void link_node(struct table *t, uint32_t node)
{
    const uint32_t b = (uint32_t)(t->hash[node] % t->buckets);

    if (t->bucket[b] != NONE) {
        t->next[node] = t->next[t->bucket[b]];
        t->next[t->bucket[b]] = node;
        return;
    }
    t->next[node] = t->next[t->head];
    t->next[t->head] = node;
    if (t->next[node] != NONE)
        t->bucket[t->hash[t->next[node]] % t->buckets] = node;
    t->bucket[b] = t->head;
}

static void grow(struct table *t)
{
    static const uint32_t sizes[] = {13, 29, 59, 127, 257, 541, 1109, 2357, 5087};
    uint32_t node = t->next[t->head];
    size_t i = 0;

    while (sizes[i] <= t->buckets)
        i++;
    t->buckets = sizes[i];
    for (uint32_t b = 0; b < t->buckets; b++)
        t->bucket[b] = NONE;
    t->next[t->head] = NONE;
    while (node != NONE) {
        const uint32_t after = t->next[node];
        link_node(t, node);
        node = after;
    }
}

#define MAX_BUCKETS 5087

static void fill(uint32_t *out, const uint32_t *in, const uint64_t *hash, size_t n,
                 struct ttp_arena *scratch)
{
    struct table t = {.hash = hash, .head = (uint32_t)n};
    size_t k = 0;

    t.next = TTP_NEW(scratch, uint32_t, n + 1);
    t.bucket = TTP_NEW(scratch, uint32_t, MAX_BUCKETS);
    t.next[t.head] = NONE;
    for (size_t i = 0; i < n; i++) {
        if (t.count + 1 > t.buckets)
            grow(&t);
        link_node(&t, in[i]);
        t.count++;
    }
    for (uint32_t node = t.next[t.head]; node != NONE; node = t.next[node])
        out[k++] = node;
}

void ttp_noc_eth_order(uint32_t *order, const struct ttp_eth_core *core, size_t n,
                       struct ttp_arena *scratch)
{
    uint64_t *hash = TTP_NEW(scratch, uint64_t, n + 1);
    uint32_t *first = TTP_NEW(scratch, uint32_t, n + 1),
             *second = TTP_NEW(scratch, uint32_t, n + 1);

    for (size_t i = 0; i < n; i++) {
        hash[i] = mix(mix(mix(0, core[i].device), (uint64_t)core[i].y), (uint64_t)core[i].x);
        first[i] = (uint32_t)i;
    }
    fill(second, first, hash, n, scratch);
    fill(order, second, hash, n, scratch);
}
