/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_info.c - `tt-perf info`: what a profiled run left behind, before anything heavy is done with
 * it. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "ops/ops.h"
#include "outputs/outputs.h"
#include "run_logs.h"

static const char *const formats[] = {"text", "json", NULL};

struct info_opts {
    struct ttp_common_opts common;
};

/* One file of a run. */
enum kind { KIND_DEVICE, KIND_CPP, KIND_ZONES, KIND_MESSAGES, KIND_TRACY, KIND_OPS, KINDS };
static const struct {
    const char *id, *name, *what, *how;
} kinds[] = {
    [KIND_DEVICE] = {"device-log", "profile_log_device.csv", "markers of all devices",
                     "TT_METAL_DEVICE_PROFILER=1, and close the device before exit"},
    [KIND_CPP] = {"cpp-report", "cpp_device_perf_report.csv", "times of each execution",
                  "TT_METAL_PROFILER_CPP_POST_PROCESS=1"},
    [KIND_ZONES] = {"zones", "tracy_ops_times.csv", "host times of ops",
                    "python -m tracy -r, or tracy-csvexport -u"},
    [KIND_MESSAGES] = {"messages", "tracy_ops_data.csv", "what the ops were",
                       "python -m tracy -r, or tracy-csvexport -m"},
    [KIND_TRACY] = {"tracy", "tracy_profile_log_host.tracy", "Tracy's capture", "python -m tracy"},
    [KIND_OPS] = {"ops-csv", "ops_perf_results*.csv", "the operations of the run", "tt-perf ops"},
};

#define FACTS_MAX 12

struct fact {
    const char *key;
    bool is_text;
    uint64_t number;
    const char *text;
};

struct file {
    enum kind kind;
    const char *path; /* NULL: missing */
    uint64_t bytes;
    struct fact fact[FACTS_MAX];
    size_t nfacts;
    const char *fault; /* why it cannot be read */
};

static void add_number(struct file *f, const char *key, uint64_t number)
{
    f->fact[f->nfacts++] = (struct fact){.key = key, .number = number};
}

static void add_text(struct file *f, const char *key, const char *text)
{
    f->fact[f->nfacts++] = (struct fact){.key = key, .is_text = true, .text = text};
}

static void set_fault(struct file *f, const struct ttp_err *err, struct ttp_arena *arena)
{
    f->fault = ttp_arena_zstr(arena, ttp_str_from(err->text));
}

/* When the columns of a device log are as they are. */
static const char *device_version(const struct ttp_device_log *log)
{
    if (log->columns == 15)
        return log->max_compute_cores == TTP_NO_ID ? "2025-10" : "2025-11 or later";
    return log->columns == 14 ? "2025-03" : "2024-07 to 2025-09";
}

static void inspect_device(struct file *f, const struct ttp_logs_options *options,
                           struct ttp_arena *arena)
{
    struct ttp_device_log log;
    struct ttp_err err = {0};
    uint64_t replays = 0;

    if (ttp_logs_read_device(&log, f->path, TTP_DEVICE_ALL, options, arena, &err) != TTP_OK) {
        set_fault(f, &err, arena);
        return;
    }
    for (size_t i = 0; i < log.nexecs; i++)
        replays += log.exec[i].replay != TTP_NO_ID;
    add_text(f, "version", device_version(&log));
    add_text(f, "arch", ttp_arena_zstr(arena, log.arch));
    add_number(f, "clock_mhz", log.clock_mhz);
    add_number(f, "rows", log.rows);
    add_number(f, "devices", log.ndevices);
    add_number(f, "cores", log.ncores);
    add_number(f, "executions", log.nexecs);
    add_number(f, "replays", replays);
    add_number(f, "counter_samples", log.nsamples);
    add_number(f, "unreadable_rows", log.bad_rows.count);
}

static void inspect_cpp(struct file *f, const struct ttp_logs_options *options,
                        struct ttp_arena *arena)
{
    struct ttp_cpp_report report;
    struct ttp_err err = {0};
    uint64_t devices = 0, replays = 0;

    if (ttp_logs_read_cpp_report(&report, f->path, options, arena, &err) != TTP_OK) {
        set_fault(f, &err, arena);
        return;
    }
    for (size_t i = 0; i < report.nrows; i++) {
        const int64_t *number = report.row[i].number;
        size_t k = 0;

        while (k < i && report.row[k].number[TTP_CPP_DEVICE] != number[TTP_CPP_DEVICE])
            k++;
        devices += k == i;
        replays += number[TTP_CPP_REPLAY] != TTP_CPP_EMPTY;
    }
    add_number(f, "columns", report.ncolumns);
    add_number(f, "rows", report.nrows);
    add_number(f, "devices", devices);
    add_number(f, "replays", replays);
    add_number(f, "unreadable_rows", report.bad_rows.count);
}

