/* SPDX-License-Identifier: Apache-2.0 */
/* history_add.c - `tt-perf history add`, `note` and `import`. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/input.h"
#include "base/iso_time.h"
#include "base/progress.h"
#include "base/secrets.h"
#include "base/vec.h"
#include "run/run.h"
#include "verbs/history_job.h"

/* What is added to runs that do not state it themselves, found out when first needed. */
struct surroundings {
    bool git_known, machine_known;
    struct ttp_git_state git;
    struct ttp_fingerprint machine;
};

struct adding {
    struct history_job *j;
    struct surroundings here;
    bool import; /* from elsewhere: git and machine of here have nothing to do with it */
    int64_t time_ns;
    struct ttp_history_additions told;
    size_t added, known, failed;
};

static void read_git_state(struct ttp_git_state *out, struct ttp_arena *arena)
{
    struct ttp_signals signals;

    *out = (struct ttp_git_state){0};
    if (ttp_signals_open(&signals, NULL) != TTP_OK)
        return;
    ttp_git_state(out, &signals, arena);
    ttp_signals_close(&signals);
}

static void add_git(struct adding *a, struct ttp_history_run *run)
{
    if (run->commit.len || a->j->options->no_git || a->import)
        return;
    if (!a->here.git_known)
        read_git_state(&a->here.git, a->j->ctx->arena);
    a->here.git_known = true;
    ttp_history_run_set_git(run, &a->here.git);
}

static ttp_code add_machine(struct adding *a, struct ttp_history_run *run, struct ttp_err *err)
{
    struct ttp_guard *guard;
    const ttp_str board = run->board;

    if (run->machine_key.len || run->host.len || a->j->options->no_machine || a->import)
        return TTP_OK;
    if (!a->here.machine_known) {
        TTP_TRY(ttp_measure_guard_open(&guard, a->j->options->root, a->j->ctx->boards,
                                       a->j->ctx->arena, err));
        ttp_measure_guard_fingerprint(&a->here.machine, guard);
        ttp_measure_guard_close(guard);
    }
    a->here.machine_known = true;
    ttp_history_run_set_machine(run, &a->here.machine, a->j->ctx->arena);
    if (run->board.len == 0)
        run->board = board;
    return TTP_OK;
}

static void set_text(ttp_str *field, const char *option)
{
    if (option)
        *field = ttp_str_from(option);
}

/* What the user says counts, then the document, then what is found here. */
static ttp_code complete_run(struct adding *a, struct ttp_history_run *run, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    const struct history_opts *o = a->j->options;

    add_git(a, run);
    TTP_TRY(add_machine(a, run, err));
    set_text(&run->name, o->name);
    set_text(&run->branch, o->branch);
    set_text(&run->project, o->project);
    set_text(&run->host, o->host);
    if (o->commit) {
        run->commit = ttp_str_from(o->commit);
        run->commit_time = (ttp_str){0};
        run->dirty = false;
    }
    if (a->time_ns)
        run->time_ns = a->time_ns;
    if (run->name.len == 0)
        run->name = run->project.len ? run->project : ttp_history_run_name_of_source(run, arena);
    for (size_t i = 0; i < o->notes.count; i++)
        ttp_history_run_add_note(run, 0, ttp_str_from(o->notes.word[i]), arena);
    return TTP_OK;
}

/* For tables, which are written at the end. */
static void keep(struct adding *a, const struct ttp_history_added *run)
{
    struct ttp_history_additions *all = &a->told;

    *TTP_PUSH(a->j->ctx->arena, all->run, all->count) = *run;
}

static ttp_str time_text(int64_t time_ns, struct ttp_arena *arena)
{
    char text[TTP_ISO_TIME_MAX];

    return ttp_arena_copy(arena, (ttp_str){text, ttp_iso_time(text, time_ns)});
}

