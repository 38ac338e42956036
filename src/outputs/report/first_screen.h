/* SPDX-License-Identifier: Apache-2.0 */
/* first_screen.h - ops of a window in groups, for the first screen of a report. Private to outputs.
 */
#ifndef TTP_OUTPUTS_REPORT_FIRST_SCREEN_H
#define TTP_OUTPUTS_REPORT_FIRST_SCREEN_H

#include "outputs/outputs.h"

/* Ops with the same name and shape. */
struct ttp_screen_group {
    ttp_str name;
    size_t first; /* of its ops, by index in the report */
    size_t count;
    double time_us, min_us, max_us; /* the sum; the shortest and longest of its ops */
    double dram_pct, flops_pct;     /* means over their time; 0: unknown */
    double dram_us, flops_us;       /* time of the ops for which they are known */
    double limit_us[TTP_LIMITS];
    int64_t cores; /* of the first; 0: they differ, or it is unknown */
};
struct ttp_screen_groups {
    struct ttp_screen_group *item; /* the longest first */
    size_t count;
    double time_us;          /* of all */
    double wait_us;          /* what devices wait for each other; not in time_us */
    const ttp_str *op_group; /* of each op: the name of its group; empty: none */
};
/* Share of a time of the device time, waits included, in percent; 0: there is none. */
static inline double ttp_out_screen_share(const struct ttp_screen_groups *groups, double us)
{
    const double all = groups->time_us + groups->wait_us;

    return all > 0 ? us / all * 100 : 0;
}
#define TTP_REPORT_UNKNOWN "unknown"
/* Why rows of several devices add up to more than a device takes; empty: they do not. */
ttp_str ttp_out_report_slowest(const struct ttp_report *report, struct ttp_arena *arena);
/* What bounds most of its time; TTP_REPORT_UNKNOWN where the run does not say. */
const char *ttp_out_screen_group_bound(const struct ttp_screen_group *group);

/* The time of one iteration by what bounds its ops. */
struct ttp_budget_part {
    const char *name, *meaning;
    double time_us, pct; /* pct: of the device time; if it is idle: of the iteration */
    bool idle;           /* the device waits for the host */
};
#define TTP_BUDGET_PARTS 13
struct ttp_time_budget {
    struct ttp_budget_part part[TTP_BUDGET_PARTS]; /* the largest first */
    size_t count;
};
void ttp_out_screen_budget(struct ttp_time_budget *out, const struct ttp_report *report);
extern const struct ttp_fields ttp_budget_fields;

/* Groups of the device ops by name and shape, or by name alone where `most` groups would otherwise
 * show too little of the time. */
void ttp_out_screen_group_ops(struct ttp_screen_groups *out, const struct ttp_report *report,
                              size_t most, struct ttp_arena *arena);

/* What a user sees first: a headline of the window and its ops in groups. */
void ttp_out_first_screen(const struct ttp_show *show, const struct ttp_report_view *view);
/* Its first lines alone. */
void ttp_out_headline(const struct ttp_show *show, const struct ttp_report_view *view);
/* The report as a page. */
TTP_NODISCARD ttp_code ttp_out_report_html(const struct ttp_show *show,
                                           const struct ttp_report_view *view, struct ttp_err *err);

#endif
