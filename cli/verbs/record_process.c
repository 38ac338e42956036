/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_process.h"

#include <inttypes.h>

#include "base/file.h"
#include "base/outsink.h"
#include "core/job_rank.h"
#include "core/run_verb.h"
#include "core/verbs.h"
#include "verbs/record_rank.h"

/* --- logs --- */

ttp_code ttp_record_write_logs(struct ttp_record_exported *out, const char *logs,
                               const struct ttp_record_source *from,
                               const struct ttp_record_job *job, const struct ttp_ctx *ctx,
                               struct ttp_err *err)
{
    const struct ttp_trace_reading reading = {.zones = job->zones, .children = job->children};

    TTP_TRY(ttp_record_export(out, logs, *from, &reading, err));
    if (out->lost_bytes)
        ttp_ctx_warn(ctx,
                     "%s ends with %" PRIu64 " truncated or damaged bytes; using what comes "
                     "before",
                     from->capture, out->lost_bytes);
    return TTP_OK;
}

/* --- ops and report --- */

/* The ops CSV: its path. */
static ttp_code make_ops(const char **csv, const char *root, const struct ttp_record_job *job,
                         const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_run_plan plan = {
        .reading = {.threads = job->threads, .progress = !ctx->quiet},
        .join = {.device_only = job->device_only,
                 .analysis = job->analysis.word,
                 .nanalyses = job->analysis.count},
        .noc = true,
        .host_ops = !job->device_only && !job->analysis.count,
        .place = {.name = job->name},
    };
    struct ttp_arena scratch = {0};
    struct ttp_job_rank rank;
    struct ttp_run_made made;

    const ttp_code rc = ttp_run_make_report(&made, root, &plan, ctx->arena, err);
    ttp_ops_warn_of_analyses(ctx, &job->analysis, &made.run);
    if (rc != TTP_OK)
        return rc;
    for (size_t i = 0; i < made.problems.count; i++)
        ttp_ctx_warn(ctx, "%s", made.problems.word[i]);
    *csv = made.files.word[0];
    ttp_job_rank_find(&rank);
    if (!rank.many || !job->print) /* else the line of the rank names it */
        ttp_ctx_say(ctx, "wrote %s", *csv);
    if (job->print && !made.ranks && !rank.many)
        ttp_ops_write_counters(ctx->out, &made.run.report, &scratch);
    ttp_arena_free(&scratch);
    return TTP_OK;
}

/* Options of a verb that prints its result as the user wants ours. */
static struct ttp_common_opts *
options_of(const struct ttp_cmd *cmd, const struct ttp_record_job *job, const struct ttp_ctx *ctx)
{
    struct ttp_common_opts *opts = ttp_verb_defaults(cmd, ctx->arena);

    opts->quiet = ctx->quiet;
    opts->threads = job->threads;
    if (job->common) {
        opts->color = job->common->color;
        opts->no_color = job->common->no_color;
        opts->no_pager = job->common->no_pager;
    }
    return opts;
}

/* Ranks print to one place: a line each, in one piece, instead of reports. */
static ttp_code name_rank(const struct ttp_job_rank *rank, const char *csv,
                          const struct ttp_ctx *ctx, struct ttp_err *err)
{
    ttp_sink_printf(ctx->out, "rank %" PRId64, rank->rank);
    if (rank->size)
        ttp_sink_printf(ctx->out, " of %" PRId64, rank->size);
    ttp_sink_printf(ctx->out, ": %s\n", csv);
    return ttp_sink_finish(ctx->out, err);
}

/* Of the folder, as the user would name the run. */
static ttp_code show(const char *root, const char *csv, const struct ttp_record_job *job,
                     const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *name = job->dir && ttp_file_is_same(job->dir, root) ? job->dir : root;
    const struct ttp_words operands = {&name, 1};
    struct ttp_common_opts *opts = options_of(&cmd_report, job, ctx);
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    if (rank.many)
        return name_rank(&rank, csv, ctx, err);
    const int status = ttp_verb_run_with(&cmd_report, opts, &operands, ctx->arena);
    return status
               ? ttp_fail(err, TTP_EPARSE, "the report of '%s' failed with status %d", csv, status)
               : TTP_OK;
}

/* Of all ranks together; the first says it for all. */
static void tell_next(const char *root, const struct ttp_ctx *ctx)
{
    const char *slash = strrchr(root, '/');
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    if (!rank.many || rank.rank)
        return;
    const size_t above = slash && slash != root ? (size_t)(slash - root) : 0;
    const ttp_str dir = above ? (ttp_str){root, above} : slash ? TTP_STR("/") : TTP_STR(".");
    const ttp_str others = ttp_record_left_over(&rank, dir, ctx->arena);
    if (others.len)
        ttp_ctx_warn(
            ctx,
            "%.*s has folders of an earlier run with more ranks:%.*s; remove them, or give "
            "only those of this run",
            TTP_FMT(dir), TTP_FMT(others));
    ttp_ctx_say(ctx, "when all ranks are done: tt-perf mesh %.*s",
                TTP_FMT(others.len ? ttp_record_name_ranks(&rank, dir, ctx->arena) : dir));
}

