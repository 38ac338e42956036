/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what limits an op. Threads that hand blocks on through buffers run at the pace of
 * the slowest of them: the others wait, the slowest does not. */
#include <math.h>

#include "diagnosis/diagnosis.h"

/* Ours: what is below costs less than half of the op's time. */
#define NOC_PCT        65.0
#define CONGESTION_PCT 20.0
#define FEW_CORES      0.5  /* of those available */
#define IMBALANCE      1.5  /* slowest core over the average */
#define MOST_PADDING   50.0 /* percent filled */
#define DISPATCH_US    6.5  /* a gap that tracing would hide (tt-perf-report) */

/* Among the threads. Two as busy as BALANCED to each other: without the busier one the kernel would
 * be less than a third faster, and the waits of filling and draining the buffers are in it. */
#define BALANCED 0.75
#define BUSY     0.50 /* of the op's time: without a thread that works less, most of it remains */
#define WAITING  0.30 /* of compute's time: then another kernel delays it */
#define SMALL    0.15 /* below, waits are fill and drain of the buffers */
#define MOSTLY   0.60 /* in its own barriers: a thread is bound by them */
#define DOMINANT 1.15 /* one kind of kernel runs so much longer than the others */
#define STALLED  2.0  /* both that move data, over the one that computes */
#define SKEW_US  0.5  /* and longer than this: kernels of an op do not start together */
/* A thread of so much gain comes before too few cores; with waits known, imbalance from here on. */
#define CLEAR_THREAD    1.5
#define CLEAR_IMBALANCE 1.25

static const char *const names[TTP_LIMITS] = {
    [TTP_LIMIT_NONE] = "",           [TTP_LIMIT_HOST] = "HOST",
    [TTP_LIMIT_GAP] = "GAP",         [TTP_LIMIT_DRAM] = "DRAM",
    [TTP_LIMIT_FLOP] = "FLOP",       [TTP_LIMIT_BOTH] = "BOTH",
    [TTP_LIMIT_LINK] = "LINK",       [TTP_LIMIT_NOC] = "NOC",
    [TTP_LIMIT_CORES] = "CORES",     [TTP_LIMIT_IMBALANCE] = "IMBALANCE",
    [TTP_LIMIT_PADDING] = "PADDING", [TTP_LIMIT_READER] = "READER",
    [TTP_LIMIT_WRITER] = "WRITER",   [TTP_LIMIT_COMPUTE] = "COMPUTE",
    [TTP_LIMIT_SLOW] = "SLOW",
};

const char *ttp_diagnosis_limit_name(enum ttp_limit limit)
{
    return names[limit];
}

/* ---- among the threads ---- */

static enum ttp_limit limit_of(const struct ttp_symptoms *s, enum ttp_actor actor)
{
    return actor == TTP_ACTOR_COMPUTE         ? TTP_LIMIT_COMPUTE
           : s->roles.does[actor] & TTP_READS ? TTP_LIMIT_READER
                                              : TTP_LIMIT_WRITER;
}

static struct ttp_thread_verdict name_actor(const struct ttp_symptoms *s, enum ttp_actor actor,
                                            double gain)
{
    return (struct ttp_thread_verdict){limit_of(s, actor), actor, gain, false, false};
}

static double busy(const struct ttp_actor_time *a)
{
    return fmax(1 - a->wait_in - a->wait_out, 0);
}

/* As a part of the op's time: a kernel that ends early delays no other. */
static double work(const struct ttp_actor_time *a)
{
    return a->time * busy(a);
}

/* Those that move data say how long they waited. */
static struct ttp_thread_verdict judge_by_busy(const struct ttp_symptoms *s)
{
    int first = -1, second = -1;

    for (int i = 0; i < TTP_ACTORS; i++) {
        if (!(s->actor[i].time > 0))
            continue;
        if (first < 0 || work(&s->actor[i]) > work(&s->actor[first])) {
            second = first;
            first = i;
        } else if (second < 0 || work(&s->actor[i]) > work(&s->actor[second])) {
            second = i;
        }
    }
    if (first < 0)
        return (struct ttp_thread_verdict){.gain = 1};
    const double most = work(&s->actor[first]), next = second < 0 ? 0 : work(&s->actor[second]);
    struct ttp_thread_verdict out =
        name_actor(s, (enum ttp_actor)first, next > 0 ? most / next : 1);
    out.all_wait = most < BUSY;
    if (next >= BALANCED * most || out.all_wait)
        out.limit = TTP_LIMIT_SLOW;
    if (out.all_wait)
        out.gain = 1;
    return out;
}

static enum ttp_actor mover_that(const struct ttp_symptoms *s, enum ttp_moving does)
{
    const enum ttp_actor usual = does == TTP_READS ? TTP_ACTOR_NCRISC : TTP_ACTOR_BRISC;
    const enum ttp_actor other = does == TTP_READS ? TTP_ACTOR_BRISC : TTP_ACTOR_NCRISC;

    return !(s->roles.does[usual] & does) && (s->roles.does[other] & does) ? other : usual;
}

/* Only compute says how long it waited, as tt-metal's sums do. */
static struct ttp_thread_verdict judge_by_compute(const struct ttp_symptoms *s)
{
    const struct ttp_actor_time *c = &s->actor[TTP_ACTOR_COMPUTE];
    const bool for_data = c->wait_in >= c->wait_out;
    const double most = fmax(c->wait_in, c->wait_out);
    struct ttp_thread_verdict out = {.gain = 1};

