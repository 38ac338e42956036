/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware counters of the groups fpu, pack, unpack, l1_0 and instrn, as names of tt-metal's
 * perf_counter_analysis. A counter's value is a share of the kernel's cycles: that of the unit it
 * belongs to, which follows from what the op is, times its own. */
#include "synth/markers.h"

/* Units, by how busy an op keeps them. */
enum unit { FPU, SFPU, UNPACK, PACK, L1, ISSUE, STALL };

struct counter {
    const char *name;
    enum unit unit;
    uint8_t percent; /* of the unit's share */
};

static const struct counter counters[] = {
    {"FPU_COUNTER", FPU, 100},
    {"SFPU_COUNTER", SFPU, 100},
    {"MATH_COUNTER", FPU, 110},
    {"FPU_INSTRN_AVAILABLE_1", FPU, 118},
    {"MATH_INSTRN_STARTED", FPU, 92},
    {"MATH_INSTRN_AVAILABLE", FPU, 115},
    {"MATH_NOT_STALLED_DEST_WR_PORT", FPU, 108},
    {"AVAILABLE_MATH", FPU, 104},
    {"DATA_HAZARD_STALLS_MOVD2A", FPU, 111},
    {"MATH_FIDELITY_STALL", FPU, 22},
    {"MATH_INSTRN_HF_1_CYCLE", FPU, 12},
    {"MATH_INSTRN_HF_2_CYCLE", FPU, 30},
    {"MATH_INSTRN_HF_4_CYCLE", FPU, 9},
    {"UNPACK0_BUSY_THREAD0", UNPACK, 100},
    {"UNPACK1_BUSY_THREAD0", UNPACK, 84},
    {"SRCA_WRITE_AVAILABLE", UNPACK, 88},
    {"SRCA_WRITE_ACTUAL", UNPACK, 71},
    {"SRCA_WRITE_NOT_BLOCKED_OVR", UNPACK, 80},
    {"SRCB_WRITE_AVAILABLE", UNPACK, 76},
    {"SRCB_WRITE_ACTUAL", UNPACK, 61},
    {"SRCB_WRITE_NOT_BLOCKED_PORT", UNPACK, 66},
    {"PACKER_BUSY", PACK, 100},
    {"PACKER_BUSY_0", PACK, 97},
    {"PACKER_BUSY_1", PACK, 58},
    {"PACKER_BUSY_2", PACK, 41},
    {"PACKER_DEST_READ_AVAILABLE", PACK, 83},
    {"DEST_READ_GRANTED_0", PACK, 70},
    {"L1_0_UNPACKER_0", L1, 100},
    {"L1_0_UNPACKER_0_GRANT", L1, 93},
    {"L1_0_PORT1_GRANT", L1, 61},
    {"L1_0_TDMA_BUNDLE_0_RISC", L1, 24},
    {"L1_0_TDMA_BUNDLE_1_TRISC", L1, 31},
    {"L1_0_NOC_RING0_OUTGOING_0", L1, 47},
    {"L1_0_NOC_RING0_OUTGOING_0_GRANT", L1, 44},
    {"L1_0_NOC_RING0_OUTGOING_1", L1, 40},
    {"L1_0_NOC_RING0_OUTGOING_1_GRANT", L1, 38},
    {"L1_0_NOC_RING0_INCOMING_0", L1, 72},
    {"L1_0_NOC_RING0_INCOMING_0_GRANT", L1, 65},
    {"L1_0_NOC_RING0_INCOMING_1", L1, 69},
    {"L1_0_NOC_RING0_INCOMING_1_GRANT", L1, 60},
    {"THREAD_INSTRUCTIONS_0", ISSUE, 100},
    {"THREAD_INSTRUCTIONS_1", ISSUE, 90},
    {"THREAD_INSTRUCTIONS_2", ISSUE, 70},
    {"CFG_INSTRN_AVAILABLE_0", ISSUE, 8},
    {"SYNC_INSTRN_AVAILABLE_0", ISSUE, 35},
    {"THCON_INSTRN_AVAILABLE_0", ISSUE, 11},
    {"MOVE_INSTRN_AVAILABLE_0", ISSUE, 3},
    {"UNPACK_INSTRN_AVAILABLE_0", ISSUE, 88},
    {"PACK_INSTRN_AVAILABLE_2", ISSUE, 57},
    {"THREAD_STALLS_0", STALL, 100},
    {"THREAD_STALLS_1", STALL, 87},
    {"THREAD_STALLS_2", STALL, 93},
    {"WAITING_FOR_SRCA_CLEAR", STALL, 14},
    {"WAITING_FOR_SRCB_CLEAR", STALL, 11},
    {"WAITING_FOR_SRCA_VALID", STALL, 37},
    {"WAITING_FOR_SRCB_VALID", STALL, 33},
    {"WAITING_FOR_THCON_IDLE_0", STALL, 5},
    {"WAITING_FOR_THCON_IDLE_1", STALL, 2},
    {"WAITING_FOR_THCON_IDLE_2", STALL, 4},
    {"WAITING_FOR_UNPACK_IDLE_0", STALL, 21},
    {"WAITING_FOR_UNPACK_IDLE_1", STALL, 3},
    {"WAITING_FOR_UNPACK_IDLE_2", STALL, 2},
    {"WAITING_FOR_PACK_IDLE_0", STALL, 2},
    {"WAITING_FOR_PACK_IDLE_1", STALL, 3},
    {"WAITING_FOR_PACK_IDLE_2", STALL, 26},
    {"WAITING_FOR_MATH_IDLE_0", STALL, 4},
    {"WAITING_FOR_MATH_IDLE_1", STALL, 18},
    {"WAITING_FOR_MATH_IDLE_2", STALL, 5},
    {"WAITING_FOR_NONZERO_SEM_0", STALL, 29},
    {"WAITING_FOR_NONZERO_SEM_1", STALL, 25},
    {"WAITING_FOR_NONZERO_SEM_2", STALL, 44},
    {"WAITING_FOR_NONFULL_SEM_0", STALL, 16},
    {"WAITING_FOR_NONFULL_SEM_1", STALL, 20},
    {"WAITING_FOR_NONFULL_SEM_2", STALL, 6},
    {"WAITING_FOR_MOVE_IDLE_0", STALL, 1},
    {"WAITING_FOR_MOVE_IDLE_1", STALL, 1},
    {"WAITING_FOR_MOVE_IDLE_2", STALL, 1},
    {"WAITING_FOR_MMIO_IDLE_0", STALL, 2},
    {"WAITING_FOR_MMIO_IDLE_1", STALL, 2},
    {"WAITING_FOR_MMIO_IDLE_2", STALL, 2},
    {"WAITING_FOR_SFPU_IDLE_0", STALL, 1},
    {"WAITING_FOR_SFPU_IDLE_1", STALL, 7},
    {"WAITING_FOR_SFPU_IDLE_2", STALL, 1},
};

