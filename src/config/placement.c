/* SPDX-License-Identifier: Apache-2.0 */
/* placement.c - where a tensor is, as text. */
#include "base/sink.h"
#include "config/config_parts.h"

static const struct {
    const char *name, *logged; /* ours, the end of the ops CSV's */
    enum ttp_layout layout;
    bool l1, nd;
} places[] = {
    {"dram", "DRAM_INTERLEAVED", TTP_LAYOUT_INTERLEAVED, false, false},
    {"l1", "L1_INTERLEAVED", TTP_LAYOUT_INTERLEAVED, true, false},
    {"ws", "L1_WIDTH_SHARDED", TTP_LAYOUT_WIDTH, true, false},
    {"hs", "L1_HEIGHT_SHARDED", TTP_LAYOUT_HEIGHT, true, false},
    {"bs", "L1_BLOCK_SHARDED", TTP_LAYOUT_BLOCK, true, false},
    {"dram_ws", "DRAM_WIDTH_SHARDED", TTP_LAYOUT_WIDTH, false, false},
    {"dram_hs", "DRAM_HEIGHT_SHARDED", TTP_LAYOUT_HEIGHT, false, false},
    {"dram_bs", "DRAM_BLOCK_SHARDED", TTP_LAYOUT_BLOCK, false, false},
    {"nd", "L1_ND_SHARDED", TTP_LAYOUT_INTERLEAVED, true, true},
    {"dram_nd", "DRAM_ND_SHARDED", TTP_LAYOUT_INTERLEAVED, false, true},
};

static bool find_place(struct ttp_placement *out, ttp_str name)
{
    for (size_t i = 0; i < TTP_COUNT(places); i++)
        if (ttp_str_eq(name, ttp_str_from(places[i].name)) ||
            (name.len > 8 && ttp_str_ends(name, ttp_str_from(places[i].logged)))) {
            *out = (struct ttp_placement){
                .layout = places[i].layout, .l1 = places[i].l1, .nd = places[i].nd};
            return true;
        }
    return false;
}

static bool pair(ttp_str text, uint32_t *a, uint32_t *b, uint64_t max)
{
    ttp_str part[3];
    uint64_t v[2];

    if (ttp_str_split(text, 'x', part, 3) != 2 || !ttp_str_to_u64(part[0], &v[0]) ||
        !ttp_str_to_u64(part[1], &v[1]) || v[0] < 1 || v[1] < 1 || v[0] > max || v[1] > max)
        return false;
    *a = (uint32_t)v[0];
    *b = (uint32_t)v[1];
    return true;
}

static bool shard(struct ttp_placement *out, const ttp_str *part, size_t n)
{
    uint64_t cores;

    if (n == 1)
        return true;
    if (n < 3 || out->layout == TTP_LAYOUT_INTERLEAVED ||
        !pair(part[1], &out->height, &out->width, UINT32_C(1) << 30) ||
        !ttp_str_to_u64(part[2], &cores) || cores < 1 || cores > 65536)
        return false;
    out->has_shard = true;
    out->cores = (uint32_t)cores;
    for (size_t i = 3; i < n; i++) {
        if (ttp_str_eq_any_case(part[i], TTP_STR("COL_MAJOR")))
            out->col_major = true;
        else if (!ttp_str_eq_any_case(part[i], TTP_STR("ROW_MAJOR")) &&
                 !(i == 3 && pair(part[i], &out->grid_x, &out->grid_y, 256) &&
                   (uint64_t)out->grid_x * out->grid_y >= cores))
            return false;
    }
    return true;
}

ttp_code ttp_config_parse_placement(struct ttp_placement *out, ttp_str text, struct ttp_err *err)
{
    ttp_str part[6];
    const size_t n = ttp_str_split(text, ':', part, TTP_COUNT(part));

    if (n >= 1 && n < TTP_COUNT(part) && find_place(out, part[0]) && shard(out, part, n))
        return TTP_OK;
    (void)ttp_fail(err, TTP_EUSAGE, "invalid memory '%.*s'", TTP_FMT(ttp_str_slice(text, 0, 60)));
    ttp_err_hint(err, "use dram, l1, ws, hs, bs, dram_ws or dram_hs, followed for shards by "
                      ":HEIGHTxWIDTH:CORES[:COLUMNSxROWS][:COL_MAJOR], such as ws:32x128:32");
    return TTP_EUSAGE;
}

ttp_str ttp_config_placement_text(const struct ttp_placement *at, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    for (size_t i = 0; i < TTP_COUNT(places); i++)
        if (places[i].layout == at->layout && places[i].l1 == at->l1 && places[i].nd == at->nd) {
            ttp_sink_put(&s, ttp_str_from(places[i].name));
            break;
        }
    if (at->has_shard)
        ttp_sink_printf(&s, ":%ux%u:%u", at->height, at->width, at->cores);
    if (at->has_shard && at->grid_x)
        ttp_sink_printf(&s, ":%ux%u", at->grid_x, at->grid_y);
    if (at->col_major)
        ttp_sink_put(&s, TTP_STR(":COL_MAJOR"));
    return ttp_sink_text(&s);
}
