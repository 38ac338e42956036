/* SPDX-License-Identifier: Apache-2.0 */
/* journal.h - the capture file: entries in blocks that are only ever appended.
 *
 * A block is self-contained (differences start again in it) and carries a check, so a torn tail or
 * damage in the middle costs the blocks concerned. docs/formats/capture_file.md has the layout. */
#ifndef TTP_CAPTURE_JOURNAL_H
#define TTP_CAPTURE_JOURNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "capture/capture.h"

#define TTP_JOURNAL_MAGIC       "ttpcapt\x01"
#define TTP_JOURNAL_BLOCK_MAGIC "TTPb"
#define TTP_JOURNAL_BLOCK_HEAD  16
#define TTP_JOURNAL_BLOCK_MAX   ((size_t)4 << 20)

enum ttp_entry_kind {
    TTP_ENTRY_START = 1,
    TTP_ENTRY_THREAD,
    TTP_ENTRY_THREAD_NAME,
    TTP_ENTRY_SOURCE,
    TTP_ENTRY_STRING,
    TTP_ENTRY_MESSAGE,
    TTP_ENTRY_LITERAL, /* its text comes later, as a string */
    TTP_ENTRY_ZONE,
    TTP_ENTRY_STATE,
    TTP_ENTRY_RAW,
    TTP_ENTRY_END,
    TTP_ENTRY_MEMORY,
};

/* One entry of any kind; texts are borrowed. */
struct ttp_entry {
    enum ttp_entry_kind kind;
    union {
        struct ttp_entry_start {
            unsigned protocol;
            bool known, fork, zones_dropped;
            uint64_t pid, epoch_s;
            ttp_str program, host;
        } start;
        struct {
            uint32_t position;
            uint64_t tid;
            uint32_t index; /* 0: none yet */
        } thread;
        struct {
            uint32_t position;
            ttp_str name;
        } thread_name;
        struct {
            uint32_t position, line;
            ttp_str name, function, file;
        } source;
        struct {
            uint64_t key;
            ttp_str text;
        } string;
        struct {
            uint64_t number; /* counts arrivals */
            int64_t ns;
            uint32_t thread, color;
            ttp_str text;
            uint64_t key; /* of a literal */
        } message;
        struct ttp_entry_zone {
            uint64_t number; /* counts begins */
            uint64_t parent; /* its number plus one; 0: none */
            int64_t start_ns, end_ns;
            uint32_t thread, source;
            ttp_str text, name; /* ptr NULL: none */
        } zone;
        struct ttp_entry_state {
            uint64_t items, zones, messages;
            uint32_t next_index; /* that csvexport would give to a new thread */
            bool inconsistent;
        } state;
        struct ttp_entry_memory {
            int64_t ns;
            uint64_t address, bytes; /* bytes: of an allocation */
            uint64_t pool;           /* key of the string that names it */
            bool freed;
        } memory;
        ttp_str raw;
        enum ttp_capture_end end;
    } u;
};

/* Collects entries; what fills a block leaves through `flush`. */
struct ttp_journal {
    char *buf; /* TTP_JOURNAL_BLOCK_HEAD bytes, then entries */
    size_t len, cap;
    int64_t last_ns, last_message_ns; /* what differences are taken to, within the block */
    uint64_t last_number, last_message;
    /* Take one whole block with its head. */
    void (*flush)(void *ctx, ttp_str block);
    void *ctx;
};

void ttp_capture_journal_init(struct ttp_journal *j, void (*flush)(void *ctx, ttp_str block),
                              void *ctx, struct ttp_arena *arena);
void ttp_capture_journal_add(struct ttp_journal *j, const struct ttp_entry *e);
/* The same without a copy of the entry, for the kind there are millions of. */
void ttp_capture_journal_add_zone(struct ttp_journal *j, const struct ttp_entry_zone *z);
/* Let go of what has been collected. */
void ttp_capture_journal_flush(struct ttp_journal *j);

/* Entries of one block, one after the other. */
struct ttp_journal_reader {
    const char *p, *end;
    int64_t last_ns, last_message_ns;
    uint64_t last_number, last_message;
};

/* Bytes of the block that begins `text`, head included; 0: it is none, is cut or damaged. */
size_t ttp_capture_journal_block(ttp_str text, ttp_str *entries);
/* Position of the next block head at or after `from`, or TTP_NPOS. */
size_t ttp_capture_journal_find_block(ttp_str text, size_t from);
/* False: nothing left; *bad: because it is invalid. */
bool ttp_capture_journal_next(struct ttp_journal_reader *r, struct ttp_entry *e, bool *bad);

#endif
