/* SPDX-License-Identifier: Apache-2.0 */
/* Zones arrive as they end, so inner ones first, and name the zone around them by the number of its
 * begin. At the end they are put in the order of those numbers, which is that of their begins. */
#include "capture/trace_build.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/vec.h"
#include "capture/wire_keep.h"

#define ZONES_MAX ((size_t)UINT32_MAX - 1)

/* What Tracy shows for a name that never came. */
#define UNKNOWN_NAME TTP_STR("???")

void ttp_capture_builder_init(struct ttp_trace_builder *b, struct ttp_trace *trace,
                              const struct ttp_trace_reading *options, struct ttp_arena *arena)
{
    *b = (struct ttp_trace_builder){
        .trace = trace, .options = options, .arena = arena, .next_index = 1, .in_order = true};
    trace->names = (struct ttp_symtab){.arena = arena};
    b->string_at.arena = arena;
}

/* Make sure position `at` exists; new ones are zero. */
#define REACH(array, at, count, cap, arena)                                                        \
    (TTP_RESERVE(arena, array, (size_t)(at) + 1, cap),                                             \
     (count) = (at) < (count) ? (count) : (size_t)(at) + 1)

static bool is_within(struct ttp_trace_builder *b, size_t at, size_t max, const char *limit)
{
    if (at >= max)
        b->limit = limit;
    return at < max;
}

static bool add_thread(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    struct ttp_trace *t = b->trace;
    const uint32_t at = e->u.thread.position;

    if (!is_within(b, at, TTP_THREADS_MAX, TTP_LIMIT_THREADS))
        return false;
    REACH(t->thread, at, t->nthreads, b->cap_threads, b->arena);
    t->thread[at].tid = e->u.thread.tid;
    t->thread[at].index = (int32_t)(e->u.thread.index & INT32_MAX);
    return true;
}

static bool name_thread(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    struct ttp_trace *t = b->trace;
    const uint32_t at = e->u.thread_name.position;

    if (!is_within(b, at, TTP_THREADS_MAX, TTP_LIMIT_THREADS))
        return false;
    REACH(t->thread, at, t->nthreads, b->cap_threads, b->arena);
    t->thread[at].name = ttp_arena_copy(b->arena, e->u.thread_name.name);
    return true;
}

/* A source that is only mentioned stays without a name. */
static bool reach_source(struct ttp_trace_builder *b, uint32_t at)
{
    struct ttp_trace *t = b->trace;
    const size_t before = b->cap_sources;

    if (!is_within(b, at, TTP_SOURCES_MAX, TTP_LIMIT_SOURCES))
        return false;
    REACH(t->source, at, t->nsources, b->cap_sources, b->arena);
    if (b->cap_sources != before)
        b->source_known = ttp_arena_resize(b->arena, b->source_known, b->cap_sources);
    return true;
}

static bool add_source(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    struct ttp_symtab *names = &b->trace->names;
    const uint32_t at = e->u.source.position;

    if (!reach_source(b, at))
        return false;
    const ttp_str shown = e->u.source.name.len ? e->u.source.name : e->u.source.function;
    b->trace->source[at] = (struct ttp_trace_source){
        .name = ttp_sym_intern(names, shown.len ? shown : UNKNOWN_NAME),
        .function = ttp_sym_intern(names, e->u.source.function),
        .file = ttp_sym_intern(names, e->u.source.file.len ? e->u.source.file : UNKNOWN_NAME),
        .line = e->u.source.line,
    };
    b->source_known[at] = 1;
    return true;
}

static bool add_string(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    TTP_ROOM(b->arena, b->string, b->nstrings);
    b->string[b->nstrings] = ttp_arena_copy(b->arena, e->u.string.text);
    ttp_map_put(&b->string_at, e->u.string.key, (uint32_t)b->nstrings++);
    return true;
}

static bool add_message(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    struct ttp_trace *t = b->trace;

    if (!is_within(b, e->u.message.thread, TTP_THREADS_MAX, TTP_LIMIT_THREADS))
        return false;
    REACH(t->thread, e->u.message.thread, t->nthreads, b->cap_threads, b->arena);
    if (e->kind == TTP_ENTRY_LITERAL) {
        *TTP_PUSH(b->arena, b->literal, b->nliterals) =
            (struct ttp_literal){t->nmessages, e->u.message.key};
    }
    TTP_ROOM(b->arena, t->message, t->nmessages);
    TTP_ROOM(b->arena, b->arrival, t->nmessages);
    b->arrival[t->nmessages] = e->u.message.number;
    t->message[t->nmessages++] = (struct ttp_trace_message){
        .ns = e->u.message.ns,
        .text = e->kind == TTP_ENTRY_LITERAL ? (ttp_str){0}
                                             : ttp_arena_copy(b->arena, e->u.message.text),
        .thread = e->u.message.thread,
        .color = e->u.message.color,
    };
    return true;
}

