/* SPDX-License-Identifier: Apache-2.0 */
/* db_schema.c - the tables, version by version: docs/history.md. A store is made by going through
 * all versions, so that old and new ones cannot differ. */
#include <stdio.h>

#include "base/sink.h"
#include "store/db.h"

/* {id}, {blob}, {real} and {clustered} stand for what the databases call differently. */
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

static const char *const *const versions[TTP_STORE_SCHEMA] = {version_1, version_2};

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
    TTP_TRY(db->kind->query(db, &t, db->kind->has_tables, NULL, 0, arena, err));
    if (t.rows == 0)
        return TTP_OK;
    TTP_TRY(db->kind->query(db, &t, "SELECT value FROM meta WHERE key = 'schema_version'", NULL, 0,
                            arena, err));
    if (t.rows != 1 || !ttp_str_to_u64(ttp_db_get_text(&t, 0, 0), &v) || v == 0 || v > 1000000)
        return ttp_fail(err, TTP_EPARSE, "this database is not a history of tt-perf");
    *out = (int64_t)v;
    return TTP_OK;
}

static ttp_code refuse_newer(int64_t version, struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE,
             "this history was written by a newer tt-perf: schema %d, and this one knows %d",
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
    const struct ttp_db_value value = ttp_db_text(ttp_str_from(number), arena);
    return db->kind->query(db, NULL, "UPDATE meta SET value = $1 WHERE key = 'schema_version'",
                           &value, 1, arena, err);
}

static ttp_code migrate(struct ttp_db *db, int to, struct ttp_arena *arena, struct ttp_err *err)
{
    int64_t version = 0;

    TTP_TRY(ttp_db_exec(db, db->kind->begin, err));
    /* once more: another process may have done it meanwhile */
    ttp_code rc = read_version(&version, db, arena, err);
    if (rc == TTP_OK && version > to)
        rc = refuse_newer(version, err);
    if (rc == TTP_OK && version < to)
        rc = apply(db, version, to, arena, err);
    return ttp_db_finish(db, rc, err);
}

ttp_code ttp_db_migrate(struct ttp_db *db, int version, bool create, struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    int64_t there = 0;
    ttp_code rc = read_version(&there, db, &scratch, err);

    if (rc == TTP_OK && there == 0 && !create) {
        rc = ttp_fail(err, TTP_ENOTFOUND, "no history there yet");
        ttp_err_hint(err, "'tt-perf history add RUN' begins one");
    }
    if (rc == TTP_OK && there > version)
        rc = refuse_newer(there, err);
    else if (rc == TTP_OK && there < version)
        rc = migrate(db, version, &scratch, err);
    ttp_arena_free(&scratch);
    return rc;
}
