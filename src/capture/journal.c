/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/journal.h"

#include "capture/bytes.h"

/* A block is let go of when it has grown so far; the largest entry still fits after it. */
#define BLOCK_USUAL ((size_t)256 << 10)
/* Texts longer than that are cut: no entry outgrows a block. */
#define TEXT_MAX ((size_t)1 << 20)

/* Flags of a zone. */
enum { HAS_TEXT = 1, HAS_NAME = 2, HAS_PARENT = 4, IS_OPEN = 8 };

/* Not cryptographic: any flipped bit and most rearrangements change it. */
static uint64_t check_of(const char *p, size_t n)
{
    uint64_t h = 0x9E3779B97F4A7C15u ^ n;

    for (; n >= 8; p += 8, n -= 8) {
        h ^= ttp_get64(p);
        h *= 0xBF58476D1CE4E5B9u;
        h ^= h >> 29;
    }
    for (; n > 0; p++, n--)
        h = (h ^ (unsigned char)*p) * 0x94D049BB133111EBu;
    return h ^ h >> 32;
}

void ttp_capture_journal_init(struct ttp_journal *j, void (*flush)(void *ctx, ttp_str block),
                              void *ctx, struct ttp_arena *arena)
{
    *j = (struct ttp_journal){.cap = TTP_JOURNAL_BLOCK_MAX, .flush = flush, .ctx = ctx};
    j->buf = ttp_arena_resize(arena, NULL, j->cap);
    j->len = TTP_JOURNAL_BLOCK_HEAD;
}

void ttp_capture_journal_flush(struct ttp_journal *j)
{
    const size_t n = j->len - TTP_JOURNAL_BLOCK_HEAD;

    if (n == 0)
        return;
    memcpy(j->buf, TTP_JOURNAL_BLOCK_MAGIC, 4);
    ttp_set32(j->buf + 4, (uint32_t)n);
    ttp_set64(j->buf + 8, check_of(j->buf + TTP_JOURNAL_BLOCK_HEAD, n));
    j->flush(j->ctx, (ttp_str){j->buf, j->len});
    j->len = TTP_JOURNAL_BLOCK_HEAD;
    j->last_ns = j->last_message_ns = 0;
    j->last_number = j->last_message = 0;
}

static void put(struct ttp_journal *j, uint64_t v)
{
    j->len += ttp_put_varint(j->buf + j->len, v);
}

static void put_signed(struct ttp_journal *j, int64_t v)
{
    put(j, ttp_zigzag(v));
}

static void put_text(struct ttp_journal *j, ttp_str s)
{
    const size_t n = s.len < TEXT_MAX ? s.len : TEXT_MAX;

    put(j, n);
    if (n)
        memcpy(j->buf + j->len, s.ptr, n);
    j->len += n;
}

static void begin(struct ttp_journal *j, enum ttp_entry_kind kind, size_t texts)
{
    /* numbers need less than 256 bytes in any entry */
    if (j->len >= BLOCK_USUAL || j->len + texts + 256 > j->cap)
        ttp_capture_journal_flush(j);
    j->buf[j->len++] = (char)kind;
}

static void put_start(struct ttp_journal *j, const struct ttp_entry_start *s)
{
    put(j, s->protocol);
    put(j, (uint64_t)s->known | (uint64_t)s->fork << 1 | (uint64_t)s->zones_dropped << 2);
    put(j, s->pid);
    put(j, s->epoch_s);
    put_text(j, s->program);
    put_text(j, s->host);
}

static void put_state(struct ttp_journal *j, const struct ttp_entry_state *s)
{
    put(j, s->items);
    put(j, s->zones);
    put(j, s->messages);
    put(j, s->next_index);
    put(j, s->inconsistent);
}

/* An allocation of n bytes is n + 1, a free is 0. */
static void put_memory(struct ttp_journal *j, const struct ttp_entry_memory *m)
{
    put_signed(j, m->ns);
    put(j, m->address);
    put(j, m->freed ? 0 : m->bytes + 1);
    put(j, m->pool);
}

static void put_message(struct ttp_journal *j, const struct ttp_entry *e)
{
    put_signed(j, (int64_t)(e->u.message.number - j->last_message));
    put_signed(j, ttp_wrap_sub(e->u.message.ns, j->last_message_ns));
    put(j, e->u.message.thread);
    put(j, e->u.message.color);
    j->last_message = e->u.message.number;
    j->last_message_ns = e->u.message.ns;
    if (e->kind == TTP_ENTRY_LITERAL)
        put(j, e->u.message.key);
    else
        put_text(j, e->u.message.text);
}

