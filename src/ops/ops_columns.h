/* SPDX-License-Identifier: Apache-2.0 */
/* ops_columns.h - the columns of the CSV: one table for reading and writing. Private to ops. */
#ifndef TTP_OPS_OPS_COLUMNS_H
#define TTP_OPS_OPS_COLUMNS_H

#include "ops/ops.h"

/* Columns that are there for every run, in the order of the file (OPS_CSV_HEADER of
 * process_ops_logs.py); tensors are before FIELD_TRACE_ID, kernel sizes after FIELD_CACHE_HIT.
 * The Quasar ones replace some of them. */
enum ttp_ops_field {
    FIELD_OP_CODE,
    FIELD_OP_TYPE,
    FIELD_CALL_COUNT,
    FIELD_DEVICE_ID,
    FIELD_DEVICE_ARCH,
    FIELD_ATTRIBUTES,
    FIELD_FIDELITY,
    FIELD_CORE_COUNT,
    FIELD_AVAILABLE_CORES,
    FIELD_SUB_DEVICE,
    FIELD_PARALLELIZATION,
    FIELD_HOST_START,
    FIELD_HOST_END,
    FIELD_HOST_DURATION,
    FIELD_FW_START,
    FIELD_FW_END,
    FIELD_GAP,
    FIELD_DM_GAP,
    FIELD_FW,
    FIELD_KERNEL,
    FIELD_KERNEL_DM_START,
    FIELD_CORE_MIN,
    FIELD_CORE_MAX,
    FIELD_CORE_AVG,
    FIELD_FIRST_TO_LAST_START,
    FIELD_BRISC,
    FIELD_NCRISC,
    FIELD_TRISC0,
    FIELD_TRISC1,
    FIELD_TRISC2,
    FIELD_ERISC,
    FIELD_CB_WAIT,
    FIELD_CB_RESERVE,
    FIELD_DISPATCH_COMMAND,
    FIELD_DISPATCH_GO,
    FIELD_TRACE_ID,
    FIELD_SESSION,
    FIELD_COMPUTE_SOURCE,
    FIELD_COMPUTE_HASH,
    FIELD_DM_SOURCE,
    FIELD_DM_HASH,
    FIELD_PROGRAM_HASH,
    FIELD_CACHE_HIT,
    FIELD_PM_IDEAL,
    FIELD_PM_COMPUTE,
    FIELD_PM_BANDWIDTH,
    FIELD_PM_INPUT_BW,
    FIELD_PM_OUTPUT_BW,
    FIELD_PM_FPU_UTIL,
    FIELD_NOC_UTIL,
    FIELD_MULTICAST_UTIL,
    FIELD_DRAM_UTIL,
    FIELD_DRAM_UTIL_PER_CTRL,
    FIELD_ETH_UTIL,
    FIELD_CONGESTION,
    FIELDS_STOCK, /* number of those above */
    FIELD_QUASAR_DM_GAP = FIELDS_STOCK,
    FIELD_QUASAR_TRISC_GAP,
    FIELD_QUASAR_DM_FW,
    FIELD_QUASAR_TRISC_FW,
    FIELD_QUASAR_DM_KERNEL,
    FIELD_QUASAR_TRISC_KERNEL,
    FIELD_HOT_LINK, /* ours */
    FIELDS,
};
ttp_str ttp_ops_field_name(enum ttp_ops_field field);
/* The field that is written under that name, or -1. */
int ttp_ops_find_field(ttp_str name);

/* Where the columns we read are in one file; TTP_NPOS: not there. */
struct ttp_ops_header {
    size_t columns;
    size_t text[TTP_OPS_TEXTS];
    size_t number[TTP_OPS_NUMBERS];
    bool padded_dims; /* some name has _PAD[LOGICAL] */
};

/* Names are used exactly as they are; of equal ones the first counts. */
void ttp_ops_match_header(struct ttp_ops_header *h, const ttp_str *name, size_t count);

/* Every row has `by` fields before the first column. */
void ttp_ops_shift_header(struct ttp_ops_header *h, size_t by);

/* TTP_EPARSE with the best guess at what the file is, given its header and a column it lacks. */
ttp_code ttp_ops_explain_header(const ttp_str *name, size_t count, const char *missing,
                                struct ttp_err *err);

/* TTP_EPARSE if a file that starts like this is not text in lines: a capture, JSON, a picture. */
TTP_NODISCARD ttp_code ttp_ops_check_content(ttp_str start, struct ttp_err *err);

#endif
