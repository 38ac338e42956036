/* SPDX-License-Identifier: Apache-2.0 */
/* chip_view.c - values of a chip from two samples, in usual units. */
#include <math.h>

#include "host/host.h"
#include "host/machine.h"

static double number(const struct ttp_reading *r, double scale)
{
    int64_t v;

    return ttp_reading_number(r, &v) ? (double)v * scale : NAN;
}

static double fact(const struct ttp_chip *chip, enum ttp_fact which)
{
    double v;

    return ttp_board_fact(chip->board, which, &v) ? v : NAN;
}

static enum ttp_beat beat_of(const struct ttp_host *host, const struct ttp_reading *before,
                             const struct ttp_reading *after, uint64_t elapsed_ns)
{
    int64_t a, b;

    if (!ttp_reading_number(before, &a) || !ttp_reading_number(after, &b))
        return TTP_BEAT_UNKNOWN;
    if (a != b)
        return TTP_BEAT_MOVES;
    /* ten beats a second: a shorter time, or a copy, tells nothing */
    return elapsed_ns >= 400000000 && host->live ? TTP_BEAT_FROZEN : TTP_BEAT_UNKNOWN;
}

/* Nothing in sysfs says why the clock is low; at a limit it is that limit. */
const char *ttp_host_chip_throttle(const struct ttp_chip_view *v, double current,
                                   double current_limit)
{
    if (v->temperature_c >= v->temperature_limit_c)
        return "heat";
    if (v->power_w >= 0.98 * v->power_limit_w)
        return "power";
    if (current >= 0.98 * current_limit)
        return "current";
    return "";
}

void ttp_host_chip_view(struct ttp_chip_view *out, const struct ttp_host *host,
                        const struct ttp_host_sample *limits, struct ttp_host_interval over,
                        size_t i)
{
    const struct ttp_chip *chip = &host->chip[i];
    const struct ttp_reading *a = over.after->chip[i].attr, *fixed = limits->chip[i].attr;
    const struct ttp_source *source;
    struct ttp_pcie_rate rate;
    int64_t mc;

    *out = (struct ttp_chip_view){
        .clock_mhz = number(&a[TTP_CHIP_AICLK_MHZ], 1),
        .clock_max_mhz = fact(chip, TTP_FACT_AICLK_MAX_MHZ),
        .temperature_c = number(&a[TTP_CHIP_TEMP_MC], 1e-3),
        .temperature_limit_c = NAN,
        .power_w = number(&a[TTP_CHIP_POWER_UW], 1e-6),
        .power_limit_w = number(&fixed[TTP_CHIP_POWER_MAX_UW], 1e-6),
        .to_chip_bytes_s = NAN,
        .from_chip_bytes_s = NAN,
        .beat = TTP_BEAT_UNKNOWN,
    };
    if (ttp_host_throttle_mc(&mc, &source, chip, &limits->chip[i]))
        out->temperature_limit_c = (double)mc / 1000;
    if (isnan(out->power_limit_w))
        out->power_limit_w = fact(chip, TTP_FACT_TDP_W);
    if (over.before && ttp_host_pcie_rate(&rate, over.before, over.after, i)) {
        out->to_chip_bytes_s = rate.to_chip_bytes_s;
        out->from_chip_bytes_s = rate.from_chip_bytes_s;
    }
    if (over.before)
        out->beat = beat_of(host, &over.before->chip[i].attr[TTP_CHIP_HEARTBEAT],
                            &a[TTP_CHIP_HEARTBEAT], over.after->time_ns - over.before->time_ns);
    out->throttle = ttp_host_chip_throttle(out, number(&a[TTP_CHIP_CURRENT_MA], 1),
                                           number(&fixed[TTP_CHIP_CURRENT_MAX_MA], 1));
}
