/* SPDX-License-Identifier: Apache-2.0 */
/* noc_profile.c - counts along the routes of transfers. Nothing is simulated. */
#include "noc/noc_route.h"

#include "base/order.h"

struct counting {
    struct ttp_noc_profile *out;
    const struct ttp_noc_load *load;
    const struct ttp_noc_grid *grid;
    bool *used; /* chips */
};

static unsigned size_class(uint32_t bytes)
{
    unsigned k = 0;

    while (k + 1 < TTP_NOC_SIZES && bytes > 32U << k)
        k++;
    return k;
}

static unsigned fanout_class(uint64_t receivers)
{
    unsigned k = 0;

    while (k + 1 < TTP_NOC_FANOUTS && receivers > (uint64_t)1 << k)
        k++;
    return k;
}

static size_t core_number(const struct ttp_noc_grid *g, unsigned device, int x, int y)
{
    return ((size_t)device * g->rows + (size_t)y) * g->cols + (size_t)x;
}

static uint64_t add_route(const struct counting *c, const struct ttp_noc_transfer *t,
                          uint64_t bytes)
{
    struct ttp_noc_leg leg[TTP_NOC_MAX_LEGS];
    const size_t n = ttp_noc_true_legs(leg, c->grid, t);
    uint64_t links = 0;

    for (size_t i = 0; i < n; i++) {
        const bool row = ttp_noc_along_rows(leg[i].link);
        const unsigned len = row ? c->grid->cols : c->grid->rows;
        unsigned at = leg[i].from;
        for (unsigned k = 0; k < leg[i].count; k++) {
            const size_t core = row ? core_number(c->grid, t->device, (int)at, leg[i].line)
                                    : core_number(c->grid, t->device, leg[i].line, (int)at);
            c->out->link_bytes[core * 4 + leg[i].link] += bytes;
            at = at + 1 == len ? 0 : at + 1;
        }
        links += leg[i].count;
    }
    return links;
}

static void count_multicast(struct counting *c, const struct ttp_noc_transfer *t, uint64_t bytes,
                            uint64_t links)
{
    struct ttp_noc_profile *out = c->out;
    uint64_t receivers = 0;

    for (int y = t->dy; y <= ttp_noc_last_y(t); y++)
        for (int x = t->dx; x <= ttp_noc_last_x(t); x++) {
            if (ttp_device_core_kind(c->grid, x, y) != TTP_CORE_WORKER)
                continue;
            receivers++;
            out->in_bytes[core_number(c->grid, t->device, x, y)] += bytes;
            out->unicast_links +=
                (uint64_t)ttp_noc_hops(c->grid, (struct ttp_noc_way){t->sx, t->sy, x, y, t->noc});
        }
    out->multicasts++;
    out->multicast_bytes += bytes;
    out->multicast_receivers += receivers;
    out->multicast_links += links;
    out->fanout_count[fanout_class(receivers)]++;
}

static void count_unicast(struct counting *c, const struct ttp_noc_transfer *t, uint64_t bytes,
                          uint64_t links)
{
    struct ttp_noc_profile *out = c->out;
    const size_t channels = (size_t)t->device * c->grid->dram_channels;
    const int from = ttp_device_dram_channel(c->grid, t->sx, t->sy);
    const int to = ttp_device_dram_channel(c->grid, t->dx, t->dy);

    out->in_bytes[core_number(c->grid, t->device, t->dx, t->dy)] += bytes;
    if (from >= 0)
        out->dram_read[channels + (size_t)from] += bytes;
    if (to >= 0)
        out->dram_written[channels + (size_t)to] += bytes;
    if ((uint64_t)ttp_noc_hops(c->grid, (struct ttp_noc_way){t->sx, t->sy, t->dx, t->dy, !t->noc}) <
        links)
        out->longer_way_bytes += bytes;
}

static bool is_read(uint8_t type)
{
    return type >= TTP_NOC_READ && type <= TTP_NOC_READ_DRAM_SHARDED_WITH_STATE;
}

