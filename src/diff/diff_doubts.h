/* SPDX-License-Identifier: Apache-2.0 */
/* diff_doubts.h - conditions of the sides that differ. Private to diff. */
#ifndef TTP_DIFF_DIFF_DOUBTS_H
#define TTP_DIFF_DIFF_DOUBTS_H

#include "diff/diff.h"

/* The AI clock that the runs of a side had in their windows, in MHz: the mean of those that were
 * sampled; 0: none was. */
double ttp_diff_clock_mhz(const struct ttp_diff_side *side);
/* A run of another architecture than the first run; NULL: none. */
const struct ttp_report *ttp_diff_odd_arch(const struct ttp_diff *diff);
/* A run with another number of devices in its window than the first run has; NULL: none. */
const struct ttp_report *ttp_diff_odd_devices(const struct ttp_diff *diff);
/* Does the other side lack so much of the base's work that it may have stopped early? */
bool ttp_diff_lacks_work(const struct ttp_diff *diff);
/* Ops with time on one side only take so much that the totals cannot be compared. */
bool ttp_diff_lacks_times(const struct ttp_diff *diff);
/* A run of either side whose window is of another kind than that of the first run; NULL: none. */
const struct ttp_report *ttp_diff_odd_window(const struct ttp_diff *diff);

#endif
