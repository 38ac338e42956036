/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ops_csv.c - an ops_perf_results CSV from mapped bytes to columns, on one thread and on all,
 * as multiples of memchr() for an absent byte over the same text. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sink.h"
#include "bench.h"
#include "ops/ops.h"

enum { BYTES = 64 << 20, FILLERS = 84, KINDS = 61, ROUNDS = 9 };

struct subject {
    char path[64];
    ttp_str text;
};

static void read_with(const struct subject *s, unsigned threads)
{
    const struct ttp_ops_read_options options = {.threads = threads};
    const char *path[] = {s->path};
    struct ttp_arena arena = {0};
    struct ttp_ops ops;

    if (ttp_ops_read_csv(&ops, (struct ttp_paths){path, 1}, &options, &arena, NULL) != TTP_OK)
        abort();
    bench_sink += ops.rows;
    ttp_arena_free(&arena);
}

static void one_thread(void *arg)
{
    read_with(arg, 1);
}

static void all_threads(void *arg)
{
    read_with(arg, 0);
}

static void touch(void *arg)
{
    const struct subject *s = arg;
    bench_sink += memchr(s->text.ptr, '\0', s->text.len) != NULL;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void put_header(struct ttp_sink *out)
{
    for (int c = 0; c < TTP_OPS_LEGACY_DIMS; c++)
        ttp_sink_printf(out, "%s,", ttp_ops_text_name((enum ttp_ops_text)c));
    for (int c = 0; c < TTP_OPS_NUMBERS; c++)
        ttp_sink_printf(out, "%s,", ttp_ops_number_name((enum ttp_ops_number)c));
    for (int c = 0; c < FILLERS; c++)
        ttp_sink_printf(out, "FILLER %d%c", c, c + 1 < FILLERS ? ',' : '\n');
}

/* Ops of KINDS kinds, each with its own name, sizes and attributes of some hundred bytes. */
static void put_row(struct ttp_sink *out, uint32_t *seed, uint64_t number)
{
    const uint32_t kind = next_random(seed) % KINDS;

    for (int c = 0; c < TTP_OPS_LEGACY_DIMS; c++) {
        if (c == TTP_OPS_TYPE)
            ttp_sink_put(out, TTP_STR("tt_dnn_device"));
        else if (c == TTP_OPS_ATTRIBUTES)
            for (uint32_t i = 0; i < 8 + kind % 8; i++)
                ttp_sink_printf(out, "{'attribute_%u': 'value of kind %u'}; ", i, kind);
        else if (c >= TTP_OPS_DIMS)
            ttp_sink_printf(out, "%u[%u]", 32 * kind, 32 * kind);
        else
            ttp_sink_printf(out, "Op%uDeviceOperation", kind);
        ttp_sink_char(out, ',');
    }
    for (int c = 0; c < TTP_OPS_NUMBERS; c++) {
        ttp_sink_u64(out, c == TTP_OPS_DEVICE || c == TTP_OPS_RANK ? 0
                          : c == TTP_OPS_HOST_START                ? 1700000000000 + number * 1000
                                                                   : next_random(seed) % 1000000);
        ttp_sink_char(out, ',');
    }
    for (int c = 0; c < FILLERS; c++)
        ttp_sink_printf(out, "%.*s%c", (int)(next_random(seed) % 12), "123456789012",
                        c + 1 < FILLERS ? ',' : '\n');
}

static void make_file(struct subject *s)
{
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    uint32_t seed = 2463534242;
    const int fd = memfd_create("bench_ops_csv", 0);

    if (fd < 0)
        abort();
    ttp_sink_to_fd(&out, fd, &arena);
    put_header(&out);
    for (uint64_t i = 0; lseek(fd, 0, SEEK_CUR) < BYTES; i++)
        put_row(&out, &seed, i);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        abort();
    ttp_arena_free(&arena);
    (void)snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", fd);
    s->text.len = (size_t)lseek(fd, 0, SEEK_CUR);
    void *map = mmap(NULL, s->text.len, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED)
        abort();
    s->text.ptr = map;
}

int main(void)
{
    static struct subject s;

    make_file(&s);
    const struct bench_pair one = bench_versus(one_thread, touch, &s, ROUNDS);
    const struct bench_pair all = bench_versus(all_threads, touch, &s, ROUNDS);
    printf("{\"bench\":\"ops_csv\",\"gb_s\":%.2f,\"vs_memchr\":%.1f,\"all_threads_gb_s\":%.2f,"
           "\"all_threads_vs_memchr\":%.1f}\n",
           (double)s.text.len / one.subject_s / 1e9, one.ratio,
           (double)s.text.len / all.subject_s / 1e9, all.ratio);
    return 0;
}
