/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - which programs of the ranks are one op of the run. */
#include <stdlib.h>

#include "base/order.h"
#include "mesh/describe.h"
#include "mesh/host_clocks.h"
#include "mesh/pairs.h"
#include "mesh/sequence.h"
#include "mesh/table.h"

#define MAX_CANDIDATES 64
/* Of more, so many are tried: each costs as much as all groups of the run. */
#define TRIED_OF_MANY 16
#define TRIED_BY_HOST 4
/* Collectives that the shifts of a long run are compared by before one is tried. */
#define COMPARED 512

/* The ops found so far: each with the step of every sequence that has it. */
struct merged {
    uint64_t *sign;
    bool *anchor;
    uint32_t (*first)[2]; /* sequence and step that it was found in first */
    uint32_t *step;       /* [op * sequences + sequence], TTP_MESH_NONE: not there */
    size_t count;
};

struct matcher {
    struct ttp_mesh_build *b;
    struct merged now;
    size_t *match;     /* of the sequence being added */
    size_t **accepted; /* by sequence: place of each step in `now` */
};

static struct ttp_mesh_line line_of(const struct ttp_mesh_sequence *s, struct ttp_arena *arena)
{
    uint64_t *sign = TTP_NEW(arena, uint64_t, s->steps);
    bool *anchor = TTP_NEW(arena, bool, s->steps);

    for (size_t i = 0; i < s->steps; i++) {
        sign[i] = s->step[i].signature;
        anchor[i] = s->step[i].collective;
    }
    return (struct ttp_mesh_line){sign, anchor, s->steps};
}

static void make_room(struct merged *m, size_t count, size_t sequences, struct ttp_arena *arena)
{
    m->sign = TTP_NEW(arena, uint64_t, count);
    m->anchor = TTP_NEW(arena, bool, count);
    m->first = ttp_arena_alloc(arena, count, sizeof(*m->first), alignof(uint32_t));
    m->step = TTP_NEW(arena, uint32_t, count * sequences);
    m->count = 0;
    for (size_t i = 0; i < count * sequences; i++)
        m->step[i] = TTP_MESH_NONE;
}

/* `old` with the steps of sequence `s` at their matches, and those without a match between. */
static void weave(struct merged *out, const struct merged *old, const struct ttp_mesh_build *b,
                  size_t s, const size_t *match)
{
    const struct ttp_mesh_sequence *seq = &b->sequence[s];
    const size_t n = b->sequences;
    size_t j = 0;

    make_room(out, old->count + seq->steps, n, b->arena);
    for (size_t i = 0; i <= old->count; i++) {
        /* Steps of s before its match with op i. */
        while (j < seq->steps && (match[j] == TTP_NPOS || (i == old->count && match[j] >= i))) {
            out->sign[out->count] = seq->step[j].signature;
            out->anchor[out->count] = seq->step[j].collective;
            out->first[out->count][0] = (uint32_t)s;
            out->first[out->count][1] = (uint32_t)j;
            out->step[out->count++ * n + s] = (uint32_t)j++;
        }
        if (i == old->count)
            break;
        out->sign[out->count] = old->sign[i];
        out->anchor[out->count] = old->anchor[i];
        memcpy(out->first[out->count], old->first[i], sizeof(*out->first));
        memcpy(&out->step[out->count * n], &old->step[i * n], n * sizeof(*out->step));
        if (j < seq->steps && match[j] == i)
            out->step[out->count * n + s] = (uint32_t)j++;
        out->count++;
    }
}

/* ---- from merged steps to ops ---- */

TTP_ORDER(by_device, struct ttp_mesh_cell, TTP_UP(device))

