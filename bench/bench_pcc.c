/* SPDX-License-Identifier: Apache-2.0 */
/* Two mapped bf16 tensors compared, against reading both once with as many threads. The argument is
 * the size of each in MiB (default 256). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/par.h"
#include "bench.h"
#include "tensor/tensor.h"

enum { ROUNDS = 5, COLS = 4096 };

struct work {
    const struct ttp_tensor *golden, *actual;
    size_t next;
};

static void compare(void *arg)
{
    const struct work *w = arg;
    static const struct ttp_compare_options o = {.gate = 0.99,
                                                 .frobenius = -1,
                                                 .rtol = NAN,
                                                 .atol = NAN,
                                                 .fallback_rtol = NAN,
                                                 .fallback_atol = NAN};
    struct ttp_compare r;

    if (ttp_tensor_compare(&r, w->golden, w->actual, &o, NULL) == TTP_OK)
        bench_sink += r.pass;
}

#define PIECE ((size_t)2 << 20)

struct piece {
    size_t at;
    uint64_t sum;
};

static ttp_code produce(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct work *w = ctx;

    (void)err;
    ((struct piece *)item)->at = w->next;
    *more = w->next + PIECE <= w->golden->data.len;
    w->next += PIECE;
    return TTP_OK;
}

static uint64_t sum_of(const char *p)
{
    uint64_t sum = 0, v;

    for (size_t i = 0; i < PIECE; i += sizeof(v)) {
        memcpy(&v, p + i, sizeof(v));
        sum += v;
    }
    return sum;
}

static ttp_code add(void *ctx, void *item, struct ttp_err *err)
{
    const struct work *w = ctx;
    struct piece *p = item;

    (void)err;
    p->sum = sum_of(w->golden->data.ptr + p->at) + sum_of(w->actual->data.ptr + p->at);
    return TTP_OK;
}

static ttp_code keep(void *ctx, void *item, struct ttp_err *err)
{
    const struct work *w = ctx;
    const struct piece *p = item;

    (void)err;
    bench_sink += (size_t)p->sum;
    ttp_file_forget(w->golden->file, ttp_str_slice(w->golden->data, p->at, p->at + PIECE));
    ttp_file_forget(w->actual->file, ttp_str_slice(w->actual->data, p->at, p->at + PIECE));
    return TTP_OK;
}

static void read_both(void *arg)
{
    const struct ttp_pipeline p = {sizeof(struct piece), produce, add, keep, NULL};
    struct work *w = arg;

    w->next = 0;
    if (ttp_par_pipeline(&p, w, 0, NULL) != TTP_OK)
        abort();
}

/* Values around 0 with every exponent from 2^-4 to 2^3; the second file has another seed for the
 * lowest bit. */
static void fill(FILE *f, size_t rows, uint64_t flips)
{
    uint16_t row[COLS];
    uint64_t x = 88172645463325252, y = flips;

    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < COLS; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            y = y * 6364136223846793005 + 1442695040888963407;
            row[i] = (uint16_t)((x & 0x8000) | (123 + (x >> 16) % 8) << 7 | (x & 0x7e) | y >> 63);
        }
        if (fwrite(row, sizeof(row), 1, f) != 1)
            abort();
    }
}

static const struct ttp_tensor *make(struct ttp_file *file, size_t rows, uint64_t flips,
                                     struct ttp_arena *arena)
{
    const struct ttp_tensor_options o = {
        .dtype = TTP_DTYPE_BF16, .ndim = 2, .shape = {rows, COLS}, .has_shape = true};
    struct ttp_tensors list;
    char path[] = "/tmp/bench_pcc_XXXXXX";
    const int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

    if (!f)
        abort();
    fill(f, rows, flips);
    if (fclose(f) != 0 || ttp_tensor_open(&list, file, path, &o, arena, NULL) != TTP_OK)
        abort();
    unlink(path);
    return &list.item[0];
}

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The same ratio in processor time of all threads: what others on the machine do moves it less. */
static double cpu_ratio(struct work *w)
{
    double spent[2] = {0};

    for (int round = 0; round < ROUNDS; round++) {
        const double start = cpu_s();
        compare(w);
        const double between = cpu_s();
        read_both(w);
        spent[0] += between - start;
        spent[1] += cpu_s() - between;
    }
    return spent[0] / spent[1];
}

int main(int argc, char **argv)
{
    uint64_t mib = 256;
    struct ttp_arena arena = {0};
    struct ttp_file file[2];
    struct rusage usage;

    if (argc > 1 && !ttp_str_to_u64(ttp_str_from(argv[1]), &mib))
        return 2;
    const size_t rows = mib * 128; /* of 8 KiB */
    struct work w = {.golden = make(&file[0], rows, 1, &arena),
                     .actual = make(&file[1], rows, 2, &arena)};
    const struct bench_pair r = bench_versus(compare, read_both, &w, ROUNDS);
    const double cpu = cpu_ratio(&w);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"bench\":\"pcc\",\"mib_each\":%llu,\"gb_s\":%.2f,\"vs_reading\":%.2f,"
           "\"vs_reading_cpu\":%.2f,\"peak_rss_mib\":%ld}\n",
           (unsigned long long)mib, 2 * (double)w.golden->data.len / r.subject_s / 1e9, r.ratio,
           cpu, usage.ru_maxrss / 1024);
    ttp_file_close(&file[0]);
    ttp_file_close(&file[1]);
    ttp_arena_free(&arena);
    return 0;
}
