/* SPDX-License-Identifier: Apache-2.0 */
/* annotate_fields.h - figures of source lines and of the threads that ran them. Private to outputs.
 */
#ifndef TTP_OUTPUTS_KERNEL_ANNOTATE_FIELDS_H
#define TTP_OUTPUTS_KERNEL_ANNOTATE_FIELDS_H

#include "outputs/outputs.h"

struct ttp_annotate_wait_row {
    const char *what; /* "DMA" or "compute" */
    const struct ttp_wait_source *of;
    ttp_str kernel;
    int64_t line, buffer;
};

struct ttp_annotate_row {
    const struct ttp_annotated_thread *in;
    const char *thread;
    ttp_str kernel, path, source;
    struct ttp_annotated_line of;
    struct ttp_cycle_count executions; /* of the line, with all zones of it in the sum */
    double time_pct, mean_cycles;
    double per_core, per_core_before; /* NaN: nothing to compare with */
    double change_pct;
    struct ttp_annotate_wait_row *wait;
    size_t waits;
    int64_t barrier; /* buffer of a DMA barrier; -1: none */
};

struct ttp_annotate_thread_row {
    const char *thread;
    ttp_str kernel, path;
    bool has_source;
    struct ttp_annotated_thread of;
};

/* Lines of all threads, as many as they have together. */
struct ttp_annotate_row *ttp_out_annotate_rows(size_t *count, const struct ttp_annotate_view *view,
                                               struct ttp_arena *arena);
struct ttp_annotate_thread_row *ttp_out_annotate_threads(const struct ttp_annotate_view *view,
                                                         struct ttp_arena *arena);
/* The same thread of the run compared with; NULL: none. */
const struct ttp_annotated_thread *ttp_out_annotate_other(const struct ttp_annotate_view *view,
                                                          const struct ttp_annotated_thread *t);
/* Part of the thread's time, in percent. */
double ttp_out_annotate_pct(const struct ttp_annotated_thread *t, uint64_t cycles);
/* Cycles of a line on one core of one invocation; `l` NULL: 0. */
double ttp_out_annotate_per_core(const struct ttp_annotated_thread *t,
                                 const struct ttp_annotated_line *l);

extern const struct ttp_fields ttp_annotate_fields;        /* of struct ttp_annotate_row */
extern const struct ttp_fields ttp_annotate_thread_fields; /* of struct ttp_annotate_thread_row */

#endif
