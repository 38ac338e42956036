/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sink.h"
#include "trace_wire.h"

static double as_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

struct text_map {
    ttp_str *text; /* by iid */
    size_t cap;
};

struct sequence {
    uint64_t id;
    bool valid;
    uint64_t clock, track;          /* defaults; 0: none */
    bool has_delta;                 /* clock 64 was told to count on */
    int64_t delta_ns, delta_offset; /* where it stands; its 0 on the trace's clock */
    struct text_map names, keys, texts, specs;
};

struct decoder {
    struct td_trace *t;
    struct ttp_arena *arena;
    struct sequence *seq;
    size_t nseqs, cap_seqs, cap_tracks;
    uint32_t *seq_slot; /* by id */
    size_t nseq_slots;
    struct td_raw *raw;
    size_t nraw, cap_raw;
};

static struct sequence *sequence_of(struct decoder *d, uint64_t id)
{
    if (id >= d->nseq_slots) {
        const size_t n = (id + 1) * 2;
        d->seq_slot = ttp_arena_resize(d->arena, d->seq_slot, n * sizeof(*d->seq_slot));
        d->nseq_slots = n;
    }
    if (!d->seq_slot[id]) {
        if (d->nseqs == d->cap_seqs) {
            d->cap_seqs = d->cap_seqs ? d->cap_seqs * 2 : 64;
            d->seq = ttp_arena_resize(d->arena, d->seq, d->cap_seqs * sizeof(*d->seq));
        }
        d->seq[d->nseqs] = (struct sequence){.id = id};
        d->seq_slot[id] = (uint32_t)++d->nseqs;
    }
    return &d->seq[d->seq_slot[id] - 1];
}

static void map_put(struct decoder *d, struct text_map *m, uint64_t iid, ttp_str text)
{
    if (iid > 1000000) {
        d->t->malformed++;
        return;
    }
    if (iid >= m->cap) {
        ttp_str *wider = TTP_NEW(d->arena, ttp_str, (iid + 1) * 2);
        if (m->cap)
            memcpy(wider, m->text, m->cap * sizeof(*wider));
        m->text = wider;
        m->cap = (iid + 1) * 2;
    }
    m->text[iid] = text;
}

static ttp_str map_get(struct decoder *d, const struct text_map *m, uint64_t iid)
{
    if (iid < m->cap && m->text[iid].ptr)
        return m->text[iid];
    d->t->unknown_names++;
    return TTP_STR("?");
}

/* Every field of a message; the body is a switch on f.number. */
#define EACH_FIELD(d, bytes)                                                                       \
    ttp_str rest_ = (bytes);                                                                       \
    struct field f;                                                                                \
    int got_;                                                                                      \
    while ((got_ = get_field(&rest_, &f)) == 1 || (got_ < 0 && ((d)->t->malformed++, false)))

static void read_interned_entry(struct decoder *d, struct text_map *m, ttp_str bytes)
{
    uint64_t iid = 0;
    ttp_str text = {0};

    EACH_FIELD(d, bytes)
    {
        if (f.number == 1)
            iid = f.v;
        else if (f.number == 2)
            text = f.bytes;
    }
    if (!iid)
        d->t->malformed++;
    else
        map_put(d, m, iid, text.ptr ? text : TTP_STR(""));
}

static void read_interned(struct decoder *d, struct sequence *s, ttp_str bytes)
{
    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 2:
            read_interned_entry(d, &s->names, f.bytes);
            break;
        case 3:
            read_interned_entry(d, &s->keys, f.bytes);
            break;
        case 29:
            read_interned_entry(d, &s->texts, f.bytes);
            break;
        case 24:
        case 1000:
            read_interned_entry(d, &s->specs, f.bytes);
            break;
        default:
            d->t->unknown_fields++;
        }
    }
}

static void read_clock(struct decoder *d, uint64_t *id, uint64_t *ns, bool *delta, ttp_str bytes)
{
    *id = *ns = 0;
    *delta = false;
    EACH_FIELD(d, bytes)
    {
        if (f.number == 1)
            *id = f.v;
        else if (f.number == 2)
            *ns = f.v;
        else if (f.number == 3)
            *delta = f.v != 0;
        else
            d->t->unknown_fields++;
    }
}

