/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <ftw.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num_internal.h"

extern char **environ;

enum { ROUNDS = 200000 };

/* xorshift64*, so that every run sees the same numbers. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* Half of them over all bit patterns, half as a report has them: moderate, few digits. */
static double random_double(uint64_t *seed)
{
    static const double unit[] = {1, 10, 100, 1000, 1024, 8, 3, 1e6};
    const uint64_t r = next_random(seed);
    const double v = ttp_num_from_bits(r);

    if (next_random(seed) % 2 && isfinite(v))
        return v;
    return (double)(int64_t)(r >> 8 >> r % 48) / unit[next_random(seed) % TTP_COUNT(unit)];
}

static double parsed(const char *text)
{
    double v = 0;

    if (!ttp_str_to_f64(ttp_str_from(text), &v))
        fail_msg("'%s' is refused", text);
    return v;
}

static void assert_same(double got, double want, const char *what)
{
    if (ttp_num_bits(got) != ttp_num_bits(want))
        fail_msg("%.100s: %a, not %a", what, got, want);
}

/* Writers add no NUL and must stay inside what they return. */
static const char *closed(char *out, size_t n, size_t size)
{
    for (size_t i = n; i < size; i++)
        assert_int_equal(out[i], '#');
    out[n] = '\0';
    return out;
}

static void assert_fixed(double v, int digits, bool grouped, const char *want)
{
    char out[TTP_NUM_FIXED_MAX];

    memset(out, '#', sizeof(out));
    const size_t n = ttp_num_fixed(out, v, digits, grouped);
    assert_string_equal(closed(out, n, sizeof(out)), want);
}

static void assert_shortest(double v, enum ttp_num_style style, const char *want)
{
    char out[TTP_NUM_MAX];

    memset(out, '#', sizeof(out));
    const size_t n = ttp_num_f64(out, v, style);
    assert_string_equal(closed(out, n, sizeof(out)), want);
}

static void test_num__whole_numbers_at_every_change_of_length(void **state)
{
    (void)state;
    for (uint64_t power = 1;; power *= 10) {
        for (int step = -1; step <= 1; step++) {
            const uint64_t v = power + (uint64_t)step;
            char out[TTP_NUM_MAX], want[TTP_NUM_MAX];

            memset(out, '#', sizeof(out));
            snprintf(want, sizeof(want), "%" PRIu64, v);
            assert_string_equal(closed(out, ttp_num_u64(out, v), sizeof(out)), want);
            memset(out, '#', sizeof(out));
            snprintf(want, sizeof(want), "%" PRIi64, -(int64_t)v);
            assert_string_equal(closed(out, ttp_num_i64(out, -(int64_t)v), sizeof(out)), want);
        }
        if (power > UINT64_MAX / 10)
            break;
    }
}

static void test_num__random_whole_numbers_equal_printf(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t v = next_random(&seed) >> i % 64;
        char out[TTP_NUM_MAX], want[TTP_NUM_MAX];

        snprintf(want, sizeof(want), "%" PRIu64, v);
        out[ttp_num_u64(out, v)] = '\0';
        assert_string_equal(out, want);
    }
}

