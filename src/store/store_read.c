/* SPDX-License-Identifier: Apache-2.0 */
/* store_read.c - questions to the store. Each is one or a few statements that an index answers;
 * tests/unit/test_store.c checks SQLite's plans. */
#include "base/compress.h"
#include "base/json_read.h"
#include "base/order.h"
#include "base/sha256.h"
#include "store/store_internal.h"

#define RUN_COLUMNS                                                                                \
    "r.id, r.time_ns, r.added_ns, r.name, r.kind, r.source, r.project, r.branch, r.commit_hash, "  \
    "r.commit_time, r.dirty, r.host, r.board, r.op_count, r.device_s, r.gap_s, r.digest"

/* A document beyond this would not have been added. */
#define DOCUMENT_MAX ((int64_t)1 << 31)

static void take_run(struct ttp_history_run *out, const struct ttp_db_table *t, size_t row)
{
    *out = (struct ttp_history_run){
        .id = ttp_store_db_get_int(t, row, 0),
        .time_ns = ttp_store_db_get_int(t, row, 1),
        .added_ns = ttp_store_db_get_int(t, row, 2),
        .name = ttp_store_db_get_text(t, row, 3),
        .kind = ttp_store_db_get_text(t, row, 4),
        .source = ttp_store_db_get_text(t, row, 5),
        .project = ttp_store_db_get_text(t, row, 6),
        .branch = ttp_store_db_get_text(t, row, 7),
        .commit = ttp_store_db_get_text(t, row, 8),
        .commit_time = ttp_store_db_get_text(t, row, 9),
        .dirty = ttp_store_db_get_int(t, row, 10) != 0,
        .host = ttp_store_db_get_text(t, row, 11),
        .board = ttp_store_db_get_text(t, row, 12),
        .op_count = ttp_store_db_get_int(t, row, 13),
        .device_s = ttp_store_db_get_real(t, row, 14),
        .gap_s = ttp_store_db_get_real(t, row, 15),
        .digest = ttp_store_db_get_text(t, row, 16),
    };
}

/* ---- conditions ---- */

#define CONDITIONS_MAX 12

/* A statement that grows, with its values; parameters are numbered as they come. */
struct asking {
    struct ttp_sink sql;
    struct ttp_db_value value[CONDITIONS_MAX];
    size_t values;
    bool any;
    struct ttp_store *store;
    struct ttp_arena *arena;
};

static void ask_begin(struct asking *a, struct ttp_store *s, const char *sql,
                      struct ttp_arena *arena)
{
    *a = (struct asking){.store = s, .arena = arena};
    ttp_sink_to_arena(&a->sql, arena);
    ttp_sink_put(&a->sql, ttp_str_from(sql));
}

/* "AND column = $n" */
static void ask_where(struct asking *a, const char *condition, struct ttp_db_value v)
{
    a->value[a->values++] = v;
    ttp_sink_printf(&a->sql, " %s %s $%zu", a->any ? "AND" : "WHERE", condition, a->values);
    a->any = true;
}

static void ask_text(struct asking *a, const char *condition, ttp_str s)
{
    if (s.len)
        ask_where(a, condition, ttp_store_db_text(s, a->arena));
}

static void ask_after(struct asking *a, const char *condition, int64_t v)
{
    if (v)
        ask_where(a, condition, ttp_db_int(v));
}

/* Those whose commit begins with these digits. */
static void ask_commit(struct asking *a, ttp_str commit)
{
    struct ttp_sink end;

    if (commit.len == 0)
        return;
    ttp_sink_to_arena(&end, a->arena);
    ttp_sink_put(&end, commit);
    ttp_sink_char(&end, 'g'); /* after all hexadecimal digits */
    ask_where(a, "r.commit_hash >=", ttp_store_db_text(commit, a->arena));
    ask_where(a, "r.commit_hash <", ttp_store_db_text(ttp_sink_text(&end), a->arena));
}

