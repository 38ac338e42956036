/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_paths.c - masks the folders of absolute paths: of POSIX and Windows, as they are, in JSON
 * and in URLs. */
#include "bundle/bundle_mask.h"

/* The same on every machine: their paths say nothing about anybody. */
static const char *const public_roots[] = {"usr", "opt", "lib",  "lib64", "proc",
                                           "sys", "dev", "sbin", "bin",   "etc"};
/* What is below such a folder is public source: the path from here on is kept. */
static const char *const source_roots[] = {"tt-metal", "tt_metal", "ttnn",
                                           "tt-mlir",  "tt-lang",  "tt-xla",
                                           "tt-forge", "umd",      "site-packages"};
/* A part of a path after one of these is the name of a user. */
static const char *const home_roots[] = {"home", "Users", "users"};

/* How far back the start of a list of folders may be. */
#define LIST_MAX 4096

static bool is_one_of(ttp_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq(word, ttp_str_from(list[i])))
            return true;
    return false;
}

/* ---- separators ---- */

/* "/", in JSON "\/" or "\u002f", in a URL "%2F"; of Windows also a backslash, two in JSON. Its
 * length; 0: none. */
static size_t separator(ttp_str text, size_t at, bool windows)
{
    static const ttp_str forms[] = {{"/", 1}, {"\\/", 2}, {"%2f", 3}, {"\\u002f", 6}};

    for (size_t i = 0; i < TTP_COUNT(forms); i++)
        if (ttp_str_eq_any_case(ttp_str_slice(text, at, at + forms[i].len), forms[i]))
            return forms[i].len;
    if (!windows || ttp_bundle_char(text, at) != '\\' || ttp_bundle_char(text, at + 1) == '"')
        return 0;
    return ttp_bundle_char(text, at + 1) == '\\' ? 2 : 1;
}

/* ---- where a path ends ---- */

enum closing {
    AT_BLANK,  /* in prose */
    AT_CELL,   /* of a CSV file */
    AT_QUOTE,  /* the one before it, which an escaped one does not close */
    AT_NESTED, /* an escaped one, in a string of a string */
};

struct path {
    ttp_str text;
    size_t at, end;
    bool windows;
    enum closing closing;
    char quote;
};

static enum closing closing_of(const struct ttp_bundle_scan *s, size_t at, char *quote)
{
    const ttp_str t = s->text;
    const char before = ttp_bundle_char(t, at - 1);

    *quote = '"';
    if (before == '"' || before == '\'' || before == '`') {
        *quote = before;
        return at > 1 && (t.ptr[at - 2] == '\\' || (before == '"' && t.ptr[at - 2] == '"'))
                   ? AT_NESTED
                   : AT_QUOTE;
    }
    if (s->in_string)
        return AT_QUOTE;
    return before == ',' || before == ';' || before == '\n' ? AT_CELL : AT_BLANK;
}

/* Does another path begin behind this byte, as in "/a/b:/c/d" and "/a/b /c/d"? */
static bool parts_paths(const struct path *p, size_t at)
{
    const char c = p->text.ptr[at];

    return (ttp_bundle_is_blank(c) || ttp_bundle_is_in(c, ":=,;")) &&
           separator(p->text, at + 1, false) > 0;
}

static bool ends_string(const struct path *p, size_t at)
{
    const char c = p->text.ptr[at], next = ttp_bundle_char(p->text, at + 1);

    if (p->closing == AT_NESTED)
        return c == '"' || c == p->quote || (c == '\\' && next == p->quote);
    if (c == '\\' && !p->windows) /* a line end or a tab in JSON */
        return next == 'n' || next == 't' || next == 'r';
    return c == '\n' || c == '"' || c == p->quote;
}

/* Here, outside quotes? */
static bool ends_word(const struct path *p, size_t at)
{
    const char c = p->text.ptr[at], next = ttp_bundle_char(p->text, at + 1);

    if (ttp_bundle_is_blank(c))
        return p->closing == AT_BLANK || c == '\n' || c == '\r';
    if (c == '\'') /* one in a name is followed by a letter */
        return !ttp_bundle_is_name_char(next);
    return ttp_bundle_is_in(c, "\"`,;<>|") || (c == ':' && p->closing == AT_BLANK);
}

/* How many bytes of a name, which are more than one if the next one is escaped, begin here; 0: the
 * path ends. */
static size_t name_bytes(const struct path *p, size_t at)
{
    const char c = p->text.ptr[at], next = ttp_bundle_char(p->text, at + 1);
    const bool quoted = p->closing == AT_QUOTE || p->closing == AT_NESTED;

    if (c == ':' && ttp_bundle_is_digit(next)) /* a line number */
        return 0;
    if (parts_paths(p, at) || (quoted ? ends_string(p, at) : ends_word(p, at)))
        return 0;
    if (c == '\\' && !p->windows && next != '\n' && (quoted || next != '"'))
        return at + 1 < p->text.len ? 2 : 1;
    return 1;
}

