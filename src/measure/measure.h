/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h - door of the measure module: run commands repeatedly, alternating, and keep every
 * figure; read results of other tools.
 *
 * Results live in the arena passed in. Single-threaded: anything running at the same time would
 * disturb the measurement. */
#ifndef TTP_MEASURE_MEASURE_H
#define TTP_MEASURE_MEASURE_H

#include "base/child.h"
#include "base/git.h"
#include "host/host.h"
#include "stats/stats.h"

/* ---- what is measured ---- */

enum ttp_better { TTP_BETTER_LOWER, TTP_BETTER_HIGHER };
/* Of several matches in one run. */
enum ttp_take {
    TTP_TAKE_LAST,
    TTP_TAKE_FIRST,
    TTP_TAKE_MIN,
    TTP_TAKE_MAX,
    TTP_TAKE_MEAN,
    TTP_TAKE_SUM
};
enum ttp_metric_kind {
    TTP_METRIC_WALL,    /* seconds from start to end */
    TTP_METRIC_PRINTED, /* a number in what the command prints */
    TTP_METRIC_DEVICE,  /* seconds the devices were busy; from ttp_measure_options.value */
    TTP_METRIC_CYCLES,  /* cycles of the kernels; from the same function */
    TTP_METRIC_JSON,    /* a number of the report of the run as JSON; from the same function */
    TTP_METRIC_OTHER,   /* read from a file, or from the same function */
};

struct ttp_metric {
    enum ttp_metric_kind kind;
    const char *name;
    const char *unit; /* "s", "tokens/s"; "" unknown: then a second group of the regex may say it */
    enum ttp_better better;
    enum ttp_take take;
    bool better_said;  /* by the user: a unit does not change it */
    const char *regex; /* POSIX extended; its first group, else the whole match, is the number */
    const char *path;  /* of TTP_METRIC_JSON: "data.window.device_us" */
    struct ttp_regex *compiled;
};
#define TTP_METRICS_MAX 32

/* "wall", "device-time", "kernel-cycles", "json:PATH", or
 * REGEX[;name=N][;unit=U][;better=lower|higher][;take=last|first|min|max|mean|sum]. What is not
 * given is guessed: the name from the text that the regex begins with, the direction from the unit
 * (rates are better higher). TTP_EUSAGE: not a regex, or more of it than we accept. Release it with
 * ttp_measure_metric_clear(). */
TTP_NODISCARD ttp_code ttp_measure_metric_parse(struct ttp_metric *out, const char *text,
                                                struct ttp_arena *arena, struct ttp_err *err);
void ttp_measure_metric_clear(struct ttp_metric *m);
/* Does it need a recording of each run? */
bool ttp_measure_metric_is_recorded(const struct ttp_metric *m);
/* Are larger values of this unit better: "tokens/s", "GB/s", "fps", "TFLOPS"? */
enum ttp_better ttp_measure_metric_unit_better(ttp_str unit);
/* "lower" or "higher". */
const char *ttp_measure_better_word(enum ttp_better better);
/* Back again; any other word is "lower". */
enum ttp_better ttp_measure_better_of(ttp_str word);
/* "better", "worse", "same" or "undecided", of a metric with that direction. */
const char *ttp_measure_verdict_word(enum ttp_verdict verdict, enum ttp_better better);

/* ---- what is run ---- */

/* A command in one environment. */
struct ttp_variant {
    const char *name;
    const char *const *argv; /* NULL at the end */
    struct ttp_words env;    /* "NAME=VALUE" in addition to ours */
    const char *dir;         /* where it runs, from the root; NULL: where we are */
    bool own_git; /* `dir` is a worktree: variables that tie git to another do not reach it */
};

/* The words of a command as a shell would split them: blanks, quotes, backslashes; nothing is
 * expanded. NULL at the end. TTP_EUSAGE: quotes that are not closed, or what only a shell can do.
 */
TTP_NODISCARD ttp_code ttp_measure_command_split(const char ***argv, const char *text,
                                                 struct ttp_arena *arena, struct ttp_err *err);
