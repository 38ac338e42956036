/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.c - the ceilings of a chip, and the position of ops below them. */
#include <math.h>

#include "analysis/analysis.h"

enum { NO_ROOF = TTP_ROOFS_MAX };

struct builder {
    struct ttp_roofline *out;
    const struct ttp_report *report;
    uint8_t compute[TTP_FIDELITIES], dram, one_noc, l1;
};

static uint8_t add_roof(struct ttp_roofline *r, const struct ttp_roof *roof)
{
    if (!(roof->peak > 0))
        return NO_ROOF;
    r->roof[r->roofs] = *roof;
    return (uint8_t)r->roofs++;
}

/* GB/s that all workers together can take from the NoC into their L1; 0: unknown. */
static double into_l1_gbs(const struct ttp_report *report)
{
    const struct ttp_boards *boards = report->boards ? report->boards : ttp_boards_builtin();
    const char *name = report->arch->board;
    const struct ttp_board *b = name ? ttp_board_find(boards, ttp_str_from(name)) : NULL;
    const struct ttp_noc_grid *grid = b ? ttp_device_noc_grid(ttp_str_from(b->chip)) : NULL;
    const struct ttp_noc_model *model =
        grid ? ttp_device_noc_model(ttp_str_from(grid->arch)) : NULL;
    double mhz;

    if (!model || !ttp_board_fact(b, TTP_FACT_AICLK_MAX_MHZ, &mhz))
        return 0;
    return (double)model->absorb[TTP_CORE_WORKER] * mhz / 1e3 * (double)report->worker_cores;
}

static void add_roofs(struct builder *b)
{
    static const char *const fidelity[TTP_FIDELITIES] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    static const char *const passes[TTP_FIDELITIES] = {
        "all cores, one pass per product", "all cores, two passes per product",
        "all cores, three passes per product", "all cores, four passes per product"};
    const struct ttp_arch *arch = b->report->arch;

    for (size_t f = 0; f < TTP_FIDELITIES; f++)
        b->compute[f] = add_roof(
            b->out, &(struct ttp_roof){fidelity[f], false,
                                       arch->tflops_per_core[f] * (double)b->report->worker_cores,
                                       passes[f], 0});
    b->dram = add_roof(
        b->out, &(struct ttp_roof){"DRAM", true, arch->dram_gbs, "peak of the board's DRAM", 0});
    b->one_noc =
        add_roof(b->out, &(struct ttp_roof){"one NoC", true, arch->dram_gbs * arch->one_noc_part,
                                            "scattered DRAM readers on one of two NoCs", 0});
    b->l1 = add_roof(b->out, &(struct ttp_roof){"NoC to L1", true, into_l1_gbs(b->report),
                                                "combined NoC rate of all cores", 0});
}

/* Bytes of its tensors in L1; all of them where the file does not say what it moves of DRAM. */
static double l1_bytes(const struct ttp_report *report, const struct ttp_op *op, bool all)
{
    struct ttp_tensor_size size;
    double bytes = 0;

    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++) {
        if (ttp_analysis_tensor(&size, report, op, (enum ttp_which_tensor)t))
            bytes += all || !size.in_dram ? size.bytes : 0;
        else if (t == TTP_TENSOR_IN0 || t == TTP_TENSOR_OUT)
            return 0;
    }
    return bytes;
}

/* The memory that takes longer to move what the op moves of it. */
static uint8_t memory_of(double *bytes, const struct builder *b, const struct ttp_op *op)
{
    const double dram = op->has & TTP_HAS_DRAM ? op->dram_bytes : 0;
    const double l1 = l1_bytes(b->report, op, !(dram > 0));
    const struct ttp_roof *roof = b->out->roof;
    const bool from_l1 = b->l1 != NO_ROOF &&
                         (b->dram == NO_ROOF || l1 / roof[b->l1].peak > dram / roof[b->dram].peak);

    *bytes = from_l1 || !(dram > 0) ? l1 : dram;
    return from_l1 ? b->l1 : b->dram;
}

static bool place(struct ttp_roof_point *p, const struct builder *b, size_t row)
{
    const struct ttp_op *op = &b->report->op[row];
    enum ttp_fidelity fidelity;
    double bytes;

    const uint8_t memory = memory_of(&bytes, b, op);
    if (!(op->has & TTP_HAS_FLOPS) || !(op->tflops > 0) || !isfinite(op->tflops) || !(bytes > 0) ||
        memory == NO_ROOF)
        return false;
    /* where the file does not say: nothing is faster than that */
    if (!ttp_device_find_fidelity(ttp_analysis_text(b->report, op, TTP_OPS_FIDELITY), &fidelity))
        fidelity = TTP_FIDELITY_LOFI;
    *p = (struct ttp_roof_point){.op = row,
                                 .intensity = op->tflops * 1e6 * op->time_us / bytes,
                                 .tflops = op->tflops,
                                 .gbs = bytes / (op->time_us * 1e3),
                                 .compute = b->compute[fidelity],
                                 .memory = memory};
    const double work = b->out->roof[p->compute].peak;
    const double moved = b->out->roof[p->memory].peak * p->intensity / 1e3;
    p->held_by = moved < work ? p->memory : p->compute;
    p->roof_tflops = fmin(moved, work);
    p->reached_pct = p->tflops / p->roof_tflops * 100;
    return true;
}

void ttp_analysis_roofline(struct ttp_roofline *out, const struct ttp_report *report,
                           const size_t *row, size_t rows, struct ttp_arena *arena)
{
    struct builder b = {.out = out, .report = report};

    *out = (struct ttp_roofline){.point = TTP_NEW(arena, struct ttp_roof_point, rows)};
    add_roofs(&b);
    for (size_t i = 0; i < rows; i++) {
        const struct ttp_op *op = &report->op[row[i]];
        struct ttp_roof_point *p = &out->point[out->points];
        if (op->kind != TTP_OP_DEVICE || !(op->has & TTP_HAS_TIME) || !(op->time_us > 0))
            continue;
        if (place(p, &b, row[i])) {
            out->points++;
            out->time_us += op->time_us;
            out->roof[p->compute].ops++;
            out->roof[p->memory].ops++;
            if (p->memory == b.dram && b.one_noc != NO_ROOF)
                out->roof[b.one_noc].ops++;
        } else if (op->analysed == TTP_ANALYSED_BYTES) {
            out->moving++;
            out->moving_us += op->time_us;
        } else {
            out->unknown++;
            out->unknown_us += op->time_us;
        }
    }
}
