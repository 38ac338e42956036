/* SPDX-License-Identifier: Apache-2.0 */
/* What boards do right now, as a table and as JSON lines (docs/schemas/tt-perf.top-1.json). */
#include <math.h>
#include <stdio.h>

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
        const char *name;
    } items[] = {{TTP_HOST_LOAD_1, "load"},
                 {TTP_HOST_PSI_CPU, "waiting for cpu %"},
                 {TTP_HOST_PSI_MEMORY, "memory %"},
                 {TTP_HOST_PSI_IO, "io %"}};
    const char *sep = "";

    for (size_t i = 0; i < TTP_COUNT(items); i++) {
        int64_t v;

        if (!ttp_reading_number(&s->attr[items[i].attr], &v))
            continue;
        ttp_sink_printf(out, "%s%s %.2f", sep, items[i].name, (double)v / 1000);
        sep = ", ";
    }
    ttp_sink_char(out, '\n');
}

void ttp_out_top_text(struct ttp_sink *out, const struct ttp_top_view *view)
{
    if (view->host->nchips)
        ttp_sink_printf(out, "%2s  %-12s  %-16s  %11s  %9s  %9s  %9s  %9s  %-6s  %-7s  %s\n", "N",
                        "bus", "board", "AICLK MHz", "temp C", "core W", "to chip", "from chip",
                        "beat", "limited", "held by");
    else
        ttp_sink_put(out, TTP_STR("No Tenstorrent card here.\n"));
    for (size_t i = 0; i < view->host->nchips; i++) {
        const struct ttp_chip *chip = &view->host->chip[i];
        char clock[TTP_OF_MAX], temp[TTP_OF_MAX], power[TTP_OF_MAX];
        char to[TTP_RATE_MAX], from[TTP_RATE_MAX];
        struct ttp_chip_view v;

        ttp_host_chip_view(&v, view->host, view->first, view->before, view->now, i);
        ttp_out_of(clock, v.clock_mhz, v.clock_max_mhz, 0);
        ttp_out_of(temp, v.temperature_c, v.temperature_limit_c, 1);
        ttp_out_of(power, v.power_w, v.power_limit_w, 0);
        ttp_out_rate(to, v.to_chip_bytes_s);
        ttp_out_rate(from, v.from_chip_bytes_s);
        ttp_sink_printf(out, "%2d  %-12s  %-16s  %11s  %9s  %9s  %9s  %9s  ", chip->number,
                        chip->bdf, chip->board ? chip->board->name : chip->chip, clock, temp, power,
                        to, from);
        ttp_sink_printf(out, "%-6s  ", beat_word(v.beat));
        if (view->color && *v.throttle)
            ttp_paint_themed(out, TTP_RED, ttp_str_from(v.throttle));
        else
            ttp_sink_put(out, ttp_str_from(*v.throttle ? v.throttle : "-"));
        ttp_sink_repeat(out, ' ', 9 - (*v.throttle ? strlen(v.throttle) : 1));
        put_holders(out, &view->now->chip[i]);
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
    ttp_json_put_str(&w, TTP_STR("tt-perf.top/1"));
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
    ttp_json_end_object(&w);
    ttp_sink_char(out, '\n');
}
