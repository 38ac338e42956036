/* SPDX-License-Identifier: Apache-2.0 */
/* failure.h - from an error record to an exit status and a message. */
#ifndef TTP_CLI_FAILURE_H
#define TTP_CLI_FAILURE_H

#include "base/err.h"
#include "base/sink.h"
#include "outputs/outputs.h"

struct ttp_exit_code {
    int status;
    const char *name; /* stable: "code" of the JSON error object */
    const char *meaning;
};

/* In order of their number; the last has a NULL name. */
extern const struct ttp_exit_code ttp_exit_codes[];
/* What a failure is in JSON. */
extern const struct ttp_document_spec ttp_error_document;

int ttp_exit_status(ttp_code code);

/* Print to stderr: "tt-perf: VERB: PATH:LINE: text" and "hint: ..." or, with `json`, one error
 * object (schema tt-perf.error/1). `verb` may be NULL. Control characters become '?'. */
void ttp_failure_print(const char *verb, const struct ttp_err *err, int status, bool json);

#endif
