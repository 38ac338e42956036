/* SPDX-License-Identifier: Apache-2.0 */
/* window_measures.c - how long the iterations of a window take, on each device and in the middle of
 * all. */
#include <math.h>

#include "analysis/phases.h"

double ttp_analysis_pass_gaps_us(const struct ttp_phase_facts *facts, const struct ttp_pass *pass)
{
    double sum = 0;

    for (size_t i = 1; i < pass->count; i++)
        if (facts->ns[pass->row[i]] >= 0 && facts->gap_ns[pass->row[i]] > 0)
            sum += facts->gap_ns[pass->row[i]] / 1000;
    return sum;
}

bool ttp_analysis_is_cold(const struct ttp_report *report, const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE && (op->has & TTP_HAS_GAP) && op->gap_us > TTP_COLD_GAP_US &&
           report->first_run && report->first_run[op->row];
}

/* The shortest and the longest iteration, without and with gaps, each the median over the devices.
 */
static void measure_spread(struct ttp_window *w, const struct ttp_passes *passes,
                           const struct ttp_phase_facts *facts)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, facts->devices);
    double *total = TTP_NEW(facts->arena, double, facts->devices);

    for (size_t i = 0; i < w->iterations; i++) {
        size_t have = 0;
        for (size_t d = 0; d < facts->devices; d++) { /* the last ones of all devices are one */
            if (i >= passes->count[d])
                continue;
            const struct ttp_pass *p = &passes->pass[d][passes->count[d] - 1 - i];
            us[have] = p->us;
            total[have++] = p->us + p->gap_us;
        }
        const double middle = ttp_middle(us, have), with_gaps = ttp_middle(total, have);
        w->min_us = i ? fmin(w->min_us, middle) : middle;
        w->max_us = fmax(w->max_us, middle);
        w->min_total_us = i ? fmin(w->min_total_us, with_gaps) : with_gaps;
        w->max_total_us = fmax(w->max_total_us, with_gaps);
    }
    ttp_arena_rewind(facts->arena, mark);
}

void ttp_analysis_window_measure(struct ttp_window *w, const struct ttp_passes *passes,
                                 const struct ttp_phase_facts *facts)
{
    struct ttp_device_time *each = TTP_NEW(facts->arena, struct ttp_device_time, facts->devices);
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *mean = TTP_NEW(facts->arena, double, facts->devices);
    double *gap = TTP_NEW(facts->arena, double, facts->devices);
    double *ops = TTP_NEW(facts->arena, double, facts->devices);
    size_t n = 0;

    w->first_row = UINT32_MAX;
    for (size_t d = 0; d < facts->devices; d++) {
        const size_t count = passes->count[d];
        if (count == 0)
            continue;
        w->iterations = count > w->iterations ? count : w->iterations;
        for (size_t i = 0; i < count; i++) {
            const struct ttp_pass *p = &passes->pass[d][i];
            mean[n] += p->us / (double)count;
            gap[n] += p->gap_us / (double)count;
            for (size_t k = 0; k < p->count; k++) {
                w->first_row = p->row[k] < w->first_row ? p->row[k] : w->first_row;
                w->last_row = p->row[k] > w->last_row ? p->row[k] : w->last_row;
            }
        }
        ops[n] = (double)passes->pass[d][count - 1].count;
        each[n] =
            (struct ttp_device_time){facts->device[d].device, (size_t)ops[n], mean[n], gap[n]};
        n++;
    }
    w->devices = n;
    facts->stage->report->device_time = each;
    facts->stage->report->device_times = n;
    if (n) {
        w->device_us = ttp_middle(mean, n);
        w->gap_us = ttp_middle(gap, n);
        w->ops = (size_t)ttp_middle(ops, n);
    }
    ttp_arena_rewind(facts->arena, mark);
    measure_spread(w, passes, facts);
}
