/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_record.c - `tt-perf record`: run a command under the profiler, then report. */
#include "verbs/record_job.h"

enum mode { MODE_OPS, MODE_KERNEL, MODE_LINES, MODE_COUNTERS, MODE_DEVICE_ONLY };
static const char *const mode_words[] = {"ops", "kernel", "lines", "counters", "device-only", NULL};

enum { ZONES_OPS, ZONES_ALL };
static const char *const zone_words[] = {"ops", "all", NULL};

struct record_opts {
    struct ttp_common_opts common;
    const char *dir, *name, *from, *counters, *children;
    int64_t port;
    int mode, zones;
    bool no_report, tracy_file, raw;
};

#define FIELD(name) offsetof(struct record_opts, name)
static const struct ttp_opt options[] = {
    {.name = "mode",
     .offset = FIELD(mode),
     .type = TTP_OPT_CHOICE,
     .choices = mode_words,
     .group = "What is profiled",
     .help = "ops: a row for each operation, the default; kernel: NoC events too; lines: zones for "
             "the lines of TT-Lang kernels; counters: hardware counters; device-only: nothing of "
             "the host"},
    {.name = "counters",
     .offset = FIELD(counters),
     .type = TTP_OPT_STR,
     .metavar = "GROUPS",
     .help = "of --mode counters: fpu, pack, unpack, l1_0 to l1_4, instrn, separated by commas; "
             "one of the l1 at a time; 'all', the default, is what fits in one run"},
    {.name = "zones",
     .offset = FIELD(zones),
     .type = TTP_OPT_CHOICE,
     .choices = zone_words,
     .help = "which zones of the host are kept: those of ops and what is in them, the default, or "
             "all"},
    {.name = "child-functions",
     .offset = FIELD(children),
     .type = TTP_OPT_STR,
     .metavar = "LIST",
     .help = "also time these zones, separated by commas, wherever they are below an op's"},
    {.name = "output",
     .letter = 'o',
     .offset = FIELD(dir),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .group = "Where things go",
     .help = "artifacts folder: '.logs' and 'reports' are below it (default: as tt-metal has it, "
             "TT_METAL_PROFILER_DIR, or generated/profiler below TT_METAL_HOME or here)"},
    {.name = "name",
     .letter = 'n',
     .offset = FIELD(name),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "add _NAME to the name of the report"},
    {.name = "port",
     .letter = 'p',
     .offset = FIELD(port),
     .type = TTP_OPT_INT,
     .metavar = "PORT",
     .max = 65535,
     .help = "port of the program's Tracy client, for one at a time (default: TRACY_PORT, else 0: "
             "every process takes a free one from 8086 on)"},
    {.name = "tracy-file",
     .offset = FIELD(tracy_file),
     .type = TTP_OPT_FLAG,
     .help = "leave .logs/tracy_profile_log_host.tracy for Tracy's viewer as well, device zones "
             "included; takes a tracy-capture of the program's version"},
    {.name = "raw",
     .offset = FIELD(raw),
     .type = TTP_OPT_FLAG,
     .help = "keep the stream itself, with device zones, in the capture file as well: 'tt-perf "
             "export tracy' can make a .tracy of it later"},
    {.name = "no-report",
     .offset = FIELD(no_report),
     .type = TTP_OPT_FLAG,
     .group = "What follows",
     .help = "stop at the logs"},
    {.name = "from",
     .offset = FIELD(from),
     .type = TTP_OPT_STR,
     .metavar = "FILE",
     .help = "run nothing: make logs and report of a capture file, a .tracy, or the newest capture "
             "of a folder"},
};

static const struct record_opts defaults = {.port = TTP_PORT_ANY};

static void set_mode(struct ttp_record_job *job, int mode)
{
    struct ttp_record_settings *s = &job->settings;

    s->device = true;
    s->ops = mode != MODE_DEVICE_ONLY;
    s->cpp_report = mode != MODE_COUNTERS && mode != MODE_DEVICE_ONLY;
    s->noc_events = mode == MODE_KERNEL;
    s->lines = mode == MODE_LINES;
    job->device_only = mode == MODE_DEVICE_ONLY;
    job->then = mode == MODE_KERNEL ? "kernel" : mode == MODE_LINES ? "annotate" : NULL;
}

