/* SPDX-License-Identifier: Apache-2.0 */
/* Beginnings and ends to slices, and what tests ask of a trace. */
#include <stdlib.h>

#include "base/sink.h"
#include "trace_decode.h"

static int by_time(const void *a, const void *b)
{
    const struct td_raw *x = a, *y = b;

    if (x->e.ts != y->e.ts)
        return x->e.ts < y->e.ts ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Slices open on a track: positions of their events. */
struct stack {
    size_t *at;
    size_t depth, cap;
};

static void end_slice(struct td_trace *t, struct stack *s, int64_t ts)
{
    if (!s->depth) {
        t->lone_ends++;
        return;
    }
    struct td_event *e = &t->event[s->at[--s->depth]];
    e->dur = ts - e->ts;
}

static void push(struct stack *s, size_t event, struct ttp_arena *arena)
{
    if (s->depth == s->cap) {
        size_t *wider = TTP_NEW(arena, size_t, s->cap ? s->cap * 2 : 8);
        if (s->cap)
            memcpy(wider, s->at, s->cap * sizeof(*wider));
        s->at = wider;
        s->cap = s->cap ? s->cap * 2 : 8;
    }
    s->at[s->depth++] = event;
}

void td_pair(struct td_trace *t, struct td_raw *raw, size_t nraw, struct ttp_arena *arena)
{
    struct stack *stack;
    uint64_t most = 0;

    if (nraw)
        qsort(raw, nraw, sizeof(*raw), by_time);
    for (size_t i = 0; i < nraw; i++)
        most = raw[i].e.track > most ? raw[i].e.track : most;
    stack = TTP_NEW(arena, struct stack, most + 1);
    t->event = TTP_NEW(arena, struct td_event, nraw);
    for (size_t i = 0; i < nraw; i++) {
        struct td_raw *r = &raw[i];
        struct stack *s = &stack[r->e.track];

        if (r->type != 5 && !td_find_track(t, r->e.track))
            t->unknown_tracks++;
        if (r->type == 2) {
            end_slice(t, s, r->e.ts);
            continue;
        }
        r->e.depth = (int)s->depth;
        r->e.kind = r->type == 1   ? TD_SLICE
                    : r->type == 3 ? TD_INSTANT
                    : r->type == 4 ? TD_COUNTER
                                   : TD_STAGE;
        if (r->type < 1 || r->type > 5)
            t->malformed++;
        t->event[t->nevents] = r->e;
        if (r->type == 1)
            push(s, t->nevents, arena);
        t->nevents++;
    }
    for (uint64_t k = 0; k <= most; k++)
        t->unended += stack[k].depth;
}

const struct td_track *td_find_track(const struct td_trace *t, uint64_t uuid)
{
    static size_t last; /* tests have one thread */

    if (last < t->ntracks && t->track[last].uuid == uuid)
        return &t->track[last];
    for (size_t i = 0; i < t->ntracks; i++)
        if (t->track[i].uuid == uuid) {
            last = i;
            return &t->track[i];
        }
    return NULL;
}

ttp_str td_path(const struct td_trace *t, uint64_t uuid, struct ttp_arena *arena)
{
    const struct td_track *above[16];
    struct ttp_sink s;
    size_t n = 0;

    for (; uuid && n < TTP_COUNT(above); uuid = above[n++]->parent) {
        above[n] = td_find_track(t, uuid);
        if (!above[n])
            return TTP_STR("?");
    }
    ttp_sink_to_arena(&s, arena);
    while (n-- > 0) {
        ttp_sink_put(&s, above[n]->name);
        if (n)
            ttp_sink_char(&s, '/');
    }
    return ttp_sink_text(&s);
}

ttp_str td_arg(const struct td_event *e, const char *key)
{
    for (size_t i = 0; i < e->nargs; i++)
        if (ttp_str_eq(e->arg[i].key, ttp_str_from(key)))
            return e->arg[i].text;
    return TTP_STR("");
}

size_t td_faults(const struct td_trace *t)
{
    return t->malformed + t->unknown_fields + t->no_state + t->unknown_names + t->unknown_tracks +
           t->lone_ends + t->unended + t->crossed;
}
