/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/wire_stream.h"

#include "capture/bytes.h"

/* Blocks that are put off until it is clear which dialect reads them. */
#define HELD_MAX ((size_t)16 << 20)

#define ON_DEMAND_BYTES 16

/* Welcomes of the known dialects; of an unknown one, where the first block must begin. */
static const size_t welcome_sizes[] = {1170, 1178};

void ttp_wire_stream_init(struct ttp_stream *s)
{
    s->wire.arena = s->arena;
    s->wire.dialect = s->ncandidates ? s->candidate[0] : NULL;
    s->unpacker = ttp_capture_unpacker_new(TTP_WIRE_PLAIN_MAX, s->arena);
    s->cap = TTP_WIRE_PACKED_MAX + 64;
    s->buf = ttp_arena_bytes(s->arena, s->cap);
    s->held_tail = &s->held;
    s->need = 1;
    s->last_single = -1;
    s->state = TTP_STREAM_STATUS;
}

void ttp_wire_stream_free(struct ttp_stream *s)
{
    ttp_arena_free(&s->held_arena);
}

static size_t welcome_bytes(const struct ttp_stream *s)
{
    if (s->ncandidates)
        return s->candidate[0]->welcome_bytes;
    return s->protocol && s->protocol < 75 ? 1178 : 1170; /* as the nearest known ones */
}

static void write_start(struct ttp_stream *s)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_START};
    const struct ttp_welcome *welcome = &s->wire.welcome;

    if (s->started)
        return;
    s->started = true;
    if (s->ncandidates) {
        ttp_wire_start(&s->wire);
        return;
    }
    e.u.start = (struct ttp_entry_start){.protocol = s->protocol,
                                         .zones_dropped = true,
                                         .pid = welcome->pid,
                                         .epoch_s = welcome->epoch_s,
                                         .program = welcome->program,
                                         .host = welcome->host};
    ttp_capture_journal_add(s->wire.journal, &e);
}

static void take_welcome(struct ttp_stream *s, ttp_str bytes)
{
    const ttp_str kept = ttp_arena_copy(s->arena, bytes);

    ttp_capture_welcome_read(&s->wire.welcome, kept);
    s->welcomed = true;
    write_start(s);
    s->state = s->wire.welcome.on_demand ? TTP_STREAM_ON_DEMAND : TTP_STREAM_LENGTH;
    s->need = s->wire.welcome.on_demand ? ON_DEMAND_BYTES : 4;
}

/* Messages of a block that no table fits; their thread is unknown. */
static void salvage(struct ttp_stream *s, ttp_str block)
{
    struct ttp_salvaged m;
    size_t at = 0;

    while (ttp_capture_salvage_next(&m, block, &at, &s->wire.welcome)) {
        struct ttp_entry e = {.kind = TTP_ENTRY_MESSAGE};

        if (s->wire.nthreads == 0 && s->salvaged == 0) {
            struct ttp_entry thread = {.kind = TTP_ENTRY_THREAD};
            ttp_capture_journal_add(s->wire.journal, &thread);
        }
        e.u.message.number = s->wire.messages++;
        e.u.message.ns = ttp_wire_ns(&s->wire, m.tick);
        e.u.message.color = UINT32_MAX;
        e.u.message.text = ttp_until_nul(m.text);
        ttp_capture_journal_add(s->wire.journal, &e);
        s->wire.ops += ttp_str_has(m.text, TTP_STR("_OP"));
        s->salvaged++;
    }
}

static void apply_held(struct ttp_stream *s)
{
    for (const struct ttp_held *h = s->held; h; h = h->next)
        ttp_wire_block(&s->wire, h->text);
    s->held = NULL;
    s->held_tail = &s->held;
    s->held_bytes = 0;
    ttp_arena_reset(&s->held_arena);
}

static void hold(struct ttp_stream *s, ttp_str block)
{
    struct ttp_held *h = TTP_NEW(&s->held_arena, struct ttp_held, 1);

    h->text = ttp_arena_copy(&s->held_arena, block);
    *s->held_tail = h;
    s->held_tail = &h->next;
    s->held_bytes += block.len;
}

/* Keep the candidates for which the block is whole items; false, and all of them, if there are
 * none. *differs: they do not agree on what is in it. */
