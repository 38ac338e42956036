/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as tracy_ops_times.csv: no crash, no leak; one thread and two find the same. */
#include <string.h>

#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

static const char messages[] =
    "MessageName;total_ns\n"
    "`TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n"
    "{\"device_id\":0,\"global_call_count\":1024,\"input_tensors\":[],\"op_hash\":7}`;1\n"
    "`TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 2048`;2\n";

static ttp_code read_zones(struct ttp_host_log *log, const char *known, const char *path,
                           unsigned threads, struct ttp_arena *arena)
{
    const struct ttp_logs_options options = {.threads = threads};
    struct ttp_err err = {0};

    must(ttp_logs_read_messages(log, known, &options, arena, &err) == TTP_OK && log->nops == 2);
    const ttp_code rc = ttp_logs_read_zones(log, path, &options, arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ttp_arena arena = {0};
    struct ttp_host_log one, two;
    struct memfile file, known;

    memfile_open(&known, (const uint8_t *)messages, sizeof(messages) - 1);
    memfile_open(&file, data, size);
    const ttp_code rc = read_zones(&one, known.path, file.path, 1, &arena);
    must(read_zones(&two, known.path, file.path, 2, &arena) == rc);
    for (size_t i = 0; i < one.nops && rc == TTP_OK; i++) {
        const struct ttp_host_op *a = &one.op[i], *b = &two.op[i];
        must(a->has_time == b->has_time && a->start_ns == b->start_ns &&
             a->duration_ns == b->duration_ns && a->nchildren == b->nchildren);
        for (size_t k = 0; k < a->nchildren; k++)
            must(a->child[k].name < one.names.count && a->child[k].ns == b->child[k].ns);
    }
    ttp_arena_free(&arena);
    close(file.fd);
    close(known.fd);
    return 0;
}
