/* SPDX-License-Identifier: Apache-2.0 */
/* run_mesh.c - the mesh of a run whose operations are known already. */
#include "base/file.h"
#include "run/run_ranks.h"

/* A table that one process left, or `tt-perf ops` for all ranks. */
static void part_of_table(struct ttp_run_parts *out, struct ttp_ops *ops, const char *name,
                          struct ttp_arena *arena)
{
    *out = (struct ttp_run_parts){.part = TTP_NEW(arena, struct ttp_mesh_part, 1), .count = 1};
    out->part[0] = (struct ttp_mesh_part){.mesh_id = -1, .name = name, .ops = ops};
    if (ops->devices)
        ttp_run_split_part(out, arena);
}

ttp_code ttp_run_open_mesh(struct ttp_run_mesh *out, const struct ttp_run_mesh_request *request,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_plan plan = {.reading = {.threads = request->threads}};
    struct ttp_mesh_options how = {.boards = request->boards};
    struct ttp_run_ranks ranks = {0};
    struct ttp_run_parts parts;

    *out = request->known ? *request->known : (struct ttp_run_mesh){0};
    if (out->mesh)
        return TTP_OK;
    if (ttp_file_is_dir(request->path))
        TTP_TRY(ttp_run_find_ranks(&ranks, (struct ttp_paths){&request->path, 1}, arena, err));
    if (ranks.count)
        TTP_TRY(
            ttp_run_open_parts(&parts, (struct ttp_paths){&request->path, 1}, &plan, arena, err));
    else
        part_of_table(&parts, request->ops, request->path, arena);
    how.ranks = parts.ranks.size;
    struct ttp_mesh *mesh = TTP_NEW(arena, struct ttp_mesh, 1);
    TTP_TRY(
        ttp_mesh_make(mesh, (struct ttp_mesh_parts){parts.part, parts.count}, &how, arena, err));
    out->line = ttp_run_lines(&parts, mesh, arena);
    out->mesh = mesh;
    return TTP_OK;
}
