/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_outputs.h - the part of the door that is about kernels; include outputs.h. */
#ifndef TTP_OUTPUTS_KERNEL_KERNEL_OUTPUTS_H
#define TTP_OUTPUTS_KERNEL_KERNEL_OUTPUTS_H

#include "kernel/kernel.h"
#include "outputs/show/show.h"

/* ---- the kernel verb ---- */

enum ttp_kernel_section {
    TTP_SECTION_PERF,
    TTP_SECTION_THREADS,
    TTP_SECTION_SIGNPOSTS,
    TTP_SECTION_FLOW,
    TTP_SECTION_PIPES,
    TTP_SECTION_BOTTLENECK,
    TTP_SECTION_TARGETS,
    TTP_SECTION_REPEAT,
    TTP_SECTIONS,
};

struct ttp_kernel_view {
    const struct ttp_kernel_report *report;
    unsigned sections;       /* bits 1 << enum ttp_kernel_section */
    bool asked;              /* for these sections: say so if there is nothing to show */
    size_t shown;            /* programs to show in text, the longest; 0: all */
    size_t invocations;      /* in the log, before any choice */
    const char *window;      /* the part of the run that was chosen; NULL: all of it */
    const char *repeat_perf; /* commands that make such a profile again */
    const char *repeat_lines;
    const char *next_lines; /* commands that say more of this run; NULL: they know no more */
    const char *next_advice;
    const char *next_blocks;
};

extern const struct ttp_document_spec ttp_kernel_document;

/* A row for each program; in text the sections in order, each with its marker word at the start of
 * a line. */
TTP_NODISCARD ttp_code ttp_out_kernel(const struct ttp_show *show,
                                      const struct ttp_kernel_view *view, struct ttp_err *err);

/* ---- the annotate verb ---- */

struct ttp_annotate_view {
    const struct ttp_annotation *run, *other; /* other: what run is compared with; NULL: nothing */
    const struct ttp_kernel_program *program, *base; /* the only one of each; NULL: several */
    const struct ttp_flow_waits *waits;
    uint64_t clock_mhz, base_clock_mhz;
    size_t invocations; /* in the log */
};

extern const struct ttp_document_spec ttp_annotate_document;

/* A row for each line that was measured; in text they are next to the source. */
TTP_NODISCARD ttp_code ttp_out_annotate(const struct ttp_show *show,
                                        const struct ttp_annotate_view *view, struct ttp_err *err);

#endif
