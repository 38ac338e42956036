/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_trace.c - `tt-perf trace`: a run on a timeline. */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/quantity.h"
#include "core/form.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "verbs/trace_ranks.h"
#include "verbs/trace_serve.h"
#include "verbs/trace_write.h"

#define FIELD(name) offsetof(struct ttp_trace_verb, name)
static const struct ttp_opt options[] = {
    TTP_OPTION(STR, "output", FIELD(output),
               "write the trace to FILE, which is replaced only when complete; '-' is standard "
               "output",
               .letter = 'o', .metavar = "FILE", .group = "Output"),
    TTP_OPTION(FLAG, "serve", FIELD(serve),
               "show the trace in a browser: serve a page that opens Perfetto with the trace, on "
               "this machine only, until Ctrl-C"),
    TTP_OPTION(FLAG, "offline", FIELD(offline),
               "use the built-in timeline instead of Perfetto, without a network: serve it, or "
               "with -o write it as a single page"),
    TTP_OPTION(INT, "port", FIELD(port),
               "serve on this port (default: 9001, from which Perfetto may fetch, else a free one)",
               .metavar = "N", .min = 1, .max = 65535),
    TTP_OPTION(
        INT, "split-size", FIELD(split_mb),
        "a trace of ranks larger than N MB becomes a file for each rank and an index (default "
        "200, 0 means never)",
        .metavar = "N", .min = 0, .max = 1000000),
    TTP_OPTION(STR, "ops", FIELD(ops),
               "only ops with an ID in 12-40, 12- or -40, as 'tt-perf report' numbers them",
               .metavar = "RANGE", .group = "Selection"),
    TTP_OPTION(STR, "start-signpost", FIELD(start_signpost),
               "only the part after the first signpost of that name", .metavar = "NAME"),
    {.name = "signpost", .alias_of = "start-signpost", .hidden = true},
    TTP_OPTION(STR, "end-signpost", FIELD(end_signpost),
               "stop at the first signpost of that name after the start", .metavar = "NAME"),
    TTP_OPTION(STR, "window", FIELD(window),
               "only ops of that part of the run, with all iterations, as in report --window "
               "(default all)",
               .metavar = "WHICH"),
    TTP_OPTION(LIST, "devices", FIELD(devices),
               "only these devices, such as 0,2 or 0-3; of several ranks also 1:0",
               .metavar = "IDS"),
    {.name = "device", .alias_of = "devices", .hidden = true},
    TTP_OPTION(STR, "rank", FIELD(rank), "only rank N of a multi-rank run, on the time line of all",
               .metavar = "N"),
    TTP_OPTION(STR, "pass", FIELD(pass),
               "show this pass of a run of 'record --mode kernel': noc (default), lines (with "
               "zones of lines) or counters; each has its own clock",
               .metavar = "NAME"),
    TTP_OPTION(LIST, "cores", FIELD(cores),
               "only this core, such as 1,2, or these: 1-4,2 or '*,2'; may be repeated",
               .metavar = "X,Y"),
    TTP_OPTION(LIST, "zones", FIELD(zones),
               "only zones with these names, such as 'BRISC-*,*-KERNEL'; ops are always shown",
               .metavar = "NAMES"),
    TTP_OPTION(FLAG, "op-zones-only", FIELD(op_zones),
               "only host zones that are ops, and no host messages"),
    TTP_OPTION(FLAG, "noc", FIELD(noc),
               "also show every transfer of the NoC traces, if any (default: only their sums)"),
};

static const struct ttp_trace_verb defaults = {.split_mb = 200};

static const char *const formats[] = {"perfetto", "chrome-json", "folded", "speedscope", NULL};

/* Beyond this a browser has trouble, and so may the disk. */
#define LARGE_BYTES ((uint64_t)1000000000)

struct tracing {
    const struct ttp_ctx *ctx;
    const struct ttp_trace_verb *verb;
    struct ttp_run found;
    struct ttp_noc_folder noc;
    struct ttp_trace_job job;
    bool split;
};