static void *grow_column(void *column, size_t cap, size_t size, struct ttp_arena *arena)
{
    return ttp_arena_resize(arena, column, cap * size);
}

static void more_zones(struct ttp_trace_builder *b)
{
    struct ttp_trace_zones *z = &b->trace->zone;
    const size_t cap = b->cap_zones ? b->cap_zones * 2 : 4096;

    z->start_ns = grow_column(z->start_ns, cap, sizeof(*z->start_ns), b->arena);
    z->end_ns = grow_column(z->end_ns, cap, sizeof(*z->end_ns), b->arena);
    z->source = grow_column(z->source, cap, sizeof(*z->source), b->arena);
    z->thread = grow_column(z->thread, cap, sizeof(*z->thread), b->arena);
    z->extra = grow_column(z->extra, cap, sizeof(*z->extra), b->arena);
    b->number = grow_column(b->number, cap, sizeof(*b->number), b->arena);
    b->parent = grow_column(b->parent, cap, sizeof(*b->parent), b->arena);
    b->cap_zones = cap;
}

static uint32_t add_note(struct ttp_trace_builder *b, const struct ttp_entry_zone *e)
{
    struct ttp_trace_zones *z = &b->trace->zone;

    if (!e->text.ptr && !e->name.ptr)
        return TTP_ZONE_NONE;
    TTP_ROOM(b->arena, z->note, z->nnotes);
    struct ttp_zone_note *note = &z->note[z->nnotes];
    *note = (struct ttp_zone_note){0};
    if (e->text.ptr)
        note->text = ttp_arena_copy(b->arena, e->text);
    if (e->name.ptr)
        note->name = ttp_arena_copy(b->arena, e->name);
    return (uint32_t)z->nnotes++;
}

static bool add_zone(struct ttp_trace_builder *b, const struct ttp_entry_zone *e)
{
    struct ttp_trace *t = b->trace;
    struct ttp_trace_zones *z = &t->zone;

    if (b->options->zones == TTP_ZONES_NONE)
        return true;
    if (!is_within(b, e->thread, TTP_THREADS_MAX, TTP_LIMIT_THREADS) ||
        !is_within(b, z->count, ZONES_MAX, TTP_LIMIT_ZONES))
        return false;
    if (e->source >= t->nsources && !reach_source(b, e->source))
        return false;
    if (e->thread >= t->nthreads)
        REACH(t->thread, e->thread, t->nthreads, b->cap_threads, b->arena);
    if (z->count == b->cap_zones)
        more_zones(b);
    const size_t i = z->count;
    z->start_ns[i] = e->start_ns;
    z->end_ns[i] = e->end_ns;
    z->source[i] = e->source;
    z->thread[i] = e->thread;
    z->extra[i] = add_note(b, e);
    b->number[i] = e->number;
    b->parent[i] = e->parent;
    b->in_order = b->in_order && (i == 0 || b->number[i - 1] < e->number);
    z->count++;
    return true;
}

static void add_start(struct ttp_trace_builder *b, const struct ttp_entry_start *s)
{
    struct ttp_trace *t = b->trace;

    t->protocol = s->protocol;
    t->origin = !s->known ? NULL : s->fork ? "tenstorrent" : "upstream";
    t->unknown = !s->known;
    t->zones_dropped = t->zones_dropped || s->zones_dropped;
    t->pid = s->pid;
    t->epoch_s = s->epoch_s;
    t->program = ttp_arena_copy(b->arena, s->program);
    t->host = ttp_arena_copy(b->arena, s->host);
}

static void add_memory(struct ttp_trace_builder *b, const struct ttp_entry_memory *m)
{
    struct ttp_trace *t = b->trace;

    if (!b->options->memory)
        return;
    TTP_ROOM(b->arena, t->memory, t->nmemory);
    TTP_ROOM(b->arena, b->pool, t->nmemory);
    b->pool[t->nmemory] = m->pool;
    t->memory[t->nmemory++] = (struct ttp_trace_memory){
        .ns = m->ns, .address = m->address, .bytes = m->bytes, .freed = m->freed};
}

