/* SPDX-License-Identifier: Apache-2.0 */
/* capture_source.c - where the text of a capture comes from: it is read twice, and at places. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/input.h"
#include "mem/capture_nodes.h"

static ttp_code keep_bytes(void *arg, ttp_str text, struct ttp_err *err)
{
    const int fd = *(const int *)arg;

    while (text.len) {
        const ssize_t n = write(fd, text.ptr, text.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ttp_fail_errno(err, "cannot write to a temporary file");
        text = ttp_str_slice(text, (size_t)n, text.len);
    }
    return TTP_OK;
}

static bool is_packed(ttp_str text)
{
    return ttp_str_starts(text, TTP_STR("\x1f\x8b")) ||
           ttp_str_starts(text, TTP_STR("\x28\xb5\x2f\xfd"));
}

ttp_code ttp_mem_source_open(struct ttp_mem_source *out, const char *path, struct ttp_err *err)
{
    char unpacked[32];
    int fd;

    *out = (struct ttp_mem_source){.increasing = true};
    if (ttp_file_map(&out->file, path, NULL) == TTP_OK && !is_packed(out->file.text)) {
        out->text = out->file.text;
        if (ttp_str_starts(out->text, TTP_STR("\xef\xbb\xbf")))
            out->text = ttp_str_slice(out->text, 3, out->text.len);
        return TTP_OK;
    }
    ttp_file_close(&out->file);
    TTP_TRY(ttp_file_temporary(&fd, err));
    ttp_code rc = ttp_input_each(path, NULL, keep_bytes, &fd, err);
    if (rc == TTP_OK) {
        snprintf(unpacked, sizeof(unpacked), "/proc/self/fd/%d", fd);
        rc = ttp_file_map(&out->file, unpacked, err);
    }
    close(fd);
    out->text = out->file.text;
    return rc;
}

void ttp_mem_source_close(struct ttp_mem_source *s)
{
    ttp_file_close(&s->file);
}
