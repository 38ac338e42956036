/* SPDX-License-Identifier: Apache-2.0 */
/* history_outputs.h - the part of the door that is about the history; include outputs.h. */
#ifndef TTP_OUTPUTS_HISTORY_OUTPUTS_H
#define TTP_OUTPUTS_HISTORY_OUTPUTS_H

#include "base/json_write.h"
#include "base/sink.h"
#include "history/history.h"

enum ttp_history_form { TTP_HISTORY_TEXT, TTP_HISTORY_JSON, TTP_HISTORY_CSV, TTP_HISTORY_SVG };

struct ttp_history_style {
    enum ttp_history_form form;
    const char *store; /* where it is, for JSON */
    size_t limit;      /* rows of ops, changes; 0: all */
    bool more;         /* what is shown is not all there is */
    bool color;
    int width; /* 0: no limit */
};

/* Runs, one a line; text, CSV or JSON. */
void ttp_out_history_list(struct ttp_sink *out, const struct ttp_history_runs *runs,
                          const struct ttp_history_style *style, struct ttp_arena *arena);
/* All of one run; as CSV its ops. */
void ttp_out_history_run(struct ttp_sink *out, const struct ttp_history_run *run,
                         const struct ttp_history_style *style, struct ttp_arena *arena);
/* Lines with their levels: charts, points as CSV, JSON, one picture. */
void ttp_out_history_trend(struct ttp_sink *out, const struct ttp_trend *trend, size_t count,
                           const struct ttp_history_style *style, struct ttp_arena *arena);
/* Lines after a moment; `since` says which, in words. */
struct ttp_history_since {
    const char *words;
    int64_t time_ns;
    size_t without_before, without_after; /* lines that have no run on that side */
};
void ttp_out_history_compare(struct ttp_sink *out, const struct ttp_line_comparison *c,
                             size_t count, const struct ttp_history_since *since,
                             const struct ttp_history_style *style, struct ttp_arena *arena);

#endif
