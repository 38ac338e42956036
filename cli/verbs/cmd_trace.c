/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_trace.c - `tt-perf trace`: a run on a timeline. */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/json_write.h"
#include "base/outsink.h"
#include "base/quantity.h"
#include "core/form.h"
#include "core/verbs.h"
#include "outputs/outputs.h"
#include "run/run.h"
#include "verbs/trace_ranks.h"
#include "verbs/trace_serve.h"

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
    struct ttp_trace_run run;
    struct ttp_mesh_trace ranks; /* of a folder of ranks: this instead */
    struct ttp_trace_options options;
    struct ttp_trace_counts counts;
    const char *name; /* of the trace, for human readers */
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
    t->options.filter.has_ops = true;
    t->options.filter.ops = (struct ttp_trace_range){(int64_t)report.window.first_row + 2,
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
    t->run.fact = fact;
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
    t->run = (struct ttp_trace_run){.report = &t->found.report,
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
    const uint64_t bytes = ttp_out_trace_estimate(&t->run, &t->options, &scratch);

    ttp_arena_free(&scratch);
    if (bytes <= LARGE_BYTES)
        return;
    ttp_ctx_warn(t->ctx,
                 "the trace will have about %.1f GB, and browsers fail at 2; reduce it with "
                 "--ops, --devices, --cores '1-2,1-2', --zones '*-KERNEL'%s",
                 (double)bytes / 1e9, t->run.host_zones ? " or --op-zones-only" : "");
}

static ttp_code put_trace(struct tracing *t, struct ttp_sink *out, struct ttp_err *err)
{
    return t->ranks.mesh ? ttp_out_mesh_trace(&t->counts, out, &t->ranks, t->options.format,
                                              t->ctx->arena, err)
                         : ttp_out_trace(&t->counts, out, &t->run, &t->options, t->ctx->arena, err);
}

/* The trace into a file of no name, which the caller closes. */
static ttp_code write_aside(struct tracing *t, int *fd, struct ttp_err *err)
{
    struct ttp_arena buffer = {0};
    struct ttp_sink out;

    TTP_TRY(ttp_file_temporary(fd, err));
    ttp_sink_to_fd(&out, *fd, &buffer);
    ttp_code rc = put_trace(t, &out, err);
    if (rc == TTP_OK)
        rc = ttp_sink_finish(&out, err);
    ttp_arena_free(&buffer);
    return rc;
}

/* The same with the built-in timeline around it. */
static ttp_code write_page(struct tracing *t, struct ttp_sink *out, struct ttp_err *err)
{
    int fd = -1;

    ttp_code rc = write_aside(t, &fd, err);
    if (rc == TTP_OK)
        rc = ttp_serve_put_timeline(out, fd, t->name, !t->ctx->quiet, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

static ttp_code write_file(struct tracing *t, const char *path, bool page, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, path, err));
    const ttp_code rc = page ? write_page(t, &out.sink, err) : put_trace(t, &out.sink, err);
    return ttp_outsink_close(&out, rc, err);
}

/* ---- a file for each rank ---- */

/* "run.rank3.pftrace" of "run.pftrace". */
static const char *beside(const char *path, ttp_str what, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);

    return ttp_arena_zstr(arena,
                          ttp_sink_format(arena, "%.*s.%.*s", (int)stem, path, TTP_FMT(what)));
}

static const char *file_of_rank(const char *path, int64_t rank, struct ttp_arena *arena)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return beside(path, ttp_sink_format(arena, "rank%lld%s", (long long)rank, dot ? dot : ""),
                  arena);
}

static void put_entry(struct ttp_json_writer *w, const struct tracing *t, size_t part,
                      const char *path)
{
    const struct ttp_mesh_rank *rank = &t->ranks.mesh->rank[part];
    const char *slash = strrchr(path, '/');

    ttp_json_begin_object(w);
    ttp_json_put_key(w, TTP_STR("rank"));
    ttp_json_put_i64(w, rank->rank);
    ttp_json_put_key(w, TTP_STR("host"));
    ttp_json_put_str(w, ttp_str_from(rank->host ? rank->host : ""));
    ttp_json_put_key(w, TTP_STR("file"));
    ttp_json_put_str(w, ttp_str_from(slash ? slash + 1 : path));
    ttp_json_put_key(w, TTP_STR("file_bytes"));
    ttp_json_put_u64(w, ttp_file_size(path));
    ttp_json_put_key(w, TTP_STR("slices"));
    ttp_json_put_u64(w, t->counts.slices);
    ttp_json_end_object(w);
}

