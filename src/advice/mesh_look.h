/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_look.h - the times of all devices of a mesh for each op of a report. Private to advice. */
#ifndef TTP_ADVICE_MESH_LOOK_H
#define TTP_ADVICE_MESH_LOOK_H

#include "advice/advice.h"

/* An op on all devices. Times are means over its executions in the run: one execution alone says
 * little about a device. */
struct ttp_mesh_look {
    const struct ttp_mesh *mesh;
    const struct ttp_mesh_op *op;
    /* compute */
    uint32_t slowest; /* device */
    bool straggler;   /* it is one of the run */
    double on_path; /* of what a straggler loses, the part on the critical path: no more is saved */
    double slow_us; /* of that device */
    double other_us; /* of the slowest that is not a straggler */
    double mean_us;  /* over devices */
    bool uneven;     /* work is spread unevenly, and by more than that of the run's threshold */
    /* collectives */
    uint32_t last; /* device that was most often last; TTP_MESH_NONE */
    double wait_us, transfer_us;
    double late_us;      /* of the wait, due to idle devices: host and dispatch */
    double link_share;   /* of the peak; NAN: unknown */
    double run_transfer; /* part of the run that transfers of this op take */
    double run_wait;     /* the same of waits */
    double hidden;       /* part of its time that compute hides */
    size_t beside;       /* op of the report next to it that neither feeds nor uses it; TTP_NPOS */
};

/* By op of the report: NULL where nothing is known. `line`: by cell of the mesh, see
 * ttp_run_lines(). */
const struct ttp_mesh_look *const *ttp_advice_mesh_look_at(const struct ttp_report *report,
                                                           const struct ttp_mesh *mesh,
                                                           const uint32_t *line,
                                                           struct ttp_arena *arena);

#endif
