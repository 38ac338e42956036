/* SPDX-License-Identifier: Apache-2.0 */
/* command_words.c - a command as text and as words. */
#include "measure/measure.h"

#include "base/sink.h"

/* Outside quotes these mean something to a shell that we do not do. */
static const char for_a_shell[] = "|&;<>()$`*?[]#~!{}\n";

static ttp_code fail_shell(char c, struct ttp_err *err)
{
    ttp_fail(err, TTP_EUSAGE, "'%c' needs a shell", c == '\n' ? ' ' : c);
    ttp_err_hint(err, "quote it, or run sh -c '...' (its start is then measured too)");
    return TTP_EUSAGE;
}

/* One character of a quoted or plain part at *at; false: it closes the quotes. */
static bool next_char(struct ttp_sink *word, const char **at, char quote)
{
    const char *c = *at;

    *at = c + 1;
    if (quote && *c == quote)
        return false;
    if (*c == '\\' && c[1] &&
        (!quote || (quote == '"' && (c[1] == '"' || c[1] == '\\' || c[1] == '$' || c[1] == '`')))) {
        ttp_sink_char(word, c[1]);
        *at = c + 2;
        return true;
    }
    ttp_sink_char(word, *c);
    return true;
}

static ttp_code one_word(struct ttp_sink *word, const char **at, struct ttp_err *err)
{
    char quote = 0;

    while (**at && (quote || (**at != ' ' && **at != '\t'))) {
        const char c = **at;

        if (!quote && (c == '\'' || c == '"')) {
            quote = c;
            (*at)++;
            continue;
        }
        if ((!quote && strchr(for_a_shell, c)) || (quote == '"' && (c == '$' || c == '`')))
            return fail_shell(c, err);
        if (!next_char(word, at, quote))
            quote = 0;
    }
    if (quote)
        return ttp_fail(err, TTP_EUSAGE, "missing closing quote (%c)", quote);
    return TTP_OK;
}

ttp_code ttp_measure_command_split(const char ***argv, const char *text, struct ttp_arena *arena,
                                   struct ttp_err *err)
{
    /* no more words than characters, every other one a blank */
    const char **words = TTP_NEW(arena, const char *, strlen(text) / 2 + 2);
    size_t n = 0;

    for (;;) {
        struct ttp_sink word;

        while (*text == ' ' || *text == '\t')
            text++;
        if (!*text)
            break;
        ttp_sink_to_arena(&word, arena);
        TTP_TRY(one_word(&word, &text, err));
        words[n++] = ttp_arena_zstr(arena, ttp_sink_text(&word));
    }
    *argv = words;
    return n ? TTP_OK : ttp_fail(err, TTP_EUSAGE, "an empty command");
}

static bool is_plain(const char *word)
{
    for (const char *c = word; *c; c++)
        if (strchr(for_a_shell, *c) || strchr(" \t'\"\\", *c))
            return false;
    return *word != '\0';
}

ttp_str ttp_measure_command_join(const char *const *argv, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            ttp_sink_char(&out, ' ');
        if (is_plain(argv[i])) {
            ttp_sink_put(&out, ttp_str_from(argv[i]));
            continue;
        }
        ttp_sink_char(&out, '\'');
        for (const char *c = argv[i]; *c; c++)
            if (*c == '\'')
                ttp_sink_put(&out, TTP_STR("'\\''"));
            else
                ttp_sink_char(&out, *c);
        ttp_sink_char(&out, '\'');
    }
    return ttp_sink_text(&out);
}
