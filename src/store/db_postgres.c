/* SPDX-License-Identifier: Apache-2.0 */
/* db_postgres.c - the history of a team: PostgreSQL through libpq. Values go both ways in binary
 * form, so that no digit is lost. */
#include "store/db.h"

#include <stdio.h>

#include "base/shared_library.h"

#ifdef TTP_HAVE_POSTGRESQL
#include <libpq-fe.h>

/* Loaded when such a store is opened: it brings encryption and directory services along. */
#define POSTGRES_FUNCTIONS(X)                                                                      \
    X(connectdbParams)                                                                             \
    X(status)                                                                                      \
    X(errorMessage)                                                                                \
    X(finish)                                                                                      \
    X(exec)                                                                                        \
    X(execParams)                                                                                  \
    X(resultStatus)                                                                                \
    X(resultErrorField)                                                                            \
    X(ntuples)                                                                                     \
    X(nfields)                                                                                     \
    X(ftype)                                                                                       \
    X(getisnull)                                                                                   \
    X(getvalue)                                                                                    \
    X(getlength)                                                                                   \
    X(clear)                                                                                       \
    X(setNoticeProcessor)

struct postgres_api {
#define MEMBER(name) __typeof__(PQ##name) *(name);
    POSTGRES_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* pg_type.dat of PostgreSQL: numbers of the types we use. */
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_INT4 = 23, OID_TEXT = 25, OID_FLOAT8 = 701 };
static const Oid oid_of[] = {[TTP_DB_INT] = OID_INT8,
                             [TTP_DB_REAL] = OID_FLOAT8,
                             [TTP_DB_TEXT] = OID_TEXT,
                             [TTP_DB_BLOB] = OID_BYTEA};

struct postgres_db {
    struct ttp_db db;
    struct ttp_arena arena;
    struct postgres_api api;
    PGconn *connection;
    const char *name; /* without the password */
};

