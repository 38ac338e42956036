/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/wire_gpu.h"

/* Whose times may be outstanding; those of an older zone never come. */
#define ZONES_MAX  65536
#define NUMBER_MAX INT32_MAX
#define QUERIES    65536
/* Names differ by a number of 16 bits, files by the kernels of a run. */
#define NAMES_MAX      262144
#define NAME_MAX_BYTES 4096

static struct ttp_wire_gpu_context *context_of(struct ttp_wire_gpu *g, size_t at)
{
    if (!g->use || at >= TTP_COUNT(g->context))
        return NULL;
    if (!g->context[at]) {
        g->context[at] = TTP_NEW(g->arena, struct ttp_wire_gpu_context, 1);
        g->context[at]->period = 1;
    }
    return g->context[at];
}

static uint64_t key_of(const struct ttp_gpu_item *at)
{
    return (uint64_t)at->context << 32 | at->thread;
}

static uint32_t *query_of(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at)
{
    struct ttp_wire_gpu_context *c = context_of(g, at->context);

    if (!c)
        return NULL;
    if (!c->query)
        c->query = TTP_NEW(g->arena, uint32_t, QUERIES);
    return &c->query[at->query];
}

/* NULL: none, or a later one has its place. */
static struct ttp_gpu_zone *zone_of(struct ttp_wire_gpu *g, uint32_t number)
{
    if (number == 0 || !g->zone || g->zone[number % ZONES_MAX].number != number)
        return NULL;
    return &g->zone[number % ZONES_MAX];
}

static struct ttp_gpu_zone *new_zone(struct ttp_wire_gpu *g)
{
    if (!g->zone)
        g->zone = TTP_NEW(g->arena, struct ttp_gpu_zone, ZONES_MAX);
    g->last = g->last < NUMBER_MAX ? g->last + 1 : 1;
    struct ttp_gpu_zone *z = &g->zone[g->last % ZONES_MAX];
    *z = (struct ttp_gpu_zone){.number = g->last};
    return z;
}

static ttp_sym intern(struct ttp_wire_gpu *g, ttp_str text)
{
    g->names.arena = g->arena;
    return ttp_sym_intern(&g->names, g->names.count < NAMES_MAX
                                         ? ttp_str_slice(text, 0, NAME_MAX_BYTES)
                                         : (ttp_str){0});
}

void ttp_wire_gpu_context(struct ttp_wire_gpu *g, size_t context, float period)
{
    struct ttp_wire_gpu_context *c = context_of(g, context);

    if (c && period > 0)
        c->period = period;
}

void ttp_wire_gpu_name(struct ttp_wire_gpu *g, size_t context, ttp_str name)
{
    struct ttp_wire_gpu_context *c = context_of(g, context);

    if (c && c->name.len == 0)
        c->name = ttp_arena_copy(g->arena, ttp_str_slice(name, 0, NAME_MAX_BYTES));
}

void ttp_wire_gpu_begin(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at, ttp_str name,
                        ttp_str file)
{
    uint32_t *query = query_of(g, at);

    if (!query)
        return;
    struct ttp_gpu_zone *z = new_zone(g);
    g->open.arena = g->arena;
    const uint32_t below = ttp_map_get(&g->open, key_of(at));
    z->name = intern(g, name);
    z->file = intern(g, file);
    z->below = below == TTP_MAP_NONE ? 0 : below;
    ttp_map_put(&g->open, key_of(at), z->number);
    *query = z->number * 2;
}

void ttp_wire_gpu_end(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at)
{
    uint32_t *query = query_of(g, at);
    const uint32_t open = query ? ttp_map_get(&g->open, key_of(at)) : TTP_MAP_NONE;

    const struct ttp_gpu_zone *z = open == TTP_MAP_NONE ? NULL : zone_of(g, open);

    if (open != TTP_MAP_NONE)
        ttp_map_put(&g->open, key_of(at), z ? z->below : 0);
    if (z)
        *query = open * 2 + 1;
}

void ttp_wire_gpu_time(struct ttp_wire_gpu *g, const struct ttp_gpu_item *at, int64_t delta)
{
    uint32_t *query = query_of(g, at);

    g->clock = (int64_t)((uint64_t)g->clock + (uint64_t)delta);
    struct ttp_gpu_zone *z = query ? zone_of(g, *query / 2) : NULL;
    if (!z)
        return;
    const bool end = *query % 2 == 1;

    *query = 0;
    *(end ? &z->end : &z->start) = g->clock;
    z->has |= end ? 2 : 1;
    if (z->has != 3)
        return;
    const struct ttp_wire_gpu_context *c = g->context[at->context];
    g->use(g->arg, &(struct ttp_device_zone){.context = c->name,
                                             .name = ttp_sym_name(&g->names, z->name),
                                             .file = ttp_sym_name(&g->names, z->file),
                                             .start_ns = (double)z->start * (double)c->period,
                                             .end_ns = (double)z->end * (double)c->period});
    z->number = 0;
}
