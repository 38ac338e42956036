/* SPDX-License-Identifier: Apache-2.0 */
/* A .tracy file, as far as messages and zones need it: strictly one thing after the other, every
 * skip a count times a constant. Section by section as in docs/formats/tracy_file.md. */
#include "capture/tracy_file.h"
#include "base/vec.h"

/* Limits far above what a trace can hold. */
#define STRING_MAX  ((uint64_t)64 << 20)
#define STRINGS_MAX ((uint64_t)1 << 28)

bool ttp_tracy_skip_array(struct ttp_tracy *t, uint64_t size)
{
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    return n <= ((uint64_t)1 << 48) / size ? ttp_tracy_skip(&t->in, n * size)
                                           : ttp_tracy_odd(t, "a count is too large");
}

static bool get_text(struct ttp_tracy *t, uint64_t len, ttp_str *out)
{
    if (len > STRING_MAX)
        return ttp_tracy_odd(t, "a text is too long");
    /* read in steps, so that memory follows the real size and not the claimed one */
    if (len <= TTP_TRACY_PLAIN) {
        char *to = ttp_arena_bytes(t->arena, (size_t)len);
        *out = (ttp_str){to, (size_t)len};
        return ttp_tracy_get(&t->in, to, (size_t)len);
    }
    char *to = NULL;
    for (uint64_t have = 0; have < len;) {
        const size_t part = len - have < TTP_TRACY_PLAIN ? (size_t)(len - have) : TTP_TRACY_PLAIN;

        to = ttp_arena_resize(t->arena, to, (size_t)have + part);
        if (!ttp_tracy_get(&t->in, to + have, part))
            return false;
        have += part;
    }
    *out = (ttp_str){to, (size_t)len};
    return true;
}

static bool get_string(struct ttp_tracy *t, ttp_str *out)
{
    uint64_t len;

    return ttp_tracy_u64(t, &len) && get_text(t, len, out);
}

/* Sections 1 to 4. */
static bool read_head(struct ttp_tracy *t)
{
    struct ttp_trace *trace = t->builder->trace;
    uint64_t skipped;
    ttp_str name;

    if (t->version < TTP_TRACY_VERSION(0, 12, 3) && !ttp_tracy_u64(t, &skipped)) /* delay */
        return false;
    if (!ttp_tracy_skip(&t->in, 16) || !ttp_tracy_i64(t, &trace->last_ns) ||
        !ttp_tracy_u64(t, &skipped) || !ttp_tracy_u64(t, &trace->pid))
        return false;
    /* sampling period, architecture, id and maker of the processor, from 0.9.2 on on-demand */
    return ttp_tracy_skip(&t->in, 8 + 1 + 4 + 12 + (t->version >= TTP_TRACY_VERSION(0, 9, 2))) &&
           get_string(t, &name) && get_string(t, &trace->program) &&
           ttp_tracy_u64(t, &trace->epoch_s) && ttp_tracy_u64(t, &skipped) &&
           get_string(t, &trace->host);
}

/* Section 5: packages, from 0.11.2 on dies, cores, threads. */
static bool read_topology(struct ttp_tracy *t)
{
    const int levels = t->version >= TTP_TRACY_VERSION(0, 11, 2) ? 3 : 2;
    uint64_t left[3] = {0};
    int level = 0;
    uint32_t id;

    if (!ttp_tracy_u64(t, &left[0]))
        return false;
    while (level >= 0) {
        if (left[level] == 0) {
            level--;
            continue;
        }
        left[level]--;
        if (!ttp_tracy_u32(t, &id))
            return false;
        if (level + 1 < levels) {
            if (!ttp_tracy_u64(t, &left[++level]))
                return false;
        } else if (!ttp_tracy_skip_array(t, 4)) {
            return false;
        }
    }
    return true;
}

/* Sections 6 and 7, and what 0.13.4 and 0.13.5 put after them. */
static bool read_frames(struct ttp_tracy *t)
{
    uint64_t sets, name;
    unsigned char continuous;

    if (!ttp_tracy_skip(&t->in, 28) || !ttp_tracy_u64(t, &sets))
        return false;
    for (uint64_t i = 0; i < sets; i++)
        if (!ttp_tracy_u64(t, &name) || !ttp_tracy_get(&t->in, &continuous, 1) ||
            !ttp_tracy_skip_array(t, continuous ? 12 : 20))
            return false;
    return true;
}

