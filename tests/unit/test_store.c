/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for both databases: a file of SQLite, or, where TTP_TEST_STORE names one (see
 * tests/store_postgresql.sh), a database of PostgreSQL, emptied before each test. */
#include "store_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sha256.h"
#include "store/store_internal.h"

static struct ttp_db *open_raw(const struct place *p)
{
    struct ttp_db *db = NULL;
    struct ttp_err err = {0};
    const ttp_code rc = getenv("TTP_TEST_STORE")
                            ? ttp_store_db_open_postgres(&db, p->where, TTP_STORE_WRITE, &err)
                            : ttp_store_db_open_sqlite(&db, p->where, TTP_STORE_WRITE, &err);

    if (rc != TTP_OK)
        fail_msg("%s", err.text);
    return db;
}

static int setup(void **state)
{
    const char *uri = getenv("TTP_TEST_STORE");
    struct place *p = place_make(state, "deep/er/history.db");

    if (uri) {
        p->where = uri;
        struct ttp_db *db = open_raw(p);
        assert_int_equal(ttp_db_exec(db, "DROP SCHEMA IF EXISTS tt_perf CASCADE", NULL), TTP_OK);
        db->kind->close(db);
    }
    return 0;
}

static const double values[] = {1.5, 0.1 + 0.2, 2.25};

/* A run with something in every part. */
static struct ttp_history_run make_run(struct ttp_arena *arena, const char *name, int64_t time_ns,
                                       double value)
{
    struct ttp_history_run r = {
        .time_ns = time_ns,
        .name = ttp_str_from(name),
        .kind = TTP_STR("bench"),
        .source = TTP_STR("run.json"),
        .project = TTP_STR("model"),
        .branch = TTP_STR("main"),
        .commit = TTP_STR("0123456789abcdef"),
        .commit_time = TTP_STR("2026-01-01T00:00:00Z"),
        .dirty = true,
        .host = TTP_STR("lab-1"),
        .board = TTP_STR("p150a"),
        .machine_key = TTP_STR("cpu=x"),
        .machine_facts = TTP_STR("{\"cpu\":\"x\"}"),
        .document_name = TTP_STR("run.json"),
    };
    struct ttp_sink doc;
    double *v = TTP_NEW(arena, double, 1);

    *v = value;
    ttp_sink_to_arena(&doc, arena);
    ttp_sink_printf(&doc, "%s %lld %.17g", name, (long long)time_ns, value);
    ttp_sink_put(&doc, (ttp_str){"\0\xff\n\r", 4});
    r.document = ttp_sink_text(&doc);
    struct ttp_run_measure *m = ttp_history_run_add_measure(&r, arena);
    m->metric = TTP_STR("wall");
    m->unit = TTP_STR("s");
    m->sample = v;
    m->count = 1;
    return r;
}

