/* SPDX-License-Identifier: Apache-2.0 */
/* bench_device.h - metrics of devices: every run of a command is recorded, and one iteration of it
 * is measured. */
#ifndef TTP_CLI_BENCH_DEVICE_H
#define TTP_CLI_BENCH_DEVICE_H

#include "core/cmd.h"
#include "tune/tune.h"

struct bench_device {
    struct ttp_recording recording; /* of one run; dir NULL: nothing is recorded */
};

/* If a metric asks for it: a folder, and every variant runs below `tt-perf record`. TTP_EUSAGE:
 * this program has no such verb. */
ttp_code bench_device_open(struct bench_device *out, struct ttp_bench *b, const char *window,
                           const struct ttp_ctx *ctx, struct ttp_err *err);
/* Before a run: nothing of the last one is left. */
void bench_device_begin(struct bench_device *d);
/* The metric of the run that has just ended. */
ttp_code bench_device_value(double *out, struct bench_device *d, const struct ttp_metric *metric,
                            struct ttp_signals *signals, struct ttp_err *err);
void bench_device_close(struct bench_device *d);

#endif
