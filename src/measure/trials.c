/* SPDX-License-Identifier: Apache-2.0 */
/* trials.c - the loop: warm-ups, alternating rounds, interim tests.
 *
 * Looking again and again until something is significant finds something in noise too. So the looks
 * are planned ahead, each time with twice the runs, and each is compared with a part of the error:
 * with four looks at two pairs an error of 5 % is 0.625 % each (Bonferroni). */
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "measure/measure.h"
#include "measure/measure_internal.h"

#define TICK_NS 200000000u

double *ttp_measure_bench_values(size_t *n, const struct ttp_bench *b, size_t variant,
                                 size_t metric, struct ttp_arena *arena)
{
    double *v = TTP_NEW(arena, double, b->ntrials);

    *n = 0;
    for (size_t i = 0; i < b->ntrials; i++) {
        const struct ttp_trial *t = &b->trial[i];

        if (t->variant == variant && !t->warm_up && !t->failure && isfinite(t->value[metric]))
            v[(*n)++] = t->value[metric];
    }
    return v;
}

struct ttp_trial *ttp_measure_bench_add_trial(struct ttp_bench *b, size_t variant, size_t metrics,
                                              struct ttp_arena *arena)
{
    struct ttp_trial *t = TTP_PUSH(arena, b->trial, b->ntrials);
    *t = (struct ttp_trial){.variant = (uint32_t)variant, .machine = {NAN, NAN, NAN, NAN, NAN}};
    t->value = TTP_NEW(arena, double, metrics);
    for (size_t i = 0; i < metrics; i++)
        t->value[i] = NAN;
    return t;
}

struct ttp_versus ttp_measure_bench_versus(const struct ttp_bench *b, size_t variant, size_t metric,
                                           struct ttp_arena *scratch)
{
    const struct ttp_versus_options o = {.confidence = b->look_confidence,
                                         .min_effect = b->min_effect};
    size_t na, nb;
    const double *x = ttp_measure_bench_values(&na, b, 0, metric, scratch);
    const double *y = ttp_measure_bench_values(&nb, b, variant, metric, scratch);

    return ttp_stats_versus((struct ttp_numbers){x, na}, (struct ttp_numbers){y, nb}, &o, scratch);
}

/* ---- one trial ---- */

struct prepared {
    const char *path, *dir;
    const char *const *argv, *const *env;
};

struct measuring {
    struct ttp_bench *bench;
    const struct ttp_measure_options *options;
    struct ttp_signals *signals;
    struct ttp_arena *arena, *scratch; /* scratch is emptied before each trial */
    struct ttp_err *err;
    struct prepared *command; /* of each variant */
    struct prepared prepare;
    bool reads_output; /* a metric is looked for in what the command prints */
    size_t planned;
    uint64_t start_ns;
};

/* Programs say it in many ways, and the kernel says it by SIGKILL. */
static bool ran_out_of_memory(const struct ttp_child *c)
{
    static const char *const words[] = {"out of memory", "outofmemory",
                                        "bad_alloc",     "cannot allocate memory",
                                        "memoryerror",   "not enough space to allocate"};
    const ttp_str text[] = {c->errors, c->printed};

    for (size_t i = 0; i < TTP_COUNT(text); i++) {
        const size_t from = text[i].len > 65536 ? text[i].len - 65536 : 0;

        for (size_t at = from; at < text[i].len; at++)
            for (size_t w = 0; w < TTP_COUNT(words); w++) {
                const size_t n = strlen(words[w]);

                if (ttp_str_eq_any_case(ttp_str_slice(text[i], at, at + n), (ttp_str){words[w], n}))
                    return true;
            }
    }
    return false;
}

