/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - which rows of the table are whose: each process marks its run with signposts of its
 * own, whether its rows are in a file of their own or among those of other ranks. */
#include "analysis/stages.h"
#include "base/map.h"
#include "base/vec.h"

static bool rank_at(const struct ttp_stage *s, size_t row, int64_t *out)
{
    double v;

    if (!ttp_cell_f64(ttp_ops_cell(s->ops, TTP_OPS_RANK, row), &v) || !(v >= 0 && v < 1e9))
        return false;
    *out = (int64_t)v;
    return true;
}

/* Does the file have signposts, and a rank in each? */
static bool has_ranked_posts(const struct ttp_stage *s, size_t from, size_t to)
{
    bool any = false;
    int64_t rank;

    if (!s->ops->devices || !s->ops->number[TTP_OPS_RANK].kind)
        return false;
    for (size_t r = from; r < to; r++) {
        if (!ttp_stage_is_post(s, (uint32_t)r))
            continue;
        if (!rank_at(s, r, &rank))
            return false;
        any = true;
    }
    return any;
}

/* The host of that rank, a new one if there is none yet. */
static struct ttp_host_rows *host_of(struct ttp_hosts *out, struct ttp_map *place, int64_t rank,
                                     struct ttp_arena *arena)
{
    uint32_t at = ttp_map_get(place, (uint64_t)rank);

    if (at == TTP_MAP_NONE) {
        at = (uint32_t)out->count;
        ttp_map_put(place, (uint64_t)rank, at);
        TTP_ROOM(arena, out->host, out->count);
        out->host[out->count++] = (struct ttp_host_rows){.has_rank = true, .rank = rank};
    }
    return &out->host[at];
}

/* One host for each rank of the file, in the order in which they appear; rows without a rank belong
 * to none. */
static void add_ranks(struct ttp_hosts *out, const struct ttp_stage *s, size_t from, size_t to)
{
    struct ttp_map place = {.arena = s->arena}; /* in host[], by rank */
    const size_t before = out->count;
    int64_t rank;

    for (size_t r = from; r < to; r++)
        if (rank_at(s, r, &rank))
            host_of(out, &place, rank, s->arena)->count++;
    for (size_t h = before; h < out->count; h++) {
        out->host[h].row = TTP_NEW(s->arena, uint32_t, out->host[h].count);
        out->host[h].count = 0;
    }
    for (size_t r = from; r < to; r++) {
        if (!rank_at(s, r, &rank))
            continue;
        struct ttp_host_rows *host = host_of(out, &place, rank, s->arena);
        host->row[host->count++] = (uint32_t)r;
    }
}

void ttp_analysis_list_hosts(struct ttp_hosts *out, const struct ttp_stage *s)
{
    *out = (struct ttp_hosts){0};
    for (size_t f = 0; f < s->ops->files; f++) {
        const size_t from = s->ops->first_row[f], to = s->ops->first_row[f + 1];

        if (has_ranked_posts(s, from, to)) {
            add_ranks(out, s, from, to);
            continue;
        }
        TTP_ROOM(s->arena, out->host, out->count);
        out->host[out->count++] =
            (struct ttp_host_rows){.from = (uint32_t)from, .count = to - from};
    }
}