/* A doubled quote in a string of CSV does not close it. */
static bool is_doubled(const struct path *p, size_t at)
{
    return p->closing == AT_QUOTE && p->quote == '"' && p->text.ptr[at] == '"' &&
           ttp_bundle_char(p->text, at + 1) == '"';
}

static size_t find_closing(struct path *p, size_t from)
{
    size_t at = from, separators = 0;

    while (at < p->text.len) {
        const size_t n = separator(p->text, at, p->windows);
        const size_t bytes = n ? n : is_doubled(p, at) ? 2 : name_bytes(p, at);

        if (bytes == 0)
            break;
        separators += n > 0;
        at += bytes;
    }
    p->end = at < p->text.len ? at : p->text.len;
    return separators;
}

/* Sets its end; how many separators are behind `from`. */
static size_t find_end(struct path *p, size_t from)
{
    const size_t separators = find_closing(p, from);

    if (p->closing != AT_CELL || ttp_bundle_char(p->text, p->at - 1) != '\n' ||
        ttp_bundle_is_in(ttp_bundle_char(p->text, p->end), ",;:"))
        return separators;
    p->closing = AT_BLANK; /* a line of prose that begins with a path */
    return find_closing(p, from);
}

/* ---- what is kept of it ---- */

static ttp_str decoded(const struct path *p, size_t to, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    for (size_t at = p->at; at < to;) {
        const size_t n = separator(p->text, at, p->windows);
        const char c = p->text.ptr[at];
        uint64_t code;

        if (n) {
            ttp_sink_char(&out, '/');
            at += n;
        } else if (c == '%' && to - at > 2 &&
                   ttp_str_hex_to_u64(ttp_str_slice(p->text, at + 1, at + 3), &code)) {
            ttp_sink_char(&out, (char)code);
            at += 3;
        } else {
            if ((c != '\\' && !is_doubled(p, at)) || at + 1 == to)
                ttp_sink_char(&out, c);
            else
                ttp_sink_char(&out, p->text.ptr[++at]);
            at++;
        }
    }
    return ttp_sink_text(&out);
}

/* How keys of JSON and variables end whose value is a folder, in lower case. */
static const char *const folder_keys[] = {"root", "roots",     "cwd",    "pwd",     "oldpwd", "dir",
                                          "dirs", "directory", "folder", "folders", "home",   "wd"};

static size_t before_blanks(ttp_str text, size_t at)
{
    while (at > 0 && ttp_bundle_is_blank(text.ptr[at - 1]))
        at--;
    return at;
}

/* Where the list begins in which a string of JSON begins at `at`; `at`: it is in none. */
static size_t list_start(ttp_str text, size_t at)
{
    const size_t least = at > LIST_MAX ? at - LIST_MAX : 0;
    const char before = ttp_bundle_char(text, at - 1);

    if (before != '[' && before != ',')
        return at;
    for (size_t i = at; i > least; i--)
        if (ttp_bundle_is_in(text.ptr[i - 1], "[{}]\n"))
            return text.ptr[i - 1] == '[' ? before_blanks(text, i - 1) : at;
    return at;
}

/* Does the key or the variable before a path say that it is of a folder? Its last part is not
 * a file's name, then, but may be a project's. */
static bool is_folder(const struct path *p)
{
    const ttp_str t = p->text;
    size_t at = p->at;

    if (at > 0 && t.ptr[at - 1] == '"')
        at = list_start(t, before_blanks(t, at - 1));
    if (at == 0 || !ttp_bundle_is_in(t.ptr[at - 1], ":="))
        return false;
    at = before_blanks(t, at - 1);
    at -= at > 0 && t.ptr[at - 1] == '"';
    for (size_t i = 0; i < TTP_COUNT(folder_keys); i++) {
        const ttp_str key = ttp_str_from(folder_keys[i]);

        if (at >= key.len && ttp_str_eq_any_case(ttp_str_slice(t, at - key.len, at), key) &&
            !ttp_bundle_is_letter(ttp_bundle_char(t, at - key.len - 1)))
            return true;
    }
    return false;
}

/* Where the part of a path begins that is kept: a public folder, else the last part of a file's;
 * its end if that is a user's folder or nothing. */
static size_t kept_from(const struct path *p)
{
    size_t part = p->at, last = p->end;
    bool home = false;

    for (size_t at = p->at; at <= p->end;) {
        const size_t n = at < p->end ? separator(p->text, at, p->windows) : 1;

        if (n == 0) {
            at++;
            continue;
        }
        const ttp_str name = ttp_str_slice(p->text, part, at);
        if (is_one_of(name, source_roots, TTP_COUNT(source_roots)))
            return part;
        last = home || part == p->at ? p->end : part;
        home = is_one_of(name, home_roots, TTP_COUNT(home_roots));
        at += n;
        part = at;
    }
    return last < p->end && !is_folder(p) ? last : p->end;
}

/* "usr/../home": more steps up than down. */
static bool leaves_root(ttp_str path)
{
    int depth = 0;

    for (size_t at = 0, part = 0; at <= path.len;) {
        const size_t n = at < path.len ? separator(path, at, false) : 1;
        const ttp_str name = ttp_str_slice(path, part, at);

        if (n == 0) {
            at++;
            continue;
        }
        depth += ttp_str_eq(name, TTP_STR("..")) ? -1 : name.len && !ttp_str_eq(name, TTP_STR("."));
        if (depth < 1)
            return true;
        at += n;
        part = at;
    }
    return false;
}

