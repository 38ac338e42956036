/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, plots, frames and memory of a stream, interpreted as Tracy's own server does. */
#include "capture/wire_keep.h"

#include <math.h>

#include "base/vec.h"
#include "capture/bytes.h"
#include "capture/wire_zones.h"

/* Above this many source locations those of devices lose what differs from op to op. */
#define SOURCES_FULL (TTP_SOURCES_MAX / 2)

void ttp_capture_keep_init(struct ttp_wire_keep *k)
{
    struct ttp_map *maps[] = {&k->context_at, &k->lane_at,   &k->query_at,
                              &k->plot_at,    &k->frames_at, &k->pool_at};

    for (size_t i = 0; i < TTP_COUNT(maps); i++)
        maps[i]->arena = k->arena;
}

/* ---- devices ---- */

static size_t context_number(const struct ttp_wire *w, const unsigned char *p)
{
    return w->dialect->wide ? ttp_get16(p) : *p;
}

/* NULL: the stream never announced it. */
static struct ttp_kept_context *context_of(struct ttp_wire_keep *k, size_t number)
{
    const uint32_t at = ttp_map_get(&k->context_at, number);

    return at == TTP_MAP_NONE ? NULL : &k->context[at];
}

static int64_t to_i64(double v)
{
    return fabs(v) < 9.2e18 ? (int64_t)v : 0; /* also for what is not a number */
}

static int64_t in_ns(const struct ttp_kept_context *c, int64_t units)
{
    return c->period == 1.0F ? units : to_i64((double)c->period * (double)units);
}

/* i64 tick, i64 device time, u32 thread, f32 period, context, u8 flags, u8 type */
static void add_context(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_wire_keep *k = w->keep;
    const size_t number = context_number(w, p + 25), after = w->dialect->wide ? 27 : 26;

    if (context_of(k, number))
        return;
    struct ttp_kept_context c = {.thread = ttp_get32(p + 17),
                                 .period = ttp_get_float(p + 21),
                                 .calibrated = p[after] & 1,
                                 .type = p[after + 1],
                                 .rate = 1};
    c.at_device_ns = in_ns(&c, ttp_get_i64(p + 9));
    c.at_host_ns = ttp_wire_ns(w, ttp_get_i64(p + 1));
    c.difference_ns = ttp_wrap_sub(c.at_host_ns, c.at_device_ns);
    ttp_map_put(&k->context_at, number, (uint32_t)k->ncontexts);
    *TTP_PUSH(k->arena, k->context, k->ncontexts) = c;
}

static void name_context(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_kept_context *c = context_of(w->keep, context_number(w, p + 1));

    if (c)
        c->name =
            ttp_arena_copy(w->keep->arena, ttp_until_nul((ttp_str){w->staged, w->staged_len}));
}

/* i64 device time, i64 tick, i64 ns of the host since the last one, context */
static void calibrate(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_kept_context *c = context_of(w->keep, context_number(w, p + 25));

    if (!c)
        return;
    const int64_t device = in_ns(c, ttp_get_i64(p + 1));
    const int64_t passed = ttp_wrap_sub(device, c->at_device_ns);
    if (passed != 0)
        c->rate = (double)ttp_get_i64(p + 17) / (double)passed;
    c->at_device_ns = device;
    c->at_host_ns = ttp_wire_ns(w, ttp_get_i64(p + 9));
}

/* i64 device time, i64 tick, context: the clock of the device was set again */
static void synchronise(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_kept_context *c = context_of(w->keep, context_number(w, p + 17));

    if (!c)
        return;
    c->difference_ns =
        ttp_wrap_sub(ttp_wire_ns(w, ttp_get_i64(p + 9)), in_ns(c, ttp_get_i64(p + 1)));
    c->last = 0;
    c->overflow = c->wraps = 0;
}

/* From the clock of a device to the time of the trace. */
static int64_t to_trace_ns(struct ttp_kept_context *c, int64_t units)
{
    if (units < ttp_wrap_sub(c->last, INT64_C(1) << 31)) { /* its counter began again */
        if (c->overflow == 0 && c->last > 0) {
            const int bits = 64 - __builtin_clzll((unsigned long long)c->last);

            c->overflow = bits < 64 ? UINT64_C(1) << bits : 0;
        }
        c->wraps++;
    }
    c->last = units;
    units = ttp_wrap_add(units, (int64_t)(c->overflow * c->wraps));
    if (!c->calibrated)
        return ttp_wrap_add(in_ns(c, units), c->difference_ns);
    return to_i64(((double)c->period * (double)units - (double)c->at_device_ns) * c->rate +
                  (double)c->at_host_ns);
}

