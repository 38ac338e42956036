/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - db.sqlite of ttnn-visualizer, which is often the only remaining data of a capture.
 *
 * Columns are read by their names, because the tables have changed five times within months; one
 * that is missing has 0. Ops are read one at a time: the live buffers after the op before it, and
 * what its own graph did to them. Tables of pages, nearly all of a large file, are never touched.
 */
#include "base/order.h"
#include "base/sink.h"
#include "base/sqlite_read.h"
#include "base/vec.h"
#include "mem/capture_state.h"
#include "mem/database_graph.h"

/* Rows of one table in the order of ops. */
struct cursor {
    struct ttp_sqlite_rows *rows;
    bool more;
};

enum table { BUFFERS, GRAPHS, INPUTS, OUTPUTS, TABLES };

struct reader {
    struct ttp_mem_database *out;
    struct ttp_sqlite *db;
    struct ttp_arena *arena;
    struct ttp_arena scratch; /* of one op */
    struct ttp_arena texts;   /* SQL */
    struct ttp_words columns; /* of the current table */
    struct cursor cursor[TABLES];
    struct ttp_sqlite_rows *graph;
    struct ttp_mem_rank *rank;
    /* the current op */
    struct ttp_mem_snapshot_row *before, *after;
    size_t befores, afters;
    struct ttp_arena live[2]; /* of these two, by turns */
    unsigned turn;
};

/* --- SQL --- */

static bool has_column(const struct ttp_words *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->word[i], name) == 0)
            return true;
    return false;
}

/* SELECT of the columns, with 0 for those that are missing; of one rank, in order of the first
 * `order` columns. */
static const char *select_text(struct reader *r, const char *table, const char *const *column,
                               size_t columns, size_t order)
{
    struct ttp_sink sql;

    ttp_sink_to_arena(&sql, &r->texts);
    ttp_sink_put(&sql, TTP_STR("SELECT "));
    for (size_t i = 0; i < columns; i++) {
        const bool there = has_column(&r->columns, column[i]) || strcmp(column[i], "rowid") == 0;

        ttp_sink_printf(&sql, "%s%s", i ? ", " : "", there ? column[i] : "NULL");
    }
    ttp_sink_printf(&sql, " FROM %s", table);
    if (has_column(&r->columns, "rank"))
        ttp_sink_put(&sql, TTP_STR(" WHERE rank = ?1"));
    else
        ttp_sink_put(&sql, TTP_STR(" WHERE ?1 = ?1"));
    for (size_t i = 0; i < order; i++)
        ttp_sink_printf(&sql, "%s%zu", i ? ", " : " ORDER BY ", i + 1);
    return ttp_arena_zstr(&r->texts, ttp_sink_text(&sql));
}

struct table_columns {
    const char *const *column;
    size_t columns;
};

/* Begin to read a table of this rank; one that is not there has no rows. */
static ttp_code open_table(struct ttp_sqlite_rows **out, struct reader *r, const char *table,
                           struct table_columns of, size_t order, struct ttp_err *err)
{
    *out = NULL;
    TTP_TRY(ttp_sqlite_columns(&r->columns, r->db, table, &r->texts, err));
    if (r->columns.count == 0)
        return TTP_OK;
    return ttp_sqlite_query(
        out, r->db,
        (struct ttp_sqlite_sql){select_text(r, table, of.column, of.columns, order), &r->rank->rank,
                                1},
        err);
}

static const struct {
    const char *table;
    const char *column[5];
    size_t columns, order;
} tables[TABLES] = {
    [BUFFERS] = {"buffers",
                 {"operation_id", "device_id", "address", "max_size_per_bank", "buffer_type"},
                 5,
                 1},
    [GRAPHS] = {"captured_graph", {"operation_id", "rowid"}, 2, 2},
    [INPUTS] = {"input_tensors", {"operation_id", "input_index", "tensor_id"}, 3, 2},
    [OUTPUTS] = {"output_tensors", {"operation_id", "output_index", "tensor_id"}, 3, 2},
};

static ttp_code advance(struct cursor *c, struct ttp_err *err)
{
    c->more = false;
    return c->rows ? ttp_sqlite_next(&c->more, c->rows, err) : TTP_OK;
}

/* Is a row of this op next? Those of ops that are in no list are passed over. */
static ttp_code reach(bool *is, struct cursor *c, int64_t op, struct ttp_err *err)
{
    while (c->more && ttp_sqlite_int(c->rows, 0) < op)
        TTP_TRY(advance(c, err));
    *is = c->more && ttp_sqlite_int(c->rows, 0) == op;
    return TTP_OK;
}

/* --- one op --- */

