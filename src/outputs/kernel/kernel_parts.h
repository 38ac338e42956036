/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_parts.h - sections of the kernel verb's page. Private to outputs. */
#ifndef TTP_OUTPUTS_KERNEL_KERNEL_PARTS_H
#define TTP_OUTPUTS_KERNEL_KERNEL_PARTS_H

#include "outputs/kernel/kernel_fields.h"

struct ttp_kernel_page {
    const struct ttp_show *show;
    struct ttp_sink *out; /* of show */
    const struct ttp_kernel_view *view;
    const struct ttp_kernel_row *const *row; /* programs to show */
    size_t rows;
    ttp_str alike; /* kinds of programs with the most time, in words; empty: all are shown */
    const struct ttp_flow_row *flow; /* NULL: no flow graph */
};

/* Set the programs to show: all, or some of each kind, as the view asks. */
void ttp_out_choose_programs(struct ttp_kernel_page *p, const struct ttp_table *table);

/* "Program 1024 (name), device 0, trace 3, replay 1" */
void ttp_out_put_program_title(struct ttp_sink *out, const struct ttp_kernel_program *m);
/* The same as a heading, wrapped. */
void ttp_out_put_program_heading(const struct ttp_kernel_page *p,
                                 const struct ttp_kernel_program *m);
/* Traffic, times of threads and cores, and the time of each core on the grid. */
void ttp_out_put_perf(const struct ttp_kernel_page *p, const struct ttp_kernel_row *row);
void ttp_out_put_heat(const struct ttp_kernel_page *p, const struct ttp_kernel_row *row);
void ttp_out_put_flow(const struct ttp_kernel_page *p);
void ttp_out_put_pipes(const struct ttp_kernel_page *p);

#endif