/* An argument vector as one would type it, quoted where needed. */
ttp_str ttp_measure_command_join(const char *const *argv, struct ttp_arena *arena);

/* ---- trials ---- */

/* The boards while it ran; NAN: unknown. */
struct ttp_trial_machine {
    double aiclk_min_mhz, aiclk_max_mhz, temperature_max_c,
        power_w; /* all boards' power together */
    double load; /* of the processors, over the last minute */
};

/* One run of one variant. */
struct ttp_trial {
    uint32_t variant;
    bool warm_up;
    enum ttp_child_end end;
    int code;         /* exit status or signal */
    int64_t start_ns; /* since 1970, UTC */
    uint64_t wall_ns, user_ns, system_ns, max_rss_kb;
    const char *failure; /* why its values do not count; NULL: they do */
    const char *taint;   /* why they are doubtful; NULL: they are not */
    struct ttp_trial_machine machine;
    double *value; /* of each metric; NAN: none */
};

/* Everything that was measured, whoever measured it. */
struct ttp_bench {
    struct ttp_metric *metric;
    size_t nmetrics;
    struct ttp_variant *variant; /* the first is the one the others are compared with */
    size_t nvariants;
    struct ttp_trial *trial; /* in the order they ran */
    size_t ntrials;
    double confidence;      /* of verdicts and intervals, all of them together */
    double look_confidence; /* confidence of each test of a pair: higher, since errors add up */
    unsigned looks, looks_planned;
    double min_effect;
    int interrupted;     /* the signal that ended it early; 0: none */
    const char *stopped; /* why no more trials were run, in words */
    int64_t start_ns, end_ns;

    /* Of what was read from a file; NULL if it was measured here. */
    const char *format;
    const char *machine_key; /* differs: another machine; empty: unknown */
};

/* One more trial at the end, without values, with room for `metrics` of them. In the arena. */
struct ttp_trial *ttp_measure_bench_add_trial(struct ttp_bench *b, size_t variant, size_t metrics,
                                              struct ttp_arena *arena);

/* Values of one metric of one variant that count, in order; *n of them. In the arena. */
double *ttp_measure_bench_values(size_t *n, const struct ttp_bench *b, size_t variant,
                                 size_t metric, struct ttp_arena *arena);
/* How variant i compares with variant 0. Higher is TTP_VERDICT_MORE, whether or not that is better.
 */
struct ttp_versus ttp_measure_bench_versus(const struct ttp_bench *b, size_t variant, size_t metric,
                                           struct ttp_arena *scratch);

struct ttp_measure_progress {
    size_t done, planned; /* trials, warm-ups included; planned may still change */
    double seconds_left;  /* negative: not yet known */
    const char *variant;
};

struct ttp_measure_options {
    size_t warm_ups;           /* of each variant */
    size_t min_runs, max_runs; /* of each; equal: exactly that many, tested once */
    double max_time_s;         /* no further look is begun after that; 0: no limit */
    double confidence, min_effect;
    double timeout_s;    /* of one run */
    bool show;           /* what commands print */
    bool go_on;          /* after a failure: it is noted, its values do not count */
    const char *prepare; /* a command to run before every trial, not timed; NULL: none */

    const bool *stop; /* set by a function below: no further trial; may be NULL */

    /* Called around each trial; all may be NULL. */
    void (*before)(void *arg, const struct ttp_trial *t);
    void (*during)(void *arg);                     /* about every 0.2 s */
    void (*after)(void *arg, struct ttp_trial *t); /* may set `taint`, in a lasting arena */
    /* A value of a metric that is neither wall time nor printed. On failure the trial has failed,
     * with that text. */
    ttp_code (*value)(void *arg, double *out, size_t metric, const struct ttp_child *child,
                      struct ttp_err *err);
    void (*progress)(void *arg, const struct ttp_measure_progress *p);
    void *arg;
};