static void name_pools(struct ttp_trace_builder *b)
{
    for (size_t i = 0; i < b->trace->nmemory; i++) {
        const uint32_t at = ttp_map_get(&b->string_at, b->pool[i]);

        b->trace->memory[i].pool =
            ttp_sym_intern(&b->trace->names, at == TTP_MAP_NONE ? UNKNOWN_NAME : b->string[at]);
    }
}

static void add_state(struct ttp_trace_builder *b, const struct ttp_entry_state *s)
{
    b->trace->items = s->items;
    b->trace->zones_seen = s->zones;
    b->trace->inconsistent = b->trace->inconsistent || s->inconsistent;
    b->next_index = s->next_index > b->next_index ? s->next_index : b->next_index;
}

void ttp_capture_builder_add(struct ttp_trace_builder *b, const struct ttp_entry *e)
{
    bool good = true;

    switch (e->kind) {
    case TTP_ENTRY_START:
        add_start(b, &e->u.start);
        break;
    case TTP_ENTRY_THREAD:
        good = add_thread(b, e);
        break;
    case TTP_ENTRY_THREAD_NAME:
        good = name_thread(b, e);
        break;
    case TTP_ENTRY_SOURCE:
        good = add_source(b, e);
        break;
    case TTP_ENTRY_STRING:
        good = add_string(b, e);
        break;
    case TTP_ENTRY_MESSAGE:
    case TTP_ENTRY_LITERAL:
        good = add_message(b, e);
        break;
    case TTP_ENTRY_ZONE:
        good = add_zone(b, &e->u.zone);
        break;
    case TTP_ENTRY_STATE:
        add_state(b, &e->u.state);
        break;
    case TTP_ENTRY_END:
        b->trace->end = e->u.end;
        break;
    case TTP_ENTRY_MEMORY:
        add_memory(b, &e->u.memory);
        break;
    case TTP_ENTRY_RAW:
        break;
    }
    b->entries_bad = b->entries_bad || !good;
}

bool ttp_capture_builder_add_block(struct ttp_trace_builder *b, ttp_str entries)
{
    struct ttp_journal_reader r = {.p = entries.ptr, .end = entries.ptr + entries.len};
    struct ttp_entry e;
    bool bad;

    while (ttp_capture_journal_next(&r, &e, &bad) && !b->entries_bad)
        ttp_capture_builder_add(b, &e);
    bad = bad || b->entries_bad;
    b->entries_bad = false;
    return !bad;
}

/* ---- putting things in order ---- */

static int by_number(const void *a, const void *b, void *number)
{
    const uint64_t *n = number;
    const uint64_t x = n[*(const uint32_t *)a], y = n[*(const uint32_t *)b];

    return x < y ? -1 : x > y;
}

/* at[k]: position of the zone with the k-th smallest number. Numbers that are dense are placed, the
 * rest is sorted; a number that occurs twice is damage, one of the two stays. */
struct order {
    uint32_t *at;
    size_t count;
    uint64_t least;
    bool gapless; /* the k-th number is least + k */
};

static struct order order_of(uint64_t *number, size_t count, struct ttp_arena *scratch)
{
    struct order o = {.least = UINT64_MAX};
    uint64_t most = 0;

    for (size_t i = 0; i < count; i++) {
        o.least = number[i] < o.least ? number[i] : o.least;
        most = number[i] > most ? number[i] : most;
    }
    if (count && most - o.least < count * 4) {
        const size_t span = (size_t)(most - o.least) + 1;

        o.at = ttp_arena_resize(scratch, NULL, span * sizeof(*o.at));
        for (size_t i = 0; i < count; i++)
            o.at[number[i] - o.least] = (uint32_t)i + 1;
        for (size_t i = 0; i < span; i++)
            if (o.at[i])
                o.at[o.count++] = o.at[i] - 1;
        o.gapless = o.count == span;
    } else {
        o.at = ttp_arena_resize(scratch, NULL, (count + 1) * sizeof(*o.at));
        for (size_t i = 0; i < count; i++)
            o.at[i] = (uint32_t)i;
        qsort_r(o.at, count, sizeof(*o.at), by_number, number);
        for (size_t i = 0; i < count; i++)
            if (o.count == 0 || number[o.at[i]] != number[o.at[o.count - 1]])
                o.at[o.count++] = o.at[i];
    }
    return o;
}

