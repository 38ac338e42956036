/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sqlite_read.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/sink.h"

#ifdef TTP_HAVE_SQLITE
#include "base/sqlite_library.h"

struct ttp_sqlite {
    struct ttp_arena arena;
    struct ttp_sqlite_api api;
    sqlite3 *handle;
    const char *path;
};

struct ttp_sqlite_rows {
    struct ttp_sqlite *db;
    sqlite3_stmt *stmt;
    struct ttp_arena arena;
};

static ttp_code fail_sqlite(const struct ttp_sqlite *db, int rc, struct ttp_err *err)
{
    const char *message = db->handle ? db->api.errmsg(db->handle) : "out of memory";
    const int kind = rc & 0xff;
    const bool io = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN || kind == SQLITE_FULL;

    ttp_fail(err, io ? TTP_EIO : TTP_EPARSE, "cannot read '%s' as a database: %s", db->path,
             message);
    ttp_err_where(err, db->path, 0);
    return io ? TTP_EIO : TTP_EPARSE;
}

/* SQLite takes an empty file for an empty database, and says of others only at the first look that
 * they are none. */
static ttp_code check_head(const char *path, struct ttp_err *err)
{
    char head[16] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return ttp_fail_errno(err, "cannot open '%s'", path);
    const ssize_t n = read(fd, head, sizeof(head));
    close(fd);
    if (n < 0)
        return ttp_fail_errno(err, "cannot read '%s'", path);
    if (memcmp(head, "SQLite format 3", sizeof(head)) == 0)
        return TTP_OK;
    ttp_fail_at(err, TTP_EPARSE, 0, "'%s' is not an SQLite database", path);
    ttp_err_where(err, path, 0);
    return TTP_EPARSE;
}

ttp_code ttp_sqlite_open(struct ttp_sqlite **out, const char *path, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_sqlite *db = TTP_NEW(&arena, struct ttp_sqlite, 1);

    *out = NULL;
    db->path = ttp_arena_zstr(&arena, ttp_str_from(path));
    ttp_code rc = check_head(path, err);
    if (rc == TTP_OK)
        rc = ttp_sqlite_load(&db->api, "install libsqlite3-0", err);
    if (rc == TTP_OK) {
        int opened = ttp_sqlite_open_file(&db->handle, &db->api, path, SQLITE_OPEN_READONLY, true);
        if (opened == SQLITE_OK)
            opened = ttp_sqlite_harden(&db->api, db->handle);
        if (opened == SQLITE_OK)
            opened = db->api.exec(db->handle, "PRAGMA cache_size=-8192;", NULL, NULL, NULL);
        rc = opened == SQLITE_OK ? TTP_OK : fail_sqlite(db, opened, err);
    }
    db->arena = arena;
    if (rc == TTP_OK)
        *out = db;
    else
        ttp_sqlite_close(db);
    return rc;
}

void ttp_sqlite_close(struct ttp_sqlite *db)
{
    if (!db)
        return;
    struct ttp_arena arena = db->arena;
    if (db->handle)
        db->api.close(db->handle);
    ttp_arena_free(&arena);
}

static int bind_values(const struct ttp_sqlite_rows *rows, const int64_t *value, size_t values)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < values && rc == SQLITE_OK; i++)
        rc = rows->db->api.bind_int64(rows->stmt, (int)i + 1, value[i]);
    return rc;
}

ttp_code ttp_sqlite_query(struct ttp_sqlite_rows **out, struct ttp_sqlite *db,
                          struct ttp_sqlite_sql q, struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct ttp_sqlite_rows *rows = TTP_NEW(&arena, struct ttp_sqlite_rows, 1);

    *out = NULL;
    rows->db = db;
    rows->arena = arena;
    int rc = db->api.prepare_v2(db->handle, q.sql, -1, &rows->stmt, NULL);
    if (rc == SQLITE_OK)
        rc = bind_values(rows, q.value, q.values);
    if (rc != SQLITE_OK) {
        const ttp_code code = fail_sqlite(db, rc, err);
        ttp_sqlite_rows_close(rows);
        return code;
    }
    *out = rows;
    return TTP_OK;
}

ttp_code ttp_sqlite_next(bool *more, struct ttp_sqlite_rows *rows, struct ttp_err *err)
{
    const int rc = rows->db->api.step(rows->stmt);

    *more = rc == SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TTP_OK : fail_sqlite(rows->db, rc, err);
}

