/* SPDX-License-Identifier: Apache-2.0 */
/* Zones of devices and plots of a .tracy file. */
#include "base/vec.h"
#include "capture/tracy_walk.h"

struct device_level {
    struct ttp_tracy_level walk;
    int64_t start;
    uint32_t source;
};

struct device_timeline {
    struct ttp_tracy_walk walk; /* over struct device_level */
    int64_t ref;                /* the device's clock in ns; the host's is passed over */
};

/* Times are kept in 48 bits. */
static int64_t narrow(int64_t ns)
{
    return (int64_t)((uint64_t)ns << 16) >> 16;
}

static void add_zone(struct ttp_tracy *t, int64_t start, int64_t end, uint32_t source)
{
    struct ttp_trace_device_zones *z = &t->builder->trace->device;

    start = narrow(start);
    end = narrow(end);
    if (!t->builder->options->devices || source >= t->builder->trace->nsources || end < 0 ||
        end <= start)
        return; /* never ended, or took no time */
    TTP_ROOM(t->arena, z->start_ns, z->count);
    TTP_ROOM(t->arena, z->end_ns, z->count);
    TTP_ROOM(t->arena, z->source, z->count);
    z->start_ns[z->count] = start;
    z->end_ns[z->count] = end;
    z->source[z->count++] = source;
}

/* i64 host, i64 device, i16 source location, 3 bytes call stack, u16 thread, u64 children; those;
 * i64 host, i64 device, and since 0.12.4 u16 query. */
static bool open_zone(struct ttp_tracy *t, void *arg, uint64_t *children)
{
    struct device_timeline *line = arg;
    struct device_level *l = ttp_tracy_innermost(&line->walk);
    unsigned char z[31];

    if (!ttp_tracy_get(&t->in, z, sizeof(z)))
        return false;
    if (!ttp_tracy_source(t, (int16_t)ttp_get16(z + 16), &l->source))
        return ttp_tracy_odd(t, "a device zone has an unknown source location");
    line->ref = ttp_wrap_add(line->ref, ttp_get_i64(z + 8));
    l->start = line->ref;
    *children = ttp_get64(z + 23);
    return true;
}

static bool close_zone(struct ttp_tracy *t, void *arg)
{
    const size_t size = t->version >= TTP_TRACY_VERSION(0, 12, 4) ? 18 : 16;
    struct device_timeline *line = arg;
    const struct device_level *l = ttp_tracy_innermost(&line->walk);
    unsigned char z[18];

    if (!ttp_tracy_get(&t->in, z, size))
        return false;
    line->ref = ttp_wrap_add(line->ref, ttp_get_i64(z + 8));
    add_zone(t, l->start, line->ref, l->source);
    return true;
}

static bool read_lane(struct ttp_tracy *t, struct device_timeline *line)
{
    uint64_t n;

    line->ref = 0;
    if (!ttp_tracy_skip(&t->in, 8) || !ttp_tracy_u64(t, &n))
        return false;
    return ttp_tracy_walk_zones(t, &line->walk, n,
                                (struct ttp_tracy_taker){open_zone, close_zone, line});
}

/* Values that a device gave with a query: u64 queries of u16, u64 values of 16 bytes. */
static bool skip_annotations(struct ttp_tracy *t)
{
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!ttp_tracy_skip(&t->in, 2) || !ttp_tracy_skip_array(t, 16))
            return false;
    return true;
}

/* u64 thread, u8 calibrated, u64 zones, f32 period, u8 type, 3 bytes name, u64 overflow; names of
 * annotations; lanes; annotations. */
static bool read_context(struct ttp_tracy *t, struct device_timeline *line)
{
    const bool annotated = t->version >= TTP_TRACY_VERSION(0, 12, 4);
    uint64_t n;

    if (!ttp_tracy_skip(&t->in, 8 + 1 + 8 + 4 + 1 + 3 + 8) ||
        (annotated && !ttp_tracy_skip_array(t, 8 + 3)) || !ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!read_lane(t, line))
            return false;
    return !annotated || skip_annotations(t);
}

bool ttp_tracy_read_devices(struct ttp_tracy *t)
{
    struct device_timeline line = {.walk = {.size = sizeof(struct device_level)}};
    uint64_t n;

    if (!ttp_tracy_skip(&t->in, 16) || !ttp_tracy_u64(t, &n)) /* zones, and those with children */
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!read_context(t, &line))
            return false;
    return true;
}

static void add_point(struct ttp_tracy *t, int64_t ns, double value, ttp_sym name)
{
    struct ttp_trace_plots *p = &t->builder->trace->plot;

    TTP_ROOM(t->arena, p->ns, p->count);
    TTP_ROOM(t->arena, p->value, p->count);
    TTP_ROOM(t->arena, p->name, p->count);
    p->ns[p->count] = narrow(ns);
    p->value[p->count] = value;
    p->name[p->count++] = name;
}

/* u8 type, format, steps, fill, u32 colour, u64 name, f64 least, most, sum, u64 points of i64 time
 * and f64 value. */
static bool read_plot(struct ttp_tracy *t)
{
    unsigned char b[16];
    uint64_t name, n;
    int64_t ns = 0;

    if (!ttp_tracy_skip(&t->in, 8) || !ttp_tracy_u64(t, &name) || !ttp_tracy_skip(&t->in, 24) ||
        !ttp_tracy_u64(t, &n))
        return false;
    const uint32_t at = ttp_map_get(&t->pointer_at, name);
    const ttp_sym sym = ttp_sym_intern(&t->builder->trace->names,
                                       at == TTP_MAP_NONE ? TTP_STR("???") : t->string[at]);
    for (uint64_t i = 0; i < n; i++) {
        if (!ttp_tracy_get(&t->in, b, sizeof(b)))
            return false;
        ns = ttp_wrap_add(ns, ttp_get_i64(b));
        add_point(t, ns, ttp_get_f64(b + 8), sym);
    }
    return true;
}

bool ttp_tracy_read_plots(struct ttp_tracy *t)
{
    uint64_t n;

    if (!ttp_tracy_u64(t, &n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!read_plot(t))
            return false;
    return true;
}