/* Columns of `words` 32-bit words, a word at a time: there are many zones, and `room` is as large
 * as one word of each. */
static void permute(void *column, size_t words, const struct order *o, uint32_t *room)
{
    uint32_t *v = column;

    for (size_t word = 0; word < words; word++) {
        for (size_t i = 0; i < o->count; i++)
            room[i] = v[o->at[i] * words + word];
        for (size_t i = 0; i < o->count; i++)
            v[i * words + word] = room[i];
    }
}

static void give_back(struct ttp_trace_builder *b, uint64_t **column)
{
    if (*column)
        ttp_arena_resize(b->arena, *column, 1);
    *column = NULL;
}

/* The numbers themselves are gone where they say nothing more; *first is then the least. */
static void order_zones(struct ttp_trace_builder *b, uint64_t *first, struct ttp_arena *scratch)
{
    struct ttp_trace_zones *z = &b->trace->zone;

    if (b->in_order)
        return;
    const struct order o = order_of(b->number, z->count, scratch);
    if (o.gapless) {
        *first = o.least;
        give_back(b, &b->number);
    }
    uint32_t *room = ttp_arena_resize(scratch, NULL, (o.count + 1) * sizeof(*room));
    permute(z->start_ns, 2, &o, room);
    permute(z->end_ns, 2, &o, room);
    permute(z->source, 1, &o, room);
    permute(z->thread, 1, &o, room);
    permute(z->extra, 1, &o, room);
    permute(b->parent, 2, &o, room);
    if (b->number)
        permute(b->number, 2, &o, room);
    z->count = o.count;
}

static uint32_t find_number(const uint64_t *number, size_t n, uint64_t wanted)
{
    size_t low = 0;

    TTP_BISECT(low, n, middle, number[middle] < wanted);
    return low < n && number[low] == wanted ? (uint32_t)low : TTP_ZONE_NONE;
}

static uint32_t find_parent(const struct ttp_trace_builder *b, size_t i, uint64_t number,
                            uint64_t first)
{
    if (!b->number)
        return number >= first && number - first < i ? (uint32_t)(number - first) : TTP_ZONE_NONE;
    if (i > 0 && b->number[i - 1] == number)
        return (uint32_t)i - 1;
    return find_number(b->number, i, number);
}

/* From numbers to positions. A zone's parent began before it, usually just before. */
static void link_parents(struct ttp_trace_builder *b, uint64_t first)
{
    struct ttp_trace_zones *z = &b->trace->zone;

    z->parent = ttp_arena_resize(b->arena, NULL, (z->count + 1) * sizeof(*z->parent));
    for (size_t i = 0; i < z->count; i++) {
        const uint64_t wanted = b->parent[i];

        z->parent[i] = wanted ? find_parent(b, i, wanted - 1, first) : TTP_ZONE_NONE;
    }
}

/* The same for what else knows zones by their numbers. */
static void link_colors(struct ttp_trace_builder *b, uint64_t first)
{
    for (size_t i = 0; b->keep && i < b->keep->ncolorings; i++)
        b->keep->coloring[i].zone =
            find_parent(b, b->trace->zone.count, b->keep->coloring[i].number, first);
}

/* ---- keeping what matters ---- */

/* `below`: it lies somewhere in a TT_* zone. */
static bool matters(const struct ttp_trace_zones *z, const uint8_t *verdict, size_t i, bool below)
{
    const uint32_t p = z->parent[i];
    const uint8_t v = verdict[z->source[i]];

    return v >= TTP_VERDICT_TT || (v == TTP_VERDICT_LISTED && below) ||
           (p != TTP_ZONE_NONE && verdict[z->source[p]] == TTP_VERDICT_OP);
}

/* Zones whose names were not known in time, or that a reader does not want. Parents come before
 * their children, so one pass can move both. */
