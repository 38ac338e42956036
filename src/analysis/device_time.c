/* SPDX-License-Identifier: Apache-2.0 */
/* device_time.c - whether the duration of a row can be its device time: against the gap before it,
 * other durations of the same row, and what the chip can do at most. */
#include <math.h>

#include "analysis/stages.h"
#include "base/sink.h"

/* The firmware surrounds the kernel, and the kernel what each of its RISCs ran: real files agree to
 * the nanosecond. Durations that somebody scaled by a few times, as a trial, still count. */
#define CONTRADICTED_TIMES 10.0
#define ROUNDING_NS        10.0
/* Time stamps of the profiler have 44 bits of cycles: at most hours. */
#define MOST_NS 0x1p44
/* Peaks and models are right within a few percent; where the architecture is assumed, within a few
 * times. */
#define IMPOSSIBLE_PEAK_PCT 1000.0

static double longest_risc_ns(const struct ttp_ops *ops, uint32_t row)
{
    double most = 0;

    for (enum ttp_ops_number c = TTP_OPS_BRISC_NS; c <= TTP_OPS_TRISC2_NS; c++) {
        const struct ttp_number_column *n = &ops->number[c];
        const enum ttp_cell_kind kind =
            n->kind ? (enum ttp_cell_kind)n->kind[row] : TTP_CELL_MISSING;
        const double ns = kind == TTP_CELL_FLOAT ? n->value[row].f
                          : kind == TTP_CELL_INT ? (double)n->value[row].i
                                                 : 0;
        most = ns > most ? ns : most;
    }
    return most;
}

static bool is_contradicted(const struct ttp_ops *ops, uint32_t row, double ns)
{
    const double most = CONTRADICTED_TIMES * ns + ROUNDING_NS;
    double fw;

    if (ns > MOST_NS)
        return true;
    if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_FW_NS, row), &fw) && fw > 0) {
        if (ns > CONTRADICTED_TIMES * fw + ROUNDING_NS)
            return true;
        if (fw <= most) /* then so are the RISCs, in five more columns */
            return false;
    }
    return longest_risc_ns(ops, row) > most;
}

double ttp_analysis_stage_duration_ns(const struct ttp_ops *ops, uint32_t row, double gap)
{
    double ns;

    if (!ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, row), &ns) || !isfinite(ns) ||
        !(ns > 0) || is_contradicted(ops, row, ns))
        return NAN;
    if (!(gap < TTP_IMPOSSIBLE_GAP_NS))
        return ns;
    return -gap <= fmax(ns / 2, -TTP_IMPOSSIBLE_GAP_NS) ? ns : NAN;
}

bool ttp_analysis_stage_odd_duration(const struct ttp_ops *ops, uint32_t row)
{
    const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, row);
    double ns;

    if (c.kind == TTP_CELL_TEXT)
        return true;
    return ttp_cell_f64(c, &ns) && (!(ns >= 0) || is_contradicted(ops, row, ns));
}

ttp_str ttp_analysis_stage_odd_text(const struct ttp_ops *ops, uint32_t row,
                                    struct ttp_arena *arena)
{
    const struct ttp_cell c = ttp_ops_cell(ops, TTP_OPS_KERNEL_NS, row);
    const double riscs = longest_risc_ns(ops, row);
    double ns, fw;

    if (c.kind == TTP_CELL_TEXT)
        return ttp_sink_format(arena, "'%.*s'", TTP_FMT(ttp_sym_name(&ops->syms, c.v.text)));
    if (!ttp_cell_f64(c, &ns))
        return TTP_STR("");
    if (riscs > CONTRADICTED_TIMES * ns + ROUNDING_NS)
        return ttp_sink_format(arena, "%.0f ns while its RISCs ran %.0f ns", ns, riscs);
    if (ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_FW_NS, row), &fw) && fw > 0 && ns > fw)
        return ttp_sink_format(arena, "%.0f ns while its firmware ran %.0f ns", ns, fw);
    return ttp_sink_format(arena, "%.0f ns", ns);
}

/* ---- against the peaks ---- */

static double peak_pct(const struct ttp_op *op)
{
    return fmax(op->has & TTP_HAS_DRAM_PCT ? op->dram_pct : 0,
                op->has & TTP_HAS_FLOPS_PCT ? op->flops_pct : 0);
}

static void omit_time(struct ttp_op *op)
{
    op->has &= ~(uint32_t)(TTP_HAS_TIME | TTP_HAS_OVERLAP | TTP_HAS_SPREAD | TTP_HAS_WAIT |
                           TTP_HAS_DRAM | TTP_HAS_DRAM_PCT | TTP_HAS_FLOPS | TTP_HAS_FLOPS_PCT);
    op->has |= TTP_DURATION_INVALID;
    op->time_us = op->overlap_us = op->wait_us = 0;
}

void ttp_analysis_stage_peaks(struct ttp_stage *s)
{
    struct ttp_report *report = s->report;
    const struct ttp_op *first = NULL;
    double first_pct = 0, first_us = 0;
    size_t odd = 0;

    for (size_t i = 0; i < report->count; i++) {
        struct ttp_op *op = &report->op[i];
        const double pct = peak_pct(op);

        if (!(op->has & TTP_HAS_TIME) || !(pct > IMPOSSIBLE_PEAK_PCT))
            continue;
        if (odd++ == 0) {
            first = op;
            first_pct = pct;
            first_us = op->time_us;
        }
        omit_time(op);
    }
    if (odd)
        ttp_analysis_spoil(&report->quality, TTP_CHECK_TIMES,
                           ttp_sink_format(s->arena,
                                           "%zu op%s an impossible device time: in %.0f ns ID %u "
                                           "would need %.0f times the peak of the chip",
                                           odd, odd == 1 ? " has" : "s have", first_us * 1e3,
                                           first->row + 2, first_pct / 100),
                           "the file is damaged or was edited: copy it again, or run again");
}