static void count_transfer(struct counting *c, const struct ttp_noc_transfer *t)
{
    struct ttp_noc_profile *out = c->out;
    const uint64_t bytes = ttp_noc_bytes(t);
    const uint64_t links = add_route(c, t, bytes);
    const unsigned size = size_class(t->packet_bytes);

    out->transfers++;
    out->bytes += bytes;
    *(is_read(t->type)               ? &out->read_bytes
      : t->group != TTP_NOC_NO_GROUP ? &out->fabric_bytes
                                     : &out->write_bytes) += bytes;
    out->noc_bytes[t->noc] += bytes;
    out->hops += links;
    out->byte_hops += links * bytes;
    out->local_bytes += links ? 0 : bytes;
    out->size_count[size] += t->packets;
    out->size_bytes[size] += bytes;
    out->out_bytes[core_number(c->grid, t->device, t->sx, t->sy)] += bytes;
    if (t->multicast)
        count_multicast(c, t, bytes, links);
    else
        count_unicast(c, t, bytes, links);
    c->used[t->device] = true;
}

TTP_ORDER(by_bytes, struct ttp_noc_busy_link, TTP_DOWN(bytes), TTP_UP(link))

static void find_top(struct counting *c, size_t links, size_t top, struct ttp_arena *arena)
{
    struct ttp_noc_profile *out = c->out;
    struct ttp_noc_busy_link *all = TTP_NEW(arena, struct ttp_noc_busy_link, links);
    const double most = (double)c->load->model->link * (double)out->span_cycles;
    const unsigned chips = c->load->model->chips;
    size_t n = 0;

    out->hot = TTP_NEW(arena, struct ttp_noc_busy_link, chips);
    for (uint32_t i = 0; i < links; i++) {
        struct ttp_noc_busy_link *hot = &out->hot[i / (links / chips)];
        if (!out->link_bytes[i])
            continue;
        all[n] = (struct ttp_noc_busy_link){i, out->link_bytes[i],
                                            most > 0 ? 100 * (double)out->link_bytes[i] / most : 0};
        if (all[n].bytes > hot->bytes)
            *hot = all[n];
        n++;
    }
    TTP_SORT(all, n, by_bytes);
    out->top = all;
    out->ntop = n < top ? n : top;
}

static void balance_dram(struct ttp_noc_profile *out, const struct ttp_noc_model *m,
                         const bool *used)
{
    uint64_t most = 0, sum = 0, controllers = 0;

    for (unsigned d = 0; d < m->chips; d++) {
        if (!used[d])
            continue;
        controllers += m->dram_controllers;
        for (unsigned c = 0; c < m->grid->dram_channels; c++) {
            const size_t at = (size_t)d * m->grid->dram_channels + c;
            const uint64_t bytes = out->dram_read[at] + out->dram_written[at];
            sum += bytes;
            most = bytes > most ? bytes : most;
        }
    }
    if (sum)
        out->dram_imbalance = (double)most * (double)controllers / (double)sum;
}

/* By the cores that moved data for themselves: workers, either way. */
static void balance_cores(struct ttp_noc_profile *out, const struct ttp_noc_model *m)
{
    const size_t chip = (size_t)m->grid->cols * m->grid->rows;
    uint64_t most = 0, sum = 0;

    for (size_t i = 0; i < chip * m->chips; i++) {
        const int x = (int)(i % m->grid->cols), y = (int)(i % chip / m->grid->cols);
        const uint64_t bytes = out->out_bytes[i] + out->in_bytes[i];

        if (!bytes || ttp_device_core_kind(m->grid, x, y) != TTP_CORE_WORKER)
            continue;
        out->issuing_cores++;
        sum += bytes;
        if (bytes > most) {
            most = bytes;
            out->busiest_core = i;
        }
    }
    if (sum)
        out->core_imbalance = (double)most * (double)out->issuing_cores / (double)sum;
}

/* ---- what the records say besides ---- */

struct times {
    struct ttp_noc_profile *out;
    const struct ttp_noc_trace *trace;
    const bool *kernel; /* by name */
    uint64_t first_start, last_start;
    uint64_t read_start, write_start, kernel_start; /* of the current core, UINT64_MAX: not open */
};

static uint64_t since(uint64_t *start, uint64_t now)
{
    const uint64_t cycles = *start == UINT64_MAX || now < *start ? 0 : now - *start;

    *start = UINT64_MAX;
    return cycles;
}

static void end_kernel(struct times *t, uint64_t now)
{
    const bool open = t->kernel_start != UINT64_MAX;
    const uint64_t cycles = since(&t->kernel_start, now);

    t->out->kernels += open;
    t->out->kernel_cycles += cycles;
    if (cycles > t->out->kernel_longest_cycles)
        t->out->kernel_longest_cycles = cycles;
}

