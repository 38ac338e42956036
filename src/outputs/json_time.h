/* SPDX-License-Identifier: Apache-2.0 */
/* json_time.h - moments as members of JSON. Private to outputs. */
#ifndef TTP_OUTPUTS_JSON_TIME_H
#define TTP_OUTPUTS_JSON_TIME_H

#include "base/iso_time.h"
#include "base/json_write.h"

/* A member with that text; null for 0. */
void ttp_member_time(struct ttp_json_writer *w, const char *key, int64_t unix_ns);

#endif
