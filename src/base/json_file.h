/* SPDX-License-Identifier: Apache-2.0 */
/* json_file.h - the events of a JSON file, compressed or not. */
#ifndef TTP_BASE_JSON_FILE_H
#define TTP_BASE_JSON_FILE_H

#include "base/input.h"
#include "base/json_read.h"

struct ttp_json_file {
    struct ttp_input *in;
    struct ttp_json_reader json;
    struct ttp_block block;
    enum ttp_json_event event;
    uint64_t lines; /* before the block */
    bool bounded;   /* set after opening: a number beyond 64 bits or a double is a failure */
};

TTP_NODISCARD ttp_code ttp_json_file_open(struct ttp_json_file *f, const char *path,
                                          struct ttp_err *err);
/* The next event, in f->event. */
TTP_NODISCARD ttp_code ttp_json_file_next(struct ttp_json_file *f, struct ttp_err *err);
/* Skips the next value, without parsing it unless numbers are bounded. */
TTP_NODISCARD ttp_code ttp_json_file_skip(struct ttp_json_file *f, struct ttp_err *err);
/* Skips the value whose first event is f->event: nothing to do unless it is an array or object. */
TTP_NODISCARD ttp_code ttp_json_file_leave(struct ttp_json_file *f, struct ttp_err *err);
/* The line of an offset that is not before the current block, from 1. */
uint64_t ttp_json_file_line(const struct ttp_json_file *f, size_t offset);
void ttp_json_file_close(struct ttp_json_file *f);

static inline bool ttp_json_file_key(const struct ttp_json_file *f, const char *name)
{
    return ttp_str_eq(f->json.text, ttp_str_from(name));
}

/* The value of f->event as a number within limits; false: it is something else. */
bool ttp_json_file_int(const struct ttp_json_file *f, int64_t low, int64_t high, int64_t *out);
/* The same for numbers that are written as integers: 64.0 and 1e3 are not. */
bool ttp_json_file_is_plain(const struct ttp_json_file *f);

#endif
