/* SPDX-License-Identifier: Apache-2.0 */
/* ops_csv_row.h - rows of an ops_perf_results CSV, for the generator and nothing else.
 *
 * Times are whole nanoseconds and every computation is on integers, so that a file is the same on
 * every machine and compiler. */
#ifndef TTP_BENCH_OPS_CSV_ROW_H
#define TTP_BENCH_OPS_CSV_ROW_H

#include "base/sink.h"
#include "synth/workload.h"

enum gen_format { GEN_V1 = 1, GEN_V2 = 2, GEN_V21 = 4 };
enum { GEN_MAX_DEVICES = 32 };

struct gen_chip {
    const char *name; /* as in DEVICE ARCH */
    struct ttp_synth_peaks peaks;
    uint32_t mhz;
};

struct gen_op {
    struct ttp_synth_op is;
    uint32_t available_cores;
    int sub_device;  /* -1: the run has none at this point */
    bool beside;     /* runs while the ops after it run: the device's clock does not move */
    uint64_t gap_ns; /* since the end of the op before, before noise */
};

/* One file being written. Set the first block, the rest is the writer's. */
struct gen_file {
    struct ttp_sink *sink;
    const struct gen_chip *chip;
    enum gen_format format;
    uint32_t devices;
    uint64_t random; /* the seed, then the state of the generator */
    bool cached;     /* programs are compiled: PROGRAM CACHE HIT */

    bool in_line;
    uint64_t runtime_id, host_ns;
    uint64_t clock_ns[GEN_MAX_DEVICES]; /* end of the last op of each device */
};

/* Uniform in [0, below), below > 0. */
uint64_t gen_random(struct gen_file *f, uint64_t below);

void gen_write_header(struct gen_file *f);
/* A row per device. */
void gen_write_op(struct gen_file *f, const struct gen_op *op);
/* The host did this itself, for host_ns; the device waits. */
void gen_write_host_op(struct gen_file *f, const char *code, uint64_t host_ns);
void gen_write_signpost(struct gen_file *f, const char *name);

#endif
