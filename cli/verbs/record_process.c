/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_process.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/outsink.h"
#include "core/run_verb.h"
#include "run/run.h"

/* --- logs --- */

ttp_code ttp_record_write_logs(struct ttp_record_exported *out, const char *logs,
                               const char *capture, uint64_t pid, const struct ttp_record_job *job,
                               const struct ttp_ctx *ctx, struct ttp_err *err)
{
    const struct ttp_trace_reading reading = {.zones = job->zones, .children = job->children};

    TTP_TRY(ttp_record_export(out, logs, capture, pid, &reading, err));
    if (out->lost_bytes)
        ttp_ctx_warn(ctx,
                     "%s ends with %" PRIu64 " truncated or damaged bytes; using what comes "
                     "before",
                     capture, out->lost_bytes);
    return TTP_OK;
}

/* --- ops and report --- */

enum { MAX_WORDS = 64 };

struct line {
    char *word[MAX_WORDS];
    int count;
};

static void add(struct line *l, const char *word, struct ttp_arena *arena)
{
    l->word[l->count++] = ttp_arena_zstr(arena, ttp_str_from(word));
}

static void add_threads(struct line *l, const struct ttp_record_job *job, struct ttp_arena *arena)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", job->threads);
    add(l, "-j", arena);
    add(l, text, arena);
}

/* Behind the names of files stand tables of counters, if there are any. */
static void show_tables(ttp_str text, const struct ttp_record_job *job, const struct ttp_ctx *ctx)
{
    ttp_str rest = text, line;

    while (ttp_str_next_line(&rest, &line) && ttp_file_exists(ttp_arena_zstr(ctx->arena, line)))
        text = rest;
    while (job->print && ttp_str_next_line(&text, &line))
        ttp_sink_printf(ctx->out, "%.*s\n", TTP_FMT(line));
}

/* The ops CSV: its path. */
static ttp_code make_ops(const char **csv, const char *root, const struct ttp_record_job *job,
                         const struct ttp_ctx *ctx, struct ttp_err *err)
{
    struct line l = {.count = 0};
    ttp_str text, rest, line;

    add(&l, root, ctx->arena);
    if (job->name) {
        add(&l, "--name", ctx->arena);
        add(&l, job->name, ctx->arena);
    }
    for (size_t i = 0; i < job->analysis.count && l.count < MAX_WORDS - 8; i++) {
        add(&l, "--analysis", ctx->arena);
        add(&l, job->analysis.word[i], ctx->arena);
    }
    if (job->device_only)
        add(&l, "--device-only", ctx->arena);
    if (ctx->quiet)
        add(&l, "--quiet", ctx->arena);
    add_threads(&l, job, ctx->arena);
    TTP_TRY(ttp_verb_collect(&text, &cmd_ops, l.count, l.word, ctx->arena, err));
    rest = text;
    if (!ttp_str_next_line(&rest, &line))
        return ttp_fail(err, TTP_ENOTFOUND, "no ops in '%s'", root);
    *csv = ttp_arena_zstr(ctx->arena, line);
    ttp_ctx_say(ctx, "wrote %s", *csv);
    show_tables(text, job, ctx);
    return TTP_OK;
}

static ttp_code show(const char *csv, const struct ttp_record_job *job, const struct ttp_ctx *ctx,
                     struct ttp_err *err)
{
    struct line l = {.count = 0};

    add(&l, csv, ctx->arena);
    if (ctx->quiet)
        add(&l, "--quiet", ctx->arena);
    add_threads(&l, job, ctx->arena);
    const int status = ttp_verb_run(&cmd_report, l.count, l.word, ctx->arena);
    return status
               ? ttp_fail(err, TTP_EPARSE, "the report of '%s' failed with status %d", csv, status)
               : TTP_OK;
}

/* What a mode shows besides; verbs that this build does not have are left out. */
static void go_on(const char *root, const struct ttp_record_job *job, const struct ttp_ctx *ctx)
{
    const struct ttp_cmd *verb = job->then ? ttp_cmd_find(job->then) : NULL;
    struct line l = {.count = 0};

    if (!verb || !job->print)
        return;
    add(&l, root, ctx->arena);
    (void)ttp_verb_run(verb, l.count, l.word, ctx->arena);
}

/* The ops CSV of a folder, with columns of tt-mlir whether it said anything or not. */
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
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%.*s-%zu%s", (int)stem, path, number, path + stem);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
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
        rc = show(csv, job, ctx, err);
    if (rc == TTP_OK || rc == TTP_ENOTFOUND)
        go_on(root, job, ctx);
    if (rc == TTP_ENOTFOUND)
        ttp_ctx_warn(ctx, "no report: %s%s%s", err->text, err->hint[0] ? "; " : "", err->hint);
    return rc;
}
