/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - door of the store module: the history of runs in a database.
 *
 * A store is a SQLite file, or a schema "tt_perf" in a PostgreSQL database; both behave alike. Any
 * number of processes may use one at a time. What a function has acknowledged survives kill -9 and
 * loss of power; what it has not is missing at all. A handle belongs to one thread.
 *
 * Results live in the arena passed in. Codes of every function: TTP_EIO, the database cannot be
 * reached, is full, or locked by others for too long; TTP_ETIMEOUT, it does not answer (a server
 * within a minute, a statement on a file within as long); TTP_EPARSE, it is damaged (a copy is
 * kept, the hint says where, and how to rebuild it) or not ours; TTP_ENOTFOUND, no such run. */
#ifndef TTP_STORE_STORE_H
#define TTP_STORE_STORE_H

#include "history/history.h"

/* Of the tables; docs/history.md describes them. */
#define TTP_STORE_SCHEMA 3

/* "sqlite" and "postgresql": is it part of this build? */
bool ttp_store_supports(const char *library);

/* Where the history is: `given` if not NULL, else TT_PERF_STORE, else
 * $XDG_STATE_HOME/tt-perf/history.db, else ~/.local/state/tt-perf/history.db. NULL: the user has no
 * home. */
const char *ttp_store_where(const char *given, struct ttp_arena *arena);
/* Where it is if nothing names one. */
const char *ttp_store_where_usual(struct ttp_arena *arena);
/* The same without a password, for messages. */
const char *ttp_store_name(const char *where, struct ttp_arena *arena);

/* Others may read or write this file, which is ours. With `tighten` it is closed to them, and what
 * SQLite keeps next to it: then the answer is false. */
bool ttp_store_is_open_to_others(const char *where, bool tighten);

enum ttp_store_mode {
    TTP_STORE_READ,    /* it must be there: TTP_ENOTFOUND otherwise */
    TTP_STORE_WRITE,   /* it is made if it is missing */
    TTP_STORE_SALVAGE, /* a SQLite file, as it is, damaged or not; only to be read */
};

struct ttp_store;

/* `where` is a file name, or a URI that begins with postgresql:// or postgres://. An older schema
 * is brought up to date, a newer one refused (TTP_EPARSE). TTP_EMISSING: its library is not part of
 * this build, or not on this machine. TTP_ENOTFOUND: the store is missing. */
TTP_NODISCARD ttp_code ttp_store_open(struct ttp_store **out, const char *where,
                                      enum ttp_store_mode mode, struct ttp_err *err);
/* NULL is fine. */
void ttp_store_close(struct ttp_store *s);

struct ttp_store_added {
    int64_t id;
    bool known; /* it was there already: nothing was added */
};
/* Add a run, all of it or nothing. The same document of the same name and commit is the same run
 * (without a document: of the same name, commit and time),
 * unless `again`. Fields of *run that the store fills in are ignored. TTP_EPARSE also: a value that
 * is not finite. */
