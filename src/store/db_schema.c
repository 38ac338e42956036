/* SPDX-License-Identifier: Apache-2.0 */
/* db_schema.c - the tables, version by version: docs/history.md. A store is made by going through
 * all versions, so that old and new ones cannot differ. */
#include <assert.h>
#include <stdio.h>

#include "base/sha256.h"
#include "base/sink.h"
#include "store/db.h"

/* {id}, {blob}, {real} and {clustered} represent what the databases call differently. */
static const char *const version_1[] = {
    ("CREATE TABLE machine (id {id}, key TEXT NOT NULL UNIQUE, facts TEXT NOT NULL)"),
    ("CREATE TABLE run (id {id}, time_ns BIGINT NOT NULL, added_ns BIGINT NOT NULL, "
     "name TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, project TEXT NOT NULL, "
     "branch TEXT NOT NULL, commit_hash TEXT NOT NULL, commit_time TEXT NOT NULL, "
     "dirty INTEGER NOT NULL, host TEXT NOT NULL, board TEXT NOT NULL, machine BIGINT NOT NULL, "
     "op_count BIGINT NOT NULL, device_s {real}, gap_s {real}, digest TEXT NOT NULL, "
     "note TEXT NOT NULL DEFAULT '')"),
    ("CREATE INDEX run_time ON run (time_ns, id)"),
    ("CREATE INDEX run_name ON run (name, time_ns, id)"),
    ("CREATE INDEX run_commit ON run (commit_hash)"),
    ("CREATE INDEX run_digest ON run (digest)"),
    ("CREATE TABLE document (run BIGINT PRIMARY KEY, name TEXT NOT NULL, packing TEXT NOT NULL, "
     "size BIGINT NOT NULL, bytes {blob} NOT NULL)"),
    ("CREATE TABLE op_kind (id {id}, code TEXT NOT NULL, shapes TEXT NOT NULL, "
     "datatypes TEXT NOT NULL, memory TEXT NOT NULL, fidelity TEXT NOT NULL, digest TEXT NOT NULL "
     "UNIQUE)"),
    ("CREATE TABLE op (run BIGINT NOT NULL, position BIGINT NOT NULL, kind BIGINT NOT NULL, "
     "device BIGINT NOT NULL, cores BIGINT NOT NULL, time_ns {real}, gap_ns {real}, "
     "PRIMARY KEY (run, position)) {clustered}"),
    ("CREATE TABLE series (id {id}, name TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, "
     "better TEXT NOT NULL, variant TEXT NOT NULL, machine BIGINT NOT NULL, "
     "UNIQUE (metric, name, variant, machine, unit, better))"),
    ("CREATE TABLE measurement (series BIGINT NOT NULL, time_ns BIGINT NOT NULL, "
     "run BIGINT NOT NULL, position BIGINT NOT NULL, count BIGINT NOT NULL, median {real} NOT "
     "NULL, "
     "low {real} NOT NULL, high {real} NOT NULL, target {real}, samples TEXT NOT NULL, "
     "PRIMARY KEY (series, time_ns, run, position)) {clustered}"),
    ("CREATE INDEX measurement_run ON measurement (run, position)"),
    ("CREATE TABLE sample (run BIGINT NOT NULL, position BIGINT NOT NULL, time_ns BIGINT NOT NULL, "
     "aiclk_min_mhz {real}, aiclk_max_mhz {real}, temperature_c {real}, power_w {real}, "
     "load {real}, PRIMARY KEY (run, position)) {clustered}"),
    NULL,
};

/* A run may have any number of notes, each with its time. */
static const char *const version_2[] = {
    ("CREATE TABLE note (id {id}, run BIGINT NOT NULL, time_ns BIGINT NOT NULL, text TEXT NOT "
     "NULL)"),
    ("CREATE INDEX note_run ON note (run, id)"),
    ("INSERT INTO note (run, time_ns, text) SELECT id, added_ns, note FROM run WHERE note <> '' "
     "ORDER BY id"),
    ("ALTER TABLE run DROP COLUMN note"),
    NULL,
};

/* Settings of ops, and the fastest run with each of them. Ops of runs that were added before have
 * no name, and take no part. */
static const char *const version_3[] = {
    ("ALTER TABLE op_kind ADD COLUMN name TEXT NOT NULL DEFAULT ''"),
    ("ALTER TABLE op_kind ADD COLUMN chip TEXT NOT NULL DEFAULT ''"),
    ("ALTER TABLE op_kind ADD COLUMN config TEXT NOT NULL DEFAULT ''"),
    ("CREATE INDEX op_kind_name ON op_kind (name)"),
    ("CREATE TABLE op_best (kind BIGINT NOT NULL, cores BIGINT NOT NULL, time_ns {real} NOT NULL, "
     "ops BIGINT NOT NULL, run BIGINT NOT NULL, runs BIGINT NOT NULL, PRIMARY KEY (kind, cores)) "
     "{clustered}"),
    NULL,
};