    if (most < SMALL)
        return name_actor(s, TTP_ACTOR_COMPUTE, 1);
    out.limit = TTP_LIMIT_SLOW;
    if (most >= WAITING) {
        out.limit = for_data ? TTP_LIMIT_READER : TTP_LIMIT_WRITER;
        out.actor = mover_that(s, for_data ? TTP_READS : TTP_WRITES);
        out.gain = busy(c) > 0 ? 1 / busy(c) : 1;
    }
    return out;
}

static bool dominates(const struct ttp_symptoms *s, double one, double others)
{
    return one > DOMINANT * others && (one - others) * s->time_us > SKEW_US;
}

/* Nothing says how long buffers were waited for. */
static struct ttp_thread_verdict judge_by_times(const struct ttp_symptoms *s)
{
    const struct ttp_actor_time *a = s->actor;
    const double n = a[TTP_ACTOR_NCRISC].time, b = a[TTP_ACTOR_BRISC].time,
                 math = a[TTP_ACTOR_COMPUTE].time;
    const enum ttp_actor stuck = a[TTP_ACTOR_BRISC].barrier > a[TTP_ACTOR_NCRISC].barrier
                                     ? TTP_ACTOR_BRISC
                                     : TTP_ACTOR_NCRISC;

    if (a[stuck].barrier >= MOSTLY)
        return name_actor(s, stuck, 1);
    if ((n > 0) + (b > 0) + (math > 0) < 2)
        return (struct ttp_thread_verdict){.gain = 1}; /* no other to compare it with */
    if (math > 0 && dominates(s, math, fmax(n, b)))
        return name_actor(s, TTP_ACTOR_COMPUTE, 1);
    if (math > 0 && fmin(n, b) > STALLED * math)
        return (struct ttp_thread_verdict){.limit = TTP_LIMIT_NOC, .gain = 1};
    if (dominates(s, n, fmax(b, math)))
        return name_actor(s, TTP_ACTOR_NCRISC, 1);
    if (dominates(s, b, fmax(n, math)))
        return name_actor(s, TTP_ACTOR_BRISC, 1);
    return (struct ttp_thread_verdict){.gain = 1};
}

static struct ttp_thread_verdict judge_threads(const struct ttp_symptoms *s)
{
    const struct ttp_actor_time *a = s->actor;
    const bool movers = a[TTP_ACTOR_NCRISC].says_waits || a[TTP_ACTOR_BRISC].says_waits;
    struct ttp_thread_verdict out = movers                            ? judge_by_busy(s)
                                    : a[TTP_ACTOR_COMPUTE].says_waits ? judge_by_compute(s)
                                                                      : judge_by_times(s);

    out.from_waits = movers || a[TTP_ACTOR_COMPUTE].says_waits;
    return out;
}

/* ---- of the whole op ---- */

static enum ttp_limit roof_of(const struct ttp_symptoms *s)
{
    const bool dram = ttp_is_bound(s->dram_pct), flop = ttp_is_bound(s->flops_pct);

    return dram && flop ? TTP_LIMIT_BOTH
           : dram       ? TTP_LIMIT_DRAM
           : flop       ? TTP_LIMIT_FLOP
                        : TTP_LIMIT_NONE;
}

/* Far from a ceiling can only be said of what is known. */
static bool is_work_known(const struct ttp_symptoms *s, const struct ttp_thread_verdict *t)
{
    return s->dram_pct > 0 || s->flops_pct > 0 || s->has_noc || s->has_fill ||
           t->limit == TTP_LIMIT_SLOW;
}

static enum ttp_limit of_work(struct ttp_op_verdict *out, const struct ttp_symptoms *s)
{
    const struct ttp_thread_verdict *t = &out->thread;
    const bool clear = t->from_waits && t->gain >= CLEAR_THREAD;

    if (s->cores > 0 && s->available_cores > 0 && !s->one_core_a_bank && !clear &&
        s->cores < FEW_CORES * s->available_cores) {
        out->gain = s->available_cores / s->cores;
        return TTP_LIMIT_CORES;
    }
    if (s->imbalance >= (t->from_waits ? CLEAR_IMBALANCE : IMBALANCE) && s->imbalance > t->gain) {
        out->gain = s->imbalance;
        return TTP_LIMIT_IMBALANCE;
    }
    if (s->has_fill && s->fill_pct <= MOST_PADDING)
        return TTP_LIMIT_PADDING;
    if (t->limit != TTP_LIMIT_NONE && t->limit != TTP_LIMIT_SLOW)
        return t->limit;
    if (s->gap_us > DISPATCH_US && s->gap_us > s->time_us)
        return TTP_LIMIT_GAP;
    return is_work_known(s, t) ? TTP_LIMIT_SLOW : TTP_LIMIT_NONE;
}

void ttp_diagnose(struct ttp_op_verdict *out, const struct ttp_symptoms *s)
{
    *out = (struct ttp_op_verdict){.gain = 1, .thread = {.gain = 1}};
    if (s->on_host) {
        out->limit = TTP_LIMIT_HOST;
        return;
    }
    out->thread = judge_threads(s);
    out->gain = out->thread.gain;
    if (!(s->time_us > 0))
        return;
    out->limit = roof_of(s);
    if (out->limit != TTP_LIMIT_NONE)
        return;
    if (s->link_gbs > 0)
        out->limit = TTP_LIMIT_LINK;
    else if (s->noc_pct >= NOC_PCT || s->congestion_pct >= CONGESTION_PCT)
        out->limit = TTP_LIMIT_NOC;
    else
        out->limit = of_work(out, s);
}
