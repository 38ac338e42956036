/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - constraints on pairs of clocks, their contradictions, and the rate at which clocks
 * diverge. */
#include "mesh/pairs.h"

#include <stdlib.h>

#include "base/order.h"
#include "mesh/one_way.h"

/* From that many on the second-tightest bound counts: one wrong row cannot cut the truth off. */
#define DEPTH_2_FROM 8
/* Of a pair's collectives, as many may be set aside to get by with a lower rate. */
#define PAIR_ASIDE 0.02
/* How the estimate chooses its ends. */
#define NEAREST   9
#define WITHIN_NS 10e6
#define MAD_TO_SD 1.4826
/* How exactly a synchronisation measures a difference: specification of the mesh, 4.2. */
#define SYNC_ERROR_NS 1000.0

/* ---- making them ---- */

TTP_ORDER(by_pair, struct ttp_mesh_pair, TTP_UP(i), TTP_UP(j))

struct ttp_mesh_pair *ttp_mesh_pairs_find(const struct ttp_mesh_pairs *pairs, uint32_t i,
                                          uint32_t j)
{
    const struct ttp_mesh_pair key = {.i = i, .j = j};

    if (pairs->count == 0)
        return NULL;
    return bsearch(&key, pairs->pair, pairs->count, sizeof(key), by_pair);
}

static struct ttp_mesh_pair pair_of(uint32_t a, uint32_t b)
{
    return (struct ttp_mesh_pair){.i = a < b ? a : b, .j = a < b ? b : a};
}

static void list_pairs(struct ttp_mesh_pairs *out, const struct ttp_mesh_grouping *grouping,
                       const struct ttp_mesh_links *links)
{
    const struct ttp_mesh_cell *cell = out->mesh->cell;
    size_t n = 0;

    for (size_t g = 0; g < grouping->groups; g++)
        n += grouping->group[g].members * (grouping->group[g].members - 1) / 2;
    const size_t measures = grouping->axis == TTP_MESH_NONE ? out->mesh->measures : 0;
    out->pair = TTP_NEW(out->arena, struct ttp_mesh_pair, n + links->count + measures);
    n = 0;
    for (size_t k = 0; k < measures; k++)
        out->pair[n++] = pair_of(out->mesh->measured[k].i, out->mesh->measured[k].j);
    for (size_t l = 0; l < links->count; l++)
        out->pair[n++] =
            pair_of(cell[links->link[l].sender].device, cell[links->link[l].receiver].device);
    for (size_t g = 0; g < grouping->groups; g++) {
        const struct ttp_mesh_group *group = &grouping->group[g];
        for (size_t a = 0; a < group->members; a++)
            for (size_t b = a + 1; b < group->members; b++) {
                out->pair[n++] = pair_of(group->member[a], group->member[b]);
            }
    }
    TTP_SORT(out->pair, n, by_pair);
    for (size_t k = 0; k < n; k++)
        if (out->count == 0 || by_pair(&out->pair[out->count - 1], &out->pair[k]) != 0)
            out->pair[out->count++] = out->pair[k];
}

static bool usable(const struct ttp_mesh_cell *c)
{
    return c && c->timed && !c->aside;
}

/* Call for every witness: the first time counts, the second time fills. */
static void add_witness(struct ttp_mesh_pairs *out, uint32_t op, uint32_t i, uint32_t j)
{
    const struct ttp_mesh *m = out->mesh;
    const struct ttp_mesh_cell *ci = ttp_mesh_cell_of(m, &m->op[op], i),
                               *cj = ttp_mesh_cell_of(m, &m->op[op], j);

    if (!usable(ci) || !usable(cj))
        return;
    struct ttp_mesh_pair *p = ttp_mesh_pairs_find(out, i, j);
    if (p->witness)
        p->witness[p->witnesses] = (struct ttp_witness){
            .floor = ci->start - cj->end + m->op[op].least_ns,
            .floor_at = cj->end,
            .roof = ci->end - cj->start - m->op[op].least_ns,
            .roof_at = cj->start,
            .ends = ci->end - cj->end,
            .op = op,
            .cell = {(uint32_t)(ci - m->cell), (uint32_t)(cj - m->cell)},
            .unfused = !m->op[op].fused,
        };
    p->witnesses++;
}

