/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_zones.c - zones in a timeline: around each transfer, and by themselves. */
#include "compat/npe/timeline.h"

void ttp_npeviz_rewind_zones(struct ttp_npeviz *t)
{
    if (!t->view->trace)
        return;
    if (!t->text.arena)
        ttp_sink_to_arena(&t->text, &t->zone_arena);
    ttp_noc_zones_init(&t->zones, t->view->trace, &t->zone_arena);
}

ttp_str ttp_npeviz_zone_path(struct ttp_npeviz *t, uint32_t event)
{
    struct ttp_noc_zone_walk *z = &t->zones;
    const struct ttp_noc_trace *trace = t->view->trace;

    /* what it may refuse was refused when the records became transfers */
    if (!trace || ttp_noc_zones_enter(z, event, NULL) != TTP_OK)
        return TTP_STR("");
    t->text.len = 0;
    for (size_t i = 0; i < z->nopen && !z->away; i++) {
        if (i)
            ttp_sink_char(&t->text, '/');
        ttp_sink_put(&t->text, ttp_sym_name(&trace->names, z->open[i].name));
        ttp_sink_printf(&t->text, "[%u]", z->open[i].count);
    }
    return ttp_sink_text(&t->text);
}

/* ---- the list of zones ---- */

struct zone {
    size_t start, end; /* records; end 0: it does not end */
    size_t told;       /* the zone that gets its end: itself, but see find_zones() */
    uint32_t count, depth;
    bool named;
};

static void put_cycle(struct ttp_npeviz *t, const char *key, const struct ttp_noc_event *e)
{
    ttp_npeviz_key(t, key);
    ttp_json_put_f64(&t->w, ttp_noc_zone_cycle(t->view->trace, e));
}

static void open_zone(struct ttp_npeviz *t, const struct zone *z)
{
    const struct ttp_noc_trace *trace = t->view->trace;
    const struct ttp_noc_event *e = &trace->event[z->start];
    struct ttp_sink id;

    ttp_sink_to_arena(&id, &t->arena);
    ttp_sink_put(&id, ttp_sym_name(&trace->names, e->name));
    ttp_sink_printf(&id, "[%u]", z->count);
    ttp_json_begin_object(&t->w);
    if (z->end)
        put_cycle(t, "end", &trace->event[z->end]);
    if (z->named) {
        ttp_npeviz_key(t, "id");
        ttp_json_put_str(&t->w, ttp_sink_text(&id));
    }
    put_cycle(t, "start", e);
    ttp_npeviz_key(t, "zones");
    ttp_json_begin_array(&t->w);
}

static void close_zones(struct ttp_npeviz *t, uint32_t *open, uint32_t down_to)
{
    for (; *open > down_to; (*open)--) {
        ttp_json_end_array(&t->w);
        ttp_json_end_object(&t->w);
    }
}

/* tt-npe finds the zone to end by name and time of its start: of two that began together the inner
 * one gets the end, and the name, of both. */
static void share_end(struct zone *zone, const size_t *stack, size_t depth, size_t inner,
                      const struct ttp_noc_trace *trace)
{
    const struct ttp_noc_event *e = &trace->event[zone[inner].start];

    for (size_t k = 0; k < depth; k++) {
        const struct ttp_noc_event *outer = &trace->event[zone[stack[k]].start];
        if (outer->name == e->name && outer->cycle == e->cycle)
            zone[stack[k]].told = inner;
    }
}

/* Zones of `records` in order of their start, each with its end and depth. Those that do not end
 * have no name in tt-npe's timelines. */
static size_t find_zones(struct zone *zone, struct ttp_npeviz *t, const uint32_t *records,
                         size_t nrecords)
{
    const struct ttp_noc_trace *trace = t->view->trace;
    const bool strict = t->view->options->rules.strict;
    size_t stack[TTP_NPEVIZ_DEPTH], depth = 0, n = 0;

    memset(t->zone_count, 0, trace->names.count * sizeof(*t->zone_count));
    for (size_t r = 0; r < nrecords; r++) {
        const size_t i = records[r];
        const struct ttp_noc_event *e = &trace->event[i];
        if (e->type == TTP_NOC_ZONE_START && depth < TTP_NPEVIZ_DEPTH) {
            zone[n] = (struct zone){i, 0, n, t->zone_count[e->name]++, (uint32_t)depth, !strict};
            if (strict)
                share_end(zone, stack, depth, n, trace);
            stack[depth++] = n++;
        } else if (e->type == TTP_NOC_ZONE_END && depth &&
                   trace->event[zone[stack[depth - 1]].start].name == e->name) {
            const struct zone *top = &zone[stack[--depth]];
            struct zone *told = &zone[top->told];
            told->end = i;
            told->count = top->count;
            told->named = true;
        }
    }
    return n;
}

static void put_core(struct ttp_npeviz *t, size_t list)
{
    const uint32_t *records;
    const size_t nrecords = ttp_noc_zones_of(&records, &t->zones, list);
    const struct ttp_noc_event *e = &t->view->trace->event[records[0]];
    const struct ttp_mark mark = ttp_arena_mark(&t->arena);
    struct zone *zone = TTP_NEW(&t->arena, struct zone, nrecords);
    uint32_t open = 0;

    const size_t n = find_zones(zone, t, records, nrecords);
    if (n == 0) {
        ttp_arena_rewind(&t->arena, mark);
        return;
    }
    ttp_json_begin_object(&t->w);
    ttp_npeviz_key(t, "core");
    ttp_json_begin_array(&t->w);
    ttp_json_put_i64(&t->w, (int16_t)e->device);
    ttp_json_put_i64(&t->w, (int16_t)e->sy);
    ttp_json_put_i64(&t->w, (int16_t)e->sx);
    ttp_json_end_array(&t->w);
    ttp_npeviz_key(t, "proc");
    ttp_json_put_str(&t->w,
                     ttp_str_from(ttp_logs_noc_risc_name(ttp_noc_zones_risc(&t->zones, list))));
    ttp_npeviz_key(t, "zones");
    ttp_json_begin_array(&t->w);
    for (size_t i = 0; i < n; i++) {
        close_zones(t, &open, zone[i].depth);
        open_zone(t, &zone[i]);
        open++;
    }
    close_zones(t, &open, 0);
    ttp_json_end_array(&t->w);
    ttp_json_end_object(&t->w);
    ttp_arena_rewind(&t->arena, mark);
}

void ttp_npeviz_zones(struct ttp_npeviz *t)
{
    const struct ttp_noc_trace *trace = t->view->trace;

    ttp_npeviz_key(t, "zones");
    ttp_json_begin_array(&t->w);
    if (trace)
        t->zone_count = TTP_NEW(&t->zone_arena, uint32_t, trace->names.count + 1U);
    for (size_t i = 0; trace && i < t->zones.nlists; i++)
        put_core(t, i);
    ttp_json_end_array(&t->w);
}
