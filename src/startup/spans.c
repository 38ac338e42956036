/* SPDX-License-Identifier: Apache-2.0 */
#include "startup/spans.h"

#include <stdlib.h>

#include "base/number_map.h"

void ttp_spans_cover(struct ttp_spans *s, int64_t from, int64_t to, int64_t apart,
                     struct ttp_arena *arena)
{
    size_t lo = 0, hi = s->count;

    while (lo < hi) { /* the first that does not end too far before it */
        const size_t mid = lo + (hi - lo) / 2;

        if (s->item[mid].to <= from - apart)
            lo = mid + 1;
        else
            hi = mid;
    }
    hi = lo;
    while (hi < s->count && s->item[hi].from - to < apart) {
        from = s->item[hi].from < from ? s->item[hi].from : from;
        to = s->item[hi].to > to ? s->item[hi].to : to;
        hi++;
    }
    if (hi == lo) {
        (void)TTP_PUSH(arena, s->item, s->count, s->cap);
        memmove(s->item + lo + 1, s->item + lo, (s->count - 1 - lo) * sizeof(*s->item));
    } else {
        memmove(s->item + lo + 1, s->item + hi, (s->count - hi) * sizeof(*s->item));
        s->count -= hi - lo - 1;
    }
    s->item[lo] = (struct ttp_span){from, to};
}

static int by_length(const void *a, const void *b)
{
    const struct ttp_startup_gap *x = a, *y = b;

    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void ttp_startup_find_gaps(struct ttp_startup *out, const struct ttp_spans *covered,
                           struct ttp_span within, int64_t least, struct ttp_arena *arena)
{
    int64_t at = within.from;
    size_t cap = 0;

    for (size_t i = 0; i < covered->count; i++) {
        const struct ttp_span *s = &covered->item[i];
        const int64_t to = s->from < within.to ? s->from : within.to;

        if (to - at >= least) {
            *TTP_PUSH(arena, out->gap, out->gaps, cap) =
                (struct ttp_startup_gap){at - within.from, to - at};
            out->gaps_ns += to - at;
        }
        at = s->to > at ? s->to : at;
    }
    if (out->gaps)
        qsort(out->gap, out->gaps, sizeof(*out->gap), by_length);
}
