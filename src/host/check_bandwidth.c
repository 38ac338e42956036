/* SPDX-License-Identifier: Apache-2.0 */
/* check_bandwidth.c - measured rates of memory and links, compared with what the boards can do. */
#include <math.h>

#include "base/sink.h"
#include "host/checkup.h"

const char *const ttp_bandwidth_names[TTP_BANDWIDTHS] = {
    [TTP_BANDWIDTH_COPY] = "memory-copy",   [TTP_BANDWIDTH_READ] = "memory-read",
    [TTP_BANDWIDTH_WRITE] = "memory-write", [TTP_BANDWIDTH_TRIAD] = "memory-triad",
    [TTP_BANDWIDTH_H2D] = "host-to-device", [TTP_BANDWIDTH_D2H] = "device-to-host",
    [TTP_BANDWIDTH_DRAM] = "dram-read",
};

/* A transfer to the device reads its source, writes the buffer that the device sees, and the device
 * reads that: three times its bytes pass through host memory. */
#define PASSES 3
/* The best of the samples is so much better than their median: something else disturbed them. */
#define WIDE 1.5
/* Below this part of what the vendor's machine reached something is wrong: a proposal. */
#define TRANSFER_LOW 0.7
/* Reads from the far side of the chip reach 27 % of the peak (tt-metal's report on DRAM). */
#define DRAM_LOW 0.25

static double gb_s(double bytes_s)
{
    return bytes_s / 1e9;
}

static const struct ttp_bandwidth_rate *rate_of(const struct ttp_bandwidth *b,
                                                enum ttp_bandwidth_kind kind)
{
    for (size_t i = 0; b && i < b->count; i++)
        if (b->rate[i].kind == kind)
            return &b->rate[i];
    return NULL;
}

/* Payload of the link as it is now, in bytes per second: 128b/130b coding from Gen3 on, 8b/10b
 * before; packet headers are not subtracted. 0: unknown. */
static double link_rate(const struct ttp_patient *p)
{
    int64_t tenths, lanes, later;

    if (!p->sample || !ttp_reading_number(&p->sample->attr[TTP_CHIP_LINK_SPEED], &tenths) ||
        !ttp_reading_number(&p->sample->attr[TTP_CHIP_LINK_WIDTH], &lanes))
        return 0;
    if (p->second && ttp_reading_number(&p->second->attr[TTP_CHIP_LINK_SPEED], &later) &&
        later > tenths)
        tenths = later; /* an idle link slows down */
    return (double)tenths * 1e8 * (double)lanes / 8 * (tenths >= 80 ? 128.0 / 130 : 0.8);
}

/* The chip that tt-metal's device 0 must be like: NULL if the boards or their links differ. */
static const struct ttp_patient *any_chip(const struct ttp_checkup *c)
{
    const struct ttp_patient *first = NULL;

    for (size_t i = 0; i < c->patients; i++) {
        const struct ttp_patient *p = &c->patient[i];

        if (!p->chip)
            continue;
        if (!first)
            first = p;
        else if (p->board != first->board || link_rate(p) != link_rate(first))
            return NULL;
    }
    return first;
}

/* "12.3 GB/s, median of 11 (11.9 to 12.6)" */
static ttp_str rate_text(struct ttp_checkup *c, const struct ttp_bandwidth_rate *r)
{
    return isfinite(r->min) && isfinite(r->max)
               ? ttp_check_text(c, "%.1f GB/s, median of %zu (%.1f to %.1f)", gb_s(r->median),
                                r->count, gb_s(r->min), gb_s(r->max))
               : ttp_check_text(c, "%.1f GB/s", gb_s(r->median));
}

static struct ttp_check *add_rate(struct ttp_checkup *c, enum ttp_verdict_level level,
                                  const struct ttp_bandwidth_rate *r, const char *sign)
{
    struct ttp_check *k = ttp_check_add(c, NULL, level, "%s%.*s", sign, TTP_FMT(rate_text(c, r)));

    if (r->device >= 0)
        k->where = ttp_check_text(c, "device %d", r->device);
    k->source = ttp_str_from(r->source);
    return k;
}

static void add_skipped(struct ttp_checkup *c, const struct ttp_bandwidth_rate *r)
{
    struct ttp_check *k = ttp_check_add(c, NULL, TTP_CHECK_SKIP, "not measured");

    k->text = ttp_str_from(r->skipped);
    if (r->todo)
        k->fix = ttp_str_from(r->todo);
}

static ttp_str memory_text(struct ttp_checkup *c, const struct ttp_bandwidth_rate *copy)
{
    static const struct {
        enum ttp_bandwidth_kind kind;
        const char *word;
    } others[] = {{TTP_BANDWIDTH_READ, "read"},
                  {TTP_BANDWIDTH_WRITE, "write"},
                  {TTP_BANDWIDTH_TRIAD, "triad"}};
    struct ttp_sink text;

    ttp_sink_to_arena(&text, c->arena);
    ttp_sink_printf(&text, "copy %.*s", TTP_FMT(rate_text(c, copy)));
    for (size_t i = 0; i < TTP_COUNT(others); i++) {
        const struct ttp_bandwidth_rate *r = rate_of(c->in->bandwidth, others[i].kind);

        if (r && !r->skipped)
            ttp_sink_printf(&text, "; %s %.1f (%.1f to %.1f)", others[i].word, gb_s(r->median),
                            gb_s(r->min), gb_s(r->max));
    }
    return ttp_sink_text(&text);
}

