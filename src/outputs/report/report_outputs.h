/* SPDX-License-Identifier: Apache-2.0 */
/* report_outputs.h - the ops of a run, with advice, summary and roofline. Part of outputs.h. */
#ifndef TTP_OUTPUTS_REPORT_REPORT_OUTPUTS_H
#define TTP_OUTPUTS_REPORT_REPORT_OUTPUTS_H

#include "advice/advice.h"
#include "analysis/analysis.h"
#include "mesh/mesh.h"
#include "outputs/show/show.h"

/* A choice of rows, made by whoever asks for output. */
struct ttp_report_view {
    const struct ttp_report *report;     /* one that can say what to do about an op */
    const struct ttp_summary *summary;   /* NULL: left out */
    const struct ttp_findings *findings; /* of these rows, in their order; made when shown */
    const struct ttp_folds *folds;       /* NULL: rows are not folded */
    const struct ttp_roofline *roofline; /* of these rows; NULL: not asked for */
    const size_t *row;                   /* ops to show, by index, in this order */
    size_t rows;
    ttp_str operands;              /* of the verb, as a shell takes them */
    struct ttp_plan_sources plan;  /* what the plan is made of besides the report */
    const struct ttp_mesh *mesh;   /* of several ranks; NULL: not kept */
    const struct ttp_mesh *places; /* of a page: where devices of one process are; NULL: unknown */
    bool all_rows;                 /* nothing was filtered, cut or reordered */
    double min_percentage;         /* rows below are left out of text and Markdown */
    bool host_ops;                 /* one row for each there, not one line for all */
    bool raw_op_codes;
    /* of the first screen: */
    bool rows_in_order;   /* it is not wanted: a line for each op instead */
    double tokens, users; /* of one iteration; 0: unknown */
    size_t top;           /* groups; 0: as many as fit */
    bool all_groups;
    bool checks; /* list what was checked to trust the run, and what to do */
};

/* What is asked of a view; all zero is everything. */
struct ttp_view_options {
    struct ttp_selection selection;
    enum ttp_group_by group_by;
    bool no_advice, no_summary, fold, roofline;
    const struct ttp_finding_rules *advice; /* NULL: ours */
    double min_percentage;                  /* not compared with rows that `selection` asked for */
    bool host_ops;                          /* rows of the host are shown one by one */
    bool raw_op_codes;
};

/* `analysis`: the options the report was made with. TTP_EUSAGE: a bad expression. What the view
 * points to is in the arena. */
TTP_NODISCARD ttp_code ttp_out_make_view(struct ttp_report_view *out,
                                         const struct ttp_report *report,
                                         const struct ttp_report_options *analysis,
                                         const struct ttp_view_options *options,
                                         struct ttp_arena *arena, struct ttp_err *err);

/* The view in a form of tables; a roofline also as a picture. The selection of `show` is that of
 * the view. CSV has tt-perf-report's names, and numbers unrounded. TTP_EUSAGE: an unknown column.
 */
TTP_NODISCARD ttp_code ttp_out_report(const struct ttp_show *show,
                                      const struct ttp_report_view *view, struct ttp_err *err);
/* All that is known of one op, by its index, with other configs where it is a matmul. */
TTP_NODISCARD ttp_code ttp_out_one_op(const struct ttp_show *show,
                                      const struct ttp_report_view *view, size_t op,
                                      struct ttp_err *err);
extern const struct ttp_document_spec ttp_report_op_document;
/* The tree of ranges between signposts. */
TTP_NODISCARD ttp_code ttp_out_signpost_ranges(const struct ttp_show *show,
                                               const struct ttp_ranges *ranges,
                                               struct ttp_err *err);
extern const struct ttp_document_spec ttp_signpost_ranges_document;
/* The second: points of a roofline, which --format csv writes. */
extern const struct ttp_document_spec ttp_report_document, ttp_roofline_document;

#endif
