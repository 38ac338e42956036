/* SPDX-License-Identifier: Apache-2.0 */
/* check_run.c - samples of the boards during a recorded run. */
#include <math.h>

#include "host/checkup.h"

/* Loss of time, in percent, from which a run is not worth comparing: a proposal. */
#define LOSS_WARN_PCT 0.5
#define LOSS_FAIL_PCT 2.0
/* How near to a limit is near: proposals, as for the machine itself. */
#define MARGIN_C  15
#define NEAR_FULL 0.9

/* Samples have the limits that the driver stated at that time. */
#define ORIGIN_SAMPLES "machine_log.csv of the run"

static struct ttp_check *add(struct ttp_checkup *c, enum ttp_verdict_level level, ttp_str value)
{
    const struct ttp_doctor_run_facts *run = c->in->run;
    struct ttp_check *k = ttp_check_add(c, NULL, level, "%.*s", TTP_FMT(value));

    k->where = ttp_str_from(run->chip);
    k->source = ttp_str_from(run->name);
    k->origin = TTP_STR(TTP_ORIGIN_OURS);
    return k;
}

void ttp_check_run_clock(struct ttp_checkup *c)
{
    const struct ttp_doctor_run_facts *run = c->in->run;

    if (!run)
        return;
    if (!run->known) {
        struct ttp_check *k = add(c, TTP_CHECK_SKIP, TTP_STR("no samples"));

        k->text = TTP_STR("the run has no samples of its boards in its window");
        k->fix = TTP_STR("record it with 'tt-perf record' on the machine that has them");
        return;
    }
    if (!(run->low_pct > 0)) {
        add(c, TTP_CHECK_PASS, ttp_check_text(c, "%.0f MHz all the time", run->full_mhz));
        return;
    }
    struct ttp_check *k =
        add(c,
            run->loss_pct >= LOSS_FAIL_PCT   ? TTP_CHECK_FAIL
            : run->loss_pct >= LOSS_WARN_PCT ? TTP_CHECK_WARN
                                             : TTP_CHECK_INFO,
            ttp_check_text(c, "%.0f MHz for %.0f %% of the window", run->low_mhz, run->low_pct));
    k->limit = ttp_check_text(c, "full clock %.0f MHz", run->full_mhz);
    k->origin = TTP_STR(ORIGIN_SAMPLES);
    k->held = strcmp(run->throttle, "heat") == 0    ? TTP_HELD_HEAT
              : strcmp(run->throttle, "power") == 0 ? TTP_HELD_POWER
                                                    : TTP_HELD_UNKNOWN;
    k->text = ttp_check_text(c, "%s%sat full clock it would take up to %.1f %% less time",
                             *run->throttle ? run->throttle : "", *run->throttle ? " limit; " : "",
                             run->loss_pct);
    k->fix = strcmp(run->throttle, "heat") == 0
                 ? TTP_STR("improve the air flow, then record again")
                 : TTP_STR("check the power cable and the supply, then record again");
}

void ttp_check_run_heat(struct ttp_checkup *c)
{
    const struct ttp_doctor_run_facts *run = c->in->run;

    if (!run || !run->known || isnan(run->temperature_max_c) || isnan(run->heat_limit_c))
        return;
    const bool hot = run->temperature_max_c >= run->heat_limit_c;
    struct ttp_check *k =
        add(c,
            hot || run->trips                                        ? TTP_CHECK_FAIL
            : run->temperature_max_c >= run->heat_limit_c - MARGIN_C ? TTP_CHECK_WARN
                                                                     : TTP_CHECK_PASS,
            ttp_check_text(c, "up to %.0f C", run->temperature_max_c));
    k->limit = ttp_check_text(c, "throttles at %.0f C", run->heat_limit_c);
    k->origin = TTP_STR(ORIGIN_SAMPLES);
    if (run->trips)
        k->text = ttp_check_text(c, "%lld thermal shutdowns during the run", (long long)run->trips);
    else if (hot)
        k->text = TTP_STR("it throttled");
    if (k->level != TTP_CHECK_PASS)
        k->fix = TTP_STR("improve the air flow, then record again");
}

void ttp_check_run_power(struct ttp_checkup *c)
{
    const struct ttp_doctor_run_facts *run = c->in->run;

    if (!run || !run->known || isnan(run->power_max_w) || !(run->power_limit_w > 0))
        return;
    const bool near = run->power_max_w >= NEAR_FULL * run->power_limit_w;
    struct ttp_check *k = add(c, near ? TTP_CHECK_WARN : TTP_CHECK_PASS,
                              ttp_check_text(c, "up to %.0f W", run->power_max_w));
    k->limit = ttp_check_text(c, "%.0f W", run->power_limit_w);
    k->origin = TTP_STR(ORIGIN_SAMPLES);
    if (near)
        k->fix = TTP_STR("a lower math fidelity draws less power for the same work");
}
