/* SPDX-License-Identifier: Apache-2.0 */
/* diff_rows.h - what a diff shows, in words and numbers. Private to outputs; text and Markdown draw
 * it. */
#ifndef TTP_OUTPUTS_DIFF_ROWS_H
#define TTP_OUTPUTS_DIFF_ROWS_H

#include "outputs/outputs.h"

/* One step from the base's total to the other's. */
struct ttp_diff_step {
    ttp_str label;
    double delta_us;
    double from_us, to_us;              /* the running total */
    const struct ttp_diff_group *group; /* NULL: gaps, or all that are too small to show */
};

struct ttp_diff_steps {
    struct ttp_diff_step *item;
    size_t count;
};

/* The largest steps, then gaps and the rest; they add up to the whole change. */
void ttp_diff_steps_make(struct ttp_diff_steps *out, const struct ttp_diff_view *view,
                         struct ttp_arena *arena);

/* Groups worth a line: changed, moved, added, removed, or of another duration. Indexes of groups,
 * at most view->top. *left: how many more there are. */
size_t *ttp_diff_listed_groups(size_t *count, size_t *left, const struct ttp_diff_view *view,
                               struct ttp_arena *arena);

/* Name of the op with its number of repetitions: "Matmul 32 x 64 x 32 (32 times)". */
ttp_str ttp_diff_group_label(const struct ttp_diff_view *view, const struct ttp_diff_group *group,
                             struct ttp_arena *arena);
/* "+3.1 %", of the base; "new" and "gone" where there is none. */
ttp_str ttp_diff_pct_text(double base_us, double other_us, struct ttp_arena *arena);
/* "10.9 % faster: 12,345.6 us to 11,000.1 us" */
ttp_str ttp_diff_verdict(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "p = 0.008 with 5 and 5 runs, -1,345 us (-1,400 to -1,300)", or what is missing to say so. */
ttp_str ttp_diff_evidence(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "1190 same, 32 changed, 2 moved" */
ttp_str ttp_diff_counts(const struct ttp_diff *diff, struct ttp_arena *arena);

#endif