static void read_snapshot(struct decoder *d, struct sequence *s, ttp_str bytes)
{
    uint64_t boot = UINT64_MAX, own = UINT64_MAX;

    EACH_FIELD(d, bytes)
    {
        uint64_t id, ns;
        bool delta;

        read_clock(d, &id, &ns, &delta, f.bytes);
        if (id == 6) {
            boot = ns;
        } else if (id == 64) {
            own = ns;
            s->has_delta = delta;
        }
    }
    if (boot == UINT64_MAX || own == UINT64_MAX)
        d->t->malformed++;
    s->delta_ns = (int64_t)own;
    s->delta_offset = (int64_t)(boot - own);
}

static void read_defaults(struct decoder *d, struct sequence *s, ttp_str bytes)
{
    EACH_FIELD(d, bytes)
    {
        if (f.number == 58)
            s->clock = f.v;
        else if (f.number == 11) {
            ttp_str inner = f.bytes;
            struct field g;
            while (get_field(&inner, &g) == 1)
                if (g.number == 11)
                    s->track = g.v;
        } else {
            d->t->unknown_fields++;
        }
    }
}

static void read_track(struct decoder *d, ttp_str bytes)
{
    struct td_track track = {0};

    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 1:
            track.uuid = f.v;
            break;
        case 2:
            track.name = f.bytes;
            break;
        case 3:
            track.process = true;
            break;
        case 4:
            track.thread = true;
            break;
        case 5:
            track.parent = f.v;
            break;
        case 8: {
            ttp_str inner = f.bytes;
            struct field g;
            track.counter = true;
            while (get_field(&inner, &g) == 1)
                if (g.number == 6)
                    track.unit = g.bytes;
            break;
        }
        case 12:
            track.rank = (int64_t)f.v;
            break;
        case 11:
        case 14:
            break;
        default:
            d->t->unknown_fields++;
        }
    }
    if (d->t->ntracks == d->cap_tracks) {
        d->cap_tracks = d->cap_tracks ? d->cap_tracks * 2 : 64;
        d->t->track = ttp_arena_resize(d->arena, d->t->track, d->cap_tracks * sizeof(track));
    }
    d->t->track[d->t->ntracks++] = track;
}

static ttp_str print(struct decoder *d, const char *fmt, ...) TTP_PRINTF(2, 3);
static ttp_str print(struct decoder *d, const char *fmt, ...)
{
    char text[64];
    va_list ap;

    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return ttp_arena_copy(d->arena, (ttp_str){text, (size_t)n});
}

static void read_arg(struct decoder *d, const struct sequence *s, struct td_event *e, ttp_str bytes)
{
    struct td_arg arg = {0};

    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 1:
            arg.key = map_get(d, &s->keys, f.v);
            break;
        case 3:
            arg.text = print(d, "%llu", (unsigned long long)f.v);
            break;
        case 4:
            arg.text = print(d, "%lld", (long long)f.v);
            break;
        case 5:
            arg.text = print(d, "%.6g", as_double(f.v));
            break;
        case 6:
            arg.text = f.bytes;
            break;
        case 17:
            arg.text = map_get(d, &s->texts, f.v);
            break;
        default:
            d->t->unknown_fields++;
        }
    }
    struct td_arg *all = TTP_NEW(d->arena, struct td_arg, e->nargs + 1);
    if (e->nargs)
        memcpy(all, e->arg, e->nargs * sizeof(*all));
    all[e->nargs++] = arg;
    e->arg = all;
}

static int read_event(struct decoder *d, const struct sequence *s, struct td_event *e,
                      ttp_str bytes)
{
    int type = 0;

    e->track = s->track;
    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 4:
            read_arg(d, s, e, f.bytes);
            break;
        case 9:
            type = (int)f.v;
            break;
        case 10:
            e->name = map_get(d, &s->names, f.v);
            break;
        case 11:
            e->track = f.v;
            break;
        case 23:
            e->name = f.bytes;
            break;
        case 30:
            e->value = (double)(int64_t)f.v;
            break;
        case 44:
            e->value = as_double(f.v);
            break;
        case 47:
            e->flow_out = f.v;
            break;
        case 48:
            e->flow_in = f.v;
            break;
        default:
            d->t->unknown_fields++;
        }
    }
    return type;
}

static void read_launch(struct decoder *d, struct td_event *e, ttp_str bytes)
{
    EACH_FIELD(d, bytes)
    {
        ttp_str inner = f.bytes;
        struct field g;

        if (f.number > 2)
            continue;
        while (get_field(&inner, &g) == 1)
            if (g.number == 1)
                *(f.number == 1 ? &e->grid : &e->workgroup) = g.v;
    }
}

