/* SPDX-License-Identifier: Apache-2.0 */
/* bench_outputs.h - the part of the door that is about measuring; include outputs.h. */
#ifndef TTP_OUTPUTS_BENCH_BENCH_OUTPUTS_H
#define TTP_OUTPUTS_BENCH_BENCH_OUTPUTS_H

#include "measure/measure.h"
#include "outputs/show/show.h"

/* Work per second of a variant or a point of a sweep. */
struct ttp_bench_rates {
    struct ttp_rates rates;
    double roof_pct; /* NAN: no roof is known */
};

struct ttp_bench_view {
    const struct ttp_bench *bench;         /* NULL: a sweep */
    const struct ttp_sweep_result *sweep;  /* NULL: no sweep */
    const struct ttp_bench_rates *rates;   /* of each variant or point; NULL: none */
    const char *roof;                      /* what roof_pct is a part of */
    const struct ttp_git_state *git;       /* NULL: not asked */
    const struct ttp_fingerprint *machine; /* NULL: not looked at */
};

/* About results of variants, points of a sweep, and single values, which CSV has. */
extern const struct ttp_document_spec ttp_bench_document, ttp_sweep_document,
    ttp_bench_values_document;

TTP_NODISCARD ttp_code ttp_out_bench(const struct ttp_show *show, const struct ttp_bench_view *view,
                                     struct ttp_err *err);

/* tt-metal's CompleteBenchmarkRun, the form its benchmarks are collected in. The view has at least
 * one point or bench; iterations that failed are left out. */
struct ttp_complete_run {
    const char *model, *run_type;
};
void ttp_out_complete_run(struct ttp_sink *out, const struct ttp_bench_view *view,
                          const struct ttp_complete_run *about, struct ttp_arena *arena);

#endif
