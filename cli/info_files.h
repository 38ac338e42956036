/* SPDX-License-Identifier: Apache-2.0 */
/* info_files.h - the files of a run, and what can be said of each. */
#ifndef TTP_CLI_INFO_FILES_H
#define TTP_CLI_INFO_FILES_H

#include "ops/ops.h"

enum ttp_info_kind {
    TTP_INFO_DEVICE,
    TTP_INFO_CPP,
    TTP_INFO_ZONES,
    TTP_INFO_MESSAGES,
    TTP_INFO_TRACY,
    TTP_INFO_CAPTURE,
    TTP_INFO_NOC_TRACES,
    TTP_INFO_TOPOLOGY,
    TTP_INFO_COORDINATES,
    TTP_INFO_ZONE_SOURCES,
    TTP_INFO_SYNC,
    TTP_INFO_FLOW,
    TTP_INFO_OPS,
    TTP_INFO_OF_RUN, /* those above are of a run's folder */
    TTP_INFO_WORKLOAD = TTP_INFO_OF_RUN,
    TTP_INFO_KINDS
};

struct ttp_info_fact {
    const char *key;
    const char *text; /* NULL: a number */
    uint64_t number;
    bool always; /* shown also when it is 0 */
};

#define TTP_INFO_FACTS 16

struct ttp_info_file {
    enum ttp_info_kind kind;
    const char *path; /* NULL: missing */
    uint64_t bytes;
    struct ttp_info_fact fact[TTP_INFO_FACTS];
    size_t nfacts;
    const char *fault; /* why it cannot be read */
};

/* Stable name, for programs; name of the file; what is in it; how it is made. */
const char *ttp_info_id(enum ttp_info_kind kind);
const char *ttp_info_name(enum ttp_info_kind kind);
const char *ttp_info_what(enum ttp_info_kind kind);
const char *ttp_info_how(enum ttp_info_kind kind);

/* The files of a folder, one of each kind, or the one file that `path` is: told by its name, else
 * by how it begins. `file` has room for TTP_INFO_KINDS. */
TTP_NODISCARD ttp_code ttp_info_find(struct ttp_info_file *file, size_t *count, const char *path,
                                     struct ttp_arena *arena, struct ttp_err *err);
/* Fill in what they say. A file that cannot be read has a fault. */
void ttp_info_inspect(struct ttp_info_file *file, size_t count,
                      const struct ttp_logs_options *options, struct ttp_arena *arena);

#endif
