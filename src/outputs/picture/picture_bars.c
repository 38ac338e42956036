/* SPDX-License-Identifier: Apache-2.0 */
/* picture_bars.c - groups to bars: shares, order and colours. */
#include "outputs/picture/picture_bars.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "outputs/picture/picture.h"

#define LARGE_PCT 2.0 /* as in tt-perf-report */

/* Dark, middle and light of the large segments, and two pale tones that the small ones take turns
 * in. Hues as in tt-perf-report, which uses the maps Purples, Greens, Oranges and Greys. */
static const struct {
    uint32_t dark, middle, light, pale[2];
} ramps[TTP_CATEGORIES] = {
    [TTP_CATEGORY_COMPUTE] = {0x43127f, 0x654b9f, 0xa09acb, {0xdedcee, 0xcfcce6}},
    [TTP_CATEGORY_CCL] = {0x0a3874, 0x2673b8, 0x72b1d9, {0xd3e4f3, 0xc0d9ee}},
    [TTP_CATEGORY_TM] = {0x064a20, 0x1f7f40, 0x7bc77c, {0xd4eece, 0xc1e6ba}},
    [TTP_CATEGORY_DM] = {0xa83a05, 0xd4560f, 0xfcb172, {0xfee3c8, 0xfdd6ae}},
    [TTP_CATEGORY_HOST] = {0x7a0914, 0xc4222a, 0xf47a5e, {0xfcd3c3, 0xfbc3ae}},
    [TTP_CATEGORY_OTHER] = {0x333333, 0x666666, 0x9b9b9b, {0xe2e2e2, 0xd3d3d3}},
};

/* Ten hues, strong and soft in turns, as in matplotlib's tab20. */
static const uint32_t cycle[20] = {
    0x1f77b4, 0xaec7e8, 0xff7f0e, 0xffbb78, 0x2ca02c, 0x98df8a, 0xd62728,
    0xff9896, 0x9467bd, 0xc5b0d5, 0x8c564b, 0xc49c94, 0xe377c2, 0xf7b6d2,
    0x7f7f7f, 0xc7c7c7, 0xbcbd22, 0xdbdb8d, 0x17becf, 0x9edae5,
};

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_time(const struct ttp_segment *a, const struct ttp_segment *b)
{
    const int order = compare(b->time_us, a->time_us);

    return order ? order : ttp_str_cmp(a->group->key, b->group->key);
}

static int by_device_and_time(const void *pa, const void *pb)
{
    const struct ttp_segment *a = pa, *b = pb;
    const int64_t da = a->group->device, db = b->group->device;

    return da != db ? (da > db) - (da < db) : by_time(a, b);
}

static int by_device_and_category(const void *pa, const void *pb)
{
    const struct ttp_segment *a = pa, *b = pb;
    const int64_t da = a->group->device, db = b->group->device;

    if (da != db)
        return (da > db) - (da < db);
    return a->category != b->category ? (int)a->category - (int)b->category : by_time(a, b);
}

/* ---- colours ---- */

/* A key over all bars. */
struct tint {
    ttp_str key;
    enum ttp_category category;
    double time_us;
    struct ttp_segment **segment; /* those of this key */
    size_t count;
};

static int by_key(const void *pa, const void *pb)
{
    const struct ttp_segment *a = *(struct ttp_segment *const *)pa,
                             *b = *(struct ttp_segment *const *)pb;

    if (a->category != b->category)
        return (int)a->category - (int)b->category;
    const int order = ttp_str_cmp(a->group->key, b->group->key);
    return order ? order : (a > b) - (a < b);
}

TTP_ORDER(tint_by_time, struct tint, compare(y->time_us, x->time_us), ttp_str_cmp(x->key, y->key))

static int tint_by_category(const void *pa, const void *pb)
{
    const struct tint *a = pa, *b = pb;

    return a->category != b->category ? (int)a->category - (int)b->category : tint_by_time(pa, pb);
}

static uint32_t tone(enum ttp_category category, size_t rank, size_t count)
{
    /* Few segments use quarters of the ramp, many use finer steps. */
    const double at = (double)rank / (double)(count > 5 ? count - 1 : 4);

    if (at < 0.5)
        return ttp_picture_mix(ramps[category].dark, ramps[category].middle, at * 2);
    return ttp_picture_mix(ramps[category].middle, ramps[category].light, at * 2 - 1);
}

