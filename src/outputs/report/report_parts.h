/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.h - what the files of the report share. Private to report. */
#ifndef TTP_OUTPUTS_REPORT_REPORT_PARTS_H
#define TTP_OUTPUTS_REPORT_REPORT_PARTS_H

#include "outputs/outputs.h"
#include "outputs/show/paint.h"

/* Groups of a summary, in its context. */
extern const struct ttp_fields ttp_group_fields;
/* Of a whole report. */
extern const struct ttp_fields ttp_run_fields;

/* Parts of ttp_report_document. */
enum {
    TTP_REPORT_RUN,
    TTP_REPORT_QUALITY,
    TTP_REPORT_MACHINE,
    TTP_REPORT_MESH,
    TTP_REPORT_WINDOW,
    TTP_REPORT_RANGES,
    TTP_REPORT_OPS,
    TTP_REPORT_ADVICE,
    TTP_REPORT_FOLDS,
    TTP_REPORT_ROOFLINE,
    TTP_REPORT_SUMMARY,
};

/* What is not shown because its share is small. */
struct ttp_report_hidden {
    size_t rows;
    double pct;
    size_t host; /* ops of the host */
};

static inline bool ttp_report_is_markdown(const struct ttp_show *show)
{
    return show->form == TTP_FORM_MARKDOWN;
}

static inline bool ttp_report_is_field(const struct ttp_field *field, const char *id)
{
    return strcmp(field->id, id) == 0;
}

/* By the kind of op that a name says. */
enum ttp_tone ttp_out_report_name_tone(ttp_str code);

/* In text and Markdown: what is above and below the ops, and these. `arg` is the view. */
void ttp_out_report_page_head(const struct ttp_show *show, const void *arg);
void ttp_out_report_page_ops(const struct ttp_show *show, const void *arg, size_t part,
                             const struct ttp_table *table);
void ttp_out_report_page_foot(const struct ttp_show *show, const void *arg);

/* The note on shares that are marked with '!'. */
#define TTP_REPORT_OVER_PEAK                                                                       \
    "! above the peak, so wrong: bytes counted twice, multicast, another clock or board; ignored " \
    "for bounds"

#endif
