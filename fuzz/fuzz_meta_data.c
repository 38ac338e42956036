/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a device log's meta data: no crash; what is found lies inside them. */
#include "fuzz.h"
#include "logs/meta_data.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ttp_str keys[] = {{"sub_device_id", 13}, {"value", 5}, {"counter type", 12}};
    const ttp_str meta = {(const char *)data, size};

    for (size_t i = 0; i < TTP_COUNT(keys); i++) {
        uint64_t number;
        ttp_str text;

        if (ttp_logs_meta_u64(meta, keys[i], &number))
            must(ttp_str_has(meta, keys[i]));
        if (ttp_logs_meta_text(meta, keys[i], &text))
            must(text.ptr >= meta.ptr && text.ptr + text.len < meta.ptr + meta.len);
    }
    return 0;
}