/* Trends, 'last' and regressions go by time, and that of a file may be any. */
static ttp_code tell_order(const struct adding *a, const struct ttp_history_run *run, int64_t id,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_store_filter filter = {.name = run->name, .limit = 1};
    const ttp_str time = time_text(run->time_ns, arena);
    struct ttp_history_runs newest;

    TTP_TRY(ttp_store_list(&newest, a->j->store, &filter, arena, err));
    if (newest.count && newest.run[0].id != id && newest.run[0].time_ns > run->time_ns)
        ttp_ctx_warn(a->j->ctx,
                     "run %lld is of %.*s, earlier than run %lld: it is not the last one (the time "
                     "is that of the input; --time sets it)",
                     (long long)id, TTP_FMT(time), (long long)newest.run[0].id);
    else if (run->time_ns)
        ttp_ctx_note(a->j->ctx, "run %lld is of %.*s", (long long)id, TTP_FMT(time));
    return TTP_OK;
}

static ttp_code add_one(struct adding *a, struct ttp_history_run *run, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    const struct ttp_ctx *ctx = a->j->ctx;
    struct ttp_store_added added;

    ttp_history_run_mask(run, arena);
    TTP_TRY(ttp_store_add(&added, a->j->store, run, a->j->options->again, err));
    a->added += !added.known;
    a->known += added.known;
    if (!added.known && !a->import)
        TTP_TRY(tell_order(a, run, added.id, arena, err));
    if (ctx->show.form != TTP_FORM_TEXT) {
        keep(a, &(struct ttp_history_added){added.id, ttp_arena_copy(ctx->arena, run->name),
                                            added.known});
        return TTP_OK;
    }
    if (a->import)
        return TTP_OK; /* reported at the end: there may be thousands */
    ttp_sink_printf(ctx->out, "%s run %lld: %.*s\n", added.known ? "already present:" : "added",
                    (long long)added.id, TTP_FMT(ttp_str_slice(run->name, 0, 200)));
    return ttp_sink_finish(ctx->out,
                           err); /* immediately: what was reported holds, whatever comes next */
}

static ttp_code add_runs(struct adding *a, struct ttp_history_runs *runs, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    for (size_t i = 0; i < runs->count; i++) {
        TTP_TRY(complete_run(a, &runs->run[i], arena, err));
        TTP_TRY(add_one(a, &runs->run[i], arena, err));
    }
    return TTP_OK;
}

/* Lines of an export: a history may be larger than memory. */
struct lines {
    struct adding *adding;
    struct ttp_arena arena;
    uint64_t line;
};

static ttp_code add_lines(void *arg, ttp_str text, struct ttp_err *err)
{
    struct lines *l = arg;
    ttp_str line;

    while (ttp_str_next_line(&text, &line)) {
        struct ttp_history_runs runs;
        ttp_code rc;

        l->line++;
        if (ttp_str_trim(line).len == 0)
            continue;
        rc = ttp_history_runs_from_json(&runs, line, "line", &l->arena, err);
        if (rc != TTP_OK)
            return rc;
        rc = add_runs(l->adding, &runs, &l->arena, err);
        ttp_arena_reset(&l->arena);
        if (rc != TTP_OK)
            return rc;
    }
    return TTP_OK;
}

static ttp_code add_export(struct adding *a, const char *path, struct ttp_err *err)
{
    struct lines l = {.adding = a};
    const ttp_code rc = ttp_input_each(path, ttp_input_cut_lines, add_lines, &l, err);

    ttp_arena_free(&l.arena);
    if (rc == TTP_EPARSE || rc == TTP_ELIMIT)
        ttp_err_where(err, path, l.line);
    return rc;
}

static ttp_code read_runs(struct ttp_history_runs *out, const struct adding *a, const char *path,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_runs_reading reading = {.threads = (unsigned)a->j->options->common.threads,
                                       .progress = !a->j->ctx->quiet,
                                       .analysis = a->j->options->analysis};

    reading.analysis.boards = a->j->ctx->boards;
    const ttp_code rc = ttp_history_runs_read(out, path, &reading, arena, err);
    if (out->note)
        ttp_ctx_say(a->j->ctx, "%s", out->note);
    if (rc == TTP_OK && out->damaged && !a->import) {
        (void)ttp_fail(err, TTP_EPARSE, "'%s' cannot be trusted: %.*s", path, TTP_FMT(out->bad));
        ttp_err_hint(err, "copy the file again, or record the run again");
        return TTP_EPARSE;
    }
    if (rc == TTP_OK && out->bad.len)
        ttp_ctx_warn(a->j->ctx, "%s cannot be trusted: %.*s", path, TTP_FMT(out->bad));
    return rc;
}

