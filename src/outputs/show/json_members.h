/* SPDX-License-Identifier: Apache-2.0 */
/* json_members.h - a key and its value in one call. Private to outputs. */
#ifndef TTP_OUTPUTS_JSON_MEMBERS_H
#define TTP_OUTPUTS_JSON_MEMBERS_H

#include "base/json_write.h"

void ttp_member_f64(struct ttp_json_writer *w, const char *key, double v);
void ttp_member_u64(struct ttp_json_writer *w, const char *key, uint64_t v);
void ttp_member_bool(struct ttp_json_writer *w, const char *key, bool v);
void ttp_member_str(struct ttp_json_writer *w, const char *key, ttp_str v);
void ttp_member_text(struct ttp_json_writer *w, const char *key, const char *v);
/* The key alone; the caller writes the value. */
void ttp_member_key(struct ttp_json_writer *w, const char *key);
/* null unless it is known. */
void ttp_member_known(struct ttp_json_writer *w, const char *key, bool known, double v);
/* null for the empty string. */
void ttp_member_str_or_null(struct ttp_json_writer *w, const char *key, ttp_str v);
void ttp_member_null(struct ttp_json_writer *w, const char *key);
void ttp_member_i64(struct ttp_json_writer *w, const char *key, int64_t v);
/* An object or array begins; the caller ends it. */
void ttp_member_object(struct ttp_json_writer *w, const char *key);
void ttp_member_array(struct ttp_json_writer *w, const char *key);

#endif