/* The receiver ends after its sender began: a bound from one side. Call it as add_witness(). */
static void add_link(struct ttp_mesh_pairs *out, const struct ttp_mesh_link *link)
{
    const struct ttp_mesh_cell *from = &out->mesh->cell[link->sender],
                               *to = &out->mesh->cell[link->receiver];
    const bool forward = from->device < to->device;
    const struct ttp_mesh_cell *ci = forward ? from : to, *cj = forward ? to : from;

    if (!usable(from) || !usable(to))
        return;
    struct ttp_mesh_pair *p = ttp_mesh_pairs_find(out, ci->device, cj->device);
    if (p->witness)
        p->witness[p->witnesses] = (struct ttp_witness){
            .floor = forward ? ci->start - cj->end : -INFINITY,
            .floor_at = cj->end,
            .roof = forward ? INFINITY : ci->end - cj->start,
            .roof_at = cj->start,
            .op = link->op,
            .cell = {(uint32_t)(ci - out->mesh->cell), (uint32_t)(cj - out->mesh->cell)},
        };
    p->witnesses++;
}

/* What a synchronisation measured holds at that moment, and no longer. */
static void add_measured(struct ttp_mesh_pairs *out, const struct ttp_mesh_measured *measured)
{
    struct ttp_mesh_pair *p = ttp_mesh_pairs_find(out, measured->i, measured->j);

    if (p->witness)
        p->witness[p->witnesses] = (struct ttp_witness){
            .floor = measured->difference - SYNC_ERROR_NS,
            .floor_at = measured->at,
            .roof = measured->difference + SYNC_ERROR_NS,
            .roof_at = measured->at,
            .op = TTP_MESH_NONE,
            .cell = {TTP_MESH_NONE, TTP_MESH_NONE},
        };
    p->witnesses++;
}

static bool is_wanted(const struct ttp_mesh *m, const struct ttp_mesh_op *op, uint32_t axis)
{
    if (op->kind != TTP_MESH_ALL_WAIT || op->axis_at == TTP_MESH_NONE || op->distrusted)
        return false;
    return axis == TTP_MESH_NONE ? !m->axis[op->axis_at].refused : op->axis_at == axis;
}

static void witness_of_group(struct ttp_mesh_pairs *out, uint32_t op,
                             const struct ttp_mesh_group *group)
{
    for (size_t a = 0; a < group->members; a++)
        for (size_t b = a + 1; b < group->members; b++) {
            const uint32_t i = group->member[a], j = group->member[b];
            add_witness(out, op, i < j ? i : j, i < j ? j : i);
        }
}

static void each_witness(struct ttp_mesh_pairs *out, const struct ttp_mesh_grouping *grouping,
                         const struct ttp_mesh_links *links)
{
    const struct ttp_mesh *m = out->mesh;

    for (size_t l = 0; l < links->count; l++)
        add_link(out, &links->link[l]);
    for (size_t k = 0; grouping->axis == TTP_MESH_NONE && k < m->measures; k++)
        add_measured(out, &m->measured[k]);

    for (uint32_t o = 0; o < m->ops; o++)
        for (size_t g = 0; is_wanted(m, &m->op[o], grouping->axis) && g < grouping->groups; g++)
            if (grouping->group[g].axis == m->op[o].axis_at)
                witness_of_group(out, o, &grouping->group[g]);
}