static ttp_code add_file(struct adding *a, const char *path, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_history_runs runs;

    if (ttp_history_runs_is_export(path))
        return add_export(a, path, err);
    const char *missing = ttp_run_missing_ranks(path, &arena);
    if (missing)
        ttp_ctx_warn(a->j->ctx, "%s: %s", path, missing);
    ttp_code rc = read_runs(&runs, a, path, &arena, err);
    if (rc == TTP_OK)
        rc = add_runs(a, &runs, &arena, err);
    ttp_arena_free(&arena);
    return rc;
}

/* ---- another store ---- */

static bool is_store(const char *path)
{
    static const char magic[] = "SQLite format 3";
    const ttp_str s = ttp_str_from(path);
    struct ttp_file f;

    if (ttp_str_starts(s, TTP_STR("postgresql://")) || ttp_str_starts(s, TTP_STR("postgres://")))
        return true;
    if (strcmp(path, "-") == 0 || ttp_file_is_dir(path) || ttp_file_map(&f, path, NULL) != TTP_OK)
        return false;
    /* a copy that was kept may have lost its head */
    const bool is =
        (f.text.len >= sizeof(magic) && memcmp(f.text.ptr, magic, sizeof(magic)) == 0) ||
        strstr(path, ".damaged-") != NULL;
    ttp_file_close(&f);
    return is;
}

/* The measurements, read again from their document. */
static ttp_code read_again(struct ttp_history_run *run, const struct adding *a,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_history_runs runs;
    const char *path;
    int fd;

    if (run->document.len == 0)
        return ttp_fail(err, TTP_EPARSE, "its values and its document are both unreadable");
    TTP_TRY(ttp_file_in_memory(&fd, &path, arena, err));
    ttp_code rc = TTP_OK;
    if (write(fd, run->document.ptr, run->document.len) != (ssize_t)run->document.len)
        rc = ttp_fail_errno(err, "cannot store a document in memory");
    if (rc == TTP_OK)
        rc = read_runs(&runs, a, path, arena, err);
    ttp_file_close_memory(path);
    for (size_t i = 0; rc == TTP_OK && i < runs.count; i++)
        /* of a table of several models the one it was */
        if (i == 0 || ttp_str_eq(runs.run[i].name, run->name)) {
            run->measure = runs.run[i].measure;
            run->measures = runs.run[i].measures;
            run->sample = runs.run[i].sample;
            run->samples = runs.run[i].samples;
            run->op = runs.run[i].op;
            run->ops = runs.run[i].ops;
        }
    return rc;
}

/* Older versions kept no settings of ops. The document has them. */
static void add_settings(struct ttp_history_run *run, const struct adding *a,
                         struct ttp_arena *arena)
{
    struct ttp_history_run again = *run;
    struct ttp_err ignored = {0};

    if (run->ops == 0 || run->op[0].name.len || run->document.len == 0)
        return;
    if (read_again(&again, a, arena, &ignored) == TTP_OK && again.ops == run->ops)
        run->op = again.op;
}

/* One run, as much of it as can be read. */
static ttp_code take_over(struct adding *a, struct ttp_store *from, int64_t id,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    static const unsigned less[] = {TTP_PARTS_ALL, TTP_PART_MEASURES | TTP_PART_DOCUMENT,
                                    TTP_PART_DOCUMENT, TTP_PART_MEASURES | TTP_PART_OPS,
                                    TTP_PART_MEASURES};
    struct ttp_history_run run;
    ttp_code rc = TTP_EPARSE;

    for (size_t i = 0; i < TTP_COUNT(less) && rc != TTP_OK; i++) {
        rc = ttp_store_read(&run, from, id, less[i], arena, err);
        if (rc == TTP_OK && less[i] == TTP_PART_DOCUMENT)
            rc = read_again(&run, a, arena, err);
    }
    if (rc != TTP_OK) {
        ttp_ctx_warn(a->j->ctx, "run %lld is lost: %s", (long long)id, err->text);
        a->failed++;
        return TTP_OK;
    }
    add_settings(&run, a, arena);
    return add_one(a, &run, arena, err);
}

