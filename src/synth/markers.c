/* SPDX-License-Identifier: Apache-2.0 */
#include "synth/markers.h"

#include "synth/kernel_run.h"

/* Bytes from the lowest: type, x, y, the other corner's x and y (-1: none), NoC (1 or 2) with the
 * virtual channel above it, size in units of 32, posted. */
struct ttp_synth_marker ttp_synth_noc_pack(const struct ttp_synth_noc *e, uint64_t time)
{
    const bool multicast = e->type == SYNTH_NOC_WRITE_MULTICAST;
    const uint8_t byte[8] = {
        (uint8_t)e->type,
        e->has_to ? e->to.x : 0xff,
        e->has_to ? e->to.y : 0xff,
        multicast ? e->end.x : 0xff,
        multicast ? e->end.y : 0xff,
        (uint8_t)(e->noc + 1),
        (uint8_t)(e->bytes / 32),
        0,
    };
    uint64_t data = 0;

    for (size_t i = 0; i < TTP_COUNT(byte); i++)
        data |= (uint64_t)byte[i] << 8 * i;
    return (struct ttp_synth_marker){
        .time = time, .data = data, .id = SYNTH_ID_NOC, .type = SYNTH_TS_DATA};
}

struct ttp_synth_noc ttp_synth_noc_unpack(uint64_t data)
{
    return (struct ttp_synth_noc){
        .type = (enum ttp_synth_noc_type)(data & 0xff),
        .to = {(uint8_t)(data >> 8), (uint8_t)(data >> 16)},
        .end = {(uint8_t)(data >> 24), (uint8_t)(data >> 32)},
        .has_to = (data >> 8 & 0xff) != 0xff,
        .noc = (uint32_t)(data >> 40 & 15) - 1,
        .bytes = (uint32_t)(data >> 48 & 0xff) * 32,
    };
}

/* At most as many of each core; in a planted run so few that only a planted problem fills links. */
enum { MOST = 24, PLANTED = 2, USUAL_BYTES = 4096, CALL_CYCLES = 140 };

/* What one core moves of an op's tensors, in transfers that fit the event's size field. */
static uint32_t transfers(const struct ttp_synth_op *op, uint64_t bytes, uint32_t most)
{
    const uint64_t n = bytes / op->cores / USUAL_BYTES + 1;
    return n < most ? (uint32_t)n : most;
}

static bool is_in_dram(const struct ttp_synth_tensor *t)
{
    return t->w && strncmp(t->memory, "DRAM", 4) == 0;
}

/* The reader fetches the inputs, from DRAM or from other cores; the writer takes the result there.
 * In a matmul the first column of cores hands its input on to its row. */
static size_t add_op_traffic(struct ttp_synth_marker *out, const struct ttp_synth_plan *p,
                             const struct ttp_synth_device_exec *d, struct ttp_synth_thread thread,
                             const struct ttp_synth_span *span)
{
    const struct ttp_synth_op *op = d->call->op;
    const bool read = thread.risc == SYNTH_NCRISC;
    const bool dram =
        read ? is_in_dram(&op->in[0]) || is_in_dram(&op->in[1]) : is_in_dram(&op->out);
    const uint64_t bytes = read ? ttp_synth_tensor_bytes(&op->in[0]) +
                                      (op->in[1].w ? ttp_synth_tensor_bytes(&op->in[1]) : 0)
                                : ttp_synth_tensor_bytes(&op->out);
    const uint32_t n = transfers(op, bytes, p->side ? PLANTED : MOST);
    const uint64_t length = span->kernel_end - span->kernel_start;
    const uint32_t columns = p->chip.peaks.grid_x;
    const bool sends =
        read && thread.core->rank % columns == 0 && strncmp(op->code, "Matmul", 6) == 0;

    if (length < 2000)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t pick = thread.core->rank * 5 + i;
        const uint32_t other = (d->call->first_core + pick % op->cores) % p->opt.cores;
        struct ttp_synth_noc e = {
            .type = read ? SYNTH_NOC_READ : SYNTH_NOC_WRITE,
            .to = dram ? p->chip.dram[pick % p->chip.ndram]
                       : (struct ttp_synth_xy){p->chip.column[other % columns],
                                               p->chip.row[other / columns]},
            .has_to = true,
            .noc = read ? 0 : 1,
            .bytes = n == 1 ? 2048 : 4096,
        };
        if (sends && i % 4 == 3) {
            e.type = SYNTH_NOC_WRITE_MULTICAST;
            e.to = (struct ttp_synth_xy){p->chip.column[1 % columns], thread.core->at.y};
            e.end = (struct ttp_synth_xy){p->chip.column[columns - 1], thread.core->at.y};
        }
        if (op->crowded && read)
            e.to = (struct ttp_synth_xy){p->chip.column[0], p->chip.row[0]};
        const uint64_t after = op->crowded ? (uint64_t)CALL_CYCLES * i : (length - 600) * i / n;
        out[i] = ttp_synth_noc_pack(&e, span->kernel_start + 60 + after);
    }
    return n;
}

size_t ttp_synth_inner_markers(struct ttp_synth_marker out[TTP_SYNTH_MAX_MARKERS],
                               const struct ttp_synth_plan *p,
                               const struct ttp_synth_device_exec *d,
                               struct ttp_synth_thread thread, const struct ttp_synth_span *span)
{
    size_t n = 0;

    if (thread.core->eth)
        return 0;
    if (p->kernel)
        n = ttp_synth_kernel_markers(
            out, p->kernel, p, (struct ttp_synth_thread){thread.core, thread.risc},
            span->kernel_end - ttp_synth_kernel_end(p->kernel, thread.core, thread.risc));
    else if (p->opt.noc && (thread.risc == SYNTH_BRISC || thread.risc == SYNTH_NCRISC))
        n = add_op_traffic(out, p, d, (struct ttp_synth_thread){thread.core, thread.risc}, span);
    if (p->opt.counters && thread.risc == SYNTH_BRISC)
        n = ttp_synth_add_counters(out, n, p, d, thread.core, span);
    return n;
}