static void drop_zones(struct ttp_trace_builder *b, struct ttp_arena *scratch)
{
    struct ttp_trace *t = b->trace;
    struct ttp_trace_zones *z = &t->zone;
    uint8_t *verdict = TTP_NEW(scratch, uint8_t, t->nsources + 1);
    uint32_t *moved = ttp_arena_resize(scratch, NULL, (z->count + 1) * sizeof(*moved));
    uint8_t *keep = ttp_arena_resize(scratch, NULL, z->count + 1);
    uint8_t *below = ttp_arena_resize(scratch, NULL, z->count + 1);
    size_t n = 0;

    for (size_t i = 0; i < t->nsources; i++)
        verdict[i] = (uint8_t)ttp_capture_zone_verdict(ttp_sym_name(&t->names, t->source[i].name),
                                                       &b->options->children);
    for (size_t i = 0; i < z->count; i++) {
        const uint32_t p = z->parent[i];

        below[i] = p != TTP_ZONE_NONE && (below[p] || verdict[z->source[p]] >= TTP_VERDICT_TT);
        keep[i] = matters(z, verdict, i, below[i]);
    }
    for (size_t i = 0; i < z->count; i++) {
        uint32_t p = z->parent[i];

        while (p != TTP_ZONE_NONE && !keep[p]) /* dropped ones still have their own parent */
            p = z->parent[p];
        moved[i] = keep[i] ? (uint32_t)n++ : TTP_ZONE_NONE;
        z->parent[i] = p;
    }
    for (size_t i = 0; i < z->count; i++) {
        const uint32_t to = moved[i];

        if (to == TTP_ZONE_NONE)
            continue;
        z->start_ns[to] = z->start_ns[i];
        z->end_ns[to] = z->end_ns[i];
        z->source[to] = z->source[i];
        z->thread[to] = z->thread[i];
        z->extra[to] = z->extra[i];
        z->parent[to] = z->parent[i] == TTP_ZONE_NONE ? TTP_ZONE_NONE : moved[z->parent[i]];
    }
    t->zones_dropped = t->zones_dropped || n < z->count;
    z->count = n;
}

/* ---- the rest ---- */

static void name_sources(struct ttp_trace_builder *b)
{
    struct ttp_trace *t = b->trace;
    const ttp_sym unknown = ttp_sym_intern(&t->names, UNKNOWN_NAME);

    for (size_t i = 0; i < t->nsources; i++)
        if (!b->source_known[i])
            t->source[i] = (struct ttp_trace_source){unknown, unknown, unknown, 0};
}

static void fill_literals(struct ttp_trace_builder *b)
{
    for (size_t i = 0; i < b->nliterals; i++) {
        const uint32_t at = ttp_map_get(&b->string_at, b->literal[i].key);

        b->trace->message[b->literal[i].message].text =
            at == TTP_MAP_NONE ? UNKNOWN_NAME : b->string[at];
    }
}

static int by_arrival(const void *a, const void *b, void *arrival)
{
    return by_number(a, b, arrival);
}

static void order_messages(struct ttp_trace_builder *b, struct ttp_arena *scratch)
{
    struct ttp_trace *t = b->trace;
    bool sorted = true;

    for (size_t i = 1; i < t->nmessages; i++)
        sorted = sorted && b->arrival[i - 1] <= b->arrival[i];
    if (sorted)
        return;
    uint32_t *order = TTP_NEW(scratch, uint32_t, t->nmessages);
    struct ttp_trace_message *copy = TTP_NEW(scratch, struct ttp_trace_message, t->nmessages);
    for (size_t i = 0; i < t->nmessages; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, t->nmessages, sizeof(*order), by_arrival, b->arrival);
    for (size_t i = 0; i < t->nmessages; i++)
        copy[i] = t->message[order[i]];
    memcpy(t->message, copy, t->nmessages * sizeof(*copy));
}

/* Threads that never got a number of csvexport's get theirs when it loads the trace. */
static void number_threads(struct ttp_trace_builder *b)
{
    struct ttp_trace *t = b->trace;

    for (size_t i = 0; i < t->nthreads; i++)
        if ((uint32_t)t->thread[i].index >= b->next_index)
            b->next_index = (uint32_t)t->thread[i].index + 1;
    for (size_t i = 0; i < t->nthreads; i++)
        if (t->thread[i].index == 0)
            t->thread[i].index = (int32_t)(b->next_index++ & INT32_MAX);
}

void ttp_capture_builder_finish(struct ttp_trace_builder *b)
{
    struct ttp_arena scratch = {0};
    uint64_t first = 0;

    name_sources(b);
    name_pools(b);
    fill_literals(b);
    order_messages(b, &scratch);
    number_threads(b);
    order_zones(b, &first, &scratch);
    ttp_arena_reset(&scratch);
    link_parents(b, first);
    link_colors(b, first);
    give_back(b, &b->number);
    give_back(b, &b->parent);
    if (b->options->zones == TTP_ZONES_OPS)
        drop_zones(b, &scratch);
    ttp_arena_free(&scratch);
}
