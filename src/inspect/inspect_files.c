/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/input.h"
#include "base/order.h"
#include "capture/capture.h"
#include "inspect/inspect_facts.h"
#include "run/run.h"

static int64_t largest_turn(const struct ttp_device_log *log)
{
    int64_t turn = 1;

    for (size_t i = 0; i < log->nexecs; i++)
        turn = log->exec[i].replay > turn ? log->exec[i].replay : turn;
    return turn;
}

static ttp_code inspect_device(struct ttp_inspection *in, struct ttp_inspect_file *f,
                               struct ttp_err *err)
{
    struct ttp_device_log log;
    uint64_t replays = 0, sub_devices = 0, dispatch = 0;

    TTP_TRY(ttp_logs_read_device(&log, f->path, TTP_DEVICE_OPS, in->options, in->arena, err));
    for (size_t i = 0; i < log.nexecs; i++) {
        replays += log.exec[i].replay != TTP_NO_ID;
        sub_devices += log.exec[i].sub_device != TTP_NO_ID;
    }
    for (size_t i = 0; i < log.ncores; i++)
        dispatch += log.core[i].dispatch;
    ttp_inspect_add_text(f, "version", log.version);
    ttp_inspect_add_text(f, "arch", ttp_arena_zstr(in->arena, log.arch));
    ttp_inspect_add_number(f, "clock_mhz", log.clock_mhz);
    ttp_inspect_add_number(f, "columns", log.columns);
    ttp_inspect_add_number(f, "rows", log.rows);
    ttp_inspect_add_number(f, "devices", log.ndevices);
    ttp_inspect_add_number(f, "cores", log.ncores);
    ttp_inspect_add_number(f, "executions", log.nexecs);
    if (!log.has_op_ids)
        ttp_inspect_add_truth(f, "op_ids", false);
    ttp_inspect_add_number(f, "replays", replays);
    ttp_inspect_add_number(f, "iterations", (uint64_t)largest_turn(&log));
    ttp_inspect_add_count(f, "dispatch_cores", dispatch);
    ttp_inspect_add_count(f, "on_sub_devices", sub_devices);
    ttp_inspect_add_count(f, "counter_samples", log.nsamples);
    ttp_inspect_add_count(f, "unreadable_rows", log.bad_rows.count);
    return TTP_OK;
}

/* Each change of the columns so far added some. */
static const char *cpp_version(const struct ttp_cpp_report *report)
{
    for (size_t c = 0; c < report->ncolumns; c++)
        if (ttp_str_has(report->column[c], TTP_STR("QUASAR")))
            return "2026-07";
    return "2025-12";
}

static ttp_code inspect_cpp(struct ttp_inspection *in, struct ttp_inspect_file *f,
                            struct ttp_err *err)
{
    struct ttp_cpp_report report;
    uint64_t devices = 0, replays = 0;
    int64_t turns = 1;

    TTP_TRY(ttp_logs_read_cpp_report(&report, f->path, in->options, in->arena, err));
    for (size_t i = 0; i < report.nrows; i++) {
        const int64_t *number = report.row[i].number;
        size_t k = i;

        /* rows of a device are together: the one before is nearly always the same */
        while (k > 0 && report.row[k - 1].number[TTP_CPP_DEVICE] != number[TTP_CPP_DEVICE])
            k--;
        devices += k == 0;
        replays += number[TTP_CPP_REPLAY] != TTP_CPP_EMPTY;
        turns = number[TTP_CPP_REPLAY] > turns ? number[TTP_CPP_REPLAY] : turns;
    }
    ttp_inspect_add_text(f, "version", cpp_version(&report));
    ttp_inspect_add_number(f, "columns", report.ncolumns);
    ttp_inspect_add_number(f, "rows", report.nrows);
    ttp_inspect_add_number(f, "devices", devices);
    ttp_inspect_add_number(f, "replays", replays);
    ttp_inspect_add_number(f, "iterations", (uint64_t)turns);
    ttp_inspect_add_count(f, "unreadable_rows", report.bad_rows.count);
    return TTP_OK;
}

