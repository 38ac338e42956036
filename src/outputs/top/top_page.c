/* SPDX-License-Identifier: Apache-2.0 */
/* top_page.c - the current state of the boards. */
#include <math.h>
#include <stdio.h>

#include "outputs/host/host_fields.h"
#include "outputs/outputs.h"
#include "outputs/top/top_metrics.h"
#include "outputs/top/top_processes.h"

void ttp_out_rate(char *out, double bytes_s)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    size_t unit = 0;

    if (!(bytes_s >= 0)) {
        snprintf(out, TTP_RATE_MAX, "-");
        return;
    }
    while (bytes_s >= 999.5 && unit + 1 < TTP_COUNT(units)) {
        bytes_s /= 1000;
        unit++;
    }
    snprintf(out, TTP_RATE_MAX, bytes_s < 10 && unit ? "%.1f %s" : "%.0f %s", bytes_s, units[unit]);
}

void ttp_out_of(char *out, double now, double limit, int digits)
{
    if (isnan(now))
        snprintf(out, TTP_OF_MAX, "-");
    else if (isnan(limit))
        snprintf(out, TTP_OF_MAX, "%.*f", digits, now);
    else
        snprintf(out, TTP_OF_MAX, "%.*f/%.0f", digits, now, limit);
}

static void put_holders(struct ttp_sink *out, const struct ttp_chip_sample *s)
{
    for (size_t i = 0; i < s->nholders && i < 3; i++)
        ttp_sink_printf(out, "%s%d %.*s", i ? ", " : "", s->holder[i].pid,
                        TTP_FMT(s->holder[i].name));
    if (s->nholders > 3)
        ttp_sink_printf(out, " +%zu", s->nholders - 3);
}

static void put_load(const struct ttp_show *show, const struct ttp_host_sample *s)
{
    static const struct {
        enum ttp_host_attr attr;
        const char *name, *unit;
    } items[] = {{TTP_HOST_LOAD_1, "load", ""},
                 {TTP_HOST_PSI_CPU, "waiting for cpu", " %"},
                 {TTP_HOST_PSI_MEMORY, "memory", " %"},
                 {TTP_HOST_PSI_IO, "io", " %"}};
    const char *sep = "";

    for (size_t i = 0; i < TTP_COUNT(items); i++) {
        int64_t v;

        if (!ttp_reading_number(&s->attr[items[i].attr], &v))
            continue;
        ttp_sink_printf(show->out, "%s%s %.2f%s", sep, items[i].name, (double)v / 1000,
                        items[i].unit);
        sep = ", ";
    }
    ttp_sink_char(show->out, '\n');
}

static void put_foot(const struct ttp_show *show, const void *arg)
{
    const struct ttp_top_view *view = arg;

    for (size_t i = 0; i < view->live->processes; i++) {
        const struct ttp_top_process *p = &view->live->process[i];

        if (!p->has_memory && p->activity.kind == TTP_ACTIVITY_UNKNOWN)
            continue; /* the table identifies it */
        ttp_out_top_process(show->out, view->live, p);
        ttp_sink_char(show->out, '\n');
    }
    for (size_t i = 0; i < view->live->busies; i++) {
        ttp_out_top_busy(show->out, &view->live->busy[i]);
        ttp_sink_char(show->out, '\n');
    }
    if (view->live->attached_pid && view->live->busies == 0)
        ttp_sink_printf(show->out,
                        "attached to process %lld: no program on any chip since the last sample\n",
                        (long long)view->live->attached_pid);
    put_load(show, view->now);
}

/* --- one row for each chip --- */

struct row {
    struct ttp_chip_view v;
    const struct ttp_chip *chip;
    ttp_str held_by;
};

TTP_GET(get_board, void, struct row,
        ttp_value_word(r->chip->board ? r->chip->board->name : r->chip->chip))
TTP_GET(get_bus, void, struct row, ttp_value_word(r->chip->bdf))
TTP_GET(get_number, void, struct row,
        r->chip->number < 0 ? (struct ttp_value){0} : ttp_value_i64(r->chip->number))
TTP_GET(get_beat, void, struct row,
        r->v.beat == TTP_BEAT_UNKNOWN ? (struct ttp_value){0}
                                      : ttp_value_bool(r->v.beat == TTP_BEAT_MOVES))

