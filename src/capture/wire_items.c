/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/wire_items.h"

#include <math.h>

#include "capture/bytes.h"
#include "capture/wire_keep.h"
#include "capture/wire_zones.h"

#define NO_COLOR ((uint32_t)0xFFFFFFFF)

/* Deltas come in three sizes; each continues where the smaller one ends. */
#define DELTA32_FROM ((int64_t)1 << 16)
#define DELTA64_FROM (((int64_t)1 << 16) + ((int64_t)1 << 32))

void ttp_capture_welcome_read(struct ttp_welcome *out, ttp_str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.ptr;
    const size_t tail = 64 + 1024;                /* program and host */
    const size_t gap = bytes.len >= 1178 ? 8 : 0; /* `delay`, gone since protocol 75 */

    *out = (struct ttp_welcome){0};
    out->timer_mul = ttp_get_f64(p);
    out->init_begin = ttp_get_i64(p + 8);
    out->init_end = ttp_get_i64(p + 16);
    out->delay = gap ? ttp_get64(p + 24) : 0;
    out->resolution = ttp_get64(p + 24 + gap);
    out->epoch_s = ttp_get64(p + 32 + gap);
    out->exec_s = ttp_get64(p + 40 + gap);
    out->pid = ttp_get64(p + 48 + gap);
    out->sampling_period = ttp_get_i64(p + 56 + gap);
    out->on_demand = p[64 + gap] & 1;
    memcpy(out->processor, p + 65 + gap, sizeof(out->processor));
    out->program = ttp_until_nul(ttp_str_slice(bytes, bytes.len - tail, bytes.len - 1024));
    out->host = ttp_until_nul(ttp_str_slice(bytes, bytes.len - 1024, bytes.len));
}

int64_t ttp_wire_ns(const struct ttp_wire *w, int64_t tick)
{
    const double ns = (double)ttp_wrap_sub(tick, w->welcome.init_begin) * w->welcome.timer_mul;

    if (!(fabs(ns) < 9.2e18)) /* also not a number */
        return 0;
    return (int64_t)ns;
}

void ttp_wire_start(struct ttp_wire *w)
{
    struct ttp_map *maps[] = {&w->source_at,      &w->string_at, &w->thread_at, &w->index_at,
                              &w->context_thread, &w->fiber_at,  &w->pool_told, &w->shown_at};
    struct ttp_entry e = {.kind = TTP_ENTRY_START};

    for (size_t i = 0; i < TTP_COUNT(maps); i++)
        maps[i]->arena = w->arena;
    w->payloads.arena = w->arena;
    w->next_index = 1;
    w->last_tick = w->welcome.init_begin;
    e.u.start.protocol = w->dialect->info.protocol;
    e.u.start.known = true;
    e.u.start.fork = w->dialect->wide;
    e.u.start.zones_dropped = w->zones != TTP_ZONES_ALL;
    e.u.start.pid = w->welcome.pid;
    e.u.start.epoch_s = w->welcome.epoch_s;
    e.u.start.program = w->welcome.program;
    e.u.start.host = w->welcome.host;
    ttp_capture_journal_add(w->journal, &e);
}

void ttp_wire_stop_at(struct ttp_wire *w, const char *limit)
{
    if (!w->full) /* a limit of depth may have been noted before, and is the lesser evil */
        w->limit = limit;
    w->full = w->quiet = true;
}

static ttp_str take_staged(struct ttp_wire *w)
{
    const ttp_str s = {w->staged, w->has_staged ? w->staged_len : 0};

    w->odd += !w->has_staged;
    w->has_staged = false;
    return s;
}

static void stage(char **buf, size_t *len, size_t *cap, ttp_str s, struct ttp_arena *arena)
{
    if (s.len > *cap) {
        *cap = s.len + 4096;
        *buf = ttp_arena_resize(arena, *buf, *cap);
    }
    if (s.len)
        memcpy(*buf, s.ptr, s.len);
    *len = s.len;
}

/* ---- messages ---- */

