/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - read-only mapped files. */
#ifndef TTP_BASE_FILE_H
#define TTP_BASE_FILE_H

#include "base/err.h"
#include "base/str.h"

struct ttp_file {
    ttp_str text; /* borrowed from the mapping: gone after ttp_file_close() */
    void *map;
};

/* Map a whole file. On success the caller owns *out and must close it. */
TTP_NODISCARD ttp_code ttp_file_map(struct ttp_file *out, const char *path, struct ttp_err *err);
void ttp_file_close(struct ttp_file *f);

#endif