static uint32_t lane_of(struct ttp_wire_keep *k, uint32_t context, uint32_t thread)
{
    const uint64_t key = (uint64_t)context << 32 | thread;
    const uint32_t known = ttp_map_get(&k->lane_at, key);

    if (known != TTP_MAP_NONE)
        return known;
    ttp_map_put(&k->lane_at, key, (uint32_t)k->nlanes);
    *TTP_PUSH(k->arena, k->lane, k->nlanes) = (struct ttp_kept_lane){context, thread, 0};
    return (uint32_t)k->nlanes - 1;
}

/* An item about a zone: i64 delta, u32 thread, u16 query, context */
struct query {
    uint32_t context; /* position; TTP_MAP_NONE: not announced */
    uint32_t lane;
    uint64_t key; /* of query_at */
};

static struct query query_of(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_wire_keep *k = w->keep;
    const size_t number = context_number(w, p + 15);
    struct query q = {.context = ttp_map_get(&k->context_at, number),
                      .key = (uint64_t)number << 16 | ttp_get16(p + 13)};

    if (q.context != TTP_MAP_NONE)
        q.lane = lane_of(k, q.context, k->context[q.context].thread ? 0 : ttp_get32(p + 9));
    return q;
}

/* Kernels of one op differ in their function, which holds the number of the op: without it there
 * are few of them. Payload: u32 colour, u32 line, function NUL, file NUL, name. */
static uint32_t inline_source(struct ttp_wire *w, ttp_str payload)
{
    if (w->nsources < SOURCES_FULL || payload.len < 8)
        return ttp_wire_inline_source(w, payload);
    const ttp_str function = ttp_until_nul(ttp_str_slice(payload, 8, payload.len));
    const struct ttp_mark mark = ttp_arena_mark(w->keep->arena);
    char *shorter = ttp_arena_bytes(w->keep->arena, payload.len);
    memcpy(shorter, payload.ptr, 8);
    memcpy(shorter + 8, payload.ptr + 8 + function.len, payload.len - 8 - function.len);
    const uint32_t at = ttp_wire_inline_source(w, (ttp_str){shorter, payload.len - function.len});
    ttp_arena_rewind(w->keep->arena, mark);
    return at;
}

static void begin_zone(struct ttp_wire *w, const unsigned char *p, bool is_static, int64_t tick)
{
    struct ttp_wire_keep *k = w->keep;
    const struct query q = query_of(w, p);

    if (q.context == TTP_MAP_NONE || k->nzones >= TTP_ZONE_NONE - 1)
        return;
    const uint32_t source =
        is_static ? ttp_wire_static_source(w, ttp_get64(p + (w->dialect->wide ? 17 : 16)))
                  : inline_source(w, (ttp_str){w->payload, w->payload_len});
    if (source == TTP_MAP_NONE) /* a limit, which ends it all */
        return;
    struct ttp_kept_lane *lane = &k->lane[q.lane];
    const struct ttp_kept_zone z = {
        .host_ns = {ttp_wire_ns(w, tick), TTP_KEPT_NEVER},
        .device_ns = {TTP_KEPT_NEVER, TTP_KEPT_NEVER},
        .source = source,
        .lane = q.lane,
        .parent = lane->open ? lane->open - 1 : TTP_ZONE_NONE,
    };
    ttp_map_put(&k->query_at, q.key, (uint32_t)k->nzones);
    *TTP_PUSH(k->arena, k->zone, k->nzones) = z;
    lane->open = (uint32_t)k->nzones;
}

static void end_zone(struct ttp_wire *w, const unsigned char *p, int64_t tick)
{
    struct ttp_wire_keep *k = w->keep;
    const struct query q = query_of(w, p);

    if (q.context == TTP_MAP_NONE || !k->lane[q.lane].open)
        return;
    const uint32_t at = k->lane[q.lane].open - 1;
    struct ttp_kept_zone *z = &k->zone[at];
    z->host_ns[1] = ttp_wire_ns(w, tick);
    k->lane[q.lane].open = z->parent == TTP_ZONE_NONE ? 0 : z->parent + 1;
    ttp_map_put(&k->query_at, q.key, at);
}

