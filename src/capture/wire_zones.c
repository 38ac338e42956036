/* SPDX-License-Identifier: Apache-2.0 */
/* Open zones are a stack per thread. Whether one is kept is decided when it ends, by its name and
 * those around it; names that are not yet known count as possible ops. */
#include <inttypes.h>
#include <stdio.h>

#include "capture/wire_zones.h"

/* Text of one zone. */
#define TEXT_MAX ((size_t)1 << 20)

static enum ttp_zone_worth verdict_of(const struct ttp_wire *w, const struct ttp_frame *f)
{
    return f->source == TTP_NO_SOURCE ? TTP_VERDICT_NO
                                      : (enum ttp_zone_worth)w->source[f->source].verdict;
}

static bool may_hold_ops(enum ttp_zone_worth v)
{
    return v == TTP_VERDICT_OP || v == TTP_VERDICT_UNKNOWN;
}

static bool is_around(const struct ttp_wire *w, const struct ttp_frame *f, enum ttp_around what)
{
    const enum ttp_zone_worth v = verdict_of(w, f);
    const bool tt = v == TTP_VERDICT_TT || may_hold_ops(v);

    if (what == TTP_AROUND_TT)
        return tt;
    return f->source != TTP_NO_SOURCE && (w->zones == TTP_ZONES_ALL || f->referenced || tt);
}

/* Position plus one of the nearest such zone around the one at `depth`; 0: none. The answer is
 * noted on the whole way, so that the ends of deeply nested zones cost one step each and not all of
 * them. */
static uint32_t nearest_around(const struct ttp_wire *w, struct ttp_wire_thread *t, size_t depth,
                               enum ttp_around what)
{
    uint32_t found = t->frame[depth].around[what];

    while (found && !is_around(w, &t->frame[found - 1], what))
        found = t->frame[found - 1].around[what];
    for (struct ttp_frame *f = &t->frame[depth]; f->around[what] != found;) {
        const uint32_t next = f->around[what];

        f->around[what] = found;
        f = &t->frame[next - 1];
    }
    return found;
}

/* Room for one more zone. False: a limit. */
static bool make_room(struct ttp_wire *w, struct ttp_wire_thread *t)
{
    const size_t more = t->cap ? t->cap : 4; /* many threads never nest */

    if (t->depth < t->cap)
        return true;
    if (w->room_frames + more > TTP_FRAMES_MAX) {
        ttp_wire_stop_at(w, TTP_LIMIT_FRAMES);
        return false;
    }
    w->room_frames += more;
    t->cap += more;
    t->frame = ttp_arena_resize(w->arena, t->frame, t->cap * sizeof(*t->frame));
    return true;
}

static void push(struct ttp_wire *w, struct ttp_wire_thread *t, uint32_t source)
{
    if (t->depth == TTP_DEPTH_MAX) { /* a runaway: its other items still count */
        t->too_deep++;
        w->limit = w->limit ? w->limit : TTP_LIMIT_DEPTH;
        return;
    }
    if (!make_room(w, t))
        return;
    const uint32_t parent = (uint32_t)t->depth;
    struct ttp_frame *f = &t->frame[t->depth++];
    for (size_t i = 0; i < TTP_AROUNDS; i++)
        f->around[i] = parent;
    f->number = w->next_zone++;
    f->start = w->clock;
    f->source = source;
    f->text_base = (uint32_t)t->texts_len;
    f->text_len = f->name_len = 0;
    f->referenced = f->has_text = f->has_name = false;
}

void ttp_wire_begin_zone(struct ttp_wire *w, uint64_t key)
{
    const uint32_t at = ttp_wire_current(w);
    struct ttp_wire_thread *t = &w->thread[at];

    w->zones_seen++;
    push(w, t, ttp_wire_static_source(w, key));
}

void ttp_wire_begin_zone_inline(struct ttp_wire *w)
{
    const uint32_t at = ttp_wire_current(w);
    struct ttp_wire_thread *t = &w->thread[at];
    const ttp_str payload = {w->payload, w->payload_len};
    uint32_t source = TTP_NO_SOURCE;

    w->zones_seen++;
    if (!w->has_payload) {
        w->odd++;
    } else if (w->zones == TTP_ZONES_ALL ||
               (t->depth && may_hold_ops(verdict_of(w, &t->frame[t->depth - 1]))) ||
               ttp_capture_zone_verdict(ttp_wire_payload_name(payload), w->children) !=
                   TTP_VERDICT_NO) {
        source = ttp_wire_inline_source(w, payload);
    }
    w->has_payload = false;
    push(w, t, source);
}

/* Of the zone at `depth` of the stack, which may still get its name. */
static bool is_kept(const struct ttp_wire *w, struct ttp_wire_thread *t, size_t depth)
{
    const struct ttp_frame *f = &t->frame[depth];
    const enum ttp_zone_worth v = verdict_of(w, f);

    if (w->zones != TTP_ZONES_OPS || f->source == TTP_NO_SOURCE)
        return w->zones == TTP_ZONES_ALL && f->source != TTP_NO_SOURCE;
    if (f->referenced || v == TTP_VERDICT_OP || v == TTP_VERDICT_TT)
        return true;
    if (v == TTP_VERDICT_UNKNOWN)
        return !w->quiet || w->source[f->source].answered;
    if (depth && may_hold_ops(verdict_of(w, &t->frame[depth - 1])))
        return true;
    return v == TTP_VERDICT_LISTED && nearest_around(w, t, depth, TTP_AROUND_TT) != 0;
}

