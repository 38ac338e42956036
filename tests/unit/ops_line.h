/* SPDX-License-Identifier: Apache-2.0 */
/* ops_line.h - from CSV text to a report, for tests of the stages on the way. */
#ifndef TTP_TEST_OPS_LINE_H
#define TTP_TEST_OPS_LINE_H

#include "base/sink.h"
#include "compat/compat.h"

/* Columns of most tests, and their rows: an op on a device, a signpost, what ran on the host. */
#define OPS_HEAD                                                                                   \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],CORE COUNT,"      \
    "GLOBAL CALL COUNT,ATTRIBUTES,INPUT_0_MEMORY\n"
#define OP(code, device, ns, gap)                                                                  \
    code ",tt_dnn_device," #device "," #ns "," #gap ",64,1,,DEV_0_DRAM_INTERLEAVED\n"
#define POST(name)    name ",signpost,,,,,,,\n"
#define HOST_OP(code) code ",tt_dnn_cpu,,,,,,,\n"

/* The same with what a matmul or convolution needs. `more` is "FIDELITY,in0 type,in1 type,out type"
 * and `dims` twelve numbers; inputs are in L1, DRAM and L1. */
#define SHAPE_HEAD                                                                                 \
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],CORE COUNT,"      \
    "GLOBAL CALL COUNT,ATTRIBUTES,MATH FIDELITY,INPUT_0_DATATYPE,INPUT_1_DATATYPE,"                \
    "OUTPUT_0_DATATYPE,INPUT_0_MEMORY,INPUT_1_MEMORY,OUTPUT_0_MEMORY,"                             \
    "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL]," \
    "INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],INPUT_1_Y_PAD[LOGICAL],INPUT_1_X_PAD[LOGICAL]," \
    "OUTPUT_0_W_PAD[LOGICAL],OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],"                     \
    "OUTPUT_0_X_PAD[LOGICAL]\n"
#define SHAPED(code, ns, cores, attributes, more, dims)                                            \
    code ",tt_dnn_device,0," #ns ",5," #cores ",1," attributes "," more                            \
         ",DEV_0_L1_INTERLEAVED,DEV_0_DRAM_INTERLEAVED,DEV_0_L1_INTERLEAVED," dims "\n"
#define BF16_TYPES "HiFi4,BFLOAT16,BFLOAT16,BFLOAT16"

/* A run of the whole line over one CSV. */
struct ops_line {
    struct ttp_ops ops;
    struct ttp_report report;
    ttp_code code;
    struct ttp_err err;
};

/* Read the texts as files, one per host. */
ttp_code ops_read(struct ttp_ops *out, const ttp_str *text, size_t count,
                  const struct ttp_ops_rules *rules, struct ttp_arena *arena, struct ttp_err *err);
/* Read and analyse; both must succeed unless the caller looks at `code`. */
void ops_line_try(struct ops_line *out, const char *text, const struct ttp_report_options *options,
                  struct ttp_arena *arena);
void ops_line_run(struct ops_line *out, const char *text, const struct ttp_report_options *options,
                  struct ttp_arena *arena);

ttp_str ops_line_code(const struct ops_line *line, size_t op);
/* Op codes of the report, joined by ' '; the order is part of what is compared. */
void assert_codes(const struct ops_line *line, const char *codes);
/* Some note contains that text, or none does. */
void assert_note(const struct ttp_notes *notes, const char *text);
void assert_no_note(const struct ttp_notes *notes, const char *text);
void assert_text(ttp_str got, const char *want);

extern const struct ttp_report_options ops_compat;
extern const struct ttp_ops_rules ops_read_ours; /* the original's answers */
extern const struct ttp_report_options ops_ours;

#endif
