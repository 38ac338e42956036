/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a recorded run besides its logs, and whether the logs in a folder are still those of
 * that run. A log is reported by its size and by bytes from all over it: the times in it are those
 * of one run only. When a file was changed proves nothing, as copies show. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/outsink.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "base/version.h"
#include "logs/logs.h"

#define FACTS_MAX ((size_t)1 << 20)
#define FORMAT    "tt-perf.run-1"
/* Of a command. */
#define STATUS_MAX 255

enum { WINDOWS = 16, WINDOW_BYTES = 16384 };

static const struct {
    const char *name;
    enum ttp_run_part part;
} known[] = {
    {"tracy_ops_data.csv", TTP_RUN_HOST},       {"tracy_ops_times.csv", TTP_RUN_HOST},
    {"profile_log_device.csv", TTP_RUN_DEVICE}, {"cpp_device_perf_report.csv", TTP_RUN_DEVICE},
    {"zone_src_locations.log", TTP_RUN_DEVICE}, {"sync_device_info.csv", TTP_RUN_DEVICE},
};

/* ---- what tells a file ---- */

static bool read_at(int fd, char *to, size_t n, uint64_t at)
{
    while (n) {
        const ssize_t got = pread(fd, to, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
        at += (uint64_t)got;
    }
    return true;
}

/* Of the first `size` bytes: all, or windows at equal distances, the first and the last among
 * them. */
static bool digest(char out[TTP_SHA256_HEX + 1], int fd, uint64_t size, struct ttp_arena *arena)
{
    const size_t all = (size_t)WINDOWS * WINDOW_BYTES;
    char *bytes = ttp_arena_bytes(arena, all);
    size_t len = 0;

    if (size <= all) {
        len = (size_t)size;
        if (!read_at(fd, bytes, len, 0))
            return false;
    }
    for (uint64_t i = 0; size > all && i < WINDOWS; i++, len += WINDOW_BYTES)
        if (!read_at(fd, bytes + len, WINDOW_BYTES, (size - WINDOW_BYTES) / (WINDOWS - 1) * i))
            return false;
    ttp_sha256_hex(out, (ttp_str){bytes, len});
    return true;
}

/* `size` UINT64_MAX: as large as it is. False: there is no such file, or it is shorter. */
static bool tell_file(struct ttp_run_file *out, const char *path, uint64_t size,
                      struct ttp_arena *arena)
{
    char hex[TTP_SHA256_HEX + 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    if (good) {
        out->size = (uint64_t)st.st_size;
        good = size == UINT64_MAX || size <= out->size;
        good = good && digest(hex, fd, size == UINT64_MAX ? out->size : size, arena);
    }
    if (good)
        out->digest = (ttp_str){ttp_arena_zstr(arena, ttp_str_from(hex)), TTP_SHA256_HEX};
    if (fd >= 0)
        close(fd);
    return good;
}

/* ---- writing ---- */

static void set_file(struct ttp_run_facts *facts, const struct ttp_run_file *file,
                     struct ttp_arena *arena)
{
    for (size_t i = 0; i < facts->nfiles; i++)
        if (ttp_str_eq(facts->file[i].name, file->name)) {
            facts->file[i] = *file;
            return;
        }
    *TTP_PUSH(arena, facts->file, facts->nfiles) = *file;
}

void ttp_logs_run_facts_note(struct ttp_run_facts *facts, const char *folder,
                             enum ttp_run_part part, struct ttp_arena *arena)
{
    for (size_t i = 0; i < TTP_COUNT(known); i++) {
        struct ttp_run_file file = {.name = ttp_str_from(known[i].name)};

        if (known[i].part == part &&
            tell_file(&file, ttp_file_join(folder, known[i].name, arena), UINT64_MAX, arena))
            set_file(facts, &file, arena);
    }
}

static void put_str(struct ttp_json_writer *w, const char *key, ttp_str value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, value);
}

static void put_u64(struct ttp_json_writer *w, const char *key, uint64_t value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_u64(w, value);
}

static void put_bool(struct ttp_json_writer *w, const char *key, bool value)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_bool(w, value);
}

