/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a .npy, with and without a type that the user gives. */
#include "tensor_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ttp_tensor_options bf16 = {.dtype = TTP_DTYPE_BF16};

    check_tensor_file(data, size, NULL);
    check_tensor_file(data, size, &bf16);
    return 0;
}
