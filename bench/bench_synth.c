/* SPDX-License-Identifier: Apache-2.0 */
/* The device log of a language model on a Blackhole, written to nowhere, against copying as many
 * bytes there. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"
#include "synth/synth.h"

enum { OPS = 1200, ROUNDS = 9, PIECE = 65536 };

struct work {
    int fd;
    uint64_t bytes;
};

static void write_log(void *arg)
{
    const struct ttp_synth_options opt = {.seed = 1, .arch = 1, .ops = OPS, .devices = 1};
    struct work *w = arg;
    struct ttp_arena arena = {0};
    struct ttp_synth_totals totals;
    struct ttp_sink out;

    ttp_sink_to_fd(&out, w->fd, &arena);
    const ttp_code rc = ttp_synth_write_file(&totals, &out, TTP_SYNTH_DEVICE_LOG, &opt, NULL);
    bench_sink += rc == TTP_OK && ttp_sink_finish(&out, NULL) == TTP_OK;
    w->bytes = totals.bytes;
    ttp_arena_free(&arena);
}

static void copy(void *arg)
{
    static char from[PIECE], to[PIECE];
    const struct work *w = arg;

    for (uint64_t done = 0; done < w->bytes; done += PIECE) {
        from[done / PIECE % PIECE]++;
        memcpy(to, from, PIECE);
        bench_sink += (size_t)write(w->fd, to, PIECE);
    }
}

int main(void)
{
    struct work w = {.fd = open("/dev/null", O_WRONLY | O_CLOEXEC)};

    if (w.fd < 0)
        return 1;
    const struct bench_pair r = bench_versus(write_log, copy, &w, ROUNDS);
    printf("{\"bench\":\"synth\",\"device_log_gb_s\":%.2f,\"vs_copy\":%.1f}\n",
           (double)w.bytes / r.subject_s / 1e9, r.ratio);
    close(w.fd);
    return 0;
}
