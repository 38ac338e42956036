/* SPDX-License-Identifier: Apache-2.0 */
/* noc_windows.c - the time span of each device of a trace. */
#include "noc/noc_programs.h"

/* tt-npe: a kernel ends at least that long after its last NoC event. */
#define KERNEL_TAIL_CYCLES 20

void ttp_noc_find_windows(struct ttp_noc_load *out, const struct ttp_noc_trace *trace, bool idle)
{
    const unsigned chips = out->model->chips;

    for (unsigned d = 0; d < chips; d++)
        out->window[d] = (struct ttp_noc_window){UINT64_MAX, 0};
    for (size_t i = 0; i < trace->nevents; i++) {
        const struct ttp_noc_event *e = &trace->event[i];
        if (e->risc == TTP_NOC_RISC_NONE || e->sx == TTP_NOC_UNSAID || e->sy == TTP_NOC_UNSAID ||
            e->device >= chips)
            continue;
        struct ttp_noc_window *w = &out->window[e->device];
        w->start_cycle = e->cycle < w->start_cycle ? e->cycle : w->start_cycle;
        w->end_cycle = e->cycle > w->end_cycle ? e->cycle : w->end_cycle;
    }
    out->mesh = (struct ttp_noc_window){UINT64_MAX, 0};
    for (unsigned d = 0; d < chips; d++) {
        struct ttp_noc_window *w = &out->window[d];
        const bool unused = w->start_cycle > w->end_cycle;
        const uint64_t span = w->end_cycle - w->start_cycle;
        const uint64_t tail =
            unused || idle || span > KERNEL_TAIL_CYCLES ? KERNEL_TAIL_CYCLES : span;

        w->start_cycle -= out->first_cycle;
        w->end_cycle -= out->first_cycle + tail;
        if (unused && !idle)
            continue;
        if (w->start_cycle < out->mesh.start_cycle)
            out->mesh.start_cycle = w->start_cycle;
        if (w->end_cycle > out->mesh.end_cycle)
            out->mesh.end_cycle = w->end_cycle;
    }
}
