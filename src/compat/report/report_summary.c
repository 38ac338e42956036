/* SPDX-License-Identifier: Apache-2.0 */
/* report_summary.c - the stacked report of tt-perf-report 1.2.4. */
#include "base/order.h"
#include "base/python_text.h"
#include "compat/report/report_rules.h"

static ttp_str cell_text(const struct ttp_group *g, int column, struct ttp_arena *arena)
{
    struct ttp_sink out;
    double v;

    ttp_sink_to_arena(&out, arena);
    if (!ttp_out_summary_put_plain(&out, g, column) && ttp_out_summary_number(g, column, &v)) {
        ttp_sink_fixed(&out, v, 2, true);
        ttp_sink_char(&out, ' ');
        ttp_sink_put(&out, ttp_str_from(ttp_summary_columns[column].unit));
    }
    return ttp_sink_text(&out);
}

/* A row to print, and the text that per-device reports are sorted by. */
struct line {
    ttp_str cell[TTP_SUMS];
    int64_t device;
    size_t place;
};

/* By device, then by the text of the percentage, descending: "9.10 %" before "25.95 %". */
TTP_ORDER(by_device_and_text, struct line, TTP_UP(device),
          ttp_str_cmp(y->cell[TTP_SUM_PCT], x->cell[TTP_SUM_PCT]), TTP_UP(place))

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

    for (int c = 0; c < TTP_SUMS; c++) {
        if (!ttp_out_summary_shows(s, c))
            continue;
        if (!first)
            ttp_sink_put(out, TTP_STR("  "));
        first = false;
        put_padded(out, cell[c], width[c], c == TTP_SUM_KEY,
                   c == TTP_SUM_KEY ? key_color : TTP_PLAIN);
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_original_summary(struct ttp_sink *out, const struct ttp_summary *summary, bool color,
                              bool *complete, struct ttp_arena *arena)
{
    struct line *line = TTP_NEW(arena, struct line, summary->count);
    size_t width[TTP_SUMS], dashes = 0, shown = 0;
    ttp_str title[TTP_SUMS];

    ttp_sink_own(out, "\n📊 Stacked report 📊\n====================\n\n");
    *complete = !(summary->per_device && summary->by == TTP_GROUP_CATEGORY);
    if (!*complete)
        return;
    for (int c = 0; c < TTP_SUMS; c++) {
        title[c] = ttp_str_from(ttp_summary_columns[c].title);
        width[c] = title[c].len;
    }
    for (size_t i = 0; i < summary->count; i++) {
        line[i].place = i;
        line[i].device = summary->group[i].device;
        for (int c = 0; c < TTP_SUMS; c++) {
            line[i].cell[c] = cell_text(&summary->group[i], c, arena);
            const size_t n = ttp_python_visible(line[i].cell[c]);
            width[c] = n > width[c] ? n : width[c];
        }
    }
    if (summary->per_device)
        TTP_SORT(line, summary->count, by_device_and_text);
    for (int c = 0; c < TTP_SUMS; c++)
        if (ttp_out_summary_shows(summary, c)) {
            dashes += width[c];
            shown++;
        }
    dashes += 2 * (shown - 1);
    put_line(out, summary, title, width, TTP_PLAIN);
    ttp_sink_repeat(out, '-', dashes);
    ttp_sink_char(out, '\n');
    for (size_t i = 0; i < summary->count; i++)
        put_line(out, summary, line[i].cell, width,
                 color ? ttp_compat_op_color(line[i].cell[TTP_SUM_KEY]) : TTP_PLAIN);
    ttp_sink_repeat(out, '-', dashes);
    ttp_sink_char(out, '\n');
}
