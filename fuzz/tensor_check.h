/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_check.h - what holds for every tensor file that was accepted: all elements can be read,
 * and a tensor equals itself. A refusal says why. */
#ifndef TTP_FUZZ_TENSOR_CHECK_H
#define TTP_FUZZ_TENSOR_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "tensor/tensor.h"
#include "tensor/tensor_load.h"

static inline void check_tensor(const struct ttp_tensor *t)
{
    const struct ttp_compare_options o = {.gate = 0.99,
                                          .frobenius = -1,
                                          .rtol = NAN,
                                          .atol = NAN,
                                          .fallback_rtol = NAN,
                                          .fallback_atol = NAN,
                                          .threads = 1};
    struct ttp_compare r;

    /* a view may repeat few elements without end */
    if (t->unreadable || t->count > 1 << 14)
        return;
    if (ttp_tensor_compare(&r, t, t, &o, NULL) != TTP_OK || !r.pass || r.pcc != 1)
        abort();
}

static inline void check_tensor_file(const uint8_t *data, size_t size,
                                     const struct ttp_tensor_options *options)
{
    const ttp_str bytes = {(const char *)data, size};
    struct ttp_arena arena = {0};
    struct ttp_tensors list;
    struct ttp_err err = {0};

    if (ttp_tensor_read(&list, bytes, options, &arena, &err) == TTP_OK) {
        for (size_t i = 0; i < list.count && i < 16; i++)
            check_tensor(&list.item[i]);
    } else if (err.code == TTP_OK || err.text[0] == '\0' || err.offset > size) {
        abort();
    }
    ttp_arena_free(&arena);
}

#endif
