/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/show/measure_text.h"

#include <math.h>

#include "base/sink.h"
#include "measure/measure.h"

/* Four digits, fixed so that columns line up: 1.235, 12.35, 123.5, 1235. */
static int digits_of(double v)
{
    const double size = fabs(v);

    return size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
}

/* As many more as it takes to see `step`. */
static int digits_for(double v, double step)
{
    const int least = digits_of(v);
    const int wanted = step > 0 ? (int)ceil(1 - log10(step)) : 0;

    return wanted > least ? (wanted < 9 ? wanted : 9) : least;
}

ttp_str ttp_out_bench_measure_text(double v, double step, const char *unit, struct ttp_arena *arena)
{
    static const struct {
        double at_least, scale;
        const char *unit;
    } times[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "μs"}, {0, 1e9, "ns"}};
    const double seconds = ttp_measure_metric_unit_seconds(ttp_str_from(unit));
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    if (!isfinite(v)) {
        ttp_sink_put(&out, TTP_STR("-"));
    } else if (isfinite(seconds) && v == 0 && strcmp(unit, "us") == 0) {
        ttp_sink_put(&out, TTP_STR("0 μs"));
    } else if (isfinite(seconds) && v != 0) {
        size_t i = 0;

        while (fabs(v * seconds) < times[i].at_least * 0.99995)
            i++;
        const double scale = seconds * times[i].scale;
        ttp_sink_fixed(&out, v * scale, digits_for(v * scale, step * scale), false);
        ttp_sink_printf(&out, " %s", times[i].unit);
    } else {
        if ((fabs(v) < 0.1 && v != 0) || fabs(v) >= 1e7)
            ttp_sink_printf(&out, "%.4g", v);
        else
            ttp_sink_fixed(&out, v, digits_for(v, step), false);
        ttp_sink_printf(&out, "%s%s", *unit ? " " : "", unit);
    }
    return ttp_sink_text(&out);
}

ttp_str ttp_out_measure_text(double v, const char *unit, struct ttp_arena *arena)
{
    return ttp_out_bench_measure_text(v, 0, unit, arena);
}
