/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - which operation a kernel is of, by the place of its source. */
#include "startup/inspector_log.h"
#include "startup/startup.h"

/* The first of two words in a text; TTP_NPOS: none of them. */
static size_t find_either(ttp_str s, ttp_str a, ttp_str b)
{
    const size_t x = ttp_str_find(s, a), y = ttp_str_find(s, b);

    return x < y ? x : y;
}

/* Up to the last slash; slashes alone stay. */
static ttp_str folder_of(ttp_str path)
{
    size_t n = path.len;

    while (n && path.ptr[n - 1] != '/')
        n--;
    while (n > 1 && path.ptr[n - 1] == '/' && path.ptr[n - 2] != '/')
        n--;
    return ttp_str_slice(path, 0, n);
}

ttp_str ttp_startup_label(ttp_str source)
{
    static const ttp_str root = TTP_STR("ttnn/cpp/ttnn/");
    const size_t at = ttp_str_find(source, root);

    if (ttp_str_has(source, TTP_STR("impl/dispatch/")))
        return TTP_STR("dispatch");
    if (at != TTP_NPOS) {
        const ttp_str rest = ttp_str_slice(source, at + root.len, source.len);
        const size_t end = find_either(rest, TTP_STR("/device/"), TTP_STR("/kernels/"));

        if (end != TTP_NPOS && end > 0)
            return ttp_str_slice(rest, 0, end);
    }
    const ttp_str folder = folder_of(source);
    if (folder.len)
        return folder;
    return source.len ? TTP_STR("inline source") : source;
}

ttp_str ttp_startup_cache_root(ttp_str path)
{
    size_t n = ttp_str_find(path, TTP_STR("/kernels/"));

    if (n == TTP_NPOS)
        return (ttp_str){0};
    while (n && path.ptr[n - 1] != '/')
        n--;
    return ttp_str_slice(path, 0, n > 1 ? n - 1 : 0);
}