static bool sift(struct ttp_stream *s, ttp_str block, bool *differs)
{
    size_t n = 0;

    *differs = false;
    for (size_t i = 0; i < s->ncandidates; i++) {
        const struct ttp_dialect *other = s->ncandidates > 1 ? s->candidate[i == 0] : NULL;
        unsigned staged = s->staged[i];
        uint64_t items = 0;

        if (!ttp_capture_dialect_walk(s->candidate[i], block,
                                      (struct ttp_dialect_seen){&staged, &items}, other, differs))
            continue;
        s->candidate[n] = s->candidate[i];
        s->staged[n++] = staged;
    }
    if (n == 0) {
        for (size_t i = 0; i < s->ncandidates; i++)
            s->staged[i] = TTP_STAGED_ANY;
        return false;
    }
    s->ncandidates = n;
    s->wire.dialect = s->candidate[0];
    return true;
}

static void take_plain(struct ttp_stream *s, ttp_str block)
{
    bool differs;

    s->plain_bytes += block.len;
    s->blocks++;
    s->last_single = block.len == 1 ? (unsigned char)block.ptr[0] : -1;
    if (s->wire.full)
        return;
    if (s->ncandidates == 0) {
        salvage(s, block);
        return;
    }
    if (!sift(s, block, &differs)) {
        s->bad_blocks++;
        s->inconsistent = true;
        s->wire.quiet = true;
        salvage(s, block);
        return;
    }
    if (s->ncandidates > 1 && (s->held || differs) && s->held_bytes + block.len <= HELD_MAX) {
        hold(s, block);
        return;
    }
    if (s->held &&
        s->ncandidates > 1) /* too much to wait for: the likelier one, but no questions */
        s->wire.quiet = true;
    apply_held(s);
    ttp_wire_block(&s->wire, block);
    s->inconsistent = s->inconsistent || s->wire.full;
}

static void take_packed(struct ttp_stream *s, ttp_str packed)
{
    ttp_str plain;

    s->state = TTP_STREAM_LENGTH;
    s->need = 4;
    if (ttp_capture_unpacker_run(s->unpacker, packed, &plain)) {
        take_plain(s, plain);
        return;
    }
    s->state = TTP_STREAM_LOST;
    s->bad_blocks++;
    s->inconsistent = true;
    s->wire.quiet = true;
}

static void take_length(struct ttp_stream *s, ttp_str bytes)
{
    const uint32_t n = ttp_get32(bytes.ptr);

    if (n == 0 || n > TTP_WIRE_PACKED_MAX) {
        s->state = TTP_STREAM_LOST;
        s->bad_blocks++;
        s->inconsistent = true;
        s->wire.quiet = true;
        return;
    }
    s->state = TTP_STREAM_BLOCK;
    s->need = n;
}

static void take_status(struct ttp_stream *s, ttp_str bytes)
{
    s->status = (unsigned char)bytes.ptr[0];
    s->state = s->status == TTP_STATUS_WELCOME ? TTP_STREAM_WELCOME : TTP_STREAM_REFUSED;
    s->need = welcome_bytes(s);
}

/* One whole part. */
static void take(struct ttp_stream *s, ttp_str part)
{
    switch (s->state) {
    case TTP_STREAM_STATUS:
        take_status(s, part);
        break;
    case TTP_STREAM_WELCOME:
        take_welcome(s, part);
        break;
    case TTP_STREAM_ON_DEMAND:
        s->state = TTP_STREAM_LENGTH;
        s->need = 4;
        break;
    case TTP_STREAM_LENGTH:
        take_length(s, part);
        break;
    case TTP_STREAM_BLOCK:
        take_packed(s, part);
        break;
    case TTP_STREAM_LOST:
    case TTP_STREAM_REFUSED:
        break;
    }
}

static void feed_parts(struct ttp_stream *s, ttp_str bytes)
{
    while (bytes.len && s->state < TTP_STREAM_LOST) {
        if (s->have == 0 && bytes.len >= s->need) { /* no copy */
            const ttp_str part = ttp_str_slice(bytes, 0, s->need);

            bytes = ttp_str_slice(bytes, s->need, bytes.len);
            take(s, part);
            continue;
        }
        const size_t n = s->need - s->have < bytes.len ? s->need - s->have : bytes.len;
        memcpy(s->buf + s->have, bytes.ptr, n);
        s->have += n;
        bytes = ttp_str_slice(bytes, n, bytes.len);
        if (s->have < s->need)
            return;
        s->have = 0;
        take(s, (ttp_str){s->buf, s->need});
    }
}

void ttp_wire_stream_feed(struct ttp_stream *s, ttp_str bytes)
{
    s->wire_bytes += bytes.len;
    if (s->raw && s->state != TTP_STREAM_REFUSED && bytes.len) {
        struct ttp_entry e = {.kind = TTP_ENTRY_RAW};

        e.u.raw = bytes;
        ttp_capture_journal_add(s->wire.journal, &e);
    }
    feed_parts(s, bytes);
}

