/* SPDX-License-Identifier: Apache-2.0 */
/* db_sqlite.c - the history in a file: SQLite with a write-ahead log that is synced at every
 * commit.
 *
 * The file may be of someone else's making: nothing in its schema is executed (no triggers, views
 * or functions), and no statement runs for longer than a minute. */
#include "store/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "base/vec.h"

#ifdef TTP_HAVE_SQLITE
#include "base/sqlite_library.h"

/* Statements that are still prepared: a store asks the same few questions again and again. */
#define STATEMENTS 24
/* As long as one writer may keep the others waiting. */
#define BUSY_MS 60000
/* As long as one statement may work, and how often we look at the clock meanwhile. */
#define STATEMENT_S 50
#define STEPS       20000
/* A file up to this size is checked completely when it is opened: it takes milliseconds. */
#define QUICK_CHECK_BYTES ((uint64_t)16 << 20)

struct sqlite_db {
    struct ttp_db db;
    struct ttp_arena arena;
    struct ttp_sqlite_api api;
    sqlite3 *handle;
    const char *path;
    const char *repaired; /* a folder with a copy that has a new head; NULL: none was needed */
    bool salvage;
    uint64_t until_ns; /* the statement running must be done */
    sqlite3_stmt *prepared[STATEMENTS];
    size_t next;
};

static const char no_library[] = "install libsqlite3-0, or give a PostgreSQL database with --store";

static ttp_code fail_full(const struct sqlite_db *d, const char *why, struct ttp_err *err)
{
    ttp_fail(err, TTP_EIO, "cannot write '%s': %s; existing data is unchanged", d->path, why);
    ttp_err_hint(err, "free disk space, then try again");
    return TTP_EIO;
}

/* Was it on the way to the disk? SQLite does not always keep the system's reason. */
static bool is_write(int rc)
{
    return rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_TRUNCATE || rc == SQLITE_IOERR_SHMSIZE ||
           rc == SQLITE_IOERR_SHMMAP;
}

/* What SQLite says, in our words. */
static ttp_code fail_sqlite(const struct sqlite_db *d, int rc, struct ttp_err *err)
{
    const int os = d->handle ? d->api.system_errno(d->handle) : 0;
    const char *message = d->handle ? d->api.errmsg(d->handle) : "out of memory";

    switch (rc & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        ttp_fail(err, TTP_EPARSE, "'%s' is damaged: %s", d->path, message);
        if (!d->salvage)
            ttp_store_db_keep_damaged(d->path, err);
        return TTP_EPARSE;
    case SQLITE_FULL:
        return fail_full(d, "the disk is full", err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        ttp_fail(err, TTP_EIO, "'%s' is locked: others have been writing to it for %d s", d->path,
                 BUSY_MS / 1000);
        ttp_err_hint(err, "try again later");
        return TTP_EIO;
    case SQLITE_INTERRUPT:
        ttp_fail(err, TTP_ETIMEOUT, "'%s': a statement took longer than %d s", d->path,
                 STATEMENT_S);
        ttp_err_hint(err, "nothing was changed; the disk may be slow, or the file may not be a "
                          "tt-perf history");
        return TTP_ETIMEOUT;
    case SQLITE_IOERR:
        if (os == ENOSPC || os == EFBIG || os == EDQUOT || (os == 0 && is_write(rc)))
            return fail_full(d, os == EFBIG ? "the file may not grow" : "the disk is full", err);
        break;
    default:
        break;
    }
    /* that of a file next to it which SQLite only looked for */
    const bool others = os == ENOENT && ttp_file_exists(d->path);
    if (os == 0 || others)
        return ttp_fail(err, TTP_EIO, "'%s': %s", d->path, message);
    errno = os;
    return ttp_fail_errno(err, "'%s': %s", d->path, message);
}

static void forget_statements(struct sqlite_db *d)
{
    for (size_t i = 0; i < STATEMENTS; i++) {
        d->api.finalize(d->prepared[i]);
        d->prepared[i] = NULL;
    }
}

static void close_sqlite(struct ttp_db *db)
{
    struct sqlite_db *d = (struct sqlite_db *)db;
    struct ttp_arena arena = d->arena;

    forget_statements(d);
    d->api.close(d->handle);
    if (d->repaired)
        ttp_temp_dir_end(d->repaired);
    ttp_arena_free(&arena);
}

static ttp_code prepare(sqlite3_stmt **out, struct sqlite_db *d, const char *sql,
                        struct ttp_err *err)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        if (d->prepared[i] && strcmp(d->api.sql(d->prepared[i]), sql) == 0) {
            *out = d->prepared[i];
            return TTP_OK;
        }
    const size_t slot = d->next++ % STATEMENTS;
    d->api.finalize(d->prepared[slot]);
    d->prepared[slot] = NULL;
    const int rc = d->api.prepare_v2(d->handle, sql, -1, out, NULL);
    if (rc != SQLITE_OK)
        return fail_sqlite(d, rc, err);
    d->prepared[slot] = *out;
    return TTP_OK;
}

