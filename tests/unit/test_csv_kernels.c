/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel against a reader that goes byte by byte and shares no code with them. */
#include "test.h"

#include <stdlib.h>

#include "base/csv_internal.h"

enum { MAX_LEN = 5000 }; /* more than a reader looks ahead, in fields and in rows */

struct ref_row {
    size_t start, first; /* its first field in ref.end and ref.text */
    size_t nfields;
    uint64_t line;
    bool open_quote;
};

struct ref {
    struct ref_row row[MAX_LEN + 1];
    size_t nrows;
    uint32_t end[MAX_LEN + 1]; /* of the fields of all rows */
    ttp_str text[MAX_LEN + 1];
    size_t nfields;
    char bytes[MAX_LEN + 1]; /* what `text` points into */
    size_t nbytes;
    uint64_t lines;
    size_t whole; /* ttp_csv_whole_rows(), more text to come */
    size_t ends;  /* separators and line ends outside quotes */
};

static void ref_end_field(struct ref *r, size_t at)
{
    ttp_str *text = &r->text[r->nfields];

    text->len = (size_t)(r->bytes + r->nbytes - text->ptr);
    r->end[r->nfields++] = (uint32_t)at;
    r->text[r->nfields].ptr = r->bytes + r->nbytes;
}

static void ref_end_row(struct ref *r, ttp_str text, size_t at, bool open_quote)
{
    struct ref_row *row = &r->row[r->nrows];
    bool blank = true;

    row->nfields = r->nfields - row->first;
    row->open_quote = open_quote;
    for (size_t i = row->start; i < at; i++)
        blank = blank && (text.ptr[i] == ' ' || text.ptr[i] == '\t');
    if (blank && row->nfields == 1)
        r->nfields--;
    else
        r->nrows++;
}

static void ref_begin_row(struct ref *r, size_t at)
{
    r->row[r->nrows] = (struct ref_row){.start = at, .first = r->nfields, .line = r->lines};
    r->text[r->nfields].ptr = r->bytes + r->nbytes;
}

/* The line end at `at` ends a row; returns its last byte. */
static size_t ref_end_line(struct ref *r, ttp_str text, size_t at)
{
    const bool more = at + 1 < text.len;
    const bool crlf = more && text.ptr[at] == '\r' && text.ptr[at + 1] == '\n';

    ref_end_field(r, at);
    ref_end_row(r, text, at, false);
    r->ends++;
    r->lines++;
    if (text.ptr[at] == '\n' || more)
        r->whole = at + 1 + crlf;
    ref_begin_row(r, at + 1 + crlf);
    return at + crlf;
}

static void ref_read(struct ref *r, ttp_str text, char sep)
{
    enum { FRESH, PLAIN, QUOTED, QUOTE_SEEN } state = FRESH;

    r->nrows = r->nfields = r->nbytes = r->whole = r->ends = 0;
    r->lines = 0;
    ref_begin_row(r, 0);
    for (size_t i = 0; i < text.len; i++) {
        const char ch = text.ptr[i];

        if (state == QUOTED && ch == '"') {
            state = QUOTE_SEEN;
        } else if (state == QUOTED) {
            r->lines += ch == '\r' || (ch == '\n' && text.ptr[i - 1] != '\r');
            r->bytes[r->nbytes++] = ch;
        } else if (ch == sep) {
            ref_end_field(r, i);
            r->ends++;
            state = FRESH;
        } else if (ch == '\n' || ch == '\r') {
            i = ref_end_line(r, text, i);
            state = FRESH;
        } else if (state == FRESH && ch == '"') {
            state = QUOTED;
        } else {
            r->bytes[r->nbytes++] = ch;
            state = state == QUOTE_SEEN && ch == '"' ? QUOTED : PLAIN;
        }
    }
    if (r->row[r->nrows].start < text.len) {
        ref_end_field(r, text.len);
        ref_end_row(r, text, text.len, state == QUOTED);
    }
}

static void check_row(const struct ttp_csv *c, const struct ttp_csv_row *got, const struct ref *r,
                      size_t i, struct ttp_arena *arena)
{
    const struct ref_row *want = &r->row[i];
    const size_t kept = want->nfields < got->max ? want->nfields : got->max;

    assert_int_equal(got->start, want->start);
    assert_int_equal(got->nfields, want->nfields);
    assert_int_equal(got->line, want->line);
    assert_int_equal(got->open_quote, want->open_quote);
    for (size_t f = 0; f < kept; f++) {
        assert_int_equal(got->end[f], r->end[want->first + f]);
        assert_true(ttp_str_eq(ttp_csv_field(c, got, f, arena), r->text[want->first + f]));
    }
}

