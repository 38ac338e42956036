/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h - a timeline while it is written. */
#ifndef TTP_COMPAT_TIMELINE_H
#define TTP_COMPAT_TIMELINE_H

#include "compat/compat.h"

/* Deeper zones are left out: JSON readers have limits, too. */
#define TTP_NPEVIZ_DEPTH 100

struct ttp_npeviz {
    const struct ttp_noc_view *view;
    const struct ttp_topology *topology;
    int version;
    struct ttp_encoder *encoder; /* NULL: plain */
    struct ttp_sink sink;
    struct ttp_json_writer w;
    struct ttp_arena arena;
    uint32_t *number, *active;
    struct ttp_noc_zone_walk zones;
    struct ttp_sink text; /* path of the zones of a record */
    uint32_t *zone_count; /* by name: how often it began on a core and RISC */
    struct ttp_arena zone_arena;
};

void ttp_npeviz_key(struct ttp_npeviz *t, const char *key);

/* Back to the first record. */
void ttp_npeviz_rewind_zones(struct ttp_npeviz *t);
/* "OUTER[0]/INNER[3]": the zones around a record, which is not before the last one asked for. Valid
 * until the next call. */
ttp_str ttp_npeviz_zone_path(struct ttp_npeviz *t, uint32_t event);
/* All zones of all cores, each within those around it. */
void ttp_npeviz_zones(struct ttp_npeviz *t);

#endif