void ttp_wire_stream_finish(struct ttp_stream *s)
{
    if (!s->started)
        return;
    s->wire.quiet = true;
    if (s->ncandidates) {
        apply_held(s);
        ttp_wire_finish(&s->wire);
    }
    ttp_wire_write_state(&s->wire, s->inconsistent);
}

/* ---- recordings without a number ---- */

/* Does the first block begin after a welcome of that size? */
static bool blocks_from(ttp_str recording, size_t at, struct ttp_unpacker *unpacker)
{
    ttp_str plain;

    if (recording.len < at + 4)
        return recording.len == at;
    const size_t n = ttp_get32(recording.ptr + at);
    if (n == 0 || n > TTP_WIRE_PACKED_MAX)
        return false;
    if (n > recording.len - at - 4)
        return true; /* cut within its first block: believe it */
    ttp_capture_unpacker_reset(unpacker);
    return ttp_capture_unpacker_run(unpacker, ttp_str_slice(recording, at + 4, at + 4 + n), &plain);
}

static size_t find_welcome(ttp_str recording, struct ttp_unpacker *unpacker, size_t *first_block)
{
    for (size_t i = 0; i < TTP_COUNT(welcome_sizes); i++)
        for (size_t extra = 0; extra <= ON_DEMAND_BYTES; extra += ON_DEMAND_BYTES) {
            struct ttp_welcome welcome;

            *first_block = 1 + welcome_sizes[i] + extra;
            if (recording.len < *first_block)
                continue;
            ttp_capture_welcome_read(&welcome, ttp_str_slice(recording, 1, 1 + welcome_sizes[i]));
            if (welcome.on_demand == (extra > 0) && blocks_from(recording, *first_block, unpacker))
                return welcome_sizes[i];
        }
    return 0;
}

/* The blocks of a recording, one after the other. */
struct blocks {
    ttp_str recording;
    size_t at;
    struct ttp_unpacker *unpacker;
};

static bool next_block(struct blocks *b, ttp_str *plain)
{
    if (b->recording.len - b->at < 4)
        return false;
    const size_t n = ttp_get32(b->recording.ptr + b->at);
    if (n > b->recording.len - b->at - 4)
        return false;
    const size_t from = b->at + 4;
    b->at = from + n;
    return ttp_capture_unpacker_run(b->unpacker, ttp_str_slice(b->recording, from, b->at), plain);
}

static bool fits_all(const struct ttp_dialect *d, struct blocks b)
{
    unsigned staged = 0;
    uint64_t items = 0;
    ttp_str plain;

    ttp_capture_unpacker_reset(b.unpacker);
    while (next_block(&b, &plain))
        if (!ttp_capture_dialect_walk(d, plain, (struct ttp_dialect_seen){&staged, &items}, NULL,
                                      NULL))
            return false;
    return true;
}

/* The one that most blocks fit; NULL: they fit none. For recordings with damage. */
static const struct ttp_dialect *fits_most(const struct ttp_dialect *const *list, size_t n,
                                           struct blocks b)
{
    uint64_t good[64] = {0}, items = 0;
    size_t best = 0;
    ttp_str plain;

    ttp_capture_unpacker_reset(b.unpacker);
    while (next_block(&b, &plain))
        for (size_t i = 0; i < n; i++) {
            unsigned staged = TTP_STAGED_ANY;

            good[i] += ttp_capture_dialect_walk(
                list[i], plain, (struct ttp_dialect_seen){&staged, &items}, NULL, NULL);
        }
    for (size_t i = 1; i < n; i++)
        best = good[i] > good[best] ? i : best;
    return n && good[best] ? list[best] : NULL;
}

const struct ttp_dialect *ttp_wire_stream_guess(ttp_str recording, size_t *welcome)
{
    struct ttp_arena arena = {0};
    struct blocks b = {.recording = recording};
    const struct ttp_dialect *list[64], *found = NULL;
    size_t total, n = 0;
    const struct ttp_dialect *all = ttp_capture_dialect_all(&total);

    b.unpacker = ttp_capture_unpacker_new(TTP_WIRE_PLAIN_MAX, &arena);
    *welcome = recording.len && recording.ptr[0] == TTP_STATUS_WELCOME
                   ? find_welcome(recording, b.unpacker, &b.at)
                   : 0;
    for (size_t i = 0; *welcome && i < total && i < TTP_COUNT(list); i++)
        if (all[i].welcome_bytes == *welcome)
            list[n++] = &all[i];
    for (size_t i = 0; i < n && !found; i++)
        if (fits_all(list[i], b))
            found = list[i];
    if (!found && n)
        found = fits_most(list, n, b);
    ttp_arena_free(&arena);
    return found;
}
