/* SPDX-License-Identifier: Apache-2.0 */
/* spill.h - sorts more records than memory should hold: full buffers are sorted and put aside in a
 * temporary file, and merged when they are read back. One thread per sorter.
 *
 *     ttp_spill_open(&s, sizeof(struct event), by_time, 0, err);
 *     ttp_spill_add(s, &event, err); ...
 *     ttp_spill_sort(s, err);
 *     while ((rc = ttp_spill_next(s, &event, &more, err)) == TTP_OK && more) ...
 *     ttp_spill_close(s);
 */
#ifndef TTP_BASE_SPILL_H
#define TTP_BASE_SPILL_H

#include <stdbool.h>

#include "base/err.h"

struct ttp_spill;

/* As for qsort(). Records that compare equal must be interchangeable for the reader. */
typedef int ttp_spill_cmp_fn(const void *a, const void *b);

/* `buffer` bytes are held at a time (0: 32 MiB). Nothing touches the disk before that is full; then
 * a file without a name in TMPDIR (or /tmp) does. */
TTP_NODISCARD ttp_code ttp_spill_open(struct ttp_spill **out, size_t record_size,
                                      ttp_spill_cmp_fn *cmp, size_t buffer, struct ttp_err *err);
TTP_NODISCARD ttp_code ttp_spill_add(struct ttp_spill *s, const void *record, struct ttp_err *err);
/* All have been added: what follows is reading, from the first. */
TTP_NODISCARD ttp_code ttp_spill_sort(struct ttp_spill *s, struct ttp_err *err);
/* The next record in order; *more is false, and *record untouched, after the last. */
TTP_NODISCARD ttp_code ttp_spill_next(struct ttp_spill *s, void *record, bool *more,
                                      struct ttp_err *err);
/* NULL is fine. */
void ttp_spill_close(struct ttp_spill *s);

#endif
