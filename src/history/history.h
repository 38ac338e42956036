/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - door of the history module: what is kept of a run, what documents say of one, and
 * what a line of runs says together. No database here: see store.h.
 *
 * Everything lives in the arena passed in. Texts are empty, and numbers NAN, where nothing is
 * known. */
#ifndef TTP_HISTORY_HISTORY_H
#define TTP_HISTORY_HISTORY_H

#include "analysis/analysis.h"
#include "measure/measure.h"

/* ---- what is kept of a run ---- */

/* One metric of one variant: every value that counts, in the order they were measured. */
struct ttp_run_measure {
    ttp_str metric, unit; /* "wall", "s" */
    ttp_str variant;      /* command, setting or step; may be empty */
    enum ttp_better better;
    const double *sample;
    size_t count;
    double target; /* NAN: none */
};

/* The machine at one moment. */
struct ttp_run_sample {
    int64_t time_ns; /* since 1970, UTC; 0: not known */
    double aiclk_min_mhz, aiclk_max_mhz, temperature_c, power_w, load;
};

/* One operation, as the report of the run shows it. */
struct ttp_run_op {
    ttp_str code, shapes, datatypes, memory, fidelity; /* together: what kind of op it is */
    int64_t device, cores;                             /* -1: not known */
    double time_ns, gap_ns;
};

struct ttp_run_note {
    int64_t time_ns;
    ttp_str text;
};

/* One run. Zero-initialise it; the store fills in `id`, `added_ns` and `digest`. */
struct ttp_history_run {
    int64_t id;
    int64_t time_ns;  /* when it ran; 0: the store takes the moment it is added */
    int64_t added_ns; /* when it was added */
    ttp_str name;     /* what was run: runs of one name make a line */
    ttp_str kind;     /* "ops", "bench", "benchmark-run", "device-perf", "tune", ... */
    ttp_str source;   /* where it was read from */
    ttp_str project, branch, commit, commit_time;
    bool dirty;
    ttp_str host, board;
    ttp_str machine_key;   /* equal: same class of machine, see ttp_fingerprint.key */
    ttp_str machine_facts; /* a JSON object, or empty */

    /* Totals of its ops; 0 and NAN if it has none. */
    int64_t op_count;
    double device_s, gap_s;

    ttp_str document_name, document; /* the original, byte for byte; empty: none */
    ttp_str digest;                  /* SHA-256 of it, in hexadecimal */

    struct ttp_run_measure *measure;
    struct ttp_run_sample *sample;
    struct ttp_run_op *op;
    struct ttp_run_note *note;
    size_t measures, samples, ops, notes;
};

/* Append; the arrays must come from these functions or be NULL with a count of 0. */
struct ttp_run_measure *ttp_run_add_measure(struct ttp_history_run *run, struct ttp_arena *arena);
struct ttp_run_sample *ttp_run_add_sample(struct ttp_history_run *run, struct ttp_arena *arena);
void ttp_run_add_note(struct ttp_history_run *run, int64_t time_ns, ttp_str text,
                      struct ttp_arena *arena);

/* ---- from what was read to runs ---- */

/* What the surroundings say, for documents that do not. */
void ttp_run_set_git(struct ttp_history_run *run, const struct ttp_git_state *git);
void ttp_run_set_machine(struct ttp_history_run *run, const struct ttp_fingerprint *machine,
                         struct ttp_arena *arena);

/* Ops, totals, and a measurement of each: "device-time" and "gap-time" in seconds, "ops", and
 * "op/CODE" for the device time of each op code. */
void ttp_run_from_report(struct ttp_history_run *out, const struct ttp_report *report,
                         struct ttp_arena *arena);

struct ttp_history_runs {
    struct ttp_history_run *run;
    size_t count;
};

/* The JSON of a benchmark (see ttp_bench_read()), or runs that `history export` wrote: one run for
 * each document in it. Each keeps its own bytes; a file of a single document all of them. `name` is
 * the file's. TTP_EPARSE, TTP_ELIMIT: err->offset says where. */
TTP_NODISCARD ttp_code ttp_runs_from_json(struct ttp_history_runs *out, ttp_str text,
                                          const char *name, struct ttp_arena *arena,
                                          struct ttp_err *err);
/* tt-metal's device_perf_*.csv and perf_*.csv, one run a row. TTP_EPARSE: not one;
 * ttp_is_perf_csv() tells by the first lines. */
bool ttp_is_perf_csv(ttp_str text);
TTP_NODISCARD ttp_code ttp_runs_from_perf_csv(struct ttp_history_runs *out, ttp_str text,
                                              const char *name, struct ttp_arena *arena,
                                              struct ttp_err *err);

/* One line of JSON that ttp_runs_from_json() reads back to an equal run, schema
 * tt-perf.history-run/1. */
void ttp_run_write_json(struct ttp_sink *out, const struct ttp_history_run *run,
                        struct ttp_arena *arena);
/* What was measured as a bench, for its writers. */
void ttp_run_to_bench(struct ttp_bench *out, const struct ttp_history_run *run,
                      struct ttp_arena *arena);

#endif
