/* SPDX-License-Identifier: Apache-2.0 */
#include "cost/cost.h"

static const struct {
    const char *name, *ttnn, *logged; /* ours, Python's, the ops CSV's */
    uint8_t bits;                     /* of an element */
    bool shares_exponents;            /* one byte for 16 elements of a row */
} types[TTP_TILE_TYPES] = {
    [TTP_TILE_NONE] = {"none", "", "", 0, false},
    [TTP_TILE_F32] = {"f32", "float32", "FLOAT32", 32, false},
    [TTP_TILE_BF16] = {"bf16", "bfloat16", "BFLOAT16", 16, false},
    [TTP_TILE_FP8] = {"fp8", "fp8_e4m3", "FP8_E4M3", 8, false},
    [TTP_TILE_BFP8] = {"bfp8", "bfloat8_b", "BFLOAT8_B", 8, true},
    [TTP_TILE_BFP4] = {"bfp4", "bfloat4_b", "BFLOAT4_B", 4, true},
    [TTP_TILE_BFP2] = {"bfp2", "bfloat2_b", "BFLOAT2_B", 2, true},
    [TTP_TILE_INTEGER] = {"integer", "uint32", "UINT32", 32, false},
};

static const struct {
    const char *name;
    enum ttp_tile_type type;
} others[] = {
    {"fp32", TTP_TILE_F32},      {"bfp8_b", TTP_TILE_BFP8},    {"bfp4_b", TTP_TILE_BFP4},
    {"bfp2_b", TTP_TILE_BFP2},   {"UINT16", TTP_TILE_INTEGER}, {"UINT8", TTP_TILE_INTEGER},
    {"INT32", TTP_TILE_INTEGER}, {"FP8", TTP_TILE_FP8},
};

bool ttp_cost_tile_type_find(enum ttp_tile_type *out, ttp_str name)
{
    const ttp_str scope = TTP_STR("DataType::");

    if (ttp_str_starts(name, scope))
        name = ttp_str_slice(name, scope.len, name.len);
    for (size_t i = TTP_TILE_F32; i < TTP_TILE_TYPES; i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(types[i].name)) ||
            ttp_str_eq_any_case(name, ttp_str_from(types[i].logged))) {
            *out = (enum ttp_tile_type)i;
            return true;
        }
    for (size_t i = 0; i < TTP_COUNT(others); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(others[i].name))) {
            *out = others[i].type;
            return true;
        }
    return false;
}

const char *ttp_cost_tile_type_name(enum ttp_tile_type type)
{
    return types[type].name;
}

const char *ttp_cost_tile_type_ttnn_name(enum ttp_tile_type type)
{
    return types[type].ttnn;
}

uint64_t ttp_cost_tile_bytes(enum ttp_tile_type type, uint32_t height, uint32_t width)
{
    const uint64_t elements = (uint64_t)height * width;

    /* exponents are padded to the alignment of L1 */
    const uint64_t exponents =
        types[type].shares_exponents ? ttp_ceil_div(elements / 16, 16) * 16 : 0;

    return elements * types[type].bits / 8 + exponents;
}