static void put_facts(struct ttp_json_writer *w, const struct ttp_run_facts *f)
{
    ttp_json_begin_object(w);
    put_str(w, "format", TTP_STR(FORMAT));
    put_str(w, "tt_perf", ttp_str_from(ttp_version));
    put_str(w, "host", f->host);
    put_str(w, "boot_id", f->boot_id);
    put_u64(w, "record_pid", f->record_pid);
    put_u64(w, "client_pid", f->client_pid);
    put_u64(w, "started_us", f->started_us);
    put_u64(w, "elapsed_us", f->elapsed_us);
    if (f->ended) {
        put_u64(w, "status", (uint64_t)f->status);
        put_bool(w, "interrupted", f->interrupted);
        put_bool(w, "cut", f->cut);
    }
    put_bool(w, "disputed", f->disputed);
    ttp_json_put_key(w, TTP_STR("files"));
    ttp_json_begin_array(w);
    for (size_t i = 0; i < f->nfiles; i++) {
        ttp_json_begin_object(w);
        put_str(w, "name", f->file[i].name);
        put_u64(w, "size", f->file[i].size);
        put_str(w, "digest", f->file[i].digest);
        ttp_json_end_object(w);
    }
    ttp_json_end_array(w);
    ttp_json_end_object(w);
}

ttp_code ttp_logs_run_facts_write(const struct ttp_run_facts *facts, const char *folder,
                                  struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_outsink out;

    TTP_TRY(ttp_outsink_open(&out, ttp_file_join(folder, TTP_RUN_FACTS, arena), err));
    struct ttp_json_writer w = {.sink = &out.sink, .indent = true};
    put_facts(&w, facts);
    ttp_sink_char(&out.sink, '\n');
    return ttp_outsink_close(&out, TTP_OK, err);
}

/* ---- reading ---- */

/* Large numbers are written as text. */
static uint64_t number_of(const struct ttp_node *n, const char *key)
{
    const struct ttp_node *member = ttp_node_get(n, key);
    uint64_t v;

    return member && ttp_str_to_u64(member->text, &v) ? v : 0;
}

static void take_facts(struct ttp_run_facts *out, const struct ttp_node *n, struct ttp_arena *arena)
{
    out->host = ttp_node_str_of(n, "host");
    out->boot_id = ttp_node_str_of(n, "boot_id");
    out->record_pid = number_of(n, "record_pid");
    out->client_pid = number_of(n, "client_pid");
    out->started_us = number_of(n, "started_us");
    out->elapsed_us = number_of(n, "elapsed_us");
    out->ended = ttp_node_get(n, "status") && number_of(n, "status") <= STATUS_MAX;
    out->status = out->ended ? (int)number_of(n, "status") : 0;
    out->interrupted = out->ended && ttp_node_true_of(n, "interrupted");
    out->cut = out->ended && ttp_node_true_of(n, "cut");
    out->disputed = ttp_node_true_of(n, "disputed");
    for (const struct ttp_node *f = ttp_node_first_of(n, "files"); f; f = f->next) {
        const struct ttp_run_file file = {.name = ttp_node_str_of(f, "name"),
                                          .size = number_of(f, "size"),
                                          .digest = ttp_node_str_of(f, "digest")};

        if (file.name.len && file.digest.len == TTP_SHA256_HEX && out->nfiles < TTP_COUNT(known))
            set_file(out, &file, arena);
    }
}

static ttp_code parse(struct ttp_run_facts *out, ttp_str text, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    struct ttp_node *n = NULL;

    if (text.len > FACTS_MAX)
        return ttp_fail(err, TTP_ELIMIT, "too large for a run description");
    TTP_TRY(ttp_json_tree(&n, text, arena, err));
    if (!ttp_str_eq(ttp_node_str_of(n, "format"), TTP_STR(FORMAT)))
        return ttp_fail(err, TTP_EPARSE, "not a run description of format " FORMAT);
    take_facts(out, n, arena);
    return TTP_OK;
}

