/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/ops_columns.h"

/* What reports read of a field: a text, a number, or neither. */
/* NOLINTBEGIN(bugprone-macro-parentheses): parts of an initialiser */
#define TEXT(column)   .text = TTP_OPS_##column + 1
#define NUMBER(column) .number = TTP_OPS_##column + 1
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct {
    const char *name;
    uint8_t text, number; /* position + 1; 0: not read as one */
} fields[] = {
    [FIELD_OP_CODE] = {"OP CODE", TEXT(CODE)},
    [FIELD_OP_TYPE] = {"OP TYPE", TEXT(TYPE)},
    [FIELD_CALL_COUNT] = {"GLOBAL CALL COUNT", NUMBER(CALL_COUNT)},
    [FIELD_DEVICE_ID] = {"DEVICE ID", NUMBER(DEVICE)},
    [FIELD_DEVICE_ARCH] = {"DEVICE ARCH", TEXT(ARCH)},
    [FIELD_ATTRIBUTES] = {"ATTRIBUTES", TEXT(ATTRIBUTES)},
    [FIELD_FIDELITY] = {"MATH FIDELITY", TEXT(FIDELITY)},
    [FIELD_CORE_COUNT] = {"CORE COUNT", NUMBER(CORES)},
    [FIELD_AVAILABLE_CORES] = {"AVAILABLE WORKER CORE COUNT", NUMBER(AVAILABLE_CORES)},
    [FIELD_SUB_DEVICE] = {"SUB DEVICE ID", NUMBER(SUB_DEVICE)},
    [FIELD_PARALLELIZATION] = {"PARALLELIZATION STRATEGY"},
    [FIELD_HOST_START] = {"HOST START TS", NUMBER(HOST_START)},
    [FIELD_HOST_END] = {"HOST END TS"},
    [FIELD_HOST_DURATION] = {"HOST DURATION [ns]", NUMBER(HOST_NS)},
    [FIELD_FW_START] = {"DEVICE FW START CYCLE", NUMBER(FW_START_CYCLE)},
    [FIELD_FW_END] = {"DEVICE FW END CYCLE", NUMBER(FW_END_CYCLE)},
    [FIELD_GAP] = {"OP TO OP LATENCY [ns]", NUMBER(GAP_NS)},
    [FIELD_DM_GAP] = {"OP TO OP LATENCY BR/NRISC START [ns]"},
    [FIELD_FW] = {"DEVICE FW DURATION [ns]", NUMBER(FW_NS)},
    [FIELD_KERNEL] = {"DEVICE KERNEL DURATION [ns]", NUMBER(KERNEL_NS)},
    [FIELD_KERNEL_DM_START] = {"DEVICE KERNEL DURATION DM START [ns]"},
    [FIELD_CORE_MIN] = {"DEVICE KERNEL DURATION PER CORE MIN [ns]"},
    [FIELD_CORE_MAX] = {"DEVICE KERNEL DURATION PER CORE MAX [ns]", NUMBER(CORE_MAX_NS)},
    [FIELD_CORE_AVG] = {"DEVICE KERNEL DURATION PER CORE AVG [ns]", NUMBER(CORE_AVG_NS)},
    [FIELD_FIRST_TO_LAST_START] = {"DEVICE KERNEL FIRST TO LAST START [ns]"},
    [FIELD_BRISC] = {"DEVICE BRISC KERNEL DURATION [ns]", NUMBER(BRISC_NS)},
    [FIELD_NCRISC] = {"DEVICE NCRISC KERNEL DURATION [ns]", NUMBER(NCRISC_NS)},
    [FIELD_TRISC0] = {"DEVICE TRISC0 KERNEL DURATION [ns]", NUMBER(TRISC0_NS)},
    [FIELD_TRISC1] = {"DEVICE TRISC1 KERNEL DURATION [ns]", NUMBER(TRISC1_NS)},
    [FIELD_TRISC2] = {"DEVICE TRISC2 KERNEL DURATION [ns]", NUMBER(TRISC2_NS)},
    [FIELD_ERISC] = {"DEVICE ERISC KERNEL DURATION [ns]", NUMBER(ERISC_NS)},
    [FIELD_CB_WAIT] = {"DEVICE COMPUTE CB WAIT FRONT [ns]", NUMBER(CB_WAIT_NS)},
    [FIELD_CB_RESERVE] = {"DEVICE COMPUTE CB RESERVE BACK [ns]", NUMBER(CB_RESERVE_NS)},
    [FIELD_DISPATCH_COMMAND] = {"DISPATCH TOTAL CQ CMD OP TIME [ns]"},
    [FIELD_DISPATCH_GO] = {"DISPATCH GO SEND WAIT TIME [ns]"},
    [FIELD_TRACE_ID] = {"METAL TRACE ID", NUMBER(TRACE_ID)},
    [FIELD_SESSION] = {"METAL TRACE REPLAY SESSION ID", NUMBER(REPLAY)},
    [FIELD_COMPUTE_SOURCE] = {"COMPUTE KERNEL SOURCE"},
    [FIELD_COMPUTE_HASH] = {"COMPUTE KERNEL HASH"},
    [FIELD_DM_SOURCE] = {"DATA MOVEMENT KERNEL SOURCE", TEXT(DM_SOURCE)},
    [FIELD_DM_HASH] = {"DATA MOVEMENT KERNEL HASH"},
    [FIELD_PROGRAM_HASH] = {"PROGRAM HASH"},
    [FIELD_CACHE_HIT] = {"PROGRAM CACHE HIT", TEXT(CACHE_HIT)},
    [FIELD_PM_IDEAL] = {"PM IDEAL [ns]"},
    [FIELD_PM_COMPUTE] = {"PM COMPUTE [ns]"},
    [FIELD_PM_BANDWIDTH] = {"PM BANDWIDTH [ns]"},
    [FIELD_PM_INPUT_BW] = {"PM REQ I BW"},
    [FIELD_PM_OUTPUT_BW] = {"PM REQ O BW"},
    [FIELD_PM_FPU_UTIL] = {"PM FPU UTIL (%)"},
    [FIELD_NOC_UTIL] = {"NOC UTIL (%)", NUMBER(NOC_UTIL)},
    [FIELD_MULTICAST_UTIL] = {"MULTICAST NOC UTIL (%)"},
    [FIELD_DRAM_UTIL] = {"DRAM BW UTIL (%)", NUMBER(DRAM_UTIL)},
    [FIELD_DRAM_UTIL_PER_CTRL] = {"DRAM BW UTIL PER CTRL (%)"},
    [FIELD_ETH_UTIL] = {"ETH BW UTIL (%)"},
    [FIELD_CONGESTION] = {"NPE CONG IMPACT (%)", NUMBER(CONGESTION)},
    [FIELD_QUASAR_DM_GAP] = {"OP TO OP DM LATENCY [ns]"},
    [FIELD_QUASAR_TRISC_GAP] = {"OP TO OP TRISC LATENCY [ns]"},
    [FIELD_QUASAR_DM_FW] = {"DEVICE DM FW DURATION [ns]"},
    [FIELD_QUASAR_TRISC_FW] = {"DEVICE TRISC FW DURATION [ns]"},
    [FIELD_QUASAR_DM_KERNEL] = {"DEVICE QUASAR_DM KERNEL DURATION [ns]"},
    [FIELD_QUASAR_TRISC_KERNEL] = {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]"},
    [FIELD_HOT_LINK] = {"NOC HOT LINK", TEXT(HOT_LINK)},
    /* tensors: as many are written as the ops of the run have */
    [FIELDS] = {"INPUT_0_LAYOUT", TEXT(IN0_LAYOUT)},
    {"INPUT_0_DATATYPE", TEXT(IN0_DATATYPE)},
    {"INPUT_0_MEMORY", TEXT(IN0_MEMORY)},
    {"INPUT_1_LAYOUT", TEXT(IN1_LAYOUT)},
    {"INPUT_1_DATATYPE", TEXT(IN1_DATATYPE)},
    {"INPUT_1_MEMORY", TEXT(IN1_MEMORY)},
    {"OUTPUT_0_LAYOUT", TEXT(OUT_LAYOUT)},
    {"OUTPUT_0_DATATYPE", TEXT(OUT_DATATYPE)},
    {"OUTPUT_0_MEMORY", TEXT(OUT_MEMORY)},
    {"INPUT_2_DATATYPE", TEXT(IN2_DATATYPE)},
    {"LOC", TEXT(LOCATION)},
    {"CONST_EVAL_OP", TEXT(CONST_EVAL)},
    {"INPUT_LAYOUT_CONVERSION_OP", TEXT(INPUT_LAYOUT)},
    {"PROGRAM_METADATA", TEXT(PROGRAM)},
    {"INPUT_0_W_PAD[LOGICAL]", TEXT(DIMS)},
    {"INPUT_0_Z_PAD[LOGICAL]", TEXT(DIMS + 1)},
    {"INPUT_0_Y_PAD[LOGICAL]", TEXT(DIMS + 2)},
    {"INPUT_0_X_PAD[LOGICAL]", TEXT(DIMS + 3)},
    {"INPUT_1_W_PAD[LOGICAL]", TEXT(DIMS + 4)},
    {"INPUT_1_Z_PAD[LOGICAL]", TEXT(DIMS + 5)},
    {"INPUT_1_Y_PAD[LOGICAL]", TEXT(DIMS + 6)},
    {"INPUT_1_X_PAD[LOGICAL]", TEXT(DIMS + 7)},
    {"OUTPUT_0_W_PAD[LOGICAL]", TEXT(DIMS + 8)},
    {"OUTPUT_0_Z_PAD[LOGICAL]", TEXT(DIMS + 9)},
    {"OUTPUT_0_Y_PAD[LOGICAL]", TEXT(DIMS + 10)},
    {"OUTPUT_0_X_PAD[LOGICAL]", TEXT(DIMS + 11)},
    {"INPUT_0_W", TEXT(LEGACY_DIMS)},
    {"INPUT_0_Z", TEXT(LEGACY_DIMS + 1)},
    {"INPUT_0_Y", TEXT(LEGACY_DIMS + 2)},
    {"INPUT_0_X", TEXT(LEGACY_DIMS + 3)},
    {"INPUT_1_W", TEXT(LEGACY_DIMS + 4)},
    {"INPUT_1_Z", TEXT(LEGACY_DIMS + 5)},
    {"INPUT_1_Y", TEXT(LEGACY_DIMS + 6)},
    {"INPUT_1_X", TEXT(LEGACY_DIMS + 7)},
    {"OUTPUT_0_W", TEXT(LEGACY_DIMS + 8)},
    {"OUTPUT_0_Z", TEXT(LEGACY_DIMS + 9)},
    {"OUTPUT_0_Y", TEXT(LEGACY_DIMS + 10)},
    {"OUTPUT_0_X", TEXT(LEGACY_DIMS + 11)},
    /* of the ranks of a run, written by mesh */
    {"RANK", NUMBER(RANK)},
    {"COLLECTIVE WAIT [ns]", NUMBER(WAIT_NS)},
    {"COLLECTIVE SKEW [ns]", NUMBER(SKEW_NS)},
    {"COLLECTIVE LAST", TEXT(LAST)},
};