void ttp_capture_journal_add_zone(struct ttp_journal *j, const struct ttp_entry_zone *z)
{
    const unsigned flags = (z->text.ptr ? HAS_TEXT : 0) | (z->name.ptr ? HAS_NAME : 0) |
                           (z->parent ? HAS_PARENT : 0) |
                           (z->end_ns == TTP_ZONE_OPEN ? IS_OPEN : 0);

    begin(j, TTP_ENTRY_ZONE, z->text.len + z->name.len);
    j->buf[j->len++] = (char)flags;
    put(j, z->thread);
    put(j, z->source);
    put_signed(j, (int64_t)(z->number - j->last_number));
    put_signed(j, ttp_wrap_sub(z->start_ns, j->last_ns));
    if (!(flags & IS_OPEN))
        put_signed(j, ttp_wrap_sub(z->end_ns, z->start_ns));
    if (flags & HAS_PARENT)
        put(j, z->number - (z->parent - 1));
    if (flags & HAS_TEXT)
        put_text(j, z->text);
    if (flags & HAS_NAME)
        put_text(j, z->name);
    j->last_number = z->number;
    j->last_ns = z->start_ns;
}

static void add_raw(struct ttp_journal *j, ttp_str raw)
{
    while (raw.len) {
        const ttp_str part = ttp_str_slice(raw, 0, TEXT_MAX);

        begin(j, TTP_ENTRY_RAW, part.len);
        put_text(j, part);
        raw = ttp_str_slice(raw, part.len, raw.len);
    }
}

void ttp_capture_journal_add(struct ttp_journal *j, const struct ttp_entry *e)
{
    if (e->kind == TTP_ENTRY_ZONE) {
        ttp_capture_journal_add_zone(j, &e->u.zone);
        return;
    }
    if (e->kind == TTP_ENTRY_RAW) {
        add_raw(j, e->u.raw);
        return;
    }
    begin(j, e->kind, 3 * TEXT_MAX);
    switch (e->kind) {
    case TTP_ENTRY_START:
        put_start(j, &e->u.start);
        break;
    case TTP_ENTRY_THREAD:
        put(j, e->u.thread.position);
        put(j, e->u.thread.tid);
        put(j, e->u.thread.index);
        break;
    case TTP_ENTRY_THREAD_NAME:
        put(j, e->u.thread_name.position);
        put_text(j, e->u.thread_name.name);
        break;
    case TTP_ENTRY_SOURCE:
        put(j, e->u.source.position);
        put(j, e->u.source.line);
        put_text(j, e->u.source.name);
        put_text(j, e->u.source.function);
        put_text(j, e->u.source.file);
        break;
    case TTP_ENTRY_STRING:
        put(j, e->u.string.key);
        put_text(j, e->u.string.text);
        break;
    case TTP_ENTRY_MESSAGE:
    case TTP_ENTRY_LITERAL:
        put_message(j, e);
        break;
    case TTP_ENTRY_STATE:
        put_state(j, &e->u.state);
        break;
    case TTP_ENTRY_END:
        put(j, e->u.end);
        break;
    case TTP_ENTRY_MEMORY:
        put_memory(j, &e->u.memory);
        break;
    default:
        break;
    }
}

/* ---- reading ---- */

size_t ttp_capture_journal_block(ttp_str text, ttp_str *entries)
{
    if (text.len < TTP_JOURNAL_BLOCK_HEAD || memcmp(text.ptr, TTP_JOURNAL_BLOCK_MAGIC, 4) != 0)
        return 0;
    const size_t n = ttp_get32(text.ptr + 4);
    if (n > TTP_JOURNAL_BLOCK_MAX || n > text.len - TTP_JOURNAL_BLOCK_HEAD)
        return 0;
    *entries = (ttp_str){text.ptr + TTP_JOURNAL_BLOCK_HEAD, n};
    if (check_of(entries->ptr, n) != ttp_get64(text.ptr + 8))
        return 0;
    return TTP_JOURNAL_BLOCK_HEAD + n;
}

size_t ttp_capture_journal_find_block(ttp_str text, size_t from)
{
    const ttp_str rest = ttp_str_slice(text, from, text.len);
    const size_t at = ttp_str_find(rest, TTP_STR(TTP_JOURNAL_BLOCK_MAGIC));

    return at == TTP_NPOS ? TTP_NPOS : from + at;
}

static bool get(struct ttp_journal_reader *r, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 64 && r->p < r->end; shift += 7) {
        const unsigned char c = (unsigned char)*r->p++;

        *v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return true;
    }
    return false;
}

static bool get_u32(struct ttp_journal_reader *r, uint32_t *v)
{
    uint64_t wide;

    if (!get(r, &wide) || wide > UINT32_MAX)
        return false;
    *v = (uint32_t)wide;
    return true;
}

static bool get_signed(struct ttp_journal_reader *r, int64_t *v)
{
    uint64_t u;

    if (!get(r, &u))
        return false;
    *v = ttp_unzigzag(u);
    return true;
}

static bool get_text(struct ttp_journal_reader *r, ttp_str *out)
{
    uint64_t n;

    if (!get(r, &n) || n > (size_t)(r->end - r->p))
        return false;
    *out = (ttp_str){r->p, (size_t)n};
    r->p += n;
    return true;
}

