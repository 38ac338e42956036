/* SPDX-License-Identifier: Apache-2.0 */
/* bench_kernel.c - the kernel summary of a device log, in the time that `ops` takes to read it:
 * both are one pass on all processors over the log of a TT-Lang kernel, called again and again. The
 * log is written by synth; its size in MB may be given. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/sink.h"
#include "bench.h"
#include "kernel/kernel.h"
#include "synth/synth.h"

/* Bytes of one call on all cores of a Wormhole. */
#define CALL_BYTES 2.4e6

struct subject {
    char path[32];
    uint64_t bytes;
};

static void summarise(void *arg)
{
    const struct ttp_profile_options options = {0};
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_kernel_profile profile;

    if (ttp_kernel_read_profile(&profile, s->path, &options, &arena, NULL) == TTP_OK) {
        struct ttp_kernel_report report = {.clock_mhz = profile.log.clock_mhz};
        ttp_kernel_list_programs(&report, &profile, &arena);
        for (size_t i = 0; i < report.nprograms; i++)
            ttp_kernel_judge(&report.program[i], &report, 0);
        bench_sink += report.nprograms;
    }
    ttp_arena_free(&arena);
}

static void read_ops(void *arg)
{
    const struct ttp_logs_options options = {0};
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_device_log log;

    if (ttp_logs_read_device(&log, s->path, TTP_DEVICE_ALL, &options, &arena, NULL) == TTP_OK)
        bench_sink += log.nparts;
    ttp_arena_free(&arena);
}

static bool write_log(struct subject *s, int fd, double megabytes)
{
    const double calls = megabytes * 1e6 / CALL_BYTES;
    const struct ttp_synth_options options = {.seed = 1,
                                              .model = TTP_SYNTH_TT_LANG_KERNEL,
                                              .devices = 1,
                                              .ops = calls < 1 ? 1 : (uint32_t)calls};
    struct ttp_synth_totals totals;
    struct ttp_arena arena = {0};
    struct ttp_sink out;
    struct stat st;

    ttp_sink_to_fd(&out, fd, &arena);
    const bool good =
        ttp_synth_write_file(&totals, &out, TTP_SYNTH_DEVICE_LOG, &options, NULL) == TTP_OK &&
        ttp_sink_finish(&out, NULL) == TTP_OK && fstat(fd, &st) == 0;
    ttp_arena_free(&arena);
    if (good)
        s->bytes = (uint64_t)st.st_size;
    return good;
}

int main(int argc, char **argv)
{
    const int fd = memfd_create("log", MFD_CLOEXEC);
    struct subject s = {.bytes = 0};
    double megabytes = 64;

    if (argc > 1 && (!ttp_str_to_f64(ttp_str_from(argv[1]), &megabytes) || megabytes <= 0))
        return EXIT_FAILURE;
    if (fd < 0 || !write_log(&s, fd, megabytes))
        return EXIT_FAILURE;
    snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", fd);
    const struct bench_pair r = bench_versus(summarise, read_ops, &s, megabytes > 256 ? 3 : 9);
    printf("{\"bench\":\"kernel\",\"mb\":%.1f,\"gb_s\":%.2f,\"vs_ops_reading\":%.2f}\n",
           (double)s.bytes / 1e6, (double)s.bytes / r.subject_s / 1e9, r.ratio);
    close(fd);
    return 0;
}