TTP_NODISCARD ttp_code ttp_store_add(struct ttp_store_added *out, struct ttp_store *s,
                                     const struct ttp_history_run *run, bool again,
                                     struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_store_add_note(struct ttp_store *s, int64_t run, ttp_str text,
                                          struct ttp_err *err);

/* ---- questions; all use indexes, and only ttp_store_read() reads ops ---- */

/* Empty texts and zeros: any. */
struct ttp_store_filter {
    ttp_str name, branch, host, kind;
    ttp_str commit;              /* or its first digits */
    int64_t after_ns, before_ns; /* both moments excluded */
    size_t limit;                /* 0: all */
};

/* Runs without their parts and documents, the newest first. */
TTP_NODISCARD ttp_code ttp_store_list(struct ttp_history_runs *out, struct ttp_store *s,
                                      const struct ttp_store_filter *filter,
                                      struct ttp_arena *arena, struct ttp_err *err);

enum ttp_store_parts {
    TTP_PART_MEASURES = 1 << 0, /* with machine samples */
    TTP_PART_OPS = 1 << 1,
    TTP_PART_DOCUMENT = 1 << 2, /* TTP_EPARSE: its bytes are not those that were added */
    TTP_PARTS_ALL = 7,
};
/* One run, its notes, and these of its parts. */
TTP_NODISCARD ttp_code ttp_store_read(struct ttp_history_run *out, struct ttp_store *s, int64_t id,
                                      unsigned parts, struct ttp_arena *arena, struct ttp_err *err);
/* The ids of all runs, in the order they were added; of a damaged store those that can be found. */
TTP_NODISCARD ttp_code ttp_store_ids(int64_t **out, size_t *count, struct ttp_store *s,
                                     struct ttp_arena *arena, struct ttp_err *err);

/* ---- what users call a run or a moment ---- */

/* A moment of the history. */
struct ttp_store_moment {
    int64_t time_ns;
    const char *words; /* for human readers */
};
/* A run ("12", "run:12"), a commit of the history or its first digits, a date, or what git calls a
 * commit here. TTP_EUSAGE: none of these. */
TTP_NODISCARD ttp_code ttp_store_find_moment(struct ttp_store_moment *out, struct ttp_store *s,
                                             const char *ref, struct ttp_arena *arena,
                                             struct ttp_err *err);
/* A run: "12", "run:12", "last", or the first digits of its commit. */
TTP_NODISCARD ttp_code ttp_store_find_run(int64_t *id, struct ttp_store *s, const char *ref,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* ---- settings of ops ---- */

/* The fastest run of each combination of settings of an op by its name ("Matmul 32 x 4096 x
 * 14336"), by types and chip, the fastest first; if there is none, of all ops whose names begin so,
 * by name. Empty: all. */
TTP_NODISCARD ttp_code ttp_store_best(struct ttp_best_ops *out, struct ttp_store *s, ttp_str name,
                                      struct ttp_arena *arena, struct ttp_err *err);
/* Runs whose ops an older tt-perf added without their settings. */
TTP_NODISCARD ttp_code ttp_store_unnamed(size_t *out, struct ttp_store *s, struct ttp_arena *arena,
                                         struct ttp_err *err);
/* Ops of a report that a run of the history did faster with other settings: the same name,
 * datatypes and chip, and the same shapes unless it is a matmul. */
TTP_NODISCARD ttp_code ttp_store_known(struct ttp_known_ops *out, struct ttp_store *s,
                                       const struct ttp_report *report, struct ttp_arena *arena,
                                       struct ttp_err *err);

/* ---- overhead of the profiler ---- */

struct ttp_unprofiled_query {
    const char *name;                /* of runs of the same work */
    const struct ttp_window *window; /* of the profiled run */
    double tokens;                   /* per iteration; 0: unknown */
};
/* One iteration of the newest run of that name that was measured without the profiler.
 * TTP_ENOTFOUND: there is none. */
TTP_NODISCARD ttp_code ttp_store_unprofiled(struct ttp_unprofiled *out, struct ttp_store *s,
                                            const struct ttp_unprofiled_query *query,
                                            struct ttp_arena *arena, struct ttp_err *err);

/* ---- lines of runs ---- */

/* Which lines, and which part of them. NULL: any. */
struct ttp_line_query {
    const char *name, *metric;
    const char *variant; /* a part of it */
    const char *branch, *host;
    const char *since, *until; /* see ttp_store_find_moment() */
    bool any_machine;          /* classes of machines make one line */
    bool ops;                  /* also the times of op codes, which a `metric` need not ask for */
    size_t limit; /* at most that many points of a line, the last ones: of a trend, or of the time
                     before a regression; 0: all */
    const struct ttp_line_options *options;
};
/* With a limit no more lines than this. */
#define TTP_TRENDS_MAX 12
struct ttp_trends {
    struct ttp_trend *trend;
    size_t count;
    bool more; /* lines or points were left out */
};
/* The levels of lines. TTP_ENOTFOUND: no such metric. None: no run of it matches. */
TTP_NODISCARD ttp_code ttp_store_trends(struct ttp_trends *out, struct ttp_store *s,
                                        const struct ttp_line_query *query, struct ttp_arena *arena,
                                        struct ttp_err *err);
/* How lines changed since query->since, which must be given. Codes as above. */
TTP_NODISCARD ttp_code ttp_store_regressions(struct ttp_regressions *out, struct ttp_store *s,
                                             const struct ttp_line_query *query,
                                             struct ttp_arena *arena, struct ttp_err *err);

#endif
