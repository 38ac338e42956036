/* SPDX-License-Identifier: Apache-2.0 */
/* top_processes.h - memory and activity of processes, as figures. Private to outputs/top. */
#ifndef TTP_OUTPUTS_TOP_TOP_PROCESSES_H
#define TTP_OUTPUTS_TOP_TOP_PROCESSES_H

#include "base/field.h"

/* Of a struct ttp_mem_shm_file. */
extern const struct ttp_fields ttp_top_memory_fields;
/* Of a struct ttp_top_busy. */
extern const struct ttp_fields ttp_top_busy_fields;
/* Of a struct ttp_top_process. */
extern const struct ttp_fields ttp_top_activity_fields;

#endif
