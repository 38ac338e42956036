/* SPDX-License-Identifier: Apache-2.0 */
/* bench_csv.c - marking separators, and indexing fields, as multiples of memchr() for an absent
 * byte over the same text: once from memory, once from the level 2 cache. The bars are 3 and 5. */
#include <stdio.h>
#include <stdlib.h>

#include "base/csv_internal.h"
#include "bench.h"

enum { WIDE = 130, NARROW = 14, MEMORY = 64 << 20, CACHED = 256 << 10 };

struct subject {
    ttp_str text;
    size_t repeat;
    uint32_t end[WIDE];
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
        struct ttp_csv_row row = {.end = s->end, .max = WIDE};
        size_t n = 0;

        while (ttp_csv_next(&c, &row))
            n += row.nfields + row.end[0];
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

/* Rows of fields of 0 to 22 bytes: WIDE as in the ops CSV, NARROW as in the device log; with
 * `quotes` a field in 16 is quoted and holds a separator. */
static ttp_str make_text(size_t bytes, size_t columns, bool quotes)
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
            text[at++] = ',';
            text[at++] = '"';
        }
        column = (column + 1) % columns;
        text[at++] = (char)(column ? ',' : '\n');
    }
    return (ttp_str){text, at};
}

static double gb_s(const struct subject *s, struct bench_pair r)
{
    return (double)(s->text.len * s->repeat) / r.subject_s / 1e9;
}

static void run(const char *where, struct subject *wide, struct subject *narrow,
                struct subject *quoted)
{
    const struct bench_pair m = bench_versus(mark, touch, wide, 15);
    const struct bench_pair x = bench_versus(index_rows, touch, wide, 15);
    const struct bench_pair n = bench_versus(index_rows, touch, narrow, 15);
    const struct bench_pair q = bench_versus(index_rows, touch, quoted, 15);
    const struct bench_pair w = bench_versus(cut, touch, wide, 15);
    const struct bench_pair v = bench_versus(cut, touch, quoted, 15);

    printf(",\"%s\":{\"mark_vs_memchr\":%.2f,\"mark_gb_s\":%.2f,\"index_vs_memchr\":%.2f,"
           "\"index_gb_s\":%.2f,\"narrow_index_vs_memchr\":%.2f,\"quoted_index_vs_memchr\":%.2f,"
           "\"cut_vs_memchr\":%.2f,\"quoted_cut_vs_memchr\":%.2f}",
           where, m.ratio, gb_s(wide, m), x.ratio, gb_s(wide, x), n.ratio, q.ratio, w.ratio,
           v.ratio);
}

int main(void)
{
    static struct subject wide, narrow, quoted;

    printf("{\"bench\":\"csv\",\"kernel\":\"%s\"", ttp_csv_kernel_name());
    wide = (struct subject){.text = make_text(MEMORY, WIDE, false), .repeat = 1};
    narrow = (struct subject){.text = make_text(MEMORY, NARROW, false), .repeat = 1};
    quoted = (struct subject){.text = make_text(MEMORY, WIDE, true), .repeat = 1};
    run("memory", &wide, &narrow, &quoted);
    wide.text.len = narrow.text.len = quoted.text.len = CACHED;
    wide.repeat = narrow.repeat = quoted.repeat = 200;
    run("cache", &wide, &narrow, &quoted);
    printf("}\n");
    return 0;
}
