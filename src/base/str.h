/* SPDX-License-Identifier: Apache-2.0 */
/* str.h - borrowed byte slices. Nothing here allocates; slices are never NUL-terminated. */
#ifndef TTP_BASE_STR_H
#define TTP_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

typedef struct {
    const char *ptr;
    size_t len;
} ttp_str;

/* Borrowed NUL-terminated texts, such as operands and file names. */
struct ttp_words {
    const char **word;
    size_t count;
};

/* Files or folders that the user named. */
struct ttp_paths {
    const char *const *path;
    size_t count;
};

#define TTP_STR(lit) ((ttp_str){(lit), sizeof(lit) - 1})
#define TTP_FMT(s)   (int)(s).len, (s).ptr

/* "Not there", where the caller asked for a position. */
#define TTP_NPOS ((size_t)-1)

static inline ttp_str ttp_str_from(const char *z)
{
    return (ttp_str){z, z ? strlen(z) : 0};
}

static inline bool ttp_str_eq(ttp_str a, ttp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ttp_str_starts(ttp_str s, ttp_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool ttp_str_ends(ttp_str s, ttp_str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Bytes [from, to) of s; both ends are clamped to its length. */
static inline ttp_str ttp_str_slice(ttp_str s, size_t from, size_t to)
{
    const size_t end = to < s.len ? to : s.len, start = from < end ? from : end;
    return (ttp_str){start ? s.ptr + start : s.ptr, end - start}; /* no arithmetic on NULL */
}

/* ASCII letters in lower case, everything else as it is. */
static inline char ttp_char_lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c + ('a' - 'A'));
    return c;
}
/* Equal except for the case of ASCII letters. */
bool ttp_str_eq_any_case(ttp_str a, ttp_str b);

/* Byte order, shorter first when one is a prefix: code point order for UTF-8. */
int ttp_str_cmp(ttp_str a, ttp_str b);
/* Position of the first occurrence, or TTP_NPOS. */
size_t ttp_str_find(ttp_str s, ttp_str what);
size_t ttp_str_find_char(ttp_str s, char c);
static inline bool ttp_str_has(ttp_str s, ttp_str what)
{
    return ttp_str_find(s, what) != TTP_NPOS;
}
/* Without leading and trailing ASCII blanks (space, \t \n \v \f \r). */
ttp_str ttp_str_trim_blanks(ttp_str s);
/* Fast path: nothing to trim. */
static inline ttp_str ttp_str_trim(ttp_str s)
{
    const bool tight =
        s.len && (unsigned char)s.ptr[0] > ' ' && (unsigned char)s.ptr[s.len - 1] > ' ';
    return tight ? s : ttp_str_trim_blanks(s);
}
bool ttp_str_next_line(ttp_str *rest, ttp_str *line);
/* How many '\n' there are. */
uint64_t ttp_str_count_lines(ttp_str s);
size_t ttp_str_split(ttp_str s, char sep, ttp_str *field, size_t max);
/* How many code points; a stray continuation byte counts for nothing. */
size_t ttp_str_code_points(ttp_str s);
/* Length of the longest prefix that is well-formed UTF-8 (no surrogates, no overlong forms, at most
 * U+10FFFF); equal to s.len when all of it is. */
size_t ttp_str_valid_utf8(ttp_str s);
/* Length of the UTF-8 sequence that s, which is not empty, begins with; 0 if it is malformed. */
size_t ttp_str_utf8_sequence(ttp_str s);
/* The code point of that sequence; of a malformed one, its first byte. */
uint32_t ttp_str_code_point(ttp_str s);

/* Digits only: no sign, no blanks, no overflow. */
bool ttp_str_to_u64(ttp_str s, uint64_t *out);
/* One to sixteen hexadecimal digits, no "0x". */
bool ttp_str_hex_to_u64(ttp_str s, uint64_t *out);
/* An optional '-' or '+', then digits. */
bool ttp_str_to_i64(ttp_str s, int64_t *out);

#endif