static ttp_code inspect_messages(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                 struct ttp_err *err)
{
    struct ttp_host_log *log = &in->host;
    uint64_t replays = 0, on_device = 0;

    TTP_TRY(ttp_logs_read_messages(log, f->path, in->options, in->arena, err));
    in->has_host = true;
    for (size_t i = 0; i < log->nreplays; i++)
        replays += log->replays[i].count;
    for (size_t i = 0; i < log->nops; i++)
        on_device += log->op[i].info->has_device;
    if (on_device)
        ttp_inspect_add_text(f, "version", log->has_cache_hits ? "2026-03" : "before 2026-03");
    ttp_inspect_add_number(f, "messages", log->messages);
    ttp_inspect_add_number(f, "ops", log->nops);
    ttp_inspect_add_number(f, "device_ops", on_device);
    ttp_inspect_add_number(f, "signposts", log->nsignposts);
    ttp_inspect_add_number(f, "traces", log->nreplays);
    ttp_inspect_add_number(f, "replays", replays);
    ttp_inspect_add_number(f, "iterations", ttp_logs_count_iterations(log, in->arena));
    ttp_inspect_add_truth(f, "tt_mlir", log->has_mlir);
    ttp_inspect_add_count(f, "cut_messages", log->cut_messages.count);
    ttp_inspect_add_count(f, "unknown_messages",
                          log->bad_messages.count + log->unknown_cached.count);
    return TTP_OK;
}

/* Behind the messages, whose ops its zones belong to. */
static ttp_code inspect_zones(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    struct ttp_host_log *log = &in->host;

    if (!in->has_host)
        *log = (struct ttp_host_log){.names = {.arena = in->arena}};
    TTP_TRY(ttp_logs_read_zones(log, f->path, in->options, in->arena, err));
    ttp_inspect_add_text(f, "version", log->has_zone_values ? "2025-08" : "before 2025-08");
    ttp_inspect_add_number(f, "zones", log->zones);
    ttp_inspect_add_number(f, "op_zones", log->op_zones);
    ttp_inspect_add_number(f, "zones_inside_ops", log->child_zones);
    ttp_inspect_add_count(f, "zones_without_op", in->has_host ? log->zones_without_op.count : 0);
    ttp_inspect_add_count(f, "unreadable_zones", log->bad_zones.count);
    return TTP_OK;
}

/* What wrote it: a version of Tracy, or the dialect that was spoken. */
static const char *recording_version(const struct ttp_trace *trace, struct ttp_arena *arena)
{
    char text[64];

    if (trace->kind == TTP_TRACE_TRACY)
        snprintf(text, sizeof(text), "%u.%u.%u", trace->version[0], trace->version[1],
                 trace->version[2]);
    else
        snprintf(text, sizeof(text), "protocol %u (%s)", trace->protocol,
                 trace->origin ? trace->origin : "unknown");
    return ttp_arena_zstr(arena, ttp_str_from(text));
}

static uint64_t count_ops(const struct ttp_trace *trace)
{
    uint64_t n = 0;

    for (size_t i = 0; i < trace->nmessages; i++) {
        const ttp_str head = ttp_str_slice(trace->message[i].text, 0, 64);

        n += (ttp_str_has(head, TTP_STR("TT_DNN")) || ttp_str_has(head, TTP_STR("TT_METAL"))) &&
             ttp_str_has(head, TTP_STR("_OP"));
    }
    return n;
}