static void paint(const struct tint *t, uint32_t rgb)
{
    for (size_t i = 0; i < t->count; i++)
        t->segment[i]->rgb = rgb;
}

/* Gather the segments of each key; with `all` false only the large ones. */
static size_t find_tints(struct tint *tint, struct ttp_segment **order, struct ttp_segment *segment,
                         size_t count, bool all)
{
    size_t used = 0, tints = 0;

    for (size_t i = 0; i < count; i++)
        if (all || segment[i].large)
            order[used++] = &segment[i];
    qsort(order, used, sizeof(struct ttp_segment *), by_key);
    for (size_t i = 0; i < used; i++) {
        struct tint *last = tints ? &tint[tints - 1] : NULL;
        if (!last || last->category != order[i]->category ||
            !ttp_str_eq(last->key, order[i]->group->key)) {
            last = &tint[tints++];
            *last = (struct tint){
                .key = order[i]->group->key, .category = order[i]->category, .segment = &order[i]};
        }
        last->time_us += order[i]->time_us;
        last->count++;
    }
    return tints;
}

static void color_segments(struct ttp_segment *segment, size_t count, bool classic,
                           struct ttp_arena *arena)
{
    struct ttp_segment **order = TTP_NEW(arena, struct ttp_segment *, count);
    struct tint *tint = TTP_NEW(arena, struct tint, count);
    const size_t tints = find_tints(tint, order, segment, count, classic);

    if (classic) {
        TTP_SORT(tint, tints, tint_by_time);
        for (size_t i = 0; i < tints; i++)
            paint(&tint[i], cycle[i % TTP_COUNT(cycle)]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!segment[i].large)
            segment[i].rgb = ramps[segment[i].category].pale[i % 2];
    TTP_SORT(tint, tints, tint_by_category);
    for (size_t i = 0, end; i < tints; i = end) {
        for (end = i; end < tints && tint[end].category == tint[i].category;)
            end++;
        for (size_t k = i; k < end; k++)
            paint(&tint[k], tone(tint[k].category, k - i, end - i));
    }
}

/* ---- bars ---- */

static void cut_bars(struct ttp_bars *out, struct ttp_segment *segment, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ttp_bar *bar = out->count ? &out->bar[out->count - 1] : NULL;
        if (!bar || bar->device != segment[i].group->device) {
            bar = &out->bar[out->count++];
            *bar = (struct ttp_bar){.device = segment[i].group->device, .segment = &segment[i]};
        }
        bar->count++;
        bar->time_us += segment[i].time_us;
        bar->category_us[segment[i].category] += segment[i].time_us;
    }
    for (size_t i = 0; i < out->count; i++) {
        struct ttp_bar *bar = &out->bar[i];
        for (size_t k = 0; k < bar->count && bar->time_us > 0; k++) {
            bar->segment[k].pct = bar->segment[k].time_us / bar->time_us * 100;
            bar->segment[k].large = bar->segment[k].pct >= LARGE_PCT;
        }
        out->most_us = fmax(out->most_us, bar->time_us);
    }
    /* Beyond this a scale from time to points is not a number any more. */
    if (!(out->most_us > 1e-200 && out->most_us < 1e200))
        out->most_us = 0;
}

void ttp_out_bars_of_summary(struct ttp_bars *out, const struct ttp_summary *summary,
                             const struct ttp_picture_style *style, struct ttp_arena *arena)
{
    struct ttp_segment *segment = TTP_NEW(arena, struct ttp_segment, summary->count);

    *out = (struct ttp_bars){.bar = TTP_NEW(arena, struct ttp_bar, summary->count),
                             .per_device = summary->per_device};
    for (size_t i = 0; i < summary->count; i++) {
        const struct ttp_group *g = &summary->group[i];
        segment[i] =
            (struct ttp_segment){.group = g,
                                 .key = ttp_picture_clean(g->key, arena),
                                 .time_us = isfinite(g->time_us) && g->time_us > 0 ? g->time_us : 0,
                                 .category = g->category};
    }
    TTP_SORT(segment, summary->count,
             style->classic_colors ? by_device_and_time : by_device_and_category);
    cut_bars(out, segment, summary->count);
    color_segments(segment, summary->count, style->classic_colors, arena);
}