static enum ttp_tone bad_tone(const void *context, const void *row)
{
    (void)context, (void)row;
    return TTP_TONE_BAD;
}

static struct ttp_records list_chip(const void *context, const void *row)
{
    const struct ttp_chip *chip = ((const struct row *)row)->chip;

    return (struct ttp_records){&ttp_chip_fields, context, chip, sizeof(*chip), 1};
}

TTP_GET(get_to_chip, void, struct row, ttp_value_f64(r->v.to_chip_bytes_s / 1e9))
TTP_GET(get_from_chip, void, struct row, ttp_value_f64(r->v.from_chip_bytes_s / 1e9))

#define VIEW(member) TTP_FIGURE(struct row, v.member)
static const struct ttp_field row_fields[] = {
    TTP_INT_COLUMN("number", "N", "", 0, .get = get_number, .help = "N of /dev/tenstorrent/N"),
    TTP_WORDS_COLUMN("bdf", "Bus", 5, .get = get_bus, .help = "bus address"),
    TTP_WORDS_COLUMN("board", "Board", 0, .get = get_board),
    TTP_REAL_COLUMN("aiclk_mhz", "AICLK", "MHz", 0, 0, VIEW(clock_mhz), .help = "AI clock"),
    TTP_REAL("aiclk_max_mhz", "MHz", 0, VIEW(clock_max_mhz), .help = "fastest it may be"),
    TTP_REAL_COLUMN("temperature_c", "Temp", "C", 1, 0, VIEW(temperature_c)),
    TTP_REAL("temperature_limit_c", "C", 0, VIEW(temperature_limit_c), .help = "it throttles"),
    TTP_REAL_COLUMN("core_power_w", "Core", "W", 0, 0, VIEW(power_w), .help = "not the board's"),
    TTP_REAL("core_power_limit_w", "W", 0, VIEW(power_limit_w)),
    TTP_REAL_COLUMN("pcie_to_chip_gbs", "To Chip", "GB/s", 3, 2, .get = get_to_chip,
                    .help = "over PCIe"),
    TTP_REAL_COLUMN("pcie_from_chip_gbs", "From Chip", "GB/s", 3, 3, .get = get_from_chip,
                    .help = "over PCIe"),
    TTP_FLAG("heartbeat_moves", .title = "Beat", .drop = 4, .in_table = true, .get = get_beat,
             .help = "of the firmware"),
    TTP_WORDS_COLUMN("limited_by", "Limited", 0, VIEW(throttle), .tone = bad_tone,
                     .help = "heat, power or current"),
    TTP_WORDS_COLUMN("held_by", "Held By", 1, TTP_FIGURE(struct row, held_by), .table_only = true,
                     .help = "processes that have it open"),
    {.id = "chip", .type = TTP_OBJECT, .sub = &ttp_chip_fields, .list = list_chip},
};
static const struct ttp_fields rows = {TTP_FIELDS(row_fields),
                                       .hint = "tt-perf top --columns help lists them"};

/* Figures next to their limits. */
static bool put_cell(ttp_str *text, const void *arg, const struct ttp_field *field, const void *row,
                     struct ttp_arena *arena)
{
    const struct ttp_chip_view *v = &((const struct row *)row)->v;
    const struct {
        const char *id;
        double now, limit;
        int digits;
    } cells[] = {{"aiclk_mhz", v->clock_mhz, v->clock_max_mhz, 0},
                 {"temperature_c", v->temperature_c, v->temperature_limit_c, 1},
                 {"core_power_w", v->power_w, v->power_limit_w, 0}};
    char cell[TTP_OF_MAX];

    (void)arg;
    for (size_t i = 0; i < TTP_COUNT(cells); i++) {
        if (strcmp(field->id, cells[i].id) != 0)
            continue;
        ttp_out_of(cell, cells[i].now, cells[i].limit, cells[i].digits);
        *text = ttp_arena_copy(arena, ttp_str_from(cell));
        return true;
    }
    if (field->get == get_beat && v->beat == TTP_BEAT_FROZEN) {
        *text = TTP_STR("FROZEN");
        return true;
    }
    return false;
}