/* The last line that says something. */
static ttp_str last_words(const struct ttp_child *c)
{
    ttp_str rest = c->errors.len ? c->errors : c->printed, line, last = {0};

    if (rest.len > 4096)
        rest = ttp_str_slice(rest, rest.len - 4096, rest.len);
    while (ttp_str_next_line(&rest, &line))
        if (ttp_str_trim(line).len)
            last = ttp_str_trim(line);
    return ttp_str_slice(last, 0, 120);
}

static const char *describe_failure(const struct ttp_child *c, double timeout_s,
                                    struct ttp_arena *arena)
{
    const char *memory = ran_out_of_memory(c) ? "out of memory: " : "";
    const ttp_str words = last_words(c);
    char text[320];

    if (c->end == TTP_CHILD_TIMED_OUT)
        snprintf(text, sizeof(text), "took longer than %g s", timeout_s);
    else if (c->end == TTP_CHILD_INTERRUPTED)
        snprintf(text, sizeof(text), "interrupted");
    else if (c->end == TTP_CHILD_SIGNALED)
        snprintf(text, sizeof(text), "%sended by signal %d (%s)%s", memory, c->code,
                 strsignal(c->code),
                 c->code == SIGKILL && !*memory ? ", perhaps out of memory" : "");
    else
        snprintf(text, sizeof(text), "%sexit status %d%s%.*s", memory, c->code,
                 words.len ? ": " : "", TTP_FMT(words));
    return ttp_arena_zstr(arena, ttp_str_from(text));
}

static ttp_code fill_values(struct measuring *m, struct ttp_trial *t, const struct ttp_child *c)
{
    for (size_t i = 0; i < m->bench->nmetrics; i++) {
        struct ttp_metric *metric = &m->bench->metric[i];

        if (metric->kind == TTP_METRIC_WALL)
            t->value[i] = (double)c->wall_ns / 1e9;
        else if (metric->kind == TTP_METRIC_PRINTED)
            TTP_TRY(ttp_measure_metric_value(&t->value[i], metric,
                                             (struct ttp_command_output){c->printed, c->errors},
                                             m->arena, m->err));
        else if (m->options->value)
            TTP_TRY(m->options->value(m->options->arg, &t->value[i], i, c, m->err));
    }
    return TTP_OK;
}

static ttp_code run_child(struct ttp_child *out, const struct measuring *m,
                          const struct prepared *p)
{
    const struct ttp_child_options options = {.path = p->path,
                                              .argv = p->argv,
                                              .env = p->env,
                                              .dir = p->dir,
                                              .timeout_s = m->options->timeout_s,
                                              .tail = !m->reads_output,
                                              .show = m->options->show,
                                              .tick = m->options->during,
                                              .tick_arg = m->options->arg,
                                              .tick_ns = TICK_NS};

    return ttp_child_run(out, &options, m->signals, m->scratch, m->err);
}

static ttp_code run_prepare(struct measuring *m)
{
    struct ttp_child c;

    if (!m->prepare.path)
        return TTP_OK;
    TTP_TRY(run_child(&c, m, &m->prepare));
    if (c.end == TTP_CHILD_EXITED && c.code == 0)
        return TTP_OK;
    return ttp_fail(m->err, TTP_EPARSE, "the command to prepare a run failed: %s",
                    describe_failure(&c, m->options->timeout_s, m->arena));
}

/* How long what is left will take, by what was run. */
static void tell(const struct measuring *m, size_t variant)
{
    const struct ttp_bench *b = m->bench;

    if (!m->options->progress)
        return;
    const double spent_s = (double)(ttp_clock_ns() - m->start_ns) / 1e9;
    const struct ttp_measure_progress p = {
        .done = b->ntrials,
        .planned = m->planned,
        .seconds_left =
            b->ntrials ? spent_s / (double)b->ntrials * (double)(m->planned - b->ntrials) : -1,
        .variant = b->variant[variant].name,
    };
    m->options->progress(m->options->arg, &p);
}

