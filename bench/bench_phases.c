/* SPDX-License-Identifier: Apache-2.0 */
/* bench_phases.c - finding the phases of a run of 100 000 ops, as a part of reading it and printing
 * its report, both measured in the same rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "analysis/stages.h"
#include "bench.h"
#include "outputs/outputs.h"

enum { OPS = 100000, LAYER = 250, ROUNDS = 7 };

static double stage_s;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static ttp_code timed_phases(struct ttp_stage *s, struct ttp_rows *rows, struct ttp_err *err)
{
    const double from = now();
    const ttp_code rc = ttp_analysis_stage_phases(s, rows, err);

    stage_s += now() - from;
    return rc;
}

/* Read, analyse and print. */
static void report(const char *path)
{
    static const struct ttp_analysis_rules rules = {.window = timed_phases};
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {.rules = &rules};
    const struct ttp_view_options wanted = {.min_percentage = 0.5};
    struct ttp_arena arena = {0};
    struct ttp_report_view view;
    struct ttp_report r;
    struct ttp_ops ops;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, &arena);
    const struct ttp_show show = {.out = &out, .arena = &arena};
    if (ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &reading, &arena, NULL) != TTP_OK ||
        ttp_analysis_run(&r, &ops, &options, &arena, NULL) != TTP_OK ||
        ttp_out_make_view(&view, &r, &options, &wanted, &arena, NULL) != TTP_OK ||
        ttp_out_report(&show, &view, NULL) != TTP_OK)
        abort();
    bench_sink += out.len;
    ttp_arena_free(&arena);
}

static void put_tensor(struct ttp_sink *out, unsigned y, unsigned x)
{
    ttp_sink_printf(out, ",1[1],1[1],%u[%u],%u[%u],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED", y, y, x,
                    x);
}

/* Iterations of LAYER ops without signposts or traces: repetition is the most work to find. */
static void put_run(struct ttp_sink *out)
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
        ttp_sink_printf(out,
                        "%s,tt_dnn_device,%u,0,wormhole_b0,{'program_config': "
                        "'Config(in0_block_w=1;per_core_N=%u)'},HiFi2,64,%u,900,%u",
                        kind % 3 ? "BinaryNgDeviceOperation" : "MatmulDeviceOperation", i << 10,
                        kind, i * 20000, 9000 + i * 7919 % 1000);
        put_tensor(out, 32, 32 * (kind + 1));
        put_tensor(out, 32 * (kind + 1), 1024);
        put_tensor(out, 32, 1024);
        ttp_sink_char(out, '\n');
    }
}

int main(void)
{
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    char path[64];
    double whole_s = 0;

    const int fd = memfd_create("bench_phases", 0); /* stays open: the path leads to it */
    if (fd < 0)
        abort();
    ttp_sink_to_fd(&out, fd, &arena);
    put_run(&out);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    report(path); /* warm */
    stage_s = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double from = now();
        report(path);
        whole_s += now() - from;
    }
    printf("{\"bench\":\"phases\",\"ops\":%d,\"stage_ms\":%.2f,\"report_ms\":%.2f,\"part\":%.3f}\n",
           OPS, stage_s * 1e3 / ROUNDS, whole_s * 1e3 / ROUNDS, stage_s / whole_s);
    ttp_arena_free(&arena);
    return 0;
}
