/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_record.c - `tt-perf record`: run a command under the profiler, then report. */
#include "base/file.h"
#include "verbs/record_job.h"
#include "verbs/record_passes.h"
#include "verbs/record_rank.h"

enum mode { MODE_OPS, MODE_KERNEL, MODE_LINES, MODE_COUNTERS, MODE_DEVICE_ONLY };
static const char *const mode_words[] = {"ops", "kernel", "lines", "counters", "device-only", NULL};

enum { PASSES_AUTO, PASSES_ONE };
static const char *const pass_words[] = {"auto", "1", NULL};

enum { ZONES_OPS, ZONES_ALL };
static const char *const zone_words[] = {"ops", "all", NULL};

struct record_opts {
    struct ttp_common_opts common;
    const char *dir, *name, *from, *counters, *children;
    const char *root;
    int64_t port, sample_hz;
    int mode, zones, passes;
    bool no_report, tracy_file, raw, require_capture;
};

#define FIELD(name) offsetof(struct record_opts, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(CHOICE, "mode", FIELD(mode),
               "ops (default): one row per operation; kernel: also NoC events, lines and counters, "
               "in passes that are merged; lines: only zones for the lines of TT-Lang kernels; "
               "counters: only hardware counters; device-only: no host data",
               .choices = mode_words, .group = "Profile"),
    TTP_OPTION(CHOICE, "passes", FIELD(passes),
               "for --mode kernel: 'auto' (default) runs the command once for NoC events, once for "
               "lines and once for counters, and merges the passes if they ran the same programs; "
               "'1' records NoC events and lines in one run, which disturb each other",
               .choices = pass_words),
    TTP_OPTION(STR, "counters", FIELD(counters),
               "groups for --mode counters and kernel: fpu, pack, unpack, l1_0 to l1_4, instrn, "
               "separated by commas; only one l1 group fits in a run, so --mode kernel takes one "
               "pass for each; 'all', the default, is what fits in one run; 'none' is for --mode "
               "kernel; the ops CSV has them in columns, from 'SFPU Util Min (%)' on",
               .metavar = "GROUPS"),
    TTP_OPTION(CHOICE, "zones", FIELD(zones),
               "host zones to keep: ops and the zones inside them (default), or all",
               .choices = zone_words),
    TTP_OPTION(STR, "child-functions", FIELD(children),
               "also time these zones inside ops, at any depth, separated by commas",
               .metavar = "LIST"),
    TTP_OPTION(INT, "sample-rate", FIELD(sample_hz),
               "samples of clock, power and temperature of the boards per second (default 10; 0: "
               "none); fewer if they would cost more than 0.1 % of a core",
               .metavar = "HZ", .max = 10),
    TTP_OPTION(STR, "root", FIELD(root),
               "sample the boards of another machine: a folder with its sys, proc and dev",
               .metavar = "DIR"),
    TTP_OPTION(STR, "output", FIELD(dir),
               "artifacts folder that contains '.logs' and 'reports' (default: as in tt-metal, "
               "TT_METAL_PROFILER_DIR, or generated/profiler below TT_METAL_HOME or the current "
               "folder)",
               .letter = 'o', .metavar = "DIR", .group = "Files"),
    TTP_OPTION(STR, "name", FIELD(name), "add _NAME to the report's name", .letter = 'n',
               .metavar = "NAME"),
    TTP_OPTION(INT, "port", FIELD(port),
               "port of the program's Tracy client, for a single client (default: TRACY_PORT, else "
               "0: every process takes a free port from 8086 up)",
               .letter = 'p', .metavar = "PORT", .max = 65535),
    TTP_OPTION(FLAG, "tracy-file", FIELD(tracy_file),
               "also write .logs/tracy_profile_log_host.tracy for Tracy's viewer, including device "
               "zones: by tracy-capture or capture-release if one is on PATH or below "
               "TT_METAL_HOME, else by tt-perf, without call stacks and locks"),
    TTP_OPTION(FLAG, "raw", FIELD(raw),
               "also keep the raw stream, including device zones, in the capture file, so that "
               "'tt-perf export tracy' can write them later"),
    TTP_OPTION(FLAG, "require-capture", FIELD(require_capture),
               "fail if no op was captured: exit with 125, unless the command itself failed",
               .group = "Processing"),
    TTP_OPTION(FLAG, "no-report", FIELD(no_report), "write only the logs"),
    TTP_OPTION(STR, "from", FIELD(from),
               "do not run a command; make logs and report from a capture file, a .tracy file, or "
               "the newest capture in a folder",
               .metavar = "FILE"),
};

