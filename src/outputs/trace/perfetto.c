/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's protobuf trace. Every track is a packet sequence of its own: its packets then need
 * neither the track's number (a default of the sequence) nor whole timestamps (a clock of the
 * sequence that counts from the packet before), and what order tracks are written in does not
 * matter. A packet that lies before the one written last on its track names the trace's own clock
 * and an absolute time instead.
 *
 * Field numbers are those of perfetto's protos/perfetto/trace at v58. */
#include "outputs/trace/trace_writer.h"

#include <math.h>

enum { TRACE_PACKET = 1 };

enum {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_GPU_STAGE = 53,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_FIRST = 87,
    PACKET_GPU_INFO = 128,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCK_BOOT = 6, CLOCK_DELTA = 64 };

enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12,
    TRACK_NOTE = 14,
};
enum { ORDER_EXPLICIT = 3 };

enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_COUNTER_REAL = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum {
    INTERNED_NAME = 2,
    INTERNED_KEY = 3,
    INTERNED_GPU_SPEC = 24,
    INTERNED_TEXT = 29,
    INTERNED_KERNEL = 1000,
};

enum {
    ARG_NAME_IID = 1,
    ARG_UINT = 3,
    ARG_INT = 4,
    ARG_REAL = 5,
    ARG_TEXT = 6,
    ARG_TEXT_IID = 17,
};

enum {
    STAGE_ID = 1,
    STAGE_DURATION = 2,
    STAGE_GPU = 11,
    STAGE_QUEUE = 13,
    STAGE_STAGE = 14,
    STAGE_KERNEL = 19,
    STAGE_NAME_IID = 20,
    STAGE_LAUNCH = 21,
};
enum { QUEUE_IID = 1, KIND_IID = 2, CATEGORY_COMPUTE = 2 };

static void flush(struct ttp_trace_writer *w)
{
    char head[1 + TTP_PB_VARINT_MAX];

    head[0] = TRACE_PACKET << 3 | TTP_PB_WIRE_BYTES;
    const size_t n = 1 + ttp_pb_put_varint(head + 1, w->packet.len);
    char *at = ttp_sink_room(w->out, n + w->packet.len);
    memcpy(at, head, n);
    memcpy(at + n, w->packet.buf, w->packet.len);
    w->out->len += n + w->packet.len;
    w->packet.len = 0;
    w->counts.packets++;
}

/* Numbers of sequences and uuids of tracks: those of tracks, which count from 1. */
static void put_clock(struct ttp_pb *b, uint32_t id, int64_t ns, bool delta)
{
    const size_t clock = ttp_pb_open(b, 1);

    ttp_pb_uint(b, 1, id);
    ttp_pb_uint(b, 2, (uint64_t)ns);
    if (delta)
        ttp_pb_uint(b, 3, 1);
    ttp_pb_close(b, clock);
}

static void start_sequence(struct ttp_trace_writer *w, ttp_track track)
{
    struct ttp_pb *b = &w->packet;

    ttp_pb_uint(b, PACKET_SEQUENCE, track);
    ttp_pb_uint(b, PACKET_FLAGS, FLAG_CLEARED);
    ttp_pb_uint(b, PACKET_FIRST, 1);
    const size_t defaults = ttp_pb_open(b, PACKET_DEFAULTS);
    ttp_pb_uint(b, PACKET_CLOCK, CLOCK_DELTA);
    const size_t event = ttp_pb_open(b, PACKET_TRACK_EVENT);
    ttp_pb_uint(b, EVENT_TRACK, track);
    ttp_pb_close(b, event);
    ttp_pb_close(b, defaults);
    const size_t snapshot = ttp_pb_open(b, PACKET_CLOCK_SNAPSHOT);
    put_clock(b, CLOCK_BOOT, 0, false);
    put_clock(b, CLOCK_DELTA, 0, true);
    ttp_pb_close(b, snapshot);
    flush(w);
}

static void put_counter_description(struct ttp_pb *b, const struct ttp_trace_track *t)
{
    const size_t counter = ttp_pb_open(b, TRACK_COUNTER);

    if (t->unit)
        ttp_pb_str(b, 6, ttp_str_from(t->unit));
    ttp_pb_close(b, counter);
}

static void put_process(struct ttp_pb *b, const struct ttp_trace_track *t)
{
    const size_t process = ttp_pb_open(b, TRACK_PROCESS);

    ttp_pb_uint(b, 1, (uint64_t)(int64_t)t->pid);
    ttp_pb_str(b, 6, t->name);
    ttp_pb_close(b, process);
}

