/* SPDX-License-Identifier: Apache-2.0 */
/* secrets.c - finds secrets in texts and in the words of commands. */
#include "base/secrets.h"

#include "base/secret_parts.h"
#include "base/sink.h"

struct masking {
    ttp_str text;
    bool json, in_string; /* at `at` */
    size_t at, copied;
    struct ttp_sink out;
    bool any;
};

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"' || c == '`';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char char_at(const struct masking *m, size_t i)
{
    return (char)(i < m->text.len ? m->text.ptr[i] : '\0');
}

/* Continue at `to`; the text in between is scanned only for the ends of strings. */
static void go_to(struct masking *m, size_t to)
{
    for (; m->at < to; m->at++)
        if (m->in_string && char_at(m, m->at) == '\\')
            m->at++;
        else if (char_at(m, m->at) == '"')
            m->in_string = !m->in_string;
}

/* Mask [from, to), which has no quote in it. False: it is not a string of a JSON text. */
static bool mask(struct masking *m, size_t from, size_t to, struct ttp_arena *arena)
{
    go_to(m, from);
    if (m->json && !m->in_string)
        return false;
    if (!m->any)
        ttp_sink_to_arena(&m->out, arena);
    m->any = true;
    ttp_sink_put(&m->out, ttp_str_slice(m->text, m->copied, from));
    ttp_sink_put(&m->out, TTP_STR(TTP_SECRET_MASK));
    m->copied = m->at = to;
    return true;
}

/* Where a value that begins at `from` ends: at the quote before it, or as a word. */
static size_t end_of_value(const struct masking *m, size_t from)
{
    const char before = (char)(from > 0 ? char_at(m, from - 1) : '\0');
    const char quote = (char)(is_quote(before) ? before : '\0');
    size_t end = from;

    for (; end < m->text.len; end++) {
        const char c = char_at(m, end);

        if (c == '\\' && (m->json || is_quote(char_at(m, end + 1))))
            break;
        if (quote ? c == quote : is_blank(c) || is_quote(c) || strchr("&;,|)}]<>", c))
            break;
    }
    return end;
}

/* Behind quotes, blanks and `also`; TTP_NPOS: there was none of `needed`. */
static size_t skip_gap(const struct masking *m, size_t at, const char *also, const char *needed)
{
    bool found = !*needed;

    for (; at < m->text.len; at++) {
        const char c = char_at(m, at);
        const bool escaped = c == '\\' && is_quote(char_at(m, at + 1));

        if (!is_quote(c) && !is_blank(c) && !escaped && !strchr(also, c))
            break;
        found = found || strchr(needed, c);
    }
    return found ? at : TTP_NPOS;
}

/* "Bearer X": the word before the secret stays. */
static size_t skip_scheme(const struct masking *m, size_t from)
{
    static const ttp_str schemes[] = {
        {"bearer", 6}, {"basic", 5}, {"token", 5}, {"digest", 6}, {"apikey", 6}};

    for (size_t i = 0; i < TTP_COUNT(schemes); i++) {
        const size_t end = from + schemes[i].len;

        if (char_at(m, end) == ' ' &&
            ttp_str_eq_any_case(ttp_str_slice(m->text, from, end), schemes[i]))
            return skip_gap(m, end, "", "");
    }
    return from;
}

/* Where the value of the name that ends at `end` begins; TTP_NPOS: it has none. */
static size_t find_value(const struct masking *m, size_t end, bool flag)
{
    size_t at = end;

    if (char_at(m, at) == '=') {
        at++;
        return is_quote(char_at(m, at)) ? at + 1 : at;
    }
    /* "name": VALUE, 'name' = VALUE */
    if (is_quote(char_at(m, at)) || (char_at(m, at) == '\\' && is_quote(char_at(m, at + 1))))
        at += char_at(m, at) == '\\' ? 2 : 1;
    size_t sign = at;
    while (is_blank(char_at(m, sign)))
        sign++;
    if (char_at(m, at) == ':' || (at != end && (char_at(m, sign) == ':')))
        return skip_gap(m, sign + 1, "", "");
    /* --name VALUE, and in lists "--name", "VALUE" */
    return flag ? skip_gap(m, end, ",", " \t\n,") : TTP_NPOS;
}

/* Is the string that ends here the name of a member of a JSON object? */
static bool is_member(const struct masking *m, size_t end)
{
    if (!m->json || char_at(m, end) != '"')
        return false;
    for (end++; is_blank(char_at(m, end)); end++) {
    }
    return char_at(m, end) == ':';
}

/* A name begins at `at`: is its value a secret? Returns where to continue if not. */
static size_t mask_value(struct masking *m, struct ttp_arena *arena)
{
    size_t from = m->at, end;

    while (char_at(m, from) == '-')
        from++;
    for (end = from; is_name_char(char_at(m, end)); end++) {
    }
    if (end == from)
        return end > m->at ? end : m->at + 1;
    const enum ttp_secret_name kind = ttp_secret_name(ttp_str_slice(m->text, from, end));
    if (kind == TTP_SECRET_NEVER)
        return end;
    const size_t start = find_value(m, end, from > m->at);
    if (start == TTP_NPOS || start >= m->text.len)
        return end;
    const size_t value = skip_scheme(m, start), stop = end_of_value(m, value);
    if (!ttp_secret_value(kind, ttp_str_slice(m->text, value, stop)) || is_member(m, stop))
        return end;
    return mask(m, value, stop, arena) ? stop : end;
}

