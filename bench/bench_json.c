/* SPDX-License-Identifier: Apache-2.0 */
/* Pulling a NoC trace: every event; every number converted; every object skipped. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "bench.h"

#define DOCUMENT_BYTES ((size_t)20 << 20)
#define PIECE_BYTES    ((size_t)4 << 20)
#define ROUNDS         15

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void put_member(struct ttp_json_writer *w, const char *key, int64_t v)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_i64(w, v);
}

static void put_name(struct ttp_json_writer *w, const char *key, const char *name)
{
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_str(w, ttp_str_from(name));
}

static ttp_str noc_trace(struct ttp_arena *arena)
{
    static const char *const proc[] = {"BRISC", "NCRISC", "ERISC"};
    static const char *const type[] = {"READ", "WRITE_", "READ_BARRIER_START", "WRITE_MULTICAST"};
    struct ttp_sink sink;
    struct ttp_json_writer w = {.sink = &sink};
    uint32_t seed = 2463534242;
    int64_t now = 1200300400500;

    ttp_sink_to_arena(&sink, arena);
    ttp_json_begin_array(&w);
    while (sink.len < DOCUMENT_BYTES) {
        const uint32_t x = next_random(&seed);

        now += x & 255;
        ttp_json_begin_object(&w);
        put_member(&w, "run_host_id", 1024 + (int64_t)(sink.len >> 20));
        put_name(&w, "op_name", x & 256 ? "MatmulDeviceOperation" : "LayerNormDeviceOperation");
        put_name(&w, "proc", proc[(x >> 9) % TTP_COUNT(proc)]);
        put_name(&w, "noc", x & 4096 ? "NOC_0" : "NOC_1");
        put_name(&w, "type", type[(x >> 13) % TTP_COUNT(type)]);
        put_member(&w, "timestamp", now);
        put_member(&w, "sx", x >> 16 & 15);
        put_member(&w, "sy", x >> 20 & 15);
        put_member(&w, "dx", x >> 24 & 15);
        put_member(&w, "dy", x >> 28 & 15);
        put_member(&w, "num_bytes", (int64_t)(x & 63) * 32);
        ttp_json_end_object(&w);
    }
    ttp_json_end_array(&w);
    return ttp_sink_text(&sink);
}

typedef ttp_code step_fn(enum ttp_json_event *, struct ttp_json_reader *, struct ttp_err *);

/* The whole text in windows, as a file would come. */
TTP_INLINE void pull_all(ttp_str text, step_fn *step, bool convert)
{
    struct ttp_json_reader r = {0};
    enum ttp_json_event event;
    size_t at = 0, sum = 0;

    do {
        /* The outermost '[' is never skipped. */
        if ((r.depth ? step : ttp_json_next)(&event, &r, NULL) != TTP_OK)
            abort();
        if (event == TTP_JSON_MORE) {
            const ttp_str piece = ttp_str_slice(text, at, at + PIECE_BYTES);

            at += piece.len;
            ttp_json_feed(&r, piece, at == text.len);
        } else if (convert && event == TTP_JSON_NUMBER) {
            uint64_t v = 0;

            if (!ttp_json_to_u64(r.text, &v))
                abort();
            sum += v;
        } else {
            sum += event;
        }
    } while (event != TTP_JSON_END);
    bench_sink += sum;
    ttp_json_clear(&r);
}

static void events(void *arg)
{
    pull_all(*(ttp_str *)arg, ttp_json_next, false);
}

static void numbers(void *arg)
{
    pull_all(*(ttp_str *)arg, ttp_json_next, true);
}

static void skips(void *arg)
{
    pull_all(*(ttp_str *)arg, ttp_json_skip, false);
}

static void touch(void *arg)
{
    const ttp_str *text = arg;
    bench_sink += memchr(text->ptr, '\0', text->len) != NULL; /* absent: reads it all */
}

int main(void)
{
    struct ttp_arena arena = {0};
    ttp_str text = noc_trace(&arena);
    const double size = (double)text.len / 1e9;
    const struct bench_pair e = bench_versus(events, touch, &text, ROUNDS);
    const struct bench_pair n = bench_versus(numbers, touch, &text, ROUNDS);
    const struct bench_pair s = bench_versus(skips, touch, &text, ROUNDS);

    printf("{\"bench\":\"json\",\"gb_s\":%.2f,\"vs_touch\":%.1f,\"numbers_gb_s\":%.2f,"
           "\"numbers_vs_touch\":%.1f,\"skip_gb_s\":%.2f,\"skip_vs_touch\":%.1f}\n",
           size / e.subject_s, e.ratio, size / n.subject_s, n.ratio, size / s.subject_s, s.ratio);
    ttp_arena_free(&arena);
    return 0;
}