static void test_num__groups_of_three_digits(void **state)
{
    static const struct {
        int64_t v;
        const char *want;
    } cases[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {-1000, "-1,000"},
        {999999, "999,999"},
        {1000000, "1,000,000"},
        {INT64_MAX, "9,223,372,036,854,775,807"},
        {INT64_MIN, "-9,223,372,036,854,775,808"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        char out[TTP_NUM_MAX];

        memset(out, '#', sizeof(out));
        const size_t n = ttp_num_i64_grouped(out, cases[i].v);
        assert_string_equal(closed(out, n, sizeof(out)), cases[i].want);
    }
}

static void test_num__fixed_point_rounds_the_exact_value_half_to_even(void **state)
{
    static const struct {
        double v;
        int digits;
        bool grouped;
        const char *want;
    } cases[] = {
        {0, 0, false, "0"},
        {0, 2, false, "0.00"},
        {-0.0, 1, false, "-0.0"},
        {-0.04, 1, false, "-0.0"},
        {0.5, 0, false, "0"},
        {1.5, 0, false, "2"},
        {2.5, 0, false, "2"},
        {0.125, 2, false, "0.12"},
        {0.375, 2, false, "0.38"},
        {1.005, 2, false, "1.00"}, /* a little below */
        {0.25, 1, false, "0.2"},
        {9.995, 2, false, "9.99"},
        {9.9999, 3, false, "10.000"},
        {999999.96, 1, true, "1,000,000.0"},
        {999.96, 1, true, "1,000.0"},
        {-1234567.891, 2, true, "-1,234,567.89"},
        {4503599627370495.5, 0, true, "4,503,599,627,370,496"},
        {4503599627370497.5, 0, false, "4503599627370498"},
        {9007199254740993.0, 1, false, "9007199254740992.0"},
        {18446744073709551616.0, 1, true, "18,446,744,073,709,551,616.0"},
        {1e23, 2, true, "99,999,999,999,999,991,611,392.00"},
        {4.9406564584124654e-324, 9, false, "0.000000000"},
        {5e-10, 9, false, "0.000000001"}, /* a little above */
        {0x1p-30, 9, false, "0.000000001"},
        {INFINITY, 1, true, "inf"},
        {-INFINITY, 1, true, "-inf"},
        {NAN, 0, true, "nan"},
        {-NAN, 0, false, "-nan"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_fixed(cases[i].v, cases[i].digits, cases[i].grouped, cases[i].want);
}

static void test_num__largest_grouped_fixed_point_fits_the_promised_room(void **state)
{
    char out[TTP_NUM_FIXED_MAX];

    (void)state;
    assert_int_equal(ttp_num_fixed(out, -1.7976931348623157e308, 9, true), 1 + 309 + 102 + 10);
    assert_memory_equal(out, "-179,769,313,486,231,570,814,527,423,731,", 41);
}

static void test_num__random_fixed_point_equals_printf(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const double v = random_double(&seed);
        const int digits = i % 10;
        char out[TTP_NUM_FIXED_MAX], want[TTP_NUM_FIXED_MAX];

        out[ttp_num_fixed(out, v, digits, false)] = '\0';
        snprintf(want, sizeof(want), "%.*f", digits, v);
        assert_string_equal(out, want);
    }
}

static void test_num__random_ties_of_fixed_point_equal_printf(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) { /* odd / 2^(digits + 1) ends in a 5 one place too far */
        const int digits = i % 10;
        const double v = ldexp((double)(next_random(&seed) >> (12 + i % 40) | 1), -digits - 1);
        char out[TTP_NUM_FIXED_MAX], want[TTP_NUM_FIXED_MAX];

        out[ttp_num_fixed(out, v, digits, false)] = '\0';
        snprintf(want, sizeof(want), "%.*f", digits, v);
        assert_string_equal(out, want);
    }
}

static void test_num__grouped_fixed_point_differs_only_by_commas(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        const double v = random_double(&seed);
        char out[TTP_NUM_FIXED_MAX], plain[TTP_NUM_FIXED_MAX];
        const size_t n = ttp_num_fixed(out, v, i % 10, true);
        const size_t want = ttp_num_fixed(plain, v, i % 10, false);
        const size_t point = i % 10 ? n - (size_t)(i % 10) - 1 : n;
        size_t kept = 0;

        for (size_t at = 0; at < n; at++) {
            const bool here = at > (v < 0) && at < point && (point - at) % 4 == 0;
            assert_int_equal(out[at] == ',', here);
            if (!here)
                out[kept++] = out[at];
        }
        assert_int_equal(kept, want);
        assert_memory_equal(out, plain, want);
    }
}

