/* SPDX-License-Identifier: Apache-2.0 */
/* fidelity.c - does the math fidelity suit the datatypes? The facts are tt-perf-report's. */
#include "analysis/stages.h"
#include "base/sink.h"

static const char *const sentences[] = {
    [TTP_REASON_INTEGER] = "Math fidelity does not matter for integer types",
    [TTP_REASON_HIFI2_MAY_DO] =
        "Try HiFi2: it doubles the throughput of HiFi4 and drops the lowest bit of activations",
    [TTP_REASON_HIFI4_FOR_BF16] =
        "Use HiFi4 for the full accuracy of BF16 activations, unless the op is FLOP-bound",
    [TTP_REASON_HIFI_FOR_BF16] = "Use HiFi2 or HiFi4: LoFi loses accuracy of BF16 activations",
    [TTP_REASON_HIFI2_FOR_BFP4_OUT] =
        "Use HiFi2: it suffices for BFP4 output and has twice the throughput of HiFi4",
    [TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP4_OUT] =
        "Use HiFi2: it suffices for BFP4 output and is faster than HiFi3",
    [TTP_REASON_LOFI_MAY_DO] =
        "Try LoFi: it may suffice for BFP4 output and has almost twice the throughput of HiFi2",
    [TTP_REASON_HIFI2_FOR_LARGE] = "HiFi2 may be more accurate if many products are accumulated",
    [TTP_REASON_HIFI2_FOR_BFP8] =
        "Use HiFi2: it suffices for BFP8 inputs and has twice the throughput of HiFi4",
    [TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP8] =
        "Use HiFi2: it suffices for BFP8 inputs and is faster than HiFi3",
    [TTP_REASON_HIFI2_FOR_WEIGHTS] =
        "Use HiFi2 for accuracy: LoFi drops the lowest 2 bits of the weights",
    [TTP_REASON_HIFI2_FOR_LARGE_BFP4_OUT] =
        "HiFi2 may be slightly more accurate if many products are accumulated",
    [TTP_REASON_LOFI_FOR_BFP4] = "Use LoFi: it suffices for BFP4 weights and is much faster",
};

struct ruling {
    uint8_t verdict, sentence;
};
#define LOW(s)                                                                                     \
    {                                                                                              \
        TTP_FIDELITY_LOW, s                                                                        \
    }
#define HIGH(s)                                                                                    \
    {                                                                                              \
        TTP_FIDELITY_HIGH, s                                                                       \
    }
#define FINE(s)                                                                                    \
    {                                                                                              \
        TTP_FIDELITY_SUFFICIENT, s                                                                 \
    }

/* Columns in the order of enum ttp_fidelity: LoFi, HiFi2, HiFi3, HiFi4. */
enum { ROW_A, ROW_B, ROW_C, ROW_D, ROW_E };
static const struct ruling rulings[][TTP_FIDELITIES] = {
    [ROW_A] = {LOW(TTP_REASON_HIFI_FOR_BF16), LOW(TTP_REASON_HIFI4_FOR_BF16),
               LOW(TTP_REASON_HIFI4_FOR_BF16), FINE(TTP_REASON_HIFI2_MAY_DO)},
    [ROW_B] = {LOW(TTP_REASON_HIFI2_FOR_LARGE), FINE(TTP_REASON_LOFI_MAY_DO),
               HIGH(TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP4_OUT), HIGH(TTP_REASON_HIFI2_FOR_BFP4_OUT)},
    [ROW_C] = {LOW(TTP_REASON_HIFI2_FOR_WEIGHTS), FINE(TTP_REASON_NONE),
               HIGH(TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP8), HIGH(TTP_REASON_HIFI2_FOR_BFP8)},
    [ROW_D] = {LOW(TTP_REASON_HIFI2_FOR_LARGE_BFP4_OUT), FINE(TTP_REASON_LOFI_MAY_DO),
               HIGH(TTP_REASON_HIFI2_NOT_HIFI3_FOR_BFP8), HIGH(TTP_REASON_HIFI2_FOR_BFP8)},
    [ROW_E] = {FINE(TTP_REASON_NONE), HIGH(TTP_REASON_LOFI_FOR_BFP4),
               HIGH(TTP_REASON_LOFI_FOR_BFP4), HIGH(TTP_REASON_LOFI_FOR_BFP4)},
};

static bool is_integer(ttp_str t)
{
    return ttp_str_eq(t, TTP_STR("UINT8")) || ttp_str_eq(t, TTP_STR("UINT16")) ||
           ttp_str_eq(t, TTP_STR("INT32")) || ttp_str_eq(t, TTP_STR("UINT32"));
}

/* Bits of mantissa, 0: not a float type we know. */
static int mantissa_bits(ttp_str t)
{
    if (ttp_str_eq(t, TTP_STR("BFLOAT16")))
        return 8;
    if (ttp_str_eq(t, TTP_STR("BFLOAT8_B")))
        return 7;
    if (ttp_str_eq(t, TTP_STR("BFLOAT4_B")))
        return 3;
    return ttp_str_eq(t, TTP_STR("FLOAT32")) ? 23 : 0;
}

static int row_for(int in0, int in1, int out)
{
    if (in0 == 8 && out >= 7)
        return ROW_A;
    if (in0 == 8 && out == 3)
        return ROW_B;
    if (in1 >= 7)
        return out >= 7 ? ROW_C : ROW_D;
    return ROW_E;
}

void ttp_analysis_stage_fidelity(struct ttp_op *op, const struct ttp_symtab *syms, ttp_str fidelity)
{
    const ttp_str type[3] = {ttp_sym_name(syms, op->in0_datatype),
                             ttp_sym_name(syms, op->in1_datatype),
                             ttp_sym_name(syms, op->out_datatype)};
    int bits[3];
    enum ttp_fidelity f;

    op->verdict = TTP_FIDELITY_UNKNOWN;
    op->verdict_reason = TTP_REASON_NONE;
    for (size_t i = 0; i < TTP_COUNT(type); i++)
        if (is_integer(type[i])) {
            op->verdict_reason = TTP_REASON_INTEGER;
            return;
        }
    for (size_t i = 0; i < TTP_COUNT(type); i++) {
        bits[i] = mantissa_bits(type[i]);
        if (bits[i] == 0) {
            op->verdict_reason = (uint8_t)(TTP_REASON_UNKNOWN_IN0 + i);
            return;
        }
    }
    if (!ttp_device_find_fidelity(fidelity, &f))
        return;
    const struct ruling r = rulings[row_for(bits[0], bits[1], bits[2])][f];
    op->verdict = r.verdict;
    op->verdict_reason = r.sentence;
}

ttp_str ttp_analysis_fidelity_text(const struct ttp_report *report, const struct ttp_op *op,
                                   struct ttp_arena *arena)
{
    const ttp_sym type[3] = {op->in0_datatype, op->in1_datatype, op->out_datatype};

    if (op->verdict_reason < TTP_REASON_UNKNOWN_IN0 || op->verdict_reason > TTP_REASON_UNKNOWN_OUT)
        return ttp_str_from(sentences[op->verdict_reason]);
    const ttp_str name =
        ttp_sym_name(report->syms, type[op->verdict_reason - TTP_REASON_UNKNOWN_IN0]);
    return ttp_sink_format(arena, "Math fidelity of type %.*s is unknown",
                           TTP_FMT(name.len ? name : TTP_STR("none")));
}
