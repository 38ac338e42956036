/* SPDX-License-Identifier: Apache-2.0 */
/* report_files.h - files that a report is made of, and those that it writes. */
#ifndef TTP_CLI_REPORT_FILES_H
#define TTP_CLI_REPORT_FILES_H

#include "core/cmd.h"
#include "outputs/outputs.h"
#include "run/run.h"

/* Words of --group-by, in this order. */
extern const char *const ttp_report_group_words[];
enum { TTP_WORD_OP, TTP_WORD_MEMORY, TTP_WORD_CATEGORY };

/* Options that tt-perf-report has too. */
struct ttp_report_dropin {
    struct ttp_report_options analysis; /* but for the range of IDs */
    const char *id_range, *csv, *summary_file, *stacked_csv;
    bool color, no_color, no_advice, raw_op_codes;
    bool no_summary, classic_colors, no_stacked_report, no_stack_by_in0;
    double min_percentage;
    int group_by;
};

/* "5-10", "31-", "-12", ',' allowed inside numbers; NULL: no range. False: not such a range. */
bool ttp_report_parse_id_range(struct ttp_report_options *out, const char *text,
                               struct ttp_arena *arena);

/* The files that operands represent, which are reported unless `quiet`. `noc`: where a report is
 * made of logs, with estimates of NoC traces. */
struct ttp_report_opening {
    bool noc, quiet;
    bool texts; /* CSV files are needed, also of logs */
    bool mesh;  /* keep how ranks relate */
    unsigned threads;
};
TTP_NODISCARD ttp_code ttp_report_open(struct ttp_run_sources *from, const struct ttp_ctx *ctx,
                                       const struct ttp_words *operands,
                                       const struct ttp_report_opening *opening,
                                       struct ttp_err *err);

/* "x/y.csv" gives "x/y_stacked": where the summary of a CSV goes. In the arena. */
const char *ttp_report_stacked_base(const char *csv, struct ttp_arena *arena);
/* BASE.csv, as tt-perf-report writes it; with a gate, names are cells of our own CSV files. */
TTP_NODISCARD ttp_code ttp_report_write_summary_csv(const char *base,
                                                    const struct ttp_summary *summary,
                                                    enum ttp_gate gate, struct ttp_arena *arena,
                                                    struct ttp_err *err);
/* BASE.svg and BASE.png. Without the library that draws PNG the former must do: *missing then
 * reports it, in the arena. */
TTP_NODISCARD ttp_code ttp_report_write_pictures(const char **missing, const char *base,
                                                 const struct ttp_summary *summary,
                                                 const struct ttp_picture_style *style,
                                                 struct ttp_arena *arena, struct ttp_err *err);

#endif