static void put_thread(struct ttp_pb *b, const struct ttp_trace_track *t)
{
    const size_t thread = ttp_pb_open(b, TRACK_THREAD);

    ttp_pb_uint(b, 1, (uint64_t)(int64_t)t->pid);
    ttp_pb_uint(b, 2, (uint64_t)(int64_t)t->tid);
    ttp_pb_str(b, 5, t->name);
    ttp_pb_close(b, thread);
}

static void declare(struct ttp_trace_writer *w, ttp_track track)
{
    const struct ttp_trace_track *t = &w->track[track];
    struct ttp_pb *b = &w->packet;

    if (t->kind != TTP_TRACK_GROUP && t->kind != TTP_TRACK_PROCESS)
        start_sequence(w, track);
    if (t->kind == TTP_TRACK_STAGES)
        return; /* the reader makes these tracks itself */
    ttp_pb_uint(b, PACKET_SEQUENCE, track);
    const size_t d = ttp_pb_open(b, PACKET_TRACK);
    ttp_pb_uint(b, TRACK_UUID, track);
    ttp_pb_str(b, TRACK_NAME, t->name);
    if (t->parent != TTP_TRACK_ROOT)
        ttp_pb_uint(b, TRACK_PARENT, t->parent);
    if (t->kind == TTP_TRACK_PROCESS)
        put_process(b, t);
    else if (t->kind == TTP_TRACK_THREAD)
        put_thread(b, t);
    else if (t->kind == TTP_TRACK_COUNTER)
        put_counter_description(b, t);
    ttp_pb_uint(b, TRACK_RANK, (uint64_t)(int64_t)t->rank);
    if (t->kind == TTP_TRACK_GROUP || t->kind == TTP_TRACK_PROCESS)
        ttp_pb_uint(b, TRACK_ORDERING, ORDER_EXPLICIT);
    if (t->note.len)
        ttp_pb_str(b, TRACK_NOTE, t->note);
    ttp_pb_close(b, d);
    flush(w);
}

/* Time, sequence, and what the packet says that its sequence has not given yet. */
TTP_INLINE void put_head(struct ttp_trace_writer *w, ttp_track track, int64_t ns)
{
    struct ttp_trace_track *t = &w->track[track];
    struct ttp_pb *b = &w->packet;

    if (TTP_LIKELY(ns >= t->last_ns)) {
        ttp_pb_uint(b, PACKET_TIMESTAMP, (uint64_t)(ns - t->last_ns));
        t->last_ns = ns;
    } else {
        ttp_pb_uint(b, PACKET_TIMESTAMP, (uint64_t)ns);
        ttp_pb_uint(b, PACKET_CLOCK, CLOCK_BOOT);
    }
    ttp_pb_uint(b, PACKET_SEQUENCE, track);
    ttp_pb_uint(b, PACKET_FLAGS, FLAG_NEEDS_STATE);
}

TTP_INLINE bool is_told(const struct ttp_trace_told *told, ttp_sym name)
{
    return name / 64 < told->words && told->bit[name / 64] >> name % 64 & 1;
}

static void tell(struct ttp_trace_told *told, ttp_sym name, struct ttp_arena *arena)
{
    const size_t word = name / 64;

    if (word >= told->words) {
        uint64_t *wider = TTP_NEW(arena, uint64_t, word + 1);
        if (told->words)
            memcpy(wider, told->bit, told->words * sizeof(*wider));
        told->bit = wider;
        told->words = word + 1;
    }
    told->bit[word] |= (uint64_t)1 << name % 64;
}

static void put_interned(struct ttp_pb *b, uint32_t field, uint64_t iid, ttp_str text)
{
    const size_t entry = ttp_pb_open(b, field);

    ttp_pb_uint(b, 1, iid);
    ttp_pb_str(b, 2, text);
    ttp_pb_close(b, entry);
}

/* What this packet names for the first time on its sequence. */
static void put_new_names(struct ttp_trace_writer *w, ttp_track track,
                          const struct ttp_trace_slice *s, uint32_t keys)
{
    struct ttp_trace_track *t = &w->track[track];
    struct ttp_pb *b = &w->packet;
    const size_t interned = ttp_pb_open(b, PACKET_INTERNED);

    if (s->name != TTP_SYM_NONE && !is_told(&t->names, s->name)) {
        put_interned(b, INTERNED_NAME, (uint64_t)s->name + 1, ttp_sym_name(&w->names, s->name));
        tell(&t->names, s->name, w->arena);
    }
    for (uint32_t k = 0; k < TTP_KEYS; k++)
        if (keys >> k & 1)
            put_interned(b, INTERNED_KEY, (uint64_t)k + 1,
                         ttp_str_from(ttp_out_trace_key_name((enum ttp_trace_key)k)));
    t->keys |= keys;
    for (size_t i = 0; i < s->nargs; i++) {
        const struct ttp_trace_arg *a = &s->arg[i];

        if (a->type != TTP_ARG_NAME || is_told(&t->texts, a->v.name))
            continue;
        put_interned(b, INTERNED_TEXT, (uint64_t)a->v.name + 1, ttp_sym_name(&w->names, a->v.name));
        tell(&t->texts, a->v.name, w->arena);
    }
    ttp_pb_close(b, interned);
}

