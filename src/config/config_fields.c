/* SPDX-License-Identifier: Apache-2.0 */
/* config_fields.c - figures of a config, each declared once. */
#include "config/config_parts.h"

#define ROW  const struct ttp_config_row *r = row
#define NONE ((struct ttp_value){.kind = TTP_VALUE_NONE})

static struct ttp_value text(ttp_str v)
{
    return (struct ttp_value){TTP_VALUE_TEXT, {.text = v}};
}

static struct ttp_value real(bool known, double v)
{
    return known ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}} : NONE;
}

static struct ttp_value whole(bool known, uint64_t v)
{
    return known ? (struct ttp_value){TTP_VALUE_INT, {.i = (int64_t)v}} : NONE;
}

static struct ttp_value truth(bool v)
{
    return (struct ttp_value){TTP_VALUE_BOOL, {.text = v ? TTP_STR("True") : TTP_STR("False")}};
}

static struct ttp_arena *arena_of(const void *context)
{
    return ((const struct ttp_config_context *)context)->arena;
}

#define GET(name, value)                                                                           \
    static struct ttp_value name(const void *context, const void *row)                             \
    {                                                                                              \
        ROW;                                                                                       \
        (void)context;                                                                             \
        return value;                                                                              \
    }

GET(origin, text(ttp_str_from(ttp_config_origin_name(r->origin))))
GET(rank, whole(r->rank > 0, r->rank))
GET(line, text(ttp_config_line(&r->config, arena_of(context))))
GET(config, text(ttp_config_text(&r->config, arena_of(context))))
GET(type, text(ttp_str_from(ttp_matmul_type_name(r->config.type))))
GET(verdict, text(ttp_str_from(ttp_config_verdict_name(r->check.verdict))))
GET(rule, r->check.rule ? text(ttp_str_from(r->check.rule)) : NONE)
GET(reason, r->check.rule ? text(ttp_str_from(r->check.reason)) : NONE)
GET(predicted, real(r->has_time, r->time.ns / 1e3))
GET(low, real(r->has_time, r->time.low_ns / 1e3))
GET(high, real(r->has_time, r->time.high_ns / 1e3))
GET(measured, real(r->measured_us > 0, r->measured_us))
GET(bound, r->has_time ? text(ttp_str_from(ttp_matmul_bound_name(r->time.bound))) : NONE)
GET(confidence, r->has_time ? text(ttp_str_from(ttp_confidence_name(r->time.confidence))) : NONE)
GET(cores, whole(r->check.cores > 0, r->check.cores))
GET(l1_bytes, whole(r->check.has_l1, r->check.l1_bytes))
GET(l1_limit, whole(r->check.has_l1, r->check.l1_limit))
GET(l1_pct, real(r->check.has_l1, ttp_config_l1_pct(&r->check)))
GET(moves, truth(r->moves_tensors))
GET(pads, truth(r->pads))
GET(folds, truth(r->folds))
GET(try_it, truth(r->try_it))
GET(ties, whole(r->ties > 0, r->ties))
GET(in0, text(ttp_placement_text(&r->problem.in0, arena_of(context))))
GET(in1, text(ttp_placement_text(&r->problem.in1, arena_of(context))))
GET(out_at, text(ttp_placement_text(&r->problem.out_at, arena_of(context))))

static struct ttp_value range(const void *context, const void *row)
{
    ROW;
    struct ttp_sink s;

    if (!r->has_time)
        return NONE;
    ttp_sink_to_arena(&s, arena_of(context));
    ttp_sink_fixed(&s, r->time.low_ns / 1e3, 1, false);
    ttp_sink_char(&s, '-');
    ttp_sink_fixed(&s, r->time.high_ns / 1e3, 1, false);
    return text(ttp_sink_text(&s));
}

/* What to know of it in a word or two. */
static struct ttp_value note(const void *context, const void *row)
{
    ROW;
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena_of(context));
    if (r->check.rule)
        ttp_sink_printf(&s, "%s: %s", r->check.rule, r->check.reason);
    if (r->try_it)
        ttp_sink_put(&s, TTP_STR("try"));
    if (r->moves_tensors)
        ttp_sink_put(&s, s.len ? TTP_STR(", moves tensors") : TTP_STR("moves tensors"));
    if (r->folds)
        ttp_sink_put(&s, s.len ? TTP_STR(", folds the batch") : TTP_STR("folds the batch"));
    if (r->pads)
        ttp_sink_put(&s, s.len ? TTP_STR(", pads") : TTP_STR("pads"));
    if (r->ties)
        ttp_sink_printf(&s, "%s%zu equal", s.len ? ", " : "", r->ties);
    return s.len ? text(ttp_sink_text(&s)) : NONE;
}

