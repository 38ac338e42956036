/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h - matmuls and convolutions: work, traffic and rates from tensor shapes. Private to
 * analysis. */
#ifndef TTP_ANALYSIS_SHAPES_H
#define TTP_ANALYSIS_SHAPES_H

#include "analysis/attributes.h"
#include "analysis/stages.h"

/* What the texts of a matmul say. */
struct ttp_matmul_text {
    bool known; /* by an earlier row of the program */
    bool has_fidelity, lacks_active, has_rates;
    ttp_sym code, fidelity;
    double bytes, work; /* moved of DRAM, FLOP; if has_rates */
    double peak;        /* FLOP/s of one core; 0: unknown */
};

/* One row on its way to an op. */
struct ttp_measured {
    const struct ttp_stage *stage;
    uint32_t row;
    struct ttp_op *op;
    ttp_str code, attributes;
    const struct ttp_conv_text *conv; /* what the attributes say; convolutions only */
    struct ttp_matmul_text *matmul;   /* of its program; NULL: rows of it need not be alike */
    bool has_ns;                      /* is there a kernel duration to divide by? */
    double ns;
    struct ttp_sink *label;    /* reset for each op: the name it gets */
    size_t unknown_fidelities; /* counted */
    size_t unknown_sparse;
};

/* Fill rates, name and fidelity text. What cannot be known stays missing; by strict rules it is
 * TTP_EPARSE. */
TTP_NODISCARD ttp_code ttp_analysis_shapes_matmul(struct ttp_measured *m, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_analysis_shapes_conv(struct ttp_measured *m, struct ttp_err *err);

/* BF16 for BFLOAT16 and so on; other names as they are. */
ttp_str ttp_analysis_shapes_short_type(ttp_str type);

#endif
