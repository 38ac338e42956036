/* SPDX-License-Identifier: Apache-2.0 */
/* align.c - bounds and estimates of all clocks at the moments of the run. */
#include "mesh/align.h"

#include "base/order.h"
#include "mesh/host_clocks.h"

/* Rows of one op code that may be set aside before it is distrusted. */
#define ROWS_AGAINST 0.03
#define BY_CHANCE    2
#define MAX_ROUNDS   8
#define GRID         9
/* Reduced ranks are many: their clocks are sampled this many times over the run, not at every op.
 */
#define REDUCED_MOMENTS 64

/* ---- bases ---- */

/* The collective that most devices have, the first of several; TTP_NPOS: there is none. */
static size_t commonest_collective(const struct ttp_mesh *m)
{
    size_t best = TTP_NPOS, most = 0;

    for (size_t o = 0; o < m->ops; o++) {
        size_t n = 0;
        for (uint32_t c = 0; m->op[o].kind == TTP_MESH_ALL_WAIT && c < m->op[o].cells; c++)
            n += m->cell[m->op[o].cells_at + c].timed;
        if (n > most) {
            most = n;
            best = o;
        }
    }
    return best;
}

/* Devices of the op without a base get one next to a device that has; true: some did. */
static bool base_beside(struct ttp_mesh *m, const struct ttp_mesh_op *op, bool *based)
{
    const struct ttp_mesh_cell *cell = &m->cell[op->cells_at], *known = NULL;
    bool changed = false;

    for (uint32_t c = 0; c < op->cells && !known; c++)
        if (cell[c].timed && based[cell[c].device])
            known = &cell[c];
    for (uint32_t c = 0; c < op->cells && known; c++) {
        struct ttp_mesh_device *d = &m->device[cell[c].device];
        const struct ttp_mesh_device *k = &m->device[known->device];
        if (based[cell[c].device] || !cell[c].timed)
            continue;
        const double own = (double)(known->start_cycle - k->base_cycle) / k->ghz;
        d->base_cycle = cell[c].start_cycle - (int64_t)(own * d->ghz);
        based[cell[c].device] = changed = true;
    }
    return changed;
}

/* Own times begin at the start of the collective that most devices have; a device that does not
 * have it begins where a collective puts it next to one that has. */
void ttp_mesh_set_bases(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    bool *based = TTP_NEW(b->arena, bool, m->devices);
    const size_t best = commonest_collective(m);

    for (uint32_t c = 0; best != TTP_NPOS && c < m->op[best].cells; c++) {
        const struct ttp_mesh_cell *cell = &m->cell[m->op[best].cells_at + c];
        if (!cell->timed)
            continue;
        m->device[cell->device].base_cycle = cell->start_cycle;
        based[cell->device] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t o = 0; o < m->ops; o++)
            if (m->op[o].kind == TTP_MESH_ALL_WAIT)
                changed |= base_beside(m, &m->op[o], based);
    }
    for (size_t c = 0; c < m->cells; c++)
        ttp_mesh_set_times(&m->cell[c], &m->device[m->cell[c].device]);
}

/* ---- synchronisations ---- */

static uint32_t device_in(const struct ttp_mesh *m, uint32_t part, int64_t id)
{
    for (uint32_t d = 0; d < m->devices; d++)
        if (m->device[d].part == part && m->device[d].id == id)
            return d;
    return TTP_MESH_NONE;
}

static double own_time(const struct ttp_mesh_device *d, int64_t cycle)
{
    return (double)(cycle - d->base_cycle) / d->ghz;
}

static void take_syncs(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    size_t n = 0;

    for (size_t p = 0; p < b->parts; p++)
        n += b->part[p].syncs;
    m->measured = TTP_NEW(b->arena, struct ttp_mesh_measured, n + 1);
    for (uint32_t p = 0; p < b->parts; p++)
        for (size_t s = 0; s < b->part[p].syncs; s++) {
            const struct ttp_mesh_sync *sync = &b->part[p].sync[s];
            const uint32_t root = device_in(m, p, sync->root), d = device_in(m, p, sync->device);
            if (root == TTP_MESH_NONE || d == TTP_MESH_NONE || root == d)
                continue;
            const double of_root = own_time(&m->device[root], sync->root_cycle),
                         of_d = own_time(&m->device[d], sync->cycle);
            m->measured[m->measures++] =
                root < d ? (struct ttp_mesh_measured){root, d, of_root - of_d, of_d}
                         : (struct ttp_mesh_measured){d, root, of_d - of_root, of_root};
        }
}

