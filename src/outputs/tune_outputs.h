/* SPDX-License-Identifier: Apache-2.0 */
/* tune_outputs.h - the part of the door that is about tuning; include outputs.h. */
#ifndef TTP_OUTPUTS_TUNE_OUTPUTS_H
#define TTP_OUTPUTS_TUNE_OUTPUTS_H

#include "advice/advice.h"
#include "base/json_write.h"
#include "base/sink.h"
#include "tune/tune.h"

struct ttp_tune_view {
    const char *action; /* "init", "try", ... */
    const struct ttp_tune_session *session;
    const struct ttp_tune_change *change; /* what the action was about; NULL: all of it */
    const struct ttp_plan *plan;          /* of a profile of the best; NULL: there is none */
    const char *run;                      /* that profile; NULL */
    int64_t busy;                         /* process that is at work; 0: none */
    size_t top;                           /* changes to list, the newest; 0: all */
    bool color;
    int width; /* 0: no limit */
};

/* How one change went, and where that leads. */
void ttp_out_tune_change(struct ttp_sink *out, const struct ttp_tune_view *view,
                         struct ttp_arena *arena);
/* Where the session is: figures, checklist, next advice. */
void ttp_out_tune_status(struct ttp_sink *out, const struct ttp_tune_view *view,
                         struct ttp_arena *arena);
/* The whole story, baseline against best first. */
void ttp_out_tune_report(struct ttp_sink *out, const struct ttp_tune_view *view,
                         struct ttp_arena *arena);
void ttp_out_tune_markdown(struct ttp_sink *out, const struct ttp_tune_view *view,
                           struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. Returns whether changes or points were left out. */
bool ttp_out_tune_json(struct ttp_json_writer *w, const struct ttp_tune_view *view,
                       struct ttp_arena *arena);
/* Value after each change as steps. */
void ttp_out_tune_svg(struct ttp_sink *out, const struct ttp_tune_view *view,
                      struct ttp_arena *arena);

#endif
