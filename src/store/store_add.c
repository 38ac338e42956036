/* SPDX-License-Identifier: Apache-2.0 */
/* store_add.c - a run into its tables, in one transaction. */
#include "base/clock.h"
#include "base/compress.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "store/store_internal.h"

/* Of one statement: enough that its costs are shared, few enough for SQLite's parameters. */
#define OPS_AT_ONCE 100
#define OP_COLUMNS  7

struct adding {
    struct ttp_store *store;
    const struct ttp_history_run *run;
    int64_t id, time_ns, now_ns, machine;
    int64_t *kind; /* of each op */
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_arena arena;
    struct ttp_err *err;
};

static struct ttp_db_value text(struct adding *a, ttp_str s)
{
    return ttp_store_db_text(s, &a->arena);
}

static ttp_code ask(struct ttp_db_table *out, struct adding *a, const char *sql,
                    const struct ttp_db_value *value, size_t values)
{
    return ttp_store_query(out, a->store, &(struct ttp_sql){sql, value, values}, &a->arena, a->err);
}

/* ---- rows that runs share ---- */

static void cache_clear(struct ttp_id_cache *c)
{
    ttp_arena_free(&c->arena);
    *c = (struct ttp_id_cache){0};
}

static bool cache_find(int64_t *out, const struct ttp_id_cache *c, ttp_str key)
{
    ttp_sym sym;

    if (c->key.count == 0 || !ttp_sym_find(&c->key, key, &sym))
        return false;
    *out = c->id[sym];
    return true;
}

static void cache_put(struct ttp_id_cache *c, ttp_str key, int64_t id)
{
    c->key.arena = &c->arena;
    const ttp_sym sym = ttp_sym_intern(&c->key, key);
    TTP_RESERVE(&c->arena, c->id, (size_t)sym + 1, c->cap);
    c->id[sym] = id;
}

/* How a row is found by the first values, and added with all of them. */
struct shared_sql {
    const char *find;
    size_t find_values;
    const char *insert;
    const struct ttp_db_value *value;
    size_t values;
};

/* The id of a row that has these values, which is added if there is none. */
static ttp_code shared_row(int64_t *out, struct adding *a, struct ttp_id_cache *cache, ttp_str key,
                           struct shared_sql sql)
{
    struct ttp_db_table t;

    if (cache_find(out, cache, key))
        return TTP_OK;
    TTP_TRY(ask(&t, a, sql.find, sql.value, sql.find_values));
    if (t.rows == 0)
        TTP_TRY(ask(&t, a, sql.insert, sql.value, sql.values));
    if (t.rows == 0)
        return ttp_fail(a->err, TTP_EIO, "the database did not return the ID of a new row");
    *out = ttp_store_db_get_int(&t, 0, 0);
    cache_put(cache, key, *out);
    return TTP_OK;
}

static ttp_code add_machine(struct adding *a)
{
    const struct ttp_db_value value[] = {text(a, a->run->machine_key),
                                         text(a, a->run->machine_facts)};

    return shared_row(
        &a->machine, a, &a->store->machines, a->run->machine_key,
        (struct shared_sql){"SELECT id FROM machine WHERE key = $1", 1,
                            "INSERT INTO machine (key, facts) VALUES ($1, $2) RETURNING id", value,
                            2});
}

static ttp_code series_of(int64_t *out, struct adding *a, const struct ttp_run_measure *m)
{
    const struct ttp_db_value value[] = {
        text(a, m->metric),  text(a, a->run->name),
        text(a, m->variant), ttp_db_int(a->machine),
        text(a, m->unit),    text(a, ttp_str_from(ttp_measure_better_word(m->better))),
    };
    struct ttp_sink key;

    ttp_sink_to_arena(&key, &a->arena);
    ttp_sink_printf(&key, "%lld%c", (long long)a->machine,
                    m->better == TTP_BETTER_HIGHER ? '+' : '-');
    for (size_t i = 0; i < 5; i++)
        if (i != 3) {
            ttp_sink_put(&key, value[i].s);
            ttp_sink_char(&key, '\0'); /* in none of them */
        }
    return shared_row(
        out, a, &a->store->series, ttp_sink_text(&key),
        (struct shared_sql){
            "SELECT id FROM series WHERE metric = $1 AND name = $2 AND variant = $3 AND "
            "machine = $4 AND unit = $5 AND better = $6",
            6,
            "INSERT INTO series (metric, name, variant, machine, unit, better) VALUES "
            "($1, $2, $3, $4, $5, $6) RETURNING id",
            value, 6});
}

