/* SPDX-License-Identifier: Apache-2.0 */
/* diff_outputs.h - the part of the door that is about comparing runs; include outputs.h. */
#ifndef TTP_OUTPUTS_DIFF_DIFF_OUTPUTS_H
#define TTP_OUTPUTS_DIFF_DIFF_OUTPUTS_H

#include "diff/diff.h"
#include "outputs/show/show.h"

/* One run, or several of it, against the base. */
struct ttp_diff_view {
    const struct ttp_diff *diff;
    ttp_str base_name, other_name;
    bool all_ops; /* a line per op instead of one per group; CSV always has one per op */
    const struct ttp_quality *quality; /* of the run that can be trusted least */
    const struct ttp_diff_mesh *mesh;  /* NULL: not compared */
    int gate;                          /* exit status of --fail-over: 0, 1 or 7 */
    double limit_pct;                  /* of --fail-over; infinite: not given */
    bool bad_quality;                  /* --check fails */
};

extern const struct ttp_document_spec ttp_diff_document;

/* Each view is an element of "comparisons". The op of a group that only took another time is not
 * worth a line in text and Markdown, unless --where asks for it. */
TTP_NODISCARD ttp_code ttp_out_diff(const struct ttp_show *show, const struct ttp_diff_view *view,
                                    size_t count, struct ttp_err *err);
/* For a build server: the runs could not be compared. Nothing in other forms. */
void ttp_out_diff_failed(const struct ttp_show *show, const struct ttp_words *runs,
                         const struct ttp_err *err);

#endif
