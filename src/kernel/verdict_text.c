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
static void put_role(struct ttp_sink *out, const struct ttp_kernel_program *m, const char *role,
                     enum ttp_kernel_risc risc, bool capital)
{
    const ttp_str kernel = m->thread[risc].kernel;

    if (risc >= TTP_KERNEL_TRISC_0)
        ttp_sink_put(out, capital ? TTP_STR("Compute (TRISC") : TTP_STR("compute (TRISC"));
    else
        ttp_sink_printf(out, "%s %s (%s", capital ? "The" : "the", role,
                        ttp_kernel_risc_name(risc));
    if (kernel.len)
        ttp_sink_printf(out, ", %.*s", TTP_FMT(kernel));
    ttp_sink_char(out, ')');
}

/* Does the role wait, and is it no other's thread? */
static bool is_other(const struct ttp_kernel_verdict *v, size_t role,
                     const struct ttp_role_time *busy)
{
    const struct ttp_role_time *t = &v->role[role];

    return !(busy && t->risc == busy->risc) && t->known && t->wait_in + t->wait_out > 0 &&
           !(role == TTP_ROLE_WRITER && t->risc == v->role[TTP_ROLE_READER].risc);
}

/* What those that wait wait for, but for `busy`. */
static void put_others(struct ttp_sink *out, const struct ttp_kernel_program *m,
                       const struct ttp_role_time *busy, const char *before)
{
    const struct ttp_kernel_verdict *v = &m->verdict;
    size_t left = 0;

    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++)
        left += is_other(v, i, busy);
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++) {
        const struct ttp_role_time *t = &v->role[i];
        if (!is_other(v, i, busy))
            continue;
        /* the other data-movement thread, where both do the same */
        const bool other_reader = i == TTP_ROLE_READER && v->thread == TTP_LIMIT_READER;
        const bool other_writer = i == TTP_ROLE_WRITER && v->thread == TTP_LIMIT_WRITER;
        ttp_sink_put(out, ttp_str_from(before));
        put_role(out, m,
                 other_reader || other_writer ? "other data-movement thread"
                                              : ttp_kernel_role_name((enum ttp_kernel_role)i),
                 t->risc, false);
        ttp_sink_put(out, TTP_STR(" waits "));
        put_pct(out, t->wait_in >= t->wait_out ? t->wait_in : t->wait_out);
        ttp_sink_put(out, t->wait_in >= t->wait_out ? TTP_STR(" of its time for data")
                                                    : TTP_STR(" of its time for free buffers"));
        before = --left == 1 ? " and " : ", ";
    }
}

/* "1,000 cycles per core", or what is summed over them. */
static void put_its_cycles(struct ttp_sink *out, const struct ttp_cycle_spread *s)
{
    if (s->median) {
        put_cycles(out, s->sum / s->count);
        ttp_sink_put(out, TTP_STR(" cycles per core"));
        return;
    }
    put_cycles(out, s->sum);
    ttp_sink_put(out, TTP_STR(" cycles"));
    if (s->count > 1)
        ttp_sink_printf(out, " on %zu cores", s->count);
    else if (ttp_kernel_is_sum(s))
        ttp_sink_put(out, TTP_STR(" on all cores"));
}

/* The role of the RISC that the diagnosis names. */
static const struct ttp_role_time *time_of(const struct ttp_kernel_verdict *v)
{
    const enum ttp_kernel_risc risc =
        v->actor == TTP_ACTOR_NCRISC ? TTP_KERNEL_NCRISC : TTP_KERNEL_BRISC;

    if (v->actor != TTP_ACTOR_COMPUTE)
        for (size_t i = 0; i < TTP_KERNEL_ROLES; i++)
            if (i != TTP_ROLE_COMPUTE && v->role[i].risc == risc)
                return &v->role[i];
    return &v->role[TTP_ROLE_COMPUTE];
}

static bool has_waits(const struct ttp_kernel_verdict *v)
{
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++)
        if (v->role[i].wait_in + v->role[i].wait_out + v->role[i].barrier > 0)
            return true;
    return false;
}

/* The waits of the threads that move data were not measured, only those of compute. */
static bool is_compute_alone(const struct ttp_kernel_verdict *v)
{
    for (size_t i = 0; i < TTP_KERNEL_ROLES; i++)
        if (i != TTP_ROLE_COMPUTE &&
            v->role[i].wait_in + v->role[i].wait_out + v->role[i].barrier > 0)
            return false;
    return v->actor != TTP_ACTOR_COMPUTE;
}