/* The end of a path below a public folder, up to a blank; 0: it is not public. */
static size_t public_end(const struct path *p, size_t first)
{
    size_t at = first;

    while (at < p->end && ttp_bundle_is_name_char(p->text.ptr[at]))
        at++;
    if (p->windows || !separator(p->text, at, false) ||
        !is_one_of(ttp_str_slice(p->text, first, at), public_roots, TTP_COUNT(public_roots)))
        return 0;
    while (at < p->end && !ttp_bundle_is_blank(p->text.ptr[at]))
        at++;
    return leaves_root(ttp_str_slice(p->text, first, at)) ? 0 : at;
}

/* The scan continues in its kept part: more may be in it than a name. */
static size_t mask(struct ttp_bundle_scan *s, const struct path *p)
{
    const size_t from = kept_from(p);

    ttp_bundle_put_mask(s, (struct ttp_bundle_place){p->at, from}, "/masked-",
                        decoded(p, from, s->out.arena));
    if (from < p->end)
        ttp_sink_char(&s->out, '/');
    return from - p->at;
}

/* ---- where one begins ---- */

/* Not behind what makes it a part of a relative path or of a URL. */
static bool may_begin(ttp_str text, size_t at)
{
    const char c = ttp_bundle_char(text, at - 1);

    return !ttp_bundle_is_name_char(c) && (unsigned char)c < 0x80 &&
           !ttp_bundle_is_in(c, ".+@%~-/*?)]}$#\\");
}

/* "C:\Users\x" or "\\server\share\x": the bytes before its first name. */
static size_t windows_head(ttp_str t, size_t at)
{
    size_t n = 0;

    if (ttp_bundle_is_letter(t.ptr[at]) && ttp_bundle_char(t, at + 1) == ':')
        return separator(t, at + 2, true) ? 2 + separator(t, at + 2, true) : 0;
    while (ttp_bundle_char(t, at + n) == '\\')
        n++;
    if (n != 2 && n != 4)
        return 0;
    size_t end = at + n;
    while (ttp_bundle_is_name_char(ttp_bundle_char(t, end)) ||
           ttp_bundle_is_in(ttp_bundle_char(t, end), ".-$"))
        end++;
    return end > at + n + 1 && ttp_bundle_char(t, end) == '\\' &&
                   (ttp_bundle_char(t, end + 1) == '\\') == (n == 4)
               ? n
               : 0;
}

/* "a:\nb\nc" in JSON is lines, no path of a drive. */
static bool is_lines(const struct path *p)
{
    for (size_t at = p->at; at + 1 < p->end; at++)
        if (p->text.ptr[at] == '/' ||
            (p->text.ptr[at] == '\\' && !ttp_bundle_is_in(p->text.ptr[at + 1], "ntr")))
            return false;
    return true;
}

/* "~/" or "~ann" or "~ann/": its length. "~T()" is a function. */
static size_t home_head(ttp_str t, size_t at)
{
    size_t end = at + 1;

    if (t.ptr[at] != '~')
        return 0;
    while (ttp_bundle_is_name_char(ttp_bundle_char(t, end)) ||
           ttp_bundle_is_in(ttp_bundle_char(t, end), ".-"))
        end++;
    const char next = ttp_bundle_char(t, end);
    const bool alone = ttp_bundle_is_letter(ttp_bundle_char(t, at + 1)) &&
                       (ttp_bundle_is_blank(next) || ttp_bundle_is_in(next, "\"',;:"));
    return alone || separator(t, end, false) ? end - at : 0;
}

size_t ttp_bundle_mask_path(struct ttp_bundle_scan *s, size_t at)
{
    struct path p = {.text = s->text, .at = at};
    const size_t home = home_head(s->text, at), slash = separator(s->text, at, false);
    size_t head = home ? home : slash;

    if (!may_begin(s->text, at) || (slash && separator(s->text, at + slash, false)))
        return 0;
    if (!head) {
        head = windows_head(s->text, at);
        p.windows = true;
    }
    if (!head)
        return 0;
    p.closing = closing_of(s, at, &p.quote);
    if (find_end(&p, at + head) < (home ? 0 : 1) || (p.windows && is_lines(&p)))
        return 0;
    const size_t end = slash ? public_end(&p, at + head) : 0;
    return end ? end - at : mask(s, &p);
}

size_t ttp_bundle_mask_path_below(struct ttp_bundle_scan *s, size_t at)
{
    struct path p = {.text = s->text, .at = at, .quote = '"'};
    const size_t slash = separator(s->text, at, false);

    p.closing = s->in_string ? AT_QUOTE : AT_BLANK;
    if (!slash || find_end(&p, at + slash) == 0)
        return 0;
    const size_t end = public_end(&p, at + slash);
    return end ? end - at : mask(s, &p);
}
