/* SPDX-License-Identifier: Apache-2.0 */
/* What only a file can suffer: damage, no room. And which way SQLite takes to an answer. */
#include "store_place.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_internal.h"

static int setup(void **state)
{
    (void)place_make(state, "history.db");
    return 0;
}

static struct ttp_history_run make_run(struct ttp_arena *arena, int i, size_t bytes)
{
    struct ttp_history_run r = {
        .time_ns = 1000 + i,
        .name = TTP_STR("model"),
        .kind = TTP_STR("bench"),
        .machine_key = TTP_STR("cpu=x"),
        .document_name = TTP_STR("run.json"),
    };
    char *text = ttp_arena_bytes(arena, bytes);
    double *v = TTP_NEW(arena, double, 1);
    uint32_t noise = (uint32_t)i * 2654435761u + 1;

    for (size_t k = 0; k < bytes; k++) { /* does not compress */
        noise = noise * 1664525u + 1013904223u;
        text[k] = (char)(noise >> 24);
    }
    r.document = (ttp_str){text, bytes};
    *v = i;
    *ttp_history_run_add_measure(&r, arena) = (struct ttp_run_measure){
        .metric = TTP_STR("wall"), .unit = TTP_STR("s"), .sample = v, .count = 1, .target = NAN};
    r.op = TTP_NEW(arena, struct ttp_run_op, 3);
    r.ops = 3;
    r.op_count = 3;
    for (size_t k = 0; k < 3; k++)
        r.op[k] = (struct ttp_run_op){.code = TTP_STR("Matmul"), .time_ns = 5, .gap_ns = NAN};
    return r;
}

static void fill(const struct place *p, int runs, struct ttp_arena *arena)
{
    struct ttp_store *s;
    struct ttp_store_added added;
    struct ttp_err err = {0};

    if (ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err) != TTP_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < runs; i++) {
        const struct ttp_history_run run = make_run(arena, i, 3000);
        if (ttp_store_add(&added, s, &run, false, &err) != TTP_OK)
            fail_msg("%s", err.text);
    }
    ttp_store_close(s);
}

static size_t count_runs(const char *path, enum ttp_store_mode mode, struct ttp_arena *arena)
{
    struct ttp_store *s;
    struct ttp_err err = {0};
    int64_t *id;
    size_t n = 0;

    if (ttp_store_open(&s, path, mode, &err) != TTP_OK)
        fail_msg("%s", err.text);
    if (ttp_store_ids(&id, &n, s, arena, &err) != TTP_OK)
        fail_msg("%s", err.text);
    ttp_store_close(s);
    return n;
}

static void overwrite(const char *path, off_t at, const char *bytes, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, at), n);
    close(fd);
}

/* The file that a hint speaks of: "kept as 'NAME'". */
static const char *copy_of(const struct ttp_err *err, struct ttp_arena *arena)
{
    const char *from = strstr(err->hint, "kept as '");

    assert_non_null(from);
    from += 9;
    return ttp_arena_zstr(arena, (ttp_str){from, strcspn(from, "'")});
}

static void test_store_file__damage_is_refused_and_a_copy_kept(void **state)
{
    static const char garbage[2048] = "this was a page of a table";
    struct place *p = *state;
    struct ttp_store *s;
    struct ttp_err err = {0};
    struct ttp_file before, after;

    fill(p, 12, &p->arena);
    const off_t size = (off_t)ttp_file_size(p->where);
    for (off_t at = 4096; at + 4096 < size; at += 4096)
        overwrite(p->where, at, garbage, sizeof(garbage));
    assert_int_equal(ttp_file_map(&before, p->where, NULL), TTP_OK);
    for (int mode = TTP_STORE_READ; mode <= TTP_STORE_WRITE; mode++) {
        assert_int_equal(ttp_store_open(&s, p->where, (enum ttp_store_mode)mode, &err), TTP_EPARSE);
        assert_non_null(strstr(err.text, "damaged"));
        assert_non_null(strstr(err.hint, "history import"));
    }
    const char *copy = copy_of(&err, &p->arena);
    assert_int_equal(ttp_file_map(&after, copy, NULL), TTP_OK);
    assert_true(ttp_str_eq(before.text, after.text));
    ttp_file_close(&before);
    ttp_file_close(&after);
}

