/* SPDX-License-Identifier: Apache-2.0 */
/* config_text.config - program configs as people, Python and profilers write them. */
#include "config/config_parts.h"

/* No real size comes near it; products of four of them stay below 2^64. */
#define VALUE_MAX 65535
#define SHOWN(s)  TTP_FMT(ttp_str_slice(s, 0, 60))

static const struct {
    const char *name, *short_form, *class;
} type_names[TTP_MATMUL_TYPES] = {
    [TTP_MATMUL_MULTICORE] = {"multicore", "MultiCore", "MatmulMultiCoreProgramConfig"},
    [TTP_MATMUL_REUSE] = {"reuse", "Reuse", "MatmulMultiCoreReuseProgramConfig"},
    [TTP_MATMUL_2D] = {"2d", "2D", "MatmulMultiCoreReuseMultiCastProgramConfig"},
    [TTP_MATMUL_1D] = {"1d", "1D", "MatmulMultiCoreReuseMultiCast1DProgramConfig"},
    [TTP_MATMUL_DRAM] = {"dram", "DRAMSharded",
                         "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"},
    [TTP_MATMUL_BATCHED] = {"batched", "BatchedDRAMSharded",
                            "MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig"},
    [TTP_MATMUL_MINIMAL] = {"minimal", "Minimal", "MinimalMatmulConfig"},
};

const char *ttp_config_matmul_type_name(enum ttp_matmul_type type)
{
    return type_names[type].name;
}

const char *ttp_config_matmul_type_class(enum ttp_matmul_type type)
{
    return type_names[type].class;
}

static const char *const activation_names[TTP_ACTS] = {
    [TTP_ACT_NONE] = "None",
    [TTP_ACT_RELU] = "RELU",
    [TTP_ACT_GELU] = "GELU",
    [TTP_ACT_GELU_TANH] = "GELU_TANH",
    [TTP_ACT_TANH] = "TANH",
    [TTP_ACT_SILU] = "SILU",
    [TTP_ACT_RELU6] = "RELU6",
    [TTP_ACT_SIGMOID] = "SIGMOID",
    [TTP_ACT_HARDSIGMOID] = "HARDSIGMOID",
    [TTP_ACT_HARDTANH] = "HARDTANH",
    [TTP_ACT_SELU] = "SELU",
    [TTP_ACT_SOFTPLUS] = "SOFTPLUS",
    [TTP_ACT_OTHER] = "another",
};

