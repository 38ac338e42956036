/* SPDX-License-Identifier: Apache-2.0 */
/* run_end.h - how the command of a recorded run ended. Private to run. */
#ifndef TTP_RUN_RUN_END_H
#define TTP_RUN_RUN_END_H

#include "run/run.h"

struct ttp_run_end ttp_run_end_of_facts(const struct ttp_run_facts *facts, struct ttp_arena *arena);
/* Of the facts in that folder; complete if there are none, or if they cannot be read. */
struct ttp_run_end ttp_run_end_of_folder(const char *folder, struct ttp_arena *arena);
/* Of those next to a report. */
struct ttp_run_end ttp_run_end_of_csv(const char *csv, struct ttp_arena *arena);
/* Keep the worse one; the second also says which rank it was. */
void ttp_run_end_worst(struct ttp_run_end *worst, struct ttp_run_end end);
void ttp_run_end_add_rank(struct ttp_run_end *worst, struct ttp_run_end end, int64_t rank,
                          struct ttp_arena *arena);

/* Next to a report, because the next run replaces the facts in the folder of logs. */
TTP_NODISCARD ttp_code ttp_run_end_keep(const char *folder, const char *logs,
                                        struct ttp_arena *arena, struct ttp_err *err);
/* The same of a report of several ranks, if one of them did not end well. */
TTP_NODISCARD ttp_code ttp_run_end_write(const char *folder, const struct ttp_run_end *end,
                                         struct ttp_arena *arena, struct ttp_err *err);

#endif
