/* SPDX-License-Identifier: Apache-2.0 */
/* handles.h - the structs of the handles in ttperf.h. Private to library. */
#ifndef TTP_LIBRARY_HANDLES_H
#define TTP_LIBRARY_HANDLES_H

#include "advice/advice.h"
#include "base/budget.h"
#include "ttperf.h"

/* How a run is read and analysed; all zero: ours. */
struct ttp_library_rules {
    struct ttp_ops_rules reading;
    const struct ttp_analysis_rules *analysis;
    const struct ttp_finding_rules *advice;
};

/* Where a column of the run comes from. */
struct ttp_run_column {
    struct ttperf_column seen; /* what the user sees of it */
    bool number;
    union {
        enum ttp_ops_text text;
        enum ttp_ops_number number;
    } from;
};

/* Lies in its own arena. */
struct ttperf_run {
    struct ttp_arena arena;
    struct ttp_budget *budget; /* of it and all its reports */
    size_t users;              /* the caller until he closes it, and each report */
    struct ttp_words files;
    struct ttp_ops ops;
    struct ttp_library_rules rules;
    unsigned threads;
    struct ttp_run_column *column;
    size_t columns;
};

/* Lies in its own arena; new names go to the symbols of the run, hence to the run's arena. */
struct ttperf_report {
    struct ttp_arena arena, text; /* text: of the last ttperf_report_write_memory() */
    struct ttperf_run *run;
    struct ttp_report_options options;
    struct ttp_report report;
    struct ttperf_column *column;
    size_t columns;
    struct ttperf_totals totals;
    struct ttperf_note *note;
    struct ttperf_finding *finding; /* NULL: not looked for yet */
    size_t findings;
};

/* body(arg) on that budget, see ttp_budget_run(), with a failure put into *error. */
enum ttperf_code ttp_library_call(struct ttp_budget *budget, ttp_budget_fn *body, void *arg,
                                  struct ttp_arena *const *kept, struct ttperf_error *error);
/* TTPERF_ENOMEM, for what is asked for outside a budget. */
enum ttperf_code ttp_library_no_memory(struct ttperf_error *error);

/* Give up one use of the run; the last one frees it. */
void ttp_library_release_run(struct ttperf_run *run);

enum ttperf_type ttp_library_type(enum ttp_type type);
struct ttperf_value ttp_library_text(ttp_str text);

/* A failure for the user: *out may be NULL, err->code is set. */
enum ttperf_code ttp_library_fail(struct ttperf_error *out, const struct ttp_err *err);

/* Copy the caller's options over the defaults in `out`: both begin with their size, `known` bytes
 * are ours. `given` may be NULL. TTP_EUSAGE: not a size that starts from `init`, or members that
 * came after ours are set. */
TTP_NODISCARD ttp_code ttp_library_take_options(void *out, size_t known, const void *given,
                                                const char *init, struct ttp_err *err);
/* TTP_EUSAGE: a flag that is not one of `known`. */
TTP_NODISCARD ttp_code ttp_library_check_flags(uint64_t flags, uint64_t known, struct ttp_err *err);

/* The rules that the flags of reading ask for. TTP_EMISSING: this build has none but ours. */
TTP_NODISCARD ttp_code ttp_library_choose_rules(struct ttp_library_rules *out, uint64_t flags,
                                                struct ttp_err *err);

#endif
