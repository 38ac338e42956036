/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wrap.h"

#define ROOM_LEAST 12

/* May a line end before that blank? */
static bool may_break(ttp_str text, size_t at)
{
    const ttp_str next = ttp_str_slice(text, at + 1, text.len);

    return text.ptr[at] == ' ' && !ttp_str_starts(next, TTP_STR("%")) &&
           !ttp_str_starts(next, TTP_STR("μs"));
}

/* How many leading bytes fit into `room` columns without cutting a word. */
static size_t words_that_fit(ttp_str text, size_t room)
{
    size_t fit = 0, used = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (may_break(text, i))
            fit = i;
        used += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
        if (used > room)
            return fit;
    }
    return text.len;
}

/* Of a word that is longer than `room`: up to its last slash that fits, or all of it. */
static size_t path_that_fits(ttp_str text, size_t room)
{
    size_t end = text.len ? 1 : 0;

    while (end < text.len && !may_break(text, end))
        end++;
    for (size_t n = end < room ? end : room; n > 1; n--)
        if (text.ptr[n - 1] == '/')
            return n;
    return end;
}

void ttp_put_wrapped(struct ttp_sink *out, ttp_str text, struct ttp_wrap lines)
{
    const size_t width = lines.width >= lines.hang + ROOM_LEAST ? lines.width : SIZE_MAX;
    size_t column = lines.column;

    while (text.len) {
        const size_t room = width > column ? width - column : 0;
        size_t n = words_that_fit(text, room);

        if (n == 0 && column <= lines.hang) /* a word longer than the line */
            n = path_that_fits(text, room);
        ttp_str part = ttp_str_slice(text, 0, n);
        text = ttp_str_trim(ttp_str_slice(text, n, text.len));
        while (text.len && part.len && part.ptr[part.len - 1] == ' ')
            part.len--;
        ttp_sink_put(out, part);
        if (text.len) {
            ttp_sink_char(out, '\n');
            ttp_sink_repeat(out, ' ', lines.hang);
        }
        column = lines.hang;
    }
    ttp_sink_char(out, '\n');
}

ttp_str ttp_wrap_squeeze(ttp_str text, struct ttp_arena *arena)
{
    char *out = TTP_NEW(arena, char, text.len + 1);
    size_t n = 0;

    text = ttp_str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool blank = c == ' ' || (c >= '\t' && c <= '\r');

        if (!blank)
            out[n++] = c;
        else if (out[n - 1] != ' ')
            out[n++] = ' ';
    }
    return (ttp_str){out, n};
}
