/* SPDX-License-Identifier: Apache-2.0 */
/* Open zones are a stack per thread. Whether one is kept is decided when it ends, by its name and
 * those around it; names that are not known yet count as possible ops. */
#include <inttypes.h>
#include <stdio.h>

#include "capture/wire_zones.h"

/* Deeper than any program nests; what a runaway opens beyond is not kept. */
#define DEPTH_MAX ((size_t)1 << 16)
/* Text of one zone. */
#define TEXT_MAX ((size_t)1 << 20)

static enum ttp_verdict verdict_of(const struct ttp_wire *w, const struct ttp_frame *f)
{
    return f->source == TTP_NO_SOURCE ? TTP_VERDICT_NO
                                      : (enum ttp_verdict)w->source[f->source].verdict;
}

static bool may_hold_ops(enum ttp_verdict v)
{
    return v == TTP_VERDICT_OP || v == TTP_VERDICT_UNKNOWN;
}

static void push(struct ttp_wire *w, struct ttp_wire_thread *t, uint32_t source)
{
    if (t->depth == DEPTH_MAX) {
        t->too_deep++;
        return;
    }
    if (t->depth == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 64;
        t->frame = ttp_arena_resize(w->arena, t->frame, t->cap * sizeof(*t->frame));
    }
    struct ttp_frame *f = &t->frame[t->depth++];
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
               ttp_zone_verdict(ttp_wire_payload_name(payload), w->children) != TTP_VERDICT_NO) {
        source = ttp_wire_inline_source(w, payload);
    }
    w->has_payload = false;
    push(w, t, source);
}

static bool has_tt_around(const struct ttp_wire *w, const struct ttp_wire_thread *t, size_t depth)
{
    while (depth-- > 0) {
        const enum ttp_verdict v = verdict_of(w, &t->frame[depth]);

        if (v == TTP_VERDICT_TT || may_hold_ops(v))
            return true;
    }
    return false;
}

/* Of the zone at `depth` of the stack, which may still get its name. */
static bool is_kept(const struct ttp_wire *w, const struct ttp_wire_thread *t, size_t depth)
{
    const struct ttp_frame *f = &t->frame[depth];
    const enum ttp_verdict v = verdict_of(w, f);

    if (w->zones != TTP_ZONES_OPS || f->source == TTP_NO_SOURCE)
        return w->zones == TTP_ZONES_ALL && f->source != TTP_NO_SOURCE;
    if (f->referenced || v == TTP_VERDICT_OP || v == TTP_VERDICT_TT)
        return true;
    if (v == TTP_VERDICT_UNKNOWN)
        return !w->quiet || w->source[f->source].answered;
    if (depth && may_hold_ops(verdict_of(w, &t->frame[depth - 1])))
        return true;
    return v == TTP_VERDICT_LISTED && has_tt_around(w, t, depth);
}

/* Number plus one of the zone around it that is, or may be, kept. */
static uint64_t kept_parent(const struct ttp_wire *w, struct ttp_wire_thread *t, size_t depth)
{
    while (depth-- > 0) {
        struct ttp_frame *f = &t->frame[depth];
        const enum ttp_verdict v = verdict_of(w, f);

        if (f->source == TTP_NO_SOURCE || (w->zones != TTP_ZONES_ALL && !f->referenced &&
                                           v != TTP_VERDICT_TT && !may_hold_ops(v)))
            continue;
        f->referenced = true;
        return f->number + 1;
    }
    return 0;
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

    ttp_journal_add_zone(w->journal, &zone);
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

static uint32_t add_text(struct ttp_wire *w, struct ttp_wire_thread *t, ttp_str s)
{
    const uint32_t at = (uint32_t)t->texts_len;

    if (t->texts_len + s.len > t->cap_texts) {
        t->cap_texts = (t->texts_len + s.len) * 2 + 256;
        t->texts = ttp_arena_resize(w->arena, t->texts, t->cap_texts);
    }
    if (s.len)
        memcpy(t->texts + at, s.ptr, s.len);
    t->texts_len += s.len;
    return at;
}

/* More text goes on a line of its own, as Tracy shows it. */
void ttp_wire_zone_text(struct ttp_wire *w, ttp_str s)
{
    struct ttp_wire_thread *t;
    struct ttp_frame *f = texted_zone(w, &t);

    if (!f || t->texts_len > (size_t)UINT32_MAX / 4)
        return;
    s = ttp_until_nul(s);
    if (f->has_text && f->text_len + s.len >= TEXT_MAX)
        return;
    if (!f->has_text) {
        f->text = add_text(w, t, s);
        f->text_len = (uint32_t)s.len;
        f->has_text = true;
        return;
    }
    if (f->text + f->text_len != t->texts_len) { /* something came behind it: move it up */
        add_text(w, t, (ttp_str){NULL, 0});
        const uint32_t old = f->text;
        if (t->texts_len + f->text_len > t->cap_texts) {
            t->cap_texts = (t->texts_len + f->text_len) * 2 + 256;
            t->texts = ttp_arena_resize(w->arena, t->texts, t->cap_texts);
        }
        f->text = (uint32_t)t->texts_len;
        memcpy(t->texts + f->text, t->texts + old, f->text_len);
        t->texts_len += f->text_len;
    }
    add_text(w, t, TTP_STR("\n"));
    add_text(w, t, s);
    f->text_len += (uint32_t)s.len + 1;
}

void ttp_wire_zone_name(struct ttp_wire *w, ttp_str s)
{
    struct ttp_wire_thread *t;
    struct ttp_frame *f = texted_zone(w, &t);

    if (!f || t->texts_len > (size_t)UINT32_MAX / 4)
        return;
    s = ttp_until_nul(s);
    f->name = add_text(w, t, s);
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
