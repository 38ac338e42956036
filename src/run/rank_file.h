/* SPDX-License-Identifier: Apache-2.0 */
/* rank_file.h - files next to the logs of a rank: rank.json and mapping files. Private to run.
 */
#ifndef TTP_RUN_RANK_FILE_H
#define TTP_RUN_RANK_FILE_H

#include "mesh/mesh.h"
#include "run/run.h"

/* Of the text of a rank.json. TTP_EPARSE: it is not one; err->offset says where. */
TTP_NODISCARD ttp_code ttp_run_rank_parse(struct ttp_rank_facts *out, ttp_str text,
                                          struct ttp_arena *arena, struct ttp_err *err);
/* How the host's log of a rank relates to those of the others; not known without clocks. */
struct ttp_mesh_host_clock ttp_run_rank_clock(const struct ttp_run_rank *r,
                                              struct ttp_arena *arena);
/* Of a physical_chip_mesh_coordinate_mapping file: the map `chips`. TTP_EPARSE: a line of it is
 * none of a chip; err->line says which. */
TTP_NODISCARD ttp_code ttp_run_mapping_parse(struct ttp_mesh_place **out, size_t *count,
                                             ttp_str text, struct ttp_arena *arena,
                                             struct ttp_err *err);
/* Of a sync_device_info.csv: where clocks stood at its synchronisations. None if several roots have
 * samples. TTP_EPARSE: a line is not a row of it; err->line says which. */
TTP_NODISCARD ttp_code ttp_sync_parse(struct ttp_mesh_sync **out, size_t *count, ttp_str text,
                                      struct ttp_arena *arena, struct ttp_err *err);

#endif
