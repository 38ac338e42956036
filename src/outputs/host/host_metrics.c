/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/host/host_metrics.h"

struct metric {
    const char *name, *help;
    int divisor;
    enum ttp_chip_attr attr;
    enum ttp_prom_kind kind;
};

static const struct metric metrics[] = {
    {"tt_ai_clock_mhz", "AI clock", 1, TTP_CHIP_AICLK_MHZ, TTP_PROM_GAUGE},
    {"tt_axi_clock_mhz", "AXI clock", 1, TTP_CHIP_AXICLK_MHZ, TTP_PROM_GAUGE},
    {"tt_arc_clock_mhz", "ARC clock", 1, TTP_CHIP_ARCCLK_MHZ, TTP_PROM_GAUGE},
    {"tt_asic_temperature_celsius", "chip temperature", 1000, TTP_CHIP_TEMP_MC, TTP_PROM_GAUGE},
    {"tt_thermal_throttle_limit_celsius", "temperature at which it throttles", 1000,
     TTP_CHIP_TEMP_MAX_MC, TTP_PROM_GAUGE},
    {"tt_tdp_w", "core power", 1000000, TTP_CHIP_POWER_UW, TTP_PROM_GAUGE},
    {"tt_tdp_limit_w", "limit of core power", 1000000, TTP_CHIP_POWER_MAX_UW, TTP_PROM_GAUGE},
    {"tt_tdc_a", "core current", 1000, TTP_CHIP_CURRENT_MA, TTP_PROM_GAUGE},
    {"tt_tdc_limit_a", "limit of core current", 1000, TTP_CHIP_CURRENT_MAX_MA, TTP_PROM_GAUGE},
    {"tt_vcore_mv", "core voltage", 1, TTP_CHIP_VCORE_MV, TTP_PROM_GAUGE},
    {"tt_fan_speed_rpm", "fan speed", 1, TTP_CHIP_FAN_RPM, TTP_PROM_GAUGE},
    {"tt_heartbeat", "heartbeat of the firmware", 1, TTP_CHIP_HEARTBEAT, TTP_PROM_COUNTER},
    {"tt_thermal_trip_count", "thermal shutdowns since power-on", 1, TTP_CHIP_THERM_TRIPS,
     TTP_PROM_COUNTER},
    {"tt_perf_pcie_width", "lanes of the link", 1, TTP_CHIP_LINK_WIDTH, TTP_PROM_GAUGE},
    {"tt_perf_pcie_speed_gts", "speed of the link", 10, TTP_CHIP_LINK_SPEED, TTP_PROM_GAUGE},
    {"tt_perf_aer_correctable_total", "PCIe errors, correctable", 1, TTP_CHIP_AER_CORRECTABLE,
     TTP_PROM_COUNTER},
    {"tt_perf_aer_nonfatal_total", "PCIe errors, nonfatal", 1, TTP_CHIP_AER_NONFATAL,
     TTP_PROM_COUNTER},
    {"tt_perf_aer_fatal_total", "PCIe errors, fatal", 1, TTP_CHIP_AER_FATAL, TTP_PROM_COUNTER},
};

void ttp_chip_labels(struct ttp_prom_label *out, const struct ttp_host_metrics *m, size_t chip,
                     struct ttp_arena *arena)
{
    const struct ttp_chip *c = &m->host->chip[chip];

    out[0] = (struct ttp_prom_label){"hostname", m->hostname};
    out[1] = (struct ttp_prom_label){"chip", ttp_sink_format(arena, "%d", c->number)};
    out[2] = (struct ttp_prom_label){"bdf", ttp_str_from(c->bdf)};
    out[3] = (struct ttp_prom_label){"board", ttp_str_from(c->board ? c->board->name : "unknown")};
}

static void put_chip(struct ttp_sink *out, const char *name, const struct ttp_host_metrics *m,
                     size_t chip, struct ttp_arena *arena)
{
    struct ttp_prom_label label[TTP_CHIP_LABELS];

    ttp_chip_labels(label, m, chip, arena);
    ttp_sink_put(out, ttp_str_from(name));
    ttp_prom_labels(out, label, TTP_COUNT(label));
}

static void put_metric(struct ttp_sink *out, const struct ttp_host_metrics *m,
                       const struct metric *k, struct ttp_arena *arena)
{
    bool headed = false;

    for (size_t i = 0; i < m->host->nchips; i++) {
        int64_t v;

        if (!ttp_reading_number(&m->sample->chip[i].attr[k->attr], &v))
            continue;
        if (!headed)
            ttp_prom_head(out, k->name, k->help, k->kind);
        headed = true;
        put_chip(out, k->name, m, i, arena);
        if (k->divisor == 1)
            ttp_prom_int(out, v);
        else
            ttp_prom_real(out, (double)v / k->divisor);
    }
}

void ttp_host_metrics_put(struct ttp_sink *out, const struct ttp_host_metrics *m,
                          struct ttp_arena *arena)
{
    for (size_t i = 0; i < TTP_COUNT(metrics); i++)
        put_metric(out, m, &metrics[i], arena);
}

void ttp_host_metrics_put_holders(struct ttp_sink *out, const struct ttp_host_metrics *m,
                                  struct ttp_arena *arena)
{
    static const char name[] = "tt_perf_holders";

    if (m->host->nchips)
        ttp_prom_head(out, name, "processes that have the device open", TTP_PROM_GAUGE);
    for (size_t i = 0; i < m->host->nchips; i++) {
        put_chip(out, name, m, i, arena);
        ttp_prom_int(out, (int64_t)m->sample->chip[i].nholders);
    }
}
