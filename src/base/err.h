/* SPDX-License-Identifier: Apache-2.0 */
/* err.h - result codes and the error record that travels with them. */
#ifndef TTP_BASE_ERR_H
#define TTP_BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

typedef enum {
    TTP_OK = 0,
    TTP_EIO,       /* a system call failed; errno is in the text */
    TTP_EPARSE,    /* input bytes are not what the format promises */
    TTP_ELIMIT,    /* input is well formed but larger than we accept */
    TTP_ENOTFOUND, /* an expected answer: nothing by that name */
    TTP_EUSAGE,    /* the user asked for something that is invalid */
    TTP_EMISSING,  /* this machine or this build lacks a required feature */
    TTP_ENOMEM,    /* the system has no more memory; only from ttp_budget_run() */
    TTP_ETIMEOUT,  /* a command, a server or a statement did not answer in time */
} ttp_code;

/* Zero-initialise it. A later failure replaces text and offset, and clears the rest. */
struct ttp_err {
    ttp_code code;
    size_t offset;  /* byte in the input, for TTP_EPARSE and TTP_ELIMIT */
    char text[256]; /* what failed, lower case, no full stop */
    char hint[256]; /* what to do about it, or empty */
    char path[256]; /* the file concerned, or empty; shortened from the left if long */
    uint64_t line;  /* in that file, from 1; 0: none */
};

ttp_code ttp_fail(struct ttp_err *err, ttp_code code, const char *fmt, ...) TTP_PRINTF(3, 4);
ttp_code ttp_fail_at(struct ttp_err *err, ttp_code code, size_t offset, const char *fmt, ...)
    TTP_PRINTF(4, 5);
/* TTP_EIO with the reason in errno; what is in quotes is the file concerned. */
ttp_code ttp_fail_errno(struct ttp_err *err, const char *fmt, ...) TTP_PRINTF(2, 3);
/* TTP_EMISSING: built without `library`; the hint names the Debian package to build with, and what
 * to do `instead`, or NULL. */
ttp_code ttp_fail_unbuilt(struct ttp_err *err, const char *library, const char *package,
                          const char *instead);

/* Added to a failure by whoever knows; err may be NULL. */
void ttp_err_hint(struct ttp_err *err, const char *fmt, ...) TTP_PRINTF(2, 3);
void ttp_err_where(struct ttp_err *err, const char *path, uint64_t line);

/* Forward a failure; only where the function holds nothing to release. */
#define TTP_TRY(call)                                                                              \
    do {                                                                                           \
        ttp_code rc_ = (call);                                                                     \
        if (rc_ != TTP_OK)                                                                         \
            return rc_;                                                                            \
    } while (0)

#endif