/* "://" is at `at`: the password before the '@', or a key in the user's place. */
static size_t mask_address(struct masking *m, struct ttp_arena *arena)
{
    const size_t from = m->at + 3;
    size_t end = from, at = TTP_NPOS, colon = TTP_NPOS;

    for (; end < m->text.len; end++) {
        const char c = char_at(m, end);

        if (is_blank(c) || is_quote(c) || strchr("/?#\\<>", c))
            break;
        if (c == ':' && colon == TTP_NPOS)
            colon = end;
        if (c == '@')
            at = end;
    }
    if (at == TTP_NPOS)
        return from;
    if (colon != TTP_NPOS && colon < at) {
        if (at == colon + 1 || char_at(m, colon + 1) == '$')
            return at;
        return mask(m, colon + 1, at, arena) ? at : from;
    }
    if (ttp_secret_value(TTP_SECRET_RANDOM, ttp_str_slice(m->text, from, at)))
        return mask(m, from, at, arena) ? at : from;
    return from;
}

static ttp_str run(ttp_str text, bool json, struct ttp_arena *arena)
{
    struct masking m = {.text = text, .json = json};

    while (m.at < text.len) {
        const char c = text.ptr[m.at], before = (char)(m.at ? text.ptr[m.at - 1] : ' ');
        size_t next = m.at + 1;

        if (c == ':' && ttp_str_starts(ttp_str_slice(text, m.at, text.len), TTP_STR("://"))) {
            next = mask_address(&m, arena);
        } else if (is_name_char(c) && !is_name_char(before)) {
            const size_t form = ttp_secret_form(ttp_str_slice(text, m.at, text.len));

            if (form && mask(&m, m.at, m.at + form, arena))
                continue;
            next = mask_value(&m, arena);
        }
        go_to(&m, next);
    }
    if (!m.any)
        return text;
    ttp_sink_put(&m.out, ttp_str_slice(text, m.copied, text.len));
    return ttp_sink_text(&m.out);
}

ttp_str ttp_secrets_mask_text(ttp_str text, struct ttp_arena *arena)
{
    return run(text, false, arena);
}

ttp_str ttp_secrets_mask_json(ttp_str text, struct ttp_arena *arena)
{
    return run(text, true, arena);
}

const char *ttp_secrets_mask_string(const char *text, struct ttp_arena *arena)
{
    const ttp_str s = ttp_str_from(text), masked = ttp_secrets_mask_text(s, arena);

    return masked.ptr == s.ptr ? text : ttp_arena_zstr(arena, masked);
}

/* `end` bytes of it, then the mask. */
static const char *masked_from(const char *word, size_t end, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_sink_printf(&out, "%.*s" TTP_SECRET_MASK, (int)end, word);
    return ttp_arena_zstr(arena, ttp_sink_text(&out));
}

const char *ttp_secrets_mask_setting(const char *setting, struct ttp_arena *arena)
{
    const ttp_str s = ttp_str_from(setting);
    const size_t sign = ttp_str_find_char(s, '=');
    const size_t from = strspn(setting, "-");

    if (sign != TTP_NPOS && ttp_secret_value(ttp_secret_name(ttp_str_slice(s, from, sign)),
                                             ttp_str_slice(s, sign + 1, s.len)))
        return masked_from(setting, sign + 1, arena);
    return ttp_secrets_mask_string(setting, arena);
}

/* ---- words ---- */

static bool is_tool(const char *word, const char *tool)
{
    const char *slash = strrchr(word, '/');

    return strcmp(slash ? slash + 1 : word, tool) == 0;
}

/* "-u NAME:PASSWORD" of curl, "-p PASSWORD" of sshpass: the letter alone does not state it. */
static const char *mask_of_tool(const char *const *argv, size_t i, struct ttp_arena *arena)
{
    static const char *const of_curl[] = {"-u", "--user", "-U", "--proxy-user"};
    bool curl = false, sshpass = false;

    for (size_t k = 0; k < i; k++) {
        curl = curl || is_tool(argv[k], "curl");
        sshpass = sshpass || is_tool(argv[k], "sshpass");
    }
    if (i > 0 && sshpass && strcmp(argv[i - 1], "-p") == 0)
        return TTP_SECRET_MASK;
    for (size_t k = 0; curl && i > 0 && k < TTP_COUNT(of_curl); k++) {
        const char *colon = strchr(argv[i], ':');

        if (colon && colon[1] && strcmp(argv[i - 1], of_curl[k]) == 0)
            return masked_from(argv[i], (size_t)(colon - argv[i]) + 1, arena);
    }
    return NULL;
}

static const char *mask_word(const char *const *argv, size_t i, struct ttp_arena *arena)
{
    const ttp_str word = ttp_str_from(argv[i]);
    const ttp_str before = ttp_str_from(i ? argv[i - 1] : "");
    const char *of_tool = mask_of_tool(argv, i, arena);
    const size_t dashes = strspn(before.len ? before.ptr : "", "-");

    if (of_tool)
        return of_tool;
    if (dashes && ttp_str_find_char(before, '=') == TTP_NPOS &&
        ttp_secret_value(ttp_secret_name(ttp_str_slice(before, dashes, before.len)), word))
        return TTP_SECRET_MASK;
    /* one that has blanks but is not an option is a script: "TOKEN=x python run.py" */
    if (word.len && (word.ptr[0] == '-' || !strpbrk(argv[i], " \t\n")))
        return ttp_secrets_mask_setting(argv[i], arena);
    return ttp_secrets_mask_string(argv[i], arena);
}

const char *const *ttp_secrets_mask_words(const char *const *argv, struct ttp_arena *arena)
{
    size_t n = 0;

    while (argv && argv[n])
        n++;
    const char **masked = TTP_NEW(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        masked[i] = mask_word(argv, i, arena);
    return masked;
}
