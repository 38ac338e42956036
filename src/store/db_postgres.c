/* SPDX-License-Identifier: Apache-2.0 */
/* db_postgres.c - the history of a team: PostgreSQL through libpq. Values go both ways in binary
 * form, so that no digit is lost.
 *
 * A server may be silent, or stop in the middle of an answer: we never wait inside libpq, but with
 * a deadline of our own. Together they are less than a minute. */
#include "store/db.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/shared_library.h"

#ifdef TTP_HAVE_POSTGRESQL
#include <libpq-fe.h>

/* Loaded when such a store is opened: it brings encryption and directory services along. */
#define POSTGRES_FUNCTIONS(X)                                                                      \
    X(connectStartParams)                                                                          \
    X(connectPoll)                                                                                 \
    X(conninfo)                                                                                    \
    X(conninfoFree)                                                                                \
    X(socket)                                                                                      \
    X(setnonblocking)                                                                              \
    X(status)                                                                                      \
    X(errorMessage)                                                                                \
    X(finish)                                                                                      \
    X(sendQuery)                                                                                   \
    X(sendQueryParams)                                                                             \
    X(flush)                                                                                       \
    X(consumeInput)                                                                                \
    X(isBusy)                                                                                      \
    X(getResult)                                                                                   \
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
    bool lost;        /* it did not answer in time: it is not asked again */
};

#define SECOND_NS 1000000000ull
/* Until the connection is there; a connect_timeout of the URI may be shorter. */
#define CONNECT_S 15
/* Until a statement is answered. The server gives up before, so that it can say why: first when
 * others write all the time, then when the statement itself takes long. */
#define ANSWER_S       40
#define SERVER_LIMITS  "SET lock_timeout = '30s'; SET statement_timeout = '35s'; "
#define LOCK_TIMEOUT_S 30
/* A long statement or answer gets as much more as it takes at this pace. */
#define BYTES_PER_S 65536u

static ttp_code load_postgres(struct postgres_api *out, struct ttp_err *err)
{
    static const struct ttp_library_entry functions[] = {
#define ENTRY(name) {"PQ" #name, offsetof(struct postgres_api, name)},
        POSTGRES_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    return ttp_shared_library_load(out, "libpq.so.5",
                                   (struct ttp_library_entries){functions, TTP_COUNT(functions)},
                                   "install libpq5, or give a file with --store", err);
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
        ttp_err_hint(err, "restore the database from its backup, or import the output of "
                          "'tt-perf history export --all' into a new one");
        return TTP_EPARSE;
    }
    if (ttp_str_eq(class, TTP_STR("57014")) || ttp_str_has(text, TTP_STR("timed out"))) {
        ttp_fail(err, TTP_ETIMEOUT, "%s: %.*s", d->name, TTP_FMT(text));
        ttp_err_hint(err, "nothing was changed; try again when the server is less busy");
        return TTP_ETIMEOUT;
    }
    if (ttp_str_eq(class, TTP_STR("55P03"))) {
        ttp_fail(err, TTP_EIO, "%s is locked: others have been writing to it for %d s", d->name,
                 LOCK_TIMEOUT_S);
        ttp_err_hint(err, "try again later");
        return TTP_EIO;
    }
    ttp_fail(err, TTP_EIO, "%s: %.*s", d->name, TTP_FMT(text));
    if (ttp_str_starts(class, TTP_STR("53")))
        ttp_err_hint(err,
                     "free disk space on the server, then try again; existing data is unchanged");
    else if (d->api.status(d->connection) != CONNECTION_OK)
        ttp_err_hint(err, "the server closed the connection; see its log, then try again: existing "
                          "runs are not added twice");
    return TTP_EIO;
}

/* ---- waiting ---- */

static ttp_code fail_silent(struct postgres_db *d, unsigned seconds, struct ttp_err *err)
{
    d->lost = true;
    ttp_fail(err, TTP_ETIMEOUT, "%s does not answer: gave up after %u s", d->name, seconds);
    ttp_err_hint(err,
                 "check the address and the server, then try again: existing runs are not added "
                 "twice");
    return TTP_ETIMEOUT;
}

