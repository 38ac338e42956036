/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/history/history_words.h"

#include <math.h>

#include "base/iso_time.h"

ttp_str ttp_out_history_time(int64_t unix_ns, bool day, struct ttp_arena *arena)
{
    char text[TTP_ISO_TIME_MAX];

    (void)ttp_iso_time(text, unix_ns > 0 ? unix_ns : 0);
    text[10] = ' ';
    return ttp_arena_copy(arena, (ttp_str){text, day ? 10 : 16});
}

ttp_str ttp_out_history_commit(ttp_str commit, bool dirty, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (commit.len == 0)
        return TTP_STR("");
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_str_slice(commit, 0, 10));
    if (dirty)
        ttp_sink_char(&out, '*');
    return ttp_sink_text(&out);
}

ttp_str ttp_out_history_change(double change, struct ttp_arena *arena)
{
    struct ttp_sink out;

    if (isnan(change))
        return TTP_STR("");
    if (isinf(change))
        return TTP_STR("new");
    ttp_sink_to_arena(&out, arena);
    if (change >= 0)
        ttp_sink_char(&out, '+');
    ttp_sink_fixed(&out, change * 100, fabs(change) < 10 ? 1 : 0, false);
    ttp_sink_put(&out, TTP_STR(" %"));
    return ttp_sink_text(&out);
}

ttp_str ttp_out_history_title(const struct ttp_series *s, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%.*s: %.*s", TTP_FMT(s->name), TTP_FMT(s->metric));
    if (s->variant.len)
        ttp_sink_printf(&out, ", %.*s", TTP_FMT(s->variant));
    return ttp_sink_text(&out);
}

ttp_str ttp_out_history_machine(ttp_str key, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    while (key.len) {
        const size_t end = ttp_str_find_char(key, ';');
        const ttp_str fact = ttp_str_slice(key, 0, end);

        if (fact.len && fact.ptr[fact.len - 1] != '=')
            ttp_sink_printf(&out, "%s%.*s", out.len ? ", " : "", TTP_FMT(fact));
        key = ttp_str_slice(key, end == TTP_NPOS ? key.len : end + 1, key.len);
    }
    return ttp_sink_text(&out);
}
