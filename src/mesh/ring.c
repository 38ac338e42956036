/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/ring.h"

/* The value after 'key': ' or key=, up to its end; empty if there is none. */
static ttp_str value_of(ttp_str text, ttp_str key)
{
    for (size_t at = 0; at < text.len;) {
        const ttp_str rest = ttp_str_slice(text, at, text.len);
        const size_t found = ttp_str_find(rest, key);
        if (found == TTP_NPOS)
            break;
        const ttp_str behind = ttp_str_slice(rest, found + key.len, rest.len);
        const size_t place = at + found;
        const ttp_str before = ttp_str_slice(text, place ? place - 1 : 0, place);
        size_t skip = 0;

        if (ttp_str_eq(before, TTP_STR("'")) && ttp_str_starts(behind, TTP_STR("': '")))
            skip = 4;
        else if ((ttp_str_eq(before, TTP_STR("(")) || ttp_str_eq(before, TTP_STR(";")) ||
                  ttp_str_eq(before, TTP_STR(" "))) &&
                 ttp_str_starts(behind, TTP_STR("=")))
            skip = 1;
        if (skip) {
            const ttp_str value = ttp_str_slice(behind, skip, behind.len);
            size_t end = 0;
            while (end < value.len && value.ptr[end] != '\'' && value.ptr[end] != ';')
                end++;
            return ttp_str_slice(value, 0, end);
        }
        at += found + key.len;
    }
    return TTP_STR("");
}

/* The first number of a value; `none` if there is no digit, as in std::nullopt. */
static int64_t number_of(ttp_str text, ttp_str key, int64_t none)
{
    const ttp_str value = value_of(text, key);
    size_t from = 0;
    int64_t n;

    while (from < value.len && (value.ptr[from] < '0' || value.ptr[from] > '9'))
        from++;
    size_t to = from;
    while (to < value.len && value.ptr[to] >= '0' && value.ptr[to] <= '9')
        to++;
    if (!ttp_str_to_i64(ttp_str_slice(value, from, to), &n) || n > INT32_MAX)
        return none;
    return n;
}

struct ttp_mesh_ring ttp_mesh_ring_of(ttp_str attributes)
{
    struct ttp_mesh_ring r = {
        .axis = number_of(attributes, TTP_STR("cluster_axis"), -1),
        .size = number_of(attributes, TTP_STR("ring_size"), 0),
        .links = number_of(attributes, TTP_STR("num_links"), 0),
        .closed = ttp_str_has(value_of(attributes, TTP_STR("topology")), TTP_STR("Ring")),
    };

    if (r.size == 0)
        r.size = number_of(attributes, TTP_STR("num_devices"), 0);
    return r;
}
