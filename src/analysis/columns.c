/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "analysis/analysis.h"
#include "analysis/stages.h"

static struct ttp_value none(void)
{
    return (struct ttp_value){.kind = TTP_VALUE_NONE};
}

static struct ttp_value real(const struct ttp_op *op, uint32_t has, double v)
{
    return op->has & has ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}} : none();
}

static struct ttp_value whole(const struct ttp_op *op, uint32_t has, int64_t v)
{
    return op->has & has ? (struct ttp_value){TTP_VALUE_INT, {.i = v}} : none();
}

static struct ttp_value cell(const struct ttp_report *r, struct ttp_cell c)
{
    switch (c.kind) {
    case TTP_CELL_INT:
        return (struct ttp_value){TTP_VALUE_INT, {.i = c.v.i}};
    case TTP_CELL_FLOAT:
        if (fabs(c.v.f) < 0x1p63 &&
            c.v.f == trunc(c.v.f)) /* 64.0 because a cell was empty somewhere: still 64 */
            return (struct ttp_value){TTP_VALUE_INT, {.i = (int64_t)c.v.f}};
        return (struct ttp_value){TTP_VALUE_REAL, {.f = c.v.f}};
    case TTP_CELL_TEXT:
        return ttp_value_text(ttp_sym_name(r->syms, c.v.text));
    default:
        return none();
    }
}

static struct ttp_value number(const struct ttp_report *r, const struct ttp_op *op,
                               enum ttp_ops_number column)
{
    double v;

    return ttp_analysis_cell(r, op, column, &v) ? (struct ttp_value){TTP_VALUE_REAL, {.f = v}}
                                                : none();
}

#define GET(name, expression)                                                                      \
    static struct ttp_value get_##name(const void *context, const void *row)                       \
    {                                                                                              \
        const struct ttp_report *r = context;                                                      \
        const struct ttp_op *op = row;                                                             \
        (void)r;                                                                                   \
        return expression;                                                                         \
    }
GET(id, ((struct ttp_value){TTP_VALUE_INT, {.i = (int64_t)op->row + 2}}))
GET(total_pct, real(op, TTP_HAS_TOTAL, op->total_pct))
GET(bound, ttp_value_word(ttp_diagnosis_limit_name(ttp_analysis_limit(op))))
GET(peak_bound, ttp_value_word(ttp_analysis_bound_name((enum ttp_bound)op->bound)))
GET(code, ttp_value_text(ttp_sym_name(r->syms, op->name)))
static struct ttp_value device(const struct ttp_report *r, const struct ttp_op *op)
{
    if ((op->has & TTP_HAS_DEVICE) && op->device >= 0 && (size_t)op->device < r->ops->devices)
        return ttp_value_text(ttp_sym_name(r->syms, r->ops->device[op->device].name));
    return whole(op, TTP_HAS_DEVICE, op->device);
}
GET(device, device(r, op))
GET(sub_device, ttp_value_text(ttp_sym_name(r->syms, op->sub_device)))
GET(time, real(op, TTP_HAS_TIME, op->time_us))
GET(gap, real(op, TTP_HAS_GAP, op->gap_us))
GET(overlap, real(op, TTP_HAS_OVERLAP, op->overlap_us))
GET(wait, real(op, TTP_HAS_WAIT, op->wait_us))
GET(skew, real(op, TTP_HAS_SKEW, op->skew_us))
GET(last, ttp_value_text(ttp_sym_name(r->syms, op->last)))
static struct ttp_value devices(const struct ttp_report *r, const struct ttp_op *op)
{
    return op->devices
               ? ttp_value_text(ttp_sink_format(r->notes.arena, "%u/%u", op->devices, op->among))
               : none();
}
GET(devices, devices(r, op))
GET(cores, cell(r, op->cores))
GET(available,
    op->kind == TTP_OP_DEVICE ? whole(op, TTP_HAS_AVAILABLE, op->available_cores) : none())
