/* SPDX-License-Identifier: Apache-2.0 */
#include "base/order.h"

#include <stdint.h>
#include <string.h>

#define ORDER_OF_VALUES(name, type)                                                                \
    int name(const void *left, const void *right)                                                  \
    {                                                                                              \
        const type x = *(const type *)left, y = *(const type *)right;                              \
        return TTP_COMPARE(x, y);                                                                  \
    }
ORDER_OF_VALUES(ttp_by_f64, double)
ORDER_OF_VALUES(ttp_by_i64, int64_t)
ORDER_OF_VALUES(ttp_by_u64, uint64_t)
ORDER_OF_VALUES(ttp_by_u32, uint32_t)

int ttp_by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void ttp_sort(void *list, size_t count, size_t size, int (*order)(const void *, const void *))
{
    const char *at = list, *last = at + (count - 1) * size;

    while (at < last && order(at, at + size) <= 0)
        at += size;
    if (at < last)
        qsort(list, count, size, order);
}
