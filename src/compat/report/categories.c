/* SPDX-License-Identifier: Apache-2.0 */
/* categories.c - OPERATION_CATEGORIES of tt-perf-report 1.2.4, and the colours of its ops. */
#include "base/python_text.h"
#include "compat/report/report_rules.h"

#define COMPUTE TTP_CATEGORY_COMPUTE
#define TM      TTP_CATEGORY_TM
#define DM      TTP_CATEGORY_DM

static const struct {
    const char *name;
    uint8_t category;
} members[] = {
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
    {"PaddedSlice", DM},
    {"SliceWrite", DM},
    {"ReduceScatter", DM},
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
};

#define SUFFIX TTP_STR("DeviceOperation")

/* `word` is the member, or the member with the usual suffix. */
static bool names_member(ttp_str word, const char *member)
{
    const ttp_str name = ttp_str_from(member);

    return ttp_str_eq(word, name) || (word.len == name.len + SUFFIX.len &&
                                      ttp_str_starts(word, name) && ttp_str_ends(word, SUFFIX));
}

enum ttp_category ttp_compat_category(ttp_str code)
{
    const ttp_str word = ttp_python_first_word(code);

    if (ttp_str_eq(word, TTP_STR("(torch)")) || ttp_str_eq(word, TTP_STR("(torch)DeviceOperation")))
        return TTP_CATEGORY_HOST;
    for (size_t i = 0; i < TTP_COUNT(members); i++)
        if (names_member(word, members[i].name))
            return (enum ttp_category)members[i].category;
    return TTP_CATEGORY_OTHER;
}

enum ttp_color ttp_compat_op_color(ttp_str code)
{
    static const struct {
        const char *part;
        enum ttp_color color;
    } colors[] = {
        {"(torch)", TTP_RED},
        {"Matmul", TTP_MAGENTA},
        {"OptimizedConvNew", TTP_ORANGE},
        {"Conv2d", TTP_ORANGE},
        {"LayerNorm", TTP_CYAN},
        {"AllGather", TTP_CYAN},
        {"AllReduce", TTP_CYAN},
        {"ScaledDotProductAttentionDecode", TTP_BLUE},
        {"ScaledDotProductAttentionGQADecode", TTP_BLUE},
        {"NlpCreateHeadsDeviceOperation", TTP_BLUE},
        {"NLPConcatHeadsDecodeDeviceOperation", TTP_BLUE},
        {"UpdateCache", TTP_BLUE},
    };

    for (size_t i = 0; i < TTP_COUNT(colors); i++)
        if (ttp_str_has(code, ttp_str_from(colors[i].part)))
            return colors[i].color;
    return TTP_WHITE;
}