const char *ttp_config_activation_name(enum ttp_activation activation)
{
    return activation_names[activation];
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

enum ttp_activation ttp_config_parse_activation(ttp_str text)
{
    const ttp_str scope = TTP_STR("UnaryOpType");
    const size_t at = ttp_str_find(text, scope);

    if (at != TTP_NPOS)
        text = ttp_str_slice(text, at + scope.len, text.len);
    while (text.len && !is_word(text.ptr[0])) /* quotes, "::", "." */
        text = ttp_str_slice(text, 1, text.len);
    size_t len = 0;
    while (len < text.len && (is_word(text.ptr[len]) || text.ptr[len] == ':'))
        len++;
    text = ttp_str_slice(text, 0, len);
    if (text.len == 0 || ttp_str_eq(text, TTP_STR("std::nullopt")) ||
        ttp_str_eq(text, TTP_STR("nullopt")))
        return TTP_ACT_NONE;
    for (size_t i = 0; i < TTP_ACT_OTHER; i++)
        if (ttp_str_eq_any_case(text, ttp_str_from(activation_names[i])))
            return (enum ttp_activation)i;
    return TTP_ACT_OTHER;
}

/* ---- parameters ---- */

enum param {
    GRID,
    BLOCK_W,
    SUBBLOCK_H,
    SUBBLOCK_W,
    OUT_BLOCK_H,
    OUT_BLOCK_W,
    PER_CORE_M,
    PER_CORE_N,
    M_BLOCK,
    K_BLOCK,
    N_BLOCK,
    MIN_SUBBLOCK_H,
    MIN_SUBBLOCK_W,
    ACTIVATION,
    TRANSPOSE_MCAST,
    FUSE_BATCH,
    MCAST_IN0,
    GATHER_IN0,
    HOP_CORES,
    RECEIVERS,
    UNTILIZE,
    STREAM_IN1,
    IGNORED, /* has no effect here */
    /* two sizes in one, of the short form in tables */
    SUBBLOCK,
    OUT_BLOCK,
    PER_CORE,
    MKN_BLOCK,
    MCAST_IN1,
    PARAMS
};

#define TYPE(t)  (1U << TTP_MATMUL_##t)
#define BLOCKED  (TYPE(1D) | TYPE(2D) | TYPE(REUSE))
#define CAST     (TYPE(1D) | TYPE(2D))
#define BANKED   (TYPE(DRAM) | TYPE(BATCHED))
#define ANY_TYPE ((1U << TTP_MATMUL_TYPES) - 1)

static const struct {
    const char *name;
    enum param param;
    unsigned types; /* that have it */
} params[] = {
    {"compute_with_storage_grid_size", GRID, BLOCKED | TYPE(MINIMAL)},
    {"grid", GRID, BLOCKED | TYPE(MINIMAL)},
    {"in0_block_w", BLOCK_W, BLOCKED | BANKED},
    {"out_subblock_h", SUBBLOCK_H, BLOCKED},
    {"out_subblock_w", SUBBLOCK_W, BLOCKED},
    {"out_block_h", OUT_BLOCK_H, CAST},
    {"out_block_w", OUT_BLOCK_W, CAST},
    {"per_core_M", PER_CORE_M, BLOCKED | BANKED},
    {"per_core_N", PER_CORE_N, BLOCKED | BANKED},
    {"M_block_size", M_BLOCK, TYPE(MINIMAL)},
    {"K_block_size", K_BLOCK, TYPE(MINIMAL)},
    {"N_block_size", N_BLOCK, TYPE(MINIMAL)},
    {"subblock_h", MIN_SUBBLOCK_H, TYPE(MINIMAL)},
    {"subblock_w", MIN_SUBBLOCK_W, TYPE(MINIMAL)},
    {"fused_activation", ACTIVATION, CAST | BANKED},
    {"transpose_mcast", TRANSPOSE_MCAST, TYPE(2D)},
    {"fuse_batch", FUSE_BATCH, CAST},
    {"mcast_in0", MCAST_IN0, TYPE(1D)},
    {"gather_in0", GATHER_IN0, TYPE(1D)},
    {"hop_cores", HOP_CORES, TYPE(1D)},
    {"num_global_cb_receivers", RECEIVERS, TYPE(1D)},
    {"untilize_out", UNTILIZE, TYPE(1D)},
    {"stream_in1", STREAM_IN1, TYPE(1D)},
    {"allowed_worker_cores", IGNORED, ANY_TYPE},
    {"subblock", SUBBLOCK, BLOCKED | TYPE(MINIMAL)},
    {"out_block", OUT_BLOCK, CAST},
    {"per_core", PER_CORE, BLOCKED},
    {"M/K/N block", MKN_BLOCK, TYPE(MINIMAL)},
    {"mcast_in1", MCAST_IN1, TYPE(1D)},
};

struct parsing {
    struct ttp_matmul_config *config;
    ttp_str all;   /* for offsets */
    uint32_t seen; /* 1 << enum param */
    struct ttp_err *err;
};

static ttp_code refuse(const struct parsing *p, ttp_str at, const char *what)
{
    return ttp_fail_at(p->err, TTP_EUSAGE, (size_t)(at.ptr - p->all.ptr), "%s: '%.*s'", what,
                       SHOWN(at));
}

/* The next run of digits. False: none, or too large. */
static bool take_number(ttp_str *text, uint32_t *out)
{
    size_t from = 0, to;
    uint64_t v;

    while (from < text->len && !(text->ptr[from] >= '0' && text->ptr[from] <= '9'))
        from++;
    for (to = from; to < text->len && text->ptr[to] >= '0' && text->ptr[to] <= '9';)
        to++;
    if (!ttp_str_to_u64(ttp_str_slice(*text, from, to), &v) || v > VALUE_MAX)
        return false;
    *out = (uint32_t)v;
    *text = ttp_str_slice(*text, to, text->len);
    return true;
}

/* Exactly n numbers, whatever is between them: "11x9", "(8, 8)", "11-10", "16/4/8". */
static bool numbers(ttp_str text, uint32_t *out, size_t n)
{
    uint32_t more;

    if (text.len && text.ptr[0] == '-')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!take_number(&text, &out[i]))
            return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '.') /* "2.5" */
            return false;
    return !take_number(&text, &more);
}

