/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.c - the constants of a board from measured matmuls: a bounded coordinate search that
 * begins at the current constants, with a penalty for the distance from them. */
#include <math.h>

#include "base/order.h"

#include "cost/cost.h"

#define LEAST_SAMPLES 10
#define PRIOR         0.002 /* per factor of two, as in the fit of the shipped constants */
#define FARTHEST      4.0   /* a constant beyond that is a fault of the data */
#define FOLDS         5     /* of a single run */

struct fitting {
    const struct ttp_cost_sample *sample;
    size_t samples;
    const uint32_t *part; /* of each sample */
    uint32_t without;     /* part that is held out; UINT32_MAX: none */
    const struct ttp_cost_value *prior;
    struct ttp_cost_value value[TTP_COSTS];
};

static bool predict(double *ns, const struct ttp_cost_sample *s, const struct ttp_cost_value *value)
{
    struct ttp_matmul p = s->problem;
    struct ttp_matmul_time time;

    p.chip.cost = value;
    if (!ttp_cost_matmul(&time, &p, &s->config))
        return false;
    *ns = time.ns;
    return isfinite(time.ns) && time.ns > 0;
}

static double error_of(const struct ttp_cost_sample *s, const struct ttp_cost_value *value)
{
    double ns;

    return predict(&ns, s, value) ? fabs(log2(ns / s->ns)) : 0;
}

static double objective(const struct fitting *f)
{
    double sum = 0, away = 0;
    size_t n = 0;

    for (size_t i = 0; i < f->samples; i++)
        if (f->part[i] != f->without) {
            sum += error_of(&f->sample[i], f->value);
            n++;
        }
    for (size_t i = 0; i < TTP_COSTS; i++)
        away += fabs(log2(f->value[i].value / f->prior[i].value));
    /* few samples count for less than the many that the constants were fitted on */
    const double weight = n ? fmax(1, (double)f->prior[0].groups / (double)n) : 1;
    return (n ? sum / (double)n : 0) + PRIOR * weight * away;
}

/* Try a constant larger and smaller; true: one of them was better. */
static bool step(struct fitting *f, size_t which, double factor, double *best)
{
    const double old = f->value[which].value, prior = f->prior[which].value;

    for (int down = 0; down < 2; down++) {
        const double v = down ? old / factor : old * factor;

        if (v > prior * FARTHEST || v < prior / FARTHEST)
            continue;
        f->value[which].value = v;
        const double now = objective(f);
        if (now < *best - 1e-9) {
            *best = now;
            return true;
        }
    }
    f->value[which].value = old;
    return false;
}

static void search(struct fitting *f)
{
    static const double factors[] = {1.3, 1.1, 1.03};

    memcpy(f->value, f->prior, sizeof(f->value));
    double best = objective(f);
    for (size_t k = 0; k < TTP_COUNT(factors); k++)
        for (int round = 0; round < 8; round++) {
            bool moved = false;

            for (size_t i = 0; i < TTP_COSTS; i++)
                while (step(f, i, factors[k], &best))
                    moved = true;
            if (!moved)
                break;
        }
}

static double quantile(const double *sorted, size_t n, double part)
{
    const double at = part * (double)(n - 1);
    const size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;

    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

static struct ttp_cost_errors summary(double *error, size_t n)
{
    TTP_SORT(error, n, ttp_by_f64);
    return (struct ttp_cost_errors){quantile(error, n, 0.5), quantile(error, n, 0.9)};
}

static struct ttp_cost_errors errors(const struct fitting *f, const struct ttp_cost_value *value,
                                     double *scratch)
{
    for (size_t i = 0; i < f->samples; i++)
        scratch[i] = error_of(&f->sample[i], value);
    return summary(scratch, f->samples);
}

/* Each run is a part; a single run is cut into fifths. */
static size_t cut(uint32_t *part, const struct ttp_cost_sample *sample, size_t n)
{
    uint32_t runs = 0;

    for (size_t i = 0; i < n; i++) {
        part[i] = sample[i].source;
        if (part[i] >= runs)
            runs = part[i] + 1;
    }
    if (runs > 1)
        return runs;
    for (size_t i = 0; i < n; i++)
        part[i] = (uint32_t)(i % FOLDS);
    return FOLDS;
}

static struct ttp_cost_errors hold_out(struct fitting *f, size_t parts, double *scratch)
{
    for (uint32_t p = 0; p < parts; p++) {
        f->without = p;
        search(f);
        for (size_t i = 0; i < f->samples; i++)
            if (f->part[i] == p)
                scratch[i] = error_of(&f->sample[i], f->value);
    }
    return summary(scratch, f->samples);
}

ttp_code ttp_cost_calibrate(struct ttp_cost_fit *out, const struct ttp_cost_sample *sample,
                            size_t samples, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_cost_sample *kept = TTP_NEW(arena, struct ttp_cost_sample, samples);
    uint32_t *part = TTP_NEW(arena, uint32_t, samples);
    double *scratch = TTP_NEW(arena, double, samples);
    struct fitting f = {.sample = kept, .part = part, .without = UINT32_MAX};
    double ns;

    *out = (struct ttp_cost_fit){0};
    for (size_t i = 0; i < samples; i++) {
        const struct ttp_cost_value *cost = sample[i].problem.chip.cost;

        if (cost && sample[i].ns > 0 && predict(&ns, &sample[i], cost))
            kept[f.samples++] = sample[i];
    }
    if (f.samples < LEAST_SAMPLES)
        return ttp_fail(err, TTP_ENOTFOUND,
                        "%zu different matmuls have a time and a known config: at least %d are "
                        "required",
                        f.samples, LEAST_SAMPLES);
    f.prior = kept[0].problem.chip.cost;
    out->samples = f.samples;
    out->parts = cut(part, kept, f.samples);
    out->before = errors(&f, f.prior, scratch);
    out->held_out = hold_out(&f, out->parts, scratch);
    f.without = UINT32_MAX;
    search(&f);
    out->after = errors(&f, f.value, scratch);
    for (size_t i = 0; i < TTP_COSTS; i++) {
        out->old_value[i] = f.prior[i].value;
        out->value[i] = f.value[i];
    }
    return TTP_OK;
}

/* ---- fields ---- */

#define GET(name, value) TTP_GET(name, void, struct ttp_cost_row, value)
GET(id, ttp_value_word(ttp_cost_specs[r->constant].id))
GET(title, ttp_value_word(ttp_cost_specs[r->constant].title))
GET(unit, ttp_value_word(ttp_cost_specs[r->constant].unit))
GET(before, ttp_value_f64(r->fit->old_value[r->constant]))
GET(after, ttp_value_f64(r->fit->value[r->constant].value))
GET(change,
    ttp_value_f64(100 * (r->fit->value[r->constant].value / r->fit->old_value[r->constant] - 1)))

static const struct ttp_field fields[] = {
    TTP_WORDS_COLUMN("constant", "Constant", 0, .get = id, .help = "its name in the boards file"),
    TTP_REAL_COLUMN("before", "Before", "", 3, 0, .get = before, .help = "the previous value"),
    TTP_REAL_COLUMN("after", "After", "", 3, 0, .get = after, .help = "the fitted value"),
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 0, .get = change,
                    .help = "change between the two"),
    TTP_WORDS_COLUMN("unit", "Unit", 0, .get = unit, .help = "of the values"),
    TTP_WORDS_COLUMN("meaning", "Meaning", 0, .get = title, .help = "what it is"),
};

const struct ttp_fields ttp_cost_fields = {TTP_FIELDS(fields), .hint = "see docs/config.md"};
