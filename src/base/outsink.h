/* SPDX-License-Identifier: Apache-2.0 */
/* outsink.h - a file written through a sink, and put in place only if it is complete. */
#ifndef TTP_BASE_OUTSINK_H
#define TTP_BASE_OUTSINK_H

#include "base/file.h"
#include "base/sink.h"

struct ttp_outsink {
    struct ttp_sink sink;
    struct ttp_arena arena; /* until it is closed: the buffer, and whatever its writers need */
    struct ttp_outfile file;
    const char *path; /* as it was given; the caller's */
};

/* As ttp_outfile_open(). */
TTP_NODISCARD ttp_code ttp_outsink_open(struct ttp_outsink *out, const char *path,
                                        struct ttp_err *err);
/* `rc` is how the writing went: after TTP_OK the file is put in place, otherwise the old file
 * stays. Returns the first failure, with the path in *err if it happened here. */
TTP_NODISCARD ttp_code ttp_outsink_close(struct ttp_outsink *out, ttp_code rc, struct ttp_err *err);

/* A copy of a whole file, for its owner alone. */
TTP_NODISCARD ttp_code ttp_file_copy(const char *to, const char *from, struct ttp_err *err);

#endif
