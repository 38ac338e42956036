/* SPDX-License-Identifier: Apache-2.0 */
/* tracy_nest.h - private to capture: zones of all threads in the order of their begins, taken apart
 * by thread, with what a .tracy file says before the zones inside a zone: how many there are. */
#ifndef TTP_CAPTURE_TRACY_NEST_H
#define TTP_CAPTURE_TRACY_NEST_H

#include "base/arena.h"

struct ttp_nest {
    size_t count, groups;
    uint32_t *first;    /* of each group, position in `order`; one more at the end */
    uint32_t *order;    /* positions of zones, those of a group in the order of their begins */
    uint32_t *parent;   /* position of the zone around it, or TTP_ZONE_NONE */
    uint32_t *children; /* how many zones are directly in a zone */
    uint32_t *roots;    /* of each group: zones that are in none */
    uint64_t parents;   /* zones that have some */
};

/* Group and parent of zone `at`, as its owner has them. */
typedef uint32_t ttp_nest_fn(const void *owner, uint32_t at);

/* `nest` has count and groups set; every group is below `groups`. A parent that is of another
 * group, or was over before its child began, does not count: damaged recordings have such. */
void ttp_capture_nest_build(struct ttp_nest *nest, const void *owner, ttp_nest_fn *group_of,
                            ttp_nest_fn *parent_of, struct ttp_arena *arena);

#endif
