/* SPDX-License-Identifier: Apache-2.0 */
/* phases.h - phases of a run: ranges between signposts, replays of traces and
 * repetition of its ops. Private to analysis.
 *
 * All of it goes by the place of rows in the file, which tt-metal writes in the order of time. The
 * host time of a replayed op is that of its capture and says nothing about when it ran. */
#ifndef TTP_ANALYSIS_PHASES_H
#define TTP_ANALYSIS_PHASES_H

#include "analysis/stages.h"
#include "base/order.h"

/* ---- signposts ---- */

enum ttp_post_role { TTP_POST_PLAIN, TTP_POST_START, TTP_POST_END };
/* What a signpost's name says: the role of a word such as "start" or "finished" in it, and the
 * name without that word, in lower case, words separated by one blank. */
enum ttp_post_role ttp_analysis_post_parse(ttp_str *base, ttp_str name, struct ttp_arena *arena);

/* Ranges of the run, parents before children, and for each row of the table the innermost range it
 * lies in, counted from 1; 0: none. Hosts' files have ranges of their own; those with the same
 * name and number are one. */
void ttp_analysis_window_find_ranges(struct ttp_ranges *out, uint32_t **range_of,
                                     const struct ttp_stage *s);
/* Does range `inner`, counted from 1, lie in `outer`, or is it that one? */
bool ttp_analysis_range_within(const struct ttp_ranges *ranges, uint32_t inner, uint32_t outer);

/* ---- repetition ---- */

/* The smallest period of which the whole sequence is an exact repetition; `count` if there is none.
 */
size_t ttp_analysis_exact_period(const uint32_t *key, size_t count, struct ttp_arena *arena);

/* Parts of a sequence that repeat one another; a few ops may differ. */
struct ttp_repetition {
    size_t *start; /* of each part; parts follow one another without gaps */
    size_t parts;
    size_t end; /* of the last one */
    size_t period;
};
/* The repetition that covers most of the sequence. False: none does that eight ops confirm. */
bool ttp_analysis_find_repetition(struct ttp_repetition *out, const uint32_t *key, size_t count,
                                  struct ttp_arena *arena);

/* ---- ops of each device ---- */

/* Device ops of one device that ran, in the order of the file. */
struct ttp_device_run {
    int64_t device;
    uint32_t *row, *key; /* keys are equal for ops that are the same except for their times */
    size_t count;
};

/* One pass of one device through its work: the rows of an iteration or a replay, in order. */
struct ttp_pass {
    const uint32_t *row;
    size_t count;
    double us;     /* of its ops, once the window is chosen */
    double gap_us; /* inside, likewise */
};

/* A device that waits longer than that for a program's first run waits for its compilation or its
 * binaries, not for the host's next call. */
#define TTP_COLD_GAP_US 1000

/* Replays of one trace on one device. */
struct ttp_trace_replay {
    struct ttp_pass pass;
    int64_t trace, session;
    uint32_t range;      /* that it ran in, counted from 1; 0: none */
    uint32_t generation; /* a trace that was captured again is another one */
};

struct ttp_phase_facts {
    struct ttp_stage *stage;
    struct ttp_arena *arena;
    struct ttp_ranges ranges;
    uint32_t *range_of;               /* by row of the table */
    uint32_t *key_of;                 /* too; 0: not an op that ran on a device */
    uint32_t keys;                    /* all are below */
    double *ns;                       /* by row: time of its kernel; NaN: none that can be true */
    double *gap_ns;                   /* by row: gap before it; NaN: unknown */
    struct ttp_device_run *device;    /* by device id */
    size_t devices;                   /* of them, those that were asked for; they are the first */
    size_t all_devices;               /* once the iterations are chosen */
    struct ttp_trace_replay **replay; /* by device: its replays, in the order in which they began */
    size_t *replays;
    bool *cold;      /* by row of the table: an op of the time in which programs are compiled */
    bool *elsewhere; /* too: of a device that was not asked for; NULL: all were */
};

void ttp_analysis_find_device_runs(struct ttp_phase_facts *facts);
void ttp_analysis_find_replays(struct ttp_phase_facts *facts);

