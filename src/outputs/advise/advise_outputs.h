/* SPDX-License-Identifier: Apache-2.0 */
/* advise_outputs.h - a plan: what to change in a run. Part of outputs.h. */
#ifndef TTP_OUTPUTS_ADVISE_ADVISE_OUTPUTS_H
#define TTP_OUTPUTS_ADVISE_ADVISE_OUTPUTS_H

#include "advice/advice.h"
#include "history/history.h"
#include "outputs/show/show.h"

struct ttp_plan_view {
    const struct ttp_plan *plan;
    const struct ttp_report *report;
    ttp_str name;                      /* of the run, for people */
    ttp_str operands;                  /* of the verb, as a shell takes them */
    ttp_str options;                   /* that other verbs take to see the same ops, each after a */
    ttp_str memory;                    /* blank; and those of the L1 that other tensors take */
    size_t top;                        /* ops named for each item; 0: 5 in text, else all */
    const struct ttp_known_ops *known; /* what the history knows; NULL: it was not asked */
    const char *store;                 /* its name */
    bool kernels_unknown; /* most of the time is in kernels of the user's own, not recorded in
                             detail */
    const struct ttp_kernel_report *kernels; /* of the run; NULL: unknown */
    bool full; /* text: ops, formula, risk and command of every item, not of the first alone */
};

extern const struct ttp_document_spec ttp_advise_document;
TTP_NODISCARD ttp_code ttp_out_advise(const struct ttp_show *show, const struct ttp_plan_view *view,
                                      struct ttp_err *err);

struct ttp_what_if_view {
    const struct ttp_what_if_result *result;
    const struct ttp_report *report;
    ttp_str name, change, where; /* of the run; as they were typed */
};
extern const struct ttp_document_spec ttp_what_if_document;
TTP_NODISCARD ttp_code ttp_out_what_if(const struct ttp_show *show,
                                       const struct ttp_what_if_view *view, struct ttp_err *err);

#endif
