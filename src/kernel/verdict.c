/* SPDX-License-Identifier: Apache-2.0 */
/* What holds a kernel up. Threads that hand blocks on through buffers run at the pace of the
 * slowest of them: the others wait, the slowest does not. So the one that waits least is the
 * bottleneck, and removing it helps until the next one is as busy as all. */
#include "base/sink.h"
#include "kernel/kernel.h"

/* Two threads as busy as this to each other are balanced: without the busier one the kernel would
 * be less than a third faster, and the waits of filling and draining the buffers are in it. */
#define BALANCED 0.75
/* Below, waits are fill and drain of the buffers. */
#define SMALL 0.15
/* A thread that sits in its own barriers for more than this is bound by them. */
#define MOSTLY 0.60

/* From which gain on something is named. What a core does comes before how many there are: idle
 * cores are the first target in any case. */
#define CLEAR_THREAD    1.5
#define CLEAR_IMBALANCE 1.25
#define CLEAR_CORES     2.0

const char *ttp_kernel_bottleneck_name(enum ttp_bottleneck b)
{
    static const char *const name[] = {"unknown",  "reader",    "compute",  "writer",
                                       "balanced", "imbalance", "few-cores"};
    return name[b];
}

const char *ttp_kernel_role_name(enum ttp_kernel_role role)
{
    static const char *const name[] = {"reader", "compute", "writer"};
    return name[role];
}

/* --- roles --- */

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

/* By the flow graph, else by what was moved, else as TT-Lang and tt-metal hand kernels out. */
static void find_roles(enum ttp_kernel_risc role[TTP_KERNEL_ROLES],
                       const struct ttp_kernel_program *m, const struct ttp_flow_graph *flow)
{
    const ttp_str n = m->thread[TTP_KERNEL_NCRISC].kernel, b = m->thread[TTP_KERNEL_BRISC].kernel;
    const struct ttp_traffic *t = m->traffic;
    bool swapped = false;

    if (moves(flow, n, "write") && moves(flow, b, "read") && !moves(flow, n, "read"))
        swapped = true;
    else if (!moves(flow, n, "read") && !moves(flow, b, "write") && t)
        swapped =
            t->risc_read_bytes[TTP_KERNEL_BRISC] > t->risc_read_bytes[TTP_KERNEL_NCRISC] &&
            t->risc_written_bytes[TTP_KERNEL_NCRISC] > t->risc_written_bytes[TTP_KERNEL_BRISC];
    role[TTP_ROLE_READER] = swapped ? TTP_KERNEL_BRISC : TTP_KERNEL_NCRISC;
    role[TTP_ROLE_WRITER] = swapped ? TTP_KERNEL_NCRISC : TTP_KERNEL_BRISC;
    role[TTP_ROLE_COMPUTE] = TTP_KERNEL_TRISC_0;
}

static double part(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : 0;
}

static double limit(double v)
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

    t->cycles = larger(unpack->kernel_cycles.sum, pack->kernel_cycles.sum);
    t->wait_in = limit(part(unpack->wait, t->cycles));
    t->wait_out = limit(part(pack->reserve, t->cycles));
    t->barrier = 0;
}

static void measure_mover(struct ttp_role_time *t, const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_thread *k = &m->thread[t->risc];
    const uint64_t traced = m->traffic ? m->traffic->risc_barrier_cycles[t->risc] : 0;

    t->cycles = k->kernel_cycles.sum;
    t->wait_in = limit(part(k->wait, t->cycles));
    t->wait_out = limit(part(k->reserve, t->cycles));
    t->barrier = limit(part(k->barrier ? k->barrier : traced, t->cycles));
}

static void measure_roles(struct ttp_kernel_verdict *v, const struct ttp_kernel_program *m,
                          const struct ttp_flow_graph *flow)
{
    enum ttp_kernel_risc risc[TTP_KERNEL_ROLES];

    find_roles(risc, m, flow);
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++) {
        struct ttp_role_time *t = &v->role[i];
        t->risc = risc[i];
        if (i == TTP_ROLE_COMPUTE)
            measure_compute(t, m);
        else
            measure_mover(t, m);
        t->known = t->cycles > 0;
        t->busy = limit(1 - t->wait_in - t->wait_out);
    }
}

/* --- among the threads --- */

static const enum ttp_bottleneck of_role[TTP_KERNEL_ROLES] = {
    TTP_BOTTLENECK_READER, TTP_BOTTLENECK_COMPUTE, TTP_BOTTLENECK_WRITER};

/* All three say how long they waited. */
static double judge_by_busy(struct ttp_kernel_verdict *v)
{
    int first = -1, second = -1;

    for (int i = 0; i < TTP_KERNEL_ROLES; i++) {
        if (!v->role[i].known)
            continue;
        if (first < 0 || v->role[i].busy > v->role[first].busy) {
            second = first;
            first = i;
        } else if (second < 0 || v->role[i].busy > v->role[second].busy) {
            second = i;
        }
    }
    if (first < 0)
        return 1;
    const double next = second < 0 ? 0 : v->role[second].busy;
    v->thread = next >= BALANCED * v->role[first].busy ? TTP_BOTTLENECK_BALANCED : of_role[first];
    return next > 0 ? v->role[first].busy / next : 1;
}

