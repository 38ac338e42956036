/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/report/window_fields.h"

#include "outputs/outputs.h"

/* ---- the window ---- */

static const struct ttp_field phase_fields[] = {
    TTP_INT("op_count", "", TTP_FIGURE(struct ttp_phase_total, ops)),
    TTP_REAL("device_us", "us", 0, TTP_FIGURE(struct ttp_phase_total, time_us)),
};
static const struct ttp_fields phase = {TTP_FIELDS(phase_fields)};

#define WINDOW       struct ttp_window
#define PHASE(which) TTP_OBJECT_HERE(WINDOW, phase[TTP_PHASE_##which], phase)
static const struct ttp_field phases_fields[] = {
    {.id = "set_up", PHASE(SETUP), .help = "ops that are not part of an iteration"},
    {.id = "cold", PHASE(COLD), .help = "the first run of a program that iterations use"},
    {.id = "capture", PHASE(CAPTURE), .help = "recorded into a trace; its replays ran"},
    {.id = "warm_up", PHASE(WARMUP), .help = "ran before, and is not counted"},
    {.id = "iterations", PHASE(ITERATION), .help = "in the window"},
    {.id = "after", PHASE(AFTER)},
};
static const struct ttp_fields phases = {TTP_FIELDS(phases_fields)};

static struct ttp_records list_phases(const void *context, const void *row)
{
    return (struct ttp_records){&phases, context, row, sizeof(WINDOW), 1};
}

TTP_GET(get_kind, void, WINDOW, ttp_value_word(ttp_analysis_window_kind_name(r->kind)))
TTP_GET(get_wait, void, WINDOW, ((struct ttp_value){0})) /* unknown until ranks are aligned */
TTP_GET(get_first, void, WINDOW,
        r->devices ? ttp_value_i64((int64_t)r->first_row + 2) : (struct ttp_value){0})
TTP_GET(get_last, void, WINDOW,
        r->devices ? ttp_value_i64((int64_t)r->last_row + 2) : (struct ttp_value){0})

#define OF(member) TTP_FIGURE(WINDOW, member)
static const struct ttp_field window_fields[] = {
    TTP_WORDS("kind", .get = get_kind, .help = "replay, range, repetition or whole"),
    TTP_WORDS("name", OF(name), .help = "of the trace or range"),
    TTP_INT("iterations", "", OF(iterations)),
    TTP_INT("warm_up_iterations", "", OF(warmups), .help = "omitted before the window"),
    TTP_REAL("device_us", "us", 1, OF(device_us),
             .help = "device kernel time of one iteration: the mean of all, the median of devices"),
    TTP_REAL("min_us", "us", 1, OF(min_us)),
    TTP_REAL("max_us", "us", 1, OF(max_us)),
    TTP_REAL("min_total_us", "us", 1, OF(min_total_us),
             .help = "of an iteration with the gaps inside"),
    TTP_REAL("max_total_us", "us", 1, OF(max_total_us)),
    TTP_REAL("wait_us", "us", 1, .get = get_wait, .help = "of collectives; null: unknown"),
    TTP_REAL("gap_us", "us", 1, OF(gap_us), .help = "inside an iteration"),
    TTP_REAL("between_us", "us", 1, OF(between_us),
             .help = "median wait between two iterations, if there are at least three"),
    TTP_INT("op_count", "", OF(ops), .help = "of an iteration"),
    TTP_INT("devices", "", OF(devices)),
    TTP_INT("first_id", "", .get = get_first),
    TTP_INT("last_id", "", .get = get_last),
    TTP_REAL("share_percent", "%", 1, OF(share_pct), .help = "of the device time of the run"),
    TTP_REAL("cold_us", "us", 1, OF(cold_s), .scale = 1e6,
             .help = "wait for programs that ran for the first time"),
    TTP_INT("compiled_programs", "", OF(compiled_programs)),
    {.id = "phases", .type = TTP_OBJECT, .list = list_phases, .sub = &phases},
};
const struct ttp_fields ttp_window_fields = {TTP_FIELDS(window_fields)};

