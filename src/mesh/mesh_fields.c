/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_fields.c - figures of the run as a whole. */
#include <math.h>

#include "mesh/mesh_fields.h"

#define MESH struct ttp_mesh

static const struct ttp_field pair = {TTP_ARRAY_HERE(struct ttp_mesh_two, v, ttp_bare_f64)};
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
    TTP_LISTED("device", TTP_OBJECT, list_device, ttp_mesh_bare_device, .help = "rank and id"),
    TTP_INT("op", "", TTP_FIGURE(struct aside, op), .help = "its number in the run, from 0"),
    TTP_INT("line", "", TTP_FIGURE(struct aside, line), .help = "row in the CSV of its rank"),
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
    struct ttp_mesh_two *list = TTP_NEW(m->arena, struct ttp_mesh_two, TTP_COUNT(m->pairs_by_rate));
    size_t n = 0;

    for (size_t i = 0; i < TTP_COUNT(m->pairs_by_rate); i++)
        if (m->pairs_by_rate[i])
            list[n++] =
                (struct ttp_mesh_two){{250.0 * (double)(1 << i), (double)m->pairs_by_rate[i]}};
    return (struct ttp_records){&ttp_mesh_bare_pair, context, list, sizeof(*list), n};
}

#define LINE struct ttp_mesh_timeline
static struct ttp_value of_line(const LINE *line, double v)
{
    return ttp_value_f64(line->related && isfinite(v) ? v : NAN);
}
TTP_GET(get_line_offset, void, LINE, of_line(r, r->offset_us))
TTP_GET(get_line_low, void, LINE, of_line(r, r->low_us))
TTP_GET(get_line_high, void, LINE, of_line(r, r->high_us))
static const struct ttp_field line_fields[] = {
    TTP_INT("devices", "", TTP_FIGURE(LINE, devices)),
    TTP_FLAG("related", TTP_FIGURE(LINE, related), .help = "to the reference"),
    TTP_REAL("offset_us", "us", 3, .get = get_line_offset,
             .help = "add it to common time of this line; null: unknown"),
    TTP_REAL("low_us", "us", 3, .get = get_line_low, .help = "lower bound of it"),
    TTP_REAL("high_us", "us", 3, .get = get_line_high, .help = "upper bound of it"),
};
static const struct ttp_fields timelines = {TTP_FIELDS(line_fields)};

/* Infinite where clocks do not relate. */
static struct ttp_value known(double v)
{
    return ttp_value_f64(isfinite(v) ? v : NAN);
}
TTP_GET(get_bound, void, MESH, known(r->bound_us))
TTP_GET(get_estimate, void, MESH, known(r->estimate_us))

static const struct ttp_field run_fields[] = {
    {.id = "missing_ranks", TTP_ROWS_AT(MESH, missing_rank, missing_ranks, wholes)},
    TTP_LISTED("shifts_in_doubt", TTP_ROWS, list_doubtful, wholes,
               .help = "ranks whose ops can be aligned with the others in several ways"),
    TTP_LISTED("mesh_shape", TTP_ROWS, list_shape, wholes,
               .help = "rows and columns; empty: unknown"),
    {.id = "mesh_order",
     TTP_ROWS_AT(MESH, order, orders, ttp_mesh_bare_index),
     .help = "devices row by row, null for a missing one"},
    TTP_INT("op_count", "", TTP_FIGURE(MESH, ops)),
    TTP_INT("iterations", "", TTP_FIGURE(MESH, window.iterations),
            .help = "in the part of the run that 'tt-perf report' shows"),
    TTP_INT("window_op_count", "", TTP_FIGURE(MESH, window.ops), .help = "ops of that part"),
    TTP_REAL("span_us", "us", 0, TTP_FIGURE(MESH, span_us),
             .help = "from the first start to the last end"),
    TTP_REAL("imbalance_us", "us", 0, TTP_FIGURE(MESH, imbalance_us),
             .help = "sum over the collectives of the mean wait"),
    TTP_REAL("ideal_gain_us", "us", 0, TTP_FIGURE(MESH, ideal_gain_us),
             .help =
                 "time saved if the last device arrived with the one before, at each collective"),
    TTP_LISTED("reference", TTP_OBJECT, list_reference, ttp_mesh_bare_device,
               .help = "device whose clock is the common time"),
    {.id = "grid_ns",
     TTP_ROWS_HERE(MESH, grid, grids, moments),
     .help = "points of common time; `devices` has the first, the middle and the last"},
    TTP_INT("timelines", "", TTP_FIGURE(MESH, components),
            .help = "clocks of different time lines are unrelated, or related by hosts alone"),
    {.id = "timeline_offsets",
     TTP_ROWS_AT(MESH, timeline, components, timelines),
     .help = "how clocks of hosts place each time line in the time of the reference"},
    TTP_REAL("bound_us", "us", 0, .get = get_bound,
             .help = "typical half width of the bounds at collectives"),
    TTP_REAL("estimate_us", "us", 0, .get = get_estimate,
             .help = "typical statistical error at collectives"),
    TTP_REAL("inconsistency_ns", "ns", 0, TTP_FIGURE(MESH, inconsistency_ns),
             .help = "largest contradiction between bounds"),
    TTP_REAL("rate_bound_ppm", "ppm", 0, TTP_FIGURE(MESH, rate_bound_ppm),
             .help = "the largest in use"),
    TTP_LISTED("pairs_by_rate_bound", TTP_ROWS, list_pairs, ttp_mesh_bare_pair,
               .help = "a rate in ppm, and the number of device pairs that needed it"),
    TTP_INT("pair_rows", "", TTP_FIGURE(MESH, pair_rows)),
    TTP_INT("pair_rows_against", "", TTP_FIGURE(MESH, pair_rows_against)),
    TTP_INT("collective_rows", "", TTP_FIGURE(MESH, collective_rows)),
    TTP_INT("rows_without_times", "", TTP_FIGURE(MESH, rows_without_times)),
    TTP_LISTED("rows_set_aside", TTP_ROWS, list_aside, aside_figures,
               .help = "they contradict the others"),
};
const struct ttp_fields ttp_mesh_run_fields = {TTP_FIELDS(run_fields)};