static const char *const *const versions[TTP_STORE_SCHEMA] = {version_1, version_2, version_3};

static const char *fill(const char *sql, const struct ttp_db_kind *kind, struct ttp_arena *arena)
{
    const struct {
        const char *hole, *text;
    } words[] = {{"{id}", kind->id},
                 {"{blob}", kind->blob},
                 {"{real}", kind->real},
                 {"{clustered}", kind->clustered}};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    while (*sql) {
        size_t w = 0;

        while (w < TTP_COUNT(words) && strncmp(sql, words[w].hole, strlen(words[w].hole)) != 0)
            w++;
        if (w == TTP_COUNT(words)) {
            ttp_sink_char(&out, *sql++);
            continue;
        }
        ttp_sink_put(&out, ttp_str_from(words[w].text));
        sql += strlen(words[w].hole);
    }
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

/* 0: no tables yet. */
static ttp_code read_version(int64_t *out, struct ttp_db *db, struct ttp_arena *arena,
                             struct ttp_err *err)
{
    struct ttp_db_table t;
    uint64_t v = 0;

    *out = 0;
    TTP_TRY(
        db->kind->query(db, &t, &(struct ttp_sql){.text = db->kind->find_tables_sql}, arena, err));
    if (t.rows == 0)
        return TTP_OK;
    TTP_TRY(db->kind->query(
        db, &t, &(struct ttp_sql){.text = "SELECT value FROM meta WHERE key = 'schema_version'"},
        arena, err));
    if (t.rows != 1 || !ttp_str_to_u64(ttp_store_db_get_text(&t, 0, 0), &v) || v == 0 ||
        v > 1000000)
        return ttp_fail(err, TTP_EPARSE, "this database is not a history of tt-perf");
    *out = (int64_t)v;
    return TTP_OK;
}

static ttp_code refuse_newer(int64_t version, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE,
             "this history was written by a newer tt-perf: schema %d, supported is %d",
             (int)version, TTP_STORE_SCHEMA);
    ttp_err_hint(err,
                 "use the newer tt-perf, or another history with --store; nothing was changed");
    return TTP_EPARSE;
}

/* What all versions have. */
static ttp_code begin_tables(struct ttp_db *db, struct ttp_err *err)
{
    if (*db->kind->sql_schema)
        TTP_TRY(ttp_db_exec(db, db->kind->sql_schema, err));
    TTP_TRY(ttp_db_exec(db, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)", err));
    TTP_TRY(ttp_db_exec(db, "INSERT INTO meta (key, value) VALUES ('schema_version', '0')", err));
    return *db->kind->mark ? ttp_db_exec(db, db->kind->mark, err) : TTP_OK;
}

static ttp_code apply(struct ttp_db *db, int64_t from, int to, struct ttp_arena *arena,
                      struct ttp_err *err)
{
    char number[24];

    if (from == 0)
        TTP_TRY(begin_tables(db, err));
    for (int64_t v = from; v < to && v < TTP_STORE_SCHEMA; v++)
        for (const char *const *sql = versions[v]; *sql; sql++)
            TTP_TRY(ttp_db_exec(db, fill(*sql, db->kind, arena), err));
    (void)snprintf(number, sizeof(number), "%d", to);
    const struct ttp_db_value value = ttp_store_db_text(ttp_str_from(number), arena);
    const struct ttp_sql sql = {"UPDATE meta SET value = $1 WHERE key = 'schema_version'", &value,
                                1};
    return db->kind->query(db, NULL, &sql, arena, err);
}

/* ---- is it what we would have made? ---- */

/* Blanks apart: versions of SQLite differ in them when a column goes. */
static bool same_sql(ttp_str a, ttp_str b)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < a.len && (a.ptr[i] == ' ' || a.ptr[i] == '\n'))
            i++;
        while (k < b.len && (b.ptr[k] == ' ' || b.ptr[k] == '\n'))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.ptr[i++] != b.ptr[k++])
            return false;
    }
}

enum { ROW_TYPE, ROW_NAME, ROW_TABLE, ROW_SQL };

/* Tables that ANALYZE creates. */
static bool is_statistics(const struct ttp_db_table *t, size_t row)
{
    return ttp_str_eq(ttp_store_db_get_text(t, row, ROW_TYPE), TTP_STR("table")) &&
           ttp_str_starts(ttp_store_db_get_text(t, row, ROW_NAME), TTP_STR("sqlite_stat"));
}

static ttp_code refuse_shape(const struct ttp_db_table *t, size_t row, const char *why,
                             struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "this database is not a valid history of tt-perf: %s %.*s '%.*s'",
             why, TTP_FMT(ttp_str_slice(ttp_store_db_get_text(t, row, ROW_TYPE), 0, 20)),
             TTP_FMT(ttp_str_slice(ttp_store_db_get_text(t, row, ROW_NAME), 0, 80)));
    ttp_err_hint(err, "nothing was executed or changed; use 'tt-perf history import' into "
                      "another --store to import the readable runs");
    return TTP_EPARSE;
}

