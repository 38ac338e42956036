/* SPDX-License-Identifier: Apache-2.0 */
/* summary_csv.c - the summary as CSV. */
#include <math.h>

#include "base/gate.h"
#include "outputs/outputs.h"

const struct ttp_summary_title ttp_summary_columns[TTP_SUMS] = {
    [TTP_SUM_PCT] = {"Total %", "%"},
    [TTP_SUM_KEY] = {"Op Code", NULL},
    [TTP_SUM_DEVICE] = {"Device", NULL},
    [TTP_SUM_TIME] = {"Device Time Sum", "μs"},
    [TTP_SUM_COUNT] = {"Op Count", NULL},
    [TTP_SUM_CATEGORY] = {"Op Category", NULL},
    [TTP_SUM_MIN] = {"Min FLOPs", "%"},
    [TTP_SUM_MAX] = {"Max FLOPs", "%"},
    [TTP_SUM_MEAN] = {"Mean FLOPs", "%"},
    [TTP_SUM_STD] = {"Std FLOPs", "%"},
    [TTP_SUM_WEIGHTED] = {"Weighted Mean FLOPs", "%"},
};

bool ttp_out_summary_shows(const struct ttp_summary *s, int column)
{
    if (column == TTP_SUM_DEVICE)
        return s->per_device;
    return column < TTP_SUM_CATEGORY || s->by < TTP_GROUP_CATEGORY;
}

bool ttp_out_summary_number(const struct ttp_group *g, int column, double *out)
{
    switch (column) {
    case TTP_SUM_PCT:
        *out = g->time_pct;
        return true;
    case TTP_SUM_TIME:
        *out = g->time_us;
        return true;
    case TTP_SUM_MIN:
        *out = g->flops_min;
        return g->has_flops && !isnan(*out);
    case TTP_SUM_MAX:
        *out = g->flops_max;
        return g->has_flops && !isnan(*out);
    case TTP_SUM_MEAN:
        *out = g->flops_mean;
        return g->has_flops && !isnan(*out);
    case TTP_SUM_STD:
        *out = g->flops_std;
        return g->has_std && !isnan(*out);
    case TTP_SUM_WEIGHTED:
        *out = g->flops_weighted;
        return g->has_weighted && !isnan(*out);
    default:
        return false;
    }
}

bool ttp_out_summary_put_plain(struct ttp_sink *out, const struct ttp_group *g, int column)
{
    if (column == TTP_SUM_KEY)
        ttp_sink_put(out, g->key);
    else if (column == TTP_SUM_DEVICE)
        ttp_sink_i64(out, g->device);
    else if (column == TTP_SUM_COUNT)
        ttp_sink_u64(out, g->count);
    else if (column == TTP_SUM_CATEGORY)
        ttp_sink_put(out, ttp_str_from(ttp_device_category_name(g->category)));
    else
        return false;
    return true;
}

static void put_csv_cell(struct ttp_sink *out, const struct ttp_summary *s,
                         const struct ttp_group *g, int column)
{
    double v;

    if (column == TTP_SUM_KEY && out->gate == TTP_GATE_NONE)
        ttp_gate_put_csv_exact(out, g->key);
    else if (column == TTP_SUM_KEY)
        ttp_gate_put_csv(out, g->key);
    else if (ttp_out_summary_put_plain(out, g, column) || !ttp_out_summary_number(g, column, &v))
        return;
    else if (g->time_is_int &&
             (column == TTP_SUM_TIME || (column == TTP_SUM_PCT && !s->per_device)))
        ttp_sink_char(out, '0');
    else
        ttp_sink_fixed(out, v, 2, false);
}

static void put_csv_header(struct ttp_sink *out, const struct ttp_summary *summary)
{
    for (int c = 0; c < TTP_SUMS; c++) {
        if (!ttp_out_summary_shows(summary, c))
            continue;
        if (c)
            ttp_sink_char(out, ',');
        ttp_sink_put(out, ttp_str_from(ttp_summary_columns[c].title));
        if (ttp_summary_columns[c].unit)
            ttp_sink_printf(out, " [%s]", ttp_summary_columns[c].unit);
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_summary_csv(struct ttp_sink *out, const struct ttp_summary *summary)
{
    put_csv_header(out, summary);
    for (size_t i = 0; i < summary->count; i++) {
        for (int c = 0; c < TTP_SUMS; c++) {
            if (!ttp_out_summary_shows(summary, c))
                continue;
            if (c)
                ttp_sink_char(out, ',');
            put_csv_cell(out, summary, &summary->group[i], c);
        }
        ttp_sink_char(out, '\n');
    }
}