void ttp_mesh_pairs_make(struct ttp_mesh_pairs *out, const struct ttp_mesh *mesh,
                         const struct ttp_mesh_grouping *grouping, struct ttp_arena *arena)
{
    struct ttp_mesh_links links = {0};

    *out = (struct ttp_mesh_pairs){.arena = arena, .mesh = mesh};
    if (grouping->axis == TTP_MESH_NONE) /* no test of groups */
        ttp_mesh_links_find(&links, mesh, arena);
    list_pairs(out, grouping, &links);
    each_witness(out, grouping, &links);
    for (size_t p = 0; p < out->count; p++) {
        out->pair[p].witness = TTP_NEW(arena, struct ttp_witness, out->pair[p].witnesses + 1);
        out->pair[p].witnesses = 0;
    }
    each_witness(out, grouping, &links);
}

/* ---- contradictions ---- */

static bool contradict(const struct ttp_witness *floor, const struct ttp_witness *roof,
                       double slope)
{
    return floor->floor - roof->roof >
           slope * fabs(floor->floor_at - roof->roof_at) + TTP_RATE_SLACK_NS;
}

TTP_ORDER(by_x, struct ttp_roof_point_at, TTP_UP(x), TTP_UP(witness))

/* Roofs of what is in use, or floors with their sign turned, by time. */
static struct ttp_roof_point_at *list_points(const struct ttp_mesh_pair *p, bool floors, size_t *n,
                                             struct ttp_arena *arena)
{
    struct ttp_roof_point_at *point = TTP_NEW(arena, struct ttp_roof_point_at, p->witnesses);

    *n = 0;
    for (size_t k = 0; k < p->witnesses; k++) {
        const struct ttp_witness *w = &p->witness[k];
        if (w->out || isinf(floors ? w->floor : w->roof))
            continue;
        point[(*n)++] = (struct ttp_roof_point_at){.x = floors ? w->floor_at : w->roof_at,
                                                   .y = floors ? -w->floor : w->roof,
                                                   .witness = (uint32_t)k};
    }
    TTP_SORT(point, *n, by_x);
    return point;
}

/* What each contradiction adds to, for those concerned. */
struct tally {
    uint32_t *row;     /* by cell, or NULL */
    uint32_t *witness; /* by witness of the pair, or NULL */
};

static void count_one(const struct tally *t, const struct ttp_mesh_pair *p, size_t k, size_t l,
                      int sign)
{
    for (int side = 0; side < 2 && t->row; side++) {
        if (p->witness[k].op != TTP_MESH_NONE)
            t->row[p->witness[k].cell[side]] += (uint32_t)sign;
        if (p->witness[l].op != TTP_MESH_NONE)
            t->row[p->witness[l].cell[side]] += (uint32_t)sign;
    }
    if (t->witness) {
        t->witness[k] += (uint32_t)sign;
        t->witness[l] += (uint32_t)sign;
    }
}

/* All contradictions of a pair. The envelope says which floors have any, so that a pair without
 * them costs little. */
static size_t count_all(const struct tally *t, const struct ttp_mesh_pair *p, double slope,
                        struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    struct ttp_envelope roof;
    size_t points, n = 0;

    const struct ttp_roof_point_at *point = list_points(p, false, &points, scratch);
    ttp_mesh_envelope_make(&roof, point, points, slope, scratch);
    for (size_t k = 0; k < p->witnesses; k++) {
        const struct ttp_witness *w = &p->witness[k];
        if (w->out || w->floor - ttp_mesh_envelope_at(&roof, w->floor_at, 1) <= 0)
            continue;
        for (size_t l = 0; l < p->witnesses; l++)
            if (!p->witness[l].out && contradict(w, &p->witness[l], slope)) {
                count_one(t, p, k, l, 1);
                n++;
            }
    }
    ttp_arena_rewind(scratch, mark);
    return n;
}

/* Witness k of a pair is out: so are its contradictions. Returns how many these were. */
static size_t take_out(const struct tally *t, struct ttp_mesh_pair *p, size_t k, double slope)
{
    struct ttp_witness *w = &p->witness[k];
    size_t n = 0;

    if (w->out)
        return 0;
    for (size_t l = 0; l < p->witnesses; l++) {
        const struct ttp_witness *v = &p->witness[l];
        if (v->out || l == k)
            continue;
        if (contradict(w, v, slope)) {
            count_one(t, p, k, l, -1);
            n++;
        }
        if (contradict(v, w, slope)) {
            count_one(t, p, l, k, -1);
            n++;
        }
    }
    w->out = true;
    return n;
}

