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
    ttp_record_begin(r, w->n, event, 1000 + (int64_t)w->n, w->arena);
}

static void end(struct ttp_ledger_record *r, struct writing *w)
{
    ttp_sink_put(&w->sink, ttp_record_end(r));
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
    ttp_record_setup(&r, &setup);
    ttp_record_side(&r, &start_side);
    end(&r, w);
    begin(&r, w, "baseline");
    ttp_record_measured(&r, &m, NULL);
    end(&r, w);
}

static void put_try(struct writing *w, const char *title, const char *commit)
{
    const struct ttp_tune_side side = {.commit = commit, .command = "./work"};
    struct ttp_ledger_record r;

    begin(&r, w, "try");
    ttp_record_text(&r, "title", title);
    ttp_record_text(&r, "kind", "edit");
    ttp_record_side(&r, &side);
    end(&r, w);
}

static void put_decision(struct writing *w, enum ttp_tune_outcome outcome, double value)
{
    const struct ttp_tune_measured m = measured(0.1, value, 0, TTP_VERDICT_LESS);
    struct ttp_ledger_record r;

    begin(&r, w, "decision");
    ttp_record_text(&r, "outcome", ttp_tune_outcome_name(outcome));
    ttp_record_measured(&r, &m, NULL);
    end(&r, w);
}

static void put_number(struct writing *w, const char *event, uint64_t change)
{
    struct ttp_ledger_record r;

    begin(&r, w, event);
    ttp_record_u64(&r, "change", change);
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
    ttp_record_u64(&r, "torn_bytes", 11);
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
    ttp_record_text(&r, "title", "sizes");
    ttp_record_words(&r, "sweeps", &sweeps);
    end(&r, &w);
    for (int i = 0; i < 2; i++) {
        begin(&r, &w, "point");
        ttp_record_point(&r, &point);
        end(&r, &w);
    }
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_int_equal(ttp_tune_pending(&s)->npoints, 2);
    begin(&r, &w, "try");
    ttp_record_text(&r, "kind", "sweep");
    ttp_record_u64(&r, "point", 1);
    ttp_record_side(&r, &start_side);
    end(&r, &w);
    assert_int_equal(read_all(&s, &w, NULL), TTP_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.change[0].sweep_best, 1);
    assert_string_equal(s.change[0].title, "sizes");
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
    };
    return cmocka_run_group_tests_name("tune", tests, NULL, NULL);
}
