/* SPDX-License-Identifier: Apache-2.0 */
/* window_measures.c - how long the iterations of a window take, on each device and in the middle of
 * all. */
#include <math.h>

#include "analysis/phases.h"

double ttp_pass_gaps_us(const struct ttp_phase_facts *facts, const struct ttp_pass *pass)
{
    double sum = 0;

    for (size_t i = 1; i < pass->count; i++)
        if (facts->ns[pass->row[i]] >= 0 && facts->gap_ns[pass->row[i]] > 0)
            sum += facts->gap_ns[pass->row[i]] / 1000;
    return sum;
}

/* The shortest and the longest iteration, each the median over the devices. */
static void measure_spread(struct ttp_window *w, const struct ttp_passes *passes,
                           const struct ttp_phase_facts *facts)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, facts->devices);

    for (size_t i = 0; i < w->iterations; i++) {
        size_t have = 0;
        for (size_t d = 0; d < facts->devices; d++) /* the last ones of all devices are one */
            if (i < passes->count[d])
                us[have++] = passes->pass[d][passes->count[d] - 1 - i].us;
        const double middle = ttp_middle(us, have);
        w->min_us = i ? fmin(w->min_us, middle) : middle;
        w->max_us = fmax(w->max_us, middle);
    }
    ttp_arena_rewind(facts->arena, mark);
}

void ttp_window_measure(struct ttp_window *w, const struct ttp_passes *passes,
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
            gap[n] += ttp_pass_gaps_us(facts, p) / (double)count;
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
    facts->s->report->device_time = each;
    facts->s->report->device_times = n;
    if (n) {
        w->device_us = ttp_middle(mean, n);
        w->gap_us = ttp_middle(gap, n);
        w->ops = (size_t)ttp_middle(ops, n);
    }
    ttp_arena_rewind(facts->arena, mark);
    measure_spread(w, passes, facts);
}
