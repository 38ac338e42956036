/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the counters that the allocator keeps of a chip: no crash; counts stay in bounds. */
#include <string.h>

#include "fuzz.h"
#include "mem/mem.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_err err = {0};
    struct ttp_mem_shm s;
    struct memfile file;

    memfile_open(&file, data, size);
    if (ttp_mem_read_shm(&s, file.path, &err) == TTP_OK) {
        must(s.chips <= TTP_MEM_SHM_CHIPS && s.processes <= TTP_MEM_SHM_PROCESSES);
        must(s.bytes.dram >> 63 == 0 && (s.version == 2 || s.version == 3));
        for (size_t i = 0; i < s.processes; i++)
            must(s.process[i].pid != 0 && strlen(s.process[i].name) < sizeof(s.process[i].name));
    } else {
        must(err.code == TTP_EPARSE && err.text[0]);
    }
    close(file.fd);
    return 0;
}
