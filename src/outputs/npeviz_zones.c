/* SPDX-License-Identifier: Apache-2.0 */
/* npeviz_zones.c - zones in a timeline: around each transfer, and by themselves. */
#include "outputs/npeviz.h"

static bool same_core(const struct ttp_noc_event *a, const struct ttp_noc_event *b)
{
    return a->device == b->device && a->sx == b->sx && a->sy == b->sy && a->risc == b->risc;
}

static size_t end_of_core(const struct ttp_noc_trace *trace, size_t first)
{
    size_t end = first + 1;

    while (end < trace->nevents && same_core(&trace->event[first], &trace->event[end]))
        end++;
    return end;
}

static void enter_core(struct ttp_zone_walk *z, const struct ttp_noc_trace *trace, size_t first)
{
    z->next = first;
    z->core_end = end_of_core(trace, first);
    z->nopen = 0;
    if (trace->names.count)
        memset(z->count, 0, trace->names.count * sizeof(*z->count));
}

void ttp_npeviz_rewind_zones(struct ttp_npeviz *t)
{
    struct ttp_zone_walk *z = &t->zones;
    const struct ttp_noc_trace *trace = t->view->trace;

    if (!trace)
        return;
    if (!z->count) {
        z->count = TTP_NEW(&z->arena, uint32_t, trace->names.count + 1U);
        ttp_sink_to_arena(&z->text, &z->arena);
    }
    z->core_end = z->next = 0;
}

static void step_zone(struct ttp_zone_walk *z, const struct ttp_noc_event *e)
{
    if (e->type == TTP_NOC_ZONE_START) {
        const uint32_t count = z->count[e->name]++;
        if (z->nopen < TTP_NPEVIZ_DEPTH) {
            z->open[z->nopen].name = e->name;
            z->open[z->nopen++].count = count;
        }
    } else if (e->type == TTP_NOC_ZONE_END && z->nopen && z->open[z->nopen - 1].name == e->name) {
        z->nopen--;
    }
}

ttp_str ttp_npeviz_zone_path(struct ttp_npeviz *t, uint32_t event)
{
    struct ttp_zone_walk *z = &t->zones;
    const struct ttp_noc_trace *trace = t->view->trace;

    if (!trace || event >= trace->nevents)
        return TTP_STR("");
    const uint64_t cycle = trace->event[event].cycle;
    while (z->core_end <= event)
        enter_core(z, trace, z->core_end);
    /* also zones of the same cycle that stand behind the record */
    while (z->next < z->core_end && (z->next < event || trace->event[z->next].cycle <= cycle))
        step_zone(z, &trace->event[z->next++]);
    z->text.len = 0;
    for (size_t i = 0; i < z->nopen; i++) {
        if (i)
            ttp_sink_char(&z->text, '/');
        ttp_sink_put(&z->text, ttp_sym_name(&trace->names, z->open[i].name));
        ttp_sink_printf(&z->text, "[%u]", z->open[i].count);
    }
    return ttp_sink_text(&z->text);
}

/* ---- the list of zones ---- */

struct zone {
    size_t start, end; /* records; end 0: it does not end */
    size_t told;       /* the zone that is told of its end: itself, but see find_zones() */
    uint32_t count, depth;
    bool named;
};

static void put_cycle(struct ttp_npeviz *t, const char *key, const struct ttp_noc_event *e)
{
    ttp_npeviz_key(t, key);
    ttp_json_put_f64(&t->w, (double)(e->cycle - t->view->load->first_cycle));
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

/* Zones of records [first, end) in order of their start, each with its end and depth. Those that do
 * not end have no name in tt-npe's timelines. */
static size_t find_zones(struct zone *zone, struct ttp_npeviz *t, size_t first, size_t end)
{
    const struct ttp_noc_trace *trace = t->view->trace;
    const bool compat = t->view->options->compat;
    size_t stack[TTP_NPEVIZ_DEPTH], depth = 0, n = 0;

    for (size_t i = first; i < end; i++) {
        const struct ttp_noc_event *e = &trace->event[i];
        if (e->type == TTP_NOC_ZONE_START && depth < TTP_NPEVIZ_DEPTH) {
            zone[n] = (struct zone){i, 0, n, t->zones.count[e->name]++, (uint32_t)depth, !compat};
            if (compat)
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

static void put_core(struct ttp_npeviz *t, size_t first, size_t end)
{
    const struct ttp_noc_event *e = &t->view->trace->event[first];
    const struct ttp_mark mark = ttp_arena_mark(&t->arena);
    struct zone *zone = TTP_NEW(&t->arena, struct zone, end - first);
    uint32_t open = 0;

    const size_t n = find_zones(zone, t, first, end);
    if (n == 0 || e->risc == TTP_NOC_RISC_NONE) {
        ttp_arena_rewind(&t->arena, mark);
        return;
    }
    ttp_json_begin_object(&t->w);
    ttp_npeviz_key(t, "core");
    ttp_json_begin_array(&t->w);
    ttp_json_put_u64(&t->w, e->device);
    ttp_json_put_i64(&t->w, e->sy);
    ttp_json_put_i64(&t->w, e->sx);
    ttp_json_end_array(&t->w);
    ttp_npeviz_key(t, "proc");
    ttp_json_put_str(&t->w, ttp_str_from(ttp_logs_noc_risc_name((enum ttp_noc_risc)e->risc)));
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
    for (size_t i = 0; trace && i < trace->nevents; i = t->zones.core_end) {
        enter_core(&t->zones, trace, i);
        put_core(t, i, t->zones.core_end);
    }
    ttp_json_end_array(&t->w);
}