static ttp_code parse_filters(struct ttp_trace_filter *f, const struct ttp_trace_verb *o,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    f->start_signpost = o->start_signpost;
    f->end_signpost = o->end_signpost;
    if (o->window && (o->ops || o->start_signpost || o->end_signpost)) {
        (void)ttp_fail(err, TTP_EUSAGE, "--window conflicts with %s",
                       o->ops ? "--ops" : "signposts");
        ttp_err_hint(err, "omit one of them");
        return TTP_EUSAGE;
    }
    if (o->ops)
        TTP_TRY(ttp_out_trace_parse_ops(f, o->ops, err));
    for (size_t i = 0; i < o->devices.count; i++)
        TTP_TRY(ttp_out_trace_parse_devices(f, o->devices.word[i], arena, err));
    for (size_t i = 0; i < o->cores.count; i++)
        TTP_TRY(ttp_out_trace_parse_core(f, o->cores.word[i], arena, err));
    for (size_t i = 0; i < o->zones.count; i++)
        ttp_out_trace_parse_zones(f, o->zones.word[i], arena);
    return TTP_OK;
}

/* ---- what an analysis knows about the ops ---- */

static ttp_code read_ops(struct ttp_ops *out, const struct tracing *t, struct ttp_err *err)
{
    struct ttp_ops_rows *rows;
    const struct ttp_ops_read_options reading = {.rows = &rows};

    TTP_TRY(ttp_ops_make_rows(&rows, &t->found.report, t->ctx->arena, err));
    const ttp_code rc = ttp_ops_read_csv(out, (struct ttp_paths){&t->found.paths.folder, 1},
                                         &reading, t->ctx->arena, err);
    ttp_ops_drop_rows(rows);
    return rc;
}

static ttp_code analyse(struct ttp_report *out, struct ttp_ops *ops, const struct tracing *t,
                        const char *window, struct ttp_err *err)
{
    const struct ttp_report_options analysis = {
        .window = window, .no_merge_devices = true, .boards = t->ctx->boards};

    return ttp_analysis_run(out, ops, &analysis, t->ctx->arena, err);
}

/* Show the rows from the first to the last of the window. */
static ttp_code cut_window(struct tracing *t, struct ttp_ops *ops, struct ttp_err *err)
{
    struct ttp_report report;

    TTP_TRY(analyse(&report, ops, t, t->verb->window, err));
    t->job.options.filter.has_ops = true;
    t->job.options.filter.ops = (struct ttp_trace_range){(int64_t)report.window.first_row + 2,
                                                         (int64_t)report.window.last_row + 2};
    return TTP_OK;
}

/* Bounds and bandwidths of the rows. A trace is fine without them where they cannot be known; what
 * the system refuses is a failure, or the same run would give another trace. */
static ttp_code find_facts(struct tracing *t, struct ttp_err *err)
{
    struct ttp_arena *arena = t->ctx->arena;
    struct ttp_err why = {0};
    struct ttp_report report;
    struct ttp_ops ops;

    if (t->found.report.nrows == 0 || t->found.report.device_only)
        return TTP_OK;
    ttp_code rc = read_ops(&ops, t, t->verb->window ? err : &why);
    if (rc == TTP_OK && t->verb->window)
        rc = cut_window(t, &ops, err);
    if (rc != TTP_OK && t->verb->window)
        return rc;
    if (rc == TTP_OK)
        rc = analyse(&report, &ops, t, "all", &why);
    if (rc == TTP_EIO)
        return ttp_fail(err, rc, "cannot read the table of operations: %.200s", why.text);
    if (rc != TTP_OK) {
        ttp_ctx_note(t->ctx, "omitting bounds and the DRAM counter: %s", why.text);
        return TTP_OK;
    }
    struct ttp_trace_fact *fact = TTP_NEW(arena, struct ttp_trace_fact, t->found.report.nrows);
    for (size_t i = 0; i < report.count; i++) {
        const struct ttp_op *op = &report.op[i];
        const char *bound = ttp_analysis_bound_name((enum ttp_bound)op->bound);

        if (op->row >= t->found.report.nrows)
            continue;
        fact[op->row] = (struct ttp_trace_fact){
            .name = ttp_sym_name(report.syms, op->name),
            .has_dram = op->has & TTP_HAS_DRAM,
            .has_dram_pct = op->has & TTP_HAS_DRAM_PCT,
            .has_flops_pct = op->has & TTP_HAS_FLOPS_PCT,
            .dram_gbs = op->dram_gbs,
            .dram_pct = op->dram_pct,
            .flops_pct = op->flops_pct,
            .bound = bound[0] ? bound : NULL,
        };
    }
    t->job.run.fact = fact;
    return TTP_OK;
}

/* ---- reading and writing ---- */

