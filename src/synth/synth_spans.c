/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets between the markers of a core are those of a real Wormhole log (tt-metal of 2026, one
 * core, four ops), their noise is ours.
 *
 * Promises that readers of the log depend on: the firmware zone of BRISC (of ERISC) outlasts
 * everything else on its core, since it ends the op there; the kernels of one core start in
 * different cycles; an execution is over on all cores SLOT_CYCLES (plan.c) after its length. */
#include "synth/kernel_run.h"
#include "synth/run_plan.h"

/* Every n-th op or execution is hit by a fault; primes, so that it is not always the same op. */
enum { MISSING_EVERY = 41, LOST_EVERY = 53 };

uint32_t ttp_synth_seen_devices(const struct ttp_synth_plan *p)
{
    return p->opt.devices - (p->opt.faults & TTP_SYNTH_MISSING_DEVICE ? 1 : 0);
}

/* Is `i` of `count` one of those hit? At least one is. */
static bool is_hit(const struct ttp_synth_plan *p, uint64_t i, uint64_t count, uint64_t every,
                   unsigned fault)
{
    if (!(p->opt.faults & fault))
        return false;
    return i % every == ttp_synth_hash(p, fault, 0) % (count < every ? count : every);
}

bool ttp_synth_is_missing(const struct ttp_synth_plan *p, const struct ttp_synth_exec *e)
{
    return is_hit(p, p->call[e->call].program - 1, p->nexecs, MISSING_EVERY, TTP_SYNTH_MISSING_OP);
}

size_t ttp_synth_lost_core(const struct ttp_synth_plan *p, const struct ttp_synth_exec *e,
                           uint32_t device)
{
    const uint64_t i = (uint64_t)(e - p->exec);

    if (!is_hit(p, i, p->nexecs, LOST_EVERY, TTP_SYNTH_LOST_MARKERS))
        return p->ncores;
    const struct ttp_synth_device_exec d = ttp_synth_on_device(p, e, device);
    const uint64_t from = ttp_synth_hash(p, i, device) % p->ncores;
    for (size_t n = 0; n < p->ncores; n++) {
        const size_t core = (from + n) % p->ncores;
        if (ttp_synth_uses(&d, &p->core[core], SYNTH_BRISC))
            return core;
    }
    return p->ncores;
}

struct ttp_synth_device_exec ttp_synth_on_device(const struct ttp_synth_plan *p,
                                                 const struct ttp_synth_exec *e, uint32_t device)
{
    const struct ttp_synth_call *c = &p->call[e->call];
    const uint64_t number = (uint64_t)(e - p->exec) * TTP_SYNTH_MAX_DEVICES + device;
    const uint64_t h = ttp_synth_hash(p, number, UINT64_MAX);
    const uint64_t spread = e->kernel_cycles * c->op->device_spread / 1000;
    const uint64_t cycles = e->kernel_cycles - (p->opt.devices > 1 ? h % (spread + 1) : 0);
    unsigned riscs = 1 << SYNTH_BRISC | 1 << SYNTH_NCRISC;

    if (c->op->compute_kernel)
        riscs |= 1 << SYNTH_TRISC_0 | 1 << SYNTH_TRISC_1 | 1 << SYNTH_TRISC_2;
    return (struct ttp_synth_device_exec){
        .exec = e,
        .call = c,
        .number = number,
        /* counters of devices do not start together */
        .start = e->start_cycle + device * UINT64_C(731000011) + (h >> 40) % 64,
        /* the kernels start some 360 cycles before the last of them does */
        .length = cycles > 720 ? cycles - 360 : cycles / 2 + 200,
        .slowest = c->first_core + (uint32_t)((h >> 20) % c->op->cores),
        .reader_pct = 86 + (uint32_t)(c->op->hash % 10),
        .riscs = riscs,
        .equal_starts =
            is_hit(p, (uint64_t)(e - p->exec), p->nexecs, p->nexecs, TTP_SYNTH_EQUAL_STARTS),
    };
}

bool ttp_synth_uses(const struct ttp_synth_device_exec *d, const struct ttp_synth_core *core,
                    enum ttp_synth_risc risc)
{
    if (core->eth)
        return risc == SYNTH_ERISC && d->call->collective;
    return d->riscs >> risc & 1 && core->rank >= d->call->first_core &&
           core->rank < d->call->first_core + d->call->op->cores;
}

/* Cores differ by up to 7 % in what they must do. */
static uint64_t core_length(const struct ttp_synth_device_exec *d,
                            const struct ttp_synth_core *core, uint64_t h)
{
    if (core->eth || core->rank == d->slowest)
        return d->length;
    if (d->call->op->uneven)
        return d->length / 4;
    return d->length - d->length * ((h >> 32) % 70) / 1000;
}

/* When the part of the work that is this RISC's is done, after the writer began. */
static uint64_t risc_length(const struct ttp_synth_device_exec *d, enum ttp_synth_risc risc,
                            uint64_t length)
{
    const uint64_t percent[SYNTH_RISCS] = {100, d->reader_pct, 96, 97, 98, 97};
    return length * percent[risc] / 100;
}

struct ttp_synth_span ttp_synth_span_of(const struct ttp_synth_plan *p,
                                        const struct ttp_synth_device_exec *d,
                                        const struct ttp_synth_core *core, enum ttp_synth_risc risc)
{
    /* per RISC: from the go signal to the zones, and from the kernel's end to the firmware's */
    static const struct {
        uint16_t fw, fw_noise, kernel, kernel_noise, end, end_noise;
    } offset[SYNTH_RISCS] = {
        {0, 1, 700, 64, 320, 64},  {140, 16, 660, 32, 110, 32}, {232, 8, 580, 32, 46, 256},
        {224, 8, 410, 32, 46, 64}, {240, 8, 540, 32, 120, 128}, {24, 16, 720, 64, 300, 64},
    };
    const uint64_t h =
        ttp_synth_hash(p, d->number, (uint64_t)core->at.x << 16 | (uint64_t)core->at.y << 8);
    const uint64_t hr = h >> (8 * risc); /* bits that differ between the RISCs */
    const uint32_t hops = core->eth ? 0 : core->rank % 11 + core->rank / 11;
    const uint64_t go = d->start + UINT64_C(3) * hops + (h & 31);
    const uint64_t writer = go + offset[SYNTH_BRISC].kernel + (h >> 5 & 63);
    struct ttp_synth_span s = {
        .fw_start = go + offset[risc].fw + hr % offset[risc].fw_noise,
        .kernel_start = risc == SYNTH_BRISC
                            ? writer
                            : go + offset[risc].kernel + hr % offset[risc].kernel_noise,
    };

    s.kernel_end = p->kernel ? writer + ttp_synth_kernel_end(p->kernel, core, risc)
                             : writer + risc_length(d, risc, core_length(d, core, h));
    s.fw_end = s.kernel_end + offset[risc].end + hr % offset[risc].end_noise;
    if (d->equal_starts)
        s.kernel_start = d->start + 800;
    return s;
}
