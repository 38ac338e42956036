/* SPDX-License-Identifier: Apache-2.0 */
/* report_files.h - files that a report leaves behind, each written whole or not at all. */
#ifndef TTP_CLI_REPORT_FILES_H
#define TTP_CLI_REPORT_FILES_H

#include "outputs/outputs.h"

/* "x/y.csv" gives "x/y_stacked": where the summary of a CSV goes. In the arena. */
const char *ttp_report_stacked_base(const char *csv, struct ttp_arena *arena);
/* BASE.csv, as tt-perf-report writes it; with a gate, names are cells of our own CSV files. */
TTP_NODISCARD ttp_code ttp_report_write_summary_csv(const char *base,
                                                    const struct ttp_summary *summary,
                                                    enum ttp_gate gate, struct ttp_arena *arena,
                                                    struct ttp_err *err);
/* BASE.svg and BASE.png. Without the library that draws PNG the former has to do: *missing then
 * says so, in the arena. */
TTP_NODISCARD ttp_code ttp_report_write_pictures(const char **missing, const char *base,
                                                 const struct ttp_summary *summary,
                                                 const struct ttp_picture_style *style,
                                                 struct ttp_arena *arena, struct ttp_err *err);

#endif
