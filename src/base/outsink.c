/* SPDX-License-Identifier: Apache-2.0 */
#include "base/outsink.h"

#include <sys/stat.h>
#include <unistd.h>

ttp_code ttp_outsink_open(struct ttp_outsink *out, const char *path, struct ttp_err *err)
{
    *out = (struct ttp_outsink){.path = path};
    TTP_TRY(ttp_outfile_open(&out->file, path, err));
    ttp_sink_to_fd(&out->sink, out->file.fd, &out->arena);
    return TTP_OK;
}

ttp_code ttp_outsink_close(struct ttp_outsink *out, ttp_code rc, struct ttp_err *err)
{
    /* a failure of before keeps its own message; what stdout got until then is still shown */
    const ttp_code flushed = ttp_sink_finish(&out->sink, rc == TTP_OK ? err : NULL);

    const bool nameless = rc == TTP_EIO && err && !err->path[0]; /* the writer found out first */
    if (flushed != TTP_OK && (rc == TTP_OK || nameless)) {
        rc = flushed;
        if (out->file.fd != STDOUT_FILENO)
            ttp_err_where(err, out->path, 0);
    }
    if (rc == TTP_OK)
        rc = ttp_outfile_commit(&out->file, err);
    else
        ttp_outfile_abort(&out->file);
    ttp_arena_free(&out->arena);
    return rc;
}

ttp_code ttp_file_copy(const char *to, const char *from, struct ttp_err *err)
{
    struct ttp_outsink out;
    struct ttp_file in;

    TTP_TRY(ttp_file_map(&in, from, err));
    ttp_code rc = ttp_outsink_open(&out, to, err);
    if (rc == TTP_OK) {
        (void)fchmod(out.file.fd, S_IRUSR | S_IWUSR);
        ttp_sink_put(&out.sink, in.text);
        rc = ttp_outsink_close(&out, TTP_OK, err);
    }
    ttp_file_close(&in);
    return rc;
}
