/* SPDX-License-Identifier: Apache-2.0 */
/* ttperf.h - libttperf: the operations of a run on Tenstorrent accelerators, read and analysed.
 *
 * A run is what the profiler wrote, read into memory: ttperf_run_open(). A report is a run analysed
 * in one way: ttperf_report_open(). A report has values, notes and findings, and can be written as
 * text, CSV, JSON or Markdown.
 *
 * Ownership: a handle is the caller's until it is closed. Whatever else a function returns belongs
 * to the handle it was asked of and lives until that handle is closed, unless its comment says
 * otherwise. A closed run stays in memory until its last report is closed, so the order in which
 * handles are closed does not matter. Texts, paths and options passed in are copied.
 *
 * NULL: handles and out parameters must not be NULL, except where a comment allows it; options and
 * errors may always be NULL, which means defaults and no error details.
 *
 * Threads: a run and all its reports are used by one thread at a time. Different runs have nothing
 * in common and may be used by different threads at the same time. Reading starts its own threads,
 * which end before the function returns; results do not depend on their number.
 *
 * Errors: a function that can fail returns 0 (TTPERF_OK) or the code of what went wrong, and then
 * fills *error; out parameters that hold handles and texts are NULL then. The library prints
 * nothing and never ends the process, with one exception: a file is truncated while it is being
 * read (SIGBUS).
 *
 * Memory: when it runs out, in whatever thread, the function returns TTPERF_ENOMEM, or
 * TTPERF_ELIMIT if it was the limit of the run (max_memory), and has released all that it had
 * acquired. Earlier handles stay valid and can be used or closed.
 *
 * Texts are UTF-8. A `const char *` ends with a NUL; struct ttperf_text does not.
 *
 * The library stays compatible with programs built against an older header of the same major
 * version: structs that it returns by address may get new members at their end, enums new
 * constants. */
#ifndef TTPERF_H
#define TTPERF_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TTPERF_API     __attribute__((visibility("default")))
#define TTPERF_CHECKED TTPERF_API __attribute__((warn_unused_result))
#else
#define TTPERF_API
#define TTPERF_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library, "0.2.0". Static. */
TTPERF_API const char *ttperf_version(void);

/* ---- errors ---- */

enum ttperf_code {
    TTPERF_OK = 0,
    TTPERF_EIO,       /* a system call failed: the message ends with the reason */
    TTPERF_EPARSE,    /* the input is not what its format promises */
    TTPERF_ELIMIT,    /* the input is well formed but larger than the library accepts */
    TTPERF_ENOTFOUND, /* not found */
    TTPERF_EUSAGE,    /* the caller's request is invalid */
    TTPERF_EMISSING,  /* this machine or this build lacks a required feature */
    TTPERF_ENOMEM,    /* the system has no more memory */
};

/* Owned by the caller, who need not initialise it: filled on failure, unchanged on success. Its
 * layout never changes. */
struct ttperf_error {
    enum ttperf_code code;
    uint64_t line;     /* in the file `path`, from 1; 0: no particular one */
    char message[256]; /* what failed: lower case, no full stop */
    char hint[256];    /* what to do about it, or empty */
    char path[256];    /* the file or folder concerned, or empty; a long one lacks its beginning */
};

/* ---- options ----
 *
 * Start from the _INIT macro, then set what you need: it stores the size of the struct as your
 * header has it, which lets the library distinguish older callers from newer ones. TTPERF_EUSAGE:
 * no such size, or an option or flag that this library does not know. */

enum ttperf_read_flag {
    TTPERF_READ_COMPAT = 1 << 0, /* be tt-perf-report 1.2.4: refuse what it refuses, and give its
                                    numbers and advice in every report of this run, faults included;
                                    what is written keeps the layout of this library.
                                    TTPERF_EMISSING: a library that was built without it */
};
struct ttperf_read_options {
    size_t size;
    uint32_t flags;       /* enum ttperf_read_flag */
    uint32_t threads;     /* to read and write with; 0: one per processor */
    uint64_t max_memory;  /* bytes that the run and its reports may hold; more is TTPERF_ELIMIT; 0:
                             as many as the system gives */
    uint64_t max_inflate; /* bytes that its compressed files may become; more is TTPERF_ELIMIT; 0:
                             200 times their size, but at least 256 MiB; UINT64_MAX: any number */
};
#define TTPERF_READ_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(struct ttperf_read_options), 0, 0, 0, 0                                             \
    }

