/* SPDX-License-Identifier: Apache-2.0 */
/* tune_figures.c - figures of the profiles of baseline and best, next to each other. */
#include <math.h>

#include "base/budget.h"
#include "outputs/bench/bench_words.h"
#include "outputs/tune/tune_fields.h"
#include "outputs/tune/tune_words.h"

#define PROFILE struct ttp_tune_profile

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double dram_pct(const PROFILE *p)
{
    return share(p->dram_gbs, p->dram_peak_gbs);
}

static double l1_pct(const PROFILE *p)
{
    return share(p->l1_bytes, p->l1_limit);
}

static double cores_pct(const PROFILE *p)
{
    return share(p->cores, p->cores_available);
}

/* A figure is a member, or computed from several. */
static const struct kind {
    const char *id, *title, *unit;
    size_t offset;
    double (*get)(const PROFILE *p);
} kinds[] = {
    {"device_us", "device time", "us", offsetof(PROFILE, device_us), NULL},
    {"gap_us", "gaps", "us", offsetof(PROFILE, gap_us), NULL},
    {"cycles", "kernel cycles", "cycles", offsetof(PROFILE, cycles), NULL},
    {"roofline_us", "roofline: bytes at the DRAM peak", "us", offsetof(PROFILE, roofline_us), NULL},
    {"dram_gbs", "DRAM bandwidth", "GB/s", offsetof(PROFILE, dram_gbs), NULL},
    {"dram_percent", "of the DRAM peak", "%", 0, dram_pct},
    {"dram_bytes", "DRAM traffic", "bytes", offsetof(PROFILE, dram_bytes), NULL},
    {"ideal_bytes", "tensors, each once", "bytes", offsetof(PROFILE, ideal_bytes), NULL},
    {"cores", "cores in use, mean", "", offsetof(PROFILE, cores), NULL},
    {"cores_percent", "of the cores", "%", 0, cores_pct},
    {"noc_percent", "NoC links in use", "%", offsetof(PROFILE, noc_pct), NULL},
    {"noc_bytes", "NoC transfers", "bytes", offsetof(PROFILE, noc_bytes), NULL},
    {"barrier_percent", "waits for own transfers", "%", offsetof(PROFILE, barrier_pct), NULL},
    {"l1_bytes", "L1 of a core, most", "bytes", offsetof(PROFILE, l1_bytes), NULL},
    {"l1_percent", "of the L1 of a core", "%", 0, l1_pct},
};
#define EXTRA 2 /* the bound and the PCC */

static double value_of(const struct kind *k, const PROFILE *p)
{
    double v;

    if (k->get)
        return k->get(p);
    memcpy(&v, (const char *)p + k->offset, sizeof(v));
    return v;
}

static ttp_str text_of(double v, const char *unit, struct ttp_arena *arena)
{
    if (!isfinite(v))
        return (ttp_str){0};
    if (strcmp(unit, "bytes") == 0 && v >= 0 && v < 1e18)
        return ttp_sink_format(arena, "%s", ttp_size_text((uint64_t)v).text);
    if (strcmp(unit, "cycles") == 0)
        return ttp_sink_format(arena, "%.0f cycles", v);
    if (*unit == '%' && v > 100)
        return ttp_sink_format(arena, "%.1f %%, above the peak", v);
    return ttp_out_measure_text(v, unit, arena);
}

static void add_figure(struct ttp_tune_figure *f, const struct kind *k, const PROFILE *before,
                       const PROFILE *after, struct ttp_arena *arena)
{
    const double a = value_of(k, before), b = after ? value_of(k, after) : NAN;

    *f = (struct ttp_tune_figure){.id = k->id,
                                  .title = k->title,
                                  .unit = k->unit,
                                  .before = a,
                                  .after = b,
                                  .change = a > 0 && *k->unit != '%' ? b / a - 1 : NAN,
                                  .before_text = text_of(a, k->unit, arena),
                                  .after_text = text_of(b, k->unit, arena)};
}

static ttp_str bound_text(const PROFILE *p, struct ttp_arena *arena)
{
    if (!p || !p->bound || !*p->bound)
        return (ttp_str){0};
    return isfinite(p->bound_pct)
               ? ttp_sink_format(arena, "%s, %.0f %% of the time", p->bound, p->bound_pct)
               : ttp_sink_format(arena, "%s", p->bound);
}

static ttp_str pcc_text(const struct ttp_tune_gate *g, struct ttp_arena *arena)
{
    return g && g->ran && isfinite(g->worst_pcc) ? ttp_sink_format(arena, "%.6g", g->worst_pcc)
                                                 : (ttp_str){0};
}

