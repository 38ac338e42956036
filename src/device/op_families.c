/* SPDX-License-Identifier: Apache-2.0 */
/* op_families.c - facts derived from the name of an op, in one table. A rule, a category or
 * a figure of traffic that depends on the kind of an op asks here, so that no two verbs disagree
 * about an op. Those who imitate another tool copy its lists. */
#include "base/python_text.h"
#include "device/device.h"

enum {
    COMPUTE = TTP_CATEGORY_COMPUTE,
    CCL = TTP_CATEGORY_CCL,
    TM = TTP_CATEGORY_TM,
    DM = TTP_CATEGORY_DM,
    OTHER = TTP_CATEGORY_OTHER,
    ALL = TTP_MOVES_ALL,
    PART = TTP_MOVES_PART,
    GATHERED = TTP_MOVES_GATHERED,
    SCATTERED = TTP_MOVES_SCATTERED,
    REDUCED = TTP_MOVES_REDUCED,
    HEADS = TTP_IS_ATTENTION | TTP_IS_HEADS,
    SDPA = TTP_IS_ATTENTION | TTP_IS_SDPA,
};

/* Names begin so, up to a capital letter or another end of a word; the longest one counts. Work is
 * operations per element as they are computed: softmax is a maximum, a difference, an exponential,
 * a sum and a quotient. */
