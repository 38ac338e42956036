/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.c - the evidence of zones and NoC traces about a program, and the diagnosis from it. */
#include <math.h>

#include "base/sink.h"
#include "kernel/kernel.h"

const char *ttp_kernel_bottleneck_name(enum ttp_limit limit)
{
    static const char *const name[TTP_LIMITS] = {
        [TTP_LIMIT_NONE] = "unknown",    [TTP_LIMIT_HOST] = "host",
        [TTP_LIMIT_DRAM] = "dram",       [TTP_LIMIT_FLOP] = "flop",
        [TTP_LIMIT_BOTH] = "both",       [TTP_LIMIT_LINK] = "link",
        [TTP_LIMIT_NOC] = "noc",         [TTP_LIMIT_CORES] = "few-cores",
        [TTP_LIMIT_PADDING] = "padding", [TTP_LIMIT_IMBALANCE] = "imbalance",
        [TTP_LIMIT_READER] = "reader",   [TTP_LIMIT_WRITER] = "writer",
        [TTP_LIMIT_COMPUTE] = "compute", [TTP_LIMIT_GAP] = "gap",
        [TTP_LIMIT_SLOW] = "balanced",
    };

    return name[limit];
}

const char *ttp_kernel_role_name(enum ttp_kernel_role role)
{
    static const char *const name[] = {"reader", "compute", "writer"};
    return name[role];
}

/* --- roles --- */

static const enum ttp_kernel_risc risc_of[TTP_MOVERS] = {
    [TTP_ACTOR_NCRISC] = TTP_KERNEL_NCRISC, [TTP_ACTOR_BRISC] = TTP_KERNEL_BRISC};

static bool moves(const struct ttp_flow_graph *g, ttp_str kernel, const char *direction)
{
    for (size_t i = 0; g && kernel.len && i < g->nbuffers; i++)
        for (size_t k = 0; k < g->buffer[i].nops[TTP_FLOW_DMA]; k++) {
            const struct ttp_flow_op *op = &g->buffer[i].op[TTP_FLOW_DMA][k];
            if (ttp_str_eq(op->kernel, kernel) &&
                ttp_str_eq(op->direction, ttp_str_from(direction)))
                return true;
        }
    return false;
}

/* Bytes that a kernel moves in the other direction to tell others of its progress. */
#define ASIDE 0.1

static unsigned by_bytes(uint64_t read, uint64_t written)
{
    const double all = (double)read + (double)written;

    return ((double)read > ASIDE * all ? TTP_READS : 0u) |
           ((double)written > ASIDE * all ? TTP_WRITES : 0u);
}

/* By the flow graph; else by what was moved. */
static uint8_t seen(const struct ttp_kernel_program *m, const struct ttp_flow_graph *flow,
                    enum ttp_kernel_risc risc)
{
    const ttp_str kernel = m->thread[risc].kernel;
    const struct ttp_traffic *t = m->traffic;
    const unsigned planned = (moves(flow, kernel, "read") ? TTP_READS : 0u) |
                             (moves(flow, kernel, "write") ? TTP_WRITES : 0u);

    if (planned || !t)
        return (uint8_t)planned;
    return (uint8_t)by_bytes(t->risc_read_bytes[risc], t->risc_written_bytes[risc]);
}

/* The one that does it, or the usual one where both or none do. */
static enum ttp_kernel_risc mover(const struct ttp_roles *roles, enum ttp_moving does,
                                  enum ttp_actor usual)
{
    const enum ttp_actor other = usual == TTP_ACTOR_NCRISC ? TTP_ACTOR_BRISC : TTP_ACTOR_NCRISC;

    return !(roles->does[usual] & does) && (roles->does[other] & does) ? risc_of[other]
                                                                       : risc_of[usual];
}

static void find_roles(enum ttp_kernel_risc role[TTP_KERNEL_ROLES], struct ttp_symptoms *s,
                       const struct ttp_kernel_program *m, const struct ttp_flow_graph *flow)
{
    struct ttp_role_evidence e = {.op = m->name, .sources = m->sources};

    for (size_t i = 0; i < TTP_MOVERS; i++) {
        e.kernel[i] = m->thread[risc_of[i]].kernel;
        e.seen[i] = seen(m, flow, risc_of[i]);
    }
    s->roles = ttp_diagnose_roles(&e);
    role[TTP_ROLE_READER] = mover(&s->roles, TTP_READS, TTP_ACTOR_NCRISC);
    role[TTP_ROLE_WRITER] = mover(&s->roles, TTP_WRITES, TTP_ACTOR_BRISC);
    role[TTP_ROLE_COMPUTE] = TTP_KERNEL_TRISC_0;
}

