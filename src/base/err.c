/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* A message that was cut ends with a whole character. */
static void end_whole(char *text, size_t size)
{
    size_t at = size - 1;

    while (at > 0 && ((unsigned char)text[at - 1] & 0xC0) == 0x80)
        at--;
    if (at > 0 && (unsigned char)text[at - 1] >= 0xC0 &&
        ttp_str_utf8_sequence((ttp_str){text + at - 1, size - at}) == 0)
        text[at - 1] = '\0';
}

TTP_PRINTF(4, 0)
static ttp_code set(struct ttp_err *err, ttp_code code, size_t offset, const char *fmt, va_list ap)
{
    if (err) {
        err->code = code;
        err->offset = offset;
        err->hint[0] = err->path[0] = '\0';
        err->line = 0;
        if (vsnprintf(err->text, sizeof(err->text), fmt, ap) >= (int)sizeof(err->text))
            end_whole(err->text, sizeof(err->text));
    }
    return code;
}

ttp_code ttp_fail(struct ttp_err *err, ttp_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set(err, code, 0, fmt, ap);
    va_end(ap);
    return code;
}

ttp_code ttp_fail_at(struct ttp_err *err, ttp_code code, size_t offset, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set(err, code, offset, fmt, ap);
    va_end(ap);
    return code;
}

/* The name in quotes, if there is one. */
static void take_path(struct ttp_err *err)
{
    const char *from = strchr(err->text, '\'');
    const char *to = from ? strrchr(from, '\'') : NULL;

    if (from != to)
        snprintf(err->path, sizeof(err->path), "%.*s", (int)(to - from - 1), from + 1);
}

ttp_code ttp_fail_errno(struct ttp_err *err, const char *fmt, ...)
{
    const char *why = strerror(errno);
    va_list ap;

    va_start(ap, fmt);
    set(err, TTP_EIO, 0, fmt, ap);
    va_end(ap);
    if (err) {
        size_t n = strlen(err->text);

        take_path(err);
        snprintf(err->text + n, sizeof(err->text) - n, ": %s", why);
    }
    return TTP_EIO;
}

ttp_code ttp_fail_unbuilt(struct ttp_err *err, const char *library, const char *package,
                          const char *instead)
{
    ttp_fail(err, TTP_EMISSING, "this build of tt-perf has no %s", library);
    ttp_err_hint(err, "install %s and rebuild%s%s", package, instead ? ", or " : "",
                 instead ? instead : "");
    return TTP_EMISSING;
}

void ttp_err_hint(struct ttp_err *err, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
    va_end(ap);
}

void ttp_err_where(struct ttp_err *err, const char *path, uint64_t line)
{
    if (!err)
        return;
    const size_t n = strlen(path), room = sizeof(err->path) - 1;
    snprintf(err->path, sizeof(err->path), "%s", n > room ? path + (n - room) : path);
    err->line = line;
}
