/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps between kernels, in the order and with the clock of the device. The originals re-derive the
 * clock from a duration that was rounded to ns, which is off by microseconds for long gaps, and
 * partly take rows in the order of the host. */
#include "ops/join.h"

#include <math.h>

#include "base/order.h"

/* The kernels of one row, in cycles. */
struct run {
    int64_t device;
    int64_t start, end, dm_start, dm_end;
    bool has_kernel, has_dm;
    struct ttp_report_row *row;
};

TTP_ORDER(by_start, struct run, TTP_UP(device), TTP_UP(start), TTP_UP(row->id))

TTP_ORDER(by_dm_start, struct run, TTP_UP(device), TTP_UP(dm_start), TTP_UP(row->id))

static bool run_of(struct run *out, struct ttp_report_row *row, const struct ttp_run_logs *logs)
{
    *out = (struct run){.row = row};
    if (row->device) {
        const struct ttp_measure *kernel = &row->device->span[TTP_AN_KERNEL];
        const struct ttp_measure *dm = &row->device->span[TTP_AN_KERNEL_DM_START];

        if (!kernel->valid)
            kernel = &row->device->span[TTP_AN_TRACE_KERNEL];
        out->device = logs->device->device[row->device->device];
        out->has_kernel = kernel->valid;
        out->has_dm = dm->valid;
        out->start = kernel->start_cycle;
        out->end = kernel->end_cycle;
        out->dm_start = dm->start_cycle;
        out->dm_end = dm->end_cycle;
    } else if (row->cpp) {
        const int64_t *number = row->cpp->number;

        out->device = number[TTP_CPP_DEVICE];
        out->start = number[TTP_CPP_KERNEL_START];
        out->end = number[TTP_CPP_KERNEL_END];
        out->dm_start = number[TTP_CPP_DM_START];
        out->dm_end = number[TTP_CPP_DM_END];
        out->has_kernel = out->start != TTP_CPP_EMPTY && out->end != TTP_CPP_EMPTY;
        out->has_dm = out->dm_start != TTP_CPP_EMPTY && out->dm_end != TTP_CPP_EMPTY;
    }
    return out->has_kernel || out->has_dm;
}

/* Clock of a device in MHz. The C++ report does not state it: the rounding of its durations is lost
 * in their sum, and clocks are whole MHz. */
static double clock_of(const struct run *run, size_t n, const struct ttp_run_logs *logs)
{
    double cycles = 0, ns = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ttp_cpp_row *cpp = run[i].row->cpp;
        if (!cpp)
            return (double)logs->device->clock_mhz;
        const int64_t *number = cpp->number;
        if (number[TTP_CPP_FW_START] == TTP_CPP_EMPTY || number[TTP_CPP_FW_NS] == TTP_CPP_EMPTY ||
            number[TTP_CPP_FW_END] <= number[TTP_CPP_FW_START])
            continue;
        cycles += (double)(number[TTP_CPP_FW_END] - number[TTP_CPP_FW_START]);
        ns += (double)number[TTP_CPP_FW_NS];
    }
    if (ns <= 0 || cycles <= 0)
        return logs->device && logs->device->clock_mhz ? (double)logs->device->clock_mhz : 1000;
    const double mhz = cycles * 1000 / ns, whole = nearbyint(mhz);
    return whole >= 1 && fabs(mhz - whole) < 0.05 ? whole : mhz;
}

static void fill_gaps(struct run *run, size_t n, bool dm)
{
    int64_t device = 0, end = 0;
    bool any = false;

    TTP_SORT(run, n, dm ? by_dm_start : by_start);
    for (size_t i = 0; i < n; i++) {
        struct ttp_report_row *row = run[i].row;

        if (!(dm ? run[i].has_dm : run[i].has_kernel))
            continue;
        if (!any || run[i].device != device) {
            device = run[i].device;
            end = dm ? run[i].dm_start : run[i].start;
            any = true;
        }
        if (dm) {
            row->has_dm_gap = true;
            row->dm_gap_cycles = run[i].dm_start - end;
            end = run[i].dm_end;
        } else {
            row->has_gap = true;
            row->gap_cycles = run[i].start - end;
            end = run[i].end;
        }
    }
}

void ttp_ops_join_gaps(struct ttp_joining *j)
{
    const size_t nhost = j->logs->host && !j->report->device_only ? j->logs->host->nops : 0;
    const size_t most = nhost + j->nreplays;
    struct run *run = TTP_NEW(j->arena, struct run, most);
    size_t n = 0;

    for (size_t i = 0; i < most; i++) {
        struct ttp_report_row *row = i < nhost ? &j->host[i] : &j->replay[i - nhost];
        n += run_of(&run[n], row, j->logs);
    }
    fill_gaps(run, n, true);
    fill_gaps(run, n, false);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && run[to].device == run[from].device; to++)
            ;
        const double mhz = clock_of(run + from, to - from, j->logs);
        for (size_t i = from; i < to; i++)
            run[i].row->mhz = mhz;
    }
}
