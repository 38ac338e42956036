/* SPDX-License-Identifier: Apache-2.0 */
/* wire_items.h - from the items of a stream to entries of a journal.
 *
 * Zones are kept or dropped as they end, so what is held is the zones that are open, the names, and
 * nothing per zone. Names come as answers to questions; zones that end before their name is known
 * are written, and whoever reads the journal decides again. */
#ifndef TTP_CAPTURE_WIRE_ITEMS_H
#define TTP_CAPTURE_WIRE_ITEMS_H

#include "base/map.h"
#include "capture/capture_limits.h"
#include "capture/dialect.h"
#include "capture/journal.h"
#include "capture/wire_gpu.h"

/* Questions to a client; their numbers are the same in all dialects. */
enum ttp_query {
    TTP_QUERY_TERMINATE = 0,
    TTP_QUERY_STRING = 1,
    TTP_QUERY_THREAD = 2,
    TTP_QUERY_SOURCE = 3,
    TTP_QUERY_PLOT = 4,
    TTP_QUERY_FRAME = 5,
    TTP_QUERY_PARAMETER = 6,
    TTP_QUERY_FIBER = 7,
    TTP_QUERY_EXTERNAL = 8,
    TTP_QUERY_DISCONNECT = 9,
    TTP_QUERY_CALLSTACK_FRAME = 10,
    TTP_QUERY_SYMBOL = 11,
    TTP_QUERY_SYMBOL_CODE = 12,
    TTP_QUERY_SOURCE_CODE = 13,
    TTP_QUERY_DATA = 14,
    TTP_QUERY_DATA_PART = 15,
};
#define TTP_QUERY_BYTES ((size_t)13)

/* What the name of a zone says about keeping it. */
enum ttp_zone_worth {
    TTP_VERDICT_UNKNOWN,
    TTP_VERDICT_NO,
    TTP_VERDICT_LISTED, /* to be kept below TT_* */
    TTP_VERDICT_TT,
    TTP_VERDICT_OP,
};
enum ttp_zone_worth ttp_capture_zone_verdict(ttp_str name, const struct ttp_words *children);

/* What a client tells of itself before the first block. */
struct ttp_welcome {
    double timer_mul;             /* ns per tick */
    int64_t init_begin, init_end; /* ticks */
    uint64_t delay, resolution;   /* ticks; delay 0: unknown */
    uint64_t epoch_s, exec_s, pid;
    int64_t sampling_period;
    unsigned char processor[17]; /* u8 architecture, 12 bytes maker, u32 id */
    ttp_str program, host;       /* borrowed from the bytes */
    bool on_demand;              /* 16 more bytes follow */
};
/* `bytes` are as many as the dialect's welcome_bytes. */
void ttp_capture_welcome_read(struct ttp_welcome *out, ttp_str bytes);

struct ttp_wire_source {
    uint64_t name, function, file; /* addresses of texts; 0: none */
    uint32_t line, color;
    uint8_t verdict;
    uint8_t missing; /* texts that have not come yet */
    bool answered, written;
    ttp_str text[3]; /* name, function, file, as far as it is known */
};

struct ttp_wire_thread;
struct ttp_wire_string;
struct ttp_wire_keep;

struct ttp_wire {
    const struct ttp_dialect *dialect;
    struct ttp_journal *journal;
    struct ttp_arena *arena;
    enum ttp_zones zones;
    const struct ttp_words *children;
    struct ttp_welcome welcome;

    /* Set by the caller: called for every question that is owed. NULL: someone else asks. */
    void (*ask)(void *ctx, enum ttp_query query, uint64_t what);
    void *ask_ctx;
    /* Counted. */
    uint64_t items, zones_seen, zones_kept, messages, ops, answers, asked;
    uint64_t odd;      /* items that are invalid where they are, such as an end without a begin */
    const char *limit; /* which was reached, see limits.h; NULL: none */
    bool full;         /* nothing more is decoded because of it */
    int64_t last_tick;