static int64_t add(struct ttp_store *s, const struct ttp_history_run *run)
{
    struct ttp_store_added added;
    struct ttp_err err = {0};

    if (ttp_store_add(&added, s, run, false, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_false(added.known);
    return added.id;
}

static void assert_str(ttp_str got, ttp_str want)
{
    if (!ttp_str_eq(got, want))
        fail_msg("'%.*s' is not '%.*s'", TTP_FMT(got), TTP_FMT(want));
}

static void assert_f64(double got, double want)
{
    if (isnan(want) ? !isnan(got) : got != want)
        fail_msg("%.17g is not %.17g", got, want);
}

static void assert_same_measures(const struct ttp_history_run *got,
                                 const struct ttp_history_run *want)
{
    assert_int_equal(got->measures, want->measures);
    for (size_t i = 0; i < want->measures; i++) {
        const struct ttp_run_measure *a = &got->measure[i], *b = &want->measure[i];
        assert_str(a->metric, b->metric);
        assert_str(a->unit, b->unit);
        assert_str(a->variant, b->variant);
        assert_int_equal(a->better, b->better);
        assert_f64(a->target, b->target);
        assert_int_equal(a->count, b->count);
        for (size_t k = 0; k < b->count; k++)
            assert_f64(a->sample[k], b->sample[k]);
    }
    assert_int_equal(got->samples, want->samples);
    for (size_t i = 0; i < want->samples; i++) {
        assert_int_equal(got->sample[i].time_ns, want->sample[i].time_ns);
        assert_f64(got->sample[i].aiclk_max_mhz, want->sample[i].aiclk_max_mhz);
        assert_f64(got->sample[i].power_w, want->sample[i].power_w);
        assert_f64(got->sample[i].load, want->sample[i].load);
    }
}

static void assert_same_ops(const struct ttp_history_run *got, const struct ttp_history_run *want)
{
    assert_int_equal(got->ops, want->ops);
    for (size_t i = 0; i < want->ops; i++) {
        assert_str(got->op[i].code, want->op[i].code);
        assert_str(got->op[i].shapes, want->op[i].shapes);
        assert_str(got->op[i].datatypes, want->op[i].datatypes);
        assert_str(got->op[i].memory, want->op[i].memory);
        assert_str(got->op[i].fidelity, want->op[i].fidelity);
        assert_int_equal(got->op[i].device, want->op[i].device);
        assert_int_equal(got->op[i].cores, want->op[i].cores);
        assert_f64(got->op[i].time_ns, want->op[i].time_ns);
        assert_f64(got->op[i].gap_ns, want->op[i].gap_ns);
    }
}

static void give_ops(struct ttp_history_run *r, size_t count, struct ttp_arena *arena)
{
    static const char *const codes[] = {"Matmul", "LayerNorm", "Matmul", "Add, \"quoted\""};

    r->op = TTP_NEW(arena, struct ttp_run_op, count);
    r->ops = count;
    r->op_count = (int64_t)count;
    r->device_s = 0.25;
    r->gap_s = 0.125;
    for (size_t i = 0; i < count; i++)
        r->op[i] = (struct ttp_run_op){.code = ttp_str_from(codes[i % 4]),
                                       .shapes = i % 3 ? TTP_STR("32x64") : TTP_STR(""),
                                       .datatypes = TTP_STR("BF16"),
                                       .device = (int64_t)(i % 2),
                                       .cores = i % 5 ? 64 : -1,
                                       .time_ns = i % 7 ? 1000.5 + (double)i : NAN,
                                       .gap_ns = (double)i};
}

static void test_store__a_run_is_read_back_as_it_was(void **state)
{
    struct place *p = *state;
    struct ttp_arena *arena = &p->arena;
    struct ttp_history_run run = make_run(arena, "model", 1700000000123456789, 1.5), got;
    struct ttp_err err = {0};
    struct ttp_run_measure *m = ttp_history_run_add_measure(&run, arena);

    *m = (struct ttp_run_measure){.metric = TTP_STR("fps"),
                                  .unit = TTP_STR("fps"),
                                  .variant = TTP_STR("batch=8"),
                                  .better = TTP_BETTER_HIGHER,
                                  .sample = values,
                                  .count = 3,
                                  .target = 2.5};
    struct ttp_run_sample *sample = ttp_history_run_add_sample(&run, arena);
    sample->time_ns = 1700000000123456000;
    sample->aiclk_max_mhz = 1350;
    sample->power_w = 0.1;
    ttp_history_run_add_note(&run, 7, TTP_STR("as measured"), arena);
    give_ops(&run, 1234, arena);

    struct ttp_store *s = open_store(p);
    const int64_t id = add(s, &run);
    ttp_store_close(s);
    s = open_store(p);
    if (ttp_store_read(&got, s, id, TTP_PARTS_ALL, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(got.id, id);
    assert_int_equal(got.time_ns, run.time_ns);
    assert_true(got.added_ns > 0);
    assert_str(got.name, run.name);
    assert_str(got.kind, run.kind);
    assert_str(got.source, run.source);
    assert_str(got.project, run.project);
    assert_str(got.branch, run.branch);
    assert_str(got.commit, run.commit);
    assert_str(got.commit_time, run.commit_time);
    assert_true(got.dirty);
    assert_str(got.host, run.host);
    assert_str(got.board, run.board);
    assert_str(got.machine_key, run.machine_key);
    assert_str(got.machine_facts, run.machine_facts);
    assert_f64(got.device_s, 0.25);
    assert_f64(got.gap_s, 0.125);
    assert_int_equal(got.op_count, 1234);
    assert_str(got.document, run.document);
    assert_str(got.document_name, run.document_name);
    assert_int_equal(got.notes, 1);
    assert_int_equal(got.note[0].time_ns, 7);
    assert_str(got.note[0].text, TTP_STR("as measured"));
    assert_same_measures(&got, &run);
    assert_same_ops(&got, &run);
    ttp_store_close(s);
}

static void test_store__the_same_document_is_kept_once_unless_asked(void **state)
{
    struct place *p = *state;
    struct ttp_history_run run = make_run(&p->arena, "model", 5, 1.5);
    struct ttp_store_added added;
    struct ttp_store *s = open_store(p);
    const int64_t id = add(s, &run);

    run.time_ns = 6; /* a file that was copied has another time */
    assert_int_equal(ttp_store_add(&added, s, &run, false, NULL), TTP_OK);
    assert_true(added.known);
    assert_int_equal(added.id, id);
    assert_int_equal(ttp_store_add(&added, s, &run, true, NULL), TTP_OK);
    assert_false(added.known);
    assert_true(added.id > id);
    run.commit = TTP_STR("fedcba");
    (void)add(s, &run);
    run.name = TTP_STR("other");
    (void)add(s, &run);
    /* without a document the time tells runs apart */
    run.document = (ttp_str){0};
    const int64_t bare = add(s, &run);
    assert_int_equal(ttp_store_add(&added, s, &run, false, NULL), TTP_OK);
    assert_true(added.known && added.id == bare);
    run.time_ns = 7;
    (void)add(s, &run);
    ttp_store_close(s);
}

static size_t count_runs(struct ttp_store *s, const struct ttp_store_filter *filter,
                         struct ttp_history_runs *runs, struct ttp_arena *arena)
{
    struct ttp_err err = {0};

    if (ttp_store_list(runs, s, filter, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    return runs->count;
}

static void test_store__list_shows_the_newest_first_and_filters(void **state)
{
    struct place *p = *state;
    struct ttp_arena *arena = &p->arena;
    struct ttp_store *s = open_store(p);
    struct ttp_history_runs runs;

    assert_int_equal(count_runs(s, &(struct ttp_store_filter){.limit = 3}, &runs, arena), 0);
    for (int i = 0; i < 10; i++) {
        struct ttp_history_run run = make_run(arena, i % 2 ? "odd" : "even", 1000 - i, i);
        run.branch = i < 5 ? TTP_STR("main") : TTP_STR("topic");
        run.commit = i == 3 ? TTP_STR("abcd12") : i == 4 ? TTP_STR("abce") : TTP_STR("abf0");
        (void)add(s, &run);
    }
    assert_int_equal(count_runs(s, &(struct ttp_store_filter){.limit = 3}, &runs, arena), 3);
    assert_true(runs.more);
    assert_int_equal(runs.run[0].time_ns, 1000);
    assert_int_equal(runs.run[2].time_ns, 998);
    assert_int_equal(count_runs(s, &(struct ttp_store_filter){.limit = 10}, &runs, arena), 10);
    assert_false(runs.more);
    const struct {
        struct ttp_store_filter filter;
        size_t count;
    } cases[] = {
        {{.name = TTP_STR("odd")}, 5},
        {{.name = TTP_STR("od")}, 0},
        {{.branch = TTP_STR("topic")}, 5},
        {{.name = TTP_STR("odd"), .branch = TTP_STR("topic")}, 3},
        {{.commit = TTP_STR("abc")}, 2},
        {{.commit = TTP_STR("abcd")}, 1},
        {{.commit = TTP_STR("abcd12")}, 1},
        {{.commit = TTP_STR("abcd123")}, 0},
        {{.after_ns = 995}, 5},
        {{.after_ns = 995, .before_ns = 1000}, 4},
        {{.host = TTP_STR("lab-1"), .kind = TTP_STR("bench")}, 10},
        {{.kind = TTP_STR("ops")}, 0},
    };
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_int_equal(count_runs(s, &cases[i].filter, &runs, arena), cases[i].count);

    struct ttp_history_run found;
    struct ttp_err err = {0};
    assert_int_equal(ttp_store_find_commit(&found, s, TTP_STR("abf"), arena, &err), TTP_OK);
    assert_int_equal(found.time_ns, 1000);
    assert_int_equal(ttp_store_find_commit(&found, s, TTP_STR("abc"), arena, &err), TTP_EUSAGE);
    assert_int_equal(ttp_store_find_commit(&found, s, TTP_STR("ff"), arena, &err), TTP_ENOTFOUND);
    ttp_store_close(s);
}

static void test_store__lines_are_by_name_metric_variant_and_machine(void **state)
{
    struct place *p = *state;
    struct ttp_arena *arena = &p->arena;
    struct ttp_store *s = open_store(p);
    struct ttp_series_list all;
    struct ttp_series_points points;

    for (int i = 0; i < 6; i++) {
        struct ttp_history_run run = make_run(arena, "model", 100 + i, 10 + i);
        run.machine_key = i % 3 == 2 ? TTP_STR("cpu=y") : TTP_STR("cpu=x");
        run.branch = i == 0 ? TTP_STR("topic") : TTP_STR("main");
        (void)add(s, &run);
    }
    struct ttp_history_run other = make_run(arena, "Another", 50, 1);
    (void)add(s, &other);
    assert_int_equal(ttp_store_series(&all, s,
                                      &(struct ttp_series_key){TTP_STR("wall"), TTP_STR("")}, arena,
                                      NULL),
                     TTP_OK);
    assert_int_equal(all.count, 3);
    assert_str(all.series[0].name,
               TTP_STR("Another")); /* in the order of bytes, in both databases */
    assert_str(all.series[1].machine_key, TTP_STR("cpu=x"));
    assert_str(all.series[2].machine_key, TTP_STR("cpu=y"));
    assert_int_equal(ttp_store_series(&all, s,
                                      &(struct ttp_series_key){TTP_STR("fps"), TTP_STR("")}, arena,
                                      NULL),
                     TTP_OK);
    assert_int_equal(all.count, 0);
    assert_int_equal(ttp_store_series(&all, s,
                                      &(struct ttp_series_key){TTP_STR(""), TTP_STR("model")},
                                      arena, NULL),
                     TTP_OK);
    assert_int_equal(all.count, 2);
    struct {
        struct ttp_store_span span;
        size_t count;
        double first, last;
    } cases[] = {
        {{0}, 4, 10, 14},
        {{.limit = 2}, 2, 13, 14},
        {{.after_ns = 101}, 2, 13, 14},
        {{.until_ns = 101}, 2, 10, 11},
        {{.until_ns = 103, .limit = 2}, 2, 11, 13},
        {{.branch = TTP_STR("main")}, 3, 11, 14},
    };
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        cases[i].span.series = all.series[0].id;
        assert_int_equal(ttp_store_points(&points, s, &cases[i].span, arena, NULL), TTP_OK);
        assert_int_equal(points.count, cases[i].count);
        assert_f64(points.point[0].median, cases[i].first);
        assert_f64(points.point[points.count - 1].median, cases[i].last);
    }
    ttp_store_close(s);
}

static void test_store__what_fails_leaves_nothing(void **state)
{
    struct place *p = *state;
    struct ttp_arena *arena = &p->arena;
    struct ttp_store *s = open_store(p);
    struct ttp_history_run run = make_run(arena, "model", 5, 1.5);
    struct ttp_store_added added;
    struct ttp_history_runs runs;
    struct ttp_series_list all;
    struct ttp_err err = {0};
    const double bad = NAN;

    give_ops(&run, 150, arena);
    *ttp_history_run_add_measure(&run, arena) = (struct ttp_run_measure){
        .metric = TTP_STR("broken"), .sample = &bad, .count = 1, .target = NAN};
    assert_int_equal(ttp_store_add(&added, s, &run, false, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "broken"));
    assert_int_equal(count_runs(s, &(struct ttp_store_filter){0}, &runs, arena), 0);
    assert_int_equal(
        ttp_store_series(&all, s, &(struct ttp_series_key){TTP_STR(""), TTP_STR("")}, arena, NULL),
        TTP_OK);
    assert_int_equal(all.count, 0);
    /* and the handle still works: ids that were taken back are not used */
    run.measures = 1;
    const int64_t id = add(s, &run);
    struct ttp_history_run got;
    assert_int_equal(ttp_store_read(&got, s, id, TTP_PARTS_ALL, arena, NULL), TTP_OK);
    assert_same_ops(&got, &run);
    assert_same_measures(&got, &run);
    ttp_store_close(s);
}

static void test_store__notes_are_added_to_runs_that_are_there(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = open_store(p);
    struct ttp_history_run run = make_run(&p->arena, "model", 5, 1.5), got;
    const int64_t id = add(s, &run);

    assert_int_equal(ttp_store_add_note(s, id, TTP_STR("fan was off"), NULL), TTP_OK);
    assert_int_equal(ttp_store_add_note(s, id, TTP_STR("it's \xc3\xa4 \"note\""), NULL), TTP_OK);
    assert_int_equal(ttp_store_add_note(s, id + 1, TTP_STR("x"), NULL), TTP_ENOTFOUND);
    assert_int_equal(ttp_store_read(&got, s, id, 0, &p->arena, NULL), TTP_OK);
    assert_int_equal(got.notes, 2);
    assert_str(got.note[0].text, TTP_STR("fan was off"));
    assert_str(got.note[1].text, TTP_STR("it's \xc3\xa4 \"note\""));
    assert_int_equal(ttp_store_read(&got, s, id + 1, 0, &p->arena, NULL), TTP_ENOTFOUND);
    ttp_store_close(s);
}

static void test_store__texts_of_any_bytes_are_kept_as_utf8(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = open_store(p);
    struct ttp_history_run run = make_run(&p->arena, "model", 5, 1.5), got;

    run.name = (ttp_str){"a\0b\xff", 4};
    run.branch = TTP_STR("'; DROP TABLE run; --");
    const int64_t id = add(s, &run);
    assert_int_equal(ttp_store_read(&got, s, id, TTP_PARTS_ALL, &p->arena, NULL), TTP_OK);
    assert_str(got.name, TTP_STR("a\xef\xbf\xbd"
                                 "b\xef\xbf\xbd"));
    assert_str(got.branch, run.branch);
    assert_str(got.document, run.document);
    ttp_store_close(s);
}

static void test_store__a_history_that_is_not_there_is_not_made_by_reading(void **state)
{
    struct place *p = *state;
    struct ttp_store *s;
    struct ttp_err err = {0};

    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_READ, &err), TTP_ENOTFOUND);
    assert_null(s);
    assert_true(err.hint[0]);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_READ, &err), TTP_ENOTFOUND);
    ttp_store_close(open_store(p));
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_READ, &err), TTP_OK);
    ttp_store_close(s);
}