size_t ttp_out_tune_figure_rows(struct ttp_tune_figure **out, const struct ttp_tune_session *s,
                                struct ttp_arena *arena)
{
    const PROFILE *before = &s->profile, *best = ttp_tune_best_profile(s);
    const PROFILE *after = best != before && best->name ? best : NULL;
    size_t n = 0;

    *out = TTP_NEW(arena, struct ttp_tune_figure, TTP_COUNT(kinds) + EXTRA);
    if (!before->name)
        return 0;
    for (size_t i = 0; i < TTP_COUNT(kinds); i++) {
        if (!s->setup.kernel && kinds[i].offset == offsetof(PROFILE, cycles) && !kinds[i].get)
            continue;
        add_figure(&(*out)[n], &kinds[i], before, after, arena);
        n += (isfinite((*out)[n].before) && (*out)[n].before != 0) ||
             (isfinite((*out)[n].after) && (*out)[n].after != 0);
    }
    struct ttp_tune_figure *f = &(*out)[n];
    *f = (struct ttp_tune_figure){.id = "bound",
                                  .title = "bound",
                                  .unit = "",
                                  .before = NAN,
                                  .after = NAN,
                                  .change = NAN,
                                  .before_text = bound_text(before, arena),
                                  .after_text = bound_text(after, arena)};
    n += f->before_text.len > 0 || f->after_text.len > 0;
    const struct ttp_tune_gate *first = &s->gate_at_start, *last = ttp_tune_last_check(s);
    f = &(*out)[n];
    *f = (struct ttp_tune_figure){.id = "pcc",
                                  .title = "PCC, worst tensor",
                                  .unit = "",
                                  .before = first->ran ? first->worst_pcc : NAN,
                                  .after = last != first && last->ran ? last->worst_pcc : NAN,
                                  .change = NAN,
                                  .before_text = pcc_text(first, arena),
                                  .after_text = pcc_text(last != first ? last : NULL, arena)};
    return n + (isfinite(f->before) || isfinite(f->after));
}

/* ---- declared ---- */

#define FIGURE struct ttp_tune_figure
static const struct ttp_field figure_fields[] = {
    TTP_WORDS("figure", TTP_FIGURE(FIGURE, id)),
    TTP_WORDS_COLUMN("title", "Figure", 0, TTP_FIGURE(FIGURE, title)),
    TTP_WORDS("unit", TTP_FIGURE(FIGURE, unit)),
    TTP_REAL("baseline", "", 0, TTP_FIGURE(FIGURE, before)),
    TTP_REAL("best", "", 0, TTP_FIGURE(FIGURE, after)),
    {.id = "baseline_text",
     .title = "Before",
     .in_table = true,
     .type = TTP_TEXT,
     .left = false,
     TTP_FIGURE(FIGURE, before_text),
     .help = "for people"},
    {.id = "best_text",
     .title = "After",
     .in_table = true,
     .type = TTP_TEXT,
     .left = false,
     TTP_FIGURE(FIGURE, after_text)},
    TTP_REAL_COLUMN("change_percent", "Change", "%", 1, 1, TTP_FIGURE(FIGURE, change), .scale = 100,
                    .plus = true),
};
const struct ttp_fields ttp_tune_figure_fields = {TTP_FIELDS(figure_fields)};

void ttp_out_tune_put_figures(const struct ttp_show *show, const struct ttp_tune_session *s)
{
    const PROFILE *best = ttp_tune_best_profile(s);
    const bool markdown = show->form == TTP_FORM_MARKDOWN;
    struct ttp_tune_figure *row;
    const size_t count = ttp_out_tune_figure_rows(&row, s, show->arena);
    const struct ttp_records all = {
        .fields = &ttp_tune_figure_fields, .first = row, .size = sizeof(*row), .count = count};
    const struct ttp_table table = {.rows = &all, .aside = true, .indent = 2};

    if (count == 0)
        return;
    if (markdown)
        ttp_sink_own(show->out, "\n## Before and after\n\n");
    else
        ttp_sink_own(show->out, "\nbefore and after, one iteration of the profiles\n");
    ttp_show_table(show, &table);
    if (!best->mode || strcmp(best->mode, "kernel") != 0)
        return;
    if (markdown)
        ttp_sink_char(show->out, '\n');
    ttp_sink_own(show->out,
                 "  the profiles have NoC events, which may add to their times; the metric has "
                 "none\n");
}
