/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - TT-Lang's AUTO-PROFILE REPORT while it is written. */
#ifndef TTP_COMPAT_LINES_H
#define TTP_COMPAT_LINES_H

#include "compat/compat.h"

/* Zones of one name on one thread, with what is known of their line. */
struct ttp_lines_sample {
    const struct ttp_original_zone *zone;
    int64_t line;
    ttp_str text; /* of the line, without blanks around it */
    bool has_op;  /* an op name was found, be it empty */
    ttp_str op;
    bool implicit;
};

struct ttp_lines_thread {
    ttp_str name, kernel;
    const struct ttp_side_kernel *source;
    int64_t cycles;
    uint64_t ops;
    int64_t sync, work;
    int64_t first_line;
    uint64_t first;
    size_t rank; /* among the known names; after them otherwise */
};

struct ttp_lines_report {
    struct ttp_sink *out;
    const struct ttp_original_lines_view *view;
    struct ttp_lines_sample *sample; /* by line, then by their first end */
    size_t nsamples;
    struct ttp_lines_thread *thread;
    size_t nthreads;
    int64_t total;
    struct ttp_arena *arena;
};

/* THREAD SUMMARY and ROOFLINE ANALYSIS. */
void ttp_compat_lines_put_summary(const struct ttp_lines_report *r);
void ttp_compat_lines_put_roofline(const struct ttp_lines_report *r);

#endif
