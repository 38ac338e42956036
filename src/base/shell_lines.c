/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shell_lines.h"

/* Bytes up to the next blank that is not in quotes. */
static size_t word_end(ttp_str text)
{
    char quote = '\0';
    size_t n = 0;

    for (; n < text.len && (quote || text.ptr[n] != ' '); n++) {
        const char c = text.ptr[n];
        if (quote && c == quote)
            quote = '\0';
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
    }
    return n;
}

void ttp_shell_put_lines(struct ttp_sink *out, ttp_str command, size_t width, size_t column,
                         size_t hang)
{
    while (command.len) {
        const size_t n = word_end(command), blank = n < command.len;
        const ttp_str word = ttp_str_slice(command, 0, n);
        const size_t columns = ttp_sink_columns(out, word);

        if (width && column > hang && column + columns + 2 * blank > width) {
            ttp_sink_own(out, "\\\n");
            ttp_sink_repeat(out, ' ', hang);
            column = hang;
        }
        ttp_sink_put(out, ttp_str_slice(command, 0, n + blank));
        column += columns + blank;
        command = ttp_str_slice(command, n + blank, command.len);
    }
    ttp_sink_char(out, '\n');
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-./=+,:@%", c)) || (unsigned char)c >= 0x80;
}

void ttp_shell_put_word(struct ttp_sink *out, ttp_str word)
{
    bool plain = word.len > 0;

    for (size_t i = 0; i < word.len; i++)
        plain &= is_plain(word.ptr[i]);
    if (plain) {
        ttp_sink_put(out, word);
        return;
    }
    ttp_sink_char(out, '\'');
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '\'')
            ttp_sink_own(out, "'\\''");
        else
            ttp_sink_char(out, word.ptr[i]);
    ttp_sink_char(out, '\'');
}

ttp_str ttp_shell_words(const struct ttp_words *words, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; i < words->count; i++) {
        if (i)
            ttp_sink_char(&out, ' ');
        ttp_shell_put_word(&out, ttp_str_from(words->word[i]));
    }
    return ttp_sink_text(&out);
}
