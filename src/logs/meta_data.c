/* SPDX-License-Identifier: Apache-2.0 */
#include "logs/meta_data.h"

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static size_t skip_blanks(ttp_str s, size_t at)
{
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\t'))
        at++;
    return at;
}

/* What follows the colon of a member. Keys are in quotes, so the name inside a value or of a
 * longer name does not count. */
static bool find_value(ttp_str meta, ttp_str key, ttp_str *value)
{
    ttp_str rest = meta;

    for (;;) {
        const size_t at = ttp_str_find(rest, key);
        if (at == TTP_NPOS)
            return false;
        const size_t end = at + key.len;
        if (at > 0 && end < rest.len && is_quote(rest.ptr[at - 1]) && is_quote(rest.ptr[end])) {
            const size_t colon = skip_blanks(rest, end + 1);
            if (colon < rest.len && rest.ptr[colon] == ':') {
                *value = ttp_str_slice(rest, skip_blanks(rest, colon + 1), rest.len);
                return true;
            }
        }
        rest = ttp_str_slice(rest, end, rest.len);
    }
}

bool ttp_logs_meta_u64(ttp_str meta, ttp_str key, uint64_t *out)
{
    ttp_str value;
    size_t n = 0;

    if (!find_value(meta, key, &value))
        return false;
    while (n < value.len && value.ptr[n] >= '0' && value.ptr[n] <= '9')
        n++;
    return ttp_str_to_u64(ttp_str_slice(value, 0, n), out);
}

bool ttp_logs_meta_text(ttp_str meta, ttp_str key, ttp_str *out)
{
    ttp_str value;

    if (!find_value(meta, key, &value) || value.len == 0 || !is_quote(value.ptr[0]))
        return false;
    const ttp_str rest = ttp_str_slice(value, 1, value.len);
    const size_t end = ttp_str_find_char(rest, value.ptr[0]);
    if (end == TTP_NPOS)
        return false;
    *out = ttp_str_slice(rest, 0, end);
    return true;
}