static const struct record_opts defaults = {.port = TTP_PORT_ANY, .sample_hz = 10};

static void set_mode(struct ttp_record_job *job, int mode)
{
    struct ttp_ledger_settings *s = &job->settings;

    s->device = true;
    s->ops = mode != MODE_DEVICE_ONLY;
    s->cpp_report = mode != MODE_COUNTERS && mode != MODE_DEVICE_ONLY;
    s->lines = mode == MODE_LINES;
    job->device_only = mode == MODE_DEVICE_ONLY;
    job->then = mode == MODE_KERNEL ? &cmd_kernel : mode == MODE_LINES ? &cmd_annotate : NULL;
}

static ttp_code check(const struct record_opts *o, const struct ttp_words *operands,
                      struct ttp_arena *arena, struct ttp_err *err)
{
    if (o->name && strchr(o->name, '/'))
        return ttp_fail(err, TTP_EUSAGE, "option '--name': '%s' contains a '/'", o->name);
    if (o->counters && o->mode != MODE_COUNTERS && o->mode != MODE_KERNEL)
        return ttp_fail(err, TTP_EUSAGE,
                        "option '--counters' requires '--mode counters' or '--mode kernel'");
    if (o->passes != PASSES_AUTO && o->mode != MODE_KERNEL)
        return ttp_fail(err, TTP_EUSAGE, "option '--passes' requires '--mode kernel'");
    if (o->root && !ttp_file_is_dir(ttp_file_join(o->root, "sys", arena))) {
        ttp_fail(err, TTP_EIO, "option '--root': no folder 'sys' in '%s'", o->root);
        ttp_err_hint(err, "name the folder with sys, proc and dev of a machine");
        return TTP_EIO;
    }
    if (o->from && operands->count)
        return ttp_fail(err, TTP_EUSAGE, "'--from' takes no command, got '%s'", operands->word[0]);
    if (o->from || operands->count)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "no command given");
    ttp_err_hint(err, "for example: tt-perf record -- python3 model.py");
    return TTP_EUSAGE;
}

/* Ranks start and end together: a pass of one would wait for the others. */
static bool is_single(const struct record_opts *o, const struct ttp_ctx *ctx)
{
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    if (o->passes == PASSES_AUTO && rank.many)
        ttp_ctx_warn(ctx, "one of several ranks: recording everything in one pass");
    return o->passes == PASSES_ONE || rank.many;
}

static ttp_code run_passes(int *status, const struct ttp_record_job *job,
                           const struct record_opts *o, const struct ttp_ctx *ctx,
                           struct ttp_err *err)
{
    const bool single = is_single(o, ctx), none = o->counters && strcmp(o->counters, "none") == 0;
    struct ttp_record_passes passes;
    uint32_t counters = single || none ? 0 : TTP_COUNTERS_ALL;

    if (o->counters && !none)
        TTP_TRY(ttp_record_parse_counters(&counters, o->counters, err));
    ttp_record_plan_passes(&passes, &job->settings, counters, single);
    return ttp_record_passes_run(status, job, &passes, ctx, err);
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct record_opts *o = opts;
    struct ttp_record_job job = {
        .command = *operands,
        .dir = o->dir,
        .port = o->port,
        .name = o->name,
        .zones = o->zones == ZONES_ALL ? TTP_ZONES_ALL : TTP_ZONES_OPS,
        .children = ttp_opts_split_words(o->children, ctx->arena),
        .tracy_file = o->tracy_file,
        .raw = o->raw,
        .require_capture = o->require_capture,
        .process = !o->no_report,
        .print = !o->no_report,
        .threads = (unsigned)o->common.threads,
        .host_root = o->root,
        .sample_hz = o->sample_hz,
        .common = &o->common,
        .settings = {.push_to_tracy = o->tracy_file || o->raw, .report = !o->no_report},
    };

