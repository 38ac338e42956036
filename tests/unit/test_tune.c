/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that decides, and what is read from ledgers. */
#include "test.h"

#include <math.h>
#include <stdio.h>

#include "base/append_log.h"
#include "tune/ledger.h"
#include "tune/tuner.h"

/* ---- the rule ---- */

static double noise_of(double scatter, size_t na, size_t nb)
{
    return ttp_tune_noise((double[]){scatter, scatter}, (size_t[]){na, nb});
}

static struct ttp_tune_measured measured(double best, double candidate, double scatter,
                                         enum ttp_verdict verdict)
{
    struct ttp_tune_measured m = {.count = 1, .noise = noise_of(scatter, 5, 5)};

    m.of[0] = (struct ttp_tune_figures){
        .metric = "wall",
        .unit = "s",
        .side = {{.n = 5, .median = best, .scatter = scatter},
                 {.n = 5, .median = candidate, .scatter = scatter}},
        .change = candidate / best - 1,
        .low = candidate / best - 1,
        .high = candidate / best - 1,
        .p = 0.0079,
        .verdict = verdict,
    };
    return m;
}

static void test_tune__keeps_only_what_is_better_by_more_than_min_effect_and_noise(void **state)
{
    static const struct {
        double best, candidate, scatter;
        enum ttp_verdict verdict;
        bool higher;
        enum ttp_tune_outcome want;
    } cases[] = {
        {100, 90, 0, TTP_VERDICT_LESS, false, TTP_TUNE_KEPT},
        {100, 97.9, 0, TTP_VERDICT_LESS, false, TTP_TUNE_KEPT},
        {100, 98.1, 0, TTP_VERDICT_LESS, false, TTP_TUNE_UNDECIDED}, /* below min_effect */
        {100, 90, 0.05, TTP_VERDICT_LESS, false, TTP_TUNE_KEPT}, /* noise 4 %, twice that: 8 % */
        {100, 93, 0.05, TTP_VERDICT_LESS, false, TTP_TUNE_UNDECIDED},
        {100, 90, 0, TTP_VERDICT_UNDECIDED, false,
         TTP_TUNE_UNDECIDED}, /* the test does not agree */
        {100, 110, 0, TTP_VERDICT_MORE, false, TTP_TUNE_REVERTED},
        {100, 107, 0.05, TTP_VERDICT_MORE, false, TTP_TUNE_UNDECIDED}, /* worse, within noise */
        {100, 110, 0, TTP_VERDICT_MORE, true, TTP_TUNE_KEPT},
        {100, 90, 0, TTP_VERDICT_LESS, true, TTP_TUNE_REVERTED},
        {100, 100, 0, TTP_VERDICT_SAME, false, TTP_TUNE_REVERTED}, /* ties keep the simpler */
        {100, 100, 0.005, TTP_VERDICT_SAME, false, TTP_TUNE_REVERTED},
        {100, 100, 0.03, TTP_VERDICT_SAME, false, TTP_TUNE_UNDECIDED}, /* same, but in noise */
        {0, 0, 0, TTP_VERDICT_UNDECIDED, false, TTP_TUNE_UNDECIDED},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_tune_measured m =
            measured(cases[i].best, cases[i].candidate, cases[i].scatter, cases[i].verdict);
        const char *reason;

        m.of[0].better = cases[i].higher ? TTP_BETTER_HIGHER : TTP_BETTER_LOWER;
        assert_int_equal(ttp_tune_decide(&reason, &m, 0.02, *state), cases[i].want);
        if (cases[i].want == TTP_TUNE_UNDECIDED)
            assert_non_null(strstr(reason, "undecided"));
    }
}

static void test_tune__noise_shrinks_with_the_number_of_runs(void **state)
{
    (void)state;
    assert_true(fabs(noise_of(0.01, 5, 5) - 0.0079265) < 1e-6);
    assert_true(noise_of(0.01, 40, 40) < noise_of(0.01, 5, 5));
    assert_true(isnan(noise_of(0.01, 0, 5)));
}

/* ---- the ledger ---- */

struct writing {
    struct ttp_sink sink;
    struct ttp_arena *arena;
    uint64_t n;
};