/* ---- rows and kinds of ops that cannot be trusted ---- */

/* Ops of one code on one axis. */
static bool same_kind(const struct ttp_mesh_op *a, const struct ttp_mesh_op *b)
{
    return a->axis_at == b->axis_at && ttp_str_eq(a->code, b->code);
}

static void distrust(struct ttp_mesh_build *b, const struct ttp_mesh_op *op, const char *why)
{
    struct ttp_mesh *m = b->mesh;
    const bool ring = op->axis_at != TTP_MESH_NONE;

    ttp_mesh_note(b,
                  "%.*s (%s%zu): %s: its attributes, groups or clocks are wrong; it is not "
                  "used for clocks",
                  TTP_FMT(op->code), ring ? "ring of " : "one way, devices: ",
                  ring ? m->axis[op->axis_at].size : (size_t)op->cells, why);
    for (size_t o = 0; o < m->ops; o++)
        if (same_kind(&m->op[o], op))
            m->op[o].distrusted = true;
}

static uint32_t op_of_cell(const struct ttp_mesh *m, uint32_t cell)
{
    size_t low = 0;

    TTP_BISECT(low, m->ops, mid, m->op[mid].cells_at + m->op[mid].cells <= cell);
    return (uint32_t)low;
}

static size_t rows_of_kind(const struct ttp_mesh *m, const struct ttp_mesh_op *op)
{
    size_t rows = 0;

    for (size_t o = 0; o < m->ops; o++)
        if (same_kind(&m->op[o], op))
            rows += m->op[o].cells;
    return rows;
}

/* A kind with too many of the rows set aside; NULL: none. */
static const struct ttp_mesh_op *worst_kind(const struct ttp_mesh *m, const uint32_t *aside,
                                            size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const struct ttp_mesh_op *op = &m->op[op_of_cell(m, aside[k])];
        size_t of_kind = 0;
        for (size_t l = 0; l < n; l++)
            of_kind += same_kind(&m->op[op_of_cell(m, aside[l])], op);
        if (of_kind > BY_CHANCE && (double)of_kind > ROWS_AGAINST * (double)rows_of_kind(m, op))
            return op;
    }
    return NULL;
}

/* The kind of op of a pair whose clocks would have to part faster than any do. */
static const struct ttp_mesh_op *racing_kind(const struct ttp_mesh_pairs *pairs)
{
    for (size_t p = 0; p < pairs->count; p++)
        if (pairs->pair[p].rate >= TTP_RATES - 1 && pairs->pair[p].witnesses) {
            const uint32_t op = ttp_mesh_pair_worst_op(&pairs->pair[p], pairs->arena);
            if (op != TTP_MESH_NONE)
                return &pairs->mesh->op[op];
        }
    return NULL;
}

/* Pairs without contradictions, and the rows that this cost. */
static void make_pairs(struct ttp_aligner *a)
{
    struct ttp_mesh *m = a->b->mesh;
    const struct ttp_mesh_grouping all = {
        .group = m->group, .groups = m->groups, .axis = TTP_MESH_NONE};
    uint32_t *aside = TTP_NEW(a->b->arena, uint32_t, m->cells + 1);
    size_t n = 0;

    for (int round = 0;; round++) {
        const struct ttp_mesh_op *bad;
        ttp_mesh_pairs_make(&a->pairs, m, &all, a->b->arena);
        n = ttp_mesh_pairs_set_aside(&a->pairs, TTP_RATE_WORST, m->cells, aside);
        if (round < MAX_ROUNDS && (bad = worst_kind(m, aside, n)) != NULL) {
            distrust(a->b, bad, "more than 3 % of its rows contradict the others");
            continue;
        }
        ttp_mesh_pairs_find_rates(&a->pairs);
        if (round >= MAX_ROUNDS || (bad = racing_kind(&a->pairs)) == NULL)
            break;
        distrust(a->b, bad, "clocks would have to differ by 8,000 ppm");
    }
    for (size_t k = 0; k < n; k++) {
        m->cell[aside[k]].aside = true;
        m->device[m->cell[aside[k]].device].rows_aside++;
    }
    m->rows_aside = n;
    const size_t unsteady = ttp_mesh_pairs_settle(&a->pairs, a->b->options->steady);
    if (unsteady)
        ttp_mesh_note(a->b,
                      "clocks of %zu pair%s of devices do not keep their rates: --steady does not "
                      "apply there",
                      unsteady, unsteady == 1 ? "" : "s");
}

