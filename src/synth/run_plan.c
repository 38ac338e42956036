/* SPDX-License-Identifier: Apache-2.0 */
/* The device's time line: an op starts when the one before has left all its cores and the gap until
 * the host or the dispatcher delivers the next has passed. Gaps are chosen, not simulated: a long
 * one where a program is compiled or the host is late, else what dispatch takes. All devices follow
 * one schedule, made for the slowest; each is a little faster than that. */
#include "synth/run_plan.h"

#include "base/vec.h"
#include "synth/kernel_run.h"
#include "synth/models.h"

/* Cycles by which an execution outlasts its kernels on all cores: see spans.c. */
enum { SLOT_CYCLES = 1300 };

/* Device counters have run for some hours, host clocks for some seconds. */
#define FIRST_CYCLE   UINT64_C(12627983000000)
#define FIRST_HOST_NS UINT64_C(3410868244)

const char *const ttp_synth_fault_names[] = {"lost-markers",
                                             "missing-op",
                                             "truncated",
                                             "cut-message",
                                             "duplicate-start",
                                             "missing-device",
                                             "never-replayed",
                                             "no-messages",
                                             "zone-without-op",
                                             "old-columns",
                                             "equal-starts",
                                             "bad-preamble",
                                             "old-preamble",
                                             "empty-log",
                                             "open-message",
                                             "lost-zone",
                                             NULL};

/* An op as described for that many cores. */
struct described {
    const struct ttp_synth_step *step;
    uint32_t available;
    bool called;
    struct ttp_synth_op *op;
};

struct builder {
    struct ttp_synth_plan *plan;
    struct ttp_arena *arena;
    struct described *known;
    size_t nknown;
    uint64_t random;
    uint64_t clock, beside_end; /* cycles: when the device is free; when what runs next to ends */
    uint64_t host_ns;
    uint64_t host_busy_ns; /* the device waits for that, too */
    uint32_t program, host_program;
    uint32_t nops, max_ops; /* calls so far, and how many there shall be */
    uint32_t available, first_core;
    int8_t sub_device;
    bool capturing;
};

static uint64_t random_below(struct builder *b, uint64_t below)
{
    return ttp_synth_random(&b->random) % below;
}

static uint64_t to_cycles(const struct builder *b, uint64_t ns)
{
    return ns * b->plan->chip.mhz / 1000;
}

/* Room for one more; the zeroed element. */
static struct ttp_synth_call *new_call(struct builder *b)
{
    struct ttp_synth_plan *p = b->plan;

    return TTP_PUSH(b->arena, p->call, p->ncalls);
}

static void add_exec(struct builder *b, size_t call, uint32_t replay, uint64_t start,
                     uint64_t cycles)
{
    struct ttp_synth_plan *p = b->plan;

    *TTP_PUSH(b->arena, p->exec, p->nexecs) = (struct ttp_synth_exec){
        .call = (uint32_t)call, .replay = replay, .start_cycle = start, .kernel_cycles = cycles};
}

/* Steps of a planted run that repeat an op are calls of one program. */
static bool is_same_op(const struct builder *b, const struct ttp_synth_step *x,
                       const struct ttp_synth_step *y)
{
    return b->plan->side && x->plain == y->plain && x->matmul == y->matmul;
}

static struct described *describe(struct builder *b, const struct ttp_synth_step *s)
{
    const struct ttp_synth_plan *p = b->plan;

    for (size_t i = 0; i < b->nknown; i++)
        if ((b->known[i].step == s || is_same_op(b, b->known[i].step, s)) &&
            b->known[i].available == b->available)
            return &b->known[i];
    TTP_ROOM(b->arena, b->known, b->nknown);
    struct ttp_synth_op *op = TTP_NEW(b->arena, struct ttp_synth_op, 1);
    if (s->matmul) {
        *op = ttp_synth_describe_matmul(s->matmul, &p->chip.peaks,
                                        (struct ttp_synth_chips){p->opt.devices, b->available},
                                        false, b->arena);
    } else {
        *op = ttp_synth_describe_plain(s->plain, b->available);
        ttp_synth_time_plain(op, &p->chip.peaks, p->chip.mhz,
                             s->among_devices ? p->opt.devices : 1);
    }
    op->ns = s->ns ? s->ns : op->ns * (s->time_pct ? s->time_pct : 100) / 100;
    op->uneven = s->uneven;
    op->crowded = s->crowded;
    b->known[b->nknown] = (struct described){.step = s, .available = b->available, .op = op};
    return &b->known[b->nknown++];
}

