/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "base/file.h"
#include "ops/ops.h"

static bool is_ops_csv(const char *path, const char *name, void *arg)
{
    const ttp_str n = ttp_str_from(name);

    (void)path;
    (void)arg;
    return ttp_str_starts(n, TTP_STR("ops_perf_results")) &&
           (ttp_str_ends(n, TTP_STR(".csv")) || ttp_str_ends(n, TTP_STR(".csv.gz")) ||
            ttp_str_ends(n, TTP_STR(".csv.zst")));
}

ttp_code ttp_ops_find_csv(const char **out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct stat st;

    *out = path;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return TTP_OK; /* what cannot be read is told by whoever reads it */
    const ttp_code rc = ttp_file_find_newest(out, path, is_ops_csv, NULL, arena, err);
    if (rc == TTP_ENOTFOUND) {
        (void)ttp_fail(err, rc, "no ops_perf_results*.csv below this folder");
        ttp_err_where(err, path, 0);
        ttp_err_hint(err,
                     "profile the workload with tt-metal's tracy first, or name the CSV itself");
    }
    return rc;
}
