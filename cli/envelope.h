/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.h - the object around everything printed with --format json. */
#ifndef TTP_CLI_ENVELOPE_H
#define TTP_CLI_ENVELOPE_H

#include "base/json_write.h"
#include "opts.h"

/* Everything up to the value of "data": the caller writes that one value next. `schema` is
 * "tt-perf.<verb>/<major>"; `inputs` NULL: none. */
void ttp_envelope_begin(struct ttp_json_writer *w, const char *schema,
                        const struct ttp_words *inputs);
/* The rest, with a line end. `warnings` NULL: none; `truncated`: data lacks rows the input has. */
void ttp_envelope_end(struct ttp_json_writer *w, const struct ttp_words *warnings, bool truncated);

#endif
