/* SPDX-License-Identifier: Apache-2.0 */
/* Which metrics each device of a run has, and which columns follow from that. */
#include "ops/counters.h"

#include <math.h>
#include <stdio.h>

#include "base/order.h"
#include "ops/counter_tables.h"

double ttp_ops_counter_median(double *v, size_t n)
{
    TTP_SORT(v, n, ttp_by_f64);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

size_t ttp_ops_counter_core_end(const struct ttp_counter_tables *t, size_t from, size_t end)
{
    const uint32_t part = t->log->sample[t->sample[from]].part;
    size_t to = from + 1;

    while (to < end && t->log->sample[t->sample[to]].part == part)
        to++;
    return to;
}

static bool has_needed(const struct ttp_counter_tables *t, const struct device_facts *d, size_t m)
{
    const enum ttp_formula formula = ttp_metrics[m].formula;

    for (int i = 0; i < ttp_metrics[m].need; i++)
        if (!ttp_ops_counter_captured(t, d, m, (size_t)i))
            return false;
    if (formula == METRIC_PACKER_PORT)
        return ttp_ops_counter_captured(t, d, m, 0) || ttp_ops_counter_captured(t, d, m, 1);
    if (formula == METRIC_PACKER_BACKPRESSURE)
        return ttp_ops_counter_captured(t, d, m, 1) || ttp_ops_counter_captured(t, d, m, 2);
    return formula != METRIC_DIFFERENCE_IF_ANY || ttp_ops_counter_counted(t, d, m, 0);
}

/* Conditions where missing counters are 0. */
static bool has_device_only(const struct ttp_counter_tables *t, const struct device_facts *d,
                            size_t m)
{
    switch (ttp_metrics[m].formula) {
    case METRIC_UNPACKER1:
        return ttp_ops_counter_captured(t, d, m, 2);
    case METRIC_UNPACKERS:
        return ttp_ops_counter_captured(t, d, m, 0);
    case METRIC_PACKER:
        return ttp_ops_counter_counted(t, d, m, 1) || ttp_ops_counter_captured(t, d, m, 2);
    case METRIC_HANDOFF:
        return ttp_ops_counter_counted(t, d, m, 1) || ttp_ops_counter_captured(t, d, m, 0);
    case METRIC_RATIO_IF_ANY:
    case METRIC_DIFFERENCE_IF_ANY:
        return ttp_ops_counter_counted(t, d, m, 0);
    case METRIC_ENGINE:
        return ttp_ops_counter_captured(t, d, m, 1);
    case METRIC_OVERLAP:
    case METRIC_IMBALANCE:
        return has_needed(t, d, m);
    case METRIC_PER_UNPACK:
        return ttp_ops_counter_captured(t, d, m, 0) && ttp_ops_counter_captured(t, d, m, 1);
    case METRIC_RATIO:
        return strcmp(ttp_metrics[m].name, "Unpacker0 Write Efficiency") != 0 ||
               ttp_ops_counter_captured(t, d, m, 0);
    default:
        return true;
    }
}

/* Grants that count something else than the requests do say nothing about pressure: they are then
 * a small part of them on most cores. */
static bool related(const struct ttp_counter_tables *t, size_t m, uint32_t device,
                    struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    double *ratio = TTP_NEW(scratch, double, t->log->nparts);
    size_t n = 0;

    for (size_t e = 0; e < t->log->nexecs; e++) {
        if (t->log->exec[e].device != device)
            continue;
        for (size_t from = t->first[e], to; from < t->first[e + 1]; from = to) {
            double grant = NAN, request = NAN;

            to = ttp_ops_counter_core_end(t, from, t->first[e + 1]);
            for (size_t i = from; i < to; i++) {
                const struct ttp_counter_sample *s = &t->log->sample[t->sample[i]];
                if (s->counter == t->counter[m][0])
                    grant = s->value;
                if (s->counter == t->counter[m][1])
                    request = s->value;
            }
            if (request > 0 && !isnan(grant))
                ratio[n++] = grant / request;
        }
    }
    const bool yes = n && ttp_ops_counter_median(ratio, n) > 0.1;
    ttp_arena_rewind(scratch, mark);
    return yes;
}

static void choose_metrics(struct ttp_counter_tables *t, uint32_t device, bool device_only,
                           bool stock, struct ttp_arena *scratch)
{
    struct device_facts *d = &t->device[device];

    for (size_t m = 0; m < TTP_METRICS && d->any; m++) {
        const enum ttp_formula formula = ttp_metrics[m].formula;
        const bool composite = formula == METRIC_OVERLAP || formula == METRIC_IMBALANCE ||
                               formula == METRIC_PER_UNPACK;

        d->has[m] = t->zero_missing ? has_device_only(t, d, m)
                                    : ttp_metrics[m].always || has_needed(t, d, m);
        if (formula == METRIC_UNPACKER_BACKPRESSURE)
            d->has[m] &= ttp_ops_counter_captured(t, d, m, 0) &&
                         ttp_ops_counter_captured(t, d, m, 1) && related(t, m, device, scratch);
        if (stock && !device_only && composite)
            d->has[m] = false; /* computed but not shown */
    }
}

static void index_samples(struct ttp_counter_tables *t, struct ttp_arena *arena)
{
    const struct ttp_device_log *log = t->log;

    t->first = TTP_NEW(arena, uint32_t, log->nexecs + 2);
    t->sample = TTP_NEW(arena, uint32_t, log->nsamples);
    for (size_t i = 0; i < log->nsamples; i++)
        t->first[log->part[log->sample[i].part].exec + 2]++;
    for (size_t e = 1; e <= log->nexecs; e++)
        t->first[e + 1] += t->first[e];
    for (size_t i = 0; i < log->nsamples; i++)
        t->sample[t->first[log->part[log->sample[i].part].exec + 1]++] = (uint32_t)i;
}

static void collect_facts(struct ttp_counter_tables *t, struct ttp_arena *arena)
{
    const struct ttp_device_log *log = t->log;

    t->device = TTP_NEW(arena, struct device_facts, log->ndevices);
    for (size_t d = 0; d < log->ndevices; d++) {
        t->device[d].present = TTP_NEW(arena, bool, t->ncounters);
        t->device[d].sum = TTP_NEW(arena, double, t->ncounters);
        t->device[d].order = TTP_NEW(arena, uint64_t, t->ncounters);
    }
    for (size_t i = 0; i < log->nsamples; i++) {
        const struct ttp_counter_sample *s = &log->sample[i];
        struct device_facts *d = &t->device[log->exec[log->part[s->part].exec].device];

        d->any = true;
        d->present[s->counter] = true;
        d->sum[s->counter] += s->value;
    }
}

static ttp_str column_name(size_t m, int stat, struct ttp_arena *arena)
{
    static const char *const stats[] = {"Min", "Median", "Max", "Avg"};
    static const char *const full_grid[] = {"Avg SFPU util on full grid (%)",
                                            "Avg FPU util on full grid (%)",
                                            "Avg Math util on full grid (%)"};
    char name[96];

    if (m < FULL_GRID && stat == TTP_STAT_AVG)
        return ttp_str_from(full_grid[m]);
    const int n = snprintf(name, sizeof(name), "%s %s%s", ttp_metrics[m].name, stats[stat],
                           ttp_metrics[m].rate ? "" : " (%)");
    return ttp_arena_copy(arena, (ttp_str){name, (size_t)n});
}

static void choose_columns(struct ttp_counter_tables *t, struct ttp_arena *arena)
{
    t->column = TTP_NEW(arena, struct counter_column, (size_t)TTP_METRICS * TTP_STATS);
    for (size_t m = 0; m < TTP_METRICS; m++) {
        bool any = false, counted = t->zero_missing;

        for (size_t d = 0; d < t->log->ndevices; d++) {
            any |= t->device[d].has[m];
            counted |= m < FULL_GRID && ttp_ops_counter_captured(t, &t->device[d], m, 0);
        }
        for (int s = 0; s < TTP_STATS && any; s++)
            if (m >= FULL_GRID || s != TTP_STAT_AVG || counted)
                t->column[t->ncolumns++] = (struct counter_column){m, s, column_name(m, s, arena)};
    }
}

/* ---- The order of cores in an average ----
 *
 * The last bit of a mean depends on it. pandas keeps the order of time where all counters of a
 * metric were reported in the same order, and sorts by core otherwise. */

struct timed {
    ttp_sym counter;
    uint64_t cycle;
    uint32_t sample;
};

TTP_ORDER(by_counter_and_time, struct timed, TTP_UP(counter), TTP_UP(cycle), TTP_UP(sample))

static void hash_orders(struct ttp_counter_tables *t, struct ttp_arena *arena)
{
    const struct ttp_device_log *log = t->log;
    const struct ttp_mark mark = ttp_arena_mark(arena);
    struct timed *list = TTP_NEW(arena, struct timed, log->nsamples);

    for (size_t i = 0; i < log->nsamples; i++)
        list[i] = (struct timed){log->sample[i].counter, log->sample[i].cycle, (uint32_t)i};
    TTP_SORT(list, log->nsamples, by_counter_and_time);
    for (size_t i = 0; i < log->nsamples; i++) {
        const uint32_t part = log->sample[list[i].sample].part;
        uint64_t *hash = &t->device[log->exec[log->part[part].exec].device].order[list[i].counter];
        *hash = (*hash ^ part) * 0x9E3779B97F4A7C15u + 1;
    }
    ttp_arena_rewind(arena, mark);
}

static void choose_orders(struct ttp_counter_tables *t, struct device_facts *d)
{
    for (size_t m = 0; m < TTP_METRICS && d->any; m++) {
        d->in_time_order[m] = !t->zero_missing && ttp_ops_counter_captured(t, d, m, 0);
        for (size_t i = 1; i < TTP_METRIC_COUNTERS && d->in_time_order[m]; i++)
            if (ttp_ops_counter_captured(t, d, m, i) &&
                d->order[t->counter[m][i]] != d->order[t->counter[m][0]] &&
                ttp_metrics[m].formula != METRIC_UNPACKER1)
                d->in_time_order[m] = false;
    }
}

struct ttp_counter_tables *ttp_ops_counters_build(const struct ttp_device_log *log,
                                                  bool device_only, bool stock,
                                                  struct ttp_arena *arena)
{
    if (!log || log->nsamples == 0)
        return NULL;
    struct ttp_counter_tables *t = TTP_NEW(arena, struct ttp_counter_tables, 1);
    t->log = log;
    t->zero_missing = device_only && stock;
    t->ncounters = log->counters.count;
    for (size_t m = 0; m < TTP_METRICS; m++)
        for (size_t i = 0; i < TTP_METRIC_COUNTERS; i++) {
            const char *name = ttp_metrics[m].counter[i];
            t->counter[m][i] = NO_COUNTER;
            if (name)
                (void)ttp_sym_find(&log->counters, ttp_str_from(name), &t->counter[m][i]);
        }
    index_samples(t, arena);
    collect_facts(t, arena);
    hash_orders(t, arena);
    for (uint32_t d = 0; d < log->ndevices; d++) {
        choose_metrics(t, d, device_only, stock, arena);
        choose_orders(t, &t->device[d]);
    }
    choose_columns(t, arena);
    return t;
}
