/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_readers.h - one reader per kind of file, and what they share. Private to tensor. */
#ifndef TTP_TENSOR_TENSOR_READERS_H
#define TTP_TENSOR_TENSOR_READERS_H

#include "tensor/tensor.h"

/* A kind of file: does it begin like one, and what is in it? */
struct ttp_tensor_reader {
    const char *format;
    bool (*matches)(ttp_str bytes);
    ttp_code (*read)(struct ttp_tensors *out, ttp_str bytes,
                     const struct ttp_tensor_options *options, struct ttp_arena *arena,
                     struct ttp_err *err);
};

extern const struct ttp_tensor_reader ttp_reader_npy;
extern const struct ttp_tensor_reader ttp_reader_zip; /* .npz and torch */
extern const struct ttp_tensor_reader ttp_reader_safetensors;
extern const struct ttp_tensor_reader ttp_reader_tensorbin;

/* One .npy: its header and data, appended to nothing. `bytes` may be a member of a .npz. */
TTP_NODISCARD ttp_code ttp_tensor_npy_read(struct ttp_tensor *out, ttp_str bytes,
                                           const struct ttp_tensor_options *options,
                                           struct ttp_err *err);

/* Fill count, and stride as row-major. False: too large to count. */
bool ttp_tensor_set_shape(struct ttp_tensor *t, const uint64_t *shape, uint32_t ndim);

/* Little-endian numbers of unaligned bytes. */
static inline uint32_t ttp_le16(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}
static inline uint32_t ttp_le32(const char *p)
{
    return ttp_le16(p) | ttp_le16(p + 2) << 16;
}
static inline uint64_t ttp_le64(const char *p)
{
    return (uint64_t)ttp_le32(p) | (uint64_t)ttp_le32(p + 4) << 32;
}

#endif
