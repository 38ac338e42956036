/* SPDX-License-Identifier: Apache-2.0 */
/* What csvexport writes of devices (-g) and of plots (-u -p). */
#include "compat/compat.h"

static size_t *first_of_sources(const struct ttp_trace *trace, struct ttp_arena *scratch)
{
    size_t *first = TTP_NEW(scratch, size_t, trace->nsources + 2);

    for (size_t i = 0; i < trace->device.count; i++)
        first[trace->device.source[i] + 1]++;
    for (size_t s = 0; s < trace->nsources; s++)
        first[s + 1] += first[s];
    return first;
}

void ttp_original_trace_write_device_zones(struct ttp_sink *out, const struct ttp_trace *trace,
                                           const struct ttp_csv_options *options,
                                           struct ttp_arena *scratch)
{
    static const char *const columns[] = {"name", "src_file", "Time from start of program",
                                          "GPU execution time", NULL};
    const struct ttp_trace_device_zones *z = &trace->device;
    const struct ttp_csv_rows w = ttp_capture_trace_csv_begin(out, trace, options);
    size_t *first = first_of_sources(trace, scratch);
    uint32_t *order = TTP_NEW(scratch, uint32_t, z->count + 1);
    size_t *next = TTP_NEW(scratch, size_t, trace->nsources + 1);

    memcpy(next, first, trace->nsources * sizeof(*next));
    for (size_t i = 0; i < z->count; i++)
        order[next[z->source[i]]++] = (uint32_t)i;
    ttp_capture_trace_csv_put_header(&w, columns);
    for (uint32_t source = 0; source < trace->nsources; source++) {
        if (first[source] == first[source + 1] || !ttp_capture_trace_csv_is_selected(&w, source))
            continue;
        for (size_t i = first[source]; i < first[source + 1]; i++) {
            const uint32_t at = order[i];

            ttp_capture_trace_csv_put_cell(&w,
                                           ttp_sym_name(&trace->names, trace->source[source].name));
            ttp_sink_put(out, w.sep);
            ttp_capture_trace_csv_put_cell(&w,
                                           ttp_sym_name(&trace->names, trace->source[source].file));
            ttp_sink_put(out, w.sep);
            ttp_sink_i64(out, z->start_ns[at]);
            ttp_sink_put(out, w.sep);
            ttp_sink_i64(out, z->end_ns[at] - z->start_ns[at]);
            ttp_sink_char(out, '\n');
        }
    }
}

static void put_blanks(const struct ttp_csv_rows *w, int n)
{
    while (n-- > 0)
        ttp_sink_put(w->out, w->sep);
}

/* Time in the fourth column and value in the seventh, whatever the header has there: in the fork's
 * these are zone_name and exec_time_ns. */
void ttp_original_trace_write_plots(struct ttp_sink *out, const struct ttp_trace *trace,
                                    const struct ttp_csv_options *options,
                                    struct ttp_arena *scratch)
{
    static const int behind[] = {[TTP_CSV_0_10] = 2, [TTP_CSV_0_13] = 3, [TTP_CSV_UPSTREAM] = 0};
    const struct ttp_csv_rows w = ttp_capture_trace_csv_begin(out, trace, options);

    (void)scratch;
    for (size_t i = 0; i < trace->plot.count; i++) {
        ttp_capture_trace_csv_put_cell(&w, ttp_sym_name(&trace->names, trace->plot.name[i]));
        put_blanks(&w, 3);
        ttp_sink_i64(out, trace->plot.ns[i]);
        put_blanks(&w, 3);
        ttp_sink_fixed(out, trace->plot.value[i], 6, false);
        put_blanks(&w, behind[options->generation]);
        ttp_sink_char(out, '\n');
    }
}
