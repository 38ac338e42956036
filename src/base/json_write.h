/* SPDX-License-Identifier: Apache-2.0 */
/* json_write.h - JSON (RFC 8259) to a sink, value by value; commas and indentation are added.
 *
 * Writing cannot fail here: ask the sink at the end. Calls out of order (a value in place of a key,
 * an unmatched end) are programming errors and asserted. One thread per writer.
 *
 *     struct ttp_json_writer w = {.sink = &sink};
 *     ttp_json_begin_object(&w);
 *     ttp_json_put_key(&w, TTP_STR("duration_ns"));
 *     ttp_json_put_i64(&w, 1250);
 *     ttp_json_end_object(&w);
 */
#ifndef TTP_BASE_JSON_WRITE_H
#define TTP_BASE_JSON_WRITE_H

#include "base/sink.h"

/* As deep as the reader goes by default, so that what was read can be written. */
#define TTP_JSON_WRITE_DEPTH_MAX 256

struct ttp_json_writer {
    struct ttp_sink *sink; /* set by the caller */
    bool indent;           /* set by the caller: lines, two blanks a level; else no blanks at all */

    /* Private. */
    uint32_t depth;
    bool after_key, any; /* any: the innermost array or object, or the output, has a value */
    uint64_t objects[TTP_JSON_WRITE_DEPTH_MAX / 64]; /* bit d: level d is an object */
};

void ttp_json_begin_object(struct ttp_json_writer *w);
void ttp_json_end_object(struct ttp_json_writer *w);
void ttp_json_begin_array(struct ttp_json_writer *w);
void ttp_json_end_array(struct ttp_json_writer *w);

/* In an object, before each value. */
void ttp_json_put_key(struct ttp_json_writer *w, ttp_str key);

/* Values. A second one at the top level begins a new line (ndjson, unless indented); no line end
 * follows the last. */

/* Any bytes, escaped where JSON asks for it; what is not UTF-8 becomes U+FFFD, one for each maximal
 * part of a sequence, as in Python. The same holds for keys. */
void ttp_json_put_str(struct ttp_json_writer *w, ttp_str s);
/* Length of such a part, with which s begins. */
size_t ttp_json_malformed(ttp_str s);
/* A string of digits beyond 2^53 either way: readers that know only double would round it. */
void ttp_json_put_i64(struct ttp_json_writer *w, int64_t v);
void ttp_json_put_u64(struct ttp_json_writer *w, uint64_t v);
/* The shortest digits that read back as the same double; infinities and NaN are null. */
void ttp_json_put_f64(struct ttp_json_writer *w, double v);
/* With `digits` (0 to 9) after the point; infinities and NaN are null. */
void ttp_json_put_fixed(struct ttp_json_writer *w, double v, int digits);
void ttp_json_put_bool(struct ttp_json_writer *w, bool v);
void ttp_json_put_null(struct ttp_json_writer *w);
/* One JSON value, written as is. */
void ttp_json_put_raw(struct ttp_json_writer *w, ttp_str json);

#endif
