/* SPDX-License-Identifier: Apache-2.0 */
/* rules_kernel.c - the three targets of custom kernels: cores, DRAM traffic, block size. Rows
 * of the report give some evidence for each; zones and NoC traces of the kernel give more. */
#include <math.h>

#include "advice/plan_rules.h"

/* Traffic above this multiple of the tensors is moved twice; less is rounding. */
#define MUCH_TRAFFIC 1.1
/* Transfers of at least that many bytes are not too small. */
#define LARGE_TRANSFER 8160

static bool is_own(const struct ttp_plan_run *run, size_t op)
{
    const struct ttp_op *at = &run->report->op[op];

    return (run->is[op] & TTP_IS_OWN) && (at->has & TTP_HAS_TIME) && at->time_us > 0;
}

/* What the tensors of a kernel take at the peak of the DRAM: no kernel is faster. 0: unknown. */
static double dram_floor_us(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_kernel_program *kernel = run->kernel[i];
    const double peak_gbs = run->report->arch->dram_gbs;
    double bytes = kernel ? (double)kernel->targets.ideal_bytes : 0;
    const unsigned tensors = bytes > 0 ? 0 : TTP_WHICH_TENSORS;

    for (unsigned t = 0; t < tensors; t++) {
        struct ttp_tensor_size size;
        if (ttp_analysis_tensor(&size, run->report, &run->report->op[i],
                                (enum ttp_which_tensor)t) &&
            size.in_dram)
            bytes += size.bytes;
    }
    return peak_gbs > 0 ? bytes / peak_gbs / 1e3 : 0;
}

/* A gain that leaves the kernel at least the time of its transfers. */
static double above_floor(const struct ttp_plan_run *run, size_t i, double gain_us)
{
    const double most = run->report->op[i].time_us - dram_floor_us(run, i);

    return most > 0 ? fmin(gain_us, most) : TTP_RULE_NO;
}

/* Of a device log alone, whose programs have no names: a library's program may use few cores on
 * purpose, for example one per DRAM bank, and the user cannot change its blocks. */
bool ttp_kernel_is_nameless(const struct ttp_plan_run *run, size_t i)
{
    return ttp_str_starts(ttp_sym_name(run->report->syms, run->report->op[i].raw_code),
                          TTP_STR(TTP_PROGRAM_OP " on "));
}

double ttp_gain_kernel_cores(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_op *op = &run->report->op[i];
    double cores;

    if (!is_own(run, i) || ttp_kernel_is_nameless(run, i) || !ttp_cell_f64(op->cores, &cores) ||
        !(op->has & TTP_HAS_AVAILABLE) || cores >= (double)op->available_cores)
        return TTP_RULE_NO;
    return above_floor(run, i, op->time_us * (1 - cores / (double)op->available_cores));
}

/* Part of an op's time that goes with one of its tensors, by bytes. */
static double share_of(const struct ttp_plan_run *run, size_t op, enum ttp_which_tensor which)
{
    struct ttp_tensor_size size;
    double all = 0, one = 0;

    for (unsigned t = 0; t < TTP_WHICH_TENSORS; t++)
        if (ttp_analysis_tensor(&size, run->report, &run->report->op[op],
                                (enum ttp_which_tensor)t) &&
            size.in_dram) {
            all += size.bytes;
            one += t == which ? size.bytes : 0;
        }
    return all > 0 ? one / all : 0;
}

/* Kernels that move more than their tensors, and kernels in a row that hand results to each other
 * through DRAM. */
double ttp_gain_kernel_traffic(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_kernel_program *kernel = is_own(run, i) ? run->kernel[i] : NULL;
    const struct ttp_op *op = &run->report->op[i];
    double gain = TTP_RULE_NO;

    if (!is_own(run, i))
        return TTP_RULE_NO;
    if (kernel && kernel->targets.ideal_bytes &&
        (double)kernel->targets.dram_bytes > MUCH_TRAFFIC * (double)kernel->targets.ideal_bytes &&
        kernel->verdict.thread != TTP_LIMIT_COMPUTE)
        gain = op->time_us *
               (1 - (double)kernel->targets.ideal_bytes / (double)kernel->targets.dram_bytes);
    if (i + 1 < run->report->count && is_own(run, i + 1)) {
        const double out = share_of(run, i, TTP_TENSOR_OUT);
        const double in = share_of(run, i + 1, TTP_TENSOR_IN0);
        if (out > 0 && in > 0)
            gain = fmax(gain, op->time_us * out + run->report->op[i + 1].time_us * in);
    }
    return gain;
}

/* Share of the time that compute waits for its reader or writer; 0: none or unknown. */
static double waiting(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_kernel_program *kernel = run->kernel[i];
    const struct ttp_op *op = &run->report->op[i];
    struct ttp_symptoms s;

    if (kernel && (kernel->verdict.thread == TTP_LIMIT_READER ||
                   kernel->verdict.thread == TTP_LIMIT_WRITER)) {
        const struct ttp_role_time *compute = &kernel->verdict.role[TTP_ROLE_COMPUTE];
        const double part = compute->known ? fmin(compute->wait_in + compute->wait_out, 1) : 0;

        /* the next thread limits the kernel then, which `kernel` takes into account */
        return kernel->verdict.gain > 1 ? fmin(part, 1 - 1 / kernel->verdict.gain) : part;
    }
    if (op->limit != TTP_LIMIT_READER && op->limit != TTP_LIMIT_WRITER)
        return 0;
    ttp_analysis_symptoms(&s, run->report, op);
    return op->limit == TTP_LIMIT_READER ? s.actor[TTP_ACTOR_COMPUTE].wait_in
                                         : s.actor[TTP_ACTOR_COMPUTE].wait_out;
}

static bool has_large_transfers(const struct ttp_traffic *t)
{
    uint64_t count = 0, bytes = 0;

    for (unsigned e = 0; e < TTP_TRAFFIC_ENDS; e++) {
        count += t->read[e].count + t->write[e].count;
        bytes += t->read[e].bytes + t->write[e].bytes;
    }
    return count && bytes / count >= LARGE_TRANSFER;
}

double ttp_gain_kernel_blocks(const struct ttp_plan_run *run, size_t i)
{
    const struct ttp_kernel_program *kernel = is_own(run, i) ? run->kernel[i] : NULL;
    const struct ttp_op *op = &run->report->op[i];

    if (!is_own(run, i) || ttp_kernel_is_nameless(run, i) ||
        (kernel && kernel->traffic && has_large_transfers(kernel->traffic)))
        return TTP_RULE_NO;
    const double part = waiting(run, i);
    if (part > 0)
        return above_floor(run, i, op->time_us * part);
    return !kernel && (op->limit == TTP_LIMIT_READER || op->limit == TTP_LIMIT_WRITER)
               ? 0
               : TTP_RULE_NO;
}