/* Does a message announce an op? What it is about is at its start. */
static bool announces_op(ttp_str text)
{
    const ttp_str head = ttp_str_slice(text, 0, 64);
    size_t at = ttp_str_find(head, TTP_STR("TT_DNN"));

    if (at == TTP_NPOS)
        at = ttp_str_find(head, TTP_STR("TT_METAL"));
    return at != TTP_NPOS && ttp_str_has(ttp_str_slice(head, at, head.len), TTP_STR("_OP"));
}

static uint32_t color_at(const unsigned char *p)
{
    return 0xFF000000u | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static struct ttp_entry new_message(struct ttp_wire *w, const unsigned char *p, uint32_t color)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_MESSAGE};
    const int64_t tick = ttp_get_i64(p + 1);
    const uint32_t thread = ttp_wire_current(w);

    ttp_wire_give_index(w, w->thread[thread].tid);
    e.u.message.number = w->messages++;
    e.u.message.ns = ttp_wire_ns(w, tick);
    e.u.message.thread = thread;
    e.u.message.color = color;
    w->last_tick = tick;
    return e;
}

static void message(struct ttp_wire *w, const unsigned char *p, uint32_t color)
{
    struct ttp_entry e = new_message(w, p, color);

    e.u.message.text = ttp_until_nul(take_staged(w));
    w->ops += announces_op(e.u.message.text);
    ttp_capture_journal_add(w->journal, &e);
}

static void literal(struct ttp_wire *w, const unsigned char *p, size_t at, uint32_t color)
{
    struct ttp_entry e = new_message(w, p, color);

    e.u.message.key = ttp_dialect_literal(w->dialect, ttp_get64(p + at));
    if (!ttp_wire_literal(w, e.u.message.key, &e.u.message.text))
        e.kind = TTP_ENTRY_LITERAL;
    ttp_capture_journal_add(w->journal, &e);
}

/* ---- devices ---- */

static size_t context_at(const struct ttp_wire *w, const unsigned char *p)
{
    return w->dialect->wide ? ttp_get16(p) : *p;
}

static struct ttp_gpu_item gpu_item(const struct ttp_wire *w, const unsigned char *p)
{
    return (struct ttp_gpu_item){context_at(w, p + 15), ttp_get32(p + 9), ttp_get16(p + 13)};
}

/* A zone whose place in the source came right before it. */
static void gpu_begin_inline(struct ttp_wire *w, const unsigned char *p)
{
    const ttp_str payload = {w->payload, w->has_payload ? w->payload_len : 0};
    const struct ttp_gpu_item at = gpu_item(w, p);

    w->has_payload = false;
    if (w->gpu.use)
        ttp_wire_gpu_begin(&w->gpu, &at, ttp_wire_payload_name(payload),
                           ttp_wire_payload_file(payload));
}

/* Zones of a context that belongs to no thread count for the numbers of threads. */
static void gpu_begin(struct ttp_wire *w, const unsigned char *p, bool is_static)
{
    const size_t context = context_at(w, p + 15);
    const uint32_t bound = ttp_map_get(&w->context_thread, context);

    if (bound == TTP_MAP_NONE || bound == 0)
        ttp_wire_give_index(w, ttp_get32(p + 9));
    if (is_static)
        ttp_wire_static_source(w, ttp_get64(p + (w->dialect->wide ? 17 : 16)));
}

static void gpu_end(struct ttp_wire *w, const unsigned char *p)
{
    const struct ttp_gpu_item at = gpu_item(w, p);

    ttp_wire_gpu_end(&w->gpu, &at);
}

/* ---- the items ---- */

static void advance(struct ttp_wire *w, int64_t delta)
{
    w->clock = ttp_wrap_add(w->clock, delta);
}

static void advance_serial(struct ttp_wire *w, int64_t delta)
{
    w->serial = ttp_wrap_add(w->serial, delta);
}

/* ---- memory ---- */

