/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as tracy_ops_times.csv and as tracy_ops_data.csv, streamed: no crash, no leak; zones
 * end no earlier than they begin; one thread and two hand out the same. */
#include <string.h>

#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

struct sum {
    uint64_t zones, bad, times, names;
};

static ttp_code take(void *arg, const struct ttp_host_zone_batch *batch, struct ttp_err *err)
{
    struct sum *s = arg;

    (void)err;
    s->bad += batch->bad;
    s->names = batch->names->count;
    for (size_t i = 0; i < batch->nzones; i++) {
        const struct ttp_host_zone *z = &batch->zone[i];
        must(z->name < batch->names->count && z->start_ns >= 0 && z->start_ns <= z->end_ns);
        s->zones++;
        s->times = s->times * 31 + (uint64_t)z->start_ns * 7 + (uint64_t)z->end_ns + z->thread;
    }
    return TTP_OK;
}

static ttp_code take_message(void *arg, ttp_str text, int64_t ns, struct ttp_err *err)
{
    struct sum *s = arg;

    (void)err;
    s->times += text.len + (uint64_t)ns;
    return TTP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct sum sum[2] = {0}, messages = {0};
    ttp_code code[2];
    struct memfile file;

    memfile_open(&file, data, size);
    for (unsigned k = 0; k < 2; k++) {
        const struct ttp_logs_options options = {.threads = k + 1};
        code[k] = ttp_logs_stream_host_zones(file.path,
                                             (struct ttp_host_zone_request){false, take, &sum[k]},
                                             &options, &arena, NULL);
    }
    must(code[0] == code[1] && memcmp(&sum[0], &sum[1], sizeof(sum[0])) == 0);
    (void)!ttp_logs_stream_messages(file.path, take_message, &messages, NULL);
    ttp_arena_free(&arena);
    close(file.fd);
    return 0;
}