GET(dram, real(op, TTP_HAS_DRAM, op->dram_gbs))
GET(dram_pct, real(op, TTP_HAS_DRAM_PCT, op->dram_pct))
GET(tflops, real(op, TTP_HAS_FLOPS, op->tflops))
GET(flops_pct, real(op, TTP_HAS_FLOPS_PCT, op->flops_pct))
GET(fidelity, ttp_value_text(ttp_sym_name(r->syms, op->fidelity_text)))
GET(out_datatype, ttp_value_text(ttp_sym_name(r->syms, op->out_datatype)))
GET(in0_datatype, ttp_value_text(ttp_sym_name(r->syms, op->in0_datatype)))
GET(in1_datatype, ttp_value_text(ttp_sym_name(r->syms, op->in1_datatype)))
GET(sharded, ttp_ops_sym(r->ops, TTP_OPS_ATTRIBUTES, op->row) == TTP_SYM_MISSING
                 ? none()
                 : ttp_value_bool(op->has & TTP_DRAM_SHARDED))
GET(in0_memory, ttp_value_text(ttp_sym_name(r->syms, op->in0_memory)))
GET(block_w, whole(op, TTP_HAS_BLOCK_W, op->block_w))
GET(subblock_h, whole(op, TTP_HAS_SUBBLOCK_H, op->subblock_h))
GET(subblock_w, whole(op, TTP_HAS_SUBBLOCK_W, op->subblock_w))
GET(calls, cell(r, op->calls))
GET(category, op->kind == TTP_OP_SIGNPOST
                  ? none()
                  : ttp_value_word(ttp_device_category_name((enum ttp_category)op->category)))
GET(analysed, ttp_value_word(ttp_analysis_analysed_name((enum ttp_bound_analysis)op->analysed)))
GET(limit, ttp_value_word(ttp_diagnosis_limit_name((enum ttp_limit)op->limit)))
/* In the arena of the report's notes: computed only if the column is used. */
GET(evidence, ttp_value_text(ttp_analysis_limit_text(r, op, r->notes.arena)))

static struct ttp_value get_ceiling(const void *context, const void *row)
{
    const struct ttp_report *r = context;
    const struct ttp_op *op = row;
    const struct ttp_ceiling ceiling = ttp_analysis_ceiling(r, op);

    return ttp_value_text(ttp_diagnosis_ceiling_text(&ceiling, r->notes.arena));
}

GET(fill, real(op, TTP_HAS_FILL, op->fill_pct))
GET(link, real(op, TTP_HAS_LINK, op->link_gbs))
GET(noc_pct, number(r, op, TTP_OPS_NOC_UTIL))
GET(congestion_pct, number(r, op, TTP_OPS_CONGESTION))
static const char *over_peak(const struct ttp_op *op)
{
    const bool dram = (op->has & TTP_HAS_DRAM_PCT) && op->dram_pct > 100;
    const bool flops = (op->has & TTP_HAS_FLOPS_PCT) && op->flops_pct > 100;

    return dram && flops ? "DRAM, FLOPs" : dram ? "DRAM" : flops ? "FLOPs" : NULL;
}
GET(over_peak, ttp_value_word(over_peak(op)))
GET(hot_link, ttp_value_text(ttp_analysis_text(r, op, TTP_OPS_HOT_LINK)))
GET(location, ttp_value_text(ttp_analysis_text(r, op, TTP_OPS_LOCATION)))
GET(const_eval, ttp_value_text(ttp_analysis_text(r, op, TTP_OPS_CONST_EVAL)))
GET(input_layout, ttp_value_text(ttp_analysis_text(r, op, TTP_OPS_INPUT_LAYOUT)))
GET(program, ttp_value_text(ttp_analysis_text(r, op, TTP_OPS_PROGRAM)))
GET(advice, ttp_value_text(r->advise ? r->advise(r, op) : (ttp_str){0}))
GET(raw_code, ttp_value_text(ttp_sym_name(r->syms, op->raw_code)))

/* --- of a graph capture, see ttp_run_join_memory() --- */

static const struct ttp_op_memory *memory_of(const struct ttp_report *r, const struct ttp_op *op)
{
    static const struct ttp_op_memory none_known = {0};

    return r->ops->memory && op->kind == TTP_OP_DEVICE ? &r->ops->memory[op->row] : &none_known;
}

static struct ttp_value known(bool has, int64_t v)
{
    return has ? ttp_value_i64(v) : (struct ttp_value){0};
}

static struct ttp_value bank_share(const struct ttp_op_memory *m)
{
    return ttp_value_f64(
        m->has && m->has_bank ? 100.0 * (double)m->peak_bytes / (double)m->bank_bytes : NAN);
}

