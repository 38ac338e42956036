/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - which devices run a collective together. */
#include "base/order.h"
#include "mesh/layout.h"
#include "mesh/pairs.h"

/* Rows that may contradict before a grouping is refused: a share, and one or two by chance. */
#define ROWS_AGAINST 0.03
#define BY_CHANCE    2
/* All pairs are compared to cluster devices. */
#define MAX_CLUSTERED 512

struct finder {
    struct ttp_mesh_build *b;
    struct ttp_mesh_layout layout;
};

/* A grouping of all devices: by device the number of its group, TTP_MESH_NONE: in none. */
struct split {
    uint32_t *of;
    size_t groups;
    size_t against; /* rows, at 2,000 ppm */
};

/* ---- axes of the ops ---- */

/* Which axis and size an op's ring has. */
static void ring_of(const struct finder *f, const struct ttp_mesh_op *op, int64_t *axis,
                    size_t *size)
{
    const struct ttp_mesh_layout *l = &f->layout;

    *axis = op->axis;
    *size = op->ring ? (size_t)op->ring : ttp_mesh_ring_by_shape(op);
    if (*axis > 1)
        *axis = -1;
    if (*axis >= 0) {
        if (!op->ring && l->size[*axis])
            *size = l->size[*axis];
        if (*size >= l->slots || *size == 0) {
            *axis = -1;
            *size = l->slots;
        }
        return;
    }
    if (*size == 0 || *size >= l->slots) {
        *size = l->slots;
        return;
    }
    for (int a = 1; a >= 0; a--)
        if (l->size[a] == *size) {
            *axis = a;
            return;
        }
}

/* From the start of one device to the end of another: its own shard over one link. A ring may send
 * half of it each way; links that the run does not report may be many. */
static double least_transfer(const struct finder *f, const struct ttp_mesh_op *op, size_t ring)
{
    const struct ttp_mesh *m = f->b->mesh;
    const struct ttp_arch *arch =
        op->cells ? ttp_boards_find_arch(f->b->options->boards,
                                         m->device[m->cell[op->cells_at].device].arch, true)
                  : NULL;
    const uint8_t sends = ttp_op_family_of(op->code).sends;

    if (!f->b->options->link_model || !arch || !(arch->link_gbs > 0))
        return 0;
    if (op->links <= 0 || op->fused || !sends)
        return arch->hop_ns;
    const double bytes =
        (sends == TTP_MOVES_GATHERED ? op->in_bytes : op->in_bytes / (double)ring) /
        (op->ring_topology ? 2 : 1);
    return arch->hop_ns + bytes / ((double)op->links * arch->link_gbs);
}

static uint32_t find_axis(struct ttp_mesh *m, int64_t axis, size_t size)
{
    for (uint32_t a = 0; a < m->axes; a++)
        if (m->axis[a].axis == axis && m->axis[a].size == size)
            return a;
    m->axis[m->axes] = (struct ttp_mesh_axis){.axis = axis, .size = size};
    return (uint32_t)m->axes++;
}

static void list_axes(struct finder *f)
{
    struct ttp_mesh *m = f->b->mesh;
    int64_t axis;
    size_t size;

    m->axis = TTP_NEW(f->b->arena, struct ttp_mesh_axis, m->ops);
    m->axes = 0;
    for (size_t o = 0; o < m->ops; o++) {
        struct ttp_mesh_op *op = &m->op[o];
        op->axis_at = TTP_MESH_NONE;
        if (op->kind != TTP_MESH_ALL_WAIT)
            continue;
        ring_of(f, op, &axis, &size);
        if (size < 2)
            continue;
        op->axis_at = find_axis(m, axis, size);
        op->least_ns = least_transfer(f, op, size);
        for (uint32_t c = 0; c < op->cells; c++)
            m->axis[op->axis_at].rows += m->cell[op->cells_at + c].timed;
    }
}

/* ---- groupings ---- */

static struct split new_split(const struct finder *f)
{
    struct split s = {.of = TTP_NEW(f->b->arena, uint32_t, f->b->mesh->devices)};

    for (size_t d = 0; d < f->b->mesh->devices; d++)
        s.of[d] = TTP_MESH_NONE;
    return s;
}

