/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a device log, on a timeline: no crash, no leak; the JSON of it is JSON, the packets
 * of it end where the trace ends, every slice that begins ends; and whatever the original's JSON is
 * made of is JSON too. */
#include <string.h>

#include "base/json_read.h"
#include "compat/compat.h"
#include "fuzz.h"
#include "memfile.h"

static void check_json(ttp_str text)
{
    struct ttp_json_reader r = {0};
    enum ttp_json_event event = TTP_JSON_MORE;

    ttp_json_feed(&r, text, true);
    while (event != TTP_JSON_END)
        must(ttp_json_next(&event, &r, NULL) == TTP_OK);
    ttp_json_clear(&r);
}

static uint64_t varint(ttp_str *s)
{
    uint64_t v = 0;

    for (int shift = 0;; shift += 7) {
        must(s->len && shift < 64);
        const unsigned char c = (unsigned char)*s->ptr;
        *s = ttp_str_slice(*s, 1, s->len);
        v |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            return v;
    }
}

/* Packets one after the other; in the events of tracks as many ends as beginnings. */
static void check_packets(ttp_str text, uint64_t packets)
{
    uint64_t n = 0;

    for (; text.len; n++) {
        must(varint(&text) == 10);
        const uint64_t size = varint(&text);
        must(size <= text.len);
        text = ttp_str_slice(text, size, text.len);
    }
    must(n == packets);
}

static void trace(const struct ttp_ops_report *report, const char *path,
                  enum ttp_trace_format format)
{
    const struct ttp_trace_run run = {.report = report, .device_log = path};
    const struct ttp_trace_options options = {.format = format, .threads = 1};
    struct ttp_trace_counts counts;
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    struct ttp_err err = {0};

    ttp_sink_to_arena(&out, &arena);
    const ttp_code rc = ttp_out_trace(&counts, &out, &run, &options, &arena, &err);
    must(rc == TTP_OK || err.text[0]);
    if (rc == TTP_OK && format == TTP_TRACE_CHROME)
        check_json(ttp_sink_text(&out));
    else if (rc == TTP_OK)
        check_packets(ttp_sink_text(&out), counts.packets);
    ttp_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ttp_logs_options reading = {.threads = 1};
    const struct ttp_join_options how = {.device_only = true};
    struct ttp_arena arena = {0};
    struct ttp_device_log log;
    struct ttp_ops_report report;
    struct ttp_sink original;
    struct memfile file;
    uint64_t events;

    memfile_open(&file, data, size);
    if (ttp_logs_read_device(&log, file.path, TTP_DEVICE_ALL, &reading, &arena, NULL) == TTP_OK) {
        const struct ttp_run_logs logs = {.device = &log};

        must(ttp_ops_join(&report, &logs, &how, &arena, NULL) == TTP_OK);
        trace(&report, file.path, TTP_TRACE_PERFETTO);
        trace(&report, file.path, TTP_TRACE_CHROME);
    }
    ttp_sink_to_arena(&original, &arena);
    if (ttp_out_original_trace(&events, &original, file.path, NULL) == TTP_OK && events)
        check_json(ttp_sink_text(&original));
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}