static ttp_code read_tensors(const int64_t **out, size_t *count, struct reader *r, enum table t,
                             int64_t op, struct ttp_err *err)
{
    int64_t *list = NULL;
    bool is;

    *count = 0;
    for (;;) {
        TTP_TRY(reach(&is, &r->cursor[t], op, err));
        if (!is)
            break;
        *TTP_PUSH(r->arena, list, *count) = ttp_sqlite_int(r->cursor[t].rows, 2);
        TTP_TRY(advance(&r->cursor[t], err));
    }
    *out = list;
    return TTP_OK;
}

TTP_ORDER(by_place, struct ttp_mem_snapshot_row, TTP_UP(device), TTP_UP(pool), TTP_UP(address))

/* The buffers that were live after the op. */
static ttp_code read_buffers(struct reader *r, int64_t op, struct ttp_err *err)
{
    struct ttp_arena *arena = &r->live[r->turn ^= 1];
    struct cursor *c = &r->cursor[BUFFERS];
    bool is;

    r->before = r->after;
    r->befores = r->afters;
    ttp_arena_reset(arena);
    r->after = NULL;
    r->afters = 0;
    for (;;) {
        TTP_TRY(reach(&is, c, op, err));
        if (!is)
            break;
        const struct ttp_mem_snapshot_row row = {
            ttp_sqlite_int(c->rows, 1), ttp_sqlite_int(c->rows, 2), ttp_sqlite_int(c->rows, 3),
            ttp_sqlite_int(c->rows, 4)};

        if (row.pool >= 0 && row.pool < TTP_MEM_POOLS && row.bytes >= 0 &&
            row.bytes < INT64_C(1) << 48)
            *TTP_PUSH(arena, r->after, r->afters) = row;
        TTP_TRY(advance(c, err));
    }
    TTP_SORT(r->after, r->afters, by_place);
    return TTP_OK;
}

/* The text of its graph; valid until the next one. */
static ttp_code read_graph(ttp_str *out, struct reader *r, int64_t op, struct ttp_err *err)
{
    struct cursor *c = &r->cursor[GRAPHS];
    bool is, more;

    *out = (ttp_str){0};
    TTP_TRY(reach(&is, c, op, err));
    if (!is)
        return TTP_OK;
    const int64_t row = ttp_sqlite_int(c->rows, 1);
    TTP_TRY(ttp_sqlite_again(r->graph, &row, 1, err));
    TTP_TRY(ttp_sqlite_next(&more, r->graph, err));
    if (more)
        *out = ttp_sqlite_text(r->graph, 0);
    return TTP_OK;
}

static ttp_code read_op(struct reader *r, struct ttp_mem_row *row, struct ttp_err *err)
{
    struct ttp_mem_op_input input = {.device = r->rank->device,
                                     .devices = r->rank->devices,
                                     .arena = r->arena,
                                     .scratch = &r->scratch};

    TTP_TRY(read_tensors(&row->input, &row->inputs, r, INPUTS, row->id, err));
    TTP_TRY(read_tensors(&row->output, &row->outputs, r, OUTPUTS, row->id, err));
    TTP_TRY(read_buffers(r, row->id, err));
    ttp_arena_reset(&r->scratch);
    TTP_TRY(read_graph(&input.graph, r, row->id, err));
    input.before = r->before;
    input.befores = r->befores;
    input.after = r->after;
    input.afters = r->afters;
    return ttp_mem_op_replay(row, &input, err);
}

/* --- a rank --- */

static ttp_code read_ops(struct reader *r, struct ttp_sqlite_rows *rows, struct ttp_err *err)
{
    bool more;

    for (;;) {
        TTP_TRY(ttp_sqlite_next(&more, rows, err));
        if (!more)
            return TTP_OK;
        struct ttp_mem_row *row = TTP_PUSH(r->arena, r->rank->row, r->rank->rows);

        *row = (struct ttp_mem_row){.id = ttp_sqlite_int(rows, 0),
                                    .name = ttp_arena_copy(r->arena, ttp_sqlite_text(rows, 1)),
                                    .duration_s = ttp_sqlite_real(rows, 2),
                                    .has_duration = !ttp_sqlite_is_null(rows, 2)};
        TTP_TRY(read_op(r, row, err));
    }
}

static ttp_code read_devices(struct reader *r, struct ttp_err *err)
{
    static const char *const names[] = {"device_id",         "l1_num_banks",
                                        "num_dram_channels", "l1_bank_size",
                                        "worker_l1_size",    "address_at_first_l1_cb_buffer"};
    struct ttp_mem_device *list = NULL;
    struct ttp_sqlite_rows *rows;
    size_t count = 0;
    bool more = true;
    ttp_code rc =
        open_table(&rows, r, "devices", (struct table_columns){names, TTP_COUNT(names)}, 1, err);

    if (rc != TTP_OK || !rows)
        return rc;
    rc = ttp_sqlite_next(&more, rows, err);
    while (rc == TTP_OK && more && count < TTP_MEM_DEVICES_MAX) {
        struct ttp_mem_device d = {0};

        for (size_t i = 0; i < TTP_COUNT(names); i++)
            (void)ttp_mem_device_set(&d, ttp_str_from(names[i]), ttp_sqlite_int(rows, (int)i));
        *TTP_PUSH(r->arena, list, count) = d;
        rc = ttp_sqlite_next(&more, rows, err);
    }
    ttp_sqlite_rows_close(rows);
    r->rank->device = list;
    r->rank->devices = count;
    return rc;
}