/* ---- settings of ops ---- */

static struct ttp_run_op matmul(const char *config, int64_t cores, double time_ns)
{
    return (struct ttp_run_op){.code = TTP_STR("MatmulDeviceOperation"),
                               .datatypes = TTP_STR("BFLOAT16,BFLOAT8_B,BFLOAT16"),
                               .name = TTP_STR("Matmul 32 x 64 x 128"),
                               .chip = TTP_STR("blackhole, 110 cores"),
                               .config = ttp_str_from(config),
                               .cores = cores,
                               .time_ns = time_ns,
                               .gap_ns = NAN};
}

static void test_store__keeps_the_fastest_run_of_each_setting(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = open_store(p);
    struct ttp_err err = {0};
    struct ttp_best_ops best;

    /* settings A: 50, 40 (the median of 30, 40, 90) and 45; settings B: 41, and without a time */
    struct ttp_run_op first[] = {matmul("1d in0_block_w=2", 64, 50), matmul("", 64, NAN)};
    struct ttp_run_op second[] = {matmul("1d in0_block_w=2", 64, 90), matmul("dram", 12, 41),
                                  matmul("1d in0_block_w=2", 64, 30),
                                  matmul("1d in0_block_w=2", 64, 40)};
    struct ttp_run_op third[] = {matmul("1d in0_block_w=2", 64, 45)};
    struct ttp_run_op *const ops[] = {first, second, third};
    const size_t counts[] = {2, 4, 1};
    for (size_t i = 0; i < 3; i++) {
        struct ttp_history_run run = make_run(&p->arena, "model", 5 + (int64_t)i, 1.5 + (double)i);
        run.op = ops[i];
        run.ops = counts[i];
        (void)add(s, &run);
    }
    assert_int_equal(ttp_store_best(&best, s, TTP_STR("Matmul 32x64 X 128"), &p->arena, &err),
                     TTP_OK);
    assert_int_equal(best.count, 2);
    assert_f64(best.item[0].op.time_ns, 40);
    assert_int_equal(best.item[0].run, 2);
    assert_int_equal(best.item[0].runs, 3);
    assert_int_equal(best.item[0].ops, 3);
    assert_str(best.item[0].op.config, TTP_STR("1d in0_block_w=2"));
    assert_f64(best.item[1].op.time_ns, 41);
    assert_int_equal(best.item[1].op.cores, 12);
    assert_int_equal(ttp_store_best(&best, s, TTP_STR(""), &p->arena, &err), TTP_OK);
    assert_int_equal(best.count, 2);
    assert_int_equal(ttp_store_best(&best, s, TTP_STR("mat%"), &p->arena, &err), TTP_OK);
    assert_int_equal(best.count, 0);
    ttp_store_close(s);
}

