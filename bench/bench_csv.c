/* SPDX-License-Identifier: Apache-2.0 */
/* bench_csv.c - marking separators, and indexing fields, as multiples of memchr() for an absent
 * byte over the same text: once from memory, once from the level 2 cache. The bars are 3 and 5. */
#include <stdio.h>
#include <stdlib.h>

#include "base/csv_internal.h"
#include "bench.h"

enum { COLUMNS = 130, MEMORY = 64 << 20, CACHED = 256 << 10 };

struct subject {
    ttp_str text;
    size_t repeat;
    uint32_t end[COLUMNS];
};

static void mark(void *arg)
{
    const struct subject *s = arg;
    for (size_t i = 0; i < s->repeat; i++)
        bench_sink += ttp_csv_kernel(0)->count(s->text, ',');
}

static void index_rows(void *arg)
{
    struct subject *s = arg;

    for (size_t i = 0; i < s->repeat; i++) {
        struct ttp_csv c = {.text = s->text, .sep = ','};
        struct ttp_csv_row row = {.end = s->end, .max = COLUMNS};
        size_t n = 0;

        while (ttp_csv_next(&c, &row))
            n += row.nfields + row.end[COLUMNS - 1];
        bench_sink += n;
    }
}

static void cut(void *arg)
{
    const struct subject *s = arg;
    for (size_t i = 0; i < s->repeat; i++)
        bench_sink += ttp_csv_whole_rows(s->text, ',', false);
}

static void touch(void *arg)
{
    const struct subject *s = arg;
    for (size_t i = 0; i < s->repeat; i++)
        bench_sink += memchr(s->text.ptr, '\0', s->text.len) != NULL;
}

/* Rows of COLUMNS fields, 0 to 22 bytes each, as the ops CSV has them; with `quotes` a field in 16
 * is quoted and holds separators. */
static ttp_str make_text(size_t bytes, bool quotes)
{
    char *text = malloc(bytes);
    size_t at = 0, column = 0;
    uint64_t seed = 1;

    if (!text)
        abort();
    while (at + 32 < bytes) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        const size_t len = (seed >> 33) % 23;
        const bool quoted = quotes && (seed >> 60) == 0;

        if (quoted)
            text[at++] = '"';
        for (size_t i = 0; i < len; i++)
            text[at++] = "0123456789 abc-XYZ_.:;[]"[(seed >> (i * 2)) % 24];
        if (quoted) {
            memcpy(text + at, ",x\"", 3);
            at += 3;
        }
        column = (column + 1) % COLUMNS;
        text[at++] = (char)(column ? ',' : '\n');
    }
    return (ttp_str){text, at};
}

static double gb_s(const struct subject *s, struct bench_pair r)
{
    return (double)(s->text.len * s->repeat) / r.subject_s / 1e9;
}

static void run(const char *where, struct subject *plain, struct subject *quoted)
{
    const struct bench_pair m = bench_versus(mark, touch, plain, 15);
    const struct bench_pair x = bench_versus(index_rows, touch, plain, 15);
    const struct bench_pair w = bench_versus(cut, touch, plain, 15);
    const struct bench_pair q = bench_versus(index_rows, touch, quoted, 15);
    const struct bench_pair v = bench_versus(cut, touch, quoted, 15);

    printf(",\"%s\":{\"mark_vs_memchr\":%.2f,\"mark_gb_s\":%.2f,\"index_vs_memchr\":%.2f,"
           "\"index_gb_s\":%.2f,\"cut_vs_memchr\":%.2f,\"quoted_index_vs_memchr\":%.2f,"
           "\"quoted_cut_vs_memchr\":%.2f}",
           where, m.ratio, gb_s(plain, m), x.ratio, gb_s(plain, x), w.ratio, q.ratio, v.ratio);
}

int main(void)
{
    static struct subject plain, quoted;

    printf("{\"bench\":\"csv\",\"kernel\":\"%s\"", ttp_csv_kernel_name());
    plain = (struct subject){.text = make_text(MEMORY, false), .repeat = 1};
    quoted = (struct subject){.text = make_text(MEMORY, true), .repeat = 1};
    run("memory", &plain, &quoted);
    plain.text.len = quoted.text.len = CACHED;
    plain.repeat = quoted.repeat = 200;
    run("cache", &plain, &quoted);
    printf("}\n");
    return 0;
}
