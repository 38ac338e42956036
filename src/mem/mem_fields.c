/* SPDX-License-Identifier: Apache-2.0 */
/* mem_fields.c - the figures of an op on a device, each declared once. */
#include "mem/mem.h"

/* Is the peak of an op exact? A program that was laid out before the capture has circular buffers
 * that are not in it. */
static ttp_str mark_of(const struct ttp_mem_op *op)
{
    return op->cb_unknown ? TTP_STR(">=") : op->cb_inferred ? TTP_STR("~") : TTP_STR("");
}

static struct ttp_value share(uint64_t part, int64_t all)
{
    return all > 0 ? ttp_value_f64(100.0 * (double)part / (double)all) : (struct ttp_value){0};
}

static struct ttp_value fragmentation(struct ttp_mem_gaps g)
{
    return g.known && g.free ? ttp_value_f64(100.0 * (1.0 - (double)g.largest / (double)g.free))
                             : (struct ttp_value){0};
}

#define GET(name, expression)                                                                      \
    static struct ttp_value get_##name(const void *context, const void *row)                       \
    {                                                                                              \
        const struct ttp_mem_capture *c = context;                                                 \
        const struct ttp_mem_line *line = row;                                                     \
        const struct ttp_mem_op *op = &c->op[line->op];                                            \
        const struct ttp_mem_device *device = &c->device[line->device];                            \
        const struct ttp_mem_use *use = &c->use[line->op * c->devices + line->device];             \
        (void)op, (void)device, (void)use;                                                         \
        return expression;                                                                         \
    }
GET(op, ttp_value_i64(op->id))
GET(name, ttp_value_text(op->name))
GET(device, ttp_value_i64(device->id))
GET(time, op->finished ? ttp_value_f64((double)op->duration_ns / 1e3) : (struct ttp_value){0})
GET(peak, ttp_value_i64((int64_t)use->peak.l1))
GET(inferred, ttp_value_i64((int64_t)use->peak_inferred))
GET(exact, ttp_value_text(mark_of(op)))
GET(pct, share(use->peak_inferred, device->l1_bank_bytes))
GET(cb, ttp_value_i64((int64_t)use->peak.cb))
GET(cb_inferred, ttp_value_i64((int64_t)use->cb_inferred))
GET(input, ttp_value_i64((int64_t)use->peak.part[TTP_MEM_INPUT]))
GET(output, ttp_value_i64((int64_t)use->peak.part[TTP_MEM_OUTPUT]))
GET(intermediate, ttp_value_i64((int64_t)use->peak.part[TTP_MEM_INTERMEDIATE]))
GET(waiting, ttp_value_i64((int64_t)use->peak.part[TTP_MEM_WAITING]))
GET(stale, ttp_value_i64((int64_t)use->peak.part[TTP_MEM_STALE]))
GET(headroom, use->has_headroom ? ttp_value_i64(use->headroom_min) : (struct ttp_value){0})
GET(largest_free,
    use->has_largest_free ? ttp_value_i64((int64_t)use->largest_free_min) : (struct ttp_value){0})
GET(end_free, use->end.known ? ttp_value_i64((int64_t)use->end.free) : (struct ttp_value){0})
GET(fragmentation, fragmentation(use->end))
GET(end_l1, ttp_value_i64((int64_t)use->end_l1))
GET(end_dram, ttp_value_i64((int64_t)use->end_dram))
GET(end_small, ttp_value_i64((int64_t)use->end_small))
GET(finished, ttp_value_bool(op->finished))

#define FIELD(name, heading, of, kind, places, order, table, text, getter, what)                   \
    {                                                                                              \
        .id = (name), .title = (heading), .unit = (of), .type = (kind), .digits = (places),        \
        .drop = (order), .in_table = (table), .left = (text), .get = get_##getter, .help = (what)  \
    }