static void test_store_file__a_file_cut_short_is_refused(void **state)
{
    struct place *p = *state;
    struct ttp_store *s;
    struct ttp_err err = {0};

    fill(p, 12, &p->arena);
    assert_int_equal(truncate(p->where, (off_t)(ttp_file_size(p->where) / 2)), 0);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "damaged"));
    assert_true(ttp_file_exists(copy_of(&err, &p->arena)));
    assert_int_equal(truncate(p->where, 50), 0);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err), TTP_EPARSE);
}

static void test_store_file__another_programs_file_is_left_alone(void **state)
{
    struct place *p = *state;
    struct ttp_store *s;
    struct ttp_err err = {0};

    fill(p, 1, &p->arena);
    overwrite(p->where, 68, "\x01\x02\x03\x04", 4);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "another program"));
    overwrite(p->where, 0, "PK\x03\x04", 4);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "not a history"));
}

static void test_store_file__what_is_left_can_be_taken_over(void **state)
{
    static const char garbage[4096] = "nothing";
    struct place *p = *state;
    struct ttp_store *s;
    struct ttp_err err = {0};
    size_t whole = 0;

    fill(p, 40, &p->arena);
    /* the last page: part of a document, most likely */
    overwrite(p->where, (off_t)ttp_file_size(p->where) - 4096, garbage, sizeof(garbage));
    const size_t n = count_runs(p->where, TTP_STORE_SALVAGE, &p->arena);
    assert_int_equal(n, 40);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_SALVAGE, &err), TTP_OK);
    for (int64_t id = 1; id <= 40; id++) {
        struct ttp_history_run run;
        whole += ttp_store_read(&run, s, id, TTP_PARTS_ALL, &p->arena, &err) == TTP_OK;
    }
    ttp_store_close(s);
    assert_true(whole >= 35 && whole <= 40);
}

/* In a child, where files may not grow beyond a limit: how many runs were acknowledged, and was the
 * failure that of a full disk? */
static int add_until_full(const struct place *p, rlim_t limit)
{
    const struct rlimit r = {limit, limit};
    struct ttp_arena arena = {0};
    struct ttp_store *s;
    struct ttp_err err = {0};
    struct ttp_store_added added;
    int done = 0;

    ttp_outfile_tidy_on_signals();
    setrlimit(RLIMIT_FSIZE, &r);
    if (ttp_store_open(&s, p->where, TTP_STORE_WRITE, &err) != TTP_OK) {
        print_message("%s\n", err.text);
        return 200;
    }
    for (int i = 0; i < 100; i++) {
        const struct ttp_history_run run = make_run(&arena, i, 20000);
        const ttp_code rc = ttp_store_add(&added, s, &run, false, &err);

        if (rc == TTP_EIO && strstr(err.text, "existing data is unchanged"))
            break;
        if (rc != TTP_OK) {
            print_message("%s\n", err.text);
            return 201;
        }
        done++;
    }
    /* and once more: the handle still knows the rows */
    struct ttp_history_runs runs;
    if (ttp_store_list(&runs, s, &(struct ttp_store_filter){0}, &arena, &err) != TTP_OK ||
        runs.count != (size_t)done)
        return 202;
    ttp_store_close(s);
    ttp_arena_free(&arena);
    return done;
}

