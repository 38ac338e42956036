/* SPDX-License-Identifier: Apache-2.0 */
/* unprofiled.c - the time of one iteration, from a benchmark without the profiler. */
#include "base/order.h"
#include "history/history.h"

/* A measure that is farther from the profiled iteration than this is a measure of something else,
 * such as the whole command. */
#define MOST_APART 3.0

static double us_of(ttp_str unit)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"s", 1e6}, {"ms", 1e3}, {"us", 1}, {"ns", 1e-3}};

    for (size_t i = 0; i < TTP_COUNT(units); i++)
        if (ttp_str_eq(unit, ttp_str_from(units[i].unit)))
            return units[i].us;
    return 0;
}

/* Metrics that `bench` takes from a recording of each trial, which the profiler slows down. */
static bool is_recorded(const struct ttp_history_run *run)
{
    static const char *const recorded[] = {"device-time",    "kernel-cycles", "device_us", "gap_us",
                                           "device_time_us", "min_us",        "max_us"};

    for (size_t i = 0; i < run->measures; i++)
        for (size_t k = 0; k < TTP_COUNT(recorded); k++)
            if (ttp_str_eq(run->measure[i].metric, ttp_str_from(recorded[k])))
                return true;
    return false;
}

/* The iteration that a measure tells, 0: none. */
static double iteration_of(const struct ttp_run_measure *m, double tokens, struct ttp_arena *arena)
{
    double *sample = TTP_NEW(arena, double, m->count);

    if (m->count == 0)
        return 0;
    memcpy(sample, m->sample, m->count * sizeof(*sample));
    TTP_SORT(sample, m->count, ttp_by_f64);
    const double median = (sample[(m->count - 1) / 2] + sample[m->count / 2]) / 2;
    if (!(median > 0))
        return 0;
    if (ttp_str_eq(m->unit, TTP_STR("tokens/s")))
        return tokens / median * 1e6;
    return median * us_of(m->unit);
}

bool ttp_history_run_unprofiled(struct ttp_unprofiled *out, const struct ttp_history_run *run,
                                const struct ttp_window *window, double tokens,
                                struct ttp_arena *arena)
{
    const double us = window->device_us + window->gap_us;
    double best = MOST_APART;

    *out = (struct ttp_unprofiled){0};
    if (!(us > 0) || is_recorded(run))
        return false;
    for (size_t i = 0; i < run->measures; i++) {
        const struct ttp_run_measure *m = &run->measure[i];
        const double found = iteration_of(m, tokens, arena);
        const double apart = found > us ? found / us : us / found;

        if (!(found > 0) || apart > best)
            continue;
        best = apart;
        *out = (struct ttp_unprofiled){
            found, ttp_sink_format(arena, "run %lld of the history, metric '%.*s'",
                                   (long long)run->id, TTP_FMT(m->metric))};
    }
    return out->iteration_us > 0;
}
