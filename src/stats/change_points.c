/* SPDX-License-Identifier: Apache-2.0 */
/* change_points.c - E-divisive (Matteson and James 2014) for one dimension and exponent 1: a span
 * is cut where the energy distance of its two sides is greatest, if random orders of the same
 * values rarely do as well; then its two parts are treated in the same way. The second side is
 * the rest of the span, or its first 5, 10, 20, ... values: otherwise the return to the old level
 * would hide a temporary one.
 *
 * A long span is first reduced to medians of groups of its values. Where that shows no
 * change, it is cut into pieces that are searched completely. So a line of n values costs no more
 * than n times the work for a piece.
 *
 * Sums of distances of a prefix come from a Fenwick tree over the ranks, so that all cuts of n
 * values cost n log n instead of n squared; those of a short window are cheaper one by one. */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#include "base/order.h"

#define SHORT_WINDOW 96
/* A longer span is first reduced to that many groups. */
#define LONG_SPAN 2048
#define GROUPS    512
#define LANES     8
/* Of a span of two segments up to this length every choice of one side is tried: 3432 of 7 each. */
#define EXACT_SEGMENT 7
/* In a span of so few segments the p of a clean step is near the usual limit of 0.01, which few
 * random orders estimate badly. */
#define SHORT_SEGMENTS 4
#define SHORT_ORDERS   1999

struct node {
    double count, sum;
};

struct span {
    const double *value; /* by rank, the median taken off: sums lose no digits */
    uint32_t *rank;      /* of each value, in order of time */
    size_t n, min_segment;
    struct node *tree;         /* Fenwick's, over ranks, from 1 */
    double inside, inside_sum; /* of what is in it */
    double *x;                 /* values in order of time */
    double *left;              /* sum of distances within the first t values, t from 0 to n */
};

/* Sum of distances of the t-th value to those in the tree. */
static double distances(const struct span *s, size_t t)
{
    const size_t rank = s->rank[t];
    const double x = s->value[rank];
    double below = 0, below_sum = 0; /* of what is not above it */

    for (size_t i = rank + 1; i > 0; i &= i - 1) {
        below += s->tree[i].count;
        below_sum += s->tree[i].sum;
    }
    return x * below - below_sum + (s->inside_sum - below_sum) - x * (s->inside - below);
}

/* Into the tree, or, with -1, out of it. */
static void move(struct span *s, size_t t, double sign)
{
    const size_t rank = s->rank[t];
    const double x = sign * s->value[rank];

    for (size_t i = rank + 1; i <= s->n; i += i & (~i + 1)) {
        s->tree[i].count += sign;
        s->tree[i].sum += x;
    }
    s->inside += sign;
    s->inside_sum += x;
}

static void clear_tree(struct span *s)
{
    memset(s->tree, 0, (s->n + 1) * sizeof(*s->tree));
    s->inside = s->inside_sum = 0;
}

/* The divergence of t values from the n - t after them. */
static double divergence(double left, double right, double total, double t, double n)
{
    const double m = n - t;
    const double within =
        (t > 1 ? left / (t * (t - 1) / 2) : 0) + (m > 1 ? right / (m * (m - 1) / 2) : 0);

    return t * m / n * (2 * (total - left - right) / (t * m) - within);
}

struct cut {
    size_t at;
    double q;
};

/* Sum of distances of one value to n others; in lanes, which the compiler makes vectors of. */
static double distances_to(double x, const double *other, size_t n)
{
    double lane[LANES] = {0}, sum = 0;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            lane[k] += fabs(other[i + k] - x);
    for (; i < n; i++)
        sum += fabs(other[i] - x);
    for (size_t k = 0; k < LANES; k++)
        sum += lane[k];
    return sum;
}

/* By how much the distances within the last `length` values change with the t-th. */
static double slide(struct span *s, size_t t, size_t length)
{
    const bool full = t >= length;

    if (length <= SHORT_WINDOW) {
        const size_t from = full ? t - length + 1 : 0;
        const double gone = full ? distances_to(s->x[t - length], s->x + from, length - 1) : 0;

        return distances_to(s->x[t], s->x + from, t - from) - gone;
    }
    double change = distances(s, t);
    move(s, t, 1);
    if (full) {
        move(s, t - length, -1);
        change -= distances(s, t - length);
    }
    return change;
}

/* Cuts whose other side is the `length` values after them. */
static void try_windows(struct cut *best, struct span *s, size_t length)
{
    double within = 0;

    clear_tree(s);
    for (size_t t = 0; t < s->n; t++) {
        within += slide(s, t, length);
        const size_t at = t + 1 > length ? t + 1 - length : 0;
        if (at < s->min_segment)
            continue;
        const double q =
            divergence(s->left[at], within, s->left[t + 1], (double)at, (double)(t + 1));
        if (q > best->q)
            *best = (struct cut){at, q};
    }
}

