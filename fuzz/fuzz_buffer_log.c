/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the inspector's log of buffers: no crash; peaks are never below the end. */
#include "fuzz.h"
#include "mem/mem.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_mem_buffer_log log;
    struct ttp_err err = {0};
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_mem_read_buffer_log(&log, file.path, &arena, &err) == TTP_OK) {
        must(log.live_at_end <= log.allocations && log.pools <= TTP_MEM_POOLS);
        for (size_t i = 0; i < log.pools; i++)
            must(log.pool[i].peak_bytes >= log.pool[i].bytes);
    } else {
        must(err.code != TTP_OK && err.text[0]);
    }
    close(file.fd);
    ttp_arena_free(&arena);
    return 0;
}