#define FIELD(id_, title_, unit_, type_, digits_, drop_, in_table_, left_, get_, help_)            \
    {                                                                                              \
        .id = (id_), .title = (title_), .unit = (unit_), .type = (type_), .digits = (digits_),     \
        .drop = (drop_), .in_table = (in_table_), .left = (left_), .get = (get_), .help = (help_)  \
    }
static const struct ttp_field fields[] = {
    FIELD("origin", "Origin", "", TTP_TEXT, 0, 0, true, true, origin,
          "proposed, in use, default (what ttnn picks) or given"),
    FIELD("rank", "Rank", "", TTP_I64, 0, 0, true, false, rank,
          "rank by predicted time; configs within 2 % share a rank"),
    FIELD("line", "Config", "", TTP_TEXT, 0, 0, true, true, line, "the config in short"),
    FIELD("predicted_us", "Predicted", "us", TTP_F64, 1, 0, true, false, predicted,
          "device time predicted by the cost model"),
    FIELD("range", "Range", "us", TTP_TEXT, 0, 5, true, false, range,
          "range that held nine of ten measured groups of such configs"),
    FIELD("low_us", "Low", "us", TTP_F64, 1, 0, false, false, low, "lower end of the range"),
    FIELD("high_us", "High", "us", TTP_F64, 1, 0, false, false, high, "upper end of the range"),
    FIELD("measured_us", "Measured", "us", TTP_F64, 1, 0, true, false, measured,
          "time of the op in the run"),
    FIELD("bound", "Bound", "", TTP_TEXT, 0, 4, true, true, bound,
          "bottleneck: compute, input 0, input 1, DRAM or write"),
    FIELD("cores", "Cores", "", TTP_I64, 0, 3, true, false, cores, "cores that compute"),
    FIELD("l1_pct", "L1", "%", TTP_F64, 1, 2, true, false, l1_pct,
          "share of a core's free L1 that it uses"),
    FIELD("l1_bytes", "L1 bytes", "bytes", TTP_I64, 0, 0, false, false, l1_bytes,
          "circular buffers and shards of a core"),
    FIELD("l1_limit_bytes", "L1 limit", "bytes", TTP_I64, 0, 0, false, false, l1_limit,
          "L1 of a core available for them"),
    FIELD("confidence", "Confidence", "", TTP_TEXT, 0, 6, true, true, confidence,
          "confidence of the prediction: high, medium or low, by the number of such configs that "
          "were measured"),
    FIELD("note", "Note", "", TTP_TEXT, 0, 7, true, true, note, "remarks"),
    FIELD("verdict", "Verdict", "", TTP_TEXT, 0, 0, false, true, verdict,
          "legal, broken or undecided"),
    FIELD("rule", "Rule", "", TTP_TEXT, 0, 0, false, true, rule, "first rule that is broken"),
    FIELD("reason", "Reason", "", TTP_TEXT, 0, 0, false, true, reason,
          "the reason, with its numbers"),
    FIELD("config", "Text", "", TTP_TEXT, 0, 0, false, true, config,
          "the config in the form that tt-perf config check reads"),
    FIELD("type", "Type", "", TTP_TEXT, 0, 0, false, true, type,
          "multicore, reuse, 2d, 1d, dram, batched or minimal"),
    FIELD("in0_memory", "Input 0", "", TTP_TEXT, 0, 0, false, true, in0, "where input 0 is"),
    FIELD("weights_memory", "Weights", "", TTP_TEXT, 0, 0, false, true, in1, "where input 1 is"),
    FIELD("out_memory", "Output", "", TTP_TEXT, 0, 0, false, true, out_at, "where the output is"),
    FIELD("moves_tensors", "Moves", "", TTP_BOOL, 0, 0, false, true, moves,
          "input, weights or output must be moved"),
    FIELD("pads", "Pads", "", TTP_BOOL, 0, 0, false, true, pads,
          "the last core's block is partly padding"),
    FIELD("folds_batch", "Folds", "", TTP_BOOL, 0, 0, false, true, folds,
          "batches become rows, so the weights are read once"),
    FIELD("try", "Try", "", TTP_BOOL, 0, 0, false, true, try_it,
          "few such configs were measured: measure before you keep it"),
    FIELD("ties", "Equal", "", TTP_I64, 0, 0, false, false, ties,
          "other configs within 2 % that are not listed"),
};

const struct ttp_fields ttp_config_fields = {
    .field = fields,
    .count = TTP_COUNT(fields),
    .hint = "see docs/config.md",
};