/* What a mode shows besides. */
static void go_on(const char *root, const struct ttp_record_job *job, const struct ttp_ctx *ctx)
{
    const struct ttp_words operands = {&root, 1};
    struct ttp_job_rank rank;

    ttp_job_rank_find(&rank);
    if (job->then && job->print && !rank.many)
        (void)ttp_verb_run_with(job->then, options_of(job->then, job, ctx), &operands, ctx->arena);
}

/* The ops CSV of a folder, with columns of tt-mlir whether or not it sent any. */
static ttp_code make_text(ttp_str *out, const char *root, const struct ttp_record_job *job,
                          const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_run_plan plan = {.reading = {.threads = job->threads}, .noc = true};
    struct ttp_arena scratch = {0};
    struct ttp_sink text;
    struct ttp_run run;

    TTP_TRY(ttp_run_read_logs(&run, root, &plan, ctx->arena, err));
    TTP_TRY(ttp_run_join(&run, &plan, ctx->arena, err));
    run.report.mlir = run.report.mlir || job->mlir_columns;
    for (size_t i = 0; i < run.noc_problems; i++)
        ttp_ctx_warn(ctx, "%s", run.problems.word[i]);
    ttp_sink_to_arena(&text, ctx->arena);
    const ttp_code rc = ttp_ops_write_csv(&text, &run.report, 0, &scratch, err);
    ttp_arena_free(&scratch);
    *out = ttp_sink_text(&text);
    return rc;
}

static ttp_code put_file(const char *path, const ttp_str *text, size_t texts,
                         const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const char *slash = strrchr(path, '/');
    struct ttp_outsink out;

    if (slash && slash != path)
        TTP_TRY(ttp_file_make_dirs(
            ttp_arena_zstr(ctx->arena, (ttp_str){path, (size_t)(slash - path)}), err));
    TTP_TRY(ttp_outsink_open(&out, path, err));
    for (size_t i = 0; i < texts; i++)
        ttp_sink_put(&out.sink, text[i]);
    TTP_TRY(ttp_outsink_close(&out, TTP_OK, err));
    ttp_sink_printf(ctx->out, "Wrote report to %s\n", path); /* the original's words */
    return ttp_sink_finish(ctx->out, err);
}

/* "DIR/NAME.csv" and 2: "DIR/NAME-2.csv". */
static const char *number_path(const char *path, size_t number, struct ttp_arena *arena)
{
    const ttp_str whole = ttp_str_from(path), end = TTP_STR(".csv");
    const size_t stem = ttp_str_ends(whole, end) ? whole.len - end.len : whole.len;

    return ttp_arena_zstr(
        arena, ttp_sink_format(arena, "%.*s-%zu%s", (int)stem, path, number, path + stem));
}

ttp_code ttp_record_write_file(const struct ttp_words *roots, const struct ttp_record_job *job,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    ttp_str *text = TTP_NEW(ctx->arena, ttp_str, roots->count + 1), head = {0};
    size_t texts = 0;

    for (size_t i = 0; i < roots->count; i++) {
        ttp_str all, rest, line;
        TTP_TRY(make_text(&all, roots->word[i], job, ctx, err));
        rest = all;
        (void)ttp_str_next_line(&rest, &line);
        if (texts && !ttp_str_eq(line, head)) { /* other columns: a file of its own */
            TTP_TRY(put_file(number_path(job->report_file, i + 1, ctx->arena), &all, 1, ctx, err));
            continue;
        }
        head = line;
        text[texts] = texts ? rest : all;
        texts++;
    }
    return put_file(job->report_file, text, texts, ctx, err);
}

ttp_code ttp_record_make_report(const char *root, const struct ttp_record_job *job,
                                const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_words roots = {&root, 1};
    const char *csv = NULL;

    ttp_code rc = job->report_file ? ttp_record_write_file(&roots, job, ctx, err)
                                   : make_ops(&csv, root, job, ctx, err);
    if (rc == TTP_OK && job->print && !job->device_only) /* which has no names of ops */
        rc = show(root, csv, job, ctx, err);
    if (rc == TTP_OK || rc == TTP_ENOTFOUND)
        go_on(root, job, ctx);
    if (rc == TTP_OK && job->print)
        tell_next(root, ctx);
    if (rc == TTP_ENOTFOUND)
        ttp_ctx_warn(ctx, "no report: %s%s%s", err->text, err->hint[0] ? "; " : "", err->hint);
    return rc;
}
