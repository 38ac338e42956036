/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_summary.c - a mesh in a few figures per iteration, so that runs can be compared. */
#include "mesh/build.h"

/* Of that many devices one may be a straggler; if more are slow, the work is spread unevenly. */
#define STRAGGLER_ONE_OF 8

double ttp_mesh_device_time(const struct ttp_mesh_device *device)
{
    return device->busy_us + device->wait_us + device->transfer_us;
}

static bool is_slow(const struct ttp_mesh_device *d)
{
    return d->excess_us > TTP_MESH_STRAGGLER_PART * ttp_mesh_device_time(d);
}

size_t ttp_mesh_slow_devices(const struct ttp_mesh *m)
{
    size_t slow = 0;

    for (size_t d = 0; d < m->devices; d++)
        slow += is_slow(&m->window.device[d]);
    return slow;
}

bool ttp_mesh_is_straggler(const struct ttp_mesh *m, uint32_t device)
{
    return device < m->devices && is_slow(&m->window.device[device]) &&
           ttp_mesh_slow_devices(m) <= (m->devices + STRAGGLER_ONE_OF - 1) / STRAGGLER_ONE_OF;
}

static void choose_devices(struct ttp_mesh_summary *out, const struct ttp_mesh *m)
{
    out->critical = out->straggler = TTP_MESH_NONE;
    for (uint32_t d = 0; d < m->devices; d++) {
        const struct ttp_mesh_device *device = &m->window.device[d];

        if (out->critical == TTP_MESH_NONE ||
            device->busy_us > m->window.device[out->critical].busy_us)
            out->critical = d;
        if (ttp_mesh_is_straggler(m, d) &&
            (out->straggler == TTP_MESH_NONE ||
             device->excess_us > m->window.device[out->straggler].excess_us))
            out->straggler = d;
    }
}

static void measure_skew(struct ttp_mesh_summary *out, const struct ttp_mesh *m)
{
    struct ttp_arena scratch = {0};
    double *skew = TTP_NEW(&scratch, double, m->collectives + 1);
    size_t n = 0;

    for (size_t k = 0; k < m->collectives; k++)
        if (m->collective[k].aligned && ttp_mesh_in_window(m, m->collective[k].op))
            skew[n++] = m->collective[k].skew_us;
    out->aligned = n > 0;
    out->skew_median_us = ttp_mesh_median(skew, n); /* sorts them */
    out->skew_p95_us = n ? skew[(n - 1) * 95 / 100] : NAN;
    ttp_arena_free(&scratch);
}

void ttp_mesh_summarise(struct ttp_mesh_summary *out, const struct ttp_mesh *m)
{
    const struct ttp_mesh_window *w = &m->window;
    const double iterations = (double)w->iterations;
    const double parts = iterations * (m->devices ? (double)m->devices : 1);

    *out = (struct ttp_mesh_summary){
        .span_us = w->span_us / iterations,
        .path_us = w->path_us / iterations,
        .imbalance_us = w->imbalance_us / iterations,
        .ideal_gain_us = w->ideal_gain_us / iterations,
    };
    for (size_t d = 0; d < m->devices; d++) {
        out->wait_us += w->device[d].wait_us / parts;
        out->transfer_us += w->device[d].transfer_us / parts;
        out->exposed_us += w->device[d].exposed_us / parts;
        out->hidden_us += w->device[d].hidden_us / parts;
    }
    choose_devices(out, m);
    if (out->critical != TTP_MESH_NONE)
        out->compute_us = m->window.device[out->critical].busy_us / iterations;
    if (out->straggler != TTP_MESH_NONE)
        out->straggler_us = m->window.device[out->straggler].excess_us / iterations;
    measure_skew(out, m);
}
