/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "core/opts.h"

struct values {
    bool all, brief, no_summary, no_stack;
    const char *output;
    int64_t threads;
    double scale, least;
    int color;
    struct ttp_words where;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

#define AT(field) offsetof(struct values, field)

static const struct ttp_opt table[] = {
    {.name = "all", .letter = 'a', .type = TTP_OPT_FLAG, .offset = AT(all)},
    {.name = "brief", .letter = 'b', .type = TTP_OPT_FLAG, .offset = AT(brief)},
    {.name = "no-summary", .type = TTP_OPT_FLAG, .offset = AT(no_summary)},
    {.name = "no-stack", .type = TTP_OPT_FLAG, .offset = AT(no_stack)},
    {.name = "output", .letter = 'o', .type = TTP_OPT_STR, .offset = AT(output), .metavar = "FILE"},
    {.name = "threads", .letter = 'j', .type = TTP_OPT_INT, .offset = AT(threads), .max = 64},
    {.name = "scale", .type = TTP_OPT_FLOAT, .offset = AT(scale)},
    {.name = "least", .type = TTP_OPT_PERCENT, .offset = AT(least)},
    {.name = "color", .type = TTP_OPT_CHOICE, .offset = AT(color), .choices = colors},
    {.name = "colour", .alias_of = "color"},
    {.name = "where", .type = TTP_OPT_LIST, .offset = AT(where)},
    {.name = "secret", .type = TTP_OPT_FLAG, .offset = AT(all), .hidden = true},
};

struct result {
    ttp_code rc;
    struct values v;
    struct ttp_words operands;
    size_t dashdash;
    struct ttp_err err;
};

#define MAX_WORDS 16

/* Parses the words of a list that ends with NULL. */
static struct result parse(struct ttp_arena *arena, const char *const *words)
{
    struct result r = {.v = {.scale = 0.5}};
    char *argv[MAX_WORDS];
    int argc = 0;

    for (; words[argc]; argc++) {
        const ttp_str copy = {words[argc], strlen(words[argc]) + 1};
        argv[argc] = TTP_NEW(arena, char, copy.len);
        memcpy(argv[argc], copy.ptr, copy.len);
    }
    struct ttp_opts_given given = {.opts = &r.v};
    const struct ttp_opts_grammar grammar = {.opt = table, .count = TTP_COUNT(table)};
    r.rc = ttp_opts_parse(&given, &grammar, (struct ttp_arguments){argc, argv}, arena, &r.err);
    r.operands = given.operands;
    r.dashdash = given.dashdash;
    return r;
}

#define PARSE(...) parse(*state, (const char *const[]){__VA_ARGS__, NULL})

static void test_opts__every_way_to_write_a_value(void **state)
{
    const struct result r[] = {
        PARSE("--output", "x"), PARSE("--output=x"), PARSE("-o", "x"),         PARSE("-ox"),
        PARSE("-abox"),         PARSE("--out=x"),    PARSE("--o", "y", "-ox"),
    };

    for (size_t i = 0; i < TTP_COUNT(r); i++) {
        assert_int_equal(r[i].rc, TTP_OK);
        assert_string_equal(r[i].v.output, "x");
        assert_int_equal(r[i].operands.count, 0);
    }
    assert_true(r[4].v.all && r[4].v.brief);
}

static void test_opts__values_have_the_type_of_their_option(void **state)
{
    const struct result r = PARSE("-j4", "--scale", "-1.5", "--colour=never", "--where", "a",
                                  "--where=b", "--where", "c");

    assert_int_equal(r.rc, TTP_OK);
    assert_int_equal(r.v.threads, 4);
    assert_true(r.v.scale == -1.5);
    assert_int_equal(r.v.color, 2);
    assert_int_equal(r.v.where.count, 3);
    assert_string_equal(r.v.where.word[0], "a");
    assert_string_equal(r.v.where.word[2], "c");
}

static void test_opts__a_percentage_is_a_part_with_or_without_its_sign(void **state)
{
    assert_true(PARSE("--least", "2%").v.least == 0.02);
    assert_true(PARSE("--least= 0.5 % ").v.least == 0.005);
    assert_true(PARSE("--least", "100").v.least == 1);
    assert_true(PARSE("--least", "0").v.least == 0);
}

static void test_opts__what_is_not_given_keeps_its_value(void **state)
{
    const struct result r = PARSE("-a");

    assert_true(r.v.scale == 0.5);
    assert_null(r.v.output);
}

static void test_opts__operands_and_options_mix_until_two_dashes(void **state)
{
    const struct result r = PARSE("one", "-a", "-", "--", "-b", "--", "two");

    assert_int_equal(r.rc, TTP_OK);
    assert_true(r.v.all);
    assert_false(r.v.brief);
    assert_int_equal(r.operands.count, 5);
    assert_string_equal(r.operands.word[1], "-");
    assert_string_equal(r.operands.word[2], "-b");
    assert_string_equal(r.operands.word[3], "--");
    assert_int_equal(r.dashdash, 2);
    assert_int_equal(PARSE("a", "b").dashdash, 2);
}

static void test_opts__mistakes_name_the_option_and_what_was_meant(void **state)
{
    static const struct {
        const char *words[3], *text, *hint;
    } cases[] = {
        {{"--otuput", "x"}, "unknown option '--otuput'", "did you mean '--output'?"},
        {{"--zzz"}, "unknown option '--zzz'", ""},
        {{"-az"}, "unknown option '-z'", ""},
        {{"--no-s"}, "option '--no-s' is ambiguous", "it could be '--no-summary', '--no-stack'"},
        {{"--sec"}, "unknown option '--sec'", ""},
        {{"--all=1"}, "option '--all' takes no value", ""},
        {{"--output"}, "option '--output' needs a value", ""},
        {{"-o"}, "option '-o' needs a value", ""},
        {{"-j", "two"}, "option '-j': 'two' is not a whole number", ""},
        {{"--threads=65"}, "option '--threads': 65 is not between 0 and 64", ""},
        {{"--thr=-1"}, "option '--threads': -1 is not between 0 and 64", ""},
        {{"--scale", "1x"}, "option '--scale': '1x' is not a number", ""},
        {{"--scale", "nan"}, "option '--scale': 'nan' is not a number", ""},
        {{"--least", "2 apples"},
         "option '--least': '2 apples' is not a percentage",
         "for example 2% or 0.5"},
        {{"--least", "-1%"},
         "option '--least': '-1%' is not a percentage",
         "for example 2% or 0.5"},
        {{"--least", "1001"},
         "option '--least': '1001' is not a percentage",
         "for example 2% or 0.5"},
        {{"--color", "alway"},
         "option '--color': 'alway' is not one of auto, always, never",
         "did you mean 'always'?"},
    };

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const struct result r = parse(*state, cases[i].words);
        assert_int_equal(r.rc, TTP_EUSAGE);
        assert_int_equal(r.err.code, TTP_EUSAGE);
        assert_string_equal(r.err.text, cases[i].text);
        assert_string_equal(r.err.hint, cases[i].hint);
    }
}

