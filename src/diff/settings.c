/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/settings.h"

#define MAX_SETTINGS 256 /* of one op that are compared */

struct setting {
    ttp_str name, value;
};

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name that ends before `end`; quotes around it are left out. */
static ttp_str name_before(ttp_str text, size_t end)
{
    size_t from;

    while (end > 0 && (text.ptr[end - 1] == ' ' || text.ptr[end - 1] == '\''))
        end--;
    for (from = end; from > 0 && is_name_char(text.ptr[from - 1]);)
        from--;
    return ttp_str_slice(text, from, end);
}

/* What follows a '=' or ':' up to the next setting: "(x=8;y=7)" belongs together. */
static ttp_str value_after(ttp_str text, size_t from)
{
    size_t end = from, depth = 0;

    while (from < text.len && (text.ptr[from] == ' ' || text.ptr[from] == '\''))
        from++;
    for (end = from; end < text.len; end++) {
        const char c = text.ptr[end];
        if (depth == 0 && (c == ';' || c == ',' || c == ')' || c == '}' || c == '\''))
            break;
        depth += c == '(' || c == '{' || c == '[';
        depth -= depth && (c == ')' || c == '}' || c == ']');
    }
    return ttp_str_slice(text, from, end);
}

/* A value with settings of its own is known by its kind: "MatmulMultiCoreReuseProgramConfig". Small
 * ones such as "(x=8;y=7)" stay whole. */
static ttp_str whole_or_kind(ttp_str value)
{
    const size_t from = ttp_str_starts(value, TTP_STR("{"));
    size_t open = from;

    while (open < value.len && value.ptr[open] != '(' && value.ptr[open] != '{')
        open++;
    if (value.len <= 16 || open == value.len || ttp_str_find_char(value, '=') == TTP_NPOS)
        return value;
    /* a list of things without a name, "[{...}]", is no such value */
    if (open > from && value.ptr[open - 1] != '>' && !is_name_char(value.ptr[open - 1]))
        return value;
    return ttp_str_slice(value, from, open);
}

/* "in0_block_w=4" and "'transpose': 'false'". Values that hold settings of their own are taken
 * apart as well, and not listed themselves. */
static size_t find_settings(struct setting out[MAX_SETTINGS], ttp_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n < MAX_SETTINGS; i++) {
        const bool scope = i + 1 < text.len && text.ptr[i] == ':' &&
                           (text.ptr[i + 1] == ':' || (i && text.ptr[i - 1] == ':'));
        if ((text.ptr[i] != '=' && text.ptr[i] != ':') || scope)
            continue;
        const struct setting s = {name_before(text, i), whole_or_kind(value_after(text, i + 1))};
        if (s.name.len && s.value.len)
            out[n++] = s;
    }
    return n;
}

static const struct setting *find_setting(const struct setting *list, size_t n, ttp_str name,
                                          size_t nth)
{
    for (size_t i = 0; i < n; i++)
        if (ttp_str_eq(list[i].name, name) && nth-- == 0)
            return &list[i];
    return NULL;
}

/* Which of several settings of one name this is. */
static size_t rank_of(const struct setting *list, size_t i)
{
    size_t rank = 0;

    for (size_t k = 0; k < i; k++)
        rank += ttp_str_eq(list[k].name, list[i].name);
    return rank;
}

struct changes {
    struct ttp_setting_change *out;
    size_t max, count;
};

static void add(struct changes *c, ttp_str name, ttp_str from, ttp_str to)
{
    if (c->count < c->max)
        c->out[c->count] = (struct ttp_setting_change){name, from, to};
    c->count++;
}

/* Versions of the runtime write a flag as a word or as a number. */
static int flag_of(ttp_str value)
{
    if (ttp_str_eq_any_case(value, TTP_STR("false")) || ttp_str_eq(value, TTP_STR("0")))
        return 0;
    if (ttp_str_eq_any_case(value, TTP_STR("true")) || ttp_str_eq(value, TTP_STR("1")))
        return 1;
    return -1;
}

static bool same_value(ttp_str a, ttp_str b)
{
    return ttp_str_eq(a, b) || (flag_of(a) >= 0 && flag_of(a) == flag_of(b));
}

/* Settings that both have. */
static void compare_shared(struct changes *c, const struct setting *a, size_t na,
                           const struct setting *b, size_t nb)
{
    for (size_t i = 0; i < nb; i++) {
        const struct setting *old = find_setting(a, na, b[i].name, rank_of(b, i));
        if (old && !same_value(old->value, b[i].value))
            add(c, b[i].name, old->value, b[i].value);
    }
}

size_t ttp_diff_settings_compare(struct ttp_setting_change *out, size_t max, ttp_str before,
                                 ttp_str after, struct ttp_arena *arena)
{
    struct setting *a = TTP_NEW(arena, struct setting, MAX_SETTINGS);
    struct setting *b = TTP_NEW(arena, struct setting, MAX_SETTINGS);
    const size_t na = find_settings(a, before), nb = find_settings(b, after);
    struct changes c = {.out = out, .max = max};

    compare_shared(&c, a, na, b, nb);
    if (c.count == 0) /* what one of them does not know is a matter of versions */
        return 0;
    for (size_t i = 0; i < nb; i++)
        if (!find_setting(a, na, b[i].name, rank_of(b, i)))
            add(&c, b[i].name, (ttp_str){0}, b[i].value);
    for (size_t i = 0; i < na; i++)
        if (!find_setting(b, nb, a[i].name, rank_of(a, i)))
            add(&c, a[i].name, a[i].value, (ttp_str){0});
    return c.count;
}
