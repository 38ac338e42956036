/* SPDX-License-Identifier: Apache-2.0 */
/* From a capture to the two files that tt-metal's own tools would have left in `.logs`. */
#include <inttypes.h>

#include "base/outsink.h"
#include "record/record.h"

struct table {
    const char *name;
    void (*write)(struct ttp_sink *out, const struct ttp_trace *trace,
                  const struct ttp_csv_options *options, struct ttp_arena *scratch);
    const char *sep;
};

struct traced {
    const struct ttp_trace *trace;
    struct ttp_csv_options options;
};

static ttp_code write_table(const char *dir, const struct table *t, struct traced from,
                            struct ttp_arena *scratch, struct ttp_err *err)
{
    const char *path = ttp_file_join(dir, t->name, scratch);
    struct ttp_outsink out;

    from.options.sep = t->sep;
    TTP_TRY(ttp_outsink_open(&out, path, err));
    t->write(&out.sink, from.trace, &from.options, scratch);
    return ttp_outsink_close(&out, TTP_OK, err);
}

static ttp_code check_process(const struct ttp_trace *trace, uint64_t pid, const char *dir,
                              const char *capture, struct ttp_err *err)
{
    if (!pid || !trace->pid || trace->pid == pid)
        return TTP_OK;
    ttp_fail(err, TTP_EPARSE,
             "the recording is of process %" PRIu64
             ", but the logs of '%.100s' are of process %" PRIu64,
             trace->pid, dir, pid);
    ttp_err_hint(err, "its own logs are in another folder of the run; 'tt-perf export csv' "
                      "exports only the host");
    ttp_err_where(err, capture, 0);
    return TTP_EPARSE;
}

ttp_code ttp_record_export(struct ttp_record_exported *out, const char *dir,
                           struct ttp_record_source from, const struct ttp_trace_reading *reading,
                           struct ttp_err *err)
{
    static const struct table tables[] = {
        {"tracy_ops_times.csv", ttp_capture_trace_write_zones, NULL},
        {"tracy_ops_data.csv", ttp_capture_trace_write_messages, ";"},
    };
    struct ttp_arena arena = {0};
    struct ttp_trace trace;
    const size_t more = reading->children.count;
    const char **special = TTP_NEW(&arena, const char *, more + 2);

    *out = (struct ttp_record_exported){0};
    special[0] = "CompileProgram"; /* those python -m tracy asks for */
    special[1] = "HWCommandQueue_write_buffer";
    for (size_t i = 0; i < more; i++)
        special[2 + i] = reading->children.word[i];
    const struct ttp_csv_options options = {
        .generation = TTP_CSV_0_13, .parent = "TT_", .special = {special, more + 2}};
    ttp_code rc = ttp_capture_trace_read(&trace, from.capture, reading, &arena, err);
    if (rc == TTP_OK)
        rc = check_process(&trace, from.pid, dir, from.capture, err);
    if (rc == TTP_OK)
        rc = ttp_file_make_dirs(dir, err);
    for (size_t i = 0; i < TTP_COUNT(tables) && rc == TTP_OK; i++)
        rc = write_table(dir, &tables[i], (struct traced){&trace, options}, &arena, err);
    if (rc == TTP_OK)
        *out = (struct ttp_record_exported){trace.nmessages, trace.zone.count, trace.lost_bytes,
                                            trace.pid};
    ttp_arena_free(&arena);
    return rc;
}
