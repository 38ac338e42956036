/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/iso_time.h"

#include <stdio.h>
#include <time.h>

size_t ttp_iso_time(char *out, int64_t unix_ns)
{
    const time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm t;

    gmtime_r(&seconds, &t);
    return (size_t)snprintf(out, TTP_ISO_TIME_MAX, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
                            (unsigned)(t.tm_year + 1900) % 10000, (unsigned)(t.tm_mon + 1) % 100,
                            (unsigned)t.tm_mday % 100, (unsigned)t.tm_hour % 100,
                            (unsigned)t.tm_min % 100, (unsigned)t.tm_sec % 100,
                            (unsigned)(unix_ns % 1000000000 / 1000));
}

void ttp_member_time(struct ttp_json_writer *w, const char *key, int64_t unix_ns)
{
    char text[TTP_ISO_TIME_MAX];

    ttp_json_put_key(w, ttp_str_from(key));
    if (unix_ns <= 0)
        ttp_json_put_null(w);
    else
        ttp_json_put_str(w, (ttp_str){text, ttp_iso_time(text, unix_ns)});
}