static void assemble(struct ttp_mesh_build *b, const struct merged *from)
{
    struct ttp_mesh *m = b->mesh;

    m->ops = from->count;
    m->op = TTP_NEW(b->arena, struct ttp_mesh_op, m->ops);
    m->cells = 0;
    m->cell = TTP_NEW(b->arena, struct ttp_mesh_cell, b->cells);
    for (size_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_sequence *seq = &b->sequence[from->first[o][0]];
        const struct ttp_mesh_step *first = &seq->step[from->first[o][1]];
        const struct ttp_mesh_reduced *table = b->part[seq->part].table;
        if (table)
            m->op[o] = table->kind[first->row];
        else
            (void)ttp_mesh_describe(&m->op[o], b->part[seq->part].ops, first->row);
        m->op[o].cells_at = (uint32_t)m->cells;
        for (size_t s = 0; s < b->sequences; s++) {
            const uint32_t k = from->step[o * b->sequences + s];
            if (k == TTP_MESH_NONE)
                continue;
            const struct ttp_mesh_step *step = &b->sequence[s].step[k];
            for (uint32_t c = 0; c < step->cells; c++) {
                const size_t source = step->cell + c;
                struct ttp_mesh_cell *cell = &m->cell[m->cells++];
                *cell = b->cell[source];
                ttp_mesh_set_times(cell, &m->device[cell->device]);
            }
        }
        m->op[o].cells = (uint32_t)(m->cells - m->op[o].cells_at);
        qsort(m->cell + m->op[o].cells_at, m->op[o].cells, sizeof(*m->cell), by_device);
    }
}

static void describe_ops(struct ttp_mesh_build *b, const struct merged *from)
{
    for (size_t o = 0; o < b->mesh->ops; o++) {
        const struct ttp_mesh_sequence *seq = &b->sequence[from->first[o][0]];
        if (b->part[seq->part].table)
            continue;
        ttp_mesh_describe_tensors(&b->mesh->op[o], b->part[seq->part].ops,
                                  seq->step[from->first[o][1]].row, b->arena);
    }
}

static void keep_steps(struct ttp_mesh_build *b, const struct merged *from)
{
    struct ttp_mesh *m = b->mesh;

    m->op_of_step = TTP_NEW(b->arena, uint32_t *, b->parts);
    for (size_t s = 0; s < b->sequences; s++) {
        uint32_t *op = TTP_NEW(b->arena, uint32_t, b->sequence[s].steps + 1);
        m->op_of_step[b->sequence[s].part] = op;
        for (uint32_t o = 0; o < m->ops; o++)
            if (from->step[o * b->sequences + s] != TTP_MESH_NONE)
                op[from->step[o * b->sequences + s]] = o;
    }
}

/* ---- which of several alignments ---- */

/* How well the clocks get by with an alignment; less is better. */
struct fitness {
    size_t aside; /* rows that contradict others */
    int rate;     /* at which clocks must be allowed to part */
};

static int compare(const struct fitness *a, const struct fitness *b)
{
    if (a->aside != b->aside)
        return a->aside < b->aside ? -1 : 1;
    return (a->rate > b->rate) - (a->rate < b->rate);
}

/* Try the alignment as if it were the final one. */
static struct fitness judge(struct matcher *t, size_t s, const size_t *match)
{
    const struct ttp_mark mark = ttp_arena_mark(t->b->arena);
    const struct ttp_mesh kept = *t->b->mesh;
    struct fitness f = {0};
    struct merged woven;
    struct ttp_mesh_pairs pairs;

    weave(&woven, &t->now, t->b, s, match);
    assemble(t->b, &woven);
    describe_ops(t->b, &woven);
    ttp_mesh_find_groups(t->b);
    const struct ttp_mesh_grouping all = {
        .group = t->b->mesh->group, .groups = t->b->mesh->groups, .axis = TTP_MESH_NONE};
    ttp_mesh_pairs_make(&pairs, t->b->mesh, &all, t->b->arena);
    uint32_t *aside = TTP_NEW(t->b->arena, uint32_t, t->b->mesh->cells);
    f.aside = ttp_mesh_pairs_set_aside(&pairs, TTP_RATE_WORST, t->b->mesh->cells, aside);
    ttp_mesh_pairs_find_rates(&pairs);
    for (size_t a = 0; a < t->b->mesh->axes; a++)
        if (t->b->mesh->axis[a].refused)
            f.aside += t->b->mesh->axis[a].rows;
    for (size_t p = 0; p < pairs.count; p++)
        if (pairs.pair[p].rate > f.rate)
            f.rate = pairs.pair[p].rate;
    *t->b->mesh = kept;
    ttp_arena_rewind(t->b->arena, mark);
    return f;
}

