/* SPDX-License-Identifier: Apache-2.0 */
/* spans.h - stretches of time in order, merged where they are near. Private to startup. */
#ifndef TTP_STARTUP_SPANS_H
#define TTP_STARTUP_SPANS_H

#include "base/arena.h"

struct ttp_startup_span {
    int64_t from, to;
};

struct ttp_spans {
    struct ttp_startup_span *item;
    size_t count, cap;
};

/* Add a stretch to those that are at least `apart` from each other. */
void ttp_startup_spans_cover(struct ttp_spans *s, int64_t from, int64_t to, int64_t apart,
                             struct ttp_arena *arena);

#endif
