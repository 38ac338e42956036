/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - the bottleneck of an op, and the evidence for it. */
#include <math.h>
#include <stdio.h>

#include "analysis/stages.h"
#include "base/sink.h"

/* Thresholds. Of a peak: as bounds have it (tt-perf-report). The others are ours: what is below
 * costs less than half of the op's time. */
#define BOUND_PCT      65.0
#define NOC_PCT        65.0
#define CONGESTION_PCT 20.0
#define FEW_CORES      0.5  /* of those available */
#define IMBALANCE      1.5  /* slowest core over the average */
#define MOST_PADDING   50.0 /* percent filled */
#define WAITING        0.3  /* of the kernel time */
#define DOMINANT       1.15 /* one kind of kernel over the others */
#define STALLED        2.0  /* both kernels that move data over the one that computes */
#define DISPATCH_US    6.5  /* a gap that tracing would hide (tt-perf-report) */

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

const char *ttp_analysis_limit_name(enum ttp_limit limit)
{
    return names[limit];
}

ttp_str ttp_analysis_text(const struct ttp_report *report, const struct ttp_op *op,
                          enum ttp_ops_text column)
{
    return ttp_sym_name(report->syms, ttp_ops_sym(report->ops, column, op->row));
}

bool ttp_analysis_cell(const struct ttp_report *report, const struct ttp_op *op,
                       enum ttp_ops_number column, double *out)
{
    return ttp_cell_f64(ttp_ops_cell(report->ops, column, op->row), out) && isfinite(*out);
}

/* As a part of the kernel time; 0: not known. */
static double part_of_time(const struct ttp_report *report, const struct ttp_op *op,
                           enum ttp_ops_number column)
{
    double ns;

    return op->time_us > 0 && ttp_analysis_cell(report, op, column, &ns) ? ns / (op->time_us * 1e3)
                                                                         : 0;
}

static bool cores_of(const struct ttp_op *op, double *cores)
{
    return ttp_cell_f64(op->cores, cores) && (op->has & TTP_HAS_AVAILABLE) &&
           op->available_cores > 0;
}

static double imbalance_of(const struct ttp_report *report, const struct ttp_op *op)
{
    double max, avg;

    return ttp_analysis_cell(report, op, TTP_OPS_CORE_MAX_NS, &max) &&
                   ttp_analysis_cell(report, op, TTP_OPS_CORE_AVG_NS, &avg) && avg > 0
               ? max / avg
               : 1;
}

static bool is_matmul(const struct ttp_report *report, const struct ttp_op *op)
{
    return ttp_str_has(ttp_sym_name(report->syms, op->raw_code), TTP_STR("Matmul"));
}

/* Which of reader, compute and writer the others wait for: buffers say it best; else the kernel
 * that runs clearly longer than the rest. NCRISC reads and BRISC writes, unless sources say
 * otherwise (kernel/verdict.c sees those); in a matmul NCRISC reads input 0, BRISC reads input 1
 * and writes. */
static enum ttp_limit kernel_limit(const struct ttp_report *report, const struct ttp_op *op)
{
    const double wait = part_of_time(report, op, TTP_OPS_CB_WAIT_NS);
    const double reserve = part_of_time(report, op, TTP_OPS_CB_RESERVE_NS);
    const double reader = part_of_time(report, op, TTP_OPS_NCRISC_NS);
    const double writer = part_of_time(report, op, TTP_OPS_BRISC_NS);
    const double math = part_of_time(report, op, TTP_OPS_TRISC1_NS);

    if (wait >= WAITING || reserve >= WAITING)
        return wait >= reserve ? TTP_LIMIT_READER : TTP_LIMIT_WRITER;
    if (math > 0 && math > DOMINANT * fmax(reader, writer))
        return TTP_LIMIT_COMPUTE;
    if (math > 0 && fmin(reader, writer) > STALLED * math)
        return TTP_LIMIT_NOC;
    if (reader > DOMINANT * fmax(writer, math))
        return TTP_LIMIT_READER;
    if (writer > DOMINANT * fmax(reader, math)) /* in a matmul it reads input 1, then writes */
        return is_matmul(report, op) ? TTP_LIMIT_READER : TTP_LIMIT_WRITER;
    return TTP_LIMIT_SLOW;
}

