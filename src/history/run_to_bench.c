/* SPDX-License-Identifier: Apache-2.0 */
/* run_to_bench.c - a run of the history as a bench result, for its writers. */
#include "history/history.h"

static size_t find_variant(struct ttp_bench *b, const char *name)
{
    size_t v = 0;

    while (v < b->nvariants && strcmp(b->variant[v].name, name) != 0)
        v++;
    if (v == b->nvariants)
        b->variant[b->nvariants++] = (struct ttp_variant){.name = name};
    return v;
}

static size_t find_metric(struct ttp_bench *b, const struct ttp_run_measure *m,
                          struct ttp_arena *arena)
{
    size_t k = 0;

    while (k < b->nmetrics && !ttp_str_eq(ttp_str_from(b->metric[k].name), m->metric))
        k++;
    if (k == b->nmetrics)
        b->metric[b->nmetrics++] = (struct ttp_metric){
            .kind = TTP_METRIC_OTHER,
            .name = ttp_arena_zstr(arena, m->metric),
            .unit = ttp_arena_zstr(arena, m->unit),
            .better = m->better,
        };
    return k;
}

void ttp_history_run_to_bench(struct ttp_bench *out, const struct ttp_history_run *run,
                              struct ttp_arena *arena)
{
    *out = (struct ttp_bench){.start_ns = run->time_ns, .end_ns = run->time_ns};
    out->metric = TTP_NEW(arena, struct ttp_metric, run->measures);
    out->variant = TTP_NEW(arena, struct ttp_variant, run->measures);
    /* the n-th sample of a metric belongs to the n-th trial of its variant; metrics first, since
     * every trial has room for all of them */
    for (size_t i = 0; i < run->measures; i++)
        (void)find_metric(out, &run->measure[i], arena);
    for (size_t i = 0; i < run->measures; i++) {
        const struct ttp_run_measure *m = &run->measure[i];
        const size_t k = find_metric(out, m, arena);
        const size_t v =
            find_variant(out, ttp_arena_zstr(arena, m->variant.len ? m->variant : run->name));
        size_t t = 0;

        for (size_t n = 0; n < m->count; n++, t++) {
            while (t < out->ntrials && out->trial[t].variant != v)
                t++;
            if (t == out->ntrials)
                ttp_measure_bench_add_trial(out, v, out->nmetrics, arena)->start_ns = run->time_ns;
            out->trial[t].value[k] = m->sample[n];
        }
    }
}
