/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.c - how much of each op ran while an earlier one of its device still did.
 *
 * Sub-devices run ops side by side. Times on the device's own clock are the firmware cycles; an
 * op's span is its kernel time up to the firmware end, because firmware spans overlap even in a
 * plain sequence. */
#include <math.h>

#include "base/order.h"

#include "analysis/stages.h"

struct span {
    double device;
    double start_ns, end_ns, kernel_ns;
    double cycles_per_ns; /* of this row alone; NAN: cannot tell */
    uint32_t row;
};

TTP_ORDER(by_device, struct span, TTP_UP(device), TTP_UP(row))

TTP_ORDER(by_start, struct span, TTP_UP(start_ns), TTP_UP(row))

static bool finite_cell(const struct ttp_ops *ops, enum ttp_ops_number column, uint32_t row,
                        double *out)
{
    return ttp_cell_f64(ttp_ops_cell(ops, column, row), out) && isfinite(*out);
}

/* Span of a row in cycles for now; false: the row cannot tell. */
static bool read_span(const struct ttp_stage *s, uint32_t row, struct span *out)
{
    const struct ttp_ops *ops = s->ops;
    double start, fw_ns;

    *out = (struct span){.row = row, .cycles_per_ns = NAN};
    if (!(ttp_stage_traits(s, ttp_ops_sym(ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE) ||
        !ttp_analysis_stage_valid_duration(ops, row, &out->kernel_ns) ||
        !finite_cell(ops, TTP_OPS_DEVICE, row, &out->device) ||
        !finite_cell(ops, TTP_OPS_FW_START_CYCLE, row, &start) ||
        !finite_cell(ops, TTP_OPS_FW_END_CYCLE, row, &out->end_ns))
        return false;
    if (finite_cell(ops, TTP_OPS_FW_NS, row, &fw_ns) && fw_ns > 0 && out->end_ns > start)
        out->cycles_per_ns = (out->end_ns - start) / fw_ns;
    return true;
}

/* Median over the device's rows: single rows are rounded to whole nanoseconds. */
static double clock_of(const struct span *span, size_t n, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    double *ratio = TTP_NEW(scratch, double, n);
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(span[i].cycles_per_ns))
            ratio[known++] = span[i].cycles_per_ns;
    TTP_SORT(ratio, known, ttp_by_f64);
    const double median = known == 0 ? NAN : (ratio[(known - 1) / 2] + ratio[known / 2]) / 2;
    ttp_arena_rewind(scratch, mark);
    return median;
}

static void sweep_device(struct span *span, size_t n, double *overlap_ns, struct ttp_arena *scratch)
{
    const double clock = clock_of(span, n, scratch);
    double cover = -INFINITY;

    if (isnan(clock))
        return;
    for (size_t i = 0; i < n; i++) {
        span[i].end_ns /= clock;
        span[i].start_ns = span[i].end_ns - span[i].kernel_ns;
    }
    TTP_SORT(span, n, by_start);
    for (size_t i = 0; i < n; i++) {
        const double shared = fmin(span[i].kernel_ns, fmax(0, cover - span[i].start_ns));
        overlap_ns[span[i].row] = shared < 1 ? 0 : shared;
        cover = fmax(cover, span[i].end_ns);
    }
}

const double *ttp_analysis_stage_overlap_ns(const struct ttp_stage *s, const struct ttp_rows *rows)
{
    const struct ttp_number_column *number = s->ops->number;

    /* ops can only overlap where the grid is divided; then the file has sub-devices */
    if (!number[TTP_OPS_FW_START_CYCLE].kind || !number[TTP_OPS_FW_END_CYCLE].kind ||
        !number[TTP_OPS_FW_NS].kind ||
        (!number[TTP_OPS_SUB_DEVICE].kind && !number[TTP_OPS_AVAILABLE_CORES].kind))
        return NULL;
    double *overlap_ns = TTP_NEW(s->arena, double, s->ops->rows);
    const struct ttp_mark mark = ttp_arena_mark(s->arena);
    struct span *span = TTP_NEW(s->arena, struct span, rows->count);
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++)
        n += read_span(s, rows->row[i], &span[n]);
    TTP_SORT(span, n, by_device);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && span[to].device == span[from].device;)
            to++;
        sweep_device(span + from, to - from, overlap_ns, s->arena);
    }
    ttp_arena_rewind(s->arena, mark);
    return overlap_ns;
}