GET(l1_peak, known(memory_of(r, op)->has, memory_of(r, op)->peak_bytes))
GET(l1_pct, bank_share(memory_of(r, op)))
GET(l1_cb, known(memory_of(r, op)->has, memory_of(r, op)->cb_bytes))
GET(l1_stale, known(memory_of(r, op)->has, memory_of(r, op)->stale_bytes))
GET(l1_largest_free, known(memory_of(r, op)->has_free, memory_of(r, op)->largest_free_bytes))
GET(l1_headroom, known(memory_of(r, op)->has_headroom, memory_of(r, op)->headroom_bytes))
GET(l1_mark, ttp_value_word(memory_of(r, op)->estimated ? "~" : NULL))

static const char *const kind_names[] = {"device", "host", "signpost"};
GET(kind, ttp_value_word(kind_names[op->kind]))

/* Names by place: the whole table stays readable as one. */
#define COLUMN(name, heading, of, kind, places, csv, order, table, text, getter, what)             \
    {                                                                                              \
        .id = (name), .title = (heading), .unit = (of), .type = (kind), .digits = (places),        \
        .csv_title = (csv), .drop = (order), .in_table = (table), .left = (text),                  \
        .get = get_##getter, .help = (what)                                                        \
    }
/* Of tt-mlir: other runs have none. */
#define MLIR(name, heading, csv, getter, what)                                                     \
    {                                                                                              \
        .id = (name), .title = (heading), .type = TTP_TEXT, .csv_title = (csv), .drop = 9,         \
        .left = true, .get = get_##getter, .help = (what), .optional = true                        \
    }
/* Of a graph capture: there are values only with one. */
#define MEMORY(name, heading, of, kind, csv, order, getter, what)                                  \
    {                                                                                              \
        .id = (name), .title = (heading), .unit = (of), .type = (kind), .csv_title = (csv),        \
        .drop = (order), .in_table = true, .left = (kind) == TTP_TEXT, .get = get_##getter,        \
        .help = (what), .optional = true                                                           \
    }
