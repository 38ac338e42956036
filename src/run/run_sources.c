/* SPDX-License-Identifier: Apache-2.0 */
/* Operands other than a CSV: a folder that contains one, or only logs. */
#include <inttypes.h>

#include "base/file.h"
#include "base/shell_lines.h"
#include "run/run_end.h"
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

/* A CSV of ops by the name that the user of tt_profile gave it: in the folder itself, known by its
 * columns. */
static bool is_named_csv(const char *path, const char *name, void *arg)
{
    const char *folder = arg;
    struct ttp_err ignored = {0};
    struct ttp_file file;

    if (!ttp_str_ends(ttp_str_from(name), TTP_STR(".csv")) ||
        ttp_str_has(ttp_str_from(name), TTP_STR("_minus_")) ||
        strlen(path) > strlen(folder) + strlen(name) + 1 ||
        ttp_file_map(&file, path, &ignored) != TTP_OK)
        return false;
    ttp_str rest = file.text, line = {0};
    const bool is = ttp_str_next_line(&rest, &line) && ttp_str_has(line, TTP_STR("OP CODE,")) &&
                    ttp_str_has(line, TTP_STR("GLOBAL CALL COUNT,"));
    ttp_file_close(&file);
    return is;
}

ttp_code ttp_run_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    *out = path;
    if (strcmp(path, "-") == 0 || !ttp_file_is_dir(path))
        return TTP_OK; /* whoever reads it reports what cannot be read */
    ttp_code rc =
        ttp_file_find_newest(out, path, (struct ttp_file_matcher){is_ops_csv, NULL}, arena, err);
    if (rc == TTP_ENOTFOUND) {
        char *folder = ttp_arena_zstr(arena, ttp_str_from(path));
        rc = ttp_file_find_newest(out, path, (struct ttp_file_matcher){is_named_csv, folder}, arena,
                                  err);
    }
    if (rc == TTP_ENOTFOUND) {
        (void)ttp_fail(err, rc, "no ops_perf_results*.csv and no profiler logs below this folder");
        ttp_err_where(err, path, 0);
        ttp_err_hint(
            err,
            "profile the workload with 'tt-perf record -- COMMAND' first, or give the CSV itself");
    }
    return rc;
}

/* One of several sources, while it is opened. */
struct opening {
    struct ttp_run_sources *out;
    size_t i; /* its place there */
    const char *path;
    const struct ttp_run_plan *plan;
    struct ttp_arena *arena;
};

static void add_problems(const struct opening *o, const struct ttp_words *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        ttp_words_add(&o->out->problems, ttp_arena_zstr(o->arena, ttp_str_from(problems->word[i])),
                      o->arena);
}

/* TTP_ENOTFOUND: nothing in the folder is a log. The logs are released when this returns. */
static ttp_code make_rows(const struct opening *o, struct ttp_err *err)
{
    struct ttp_run_sources *out = o->out;
    struct ttp_arena logs_arena = {0};
    struct ttp_run run;

    ttp_code rc = ttp_run_read_logs(&run, o->path, o->plan, &logs_arena, err);
    if (rc == TTP_OK)
        rc = ttp_run_join(&run, o->plan, &logs_arena, err);
    out->csv.word[o->i] = o->path;
    if (rc == TTP_OK && o->plan->host_ops && run.report.device_only)
        rc = ttp_fail(err, TTP_ENOTFOUND, "no ops of the host");
    if (rc == TTP_OK && o->plan->texts)
        rc =
            ttp_ops_csv_in_memory(&out->fd[o->i], &out->csv.word[o->i], &run.report, o->arena, err);
    else if (rc == TTP_OK)
        rc = ttp_ops_make_rows(&out->rows[o->i], &run.report, o->arena, err);
    if (rc == TTP_OK) {
        const struct ttp_device_log *log = run.logs.device;

        add_problems(o, &run.problems);
        out->made[o->i] = true;
        ttp_run_end_worst(&out->end, ttp_run_end_of_facts(&run.facts, o->arena));
        out->truncated |= (log && log->truncated) || (run.logs.cpp && run.logs.cpp->truncated);
        if (log && log->nparts && log->rows)
            out->core_markers = (double)log->rows / (double)log->nparts;
    }
    ttp_arena_free(&logs_arena);
    return rc;
}

