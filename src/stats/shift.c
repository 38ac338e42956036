/* SPDX-License-Identifier: Apache-2.0 */
/* shift.c - by how much one sample exceeds another (Hodges-Lehmann), and the verdict.
 *
 * The k-th smallest of all na * nb differences is found by halving the range of doubles between
 * the smallest and the largest: 64 counts over two sorted samples instead of a sorted table. */
#include <assert.h>
#include <math.h>

#include "stats/stats_internal.h"

/* Doubles in their order as whole numbers. */
static uint64_t to_order(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double from_order(uint64_t order)
{
    const uint64_t bits = order >> 63 ? order & ~((uint64_t)1 << 63) : ~order;
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint64_t count_upto(const double *a, size_t na, const double *b, size_t nb, double limit)
{
    uint64_t count = 0;
    size_t first = 0; /* from here on a is near enough to b[j]; moves up with b */

    for (size_t j = 0; j < nb; j++) {
        while (first < na && b[j] - a[first] > limit)
            first++;
        count += na - first;
    }
    return count;
}

double ttp_stats_kth_difference(const double *a, size_t na, const double *b, size_t nb, uint64_t k)
{
    uint64_t low = to_order(b[0] - a[na - 1]), high = to_order(b[nb - 1] - a[0]);

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (count_upto(a, na, b, nb, from_order(middle)) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return from_order(low);
}

/* The interval runs from the c-th smallest difference to the c-th largest, with the largest c for
 * which chance puts U below c with a probability of at most (1 - confidence) / 2. */
static uint64_t critical(double *covered, size_t na, size_t nb, double confidence,
                         struct ttp_arena *scratch)
{
    const double pairs = (double)na * (double)nb, wanted = (1 - confidence) / 2;

    if (pairs > TTP_STATS_EXACT_PAIRS) {
        const double sd = sqrt(pairs * (double)(na + nb + 1) / 12);
        const double z = -ttp_stats_normal_quantile(wanted);
        const double c = floor(pairs / 2 - z * sd + 0.5);

        *covered = confidence;
        return c < 1 ? 1 : (uint64_t)c;
    }
    const double *ways = ttp_stats_u_ways(na, nb, scratch);
    double all = 0, below = ways[0];
    uint64_t c = 1;

    for (size_t u = 0; u <= na * nb; u++)
        all += ways[u];
    while (2 * (c + 1) <= na * nb + 1 && (below + ways[c]) / all <= wanted)
        below += ways[c++];
    *covered = fmax(0, 1 - 2 * below / all);
    return c;
}

struct ttp_shift ttp_stats_shift(struct ttp_numbers a, struct ttp_numbers b, double confidence,
                                 struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const size_t na = a.n, nb = b.n;
    const double *x = ttp_stats_sorted(a.v, na, scratch), *y = ttp_stats_sorted(b.v, nb, scratch);
    const uint64_t pairs = (uint64_t)na * nb;
    struct ttp_shift out;

    assert(na > 0 && nb > 0);
    const uint64_t c = critical(&out.interval.confidence, na, nb, confidence, scratch);
    out.interval.low = ttp_stats_kth_difference(x, na, y, nb, c);
    out.interval.high = ttp_stats_kth_difference(x, na, y, nb, pairs + 1 - c);
    out.estimate = ttp_stats_kth_difference(x, na, y, nb, (pairs + 1) / 2);
    if (pairs % 2 == 0)
        out.estimate += (ttp_stats_kth_difference(x, na, y, nb, pairs / 2 + 1) - out.estimate) / 2;
    ttp_arena_rewind(scratch, mark);
    return out;
}

/* NULL if a value is not above 0. */
static double *logs(const double *v, size_t n, struct ttp_arena *arena)
{
    double *out = TTP_NEW(arena, double, n);

    for (size_t i = 0; i < n; i++) {
        if (!(v[i] > 0))
            return NULL;
        out[i] = log(v[i]);
    }
    return out;
}

bool ttp_stats_ratio(struct ttp_shift *out, struct ttp_numbers a, struct ttp_numbers b,
                     double confidence, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const double *x = logs(a.v, a.n, scratch), *y = logs(b.v, b.n, scratch);

    if (x && y) {
        *out = ttp_stats_shift((struct ttp_numbers){x, a.n}, (struct ttp_numbers){y, b.n},
                               confidence, scratch);
        out->estimate = exp(out->estimate);
        out->interval.low = exp(out->interval.low);
        out->interval.high = exp(out->interval.high);
    }
    ttp_arena_rewind(scratch, mark);
    return x && y;
}

/* --- verdict --- */

static struct ttp_shift relative(struct ttp_numbers a, struct ttp_numbers b,
                                 const struct ttp_shift *shift, double confidence,
                                 struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    struct ttp_shift out;

    if (ttp_stats_ratio(&out, a, b, confidence, scratch)) {
        out.estimate -= 1;
        out.interval.low -= 1;
        out.interval.high -= 1;
        return out;
    }
    const double base = fabs(ttp_stats_quantile(ttp_stats_sorted(a.v, a.n, scratch), a.n, 0.5));
    ttp_arena_rewind(scratch, mark);
    out.estimate = base > 0 ? shift->estimate / base : NAN;
    out.interval.low = base > 0 ? shift->interval.low / base : NAN;
    out.interval.high = base > 0 ? shift->interval.high / base : NAN;
    out.interval.confidence = shift->interval.confidence;
    return out;
}

/* How far single runs deviate, as a part of their median: from the quartiles, which one wild run
 * does not move, unless these coincide. */
static double relative_noise(const double *v, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_sample s = ttp_stats_sample(v, n, 0.95, scratch);
    const double quartiles = (s.p75 - s.p25) / 1.349; /* of normal data: its deviation */
    const double sd = quartiles > 0 ? quartiles : s.sd;

    return n > 1 && s.median != 0 ? sd / fabs(s.median) : 0;
}

static size_t runs_missing(const struct ttp_versus *v, struct ttp_numbers a, struct ttp_numbers b,
                           const struct ttp_versus_options *o, struct ttp_arena *scratch)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const double noise =
        hypot(relative_noise(a.v, a.n, scratch), relative_noise(b.v, b.n, scratch)) / sqrt(2);
    /* an existing change may be detected sooner than the smallest one of interest */
    const double effect = fmax(fabs(v->change.estimate), o->min_effect);
    const size_t needed =
        ttp_stats_runs_to_tell(effect > 0 ? effect : 0.01, noise, o->confidence, 0.8);

    /* enough by that count, and yet undecided: the true change is near a limit */
    return needed > n ? needed - n : n;
}

struct ttp_versus ttp_stats_versus(struct ttp_numbers a, struct ttp_numbers b,
                                   const struct ttp_versus_options *options,
                                   struct ttp_arena *scratch)
{
    struct ttp_versus_options o = *options;
    struct ttp_versus v = {.shift = {NAN, {NAN, NAN, 0}}, .change = {NAN, {NAN, NAN, 0}}};

    if (o.confidence == 0)
        o.confidence = 0.95;
    v.test = ttp_stats_rank_test(a.v, a.n, b.v, b.n, scratch);
    if (a.n == 0 || b.n == 0) {
        v.more_runs = ttp_stats_runs_to_tell(1, 0, o.confidence, 0.8);
        return v;
    }
    v.shift = ttp_stats_shift(a, b, o.confidence, scratch);
    v.change = relative(a, b, &v.shift, o.confidence, scratch);

    const struct ttp_interval *i = &v.change.interval;
    const bool enough = i->confidence >= o.confidence;
    const bool equal = v.shift.interval.low == 0 && v.shift.interval.high == 0;
    if (enough && (equal || (i->low > -o.min_effect && i->high < o.min_effect)))
        v.verdict = TTP_VERDICT_SAME;
    else if (enough && v.test.p <= 1 - o.confidence && (i->low > 0 || i->high < 0) &&
             fabs(v.change.estimate) >= o.min_effect)
        v.verdict = v.change.estimate < 0 ? TTP_VERDICT_LESS : TTP_VERDICT_MORE;
    else
        v.more_runs = runs_missing(&v, a, b, &o, scratch);
    return v;
}