/* i64 delta, u16 query, context: first of the begin, then of the end */
static void zone_time(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_wire_keep *k = w->keep;
    const size_t number = context_number(w, p + 11);
    struct ttp_kept_context *c = context_of(k, number);

    k->device_clock = ttp_wrap_add(k->device_clock, ttp_get_i64(p + 1));
    if (!c)
        return;
    const int64_t ns = to_trace_ns(c, k->device_clock);
    const uint32_t at = ttp_map_get(&k->query_at, (uint64_t)number << 16 | ttp_get16(p + 9));
    if (at == TTP_MAP_NONE)
        return;
    struct ttp_kept_zone *z = &k->zone[at];
    const bool first = z->device_ns[0] < 0;
    z->device_ns[!first] = ns;
    c->zones += first;
}

/* False: it is another item. */
static bool device_item(struct ttp_wire *w, const unsigned char *p)
{
    switch (w->dialect->role[*p]) {
    case TTP_ITEM_GPU_CONTEXT:
        add_context(w, p);
        return true;
    case TTP_ITEM_GPU_CONTEXT_NAME:
        name_context(w, p);
        return true;
    case TTP_ITEM_GPU_CALIBRATION:
        calibrate(w, p);
        return true;
    case TTP_ITEM_GPU_TIME_SYNC:
        synchronise(w, p);
        return true;
    case TTP_ITEM_GPU_BEGIN:
        begin_zone(w, p, true, w->clock);
        return true;
    case TTP_ITEM_GPU_BEGIN_ALLOC:
        begin_zone(w, p, false, w->clock);
        return true;
    case TTP_ITEM_GPU_BEGIN_SERIAL:
        begin_zone(w, p, true, w->serial);
        return true;
    case TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL:
        begin_zone(w, p, false, w->serial);
        return true;
    case TTP_ITEM_GPU_END:
        end_zone(w, p, w->clock);
        return true;
    case TTP_ITEM_GPU_END_SERIAL:
        end_zone(w, p, w->serial);
        return true;
    case TTP_ITEM_GPU_TIME:
        zone_time(w, p);
        return true;
    default:
        return false;
    }
}

/* ---- plots ---- */

/* NULL: there are more than a recording may have. */
static struct ttp_kept_plot *plot_of(struct ttp_wire_keep *k, uint64_t key)
{
    const uint32_t known = ttp_map_get(&k->plot_at, key);

    if (known != TTP_MAP_NONE)
        return &k->plot[known];
    if (k->nplots >= TTP_STRINGS_MAX)
        return NULL;
    ttp_map_put(&k->plot_at, key, (uint32_t)k->nplots);
    struct ttp_kept_plot *plot = TTP_PUSH(k->arena, k->plot, k->nplots);
    *plot = (struct ttp_kept_plot){.key = key, .type = TTP_PLOT_USER, .fill = 1};
    return plot;
}

static void add_point(struct ttp_wire *w, struct ttp_kept_plot *plot, int64_t tick, double value)
{
    if (!plot)
        return;
    *TTP_PUSH(w->keep->arena, plot->point, plot->count) =
        (struct ttp_kept_point){ttp_wire_ns(w, tick), value};
}

static double plotted(const struct ttp_wire *w, const unsigned char *p)
{
    switch (w->dialect->role[*p]) {
    case TTP_ITEM_PLOT:
        return (double)ttp_get_i64(p + 17);
    case TTP_ITEM_PLOT_FLOAT:
        return (double)ttp_get_float(p + 17);
    default:
        return ttp_get_f64(p + 17);
    }
}

/* pointer, u8 format, steps, fill, u32 colour */
static void configure_plot(struct ttp_wire_keep *k, const unsigned char *p)
{
    struct ttp_kept_plot *plot = plot_of(k, ttp_get64(p + 1));

    if (!plot)
        return;
    plot->format = p[9];
    plot->steps = p[10];
    plot->fill = p[11];
    plot->color = ttp_get32(p + 12) & 0xFFFFFF;
}