/* Fails as the whole does: not for a failed command that is to be noted only. */
static ttp_code run_trial(struct measuring *m, size_t variant, bool warm_up)
{
    struct ttp_child c;

    tell(m, variant);
    ttp_arena_reset(m->scratch);
    TTP_TRY(run_prepare(m));
    struct ttp_trial *t =
        ttp_measure_bench_add_trial(m->bench, variant, m->bench->nmetrics, m->arena);
    t->warm_up = warm_up;
    if (m->options->before)
        m->options->before(m->options->arg, t);
    const ttp_code started = run_child(&c, m, &m->command[variant]);
    if (started != TTP_OK) {
        m->bench->ntrials--;
        return started;
    }
    t->end = c.end;
    t->code = c.code;
    t->start_ns = c.start_ns;
    t->wall_ns = c.wall_ns;
    t->user_ns = c.user_ns;
    t->system_ns = c.system_ns;
    t->max_rss_kb = c.max_rss_kb;
    if (m->options->after)
        m->options->after(m->options->arg, t);
    if (c.end != TTP_CHILD_EXITED || c.code != 0) {
        t->failure = describe_failure(&c, m->options->timeout_s, m->arena);
        if (c.end == TTP_CHILD_INTERRUPTED || m->options->go_on)
            return TTP_OK;
        return ttp_fail(m->err, TTP_EPARSE, "'%.60s' failed: %.160s",
                        m->bench->variant[variant].name, t->failure);
    }
    const ttp_code rc = fill_values(m, t, &c);
    if (rc != TTP_OK) {
        t->failure = ttp_arena_zstr(m->arena, ttp_str_from(m->err->text));
        m->err->code = TTP_EPARSE; /* not a command that is missing */
        return m->options->go_on ? TTP_OK : TTP_EPARSE;
    }
    return TTP_OK;
}

/* ---- rounds and looks ---- */

static size_t next_look(size_t runs, size_t max)
{
    return runs * 2 < max ? runs * 2 : max;
}

static unsigned count_looks(size_t min, size_t max)
{
    unsigned looks = 1;

    for (size_t runs = min; runs < max; runs = next_look(runs, max))
        looks++;
    return looks;
}

/* One variant: is its median known well enough? */
static bool narrow(const struct ttp_bench *b, size_t metric, struct ttp_arena *scratch)
{
    size_t n;
    const double *v = ttp_measure_bench_values(&n, b, 0, metric, scratch);
    const struct ttp_sample s = ttp_stats_sample(v, n, b->confidence, scratch);
    const double limit = b->min_effect * fabs(s.median);

    return n > 0 && s.median_interval.confidence >= b->confidence &&
           s.median_interval.high - s.median <= limit && s.median - s.median_interval.low <= limit;
}

/* Only the first metric decides when to stop: it is the one that was asked for first. */
static bool decided(const struct measuring *m)
{
    const struct ttp_bench *b = m->bench;
    bool all = true;

    ttp_arena_reset(m->scratch);
    if (b->nvariants == 1)
        return narrow(b, 0, m->scratch);
    for (size_t i = 1; all && i < b->nvariants; i++)
        all = ttp_measure_bench_versus(b, i, 0, m->scratch).verdict != TTP_VERDICT_UNDECIDED;
    return all;
}

static bool ended_early(const struct measuring *m)
{
    return m->bench->interrupted || (m->options->stop && *m->options->stop);
}

/* A B, then B A. */
static ttp_code run_round(struct measuring *m, size_t round, bool warm_up)
{
    const size_t n = m->bench->nvariants;

    for (size_t i = 0; i < n; i++) {
        TTP_TRY(run_trial(m, round % 2 ? n - 1 - i : i, warm_up));
        m->bench->interrupted = ttp_signals_check(m->signals);
        if (ended_early(m))
            return TTP_OK;
    }
    return TTP_OK;
}

static bool out_of_time(const struct measuring *m)
{
    return m->options->max_time_s > 0 &&
           (double)(ttp_clock_ns() - m->start_ns) / 1e9 >= m->options->max_time_s;
}

