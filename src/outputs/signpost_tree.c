/* SPDX-License-Identifier: Apache-2.0 */
/* signpost_tree.c - the ranges that signposts of a run mark, as a tree. */
#include "base/gate.h"
#include "outputs/json_members.h"
#include "outputs/outputs.h"
#include "outputs/paint.h"
#include "outputs/report_writers.h"

/* Those of the first host stand for all. */
static bool is_shown(const struct ttp_ranges *ranges, size_t i)
{
    return ranges->item[i].first_of == i + 1;
}

static void put_text(struct ttp_sink *out, const struct ttp_ranges *ranges)
{
    ttp_sink_own(out, "  Share   Time μs   Gaps μs    Ops  Replays         Ids  Range\n");
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ttp_range *r = &ranges->item[i];

        if (!is_shown(ranges, i))
            continue;
        ttp_sink_printf(out, "%5.1f %% %9.1f %9.1f %6zu ", r->share_pct, r->time_us, r->gap_us,
                        r->ops);
        if (r->replays)
            ttp_sink_printf(out, "%8zu ", r->replays);
        else
            ttp_sink_repeat(out, ' ', 9);
        ttp_sink_printf(out, "%5u-%-5u  ", r->first_row + 2, r->last_row + 1);
        ttp_sink_repeat(out, ' ', (size_t)2 * r->depth);
        ttp_sink_put(out, r->name);
        if (r->open)
            ttp_sink_own(out, " (to the end)");
        ttp_sink_char(out, '\n');
    }
}

static void put_csv(struct ttp_sink *out, const struct ttp_ranges *ranges)
{
    ttp_sink_own(out, "name,depth,first_id,last_id,ops,replays,device_time_us,gap_us,share_pct\n");
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ttp_range *r = &ranges->item[i];

        if (!is_shown(ranges, i))
            continue;
        ttp_gate_put_csv(out, r->name);
        ttp_sink_printf(out, ",%u,%u,%u,%zu,%zu,", r->depth, r->first_row + 2, r->last_row + 1,
                        r->ops, r->replays);
        ttp_sink_f64(out, r->time_us, TTP_NUM_PYTHON);
        ttp_sink_char(out, ',');
        ttp_sink_f64(out, r->gap_us, TTP_NUM_PYTHON);
        ttp_sink_char(out, ',');
        ttp_sink_f64(out, r->share_pct, TTP_NUM_PYTHON);
        ttp_sink_char(out, '\n');
    }
}

static void put_markdown(struct ttp_sink *out, const struct ttp_ranges *ranges)
{
    ttp_sink_own(out, "| Range | Ops | Replays | Time μs | Gaps μs | Share |\n"
                      "|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ttp_range *r = &ranges->item[i];

        if (!is_shown(ranges, i))
            continue;
        ttp_sink_own(out, "| ");
        for (uint32_t d = 0; d < r->depth; d++)
            ttp_sink_own(out, "&nbsp;&nbsp;");
        ttp_gate_put_markdown(out, r->name);
        ttp_sink_printf(out, " | %zu | %zu | %.1f | %.1f | %.1f %% |\n", r->ops, r->replays,
                        r->time_us, r->gap_us, r->share_pct);
    }
}

void ttp_out_signposts(struct ttp_sink *out, enum ttp_report_form form,
                       const struct ttp_ranges *ranges)
{
    if (form == TTP_REPORT_CSV)
        put_csv(out, ranges);
    else if (ranges->count == 0)
        ttp_sink_own(out, "no ranges: the run has no signposts, or none with ops behind it\n");
    else if (form == TTP_REPORT_MARKDOWN)
        put_markdown(out, ranges);
    else
        put_text(out, ranges);
}

void ttp_out_signposts_json(struct ttp_json_writer *w, const struct ttp_ranges *ranges)
{
    ttp_member_array(w, "ranges");
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ttp_range *r = &ranges->item[i];

        if (!is_shown(ranges, i))
            continue;
        ttp_json_begin_object(w);
        ttp_member_str(w, "name", r->name);
        ttp_member_u64(w, "depth", r->depth);
        ttp_member_u64(w, "first_id", (uint64_t)r->first_row + 2);
        ttp_member_u64(w, "last_id", (uint64_t)r->last_row + 1);
        ttp_member_u64(w, "ops", r->ops);
        ttp_member_u64(w, "replays", r->replays);
        ttp_member_f64(w, "device_time_us", r->time_us);
        ttp_member_f64(w, "gap_us", r->gap_us);
        ttp_member_f64(w, "share_pct", r->share_pct);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
}
