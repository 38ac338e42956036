/* SPDX-License-Identifier: Apache-2.0 */
/* record_json.h - one JSON document, one run. Private to history. */
#ifndef TTP_HISTORY_RECORD_JSON_H
#define TTP_HISTORY_RECORD_JSON_H

#include "base/json_tree.h"
#include "history/history.h"

/* Of a benchmark; document and source are left to the caller. Codes as ttp_runs_from_json(). */
TTP_NODISCARD ttp_code ttp_run_from_bench(struct ttp_history_run *out, ttp_str text,
                                          struct ttp_arena *arena, struct ttp_err *err);
/* As ttp_run_write_json() wrote it, its document included. */
#define TTP_RUN_SCHEMA "tt-perf.history-run/1"
TTP_NODISCARD ttp_code ttp_run_read_json(struct ttp_history_run *out, const struct ttp_node *doc,
                                         struct ttp_arena *arena, struct ttp_err *err);

#endif