/* The journal must have the name of a pool, also if it was known for another reason. */
static void tell_pool(struct ttp_wire *w, uint64_t key)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_STRING, .u.string.key = key};

    if (ttp_map_get(&w->pool_told, key) != TTP_MAP_NONE)
        return;
    ttp_map_put(&w->pool_told, key, 1);
    if (ttp_wire_literal(w, key, &e.u.string.text))
        ttp_capture_journal_add(w->journal, &e);
}

/* Memory of the host has no pool and is not kept. */
static void memory(struct ttp_wire *w, const unsigned char *p, bool named)
{
    const bool freed = w->dialect->size[*p] < 27;
    const uint64_t pool = named ? w->pool : 0;

    advance_serial(w, ttp_get_i64(p + 1));
    ttp_wire_notice_thread(w, ttp_get32(p + 9));
    ttp_wire_give_index(w, ttp_get32(p + 9));
    w->pool = 0;
    if (!pool)
        return;
    tell_pool(w, pool);
    ttp_capture_journal_add(
        w->journal,
        &(struct ttp_entry){
            .kind = TTP_ENTRY_MEMORY,
            .u.memory = {.ns = ttp_wire_ns(w, w->serial),
                         .address = ttp_get64(p + 13),
                         .bytes = freed ? 0 : ttp_get32(p + 21) | (uint64_t)ttp_get16(p + 25) << 32,
                         .pool = pool,
                         .freed = freed}});
}

/* Locks and memory, which share a clock. False: it is another item. */
static bool serial_item(struct ttp_wire *w, const unsigned char *p)
{
    switch (w->dialect->role[*p]) {
    case TTP_ITEM_LOCK_EVENT:
        advance_serial(w, ttp_get_i64(p + 9));
        ttp_wire_notice_thread(w, ttp_get32(p + 1));
        return true;
    case TTP_ITEM_LOCK_RELEASE:
        advance_serial(w, ttp_get_i64(p + 5));
        return true;
    case TTP_ITEM_LOCK_RELEASE_SHARED:
        advance_serial(w, ttp_get_i64(p + 5));
        ttp_wire_notice_thread(w, ttp_get32(p + 13));
        return true;
    case TTP_ITEM_MEMORY:
    case TTP_ITEM_MEMORY_NAMED:
        memory(w, p, w->dialect->role[*p] == TTP_ITEM_MEMORY_NAMED);
        return true;
    case TTP_ITEM_MEMORY_DISCARD:
        advance_serial(w, ttp_get_i64(p + 1));
        return true;
    case TTP_ITEM_MEMORY_POOL:
        w->pool = ttp_get64(p + 1);
        return true;
    default:
        return false;
    }
}

/* The name of a plot or of frames, for whoever reads the raw stream later. Frames without a name
 * are those of the program itself. */
static void want_name(struct ttp_wire *w, enum ttp_query query, uint64_t key)
{
    if (!w->asks_all || !key || ttp_map_get(&w->shown_at, key) != TTP_MAP_NONE ||
        w->shown_at.count >= TTP_STRINGS_MAX)
        return;
    ttp_map_put(&w->shown_at, key, 1);
    ttp_wire_ask(w, query, key);
}

