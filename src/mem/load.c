/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - from the operands to all known memory use of a run. */
#include "base/content.h"
#include "base/file.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "mem/mem_parts.h"

struct loader {
    struct ttp_mem_run *out;
    const struct ttp_mem_options *options;
    struct ttp_arena *arena;
};

static ttp_code load_shm(struct ttp_mem_shm_file *f, const char *path, struct ttp_err *err)
{
    f->path = path;
    f->code = ttp_mem_read_shm(&f->shm, path, err);
    return f->code;
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity): one line for each kind */
static ttp_code load_kind(struct loader *l, const char *path, enum ttp_mem_file_kind kind,
                          struct ttp_err *err)
{
    struct ttp_mem_run *out = l->out;

    switch (kind) {
    case TTP_MEM_FILE_CAPTURE:
        return ttp_mem_read_capture(TTP_PUSH(l->arena, out->capture, out->captures), path,
                                    l->options, l->arena, err);
    case TTP_MEM_FILE_DATABASE:
        return ttp_mem_read_database(TTP_PUSH(l->arena, out->database, out->databases), path,
                                     l->arena, err);
    case TTP_MEM_FILE_REPORT:
        return ttp_mem_read_report(TTP_PUSH(l->arena, out->report, out->reports), path, l->arena,
                                   err);
    case TTP_MEM_FILE_BUFFER_LOG:
        return ttp_mem_read_buffer_log(TTP_PUSH(l->arena, out->buffer_log, out->buffer_logs), path,
                                       l->arena, err);
    case TTP_MEM_FILE_SHM:
        return load_shm(TTP_PUSH(l->arena, out->shm, out->shms), path, err);
    case TTP_MEM_FILE_LOG:
        return ttp_mem_read_log(&out->failures, path, l->arena, err);
    default:
        return TTP_OK;
    }
}

/* --- a file that is named --- */

static ttp_code load_file(struct loader *l, const char *path, struct ttp_err *err)
{
    if (strcmp(path, "-") == 0) /* standard input is read once, as text */
        return load_kind(l, path, TTP_MEM_FILE_LOG, err);
    enum ttp_mem_file_kind kind = ttp_mem_file_kind(path);
    struct ttp_file file;

    if (kind == TTP_MEM_FILE_OTHER && ttp_capture_trace_detect_file(path) != TTP_TRACE_NONE)
        return ttp_mem_read_recording(TTP_PUSH(l->arena, l->out->buffer_log, l->out->buffer_logs),
                                      path, l->arena, err);
    if (kind == TTP_MEM_FILE_OTHER) {
        TTP_TRY(ttp_file_map(&file, path, err));
        const ttp_str head = ttp_str_slice(file.text, 0, 4096);
        const ttp_str text = ttp_str_trim(head);
        const bool json = ttp_str_starts(text, TTP_STR("{")) || ttp_str_starts(text, TTP_STR("["));
        const char *what = ttp_content_kind(head);

        kind = json ? TTP_MEM_FILE_CAPTURE : what ? TTP_MEM_FILE_OTHER : TTP_MEM_FILE_LOG;
        const bool empty = file.text.len == 0;
        const uint64_t bytes = file.text.len, whole = ttp_content_sqlite_bytes(head);
        ttp_file_close(&file);
        if (bytes < whole) {
            ttp_fail(err, TTP_EPARSE, "'%s' is truncated: it has %llu of %llu bytes", path,
                     (unsigned long long)bytes, (unsigned long long)whole);
            ttp_err_hint(err, "copy the database again, with its -wal file if there is one");
            return TTP_EPARSE;
        }
        if (empty || kind == TTP_MEM_FILE_OTHER) {
            ttp_fail(err, TTP_EPARSE, "'%s' has no memory data: it is %s", path,
                     empty ? "empty" : what);
            ttp_err_hint(err, "give a graph capture, db.sqlite, a memory report or a text log");
            ttp_err_where(err, path, 0);
            return TTP_EPARSE;
        }
    }
    if (kind == TTP_MEM_FILE_LOG && !l->out->beside)
        l->out->beside = ttp_mem_find_beside(path, l->arena);
    return load_kind(l, path, kind, err);
}