static ttp_code kind_of(int64_t *out, struct adding *a, const struct ttp_run_op *op)
{
    const ttp_str part[] = {op->code,     op->shapes, op->datatypes, op->memory,
                            op->fidelity, op->name,   op->chip,      op->config};
    struct ttp_db_value value[TTP_COUNT(part) + 1];
    char digest[TTP_SHA256_HEX + 1];
    struct ttp_sink key;

    ttp_sink_to_arena(&key, &a->arena);
    for (size_t i = 0; i < TTP_COUNT(part); i++) {
        value[i + 1] = text(a, part[i]);
        ttp_sink_put(&key, value[i + 1].s);
        ttp_sink_char(&key, '\0');
    }
    if (cache_find(out, &a->store->kinds, ttp_sink_text(&key)))
        return TTP_OK;
    ttp_sha256_hex(digest, ttp_sink_text(&key));
    value[0] = text(a, ttp_str_from(digest));
    return shared_row(out, a, &a->store->kinds, ttp_sink_text(&key),
                      (struct shared_sql){
                          "SELECT id FROM op_kind WHERE digest = $1", 1,
                          "INSERT INTO op_kind (digest, code, shapes, datatypes, memory, fidelity, "
                          "name, chip, config) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                          "RETURNING id",
                          value, TTP_COUNT(value)});
}

/* ---- rows of the run itself ---- */

static ttp_code add_run(struct adding *a)
{
    const struct ttp_history_run *r = a->run;
    const struct ttp_db_value value[] = {
        ttp_db_int(a->time_ns),
        ttp_db_int(a->now_ns),
        text(a, r->name),
        text(a, r->kind),
        text(a, r->source),
        text(a, r->project),
        text(a, r->branch),
        text(a, r->commit),
        text(a, r->commit_time),
        ttp_db_int(r->dirty),
        text(a, r->host),
        text(a, r->board),
        ttp_db_int(a->machine),
        ttp_db_int(r->op_count),
        ttp_db_real(r->op_count ? r->device_s : NAN),
        ttp_db_real(r->op_count ? r->gap_s : NAN),
        text(a, ttp_str_from(a->digest)),
    };
    struct ttp_db_table t;

    TTP_TRY(ask(&t, a,
                "INSERT INTO run (time_ns, added_ns, name, kind, source, project, branch, "
                "commit_hash, commit_time, dirty, host, board, machine, op_count, device_s, gap_s, "
                "digest) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
                "$16, $17) RETURNING id",
                value, TTP_COUNT(value)));
    a->id = t.rows ? ttp_store_db_get_int(&t, 0, 0) : 0;
    return TTP_OK;
}

static ttp_code add_document(struct adding *a)
{
    const bool packs = ttp_compress_supports(TTP_COMPRESS_ZSTD);
    ttp_str bytes = a->run->document;

    if (bytes.len == 0)
        return TTP_OK;
    if (packs)
        TTP_TRY(ttp_zstd_pack(&bytes, a->run->document, &a->arena, a->err));
    const struct ttp_db_value value[] = {
        ttp_db_int(a->id),
        text(a, a->run->document_name),
        text(a, packs ? TTP_STR("zstd") : TTP_STR("none")),
        ttp_db_int((int64_t)a->run->document.len),
        ttp_db_blob(bytes),
    };
    return ask(NULL, a,
               "INSERT INTO document (run, name, packing, size, bytes) VALUES ($1, $2, $3, $4, $5)",
               value, TTP_COUNT(value));
}

static const char *ops_sql(size_t rows, struct ttp_arena *arena)
{
    struct ttp_sink sql;
    unsigned n = 0;

    ttp_sink_to_arena(&sql, arena);
    ttp_sink_put(&sql, TTP_STR("INSERT INTO op (run, position, kind, device, cores, time_ns, "
                               "gap_ns) VALUES "));
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < OP_COLUMNS; c++)
            ttp_sink_printf(&sql, "%s$%u%s",
                            c   ? ","
                            : r ? ",("
                                : "(",
                            ++n, c == OP_COLUMNS - 1 ? ")" : "");
    return ttp_arena_zstr(arena, ttp_sink_text(&sql));
}

