/* SPDX-License-Identifier: Apache-2.0 */
/* TT-Lang's SIGNPOST PROFILE byte for byte. */
#include "compat/compat.h"

#define PREFIX TTP_STR("ttl_")

static void rule(struct ttp_sink *out)
{
    ttp_sink_repeat(out, '=', 80);
    ttp_sink_char(out, '\n');
}

/* Python's // rounds towards minus infinity. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

void ttp_out_original_signposts(struct ttp_sink *out, const struct ttp_original_zones *zones,
                                struct ttp_arena *arena)
{
    const struct ttp_original_zone **shown =
        TTP_NEW(arena, const struct ttp_original_zone *, zones->count);
    size_t n = 0, width = 4;

    for (size_t i = 0; i < zones->count; i++) {
        const struct ttp_original_zone *z = &zones->zone[i];
        if (!ttp_str_starts(z->name, PREFIX))
            continue;
        const size_t len = ttp_str_code_points(z->name) - PREFIX.len;
        width = len > width ? len : width;
        shown[n++] = z;
    }
    if (n == 0) {
        ttp_sink_own(out, "[signpost_profile] No user-defined signpost zones found\n");
        return;
    }
    width += 2;
    ttp_sink_char(out, '\n');
    rule(out);
    ttp_sink_own(out, "SIGNPOST PROFILE\n");
    rule(out);
    ttp_sink_own(out, "\n  ");
    ttp_put_left(out, TTP_STR("NAME"), width);
    ttp_sink_own(out, " THREAD        COUNT        TOTAL        AVG        MIN        MAX\n  ");
    ttp_sink_repeat(out, '-', width);
    ttp_sink_own(out, " ------------ ------ ------------ ---------- ---------- ----------\n");
    for (size_t i = 0; i < n; i++) {
        const struct ttp_original_zone *z = shown[i];
        char count[TTP_NUM_MAX];

        ttp_sink_put(out, TTP_STR("  "));
        ttp_put_left(out, ttp_str_slice(z->name, PREFIX.len, z->name.len), width);
        ttp_sink_char(out, ' ');
        ttp_put_left(out, z->thread, 12);
        ttp_sink_char(out, ' ');
        ttp_put_right(out, (ttp_str){count, ttp_num_u64(count, z->count)}, 6);
        ttp_sink_char(out, ' ');
        ttp_put_grouped_right(out, z->sum, 12);
        ttp_sink_char(out, ' ');
        ttp_put_grouped_right(out, floor_div(z->sum, (int64_t)z->count), 10);
        ttp_sink_char(out, ' ');
        ttp_put_grouped_right(out, z->min, 10);
        ttp_sink_char(out, ' ');
        ttp_put_grouped_right(out, z->max, 10);
        ttp_sink_char(out, '\n');
    }
    ttp_sink_char(out, '\n');
    rule(out);
    ttp_sink_char(out, '\n');
}
