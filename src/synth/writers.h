/* SPDX-License-Identifier: Apache-2.0 */
/* writers.h - the files of a plan, one function each. Writing cannot fail here: ask the sink. */
#ifndef TTP_SYNTH_WRITERS_H
#define TTP_SYNTH_WRITERS_H

#include "base/progress.h"
#include "base/sink.h"
#include "synth/run_plan.h"

/* Returns the number of markers. `progress` may be NULL. */
uint64_t ttp_synth_put_device_log(struct ttp_sink *out, const struct ttp_synth_plan *p,
                                  struct ttp_progress *progress, struct ttp_arena *scratch);
void ttp_synth_put_cpp_report(struct ttp_sink *out, const struct ttp_synth_plan *p,
                              struct ttp_arena *scratch);
void ttp_synth_put_ops_times(struct ttp_sink *out, const struct ttp_synth_plan *p);
void ttp_synth_put_ops_data(struct ttp_sink *out, const struct ttp_synth_plan *p);
void ttp_synth_put_zone_sources(struct ttp_sink *out, const struct ttp_synth_plan *p);
void ttp_synth_put_topology(struct ttp_sink *out, const struct ttp_synth_plan *p);
void ttp_synth_put_coordinates(struct ttp_sink *out, const struct ttp_synth_plan *p);
/* Of a planted run whose side has one. */
void ttp_synth_put_graph_capture(struct ttp_sink *out, const struct ttp_synth_plan *p);

void ttp_synth_put_sync(struct ttp_sink *out, const struct ttp_synth_plan *p);
/* Executions [from, to), as the dispatch core of a device sees them; the number of rows. */
uint64_t ttp_synth_put_dispatch(struct ttp_sink *out, const struct ttp_synth_plan *p,
                                uint32_t device, size_t from, size_t to);

/* One execution on one device. */
void ttp_synth_put_noc_trace(struct ttp_sink *out, const struct ttp_synth_plan *p,
                             const struct ttp_synth_exec *e, uint32_t device);

/* The message of an op called for the first time, without back-ticks and time. */
void ttp_synth_put_message(struct ttp_sink *out, const struct ttp_synth_call *c, uint32_t device);

/* The zones of CB-COMPUTE-WAIT-FRONT on TRISC_0 and CB-COMPUTE-RESERVE-BACK on TRISC_2. */
extern const struct ttp_synth_zone ttp_synth_sum_zones[2];

#endif
