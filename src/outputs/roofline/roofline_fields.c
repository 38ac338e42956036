/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_fields.c - the figures of a roofline: roofs, points, and dots of a drawing. */
#include "outputs/roofline/roofline_drawing.h"

/* --- roofs --- */

TTP_GET(get_tflops_peak, struct ttp_report_view, struct ttp_roof,
        r->of_memory ? (struct ttp_value){0} : ttp_value_f64(r->peak))
TTP_GET(get_gbs_peak, struct ttp_report_view, struct ttp_roof,
        r->of_memory ? ttp_value_f64(r->peak) : (struct ttp_value){0})

static const char *const kind_words[] = {"compute", "memory"};
TTP_GET(get_kind, struct ttp_report_view, struct ttp_roof, ttp_value_word(kind_words[r->of_memory]))
static const struct ttp_field roof_fields[] = {
    TTP_WORDS("name", TTP_FIGURE(struct ttp_roof, name),
              .help =
                  "a math fidelity, DRAM, one NoC (DRAM rate over one of two NoCs) or NoC to L1"),
    TTP_WORDS("of", .get = get_kind, .help = "compute or memory"),
    TTP_REAL("peak_tflops", "TFLOPs", 0, .get = get_tflops_peak,
             .help = "of all worker cores together"),
    TTP_REAL("peak_gbs", "GB/s", 0, .get = get_gbs_peak),
    TTP_WORDS("reason", TTP_FIGURE(struct ttp_roof, cause), .help = "reason for its value"),
    TTP_INT("op_count", "", TTP_FIGURE(struct ttp_roof, ops), .help = "points below it"),
};
const struct ttp_fields ttp_roof_fields = {TTP_FIELDS(roof_fields)};

/* --- points --- */

static const struct ttp_op *op_of(const struct ttp_report_view *view,
                                  const struct ttp_roof_point *point)
{
    return &view->report->op[point->op];
}

static struct ttp_value name_of(const struct ttp_report_view *view, uint8_t roof)
{
    return ttp_value_word(view->roofline->roof[roof].name);
}

static struct ttp_value limit_of(const struct ttp_op *op)
{
    return ttp_value_word(ttp_diagnosis_limit_name((enum ttp_limit)op->limit));
}

TTP_GET(get_op_id, struct ttp_report_view, struct ttp_roof_point,
        ttp_value_i64((int64_t)op_of(c, r)->row + 2))
TTP_GET(get_op, struct ttp_report_view, struct ttp_roof_point,
        ttp_value_text(ttp_sym_name(c->report->syms, op_of(c, r)->name)))
TTP_GET(get_time, struct ttp_report_view, struct ttp_roof_point,
        ttp_value_f64(op_of(c, r)->time_us))
TTP_GET(get_compute_roof, struct ttp_report_view, struct ttp_roof_point, name_of(c, r->compute))
TTP_GET(get_memory_roof, struct ttp_report_view, struct ttp_roof_point, name_of(c, r->memory))
TTP_GET(get_held_by, struct ttp_report_view, struct ttp_roof_point, name_of(c, r->held_by))
TTP_GET(get_limit, struct ttp_report_view, struct ttp_roof_point, limit_of(op_of(c, r)))

TTP_GET(get_over_peak, struct ttp_report_view, struct ttp_roof_point,
        r->reached_pct > 100 ? ttp_value_word(c->roofline->roof[r->held_by].name)
                             : (struct ttp_value){0})

#define POINT(member) TTP_FIGURE(struct ttp_roof_point, member)
static const struct ttp_field point_fields[] = {
    TTP_INT_COLUMN("id", "ID", "", 0, .get = get_op_id, .csv_title = "ID", .help = "id of the op"),
    TTP_WORDS_COLUMN("op", "Op", 0, .get = get_op, .csv_title = "OP Code", .help = "name and size"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 0, 0, .get = get_time, .csv_title = "Device Time",
                    .help = "kernel time on the device"),
    TTP_REAL_COLUMN("flop_per_byte", "FLOP/byte", "", -3, 0, POINT(intensity),
                    .csv_title = "FLOP/byte", .help = "work per byte moved"),
    TTP_REAL_COLUMN("tflops", "TFLOPs", "TFLOPs", -3, 0, POINT(tflops), .csv_title = "TFLOPs",
                    .help = "what it reached"),
    TTP_REAL_COLUMN("gbs", "Traffic", "GB/s", 0, 0, POINT(gbs), .csv_title = "GB/s",
                    .help = "what it moved"),
    TTP_WORDS_COLUMN("compute_roof", "Compute Roof", 0, .get = get_compute_roof,
                     .csv_title = "Compute Roof", .help = "math fidelity"),
    TTP_WORDS_COLUMN("memory_roof", "Memory Roof", 0, .get = get_memory_roof,
                     .csv_title = "Memory Roof", .help = "memory of its data"),
    TTP_WORDS_COLUMN("held_by", "Held By", 0, .get = get_held_by, .csv_title = "Held By",
                     .help = "the lower of the two"),
    TTP_REAL_COLUMN("roof_tflops", "Roof", "TFLOPs", -3, 0, POINT(roof_tflops),
                    .csv_title = "Roof TFLOPs", .help = "limit of that roof at this work per byte"),
    TTP_REAL_COLUMN("reached_percent", "Reached", "%", 1, 0, POINT(reached_pct),
                    .csv_title = "Reached %", .help = "of that"),
    TTP_WORDS_COLUMN("limit", "Limit", 0, .get = get_limit, .csv_title = "Limit",
                     .help = "bottleneck of the op"),
    TTP_WORDS_COLUMN("over_peak", "Over Peak", 0, .get = get_over_peak, .csv_title = "Over Peak",
                     .help = "the roof that it seems to exceed, which is wrong: bytes counted "
                             "twice, multicast, another clock or board"),
};
const struct ttp_fields ttp_roof_point_fields = {
    TTP_FIELDS(point_fields), .hint = "tt-perf report --columns help lists them"};

