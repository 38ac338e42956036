/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a client that is no more: whatever is asked, in every dialect the reply is a sequence
 * of whole items that this dialect has, and what was recorded comes back. */
#include "base/sink.h"
#include "capture/bytes.h"
#include "capture/replay_answers.h"
#include "test.h"

#define KEY 0x0123456789abcdefull

struct asked {
    struct ttp_answers answers;
    struct ttp_sink reply;
};

static void begin(struct asked *a, const struct ttp_dialect *d, struct ttp_arena *arena)
{
    *a = (struct asked){.answers = {.dialect = d, .arena = arena}};
    ttp_capture_replay_answers_init(&a->answers);
}

/* The items that answer a query for KEY; they are whole, and each has what it needs. */
static ttp_str ask(struct asked *a, unsigned query, struct ttp_arena *arena)
{
    unsigned char q[13] = {(unsigned char)query};
    unsigned staged = 0;
    uint64_t items = 0;

    ttp_set64(q + 1, KEY);
    ttp_sink_to_arena(&a->reply, arena);
    ttp_capture_replay_answers_put(&a->reply, &a->answers, q);
    const ttp_str reply = ttp_sink_text(&a->reply);
    if (!ttp_capture_dialect_walk(a->answers.dialect, reply,
                                  (struct ttp_dialect_seen){&staged, &items}, NULL, NULL))
        fail_msg("protocol %u: the answer to query %u is none", a->answers.dialect->info.protocol,
                 query);
    return reply;
}

static void test_replay_answers__every_question_has_a_well_formed_answer(void **state)
{
    size_t count;
    const struct ttp_dialect *all = ttp_capture_dialect_all(&count);

    assert_true(count > 1);
    for (size_t i = 0; i < count; i++) {
        struct asked a;

        begin(&a, &all[i], *state);
        for (unsigned query = 0; query < 256; query++)
            (void)ask(&a, query, *state);
        assert_true(ask(&a, TTP_QUERY_CALLSTACK_FRAME, *state).len > 0);
        assert_true(ask(&a, TTP_QUERY_SYMBOL, *state).len > 0);
        assert_int_equal(ask(&a, TTP_QUERY_PARAMETER, *state).len, 1);
    }
}

static void test_replay_answers__names_come_back(void **state)
{
    size_t count;
    const struct ttp_dialect *all = ttp_capture_dialect_all(&count);

    for (size_t i = 0; i < count; i++) {
        const struct ttp_dialect *d = &all[i];
        const struct {
            uint8_t id;
            unsigned query;
        } names[] = {
            {d->string, TTP_QUERY_STRING},    {d->thread_name, TTP_QUERY_THREAD},
            {d->plot_name, TTP_QUERY_PLOT},   {d->frame_name, TTP_QUERY_FRAME},
            {d->fiber_name, TTP_QUERY_FIBER},
        };

        for (size_t k = 0; k < TTP_COUNT(names); k++) {
            unsigned char item[15] = {names[k].id, 0, 0, 0,   0,   0,   0,  0,
                                      0,           4, 0, 'n', 'a', 'm', 'e'};
            const ttp_str recorded = {(const char *)item, sizeof(item)};
            struct asked a;

            ttp_set64(item + 1, KEY);
            begin(&a, d, *state);
            assert_true(ttp_str_ends(ask(&a, names[k].query, *state), TTP_STR("???")));
            ttp_capture_replay_answers_learn(&a.answers, recorded);
            assert_true(ttp_str_eq(ask(&a, names[k].query, *state), recorded));
        }
    }
}

static void test_replay_answers__what_the_stream_carries_is_not_said_twice(void **state)
{
    size_t count;
    const struct ttp_dialect *all = ttp_capture_dialect_all(&count);

    for (size_t i = 0; i < count; i++) {
        static const unsigned rare[] = {TTP_QUERY_CALLSTACK_FRAME, TTP_QUERY_SYMBOL};

        for (size_t k = 0; k < TTP_COUNT(rare); k++) {
            struct asked a;

            begin(&a, &all[i], *state);
            const ttp_str once = ask(&a, rare[k], *state);
            assert_true(once.len > 0);
            ttp_capture_replay_answers_learn(&a.answers, once);
            assert_int_equal(ask(&a, rare[k], *state).len, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_replay_answers__every_question_has_a_well_formed_answer),
        TTP_TEST_ARENA(test_replay_answers__names_come_back),
        TTP_TEST_ARENA(test_replay_answers__what_the_stream_carries_is_not_said_twice),
    };
    return cmocka_run_group_tests_name("capture/replay_answers", tests, NULL, NULL);
}