static void count_pairs(struct ttp_aligner *a)
{
    struct ttp_mesh *m = a->b->mesh;

    for (size_t p = 0; p < a->pairs.count; p++) {
        const struct ttp_mesh_pair *pair = &a->pairs.pair[p];
        if (pair->used + pair->against == 0)
            continue;
        m->pairs++;
        m->pair_rows += pair->used + pair->against;
        m->pair_rows_against += pair->against;
        m->pairs_by_rate[pair->rate]++;
        if (pair->slope * 1e6 > m->rate_bound_ppm)
            m->rate_bound_ppm = pair->slope * 1e6;
    }
}

/* ---- components ---- */

static void find_components(struct ttp_aligner *a)
{
    struct ttp_mesh *m = a->b->mesh;

    for (size_t d = 0; d < m->devices; d++)
        m->device[d].component = (uint32_t)d;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t p = 0; p < a->pairs.count; p++) {
            const struct ttp_mesh_pair *pair = &a->pairs.pair[p];
            uint32_t *i = &m->device[pair->i].component, *j = &m->device[pair->j].component;
            if (!pair->two_sided || *i == *j)
                continue;
            *i = *j = *i < *j ? *i : *j;
            changed = true;
        }
    }
    /* Numbers are the first device of each: make them dense. */
    a->reference = TTP_NEW(a->b->arena, uint32_t, m->devices);
    a->size = TTP_NEW(a->b->arena, size_t, m->devices);
    size_t largest = 0;
    for (size_t d = 0; d < m->devices; d++) {
        uint32_t *c = &m->device[d].component;
        if (*c == d) {
            a->reference[m->components] = (uint32_t)d;
            *c = (uint32_t)m->components++;
        } else {
            *c = m->device[*c].component;
        }
        a->size[*c]++;
    }
    for (size_t c = 1; c < m->components; c++)
        if (a->size[c] > a->size[largest])
            largest = c;
    m->reference = a->size[largest] > 1 ? a->reference[largest] : TTP_MESH_NONE;
}

/* ---- one moment ---- */

static const struct ttp_mesh_pair *pair_of(const struct ttp_aligner *a, uint32_t i, uint32_t j)
{
    const struct ttp_mesh_pair *p = ttp_mesh_pairs_find(&a->pairs, i < j ? i : j, i < j ? j : i);
    return p && p->used ? p : NULL;
}

bool ttp_mesh_aligner_between(const struct ttp_aligner *a, uint32_t i, uint32_t j, double *value,
                              double *error)
{
    const struct ttp_mesh_pair *p = pair_of(a, i, j);

    if (!p || !ttp_mesh_pair_estimate(p, a->x[p->j], value, error))
        return false;
    if (p->i != i)
        *value = -*value;
    return true;
}