/* Items that are rare, or matter only for the numbers of threads. */
static void rare_item(struct ttp_wire *w, const unsigned char *p, ttp_str text)
{
    switch (w->dialect->role[*p]) {
    case TTP_ITEM_LOCK_ANNOUNCE:
        ttp_wire_static_source(w, ttp_get64(p + 13));
        break;
    case TTP_ITEM_LOCK_MARK:
        ttp_wire_static_source(w, ttp_get64(p + 9));
        break;
    case TTP_ITEM_SAMPLE:
        ttp_wire_notice_thread(w, ttp_get32(p + (w->dialect->deltas_packed ? 1 : 9)));
        break;
    case TTP_ITEM_GPU_BEGIN:
        advance(w, ttp_get_i64(p + 1));
        gpu_begin(w, p, true);
        break;
    case TTP_ITEM_GPU_BEGIN_ALLOC:
        advance(w, ttp_get_i64(p + 1));
        gpu_begin_inline(w, p);
        gpu_begin(w, p, false);
        break;
    case TTP_ITEM_GPU_BEGIN_SERIAL:
        advance_serial(w, ttp_get_i64(p + 1));
        gpu_begin(w, p, true);
        break;
    case TTP_ITEM_GPU_BEGIN_ALLOC_SERIAL:
        advance_serial(w, ttp_get_i64(p + 1));
        gpu_begin_inline(w, p);
        gpu_begin(w, p, false);
        break;
    case TTP_ITEM_GPU_TIME:
        ttp_wire_gpu_time(&w->gpu,
                          &(struct ttp_gpu_item){context_at(w, p + 11), 0, ttp_get16(p + 9)},
                          ttp_get_i64(p + 1));
        break;
    case TTP_ITEM_GPU_CONTEXT_NAME:
        ttp_wire_gpu_name(&w->gpu, context_at(w, p + 1), ttp_until_nul(take_staged(w)));
        break;
    case TTP_ITEM_GPU_END_SERIAL:
        advance_serial(w, ttp_get_i64(p + 1));
        gpu_end(w, p);
        break;
    case TTP_ITEM_GPU_CONTEXT:
        ttp_wire_gpu_context(&w->gpu, context_at(w, p + 25), ttp_get_float(p + 21));
        ttp_map_put(&w->context_thread, context_at(w, p + 25),
                    ttp_get32(p + 17) < TTP_MAP_NONE - 1 ? ttp_get32(p + 17) : 1);
        break;
    case TTP_ITEM_GPU_END:
        advance(w, ttp_get_i64(p + 1));
        gpu_end(w, p);
        break;
    case TTP_ITEM_SECTION:
        advance(w, ttp_get_i64(p + 1));
        break;
    case TTP_ITEM_PLOT:
    case TTP_ITEM_PLOT_FLOAT:
    case TTP_ITEM_PLOT_DOUBLE:
        advance(w, ttp_get_i64(p + 9));
        want_name(w, TTP_QUERY_PLOT, ttp_get64(p + 1));
        break;
    case TTP_ITEM_PLOT_CONFIG:
        want_name(w, TTP_QUERY_PLOT, ttp_get64(p + 1));
        break;
    case TTP_ITEM_FRAME:
    case TTP_ITEM_FRAME_START:
    case TTP_ITEM_FRAME_END:
        want_name(w, TTP_QUERY_FRAME, ttp_get64(p + 9));
        break;
    case TTP_ITEM_PLOT_NAME:
    case TTP_ITEM_FRAME_NAME:
        w->answers += w->asks_all;
        break;
    case TTP_ITEM_FIBER_ENTER:
        advance(w, ttp_get_i64(p + 1));
        ttp_wire_enter_fiber(w, ttp_get64(p + 9), ttp_get32(p + 17));
        break;
    case TTP_ITEM_FIBER_LEAVE:
        advance(w, ttp_get_i64(p + 1));
        ttp_wire_leave_fiber(w, ttp_get32(p + 9));
        break;
    case TTP_ITEM_TERMINATE:
        w->terminated = true;
        break;
    case TTP_ITEM_CRASH:
        w->crashed = true;
        break;
    case TTP_ITEM_SOURCE:
        ttp_wire_answer_source(w, p);
        break;
    case TTP_ITEM_STRING:
        ttp_wire_answer_string(w, ttp_get64(p + 1), text);
        break;
    case TTP_ITEM_THREAD_NAME:
        w->answers++;
        ttp_wire_name_thread(w, ttp_map_get(&w->thread_at, ttp_get64(p + 1)), text);
        break;
    case TTP_ITEM_FIBER_NAME:
        w->answers++;
        ttp_wire_name_thread(w, ttp_map_get(&w->fiber_at, ttp_get64(p + 1)), text);
        break;
    default:
        break;
    }
}