ttp_code ttp_logs_run_facts_read(struct ttp_run_facts *out, bool *found, const char *folder,
                                 struct ttp_arena *arena, struct ttp_err *err)
{
    const char *path = ttp_file_join(folder, TTP_RUN_FACTS, arena);
    struct ttp_file file;

    *out = (struct ttp_run_facts){0};
    *found = ttp_file_exists(path);
    if (!*found)
        return TTP_OK;
    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc = parse(out, ttp_arena_copy(arena, file.text), arena, err);
    ttp_file_close(&file);
    if (rc != TTP_OK) {
        ttp_err_where(err, path, 0);
        ttp_err_hint(err, "it identifies the run of the logs next to it; remove it to skip "
                          "this check");
    }
    return rc;
}

/* ---- checking ---- */

enum sameness { NOT_KNOWN, SAME, OTHER };

/* A log, and whether it is the one that the run had. */
struct seen {
    const char *path, *name;
    const struct ttp_run_file *then;
    struct ttp_run_file now;
    enum sameness is;
};

static struct seen look_at(const struct ttp_run_facts *facts, const char *path,
                           struct ttp_arena *arena)
{
    struct seen s = {.path = path};

    if (!path)
        return s;
    const char *slash = strrchr(path, '/');
    s.name = slash ? slash + 1 : path;
    for (size_t i = 0; i < facts->nfiles && !s.then; i++)
        if (ttp_str_eq(facts->file[i].name, ttp_str_from(s.name)))
            s.then = &facts->file[i];
    if (!s.then) /* packed since, or put next to the others by hand */
        return s;
    /* one that has only grown is still of that run */
    s.is = tell_file(&s.now, path, s.then->size, arena) && ttp_str_eq(s.now.digest, s.then->digest)
               ? SAME
               : OTHER;
    return s;
}

static ttp_code other_run(const struct seen *other, const struct seen *same, struct ttp_err *err)
{
    if (other->now.size == other->then->size)
        ttp_fail(err, TTP_EPARSE,
                 "logs of different runs: the content of '%.60s' differs from the run of '%.60s'",
                 other->name, same->name);
    else
        ttp_fail(err, TTP_EPARSE,
                 "logs of different runs: '%.60s' has %" PRIu64 " bytes, and had %" PRIu64
                 " in the run of '%.60s'",
                 other->name, other->now.size, other->then->size, same->name);
    ttp_err_hint(err, "keep the logs of one run together, or record again; if you changed the "
                      "file yourself, remove '" TTP_RUN_FACTS "' next to it");
    ttp_err_where(err, other->path, 0);
    return TTP_EPARSE;
}

static ttp_code is_disputed(const struct ttp_log_paths *paths, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE,
             "several processes of the run used the same device and wrote its log here: they "
             "cannot be told apart");
    ttp_err_hint(err, "set a different TT_METAL_PROFILER_DIR for each and record again, or use "
                      "only the device log with --device-only");
    ttp_err_where(err, paths->device ? paths->device : paths->cpp, 0);
    return TTP_EPARSE;
}

ttp_code ttp_logs_check_run(struct ttp_run_facts *facts, const struct ttp_log_paths *paths,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    const char *const path[] = {paths->messages, paths->zones, paths->device, paths->cpp};
    const struct seen *same = NULL, *other = NULL;
    struct seen seen[TTP_COUNT(path)];
    bool found;

    *facts = (struct ttp_run_facts){0};
    if (!paths->folder)
        return TTP_OK;
    TTP_TRY(ttp_logs_run_facts_read(facts, &found, paths->folder, arena, err));
    for (size_t i = 0; i < TTP_COUNT(path); i++) {
        seen[i] = look_at(facts, path[i], arena);
        if (seen[i].is == SAME && !same)
            same = &seen[i];
        if (seen[i].is == OTHER && !other)
            other = &seen[i];
    }
    if (same && other)
        return other_run(other, same, err);
    if (facts->disputed && !other && paths->messages && (paths->device || paths->cpp))
        return is_disputed(paths, err);
    if (other) /* all of another run, which did not say so: nothing is known of that */
        *facts = (struct ttp_run_facts){0};
    return TTP_OK;
}
