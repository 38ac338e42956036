/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/paint.h"

#include "base/gate.h"
#include "base/wrap.h"
#include "outputs/show/show.h"

/* 256-colour numbers, as tt-perf-report uses them. */
static const char *const codes[] = {
    [TTP_PLAIN] = "",
    [TTP_GREY] = "\x1b[38;5;8m",
    [TTP_RED] = "\x1b[38;5;9m",
    [TTP_GREEN] = "\x1b[38;5;10m",
    [TTP_YELLOW] = "\x1b[38;5;11m",
    [TTP_BLUE] = "\x1b[38;5;12m",
    [TTP_MAGENTA] = "\x1b[38;5;13m",
    [TTP_CYAN] = "\x1b[38;5;14m",
    [TTP_WHITE] = "\x1b[38;5;15m",
    [TTP_ORANGE] = "\x1b[38;5;208m",
};

/* Grey is faint: bright black is the ground itself in some themes. */
static const char *const themed_codes[] = {
    [TTP_PLAIN] = "",           [TTP_GREY] = "\x1b[2m",    [TTP_RED] = "\x1b[31m",
    [TTP_GREEN] = "\x1b[32m",   [TTP_YELLOW] = "\x1b[33m", [TTP_BLUE] = "\x1b[34m",
    [TTP_MAGENTA] = "\x1b[35m", [TTP_CYAN] = "\x1b[36m",   [TTP_WHITE] = "",
    [TTP_ORANGE] = "\x1b[33m",
};

ttp_str ttp_paint_code(enum ttp_color color)
{
    return ttp_str_from(codes[color]);
}

static void put_coded(struct ttp_sink *out, const char *code, ttp_str text)
{
    if (!code[0]) {
        ttp_sink_put(out, text);
        return;
    }
    ttp_sink_trusted(out, ttp_str_from(code));
    ttp_sink_put(out, text);
    ttp_sink_trusted(out, TTP_PAINT_END);
}

void ttp_paint(struct ttp_sink *out, enum ttp_color color, ttp_str text)
{
    put_coded(out, codes[color], text);
}

void ttp_paint_themed(struct ttp_sink *out, enum ttp_color color, ttp_str text)
{
    put_coded(out, themed_codes[color], text);
}

void ttp_paint_themed_part(struct ttp_sink *out, enum ttp_color color, const struct ttp_sink *part)
{
    const ttp_str code = ttp_str_from(themed_codes[color]);

    ttp_sink_trusted(out, code);
    ttp_sink_join(out, part);
    if (code.len)
        ttp_sink_trusted(out, TTP_PAINT_END);
}

ttp_str ttp_paint_shorten(ttp_str text, size_t width, struct ttp_arena *arena)
{
    struct ttp_sink out;
    size_t points = 0, at = 0;

    text = ttp_gate_text(arena, text);
    if (ttp_str_code_points(text) <= width)
        return text;
    for (; at < text.len; at++) {
        points += ((unsigned char)text.ptr[at] & 0xC0) != 0x80;
        if (points == width)
            break;
    }
    ttp_sink_to_arena(&out, arena);
    ttp_sink_put(&out, ttp_str_slice(text, 0, at));
    ttp_sink_put(&out, TTP_STR("…"));
    return ttp_sink_text(&out);
}

void ttp_paint_bar(struct ttp_sink *out, double columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const size_t whole = columns > 0 ? (size_t)columns : 0;

    for (size_t i = 0; i < whole; i++)
        ttp_sink_put(out, TTP_STR("█"));
    if (columns > 0)
        ttp_sink_put(out, ttp_str_from(eighths[(size_t)((columns - (double)whole) * 8) & 7]));
}

void ttp_paint_wrapped(struct ttp_sink *out, ttp_str text, int width, size_t column, size_t hang)
{
    const struct ttp_wrap lines = {width > 0 ? (size_t)width : 0, column, hang};
    struct ttp_arena arena = {0};

    ttp_put_wrapped(out, ttp_gate_text(&arena, text), lines);
    ttp_arena_free(&arena);
}

void ttp_show_sentence(const struct ttp_show *show, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    ttp_paint_wrapped(show->out, ttp_sink_vformat(show->arena, fmt, args),
                      show->form == TTP_FORM_MARKDOWN ? 0 : show->width, 0, 2);
    va_end(args);
}

void ttp_paint_no_room(struct ttp_sink *out, ttp_str titles, const char *or_else,
                       struct ttp_paint_page page, struct ttp_arena *arena)
{
    struct ttp_sink text, lines;

    ttp_sink_to_arena(&text, arena);
    ttp_sink_to_arena(&lines, arena);
    ttp_sink_printf(&text, "no room in %d columns for ", page.width);
    ttp_sink_put(&text, titles);
    ttp_sink_printf(&text, " (make the terminal wider%s)", or_else);
    ttp_sink_repeat(&lines, ' ', page.indent);
    ttp_paint_wrapped(&lines, ttp_sink_text(&text), page.width, page.indent, page.indent + 2);
    ttp_str rest = ttp_sink_text(&lines);
    for (ttp_str line; ttp_str_next_line(&rest, &line);) {
        const ttp_str words = ttp_str_trim(line);
        ttp_sink_repeat(out, ' ', line.len - words.len);
        ttp_paint_themed(out, page.color ? TTP_GREY : TTP_PLAIN, words);
        ttp_sink_char(out, '\n');
    }
}