/* Expected texts are from CPython 3.11 repr() and Node 20 String(). */
static void test_num__shortest_digits_in_both_notations(void **state)
{
    static const struct {
        double v;
        const char *python, *json;
    } cases[] = {
        {0, "0.0", "0"},
        {-0.0, "-0.0", "0"},
        {1, "1.0", "1"},
        {-1.5, "-1.5", "-1.5"},
        {0.1, "0.1", "0.1"},
        {100, "100.0", "100"},
        {123456.789, "123456.789", "123456.789"},
        {0.001, "0.001", "0.001"},
        {0.0001, "0.0001", "0.0001"},
        {0.00001, "1e-05", "0.00001"},
        {0.000001, "1e-06", "0.000001"},
        {0.0000001, "1e-07", "1e-7"},
        {0.00012345, "0.00012345", "0.00012345"},
        {0.000012345, "1.2345e-05", "0.000012345"},
        {9007199254740991, "9007199254740991.0", "9007199254740991"},
        {9007199254740993.0, "9007199254740992.0", "9007199254740992"},
        {9999999999999998.0, "9999999999999998.0", "9999999999999998"},
        {1e16, "1e+16", "10000000000000000"},
        {12345678901234567890.0, "1.2345678901234567e+19", "12345678901234567000"},
        {1e20, "1e+20", "100000000000000000000"},
        {1e21, "1e+21", "1e+21"},
        {1e23, "1e+23", "1e+23"},
        {9.5367431640625e-7, "9.5367431640625e-07", "9.5367431640625e-7"},
        {0x1p-44, "5.684341886080802e-14", "5.684341886080802e-14"},
        {5e-324, "5e-324", "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308", "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308", "2.225073858507201e-308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308", "-1.7976931348623157e+308"},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        assert_shortest(cases[i].v, TTP_NUM_PYTHON, cases[i].python);
        assert_shortest(cases[i].v, TTP_NUM_JSON, cases[i].json);
    }
    assert_shortest(INFINITY, TTP_NUM_PYTHON, "inf");
    assert_shortest(-INFINITY, TTP_NUM_PYTHON, "-inf");
    assert_shortest(NAN, TTP_NUM_PYTHON, "nan");
    assert_shortest(-NAN, TTP_NUM_PYTHON, "nan");
}

/* The digits from the first to the last that is not 0, whatever the notation; returns how many. */
static int significant_digits(char *to, const char *text)
{
    int count = 0, kept = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
            continue;
        to[count++] = *text;
        kept = *text == '0' ? kept : count;
    }
    to[kept] = '\0';
    return kept;
}

static void assert_shortest_and_exact(double v, enum ttp_num_style style)
{
    char out[TTP_NUM_MAX], digits[TTP_NUM_MAX], other[TTP_NUM_MAX], other_digits[TTP_NUM_MAX];

    out[ttp_num_f64(out, v, style)] = '\0';
    assert_same(parsed(out), v, out);
    assert_same(strtod(out, NULL), v, out);
    const int count = significant_digits(digits, out);
    if (count > 1) { /* fewer digits are among these too: with zeros at the end */
        snprintf(other, sizeof(other), "%.*e", count - 2, v);
        if (strtod(other, NULL) == v)
            fail_msg("%s is longer than %s", out, other);
    }
    /* of equally short ones ours is the nearest, unless that belongs to the neighbour of a 2^n */
    snprintf(other, sizeof(other), "%.*e", count - 1, v);
    significant_digits(other_digits, other);
    if (strtod(other, NULL) == v)
        assert_string_equal(digits, other_digits);
}

static void test_num__random_shortest_digits_read_back_and_none_are_shorter(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const double v = random_double(&seed);

        if (v != 0)
            assert_shortest_and_exact(v, i % 2 ? TTP_NUM_PYTHON : TTP_NUM_JSON);
    }
}

static void test_num__powers_of_two_and_their_neighbours_read_back_shortest(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; e++) {
        const double v = ldexp(1, e);

        assert_shortest_and_exact(v, TTP_NUM_PYTHON);
        if (e < 1023)
            assert_shortest_and_exact(nextafter(v, INFINITY), TTP_NUM_PYTHON);
        if (e > -1074)
            assert_shortest_and_exact(nextafter(v, 0), TTP_NUM_JSON);
    }
}

