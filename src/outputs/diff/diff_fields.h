/* SPDX-License-Identifier: Apache-2.0 */
/* diff_fields.h - what a diff shows, declared. Private to outputs/diff. */
#ifndef TTP_OUTPUTS_DIFF_DIFF_FIELDS_H
#define TTP_OUTPUTS_DIFF_DIFF_FIELDS_H

#include "outputs/outputs.h"
#include "outputs/show/ci.h"

/* How a time changed. */
struct ttp_diff_change_of {
    double us, pct; /* pct NAN: the base has no time */
};

/* A line: an op or pair of ops, or a group of equal ones. */
struct ttp_diff_line {
    const struct ttp_diff_op *op; /* the first of a group */
    ttp_str base, other;          /* names of the runs */
    struct ttp_diff_times times;
    struct ttp_diff_change_of change;
    struct ttp_diff_test test; /* of groups */
    const char *kind;
    ttp_str name, what;
    ttp_str location, const_eval; /* of tt-mlir; empty: not given */
    const char *changed[TTP_CHANGES];
    size_t changes;
    bool in_base, in_other;
    uint64_t base_id, other_id;
    uint32_t group, ops;
    double min_change_us, max_change_us;
    double base_wait_us, other_wait_us; /* of collectives, not in their times; NAN: none */
};

/* All of a comparison. */
struct ttp_diff_whole {
    const struct ttp_diff *diff;
    ttp_str base, other;
    size_t base_runs, other_runs, unlike_runs;
    const struct ttp_window *base_window, *other_window;
    const struct ttp_quality *quality, *base_quality, *other_quality;
    double limit_pct;            /* NAN: none */
    ttp_str outcome;             /* empty: no limit */
    struct ttp_diff_times times; /* of one iteration */
    struct ttp_diff_test test;
    struct ttp_diff_change_of change;
    double base_total_us, other_total_us, total_pct;
};

/* A step from the base's total to the other's. */
struct ttp_diff_step {
    ttp_str label;
    double change_us, pct;
    double from_us, to_us; /* the running total */
};

extern const struct ttp_fields ttp_diff_total_fields, ttp_diff_group_fields, ttp_diff_op_fields,
    ttp_diff_step_fields;

enum {
    TTP_DIFF_PART_SHARED,
    TTP_DIFF_PART_VIEW,
    TTP_DIFF_PART_STEPS,
    TTP_DIFF_PART_LOCATIONS,
    TTP_DIFF_PART_CONST_EVAL,
    TTP_DIFF_PART_MESH,
    TTP_DIFF_PART_MESH_FIGURES,
    TTP_DIFF_PART_MESH_RANKS,
    TTP_DIFF_PART_MESH_DEVICES,
    TTP_DIFF_PART_GROUPS,
    TTP_DIFF_PART_OPS
};
/* "50.7 % less time (2.03x faster): one iteration 338.4 us to 166.7 us" */
ttp_str ttp_out_diff_verdict(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "fail: the limit is +2 %"; empty: there is no limit. */
ttp_str ttp_out_diff_outcome(const struct ttp_diff *diff, struct ttp_arena *arena);
/* What repeated runs say, or what is missing to say so. */
ttp_str ttp_out_diff_evidence(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "times are the median over devices: device 3 of 8 in the base"; empty: there is one device. */
ttp_str ttp_out_diff_devices(const struct ttp_diff *diff, struct ttp_arena *arena);
/* "1190 same, 32 changed, 2 moved" */
ttp_str ttp_out_diff_counts(const struct ttp_diff *diff, struct ttp_arena *arena);

/* What tt-mlir says about the ops, if it says something. */
void ttp_out_diff_add_origins(struct ttp_document *doc, const struct ttp_diff *diff,
                              struct ttp_arena *arena);
extern const struct ttp_document_spec ttp_diff_ops_document; /* the same, about ops */

/* Of struct ttp_diff_mesh, its figures and its devices. */
extern const struct ttp_fields ttp_diff_mesh_fields, ttp_diff_mesh_figure_fields,
    ttp_diff_mesh_rank_fields, ttp_diff_mesh_device_fields;
/* The parts that are about devices, from what the view has of them. */
void ttp_out_diff_add_mesh(struct ttp_document *doc, const struct ttp_diff_mesh *mesh);
/* Their tables in text and Markdown; false: the part is about something else. */
bool ttp_out_diff_put_mesh(const struct ttp_show *show, const struct ttp_diff_mesh *mesh,
                           size_t part, const struct ttp_table *table);
/* The part with the steps: those of ops add up to the change of the device time of an iteration. */
void ttp_out_diff_add_steps(struct ttp_document *doc, const struct ttp_diff *diff,
                            struct ttp_arena *arena);
#define TTP_DIFF_STEPS_TITLE "Contributions, in % of the base's device time"
/* The lines for a page of text: a line after others of its op code says only what differs from
 * them. In the arena. */
struct ttp_records ttp_out_diff_fold(const struct ttp_table *table, struct ttp_arena *arena);
/* For build servers: the run, its quality, and the groups that --top and --where choose. */
TTP_NODISCARD ttp_code ttp_out_diff_verdicts(struct ttp_ci_suite *out, const struct ttp_show *show,
                                             const struct ttp_diff_view *view,
                                             const struct ttp_document *doc, struct ttp_err *err);

#endif
