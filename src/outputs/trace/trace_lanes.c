/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "outputs/trace/trace_run.h"

static void end_until(struct ttp_lanes *lanes, struct ttp_lane *lane, int64_t ns)
{
    while (lane->depth && lane->end[lane->depth - 1] <= ns)
        ttp_out_trace_end(lanes->w, lane->track, lane->end[--lane->depth]);
}

static bool has_room(const struct ttp_lanes *lanes, const struct ttp_lane *lane, int64_t end_ns)
{
    return lane->depth == 0 || (!lanes->flat && lane->end[lane->depth - 1] >= end_ns);
}

/* The track of the newest lane; threads whose zones overlap have several, distinguished by a
 * number.
 */
static ttp_track add_track(const struct ttp_lanes *lanes)
{
    struct ttp_trace_track spec = lanes->spec;
    struct ttp_sink name;

    if (lanes->nlanes > 1 && spec.kind == TTP_TRACK_THREAD) {
        ttp_sink_to_arena(&name, lanes->w->arena);
        ttp_sink_printf(&name, "%.*s, overlapping %zu", TTP_FMT(spec.name),
                        (size_t)lanes->nlanes - 1);
        spec.name = ttp_sink_text(&name);
    }
    return ttp_out_trace_add_track(lanes->w, &spec);
}

bool ttp_out_lanes_put(struct ttp_lanes *lanes, const struct ttp_trace_slice *s)
{
    struct ttp_lane *lane = lanes->lane;

    for (;; lane++) {
        if (lane == lanes->lane + TTP_LANES_MAX)
            return false;
        if (lane == lanes->lane + lanes->nlanes) {
            lanes->nlanes++;
            *lane = (struct ttp_lane){.track = add_track(lanes)};
        }
        end_until(lanes, lane, s->start_ns);
        if (has_room(lanes, lane, s->end_ns))
            break;
    }
    TTP_RESERVE(lanes->w->arena, lane->end, lane->depth + 1, lane->cap);
    ttp_out_trace_begin(lanes->w, lane->track, s);
    lane->end[lane->depth++] = s->end_ns;
    return true;
}

void ttp_out_lanes_finish(struct ttp_lanes *lanes)
{
    for (size_t i = 0; i < lanes->nlanes; i++)
        end_until(lanes, &lanes->lane[i], INT64_MAX);
}