enum ttperf_analysis_flag {
    TTPERF_IGNORE_SIGNPOSTS = 1 << 0, /* analyse the whole file */
    TTPERF_KEEP_SIGNPOSTS = 1 << 1,   /* signposts are rows of their own */
    TTPERF_NO_HOST_OPS = 1 << 2,      /* without what ran on the host */
    TTPERF_NO_MERGE_DEVICES = 1 << 3, /* each device's row instead of one for all of them */
    TTPERF_TRACING_MODE = 1 << 4, /* keep the order of the file: replayed ops carry the host time
                                     of their capture */
};
struct ttperf_analysis_options {
    size_t size;
    uint64_t flags;             /* enum ttperf_analysis_flag */
    const char *start_signpost; /* what follows the first signpost of that name */
    const char *end_signpost;   /* up to the first of that name after the start; with neither: what
                                   follows the last signpost, if anything does */
    const char *arch;           /* architecture or board, such as "wormhole" or "p150"; NULL: as the
                                   file says */
    int64_t first_id, last_id;  /* only rows with an id in this range; 0: no limit on that side */
    int64_t active_experts;     /* that a sparse matmul runs per input group; 0: as the file says */
    const char *boards;         /* path of a file with figures of boards, which then count in place
                                   of the built-in ones; NULL: those, whatever the user's
                                   configuration says */
};
#define TTPERF_ANALYSIS_OPTIONS_INIT                                                               \
    {                                                                                              \
        sizeof(struct ttperf_analysis_options), 0, NULL, NULL, NULL, 0, 0, 0, NULL                 \
    }

enum ttperf_format {
    TTPERF_FORMAT_TEXT,     /* tables for a terminal */
    TTPERF_FORMAT_CSV,      /* the rows with all columns, under tt-perf-report's names */
    TTPERF_FORMAT_JSON,     /* everything; `tt-perf schema report` prints its schema */
    TTPERF_FORMAT_MARKDOWN, /* the tables of the text */
};
enum ttperf_group_by { TTPERF_GROUP_MEMORY, TTPERF_GROUP_OP, TTPERF_GROUP_CATEGORY };
enum ttperf_write_flag {
    TTPERF_NO_ADVICE = 1 << 0,
    TTPERF_NO_SUMMARY = 1 << 1,
    TTPERF_FOLD = 1 << 2,         /* show a run of repeated layers once */
    TTPERF_RAW_OP_CODES = 1 << 3, /* one more column in CSV: op codes as the file has them */
    TTPERF_COLOR = 1 << 4,        /* terminal colours, in text only */
};
struct ttperf_write_options {
    size_t size;
    uint64_t flags;        /* enum ttperf_write_flag */
    const char *where;     /* rows for which it is true, "bound=DRAM and cores<10"; NULL: all */
    const char *sort;      /* "gap_us" or "gap_us:asc"; NULL: as they ran */
    const char *columns;   /* ids with ',' between them; NULL: the usual ones */
    uint64_t top;          /* only that many rows; 0: all */
    double min_percentage; /* hide rows below this share of the run in text and Markdown */
    int32_t group_by;      /* enum ttperf_group_by: how the summary groups ops */
    int32_t width;         /* of the terminal, in columns; 0: no limit */
};
#define TTPERF_WRITE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(struct ttperf_write_options), 0, NULL, NULL, NULL, 0, 0.5, TTPERF_GROUP_MEMORY, 0   \
    }

/* ---- tables: what runs and reports have in common ---- */

/* Not NUL-terminated: print it with "%.*s", (int)text.len, text.ptr. */
struct ttperf_text {
    const char *ptr;
    size_t len;
};

