/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - a limit in words: the evidence for it, and the op's ceiling. */
#include <math.h>

#include "base/quantity.h"
#include "base/sink.h"
#include "diagnosis/diagnosis.h"

/* What a traced op waits at most. */
#define DISPATCH_US 6.5

static void put_dram(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    const double pct = s->dram_pct;

    *c = (struct ttp_ceiling){"DRAM", s->dram_peak_gbs, "GB/s", pct, "peak of the board's DRAM"};
    if (s->one_noc_part > 0 && pct <= 100 * s->one_noc_part)
        c->cause = "one NoC reaches at most about 70 % of the DRAM peak here: use both, or place "
                   "readers next to their banks";
    if (s->dram_gbs > 0)
        ttp_sink_printf(out, "moves %.0f GB/s, %.0f %% of the DRAM peak", s->dram_gbs, pct);
    else
        ttp_sink_printf(out, "NoC traces show %.0f %% of the DRAM peak", pct);
}

static void put_flop(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    *c = (struct ttp_ceiling){"FLOP", s->flops_peak, "TFLOPs", s->flops_pct,
                              "peak of the cores used, at the op's math fidelity"};
    ttp_sink_printf(out, "computes at %.0f %% of %.1f TFLOPs", s->flops_pct, s->flops_peak);
}

static void put_link(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    *c = (struct ttp_ceiling){"Ethernet", s->link_peak_gbs, "GB/s", 0,
                              "one link, one direction; more links and a ring raise it"};
    ttp_sink_printf(out, "sends %.1f GB/s to other chips", s->link_gbs);
    if (s->link_peak_gbs > 0) {
        c->reached_pct = s->link_gbs / s->link_peak_gbs * 100;
        ttp_sink_printf(out, ", %.0f %% of one link", c->reached_pct);
    }
}

static void put_part(struct ttp_sink *out, const char *name, double part)
{
    if (part > 0)
        ttp_sink_printf(out, "%s%s %.0f %%", out->len ? ", " : "", name, part * 100);
}

static void put_kernels(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    const struct ttp_actor_time *compute = &s->actor[TTP_ACTOR_COMPUTE];

    put_part(out, "waits for input", compute->wait_in);
    put_part(out, "waits for free buffers", compute->wait_out);
    put_part(out, "BRISC", s->actor[TTP_ACTOR_BRISC].time);
    put_part(out, "NCRISC", s->actor[TTP_ACTOR_NCRISC].time);
    put_part(out, "TRISC1", compute->time);
    if (out->len)
        ttp_sink_put(out, TTP_STR(" of the kernel time"));
}

static void put_noc(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    *c = (struct ttp_ceiling){"NoC", 100, "%", s->noc_pct, "NoC links, as estimated"};
    if (s->has_noc)
        ttp_sink_printf(out, "the NoC is %.0f %% busy", s->noc_pct);
    if (s->congestion_pct > 0)
        ttp_sink_printf(out, "%scongestion costs %.0f %%", out->len ? ", " : "", s->congestion_pct);
    if (s->hot_link.len)
        ttp_sink_printf(out, "%sthe hottest link is %.*s", out->len ? ", " : "",
                        TTP_FMT(s->hot_link));
    if (out->len == 0) { /* no traces: judged by how long kernels ran */
        *c = (struct ttp_ceiling){"NoC", 0, "", 0,
                                  "reader and writer still run when compute is done: both wait "
                                  "for transfers and barriers"};
        put_kernels(out, s);
    }
}

/* An op that no ceiling explains is compared with the one it is nearest to. */
static void put_slow(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    const double dram = s->dram_pct, flop = s->flops_pct;

    if (dram > 0 && dram >= flop)
        put_dram(out, c, s);
    else if (flop > 0)
        put_flop(out, c, s);
    /* what is far from the peak may still be near what one NoC can do */
    if (!(dram >= flop && dram >= TTP_BOUND_PCT * s->one_noc_part && s->one_noc_part > 0))
        c->cause = "far from both: small transfers, latency, or work that the sizes do not show";
    if (out->len == 0)
        put_kernels(out, s);
}