    /* Set by the caller: gets the items that the journal omits, see wire_keep.h; NULL: none. */
    struct ttp_wire_keep *keep;
    bool asks_all; /* set by the caller: the names of plots and frames are asked for as well */
    /* Set by the caller: questions of another server are seen, see ttp_wire_asked(). */
    bool told_order;
    bool quiet; /* ask nothing any more */
    bool terminated, crashed;
    bool has_staged, has_payload; /* private, as what follows */
    uint32_t tid, current;        /* current: position in thread plus one; 0: not looked up */
    uint32_t next_index;

    struct ttp_map source_at, string_at, thread_at, index_at, context_thread, fiber_at, shown_at;
    struct ttp_wire_source *source;
    size_t nsources, cap_sources;
    struct ttp_wire_string *string;
    size_t nstrings;
    struct ttp_waiter {
        uint32_t source, next;
        uint8_t which;
    } * waiter;
    size_t nwaiters, cap_waiters;
    struct ttp_wire_thread *thread;
    size_t nthreads, cap_threads;
    uint64_t *fifo; /* source locations asked for, in order */
    size_t fifo_first, fifo_count, cap_fifo;
    struct ttp_symtab payloads; /* source locations that came inline */
    uint32_t *payload_source;
    size_t cap_payloads;
    int64_t clock;            /* of the current thread */
    int64_t serial;           /* the clock of locks, memory and some zones of devices */
    uint64_t pool;            /* of the next item of memory: address of its name; 0: none */
    struct ttp_map pool_told; /* names of pools that the journal has, or waits for */
    uint64_t next_zone;
    struct ttp_wire_gpu gpu; /* use and arg set by the caller */
    char *staged;            /* text for the next item that wants one */
    size_t staged_len, cap_staged;
    char *payload; /* the same for source locations */
    size_t payload_len, cap_payload;
    size_t room_frames, room_texts; /* taken for open zones and their texts, on all threads */
    size_t name_bytes;              /* of all names kept */
};

/* `w` has dialect, journal, arena, zones, children, welcome and ask set; the rest zero. */
void ttp_wire_start(struct ttp_wire *w);
/* A block that ttp_capture_dialect_walk() found to be whole items. */
void ttp_wire_block(struct ttp_wire *w, ttp_str block);
/* Another server asked this. */
void ttp_wire_asked(struct ttp_wire *w, enum ttp_query query, uint64_t what);
/* How many answers are still to come. */
static inline uint64_t ttp_wire_owed(const struct ttp_wire *w)
{
    return w->asked > w->answers ? w->asked - w->answers : 0;
}
/* Write the counts so far. */
void ttp_wire_write_state(struct ttp_wire *w, bool inconsistent);
/* Write what is still held: names that came in part, zones that never ended. */
void ttp_wire_finish(struct ttp_wire *w);
/* ns since the start of the trace. */
int64_t ttp_wire_ns(const struct ttp_wire *w, int64_t tick);

/* Private to the module: names, see wire_names.c. */
uint32_t ttp_wire_static_source(struct ttp_wire *w, uint64_t key);
uint32_t ttp_wire_inline_source(struct ttp_wire *w, ttp_str payload);
ttp_str ttp_wire_payload_name(ttp_str payload);
ttp_str ttp_wire_payload_file(ttp_str payload);
void ttp_wire_answer_source(struct ttp_wire *w, const unsigned char *item);
void ttp_wire_answer_string(struct ttp_wire *w, uint64_t key, ttp_str text);
/* The text if it is known; else it is asked for, and written to the journal when it comes. */
bool ttp_wire_literal(struct ttp_wire *w, uint64_t key, ttp_str *text);
void ttp_wire_ask(struct ttp_wire *w, enum ttp_query query, uint64_t what);
/* A limit is reached: nothing more is decoded, and the first one is reported. */
void ttp_wire_stop_at(struct ttp_wire *w, const char *limit);
void ttp_wire_finish_sources(struct ttp_wire *w);
/* Up to the first NUL, as C programs see it. */
static inline ttp_str ttp_until_nul(ttp_str s)
{
    const char *nul = s.len ? memchr(s.ptr, 0, s.len) : NULL;
    return (ttp_str){s.ptr, nul ? (size_t)(nul - s.ptr) : s.len};
}

#endif
