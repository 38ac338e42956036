/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a stream: addresses first, texts later. A source location is an address; its answer
 * holds addresses of three texts, which are asked for in turn. Answers to the first kind of
 * question carry no key: they come in the order of the questions. */
#include "base/vec.h"
#include "capture/bytes.h"
#include "capture/wire_items.h"

enum { NAME, FUNCTION, FILE_NAME, TEXTS };

struct ttp_wire_string {
    ttp_str text;
    uint64_t key;
    bool known, literal;
    uint32_t waiters; /* position plus one */
};

/* Addresses of user space end far below; anything above is a sign that we misread. */
#define ADDRESS_END ((uint64_t)1 << 52)

enum ttp_zone_worth ttp_capture_zone_verdict(ttp_str name, const struct ttp_words *children)
{
    const size_t at = ttp_str_find(name, TTP_STR("TT_"));

    if (at != TTP_NPOS)
        return ttp_str_has(name, TTP_STR("TT_DNN")) || ttp_str_has(name, TTP_STR("TT_METAL"))
                   ? TTP_VERDICT_OP
                   : TTP_VERDICT_TT;
    if (ttp_str_eq(name, TTP_STR("CompileProgram")) ||
        ttp_str_eq(name, TTP_STR("HWCommandQueue_write_buffer")))
        return TTP_VERDICT_LISTED;
    for (size_t i = 0; children && i < children->count; i++)
        if (ttp_str_eq(name, ttp_str_from(children->word[i])))
            return TTP_VERDICT_LISTED;
    return TTP_VERDICT_NO;
}

void ttp_wire_ask(struct ttp_wire *w, enum ttp_query query, uint64_t what)
{
    if (w->quiet)
        return;
    if (query != TTP_QUERY_THREAD && (what == 0 || what >= ADDRESS_END)) {
        w->odd++;
        w->quiet = true; /* we misread: another question could crash the program */
        return;
    }
    if (query == TTP_QUERY_SOURCE && !w->told_order) {
        /* the queue is a ring once it has been read from */
        if (w->fifo_first + w->fifo_count == w->cap_fifo && w->fifo_first > w->cap_fifo / 2) {
            memmove(w->fifo, w->fifo + w->fifo_first, w->fifo_count * sizeof(*w->fifo));
            w->fifo_first = 0;
        }
        TTP_RESERVE(w->arena, w->fifo, w->fifo_first + w->fifo_count + 1, w->cap_fifo);
        w->fifo[w->fifo_first + w->fifo_count++] = what;
    }
    w->asked++;
    if (w->ask)
        w->ask(w->ask_ctx, query, what);
}

void ttp_wire_asked(struct ttp_wire *w, enum ttp_query query, uint64_t what)
{
    const bool told = w->told_order, quiet = w->quiet;

    if (query != TTP_QUERY_SOURCE || what == 0 || what >= ADDRESS_END)
        return;
    w->told_order = w->quiet = false;
    ttp_wire_ask(w, query, what);
    w->told_order = told;
    w->quiet = quiet;
}

/* Are there names enough? `bytes` more are to be kept. */
static bool has_room(struct ttp_wire *w, size_t count, size_t max, const char *limit, size_t bytes)
{
    if (count >= max)
        ttp_wire_stop_at(w, limit);
    else if (w->name_bytes + bytes > TTP_NAMES_MAX)
        ttp_wire_stop_at(w, TTP_LIMIT_NAMES);
    else
        w->name_bytes += bytes;
    return !w->full;
}

static bool has_source_room(struct ttp_wire *w, size_t bytes)
{
    return has_room(w, w->nsources, TTP_SOURCES_MAX, TTP_LIMIT_SOURCES, bytes);
}

/* There is room. */
static struct ttp_wire_source *new_source(struct ttp_wire *w)
{
    TTP_ROOM(w->arena, w->source, w->nsources);
    struct ttp_wire_source *s = &w->source[w->nsources++];
    *s = (struct ttp_wire_source){0};
    return s;
}

