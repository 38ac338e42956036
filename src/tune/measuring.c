/* SPDX-License-Identifier: Apache-2.0 */
/* measuring.c - measures both sides alternately, and watches the machine. */
#include <math.h>

#include "base/file.h"
#include "base/temp_dir.h"
#include "tune/tuner.h"

struct watching {
    const struct ttp_tune *tune;
    const struct ttp_bench *bench;
    struct ttp_recording recording; /* dir NULL: nothing is recorded */
    struct ttp_guard *guard;        /* NULL: the machine is not watched */
    size_t tainted;
    const char *taint;
};

static void before_run(void *arg, const struct ttp_trial *trial)
{
    struct watching *w = arg;

    (void)trial;
    if (w->guard)
        ttp_measure_guard_before(w->guard);
}

static void during_run(void *arg)
{
    struct watching *w = arg;

    if (w->guard)
        ttp_measure_guard_during(w->guard);
    if (w->tune->options.hooks.tick)
        w->tune->options.hooks.tick(w->tune->options.hooks.arg);
}

static void after_run(void *arg, struct ttp_trial *trial)
{
    struct watching *w = arg;

    if (!w->guard)
        return;
    ttp_measure_guard_after(w->guard, trial);
    if (trial->taint && !trial->warm_up)
        w->taint = w->tainted++ ? w->taint : trial->taint;
}

static void show_progress(void *arg, const struct ttp_measure_progress *p)
{
    const struct watching *w = arg;

    if (w->tune->options.hooks.progress)
        w->tune->options.hooks.progress(w->tune->options.hooks.arg, p);
}

/* ---- recordings ---- */

static ttp_code recorded_value(void *arg, double *out, size_t metric, const struct ttp_child *child,
                               struct ttp_err *err)
{
    const struct watching *w = arg;
    const ttp_code rc = ttp_tune_recorded_value(out, &w->bench->metric[metric], &w->recording, err);

    (void)child;
    ttp_temp_dir_remove(w->recording.dir, false);
    return rc;
}

/* Ops and their times, and nothing else that would take time. */
static ttp_code open_recording(struct watching *w, const struct ttp_tune *t, struct ttp_err *err)
{
    const char *dir = ttp_file_join(t->place.state, "recording", t->arena);

    if (!ttp_measure_metric_is_recorded(&w->bench->metric[0]))
        return TTP_OK;
    if (!t->options.program)
        return ttp_fail(err, TTP_EUSAGE,
                        "'%.40s' requires 'tt-perf record', which this build lacks",
                        w->bench->metric[0].name);
    w->recording = (struct ttp_recording){.program = t->options.program,
                                          .dir = dir,
                                          .mode = "ops",
                                          .window = t->session.setup.window,
                                          .boards = t->options.boards,
                                          .signals = t->options.signals};
    TTP_TRY(ttp_file_make_dirs(dir, err));
    ttp_temp_dir_remove(dir, false); /* of a command that was cut off */
    return TTP_OK;
}

static void add_side(struct ttp_bench *bench, const struct watching *w,
                     const struct ttp_ready *side, const char *name)
{
    const struct ttp_tune *t = w->tune;

    bench->variant[bench->nvariants++] = (struct ttp_variant){
        .name = name,
        .argv = w->recording.dir ? ttp_tune_recorded_argv(side->argv, &w->recording, t->arena)
                                 : side->argv,
        .env = side->env,
        .dir = side->dir,
        .own_git = t->place.git};
}

ttp_code ttp_tuner_machine(const char **out, const struct ttp_tune *t, struct ttp_err *err)
{
    struct ttp_guard *guard;
    struct ttp_fingerprint print;

    *out = "";
    if (t->options.no_guard)
        return TTP_OK;
    TTP_TRY(ttp_measure_guard_open(&guard, t->options.root, t->options.boards, t->arena, err));
    ttp_measure_guard_fingerprint(&print, guard);
    *out = ttp_arena_zstr(t->arena, print.key);
    ttp_measure_guard_close(guard);
    return TTP_OK;
}

/* ---- figures ---- */

static struct ttp_tune_stat stat_of(const struct ttp_bench *b, size_t variant, size_t metric,
                                    struct ttp_arena *arena)
{
    size_t n;
    const double *v = ttp_measure_bench_values(&n, b, variant, metric, arena);
    const struct ttp_sample s = ttp_stats_sample(v, n, b->confidence, arena);
    const double mad = n ? ttp_stats_mad(ttp_stats_sorted(v, n, arena), n, arena) : NAN;

    return (struct ttp_tune_stat){.n = n,
                                  .min = s.min,
                                  .median = s.median,
                                  .mean = s.mean,
                                  .sd = s.sd,
                                  .p95 = s.p95,
                                  .scatter = s.median != 0 ? 1.4826 * mad / fabs(s.median) : NAN};
}