TTP_INLINE void put_names(struct ttp_trace_writer *w, ttp_track track,
                          const struct ttp_trace_slice *s)
{
    const struct ttp_trace_track *t = &w->track[track];
    bool news = s->name != TTP_SYM_NONE && !is_told(&t->names, s->name);
    uint32_t keys = 0;

    for (size_t i = 0; i < s->nargs; i++) {
        keys |= (uint32_t)1 << s->arg[i].key;
        news = news || (s->arg[i].type == TTP_ARG_NAME && !is_told(&t->texts, s->arg[i].v.name));
    }
    keys &= ~t->keys;
    if (TTP_UNLIKELY(news || keys))
        put_new_names(w, track, s, keys);
}

TTP_INLINE void put_arg(struct ttp_pb *b, const struct ttp_trace_arg *a)
{
    const size_t arg = ttp_pb_open(b, EVENT_ANNOTATION);

    ttp_pb_uint(b, ARG_NAME_IID, (uint64_t)a->key + 1);
    if (a->type == TTP_ARG_UINT)
        ttp_pb_uint(b, ARG_UINT, a->v.u);
    else if (a->type == TTP_ARG_INT)
        ttp_pb_uint(b, ARG_INT, (uint64_t)a->v.i);
    else if (a->type == TTP_ARG_REAL)
        ttp_pb_double(b, ARG_REAL, a->v.f);
    else if (a->type == TTP_ARG_NAME)
        ttp_pb_uint(b, ARG_TEXT_IID, (uint64_t)a->v.name + 1);
    else
        ttp_pb_str(b, ARG_TEXT, a->v.text);
    ttp_pb_close(b, arg);
}

TTP_INLINE void put_event(struct ttp_trace_writer *w, ttp_track track, uint32_t type,
                          const struct ttp_trace_slice *s)
{
    struct ttp_pb *b = &w->packet;

    put_head(w, track, s->start_ns);
    put_names(w, track, s);
    const size_t event = ttp_pb_open(b, PACKET_TRACK_EVENT);
    ttp_pb_uint(b, EVENT_TYPE, type);
    if (s->name != TTP_SYM_NONE)
        ttp_pb_uint(b, EVENT_NAME_IID, (uint64_t)s->name + 1);
    else
        ttp_pb_str(b, EVENT_NAME, s->text);
    for (size_t i = 0; i < s->nargs; i++)
        put_arg(b, &s->arg[i]);
    for (uint32_t i = 0; s->flow_out && i <= s->more_out; i++)
        ttp_pb_fixed64(b, EVENT_FLOW, s->flow_out + i);
    if (s->flow_in)
        ttp_pb_fixed64(b, EVENT_FLOW_END, s->flow_in);
    ttp_pb_close(b, event);
    flush(w);
}

static void begin(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    put_event(w, track, TYPE_BEGIN, s);
}

static void instant(struct ttp_trace_writer *w, ttp_track track, const struct ttp_trace_slice *s)
{
    put_event(w, track, TYPE_INSTANT, s);
}

static void end(struct ttp_trace_writer *w, ttp_track track, int64_t ns)
{
    struct ttp_pb *b = &w->packet;

    put_head(w, track, ns);
    const size_t event = ttp_pb_open(b, PACKET_TRACK_EVENT);
    ttp_pb_uint(b, EVENT_TYPE, TYPE_END);
    ttp_pb_close(b, event);
    flush(w);
}

static void counter(struct ttp_trace_writer *w, ttp_track track, int64_t ns, double value)
{
    struct ttp_pb *b = &w->packet;

    put_head(w, track, ns);
    const size_t event = ttp_pb_open(b, PACKET_TRACK_EVENT);
    ttp_pb_uint(b, EVENT_TYPE, TYPE_COUNTER);
    if (w->track[track].real)
        ttp_pb_double(b, EVENT_COUNTER_REAL, value);
    else
        ttp_pb_uint(b, EVENT_COUNTER, (uint64_t)llround(value));
    ttp_pb_close(b, event);
    flush(w);
}

/* ---- executions, as tools for graphics processors know them ---- */

static void put_specification(struct ttp_pb *b, uint64_t iid, ttp_str name)
{
    const size_t spec = ttp_pb_open(b, INTERNED_GPU_SPEC);

    ttp_pb_uint(b, 1, iid);
    ttp_pb_str(b, 2, name);
    ttp_pb_uint(b, 4, CATEGORY_COMPUTE);
    ttp_pb_close(b, spec);
}

