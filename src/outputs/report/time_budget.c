/* SPDX-License-Identifier: Apache-2.0 */
/* time_budget.c - the time of one iteration by what bounds its ops. */
#include <stdlib.h>

#include "base/quantity.h"
#include "base/sink.h"
#include "outputs/report/first_screen.h"

/* Sums that differ by less are the same. */
#define ROUNDING_PART 0.0005

enum part {
    PART_DRAM,
    PART_COMPUTE,
    PART_CCL,
    PART_WAIT,
    PART_MOVING,
    PART_NOC,
    PART_CORES,
    PART_IMBALANCE,
    PART_PADDING,
    PART_OTHER,
    PART_UNKNOWN,
    PART_GAPS,
    PART_COLD,
    PARTS
};

_Static_assert((int)PARTS == TTP_BUDGET_PARTS, "all parts have room");

static const struct ttp_field fields[] = {
    TTP_WORDS_COLUMN("part", "Bound by", 0, TTP_FIGURE(struct ttp_budget_part, name)),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, TTP_FIGURE(struct ttp_budget_part, time_us)),
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, TTP_FIGURE(struct ttp_budget_part, pct),
                    .help = "of the device time; of gaps: of the iteration"),
    TTP_WORDS_COLUMN("meaning", "Meaning", 0, TTP_FIGURE(struct ttp_budget_part, meaning)),
};
const struct ttp_fields ttp_budget_fields = {TTP_FIELDS(fields)};

static enum part part_of(const struct ttp_op *op)
{
    static const enum part part[TTP_LIMITS] = {
        [TTP_LIMIT_NONE] = PART_UNKNOWN,    [TTP_LIMIT_HOST] = PART_OTHER,
        [TTP_LIMIT_DRAM] = PART_DRAM,       [TTP_LIMIT_FLOP] = PART_COMPUTE,
        [TTP_LIMIT_BOTH] = PART_COMPUTE,    [TTP_LIMIT_LINK] = PART_CCL,
        [TTP_LIMIT_NOC] = PART_NOC,         [TTP_LIMIT_CORES] = PART_CORES,
        [TTP_LIMIT_PADDING] = PART_PADDING, [TTP_LIMIT_IMBALANCE] = PART_IMBALANCE,
        [TTP_LIMIT_READER] = PART_MOVING,   [TTP_LIMIT_WRITER] = PART_MOVING,
        [TTP_LIMIT_COMPUTE] = PART_COMPUTE, [TTP_LIMIT_GAP] = PART_OTHER,
        [TTP_LIMIT_SLOW] = PART_OTHER,
    };
    const bool moves = op->category == TTP_CATEGORY_TM || op->category == TTP_CATEGORY_DM;

    if (op->category == TTP_CATEGORY_CCL)
        return PART_CCL;
    const enum part found = part[ttp_analysis_limit(op)];
    return (found == PART_OTHER || found == PART_UNKNOWN) && moves ? PART_MOVING : found;
}

static int by_time(const void *pa, const void *pb)
{
    const struct ttp_budget_part *a = pa, *b = pb;

    return (a->time_us < b->time_us) - (a->time_us > b->time_us);
}

static bool is_device(const struct ttp_op *op)
{
    return op->kind == TTP_OP_DEVICE;
}

/* Gaps before programs that run for the first time. A steady iteration has none. */
static double cold_us(const struct ttp_report *r)
{
    double us = 0;

    for (size_t i = 0; i < r->count; i++)
        us += ttp_analysis_is_cold(r, &r->op[i]) ? r->op[i].gap_us : 0;
    return us;
}

void ttp_out_screen_budget(struct ttp_time_budget *out, const struct ttp_report *r)
{
    static const struct {
        const char *name, *meaning;
    } part[PARTS] = {
        [PART_DRAM] = {"DRAM", "operations limited by DRAM bandwidth"},
        [PART_COMPUTE] = {"compute", "operations limited by the matrix and vector units"},
        [PART_CCL] = {"collectives", "transfers between chips, without waiting"},
        [PART_WAIT] = {"waiting", "chips that wait in a collective for the slowest chip"},
        [PART_MOVING] = {"data movement",
                         "operations that copy or rearrange tensors, or wait for their reader or "
                         "writer"},
        [PART_NOC] = {"NoC", "operations limited by transfers on the chip"},
        [PART_CORES] = {"cores", "operations that use less than half of the cores"},
        [PART_IMBALANCE] = {"imbalance", "operations whose slowest core works much longer"},
        [PART_PADDING] = {"padding", "operations whose data is mostly padding"},
        [PART_OTHER] = {"no single limit", "operations that reach no limit that is known"},
        [PART_UNKNOWN] = {"unknown", "operations of which the run has neither tensors nor waits"},
        [PART_GAPS] = {"host gaps", "the device waits for the next operation from the host"},
        [PART_COLD] = {"cold start", "the device waits for programs that run for the first time"},
    };
    const struct ttp_window *w = &r->window;
    double us[PARTS] = {0}, all = 0;

    for (size_t i = 0; i < r->count; i++)
        if (is_device(&r->op[i]) && r->op[i].has & TTP_HAS_TIME) {
            us[part_of(&r->op[i])] += r->op[i].time_us;
            us[PART_WAIT] += r->op[i].has & TTP_HAS_WAIT ? r->op[i].wait_us : 0;
        }
    for (size_t p = 0; p < PARTS; p++)
        all += us[p];
    /* rows of several devices do not add up to the time of one */
    const double share = w->devices && all > 0 ? w->device_us / all : 1;
    for (size_t p = 0; p < PARTS; p++)
        us[p] *= share;
    const double gaps = w->devices ? w->gap_us : r->gap_us;
    const double cold = cold_us(r);
    us[PART_COLD] = cold < gaps ? cold : gaps;
    us[PART_GAPS] = gaps - us[PART_COLD];
    all *= share;
    *out = (struct ttp_time_budget){0};
    for (size_t p = 0; p < PARTS; p++) {
        const bool idle = p == PART_GAPS || p == PART_COLD;
        if (us[p] > 0)
            out->part[out->count++] =
                (struct ttp_budget_part){part[p].name, part[p].meaning, us[p],
                                         us[p] / (idle ? all + gaps : all) * 100, idle};
    }
    qsort(out->part, out->count, sizeof(*out->part), by_time);
}

ttp_str ttp_out_report_slowest(const struct ttp_report *report, struct ttp_arena *arena)
{
    const struct ttp_window *w = &report->window;
    const double rows = report->time_us + report->wait_us;

    if (!report->merged || w->devices < 2 || !(rows > w->device_us * (1 + ROUNDING_PART)))
        return (ttp_str){0};
    return ttp_sink_format(
        arena, "each op with its slowest device: one device takes %.*s (%.1f %%) less",
        TTP_FMT(ttp_time_us_text(rows - w->device_us, arena)), (rows - w->device_us) / rows * 100);
}

const char *ttp_out_screen_group_bound(const struct ttp_screen_group *group)
{
    size_t most = TTP_LIMIT_NONE;
    const char *name;

    if (group->dram_pct > 100 || group->flops_pct > 100) /* what cannot be decides nothing */
        return "";
    for (size_t l = 0; l < TTP_LIMITS; l++)
        most = group->limit_us[l] > group->limit_us[most] ? l : most;
    name = ttp_diagnosis_limit_name((enum ttp_limit)most);
    return *name || !(group->limit_us[most] > 0) ? name : TTP_REPORT_UNKNOWN;
}