/* ---- quality: the place of a check is its name ---- */

#define QUALITY struct ttp_quality
#define ITEM    struct ttp_quality_item
TTP_GET(get_check, QUALITY, ITEM,
        ttp_value_word(ttp_analysis_check_name((enum ttp_quality_check)(r - c->item))))
TTP_GET(get_level, QUALITY, ITEM, ttp_value_word(ttp_analysis_quality_name(r->level)))
TTP_GET(get_verdict, void, QUALITY, ttp_value_word(ttp_analysis_quality_name(r->level)))

static const struct ttp_field check_fields[] = {
    TTP_WORDS("check", .get = get_check),
    TTP_WORDS("level", .get = get_level, .help = "good, unknown, caution or bad"),
    TTP_WORDS("text", TTP_FIGURE(ITEM, text)),
    TTP_WORDS("hint", TTP_FIGURE(ITEM, to_do)),
};
static const struct ttp_fields checks = {TTP_FIELDS(check_fields)};

static struct ttp_records list_checks(const void *context, const void *row)
{
    const struct ttp_quality *q = row;

    (void)context;
    return (struct ttp_records){&checks, q, q->item, sizeof(*q->item), TTP_CHECKS};
}

static const struct ttp_field quality_fields[] = {
    TTP_WORDS("verdict", .get = get_verdict, .help = "good, unknown, caution or bad"),
    {.id = "checks", .type = TTP_ROWS, .list = list_checks, .sub = &checks},
};
const struct ttp_fields ttp_quality_fields = {TTP_FIELDS(quality_fields)};

/* ---- the board during the window ---- */

#define MACHINE struct ttp_machine_use
TTP_GET(get_throttle, void, MACHINE, ttp_value_word(ttp_logs_machine_throttle_name(r->throttle)))

static const struct ttp_field machine_fields[] = {
    TTP_WORDS("bus", TTP_FIGURE(MACHINE, chip), .help = "PCIe address of the board"),
    TTP_REAL("full_clock_mhz", "MHz", 0, TTP_FIGURE(MACHINE, full_mhz)),
    TTP_REAL("mean_clock_mhz", "MHz", 1, TTP_FIGURE(MACHINE, mean_mhz)),
    TTP_REAL("low_clock_mhz", "MHz", 0, TTP_FIGURE(MACHINE, low_mhz),
             .help = "least clock below the full one; 0: it never fell"),
    TTP_REAL("low_clock_percent", "%", 1, TTP_FIGURE(MACHINE, low_pct),
             .help = "share of the window below the full clock"),
    TTP_REAL("clock_loss_percent", "%", 1, TTP_FIGURE(MACHINE, loss_pct),
             .help = "time that the full clock would save, at most"),
    TTP_REAL("power_w", "W", 1, TTP_FIGURE(MACHINE, power_w), .help = "mean core power"),
    TTP_REAL("power_max_w", "W", 1, TTP_FIGURE(MACHINE, power_max_w)),
    TTP_REAL("power_limit_w", "W", 1, TTP_FIGURE(MACHINE, power_limit_w)),
    TTP_REAL("temperature_max_c", "C", 1, TTP_FIGURE(MACHINE, temperature_max_c)),
    TTP_REAL("temperature_limit_c", "C", 1, TTP_FIGURE(MACHINE, heat_limit_c)),
    TTP_INT("thermal_trips", "", TTP_FIGURE(MACHINE, trips), .help = "thermal shutdowns"),
    TTP_WORDS("throttle", .get = get_throttle, .help = "limit: heat, power, current or empty"),
};
const struct ttp_fields ttp_machine_use_fields = {TTP_FIELDS(machine_fields)};

/* ---- ranges ---- */

#define RANGE struct ttp_range
TTP_GET(get_range_first, void, RANGE, ttp_value_i64((int64_t)r->first_row + 2))
TTP_GET(get_range_last, void, RANGE, ttp_value_i64((int64_t)r->last_row + 1))

