/* SPDX-License-Identifier: Apache-2.0 */
/* tune_sweep.c - a space of parameters: every point must pass the gate before it is measured, and
 * the best of them is then tried against the best so far like any other change. */
#include <math.h>

#include "base/quantity.h"
#include "tune/tuner.h"

struct sweeping {
    struct ttp_tune *tune;
    struct ttp_sweep sweep[TTP_SWEEPS_MAX];
    size_t count, planned;
    const char *command; /* with {NAME} in it */
    struct ttp_tune_space configs;
    const struct ttp_tune_space *space; /* these, in place of parameters; NULL */
};

/* ---- parameters ---- */

static ttp_code parse_space(struct sweeping *w, const struct ttp_words *sweeps, struct ttp_err *err)
{
    w->count = sweeps->count;
    w->planned = 1;
    if (w->count > TTP_SWEEPS_MAX)
        return ttp_fail(err, TTP_EUSAGE, "more than %d parameters", TTP_SWEEPS_MAX);
    for (size_t i = 0; i < w->count; i++) {
        TTP_TRY(ttp_measure_sweep_parse(&w->sweep[i], sweeps->word[i], w->tune->arena, err));
        if (w->sweep[i].count > TTP_SWEEP_VALUES_MAX / w->planned)
            return ttp_fail(err, TTP_ELIMIT, "more than %d combinations", TTP_SWEEP_VALUES_MAX);
        w->planned *= w->sweep[i].count;
    }
    return TTP_OK;
}

/* The last parameter moves fastest. */
static struct ttp_words point_set(const struct sweeping *w, size_t number)
{
    struct ttp_arena *arena = w->tune->arena;
    struct ttp_words set = {0};

    if (w->space) {
        ttp_words_add(
            &set,
            ttp_tuner_text(arena, "%s=%s", TTP_TUNE_CONFIG_NAME, w->space->config[number].config),
            arena);
        return set;
    }
    set = (struct ttp_words){TTP_NEW(arena, const char *, w->count), w->count};
    for (size_t i = w->count; i > 0; i--) {
        const struct ttp_sweep *one = &w->sweep[i - 1];

        set.word[i - 1] =
            ttp_tuner_text(arena, "%s=%s", one->name, one->value[number % one->count]);
        number /= one->count;
    }
    return set;
}

static bool names_same(const char *a, const char *b)
{
    const size_t n = ttp_str_find_char(ttp_str_from(a), '=');

    return n != TTP_NPOS && strncmp(a, b, n + 1) == 0;
}

/* The Python of the config that the set names. */
static void add_python(struct ttp_words *set, const struct sweeping *w)
{
    for (size_t i = 0; w->space && set->count && i < w->space->configs; i++) {
        const struct ttp_tune_config *c = &w->space->config[i];
        const size_t name = strlen(TTP_TUNE_CONFIG_NAME "=");

        if (strcmp(set->word[0] + name, c->config) != 0)
            continue;
        ttp_words_add(
            set,
            ttp_arena_zstr(w->tune->arena, ttp_sink_format(w->tune->arena, "%s=%s",
                                                           TTP_TUNE_CONFIG_PYTHON, c->python)),
            w->tune->arena);
        return;
    }
}

/* The best so far with the values of the point in its environment and its command. */
static ttp_code point_side(struct ttp_tune_side *out, const struct sweeping *w,
                           const struct ttp_words *set, struct ttp_err *err)
{
    const struct ttp_tune_side *best = ttp_tune_best(&w->tune->session);
    struct ttp_arena *arena = w->tune->arena;
    const char **argv;
    struct ttp_words whole = {0};

    for (size_t k = 0; k < set->count; k++)
        ttp_words_add(&whole, set->word[k], arena);
    add_python(&whole, w);
    set = &whole;
    *out = (struct ttp_tune_side){.commit = best->commit};
    for (size_t i = 0; i < best->env.count; i++) {
        bool replaced = false;

        for (size_t k = 0; k < set->count; k++)
            replaced = replaced || names_same(set->word[k], best->env.word[i]);
        if (!replaced)
            ttp_words_add(&out->env, best->env.word[i], arena);
    }
    for (size_t k = 0; k < set->count; k++)
        ttp_words_add(&out->env, set->word[k], arena);
    TTP_TRY(ttp_measure_command_split(&argv, w->command, arena, err));
    const ttp_str command =
        ttp_measure_command_join(ttp_measure_sweep_fill(argv, set, arena), arena);
    out->command = ttp_arena_zstr(arena, command);
    return TTP_OK;
}

