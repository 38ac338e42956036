/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - replays and layers that repeat: the same ops in the same order, again and again.
 *
 * Sessions tell replays apart. Everything else is searched: candidate periods are the distances
 * between one op and its next equal; the commonest are tried on the whole sequence, the repetition
 * that covers most rows wins, and what lies left and right of it is searched again. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/order.h"
#include "base/vec.h"

#define MAX_PERIOD 8192
#define CANDIDATES 48
/* A fold must save at least this many rows to be worth a line of its own. */
#define MIN_SAVED 3
/* Repetitions that are shorter, and take less of the time, are parts of a layer, such as the same
 * ops for queries and keys. */
#define LAYER_OPS 8
#define LAYER_PCT 50.0

const char *ttp_analysis_fold_name(enum ttp_fold_kind kind)
{
    static const char *const names[] = {
        [TTP_FOLD_OPS] = "ops", [TTP_FOLD_LAYER] = "layer", [TTP_FOLD_REPLAY] = "replay"};

    return names[kind];
}

struct candidate {
    size_t period, count;
};

struct search {
    const struct ttp_report *report;
    struct ttp_arena *arena;
    const ttp_sym *kind; /* by op: equal for ops that are the same except for their times */
    size_t *next;        /* scratch by kind: last place of it, plus one */
    size_t kinds;
    size_t *count; /* scratch by period */
};

/* Ops are the same if name, size, datatypes and fidelity are. */
static void find_kinds(struct search *s)
{
    struct ttp_symtab kinds = {.arena = s->arena};
    ttp_sym *kind = TTP_NEW(s->arena, ttp_sym, s->report->count);

    for (size_t i = 0; i < s->report->count; i++) {
        const struct ttp_op *op = &s->report->op[i];
        const bool captured = op->has & TTP_ONLY_CAPTURED; /* like no other: nothing ran */
        const ttp_sym key[] = {op->code, op->fidelity_text, op->kind,
                               captured ? (ttp_sym)i + 1 : 0};
        kind[i] = ttp_sym_intern(&kinds, (ttp_str){(const char *)key, sizeof(key)});
    }
    s->kind = kind;
    s->kinds = kinds.count;
    s->next = TTP_NEW(s->arena, size_t, kinds.count);
}

TTP_ORDER(by_count, struct candidate, TTP_DOWN(count), TTP_UP(period))

/* The commonest distances between equal ops in [from, to). */
static size_t find_candidates(struct search *s, size_t from, size_t to, struct candidate *out)
{
    struct candidate *all;
    size_t distinct = 0, n = 0;

    memset(s->next, 0, s->kinds * sizeof(*s->next));
    memset(s->count, 0, (MAX_PERIOD + 1) * sizeof(*s->count));
    for (size_t i = from; i < to; i++) {
        const size_t before = s->next[s->kind[i]];
        s->next[s->kind[i]] = i + 1;
        if (before == 0 || i + 1 - before > MAX_PERIOD)
            continue;
        distinct += s->count[i + 1 - before]++ == 0;
    }
    const struct ttp_mark mark = ttp_arena_mark(s->arena);
    all = TTP_NEW(s->arena, struct candidate, distinct);
    for (size_t p = 1; p <= MAX_PERIOD; p++)
        if (s->count[p])
            all[n++] = (struct candidate){p, s->count[p]};
    TTP_SORT(all, n, by_count);
    n = n < CANDIDATES ? n : CANDIDATES;
    if (n)
        memcpy(out, all, n * sizeof(*out));
    ttp_arena_rewind(s->arena, mark);
    return n;
}

/* The longest repetition with that period in [from, to). */
static struct ttp_fold longest(const struct search *s, size_t from, size_t to, size_t period)
{
    struct ttp_fold best = {0};
    size_t run = 0;

    for (size_t i = from; i + period <= to; i++) {
        const bool equal = i + period < to && s->kind[i] == s->kind[i + period];
        if (equal) {
            run++;
            continue;
        }
        const size_t repeats = run / period + 1;
        if (repeats > 1 && repeats * period > best.repeats * best.rows)
            best = (struct ttp_fold){.first = i - run, .rows = period, .repeats = repeats};
        run = 0;
    }
    return best;
}

static struct ttp_fold best_fold(struct search *s, size_t from, size_t to)
{
    struct candidate candidate[CANDIDATES];
    const size_t n = find_candidates(s, from, to, candidate);
    struct ttp_fold best = {0};

    for (size_t i = 0; i < n; i++) {
        const struct ttp_fold f = longest(s, from, to, candidate[i].period);
        const size_t covered = f.rows * f.repeats, saved = covered - f.rows;
        const size_t best_covered = best.rows * best.repeats;
        if (f.repeats > 1 && saved >= MIN_SAVED &&
            (covered > best_covered || (covered == best_covered && f.rows < best.rows)))
            best = f;
    }
    return best;
}

