/* SPDX-License-Identifier: Apache-2.0 */
/* noc_columns.h - what NoC traces add to the report of operations. */
#ifndef TTP_CLI_NOC_COLUMNS_H
#define TTP_CLI_NOC_COLUMNS_H

#include "cmd.h"
#include "ops/ops.h"

/* Estimates of all programs whose NoC traces are in a run's folder, for the columns of its report;
 * none if there are no traces. What fails leaves cells empty and is added to *problems, or told as
 * a warning if that is NULL. With `compat` as process_ops_logs.py --analyze-noc-traces: there must
 * be a topology.json. */
void ttp_noc_fill_report(struct ttp_ops_report *report, const char *folder, bool compat,
                         unsigned threads, struct ttp_words *problems, const struct ttp_ctx *ctx);

/* The same for reports that are made of logs on the way; `keep` lasts as long as what is returned.
 */
struct ttp_noc_extras {
    unsigned threads;
    const struct ttp_ctx *ctx;
};
struct ttp_ops_extras ttp_noc_extras(struct ttp_noc_extras *keep, unsigned threads,
                                     const struct ttp_ctx *ctx);

#endif
