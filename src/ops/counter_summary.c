/* SPDX-License-Identifier: Apache-2.0 */
/* Counters for human readers: raw values, then each metric, of one device. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/vec.h"

#include "base/order.h"
#include "ops/counter_tables.h"

/* A growing list of numbers. */
struct numbers {
    double *v;
    size_t n;
};

static void push(struct numbers *list, double v, struct ttp_arena *arena)
{
    *TTP_PUSH(arena, list->v, list->n) = v;
}

static double mean(const double *v, size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += v[i];
    return total / (double)n;
}

static void put_line(struct ttp_sink *out, char c, size_t n)
{
    ttp_sink_repeat(out, c, n);
    ttp_sink_char(out, '\n');
}

static void put_title(struct ttp_sink *out, const char *title, size_t width)
{
    put_line(out, '=', width);
    ttp_sink_printf(out, "%s\n", title);
    put_line(out, '=', width);
}

/* Of each op its least, middle, largest and mean value; of these the least, middle, largest and
 * mean again. */
static void put_raw(struct ttp_sink *out, const struct ttp_counter_tables *t, uint32_t device,
                    ttp_sym counter, struct ttp_arena *arena)
{
    const struct ttp_device_log *log = t->log;
    struct numbers median = {0}, average = {0};
    double least = INFINITY, most = -INFINITY;

    for (size_t e = 0; e < log->nexecs; e++) {
        struct numbers own = {0};

        for (size_t i = t->first[e]; i < t->first[e + 1] && log->exec[e].device == device; i++)
            if (log->sample[t->sample[i]].counter == counter)
                push(&own, log->sample[t->sample[i]].value, arena);
        if (own.n == 0)
            continue;
        push(&average, mean(own.v, own.n), arena);
        push(&median, ttp_ops_counter_median(own.v, own.n), arena);
        least = fmin(least, own.v[0]);
        most = fmax(most, own.v[own.n - 1]);
    }
    const ttp_str name = ttp_sym_name(&log->counters, counter);
    ttp_sink_printf(out, "%-40.*s %-12s %8zu %15.1f %15.1f %15.1f %15.1f\n", TTP_FMT(name), "Value",
                    median.n, least, ttp_ops_counter_median(median.v, median.n), most,
                    mean(average.v, average.n));
}

struct named_counter {
    ttp_str name;
    ttp_sym counter;
};

TTP_ORDER(by_name, struct named_counter, ttp_str_cmp(x->name, y->name))

static void put_counters(struct ttp_sink *out, const struct ttp_counter_tables *t, uint32_t device,
                         struct ttp_arena *arena)
{
    const struct ttp_device_log *log = t->log;
    struct named_counter *list = TTP_NEW(arena, struct named_counter, t->ncounters);
    size_t n = 0, ops = 0;
    char title[80];

    for (size_t e = 0; e < log->nexecs; e++)
        ops += log->exec[e].device == device && t->first[e] < t->first[e + 1];
    for (ttp_sym c = 0; c < t->ncounters; c++)
        if (t->device[device].present[c])
            list[n++] = (struct named_counter){ttp_sym_name(&log->counters, c), c};
    TTP_SORT(list, n, by_name);
    snprintf(title, sizeof(title), "PERFORMANCE COUNTER STATISTICS - DEVICE %" PRId64,
             log->device[device]);
    ttp_sink_char(out, '\n');
    put_title(out, title, 100);
    ttp_sink_printf(out, "\nTotal operations with counter data: %zu\n\n", ops);
    put_title(out, "RAW COUNTER VALUES", 100);
    ttp_sink_printf(out, "%-40s %-12s %8s %15s %15s %15s %15s\n", "Counter Type", "Statistic",
                    "Ops", "Min", "Median", "Max", "Avg");
    put_line(out, '-', 100);
    for (size_t i = 0; i < n; i++) {
        const struct ttp_mark mark = ttp_arena_mark(arena);
        put_raw(out, t, device, list[i].counter, arena);
        ttp_arena_rewind(arena, mark);
    }
    ttp_sink_char(out, '\n');
    put_line(out, '=', 100);
    ttp_sink_char(out, '\n');
}

