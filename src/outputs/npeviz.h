/* SPDX-License-Identifier: Apache-2.0 */
/* npeviz.h - a timeline while it is written. Private to outputs. */
#ifndef TTP_OUTPUTS_NPEVIZ_H
#define TTP_OUTPUTS_NPEVIZ_H

#include "outputs/outputs.h"

/* Deeper zones are left out: JSON readers have limits, too. */
#define TTP_NPEVIZ_DEPTH 100

/* Which zones are open at a record; moves forward through the trace. */
struct ttp_zone_walk {
    struct ttp_arena arena;
    size_t next;     /* record to look at */
    size_t core_end; /* behind the last one of the core and RISC at hand */
    uint32_t *count; /* by name: how often it began on this core and RISC */
    struct {
        ttp_sym name;
        uint32_t count;
    } open[TTP_NPEVIZ_DEPTH];
    size_t nopen;
    struct ttp_sink text;
};

struct ttp_npeviz {
    const struct ttp_noc_view *view;
    const struct ttp_topology *topology;
    int version;
    struct ttp_encoder *encoder; /* NULL: plain */
    struct ttp_sink sink;
    struct ttp_json_writer w;
    struct ttp_arena arena;
    uint32_t *number, *active;
    struct ttp_zone_walk zones;
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
