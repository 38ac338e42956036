/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.h - the items of Tracy's wire protocol: which byte is which, and how long it is. */
#ifndef TTP_CAPTURE_DIALECT_H
#define TTP_CAPTURE_DIALECT_H

#include "capture/capture.h"

/* What an item means to us. Items that carry the clock of their thread must be decoded even if
 * their content is unused. */
enum ttp_role {
    TTP_ITEM_NONE, /* no such item */
    TTP_ITEM_SKIP,
    TTP_ITEM_ZONE_TEXT,
    TTP_ITEM_ZONE_NAME,
    TTP_ITEM_ZONE_VALUE,
    TTP_ITEM_ZONE_COLOR, /* blue, green, red */
    TTP_ITEM_MESSAGE,    /* i64 tick; text staged */
    TTP_ITEM_MESSAGE_COLOR,
    TTP_ITEM_LITERAL, /* i64 tick, pointer to the text */
    TTP_ITEM_LITERAL_COLOR,
    TTP_ITEM_ZONE_BEGIN_ALLOC, /* i64 delta; source location staged */
    TTP_ITEM_ZONE_BEGIN,       /* i64 delta, pointer to the source location */
    TTP_ITEM_ZONE_BEGIN32,
    TTP_ITEM_ZONE_BEGIN16,
    TTP_ITEM_ZONE_END,
    TTP_ITEM_ZONE_END32,
    TTP_ITEM_ZONE_END16,
    TTP_ITEM_LOCK_EVENT, /* u32 thread first */
    TTP_ITEM_LOCK_RELEASE,
    TTP_ITEM_LOCK_RELEASE_SHARED,
    TTP_ITEM_LOCK_ANNOUNCE,
    TTP_ITEM_LOCK_MARK,
    TTP_ITEM_MEMORY, /* i64 serial delta, u32 thread, u64 address; an allocation: 48 bit size */
    TTP_ITEM_MEMORY_NAMED,   /* the same, of the pool named before */
    TTP_ITEM_MEMORY_DISCARD, /* i64 serial delta, u32 thread, pointer to the name of the pool */
    TTP_ITEM_MEMORY_POOL,    /* pointer to the name */
    TTP_ITEM_SAMPLE,         /* i64 delta, u32 thread; from protocol 78 on the thread comes first */
    TTP_ITEM_GPU_BEGIN,      /* i64 delta, u32 thread, u16 query, context, pointer */
    TTP_ITEM_GPU_BEGIN_ALLOC,
    TTP_ITEM_GPU_END, /* on the clock of the thread */
    TTP_ITEM_GPU_END_SERIAL,
    TTP_ITEM_GPU_TIME, /* i64 delta, u16 query, context */
    TTP_ITEM_GPU_BEGIN_SERIAL,
    TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL,
    TTP_ITEM_GPU_CONTEXT,
    TTP_ITEM_GPU_CONTEXT_NAME,
    TTP_ITEM_GPU_CALIBRATION, /* i64 device time, i64 tick, i64 ns since the last one, context */
    TTP_ITEM_GPU_TIME_SYNC,   /* i64 device time, i64 tick, context */
    TTP_ITEM_GPU_ZONE,        /* of the fork: a whole zone in one item */
    TTP_ITEM_GPU_MARKER,      /* of the fork */
    TTP_ITEM_PLOT,            /* pointer, i64 delta, i64 value */
    TTP_ITEM_PLOT_FLOAT,      /* f32 value */
    TTP_ITEM_PLOT_DOUBLE,
    TTP_ITEM_PLOT_CONFIG, /* pointer, u8 format, steps, fill, u32 colour */
    TTP_ITEM_SYS_TIME,    /* i64 tick, f32 percent: load of the processors */
    TTP_ITEM_FIBER_ENTER,
    TTP_ITEM_FIBER_LEAVE,
    TTP_ITEM_SECTION, /* i64 delta */
    TTP_ITEM_TERMINATE,
    TTP_ITEM_KEEP_ALIVE,
    TTP_ITEM_THREAD,
    TTP_ITEM_CRASH,
    TTP_ITEM_SOURCE, /* answer: a static source location */
    TTP_ITEM_ACK,    /* answer without content */
    TTP_ITEM_STRING_STAGED,
    TTP_ITEM_STRING_SECOND,
    TTP_ITEM_STRING, /* answers with a key and text */
    TTP_ITEM_THREAD_NAME,
    TTP_ITEM_PLOT_NAME,
    TTP_ITEM_FRAME_NAME,
    TTP_ITEM_FIBER_NAME,
    TTP_ITEM_SOURCE_STAGED,
    TTP_ITEM_OTHER_ANSWER, /* answers to questions that only other servers ask */
    TTP_ITEM_FRAME,        /* i64 tick, pointer to the name */
    TTP_ITEM_FRAME_START,
    TTP_ITEM_FRAME_END,
    TTP_ITEM_PARAMETER,
    TTP_ITEM_APP_INFO,  /* text staged */
    TTP_ITEM_LOCK_NAME, /* text staged */
    TTP_ITEM_CALLSTACK, /* call stack staged */
    TTP_ITEM_CALLSTACK_STAGED,
    TTP_ITEM_SWITCH, /* context switches and wake-ups of threads */
};

