/* SPDX-License-Identifier: Apache-2.0 */
/* history_words.h - wording of the history in all formats. Private to outputs. */
#ifndef TTP_OUTPUTS_HISTORY_HISTORY_WORDS_H
#define TTP_OUTPUTS_HISTORY_HISTORY_WORDS_H

#include "outputs/history/history_fields.h"
#include "outputs/picture/picture.h"

/* "2026-11-15 23:47", or only the day. */
ttp_str ttp_out_history_time(int64_t unix_ns, bool day, struct ttp_arena *arena);
/* The first ten digits, '*' after those of a tree that had changes. */
ttp_str ttp_out_history_commit(ttp_str commit, bool dirty, struct ttp_arena *arena);
/* "+12.5 %"; "new" if there was nothing before. */
ttp_str ttp_out_history_change(double change, struct ttp_arena *arena);
/* "model: wall, batch 8". */
ttp_str ttp_out_history_title(const struct ttp_series *s, struct ttp_arena *arena);
/* "cpu=AMD EPYC, cpus=2": what is known of a class of machines, of its key. */
ttp_str ttp_out_history_machine(ttp_str key, struct ttp_arena *arena);

/* A panel for each line. */
void ttp_out_history_trend_picture(struct ttp_picture *out, const struct ttp_trend *trend,
                                   size_t count, struct ttp_arena *arena);

#endif