static const struct beginning {
    const char *name;
    uint8_t category, moves, work;
    uint32_t traits;
} beginnings[] = {
    /* matrix engine */
    {"Matmul", COMPUTE, 0, 0, TTP_IS_MATMUL},
    {"MinimalMatmul", COMPUTE, 0, 0, TTP_IS_MATMUL},
    {"SparseMatmul", COMPUTE, 0, 0, TTP_IS_MATMUL},
    {"Conv2d", COMPUTE, 0, 0, TTP_IS_CONV},
    {"Conv3d", COMPUTE, 0, 0, TTP_IS_CONV},
    {"OptimizedConv", COMPUTE, 0, 0, TTP_IS_CONV},
    {"UnifiedRoutedExpertFfn", COMPUTE, 0, 0, 0},
    /* attention */
    {"ScaledDotProductAttention", COMPUTE, 0, 0, SDPA},
    {"SDPA", COMPUTE, 0, 0, SDPA},
    {"Sdpa", COMPUTE, 0, 0, SDPA},
    {"RotaryEmbedding", COMPUTE, 0, 0, HEADS},
    {"Softmax", COMPUTE, ALL, 5, TTP_IS_ATTENTION | TTP_IS_SOFTMAX},
    {"PagedUpdateCache", DM, 0, 0, HEADS},
    {"PagedFillCache", DM, 0, 0, HEADS},
    {"UpdateKVCache", DM, 0, 0, HEADS},
    {"NLPCreate", TM, 0, 0, HEADS},
    {"NlpCreateHeads", TM, 0, 0, HEADS},
    {"NLPConcatHeads", TM, 0, 0, HEADS},
    {"NlpConcatHeads", TM, 0, 0, HEADS},
    {"CreateQKVHeads", TM, 0, 0, 0},
    {"ConcatenateHeads", TM, ALL, 0, 0},
    /* element by element */
    {"Binary", COMPUTE, ALL, 1, TTP_IS_ELTWISE},
    {"Unary", COMPUTE, ALL, 1, TTP_IS_ELTWISE},
    {"Eltwise", COMPUTE, ALL, 1, TTP_IS_ELTWISE},
    {"Ternary", TM, ALL, 2, TTP_IS_ELTWISE},
    {"Where", DM, ALL, 1, 0},
    /* norms, reductions, pools, tables */
    {"LayerNorm", COMPUTE, ALL, 8, TTP_IS_NORM},
    {"RMSNorm", COMPUTE, ALL, 5, TTP_IS_NORM},
    {"RmsNorm", COMPUTE, ALL, 5, TTP_IS_NORM},
    {"RMSAllGather", COMPUTE, 0, 0, 0},
    {"GroupNorm", COMPUTE, ALL, 8, 0},
    {"BatchNorm", COMPUTE, ALL, 4, TTP_IS_BATCH_NORM},
    {"FastReduceNC", COMPUTE, ALL, 1, 0},
    {"Reduce", COMPUTE, ALL, 1, 0},
    {"Prod", COMPUTE, ALL, 1, 0},
    {"ArgMax", COMPUTE, ALL, 1, 0},
    {"TopK", COMPUTE, ALL, 1, TTP_IS_ROUTER},
    {"MoeGroupedTopk", COMPUTE, 0, 0, 0},
    {"MaskedBincount", COMPUTE, 0, 0, 0},
    {"OffsetCumsum", COMPUTE, 0, 0, 0},
    {"PostCombineReduce", COMPUTE, 0, 0, 0},
    {"Accumulation", COMPUTE, ALL, 1, 0},
    {"IntImg", COMPUTE, 0, 0, 0},
    {"Pool2D", COMPUTE, ALL, 1, 0},
    {"UpSample", COMPUTE, 0, 0, 0},
    {"Upsample", COMPUTE, 0, 0, 0},
    {"GridSample", COMPUTE, 0, 0, 0},
    {"Embeddings", COMPUTE, TTP_MOVES_ROWS, 0, 0},
    /* layouts and shapes */
    {"Tilize", TM, ALL, 0, TTP_IS_LAYOUT},
    {"Untilize", TM, ALL, 0, TTP_IS_LAYOUT},
    {"ToLayout", TM, 0, 0, TTP_IS_LAYOUT},
    {"Typecast", TM, ALL, 0, TTP_IS_LAYOUT},
    {"Reshape", TM, ALL, 0, TTP_IS_LAYOUT},
    {"Permute", TM, ALL, 0, TTP_IS_LAYOUT},
    {"Transpose", TM, ALL, 0, TTP_IS_LAYOUT},
    {"Slice", TM, PART, 0, 0},
    {"PaddedSlice", TM, PART, 0, 0},
    {"Split", TM, 0, 0, 0},
    {"Concat", TM, ALL, 0, 0},
    {"Fold", TM, ALL, 0, 0},
    {"Repeat", TM, PART, 0, 0},
    {"Pad", TM, ALL, 0, 0},
    {"FillPad", TM, 0, 0, 0},
    /* copies and shards */
    {"Move", DM, ALL, 0, TTP_IS_MOVE},
    {"Copy", DM, ALL, 0, 0},
    {"Clone", DM, ALL, 0, 0},
    {"Halo", DM, 0, 0, 0},
    {"InterleavedToSharded", DM, ALL, 0, TTP_IS_RESHARD},
    {"ShardedToInterleaved", DM, ALL, 0, TTP_IS_RESHARD},
    {"Reshard", DM, ALL, 0, TTP_IS_RESHARD},
    /* between devices */
    {"AllGather", CCL, GATHERED, 0, TTP_IS_COLLECTIVE | TTP_IS_ALL_GATHER},
    {"ReduceScatter", CCL, SCATTERED, 1, TTP_IS_COLLECTIVE | TTP_IS_REDUCE_SCATTER},
    {"AllReduce", CCL, REDUCED, 1, TTP_IS_COLLECTIVE},
    {"StridedAllGather", CCL, GATHERED, 0, TTP_IS_COLLECTIVE},
    {"StridedReduceScatter", CCL, SCATTERED, 1, TTP_IS_COLLECTIVE},
    {"LlamaReduceScatter", CCL, SCATTERED, 1, TTP_IS_COLLECTIVE},
    {"DeepseekMoEReduceScatter", CCL, SCATTERED, 1, TTP_IS_COLLECTIVE},
    {"SliceReshard", CCL, 0, 0, 0},
    {"SelectiveReduceCombine", CCL, 0, 0, 0},
    {"ReduceToRoot", CCL, 0, 0, 0},
    {"Broadcast", CCL, 0, 0, 0},
    {"SendAsync", CCL, 0, 0, 0},
    {"RecvAsync", CCL, 0, 0, 0},
    {"SendDirect", CCL, 0, 0, 0},
    {"RecvDirect", CCL, 0, 0, 0},
    {"Dispatch", CCL, 0, 0, 0},
    {"Combine", CCL, 0, 0, 0},
    /* a kernel of the user's own */
    {"GenericOp", OTHER, 0, 0, TTP_IS_OWN},
    {TTP_PROGRAM_OP, OTHER, 0, 0, TTP_IS_OWN},
};