static bool noc_bound(const struct ttp_report *report, const struct ttp_op *op)
{
    double v;

    return (ttp_analysis_cell(report, op, TTP_OPS_NOC_UTIL, &v) && v >= NOC_PCT) ||
           (ttp_analysis_cell(report, op, TTP_OPS_CONGESTION, &v) && v >= CONGESTION_PCT);
}

/* Of the DRAM peak: from sizes and time, else as NoC traces of the run show it; 0: not known. */
static double dram_reached(const struct ttp_report *report, const struct ttp_op *op)
{
    double pct;

    if (op->has & TTP_HAS_DRAM_PCT)
        return op->dram_pct;
    return ttp_analysis_cell(report, op, TTP_OPS_DRAM_UTIL, &pct) ? pct : 0;
}

static enum ttp_limit roof_of(const struct ttp_report *report, const struct ttp_op *op)
{
    const double moved = dram_reached(report, op);
    const bool dram = moved >= BOUND_PCT && moved <= 100; /* more cannot be true */
    const bool flop =
        (op->has & TTP_HAS_FLOPS_PCT) && op->flops_pct >= BOUND_PCT && op->flops_pct <= 100;

    return dram && flop ? TTP_LIMIT_BOTH
           : dram       ? TTP_LIMIT_DRAM
           : flop       ? TTP_LIMIT_FLOP
                        : TTP_LIMIT_NONE;
}

static enum ttp_limit limit_of(const struct ttp_report *report, const struct ttp_op *op)
{
    double cores;

    if (op->kind == TTP_OP_HOST)
        return TTP_LIMIT_HOST;
    if (op->kind == TTP_OP_SIGNPOST || !(op->has & TTP_HAS_TIME) || !(op->time_us > 0))
        return TTP_LIMIT_NONE;
    const enum ttp_limit roof = roof_of(report, op);
    if (roof != TTP_LIMIT_NONE)
        return roof;
    if (op->has & TTP_HAS_LINK)
        return TTP_LIMIT_LINK;
    if (noc_bound(report, op))
        return TTP_LIMIT_NOC;
    if (cores_of(op, &cores) && !(op->has & TTP_DRAM_SHARDED) &&
        cores < FEW_CORES * (double)op->available_cores)
        return TTP_LIMIT_CORES;
    if (imbalance_of(report, op) >= IMBALANCE)
        return TTP_LIMIT_IMBALANCE;
    if ((op->has & TTP_HAS_FILL) && op->fill_pct <= MOST_PADDING)
        return TTP_LIMIT_PADDING;
    const enum ttp_limit kernel = kernel_limit(report, op);
    return kernel == TTP_LIMIT_SLOW && (op->has & TTP_HAS_GAP) && op->gap_us > DISPATCH_US &&
                   op->gap_us > op->time_us
               ? TTP_LIMIT_GAP
               : kernel;
}

void ttp_stage_limits(struct ttp_stage *s)
{
    for (size_t i = 0; i < s->report->count; i++)
        s->report->op[i].limit = (uint8_t)limit_of(s->report, &s->report->op[i]);
}

/* ---- in words ---- */

static void put_dram(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                     const struct ttp_op *op)
{
    const double pct = dram_reached(r, op);

    *c = (struct ttp_ceiling){"DRAM", r->arch->dram_gbs, "GB/s", pct, "peak of the board's DRAM"};
    if (r->arch->one_noc_part > 0 && pct <= 100 * r->arch->one_noc_part)
        c->cause = "one NoC reaches at most about 70 % of the DRAM peak here: use both, or place "
                   "readers next to their banks";
    if (op->has & TTP_HAS_DRAM_PCT)
        ttp_sink_printf(out, "moves %.0f GB/s, %.0f %% of the DRAM peak", op->dram_gbs, pct);
    else
        ttp_sink_printf(out, "NoC traces show %.0f %% of the DRAM peak", pct);
}

