/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of every kind, told apart by their first bytes. */
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

enum ttp_trace_kind ttp_trace_detect(ttp_str head)
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

enum ttp_trace_kind ttp_trace_detect_file(const char *path)
{
    enum ttp_trace_kind kind = TTP_TRACE_NONE;
    struct ttp_file file;

    if (!ttp_file_exists(path) || ttp_file_is_dir(path) ||
        ttp_file_map(&file, path, NULL) != TTP_OK)
        return kind;
    kind = ttp_trace_detect(ttp_str_slice(file.text, 0, 16));
    ttp_file_close(&file);
    return kind;
}

/* ---- capture files ---- */

/* Pages behind the reader are released in steps of that size. */
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
        const size_t n = ttp_journal_block(ttp_str_slice(w->text, w->at, w->text.len), entries);

        if (n) {
            w->at += n;
            return true;
        }
        size_t next = ttp_journal_find_block(w->text, w->at + 1);
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
        if (!ttp_builder_add_block(b, entries)) {
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

bool ttp_capture_each_raw(ttp_str file, void (*take)(void *ctx, ttp_str bytes), void *ctx,
                          struct ttp_entry_start *start)
{
    struct walk w = {.text = file, .at = strlen(TTP_JOURNAL_MAGIC)};
    bool any = false;
    ttp_str entries;

    while (next_block(&w, &entries)) {
        struct ttp_journal_reader r = {.p = entries.ptr, .end = entries.ptr + entries.len};
        struct ttp_entry e;
        bool bad;

        while (ttp_journal_next(&r, &e, &bad)) {
            if (e.kind == TTP_ENTRY_START)
                *start = e.u.start;
            if (e.kind != TTP_ENTRY_RAW)
                continue;
            any = true;
            take(ctx, e.u.raw);
        }
    }
    return any;
}

/* ---- recordings of the wire ---- */

static void take_block(void *ctx, ttp_str block)
{
    ttp_str entries;

    if (ttp_journal_block(block, &entries))
        ttp_builder_add_block(ctx, entries);
}

static ttp_code no_stream(struct ttp_err *err)
{
    if (!ttp_capture_supports("lz4"))
        return ttp_fail_unbuilt(err, "LZ4, which compresses the recording", "liblz4-dev", NULL);
    return ttp_fail_at(err, TTP_EPARSE, 0, "not a recording of Tracy's wire protocol");
}

/* A stream on its way into a builder. */
struct wire_reading {
    struct ttp_trace_builder *b;
    struct ttp_arena arena;
    struct ttp_journal journal;
    struct ttp_stream s;
};

/* The caller adds the dialects that it can be; without one only messages are found, and `protocol`
 * says which kind of welcome the stream has. */
static void begin_reading(struct wire_reading *r, struct ttp_trace_builder *b, unsigned protocol)
{
    *r = (struct wire_reading){.b = b};
    ttp_journal_init(&r->journal, take_block, b, &r->arena);
    r->s.arena = &r->arena;
    r->s.protocol = protocol;
    r->s.wire.journal = &r->journal;
    r->s.wire.zones = b->options->zones;
    r->s.wire.children = &b->options->children;
    r->s.wire.keep = b->keep;
}

static bool wants_more(const struct wire_reading *r)
{
    return r->s.state < TTP_STREAM_LOST && !r->s.wire.full;
}

static void end_reading(struct wire_reading *r)
{
    struct ttp_trace *trace = r->b->trace;
    const struct ttp_stream *s = &r->s;

    ttp_wire_stream_finish(&r->s);
    if (s->wire.keep && s->started && s->ncandidates)
        ttp_keep_finish(&r->s.wire);
    ttp_journal_flush(&r->journal);
    trace->zones_dropped = r->b->options->zones != TTP_ZONES_ALL;
    trace->end = s->wire.terminated ? TTP_END_NORMAL : TTP_END_CUT;
    trace->inconsistent = s->inconsistent;
    if (s->wire.limit)
        r->b->limit = s->wire.limit;
}

static void close_reading(struct wire_reading *r)
{
    ttp_wire_stream_free(&r->s);
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
        r.s.candidate[r.s.ncandidates++] = d;
    ttp_wire_stream_init(&r.s);
    while (forgotten < file->text.len && wants_more(&r)) {
        const ttp_str part = ttp_str_slice(file->text, forgotten, forgotten + FORGET_STEP);

        ttp_wire_stream_feed(&r.s, part);
        ttp_file_forget(file, part);
        forgotten += part.len;
    }
    end_reading(&r);
    b->trace->protocol = d ? d->info.protocol : 0;
    if (r.s.state != TTP_STREAM_LENGTH || r.s.have) { /* in the middle of something */
        b->trace->lost_bytes =
            r.s.state == TTP_STREAM_LOST ? file->text.len - r.s.wire_bytes : r.s.have;
        b->trace->lost_at = file->text.len - b->trace->lost_bytes;
    }
    close_reading(&r);
    return TTP_OK;
}

/* ---- the raw stream of a capture file ---- */

/* What a capture file says about its stream. */
struct stream_facts {
    struct ttp_entry_start start; /* texts borrowed from the file */
    enum ttp_capture_end end;
    bool whole; /* the stream is there, and nothing of the file is damaged */
};

static void look_at_stream(struct stream_facts *out, ttp_str file)
{
    struct walk w = {.text = file, .at = strlen(TTP_JOURNAL_MAGIC)};
    bool raw = false;
    ttp_str entries;

    *out = (struct stream_facts){0};
    while (next_block(&w, &entries)) {
        struct ttp_journal_reader r = {.p = entries.ptr, .end = entries.ptr + entries.len};
        struct ttp_entry e;
        bool bad;

        while (ttp_journal_next(&r, &e, &bad)) {
            raw = raw || e.kind == TTP_ENTRY_RAW;
            if (e.kind == TTP_ENTRY_START)
                out->start = e.u.start;
            else if (e.kind == TTP_ENTRY_END)
                out->end = e.u.end;
        }
    }
    out->whole = raw && w.lost == 0;
}

static void feed_reading(void *ctx, ttp_str bytes)
{
    struct wire_reading *r = ctx;

    if (wants_more(r))
        ttp_wire_stream_feed(&r->s, bytes);
}

/* As it was received, when it was not clear at first either which dialect of a number it is. */
static ttp_code read_capture(struct ttp_trace_builder *b, const struct ttp_file *file,
                             struct ttp_err *err)
{
    struct stream_facts facts = {0};
    struct wire_reading r;

    if (!b->keep || !ttp_capture_supports("lz4"))
        return read_entries(b, file, err);
    look_at_stream(&facts, file->text);
    begin_reading(&r, b, facts.start.protocol);
    if (facts.whole && facts.start.known)
        r.s.ncandidates = ttp_dialect_find(r.s.candidate, TTP_STREAM_CANDIDATES, r.s.protocol);
    if (r.s.ncandidates == 0) {
        ttp_arena_free(&r.arena);
        return read_entries(b, file, err);
    }
    ttp_wire_stream_init(&r.s);
    ttp_capture_each_raw(file->text, feed_reading, &r, &facts.start);
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
        [TTP_TRACE_TRACY] = ttp_trace_read_tracy,
    };
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    out->kind = ttp_trace_detect(ttp_str_slice(file.text, 0, 16));
    ttp_code rc = readers[out->kind] ? readers[out->kind](b, &file, err) : not_a_recording(err);
    ttp_file_close(&file);
    if (b->limit)
        rc = too_much(b->limit, err);
    if (rc == TTP_OK)
        ttp_builder_finish(b);
    else
        ttp_err_where(err, path, 0);
    return rc;
}

ttp_code ttp_trace_read(struct ttp_trace *out, const char *path,
                        const struct ttp_trace_reading *options, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    struct ttp_trace_builder b;

    *out = (struct ttp_trace){0};
    ttp_builder_init(&b, out, options, arena);
    return read_any(&b, out, path, err);
}

ttp_code ttp_trace_read_whole(struct ttp_trace *out, struct ttp_wire_keep *keep, const char *path,
                              struct ttp_arena *arena, struct ttp_err *err)
{
    static const struct ttp_trace_reading everything = {.zones = TTP_ZONES_ALL, .memory = true};
    struct ttp_trace_builder b;

    *out = (struct ttp_trace){0};
    ttp_builder_init(&b, out, &everything, arena);
    b.keep = keep;
    return read_any(&b, out, path, err);
}