/* Load of all processors: a plot without a name of its own. */
static struct ttp_kept_plot *sys_time(struct ttp_wire_keep *k)
{
    enum { PERCENTAGE = 2 };

    if (!k->sys_time) {
        *TTP_PUSH(k->arena, k->plot, k->nplots) =
            (struct ttp_kept_plot){.type = TTP_PLOT_SYS_TIME, .format = PERCENTAGE, .fill = 1};
        k->sys_time = (uint32_t)k->nplots;
    }
    return &k->plot[k->sys_time - 1];
}

/* ---- frames ---- */

static struct ttp_kept_frames *frames_of(struct ttp_wire_keep *k, uint64_t key, bool continuous)
{
    const uint32_t known = ttp_map_get(&k->frames_at, key);

    if (known != TTP_MAP_NONE)
        return &k->frames[known];
    if (k->nframes >= TTP_STRINGS_MAX)
        return NULL;
    ttp_map_put(&k->frames_at, key, (uint32_t)k->nframes);
    struct ttp_kept_frames *set = TTP_PUSH(k->arena, k->frames, k->nframes);
    *set = (struct ttp_kept_frames){.key = key, .continuous = continuous};
    return set;
}

/* i64 tick, pointer */
static void begin_frame(struct ttp_wire *w, const unsigned char *p, bool continuous)
{
    struct ttp_kept_frames *set = frames_of(w->keep, ttp_get64(p + 9), continuous);

    if (set && set->continuous == continuous)
        *TTP_PUSH(w->keep->arena, set->frame, set->count) =
            (struct ttp_kept_frame){ttp_wire_ns(w, ttp_get_i64(p + 1)), TTP_KEPT_NEVER};
}

static void end_frame(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_kept_frames *set = frames_of(w->keep, ttp_get64(p + 9), false);

    if (set && !set->continuous && set->count)
        set->frame[set->count - 1].end_ns = ttp_wire_ns(w, ttp_get_i64(p + 1));
}

/* ---- memory ---- */

static void want_pool(struct ttp_wire_keep *k, uint64_t key)
{
    if (key == 0 || ttp_map_get(&k->pool_at, key) != TTP_MAP_NONE || k->npools >= TTP_STRINGS_MAX)
        return;
    ttp_map_put(&k->pool_at, key, (uint32_t)k->npools);
    *TTP_PUSH(k->arena, k->pool, k->npools) = (struct ttp_kept_name){.key = key};
}

/* i64 delta, u32 thread, then u64 address and, if it is taken, 48 bits of size; or, if all is
 * freed, the pool. */
static void memory(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_wire_keep *k = w->keep;
    const uint8_t role = w->dialect->role[*p];
    const bool taken = w->dialect->size[*p] >= 27, all = role == TTP_ITEM_MEMORY_DISCARD;
    const uint64_t pool = all                             ? ttp_get64(p + 13)
                          : role == TTP_ITEM_MEMORY_NAMED ? k->next_pool
                                                          : 0;

    k->next_pool = 0;
    want_pool(k, pool);
    *TTP_PUSH(k->arena, k->memory, k->nmemory) = (struct ttp_kept_memory){
        .ns = ttp_wire_ns(w, w->serial),
        .address = all ? 0 : ttp_get64(p + 13),
        .bytes = taken ? ttp_get32(p + 21) | (uint64_t)ttp_get16(p + 25) << 32 : 0,
        .pool = pool,
        .thread = ttp_get32(p + 9),
        .change = all     ? TTP_MEMORY_ALL_FREED
                  : taken ? TTP_MEMORY_TAKEN
                          : TTP_MEMORY_FREED,
    };
}

/* ---- all of them ---- */

/* Of the innermost zone of the current thread; a later one takes its place. */
static void color_zone(struct ttp_wire *w, const unsigned char *p)
{
    struct ttp_wire_keep *k = w->keep;
    const uint32_t at = ttp_wire_current(w); /* it may move the threads */
    const struct ttp_wire_thread *t = &w->thread[at];

    if (t->depth == 0 || t->too_deep)
        return;
    *TTP_PUSH(k->arena, k->coloring, k->ncolorings) = (struct ttp_kept_coloring){
        t->frame[t->depth - 1].number,
        (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3],
        TTP_ZONE_NONE,
    };
}