static void fill_figures(struct ttp_tune_figures *f, const struct ttp_bench *b, size_t metric,
                         struct ttp_arena *arena)
{
    const struct ttp_metric *m = &b->metric[metric];
    const size_t second = b->nvariants > 1 ? 1 : 0;

    *f = (struct ttp_tune_figures){
        .metric = m->name,
        .unit = m->unit,
        .better = m->better,
        .side = {stat_of(b, 0, metric, arena), stat_of(b, second, metric, arena)},
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .p = NAN};
    if (!second || f->side[0].n == 0 || f->side[1].n == 0)
        return;
    const struct ttp_versus v = ttp_measure_bench_versus(b, 1, metric, arena);
    f->change = f->side[1].median / f->side[0].median - 1;
    f->low = v.change.interval.low;
    f->high = v.change.interval.high;
    f->p = v.test.p;
    f->verdict = v.verdict;
    f->more_runs = v.more_runs;
}

static double larger_known(double a, double b)
{
    return isfinite(a) && isfinite(b) ? fmax(a, b) : isfinite(a) ? a : b;
}

static void fill_measured(struct ttp_tune_measured *out, const struct ttp_bench *b,
                          const struct ttp_measuring *m, const struct watching *w,
                          struct ttp_arena *arena)
{
    *out = (struct ttp_tune_measured){.count = b->nmetrics, .tainted = w->tainted};
    if (w->taint)
        out->taint = ttp_arena_zstr(arena, ttp_str_from(w->taint));
    for (size_t i = 0; i < b->nmetrics; i++)
        fill_figures(&out->of[i], b, i, arena);
    const struct ttp_tune_figures *f = &out->of[0];
    double scatter[2];
    for (size_t i = 0; i < 2; i++) {
        const double known = larger_known(m->scatter, f->side[i].scatter);

        scatter[i] = isfinite(known) ? known : 0;
    }
    out->noise = ttp_tune_noise(scatter, (size_t[]){f->side[0].n, f->side[1].n});
}

ttp_code ttp_tuner_measure(struct ttp_tune_measured *out, struct ttp_bench *bench,
                           struct ttp_tune *t, const struct ttp_measuring *m, struct ttp_err *err)
{
    const struct ttp_tune_setup *setup = &t->session.setup;
    struct watching w = {.tune = t, .bench = bench};
    const struct ttp_measure_options o = {.warm_ups = setup->warm_ups,
                                          .min_runs = m->min_runs,
                                          .max_runs = m->max_runs,
                                          .max_time_s = setup->max_time_s,
                                          .confidence = setup->confidence,
                                          .min_effect = setup->min_effect,
                                          .timeout_s = setup->timeout_s,
                                          .show = t->options.show,
                                          .before = before_run,
                                          .during = during_run,
                                          .after = after_run,
                                          .value = recorded_value,
                                          .progress = show_progress,
                                          .arg = &w};
    ttp_code rc;

    *out = (struct ttp_tune_measured){0};
    *bench = (struct ttp_bench){.metric = TTP_NEW(t->arena, struct ttp_metric, TTP_TUNE_METRICS),
                                .variant = TTP_NEW(t->arena, struct ttp_variant, 2)};
    rc = ttp_measure_metric_parse(&bench->metric[bench->nmetrics++], setup->metric, t->arena, err);
    if (rc == TTP_OK && bench->metric[0].kind != TTP_METRIC_WALL)
        rc = ttp_measure_metric_parse(&bench->metric[bench->nmetrics++], "wall", t->arena, err);
    if (rc == TTP_OK)
        rc = open_recording(&w, t, err);
    for (size_t i = 0; rc == TTP_OK && i < 2 && m->side[i]; i++)
        add_side(bench, &w, m->side[i], m->name[i]);
    if (rc == TTP_OK && !t->options.no_guard)
        rc = ttp_measure_guard_open(&w.guard, t->options.root, t->options.boards, t->arena, err);
    if (rc == TTP_OK)
        rc = ttp_measure_run(bench, &o, t->options.signals, t->arena, err);
    if (rc == TTP_OK && bench->interrupted)
        rc = ttp_fail(err, TTP_EIO, "interrupted");
    if (rc == TTP_OK)
        fill_measured(out, bench, m, &w, t->arena);
    if (w.guard)
        ttp_measure_guard_close(w.guard);
    if (w.recording.dir)
        ttp_temp_dir_remove(w.recording.dir, true);
    for (size_t i = 0; i < bench->nmetrics; i++)
        ttp_measure_metric_clear(&bench->metric[i]);
    return rc;
}
