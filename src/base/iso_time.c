/* SPDX-License-Identifier: Apache-2.0 */
#include "base/iso_time.h"

#include <stdio.h>
#include <time.h>

#define NS_PER_S 1000000000LL

size_t ttp_iso_time(char *out, int64_t unix_ns)
{
    const time_t seconds = (time_t)(unix_ns / NS_PER_S);
    struct tm t;

    gmtime_r(&seconds, &t);
    return (size_t)snprintf(out, TTP_ISO_TIME_MAX, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
                            (unsigned)(t.tm_year + 1900) % 10000, (unsigned)(t.tm_mon + 1) % 100,
                            (unsigned)t.tm_mday % 100, (unsigned)t.tm_hour % 100,
                            (unsigned)t.tm_min % 100, (unsigned)t.tm_sec % 100,
                            (unsigned)(unix_ns % NS_PER_S / 1000));
}

/* Exactly `digits` of them, at most `max`. */
static bool take_number(ttp_str *s, size_t digits, unsigned max, unsigned *out)
{
    uint64_t v;

    if (s->len < digits || !ttp_str_to_u64(ttp_str_slice(*s, 0, digits), &v) || v > max)
        return false;
    *out = (unsigned)v;
    *s = ttp_str_slice(*s, digits, s->len);
    return true;
}

static bool take_char(ttp_str *s, char c)
{
    if (s->len == 0 || *s->ptr != c)
        return false;
    *s = ttp_str_slice(*s, 1, s->len);
    return true;
}

/* Digits after the point; those below a nanosecond do not count. */
static bool take_fraction(ttp_str *s, int64_t *ns)
{
    int64_t unit = NS_PER_S / 10;
    size_t n = 0;

    for (; n < s->len && s->ptr[n] >= '0' && s->ptr[n] <= '9'; n++, unit /= 10)
        *ns += unit * (s->ptr[n] - '0');
    *s = ttp_str_slice(*s, n, s->len);
    return n > 0;
}

/* "Z", "+01:00", "+0100", "+01" or nothing. */
static bool take_zone(ttp_str *s, int64_t *seconds)
{
    unsigned hours = 0, minutes = 0;

    if (s->len == 0 || take_char(s, 'Z') || take_char(s, 'z'))
        return s->len == 0;
    const int sign = *s->ptr == '-' ? -1 : 1;
    if (!take_char(s, '+') && !take_char(s, '-'))
        return false;
    if (!take_number(s, 2, 23, &hours))
        return false;
    (void)take_char(s, ':');
    if (s->len && !take_number(s, 2, 59, &minutes))
        return false;
    *seconds = sign * (int64_t)(hours * 3600 + minutes * 60);
    return s->len == 0;
}

static bool take_clock(ttp_str *s, struct tm *t, int64_t *ns)
{
    unsigned hour, minute, second = 0;

    if (!take_number(s, 2, 23, &hour) || !take_char(s, ':') || !take_number(s, 2, 59, &minute))
        return false;
    if (take_char(s, ':') && !take_number(s, 2, 60, &second))
        return false;
    if (take_char(s, '.') && !take_fraction(s, ns))
        return false;
    t->tm_hour = (int)hour;
    t->tm_min = (int)minute;
    t->tm_sec = (int)second;
    return true;
}

bool ttp_iso_parse(int64_t *out, ttp_str text)
{
    unsigned year, month, day;
    int64_t ns = 0, zone = 0;

    if (!take_number(&text, 4, 2261, &year) || year < 1970 || !take_char(&text, '-') ||
        !take_number(&text, 2, 12, &month) || !take_char(&text, '-') ||
        !take_number(&text, 2, 31, &day) || month == 0 || day == 0)
        return false;
    struct tm t = {.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
    if (text.len && !((take_char(&text, 'T') || take_char(&text, ' ')) &&
                      take_clock(&text, &t, &ns) && take_zone(&text, &zone)))
        return false;
    const time_t seconds = timegm(&t);
    if (t.tm_mday != (int)day) /* February 30th */
        return false;
    *out = ((int64_t)seconds - zone) * NS_PER_S + ns;
    return *out >= 0;
}
