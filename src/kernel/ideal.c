/* SPDX-License-Identifier: Apache-2.0 */
/* What an op must move: its tensors in DRAM, each once, padding included. */
#include "kernel/kernel.h"

/* Bytes of 1024 elements: block formats keep an exponent for each row of 16. */
static const struct {
    const char *name;
    uint64_t bytes;
} formats[] = {
    {"BFLOAT16", 2048}, {"BFLOAT8_B", 1088}, {"BFLOAT4_B", 576}, {"FLOAT32", 4096},
    {"UINT32", 4096},   {"INT32", 4096},     {"UINT16", 2048},   {"UINT8", 1024},
};

/* "64[60]" is 64 elements, 60 of them not padding. */
static bool padded(ttp_str cell, uint64_t *out)
{
    const size_t bracket = ttp_str_find_char(cell, '[');

    return ttp_str_to_u64(ttp_str_trim(ttp_str_slice(cell, 0, bracket)), out);
}

static uint64_t tensor_bytes(const struct ttp_op_tensor *t)
{
    static const int dims[] = {TTP_TENSOR_W, TTP_TENSOR_Z, TTP_TENSOR_Y, TTP_TENSOR_X};
    uint64_t n = 1, size;

    if (!ttp_str_has(t->cell[TTP_TENSOR_MEMORY], TTP_STR("DRAM")))
        return 0;
    for (size_t i = 0; i < TTP_COUNT(dims); i++)
        if (!padded(t->cell[dims[i]], &size) || __builtin_mul_overflow(n, size, &n) ||
            n > UINT64_MAX / 8192)
            return 0;
    for (size_t i = 0; i < TTP_COUNT(formats); i++)
        if (ttp_str_eq(t->cell[TTP_TENSOR_DTYPE], ttp_str_from(formats[i].name)))
            return n * formats[i].bytes / 1024;
    return 0;
}

uint64_t ttp_kernel_ideal_bytes(const struct ttp_op_info *info)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < info->ninputs; i++)
        bytes += tensor_bytes(&info->input[i]);
    for (size_t i = 0; i < info->noutputs; i++)
        bytes += tensor_bytes(&info->output[i]);
    return bytes;
}
