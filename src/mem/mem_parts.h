/* SPDX-License-Identifier: Apache-2.0 */
/* mem_parts.h - functions shared by the readers of mem. Private to mem. */
#ifndef TTP_MEM_MEM_PARTS_H
#define TTP_MEM_MEM_PARTS_H

#include "mem/mem.h"

/* Add the failure that a message describes, if any. */
bool ttp_mem_parse_failure(struct ttp_mem_failure *out, ttp_str message, struct ttp_arena *arena);

/* For the live buffers at the end of a capture that the op which never ended does not use; a
 * failure without details in its message gets its verdict from the capture's free list. */
void ttp_mem_explain(struct ttp_mem_to_free *out, struct ttp_mem_failure *f,
                     const struct ttp_mem_capture *c, struct ttp_arena *arena);

/* The log of buffers of a recording of a Tracy client with TT_METAL_MEM_PROFILER=1. TTP_EPARSE: it
 * has no memory of devices. */
TTP_NODISCARD ttp_code ttp_mem_read_recording(struct ttp_mem_buffer_log *out, const char *path,
                                              struct ttp_arena *arena, struct ttp_err *err);

/* The path of a capture or database next to a file, in the arena; NULL: there is none. */
const char *ttp_mem_find_beside(const char *path, struct ttp_arena *arena);

/* Is it a readable database of ttnn-visualizer? */
bool ttp_mem_is_database(const char *path);

/* Does a file of that name hold such counters? */
bool ttp_mem_is_shm_name(const char *name);

/* Set the value named `key` in a capture or database; false: unknown, or out of range. */
bool ttp_mem_device_set(struct ttp_mem_device *d, ttp_str key, int64_t value);

/* ttp_mem_read_buffer_log() of a recording of a Tracy client with TT_METAL_MEM_PROFILER=1.
 * TTP_EPARSE: it has no memory of devices. */
TTP_NODISCARD ttp_code ttp_mem_read_recording(struct ttp_mem_buffer_log *out, const char *path,
                                              struct ttp_arena *arena, struct ttp_err *err);

#endif
