/* SPDX-License-Identifier: Apache-2.0 */
/* run_log.h - private to kernel: figures of a run's printed reports, while they are read. */
#ifndef TTP_KERNEL_RUN_LOG_H
#define TTP_KERNEL_RUN_LOG_H

#include "base/sink.h"
#include "kernel/kernel.h"

/* A program of a PERF SUMMARY, or what the line profile and the signposts say of all programs. */
struct ttp_log_program {
    bool dropped; /* its section came again */
    bool perf;
    uint64_t run_id;
    ttp_str name;
    uint64_t duration;
    double gbs; /* effective bandwidth; 0: unknown */
    size_t cols, rows;
    uint64_t cores;
    bool has_traffic;
    struct ttp_traffic traffic;
    uint64_t channels;
    struct ttp_cycle_spread kernel[TTP_KERNEL_RISCS]; /* only min and max are printed */
    bool has_threads;
    struct ttp_kernel_core core; /* sums over cores represent one core */
    ttp_str kernel_name[TTP_KERNEL_RISCS];
    uint64_t ops[TTP_KERNEL_RISCS];
};

struct ttp_log_line {
    uint32_t program;
    ttp_sym zone;
    enum ttp_kernel_risc risc;
    struct ttp_cycle_count cycles;
};

struct ttp_run_log_build {
    struct ttp_arena *arena;
    struct ttp_log_program *program;
    size_t nprograms;
    struct ttp_log_line *line;
    size_t nlines;
    struct ttp_symtab names;
    ttp_str arch;
    uint64_t mhz;
    int64_t cores, max_compute_cores; /* of our text, of TT-Lang's */
    size_t perf, lines, signposts; /* position + 1 of the program that the section fills; 0: none */
    enum ttp_kernel_risc risc;     /* of the thread being read */
    ttp_str kernel;
    int64_t number;     /* of the line being read */
    size_t parent;      /* position + 1 of a line that its operations will replace */
    bool signpost_sums; /* the table has a column COUNT */
};

/* A title was met. */
void ttp_kernel_log_begin_perf(struct ttp_run_log_build *b);
void ttp_kernel_log_begin_lines(struct ttp_run_log_build *b);
void ttp_kernel_log_begin_signposts(struct ttp_run_log_build *b);
/* One line of a section; lines of another form are passed over. */
void ttp_kernel_log_perf_line(struct ttp_run_log_build *b, ttp_str line);
void ttp_kernel_log_source_line(struct ttp_run_log_build *b, ttp_str line);
void ttp_kernel_log_thread_line(struct ttp_run_log_build *b, ttp_str line);
void ttp_kernel_log_roofline_line(struct ttp_run_log_build *b, ttp_str line);
void ttp_kernel_log_signpost_line(struct ttp_run_log_build *b, ttp_str line);
/* A new program, position + 1. */
size_t ttp_kernel_log_add_program(struct ttp_run_log_build *b);
bool ttp_kernel_log_risc(ttp_str name, enum ttp_kernel_risc *out);
void ttp_kernel_log_finish(struct ttp_run_log *out, struct ttp_run_log_build *b);

#endif