/* Whatever is wrong with a point is its result. */
static ttp_code judge_point(struct ttp_tune_point *p, const struct sweeping *w, struct ttp_err *err)
{
    struct ttp_tune *t = w->tune;
    struct ttp_tune_measured measured;
    struct ttp_tune_gate gate;
    struct ttp_tune_side side;
    struct ttp_bench bench;
    struct ttp_ready ready;

    p->value = NAN;
    p->reason = "";
    TTP_TRY(point_side(&side, w, &p->set, err));
    ttp_code rc = ttp_tune_side_prepare(&ready, t, &side, TTP_TREE_CANDIDATE, err);
    if (rc == TTP_OK)
        rc = ttp_tune_gate_run(&gate, t, &ready, err);
    if (rc == TTP_OK && !gate.pass) {
        p->reason = gate.reason;
        return TTP_OK;
    }
    const struct ttp_measuring m = {.side = {&ready, NULL},
                                    .name = {"point", NULL},
                                    .min_runs = t->session.setup.min_runs,
                                    .max_runs = t->session.setup.min_runs,
                                    .scatter = NAN};
    if (rc == TTP_OK)
        rc = ttp_tuner_measure(&measured, &bench, t, &m, err);
    if (rc == TTP_EPARSE) {
        p->reason = ttp_tuner_text(t->arena, "%s", err->text);
        *err = (struct ttp_err){0};
        return TTP_OK;
    }
    TTP_TRY(rc);
    p->pass = true;
    p->value = measured.of[0].side[0].median;
    return TTP_OK;
}

/* ---- configs that cannot win ---- */

/* The least time of the ops that points have shown so far: what the metric fell by, they fell by.
 * NAN: the metric is not device time, or nothing was measured. */
static double reached_us(const struct sweeping *w, const struct ttp_tune_change *c)
{
    const struct ttp_tune_session *s = &w->tune->session;
    const double now = ttp_tune_best_value(s, 0);
    double least = now;

    if (strcmp(s->at_start.of[0].metric, "device-time") != 0)
        return NAN;
    for (size_t i = 0; i < c->npoints; i++)
        if (c->point[i].pass && c->point[i].value < least)
            least = c->point[i].value;
    return w->space->op_us - (now - least) * 1e6;
}

/* Why config `number` need not run; NULL: it may win. The predictions have ranges: what is slower
 * at its best than what was reached, or than the worst of a config that has run, cannot. */
static const char *cannot_win(const struct sweeping *w, const struct ttp_tune_change *c,
                              size_t number)
{
    const struct ttp_tune_config *config = &w->space->config[number];
    const double reached = reached_us(w, c), ops = (double)w->space->op_ops;

    if (isfinite(reached))
        return config->low_us * ops >= reached
                   ? ttp_tuner_text(w->tune->arena,
                                    "not run: at best %.*s are predicted, %.*s are reached",
                                    TTP_FMT(ttp_time_us_text(config->low_us * ops, w->tune->arena)),
                                    TTP_FMT(ttp_time_us_text(reached, w->tune->arena)))
                   : NULL;
    for (size_t i = 0; i < c->npoints && i < w->space->configs; i++)
        if (c->point[i].pass && config->low_us >= w->space->config[i].high_us)
            return ttp_tuner_text(
                w->tune->arena,
                "not run: at best %.*s are predicted, at worst %.*s for "
                "one that ran",
                TTP_FMT(ttp_time_us_text(config->low_us, w->tune->arena)),
                TTP_FMT(ttp_time_us_text(w->space->config[i].high_us, w->tune->arena)));
    return NULL;
}

/* A command that does not read the variable runs the same every time. */
static void tell_ignored(const struct sweeping *w)
{
    const struct ttp_tune_change *c = ttp_tune_pending(&w->tune->session);
    const double now = ttp_tune_best_value(&w->tune->session, 0);
    double low = now, high = now;
    size_t n = 0;

    for (size_t i = 0; i < c->npoints; i++)
        if (c->point[i].pass) {
            low = fmin(low, c->point[i].value);
            high = fmax(high, c->point[i].value);
            n++;
        }
    if (w->space && n > 0 && high - low < fabs(high) * w->tune->session.setup.min_effect / 4)
        ttp_tuner_warn(w->tune, "no config changes the time: does the command read %s?",
                       TTP_TUNE_CONFIG_NAME);
}

static ttp_code run_points(const struct sweeping *w, struct ttp_err *err)
{
    struct ttp_tune *t = w->tune;

    for (;;) {
        const struct ttp_tune_change *c = ttp_tune_pending(&t->session);
        struct ttp_tune_point p = {0};
        struct ttp_ledger_record r;

        if (c->npoints >= w->planned)
            return TTP_OK;
        p.set = point_set(w, c->npoints);
        p.value = NAN;
        p.reason = w->space ? cannot_win(w, c, c->npoints) : NULL;
        if (!p.reason) {
            ttp_tuner_say(t, "point %zu of %zu: %s", c->npoints + 1, w->planned, p.set.word[0]);
            TTP_TRY(judge_point(&p, w, err));
        }
        ttp_tuner_record(&r, t, "point");
        ttp_ledger_point(&r, &p);
        TTP_TRY(ttp_tuner_append(t, &r, err));
    }
}

static size_t best_point(const struct ttp_tune_change *c, enum ttp_better better)
{
    size_t best = TTP_NPOS;

    for (size_t i = 0; i < c->npoints; i++) {
        const struct ttp_tune_point *p = &c->point[i];

        if (!p->pass || !isfinite(p->value))
            continue;
        if (best == TTP_NPOS || (better == TTP_BETTER_LOWER ? p->value < c->point[best].value
                                                            : p->value > c->point[best].value))
            best = i;
    }
    return best;
}

