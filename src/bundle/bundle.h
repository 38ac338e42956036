/* SPDX-License-Identifier: Apache-2.0 */
/* bundle.h - door of the bundle module: a run as one archive to share, with names of people,
 * machines and folders masked.
 *
 * A bundle is a tar archive, compressed with zstd, whose first entry is its list of files. Results
 * live in the arena the caller passes. */
#ifndef TTP_BUNDLE_BUNDLE_H
#define TTP_BUNDLE_BUNDLE_H

#include "base/arena.h"
#include "base/err.h"

#define TTP_BUNDLE_SUFFIX ".ttperf.tar.zst"
#define TTP_BUNDLE_LIST   "ttperf-bundle.json"
#define TTP_BUNDLE_FORMAT "tt-perf.bundle-1"

/* A file of a bundle, or one that was left out of it. */
struct ttp_bundle_file {
    ttp_str name;     /* in the bundle */
    uint64_t bytes;   /* there */
    uint64_t masked;  /* places in it that were masked */
    ttp_str sha256;   /* of its bytes, in hexadecimal digits; empty: left out */
    ttp_str left_out; /* why; empty: it is there */
    bool damaged;     /* checked, and not what the list says */
};

struct ttp_bundle {
    ttp_str version; /* of the program that made it */
    ttp_str created; /* 2026-07-16T10:00:00Z */
    struct ttp_bundle_file *file;
    size_t count;
};

/* ---- making one ---- */

/* What is masked besides absolute paths and secrets. */
struct ttp_bundle_names {
    struct ttp_words users, hosts;
};
/* One on its way. Set by the caller: the folder that masked copies go to, the arena. */
struct ttp_bundle_making {
    struct ttp_bundle bundle;
    struct ttp_bundle_names names;
    const char *folder;
    struct ttp_arena *arena;
};

/* Add the names of this user and machine, of the machines that `run` was recorded on, and `more`.
 */
void ttp_bundle_find_names(struct ttp_bundle_making *m, const char *run,
                           const struct ttp_words *more);
/* Copy the text files of `run`, a folder or an ops CSV, masked: its logs, the source of
 * kernels that lies there, the newest report of the run or of each rank. Binary recordings are left
 * out. TTP_ENOTFOUND: nothing there. TTP_EIO. */
TTP_NODISCARD ttp_code ttp_bundle_stage(struct ttp_bundle_making *m, const char *run,
                                        struct ttp_err *err);
/* One more text file, under that name; left out if another one has it. Bytes of the name that are
 * not UTF-8 become '_'. */
TTP_NODISCARD ttp_code ttp_bundle_add(struct ttp_bundle_making *m, const char *file,
                                      const char *name, struct ttp_err *err);
/* Write it to the descriptor. TTP_EMISSING: this build has no zstd. */
TTP_NODISCARD ttp_code ttp_bundle_write(const struct ttp_bundle_making *m, int fd,
                                        struct ttp_err *err);

/* ---- reading one ---- */

/* Is it one, by its first entry? A file that cannot be read is not. */
bool ttp_bundle_is(const char *path);
/* Read it whole and compare it with its list. It is unpacked in `folder`. TTP_EPARSE:
 * not a bundle, damaged, or with names that lead out of the folder. TTP_ELIMIT: more than 100,000
 * files. */
TTP_NODISCARD ttp_code ttp_bundle_read(struct ttp_bundle *out, const char *path, const char *folder,
                                       struct ttp_arena *arena, struct ttp_err *err);

#endif
