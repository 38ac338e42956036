/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - a limit in words: the evidence for it, and the op's ceiling. */
#include <math.h>

#include "base/quantity.h"
#include "base/sink.h"
#include "diagnosis/diagnosis.h"

/* What a traced op waits at most. */
#define DISPATCH_US 6.5

/* ---- ceilings ---- */

static struct ttp_ceiling dram_ceiling(const struct ttp_symptoms *s)
{
    struct ttp_ceiling c = {"DRAM", s->dram_peak_gbs, "GB/s", s->dram_pct,
                            "peak of the board's DRAM"};

    if (s->one_noc_part > 0 && s->dram_pct <= 100 * s->one_noc_part)
        c.cause = "one NoC reaches at most about 70 % of the DRAM peak here: use both, or place "
                  "readers next to their banks";
    return c;
}

static struct ttp_ceiling flop_ceiling(const struct ttp_symptoms *s)
{
    return (struct ttp_ceiling){"FLOP", s->flops_peak, "TFLOPs", s->flops_pct,
                                "peak of the cores used, at the op's math fidelity"};
}

static double link_pct(const struct ttp_symptoms *s)
{
    return s->link_peak_gbs > 0 ? s->link_gbs / s->link_peak_gbs * 100 : 0;
}

/* Do traces cover the NoC? If not, it is judged by how long kernels ran. */
static bool is_noc_traced(const struct ttp_symptoms *s)
{
    return s->has_noc || s->congestion_pct > 0 || s->hot_link.len;
}

static struct ttp_ceiling noc_ceiling(const struct ttp_symptoms *s)
{
    if (is_noc_traced(s))
        return (struct ttp_ceiling){"NoC", 100, "%", s->noc_pct, "NoC links, as estimated"};
    return (struct ttp_ceiling){"NoC", 0, "", 0,
                                "reader and writer still run when compute is done: both wait "
                                "for transfers and barriers"};
}

/* An op that no ceiling explains is compared with the one it is nearest to. */
static struct ttp_ceiling slow_ceiling(const struct ttp_symptoms *s)
{
    const double dram = s->dram_pct, flop = s->flops_pct;
    struct ttp_ceiling c = {0};

    if (dram > 0 && dram >= flop)
        c = dram_ceiling(s);
    else if (flop > 0)
        c = flop_ceiling(s);
    /* what is far from the peak may still be near what one NoC can do */
    if (!(dram >= flop && dram >= TTP_BOUND_PCT * s->one_noc_part && s->one_noc_part > 0))
        c.cause = "far from both: small transfers, latency, or work that the sizes do not show";
    return c;
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
static struct ttp_ceiling role_ceiling(const struct ttp_symptoms *s, enum ttp_limit limit)
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

    return (struct ttp_ceiling){roles[k].name, s->time_us, "μs", part * 100, roles[k].cause};
}

struct ttp_ceiling ttp_diagnosis_ceiling(const struct ttp_symptoms *s, enum ttp_limit limit)
{
    switch (limit) {
    case TTP_LIMIT_HOST:
        return (struct ttp_ceiling){"host", 0, "", 0, "the device waits for the host"};
    case TTP_LIMIT_GAP:
        return (struct ttp_ceiling){"dispatch", DISPATCH_US, "μs", 0,
                                    "the longest wait of a traced op"};
    case TTP_LIMIT_BOTH:
    case TTP_LIMIT_FLOP:
        return flop_ceiling(s);
    case TTP_LIMIT_DRAM:
        return dram_ceiling(s);
    case TTP_LIMIT_LINK:
        return (struct ttp_ceiling){"Ethernet", s->link_peak_gbs, "GB/s", link_pct(s),
                                    "one link, one direction; more links and a ring raise it"};
    case TTP_LIMIT_NOC:
        return noc_ceiling(s);
    case TTP_LIMIT_CORES:
        return (struct ttp_ceiling){"cores", s->available_cores, "cores",
                                    s->cores / s->available_cores * 100,
                                    "cores the op could have used"};
    case TTP_LIMIT_IMBALANCE:
        return (struct ttp_ceiling){"slowest core", s->time_us, "μs", 100 / s->imbalance,
                                    "the op ends with its last core"};
    case TTP_LIMIT_PADDING:
        return (struct ttp_ceiling){"tiles", 100, "%", s->fill_pct,
                                    "whole tiles are moved and computed, including padding"};
    case TTP_LIMIT_READER:
    case TTP_LIMIT_WRITER:
    case TTP_LIMIT_COMPUTE:
        return role_ceiling(s, limit);
    case TTP_LIMIT_SLOW:
        return slow_ceiling(s);
    default:
        return (struct ttp_ceiling){0};
    }
}

