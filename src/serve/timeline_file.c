/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline in one file: the page, and the trace in base64 inside. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/compress.h"
#include "base/gzip_write.h"
#include "base/progress.h"
#include "serve/assets.h"
#include "serve/serve.h"

#define PIECE ((size_t)1 << 16)

static ttp_code copy_trace(struct ttp_base64 *b, int fd, struct ttp_progress *progress,
                           struct ttp_err *err)
{
    struct ttp_gzip *packer = NULL;
    char buf[PIECE];
    ttp_code rc = TTP_OK;
    uint64_t at = 0;

    if (ttp_compress_supports(TTP_COMPRESS_GZIP))
        TTP_TRY(ttp_gzip_open(&packer, ttp_base64_put, b, err));
    while (rc == TTP_OK) {
        const ssize_t n = pread(fd, buf, sizeof(buf), (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = ttp_fail_errno(err, "cannot read the trace");
        if (n <= 0)
            break;
        if (packer)
            ttp_gzip_add(packer, (ttp_str){buf, (size_t)n});
        else
            ttp_base64_put(b, (ttp_str){buf, (size_t)n});
        at += (uint64_t)n;
        ttp_progress_update(progress, at);
    }
    if (packer && rc == TTP_OK)
        ttp_gzip_finish(packer);
    ttp_gzip_close(packer);
    ttp_base64_end(b);
    return rc;
}

ttp_code ttp_serve_put_timeline(struct ttp_sink *out, int fd, const char *name, bool progress,
                                struct ttp_err *err)
{
    const bool packed = ttp_compress_supports(TTP_COMPRESS_GZIP);
    const struct ttp_template_word word[] = {
        {.name = "title", .text = ttp_str_from(name)},
        {.name = "packed", .text = packed ? TTP_STR("gzip") : TTP_STR("")},
        {.name = "trace", .text = TTP_STR("trace.pftrace")},
    };
    const struct ttp_template page = {ttp_assets, word, TTP_COUNT(word)};
    struct ttp_base64 b = {.out = out};
    struct ttp_progress line;
    struct stat st;
    ttp_str rest;

    ttp_template_put(out, &page, "timeline.html", &rest);
    ttp_progress_init(&line, "writing the page",
                      fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0, progress);
    const ttp_code rc = copy_trace(&b, fd, &line, err);
    ttp_progress_clear(&line);
    TTP_TRY(rc);
    /* what follows is the end of the page: scripts, which have holes of their own */
    ttp_template_put_rest(out, &page, rest);
    return TTP_OK;
}