static const struct ttp_field fields[] = {
    FIELD("op", "Op", "", TTP_I64, 0, 0, true, false, op,
          "number of the op, as ttnn-visualizer counts them"),
    FIELD("name", "Name", "", TTP_TEXT, 0, 0, true, true, name, "function of the op"),
    FIELD("device", "Device", "", TTP_I64, 0, 9, false, false, device, "id of the memory device"),
    FIELD("time_us", "Host", "us", TTP_F64, 1, 4, true, false, time,
          "time on the host; null if it never ended"),
    FIELD("l1_peak_bytes", "In Capture", "bytes", TTP_I64, 0, 7, false, false, peak,
          "most L1 in use per bank, by tensors and the fullest core's circular buffers, without "
          "those of earlier launches"),
    FIELD("l1_peak_inferred_bytes", "Peak", "bytes", TTP_I64, 0, 0, true, false, inferred,
          "the peak with circular buffers of earlier launches of the same function"),
    FIELD("l1_peak_mark", "", "", TTP_TEXT, 0, 0, true, true, exact,
          "~: circular buffers are those of an earlier launch; >=: they are unknown"),
    FIELD("l1_percent", "L1", "%", TTP_F64, 0, 3, true, false, pct, "share of the bank"),
    FIELD("cb_bytes", "CB in Capture", "bytes", TTP_I64, 0, 7, false, false, cb,
          "at the peak in the capture: circular buffers of the fullest core"),
    FIELD("cb_inferred_bytes", "CB", "bytes", TTP_I64, 0, 0, true, false, cb_inferred,
          "at the peak: circular buffers of the fullest core, or of an earlier launch"),
    FIELD("input_bytes", "In", "bytes", TTP_I64, 0, 0, true, false, input,
          "at the peak: older tensors that the op uses"),
    FIELD("output_bytes", "Out", "bytes", TTP_I64, 0, 0, true, false, output,
          "at the peak: allocated in the op, and outlives it"),
    FIELD("intermediate_bytes", "Inter", "bytes", TTP_I64, 0, 5, true, false, intermediate,
          "at the peak: allocated and freed in the op"),
    FIELD("waiting_bytes", "Wait", "bytes", TTP_I64, 0, 6, true, false, waiting,
          "at the peak: not used by the op, but by a later one"),
    FIELD("stale_bytes", "Stale", "bytes", TTP_I64, 0, 0, true, false, stale,
          "at the peak: used neither by the op nor later"),
    FIELD("headroom_bytes", "Headroom", "bytes", TTP_I64, 0, 1, true, false, headroom,
          "smallest distance between circular buffers and the lowest tensor; below 0 they overlap"),
    FIELD("largest_free_bytes", "Largest Free", "bytes", TTP_I64, 0, 2, true, false, largest_free,
          "smallest size of the largest block without tensors; circular buffers are not counted"),
    FIELD("end_free_bytes", "Free", "bytes", TTP_I64, 0, 8, false, false, end_free,
          "free L1 at the end of the op"),
    FIELD("fragmentation_percent", "Fragmented", "%", TTP_F64, 1, 8, false, false, fragmentation,
          "at the end: share of the free space outside the largest block"),
    FIELD("end_l1_bytes", "L1 End", "bytes", TTP_I64, 0, 8, false, false, end_l1,
          "L1 tensors at the end of the op"),
    FIELD("end_dram_bytes", "DRAM End", "bytes", TTP_I64, 0, 8, false, false, end_dram,
          "DRAM per bank at the end of the op"),
    FIELD("end_l1_small_bytes", "Small End", "bytes", TTP_I64, 0, 8, false, false, end_small,
          "L1_SMALL at the end of the op"),
    FIELD("finished", "Ended", "", TTP_BOOL, 0, 8, false, true, finished, "true if it ended"),
};

static const struct ttp_field_alias aliases[] = {{"peak", "l1_peak_inferred_bytes"},
                                                 {"cb", "cb_inferred_bytes"},
                                                 {"stale", "stale_bytes"},
                                                 {"headroom", "headroom_bytes"}};
const struct ttp_fields ttp_mem_fields = {TTP_FIELDS(fields), aliases, TTP_COUNT(aliases),
                                          "tt-perf mem --columns help lists them"};

size_t ttp_mem_lines(struct ttp_mem_line **out, const struct ttp_mem_capture *c,
                     struct ttp_arena *arena)
{
    size_t n = 0;

    *out = TTP_NEW(arena, struct ttp_mem_line, c->ops * c->devices + 1);
    for (uint32_t op = 0; op < c->ops; op++)
        for (uint32_t d = 0; d < c->devices; d++)
            (*out)[n++] = (struct ttp_mem_line){op, d};
    return n;
}
