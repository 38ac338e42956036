/* SPDX-License-Identifier: Apache-2.0 */
#include "startup/spans.h"

#include "base/order.h"
#include "base/vec.h"

void ttp_startup_spans_cover(struct ttp_spans *s, int64_t from, int64_t to, int64_t apart,
                             struct ttp_arena *arena)
{
    size_t lo = 0;

    /* the first that does not end too far before it */
    TTP_BISECT(lo, s->count, mid, s->item[mid].to <= from - apart);
    size_t hi = lo;
    while (hi < s->count && s->item[hi].from - to < apart) {
        from = s->item[hi].from < from ? s->item[hi].from : from;
        to = s->item[hi].to > to ? s->item[hi].to : to;
        hi++;
    }
    if (hi == lo) {
        (void)TTP_PUSH_WITHIN(arena, s->item, s->count, s->cap);
        memmove(s->item + lo + 1, s->item + lo, (s->count - 1 - lo) * sizeof(*s->item));
    } else {
        memmove(s->item + lo + 1, s->item + hi, (s->count - hi) * sizeof(*s->item));
        s->count -= hi - lo - 1;
    }
    s->item[lo] = (struct ttp_startup_span){from, to};
}
