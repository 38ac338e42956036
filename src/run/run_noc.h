/* SPDX-License-Identifier: Apache-2.0 */
/* run_noc.h - private to run: what NoC traces add to the report of operations. */
#ifndef TTP_RUN_RUN_NOC_H
#define TTP_RUN_RUN_NOC_H

#include "run/run.h"

/* Estimates of all programs whose NoC traces are in the run's folder; none if there are no traces.
 * What fails leaves cells empty and is added to run->problems. */
void ttp_run_add_noc(struct ttp_run *run, const struct ttp_run_plan *wanted,
                     struct ttp_arena *arena);

#endif