static void test_store_file__a_full_disk_loses_nothing_acknowledged(void **state)
{
    struct place *p = *state;
    static const rlim_t limits[] = {200000, 333333, 500000, 800001};

    for (size_t i = 0; i < TTP_COUNT(limits); i++) {
        int status = 0;

        ttp_temp_dir_remove(p->folder, false);
        fill(p, 0, &p->arena);
        const pid_t child = fork();
        if (child == 0)
            _exit(add_until_full(p, limits[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) < 100);
        assert_int_equal(count_runs(p->where, TTP_STORE_READ, &p->arena), WEXITSTATUS(status));
        /* and with room again it continues */
        fill(p, 2, &p->arena);
    }
}

/* ---- plans ---- */

/* SQLite's way to an answer, as it words it. */
static ttp_str plan_of(struct ttp_store *s, const struct ttp_sql *sql, struct ttp_arena *arena)
{
    struct ttp_sink text, plan;
    struct ttp_db_table t;
    struct ttp_err err = {0};

    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(&text, "EXPLAIN QUERY PLAN %s", sql->text);
    const struct ttp_sql explain = {ttp_arena_zstr(arena, ttp_sink_text(&text)), sql->value,
                                    sql->values};
    if (ttp_store_query(&t, s, &explain, arena, &err) != TTP_OK)
        fail_msg("%s: %s", sql->text, err.text);
    ttp_sink_to_arena(&plan, arena);
    for (size_t i = 0; i < t.rows; i++)
        ttp_sink_printf(&plan, "%.*s\n", TTP_FMT(ttp_store_db_get_text(&t, i, 3)));
    return ttp_sink_text(&plan);
}

/* Stands between the store and its database, and asks for the plan of all that is asked. */
static struct {
    const struct ttp_db_kind *real;
    struct ttp_db_kind spy;
    struct ttp_store *store;
    struct ttp_arena *arena;
    size_t asked;
} spying;

static ttp_code spy_query(struct ttp_db *db, struct ttp_db_table *out, const struct ttp_sql *sql,
                          struct ttp_arena *arena, struct ttp_err *err)
{
    if (strncmp(sql->text, "SELECT", 6) == 0) {
        db->kind = spying.real;
        const ttp_str plan = plan_of(spying.store, sql, spying.arena);
        db->kind = &spying.spy;
        spying.asked++;
        /* lists of runs go along an index of runs; of lines, which are few, all may be seen */
        if (ttp_str_has(plan, TTP_STR("TEMP B-TREE")) || ttp_str_has(plan, TTP_STR("op USING")) ||
            ttp_str_has(plan, TTP_STR("SCAN m")) || ttp_str_has(plan, TTP_STR("SCAN o")) ||
            ttp_str_has(plan, TTP_STR("SCAN op")) || ttp_str_has(plan, TTP_STR("SCAN document")))
            fail_msg("%s\n%.*s", sql->text, TTP_FMT(plan));
    }
    return spying.real->query(db, out, sql, arena, err);
}

static void test_store_file__questions_are_answered_from_indexes(void **state)
{
    struct place *p = *state;
    struct ttp_arena *arena = &p->arena;
    struct ttp_store *s;
    struct ttp_history_runs runs;
    struct ttp_series_list all;
    struct ttp_series_points points;
    struct ttp_history_run run;

    fill(p, 5, arena);
    assert_int_equal(ttp_store_open(&s, p->where, TTP_STORE_READ, NULL), TTP_OK);
    spying.real = s->db->kind;
    spying.spy = *s->db->kind;
    spying.spy.query = spy_query;
    spying.store = s;
    spying.arena = arena;
    s->db->kind = &spying.spy;
    static const struct ttp_store_filter filters[] = {
        {.limit = 20},
        {.name = TTP_STR("model"), .limit = 20},
        {.after_ns = 1001, .before_ns = 1004},
        {.name = TTP_STR("model"), .after_ns = 1001, .limit = 5},
        {.branch = TTP_STR("main"), .limit = 5},
    };
    for (size_t i = 0; i < TTP_COUNT(filters); i++)
        assert_int_equal(ttp_store_list(&runs, s, &filters[i], arena, NULL), TTP_OK);
    assert_int_equal(ttp_store_series(&all, s,
                                      &(struct ttp_series_key){TTP_STR("wall"), TTP_STR("")}, arena,
                                      NULL),
                     TTP_OK);
    assert_int_equal(all.count, 1);
    struct ttp_store_span spans[] = {
        {0}, {.limit = 3}, {.after_ns = 1002}, {.until_ns = 1002, .limit = 2}};
    for (size_t i = 0; i < TTP_COUNT(spans); i++) {
        spans[i].series = all.series[0].id;
        assert_int_equal(ttp_store_points(&points, s, &spans[i], arena, NULL), TTP_OK);
    }
    assert_int_equal(
        ttp_store_read(&run, s, 3, TTP_PARTS_ALL & ~(unsigned)TTP_PART_OPS, arena, NULL), TTP_OK);
    assert_true(spying.asked >= 14);
    s->db->kind = spying.real;
    ttp_store_close(s);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_store_file__damage_is_refused_and_a_copy_kept),
        TEST(test_store_file__a_file_cut_short_is_refused),
        TEST(test_store_file__another_programs_file_is_left_alone),
        TEST(test_store_file__what_is_left_can_be_taken_over),
        TEST(test_store_file__a_full_disk_loses_nothing_acknowledged),
        TEST(test_store_file__questions_are_answered_from_indexes),
    };

    if (!ttp_store_supports("sqlite")) {
        puts("SKIPPED: this build has no SQLite");
        return 77;
    }
    return cmocka_run_group_tests_name("store/file", tests, NULL, NULL);
}