static void open_writing(struct writing *w, struct ttp_arena *arena)
{
    *w = (struct writing){.arena = arena};
    ttp_sink_to_arena(&w->sink, arena);
}

static void begin(struct ttp_ledger_record *r, struct writing *w, const char *event)
{
    w->n++;
    ttp_ledger_begin(r, w->n, event, 1000 + (int64_t)w->n, w->arena);
}

static void end(struct ttp_ledger_record *r, struct writing *w)
{
    ttp_sink_put(&w->sink, ttp_ledger_end(r));
}

static const struct ttp_tune_side start_side = {.commit = "aaaa", .command = "./work"};

static void put_beginning(struct writing *w)
{
    const struct ttp_tune_setup setup = {.command = "./work",
                                         .metric = "wall",
                                         .check = "true",
                                         .goal = "10ms",
                                         .goal_value = 0.01,
                                         .pcc = 0.99,
                                         .frobenius = -1,
                                         .min_effect = 0.02,
                                         .confidence = 0.95,
                                         .min_runs = 5,
                                         .max_runs = 40};
    const struct ttp_tune_measured m = measured(0.1, 0.1, 0.01, TTP_VERDICT_SAME);
    struct ttp_ledger_record r;

    begin(&r, w, "init");
    ttp_ledger_setup(&r, &setup);
    ttp_ledger_side(&r, &start_side);
    end(&r, w);
    begin(&r, w, "baseline");
    ttp_ledger_measured(&r, &m, NULL);
    end(&r, w);
}

static void put_try(struct writing *w, const char *title, const char *commit)
{
    const struct ttp_tune_side side = {.commit = commit, .command = "./work"};
    struct ttp_ledger_record r;

    begin(&r, w, "try");
    ttp_ledger_text(&r, "title", title);
    ttp_ledger_text(&r, "kind", "edit");
    ttp_ledger_side(&r, &side);
    end(&r, w);
}

static void put_decision(struct writing *w, enum ttp_tune_outcome outcome, double value)
{
    const struct ttp_tune_measured m = measured(0.1, value, 0, TTP_VERDICT_LESS);
    struct ttp_ledger_record r;

    begin(&r, w, "decision");
    ttp_ledger_text(&r, "outcome", ttp_tune_outcome_name(outcome));
    ttp_ledger_measured(&r, &m, NULL);
    end(&r, w);
}

static void put_number(struct writing *w, const char *event, uint64_t change)
{
    struct ttp_ledger_record r;

    begin(&r, w, event);
    ttp_ledger_u64(&r, "change", change);
    end(&r, w);
}

static ttp_code read_all(struct ttp_tune_session *out, const struct writing *w, struct ttp_err *err)
{
    return ttp_tune_read(out, ttp_sink_text(&w->sink), w->arena, err);
}

static void test_tune__the_best_is_the_last_that_was_kept_and_not_undone(void **state)
{
    struct ttp_tune_session s;
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_string_equal(ttp_tune_best(&s)->commit, "aaaa");
    assert_true(ttp_tune_best_value(&s, 0) == 0.1);
    put_try(&w, "one", "bbbb");
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_non_null(ttp_tune_pending(&s));
    put_decision(&w, TTP_TUNE_KEPT, 0.08);
    put_number(&w, "settled", 1);
    put_try(&w, "two", "cccc");
    put_decision(&w, TTP_TUNE_REVERTED, 0.2);
    put_number(&w, "settled", 2);
    put_try(&w, "three", "dddd");
    put_decision(&w, TTP_TUNE_KEPT, 0.05);
    put_number(&w, "settled", 3);
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_int_equal(s.count, 3);
    assert_null(ttp_tune_pending(&s));
    assert_string_equal(ttp_tune_best(&s)->commit, "dddd");
    assert_true(ttp_tune_best_value(&s, 0) == 0.05);
    assert_true(ttp_tune_start_value(&s, 0) == 0.1);
    put_number(&w, "undo", 3);
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_string_equal(ttp_tune_best(&s)->commit, "bbbb");
    assert_int_equal(s.change[2].outcome, TTP_TUNE_UNDONE);
    assert_false(s.change[2].settled);
}