static void put_busy(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    const struct ttp_role_time *t = time_of(&m->verdict);
    const bool alone = m->verdict.bottleneck == m->verdict.thread;

    if (!alone)
        ttp_sink_put(out, TTP_STR("Its slowest thread is "));
    put_role(out, m, ttp_kernel_bottleneck_name(m->verdict.thread), t->risc, alone);
    if (!has_waits(&m->verdict)) {
        ttp_sink_put(out, alone ? TTP_STR(" takes longest, ") : TTP_STR(", "));
        put_its_cycles(out, &m->thread[t->risc].kernel_cycles);
        ttp_sink_put(out, TTP_STR("; the log lacks waits, so waiting counts as work."));
        return;
    }
    ttp_sink_put(out, alone ? TTP_STR(" is the bottleneck: ") : TTP_STR(": "));
    if (is_compute_alone(&m->verdict)) {
        put_others(out, m, t, "");
        ttp_sink_char(out, '.');
        return;
    }
    ttp_sink_put(out, TTP_STR("it is busy "));
    put_pct(out, t->busy);
    ttp_sink_put(out, TTP_STR(" of its "));
    put_its_cycles(out, &m->thread[t->risc].kernel_cycles);
    if (t->barrier > 0) {
        ttp_sink_put(out, TTP_STR(" ("));
        put_pct(out, t->barrier);
        ttp_sink_put(out, TTP_STR(" in DMA barriers)"));
    }
    put_others(out, m, t, ", while ");
    ttp_sink_char(out, '.');
}

static void put_thread(struct ttp_sink *out, const struct ttp_kernel_program *m)
{
    const struct ttp_kernel_verdict *v = &m->verdict;

    switch (v->thread) {
    case TTP_LIMIT_READER:
    case TTP_LIMIT_COMPUTE:
    case TTP_LIMIT_WRITER:
        put_busy(out, m);
        break;
    case TTP_LIMIT_NOC:
        ttp_sink_put(out, TTP_STR("Reader and writer continue after compute is done: both wait for "
                                  "transfers and barriers."));
        break;
    case TTP_LIMIT_SLOW:
        if (v->all_wait) {
            ttp_sink_put(out,
                         TTP_STR("No thread is the bottleneck, none works half of the time: "));
            put_others(out, m, NULL, "");
            ttp_sink_char(out, '.');
            break;
        }
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
                                  "long threads waited for buffers; 'tt-perf record --mode "
                                  "kernel' records it."));
    }
}

/* What is not a matter of its threads. */
static void put_ceiling(struct ttp_sink *out, const struct ttp_kernel_verdict *v,
                        struct ttp_arena *arena)
{
    static const char *const held_by[TTP_LIMITS] = {
        [TTP_LIMIT_DRAM] = "The DRAM is",
        [TTP_LIMIT_FLOP] = "The math engines are",
        [TTP_LIMIT_BOTH] = "The math engines and the DRAM are",
        [TTP_LIMIT_LINK] = "The Ethernet link is",
        [TTP_LIMIT_NOC] = "The NoC is",
        [TTP_LIMIT_PADDING] = "Padding is",
        [TTP_LIMIT_GAP] = "The gap before it is",
    };

    if (!held_by[v->bottleneck] || v->bottleneck == v->thread)
        return;
    ttp_sink_printf(out, "%s the bottleneck: %.*s. ", held_by[v->bottleneck],
                    TTP_FMT(ttp_diagnosis_limit_evidence(&v->evidence, v->bottleneck, arena)));
}

ttp_str ttp_kernel_sentence(const struct ttp_kernel_program *m, struct ttp_arena *arena)
{
    const struct ttp_kernel_verdict *v = &m->verdict;
    const struct ttp_cycle_spread *s = &m->core_cycles;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (v->bottleneck == TTP_LIMIT_CORES) {
        ttp_sink_printf(&out, "Too few cores are the bottleneck: %llu of %llu are used (",
                        (unsigned long long)m->targets.cores_used,
                        (unsigned long long)m->targets.cores_available);
        put_pct(&out, 1 / v->gain);
        ttp_sink_put(&out, TTP_STR("), using all is up to "));
        ttp_sink_fixed(&out, v->gain, 1, false);
        ttp_sink_put(&out, TTP_STR(" times as fast. "));
    }
    if (v->bottleneck == TTP_LIMIT_IMBALANCE) {
        ttp_sink_put(&out, TTP_STR("Imbalance is the bottleneck: the slowest core takes "));
        put_cycles(&out, s->max);
        ttp_sink_put(&out, TTP_STR(" cycles, the median core "));
        put_cycles(&out, s->median);
        ttp_sink_put(&out, TTP_STR("; evenly distributed, the work is up to "));
        ttp_sink_fixed(&out, v->gain, 1, false);
        ttp_sink_put(&out, TTP_STR(" times as fast. "));
    }
    put_ceiling(&out, v, arena);
    put_thread(&out, m);
    if (v->bottleneck != TTP_LIMIT_CORES && m->targets.cores_used &&
        m->targets.cores_available >= 2 * m->targets.cores_used)
        ttp_sink_printf(&out, " Only %llu of %llu cores are used.",
                        (unsigned long long)m->targets.cores_used,
                        (unsigned long long)m->targets.cores_available);
    return ttp_sink_text(&out);
}
