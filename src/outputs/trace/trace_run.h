/* SPDX-License-Identifier: Apache-2.0 */
/* trace_run.h - private to outputs: a run being put on a timeline.
 *
 * Host times are nanoseconds since the profiler started, device times cycles since that device was
 * reset. A device's cycles become nanoseconds exactly (rounded down, once) and are then shifted by
 * a whole number, the smallest for which no op begins on the device before the host sent it. */
#ifndef TTP_OUTPUTS_TRACE_RUN_H
#define TTP_OUTPUTS_TRACE_RUN_H

#include "base/map.h"
#include "outputs/trace/trace_writer.h"

/* One execution of a program on a device. */
struct ttp_trace_op {
    struct ttp_exec_key key; /* device: position in ttp_tracing.device */
    uint64_t start_cycle, end_cycle;
    int64_t kernel_cycles; /* TTP_NO_ID: unknown */
    uint32_t cores, threads;
    int64_t sub_device;
    const struct ttp_host_op *host; /* NULL: the host did not announce it */
    int64_t host_ns;                /* when it was sent; valid if row != TTP_NPOS and host */
    size_t row;                     /* of the report; TTP_NPOS: none */
    bool wanted;
};

struct ttp_trace_device_state {
    int64_t id;
    uint64_t mhz; /* at least 1 */
    int64_t shift_ns;
    bool wanted;
    uint64_t first_cycle; /* of any op */
    ttp_track group;
};

struct ttp_tracing {
    const struct ttp_trace_run *run;
    const struct ttp_trace_options *options;
    struct ttp_trace_writer w;
    struct ttp_arena *arena;
    struct ttp_trace_device_state *device; /* by id */
    size_t ndevices;
    struct ttp_trace_op *op; /* by device and time */
    size_t nops;
    struct ttp_map by_key;     /* position in op */
    uint32_t *flow_of_host_op; /* position in op + 1, by position in the host log; 0: none */
    bool narrowed;             /* not all ops are shown */
    bool has_window;
    int64_t from_ns, to_ns; /* of the host, where narrowed; all of it otherwise */
    int64_t host_shift_ns;
    ttp_track host; /* the process */
};

bool ttp_out_trace_wants_device(const struct ttp_trace_filter *filter, int64_t device);
bool ttp_out_trace_wants_core(const struct ttp_trace_filter *filter, int32_t x, int32_t y);
bool ttp_out_trace_wants_zone(const struct ttp_trace_filter *filter, ttp_str name);

/* Nanoseconds on the device's own clock, rounded down: exact for every cycle below
 * TTP_TRACE_CYCLE_MAX. */
TTP_INLINE int64_t ttp_trace_cycles_to_ns(uint64_t cycles, uint64_t mhz)
{
    return (int64_t)(cycles / mhz * 1000 + cycles % mhz * 1000 / mhz);
}
/* A cycle counter has 44 bits, and no host has been up for 36 years: what is beyond
 * these is damage. Sums of such times do not overflow. */
#define TTP_TRACE_CYCLE_MAX   ((uint64_t)1 << 50)
#define TTP_TRACE_HOST_NS_MAX ((int64_t)1 << 60)

TTP_INLINE int64_t ttp_trace_device_ns(const struct ttp_trace_device_state *d, uint64_t cycles)
{
    return ttp_trace_cycles_to_ns(cycles, d->mhz) + d->shift_ns;
}

/* Which ops there are, which of them are shown, and the clocks. Nothing is written. */
TTP_NODISCARD ttp_code ttp_out_tracing_plan(struct ttp_tracing *t, struct ttp_err *err);
/* The execution of that key; NULL: none. */
const struct ttp_trace_op *ttp_out_tracing_find(const struct ttp_tracing *t,
                                                const struct ttp_exec_key *key);
/* Position of a device, TTP_NPOS: none of that id. */
size_t ttp_out_tracing_device(const struct ttp_tracing *t, int64_t id);
/* "Matmul 32 x 64 x 32" as in the report, or what represents it where the host did not say. */
ttp_str ttp_out_tracing_op_name(const struct ttp_tracing *t, const struct ttp_trace_op *op,
                                char *buf, size_t size);
/* A member of an op's description; empty: it has none. */
ttp_str ttp_out_tracing_field(const struct ttp_host_op *op, const char *key);

/* Signposts, replays, ops of the devices, what graphics tools know, counters. */
TTP_NODISCARD ttp_code ttp_out_tracing_put_ops(struct ttp_tracing *t, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_out_tracing_put_counters(struct ttp_tracing *t, struct ttp_err *err);
/* Cores and their processors, from the device log. */
TTP_NODISCARD ttp_code ttp_out_tracing_put_zones(struct ttp_tracing *t, struct ttp_err *err);
/* Counters, and transfers if asked for, from NoC traces. */
TTP_NODISCARD ttp_code ttp_out_tracing_put_noc(struct ttp_tracing *t, struct ttp_err *err);
/* Threads of the host and its messages. */
TTP_NODISCARD ttp_code ttp_out_tracing_put_memory(struct ttp_tracing *t, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_out_tracing_put_host(struct ttp_tracing *t, struct ttp_err *err);

/* ---- slices that come in order of their start, on as many tracks as it takes ---- */

#define TTP_LANES_MAX 64
struct ttp_lanes {
    struct ttp_trace_writer *w;
    struct ttp_trace_track spec; /* of each track: set by the caller */
    bool flat;                   /* one slice at a time on a track; else they nest */

    /* Private. */
    struct ttp_lane {
        ttp_track track;
        int64_t *end; /* of the open slices, the innermost last */
        size_t depth, cap;
    } lane[TTP_LANES_MAX];
    size_t nlanes;
};

/* Of slices that start together the longest comes first. False: no track has room. */
bool ttp_out_lanes_put(struct ttp_lanes *lanes, const struct ttp_trace_slice *s);
/* End what is open; the tracks stay. */
void ttp_out_lanes_finish(struct ttp_lanes *lanes);

#endif
