/* SPDX-License-Identifier: Apache-2.0 */
/* report_writers.h - a report in each format. Private to outputs. */
#ifndef TTP_OUTPUTS_REPORT_WRITERS_H
#define TTP_OUTPUTS_REPORT_WRITERS_H

#include "outputs/outputs.h"

/* Tables for people. Columns are dropped where they do not fit, never wrapped. */
void ttp_out_report_text(struct ttp_sink *out, const struct ttp_report_view *view);
void ttp_out_report_markdown(struct ttp_sink *out, const struct ttp_report_view *view,
                             struct ttp_arena *arena);
/* The value of "data" in the JSON envelope. */
void ttp_out_report_json(struct ttp_json_writer *w, const struct ttp_report_view *view);

/* What a user sees first: a headline of the window and its ops in groups. */
void ttp_out_first_screen(struct ttp_sink *out, const struct ttp_report_view *view,
                          struct ttp_arena *arena);
/* The member "ranges" of an object. */
void ttp_out_signposts_json(struct ttp_json_writer *w, const struct ttp_ranges *ranges);
/* A window as a value. */
void ttp_out_window_object(struct ttp_json_writer *w, const struct ttp_window *window);

#endif
