/* SPDX-License-Identifier: Apache-2.0 */
/* What users name instead of a CSV: a folder that has one somewhere, or only logs. */
#include <unistd.h>

#include "base/file.h"
#include "ops/ops.h"

static bool is_ops_csv(const char *path, const char *name, void *arg)
{
    const ttp_str n = ttp_str_from(name);

    (void)path;
    (void)arg;
    /* beside the report of a tt-mlir run lie the same rows without some of them */
    return ttp_str_starts(n, TTP_STR("ops_perf_results")) && !ttp_str_has(n, TTP_STR("_minus_")) &&
           (ttp_str_ends(n, TTP_STR(".csv")) || ttp_str_ends(n, TTP_STR(".csv.gz")) ||
            ttp_str_ends(n, TTP_STR(".csv.zst")));
}

ttp_code ttp_ops_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    *out = path;
    if (strcmp(path, "-") == 0 || !ttp_file_is_dir(path))
        return TTP_OK; /* what cannot be read is told by whoever reads it */
    const ttp_code rc = ttp_file_find_newest(out, path, is_ops_csv, NULL, arena, err);
    if (rc == TTP_ENOTFOUND) {
        (void)ttp_fail(err, rc, "no ops_perf_results*.csv below this folder");
        ttp_err_where(err, path, 0);
        ttp_err_hint(err,
                     "profile the workload with tt-metal's tracy first, or name the CSV itself");
    }
    return rc;
}

static ttp_code write_csv(int fd, const struct ttp_ops_report *report, struct ttp_err *err)
{
    struct ttp_arena scratch = {0}, buffer = {0};
    struct ttp_sink out;

    ttp_sink_to_fd(&out, fd, &buffer);
    ttp_code rc = ttp_ops_write_csv(&out, report, 0, &scratch, err);
    if (rc == TTP_OK)
        rc = ttp_sink_finish(&out, err);
    ttp_arena_free(&scratch);
    ttp_arena_free(&buffer);
    return rc;
}

ttp_code ttp_ops_csv_in_memory(int *fd, const char **path, const struct ttp_ops_report *report,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    TTP_TRY(ttp_file_in_memory(fd, path, arena, err));
    const ttp_code rc = write_csv(*fd, report, err);
    if (rc != TTP_OK) {
        close(*fd);
        *fd = -1;
    }
    return rc;
}

/* TTP_ENOTFOUND: nothing in the folder is a log. The logs are gone when this returns. */
static ttp_code make_csv(struct ttp_ops_sources *out, size_t i, const char *dir,
                         const struct ttp_logs_options *options,
                         const struct ttp_ops_extras *extras, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    const struct ttp_run_plan plan = {0};
    const struct ttp_join_options how = {0};
    struct ttp_arena logs_arena = {0};
    struct ttp_log_paths paths;
    struct ttp_run_logs logs;
    struct ttp_ops_report report;

    ttp_code rc = ttp_logs_find(&paths, dir, &logs_arena, err);
    if (rc == TTP_OK)
        rc = ttp_run_read_logs(&logs, &paths, &plan, options, &logs_arena, err);
    if (rc == TTP_OK && !logs.device && !logs.cpp) {
        rc = ttp_fail(err, TTP_ENOTFOUND, "no profiler logs in '%s'", paths.folder);
        ttp_err_where(err, dir, 0);
    }
    if (rc == TTP_OK)
        rc = ttp_ops_join(&report, &logs, &how, &logs_arena, err);
    if (rc == TTP_OK && extras)
        extras->add(extras->ctx, &report, paths.folder, &out->problems);
    if (rc == TTP_OK)
        rc = ttp_ops_csv_in_memory(&out->fd[i], &out->csv.word[i], &report, arena, err);
    if (rc == TTP_OK) {
        const struct ttp_words problems = ttp_ops_tell_problems(&report, arena);

        for (size_t k = 0; k < problems.count; k++)
            ttp_words_add(&out->problems, problems.word[k], arena);
        out->made[i] = true;
    }
    ttp_arena_free(&logs_arena);
    return rc;
}

static ttp_code open_source(struct ttp_ops_sources *out, size_t i, const char *path,
                            const struct ttp_logs_options *options,
                            const struct ttp_ops_extras *extras, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_err no_logs = {0};

    out->name.word[i] = path;
    if (ttp_logs_is_recording(path))
        return make_csv(out, i, path, options, extras, arena, err);
    const ttp_code rc = ttp_ops_find_csv(&out->csv.word[i], path, arena, err);
    out->name.word[i] = out->csv.word[i];
    if (rc != TTP_ENOTFOUND)
        return rc;
    const ttp_code made = make_csv(out, i, path, options, extras, arena, &no_logs);
    if (made == TTP_ENOTFOUND) /* neither report nor logs: the first error says more */
        return rc;
    out->name.word[i] = path;
    if (made != TTP_OK && err)
        *err = no_logs;
    return made;
}

ttp_code ttp_ops_open_sources(struct ttp_ops_sources *out, const char *const *path, size_t npaths,
                              const struct ttp_logs_options *options,
                              const struct ttp_ops_extras *extras, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    ttp_code rc = TTP_OK;

    *out = (struct ttp_ops_sources){.csv = {TTP_NEW(arena, const char *, npaths), npaths},
                                    .name = {TTP_NEW(arena, const char *, npaths), npaths},
                                    .made = TTP_NEW(arena, bool, npaths),
                                    .fd = TTP_NEW(arena, int, npaths)};
    for (size_t i = 0; i < npaths; i++)
        out->fd[i] = -1;
    for (size_t i = 0; i < npaths && rc == TTP_OK; i++)
        rc = open_source(out, i, path[i], options, extras, arena, err);
    if (rc != TTP_OK)
        ttp_ops_close_sources(out);
    return rc;
}

ttp_code ttp_ops_read_sources(struct ttp_ops *out, const struct ttp_ops_sources *from,
                              const struct ttp_ops_read_options *options, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    const ttp_code rc = ttp_ops_read_csv(out, from->csv.word, from->csv.count, options, arena, err);

    out->problems = from->problems;
    if (rc != TTP_OK && from->made[out->refused_file])
        ttp_err_where(err, from->name.word[out->refused_file], 0);
    return rc;
}

void ttp_ops_close_sources(struct ttp_ops_sources *sources)
{
    for (size_t i = 0; i < sources->csv.count; i++)
        if (sources->fd[i] >= 0)
            close(sources->fd[i]);
    sources->csv.count = 0;
}
