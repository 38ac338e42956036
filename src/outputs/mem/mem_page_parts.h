/* SPDX-License-Identifier: Apache-2.0 */
/* mem_page_parts.h - parts of the memory page. Private to outputs/mem. */
#ifndef TTP_OUTPUTS_MEM_MEM_PAGE_PARTS_H
#define TTP_OUTPUTS_MEM_MEM_PAGE_PARTS_H

#include "outputs/outputs.h"
#include "outputs/picture/picture.h"

void ttp_out_mem_picture(struct ttp_picture *out, const struct ttp_mem_capture *c,
                         struct ttp_arena *arena);

#define TTP_MEM_OPS_TITLE   "Fullest ops, L1 per bank"
#define TTP_MEM_STALE_TITLE "Stale: still allocated, but never used again"

/* A table next to the main one: at most `top` rows. */
void ttp_out_mem_put_rows(const struct ttp_show *p, const char *title,
                          const struct ttp_records *rows, size_t top);
const char *ttp_out_mem_grouped(const struct ttp_show *p, uint64_t v);
unsigned ttp_out_mem_percent(uint64_t part, uint64_t all);
/* Allocations that failed, which is why most users come; nothing if there are none. */
void ttp_out_mem_put_failures(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top);
/* Data from other sources than captures; `top`: rows of each list. */
void ttp_out_mem_put_files(const struct ttp_show *p, const struct ttp_mem_run *run, size_t top);

#endif