/* ---- versions of the schema ---- */

static void exec(struct ttp_db *db, const char *sql)
{
    struct ttp_err err = {0};

    if (ttp_db_exec(db, sql, &err) != TTP_OK)
        fail_msg("%s", err.text);
}

static void test_store__version_1_is_brought_up_to_date(void **state)
{
    struct place *p = *state;
    struct ttp_db *db = open_raw(p);
    struct ttp_history_run got;
    struct ttp_err err = {0};
    struct ttp_file sql;

    assert_int_equal(ttp_store_db_migrate(db, 1, true, &err), TTP_OK);
    assert_int_equal(ttp_file_map(&sql, TTP_SOURCE_DIR "/tests/data/history_v1_rows.sql", NULL),
                     TTP_OK);
    ttp_str rest = sql.text, line;
    while (ttp_str_next_line(&rest, &line))
        if (line.len && line.ptr[0] != '-')
            exec(db, ttp_arena_zstr(&p->arena, line));
    ttp_file_close(&sql);
    db->kind->close(db);

    struct ttp_store *s = open_store(p);
    assert_int_equal(ttp_store_read(&got, s, 1, TTP_PARTS_ALL, &p->arena, &err), TTP_OK);
    assert_str(got.name, TTP_STR("model"));
    assert_int_equal(got.notes, 1);
    assert_str(got.note[0].text, TTP_STR("the fan was off"));
    assert_int_equal(got.note[0].time_ns, 2000);
    assert_int_equal(got.ops, 2);
    assert_str(got.op[1].code, TTP_STR("Add"));
    struct ttp_best_ops best;
    size_t unnamed;
    assert_int_equal(ttp_store_best(&best, s, TTP_STR(""), &p->arena, &err), TTP_OK);
    assert_int_equal(best.count, 0);
    assert_int_equal(ttp_store_unnamed(&unnamed, s, &p->arena, &err), TTP_OK);
    assert_int_equal(unnamed, 1);
    assert_f64(got.measure[0].sample[2], 2.5);
    assert_str(got.document, TTP_STR("hello!"));
    assert_int_equal(ttp_store_read(&got, s, 2, TTP_PARTS_ALL, &p->arena, &err), TTP_OK);
    assert_int_equal(got.notes, 0);
    ttp_store_close(s);
}

