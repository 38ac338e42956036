/* SPDX-License-Identifier: Apache-2.0 */
/* report_memory.h - the memory of a report's ops as parts of a document. Private to outputs. */
#ifndef TTP_OUTPUTS_REPORT_REPORT_MEMORY_H
#define TTP_OUTPUTS_REPORT_REPORT_MEMORY_H

#include "outputs/outputs.h"

/* The peaks of each device of the capture; nothing is filled in without one. */
extern const struct ttp_fields ttp_report_memory_devices_fields;
void ttp_out_report_memory_devices(struct ttp_document *doc, size_t part,
                                   const struct ttp_report *r);
/* L1 of each op of the window, in their order. */
void ttp_out_report_memory_ops(struct ttp_document *doc, size_t part, const struct ttp_report *r,
                               struct ttp_arena *arena);

#endif