static ttp_code add_ops(struct adding *a)
{
    const struct ttp_history_run *r = a->run;
    struct ttp_db_value value[OPS_AT_ONCE * OP_COLUMNS];

    a->kind = TTP_NEW(&a->arena, int64_t, r->ops ? r->ops : 1);
    if (!a->store->many_ops)
        a->store->many_ops = ops_sql(OPS_AT_ONCE, &a->store->arena);
    for (size_t from = 0; from < r->ops; from += OPS_AT_ONCE) {
        const size_t rows = r->ops - from < OPS_AT_ONCE ? r->ops - from : OPS_AT_ONCE;
        struct ttp_db_value *v = value;

        for (size_t i = from; i < from + rows; i++) {
            const struct ttp_run_op *op = &r->op[i];

            TTP_TRY(kind_of(&a->kind[i], a, op));
            *v++ = ttp_db_int(a->id);
            *v++ = ttp_db_int((int64_t)i);
            *v++ = ttp_db_int(a->kind[i]);
            *v++ = ttp_db_int(op->device);
            *v++ = ttp_db_int(op->cores);
            *v++ = ttp_db_real(op->time_ns);
            *v++ = ttp_db_real(op->gap_ns);
        }
        TTP_TRY(ask(NULL, a, rows == OPS_AT_ONCE ? a->store->many_ops : ops_sql(rows, &a->arena),
                    value, rows * OP_COLUMNS));
    }
    return TTP_OK;
}

/* "[1.5,1.6]" */
static ttp_str samples_text(const struct ttp_run_measure *m, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_char(&out, '[');
    for (size_t i = 0; i < m->count; i++) {
        if (i)
            ttp_sink_char(&out, ',');
        ttp_sink_f64(&out, m->sample[i], TTP_NUM_JSON);
    }
    ttp_sink_char(&out, ']');
    return ttp_sink_text(&out);
}

static ttp_code add_measure(struct adding *a, size_t position)
{
    const struct ttp_run_measure *m = &a->run->measure[position];
    int64_t series = 0;

    for (size_t i = 0; i < m->count; i++)
        if (!isfinite(m->sample[i]))
            return ttp_fail(a->err, TTP_EPARSE, "a value of '%.*s' is not finite",
                            TTP_FMT(ttp_str_slice(m->metric, 0, 80)));
    if (m->count == 0)
        return TTP_OK;
    const double *sorted = ttp_stats_sorted(m->sample, m->count, &a->arena);
    TTP_TRY(series_of(&series, a, m));
    const struct ttp_db_value value[] = {
        ttp_db_int(series),
        ttp_db_int(a->time_ns),
        ttp_db_int(a->id),
        ttp_db_int((int64_t)position),
        ttp_db_int((int64_t)m->count),
        ttp_db_real(ttp_stats_quantile(sorted, m->count, 0.5)),
        ttp_db_real(sorted[0]),
        ttp_db_real(sorted[m->count - 1]),
        ttp_db_real(m->target),
        text(a, samples_text(m, &a->arena)),
    };
    return ask(NULL, a,
               "INSERT INTO measurement (series, time_ns, run, position, count, median, low, high, "
               "target, samples) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
               value, TTP_COUNT(value));
}

static ttp_code add_sample(struct adding *a, size_t position)
{
    const struct ttp_run_sample *m = &a->run->sample[position];
    const struct ttp_db_value value[] = {
        ttp_db_int(a->id),
        ttp_db_int((int64_t)position),
        ttp_db_int(m->time_ns),
        ttp_db_real(m->aiclk_min_mhz),
        ttp_db_real(m->aiclk_max_mhz),
        ttp_db_real(m->temperature_c),
        ttp_db_real(m->power_w),
        ttp_db_real(m->load),
    };

    return ask(NULL, a,
               "INSERT INTO sample (run, position, time_ns, aiclk_min_mhz, aiclk_max_mhz, "
               "temperature_c, power_w, load) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
               value, TTP_COUNT(value));
}

