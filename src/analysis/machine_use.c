/* SPDX-License-Identifier: Apache-2.0 */
/* machine_use.c - clock, power and temperature of the chips during the window.
 *
 * The machine log has the host's time, operations have cycles of their device. No op begins before
 * the host sends it, so the op that followed its call fastest gives the shift between the two, as
 * in the timeline of 'tt-perf trace'. Replayed ops carry the host time of their capture and say
 * nothing. */
#include <math.h>

#include "analysis/phases.h"

/* Below this share of the full clock a chip is slowed down; readings are whole MHz. */
#define FULL_SHARE 0.98
/* A window farther from every sample than this was not observed. */
#define REACH_NS 2000000000.0

static bool number(const struct ttp_stage *s, enum ttp_ops_number column, uint32_t row, double *out)
{
    return ttp_cell_f64(ttp_ops_cell(s->ops, column, row), out) && isfinite(*out);
}

/* A device's cycles as nanoseconds of the host. */
struct device_clock {
    double ns_per_cycle, shift_ns;
    bool known;
};

static void look_at_row(struct device_clock *c, const struct ttp_stage *s, uint32_t row)
{
    double start, end, ns, host, replay;

    if (!number(s, TTP_OPS_FW_START_CYCLE, row, &start) ||
        !number(s, TTP_OPS_FW_END_CYCLE, row, &end) || !number(s, TTP_OPS_FW_NS, row, &ns) ||
        ns <= 0 || end <= start)
        return;
    if (!(c->ns_per_cycle > 0))
        c->ns_per_cycle = ns / (end - start);
    if (number(s, TTP_OPS_REPLAY, row, &replay) || !number(s, TTP_OPS_HOST_START, row, &host))
        return;
    const double lead = host - start * c->ns_per_cycle;
    c->shift_ns = c->known ? fmax(c->shift_ns, lead) : lead;
    c->known = true;
}

static struct device_clock find_clock(const struct ttp_stage *s, const struct ttp_device_run *d)
{
    struct device_clock c = {0};

    for (size_t i = 0; i < d->count; i++)
        look_at_row(&c, s, d->row[i]);
    return c;
}

struct span {
    double from_ns, to_ns;
};

/* When the device was in the window. False: unknown. */
static bool find_span(struct span *out, const struct ttp_stage *s, const struct ttp_device_run *d,
                      const struct ttp_pass *pass, size_t passes)
{
    const struct device_clock c = find_clock(s, d);
    double first = INFINITY, last = -INFINITY, cycle;

    for (size_t i = 0; i < passes; i++)
        for (size_t k = 0; k < pass[i].count; k++) {
            if (number(s, TTP_OPS_FW_START_CYCLE, pass[i].row[k], &cycle))
                first = fmin(first, cycle);
            if (number(s, TTP_OPS_FW_END_CYCLE, pass[i].row[k], &cycle))
                last = fmax(last, cycle);
        }
    *out = (struct span){first * c.ns_per_cycle + c.shift_ns, last * c.ns_per_cycle + c.shift_ns};
    return c.known && first < last;
}

static double full_clock(const struct ttp_machine_chip *chip)
{
    double most = 0;

    for (size_t i = 0; i < chip->count; i++)
        most = fmax(most, chip->sample[i].clock_mhz); /* skips NaN */
    return chip->clock_max_mhz > 0 ? chip->clock_max_mhz : most;
}

struct sums {
    double ns, mhz, watt, watt_ns, low_ns, lost_ns, limit_ns[TTP_THROTTLES];
};

/* Power and temperature are not read in every sample: until the next that has them they are as they
 * were. */
static void hold(struct ttp_machine_sample *held, const struct ttp_machine_sample *s)
{
    const struct ttp_machine_sample before = *held;

    *held = *s;
    if (isnan(s->power_w))
        held->power_w = before.power_w;
    if (isnan(s->temperature_c))
        held->temperature_c = before.temperature_c;
}

