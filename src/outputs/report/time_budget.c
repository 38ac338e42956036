/* SPDX-License-Identifier: Apache-2.0 */
/* time_budget.c - the time of one iteration by what bounds its ops. */
#include <stdlib.h>

#include "outputs/report/first_screen.h"

enum part {
    PART_DRAM,
    PART_COMPUTE,
    PART_CCL,
    PART_WAIT,
    PART_MOVING,
    PART_OTHER,
    PART_GAPS,
    PARTS
};
_Static_assert((int)PARTS == TTP_BUDGET_PARTS, "all parts have room");

static const struct ttp_field fields[] = {
    TTP_WORDS_COLUMN("part", "Bound by", 0, TTP_FIGURE(struct ttp_budget_part, name)),
    TTP_REAL_COLUMN("device_time_us", "Time", "us", 1, 0,
                    TTP_FIGURE(struct ttp_budget_part, time_us)),
    TTP_REAL_COLUMN("share_pct", "Share", "%", 1, 0, TTP_FIGURE(struct ttp_budget_part, pct)),
};
const struct ttp_fields ttp_budget_fields = {TTP_FIELDS(fields)};

static enum part part_of(const struct ttp_op *op)
{
    if (op->category == TTP_CATEGORY_CCL)
        return PART_CCL;
    if (op->bound == TTP_BOUND_DRAM)
        return PART_DRAM;
    if (op->bound == TTP_BOUND_FLOP || op->bound == TTP_BOUND_BOTH)
        return PART_COMPUTE;
    return op->category == TTP_CATEGORY_TM || op->category == TTP_CATEGORY_DM ? PART_MOVING
                                                                              : PART_OTHER;
}

static int by_time(const void *pa, const void *pb)
{
    const struct ttp_budget_part *a = pa, *b = pb;

    return (a->time_us < b->time_us) - (a->time_us > b->time_us);
}

void ttp_screen_budget(struct ttp_time_budget *out, const struct ttp_report *r)
{
    static const char *const names[PARTS] = {
        [PART_DRAM] = "DRAM",
        [PART_COMPUTE] = "compute",
        [PART_CCL] = "collectives",
        [PART_WAIT] = "waiting",
        [PART_MOVING] = "data movement",
        [PART_OTHER] = "no single limit",
        [PART_GAPS] = "host gaps",
    };
    const struct ttp_window *w = &r->window;
    double us[PARTS] = {0}, all = 0;

    for (size_t i = 0; i < r->count; i++)
        if (r->op[i].kind == TTP_OP_DEVICE && r->op[i].has & TTP_HAS_TIME) {
            us[part_of(&r->op[i])] += r->op[i].time_us;
            us[PART_WAIT] += r->op[i].has & TTP_HAS_WAIT ? r->op[i].wait_us : 0;
        }
    for (size_t p = 0; p < PARTS; p++)
        all += us[p];
    /* rows of several devices do not add up to the time of one */
    const double part = w->devices && all > 0 ? w->device_us / all : 1;
    for (size_t p = 0; p < PARTS; p++)
        us[p] *= part;
    us[PART_GAPS] = w->devices ? w->gap_us : r->gap_us;
    all = all * part + us[PART_GAPS];
    *out = (struct ttp_time_budget){0};
    for (size_t p = 0; p < PARTS; p++)
        if (us[p] > 0)
            out->part[out->count++] = (struct ttp_budget_part){names[p], us[p], us[p] / all * 100};
    qsort(out->part, out->count, sizeof(*out->part), by_time);
}

const char *ttp_screen_group_bound(const struct ttp_screen_group *group)
{
    size_t most = TTP_BOUND_NONE;

    if (group->dram_pct > 100 || group->flops_pct > 100) /* what cannot be decides nothing */
        return "";
    for (size_t b = 0; b <= TTP_BOUND_HOST; b++)
        most = group->bound_us[b] > group->bound_us[most] ? b : most;
    return ttp_analysis_bound_name((enum ttp_bound)most);
}
