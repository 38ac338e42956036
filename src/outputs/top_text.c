/* SPDX-License-Identifier: Apache-2.0 */
/* What boards do right now, as a table and as JSON lines (docs/schemas/tt-perf.top-2.json). */
#include <math.h>
#include <stdio.h>

#include "outputs/cells.h"
#include "outputs/host_members.h"
#include "outputs/outputs.h"
#include "outputs/paint.h"

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

static const char *beat_word(enum ttp_beat beat)
{
    static const char *const words[] = {"-", "ok", "FROZEN"};

    return words[beat];
}

static void put_holders(struct ttp_sink *out, const struct ttp_chip_sample *s)
{
    if (s->nholders == 0)
        ttp_sink_char(out, '-');
    for (size_t i = 0; i < s->nholders && i < 3; i++)
        ttp_sink_printf(out, "%s%d %.*s", i ? ", " : "", s->holder[i].pid,
                        TTP_FMT(s->holder[i].name));
    if (s->nholders > 3)
        ttp_sink_printf(out, " +%zu", s->nholders - 3);
}

static void put_host(struct ttp_sink *out, const struct ttp_host_sample *s)
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
        ttp_sink_printf(out, "%s%s %.2f%s", sep, items[i].name, (double)v / 1000, items[i].unit);
        sep = ", ";
    }
    ttp_sink_char(out, '\n');
}

enum {
    COL_NUMBER,
    COL_BUS,
    COL_BOARD,
    COL_CLOCK,
    COL_TEMP,
    COL_POWER,
    COL_TO,
    COL_FROM,
    COL_BEAT,
    COL_LIMIT,
    COL_HOLDERS,
    COLUMNS
};
static const struct ttp_cell_column columns[COLUMNS] = {
    [COL_NUMBER] = {"N", false, 0},       [COL_BUS] = {"bus", true, 5},
    [COL_BOARD] = {"board", true, 0},     [COL_CLOCK] = {"AICLK MHz", false, 0},
    [COL_TEMP] = {"temp C", false, 0},    [COL_POWER] = {"core W", false, 0},
    [COL_TO] = {"to chip", false, 2},     [COL_FROM] = {"from chip", false, 3},
    [COL_BEAT] = {"beat", true, 4},       [COL_LIMIT] = {"limited", true, 0},
    [COL_HOLDERS] = {"held by", true, 1},
};

static void add_chip(struct ttp_cells *c, const struct ttp_top_view *view, size_t i)
{
    const struct ttp_chip *chip = &view->host->chip[i];
    char text[TTP_OF_MAX];
    struct ttp_chip_view v;
    struct ttp_sink holders;

    ttp_host_chip_view(&v, view->host, view->first, view->before, view->now, i);
    ttp_cells_add_row(c);
    snprintf(text, sizeof(text), "%d", chip->number);
    ttp_cells_set(c, COL_NUMBER, ttp_str_from(text));
    ttp_cells_set(c, COL_BUS, ttp_str_from(chip->bdf));
    ttp_cells_set(c, COL_BOARD, ttp_str_from(chip->board ? chip->board->name : chip->chip));
    ttp_out_of(text, v.clock_mhz, v.clock_max_mhz, 0);
    ttp_cells_set(c, COL_CLOCK, ttp_str_from(text));
    ttp_out_of(text, v.temperature_c, v.temperature_limit_c, 1);
    ttp_cells_set(c, COL_TEMP, ttp_str_from(text));
    ttp_out_of(text, v.power_w, v.power_limit_w, 0);
    ttp_cells_set(c, COL_POWER, ttp_str_from(text));
    ttp_out_rate(text, v.to_chip_bytes_s);
    ttp_cells_set(c, COL_TO, ttp_str_from(text));
    ttp_out_rate(text, v.from_chip_bytes_s);
    ttp_cells_set(c, COL_FROM, ttp_str_from(text));
    ttp_cells_set(c, COL_BEAT, ttp_str_from(beat_word(v.beat)));
    ttp_cells_set(c, COL_LIMIT, ttp_str_from(*v.throttle ? v.throttle : "-"));
    if (view->color && *v.throttle)
        ttp_cells_paint(c, COL_LIMIT, TTP_RED);
    ttp_sink_to_arena(&holders, c->arena);
    put_holders(&holders, &view->now->chip[i]);
    ttp_cells_set(c, COL_HOLDERS, ttp_sink_text(&holders));
}

