/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ops.c - `tt-perf ops`: from the profiler's logs to ops_perf_results.csv. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "run_logs.h"

struct ops_opts {
    struct ttp_common_opts common;
    bool compat, device_only, legacy, date, strict;
    const char *output, *name;
    struct ttp_words analysis;
};

#define FIELD(name) offsetof(struct ops_opts, name)
static const struct ttp_opt options[] = {
    {.name = "output",
     .letter = 'o',
     .offset = FIELD(output),
     .type = TTP_OPT_STR,
     .metavar = "DIR",
     .group = "Where the report goes",
     .help = "write it into this folder (default: a new one below 'reports', beside '.logs')"},
    {.name = "name",
     .letter = 'n',
     .offset = FIELD(name),
     .type = TTP_OPT_STR,
     .metavar = "NAME",
     .help = "add _NAME to the names of files"},
    {.name = "name-append", .alias_of = "name", .hidden = true},
    {.name = "date",
     .offset = FIELD(date),
     .type = TTP_OPT_FLAG,
     .help = "add the date to the names of files (always so without --output)"},
    {.name = "analysis",
     .letter = 'a',
     .offset = FIELD(analysis),
     .type = TTP_OPT_LIST,
     .metavar = "NAME",
     .group = "What it is made of",
     .help = "only this analysis of the device log; may be given again"},
    {.name = "device-analysis-types", .alias_of = "analysis", .hidden = true},
    {.name = "device-only",
     .offset = FIELD(device_only),
     .type = TTP_OPT_FLAG,
     .help = "use the device log alone, and write times between ops for each core"},
    {.name = "force-legacy-device-logs",
     .offset = FIELD(legacy),
     .type = TTP_OPT_FLAG,
     .help = "read the device log even if there is a C++ report"},
    {.name = "strict",
     .offset = FIELD(strict),
     .type = TTP_OPT_FLAG,
     .group = "How faults are met",
     .help = "exit 1 if anything was missing or damaged"},
    {.name = "compat",
     .offset = FIELD(compat),
     .type = TTP_OPT_FLAG,
     .help = "behave as process_ops_logs.py of tt-metal, output bytes and failures included"},
};

#define DATE_MAX 32

/* File names of one report. */
struct names {
    const char *folder;
    char suffix[256]; /* "_NAME_DATE" */
};

static ttp_code choose_names(struct names *out, const struct ops_opts *o,
                             const struct ttp_log_paths *paths, const struct ttp_ctx *ctx,
                             struct ttp_err *err)
{
    const bool dated = o->date || !o->output;
    char date[DATE_MAX] = "";
    struct tm tm;
    const time_t now = time(NULL);

    if (dated &&
        (!localtime_r(&now, &tm) || strftime(date, sizeof(date), "%Y_%m_%d_%H_%M_%S", &tm) == 0))
        return ttp_fail(err, TTP_EIO, "cannot tell the date");
    if (o->name && strlen(o->name) > sizeof(out->suffix) - DATE_MAX - 3)
        return ttp_fail(err, TTP_EUSAGE, "option '--name': longer than 200 bytes");
    if (o->name && strchr(o->name, '/'))
        return ttp_fail(err, TTP_EUSAGE, "option '--name': '%s' has a '/'", o->name);
    snprintf(out->suffix, sizeof(out->suffix), "%s%s%s%s", o->name ? "_" : "",
             o->name ? o->name : "", dated ? "_" : "", date);
    out->folder = o->output;
    if (!out->folder) {
        out->folder = ttp_path_join(paths->root, "reports", ctx->arena);
        if (o->name)
            out->folder = ttp_path_join(out->folder, o->name, ctx->arena);
        out->folder = ttp_path_join(out->folder, date, ctx->arena);
    }
    return ttp_file_make_dirs(out->folder, err);
}

static const char *file_name(const struct names *names, const char *base, struct ttp_arena *arena)
{
    char name[320];

    snprintf(name, sizeof(name), "%s%s.csv", base, names->suffix);
    return ttp_path_join(names->folder, name, arena);
}

/* One file of the report, put in place only if all of it could be written. */
typedef ttp_code write_fn(struct ttp_sink *out, const struct ttp_ops_report *report,
                          struct ttp_arena *scratch, struct ttp_err *err);
static ttp_code write_file(const char *path, const struct ttp_ops_report *report, write_fn *write,
                           struct ttp_err *err)
{
    struct ttp_arena scratch = {0}, buffer = {0};
    struct ttp_outfile file;
    struct ttp_sink out;

    TTP_TRY(ttp_outfile_open(&file, path, err));
    ttp_sink_to_fd(&out, file.fd, &buffer);
    ttp_code rc = write(&out, report, &scratch, err);
    if (rc == TTP_OK) {
        rc = ttp_sink_finish(&out, err);
        if (rc != TTP_OK)
            ttp_err_where(err, path, 0);
    }
    if (rc == TTP_OK)
        rc = ttp_outfile_commit(&file, err);
    else
        ttp_outfile_abort(&file);
    ttp_arena_free(&scratch);
    ttp_arena_free(&buffer);
    return rc;
}

