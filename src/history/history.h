/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - door of the history module: the stored form of a run, how documents are read into it,
 * and trends over runs. The database is in store.h.
 *
 * Everything lives in the arena passed in. Unknown texts are empty, unknown numbers NAN. */
#ifndef TTP_HISTORY_HISTORY_H
#define TTP_HISTORY_HISTORY_H

#include "analysis/analysis.h"
#include "base/json_write.h"
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
    int64_t time_ns; /* since 1970, UTC; 0: unknown */
    double aiclk_min_mhz, aiclk_max_mhz, temperature_c, power_w, load;
};

/* One operation, as the report of the run shows it. */
struct ttp_run_op {
    ttp_str code, shapes, datatypes, memory, fidelity; /* together: what kind of op it is */
    int64_t device, cores;                             /* -1: unknown */
    double time_ns, gap_ns;
    ttp_str name;   /* as all verbs print it: "Matmul 32 x 4096 x 14336"; empty: of an old store */
    ttp_str chip;   /* what it ran on: "blackhole, 110 cores", of a collective with the devices */
    ttp_str config; /* its program config, short; empty: none */
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
struct ttp_run_measure *ttp_history_run_add_measure(struct ttp_history_run *run,
                                                    struct ttp_arena *arena);
struct ttp_run_sample *ttp_history_run_add_sample(struct ttp_history_run *run,
                                                  struct ttp_arena *arena);
void ttp_history_run_add_note(struct ttp_history_run *run, int64_t time_ns, ttp_str text,
                              struct ttp_arena *arena);

/* Mask what looks like a secret (base/secrets.h) in its name, variants, source and notes, and in a
 * document that is JSON. */
void ttp_history_run_mask(struct ttp_history_run *run, struct ttp_arena *arena);

/* ---- from what was read to runs ---- */

/* What the surroundings say, for documents that do not. */
void ttp_history_run_set_git(struct ttp_history_run *run, const struct ttp_git_state *git);
void ttp_history_run_set_machine(struct ttp_history_run *run, const struct ttp_fingerprint *machine,
                                 struct ttp_arena *arena);

struct ttp_history_runs {
    struct ttp_history_run *run;
    size_t count;
    bool more;        /* a limit left some out */
    const char *note; /* where they were found, if not where the user pointed; or NULL */
    ttp_str bad;      /* why the figures of a run of ops are wrong; empty: they are not */
    bool damaged;     /* because the file lacks rows or times: it is not a run */
};

struct ttp_runs_reading {
    unsigned threads;
    bool progress;
    struct ttp_report_options analysis; /* of operations */
};
/* The runs of a file or folder: operations, results of benchmarks, tables of performance, runs of
 * an export; "-": standard input. *note: which file a folder represents, in words, or NULL; set
 * also after a failure. */
TTP_NODISCARD ttp_code ttp_history_runs_read(struct ttp_history_runs *out, const char *path,
                                             const struct ttp_runs_reading *reading,
                                             struct ttp_arena *arena, struct ttp_err *err);
/* Is it what `history export --all` wrote, a run a line? */
bool ttp_history_runs_is_export(const char *path);
/* What to call a run that has no name: its file without the ending, or the nearest parent folder
 * with a meaningful name. */
ttp_str ttp_history_run_name_of_source(const struct ttp_history_run *run, struct ttp_arena *arena);

/* The JSON of a benchmark (see ttp_measure_bench_read()), or runs that `history export` wrote: one
 * run for each document in it. Each keeps its own bytes; a file of a single document all of them.
 * `name` is the file's. TTP_EPARSE, TTP_ELIMIT: err->offset says where. */
TTP_NODISCARD ttp_code ttp_history_runs_from_json(struct ttp_history_runs *out, ttp_str text,
                                                  const char *name, struct ttp_arena *arena,
                                                  struct ttp_err *err);
/* One line of JSON that ttp_history_runs_from_json() reads back to an equal run, schema
 * tt-perf.history-run/2. */
void ttp_history_run_write_json(struct ttp_sink *out, const struct ttp_history_run *run,
                                struct ttp_arena *arena);
/* What was measured as a bench, for its writers. */
void ttp_history_run_to_bench(struct ttp_bench *out, const struct ttp_history_run *run,
                              struct ttp_arena *arena);

/* One iteration of a window in what a benchmark of the same work measured without the profiler:
 * the measure nearest to it, times, and tokens per second if the tokens per iteration are known
 * (0: they are not). False: it has none. */
bool ttp_history_run_unprofiled(struct ttp_unprofiled *out, const struct ttp_history_run *run,
                                const struct ttp_window *window, double tokens,
                                struct ttp_arena *arena);

/* An op of a report as it is kept. */
struct ttp_run_op ttp_history_run_op_of(const struct ttp_report *report, const struct ttp_op *op,
                                        struct ttp_arena *arena);

/* ---- settings of ops, and their effect ---- */

/* The fastest run of an op with one combination of settings. */
struct ttp_best_op {
    struct ttp_run_op op; /* time_ns: median over its ops in an iteration */
    int64_t ops;          /* of that iteration */
    int64_t runs;         /* that had it with these settings */
    int64_t run, run_time_ns;
    ttp_str run_name, commit;
};
struct ttp_best_ops {
    struct ttp_best_op *item;
    size_t count;
};

/* An op of a report that a run of the history did faster with other settings. */
struct ttp_known_op {
    struct ttp_run_op now; /* time_ns: median over the ops of the report that are alike */
    size_t *op;            /* their indexes in the report */
    size_t ops;
    struct ttp_best_op best;
    double gain_us; /* of all of them */
    ttp_str change; /* settings of `best` that differ, to copy */
    ttp_str before; /* the same settings as they are now */
};
struct ttp_known_ops {
    struct ttp_known_op *item; /* largest gain first */
    size_t count;
};
/* The settings of `b` that differ from those of `a`: "in0_block_w=4, 64 cores, output in L1". */
ttp_str ttp_history_op_settings(const struct ttp_run_op *a, const struct ttp_run_op *b,
                                struct ttp_arena *arena);

/* ---- lines of runs ---- */

/* A line: what can be compared, namely one metric of one variant of runs of one name on one class
 * of machine. */
struct ttp_series {
    int64_t id;
    ttp_str name, metric, unit, variant, machine_key;
    enum ttp_better better;
};
/* A run on its line. */
struct ttp_series_point {
    int64_t run, time_ns;
    double median, low, high; /* of its samples; low and high: the least and the greatest */
    int64_t count;
    ttp_str commit, branch, host;
};

/* From one level to the next. */
struct ttp_trend_change {
    size_t at;            /* the first point of the new level */
    double before, after; /* medians of the levels */
    double change;        /* after / before - 1; NAN: before is 0 */
    double p;
    bool worse;
};
struct ttp_trend {
    struct ttp_series series;
    const struct ttp_series_point *point;
    size_t count;
    struct ttp_trend_change *change;
    size_t changes;
};
/* In order of time. */
struct ttp_series_points {
    const struct ttp_series_point *point;
    size_t count;
};
/* The levels of a line, with E-divisive. */
void ttp_history_trend_make(struct ttp_trend *out, const struct ttp_series *series,
                            struct ttp_series_points points,
                            const struct ttp_change_options *options, struct ttp_arena *arena);

/* A line after a reference time, compared with before. */
enum ttp_standing {
    TTP_STANDS_SAME,
    TTP_STANDS_WORSE,
    TTP_STANDS_BETTER,
    TTP_STANDS_UNSURE, /* it looks worse, but these runs cannot show it */
};
struct ttp_line_comparison {
    struct ttp_series series;
    enum ttp_standing standing;
    double before, after; /* medians */
    double change;        /* after / before - 1; infinite or NAN: before is 0 */
    double noise;         /* of runs before, as a part of `before`; NAN: unknown */
    double limit;         /* what a change had to exceed */
    double p; /* of the rank test, adjusted for the number of lines; NAN: too few runs */
    size_t runs_before, runs_after;    /* that were compared */
    struct ttp_series_point first;     /* the first run of the present level */
    struct ttp_series_point last_good; /* the last one before that */
};
struct ttp_line_options {
    struct ttp_change_options changes;
    double min_effect; /* 0.02: changes up to 2 % do not count */
    double confidence; /* 0.95 */
};
/* What a change must exceed if the noise is unknown: tt-forge fails at 5 %. */
#define TTP_BLIND_LIMIT 0.05

/* How lines changed since a moment, the worst first. */
struct ttp_regressions {
    const char *since; /* in words */
    int64_t since_ns;
    struct ttp_line_comparison *line;
    size_t count;
    size_t without_before, without_after; /* lines that have no run on that side */
};

/* The points of a line in order of time: some up to a moment, and those since; at least one on
 * either side. */
struct ttp_line_sides {
    const struct ttp_series_point *point;
    size_t before, after;
};
/* Compare the two sides of a line. What counts is the level
 * that the line had at the moment, and the one it has now, between change points. With enough runs
 * of both (a rank test could find a difference) it must be found, and be more than min_effect; with
 * fewer the difference of medians must be more than min_effect and more than twice the noise. */
void ttp_history_line_compare(struct ttp_line_comparison *out, const struct ttp_series *series,
                              struct ttp_line_sides sides, const struct ttp_line_options *options,
                              struct ttp_arena *arena);
/* Once all lines have been compared: adjust p for their number (Benjamini-Hochberg), and update the
 * verdicts. */
void ttp_history_line_settle(struct ttp_line_comparison *c, size_t count,
                             const struct ttp_line_options *options, struct ttp_arena *arena);

#endif
