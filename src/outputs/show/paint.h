/* SPDX-License-Identifier: Apache-2.0 */
/* paint.h - terminal colours and widths. Private to outputs. */
#ifndef TTP_OUTPUTS_PAINT_H
#define TTP_OUTPUTS_PAINT_H

#include "base/sink.h"

enum ttp_color {
    TTP_PLAIN,
    TTP_GREY,
    TTP_RED,
    TTP_GREEN,
    TTP_YELLOW,
    TTP_BLUE,
    TTP_MAGENTA,
    TTP_CYAN,
    TTP_WHITE,
    TTP_ORANGE,
};

/* What begins a colour, empty for TTP_PLAIN, and what ends any other. */
ttp_str ttp_paint_code(enum ttp_color color);
#define TTP_PAINT_END TTP_STR("\x1b[0m")
/* Bytes of the longest code and its end. */
#define TTP_PAINT_MAX 16

/* text in that colour; TTP_PLAIN adds nothing. */
void ttp_paint(struct ttp_sink *out, enum ttp_color color, ttp_str text);
/* The same with the terminal's own sixteen colours, readable on light and dark ground; TTP_WHITE is
 * the usual text colour there, TTP_ORANGE is yellow. */
void ttp_paint_themed(struct ttp_sink *out, enum ttp_color color, ttp_str text);
/* The same of text that was laid out in a sink of its own, next to `out`. */
void ttp_paint_themed_part(struct ttp_sink *out, enum ttp_color color, const struct ttp_sink *part);
/* A bar of that many columns, in eighths of one; nothing if it is not above 0. */
void ttp_paint_bar(struct ttp_sink *out, double columns);
/* ttp_put_wrapped() of base/wrap.h, for foreign text: columns are those of what a terminal shows.
 */
void ttp_paint_wrapped(struct ttp_sink *out, ttp_str text, int width, size_t column, size_t hang);
/* A sentence on lines of its own: wrapped in text, one line in Markdown. */
struct ttp_show;
TTP_PRINTF(2, 3) void ttp_show_sentence(const struct ttp_show *show, const char *fmt, ...);
/* Below a table: titles of columns, ", " between them, that `width` left no room for, and what else
 * may be done, such as ", or choose with --columns". */
struct ttp_paint_page {
    int width;
    size_t indent;
    bool color;
};
void ttp_paint_no_room(struct ttp_sink *out, ttp_str titles, const char *or_else,
                       struct ttp_paint_page page, struct ttp_arena *arena);
/* As it will be shown (see base/gate.h), at most `width` code points, the last one an ellipsis if
 * something was cut. */
ttp_str ttp_paint_shorten(ttp_str text, size_t width, struct ttp_arena *arena);

#endif