/* Run the variants of *b in turn (A B, B A, A B, ...), first the warm-ups. Stops at max_runs, when
 * every comparison is decided, or, with one variant, when the interval of its median is narrower
 * than
 * +-min_effect; looks after min_runs, and each time there are twice as many. On failure what was
 * measured so far is in *b. TTP_ENOTFOUND, TTP_EIO: a command that cannot be found or started.
 * TTP_EPARSE: a command failed, ran out of time, or printed no value; the last trial says more. */
TTP_NODISCARD ttp_code ttp_measure_run(struct ttp_bench *b, const struct ttp_measure_options *o,
                                       struct ttp_signals *signals, struct ttp_arena *arena,
                                       struct ttp_err *err);

/* ---- the guard: what else happened on the machine ---- */

struct ttp_guard;
/* `root` and `boards` as in ttp_host_open(). Close it in the end; it lives in the arena. */
TTP_NODISCARD ttp_code ttp_measure_guard_open(struct ttp_guard **out, const char *root,
                                              const struct ttp_boards *boards,
                                              struct ttp_arena *arena, struct ttp_err *err);
void ttp_measure_guard_close(struct ttp_guard *g);
void ttp_measure_guard_fingerprint(struct ttp_fingerprint *out, const struct ttp_guard *g);
/* Around one trial, from the functions of ttp_measure_options. The last sets `machine` and `taint`.
 */
void ttp_measure_guard_before(struct ttp_guard *g);
void ttp_measure_guard_during(struct ttp_guard *g);
void ttp_measure_guard_after(struct ttp_guard *g, struct ttp_trial *t);

/* ---- sweeps ---- */

#define TTP_SWEEP_VALUES_MAX 4096
#define TTP_SWEEPS_MAX       8
struct ttp_sweep {
    const char *name;
    const char **value;
    size_t count;
};
/* NAME=VALUES: "8,16,32", "a,b", or a range: "1..9" (steps of 1), "1..9+2", "8..128*2", either way
 * round. TTP_EUSAGE, TTP_ELIMIT. */
TTP_NODISCARD ttp_code ttp_measure_sweep_parse(struct ttp_sweep *out, const char *text,
                                               struct ttp_arena *arena, struct ttp_err *err);
/* argv with {NAME} replaced by the value of each "NAME=VALUE" of `set`; words without stay what
 * they are. In the arena. */
const char *const *ttp_measure_sweep_fill(const char *const *argv, const struct ttp_words *set,
                                          struct ttp_arena *arena);

/* Seconds in one of this unit of time: "ms" is 0.001. NAN: not a unit of time. */
double ttp_measure_metric_unit_seconds(ttp_str unit);

/* What one run moves or does, as ttp_measure_sweep_product() texts; NULL: unknown. */
struct ttp_work {
    const char *bytes_in, *bytes_out, *iterations, *flops, *items;
};
enum ttp_rate_kind {
    TTP_RATE_NONE,
    TTP_RATE_METRIC,
    TTP_RATE_BYTES,
    TTP_RATE_FLOPS,
    TTP_RATE_ITEMS
};

struct ttp_sweep_point {
    struct ttp_words set; /* "NAME=VALUE" of each parameter */
    struct ttp_bench bench;
    const char *failure; /* a result too; NULL: it ran */
    double latency_s;    /* median */
    double throughput;   /* NAN: unknown */
    double gain;         /* of throughput over the point before; NAN: none */
    bool pareto;         /* no other is both faster and has more throughput */
};
struct ttp_sweep_result {
    const struct ttp_sweep *sweep;
    size_t nsweeps;
    struct ttp_sweep_point *point; /* in the order they ran */
    size_t npoints, planned;
    size_t best; /* highest throughput, or lowest latency if that is unknown; TTP_NPOS: none */
    size_t latency_metric; /* TTP_NPOS: none is a time */
    enum ttp_rate_kind rate;
    const char *rate_unit;
    const char *stopped;
    int interrupted;
};
struct ttp_sweep_options {
    const struct ttp_measure_options *measure;
    const struct ttp_variant *variant; /* argv with {NAME} in it */
    struct ttp_metric *metric;
    size_t nmetrics;
    struct ttp_work work;
    double min_gain;      /* two gains in a row below end it; 0.05. Only with one parameter */
    double latency_cap_s; /* a slower point ends it; 0: none */
    bool exhaustive;      /* nothing ends it */
};
/* One point after the other. A failing command ends the sweep without an error. Codes
 * as ttp_measure_run(), except for TTP_EPARSE. */
