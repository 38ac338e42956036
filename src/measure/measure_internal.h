/* SPDX-License-Identifier: Apache-2.0 */
/* measure_internal.h - shared inside the measure module. */
#ifndef TTP_MEASURE_MEASURE_INTERNAL_H
#define TTP_MEASURE_MEASURE_INTERNAL_H

#include "measure/measure.h"

struct ttp_command_output {
    ttp_str printed, errors;
};
/* The number in the output of a command; standard error is searched if `printed` has no match. May
 * fill in the metric's unit. TTP_ENOTFOUND: no match. TTP_EPARSE: the match is not a finite number.
 */
TTP_NODISCARD ttp_code ttp_measure_metric_value(double *out, struct ttp_metric *m,
                                                struct ttp_command_output output,
                                                struct ttp_arena *arena, struct ttp_err *err);

/* "2*1024*{BATCH}", "4M": a product of numbers (k, M, G, T: powers of 1000; Ki, Mi, Gi, Ti: of
 * 1024) and of values of `set`; always finite. TTP_EUSAGE. */
TTP_NODISCARD ttp_code ttp_measure_sweep_product(double *out, const char *text,
                                                 const struct ttp_words *set, struct ttp_err *err);

/* What tt-metal's benchmarks print: docs/formats/microbenchmarks.md. Each adds rates to *out.
 * TTP_EPARSE: not what it prints, or it failed. TTP_ENOTFOUND: no rate in it. */
TTP_NODISCARD ttp_code ttp_measure_transfers_read_rw(struct ttp_bandwidth *out, ttp_str text,
                                                     const char *source, struct ttp_arena *arena,
                                                     struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_measure_transfers_read_dram(struct ttp_bandwidth *out, ttp_str text,
                                                       const char *source, struct ttp_arena *arena,
                                                       struct ttp_err *err);

#endif
