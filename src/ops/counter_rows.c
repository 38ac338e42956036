/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of one op: their spread over its cores. */
#include <math.h>

#include "base/num.h"
#include "base/order.h"
#include "base/vec.h"
#include "ops/counter_tables.h"

/* As pandas' groupby().mean(): Kahan's sum. */
static double mean(const double *v, size_t n)
{
    double total = 0, lost = 0;

    for (size_t i = 0; i < n; i++) {
        const double y = v[i] - lost, sum = total + y;
        lost = sum - total - y;
        total = sum;
    }
    return total / (double)n;
}

static void load_core(struct core_values *v, size_t from, size_t to)
{
    const struct ttp_counter_tables *t = v->tables;

    for (uint32_t c = 0; c < t->ncounters; c++)
        v->value[c] = v->reference[c] = NAN;
    for (size_t i = from; i < to; i++) {
        const struct ttp_counter_sample *s = &t->log->sample[t->sample[i]];
        if (isnan(v->value[s->counter])) {
            v->value[s->counter] = s->value;
            v->reference[s->counter] = s->reference;
            v->cycle[s->counter] = s->cycle;
        }
    }
}

/* A core's metrics, and where they are in an average. */
struct core_metrics {
    struct ttp_core core;
    double value[TTP_METRICS];
    uint64_t cycle[TTP_METRICS]; /* of the metric's first counter */
};

struct placed {
    const struct ttp_core *core;
    uint64_t cycle;
    double value;
};

TTP_ORDER(by_cycle, struct placed, TTP_UP(cycle), TTP_UP(core->x), TTP_UP(core->y))

static void spread(double *stat, struct placed *list, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    double *v = TTP_NEW(scratch, double, n);
    size_t kept = 0;

    TTP_SORT(list, n, by_cycle);
    for (size_t i = 0; i < n; i++)
        if (isfinite(list[i].value))
            v[kept++] = list[i].value;
    for (int s = 0; s < TTP_STATS; s++)
        stat[s] = NAN;
    if (kept) {
        stat[TTP_STAT_AVG] = mean(v, kept);
        stat[TTP_STAT_MEDIAN] = ttp_ops_counter_median(v, kept);
        stat[TTP_STAT_MIN] = v[0];
        stat[TTP_STAT_MAX] = v[kept - 1];
    }
    ttp_arena_rewind(scratch, mark);
}

/* Sum of a counter over the cores, by all cores of the chip. */
static void add_full_grid(struct ttp_counter_row *out, const struct core_values *v)
{
    for (size_t m = 0; m < FULL_GRID; m++) {
        const ttp_sym c = v->tables->counter[m][0];
        if (c != NO_COUNTER && !isnan(v->value[c]))
            out->full_grid[m] = (isnan(out->full_grid[m]) ? 0 : out->full_grid[m]) + v->value[c];
    }
}

static void measure_core(struct core_metrics *out, const struct core_values *v, uint32_t part)
{
    out->core = v->tables->log->core[v->tables->log->part[part].core];
    for (size_t m = 0; m < TTP_METRICS; m++) {
        const ttp_sym c = v->tables->counter[m][0];

        out->value[m] = v->device->has[m] ? ttp_ops_counter_evaluate(v, m, out->value) : NAN;
        out->cycle[m] = c != NO_COUNTER && v->device->in_time_order[m] ? v->cycle[c] : 0;
    }
}

void ttp_ops_counters_row(struct ttp_counter_row *out, const struct ttp_counter_tables *t,
                          const struct ttp_exec *exec, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const size_t e = exec ? (size_t)(exec - t->log->exec) : 0;
    const size_t from = exec ? t->first[e] : 0, end = exec ? t->first[e + 1] : 0;
    struct core_values v = {.tables = t, .device = exec ? &t->device[exec->device] : NULL};
    struct core_metrics *core = NULL;
    size_t ncores = 0;

    v.value = TTP_NEW(scratch, double, t->ncounters);
    v.reference = TTP_NEW(scratch, double, t->ncounters);
    v.cycle = TTP_NEW(scratch, uint64_t, t->ncounters);
    for (size_t m = 0; m < FULL_GRID; m++)
        out->full_grid[m] = NAN;
    for (size_t at = from, to; at < end; at = to) {
        to = ttp_ops_counter_core_end(t, at, end);
        load_core(&v, at, to);
        add_full_grid(out, &v);
        measure_core(TTP_PUSH(scratch, core, ncores), &v, t->log->sample[t->sample[at]].part);
    }
    struct placed *list = TTP_NEW(scratch, struct placed, ncores);
    for (size_t m = 0; m < TTP_METRICS; m++) {
        for (size_t c = 0; c < ncores; c++)
            list[c] = (struct placed){&core[c].core, core[c].cycle[m], core[c].value[m]};
        spread(out->stat[m], list, ncores, scratch);
    }
    for (size_t m = 0; m < FULL_GRID; m++)
        out->full_grid[m] /= (double)t->log->max_compute_cores;
    ttp_arena_rewind(scratch, mark);
}

size_t ttp_ops_counter_columns(const struct ttp_counter_tables *t)
{
    return t ? t->ncolumns : 0;
}

ttp_str ttp_ops_counter_column_name(const struct ttp_counter_tables *t, size_t column)
{
    return t->column[column].name;
}

ttp_str ttp_ops_counter_cell(const struct ttp_counter_tables *t, size_t column,
                             const struct ttp_counter_row *row, const struct ttp_device_op *op,
                             struct ttp_arena *scratch)
{
    const struct ttp_measure *kernel = &op->span[TTP_AN_KERNEL];
    const size_t m = t->column[column].metric;
    const int stat = t->column[column].stat;
    char text[TTP_NUM_MAX];
    double v = row->stat[m][stat];

    if (!t->device[op->device].has[m])
        return (ttp_str){0};
    if (m < FULL_GRID && stat == TTP_STAT_AVG && !t->zero_missing) {
        if (isnan(row->full_grid[m]) || !kernel->valid || kernel->cycles == 0 ||
            t->log->max_compute_cores <= 0)
            return (ttp_str){0};
        v = row->full_grid[m] / (double)kernel->cycles * 100;
    }
    return ttp_arena_copy(scratch, (ttp_str){text, ttp_num_f64(text, v, TTP_NUM_PYTHON)});
}