/* Only compute says how long it waited, as tt-metal's sums do. */
static double judge_by_compute(struct ttp_kernel_verdict *v)
{
    const struct ttp_role_time *c = &v->role[TTP_ROLE_COMPUTE];
    const double most = c->wait_in > c->wait_out ? c->wait_in : c->wait_out;

    if (most < SMALL)
        v->thread = TTP_BOTTLENECK_COMPUTE;
    else
        v->thread = c->wait_in >= c->wait_out ? TTP_BOTTLENECK_READER : TTP_BOTTLENECK_WRITER;
    return most < SMALL || c->busy <= 0 ? 1 : 1 / c->busy;
}

static double judge_by_barriers(struct ttp_kernel_verdict *v)
{
    const struct ttp_role_time *r = &v->role[TTP_ROLE_READER], *w = &v->role[TTP_ROLE_WRITER];

    if (r->barrier >= MOSTLY && r->barrier >= w->barrier)
        v->thread = TTP_BOTTLENECK_READER;
    else if (w->barrier >= MOSTLY)
        v->thread = TTP_BOTTLENECK_WRITER;
    return 1;
}

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

static void judge_threads(struct ttp_kernel_verdict *v, const struct ttp_kernel_program *m,
                          double *gain)
{
    v->from_waits = movers_wait(m) || compute_waits(m);
    if (movers_wait(m))
        *gain = judge_by_busy(v);
    else if (compute_waits(m))
        *gain = judge_by_compute(v);
    else
        *gain = judge_by_barriers(v);
}

/* --- targets --- */

static uint64_t l1_bytes_of(const struct ttp_boards *boards, ttp_str arch)
{
    const struct ttp_board *board = ttp_board_of(boards ? boards : ttp_boards_builtin(), arch);
    double bytes;

    return ttp_board_fact(board, TTP_FACT_L1_BYTES, &bytes) ? (uint64_t)bytes : 0;
}

/* Blocks that a reader handed on: one for each end of a reserve, on all cores. */
static uint64_t blocks_of(const struct ttp_kernel_program *m, const struct ttp_kernel_profile *p,
                          enum ttp_kernel_risc risc)
{
    uint64_t most = 0;

    for (uint32_t at = m->invocation ? m->invocation->first_line : 0; at;
         at = p->line[at - 1].next) {
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

static void find_block(struct ttp_targets *t, const struct ttp_kernel_program *m,
                       const struct ttp_kernel_report *r)
{
    const enum ttp_kernel_risc reader = m->verdict.role[TTP_ROLE_READER].risc;
    const uint64_t pushed = r->profile ? blocks_of(m, r->profile, reader) : 0;
    const uint64_t blocks = pushed ? pushed : m->traffic->read_barriers;
    const uint64_t bytes = m->traffic->risc_read_bytes[reader];

    t->buffers = r->flow ? r->flow->nbuffers : 0;
    if (blocks == 0 || bytes == 0)
        return;
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
    t->cores_available = r->cores_available > 0 ? (uint64_t)r->cores_available : 0;
    t->ideal_bytes = ideal;
    t->peak_gbs = arch ? arch->dram_gbs : 0;
    t->l1_bytes = l1_bytes_of(r->boards, r->arch);
    if (!m->traffic)
        return;
    t->dram_bytes = dram_bytes(m->traffic);
    t->dram_at_least =
        m->traffic->read[TTP_END_DRAM].saturated + m->traffic->write[TTP_END_DRAM].saturated > 0;
    if (m->duration_cycles && r->clock_mhz)
        t->dram_gbs =
            (double)t->dram_bytes / ((double)m->duration_cycles / (double)r->clock_mhz * 1e3);
    find_block(t, m, r);
}

void ttp_kernel_judge(struct ttp_kernel_program *m, const struct ttp_kernel_report *r,
                      uint64_t ideal_bytes)
{
    struct ttp_kernel_verdict *v = &m->verdict;
    const struct ttp_cycle_spread *s = &m->core_cycles;
    double gain = 1, imbalance = 1, cores = 1;

    *v = (struct ttp_kernel_verdict){0};
    measure_roles(v, m, r->flow);
    aim(m, r, ideal_bytes);
    judge_threads(v, m, &gain);
    if (s->count > 1 && s->sum)
        imbalance = (double)s->max * (double)s->count / (double)s->sum;
    if (m->targets.cores_used && m->targets.cores_available > m->targets.cores_used)
        cores = (double)m->targets.cores_available / (double)m->targets.cores_used;
    v->bottleneck = v->thread;
    v->gain = gain;
    if (imbalance >= CLEAR_IMBALANCE && imbalance > gain) {
        v->bottleneck = TTP_BOTTLENECK_IMBALANCE;
        v->gain = imbalance;
    } else if (cores >= CLEAR_CORES && gain < CLEAR_THREAD) {
        v->bottleneck = TTP_BOTTLENECK_FEW_CORES;
        v->gain = cores;
    }
}
