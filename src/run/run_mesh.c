/* SPDX-License-Identifier: Apache-2.0 */
/* run_mesh.c - the mesh of a run whose operations are known already. */
#include "base/file.h"
#include "base/sink.h"
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

/* ---- the window ---- */

void ttp_run_set_window(struct ttp_run_mesh *mesh, const struct ttp_report *report)
{
    struct ttp_mesh *m = mesh->mesh;
    bool *inside = TTP_NEW(m->arena, bool, m->ops + 1);

    if (!report->in_window)
        return;
    for (size_t o = 0; o < m->ops; o++)
        for (uint32_t k = m->op[o].cells_at; k < m->op[o].cells_at + m->op[o].cells; k++) {
            const uint32_t row = mesh->line[k] - 2;
            inside[o] |= row < report->ops->rows && report->in_window[row];
        }
    ttp_mesh_set_window(m, inside, report->window.iterations);
}

/* What a report reads: one table, or those of all parts as one. */
static ttp_code read_as_one(struct ttp_ops **out, struct ttp_mesh *mesh,
                            struct ttp_run_parts *parts, struct ttp_arena *arena,
                            struct ttp_err *err)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    struct ttp_ops_read_options own = reading;
    const char *name = "the ranks";

    if (parts->count == 1 || parts->split) {
        *out = parts->part[0].ops;
        return TTP_OK;
    }
    size_t *rows = TTP_NEW(arena, size_t, parts->count);
    for (size_t p = 0; p < parts->count; p++)
        rows[p] = parts->part[p].ops->rows;
    struct ttp_ops_rows *merged = ttp_mesh_merge_rows(mesh, parts->rows, rows, arena);
    own.rows = &merged;
    *out = TTP_NEW(arena, struct ttp_ops, 1);
    const ttp_code rc = ttp_ops_read_csv(*out, (struct ttp_paths){&name, 1}, &own, arena, err);
    ttp_ops_drop_rows(merged);
    return rc;
}

void ttp_run_find_window(struct ttp_mesh *mesh, struct ttp_run_parts *parts,
                         struct ttp_arena *arena)
{
    const struct ttp_report_options options = {.ignore_signposts = false};
    struct ttp_run_mesh found = {.mesh = mesh};
    struct ttp_report report;
    struct ttp_err why = {0};
    struct ttp_ops *ops;

    ttp_code rc = read_as_one(&ops, mesh, parts, arena, &why);
    if (rc == TTP_OK)
        rc = ttp_analysis_find_window(&report, ops, &options, arena, &why);
    if (rc != TTP_OK) {
        ttp_words_add(
            &parts->problems,
            ttp_arena_zstr(arena,
                           ttp_sink_format(arena, "taking the run as one iteration: %s", why.text)),
            arena);
        return;
    }
    if (parts->count == 1 || parts->split) {
        uint32_t *line = TTP_NEW(arena, uint32_t, mesh->cells + 1);
        for (size_t c = 0; c < mesh->cells; c++)
            line[c] = mesh->cell[c].row + 2;
        found.line = line;
    } else {
        size_t *rows = TTP_NEW(arena, size_t, parts->count);
        for (size_t p = 0; p < parts->count; p++)
            rows[p] = parts->part[p].ops->rows;
        found.line = ttp_mesh_lines(mesh, rows, arena);
    }
    ttp_run_set_window(&found, &report);
}

ttp_code ttp_run_open_mesh(struct ttp_run_mesh *out, const struct ttp_run_mesh_request *request,
                           struct ttp_arena *arena, struct ttp_err *err)
{
    const struct ttp_run_plan plan = {.reading = {.threads = request->threads}};
    struct ttp_mesh_options how = {.boards = request->boards};
    struct ttp_run_ranks ranks = {0};
    struct ttp_run_parts parts;

    *out = request->known ? *request->known : (struct ttp_run_mesh){0};
    if (out->mesh) {
        ttp_run_set_window(out, request->report);
        return TTP_OK;
    }
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
    ttp_run_set_window(out, request->report);
    return TTP_OK;
}
