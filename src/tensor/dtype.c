/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/tensor.h"

static const struct {
    const char *name;
    size_t size;
} types[TTP_DTYPE_COUNT] = {
    [TTP_DTYPE_NONE] = {"none", 0},        [TTP_DTYPE_F64] = {"f64", 8},
    [TTP_DTYPE_F32] = {"f32", 4},          [TTP_DTYPE_F16] = {"f16", 2},
    [TTP_DTYPE_BF16] = {"bf16", 2},        [TTP_DTYPE_F8_E4M3] = {"f8_e4m3", 1},
    [TTP_DTYPE_F8_E5M2] = {"f8_e5m2", 1},  [TTP_DTYPE_I8] = {"i8", 1},
    [TTP_DTYPE_I16] = {"i16", 2},          [TTP_DTYPE_I32] = {"i32", 4},
    [TTP_DTYPE_I64] = {"i64", 8},          [TTP_DTYPE_U8] = {"u8", 1},
    [TTP_DTYPE_U16] = {"u16", 2},          [TTP_DTYPE_U32] = {"u32", 4},
    [TTP_DTYPE_U64] = {"u64", 8},          [TTP_DTYPE_BOOL] = {"bool", 1},
    [TTP_DTYPE_BFP8_B] = {"bfloat8_b", 0}, [TTP_DTYPE_BFP4_B] = {"bfloat4_b", 0},
    [TTP_DTYPE_BFP2_B] = {"bfloat2_b", 0},
};

/* What torch, numpy and ttnn call them. */
static const struct {
    const char *name;
    enum ttp_dtype type;
} aliases[] = {
    {"float64", TTP_DTYPE_F64},      {"double", TTP_DTYPE_F64},
    {"float32", TTP_DTYPE_F32},      {"float", TTP_DTYPE_F32},
    {"float16", TTP_DTYPE_F16},      {"half", TTP_DTYPE_F16},
    {"bfloat16", TTP_DTYPE_BF16},    {"float8_e4m3fn", TTP_DTYPE_F8_E4M3},
    {"fp8_e4m3", TTP_DTYPE_F8_E4M3}, {"float8_e5m2", TTP_DTYPE_F8_E5M2},
    {"fp8_e5m2", TTP_DTYPE_F8_E5M2}, {"int8", TTP_DTYPE_I8},
    {"int16", TTP_DTYPE_I16},        {"int32", TTP_DTYPE_I32},
    {"int64", TTP_DTYPE_I64},        {"uint8", TTP_DTYPE_U8},
    {"uint16", TTP_DTYPE_U16},       {"uint32", TTP_DTYPE_U32},
    {"uint64", TTP_DTYPE_U64},       {"bfp8_b", TTP_DTYPE_BFP8_B},
    {"bfp4_b", TTP_DTYPE_BFP4_B},    {"bfp2_b", TTP_DTYPE_BFP2_B},
};

const char *ttp_tensor_dtype_name(enum ttp_dtype t)
{
    return types[t].name;
}

enum ttp_dtype ttp_tensor_dtype_find(ttp_str name)
{
    for (int t = TTP_DTYPE_F64; t < TTP_DTYPE_COUNT; t++)
        if (ttp_str_eq_any_case(name, ttp_str_from(types[t].name)))
            return (enum ttp_dtype)t;
    for (size_t i = 0; i < TTP_COUNT(aliases); i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(aliases[i].name)))
            return aliases[i].type;
    return TTP_DTYPE_NONE;
}

size_t ttp_tensor_dtype_size(enum ttp_dtype t)
{
    return types[t].size;
}
