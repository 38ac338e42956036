/* SPDX-License-Identifier: Apache-2.0 */
/* rootdir.h - files below a folder that represents the root of a file system.
 *
 * For small files whose reading must not surprise: paths begin with '/', links are followed but
 * never out of the folder, what is not a regular file is not read. Failures are negative errno
 * values. One thread per root. */
#ifndef TTP_BASE_ROOTDIR_H
#define TTP_BASE_ROOTDIR_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

enum ttp_rootdir_what { TTP_ROOTDIR_FILE, TTP_ROOTDIR_LINK };
/* Called for everything that was read: the bytes of a file, the target of a link. */
typedef void ttp_rootdir_seen_fn(enum ttp_rootdir_what what, const char *path, ttp_str bytes,
                                 void *arg);

struct ttp_rootdir {
    int fd;
    bool confined;             /* not the machine's own root: links are held inside */
    bool walk;                 /* private: the kernel cannot hold them, so we do */
    ttp_rootdir_seen_fn *seen; /* set by the caller; NULL: not needed */
    void *seen_arg;
};

/* NULL and "/" are the machine's own root. TTP_EIO: cannot be opened as a folder. */
TTP_NODISCARD ttp_code ttp_rootdir_open(struct ttp_rootdir *out, const char *path,
                                        struct ttp_err *err);
void ttp_rootdir_close(struct ttp_rootdir *root);

/* A file to be read again and again; the descriptor is the caller's. */
int ttp_rootdir_open_file(const struct ttp_rootdir *root, const char *path);
/* At most `cap` bytes of a file into buf, in one read if `small`: files that the kernel generates
 * are read that way. Returns how many. */
ssize_t ttp_rootdir_read(const struct ttp_rootdir *root, const char *path, char *buf, size_t cap,
                         bool small);
/* All of a regular file, in the arena, also on the machine's own root. TTP_EIO: cannot be read, or
 * not a regular file. TTP_ELIMIT: more than `max` bytes. */
TTP_NODISCARD ttp_code ttp_rootdir_read_all(ttp_str *out, const struct ttp_rootdir *root,
                                            const char *path, size_t max, struct ttp_arena *arena,
                                            struct ttp_err *err);
/* Where a link points, as it is written, NUL-terminated. Returns its length. */
ssize_t ttp_rootdir_readlink(const struct ttp_rootdir *root, const char *path, char *buf,
                             size_t cap);
/* Names in a folder, without "." and "..", sorted by length, then by bytes, so that cpu2 is before
 * cpu10; in the arena. Returns how many, at most `max`. */
ssize_t ttp_rootdir_list(const struct ttp_rootdir *root, const char *path, const char ***names,
                         size_t max, struct ttp_arena *arena);

/* The kind of a file, without opening it. */
struct ttp_rootdir_stat {
    bool is_dir, is_device;
    bool readable, writable; /* by us */
    unsigned major, minor;   /* of a device node */
    int64_t uid;
    uint32_t fs_type; /* magic number of the file system its folder is on; 0: unknown */
};
/* A link at the end of the path is followed only on the machine's own root. Returns 0. */
int ttp_rootdir_stat(struct ttp_rootdir_stat *out, const struct ttp_rootdir *root,
                     const char *path);

#endif