/* Of several ranks: other runs have none. */
#define RANKS MEMORY
static const struct ttp_field columns[] = {
    COLUMN("id", "ID", "", TTP_I64, 0, "ID", 0, true, false, id, "line of the op in its file"),
    COLUMN("share_percent", "Total", "%", TTP_F64, 1, "Total %", 0, true, false, total_pct,
           "share of the device time of the window, waits in collectives included"),
    COLUMN("bound", "Bound", "", TTP_TEXT, 0, "Bound", 2, true, true, bound,
           "what limits it: DRAM, FLOP, BOTH, LINK, NOC, GAP, CORES, IMBALANCE, PADDING, READER, "
           "WRITER, COMPUTE, or SLOW if that is not known; HOST for host ops"),
    COLUMN("op", "Op", "", TTP_TEXT, 0, "OP Code", 0, true, true, code, "name and size"),
    COLUMN("device", "Device", "", TTP_I64, 0, "Device", 2, true, false, device,
           "device id; rank:id if there are several ranks"),
    COLUMN("sub_device", "Sub Device", "", TTP_TEXT, 0, "Sub Device ID", 7, true, false, sub_device,
           "sub-device the op ran on"),
    COLUMN("device_us", "Time", "us", TTP_F64, 0, "Device Time", 0, true, false, time,
           "kernel time on the device"),
    COLUMN("gap_us", "Gap", "us", TTP_F64, 0, "Op-to-Op Gap", 1, true, false, gap,
           "time since the previous op; negative if they overlapped"),
    COLUMN("overlap_us", "Overlap", "us", TTP_F64, 0, "Overlap", 7, true, false, overlap,
           "time shared with earlier ops on other sub-devices"),
    COLUMN("wait_us", "Wait", "us", TTP_F64, 0, "Wait", 4, true, false, wait,
           "collectives: mean wait of devices for others; not part of their time"),
    RANKS("skew_us", "Skew", "us", TTP_F64, "Skew", 4, skew,
          "collectives of several ranks: last arrival minus first"),
    RANKS("last", "Last", "", TTP_TEXT, "Last", 5, last,
          "the device that arrived last, in most iterations; empty: too close to call"),
    RANKS("devices", "Dev", "", TTP_TEXT, "Devices", 5, devices,
          "devices that ran the op, of all devices of the ranks"),
    COLUMN("cores", "Cores", "", TTP_I64, 0, "Cores", 3, true, false, cores, "cores the op used"),
    COLUMN("available_cores", "of", "", TTP_I64, 0, "Available Cores", 7, true, false, available,
           "cores the op could have used"),
    COLUMN("dram_gbs", "DRAM", "GB/s", TTP_F64, 0, "DRAM", 5, true, false, dram,
           "DRAM traffic over the kernel time"),
    COLUMN("dram_percent", "DRAM", "%", TTP_F64, 1, "DRAM %", 3, true, false, dram_pct,
           "share of the board's DRAM bandwidth"),
    COLUMN("tflops", "TFLOPs", "TFLOPs", TTP_F64, 1, "FLOPs", 5, true, false, tflops,
           "work over the kernel time"),
    COLUMN("flops_percent", "FLOPs", "%", TTP_F64, 1, "FLOPs %", 3, true, false, flops_pct,
           "share of the peak of the cores used, at the op's fidelity"),
    COLUMN("fidelity", "Math Fidelity", "", TTP_TEXT, 0, "Math Fidelity", 4, true, true, fidelity,
           "math fidelity and datatypes"),
    COLUMN("out_datatype", "Output", "", TTP_TEXT, 0, "Output Datatype", 9, false, true,
           out_datatype, "datatype of output 0"),
    COLUMN("in0_datatype", "Input 0", "", TTP_TEXT, 0, "Input 0 Datatype", 9, false, true,
           in0_datatype, "datatype of input 0"),
    COLUMN("in1_datatype", "Input 1", "", TTP_TEXT, 0, "Input 1 Datatype", 9, false, true,
           in1_datatype, "datatype of input 1"),
    COLUMN("dram_sharded", "DRAM Sharded", "", TTP_BOOL, 0, "DRAM Sharded", 9, false, true, sharded,
           "matmul with a DRAM-sharded program config"),
    COLUMN("in0_memory", "Input 0 Memory", "", TTP_TEXT, 0, "Input 0 Memory", 9, false, true,
           in0_memory, "memory of input 0"),
    COLUMN("block_w", "Block W", "", TTP_I64, 0, "Inner Dim Block Size", 9, false, false, block_w,
           "in0_block_w of the program config"),
    COLUMN("subblock_h", "Subblock H", "", TTP_I64, 0, "Output Subblock H", 9, false, false,
           subblock_h, "out_subblock_h of the program config"),
    COLUMN("subblock_w", "Subblock W", "", TTP_I64, 0, "Output Subblock W", 9, false, false,
           subblock_w, "out_subblock_w of the program config"),
    COLUMN("call_count", "Call", "", TTP_I64, 0, "Global Call Count", 9, false, false, calls,
           "global call count, joins the op to other reports"),
    COLUMN("category", "Category", "", TTP_TEXT, 0, "Op Category", 9, false, true, category,
           "Compute, CCL, TM, DM, Host or Other"),
    COLUMN("bound_analysis", "Analysis", "", TTP_TEXT, 0, "Bound Analysis", 9, false, true,
           analysed, "data available for bounds: full, flops_only, bytes_only or none"),
    COLUMN("peak_bound", "Peak Bound", "", TTP_TEXT, 0, "Peak Bound", 9, false, true, peak_bound,
           "the peak it reaches, as tt-perf-report has it: DRAM, FLOP, BOTH, or SLOW for a matmul "
           "that reaches none; HOST for host ops"),
    COLUMN("limit", "Limit", "", TTP_TEXT, 0, "Limit", 9, false, true, limit,
           "bottleneck: DRAM, FLOP, BOTH, LINK, NOC, HOST, GAP, CORES, IMBALANCE, PADDING, READER, "
           "WRITER, COMPUTE or SLOW"),
    COLUMN("evidence", "Evidence", "", TTP_TEXT, 0, "Evidence", 9, false, true, evidence,
           "evidence for that limit"),
    COLUMN("ceiling", "Ceiling", "", TTP_TEXT, 0, "Ceiling", 9, false, true, ceiling,
           "the op's ceiling, and the reason for it"),
    COLUMN("over_peak", "Over Peak", "", TTP_TEXT, 0, "Over Peak", 9, false, true, over_peak,
           "shares above 100 %, which are wrong: bytes counted twice, multicast, another clock "
           "or board; ignored for bounds"),
    COLUMN("fill_percent", "Fill", "%", TTP_F64, 1, "Fill %", 9, false, false, fill,
           "share of its tensor elements that are not padding"),
    COLUMN("link_gbs", "Link", "GB/s", TTP_F64, 1, "Link", 9, false, false, link,
           "data rate of a collective to other chips"),
    COLUMN("noc_percent", "NoC", "%", TTP_F64, 1, "NoC %", 9, false, false, noc_pct,
           "offered load of NoC links, from NoC traces"),
    COLUMN("congestion_percent", "Congestion", "%", TTP_F64, 1, "Congestion %", 9, false, false,
           congestion_pct, "time lost to NoC congestion, as tt-npe estimates it"),
    COLUMN("hot_link", "Hot Link", "", TTP_TEXT, 0, "Hot Link", 9, false, true, hot_link,
           "NoC link that carried most, and how busy it was"),
    COLUMN("code", "Raw Op Code", "", TTP_TEXT, 0, "Raw OP Code", 9, false, true, raw_code,
           "the unmodified op code"),
    COLUMN("kind", "Kind", "", TTP_TEXT, 0, "Kind", 9, false, true, kind,
           "device, host or signpost"),
    MLIR("location", "Location", "Location", location,
         "location in the model's source, from tt-mlir"),
    MLIR("const_eval", "Const-eval", "Const-eval", const_eval,
         "true: tt-mlir computes a constant with it, once"),
    MLIR("input_layout_conversion", "Input layout", "Input Layout Conversion", input_layout,
         "true: it converts an input to its layout"),
    MLIR("program_metadata", "Program", "Program Metadata", program,
         "program of the tt-mlir binary, and loop"),
    TTP_WORDS("advice", .csv_title = "Advice", .get = get_advice,
              .help = "what to do about a matmul", .optional = true, .title = "Advice", .drop = 9),
    MEMORY("l1_peak_bytes", "L1 Peak", "bytes", TTP_I64, "L1 Peak", 6, l1_peak,
           "most L1 in use per bank while the op ran, from the capture of --mem"),
    MEMORY("l1_mark", "L1 Mark", "", TTP_TEXT, "L1 Mark", 8, l1_mark,
           "~: circular buffers of another launch, or of the capture of a replay"),
    MEMORY("l1_percent", "L1", "%", TTP_F64, "L1 %", 6, l1_pct,
           "share of the bank in use at the peak"),
    MEMORY("l1_cb_bytes", "L1 CB", "bytes", TTP_I64, "L1 CB", 8, l1_cb,
           "at the peak: circular buffers of the fullest core"),
    MEMORY("l1_stale_bytes", "L1 Stale", "bytes", TTP_I64, "L1 Stale", 6, l1_stale,
           "at the peak: used neither by this op nor by a later one"),
    MEMORY("l1_free_bytes", "L1 Largest Free", "bytes", TTP_I64, "L1 Largest Free", 8,
           l1_largest_free, "smallest size of the largest free block"),
    MEMORY("l1_headroom_bytes", "L1 Headroom", "bytes", TTP_I64, "L1 Headroom", 8, l1_headroom,
           "smallest distance between circular buffers and the lowest tensor"),
};

static const struct ttp_field_alias aliases[] = {
    {"time", "device_us"},      {"gap", "gap_us"},   {"overlap", "overlap_us"},
    {"total", "share_percent"}, {"op_code", "code"}, {"available", "available_cores"},
    {"dram", "dram_gbs"},       {"flops", "tflops"}, {"memory", "in0_memory"},
};

const struct ttp_fields ttp_op_fields = {
    .field = columns,
    .count = TTP_COUNT(columns),
    .alias = aliases,
    .aliases = TTP_COUNT(aliases),
    .hint = "tt-perf report --columns help lists them",
};

struct ttp_records ttp_analysis_records(const struct ttp_report *report)
{
    return (struct ttp_records){&ttp_op_fields, report, report->op, sizeof(*report->op),
                                report->count};
}
