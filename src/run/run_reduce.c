/* SPDX-License-Identifier: Apache-2.0 */
/* run_reduce.c - a rank, from its logs, its report or a part that was made of them. */
#include "base/file.h"
#include "run/run.h"

static ttp_code read_part(struct ttp_mesh_reduced **out, const char *path, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    struct ttp_file file;

    TTP_TRY(ttp_file_map(&file, path, err));
    const ttp_code rc = ttp_mesh_read_reduced(out, file.text, arena, err);
    ttp_file_close(&file);
    if (rc != TTP_OK)
        ttp_err_where(err, path, 0);
    return rc;
}

static ttp_code reduce_logs(struct ttp_mesh_reduced **out, const char *path,
                            const struct ttp_run_plan *plan, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    struct ttp_arena scratch = {0};
    struct ttp_run_parts parts;

    ttp_code rc = ttp_run_open_parts(&parts, (struct ttp_paths){&path, 1}, plan, &scratch, err);
    if (rc == TTP_OK && parts.count != 1)
        rc = ttp_fail(err, TTP_EPARSE, "'%s' has %zu ranks instead of one", path, parts.count);
    if (rc == TTP_OK)
        rc = ttp_mesh_reduce(out, &parts.part[0], parts.ranks.size, arena, err);
    ttp_arena_free(&scratch);
    return rc;
}

const char *ttp_run_part_file(const char *dir, struct ttp_arena *arena)
{
    return ttp_file_join(ttp_file_join(dir, ".logs", arena), TTP_PART_FILE, arena);
}

ttp_code ttp_run_reduce(struct ttp_mesh_reduced **out, const char *path,
                        const struct ttp_run_plan *plan, struct ttp_arena *arena,
                        struct ttp_err *err)
{
    struct ttp_err why = {0};

    if (!ttp_file_is_dir(path) && ttp_str_ends(ttp_str_from(path), TTP_STR(".ttpart")))
        return read_part(out, path, arena, err);
    const ttp_code rc = reduce_logs(out, path, plan, arena, &why);
    const char *part = ttp_run_part_file(path, arena);
    if (rc == TTP_ENOTFOUND && ttp_file_is_dir(path) && ttp_file_exists(part))
        return read_part(out, part, arena, err);
    if (rc != TTP_OK && err)
        *err = why;
    return rc;
}
