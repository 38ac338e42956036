/* SPDX-License-Identifier: Apache-2.0 */
/* run_events.h - the host's side of a made-up run as a Tracy client would live through it: zones
 * that begin and end, on threads where they nest, and messages, in order of time. */
#ifndef TTP_TESTS_RUN_EVENTS_H
#define TTP_TESTS_RUN_EVENTS_H

#include "base/arena.h"
#include "tracy_client.h"

enum run_event_kind { RUN_ZONE_END, RUN_ZONE_BEGIN, RUN_MESSAGE };

struct run_event {
    uint64_t ns;
    enum run_event_kind kind;
    uint32_t thread; /* from 1 */
    uint64_t other;  /* of a begin: its end; of an end: its begin */
    ttp_str text;    /* of a message, or of a zone; empty: none */
    const struct tc_source *source;
    size_t number; /* breaks ties: order in the file */
};

struct run_events {
    struct run_event *event;
    size_t count;
    uint32_t threads;
};

/* From the texts of tracy_ops_times.csv and tracy_ops_data.csv, which must outlive it. */
void run_events_make(struct run_events *out, ttp_str zones, ttp_str messages,
                     struct ttp_arena *arena);

#endif