/* `order` NULL: any. */
static ttp_code ask_end(struct ttp_db_table *out, struct asking *a, const char *order, size_t limit,
                        struct ttp_err *err)
{
    if (order)
        ttp_sink_printf(&a->sql, " ORDER BY %s", order);
    if (limit) {
        a->value[a->values++] = ttp_db_int((int64_t)limit);
        ttp_sink_printf(&a->sql, " LIMIT $%zu", a->values);
    }
    const struct ttp_sql sql = {ttp_arena_zstr(a->arena, ttp_sink_text(&a->sql)), a->value,
                                a->values};
    return ttp_store_query(out, a->store, &sql, a->arena, err);
}

/* ---- runs ---- */

ttp_code ttp_store_list(struct ttp_history_runs *out, struct ttp_store *s,
                        const struct ttp_store_filter *filter, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    struct ttp_db_table t;
    struct asking a;

    *out = (struct ttp_history_runs){0};
    ask_begin(&a, s, "SELECT " RUN_COLUMNS " FROM run r", arena);
    ask_text(&a, "r.name =", filter->name);
    ask_text(&a, "r.branch =", filter->branch);
    ask_text(&a, "r.host =", filter->host);
    ask_text(&a, "r.kind =", filter->kind);
    ask_commit(&a, filter->commit);
    ask_after(&a, "r.time_ns >", filter->after_ns);
    ask_after(&a, "r.time_ns <", filter->before_ns);
    /* one more than asked for says whether there are more */
    TTP_TRY(
        ask_end(&t, &a, "r.time_ns DESC, r.id DESC", filter->limit ? filter->limit + 1 : 0, err));
    out->more = filter->limit && t.rows > filter->limit;
    out->count = out->more ? filter->limit : t.rows;
    out->run = TTP_NEW(arena, struct ttp_history_run, out->count);
    for (size_t i = 0; i < out->count; i++)
        take_run(&out->run[i], &t, i);
    return TTP_OK;
}

ttp_code ttp_store_find_commit(struct ttp_history_run *out, struct ttp_store *s, ttp_str commit,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_history_runs runs;
    struct ttp_db_table t;
    struct asking a;

    ask_begin(&a, s, "SELECT DISTINCT r.commit_hash FROM run r", arena);
    ask_commit(&a, commit);
    TTP_TRY(ask_end(&t, &a, "1", 2, err));
    if (t.rows == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "no run of commit '%.*s'", TTP_FMT(commit));
    if (t.rows > 1)
        return ttp_fail(err, TTP_EUSAGE, "'%.*s' matches more than one commit", TTP_FMT(commit));
    const struct ttp_store_filter filter = {.commit = ttp_store_db_get_text(&t, 0, 0), .limit = 1};
    TTP_TRY(ttp_store_list(&runs, s, &filter, arena, err));
    if (runs.count == 0)
        return ttp_fail(err, TTP_ENOTFOUND, "no run of commit '%.*s'", TTP_FMT(commit));
    *out = runs.run[0];
    return TTP_OK;
}

static ttp_code read_notes(struct ttp_history_run *out, struct ttp_store *s,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_db_value id = ttp_db_int(out->id);
    struct ttp_db_table t;

    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){"SELECT time_ns, text FROM note WHERE run = $1 ORDER BY id", &id, 1},
        arena, err));
    for (size_t i = 0; i < t.rows; i++)
        ttp_history_run_add_note(out, ttp_store_db_get_int(&t, i, 0),
                                 ttp_store_db_get_text(&t, i, 1), arena);
    return TTP_OK;
}

static ttp_code parse_samples(struct ttp_run_measure *m, ttp_str text, int64_t count,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    double *v = NULL;
    size_t n = 0;

    if (count > 0 && (uint64_t)count <= text.len)
        v = TTP_NEW(arena, double, (size_t)count);
    text = ttp_str_slice(text, 1, text.len > 1 ? text.len - 1 : 1);
    while (v && text.len && n < (size_t)count) {
        size_t end = ttp_str_find_char(text, ',');

        end = end == TTP_NPOS ? text.len : end;
        if (!ttp_json_to_f64(ttp_str_slice(text, 0, end), &v[n]) || !isfinite(v[n]))
            break;
        n++;
        text = ttp_str_slice(text, end + 1, text.len);
    }
    if (!v || n != (size_t)count || text.len)
        return ttp_fail(err, TTP_EPARSE, "the values of a measurement are damaged");
    m->sample = v;
    m->count = n;
    return TTP_OK;
}

