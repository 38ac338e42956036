/* SPDX-License-Identifier: Apache-2.0 */
/* What users name instead of a CSV: a folder that has one somewhere, or only logs. */
#include "base/file.h"
#include "run/run_ranks.h"

static bool is_ops_csv(const char *path, const char *name, void *arg)
{
    const ttp_str n = ttp_str_from(name);

    (void)path;
    (void)arg;
    /* next to the report of a tt-mlir run lie the same rows without some of them */
    return ttp_str_starts(n, TTP_STR("ops_perf_results")) && !ttp_str_has(n, TTP_STR("_minus_")) &&
           (ttp_str_ends(n, TTP_STR(".csv")) || ttp_str_ends(n, TTP_STR(".csv.gz")) ||
            ttp_str_ends(n, TTP_STR(".csv.zst")));
}

ttp_code ttp_run_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    *out = path;
    if (strcmp(path, "-") == 0 || !ttp_file_is_dir(path))
        return TTP_OK; /* whoever reads it reports what cannot be read */
    const ttp_code rc =
        ttp_file_find_newest(out, path, (struct ttp_file_matcher){is_ops_csv, NULL}, arena, err);
    if (rc == TTP_ENOTFOUND) {
        (void)ttp_fail(err, rc, "no ops_perf_results*.csv and no profiler logs below this folder");
        ttp_err_where(err, path, 0);
        ttp_err_hint(
            err,
            "profile the workload with 'tt-perf record -- COMMAND' first, or give the CSV itself");
    }
    return rc;
}

/* TTP_ENOTFOUND: nothing in the folder is a log. The logs are gone when this returns. */
static ttp_code make_rows(struct ttp_run_sources *out, size_t i, const char *dir,
                          const struct ttp_run_plan *plan, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_arena logs_arena = {0};
    struct ttp_run run;

    ttp_code rc = ttp_run_read_logs(&run, dir, plan, &logs_arena, err);
    if (rc == TTP_OK)
        rc = ttp_run_join(&run, plan, &logs_arena, err);
    out->csv.word[i] = dir;
    if (rc == TTP_OK && plan->texts)
        rc = ttp_ops_csv_in_memory(&out->fd[i], &out->csv.word[i], &run.report, arena, err);
    else if (rc == TTP_OK)
        rc = ttp_ops_make_rows(&out->rows[i], &run.report, arena, err);
    if (rc == TTP_OK) {
        for (size_t k = 0; k < run.problems.count; k++)
            ttp_words_add(&out->problems, ttp_arena_zstr(arena, ttp_str_from(run.problems.word[k])),
                          arena);
        out->made[i] = true;
    }
    ttp_arena_free(&logs_arena);
    return rc;
}

/* All ranks of a folder. *count 0: it has none. */
static ttp_code merge_ranks(struct ttp_run_sources *out, size_t i, const char *path,
                            const struct ttp_run_plan *plan, size_t *count, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_arena parts_arena = {0};
    struct ttp_run_plan how = *plan;
    struct ttp_run_parts parts;

    how.texts = true;
    ttp_code rc = ttp_run_find_ranks(&parts.ranks, &path, 1, &parts_arena, err);
    *count = rc == TTP_OK ? parts.ranks.count : 0;
    if (*count) {
        rc = ttp_run_open_parts(&parts, &path, 1, &how, &parts_arena, err);
        if (rc == TTP_OK)
            rc = ttp_run_merge_parts(&out->fd[i], &out->csv.word[i], &parts, arena, err);
        if (rc == TTP_OK) {
            out->name.word[i] = path;
            out->made[i] = out->ranks[i] = true;
            for (size_t k = 0; k < parts.problems.count; k++)
                ttp_words_add(&out->problems,
                              ttp_arena_zstr(arena, ttp_str_from(parts.problems.word[k])), arena);
        }
    }
    ttp_arena_free(&parts_arena);
    return rc;
}

