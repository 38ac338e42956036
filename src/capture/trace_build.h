/* SPDX-License-Identifier: Apache-2.0 */
/* trace_build.h - collects entries of a journal, or records of a .tracy file, into a trace. */
#ifndef TTP_CAPTURE_TRACE_BUILD_H
#define TTP_CAPTURE_TRACE_BUILD_H

#include "base/map.h"
#include "capture/journal.h"

struct ttp_trace_builder {
    struct ttp_trace *trace;
    const struct ttp_trace_reading *options;
    struct ttp_arena *arena;
    /* Gets what a trace has no place for, and of a capture file all that the raw stream has; NULL:
     * only the trace is wanted. */
    struct ttp_wire_keep *keep;

    /* Private. */
    size_t cap_threads, cap_sources, cap_zones;
    uint64_t *number, *parent; /* of zones, as in the journal */
    uint8_t *source_known;
    uint64_t *arrival; /* of messages */
    struct ttp_literal {
        size_t message;
        uint64_t key;
    } * literal;
    size_t nliterals;
    uint64_t *pool; /* of memory: keys of their names */
    struct ttp_map string_at;
    ttp_str *string;
    size_t nstrings;
    uint32_t next_index;
    bool in_order; /* zones came in the order of their begin so far */
    bool entries_bad;
    const char *limit; /* which of limits.h was reached; NULL: none */
};

void ttp_capture_builder_init(struct ttp_trace_builder *b, struct ttp_trace *trace,
                              const struct ttp_trace_reading *options, struct ttp_arena *arena);
void ttp_capture_builder_add(struct ttp_trace_builder *b, const struct ttp_entry *e);
/* All entries of a block. False: some made no sense, the ones before them count. */
bool ttp_capture_builder_add_block(struct ttp_trace_builder *b, ttp_str entries);
/* Names, order, parents, numbers of threads; then the trace is complete. */
void ttp_capture_builder_finish(struct ttp_trace_builder *b);

#endif