static ttp_code read_measures(struct ttp_history_run *out, struct ttp_store *s,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_db_value id = ttp_db_int(out->id);
    struct ttp_db_table t;

    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){"SELECT l.metric, l.unit, l.variant, l.better, m.target, m.count, "
                          "m.samples FROM measurement m JOIN series l ON l.id = m.series WHERE "
                          "m.run = $1 ORDER BY m.position",
                          &id, 1},
        arena, err));
    for (size_t i = 0; i < t.rows; i++) {
        struct ttp_run_measure *m = ttp_history_run_add_measure(out, arena);

        m->metric = ttp_store_db_get_text(&t, i, 0);
        m->unit = ttp_store_db_get_text(&t, i, 1);
        m->variant = ttp_store_db_get_text(&t, i, 2);
        m->better = ttp_measure_better_of(ttp_store_db_get_text(&t, i, 3));
        m->target = ttp_store_db_get_real(&t, i, 4);
        TTP_TRY(parse_samples(m, ttp_store_db_get_text(&t, i, 6), ttp_store_db_get_int(&t, i, 5),
                              arena, err));
    }
    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){"SELECT time_ns, aiclk_min_mhz, aiclk_max_mhz, temperature_c, power_w, "
                          "load FROM sample WHERE run = $1 ORDER BY position",
                          &id, 1},
        arena, err));
    for (size_t i = 0; i < t.rows; i++)
        *ttp_history_run_add_sample(out, arena) = (struct ttp_run_sample){
            ttp_store_db_get_int(&t, i, 0),  ttp_store_db_get_real(&t, i, 1),
            ttp_store_db_get_real(&t, i, 2), ttp_store_db_get_real(&t, i, 3),
            ttp_store_db_get_real(&t, i, 4), ttp_store_db_get_real(&t, i, 5)};
    return TTP_OK;
}

#define OPS(settings)                                                                              \
    "SELECT k.code, k.shapes, k.datatypes, k.memory, k.fidelity, o.device, o.cores, o.time_ns, "   \
    "o.gap_ns, " settings " FROM op o JOIN op_kind k ON k.id = o.kind WHERE o.run = $1 ORDER BY "  \
    "o.position"

static ttp_code read_ops(struct ttp_history_run *out, struct ttp_store *s, struct ttp_arena *arena,
                         struct ttp_err *err)
{
    const struct ttp_db_value id = ttp_db_int(out->id);
    struct ttp_db_table t;

    ttp_code rc = ttp_store_query(&t, s, &(struct ttp_sql){OPS("k.name, k.chip, k.config"), &id, 1},
                                  arena, err);
    if (rc != TTP_OK && s->salvage) /* of a version before these */
        rc = ttp_store_query(&t, s, &(struct ttp_sql){OPS("'', '', ''"), &id, 1}, arena, err);
    if (rc != TTP_OK)
        return rc;
    out->op = TTP_NEW(arena, struct ttp_run_op, t.rows);
    out->ops = t.rows;
    for (size_t i = 0; i < t.rows; i++)
        out->op[i] =
            (struct ttp_run_op){ttp_store_db_get_text(&t, i, 0),  ttp_store_db_get_text(&t, i, 1),
                                ttp_store_db_get_text(&t, i, 2),  ttp_store_db_get_text(&t, i, 3),
                                ttp_store_db_get_text(&t, i, 4),  ttp_store_db_get_int(&t, i, 5),
                                ttp_store_db_get_int(&t, i, 6),   ttp_store_db_get_real(&t, i, 7),
                                ttp_store_db_get_real(&t, i, 8),  ttp_store_db_get_text(&t, i, 9),
                                ttp_store_db_get_text(&t, i, 10), ttp_store_db_get_text(&t, i, 11)};
    return TTP_OK;
}