TTP_NODISCARD ttp_code ttp_measure_sweep(struct ttp_sweep_result *out,
                                         const struct ttp_sweep *sweep, size_t nsweeps,
                                         const struct ttp_sweep_options *o,
                                         struct ttp_signals *signals, struct ttp_arena *arena,
                                         struct ttp_err *err);

/* Work per second of a run that takes `seconds`: bytes/s, FLOP/s. NAN where the work is not given.
 * TTP_EUSAGE: a text of `work` is invalid. */
struct ttp_rates {
    double bytes_s, flops_s, items_s;
};
TTP_NODISCARD ttp_code ttp_measure_work_rates(struct ttp_rates *out, const struct ttp_work *work,
                                              const struct ttp_words *set, double seconds,
                                              struct ttp_err *err);

/* ---- bandwidth ---- */

struct ttp_stream_options {
    unsigned threads;     /* 0: as many as processors */
    uint64_t array_bytes; /* of each of three arrays; 0: chosen by the caches and free memory */
    double seconds;       /* about, for all four rates; 0: 2 */
    uint64_t cache_bytes, available_bytes; /* see ttp_host_memory_sizes() */
};
/* Stream host memory: a copy, a read, a write and a triad, each several times, by all threads at
 * once. Adds four rates to *out. Bytes are counted as programs see them: what a processor reads
 * only to overwrite it is not. TTP_EMISSING: not enough memory is free. */
TTP_NODISCARD ttp_code ttp_measure_stream_memory(struct ttp_bandwidth *out,
                                                 const struct ttp_stream_options *o,
                                                 struct ttp_arena *arena, struct ttp_err *err);

struct ttp_transfer_options {
    const char *root;         /* of tt-metal; NULL: unknown */
    const char *refused;      /* why nothing may run on the devices; NULL: it may */
    uint64_t available_bytes; /* of host memory; 0: unknown */
    double timeout_s;         /* of each benchmark */
    bool show;                /* what they print */
};
/* Run tt-metal's own benchmarks of PCIe transfers and DRAM reads, and add what they print to *out:
 * docs/formats/microbenchmarks.md. One that is missing, fails or prints something else is a rate
 * with `skipped`. TTP_EIO: the system failed. */
TTP_NODISCARD ttp_code ttp_measure_transfers_measure(struct ttp_bandwidth *out,
                                                     const struct ttp_transfer_options *o,
                                                     struct ttp_signals *signals,
                                                     struct ttp_arena *arena, struct ttp_err *err);

/* ---- what was measured before ---- */

#define TTP_FILE_METRICS_MAX 256
/* The bytes of a file: `tt-perf bench` JSON, tt-metal's CompleteBenchmarkRun (one or many), Google
 * Benchmark, hyperfine. TTP_EPARSE, TTP_ELIMIT: err->offset says where. */
TTP_NODISCARD ttp_code ttp_measure_bench_read(struct ttp_bench *out, ttp_str text,
                                              struct ttp_arena *arena, struct ttp_err *err);
/* Several of them as one: variants one after the other, named by `name` if there are several
 * files (of one variant each: the name alone), metrics by their names. Confidence and smallest
 * effect are the caller's. */
void ttp_measure_bench_join(struct ttp_bench *out, const struct ttp_bench *part,
                            const char *const *name, size_t parts, struct ttp_arena *arena);

/* ---- before it is kept or shown ---- */

/* Mask what looks like a secret (base/secrets.h) in names, command lines, variables and messages.
 * Nothing of it can be run afterwards. */
void ttp_measure_bench_mask(struct ttp_bench *b, struct ttp_arena *arena);
void ttp_measure_sweep_mask(struct ttp_sweep_result *r, struct ttp_arena *arena);

#endif