static void inspect_messages(struct file *f, const struct ttp_logs_options *options,
                             struct ttp_arena *arena)
{
    struct ttp_host_log log;
    struct ttp_err err = {0};
    uint64_t replays = 0;

    if (ttp_logs_read_messages(&log, f->path, options, arena, &err) != TTP_OK) {
        set_fault(f, &err, arena);
        return;
    }
    for (size_t i = 0; i < log.nreplays; i++)
        replays += log.replays[i].count;
    add_number(f, "messages", log.messages);
    add_number(f, "ops", log.nops);
    add_number(f, "signposts", log.nsignposts);
    add_number(f, "traces", log.nreplays);
    add_number(f, "replays", replays);
    add_text(f, "tt_mlir", log.has_mlir ? "yes" : "no");
    add_number(f, "cut_messages", log.cut_messages.count);
}

static void inspect_ops(struct file *f, const struct ttp_logs_options *options,
                        struct ttp_arena *arena)
{
    const struct ttp_ops_read_options how = {.threads = options->threads,
                                             .progress = options->progress};
    struct ttp_ops ops;
    struct ttp_err err = {0};
    uint64_t signposts = 0, devices = 0;
    int64_t last = -1;

    if (ttp_ops_read_csv(&ops, &f->path, 1, &how, arena, &err) != TTP_OK) {
        set_fault(f, &err, arena);
        return;
    }
    for (size_t i = 0; i < ops.rows; i++) {
        const struct ttp_cell device = ttp_ops_cell(&ops, TTP_OPS_DEVICE, i);
        const ttp_sym type = ttp_ops_sym(&ops, TTP_OPS_TYPE, i);

        signposts += ttp_str_eq(ttp_sym_name(&ops.syms, type), TTP_STR("signpost"));
        if (device.kind == TTP_CELL_INT && device.v.i > last) {
            last = device.v.i;
            devices++;
        }
    }
    add_number(f, "rows", ops.rows);
    add_number(f, "ops", ops.rows - signposts);
    add_number(f, "signposts", signposts);
    add_number(f, "devices", devices);
}

static void inspect(struct file *f, const struct ttp_logs_options *options, struct ttp_arena *arena)
{
    struct stat st;

    if (!f->path)
        return;
    if (stat(f->path, &st) == 0)
        f->bytes = (uint64_t)st.st_size;
    if (f->kind == KIND_DEVICE)
        inspect_device(f, options, arena);
    else if (f->kind == KIND_CPP)
        inspect_cpp(f, options, arena);
    else if (f->kind == KIND_MESSAGES)
        inspect_messages(f, options, arena);
    else if (f->kind == KIND_OPS)
        inspect_ops(f, options, arena);
}

/* A single file, told by its name. */
static ttp_code find_file(struct file *out, const char *path, struct ttp_err *err)
{
    static const struct {
        enum kind kind;
        ttp_str part;
    } names[] = {
        {KIND_DEVICE, {"profile_log_device", 18}},
        {KIND_CPP, {"cpp_device_perf_report", 22}},
        {KIND_ZONES, {"tracy_ops_times", 15}},
        {KIND_MESSAGES, {"tracy_ops_data", 14}},
        {KIND_TRACY, {".tracy", 6}},
        {KIND_OPS, {"ops_perf_results", 16}},
    };
    const char *slash = strrchr(path, '/');
    const ttp_str name = ttp_str_from(slash ? slash + 1 : path);

    for (size_t i = 0; i < TTP_COUNT(names); i++)
        if (ttp_str_has(name, names[i].part)) {
            *out = (struct file){.kind = names[i].kind, .path = path};
            return TTP_OK;
        }
    ttp_fail(err, TTP_EUSAGE, "'%s' is not named as a file of the profiler", path);
    ttp_err_hint(err, "known are profile_log_device, cpp_device_perf_report, tracy_ops_times, "
                      "tracy_ops_data, ops_perf_results and .tracy");
    return TTP_EUSAGE;
}