static ttp_code read_document(struct ttp_history_run *out, struct ttp_store *s,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_db_value id = ttp_db_int(out->id);
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_db_table t;
    ttp_code rc = TTP_OK;

    TTP_TRY(ttp_store_query(
        &t, s,
        &(struct ttp_sql){"SELECT name, packing, size, bytes FROM document WHERE run = $1", &id, 1},
        arena, err));
    if (t.rows == 0)
        return TTP_OK;
    const int64_t size = ttp_store_db_get_int(&t, 0, 2);
    out->document_name = ttp_store_db_get_text(&t, 0, 0);
    out->document = ttp_store_db_get_text(&t, 0, 3);
    if (size < 0 || size > DOCUMENT_MAX)
        rc = ttp_fail(err, TTP_EPARSE, "its size is invalid");
    else if (ttp_str_eq(ttp_store_db_get_text(&t, 0, 1), TTP_STR("zstd")))
        rc = ttp_zstd_unpack(&out->document, out->document, (size_t)size, arena, err);
    ttp_sha256_hex(digest, out->document);
    if (rc == TTP_OK && !ttp_str_eq(ttp_str_from(digest), out->digest))
        rc = ttp_fail(err, TTP_EPARSE, "its bytes were changed");
    if (rc == TTP_EPARSE) {
        struct ttp_err why = err ? *err : (struct ttp_err){0};
        ttp_fail(err, TTP_EPARSE, "the document of run %lld is damaged: %.120s", (long long)out->id,
                 why.text);
    }
    return rc;
}

ttp_code ttp_store_read(struct ttp_history_run *out, struct ttp_store *s, int64_t id,
                        unsigned parts, struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_db_value value = ttp_db_int(id);
    struct ttp_db_table t;
    ttp_code rc = ttp_store_query(&t, s,
                                  &(struct ttp_sql){"SELECT " RUN_COLUMNS
                                                    ", m.key, m.facts FROM run r LEFT JOIN "
                                                    "machine m ON m.id = r.machine WHERE r.id = $1",
                                                    &value, 1},
                                  arena, err);

    if (rc != TTP_OK && s->salvage) /* what is left of it */
        rc = ttp_store_query(&t, s,
                             &(struct ttp_sql){"SELECT " RUN_COLUMNS
                                               ", '', '' FROM run r WHERE r.id = $1",
                                               &value, 1},
                             arena, err);
    if (rc != TTP_OK)
        return rc;
    if (t.rows == 0) {
        ttp_fail(err, TTP_ENOTFOUND, "no run %lld in the history", (long long)id);
        ttp_err_hint(err, "'tt-perf history list' lists them");
        return TTP_ENOTFOUND;
    }
    take_run(out, &t, 0);
    out->machine_key = ttp_store_db_get_text(&t, 0, 17);
    out->machine_facts = ttp_store_db_get_text(&t, 0, 18);
    rc = read_notes(out, s, arena, err);
    if (rc != TTP_OK && !s->salvage)
        return rc;
    if (parts & TTP_PART_MEASURES)
        TTP_TRY(read_measures(out, s, arena, err));
    if (parts & TTP_PART_OPS)
        TTP_TRY(read_ops(out, s, arena, err));
    return parts & TTP_PART_DOCUMENT ? read_document(out, s, arena, err) : TTP_OK;
}

ttp_code ttp_store_ids(int64_t **out, size_t *count, struct ttp_store *s, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    /* if the table of runs is unreadable, its index or the documents may have them */
    static const char *const questions[] = {
        "SELECT id FROM run NOT INDEXED ORDER BY id",
        "SELECT id FROM run ORDER BY time_ns, id",
        "SELECT run FROM document ORDER BY run",
    };
    struct ttp_db_table t;
    ttp_code rc;

    if (s->salvage) {
        rc = TTP_EPARSE;
        for (size_t i = 0; i < TTP_COUNT(questions) && rc != TTP_OK; i++)
            rc = ttp_store_query(&t, s, &(struct ttp_sql){.text = questions[i]}, arena, err);
    } else {
        rc = ttp_store_query(&t, s, &(struct ttp_sql){.text = "SELECT id FROM run ORDER BY id"},
                             arena, err);
    }
    if (rc != TTP_OK)
        return rc;
    *count = t.rows;
    *out = TTP_NEW(arena, int64_t, t.rows);
    for (size_t i = 0; i < t.rows; i++)
        (*out)[i] = ttp_store_db_get_int(&t, i, 0);
    return TTP_OK;
}