static void test_tune__whatever_was_cut_off_at_the_end_does_not_count(void **state)
{
    struct ttp_tune_session whole, s;
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    const size_t before = w.sink.len;
    put_try(&w, "one", "bbbb");
    const ttp_str text = ttp_sink_text(&w.sink);
    for (size_t len = before; len < text.len; len++) {
        assert_int_equal(ttp_tune_read(&s, ttp_str_slice(text, 0, len), *state, NULL), TTP_OK);
        assert_int_equal(s.count, 0);
        assert_int_equal(s.torn_bytes, len - before);
        assert_int_equal(s.good_bytes, before);
    }
    assert_int_equal(ttp_tune_read(&whole, text, *state, NULL), TTP_OK);
    assert_int_equal(whole.count, 1);
}

static void test_tune__records_behind_one_that_was_cut_off_count_if_it_is_told(void **state)
{
    struct ttp_tune_session s;
    struct ttp_err err = {0};
    struct ttp_ledger_record r;
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    const size_t before = w.sink.len;
    ttp_sink_put(&w.sink, TTP_STR("{\"n\":3,\"eve"));
    ttp_sink_char(&w.sink, '\n');
    begin(&r, &w, "recovered");
    ttp_ledger_u64(&r, "torn_bytes", 11);
    end(&r, &w);
    put_try(&w, "one", "bbbb");
    assert_int_equal(read_all(&s, &w, &err), TTP_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.torn_before, 1);
    /* the same without that record: what follows cannot be trusted */
    open_writing(&w, *state);
    put_beginning(&w);
    ttp_sink_put(&w.sink, TTP_STR("{\"n\":3,\"eve\n"));
    put_try(&w, "one", "bbbb");
    assert_int_equal(read_all(&s, &w, &err), TTP_EPARSE);
    assert_int_equal(err.offset, before);
    assert_int_equal(err.line, 3);
}

static void test_tune__refuses_records_that_make_no_sense(void **state)
{
    static const struct {
        const char *event;
        uint64_t change;
    } cases[] = {{"decision", 1}, {"settled", 1}, {"undo", 1}, {"point", 1}, {"what", 1}};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_tune_session s;
        struct ttp_err err = {0};
        struct writing w;

        open_writing(&w, *state);
        put_beginning(&w);
        put_number(&w, cases[i].event, cases[i].change);
        assert_int_equal(read_all(&s, &w, &err), TTP_EPARSE);
        assert_int_equal(err.line, 3);
    }
}

static void test_tune__refuses_a_gap_and_a_changed_byte(void **state)
{
    struct ttp_tune_session s;
    struct ttp_err err = {0};
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    w.n++;
    put_try(&w, "one", "bbbb");
    assert_int_equal(read_all(&s, &w, &err), TTP_EPARSE);
    assert_non_null(strstr(err.text, "record 4 follows record 2"));
    open_writing(&w, *state);
    put_beginning(&w);
    put_try(&w, "one", "bbbb");
    for (size_t at = 0; at < 200; at += 7) {
        char *text = ttp_arena_zstr(*state, ttp_sink_text(&w.sink));

        text[at] ^= 1;
        assert_int_equal(ttp_tune_read(&s, ttp_str_from(text), *state, &err), TTP_EPARSE);
    }
}

static void test_tune__a_sweep_becomes_a_change_when_its_point_is_chosen(void **state)
{
    const char *values[] = {"N=1,2"}, *set[] = {"N=2"};
    const struct ttp_words sweeps = {values, 1};
    const struct ttp_tune_point point = {.set = {set, 1}, .pass = true, .value = 3, .reason = ""};
    struct ttp_tune_session s;
    struct ttp_ledger_record r;
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    begin(&r, &w, "sweep");
    ttp_ledger_text(&r, "title", "sizes");
    ttp_ledger_words(&r, "sweeps", &sweeps);
    end(&r, &w);
    for (int i = 0; i < 2; i++) {
        begin(&r, &w, "point");
        ttp_ledger_point(&r, &point);
        end(&r, &w);
    }
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_int_equal(ttp_tune_pending(&s)->npoints, 2);
    begin(&r, &w, "try");
    ttp_ledger_text(&r, "kind", "sweep");
    ttp_ledger_u64(&r, "point", 1);
    ttp_ledger_side(&r, &start_side);
    end(&r, &w);
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.change[0].sweep_best, 1);
    assert_string_equal(s.change[0].title, "sizes");
}

