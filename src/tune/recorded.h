/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.h - a recording that was read. Private to tune. */
#ifndef TTP_TUNE_RECORDED_H
#define TTP_TUNE_RECORDED_H

#include "advice/advice.h"
#include "base/json_tree.h"
#include "run/run.h"
#include "tune/tune.h"

struct ttp_recorded {
    struct ttp_run_input run;
    struct ttp_kernel_input kernels;
    bool has_kernels;
};
/* `kernels`: also the zones of the user's own kernels, where the run has some. */
TTP_NODISCARD ttp_code ttp_tune_recorded_read(struct ttp_recorded *out,
                                              const struct ttp_recording *r, bool kernels,
                                              struct ttp_arena *arena, struct ttp_err *err);
/* NAN: unknown. */
double ttp_tune_recorded_clock_mhz(const struct ttp_recorded *r);
/* Of the user's own kernels in an iteration, of all programs if there are none. */
double ttp_tune_recorded_cycles(const struct ttp_recorded *r);
/* "data.ops[3].id"; NULL: there is nothing. */
const struct ttp_node *ttp_tune_recorded_find(const struct ttp_node *n, ttp_str path);

#endif
