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
    [TTP_OPS_IN0_LAYOUT] = "INPUT_0_LAYOUT",
    [TTP_OPS_IN1_LAYOUT] = "INPUT_1_LAYOUT",
    [TTP_OPS_OUT_LAYOUT] = "OUTPUT_0_LAYOUT",
    [TTP_OPS_CACHE_HIT] = "PROGRAM CACHE HIT",
    [TTP_OPS_HOT_LINK] = "NOC HOT LINK",
    [TTP_OPS_IN2_DATATYPE] = "INPUT_2_DATATYPE",
    [TTP_OPS_DM_SOURCE] = "DATA MOVEMENT KERNEL SOURCE",
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
    [TTP_OPS_BRISC_NS] = "DEVICE BRISC KERNEL DURATION [ns]",
    [TTP_OPS_NCRISC_NS] = "DEVICE NCRISC KERNEL DURATION [ns]",
    [TTP_OPS_TRISC0_NS] = "DEVICE TRISC0 KERNEL DURATION [ns]",
    [TTP_OPS_TRISC1_NS] = "DEVICE TRISC1 KERNEL DURATION [ns]",
    [TTP_OPS_TRISC2_NS] = "DEVICE TRISC2 KERNEL DURATION [ns]",
    [TTP_OPS_ERISC_NS] = "DEVICE ERISC KERNEL DURATION [ns]",
    [TTP_OPS_CORE_MAX_NS] = "DEVICE KERNEL DURATION PER CORE MAX [ns]",
    [TTP_OPS_CORE_AVG_NS] = "DEVICE KERNEL DURATION PER CORE AVG [ns]",
    [TTP_OPS_CB_WAIT_NS] = "DEVICE COMPUTE CB WAIT FRONT [ns]",
    [TTP_OPS_CB_RESERVE_NS] = "DEVICE COMPUTE CB RESERVE BACK [ns]",
    [TTP_OPS_HOST_NS] = "HOST DURATION [ns]",
    [TTP_OPS_TRACE_ID] = "METAL TRACE ID",
    [TTP_OPS_REPLAY] = "METAL TRACE REPLAY SESSION ID",
    [TTP_OPS_NOC_UTIL] = "NOC UTIL (%)",
    [TTP_OPS_CONGESTION] = "NPE CONG IMPACT (%)",
    [TTP_OPS_DRAM_UTIL] = "DRAM BW UTIL (%)",
    [TTP_OPS_RANK] = "RANK",
    [TTP_OPS_WAIT_NS] = "COLLECTIVE WAIT [ns]",
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

void ttp_ops_shift_header(struct ttp_ops_header *h, size_t by)
{
    h->columns += by;
    for (size_t i = 0; i < TTP_OPS_TEXTS; i++)
        if (h->text[i] != TTP_NPOS)
            h->text[i] += by;
    for (size_t i = 0; i < TTP_OPS_NUMBERS; i++)
        if (h->number[i] != TTP_NPOS)
            h->number[i] += by;
}
