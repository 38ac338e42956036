// SPDX-License-Identifier: Apache-2.0
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    const uint32_t tile_bytes = get_tile_size(0);

    for (uint32_t i = 0; i < tiles; i++) {
        cb_reserve_back(0, 1);
        {
            DeviceZoneScopedN("READ");
            noc_async_read_tile(i, get_write_ptr(0));
        }
        {
            DeviceZoneScopedN("PUSH");
            cb_push_back(0, 1);
        }
    }
}
