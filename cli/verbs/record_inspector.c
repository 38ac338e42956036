/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs/record_inspector.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/outsink.h"

/* Where tt-metal writes them by default. */
static const char *source_folder(struct ttp_arena *arena)
{
    const char *logs = getenv("TT_METAL_LOGS_PATH");

    return ttp_file_join(logs && *logs ? logs : ".", "generated/inspector", arena);
}

static bool is_newer(const char *path, struct timespec since)
{
    struct stat st;

    return stat(path, &st) == 0 &&
           (st.st_mtim.tv_sec > since.tv_sec ||
            (st.st_mtim.tv_sec == since.tv_sec && st.st_mtim.tv_nsec >= since.tv_nsec));
}

static ttp_code copy_logs(const char *from, const char *to, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_words names;

    TTP_TRY(ttp_file_list(&names, from, arena, err));
    TTP_TRY(ttp_file_make_dirs(to, err));
    for (size_t i = 0; i < names.count; i++)
        if (ttp_str_ends(ttp_str_from(names.word[i]), TTP_STR(".yaml")))
            TTP_TRY(ttp_file_copy(ttp_file_join(to, names.word[i], arena),
                                  ttp_file_join(from, names.word[i], arena), err));
    return TTP_OK;
}

static void keep_folder(const char *from, const char *to, struct timespec since,
                        const struct ttp_ctx *ctx)
{
    struct ttp_err err = {0};

    if (!is_newer(ttp_file_join(from, "programs_log.yaml", ctx->arena), since))
        return;
    if (copy_logs(from, to, ctx->arena, &err) != TTP_OK)
        ttp_ctx_warn(ctx, "cannot keep the inspector's logs: %s", err.text);
    else
        ttp_ctx_note(ctx, "the inspector's logs are in %s; 'tt-perf startup' reads them", to);
}

void ttp_record_keep_inspector(const char *logs, struct timespec since, const struct ttp_ctx *ctx)
{
    const char *from = source_folder(ctx->arena);
    const char *to = ttp_file_join(logs, "inspector", ctx->arena);
    const struct dirent *e;

    keep_folder(from, to, since, ctx);
    DIR *dir = opendir(from);
    while (dir && (e = readdir(dir)))
        if (ttp_str_starts(ttp_str_from(e->d_name), TTP_STR("_rank_")))
            keep_folder(ttp_file_join(from, e->d_name, ctx->arena),
                        ttp_file_join(to, e->d_name, ctx->arena), since, ctx);
    if (dir)
        closedir(dir);
}
