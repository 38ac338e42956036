/* SPDX-License-Identifier: Apache-2.0 */
/* bench_device_log.c - reading a device log on one thread, as a multiple of counting its lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sink.h"
#include "bench.h"
#include "logs/logs.h"

enum { EXECS = 300, CORES = 64 };

struct subject {
    char path[32];
    ttp_str text;
};

/* As the runtime writes it: cores, then RISCs, then time. */
static ttp_str make_log(struct ttp_arena *arena)
{
    static const char *const risc[][2] = {{"BRISC", "BRISC"},
                                          {"NCRISC", "NCRISC"},
                                          {"TRISC_0", "TRISC"},
                                          {"TRISC_1", "TRISC"},
                                          {"TRISC_2", "TRISC"}};
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out,
                 TTP_STR("ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 130\n"
                         "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles "
                         "since reset], data, run host ID, trace id, trace id counter, zone name, "
                         "type, source line, source file, meta data\n"));
    for (unsigned c = 0; c < CORES; c++)
        for (unsigned r = 0; r < TTP_COUNT(risc); r++)
            for (unsigned e = 1; e <= EXECS; e++)
                for (unsigned m = 0; m < 4; m++)
                    ttp_sink_printf(&out,
                                    "0,%u,%u,%s,%u,%" PRIu64
                                    ",0,%u,,,%s-%s,%s,433,/opt/tt-metal/tt_metal/"
                                    "hw/firmware/src/tt-1xx/firmware.cc,\n",
                                    1 + c / 8, 1 + c % 8, risc[r][0], 40000 + r * 4 + m,
                                    UINT64_C(13854833324968) + (uint64_t)e * 40000 +
                                        (uint64_t)m * 9000 + (uint64_t)c * 7 + r,
                                    e << 10, risc[r][1], m == 0 || m == 3 ? "FW" : "KERNEL",
                                    m < 2 ? "ZONE_START" : "ZONE_END");
    return ttp_sink_text(&out);
}

static void read_log(void *arg)
{
    const struct ttp_logs_options options = {.threads = 1};
    const struct subject *s = arg;
    struct ttp_arena arena = {0};
    struct ttp_device_log log;

    if (ttp_logs_read_device(&log, s->path, TTP_DEVICE_ALL, &options, &arena, NULL) == TTP_OK)
        bench_sink += log.nparts;
    ttp_arena_free(&arena);
}

static void count_lines(void *arg)
{
    const struct subject *s = arg;
    size_t n = 0;

    for (const char *p = s->text.ptr, *end = p + s->text.len;
         p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        n++;
    bench_sink += n;
}

int main(void)
{
    struct ttp_arena arena = {0};
    struct subject s = {.text = make_log(&arena)};
    const int fd = memfd_create("log", MFD_CLOEXEC);

    if (fd < 0 || write(fd, s.text.ptr, s.text.len) != (ssize_t)s.text.len)
        return EXIT_FAILURE;
    snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", fd);
    const struct bench_pair r = bench_versus(read_log, count_lines, &s, 15);
    printf("{\"bench\":\"device_log\",\"mb\":%.1f,\"gb_s\":%.2f,\"vs_lines\":%.1f}\n",
           (double)s.text.len / 1e6, (double)s.text.len / r.subject_s / 1e9, r.ratio);
    close(fd);
    ttp_arena_free(&arena);
    return 0;
}
