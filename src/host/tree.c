/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

/* Attributes of sysfs are at most a page. */
#define ATTRIBUTE_MAX 4096

/* --- texts --- */

static bool parse_hex(int64_t *out, ttp_str s)
{
    uint64_t v;

    if (ttp_str_starts(s, TTP_STR("0x")) || ttp_str_starts(s, TTP_STR("0X")))
        s = ttp_str_slice(s, 2, s.len);
    if (!ttp_str_hex_to_u64(s, &v))
        return false;
    *out = (int64_t)v; /* ids have all 64 bits: users cast back */
    return true;
}

/* "12.345" as 12345; digits after the third do not count. */
static bool parse_thousandths(int64_t *out, ttp_str s)
{
    const size_t point = ttp_str_find_char(s, '.');
    const ttp_str whole = ttp_str_slice(s, 0, point);
    const ttp_str part = point == TTP_NPOS ? (ttp_str){0} : ttp_str_slice(s, point + 1, s.len);
    uint64_t w, thousandths = 0;

    if (!ttp_str_to_u64(whole, &w) || w > INT64_MAX / 2000)
        return false;
    if (point != TTP_NPOS && part.len == 0)
        return false;
    for (size_t i = 0; i < part.len; i++)
        if (part.ptr[i] < '0' || part.ptr[i] > '9')
            return false;
    for (size_t i = 0; i < 3; i++)
        thousandths = thousandths * 10 + (i < part.len ? (uint64_t)(part.ptr[i] - '0') : 0);
    *out = (int64_t)(w * 1000 + thousandths);
    return true;
}

static ttp_str first_word(ttp_str s)
{
    size_t n = 0;

    while (n < s.len && s.ptr[n] != ' ' && s.ptr[n] != '\t' && s.ptr[n] != '\n')
        n++;
    return ttp_str_slice(s, 0, n);
}

static bool parse_speed(int64_t *out, ttp_str s)
{
    int64_t thousandths;

    if (!ttp_str_has(s, TTP_STR("GT/s")) || !parse_thousandths(&thousandths, first_word(s)))
        return false;
    *out = thousandths / 100;
    return true;
}

/* The total if there is one, else the sum: old kernels have no total. */
static bool parse_aer(int64_t *out, ttp_str s)
{
    ttp_str rest = s, line;
    uint64_t sum = 0, n;
    bool any = false;

    while (ttp_str_next_line(&rest, &line)) {
        line = ttp_str_trim(line);
        if (line.len == 0)
            continue;
        const ttp_str name = first_word(line);
        if (!ttp_str_to_u64(ttp_str_trim(ttp_str_slice(line, name.len, line.len)), &n) ||
            n > INT64_MAX / 64)
            return false;
        any = true;
        if (ttp_str_starts(name, TTP_STR("TOTAL_"))) {
            *out = (int64_t)n;
            return true;
        }
        sum += n;
        if (sum > INT64_MAX / 2)
            return false;
    }
    *out = (int64_t)sum;
    return any;
}

static bool parse_avg10(int64_t *out, ttp_str s)
{
    const ttp_str mark = TTP_STR("some avg10=");
    const size_t at = ttp_str_find(s, mark);

    return at != TTP_NPOS &&
           parse_thousandths(out, first_word(ttp_str_slice(s, at + mark.len, s.len)));
}

bool ttp_host_text_parse(int64_t *out, enum ttp_text_kind kind, ttp_str text)
{
    uint32_t version;

    *out = 0;
    switch (kind) {
    case TTP_TEXT_WORD:
        return text.len > 0 && ttp_str_find_char(text, '\n') == TTP_NPOS;
    case TTP_TEXT_DECIMAL:
        return ttp_str_to_i64(text, out);
    case TTP_TEXT_HEX:
        return parse_hex(out, text);
    case TTP_TEXT_VERSION:
        if (!ttp_device_version_parse(&version, text))
            return false;
        *out = version;
        return true;
    case TTP_TEXT_SPEED:
        return parse_speed(out, text);
    case TTP_TEXT_AER:
        return parse_aer(out, text);
    case TTP_TEXT_FIRST:
        return parse_thousandths(out, first_word(text));
    case TTP_TEXT_AVG10:
        return parse_avg10(out, text);
    }
    return false;
}