static ttp_code add_note(struct adding *a, int64_t time_ns, ttp_str note)
{
    const struct ttp_db_value value[] = {ttp_db_int(a->id), ttp_db_int(time_ns), text(a, note)};

    return ask(NULL, a, "INSERT INTO note (run, time_ns, text) VALUES ($1, $2, $3)", value,
               TTP_COUNT(value));
}

/* ---- all of it ---- */

static ttp_code find_same(struct adding *a)
{
    const struct ttp_history_run *r = a->run;
    const struct ttp_db_value value[] = {text(a, ttp_str_from(a->digest)), text(a, r->name),
                                         text(a, r->commit), ttp_db_int(a->time_ns)};
    struct ttp_db_table t;

    TTP_TRY(ask(&t, a,
                r->document.len ? "SELECT id FROM run WHERE digest = $1 AND name = $2 AND "
                                  "commit_hash = $3 ORDER BY id LIMIT 1"
                                : "SELECT id FROM run WHERE digest = $1 AND name = $2 AND "
                                  "commit_hash = $3 AND time_ns = $4 ORDER BY id LIMIT 1",
                value, r->document.len ? 3 : 4));
    a->id = t.rows ? ttp_store_db_get_int(&t, 0, 0) : 0;
    return TTP_OK;
}

static ttp_code add_parts(struct adding *a)
{
    const struct ttp_history_run *r = a->run;

    for (size_t i = 0; i < r->measures; i++)
        TTP_TRY(add_measure(a, i));
    for (size_t i = 0; i < r->samples; i++)
        TTP_TRY(add_sample(a, i));
    for (size_t i = 0; i < r->notes; i++)
        TTP_TRY(add_note(a, r->note[i].time_ns ? r->note[i].time_ns : a->now_ns, r->note[i].text));
    return TTP_OK;
}

static ttp_code add_all(struct adding *a)
{
    TTP_TRY(add_machine(a));
    TTP_TRY(add_run(a));
    TTP_TRY(add_document(a));
    TTP_TRY(add_ops(a));
    const struct ttp_added_ops ops = {a->run->op, a->kind, a->run->ops, a->id};
    TTP_TRY(ttp_store_add_best(a->store, &ops, &a->arena, a->err));
    return add_parts(a);
}

ttp_code ttp_store_add(struct ttp_store_added *out, struct ttp_store *s,
                       const struct ttp_history_run *run, bool again, struct ttp_err *err)
{
    struct adding a = {.store = s, .run = run, .now_ns = ttp_clock_unix_ns(), .err = err};

    *out = (struct ttp_store_added){0};
    a.time_ns = run->time_ns ? run->time_ns : a.now_ns;
    ttp_sha256_hex(a.digest, run->document);
    ttp_code rc = ttp_db_exec(s->db, s->db->kind->begin, err);
    if (rc == TTP_OK) {
        if (!again)
            rc = find_same(&a);
        out->known = a.id != 0;
        if (rc == TTP_OK && !out->known)
            rc = add_all(&a);
        rc = ttp_store_db_finish(s->db, rc, err);
    }
    if (rc != TTP_OK) {
        cache_clear(&s->kinds);
        cache_clear(&s->series);
        cache_clear(&s->machines);
    }
    out->id = a.id;
    ttp_arena_free(&a.arena);
    return rc;
}

ttp_code ttp_store_add_note(struct ttp_store *s, int64_t run, ttp_str note, struct ttp_err *err)
{
    struct adding a = {.store = s, .id = run, .now_ns = ttp_clock_unix_ns(), .err = err};
    const struct ttp_db_value value = ttp_db_int(run);
    struct ttp_db_table t = {0};

    ttp_code rc = ttp_db_exec(s->db, s->db->kind->begin, err);
    if (rc == TTP_OK) {
        rc = ask(&t, &a, "SELECT id FROM run WHERE id = $1", &value, 1);
        if (rc == TTP_OK && t.rows == 0)
            rc = ttp_fail(err, TTP_ENOTFOUND, "no run %lld in the history", (long long)run);
        if (rc == TTP_OK)
            rc = add_note(&a, a.now_ns, note);
        rc = ttp_store_db_finish(s->db, rc, err);
    }
    ttp_arena_free(&a.arena);
    return rc;
}
