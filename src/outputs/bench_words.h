/* SPDX-License-Identifier: Apache-2.0 */
/* bench_words.h - how measurements are said, in text and Markdown alike. Private to outputs. */
#ifndef TTP_OUTPUTS_BENCH_WORDS_H
#define TTP_OUTPUTS_BENCH_WORDS_H

#include "outputs/outputs.h"
#include "outputs/show/measure_text.h"

/* Is the change for the better, of a metric with that direction? Only of LESS and MORE. */
bool ttp_bench_is_better(enum ttp_verdict v, const struct ttp_metric *m);
/* "-10.8 %". */
ttp_str ttp_bench_percent(double part, struct ttp_arena *arena);
/* "A", "B", ... "Z", "27". */
ttp_str ttp_bench_label(size_t variant, struct ttp_arena *arena);

/* "BATCH=8 SEQ=128". */
ttp_str ttp_bench_point_name(const struct ttp_sweep_point *p, struct ttp_arena *arena);

struct ttp_cells;
/* The table of variants of one metric, of all points of a sweep. */
void ttp_bench_variant_cells(struct ttp_cells *c, const struct ttp_bench_view *view, size_t metric,
                             struct ttp_arena *arena);
void ttp_bench_sweep_cells(struct ttp_cells *c, const struct ttp_bench_view *view,
                           struct ttp_arena *arena);
/* Sentences: how variant i stands to the first; what a sweep found. */
ttp_str ttp_bench_sentence(const struct ttp_bench_view *view, size_t variant, size_t metric,
                           struct ttp_arena *arena);
ttp_str ttp_bench_sweep_sentence(const struct ttp_bench_view *view, struct ttp_arena *arena);

#endif
