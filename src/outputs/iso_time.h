/* SPDX-License-Identifier: Apache-2.0 */
/* iso_time.h - moments as ISO 8601 text. Private to outputs. */
#ifndef TTP_OUTPUTS_ISO_TIME_H
#define TTP_OUTPUTS_ISO_TIME_H

#include "base/json_write.h"

#define TTP_ISO_TIME_MAX 40
/* "2026-11-15T23:47:51.123456Z", from nanoseconds since 1970. Returns its length; a NUL follows. */
size_t ttp_iso_time(char *out, int64_t unix_ns);
/* A member with that text; null for 0. */
void ttp_member_time(struct ttp_json_writer *w, const char *key, int64_t unix_ns);

#endif
