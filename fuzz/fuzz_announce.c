/* SPDX-License-Identifier: Apache-2.0 */
/* Any datagram: no crash; what is accepted names a port, and its program is part of the bytes. */
#include <stdlib.h>

#include "fuzz.h"
#include "record/announce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ttp_str bytes = {(const char *)data, size};
    struct ttp_announcement a;

    if (!ttp_record_announce_parse(&a, bytes))
        return 0;
    if (a.port == 0 || a.program.len > size ||
        (a.program.len &&
         (a.program.ptr < bytes.ptr || a.program.ptr + a.program.len > bytes.ptr + bytes.len)))
        abort();
    return 0;
}