static ttp_code write_per_core(struct ttp_sink *out, const struct ttp_ops_report *report,
                               struct ttp_arena *scratch, struct ttp_err *err)
{
    (void)err;
    ttp_ops_write_per_core(out, report, scratch);
    return TTP_OK;
}

static ttp_code write_report(struct ttp_words *files, const struct ttp_ops_report *report,
                             const struct names *names, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    const char *path = file_name(names, "ops_perf_results", arena);

    TTP_TRY(write_file(path, report, ttp_ops_write_csv, err));
    ttp_words_add(files, path, arena);
    if (!report->device_only)
        return TTP_OK;
    path = file_name(names, "per_core_op_to_op_times", arena);
    TTP_TRY(write_file(path, report, write_per_core, err));
    ttp_words_add(files, path, arena);
    return TTP_OK;
}

static uint64_t count_problems(const struct ttp_ops_report *report)
{
    uint64_t n = 0;

    for (size_t k = 0; k < TTP_PROBLEMS; k++)
        n += report->problem[k].count;
    return n;
}

static void tell_problems(const struct ttp_ctx *ctx, const struct ttp_ops_report *report)
{
    for (size_t k = 0; k < TTP_PROBLEMS; k++) {
        const struct ttp_problem *p = &report->problem[k];
        if (p->count)
            ttp_ctx_warn(ctx, "%" PRIu64 " %s (first: %s); %s", p->count,
                         ttp_problem_name((enum ttp_problem_kind)k), p->first,
                         ttp_problem_hint((enum ttp_problem_kind)k));
    }
}

static ttp_code run(int *status, const struct ttp_ctx *ctx, const void *opts,
                    const struct ttp_words *operands, struct ttp_err *err)
{
    const struct ops_opts *o = opts;
    const char *dir = operands->count ? operands->word[0] : ttp_logs_default_dir(ctx->arena);
    const struct ttp_read_plan plan = {
        .compat = o->compat,
        .device_only = o->device_only,
        .legacy = o->legacy,
        .progress = !ctx->quiet,
        .threads = (unsigned)o->common.threads,
    };
    const struct ttp_join_options how = {
        .compat = o->compat,
        .device_only = o->device_only,
        .analysis = o->analysis.word,
        .nanalyses = o->analysis.count,
    };
    struct ttp_words files = {0};
    struct ttp_log_paths paths;
    struct ttp_read_logs read;
    struct ttp_ops_report report;
    struct names names;

    TTP_TRY(ttp_logs_find(&paths, dir, ctx->arena, err));
    TTP_TRY(ttp_logs_read(&read, &paths, &plan, ctx, err));
    if (!read.logs.device && !read.logs.cpp) {
        if (!o->compat) {
            ttp_fail(err, TTP_ENOTFOUND, "no profiler logs in '%s'", paths.folder);
            ttp_err_hint(err, "run the workload under 'python -m tracy -r', or with "
                              "TT_METAL_DEVICE_PROFILER=1");
            return TTP_ENOTFOUND;
        }
        ttp_ctx_warn(ctx, "no device logs found in '%s'", paths.folder);
        return TTP_OK;
    }
    TTP_TRY(ttp_ops_join(&report, &read.logs, &how, ctx->arena, err));
    TTP_TRY(choose_names(&names, o, &paths, ctx, err));
    TTP_TRY(write_report(&files, &report, &names, ctx->arena, err));
    if (!o->compat)
        tell_problems(ctx, &report);
    for (size_t i = 0; i < files.count; i++)
        ttp_sink_printf(ctx->out, "%s\n", files.word[i]);
    if (o->strict && count_problems(&report))
        *status = TTP_EXIT_FINDING;
    return TTP_OK;
}

static const struct ttp_example examples[] = {
    {"tt-perf ops", "the last run of tt-metal in this environment, into a new folder of reports"},
    {"tt-perf ops generated/profiler -o out --strict", "the same into 'out'; exit 1 if data is "
                                                       "missing"},
    {"tt-perf ops generated/profiler --device-only", "what ran on the devices, without host logs"},
    {NULL, NULL},
};

const struct ttp_cmd cmd_ops = {
    .name = "ops",
    .args = "[DIR]",
    .summary = "make the operations CSV of a run from its profiler logs",
    .description =
        "Joins the device log (or the C++ report), Tracy's messages and Tracy's zones of "
        "a profiled run into ops_perf_results.csv, the table that 'tt-perf report' and "
        "other tools read: one row for each operation, replay and signpost. DIR is the "
        "profiler's artifacts folder or its '.logs'; without it the one tt-metal would "
        "use: TT_METAL_PROFILER_DIR, TT_METAL_HOME/generated/profiler, or here.\n\n"
        "Lost markers, operations that are missing on a device, traces that were never "
        "replayed and messages that were cut cost the cells they concern, not the "
        "report; each kind is counted and told at the end. Nothing is ever deleted.",
    .opt = options,
    .nopt = TTP_COUNT(options),
    .opts_size = sizeof(struct ops_opts),
    .takes = TTP_TAKES_TALK | TTP_TAKES_THREADS,
    .operand = TTP_OPERAND_DIR,
    .max_operands = 1,
    .examples = examples,
    .exit_notes = "1 with --strict if anything was missing or damaged.",
    .run = run,
};
