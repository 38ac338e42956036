/* SPDX-License-Identifier: Apache-2.0 */
/* run_plan.h - the plan of a run, made before anything is written: calls of the host and programs
 * on the devices, with their times.
 *
 * A plan is small (ops and executions, not markers): the times of a marker are computed when it is
 * written, from the numbers of its execution, device, core and RISC alone, so that every file sees
 * the same ones in any order. */
#ifndef TTP_SYNTH_RUN_PLAN_H
#define TTP_SYNTH_RUN_PLAN_H

#include "synth/chips.h"
#include "synth/planted.h"
#include "synth/synth.h"

enum ttp_synth_event { SYNTH_OP, SYNTH_HOST_OP, SYNTH_SIGNPOST };

/* Something the host did. An op is called once and recorded once per device. */
struct ttp_synth_call {
    enum ttp_synth_event event;
    const char *name;              /* of a host op or a signpost */
    const struct ttp_synth_op *op; /* of an op */
    uint32_t program;              /* ids are program << 10 | device */
    bool first;                    /* of its op: compiled now, described in full */
    bool captured;                 /* into the trace; runs when that is replayed */
    bool collective;               /* Ethernet cores take part */
    int8_t sub_device;             /* -1: none */
    uint16_t first_core;           /* rank of the first worker it uses */
    uint16_t available_cores;
    uint64_t host_ns; /* start on device 0 */
    uint32_t step_ns; /* until the same on the next device; its zone is a little shorter */
};

/* One run of a program, on all devices at the same time. */
struct ttp_synth_exec {
    uint32_t call;
    uint32_t replay; /* 0: not from a trace */
    uint64_t start_cycle;
    uint64_t kernel_cycles; /* of the slowest device */
};

struct ttp_synth_plan {
    struct ttp_synth_options opt;
    struct ttp_synth_chip chip;
    const struct ttp_synth_core *core;
    size_t ncores;
    struct ttp_synth_call *call;
    size_t ncalls;
    uint32_t nops;               /* of the calls; their programs are 1, 2, 3, ... */
    struct ttp_synth_exec *exec; /* by start */
    size_t nexecs;
    uint32_t first_captured, last_captured; /* calls; equal: no trace */
    uint64_t replay_ns[2];                  /* host time: of the first replay, between two */
    const struct ttp_synth_kernel *kernel;  /* of a tt-lang kernel, else NULL */
    const struct ttp_synth_side *side;      /* of a planted run, else NULL */
};

/* Everything in the arena. TTP_EUSAGE: options that contradict each other. */
TTP_NODISCARD ttp_code ttp_synth_plan_run(struct ttp_synth_plan *out,
                                          const struct ttp_synth_options *opt,
                                          struct ttp_arena *arena, struct ttp_err *err);

/* A number that depends on all of its arguments, and on the seed. */
static inline uint64_t ttp_synth_hash(const struct ttp_synth_plan *p, uint64_t a, uint64_t b)
{
    uint64_t z = p->opt.seed * 0x9e3779b97f4a7c15u + a * 0xd1342543de82ef95u + b;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint32_t ttp_synth_id(const struct ttp_synth_call *c, uint32_t device)
{
    return c->program << 10 | device;
}

/* Devices that left device data. */
uint32_t ttp_synth_seen_devices(const struct ttp_synth_plan *p);
/* Did this execution leave anything? */
bool ttp_synth_is_missing(const struct ttp_synth_plan *p, const struct ttp_synth_exec *e);
/* Position in the core list of the core that lost the ends of its zones; ncores: none did. */
size_t ttp_synth_lost_core(const struct ttp_synth_plan *p, const struct ttp_synth_exec *e,
                           uint32_t device);

/* When an execution's zones on one RISC begin and end, in cycles of its device. */
struct ttp_synth_span {
    uint64_t fw_start, kernel_start, kernel_end, fw_end;
};

/* What does not depend on the core. */
struct ttp_synth_device_exec {
    const struct ttp_synth_exec *exec;
    const struct ttp_synth_call *call;
    uint64_t number; /* of the execution and the device: what its noise depends on */
    uint64_t start, length;
    uint32_t slowest;    /* rank of the core that takes the whole length */
    uint32_t reader_pct; /* of the length, that the reader takes */
    unsigned riscs;      /* bit r: workers run something on RISC r */
    bool equal_starts;
};
struct ttp_synth_device_exec ttp_synth_on_device(const struct ttp_synth_plan *p,
                                                 const struct ttp_synth_exec *e, uint32_t device);
/* Does the execution use this core, and this RISC of it? */
bool ttp_synth_uses(const struct ttp_synth_device_exec *d, const struct ttp_synth_core *core,
                    enum ttp_synth_risc risc);
struct ttp_synth_span ttp_synth_span_of(const struct ttp_synth_plan *p,
                                        const struct ttp_synth_device_exec *d,
                                        const struct ttp_synth_core *core,
                                        enum ttp_synth_risc risc);

#endif
