/* SPDX-License-Identifier: Apache-2.0 */
/* What an op must move: its tensors in DRAM, each once, padding included. */
#include "kernel/kernel.h"

/* "64[60]" is 64 elements, 60 of them not padding. */
static bool padded(ttp_str cell, uint64_t *out)
{
    const size_t bracket = ttp_str_find_char(cell, '[');

    return ttp_str_to_u64(ttp_str_trim(ttp_str_slice(cell, 0, bracket)), out);
}

static uint64_t bytes_in_dram(const struct ttp_op_tensor *t)
{
    static const int dims[] = {TTP_TENSOR_W, TTP_TENSOR_Z, TTP_TENSOR_Y, TTP_TENSOR_X};
    uint64_t n = 1, size;

    if (!ttp_str_has(t->cell[TTP_TENSOR_MEMORY], TTP_STR("DRAM")))
        return 0;
    for (size_t i = 0; i < TTP_COUNT(dims); i++)
        if (!padded(t->cell[dims[i]], &size) || __builtin_mul_overflow(n, size, &n) ||
            n > UINT64_MAX / 8192)
            return 0;
    return (uint64_t)((double)n * ttp_diagnosis_element_bytes(t->cell[TTP_TENSOR_DTYPE]));
}

uint64_t ttp_kernel_ideal_bytes(const struct ttp_op_info *info)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < info->ninputs; i++)
        bytes += bytes_in_dram(&info->input[i]);
    for (size_t i = 0; i < info->noutputs; i++)
        bytes += bytes_in_dram(&info->output[i]);
    return bytes;
}
