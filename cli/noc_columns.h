/* SPDX-License-Identifier: Apache-2.0 */
/* noc_columns.h - what NoC traces add to the report of operations. */
#ifndef TTP_CLI_NOC_COLUMNS_H
#define TTP_CLI_NOC_COLUMNS_H

#include "cmd.h"
#include "ops/ops.h"

/* Estimates of all programs whose NoC traces are in a run's folder, for the columns of its report;
 * none if there are no traces. What fails is told as a warning and leaves cells empty. With
 * `compat` as process_ops_logs.py --analyze-noc-traces: there must be a topology.json. */
void ttp_noc_fill_report(struct ttp_ops_report *report, const char *folder, bool compat,
                         unsigned threads, const struct ttp_ctx *ctx);

#endif
