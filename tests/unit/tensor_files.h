/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_files.h - tensor files for tests: those that numpy wrote (tests/data/tensor) and writers
 * of our own. */
#ifndef TTP_TEST_TENSOR_FILES_H
#define TTP_TEST_TENSOR_FILES_H

#include "tensor/tensor.h"
#include "test.h"

#define TENSOR_DATA TTP_SOURCE_DIR "/tests/data/tensor/"

/* The tensor of that name (NULL: the only one) in a file of tests/data/tensor. Its data stays
 * mapped until the test program ends. */
static inline const struct ttp_tensor *open_tensor(const char *file, const char *name,
                                                   const struct ttp_tensor_options *options,
                                                   struct ttp_arena *arena)
{
    struct ttp_file *map = TTP_NEW(arena, struct ttp_file, 1);
    struct ttp_tensors list;
    struct ttp_err err = {0};
    char path[512];

    snprintf(path, sizeof(path), TENSOR_DATA "%s", file);
    if (ttp_tensor_open(&list, map, path, options, arena, &err) != TTP_OK)
        fail_msg("%s: %s", file, err.text);
    const struct ttp_tensor *t = name ? ttp_tensor_find(&list, ttp_str_from(name)) : &list.item[0];
    assert_non_null(t);
    assert_null(t->unreadable);
    return t;
}

/* A tensor in memory, row-major. */
static inline struct ttp_tensor *make_tensor(enum ttp_dtype type, const uint64_t *shape,
                                             uint32_t ndim, const void *data,
                                             struct ttp_arena *arena)
{
    struct ttp_tensor *t = TTP_NEW(arena, struct ttp_tensor, 1);
    uint64_t step = 1;

    t->dtype = type;
    t->ndim = ndim;
    for (uint32_t d = ndim; d-- > 0;) {
        t->shape[d] = shape[d];
        t->stride[d] = step;
        step *= shape[d];
    }
    t->count = step;
    t->data = (ttp_str){data, step * ttp_tensor_dtype_size(type)};
    return t;
}

/* The bytes of a .npy with that header text; data follows. */
static inline ttp_str make_npy(const char *header, ttp_str data, struct ttp_arena *arena)
{
    const size_t len = strlen(header);
    char *p = TTP_NEW(arena, char, 10 + len + data.len);

    memcpy(p, "\x93NUMPY\1\0", 8);
    p[8] = (char)(len & 0xff);
    p[9] = (char)(len >> 8);
    memcpy(p + 10, header, len);
    if (data.len)
        memcpy(p + 10 + len, data.ptr, data.len);
    return (ttp_str){p, 10 + len + data.len};
}

/* The bytes of a safetensors file with that JSON text. */
static inline ttp_str make_safetensors(const char *json, ttp_str data, struct ttp_arena *arena)
{
    const size_t len = strlen(json);
    char *p = TTP_NEW(arena, char, 8 + len + data.len);

    for (int i = 0; i < 8; i++)
        p[i] = (char)(len >> (8 * i) & 0xff);
    memcpy(p + 8, json, len);
    if (data.len)
        memcpy(p + 8 + len, data.ptr, data.len);
    return (ttp_str){p, 8 + len + data.len};
}

#endif