/* --- a folder --- */

/* May it be one of ours, by its name? What is large and of others is not opened. */
static bool is_candidate(const char *name)
{
    static const ttp_str ends[] = {TTP_STR(".json"),
                                   TTP_STR(".json.gz"),
                                   TTP_STR(".json.zst"),
                                   TTP_STR(".sqlite"),
                                   TTP_STR(".db"),
                                   TTP_STR("_usage.csv"),
                                   TTP_STR("_usage_summary.csv"),
                                   TTP_STR("_buffers_log.yaml"),
                                   TTP_STR(".log"),
                                   TTP_STR(".txt")};

    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_ends(ttp_str_from(name), ends[i]))
            return true;
    return ttp_mem_is_shm_name(name);
}

static size_t found(const struct ttp_mem_run *out)
{
    return out->captures + out->databases + out->reports + out->buffer_logs + out->shms +
           out->failures.count;
}

static ttp_code load_folder(struct loader *l, const char *dir, struct ttp_err *err)
{
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, dir, l->arena, err));
    for (size_t i = 0; i < names.count; i++) {
        if (!is_candidate(names.word[i]))
            continue;
        const char *path = ttp_file_join(dir, names.word[i], l->arena);
        const enum ttp_mem_file_kind kind = ttp_mem_file_kind(path);
        const ttp_code rc = load_kind(l, path, kind, err);

        /* counters of one chip that are of another version do not hide those of the others */
        if (rc != TTP_OK && kind != TTP_MEM_FILE_SHM)
            return rc;
    }
    return TTP_OK;
}

static ttp_code load_folders(struct loader *l, const char *dir, struct ttp_err *err)
{
    static const char *const below[] = {"inspector", "reports", "shm", "generated/inspector",
                                        "generated/reports"};

    TTP_TRY(load_folder(l, dir, err));
    for (size_t i = 0; i < TTP_COUNT(below); i++) {
        const char *sub = ttp_file_join(dir, below[i], l->arena);

        if (ttp_file_is_dir(sub))
            TTP_TRY(load_folder(l, sub, err));
    }
    return TTP_OK;
}