static ttp_code add_store(struct adding *a, const char *path, struct ttp_err *err)
{
    const bool file = strstr(path, "://") == NULL;
    struct ttp_store *from = NULL;
    struct ttp_arena arena = {0};
    struct ttp_progress progress;
    int64_t *id;
    size_t count = 0;
    char line[64];

    ttp_code rc = ttp_store_open(&from, path, file ? TTP_STORE_SALVAGE : TTP_STORE_READ, err);
    if (rc == TTP_OK)
        rc = ttp_store_ids(&id, &count, from, a->j->ctx->arena, err);
    ttp_progress_init(&progress, "", 0, !a->j->ctx->quiet);
    for (size_t i = 0; rc == TTP_OK && i < count; i++) {
        rc = take_over(a, from, id[i], &arena, err);
        ttp_arena_reset(&arena);
        (void)snprintf(line, sizeof(line), "run %zu of %zu", i + 1, count);
        ttp_progress_say(&progress, line);
    }
    ttp_progress_clear(&progress);
    ttp_arena_free(&arena);
    ttp_store_close(from);
    return rc;
}

/* ---- all of them ---- */

static ttp_code begin(struct adding *a, struct ttp_err *err)
{
    const struct history_opts *o = a->j->options;

    if (o->time && !ttp_iso_parse(&a->time_ns, ttp_str_from(o->time))) {
        ttp_fail(err, TTP_EUSAGE, "--time: '%.60s' is not a valid time", o->time);
        ttp_err_hint(err, "for example 2026-11-15, 2026-11-15T23:47 or 2026-11-15T23:47:51+01:00");
        return TTP_EUSAGE;
    }
    return TTP_OK;
}

static ttp_code finish(struct adding *a, const char *action, struct ttp_err *err)
{
    const struct ttp_ctx *ctx = a->j->ctx;
    const struct ttp_history_about about = history_about(a->j, action, false);
    struct ttp_show show = history_how(a->j, 0);
    struct ttp_words inputs = {0};

    if (show.form != TTP_FORM_TEXT) {
        for (size_t i = 0; i < a->j->operands.count; i++) /* one may be a server, with a password */
            ttp_words_add(&inputs, ttp_secrets_mask_string(a->j->operands.word[i], ctx->arena),
                          ctx->arena);
        show.inputs = &inputs;
        a->told.lost = a->failed;
        return ttp_out_history_added(&show, &about, &a->told, err);
    }
    if (!a->import)
        return TTP_OK;
    ttp_sink_printf(ctx->out, "%zu run%s added, %zu already present", a->added,
                    a->added == 1 ? "" : "s", a->known);
    if (a->failed)
        ttp_sink_printf(ctx->out, ", %zu lost", a->failed);
    ttp_sink_char(ctx->out, '\n');
    return TTP_OK;
}

ttp_code history_add(int *status, struct history_job *j, struct ttp_err *err)
{
    struct adding a = {.j = j};

    (void)status;
    TTP_TRY(begin(&a, err));
    for (size_t i = 0; i < j->operands.count; i++)
        TTP_TRY(add_file(&a, j->operands.word[i], err));
    return finish(&a, "add", err);
}

ttp_code history_import(int *status, struct history_job *j, struct ttp_err *err)
{
    struct adding a = {.j = j, .import = true};

    (void)status;
    TTP_TRY(begin(&a, err));
    for (size_t i = 0; i < j->operands.count; i++) {
        const ttp_code rc = is_store(j->operands.word[i]) ? add_store(&a, j->operands.word[i], err)
                                                          : add_file(&a, j->operands.word[i], err);

        if (rc != TTP_OK && (a.added || a.known))
            ttp_ctx_say(j->ctx, "%zu runs were added before the error, %zu were already present",
                        a.added, a.known);
        if (rc != TTP_OK)
            return rc;
    }
    return finish(&a, "import", err);
}

ttp_code history_note(int *status, struct history_job *j, struct ttp_err *err)
{
    int64_t id = 0;

    (void)status;
    TTP_TRY(ttp_store_find_run(&id, j->store, j->operands.word[0], j->ctx->arena, err));
    TTP_TRY(ttp_store_add_note(
        j->store, id, ttp_secrets_mask_text(ttp_str_from(j->operands.word[1]), j->ctx->arena),
        err));
    ttp_sink_printf(j->ctx->out, "added a note to run %lld\n", (long long)id);
    return TTP_OK;
}
