/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_look.h - predictions of the cost model for the matmuls of a run. Private to advice. */
#ifndef TTP_ADVICE_MATMUL_LOOK_H
#define TTP_ADVICE_MATMUL_LOOK_H

#include "advice/advice.h"

/* Share of an op's time that remains after a change; 1: no gain, or unknown. */
struct ttp_matmul_left {
    double lower;   /* the lowest math fidelity that the weights bear */
    double bfp8;    /* weights in bfloat8_b */
    double bfp4;    /* weights in bfloat4_b, from bfloat8_b and at that fidelity */
    double config;  /* another program config of the usual types */
    double dram;    /* weights sharded over DRAM banks */
    double minimal; /* minimal_matmul */
    double fold;    /* the batch folded into the rows of the tiles */
    double pack;    /* twice the columns in one op, of the time of two */
};

/* A matmul as it occurs in a run, with its config; ops that are alike share one. */
struct ttp_matmul_look {
    struct ttp_config_op op;
    double us;      /* of all ops that are alike */
    bool predicted; /* the model knows its config */
    struct ttp_matmul_left left;
    /* Upper ends of some of them, from the model's error for such configs. */
    struct ttp_matmul_most {
        double config, dram, minimal;
    } most;
};

/* By op of the report; NULL: not a matmul, or too small a part of the run to look at. */
const struct ttp_matmul_look *const *ttp_matmuls_look(const struct ttp_report *report,
                                                      struct ttp_arena *arena);

#endif