/* ---- lines ---- */

static int by_name(const void *a, const void *b)
{
    const struct ttp_series *x = a, *y = b;
    const ttp_str left[] = {x->name, x->metric, x->variant, x->machine_key, x->unit};
    const ttp_str right[] = {y->name, y->metric, y->variant, y->machine_key, y->unit};

    for (size_t i = 0; i < TTP_COUNT(left); i++) {
        const int order = ttp_str_cmp(left[i], right[i]);
        if (order)
            return order;
    }
    return (x->id > y->id) - (x->id < y->id);
}

ttp_code ttp_store_series(struct ttp_series_list *out, struct ttp_store *s,
                          const struct ttp_series_key *key, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_db_table t;
    struct asking a;

    ask_begin(
        &a, s,
        "SELECT l.id, l.name, l.metric, l.unit, l.variant, l.better, m.key FROM series l JOIN "
        "machine m ON m.id = l.machine",
        arena);
    ask_text(&a, "l.metric =", key->metric);
    ask_text(&a, "l.name =", key->name);
    TTP_TRY(ask_end(&t, &a, NULL, 0, err));
    struct ttp_series *all = TTP_NEW(arena, struct ttp_series, t.rows);
    for (size_t i = 0; i < t.rows; i++)
        all[i] = (struct ttp_series){
            .id = ttp_store_db_get_int(&t, i, 0),
            .name = ttp_store_db_get_text(&t, i, 1),
            .metric = ttp_store_db_get_text(&t, i, 2),
            .unit = ttp_store_db_get_text(&t, i, 3),
            .variant = ttp_store_db_get_text(&t, i, 4),
            .better = ttp_measure_better_of(ttp_store_db_get_text(&t, i, 5)),
            .machine_key = ttp_store_db_get_text(&t, i, 6),
        };
    /* here and not by the database: their alphabets differ */
    TTP_SORT(all, t.rows, by_name);
    *out = (struct ttp_series_list){all, t.rows};
    return TTP_OK;
}

ttp_code ttp_store_points(struct ttp_series_points *out, struct ttp_store *s,
                          const struct ttp_store_span *span, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_db_table t;
    struct asking a;

    ask_begin(&a, s,
              "SELECT m.run, m.time_ns, m.median, m.low, m.high, m.count, r.commit_hash, r.branch, "
              "r.host FROM measurement m JOIN run r ON r.id = m.run",
              arena);
    ask_where(&a, "m.series =", ttp_db_int(span->series));
    ask_after(&a, "m.time_ns >", span->after_ns);
    ask_after(&a, "m.time_ns <=", span->until_ns);
    ask_text(&a, "r.branch =", span->branch);
    ask_text(&a, "r.host =", span->host);
    TTP_TRY(ask_end(&t, &a, "m.time_ns DESC, m.run DESC, m.position DESC", span->limit, err));
    struct ttp_series_point *point = TTP_NEW(arena, struct ttp_series_point, t.rows);
    for (size_t i = 0; i < t.rows; i++)
        point[t.rows - 1 - i] = (struct ttp_series_point){
            .run = ttp_store_db_get_int(&t, i, 0),
            .time_ns = ttp_store_db_get_int(&t, i, 1),
            .median = ttp_store_db_get_real(&t, i, 2),
            .low = ttp_store_db_get_real(&t, i, 3),
            .high = ttp_store_db_get_real(&t, i, 4),
            .count = ttp_store_db_get_int(&t, i, 5),
            .commit = ttp_store_db_get_text(&t, i, 6),
            .branch = ttp_store_db_get_text(&t, i, 7),
            .host = ttp_store_db_get_text(&t, i, 8),
        };
    *out = (struct ttp_series_points){point, t.rows};
    return TTP_OK;
}
