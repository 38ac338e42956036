/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_prometheus.c - the checked machine as metrics; docs/formats/prometheus.md lists them. */
#include "outputs/doctor/doctor_parts.h"
#include "outputs/host/host_metrics.h"

/* Values that only tt-smi has; its devices are identified by their position. */
static void put_smi(struct ttp_sink *out, const struct ttp_doctor_view *view,
                    struct ttp_arena *arena)
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
            const struct ttp_prom_label label[] = {{"hostname", view->diagnosis->machine.hostname},
                                                   {"device", ttp_sink_format(arena, "%zu", i)}};
            double v;

            if (!ttp_smi_number(&v, &view->smi->device[i], items[n].section, items[n].keys))
                continue;
            if (!headed)
                ttp_prom_head(out, items[n].name, items[n].help, TTP_PROM_GAUGE);
            headed = true;
            ttp_sink_put(out, ttp_str_from(items[n].name));
            ttp_prom_labels(out, label, TTP_COUNT(label));
            ttp_prom_real(out, v);
        }
    }
}

static void put_trained(struct ttp_sink *out, const struct ttp_doctor_view *view)
{
    bool headed = false;

    for (size_t i = 0; i < view->diagnosis->count; i++) {
        const struct ttp_check *k = &view->diagnosis->check[i];
        const struct ttp_prom_label label[] = {{"hostname", view->diagnosis->machine.hostname},
                                               {"device", k->where}};

        if (strcmp(k->spec->id, "dram.train") != 0 || k->level == TTP_CHECK_SKIP)
            continue;
        if (!headed)
            ttp_prom_head(out, "tt_dram_trained", "all DRAM channels are trained", TTP_PROM_GAUGE);
        headed = true;
        ttp_sink_put(out, TTP_STR("tt_dram_trained"));
        ttp_prom_labels(out, label, TTP_COUNT(label));
        ttp_prom_int(out, k->level != TTP_CHECK_FAIL);
    }
}

void ttp_out_doctor_prometheus(struct ttp_sink *out, const struct ttp_doctor_view *view,
                               struct ttp_arena *arena)
{
    const struct ttp_diagnosis *d = view->diagnosis;
    const struct ttp_host_metrics metrics = {
        .host = view->host, .sample = view->sample, .hostname = d->machine.hostname};

    ttp_host_metrics_put(out, &metrics, arena);
    if (view->smi)
        put_smi(out, view, arena);
    put_trained(out, view);
    ttp_host_metrics_put_holders(out, &metrics, arena);
    ttp_prom_head(out, "tt_perf_checks", "checks of tt-perf doctor by result", TTP_PROM_GAUGE);
    for (int l = 0; l < TTP_CHECK_LEVELS; l++) {
        const struct ttp_prom_label label = {"level", ttp_str_from(ttp_check_words[l])};

        ttp_sink_put(out, TTP_STR("tt_perf_checks"));
        ttp_prom_labels(out, &label, 1);
        ttp_prom_int(out, (int64_t)d->level[l]);
    }
}
