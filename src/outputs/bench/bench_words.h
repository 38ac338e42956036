/* SPDX-License-Identifier: Apache-2.0 */
/* bench_words.h - wording of measurements in text and Markdown. Private to outputs. */
#ifndef TTP_OUTPUTS_BENCH_BENCH_WORDS_H
#define TTP_OUTPUTS_BENCH_BENCH_WORDS_H

#include "outputs/bench/bench_fields.h"
#include "outputs/show/measure_text.h"

/* Is the change for the better, of a metric with that direction? Only of LESS and MORE. */
bool ttp_out_bench_is_better(enum ttp_verdict v, const struct ttp_metric *m);
/* "-10.8 %". */
ttp_str ttp_out_bench_percent(double part, struct ttp_arena *arena);
/* "A", "B", ... "Z", "27". */
ttp_str ttp_out_bench_label(size_t variant, struct ttp_arena *arena);

/* "BATCH=8 SEQ=128". */
ttp_str ttp_out_bench_point_name(const struct ttp_sweep_point *p, struct ttp_arena *arena);

/* The wider side of the median's interval, in percent of the median; NAN: none. */
double ttp_out_bench_half_pct(const struct ttp_sample *s);
/* Sentences: a variant compared with the first; the result of a sweep. */
ttp_str ttp_out_bench_sentence(const struct ttp_bench *b, const struct ttp_bench_row *row,
                               struct ttp_arena *arena);
ttp_str ttp_out_bench_sweep_sentence(const struct ttp_bench_view *view, struct ttp_arena *arena);

#endif
