/* SPDX-License-Identifier: Apache-2.0 */
/* tune_outputs.h - the part of the door that is about tuning; include outputs.h. */
#ifndef TTP_OUTPUTS_TUNE_TUNE_OUTPUTS_H
#define TTP_OUTPUTS_TUNE_TUNE_OUTPUTS_H

#include "advice/advice.h"
#include "outputs/show/show.h"
#include "tune/tune.h"

struct ttp_tune_view {
    const char *action; /* "init", "try", ... */
    const struct ttp_tune_session *session;
    const struct ttp_tune_change *change;         /* what the action was about; NULL: all of it */
    const struct ttp_plan *plan;                  /* of a profile of the best; NULL: none */
    const char *run;                              /* that profile; NULL */
    const struct ttp_tune_production *production; /* what --data says of it; NULL: nothing */
    int64_t busy;                                 /* process that is running; 0: none */
    size_t top;                                   /* changes to list, the newest; 0: all */
    bool trial; /* advice was taken, its change is still to be made */
    bool story; /* the whole session, not only its current state */
};

extern const struct ttp_document_spec ttp_tune_document;

/* In text how one change went, or where the session is: figures, checklist, next advice, or its
 * whole story. Rows are changes. */
TTP_NODISCARD ttp_code ttp_out_tune(const struct ttp_show *show, const struct ttp_tune_view *view,
                                    struct ttp_err *err);
/* Value after each change as steps. */
void ttp_out_tune_svg(struct ttp_sink *out, const struct ttp_tune_view *view,
                      struct ttp_arena *arena);

#endif