static double part(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : 0;
}

static double limited(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* TRISC_0 decompresses and waits for data, TRISC_2 packs and waits for room; TRISC_1 is held up
 * within its work. */
static void measure_compute(struct ttp_role_time *t, const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_thread *unpack = &m->thread[TTP_KERNEL_TRISC_0],
                                   *pack = &m->thread[TTP_KERNEL_TRISC_2];

    const uint64_t in = ttp_kernel_cycles_of_lines(unpack), out = ttp_kernel_cycles_of_lines(pack);

    if (out > in)
        t->risc = TTP_KERNEL_TRISC_2;
    t->cycles = larger(in, out);
    t->wait_in = limited(part(unpack->wait, in));
    t->wait_out = limited(part(pack->reserve, out));
    t->waited = unpack->wait + pack->reserve;
    t->barrier = 0;
}

static void measure_mover(struct ttp_role_time *t, const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_thread *k = &m->thread[t->risc];
    const uint64_t traced = m->traffic ? m->traffic->risc_barrier_cycles[t->risc] : 0;

    t->cycles = ttp_kernel_cycles_of_lines(k);
    t->wait_in = limited(part(k->wait, t->cycles));
    t->wait_out = limited(part(k->reserve, t->cycles));
    t->waited = k->wait + k->reserve;
    t->barrier =
        limited(k->barrier ? part(k->barrier, t->cycles) : part(traced, k->kernel_cycles.sum));
}

static void measure_roles(struct ttp_kernel_verdict *v, struct ttp_symptoms *s,
                          const struct ttp_kernel_program *m, const struct ttp_flow_graph *flow)
{
    enum ttp_kernel_risc risc[TTP_KERNEL_ROLES];

    find_roles(risc, s, m, flow);
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++) {
        struct ttp_role_time *t = &v->role[i];
        t->risc = risc[i];
        if (i == TTP_ROLE_COMPUTE)
            measure_compute(t, m);
        else
            measure_mover(t, m);
        t->known = t->cycles > 0;
        t->busy = limited(1 - t->wait_in - t->wait_out);
    }
}

/* --- targets --- */

/* L1 of a core, and what the runtime leaves of it. */
static void find_l1(struct ttp_targets *t, const struct ttp_boards *boards, ttp_str arch)
{
    const struct ttp_board *board = ttp_board_of(boards ? boards : ttp_boards_builtin(), arch);
    double bytes, reserved;

    if (!ttp_board_fact(board, TTP_FACT_L1_BYTES, &bytes))
        return;
    if (!ttp_board_fact(board, TTP_FACT_L1_RESERVED_BYTES, &reserved) || reserved > bytes)
        reserved = 0;
    t->l1_bytes = (uint64_t)bytes;
    t->buffer_l1_bytes = (uint64_t)(bytes - reserved);
}

uint64_t ttp_kernel_block_growth(const struct ttp_targets *t)
{
    const uint64_t fit = t->block_bytes ? t->buffer_l1_bytes / t->block_bytes / 2 : 0;

    return t->blocks && t->blocks / 2 < fit ? t->blocks / 2 : fit;
}

/* Blocks that a reader handed on: one for each end of a reserve, on all cores. */
static uint64_t blocks_of(const struct ttp_kernel_program *m, const struct ttp_kernel_profile *p,
                          enum ttp_kernel_risc risc)
{
    uint64_t most = 0;

    for (uint32_t at = m->lines ? m->lines->first_line : 0; at; at = p->line[at - 1].next) {
        const struct ttp_line_stat *l = &p->line[at - 1];
        const ttp_str op = p->name[l->site].op;
        if (l->risc == risc && ttp_str_ends(op, TTP_STR("reserve")))
            most += l->count;
    }
    return most;
}

static uint64_t dram_bytes(const struct ttp_traffic *t)
{
    return t->read[TTP_END_DRAM].bytes + t->write[TTP_END_DRAM].bytes;
}

