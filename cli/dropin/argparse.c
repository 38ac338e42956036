/* SPDX-License-Identifier: Apache-2.0 */
/* argparse.c - which words are options and values, in the order argparse finds out.
 *
 * Every word is first classed alone: option, argument, or the "--" that makes all after it
 * arguments. Then options and runs of arguments are taken from left to right; the first run is the
 * positional, words of later runs and unknown options are left over. A mistake is reported where
 * the word is taken, so what is before it has happened, help included; a missing positional and
 * left-over words are reported at the end. */
#include "dropin/argparse.h"

#include <unistd.h>

#include "base/num.h"
#include "base/python_repr.h"
#include "dropin/argparse_text.h"

enum word_class { CLASS_ARGUMENT, CLASS_OPTION, CLASS_DASHDASH };

struct parser {
    const struct ttp_argparse *p;
    char *opts;
    struct ttp_arena *arena;
    const char **word;
    enum word_class *class;
    size_t count;
    struct ttp_words *positionals;
    struct ttp_words extras;
    ttp_str *message;
};

/* How a word names an option: which ones it may mean, and the value that hangs on it. */
struct match {
    size_t count;            /* 0: none of ours */
    size_t index;            /* of the first */
    bool letter;             /* found by its letter */
    const char *value, *sep; /* both NULL: nothing hangs on it; sep "" or "=" */
};

static const struct ttp_opt *option_at(const struct ttp_argparse *p, size_t index)
{
    const struct ttp_opt *o = NULL;

    (void)ttp_argparse_option(&o, p, index);
    return o->alias_of ? ttp_opts_target(p->opt, p->nopt, index - 1) : o;
}

static bool is_name(const char *word, size_t len, const struct ttp_opt *o)
{
    return len > 2 && word[0] == '-' && word[1] == '-' &&
           ttp_str_eq(ttp_str_from(o->name), (ttp_str){word + 2, len - 2});
}

/* The word up to len is an option written in full. */
static bool match_exact(struct match *m, const struct ttp_argparse *p, const char *word, size_t len)
{
    const struct ttp_opt *o;

    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++) {
        const bool letter = o->letter && len == 2 && word[0] == '-' && word[1] == o->letter;

        if (letter || is_name(word, len, o)) {
            *m = (struct match){.count = 1, .index = i, .letter = letter};
            return true;
        }
    }
    return false;
}

/* A word with two dashes begins the options whose names it begins; "-=..." begins all of them.
 * Hidden ones and second names must be written in full. */
static bool begins(const char *word, const struct ttp_opt *o)
{
    const ttp_str prefix = {word, strcspn(word, "=")};

    if (o->hidden || o->alias_of)
        return false;
    return prefix.len < 2 ||
           ttp_str_starts(ttp_str_from(o->name), ttp_str_slice(prefix, 2, prefix.len));
}

/* The options that a word begins. */
static void match_prefix(struct match *m, const struct ttp_argparse *p, const char *word)
{
    const char *equals = strchr(word, '=');
    const struct ttp_opt *o;

    *m = (struct match){.value = equals ? equals + 1 : NULL, .sep = equals ? "=" : NULL};
    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++) {
        if (begins(word, o) && m->count++ == 0)
            m->index = i;
    }
}

/* "-xVALUE" or "-xyz". */
static void match_letter(struct match *m, const struct ttp_argparse *p, const char *word)
{
    if (match_exact(m, p, word, 2)) {
        m->value = word + 2;
        m->sep = "";
    }
}

static void match_word(struct match *m, const struct ttp_argparse *p, const char *word)
{
    const char *equals = strchr(word, '=');

    if (match_exact(m, p, word, strlen(word)))
        return;
    if (equals && match_exact(m, p, word, (size_t)(equals - word))) {
        m->value = equals + 1;
        m->sep = "=";
        return;
    }
    *m = (struct match){0};
    if (word[1] == '-' || word[1] == '=')
        match_prefix(m, p, word);
    else
        match_letter(m, p, word);
}