static bool truth(ttp_str text, bool *out)
{
    static const char *const words[][2] = {{"false", "true"}, {"0", "1"}, {"", "yes"}};

    for (size_t i = 0; i < TTP_COUNT(words); i++)
        for (size_t v = 0; v < 2; v++)
            if (text.len && ttp_str_eq_any_case(text, ttp_str_from(words[i][v]))) {
                *out = v;
                return true;
            }
    return false;
}

static bool is_none(ttp_str text)
{
    return ttp_str_eq(text, TTP_STR("None")) || ttp_str_eq(text, TTP_STR("std::nullopt"));
}

static bool plain_number(ttp_str text, uint32_t *out)
{
    uint64_t v;

    if (!ttp_str_to_u64(text, &v) || v > VALUE_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

/* Where a size is stored; NULL: it is not a single size. */
static uint32_t *size_at(struct ttp_matmul_config *c, enum param param)
{
    uint32_t *const place[PARAMS] = {
        [BLOCK_W] = &c->block_w,           [SUBBLOCK_H] = &c->subblock_h,
        [SUBBLOCK_W] = &c->subblock_w,     [OUT_BLOCK_H] = &c->out_block_h,
        [OUT_BLOCK_W] = &c->out_block_w,   [PER_CORE_M] = &c->per_core_m,
        [PER_CORE_N] = &c->per_core_n,     [M_BLOCK] = &c->out_block_h,
        [K_BLOCK] = &c->block_w,           [N_BLOCK] = &c->out_block_w,
        [MIN_SUBBLOCK_H] = &c->subblock_h, [MIN_SUBBLOCK_W] = &c->subblock_w,
        [RECEIVERS] = &c->receivers,
    };

    return place[param];
}

static bool *switch_at(struct ttp_matmul_config *c, enum param param)
{
    bool *const place[PARAMS] = {
        [TRANSPOSE_MCAST] = &c->transpose_mcast,
        [FUSE_BATCH] = &c->fuse_batch,
        [MCAST_IN0] = &c->mcast_in0,
        [GATHER_IN0] = &c->gather_in0,
        [UNTILIZE] = &c->untilize_out,
        [STREAM_IN1] = &c->stream_in1,
    };

    return place[param];
}

/* "subblock 1x2" and the like count as the parameters they represent. */
static bool set_pair(struct parsing *p, enum param param, ttp_str value)
{
    struct ttp_matmul_config *c = p->config;
    uint32_t v[3] = {0};

    if (!numbers(value, v, param == MKN_BLOCK ? 3 : 2))
        return false;
    switch (param) {
    case GRID:
        c->grid_x = v[0];
        c->grid_y = v[1];
        break;
    case SUBBLOCK:
        c->subblock_h = v[0];
        c->subblock_w = v[1];
        p->seen |=
            1U << SUBBLOCK_H | 1U << SUBBLOCK_W | 1U << MIN_SUBBLOCK_H | 1U << MIN_SUBBLOCK_W;
        break;
    case OUT_BLOCK:
        c->out_block_h = v[0];
        c->out_block_w = v[1];
        p->seen |= 1U << OUT_BLOCK_H | 1U << OUT_BLOCK_W;
        break;
    case PER_CORE:
        c->per_core_m = v[0];
        c->per_core_n = v[1];
        p->seen |= 1U << PER_CORE_M | 1U << PER_CORE_N;
        break;
    default:
        c->out_block_h = v[0];
        c->block_w = v[1];
        c->out_block_w = v[2];
        p->seen |= 1U << M_BLOCK | 1U << K_BLOCK | 1U << N_BLOCK;
        break;
    }
    return true;
}

static bool set_value(struct parsing *p, enum param param, ttp_str value)
{
    uint32_t *const size = size_at(p->config, param);
    bool *const on = switch_at(p->config, param);

    if (size) {
        if ((param == OUT_BLOCK_H || param == OUT_BLOCK_W) && is_none(value)) {
            p->seen &= ~(1U << param); /* as if it were not given: per_core */
            return true;
        }
        return plain_number(value, size);
    }
    if (on)
        return value.len == 0 ? (*on = true) : truth(value, on);
    switch (param) {
    case ACTIVATION:
        p->config->activation = ttp_config_parse_activation(value);
        return value.len > 0;
    case HOP_CORES: /* "{}", "[]", "CoreRangeSet([])", or some */
        p->config->has_hop_cores = false;
        for (size_t i = 0; i < value.len; i++)
            p->config->has_hop_cores |= value.ptr[i] >= '0' && value.ptr[i] <= '9';
        return true;
    case MCAST_IN1:
        p->config->mcast_in0 = false;
        return value.len == 0;
    case IGNORED:
        return true;
    default:
        return set_pair(p, param, value);
    }
}

static ttp_code set_param(struct parsing *p, ttp_str item)
{
    const ttp_str text = ttp_str_trim(item);
    size_t end = ttp_str_find_char(text, '='), i;

    if (text.len == 0)
        return TTP_OK;
    if (end == TTP_NPOS) { /* "subblock 1x2", "M/K/N block 16/4/8", "mcast_in0" */
        for (end = text.len; end > 0 && text.ptr[end - 1] != ' ';)
            end--;
        end = end ? end - 1 : text.len;
    }
    const ttp_str key = ttp_str_trim(ttp_str_slice(text, 0, end));
    const ttp_str value = ttp_str_trim(ttp_str_slice(text, end + 1, text.len));
    for (i = 0; i < TTP_COUNT(params); i++)
        if (ttp_str_eq(key, ttp_str_from(params[i].name)))
            break;
    if (i == TTP_COUNT(params)) {
        (void)refuse(p, key, "unknown parameter of a program config");
        ttp_err_hint(p->err, "for example in0_block_w, out_subblock_h, per_core_M");
        return TTP_EUSAGE;
    }
    if (!(params[i].types & 1U << p->config->type))
        return ttp_fail_at(p->err, TTP_EUSAGE, (size_t)(key.ptr - p->all.ptr),
                           "a %s config has no %s", ttp_config_matmul_type_name(p->config->type),
                           params[i].name);
    if (params[i].param < 32 && params[i].param != IGNORED) {
        if (p->seen & 1U << params[i].param)
            return refuse(p, key, "given twice");
        p->seen |= 1U << params[i].param;
    }
    if (!set_value(p, params[i].param, value))
        return refuse(p, text, "invalid value of the parameter");
    return TTP_OK;
}

/* What is between two parameters, outside all brackets. */
static bool separates(char c, bool bracket)
{
    return bracket ? c == ',' || c == ';' : c == ' ';
}

/* Parameters up to the end, with `,` or `;` between them, or blanks if there is no bracket. */
static ttp_code parse_items(struct parsing *p, ttp_str rest, bool bracket)
{
    size_t from = 0, depth = 0;
    bool closed = !bracket;

    for (size_t i = 0; i <= rest.len; i++) {
        const char c = (char)(i < rest.len ? rest.ptr[i] : '\0');
        const bool opens = c && strchr("({[", c), closes = c && strchr(")}]", c);
        const bool ends = depth == 0 && closes && bracket;

        if (i < rest.len && !ends && (depth > 0 || !separates(c, bracket))) {
            depth += opens;
            if (closes && depth == 0)
                return refuse(p, ttp_str_slice(rest, i, rest.len), "unmatched closing bracket");
            depth -= closes;
            continue;
        }
        if (depth > 0)
            break;
        TTP_TRY(set_param(p, ttp_str_slice(rest, from, i)));
        from = i + 1;
        if (ends) {
            closed = true;
            break;
        }
    }
    return closed && depth == 0 ? TTP_OK : refuse(p, rest, "unmatched opening bracket");
}

/* ---- defaults and what is missing ---- */

static ttp_code complete(struct parsing *p)
{
    struct ttp_matmul_config *c = p->config;
    static const struct {
        unsigned types;
        enum param param;
        const char *name;
    } needed[] = {
        {BLOCKED | TYPE(MINIMAL), GRID, "compute_with_storage_grid_size"},
        {BLOCKED | BANKED, BLOCK_W, "in0_block_w"},
        {BLOCKED, SUBBLOCK_H, "out_subblock_h"},
        {BLOCKED, SUBBLOCK_W, "out_subblock_w"},
        {BLOCKED | BANKED, PER_CORE_M, "per_core_M"},
        {BLOCKED | BANKED, PER_CORE_N, "per_core_N"},
        {TYPE(MINIMAL), M_BLOCK, "M_block_size"},
        {TYPE(MINIMAL), K_BLOCK, "K_block_size"},
        {TYPE(MINIMAL), N_BLOCK, "N_block_size"},
        {TYPE(MINIMAL), MIN_SUBBLOCK_H, "subblock_h"},
        {TYPE(MINIMAL), MIN_SUBBLOCK_W, "subblock_w"},
    };

    for (size_t i = 0; i < TTP_COUNT(needed); i++)
        if ((needed[i].types & 1U << c->type) && !(p->seen & 1U << needed[i].param))
            return ttp_fail_at(p->err, TTP_EUSAGE, p->all.len, "%s of the %s config is missing",
                               needed[i].name, ttp_config_matmul_type_name(c->type));
    if (c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D) {
        if (!(p->seen & 1U << OUT_BLOCK_H))
            c->out_block_h = c->per_core_m;
        if (!(p->seen & 1U << OUT_BLOCK_W))
            c->out_block_w = c->per_core_n;
    }
    return TTP_OK;
}

/* ---- where it begins ---- */

/* What an ops CSV has of it in its attributes: 'program_config': '...'; the text is left alone
 * where it is not such a list. */
static bool find_attribute(ttp_str *text)
{
    static const char *const keys[] = {"'program_config': '", "'config': '"};

    if (text->len == 0 || text->ptr[0] != '{')
        return true;
    for (size_t i = 0; i < TTP_COUNT(keys); i++) {
        const ttp_str key = ttp_str_from(keys[i]);
        const size_t at = ttp_str_find(*text, key);
        ttp_str value;

        if (at == TTP_NPOS)
            continue;
        value = ttp_str_slice(*text, at + key.len, text->len);
        value = ttp_str_slice(value, 0, ttp_str_find_char(value, '\''));
        *text = value;
        return !is_none(value);
    }
    return false;
}

static bool find_type(enum ttp_matmul_type *out, ttp_str name)
{
    for (size_t i = 0; i < TTP_MATMUL_TYPES; i++)
        if (ttp_str_eq_any_case(name, ttp_str_from(type_names[i].name)) ||
            ttp_str_eq(name, ttp_str_from(type_names[i].short_form)) ||
            ttp_str_eq(name, ttp_str_from(type_names[i].class))) {
            *out = (enum ttp_matmul_type)i;
            return true;
        }
    return false;
}

ttp_code ttp_config_parse(struct ttp_matmul_config *out, ttp_str text, struct ttp_err *err)
{
    struct parsing p = {.config = out, .all = text, .err = err};
    size_t end = 0;

    text = ttp_str_trim(text);
    *out = (struct ttp_matmul_config){.fuse_batch = true, .mcast_in0 = true, .receivers = 1};
    if (!find_attribute(&text))
        return ttp_fail(err, TTP_ENOTFOUND, "the attributes have no program config");
    while (end < text.len && (is_word(text.ptr[end]) || text.ptr[end] == '.'))
        end++;
    ttp_str name = ttp_str_slice(text, 0, end);
    for (size_t dot; (dot = ttp_str_find_char(name, '.')) != TTP_NPOS;) /* "ttnn." */
        name = ttp_str_slice(name, dot + 1, name.len);
    if (!find_type(&out->type, name)) {
        (void)refuse(&p, text, "not a program config");
        ttp_err_hint(err, "for example '1d grid=8x8 in0_block_w=2 out_subblock_h=1 "
                          "out_subblock_w=2 per_core_M=1 per_core_N=2', or the Python text");
        return TTP_EUSAGE;
    }
    const ttp_str rest = ttp_str_slice(text, end, text.len);
    const bool bracket = rest.len && rest.ptr[0] == '(';
    TTP_TRY(parse_items(&p, ttp_str_slice(rest, bracket, rest.len), bracket));
    return complete(&p);
}

ttp_str ttp_config_of_attributes(ttp_str attributes, struct ttp_arena *arena)
{
    struct ttp_matmul_config config;
    ttp_str text = ttp_str_trim(attributes);

    if (text.len == 0 || text.ptr[0] != '{' || !find_attribute(&text))
        return (ttp_str){0};
    if (ttp_config_parse(&config, text, NULL) == TTP_OK)
        return ttp_config_text(&config, arena);
    return ttp_arena_copy(arena, text);
}
