/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of every kind, distinguished by their first bytes. */
#include "capture/bytes.h"
#include "capture/trace_readers.h"
#include "capture/wire_keep.h"
#include "capture/wire_stream.h"

const char *ttp_capture_end_text(enum ttp_capture_end end)
{
    static const char *const text[] = {
        [TTP_END_OPEN] = "still open, or the receiver was killed",
        [TTP_END_NORMAL] = "complete",
        [TTP_END_CUT] = "the connection broke: the program was killed or crashed",
        [TTP_END_REFUSED] = "refused: the program already had another server",
        [TTP_END_NOT_TRACY] = "the program on that port is not Tracy",
        [TTP_END_STOPPED] = "stopped before the program ended",
    };
    return text[end];
}

enum ttp_trace_kind ttp_capture_trace_detect(ttp_str head)
{
    static const struct {
        ttp_str magic;
        enum ttp_trace_kind kind;
    } known[] = {
        {TTP_STR(TTP_JOURNAL_MAGIC), TTP_TRACE_CAPTURE},
        {TTP_STR("tlZ\x04"), TTP_TRACE_TRACY},
        {TTP_STR("tZst"), TTP_TRACE_TRACY},
        {TTP_STR("tr\xFDP"), TTP_TRACE_TRACY},
    };

    for (size_t i = 0; i < TTP_COUNT(known); i++)
        if (ttp_str_starts(head, known[i].magic))
            return known[i].kind;
    /* status, then a double that is the length of a clock tick in ns */
    if (head.len >= 16 && head.ptr[0] == TTP_STATUS_WELCOME) {
        const double mul = ttp_get_f64(head.ptr + 1);
        if (mul > 1e-6 && mul < 1e6)
            return TTP_TRACE_WIRE;
    }
    return TTP_TRACE_NONE;
}

enum ttp_trace_kind ttp_capture_trace_detect_file(const char *path)
{
    enum ttp_trace_kind kind = TTP_TRACE_NONE;
    struct ttp_file file;

    if (!ttp_file_exists(path) || ttp_file_is_dir(path) ||
        ttp_file_map(&file, path, NULL) != TTP_OK)
        return kind;
    kind = ttp_capture_trace_detect(ttp_str_slice(file.text, 0, 16));
    ttp_file_close(&file);
    return kind;
}

/* ---- capture files ---- */

/* Pages before the reader's position are released in steps of that size. */
#define FORGET_STEP ((size_t)8 << 20)

struct walk {
    ttp_str text;
    size_t at;
    uint64_t lost, lost_at;
};

/* The next good block; damage is stepped over and counted. */
static bool next_block(struct walk *w, ttp_str *entries)
{
    while (w->at < w->text.len) {
        const size_t n =
            ttp_capture_journal_block(ttp_str_slice(w->text, w->at, w->text.len), entries);

        if (n) {
            w->at += n;
            return true;
        }
        size_t next = ttp_capture_journal_find_block(w->text, w->at + 1);
        next = next == TTP_NPOS ? w->text.len : next;
        if (w->lost == 0)
            w->lost_at = w->at;
        w->lost += next - w->at;
        w->at = next;
    }
    return false;
}

static ttp_code read_entries(struct ttp_trace_builder *b, const struct ttp_file *file,
                             struct ttp_err *err)
{
    struct walk w = {.text = file->text, .at = strlen(TTP_JOURNAL_MAGIC)};
    size_t blocks = 0, forgotten = 0;
    ttp_str entries;

    while (!b->limit && next_block(&w, &entries)) {
        blocks++;
        if (!ttp_capture_builder_add_block(b, entries)) {
            w.lost_at = w.lost ? w.lost_at : (size_t)(entries.ptr - file->text.ptr);
            w.lost += entries.len;
        }
        if (w.at - forgotten > FORGET_STEP) {
            ttp_file_forget(file, ttp_str_slice(file->text, forgotten, w.at));
            forgotten = w.at;
        }
    }
    b->trace->lost_bytes = w.lost;
    b->trace->lost_at = w.lost_at;
    if (blocks == 0 && w.lost)
        return ttp_fail_at(err, TTP_EPARSE, w.lost_at, "this capture file has no complete block");
    return TTP_OK;
}

/* What a capture file says about its stream. */
struct stream_facts {
    struct ttp_entry_start start; /* texts borrowed from the file */
    enum ttp_capture_end end;
    bool raw;   /* the stream is there */
    bool whole; /* and nothing of the file is damaged */
};

