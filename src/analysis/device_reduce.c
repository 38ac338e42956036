/* SPDX-License-Identifier: Apache-2.0 */
/* device_reduce.c - the time of one op on several devices. */
#include "analysis/device_merge.h"

#include <math.h>

/* Comparison with a missing duration is false: a missing first one wins, later ones never do. Texts
 * are compared as such; false: a text and a number cannot be. */
bool ttp_analysis_devices_slowest_as_written(const struct ttp_merger *m, size_t nblock,
                                             uint32_t *best)
{
    const struct ttp_ops *ops = m->stage->ops;

    *best = m->block[0]->row[m->block[0]->next];
    for (size_t i = 1; i < nblock; i++) {
        const uint32_t row = m->block[i]->row[m->block[i]->next];
        const struct ttp_cell a = ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, row);
        const struct ttp_cell b = ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, *best);
        double ns, best_ns;

        if ((a.kind == TTP_CELL_TEXT) != (b.kind == TTP_CELL_TEXT))
            return false;
        if (a.kind == TTP_CELL_TEXT
                ? ttp_str_cmp(ttp_sym_name(&ops->syms, a.v.text),
                              ttp_sym_name(&ops->syms, b.v.text)) > 0
                : ttp_cell_f64(a, &ns) && ttp_cell_f64(b, &best_ns) && ns > best_ns)
            *best = row;
    }
    return true;
}

uint32_t ttp_analysis_devices_slowest_valid(const struct ttp_merger *m, size_t nblock)
{
    uint32_t best = m->block[0]->row[m->block[0]->next];
    double best_ns, ns;

    if (!ttp_analysis_stage_mean_duration(m->stage, best, &best_ns))
        best_ns = -1;
    for (size_t i = 1; i < nblock; i++) {
        const uint32_t row = m->block[i]->row[m->block[i]->next];
        if (ttp_analysis_stage_mean_duration(m->stage, row, &ns) && ns > best_ns) {
            best = row;
            best_ns = ns;
        }
    }
    return best;
}

/* Of durations as they are written. False: one is text, which cannot be added. */
bool ttp_analysis_devices_average(struct ttp_merger *m, size_t nblock)
{
    const uint32_t first = m->block[0]->row[m->block[0]->next];
    struct ttp_sum sum = {0};
    size_t n = 0;

    for (size_t i = 0; i < nblock; i++) {
        const uint32_t row = m->block[i]->row[m->block[i]->next];
        const struct ttp_cell cell = ttp_ops_cell(m->stage->ops, TTP_OPS_KERNEL_NS, row);
        double ns;

        if (cell.kind == TTP_CELL_TEXT)
            return false;
        if (ttp_cell_f64(cell, &ns)) {
            ttp_analysis_sum_add(&sum, ns);
            n++;
        }
    }
    m->averaged[first] = true;
    m->mean_ns[first] = n ? ttp_analysis_sum_value(&sum) / (double)n : NAN;
    m->keep[first] = true;
    return true;
}

bool ttp_analysis_mean_wait(const struct ttp_stage *s, uint32_t row, double *ns)
{
    const struct ttp_spread *sum = s->spread ? &s->spread[row] : NULL;

    if (!sum || sum->count == 0)
        return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_WAIT_NS, row), ns);
    *ns = sum->waits ? sum->wait_ns / sum->waits : 0;
    return sum->waits == sum->count;
}

/* The duration of a collective counts the wait for the last to arrive. What is left is the
 * transfer: of each device without its wait, where the file says that; else of the device that
 * waited least. The slowest of them is the op's. */
void ttp_analysis_devices_split_wait(struct ttp_merger *m, size_t nblock)
{
    const uint32_t first = m->block[0]->row[m->block[0]->next];
    double transfer = NAN, shortest = INFINITY, ns, wait;
    struct ttp_sum sum = {0}, waits = {0};
    size_t n = 0, told = 0;

    for (size_t i = 0; i < nblock; i++) {
        const uint32_t row = m->block[i]->row[m->block[i]->next];
        if (!ttp_analysis_stage_mean_duration(m->stage, row, &ns))
            continue;
        ttp_analysis_sum_add(&sum, ns);
        n++;
        shortest = fmin(shortest, ns);
        if (!ttp_analysis_mean_wait(m->stage, row, &wait))
            continue;
        told++;
        wait = fmin(fmax(wait, 0), ns);
        ttp_analysis_sum_add(&waits, wait);
        transfer = fmax(transfer, ns - wait);
    }
    m->keep[first] = m->averaged[first] = true;
    m->mean_ns[first] = told == n ? transfer : n ? shortest : NAN;
    m->wait_ns[first] = n == 0      ? NAN
                        : told == n ? ttp_analysis_sum_value(&waits) / (double)n
                                    : ttp_analysis_sum_value(&sum) / (double)n - shortest;
}

/* How far apart the devices of a group arrived, in all iterations if there are several. */
static bool mean_skew(const struct ttp_stage *s, uint32_t row, double *ns, ttp_sym *last)
{
    const struct ttp_spread *sum = s->spread ? &s->spread[row] : NULL;

    *last = sum && sum->count ? sum->last : ttp_ops_sym(s->ops, TTP_OPS_LAST, row);
    if (!sum || sum->count == 0)
        return ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_SKEW_NS, row), ns);
    *ns = sum->skews ? sum->skew_ns / sum->skews : 0;
    return sum->skews > 0;
}

/* Of the group that is furthest apart. */
void ttp_analysis_devices_look_at_mesh(struct ttp_merger *m, size_t nblock)
{
    struct ttp_row_mesh all = {NAN, TTP_SYM_MISSING, (uint32_t)nblock, (uint32_t)m->nqueues};
    double ns;
    ttp_sym last;

    for (size_t i = 0; i < nblock; i++)
        if (mean_skew(m->stage, m->block[i]->row[m->block[i]->next], &ns, &last) &&
            !(ns <= all.skew_ns)) {
            all.skew_ns = ns;
            all.last = last;
        }
    for (size_t i = 0; i < nblock; i++)
        m->mesh[m->block[i]->row[m->block[i]->next]] = all;
}