/* The cut with the greatest divergence. */
static struct cut best_cut(struct span *s)
{
    struct cut best = {0, -INFINITY};
    double right = 0;

    clear_tree(s);
    s->left[0] = 0;
    for (size_t t = 0; t < s->n; t++) {
        s->x[t] = s->value[s->rank[t]];
        s->left[t + 1] = s->left[t] + distances(s, t);
        move(s, t, 1);
    }
    const double total = s->left[s->n];
    clear_tree(s);
    for (size_t t = s->n; t-- > s->min_segment;) {
        right += distances(s, t);
        move(s, t, 1);
        if (s->n - t < s->min_segment)
            continue;
        const double q = divergence(s->left[t], right, total, (double)t, (double)s->n);
        if (q > best.q)
            best = (struct cut){t, q};
    }
    for (size_t length = s->min_segment; length + s->min_segment < s->n; length *= 2)
        try_windows(&best, s, length);
    return best;
}

/* splitmix64 (Vigna): any seed is a good seed. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(uint32_t *v, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(((next_random(state) >> 32) * (uint64_t)i) >> 32);
        const uint32_t t = v[i - 1];

        v[i - 1] = v[k];
        v[k] = t;
    }
}

struct ranked {
    double value;
    uint32_t at;
};

TTP_ORDER(by_value, struct ranked, TTP_UP(value), TTP_UP(at))

static void span_init(struct span *s, const double *v, size_t n, size_t min_segment,
                      struct ttp_arena *scratch)
{
    struct ranked *order = TTP_NEW(scratch, struct ranked, n);
    double *value = TTP_NEW(scratch, double, n);

    *s = (struct span){.value = value, .n = n, .min_segment = min_segment};
    s->rank = TTP_NEW(scratch, uint32_t, n);
    s->tree = TTP_NEW(scratch, struct node, n + 1);
    s->x = TTP_NEW(scratch, double, n);
    s->left = TTP_NEW(scratch, double, n + 1);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked){v[i], (uint32_t)i};
    TTP_SORT(order, n, by_value);
    for (size_t i = 0; i < n; i++) {
        value[i] = order[i].value - order[n / 2].value;
        s->rank[order[i].at] = (uint32_t)i;
    }
}

/* Does the next of all choices of k out of n exist? They begin with 0, 1, ..., k - 1. */
static bool next_choice(uint32_t *chosen, size_t k, size_t n)
{
    size_t i = k;

    while (i > 0 && chosen[i - 1] == n - k + i - 1)
        i--;
    if (i == 0)
        return false;
    chosen[i - 1]++;
    for (; i < k; i++)
        chosen[i] = chosen[i - 1] + 1;
    return true;
}

/* The same as below, exactly, of a span with a single cut: which values are on a side is all that
 * counts. */
static double exact_p(struct span *s, double least, struct ttp_arena *scratch)
{
    const size_t k = s->min_segment, n = s->n;
    uint32_t *chosen = TTP_NEW(scratch, uint32_t, k);
    size_t hits = 0, all = 0;

    for (size_t i = 0; i < k; i++)
        chosen[i] = (uint32_t)i;
    do {
        size_t left = 0, right = k;

        for (uint32_t r = 0; r < n; r++)
            if (left < k && chosen[left] == r)
                s->rank[left++] = r;
            else
                s->rank[right++] = r;
        hits += best_cut(s).q >= least;
        all++;
    } while (next_choice(chosen, k, n));
    return (double)hits / (double)all;
}

/* The share of random orders that can be cut as well; more than `enough` as soon as that is sure.
 */
static double permutation_p(struct span *s, double least, const struct ttp_change_options *o,
                            uint64_t seed)
{
    const size_t orders = s->n <= SHORT_SEGMENTS * s->min_segment && o->permutations < SHORT_ORDERS
                              ? SHORT_ORDERS
                              : o->permutations;
    const double all = (double)orders + 1;
    size_t hits = 0;

    for (size_t i = 0; i < orders; i++) {
        shuffle(s->rank, s->n, &seed);
        hits += best_cut(s).q >= least;
        if (((double)hits + 1) / all > o->significance)
            break;
    }
    return ((double)hits + 1) / all;
}

/* Values from `from` up to `to`. */
struct stretch {
    const double *v;
    size_t from, to;
};

static uint64_t stretch_seed(const struct ttp_change_options *o, struct stretch in)
{
    return o->seed + 0x9e3779b9u * (uint64_t)in.from + (uint64_t)in.to;
}

