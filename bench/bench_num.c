/* SPDX-License-Identifier: Apache-2.0 */
/* Each function of num.h against the C library's, on durations and ratios as reports print them
 * and on doubles with all their digits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "bench.h"

enum { COUNT = 100000, ROUNDS = 15, TEXT = 32 };

struct work {
    uint64_t whole[COUNT];
    double value[COUNT];       /* up to 10^7 with three decimals */
    double full[COUNT];        /* 15 to 17 digits */
    char text[COUNT][TEXT];    /* of value */
    char longest[COUNT][TEXT]; /* of full */
};

static void ours_u64(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += ttp_num_u64(out, w->whole[i]) + (size_t)out[0];
}

static void libc_u64(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += (size_t)snprintf(out, sizeof(out), "%" PRIu64, w->whole[i]) + (size_t)out[0];
}

static void ours_fixed(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_FIXED_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += ttp_num_fixed(out, w->value[i], 1, false) + (size_t)out[0];
}

static void ours_grouped(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_FIXED_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += ttp_num_fixed(out, w->value[i], 1, true) + (size_t)out[0];
}

static void libc_fixed(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_FIXED_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += (size_t)snprintf(out, sizeof(out), "%.1f", w->value[i]) + (size_t)out[0];
}

static void ours_shortest(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += ttp_num_f64(out, w->full[i], TTP_NUM_PYTHON) + (size_t)out[0];
}

static void libc_shortest(void *arg)
{
    const struct work *w = arg;
    char out[TTP_NUM_MAX];

    for (int i = 0; i < COUNT; i++)
        bench_sink += (size_t)snprintf(out, sizeof(out), "%.17g", w->full[i]) + (size_t)out[0];
}

static void ours_parse(const char (*text)[TEXT])
{
    for (int i = 0; i < COUNT; i++) {
        double v = 0;
        bench_sink += ttp_str_to_f64(ttp_str_from(text[i]), &v) + (size_t)v;
    }
}

static void libc_parse(const char (*text)[TEXT])
{
    for (int i = 0; i < COUNT; i++)
        bench_sink += (size_t)strtod(text[i], NULL);
}

static void ours_parse_text(void *arg)
{
    ours_parse(((const struct work *)arg)->text);
}

static void libc_parse_text(void *arg)
{
    libc_parse(((const struct work *)arg)->text);
}

static void ours_parse_longest(void *arg)
{
    ours_parse(((const struct work *)arg)->longest);
}

static void libc_parse_longest(void *arg)
{
    libc_parse(((const struct work *)arg)->longest);
}

static void fill(struct work *w)
{
    uint64_t x = 88172645463325252;

    for (int i = 0; i < COUNT; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        w->whole[i] = x >> (24 + x % 32);
        w->value[i] = (double)(x >> (30 + x % 24)) / 1000;
        w->full[i] = (double)(x >> 11) * 0x1p-53 * (double)(1 + x % 1000000);
        snprintf(w->text[i], TEXT, "%.3f", w->value[i]);
        snprintf(w->longest[i], TEXT, "%.17g", w->full[i]);
    }
}

int main(void)
{
    static const struct {
        const char *name;
        bench_fn *ours, *libc;
    } pairs[] = {
        {"u64", ours_u64, libc_u64},
        {"fixed", ours_fixed, libc_fixed},
        {"grouped", ours_grouped, libc_fixed},
        {"shortest", ours_shortest, libc_shortest},
        {"parse", ours_parse_text, libc_parse_text},
        {"parse_17", ours_parse_longest, libc_parse_longest},
    };
    struct work *w = malloc(sizeof(*w));

    if (!w)
        return 1;
    fill(w);
    printf("{\"bench\":\"num\"");
    for (size_t i = 0; i < TTP_COUNT(pairs); i++) {
        const struct bench_pair r = bench_versus(pairs[i].ours, pairs[i].libc, w, ROUNDS);

        printf(",\"%s_ns\":%.1f,\"%s_vs_libc\":%.3f", pairs[i].name, r.subject_s / COUNT * 1e9,
               pairs[i].name, r.ratio);
    }
    printf("}\n");
    free(w);
    return 0;
}