void ttp_check_bw_memory(struct ttp_checkup *c)
{
    const struct ttp_bandwidth *b = c->in->bandwidth;
    const struct ttp_bandwidth_rate *copy = rate_of(b, TTP_BANDWIDTH_COPY);
    double link = 0;

    if (!copy)
        return;
    if (copy->skipped) {
        add_skipped(c, copy);
        return;
    }
    for (size_t i = 0; i < c->patients; i++)
        link = fmax(link, link_rate(&c->patient[i]));
    const bool here = !c->in->host->root[0];
    const bool wide = copy->max > WIDE * copy->median;
    const bool low = here && link > 0 && copy->median < PASSES * link && !wide;
    struct ttp_check *k = add_rate(c,
                                   low                         ? TTP_CHECK_WARN
                                   : here && link > 0 && !wide ? TTP_CHECK_PASS
                                                               : TTP_CHECK_INFO,
                                   copy, "");
    k->value = memory_text(c, copy);
    k->source = ttp_check_text(c, "%u threads, three arrays of %.0f MB", b->threads,
                               (double)b->array_bytes / 1e6);
    if (b->cache_bytes && b->array_bytes < b->cache_bytes)
        k->text = ttp_check_text(c, "the arrays fit the caches of %.0f MB: memory itself is slower",
                                 (double)b->cache_bytes / 1e6);
    if (wide)
        k->text = TTP_STR("the values vary too much to judge: other programs ran; measure again on "
                          "a quiet machine");
    if (!here)
        k->text = TTP_STR("measured on this machine, not on that of --root");
    if (!here || !(link > 0))
        return;
    k->limit = ttp_check_text(c, "%.0f GB/s, %d times the link's %.1f GB/s", gb_s(PASSES * link),
                              PASSES, gb_s(link));
    k->origin = TTP_STR(TTP_ORIGIN_OURS);
    if (low) {
        k->text = TTP_STR("host memory limits transfers, not the link");
        k->fix =
            TTP_STR("fill all memory channels; stop other work; run on the device's NUMA node");
    }
}

static void judge_transfer(struct ttp_checkup *c, const struct ttp_bandwidth_rate *r,
                           enum ttp_fact fact)
{
    /* what others than device 0 are, a remote chip or another card, is unknown here */
    const struct ttp_patient *p = r->device == 0 ? any_chip(c) : NULL;
    const double link = p ? link_rate(p) : 0;
    double vendor = NAN;
    enum ttp_verdict_level level = TTP_CHECK_INFO;
    const bool known = p && ttp_board_fact(p->board, fact, &vendor);

    if (known)
        level = r->median < TRANSFER_LOW * vendor * 1e9 ? TTP_CHECK_WARN : TTP_CHECK_PASS;
    if (link > 0 && r->median > link)
        level = TTP_CHECK_WARN;
    struct ttp_check *k = add_rate(c, level, r, "");
    if (known) {
        k->limit =
            ttp_check_text(c, "%.0f %% of the vendor's %.1f GB/s", 100 * TRANSFER_LOW, vendor);
        k->origin = ttp_check_origin(c, p->board->fact[fact].source);
    }
    if (link > 0 && r->median > link)
        k->text = ttp_check_text(c, "more than the link's %.1f GB/s: another link was measured",
                                 gb_s(link));
    else if (link > 0)
        k->text = ttp_check_text(c, "%.0f %% of the link's %.1f GB/s", 100 * r->median / link,
                                 gb_s(link));
    if (level == TTP_CHECK_WARN && known && r->median <= link)
        k->fix = TTP_STR("check pcie.width, pcie.speed, mem.sysmem, mem.numa and host.gov above");
}

static void transfers(struct ttp_checkup *c, enum ttp_bandwidth_kind kind, enum ttp_fact fact)
{
    const struct ttp_bandwidth *b = c->in->bandwidth;

    for (size_t i = 0; b && i < b->count; i++) {
        if (b->rate[i].kind != kind)
            continue;
        if (b->rate[i].skipped)
            add_skipped(c, &b->rate[i]);
        else
            judge_transfer(c, &b->rate[i], fact);
    }
}

void ttp_check_bw_h2d(struct ttp_checkup *c)
{
    transfers(c, TTP_BANDWIDTH_H2D, TTP_FACT_H2D_GBS);
}

void ttp_check_bw_d2h(struct ttp_checkup *c)
{
    transfers(c, TTP_BANDWIDTH_D2H, TTP_FACT_D2H_GBS);
}

void ttp_check_bw_dram(struct ttp_checkup *c)
{
    const struct ttp_bandwidth_rate *r = rate_of(c->in->bandwidth, TTP_BANDWIDTH_DRAM);
    const struct ttp_patient *p = any_chip(c);
    double peak = NAN;

    if (!r)
        return;
    if (r->skipped) {
        add_skipped(c, r);
        return;
    }
    const bool known = p && ttp_board_fact(p->board, TTP_FACT_DRAM_GBS, &peak);
    const bool low = known && r->median < DRAM_LOW * peak * 1e9;
    struct ttp_check *k = add_rate(c,
                                   low     ? TTP_CHECK_WARN
                                   : known ? TTP_CHECK_PASS
                                           : TTP_CHECK_INFO,
                                   r, "at least ");
    if (!known)
        return;
    k->limit = ttp_check_text(c, "%.0f %% of the board's %.0f GB/s", 100 * DRAM_LOW, peak);
    k->origin = ttp_check_origin(c, p->board->fact[TTP_FACT_DRAM_GBS].source);
    k->text =
        ttp_check_text(c, "%.0f %% of the peak; interleaved reads by all cores, launch included",
                       100 * gb_s(r->median) / peak);
    if (low)
        k->fix = TTP_STR("check clk.max, dram.train and temp.gddr with tt-smi's snapshot (--smi)");
}