static void read_stage(struct decoder *d, const struct sequence *s, struct td_event *e,
                       ttp_str bytes)
{
    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 2:
            e->dur = (int64_t)f.v;
            break;
        case 11:
            e->gpu = f.v;
            break;
        case 13:
        case 14:
        case 19:
            (void)map_get(d, &s->specs, f.v);
            break;
        case 20:
            e->name = map_get(d, &s->names, f.v);
            break;
        case 21:
            read_launch(d, e, f.bytes);
            break;
        case 1:
            break;
        default:
            d->t->unknown_fields++;
        }
    }
}

struct packet {
    uint64_t seq, flags, clock, timestamp;
    bool has_timestamp;
    ttp_str snapshot, event, interned, stage, defaults, track;
};

static void put_raw(struct decoder *d, int type, struct td_event *e)
{
    if (d->nraw == d->cap_raw) {
        d->cap_raw = d->cap_raw ? d->cap_raw * 2 : 1024;
        d->raw = ttp_arena_resize(d->arena, d->raw, d->cap_raw * sizeof(*d->raw));
    }
    d->raw[d->nraw] = (struct td_raw){type, d->nraw, *e};
    d->nraw++;
}

static int64_t time_of(struct decoder *d, struct sequence *s, const struct packet *p)
{
    const uint64_t clock = p->clock ? p->clock : s->clock;

    if (clock != 64) {
        d->t->absolute_packets++;
        return (int64_t)p->timestamp;
    }
    if (!s->has_delta)
        d->t->no_state++;
    d->t->delta_packets++;
    s->delta_ns += (int64_t)p->timestamp;
    return s->delta_ns + s->delta_offset;
}

static void read_gpus(struct decoder *d, ttp_str bytes)
{
    EACH_FIELD(d, bytes)
    {
        d->t->gpus += f.number == 1;
    }
}

static void use_packet(struct decoder *d, const struct packet *p)
{
    struct sequence *s = p->seq ? sequence_of(d, p->seq) : NULL;
    struct td_event e = {.dur = -1};

    if (!s)
        return;
    if (p->flags & 1) {
        const struct sequence fresh = {.id = s->id, .valid = true};
        *s = fresh;
        d->t->sequences++;
    }
    if (p->flags & 2 && !s->valid)
        d->t->no_state++;
    if (p->defaults.ptr)
        read_defaults(d, s, p->defaults);
    if (p->interned.ptr)
        read_interned(d, s, p->interned);
    if (p->snapshot.ptr)
        read_snapshot(d, s, p->snapshot);
    if (p->track.ptr)
        read_track(d, p->track);
    if (!p->event.ptr && !p->stage.ptr)
        return;
    if (!p->has_timestamp)
        d->t->malformed++;
    e.ts = time_of(d, s, p);
    if (p->event.ptr) {
        const int type = read_event(d, s, &e, p->event);
        put_raw(d, type, &e);
    } else {
        read_stage(d, s, &e, p->stage);
        e.kind = TD_STAGE;
        put_raw(d, 5, &e);
    }
}

static void read_packet(struct decoder *d, ttp_str bytes)
{
    struct packet p = {0};

    d->t->packets++;
    EACH_FIELD(d, bytes)
    {
        switch (f.number) {
        case 6:
            p.snapshot = f.bytes;
            break;
        case 8:
            p.timestamp = f.v;
            p.has_timestamp = true;
            break;
        case 10:
            p.seq = f.v;
            break;
        case 11:
            p.event = f.bytes;
            break;
        case 12:
            p.interned = f.bytes;
            break;
        case 13:
            p.flags = f.v;
            break;
        case 53:
            p.stage = f.bytes;
            break;
        case 58:
            p.clock = f.v;
            break;
        case 59:
            p.defaults = f.bytes;
            break;
        case 60:
            p.track = f.bytes;
            break;
        case 87:
            break;
        case 128:
            read_gpus(d, f.bytes);
            break;
        default:
            d->t->unknown_fields++;
        }
    }
    use_packet(d, &p);
}

void td_decode(struct td_trace *out, ttp_str bytes, struct ttp_arena *arena)
{
    struct decoder decoder = {.t = out, .arena = arena}, *d = &decoder;

    *out = (struct td_trace){0};
    EACH_FIELD(d, bytes)
    {
        if (f.number != 1 || f.wire != 2)
            out->malformed++;
        else
            read_packet(d, f.bytes);
    }
    td_pair(out, d->raw, d->nraw, arena);
}
