/* SPDX-License-Identifier: Apache-2.0 */
/* zip.h - the members of a zip file, by its central directory. Private to tensor. */
#ifndef TTP_TENSOR_ZIP_H
#define TTP_TENSOR_ZIP_H

#include "tensor/tensor.h"

struct ttp_zip_member {
    ttp_str name; /* in the file */
    ttp_str raw;  /* as it is in the file */
    uint64_t size;
    uint32_t crc;
    bool deflated; /* raw must be inflated to `size` bytes */
};

struct ttp_zip {
    size_t count;
    struct ttp_zip_member *item;
    struct ttp_symtab names;
    const struct ttp_zip_member **named; /* by symbol of `names`: the first of that name */
};

/* TTP_EPARSE: not a zip file, broken, encrypted, in several parts, or packed by other means than
 * deflate. */
TTP_NODISCARD ttp_code ttp_tensor_zip_read(struct ttp_zip *out, ttp_str bytes,
                                           struct ttp_arena *arena, struct ttp_err *err);
/* NULL: none of that name. */
const struct ttp_zip_member *ttp_tensor_zip_find(const struct ttp_zip *zip, ttp_str name);
/* The bytes of a member: those in the file, or inflated in the arena and checked. */
TTP_NODISCARD ttp_code ttp_tensor_zip_unpack(ttp_str *out, const struct ttp_zip_member *m,
                                             struct ttp_arena *arena, struct ttp_err *err);

#endif