static ttp_code read_errors(struct reader *r, struct ttp_err *err)
{
    static const char *const names[] = {"operation_id", "operation_name", "error_operation",
                                        "error_type", "error_message"};
    struct ttp_sqlite_rows *rows;
    bool more = true;
    ttp_code rc =
        open_table(&rows, r, "errors", (struct table_columns){names, TTP_COUNT(names)}, 1, err);

    if (rc != TTP_OK || !rows)
        return rc;
    rc = ttp_sqlite_next(&more, rows, err);
    while (rc == TTP_OK && more) {
        const ttp_str name = ttp_sqlite_text(rows, ttp_sqlite_is_null(rows, 1) ? 2 : 1);

        *TTP_PUSH(r->arena, r->rank->error, r->rank->errors) =
            (struct ttp_mem_error){ttp_sqlite_int(rows, 0), ttp_arena_copy(r->arena, name),
                                   ttp_arena_copy(r->arena, ttp_sqlite_text(rows, 3)),
                                   ttp_arena_copy(r->arena, ttp_sqlite_text(rows, 4))};
        rc = ttp_sqlite_next(&more, rows, err);
    }
    ttp_sqlite_rows_close(rows);
    return rc;
}

static void close_cursors(struct reader *r)
{
    for (int t = 0; t < TABLES; t++) {
        ttp_sqlite_rows_close(r->cursor[t].rows);
        r->cursor[t] = (struct cursor){0};
    }
    ttp_sqlite_rows_close(r->graph);
    r->graph = NULL;
}

static ttp_code open_cursors(struct reader *r, struct ttp_err *err)
{
    for (int t = 0; t < TABLES; t++) {
        TTP_TRY(open_table(&r->cursor[t].rows, r, tables[t].table,
                           (struct table_columns){tables[t].column, tables[t].columns},
                           tables[t].order, err));
        TTP_TRY(advance(&r->cursor[t], err));
    }
    if (!r->cursor[GRAPHS].rows)
        return TTP_OK;
    return ttp_sqlite_query(
        &r->graph, r->db,
        (struct ttp_sqlite_sql){"SELECT captured_graph FROM captured_graph WHERE rowid = ?1", NULL,
                                0},
        err);
}

static ttp_code read_rank(struct reader *r, int64_t rank, struct ttp_err *err)
{
    static const char *const names[] = {"operation_id", "name", "duration"};
    struct ttp_sqlite_rows *rows = NULL;

    r->rank = TTP_PUSH(r->arena, r->out->rank, r->out->ranks);
    *r->rank = (struct ttp_mem_rank){.rank = rank};
    r->after = NULL;
    r->afters = 0;
    TTP_TRY(read_devices(r, err));
    TTP_TRY(read_errors(r, err));
    ttp_code rc = open_cursors(r, err);
    if (rc == TTP_OK)
        rc = open_table(&rows, r, "operations", (struct table_columns){names, TTP_COUNT(names)}, 1,
                        err);
    if (rc == TTP_OK && rows)
        rc = read_ops(r, rows, err);
    ttp_sqlite_rows_close(rows);
    close_cursors(r);
    return rc;
}

/* --- the file --- */

static ttp_code count_columns(size_t *out, struct reader *r, const char *table, struct ttp_err *err)
{
    TTP_TRY(ttp_sqlite_columns(&r->columns, r->db, table, &r->texts, err));
    *out = r->columns.count;
    return TTP_OK;
}

static ttp_code read_version(struct reader *r, struct ttp_err *err)
{
    struct ttp_sqlite_rows *rows;
    size_t columns;
    bool more;

    TTP_TRY(count_columns(&columns, r, "report_metadata", err));
    if (columns == 0)
        return TTP_OK;
    TTP_TRY(ttp_sqlite_query(
        &rows, r->db,
        (struct ttp_sqlite_sql){"SELECT value FROM report_metadata WHERE key = 'schema_version'",
                                NULL, 0},
        err));
    const ttp_code rc = ttp_sqlite_next(&more, rows, err);
    if (rc == TTP_OK && more)
        r->out->version = ttp_arena_copy(r->arena, ttp_sqlite_text(rows, 0));
    ttp_sqlite_rows_close(rows);
    return rc;
}

