/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_parts.h - sections of the kernel verb's text. Private to outputs. */
#ifndef TTP_OUTPUTS_KERNEL_PARTS_H
#define TTP_OUTPUTS_KERNEL_PARTS_H

#include "outputs/outputs.h"

/* "1.5 KB" in units of 1024, and "1,500 cycles (1.5 us)". */
void ttp_put_volume(struct ttp_sink *out, uint64_t bytes);
void ttp_put_time(struct ttp_sink *out, uint64_t cycles, uint64_t mhz);
/* "Program 1024 (name), device 0, trace 3, replay 1" */
void ttp_put_program_title(struct ttp_sink *out, const struct ttp_kernel_program *m);
/* "├──●──┤" between compute and memory. */
void ttp_put_balance(struct ttp_sink *out, double compute, double memory);
/* Time of each core on the grid. */
void ttp_put_heat(struct ttp_sink *out, const struct ttp_kernel_view *view,
                  const struct ttp_kernel_program *m, struct ttp_arena *arena);
void ttp_put_flow(struct ttp_sink *out, const struct ttp_kernel_view *view,
                  struct ttp_arena *arena);
void ttp_put_pipes(struct ttp_sink *out, const struct ttp_kernel_view *view);
void ttp_put_perf(struct ttp_sink *out, const struct ttp_kernel_view *view,
                  const struct ttp_kernel_program *m);

/* Zones of a program that are neither lines nor waits: what people placed themselves. By RISC, then
 * by their first appearance. */
struct ttp_user_zone {
    ttp_str name;
    enum ttp_kernel_risc risc;
    const struct ttp_line_stat *stat;
};
size_t ttp_kernel_user_zones(struct ttp_user_zone **out, const struct ttp_kernel_report *report,
                             const struct ttp_kernel_program *m, struct ttp_arena *arena);

/* How long a kernel waited at a line in one way, over all programs of the report: the RISC that
 * waited longest, and which part of its kernels' time that was. False: it did not. */
struct ttp_line_wait {
    enum ttp_kernel_risc risc;
    uint64_t cycles, count;
    double part;
};
bool ttp_kernel_line_wait(struct ttp_line_wait *out, const struct ttp_kernel_report *report,
                          ttp_str kernel, int64_t line, const char *op);

#endif