static bool find_change(struct ttp_change_point *out, struct stretch in,
                        const struct ttp_change_options *o, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const size_t n = in.to - in.from;
    struct span s;
    bool found = false;

    if (n < 2 * o->min_segment)
        return false;
    span_init(&s, in.v + in.from, n, o->min_segment, scratch);
    const struct cut cut = best_cut(&s);
    if (cut.q > 0) { /* 0: all are equal */
        /* equal cuts of equal values may differ in the last digit */
        const double least = cut.q - fabs(cut.q) * 1e-9;
        const double p = n == 2 * o->min_segment && o->min_segment <= EXACT_SEGMENT
                             ? exact_p(&s, least, scratch)
                             : permutation_p(&s, least, o, stretch_seed(o, in));

        found = p <= o->significance;
        *out = (struct ttp_change_point){in.from + cut.at, cut.q, p};
    }
    ttp_arena_rewind(scratch, mark);
    return found;
}

static double median_of(double *scratch, const double *v, size_t n)
{
    memcpy(scratch, v, n * sizeof(*v));
    TTP_SORT(scratch, n, ttp_by_f64);
    return scratch[n / 2];
}

/* The best cut near `near`, without a test: that it exists is known. */
static size_t refine(struct stretch in, size_t near, size_t reach, size_t min_segment,
                     struct ttp_arena *scratch)
{
    const size_t a = near - in.from > reach ? near - reach : in.from,
                 b = in.to - near > reach ? near + reach : in.to;
    struct span s;

    if (b - a < 2 * min_segment)
        return near;
    span_init(&s, in.v + a, b - a, min_segment, scratch);
    const struct cut cut = best_cut(&s);
    return cut.q > 0 ? a + cut.at : near;
}

static bool find_far_change(struct ttp_change_point *out, struct stretch in,
                            const struct ttp_change_options *o, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const size_t n = in.to - in.from, group = n / GROUPS,
                 least = (o->min_segment + group - 1) / group;
    struct ttp_change_options far = *o;
    double *median = TTP_NEW(scratch, double, GROUPS), *room = TTP_NEW(scratch, double, 2 * group);

    far.min_segment = least > 2 ? least : 2;
    far.seed = stretch_seed(o, in);
    for (size_t i = 0; i < GROUPS; i++)
        median[i] = median_of(room, in.v + in.from + i * group, group);
    const bool found = find_change(out, (struct stretch){median, 0, GROUPS}, &far, scratch);
    if (found)
        out->at = refine(in, in.from + out->at * group, 3 * group, o->min_segment, scratch);
    ttp_arena_rewind(scratch, mark);
    return found;
}

/* The spans that are still to be looked at. */
struct spans {
    size_t *from, *to;
    size_t count;
};

static void add_span(struct spans *s, size_t from, size_t to)
{
    s->from[s->count] = from;
    s->to[s->count++] = to;
}

/* Pieces that are each looked at closely. */
static void add_pieces(struct spans *s, size_t from, size_t to, size_t most)
{
    const size_t n = to - from, pieces = (n + most - 1) / most;

    for (size_t i = 0; i < pieces; i++)
        add_span(s, from + n * i / pieces, from + n * (i + 1) / pieces);
}

TTP_ORDER(by_place, struct ttp_change_point, TTP_UP(at))

size_t ttp_stats_change_points(struct ttp_change_point **out, const double *v, size_t n,
                               const struct ttp_change_options *options, struct ttp_arena *arena)
{
    const struct ttp_change_options o = {
        .min_segment = options->min_segment > 1 ? options->min_segment : 2,
        .permutations = options->permutations,
        .significance = options->significance,
        .seed = options->seed,
    };
    const size_t max = n / o.min_segment + 1;
    struct ttp_change_point *found = TTP_NEW(arena, struct ttp_change_point, max);
    const size_t most = 4 * o.min_segment > LONG_SPAN ? 4 * o.min_segment : LONG_SPAN;
    struct spans open = {TTP_NEW(arena, size_t, max + 1), TTP_NEW(arena, size_t, max + 1), 0};
    size_t count = 0;
    struct ttp_arena scratch = {0};

    add_span(&open, 0, n);
    while (open.count > 0) {
        const size_t a = open.from[--open.count], b = open.to[open.count];
        const bool far = b - a > most;

        if (far ? find_far_change(&found[count], (struct stretch){v, a, b}, &o, &scratch)
                : find_change(&found[count], (struct stretch){v, a, b}, &o, &scratch)) {
            const size_t at = found[count++].at;

            add_span(&open, a, at);
            add_span(&open, at, b);
        } else if (far) {
            add_pieces(&open, a, b, most);
        }
    }
    ttp_arena_free(&scratch);
    TTP_SORT(found, count, by_place);
    *out = found;
    return count;
}
