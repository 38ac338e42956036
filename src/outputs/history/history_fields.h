/* SPDX-License-Identifier: Apache-2.0 */
/* history_fields.h - what the history shows, declared. Private to outputs/history. */
#ifndef TTP_OUTPUTS_HISTORY_HISTORY_FIELDS_H
#define TTP_OUTPUTS_HISTORY_HISTORY_FIELDS_H

#include "outputs/outputs.h"
#include "outputs/show/ci.h"

/* One metric of a run. */
struct ttp_history_measure {
    ttp_str metric, variant;
    const char *unit;
    enum ttp_better better;
    const double *sample;
    size_t samples;
    double median, min, max, target;
};

struct ttp_history_op {
    size_t index;
    bool on_device, on_cores; /* known */
    struct ttp_run_op op;
};

/* One value of a metric. */
struct ttp_history_value {
    ttp_str metric, variant;
    const char *unit;
    enum ttp_better better;
    size_t iteration;
    double value;
};

/* A value or an op with its run. */
struct ttp_history_exported {
    union {
        struct ttp_history_value value; /* the first members, so that their fields hold */
        struct ttp_history_op op;
    } of;
    const struct ttp_history_run *run;
};

/* A run with the rows that were chosen. */
struct ttp_history_whole {
    struct ttp_history_run run;
    struct ttp_records measures, ops;
};

/* A run on its line. */
struct ttp_history_point {
    struct ttp_series series;
    const char *unit;
    struct ttp_series_point point;
    double change, p; /* where a new level begins; else NAN */
};

struct ttp_out_history_change {
    struct ttp_trend_change change;
    int64_t run, time_ns;
    ttp_str commit, commit_before;
    const char *unit, *verdict;
};

struct ttp_history_line {
    struct ttp_line_comparison line;
    ttp_str what, runs; /* "8/12": before and after */
    const char *unit;
};

struct ttp_history_verdict {
    struct ttp_history_about about;
    struct ttp_regressions found;
    size_t standing[TTP_STANDS_UNSURE + 1];
};

enum { TTP_HISTORY_PART_ABOUT, TTP_HISTORY_PART_MAIN };
enum {
    TTP_SHOW_PART_RUN = 1,
    TTP_SHOW_PART_MEASURES,
    TTP_SHOW_PART_OPS,
    TTP_SHOW_PART_VALUES,
};
enum { TTP_EXPORT_PART_VALUES = 1, TTP_EXPORT_PART_OPS };
enum { TTP_TREND_PART_LINE = 1, TTP_TREND_PART_CHANGES, TTP_TREND_PART_POINTS };

/* Of struct ttp_history_line. */
extern const struct ttp_fields ttp_history_line_fields;
/* Regressions in a form of ci.h. */
TTP_NODISCARD ttp_code ttp_out_history_verdicts(const struct ttp_show *show,
                                                const struct ttp_history_verdict *verdict,
                                                const struct ttp_records *lines,
                                                struct ttp_err *err);

#endif
