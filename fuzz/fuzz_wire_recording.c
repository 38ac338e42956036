/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a wire recording. */
#include "fuzz.h"
#include "recording_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_recording(data, size, TTP_ZONES_ALL);
    check_recording(data, size, TTP_ZONES_OPS);
    return 0;
}