static bool same_spot(const struct ttp_mesh_spot *a, const struct ttp_mesh_spot *b, int64_t axis,
                      size_t size)
{
    const int64_t n = (int64_t)size;

    if (a->block != b->block)
        return false;
    return axis == 0 ? a->column == b->column && a->row / n == b->row / n
                     : a->row == b->row && a->column / n == b->column / n;
}

/* By coordinates: equal rows for axis 1, equal columns for axis 0. */
static struct split split_by_spot(const struct finder *f, const struct ttp_mesh_axis *axis)
{
    const struct ttp_mesh *m = f->b->mesh;
    struct split s = new_split(f);

    for (uint32_t d = 0; d < m->devices; d++) {
        if (s.of[d] != TTP_MESH_NONE)
            continue;
        for (uint32_t e = d; e < m->devices; e++)
            if (s.of[e] == TTP_MESH_NONE &&
                (axis->size >= f->layout.slots ||
                 same_spot(&f->layout.spot[d], &f->layout.spot[e], axis->axis, axis->size)))
                s.of[e] = (uint32_t)s.groups;
        s.groups++;
    }
    return s;
}

/* Groups that cannot be right if those of `from` are: the k-th member goes k groups further. */
static struct split split_askew(const struct finder *f, const struct split *from)
{
    const size_t devices = f->b->mesh->devices;
    struct split s = new_split(f);
    uint32_t *seen = TTP_NEW(f->b->arena, uint32_t, from->groups + 1);

    s.groups = from->groups;
    for (size_t d = 0; d < devices; d++)
        if (from->of[d] != TTP_MESH_NONE)
            s.of[d] = (uint32_t)((from->of[d] + seen[from->of[d]]++) % from->groups);
    return s;
}

struct bond {
    double cost;
    uint32_t i, j;
};

TTP_ORDER(by_cost, struct bond, TTP_UP(cost), TTP_UP(i), TTP_UP(j))

/* Median change of the difference of ends from one collective to the next. */
static double coherence(const struct finder *f, uint32_t axis, uint32_t i, uint32_t j,
                        double *change)
{
    const struct ttp_mesh *m = f->b->mesh;
    double before = 0;
    size_t n = 0, both = 0;

    for (size_t o = 0; o < m->ops; o++) {
        if (m->op[o].axis_at != axis || m->op[o].fused)
            continue;
        const struct ttp_mesh_cell *ci = ttp_mesh_cell_of(m, &m->op[o], i),
                                   *cj = ttp_mesh_cell_of(m, &m->op[o], j);
        if (!ci || !cj || !ci->timed || !cj->timed)
            continue;
        const double ends = ci->end - cj->end;
        if (both++)
            change[n++] = fabs(ends - before);
        before = ends;
    }
    return n ? ttp_mesh_median(change, n) : INFINITY;
}

static uint32_t root(uint32_t *of, uint32_t d)
{
    while (of[d] != d)
        d = of[d] = of[of[d]];
    return d;
}

/* Cheapest bonds first, no group above its size. */
static struct split split_by_data(const struct finder *f, uint32_t axis)
{
    const struct ttp_mesh *m = f->b->mesh;
    const size_t n = m->devices;
    struct ttp_arena *arena = f->b->arena;
    struct bond *bond = TTP_NEW(arena, struct bond, n * (n - 1) / 2 + 1);
    uint32_t *of = TTP_NEW(arena, uint32_t, n), *count = TTP_NEW(arena, uint32_t, n);
    double *change = TTP_NEW(arena, double, m->ops + 1);
    struct split s = new_split(f);
    size_t bonds = 0;

    for (uint32_t i = 0; i < n; i++) {
        of[i] = i;
        count[i] = 1;
        for (uint32_t j = i + 1; j < n; j++) {
            bond[bonds] = (struct bond){coherence(f, axis, i, j, change), i, j};
            bonds += isfinite(bond[bonds].cost) != 0;
        }
    }
    TTP_SORT(bond, bonds, by_cost);
    for (size_t k = 0; k < bonds; k++) {
        const uint32_t a = root(of, bond[k].i), b = root(of, bond[k].j);
        if (a == b || count[a] + count[b] > m->axis[axis].size)
            continue;
        of[a > b ? a : b] = a < b ? a : b;
        count[a < b ? a : b] = count[a] + count[b];
    }
    for (uint32_t d = 0; d < n; d++) {
        const uint32_t r = root(of, d);
        if (s.of[r] == TTP_MESH_NONE)
            s.of[r] = (uint32_t)s.groups++;
        s.of[d] = s.of[r];
    }
    return s;
}

