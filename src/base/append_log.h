/* SPDX-License-Identifier: Apache-2.0 */
/* append_log.h - a file of lines that only grows, one writer at a time; and the lock that says so.
 *
 * What was acknowledged is on the disk. Both files are for their owner alone. */
#ifndef TTP_BASE_APPEND_LOG_H
#define TTP_BASE_APPEND_LOG_H

#include "base/arena.h"
#include "base/err.h"

/* A lock that dies with its holder, however that ends. */
struct ttp_lock {
    int fd; /* -1: not held */
};
/* TTP_ENOTFOUND: someone else has it; *holder is that process, 0 if it does not say. TTP_EIO. */
TTP_NODISCARD ttp_code ttp_lock_take(struct ttp_lock *out, const char *path, int64_t *holder,
                                     struct ttp_err *err);
void ttp_lock_release(struct ttp_lock *l);
/* The same, and the file `path` is gone too. */
void ttp_lock_remove(struct ttp_lock *l, const char *path);

/* The bytes of a file, in the arena; none if there is no file. TTP_ELIMIT: more than `max`. */
TTP_NODISCARD ttp_code ttp_append_log_read(ttp_str *out, const char *path, size_t max,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* Add `text` to the end of the file, which is made if there is none, and wait until the disk has
 * it. On TTP_EIO the file is as it was, as far as the system lets us. */
TTP_NODISCARD ttp_code ttp_append_log_add(const char *path, ttp_str text, struct ttp_err *err);

/* CRC-32 as zlib and PNG have it. */
uint32_t ttp_crc32(ttp_str bytes);

#endif