static bool read_sections(struct ttp_tracy *t)
{
    const uint64_t item = 15; /* two times of 48 bits, a string */
    unsigned char category[2];
    uint64_t n;

    if (!t->sections)
        return true;
    if (t->version == TTP_TRACY_VERSION(0, 13, 4))
        return ttp_tracy_skip_array(t, item);
    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!ttp_tracy_get(&t->in, category, 2) || !ttp_tracy_skip_array(t, item))
            return false;
    return ttp_tracy_skip_array(t, 5);
}

/* Section 8. */
static bool read_strings(struct ttp_tracy *t)
{
    uint64_t n, key;

    if (!ttp_tracy_u64(t, &n))
        return false;
    if (n > STRINGS_MAX)
        return ttp_tracy_odd(t, "more texts than a trace can hold");
    for (uint64_t i = 0; i < n; i++) {
        TTP_ROOM(t->arena, t->string, t->nstrings);
        if (!ttp_tracy_u64(t, &key) || !get_string(t, &t->string[t->nstrings]))
            return false;
        t->string[t->nstrings] = ttp_until_nul(t->string[t->nstrings]);
        ttp_map_put(&t->string_at, key, (uint32_t)t->nstrings++);
    }
    return true;
}

/* Sections 9 and 10: from an id to a text. */
static bool read_text_map(struct ttp_tracy *t, struct ttp_map *map)
{
    uint64_t n, id, key;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!ttp_tracy_u64(t, &id) || !ttp_tracy_u64(t, &key))
            return false;
        const uint32_t at = ttp_map_get(&t->string_at, key);
        if (at != TTP_MAP_NONE)
            ttp_map_put(map, id, at);
    }
    return true;
}

/* Sections 11 and 12. */
static bool read_thread_numbers(struct ttp_tracy *t)
{
    uint64_t n, tid;

    if (!ttp_tracy_skip_array(t, 24) || !ttp_tracy_u64(t, &n))
        return false;
    if (n > (uint64_t)1 << 31)
        return ttp_tracy_odd(t, "more threads than a trace can hold");
    for (uint64_t i = 0; i < n; i++) {
        if (!ttp_tracy_u64(t, &tid))
            return false;
        ttp_map_put(&t->index_of, tid, (uint32_t)i);
    }
    t->builder->next_index = n > 0 ? (uint32_t)n : 1;
    return ttp_tracy_skip_array(t, 8);
}

static ttp_str text_of(const struct ttp_tracy *t, const unsigned char *ref)
{
    const uint64_t value = ttp_get64(ref);
    const unsigned bits = ref[8];

    if (!(bits & 2))
        return (ttp_str){0};
    if (bits & 1)
        return value < t->nstrings ? t->string[value] : TTP_STR("???");
    const uint32_t at = ttp_map_get(&t->pointer_at, value);
    return at == TTP_MAP_NONE ? TTP_STR("???") : t->string[at];
}

static void add_source(struct ttp_tracy *t, uint32_t position, const unsigned char *bytes)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_SOURCE};

    e.u.source.position = position;
    e.u.source.name = text_of(t, bytes);
    e.u.source.function = text_of(t, bytes + TTP_TRACY_REF);
    e.u.source.file = text_of(t, bytes + 2 * TTP_TRACY_REF);
    e.u.source.line = ttp_get32(bytes + 3 * TTP_TRACY_REF);
    ttp_capture_builder_add(t->builder, &e);
}

