/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - comparison functions for qsort() and bsearch(), declared by their keys; binary search.
 */
#ifndef TTP_BASE_ORDER_H
#define TTP_BASE_ORDER_H

#include <stdlib.h>

#include "base/compiler.h"

/* Below 0, 0 or above 0, as qsort() wants it: ascending. */
#define TTP_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
/* For TTP_ORDER(): by a member of the elements x and y, ascending or descending. */
#define TTP_UP(member)   TTP_COMPARE(x->member, y->member)
#define TTP_DOWN(member) TTP_COMPARE(y->member, x->member)

/* The first of up to six results that is not 0; those after it are not computed.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define TTP_ORDER_BY(r1, r2, r3, r4, r5, r6, ...)                                                  \
    int order = (r1);                                                                              \
    if (order == 0)                                                                                \
        order = (r2);                                                                              \
    if (order == 0)                                                                                \
        order = (r3);                                                                              \
    if (order == 0)                                                                                \
        order = (r4);                                                                              \
    if (order == 0)                                                                                \
        order = (r5);                                                                              \
    if (order == 0)                                                                                \
        order = (r6);                                                                              \
    return order
/* NOLINTEND(bugprone-macro-parentheses) */

/* A comparison function for elements of `type`: by the first result, then by the second, ...
 * Results are int expressions in x and y, pointers to the elements.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define TTP_ORDER(name, type, ...)                                                                 \
    static int name(const void *left, const void *right)                                           \
    {                                                                                              \
        const type *x = left;                                                                      \
        const type *y = right;                                                                     \
        TTP_ORDER_BY(__VA_ARGS__, 0, 0, 0, 0, 0, 0);                                               \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* qsort(), unless the array is in order: what was measured mostly is, and qsort() takes many times
 * what the check takes. */
void ttp_sort(void *list, size_t count, size_t size, int (*order)(const void *, const void *));

/* Sort an array, which may be empty. */
#define TTP_SORT(list, count, order)                                                               \
    ((count) ? ttp_sort((list), (count), sizeof(*(list)), (order)) : (void)0)

/* Binary search: move the size_t `at` to the first index below `end` for which `is_before`, an
 * expression in the index `mid`, does not hold, or to `end`.
 * NOLINTBEGIN(bugprone-macro-parentheses)
 */
#define TTP_BISECT(at, end, mid, is_before)                                                        \
    for (size_t mid, end_##mid = (end); (at) < end_##mid;) {                                       \
        mid = (at) + (end_##mid - (at)) / 2;                                                       \
        if (is_before)                                                                             \
            (at) = mid + 1;                                                                        \
        else                                                                                       \
            end_##mid = mid;                                                                       \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Of bare values, ascending; ttp_by_text() of NUL-terminated texts by their bytes. */
int ttp_by_f64(const void *left, const void *right);
int ttp_by_i64(const void *left, const void *right);
int ttp_by_u64(const void *left, const void *right);
int ttp_by_u32(const void *left, const void *right);
int ttp_by_text(const void *left, const void *right);

#endif