enum ttperf_type { TTPERF_TYPE_MISSING, TTPERF_TYPE_INT, TTPERF_TYPE_REAL, TTPERF_TYPE_TEXT };

/* `type` says which member counts; none does when the value is missing. */
struct ttperf_value {
    enum ttperf_type type;
    union {
        int64_t i;
        double f;
        struct ttperf_text text;
    } as;
};

struct ttperf_column {
    const char *id;        /* stable; in JSON, `where`, `sort` and `columns` too */
    const char *title;     /* for human readers */
    const char *unit;      /* "ns", "us", "cycles", "GB/s", "%", "" */
    const char *help;      /* what it is, or "" */
    enum ttperf_type type; /* of most values: an odd file may hold a text among numbers */
};

/* "No such column", where a position is returned. */
#define TTPERF_NONE ((size_t)-1)

/* ---- a run ---- */

struct ttperf_run;

/* Read the ops_perf_results CSVs of one run, one file per host, in host order. A path may be a
 * folder, which represents the newest such file below it, or, if there is none, for what the
 * profiler logs in it (or in its `.logs`) give, with what its NoC traces say about the ops; or a
 * recording, with the logs next to it; or "-" for standard input. What gzip or zstd wrote
 * is recognised by its content. What was missing or damaged in logs is a warning among the notes of
 * each report. TTPERF_EIO: cannot open or read. TTPERF_ENOTFOUND: the folder has neither such a
 * file nor logs. TTPERF_EPARSE, TTPERF_ELIMIT: not such a CSV or log; the hint says what it looks
 * like. TTPERF_EUSAGE: no path, or bad options. TTPERF_EMISSING: this build cannot
 * decompress the file. */
TTPERF_CHECKED enum ttperf_code ttperf_run_open(struct ttperf_run **out, const char *const *path,
                                                size_t npaths,
                                                const struct ttperf_read_options *options,
                                                struct ttperf_error *error);
/* NULL is fine. */
TTPERF_API void ttperf_run_close(struct ttperf_run *run);

/* How many files were read, and the path of the i-th: where a folder was given, what was found
 * there, or the folder itself if that was logs. NULL: there is no i-th. */
TTPERF_API size_t ttperf_run_files(const struct ttperf_run *run);
TTPERF_API const char *ttperf_run_file(const struct ttperf_run *run, size_t i);

/* The operations as they appear in the files: the columns that reports read, of those some file
 * has, under the names of the file. Rows of later files follow those of earlier ones, and so do
 * their device ids. */
TTPERF_API size_t ttperf_run_rows(const struct ttperf_run *run);
TTPERF_API size_t ttperf_run_columns(const struct ttperf_run *run);
/* NULL: there is no i-th. */
TTPERF_API const struct ttperf_column *ttperf_run_column(const struct ttperf_run *run, size_t i);
/* Position of the column with that id, or TTPERF_NONE. */
TTPERF_API size_t ttperf_run_find_column(const struct ttperf_run *run, const char *id);
/* Missing where the cell is empty or there is no such row or column. */
TTPERF_API struct ttperf_value ttperf_run_value(const struct ttperf_run *run, size_t row,
                                                size_t column);

/* ---- a report ---- */

struct ttperf_report;

/* Analyse a run; it may have any number of reports. TTPERF_EPARSE: a column or cell that the
 * analysis needs is missing or is invalid, or a line of the file of boards does. TTPERF_EIO:
 * that file cannot be read. TTPERF_EUSAGE: bad options. */
TTPERF_CHECKED enum ttperf_code ttperf_report_open(struct ttperf_report **out,
                                                   struct ttperf_run *run,
                                                   const struct ttperf_analysis_options *options,
                                                   struct ttperf_error *error);
/* NULL is fine. */
TTPERF_API void ttperf_report_close(struct ttperf_report *report);

/* One row per operation in the order they ran, with all that the analysis knows about it. The
 * columns are the same for every report; the one with the id "id" holds the line of the op in its
 * file. */
