/* SPDX-License-Identifier: Apache-2.0 */
/* range_times.c - device time, gaps and replays of ranges between signposts. */
#include "analysis/phases.h"

static void measure_range(struct ttp_range *range, const struct ttp_phase_facts *facts, double all)
{
    const struct ttp_mark mark = ttp_arena_mark(facts->arena);
    double *us = TTP_NEW(facts->arena, double, facts->devices);
    double *gap = TTP_NEW(facts->arena, double, facts->devices);
    double sum = 0;
    size_t n = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_pass ops =
            ttp_window_ops_in_range(facts, d, (uint32_t)(range - facts->ranges.item) + 1, NULL);
        if (ops.count == 0)
            continue;
        us[n] = ttp_pass_sum_us(facts, &ops);
        gap[n] = ttp_pass_sum_gaps_us(facts, &ops);
        sum += us[n++];
        range->ops += ops.count;
    }
    if (n) {
        range->time_us = ttp_middle(us, n);
        range->gap_us = ttp_middle(gap, n);
    }
    range->share_pct = all > 0 ? sum / all * 100 : 0;
    ttp_arena_rewind(facts->arena, mark);
}

void ttp_ranges_measure(struct ttp_phase_facts *facts)
{
    double all = 0;

    if (facts->ranges.count == 0)
        return;
    for (size_t d = 0; d < facts->devices; d++) {
        const struct ttp_pass run = {.row = facts->device[d].row, .count = facts->device[d].count};
        all += ttp_pass_sum_us(facts, &run);
    }
    for (size_t i = 0; i < facts->ranges.count; i++)
        if (facts->ranges.item[i].first_of == i + 1)
            measure_range(&facts->ranges.item[i], facts, all);
    for (size_t d = 0; d < facts->devices; d++)
        for (size_t i = 0; i < facts->replays[d]; i++)
            for (uint32_t r = facts->replay[d][i].range; r && d == 0;
                 r = facts->ranges.item[r - 1].parent)
                facts->ranges.item[r - 1].replays++;
}