/* Texts and the items that use them. */
static void text_item(struct ttp_wire *w, const unsigned char *p, ttp_str text)
{
    switch (w->dialect->role[*p]) {
    case TTP_ITEM_STRING_STAGED:
        stage(&w->staged, &w->staged_len, &w->cap_staged, text, w->arena);
        w->has_staged = true;
        break;
    case TTP_ITEM_SOURCE_STAGED:
        stage(&w->payload, &w->payload_len, &w->cap_payload, text, w->arena);
        w->has_payload = true;
        break;
    case TTP_ITEM_ZONE_TEXT:
        ttp_wire_zone_text(w, take_staged(w));
        break;
    case TTP_ITEM_ZONE_NAME:
        ttp_wire_zone_name(w, take_staged(w));
        break;
    case TTP_ITEM_ZONE_VALUE:
        ttp_wire_zone_value(w, ttp_get64(p + 1));
        break;
    case TTP_ITEM_MESSAGE:
        message(w, p, NO_COLOR);
        break;
    case TTP_ITEM_MESSAGE_COLOR:
        message(w, p, color_at(p + 9));
        break;
    case TTP_ITEM_LITERAL:
        literal(w, p, 9, NO_COLOR);
        break;
    case TTP_ITEM_LITERAL_COLOR:
        literal(w, p, 12, color_at(p + 9));
        break;
    default:
        if (!serial_item(w, p))
            rare_item(w, p, text);
        break;
    }
}

/* The plain form of a 64-bit delta begins where the shorter ones end. */
static int64_t long_delta(const struct ttp_wire *w, const unsigned char *p)
{
    const int64_t delta = ttp_get_i64(p);

    return w->dialect->deltas_packed ? ttp_wrap_add(delta, DELTA64_FROM) : delta;
}

void ttp_wire_block(struct ttp_wire *w, ttp_str block)
{
    const struct ttp_dialect *d = w->dialect;
    const unsigned char *p = (const unsigned char *)block.ptr, *end = p + block.len;

    while (p < end && !w->full) {
        ttp_str text = {0};
        size_t size = d->size[*p];

        w->items++;
        switch (d->role[*p]) {
        case TTP_ITEM_ZONE_BEGIN:
            advance(w, long_delta(w, p + 1));
            ttp_wire_begin_zone(w, ttp_get64(p + 9));
            break;
        case TTP_ITEM_ZONE_BEGIN32:
            advance(w, (int64_t)ttp_get32(p + 1) + DELTA32_FROM);
            ttp_wire_begin_zone(w, ttp_get64(p + 5));
            break;
        case TTP_ITEM_ZONE_BEGIN16:
            advance(w, ttp_get16(p + 1));
            ttp_wire_begin_zone(w, ttp_get64(p + 3));
            break;
        case TTP_ITEM_ZONE_BEGIN_ALLOC:
            advance(w, ttp_get_i64(p + 1));
            ttp_wire_begin_zone_inline(w);
            break;
        case TTP_ITEM_ZONE_END:
            advance(w, long_delta(w, p + 1));
            ttp_wire_end_zone(w);
            break;
        case TTP_ITEM_ZONE_END32:
            advance(w, (int64_t)ttp_get32(p + 1) + DELTA32_FROM);
            ttp_wire_end_zone(w);
            break;
        case TTP_ITEM_ZONE_END16:
            advance(w, ttp_get16(p + 1));
            ttp_wire_end_zone(w);
            break;
        case TTP_ITEM_THREAD:
            w->tid = ttp_get32(p + 1);
            w->current = 0;
            w->clock = 0;
            break;
        case TTP_ITEM_SKIP:
            if (d->tail[*p])
                size = ttp_capture_dialect_item(d, p, end, &text);
            break;
        default:
            if (d->tail[*p])
                size = ttp_capture_dialect_item(d, p, end, &text);
            text_item(w, p, text);
            if (w->keep && !w->full)
                ttp_capture_keep_item(w, p, text);
            break;
        }
        p += size;
    }
    if (w->clock)
        w->last_tick = w->clock;
}

void ttp_wire_write_state(struct ttp_wire *w, bool inconsistent)
{
    struct ttp_entry e = {.kind = TTP_ENTRY_STATE};

    e.u.state =
        (struct ttp_entry_state){w->items, w->zones_seen, w->messages, w->next_index, inconsistent};
    ttp_capture_journal_add(w->journal, &e);
}
