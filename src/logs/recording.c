/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/recording.h"

#include "base/file.h"
#include "capture/capture.h"
#include "logs/logs.h"

bool ttp_logs_is_recording(const char *path)
{
    return ttp_trace_detect_file(path) != TTP_TRACE_NONE;
}

/* As `python -m tracy` asks csvexport, but with every cell where it belongs. */
static void write_part(struct ttp_sink *out, const struct ttp_trace *trace, enum ttp_csv_part part,
                       struct ttp_arena *scratch)
{
    static const char *special[] = {"CompileProgram", "HWCommandQueue_write_buffer"};
    const struct ttp_csv_options messages = {.sep = ";"};
    const struct ttp_csv_options zones = {
        .generation = TTP_CSV_0_13, .parent = "TT_", .special = {special, TTP_COUNT(special)}};

    if (part == TTP_CSV_MESSAGES)
        ttp_trace_write_messages(out, trace, &messages, scratch);
    else
        ttp_trace_write_zones(out, trace, &zones, scratch);
}

ttp_code ttp_csv_view_open(struct ttp_csv_view *out, const char *path, enum ttp_csv_part part,
                           const struct ttp_logs_options *options, struct ttp_err *err)
{
    const struct ttp_trace_reading how = {.zones = part == TTP_CSV_ZONES ? TTP_ZONES_OPS
                                                                         : TTP_ZONES_NONE,
                                          .progress = options->progress};
    struct ttp_arena arena = {0};
    struct ttp_trace trace;
    struct ttp_sink sink;

    *out = (struct ttp_csv_view){.path = path, .fd = -1};
    if (!ttp_logs_is_recording(path))
        return TTP_OK;
    ttp_code rc = ttp_trace_read(&trace, path, &how, &arena, err);
    if (rc == TTP_OK)
        rc = ttp_file_in_memory(&out->fd, &out->path, &out->arena, err);
    if (rc == TTP_OK) {
        ttp_sink_to_memory(&sink, out->fd, &arena);
        write_part(&sink, &trace, part, &arena);
        rc = ttp_sink_finish(&sink, err);
    }
    ttp_arena_free(&arena);
    return rc == TTP_OK ? rc : ttp_csv_view_close(out, path, rc, err);
}

ttp_code ttp_csv_view_close(struct ttp_csv_view *view, const char *path, ttp_code rc,
                            struct ttp_err *err)
{
    if (view->fd >= 0) {
        ttp_file_close_memory(view->path);
        if (rc != TTP_OK)
            ttp_err_where(err, path, 0);
    }
    view->fd = -1;
    ttp_arena_free(&view->arena);
    return rc;
}
