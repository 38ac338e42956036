/* SPDX-License-Identifier: Apache-2.0 */
/* perf_summary.py's reading of a NoC trace: types are told apart by words in their names. */
#include "base/vec.h"
#include "compat/compat.h"

struct kernel_start {
    uint32_t core;
    bool brisc;
    uint64_t cycle;
};

struct counting {
    struct ttp_original_traffic *out;
    const struct ttp_noc_trace *trace;
    struct ttp_core_set compute;
    struct kernel_start *start; /* of kernel zones; they stay after their end */
    size_t nstarts;
    struct ttp_arena *arena;
};

static ttp_str type_name(const struct ttp_noc_trace *t, const struct ttp_noc_event *e)
{
    if (e->type == TTP_NOC_OTHER && e->name != TTP_SYM_NONE)
        return ttp_sym_name(&t->names, e->name);
    return ttp_str_from(ttp_logs_noc_type_name((enum ttp_noc_type)e->type));
}

static size_t noc_of(const struct ttp_noc_event *e)
{
    return e->noc == 0 || e->noc == 1 ? (size_t)e->noc : 2;
}

static struct kernel_start *find_start(struct counting *c, uint32_t core, bool brisc)
{
    for (size_t i = 0; i < c->nstarts; i++)
        if (c->start[i].core == core && c->start[i].brisc == brisc)
            return &c->start[i];
    return NULL;
}

static void add_zone(struct counting *c, const struct ttp_noc_event *e)
{
    const ttp_str name =
        e->name == TTP_SYM_NONE ? TTP_STR("") : ttp_sym_name(&c->trace->names, e->name);
    const bool brisc = ttp_str_eq(name, TTP_STR("BRISC-KERNEL"));
    const uint32_t core = (uint32_t)(uint16_t)e->sx << 16 | (uint16_t)e->sy;
    struct ttp_original_traffic *out = c->out;

    if (c->trace->old_phases || (!brisc && !ttp_str_eq(name, TTP_STR("NCRISC-KERNEL"))))
        return;
    struct kernel_start *s = find_start(c, core, brisc);
    if (e->type == TTP_NOC_ZONE_START) {
        if (!s)
            s = &c->start[c->nstarts++];
        *s = (struct kernel_start){core, brisc, e->cycle};
    } else if (s) {
        const int64_t cycles = (int64_t)(e->cycle - s->cycle);
        if (brisc)
            *TTP_PUSH(c->arena, out->brisc, out->nbrisc) = cycles;
        else
            *TTP_PUSH(c->arena, out->ncrisc, out->nncrisc) = cycles;
    }
}

static void add_multicast(struct counting *c, const struct ttp_noc_event *e)
{
    struct ttp_original_traffic *out = c->out;

    ttp_kernel_add_size(&out->sizes, e->bytes, c->arena);
    out->noc_writes[noc_of(e)]++;
    if (ttp_kernel_has_core(&c->compute, e->mcast_start_x, e->mcast_start_y)) {
        out->multicasts++;
        out->multicast_bytes += e->bytes;
    } else {
        out->dram_written_bytes += e->bytes;
        out->dram_writes++;
    }
}

static void add_transfer(struct counting *c, const struct ttp_noc_event *e, bool read)
{
    struct ttp_original_traffic *out = c->out;
    const bool l1 = e->dx >= 0 && ttp_kernel_has_core(&c->compute, e->dx, e->dy);

    ttp_kernel_add_size(&out->sizes, e->bytes, c->arena);
    (read ? out->noc_reads : out->noc_writes)[noc_of(e)]++;
    if (l1) {
        *(read ? &out->l1_read_bytes : &out->l1_written_bytes) += e->bytes;
        ++*(read ? &out->l1_reads : &out->l1_writes);
        ttp_kernel_add_core(&out->l1_targets, e->dx, e->dy, c->arena);
        return;
    }
    *(read ? &out->dram_read_bytes : &out->dram_written_bytes) += e->bytes;
    ++*(read ? &out->dram_reads : &out->dram_writes);
    if (e->dx >= 0)
        ttp_kernel_add_core(&out->dram_targets, e->dx, e->dy, c->arena);
}

static void add_event(struct counting *c, const struct ttp_noc_event *e)
{
    struct ttp_original_traffic *out = c->out;
    const ttp_str type = type_name(c->trace, e);
    const bool read = ttp_str_has(type, TTP_STR("READ")),
               write = ttp_str_has(type, TTP_STR("WRITE"));

    ttp_kernel_add_core(&out->sources, e->sx, e->sy, c->arena);
    if (ttp_str_has(type, TTP_STR("SEMAPHORE"))) {
        out->semaphores++;
    } else if (ttp_str_has(type, TTP_STR("BARRIER"))) {
        const bool start = ttp_str_has(type, TTP_STR("START"));
        out->read_barriers += read && start;
        out->write_barriers += !(read && start) && write && start;
    } else if (e->mcast_start_x != TTP_NOC_UNSAID) {
        add_multicast(c, e);
    } else if (read || write) {
        add_transfer(c, e, read);
    }
}

static bool is_zone(const struct ttp_noc_event *e)
{
    return e->type == TTP_NOC_ZONE_START || e->type == TTP_NOC_ZONE_END;
}

void ttp_original_kernel_traffic(struct ttp_original_traffic *out,
                                 const struct ttp_noc_trace *trace, struct ttp_arena *arena)
{
    struct counting c = {.out = out, .trace = trace, .arena = arena};

    *out = (struct ttp_original_traffic){.program_id = trace->run_id};
    if (trace->nevents == 0)
        return;
    for (size_t i = 0; i < trace->nevents; i++)
        if (is_zone(&trace->event[i]))
            ttp_kernel_add_core(&c.compute, trace->event[i].sx, trace->event[i].sy, arena);
    c.start = TTP_NEW(arena, struct kernel_start, 2 * c.compute.count);
    out->duration_cycles = trace->last_cycle - trace->first_cycle;
    for (size_t i = 0; i < trace->nevents; i++) {
        if (is_zone(&trace->event[i]))
            add_zone(&c, &trace->event[i]);
        else
            add_event(&c, &trace->event[i]);
    }
}