static bool none_ran(const struct ttp_tune_change *c)
{
    for (size_t i = 0; i < c->npoints; i++)
        if (strncmp(c->point[i].reason, "not run", strlen("not run")) != 0)
            return false;
    return c->npoints > 0;
}

/* The best point becomes the change; without one the sweep is over. */
static ttp_code choose_point(const struct sweeping *w, struct ttp_err *err)
{
    struct ttp_tune *t = w->tune;
    const struct ttp_tune_change *c = ttp_tune_pending(&t->session);
    const size_t best = best_point(c, t->session.at_start.of[0].better);
    struct ttp_tune_side side;
    struct ttp_sink detail;
    struct ttp_ledger_record r;

    if (best == TTP_NPOS) {
        ttp_tuner_record(&r, t, "decision");
        ttp_ledger_text(&r, "outcome", ttp_tune_outcome_name(TTP_TUNE_REVERTED));
        ttp_ledger_text(&r, "reason",
                        none_ran(c) ? "no predicted config can win" : "no point passes the gate");
        return ttp_tuner_append(t, &r, err);
    }
    TTP_TRY(point_side(&side, w, &c->point[best].set, err));
    ttp_sink_to_arena(&detail, t->arena);
    for (size_t i = 0; i < c->point[best].set.count; i++)
        ttp_sink_printf(&detail, "%s%s", i ? " " : "", c->point[best].set.word[i]);
    ttp_tuner_record(&r, t, "try");
    ttp_ledger_text(&r, "kind", ttp_tune_kind_name(TTP_TUNE_SWEEP));
    ttp_ledger_command(&r, "detail", ttp_arena_zstr(t->arena, ttp_sink_text(&detail)));
    ttp_ledger_u64(&r, "point", best);
    ttp_ledger_side(&r, &side);
    return ttp_tuner_append(t, &r, err);
}

static ttp_code begin_sweep(struct ttp_tune *t, const struct ttp_tune_sweep_request *q,
                            struct ttp_err *err)
{
    const struct ttp_tune_promise *promise = q->promise ? q->promise : &t->session.trial;
    struct sweeping w = {.tune = t};
    struct ttp_ledger_record r;

    if (!q->sweeps.count && !q->space.configs) {
        ttp_fail(err, TTP_EUSAGE, "nothing to sweep over");
        ttp_err_hint(err, "for example --set BATCH=8,16,32, or --configs");
        return TTP_EUSAGE;
    }
    if (!q->space.configs)
        TTP_TRY(parse_space(&w, &q->sweeps, err));
    ttp_tuner_step(t);
    ttp_tuner_record(&r, t, "sweep");
    ttp_ledger_told(&r, "title",
                    q->title           ? q->title
                    : q->space.configs ? ttp_tuner_text(t->arena, "configs of %s", q->space.op)
                                       : "sweep");
    ttp_ledger_command(&r, "detail", q->command ? q->command : ttp_tune_best(&t->session)->command);
    ttp_ledger_settings(&r, "sweeps", &q->sweeps);
    ttp_ledger_space(&r, &q->space);
    if (promise->rule) {
        ttp_ledger_promise(&r, promise);
        ttp_ledger_text(&r, "step", promise->step);
    }
    return ttp_tuner_append(t, &r, err);
}

/* The pending sweep, a new one if there is none. */
static ttp_code open_sweep(struct sweeping *w, const struct ttp_tune_sweep_request *request,
                           struct ttp_err *err)
{
    const struct ttp_tune_change *pending = ttp_tune_pending(&w->tune->session);

    if (pending && (pending->kind != TTP_TUNE_SWEEP ||
                    (request->title && strcmp(request->title, pending->title) != 0)))
        return ttp_tuner_refuse_second(pending, err);
    if (!pending)
        TTP_TRY(begin_sweep(w->tune, request, err));
    pending = ttp_tune_pending(&w->tune->session);
    w->command = pending->detail;
    if (pending->space.configs == 0)
        return parse_space(w, &pending->sweeps, err);
    w->configs = pending->space;
    w->space = &w->configs;
    w->planned = pending->space.configs;
    return TTP_OK;
}

ttp_code ttp_tune_sweep(const struct ttp_tune_change **out, struct ttp_tune *t,
                        const struct ttp_tune_sweep_request *request, struct ttp_err *err)
{
    struct sweeping w = {.tune = t};

    TTP_TRY(ttp_tuner_may_try(t, request->force, err));
    TTP_TRY(open_sweep(&w, request, err));
    if (!ttp_tune_pending(&t->session)->side.command) {
        TTP_TRY(run_points(&w, err));
        tell_ignored(&w);
        TTP_TRY(choose_point(&w, err));
    }
    TTP_TRY(ttp_tune_pending(&t->session) ? ttp_tuner_decide(t, err) : ttp_tuner_settle(t, err));
    *out = &t->session.change[t->session.count - 1];
    return TTP_OK;
}
