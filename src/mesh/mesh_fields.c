/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_fields.c - figures of the run as a whole. */
#include <math.h>

#include "mesh/mesh_fields.h"

#define MESH struct ttp_mesh

static const struct ttp_field pair = {TTP_ARRAY_HERE(struct ttp_mesh_pair, v, ttp_bare_f64)};
const struct ttp_fields ttp_mesh_bare_pair = {&pair, 1, NULL, 0, NULL};
static const struct ttp_field whole = {.type = TTP_I64, .stored = TTP_STORED_I64};
static const struct ttp_fields wholes = {&whole, 1, NULL, 0, NULL};
static const struct ttp_field moment = {.type = TTP_F64, TTP_FIGURE(struct ttp_mesh_moment, at)};
static const struct ttp_fields moments = {&moment, 1, NULL, 0, NULL};

/* ---- rows that contradict the others ---- */

struct aside {
    uint32_t device;
    size_t op, line;
};

static struct ttp_records list_device(const void *context, const void *row)
{
    return ttp_mesh_device_record(context, ((const struct aside *)row)->device);
}

static const struct ttp_field aside_fields[] = {
    TTP_A_LIST("device", TTP_OBJECT, list_device, ttp_mesh_bare_device, .help = "rank and id"),
    TTP_A_WHOLE("op", struct aside, op, .help = "its number in the run, from 0"),
    TTP_A_WHOLE("line", struct aside, line, .help = "row in the CSV of its rank"),
};
static const struct ttp_fields aside_figures = {TTP_FIELDS(aside_fields)};

static size_t find_aside(struct aside *out, const MESH *m)
{
    size_t n = 0;

    for (size_t o = 0; o < m->ops; o++)
        for (uint32_t k = 0; k < m->op[o].cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[m->op[o].cells_at + k];
            if (!c->aside)
                continue;
            if (out)
                out[n] = (struct aside){c->device, o, (size_t)c->row + 2};
            n++;
        }
    return n;
}

static struct ttp_records list_aside(const void *context, const void *row)
{
    const MESH *m = row;
    const size_t count = find_aside(NULL, m);
    struct aside *found = TTP_NEW(m->arena, struct aside, count + 1);

    (void)find_aside(found, m);
    return (struct ttp_records){&aside_figures, context, found, sizeof(*found), count};
}

/* ---- other lists ---- */

static struct ttp_records list_doubtful(const void *context, const void *row)
{
    const MESH *m = row;
    int64_t *rank = TTP_NEW(m->arena, int64_t, m->parts + 1);
    size_t n = 0;

    for (size_t i = 0; i < m->parts; i++)
        if (m->rank[i].doubtful)
            rank[n++] = m->rank[i].rank;
    return (struct ttp_records){&wholes, context, rank, sizeof(*rank), n};
}

static struct ttp_records list_shape(const void *context, const void *row)
{
    const MESH *m = row;

    return (struct ttp_records){&wholes, context, &m->mesh_rows, sizeof(m->mesh_rows),
                                m->mesh_rows && m->mesh_columns ? 2 : 0};
}
_Static_assert(offsetof(MESH, mesh_columns) == offsetof(MESH, mesh_rows) + sizeof(int64_t),
               "the first two elements of the list");

static struct ttp_records list_reference(const void *context, const void *row)
{
    return ttp_mesh_device_record(context, ((const MESH *)row)->reference);
}

static struct ttp_records list_pairs(const void *context, const void *row)
{
    const MESH *m = row;
    struct ttp_mesh_pair *list =
        TTP_NEW(m->arena, struct ttp_mesh_pair, TTP_COUNT(m->pairs_by_rate));
    size_t n = 0;

    for (size_t i = 0; i < TTP_COUNT(m->pairs_by_rate); i++)
        if (m->pairs_by_rate[i])
            list[n++] =
                (struct ttp_mesh_pair){{250.0 * (double)(1 << i), (double)m->pairs_by_rate[i]}};
    return (struct ttp_records){&ttp_mesh_bare_pair, context, list, sizeof(*list), n};
}

/* Infinite where clocks do not relate. */
static struct ttp_value known(double v)
{
    return ttp_value_f64(isfinite(v) ? v : NAN);
}
TTP_GETTER(get_bound, MESH, known(r->bound_us))
TTP_GETTER(get_estimate, MESH, known(r->estimate_us))

static const struct ttp_field run_fields[] = {
    {.id = "missing_ranks", TTP_ROWS_AT(MESH, missing_rank, missing_ranks, wholes)},
    TTP_A_LIST("shifts_in_doubt", TTP_ROWS, list_doubtful, wholes,
               .help = "ranks whose ops can be aligned with the others in several ways"),
    TTP_A_LIST("mesh_shape", TTP_ROWS, list_shape, wholes,
               .help = "rows and columns; empty: unknown"),
    {.id = "mesh_order",
     TTP_ROWS_AT(MESH, order, orders, ttp_mesh_bare_index),
     .help = "devices row by row, null for a missing one"},
    TTP_A_WHOLE("ops", MESH, ops),
    TTP_A_WHOLE("iterations", MESH, iterations),
    TTP_A_REAL("span_us", MESH, span_us, .unit = "us",
               .help = "from the first start to the last end"),
    TTP_A_REAL("imbalance_us", MESH, imbalance_us, .unit = "us",
               .help = "sum over the collectives of the mean wait"),
    TTP_A_REAL("ideal_gain_us", MESH, ideal_gain_us, .unit = "us",
               .help =
                   "time saved if the last device arrived with the one before, at each collective"),
    TTP_A_LIST("reference", TTP_OBJECT, list_reference, ttp_mesh_bare_device,
               .help = "device whose clock is the common time"),
    {.id = "grid_ns",
     TTP_ROWS_HERE(MESH, grid, grids, moments),
     .help = "points of common time; `devices` has the first, the middle and the last"},
    TTP_A_WHOLE("timelines", MESH, components,
                .help = "clocks of different time lines are unrelated"),
    TTP_A_GOT("bound_us", TTP_F64, get_bound, .unit = "us",
              .help = "typical half width of the bounds at collectives"),
    TTP_A_GOT("estimate_us", TTP_F64, get_estimate, .unit = "us",
              .help = "typical statistical error at collectives"),
    TTP_A_REAL("inconsistency_ns", MESH, inconsistency_ns, .unit = "ns",
               .help = "largest contradiction between bounds"),
    TTP_A_REAL("rate_bound_ppm", MESH, rate_bound_ppm, .unit = "ppm", .help = "the largest in use"),
    TTP_A_LIST("pairs_by_rate_bound", TTP_ROWS, list_pairs, ttp_mesh_bare_pair,
               .help = "a rate in ppm, and the number of device pairs that needed it"),
    TTP_A_WHOLE("pair_rows", MESH, pair_rows),
    TTP_A_WHOLE("pair_rows_against", MESH, pair_rows_against),
    TTP_A_WHOLE("collective_rows", MESH, collective_rows),
    TTP_A_WHOLE("rows_without_times", MESH, rows_without_times),
    TTP_A_LIST("rows_set_aside", TTP_ROWS, list_aside, aside_figures,
               .help = "they contradict the others"),
};
const struct ttp_fields ttp_mesh_run_fields = {TTP_FIELDS(run_fields)};