/* Names of queue and stage with the first packet of the sequence, of a program when it is new. */
static void put_stage_names(struct ttp_trace_writer *w, struct ttp_trace_track *t,
                            const struct ttp_out_trace_stage *s)
{
    struct ttp_pb *b = &w->packet;
    const ttp_str name = ttp_sym_name(&w->names, s->name);
    const bool first = t->events++ == 0;

    if (is_told(&t->names, s->name) && !first)
        return;
    tell(&t->names, s->name, w->arena);
    const size_t interned = ttp_pb_open(b, PACKET_INTERNED);
    if (first) {
        put_specification(b, QUEUE_IID, t->name);
        put_specification(b, KIND_IID, TTP_STR("program"));
    }
    put_interned(b, INTERNED_NAME, (uint64_t)s->name + 1, name);
    const size_t kernel = ttp_pb_open(b, INTERNED_KERNEL);
    ttp_pb_uint(b, 1, (uint64_t)s->name + 1);
    ttp_pb_str(b, 2, name);
    ttp_pb_str(b, 3, name);
    ttp_pb_str(b, 4, w->device[t->device].arch);
    ttp_pb_close(b, kernel);
    ttp_pb_close(b, interned);
}

static void put_size(struct ttp_pb *b, uint32_t field, uint32_t x)
{
    const size_t size = ttp_pb_open(b, field);

    ttp_pb_uint(b, 1, x);
    ttp_pb_uint(b, 2, 1);
    ttp_pb_uint(b, 3, 1);
    ttp_pb_close(b, size);
}

static void put_launch_arg(struct ttp_pb *b, const struct ttp_trace_arg *a)
{
    const size_t arg = ttp_pb_open(b, 3);

    ttp_pb_str(b, 2, ttp_str_from(ttp_out_trace_key_name((enum ttp_trace_key)a->key)));
    if (a->type == TTP_ARG_UINT)
        ttp_pb_uint(b, 4, a->v.u);
    else if (a->type == TTP_ARG_INT)
        ttp_pb_uint(b, 3, (uint64_t)a->v.i);
    else if (a->type == TTP_ARG_REAL)
        ttp_pb_double(b, 5, a->v.f);
    else
        ttp_pb_str(b, 6, a->v.text);
    ttp_pb_close(b, arg);
}

static void stage(struct ttp_trace_writer *w, ttp_track track, const struct ttp_out_trace_stage *s)
{
    struct ttp_trace_track *t = &w->track[track];
    struct ttp_pb *b = &w->packet;

    put_head(w, track, s->start_ns);
    put_stage_names(w, t, s);
    const size_t event = ttp_pb_open(b, PACKET_GPU_STAGE);
    ttp_pb_uint(b, STAGE_ID, s->id);
    ttp_pb_uint(b, STAGE_DURATION, (uint64_t)(s->end_ns - s->start_ns));
    ttp_pb_uint(b, STAGE_GPU, t->device);
    ttp_pb_uint(b, STAGE_QUEUE, QUEUE_IID);
    ttp_pb_uint(b, STAGE_STAGE, KIND_IID);
    ttp_pb_uint(b, STAGE_KERNEL, (uint64_t)s->name + 1);
    ttp_pb_uint(b, STAGE_NAME_IID, (uint64_t)s->name + 1);
    const size_t launch = ttp_pb_open(b, STAGE_LAUNCH);
    put_size(b, 1, s->grid);
    put_size(b, 2, s->threads);
    for (size_t i = 0; i < s->nargs; i++)
        put_launch_arg(b, &s->arg[i]);
    ttp_pb_close(b, launch);
    ttp_pb_close(b, event);
    flush(w);
}

static void start(struct ttp_trace_writer *w)
{
    struct ttp_pb *b = &w->packet;

    if (w->ndevices == 0)
        return;
    const size_t info = ttp_pb_open(b, PACKET_GPU_INFO);
    for (size_t i = 0; i < w->ndevices; i++) {
        const size_t gpu = ttp_pb_open(b, 1);
        ttp_pb_str(b, 1, w->device[i].name);
        ttp_pb_str(b, 2, TTP_STR("Tenstorrent"));
        ttp_pb_str(b, 4, w->device[i].arch);
        ttp_pb_close(b, gpu);
    }
    ttp_pb_close(b, info);
    flush(w);
}

static void finish(struct ttp_trace_writer *w)
{
    (void)w; /* a trace may end after any packet */
}

const struct ttp_trace_form ttp_trace_perfetto = {start,   declare, begin, end,
                                                  instant, counter, stage, finish};
