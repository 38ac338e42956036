/* SPDX-License-Identifier: Apache-2.0 */
/* run_documents.h - from one kind of document to its runs. Private to history. */
#ifndef TTP_HISTORY_RUN_DOCUMENTS_H
#define TTP_HISTORY_RUN_DOCUMENTS_H

#include "base/json_tree.h"
#include "history/history.h"
#include "mesh/mesh.h"

/* Of a benchmark; document and source are left to the caller. Codes as
 * ttp_history_runs_from_json(). */
TTP_NODISCARD ttp_code ttp_history_run_from_bench(struct ttp_history_run *out, ttp_str text,
                                                  struct ttp_arena *arena, struct ttp_err *err);
/* As ttp_history_run_write_json() wrote it, its document included. */
#define TTP_RUN_SCHEMA     "tt-perf.history-run/2"
#define TTP_RUN_SCHEMA_0_1 "tt-perf.history-run/1" /* still read */
TTP_NODISCARD ttp_code ttp_history_run_read_json(struct ttp_history_run *out,
                                                 const struct ttp_node *doc,
                                                 struct ttp_arena *arena, struct ttp_err *err);

/* Ops, totals, and a measurement of each: "device-time" and "gap-time" in seconds, "ops", and
 * "op/CODE" for the device time of each op code. */
void ttp_history_run_from_report(struct ttp_history_run *out, const struct ttp_report *report,
                                 struct ttp_arena *arena);
/* What its devices did to each other, per iteration: waits, transfers, skew, imbalance, and the
 * compute and waits of each rank. */
void ttp_history_run_add_mesh(struct ttp_history_run *out, const struct ttp_mesh *mesh,
                              struct ttp_arena *arena);

/* tt-metal's device_perf_*.csv and perf_*.csv, one run a row. TTP_EPARSE: not one;
 * ttp_history_is_perf_csv() tells by the first lines. */
bool ttp_history_is_perf_csv(ttp_str text);
TTP_NODISCARD ttp_code ttp_history_runs_from_perf_csv(struct ttp_history_runs *out, ttp_str text,
                                                      const char *name, struct ttp_arena *arena,
                                                      struct ttp_err *err);

#endif