static const char *why_stopped(const struct measuring *m, bool is_decided)
{
    if (ended_early(m))
        return "interrupted";
    if (m->options->min_runs == m->options->max_runs)
        return "requested number of runs";
    if (is_decided)
        return m->bench->nvariants > 1 ? "decided" : "the median is precise enough";
    return out_of_time(m) ? "out of time" : "maximum number of runs";
}

static ttp_code run_rounds(struct measuring *m)
{
    const size_t min = m->options->min_runs, max = m->options->max_runs, n = m->bench->nvariants;
    size_t look_at = min;
    bool done = false;

    m->planned = (m->options->warm_ups + look_at) * n;
    for (size_t i = 0; i < m->options->warm_ups && !ended_early(m); i++)
        TTP_TRY(run_round(m, i, true));
    m->start_ns = ttp_clock_ns();
    for (size_t round = 0; !ended_early(m) && !done; round++) {
        TTP_TRY(run_round(m, round, false));
        /* one median may be looked at as often as one likes: nothing is tested */
        const bool look = round + 1 == look_at || (n == 1 && round + 1 >= min);
        if (!look || ended_early(m))
            continue;
        m->bench->looks++;
        done = decided(m) || round + 1 == max || out_of_time(m);
        if (round + 1 == look_at && !done)
            look_at = next_look(look_at, max);
        m->planned = (m->options->warm_ups + look_at) * n;
    }
    m->bench->stopped = why_stopped(m, done && decided(m));
    return TTP_OK;
}

/* ---- setting up ---- */

static ttp_code prepare_command(struct prepared *out, const struct ttp_variant *v,
                                struct ttp_arena *arena, struct ttp_err *err)
{
    const char *name = v->argv[0];

    /* "./model" is meant from where it runs */
    if (v->dir && name[0] != '/' && strchr(name, '/'))
        name = ttp_file_join(v->dir, name, arena);
    out->argv = v->argv;
    out->dir = v->dir;
    out->env = ttp_child_environment_without(v->own_git ? ttp_git_is_local_variable : NULL, &v->env,
                                             arena);
    return ttp_child_find(&out->path, name, out->env, arena, err);
}

ttp_code ttp_measure_run(struct ttp_bench *b, const struct ttp_measure_options *o,
                         struct ttp_signals *signals, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct measuring m = {.bench = b,
                          .options = o,
                          .signals = signals,
                          .arena = arena,
                          .scratch = &scratch,
                          .err = err,
                          .start_ns = ttp_clock_ns()};
    struct ttp_err own;
    const size_t pairs = b->nvariants > 1 ? b->nvariants - 1 : 1;

    if (!err) /* failures of trials are kept as text */
        m.err = err = &own;
    b->confidence = o->confidence;
    b->min_effect = o->min_effect;
    b->looks_planned = count_looks(o->min_runs, o->max_runs);
    b->look_confidence = 1 - (1 - o->confidence) / (double)(b->looks_planned * pairs);
    m.command = TTP_NEW(arena, struct prepared, b->nvariants);
    for (size_t i = 0; i < b->nvariants; i++)
        TTP_TRY(prepare_command(&m.command[i], &b->variant[i], arena, err));
    if (o->prepare) {
        const char **argv;

        TTP_TRY(ttp_measure_command_split(&argv, o->prepare, arena, err));
        TTP_TRY(prepare_command(&m.prepare, &(struct ttp_variant){.argv = argv}, arena, err));
    }
    for (size_t i = 0; i < b->nmetrics; i++)
        m.reads_output = m.reads_output || b->metric[i].kind == TTP_METRIC_PRINTED;
    b->start_ns = ttp_clock_unix_ns();
    const ttp_code rc = run_rounds(&m);
    b->end_ns = ttp_clock_unix_ns();
    ttp_arena_free(&scratch);
    return rc;
}