static const struct ttp_tune_promise some_promise = {
    .rule = "matmul-config",
    .number = 2,
    .title = "another config",
    .step = "memory-sharding",
    .evidence = "ID 7",
    .gain_us = 50,
    .gain_pct = 20,
    .device_pct = 25,
    .low_part = 0.5,
    .high_part = 1,
    .op_id = 7,
    .op = "Matmul",
    .op_us = 100,
    .best = {"1d grid=8x8", "config = 1\n", 50, 40, 60},
    .pays = true,
};

static void test_tune__the_next_change_tests_the_advice_that_was_taken(void **state)
{
    struct ttp_tune_session s;
    struct ttp_ledger_record r;
    struct ttp_err err = {0};
    struct writing w;

    open_writing(&w, *state);
    put_beginning(&w);
    begin(&r, &w, "advice");
    ttp_ledger_promise(&r, &some_promise);
    end(&r, &w);
    assert_int_equal(read_all(&s, &w, &err), TTP_OK);
    assert_string_equal(s.trial.rule, "matmul-config");
    assert_string_equal(s.trial.best.config, "1d grid=8x8");
    assert_true(s.trial.best.low_us == 40);
    begin(&r, &w, "try");
    ttp_ledger_text(&r, "kind", "edit");
    ttp_ledger_side(&r, &start_side);
    ttp_ledger_promise(&r, &s.trial);
    end(&r, &w);
    put_decision(&w, TTP_TUNE_KEPT, 0.08);
    assert_int_equal(read_all(&s, &w, &err), TTP_OK);
    assert_null(s.trial.rule); /* it is the change's now */
    const struct ttp_tune_kept_promise kept = ttp_tune_kept_promise(&s, &s.change[0]);
    assert_false(kept.of_device); /* wall time decides */
    assert_float_equal(kept.promised_pct, 20, 1e-9);
    assert_float_equal(kept.low_pct, 10, 1e-9);
    assert_float_equal(kept.real_pct, 20, 1e-9);
    /* dropped again */
    begin(&r, &w, "advice");
    ttp_ledger_promise(&r, &some_promise);
    end(&r, &w);
    begin(&r, &w, "advice");
    end(&r, &w);
    assert_int_equal(read_all(&s, &w, &err), TTP_OK);
    assert_null(s.trial.rule);
}

static void test_tune__a_profile_comes_back_with_what_was_known(void **state)
{
    struct ttp_tune_profile p, read;
    struct ttp_ledger_record r;
    struct ttp_node *node;

    ttp_tune_profile_init(&p);
    p.name = "change-3";
    p.mode = "ops";
    p.bound = "DRAM";
    p.device_us = 12.5;
    p.ops = 4;
    ttp_ledger_begin(&r, 1, "baseline", 0, *state);
    ttp_ledger_profile(&r, &p);
    assert_int_equal(ttp_json_tree(&node, ttp_ledger_end(&r), *state, NULL), TTP_OK);
    ttp_ledger_read_profile(&read, node, *state);
    assert_string_equal(read.name, "change-3");
    assert_true(read.device_us == 12.5);
    assert_true(isnan(read.dram_gbs));
    assert_int_equal(read.ops, 4);
    /* a name that leaves the folder is none */
    p.name = "../x";
    ttp_ledger_begin(&r, 1, "baseline", 0, *state);
    ttp_ledger_profile(&r, &p);
    assert_int_equal(ttp_json_tree(&node, ttp_ledger_end(&r), *state, NULL), TTP_OK);
    ttp_ledger_read_profile(&read, node, *state);
    assert_null(read.name);
}