/* -5, -.5, -1.5; not -1e5, not -1,000. A line end after it does not count. */
static bool looks_negative(const char *word)
{
    size_t i = 1, whole = 0, fraction = 0;

    for (; word[i] >= '0' && word[i] <= '9'; i++)
        whole++;
    const bool point = word[i] == '.';
    for (i += point; point && word[i] >= '0' && word[i] <= '9'; i++)
        fraction++;
    if (word[i] == '\n')
        i++;
    return word[i] == '\0' && (point ? fraction > 0 : whole > 0);
}

static bool has_negative_option(const struct ttp_argparse *p)
{
    const struct ttp_opt *o;

    for (size_t i = 0; ttp_argparse_option(&o, p, i); i++)
        if (o->letter >= '0' && o->letter <= '9')
            return true;
    return false;
}

static enum word_class classify(const struct ttp_argparse *p, const char *word)
{
    struct match m;

    if (word[0] != '-' || word[1] == '\0')
        return CLASS_ARGUMENT;
    match_word(&m, p, word);
    if (m.count)
        return CLASS_OPTION;
    if (looks_negative(word) && !has_negative_option(p))
        return CLASS_ARGUMENT;
    return strchr(word, ' ') ? CLASS_ARGUMENT : CLASS_OPTION;
}

static enum ttp_argparse_result fail(struct parser *s, struct ttp_sink *text)
{
    *s->message = ttp_sink_text(text);
    return TTP_ARGPARSE_ERROR;
}

/* "argument -h/--help: TEXT" with an optional value as Python's repr() shows it. */
static enum ttp_argparse_result fail_argument(struct parser *s, const struct ttp_opt *o,
                                              const char *text, const char *value)
{
    struct ttp_sink m;

    ttp_sink_to_arena(&m, s->arena);
    ttp_sink_put(&m, TTP_STR("argument "));
    if (o->letter)
        ttp_sink_printf(&m, "-%c/", o->letter);
    ttp_sink_printf(&m, "--%s: %s", o->name, text);
    if (value)
        ttp_python_repr_argument(&m, ttp_str_from(value));
    return fail(s, &m);
}

static enum ttp_argparse_result fail_choice(struct parser *s, const struct ttp_opt *o,
                                            const char *value)
{
    struct ttp_sink m;

    (void)fail_argument(s, o, "invalid choice: ", value);
    ttp_sink_to_arena(&m, s->arena);
    ttp_sink_put(&m, *s->message);
    ttp_sink_put(&m, TTP_STR(" (choose from "));
    for (size_t i = 0; o->choices[i]; i++)
        ttp_sink_printf(&m, "%s%s", i ? ", " : "", o->choices[i]);
    ttp_sink_char(&m, ')');
    return fail(s, &m);
}

/* Python's float() and int() allow blanks around and '_' between digits. */
static ttp_str plain_number(const char *value, struct ttp_arena *arena)
{
    const ttp_str text = ttp_str_trim(ttp_str_from(value));
    char *out = TTP_NEW(arena, char, text.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        const bool between = i > 0 && i + 1 < text.len && text.ptr[i - 1] >= '0' &&
                             text.ptr[i - 1] <= '9' && text.ptr[i + 1] >= '0' &&
                             text.ptr[i + 1] <= '9';
        if (text.ptr[i] != '_' || !between)
            out[n++] = text.ptr[i];
    }
    return (ttp_str){out, n};
}

static enum ttp_argparse_result store(struct parser *s, size_t index, const char *value)
{
    const struct ttp_opt *o = option_at(s->p, index);
    void *field = s->opts + o->offset;

    if (index == TTP_ARGPARSE_HELP_INDEX)
        return TTP_ARGPARSE_HELP;
    switch (o->type) {
    case TTP_OPT_FLAG:
        *(bool *)field = true;
        break;
    case TTP_OPT_STR:
        *(const char **)field = value;
        break;
    case TTP_OPT_INT:
        if (!ttp_str_to_i64(plain_number(value, s->arena), field))
            return fail_argument(s, o, "invalid int value: ", value);
        break;
    case TTP_OPT_FLOAT:
        if (!ttp_str_to_f64(plain_number(value, s->arena), field))
            return fail_argument(s, o, "invalid float value: ", value);
        break;
    case TTP_OPT_CHOICE: {
        const int i = ttp_opts_choice(o->choices, ttp_str_from(value));
        if (i < 0)
            return fail_choice(s, o, value);
        *(int *)field = i;
        break;
    }
    case TTP_OPT_PERCENT: /* no original has one */
        break;
    case TTP_OPT_LIST:
        ttp_words_add(field, value, s->arena);
        break;
    }
    return TTP_ARGPARSE_RUN;
}