/* Number plus one of the zone around it that is, or may be, kept. */
static uint64_t kept_parent(const struct ttp_wire *w, struct ttp_wire_thread *t, size_t depth)
{
    const uint32_t at = nearest_around(w, t, depth, TTP_AROUND_KEPT);

    if (at == 0)
        return 0;
    t->frame[at - 1].referenced = true;
    return t->frame[at - 1].number + 1;
}

/* Empty texts are texts too, and take no room. */
static ttp_str text_at(const struct ttp_wire_thread *t, bool has, size_t at, size_t len)
{
    if (!has)
        return (ttp_str){0};
    return len ? (ttp_str){t->texts + at, len} : TTP_STR("");
}

static void write_zone(struct ttp_wire *w, uint32_t thread, size_t depth, int64_t end_ns)
{
    struct ttp_wire_thread *t = &w->thread[thread];
    const struct ttp_frame *f = &t->frame[depth];
    const struct ttp_entry_zone zone = {
        .number = f->number,
        .parent = kept_parent(w, t, depth),
        .start_ns = ttp_wire_ns(w, f->start),
        .end_ns = end_ns,
        .thread = thread,
        .source = f->source,
        .text = text_at(t, f->has_text, f->text, f->text_len),
        .name = text_at(t, f->has_name, f->name, f->name_len),
    };

    ttp_capture_journal_add_zone(w->journal, &zone);
    w->zones_kept++;
}

void ttp_wire_end_zone(struct ttp_wire *w)
{
    const uint32_t at = ttp_wire_current(w);
    struct ttp_wire_thread *t = &w->thread[at];

    if (t->too_deep) {
        t->too_deep--;
        return;
    }
    if (t->depth == 0) {
        w->odd++;
        return;
    }
    if (is_kept(w, t, t->depth - 1))
        write_zone(w, at, t->depth - 1, ttp_wire_ns(w, w->clock));
    t->depth--;
    t->texts_len = t->frame[t->depth].text_base;
}

/* ---- texts of zones ---- */

/* The innermost open zone if it can matter, else NULL. */
static struct ttp_frame *texted_zone(struct ttp_wire *w, struct ttp_wire_thread **thread)
{
    const uint32_t at = ttp_wire_current(w);
    struct ttp_wire_thread *t = &w->thread[at];

    *thread = t;
    if (t->depth == 0) {
        w->odd++;
        return NULL;
    }
    return t->too_deep == 0 && is_kept(w, t, t->depth - 1) ? &t->frame[t->depth - 1] : NULL;
}

/* Room for that many bytes more after the texts. False: a limit. */
static bool make_text_room(struct ttp_wire *w, struct ttp_wire_thread *t, size_t bytes)
{
    if (t->texts_len + bytes <= t->cap_texts)
        return true;
    const size_t cap = (t->texts_len + bytes) * 2 + 256;
    if (w->room_texts + (cap - t->cap_texts) > TTP_TEXTS_MAX) {
        ttp_wire_stop_at(w, TTP_LIMIT_TEXTS);
        return false;
    }
    w->room_texts += cap - t->cap_texts;
    t->cap_texts = cap;
    t->texts = ttp_arena_resize(w->arena, t->texts, cap);
    return true;
}

/* There is room for it. */
static uint32_t add_text(struct ttp_wire_thread *t, ttp_str s)
{
    const uint32_t at = (uint32_t)t->texts_len;

    if (s.len)
        memcpy(t->texts + at, s.ptr, s.len);
    t->texts_len += s.len;
    return at;
}

/* More text continues a line of its own, as Tracy shows it. */
void ttp_wire_zone_text(struct ttp_wire *w, ttp_str s)
{
    struct ttp_wire_thread *t;
    struct ttp_frame *f = texted_zone(w, &t);

    if (!f)
        return;
    s = ttp_until_nul(s);
    if (f->has_text && f->text_len + s.len >= TEXT_MAX)
        return;
    if (!make_text_room(w, t, s.len + 1 + (f->has_text ? f->text_len : 0)))
        return;
    if (!f->has_text) {
        f->text = add_text(t, s);
        f->text_len = (uint32_t)s.len;
        f->has_text = true;
        return;
    }
    if (f->text + f->text_len != t->texts_len) /* something came after it: move it up */
        f->text = add_text(t, (ttp_str){t->texts + f->text, f->text_len});
    add_text(t, TTP_STR("\n"));
    add_text(t, s);
    f->text_len += (uint32_t)s.len + 1;
}

void ttp_wire_zone_name(struct ttp_wire *w, ttp_str s)
{
    struct ttp_wire_thread *t;
    struct ttp_frame *f = texted_zone(w, &t);

    s = ttp_until_nul(s);
    if (!f || !make_text_room(w, t, s.len))
        return;
    f->name = add_text(t, s);
    f->name_len = (uint32_t)s.len;
    f->has_name = true;
}

void ttp_wire_zone_value(struct ttp_wire *w, uint64_t value)
{
    char text[64];
    const int n = w->dialect->value_in_hex
                      ? snprintf(text, sizeof(text), "%" PRIu64 " [0x%" PRIx64 "]", value, value)
                      : snprintf(text, sizeof(text), "%" PRIu64, value);

    ttp_wire_zone_text(w, (ttp_str){text, (size_t)n});
}

void ttp_wire_finish(struct ttp_wire *w)
{
    ttp_wire_finish_sources(w);
    for (uint32_t i = 0; i < w->nthreads; i++)
        for (size_t depth = 0; depth < w->thread[i].depth; depth++)
            if (is_kept(w, &w->thread[i], depth))
                write_zone(w, i, depth, TTP_ZONE_OPEN);
}
