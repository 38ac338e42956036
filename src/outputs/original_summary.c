/* SPDX-License-Identifier: Apache-2.0 */
/* original_summary.c - the stacked report of tt-perf-report 1.2.4. */
#include <math.h>
#include <stdlib.h>

#include "base/gate.h"
#include "base/python_text.h"
#include "outputs/outputs.h"
#include "outputs/paint.h"

enum {
    SUM_PCT,
    SUM_KEY,
    SUM_DEVICE,
    SUM_TIME,
    SUM_COUNT,
    SUM_CATEGORY,
    SUM_MIN,
    SUM_MAX,
    SUM_MEAN,
    SUM_STD,
    SUM_WEIGHTED,
    SUMS
};

static const struct {
    const char *title, *unit;
} columns[SUMS] = {
    [SUM_PCT] = {"Total %", "%"},
    [SUM_KEY] = {"Op Code", NULL},
    [SUM_DEVICE] = {"Device", NULL},
    [SUM_TIME] = {"Device Time Sum", "μs"},
    [SUM_COUNT] = {"Op Count", NULL},
    [SUM_CATEGORY] = {"Op Category", NULL},
    [SUM_MIN] = {"Min FLOPs", "%"},
    [SUM_MAX] = {"Max FLOPs", "%"},
    [SUM_MEAN] = {"Mean FLOPs", "%"},
    [SUM_STD] = {"Std FLOPs", "%"},
    [SUM_WEIGHTED] = {"Weighted Mean FLOPs", "%"},
};

static bool has_column(const struct ttp_summary *s, int column)
{
    if (column == SUM_DEVICE)
        return s->per_device;
    return column < SUM_CATEGORY || s->by != TTP_GROUP_CATEGORY;
}

/* The number of a column, if it is one and is there; infinite rates may leave no mean. */
static bool number_of(const struct ttp_group *g, int column, double *out)
{
    switch (column) {
    case SUM_PCT:
        *out = g->time_pct;
        return true;
    case SUM_TIME:
        *out = g->time_us;
        return true;
    case SUM_MIN:
        *out = g->flops_min;
        return g->has_flops && !isnan(*out);
    case SUM_MAX:
        *out = g->flops_max;
        return g->has_flops && !isnan(*out);
    case SUM_MEAN:
        *out = g->flops_mean;
        return g->has_flops && !isnan(*out);
    case SUM_STD:
        *out = g->flops_std;
        return g->has_std && !isnan(*out);
    case SUM_WEIGHTED:
        *out = g->flops_weighted;
        return g->has_weighted && !isnan(*out);
    default:
        return false;
    }
}

static bool put_plain(struct ttp_sink *out, const struct ttp_group *g, int column)
{
    if (column == SUM_KEY)
        ttp_sink_put(out, g->key);
    else if (column == SUM_DEVICE)
        ttp_sink_i64(out, g->device);
    else if (column == SUM_COUNT)
        ttp_sink_u64(out, g->count);
    else if (column == SUM_CATEGORY)
        ttp_sink_put(out, ttp_str_from(ttp_analysis_category_name(g->category)));
    else
        return false;
    return true;
}

static ttp_str cell_text(const struct ttp_group *g, int column, struct ttp_arena *arena)
{
    struct ttp_sink out;
    double v;

    ttp_sink_to_arena(&out, arena);
    if (!put_plain(&out, g, column) && number_of(g, column, &v)) {
        ttp_sink_fixed(&out, v, 2, true);
        ttp_sink_char(&out, ' ');
        ttp_sink_put(&out, ttp_str_from(columns[column].unit));
    }
    return ttp_sink_text(&out);
}

/* A row to print, and the text that per-device reports are sorted by. */
struct line {
    ttp_str cell[SUMS];
    int64_t device;
    size_t place;
};

