/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.h - what the files of the report share. Private to report. */
#ifndef TTP_OUTPUTS_REPORT_REPORT_PARTS_H
#define TTP_OUTPUTS_REPORT_REPORT_PARTS_H

#include "outputs/outputs.h"

/* Groups of a summary, in its context. */
extern const struct ttp_fields ttp_group_fields;

/* Parts of ttp_report_document. */
enum {
    TTP_REPORT_RUN,
    TTP_REPORT_OPS,
    TTP_REPORT_ADVICE,
    TTP_REPORT_FOLDS,
    TTP_REPORT_ROOFLINE,
    TTP_REPORT_SUMMARY,
};

/* In text and Markdown: what stands above and below the ops, and these. `arg` is the view. */
void ttp_report_page_head(const struct ttp_show *show, const void *arg);
void ttp_report_page_ops(const struct ttp_show *show, const void *arg, size_t part,
                         const struct ttp_table *table);
void ttp_report_page_foot(const struct ttp_show *show, const void *arg);

#endif
