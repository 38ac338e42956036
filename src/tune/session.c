/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - the results of a session, and the rule that decides. */
#include <math.h>
#include <stdio.h>

#include "tune/tune.h"
#include "tune/tuner.h"

struct ttp_tune_change *ttp_tune_pending(const struct ttp_tune_session *s)
{
    if (s->count == 0 || s->change[s->count - 1].outcome != TTP_TUNE_PENDING)
        return NULL;
    return &s->change[s->count - 1];
}

const struct ttp_tune_change *ttp_tune_last_kept(const struct ttp_tune_session *s)
{
    for (size_t i = s->count; i > 0; i--)
        if (s->change[i - 1].outcome == TTP_TUNE_KEPT)
            return &s->change[i - 1];
    return NULL;
}

const struct ttp_tune_side *ttp_tune_best(const struct ttp_tune_session *s)
{
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    return kept ? &kept->side : &s->baseline;
}

double ttp_tune_start_value(const struct ttp_tune_session *s, size_t metric)
{
    if (metric < s->at_end.count)
        return s->at_end.of[metric].side[0].median;
    return metric < s->at_start.count ? s->at_start.of[metric].side[0].median : NAN;
}

double ttp_tune_best_value(const struct ttp_tune_session *s, size_t metric)
{
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    if (metric < s->at_end.count)
        return s->at_end.of[metric].side[1].median;
    if (kept && metric < kept->measured.count)
        return kept->measured.of[metric].side[1].median;
    return ttp_tune_start_value(s, metric);
}

const struct ttp_tune_gate *ttp_tune_last_check(const struct ttp_tune_session *s)
{
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    if (s->gate_at_end.ran)
        return &s->gate_at_end;
    return kept ? &kept->gate : &s->gate_at_start;
}

const struct ttp_tune_profile *ttp_tune_best_profile(const struct ttp_tune_session *s)
{
    const struct ttp_tune_change *kept = ttp_tune_last_kept(s);

    return kept ? &kept->profile : &s->profile;
}

/* The median of n values deviates 1.2533 times as much as their mean, for normal data. */
double ttp_tune_noise(const double scatter[2], const size_t n[2])
{
    double sum = 0;

    for (size_t i = 0; i < 2; i++) {
        if (!(scatter[i] >= 0) || n[i] == 0)
            return NAN;
        sum += scatter[i] * scatter[i] / (double)n[i];
    }
    return 1.2533 * sqrt(sum);
}

/* ---- the rule ---- */

struct verdict {
    char text[320];
    enum ttp_tune_outcome outcome;
};

static void say_change(char *out, size_t size, const struct ttp_tune_figures *f)
{
    snprintf(out, size, "%s %+.2f %% (between %+.2f and %+.2f), p = %.2g", f->metric,
             f->change * 100, f->low * 100, f->high * 100, f->p);
}

static struct verdict judge(const struct ttp_tune_measured *m, double min_effect)
{
    const struct ttp_tune_figures *f = &m->of[0];
    const double noise = isfinite(m->noise) ? m->noise : 0, needed = fmax(min_effect, 2 * noise);
    const bool lower = f->better == TTP_BETTER_LOWER;
    const double gain = lower ? -f->change : f->change;
    const bool better = f->verdict == (lower ? TTP_VERDICT_LESS : TTP_VERDICT_MORE);
    const bool worse = f->verdict == (lower ? TTP_VERDICT_MORE : TTP_VERDICT_LESS);
    const double scatter = fmax(f->side[0].scatter, f->side[1].scatter);
    struct verdict v = {.outcome = TTP_TUNE_UNDECIDED};
    char change[160];

    say_change(change, sizeof(change), f);
    if (!isfinite(f->change)) {
        snprintf(v.text, sizeof(v.text), "undecided: %s has no median to compare", f->metric);
    } else if (worse && -gain > needed) {
        v.outcome = TTP_TUNE_REVERTED;
        snprintf(v.text, sizeof(v.text), "worse: %s", change);
    } else if (better && gain > needed) {
        v.outcome = TTP_TUNE_KEPT;
        snprintf(v.text, sizeof(v.text), "better: %s; more than %.2g %% was required", change,
                 needed * 100);
    } else if (f->verdict == TTP_VERDICT_SAME && !(scatter > min_effect / 2)) {
        v.outcome = TTP_TUNE_REVERTED;
        snprintf(v.text, sizeof(v.text),
                 "no gain: %s; the same within %.2g %%, and a tie keeps the simpler state", change,
                 min_effect * 100);
    } else if (better || worse) {
        snprintf(v.text, sizeof(v.text),
                 "undecided: %s; not more than %.2g %%, the larger of --min-effect and twice the "
                 "noise",
                 change, needed * 100);
    } else if (f->more_runs) {
        snprintf(v.text, sizeof(v.text),
                 "undecided: %s; single runs vary by %.2g %%; about %zu more runs per side would "
                 "decide",
                 change, scatter * 100, f->more_runs);
    } else {
        snprintf(v.text, sizeof(v.text), "undecided: %s; single runs vary by %.2g %%", change,
                 scatter * 100);
    }
    return v;
}

enum ttp_tune_outcome ttp_tune_decide(const char **reason, const struct ttp_tune_measured *m,
                                      double min_effect, struct ttp_arena *arena)
{
    const struct verdict v = judge(m, min_effect);

    *reason = ttp_arena_zstr(arena, ttp_str_from(v.text));
    return v.outcome;
}
