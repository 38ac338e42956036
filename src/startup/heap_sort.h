/* SPDX-License-Identifier: Apache-2.0 */
/* heap_sort.h - sorts in place: qsort() of the C library takes as much memory again. Private to
 * startup. */
#ifndef TTP_STARTUP_HEAP_SORT_H
#define TTP_STARTUP_HEAP_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef int ttp_compare_fn(const void *a, const void *b);

#define TTP_HEAP_ITEM_MAX 64

static inline void ttp_heap_sift(char *base, size_t at, size_t n, size_t size, ttp_compare_fn *cmp)
{
    char held[TTP_HEAP_ITEM_MAX];

    memcpy(held, base + at * size, size);
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && cmp(base + child * size, base + (child + 1) * size) < 0)
            child++;
        if (cmp(held, base + child * size) >= 0)
            break;
        memcpy(base + at * size, base + child * size, size);
    }
    memcpy(base + at * size, held, size);
}

/* Items of at most TTP_HEAP_ITEM_MAX bytes; immediately if they are in order already. */
static inline void ttp_heap_sort(void *items, size_t n, size_t size, ttp_compare_fn *cmp)
{
    char *base = items, held[TTP_HEAP_ITEM_MAX];
    bool sorted = true;

    for (size_t i = 1; i < n && sorted; i++)
        sorted = cmp(base + (i - 1) * size, base + i * size) <= 0;
    if (sorted)
        return;
    for (size_t i = n / 2; i-- > 0;)
        ttp_heap_sift(base, i, n, size, cmp);
    for (size_t i = n; i-- > 1;) {
        memcpy(held, base, size);
        memcpy(base, base + i * size, size);
        memcpy(base + i * size, held, size);
        ttp_heap_sift(base, 0, i, size, cmp);
    }
}

#endif
