/* SPDX-License-Identifier: Apache-2.0 */
/* report_columns.h - private to ops: which columns a report has, in which order. */
#ifndef TTP_OPS_REPORT_COLUMNS_H
#define TTP_OPS_REPORT_COLUMNS_H

#include "ops/join.h"

/* Columns that are there for every run, in the order of the file (OPS_CSV_HEADER of
 * process_ops_logs.py); tensors are before FIX_TRACE_ID, kernel sizes after FIX_CACHE_HIT. The
 * Quasar ones replace some of them. */
enum ttp_fixed {
    FIX_OP_CODE,
    FIX_OP_TYPE,
    FIX_CALL_COUNT,
    FIX_DEVICE_ID,
    FIX_DEVICE_ARCH,
    FIX_ATTRIBUTES,
    FIX_FIDELITY,
    FIX_CORE_COUNT,
    FIX_AVAILABLE_CORES,
    FIX_SUB_DEVICE,
    FIX_PARALLELIZATION,
    FIX_HOST_START,
    FIX_HOST_END,
    FIX_HOST_DURATION,
    FIX_FW_START,
    FIX_FW_END,
    FIX_GAP,
    FIX_DM_GAP,
    FIX_FW,
    FIX_KERNEL,
    FIX_KERNEL_DM_START,
    FIX_CORE_MIN,
    FIX_CORE_MAX,
    FIX_CORE_AVG,
    FIX_FIRST_TO_LAST_START,
    FIX_BRISC,
    FIX_NCRISC,
    FIX_TRISC0,
    FIX_TRISC1,
    FIX_TRISC2,
    FIX_ERISC,
    FIX_CB_WAIT,
    FIX_CB_RESERVE,
    FIX_DISPATCH_COMMAND,
    FIX_DISPATCH_GO,
    FIX_TRACE_ID,
    FIX_SESSION,
    FIX_COMPUTE_SOURCE,
    FIX_COMPUTE_HASH,
    FIX_DM_SOURCE,
    FIX_DM_HASH,
    FIX_PROGRAM_HASH,
    FIX_CACHE_HIT,
    FIX_PM_IDEAL,
    FIX_PM_COMPUTE,
    FIX_PM_BANDWIDTH,
    FIX_PM_INPUT_BW,
    FIX_PM_OUTPUT_BW,
    FIX_PM_FPU_UTIL,
    FIX_NOC_UTIL,
    FIX_MULTICAST_UTIL,
    FIX_DRAM_UTIL,
    FIX_DRAM_UTIL_PER_CTRL,
    FIX_ETH_UTIL,
    FIX_CONGESTION,
    FIX_STOCK, /* number of those above */
    FIX_QUASAR_DM_GAP = FIX_STOCK,
    FIX_QUASAR_TRISC_GAP,
    FIX_QUASAR_DM_FW,
    FIX_QUASAR_TRISC_FW,
    FIX_QUASAR_DM_KERNEL,
    FIX_QUASAR_TRISC_KERNEL,
    FIX_HOT_LINK, /* ours */
    FIX_COLUMNS,
};
/* The fixed column of that name, or -1. */
int ttp_fixed_find(ttp_str name);
/* The fixed column that a member of an op's description goes to, or -1: "op_code" is OP CODE. */
int ttp_fixed_of_member(ttp_str key);

enum ttp_column_kind {
    COLUMN_FIXED,
    COLUMN_INPUT,
    COLUMN_OUTPUT,
    COLUMN_KERNEL_SIZE,
    COLUMN_COUNTER,
    COLUMN_CHILD,
    COLUMN_MLIR,
};

struct ttp_column {
    enum ttp_column_kind kind;
    ttp_str name;
    uint32_t index; /* fixed column, tensor, counter column, child's symbol, message of tt-mlir */
    uint32_t cell;  /* of a tensor */
};

struct ttp_columns {
    struct ttp_column *column;
    size_t ncolumns;
};

/* `present`: fixed columns that some row has a value in; NULL: all are shown. */
void ttp_columns_choose(struct ttp_columns *out, const struct ttp_ops_report *report,
                        const bool *present, struct ttp_arena *arena);

#endif