static const struct ttp_field range_fields[] = {
    TTP_REAL_COLUMN("share_percent", "Share", "%", 1, 0, TTP_FIGURE(RANGE, share_pct),
                    .help = "of the device time of the run, both of all devices"),
    TTP_REAL_COLUMN("device_us", "Time", "us", 1, 0, TTP_FIGURE(RANGE, time_us),
                    .help = "the median over its devices"),
    TTP_REAL_COLUMN("gap_us", "Gaps", "us", 1, 1, TTP_FIGURE(RANGE, gap_us)),
    TTP_INT_COLUMN("op_count", "Ops", "", 0, TTP_FIGURE(RANGE, ops),
                   .help = "of one of its devices: the median"),
    TTP_INT_COLUMN("devices", "Devices", "", 1, TTP_FIGURE(RANGE, devices),
                   .help = "that ran ops in it"),
    TTP_INT_COLUMN("replays", "Replays", "", 2, TTP_FIGURE(RANGE, replays), .above_0 = true),
    TTP_INT_COLUMN("first_id", "First ID", "", 3, .get = get_range_first),
    TTP_INT_COLUMN("last_id", "Last ID", "", 3, .get = get_range_last),
    TTP_WORDS_COLUMN("name", "Range", 0, TTP_FIGURE(RANGE, name)),
    TTP_INT("depth", "", TTP_FIGURE(RANGE, depth), .help = "ranges that it is in"),
    TTP_FLAG("open", TTP_FIGURE(RANGE, open), .help = "single signpost: to the end of the run"),
};
const struct ttp_fields ttp_range_fields = {
    TTP_FIELDS(range_fields), .hint = "tt-perf report --ranges --columns help lists them"};

const size_t *ttp_out_ranges_shown(size_t *count, const struct ttp_ranges *ranges,
                                   struct ttp_arena *arena)
{
    size_t *shown = TTP_NEW(arena, size_t, ranges->count);

    *count = 0;
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->item[i].first_of == i + 1)
            shown[(*count)++] = i;
    return shown;
}

enum { PART_RANGES };
static const struct ttp_part_spec parts[] = {
    [PART_RANGES] = {.id = "ranges", .fields = &ttp_range_fields},
};
const struct ttp_document_spec ttp_signpost_ranges_document = {
    .schema = "tt-perf.ranges/1",
    .help = "Ranges between signposts of a run",
    TTP_PARTS(parts),
    .main = PART_RANGES,
};

/* Names are indented as the ranges nest. */
static bool put_name(ttp_str *text, const void *arg, const struct ttp_field *field, const void *row,
                     struct ttp_arena *arena)
{
    const struct ttp_range *r = row;
    struct ttp_sink out;

    (void)arg;
    if (strcmp(field->id, "name") != 0)
        return false;
    ttp_sink_to_arena(&out, arena);
    ttp_sink_repeat(&out, ' ', (size_t)2 * r->depth);
    ttp_sink_put(&out, r->name);
    if (r->open)
        ttp_sink_own(&out, " (to the end)");
    *text = ttp_sink_text(&out);
    return true;
}

static void put_body(const struct ttp_show *show, const void *arg, size_t part,
                     const struct ttp_table *table)
{
    struct ttp_table tree = *table;

    (void)arg, (void)part;
    if (table->count == 0) {
        ttp_sink_own(show->out, "no ranges: the run has no signposts, or none before an op\n");
        return;
    }
    tree.cell = put_name;
    ttp_show_table(show, &tree);
}

ttp_code ttp_out_signpost_ranges(const struct ttp_show *show, const struct ttp_ranges *ranges,
                                 struct ttp_err *err)
{
    const struct ttp_page page = {.body = put_body};
    struct ttp_document doc;
    size_t count;

    ttp_document_init(&doc, &ttp_signpost_ranges_document, show->arena);
    ttp_document_rows(&doc, PART_RANGES, NULL, ranges->item, ranges->count);
    const size_t *shown = ttp_out_ranges_shown(&count, ranges, show->arena);
    ttp_document_choose(&doc, PART_RANGES, shown, count);
    return ttp_show_document(show, &doc, &page, err);
}
