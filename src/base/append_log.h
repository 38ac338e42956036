/* SPDX-License-Identifier: Apache-2.0 */
/* append_log.h - an append-only file of lines with one writer at a time, and its lock.
 *
 * Acknowledged lines are on the disk. Only their owner can read both files. */
#ifndef TTP_BASE_APPEND_LOG_H
#define TTP_BASE_APPEND_LOG_H

#include "base/arena.h"
#include "base/err.h"

/* A lock that is released when its holder ends, for whatever reason. */
struct ttp_lock {
    int fd; /* -1: not held */
};
/* TTP_ENOTFOUND: another process has it; *holder is that process, 0 if unknown. TTP_EIO. */
TTP_NODISCARD ttp_code ttp_lock_take(struct ttp_lock *out, const char *path, int64_t *holder,
                                     struct ttp_err *err);
void ttp_lock_release(struct ttp_lock *l);
/* The same, and the file `path` is gone too. */
void ttp_lock_remove(struct ttp_lock *l, const char *path);

/* The bytes of a file, in the arena; none if there is no file. TTP_ELIMIT: more than `max`. */
TTP_NODISCARD ttp_code ttp_append_log_read(ttp_str *out, const char *path, size_t max,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* Add `text` to the end of the file, which is created if needed, and wait until it is on the disk.
 * On TTP_EIO the file is restored as far as possible. */
TTP_NODISCARD ttp_code ttp_append_log_add(const char *path, ttp_str text, struct ttp_err *err);

/* CRC-32 as zlib and PNG have it. */
uint32_t ttp_crc32(ttp_str bytes);

#endif