/* A .tracy file, a capture file or a wire recording. */
static ttp_code inspect_recording(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                  struct ttp_err *err)
{
    const struct ttp_trace_reading reading = {.zones = TTP_ZONES_OPS};
    struct ttp_trace trace;

    TTP_TRY(ttp_capture_trace_read(&trace, f->path, &reading, in->arena, err));
    ttp_inspect_add_text(f, "version", recording_version(&trace, in->arena));
    if (trace.program.len)
        ttp_inspect_add_text(f, "program", ttp_arena_zstr(in->arena, trace.program));
    ttp_inspect_add_count(f, "pid", trace.pid);
    ttp_inspect_add_text(f, "end", ttp_capture_end_text(trace.end));
    ttp_inspect_add_number(f, "messages", trace.nmessages);
    ttp_inspect_add_number(f, "ops", count_ops(&trace));
    ttp_inspect_add_number(f, "zones", trace.zones_seen);
    ttp_inspect_add_number(f, "zones_of_ops", trace.zone.count);
    ttp_inspect_add_number(f, "threads", trace.nthreads);
    ttp_inspect_add_count(f, "items", trace.items);
    ttp_inspect_add_count(f, "lost_bytes", trace.lost_bytes);
    if (trace.inconsistent)
        ttp_inspect_add_text(f, "decoded", "in part");
    return TTP_OK;
}

static uint64_t count_devices(const struct ttp_ops *ops, struct ttp_arena *arena)
{
    double *id = TTP_NEW(arena, double, ops->rows + 1);
    size_t n = 0;
    uint64_t devices = 0;

    for (size_t i = 0; i < ops->rows; i++) /* where a row has none the others may be 0.0 */
        n += ttp_cell_f64(ttp_ops_cell(ops, TTP_OPS_DEVICE, i), &id[n]) && isfinite(id[n]);
    TTP_SORT(id, n, ttp_by_f64);
    for (size_t i = 0; i < n; i++)
        devices += i == 0 || id[i] != id[i - 1];
    return devices;
}

static ttp_code inspect_ops(struct ttp_inspection *in, struct ttp_inspect_file *f,
                            struct ttp_err *err)
{
    const struct ttp_ops_read_options options = {.threads = in->options->threads,
                                                 .progress = in->options->progress};
    struct ttp_ops ops;
    uint64_t signposts = 0;

    TTP_TRY(ttp_ops_read_csv(&ops, (struct ttp_paths){&f->path, 1}, &options, in->arena, err));
    for (size_t i = 0; i < ops.rows; i++) {
        const ttp_sym type = ttp_ops_sym(&ops, TTP_OPS_TYPE, i);

        signposts += ttp_str_eq(ttp_sym_name(&ops.syms, type), TTP_STR("signpost"));
    }
    ttp_inspect_add_text(f, "version", ttp_ops_format_name(ops.format));
    ttp_inspect_add_number(f, "rows", ops.rows);
    ttp_inspect_add_number(f, "ops", ops.rows - signposts);
    ttp_inspect_add_number(f, "signposts", signposts);
    ttp_inspect_add_number(f, "devices", count_devices(&ops, in->arena));
    if (ops.rows == 0) {
        ttp_fail(err, TTP_EPARSE, "it has column names, but no operations");
        ttp_err_hint(err, "the run was not profiled, or its report is incomplete: run again");
        return TTP_EPARSE;
    }
    if (ops.truncated) {
        f->damage = "it is truncated: it ends in the middle of a row";
        f->cure = "copy the file again, or run again with enough space on the disk";
    }
    return TTP_OK;
}

/* Lines of a file that hold a word. */
struct line_count {
    ttp_str word;
    uint64_t found;
};

static ttp_code count_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct line_count *count = arg;
    ttp_str line;

    (void)err;
    while (ttp_str_next_line(&text, &line))
        count->found += ttp_str_has(line, count->word);
    return TTP_OK;
}

static ttp_code inspect_lines(struct ttp_inspection *in, struct ttp_inspect_file *f,
                              struct ttp_err *err)
{
    const bool sync = f->kind == TTP_INSPECT_SYNC, ledger = f->kind == TTP_INSPECT_LEDGER;
    struct line_count count = {.word = sync     ? TTP_STR(",")
                                       : ledger ? TTP_STR("\"event\"")
                                                : TTP_STR("KERNEL_PROFILER")};

    (void)in;
    TTP_TRY(ttp_input_each(f->path, ttp_input_cut_lines, count_lines, &count, err));
    ttp_inspect_add_text(f, "version", TTP_INSPECT_ONE_VERSION);
    ttp_inspect_add_number(f,
                           sync     ? "rows"
                           : ledger ? "records"
                                    : "zones",
                           sync && count.found ? count.found - 1 : count.found);
    return TTP_OK;
}

