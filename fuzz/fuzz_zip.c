/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a zip file: .npz, or torch with its storages. */
#include "tensor_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_tensor_file(data, size, NULL);
    return 0;
}