/* The packer's port in L1 is called differently. */
static const struct counter packer_port[] = {
    {"L1_0_UNPACKER_1_ECC_PACK1", L1, 66}, /* wormhole_b0 */
    {"L1_0_UNIFIED_PACKER", L1, 66},       /* blackhole */
};

/* Percent of the kernel's cycles. */
static uint32_t share(const struct ttp_synth_op *op, enum unit unit)
{
    const bool computes = op->compute_kernel;
    const uint64_t fpu = op->pm_compute_ns && op->ns ? op->pm_compute_ns * 80 / op->ns : 6;

    switch (unit) {
    case FPU:
        return computes ? (uint32_t)fpu + 1 : 0;
    case SFPU:
        return computes && !op->pm_compute_ns ? 34 : computes ? 2 : 0;
    case UNPACK:
        return computes ? 30 + (uint32_t)fpu / 2 : 0;
    case PACK:
        return computes ? 18 + (uint32_t)fpu / 4 : 0;
    case L1:
        return 34;
    case ISSUE:
        return computes ? 12 + (uint32_t)fpu / 4 : 1;
    case STALL:
        return 60 - (fpu < 50 ? (uint32_t)fpu : 50);
    }
    return 0;
}

size_t ttp_synth_add_counters(struct ttp_synth_marker *out, size_t n,
                              const struct ttp_synth_plan *p, const struct ttp_synth_device_exec *d,
                              const struct ttp_synth_core *core, const struct ttp_synth_span *span)
{
    const uint64_t reference = span->kernel_end - span->kernel_start;
    const size_t count = TTP_COUNT(counters) + 1;

    for (size_t i = 0; i < count; i++) {
        const struct counter *c =
            i < TTP_COUNT(counters) ? &counters[i] : &packer_port[p->opt.arch];
        const uint64_t h = ttp_synth_hash(p, d->number, (uint64_t)core->rank << 8 | i);
        const uint64_t value = reference * share(d->call->op, c->unit) * c->percent / 10000;
        out[n++] = (struct ttp_synth_marker){
            .time = span->kernel_end - count + i,
            .data = reference << 32 | (value + value * (h % 40) / 1000),
            .counter = c->name,
            .id = SYNTH_ID_COUNTER,
            .type = SYNTH_TS_DATA,
        };
    }
    return n;
}
