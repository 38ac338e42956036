/* SPDX-License-Identifier: Apache-2.0 */
/* textwrap.c - the chunks are those of Python's textwrap: a blank; a dash "--" between words; a
 * word up to its end, up to a hyphen between letters, or up to such a dash. Bytes above 127 count
 * as letters. */
#include "dropin/textwrap.h"

static bool is_letter(ttp_str t, size_t i)
{
    if (i >= t.len)
        return false;
    const unsigned char c = (unsigned char)t.ptr[i];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 127;
}

static bool is_word(ttp_str t, size_t i)
{
    return is_letter(t, i) || (i < t.len && t.ptr[i] >= '0' && t.ptr[i] <= '9');
}

/* Positions before the text wrap around to huge numbers and are "no character". */
static bool is_word_or_mark(ttp_str t, size_t i)
{
    return is_word(t, i) || (i < t.len && t.ptr[i] && strchr("!\"'&.,?", t.ptr[i]));
}

/* Length of the dash of two or more hyphens at i that a word follows, or 0. */
static size_t dash_before_word(ttp_str t, size_t i)
{
    size_t n = 0;

    while (i + n < t.len && t.ptr[i + n] == '-')
        n++;
    return n >= 2 && is_word(t, i + n) ? n : 0;
}

/* Whether a break is allowed right after the hyphen at i. */
static bool hyphen_joins(ttp_str t, size_t i)
{
    const bool two_letters = is_letter(t, i - 1) && is_letter(t, i - 2);
    const bool letter_hyphen_letter =
        is_letter(t, i - 1) && i >= 2 && t.ptr[i - 2] == '-' && is_letter(t, i - 3);

    if (!two_letters && !letter_hyphen_letter)
        return false;
    return is_letter(t, i + 1) &&
           (is_letter(t, i + 2) || (i + 2 < t.len && t.ptr[i + 2] == '-' && is_letter(t, i + 3)));
}

static size_t chunk_length(const struct ttp_textwrap *w, size_t at)
{
    const ttp_str t = w->text;

    if (t.ptr[at] == ' ')
        return 1;
    if (is_word_or_mark(t, at - 1)) {
        const size_t n = dash_before_word(t, at);
        if (n)
            return n;
    }
    size_t end = at + 1;
    for (; end < t.len && t.ptr[end] != ' '; end++) {
        if (t.ptr[end] == '-' && hyphen_joins(t, end))
            return end + 1 - at;
        if (is_word_or_mark(t, end - 1) && dash_before_word(t, end))
            break;
    }
    return end - at;
}

/* How much of a word that fits on no line goes into the `room` left on this one. */
static size_t cut_word(const struct ttp_textwrap *w, size_t at, size_t room)
{
    bool other = false;
    size_t best = room;
    for (size_t i = 0; i < room; i++) {
        if (w->text.ptr[at + i] != '-')
            other = true;
        else if (other)
            best = i + 1;
    }
    return best;
}

bool ttp_textwrap_next(struct ttp_textwrap *w, ttp_str *line)
{
    const ttp_str t = w->text;
    bool trim = true;

    if (w->at > 0 && w->at < t.len && t.ptr[w->at] == ' ')
        w->at++;
    if (w->at >= t.len)
        return false;
    const size_t start = w->at;
    size_t used = 0;
    while (w->at < t.len) {
        const size_t n = chunk_length(w, w->at);

        if (used + n > w->width) {
            if (n > w->width) {
                /* with no room left an empty piece of the word ends the line, so that the blank
                 * before it is not the line's last piece and stays */
                const size_t piece = cut_word(w, w->at, w->width - used);
                trim = piece == 0 ? false : trim;
                w->at += piece;
                used += piece;
            }
            break;
        }
        w->at += n;
        used += n;
    }
    *line = ttp_str_slice(t, start, start + used);
    if (trim && line->len && line->ptr[line->len - 1] == ' ')
        line->len--;
    return true;
}