    TTP_TRY(check(o, operands, ctx->arena, err));
    set_mode(&job, o->mode);
    if (o->mode == MODE_COUNTERS)
        TTP_TRY(ttp_record_parse_counters(&job.settings.counters, o->counters ? o->counters : "all",
                                          err));
    if (o->from)
        return ttp_record_job_repeat(o->from, &job, ctx, err);
    if (o->mode == MODE_KERNEL)
        return run_passes(status, &job, o, ctx, err);
    return ttp_record_job_run(status, &job, ctx, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf record -- pytest tests/test_model.py", "run it and print a report of its ops"},
    {"tt-perf record -o out --name decode --no-report -- python3 model.py --layers 2",
     "only the logs, below 'out'"},
    {"tt-perf record --mode counters --counters fpu,l1_1 -- python3 model.py",
     "with two groups of hardware counters"},
    {"tt-perf record --mode kernel -o out -- python3 kernel.py",
     "everything about a kernel, in three passes that become one run"},
    {"tt-perf record -p 9000 -- docker run --network host -e TRACY_PORT image",
     "find a client that is not a child of the command by its port"},
    {"tt-perf record --from out/.logs/capture_1.ttcap", "make the report again"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_record = {
    .name = "record",
    .args = "[--] COMMAND [ARGUMENT...]",
    .summary = "run a command under the profiler and report on its ops",
    .description =
        "Runs COMMAND directly, without a shell, with the environment that tt-metal's profiler "
        "needs, and receives what its Tracy clients send. It needs neither Python nor Tracy's "
        "tools. The command keeps its input, output, terminal and signals. When it ends, the "
        "logs are where tt-metal's own scripts would put them, the ops CSV is made, and the "
        "report is printed.\n\n"
        "Ctrl-C asks the command to stop; the data captured so far is saved and processed. A "
        "second one kills it, and still saves. The capture file grows while the command runs: it "
        "holds everything that arrived before a kill, and --from continues from there.\n\n"
        "With --mode kernel the command runs once for each pass, because NoC events, zones of "
        "lines and hardware counters share a buffer on the device and TT-Lang compiles for one of "
        "them at a time. The passes become one run if they ran the same ops and programs (op "
        "sequence, hashes, tensors) in as many cycles, apart from noise and the cost of markers; "
        "otherwise record reports what differs, keeps every pass, merges nothing and exits with "
        "125.\n\n"
        "Every process that announces a Tracy client is received. A single client, or the only "
        "one with ops, gets its logs in DIR/.logs; several get a folder each below DIR, or their "
        "own TT_METAL_PROFILER_DIR. The logs of an earlier run are moved to a folder named by "
        "their date, never deleted.\n\n"
        "DIR is locked while the command runs and its logs are processed: a second recording "
        "into it is rejected. Without -o, a run that finds the folder in use writes to a new "
        "folder below it. record receives only processes of the command; with -p, it receives any "
        "process that listens on that port, and names it.\n\n"
        "While the command runs, clock, power, temperature and thermal shutdowns of every board "
        "are read from sysfs and written to machine_log.csv next to the logs. 'tt-perf report' "
        "shows whether a board throttled in the window, 'tt-perf trace' shows the samples as "
        "tracks.",
    TTP_CMD_OPTIONS(options, struct record_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_LIMITS | TTP_TAKES_NO_INPUT |
             TTP_TAKES_COLOR | TTP_TAKES_PAGER,
    .operand = TTP_OPERAND_COMMAND,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "The command's own; 128 plus the number of the signal that killed it; 126 if "
                  "it cannot be executed, 127 if it is not found; 125 if tt-perf itself failed, "
                  "including wrong usage.",
    .own_failure = TTP_EXIT_RUN_FAILED,
    .ranked = true,
    .run = run,
};
