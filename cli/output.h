/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - the file of -o: written under another name beside it and renamed when complete. */
#ifndef TTP_CLI_OUTPUT_H
#define TTP_CLI_OUTPUT_H

#include "base/arena.h"
#include "base/err.h"

struct ttp_output {
    int fd;
    const char *path; /* what it becomes; NULL: fd is standard output */
    char *temporary;  /* what it is called so far; NULL: written in place (a device, a pipe) */
};

/* `path` NULL or "-": standard output. Links are followed. TTP_EIO: cannot create it. */
TTP_NODISCARD ttp_code ttp_output_open(struct ttp_output *out, const char *path,
                                       struct ttp_arena *arena, struct ttp_err *err);
/* Close; `keep`: rename into place, else remove it again. Standard output stays open. */
TTP_NODISCARD ttp_code ttp_output_close(struct ttp_output *out, bool keep, struct ttp_err *err);

#endif