static void test_tune__sizes_of_production_are_read_from_words(void **state)
{
    static const struct {
        const char *data, *name;
        uint64_t sizes, tensors, from, to;
        bool note;
    } cases[] = {
        {"batch 1 -> 32", "batch", 1, 0, 1, 32, false},
        {"128->2048 tokens; 100000 x 512 bf16", "tokens", 1, 1, 128, 2048, false},
        {"4096x4096, 32 x 32:fp32", NULL, 0, 2, 0, 0, false},
        {"batch=1->32 (users)", "batch=", 1, 0, 1, 32, false},
        {"batch 32", NULL, 0, 0, 0, 0, true},
        {"x 3, 3 x, 3 x what", NULL, 0, 0, 0, 0, true},
        /* free text is no error */
        {NULL, NULL, 0, 0, 0, 0, false},
        {"", NULL, 0, 0, 0, 0, true},
        {"->", NULL, 0, 0, 0, 0, true},
        {",;,->;->,", NULL, 0, 0, 0, 0, true},
        {"images -> captions of the shop", NULL, 0, 0, 0, 0, true},
        {"batch 0 -> 2", NULL, 0, 0, 0, 0, true},
        {"batch -> 2", NULL, 0, 0, 0, 0, true},
        {"1 -> many", NULL, 0, 0, 0, 0, true},
        {"1 --> 2", NULL, 0, 0, 0, 0, true},
        {"1 -> 2 -> 4", NULL, 0, 0, 0, 0, true},
        {"scale 1.5 -> 3", NULL, 0, 0, 0, 0, true},
        {"tokens 8 -> 64k", NULL, 0, 0, 0, 0, true},
        {"n -1 -> 3", NULL, 0, 0, 0, 0, true},
        {"n 1 -> 99999999999999999999999", NULL, 0, 0, 0, 0, true},
        {"n 1 -> 4294967296", NULL, 0, 0, 0, 0, true},
        /* a size beside free text, which is told */
        {"from a->b, batch 1 -> 32, \xff\xfe->", "batch", 1, 0, 1, 32, true},
        /* control characters, bidi marks, line ends and bytes that are not UTF-8 */
        {"\x1b[2J\x1b]0;t\a ]]>X--><!--", NULL, 0, 0, 0, 0, true},
        {"\x1b[31m 1 -> 2", "\x1b[31m", 1, 0, 1, 2, false},
        {"a\nb\r 1 -> 2", "a\nb", 1, 0, 1, 2, false},
        /* NOLINTNEXTLINE(misc-misleading-bidirectional): hostile on purpose */
        {"bidi\xe2\x80\xae"
         "1 -> 2",
         NULL, 0, 0, 0, 0, true},
        {"1 -> 2\x9b"
         "3",
         NULL, 0, 0, 0, 0, true},
        {"%s%n 3 -> 4", "%s%n", 1, 0, 3, 4, false},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttp_tune_production p;

        ttp_tune_parse_data(&p, cases[i].data, *state);
        assert_int_equal(p.sizes, cases[i].sizes);
        assert_int_equal(p.tensors, cases[i].tensors);
        assert_int_equal(*p.note != 0, cases[i].note);
        if (cases[i].name) {
            assert_string_equal(p.size[0].name, cases[i].name);
            assert_int_equal(p.size[0].from, cases[i].from);
            assert_int_equal(p.size[0].to, cases[i].to);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_tune__keeps_only_what_is_better_by_more_than_min_effect_and_noise),
        TTP_TEST_ARENA(test_tune__noise_shrinks_with_the_number_of_runs),
        TTP_TEST_ARENA(test_tune__the_best_is_the_last_that_was_kept_and_not_undone),
        TTP_TEST_ARENA(test_tune__whatever_was_cut_off_at_the_end_does_not_count),
        TTP_TEST_ARENA(test_tune__records_behind_one_that_was_cut_off_count_if_it_is_told),
        TTP_TEST_ARENA(test_tune__refuses_records_that_make_no_sense),
        TTP_TEST_ARENA(test_tune__refuses_a_gap_and_a_changed_byte),
        TTP_TEST_ARENA(test_tune__a_sweep_becomes_a_change_when_its_point_is_chosen),
        TTP_TEST_ARENA(test_tune__the_next_change_tests_the_advice_that_was_taken),
        TTP_TEST_ARENA(test_tune__a_profile_comes_back_with_what_was_known),
        TTP_TEST_ARENA(test_tune__sizes_of_production_are_read_from_words),
    };
    return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