static uint64_t payload_bytes(const struct ttp_traffic *t)
{
    uint64_t bytes = t->multicast.bytes + t->fabric.bytes;

    for (size_t i = 0; i < TTP_TRAFFIC_ENDS; i++)
        bytes += t->read[i].bytes + t->write[i].bytes;
    return bytes;
}

static void find_block(struct ttp_targets *t, const struct ttp_kernel_program *m,
                       const struct ttp_kernel_report *r)
{
    const enum ttp_kernel_risc reader = m->verdict.role[TTP_ROLE_READER].risc;
    const uint64_t pushed = r->lines ? blocks_of(m, r->lines, reader) : 0;
    const uint64_t blocks = pushed ? pushed : m->traffic->read_barriers;
    const uint64_t bytes = m->traffic->risc_read_bytes[reader];
    const size_t cores = m->thread[reader].kernel_cycles.count;

    t->buffers = r->flow ? r->flow->nbuffers : 0;
    if (blocks == 0 || bytes == 0)
        return;
    t->blocks = cores ? larger(blocks / cores, 1) : 0;
    /* what goes out is taken to be as large as one of what comes in */
    t->block_bytes = bytes / blocks;
    if (t->buffers > 1) {
        uint64_t filled = 0;
        for (size_t i = 0; i < r->flow->nbuffers; i++)
            for (size_t k = 0; k < r->flow->buffer[i].nops[TTP_FLOW_DMA]; k++)
                filled +=
                    ttp_str_eq(r->flow->buffer[i].op[TTP_FLOW_DMA][k].direction, TTP_STR("read"));
        if (filled)
            t->block_bytes = bytes / blocks * t->buffers / filled;
    }
}

static void aim(struct ttp_kernel_program *m, const struct ttp_kernel_report *r, uint64_t ideal)
{
    const struct ttp_arch *arch = ttp_boards_find_arch(r->boards, r->arch, true);
    struct ttp_targets *t = &m->targets;

    t->cores_used = m->ncores ? m->ncores : m->traffic ? m->traffic->sources.count : 0;
    /* cores that a truncated log lacks may have run */
    if (r->cores_available > 0 && !(r->profile && r->profile->log.truncated))
        t->cores_available = (uint64_t)r->cores_available;
    if (m->op && m->op->cores > 0 && m->op->available_cores > 0) {
        t->cores_used = (uint64_t)m->op->cores;
        if (!r->arch_asked)
            t->cores_available = (uint64_t)m->op->available_cores;
    }
    t->ideal_bytes = ideal;
    t->peak_gbs = arch ? arch->dram_gbs : 0;
    find_l1(t, r->boards, r->arch);
    if (!m->traffic)
        return;
    t->dram_bytes = dram_bytes(m->traffic);
    t->dram_at_least =
        m->traffic->read[TTP_END_DRAM].saturated + m->traffic->write[TTP_END_DRAM].saturated > 0;
    if (m->duration_cycles && r->clock_mhz)
        t->dram_gbs =
            (double)t->dram_bytes / ((double)m->duration_cycles / (double)r->clock_mhz * 1e3);
    else if (m->payload_gbs > 0)
        t->dram_gbs = m->payload_gbs * part(t->dram_bytes, payload_bytes(m->traffic));
    find_block(t, m, r);
}

/* --- the verdict --- */

static bool movers_wait(const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_thread *n = &m->thread[TTP_KERNEL_NCRISC],
                                   *b = &m->thread[TTP_KERNEL_BRISC];
    return n->wait + n->reserve + b->wait + b->reserve > 0;
}

static bool compute_waits(const struct ttp_kernel_program *m)
{
    for (size_t i = TTP_KERNEL_TRISC_0; i <= TTP_KERNEL_TRISC_2; i++)
        if (m->thread[i].wait + m->thread[i].reserve > 0)
            return true;
    return false;
}

/* Of its cores on the average, as a part of the program's time. */
static double time_part(const struct ttp_kernel_program *m, enum ttp_kernel_risc risc)
{
    const struct ttp_cycle_spread *s = &m->thread[risc].kernel_cycles;
    double all = (double)m->duration_cycles;

    /* a log may give threads without the program: then of the longest of them */
    for (size_t i = 0; m->duration_cycles == 0 && i < TTP_KERNEL_RISCS; i++)
        if (m->thread[i].kernel_cycles.count)
            all = fmax(all, (double)m->thread[i].kernel_cycles.sum /
                                (double)m->thread[i].kernel_cycles.count);
    return s->count && all > 0 ? limited((double)s->sum / (double)s->count / all) : 0;
}