static bool get_start(struct ttp_journal_reader *r, struct ttp_entry_start *s)
{
    uint64_t flags;

    if (!get_u32(r, &s->protocol) || !get(r, &flags) || !get(r, &s->pid) || !get(r, &s->epoch_s))
        return false;
    s->known = flags & 1;
    s->fork = flags >> 1 & 1;
    s->zones_dropped = flags >> 2 & 1;
    return get_text(r, &s->program) && get_text(r, &s->host);
}

static bool get_message(struct ttp_journal_reader *r, struct ttp_entry *e)
{
    int64_t number, ns;

    if (!get_signed(r, &number) || !get_signed(r, &ns) || !get_u32(r, &e->u.message.thread) ||
        !get_u32(r, &e->u.message.color))
        return false;
    e->u.message.number = r->last_message += (uint64_t)number;
    e->u.message.ns = r->last_message_ns = ttp_wrap_add(r->last_message_ns, ns);
    return e->kind == TTP_ENTRY_LITERAL ? get(r, &e->u.message.key)
                                        : get_text(r, &e->u.message.text);
}

static bool get_zone(struct ttp_journal_reader *r, struct ttp_entry_zone *z)
{
    int64_t number, start, length = 0;
    uint64_t up;

    if (r->p == r->end)
        return false;
    const unsigned flags = (unsigned char)*r->p++;
    if (!get_u32(r, &z->thread) || !get_u32(r, &z->source) || !get_signed(r, &number) ||
        !get_signed(r, &start) || (!(flags & IS_OPEN) && !get_signed(r, &length)))
        return false;
    z->number = r->last_number += (uint64_t)number;
    z->start_ns = r->last_ns = ttp_wrap_add(r->last_ns, start);
    z->end_ns = flags & IS_OPEN ? TTP_ZONE_OPEN : ttp_wrap_add(z->start_ns, length);
    if (flags & HAS_PARENT) {
        if (!get(r, &up) || up > z->number)
            return false;
        z->parent = z->number - up + 1;
    }
    return (!(flags & HAS_TEXT) || get_text(r, &z->text)) &&
           (!(flags & HAS_NAME) || get_text(r, &z->name));
}

static bool get_state(struct ttp_journal_reader *r, struct ttp_entry_state *s)
{
    uint64_t inconsistent;

    if (!get(r, &s->items) || !get(r, &s->zones) || !get(r, &s->messages) ||
        !get_u32(r, &s->next_index) || !get(r, &inconsistent))
        return false;
    s->inconsistent = inconsistent != 0;
    return true;
}

static bool get_memory(struct ttp_journal_reader *r, struct ttp_entry_memory *m)
{
    uint64_t bytes;

    if (!get_signed(r, &m->ns) || !get(r, &m->address) || !get(r, &bytes) || !get(r, &m->pool))
        return false;
    m->freed = bytes == 0;
    m->bytes = bytes ? bytes - 1 : 0;
    return true;
}

static bool get_end(struct ttp_journal_reader *r, enum ttp_capture_end *end)
{
    uint64_t v;

    if (!get(r, &v) || v > TTP_END_STOPPED)
        return false;
    *end = (enum ttp_capture_end)v;
    return true;
}

static bool get_body(struct ttp_journal_reader *r, struct ttp_entry *e)
{
    switch (e->kind) {
    case TTP_ENTRY_START:
        return get_start(r, &e->u.start);
    case TTP_ENTRY_THREAD:
        return get_u32(r, &e->u.thread.position) && get(r, &e->u.thread.tid) &&
               get_u32(r, &e->u.thread.index);
    case TTP_ENTRY_THREAD_NAME:
        return get_u32(r, &e->u.thread_name.position) && get_text(r, &e->u.thread_name.name);
    case TTP_ENTRY_SOURCE:
        return get_u32(r, &e->u.source.position) && get_u32(r, &e->u.source.line) &&
               get_text(r, &e->u.source.name) && get_text(r, &e->u.source.function) &&
               get_text(r, &e->u.source.file);
    case TTP_ENTRY_STRING:
        return get(r, &e->u.string.key) && get_text(r, &e->u.string.text);
    case TTP_ENTRY_MESSAGE:
    case TTP_ENTRY_LITERAL:
        return get_message(r, e);
    case TTP_ENTRY_ZONE:
        return get_zone(r, &e->u.zone);
    case TTP_ENTRY_STATE:
        return get_state(r, &e->u.state);
    case TTP_ENTRY_RAW:
        return get_text(r, &e->u.raw);
    case TTP_ENTRY_END:
        return get_end(r, &e->u.end);
    case TTP_ENTRY_MEMORY:
        return get_memory(r, &e->u.memory);
    }
    return false;
}

bool ttp_capture_journal_next(struct ttp_journal_reader *r, struct ttp_entry *e, bool *bad)
{
    *bad = false;
    if (r->p == r->end)
        return false;
    memset(e, 0, sizeof(*e));
    e->kind = (enum ttp_entry_kind)(unsigned char)*r->p++;
    *bad = !get_body(r, e);
    return !*bad;
}
