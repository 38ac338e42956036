/* SPDX-License-Identifier: Apache-2.0 */
/* bench_config.c - the search for configs of the matmul with the most of them, and the check of
 * every matmul of a run of 100 000 ops as a part of reading and reporting it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "config/config.h"
#include "outputs/outputs.h"

enum { OPS = 100000, ROUNDS = 5 };

struct subject {
    char path[64];
    struct ttp_ops ops;
    struct ttp_matmul problem;
    size_t configs, matmuls;
};

static void search(void *arg)
{
    struct subject *s = arg;
    const struct ttp_config_request request = {0};
    struct ttp_config_proposals found;
    struct ttp_arena arena = {0};

    ttp_config_propose(&found, &s->problem, &request, &arena);
    s->configs = found.tried;
    bench_sink += found.legal;
    ttp_arena_free(&arena);
}

static const struct ttp_board *board(void)
{
    return ttp_board_find(ttp_boards_builtin(), TTP_STR("p150"));
}

static void check(void *arg)
{
    struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_config_run run;

    ttp_config_check_run(&run, &s->ops, board(), &arena);
    s->matmuls = run.count;
    bench_sink += run.legal;
    ttp_arena_free(&arena);
}

static void report(void *arg)
{
    const struct subject *s = arg;
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_report_options options = {0};
    const struct ttp_view_options wanted = {.min_percentage = 0.5};
    const char *path = s->path;
    struct ttp_arena arena = {0};
    struct ttp_report_view view;
    struct ttp_report made;
    struct ttp_ops ops;
    struct ttp_sink out;

    if (ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &reading, &arena, NULL) != TTP_OK ||
        ttp_analysis_run(&made, &ops, &options, &arena, NULL) != TTP_OK ||
        ttp_out_make_view(&view, &made, &options, &wanted, &arena, NULL) != TTP_OK)
        abort();
    ttp_sink_to_arena(&out, &arena);
    const struct ttp_show show = {.out = &out, .arena = &arena};
    if (ttp_out_report(&show, &view, NULL) != TTP_OK)
        abort();
    bench_sink += out.len;
    ttp_arena_free(&arena);
}

static void put_tensor(struct ttp_sink *out, unsigned y, unsigned x, const char *type)
{
    ttp_sink_printf(out, ",1[1],1[1],%u[%u],%u[%u],TILE,%s,DEV_0_DRAM_INTERLEAVED", y, y, x, x,
                    type);
}

/* Layers of ten ops, four of them matmuls of 40 different shapes. */
static void put_row(struct ttp_sink *out, unsigned i)
{
    const bool matmul = i % 10 < 4;
    const unsigned n = 1024 + 1024 * (i % 10) + 32 * (i / 10 % 10);

    ttp_sink_printf(out, "%s,tt_dnn_device,%u,0,blackhole,",
                    matmul ? "MatmulDeviceOperation" : "BinaryNgDeviceOperation", i);
    if (matmul)
        ttp_sink_printf(
            out,
            "\"{'bcast_batch': 'true'; 'compute_kernel_config': 'ComputeKernelConfig("
            "math_fidelity=HiFi2;math_approx_mode=0;fp32_dest_acc_en=0;packer_l1_acc=1;"
            "dst_full_sync_en=0)'; 'program_config': 'MatmulMultiCoreReuseMultiCast1DProgramConfig("
            "compute_with_storage_grid_size=11-10;in0_block_w=2;out_subblock_h=1;out_subblock_w=1;"
            "out_block_h=1;out_block_w=%u;per_core_M=1;per_core_N=%u;fuse_batch=0;"
            "fused_activation=std::nullopt;mcast_in0=1;gather_in0=0;hop_cores={};"
            "num_global_cb_receivers=0;untilize_out=0;allowed_worker_cores={[0-0 - 10-9]})'}\"",
            (n / 32 + 109) / 110, (n / 32 + 109) / 110);
    ttp_sink_printf(out, ",HiFi2,80,110,%u,%u,900", i * 1000, 20000 + i % 7);
    put_tensor(out, 32, 4096, "BFLOAT16");
    put_tensor(out, 4096, n, "BFLOAT8_B");
    put_tensor(out, 32, n, "BFLOAT16");
    ttp_sink_char(out, '\n');
}

static void make_file(struct subject *s)
{
    static const char *const tensors[] = {"INPUT_0", "INPUT_1", "OUTPUT_0"};
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    const int fd = memfd_create("bench_config", 0);

    if (fd < 0)
        abort();
    ttp_sink_to_fd(&out, fd, &arena);
    ttp_sink_printf(&out, "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,"
                          "MATH FIDELITY,CORE COUNT,AVAILABLE WORKER CORE COUNT,HOST START TS,"
                          "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]");
    for (size_t t = 0; t < TTP_COUNT(tensors); t++)
        ttp_sink_printf(&out,
                        ",%s_W_PAD[LOGICAL],%s_Z_PAD[LOGICAL],%s_Y_PAD[LOGICAL],"
                        "%s_X_PAD[LOGICAL],%s_LAYOUT,%s_DATATYPE,%s_MEMORY",
                        tensors[t], tensors[t], tensors[t], tensors[t], tensors[t], tensors[t],
                        tensors[t]);
    ttp_sink_char(&out, '\n');
    for (unsigned i = 0; i < OPS; i++)
        put_row(&out, i);
    if (ttp_sink_finish(&out, NULL) != TTP_OK)
        abort();
    (void)snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", fd);
    ttp_arena_free(&arena);
}

int main(void)
{
    static struct subject s;
    const struct ttp_ops_read_options reading = {.threads = 1};
    struct ttp_cost_chip chip;
    struct ttp_arena arena = {0};
    const char *path = s.path;

    make_file(&s);
    if (ttp_ops_read_csv(&s.ops, (struct ttp_paths){&path, 1}, &reading, &arena, NULL) != TTP_OK ||
        !ttp_cost_chip_of(&chip, board()))
        abort();
    ttp_cost_matmul_init(&s.problem, &chip);
    s.problem.m = 8192;
    s.problem.k = 6144;
    s.problem.n = 23040;
    const struct bench_pair found = bench_versus(search, report, &s, ROUNDS);
    const struct bench_pair checked = bench_versus(check, report, &s, ROUNDS);
    printf("{\"bench\":\"config\",\"shape\":\"%llux%llux%llu\",\"configs\":%zu,\"search_ms\":%.1f,"
           "\"ops\":%d,\"matmuls\":%zu,\"check_vs_report\":%.3f}\n",
           (unsigned long long)s.problem.m, (unsigned long long)s.problem.k,
           (unsigned long long)s.problem.n, s.configs, found.subject_s * 1e3, OPS, s.matmuls,
           checked.ratio);
    ttp_arena_free(&arena);
    return 0;
}