/* Sections 13 to 17. */
static bool read_sources(struct ttp_tracy *t)
{
    unsigned char bytes[TTP_TRACY_SOURCE];
    uint64_t n, key;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        TTP_ROOM(t->arena, t->base, t->nbases);
        if (!ttp_tracy_u64(t, &key) ||
            !ttp_tracy_get(&t->in, t->base[t->nbases].bytes, TTP_TRACY_SOURCE))
            return false;
        ttp_map_put(&t->source_at, key, (uint32_t)t->nbases++);
    }
    if (!ttp_tracy_u64(t, &n))
        return false;
    if (n > 65536)
        return ttp_tracy_odd(t, "more source locations than a trace can hold");
    for (t->nexpand = 0; t->nexpand < n; t->nexpand++) {
        if (!ttp_tracy_u64(t, &key))
            return false;
        const uint32_t at = ttp_map_get(&t->source_at, key);
        if (at != TTP_MAP_NONE)
            add_source(t, (uint32_t)t->nexpand, t->base[at].bytes);
    }
    if (!ttp_tracy_u64(t, &n))
        return false;
    if (n > 65536)
        return ttp_tracy_odd(t, "more source locations than a trace can hold");
    for (t->ndynamic = 0; t->ndynamic < n; t->ndynamic++) {
        if (!ttp_tracy_get(&t->in, bytes, sizeof(bytes)))
            return false;
        add_source(t, (uint32_t)(t->nexpand + t->ndynamic), bytes);
    }
    if (!ttp_tracy_skip_array(t, 10)) /* how many zones each has: of processors, of devices */
        return false;
    return ttp_tracy_skip_array(t, 10);
}

/* Section 18. */
static bool read_locks(struct ttp_tracy *t)
{
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!ttp_tracy_skip(&t->in, 4 + 3 + 2 + 1 + 1 + 8 + 8) || !ttp_tracy_skip_array(t, 8) ||
            !ttp_tracy_skip_array(t, 12))
            return false;
    return true;
}

/* Section 19. The file holds them in order of time. */
static bool read_messages(struct ttp_tracy *t)
{
    const size_t size = t->version >= TTP_TRACY_VERSION(0, 13, 2) ? 34 : 32;
    unsigned char m[34];
    int64_t ns = 0;
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    if (n >= TTP_MAP_NONE)
        return ttp_tracy_odd(t, "more messages than a trace can hold");
    for (uint64_t i = 0; i < n; i++) {
        struct ttp_entry e = {.kind = TTP_ENTRY_MESSAGE};

        if (!ttp_tracy_get(&t->in, m, size))
            return false;
        ns = ttp_wrap_add(ns, ttp_get_i64(m + 8));
        ttp_map_put(&t->message_at, ttp_get64(m), (uint32_t)i);
        e.u.message.number = i;
        e.u.message.ns = ns;
        e.u.message.text = text_of(t, m + 16);
        e.u.message.color = ttp_tracy_color(ttp_get32(m + 25));
        ttp_capture_builder_add(t->builder, &e);
    }
    return true;
}

static uint32_t get24(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* Section 20. */
static bool read_extras(struct ttp_tracy *t)
{
    unsigned char bytes[12];
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        TTP_ROOM(t->arena, t->extra, t->nextras);
        if (!ttp_tracy_get(&t->in, bytes, sizeof(bytes)))
            return false;
        t->extra[t->nextras++] = (struct extra){get24(bytes + 3), get24(bytes + 6)};
    }
    return true;
}

/* ---- the whole ---- */

static ttp_code damaged(const struct ttp_tracy *t, struct ttp_err *err)
{
    const ttp_code rc =
        ttp_fail_at(err, TTP_EPARSE, t->in.at, "a damaged .tracy file: %s", t->in.why);

    ttp_err_hint(err, "record again, or pass the ops_perf_results CSV of the run");
    return rc;
}

static ttp_code read_version(struct ttp_tracy *t, struct ttp_err *err)
{
    unsigned char head[8];

    if (!ttp_tracy_get(&t->in, head, sizeof(head)))
        return damaged(t, err);
    if (memcmp(head, "tracy", 5) != 0)
        return ttp_fail_at(err, TTP_EPARSE, t->in.at, "does not begin like a Tracy trace");
    t->version = TTP_TRACY_VERSION(head[5], head[6], head[7]);
    memcpy(t->builder->trace->version, head + 5, 3);
    if (t->version >= TTP_TRACY_VERSION(0, 9, 0) && t->version < TTP_TRACY_VERSION(0, 15, 0))
        return TTP_OK;
    ttp_fail_at(err, TTP_EPARSE, t->in.at, "written by Tracy %u.%u.%u", head[5], head[6], head[7]);
    ttp_err_hint(err, "supported versions are 0.9 to 0.14; Tracy's 'tracy-update' can convert it");
    return TTP_EPARSE;
}

