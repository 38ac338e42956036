/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - one input that represents several files: they are divided by the byte 0x1e. */
#ifndef TTP_FUZZ_PARTS_H
#define TTP_FUZZ_PARTS_H

#include "base/str.h"

/* The next part, empty when there are no more. */
static inline ttp_str next_part(ttp_str *rest)
{
    const size_t end = ttp_str_find_char(*rest, '\x1e');
    const ttp_str part = ttp_str_slice(*rest, 0, end);

    *rest = end == TTP_NPOS ? ttp_str_slice(*rest, rest->len, rest->len)
                            : ttp_str_slice(*rest, end + 1, rest->len);
    return part;
}

#endif
