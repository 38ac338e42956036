/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h - the files of a run, and the facts about each. */
#ifndef TTP_INSPECT_H
#define TTP_INSPECT_H

#include "ops/ops.h"

enum ttp_inspect_kind {
    TTP_INSPECT_DEVICE,
    TTP_INSPECT_CPP,
    TTP_INSPECT_ZONES,
    TTP_INSPECT_MESSAGES,
    TTP_INSPECT_TRACY,
    TTP_INSPECT_CAPTURE,
    TTP_INSPECT_NOC_TRACES,
    TTP_INSPECT_TOPOLOGY,
    TTP_INSPECT_COORDINATES,
    TTP_INSPECT_ZONE_SOURCES,
    TTP_INSPECT_SYNC,
    TTP_INSPECT_FLOW,
    TTP_INSPECT_OPS,
    TTP_INSPECT_OF_RUN, /* those above are of a run's folder */
    TTP_INSPECT_WORKLOAD = TTP_INSPECT_OF_RUN,
    TTP_INSPECT_TENSORS,
    TTP_INSPECT_SMI,
    TTP_INSPECT_DOCUMENT, /* --format json of any verb */
    TTP_INSPECT_HISTORY,
    TTP_INSPECT_LEDGER,
    TTP_INSPECT_BENCHMARK,
    TTP_INSPECT_TIMELINE,
    TTP_INSPECT_NOC_TIMELINE,
    TTP_INSPECT_RUN_FACTS,
    TTP_INSPECT_GRAPH,
    TTP_INSPECT_GRAPH_DATABASE,
    TTP_INSPECT_MEMORY_REPORT,
    TTP_INSPECT_BUFFER_LOG,
    TTP_INSPECT_MEMORY_COUNTERS,
    TTP_INSPECT_INSPECTOR,
    TTP_INSPECT_REALTIME,
    TTP_INSPECT_MACHINE,
    TTP_INSPECT_FAILURE_LOG,
    TTP_INSPECT_KINDS
};

struct ttp_inspect_fact {
    const char *key;
    const char *text; /* NULL: a number */
    uint64_t number;
    bool always;   /* shown also when it is 0 */
    bool is_truth; /* `number` is 1 or 0, `text` the word for it */
};

#define TTP_INSPECT_FACTS 16

struct ttp_inspect_file {
    enum ttp_inspect_kind kind;
    const char *path; /* NULL: missing */
    uint64_t bytes;
    struct ttp_inspect_fact fact[TTP_INSPECT_FACTS];
    size_t nfacts;
    const char *fault;  /* why it cannot be read; NULL: it can */
    const char *damage; /* what is wrong with a file that can be read; NULL: nothing */
    const char *cure;   /* what to do about either; NULL: unknown */
};

struct ttp_inspect_words {
    const char *id;   /* stable, for programs */
    const char *name; /* of such a file */
    const char *what; /* is in it */
    const char *made_by;
    const char *use;   /* what to do with it; FILE represents its name */
    const char *verbs; /* that take it, or say more of it themselves; blanks around each */
};
const struct ttp_inspect_words *ttp_inspect_words(enum ttp_inspect_kind kind);
/* Its `use` with the name of the file. In the arena. */
const char *ttp_inspect_use(enum ttp_inspect_kind kind, const char *path, struct ttp_arena *arena);

/* What a file is: a recording by its first bytes, others by their name, else by how they begin.
 * TTP_ENOTFOUND: something else altogether, which the text names. TTP_EPARSE: nothing we know, or
 * damaged. TTP_EIO: it cannot be read. */
TTP_NODISCARD ttp_code ttp_inspect_detect(enum ttp_inspect_kind *kind, const char *path,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* The files of a folder, one of each kind, or the one file that `path` is: see
 * ttp_inspect_detect(). A folder with files about memory and none of a run has no missing ones.
 * `file` has room for TTP_INSPECT_KINDS. */
TTP_NODISCARD ttp_code ttp_inspect_find(struct ttp_inspect_file *file, size_t *count,
                                        const char *path, struct ttp_arena *arena,
                                        struct ttp_err *err);
/* Fill in what they say. A file that cannot be read has a fault. */
void ttp_inspect_files(struct ttp_inspect_file *file, size_t count,
                       const struct ttp_logs_options *options, struct ttp_arena *arena);

#endif
