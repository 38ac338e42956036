/* SPDX-License-Identifier: Apache-2.0 */
/* shared_library.h - a library that is loaded on first use, because loading it with the program
 * would slow down every run that does not need it. */
#ifndef TTP_BASE_SHARED_LIBRARY_H
#define TTP_BASE_SHARED_LIBRARY_H

#include "base/err.h"

/* A function to look up. */
struct ttp_library_entry {
    const char *name;
    size_t offset; /* of the pointer to it in the struct that is filled */
};

struct ttp_library_entries {
    const struct ttp_library_entry *entry;
    size_t count;
};
/* Fill `out` with `count` functions of `library`, such as "libpq.so.5". It stays loaded until the
 * process ends. TTP_EMISSING: the library or one of them is missing; the error has that hint. */
TTP_NODISCARD ttp_code ttp_shared_library_load(void *out, const char *library,
                                               struct ttp_library_entries entries, const char *hint,
                                               struct ttp_err *err);

#endif
