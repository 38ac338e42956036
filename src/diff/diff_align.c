/* SPDX-License-Identifier: Apache-2.0 */
/* diff_align.c - patience first: keys that are unique on both sides anchor the pairing, where their
 * surroundings agree. Between the anchors the fewest insertions and removals, found from both ends
 * at once in linear space (Myers, "An O(ND) difference algorithm and its variations", 1986). */
#include "diff/diff_align.h"
#include "base/vec.h"

#define UNPAIRED    UINT32_MAX
#define UNREACHABLE INT32_MIN
/* Differences after which a box is cut where the search stands: keeps foreign streams affordable.
 */
#define MAX_COST 1024
/* Neighbours on either side that an anchor is judged by. */
#define SURROUNDINGS 64

/* Positions [a0, a1) against [b0, b1). */
struct box {
    uint32_t a0, a1, b0, b1;
};

struct boxes {
    struct box *item;
    size_t count, cap;
};

struct aligner {
    const ttp_sym *a, *b; /* keys of the level running */
    uint32_t *partner;
    int32_t *forward, *backward; /* furthest positions by diagonal, offset by the length of b */
    struct boxes todo;           /* at this level */
    struct ttp_arena *arena;
};

static void push(struct aligner *al, struct boxes *list, struct box b)
{
    *TTP_PUSH_WITHIN(al->arena, list->item, list->count, list->cap) = b;
}

/* ---- the middle of the shortest way through a box ---- */

struct search {
    const ttp_sym *a, *b; /* first of each, or last when walking backwards */
    int32_t n, m;
    int step; /* 1 or -1 */
};

/* From the ends of the ways with one difference less, the furthest on diagonal k = x - y. */
static int32_t furthest(const struct search *s, const int32_t *reach, int32_t k)
{
    const int32_t over = reach[k - 1] >= 0 && reach[k - 1] < s->n ? reach[k - 1] + 1 : UNREACHABLE;
    const int32_t down = reach[k + 1] >= 0 && reach[k + 1] - k <= s->m ? reach[k + 1] : UNREACHABLE;
    int32_t x = over > down ? over : down;

    if (x < 0)
        return UNREACHABLE;
    while (x < s->n && x - k < s->m &&
           s->a[(ptrdiff_t)x * s->step] == s->b[(ptrdiff_t)(x - k) * s->step])
        x++;
    return x;
}

/* One more difference everywhere; the diagonal where this search meets the opposite one, or
 * INT32_MIN. `apart`: how the diagonals of both are numbered against each other. */
static int32_t advance(const struct search *s, int32_t *reach, const int32_t *opposite, int32_t d,
                       bool check)
{
    const int32_t apart = s->n - s->m;
    const int32_t low = d <= s->m ? -d : -s->m + ((d - s->m) & 1);
    const int32_t high = d <= s->n ? d : s->n - ((d - s->n) & 1);
    int32_t met = INT32_MIN;

    for (int32_t k = low; k <= high; k += 2) {
        const int32_t x = furthest(s, reach, k);
        reach[k] = x;
        if (check && met == INT32_MIN && x >= 0 && opposite[apart - k] >= 0 &&
            x + opposite[apart - k] >= s->n)
            met = k;
    }
    return met;
}

struct point {
    int32_t x, y;
};

static struct point furthest_point(const int32_t *reach, const struct search *s, int32_t d)
{
    struct point best = {0, 0};

    for (int32_t k = -d; k <= d; k++) {
        if (k < -s->m || k > s->n || reach[k] < 0)
            continue;
        if (2 * reach[k] - k > best.x + best.y)
            best = (struct point){reach[k], reach[k] - k};
    }
    return best;
}

/* A point inside the box that a shortest way passes. Neither corner: the first and the last keys
 * differ, so the way has at least two differences. */
static struct point middle(struct aligner *al, const struct box *box)
{
    const struct search ahead = {al->a + box->a0, al->b + box->b0, (int32_t)(box->a1 - box->a0),
                                 (int32_t)(box->b1 - box->b0), 1};
    const struct search back = {al->a + box->a1 - 1, al->b + box->b1 - 1, ahead.n, ahead.m, -1};
    const bool odd = (ahead.n - ahead.m) & 1;
    /* diagonals -m - 1 ... n + 1 */
    int32_t *forward = al->forward + ahead.m + 1, *backward = al->backward + ahead.m + 1;

    for (int32_t k = -ahead.m - 1; k <= ahead.n + 1; k++)
        forward[k] = backward[k] = UNREACHABLE;
    forward[1] = backward[1] = 0;
    for (int32_t d = 0;; d++) {
        int32_t k = advance(&ahead, forward, backward, d, odd);
        if (k != INT32_MIN)
            return (struct point){forward[k], forward[k] - k};
        k = advance(&back, backward, forward, d, !odd);
        if (k != INT32_MIN)
            return (struct point){ahead.n - backward[k], ahead.m - (backward[k] - k)};
        if (d >= MAX_COST)
            return furthest_point(forward, &ahead, d);
    }
}

/* Pair what is equal at both ends; the box then begins and ends with a difference. */
static void strip(struct aligner *al, struct box *b)
{
    for (; b->a0 < b->a1 && b->b0 < b->b1 && al->a[b->a0] == al->b[b->b0]; b->a0++, b->b0++)
        al->partner[b->a0] = b->b0;
    for (; b->a0 < b->a1 && b->b0 < b->b1 && al->a[b->a1 - 1] == al->b[b->b1 - 1]; b->a1--, b->b1--)
        al->partner[b->a1 - 1] = b->b1 - 1;
}

