/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gate.h"

#include "base/num.h"
#include "base/sink.h"

bool ttp_gate_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* Eight bytes that are all of 0x20 to 0x7E. A lane that borrows or carries is itself a hit. */
static bool eight_plain(const char *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof(w));
    const uint64_t low = w - 0x2020202020202020u, del = w + 0x0101010101010101u;
    return ((w | low | del) & 0x8080808080808080u) == 0;
}

size_t ttp_gate_clean_prefix(ttp_str s)
{
    size_t at = 0;

    while (at < s.len) {
        if (s.len - at >= 8 && eight_plain(s.ptr + at)) {
            at += 8;
            continue;
        }
        if (s.ptr[at] >= 0x20 && s.ptr[at] < 0x7F) {
            at++;
            continue;
        }
        const size_t n = ttp_str_utf8_sequence(ttp_str_slice(s, at, s.len));
        if (n == 0 || ttp_gate_is_control(ttp_str_code_point(ttp_str_slice(s, at, s.len))))
            return at;
        at += n;
    }
    return at;
}

/* What is at the beginning of s and is not clean. Returns its length. */
static size_t put_escape(struct ttp_sink *out, ttp_str s)
{
    static const char hex[] = "0123456789abcdef", from[] = "\n\r\t", to[] = "nrt";
    const size_t n = ttp_str_utf8_sequence(s);
    const uint32_t c = n ? ttp_str_code_point(s) : (unsigned char)s.ptr[0];
    const char *hit = memchr(from, (int)c, n == 1 && c ? sizeof(from) - 1 : 0);
    char text[6] = {'\\', 'u', hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15], hex[c & 15]};
    size_t len = sizeof(text);

    if (hit) {
        text[1] = to[hit - from];
        len = 2;
    } else if (n <= 1) {
        text[1] = 'x';
        text[2] = text[4];
        text[3] = text[5];
        len = 4;
    }
    ttp_sink_trusted(out, (ttp_str){text, len});
    return n ? n : 1;
}

void ttp_gate_put_text(struct ttp_sink *out, ttp_str s)
{
    while (s.len) {
        const size_t clean = ttp_gate_clean_prefix(s);

        ttp_sink_trusted(out, ttp_str_slice(s, 0, clean));
        s = ttp_str_slice(s, clean, s.len);
        if (s.len)
            s = ttp_str_slice(s, put_escape(out, s), s.len);
    }
}

ttp_str ttp_gate_text(struct ttp_arena *arena, ttp_str s)
{
    struct ttp_sink out;

    if (ttp_gate_clean_prefix(s) == s.len)
        return s;
    ttp_sink_to_arena(&out, arena);
    ttp_gate_put_text(&out, s);
    return ttp_sink_text(&out);
}

/* What a list, a heading or a rule begins with: only the beginning of a text may be one. */
static bool begins_block(ttp_str s)
{
    const char c = s.ptr[0];
    return (c == '-' || c == '+' || c == '=') && s.len > 1 && (s.ptr[1] == ' ' || s.ptr[1] == c);
}

/* "1. " and "1) " begin lists too, where the mark is what needs the backslash. */
static size_t list_number(ttp_str s)
{
    size_t n = 0;

    while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
        n++;
    const bool mark = n && n + 1 < s.len && (s.ptr[n] == '.' || s.ptr[n] == ')');
    return mark && s.ptr[n + 1] == ' ' ? n : 0;
}

/* Viewers make links of "scheme://..." and "www." wherever they are. */
static bool begins_link(ttp_str rest, ttp_str before)
{
    return ttp_str_starts(rest, TTP_STR("://")) ||
           (rest.ptr[0] == '.' && before.len >= 3 &&
            ttp_str_eq_any_case(ttp_str_slice(before, before.len - 3, before.len), TTP_STR("www")));
}

static void put_markup(struct ttp_sink *out, ttp_str text)
{
    static const char marks[] = "\\`*_[]|#~$";
    const size_t number = list_number(text);

    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];

        if (c == '<' || c == '>' || c == '&') {
            ttp_sink_trusted(out, c == '<'   ? TTP_STR("&lt;")
                                  : c == '>' ? TTP_STR("&gt;")
                                             : TTP_STR("&amp;"));
            continue;
        }
        if (memchr(marks, c, sizeof(marks) - 1) || (number && i == number) ||
            (i == 0 && begins_block(text)) ||
            begins_link(ttp_str_slice(text, i, text.len), ttp_str_slice(text, 0, i)))
            ttp_sink_char(out, '\\');
        ttp_sink_char(out, c);
    }
}

void ttp_gate_put_markdown(struct ttp_sink *out, ttp_str s)
{
    struct ttp_arena arena = {0};

    put_markup(out, ttp_gate_text(&arena, s));
    ttp_arena_free(&arena);
}

static bool needs_quotes(ttp_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '"' || s.ptr[i] == ',' || s.ptr[i] == '\r' || s.ptr[i] == '\n')
            return true;
    return false;
}

void ttp_gate_put_csv_exact(struct ttp_sink *out, ttp_str s)
{
    if (!needs_quotes(s)) {
        ttp_sink_trusted(out, s);
        return;
    }
    ttp_sink_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            ttp_sink_char(out, '"');
        ttp_sink_char(out, s.ptr[i]);
    }
    ttp_sink_char(out, '"');
}

/* Some programs drop blanks before they look for a formula. */
static bool is_formula(ttp_str s)
{
    const ttp_str text = ttp_str_trim(s);
    double number;

    return text.len && memchr("=+-@", text.ptr[0], 4) && !ttp_str_to_f64(text, &number);
}

void ttp_gate_put_csv(struct ttp_sink *out, ttp_str s)
{
    struct ttp_arena arena = {0};
    struct ttp_sink cell;

    if (!is_formula(s) && ttp_gate_clean_prefix(s) == s.len) {
        ttp_gate_put_csv_exact(out, s);
        return;
    }
    ttp_sink_to_arena(&cell, &arena);
    if (is_formula(s))
        ttp_sink_char(&cell, '\'');
    ttp_gate_put_text(&cell, s);
    ttp_gate_put_csv_exact(out, ttp_sink_text(&cell));
    ttp_arena_free(&arena);
}
