/* SPDX-License-Identifier: Apache-2.0 */
/* config_fields.c - figures of a config, each declared once. */
#include "config/config_parts.h"

#define ROW     struct ttp_config_row
#define CONTEXT struct ttp_config_context

static struct ttp_value known(bool is_known, struct ttp_value v)
{
    return is_known ? v : (struct ttp_value){0};
}

#define GET(name, value) TTP_GET(name, CONTEXT, ROW, value)
GET(origin, ttp_value_word(ttp_config_origin_name(r->origin)))
GET(line, ttp_value_text(ttp_config_line(&r->config, c->arena)))
GET(config, ttp_value_text(ttp_config_text(&r->config, c->arena)))
GET(type, ttp_value_word(ttp_config_matmul_type_name(r->config.type)))
GET(verdict, ttp_value_word(ttp_config_verdict_name(r->check.verdict)))
GET(bound, known(r->has_time, ttp_value_word(ttp_cost_matmul_bound_name(r->time.bound))))
GET(confidence, known(r->has_time, ttp_value_word(ttp_config_confidence_name(r))))
GET(scale, known(r->scale > 0, ttp_value_f64(r->scale)))
GET(l1_pct, known(r->check.has_l1, ttp_value_f64(ttp_config_l1_pct(&r->check))))
GET(in0, ttp_value_text(ttp_config_placement_text(&r->problem.in0, c->arena)))
GET(in1, ttp_value_text(ttp_config_placement_text(&r->problem.in1, c->arena)))
GET(out_at, ttp_value_text(ttp_config_placement_text(&r->problem.out_at, c->arena)))

/* Of a move for less than the model's error one less. */
const char *ttp_config_confidence_name(const struct ttp_config_row *r)
{
    const enum ttp_confidence c = r->time.confidence;

    return ttp_cost_confidence_name(r->unsure_move && c > TTP_CONFIDENCE_LOW ? c - 1 : c);
}

static struct ttp_value range_text(const ROW *r, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    ttp_sink_fixed(&s, r->time.low_ns / 1e3, 1, false);
    ttp_sink_char(&s, '-');
    ttp_sink_fixed(&s, r->time.high_ns / 1e3, 1, false);
    return ttp_value_text(ttp_sink_text(&s));
}
GET(range, known(r->has_time, range_text(r, c->arena)))

/* A short remark about it. */
static ttp_str note_text(const ROW *r, struct ttp_arena *arena)
{
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    if (r->check.rule)
        ttp_sink_printf(&s, "%s: %s", r->check.rule, r->check.reason);
    if (r->try_it)
        ttp_sink_put(&s, TTP_STR("try"));
    if (r->moves_tensors)
        ttp_sink_printf(&s, "%smoves tensors%s", s.len ? ", " : "",
                        r->unsure_move ? ", gain below the model's error" : "");
    if (r->folds)
        ttp_sink_put(&s, s.len ? TTP_STR(", folds the batch") : TTP_STR("folds the batch"));
    if (r->pads)
        ttp_sink_put(&s, s.len ? TTP_STR(", pads") : TTP_STR("pads"));
    if (r->ties)
        ttp_sink_printf(&s, "%s%zu more within 2 %%", s.len ? ", " : "", r->ties);
    return ttp_sink_text(&s);
}
GET(note, ttp_value_text(note_text(r, c->arena)))