/* A sample holds until the next one. */
static void add_sample(struct ttp_machine_use *u, struct sums *sum,
                       const struct ttp_machine_sample *s, double ns)
{
    if (!(s->clock_mhz > 0) || ns <= 0)
        return;
    sum->ns += ns;
    sum->mhz += ns * s->clock_mhz;
    if (!isnan(s->power_w)) {
        sum->watt += ns * s->power_w;
        sum->watt_ns += ns;
    }
    u->power_max_w = fmax(u->power_max_w, s->power_w);
    u->temperature_max_c = fmax(u->temperature_max_c, s->temperature_c);
    if (s->clock_mhz >= u->full_mhz * FULL_SHARE)
        return;
    u->low_mhz = u->low_mhz > 0 ? fmin(u->low_mhz, s->clock_mhz) : s->clock_mhz;
    sum->low_ns += ns;
    sum->lost_ns += ns * (1 - s->clock_mhz / u->full_mhz);
    sum->limit_ns[s->throttle] += ns;
}

static void finish(struct ttp_machine_use *u, const struct sums *sum)
{
    u->known = sum->ns > 0;
    if (!u->known)
        return;
    u->mean_mhz = sum->mhz / sum->ns;
    u->power_w = sum->watt_ns > 0 ? sum->watt / sum->watt_ns : NAN;
    u->low_pct = sum->low_ns / sum->ns * 100;
    u->loss_pct = sum->lost_ns / sum->ns * 100;
    for (int i = TTP_THROTTLE_NONE + 1; i < TTP_THROTTLES; i++)
        if (sum->limit_ns[i] > sum->limit_ns[u->throttle] || u->throttle == TTP_THROTTLE_NONE)
            u->throttle = sum->limit_ns[i] > 0 ? (enum ttp_throttle)i : u->throttle;
}

static struct ttp_machine_use use_of(const struct ttp_machine_chip *chip, struct span span)
{
    struct ttp_machine_use u = {.chip = chip->bus,
                                .full_mhz = full_clock(chip),
                                .power_max_w = NAN,
                                .temperature_max_c = NAN,
                                .power_limit_w = chip->power_limit_w,
                                .heat_limit_c = chip->heat_limit_c};
    struct ttp_machine_sample held = {.power_w = NAN, .temperature_c = NAN};
    int64_t trips = -1;
    struct sums sum = {0};

    for (size_t i = 0; i < chip->count; i++) {
        const struct ttp_machine_sample *s = &chip->sample[i];
        const bool first = i == 0, last = i + 1 == chip->count;
        const double at = (double)s->time_ns;
        const double from = first ? at - REACH_NS : at;
        const double to = last ? at + REACH_NS : (double)s[1].time_ns;

        hold(&held, s);
        add_sample(&u, &sum, &held, fmin(to, span.to_ns) - fmax(from, span.from_ns));
        if (at <= span.to_ns && s->trips >= 0) {
            u.trips += trips >= 0 && at >= span.from_ns ? s->trips - trips : 0;
            trips = s->trips;
        }
    }
    finish(&u, &sum);
    return u;
}

/* The chip of a device: its PCIe address says nothing about the number that the program gave it,
 * but both count in the same order. With more devices than chips, such as two of one n300, a device
 * may be any of them: the slowest counts. */
static struct ttp_machine_use worst_use(const struct ttp_machine_log *log, size_t device,
                                        size_t devices, struct span span)
{
    struct ttp_machine_use worst = {0};

    if (log->count == devices)
        return use_of(&log->chip[device], span);
    for (size_t i = 0; i < log->count; i++) {
        const struct ttp_machine_use u = use_of(&log->chip[i], span);

        if (u.known && (!worst.known || u.loss_pct > worst.loss_pct))
            worst = u;
    }
    return worst;
}

void ttp_analysis_stage_machine(struct ttp_stage *s, const struct ttp_passes *passes,
                                const struct ttp_phase_facts *facts)
{
    const struct ttp_machine_log *log = s->ops->machine;
    struct ttp_machine_use *worst = &s->report->machine;
    struct span span;

    *worst = (struct ttp_machine_use){0};
    if (!log || !log->aligned)
        return;
    for (size_t d = 0; d < facts->devices; d++) {
        if (!passes->count[d] ||
            !find_span(&span, s, &facts->device[d], passes->pass[d], passes->count[d]))
            continue;
        const struct ttp_machine_use u = worst_use(log, d, facts->devices, span);
        if (u.known && (!worst->known || u.loss_pct > worst->loss_pct))
            *worst = u;
    }
}