static void test_num__hard_decimals_are_read_to_the_nearest(void **state)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {
        {"0", 0},
        {"-0", -0.0},
        {"+1", 1},
        {"1.", 1},
        {".5", 0.5},
        {"1e5", 1e5},
        {"1E+5", 1e5},
        {"007.50", 7.5},
        {"9007199254740992", 0x1p53},
        {"9007199254740993", 0x1p53}, /* halfway, down to even */
        {"9007199254740993.0", 0x1p53},
        {"9007199254740993.00000000000000000000000000000000001", 0x1.0000000000001p53},
        {"9007199254740995", 0x1.0000000000002p53}, /* halfway, up to even */
        {"900719925474099500000e-5", 0x1.0000000000002p53},
        {"1e23", 0x1.52d02c7e14af6p+76},
        {"8.988465674311579e307", 0x1.fffffffffffffp+1022},
        {"1.7976931348623157e308", 0x1.fffffffffffffp+1023},
        {"1.797693134862315807e308", 0x1.fffffffffffffp+1023}, /* below halfway to infinity */
        {"1.797693134862315808e308", INFINITY},
        {"-1e309", -INFINITY},
        {"1e99999999999999999999", INFINITY},
        {"0e99999999999999999999", 0},
        {"1e-99999999999999999999", 0},
        {"2.2250738585072014e-308", 0x1p-1022},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022}, /* the one that hung PHP and Java */
        {"2.225073858507201136057409796709131975934819546351645648e-308", 0x0.fffffffffffffp-1022},
        {"5e-324", 0x1p-1074},
        {"4.9406564584124654e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0}, /* just below half the smallest */
        {"2.4703282292062328e-324", 0x1p-1074},
        {"1e-400", 0},
        {"-1e-400", -0.0},
        {"6.631236846766476e-316", 0x0.0000008p-1022},
        {"3.2378839133029012895883524125015321748630094231814e-319", 0x0.000000000ffffp-1022},
        {"inf", INFINITY},
        {"-Infinity", -INFINITY},
        {"+INF", INFINITY},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++)
        assert_same(parsed(cases[i].text), cases[i].want, cases[i].text);
    assert_true(isnan(parsed("nan")) && isnan(parsed("-NaN")));
}

static void test_num__junk_is_refused_and_leaves_the_result_alone(void **state)
{
    static const char *const cases[] = {
        "",    "+",   "-",     ".",     "+.",   "e5",   "1e",    "1e+",   "1e-",       "1e5.",
        " 1",  "1 ",  "1\n",   "--1",   "+-1",  "1..2", "1.2.3", "1,5",   "1_000",     "0x10",
        "1x",  "1p3", "1e5e5", "infin", "in",   "na",   "nan()", "nanx",  "infinityx", "1f",
        ".e5", "-.",  "e",     "- 1",   "1e 5", "\xff", "1\xff", "1e5\t", "\xc9nf",    "1d5",
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        double v = 42;

        if (ttp_str_to_f64(ttp_str_from(cases[i]), &v))
            fail_msg("'%s' is accepted", cases[i]);
        assert_true(v == 42);
    }
    double v = 42;
    assert_false(ttp_str_to_f64((ttp_str){"1\0", 2}, &v));
    assert_false(ttp_str_to_f64((ttp_str){NULL, 0}, &v));
}

static void test_num__random_texts_are_read_as_strtod_reads_them(void **state)
{
    static const int digits[] = {17, 16, 15, 6, 20, 40};
    uint64_t seed = 6;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const double v = random_double(&seed);
        char text[TTP_NUM_FIXED_MAX];

        snprintf(text, sizeof(text), "%.*g", digits[i % (int)TTP_COUNT(digits)], v);
        assert_same(parsed(text), strtod(text, NULL), text);
        snprintf(text, sizeof(text), "%" PRIu64 "e%d", next_random(&seed) >> i % 50,
                 (int)(next_random(&seed) % 700) - 360);
        assert_same(parsed(text), strtod(text, NULL), text);
    }
}

static void test_num__halfway_points_written_out_in_full_go_to_even(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        /* every 10th subnormal, where halfway has up to 767 digits */
        const uint64_t bits = next_random(&seed) >> (i % 10 ? 2 : 12 + i % 50);
        const double v = ttp_num_from_bits(bits), next = ttp_num_from_bits(bits + 1);
        char text[1300];

        if (!isfinite(next))
            continue;
        /* long double has the one bit more that this takes, also on aarch64 */
        const long double halfway = ((long double)v + (long double)next) / 2;
        const int n = snprintf(text, sizeof(text), "%.1100Le", halfway);
        const double even = bits & 1 ? next : v;
        char *exponent = strchr(text, 'e');
        assert_true(n > 0 && exponent);
        assert_same(parsed(text), even, text);
        exponent[-1] = '1'; /* a hair above, 1100 digits away */
        assert_same(parsed(text), next, text);
        exponent[-1] = '0';
        char *last = exponent - 1; /* and a hair below: ...5000 to ...4999 */
        while (*last == '0')
            *last-- = '9';
        (*last)--;
        assert_same(parsed(text), v, text);
    }
}

