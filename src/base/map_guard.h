/* SPDX-License-Identifier: Apache-2.0 */
/* map_guard.h - the list of mapped files, for the case that one is truncated while it is read: the
 * kernel then sends SIGBUS, and only the address tells which file it was.
 *
 * Thread safe. */
#ifndef TTP_BASE_MAP_GUARD_H
#define TTP_BASE_MAP_GUARD_H

#include "base/err.h"

/* Register a mapped file; `path` is copied. */
void ttp_map_guard_add(const void *map, size_t len, const char *path);
/* Before it is unmapped. One that was never added is fine. */
void ttp_map_guard_remove(const void *map);

/* TTP_EIO with the message for a truncated file. */
ttp_code ttp_map_guard_fail(struct ttp_err *err, const char *path);

/* Says that a file was truncated, and ends the process. It runs instead of the failed read, so it
 * interrupts our own code, never a library function. */
typedef void ttp_map_lost_fn(const char *path);
/* For a program, at its start. Files that were not yet put in place are removed before `tell` is
 * called. Every other SIGBUS ends the process as it did before. */
void ttp_map_guard_on_signal(ttp_map_lost_fn *tell);

#endif
