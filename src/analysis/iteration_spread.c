/* SPDX-License-Identifier: Apache-2.0 */
/* iteration_spread.c - the times of each op in all iterations of a window. */
#include <math.h>

#include "analysis/phases.h"

static void add_to_spread(struct ttp_spread *sum, double ns, double gap_ns)
{
    sum->min_ns = sum->count && sum->min_ns < ns ? sum->min_ns : ns;
    sum->max_ns = sum->max_ns > ns ? sum->max_ns : ns;
    sum->ns += ns;
    sum->count++;
    if (isfinite(gap_ns)) {
        sum->gap_ns += gap_ns;
        sum->gaps++;
    }
}

/* What the device spent that waited least in op k of iteration i: all others waited for it. NULL:
 * devices ran different iterations. */
static const double *find_shortest(const struct ttp_passes *passes,
                                   const struct ttp_phase_facts *facts)
{
    const size_t n = facts->devices ? passes->count[0] : 0,
                 size = n ? passes->pass[0][n - 1].count : 0;
    double *least = TTP_NEW(facts->stage->arena, double, n *size + 1);

    for (size_t i = 0; i < n * size; i++)
        least[i] = INFINITY;
    for (size_t d = 0; d < facts->all_devices; d++) {
        if (passes->count[d] != n) /* also where the first has none */
            return NULL;
        for (size_t i = 0; i < n; i++) {
            if (passes->pass[d][i].count != size)
                return NULL;
            for (size_t k = 0; k < size; k++) {
                const uint32_t row = passes->pass[d][i].row[k];
                if (facts->key_of[row] != facts->key_of[passes->pass[0][i].row[k]])
                    return NULL;
                if (facts->ns[row] >= 0)
                    least[i * size + k] = fmin(least[i * size + k], facts->ns[row]);
            }
        }
    }
    return least;
}

/* The wait of a collective that took `ns`: as the file says, else beyond the shortest. */
static void add_wait(struct ttp_spread *sum, const struct ttp_stage *s, uint32_t row, double ns,
                     const double *shortest)
{
    double wait;

    if (ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_WAIT_NS, row), &wait)) {
        sum->wait_ns += fmin(fmax(wait, 0), ns);
        sum->waits++;
    } else if (shortest && *shortest <= ns) {
        sum->wait_ns += ns - *shortest;
        sum->waits++;
    }
    double skew;
    if (ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_SKEW_NS, row), &skew)) {
        sum->skew_ns += skew;
        sum->skews++;
    }
}

/* The device that arrived last at op k in more than half of the iterations of device d: the only
 * candidate is what is left when different ones cancel out. */
static ttp_sym find_last(const struct ttp_stage *s, const struct ttp_passes *passes, size_t d,
                         size_t k)
{
    const size_t n = passes->count[d];
    ttp_sym candidate = TTP_SYM_MISSING;
    size_t left = 0, votes = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_pass *p = &passes->pass[d][i];
        const ttp_sym last =
            k < p->count ? ttp_ops_sym(s->ops, TTP_OPS_LAST, p->row[k]) : TTP_SYM_MISSING;
        if (left == 0)
            candidate = last;
        if (candidate == last)
            left++;
        else
            left--;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ttp_pass *p = &passes->pass[d][i];
        votes += k < p->count && ttp_ops_sym(s->ops, TTP_OPS_LAST, p->row[k]) == candidate;
    }
    return votes * 2 > n ? candidate : TTP_SYM_MISSING;
}

/* Ops of one iteration that ran where the last one has the same; `shortest`: see find_shortest(),
 * of this iteration. */
static void spread_pass(struct ttp_stage *s, const struct ttp_pass *p, const struct ttp_pass *last,
                        const struct ttp_phase_facts *facts, const double *shortest)
{
    for (size_t k = 0; k < p->count && p->count == last->count; k++) {
        const uint32_t r = p->row[k], shown = last->row[k];

        if (facts->key_of[r] != facts->key_of[shown] || !(facts->ns[r] >= 0))
            continue;
        add_to_spread(&s->spread[shown], facts->ns[r], facts->gap_ns[r]);
        if (facts->all_devices > 1)
            add_wait(&s->spread[shown], s, r, facts->ns[r], shortest ? &shortest[k] : NULL);
    }
}

/* Mean, least and most of each op of the last iteration over those that ran the same there. */
void ttp_analysis_spread_ops(struct ttp_stage *s, const struct ttp_passes *passes,
                             const struct ttp_phase_facts *facts)
{
    const double *shortest = facts->all_devices > 1 ? find_shortest(passes, facts) : NULL;

    /* the waits of some devices need the others, of a single iteration, too */
    const size_t least = facts->elsewhere || s->options->median_device ? 1 : 2;

    s->spread = TTP_NEW(s->arena, struct ttp_spread, s->ops->rows);
    for (size_t d = 0; d < facts->devices; d++) {
        if (passes->count[d] < least)
            continue;
        const struct ttp_pass *last = &passes->pass[d][passes->count[d] - 1];
        for (size_t i = 0; i < passes->count[d]; i++)
            spread_pass(s, &passes->pass[d][i], last, facts,
                        shortest ? &shortest[i * last->count] : NULL);
        for (size_t k = 0; s->ops->text[TTP_OPS_LAST].sym && k < last->count; k++)
            s->spread[last->row[k]].last = find_last(s, passes, d, k);
    }
}