/* Columns that are required; then those that may be missing. */
static bool read_names(struct ttp_tracy *t)
{
    return read_head(t) && read_topology(t) && read_frames(t) && read_sections(t) &&
           read_strings(t) && read_text_map(t, &t->pointer_at) &&
           read_text_map(t, &t->thread_name) && read_thread_numbers(t) && read_sources(t) &&
           read_locks(t);
}

/* Behind the threads there is nothing that a report needs. */
static bool read_asked_for(struct ttp_tracy *t)
{
    const struct ttp_trace_reading *asked = t->builder->options;

    if ((asked->devices || asked->plots) && !ttp_tracy_read_devices(t))
        return false;
    return !asked->plots || ttp_tracy_read_plots(t);
}

static void init(struct ttp_tracy *t)
{
    struct ttp_map *maps[] = {&t->string_at, &t->pointer_at, &t->thread_name,
                              &t->index_of,  &t->source_at,  &t->message_at};

    for (size_t i = 0; i < TTP_COUNT(maps); i++)
        maps[i]->arena = t->arena;
}

static ttp_code read_all(struct ttp_tracy *t, const struct ttp_file *file, struct ttp_err *err)
{
    struct ttp_trace *trace = t->builder->trace;

    init(t);
    TTP_TRY(ttp_tracy_open(&t->in, file, t->arena, err));
    TTP_TRY(read_version(t, err));
    t->sections = t->sections && t->version >= TTP_TRACY_VERSION(0, 13, 4);
    if (!read_names(t))
        return damaged(t, err);
    if (read_messages(t) && read_extras(t) && ttp_tracy_read_threads(t) && read_asked_for(t)) {
        trace->end = TTP_END_NORMAL;
    } else {
        trace->end = TTP_END_CUT;
        trace->lost_at = t->in.at;
        trace->lost_bytes = file->text.len > t->in.at ? file->text.len - t->in.at : 1;
    }
    trace->zones_seen = t->zones;
    trace->zones_dropped = t->builder->options->zones != TTP_ZONES_ALL;
    return TTP_OK;
}

ttp_code ttp_capture_trace_read_tracy(struct ttp_trace_builder *b, const struct ttp_file *file,
                                      struct ttp_err *err)
{
    const struct ttp_trace empty = *b->trace;
    struct ttp_arena *arena = b->arena;
    struct ttp_tracy t = {.builder = b, .arena = arena, .sections = true};
    struct ttp_err first = {0};

    ttp_code rc = read_all(&t, file, &first);
    ttp_tracy_close(&t.in);
    if (t.in.limit)
        b->limit = t.in.limit;
    if (b->limit)
        return rc;
    /* Tenstorrent's 0.13.4 and 0.13.5 have no sections where upstream's of that number do. */
    const bool either =
        t.version == TTP_TRACY_VERSION(0, 13, 4) || t.version == TTP_TRACY_VERSION(0, 13, 5);
    if (either && (rc == TTP_EPARSE || (rc == TTP_OK && b->trace->lost_bytes))) {
        const struct ttp_trace before = *b->trace;
        const struct ttp_trace_builder builder = *b;
        struct ttp_tracy again = {.builder = b, .arena = arena};

        *b->trace = empty;
        ttp_capture_builder_init(b, b->trace, b->options, arena);
        const ttp_code second = read_all(&again, file, NULL);
        ttp_tracy_close(&again.in);
        if (!b->limit && !again.in.limit && second == TTP_OK &&
            (rc != TTP_OK || b->trace->lost_bytes == 0)) {
            rc = TTP_OK;
        } else {
            *b->trace = before;
            *b = builder;
        }
    }
    if (rc != TTP_OK && err)
        *err = first;
    return rc;
}