ttp_code ttp_sqlite_again(struct ttp_sqlite_rows *rows, const int64_t *value, size_t values,
                          struct ttp_err *err)
{
    (void)rows->db->api.reset(rows->stmt);
    const int rc = bind_values(rows, value, values);
    return rc == SQLITE_OK ? TTP_OK : fail_sqlite(rows->db, rc, err);
}

void ttp_sqlite_rows_close(struct ttp_sqlite_rows *rows)
{
    if (!rows)
        return;
    struct ttp_arena arena = rows->arena;
    rows->db->api.finalize(rows->stmt);
    ttp_arena_free(&arena);
}

bool ttp_sqlite_is_null(const struct ttp_sqlite_rows *rows, int column)
{
    return rows->db->api.column_type(rows->stmt, column) == SQLITE_NULL;
}

int64_t ttp_sqlite_int(const struct ttp_sqlite_rows *rows, int column)
{
    return rows->db->api.column_int64(rows->stmt, column);
}

double ttp_sqlite_real(const struct ttp_sqlite_rows *rows, int column)
{
    return rows->db->api.column_double(rows->stmt, column);
}

ttp_str ttp_sqlite_text(const struct ttp_sqlite_rows *rows, int column)
{
    const char *text = (const char *)rows->db->api.column_text(rows->stmt, column);

    return text ? (ttp_str){text, (size_t)rows->db->api.column_bytes(rows->stmt, column)}
                : (ttp_str){"", 0};
}

#else

ttp_code ttp_sqlite_open(struct ttp_sqlite **out, const char *path, struct ttp_err *err)
{
    (void)path;
    *out = NULL;
    return ttp_fail_unbuilt(err, "SQLite", "libsqlite3-dev", NULL);
}

/* Reached only with an open file. */

void ttp_sqlite_close(struct ttp_sqlite *db)
{
    (void)db;
}

ttp_code ttp_sqlite_query(struct ttp_sqlite_rows **out, struct ttp_sqlite *db,
                          struct ttp_sqlite_sql q, struct ttp_err *err)
{
    (void)db, (void)q;
    *out = NULL;
    return ttp_fail_unbuilt(err, "SQLite", "libsqlite3-dev", NULL);
}

ttp_code ttp_sqlite_next(bool *more, struct ttp_sqlite_rows *rows, struct ttp_err *err)
{
    (void)rows, (void)err;
    *more = false;
    return TTP_OK;
}

ttp_code ttp_sqlite_again(struct ttp_sqlite_rows *rows, const int64_t *value, size_t values,
                          struct ttp_err *err)
{
    (void)rows, (void)value, (void)values, (void)err;
    return TTP_OK;
}

void ttp_sqlite_rows_close(struct ttp_sqlite_rows *rows)
{
    (void)rows;
}

bool ttp_sqlite_is_null(const struct ttp_sqlite_rows *rows, int column)
{
    (void)rows, (void)column;
    return true;
}

int64_t ttp_sqlite_int(const struct ttp_sqlite_rows *rows, int column)
{
    (void)rows, (void)column;
    return 0;
}

double ttp_sqlite_real(const struct ttp_sqlite_rows *rows, int column)
{
    (void)rows, (void)column;
    return 0;
}

ttp_str ttp_sqlite_text(const struct ttp_sqlite_rows *rows, int column)
{
    (void)rows, (void)column;
    return (ttp_str){"", 0};
}

#endif

ttp_code ttp_sqlite_columns(struct ttp_words *out, struct ttp_sqlite *db, const char *table,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_sqlite_rows *rows;
    struct ttp_sink sql;
    bool more = true;

    *out = (struct ttp_words){0};
    ttp_sink_to_arena(&sql, arena);
    ttp_sink_printf(&sql, "PRAGMA table_info(%s)", table);
    TTP_TRY(ttp_sqlite_query(
        &rows, db, (struct ttp_sqlite_sql){ttp_arena_zstr(arena, ttp_sink_text(&sql)), NULL, 0},
        err));
    ttp_code rc = ttp_sqlite_next(&more, rows, err);
    while (rc == TTP_OK && more) {
        ttp_words_add(out, ttp_arena_zstr(arena, ttp_sqlite_text(rows, 1)), arena);
        rc = ttp_sqlite_next(&more, rows, err);
    }
    ttp_sqlite_rows_close(rows);
    return rc;
}