const char *ttp_ops_format_name(enum ttp_ops_format format)
{
    static const char *const names[] = {
        [TTP_FORMAT_V1] = "v1", [TTP_FORMAT_V2] = "v2", [TTP_FORMAT_V21] = "v2.1"};

    return names[format];
}

const char *ttp_ops_text_name(enum ttp_ops_text column)
{
    size_t i = 0;

    while (fields[i].text != column + 1)
        i++;
    return fields[i].name;
}

const char *ttp_ops_number_name(enum ttp_ops_number column)
{
    size_t i = 0;

    while (fields[i].number != column + 1)
        i++;
    return fields[i].name;
}

ttp_str ttp_ops_field_name(enum ttp_ops_field field)
{
    return ttp_str_from(fields[field].name);
}

int ttp_ops_find_field(ttp_str name)
{
    for (int i = 0; i < FIELDS; i++)
        if (ttp_str_eq(name, ttp_str_from(fields[i].name)))
            return i;
    return -1;
}

void ttp_ops_match_header(struct ttp_ops_header *h, const ttp_str *name, size_t count)
{
    *h = (struct ttp_ops_header){.columns = count};
    for (size_t i = 0; i < TTP_OPS_TEXTS; i++)
        h->text[i] = TTP_NPOS;
    for (size_t i = 0; i < TTP_OPS_NUMBERS; i++)
        h->number[i] = TTP_NPOS;
    for (size_t c = count; c-- > 0;) { /* backwards: of equal names the first counts */
        for (size_t i = 0; i < TTP_COUNT(fields); i++) {
            if (!ttp_str_eq(name[c], ttp_str_from(fields[i].name)))
                continue;
            if (fields[i].text)
                h->text[fields[i].text - 1] = c;
            if (fields[i].number)
                h->number[fields[i].number - 1] = c;
        }
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