static void put_flop(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_op *op)
{
    const double peak = op->flops_pct > 0 ? op->tflops / op->flops_pct * 100 : 0;

    *c = (struct ttp_ceiling){"FLOP", peak, "TFLOPs", op->flops_pct,
                              "peak of the cores used, at the op's math fidelity"};
    ttp_sink_printf(out, "computes at %.0f %% of %.1f TFLOPs", op->flops_pct, peak);
}

static void put_link(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                     const struct ttp_op *op)
{
    *c = (struct ttp_ceiling){"Ethernet", r->arch->link_gbs, "GB/s", 0,
                              "one link, one direction; more links and a ring raise it"};
    ttp_sink_printf(out, "sends %.1f GB/s to other chips", op->link_gbs);
    if (r->arch->link_gbs > 0) {
        c->reached_pct = op->link_gbs / r->arch->link_gbs * 100;
        ttp_sink_printf(out, ", %.0f %% of one link", c->reached_pct);
    }
}

static void put_kernels(struct ttp_sink *out, const struct ttp_report *r, const struct ttp_op *op)
{
    static const struct {
        const char *name;
        enum ttp_ops_number column;
    } part[] = {{"waits for input", TTP_OPS_CB_WAIT_NS},
                {"waits for free buffers", TTP_OPS_CB_RESERVE_NS},
                {"BRISC", TTP_OPS_BRISC_NS},
                {"NCRISC", TTP_OPS_NCRISC_NS},
                {"TRISC1", TTP_OPS_TRISC1_NS}};

    for (size_t i = 0; i < TTP_COUNT(part); i++) {
        const double share = part_of_time(r, op, part[i].column);
        if (share > 0)
            ttp_sink_printf(out, "%s%s %.0f %%", out->len ? ", " : "", part[i].name, share * 100);
    }
    if (out->len)
        ttp_sink_put(out, TTP_STR(" of the kernel time"));
}

static void put_noc(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                    const struct ttp_op *op)
{
    double util = 0, impact = 0;

    const bool known = ttp_analysis_cell(r, op, TTP_OPS_NOC_UTIL, &util);
    *c = (struct ttp_ceiling){"NoC", 100, "%", util, "NoC links, as estimated"};
    if (known)
        ttp_sink_printf(out, "the NoC is %.0f %% busy", util);
    if (ttp_analysis_cell(r, op, TTP_OPS_CONGESTION, &impact))
        ttp_sink_printf(out, "%scongestion costs %.0f %%", out->len ? ", " : "", impact);
    const ttp_str link = ttp_analysis_text(r, op, TTP_OPS_HOT_LINK);
    if (link.len)
        ttp_sink_printf(out, "%sthe hottest link is %.*s", out->len ? ", " : "", TTP_FMT(link));
    if (out->len == 0) { /* no traces: judged by how long kernels ran */
        *c = (struct ttp_ceiling){"NoC", 0, "", 0,
                                  "reader and writer still run when compute is done: both wait "
                                  "for transfers and barriers"};
        put_kernels(out, r, op);
    }
}

/* An op that no ceiling explains is compared with the one it is nearest to. */
static void put_slow(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                     const struct ttp_op *op)
{
    const double dram = dram_reached(r, op), flop = op->has & TTP_HAS_FLOPS_PCT ? op->flops_pct : 0;

    if (dram > 0 && dram >= flop)
        put_dram(out, c, r, op);
    else if (flop > 0)
        put_flop(out, c, op);
    /* what is far from the peak may still be near what one NoC can do */
    if (!(dram >= flop && dram >= BOUND_PCT * r->arch->one_noc_part && r->arch->one_noc_part > 0))
        c->cause = "far from both: small transfers, latency, or work that the sizes do not show";
    if (out->len == 0)
        put_kernels(out, r, op);
}

