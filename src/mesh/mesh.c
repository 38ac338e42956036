/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c - the line from tables of ranks to one run. */
#include <stdarg.h>

#include "base/order.h"
#include "base/sink.h"
#include "mesh/build.h"
#include "mesh/host_clocks.h"

int ttp_mesh_by_double(const void *pa, const void *pb)
{
    const double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

double ttp_mesh_median(double *v, size_t n)
{
    if (n == 0)
        return NAN;
    TTP_SORT(v, n, ttp_mesh_by_double);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

void ttp_mesh_note(struct ttp_mesh_build *b, const char *fmt, ...)
{
    struct ttp_sink s;
    va_list ap;

    ttp_sink_to_arena(&s, b->arena);
    va_start(ap, fmt);
    ttp_sink_vprintf(&s, fmt, ap);
    va_end(ap);
    ttp_words_add(&b->mesh->notes, ttp_arena_zstr(b->arena, ttp_sink_text(&s)), b->arena);
}

TTP_ORDER(by_rank, struct ttp_mesh_part, TTP_UP(rank))

/* Ranks below the highest one, or below the given size, that have no part. */
static void list_missing(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    const int64_t highest = b->part[b->parts - 1].rank + 1;
    const int64_t ranks = b->options->ranks > highest ? b->options->ranks : highest;

    m->missing_rank = TTP_NEW(b->arena, int64_t, (size_t)ranks);
    for (int64_t r = 0, p = 0; r < ranks; r++) {
        while (p < (int64_t)b->parts && b->part[p].rank < r)
            p++;
        if (p == (int64_t)b->parts || b->part[p].rank != r)
            m->missing_rank[m->missing_ranks++] = r;
    }
}

static void list_ranks(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;

    m->parts = b->parts;
    m->rank = TTP_NEW(b->arena, struct ttp_mesh_rank, b->parts);
    for (size_t p = 0; p < b->parts; p++)
        m->rank[p] = (struct ttp_mesh_rank){.rank = b->part[p].rank,
                                            .mesh_id = b->part[p].mesh_id,
                                            .host = b->part[p].host,
                                            .ops = b->sequence[p].steps,
                                            .shifts = 1};
    for (size_t d = 0; d < m->devices; d++)
        m->rank[m->device[d].part].devices++;
}

static void name_devices(struct ttp_mesh_build *b)
{
    for (size_t d = 0; d < b->mesh->devices; d++) {
        struct ttp_mesh_device *device = &b->mesh->device[d];
        device->name =
            ttp_sink_format(b->arena, "%lld:%lld", (long long)device->rank, (long long)device->id);
        device->place = device->has_place
                            ? ttp_sink_format(b->arena, "[%lld,%lld]", (long long)device->row,
                                              (long long)device->column)
                            : TTP_STR("");
    }
}

/* Of the ops, how many a rank may lack: runs are not cut at the same op everywhere. */
#define LACKS_MOST 0.02

static bool lacks_ops(const struct ttp_mesh_rank *rank, size_t ops)
{
    const double least = (double)ops * (1 - LACKS_MOST);
    /* if its place is known, one that only began late is no less complete at the end */
    const double late = !rank->doubtful && rank->shift > 0 ? (double)rank->shift : 0;

    return (double)rank->ops + late < least;
}

/* Ops that others ran after the last one of the rank: those that it lacks elsewhere are of other
 * programs, and no sign of an end. */
static bool stops_early(const struct ttp_mesh *m, size_t part)
{
    const struct ttp_mesh_rank *rank = &m->rank[part];

    if (rank->ops == 0 || rank->doubtful)
        return true;
    const double after = (double)(m->ops - 1 - m->op_of_step[part][rank->ops - 1]);
    return after > (double)m->ops * LACKS_MOST;
}

/* Ranks with fewer ops than at least half of all: their process may have died. */
static void note_short_ranks(struct ttp_mesh_build *b)
{
    const struct ttp_mesh *m = b->mesh;
    size_t ops = 0, lack = 0;

    for (size_t p = 0; p < m->parts; p++)
        ops = m->rank[p].ops > ops ? m->rank[p].ops : ops;
    for (size_t p = 0; p < m->parts; p++)
        lack += lacks_ops(&m->rank[p], ops);
    if (lack * 2 > m->parts)
        return;
    for (size_t p = 0; p < m->parts; p++)
        if (lacks_ops(&m->rank[p], ops) && stops_early(m, p))
            ttp_mesh_note(b,
                          "rank %lld has fewer ops (%zu) than the others (%zu): it may have ended "
                          "early%s",
                          (long long)m->rank[p].rank, m->rank[p].ops, ops,
                          m->rank[p].doubtful ? ", or begun late" : "");
}

ttp_code ttp_mesh_make(struct ttp_mesh *out, struct ttp_mesh_parts in,
                       const struct ttp_mesh_options *options, struct ttp_arena *arena,
                       struct ttp_err *err)
{
    struct ttp_mesh_part *sorted = TTP_NEW(arena, struct ttp_mesh_part, in.parts + 1);
    struct ttp_mesh_build b = {
        .mesh = out, .part = sorted, .parts = in.parts, .options = options, .arena = arena};

    *out = (struct ttp_mesh){.arena = arena, .reference = TTP_MESH_NONE};
    if (in.parts == 0)
        return ttp_fail(err, TTP_EPARSE, "no rank to read");
    memcpy(sorted, in.part, in.parts * sizeof(*in.part));
    TTP_SORT(sorted, in.parts, by_rank);
    ttp_mesh_host_share_realtime(sorted, in.parts);
    if (sorted[0].rank < 0 || sorted[in.parts - 1].rank > TTP_MESH_MAX_RANK)
        return ttp_fail(
            err, TTP_ELIMIT, "'%s': no rank %lld",
            sorted[0].rank < 0 ? sorted[0].name : sorted[in.parts - 1].name,
            (long long)(sorted[0].rank < 0 ? sorted[0].rank : sorted[in.parts - 1].rank));
    TTP_TRY(ttp_mesh_read_parts(&b, err));
    list_ranks(&b);
    list_missing(&b);
    TTP_TRY(ttp_mesh_match(&b, err));
    ttp_mesh_set_bases(&b);
    ttp_mesh_find_groups(&b);
    ttp_mesh_note_groups(&b);
    ttp_mesh_align(&b);
    ttp_mesh_explain(&b);
    note_short_ranks(&b);
    name_devices(&b);
    return TTP_OK;
}

bool ttp_mesh_told_shift(const struct ttp_mesh_build *b, int64_t rank, int64_t *shift)
{
    for (size_t i = 0; i < b->options->shifts; i++)
        if (b->options->shift[i].rank == rank) {
            *shift = b->options->shift[i].steps;
            return true;
        }
    return false;
}

struct ttp_mesh_theta ttp_mesh_theta_at(const struct ttp_mesh *mesh, uint32_t op,
                                        const struct ttp_mesh_cell *cell)
{
    const struct ttp_mesh_moment *moment = &mesh->moment[op];
    struct ttp_mesh_theta t = moment->theta[cell->device];
    const double off = fabs(cell->start + t.estimate - moment->at) * mesh->rate_bound_ppm * 1e-6;

    t.low -= off;
    t.high += off;
    return t;
}

double ttp_mesh_theta_error(const struct ttp_mesh_theta *theta)
{
    const double above = theta->high - theta->estimate, below = theta->estimate - theta->low;

    return above > below ? above : below;
}
