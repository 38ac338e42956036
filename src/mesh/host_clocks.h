/* SPDX-License-Identifier: Apache-2.0 */
/* host_clocks.h - what the clocks of hosts say about ops and time lines. Private to mesh.
 *
 * Host times are nanoseconds since the earliest moment of all parts. */
#ifndef TTP_MESH_HOST_CLOCKS_H
#define TTP_MESH_HOST_CLOCKS_H

#include "mesh/build.h"

/* HOST START TS of a row; false: unknown, or it is replayed, and its row has the time of the
 * capture. */
bool ttp_mesh_host_start(double *out, const struct ttp_mesh_part *part, uint32_t row);
/* Parts are by rank: those of one machine get the REALTIME of its first, so that a step of the
 * clock between two readings moves none of them against another. */
void ttp_mesh_host_share_realtime(struct ttp_mesh_part *part, size_t parts);
/* When the host enqueued an op of a rank, for its first device; false: unknown. */
bool ttp_mesh_host_time(double *out, const struct ttp_mesh_build *b,
                        const struct ttp_mesh_sequence *seq, size_t step);
/* How far apart the clocks of two parts may be. */
double ttp_mesh_host_error(const struct ttp_mesh_build *b, uint32_t one, uint32_t other);
/* Fill mesh->timeline, once the devices of each are aligned. */
void ttp_mesh_host_relate_timelines(struct ttp_mesh_build *b, const uint32_t *reference);

#endif
