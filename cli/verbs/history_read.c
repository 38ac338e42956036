/* SPDX-License-Identifier: Apache-2.0 */
/* history_read.c - what users name, as runs: told apart by what is in it. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/file.h"
#include "base/input.h"
#include "core/run_input.h"
#include "verbs/bench_setup.h"
#include "verbs/history_job.h"

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

static ttp_code collect(void *arg, ttp_str text, struct ttp_err *err)
{
    struct ttp_sink *all = arg;

    if (all->len + text.len > DOCUMENT_MAX)
        return ttp_fail(err, TTP_ELIMIT, "more than 1 GiB");
    ttp_sink_put(all, text);
    return TTP_OK;
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

bool history_is_export(const char *path)
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
    return ttp_is_perf_csv(head) ? CONTENT_PERF_CSV : CONTENT_OPS;
}

/* A document that is read as text. */
static ttp_code read_text(struct ttp_history_runs *out, enum content content, const char *path,
                          const char *name, struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_sink all;
    ttp_str raw;

    ttp_sink_to_arena(&all, arena);
    TTP_TRY(ttp_input_each(path, NULL, collect, &all, err));
    const ttp_str text = ttp_sink_text(&all);
    const ttp_code rc = content == CONTENT_JSON
                            ? ttp_runs_from_json(out, text, name, arena, err)
                            : ttp_runs_from_perf_csv(out, text, name, arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, name, bench_line(text, err->offset));
        return rc;
    }
    /* kept as it is: compressed, and with what is before and after it */
    TTP_TRY(read_bytes(&raw, path, arena, err));
    for (size_t i = 0; i < out->count; i++)
        if (out->run[i].document.len == text.len && out->run[i].document.ptr == text.ptr)
            out->run[i].document = raw;
    return TTP_OK;
}

static ttp_code read_ops(struct ttp_history_runs *out, const struct history_job *j,
                         const char *path, struct ttp_arena *arena, struct ttp_err *err)
{
    const unsigned threads = (unsigned)j->o->common.threads;
    const struct ttp_run_plan plan = {.reading = {.threads = threads, .progress = !j->ctx->quiet}};
    const struct ttp_ops_read_options reading = {.threads = threads, .progress = !j->ctx->quiet};
    struct ttp_report_options analysis = j->o->analysis;
    const struct ttp_words operand = {&path, 1};
    struct ttp_ops *ops = TTP_NEW(arena, struct ttp_ops, 1);
    struct ttp_history_run *run = TTP_NEW(arena, struct ttp_history_run, 1);
    struct ttp_run_sources from;
    struct ttp_report report;

    TTP_TRY(ttp_run_open_sources(&from, &path, 1, &plan, arena, err));
    ttp_run_input_tell(j->ctx, &from, &operand);
    ttp_code rc = ttp_run_read_ops(ops, &from, &reading, arena, err);
    if (rc == TTP_OK)
        rc = read_bytes(&run->document, from.csv.word[0], arena, err);
    const char *name = from.made[0] ? "ops_perf_results.csv" : from.name.word[0];
    ttp_run_close_sources(&from);
    if (rc != TTP_OK)
        return rc;
    analysis.boards = j->ctx->boards;
    rc = ttp_analysis_run(&report, ops, &analysis, arena, err);
    if (rc != TTP_OK) {
        ttp_err_where(err, from.name.word[0], 0);
        return rc;
    }
    run->source = ttp_str_from(from.name.word[0]);
    run->document_name = ttp_arena_copy(arena, last_part(name));
    run->time_ns = time_of_file(from.name.word[0]);
    ttp_run_from_report(run, &report, arena);
    if (run->ops == 0) {
        ttp_fail(err, TTP_EPARSE, "no op in '%s'", from.name.word[0]);
        ttp_err_hint(err, "--ignore-signposts takes the whole file");
        return TTP_EPARSE;
    }
    *out = (struct ttp_history_runs){run, 1};
    return TTP_OK;
}

ttp_code history_read_runs(struct ttp_history_runs *out, const struct history_job *j,
                           const char *path, struct ttp_arena *arena, struct ttp_err *err)
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
    if (rc == TTP_OK) {
        const enum content content = content_of(path, arena);

        rc = content == CONTENT_OPS ? read_ops(out, j, path, arena, err)
                                    : read_text(out, content, path, name, arena, err);
    }
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