/* Until the server can be read from or written to. False: the moment has come before. */
static bool wait_for(const struct postgres_db *d, short events, uint64_t until_ns)
{
    for (;;) {
        struct pollfd fd = {.fd = d->api.socket(d->connection), .events = events};
        const uint64_t now = ttp_clock_ns();

        if (now >= until_ns)
            return false;
        const uint64_t left_ms = (until_ns - now) / 1000000 + 1;
        const int n = poll(&fd, 1, (int)left_ms);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true; /* a failure is libpq's to tell */
    }
}

static uint64_t longer_by(uint64_t bytes)
{
    return bytes * (SECOND_NS / BYTES_PER_S);
}

/* Passes all readable bytes to libpq. */
static bool take_input(const struct postgres_db *d, uint64_t *until_ns)
{
    int bytes = 0;

    if (ioctl(d->api.socket(d->connection), FIONREAD, &bytes) == 0 && bytes > 0)
        *until_ns += longer_by((uint64_t)bytes);
    return d->api.consumeInput(d->connection) == 1;
}

/* The answer to what was sent: the last of several statements, or the first that failed. */
static ttp_code await_result(PGresult **out, struct postgres_db *d, uint64_t sent_bytes,
                             struct ttp_err *err)
{
    uint64_t until_ns = ttp_clock_ns() + ANSWER_S * SECOND_NS + longer_by(sent_bytes);
    bool failed = false;

    *out = NULL;
    for (;;) {
        const int unsent = d->api.flush(d->connection);

        /* where the connection broke libpq has the reason as the result */
        d->lost = d->lost || unsent < 0;
        if (d->lost || (unsent == 0 && !d->api.isBusy(d->connection))) {
            PGresult *next = d->api.getResult(d->connection);

            if (!next)
                return TTP_OK;
            d->api.clear(failed ? next : *out);
            *out = failed ? *out : next;
            failed = failed || (d->api.resultStatus(next) != PGRES_TUPLES_OK &&
                                d->api.resultStatus(next) != PGRES_COMMAND_OK);
            continue;
        }
        if (!wait_for(d, (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN), until_ns)) {
            d->api.clear(*out);
            *out = NULL;
            return fail_silent(d, ANSWER_S, err);
        }
        if (!take_input(d, &until_ns))
            d->lost = true;
    }
}

/* ---- values ---- */

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

/* Returns how many bytes that is; 0: it could not be sent. */
static uint64_t send_values(const struct postgres_db *d, const struct ttp_sql *sql)
{
    const size_t values = sql->values;
    uint64_t sent = 1;
    struct ttp_arena scratch = {0};
    Oid *type = TTP_NEW(&scratch, Oid, values + 1);
    const char **bytes = TTP_NEW(&scratch, const char *, values + 1);
    int *length = TTP_NEW(&scratch, int, values + 1), *format = TTP_NEW(&scratch, int, values + 1);
    char *numbers = ttp_arena_bytes(&scratch, values * 8 + 8);

    for (size_t i = 0; i < values; i++) {
        const struct ttp_db_value *v = &sql->value[i];
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
        sent += (uint64_t)length[i];
    }
    if (!d->api.sendQueryParams(d->connection, sql->text, (int)values, type, bytes, length, format,
                                1))
        sent = 0;
    ttp_arena_free(&scratch);
    return sent;
}

static ttp_code query_postgres(struct ttp_db *db, struct ttp_db_table *out,
                               const struct ttp_sql *sql, struct ttp_arena *arena,
                               struct ttp_err *err)
{
    struct postgres_db *d = (struct postgres_db *)db;
    PGresult *result = NULL;