static ttp_code check(const struct record_opts *o, const struct ttp_words *operands,
                      struct ttp_err *err)
{
    if (o->name && strchr(o->name, '/'))
        return ttp_fail(err, TTP_EUSAGE, "option '--name': '%s' has a '/'", o->name);
    if (o->counters && o->mode != MODE_COUNTERS)
        return ttp_fail(err, TTP_EUSAGE, "option '--counters' goes with '--mode counters'");
    if (o->from && operands->count)
        return ttp_fail(err, TTP_EUSAGE, "with '--from' no command is run: '%s'",
                        operands->word[0]);
    if (o->from || operands->count)
        return TTP_OK;
    ttp_fail(err, TTP_EUSAGE, "no command given");
    ttp_err_hint(err, "for example: tt-perf record -- python3 model.py");
    return TTP_EUSAGE;
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
        .children = ttp_words_split(o->children, ctx->arena),
        .tracy_file = o->tracy_file,
        .raw = o->raw,
        .process = !o->no_report,
        .print = !o->no_report,
        .threads = (unsigned)o->common.threads,
        .settings = {.push_to_tracy = o->tracy_file || o->raw, .report = !o->no_report},
    };

    TTP_TRY(check(o, operands, err));
    set_mode(&job, o->mode);
    if (o->mode == MODE_COUNTERS)
        TTP_TRY(ttp_record_parse_counters(&job.settings.counters, o->counters ? o->counters : "all",
                                          err));
    if (o->from)
        return ttp_record_job_repeat(o->from, &job, ctx, err);
    return ttp_record_job_run(status, &job, ctx, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf record -- pytest tests/test_model.py", "run it, then print the report of its ops"},
    {"tt-perf record -o out --name decode --no-report -- python3 model.py --layers 2",
     "only the logs, below 'out'"},
    {"tt-perf record --mode counters --counters fpu,l1_1 -- python3 model.py",
     "with two groups of hardware counters"},
    {"tt-perf record -p 9000 -- docker run --network host -e TRACY_PORT image",
     "a client that is no child of the command is found by its port"},
    {"tt-perf record --from out/.logs/capture_1.ttcap", "the report once more"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_record = {
    .name = "record",
    .args = "[--] COMMAND [ARGUMENT...]",
    .summary = "run a command under the profiler and report on its ops",
    .description =
        "Runs COMMAND as it is, without a shell, with the environment that tt-metal's profiler "
        "needs, and receives what its Tracy clients send: no Python, no build of Tracy's tools. "
        "Input, output, terminal and signals are the command's. When it ends, the logs are where "
        "tt-metal's own scripts would have put them, the ops CSV is made, and the report is "
        "printed.\n\n"
        "Ctrl-C asks the command to stop; what was captured so far is saved and processed. A "
        "second "
        "one kills it, and still saves. The capture file grows while the command runs: whatever "
        "had arrived when something was killed is in it, and --from goes on from there.\n\n"
        "Every process that announces a Tracy client is received. One client, or one that has ops, "
        "has its logs in DIR/.logs; of several, each has its own folder below DIR, or its own "
        "TT_METAL_PROFILER_DIR. The logs of an earlier run are put aside under their date, never "
        "deleted.\n\n"
        "DIR is locked while the command runs and its logs are processed: a second recording into "
        "it is refused. Without -o a run that finds the folder in use goes to a new folder below "
        "it. Only processes of the command are received; with -p it is whoever listens on that "
        "port, and record says who that was.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct record_opts),
    .defaults = &defaults,
    .takes = TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_LIMITS | TTP_TAKES_NO_INPUT,
    .operand = TTP_OPERAND_COMMAND,
    .max_operands = -1,
    .examples = examples,
    .exit_notes = "The command's own; 128 and the number of the signal that ended it; 126 when it "
                  "cannot be executed, 127 when it is not found; 125 for every failure of ours, "
                  "wrong usage included.",
    .own_failure = TTP_EXIT_RUN_FAILED,
    .run = run,
};
