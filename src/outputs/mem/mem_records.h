/* SPDX-License-Identifier: Apache-2.0 */
/* mem_records.h - memory of a run as JSON has it. Private to outputs/mem. */
#ifndef TTP_OUTPUTS_MEM_MEM_RECORDS_H
#define TTP_OUTPUTS_MEM_MEM_RECORDS_H

#include "outputs/mem/mem_outputs.h"

/* A capture, and what its figures are taken from. */
struct ttp_mem_graph {
    const struct ttp_mem_capture *capture;
    const struct ttp_mem_failure *failure; /* that ended the run; NULL: none */
    const struct ttp_mem_to_free *to_free;
    struct ttp_arena *arena;
};

/* The name of a file without folders and compression. */
ttp_str ttp_out_mem_file_name(const char *path);
static inline struct ttp_value ttp_out_mem_known(bool known, uint64_t v)
{
    return known ? ttp_value_i64((int64_t)v) : (struct ttp_value){0};
}

/* Keys are names of files. Rows: struct ttp_mem_graph, ttp_mem_database. */
extern const struct ttp_fields ttp_mem_graph_fields, ttp_mem_database_fields;
/* Rows: struct ttp_mem_report, of programs and of L1; ttp_mem_shm_file, with an arena as context.
 */
extern const struct ttp_fields ttp_mem_report_fields, ttp_mem_l1_report_fields, ttp_mem_shm_fields;
/* Rows: struct ttp_mem_buffer_log. */
extern const struct ttp_fields ttp_mem_buffer_log_fields;
/* Rows: struct ttp_mem_graph, the failure of which is meant. A message tells other figures of
 * circular buffers than of an allocation. */
extern const struct ttp_fields ttp_mem_failure_fields;
struct ttp_records ttp_out_mem_failure_of(const struct ttp_mem_graph *g);
/* What a capture tells besides its figures. Rows: struct ttp_mem_graph. */
extern const struct ttp_fields ttp_mem_note_fields;
/* Members of "data". Rows: struct ttp_mem_view. */
extern const struct ttp_fields ttp_mem_data_fields;

#endif