    if (d->lost)
        return ttp_fail(err, TTP_EIO, "%s no longer exists", d->name);
    /* only the simple form takes several statements, and only the other one binary rows */
    const uint64_t sent = out || sql->values ? send_values(d, sql)
                                             : (uint64_t)d->api.sendQuery(d->connection, sql->text);
    if (sent == 0)
        return fail_postgres(d, NULL, err);
    ttp_code rc = await_result(&result, d, sent, err);
    if (rc != TTP_OK)
        return rc;
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
    .begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(1953787976)",
    .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    .blob = "BYTEA",
    .real = "DOUBLE PRECISION",
    .clustered = "",
    /* from the catalog's rows: to_regclass() remembers that it was not there before the lock, also
     * when another writer has made it meanwhile */
    .find_tables_sql =
        "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = "
        "c.relnamespace WHERE n.nspname = 'tt_perf' AND c.relname = 'meta'",
    .sql_schema = "CREATE SCHEMA IF NOT EXISTS tt_perf",
    .mark = "",
    .before_writing = "",
    .query = query_postgres,
    .close = close_postgres,
};

static void be_quiet(void *arg, const char *message)
{
    (void)arg, (void)message;
}

/* Seconds until we give up: CONNECT_S, or what the URI says if that is less. */
static unsigned connect_seconds(const struct postgres_db *d)
{
    PQconninfoOption *all = d->api.conninfo(d->connection);
    unsigned seconds = CONNECT_S;
    uint64_t v;

    for (const PQconninfoOption *o = all; o && o->keyword; o++)
        if (strcmp(o->keyword, "connect_timeout") == 0 && o->val &&
            ttp_str_to_u64(ttp_str_from(o->val), &v) && v > 0 && v < CONNECT_S)
            seconds = (unsigned)v;
    d->api.conninfoFree(all);
    return seconds;
}

static ttp_code await_connection(struct postgres_db *d, struct ttp_err *err)
{
    const unsigned seconds = connect_seconds(d);
    const uint64_t until_ns = ttp_clock_ns() + seconds * SECOND_NS;
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;

    while (next != PGRES_POLLING_OK && next != PGRES_POLLING_FAILED) {
        if (!wait_for(d, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until_ns))
            return fail_silent(d, seconds, err);
        next = d->api.connectPoll(d->connection);
    }
    return TTP_OK;
}

static ttp_code connect_to(struct postgres_db *d, const char *uri, struct ttp_err *err)
{
    /* of several hosts one that is missing must leave time for the next */
    static const char *const key[] = {"connect_timeout",
                                      "tcp_user_timeout",
                                      "keepalives_idle",
                                      "keepalives_interval",
                                      "keepalives_count",
                                      "application_name",
                                      "dbname",
                                      "client_encoding",
                                      NULL};
    const char *const value[] = {"15",   "10000",   "10", "5",
                                 "3",    "tt-perf", uri, /* it may say otherwise */
                                 "UTF8", NULL};

    d->connection = d->api.connectStartParams(key, value, 1);
    if (!d->connection)
        return ttp_fail(err, TTP_EIO, "cannot connect to %s", d->name);
    if (d->api.status(d->connection) != CONNECTION_BAD)
        TTP_TRY(await_connection(d, err));
    if (d->api.status(d->connection) != CONNECTION_OK) {
        const ttp_str text = first_line(d->api.errorMessage(d->connection));
        const bool late = ttp_str_has(text, TTP_STR("timed out"));

        ttp_fail(err, late ? TTP_ETIMEOUT : TTP_EIO, "cannot connect to %s: %.*s", d->name,
                 TTP_FMT(text));
        ttp_err_hint(err, "is the server running, and does the database exist?");
        return late ? TTP_ETIMEOUT : TTP_EIO;
    }
    if (d->api.setnonblocking(d->connection, 1) != 0)
        return fail_postgres(d, NULL, err);
    d->api.setNoticeProcessor(d->connection, be_quiet, NULL);
    return ttp_db_exec(&d->db,
                       "SET search_path = tt_perf; SET synchronous_commit = on; " SERVER_LIMITS
                       "SET client_min_messages = warning",
                       err);
}

ttp_code ttp_store_db_open_postgres(struct ttp_db **out, const char *uri, enum ttp_store_mode mode,
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

ttp_code ttp_store_db_open_postgres(struct ttp_db **out, const char *uri, enum ttp_store_mode mode,
                                    struct ttp_err *err)
{
    (void)uri, (void)mode;
    *out = NULL;
    return ttp_fail_unbuilt(err, "PostgreSQL", "libpq-dev", "give a file with --store");
}

#endif
