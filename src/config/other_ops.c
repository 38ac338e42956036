/* SPDX-License-Identifier: Apache-2.0 */
/* other_ops.c - configs of sharded norms, attention and convolutions: rules and L1, no times.
 * Sources in tt-metal: layernorm_device_operation.cpp, sdpa_config.hpp and
 * sdpa_device_operation.cpp, conv2d_utils.cpp. Nothing here was calibrated. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "config/config_rules.h"

static const struct {
    const char *name, *class, *sizes;
    size_t count;
    const char *counted;
} kinds[TTP_OTHERS] = {
    [TTP_OTHER_LAYERNORM] = {"layernorm", "LayerNormShardedMultiCoreProgramConfig", "M K", 2,
                             "an RMSNorm without weights"},
    [TTP_OTHER_SDPA] = {"sdpa", "SDPAProgramConfig", "BATCH HEADS SQ SK D", 5,
                        "attention without a mask"},
    [TTP_OTHER_CONV2D] = {"conv2d", "Conv2dConfig", "ROWS C KH KW CORES", 5, "the activations"},
};

const char *ttp_config_other_name(enum ttp_other_kind kind)
{
    return kinds[kind].name;
}

const char *ttp_config_other_sizes(enum ttp_other_kind kind, size_t *count)
{
    *count = kinds[kind].count;
    return kinds[kind].sizes;
}

const char *ttp_config_other_counted(enum ttp_other_kind kind)
{
    return kinds[kind].counted;
}

/* The number after NAME=; false: it is missing, or no number. */
static bool number_of(ttp_str text, const char *name, uint32_t *out)
{
    const ttp_str key = ttp_str_from(name);
    size_t at = 0, from, end;
    uint64_t v;

    for (;; at = from) {
        const size_t next = ttp_str_find(ttp_str_slice(text, at, text.len), key);

        if (next == TTP_NPOS)
            return false;
        from = at + next + key.len;
        const char before = (char)(at + next ? text.ptr[at + next - 1] : ' ');
        if (from < text.len && text.ptr[from] == '=' &&
            (before == ' ' || before == '(' || before == ';' || before == ','))
            break;
    }
    for (end = from + 1; end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9';)
        end++;
    if (!ttp_str_to_u64(ttp_str_slice(text, from + 1, end), &v) || v > UINT16_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

ttp_code ttp_config_other_parse(struct ttp_other_config *out, enum ttp_other_kind kind,
                                ttp_str text, struct ttp_err *err)
{
    static const struct {
        enum ttp_other_kind kind;
        const char *name;
        size_t at;
    } params[] = {
        {TTP_OTHER_LAYERNORM, "block_h", offsetof(struct ttp_other_config, a)},
        {TTP_OTHER_LAYERNORM, "block_w", offsetof(struct ttp_other_config, b)},
        {TTP_OTHER_LAYERNORM, "subblock_w", offsetof(struct ttp_other_config, c)},
        {TTP_OTHER_SDPA, "q_chunk_size", offsetof(struct ttp_other_config, a)},
        {TTP_OTHER_SDPA, "k_chunk_size", offsetof(struct ttp_other_config, b)},
        {TTP_OTHER_CONV2D, "act_block_h_override", offsetof(struct ttp_other_config, a)},
    };

    *out = (struct ttp_other_config){0};
    for (size_t i = 0; i < TTP_COUNT(params); i++)
        if (params[i].kind == kind &&
            !number_of(text, params[i].name, (uint32_t *)((char *)out + params[i].at))) {
            (void)ttp_fail(err, TTP_EUSAGE, "%s of the %s config is missing or not a number",
                           params[i].name, kinds[kind].name);
            ttp_err_hint(err, "for example '%s=32'", params[i].name);
            return TTP_EUSAGE;
        }
    return TTP_OK;
}

ttp_str ttp_config_other_text(enum ttp_other_kind kind, const struct ttp_other_config *c,
                              struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    switch (kind) {
    case TTP_OTHER_LAYERNORM:
        ttp_sink_printf(&s, "block_h=%u block_w=%u subblock_w=%u", c->a, c->b, c->c);
        break;
    case TTP_OTHER_SDPA:
        ttp_sink_printf(&s, "q_chunk_size=%u k_chunk_size=%u", c->a, c->b);
        break;
    default:
        ttp_sink_printf(&s, "act_block_h_override=%u", c->a);
    }
    return ttp_sink_text(&s);
}

/* ---- rules ---- */

TTP_PRINTF(3, 4)
static bool broken(struct ttp_other_row *out, const char *rule, const char *fmt, ...)
{
    va_list args;

    out->verdict = TTP_CONFIG_BROKEN;
    out->rule = rule;
    va_start(args, fmt);
    (void)vsnprintf(out->reason, sizeof(out->reason), fmt, args);
    va_end(args);
    return false;
}

#define HOLD(holds, rule, ...)                                                                     \
    if (!(holds))                                                                                  \
    return broken(out, rule, __VA_ARGS__)

static bool norm_blocks(struct ttp_other_row *out, const struct ttp_other *p)
{
    const struct ttp_other_config *c = &out->config;
    const uint64_t mt = ttp_ceil_div(p->size[0], 32), kt = ttp_ceil_div(p->size[1], 32);
    const struct ttp_placement *in = &p->in0;
    const uint32_t columns = in->col_major ? in->grid_y : in->grid_x;
    const uint32_t rows = in->col_major ? in->grid_x : in->grid_y;

    if (mt == c->a) { /* all rows on each core */
        HOLD(c->b == ttp_ceil_div(kt, in->cores), "L-W1", "block_w %u is not Kt %llu over %u cores",
             c->b, NUM(kt), in->cores);
        return true;
    }
    if (!columns) {
        out->open = "block_w and block_h against the grid of the shards";
        return true;
    }
    HOLD(c->b == ttp_ceil_div(kt, columns), "L-W2", "block_w %u is not Kt %llu over %u columns",
         c->b, NUM(kt), columns);
    HOLD(c->a == ttp_ceil_div(mt, rows), "L-H2", "block_h %u is not Mt %llu over %u rows", c->a,
         NUM(mt), rows);
    return true;
}

/* How a norm reduces over its cores: all at once, or, where a rectangle of cores shares each row,
 * along one side of it and then along the other. */
struct norm_reduce {
    uint64_t gathered; /* tiles of statistics that a core collects */
    uint64_t rows;     /* tile rows whose statistics one core finishes */
};

static struct norm_reduce reduce_of(const struct ttp_other_row *out, const struct ttp_other *p)
{
    const struct ttp_placement *in = &p->in0;
    const uint64_t mt = ttp_ceil_div(p->size[0], 32), kt = ttp_ceil_div(p->size[1], 32);
    const uint64_t x = in->grid_x, y = in->grid_y, block_h = out->config.a;
    const bool all_rows = mt == block_h;
    const bool full = in->col_major ? y == p->chip.grid_y : y > 1;

    if (all_rows && x == 0) /* the grid is unknown: two stages take least */
        return (struct norm_reduce){1, 1};
    if (all_rows && x * y == in->cores && x > 1 && full)
        return (struct norm_reduce){x + y - 1, ttp_ceil_div(block_h, in->col_major ? y : x)};
    const uint64_t blocks = all_rows ? in->cores : in->col_major ? y : x;
    return (struct norm_reduce){ttp_ceil_div(kt, out->config.b),
                                ttp_ceil_div(block_h, blocks ? blocks : 1)};
}

/* Buffers as sharded_layernorm_factory_helpers.cpp has them: exact for an RMSNorm without weights
 * and residual, not Welford and not over devices. LayerNorm and weights come on top. */
static bool norm_l1(struct ttp_other_row *out, const struct ttp_other *p)
{
    const uint64_t rows = out->config.a, block = rows * out->config.b;
    const uint64_t shards = ttp_is_sharded(&p->out_at) ? 2 : 1;
    const uint64_t between =
        ttp_cost_tile_bytes(p->fp32_acc ? TTP_TILE_F32 : TTP_TILE_BF16, 32, 32);
    const struct norm_reduce reduce = reduce_of(out, p);

    /* the input and its mean removed; partial, own and global squares, those gathered, their roots;
     * the three scalars */
    out->l1_bytes = block * shards * ttp_cost_tile_bytes(p->type, 32, 32) +
                    (2 * block + 3 * rows + reduce.gathered + reduce.rows + 1) * between + 4096;
    out->has_l1 = out->l1_at_least = true;
    HOLD(out->l1_bytes <= out->l1_limit, "L1",
         "a core needs at least %llu bytes of L1 and has %llu", NUM(out->l1_bytes),
         NUM(out->l1_limit));
    return true;
}

static bool check_norm(struct ttp_other_row *out, const struct ttp_other *p)
{
    const struct ttp_other_config *c = &out->config;
    const struct ttp_placement *in = &p->in0;

    HOLD(ttp_is_sharded(in) && in->layout != TTP_LAYOUT_HEIGHT, "L-IN",
         "input 0 must be width or block sharded");
    HOLD(!ttp_is_sharded(&p->out_at) || ttp_same_place(in, &p->out_at), "L-OUT",
         "the output must be in the memory and layout of input 0");
    HOLD(c->a && c->b && c->c, "L-ZERO", "block_h, block_w and subblock_w must not be 0");
    HOLD(c->b % c->c == 0, "L-SUB", "block_w %u is not a multiple of subblock_w %u", c->b, c->c);
    if (!in->has_shard) {
        out->open = "the shard shape of input 0: give --in0-memory ws:HxW:CORES";
        return true;
    }
    HOLD(c->a * 32 == in->height && c->b * 32 == in->width, "L-SHARD",
         "block_h %u x block_w %u tiles are not the shard of %u x %u elements", c->a, c->b,
         in->height, in->width);
    HOLD(in->grid_x <= p->chip.grid_x && in->grid_y <= p->chip.grid_y, "L-GRID",
         "the shards are on %ux%u cores, the device has %ux%u", in->grid_x, in->grid_y,
         p->chip.grid_x, p->chip.grid_y);
    out->cores = in->cores;
    return norm_blocks(out, p) && norm_l1(out, p);
}

/* Tiles of the output's buffer: all of a chunk, or two rows of blocks that take turns. */
static uint64_t sdpa_out_tiles(uint64_t q, uint64_t d, bool fp32)
{
    /* as SDPA tries them, of up to two rows */
    static const struct ttp_subblock tried[] = {{2, 4}, {1, 8}, {1, 7}, {2, 3}, {1, 6}, {1, 5},
                                                {2, 2}, {1, 4}, {1, 3}, {1, 2}, {2, 1}, {1, 1}};
    size_t i = 0;

    if (fp32)
        return q * d;
    while (q % tried[i].h || d % tried[i].w)
        i++;
    const bool two_rows = tried[i].h == 2 || (2 * tried[i].w <= 8 && q >= 2);
    return (two_rows ? 4 : 2) * d;
}

/* Buffers as sdpa_program_factory.cpp has them: exact without mask, attention sink and page
 * table. */
static uint64_t sdpa_l1(const struct ttp_other_row *out, const struct ttp_other *p,
                        bool many_chunks)
{
    const uint64_t q = out->config.a / 32, k = out->config.b / 32, d = ttp_ceil_div(p->size[4], 32);
    const uint64_t tile = ttp_cost_tile_bytes(p->type, 32, 32);
    const uint64_t sums = p->fp32_acc ? 4096 : 2048, half = 2048;
    const uint64_t scalar = p->type == TTP_TILE_F32 ? 4096 : 2048;

    return (q * d * (many_chunks ? 2 : 1) + 4 * k * d + sdpa_out_tiles(q, d, p->fp32_acc)) * tile +
           2 * scalar + (p->fp32_acc ? 0 : half) + (q * k + 2 * q) * sums +
           (2 * q * d + 3 * q) * half;
}

static bool check_sdpa(struct ttp_other_row *out, const struct ttp_other *p)
{
    const struct ttp_other_config *c = &out->config;

    HOLD(c->a && c->a % 32 == 0, "S-Q", "q_chunk_size %u is not a multiple of 32", c->a);
    HOLD(c->b && c->b % 32 == 0, "S-K", "k_chunk_size %u is not a multiple of 32", c->b);
    HOLD(!ttp_is_sharded(&p->in0), "S-INT", "inputs must be interleaved");
    const uint64_t chunks = p->size[0] * p->size[1] * ttp_ceil_div(p->size[2], c->a);
    const uint64_t cores = (uint64_t)p->chip.grid_x * p->chip.grid_y;
    out->cores = (uint32_t)(chunks < cores ? chunks : cores);
    out->l1_bytes = sdpa_l1(out, p, chunks > cores);
    out->has_l1 = out->l1_at_least = true;
    HOLD(out->l1_bytes <= out->l1_limit, "L1",
         "a core needs at least %llu bytes of L1 and has %llu", NUM(out->l1_bytes),
         NUM(out->l1_limit));
    return true;
}

/* The largest divisor of n up to `most`. */
static uint64_t divisor_below(uint64_t n, uint64_t most)
{
    uint64_t d = most < n ? most : n;

    while (d > 1 && n % d != 0)
        d--;
    return d ? d : 1;
}

static bool check_conv(struct ttp_other_row *out, const struct ttp_other *p)
{
    const struct ttp_other_config *c = &out->config;
    const uint64_t height = ttp_ceil_div(ttp_ceil_div(p->size[0], p->size[4]), 32);
    const uint64_t width = ttp_ceil_div(p->size[1] * p->size[3], 32);

    HOLD(c->a % 32 == 0, "C-H", "act_block_h_override %u is not a multiple of 32", c->a);
    const uint64_t used = c->a ? divisor_below(height, c->a / 32) : height;
    (void)snprintf(
        out->note, sizeof(out->note),
        "used: act_block_h %llu of %llu tiles per core%s; act_block_w %llu tiles (height "
        "sharded)",
        NUM(used), NUM(height), c->a && used * 32 != c->a ? ", the next divisor below" : "",
        NUM(width));
    out->cores = (uint32_t)p->size[4];
    out->l1_bytes = 2 * used * width * ttp_cost_tile_bytes(p->type, 32, 32);
    out->has_l1 = out->l1_at_least = true; /* activations alone, double buffered */
    HOLD(out->l1_bytes <= out->l1_limit, "L1",
         "a core needs at least %llu bytes of L1 and has %llu", NUM(out->l1_bytes),
         NUM(out->l1_limit));
    return true;
}

void ttp_config_other_check(struct ttp_other_row *out, const struct ttp_other *p,
                            const struct ttp_other_config *c)
{
    static bool (*const checks[TTP_OTHERS])(struct ttp_other_row *, const struct ttp_other *) = {
        check_norm, check_sdpa, check_conv};
    const uint64_t taken = p->chip.reserved_bytes;

    *out = (struct ttp_other_row){.config = *c, .kind = p->kind, .verdict = TTP_CONFIG_LEGAL};
    out->l1_limit = p->chip.l1_bytes > taken ? p->chip.l1_bytes - taken : 0;
    (void)checks[p->kind](out, p);
    if (out->verdict == TTP_CONFIG_LEGAL && out->open)
        out->verdict = TTP_CONFIG_UNDECIDED;
}

/* ---- proposals: all that is legal of a few sizes, the largest blocks first ---- */

static void add(struct ttp_other_row *rows, size_t *count, size_t max, const struct ttp_other *p,
                const struct ttp_other_config *c)
{
    struct ttp_other_row row;

    ttp_config_other_check(&row, p, c);
    if (row.verdict == TTP_CONFIG_LEGAL && *count < max)
        rows[(*count)++] = row;
}

size_t ttp_config_other_propose(struct ttp_other_row *rows, size_t max, const struct ttp_other *p)
{
    size_t n = 0;

    if (p->kind == TTP_OTHER_LAYERNORM && p->in0.has_shard) {
        struct ttp_other_config c = {.a = (uint32_t)ttp_ceil_div(p->in0.height, 32),
                                     .b = (uint32_t)ttp_ceil_div(p->in0.width, 32)};

        for (c.c = 4; c.c >= 1; c.c--) /* dest registers with fp32 accumulation */
            if (c.b % c.c == 0)
                add(rows, &n, max, p, &c);
    }
    for (uint32_t q = 512; p->kind == TTP_OTHER_SDPA && q >= 32; q /= 2)
        for (uint32_t k = 512; k >= 32; k /= 2)
            if (q < p->size[2] * 2 && k < p->size[3] * 2)
                add(rows, &n, max, p, &(struct ttp_other_config){.a = q, .b = k});
    if (p->kind == TTP_OTHER_CONV2D) {
        const uint64_t height = ttp_ceil_div(ttp_ceil_div(p->size[0], p->size[4]), 32);

        for (uint64_t d = height; d >= 1; d--)
            if (height % d == 0 && d * 32 <= UINT16_MAX)
                add(rows, &n, max, p, &(struct ttp_other_config){.a = (uint32_t)d * 32});
    }
    return n;
}

/* ---- fields ---- */

#define ROW              struct ttp_other_row
#define GET(name, value) TTP_GET(name, struct ttp_config_context, ROW, value)
GET(get_config, ttp_value_text(ttp_config_other_text(r->kind, &r->config, c->arena)))
GET(get_verdict, ttp_value_word(ttp_config_verdict_name(r->verdict)))
GET(get_pct,
    ttp_value_f64(r->has_l1 && r->l1_limit ? 100.0 * (double)r->l1_bytes / (double)r->l1_limit
                                           : NAN))
static const struct ttp_field other_fields[] = {
    TTP_WORDS_COLUMN("config", "Config", 0, .get = get_config, .help = "parameters"),
    TTP_WORDS_COLUMN("verdict", "Verdict", 0, .get = get_verdict,
                     .help = "legal, broken or undecided"),
    TTP_WORDS_COLUMN("rule", "Rule", 0, TTP_FIGURE(ROW, rule), .help = "first rule that is broken"),
    TTP_WORDS_COLUMN("reason", "Reason", 1, TTP_CHARS(ROW, reason),
                     .help = "the reason, with its numbers"),
    TTP_INT_COLUMN("cores", "Cores", "", 3, TTP_FIGURE(ROW, cores), .above_0 = true,
                   .help = "cores that work"),
    TTP_INT_COLUMN("l1_bytes", "L1 at least", "bytes", 0, TTP_FIGURE(ROW, l1_bytes),
                   TTP_KNOWN_IF(ROW, has_l1), .help = "known part of a core's L1 use"),
    TTP_REAL_COLUMN("l1_percent", "L1", "%", 1, 2, .get = get_pct, .help = "share of a core's L1"),
    TTP_WORDS_COLUMN("not_checked", "Not checked", 4, TTP_FIGURE(ROW, open),
                     .help = "what the input is not enough to decide"),
    TTP_WORDS_COLUMN("note", "Note", 5, TTP_CHARS(ROW, note), .help = "the values actually used"),
};

const struct ttp_fields ttp_other_fields = {TTP_FIELDS(other_fields), .hint = "see docs/config.md"};