/* What an item leaves for a later one, or needs an earlier one to have left. */
enum { TTP_STAGED_TEXT = 1, TTP_STAGED_SOURCE = 2, TTP_STAGED_CALLSTACK = 4, TTP_STAGED_ANY = 7 };

/* How the length of an item is reported. */
enum ttp_tail {
    TTP_TAIL_NONE,
    TTP_TAIL_8,      /* u8 length after the fixed part */
    TTP_TAIL_16,     /* u16 */
    TTP_TAIL_16_256, /* u16, to which 256 is added */
    TTP_TAIL_32,
};

#define TTP_ITEM_TYPES 160

struct ttp_dialect {
    struct ttp_dialect_info info;
    bool wide;              /* GPU contexts have 16 bits */
    bool deltas_packed;     /* zone times in 16, 32 or 64 bits */
    bool value_in_hex;      /* a zone's value is shown as "N [0xN]" */
    unsigned literal_shift; /* where the tag of a literal sits: 0 none, 56 top byte, 8 low byte */
    size_t welcome_bytes;
    uint8_t size[256]; /* fixed part with the id; 0: no such item */
    uint8_t role[256];
    uint8_t tail[256];
    uint8_t gives[256], needs[256]; /* what is staged */
    uint8_t terminate, keep_alive, string, thread_name, plot_name, frame_name, fiber_name, source,
        ack, source_code_missing, symbol_code_missing;
};

/* All of them, the ones that are verified first. Built on the first call; thread safe. */
const struct ttp_dialect *ttp_capture_dialect_all(size_t *count);
/* Those of one number, Tenstorrent's first. 0: we have none. */
size_t ttp_capture_dialect_find(const struct ttp_dialect **out, size_t max, unsigned protocol);
/* Numbers to try in a row, the likely ones first; 0 at the end. */
const unsigned *ttp_capture_dialect_numbers(void);

struct ttp_dialect_seen {
    unsigned *staged;
    uint64_t *items;
};
/* Is `block` a sequence of whole items, each of which finds what it needs? Sizes alone do not tell
 * dialects apart: a byte too many is often 0, which is an item of its own, but one that needs a
 * text. *staged is what earlier blocks left, 0 before the first, TTP_STAGED_ANY after a gap. Counts
 * the items. *differs: some item has another size or meaning in the dialect `other` (NULL: not
 * asked). */
bool ttp_capture_dialect_walk(const struct ttp_dialect *d, ttp_str block,
                              struct ttp_dialect_seen seen, const struct ttp_dialect *other,
                              bool *differs);

/* The whole length of the item at p, or 0 if it is none or does not fit before `end`; *text is what
 * follows the fixed part. */
size_t ttp_capture_dialect_item(const struct ttp_dialect *d, const unsigned char *p,
                                const unsigned char *end, ttp_str *text);

/* Pointer of a literal message, without its tag. */
static inline uint64_t ttp_dialect_literal(const struct ttp_dialect *d, uint64_t packed)
{
    if (d->literal_shift == 8)
        return packed >> 8;
    return d->literal_shift ? packed & (((uint64_t)1 << 56) - 1) : packed;
}

#endif
