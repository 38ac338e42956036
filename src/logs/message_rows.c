/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/message_rows.h"

#define QUOTE '`'
#define SEP   ';'

static bool is_end(char c)
{
    return c == '\n' || c == '\r';
}

/* End of an unquoted stretch from `at`: the position of a separator or line end, or text.len. */
static size_t plain_end(ttp_str text, size_t at)
{
    while (at < text.len && text.ptr[at] != SEP && !is_end(text.ptr[at]))
        at++;
    return at;
}

/* The quote that closes the field opened before `at`, or TTP_NPOS. *cut: there is none, but a new
 * message begins at the position returned. */
static size_t closing_quote(ttp_str text, size_t at, bool recover, bool *doubled, bool *cut)
{
    *cut = false;
    while (at < text.len) {
        const char *q = memchr(text.ptr + at, QUOTE, text.len - at);
        if (!q)
            break;
        const size_t pos = (size_t)(q - text.ptr);
        const bool at_end = pos + 1 == text.len;
        const char after = text.ptr[at_end ? pos : pos + 1];

        if (!at_end && after == QUOTE) {
            *doubled = true;
            at = pos + 2;
            continue;
        }
        if (recover && !at_end && after != SEP && !is_end(after) && pos > 0 &&
            is_end(text.ptr[pos - 1]))
            *cut = true;
        return pos;
    }
    return TTP_NPOS;
}

/* Quotes undone: doubled ones once, then what follows the closing quote. */
static ttp_str unquote(ttp_str inside, ttp_str behind, struct ttp_arena *scratch)
{
    char *out = TTP_NEW(scratch, char, inside.len + behind.len);
    size_t n = 0;

    for (size_t i = 0; i < inside.len; i++) {
        out[n++] = inside.ptr[i];
        i += inside.ptr[i] == QUOTE;
    }
    if (behind.len)
        memcpy(out + n, behind.ptr, behind.len);
    return (ttp_str){out, n + behind.len};
}

struct field {
    ttp_str text;
    size_t end;   /* position after it: a separator, a line end or the end of the text */
    bool partial; /* the text ends before the field does, as far as it is known */
    bool open, cut;
};

static struct field read_field(ttp_str text, size_t at, bool recover, struct ttp_arena *scratch)
{
    struct field f = {0};
    bool doubled = false;

    if (at >= text.len || text.ptr[at] != QUOTE) {
        f.end = plain_end(text, at);
        f.text = ttp_str_slice(text, at, f.end);
        f.partial = f.end == text.len;
        return f;
    }
    const size_t quote = closing_quote(text, at + 1, recover, &doubled, &f.cut);
    if (quote == TTP_NPOS) {
        f = (struct field){.end = text.len, .partial = true, .open = true};
        f.text = doubled ? unquote(ttp_str_slice(text, at + 1, text.len), (ttp_str){0}, scratch)
                         : ttp_str_slice(text, at + 1, text.len);
        return f;
    }
    const ttp_str inside = ttp_str_slice(text, at + 1, quote);
    if (f.cut) {
        f.end = quote;
        f.text = inside;
        f.open = true;
        return f;
    }
    f.end = plain_end(text, quote + 1);
    f.partial = f.end == text.len;
    const ttp_str behind = ttp_str_slice(text, quote + 1, f.end);
    f.text = doubled || behind.len ? unquote(inside, behind, scratch) : inside;
    return f;
}

static uint64_t count_lines(ttp_str s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += s.ptr[i] == '\n' || (s.ptr[i] == '\r' && (i + 1 == s.len || s.ptr[i + 1] != '\n'));
    return n;
}

size_t ttp_logs_message_next(struct ttp_message_row *out, ttp_str text, bool last, bool recover,
                             struct ttp_arena *scratch)
{
    struct field f = {0};
    size_t at = 0;

    *out = (struct ttp_message_row){0};
    for (;;) {
        f = read_field(text, at, recover, scratch);
        if (f.partial && !last)
            return 0;
        if (out->nfields == 0)
            out->name = f.text;
        else if (out->nfields == 1)
            out->time = f.text;
        out->nfields++;
        out->longest = f.text.len > out->longest ? f.text.len : out->longest;
        out->open |= f.open;
        if (out->nfields == 1)
            out->tail = ttp_str_slice(text, f.end + 1, text.len);
        if (f.cut || f.end == text.len || text.ptr[f.end] != SEP)
            break;
        at = f.end + 1;
    }
    size_t end = f.end;
    if (out->nfields == 1)
        out->tail = (ttp_str){0};
    else
        out->tail.len = (size_t)(text.ptr + end - out->tail.ptr);
    if (!f.cut && end < text.len)
        end += text.ptr[end] == '\r' && end + 1 < text.len && text.ptr[end + 1] == '\n' ? 2 : 1;
    out->lines = count_lines(ttp_str_slice(text, 0, end));
    return end;
}

void ttp_logs_message_of(struct ttp_message_row *out, ttp_str text, int64_t ns,
                         struct ttp_arena *scratch)
{
    const bool quoted = text.len && text.ptr[0] == QUOTE;
    const struct field f =
        quoted ? read_field(text, 0, false, scratch) : (struct field){.text = text};

    *out = (struct ttp_message_row){
        .name = f.text, .longest = f.text.len, .open = f.open, .timed = true, .ns = ns};
}

size_t ttp_logs_message_whole_rows(ttp_str text, bool recover, struct ttp_arena *scratch)
{
    size_t end = 0;

    for (;;) {
        const struct ttp_mark mark = ttp_arena_mark(scratch);
        struct ttp_message_row row;
        const size_t n = ttp_logs_message_next(&row, ttp_str_slice(text, end, text.len), false,
                                               recover, scratch);
        ttp_arena_rewind(scratch, mark);
        if (n == 0)
            return end;
        end += n;
    }
}