/* All in the time of all ranks; arrows end where the file does. */
static ttp_code write_ranks(struct tracing *t, struct ttp_sink *index, const char *path,
                            struct ttp_err *err)
{
    const struct ttp_mesh *m = t->ranks.mesh;
    const bool *chosen = t->ranks.wanted;
    bool *wanted = TTP_NEW(t->ctx->arena, bool, m->devices + 1);
    struct ttp_json_writer w = {.sink = index, .indent = true};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("schema"));
    ttp_json_put_str(&w, TTP_STR("tt-perf.trace-index/1"));
    ttp_json_put_key(&w, TTP_STR("ranks"));
    ttp_json_begin_array(&w);
    for (size_t p = 0; p < m->parts; p++) {
        const char *file = file_of_rank(path, m->rank[p].rank, t->ctx->arena);
        struct ttp_err why = {0};
        for (size_t d = 0; d < m->devices; d++)
            wanted[d] = m->device[d].part == p && (!chosen || chosen[d]);
        t->ranks.wanted = wanted;
        const ttp_code rc = write_file(t, file, false, &why);
        t->ranks.wanted = chosen;
        if (rc == TTP_ENOTFOUND) /* none of its ops was asked for */
            continue;
        if (rc != TTP_OK) {
            *err = why;
            return rc;
        }
        put_entry(&w, t, p, file);
    }
    ttp_json_end_array(&w);
    ttp_json_end_object(&w);
    ttp_sink_own(index, "\n");
    return TTP_OK;
}

/* In place of one file that no browser opens; *path is then the index. */
static ttp_code split(struct tracing *t, const char **path, struct ttp_err *err)
{
    const char *index = beside(*path, TTP_STR("index.json"), t->ctx->arena);
    const struct ttp_trace_counts all = t->counts;
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, index, err));
    const ttp_code rc = write_ranks(t, &out.sink, *path, err);
    TTP_TRY(ttp_outsink_close(&out, rc, err));
    if (unlink(*path) != 0)
        return ttp_fail_errno(err, "cannot remove '%s'", *path);
    t->counts = all;
    *path = index;
    return TTP_OK;
}

static bool is_too_large(const struct tracing *t, const char *path)
{
    return t->ranks.mesh && t->ranks.mesh->parts > 1 && strcmp(path, "-") != 0 &&
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
                    : viewers[t->options.format];
}

static void tell(const struct tracing *t, const char *path)
{
    const struct ttp_trace_counts *n = &t->counts;

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
                                        .name = t->name,
                                        .json = t->options.format == TTP_TRACE_CHROME,
                                        .offline = t->verb->offline,
                                        .port = (uint16_t)t->verb->port};
    const char *path = t->verb->output;

    ttp_code rc = path ? write_file(t, path, false, err) : write_aside(t, &serving.fd, err);
    if (rc == TTP_OK)
        tell(t, path);
    if (rc == TTP_OK && path) {
        serving.fd = open(path, O_RDONLY | O_CLOEXEC);
        if (serving.fd < 0)
            rc = ttp_fail_errno(err, "cannot open '%s'", path);
    }
    if (rc == TTP_OK)
        rc = ttp_trace_serve(t->ctx, &serving, NULL, t->counts.slices, err);
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
    TTP_TRY(parse_filters(&t->options.filter, t->verb, t->ctx->arena, err));
    TTP_TRY(ttp_run_looked(read_run(t, dir, err), operands, t->ctx->arena, err));
    warn_if_large(t);
    return TTP_OK;
}

static ttp_code write_trace(struct tracing *t, struct ttp_err *err)
{
    const char *written = t->verb->output;

    TTP_TRY(write_file(t, written ? written : "-", t->verb->offline, err));
    t->split = written && is_too_large(t, written);
    if (t->split)
        TTP_TRY(split(t, &written, err));
    tell(t, written);
    return TTP_OK;
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ttp_trace_verb *o = opts;
    const char *dir = operands->count ? operands->word[0] : ttp_run_default_dir(ctx->arena);
    const bool serving = o->serve || (o->offline && !o->output);
    struct tracing t = {.ctx = ctx, .verb = o};
    int format = o->common.format;

    (void)status;
    TTP_TRY(ttp_trace_check_options(o, err));
    if (!o->offline)
        TTP_TRY(ttp_format_of_file(&format, ctx, o->output, err));
    t.options = (struct ttp_trace_options){.format = (enum ttp_trace_format)format,
                                           .op_zones_only = o->op_zones,
                                           .noc_transfers = o->noc,
                                           .threads = (unsigned)o->common.threads,
                                           .progress = !ctx->quiet};
    t.name = name_of(o->output ? o->output : dir, ctx->arena);
    TTP_TRY(ttp_trace_read_ranks(&t.ranks, ctx, o, operands, err));
    if (!t.ranks.mesh)
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