/* --- files --- */

ttp_str ttp_host_tree_printable(struct ttp_arena *arena, ttp_str s)
{
    s = ttp_str_trim(s);
    char *copy = ttp_arena_bytes(arena, s.len + 1);

    memcpy(copy, s.ptr ? s.ptr : "", s.len);
    for (size_t i = 0; i < s.len; i++) {
        if (copy[i] == '\0')
            copy[i] = ' '; /* between the words of a command line */
        else if ((unsigned char)copy[i] < 0x20 ? copy[i] != '\n' : (unsigned char)copy[i] >= 0x7f)
            copy[i] = '?';
    }
    return ttp_str_trim((ttp_str){copy, s.len});
}

static enum ttp_reading_state judge(struct ttp_reading *out, enum ttp_text_kind kind, int64_t min,
                                    int64_t max)
{
    if (!ttp_host_text_parse(&out->value, kind, out->text))
        return TTP_READING_GARBLED;
    return min <= max && (out->value < min || out->value > max) ? TTP_READING_GARBLED
                                                                : TTP_READING_OK;
}

void ttp_host_tree_reading(struct ttp_reading *out, const struct ttp_tree *tree, const char *path,
                           struct ttp_tree_wanted wanted, struct ttp_arena *arena)
{
    char buf[ATTRIBUTE_MAX], other[PATH_MAX];
    ssize_t got = -ENOENT;

    *out = (struct ttp_reading){.path = ttp_str_from(path)};
    if (wanted.second && tree->has_second) {
        snprintf(other, sizeof(other), "%s%s", TTP_TREE_SECOND, path);
        got = ttp_rootdir_read(&tree->root, other, buf, sizeof(buf), true);
    }
    if (got == -ENOENT)
        got = ttp_rootdir_read(&tree->root, path, buf, sizeof(buf), true);
    if (got == -ENOENT || got == -ENOTDIR)
        return;
    if (got < 0) {
        out->state = TTP_READING_UNREADABLE;
        out->error = (int)-got;
        return;
    }
    if ((size_t)got == sizeof(buf)) { /* no attribute is that long: show how it begins */
        out->state = TTP_READING_GARBLED;
        out->text = ttp_host_tree_printable(arena, (ttp_str){buf, 60});
        return;
    }
    out->text = ttp_host_tree_printable(arena, (ttp_str){buf, (size_t)got});
    out->state = judge(out, wanted.kind, wanted.min, wanted.max);
}

bool ttp_host_tree_text(ttp_str *out, const struct ttp_tree *tree, const char *path, size_t max,
                        struct ttp_arena *arena)
{
    const struct ttp_mark mark = ttp_arena_mark(arena);
    char *buf = ttp_arena_bytes(arena, max);
    const ssize_t got = ttp_rootdir_read(&tree->root, path, buf, max, false);

    *out = (ttp_str){buf, got > 0 ? (size_t)got : 0};
    if (got <= 0) {
        ttp_arena_rewind(arena, mark);
        *out = (ttp_str){0};
    }
    return got >= 0;
}

const char *ttp_host_tree_path(struct ttp_arena *arena, const char *fmt, ...)
{
    char text[PATH_MAX];
    va_list ap;

    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    /* longer than any path can be: a name that nothing has */
    if (n < 0 || (size_t)n >= sizeof(text))
        return "/dev/null/too-long";
    return ttp_arena_zstr(arena, (ttp_str){text, (size_t)n});
}

const char *ttp_host_tree_link_name(const struct ttp_tree *tree, const char *path,
                                    struct ttp_arena *arena)
{
    char target[PATH_MAX];

    if (ttp_rootdir_readlink(&tree->root, path, target, sizeof(target)) < 0)
        return NULL;
    const char *slash = strrchr(target, '/');
    return ttp_arena_zstr(arena, ttp_str_from(slash ? slash + 1 : target));
}