static ttp_code inspect_machine(struct ttp_inspection *in, struct ttp_inspect_file *f,
                                struct ttp_err *err)
{
    struct ttp_machine_log log;
    size_t samples = 0;

    TTP_TRY(ttp_logs_machine_log_read(&log, f->path, in->arena, err));
    for (size_t i = 0; i < log.count; i++)
        samples += log.chip[i].count;
    ttp_inspect_add_text(f, "version", TTP_INSPECT_ONE_VERSION);
    ttp_inspect_add_number(f, "chips", log.count);
    ttp_inspect_add_number(f, "samples", samples);
    return TTP_OK;
}

struct traces {
    const char *folder;
    uint64_t files, bytes;
};

static bool add_trace(const char *path, const char *name, void *arg)
{
    struct traces *traces = arg;
    struct stat st;

    if (!ttp_str_starts(ttp_str_from(name), TTP_STR("noc_trace_")) ||
        !ttp_str_ends(ttp_str_from(name), TTP_STR(".json")) ||
        strncmp(path, traces->folder, strlen(traces->folder)) != 0)
        return false;
    traces->files++;
    if (stat(path, &st) == 0)
        traces->bytes += (uint64_t)st.st_size;
    return true;
}

static ttp_code find_traces(struct ttp_inspect_file *f, const char *folder, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct traces traces = {.folder = folder};
    const char *newest;

    *f = (struct ttp_inspect_file){.kind = TTP_INSPECT_NOC_TRACES};
    const ttp_code rc = ttp_file_find_newest(
        &newest, folder, (struct ttp_file_matcher){add_trace, &traces}, arena, err);
    if (rc == TTP_ENOTFOUND)
        return TTP_OK;
    if (rc != TTP_OK)
        return rc;
    f->path = folder;
    f->bytes = traces.bytes;
    ttp_inspect_add_number(f, "files", traces.files);
    return TTP_OK;
}

static bool has_files(const struct ttp_inspect_file *file, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (file[i].path)
            return true;
    return false;
}

ttp_code ttp_inspect_find(struct ttp_inspect_file *file, size_t *count, const char *path,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_log_paths paths;
    const char *report = NULL;

    *count = 1;
    if (ttp_file_exists(path)) {
        *file = (struct ttp_inspect_file){.path = path};
        return ttp_inspect_detect(&file->kind, path, arena, err);
    }
    TTP_TRY(ttp_logs_find(&paths, path, arena, err));
    const ttp_code rc = ttp_run_find_csv(&report, paths.root, arena, err);
    if (rc == TTP_ENOTFOUND)
        report = NULL;
    else if (rc != TTP_OK)
        return rc;
    const char *flow = ttp_file_join(paths.folder, "cb_flow_graph.json", arena);
    if (!ttp_file_exists(flow)) /* of several passes one has it */
        flow =
            ttp_file_join(paths.folder, TTP_PASSES_MERGED "/lines/.logs/cb_flow_graph.json", arena);
    const char *places = ttp_file_join(paths.folder, "cluster_coordinates.json", arena);
    const bool recorded = paths.zones && ttp_logs_is_recording(paths.zones); /* not CSVs */
    const char *const found[TTP_INSPECT_KINDS] = {
        [TTP_INSPECT_DEVICE] = paths.device,
        [TTP_INSPECT_CPP] = paths.cpp,
        [TTP_INSPECT_ZONES] = recorded ? NULL : paths.zones,
        [TTP_INSPECT_MESSAGES] = recorded ? NULL : paths.messages,
        [TTP_INSPECT_TRACY] = paths.tracy,
        [TTP_INSPECT_CAPTURE] = paths.capture,
        [TTP_INSPECT_TOPOLOGY] = paths.topology,
        [TTP_INSPECT_COORDINATES] = ttp_file_exists(places) ? places : NULL,
        [TTP_INSPECT_FLOW] = ttp_file_exists(flow) ? flow : NULL,
        [TTP_INSPECT_ZONE_SOURCES] = paths.zone_sources,
        [TTP_INSPECT_SYNC] = paths.sync,
        [TTP_INSPECT_OPS] = report};
    for (int k = 0; k < TTP_INSPECT_OF_RUN; k++)
        file[k] = (struct ttp_inspect_file){.kind = (enum ttp_inspect_kind)k, .path = found[k]};
    *count = TTP_INSPECT_OF_RUN;
    TTP_TRY(find_traces(&file[TTP_INSPECT_NOC_TRACES], paths.folder, arena, err));
    TTP_TRY(ttp_inspect_find_beside(file, count, path, arena, err));
    if (*count > TTP_INSPECT_OF_RUN && !has_files(file, TTP_INSPECT_OF_RUN)) {
        *count -= TTP_INSPECT_OF_RUN;
        memmove(file, file + TTP_INSPECT_OF_RUN, *count * sizeof(*file));
    }
    return TTP_OK;
}

