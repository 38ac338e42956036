/* SPDX-License-Identifier: Apache-2.0 */
/* Any ops CSVs as the ranks of a run: bounds in order, times that are numbers, and a CSV of all of
 * them, which gives as many devices when it is read again. */
#include <math.h>

#include "fuzz.h"
#include "memfile.h"
#include "mesh/mesh.h"
#include "parts.h"

#define MAX_PARTS 4

static void check(const struct ttp_mesh *m)
{
    for (size_t o = 0; o < m->ops; o++)
        for (size_t d = 0; d < m->devices; d++) {
            const struct ttp_mesh_theta *t = &m->moment[o].theta[d];
            must(!(t->low > t->high) && !isnan(t->estimate));
        }
    for (size_t k = 0; k < m->collectives; k++) {
        const struct ttp_mesh_collective *c = &m->collective[k];
        must(!c->aligned || (c->skew_us >= 0 && c->error_us >= 0 && c->transfer_us >= 0));
    }
    for (size_t d = 0; d < m->devices; d++)
        must(isfinite(m->device[d].excess_us) && isfinite(m->device[d].wait_us));
}

static void read_again(const struct ttp_mesh *m, const ttp_str *text, struct ttp_arena *arena)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    struct ttp_err err = {0};
    struct memfile file;
    struct ttp_sink out;
    struct ttp_ops ops;

    ttp_sink_to_arena(&out, arena);
    if (ttp_mesh_write_csv(&out, m, (struct ttp_mesh_texts){text, -1}, arena, &err) != TTP_OK)
        return;
    memfile_open(&file, (const uint8_t *)ttp_sink_text(&out).ptr, ttp_sink_text(&out).len);
    const char *path = file.path;
    if (ttp_ops_read_csv(&ops, (struct ttp_paths){&path, 1}, &reading, arena, &err) == TTP_OK)
        must(ops.devices >= m->devices);
    close(file.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ttp_ops_read_options reading = {.threads = 1};
    const struct ttp_mesh_options options = {.ranks = (int64_t)(size % 5)};
    ttp_str rest = {(const char *)data, size}, text[MAX_PARTS];
    struct ttp_mesh_part part[MAX_PARTS] = {{0}};
    struct ttp_ops ops[MAX_PARTS];
    struct ttp_arena arena = {0};
    struct ttp_err err = {0};
    struct ttp_mesh mesh;
    size_t n = 0;

    while (n < MAX_PARTS && rest.len) {
        struct memfile file;
        text[n] = next_part(&rest);
        memfile_open(&file, (const uint8_t *)text[n].ptr, text[n].len);
        const char *path = file.path;
        const ttp_code rc =
            ttp_ops_read_csv(&ops[n], (struct ttp_paths){&path, 1}, &reading, &arena, &err);
        close(file.fd);
        if (rc != TTP_OK || ops[n].devices)
            continue;
        part[n] = (struct ttp_mesh_part){
            .rank = (int64_t)n, .mesh_id = -1, .name = "part", .ops = &ops[n]};
        n++;
    }
    if (n &&
        ttp_mesh_make(&mesh, (struct ttp_mesh_parts){part, n}, &options, &arena, &err) == TTP_OK) {
        check(&mesh);
        read_again(&mesh, text, &arena);
    }
    ttp_arena_free(&arena);
    return 0;
}