static size_t take_out_row(const struct tally *t, struct ttp_mesh_pairs *pairs, uint32_t cell,
                           double slope)
{
    const uint32_t device = pairs->mesh->cell[cell].device;
    size_t n = 0;

    for (size_t p = 0; p < pairs->count; p++) {
        struct ttp_mesh_pair *pair = &pairs->pair[p];
        if (pair->i != device && pair->j != device)
            continue;
        for (size_t k = 0; k < pair->witnesses; k++)
            if (pair->witness[k].cell[pair->j == device] == cell)
                n += take_out(t, pair, k, slope);
    }
    return n;
}

static size_t most(const uint32_t *count, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

size_t ttp_mesh_pairs_set_aside(struct ttp_mesh_pairs *pairs, double ppm, size_t limit,
                                uint32_t *aside)
{
    const double slope = ppm * 1e-6;
    const struct tally t = {.row = TTP_NEW(pairs->arena, uint32_t, pairs->mesh->cells)};
    size_t left = 0, n = 0;

    for (size_t p = 0; p < pairs->count; p++)
        left += count_all(&t, &pairs->pair[p], slope, pairs->arena);
    while (left && n < limit) {
        const uint32_t cell = (uint32_t)most(t.row, pairs->mesh->cells);
        if (t.row[cell] == 0) /* what is left is between synchronisations: not of a row */
            break;
        left -= take_out_row(&t, pairs, cell, slope);
        aside[n++] = cell;
    }
    return n;
}

/* ---- rates ---- */

/* Witnesses that were set aside. */
struct outs {
    uint32_t *at;
    size_t count, limit;
};

/* Set aside what contradicts at `slope`; false: that would be more than the limit. The witnesses
 * concerned are in use again when this returns. */
static bool fits(struct ttp_mesh_pair *p, double slope, struct outs *outs,
                 struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const struct tally t = {.witness = TTP_NEW(scratch, uint32_t, p->witnesses + 1)};
    size_t left = count_all(&t, p, slope, scratch);

    outs->count = 0;
    while (left && outs->count < outs->limit) {
        const size_t k = most(t.witness, p->witnesses);
        left -= take_out(&t, p, k, slope);
        outs->at[outs->count++] = (uint32_t)k;
    }
    for (size_t k = 0; k < outs->count; k++)
        p->witness[outs->at[k]].out = false;
    ttp_arena_rewind(scratch, mark);
    return left == 0;
}

static void find_rate(struct ttp_mesh_pair *p, struct ttp_arena *arena)
{
    struct outs outs = {0};

    p->used = 0;
    for (size_t k = 0; k < p->witnesses; k++)
        p->used += !p->witness[k].out;
    outs.limit = (size_t)(PAIR_ASIDE * (double)p->used);
    outs.at = TTP_NEW(arena, uint32_t, outs.limit + 1);
    for (p->rate = 0; p->rate < TTP_RATES - 1; p->rate++)
        if (fits(p, TTP_RATE_PPM(p->rate) * 1e-6, &outs, arena))
            break;
    if (p->rate == TTP_RATES - 1) /* no row contradicts here any more */
        outs.count = 0;
    for (size_t k = 0; k < outs.count; k++)
        p->witness[outs.at[k]].out = true;
    p->against = outs.count;
    p->used -= outs.count;
    p->slope = TTP_RATE_PPM(p->rate) * 1e-6;
    if (p->rate > 0 || outs.count > 0)
        p->slope *= 2; /* clocks that move once may move more between two collectives */
}

void ttp_mesh_pairs_find_rates(struct ttp_mesh_pairs *pairs)
{
    for (size_t p = 0; p < pairs->count; p++)
        find_rate(&pairs->pair[p], pairs->arena);
}

uint32_t ttp_mesh_pair_worst_op(const struct ttp_mesh_pair *p, struct ttp_arena *scratch)
{
    const struct ttp_mark mark = ttp_arena_mark(scratch);
    const struct tally t = {.witness = TTP_NEW(scratch, uint32_t, p->witnesses + 1)};

    (void)count_all(&t, p, TTP_RATE_WORST / 2 * 1e-6, scratch);
    const uint32_t op = p->witness[most(t.witness, p->witnesses)].op;
    ttp_arena_rewind(scratch, mark);
    return op;
}

/* ---- asking them ---- */

static void settle_ends(struct ttp_mesh_pair *p, const struct ttp_roof_point_at *by_time, size_t n,
                        struct ttp_arena *arena)
{
    p->ends_at = TTP_NEW(arena, double, n);
    p->ends = TTP_NEW(arena, double, n);
    p->nends = 0;
    for (size_t k = 0; k < n; k++) {
        const struct ttp_witness *w = &p->witness[by_time[k].witness];
        if (!w->unfused)
            continue;
        p->ends_at[p->nends] = w->floor_at; /* the end by j's clock */
        p->ends[p->nends++] = w->ends;
    }
}

size_t ttp_mesh_pairs_settle(struct ttp_mesh_pairs *pairs, bool steady)
{
    size_t unsteady = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        struct ttp_mesh_pair *p = &pairs->pair[i];
        size_t roofs, floors;
        const struct ttp_roof_point_at *roof = list_points(p, false, &roofs, pairs->arena);
        const struct ttp_roof_point_at *floor = list_points(p, true, &floors, pairs->arena);

        p->used = roofs > floors ? roofs : floors;
        p->two_sided = roofs && floors;
        p->roof_depth = roofs >= DEPTH_2_FROM ? 2 : 1;
        p->floor_depth = floors >= DEPTH_2_FROM ? 2 : 1;
        ttp_mesh_envelope_make(&p->roof, roof, roofs, p->slope, pairs->arena);
        ttp_mesh_envelope_make(&p->floor, floor, floors, p->slope, pairs->arena);
        settle_ends(p, floor, floors, pairs->arena);
        if (!steady || !p->two_sided)
            continue;
        const struct ttp_steady_points points = {roof, floor, roofs, floors, p->slope};
        ttp_mesh_steady_make(&p->line, &points, pairs->arena);
        unsteady += p->line.corners == 0;
    }
    return unsteady;
}