static void name(struct ttp_wire_keep *k, ttp_str *to, ttp_str text)
{
    if (!to->ptr)
        *to = ttp_arena_copy(k->arena, ttp_until_nul(text));
}

static void answer(struct ttp_wire_keep *k, uint8_t role, uint64_t key, ttp_str text)
{
    const struct ttp_map *map = role == TTP_ITEM_PLOT_NAME    ? &k->plot_at
                                : role == TTP_ITEM_FRAME_NAME ? &k->frames_at
                                                              : &k->pool_at;
    const uint32_t at = ttp_map_get(map, key);

    if (at == TTP_MAP_NONE)
        return;
    name(k,
         role == TTP_ITEM_PLOT_NAME    ? &k->plot[at].name
         : role == TTP_ITEM_FRAME_NAME ? &k->frames[at].name
                                       : &k->pool[at].text,
         text);
}

void ttp_capture_keep_item(struct ttp_wire *w, const unsigned char *p, ttp_str text)
{
    struct ttp_wire_keep *k = w->keep;
    const uint8_t role = w->dialect->role[*p];

    switch (role) {
    case TTP_ITEM_PLOT:
    case TTP_ITEM_PLOT_FLOAT:
    case TTP_ITEM_PLOT_DOUBLE:
        add_point(w, plot_of(k, ttp_get64(p + 1)), w->clock, plotted(w, p));
        break;
    case TTP_ITEM_PLOT_CONFIG:
        configure_plot(k, p);
        break;
    case TTP_ITEM_ZONE_COLOR:
        color_zone(w, p);
        break;
    case TTP_ITEM_SYS_TIME:
        add_point(w, sys_time(k), ttp_get_i64(p + 1), (double)ttp_get_float(p + 9));
        break;
    case TTP_ITEM_FRAME:
    case TTP_ITEM_FRAME_START:
        begin_frame(w, p, role == TTP_ITEM_FRAME);
        break;
    case TTP_ITEM_FRAME_END:
        end_frame(w, p);
        break;
    case TTP_ITEM_MEMORY_POOL:
        k->next_pool = ttp_get64(p + 1);
        break;
    case TTP_ITEM_MEMORY:
    case TTP_ITEM_MEMORY_NAMED:
    case TTP_ITEM_MEMORY_DISCARD:
        memory(w, p);
        break;
    case TTP_ITEM_CALLSTACK:
        k->stacks++;
        break;
    case TTP_ITEM_SAMPLE:
        k->samples++;
        break;
    case TTP_ITEM_LOCK_EVENT:
    case TTP_ITEM_LOCK_RELEASE:
    case TTP_ITEM_LOCK_RELEASE_SHARED:
        k->lock_events++;
        break;
    case TTP_ITEM_SWITCH:
        k->switches++;
        break;
    case TTP_ITEM_PLOT_NAME:
    case TTP_ITEM_FRAME_NAME:
    case TTP_ITEM_STRING:
        answer(k, role, ttp_get64(p + 1), text);
        break;
    default:
        (void)device_item(w, p);
        break;
    }
}

void ttp_capture_keep_finish(struct ttp_wire *w)
{
    struct ttp_wire_keep *k = w->keep;

    for (size_t i = 0; i < k->npools; i++) {
        ttp_str known;

        /* asked for because of something else, and answered before the pool was seen */
        if (!k->pool[i].text.ptr && ttp_wire_literal(w, k->pool[i].key, &known))
            name(k, &k->pool[i].text, known);
    }
    k->filled = true;
    k->welcome = w->welcome;
    k->welcome.program = k->welcome.host = (ttp_str){0}; /* they are borrowed; the trace has them */
    k->ncolors = w->nsources;
    k->color = TTP_NEW(k->arena, uint32_t, k->ncolors + 1);
    for (size_t i = 0; i < w->nsources; i++)
        k->color[i] = w->source[i].color;
    k->nnumbered = w->next_index;
    k->numbered = TTP_NEW(k->arena, uint64_t, k->nnumbered + 1);
    for (size_t i = 0; i < w->index_at.nslots; i++) {
        const struct ttp_map_slot *slot = &w->index_at.slot[i];

        if (slot->value && slot->value - 1 < k->nnumbered)
            k->numbered[slot->value - 1] = slot->key;
    }
}