static ttp_code merge_opened(const struct opening *o, struct ttp_run_parts *parts, bool *found,
                             struct ttp_err *err)
{
    struct ttp_run_sources *out = o->out;
    struct ttp_run_merged merged;

    *found = !parts->split; /* that CSV has all rows already */
    if (parts->split)
        return TTP_OK;
    TTP_TRY(ttp_run_merge_parts(&merged, parts, o->plan, o->arena, err));
    out->fd[o->i] = merged.fd;
    out->rows[o->i] = merged.rows;
    out->mesh[o->i] = merged.mesh;
    out->csv.word[o->i] = merged.path ? merged.path : o->path;
    out->name.word[o->i] = o->path;
    out->made[o->i] = out->ranks[o->i] = true;
    add_problems(o, &parts->problems);
    out->truncated |= parts->truncated;
    out->unreadable += parts->unreadable;
    if (!out->damage)
        out->damage = parts->damage;
    ttp_run_end_worst(&out->end, parts->end);
    return TTP_OK;
}

/* All ranks of a folder. *found false: it has none. */
static ttp_code merge_ranks(const struct opening *o, bool *found, struct ttp_err *err)
{
    const struct ttp_paths paths = {&o->path, 1};
    struct ttp_arena scratch = {0}, *const keep = o->plan->mesh ? o->arena : &scratch;
    struct ttp_run_plan plan = *o->plan;
    struct ttp_run_parts parts = {0};

    plan.rows = !plan.texts;
    plan.mesh = false; /* a rank has none of its own */
    ttp_code rc = ttp_run_find_ranks(&parts.ranks, paths, keep, err);
    *found = rc == TTP_OK && parts.ranks.count;
    if (*found) {
        rc = ttp_run_open_parts(&parts, paths, &plan, keep, err);
        if (rc == TTP_OK)
            rc = merge_opened(o, &parts, found, err);
        ttp_run_drop_parts(&parts);
    }
    ttp_arena_free(&scratch);
    return rc;
}

static ttp_code open_source(const struct opening *o, struct ttp_err *err)
{
    const char **csv = &o->out->csv.word[o->i], **name = &o->out->name.word[o->i];
    struct ttp_err no_logs = {0};
    bool ranks;

    *name = o->path;
    if (ttp_logs_is_recording(o->path))
        return make_rows(o, err);
    if (!o->plan->reading.strict && ttp_file_is_dir(o->path)) {
        const ttp_code merged = merge_ranks(o, &ranks, err);
        if (merged != TTP_OK || ranks)
            return merged;
    }
    const ttp_code rc = ttp_run_find_csv(csv, o->path, o->arena, err);
    *name = *csv;
    if (rc == TTP_OK && strcmp(*csv, "-") != 0 && !o->plan->reading.strict)
        ttp_run_end_worst(&o->out->end, ttp_run_end_of_csv(*csv, o->arena));
    if (rc != TTP_ENOTFOUND)
        return rc;
    const ttp_code made = make_rows(o, &no_logs);
    if (made == TTP_ENOTFOUND) /* neither report nor logs: the first error says more */
        return rc;
    *name = o->path;
    if (made != TTP_OK && err)
        *err = no_logs;
    return made;
}

ttp_code ttp_run_open_sources(struct ttp_run_sources *out, struct ttp_paths paths,
                              const struct ttp_run_plan *plan, struct ttp_arena *arena,
                              struct ttp_err *err)
{
    const size_t n = paths.count;
    ttp_code rc = TTP_OK;

