/* SPDX-License-Identifier: Apache-2.0 */
/* Zones, each with those inside it between its begin and its end. */
#include "capture/tracy_write.h"

/* How zones of one kind are written. */
struct timeline {
    struct ttp_tracy_file *file;
    const struct ttp_nest *nest;
    void (*begin)(struct timeline *line, uint32_t at);
    void (*end)(struct timeline *line, uint32_t at);
    int64_t host_ns, device_ns; /* the last of each, to which the next is the difference */
};

/* All of a group. Which zones are open is in the nest: the last one and those around it. */
static void write_group(struct timeline *line, size_t group)
{
    const struct ttp_nest *n = line->nest;
    uint32_t open = TTP_ZONE_NONE;

    line->host_ns = line->device_ns = 0;
    for (uint32_t k = n->first[group]; k < n->first[group + 1]; k++) {
        const uint32_t at = n->order[k];

        for (; open != n->parent[at]; open = n->parent[open])
            line->end(line, open);
        line->begin(line, at);
        open = at;
    }
    for (; open != TTP_ZONE_NONE; open = n->parent[open])
        line->end(line, open);
}

/* ---- of the host ---- */

static void begin_zone(struct timeline *line, uint32_t at)
{
    struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_trace_zones *z = &plan->trace->zone;
    struct ttp_tracy_out *out = line->file->out;

    ttp_tracy_put16(out, (uint16_t)ttp_tracy_source_id(plan, z->source[at]));
    ttp_tracy_put_time(out, &line->host_ns, ttp_tracy_fit(plan, z->start_ns[at]));
    ttp_tracy_put32(out, z->extra[at] == TTP_ZONE_NONE ? 0 : z->extra[at] + 1);
    ttp_tracy_put32(out, line->nest->children[at]);
}

/* A zone that never ended does so before it begins, and before the trace does. */
static void end_zone(struct timeline *line, uint32_t at)
{
    struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_trace_zones *z = &plan->trace->zone;
    int64_t end;

    if (z->end_ns[at] == TTP_ZONE_OPEN)
        end = z->start_ns[at] > 0 ? -1 : ttp_tracy_fit(plan, z->start_ns[at]) - 1;
    else
        end = ttp_tracy_fit(plan, z->end_ns[at]);
    ttp_tracy_put_time(line->file->out, &line->host_ns, end);
}

static void write_thread(struct timeline *line, size_t at)
{
    const struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_trace_thread *thread = &plan->trace->thread[at];
    struct ttp_tracy_out *out = line->file->out;
    const uint32_t from = plan->message_first[at], to = plan->message_first[at + 1];

    ttp_tracy_put64(out, thread->tid);
    ttp_tracy_put64(out, line->nest->first[at + 1] - line->nest->first[at]);
    ttp_tracy_put64(out, 0);                     /* samples of the kernel */
    ttp_tracy_put8(out, thread->tid >> 32 == 1); /* threads have 32 bits, fibers one more */
    if (line->file->version >= TTP_TRACY_VERSION(0, 11, 1))
        ttp_tracy_put32(out, 0); /* group */
    ttp_tracy_put32(out, line->nest->roots[at]);
    write_group(line, at);
    ttp_tracy_put64(out, to - from);
    for (uint32_t i = from; i < to; i++)
        ttp_tracy_put64(out, (uint64_t)plan->message_order[i] + 1);
    ttp_tracy_put64(out, 0); /* samples at context switches, samples */
    ttp_tracy_put64(out, 0);
}

void ttp_tracy_write_threads(struct ttp_tracy_file *f)
{
    struct timeline line = {
        .file = f, .nest = &f->plan->zones, .begin = begin_zone, .end = end_zone};

    ttp_tracy_put64(f->out, line.nest->count);
    ttp_tracy_put64(f->out, line.nest->parents);
    ttp_tracy_put64(f->out, line.nest->groups);
    for (size_t i = 0; i < line.nest->groups; i++)
        write_thread(&line, i);
}

/* ---- of devices ---- */

static void begin_device_zone(struct timeline *line, uint32_t at)
{
    struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_kept_zone *z = &plan->keep->zone[at];
    const struct ttp_kept_lane *lane = &plan->keep->lane[z->lane];
    const bool bound = plan->keep->context[lane->context].thread != 0;
    struct ttp_tracy_out *out = line->file->out;

    ttp_tracy_put_time(out, &line->host_ns, ttp_tracy_fit(plan, z->host_ns[0]));
    ttp_tracy_put_time(out, &line->device_ns, ttp_tracy_fit(plan, z->device_ns[0]));
    ttp_tracy_put16(out, (uint16_t)ttp_tracy_source_id(plan, z->source));
    ttp_tracy_put_zeros(out, 3); /* call stack */
    ttp_tracy_put16(out, bound ? 0 : ttp_tracy_thread(plan, lane->thread));
    ttp_tracy_put64(out, line->nest->children[at]);
}

