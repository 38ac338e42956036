/* SPDX-License-Identifier: Apache-2.0 */
/* mem_parts.h - what the JSON of memory is put together from. Private to outputs. */
#ifndef TTP_OUTPUTS_MEM_PARTS_H
#define TTP_OUTPUTS_MEM_PARTS_H

#include "outputs/outputs.h"

/* The name of a file without folders and compression. */
ttp_str ttp_mem_file_name(const char *path);
/* Members for reports, logs of buffers and counters, where there are some. */
void ttp_mem_files_members(struct ttp_json_writer *w, const struct ttp_mem_run *run);

#endif
