/* SPDX-License-Identifier: Apache-2.0 */
/* A report as the CSV that it would be, for those who need its text: a history keeps it, readers of
 * other tools read it. */
#include "base/file.h"
#include "ops/ops.h"

static ttp_code write_csv(int fd, const struct ttp_ops_report *report, struct ttp_err *err)
{
    struct ttp_arena scratch = {0}, buffer = {0};
    struct ttp_sink out;

    ttp_sink_to_memory(&out, fd, &buffer);
    ttp_code rc = ttp_ops_write_csv(&out, report, 0, &scratch, err);
    if (rc == TTP_OK)
        rc = ttp_sink_finish(&out, err);
    ttp_arena_free(&scratch);
    ttp_arena_free(&buffer);
    return rc;
}

ttp_code ttp_ops_csv_in_memory(int *fd, const char **path, const struct ttp_ops_report *report,
                               struct ttp_arena *arena, struct ttp_err *err)
{
    TTP_TRY(ttp_file_in_memory(fd, path, arena, err));
    const ttp_code rc = write_csv(*fd, report, err);
    if (rc != TTP_OK) {
        ttp_file_close_memory(*path);
        *fd = -1;
    }
    return rc;
}
