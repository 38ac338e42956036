/* SPDX-License-Identifier: Apache-2.0 */
/* measure_bandwidth.h - host memory, PCIe and DRAM of this machine, for doctor and selftest. */
#ifndef TTP_CLI_MEASURE_BANDWIDTH_H
#define TTP_CLI_MEASURE_BANDWIDTH_H

#include "core/cmd.h"
#include "measure/measure.h"

struct ttp_bandwidth_setup {
    const struct ttp_host *host; /* whose devices are used; may be a stand-in */
    const struct ttp_host_sample *sample;
    const struct ttp_metal *metal;
    double timeout_s;            /* of each of tt-metal's benchmarks */
    struct ttp_signals *signals; /* NULL: opened for the time of the call */
};
/* What cannot be measured is a rate that says why. TTP_EIO: the system failed, or a signal came. */
TTP_NODISCARD ttp_code ttp_bandwidth_measure(struct ttp_bandwidth *out, const struct ttp_ctx *ctx,
                                             const struct ttp_bandwidth_setup *setup,
                                             struct ttp_err *err);

#endif