static int bind(const struct sqlite_db *d, sqlite3_stmt *stmt, int at, const struct ttp_db_value *v)
{
    if (v->null)
        return d->api.bind_null(stmt, at);
    switch (v->type) {
    case TTP_DB_INT:
        return d->api.bind_int64(stmt, at, v->i);
    case TTP_DB_REAL:
        return d->api.bind_double(stmt, at, v->f);
    case TTP_DB_TEXT:
        return d->api.bind_text64(stmt, at, v->s.len ? v->s.ptr : "", v->s.len, SQLITE_STATIC,
                                  SQLITE_UTF8);
    default:
        return d->api.bind_blob64(stmt, at, v->s.len ? v->s.ptr : "", v->s.len, SQLITE_STATIC);
    }
}

static struct ttp_db_value cell(const struct sqlite_db *d, sqlite3_stmt *stmt, int at,
                                struct ttp_arena *arena)
{
    const int type = d->api.column_type(stmt, at);
    ttp_str bytes;

    if (type == SQLITE_INTEGER)
        return ttp_db_int(d->api.column_int64(stmt, at));
    if (type == SQLITE_FLOAT)
        return ttp_db_real(d->api.column_double(stmt, at));
    if (type == SQLITE_NULL)
        return (struct ttp_db_value){.null = true};
    bytes.ptr = type == SQLITE_TEXT ? (const char *)d->api.column_text(stmt, at)
                                    : d->api.column_blob(stmt, at);
    bytes.len = (size_t)d->api.column_bytes(stmt, at);
    return (struct ttp_db_value){.type = type == SQLITE_TEXT ? TTP_DB_TEXT : TTP_DB_BLOB,
                                 .s = ttp_arena_copy(arena, bytes)};
}

static void add_row(struct ttp_db_table *out, size_t *cap, const struct sqlite_db *d,
                    sqlite3_stmt *stmt, struct ttp_arena *arena)
{
    TTP_RESERVE(arena, out->cell, (out->rows + 1) * out->columns, *cap);
    for (size_t c = 0; c < out->columns; c++)
        out->cell[out->rows * out->columns + c] = cell(d, stmt, (int)c, arena);
    out->rows++;
}

static void start_clock(struct sqlite_db *d)
{
    d->until_ns = ttp_clock_ns() + STATEMENT_S * 1000000000ull;
}

static int watch_clock(void *arg)
{
    const struct sqlite_db *d = arg;

    return ttp_clock_ns() > d->until_ns;
}

static ttp_code query_sqlite(struct ttp_db *db, struct ttp_db_table *out, const struct ttp_sql *sql,
                             struct ttp_arena *arena, struct ttp_err *err)
{
    struct sqlite_db *d = (struct sqlite_db *)db;
    sqlite3_stmt *stmt = NULL;
    size_t cap = 0;
    int rc = SQLITE_OK;

    start_clock(d);
    TTP_TRY(prepare(&stmt, d, sql->text, err));
    if (!stmt) /* only blanks and comments */
        return TTP_OK;
    /* SQLite numbers parameters as it meets them: ours first appear in order */
    for (size_t i = 0; i < sql->values && rc == SQLITE_OK; i++)
        rc = bind(d, stmt, (int)i + 1, &sql->value[i]);
    if (out)
        *out = (struct ttp_db_table){.columns = (size_t)d->api.column_count(stmt)};
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = d->api.step(stmt);
        if (rc == SQLITE_ROW && out)
            add_row(out, &cap, d, stmt, arena);
    }
    const ttp_code code = rc == SQLITE_DONE ? TTP_OK : fail_sqlite(d, rc, err);
    d->api.reset(stmt);
    return code;
}