static const char *separator(bool *some)
{
    const char *text = *some ? ", " : "";

    *some = true;
    return text;
}

static enum ttp_argparse_result fail_ambiguous(struct parser *s, const char *word)
{
    const struct ttp_opt *o;
    struct ttp_sink m;
    bool some = false;

    ttp_sink_to_arena(&m, s->arena);
    ttp_sink_put(&m, TTP_STR("ambiguous option: "));
    ttp_argparse_str(&m, ttp_str_from(word));
    ttp_sink_put(&m, TTP_STR(" could match "));
    for (size_t i = 0; ttp_argparse_option(&o, s->p, i); i++) {
        if (!begins(word, o))
            continue;
        if (word[1] == '=' && o->letter)
            ttp_sink_printf(&m, "%s-%c", separator(&some), o->letter);
        ttp_sink_printf(&m, "%s--%s", separator(&some), o->name);
    }
    return fail(s, &m);
}

/* What one word turned out to mean; taken only once all of the word is understood. */
struct meaning {
    size_t index;
    const char *value;
};

/* The rest of a word of letters that is none of ours, with a dash put back before it. */
static void leave_letters(struct parser *s, const char *letters)
{
    struct ttp_sink text;

    ttp_sink_to_arena(&text, s->arena);
    ttp_sink_printf(&text, "-%s", letters);
    ttp_sink_char(&text, '\0');
    ttp_words_add(&s->extras, ttp_sink_text(&text).ptr, s->arena);
}

/* From "-xyz" with x done to y: false if y is none of ours. */
static bool next_letter(struct match *m, const struct ttp_argparse *p)
{
    const char word[] = {'-', m->value[0]};
    const char *rest = m->value + 1;

    if (!match_exact(m, p, word, sizeof(word)))
        return false;
    if (rest[0] != '\0') {
        m->sep = rest[0] == '=' ? "=" : "";
        m->value = rest + (rest[0] == '=');
    }
    return true;
}

/* Understand the option at *at; *at becomes the first word after it and its value. */
static enum ttp_argparse_result read_option(struct parser *s, struct meaning *list, size_t *count,
                                            struct match m, size_t *at)
{
    for (*count = 0, ++*at;;) {
        const struct ttp_opt *o = option_at(s->p, m.index);

        if (o->type != TTP_OPT_FLAG && !m.value) {
            if (*at == s->count || s->class[*at] != CLASS_ARGUMENT)
                return fail_argument(s, o, "expected one argument", NULL);
            m.value = s->word[(*at)++];
        }
        list[(*count)++] = (struct meaning){m.index, m.value};
        if (o->type != TTP_OPT_FLAG || !m.value)
            return TTP_ARGPARSE_RUN;
        /* a flag and something after it: more letters, or a mistake */
        if (!m.letter || m.sep[0] == '=' || m.value[0] == '\0' || m.value[0] == '-')
            return fail_argument(s, o, "ignored explicit argument ", m.value);
        const char *letters = m.value;
        if (!next_letter(&m, s->p)) {
            leave_letters(s, letters);
            return TTP_ARGPARSE_RUN;
        }
    }
}

static enum ttp_argparse_result take_option(struct parser *s, size_t *at)
{
    const char *word = s->word[*at];
    struct match m;
    size_t count;

    match_word(&m, s->p, word);
    if (m.count > 1)
        return fail_ambiguous(s, word);
    if (m.count == 0) {
        ttp_words_add(&s->extras, word, s->arena);
        ++*at;
        return TTP_ARGPARSE_RUN;
    }
    struct meaning *list = TTP_NEW(s->arena, struct meaning, strlen(word));
    enum ttp_argparse_result rc = read_option(s, list, &count, m, at);
    for (size_t i = 0; i < count && rc == TTP_ARGPARSE_RUN; i++)
        rc = store(s, list[i].index, list[i].value);
    return rc;
}

/* Arguments from `at` on, if they are the first: "--" among them does not count. Returns where they
 * end, or `at` if this is not the positional. */