void ttp_mesh_pair_bounds(const struct ttp_mesh_pair *p, double x, double *low, double *high)
{
    double line_low, line_high;

    *low = -ttp_mesh_envelope_at(&p->floor, x, p->floor_depth);
    *high = ttp_mesh_envelope_at(&p->roof, x, p->roof_depth);
    if (p->line.corners == 0)
        return;
    ttp_mesh_steady_bounds(&p->line, x, &line_low, &line_high);
    *low = fmax(*low, line_low);
    *high = fmin(*high, line_high);
}

bool ttp_mesh_pair_estimate(const struct ttp_mesh_pair *p, double x, double *value, double *error)
{
    double near[NEAREST];
    size_t low = 0, n = 0;

    TTP_BISECT(low, p->nends, mid, p->ends_at[mid] < x);
    size_t left = low, right = low; /* [left, right) are taken */
    while (n < NEAREST && (left > 0 || right < p->nends)) {
        const double dl = left > 0 ? x - p->ends_at[left - 1] : INFINITY,
                     dr = right < p->nends ? p->ends_at[right] - x : INFINITY;
        if (n && (dl < dr ? dl : dr) > WITHIN_NS)
            break;
        near[n++] = dl < dr ? p->ends[--left] : p->ends[right++];
    }
    if (n == 0)
        return false;
    *value = ttp_mesh_median(near, n);
    for (size_t k = 0; k < n; k++)
        near[k] = fabs(near[k] - *value);
    *error = MAD_TO_SD * ttp_mesh_median(near, n);
    return true;
}