/* Mostly the device is kept busy; now and then the host is late. */
static uint64_t next_gap_ns(struct builder *b, bool first)
{
    const struct ttp_synth_side *side = b->plan->side;
    uint64_t gap_ns = 650 + random_below(b, 500);

    if (b->nops == 0)
        gap_ns = 0;
    else if (first)
        gap_ns = 180000 + random_below(b, 120000);
    else if (side && side->gap_ns)
        gap_ns = side->gap_ns + random_below(b, side->gap_ns / 8);
    else if (b->nops % 37 == 0)
        gap_ns = 14000 + random_below(b, 46000);
    gap_ns += b->host_busy_ns;
    b->host_busy_ns = 0;
    return gap_ns;
}

static uint64_t with_noise(struct builder *b, uint64_t cycles)
{
    const uint64_t reach = cycles * 12 / 1000;
    return cycles - reach + random_below(b, 2 * reach + 1);
}

/* The next execution of a call. What runs on sub-device 0 does not keep those on sub-device 1
 * waiting; all others wait for everything. */
static void run_on_device(struct builder *b, size_t call, uint32_t replay, uint64_t gap_ns)
{
    const struct ttp_synth_call *c = &b->plan->call[call];
    const uint64_t cycles = with_noise(b, to_cycles(b, c->op->ns) + 40);
    const bool beside = c->sub_device == 0;
    uint64_t free_at = b->clock;

    if (c->sub_device <= 0 && free_at < b->beside_end)
        free_at = b->beside_end;
    const uint64_t start = free_at + to_cycles(b, gap_ns);
    add_exec(b, call, replay, start, cycles);
    if (beside)
        b->beside_end = start + cycles + SLOT_CYCLES;
    else
        b->clock = start + cycles + SLOT_CYCLES;
    if (beside && b->clock < start)
        b->clock = start;
}

static void add_op(struct builder *b, const struct ttp_synth_step *s)
{
    struct described *known = describe(b, s);
    const bool first = !known->called;
    const size_t index = b->plan->ncalls;

    known->called = true;
    *new_call(b) = (struct ttp_synth_call){
        .op = known->op,
        .program = ++b->program,
        .first = first,
        .captured = b->capturing,
        .collective = s->among_devices,
        .sub_device = b->sub_device,
        .first_core = (uint16_t)b->first_core,
        .available_cores = (uint16_t)b->available,
        .host_ns = b->host_ns,
        .step_ns =
            (uint32_t)(first ? 90000 + random_below(b, 90000) : 3500 + random_below(b, 9000)),
    };
    const struct ttp_synth_call *c = &b->plan->call[index];
    b->host_ns += (uint64_t)c->step_ns * b->plan->opt.devices + 300 + random_below(b, 2000);
    const uint64_t gap_ns = next_gap_ns(b, first);
    b->nops++;
    if (!b->capturing)
        run_on_device(b, index, 0, gap_ns);
}

static bool is_enough(const struct builder *b)
{
    return b->nops == b->max_ops;
}

static void add_part(struct builder *b, const struct ttp_synth_part *part, uint32_t layer)
{
    for (size_t i = 0; part && i < part->count && !is_enough(b); i++) {
        const struct ttp_synth_step *s = &part->step[i];
        if (s->among_devices && b->plan->opt.devices == 1)
            continue;
        if (s->every && layer % s->every != s->phase)
            continue;
        add_op(b, s);
    }
}

static void add_signpost(struct builder *b, const char *name)
{
    *new_call(b) =
        (struct ttp_synth_call){.event = SYNTH_SIGNPOST, .name = name, .host_ns = b->host_ns};
    b->host_ns += 1500;
}

static void add_host_op(struct builder *b, const char *name)
{
    const uint32_t ns = 164000 + (uint32_t)random_below(b, 30000);

    *new_call(b) = (struct ttp_synth_call){.event = SYNTH_HOST_OP,
                                           .name = name,
                                           .program = ++b->host_program,
                                           .host_ns = b->host_ns,
                                           .step_ns = ns};
    b->host_ns += ns + 500;
    b->host_busy_ns += ns;
}