static void time_event(struct times *t, const struct ttp_noc_event *e)
{
    switch ((enum ttp_noc_type)e->type) {
    case TTP_NOC_ZONE_START:
        if (t->kernel[e->name]) {
            t->kernel_start = e->cycle;
            t->first_start = e->cycle < t->first_start ? e->cycle : t->first_start;
            t->last_start = e->cycle > t->last_start ? e->cycle : t->last_start;
        }
        break;
    case TTP_NOC_ZONE_END:
        if (t->kernel[e->name])
            end_kernel(t, e->cycle);
        break;
    case TTP_NOC_READ_BARRIER_START:
        t->read_start = e->cycle;
        break;
    case TTP_NOC_READ_BARRIER_END:
        t->out->read_barriers++;
        t->out->read_wait_cycles += since(&t->read_start, e->cycle);
        break;
    case TTP_NOC_WRITE_BARRIER_START:
        t->write_start = e->cycle;
        break;
    case TTP_NOC_WRITE_BARRIER_END:
        t->out->write_barriers++;
        t->out->write_wait_cycles += since(&t->write_start, e->cycle);
        break;
    default:
        break;
    }
}

static bool same_core(const struct ttp_noc_event *a, const struct ttp_noc_event *b)
{
    return a->device == b->device && a->sx == b->sx && a->sy == b->sy && a->risc == b->risc;
}

static void time_records(struct ttp_noc_profile *out, const struct ttp_noc_trace *trace,
                         struct ttp_arena *arena)
{
    bool *kernel = TTP_NEW(arena, bool, trace->names.count + 1U);
    struct times t = {.out = out, .trace = trace, .kernel = kernel, .first_start = UINT64_MAX};

    for (uint32_t s = 0; s < trace->names.count; s++)
        kernel[s] = ttp_str_ends(ttp_sym_name(&trace->names, s), TTP_STR("-KERNEL"));
    for (size_t i = 0; i < trace->nevents; i++) {
        const struct ttp_noc_event *e = &trace->event[i];

        if (i == 0 || !same_core(e, e - 1)) {
            /* old traces do not end kernels: the core's last record does */
            if (i > 0)
                end_kernel(&t, e[-1].cycle);
            t.read_start = t.write_start = t.kernel_start = UINT64_MAX;
        }
        time_event(&t, e);
    }
    if (trace->nevents)
        end_kernel(&t, trace->event[trace->nevents - 1].cycle);
    if (t.first_start != UINT64_MAX)
        out->kernel_start_skew_cycles = t.last_start - t.first_start;
}

void ttp_noc_make_profile(struct ttp_noc_profile *out, const struct ttp_noc_load *load,
                          const struct ttp_noc_trace *trace, size_t top, struct ttp_arena *arena)
{
    const struct ttp_noc_model *m = load->model;
    const size_t cores = (size_t)m->grid->cols * m->grid->rows * m->chips;
    struct counting c = {.out = out, .load = load, .grid = m->grid};

    *out = (struct ttp_noc_profile){0};
    out->link_bytes = TTP_NEW(arena, uint64_t, cores * 4);
    out->out_bytes = TTP_NEW(arena, uint64_t, cores);
    out->in_bytes = TTP_NEW(arena, uint64_t, cores);
    out->dram_read = TTP_NEW(arena, uint64_t, (size_t)m->chips * m->grid->dram_channels);
    out->dram_written = TTP_NEW(arena, uint64_t, (size_t)m->chips * m->grid->dram_channels);
    c.used = TTP_NEW(arena, bool, m->chips);
    for (size_t i = 0; i < load->ntransfers; i++)
        count_transfer(&c, &load->transfer[i]);
    if (trace)
        out->span_cycles = trace->last_cycle - trace->first_cycle;
    else if (load->has_window)
        out->span_cycles = load->mesh.end_cycle - load->mesh.start_cycle;
    for (unsigned d = 0; d < m->chips; d++)
        out->chips += c.used[d];
    const size_t links = (size_t)m->grid->cols * m->grid->rows * 4;
    const double most =
        (double)out->chips * (double)links * (double)m->link * (double)out->span_cycles;
    out->carried_pct = most > 0 ? 100 * (double)out->byte_hops / most : 0;
    find_top(&c, cores * 4, top, arena);
    balance_dram(out, m, c.used);
    balance_cores(out, m);
    if (trace)
        time_records(out, trace, arena);
}
