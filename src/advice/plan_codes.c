/* SPDX-License-Identifier: Apache-2.0 */
/* plan_codes.c - what rules know of an op by its name. */
#include "advice/plan_rules.h"

/* What names of ops begin with. */
static const struct {
    const char *name;
    uint32_t bits;
} codes[] = {
    {"Matmul", TTP_IS_MATMUL},
    {"MinimalMatmul", TTP_IS_MATMUL},
    {"SparseMatmul", TTP_IS_MATMUL},
    {"Tilize", TTP_IS_LAYOUT},
    {"Untilize", TTP_IS_LAYOUT},
    {"ToLayout", TTP_IS_LAYOUT},
    {"Typecast", TTP_IS_LAYOUT},
    {"Reshape", TTP_IS_LAYOUT},
    {"Permute", TTP_IS_LAYOUT},
    {"Transpose", TTP_IS_LAYOUT},
    {"InterleavedToSharded", TTP_IS_RESHARD},
    {"ShardedToInterleaved", TTP_IS_RESHARD},
    {"Reshard", TTP_IS_RESHARD},
    {"Binary", TTP_IS_ELTWISE},
    {"Unary", TTP_IS_ELTWISE},
    {"Eltwise", TTP_IS_ELTWISE},
    {"Ternary", TTP_IS_ELTWISE},
    {"Conv2d", TTP_IS_CONV},
    {"OptimizedConv", TTP_IS_CONV},
    {"Conv3d", TTP_IS_CONV},
    {"ScaledDotProductAttention", TTP_IS_ATTENTION | TTP_IS_SDPA},
    {"SDPA", TTP_IS_ATTENTION | TTP_IS_SDPA},
    {"Sdpa", TTP_IS_ATTENTION | TTP_IS_SDPA},
    {"RotaryEmbedding", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"NlpCreateHeads", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"NLPCreate", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"PagedUpdateCache", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"PagedFillCache", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"UpdateKVCache", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"NLPConcatHeads", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"NlpConcatHeads", TTP_IS_ATTENTION | TTP_IS_HEADS},
    {"TopK", TTP_IS_ROUTER},
    {"Softmax", TTP_IS_ATTENTION | TTP_IS_SOFTMAX},
    {"LayerNorm", TTP_IS_NORM},
    {"RMSNorm", TTP_IS_NORM},
    {"RmsNorm", TTP_IS_NORM},
    {"AllGather", TTP_IS_COLLECTIVE | TTP_IS_ALL_GATHER},
    {"ReduceScatter", TTP_IS_COLLECTIVE | TTP_IS_REDUCE_SCATTER},
    {"AllReduce", TTP_IS_COLLECTIVE},
    {"GenericOp", TTP_IS_OWN},
    {"BatchNorm", TTP_IS_BATCH_NORM},
    {"Move", TTP_IS_MOVE},
};

uint32_t ttp_plan_bits_of_code(ttp_str code)
{
    uint32_t bits = 0;

    for (size_t at = ttp_str_find(code, TTP_STR("::")); at != TTP_NPOS;
         at = ttp_str_find(code, TTP_STR("::")))
        code = ttp_str_slice(code, at + 2, code.len);
    for (size_t i = 0; i < TTP_COUNT(codes); i++)
        if (ttp_str_starts(code, ttp_str_from(codes[i].name)))
            bits |= codes[i].bits;
    return bits;
}
