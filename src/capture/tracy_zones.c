/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of a .tracy file: each with its children inside it, times as differences to whatever came
 * before. */
#include "capture/tracy_walk.h"

#include "base/vec.h"

bool ttp_tracy_go_deeper(struct ttp_tracy *t, struct ttp_tracy_walk *w, uint64_t left)
{
    if (w->depth == TTP_DEPTH_MAX) {
        t->builder->limit = TTP_LIMIT_DEPTH;
        return ttp_tracy_odd(t, TTP_LIMIT_DEPTH);
    }
    w->level = ttp_vec_reserve(t->arena, w->level, ++w->depth, &w->cap, w->size);
    struct ttp_tracy_level *l = memset(ttp_tracy_innermost(w), 0, w->size);
    l->left = left;
    return true;
}

struct level {
    struct ttp_tracy_level walk;
    uint64_t number;
    int64_t start;
    uint32_t source, extra;
    uint64_t parent;  /* number plus one of the nearest zone around it that is kept; 0: none */
    bool kept, below; /* below: it lies somewhere in a TT_* zone */
};

struct timeline {
    struct ttp_tracy_walk walk; /* over struct level */
    uint32_t thread;
    int64_t ref;
};

static ttp_str noted(const struct ttp_tracy *t, uint32_t at)
{
    return at > 0 && at <= t->nstrings ? t->string[at - 1] : (ttp_str){0};
}

static void add_zone(struct ttp_tracy *t, const struct timeline *line)
{
    const struct level *l = ttp_tracy_innermost(&line->walk);
    struct ttp_entry e = {.kind = TTP_ENTRY_ZONE};

    e.u.zone.number = l->number;
    e.u.zone.parent = l->parent;
    e.u.zone.start_ns = l->start;
    e.u.zone.end_ns = line->ref < l->start ? TTP_ZONE_OPEN : line->ref;
    e.u.zone.thread = line->thread;
    e.u.zone.source = l->source;
    if (l->extra < t->nextras) {
        e.u.zone.text = noted(t, t->extra[l->extra].text);
        e.u.zone.name = noted(t, t->extra[l->extra].name);
    }
    ttp_capture_builder_add(t->builder, &e);
}

static bool is_kept(const struct ttp_tracy *t, const struct level *l, const struct level *around)
{
    const uint8_t v = t->verdict[l->source];

    if (t->builder->options->zones != TTP_ZONES_OPS)
        return true;
    return v >= TTP_VERDICT_TT || (v == TTP_VERDICT_LISTED && l->below) ||
           (around && t->verdict[around->source] == TTP_VERDICT_OP);
}

bool ttp_tracy_source(const struct ttp_tracy *t, int16_t id, uint32_t *source)
{
    const size_t at = id >= 0 ? (size_t)id : t->nexpand + (size_t)(-1 - id);

    *source = (uint32_t)at;
    return at < (id >= 0 ? t->nexpand : t->nexpand + t->ndynamic);
}

/* Zone: i16 source location, i64 start, u32 extra, u32 children, then those, then i64 end. */
static bool open_zone(struct ttp_tracy *t, void *arg, uint64_t *children)
{
    struct timeline *line = arg;
    struct level *l = ttp_tracy_innermost(&line->walk);
    const struct level *around = line->walk.depth > 1 ? l - 1 : NULL;
    unsigned char z[18];

    if (!ttp_tracy_get(&t->in, z, sizeof(z)))
        return false;
    if (!ttp_tracy_source(t, (int16_t)ttp_get16(z), &l->source))
        return ttp_tracy_odd(t, "a zone has an unknown source location");
    line->ref = ttp_wrap_add(line->ref, ttp_get_i64(z + 2));
    l->number = t->zones++;
    l->start = line->ref;
    l->extra = ttp_get32(z + 10);
    l->below = around && (around->below || t->verdict[around->source] >= TTP_VERDICT_TT);
    l->kept = is_kept(t, l, around);
    l->parent = !around ? 0 : around->kept ? around->number + 1 : around->parent;
    *children = ttp_get32(z + 14);
    return true;
}

static bool close_zone(struct ttp_tracy *t, void *arg)
{
    struct timeline *line = arg;
    const struct level *l = ttp_tracy_innermost(&line->walk);
    int64_t end;

    if (!ttp_tracy_i64(t, &end))
        return false;
    line->ref = ttp_wrap_add(line->ref, end);
    if (l->kept)
        add_zone(t, line);
    return true;
}

static bool read_timeline(struct ttp_tracy *t, struct timeline *line)
{
    uint32_t n;

    line->ref = 0;
    return ttp_tracy_u32(t, &n) &&
           ttp_tracy_walk_zones(t, &line->walk, n,
                                (struct ttp_tracy_taker){open_zone, close_zone, line});
}

static bool read_thread(struct ttp_tracy *t, uint32_t position, struct timeline *line)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_THREAD};
    struct ttp_trace *trace = t->builder->trace;
    uint64_t tid, n, key;

    if (!ttp_tracy_u64(t, &tid) || !ttp_tracy_skip(&t->in, 8 + 8 + 1) ||
        (t->version >= TTP_TRACY_VERSION(0, 11, 1) && !ttp_tracy_skip(&t->in, 4)))
        return false;
    const uint32_t index = ttp_map_get(&t->index_of, tid);
    e.u.thread.position = position;
    e.u.thread.tid = tid;
    e.u.thread.index = index == TTP_MAP_NONE ? 0 : index;
    ttp_capture_builder_add(t->builder, &e);
    if (t->builder->limit)
        return ttp_tracy_odd(t, t->builder->limit);
    const uint32_t name = ttp_map_get(&t->thread_name, tid);
    if (name != TTP_MAP_NONE)
        trace->thread[position].name = t->string[name];
    line->thread = position;
    if (!read_timeline(t, line) || !ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!ttp_tracy_u64(t, &key))
            return false;
        const uint32_t at = ttp_map_get(&t->message_at, key);
        if (at != TTP_MAP_NONE)
            trace->message[at].thread = position;
    }
    if (!ttp_tracy_skip_array(t, 11)) /* samples at context switches, samples */
        return false;
    return ttp_tracy_skip_array(t, 11);
}

bool ttp_tracy_read_threads(struct ttp_tracy *t)
{
    struct ttp_trace *trace = t->builder->trace;
    struct timeline line = {.walk = {.size = sizeof(struct level)}};
    uint64_t n;

    t->verdict = TTP_NEW(t->arena, uint8_t, trace->nsources + t->nexpand + t->ndynamic + 1);
    for (size_t i = 0; i < trace->nsources; i++)
        t->verdict[i] = (uint8_t)ttp_capture_zone_verdict(
            t->builder->source_known[i] ? ttp_sym_name(&trace->names, trace->source[i].name)
                                        : TTP_STR("???"),
            &t->builder->options->children);
    if (!ttp_tracy_skip(&t->in, 16) || !ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (i >= UINT32_MAX || !read_thread(t, (uint32_t)i, &line))
            return false;
    return true;
}