struct candidates {
    size_t *match[MAX_CANDIDATES + 2];
    int64_t shift[MAX_CANDIDATES + 2]; /* INT64_MIN: not a shift */
    struct fitness fitness[MAX_CANDIDATES + 2];
    size_t count;
};

static void add_candidate(struct candidates *c, size_t *match, size_t steps, int64_t shift)
{
    for (size_t i = 0; i < c->count; i++)
        if (memcmp(c->match[i], match, steps * sizeof(*match)) == 0)
            return;
    c->shift[c->count] = shift;
    c->match[c->count++] = match;
}

static size_t *match_by_shift(const struct matcher *t, const struct ttp_mesh_line *line,
                              int64_t shift)
{
    size_t *match = TTP_NEW(t->b->arena, size_t, line->count + 1);

    for (size_t k = 0; k < line->count; k++) {
        const int64_t at = (int64_t)k + shift;
        match[k] = at >= 0 && at < (int64_t)t->now.count && t->now.sign[at] == line->sign[k]
                       ? (size_t)at
                       : TTP_NPOS;
    }
    return match;
}

/* ---- shifts of a long run ---- */

struct shift {
    int64_t steps;
    double unsteady;
    double apart; /* on the hosts, in the middle of the rank */
};

TTP_ORDER(by_unsteady, struct shift, TTP_UP(unsteady), TTP_UP(steps))
TTP_ORDER(by_apart, struct shift, TTP_UP(apart), TTP_UP(steps))

/* When the first device of a step ended, by its own clock. */
static double step_end(const struct ttp_mesh_build *b, const struct ttp_mesh_step *step)
{
    const struct ttp_mesh_cell *c = &b->cell[step->cell];

    return step->cells && c->timed ? (double)c->end_cycle / b->mesh->device[c->device].ghz : NAN;
}

/* A collective of both ranks: the difference of their clocks when it ended. */
struct meeting {
    uint64_t sign;
    size_t at;
    double apart;
};

TTP_ORDER(by_sign, struct meeting, TTP_UP(sign), TTP_UP(at))

/* Room for the comparison of shifts. */
struct comparison {
    struct meeting meeting[COMPARED];
    double change[COMPARED];
};

static size_t list_meetings(struct comparison *c, const struct matcher *t,
                            const struct ttp_mesh_sequence *seq, const struct ttp_mesh_line *line,
                            int64_t shift)
{
    size_t n = 0;

    for (size_t k = shift < 0 ? (size_t)-shift : 0; k < line->count && n < COMPARED; k++) {
        const size_t at = (size_t)((int64_t)k + shift);
        if (at >= t->now.count)
            break;
        if (!line->anchor[k] || t->now.sign[at] != line->sign[k])
            continue;
        const uint32_t *first = t->now.first[at];
        c->meeting[n] =
            (struct meeting){line->sign[k], k,
                             step_end(t->b, &seq->step[k]) -
                                 step_end(t->b, &t->b->sequence[first[0]].step[first[1]])};
        n += isfinite(c->meeting[n].apart) != 0;
    }
    return n;
}

/* By how much the difference of two clocks changes from one collective to the next of its kind, in
 * the middle: iterations differ, so that a wrong shift shows. Of the kinds the steadiest, as only
 * some have both ranks in a group. */
static double unsteadiness(struct comparison *c, size_t meetings)
{
    double least = INFINITY;

    TTP_SORT(c->meeting, meetings, by_sign);
    for (size_t i = 0, j; i < meetings; i = j) {
        size_t n = 0;
        for (j = i + 1; j < meetings && c->meeting[j].sign == c->meeting[i].sign; j++)
            c->change[n++] = fabs(c->meeting[j].apart - c->meeting[j - 1].apart);
        if (n)
            least = fmin(least, ttp_mesh_median(c->change, n));
    }
    return least;
}

