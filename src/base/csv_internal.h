/* SPDX-License-Identifier: Apache-2.0 */
/* csv_internal.h - the kernels per instruction set, for csv.c, the tests and the benchmark. */
#ifndef TTP_BASE_CSV_INTERNAL_H
#define TTP_BASE_CSV_INTERNAL_H

#include "base/csv.h"

struct ttp_csv_kernel {
    const char *name;
    bool (*next)(struct ttp_csv *c, struct ttp_csv_row *row);
    size_t (*whole_rows)(ttp_str text, char sep, bool last);
    /* How many separators and line ends are outside quotes: marking alone, without an index. */
    size_t (*count)(ttp_str text, char sep);
};

extern const struct ttp_csv_kernel ttp_csv_scalar;
#if defined(__x86_64__)
extern const struct ttp_csv_kernel ttp_csv_sse2;
extern const struct ttp_csv_kernel ttp_csv_avx2;
extern const struct ttp_csv_kernel ttp_csv_avx512;
#elif defined(__aarch64__)
extern const struct ttp_csv_kernel ttp_csv_neon;
#endif

/* Kernel i this machine can run, the fastest first, the scalar one last; NULL after that. */
const struct ttp_csv_kernel *ttp_csv_kernel(size_t i);

#endif