static void put_stat(struct ttp_sink *out, const char *name, const struct numbers *values,
                     size_t ops, const char *unit)
{
    char count[48], range[96] = "N/A", average[48] = "N/A";

    snprintf(count, sizeof(count), "%zu/%zu", values->n, ops);
    if (values->n) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < values->n; i++) {
            least = fmin(least, values->v[i]);
            most = fmax(most, values->v[i]);
        }
        snprintf(range, sizeof(range), "%.2f%s - %.2f%s", least, unit, most, unit);
        snprintf(average, sizeof(average), "%.2f%s", mean(values->v, values->n), unit);
    }
    ttp_sink_printf(out, "%-12s %15s %30s %12s\n", name, count, range, average);
}

static void put_metric(struct ttp_sink *out, size_t m, const struct ttp_counter_row *row,
                       size_t ops, struct ttp_arena *arena)
{
    static const char *const stats[] = {"Min", "Median", "Max", "Avg"};
    struct numbers values[TTP_STATS] = {0};
    char title[96];
    size_t n = 0;

    for (size_t i = 0; i < ops; i++)
        for (int s = 0; s < TTP_STATS; s++)
            if (!isnan(row[i].stat[m][s]))
                push(&values[s], row[i].stat[m][s], arena);
    if (values[TTP_STAT_AVG].n == 0)
        return;
    for (const char *c = ttp_metrics[m].name; *c && n + 1 < sizeof(title); c++)
        title[n++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    title[n] = '\0';
    ttp_sink_char(out, '\n');
    put_title(out, title, 80);
    ttp_sink_printf(out, "%-12s %15s %30s %12s\n", "Statistic", "Ops with Data", "Range", "Mean");
    put_line(out, '-', 80);
    for (int s = 0; s < TTP_STATS; s++)
        put_stat(out, stats[s], &values[s], ops, ttp_metrics[m].rate ? "" : "%");
}

/* Rates come last, and of them the one of fidelity. */
static int print_pass(size_t m)
{
    return !ttp_metrics[m].rate ? 0 : ttp_metrics[m].formula == METRIC_HF_CYCLES ? 2 : 1;
}

static void put_metrics(struct ttp_sink *out, const struct ttp_ops_report *report, uint32_t device,
                        struct ttp_arena *arena)
{
    const struct ttp_counter_tables *t = report->counters;
    struct ttp_counter_row *row = TTP_NEW(arena, struct ttp_counter_row, report->nrows);
    char title[80];
    size_t ops = 0;

    for (size_t i = 0; i < report->nrows; i++) {
        const struct ttp_report_row *r = &report->row[i];
        if (r->device && r->device->device == device)
            ttp_ops_counters_row(&row[ops++], t, r->key, arena);
    }
    snprintf(title, sizeof(title), "EFFICIENCY METRICS SUMMARY - DEVICE %" PRId64,
             t->log->device[device]);
    ttp_sink_char(out, '\n');
    put_title(out, title, 100);
    ttp_sink_printf(out, "\nTotal operations with metrics: %zu\n", ops);
    for (int pass = 0; pass < 3; pass++)
        for (size_t m = 0; m < TTP_METRICS; m++)
            if (t->device[device].has[m] && print_pass(m) == pass)
                put_metric(out, m, row, ops, arena);
    ttp_sink_char(out, '\n');
    put_line(out, '=', 100);
    ttp_sink_char(out, '\n');
}

void ttp_ops_write_counters(struct ttp_sink *out, const struct ttp_ops_report *report,
                            struct ttp_arena *scratch)
{
    const struct ttp_counter_tables *t = report->counters;

    for (uint32_t d = 0; t && d < t->log->ndevices; d++) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        if (t->device[d].any) {
            put_counters(out, t, d, scratch);
            put_metrics(out, report, d, scratch);
        }
        ttp_arena_rewind(scratch, mark);
    }
}