static ttp_code load_postgres(struct postgres_api *out, struct ttp_err *err)
{
    static const struct ttp_library_entry functions[] = {
#define ENTRY(name) {"PQ" #name, offsetof(struct postgres_api, name)},
        POSTGRES_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    return ttp_library_load(out, "libpq.so.5", functions, TTP_COUNT(functions),
                            "install libpq5, or name a file with --store", err);
}

/* The first line of what the server says, without its line end. */
static ttp_str first_line(const char *message)
{
    ttp_str rest = ttp_str_trim(ttp_str_from(message ? message : "")), line = {0};

    (void)ttp_str_next_line(&rest, &line);
    return ttp_str_slice(line, 0, 160);
}

static ttp_code fail_postgres(const struct postgres_db *d, const PGresult *result,
                              struct ttp_err *err)
{
    const char *state = result ? d->api.resultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *primary = result ? d->api.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const ttp_str text = first_line(primary ? primary : d->api.errorMessage(d->connection));
    const ttp_str class = ttp_str_slice(ttp_str_from(state ? state : ""), 0, 5);

    if (ttp_str_starts(class, TTP_STR("XX00"))) { /* data_corrupted, index_corrupted */
        ttp_fail(err, TTP_EPARSE, "%s is damaged: %.*s", d->name, TTP_FMT(text));
        ttp_err_hint(err, "restore the database from its backup, or import what 'tt-perf history "
                          "export --all' wrote into a new one");
        return TTP_EPARSE;
    }
    ttp_fail(err, TTP_EIO, "%s: %.*s", d->name, TTP_FMT(text));
    if (ttp_str_starts(class, TTP_STR("53")))
        ttp_err_hint(err,
                     "make room on the server, then do it again; what was there before still is");
    else if (d->api.status(d->connection) != CONNECTION_OK)
        ttp_err_hint(err,
                     "the server broke off, its log says why; when it runs again, do it again: "
                     "what it has already is not added twice");
    return TTP_EIO;
}

static void put_be64(char *out, uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (char)(v >> (56 - 8 * i));
}

static uint64_t get_be(const char *p, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static struct ttp_db_value cell(const struct postgres_db *d, const PGresult *result, int row,
                                int column, struct ttp_arena *arena)
{
    const char *bytes = d->api.getvalue(result, row, column);
    const size_t n = (size_t)d->api.getlength(result, row, column);
    double f;

    if (d->api.getisnull(result, row, column))
        return (struct ttp_db_value){.null = true};
    switch (d->api.ftype(result, column)) {
    case OID_INT8:
        return ttp_db_int((int64_t)get_be(bytes, 8));
    case OID_INT4:
        return ttp_db_int((int32_t)(uint32_t)get_be(bytes, 4));
    case OID_FLOAT8: {
        const uint64_t bits = get_be(bytes, 8);
        memcpy(&f, &bits, sizeof(f));
        return ttp_db_real(f);
    }
    case OID_BYTEA:
        return ttp_db_blob(ttp_arena_copy(arena, (ttp_str){bytes, n}));
    default:
        return (struct ttp_db_value){.type = TTP_DB_TEXT,
                                     .s = ttp_arena_copy(arena, (ttp_str){bytes, n})};
    }
}

static void keep_rows(struct ttp_db_table *out, const struct postgres_db *d, const PGresult *result,
                      struct ttp_arena *arena)
{
    const int rows = d->api.ntuples(result), columns = d->api.nfields(result);

    *out = (struct ttp_db_table){.rows = (size_t)rows, .columns = (size_t)columns};
    out->cell = TTP_NEW(arena, struct ttp_db_value, out->rows * out->columns + 1);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            out->cell[(size_t)r * out->columns + (size_t)c] = cell(d, result, r, c, arena);
}

static PGresult *send_values(const struct postgres_db *d, const char *sql,
                             const struct ttp_db_value *value, size_t values)
{
    struct ttp_arena scratch = {0};
    Oid *type = TTP_NEW(&scratch, Oid, values + 1);
    const char **bytes = TTP_NEW(&scratch, const char *, values + 1);
    int *length = TTP_NEW(&scratch, int, values + 1), *format = TTP_NEW(&scratch, int, values + 1);
    char *numbers = ttp_arena_bytes(&scratch, values * 8 + 8);

    for (size_t i = 0; i < values; i++) {
        const struct ttp_db_value *v = &value[i];
        uint64_t bits = (uint64_t)v->i;

        type[i] = oid_of[v->type];
        format[i] = 1;
        if (v->type == TTP_DB_REAL)
            memcpy(&bits, &v->f, sizeof(bits));
        put_be64(numbers + i * 8, bits);
        bytes[i] = v->null                  ? NULL
                   : v->type <= TTP_DB_REAL ? numbers + i * 8
                   : v->s.len               ? v->s.ptr
                                            : "";
        length[i] = v->type <= TTP_DB_REAL ? 8 : (int)v->s.len;
    }
    PGresult *result =
        d->api.execParams(d->connection, sql, (int)values, type, bytes, length, format, 1);
    ttp_arena_free(&scratch);
    return result;
}

static ttp_code query_postgres(struct ttp_db *db, struct ttp_db_table *out, const char *sql,
                               const struct ttp_db_value *value, size_t values,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct postgres_db *d = (struct postgres_db *)db;
    ttp_code rc = TTP_OK;

    /* only the simple form takes several statements, and only the other one binary rows */
    PGresult *result =
        out || values ? send_values(d, sql, value, values) : d->api.exec(d->connection, sql);
    const ExecStatusType status = d->api.resultStatus(result);
    if (status == PGRES_TUPLES_OK && out)
        keep_rows(out, d, result, arena);
    else if (out)
        *out = (struct ttp_db_table){0};
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        rc = fail_postgres(d, result, err);
    d->api.clear(result);
    return rc;
}

static void close_postgres(struct ttp_db *db)
{
    struct postgres_db *d = (struct postgres_db *)db;
    struct ttp_arena arena = d->arena;

    d->api.finish(d->connection);
    ttp_arena_free(&arena);
}

static const struct ttp_db_kind postgres_kind = {
    .name = "PostgreSQL",
    /* the lock, of a number of our own ("ttpH"), makes writers wait for each other: otherwise two
     * that add the same new kinds of ops in a different order would lock each other out */
    .begin = "BEGIN; SELECT pg_advisory_xact_lock(1953787976)",
    .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .blob = "BYTEA",
    .real = "DOUBLE PRECISION",
    .clustered = "",
    .has_tables = "SELECT 1 WHERE to_regclass('tt_perf.meta') IS NOT NULL",
    .sql_schema = "CREATE SCHEMA IF NOT EXISTS tt_perf",
    .mark = "",
    .query = query_postgres,
    .close = close_postgres,
};

static void be_quiet(void *arg, const char *message)
{
    (void)arg, (void)message;
}

static ttp_code connect_to(struct postgres_db *d, const char *uri, struct ttp_err *err)
{
    static const char *const key[] = {"connect_timeout", "application_name", "dbname",
                                      "client_encoding", NULL};
    const char *const value[] = {"15", "tt-perf", uri, "UTF8",
                                 NULL}; /* the URI may say otherwise */

    d->connection = d->api.connectdbParams(key, value, 1);
    if (!d->connection)
        return ttp_fail(err, TTP_EIO, "cannot connect to %s", d->name);
    if (d->api.status(d->connection) != CONNECTION_OK) {
        ttp_fail(err, TTP_EIO, "cannot connect to %s: %.*s", d->name,
                 TTP_FMT(first_line(d->api.errorMessage(d->connection))));
        ttp_err_hint(err, "is the server running, and does the database exist?");
        return TTP_EIO;
    }
    d->api.setNoticeProcessor(d->connection, be_quiet, NULL);
    return ttp_db_exec(&d->db,
                       "SET search_path = tt_perf; SET synchronous_commit = on; "
                       "SET lock_timeout = '60s'; SET client_min_messages = warning",
                       err);
}

ttp_code ttp_db_open_postgres(struct ttp_db **out, const char *uri, enum ttp_store_mode mode,
                              struct ttp_err *err)
{
    struct ttp_arena arena = {0};
    struct postgres_db *d = TTP_NEW(&arena, struct postgres_db, 1);

    (void)mode;
    *out = NULL;
    d->db.kind = &postgres_kind;
    d->name = ttp_store_name(uri, &arena);
    ttp_code rc = load_postgres(&d->api, err);
    if (rc == TTP_OK)
        rc = connect_to(d, uri, err);
    d->arena = arena;
    if (rc == TTP_OK) {
        *out = &d->db;
        return TTP_OK;
    }
    if (d->connection)
        close_postgres(&d->db);
    else
        ttp_arena_free(&arena);
    return rc;
}

#else

ttp_code ttp_db_open_postgres(struct ttp_db **out, const char *uri, enum ttp_store_mode mode,
                              struct ttp_err *err)
{
    (void)uri, (void)mode;
    *out = NULL;
    return ttp_fail_unbuilt(err, "PostgreSQL", "libpq-dev", "name a file with --store");
}

#endif
