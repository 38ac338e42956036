/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as cpp_device_perf_report.csv: no crash, no leak; rows have their numbers. */
#include "fuzz.h"
#include "logs/logs.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memfile file;

    memfile_open(&file, data, size);
    for (int strict = 0; strict < 2; strict++) {
        const struct ttp_logs_options options = {.strict = strict};
        struct ttp_arena arena = {0};
        struct ttp_err err = {0};
        struct ttp_cpp_report report;
        const ttp_code rc = ttp_logs_read_cpp_report(&report, file.path, &options, &arena, &err);

        must(rc == TTP_OK || (err.code == rc && err.text[0]));
        for (size_t i = 0; i < report.nrows && rc == TTP_OK; i++)
            must(report.row[i].number[TTP_CPP_RUN_ID] != TTP_CPP_EMPTY &&
                 report.row[i].number[TTP_CPP_DEVICE] != TTP_CPP_EMPTY && report.row[i].line > 1);
        ttp_arena_free(&arena);
    }
    close(file.fd);
    return 0;
}
