/* SPDX-License-Identifier: Apache-2.0 */
/* noc_trace_dev*.json: zones and NoC events of one execution on one device, keys in order, ordered
 * by core, RISC and time. Firmware's zones and compute's kernel zones are not in it. */
#include "base/json_write.h"
#include "synth/markers.h"
#include "synth/writers.h"

/* A packet of the fabric, without its header. */
enum { FABRIC_BYTES = 4096 };

struct trace {
    struct ttp_json_writer json;
    const struct ttp_synth_call *call;
    const struct ttp_synth_core *core;
    enum ttp_synth_risc risc;
    uint32_t device;
};

static void put_text(struct trace *t, const char *key, const char *value)
{
    ttp_json_put_key(&t->json, ttp_str_from(key));
    ttp_json_put_str(&t->json, ttp_str_from(value));
}

static void put_number(struct trace *t, const char *key, int64_t value)
{
    ttp_json_put_key(&t->json, ttp_str_from(key));
    ttp_json_put_i64(&t->json, value);
}

/* The keys from op_name to timestamp, which all records have. */
static void put_common(struct trace *t, uint64_t time)
{
    put_text(t, "op_name", t->call->op->code);
    put_text(t, "proc", ttp_synth_risc_names[t->risc]);
    put_number(t, "run_host_id", ttp_synth_id(t->call, t->device));
    put_number(t, "src_device_id", t->device);
    put_number(t, "sx", t->core->at.x);
    put_number(t, "sy", t->core->at.y);
    put_number(t, "timestamp", (int64_t)time);
}

static void put_zone(struct trace *t, const char *name, const char *phase, uint64_t time)
{
    ttp_json_begin_object(&t->json);
    put_common(t, time);
    put_text(t, "zone", name);
    put_text(t, "zone_phase", phase);
    ttp_json_end_object(&t->json);
}

static const char *type_name(enum ttp_synth_noc_type type)
{
    switch (type) {
    case SYNTH_NOC_READ:
        return "READ";
    case SYNTH_NOC_READ_BARRIER_START:
        return "READ_BARRIER_START";
    case SYNTH_NOC_READ_BARRIER_END:
        return "READ_BARRIER_END";
    case SYNTH_NOC_WRITE:
        return "WRITE_";
    case SYNTH_NOC_WRITE_MULTICAST:
        return "WRITE_MULTICAST";
    case SYNTH_NOC_WRITE_BARRIER_START:
        return "WRITE_BARRIER_START";
    case SYNTH_NOC_WRITE_BARRIER_END:
        return "WRITE_BARRIER_END";
    }
    return "UNDEF";
}

static void put_event(struct trace *t, const struct ttp_synth_marker *m)
{
    const struct ttp_synth_noc e = ttp_synth_noc_unpack(m->data);
    const bool multicast = e.type == SYNTH_NOC_WRITE_MULTICAST;

    ttp_json_begin_object(&t->json);
    if (e.has_to && !multicast) {
        put_number(t, "dx", e.to.x);
        put_number(t, "dy", e.to.y);
    }
    if (multicast) {
        put_number(t, "mcast_end_x", e.end.x);
        put_number(t, "mcast_end_y", e.end.y);
        put_number(t, "mcast_start_x", e.to.x);
        put_number(t, "mcast_start_y", e.to.y);
    }
    put_text(t, "noc", e.noc ? "NOC_1" : "NOC_0");
    put_number(t, "num_bytes", e.bytes);
    put_common(t, m->time);
    put_text(t, "type", type_name(e.type));
    put_number(t, "vc", -1);
    ttp_json_end_object(&t->json);
}

/* What a collective sends to the next device of the line, or, at its end, to the one before: to the
 * same core there, through the Ethernet channel of the sender's routing plane. */