#define TIMED(member) TTP_FIGURE(ROW, time.member), TTP_KNOWN_IF(ROW, has_time), .scale = 0.001
#define OF_L1(member) TTP_FIGURE(ROW, check.member), TTP_KNOWN_IF(ROW, check.has_l1)
static const struct ttp_field fields[] = {
    TTP_WORDS_COLUMN("origin", "Origin", 0, .get = origin,
                     .help = "proposed, in use, default (what ttnn picks) or given"),
    TTP_INT_COLUMN(
        "rank", "Rank", "", 0, TTP_FIGURE(ROW, rank), .above_0 = true,
        .help = "rank by predicted time; configs within 2 % share a rank; one that moves "
                "tensors for a gain below the model's error comes after the best that does not"),
    TTP_WORDS_COLUMN("line", "Config", 0, .get = line, .help = "the config in short"),
    TTP_REAL_COLUMN("predicted_us", "Predicted", "us", 1, 0, TIMED(ns),
                    .help = "device time predicted by the cost model; for an op of a run scaled to "
                            "its measured time"),
    {.id = "range",
     TTP_SHOWN("Range"),
     .unit = "us",
     .type = TTP_TEXT,
     .drop = 2,
     .get = range,
     .help = "range that held nine of ten measured groups of such configs"},
    TTP_REAL("low_us", "us", 1, .title = "Low", TIMED(low_ns), .help = "lower end of the range"),
    TTP_REAL("high_us", "us", 1, .title = "High", TIMED(high_ns), .help = "upper end of the range"),
    TTP_REAL_COLUMN("device_us", "Measured", "us", 1, 0, TTP_FIGURE(ROW, measured_us),
                    .above_0 = true, .help = "time of the op in the run"),
    TTP_WORDS_COLUMN("bound", "Bound", 6, .get = bound,
                     .help = "bottleneck: compute, input 0, input 1, DRAM or write"),
    TTP_INT_COLUMN("cores", "Cores", "", 5, TTP_FIGURE(ROW, check.cores), .above_0 = true,
                   .help = "cores that compute"),
    TTP_REAL_COLUMN("l1_percent", "L1", "%", 1, 4, .get = l1_pct,
                    .help = "share of a core's free L1 that it uses"),
    TTP_INT("l1_bytes", "bytes", .title = "L1 bytes", OF_L1(l1_bytes),
            .help = "circular buffers and shards of a core"),
    TTP_INT("l1_limit_bytes", "bytes", .title = "L1 limit", OF_L1(l1_limit),
            .help = "L1 of a core available for them"),
    TTP_WORDS_COLUMN(
        "confidence", "Confidence", 3, .get = confidence,
        .help =
            "confidence of the prediction: high, medium or low, by the number of such configs that "
            "were measured"),
    TTP_WORDS_COLUMN("note", "Note", 7, .get = note, .help = "remarks"),
    TTP_WORDS("verdict", .title = "Verdict", .get = verdict, .help = "legal, broken or undecided"),
    TTP_WORDS("rule", .title = "Rule", TTP_FIGURE(ROW, check.rule),
              .help = "first rule that is broken"),
    TTP_WORDS("reason", .title = "Reason", TTP_CHARS(ROW, check.reason),
              .help = "the reason, with its numbers"),
    TTP_WORDS("config", .title = "Text", .get = config,
              .help = "the config in the form that tt-perf config check reads"),
    TTP_WORDS("type", .title = "Type", .get = type,
              .help = "multicore, reuse, 2d, 1d, dram, batched or minimal"),
    TTP_WORDS("in0_memory", .title = "Input 0", .get = in0, .help = "where input 0 is"),
    TTP_WORDS("in1_memory", .title = "Weights", .get = in1, .help = "where input 1 is"),
    TTP_WORDS("out_memory", .title = "Output", .get = out_at, .help = "where the output is"),
    TTP_FLAG("moves_tensors", .title = "Moves", TTP_FIGURE(ROW, moves_tensors),
             .help = "input, weights or output must be moved"),
    TTP_FLAG("pads", .title = "Pads", TTP_FIGURE(ROW, pads),
             .help = "the last core's block is partly padding"),
    TTP_FLAG("folds_batch", .title = "Folds", TTP_FIGURE(ROW, folds),
             .help = "batches become rows, so the weights are read once"),
    TTP_FLAG("try", .title = "Try", TTP_FIGURE(ROW, try_it),
             .help = "few such configs were measured: measure before you keep it"),
    TTP_REAL("scale", "", 3, .title = "Scale", .get = scale,
             .help = "measured time over the one predicted for the config in use; predicted times "
                     "are multiplied by it"),
    TTP_INT("ties", "", .title = "Equal", TTP_FIGURE(ROW, ties), .above_0 = true,
            .help = "other configs within 2 % that are not listed"),
};

const struct ttp_fields ttp_config_fields = {TTP_FIELDS(fields), .hint = "see docs/config.md"};
