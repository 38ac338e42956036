/* SPDX-License-Identifier: Apache-2.0 */
/* category.c - the kind of work of an op, by the first word of its name. Names as tt-perf-report
 * and its successors list them. */
#include "analysis/stages.h"
#include "base/python_text.h"

static const char *const names[] = {
    [TTP_CATEGORY_COMPUTE] = "Compute", [TTP_CATEGORY_CCL] = "CCL",
    [TTP_CATEGORY_TM] = "TM",           [TTP_CATEGORY_DM] = "DM",
    [TTP_CATEGORY_HOST] = "Host",       [TTP_CATEGORY_OTHER] = "Other",
};

const char *ttp_analysis_category_name(enum ttp_category category)
{
    return names[category];
}

struct member {
    const char *name;
    uint8_t category;
};
#define COMPUTE TTP_CATEGORY_COMPUTE
#define CCL     TTP_CATEGORY_CCL
#define TM      TTP_CATEGORY_TM
#define DM      TTP_CATEGORY_DM

static const struct member members[] = {
    {"AllGatherMatmul", COMPUTE},
    {"ScaledDotProductAttentionDecode", COMPUTE},
    {"RotaryEmbeddingLlama", COMPUTE},
    {"SDPAOperation", COMPUTE},
    {"OptimizedConvNew", COMPUTE},
    {"Conv2d", COMPUTE},
    {"Matmul", COMPUTE},
    {"BinaryNg", COMPUTE},
    {"Binary", COMPUTE},
    {"Unary", COMPUTE},
    {"Pool2D", COMPUTE},
    {"UpSample", COMPUTE},
    {"UpsampleOperation", COMPUTE},
    {"GroupNorm", COMPUTE},
    {"GridSample", COMPUTE},
    {"Accumulation", COMPUTE},
    {"LayerNorm", COMPUTE},
    {"ScaledDotProductAttention", COMPUTE},
    {"Reduce", COMPUTE},
    {"Softmax", COMPUTE},
    {"Embeddings", COMPUTE},
    {"MinimalMatmulOp", COMPUTE},
    {"IntImg", COMPUTE},
    {"GridSampleOperation", COMPUTE},
    {"RMSAllGather", COMPUTE},
    {"SdpaDecode", COMPUTE},
    {"RotaryEmbedding", COMPUTE},
    {"FastReduceNC", COMPUTE},
    {"ArgMax", COMPUTE},
    {"SparseMatmul", COMPUTE},
    {"MoeGroupedTopk", COMPUTE},
    {"MaskedBincount", COMPUTE},
    {"OffsetCumsum", COMPUTE},
    {"UnifiedRoutedExpertFfn", COMPUTE},
    {"PostCombineReduce", COMPUTE},
    {"PagedUpdateCacheDeviceOperation", DM},
    {"Move", DM},
    {"Copy", DM},
    {"InterleavedToSharded", DM},
    {"ShardedToInterleaved", DM},
    {"InterleavedToShardedPartial", DM},
    {"ShardedToInterleavedPartial", DM},
    {"Halo", DM},
    {"Where", DM},
    {"CloneOperation", DM},
    {"Reshard", DM},
    {"PaddedSlice", TM},
    {"SliceWrite", TM},
    {"ReduceScatter", CCL},
    {"NLPCreateHeadsDecodeDeviceOperation", TM},
    {"NLPConcatHeadsDecodeDeviceOperation", TM},
    {"Fold", TM},
    {"CreateQKVHeadsDeviceOperation", TM},
    {"ConcatenateHeads", TM},
    {"Reshape", TM},
    {"Transpose", TM},
    {"Permute", TM},
    {"Slice", TM},
    {"Concat", TM},
    {"Split", TM},
    {"TilizeWithValPadding", TM},
    {"Tilize", TM},
    {"UntilizeWithUnpadding", TM},
    {"Untilize", TM},
    {"Typecast", TM},
    {"NLPConcatHeads", TM},
    {"NlpCreateHeads", TM},
    {"Ternary", TM},
    {"FillPad", TM},
    {"PadDeviceOperation", TM},
    {"NLPCreateQKVHeadsDecodeDeviceOperation", TM},
    {"ReshapeView", TM},
    {"Repeat", TM},
    {"AllGather", CCL},
    {"AllGatherAsync", CCL},
    {"AllGatherConcat", CCL},
    {"ReduceScatterMinimalAsync", CCL},
    {"ReduceScatterMinimalDirect", CCL},
    {"StridedReduceScatterAsync", CCL},
    {"LlamaReduceScatter", CCL},
    {"DeepseekMoEReduceScatter", CCL},
    {"StridedAllGatherAsync", CCL},
    {"SliceReshardAsync", CCL},
    {"SelectiveReduceCombine", CCL},
    {"ReduceToRootOp", CCL},
    {"AllReduce", CCL},
    {"AllReduceAsync", CCL},
    {"AllToAllAsync", CCL},
    {"AllToAllAsyncGeneric", CCL},
    {"AllToAllDispatch", CCL},
    {"AllToAllDispatchMetadata", CCL},
    {"AllToAllCombine", CCL},
    {"AllBroadcast", CCL},
    {"Broadcast", CCL},
    {"SendAsync", CCL},
    {"RecvAsync", CCL},
    {"SendDirectAsync", CCL},
    {"RecvDirectAsync", CCL},
    {"Dispatch", CCL},
    {"Combine", CCL},
};

#define SUFFIX TTP_STR("DeviceOperation")

/* `word` is the member, or the member with the usual suffix. */
static bool names_member(ttp_str word, const char *member)
{
    const ttp_str name = ttp_str_from(member);

    return ttp_str_eq(word, name) || (word.len == name.len + SUFFIX.len &&
                                      ttp_str_starts(word, name) && ttp_str_ends(word, SUFFIX));
}

/* Collectives that no list has yet; fused ones compute as well. */
static bool looks_collective(ttp_str word)
{
    static const char *const kinds[] = {"AllGather", "ReduceScatter", "AllReduce", "AllToAll",
                                        "Broadcast"};
    static const char *const fused[] = {"Matmul", "Norm", "Attention", "SDPA"};

    for (size_t i = 0; i < TTP_COUNT(fused); i++)
        if (ttp_str_has(word, ttp_str_from(fused[i])))
            return false;
    for (size_t i = 0; i < TTP_COUNT(kinds); i++)
        if (ttp_str_has(word, ttp_str_from(kinds[i])))
            return true;
    return false;
}

enum ttp_category ttp_stage_category(ttp_str code)
{
    const ttp_str word = ttp_python_first_word(code);

    if (ttp_str_has(code, TTP_STR("(torch)")))
        return TTP_CATEGORY_HOST;
    for (size_t i = 0; i < TTP_COUNT(members); i++)
        if (names_member(word, members[i].name))
            return (enum ttp_category)members[i].category;
    return looks_collective(word) ? TTP_CATEGORY_CCL : TTP_CATEGORY_OTHER;
}
