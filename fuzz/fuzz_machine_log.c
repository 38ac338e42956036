/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a machine log: no crash; accepted samples are sorted by time; an error has a line,
 * unless the file is damaged as a compressed one. */
#include <stdlib.h>

#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

static void check_order(const struct ttp_machine_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        for (size_t k = 1; k < log->chip[i].count; k++)
            must(log->chip[i].sample[k].time_ns >= log->chip[i].sample[k - 1].time_ns);
}

static bool looks_compressed(const uint8_t *data, size_t size)
{
    return size >= 2 &&
           ((data[0] == 0x1f && data[1] == 0x8b) || (data[0] == 0x28 && data[1] == 0xb5));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_machine_log log;
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct memfile f;

    memfile_open(&f, data, size);
    if (ttp_logs_machine_log_read(&log, f.path, &arena, &err) == TTP_OK)
        check_order(&log);
    else
        must(err.code != TTP_OK &&
             (err.code != TTP_EPARSE || err.line > 0 || looks_compressed(data, size)));
    close(f.fd);
    ttp_arena_free(&arena);
    return 0;
}
