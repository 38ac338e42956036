/* SPDX-License-Identifier: Apache-2.0 */
/* history_outputs.h - the part of the door that is about the history; include outputs.h. */
#ifndef TTP_OUTPUTS_HISTORY_HISTORY_OUTPUTS_H
#define TTP_OUTPUTS_HISTORY_HISTORY_OUTPUTS_H

#include "history/history.h"
#include "outputs/show/show.h"

struct ttp_history_about {
    const char *action, *store; /* where it is, without a password */
    bool more;                  /* the store has more */
};

/* A run that was added, or was there already. */
struct ttp_history_added {
    int64_t id;
    ttp_str name;
    bool known;
};
struct ttp_history_additions {
    struct ttp_history_added *run;
    size_t count;
    size_t lost; /* of a damaged history */
};

extern const struct ttp_document_spec ttp_history_added_document, ttp_history_list_document,
    ttp_history_show_document, ttp_history_ops_document, ttp_history_values_document,
    ttp_history_trend_document, ttp_history_regressions_document, ttp_history_best_document,
    ttp_history_export_document, ttp_history_export_ops_document;

/* Not as text: additions are reported as they happen. */
TTP_NODISCARD ttp_code ttp_out_history_added(const struct ttp_show *show,
                                             const struct ttp_history_about *about,
                                             const struct ttp_history_additions *added,
                                             struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_out_history_list(const struct ttp_show *show,
                                            const struct ttp_history_about *about,
                                            const struct ttp_history_runs *runs,
                                            struct ttp_err *err);
/* All of one run. Rows are its ops, if it has any, else what was measured; in CSV every sample. */
TTP_NODISCARD ttp_code ttp_out_history_run(const struct ttp_show *show,
                                           const struct ttp_history_about *about,
                                           const struct ttp_history_run *run, struct ttp_err *err);
/* Every sample of every metric of these runs, or with `ops` every op of them, one row each. */
TTP_NODISCARD ttp_code ttp_out_history_export(const struct ttp_show *show,
                                              const struct ttp_history_about *about,
                                              const struct ttp_history_runs *runs, bool ops,
                                              struct ttp_err *err);
/* The newest median of each metric of these runs, for Prometheus. */
void ttp_out_history_metrics(struct ttp_sink *out, const struct ttp_history_runs *runs,
                             struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_out_history_best(const struct ttp_show *show,
                                            const struct ttp_history_about *about,
                                            const struct ttp_best_ops *best, struct ttp_err *err);
/* Lines with their levels: charts, or one picture. Rows are points. */
TTP_NODISCARD ttp_code ttp_out_history_trend(const struct ttp_show *show,
                                             const struct ttp_history_about *about,
                                             const struct ttp_trend *trend, size_t count,
                                             struct ttp_err *err);
/* Text and Markdown omit unchanged lines, unless --where asks for them. */
TTP_NODISCARD ttp_code ttp_out_history_compare(const struct ttp_show *show,
                                               const struct ttp_history_about *about,
                                               const struct ttp_regressions *found,
                                               struct ttp_err *err);

#endif