/* ---- evidence ---- */

static void put_dram(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    if (s->dram_gbs > 0)
        ttp_sink_printf(out, "moves %.0f GB/s, %.0f %% of the DRAM peak", s->dram_gbs, s->dram_pct);
    else
        ttp_sink_printf(out, "NoC traces show %.0f %% of the DRAM peak", s->dram_pct);
}

static void put_flop(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    ttp_sink_printf(out, "computes at %.0f %% of %.1f TFLOPs", s->flops_pct, s->flops_peak);
}

static void put_link(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    ttp_sink_printf(out, "sends %.1f GB/s to other chips", s->link_gbs);
    if (s->link_peak_gbs > 0)
        ttp_sink_printf(out, ", %.0f %% of one link", link_pct(s));
}

/* Digits are not formatted by the C library, because a table has up to five of these per op. */
static void put_part(struct ttp_sink *out, const char *name, double part)
{
    if (!(part > 0))
        return;
    if (out->len)
        ttp_sink_put(out, TTP_STR(", "));
    ttp_sink_put(out, ttp_str_from(name));
    ttp_sink_char(out, ' ');
    ttp_sink_fixed(out, part * 100, 0, false);
    ttp_sink_put(out, TTP_STR(" %"));
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

static void put_noc(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    if (s->has_noc)
        ttp_sink_printf(out, "the NoC is %.0f %% busy", s->noc_pct);
    if (s->congestion_pct > 0)
        ttp_sink_printf(out, "%scongestion costs %.0f %%", out->len ? ", " : "", s->congestion_pct);
    if (s->hot_link.len)
        ttp_sink_printf(out, "%sthe hottest link is %.*s", out->len ? ", " : "",
                        TTP_FMT(s->hot_link));
    if (!is_noc_traced(s))
        put_kernels(out, s);
}

static void put_slow(struct ttp_sink *out, const struct ttp_symptoms *s)
{
    if (s->dram_pct > 0 && s->dram_pct >= s->flops_pct)
        put_dram(out, s);
    else if (s->flops_pct > 0)
        put_flop(out, s);
    else
        put_kernels(out, s);
}

ttp_str ttp_diagnosis_limit_evidence(const struct ttp_symptoms *s, enum ttp_limit limit,
                                     struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    switch (limit) {
    case TTP_LIMIT_HOST:
        ttp_sink_put(&out, TTP_STR("runs on the host"));
        break;
    case TTP_LIMIT_GAP:
        ttp_sink_printf(&out, "the device is idle for %.*s before %.*s of work",
                        TTP_FMT(ttp_time_us_text(s->gap_us, arena)),
                        TTP_FMT(ttp_time_us_text(s->time_us, arena)));
        break;
    case TTP_LIMIT_BOTH:
    case TTP_LIMIT_FLOP:
        put_flop(&out, s);
        if (limit == TTP_LIMIT_BOTH)
            ttp_sink_printf(&out, " and moves %.0f %% of the DRAM peak", s->dram_pct);
        break;
    case TTP_LIMIT_DRAM:
        put_dram(&out, s);
        break;
    case TTP_LIMIT_LINK:
        put_link(&out, s);
        break;
    case TTP_LIMIT_NOC:
        put_noc(&out, s);
        break;
    case TTP_LIMIT_CORES:
        ttp_sink_printf(&out, "uses %.0f of %.0f cores", s->cores, s->available_cores);
        break;
    case TTP_LIMIT_IMBALANCE:
        ttp_sink_printf(&out, "the slowest core takes %.1f times the average", s->imbalance);
        break;
    case TTP_LIMIT_PADDING:
        ttp_sink_printf(&out, "%.0f %% of its data is padding", 100 - s->fill_pct);
        break;
    case TTP_LIMIT_READER:
    case TTP_LIMIT_WRITER:
    case TTP_LIMIT_COMPUTE:
        put_kernels(&out, s);
        break;
    case TTP_LIMIT_SLOW:
        put_slow(&out, s);
        break;
    default:
        break;
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_diagnosis_ceiling_text(const struct ttp_ceiling *c, struct ttp_arena *arena)
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
