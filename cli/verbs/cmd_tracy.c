/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_tracy.c - `tt-perf tracy`: the command line of tt-metal's `python3 -m tracy`. */
#include <unistd.h>

#include "base/file.h"
#include "verbs/record_job.h"

struct tracy_opts {
    struct ttp_common_opts common;
    bool module, partial, lines, report, no_device, no_op_info_cache, process_logs_only;
    bool dispatch, sums, accumulate, no_runtime_analysis, sync, trace_only, memory, mid_run;
    bool no_files, no_push, noc, check_exit_code, no_capture_tool, tracy_file;
    const char *dir, *name, *children, *tools, *counters;
    int64_t port, web_app_port, support_count;
    struct ttp_words analysis;
};

#define FIELD(f) offsetof(struct tracy_opts, f)
#define SWITCH(long_name, field, text)                                                             \
    {                                                                                              \
        .name = (long_name), .offset = FIELD(field), .type = TTP_OPT_FLAG, .help = (text)          \
    }
static const struct ttp_opt options[] = {
    TTP_OPTION(FLAG, "module", FIELD(module), "the operand is a Python module", .letter = 'm',
               .group = "Command"),
    SWITCH("check-exit-code", check_exit_code,
           "exit with 4 and process nothing if the command fails"),
    SWITCH("no-capture-tool", no_capture_tool, "set the environment and run, but receive nothing"),
    SWITCH("process-logs-only", process_logs_only,
           "do not run a command; make the report from the folder's logs"),
    TTP_OPTION(FLAG, "report", FIELD(report), "make the ops report", .letter = 'r',
               .group = "Output"),
    TTP_OPTION(STR, "output-folder", FIELD(dir), "artifacts folder", .letter = 'o',
               .metavar = "DIR"),
    TTP_OPTION(STR, "name-append", FIELD(name), "add _NAME to the report's name", .letter = 'n',
               .metavar = "NAME"),
    TTP_OPTION(STR, "child-functions", FIELD(children),
               "also time these zones within ops, separated by commas", .metavar = "LIST"),
    TTP_OPTION(LIST, "device-analysis-types", FIELD(analysis),
               "only this analysis of the device log; may be repeated", .letter = 'a',
               .metavar = "NAME"),
    TTP_OPTION(INT, "port", FIELD(port),
               "port of the program's Tracy client (default: TRACY_PORT, else 0: one per process)",
               .letter = 't', .metavar = "PORT", .max = 65535),
    SWITCH("tracy-file", tracy_file,
           "extension: write a .tracy file for Tracy's viewer, like record"),
    TTP_OPTION(STR, "tracy-tools-folder", FIELD(tools),
               "folder of tracy-capture; implies --tracy-file", .metavar = "DIR"),
    TTP_OPTION(INT, "web-app-port", FIELD(web_app_port),
               "accepted and ignored: no viewer is started", .metavar = "PORT"),
    TTP_OPTION(FLAG, "partial", FIELD(partial),
               "accepted and ignored: Python calls never become zones", .letter = 'p',
               .group = "Profile"),
    TTP_OPTION(FLAG, "lines", FIELD(lines),
               "unsupported: zones for Python lines require tt-metal's own tracer", .letter = 'l'),
    SWITCH("no-device", no_device, "no device data"),
    SWITCH("no-op-info-cache", no_op_info_cache, "also describe repeated ops in full"),
    TTP_OPTION(INT, "op-support-count", FIELD(support_count),
               "number of programs that the device buffer can hold", .metavar = "N",
               .max = INT32_MAX),
    SWITCH("profile-dispatch-cores", dispatch, "include dispatch cores"),
    SWITCH("enable-sum-profiling", sums, "sums of zones"),
    SWITCH("enable-accumulate-profiling", accumulate,
           "many kernels in one device buffer; conflicts with -r"),
    SWITCH("no-runtime-analysis", no_runtime_analysis, "no C++ post-processing"),
    SWITCH("sync-host-device", sync, "synchronise the clocks of host and devices"),
    SWITCH("device-trace-profiler", trace_only, "replayed traces only"),
    SWITCH("device-memory-profiler", memory, "buffers on the device"),
    SWITCH("dump-device-data-mid-run", mid_run, "write files at every read of the device"),
    SWITCH("disable-device-data-dump-to-files", no_files, "write no device files"),
    SWITCH("disable-device-data-push-to-tracy", no_push,
           "no device zones in Tracy (always without a .tracy file)"),
    SWITCH("collect-noc-traces", noc, "NoC events"),
    TTP_OPTION(STR, "profiler-capture-perf-counters", FIELD(counters),
               "hardware counters: fpu, pack, unpack, l1_0 to l1_4, instrn, all",
               .metavar = "GROUPS"),
};

static const struct tracy_opts defaults = {.port = TTP_PORT_ANY};

enum { STATUS_COMMAND_FAILED = 4 }; /* of the original's --check-exit-code */

/* --- the command --- */