/* L1 that is live on the fullest device at the end. */
static uint64_t live_at_end(const struct ttp_mem_capture *c)
{
    uint64_t most = 0;

    for (size_t d = 0; d < c->devices && c->ops; d++) {
        const uint64_t bytes = c->use[(c->ops - 1) * c->devices + d].end_l1;

        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The capture of the run that failed: what it holds at its end is what the message says, or its
 * last op never ended; else the first. */
static size_t capture_of(const struct ttp_mem_run *run, const struct ttp_mem_failure *f)
{
    size_t best = 0;
    int points = -1;

    for (size_t i = 0; i < run->captures; i++) {
        const struct ttp_mem_capture *c = &run->capture[i];
        const bool same = f->has_bank && live_at_end(c) == f->allocated;
        const bool cut = c->ops > 0 && !c->op[c->ops - 1].finished;
        const int here = (same ? 2 : 0) + (cut ? 1 : 0);

        if (here > points) {
            points = here;
            best = i;
        }
    }
    return best;
}

/* An error that a capture or a database reports. A log next to it, or the database made of a
 * capture, reports the same one again. */
static void add_error(struct loader *l, const char *path, const struct ttp_mem_error *e)
{
    struct ttp_mem_run *out = l->out;
    struct ttp_mem_failure f;

    if (ttp_mem_parse_failure(&f, e->message, l->arena)) {
        f.path = path;
        f.op = e->operation;
        for (size_t i = 0; i < out->failures.count; i++)
            if (ttp_mem_same_failure(&out->failures.item[i], &f)) {
                out->failures.item[i].op = e->operation;
                return;
            }
        *TTP_PUSH(l->arena, out->failures.item, out->failures.count) = f;
        return;
    }
    for (size_t i = 0; i < out->faileds; i++)
        if (ttp_str_eq(out->failed[i].error->operation, e->operation) &&
            ttp_str_eq(out->failed[i].error->message, e->message))
            return;
    *TTP_PUSH(l->arena, out->failed, out->faileds) =
        (struct ttp_mem_failed_op){path, e, ttp_str_eq(e->type, TTP_STR("incomplete_operation"))};
}

/* What ran when the allocation failed is the op that never ended. */
static void name_op(struct ttp_mem_failure *f, const struct ttp_mem_capture *c)
{
    const struct ttp_mem_op *last = c->ops ? &c->op[c->ops - 1] : NULL;

    if (!last || last->finished)
        return;
    if (!f->op.len)
        f->op = last->name;
    if (ttp_str_eq(f->op, last->name))
        f->op_id = last->id;
}

static void add_failures(struct loader *l)
{
    struct ttp_mem_run *out = l->out;

    for (size_t i = 0; i < out->captures; i++)
        for (size_t e = 0; e < out->capture[i].errors; e++)
            add_error(l, out->capture[i].path, &out->capture[i].error[e]);
    for (size_t i = 0; i < out->databases; i++) {
        const struct ttp_mem_database *d = &out->database[i];

        for (size_t r = 0; r < d->ranks; r++)
            for (size_t e = 0; e < d->rank[r].errors; e++)
                add_error(l, d->path, &d->rank[r].error[e]);
        for (size_t e = 0; e < d->errors; e++)
            add_error(l, d->path, &d->error[e]);
    }
    out->to_free = TTP_NEW(l->arena, struct ttp_mem_to_free, out->failures.count + 1);
    for (size_t i = 0; i < out->failures.count && out->captures; i++) {
        const size_t by = capture_of(out, &out->failures.item[i]);

        ttp_mem_explain(&out->to_free[i], &out->failures.item[i], &out->capture[by], l->arena);
        out->to_free[i].capture = by;
        name_op(&out->failures.item[i], &out->capture[by]);
    }
}

ttp_code ttp_mem_load(struct ttp_mem_run *out, const struct ttp_words *paths,
                      const struct ttp_mem_options *options, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    struct loader l = {.out = out, .options = options, .arena = arena};

    *out = (struct ttp_mem_run){0};
    for (size_t i = 0; i < paths->count; i++) {
        const size_t before = found(out);
        const bool dir = ttp_file_is_dir(paths->word[i]);

        TTP_TRY(dir ? load_folders(&l, paths->word[i], err) : load_file(&l, paths->word[i], err));
        if (found(out) > before)
            continue;
        if (!dir) {
            ttp_fail(err, TTP_EPARSE,
                     "'%s' has no memory data and no message of a failed allocation",
                     paths->word[i]);
            ttp_err_hint(err, "give a graph capture, db.sqlite, a memory report or the log of a "
                              "run that failed");
            ttp_err_where(err, paths->word[i], 0);
            return TTP_EPARSE;
        }
        ttp_fail(err, TTP_ENOTFOUND, "'%s' has no graph capture, database or memory report",
                 paths->word[i]);
        ttp_err_hint(err, "ttnn.graph.end_graph_capture_to_file() writes a capture, python -m "
                          "ttnn.graph_report its database");
        return TTP_ENOTFOUND;
    }
    add_failures(&l);
    return TTP_OK;
}

bool ttp_mem_has_finding(const struct ttp_mem_run *run)
{
    if (run->failures.count)
        return true;
    for (size_t i = 0; i < run->captures; i++) {
        const struct ttp_mem_capture *c = &run->capture[i];

        for (size_t k = 0; k < c->ops * c->devices; k++)
            if (c->use[k].has_headroom && c->use[k].headroom_min < 0)
                return true;
    }
    return false;
}

bool ttp_mem_is_live(const struct ttp_mem_buffer *b, uint32_t counter)
{
    return (b->alloc == TTP_MEM_NONE || b->alloc <= counter) &&
           (b->freed == TTP_MEM_NONE || b->freed > counter);
}
