/* SPDX-License-Identifier: Apache-2.0 */
/* history_job.h - what the actions of `tt-perf history` share. */
#ifndef TTP_CLI_HISTORY_JOB_H
#define TTP_CLI_HISTORY_JOB_H

#include "core/cmd.h"
#include "outputs/outputs.h"
#include "store/store.h"

struct history_opts {
    struct ttp_common_opts common;
    const char *store;
    /* what is added */
    const char *name, *branch, *commit, *project, *host, *time, *root;
    struct ttp_words notes;
    bool again, no_git, no_machine;
    struct ttp_report_options analysis;
    /* the part that is shown */
    const char *kind, *since, *until, *variant, *metric, *op;
    int64_t limit;
    bool all, ops, any_machine;
    /* the verdict */
    double min_effect, confidence, significance;
    int64_t permutations, seed, min_segment, baseline_runs;
};

enum history_form {
    HISTORY_TEXT,
    HISTORY_CSV,
    HISTORY_MD,
    HISTORY_JSON,
    HISTORY_SVG,
    HISTORY_ORIGINAL,
    HISTORY_BENCHMARK_RUN,
    HISTORY_NDJSON,
    HISTORY_HTML,
    HISTORY_GITHUB,
    HISTORY_JUNIT,
    HISTORY_PARQUET,
    HISTORY_PROMETHEUS,
    HISTORY_PNG,
};

/* One run of the verb. */
struct history_job {
    const struct ttp_ctx *ctx;
    const struct history_opts *options;
    struct ttp_words operands; /* after the action */
    const char *where, *name;  /* of the store; the name without a password */
    struct ttp_store *store;
};

#define HISTORY_LIMIT_UNSET (-1)

/* The limit given, or `usual`; 0: none. */
size_t history_limit(const struct history_job *j, size_t usual);
/* The same of rows: programs, and whoever chooses rows, get all of them. */
size_t history_row_limit(const struct history_job *j, size_t usual);
/* How results are shown: at most `rows` of them, unless --top says otherwise; 0: all. */
struct ttp_show history_how(const struct history_job *j, size_t rows);
struct ttp_history_about history_about(const struct history_job *j, const char *action, bool more);

/* The actions. The store is open, except for `import`, which opens it itself. */
ttp_code history_add(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_list(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_show(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_note(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_trend(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_regressions(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_best(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_export(int *status, struct history_job *j, struct ttp_err *err);
ttp_code history_import(int *status, struct history_job *j, struct ttp_err *err);

#endif
