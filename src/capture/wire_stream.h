/* SPDX-License-Identifier: Apache-2.0 */
/* wire_stream.h - the bytes a client sends, in pieces of any size: status, welcome, then LZ4 blocks
 * of items. Finds out which dialect it is where a number has several. */
#ifndef TTP_CAPTURE_WIRE_STREAM_H
#define TTP_CAPTURE_WIRE_STREAM_H

#include "capture/lz4_blocks.h"
#include "capture/wire_items.h"

enum ttp_stream_state {
    TTP_STREAM_STATUS,
    TTP_STREAM_WELCOME,
    TTP_STREAM_ON_DEMAND, /* 16 bytes more */
    TTP_STREAM_LENGTH,
    TTP_STREAM_BLOCK,
    TTP_STREAM_LOST,   /* what comes cannot be decompressed any more */
    TTP_STREAM_REFUSED /* the status was not welcome: see `status` */
};

/* Answers to a handshake. */
enum {
    TTP_STATUS_WELCOME = 1,
    TTP_STATUS_MISMATCH = 2,
    TTP_STATUS_NOT_AVAILABLE = 3,
};

#define TTP_STREAM_CANDIDATES 4

struct ttp_stream {
    /* Set by the caller. */
    unsigned protocol;
    const struct ttp_dialect *candidate[TTP_STREAM_CANDIDATES]; /* none: unknown */
    size_t ncandidates;
    struct ttp_arena *arena;
    bool raw; /* write the bytes to the journal as well */

    struct ttp_wire
        wire; /* journal, zones, children, ask, ask_ctx and told_order set by the caller */

    enum ttp_stream_state state;
    unsigned char status;
    bool welcomed;     /* `wire.welcome` is filled */
    bool started;      /* the journal has its first entry */
    bool inconsistent; /* a block was not whole items */
    uint64_t wire_bytes, plain_bytes, blocks, bad_blocks;
    int last_single; /* the item, if the last block was a single byte; else -1 */

    /* Private. */
    unsigned staged[TTP_STREAM_CANDIDATES];
    struct ttp_unpacker *unpacker;
    char *buf; /* a part that is not whole yet */
    size_t have, need, cap;
    char *welcome;
    struct ttp_held {
        struct ttp_held *next;
        ttp_str text;
    } * held, **held_tail; /* blocks that two dialects read differently */
    size_t held_bytes;
    struct ttp_arena held_arena;
    uint64_t salvaged;
};

void ttp_wire_stream_init(struct ttp_stream *s);
void ttp_wire_stream_feed(struct ttp_stream *s, ttp_str bytes);
/* No more bytes: settle, and write what is held. The journal is not flushed. */
void ttp_wire_stream_finish(struct ttp_stream *s);
void ttp_wire_stream_free(struct ttp_stream *s);

/* The dialect of a whole recording without a protocol number; NULL: none fits. *welcome_bytes
 * is found in any case; 0: this is not a recording. */
const struct ttp_dialect *ttp_wire_stream_guess(ttp_str recording, size_t *welcome_bytes);

/* Messages found in a block of an unknown dialect, by the form of those that matter. */
struct ttp_salvaged {
    ttp_str text;
    int64_t tick;
};
/* The next one at or after *at, which moves after it. */
bool ttp_capture_salvage_next(struct ttp_salvaged *out, ttp_str block, size_t *at,
                              const struct ttp_welcome *welcome);

#endif
