/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/trace/trace_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"

enum { RANK_HOST, RANK_DEVICES };

/* Measured on synthetic and real logs: bytes of a Perfetto trace for each row of a device log, for
 * each byte of host zones. */
#define BYTES_PER_ROW  31.0
#define HOST_ZONE_SIZE 0.3

static const char *arch_of(const struct ttp_tracing *t, char *buf, size_t size)
{
    const struct ttp_device_log *log = t->run->report->logs.device;

    snprintf(buf, size, "%.*s", log ? (int)(log->arch.len < 64 ? log->arch.len : 64) : 0,
             log ? log->arch.ptr : "");
    return buf;
}

static void name_devices(struct ttp_tracing *t, struct ttp_trace_device *out)
{
    char arch[72], name[128];

    arch_of(t, arch, sizeof(arch));
    for (size_t i = 0; i < t->ndevices; i++) {
        snprintf(name, sizeof(name), arch[0] ? "Device %" PRId64 " (%s)" : "Device %" PRId64,
                 t->device[i].id, arch);
        out[i].name = ttp_arena_copy(t->arena, ttp_str_from(name));
        out[i].arch = ttp_arena_copy(t->arena, ttp_str_from(arch));
    }
}

static void add_groups(struct ttp_tracing *t, const struct ttp_trace_device *name)
{
    t->host = ttp_out_trace_add_track(&t->w, &(struct ttp_trace_track){.name = TTP_STR("Host"),
                                                                       .kind = TTP_TRACK_PROCESS,
                                                                       .rank = RANK_HOST,
                                                                       .pid = 1});
    for (size_t i = 0; i < t->ndevices; i++)
        t->device[i].group = ttp_out_trace_add_track(
            &t->w, &(struct ttp_trace_track){.name = name[i].name,
                                             .kind = TTP_TRACK_GROUP,
                                             .rank = RANK_DEVICES + (int32_t)i});
}

ttp_code ttp_out_trace(struct ttp_trace_counts *counts, struct ttp_sink *out,
                       const struct ttp_trace_run *run, const struct ttp_trace_options *options,
                       struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_tracing t = {.run = run, .options = options, .arena = arena};

    *counts = (struct ttp_trace_counts){0};
    TTP_TRY(ttp_out_tracing_plan(&t, err));
    struct ttp_trace_device *name = TTP_NEW(arena, struct ttp_trace_device, t.ndevices);
    name_devices(&t, name);
    ttp_out_trace_start(&t.w, out, options->format, (struct ttp_trace_devices){name, t.ndevices},
                        arena);
    add_groups(&t, name);
    TTP_TRY(ttp_out_tracing_put_ops(&t, err));
    TTP_TRY(ttp_out_tracing_put_counters(&t, err));
    TTP_TRY(ttp_out_tracing_put_noc(&t, err));
    TTP_TRY(ttp_out_tracing_put_zones(&t, err));
    TTP_TRY(ttp_out_tracing_put_memory(&t, err));
    TTP_TRY(ttp_out_tracing_put_host(&t, err));
    ttp_out_trace_finish(&t.w);
    *counts = t.w.counts;
    if (counts->slices + counts->instants > 0)
        return TTP_OK;
    ttp_fail(err, TTP_ENOTFOUND, "nothing to show");
    ttp_err_hint(err, options->filter.nzones || options->filter.ncores ||
                              options->filter.ndevices || options->filter.has_ops
                          ? "the filters match nothing: use fewer"
                          : "the logs contain neither zones nor ops");
    return TTP_ENOTFOUND;
}

uint64_t ttp_out_trace_estimate(const struct ttp_trace_run *run,
                                const struct ttp_trace_options *options, struct ttp_arena *arena)
{
    struct ttp_tracing t = {.run = run, .options = options, .arena = arena};
    const struct ttp_device_log *log = run->report->logs.device;
    size_t shown = 0, cores = 0;
    double bytes = 0;

    if (ttp_out_tracing_plan(&t, NULL) != TTP_OK)
        return 0;
    for (size_t i = 0; i < t.nops; i++)
        shown += t.op[i].wanted;
    for (size_t i = 0; log && i < log->ncores; i++)
        cores += ttp_out_trace_wants_core(&options->filter, log->core[i].x, log->core[i].y);
    if (log && run->device_log && t.nops && log->ncores)
        bytes += (double)log->rows * BYTES_PER_ROW * (double)shown / (double)t.nops *
                 (double)cores / (double)log->ncores;
    if (run->host_zones && !options->op_zones_only && !t.narrowed)
        bytes += (double)ttp_file_size(run->host_zones) * HOST_ZONE_SIZE;
    if (options->format == TTP_TRACE_CHROME)
        bytes *= 3;
    return (uint64_t)bytes;
}
