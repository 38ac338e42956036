/* SPDX-License-Identifier: Apache-2.0 */
/* fidelity.c - does the math fidelity suit the datatypes? Facts and sentences of tt-perf-report. */
#include "analysis/stages.h"
#include "base/sink.h"

/* Which sentence goes with a verdict. */
enum sentence {
    SAY_NOTHING,
    SAY_INTEGER,
    SAY_UNSUPPORTED_IN0,
    SAY_UNSUPPORTED_IN1,
    SAY_UNSUPPORTED_OUT,
    SAY_A1,
    SAY_A2,
    SAY_A3,
    SAY_B1,
    SAY_B1_HIFI3,
    SAY_B2,
    SAY_B3,
    SAY_C1,
    SAY_C1_HIFI3,
    SAY_C3,
    SAY_D3,
    SAY_E1,
};

static const char *const sentences[] = {
    [SAY_INTEGER] = "Fidelity evaluation is not applicable for integer datatypes (UINT8, UINT16, "
                    "INT32, UINT32).",
    [SAY_A1] = "HiFi2 may also work, it discards the lowest bit of the activations and has 2x the "
               "throughput of HiFi4",
    [SAY_A2] =
        "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for full accuracy",
    [SAY_A3] = "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy",
    [SAY_B1] = "HiFi2 is very likely to work for BFP4 output; it discards the lowest bit of the "
               "activations and has 2x the throughput of HiFi4",
    [SAY_B1_HIFI3] = "HiFi2 is very likely to work for BFP4 output and is faster than HiFi3",
    [SAY_B2] = "LoFi might also be sufficient with BFP4 output and has almost 2x the throughput of "
               "HiFi2",
    [SAY_B3] =
        "HiFi2 may give better accuracy for large matmuls with many intermediate accumulations",
    [SAY_C1] = "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of HiFi4",
    [SAY_C1_HIFI3] = "HiFi2 is sufficient for BFP8 multiplication and is faster than HiFi3",
    [SAY_C3] = "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the weights",
    [SAY_D3] = "HiFi2 may give slightly better accuracy for large matmuls with many intermediate "
               "accumulations",
    [SAY_E1] = "LoFi is sufficient with BFP4 weights, use it for much higher throughput",
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
    [ROW_A] = {LOW(SAY_A3), LOW(SAY_A2), LOW(SAY_A2), FINE(SAY_A1)},
    [ROW_B] = {LOW(SAY_B3), FINE(SAY_B2), HIGH(SAY_B1_HIFI3), HIGH(SAY_B1)},
    [ROW_C] = {LOW(SAY_C3), FINE(SAY_NOTHING), HIGH(SAY_C1_HIFI3), HIGH(SAY_C1)},
    [ROW_D] = {LOW(SAY_D3), FINE(SAY_B2), HIGH(SAY_C1_HIFI3), HIGH(SAY_C1)},
    [ROW_E] = {FINE(SAY_NOTHING), HIGH(SAY_E1), HIGH(SAY_E1), HIGH(SAY_E1)},
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

void ttp_stage_fidelity(struct ttp_op *op, const struct ttp_symtab *syms, ttp_str fidelity)
{
    const ttp_str type[3] = {ttp_sym_name(syms, op->in0_datatype),
                             ttp_sym_name(syms, op->in1_datatype),
                             ttp_sym_name(syms, op->out_datatype)};
    int bits[3];
    enum ttp_fidelity f;

    op->verdict = TTP_FIDELITY_UNKNOWN;
    op->verdict_text = SAY_NOTHING;
    for (size_t i = 0; i < TTP_COUNT(type); i++)
        if (is_integer(type[i])) {
            op->verdict_text = SAY_INTEGER;
            return;
        }
    for (size_t i = 0; i < TTP_COUNT(type); i++) {
        bits[i] = mantissa_bits(type[i]);
        if (bits[i] == 0) {
            op->verdict_text = (uint8_t)(SAY_UNSUPPORTED_IN0 + i);
            return;
        }
    }
    if (!ttp_device_find_fidelity(fidelity, &f))
        return;
    const struct ruling r = rulings[row_for(bits[0], bits[1], bits[2])][f];
    op->verdict = r.verdict;
    op->verdict_text = r.sentence;
}

ttp_str ttp_analysis_fidelity_text(const struct ttp_report *report, const struct ttp_op *op,
                                   struct ttp_arena *arena)
{
    const ttp_sym type[3] = {op->in0_datatype, op->in1_datatype, op->out_datatype};
    struct ttp_sink text;

    if (op->verdict_text < SAY_UNSUPPORTED_IN0 || op->verdict_text > SAY_UNSUPPORTED_OUT)
        return ttp_str_from(sentences[op->verdict_text]);
    const ttp_sym sym = type[op->verdict_text - SAY_UNSUPPORTED_IN0];
    ttp_sink_to_arena(&text, arena);
    ttp_sink_printf(
        &text, "Datatype %.*s is not supported for fidelity evaluation.",
        TTP_FMT(sym == TTP_SYM_MISSING ? TTP_STR("nan") : ttp_sym_name(report->syms, sym)));
    return ttp_sink_text(&text);
}