static bool is_python(const char *path)
{
    const ttp_str name = ttp_str_from(path);
    struct ttp_file f;
    bool yes = ttp_str_ends(name, TTP_STR(".py"));

    if (yes || !ttp_file_exists(path) || ttp_file_map(&f, path, NULL) != TTP_OK)
        return yes;
    const ttp_str first = ttp_str_slice(f.text, 0, ttp_str_find_char(f.text, '\n'));
    yes = ttp_str_starts(first, TTP_STR("#!")) && ttp_str_has(first, TTP_STR("python"));
    ttp_file_close(&f);
    return yes;
}

/* A module or a script goes to Python, one word with blanks to the shell, all else is run as it is.
 */
static struct ttp_words make_command(const struct tracy_opts *o, const struct ttp_words *operands,
                                     struct ttp_arena *arena)
{
    struct ttp_words out = {0};

    if (o->module || is_python(operands->word[0])) {
        ttp_words_add(&out, "python3", arena);
        if (o->module)
            ttp_words_add(&out, "-m", arena);
    } else if (operands->count == 1 && strpbrk(operands->word[0], " \t;|&<>$`\"'") &&
               access(operands->word[0], X_OK) < 0) {
        ttp_words_add(&out, "/bin/sh", arena);
        ttp_words_add(&out, "-c", arena);
    }
    for (size_t i = 0; i < operands->count; i++)
        ttp_words_add(&out, operands->word[i], arena);
    return out;
}

/* --- what it asks for --- */

static ttp_code set_job(struct ttp_record_job *job, const struct tracy_opts *o,
                        const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const bool viewer = o->tracy_file || o->tools;

    *job = (struct ttp_record_job){
        .dir = o->dir,
        .port = o->port,
        .name = o->name,
        .children = ttp_opts_split_words(o->children, ctx->arena),
        .zones = TTP_ZONES_OPS,
        .tracy_file = viewer,
        .tools = o->tools,
        .process = o->report,
        .print = false,
        .analysis = o->analysis,
        .settings = {.device = !o->no_device,
                     .ops = o->report,
                     .report = o->report,
                     .cpp_report = !o->no_runtime_analysis,
                     .push_to_tracy = viewer && !o->no_push,
                     .noc_events = o->noc,
                     .dispatch_cores = o->dispatch,
                     .sums = o->sums,
                     .accumulate = o->accumulate,
                     .sync = o->sync,
                     .trace_only = o->trace_only,
                     .memory = o->memory,
                     .mid_run = o->mid_run,
                     .no_files = o->no_files,
                     .no_op_cache = o->no_op_info_cache,
                     .drop_op_cache_setting = true,
                     .support_count = o->support_count},
    };
    if (o->lines) {
        ttp_fail(err, TTP_EUSAGE,
                 "option '-l' is unsupported: zones for Python lines require tt-metal's tracer");
        ttp_err_hint(err, "use tt-metal's 'python3 -m tracy -l'");
        return TTP_EUSAGE;
    }
    return o->counters ? ttp_record_parse_counters(&job->settings.counters, o->counters, err)
                       : TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct tracy_opts *o = opts;
    struct ttp_record_job job;

    TTP_TRY(set_job(&job, o, ctx, err));
    if (o->process_logs_only) {
        job.process = true;
        return ttp_record_job_process(&job, ctx, err);
    }
    if (!operands->count) {
        ttp_fail(err, TTP_EUSAGE, "missing command");
        ttp_err_hint(err, "for example: tt-perf tracy -r -m pytest tests/test_model.py");
        return TTP_EUSAGE;
    }
    job.command = make_command(o, operands, ctx->arena);
    job.unless_failed = o->check_exit_code;
    job.settings.unreceived = o->no_capture_tool;
    TTP_TRY(ttp_record_job_run(status, &job, ctx, err));
    if (o->check_exit_code && *status)
        *status = STATUS_COMMAND_FAILED;
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf tracy -r -p -m pytest tests/test_model.py", "a Python module, with the ops report"},
    {"tt-perf tracy -r -o out -n decode model.py --layers 2", "a script, with output in a folder"},
    {"tt-perf tracy -r --profiler-capture-perf-counters all build/test/run_ops",
     "any program, with hardware counters"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_tracy = {
    .name = "tracy",
    .args = "[-m MODULE | SCRIPT | COMMAND] [ARGUMENT...]",
    .summary = "like record, with the options of tt-metal's 'python3 -m tracy'",
    .description =
        "Accepts the options of tt-metal's 'python3 -m tracy' and works like 'tt-perf record': "
        "here -p is partial and -t is the port. It runs a module or a Python script with "
        "python3, anything else directly. Without -r it writes only the logs; with -r also the "
        "ops CSV, but prints no report: use 'tt-perf report', or 'tt-perf record' for both.",
    TTP_CMD_OPTIONS(options, struct tracy_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_TALK,
    .operand = TTP_OPERAND_COMMAND,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "The command's own, unlike the original, or 4 with --check-exit-code if it "
                  "failed; 125 if tt-perf itself failed; 126, 127 and 128 and above as for "
                  "record.",
    .own_failure = TTP_EXIT_RUN_FAILED,
    .run = run,
};
