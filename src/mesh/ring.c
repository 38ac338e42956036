/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/ring.h"

/* What follows 'key': ' or key=; empty if there is none. */
static ttp_str rest_after(ttp_str text, ttp_str key)
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
        if (skip)
            return ttp_str_slice(behind, skip, behind.len);
        at += found + key.len;
    }
    return TTP_STR("");
}

/* The value of a key, up to its end. */
static ttp_str value_of(ttp_str text, ttp_str key)
{
    const ttp_str value = rest_after(text, key);
    size_t end = 0;

    while (end < value.len && value.ptr[end] != '\'' && value.ptr[end] != ';')
        end++;
    return ttp_str_slice(value, 0, end);
}

/* "MeshCoordinate([0, 1])", in CSV with ';' between the numbers: row and column. */
static bool coordinate_of(ttp_str text, ttp_str key, struct ttp_mesh_coordinate *out)
{
    const ttp_str rest = rest_after(text, key);
    const size_t open = ttp_str_find_char(rest, '['), close = ttp_str_find_char(rest, ']');
    ttp_str part[3];

    if (open == TTP_NPOS || close == TTP_NPOS || close < open ||
        ttp_str_find_char(rest, '\'') < open)
        return false;
    const ttp_str inside = ttp_str_slice(rest, open + 1, close);
    const char between = ttp_str_find_char(inside, ';') == TTP_NPOS ? ',' : ';';
    if (ttp_str_split(inside, between, part, 3) != 2)
        return false;
    out->known = ttp_str_to_i64(ttp_str_trim(part[0]), &out->row) &&
                 ttp_str_to_i64(ttp_str_trim(part[1]), &out->column);
    return out->known;
}

/* Who sends, and who receives; one of them is unknown where it is all others. */
static struct ttp_mesh_ends ends_of(ttp_str attributes)
{
    struct ttp_mesh_ends e = {0};

    if (!coordinate_of(attributes, TTP_STR("send_coord"), &e.sender))
        (void)coordinate_of(attributes, TTP_STR("sender_coord"), &e.sender);
    if (!coordinate_of(attributes, TTP_STR("receive_coord"), &e.receiver) &&
        !coordinate_of(attributes, TTP_STR("receiver_coord"), &e.receiver))
        (void)coordinate_of(attributes, TTP_STR("root_coord"), &e.receiver);
    return e;
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
        .ends = ends_of(attributes),
    };

    if (r.size == 0)
        r.size = number_of(attributes, TTP_STR("num_devices"), 0);
    return r;
}
