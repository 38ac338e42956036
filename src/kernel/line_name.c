/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"
#include "kernel/line_text.h"

static const char *const ops[] = {"cb_wait",  "cb_reserve",  "cb_push",  "cb_pop",
                                  "dfb_wait", "dfb_reserve", "dfb_push", "dfb_pop"};

static size_t digits_at(ttp_str s, size_t at)
{
    size_t n = 0;

    while (at + n < s.len && s.ptr[at + n] >= '0' && s.ptr[at + n] <= '9')
        n++;
    return n;
}

static bool known_op(ttp_str op)
{
    for (size_t i = 0; i < TTP_COUNT(ops); i++)
        if (ttp_str_eq(op, ttp_str_from(ops[i])))
            return true;
    return false;
}

static ttp_str without_implicit(ttp_str rest, bool *implicit)
{
    const ttp_str word = TTP_STR("implicit_");

    *implicit = ttp_str_starts(rest, word);
    return *implicit ? ttp_str_slice(rest, word.len, rest.len) : rest;
}

/* What follows "_L<digits>": nothing, or an op. */
static bool read_rest(struct ttp_line_name *out, ttp_str rest)
{
    if (rest.len == 0)
        return true;
    if (rest.ptr[0] != '_')
        return false;
    out->op = without_implicit(ttp_str_slice(rest, 1, rest.len), &out->implicit);
    return known_op(out->op);
}

/* "line_<n>[_<op>]_before": empty scopes around a line, before 2026-03. */
static struct ttp_line_name old_name(ttp_str zone)
{
    const ttp_str before = TTP_STR("_before"), after = TTP_STR("_after"), line = TTP_STR("line_");
    const ttp_str end = ttp_str_ends(zone, before) ? before : after;
    struct ttp_line_name name = {0};

    if (!ttp_str_starts(zone, line) || !ttp_str_ends(zone, end))
        return name;
    const ttp_str middle = ttp_str_slice(zone, line.len, zone.len - end.len);
    const size_t n = digits_at(middle, 0);
    if (n == 0 || !ttp_str_to_i64(ttp_str_slice(middle, 0, n), &name.line) ||
        !read_rest(&name, ttp_str_slice(middle, n, middle.len)))
        return (struct ttp_line_name){0};
    return name;
}

struct ttp_line_name ttp_kernel_line_name(ttp_str zone)
{
    for (size_t at = zone.len; at-- > 1;) {
        const size_t n =
            zone.ptr[at - 1] == '_' && zone.ptr[at] == 'L' ? digits_at(zone, at + 1) : 0;
        struct ttp_line_name name = {.kernel = ttp_str_slice(zone, 0, at - 1)};

        if (n && name.kernel.len &&
            ttp_str_to_i64(ttp_str_slice(zone, at + 1, at + 1 + n), &name.line) && name.line > 0 &&
            read_rest(&name, ttp_str_slice(zone, at + 1 + n, zone.len)))
            return name;
    }
    return old_name(zone);
}

bool ttp_kernel_leftmost_op(ttp_str zone, ttp_str *op, bool *implicit)
{
    for (size_t at = 0; at + 2 < zone.len; at++) {
        const size_t n =
            zone.ptr[at] == '_' && zone.ptr[at + 1] == 'L' ? digits_at(zone, at + 2) : 0;
        if (n && at + 2 + n < zone.len && zone.ptr[at + 2 + n] == '_') {
            *op = without_implicit(ttp_str_slice(zone, at + 3 + n, zone.len), implicit);
            return true;
        }
    }
    *implicit = false;
    return false;
}

bool ttp_kernel_is_line(ttp_str zone)
{
    return ttp_kernel_line_name(zone).line > 0;
}