/* Anywhere in the name. Names of new collectives contain the names of known ones, and a collective
 * whose name also has a word for computing is fused. Of the kinds of waiting the first counts. */
static const struct word {
    const char *text;
    uint8_t category; /* if the beginning is unknown */
    uint8_t waits;    /* enum ttp_op_waits */
    uint8_t sends;    /* enum ttp_op_moves */
    bool computes;    /* at the same time as it communicates */
    uint32_t traits;
    uint8_t marks; /* enum ttp_op_mark */
} words[] = {
    {"AllToAll", CCL, TTP_WAITS_UNPROVEN, 0, false, 0, 0},
    {"NeighborPad", CCL, TTP_WAITS_UNPROVEN, 0, false, 0, 0},
    {"SliceReshard", CCL, TTP_WAITS_UNPROVEN, 0, false, 0, 0},
    {"ReduceCombine", CCL, TTP_WAITS_UNPROVEN, 0, false, 0, 0},
    {"AllReduce", CCL, TTP_WAITS_FOR_ALL, REDUCED, false, 0, TTP_OP_REDUCES},
    {"ReduceScatter", CCL, TTP_WAITS_FOR_ALL, SCATTERED, false, 0, TTP_OP_REDUCES},
    {"AllGather", CCL, TTP_WAITS_FOR_ALL, GATHERED, false, 0, TTP_OP_REDUCES},
    {"AllBroadcast", CCL, TTP_WAITS_FOR_ALL, GATHERED, false, 0, 0},
    {"RingJoint", OTHER, TTP_WAITS_FOR_ALL, 0, true, 0, 0},
    {"RingAttention", OTHER, TTP_WAITS_FOR_ALL, 0, true, 0, 0},
    {"PointToPoint", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"ReduceToRoot", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"SendAsync", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"RecvAsync", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"SendDirect", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"RecvDirect", CCL, TTP_WAITS_FOR_SENDER, 0, false, 0, 0},
    {"Broadcast", CCL, 0, 0, false, 0, 0},
    {"Matmul", COMPUTE, 0, 0, true, TTP_IS_ANY_MATMUL, 0},
    {"SparseMatmul", COMPUTE, 0, 0, true, TTP_IS_SPARSE, TTP_OP_BY_VALUES},
    {"SDPA", COMPUTE, 0, 0, true, 0, 0},
    {"Attention", COMPUTE, 0, 0, true, 0, 0},
    {"Norm", COMPUTE, 0, 0, true, 0, 0},
    {"RMS", OTHER, 0, 0, true, 0, 0},
    {"Heads", OTHER, 0, 0, true, 0, 0},
    {"Concat", OTHER, 0, 0, true, 0, 0},
    {"MoE", OTHER, 0, 0, true, 0, 0},
    {"Moe", OTHER, 0, 0, true, 0, 0},
    {"Conv2d", OTHER, 0, 0, false, TTP_IS_CONV2D, 0},
    {"OptimizedConvNew", OTHER, 0, 0, false, TTP_IS_CONV2D | TTP_IS_OPTIMIZED_CONV, 0},
    {"HaloDeviceOperation", OTHER, 0, 0, false, TTP_IS_HALO, 0},
    {"MinimalMatmul", OTHER, 0, 0, false, 0, TTP_OP_MINIMAL},
    {"Async", OTHER, 0, 0, false, 0, TTP_OP_ASYNC},
    {"Decode", OTHER, 0, 0, false, 0, TTP_OP_DECODE},
    {"SdpaDecode", OTHER, 0, 0, false, 0, TTP_OP_BY_VALUES},
    {"SDPADecode", OTHER, 0, 0, false, 0, TTP_OP_BY_VALUES},
    {"MlaDecode", OTHER, 0, 0, false, 0, TTP_OP_BY_VALUES},
    {"AttentionDecode", OTHER, 0, 0, false, 0, TTP_OP_BY_VALUES},
};

