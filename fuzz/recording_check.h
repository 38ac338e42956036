/* SPDX-License-Identifier: Apache-2.0 */
/* recording_check.h - what holds for any file that is read as a recording. */
#ifndef TTP_FUZZ_RECORDING_CHECK_H
#define TTP_FUZZ_RECORDING_CHECK_H

#include "compat/compat.h"
#include "memfile.h"

/* Refused with a reason, or consistent and written out without a fault. */
static inline void check_recording(const uint8_t *data, size_t size, enum ttp_zones zones)
{
    const struct ttp_trace_reading how = {.zones = zones, .devices = true, .plots = true};
    const struct ttp_csv_options csv = {.parent = "TT_", .self_time = true, .percentile = 90};
    struct ttp_arena arena = {0};
    struct ttp_trace t;
    struct ttp_err err = {0};
    struct ttp_sink out;
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_capture_trace_read(&t, file.path, &how, &arena, &err) == TTP_OK) {
        for (size_t i = 0; i < t.zone.count; i++)
            must(t.zone.source[i] < t.nsources && t.zone.thread[i] < t.nthreads &&
                 (t.zone.parent[i] == TTP_ZONE_NONE || t.zone.parent[i] < i) &&
                 (t.zone.extra[i] == TTP_ZONE_NONE || t.zone.extra[i] < t.zone.nnotes));
        for (size_t i = 0; i < t.nmessages; i++)
            must(t.message[i].thread < t.nthreads);
        for (size_t i = 0; i < t.device.count; i++)
            must(t.device.source[i] < t.nsources && t.device.start_ns[i] < t.device.end_ns[i]);
        must(t.lost_at <= size);
        ttp_sink_to_arena(&out, &arena);
        ttp_capture_trace_write_messages(&out, &t, &csv, &arena);
        ttp_capture_trace_write_zones(&out, &t, &csv, &arena);
        ttp_original_trace_write_statistics(&out, &t, &csv, &arena);
        ttp_original_trace_write_device_zones(&out, &t, &csv, &arena);
        ttp_original_trace_write_plots(&out, &t, &csv, &arena);
    } else {
        must(err.code != TTP_OK && err.text[0]);
    }
    close(file.fd);
    ttp_arena_free(&arena);
}

#endif
