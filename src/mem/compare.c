/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - two sequences of names side by side, and what differs between two captures. */
#include <stdlib.h>

#include "base/order.h"

#include "mem/mem.h"

/* Cells of the table; beyond it names are matched as they come. */
#define CELLS_MAX ((size_t)64 << 20)

/* Longest common subsequence of [a, a + n) and [b, b + m). */
static void align_middle(const struct ttp_mem_names *a, const struct ttp_mem_names *b, size_t head,
                         size_t n, size_t m, uint32_t *match)
{
    struct ttp_arena scratch = {0};
    uint32_t *len = TTP_NEW(&scratch, uint32_t, (n + 1) * (m + 1));
    size_t i = 0, k = 0;

    for (size_t x = n; x-- > 0;)
        for (size_t y = m; y-- > 0;) {
            const uint32_t down = len[(x + 1) * (m + 1) + y], right = len[x * (m + 1) + y + 1];

            len[x * (m + 1) + y] = ttp_str_eq(a->name[head + x], b->name[head + y])
                                       ? len[(x + 1) * (m + 1) + y + 1] + 1
                                   : down > right ? down
                                                  : right;
        }
    while (i < n && k < m) {
        if (ttp_str_eq(a->name[head + i], b->name[head + k]))
            match[head + i++] = (uint32_t)(head + k++);
        else if (len[(i + 1) * (m + 1) + k] >= len[i * (m + 1) + k + 1])
            i++;
        else
            k++;
    }
    ttp_arena_free(&scratch);
}

static void align_greedily(const struct ttp_mem_names *a, const struct ttp_mem_names *b,
                           size_t head, size_t n, size_t m, uint32_t *match)
{
    size_t k = 0;

    for (size_t i = 0; i < n && k < m; i++)
        if (ttp_str_eq(a->name[head + i], b->name[head + k]))
            match[head + i] = (uint32_t)(head + k++);
}

size_t ttp_mem_align(uint32_t *match, const struct ttp_mem_names *a, const struct ttp_mem_names *b)
{
    size_t head = 0, n = a->count, m = b->count, matched = 0;

    for (size_t i = 0; i < n; i++)
        match[i] = TTP_MEM_NONE;
    while (head < n && head < m && ttp_str_eq(a->name[head], b->name[head])) {
        match[head] = (uint32_t)head;
        head++;
    }
    while (n > head && m > head && ttp_str_eq(a->name[n - 1], b->name[m - 1])) {
        match[n - 1] = (uint32_t)(m - 1);
        n--;
        m--;
    }
    n -= head;
    m -= head;
    if (n && m && n + 1 <= CELLS_MAX / (m + 1))
        align_middle(a, b, head, n, m, match);
    else if (n && m)
        align_greedily(a, b, head, n, m, match);
    for (size_t i = 0; i < a->count; i++)
        matched += match[i] != TTP_MEM_NONE;
    return matched;
}

/* --- two captures --- */

static struct ttp_mem_names op_names(const struct ttp_mem_capture *c, struct ttp_arena *arena)
{
    ttp_str *name = TTP_NEW(arena, ttp_str, c->ops + 1);

    for (size_t i = 0; i < c->ops; i++)
        name[i] = c->op[i].name;
    return (struct ttp_mem_names){name, c->ops};
}

/* The fullest device of an op. */
static const struct ttp_mem_use *fullest(const struct ttp_mem_capture *c, size_t op)
{
    const struct ttp_mem_use *best = NULL;

    for (size_t d = 0; d < c->devices; d++) {
        const struct ttp_mem_use *u = &c->use[op * c->devices + d];

        if (!best || u->peak.l1 > best->peak.l1)
            best = u;
    }
    return best;
}

static int by_change(const void *a, const void *b)
{
    const struct ttp_mem_change *x = a, *y = b;
    const int64_t dx = llabs(x->peak_after - x->peak_before),
                  dy = llabs(y->peak_after - y->peak_before);

    if (dx != dy)
        return dx > dy ? -1 : 1;
    return (x->op_before > y->op_before) - (x->op_before < y->op_before);
}

void ttp_mem_compare(struct ttp_mem_difference *out, const struct ttp_mem_capture *a,
                     const struct ttp_mem_capture *b, struct ttp_arena *arena)
{
    const struct ttp_mem_names before = op_names(a, arena), after = op_names(b, arena);
    uint32_t *match = TTP_NEW(arena, uint32_t, a->ops + 1);

    *out = (struct ttp_mem_difference){.change = TTP_NEW(arena, struct ttp_mem_change, a->ops + 1)};
    out->matched = ttp_mem_align(match, &before, &after);
    out->only_before = a->ops - out->matched;
    out->only_after = b->ops - out->matched;
    for (size_t i = 0; i < a->ops; i++) {
        if (match[i] == TTP_MEM_NONE)
            continue;
        const struct ttp_mem_use *x = fullest(a, i), *y = fullest(b, match[i]);
        if (!x || !y ||
            (x->peak.l1 == y->peak.l1 &&
             x->peak.part[TTP_MEM_STALE] == y->peak.part[TTP_MEM_STALE]))
            continue;
        out->change[out->changes++] = (struct ttp_mem_change){
            .op_before = a->op[i].id,
            .op_after = b->op[match[i]].id,
            .name = a->op[i].name,
            .peak_before = (int64_t)x->peak.l1,
            .peak_after = (int64_t)y->peak.l1,
            .stale_before = (int64_t)x->peak.part[TTP_MEM_STALE],
            .stale_after = (int64_t)y->peak.part[TTP_MEM_STALE],
        };
    }
    TTP_SORT(out->change, out->changes, by_change);
}

/* --- figures of changes --- */

#define CHANGE         struct ttp_mem_change
#define FIGURE(member) TTP_FIGURE(CHANGE, member)
#define BYTES(id, title, drop, member, ...)                                                        \
    TTP_INT_COLUMN(id, title, "bytes", drop, FIGURE(member), __VA_ARGS__)
TTP_GET(get_peak_change, void, CHANGE, ttp_value_i64(r->peak_after - r->peak_before))

static const struct ttp_field change_fields[] = {
    TTP_INT_COLUMN("op_before", "Op A", "", 0, FIGURE(op_before),
                   .help = "the op in the first capture"),
    TTP_INT_COLUMN("op_after", "Op B", "", 2, FIGURE(op_after),
                   .help = "the op in the second capture"),
    TTP_WORDS_COLUMN("name", "Name", 0, FIGURE(name), .help = "function of the op"),
    BYTES("l1_peak_before_bytes", "Peak A", 0, peak_before,
          .help = "most L1 in use per bank in the first"),
    BYTES("l1_peak_after_bytes", "Peak B", 0, peak_after,
          .help = "most L1 in use per bank in the second"),
    TTP_INT_COLUMN("l1_peak_change_bytes", "Change", "bytes", 0, .get = get_peak_change,
                   .plus = true, .help = "second minus first"),
    BYTES("stale_before_bytes", "Stale A", 3, stale_before,
          .help = "stale part of it in the first"),
    BYTES("stale_after_bytes", "Stale B", 3, stale_after, .help = "stale part of it in the second"),
};
const struct ttp_fields ttp_mem_change_fields = {TTP_FIELDS(change_fields),
                                                 .hint = "tt-perf mem --columns help lists them"};