static ttp_code open_scratch(struct ttp_db **out, struct ttp_err *err);

static const struct ttp_db_kind sqlite_kind = {
    .name = "SQLite",
    .begin = "BEGIN IMMEDIATE",
    .id = "INTEGER PRIMARY KEY AUTOINCREMENT",
    .blob = "BLOB",
    .real = "REAL",
    .clustered = "WITHOUT ROWID",
    .find_tables_sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'",
    .sql_schema = "",
    .mark = "PRAGMA application_id = 0x74747048",
    /* a log that many commits share; where the file may not be written it stays what it is */
    .before_writing = "PRAGMA journal_mode=WAL",
    .list_schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
    .open_scratch = open_scratch,
    .query = query_sqlite,
    .close = close_sqlite,
};

/* Anything but "ok" is damage that SQLite may not have met yet; or a page that could not be read,
 * or no memory for it: then the second look is another. */
static ttp_code quick_check(struct sqlite_db *d, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct ttp_db_table t = {0};
    bool sound = false;
    ttp_code rc = TTP_OK;

    for (int look = 0; look < 2 && rc == TTP_OK && !sound; look++) {
        rc = query_sqlite(&d->db, &t, &(struct ttp_sql){.text = "PRAGMA quick_check(1)"}, &scratch,
                          err);
        sound = t.rows == 1 && ttp_str_eq(ttp_store_db_get_text(&t, 0, 0), TTP_STR("ok"));
    }
    if (rc == TTP_OK && !sound) {
        rc = ttp_fail(err, TTP_EPARSE, "'%s' is damaged: %.*s", d->path,
                      TTP_FMT(ttp_str_slice(ttp_store_db_get_text(&t, 0, 0), 0, 120)));
        ttp_store_db_keep_damaged(d->path, err);
    }
    ttp_arena_free(&scratch);
    return rc;
}

