/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"
#include "kernel/kernel.h"

static void put_pct(struct ttp_sink *out, double part)
{
    ttp_sink_fixed(out, 100 * part, 0, false);
    ttp_sink_put(out, TTP_STR(" %"));
}

static void put_cycles(struct ttp_sink *out, uint64_t cycles)
{
    char buf[TTP_NUM_MAX];
    ttp_sink_put(out, (ttp_str){buf, ttp_num_i64_grouped(buf, (int64_t)cycles)});
}

/* "the reader (NCRISC, dm_read)" */
static void put_role(struct ttp_sink *out, const struct ttp_kernel_program *m,
                     enum ttp_kernel_role role, bool capital)
{
    const enum ttp_kernel_risc risc = m->verdict.role[role].risc;
    const ttp_str kernel = m->thread[risc].kernel;

    if (role == TTP_ROLE_COMPUTE)
        ttp_sink_put(out, capital ? TTP_STR("Compute (TRISC") : TTP_STR("compute (TRISC"));
    else
        ttp_sink_printf(out, "%s %s (%s", capital ? "The" : "the", ttp_kernel_role_name(role),
                        ttp_kernel_risc_name(risc));
    if (kernel.len)
        ttp_sink_printf(out, ", %.*s", TTP_FMT(kernel));
    ttp_sink_char(out, ')');
}

/* What the others do meanwhile. */
static void put_others(struct ttp_sink *out, const struct ttp_kernel_program *m,
                       enum ttp_kernel_role busy)
{
    const char *before = ", while ";

    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++) {
        const struct ttp_role_time *t = &m->verdict.role[i];
        if (i == busy || !t->known || t->wait_in + t->wait_out <= 0)
            continue;
        ttp_sink_put(out, ttp_str_from(before));
        put_role(out, m, (enum ttp_kernel_role)i, false);
        ttp_sink_put(out, TTP_STR(" waits "));
        put_pct(out, t->wait_in >= t->wait_out ? t->wait_in : t->wait_out);
        ttp_sink_put(out, t->wait_in >= t->wait_out ? TTP_STR(" of its time for data")
                                                    : TTP_STR(" of its time for free buffers"));
        before = " and ";
    }
}

static void put_busy(struct ttp_sink *out, const struct ttp_kernel_program *m,
                     enum ttp_kernel_role role)
{
    const struct ttp_role_time *t = &m->verdict.role[role];
    const size_t cores = m->thread[t->risc].kernel_cycles.count;

    const bool alone = m->verdict.bottleneck == m->verdict.thread;

    if (!alone)
        ttp_sink_put(out, TTP_STR("Of its threads "));
    put_role(out, m, role, alone);
    ttp_sink_put(out, alone ? TTP_STR(" is the bottleneck: it is busy ")
                            : TTP_STR(" is the slowest: it is busy "));
    put_pct(out, t->busy);
    ttp_sink_put(out, TTP_STR(" of its "));
    put_cycles(out, cores ? t->cycles / cores : t->cycles);
    ttp_sink_put(out, TTP_STR(" cycles per core"));
    if (t->barrier > 0) {
        ttp_sink_put(out, TTP_STR(" ("));
        put_pct(out, t->barrier);
        ttp_sink_put(out, TTP_STR(" in DMA barriers)"));
    }
    put_others(out, m, role);
    ttp_sink_char(out, '.');
}

static void put_thread(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_verdict *v = &m->verdict;

    switch (v->thread) {
    case TTP_BOTTLENECK_READER:
        put_busy(out, m, TTP_ROLE_READER);
        break;
    case TTP_BOTTLENECK_COMPUTE:
        put_busy(out, m, TTP_ROLE_COMPUTE);
        break;
    case TTP_BOTTLENECK_WRITER:
        put_busy(out, m, TTP_ROLE_WRITER);
        break;
    case TTP_BOTTLENECK_BALANCED:
        ttp_sink_put(out, TTP_STR("Threads are balanced: the reader is busy "));
        put_pct(out, v->role[TTP_ROLE_READER].busy);
        ttp_sink_put(out, TTP_STR(", compute "));
        put_pct(out, v->role[TTP_ROLE_COMPUTE].busy);
        ttp_sink_put(out, TTP_STR(", the writer "));
        put_pct(out, v->role[TTP_ROLE_WRITER].busy);
        ttp_sink_put(out, TTP_STR(" of its time."));
        break;
    default:
        ttp_sink_put(out, TTP_STR("The slowest thread is unknown: this log does not show how "
                                  "long threads waited for buffers."));
    }
}

ttp_str ttp_kernel_sentence(const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    const struct ttp_kernel_verdict *v = &m->verdict;
    const struct ttp_cycle_spread *s = &m->core_cycles;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (v->bottleneck == TTP_BOTTLENECK_FEW_CORES) {
        ttp_sink_printf(&out, "Too few cores are the bottleneck: %llu of %llu are used (",
                        (unsigned long long)m->targets.cores_used,
                        (unsigned long long)m->targets.cores_available);
        put_pct(&out, 1 / v->gain);
        ttp_sink_put(&out, TTP_STR("), using all is up to "));
        ttp_sink_fixed(&out, v->gain, 1, false);
        ttp_sink_put(&out, TTP_STR(" times as fast. "));
    }
    if (v->bottleneck == TTP_BOTTLENECK_IMBALANCE) {
        ttp_sink_put(&out, TTP_STR("Imbalance is the bottleneck: the slowest core takes "));
        put_cycles(&out, s->max);
        ttp_sink_put(&out, TTP_STR(" cycles, the median core "));
        put_cycles(&out, s->median);
        ttp_sink_put(&out, TTP_STR("; evenly distributed, the work is up to "));
        ttp_sink_fixed(&out, v->gain, 1, false);
        ttp_sink_put(&out, TTP_STR(" times as fast. "));
    }
    put_thread(&out, m);
    if (v->bottleneck != TTP_BOTTLENECK_FEW_CORES && m->targets.cores_used &&
        m->targets.cores_available >= 2 * m->targets.cores_used)
        ttp_sink_printf(&out, " Only %llu of %llu cores are used.",
                        (unsigned long long)m->targets.cores_used,
                        (unsigned long long)m->targets.cores_available);
    return ttp_sink_text(&out);
}
