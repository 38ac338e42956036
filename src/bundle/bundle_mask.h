/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_mask.h - masks names in a text. Private to bundle. */
#ifndef TTP_BUNDLE_BUNDLE_MASK_H
#define TTP_BUNDLE_BUNDLE_MASK_H

#include "base/sink.h"
#include "bundle/bundle.h"

/* Text without user names, host names, addresses and absolute paths; *masked counts the places. */
ttp_str ttp_bundle_mask(ttp_str text, const struct ttp_bundle_names *names, uint64_t *masked,
                        struct ttp_arena *arena);

/* The columns of a CSV file that are masked, from its first line on. */
struct ttp_bundle_table {
    bool begun;
    char sign;   /* between its cells */
    size_t host; /* which cell is a host name; TTP_NPOS: none */
};
/* Whole lines of the file with its host names masked; itself if it has none. */
ttp_str ttp_bundle_mask_columns(struct ttp_bundle_table *table, ttp_str text,
                                const struct ttp_bundle_names *names, uint64_t *masked,
                                struct ttp_arena *arena);

struct ttp_bundle_place {
    size_t at, end;
};
/* A text on its way through the masks. */
struct ttp_bundle_scan {
    ttp_str text;
    const struct ttp_bundle_names *names;
    struct ttp_sink out;
    size_t from; /* what is before it is in `out` */
    uint64_t masked;
    bool in_string; /* an odd number of '"' is before this place of its line */
};

/* `kind` and a digest of `what`, which [at, end) becomes: the same text gets the same mask. */
ttp_str ttp_bundle_digest(const char *kind, ttp_str what, struct ttp_arena *arena);
void ttp_bundle_put_mask(struct ttp_bundle_scan *s, struct ttp_bundle_place place, const char *kind,
                         ttp_str what);
/* The same name in capitals is the same host. */
ttp_str ttp_bundle_lower(ttp_str text, struct ttp_arena *arena);
/* Is it a name that ttp_bundle_mask() replaces, or one that exists everywhere? */
bool ttp_bundle_is_known(const struct ttp_bundle_names *names, ttp_str name);

/* Each masks what begins at `at`; how many bytes are done, 0: nothing of its kind begins there. */
size_t ttp_bundle_mask_path(struct ttp_bundle_scan *s, size_t at);
/* The path of a URL, behind its host. */
size_t ttp_bundle_mask_path_below(struct ttp_bundle_scan *s, size_t at);
size_t ttp_bundle_mask_url(struct ttp_bundle_scan *s, size_t at);
size_t ttp_bundle_mask_field(struct ttp_bundle_scan *s, size_t at);
size_t ttp_bundle_mask_address(struct ttp_bundle_scan *s, size_t at);
size_t ttp_bundle_mask_account(struct ttp_bundle_scan *s, size_t at);

static inline bool ttp_bundle_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ttp_bundle_is_letter(char c)
{
    return ttp_char_lower(c) >= 'a' && ttp_char_lower(c) <= 'z';
}

static inline bool ttp_bundle_is_name_char(char c)
{
    return ttp_bundle_is_letter(c) || ttp_bundle_is_digit(c) || c == '_';
}

static inline bool ttp_bundle_is_in(char c, const char *set)
{
    return c != 0 && strchr(set, c);
}

static inline bool ttp_bundle_is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

/* The byte at `at`; a line end outside the text. */
static inline char ttp_bundle_char(ttp_str text, size_t at)
{
    if (at >= text.len)
        return '\n';
    return text.ptr[at];
}

#endif