/* The longest kernel among those that do that. */
static double part_of(const struct ttp_symptoms *s, enum ttp_moving does)
{
    double part = 0;

    for (size_t i = 0; i < TTP_MOVERS; i++)
        if (s->roles.does[i] & does)
            part = fmax(part, s->actor[i].time);
    return part;
}

/* The three kernels of an op: which of them the others wait for. */
static void put_roles(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s,
                      enum ttp_limit limit)
{
    static const struct {
        const char *name, *cause;
    } roles[] = {
        {"reader", "compute waits for the reader: small transfers, barriers, one NoC"},
        {"writer", "compute waits for free buffers: the writer is slow"},
        {"compute",
         "the math kernel is busy although its data is ready: fidelity, element-wise math"},
    };
    const size_t k = limit == TTP_LIMIT_READER ? 0 : limit == TTP_LIMIT_WRITER ? 1 : 2;
    const double part =
        k == 2 ? s->actor[TTP_ACTOR_COMPUTE].time : part_of(s, k == 0 ? TTP_READS : TTP_WRITES);

    *c = (struct ttp_ceiling){roles[k].name, s->time_us, "μs", part * 100, roles[k].cause};
    put_kernels(out, s);
}

static void put_imbalance(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    *c = (struct ttp_ceiling){"slowest core", s->time_us, "μs", 100 / s->imbalance,
                              "the op ends with its last core"};
    ttp_sink_printf(out, "the slowest core takes %.1f times the average", s->imbalance);
}

static void put_cores(struct ttp_sink *out, struct ttp_ceiling *c, const struct ttp_symptoms *s)
{
    *c = (struct ttp_ceiling){"cores", s->available_cores, "cores",
                              s->cores / s->available_cores * 100, "cores the op could have used"};
    ttp_sink_printf(out, "uses %.0f of %.0f cores", s->cores, s->available_cores);
}

ttp_str ttp_diagnosis_limit_evidence(struct ttp_ceiling *ceiling, const struct ttp_symptoms *s,
                                     enum ttp_limit limit, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    *ceiling = (struct ttp_ceiling){0};
    switch (limit) {
    case TTP_LIMIT_HOST:
        *ceiling = (struct ttp_ceiling){"host", 0, "", 0, "the device waits for the host"};
        ttp_sink_put(&out, TTP_STR("runs on the host"));
        break;
    case TTP_LIMIT_GAP:
        ttp_sink_printf(&out, "the device is idle for %.*s before %.*s of work",
                        TTP_FMT(ttp_time_us_text(s->gap_us, arena)),
                        TTP_FMT(ttp_time_us_text(s->time_us, arena)));
        *ceiling = (struct ttp_ceiling){"dispatch", DISPATCH_US, "μs", 0,
                                        "the longest wait of a traced op"};
        break;
    case TTP_LIMIT_BOTH:
    case TTP_LIMIT_FLOP:
        put_flop(&out, ceiling, s);
        if (limit == TTP_LIMIT_BOTH)
            ttp_sink_printf(&out, " and moves %.0f %% of the DRAM peak", s->dram_pct);
        break;
    case TTP_LIMIT_DRAM:
        put_dram(&out, ceiling, s);
        break;
    case TTP_LIMIT_LINK:
        put_link(&out, ceiling, s);
        break;
    case TTP_LIMIT_NOC:
        put_noc(&out, ceiling, s);
        break;
    case TTP_LIMIT_CORES:
        put_cores(&out, ceiling, s);
        break;
    case TTP_LIMIT_IMBALANCE:
        put_imbalance(&out, ceiling, s);
        break;
    case TTP_LIMIT_PADDING:
        *ceiling = (struct ttp_ceiling){"tiles", 100, "%", s->fill_pct,
                                        "whole tiles are moved and computed, including padding"};
        ttp_sink_printf(&out, "%.0f %% of its data is padding", 100 - s->fill_pct);
        break;
    case TTP_LIMIT_READER:
    case TTP_LIMIT_WRITER:
    case TTP_LIMIT_COMPUTE:
        put_roles(&out, ceiling, s, limit);
        break;
    case TTP_LIMIT_SLOW:
        put_slow(&out, ceiling, s);
        break;
    default:
        break;
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_ceiling_text(const struct ttp_ceiling *c, struct ttp_arena *arena)
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