static void test_opts__an_alias_is_no_second_candidate(void **state)
{
    assert_int_equal(PARSE("--col", "always").v.color, 1);
    assert_int_equal(PARSE("--secret").rc, TTP_OK);
}

static void test_opts__the_first_mistake_is_told_and_the_rest_still_parsed(void **state)
{
    const struct result r = PARSE("--zzz", "--color", "never", "--yyy");

    assert_int_equal(r.rc, TTP_EUSAGE);
    assert_string_equal(r.err.text, "unknown option '--zzz'");
    assert_int_equal(r.v.color, 2);
}

static void test_opts__a_word_far_from_all_others_is_near_to_none(void **state)
{
    static const char *const verbs[] = {"report", "help", "version", NULL};

    (void)state;
    assert_string_equal(ttp_opts_nearest("reprot", verbs), "report");
    assert_string_equal(ttp_opts_nearest("hlp", verbs), "help");
    assert_string_equal(ttp_opts_nearest("versions", verbs), "version");
    assert_null(ttp_opts_nearest("x", verbs));
    assert_null(ttp_opts_nearest("xml", (const char *const[]){"text", "md", "html", NULL}));
    assert_null(ttp_opts_nearest("oom", (const char *const[]){"loop", NULL}));
    assert_null(ttp_opts_nearest("frobnicate", verbs));
    assert_null(ttp_opts_nearest("", verbs));
}

static void test_opts__value_names_come_from_metavar_choices_or_the_name(void **state)
{
    assert_true(ttp_str_eq(ttp_opts_metavar(&table[4], *state), TTP_STR("FILE")));
    assert_true(ttp_str_eq(ttp_opts_metavar(&table[8], *state), TTP_STR("auto|always|never")));
    assert_true(ttp_str_eq(ttp_opts_metavar(&table[10], *state), TTP_STR("WHERE")));
    assert_int_equal(ttp_opts_metavar(&table[0], *state).len, 0);
}

static void test_opts__a_shared_table_stands_in_place_of_its_row(void **state)
{
    struct shared {
        bool first, second;
    };
    struct whole {
        bool own;
        struct shared one, two;
    };
    static const struct ttp_opt rows[] = {
        {.name = "first", .offset = offsetof(struct shared, first), .group = "usual"},
        {.name = "second", .offset = offsetof(struct shared, second)},
    };
    static const struct ttp_opt_table shared = {rows, TTP_COUNT(rows)};
    static const struct ttp_opt mine[] = {
        {.table = &shared, .offset = offsetof(struct whole, two), .group = "mine"},
        {.name = "own", .offset = offsetof(struct whole, own)},
        {.table = &shared, .offset = offsetof(struct whole, one)},
    };
    size_t n;
    const struct ttp_opt *all = ttp_opts_expand(&n, mine, TTP_COUNT(mine), *state);

    assert_int_equal(n, 5);
    assert_string_equal(all[0].group, "mine");
    assert_int_equal(all[1].offset, offsetof(struct whole, two.second));
    assert_string_equal(all[2].name, "own");
    assert_string_equal(all[3].group, "usual");
    assert_int_equal(all[4].offset, offsetof(struct whole, one.second));
    assert_null(all[4].group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_opts__every_way_to_write_a_value),
        TTP_TEST_ARENA(test_opts__values_have_the_type_of_their_option),
        TTP_TEST_ARENA(test_opts__a_percentage_is_a_part_with_or_without_its_sign),
        TTP_TEST_ARENA(test_opts__what_is_not_given_keeps_its_value),
        TTP_TEST_ARENA(test_opts__operands_and_options_mix_until_two_dashes),
        TTP_TEST_ARENA(test_opts__mistakes_name_the_option_and_what_was_meant),
        TTP_TEST_ARENA(test_opts__an_alias_is_no_second_candidate),
        TTP_TEST_ARENA(test_opts__the_first_mistake_is_told_and_the_rest_still_parsed),
        TTP_TEST_ARENA(test_opts__a_word_far_from_all_others_is_near_to_none),
        TTP_TEST_ARENA(test_opts__value_names_come_from_metavar_choices_or_the_name),
        TTP_TEST_ARENA(test_opts__a_shared_table_stands_in_place_of_its_row),
    };
    return cmocka_run_group_tests_name("cli/opts", tests, NULL, NULL);
}
