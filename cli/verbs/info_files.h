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
    TTP_INFO_TENSORS,
    TTP_INFO_SMI,
    TTP_INFO_DOCUMENT, /* --format json of any verb */
    TTP_INFO_HISTORY,
    TTP_INFO_LEDGER,
    TTP_INFO_BENCHMARK,
    TTP_INFO_TIMELINE,
    TTP_INFO_NOC_TIMELINE,
    TTP_INFO_RUN_FACTS,
    TTP_INFO_GRAPH,
    TTP_INFO_GRAPH_DATABASE,
    TTP_INFO_MEMORY_REPORT,
    TTP_INFO_BUFFER_LOG,
    TTP_INFO_MEMORY_COUNTERS,
    TTP_INFO_INSPECTOR,
    TTP_INFO_REALTIME,
    TTP_INFO_KINDS
};

struct ttp_info_fact {
    const char *key;
    const char *text; /* NULL: a number */
    uint64_t number;
    bool always;   /* shown also when it is 0 */
    bool is_truth; /* `number` is 1 or 0, `text` the word for it */
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

struct ttp_info_words {
    const char *id;    /* stable, for programs */
    const char *name;  /* of such a file */
    const char *what;  /* is in it */
    const char *how;   /* it is made */
    const char *use;   /* what to do with it; FILE stands for its name */
    const char *verbs; /* that take it, or say more of it themselves; blanks around each */
};
const struct ttp_info_words *ttp_info_words(enum ttp_info_kind kind);
/* Its `use` with the name of the file. In the arena. */
const char *ttp_info_use(enum ttp_info_kind kind, const char *path, struct ttp_arena *arena);

/* What a file is: a recording by its first bytes, others by their name, else by how they begin.
 * TTP_ENOTFOUND: something else altogether, which the text names. TTP_EPARSE: nothing we know, or
 * damaged. TTP_EIO: it cannot be read. */
TTP_NODISCARD ttp_code ttp_info_detect(enum ttp_info_kind *kind, const char *path,
                                       struct ttp_arena *arena, struct ttp_err *err);

/* The files of a folder, one of each kind, or the one file that `path` is: see
 * ttp_info_detect(). `file` has room for TTP_INFO_KINDS. */
TTP_NODISCARD ttp_code ttp_info_find(struct ttp_info_file *file, size_t *count, const char *path,
                                     struct ttp_arena *arena, struct ttp_err *err);
/* Fill in what they say. A file that cannot be read has a fault. */
void ttp_info_inspect(struct ttp_info_file *file, size_t count,
                      const struct ttp_logs_options *options, struct ttp_arena *arena);

#endif
