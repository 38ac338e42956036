/* SPDX-License-Identifier: Apache-2.0 */
/* significance.h - statistics of repeated runs. Private to diff. */
#ifndef TTP_DIFF_SIGNIFICANCE_H
#define TTP_DIFF_SIGNIFICANCE_H

#include "diff/diff.h"

/* Times of one side, [op * runs + run]; NAN: that run has no such op. */
struct ttp_diff_samples {
    const double *time;
    size_t runs;
};

/* Fill the tests of the groups and of the whole. Nothing is tested with fewer than two runs on a
 * side. */
void ttp_diff_test(struct ttp_diff *diff, const struct ttp_diff_samples side[2],
                   struct ttp_arena *arena);

#endif