static void check_kernel(const struct ttp_csv_kernel *k, ttp_str text, char sep, size_t max,
                         const struct ref *r)
{
    struct ttp_arena arena = {0};
    struct ttp_csv c = {.text = text, .sep = sep};
    struct ttp_csv_row row = {.max = max};

    row.end = malloc(max ? max * sizeof(*row.end) : 1); /* exact: ASan sees a write past max */
    assert_non_null(row.end);
    for (size_t i = 0; i < r->nrows; i++) {
        assert_true(k->next(&c, &row));
        check_row(&c, &row, r, i, &arena);
    }
    assert_false(k->next(&c, &row));
    assert_int_equal(c.lines, r->lines);
    assert_int_equal(k->count(text, sep), r->ends);
    assert_int_equal(k->whole_rows(text, sep, false), r->whole);
    assert_int_equal(k->whole_rows(text, sep, true), text.len);
    free(row.end);
    ttp_arena_free(&arena);
}

static void check_all(ttp_str text, char sep, size_t max)
{
    static struct ref ref;

    ref_read(&ref, text, sep);
    for (size_t i = 0; ttp_csv_kernel(i); i++)
        check_kernel(ttp_csv_kernel(i), text, sep, max, &ref);
}

/* Texts of `len` bytes drawn from `alphabet`, in a block of exactly that size, so that ASan sees a
 * read past the end. */
static void check_random(const char *alphabet, size_t len, char sep)
{
    static const size_t maxima[] = {0, 1, 3, 8, 9, 16, 31, 64, 200, MAX_LEN};
    const size_t letters = strlen(alphabet);
    char *text = malloc(len ? len : 1);

    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = alphabet[(size_t)rand() % letters];
    check_all((ttp_str){text, len}, sep, maxima[(size_t)rand() % TTP_COUNT(maxima)]);
    free(text);
}

static void test_csv_kernels__agree_with_a_byte_at_a_time_reader(void **state)
{
    static const char *const alphabets[] = {
        "ab,\n",     "a,\"\n",          "a,\"\r\n",
        "\"\"\"a,",  "\r\n \t",         "abcdefgh,ijklmnop\nqrstuv\"wxyz",
        ",\"\r\n ",  "aaaaaaaaaaaa,\"", "abcdefghijklmnopqrstuvwxyz0123456789,,,,\r\n",
        ",,,,,,,\n", " \tab,\n\r\"",    "a\xc3\xa9,\"\n",
    };
    (void)state;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        const char *alphabet = alphabets[(size_t)rand() % TTP_COUNT(alphabets)];
        size_t len = (size_t)rand() % 300;

        if (round % 3 == 0) /* around the block boundaries */
            len = 64 * ((size_t)rand() % 10) + 62 + (size_t)rand() % 5;
        else if (round % 64 == 1)
            len = (size_t)rand() % MAX_LEN;
        check_random(alphabet, len, ",,,,,,,,,,,, \t\x0c:"[round % 16]);
    }
}

/* One odd thing in plain text, at every place of six blocks. */
static void test_csv_kernels__see_one_mark_wherever_it_stands(void **state)
{
    static const char *const marks[] = {"\n",       "\r",     "\r\n",   ",\"",  ",\"\"", "\"",
                                        "\",\"\"x", "\n\"\n", "\"\r\n", "\n\n", "\r\r"};
    (void)state;
    for (size_t m = 0; m < TTP_COUNT(marks); m++) {
        const size_t n = strlen(marks[m]);

        for (size_t at = 0; at + n <= 384; at++) {
            char text[384];

            memset(text, 'x', sizeof(text));
            memcpy(text + at, marks[m], n);
            check_all((ttp_str){text, sizeof(text)}, ',', 300);
            text[383] = '"';
            check_all((ttp_str){text, sizeof(text)}, ',', 300);
            check_all((ttp_str){text, at + n}, ',', 300);
        }
    }
}

static void test_csv_kernels__nul_may_be_the_separator(void **state)
{
    static const char text[] = "a\0b\0\0\"c\0d\"\0\ne";
    (void)state;
    for (size_t len = 0; len < sizeof(text); len++)
        check_all((ttp_str){text, len}, '\0', 20);
}

static void test_csv_kernels__the_one_in_use_is_the_first(void **state)
{
    (void)state;
    assert_string_equal(ttp_csv_kernel_name(), ttp_csv_kernel(0)->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_kernels__agree_with_a_byte_at_a_time_reader),
        cmocka_unit_test(test_csv_kernels__see_one_mark_wherever_it_stands),
        cmocka_unit_test(test_csv_kernels__nul_may_be_the_separator),
        cmocka_unit_test(test_csv_kernels__the_one_in_use_is_the_first),
    };
    return cmocka_run_group_tests_name("base/csv_kernels", tests, NULL, NULL);
}
