/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_look.h - predictions of the cost model for the matmuls of a run. Private to advice. */
#ifndef TTP_ADVICE_MATMUL_LOOK_H
#define TTP_ADVICE_MATMUL_LOOK_H

#include "advice/advice.h"

/* Share of an op's time that remains after a change; 1: no gain, or unknown. */
struct ttp_matmul_left {
    double format[TTP_FORMAT_CHANGES]; /* by set of enum ttp_format_change */
    double config;                     /* another program config of the usual types */
    double dram;                       /* weights sharded over DRAM banks */
    double minimal;                    /* minimal_matmul */
    double fold;                       /* the batch folded into the rows of the tiles */
    double pack;                       /* twice the columns in one op, of the time of two */
    double sparse;                     /* only the experts that tokens choose */
};

/* What a router does: each token has `chosen` experts, of `of`. */
struct ttp_router {
    double chosen, of; /* 0: there is none */
    double devices;    /* that the run has */
};

/* A matmul as it occurs in a run, with its config; ops that are alike share one. */
struct ttp_matmul_look {
    struct ttp_config_op op;
    double us;               /* of all ops that are alike */
    bool predicted;          /* the model knows its config */
    double active, products; /* of a sparse_matmul: matrices it multiplies, and has; 0: unknown */
    struct ttp_matmul_left left;
    /* Upper ends of some of them, from the model's error for such configs. */
    struct ttp_matmul_most {
        double config, dram, minimal;
    } most;
    bool minimal_known; /* the model was fitted to minimal_matmuls of this chip */
};

/* By op of the report; NULL: not a matmul, or too small a part of the run. */
const struct ttp_matmul_look *const *ttp_advice_matmuls_look(const struct ttp_report *report,
                                                             const struct ttp_router *router,
                                                             struct ttp_arena *arena);

/* experts_look.c */

/* A mixture has at least that many experts. */
#define TTP_EXPERTS_MIN 8
/* Proposals that are asked for, so that each type of config is among them. */
#define TTP_PROPOSALS 12
/* `is`: by op, enum ttp_op_trait. */
struct ttp_router ttp_advice_router_find(const struct ttp_report *report, const uint32_t *is);
/* Formats and configs of a sparse_matmul. */
void ttp_advice_look_at_sparse(struct ttp_matmul_look *look);
/* Experts that are computed all, though tokens choose a few. `now`: ns. */
void ttp_advice_look_at_experts(struct ttp_matmul_look *look, const struct ttp_router *router,
                                double now);
/* Products that a sparse_matmul does and has; false: nothing tells. */
bool ttp_advice_sparse_products(const struct ttp_report *report, const struct ttp_config_op *op,
                                size_t at, const struct ttp_router *router, double out[2]);
/* ns of a sparse_matmul with other formats; 0: unknown. */
double ttp_advice_sparse_ns(const struct ttp_matmul_look *look, const struct ttp_matmul *p);
/* Other types and fidelities of weights, with the config in use. `predict`: ns, 0 if unknown. */
typedef double ttp_predict_fn(const struct ttp_matmul_look *look, const struct ttp_matmul *p);
void ttp_advice_look_at_formats(struct ttp_matmul_look *look, ttp_predict_fn *predict);
/* Types and fidelity that a set of enum ttp_format_change leads to. */
struct ttp_formats {
    enum ttp_tile_type weights;
    enum ttp_fidelity fidelity;
};
struct ttp_formats ttp_advice_formats_after(const struct ttp_matmul *p, unsigned changes);
/* Is it a config that a rule on its type proposes? */
bool ttp_advice_is_of_family(enum ttp_matmul_type type, enum ttp_matmul_type used,
                             enum ttp_config_family family);
/* Of two times; 1 if one is unknown. */
double ttp_advice_part_left(double then, double now);

#endif