static void use_cores(struct builder *b, int8_t sub_device, uint32_t first, uint32_t count)
{
    b->sub_device = sub_device;
    b->first_core = first;
    b->available = count;
}

/* One pass of a planted run. */
static void add_planted_pass(struct builder *b, const struct ttp_synth_side *side)
{
    const struct ttp_synth_part first = {side->part.step, 1},
                                others = {side->part.step + 1, side->part.count - 1};

    add_part(b, &first, 0);
    if (side->host_op)
        add_host_op(b, side->host_op);
    add_part(b, &others, 0);
}

/* One pass of the model: a token, an image, a round of matmuls. */
static void add_pass(struct builder *b, const struct ttp_synth_model_parts *m)
{
    if (b->plan->side) {
        add_planted_pass(b, b->plan->side);
        return;
    }
    static const struct ttp_synth_step prefetch = {.plain = &ttp_synth_prefetcher};
    const struct ttp_synth_options *opt = &b->plan->opt;
    const uint32_t all = opt->cores, feeders = all / 4;
    const uint32_t layers = opt->layers ? opt->layers : m->layers;

    if (opt->sub_devices && m->prefetch && !is_enough(b)) {
        use_cores(b, 0, 0, feeders);
        add_op(b, &prefetch);
        use_cores(b, 1, feeders, all - feeders);
    }
    add_part(b, m->before, 0);
    for (uint32_t layer = 0; layer < layers && !is_enough(b); layer++)
        add_part(b, m->layer, layer);
    add_part(b, m->after, 0);
    use_cores(b, -1, 0, all);
    if (m->last && !is_enough(b))
        add_op(b, m->last);
    if (m->host_op && !b->capturing)
        add_host_op(b, m->host_op);
}

static uint64_t replay_gap_ns(struct builder *b)
{
    const struct ttp_synth_side *side = b->plan->side;

    return side ? side->replay_gap_ns : 28000 + random_below(b, 9000);
}

/* The captured ops, replayed; only the first op of a replay waits for the host. */
static void add_replays(struct builder *b)
{
    struct ttp_synth_plan *p = b->plan;
    const uint64_t begin = b->clock;

    b->host_ns += 500000;
    p->replay_ns[0] = b->host_ns;
    for (uint32_t replay = 1; replay <= p->opt.replays; replay++)
        for (uint32_t call = p->first_captured; call < p->last_captured; call++)
            run_on_device(b, call, replay,
                          call == p->first_captured ? replay_gap_ns(b)
                                                    : 600 + random_below(b, 300));
    if (p->opt.replays)
        p->replay_ns[1] = (b->clock - begin) * 1000 / p->chip.mhz / p->opt.replays;
    b->host_ns += p->replay_ns[1] * p->opt.replays;
}

static void add_traced_run(struct builder *b, const struct ttp_synth_model_parts *m)
{
    const uint32_t all = b->max_ops;

    add_signpost(b, "warmup");
    if (all != UINT32_MAX)
        b->max_ops = (all + 1) / 2; /* the rest is captured */
    add_pass(b, m);
    b->max_ops = all;
    b->plan->first_captured = (uint32_t)b->plan->ncalls;
    b->capturing = true;
    add_pass(b, m);
    b->capturing = false;
    b->plan->last_captured = (uint32_t)b->plan->ncalls;
    add_signpost(b, "start");
    add_replays(b);
}

static void add_plain_run(struct builder *b, const struct ttp_synth_model_parts *m)
{
    const bool counted = b->max_ops != UINT32_MAX;

    if (!b->plan->side || !b->plan->side->cold) {
        add_signpost(b, "warmup");
        add_pass(b, m);
    }
    add_signpost(b, "start");
    do {
        add_pass(b, m);
    } while (counted && !is_enough(b));
}