/* Both in order of type and name. */
static ttp_code compare_shapes(const struct ttp_db_table *is, const struct ttp_db_table *should,
                               struct ttp_err *err)
{
    size_t k = 0;

    for (size_t i = 0; i < is->rows; i++) {
        if (is_statistics(is, i))
            continue;
        int order = k < should->rows ? 0 : -1;
        for (size_t c = ROW_TYPE; order == 0 && c <= ROW_NAME; c++)
            order =
                ttp_str_cmp(ttp_store_db_get_text(is, i, c), ttp_store_db_get_text(should, k, c));
        if (order < 0)
            return refuse_shape(is, i, "unknown", err);
        if (order > 0)
            break;
        if (!ttp_str_eq(ttp_store_db_get_text(is, i, ROW_TABLE),
                        ttp_store_db_get_text(should, k, ROW_TABLE)) ||
            !same_sql(ttp_store_db_get_text(is, i, ROW_SQL),
                      ttp_store_db_get_text(should, k, ROW_SQL)))
            return refuse_shape(is, i, "wrong definition of", err);
        k++;
    }
    return k == should->rows ? TTP_OK : refuse_shape(should, k, "missing", err);
}

/* The SHA-256 of the tables of the newest version, without blanks. Comparing it saves making the
 * tables again with each command. */
#define NEWEST_SHAPE "de2b05c74b8856e2d6bd9e9b030040d0844c7dfd1085a7a45fbd4fb66f6609a9"

static bool is_newest_shape(const struct ttp_db_table *t, struct ttp_arena *arena)
{
    char sum[TTP_SHA256_HEX + 1];
    struct ttp_sink text;

    ttp_sink_to_arena(&text, arena);
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t c = ROW_TYPE; c <= ROW_SQL && !is_statistics(t, i); c++) {
            const ttp_str cell = ttp_store_db_get_text(t, i, c);

            for (size_t k = 0; k < cell.len; k++)
                if (cell.ptr[k] != ' ' && cell.ptr[k] != '\n')
                    ttp_sink_char(&text, cell.ptr[k]);
            ttp_sink_char(&text, '\n');
        }
    }
    ttp_sha256_hex(sum, ttp_sink_text(&text));
    return strcmp(sum, NEWEST_SHAPE) == 0;
}

/* Before a store of this version (0: none) is used or changed. */
static ttp_code check_shape(struct ttp_db *db, int64_t version, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_db_table is, should = {0};
    struct ttp_db *scratch;

    if (!db->kind->list_schema)
        return TTP_OK;
    const struct ttp_sql list = {.text = db->kind->list_schema};
    TTP_TRY(db->kind->query(db, &is, &list, arena, err));
    if (version == TTP_STORE_SCHEMA && is_newest_shape(&is, arena))
        return TTP_OK;
    TTP_TRY(db->kind->open_scratch(&scratch, err));
    ttp_code rc = version ? apply(scratch, 0, (int)version, arena, err) : TTP_OK;
    if (rc == TTP_OK)
        rc = db->kind->query(scratch, &should, &list, arena, err);
    db->kind->close(scratch);
    if (rc == TTP_OK)
        rc = compare_shapes(&is, &should, err);
    assert(rc != TTP_OK || version != TTP_STORE_SCHEMA); /* NEWEST_SHAPE is out of date */
    return rc;
}

/* ---- up to date ---- */

static ttp_code migrate(struct ttp_db *db, int to, struct ttp_arena *arena, struct ttp_err *err)
{
    int64_t version = 0;

    TTP_TRY(ttp_db_exec(db, db->kind->begin, err));
    /* once more: another process may have done it meanwhile */
    ttp_code rc = read_version(&version, db, arena, err);
    if (rc == TTP_OK && version > to)
        rc = refuse_newer(version, err);
    if (rc == TTP_OK)
        rc = check_shape(db, version, arena, err);
    if (rc == TTP_OK && version < to)
        rc = apply(db, version, to, arena, err);
    return ttp_store_db_finish(db, rc, err);
}

ttp_code ttp_store_db_migrate(struct ttp_db *db, int version, bool create, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    int64_t there = 0;
    ttp_code rc = read_version(&there, db, &scratch, err);

    if (rc == TTP_OK && there == 0 && !create) {
        rc = ttp_fail(err, TTP_ENOTFOUND, "no history yet");
        ttp_err_hint(err, "create one with 'tt-perf history add RUN'");
    }
    if (rc == TTP_OK && there > version)
        rc = refuse_newer(there, err);
    if (rc == TTP_OK)
        rc = check_shape(db, there, &scratch, err);
    if (rc == TTP_OK && create && *db->kind->before_writing)
        rc = ttp_db_exec(db, db->kind->before_writing, err);
    if (rc == TTP_OK && there < version)
        rc = migrate(db, version, &scratch, err);
    ttp_arena_free(&scratch);
    return rc;
}
