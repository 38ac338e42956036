/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mask.c - names of people, machines and folders become words that say nothing. */
#include "bundle/bundle_mask.h"

#include "base/sha256.h"
#include "base/sink.h"

/* The same on every machine: their paths say nothing about anybody. */
static const char *const public_roots[] = {"usr", "opt", "lib",  "lib64", "proc",
                                           "sys", "dev", "sbin", "bin",   "etc"};
/* What is below such a folder is public source: the path from here on is kept. */
static const char *const source_roots[] = {"tt-metal", "tt_metal", "ttnn",
                                           "tt-mlir",  "tt-lang",  "tt-xla",
                                           "tt-forge", "umd",      "site-packages"};
/* Users and hosts of everybody. */
static const char *const plain_names[] = {"root",      "user",   "nobody",
                                          "localhost", "ubuntu", "runner"};
#define NAME_MIN 3
/* Digits of the digest of a masked folder: two folders stay two, and neither can be guessed. */
#define DIGEST_DIGITS 4

static bool is_one_of(ttp_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_eq(word, ttp_str_from(list[i])))
            return true;
    return false;
}

static bool is_path_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("._+@%~-/", c)) || (unsigned char)c >= 0x80;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* ---- paths ---- */

/* "/srv/ann/tt-metal/x.cpp" at the start of `text`: its length; 0: not an absolute path. */
static size_t path_length(ttp_str text)
{
    size_t n = 0, slashes = 0;

    if (text.len < 2 || text.ptr[0] != '/' || text.ptr[1] == '/')
        return 0;
    while (n < text.len && is_path_char(text.ptr[n]))
        slashes += text.ptr[n++] == '/';
    return slashes >= 2 ? n : 0;
}

/* Where the part of a path begins that is kept: a public folder, else its last part. */
static size_t kept_from(ttp_str path)
{
    size_t last = 1;

    for (size_t at = 1; at < path.len;) {
        const ttp_str rest = ttp_str_slice(path, at, path.len);
        const size_t slash = ttp_str_find_char(rest, '/');

        if (is_one_of(ttp_str_slice(rest, 0, slash), source_roots, TTP_COUNT(source_roots)))
            return at;
        if (slash == TTP_NPOS)
            break;
        at += slash + 1;
        last = at < path.len ? at : last;
    }
    return last;
}

static bool put_path(struct ttp_sink *out, ttp_str path)
{
    const ttp_str inside = ttp_str_slice(path, 1, path.len);
    const ttp_str first = ttp_str_slice(inside, 0, ttp_str_find_char(inside, '/'));
    char digest[TTP_SHA256_HEX + 1];

    if (is_one_of(first, public_roots, TTP_COUNT(public_roots))) {
        ttp_sink_put(out, path);
        return false;
    }
    const size_t from = kept_from(path);
    ttp_sha256_hex(digest, ttp_str_slice(path, 0, from));
    ttp_sink_printf(out, "/masked-%.*s/", DIGEST_DIGITS, digest);
    ttp_sink_put(out, ttp_str_slice(path, from, path.len));
    return true;
}

static ttp_str mask_paths(ttp_str text, uint64_t *masked, struct ttp_arena *arena)
{
    struct ttp_sink out;
    size_t from = 0;

    if (ttp_str_find_char(text, '/') == TTP_NPOS)
        return text;
    ttp_sink_to_arena(&out, arena);
    for (size_t at = 0; at < text.len;) {
        const bool starts = text.ptr[at] == '/' && (at == 0 || !is_path_char(text.ptr[at - 1]));
        const size_t n = starts ? path_length(ttp_str_slice(text, at, text.len)) : 0;

        if (n == 0) {
            at++;
            continue;
        }
        ttp_sink_put(&out, ttp_str_slice(text, from, at));
        *masked += put_path(&out, ttp_str_slice(text, at, at + n));
        at += n;
        from = at;
    }
    ttp_sink_put(&out, ttp_str_slice(text, from, text.len));
    return ttp_sink_text(&out);
}

/* ---- names ---- */

/* A name that is too short for a search in prose counts in quotes only, as JSON has it. */
static bool is_whole_word(ttp_str text, size_t at, size_t n)
{
    if (n < NAME_MIN)
        return at > 0 && text.ptr[at - 1] == '"' && at + n < text.len && text.ptr[at + n] == '"';
    return (at == 0 || !is_name_char(text.ptr[at - 1])) &&
           (at + n == text.len || !is_name_char(text.ptr[at + n]));
}

static ttp_str mask_name(ttp_str text, ttp_str name, ttp_str word, uint64_t *masked,
                         struct ttp_arena *arena)
{
    struct ttp_sink out;
    size_t from = 0;

    if (ttp_str_find(text, name) == TTP_NPOS)
        return text;
    ttp_sink_to_arena(&out, arena);
    for (size_t at = 0; at < text.len;) {
        const size_t found = ttp_str_find(ttp_str_slice(text, at, text.len), name);

        if (found == TTP_NPOS)
            break;
        at += found;
        if (is_whole_word(text, at, name.len)) {
            ttp_sink_put(&out, ttp_str_slice(text, from, at));
            ttp_sink_put(&out, word);
            from = at + name.len;
            ++*masked;
        }
        at += name.len;
    }
    ttp_sink_put(&out, ttp_str_slice(text, from, text.len));
    return ttp_sink_text(&out);
}

static ttp_str mask_names(ttp_str text, const struct ttp_words *names, const char *kind,
                          uint64_t *masked, struct ttp_arena *arena)
{
    for (size_t i = 0; i < names->count; i++) {
        const ttp_str name = ttp_str_from(names->word[i]);

        if (!is_one_of(name, plain_names, TTP_COUNT(plain_names)))
            text =
                mask_name(text, name, ttp_sink_format(arena, "%s-%zu", kind, i + 1), masked, arena);
    }
    return text;
}

ttp_str ttp_bundle_mask(ttp_str text, const struct ttp_bundle_names *names, uint64_t *masked,
                        struct ttp_arena *arena)
{
    text = mask_paths(text, masked, arena);
    text = mask_names(text, &names->users, "user", masked, arena);
    return mask_names(text, &names->hosts, "host", masked, arena);
}