typedef void take_raw_fn(void *ctx, ttp_str bytes);

/* All entries of a capture file; `take`, which may be NULL, gets the bytes of the stream. */
static struct stream_facts walk_stream(ttp_str file, take_raw_fn *take, void *ctx)
{
    struct walk w = {.text = file, .at = strlen(TTP_JOURNAL_MAGIC)};
    struct stream_facts facts = {0};
    ttp_str entries;

    while (next_block(&w, &entries)) {
        struct ttp_journal_reader r = {.p = entries.ptr, .end = entries.ptr + entries.len};
        struct ttp_entry e;
        bool bad;

        while (ttp_capture_journal_next(&r, &e, &bad)) {
            facts.raw = facts.raw || e.kind == TTP_ENTRY_RAW;
            if (e.kind == TTP_ENTRY_START)
                facts.start = e.u.start;
            else if (e.kind == TTP_ENTRY_END)
                facts.end = e.u.end;
            else if (e.kind == TTP_ENTRY_RAW && take)
                take(ctx, e.u.raw);
        }
    }
    facts.whole = facts.raw && w.lost == 0;
    return facts;
}

bool ttp_capture_each_raw(ttp_str file, void (*take)(void *ctx, ttp_str bytes), void *ctx,
                          struct ttp_entry_start *start)
{
    const struct stream_facts facts = walk_stream(file, take, ctx);

    *start = facts.start;
    return facts.raw;
}

/* ---- recordings of the wire ---- */

static void take_block(void *ctx, ttp_str block)
{
    ttp_str entries;

    if (ttp_capture_journal_block(block, &entries))
        ttp_capture_builder_add_block(ctx, entries);
}

static ttp_code no_stream(struct ttp_err *err)
{
    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which compresses the recording", "liblz4-dev", NULL);
    return ttp_fail_at(err, TTP_EPARSE, 0, "not a recording of Tracy's wire protocol");
}

/* A stream on its way into a builder. */
struct wire_reading {
    struct ttp_trace_builder *builder;
    struct ttp_arena arena;
    struct ttp_journal journal;
    struct ttp_stream stream;
};

/* The caller adds the dialects that it can be; without one only messages are found, and `protocol`
 * says which kind of welcome the stream has. */
static void begin_reading(struct wire_reading *r, struct ttp_trace_builder *b, unsigned protocol)
{
    *r = (struct wire_reading){.builder = b};
    ttp_capture_journal_init(&r->journal, take_block, b, &r->arena);
    r->stream.arena = &r->arena;
    r->stream.protocol = protocol;
    r->stream.wire.journal = &r->journal;
    r->stream.wire.zones = b->options->zones;
    r->stream.wire.children = &b->options->children;
    r->stream.wire.keep = b->keep;
}

static bool wants_more(const struct wire_reading *r)
{
    return r->stream.state < TTP_STREAM_LOST && !r->stream.wire.full;
}

static void end_reading(struct wire_reading *r)
{
    struct ttp_trace *trace = r->builder->trace;
    const struct ttp_stream *s = &r->stream;

    ttp_wire_stream_finish(&r->stream);
    if (s->wire.keep && s->started && s->ncandidates)
        ttp_capture_keep_finish(&r->stream.wire);
    ttp_capture_journal_flush(&r->journal);
    trace->zones_dropped = r->builder->options->zones != TTP_ZONES_ALL;
    trace->end = s->wire.terminated ? TTP_END_NORMAL : TTP_END_CUT;
    trace->inconsistent = s->inconsistent;
    if (s->wire.limit)
        r->builder->limit = s->wire.limit;
}

static void close_reading(struct wire_reading *r)
{
    ttp_wire_stream_free(&r->stream);
    ttp_arena_free(&r->arena);
}

static ttp_code read_wire(struct ttp_trace_builder *b, const struct ttp_file *file,
                          struct ttp_err *err)
{
    struct wire_reading r;
    size_t welcome, forgotten = 0;

