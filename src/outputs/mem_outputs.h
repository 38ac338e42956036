/* SPDX-License-Identifier: Apache-2.0 */
/* mem_outputs.h - what is printed of memory and of start-up; part of the door of outputs. */
#ifndef TTP_OUTPUTS_MEM_OUTPUTS_H
#define TTP_OUTPUTS_MEM_OUTPUTS_H

#include "base/json_write.h"
#include "mem/mem.h"
#include "startup/startup.h"

/* How text is laid out. */
struct ttp_mem_style {
    int width; /* columns; 0: no limit */
    bool color, markdown;
    size_t top; /* rows of the table of ops, and of other lists */
};

/* The value of "data" in the JSON envelope; `difference` NULL: none was asked for. */
void ttp_out_mem_json(struct ttp_json_writer *w, const struct ttp_mem_run *run,
                      const struct ttp_mem_difference *difference, struct ttp_arena *arena);
void ttp_out_mem_text(struct ttp_sink *out, const struct ttp_mem_run *run,
                      const struct ttp_mem_style *style, struct ttp_arena *arena);
/* Every op on every device of all captures. */
void ttp_out_mem_csv(struct ttp_sink *out, const struct ttp_mem_run *run, struct ttp_arena *arena);
/* Stacked area over ops, lifetimes by address, and with a map of one op its addresses. */
void ttp_out_mem_svg(struct ttp_sink *out, const struct ttp_mem_capture *c,
                     struct ttp_arena *arena);

/* What differs from one capture to another. */
void ttp_out_mem_difference_text(struct ttp_sink *out, const struct ttp_mem_capture *a,
                                 const struct ttp_mem_capture *b,
                                 const struct ttp_mem_difference *d,
                                 const struct ttp_mem_style *style, struct ttp_arena *arena);

/* ---- the start of a run ---- */

struct ttp_startup_view {
    const struct ttp_startup *run; /* a process each */
    size_t ranks;
    const struct ttp_startup *other; /* of the second folder: the first of its processes */
    size_t others;
    const struct ttp_startup_finding *finding;
    size_t findings;
};
/* The value of "data" in the JSON envelope. */
void ttp_out_startup_json(struct ttp_json_writer *w, const struct ttp_startup_view *view);
void ttp_out_startup_text(struct ttp_sink *out, const struct ttp_startup_view *view,
                          const struct ttp_mem_style *style, struct ttp_arena *arena);
/* Programs that were compiled, the slowest first, of all processes. */
void ttp_out_startup_csv(struct ttp_sink *out, const struct ttp_startup_view *view,
                         struct ttp_arena *arena);

/* ---- the real-time profiler ---- */

/* The value of "data" in the JSON envelope. */
void ttp_out_realtime_json(struct ttp_json_writer *w, const struct ttp_realtime *r);
void ttp_out_realtime_csv(struct ttp_sink *out, const struct ttp_realtime *r);
void ttp_out_realtime_text(struct ttp_sink *out, const struct ttp_realtime *r,
                           const struct ttp_mem_style *style, struct ttp_arena *arena);

/* ---- what processes hold and do right now ---- */

struct ttp_top_process {
    int32_t pid;
    ttp_str name;
    bool alive, has_memory;
    size_t memory_chips; /* on which it holds memory */
    struct ttp_mem_counts bytes;
    struct ttp_activity activity;
};
struct ttp_top_live {
    struct ttp_top_process *process;
    size_t processes;
    const struct ttp_mem_shm_file *file; /* counters of each chip */
    size_t files;
    double dram_bytes; /* of a chip; 0: not known, or not the same for all */
};
/* One process for people: "DRAM 7.0 of 12.0 GB  L1 42 MB  CB 11 MB; launching 1,940/s: ...". */
void ttp_out_top_process(struct ttp_sink *out, const struct ttp_top_live *live,
                         const struct ttp_top_process *p);
/* Members "memory" and "activity" of an object. */
void ttp_out_top_live_members(struct ttp_json_writer *w, const struct ttp_top_live *live);

#endif