uint32_t ttp_wire_static_source(struct ttp_wire *w, uint64_t key)
{
    const uint32_t known = ttp_map_get(&w->source_at, key);

    if (known != TTP_MAP_NONE)
        return known;
    if (!has_source_room(w, 0))
        return TTP_MAP_NONE; /* as a zone that is dropped has it */
    const uint32_t at = (uint32_t)w->nsources;
    new_source(w);
    ttp_map_put(&w->source_at, key, at);
    ttp_wire_ask(w, TTP_QUERY_SOURCE, key);
    return at;
}

static ttp_str shown_name(const struct ttp_wire_source *s)
{
    return s->text[NAME].len ? s->text[NAME] : s->text[FUNCTION];
}

static void write_source(struct ttp_wire *w, uint32_t at)
{
    struct ttp_wire_source *s = &w->source[at];
    struct ttp_entry e = {.kind = TTP_ENTRY_SOURCE};

    e.u.source.position = at;
    e.u.source.line = s->line;
    e.u.source.name = s->text[NAME];
    e.u.source.function = s->text[FUNCTION];
    e.u.source.file = s->text[FILE_NAME];
    ttp_capture_journal_add(w->journal, &e);
    s->written = true;
    if (s->missing == 0)
        s->verdict = (uint8_t)ttp_capture_zone_verdict(shown_name(s), w->children);
}

/* Payload: u32 colour, u32 line, function NUL, file NUL, name. */
static bool split_payload(ttp_str payload, ttp_str text[TEXTS])
{
    if (payload.len < 8)
        return false;
    ttp_str rest = ttp_str_slice(payload, 8, payload.len);
    text[FUNCTION] = ttp_until_nul(rest);
    rest = ttp_str_slice(rest, text[FUNCTION].len + 1, rest.len);
    text[FILE_NAME] = ttp_until_nul(rest);
    rest = ttp_str_slice(rest, text[FILE_NAME].len + 1, rest.len);
    text[NAME] = ttp_until_nul(rest);
    return true;
}

ttp_str ttp_wire_payload_name(ttp_str payload)
{
    ttp_str text[TEXTS] = {{0}};

    split_payload(payload, text);
    return text[NAME].len ? text[NAME] : text[FUNCTION];
}

ttp_str ttp_wire_payload_file(ttp_str payload)
{
    ttp_str text[TEXTS] = {{0}};

    split_payload(payload, text);
    return text[FILE_NAME];
}