static ttp_code open_source(struct ttp_run_sources *out, size_t i, const char *path,
                            const struct ttp_run_plan *plan, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_err no_logs = {0};

    out->name.word[i] = path;
    if (ttp_logs_is_recording(path))
        return make_rows(out, i, path, plan, arena, err);
    if (!plan->reading.strict && ttp_file_is_dir(path)) {
        size_t ranks;
        const ttp_code merged = merge_ranks(out, i, path, plan, &ranks, arena, err);
        if (merged != TTP_OK || ranks)
            return merged;
    }
    const ttp_code rc = ttp_run_find_csv(&out->csv.word[i], path, arena, err);
    out->name.word[i] = out->csv.word[i];
    if (rc != TTP_ENOTFOUND)
        return rc;
    const ttp_code made = make_rows(out, i, path, plan, arena, &no_logs);
    if (made == TTP_ENOTFOUND) /* neither report nor logs: the first error says more */
        return rc;
    out->name.word[i] = path;
    if (made != TTP_OK && err)
        *err = no_logs;
    return made;
}

ttp_code ttp_run_open_sources(struct ttp_run_sources *out, const char *const *path, size_t npaths,
                              const struct ttp_run_plan *plan, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    *out = (struct ttp_run_sources){.csv = {TTP_NEW(arena, const char *, npaths), npaths},
                                    .name = {TTP_NEW(arena, const char *, npaths), npaths},
                                    .made = TTP_NEW(arena, bool, npaths),
                                    .ranks = TTP_NEW(arena, bool, npaths),
                                    .fd = TTP_NEW(arena, int, npaths),
                                    .rows = TTP_NEW(arena, struct ttp_ops_rows *, npaths)};
    for (size_t i = 0; i < npaths; i++)
        out->fd[i] = -1;
    for (size_t i = 0; i < npaths && rc == TTP_OK; i++)
        rc = open_source(out, i, path[i], plan, arena, err);
    if (rc != TTP_OK)
        ttp_run_close_sources(out);
    return rc;
}

ttp_code ttp_run_read_ops(struct ttp_ops *out, const struct ttp_run_sources *from,
                          const struct ttp_ops_read_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_ops_read_options how = *options;

    how.rows = from->rows;
    const ttp_code rc = ttp_ops_read_csv(out, from->csv.word, from->csv.count, &how, arena, err);

    for (size_t i = 0; i < from->problems.count; i++)
        ttp_words_add(&out->problems, from->problems.word[i], arena);
    if (rc != TTP_OK && from->made[out->refused_file])
        ttp_err_where(err, from->name.word[out->refused_file], 0);
    return rc;
}

const char *ttp_run_source_note(const struct ttp_run_sources *from, size_t i, const char *path,
                                struct ttp_arena *arena)
{
    const char *name = from->name.word[i];
    struct ttp_sink note;

    ttp_sink_to_arena(&note, arena);
    if (from->ranks[i])
        ttp_sink_printf(&note, "merging the ranks in %s ('tt-perf mesh' analyses them)", name);
    else if (from->made[i])
        ttp_sink_printf(
            &note, "%s has no report yet: made one from its logs ('tt-perf ops' writes it to disk)",
            name);
    else if (name != path)
        ttp_sink_printf(&note, "reading %s", name);
    return note.len ? ttp_arena_zstr(arena, ttp_sink_text(&note)) : NULL;
}

void ttp_run_close_sources(struct ttp_run_sources *sources)
{
    for (size_t i = 0; i < sources->csv.count; i++) {
        if (sources->fd[i] >= 0)
            ttp_file_close_memory(sources->csv.word[i]);
        if (sources->rows[i])
            ttp_ops_drop_rows(sources->rows[i]);
    }
    sources->csv.count = 0;
}

ttp_code ttp_run_analyse(struct ttp_run_input *out, const struct ttp_run_request *request,
                         struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_plan plan = {
        .reading = {.threads = request->threads, .progress = request->progress}, .noc = true};
    const struct ttp_ops_read_options reading = {.threads = request->threads,
                                                 .progress = request->progress};
    struct ttp_run_sources from;

    *out = (struct ttp_run_input){0};
    TTP_TRY(ttp_run_open_sources(&from, &request->path, 1, &plan, arena, err));
    out->name = from.name.word[0];
    out->note = ttp_run_source_note(&from, 0, request->path, arena);
    ttp_code rc = ttp_run_read_ops(&out->ops, &from, &reading, arena, err);
    ttp_run_close_sources(&from);
    if (rc == TTP_OK) {
        rc = ttp_analysis_run(&out->report, &out->ops, &request->analysis, arena, err);
        if (rc != TTP_OK)
            ttp_err_where(err, out->name, 0);
    }
    return rc;
}
