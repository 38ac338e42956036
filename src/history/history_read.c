/* SPDX-License-Identifier: Apache-2.0 */
/* history_read.c - the files that users name, as runs: identified by their content. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "history/run_documents.h"
#include "run/run.h"

/* Larger documents are logs, not results. */
#define DOCUMENT_MAX ((uint64_t)1 << 30)
#define SNIFF_BYTES  ((size_t)1 << 16)
#define NS_PER_S     1000000000LL

static ttp_str last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return ttp_str_from(slash && slash[1] ? slash + 1 : path);
}

static int64_t time_of_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
}

/* The bytes of a file, in the arena. */
static ttp_code read_bytes(ttp_str *out, const char *path, struct ttp_arena *arena,
                           struct ttp_err *err)
{
    struct ttp_file f;

    TTP_TRY(ttp_file_map(&f, path, err));
    if (f.text.len > DOCUMENT_MAX) {
        ttp_file_close(&f);
        return ttp_fail(err, TTP_ELIMIT, "'%s' is larger than 1 GiB", path);
    }
    *out = ttp_arena_copy(arena, f.text);
    ttp_file_close(&f);
    return TTP_OK;
}

/* Standard input as a file that can be read twice. */
static ttp_code spool(int *fd, const char **path, struct ttp_arena *arena, struct ttp_err *err)
{
    char buf[SNIFF_BYTES];
    uint64_t size = 0;
    ssize_t n;

    TTP_TRY(ttp_file_in_memory(fd, path, arena, err));
    while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
        size += (uint64_t)n;
        if (size > DOCUMENT_MAX)
            return ttp_fail(err, TTP_ELIMIT, "more than 1 GiB on standard input");
        if (write(*fd, buf, (size_t)n) != n)
            return ttp_fail_errno(err, "cannot store standard input");
    }
    return n < 0 ? ttp_fail_errno(err, "cannot read standard input") : TTP_OK;
}

struct sniff {
    char head[SNIFF_BYTES];
    size_t len;
};

static ttp_code sniff_block(void *arg, ttp_str text, struct ttp_err *err)
{
    struct sniff *s = arg;
    const size_t n = text.len < SNIFF_BYTES - s->len ? text.len : SNIFF_BYTES - s->len;

    (void)err;
    if (n)
        memcpy(s->head + s->len, text.ptr, n);
    s->len += n;
    return s->len == SNIFF_BYTES ? TTP_ENOTFOUND : TTP_OK; /* enough */
}

enum content { CONTENT_JSON, CONTENT_PERF_CSV, CONTENT_OPS };

static ttp_str sniff(const char *path, struct ttp_arena *arena)
{
    struct sniff *s = TTP_NEW(arena, struct sniff, 1);
    struct ttp_err ignored = {0};
    const ttp_code rc = ttp_input_each(path, NULL, sniff_block, s, &ignored);

    (void)rc; /* whoever reads it in earnest says why it cannot be read */
    return ttp_str_trim((ttp_str){s->head, s->len});
}

bool ttp_history_runs_is_export(const char *path)
{
    struct ttp_arena scratch = {0};
    const bool is =
        strcmp(path, "-") != 0 && !ttp_file_is_dir(path) &&
        ttp_str_starts(sniff(path, &scratch), TTP_STR("{\"schema\":\"tt-perf.history-run/"));

    ttp_arena_free(&scratch);
    return is;
}

static enum content content_of(const char *path, struct ttp_arena *arena)
{
    if (ttp_file_is_dir(path))
        return CONTENT_OPS;
    const ttp_str head = sniff(path, arena);
    if (head.len && (*head.ptr == '{' || *head.ptr == '['))
        return CONTENT_JSON;
    return ttp_history_is_perf_csv(head) ? CONTENT_PERF_CSV : CONTENT_OPS;
}

/* A document that is read as text. */
static ttp_code read_text(struct ttp_history_runs *out, const char *path, const char *name,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    const enum content content = content_of(path, arena);
    static const struct ttp_input_bound bound = {DOCUMENT_MAX, "more than 1 GiB"};
    ttp_str text, raw;

    TTP_TRY(ttp_input_all(&text, path, &bound, arena, err));
    const ttp_code rc = content == CONTENT_JSON
                            ? ttp_history_runs_from_json(out, text, name, arena, err)
                            : ttp_history_runs_from_perf_csv(out, text, name, arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, name, 1 + ttp_str_count_lines(ttp_str_slice(text, 0, err->offset)));
        return rc;
    }
    /* kept as it is: compressed, and with what is before and after it */
    TTP_TRY(read_bytes(&raw, path, arena, err));
    for (size_t i = 0; i < out->count; i++)
        if (out->run[i].document.len == text.len && out->run[i].document.ptr == text.ptr)
            out->run[i].document = raw;
    return TTP_OK;
}

/* Figures of several devices; none if one was asked for, or if their clocks do not relate. */
static void add_mesh(struct ttp_history_run *run, const struct ttp_run_mesh_request *request,
                     const struct ttp_runs_reading *reading, struct ttp_arena *arena)
{
    struct ttp_err ignored = {0};
    struct ttp_run_mesh mesh;

    if (!reading->analysis.rank && !reading->analysis.device &&
        ttp_run_open_mesh(&mesh, request, arena, &ignored) == TTP_OK)
        ttp_history_run_add_mesh(run, mesh.mesh, arena);
}