/* Samples of the boards, if the recording has some. */
static const struct ttp_machine_log *read_machine_log(const struct ttp_log_paths *paths,
                                                      const struct ttp_ctx *ctx)
{
    struct ttp_machine_log *log = TTP_NEW(ctx->arena, struct ttp_machine_log, 1);
    const char *path = ttp_logs_machine_log_find(paths->folder, ctx->arena);
    struct ttp_err why = {0};

    if (!path)
        return NULL;
    if (ttp_logs_machine_log_read(log, path, ctx->arena, &why) == TTP_OK)
        return log;
    ttp_ctx_warn(ctx, "%s: %s", path, why.text);
    return NULL;
}

static ttp_code read_run(struct tracing *t, const char *dir, struct ttp_err *err)
{
    const struct ttp_ctx *ctx = t->ctx;
    const struct ttp_run_plan plan = {
        .reading = {.threads = (unsigned)t->verb->common.threads, .progress = !ctx->quiet},
        .times = TTP_TIMES_DEVICE_LOG_FIRST,
        .host_alone = true};
    const struct ttp_log_paths *paths = &t->found.paths;
    const struct ttp_run_logs *logs = &t->found.logs;
    const struct ttp_words *problems = &t->found.problems;

    TTP_TRY(ttp_run_read_logs(&t->found, dir, &plan, ctx->arena, err));
    TTP_TRY(ttp_run_join(&t->found, &plan, ctx->arena, err));
    TTP_TRY(ttp_logs_find_noc_traces(&t->noc, paths->folder, ctx->arena, err));
    for (size_t i = 0; i < problems->count; i++)
        ttp_ctx_warn(ctx, "%s", problems->word[i]);
    const bool host = logs->host || (!logs->device && !logs->cpp);
    if (!logs->device && !logs->cpp)
        ttp_ctx_warn(ctx, "no device log: the timeline has only the host");
    t->job.run = (struct ttp_trace_run){.report = &t->found.report,
                                        .device_log = logs->device ? paths->device : NULL,
                                        .host_zones = host ? paths->zones : NULL,
                                        .messages = host ? paths->messages : NULL,
                                        .noc = &t->noc,
                                        .machine = read_machine_log(paths, ctx)};
    return find_facts(t, err);
}

static void warn_if_large(const struct tracing *t)
{
    struct ttp_arena scratch = {0};
    const uint64_t bytes = ttp_out_trace_estimate(&t->job.run, &t->job.options, &scratch);

    ttp_arena_free(&scratch);
    if (bytes <= LARGE_BYTES)
        return;
    ttp_ctx_warn(t->ctx,
                 "the trace will have about %.1f GB, and browsers fail at 2; reduce it with "
                 "--ops, --devices, --cores '1-2,1-2', --zones '*-KERNEL'%s",
                 (double)bytes / 1e9, t->job.run.host_zones ? " or --op-zones-only" : "");
}

static bool is_too_large(const struct tracing *t, const char *path)
{
    return t->job.ranks.mesh && t->job.ranks.mesh->parts > 1 && strcmp(path, "-") != 0 &&
           !t->verb->offline && t->verb->split_mb > 0 &&
           ttp_file_size(path) > (uint64_t)t->verb->split_mb * 1000000;
}

static const char *where_to_look(const struct tracing *t)
{
    static const char *const viewers[] = {
        [TTP_TRACE_PERFETTO] = "open it at https://ui.perfetto.dev, or use --serve, or --offline "
                               "if there is no network",
        [TTP_TRACE_CHROME] = "open it at https://speedscope.app or chrome://tracing",
        [TTP_TRACE_FOLDED] = "draw it with flamegraph.pl or inferno-flamegraph",
        [TTP_TRACE_SPEEDSCOPE] = "open it at https://speedscope.app"};

    if (t->verb->offline && !t->verb->serve)
        return "open it in a browser";
    return t->split ? "it lists a file for each rank, all on one clock (--split-size)"
                    : viewers[t->job.options.format];
}

