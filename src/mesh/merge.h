/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h - ranks merged by their tables. Private to mesh. */
#ifndef TTP_MESH_MERGE_H
#define TTP_MESH_MERGE_H

#include "mesh/table.h"

#define TTP_MERGE_BINS 32

/* Durations of an op between its least and its most. */
struct ttp_merge_spread {
    struct ttp_merge_key key;
    uint32_t bin[TTP_MERGE_BINS];
};

extern const struct ttp_merge_sum ttp_merge_ops, ttp_merge_spreads, ttp_merge_meetings;

/* A table on its way: rows in any order, keys may repeat. */
struct ttp_merge_rows {
    const struct ttp_merge_sum *how;
    char *row;
    size_t count, room;
    struct ttp_arena *arena;
};
void *ttp_mesh_merge_new_row(struct ttp_merge_rows *rows);
/* By key, each once. */
ttp_str ttp_mesh_merge_settle(struct ttp_merge_rows *rows);
/* The row with a key; NULL: none. */
const void *ttp_mesh_merge_find(ttp_str table, const struct ttp_merge_sum *how, uint32_t line,
                                uint32_t ordinal, uint32_t group);

/* The jobs of ranks, for everybody. TTP_EPARSE: two of them differ. */
ttp_str ttp_mesh_merge_pack_jobs(struct ttp_mesh_reduced *const *table, size_t tables,
                                 struct ttp_arena *arena);
TTP_NODISCARD ttp_code ttp_mesh_merge_check_jobs(const ttp_str *text, size_t texts,
                                                 struct ttp_err *err);

/* A rank here, in the mesh of its line. */
struct ttp_merge_local {
    const struct ttp_mesh_reduced *table;
    const struct ttp_mesh *mesh;
    uint32_t line, part, first_device;
    uint32_t *group_of; /* [axis * devices of the mesh + device]: from 1; 0: none */
    uint32_t sent_bytes;
};
int64_t ttp_mesh_merge_ns(const struct ttp_merge_local *l, const struct ttp_table_cell *c);
uint32_t ttp_mesh_merge_group(const struct ttp_merge_local *l, uint32_t op, uint32_t device);
/* What its devices did, compared with the medians of all. */
void ttp_mesh_merge_devices(struct ttp_merge_device *out, const struct ttp_merge_local *l,
                            ttp_str ops, ttp_str meetings, struct ttp_arena *scratch);

#endif