void ttp_out_top_text(struct ttp_sink *out, const struct ttp_top_view *view,
                      struct ttp_arena *arena)
{
    struct ttp_cells c;

    ttp_cells_init(&c, columns, COLUMNS, arena);
    c.name = COL_HOLDERS;
    c.name_least = 12;
    for (size_t i = 0; i < view->host->nchips; i++)
        add_chip(&c, view, i);
    if (view->host->nchips)
        ttp_cells_text(out, &c, view->width, view->color);
    else
        ttp_sink_own(out, "No Tenstorrent card here.\n");
    for (size_t i = 0; view->live && i < view->live->processes; i++) {
        const struct ttp_top_process *p = &view->live->process[i];

        if (!p->has_memory && p->activity.kind == TTP_ACTIVITY_UNKNOWN)
            continue; /* the table has said who it is */
        ttp_out_top_process(out, view->live, p);
        ttp_sink_char(out, '\n');
    }
    put_host(out, view->now);
}

/* --- JSON lines --- */

static void put_f64(struct ttp_json_writer *w, const char *key, double v)
{
    if (isnan(v))
        return;
    ttp_json_put_key(w, ttp_str_from(key));
    ttp_json_put_f64(w, v);
}

static void put_chip(struct ttp_json_writer *w, const struct ttp_top_view *view, size_t i)
{
    struct ttp_chip_view v;

    ttp_host_chip_view(&v, view->host, view->first, view->before, view->now, i);
    ttp_json_begin_object(w);
    put_f64(w, "aiclk_max_mhz", v.clock_max_mhz);
    put_f64(w, "temperature_limit_c", v.temperature_limit_c);
    put_f64(w, "core_power_limit_w", v.power_limit_w);
    put_f64(w, "pcie_to_chip_bytes_per_s", v.to_chip_bytes_s);
    put_f64(w, "pcie_from_chip_bytes_per_s", v.from_chip_bytes_s);
    if (v.beat != TTP_BEAT_UNKNOWN) {
        ttp_json_put_key(w, TTP_STR("heartbeat_moves"));
        ttp_json_put_bool(w, v.beat == TTP_BEAT_MOVES);
    }
    ttp_json_put_key(w, TTP_STR("limited_by"));
    ttp_json_put_str(w, ttp_str_from(v.throttle));
    ttp_json_put_key(w, TTP_STR("chip"));
    ttp_put_chip(w, &view->host->chip[i], &view->now->chip[i], false);
    ttp_json_end_object(w);
}

void ttp_out_top_json(struct ttp_sink *out, const struct ttp_top_view *view)
{
    struct ttp_json_writer w = {.sink = out};

    ttp_json_begin_object(&w);
    ttp_json_put_key(&w, TTP_STR("schema"));
    ttp_json_put_str(&w, TTP_STR("tt-perf.top/2"));
    ttp_json_put_key(&w, TTP_STR("time_ns"));
    ttp_json_put_u64(&w, view->unix_ns);
    if (view->before) {
        ttp_json_put_key(&w, TTP_STR("interval_ns"));
        ttp_json_put_u64(&w, view->now->time_ns - view->before->time_ns);
    }
    ttp_json_put_key(&w, TTP_STR("machine"));
    ttp_json_begin_object(&w);
    for (int a = 0; a < TTP_HOST_ATTRS; a++) {
        int64_t v;

        if (a == TTP_HOST_GOVERNOR || a == TTP_HOST_EPP ||
            !ttp_reading_number(&view->now->attr[a], &v))
            continue;
        ttp_member_reading(&w, &ttp_host_attrs[a], v);
    }
    ttp_json_end_object(&w);
    ttp_json_put_key(&w, TTP_STR("chips"));
    ttp_json_begin_array(&w);
    for (size_t i = 0; i < view->host->nchips; i++)
        put_chip(&w, view, i);
    ttp_json_end_array(&w);
    if (view->live)
        ttp_out_top_live_members(&w, view->live);
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}