/* The step nearest the middle whose time on the host is known. */
static size_t known_middle(const struct matcher *t, const struct ttp_mesh_sequence *seq)
{
    const size_t middle = seq->steps / 2;
    double time;

    for (size_t i = 0; i < middle; i++)
        for (int after = 0; after < 2; after++) {
            const size_t k = after ? middle + i : middle - i;
            if (k < seq->steps && ttp_mesh_host_time(&time, t->b, seq, k))
                return k;
        }
    return middle;
}

/* Of step k and what the shift pairs it with. */
static double apart_at(const struct matcher *t, const struct ttp_mesh_sequence *seq, size_t k,
                       int64_t shift)
{
    const size_t at = (size_t)((int64_t)k + shift);
    double own, other;

    if (at >= t->now.count)
        return INFINITY;
    const struct ttp_mesh_sequence *from = &t->b->sequence[t->now.first[at][0]];
    return ttp_mesh_host_time(&own, t->b, seq, k) &&
                   ttp_mesh_host_time(&other, t->b, from, t->now.first[at][1])
               ? fabs(own - other)
               : INFINITY;
}

/* Of more shifts than can be tried, those at which the clocks of chips agree best, and a few for
 * the clocks of hosts. */
static void keep_steadiest(int64_t *shift, size_t shifts, const struct matcher *t,
                           const struct ttp_mesh_sequence *seq, const struct ttp_mesh_line *line)
{
    const struct ttp_mark mark = ttp_arena_mark(t->b->arena);
    struct shift *all = TTP_NEW(t->b->arena, struct shift, shifts);
    struct comparison *c = TTP_NEW(t->b->arena, struct comparison, 1);

    const size_t middle = known_middle(t, seq);
    for (size_t i = 0; i < shifts; i++)
        all[i] = (struct shift){shift[i], unsteadiness(c, list_meetings(c, t, seq, line, shift[i])),
                                apart_at(t, seq, middle, shift[i])};
    TTP_SORT(all, shifts, by_apart);
    for (size_t i = 0; i < TRIED_BY_HOST; i++)
        shift[i] = all[i].steps;
    TTP_SORT(all, shifts, by_unsteady);
    for (size_t i = TRIED_BY_HOST; i < TRIED_OF_MANY; i++)
        shift[i] = all[i - TRIED_BY_HOST].steps;
    ttp_arena_rewind(t->b->arena, mark);
}

/* Alignments to choose from: one if there is no choice. */
static void find_candidates(struct candidates *c, struct matcher *t,
                            const struct ttp_mesh_sequence *seq, const struct ttp_mesh_line *line)
{
    const struct ttp_mesh_line now = {t->now.sign, t->now.anchor, t->now.count};
    const size_t most = now.count + line->count;

    if (line->count == now.count &&
        memcmp(line->sign, now.sign, line->count * sizeof(*line->sign)) == 0) {
        add_candidate(c, match_by_shift(t, line, 0), line->count, 0);
        return;
    }
    int64_t *shift = TTP_NEW(t->b->arena, int64_t, most);
    size_t shifts = ttp_mesh_sequence_shifts(shift, most, &now, line);
    if (shifts > MAX_CANDIDATES) {
        keep_steadiest(shift, shifts, t, seq, line);
        shifts = TRIED_OF_MANY;
    }
    for (size_t i = 0; i < shifts; i++)
        add_candidate(c, match_by_shift(t, line, shift[i]), line->count, shift[i]);
    if (shifts)
        return;
    for (int late = 0; late < 2; late++) {
        size_t *match = TTP_NEW(t->b->arena, size_t, line->count + 1);
        if (ttp_mesh_sequence_common(match, &now, line, late, t->b->arena))
            add_candidate(c, match, line->count, INT64_MIN);
    }
}

/* Candidates differ in what collectives they pair; if only compute ops move there is no doubt. */
static bool same_anchors(const struct ttp_mesh_line *line, const size_t *a, const size_t *b)
{
    for (size_t k = 0; k < line->count; k++)
        if (line->anchor[k] && a[k] != b[k])
            return false;
    return true;
}

/* ---- clocks of hosts, where those of chips cannot tell ---- */

/* How far apart the hosts enqueued what the candidate takes for one op, in the middle. NAN:
 * unknown. *error: how far the clocks may be apart. */
