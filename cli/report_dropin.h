/* SPDX-License-Identifier: Apache-2.0 */
/* report_dropin.h - what the report verb and the drop-in name share. */
#ifndef TTP_CLI_REPORT_DROPIN_H
#define TTP_CLI_REPORT_DROPIN_H

#include "analysis/analysis.h"
#include "opts.h"

/* Words of --group-by, in this order. */
extern const char *const ttp_report_group_words[];
enum { TTP_WORD_OP, TTP_WORD_MEMORY, TTP_WORD_CATEGORY };

/* The original's options, by its names. */
struct ttp_report_dropin {
    struct ttp_report_options analysis; /* but for the range of IDs */
    const char *id_range, *csv, *summary_file, *stacked_csv;
    bool color, no_color, no_advice, raw_op_codes;
    bool no_summary, classic_colors, no_stacked_report, no_stack_by_in0;
    double min_percentage;
    int group_by;
};

/* The whole program under the original's name: prints to stdout and stderr, returns its exit
 * status. */
int ttp_report_run_as_original(const struct ttp_report_dropin *choice,
                               const struct ttp_words *files, unsigned threads,
                               struct ttp_arena *arena);

/* "5-10", "31-", "-12", ',' allowed inside numbers; NULL: no range. False: not such a range. */
bool ttp_report_parse_id_range(struct ttp_report_options *out, const char *text,
                               struct ttp_arena *arena);

#endif
