/* SPDX-License-Identifier: Apache-2.0 */
/* bench_device.h - device time of a command: every run is recorded, one iteration of it is
 * measured. */
#ifndef TTP_CLI_BENCH_DEVICE_H
#define TTP_CLI_BENCH_DEVICE_H

#include "core/cmd.h"
#include "measure/measure.h"

struct bench_device {
    const char *dir;    /* of one run's artifacts; NULL: nothing is recorded */
    const char *window; /* the part of a run that counts; NULL: one iteration, as it is found */
};

/* If a metric asks for it: a folder, and every variant runs below `tt-perf record`. TTP_EUSAGE:
 * this program has no such verb. */
ttp_code bench_device_open(struct bench_device *out, struct ttp_bench *b, const char *window,
                           struct ttp_arena *arena, struct ttp_err *err);
/* Seconds of device time in the window of the run that has just ended; empties the folder. */
ttp_code bench_device_value(double *out, const struct bench_device *d, const struct ttp_ctx *ctx,
                            struct ttp_err *err);
void bench_device_close(struct bench_device *d);

#endif
