/* SPDX-License-Identifier: Apache-2.0 */
/* picture_bars.h - a summary as bars of coloured segments, before anything is placed. Private to
 * outputs. */
#ifndef TTP_OUTPUTS_PICTURE_BARS_H
#define TTP_OUTPUTS_PICTURE_BARS_H

#include "outputs/outputs.h"

struct ttp_segment {
    const struct ttp_group *group;
    ttp_str key;         /* fit for a picture */
    double time_us, pct; /* never negative; pct is the share of the bar */
    enum ttp_category category;
    bool large; /* at least 2 % of the bar */
    uint32_t rgb;
};

struct ttp_bar {
    int64_t device;
    struct ttp_segment *segment; /* from the bottom up */
    size_t count;
    double time_us, category_us[TTP_CATEGORIES];
};

struct ttp_bars {
    struct ttp_bar *bar; /* by device */
    size_t count;
    bool per_device;
    double most_us; /* of the highest bar; 0: there is nothing to see */
};

/* A key has the same colour in all bars where it is large. */
void ttp_out_bars_of_summary(struct ttp_bars *out, const struct ttp_summary *summary,
                             const struct ttp_picture_style *style, struct ttp_arena *arena);

#endif