TTPERF_API size_t ttperf_report_rows(const struct ttperf_report *report);
TTPERF_API size_t ttperf_report_columns(const struct ttperf_report *report);
/* NULL: there is no i-th. */
TTPERF_API const struct ttperf_column *ttperf_report_column(const struct ttperf_report *report,
                                                            size_t i);
/* Position of the column with that id, or its short name ("time", "gap", "op"), or TTPERF_NONE. */
TTPERF_API size_t ttperf_report_find_column(const struct ttperf_report *report, const char *id);
/* Missing where nothing is known or there is no such row or column. */
TTPERF_API struct ttperf_value ttperf_report_value(const struct ttperf_report *report, size_t row,
                                                   size_t column);

/* What holds for all rows together. */
struct ttperf_totals {
    const char *csv_format; /* "v1", "v2" or "v2.1" */
    const char *arch;
    int64_t worker_cores; /* of one chip */
    double peak_dram_gbs; /* of one chip */
    int devices_merged;   /* 1: a row represents the same op on all devices */
    int partitioned;      /* 1: ops ran on parts of the grid, so that some overlap */
    uint64_t device_ops, host_ops, signposts; /* before the id range and TTPERF_NO_HOST_OPS */
    uint64_t invalid_durations;               /* set aside: impossible, or not measured */
    double device_time_us, gap_us;            /* sums over the rows */
    double busy_us;                           /* device time with overlapping ops counted once */
    int has_dram;                             /* 1: the two below are known */
    double dram_gbs, dram_pct; /* DRAM traffic of the ops it is known for, over the busy time */
};
TTPERF_API const struct ttperf_totals *ttperf_report_totals(const struct ttperf_report *report);

/* What the analysis must say besides numbers, in order. */
enum ttperf_note_level { TTPERF_NOTE_STATUS, TTPERF_NOTE_WARNING };
struct ttperf_note {
    enum ttperf_note_level level;
    const char *text;
};
TTPERF_API size_t ttperf_report_notes(const struct ttperf_report *report);
/* NULL: there is no i-th. */
TTPERF_API const struct ttperf_note *ttperf_report_note(const struct ttperf_report *report,
                                                        size_t i);

/* Advice on one operation. */
struct ttperf_finding {
    size_t row;       /* of the report */
    const char *rule; /* stable id, such as "trace": see tt-perf explain */
    const char *text; /* what to do */
    double gain_us;   /* what following it could save at most; 0: not estimated */
};
/* Find them, unless that was done before. */
TTPERF_CHECKED enum ttperf_code ttperf_report_advise(struct ttperf_report *report,
                                                     struct ttperf_error *error);
/* How many findings the report has, row by row. The first call finds them; 0 also if memory runs
 * out, which ttperf_report_advise() tells. */
TTPERF_API size_t ttperf_report_findings(struct ttperf_report *report);
/* NULL: there is no i-th, or ttperf_report_findings() has not been called. */
TTPERF_API const struct ttperf_finding *ttperf_report_finding(const struct ttperf_report *report,
                                                              size_t i);

/* Write to a descriptor, which stays the caller's and open. TTPERF_EUSAGE: a bad expression,
 * column, format or option; nothing has been written. TTPERF_EIO: writing failed, a part may have
 * been written. Whoever writes to a pipe decides what SIGPIPE does. */
TTPERF_CHECKED enum ttperf_code ttperf_report_write_fd(struct ttperf_report *report,
                                                       enum ttperf_format format, int fd,
                                                       const struct ttperf_write_options *options,
                                                       struct ttperf_error *error);
/* The same into memory: *len bytes at *text, and a NUL after them. Valid until the next call of
 * this function for the same report, or until the report is closed. `len` may be NULL. */
TTPERF_CHECKED enum ttperf_code
ttperf_report_write_memory(const char **text, size_t *len, struct ttperf_report *report,
                           enum ttperf_format format, const struct ttperf_write_options *options,
                           struct ttperf_error *error);

#ifdef __cplusplus
}
#endif

#endif