/* --- the document --- */

TTP_GET(get_interval, void, struct ttp_top_view,
        r->before ? ttp_value_i64((int64_t)(r->now->time_ns - r->before->time_ns))
                  : (struct ttp_value){0})

static const struct ttp_field view_fields[] = {
    TTP_INT("time_ns", "ns", TTP_FIGURE(struct ttp_top_view, unix_ns), .help = "since 1970, UTC"),
    TTP_INT("interval_ns", "ns", .get = get_interval, .optional = true,
            .help = "since the previous sample; absent in the first"),
    {.id = "machine", TTP_OBJECT_AT(struct ttp_top_view, now, ttp_load_fields)},
};
static const struct ttp_fields view_figures = {TTP_FIELDS(view_fields)};

enum { PART_VIEW, PART_CHIPS, PART_MEMORY, PART_ACTIVITY, PART_BUSY };
static const struct ttp_part_spec parts[] = {
    [PART_VIEW] = {.kind = TTP_PART_DATA, .fields = &view_figures, .json_only = true},
    [PART_CHIPS] = {.id = "chips", .fields = &rows},
    [PART_MEMORY] = {.id = "memory",
                     .fields = &ttp_top_memory_fields,
                     .json_only = true,
                     .help = "counters of tt-metal's allocator, per chip"},
    [PART_ACTIVITY] = {.id = "activity",
                       .fields = &ttp_top_activity_fields,
                       .json_only = true,
                       .help = "memory and activity of each process"},
    [PART_BUSY] = {.id = "busy",
                   .fields = &ttp_top_busy_fields,
                   .json_only = true,
                   .optional = true,
                   .help = "of --attach: what ran on each chip since the last sample"},
};
const struct ttp_document_spec ttp_top_document = {
    .schema = "tt-perf.top/2",
    .help = "Current state of the boards; --format ndjson prints one per sample",
    TTP_PARTS(parts),
    .main = PART_CHIPS,
};

static void put_chips(const struct ttp_show *show, const void *arg, size_t part,
                      const struct ttp_table *table)
{
    struct ttp_table t = *table;

    (void)arg, (void)part;
    t.cell = put_cell;
    if (t.rows->count)
        ttp_show_table(show, &t);
    else
        ttp_sink_own(show->out, "No Tenstorrent card found.\n");
}

ttp_code ttp_out_top(const struct ttp_show *show, const struct ttp_top_view *view,
                     struct ttp_err *err)
{
    const struct ttp_page page = {.arg = view, .body = put_chips, .foot = put_foot};
    const struct ttp_chip_context chips = {view->host, view->now};
    struct row *row = TTP_NEW(show->arena, struct row, view->host->nchips);
    struct ttp_show form = *show;
    struct ttp_document doc;

    if (show->form == TTP_FORM_PROMETHEUS) {
        ttp_top_metrics_put(show->out, view, show->arena);
        return TTP_OK;
    }
    for (size_t i = 0; i < view->host->nchips; i++) {
        struct ttp_sink holders;

        row[i].chip = &view->host->chip[i];
        ttp_host_chip_view(&row[i].v, view->host, view->first,
                           (struct ttp_host_interval){view->before, view->now}, i);
        ttp_sink_to_arena(&holders, show->arena);
        put_holders(&holders, &view->now->chip[i]);
        row[i].held_by = ttp_sink_text(&holders);
    }
    if (form.form == TTP_FORM_NDJSON)
        form.form = TTP_FORM_JSON; /* a document is one line */
    ttp_document_init(&doc, &ttp_top_document, show->arena);
    ttp_document_object(&doc, PART_VIEW, NULL, view);
    ttp_document_rows(&doc, PART_CHIPS, &chips, row, view->host->nchips);
    ttp_document_rows(&doc, PART_MEMORY, NULL, view->live->file, view->live->files);
    ttp_document_rows(&doc, PART_ACTIVITY, NULL, view->live->process, view->live->processes);
    if (view->live->attached_pid)
        ttp_document_rows(&doc, PART_BUSY, NULL, view->live->busy, view->live->busies);
    return ttp_show_document(&form, &doc, &page, err);
}
