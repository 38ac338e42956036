/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics under the names that the vendor's tt-telemetry uses, where it has one; those it lacks
 * begin with tt_perf_. docs/formats/prometheus.md lists them. */
#include "base/gate.h"
#include "outputs/doctor/doctor_parts.h"

struct metric {
    const char *name, *help;
    int divisor;
    enum ttp_chip_attr attr;
    bool counter;
};

static const struct metric metrics[] = {
    {"tt_ai_clock_mhz", "AI clock", 1, TTP_CHIP_AICLK_MHZ, false},
    {"tt_axi_clock_mhz", "AXI clock", 1, TTP_CHIP_AXICLK_MHZ, false},
    {"tt_arc_clock_mhz", "ARC clock", 1, TTP_CHIP_ARCCLK_MHZ, false},
    {"tt_asic_temperature_celsius", "chip temperature", 1000, TTP_CHIP_TEMP_MC, false},
    {"tt_thermal_throttle_limit_celsius", "temperature at which it throttles", 1000,
     TTP_CHIP_TEMP_MAX_MC, false},
    {"tt_tdp_w", "core power", 1000000, TTP_CHIP_POWER_UW, false},
    {"tt_tdp_limit_w", "limit of core power", 1000000, TTP_CHIP_POWER_MAX_UW, false},
    {"tt_tdc_a", "core current", 1000, TTP_CHIP_CURRENT_MA, false},
    {"tt_tdc_limit_a", "limit of core current", 1000, TTP_CHIP_CURRENT_MAX_MA, false},
    {"tt_vcore_mv", "core voltage", 1, TTP_CHIP_VCORE_MV, false},
    {"tt_fan_speed_rpm", "fan speed", 1, TTP_CHIP_FAN_RPM, false},
    {"tt_heartbeat", "heartbeat of the firmware", 1, TTP_CHIP_HEARTBEAT, true},
    {"tt_thermal_trip_count", "thermal shutdowns since power-on", 1, TTP_CHIP_THERM_TRIPS, true},
    {"tt_perf_pcie_width", "lanes of the link", 1, TTP_CHIP_LINK_WIDTH, false},
    {"tt_perf_pcie_speed_gts", "speed of the link", 10, TTP_CHIP_LINK_SPEED, false},
    {"tt_perf_aer_correctable_total", "PCIe errors, correctable", 1, TTP_CHIP_AER_CORRECTABLE,
     true},
    {"tt_perf_aer_nonfatal_total", "PCIe errors, nonfatal", 1, TTP_CHIP_AER_NONFATAL, true},
    {"tt_perf_aer_fatal_total", "PCIe errors, fatal", 1, TTP_CHIP_AER_FATAL, true},
};

static void put_label(struct ttp_sink *out, const char *name, ttp_str value)
{
    struct ttp_arena arena = {0};
    const ttp_str shown = ttp_gate_text(&arena, value);

    ttp_sink_printf(out, "%s=\"", name);
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.ptr[i] == '\\' || shown.ptr[i] == '"')
            ttp_sink_char(out, '\\');
        ttp_sink_char(out, shown.ptr[i]);
    }
    ttp_sink_char(out, '"');
    ttp_arena_free(&arena);
}

static void put_head(struct ttp_sink *out, const char *name, const char *help, bool counter)
{
    ttp_sink_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                    counter ? "counter" : "gauge");
}

static void put_chip_labels(struct ttp_sink *out, const struct ttp_doctor_view *view, size_t chip)
{
    const struct ttp_chip *c = &view->host->chip[chip];

    ttp_sink_char(out, '{');
    put_label(out, "hostname", view->diagnosis->machine.hostname);
    ttp_sink_printf(out, ",chip=\"%d\",", c->number);
    put_label(out, "bdf", ttp_str_from(c->bdf));
    ttp_sink_char(out, ',');
    put_label(out, "board", ttp_str_from(c->board ? c->board->name : "unknown"));
    ttp_sink_put(out, TTP_STR("} "));
}