static double clip(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* Over the fewest steps from the reference; of several ways the one with the least error. */
static void estimate_from(struct ttp_aligner *a, uint32_t from, struct ttp_mesh_theta *theta)
{
    const struct ttp_mesh *m = a->b->mesh;
    size_t head = 0, tail = 0;

    for (size_t d = 0; d < m->devices; d++)
        a->steps[d] = TTP_MESH_NONE;
    a->steps[from] = 0;
    theta[from].estimate = theta[from].error = 0;
    a->queue[tail++] = from;
    while (head < tail) {
        const uint32_t i = a->queue[head++];
        for (uint32_t j = 0; j < m->devices; j++) {
            double value, error;
            if (a->steps[j] != TTP_MESH_NONE && a->steps[j] != a->steps[i] + 1)
                continue;
            if (!ttp_mesh_aligner_between(a, i, j, &value, &error))
                continue;
            const double sum = hypot(theta[i].error, error);
            if (a->steps[j] == TTP_MESH_NONE) {
                a->steps[j] = a->steps[i] + 1;
                a->queue[tail++] = j;
            } else if (sum >= theta[j].error) {
                continue;
            }
            theta[j].estimate = theta[i].estimate + value;
            theta[j].error = sum;
        }
    }
}

static void theta_of_component(struct ttp_aligner *a, uint32_t component,
                               struct ttp_mesh_theta *theta)
{
    const struct ttp_mesh *m = a->b->mesh;
    const uint32_t from = a->reference[component];

    ttp_mesh_closure_row(&a->closure, from, false, a->row[0]);
    ttp_mesh_closure_row(&a->closure, from, true, a->row[1]);
    estimate_from(a, from, theta);
    for (size_t d = 0; d < m->devices; d++) {
        if (m->device[d].component != component)
            continue;
        struct ttp_mesh_theta *t = &theta[d];
        t->low = -a->row[1][d];
        t->high = a->row[0][d];
        if (a->steps[d] == TTP_MESH_NONE) { /* no end to go by: the middle */
            t->estimate = (t->low + t->high) / 2;
            t->error = (t->high - t->low) / 2;
        }
        t->estimate = clip(t->estimate, t->low, t->high);
        a->offset[d] = t->estimate;
    }
}

/* Everything at common time `at`, by component. */
static void set_moment(struct ttp_aligner *a, const double *at)
{
    const struct ttp_mesh *m = a->b->mesh;

    for (size_t d = 0; d < m->devices; d++)
        a->x[d] = at[m->device[d].component] - a->offset[d];
    ttp_mesh_closure_set(&a->closure, a->x);
}

static struct ttp_mesh_theta *theta_at(struct ttp_aligner *a, const double *at)
{
    const struct ttp_mesh *m = a->b->mesh;
    struct ttp_mesh_theta *theta = TTP_NEW(a->b->arena, struct ttp_mesh_theta, m->devices);

    set_moment(a, at);
    for (uint32_t c = 0; c < m->components; c++)
        if (a->size[c] > 1) /* else it is 0 at all times */
            theta_of_component(a, c, theta);
    return theta;
}

/* ---- all moments ---- */

/* Common time of an op: the median of its starts in each component, and where one has none, what it
 * was before. */
static void time_of_op(const struct ttp_aligner *a, const struct ttp_mesh_op *op, double *at,
                       double *start)
{
    const struct ttp_mesh *m = a->b->mesh;

    for (uint32_t component = 0; component < m->components; component++) {
        size_t n = 0;
        for (uint32_t c = 0; c < op->cells; c++) {
            const struct ttp_mesh_cell *cell = &m->cell[op->cells_at + c];
            if (cell->timed && m->device[cell->device].component == component)
                start[n++] = cell->start + a->offset[cell->device];
        }
        if (n)
            at[component] = ttp_mesh_median(start, n);
    }
}

static void align_ops(struct ttp_aligner *a)
{
    struct ttp_mesh *m = a->b->mesh;
    double *at = TTP_NEW(a->b->arena, double, m->components + 1);
    double *start = TTP_NEW(a->b->arena, double, m->devices + 1);
    const uint32_t component =
        m->reference == TTP_MESH_NONE ? 0 : m->device[m->reference].component;

    const uint32_t step =
        a->b->part[0].table && m->ops > REDUCED_MOMENTS ? (uint32_t)m->ops / REDUCED_MOMENTS : 1;
    uint32_t due = 0;
    m->moment = TTP_NEW(a->b->arena, struct ttp_mesh_moment, m->ops);
    for (uint32_t o = 0; o < m->ops; o++) {
        if (o && step > 1 && (o < due || m->op[o].cells == 0)) {
            m->moment[o] = m->moment[o - 1];
            continue;
        }
        due = o + step;
        time_of_op(a, &m->op[o], at, start);
        if (o == 0) /* nothing is known of the clocks yet: once more with what that says */
            (void)theta_at(a, at);
        const bool fixed = o && m->reference == TTP_MESH_NONE; /* no clock is related to another */
        m->moment[o].theta = fixed ? m->moment[0].theta : theta_at(a, at);
        m->moment[o].at = at[component];
        ttp_mesh_measure(a, o);
    }
}

/* Nine moments over the run: starts of collectives of the reference. */
static void align_grid(struct ttp_aligner *a)
{
    struct ttp_mesh *m = a->b->mesh;
    double *at = TTP_NEW(a->b->arena, double, m->components + 1);
    uint32_t *of = TTP_NEW(a->b->arena, uint32_t, m->ops + 1);
    double *own = TTP_NEW(a->b->arena, double, m->ops + 1);
    size_t n = 0;

    if (m->reference == TTP_MESH_NONE)
        return;
    for (uint32_t o = 0; o < m->ops; o++) {
        const struct ttp_mesh_cell *c = ttp_mesh_cell_of(m, &m->op[o], m->reference);
        if (!c || !c->timed || c->aside || m->op[o].axis_at == TTP_MESH_NONE)
            continue;
        own[n] = c->start;
        of[n++] = o;
    }
    for (m->grids = 0; m->grids < GRID && n; m->grids++) {
        const size_t k = m->grids * (n - 1) / (GRID - 1);
        for (size_t c = 0; c < m->components; c++)
            at[c] = own[k];
        for (size_t d = 0; d < m->devices; d++)
            a->offset[d] = m->moment[of[k]].theta[d].estimate;
        m->grid[m->grids].at = own[k];
        m->grid[m->grids].theta = theta_at(a, at);
    }
}

static void measure_rates(struct ttp_mesh *m)
{
    if (m->grids < 2)
        return;
    const struct ttp_mesh_moment *first = &m->grid[0], *last = &m->grid[m->grids - 1];
    for (size_t d = 0; d < m->devices && last->at > first->at; d++)
        m->device[d].rate_ppm =
            (last->theta[d].estimate - first->theta[d].estimate) / (last->at - first->at) * 1e6;
}

/* Traffic one way bounds a clock from one side, which does not relate it. */
static void note_half_bounded(const struct ttp_aligner *a)
{
    const struct ttp_mesh *m = a->b->mesh;
    size_t pairs = 0;
    const struct ttp_mesh_pair *first = NULL;

    for (size_t p = 0; p < a->pairs.count; p++) {
        const struct ttp_mesh_pair *pair = &a->pairs.pair[p];
        if (pair->used == 0 || pair->two_sided ||
            m->device[pair->i].component == m->device[pair->j].component)
            continue;
        first = first ? first : pair;
        pairs++;
    }
    if (first)
        ttp_mesh_note(a->b,
                      "clocks of %zu pairs of devices (first: %lld:%lld and %lld:%lld) are bounded "
                      "from one side only, because data goes one way: they are not aligned",
                      pairs, (long long)m->device[first->i].rank, (long long)m->device[first->i].id,
                      (long long)m->device[first->j].rank, (long long)m->device[first->j].id);
}

void ttp_mesh_align(struct ttp_mesh_build *b)
{
    struct ttp_mesh *m = b->mesh;
    struct ttp_aligner a = {.b = b};

    take_syncs(b);
    make_pairs(&a);
    count_pairs(&a);
    find_components(&a);
    note_half_bounded(&a);
    a.offset = TTP_NEW(b->arena, double, m->devices);
    a.x = TTP_NEW(b->arena, double, m->devices);
    a.row[0] = TTP_NEW(b->arena, double, m->devices);
    a.row[1] = TTP_NEW(b->arena, double, m->devices);
    a.queue = TTP_NEW(b->arena, uint32_t, m->devices);
    a.steps = TTP_NEW(b->arena, uint32_t, m->devices);
    ttp_mesh_closure_open(&a.closure, &a.pairs, m->devices, b->arena);
    ttp_mesh_list_collectives(b);
    align_ops(&a);
    align_grid(&a);
    measure_rates(m);
    ttp_mesh_host_relate_timelines(b, a.reference);
    m->inconsistency_ns = a.closure.worst_ns;
}