static ttp_code find_files(struct file *file, size_t *n, const char *dir, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_log_paths paths;
    const char *report = NULL;

    if (ttp_file_exists(dir)) {
        *n = 1;
        return find_file(file, dir, err);
    }
    TTP_TRY(ttp_logs_find(&paths, dir, arena, err));
    const ttp_code rc = ttp_ops_find_csv(&report, paths.root, arena, err);
    if (rc == TTP_ENOTFOUND)
        report = NULL;
    else if (rc != TTP_OK)
        return rc;
    const char *const path[KINDS] = {paths.device,   paths.cpp,   paths.zones,
                                     paths.messages, paths.tracy, report};
    for (int k = 0; k < KINDS; k++)
        file[k] = (struct file){.kind = (enum kind)k, .path = path[k]};
    *n = KINDS;
    return TTP_OK;
}

static void put_text_file(struct ttp_sink *out, const struct file *f)
{
    if (!f->path) {
        ttp_sink_printf(out, "%-28s missing; made by: %s\n", kinds[f->kind].name,
                        kinds[f->kind].how);
        return;
    }
    ttp_sink_printf(out, "%-28s %s, ", kinds[f->kind].name, kinds[f->kind].what);
    ttp_sink_u64(out, f->bytes);
    ttp_sink_put(out, TTP_STR(" bytes\n"));
    for (size_t i = 0; i < f->nfacts; i++) {
        const struct fact *fact = &f->fact[i];

        if (fact->is_text)
            ttp_sink_printf(out, "    %-20s %s\n", fact->key, fact->text);
        else if (fact->number || i < 4)
            ttp_sink_printf(out, "    %-20s %" PRIu64 "\n", fact->key, fact->number);
    }
    if (f->fault)
        ttp_sink_printf(out, "    cannot be read: %s\n", f->fault);
}

static void put_json_file(struct ttp_json_writer *w, const struct file *f)
{
    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("kind"));
    ttp_json_put_str(w, ttp_str_from(kinds[f->kind].id));
    ttp_json_put_key(w, TTP_STR("path"));
    if (f->path)
        ttp_json_put_str(w, ttp_str_from(f->path));
    else
        ttp_json_put_null(w);
    if (!f->path) {
        ttp_json_put_key(w, TTP_STR("made_by"));
        ttp_json_put_str(w, ttp_str_from(kinds[f->kind].how));
    } else {
        ttp_json_put_key(w, TTP_STR("size_bytes"));
        ttp_json_put_u64(w, f->bytes);
    }
    if (f->fault) {
        ttp_json_put_key(w, TTP_STR("fault"));
        ttp_json_put_str(w, ttp_str_from(f->fault));
    }
    for (size_t i = 0; i < f->nfacts; i++) {
        ttp_json_put_key(w, ttp_str_from(f->fact[i].key));
        if (f->fact[i].is_text)
            ttp_json_put_str(w, ttp_str_from(f->fact[i].text));
        else
            ttp_json_put_u64(w, f->fact[i].number);
    }
    ttp_json_end_object(w);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct info_opts *o = opts;
    const struct ttp_logs_options options = {.threads = (unsigned)o->common.threads,
                                             .progress = !ctx->quiet};
    const char *dir = operands->count ? operands->word[0] : ttp_logs_default_dir(ctx->arena);
    struct file file[KINDS] = {0};
    size_t n;

    (void)status;
    TTP_TRY(find_files(file, &n, dir, ctx->arena, err));
    for (size_t i = 0; i < n; i++)
        inspect(&file[i], &options, ctx->arena);
    if (strcmp(ctx->format, "json") != 0) {
        for (size_t i = 0; i < n; i++)
            put_text_file(ctx->out, &file[i]);
        return TTP_OK;
    }
    struct ttp_json_writer w = {.sink = ctx->out};
    ttp_envelope_begin(&w, "tt-perf.info/1", operands);
    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("files"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < n; i++)
        put_json_file(&w, &file[i]);
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_envelope_end(&w, NULL, false);
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf info", "the last run of tt-metal in this environment"},
    {"tt-perf info generated/profiler --format json", "a given run, for programs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_info = {
    .name = "info",
    .args = "[FILE|DIR]",
    .summary = "say what a profiled run left behind, and what is missing",
    .description =
        "Lists the files of a profiler artifacts folder, or looks at one file: what each of them "
        "is, its size "
        "and version, how many rows, ops, devices and replays it holds, whether it can be "
        "read, and how to make those that are missing.",
    .opts_size = sizeof(struct info_opts),
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_OUTPUT | TTP_TAKES_TALK | TTP_TAKES_THREADS,
    .formats = formats,
    .operand = TTP_OPERAND_FILE,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