static double apart_on_hosts(const struct matcher *t, size_t s, const size_t *match, double *error)
{
    const struct ttp_mesh_build *b = t->b;
    const struct ttp_mesh_sequence *seq = &b->sequence[s];
    const struct ttp_mark mark = ttp_arena_mark(b->arena);
    double *apart = TTP_NEW(b->arena, double, seq->steps + 1);
    size_t n = 0;

    for (size_t k = 0; k < seq->steps; k++) {
        double own, other;
        if (match[k] == TTP_NPOS)
            continue;
        const uint32_t *first = t->now.first[match[k]];
        const struct ttp_mesh_sequence *from = &b->sequence[first[0]];
        if (!ttp_mesh_host_time(&own, b, seq, k) || !ttp_mesh_host_time(&other, b, from, first[1]))
            continue;
        *error = fmax(*error, ttp_mesh_host_error(b, seq->part, from->part));
        apart[n++] = own - other;
    }
    const double median = fabs(ttp_mesh_median(apart, n));
    ttp_arena_rewind(b->arena, mark);
    return median;
}

/* Of those as good as `best`, the one whose ops the hosts enqueued at the same time, if no other
 * comes near it: an iteration must be longer than twice the error, and hosts must not run ahead of
 * each other by half of one. TTP_NPOS: they cannot tell. */
static size_t decide_by_host(const struct candidates *c, const struct matcher *t, size_t s,
                             size_t best, const struct ttp_mesh_line *line)
{
    size_t chosen = TTP_NPOS;
    double least = INFINITY, error = 0;

    for (size_t i = 0; i < c->count; i++) {
        const double apart = compare(&c->fitness[i], &c->fitness[best]) == 0
                                 ? apart_on_hosts(t, s, c->match[i], &error)
                                 : INFINITY;
        if (isnan(apart))
            return TTP_NPOS;
        if (apart < least) {
            least = apart;
            chosen = i;
        }
    }
    for (size_t i = 0; i < c->count && chosen != TTP_NPOS; i++) {
        if (i == chosen || compare(&c->fitness[i], &c->fitness[best]) != 0 ||
            same_anchors(line, c->match[i], c->match[chosen]))
            continue;
        const double apart = apart_on_hosts(t, s, c->match[i], &error);
        if (apart - least <= 2 * error || least > apart / 2)
            return TTP_NPOS;
    }
    return chosen;
}

/* The best one; rank->shifts: how many are as good. */
static size_t choose(struct candidates *c, struct matcher *t, size_t s,
                     const struct ttp_mesh_line *line, struct ttp_mesh_rank *rank)
{
    size_t *equals = &rank->shifts;
    size_t best = 0;

    *equals = 1;
    if (c->count < 2)
        return 0;
    for (size_t i = 0; i < c->count; i++)
        c->fitness[i] = judge(t, s, c->match[i]);
    for (size_t i = 1; i < c->count; i++)
        if (compare(&c->fitness[i], &c->fitness[best]) < 0)
            best = i;
    rank->possible = TTP_NEW(t->b->arena, int64_t, c->count);
    rank->possible[0] = c->shift[best];
    for (size_t i = 0; i < c->count; i++)
        if (i != best && compare(&c->fitness[i], &c->fitness[best]) == 0 &&
            !same_anchors(line, c->match[i], c->match[best]))
            rank->possible[(*equals)++] = c->shift[i];
    TTP_SORT(rank->possible, *equals, ttp_by_i64);
    rank->possibles = *equals;
    const size_t by_host = *equals > 1 ? decide_by_host(c, t, s, best, line) : TTP_NPOS;
    if (by_host == TTP_NPOS)
        return best;
    rank->by_host = true;
    return by_host;
}

/* Without a pairing: all its ops are its own. */
static size_t *unmatched(const struct matcher *t, size_t steps)
{
    size_t *match = TTP_NEW(t->b->arena, size_t, steps + 1);

    for (size_t k = 0; k < steps; k++)
        match[k] = TTP_NPOS;
    return match;
}