/* One program, invoked as often as there are ops. */
static void add_kernel_run(struct builder *b)
{
    struct ttp_synth_plan *p = b->plan;
    struct ttp_synth_step *invocation = TTP_NEW(b->arena, struct ttp_synth_step, 1);

    p->kernel = ttp_synth_kernel_new(p, b->arena);
    invocation->plain = ttp_synth_kernel_op(p->kernel, b->arena);
    struct described *known = describe(b, invocation);
    known->op->cores = ttp_synth_kernel_cores(p->kernel);
    /* enough for the slowest core, whatever the noise */
    known->op->ns = ttp_synth_kernel_cycles(p->kernel) * 1020 / p->chip.mhz;
    do {
        add_op(b, invocation);
    } while (b->max_ops != UINT32_MAX && !is_enough(b));
}

static ttp_code check(const struct ttp_synth_options *opt, const struct ttp_synth_chip *chip,
                      struct ttp_err *err)
{
    const bool kernel = opt->model == TTP_SYNTH_TT_LANG_KERNEL;

    if (opt->plant && !ttp_synth_find_planting(opt->plant))
        return ttp_fail(err, TTP_EUSAGE, "unknown problem '%s'", opt->plant);
    if (opt->plant && (opt->model || opt->ops || opt->layers || opt->replays || opt->bottleneck ||
                       opt->devices > 1 || opt->sub_devices || opt->faults))
        return ttp_fail(err, TTP_EUSAGE, "--plant cannot be combined with this option");
    if (opt->cores > chip->peaks.cores)
        return ttp_fail(err, TTP_EUSAGE, "%s has %u worker cores, not %u", chip->name,
                        chip->peaks.cores, opt->cores);
    if (opt->bottleneck && !kernel)
        return ttp_fail(err, TTP_EUSAGE, "--bottleneck requires --model tt-lang-kernel");
    if (kernel && (opt->replays || opt->layers || opt->faults & TTP_SYNTH_NEVER_REPLAYED))
        return ttp_fail(err, TTP_EUSAGE, "tt-lang-kernel conflicts with layers and traces");
    if (opt->replays && opt->faults & TTP_SYNTH_NEVER_REPLAYED)
        return ttp_fail(err, TTP_EUSAGE, "--replays conflicts with --faults never-replayed");
    if (opt->devices == 1 && opt->faults & TTP_SYNTH_MISSING_DEVICE)
        return ttp_fail(err, TTP_EUSAGE, "missing-device needs at least 2 devices");
    if (opt->sub_devices && opt->cores && opt->cores < 8)
        return ttp_fail(err, TTP_EUSAGE, "sub-devices need at least 8 cores");
    return TTP_OK;
}

/* What the options become for the run that has the problem, or has it fixed. */
static void plant(struct ttp_synth_plan *p)
{
    const struct ttp_synth_planting *planting = ttp_synth_find_planting(p->opt.plant);

    p->side = p->opt.mended ? &planting->mended : &planting->problem;
    p->opt.devices = planting->devices;
    p->opt.replays = p->side->replays;
    p->opt.bottleneck = p->side->bottleneck;
    p->opt.noc |= p->side->noc;
    if (p->side->kernel_blocks)
        p->opt.model = TTP_SYNTH_TT_LANG_KERNEL;
}

ttp_code ttp_synth_plan_run(struct ttp_synth_plan *out, const struct ttp_synth_options *opt,
                            struct ttp_arena *arena, struct ttp_err *err)
{
    struct ttp_synth_plan *p = out;

    *p = (struct ttp_synth_plan){.opt = *opt, .chip = ttp_synth_chip_at(opt->arch)};
    TTP_TRY(check(opt, &p->chip, err));
    if (opt->plant)
        plant(p);
    if (p->opt.cores == 0)
        p->opt.cores = p->chip.peaks.cores;
    p->core = ttp_synth_cores(&p->ncores, &p->chip, p->opt.cores, p->opt.devices > 1, arena);
    struct builder b = {
        .plan = p,
        .arena = arena,
        .random = opt->seed,
        .clock = FIRST_CYCLE,
        .host_ns = FIRST_HOST_NS,
        .max_ops = opt->ops ? opt->ops : UINT32_MAX,
        .available = p->opt.cores,
        .sub_device = -1,
    };
    const struct ttp_synth_model_parts *m = ttp_synth_model_at(p->opt.model);
    if (!m)
        add_kernel_run(&b);
    else if (p->opt.replays || opt->faults & TTP_SYNTH_NEVER_REPLAYED)
        add_traced_run(&b, m);
    else
        add_plain_run(&b, m);
    p->nops = b.nops;
    return TTP_OK;
}
