/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mask.c - replaces names of people, machines and folders by neutral words. */
#include "bundle/bundle_mask.h"

#include "base/sha256.h"

/* Users and hosts that exist everywhere. */
static const char *const plain_names[] = {"localhost", "root",  "user", "nobody", /* words-ok */
                                          "ubuntu",    "runner"};
#define NAME_MIN 3
/* Digits of the digest of a masked text: two stay two, and neither can be guessed. */
#define DIGEST_DIGITS 4
/* What is behind a host name and a dot is its domain, unless it is the ending of a file. */
static const char *const file_ends[] = {"csv",  "json", "jsonl", "yaml", "yml", "log", "txt",
                                        "md",   "gz",   "zst",   "cpp",  "cc",  "c",   "hpp",
                                        "h",    "py",   "tar",   "db",   "so",  "bin", "html",
                                        "conf", "sh",   "tracy", "xml",  "out", "err", "pid"};

static bool is_one_of(ttp_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq_any_case(word, ttp_str_from(list[i])))
            return true;
    return false;
}

static bool is_plain(ttp_str name)
{
    return is_one_of(name, plain_names, TTP_COUNT(plain_names));
}

/* "lab7" of "lab7.example.com". */
static ttp_str first_label(ttp_str host)
{
    return ttp_str_slice(host, 0, ttp_str_find_char(host, '.'));
}

/* ---- what has a form ---- */

bool ttp_bundle_is_known(const struct ttp_bundle_names *names, ttp_str name)
{
    const struct ttp_words *hosts = &names->hosts, *users = &names->users;

    if (is_plain(name))
        return true;
    for (size_t i = 0; i < users->count; i++)
        if (name.len >= NAME_MIN && ttp_str_eq(name, ttp_str_from(users->word[i])))
            return true;
    for (size_t i = 0; i < hosts->count; i++) {
        const ttp_str host = first_label(ttp_str_from(hosts->word[i]));

        if (host.len >= NAME_MIN && ttp_str_eq_any_case(first_label(name), host))
            return true;
    }
    return false;
}

ttp_str ttp_bundle_digest(const char *kind, ttp_str what, struct ttp_arena *arena)
{
    char digest[TTP_SHA256_HEX + 1];

    ttp_sha256_hex(digest, what);
    return ttp_sink_format(arena, "%s%.*s", kind, DIGEST_DIGITS, digest);
}

void ttp_bundle_put_mask(struct ttp_bundle_scan *s, struct ttp_bundle_place place, const char *kind,
                         ttp_str what)
{
    ttp_sink_put(&s->out, ttp_str_slice(s->text, s->from, place.at));
    ttp_sink_put(&s->out, ttp_bundle_digest(kind, what, s->out.arena));
    s->from = place.end;
    s->masked++;
}

/* What begins at `at`, which is not inside a word: its length, 1 if it stays. */
static size_t mask_at(struct ttp_bundle_scan *s, size_t at)
{
    static size_t (*const word_masks[])(struct ttp_bundle_scan *,
                                        size_t) = {ttp_bundle_mask_field, ttp_bundle_mask_account,
                                                   ttp_bundle_mask_address, ttp_bundle_mask_path};
    static size_t (*const sign_masks[])(struct ttp_bundle_scan *, size_t) = {
        ttp_bundle_mask_path, ttp_bundle_mask_url, ttp_bundle_mask_address};
    const char c = s->text.ptr[at];
    size_t n = 0;

    if (ttp_bundle_is_name_char(c))
        for (size_t i = 0; i < TTP_COUNT(word_masks) && n == 0; i++)
            n = word_masks[i](s, at);
    else if (ttp_bundle_is_in(c, "/\\%~:"))
        for (size_t i = 0; i < TTP_COUNT(sign_masks) && n == 0; i++)
            n = sign_masks[i](s, at);
    return n ? n : 1;
}

static ttp_str mask_forms(ttp_str text, const struct ttp_bundle_names *names, uint64_t *masked,
                          struct ttp_arena *arena)
{
    struct ttp_bundle_scan s = {.text = text, .names = names};
    bool in_word = false;

