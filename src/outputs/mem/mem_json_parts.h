/* SPDX-License-Identifier: Apache-2.0 */
/* mem_json_parts.h - what the page of memory is put together from. Private to outputs/mem. */
#ifndef TTP_OUTPUTS_MEM_MEM_JSON_PARTS_H
#define TTP_OUTPUTS_MEM_MEM_JSON_PARTS_H

#include "outputs/outputs.h"

/* The name of a file without folders and compression. */
ttp_str ttp_mem_file_name(const char *path);
/* Members for reports, logs of buffers and counters, where there are some. */
void ttp_mem_files_members(struct ttp_json_writer *w, const struct ttp_mem_run *run);
/* The value of "data". */
void ttp_mem_json(struct ttp_json_writer *w, const struct ttp_mem_view *view);
void ttp_mem_svg(struct ttp_sink *out, const struct ttp_mem_capture *c, struct ttp_arena *arena);

#endif