static size_t take_positionals(struct parser *s, size_t at)
{
    size_t end = at, arguments = 0;

    if (s->positionals->count)
        return at;
    for (; end < s->count && s->class[end] != CLASS_OPTION; end++) {
        if (s->p->one_positional && arguments)
            break;
        arguments += s->class[end] == CLASS_ARGUMENT;
    }
    if (arguments == 0)
        return at;
    for (size_t i = at; i < end; i++)
        if (s->class[i] == CLASS_ARGUMENT)
            ttp_words_add(s->positionals, s->word[i], s->arena);
    return end;
}

static enum ttp_argparse_result take_all(struct parser *s)
{
    for (size_t at = 0; at < s->count;) {
        if (s->class[at] == CLASS_OPTION) {
            const enum ttp_argparse_result rc = take_option(s, &at);

            if (rc != TTP_ARGPARSE_RUN)
                return rc;
            continue;
        }
        const size_t end = take_positionals(s, at);
        if (end == at)
            ttp_words_add(&s->extras, s->word[at++], s->arena);
        else
            at = end;
    }
    return TTP_ARGPARSE_RUN;
}

static enum ttp_argparse_result check_complete(struct parser *s)
{
    struct ttp_sink m;

    ttp_sink_to_arena(&m, s->arena);
    if (s->positionals->count == 0) {
        ttp_sink_printf(&m, "the following arguments are required: %s", s->p->positional);
        return fail(s, &m);
    }
    if (s->extras.count == 0)
        return TTP_ARGPARSE_RUN;
    ttp_sink_put(&m, TTP_STR("unrecognized arguments:"));
    for (size_t i = 0; i < s->extras.count; i++) {
        ttp_sink_char(&m, ' ');
        ttp_argparse_str(&m, ttp_str_from(s->extras.word[i]));
    }
    return fail(s, &m);
}

enum ttp_argparse_result ttp_argparse_parse(void *opts, struct ttp_words *positionals,
                                            ttp_str *message, const struct ttp_argparse *p,
                                            int argc, char **argv, struct ttp_arena *arena)
{
    const size_t count = argc > 1 ? (size_t)argc - 1 : 0;
    struct parser s = {.p = p,
                       .opts = opts,
                       .arena = arena,
                       .word = TTP_NEW(arena, const char *, count + 1),
                       .class = TTP_NEW(arena, enum word_class, count + 1),
                       .count = count,
                       .positionals = positionals,
                       .message = message};
    bool options = true;

    *positionals = (struct ttp_words){0};
    *message = TTP_STR("");
    for (size_t i = 0; i < count; i++) {
        s.word[i] = argv[i + 1];
        if (!options)
            s.class[i] = CLASS_ARGUMENT;
        else if (strcmp(s.word[i], "--") == 0)
            s.class[i] = CLASS_DASHDASH;
        else
            s.class[i] = classify(p, s.word[i]);
        options = options && s.class[i] != CLASS_DASHDASH;
    }
    const enum ttp_argparse_result rc = take_all(&s);
    return rc == TTP_ARGPARSE_RUN ? check_complete(&s) : rc;
}

bool ttp_argparse_run(int *status, void *opts, struct ttp_words *positionals,
                      const struct ttp_argparse *p, int argc, char **argv, struct ttp_arena *arena)
{
    struct ttp_sink out;
    ttp_str message;
    const enum ttp_argparse_result rc =
        ttp_argparse_parse(opts, positionals, &message, p, argc, argv, arena);

    if (rc == TTP_ARGPARSE_RUN)
        return true;
    ttp_sink_to_fd(&out, rc == TTP_ARGPARSE_HELP ? STDOUT_FILENO : STDERR_FILENO, arena);
    if (rc == TTP_ARGPARSE_HELP) {
        ttp_argparse_help(&out, p, ttp_argparse_columns(), arena);
    } else {
        ttp_argparse_usage(&out, p, ttp_argparse_columns(), arena);
        ttp_sink_printf(&out, "%s: error: ", p->prog);
        ttp_sink_put(&out, message);
        ttp_sink_char(&out, '\n');
    }
    const ttp_code told = ttp_sink_finish(&out, NULL);
    *status = rc == TTP_ARGPARSE_ERROR ? 2 : told == TTP_OK ? 0 : 1;
    return false;
}