/* All repetitions, in each of `outer` if it is in the first of those. */
static void measure(const struct ttp_report *report, struct ttp_fold *f,
                    const struct ttp_fold *outer)
{
    f->min_us = INFINITY;
    for (size_t r = 0; r < (outer ? outer->repeats : 1); r++)
        for (size_t k = 0; k < f->repeats; k++) {
            const size_t from = f->first + (outer ? r * outer->rows : 0) + k * f->rows;
            double sum = 0;
            for (size_t i = from; i < from + f->rows; i++) {
                const struct ttp_op *op = &report->op[i];
                sum += op->has & TTP_HAS_TIME ? op->time_us : 0;
                f->time_pct += op->has & TTP_HAS_TOTAL ? op->total_pct : 0;
            }
            f->time_us += sum;
            f->min_us = fmin(f->min_us, sum);
            f->max_us = fmax(f->max_us, sum);
        }
}

TTP_ORDER(by_place, struct ttp_fold, TTP_UP(first))

struct part {
    size_t from, to;
};
struct fold_list {
    struct ttp_fold *item;
    size_t count;
};

/* Layers among the ops of `whole`, in no order. */
static void find_layers(struct search *s, struct part whole, const struct ttp_fold *outer,
                        struct fold_list *out)
{
    /* every fold leaves two parts that are searched in turn; folds are at least MIN_SAVED rows long
     */
    struct part *todo = TTP_NEW(s->arena, struct part, (whole.to - whole.from) / 2 + 2);
    size_t ntodo = 0;

    todo[ntodo++] = whole;
    while (ntodo) {
        const struct part p = todo[--ntodo];
        if (p.to - p.from <= MIN_SAVED)
            continue;
        struct ttp_fold f = best_fold(s, p.from, p.to);
        if (f.repeats < 2)
            continue;
        measure(s->report, &f, outer);
        f.kind = f.rows >= LAYER_OPS || (f.rows > 1 && f.time_pct > LAYER_PCT) ? TTP_FOLD_LAYER
                                                                               : TTP_FOLD_OPS;
        *TTP_PUSH(s->arena, out->item, out->count) = f;
        todo[ntodo++] = (struct part){p.from, f.first};
        todo[ntodo++] = (struct part){f.first + f.rows * f.repeats, p.to};
    }
}

/* ---- replays ---- */

struct session {
    double trace, number;
};

static bool session_of(struct session *out, const struct ttp_report *r, size_t op)
{
    return ttp_analysis_cell(r, &r->op[op], TTP_OPS_TRACE_ID, &out->trace) &&
           ttp_analysis_cell(r, &r->op[op], TTP_OPS_REPLAY, &out->number);
}

/* Where the replay that op `from` belongs to ends; `from`: it belongs to none. */
static size_t end_of_replay(const struct ttp_report *r, size_t from)
{
    struct session first, next;
    size_t to = from;

    if (from >= r->count || !session_of(&first, r, from))
        return from;
    while (to < r->count && session_of(&next, r, to) && next.trace == first.trace &&
           next.number == first.number)
        to++;
    return to;
}

static bool are_equal(const struct search *s, size_t a, size_t b, size_t count)
{
    return memcmp(s->kind + a, s->kind + b, count * sizeof(*s->kind)) == 0;
}

/* The replays of one trace from op `from` on; repeats is 0 if there is none. */
static struct ttp_fold replays_from(const struct search *s, size_t from)
{
    const size_t end = end_of_replay(s->report, from), rows = end - from;
    struct ttp_fold f = {.kind = TTP_FOLD_REPLAY, .first = from, .rows = rows};
    struct session first, next;

    if (rows == 0 || !session_of(&first, s->report, from))
        return f;
    f.repeats = 1;
    for (size_t at = end;
         end_of_replay(s->report, at) == at + rows && session_of(&next, s->report, at) &&
         next.trace == first.trace && are_equal(s, from, at, rows);
         at += rows)
        f.repeats++;
    return f;
}

void ttp_analysis_fold(struct ttp_folds *out, const struct ttp_report *report,
                       struct ttp_arena *arena)
{
    struct search s = {
        .report = report, .arena = arena, .count = TTP_NEW(arena, size_t, MAX_PERIOD + 1)};
    struct fold_list found = {0}, inner = {0};
    size_t rest = 0; /* from here on ops are in no fold yet */

    find_kinds(&s);
    for (size_t i = 0; i < report->count;) {
        struct ttp_fold f = replays_from(&s, i);
        const size_t end = i + f.rows * f.repeats;

        if (f.repeats < 2) {
            i = end > i ? end : i + 1;
            continue;
        }
        find_layers(&s, (struct part){rest, i}, NULL, &found);
        measure(report, &f, NULL);
        find_layers(&s, (struct part){i, i + f.rows}, &f, &inner);
        *TTP_PUSH(arena, found.item, found.count) = f;
        i = rest = end;
    }
    find_layers(&s, (struct part){rest, report->count}, NULL, &found);
    TTP_SORT(found.item, found.count, by_place);
    TTP_SORT(inner.item, inner.count, by_place);
    *out = (struct ttp_folds){found.item, found.count, inner.item, inner.count};
}