static void align_boxes(struct aligner *al)
{
    while (al->todo.count) {
        struct box box = al->todo.item[--al->todo.count];

        strip(al, &box);
        if (box.a0 == box.a1 || box.b0 == box.b1)
            continue;
        const struct point p = middle(al, &box);
        const uint32_t a = box.a0 + (uint32_t)p.x, b = box.b0 + (uint32_t)p.y;
        push(al, &al->todo, (struct box){a, box.a1, b, box.b1});
        push(al, &al->todo, (struct box){box.a0, a, box.b0, b});
    }
}

/* ---- anchors ---- */

/* Positions of keys that occur once on either side. */
static uint32_t *find_unique(const ttp_sym *key, size_t count, uint32_t keys,
                             struct ttp_arena *arena)
{
    uint32_t *at = TTP_NEW(arena, uint32_t, keys); /* 0: never, UINT32_MAX: often, else place + 1 */

    for (size_t i = 0; i < count; i++)
        at[key[i]] = at[key[i]] ? UINT32_MAX : (uint32_t)i + 1;
    return at;
}

/* How far the surroundings of a[i] and b[j] agree by their loosest key: an op that was moved finds
 * itself among strangers, and must not hold the others to its new place. */
static uint32_t agreement(const struct ttp_sequence *a, const struct ttp_sequence *b, size_t i,
                          size_t j)
{
    const ttp_sym *ka = a->key[TTP_ALIGN_LEVELS - 1], *kb = b->key[TTP_ALIGN_LEVELS - 1];
    uint32_t before = 0, after = 0;

    while (before < SURROUNDINGS && before < i && before < j &&
           ka[i - before - 1] == kb[j - before - 1])
        before++;
    while (after < SURROUNDINGS && i + after + 1 < a->count && j + after + 1 < b->count &&
           ka[i + after + 1] == kb[j + after + 1])
        after++;
    return 1 + before + after;
}

/* The heaviest chain of anchors that ends at or before a place in b, by the last of them: a Fenwick
 * tree of maxima. */
struct chains {
    uint32_t *last; /* anchor, as a position in a, + 1 */
    uint64_t *weight;
    size_t size;
};

static void chains_add(struct chains *c, size_t place, uint32_t anchor, uint64_t weight)
{
    for (size_t k = place + 1; k <= c->size; k += k & -k) {
        if (weight <= c->weight[k])
            continue;
        c->weight[k] = weight;
        c->last[k] = anchor + 1;
    }
}

/* Of those before `place`; 0: none, else its last anchor + 1. */
static uint32_t chains_best(const struct chains *c, size_t place, uint64_t *weight)
{
    uint32_t last = 0;

    *weight = 0;
    for (size_t k = place; k > 0; k -= k & -k) {
        if (c->weight[k] <= *weight)
            continue;
        *weight = c->weight[k];
        last = c->last[k];
    }
    return last;
}

/* Anchors that rise on both sides, those that most agrees with; they cut the whole into boxes. */
static void find_anchors(struct aligner *al, const struct ttp_sequence *a,
                         const struct ttp_sequence *b, uint32_t keys)
{
    const uint32_t *in_a = find_unique(al->a, a->count, keys, al->arena);
    const uint32_t *in_b = find_unique(al->b, b->count, keys, al->arena);
    uint32_t *before = TTP_NEW(al->arena, uint32_t, a->count + 1);
    struct chains chains = {TTP_NEW(al->arena, uint32_t, b->count + 1),
                            TTP_NEW(al->arena, uint64_t, b->count + 1), b->count};
    uint64_t weight;

    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t at = in_b[al->a[i]];
        if (in_a[al->a[i]] == UINT32_MAX || at == 0 || at == UINT32_MAX)
            continue;
        before[i] = chains_best(&chains, at - 1, &weight);
        chains_add(&chains, at - 1, i, weight + agreement(a, b, i, at - 1));
    }
    struct box rest = {0, (uint32_t)a->count, 0, (uint32_t)b->count};
    for (uint32_t i = chains_best(&chains, b->count, &weight); i; i = before[i - 1]) {
        const uint32_t j = in_b[al->a[i - 1]] - 1;
        al->partner[i - 1] = j;
        push(al, &al->todo, (struct box){i, rest.a1, j + 1, rest.b1});
        rest.a1 = i - 1;
        rest.b1 = j;
    }
    push(al, &al->todo, rest);
}

/* What has no partner yet, between those that have one. */
static void find_gaps(struct aligner *al, size_t n, size_t m)
{
    struct box gap = {0, 0, 0, 0};

    al->todo.count = 0;
    for (uint32_t i = 0; i <= n; i++) {
        if (i < n && al->partner[i] == UNPAIRED)
            continue;
        gap.a1 = i;
        gap.b1 = i < n ? al->partner[i] : (uint32_t)m;
        if (gap.a0 < gap.a1 && gap.b0 < gap.b1)
            push(al, &al->todo, gap);
        gap.a0 = i + 1;
        gap.b0 = gap.b1 + 1;
    }
}

void ttp_diff_align(uint32_t *partner, const struct ttp_sequence *a, const struct ttp_sequence *b,
                    const uint32_t keys[TTP_ALIGN_LEVELS], struct ttp_arena *arena)
{
    struct aligner al = {.partner = partner, .arena = arena};
    const size_t diagonals = a->count + b->count + 3;

    for (size_t i = 0; i < a->count; i++)
        partner[i] = UNPAIRED;
    al.forward = TTP_NEW(arena, int32_t, diagonals);
    al.backward = TTP_NEW(arena, int32_t, diagonals);
    for (size_t level = 0; level < TTP_ALIGN_LEVELS; level++) {
        al.a = a->key[level];
        al.b = b->key[level];
        if (level == 0)
            find_anchors(&al, a, b, keys[0]);
        else
            find_gaps(&al, a->count, b->count);
        align_boxes(&al);
    }
}
