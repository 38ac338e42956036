/* SPDX-License-Identifier: Apache-2.0 */
/* trace_decode.h - a minimal reader of Perfetto traces for tests: it knows the wire format and the
 * few messages we write, and shares no code with what writes them. Everything it finds odd is
 * counted. */
#ifndef TTP_TEST_TRACE_DECODE_H
#define TTP_TEST_TRACE_DECODE_H

#include "base/arena.h"

struct td_track {
    uint64_t uuid, parent;
    ttp_str name, unit;
    bool process, thread, counter;
    int64_t rank;
};

struct td_arg {
    ttp_str key;
    ttp_str text; /* of any value */
};

enum td_kind { TD_SLICE, TD_INSTANT, TD_COUNTER, TD_STAGE };

struct td_event {
    enum td_kind kind;
    uint64_t track;
    int64_t ts, dur; /* dur -1: never ended */
    int depth;
    ttp_str name;
    struct td_arg *arg;
    size_t nargs;
    uint64_t flow_out, flow_in;
    double value;                  /* counters */
    uint64_t gpu, grid, workgroup; /* stages */
};

struct td_trace {
    struct td_track *track;
    size_t ntracks;
    struct td_event *event; /* by time; of equals in the order of the file */
    size_t nevents;
    size_t packets, sequences, delta_packets, absolute_packets;
    size_t gpus;

    /* What must be 0. */
    size_t malformed;      /* bytes that are not message */
    size_t unknown_fields; /* that we do not write */
    size_t no_state;       /* packets that need a state their sequence does not have */
    size_t unknown_names;  /* interned texts that were never told */
    size_t unknown_tracks;
    size_t lone_ends, unended;
    size_t crossed; /* slices that end after the one around them */
};

/* An event as it appears in the file. */
struct td_raw {
    int type; /* 1 begin, 2 end, 3 instant, 4 counter, 5 stage */
    size_t order;
    struct td_event e;
};

/* Private: fills the events of *t. `raw` is sorted. */
void td_pair(struct td_trace *t, struct td_raw *raw, size_t nraw, struct ttp_arena *arena);

void td_decode(struct td_trace *out, ttp_str bytes, struct ttp_arena *arena);
const struct td_track *td_find_track(const struct td_trace *t, uint64_t uuid);
/* "Device 0/Core (1,1)/BRISC" */
ttp_str td_path(const struct td_trace *t, uint64_t uuid, struct ttp_arena *arena);
/* The value of an argument as text, empty if it is missing. */
ttp_str td_arg(const struct td_event *e, const char *key);
/* Sum of what must be 0. */
size_t td_faults(const struct td_trace *t);

#endif
