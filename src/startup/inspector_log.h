/* SPDX-License-Identifier: Apache-2.0 */
/* inspector_log.h - records of the inspector's logs. Private to startup. */
#ifndef TTP_STARTUP_INSPECTOR_LOG_H
#define TTP_STARTUP_INSPECTOR_LOG_H

#include "base/err.h"
#include "base/str.h"

enum ttp_record_kind {
    TTP_RECORD_NONE,
    TTP_RECORD_PROGRAM_CREATED,
    TTP_RECORD_PROGRAM_DESTROYED,
    TTP_RECORD_COMPILE_STARTED,
    TTP_RECORD_KERNEL,
    TTP_RECORD_COMPILE_FINISHED,
    TTP_RECORD_BINARY_STATUS,
    TTP_RECORD_DEVICE_CREATED,
    TTP_RECORD_DEVICE_INITIALIZED,
    TTP_RECORD_DEVICE_DESTROYED,
    TTP_RECORD_WORKLOAD_CREATED,
    TTP_RECORD_WORKLOAD_DESTROYED,
    TTP_RECORD_WORKLOAD_PROGRAM,
    TTP_RECORD_WORKLOAD_STATUS,
    TTP_RECORD_ENTRY,
    TTP_RECORD_METADATA,
    TTP_RECORD_KINDS
};

enum ttp_record_number {
    TTP_NUMBER_ID, /* of a program */
    TTP_NUMBER_TIME,
    TTP_NUMBER_DURATION,
    TTP_NUMBER_WORKLOAD,
    TTP_NUMBER_PROGRAM, /* that is added to a workload */
    TTP_NUMBER_RUNTIME,
    TTP_NUMBER_TRACE,
    TTP_NUMBERS
};

struct ttp_inspector_record {
    enum ttp_record_kind kind;
    unsigned has; /* bit per number */
    uint64_t number[TTP_NUMBERS];
    /* Slices of the input: valid as long as the record. `source` is its first line. */
    ttp_str name, path, source, devices, status;
};

static inline bool ttp_record_has(const struct ttp_inspector_record *r, enum ttp_record_number n)
{
    return (r->has >> n & 1) != 0;
}

/* Reads text in pieces of whole lines. A record ends where the next one begins, so the last one is
 * reported by ttp_startup_inspector_end(). Zero-initialise it except for the two. */
struct ttp_inspector_reader {
    void (*use)(void *arg, const struct ttp_inspector_record *record);
    void *arg;
    struct ttp_inspector_record record;
    bool in_source;
    uint64_t lines, known, unknown; /* unknown: records of a kind that we do not know */
    char text[4096];                /* of the record at the end of a piece */
};
void ttp_startup_inspector_feed(struct ttp_inspector_reader *r, ttp_str text);
void ttp_startup_inspector_end(struct ttp_inspector_reader *r);
/* A file of them, in pieces that end between records. */
TTP_NODISCARD ttp_code ttp_startup_inspector_file(struct ttp_inspector_reader *r, const char *path,
                                                  struct ttp_err *err);

/* Of "<root>/<build key>/kernels/<name>/<hash>/" the root; empty: another kind of path. */
ttp_str ttp_startup_cache_root(ttp_str path);

#endif
