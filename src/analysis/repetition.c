/* SPDX-License-Identifier: Apache-2.0 */
/* repetition.c - a sequence of ops that repeats itself.
 *
 * Candidate periods are the distances between one op and its next equal. For each, the longest
 * stretch is found in which every part resembles the one before it op by op. The shortest period
 * that covers almost as much as the best one wins: a layer repeats too, but only inside one
 * iteration. The stretch is then carried on over parts that have a few ops more or fewer. */
#include "base/order.h"

#include "analysis/phases.h"

#define CANDIDATES 64
/* That many ops that come as foretold are not chance. */
#define MIN_CONFIRMED 8
/* Ops of a part that may differ: one in so many, at least one unless it is short, at most
 * MAX_DIFFERENT. */
#define DIFFERENT_PART 16
#define MAX_DIFFERENT  8
/* Ops that one part may have more or fewer than another: less than what is between the layers
 * of one iteration and those of the next, so that layers are not taken for iterations. */
#define MAX_SHIFT 2
/* Stretches with less than this part of the longest one are not worth a second look. */
#define WORTHWHILE 0.25
/* A shorter period is taken if it covers this part of what the best one covers. */
#define NEARLY 0.9

size_t ttp_analysis_exact_period(const uint32_t *key, size_t count, struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    size_t *border = TTP_NEW(arena, size_t, count + 1); /* of the first i ops, as in KMP */
    size_t period = count;

    for (size_t i = 1, k = 0; i < count; i++) {
        while (k && key[i] != key[k])
            k = border[k];
        k += key[i] == key[k];
        border[i + 1] = k;
    }
    if (count && count % (count - border[count]) == 0)
        period = count - border[count];
    ttp_arena_rewind(arena, mark);
    return period;
}

/* What ops do, as numbers, in the order of a run. */
struct sequence {
    const uint32_t *key;
    size_t count;
};

struct candidate {
    size_t period;
    double weight;
};

/* From `start` on, `matched` ops equal those a period later except for a few. */
struct stretch {
    size_t start, matched, period, different;
};

TTP_ORDER(by_weight, struct candidate, TTP_DOWN(weight), TTP_UP(period))

TTP_ORDER(by_period, struct candidate, TTP_UP(period))

static size_t allowed(size_t period)
{
    const size_t part = period / DIFFERENT_PART;

    if (period < MIN_CONFIRMED)
        return 0;
    return part < 1 ? 1 : part > MAX_DIFFERENT ? MAX_DIFFERENT : part;
}

static uint32_t largest(const uint32_t *key, size_t count)
{
    uint32_t max = 0;

    for (size_t i = 0; i < count; i++)
        max = key[i] > max ? key[i] : max;
    return max;
}

/* Distances between equal ops, those that would cover most first; long ones occur less often, so
 * they weigh by their length. */
static size_t find_candidates(struct candidate *out, const uint32_t *key, size_t count,
                              struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    size_t *last = TTP_NEW(arena, size_t, (size_t)largest(key, count) + 1);
    size_t *times = TTP_NEW(arena, size_t, count / 2 + 1);
    size_t distinct = 0, n = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t before = last[key[i]];
        last[key[i]] = i + 1;
        if (before && i + 1 - before <= count / 2)
            distinct += times[i + 1 - before]++ == 0;
    }
    struct candidate *all = TTP_NEW(arena, struct candidate, distinct);
    for (size_t p = 1; p <= count / 2; p++)
        if (times[p])
            all[n++] = (struct candidate){p, (double)times[p] * (double)p};
    TTP_SORT(all, n, by_weight);
    n = n < CANDIDATES ? n : CANDIDATES;
    if (n) {
        memcpy(out, all, n * sizeof(*out));
        TTP_SORT(out, n, by_period);
    }
    ttp_arena_rewind(arena, mark);
    return n;
}

