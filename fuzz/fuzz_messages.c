/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as tracy_ops_data.csv, in both modes: no crash, no leak; every op can be found by its
 * id and written; the tolerant mode refuses nothing but a wrong first line. */
#include "fuzz.h"
#include "memfile.h"
#include "ops/ops.h"

static ttp_code read_messages(const char *path, bool strict)
{
    const struct ttp_logs_options options = {.threads = 1, .strict = strict};
    const struct ttp_join_options how = {0};
    const struct ttp_cpp_report cpp = {0};
    struct ttp_arena arena = {0}, scratch = {0};
    struct ttp_err err = {0};
    struct ttp_host_log log;
    struct ttp_ops_report report;
    struct ttp_sink out;

    const ttp_code rc = ttp_logs_read_messages(&log, path, &options, &arena, &err);
    must(rc == TTP_OK || (err.code == rc && err.text[0]));
    for (size_t i = 0; i < log.nops && rc == TTP_OK; i++)
        must(ttp_logs_find_op(&log, log.op[i].id) == &log.op[i]);
    if (rc == TTP_OK && log.nops) {
        const struct ttp_run_logs logs = {.host = &log, .cpp = &cpp};
        must(ttp_ops_join(&report, &logs, &how, &arena, &err) == TTP_OK);
        ttp_sink_to_arena(&out, &arena);
        must(ttp_ops_write_csv(&out, &report, 0, &scratch, &err) == TTP_OK);
    }
    ttp_arena_free(&scratch);
    ttp_arena_free(&arena);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memfile file;

    memfile_open(&file, data, size);
    const ttp_code tolerant = read_messages(file.path, false);
    must(tolerant == TTP_OK || read_messages(file.path, true) != TTP_OK);
    (void)read_messages(file.path, true);
    close(file.fd);
    return 0;
}