    ttp_sink_to_arena(&s.out, arena);
    for (size_t at = 0; at < text.len;) {
        const size_t end =
            in_word && ttp_bundle_is_name_char(text.ptr[at]) ? at + 1 : at + mask_at(&s, at);

        for (; at < end; at++)
            if (text.ptr[at] == '\n')
                s.in_string = false;
            else if (text.ptr[at] == '"' && (at == 0 || text.ptr[at - 1] != '\\'))
                s.in_string = !s.in_string;
        in_word = ttp_bundle_is_name_char(text.ptr[at - 1]);
    }
    if (s.masked == 0)
        return text;
    *masked += s.masked;
    ttp_sink_put(&s.out, ttp_str_slice(text, s.from, text.len));
    return ttp_sink_text(&s.out);
}

/* ---- the columns of a table ---- */

static size_t cell_end(ttp_str line, size_t from, char sign)
{
    bool quoted = false;
    size_t at = from;

    for (; at < line.len && (quoted || line.ptr[at] != sign); at++)
        quoted ^= line.ptr[at] == '"';
    return at;
}

static ttp_str cell_text(ttp_str cell)
{
    cell = ttp_str_trim(cell);
    if (cell.len >= 2 && cell.ptr[0] == '"' && cell.ptr[cell.len - 1] == '"')
        cell = ttp_str_slice(cell, 1, cell.len - 1);
    return cell;
}

static void begin_table(struct ttp_bundle_table *table, ttp_str line)
{
    static const char *const titles[] = {"host",      "hostname",  "host_name",      "host name",
                                         "node name", "node_name", "device_hostname"};
    size_t cell = 0;

    table->begun = true;
    table->host = TTP_NPOS;
    table->sign = ttp_str_find_char(line, ',') != TTP_NPOS ? ',' : ';';
    for (size_t at = 0; at < line.len && table->host == TTP_NPOS; cell++) {
        const size_t end = cell_end(line, at, table->sign);

        if (is_one_of(cell_text(ttp_str_slice(line, at, end)), titles, TTP_COUNT(titles)))
            table->host = cell;
        at = end + 1;
    }
}

static bool put_row(struct ttp_sink *out, const struct ttp_bundle_table *table, ttp_str line,
                    const struct ttp_bundle_names *names)
{
    size_t from = 0;

    for (size_t i = 0; i < table->host && from < line.len; i++)
        from = cell_end(line, from, table->sign) + 1;
    const size_t end = from < line.len ? cell_end(line, from, table->sign) : from;
    const ttp_str host = cell_text(ttp_str_slice(line, from, end));
    if (host.len == 0 || ttp_bundle_is_known(names, host)) {
        ttp_sink_put(out, line);
        return false;
    }
    ttp_sink_put(out, ttp_str_slice(line, 0, from));
    ttp_sink_put(out, ttp_bundle_digest("host-", ttp_bundle_lower(host, out->arena), out->arena));
    ttp_sink_put(out, ttp_str_slice(line, end, line.len));
    return true;
}

ttp_str ttp_bundle_mask_columns(struct ttp_bundle_table *table, ttp_str text,
                                const struct ttp_bundle_names *names, uint64_t *masked,
                                struct ttp_arena *arena)
{
    struct ttp_sink out;
    bool title = !table->begun;

    if (title)
        begin_table(table, ttp_str_slice(text, 0, ttp_str_find_char(text, '\n')));
    if (table->host == TTP_NPOS)
        return text;
    ttp_sink_to_arena(&out, arena);
    while (text.len) {
        const size_t n = ttp_str_find_char(text, '\n');
        const ttp_str line = ttp_str_slice(text, 0, n);

        if (title)
            ttp_sink_put(&out, line);
        else
            *masked += put_row(&out, table, line, names);
        if (n != TTP_NPOS)
            ttp_sink_char(&out, '\n');
        title = false;
        text = ttp_str_slice(text, line.len + 1, text.len);
    }
    return ttp_sink_text(&out);
}

/* ---- names ---- */

