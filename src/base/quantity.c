/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quantity.h"

#include <math.h>

static const struct ttp_time_unit time_units[] = {
    {"ns", 1e3}, {"μs", 1}, {"ms", 1e-3}, {"s", 1e-6}};

struct ttp_time_unit ttp_quantity_time_unit(double largest_us)
{
    const double us = fabs(largest_us);
    size_t i = 1; /* microseconds unless they would be too many digits */

    while (i + 1 < TTP_COUNT(time_units) && us * time_units[i].per_us >= 99999.5)
        i++;
    if (us > 0 && us < 0.1)
        i = 0;
    return time_units[i];
}

double ttp_quantity_us_per(const char *unit)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};

    for (size_t i = 0; i < TTP_COUNT(units); i++)
        if (ttp_str_eq(ttp_str_from(unit), ttp_str_from(units[i].name)))
            return units[i].us;
    return 0;
}

/* Three digits in all; numbers of three and more before the point are whole. */
static void put_three(struct ttp_sink *out, double v)
{
    const double a = fabs(v);
    const int digits = a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : 2;
    char buf[TTP_NUM_FIXED_MAX];
    size_t n = ttp_num_fixed(buf, v, digits, true);

    if (digits)
        while (buf[n - 1] == '0')
            n--;
    if (buf[n - 1] == '.')
        n--;
    ttp_sink_put(out, (ttp_str){buf, n});
}

void ttp_put_time_us(struct ttp_sink *out, double us)
{
    size_t i = 0;

    if (us != 0)
        while (i + 1 < TTP_COUNT(time_units) && fabs(us) * time_units[i].per_us >= 999.5)
            i++;
    else
        i = 1;
    if (i == 0)
        ttp_sink_fixed(out, us * 1e3, 0, false);
    else
        put_three(out, us * time_units[i].per_us);
    ttp_sink_char(out, ' ');
    ttp_sink_put(out, ttp_str_from(time_units[i].name));
}

ttp_str ttp_time_us_text(double us, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_put_time_us(&out, us);
    return ttp_sink_text(&out);
}

void ttp_put_bytes(struct ttp_sink *out, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;

    for (; i + 1 < TTP_COUNT(units) && fabs(bytes) >= (i ? 999.5 : 1024); i++)
        bytes /= 1024;
    if (i == 0)
        ttp_sink_fixed(out, bytes, 0, false);
    else
        put_three(out, bytes);
    ttp_sink_char(out, ' ');
    ttp_sink_put(out, ttp_str_from(units[i]));
}

ttp_str ttp_bytes_text(double bytes, struct ttp_arena *arena)
{
    struct ttp_sink out;

    ttp_sink_to_arena(&out, arena);
    ttp_put_bytes(&out, bytes);
    return ttp_sink_text(&out);
}