static size_t covered(const struct stretch *s)
{
    return s->period == 0 || s->matched < s->period ? 0 : (s->matched / s->period + 1) * s->period;
}

/* The longest stretch of that period. It ends with an op that is as foretold, before more differ
 * within one period than may. */
static struct stretch longest(const uint32_t *key, size_t count, size_t period)
{
    const size_t may = allowed(period), n = count - period;
    struct stretch best = {.period = period}, s = best;
    size_t wrong = 0, in_period = 0;

    for (size_t i = 0; i <= n; i++) {
        if (i >= s.start + period && key[i - period] != key[i])
            in_period--;
        if (i < n && key[i] == key[i + period]) {
            s.matched = i + 1 - s.start;
            s.different = wrong;
            continue;
        }
        if (i < n && in_period < may && s.matched) {
            in_period++;
            wrong++;
            continue;
        }
        if (covered(&s) > covered(&best))
            best = s;
        s = (struct stretch){.start = i + 1, .period = period};
        wrong = in_period = 0;
    }
    return best;
}

/* Ops that others are compared with: `period` of them from `start` on, read forward or backward. */
struct pattern {
    size_t start, period;
    bool backward;
};

/* Is the i-th op of the pattern another one than the j-th from `at` on? Both count from 1. */
static bool differ(const uint32_t *key, const struct pattern *p, size_t at, size_t i, size_t j)
{
    return p->backward ? key[p->start - i] != key[at - j]
                       : key[p->start + i - 1] != key[at + j - 1];
}

/* How long a part from `at` on is that resembles the pattern. Returns with how few changes: ops put
 * in, left out or different; TTP_NPOS: too many, or the end. */
static size_t next_part(size_t *length, struct sequence ops, const struct pattern *p, size_t at,
                        struct ttp_arena *arena)
{
    const size_t period = p->period, may = allowed(period),
                 shift = may < MAX_SHIFT ? may : MAX_SHIFT;
    const size_t width = 2 * shift + 1;
    const struct ttp_mark mark = ttp_arena_mark(arena);
    size_t *row = TTP_NEW(arena, size_t, width), *before = TTP_NEW(arena, size_t, width);
    const size_t room = p->backward ? at : ops.count - at;
    size_t fewest = may + 1;

    /* row[d]: changes that make the first i ops of the part the first i + d - shift of the text */
    for (size_t d = 0; d < width; d++)
        row[d] = d < shift ? may + 1 : d - shift;
    for (size_t i = 1; i <= period; i++) {
        size_t *swap = before;
        before = row;
        row = swap;
        for (size_t d = 0; d < width; d++) {
            const size_t upto = i + d; /* in the text, plus `shift` */
            const bool inside = upto > shift && upto - shift <= room;
            size_t best = may + 1;

            if (inside)
                best = before[d] + differ(ops.key, p, at, i, upto - shift);
            if (d + 1 < width && before[d + 1] + 1 < best)
                best = before[d + 1] + 1; /* left out */
            if (d > 0 && inside && row[d - 1] + 1 < best)
                best = row[d - 1] + 1; /* put in */
            row[d] = best;
        }
    }
    for (size_t d = 0; d < width; d++)
        if (row[d] < fewest && period + d > shift && period + d - shift <= room) {
            fewest = row[d];
            *length = period + d - shift;
        }
    ttp_arena_rewind(arena, mark);
    return fewest <= may ? fewest : TTP_NPOS;
}

/* All parts of a stretch, carried on to both sides; returns the ops that differ. */
static size_t carry_on(struct ttp_repetition *out, const struct stretch *s, struct sequence ops,
                       struct ttp_arena *arena)
{
    const struct pattern first = {s->start, s->period, false};
    const struct pattern second = {s->start + s->period, s->period, true};
    const size_t parts = s->matched / s->period + 1;
    size_t before = 0, length = 0, changes = s->different, more;

