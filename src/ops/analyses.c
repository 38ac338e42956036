/* SPDX-License-Identifier: Apache-2.0 */
/* Names of analyses, those of device_post_proc_config.py. */
#include "ops/device_ops.h"

static const char *const names[] = {
    [TTP_AN_FW] = "device_fw_duration",
    [TTP_AN_KERNEL] = "device_kernel_duration",
    [TTP_AN_KERNEL_DM_START] = "device_kernel_duration_dm_start",
    [TTP_AN_FIRST_TO_LAST_START] = "device_kernel_first_to_last_start",
    [TTP_AN_BRISC] = "device_brisc_kernel_duration",
    [TTP_AN_NCRISC] = "device_ncrisc_kernel_duration",
    [TTP_AN_TRISC0] = "device_trisc0_kernel_duration",
    [TTP_AN_TRISC1] = "device_trisc1_kernel_duration",
    [TTP_AN_TRISC2] = "device_trisc2_kernel_duration",
    [TTP_AN_ERISC] = "device_erisc_kernel_duration",
    [TTP_AN_TRACE_FW] = "trace_fw_duration",
    [TTP_AN_TRACE_KERNEL] = "trace_kernel_duration",
    [TTP_AN_CB_WAIT] = "device_compute_cb_wait_front",
    [TTP_AN_CB_RESERVE] = "device_compute_cb_reserve_back",
    [TTP_AN_DISPATCH_COMMAND] = "dispatch_total_cq_cmd_op_time",
    [TTP_AN_DISPATCH_GO] = "dispatch_go_send_wait_time",
    [TTP_AN_PER_CORE] = "device_kernel_duration_per_core",
    [TTP_AN_OP_TO_OP] = "op2op",
    [TTP_AN_COUNTERS] = "perf_counter_data",
    [TTP_AN_TRACE_TO_TRACE_FW] = "trace2trace - FW",
    [TTP_AN_TRACE_TO_TRACE_KERNEL] = "trace2trace - kernel",
};

const char *ttp_ops_analysis_name(enum ttp_analysis a)
{
    return names[a];
}

ttp_code ttp_ops_analysis_choose(uint32_t *wanted, const struct ttp_join_options *options,
                                 struct ttp_err *err)
{
    *wanted = options->nanalyses ? 0 : UINT32_MAX;
    for (size_t i = 0; i < options->nanalyses; i++) {
        size_t a = 0;
        while (a < TTP_ANALYSES && strcmp(names[a], options->analysis[i]) != 0)
            a++;
        if (a == TTP_ANALYSES) {
            ttp_fail(err, TTP_EUSAGE, "unknown analysis '%s'", options->analysis[i]);
            ttp_err_hint(err, "for example device_kernel_duration; tt-perf-ops(1) lists all");
            return TTP_EUSAGE;
        }
        *wanted |= 1u << a;
    }
    return TTP_OK;
}