/* --- the whole --- */

#define LINE(member) TTP_FIGURE(struct ttp_roofline, member)
static const struct ttp_field missing_fields[] = {
    TTP_INT("moving_ops", "", LINE(moving), .help = "they only move data"),
    TTP_REAL("moving_us", "us", 0, LINE(moving_us)),
    TTP_INT("unknown_ops", "", LINE(unknown), .help = "work or bytes are unknown"),
    TTP_REAL("unknown_us", "us", 0, LINE(unknown_us)),
};
static const struct ttp_fields missing = {TTP_FIELDS(missing_fields)};

static struct ttp_records list_self(const void *context, const void *row)
{
    return (struct ttp_records){&missing, context, row, sizeof(struct ttp_roofline), 1};
}

static const struct ttp_field line_fields[] = {
    {.id = "roofs", TTP_ROWS_HERE(struct ttp_roofline, roof, roofs, ttp_roof_fields)},
    {.id = "points",
     TTP_ROWS_AT(struct ttp_roofline, point, points, ttp_roof_point_fields),
     .help = "in the order of the ops"},
    TTP_REAL("device_us", "us", 0, LINE(time_us), .help = "of the points together"),
    {.id = "not_drawn", .type = TTP_OBJECT, .sub = &missing, .list = list_self},
};
const struct ttp_fields ttp_roofline_fields = {TTP_FIELDS(line_fields)};

static const struct ttp_part_spec parts[] = {{.id = "points", .fields = &ttp_roof_point_fields}};
const struct ttp_document_spec ttp_roofline_document = {
    .schema = "tt-perf.report/2", /* JSON has them within the report */
    .help = "Points of a roofline",
    TTP_PARTS(parts),
};

/* --- dots --- */

static ttp_str reaches(const struct ttp_report_view *view, const struct ttp_roof_dot *dot)
{
    const struct ttp_roof_point *p = dot->longest;
    struct ttp_sink out;

    ttp_sink_to_arena(&out, view->report->notes.arena);
    if (p->reached_pct < 1)
        ttp_sink_put(&out, TTP_STR("<1"));
    else
        ttp_sink_fixed(&out, p->reached_pct, 0, false);
    ttp_sink_printf(&out, "%s %% of %s", p->reached_pct > 100 ? "!" : "",
                    view->roofline->roof[p->held_by].name);
    return ttp_sink_text(&out);
}

TTP_GET(get_label, struct ttp_report_view, struct ttp_roof_dot,
        ttp_value_text((ttp_str){&r->label, 1}))
TTP_GET(get_share, struct ttp_report_view, struct ttp_roof_dot,
        ttp_value_f64(ttp_out_roof_share(c, r->time_us)))
TTP_GET(get_intensity, struct ttp_report_view, struct ttp_roof_dot,
        ttp_value_f64(r->longest->intensity))
TTP_GET(get_tflops, struct ttp_report_view, struct ttp_roof_dot, ttp_value_f64(r->longest->tflops))
TTP_GET(get_reaches, struct ttp_report_view, struct ttp_roof_dot, ttp_value_text(reaches(c, r)))
TTP_GET(get_dot_limit, struct ttp_report_view, struct ttp_roof_dot, limit_of(op_of(c, r->longest)))
TTP_GET(get_name, struct ttp_report_view, struct ttp_roof_dot,
        ttp_value_text(ttp_out_roof_name(c, r, c->report->notes.arena)))

static const struct ttp_field dot_fields[] = {
    TTP_WORDS_COLUMN("label", "", 0, .get = get_label),
    TTP_REAL_COLUMN("share_percent", "Time", "%", 1, 0, .get = get_share),
    TTP_INT_COLUMN("op_count", "Ops", NULL, 3, TTP_FIGURE(struct ttp_roof_dot, ops)),
    TTP_REAL_COLUMN("flop_per_byte", "FLOP/byte", NULL, -3, 4, .get = get_intensity),
    TTP_REAL_COLUMN("tflops", "TFLOPs", NULL, -3, 2, .get = get_tflops),
    TTP_WORDS_COLUMN("reaches", "Reaches", 0, .get = get_reaches),
    TTP_WORDS_COLUMN("limit", "Limit", 1, .get = get_dot_limit),
    TTP_WORDS_COLUMN("op", "Op", 0, .get = get_name),
};
const struct ttp_fields ttp_roof_dot_fields = {TTP_FIELDS(dot_fields)};
