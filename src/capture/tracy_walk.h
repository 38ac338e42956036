/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_walk.h - private to capture: zones as a .tracy file has them, each with its children inside
 * it, walked without recursion. */
#ifndef TTP_CAPTURE_TRACY_WALK_H
#define TTP_CAPTURE_TRACY_WALK_H

#include "capture/tracy_file.h"

/* What is kept of a zone that is open: the first member of a reader's own struct. */
struct ttp_tracy_level {
    uint64_t left; /* zones next to it that are still to come */
};

/* The zones that are open. */
struct ttp_tracy_walk {
    void *level; /* `size` bytes each, zero when they begin */
    size_t size, depth, cap;
};

/* The innermost open zone. */
TTP_INLINE void *ttp_tracy_innermost(const struct ttp_tracy_walk *w)
{
    return (char *)w->level + (w->depth - 1) * w->size;
}

/* `left` zones begin inside the innermost one. False: too deep. */
bool ttp_tracy_go_deeper(struct ttp_tracy *t, struct ttp_tracy_walk *w, uint64_t left);

/* Reads the head or the tail of the innermost zone; false: it cannot be read. */
typedef bool ttp_tracy_open_fn(struct ttp_tracy *t, void *line, uint64_t *children);
typedef bool ttp_tracy_close_fn(struct ttp_tracy *t, void *line);

/* `n` zones and all inside them; `line` is what the functions get. */
TTP_INLINE bool ttp_tracy_walk_zones(struct ttp_tracy *t, struct ttp_tracy_walk *w, uint64_t n,
                                     ttp_tracy_open_fn *open, ttp_tracy_close_fn *close, void *line)
{
    w->depth = 0;
    if (n == 0)
        return true;
    if (!ttp_tracy_go_deeper(t, w, n))
        return false;
    while (w->depth) {
        struct ttp_tracy_level *l = ttp_tracy_innermost(w);
        uint64_t children;

        if (l->left == 0) { /* all next to it are done: the one around them ends */
            w->depth--;
            if (w->depth && !close(t, line))
                return false;
            continue;
        }
        l->left--;
        if (!open(t, line, &children))
            return false;
        if (children ? !ttp_tracy_go_deeper(t, w, children) : !close(t, line))
            return false;
    }
    return true;
}

#endif