/* 0xRRGGBB there, with red in the low byte here, as static ones come. */
static uint32_t payload_color(const unsigned char *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

uint32_t ttp_wire_inline_source(struct ttp_wire *w, ttp_str payload)
{
    const ttp_sym sym = ttp_sym_intern(&w->payloads, payload);

    if (sym < w->cap_payloads && w->payload_source[sym])
        return w->payload_source[sym] - 1;
    while (sym >= w->cap_payloads)
        TTP_RESERVE(w->arena, w->payload_source, w->cap_payloads + 1, w->cap_payloads);
    if (!has_source_room(w, payload.len))
        return TTP_MAP_NONE;
    const uint32_t at = (uint32_t)w->nsources;
    struct ttp_wire_source *s = new_source(w);
    const ttp_str kept = ttp_sym_name(&w->payloads, sym);
    s->answered = true;
    s->line = kept.len >= 8 ? ttp_get32(kept.ptr + 4) : 0;
    s->color = kept.len >= 8 ? payload_color((const unsigned char *)kept.ptr) : 0;
    split_payload(kept, s->text);
    w->payload_source[sym] = at + 1;
    write_source(w, at);
    return at;
}

/* TTP_MAP_NONE: a limit. */
static uint32_t string_of(struct ttp_wire *w, uint64_t key)
{
    const uint32_t known = ttp_map_get(&w->string_at, key);

    if (known != TTP_MAP_NONE)
        return known;
    if (!has_room(w, w->nstrings, TTP_STRINGS_MAX, TTP_LIMIT_STRINGS, 0))
        return TTP_MAP_NONE;
    const uint32_t at = (uint32_t)w->nstrings;
    *TTP_PUSH(w->arena, w->string, w->nstrings) = (struct ttp_wire_string){.key = key};
    ttp_map_put(&w->string_at, key, at);
    return at;
}

/* Text `which` of a source location: at once, or when it comes. */
static void want_text(struct ttp_wire *w, uint32_t source, uint8_t which, uint64_t key)
{
    if (key == 0)
        return;
    const bool fresh = ttp_map_get(&w->string_at, key) == TTP_MAP_NONE;
    const uint32_t at = string_of(w, key);
    if (at == TTP_MAP_NONE)
        return;
    struct ttp_wire_string *s = &w->string[at];
    if (s->known) {
        w->source[source].text[which] = s->text;
        return;
    }
    TTP_RESERVE(w->arena, w->waiter, w->nwaiters + 1, w->cap_waiters);
    w->waiter[w->nwaiters] = (struct ttp_waiter){source, s->waiters, which};
    s->waiters = (uint32_t)++w->nwaiters;
    w->source[source].missing++;
    if (fresh)
        ttp_wire_ask(w, TTP_QUERY_STRING, key);
}

void ttp_wire_answer_source(struct ttp_wire *w, const unsigned char *item)
{
    w->answers++;
    if (w->fifo_count == 0) { /* an unexpected answer */
        w->odd++;
        return;
    }
    const uint64_t key = w->fifo[w->fifo_first++];
    w->fifo_count--;
    if (w->fifo_count == 0)
        w->fifo_first = 0;
    uint32_t at = ttp_map_get(&w->source_at, key);
    if (at == TTP_MAP_NONE) { /* another server asked before we saw it */
        if (!has_source_room(w, 0))
            return;
        at = (uint32_t)w->nsources;
        new_source(w);
        ttp_map_put(&w->source_at, key, at);
    }
    struct ttp_wire_source *s = &w->source[at];
    if (s->answered)
        return;
    s->answered = true;
    s->name = ttp_get64(item + 1);
    s->function = ttp_get64(item + 9);
    s->file = ttp_get64(item + 17);
    s->line = ttp_get32(item + 25);
    s->color = (uint32_t)item[29] << 16 | (uint32_t)item[30] << 8 | item[31];
    const uint64_t keys[TEXTS] = {s->name, s->function, s->file};
    for (size_t i = 0; i < TEXTS; i++)
        want_text(w, at, (uint8_t)i, keys[i]);
    if (w->source[at].missing == 0)
        write_source(w, at);
}

static void write_string(struct ttp_wire *w, const struct ttp_wire_string *s)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_STRING};

    e.u.string.key = s->key;
    e.u.string.text = s->text;
    ttp_capture_journal_add(w->journal, &e);
}

void ttp_wire_answer_string(struct ttp_wire *w, uint64_t key, ttp_str text)
{
    w->answers++;
    const uint32_t at = string_of(w, key);
    if (at == TTP_MAP_NONE)
        return;
    struct ttp_wire_string *s = &w->string[at];
    text = ttp_until_nul(text);
    if (s->known || !has_room(w, 0, 1, NULL, text.len))
        return;
    s->known = true;
    s->text = ttp_arena_copy(w->arena, text);
    if (s->literal)
        write_string(w, s);
    for (uint32_t i = s->waiters; i; i = w->waiter[i - 1].next) {
        const struct ttp_waiter *wait = &w->waiter[i - 1];
        struct ttp_wire_source *source = &w->source[wait->source];

        source->text[wait->which] = s->text;
        if (--source->missing == 0)
            write_source(w, wait->source);
    }
    s->waiters = 0;
}

bool ttp_wire_literal(struct ttp_wire *w, uint64_t key, ttp_str *text)
{
    const bool fresh = ttp_map_get(&w->string_at, key) == TTP_MAP_NONE;
    const uint32_t at = string_of(w, key);

    *text = TTP_STR("");
    if (at == TTP_MAP_NONE)
        return true;
    *text = w->string[at].text;
    if (w->string[at].known)
        return true;
    w->string[at].literal = true;
    if (fresh)
        ttp_wire_ask(w, TTP_QUERY_STRING, key);
    return false;
}

void ttp_wire_finish_sources(struct ttp_wire *w)
{
    for (size_t i = 0; i < w->nsources; i++)
        if (!w->source[i].written)
            write_source(w, (uint32_t)i);
}