/* Whoever finds the run later must see it too. */
static void mark_bad(struct ttp_history_runs *out, struct ttp_history_run *run,
                     const struct ttp_report *report, struct ttp_arena *arena)
{
    const struct ttp_quality *quality = &report->quality;
    const struct ttp_run_end *end = &report->ops->end;
    const struct ttp_quality_item *worst = ttp_analysis_worst_check(quality);

    if (!worst || worst->level != TTP_QUALITY_BAD)
        return;
    out->bad = worst->text;
    out->damaged =
        end->how < TTP_RUN_FAILED && (quality->item[TTP_CHECK_LOGS].level == TTP_QUALITY_BAD ||
                                      quality->item[TTP_CHECK_TIMES].level == TTP_QUALITY_BAD);
    ttp_history_run_add_note(run, 0, ttp_sink_format(arena, "bad: %.*s", TTP_FMT(worst->text)),
                             arena);
}

static ttp_code read_ops(struct ttp_history_runs *out, const char *path,
                         const struct ttp_runs_reading *reading, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    const struct ttp_run_plan plan = {
        .reading = {.threads = reading->threads, .progress = reading->progress},
        .texts = true, /* the document is kept */
        .mesh = true,
        .boards = reading->analysis.boards};
    const struct ttp_ops_read_options options = {.threads = reading->threads,
                                                 .progress = reading->progress};
    struct ttp_ops *ops = TTP_NEW(arena, struct ttp_ops, 1);
    struct ttp_history_run *run = TTP_NEW(arena, struct ttp_history_run, 1);
    struct ttp_run_sources from;
    struct ttp_report report;

    TTP_TRY(ttp_run_open_sources(&from, (struct ttp_paths){&path, 1}, &plan, arena, err));
    out->note = ttp_run_source_note(&from, 0, path, arena);
    ttp_code rc = ttp_run_read_ops(ops, &from, &options, arena, err);
    if (rc == TTP_OK)
        rc = read_bytes(&run->document, from.csv.word[0], arena, err);
    const char *name = from.made[0] ? "ops_perf_results.csv" : from.name.word[0];
    ttp_run_close_sources(&from);
    if (rc != TTP_OK)
        return rc;
    rc = ttp_analysis_run(&report, ops, &reading->analysis, arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, from.name.word[0], 0);
        return rc;
    }
    run->source = ttp_str_from(from.name.word[0]);
    run->document_name = ttp_arena_copy(arena, last_part(name));
    run->time_ns = time_of_file(from.name.word[0]);
    ttp_history_run_from_report(run, &report, arena);
    if (report.merged)
        add_mesh(run,
                 &(struct ttp_run_mesh_request){.path = path,
                                                .ops = ops,
                                                .report = &report,
                                                .known = &from.mesh[0],
                                                .boards = reading->analysis.boards,
                                                .threads = reading->threads},
                 reading, arena);
    if (run->ops == 0) {
        ttp_fail(err, TTP_EPARSE, "no op in '%s'", from.name.word[0]);
        ttp_err_hint(err, "--ignore-signposts takes the whole file");
        return TTP_EPARSE;
    }
    mark_bad(out, run, &report, arena);
    out->run = run;
    out->count = 1;
    return TTP_OK;
}

ttp_code ttp_history_runs_read(struct ttp_history_runs *out, const char *path,
                               const struct ttp_runs_reading *reading, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const char *name = path;
    int fd = -1;
    ttp_code rc = TTP_OK;

    *out = (struct ttp_history_runs){0};
    if (standard_input) {
        name = "standard input";
        rc = spool(&fd, &path, arena, err);
    }
    if (rc == TTP_OK)
        rc = content_of(path, arena) == CONTENT_OPS ? read_ops(out, path, reading, arena, err)
                                                    : read_text(out, path, name, arena, err);
    for (size_t i = 0; rc == TTP_OK && i < out->count; i++) {
        struct ttp_history_run *run = &out->run[i];

        if (run->time_ns == 0 && !standard_input)
            run->time_ns = time_of_file(path);
        if (standard_input && content_of(path, arena) == CONTENT_OPS)
            run->source = run->document_name = ttp_str_from(name);
        run->document_name = last_part(ttp_arena_zstr(arena, run->document_name));
    }
    if (rc != TTP_OK && standard_input && strcmp(err->path, path) == 0)
        ttp_err_where(err, name, err->line);
    if (fd >= 0)
        ttp_file_close_memory(path);
    return rc;
}

/* Does it begin with a date as tt-metal writes it, 2026_11_16? */
static bool is_dated(ttp_str part)
{
    uint64_t number;

    return part.len >= 10 && part.ptr[4] == '_' && part.ptr[7] == '_' &&
           ttp_str_to_u64(ttp_str_slice(part, 0, 4), &number) &&
           ttp_str_to_u64(ttp_str_slice(part, 5, 7), &number) &&
           ttp_str_to_u64(ttp_str_slice(part, 8, 10), &number);
}

/* Do all runs have files or folders of this name? */
static bool is_usual_name(ttp_str part)
{
    static const char *const usual[] = {"", ".logs", "reports", "profiler", "generated"};

    for (size_t i = 0; i < TTP_COUNT(usual); i++)
        if (ttp_str_eq(part, ttp_str_from(usual[i])))
            return true;
    return ttp_str_starts(part, TTP_STR("ops_perf_results")) || is_dated(part);
}

ttp_str ttp_history_run_name_of_source(const struct ttp_history_run *run, struct ttp_arena *arena)
{
    char full[PATH_MAX];

    if (!realpath(ttp_arena_zstr(arena, run->source), full))
        return run->kind;
    char *dot = strrchr(full, '.'), *slash = strrchr(full, '/');
    if (dot && dot > slash + 1 && !ttp_file_is_dir(full))
        *dot = '\0';
    for (; slash; slash = strrchr(full, '/')) {
        const ttp_str part = ttp_str_from(slash + 1);

        if (!is_usual_name(part))
            return ttp_arena_copy(arena, part);
        *slash = '\0';
    }
    return run->kind;
}