static void test_num__very_long_digit_strings_are_exact(void **state)
{
    enum { LONG = 65536 };
    char *text = test_malloc(LONG + 16);

    (void)state;
    memset(text, '0', LONG); /* 0.000...1e65530 */
    memcpy(text, "0.", 2);
    memcpy(text + LONG - 1, "1e65533", 8);
    assert_same(parsed(text), 1e-1, "small with a large exponent");

    memset(text, '0', LONG); /* 1000...000e-65535 */
    text[0] = '1';
    memcpy(text + LONG, "e-65535", 8);
    assert_same(parsed(text), 1, "large with a small exponent");

    memset(text, '0', LONG); /* halfway, then a 1 at the far end */
    memcpy(text, "9007199254740993.", 17);
    text[LONG] = '\0';
    assert_same(parsed(text), 0x1p53, "tie with zeros");
    text[LONG - 1] = '1';
    assert_same(parsed(text), 0x1.0000000000001p53, "tie with a far one");

    memset(text, '3', LONG);
    memcpy(text, "0.", 2);
    assert_same(parsed(text), 1.0 / 3, "a third");
    memset(text, '9', LONG);
    assert_same(parsed(text), INFINITY, "nines");
    test_free(text);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

/* Made with localedef(1) in a scratch folder, for machines that have only the C locale. */
static bool make_comma_locale(void)
{
    char dir[] = "/tmp/ttp_locale.XXXXXX", source[64], output[64];
    char program[] = "localedef", quiet[] = "--quiet", force[] = "-c", in[] = "-i";
    char *argv[] = {program, quiet, force, in, source, output, NULL};
    pid_t pid;

    if (!mkdtemp(dir))
        return false;
    snprintf(source, sizeof(source), "%s/source", dir);
    snprintf(output, sizeof(output), "%s/ttp_COMMA", dir);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n",
          f);
    fclose(f);
    setenv("LOCPATH", dir, 1);
    const bool made = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0 &&
                      waitpid(pid, NULL, 0) == pid && setlocale(LC_NUMERIC, "ttp_COMMA");
    unsetenv("LOCPATH");
    nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return made;
}

static int leave_locale(void **state)
{
    (void)state;
    return setlocale(LC_NUMERIC, "C") ? 0 : -1;
}

static void test_num__a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    char text[16];
    double v;

    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8") &&
        !make_comma_locale())
        skip(); /* neither installed nor to be made */
    snprintf(text, sizeof(text), "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    assert_false(ttp_str_to_f64(TTP_STR("1,5"), &v));
    assert_same(parsed("1.5"), 1.5, "1.5");
    assert_same(parsed("9007199254740993.00000000000000000001"), 0x1.0000000000001p53, "hard");
    assert_fixed(1234.5, 2, true, "1,234.50");
    assert_fixed(1e23, 1, false, "99999999999999991611392.0");
    assert_shortest(1234.5, TTP_NUM_PYTHON, "1234.5");
    assert_shortest(1.5e-300, TTP_NUM_JSON, "1.5e-300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_num__whole_numbers_at_every_change_of_length),
        cmocka_unit_test(test_num__random_whole_numbers_equal_printf),
        cmocka_unit_test(test_num__groups_of_three_digits),
        cmocka_unit_test(test_num__fixed_point_rounds_the_exact_value_half_to_even),
        cmocka_unit_test(test_num__largest_grouped_fixed_point_fits_the_promised_room),
        cmocka_unit_test(test_num__random_fixed_point_equals_printf),
        cmocka_unit_test(test_num__random_ties_of_fixed_point_equal_printf),
        cmocka_unit_test(test_num__grouped_fixed_point_differs_only_by_commas),
        cmocka_unit_test(test_num__shortest_digits_in_both_notations),
        cmocka_unit_test(test_num__random_shortest_digits_read_back_and_none_are_shorter),
        cmocka_unit_test(test_num__powers_of_two_and_their_neighbours_read_back_shortest),
        cmocka_unit_test(test_num__hard_decimals_are_read_to_the_nearest),
        cmocka_unit_test(test_num__junk_is_refused_and_leaves_the_result_alone),
        cmocka_unit_test(test_num__random_texts_are_read_as_strtod_reads_them),
        cmocka_unit_test(test_num__halfway_points_written_out_in_full_go_to_even),
        cmocka_unit_test(test_num__very_long_digit_strings_are_exact),
        cmocka_unit_test_teardown(test_num__a_locale_with_a_decimal_comma_changes_nothing,
                                  leave_locale),
    };
    return cmocka_run_group_tests_name("base/num", tests, NULL, NULL);
}
