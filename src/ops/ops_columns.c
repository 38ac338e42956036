/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_columns.h"

static const char *const text_names[TTP_OPS_TEXTS] = {
    [TTP_OPS_CODE] = "OP CODE",
    [TTP_OPS_TYPE] = "OP TYPE",
    [TTP_OPS_ARCH] = "DEVICE ARCH",
    [TTP_OPS_ATTRIBUTES] = "ATTRIBUTES",
    [TTP_OPS_FIDELITY] = "MATH FIDELITY",
    [TTP_OPS_IN0_DATATYPE] = "INPUT_0_DATATYPE",
    [TTP_OPS_IN1_DATATYPE] = "INPUT_1_DATATYPE",
    [TTP_OPS_OUT_DATATYPE] = "OUTPUT_0_DATATYPE",
    [TTP_OPS_IN0_MEMORY] = "INPUT_0_MEMORY",
    [TTP_OPS_IN1_MEMORY] = "INPUT_1_MEMORY",
    [TTP_OPS_OUT_MEMORY] = "OUTPUT_0_MEMORY",
#define DIMS(base, suffix, tensor, at)                                                             \
    [(base) + (at) + TTP_DIM_W] = tensor "_W" suffix,                                              \
                     [(base) + (at) + TTP_DIM_Z] = tensor "_Z" suffix,                             \
                     [(base) + (at) + TTP_DIM_Y] = tensor "_Y" suffix,                             \
                     [(base) + (at) + TTP_DIM_X] = tensor "_X" suffix
    DIMS(TTP_OPS_DIMS, "_PAD[LOGICAL]", "INPUT_0", 0),
    DIMS(TTP_OPS_DIMS, "_PAD[LOGICAL]", "INPUT_1", 4),
    DIMS(TTP_OPS_DIMS, "_PAD[LOGICAL]", "OUTPUT_0", 8),
    DIMS(TTP_OPS_LEGACY_DIMS, "", "INPUT_0", 0),
    DIMS(TTP_OPS_LEGACY_DIMS, "", "INPUT_1", 4),
    DIMS(TTP_OPS_LEGACY_DIMS, "", "OUTPUT_0", 8),
#undef DIMS
};

static const char *const number_names[TTP_OPS_NUMBERS] = {
    [TTP_OPS_DEVICE] = "DEVICE ID",
    [TTP_OPS_CORES] = "CORE COUNT",
    [TTP_OPS_AVAILABLE_CORES] = "AVAILABLE WORKER CORE COUNT",
    [TTP_OPS_KERNEL_NS] = "DEVICE KERNEL DURATION [ns]",
    [TTP_OPS_GAP_NS] = "OP TO OP LATENCY [ns]",
    [TTP_OPS_HOST_START] = "HOST START TS",
    [TTP_OPS_CALL_COUNT] = "GLOBAL CALL COUNT",
    [TTP_OPS_SUB_DEVICE] = "SUB DEVICE ID",
    [TTP_OPS_FW_START_CYCLE] = "DEVICE FW START CYCLE",
    [TTP_OPS_FW_END_CYCLE] = "DEVICE FW END CYCLE",
    [TTP_OPS_FW_NS] = "DEVICE FW DURATION [ns]",
};

const char *ttp_ops_format_name(enum ttp_ops_format format)
{
    static const char *const names[] = {
        [TTP_FORMAT_V1] = "v1", [TTP_FORMAT_V2] = "v2", [TTP_FORMAT_V21] = "v2.1"};

    return names[format];
}

const char *ttp_ops_text_name(enum ttp_ops_text column)
{
    return text_names[column];
}

const char *ttp_ops_number_name(enum ttp_ops_number column)
{
    return number_names[column];
}

void ttp_ops_match_header(struct ttp_ops_header *h, const ttp_str *name, size_t count)
{
    *h = (struct ttp_ops_header){.columns = count};
    for (size_t i = 0; i < TTP_OPS_TEXTS; i++)
        h->text[i] = TTP_NPOS;
    for (size_t i = 0; i < TTP_OPS_NUMBERS; i++)
        h->number[i] = TTP_NPOS;
    for (size_t c = count; c-- > 0;) { /* backwards: of equal names the first counts */
        for (size_t i = 0; i < TTP_OPS_TEXTS; i++)
            if (ttp_str_eq(name[c], ttp_str_from(text_names[i])))
                h->text[i] = c;
        for (size_t i = 0; i < TTP_OPS_NUMBERS; i++)
            if (ttp_str_eq(name[c], ttp_str_from(number_names[i])))
                h->number[i] = c;
        h->padded_dims |= ttp_str_has(name[c], TTP_STR("_PAD[LOGICAL]"));
    }
}

/* Files that users pass by mistake, told by a column (or first cell) that only they have. */
static const struct lookalike {
    const char *column, *what, *hint;
} lookalikes[] = {
    {"ARCH: ", "a raw device log (profile_log_device.csv)",
     "pass the ops_perf_results CSV that tt-metal makes of it"},
    {"PCIe slot", "a raw device log (profile_log_device.csv)",
     "pass the ops_perf_results CSV that tt-metal makes of it"},
    {"ns_since_start", "a Tracy zone export (tracy_ops_times.csv)",
     "pass the ops_perf_results CSV of the same run"},
    {"Total %", "the table that tt-perf-report --csv writes",
     "pass the ops_perf_results CSV that table was made from"},
    {"Total % [%]", "the stacked summary that tt-perf-report writes",
     "pass the ops_perf_results CSV that summary was made from"},
    {"Op Code", "the stacked summary that tt-perf-report writes",
     "pass the ops_perf_results CSV that summary was made from"},
    {"OP NAME", "the C++ device report (cpp_device_perf_report.csv)",
     "pass the ops_perf_results CSV of the same run"},
    {"core_x", "a per-core report (per_core_op_to_op_times.csv)",
     "pass the ops_perf_results CSV of the same run"},
};

ttp_code ttp_ops_explain_header(const ttp_str *name, size_t count, const char *missing,
                                struct ttp_err *err)
{
    for (size_t i = 0; i < TTP_COUNT(lookalikes); i++)
        for (size_t c = 0; c < count; c++)
            if (ttp_str_starts(ttp_str_trim(name[c]), ttp_str_from(lookalikes[i].column)) &&
                (ttp_str_eq(ttp_str_trim(name[c]), ttp_str_from(lookalikes[i].column)) ||
                 lookalikes[i].column[strlen(lookalikes[i].column) - 1] == ' ')) {
                const ttp_code rc = ttp_fail(err, TTP_EPARSE,
                                             "no '%s' column: this is %s, not an operations report",
                                             missing, lookalikes[i].what);
                ttp_err_hint(err, "%s", lookalikes[i].hint);
                return rc;
            }
    for (size_t c = 0; c < count; c++)
        if (ttp_str_starts(name[c], TTP_STR("DEVICE KERNEL DURATION"))) {
            const ttp_code rc = ttp_fail(err, TTP_EPARSE,
                                         "this file has no '%s' column: it looks like a "
                                         "device-only report",
                                         missing);
            ttp_err_hint(err,
                         "run the profiler with host data (without device-only mode), then pass "
                         "its ops_perf_results CSV");
            return rc;
        }
    const ttp_code rc = ttp_fail(
        err, TTP_EPARSE, "no '%s' column among %zu: not an ops_perf_results CSV", missing, count);
    ttp_err_hint(err, "the first line must hold the column names; the file begins with '%.*s'",
                 (int)(count && name[0].len < 60 ? name[0].len
                       : count                   ? 60
                                                 : 0),
                 count ? name[0].ptr : "");
    return rc;
}