/* Those of a table; without a column of ranks there is one, 0. */
static ttp_code list_ranks(int64_t **out, size_t *count, struct reader *r, const char *sql,
                           struct ttp_err *err)
{
    struct ttp_sqlite_rows *rows;
    bool more;

    *out = NULL;
    *count = 0;
    TTP_TRY(ttp_sqlite_query(&rows, r->db, (struct ttp_sqlite_sql){sql, NULL, 0}, err));
    ttp_code rc = ttp_sqlite_next(&more, rows, err);
    while (rc == TTP_OK && more) {
        *TTP_PUSH(&r->texts, *out, *count) = ttp_sqlite_int(rows, 0);
        rc = ttp_sqlite_next(&more, rows, err);
    }
    ttp_sqlite_rows_close(rows);
    return rc;
}

static ttp_code read_schema(struct reader *r, struct ttp_err *err)
{
    struct ttp_mem_database *out = r->out;
    size_t n;

    TTP_TRY(count_columns(&n, r, "operations", err));
    out->rank_column = has_column(&r->columns, "rank");
    const bool ops = has_column(&r->columns, "operation_id") && has_column(&r->columns, "name");
    TTP_TRY(count_columns(&n, r, "buffers", err));
    if (!ops || !has_column(&r->columns, "operation_id")) {
        ttp_fail(err, TTP_EPARSE,
                 "not a database of ttnn-visualizer: it has no operations and buffers");
        return TTP_EPARSE;
    }
    TTP_TRY(count_columns(&out->error_columns, r, "errors", err));
    TTP_TRY(count_columns(&n, r, "tensor_lifetime", err));
    out->lifetime = n > 0;
    TTP_TRY(count_columns(&n, r, "buffer_chunks", err));
    out->chunks = n > 0;
    return read_version(r, err);
}

static bool has_rank(const struct ttp_mem_database *d, int64_t rank)
{
    for (size_t i = 0; i < d->ranks; i++)
        if (d->rank[i].rank == rank)
            return true;
    return false;
}

/* The first op of a run may be the one that failed: its rank has no ops then. */
static ttp_code read_lost_errors(struct reader *r, struct ttp_err *err)
{
    struct ttp_mem_rank lost = {0};
    int64_t *rank;
    size_t ranks;

    TTP_TRY(count_columns(&ranks, r, "errors", err));
    if (ranks == 0)
        return TTP_OK;
    TTP_TRY(list_ranks(&rank, &ranks, r,
                       has_column(&r->columns, "rank")
                           ? "SELECT DISTINCT rank FROM errors ORDER BY 1"
                           : "SELECT 0 FROM errors LIMIT 1",
                       err));
    ttp_code rc = TTP_OK;
    r->rank = &lost;
    for (size_t i = 0; rc == TTP_OK && i < ranks; i++) {
        lost.rank = rank[i];
        if (!has_rank(r->out, rank[i]))
            rc = read_errors(r, err);
    }
    r->rank = NULL;
    TTP_TRY(rc);
    r->out->error = lost.error;
    r->out->errors = lost.errors;
    return TTP_OK;
}

static ttp_code read_all(struct reader *r, struct ttp_err *err)
{
    size_t ranks;
    int64_t *rank;

    TTP_TRY(read_schema(r, err));
    TTP_TRY(list_ranks(&rank, &ranks, r,
                       r->out->rank_column ? "SELECT DISTINCT rank FROM operations ORDER BY 1"
                                           : "SELECT 0 FROM operations LIMIT 1",
                       err));
    for (size_t i = 0; i < ranks; i++)
        TTP_TRY(read_rank(r, rank[i], err));
    return read_lost_errors(r, err);
}

ttp_code ttp_mem_read_database(struct ttp_mem_database *out, const char *path,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct reader r = {.out = out, .arena = arena};

    *out = (struct ttp_mem_database){.path = path};
    TTP_TRY(ttp_sqlite_open(&r.db, path, err));
    const ttp_code rc = read_all(&r, err);
    close_cursors(&r);
    ttp_sqlite_close(r.db);
    ttp_arena_free(&r.scratch);
    ttp_arena_free(&r.texts);
    ttp_arena_free(&r.live[0]);
    ttp_arena_free(&r.live[1]);
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

bool ttp_mem_is_database(const char *path)
{
    struct ttp_arena arena = {0};
    struct ttp_words columns = {0};
    struct ttp_sqlite *db;

    if (ttp_sqlite_open(&db, path, NULL) != TTP_OK)
        return false;
    const bool is = ttp_sqlite_columns(&columns, db, "buffers", &arena, NULL) == TTP_OK &&
                    has_column(&columns, "max_size_per_bank") &&
                    ttp_sqlite_columns(&columns, db, "captured_graph", &arena, NULL) == TTP_OK &&
                    columns.count > 0;
    ttp_sqlite_close(db);
    ttp_arena_free(&arena);
    return is;
}