void ttp_inspect_files(struct ttp_inspect_file *file, size_t count,
                       const struct ttp_logs_options *options, struct ttp_arena *arena)
{
    static ttp_inspect_look *const look[TTP_INSPECT_KINDS] = {
        [TTP_INSPECT_DEVICE] = inspect_device,
        [TTP_INSPECT_CPP] = inspect_cpp,
        [TTP_INSPECT_MESSAGES] = inspect_messages,
        [TTP_INSPECT_ZONES] = inspect_zones,
        [TTP_INSPECT_ZONE_SOURCES] = inspect_lines,
        [TTP_INSPECT_SYNC] = inspect_lines,
        [TTP_INSPECT_MACHINE] = inspect_machine,
        [TTP_INSPECT_OPS] = inspect_ops,
        [TTP_INSPECT_NOC_TRACES] = ttp_inspect_noc,
        [TTP_INSPECT_TOPOLOGY] = ttp_inspect_topology,
        [TTP_INSPECT_COORDINATES] = ttp_inspect_coordinates,
        [TTP_INSPECT_FLOW] = ttp_inspect_flow,
        [TTP_INSPECT_WORKLOAD] = ttp_inspect_workload,
        [TTP_INSPECT_TRACY] = inspect_recording,
        [TTP_INSPECT_CAPTURE] = inspect_recording,
        [TTP_INSPECT_TENSORS] = ttp_inspect_tensors,
        [TTP_INSPECT_SMI] = ttp_inspect_smi,
        [TTP_INSPECT_DOCUMENT] = ttp_inspect_document,
        [TTP_INSPECT_LEDGER] = inspect_lines,
        [TTP_INSPECT_GRAPH] = ttp_inspect_graph,
        [TTP_INSPECT_GRAPH_DATABASE] = ttp_inspect_graph_database,
        [TTP_INSPECT_MEMORY_REPORT] = ttp_inspect_memory_report,
        [TTP_INSPECT_BUFFER_LOG] = ttp_inspect_buffer_log,
        [TTP_INSPECT_MEMORY_COUNTERS] = ttp_inspect_memory_counters,
        [TTP_INSPECT_INSPECTOR] = ttp_inspect_inspector,
        [TTP_INSPECT_REALTIME] = ttp_inspect_realtime,
        [TTP_INSPECT_FAILURE_LOG] = ttp_inspect_failure_log,
    };
    struct ttp_inspection in = {.options = options, .arena = arena};
    struct stat st;

    for (size_t i = count; i-- > 0;) { /* messages before zones */
        struct ttp_inspect_file *f = &file[i];

        if (!f->path)
            continue;
        if (f->bytes == 0 && stat(f->path, &st) == 0)
            f->bytes = (uint64_t)st.st_size;
        struct ttp_err err = {0};
        if (look[f->kind] && look[f->kind](&in, f, &err) != TTP_OK) {
            f->fault = ttp_arena_zstr(arena, ttp_str_from(err.text));
            if (err.hint[0])
                f->cure = ttp_arena_zstr(arena, ttp_str_from(err.hint));
        }
    }
}