/* The three kernels of an op: which of them the others wait for. */
static void put_roles(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                      const struct ttp_op *op)
{
    static const struct {
        const char *name, *cause;
        enum ttp_ops_number column;
    } roles[] = {
        {"reader", "compute waits for the reader: small transfers, barriers, one NoC",
         TTP_OPS_NCRISC_NS},
        {"writer", "compute waits for free buffers: the writer is slow", TTP_OPS_BRISC_NS},
        {"compute",
         "the math kernel is busy although its data is ready: fidelity, element-wise math",
         TTP_OPS_TRISC1_NS},
    };
    const size_t k = op->limit == TTP_LIMIT_READER ? 0 : op->limit == TTP_LIMIT_WRITER ? 1 : 2;
    double part = part_of_time(r, op, roles[k].column);

    if (k == 0 && is_matmul(r, op)) /* both bring input */
        part = fmax(part, part_of_time(r, op, TTP_OPS_BRISC_NS));
    *c = (struct ttp_ceiling){roles[k].name, op->time_us, "μs", part * 100, roles[k].cause};
    put_kernels(out, r, op);
}

static void put_imbalance(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_report *r,
                          const struct ttp_op *op)
{
    const double times = imbalance_of(r, op);

    *c = (struct ttp_ceiling){"slowest core", op->time_us, "μs", 100 / times,
                              "the op ends with its last core"};
    ttp_sink_printf(out, "the slowest core takes %.1f times the average", times);
}

static void put_cores(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_op *op)
{
    double cores = 0;

    (void)ttp_cell_f64(op->cores, &cores);
    *c = (struct ttp_ceiling){"cores", (double)op->available_cores, "cores",
                              cores / (double)op->available_cores * 100,
                              "cores the op could have used"};
    ttp_sink_printf(out, "uses %.0f of %lld cores", cores, (long long)op->available_cores);
}

ttp_str ttp_analysis_limit_text(struct ttp_ceiling *ceiling, const struct ttp_report *report,
                                const struct ttp_op *op, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    *ceiling = (struct ttp_ceiling){0};
    switch (op->limit) {
    case TTP_LIMIT_HOST:
        *ceiling = (struct ttp_ceiling){"host", 0, "", 0, "the device waits for the host"};
        ttp_sink_put(&out, TTP_STR("runs on the host"));
        break;
    case TTP_LIMIT_GAP:
        ttp_sink_printf(&out, "the device is idle for %.1f μs before %.1f μs of work", op->gap_us,
                        op->time_us);
        *ceiling = (struct ttp_ceiling){"dispatch", DISPATCH_US, "μs", 0,
                                        "the longest wait of a traced op"};
        break;
    case TTP_LIMIT_BOTH:
    case TTP_LIMIT_FLOP:
        put_flop(&out, ceiling, op);
        if (op->limit == TTP_LIMIT_BOTH)
            ttp_sink_printf(&out, " and moves %.0f %% of the DRAM peak", dram_reached(report, op));
        break;
    case TTP_LIMIT_DRAM:
        put_dram(&out, ceiling, report, op);
        break;
    case TTP_LIMIT_LINK:
        put_link(&out, ceiling, report, op);
        break;
    case TTP_LIMIT_NOC:
        put_noc(&out, ceiling, report, op);
        break;
    case TTP_LIMIT_CORES:
        put_cores(&out, ceiling, op);
        break;
    case TTP_LIMIT_IMBALANCE:
        put_imbalance(&out, ceiling, report, op);
        break;
    case TTP_LIMIT_PADDING:
        *ceiling = (struct ttp_ceiling){"tiles", 100, "%", op->fill_pct,
                                        "whole tiles are moved and computed, including padding"};
        ttp_sink_printf(&out, "%.0f %% of its data is padding", 100 - op->fill_pct);
        break;
    case TTP_LIMIT_READER:
    case TTP_LIMIT_WRITER:
    case TTP_LIMIT_COMPUTE:
        put_roles(&out, ceiling, report, op);
        break;
    case TTP_LIMIT_SLOW:
        put_slow(&out, ceiling, report, op);
        break;
    default:
        break;
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_analysis_ceiling_text(const struct ttp_ceiling *c, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (c->name)
        ttp_sink_put(&out, ttp_str_from(c->name));
    if (c->name && c->peak > 0)
        ttp_sink_printf(&out, " %.4g %s", c->peak, c->unit);
    if (c->name && c->reached_pct > 0)
        ttp_sink_printf(&out, ", %.0f %% reached", c->reached_pct);
    if (c->cause)
        ttp_sink_printf(&out, "%s%s", out.len ? ": " : "", c->cause);
    return ttp_sink_text(&out);
}
