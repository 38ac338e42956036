/* SPDX-License-Identifier: Apache-2.0 */
/* run_start.h - private to run: parts of ttp_run_read_start(). */
#ifndef TTP_RUN_RUN_START_H
#define TTP_RUN_RUN_START_H

#include "run/run.h"

/* *any: there were zones, and *out or the error is about them. */
TTP_NODISCARD ttp_code ttp_run_start_read_zones(struct ttp_start *out, bool *any, const char *path,
                                                struct ttp_arena *arena, struct ttp_err *err);
/* Put lists in order, count what is late. */
void ttp_run_start_settle(struct ttp_start *s);
/* If it is long enough. */
void ttp_run_start_add_gap(struct ttp_start *s, const struct ttp_start_gap *gap,
                           struct ttp_arena *arena);

#endif