static void see_actors(struct ttp_symptoms *s, const struct ttp_kernel_program *m)
{
    static const enum ttp_kernel_risc risc[TTP_ACTORS] = {[TTP_ACTOR_NCRISC] = TTP_KERNEL_NCRISC,
                                                          [TTP_ACTOR_BRISC] = TTP_KERNEL_BRISC,
                                                          [TTP_ACTOR_COMPUTE] = TTP_KERNEL_TRISC_1};
    const bool movers = movers_wait(m), any = movers || compute_waits(m);

    for (size_t i = 0; i < TTP_ACTORS; i++) {
        struct ttp_actor_time *a = &s->actor[i];
        if (!(a->time > 0))
            a->time = time_part(m, risc[i]);
        /* what the row of the op says of compute is what the report says, too */
        if (a->says_waits && !movers)
            continue;
        for (size_t k = 0; k < TTP_KERNEL_ROLES; k++) {
            const struct ttp_role_time *r = &m->verdict.role[k];
            if (!r->known ||
                (i == TTP_ACTOR_COMPUTE ? k != TTP_ROLE_COMPUTE : r->risc != risc_of[i]))
                continue;
            a->says_waits = i == TTP_ACTOR_COMPUTE ? any : movers;
            a->wait_in = r->wait_in;
            a->wait_out = r->wait_out;
            a->barrier = r->barrier;
            a->time = a->time > 0 ? a->time : 1;
        }
    }
}

/* Does something name the program, or is it TT-Lang's? Else it may be one of a library, which uses
 * few cores on purpose, for example one per DRAM bank. */
static bool is_known(const struct ttp_kernel_program *m, const struct ttp_kernel_report *r)
{
    return m->op || m->name.len || m->kernel.len || r->flow || m->ncores == 0 || movers_wait(m) ||
           compute_waits(m);
}

/* What the op itself does not tell. */
static void see_program(struct ttp_symptoms *s, const struct ttp_kernel_program *m,
                        const struct ttp_kernel_report *r)
{
    const struct ttp_targets *t = &m->targets;
    const struct ttp_cycle_spread *c = &m->core_cycles;

    if (!(s->time_us > 0)) /* a log may give threads without the duration of the program */
        s->time_us = m->duration_cycles && r->clock_mhz
                         ? (double)m->duration_cycles / (double)r->clock_mhz
                         : 1;
    if (!(s->dram_pct > 0) && t->peak_gbs > 0) {
        s->dram_gbs = t->dram_gbs;
        s->dram_pct = t->dram_gbs / t->peak_gbs * 100;
        s->dram_peak_gbs = t->peak_gbs;
    }
    s->cores = (double)t->cores_used;
    s->available_cores = is_known(m, r) ? (double)t->cores_available : 0;
    if (!(s->imbalance > 0) && c->count > 1 && c->sum)
        s->imbalance = (double)c->max * (double)c->count / (double)c->sum;
    see_actors(s, m);
}

void ttp_kernel_judge(struct ttp_kernel_program *m, const struct ttp_kernel_report *r,
                      uint64_t ideal_bytes)
{
    struct ttp_symptoms s = m->op ? *m->op : (struct ttp_symptoms){0};
    struct ttp_kernel_verdict *v = &m->verdict;
    struct ttp_op_verdict is;

    *v = (struct ttp_kernel_verdict){0};
    measure_roles(v, &s, m, r->flow);
    aim(m, r, ideal_bytes);
    see_program(&s, m, r);
    ttp_diagnose(&is, &s);
    v->bottleneck =
        is.limit == TTP_LIMIT_SLOW && is.thread.limit == TTP_LIMIT_NONE ? TTP_LIMIT_NONE : is.limit;
    v->thread = is.thread.limit;
    v->actor = is.thread.actor;
    v->gain = is.gain;
    v->from_waits = is.thread.from_waits;
    v->all_wait = is.thread.all_wait;
    v->evidence = s;
}
