/* SPDX-License-Identifier: Apache-2.0 */
/* bench_diff.c - reading two runs of 100 000 ops and writing what changed, as a multiple of reading
 * and reporting both. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "outputs/outputs.h"

enum { OPS = 100000, LAYER = 40, ROUNDS = 5 };

struct subject {
    char path[2][64];
};

struct run {
    struct ttp_ops ops;
    struct ttp_report report;
};

static void read_run(struct run *r, const char *path, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};

    if (ttp_ops_read_csv(&r->ops, (struct ttp_paths){&path, 1}, &reading, arena, NULL) != TTP_OK ||
        ttp_analysis_run(&r->report, &r->ops, &options, arena, NULL) != TTP_OK)
        abort();
}

static void diff_both(void *arg)
{
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct run a, b;
    struct ttp_diff diff;
    struct ttp_sink out;

    read_run(&a, s->path[0], &arena);
    read_run(&b, s->path[1], &arena);
    const struct ttp_diff_run ra = {&a.ops, &a.report, NULL}, rb = {&b.ops, &b.report, NULL};
    const struct ttp_diff_side base = {&ra, 1}, other = {&rb, 1};
    const struct ttp_diff_view view = {.diff = &diff};
    const struct ttp_show show = {.out = &out, .selection.top = 20, .arena = &arena};
    ttp_diff_make(&diff, &base, &other, true, &arena);
    ttp_sink_to_arena(&out, &arena);
    if (ttp_out_diff(&show, &view, 1, NULL) != TTP_OK)
        abort();
    bench_sink += out.len + diff.kinds[TTP_DIFF_CHANGED];
    ttp_arena_free(&arena);
}

static void report_both(void *arg)
{
    const struct subject *s = arg;
    const struct ttp_report_options options = {0};
    const struct ttp_view_options wanted = {.min_percentage = 0.5};

    for (size_t i = 0; i < 2; i++) {
        struct ttp_arena arena = {0};
        struct run r;
        struct ttp_report_view view;
        struct ttp_sink out;

        read_run(&r, s->path[i], &arena);
        if (ttp_out_make_view(&view, &r.report, &options, &wanted, &arena, NULL) != TTP_OK)
            abort();
        ttp_sink_to_arena(&out, &arena);
        const struct ttp_show show = {.out = &out, .arena = &arena};
        if (ttp_out_report(&show, &view, NULL) != TTP_OK)
            abort();
        bench_sink += out.len;
        ttp_arena_free(&arena);
    }
}

static void put_tensor(struct ttp_sink *out, unsigned y, unsigned x, const char *type)
{
    ttp_sink_printf(out, ",1[1],1[1],%u[%u],%u[%u],TILE,%s,DEV_0_DRAM_INTERLEAVED", y, y, x, x,
                    type);
}

/* Layers of LAYER ops. The second run has one op less in every layer, another datatype in a second
 * and another program in a third. */
static void put_run(struct ttp_sink *out, bool second)
{
    static const char *const tensor[] = {"INPUT_0", "INPUT_1", "OUTPUT_0"};

    ttp_sink_put(out, TTP_STR("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,"
                              "MATH FIDELITY,CORE COUNT,HOST START TS,OP TO OP LATENCY [ns],DEVICE "
                              "KERNEL DURATION [ns]"));
    for (size_t t = 0; t < TTP_COUNT(tensor); t++) {
        for (const char *d = "WZYX"; *d; d++)
            ttp_sink_printf(out, ",%s_%c_PAD[LOGICAL]", tensor[t], *d);
        ttp_sink_printf(out, ",%s_LAYOUT,%s_DATATYPE,%s_MEMORY", tensor[t], tensor[t], tensor[t]);
    }
    ttp_sink_char(out, '\n');
    for (unsigned i = 0; i < OPS; i++) {
        const unsigned kind = i % LAYER;
        if (second && kind == 7)
            continue;
        ttp_sink_printf(out,
                        "%s,tt_dnn_device,%u,0,wormhole_b0,{'program_config': "
                        "'Config(in0_block_w=%u;per_core_N=%u)'},HiFi2,64,%u,900,%u",
                        kind % 3 ? "BinaryNgDeviceOperation" : "MatmulDeviceOperation", i << 10,
                        second && kind == 9 ? 8 : 1, kind, i * 20000, 9000 + i * 7919 % 1000);
        put_tensor(out, 32, 32 * (kind + 1), "BFLOAT16");
        put_tensor(out, 32 * (kind + 1), 1024, second && kind == 12 ? "BFLOAT8_B" : "BFLOAT16");
        put_tensor(out, 32, 1024, "BFLOAT16");
        ttp_sink_char(out, '\n');
    }
}

static void make_run(struct subject *s, size_t i)
{
    struct ttp_arena arena = {0};
    struct ttp_sink out;

    const int fd = memfd_create("bench_diff", 0); /* stays open: the path leads to it */
    if (fd < 0)
        abort();
    ttp_sink_to_fd(&out, fd, &arena);
    put_run(&out, i == 1);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        abort();
    snprintf(s->path[i], sizeof(s->path[i]), "/proc/self/fd/%d", fd);
    ttp_arena_free(&arena);
}

int main(void)
{
    struct subject s;

    make_run(&s, 0);
    make_run(&s, 1);
    const struct bench_pair p = bench_versus(diff_both, report_both, &s, ROUNDS);
    printf("{\"bench\":\"diff\",\"ops\":%d,\"seconds\":%.4f,\"ratio_to_reports\":%.3f}\n", OPS,
           p.subject_s, p.ratio);
    return 0;
}
