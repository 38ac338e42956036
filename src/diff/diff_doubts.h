/* SPDX-License-Identifier: Apache-2.0 */
/* diff_doubts.h - conditions of the sides that differ. Private to diff. */
#ifndef TTP_DIFF_DIFF_DOUBTS_H
#define TTP_DIFF_DIFF_DOUBTS_H

#include "diff/diff.h"

/* The AI clock that the runs of a side had in their windows, in MHz: the mean of those that were
 * sampled; 0: none was. */
double ttp_diff_clock_mhz(const struct ttp_diff_side *side);
/* Do runs of the sides come from different architectures? */
bool ttp_diff_mixes_archs(const struct ttp_diff *diff);
/* A run of either side whose window is of another kind than that of the first run; NULL: none. */
const struct ttp_report *ttp_diff_odd_window(const struct ttp_diff *diff);

#endif
