/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - how fast the processors read and write memory.
 *
 * Three arrays, each larger than the last-level caches, are divided among the threads; every thread
 * touches its part first, so that it lies on its own NUMA node. All begin a pass together, and a
 * pass ends when the last thread has. */
#include <math.h>

#include "base/clock.h"
#include "base/par.h"
#include "base/team.h"
#include "base/vec.h"
#include "measure/measure.h"

#define MIB           ((uint64_t)1 << 20)
#define ARRAY_MIN     (64 * MIB)
#define ARRAY_MAX     (1024 * MIB)
#define ARRAYS        3
#define TESTS         4
#define SAMPLES_MIN   5
#define SAMPLES_MAX   50
#define SECONDS       2.0
#define FREE_PART     4 /* the arrays take at most this part of the memory that is available */
#define WORDS_AT_ONCE 8

struct streaming {
    double *array[ARRAYS];
    size_t words; /* of each */
    double seconds_each;
    double sample[TESTS][SAMPLES_MAX]; /* bytes per second */
    size_t count[TESTS];
    uint64_t sum; /* of what was read, so that it must be read */
    unsigned threads;
    bool more; /* written by the first thread between two steps */
};

/* A part of the arrays, in words. */
struct part {
    double *a, *b, *c;
    size_t n;
};

static uint64_t copy_part(const struct part *p)
{
    memcpy(p->c, p->a, p->n * sizeof(*p->a));
    return 0;
}

/* Several sums, so that none waits for the one before. */
static uint64_t read_part(const struct part *p)
{
    const double *a = p->a;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;

    for (size_t i = 0; i + WORDS_AT_ONCE <= p->n; i += WORDS_AT_ONCE) {
        s0 += a[i];
        s1 += a[i + 1];
        s2 += a[i + 2];
        s3 += a[i + 3];
        s4 += a[i + 4];
        s5 += a[i + 5];
        s6 += a[i + 6];
        s7 += a[i + 7];
    }
    return (uint64_t)(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7);
}

static uint64_t write_part(const struct part *p)
{
    memset(p->b, 1, p->n * sizeof(*p->b));
    return 0;
}

static uint64_t triad_part(const struct part *p)
{
    double *restrict a = p->a;
    const double *restrict b = p->b, *restrict c = p->c;

    for (size_t i = 0; i < p->n; i++)
        a[i] = b[i] + 3.0 * c[i];
    return 0;
}

static const struct {
    uint64_t (*run)(const struct part *p);
    enum ttp_bandwidth_kind kind;
    unsigned words; /* read or written per element */
} tests[TESTS] = {
    {copy_part, TTP_BANDWIDTH_COPY, 2},
    {read_part, TTP_BANDWIDTH_READ, 1},
    {write_part, TTP_BANDWIDTH_WRITE, 1},
    {triad_part, TTP_BANDWIDTH_TRIAD, 3},
};

static struct part part_of(const struct streaming *s, unsigned i, unsigned n)
{
    const size_t from = s->words / n * i, to = i + 1 == n ? s->words : s->words / n * (i + 1);

    return (struct part){s->array[0] + from, s->array[1] + from, s->array[2] + from, to - from};
}

/* By the first thread, while the others wait for the next step. The first pass warms up. */
static void note_pass(struct streaming *s, size_t test, size_t pass, uint64_t ns, uint64_t spent_ns)
{
    size_t *n = &s->count[test];

    if (pass > 0)
        s->sample[test][(*n)++] = (double)tests[test].words * (double)s->words * sizeof(double) /
                                  ((double)(ns ? ns : 1) / 1e9);
    s->more = *n < SAMPLES_MIN || (*n < SAMPLES_MAX && (double)spent_ns / 1e9 < s->seconds_each);
}

static void stream(void *ctx, struct ttp_team *team, unsigned i)
{
    struct streaming *s = ctx;
    const struct part p = part_of(s, i, ttp_team_size(team));
    uint64_t sum = 0;

    for (size_t k = 0; k < p.n; k++) {
        p.a[k] = 1;
        p.b[k] = 2;
        p.c[k] = 0;
    }
    for (size_t t = 0; t < TESTS; t++) {
        const uint64_t begun = ttp_clock_ns();

        for (size_t pass = 0;; pass++) {
            ttp_team_wait(team);
            const uint64_t start = ttp_clock_ns();
            sum += tests[t].run(&p);
            ttp_team_wait(team);
            const uint64_t end = ttp_clock_ns();
            if (i == 0)
                note_pass(s, t, pass, end - start, end - begun);
            ttp_team_wait(team);
            if (!s->more)
                break;
        }
    }
    if (i == 0) {
        s->threads = ttp_team_size(team);
        s->sum = sum;
    }
}

/* More than the caches hold, less than the machine can spare; 0: it cannot. */
static uint64_t choose_bytes(const struct ttp_stream_options *o)
{
    const uint64_t room = o->available_bytes ? o->available_bytes / FREE_PART / ARRAYS : ARRAY_MIN;
    uint64_t bytes = 2 * o->cache_bytes;

    if (o->array_bytes)
        return o->array_bytes;
    if (bytes < ARRAY_MIN)
        bytes = ARRAY_MIN;
    if (bytes > ARRAY_MAX)
        bytes = ARRAY_MAX;
    if (bytes > room)
        bytes = room;
    return bytes >= MIB ? bytes : 0;
}

ttp_code ttp_measure_stream_memory(struct ttp_bandwidth *out, const struct ttp_stream_options *o,
                                   struct ttp_arena *arena, struct ttp_err *err)
{
    const uint64_t bytes = choose_bytes(o);
    struct ttp_arena big = {0};
    struct streaming *s = TTP_NEW(arena, struct streaming, 1);

    if (bytes == 0)
        return ttp_fail(err, TTP_EMISSING, "%.0f MB of memory are free, too few for a test of it",
                        (double)o->available_bytes / 1e6);
    s->words = (size_t)(bytes / sizeof(double));
    s->seconds_each = (o->seconds > 0 ? o->seconds : SECONDS) / TESTS;
    for (size_t i = 0; i < ARRAYS; i++)
        s->array[i] = ttp_arena_raw(&big, s->words, sizeof(double), 64);
    ttp_team_run(stream, s, o->threads);
    ttp_arena_free(&big);

    out->threads = s->threads;
    out->array_bytes = bytes;
    out->cache_bytes = o->cache_bytes;
    for (size_t t = 0; t < TESTS; t++) {
        const double *sorted = ttp_stats_sorted(s->sample[t], s->count[t], arena);

        *TTP_PUSH(arena, out->rate, out->count) = (struct ttp_bandwidth_rate){
            .kind = tests[t].kind,
            .device = -1,
            .sample = s->sample[t],
            .count = s->count[t],
            .median = ttp_stats_quantile(sorted, s->count[t], 0.5),
            .min = sorted[0],
            .max = sorted[s->count[t] - 1],
            .source = "tt-perf",
        };
    }
    return TTP_OK;
}