static void test_store__a_newer_version_is_refused_and_left_alone(void **state)
{
    struct place *p = *state;
    struct ttp_store *s = open_store(p);
    struct ttp_history_run run = make_run(&p->arena, "model", 5, 1.5);
    struct ttp_err err = {0};

    (void)add(s, &run);
    ttp_store_close(s);
    struct ttp_db *db = open_raw(p);
    exec(db, "UPDATE meta SET value = '4' WHERE key = 'schema_version'");
    db->kind->close(db);
    for (int mode = TTP_STORE_READ; mode <= TTP_STORE_WRITE; mode++) {
        assert_int_equal(ttp_store_open(&s, p->where, (enum ttp_store_mode)mode, &err), TTP_EPARSE);
        assert_non_null(strstr(err.text, "newer"));
        assert_non_null(strstr(err.text, "schema 4"));
    }
    db = open_raw(p);
    exec(db, "UPDATE meta SET value = '3' WHERE key = 'schema_version'");
    db->kind->close(db);
    s = open_store(p);
    assert_int_equal(ttp_store_read(&run, s, 1, TTP_PARTS_ALL, &p->arena, &err), TTP_OK);
    ttp_store_close(s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_store__a_run_is_read_back_as_it_was),
        TEST(test_store__the_same_document_is_kept_once_unless_asked),
        TEST(test_store__list_shows_the_newest_first_and_filters),
        TEST(test_store__lines_are_by_name_metric_variant_and_machine),
        TEST(test_store__what_fails_leaves_nothing),
        TEST(test_store__notes_are_added_to_runs_that_are_there),
        TEST(test_store__texts_of_any_bytes_are_kept_as_utf8),
        TEST(test_store__a_history_that_is_not_there_is_not_made_by_reading),
        TEST(test_store__keeps_the_fastest_run_of_each_setting),
        TEST(test_store__version_1_is_brought_up_to_date),
        TEST(test_store__a_newer_version_is_refused_and_left_alone),
    };

    if (!ttp_store_supports(getenv("TTP_TEST_STORE") ? "postgresql" : "sqlite")) {
        puts("SKIPPED: this build has no such database");
        return 77;
    }
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