static bool same_split(const struct split *a, const struct split *b, size_t devices)
{
    return memcmp(a->of, b->of, devices * sizeof(*a->of)) == 0;
}

/* ---- groups of a grouping ---- */

static struct ttp_mesh_group *make_groups(const struct finder *f, const struct split *s,
                                          uint32_t axis)
{
    const struct ttp_mesh *m = f->b->mesh;
    struct ttp_mesh_group *group = TTP_NEW(f->b->arena, struct ttp_mesh_group, s->groups + 1);

    for (size_t d = 0; d < m->devices; d++)
        if (s->of[d] != TTP_MESH_NONE)
            group[s->of[d]].members++;
    for (size_t g = 0; g < s->groups; g++) {
        group[g].member = TTP_NEW(f->b->arena, uint32_t, group[g].members);
        group[g].axis = axis;
        group[g].missing =
            m->axis[axis].size > group[g].members ? m->axis[axis].size - group[g].members : 0;
        group[g].members = 0;
    }
    for (uint32_t d = 0; d < m->devices; d++)
        if (s->of[d] != TTP_MESH_NONE) {
            struct ttp_mesh_group *to = &group[s->of[d]];
            to->member[to->members++] = d;
        }
    return group;
}

static size_t row_limit(const struct ttp_mesh_axis *axis)
{
    const size_t share = (size_t)(ROWS_AGAINST * (double)axis->rows);
    return share > BY_CHANCE ? share : BY_CHANCE;
}

/* How many rows must go for the grouping to be consistent; one more than allowed: too many. */
static void test_split(struct finder *f, struct split *s, uint32_t axis)
{
    const struct ttp_mark mark = ttp_arena_mark(f->b->arena);
    const struct ttp_mesh *m = f->b->mesh;
    const size_t limit = row_limit(&m->axis[axis]) + 1;
    const struct ttp_mesh_grouping grouping = {
        .group = make_groups(f, s, axis), .groups = s->groups, .axis = axis};
    struct ttp_mesh_pairs pairs;

    ttp_mesh_pairs_make(&pairs, m, &grouping, f->b->arena);
    s->against = ttp_mesh_pairs_set_aside(&pairs, TTP_RATE_GROUPS, limit,
                                          TTP_NEW(f->b->arena, uint32_t, limit + 1));
    ttp_arena_rewind(f->b->arena, mark);
}

static void keep_groups(struct finder *f, const struct split *s, uint32_t axis)
{
    struct ttp_mesh *m = f->b->mesh;
    const struct ttp_mesh_group *made = make_groups(f, s, axis);

    m->group = ttp_arena_resize(f->b->arena, m->group, (m->groups + s->groups) * sizeof(*m->group));
    m->axis[axis].first_group = (uint32_t)m->groups;
    m->axis[axis].groups = (uint32_t)s->groups;
    memcpy(m->group + m->groups, made, s->groups * sizeof(*made));
    m->groups += s->groups;
}

/* ---- absent devices ---- */

/* Are the groups of all axes those whose ends keep together? Bounds alone let a device change its
 * column: its clock is free. */
static bool spots_fit(struct finder *f, const struct split *by_data)
{
    const struct ttp_mark mark = ttp_arena_mark(f->b->arena);
    const struct ttp_mesh *m = f->b->mesh;
    bool fit = true;

    for (uint32_t a = 0; a < m->axes && fit; a++) {
        const struct split s = split_by_spot(f, &m->axis[a]);
        fit = s.groups == 1 || same_split(&s, &by_data[a], m->devices);
    }
    ttp_arena_rewind(f->b->arena, mark);
    return fit;
}

/* Where devices of one rank are absent, if only one choice gives the groups that the data has. */
static void try_absent(struct finder *f)
{
    struct ttp_mesh_layout *l = &f->layout;
    struct ttp_mesh *m = f->b->mesh;
    const size_t n = l->open_places, absents = n - l->open_devices;
    size_t absent[TTP_MESH_MAX_ABSENT], found[TTP_MESH_MAX_ABSENT], fits = 0;

    if (!l->open || l->from_files || absents > TTP_MESH_MAX_ABSENT || m->devices > MAX_CLUSTERED)
        return;
    struct split *by_data = TTP_NEW(f->b->arena, struct split, m->axes + 1);
    for (uint32_t a = 0; a < m->axes; a++)
        by_data[a] = split_by_data(f, a);
    found[0] = n - absents; /* if the data tells nothing, they are the last */
    found[1] = n - 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < (absents > 1 ? n : i + 2); j++) {
            absent[0] = i;
            absent[1] = j;
            ttp_mesh_place_absent(l, m, absent, absents);
            if (spots_fit(f, by_data) && fits++ == 0)
                memcpy(found, absent, sizeof(found));
        }
    ttp_mesh_place_absent(l, m, found, absents);
    f->b->absent_unplaced = fits != 1;
}

