/* SPDX-License-Identifier: Apache-2.0 */
/* middle_device.c - the device that represents a run on several: its iterations take the median
 * time, which is the time of the window. Of an even number of devices the two in the middle do so
 * together, if they ran the same ops. */
#include "analysis/phases.h"
#include "base/order.h"

struct timed_device {
    size_t device; /* index in the facts */
    double us;     /* mean of its iterations */
};
TTP_ORDER(by_time, struct timed_device, TTP_UP(us), TTP_UP(device))

static const struct ttp_pass *last_pass(const struct ttp_passes *passes, size_t device)
{
    return &passes->pass[device][passes->count[device] - 1];
}

static bool ran_the_same(const struct ttp_pass *a, const struct ttp_pass *b,
                         const struct ttp_phase_facts *facts)
{
    for (size_t k = 0; a->count == b->count && k < a->count; k++)
        if (facts->key_of[a->row[k]] != facts->key_of[b->row[k]])
            return false;
    return a->count == b->count;
}

/* Times of the rows of `a`: the mean of both devices. */
static const double *mean_times(const struct ttp_stage *s, const struct ttp_pass *a,
                                const struct ttp_pass *b)
{
    double *mean = TTP_NEW(s->arena, double, s->ops->rows);

    for (size_t r = 0; r < s->ops->rows; r++)
        mean[r] = NAN;
    for (size_t k = 0; k < a->count; k++) {
        double x, y;
        if (ttp_analysis_stage_mean_duration(s, a->row[k], &x) &&
            ttp_analysis_stage_mean_duration(s, b->row[k], &y))
            mean[a->row[k]] = (x + y) / 2;
    }
    return mean;
}

/* What they waited in collectives: part of those times. */
static const double *mean_waits(const struct ttp_stage *s, const struct ttp_pass *a,
                                const struct ttp_pass *b)
{
    double *mean = TTP_NEW(s->arena, double, s->ops->rows);

    for (size_t r = 0; r < s->ops->rows; r++)
        mean[r] = NAN;
    for (size_t k = 0; k < a->count; k++) {
        const unsigned traits = ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_CODE, a->row[k]));
        double x, y;
        if (traits & TTP_TRAIT_ALL_WAIT && ttp_analysis_mean_wait(s, a->row[k], &x) &&
            ttp_analysis_mean_wait(s, b->row[k], &y))
            mean[a->row[k]] = (fmax(x, 0) + fmax(y, 0)) / 2;
    }
    return mean;
}

void ttp_analysis_find_middle(struct ttp_stage *s, const struct ttp_passes *passes,
                              const struct ttp_phase_facts *facts)
{
    struct timed_device *timed = TTP_NEW(facts->arena, struct timed_device, facts->devices);
    struct ttp_middle *out = &s->report->middle;
    size_t n = 0;

    for (size_t d = 0; d < facts->devices; d++) {
        const size_t count = passes->count[d];
        if (count == 0)
            continue;
        timed[n].device = d;
        for (size_t i = 0; i < count; i++)
            timed[n].us += passes->pass[d][i].us / (double)count;
        n++;
    }
    if (n < 2)
        return;
    TTP_SORT(timed, n, by_time);
    const size_t low = timed[(n - 1) / 2].device, high = timed[n / 2].device;
    out->device[0] = facts->device[low].device;
    out->devices = 1;
    if (low == high || !ran_the_same(last_pass(passes, low), last_pass(passes, high), facts)) {
        s->middle_wait_ns = mean_waits(s, last_pass(passes, low), last_pass(passes, low));
        return;
    }
    out->device[1] = facts->device[high].device;
    out->devices = 2;
    s->middle_ns = mean_times(s, last_pass(passes, low), last_pass(passes, high));
    s->middle_wait_ns = mean_waits(s, last_pass(passes, low), last_pass(passes, high));
}

/* Rows of the device with the median time, collectives with their waits. */
void ttp_analysis_keep_middle(const struct ttp_stage *s, struct ttp_rows *rows)
{
    double id;
    size_t n = 0;

    if (s->middle_ns) {
        rows->mean_ns = TTP_NEW(s->arena, double, rows->count);
        rows->averaged = TTP_NEW(s->arena, bool, rows->count);
    }
    rows->wait_ns = TTP_NEW(s->arena, double, rows->count);
    rows->waits_inside = s->report->waits_inside = true;
    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t row = rows->row[i];
        const bool device =
            ttp_stage_traits(s, ttp_ops_sym(s->ops, TTP_OPS_TYPE, row)) & TTP_TRAIT_IS_DEVICE;
        if (device && ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_DEVICE, row), &id) &&
            id != (double)s->report->middle.device[0])
            continue;
        if (s->middle_ns) {
            rows->mean_ns[n] = s->middle_ns[row];
            rows->averaged[n] = !isnan(s->middle_ns[row]);
        }
        rows->wait_ns[n] = s->middle_wait_ns[row];
        rows->row[n++] = row;
    }
    rows->count = n;
}