static void tell(const struct tracing *t, const char *path)
{
    const struct ttp_trace_counts *n = &t->job.counts;

    if (n->lost_zones)
        ttp_ctx_warn(t->ctx,
                     "%" PRIu64 " zones without start or end are omitted; the buffer holds fewer "
                     "than 125 zones per RISC and program",
                     n->lost_zones);
    if (n->unknown_zones)
        ttp_ctx_warn(t->ctx, "%" PRIu64 " rows of tracy_ops_times.csv could not be read",
                     n->unknown_zones);
    ttp_ctx_note(t->ctx,
                 "%" PRIu64 " slices, %" PRIu64 " instants, %" PRIu64 " samples, %" PRIu64
                 " arrows on %" PRIu64 " tracks",
                 n->slices, n->instants, n->samples, n->flows, n->tracks);
    if (path && strcmp(path, "-") != 0)
        ttp_ctx_say(t->ctx, "wrote %s (%.*s, %" PRIu64 " slices); %s", path,
                    TTP_FMT(ttp_bytes_text((double)ttp_file_size(path), t->ctx->arena)), n->slices,
                    where_to_look(t));
}

/* Of what was written if it was, else of a file of its own. */
static ttp_code serve(struct tracing *t, struct ttp_err *err)
{
    struct ttp_serve_options serving = {.fd = -1,
                                        .name = t->job.name,
                                        .json = t->job.options.format == TTP_TRACE_CHROME,
                                        .offline = t->verb->offline,
                                        .port = (uint16_t)t->verb->port};
    const char *path = t->verb->output;

    ttp_code rc = path ? ttp_trace_write(&t->job, path, false, err)
                       : ttp_trace_write_aside(&t->job, &serving.fd, err);
    if (rc == TTP_OK)
        tell(t, path);
    if (rc == TTP_OK && path) {
        serving.fd = open(path, O_RDONLY | O_CLOEXEC);
        if (serving.fd < 0)
            rc = ttp_fail_errno(err, "cannot open '%s'", path);
    }
    if (rc == TTP_OK)
        rc = ttp_trace_serve(t->ctx, &serving, NULL, t->job.counts.slices, err);
    if (serving.fd >= 0)
        close(serving.fd);
    return rc;
}

/* The last part of a path that says something. */
static const char *name_of(const char *path, struct ttp_arena *arena)
{
    ttp_str rest = ttp_str_from(path), name = TTP_STR("run");

    while (rest.len) {
        const size_t slash = ttp_str_find_char(rest, '/');
        const ttp_str part = ttp_str_slice(rest, 0, slash);

        if (part.len && part.ptr[0] != '.' && !ttp_str_eq(part, TTP_STR("-")))
            name = part;
        rest = slash == TTP_NPOS ? TTP_STR("") : ttp_str_slice(rest, slash + 1, rest.len);
    }
    return ttp_arena_zstr(arena, name);
}

