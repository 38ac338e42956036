/* SPDX-License-Identifier: Apache-2.0 */
/* iso_time.h - times as ISO 8601 text and back, independent of the machine's time zone. */
#ifndef TTP_BASE_ISO_TIME_H
#define TTP_BASE_ISO_TIME_H

#include "base/str.h"

#define TTP_ISO_TIME_MAX 40
/* "2026-11-15T23:47:51.123456Z", from nanoseconds since 1970. Returns its length; a NUL follows. */
size_t ttp_iso_time(char *out, int64_t unix_ns);

/* "2026-11-15", "2026-11-15T23:47", "2026-11-15 23:47:51.5+01:00", "...Z"; without a zone it is
 * UTC. False, and *out untouched: something else, or outside 1970 to 2261. */
bool ttp_iso_parse(int64_t *out, ttp_str text);

#endif
