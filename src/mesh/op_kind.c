/* SPDX-License-Identifier: Apache-2.0 */
#include "mesh/op_kind.h"

static bool has_one(ttp_str code, const char *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ttp_str_has(code, ttp_str_from(word[i])))
            return true;
    return false;
}

/* Without the name space and what every op's name ends with. */
static ttp_str bare_name(ttp_str code)
{
    static const ttp_str ends[] = {{"DeviceOperation", 15}, {"Operation", 9}};
    size_t colon;

    while ((colon = ttp_str_find(code, TTP_STR("::"))) != TTP_NPOS)
        code = ttp_str_slice(code, colon + 2, code.len);
    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_ends(code, ends[i]))
            return ttp_str_slice(code, 0, code.len - ends[i].len);
    return code;
}

struct ttp_mesh_traits ttp_mesh_traits_of(ttp_str code)
{
    /* Names that speak of a collective next to them, which is an op of its own. */
    static const char *const beside[] = {"PreAllGather", "PostAllGather", "PreAllReduce",
                                         "PostAllReduce"};
    static const char *const unproven[] = {"AllToAll", "NeighborPad", "SliceReshard"};
    static const char *const one_way[] = {"PointToPoint", "ReduceToRoot", "SendAsync",
                                          "RecvAsync",    "SendDirect",   "RecvDirect"};
    static const char *const all_wait[] = {"AllGather",    "ReduceScatter", "AllReduce",
                                           "AllBroadcast", "RingJoint",     "RingAttention"};
    /* These compute besides, so that each device ends when its own share is done. */
    static const char *const fused[] = {"Matmul", "SDPA",   "Attention", "Norm", "RMS",
                                        "Heads",  "Concat", "RingJoint", "MoE",  "Moe"};
    const ttp_str name = bare_name(code);
    struct ttp_mesh_traits t = {TTP_MESH_COMPUTE, false};

    if (has_one(name, beside, TTP_COUNT(beside)))
        return t;
    if (has_one(name, unproven, TTP_COUNT(unproven)) || ttp_str_eq(name, TTP_STR("Dispatch")) ||
        ttp_str_eq(name, TTP_STR("Combine")) || ttp_str_ends(name, TTP_STR("ReduceCombine"))) {
        t.kind = TTP_MESH_UNPROVEN;
    } else if (has_one(name, all_wait, TTP_COUNT(all_wait)) ||
               ttp_str_eq(name, TTP_STR("Barrier"))) {
        t.kind = TTP_MESH_ALL_WAIT;
        t.fused = has_one(name, fused, TTP_COUNT(fused));
    } else if (has_one(name, one_way, TTP_COUNT(one_way)) ||
               ttp_str_eq(name, TTP_STR("Broadcast"))) {
        t.kind = TTP_MESH_ONE_WAY;
    }
    return t;
}

enum ttp_mesh_motion ttp_mesh_motion_of(ttp_str code)
{
    static const struct {
        const char *word;
        enum ttp_mesh_motion motion;
    } words[] = {
        {"AllReduce", TTP_MOTION_REDUCE},
        {"ReduceScatter", TTP_MOTION_SCATTER},
        {"AllGather", TTP_MOTION_GATHER},
        {"AllBroadcast", TTP_MOTION_GATHER},
    };

    for (size_t i = 0; i < TTP_COUNT(words); i++)
        if (ttp_str_has(code, ttp_str_from(words[i].word)))
            return words[i].motion;
    return TTP_MOTION_OTHER;
}

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