static void put_fabric(struct trace *t, const struct ttp_synth_plan *p, uint64_t time)
{
    const bool east = t->device + 1 < p->opt.devices;

    ttp_json_begin_object(&t->json);
    ttp_json_put_key(&t->json, TTP_STR("dst"));
    ttp_json_begin_array(&t->json);
    ttp_json_begin_object(&t->json);
    put_number(t, "dx", t->core->at.x);
    put_number(t, "dy", t->core->at.y);
    put_text(t, "noc", "NOC_0");
    put_number(t, "num_bytes", FABRIC_BYTES);
    ttp_json_end_object(&t->json);
    ttp_json_end_array(&t->json);
    ttp_json_put_key(&t->json, TTP_STR("fabric_send"));
    ttp_json_begin_object(&t->json);
    put_number(t, "eth_chan", t->core->rank + (east ? 0 : TTP_SYNTH_LINKS));
    put_number(t, "range", 1);
    put_number(t, "start_distance", 1);
    ttp_json_end_object(&t->json);
    put_text(t, "noc", "NOC_0");
    put_number(t, "num_bytes", FABRIC_BYTES);
    put_common(t, time);
    put_text(t, "type", "FABRIC_UNICAST_WRITE");
    put_number(t, "vc", -1);
    ttp_json_end_object(&t->json);
}

static void put_fabric_events(struct trace *t, const struct ttp_synth_plan *p,
                              const struct ttp_synth_span *s)
{
    const uint64_t bytes = ttp_synth_tensor_bytes(&t->call->op->out) / TTP_SYNTH_LINKS;
    const uint64_t most = 24, n = bytes / FABRIC_BYTES + 1 < most ? bytes / FABRIC_BYTES + 1 : most;
    const uint64_t length = s->kernel_end - s->kernel_start;

    for (uint64_t i = 0; i < n; i++)
        put_fabric(t, p, s->kernel_start + 80 + (length > 700 ? length - 700 : 0) * i / n);
}

static void put_risc(struct trace *t, const struct ttp_synth_plan *p,
                     const struct ttp_synth_device_exec *d)
{
    struct ttp_synth_marker inner[TTP_SYNTH_MAX_MARKERS];
    const struct ttp_synth_span s = ttp_synth_span_of(p, d, t->core, t->risc);
    const size_t n =
        ttp_synth_inner_markers(inner, p, d, (struct ttp_synth_thread){t->core, t->risc}, &s);
    const bool kernel = t->risc == SYNTH_BRISC || t->risc == SYNTH_NCRISC;
    const bool sends = t->call->collective && p->opt.devices > 1 && t->risc == SYNTH_BRISC &&
                       !t->core->eth && t->core->rank < TTP_SYNTH_LINKS;
    const char *name = ttp_synth_kernel_zones[t->risc].name;

    if (kernel)
        put_zone(t, name, "ZONE_START", s.kernel_start);
    if (sends)
        put_fabric_events(t, p, &s);
    for (size_t i = 0; i < n && !sends; i++) {
        const struct ttp_synth_marker *m = &inner[i];
        if (m->id == SYNTH_ID_NOC && !m->zone)
            put_event(t, m);
        else if (m->zone)
            put_zone(t, m->zone->name, m->type == SYNTH_ZONE_START ? "ZONE_START" : "ZONE_END",
                     m->time);
    }
    if (kernel)
        put_zone(t, name, "ZONE_END", s.kernel_end);
}

void ttp_synth_put_noc_trace(struct ttp_sink *out, const struct ttp_synth_plan *p,
                             const struct ttp_synth_exec *e, uint32_t device)
{
    const struct ttp_synth_device_exec d = ttp_synth_on_device(p, e, device);
    struct trace t = {
        .json = {.sink = out, .indent = true}, .call = &p->call[e->call], .device = device};

    ttp_json_begin_array(&t.json);
    for (size_t i = 0; i < p->ncores; i++)
        for (unsigned risc = 0; risc < SYNTH_ERISC; risc++) { /* that one is never traced */
            t.core = &p->core[i];
            t.risc = (enum ttp_synth_risc)risc;
            if (ttp_synth_uses(&d, t.core, t.risc))
                put_risc(&t, p, &d);
        }
    ttp_json_end_array(&t.json);
}