/* Ops of one device in a range: a piece of what it ran; `key` (NULL: not wanted) are theirs. */
struct ttp_pass ttp_analysis_window_ops_in_range(const struct ttp_phase_facts *facts, size_t device,
                                                 uint32_t range, const uint32_t **key);

static inline double ttp_row_us(const struct ttp_phase_facts *facts, uint32_t row)
{
    return facts->ns[row] >= 0 ? facts->ns[row] / 1000 : 0;
}

/* ---- the window ---- */

/* What --window says. */
enum ttp_window_choice {
    TTP_WINDOW_AUTO,
    TTP_WINDOW_ALL,
    TTP_WINDOW_COLD,
    TTP_WINDOW_CAPTURE,
    TTP_WINDOW_ITERATION,
    TTP_WINDOW_RANGE,
    TTP_WINDOW_TRACE,
};
struct ttp_window_words {
    enum ttp_window_choice choice;
    int64_t number;
    ttp_str name;
};
/* TTP_EUSAGE: the text means nothing. NULL is auto. */
TTP_NODISCARD ttp_code ttp_analysis_window_parse(struct ttp_window_words *out, const char *text,
                                                 struct ttp_err *err);

/* Passes of each device that make up a window, in the order of time. */
struct ttp_passes {
    struct ttp_pass **pass; /* by device */
    size_t *count;          /* too; 0: the device has no part in it */
};

/* Gaps inside: what the device waited before its first op is not part of it. */
double ttp_analysis_pass_gaps_us(const struct ttp_phase_facts *facts, const struct ttp_pass *pass);
/* The time of each device in the report, and of the window medians over devices: of the mean, of
 * the gaps, of the number of ops. */
void ttp_analysis_window_measure(struct ttp_window *w, const struct ttp_passes *passes,
                                 const struct ttp_phase_facts *facts);

/* Fills the machine's part of the report, if the run has a machine log. */
void ttp_analysis_stage_machine(struct ttp_stage *s, const struct ttp_passes *passes,
                                const struct ttp_phase_facts *facts);
/* The middle one, or the mean of the two in the middle; sorts them. */
static inline double ttp_middle(double *v, size_t n)
{
    TTP_SORT(v, n, ttp_by_f64);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The wait between two iterations: the median over devices. */
void ttp_analysis_mean_between(struct ttp_window *w, const struct ttp_passes *passes,
                               const struct ttp_phase_facts *facts);

/* Fills s->spread: mean, least and most of the ops of the last iteration. */
void ttp_analysis_spread_ops(struct ttp_stage *s, const struct ttp_passes *passes,
                             const struct ttp_phase_facts *facts);
/* Finds the device whose time is the median, for rows of that one. */
void ttp_analysis_find_middle(struct ttp_stage *s, const struct ttp_passes *passes,
                              const struct ttp_phase_facts *facts);

/* Fills the quality of the report. */
void ttp_analysis_stage_quality(struct ttp_stage *s, const struct ttp_passes *passes,
                                const struct ttp_phase_facts *facts);

/* What is chosen by evidence: replays, ranges or repetition, in that order. False: nothing is
 * seen, and the run is taken as a whole. Fills kind and name of the window. */
bool ttp_analysis_window_choose_by_evidence(struct ttp_passes *out, struct ttp_window *window,
                                            const struct ttp_phase_facts *facts);
/* The same inside ranges of that name. TTP_ENOTFOUND: there is no such range. */
TTP_NODISCARD ttp_code ttp_analysis_window_choose_in_range(struct ttp_passes *out,
                                                           struct ttp_window *window,
                                                           const struct ttp_phase_facts *facts,
                                                           ttp_str name, struct ttp_err *err);
/* The replays of the trace with that id. TTP_ENOTFOUND: there are none. */
TTP_NODISCARD ttp_code ttp_analysis_window_choose_trace(struct ttp_passes *out,
                                                        struct ttp_window *window,
                                                        const struct ttp_phase_facts *facts,
                                                        int64_t trace, struct ttp_err *err);

#endif
