/* SPDX-License-Identifier: Apache-2.0 */
/* per_core_op_to_op_times.csv: for each core, cycles from the last kernel end of one op to the
 * first data movement kernel start of the next. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/order.h"

#include "ops/ops.h"

/* What the profiler itself adds between two ops. It is subtracted as it is, though the
 * rest is in cycles (PROFILER_OP_TO_OP_OVERHEAD_NANO_SEC of process_ops_logs.py). */
#define OVERHEAD 1500

struct gap {
    uint64_t start, from, to; /* cycle, op ids */
    int64_t cycles;
    uint32_t core; /* rank in order of (x, y) on its device */
    bool picked;
};

struct ranked_core {
    int32_t x, y;
    uint32_t core;
    size_t first, next, end; /* its gaps */
};

TTP_ORDER(by_place, struct ranked_core, TTP_UP(x), TTP_UP(y))

TTP_ORDER(by_first_cycle, struct ttp_exec_core *const,
          TTP_COMPARE((*x)->first_cycle, (*y)->first_cycle), TTP_COMPARE(*x, *y))

static int by_start(const void *a, const void *b)
{
    const struct gap *x = *(struct gap *const *)a, *y = *(struct gap *const *)b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return x->core < y->core ? -1 : x->core > y->core;
}

/* Gaps of one core, whose parts come in order of time. */
static size_t core_gaps(struct gap *out, const struct ttp_exec_core *const *part, size_t n,
                        const struct ttp_device_log *log, uint32_t rank)
{
    const struct ttp_exec_core *last = NULL; /* that ended a kernel */
    bool iteration = false;                  /* an op began since */
    uint64_t end_cycle = 0;                  /* of that kernel */
    size_t ngaps = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_exec_core *p = part[i];
        const struct ttp_core_times *times = &log->times[p - log->part];

        iteration |= p->has_brisc_fw_start;
        if (last && times->dm_start_cycle != UINT64_MAX) {
            if (iteration)
                out[ngaps++] = (struct gap){.start = end_cycle,
                                            .from = log->exec[last->exec].run_id,
                                            .to = log->exec[p->exec].run_id,
                                            .cycles = (int64_t)(times->dm_start_cycle - end_cycle),
                                            .core = rank};
            last = NULL;
        }
        if (times->kernel_end_cycle) {
            end_cycle = times->kernel_end_cycle;
            last = p;
            iteration = false;
        }
    }
    return ngaps;
}

static void put_core(struct ttp_sink *out, int32_t x, int32_t y)
{
    ttp_sink_printf(out, "%" PRId32 "; %" PRId32 " [ns]", x, y);
}

struct device_gaps {
    struct ranked_core *core;
    size_t ncores;
    struct gap *gap;
    size_t ngaps;
};

static void collect(struct device_gaps *d, const struct ttp_device_log *log, uint32_t device,
                    struct ttp_arena *scratch)
{
    const struct ttp_exec_core **part = TTP_NEW(scratch, const struct ttp_exec_core *, log->nparts);
    uint32_t *first = TTP_NEW(scratch, uint32_t, log->ncores + 2);

    d->core = TTP_NEW(scratch, struct ranked_core, log->ncores);
    d->gap = TTP_NEW(scratch, struct gap, log->nparts);
    for (uint32_t c = 0; c < log->ncores; c++)
        if (log->core[c].device == device)
            d->core[d->ncores++] = (struct ranked_core){log->core[c].x, log->core[c].y, c, 0, 0, 0};
    TTP_SORT(d->core, d->ncores, by_place);
    for (size_t i = 0; i < log->nparts; i++)
        first[log->part[i].core + 2]++;
    for (size_t c = 1; c <= log->ncores; c++)
        first[c + 1] += first[c];
    for (size_t i = 0; i < log->nparts; i++)
        part[first[log->part[i].core + 1]++] = &log->part[i];
    for (size_t c = 0; c < d->ncores; c++) {
        struct ranked_core *core = &d->core[c];
        const struct ttp_exec_core **own = part + first[core->core];
        const size_t n = first[core->core + 1] - first[core->core];

        if (n)
            qsort(own, n, sizeof(struct ttp_exec_core *), by_first_cycle);
        core->first = core->next = d->ngaps;
        d->ngaps += core_gaps(d->gap + d->ngaps, own, n, log, (uint32_t)c);
        core->end = d->ngaps;
    }
}

/* All cores that go from one op to the next at this point make one row. */
static void put_row(struct ttp_sink *out, struct device_gaps *d, const struct gap *g,
                    const struct ranked_core *all, size_t nall)
{
    size_t c = 0;

    for (size_t i = 0; i < nall; i++) {
        ttp_sink_char(out, ',');
        while (c < d->ncores && by_place(&d->core[c], &all[i]) < 0)
            c++;
        if (c == d->ncores || by_place(&d->core[c], &all[i]) != 0)
            continue;
        struct ranked_core *core = &d->core[c];
        if (core->next == core->end || d->gap[core->next].from != g->from ||
            d->gap[core->next].to != g->to)
            continue;
        d->gap[core->next].picked = true;
        ttp_sink_i64(out, d->gap[core->next++].cycles - OVERHEAD);
    }
}

static void put_device(struct ttp_sink *out, const struct ttp_device_log *log, uint32_t device,
                       const struct ranked_core *all, size_t nall, struct ttp_arena *scratch)
{
    struct device_gaps d = {0};

    collect(&d, log, device, scratch);
    struct gap **order = TTP_NEW(scratch, struct gap *, d.ngaps);
    for (size_t i = 0; i < d.ngaps; i++)
        order[i] = &d.gap[i];
    if (d.ngaps)
        qsort(order, d.ngaps, sizeof(struct gap *), by_start);
    for (size_t i = 0; i < d.ngaps; i++) {
        if (order[i]->picked)
            continue;
        ttp_sink_printf(out, "%" PRId64 ",%" PRIu64 " -> %" PRIu64, log->device[device],
                        order[i]->from, order[i]->to);
        put_row(out, &d, order[i], all, nall);
        ttp_sink_put(out, TTP_STR("\r\n"));
    }
}

void ttp_ops_write_per_core(struct ttp_sink *out, const struct ttp_ops_report *report,
                            struct ttp_arena *scratch)
{
    const struct ttp_device_log *log = report->logs.device;
    struct ranked_core *all = TTP_NEW(scratch, struct ranked_core, log->ncores);
    size_t nall = 0, n = 0;
    const bool wanted = !report->rules.stock_columns || (report->analyses >> TTP_AN_OP_TO_OP & 1);

    if (report->look) {
        report->look->write_per_core(out, report->look, scratch);
        return;
    }
    for (size_t c = 0; c < log->ncores; c++)
        all[nall++] = (struct ranked_core){.x = log->core[c].x, .y = log->core[c].y};
    TTP_SORT(all, nall, by_place);
    for (size_t i = 0; i < nall; i++)
        if (n == 0 || by_place(&all[n - 1], &all[i]) != 0)
            all[n++] = all[i];
    ttp_sink_put(out, TTP_STR("device ID,op2op ID"));
    for (size_t i = 0; i < n; i++) {
        ttp_sink_char(out, ',');
        put_core(out, all[i].x, all[i].y);
    }
    ttp_sink_put(out, TTP_STR("\r\n"));
    for (uint32_t d = 0; d < log->ndevices && wanted; d++) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        put_device(out, log, d, all, n, scratch);
        ttp_arena_rewind(scratch, mark);
    }
}