/* These name a collective next to them, which is an op of its own. */
static const char *const neighbours[] = {"PreAllGather", "PostAllGather", "PreAllReduce",
                                         "PostAllReduce"};

/* The whole name, without what every name ends with. */
static const struct {
    const char *name;
    uint8_t waits;
} wholes[] = {
    {"Dispatch", TTP_WAITS_UNPROVEN},
    {"Combine", TTP_WAITS_UNPROVEN},
    {"Barrier", TTP_WAITS_FOR_ALL},
    {"Broadcast", TTP_WAITS_FOR_SENDER},
};

const char *ttp_device_category_name(enum ttp_category category)
{
    static const char *const names[] = {
        [TTP_CATEGORY_COMPUTE] = "Compute", [TTP_CATEGORY_CCL] = "CCL",
        [TTP_CATEGORY_TM] = "TM",           [TTP_CATEGORY_DM] = "DM",
        [TTP_CATEGORY_HOST] = "Host",       [TTP_CATEGORY_OTHER] = "Other",
    };

    return names[category];
}

static const struct beginning *find_beginning(ttp_str name)
{
    const struct beginning *best = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < TTP_COUNT(beginnings); i++) {
        const ttp_str word = ttp_str_from(beginnings[i].name);
        if (word.len > longest && ttp_str_starts(name, word) &&
            !(name.len > word.len && name.ptr[word.len] >= 'a' && name.ptr[word.len] <= 'z')) {
            best = &beginnings[i];
            longest = word.len;
        }
    }
    return best;
}

/* Without the name space. */
static ttp_str last_part(ttp_str name)
{
    size_t at;

    while ((at = ttp_str_find(name, TTP_STR("::"))) != TTP_NPOS)
        name = ttp_str_slice(name, at + 2, name.len);
    return name;
}

static bool is_whole(ttp_str name, const char *whole)
{
    static const char *const ends[] = {"DeviceOperation", "Operation", ""};
    const ttp_str word = ttp_str_from(whole);

    if (!ttp_str_starts(name, word))
        return false;
    name = ttp_str_slice(name, word.len, name.len);
    for (size_t i = 0; i < TTP_COUNT(ends); i++)
        if (ttp_str_eq(name, ttp_str_from(ends[i])))
            return true;
    return false;
}

static uint8_t waits_of(ttp_str name, uint8_t by_words)
{
    for (size_t i = 0; i < TTP_COUNT(neighbours); i++)
        if (ttp_str_has(name, ttp_str_from(neighbours[i])))
            return TTP_WAITS_NOT;
    for (size_t i = 0; !by_words && i < TTP_COUNT(wholes); i++)
        if (is_whole(name, wholes[i].name))
            return wholes[i].waits;
    return by_words;
}

struct ttp_op_family ttp_op_family_of(ttp_str code)
{
    const ttp_str name = last_part(ttp_python_first_word(code));
    const struct beginning *begins = find_beginning(name);
    struct ttp_op_family f = {.category = OTHER};
    bool computes = false;

    for (size_t i = 0; i < TTP_COUNT(words); i++) {
        const struct word *w = &words[i];
        if (!ttp_str_has(code, ttp_str_from(w->text)))
            continue;
        f.traits |= w->traits;
        f.marks |= w->marks;
        f.sends = f.sends ? f.sends : w->sends;
        f.waits = f.waits ? f.waits : w->waits;
        f.category = w->category == COMPUTE || f.category == OTHER ? w->category : f.category;
        computes = computes || w->computes;
    }
    f.waits = waits_of(name, f.waits);
    f.fused = computes && f.waits == TTP_WAITS_FOR_ALL;
    if (begins) {
        f.traits |= begins->traits;
        f.moves = begins->moves;
        f.work = begins->work;
        if (begins->category != CCL || f.category != COMPUTE)
            f.category = begins->category;
    }
    if (ttp_str_has(code, TTP_STR("(torch)")))
        f.category = TTP_CATEGORY_HOST;
    return f;
}

bool ttp_op_has_matmul(ttp_str code)
{
    return ttp_str_has(code, TTP_STR("Matmul")) || ttp_str_has(code, TTP_STR("matmul"));
}