    *out = (struct ttp_run_sources){.csv = {TTP_NEW(arena, const char *, n), n},
                                    .name = {TTP_NEW(arena, const char *, n), n},
                                    .made = TTP_NEW(arena, bool, n),
                                    .ranks = TTP_NEW(arena, bool, n),
                                    .mesh = TTP_NEW(arena, struct ttp_run_mesh, n),
                                    .fd = TTP_NEW(arena, int, n),
                                    .rows = TTP_NEW(arena, struct ttp_ops_rows *, n)};
    for (size_t i = 0; i < n; i++)
        out->fd[i] = -1;
    for (size_t i = 0; i < n && rc == TTP_OK; i++)
        rc = open_source(&(struct opening){out, i, paths.path[i], plan, arena}, err);
    if (rc != TTP_OK)
        ttp_run_close_sources(out);
    return rc;
}

/* The log of the chips next to the rows of a single run. One that cannot be read is a problem of
 * the run, not a failure: it only adds to what the rows say. */
static void add_machine_log(struct ttp_ops *ops, const struct ttp_run_sources *from,
                            struct ttp_arena *arena)
{
    struct ttp_machine_log *log = TTP_NEW(arena, struct ttp_machine_log, 1);
    struct ttp_err why = {0};

    if (from->name.count != 1 || from->ranks[0] || strcmp(from->name.word[0], "-") == 0)
        return;
    const char *path = ttp_logs_machine_log_find(from->name.word[0], arena);
    if (!path)
        return;
    if (ttp_logs_machine_log_read(log, path, arena, &why) == TTP_OK)
        ops->machine = log;
    else
        ttp_words_add(&ops->problems,
                      ttp_arena_zstr(arena, ttp_sink_format(arena, "%s, line %" PRIu64 ": %s", path,
                                                            why.line, why.text)),
                      arena);
}

ttp_code ttp_run_read_ops(struct ttp_ops *out, const struct ttp_run_sources *from,
                          const struct ttp_ops_read_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_ops_read_options reading = *options;

    reading.rows = from->rows;
    const ttp_code rc = ttp_ops_read_csv(out, (struct ttp_paths){from->csv.word, from->csv.count},
                                         &reading, arena, err);

    for (size_t i = 0; i < from->problems.count; i++)
        ttp_words_add(&out->problems, from->problems.word[i], arena);
    if (rc != TTP_OK && from->made[out->refused_file])
        ttp_err_where(err, from->name.word[out->refused_file], 0);
    out->truncated |= from->truncated;
    if (!out->damage)
        out->damage = from->damage;
    out->unreadable = from->unreadable;
    out->end = from->end;
    out->core_markers = from->core_markers;
    if (rc == TTP_OK && !options->rules.data_frame)
        add_machine_log(out, from, arena);
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
        .reading = {.threads = request->threads, .progress = request->progress},
        .noc = true,
        .mesh = request->mesh,
        .boards = request->analysis.boards};
    const struct ttp_ops_read_options reading = {.threads = request->threads,
                                                 .progress = request->progress};
    const char *path = request->path;
    const struct ttp_words operand = {&path, 1};
    struct ttp_run_sources from;

    *out = (struct ttp_run_input){0};
    TTP_TRY(ttp_run_open_sources(&from, (struct ttp_paths){&request->path, 1}, &plan, arena, err));
    out->name = from.name.word[0];
    out->note = ttp_run_source_note(&from, 0, request->path, arena);
    out->mesh = from.mesh[0];
    ttp_code rc = ttp_run_read_ops(&out->ops, &from, &reading, arena, err);
    ttp_run_close_sources(&from);
    if (rc == TTP_OK) {
        for (size_t i = 0; request->problems && i < request->problems->count; i++)
            ttp_words_add(&out->ops.problems, request->problems->word[i], arena);
        out->ops.truncated |= request->truncated;
        ttp_run_end_worst(&out->ops.end, request->end);
        rc = ttp_analysis_run(&out->report, &out->ops, &request->analysis, arena, err);
        if (rc == TTP_OK)
            ttp_analysis_name_run(&out->report.quality, ttp_shell_words(&operand, arena), arena);
        else
            ttp_err_where(err, out->name, 0);
    }
    return rc;
}