/* False: it is in doubt, and must come after the others, which would be compared with its ops. */
static bool add_sequence(struct matcher *t, size_t s)
{
    const struct ttp_mesh_sequence *seq = &t->b->sequence[s];
    struct ttp_mesh_rank *rank = &t->b->mesh->rank[seq->part];
    const struct ttp_mesh_line line = line_of(seq, t->b->arena);
    struct candidates c = {.count = 0};
    struct merged woven;
    int64_t shift;
    size_t *match;

    if (ttp_mesh_told_shift(t->b, rank->rank, &shift)) {
        match = match_by_shift(t, &line, shift);
        rank->shift = shift;
        rank->told = true;
        find_candidates(&c, t, seq, &line);
        rank->possible = TTP_NEW(t->b->arena, int64_t, c.count + 1);
        memcpy(rank->possible, c.shift, c.count * sizeof(*c.shift));
        rank->possibles = c.count;
    } else {
        find_candidates(&c, t, seq, &line);
        size_t best = choose(&c, t, s, &line, rank);
        match = c.count ? c.match[best] : unmatched(t, seq->steps);
        rank->shift = c.count && c.shift[best] != INT64_MIN ? c.shift[best] : 0;
        rank->doubtful = rank->shifts > 1 && !rank->by_host;
        if (rank->doubtful)
            return false;
    }
    weave(&woven, &t->now, t->b, s, match);
    t->now = woven;
    return true;
}

static void add_doubtful(struct matcher *t, size_t s)
{
    const struct ttp_mesh_sequence *seq = &t->b->sequence[s];
    struct merged woven;

    t->b->mesh->in_doubt = true;
    weave(&woven, &t->now, t->b, s, unmatched(t, seq->steps));
    t->now = woven;
}

/* Does the rank run the same ops as those before it? */
static bool same_ops(const struct matcher *t, size_t s)
{
    const struct ttp_mark mark = ttp_arena_mark(t->b->arena);
    const struct ttp_mesh_line line = line_of(&t->b->sequence[s], t->b->arena);
    const bool same = line.count == t->now.count &&
                      memcmp(line.sign, t->now.sign, line.count * sizeof(*line.sign)) == 0;

    ttp_arena_rewind(t->b->arena, mark);
    return same;
}

/* First those that leave no choice: what they measure decides about the others. Those that stay in
 * doubt are last. */
static void add_sequences(struct matcher *t, size_t longest)
{
    enum { SAME, OTHER, DOUBTFUL };
    int *turn = TTP_NEW(t->b->arena, int, t->b->sequences + 1);

    for (size_t s = 0; s < t->b->sequences; s++)
        turn[s] = same_ops(t, s) ? SAME : OTHER;
    for (int now = SAME; now <= DOUBTFUL; now++)
        for (size_t s = 0; s < t->b->sequences; s++) {
            if (s == longest || t->b->sequence[s].steps == 0 || turn[s] != now)
                continue;
            if (now == DOUBTFUL)
                add_doubtful(t, s);
            else if (!add_sequence(t, s))
                turn[s] = DOUBTFUL;
        }
    ttp_mesh_count_unmatched(t->b, t->now.step, t->now.count);
    for (size_t p = 0; p < t->b->mesh->parts; p++)
        ttp_mesh_note_rank(t->b, &t->b->mesh->rank[p]);
}

ttp_code ttp_mesh_match(struct ttp_mesh_build *b, struct ttp_err *err)
{
    struct matcher t = {.b = b};
    size_t longest = 0;
    size_t *none;

    for (size_t s = 1; s < b->sequences; s++)
        if (b->sequence[s].steps > b->sequence[longest].steps)
            longest = s;
    none = unmatched(&t, b->sequence[longest].steps);
    const struct merged empty = {0};
    weave(&t.now, &empty, b, longest, none);
    add_sequences(&t, longest);
    if (t.now.count > UINT32_MAX / 2)
        return ttp_fail(err, TTP_ELIMIT, "more than %u ops", UINT32_MAX / 2);
    assemble(b, &t.now);
    describe_ops(b, &t.now);
    keep_steps(b, &t.now);
    return TTP_OK;
}