static void find_axis_groups(struct finder *f, uint32_t at)
{
    struct ttp_mesh *m = f->b->mesh;
    struct ttp_mesh_axis *axis = &m->axis[at];
    struct split by_spot = split_by_spot(f, axis);

    axis->origin = axis->size >= f->layout.slots ? TTP_MESH_FROM_ALL
                   : f->layout.from_files        ? TTP_MESH_FROM_FILES
                                                 : TTP_MESH_FROM_ORDER;
    test_split(f, &by_spot, at);
    axis->rows_against = by_spot.against;
    axis->refused = by_spot.against > row_limit(axis);
    axis->proven = axis->same_from_data = by_spot.groups == 1;
    if (m->devices <= MAX_CLUSTERED && by_spot.groups > 1) {
        struct split by_data = split_by_data(f, at), askew = split_askew(f, &by_spot);
        axis->same_from_data = same_split(&by_spot, &by_data, m->devices);
        test_split(f, &askew, at);
        axis->proven = askew.against > row_limit(axis);
        if (axis->refused && !axis->same_from_data) {
            test_split(f, &by_data, at);
            if (by_data.against <= row_limit(axis)) {
                axis->origin = TTP_MESH_FROM_DATA;
                axis->proven = axis->same_from_data = true;
                axis->refused = false;
                axis->rows_against = by_data.against;
                by_spot = by_data;
            }
        }
    }
    keep_groups(f, &by_spot, at);
}

/* Coordinates that come from the order of the host, unless the data says otherwise. */
static void place_devices(struct finder *f)
{
    struct ttp_mesh *m = f->b->mesh;
    const struct ttp_mesh_layout *l = &f->layout;
    bool known = (l->size[0] || l->size[1]) && !f->b->absent_unplaced;

    if (l->from_files)
        return;
    for (size_t a = 0; a < m->axes; a++)
        known &= m->axis[a].origin != TTP_MESH_FROM_DATA && !m->axis[a].refused;
    for (size_t d = 0; d < m->devices; d++) {
        m->device[d].has_place = known;
        m->device[d].row = l->spot[d].row + l->spot[d].block * (int64_t)l->size[0];
        m->device[d].column = l->spot[d].column;
    }
    if (!known)
        m->mesh_rows = m->mesh_columns = 0;
}

void ttp_mesh_note_groups(struct ttp_mesh_build *b)
{
    const struct ttp_mesh *m = b->mesh;

    if (b->absent)
        ttp_mesh_note(b, "%zu device%s absent: %s", b->absent, b->absent == 1 ? " is" : "s are",
                      b->absent_unplaced ? "several places are possible, so coordinates are unknown"
                                         : "the others are placed as if it were there");
    for (size_t a = 0; a < m->axes; a++) {
        const struct ttp_mesh_axis *axis = &m->axis[a];
        if (axis->refused)
            ttp_mesh_note(b,
                          "rings of %zu: more than 3 %% of their rows contradict each other at "
                          "2,000 ppm: the groups are wrong, or clocks change too fast (power "
                          "management under load); they are not used for clocks",
                          axis->size);
        else if (!axis->proven && axis->origin != TTP_MESH_FROM_DATA)
            ttp_mesh_note(
                b, "rings of %zu: groups come from coordinates; the data cannot confirm them",
                axis->size);
    }
}

void ttp_mesh_find_groups(struct ttp_mesh_build *b)
{
    struct finder f = {.b = b};

    ttp_mesh_lay_out(&f.layout, b);
    list_axes(&f);
    if (b->absent_unplaced)
        try_absent(&f);
    b->mesh->group = NULL;
    b->mesh->groups = 0;
    for (uint32_t a = 0; a < b->mesh->axes; a++)
        find_axis_groups(&f, a);
    place_devices(&f);
}
