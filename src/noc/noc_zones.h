/* SPDX-License-Identifier: Apache-2.0 */
/* noc_zones.h - the part of the door that is about zones; include noc.h. */
#ifndef TTP_NOC_NOC_ZONES_H
#define TTP_NOC_NOC_ZONES_H

#include "logs/logs.h"

struct ttp_noc_open_zone {
    ttp_sym name;
    uint32_t count; /* how often one of that name began before it on this core and RISC */
};

/* Which zones are open at a record; moves forward through the trace. */
struct ttp_noc_zone_walk {
    const struct ttp_noc_trace *trace;
    struct ttp_noc_open_zone *open; /* the outermost first */
    size_t nopen;
    bool away;     /* the record's core and RISC have no zones: none is open there */
    size_t nlists; /* cores and RISCs with zones */

    /* Private. */
    struct ttp_noc_zone_list *list;
    uint32_t *zone; /* records of zones, by list and in file order */
    const struct ttp_noc_zone_list *at;
    size_t next;     /* in `zone` */
    size_t record;   /* the first that was not looked at */
    uint32_t *count; /* by name */
    uint8_t last;    /* RISC of the record before */
    size_t cap_open;
    struct ttp_arena *arena;
};

/* From the first record of the trace on. Refers to `trace`. */
void ttp_noc_zones_init(struct ttp_noc_zone_walk *out, const struct ttp_noc_trace *trace,
                        struct ttp_arena *arena);
/* Up to record `event`, which is not before the last one. Ends that do not end the innermost zone
 * are passed over; in a trace with `strict_zones` they are TTP_EPARSE, and so
 * is a trace that begins on a core without zones. */
TTP_NODISCARD ttp_code ttp_noc_zones_enter(struct ttp_noc_zone_walk *w, size_t event,
                                           struct ttp_err *err);

/* The records of the zones of core and RISC number `list`, in file order. */
size_t ttp_noc_zones_of(const uint32_t **out, const struct ttp_noc_zone_walk *w, size_t list);
enum ttp_noc_risc ttp_noc_zones_risc(const struct ttp_noc_zone_walk *w, size_t list);

/* Zones that do not pair up: records that end a zone which is not the innermost, and zones that do
 * not end. */
struct ttp_noc_unpaired {
    size_t count;
    uint32_t first;     /* record */
    uint32_t first_end; /* that ends what is not the innermost; UINT32_MAX: none does */
};
void ttp_noc_zones_unpaired(struct ttp_noc_unpaired *out, const struct ttp_noc_zone_walk *w,
                            struct ttp_arena *scratch);
/* The failure of tt-npe at a record that ends a zone which is not the innermost. */
ttp_code ttp_noc_zones_refuse_end(const struct ttp_noc_trace *trace, size_t record,
                                  struct ttp_err *err);

/* Cycles of a record since the first of all, as timelines show them. tt-npe computes with doubles.
 */
double ttp_noc_zone_cycle(const struct ttp_noc_trace *trace, const struct ttp_noc_event *e);

#endif
