/* SPDX-License-Identifier: Apache-2.0 */
/* category.c - what sort of work an op does, by the first word of its name. Names as tt-perf-report
 * lists them: 1.2.4 for the compatible mode, later ones besides. */
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

/* Where a name belongs in each of the two lists; OTHER: not in that list. */
struct member {
    const char *name;
    uint8_t compat, now;
};
#define COMPUTE TTP_CATEGORY_COMPUTE
#define CCL     TTP_CATEGORY_CCL
#define TM      TTP_CATEGORY_TM
#define DM      TTP_CATEGORY_DM
#define OTHER   TTP_CATEGORY_OTHER

static const struct member members[] = {
    {"AllGatherMatmul", COMPUTE, COMPUTE},
    {"ScaledDotProductAttentionDecode", COMPUTE, COMPUTE},
    {"RotaryEmbeddingLlama", COMPUTE, COMPUTE},
    {"SDPAOperation", COMPUTE, COMPUTE},
    {"OptimizedConvNew", COMPUTE, COMPUTE},
    {"Conv2d", COMPUTE, COMPUTE},
    {"Matmul", COMPUTE, COMPUTE},
    {"BinaryNg", COMPUTE, COMPUTE},
    {"Binary", COMPUTE, COMPUTE},
    {"Unary", COMPUTE, COMPUTE},
    {"Pool2D", COMPUTE, COMPUTE},
    {"UpSample", COMPUTE, COMPUTE},
    {"UpsampleOperation", COMPUTE, COMPUTE},
    {"GroupNorm", COMPUTE, COMPUTE},
    {"GridSample", COMPUTE, COMPUTE},
    {"Accumulation", COMPUTE, COMPUTE},
    {"LayerNorm", COMPUTE, COMPUTE},
    {"ScaledDotProductAttention", COMPUTE, COMPUTE},
    {"Reduce", COMPUTE, COMPUTE},
    {"Softmax", COMPUTE, COMPUTE},
    {"Embeddings", COMPUTE, COMPUTE},
    {"MinimalMatmulOp", COMPUTE, COMPUTE},
    {"IntImg", COMPUTE, COMPUTE},
    {"GridSampleOperation", COMPUTE, COMPUTE},
    {"RMSAllGather", OTHER, COMPUTE},
    {"SdpaDecode", OTHER, COMPUTE},
    {"RotaryEmbedding", OTHER, COMPUTE},
    {"FastReduceNC", OTHER, COMPUTE},
    {"ArgMax", OTHER, COMPUTE},
    {"SparseMatmul", OTHER, COMPUTE},
    {"MoeGroupedTopk", OTHER, COMPUTE},
    {"MaskedBincount", OTHER, COMPUTE},
    {"OffsetCumsum", OTHER, COMPUTE},
    {"UnifiedRoutedExpertFfn", OTHER, COMPUTE},
    {"PostCombineReduce", OTHER, COMPUTE},
    {"PagedUpdateCacheDeviceOperation", DM, DM},
    {"Move", DM, DM},
    {"Copy", DM, DM},
    {"InterleavedToSharded", DM, DM},
    {"ShardedToInterleaved", DM, DM},
    {"InterleavedToShardedPartial", DM, DM},
    {"ShardedToInterleavedPartial", DM, DM},
    {"Halo", DM, DM},
    {"Where", DM, DM},
    {"CloneOperation", DM, DM},
    {"Reshard", DM, DM},
    {"PaddedSlice", DM, TM},
    {"SliceWrite", DM, TM},
    {"ReduceScatter", DM, CCL},
    {"NLPCreateHeadsDecodeDeviceOperation", TM, TM},
    {"NLPConcatHeadsDecodeDeviceOperation", TM, TM},
    {"Fold", TM, TM},
    {"CreateQKVHeadsDeviceOperation", TM, TM},
    {"ConcatenateHeads", TM, TM},
    {"Reshape", TM, TM},
    {"Transpose", TM, TM},
    {"Permute", TM, TM},
    {"Slice", TM, TM},
    {"Concat", TM, TM},
    {"Split", TM, TM},
    {"TilizeWithValPadding", TM, TM},
    {"Tilize", TM, TM},
    {"UntilizeWithUnpadding", TM, TM},
    {"Untilize", TM, TM},
    {"Typecast", TM, TM},
    {"NLPConcatHeads", TM, TM},
    {"NlpCreateHeads", TM, TM},
    {"Ternary", TM, TM},
    {"FillPad", TM, TM},
    {"PadDeviceOperation", TM, TM},
    {"NLPCreateQKVHeadsDecodeDeviceOperation", OTHER, TM},
    {"ReshapeView", OTHER, TM},
    {"Repeat", OTHER, TM},
    {"AllGather", OTHER, CCL},
    {"AllGatherAsync", OTHER, CCL},
    {"AllGatherConcat", OTHER, CCL},
    {"ReduceScatterMinimalAsync", OTHER, CCL},
    {"ReduceScatterMinimalDirect", OTHER, CCL},
    {"StridedReduceScatterAsync", OTHER, CCL},
    {"LlamaReduceScatter", OTHER, CCL},
    {"DeepseekMoEReduceScatter", OTHER, CCL},
    {"StridedAllGatherAsync", OTHER, CCL},
    {"SliceReshardAsync", OTHER, CCL},
    {"SelectiveReduceCombine", OTHER, CCL},
    {"ReduceToRootOp", OTHER, CCL},
    {"AllReduce", OTHER, CCL},
    {"AllReduceAsync", OTHER, CCL},
    {"AllToAllAsync", OTHER, CCL},
    {"AllToAllAsyncGeneric", OTHER, CCL},
    {"AllToAllDispatch", OTHER, CCL},
    {"AllToAllDispatchMetadata", OTHER, CCL},
    {"AllToAllCombine", OTHER, CCL},
    {"AllBroadcast", OTHER, CCL},
    {"Broadcast", OTHER, CCL},
    {"SendAsync", OTHER, CCL},
    {"RecvAsync", OTHER, CCL},
    {"SendDirectAsync", OTHER, CCL},
    {"RecvDirectAsync", OTHER, CCL},
    {"Dispatch", OTHER, CCL},
    {"Combine", OTHER, CCL},
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

enum ttp_category ttp_stage_category(ttp_str code, bool compat, bool *known)
{
    const ttp_str word = ttp_python_first_word(code);

    *known = true;
    if (compat ? ttp_str_eq(word, TTP_STR("(torch)")) ||
                     ttp_str_eq(word, TTP_STR("(torch)DeviceOperation"))
               : ttp_str_has(code, TTP_STR("(torch)")))
        return TTP_CATEGORY_HOST;
    for (size_t i = 0; i < TTP_COUNT(members); i++) {
        const uint8_t category = compat ? members[i].compat : members[i].now;
        if (category != OTHER && names_member(word, members[i].name))
            return (enum ttp_category)category;
    }
    if (!compat && looks_collective(word))
        return TTP_CATEGORY_CCL;
    *known = false;
    return TTP_CATEGORY_OTHER;
}