static void put_metric(struct ttp_sink *out, const struct ttp_doctor_view *view,
                       const struct metric *m)
{
    bool headed = false;

    for (size_t i = 0; i < view->host->nchips; i++) {
        int64_t v;

        if (!ttp_reading_number(&view->sample->chip[i].attr[m->attr], &v))
            continue;
        if (!headed)
            put_head(out, m->name, m->help, m->counter);
        headed = true;
        ttp_sink_put(out, ttp_str_from(m->name));
        put_chip_labels(out, view, i);
        if (m->divisor == 1)
            ttp_sink_i64(out, v);
        else
            ttp_sink_f64(out, (double)v / m->divisor, TTP_NUM_JSON);
        ttp_sink_char(out, '\n');
    }
}

/* Values that only tt-smi has; its devices are identified by their position. */
static void put_smi(struct ttp_sink *out, const struct ttp_doctor_view *view)
{
    static const struct {
        const char *name, *help, *section, *keys;
    } items[] = {
        {"tt_board_power_limit_w", "limit of the board's power", "limits|smbus_telem",
         "board_power_limit|BOARD_POWER_LIMIT"},
        {"tt_input_power_w", "power of the board", "telemetry|smbus_telem",
         "board_power|INPUT_POWER"},
        {"tt_dram_speed_mbps", "DRAM speed", "smbus_telem", "GDDR_SPEED"},
        {"tt_max_gddr_temperature_celsius", "hottest DRAM", "smbus_telem", "MAX_GDDR_TEMP"},
    };

    for (size_t n = 0; n < TTP_COUNT(items); n++) {
        bool headed = false;

        for (size_t i = 0; i < view->smi->count; i++) {
            double v;

            if (!ttp_smi_number(&v, &view->smi->device[i], items[n].section, items[n].keys))
                continue;
            if (!headed)
                put_head(out, items[n].name, items[n].help, false);
            headed = true;
            ttp_sink_printf(out, "%s{", items[n].name);
            put_label(out, "hostname", view->diagnosis->machine.hostname);
            ttp_sink_printf(out, ",device=\"%zu\"} ", i);
            ttp_sink_f64(out, v, TTP_NUM_JSON);
            ttp_sink_char(out, '\n');
        }
    }
}

static void put_trained(struct ttp_sink *out, const struct ttp_doctor_view *view)
{
    bool headed = false;

    for (size_t i = 0; i < view->diagnosis->count; i++) {
        const struct ttp_check *k = &view->diagnosis->check[i];

        if (strcmp(k->spec->id, "dram.train") != 0 || k->level == TTP_CHECK_SKIP)
            continue;
        if (!headed)
            put_head(out, "tt_dram_trained", "all DRAM channels are trained", false);
        headed = true;
        ttp_sink_put(out, TTP_STR("tt_dram_trained{"));
        put_label(out, "hostname", view->diagnosis->machine.hostname);
        ttp_sink_char(out, ',');
        put_label(out, "device", k->where);
        ttp_sink_printf(out, "} %d\n", k->level != TTP_CHECK_FAIL);
    }
}

void ttp_out_doctor_prometheus(struct ttp_sink *out, const struct ttp_doctor_view *view)
{
    const struct ttp_diagnosis *d = view->diagnosis;

    for (size_t i = 0; i < TTP_COUNT(metrics); i++)
        put_metric(out, view, &metrics[i]);
    if (view->smi)
        put_smi(out, view);
    put_trained(out, view);
    if (view->host->nchips)
        put_head(out, "tt_perf_holders", "processes that have the device open", false);
    for (size_t i = 0; i < view->host->nchips; i++) {
        ttp_sink_put(out, TTP_STR("tt_perf_holders"));
        put_chip_labels(out, view, i);
        ttp_sink_printf(out, "%zu\n", view->sample->chip[i].nholders);
    }
    put_head(out, "tt_perf_checks", "checks of tt-perf doctor by result", false);
    for (int l = 0; l < TTP_CHECK_LEVELS; l++)
        ttp_sink_printf(out, "tt_perf_checks{level=\"%s\"} %zu\n", ttp_check_words[l], d->level[l]);
}