static void end_device_zone(struct timeline *line, uint32_t at)
{
    struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_kept_zone *z = &plan->keep->zone[at];
    struct ttp_tracy_out *out = line->file->out;

    ttp_tracy_put_time(out, &line->host_ns, ttp_tracy_fit(plan, z->host_ns[1]));
    ttp_tracy_put_time(out, &line->device_ns, ttp_tracy_fit(plan, z->device_ns[1]));
    if (line->file->version >= TTP_TRACY_VERSION(0, 12, 4))
        ttp_tracy_put16(out, 0); /* query, for annotations */
}

/* Kinds of devices were added in between, so Tenstorrent's has two numbers; one that a version does
 * not know is written as OpenCL, because viewers look its name up in a list. */
static uint8_t device_type(const struct ttp_tracy_file *f, uint8_t type)
{
    enum { OPENCL = 3, TT_OLD = 6, TT_NEW = 10 };
    const struct ttp_trace *t = f->plan->trace;
    const bool fork = t->origin && strcmp(t->origin, "tenstorrent") == 0;
    const bool is_tt = fork && type == (t->protocol < 75 ? TT_OLD : TT_NEW);
    const uint8_t own = f->version < TTP_TRACY_VERSION(0, 12, 0) ? TT_OLD : TT_NEW;

    if (is_tt)
        return own;
    return type < own ? type : OPENCL;
}

static void write_context(struct timeline *line, size_t at, const uint32_t *lanes, size_t nlanes)
{
    const struct ttp_tracy_plan *plan = line->file->plan;
    const struct ttp_kept_context *c = &plan->keep->context[at];
    struct ttp_tracy_out *out = line->file->out;
    const bool annotated = line->file->version >= TTP_TRACY_VERSION(0, 12, 4);
    const uint32_t name = plan->context_name[at];
    const unsigned char bytes[3] = {(unsigned char)name, (unsigned char)(name >> 8),
                                    (unsigned char)(name >> 16)};
    uint32_t period;

    memcpy(&period, &c->period, sizeof(period));
    ttp_tracy_put64(out, c->thread);
    ttp_tracy_put8(out, c->calibrated);
    ttp_tracy_put64(out, c->zones);
    ttp_tracy_put32(out, period);
    ttp_tracy_put8(out, device_type(line->file, c->type));
    ttp_tracy_put(out, bytes, sizeof(bytes));
    ttp_tracy_put64(out, c->overflow);
    if (annotated)
        ttp_tracy_put64(out, 0); /* their names */
    ttp_tracy_put64(out, nlanes);
    for (size_t i = 0; i < nlanes; i++) {
        ttp_tracy_put64(out, plan->keep->lane[lanes[i]].thread);
        ttp_tracy_put64(out, line->nest->roots[lanes[i]]);
        write_group(line, lanes[i]);
    }
    if (annotated)
        ttp_tracy_put64(out, 0);
}

static uint32_t context_of(const void *owner, uint32_t at)
{
    return ((const struct ttp_kept_lane *)owner)[at].context;
}

static uint32_t no_parent(const void *owner, uint32_t at)
{
    (void)owner, (void)at;
    return TTP_ZONE_NONE;
}

void ttp_tracy_write_devices(struct ttp_tracy_file *f)
{
    const struct ttp_wire_keep *k = f->plan->keep;
    struct timeline line = {
        .file = f, .nest = &f->plan->device, .begin = begin_device_zone, .end = end_device_zone};
    struct ttp_nest lanes = {.count = k->nlanes, .groups = k->ncontexts};
    uint64_t begun = 0;

    ttp_capture_nest_build(&lanes, k->lane, context_of, no_parent, f->plan->arena);
    for (size_t i = 0; i < k->ncontexts; i++)
        begun += k->context[i].zones;
    ttp_tracy_put64(f->out, begun);
    ttp_tracy_put64(f->out, line.nest->parents);
    ttp_tracy_put64(f->out, k->ncontexts);
    for (size_t i = 0; i < k->ncontexts; i++)
        write_context(&line, i, lanes.order + lanes.first[i], lanes.first[i + 1] - lanes.first[i]);
}
