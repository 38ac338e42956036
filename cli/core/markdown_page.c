/* SPDX-License-Identifier: Apache-2.0 */
#include "core/markdown_page.h"

#include "base/wrap.h"

/* What has been read of a paragraph. */
struct paragraph {
    struct ttp_sink words;
    size_t marker; /* bytes of "- " or "1. " before it */
    bool open;
};

static void finish(struct ttp_sink *out, struct paragraph *p, int width, struct ttp_arena *arena)
{
    const ttp_str text = ttp_sink_text(&p->words);

    if (p->open) {
        ttp_sink_put(out, ttp_str_slice(text, 0, p->marker));
        ttp_put_wrapped(out, ttp_wrap_squeeze(ttp_str_slice(text, p->marker, text.len), arena),
                        (struct ttp_wrap){(size_t)width, p->marker, p->marker});
    }
    p->open = false;
}

/* Bytes of what begins an item of a list, or 0. */
static size_t marker_of(ttp_str line)
{
    size_t digits = 0;

    while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9')
        digits++;
    if (ttp_str_starts(line, TTP_STR("- ")))
        return 2;
    return digits && ttp_str_starts(ttp_str_slice(line, digits, line.len), TTP_STR(". "))
               ? digits + 2
               : 0;
}

static bool stays(ttp_str line)
{
    return line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == '|' ||
           ttp_str_starts(line, TTP_STR("    "));
}

static bool is_wide(ttp_str text, size_t width)
{
    for (ttp_str line; ttp_str_next_line(&text, &line);)
        if (!stays(line) && ttp_str_code_points(line) > width)
            return true;
    return false;
}

void ttp_markdown_put(struct ttp_sink *out, ttp_str text, int width, struct ttp_arena *arena)
{
    struct paragraph p = {.open = false};

    if (width < 20 || !is_wide(text, (size_t)width)) {
        ttp_sink_trusted(out, text);
        return;
    }
    ttp_sink_to_arena(&p.words, arena);
    for (ttp_str line; ttp_str_next_line(&text, &line);) {
        const size_t marker = marker_of(line);

        if (stays(line) || marker)
            finish(out, &p, width, arena);
        if (stays(line)) {
            ttp_sink_put(out, line);
            ttp_sink_char(out, '\n');
            continue;
        }
        if (!p.open) {
            p.words.len = 0;
            p.marker = marker;
        } else {
            ttp_sink_char(&p.words, ' ');
        }
        ttp_sink_put(&p.words, line);
        p.open = true;
    }
    finish(out, &p, width, arena);
}
