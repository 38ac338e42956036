/* SPDX-License-Identifier: Apache-2.0 */
/* json_walk.h - a small JSON file walked through member by member. The first
 * failure stays, and everything after it looks like an end, so callers ask once. */
#ifndef TTP_BASE_JSON_WALK_H
#define TTP_BASE_JSON_WALK_H

#include "base/json_read.h"

struct ttp_json_walk {
    struct ttp_json_reader json;
    enum ttp_json_event event; /* the first of the value under the cursor */
    ttp_code code;
    struct ttp_err *err;
    struct ttp_arena *arena;
};

/* The cursor is on the value that `text` is. */
void ttp_walk_begin(struct ttp_json_walk *w, ttp_str text, struct ttp_arena *arena,
                    struct ttp_err *err);
/* On success nothing but the value was there. */
TTP_NODISCARD ttp_code ttp_walk_end(struct ttp_json_walk *w);

/* Inside an object: step on the value of its next member, whose name is *key (in the arena). False:
 * the object has ended. Each value must be taken or left before the next. */
bool ttp_walk_member(struct ttp_json_walk *w, ttp_str *key);
/* Inside an array: step on its next value. */
bool ttp_walk_item(struct ttp_json_walk *w);
/* Past the value under the cursor, whatever it is. */
void ttp_walk_leave(struct ttp_json_walk *w);

/* Is it an array (an object)? Then the walk goes inside; otherwise the value is left. */
bool ttp_walk_into_array(struct ttp_json_walk *w);
bool ttp_walk_into_object(struct ttp_json_walk *w);
/* The value as what it should be; anything else is left and *out untouched. */
bool ttp_walk_text(struct ttp_json_walk *w, ttp_str *out);
bool ttp_walk_i64(struct ttp_json_walk *w, int64_t *out);

/* ttp_walk_begin() on the bytes of a file, which may be packed; TTP_ELIMIT: more than 64 MiB. */
TTP_NODISCARD ttp_code ttp_walk_read_file(ttp_str *out, const char *path, struct ttp_arena *arena,
                                          struct ttp_err *err);

#endif
