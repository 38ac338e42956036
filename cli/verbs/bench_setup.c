/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/bench_setup.h"

#include "base/secrets.h"

/* ---- metrics ---- */

static ttp_code add_metric(struct ttp_bench *b, const char *text, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    if (b->nmetrics == TTP_METRICS_MAX)
        return ttp_fail(err, TTP_EUSAGE, "more than %d metrics", TTP_METRICS_MAX);
    TTP_TRY(ttp_measure_metric_parse(&b->metric[b->nmetrics], text, arena, err));
    b->nmetrics++;
    return TTP_OK;
}

static bool has_time(const struct ttp_bench *b)
{
    for (size_t i = 0; i < b->nmetrics; i++)
        if (b->metric[i].kind == TTP_METRIC_WALL)
            return true;
    return false;
}

static ttp_code make_metrics(struct ttp_bench *b, const struct bench_opts *o,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    b->metric = TTP_NEW(arena, struct ttp_metric, TTP_METRICS_MAX);
    for (size_t i = 0; i < o->metrics.count; i++)
        TTP_TRY(add_metric(b, o->metrics.word[i], arena, err));
    /* wall time is always there for a sweep: its latency, if no printed value is one */
    if (b->nmetrics == 0 || (o->sweeps.count && !has_time(b)))
        TTP_TRY(add_metric(b, "wall", arena, err));
    return TTP_OK;
}

/* ---- variants ---- */

static const char *const *copy_argv(const char *const *argv, struct ttp_arena *arena)
{
    size_t n = 0;

    while (argv[n])
        n++;
    const char **copy = TTP_NEW(arena, const char *, n + 1);
    memcpy(copy, argv, n * sizeof(*copy));
    return copy;
}

static const char *command_name(const char *const *argv, struct ttp_arena *arena)
{
    return ttp_arena_zstr(arena,
                          ttp_measure_command_join(ttp_secrets_mask_words(argv, arena), arena));
}

/* Those of --compare, then the one after "--". */
static ttp_code variants_of_commands(struct ttp_bench *b, const struct bench_opts *o,
                                     const char *const *argv, struct ttp_arena *arena,
                                     struct ttp_err *err)
{
    b->variant = TTP_NEW(arena, struct ttp_variant, o->compare.count + 1);
    for (size_t i = 0; i < o->compare.count; i++) {
        const char **words;

        TTP_TRY(ttp_measure_command_split(&words, o->compare.word[i], arena, err));
        b->variant[b->nvariants++] =
            (struct ttp_variant){.name = command_name(words, arena), .argv = words};
    }
    if (argv)
        b->variant[b->nvariants++] =
            (struct ttp_variant){.name = command_name(argv, arena), .argv = copy_argv(argv, arena)};
    return TTP_OK;
}

static struct ttp_variant *find_variant(struct ttp_bench *b, ttp_str name)
{
    for (size_t i = 0; i < b->nvariants; i++)
        if (ttp_str_eq(ttp_str_from(b->variant[i].name), name))
            return &b->variant[i];
    return NULL;
}

/* NAME=ENV=VALUE; the same name again adds to it; NAME= is the plain environment. */
static ttp_code add_variant(struct ttp_bench *b, const char *text, const char *const *argv,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const ttp_str all = ttp_str_from(text);
    const size_t sign = ttp_str_find_char(all, '=');
    const ttp_str name = ttp_str_slice(all, 0, sign);
    const ttp_str set = ttp_str_slice(all, sign == TTP_NPOS ? all.len : sign + 1, all.len);

    if (sign == TTP_NPOS || name.len == 0 ||
        (set.len && (ttp_str_find_char(set, '=') == TTP_NPOS || set.ptr[0] == '='))) {
        ttp_fail(err, TTP_EUSAGE, "--variant '%.80s' is not NAME=VARIABLE=VALUE", text);
        ttp_err_hint(err, "for example --variant one=TT_METAL_CQ=1; NAME= changes nothing");
        return TTP_EUSAGE;
    }
    struct ttp_variant *v = find_variant(b, name);
    if (!v) {
        v = &b->variant[b->nvariants++];
        *v = (struct ttp_variant){.name = ttp_arena_zstr(arena, name), .argv = argv};
    }
    if (set.len)
        ttp_words_add(&v->env, ttp_arena_zstr(arena, set), arena);
    return TTP_OK;
}

static ttp_code variants_of_environment(struct ttp_bench *b, const struct bench_opts *o,
                                        const char *const *argv, struct ttp_arena *arena,
                                        struct ttp_err *err)
{
    b->variant = TTP_NEW(arena, struct ttp_variant, o->variants.count + 1);
    argv = copy_argv(argv, arena);
    for (size_t i = 0; i < o->variants.count; i++)
        TTP_TRY(add_variant(b, o->variants.word[i], argv, arena, err));
    if (b->nvariants > 1)
        return TTP_OK;
    /* one alone is compared with things as they are */
    b->variant[1] = b->variant[0];
    b->variant[0] = (struct ttp_variant){.name = "as it is", .argv = argv};
    b->nvariants = 2;
    return TTP_OK;
}

ttp_code bench_setup(struct ttp_bench *b, const struct bench_opts *o, const char *const *argv,
                     struct ttp_arena *arena, struct ttp_err *err)
{
    if (o->variants.count && o->compare.count)
        return ttp_fail(err, TTP_EUSAGE, "--variant conflicts with --compare");
    if (o->sweeps.count && (o->compare.count || o->variants.count))
        return ttp_fail(err, TTP_EUSAGE,
                        "--sweep takes one command; it conflicts with --compare and --variant");
    if (!argv && (o->variants.count || o->sweeps.count || o->compare.count < 2)) {
        ttp_fail(err, TTP_EUSAGE, "no command to run");
        ttp_err_hint(err, "put it after '--': tt-perf bench -- CMD");
        return TTP_EUSAGE;
    }
    TTP_TRY(make_metrics(b, o, arena, err));
    if (o->variants.count)
        return variants_of_environment(b, o, argv, arena, err);
    return variants_of_commands(b, o, argv, arena, err);
}

ttp_code bench_sweeps(struct ttp_sweep **out, const struct bench_opts *o, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    if (o->sweeps.count > TTP_SWEEPS_MAX)
        return ttp_fail(err, TTP_EUSAGE, "more than %d parameters", TTP_SWEEPS_MAX);
    *out = TTP_NEW(arena, struct ttp_sweep, o->sweeps.count);
    for (size_t i = 0; i < o->sweeps.count; i++)
        TTP_TRY(ttp_measure_sweep_parse(&(*out)[i], o->sweeps.word[i], arena, err));
    return TTP_OK;
}

ttp_code bench_measure_options(struct ttp_measure_options *out, const struct bench_opts *o,
                               struct ttp_err *err)
{
    struct trial_opts t;

    TTP_TRY(trial_settle(&t, &o->trials, err));
    *out = (struct ttp_measure_options){.warm_ups = (size_t)t.warm_ups,
                                        .min_runs = (size_t)t.min_runs,
                                        .max_runs = (size_t)t.max_runs,
                                        .max_time_s = t.max_time_s,
                                        .confidence = t.confidence,
                                        .min_effect = o->min_effect,
                                        .timeout_s = t.timeout_s,
                                        .show = o->place.show,
                                        .go_on = o->go_on,
                                        .prepare = o->prepare};
    return TTP_OK;
}
