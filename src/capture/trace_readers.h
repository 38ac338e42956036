/* SPDX-License-Identifier: Apache-2.0 */
/* trace_readers.h - one reader for each kind of recording, see ttp_capture_trace_read(). */
#ifndef TTP_CAPTURE_TRACE_READERS_H
#define TTP_CAPTURE_TRACE_READERS_H

#include "base/file.h"
#include "capture/trace_build.h"

/* All of them get a mapped file and an initialised builder, which the caller finishes. */
typedef ttp_code ttp_trace_reader(struct ttp_trace_builder *b, const struct ttp_file *file,
                                  struct ttp_err *err);

ttp_trace_reader ttp_capture_trace_read_tracy;

/* Call `take` for every RAW entry of a capture file, in order. False: none. */
bool ttp_capture_each_raw(ttp_str file, void (*take)(void *ctx, ttp_str bytes), void *ctx,
                          struct ttp_entry_start *start);

/* As ttp_capture_trace_read(), for what a .tracy file holds: all zones, and in keep (initialised)
 * the rest of a stream. A capture file that kept the raw stream is read from that. */
TTP_NODISCARD ttp_code ttp_capture_trace_read_whole(struct ttp_trace *out,
                                                    struct ttp_wire_keep *keep, const char *path,
                                                    struct ttp_arena *arena, struct ttp_err *err);

/* By the first bytes (16 are enough). */
enum ttp_trace_kind ttp_capture_trace_detect(ttp_str head);

#endif