    *out = (struct ttp_repetition){.start = TTP_NEW(arena, size_t, ops.count), .period = s->period};
    /* backwards first: how many parts there are in front, and where each begins */
    for (size_t at = s->start; at > 0; at -= length) {
        more = next_part(&length, ops, &second, at, arena);
        if (more == TTP_NPOS)
            break;
        changes += more;
        out->start[before++] = at - length;
    }
    for (size_t i = 0; i < before / 2; i++) {
        const size_t swap = out->start[i];
        out->start[i] = out->start[before - 1 - i];
        out->start[before - 1 - i] = swap;
    }
    out->parts = before;
    for (size_t i = 0; i < parts; i++)
        out->start[out->parts++] = s->start + i * s->period;
    out->end = s->start + parts * s->period;
    while (out->end < ops.count) {
        more = next_part(&length, ops, &first, out->end, arena);
        if (more == TTP_NPOS)
            break;
        changes += more;
        out->start[out->parts++] = out->end;
        out->end += length;
    }
    return changes;
}

/* A candidate that is carried on. */
struct carried {
    size_t cover, changes; /* ops; cover 0: not worthwhile */
};

/* Returns the most that one covers. */
static size_t carry_all(struct carried *out, const struct stretch *found, size_t n,
                        struct sequence ops, struct ttp_arena *arena)
{
    size_t longest_one = 0, most = 0;

    for (size_t i = 0; i < n; i++)
        longest_one = covered(&found[i]) > longest_one ? covered(&found[i]) : longest_one;
    for (size_t i = 0; i < n; i++) {
        const struct ttp_mark mark = ttp_arena_mark(arena);
        struct ttp_repetition r;

        out[i] = (struct carried){0};
        if (covered(&found[i]) == 0 ||
            (double)covered(&found[i]) < WORTHWHILE * (double)longest_one)
            continue;
        out[i].changes = carry_on(&r, &found[i], ops, arena);
        out[i].cover = r.end - r.start[0];
        most = out[i].cover > most ? out[i].cover : most;
        ttp_arena_rewind(arena, mark);
    }
    return most;
}

/* Of two periods that are almost the same: more parts one after the other, or else fewer changes
 * for what it covers. */
static bool is_better(const struct stretch *a, const struct carried *of_a, const struct stretch *b,
                      const struct carried *of_b)
{
    const size_t parts_a = a->matched / a->period, parts_b = b->matched / b->period;

    if (parts_a != parts_b)
        return parts_a > parts_b;
    return (of_a->changes + 1) * of_b->cover < (of_b->changes + 1) * of_a->cover;
}

bool ttp_analysis_find_repetition(struct ttp_repetition *out, const uint32_t *key, size_t count,
                                  struct ttp_arena *arena)
{
    const struct sequence ops = {key, count};
    struct candidate candidate[CANDIDATES];
    struct stretch found[CANDIDATES] = {0};
    struct carried carried[CANDIDATES] = {0};
    size_t best = 0;

    const size_t n = find_candidates(candidate, key, count, arena);
    for (size_t i = 0; i < n; i++) {
        found[i] = longest(key, count, candidate[i].period);
        if (found[i].matched - found[i].different < MIN_CONFIRMED)
            found[i].matched = 0;
    }
    const double enough = NEARLY * (double)carry_all(carried, found, n, ops, arena);
    if (enough == 0)
        return false;
    /* up to one part may be lost at the ends, where parts begin in the middle of something */
    while (carried[best].cover == 0 || (double)(carried[best].cover + found[best].period) < enough)
        best++;
    /* a part with an op left out has a period of its own */
    for (size_t i = best + 1; i < n && found[i].period - found[best].period <= MAX_SHIFT; i++)
        if (carried[i].cover && (double)(carried[i].cover + found[i].period) >= enough &&
            is_better(&found[i], &carried[i], &found[best], &carried[best]))
            best = i;
    (void)carry_on(out, &found[best], ops, arena);
    return true;
}