/* A name that is too short for a search in prose counts in quotes only, as JSON has it. */
static bool is_whole_word(ttp_str text, size_t at, size_t n)
{
    if (n < NAME_MIN)
        return at > 0 && text.ptr[at - 1] == '"' && at + n < text.len && text.ptr[at + n] == '"';
    return (at == 0 || !ttp_bundle_is_name_char(text.ptr[at - 1])) &&
           (at + n == text.len || !ttp_bundle_is_name_char(text.ptr[at + n]));
}

/* The end of ".example.com" behind a host name; `at`: none. */
static size_t domain_end(ttp_str text, size_t at)
{
    size_t end = at;
    ttp_str label = {NULL, 0};

    while (ttp_bundle_char(text, end) == '.' &&
           ttp_bundle_is_letter(ttp_bundle_char(text, end + 1))) {
        const size_t from = ++end;

        while (ttp_bundle_is_name_char(ttp_bundle_char(text, end)) ||
               ttp_bundle_char(text, end) == '-')
            end++;
        label = ttp_str_slice(text, from, end);
    }
    return label.len && !is_one_of(label, file_ends, TTP_COUNT(file_ends)) ? end : at;
}

/* A name and the word it becomes. */
struct renaming {
    ttp_str name, word;
    bool host; /* any case, and with its domain */
};

static size_t find_name(ttp_str text, const struct renaming *r, size_t from)
{
    if (!r->host) {
        const size_t found = ttp_str_find(ttp_str_slice(text, from, text.len), r->name);

        return found == TTP_NPOS ? found : from + found;
    }
    for (size_t at = from; at + r->name.len <= text.len; at++)
        if (ttp_char_lower(text.ptr[at]) == ttp_char_lower(r->name.ptr[0]) &&
            ttp_str_eq_any_case(ttp_str_slice(text, at, at + r->name.len), r->name))
            return at;
    return TTP_NPOS;
}

static ttp_str mask_name(ttp_str text, const struct renaming *r, uint64_t *masked,
                         struct ttp_arena *arena)
{
    struct ttp_sink out;
    size_t from = 0, at = find_name(text, r, 0);

    if (at == TTP_NPOS)
        return text;
    ttp_sink_to_arena(&out, arena);
    for (; at != TTP_NPOS; at = find_name(text, r, at)) {
        const size_t end = at + r->name.len;

        if (is_whole_word(text, at, r->name.len)) {
            ttp_sink_put(&out, ttp_str_slice(text, from, at));
            ttp_sink_put(&out, r->word);
            from = r->host ? domain_end(text, end) : end;
            ++*masked;
        }
        at = from > end ? from : end;
    }
    ttp_sink_put(&out, ttp_str_slice(text, from, text.len));
    return ttp_sink_text(&out);
}

static ttp_str mask_users(ttp_str text, const struct ttp_words *users, uint64_t *masked,
                          struct ttp_arena *arena)
{
    for (size_t i = 0; i < users->count; i++) {
        const struct renaming r = {.name = ttp_str_from(users->word[i]),
                                   .word = ttp_sink_format(arena, "user-%zu", i + 1)};

        if (!is_plain(r.name))
            text = mask_name(text, &r, masked, arena);
    }
    return text;
}

/* Full names first: two hosts of two domains may have the same first label. */
static ttp_str mask_hosts(ttp_str text, const struct ttp_words *hosts, uint64_t *masked,
                          struct ttp_arena *arena)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < hosts->count; i++) {
            const ttp_str host = ttp_str_from(hosts->word[i]), label = first_label(host);
            const struct renaming r = {.name = pass ? label : host,
                                       .word = ttp_sink_format(arena, "host-%zu", i + 1),
                                       .host = true};

            if (pass == 0 ? !is_plain(host)
                          : label.len >= NAME_MIN && label.len < host.len && !is_plain(label))
                text = mask_name(text, &r, masked, arena);
        }
    return text;
}

ttp_str ttp_bundle_mask(ttp_str text, const struct ttp_bundle_names *names, uint64_t *masked,
                        struct ttp_arena *arena)
{
    text = mask_forms(text, names, masked, arena);
    text = mask_users(text, &names->users, masked, arena);
    return mask_hosts(text, &names->hosts, masked, arena);
}