static ttp_code run_pragmas(struct sqlite_db *d, const char *sql, struct ttp_err *err)
{
    start_clock(d);
    const int rc = d->api.exec(d->handle, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? TTP_OK : fail_sqlite(d, rc, err);
}

static ttp_code harden(struct sqlite_db *d, struct ttp_err *err)
{
    d->api.extended_result_codes(d->handle, 1);
    d->api.busy_timeout(d->handle, BUSY_MS);
    d->api.progress_handler(d->handle, STEPS, watch_clock, d);
    start_clock(d);
    const int rc = ttp_sqlite_harden(&d->api, d->handle);
    return rc == SQLITE_OK ? TTP_OK : fail_sqlite(d, rc, err);
}

static ttp_code set_up(struct sqlite_db *d, enum ttp_store_mode mode, bool empty,
                       struct ttp_err *err)
{
    TTP_TRY(harden(d, err));
    if (mode == TTP_STORE_SALVAGE) { /* its log is read, and left where it is */
        d->api.db_config(d->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        return TTP_OK;
    }
    /* FULL: with a write-ahead log only this makes a commit last through a loss of power */
    TTP_TRY(run_pragmas(d, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF;", err));
    if (!empty && ttp_file_size(d->path) <= QUICK_CHECK_BYTES)
        TTP_TRY(quick_check(d, err));
    return run_pragmas(d, "PRAGMA cache_size=-16384;", err);
}

static ttp_code make_folder(const char *path, struct ttp_arena *arena, struct ttp_err *err)
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return TTP_OK;
    return ttp_file_make_dirs(ttp_arena_zstr(arena, (ttp_str){path, (size_t)(slash - path)}), err);
}

/* A new history is for its owner alone; SQLite gives the files next to it the same permissions. */
static ttp_code make_file(const char *path, struct ttp_err *err)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return errno == EEXIST ? TTP_OK : ttp_fail_errno(err, "cannot write '%s'", path);
    close(fd);
    return TTP_OK;
}

static ttp_code open_handle(struct sqlite_db *d, enum ttp_store_mode mode, struct ttp_err *err)
{
    const bool writable = !ttp_file_exists(d->path) || access(d->path, W_OK) == 0;
    const int flags =
        writable ? SQLITE_OPEN_READWRITE | (mode == TTP_STORE_WRITE ? SQLITE_OPEN_CREATE : 0)
                 : SQLITE_OPEN_READONLY;
    /* a file that SQLite may not write, nor its folder, is read as one that does not change */
    const bool frozen = !writable && !ttp_store_db_has_log(d->path);
    const int rc = ttp_sqlite_open_file(&d->handle, &d->api, d->path, flags, frozen);

    if (mode == TTP_STORE_WRITE && !writable) {
        errno = EACCES;
        return ttp_fail_errno(err, "cannot write '%s'", d->path);
    }
    return rc == SQLITE_OK ? TTP_OK : fail_sqlite(d, rc, err);
}

/* An empty database that is in memory only. */
static ttp_code open_scratch(struct ttp_db **out, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct sqlite_db *d = TTP_NEW(&arena, struct sqlite_db, 1);

    *d = (struct sqlite_db){.db = {&sqlite_kind}, .arena = arena, .path = ":memory:"};
    *out = &d->db;
    ttp_code rc = ttp_sqlite_load(&d->api, no_library, err);
    if (rc == TTP_OK) {
        const int opened = ttp_sqlite_open_file(&d->handle, &d->api, d->path,
                                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false);
        rc = opened == SQLITE_OK ? TTP_OK : fail_sqlite(d, opened, err);
    }
    if (rc != TTP_OK) {
        close_sqlite(&d->db);
        *out = NULL;
    } else {
        start_clock(d);
    }
    return rc;
}

ttp_code ttp_store_db_open_sqlite(struct ttp_db **out, const char *path, enum ttp_store_mode mode,
                                  struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct sqlite_db *d = TTP_NEW(&arena, struct sqlite_db, 1);
    bool empty = true;
    ttp_code rc;

    *out = NULL;
    *d = (struct sqlite_db){.db = {&sqlite_kind}, .salvage = mode == TTP_STORE_SALVAGE};
    d->path = ttp_arena_zstr(&arena, ttp_str_from(path));
    d->arena = arena;
    rc = ttp_sqlite_load(&d->api, no_library, err);
    if (rc == TTP_OK && mode == TTP_STORE_WRITE)
        rc = make_folder(path, &d->arena, err);
    if (rc == TTP_OK && ttp_file_is_dir(path)) {
        rc = ttp_fail(err, TTP_EIO, "'%s' is a folder, not a history file", path);
        ttp_err_hint(err, "give a file in it: --store %s/history.db", path);
    }
    if (rc == TTP_OK && mode != TTP_STORE_WRITE && ttp_file_size(path) == 0) {
        rc = ttp_fail(err, TTP_ENOTFOUND, "no history in '%s' yet", path);
        ttp_err_hint(err,
                     "create one with 'tt-perf history add RUN', or choose another with --store");
    }
    if (rc == TTP_OK && mode != TTP_STORE_SALVAGE)
        rc = ttp_store_db_check_file(&empty, path, err);
    if (rc == TTP_OK && mode == TTP_STORE_SALVAGE)
        rc = ttp_store_db_repair_head(&d->path, &d->repaired, &d->arena, err);
    if (rc == TTP_OK && mode == TTP_STORE_WRITE)
        rc = make_file(path, err);
    if (rc == TTP_OK)
        rc = open_handle(d, mode, err);
    if (rc == TTP_OK)
        rc = set_up(d, mode, empty, err);
    if (rc == TTP_OK) {
        *out = &d->db;
        return TTP_OK;
    }
    arena = d->arena;
    if (d->handle) {
        close_sqlite(&d->db);
        return rc;
    }
    if (d->repaired)
        ttp_temp_dir_end(d->repaired);
    ttp_arena_free(&arena);
    return rc;
}

#else

ttp_code ttp_store_db_open_sqlite(struct ttp_db **out, const char *path, enum ttp_store_mode mode,
                                  struct ttp_err *err)
{
    (void)path, (void)mode;
    *out = NULL;
    return ttp_fail_unbuilt(err, "SQLite", "libsqlite3-dev",
                            "give a PostgreSQL database with --store");
}

#endif