/* By device, then by the text of the percentage, descending: "9.10 %" before "25.95 %". */
static int by_device_and_text(const void *pa, const void *pb)
{
    const struct line *a = pa, *b = pb;
    int order = (a->device > b->device) - (a->device < b->device);

    if (!order)
        order = ttp_str_cmp(b->cell[SUM_PCT], a->cell[SUM_PCT]);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static void put_padded(struct ttp_sink *out, ttp_str text, size_t width, bool left,
                       enum ttp_color color)
{
    const size_t pad = width - ttp_python_visible(text);

    ttp_sink_repeat(out, ' ', left ? 0 : pad);
    ttp_paint(out, color, text);
    ttp_sink_repeat(out, ' ', left ? pad : 0);
}

static void put_line(struct ttp_sink *out, const struct ttp_summary *s, const ttp_str *cell,
                     const size_t *width, enum ttp_color key_color)
{
    bool first = true;

    for (int c = 0; c < SUMS; c++) {
        if (!has_column(s, c))
            continue;
        if (!first)
            ttp_sink_put(out, TTP_STR("  "));
        first = false;
        put_padded(out, cell[c], width[c], c == SUM_KEY, c == SUM_KEY ? key_color : TTP_PLAIN);
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_original_summary(struct ttp_sink *out, const struct ttp_summary *summary, bool color,
                              bool *complete, struct ttp_arena *arena)
{
    struct line *line = TTP_NEW(arena, struct line, summary->count);
    size_t width[SUMS], dashes = 0, shown = 0;
    ttp_str title[SUMS];

    ttp_sink_own(out, "\n📊 Stacked report 📊\n====================\n\n");
    *complete = !(summary->per_device && summary->by == TTP_GROUP_CATEGORY);
    if (!*complete)
        return;
    for (int c = 0; c < SUMS; c++) {
        title[c] = ttp_str_from(columns[c].title);
        width[c] = title[c].len;
    }
    for (size_t i = 0; i < summary->count; i++) {
        line[i].place = i;
        line[i].device = summary->group[i].device;
        for (int c = 0; c < SUMS; c++) {
            line[i].cell[c] = cell_text(&summary->group[i], c, arena);
            const size_t n = ttp_python_visible(line[i].cell[c]);
            width[c] = n > width[c] ? n : width[c];
        }
    }
    if (summary->per_device)
        qsort(line, summary->count, sizeof(*line), by_device_and_text);
    for (int c = 0; c < SUMS; c++)
        if (has_column(summary, c)) {
            dashes += width[c];
            shown++;
        }
    dashes += 2 * (shown - 1);
    put_line(out, summary, title, width, TTP_PLAIN);
    ttp_sink_repeat(out, '-', dashes);
    ttp_sink_char(out, '\n');
    for (size_t i = 0; i < summary->count; i++)
        put_line(out, summary, line[i].cell, width,
                 color ? ttp_paint_op_color(line[i].cell[SUM_KEY]) : TTP_PLAIN);
    ttp_sink_repeat(out, '-', dashes);
    ttp_sink_char(out, '\n');
}

static void put_csv_cell(struct ttp_sink *out, const struct ttp_summary *s,
                         const struct ttp_group *g, int column)
{
    double v;

    if (column == SUM_KEY && out->gate == TTP_GATE_NONE)
        ttp_gate_put_csv_exact(out, g->key);
    else if (column == SUM_KEY)
        ttp_gate_put_csv(out, g->key);
    else if (put_plain(out, g, column) || !number_of(g, column, &v))
        return;
    else if (g->time_is_int && (column == SUM_TIME || (column == SUM_PCT && !s->per_device)))
        ttp_sink_char(out, '0');
    else
        ttp_sink_fixed(out, v, 2, false);
}

static void put_csv_header(struct ttp_sink *out, const struct ttp_summary *summary)
{
    for (int c = 0; c < SUMS; c++) {
        if (!has_column(summary, c))
            continue;
        if (c)
            ttp_sink_char(out, ',');
        ttp_sink_put(out, ttp_str_from(columns[c].title));
        if (columns[c].unit)
            ttp_sink_printf(out, " [%s]", columns[c].unit);
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_original_summary_csv(struct ttp_sink *out, const struct ttp_summary *summary)
{
    put_csv_header(out, summary);
    for (size_t i = 0; i < summary->count; i++) {
        for (int c = 0; c < SUMS; c++) {
            if (!has_column(summary, c))
                continue;
            if (c)
                ttp_sink_char(out, ',');
            put_csv_cell(out, summary, &summary->group[i], c);
        }
        ttp_sink_char(out, '\n');
    }
}