    const struct ttp_dialect *d = ttp_wire_stream_guess(file->text, &welcome);
    if (welcome == 0)
        return no_stream(err);
    begin_reading(&r, b, d ? d->info.protocol : welcome == 1178 ? 0 : 1000);
    if (d)
        r.stream.candidate[r.stream.ncandidates++] = d;
    ttp_wire_stream_init(&r.stream);
    while (forgotten < file->text.len && wants_more(&r)) {
        const ttp_str part = ttp_str_slice(file->text, forgotten, forgotten + FORGET_STEP);

        ttp_wire_stream_feed(&r.stream, part);
        ttp_file_forget(file, part);
        forgotten += part.len;
    }
    end_reading(&r);
    b->trace->protocol = d ? d->info.protocol : 0;
    if (r.stream.state != TTP_STREAM_LENGTH || r.stream.have) { /* in the middle of something */
        b->trace->lost_bytes = r.stream.state == TTP_STREAM_LOST
                                   ? file->text.len - r.stream.wire_bytes
                                   : r.stream.have;
        b->trace->lost_at = file->text.len - b->trace->lost_bytes;
    }
    close_reading(&r);
    return TTP_OK;
}

/* ---- the raw stream of a capture file ---- */

static void feed_reading(void *ctx, ttp_str bytes)
{
    struct wire_reading *r = ctx;

    if (wants_more(r))
        ttp_wire_stream_feed(&r->stream, bytes);
}

/* As it was received, when it was not clear at first either which dialect of a number it is. */
static ttp_code read_capture(struct ttp_trace_builder *b, const struct ttp_file *file,
                             struct ttp_err *err)
{
    struct wire_reading r;

    if (!b->keep || !ttp_capture_supports("lz4"))
        return read_entries(b, file, err);
    const struct stream_facts facts = walk_stream(file->text, NULL, NULL);
    begin_reading(&r, b, facts.start.protocol);
    if (facts.whole && facts.start.known)
        r.stream.ncandidates =
            ttp_capture_dialect_find(r.stream.candidate, TTP_STREAM_CANDIDATES, r.stream.protocol);
    if (r.stream.ncandidates == 0) {
        ttp_arena_free(&r.arena);
        return read_entries(b, file, err);
    }
    ttp_wire_stream_init(&r.stream);
    walk_stream(file->text, feed_reading, &r);
    end_reading(&r);
    b->trace->end = facts.end; /* the receiver knew more than the stream says */
    close_reading(&r);
    return TTP_OK;
}

/* ---- any of them ---- */

static ttp_code not_a_recording(struct ttp_err *err)
{
    ttp_fail(err, TTP_EPARSE, "neither a .tracy file, nor a capture file, nor a wire recording");
    ttp_err_hint(err, "identify the file with 'tt-perf info FILE'");
    return TTP_EPARSE;
}

static ttp_code too_much(const char *limit, struct ttp_err *err)
{
    ttp_fail(err, TTP_ELIMIT, "the recording exceeds a limit: %s", limit);
    ttp_err_hint(err, "record less at a time; if the file is not yours, it may be crafted to "
                      "exhaust memory");
    return TTP_ELIMIT;
}

static ttp_code read_any(struct ttp_trace_builder *b, struct ttp_trace *out, const char *path,
                         struct ttp_err *err)
{
    static ttp_trace_reader *const readers[] = {
        [TTP_TRACE_CAPTURE] = read_capture,
        [TTP_TRACE_WIRE] = read_wire,
        [TTP_TRACE_TRACY] = ttp_capture_trace_read_tracy,
    };
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    out->kind = ttp_capture_trace_detect(ttp_str_slice(file.text, 0, 16));
    ttp_code rc = readers[out->kind] ? readers[out->kind](b, &file, err) : not_a_recording(err);
    ttp_file_close(&file);
    if (b->limit)
        rc = too_much(b->limit, err);
    if (rc == TTP_OK)
        ttp_capture_builder_finish(b);
    else
        ttp_err_where(err, path, 0);
    return rc;
}

ttp_code ttp_capture_trace_read(struct ttp_trace *out, const char *path,
                                const struct ttp_trace_reading *options, struct ttp_arena *arena,
                                struct ttp_err *err)
{
    struct ttp_trace_builder b;

    *out = (struct ttp_trace){0};
    ttp_capture_builder_init(&b, out, options, arena);
    return read_any(&b, out, path, err);
}

ttp_code ttp_capture_trace_read_whole(struct ttp_trace *out, struct ttp_wire_keep *keep,
                                      const char *path, struct ttp_arena *arena,
                                      struct ttp_err *err)
{
    static const struct ttp_trace_reading everything = {.zones = TTP_ZONES_ALL, .memory = true};
    struct ttp_trace_builder b;

    *out = (struct ttp_trace){0};
    ttp_capture_builder_init(&b, out, &everything, arena);
    b.keep = keep;
    return read_any(&b, out, path, err);
}
