/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/prometheus.h"

#include <math.h>

#include "base/gate.h"

void ttp_prom_head(struct ttp_sink *out, const char *name, const char *help,
                   enum ttp_prom_kind kind)
{
    static const char *const words[] = {[TTP_PROM_GAUGE] = "gauge", [TTP_PROM_COUNTER] = "counter"};

    ttp_sink_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, words[kind]);
}

void ttp_prom_labels(struct ttp_sink *out, const struct ttp_prom_label *label, size_t count)
{
    struct ttp_arena arena = {0};

    for (size_t i = 0; i < count; i++) {
        const ttp_str shown = ttp_gate_text(&arena, label[i].text);

        ttp_sink_printf(out, "%c%s=\"", i ? ',' : '{', label[i].name);
        for (size_t k = 0; k < shown.len; k++) {
            if (shown.ptr[k] == '\\' || shown.ptr[k] == '"')
                ttp_sink_char(out, '\\');
            ttp_sink_char(out, shown.ptr[k]);
        }
        ttp_sink_char(out, '"');
    }
    ttp_sink_repeat(out, '}', count > 0);
    ttp_arena_free(&arena);
}

void ttp_prom_int(struct ttp_sink *out, int64_t v)
{
    ttp_sink_char(out, ' ');
    ttp_sink_i64(out, v);
    ttp_sink_char(out, '\n');
}

void ttp_prom_real(struct ttp_sink *out, double v)
{
    ttp_sink_char(out, ' ');
    if (isinf(v))
        ttp_sink_put(out, v > 0 ? TTP_STR("+Inf") : TTP_STR("-Inf"));
    else if (isnan(v))
        ttp_sink_put(out, TTP_STR("NaN"));
    else
        ttp_sink_f64(out, v, TTP_NUM_JSON);
    ttp_sink_char(out, '\n');
}

void ttp_prom_seconds(struct ttp_sink *out, uint64_t ns)
{
    const uint64_t ms = ns / 1000000;

    ttp_prom_real(out, (double)ms / 1000);
}