ttp_code ttp_trace_check_options(const struct ttp_trace_verb *o, struct ttp_err *err)
{
    const bool other = o->common.format != TTP_TRACE_PERFETTO;
    const bool shown = o->serve || o->offline;

    if (o->offline && other)
        return ttp_fail(err, TTP_EUSAGE, "--offline conflicts with --format %s",
                        formats[o->common.format]);
    if (o->serve && o->common.format > TTP_TRACE_CHROME)
        return ttp_fail(err, TTP_EUSAGE, "--serve conflicts with --format %s",
                        formats[o->common.format]);
    if (o->port && !shown)
        return ttp_fail(err, TTP_EUSAGE, "--port requires --serve or --offline");
    if (o->serve && o->output && strcmp(o->output, "-") == 0)
        return ttp_fail(err, TTP_EUSAGE,
                        "--serve conflicts with '-o -': it prints the address on standard output");
    if (!o->output && !shown && o->common.format != TTP_TRACE_FOLDED && isatty(STDOUT_FILENO)) {
        ttp_fail(err, TTP_EUSAGE, "refusing to write a trace to a terminal");
        ttp_err_hint(err, "use -o run.pftrace to save it, or --serve or --offline to show it");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

/* A run of one process. */
static ttp_code read_single(struct tracing *t, const char *dir, const struct ttp_words *operands,
                            struct ttp_err *err)
{
    if (t->verb->rank)
        return ttp_fail(err, TTP_EUSAGE, "--rank needs a folder of ranks, and '%s' has none", dir);
    if (t->verb->pass)
        TTP_TRY(ttp_run_choose_pass(&dir, t->verb->pass, t->ctx->arena, err));
    TTP_TRY(parse_filters(&t->job.options.filter, t->verb, t->ctx->arena, err));
    TTP_TRY(ttp_run_looked(read_run(t, dir, err), operands, t->ctx->arena, err));
    warn_if_large(t);
    return TTP_OK;
}

static ttp_code write_trace(struct tracing *t, struct ttp_err *err)
{
    const char *written = t->verb->output;

    TTP_TRY(ttp_trace_write(&t->job, written ? written : "-", t->verb->offline, err));
    t->split = written && is_too_large(t, written);
    if (t->split)
        TTP_TRY(ttp_trace_split(&t->job, &written, err));
    tell(t, written);
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_trace_verb *o = opts;
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    const bool serving = o->serve || (o->offline && !o->output);
    struct tracing t = {
        .ctx = ctx, .verb = o, .job = {.arena = ctx->arena, .progress = !ctx->quiet}};
    int format = o->common.format;

    TTP_TRY(ttp_trace_check_options(o, err));
    if (!o->offline)
        TTP_TRY(ttp_format_of_file(&format, ctx, o->output, err));
    t.job.options = (struct ttp_trace_options){.format = (enum ttp_trace_format)format,
                                               .op_zones_only = o->op_zones,
                                               .noc_transfers = o->noc,
                                               .threads = (unsigned)o->common.threads,
                                               .progress = !ctx->quiet};
    t.job.name = name_of(o->output ? o->output : dir, ctx->arena);
    TTP_TRY(ttp_trace_read_ranks(&t.job.ranks, ctx, o, operands, err));
    if (t.job.ranks.unreadable)
        *status = TTP_EXIT_FINDING;
    if (!t.job.ranks.mesh)
        TTP_TRY(read_single(&t, dir, operands, err));
    return serving ? serve(&t, err) : write_trace(&t, err);
}

static const struct ttp_example examples[] = {
    {"tt-perf trace -o run.pftrace", "the last run of tt-metal in this environment"},
    {"tt-perf trace generated/profiler --ops 12-40 -o part.pftrace", "only some ops"},
    {"tt-perf trace generated/profiler --format chrome-json -o run.json", "for speedscope"},
    {"tt-perf trace generated/profiler -o run.folded", "stacks for flamegraph.pl"},
    {"tt-perf trace ops_perf_results.csv -o ops.pftrace", "ops of a report, without its logs"},
    {"tt-perf trace run --pass lines -o lines.pftrace", "zones of the lines of a TT-Lang kernel"},
    {"tt-perf trace --serve", "show it in Perfetto"},
    {"tt-perf trace generated/profiler/ttrun -o mesh.pftrace", "all ranks on one clock"},
    {"tt-perf trace --offline -o run.html", "a page that works anywhere, without a network"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_trace = {
    .name = "trace",
    .args = "[DIR...]",
    .summary = "show a run on a timeline, in Perfetto or a built-in page",
    .description =
        "Converts the profiler logs of a run to a timeline: ops of each device, zones of every "
        "RISC of every core, zones and messages of the host, signposts, arrows from the call on "
        "the host to the op on the device, and counters. DIR is the profiler's artifacts folder "
        "or its '.logs', a recording (.tracy, .ttcap) or an ops_perf_results CSV; the default is "
        "the folder tt-metal would use. A recording without a device log shows the host alone, a "
        "CSV the ops of its devices.\n\n"
        "--format folded writes a line for each stack: device, core, RISC and zones, or ops, "
        "with ';' between them, and the nanoseconds that it took without those inside it. --format "
        "speedscope has the same stacks, a profile for each track; for slices in the order of time "
        "use perfetto or chrome-json. The suffix of -o (.json, .folded, .speedscope.json) chooses "
        "the format, too.\n\n"
        "Cycles are converted to nanoseconds exactly and are also kept. Host and devices have "
        "separate clocks: a device's time is shifted by the smallest amount with which no op "
        "begins before the host sent it. Memory does not grow with the number of zones.\n\n"
        "For a folder of ranks, or several copied from their hosts, the timeline has the ops of "
        "all devices on one clock, aligned by their collectives. Each collective is divided into "
        "wait and transfer, with arrows from the last device to arrive to the devices that waited. "
        "The details of each op have its alignment error. Above 200 MB (--split-size) each rank "
        "gets a "
        "file of its own, all on that clock, and an index lists them.",
    TTP_CMD_OPTIONS(options, struct ttp_trace_verb),
    .defaults = &defaults,
    .takes = TTP_TAKES_FORMAT | TTP_TAKES_TALK | TTP_TAKES_THREADS | TTP_TAKES_BOARDS |
             TTP_TAKES_LIMITS | TTP_TAKES_TIME,
    .formats = formats,
    .operand = TTP_OPERAND_FILE,
    .max_operands = -1,
    .examples = examples,
    .run = run,
};
