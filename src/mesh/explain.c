/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - from collectives to devices: stragglers, the cost of imbalance, hidden communication.
 */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "mesh/explain.h"
#include "mesh/sequence.h"

/* Of a device's values, as many are left out on either side. */
#define OUTER 0.02

/* What a device is compared with: of two in the middle the slower one, so that of two devices the
 * slower one is as long as it takes, and the faster one ahead. Sorts. */
static double upper_median(double *v, size_t n)
{
    TTP_SORT(v, n, ttp_mesh_by_double);
    return v[n / 2];
}

/* ---- stretches ---- */

/* A device's cells by time. */
struct timeline {
    uint32_t *cell, *op;
    double *ended; /* the latest end of those up to it */
    size_t count;
};

/* Idle time and place of a stretch: between collectives `from` and `to`. */
struct stretch {
    uint32_t from, to, device;
    double idle;
};

struct excess {
    uint32_t device, op;
    double ns;
};

struct explainer {
    struct ttp_mesh_build *b;
    struct timeline *line; /* by device */
    double *median;        /* by op: duration on the devices that ran it */
    struct stretch *stretch;
    size_t stretches;
    struct excess *excess;
    size_t excesses;
    const bool *inside; /* by op: those that count; NULL: all, and facts of ops are found too */
};

static bool counts(const struct explainer *x, uint32_t op)
{
    return !x->inside || x->inside[op];
}

struct timed {
    double start;
    uint32_t cell, op;
};

TTP_ORDER(by_start, struct timed, TTP_UP(start), TTP_UP(cell))

static void make_timelines(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;
    struct timed **row = TTP_NEW(x->b->arena, struct timed *, m->devices);

    x->line = TTP_NEW(x->b->arena, struct timeline, m->devices);
    for (size_t d = 0; d < m->devices; d++)
        row[d] = TTP_NEW(x->b->arena, struct timed, m->device[d].rows + 1);
    for (uint32_t o = 0; o < m->ops; o++)
        for (uint32_t k = 0; k < m->op[o].cells; k++) {
            const uint32_t at = m->op[o].cells_at + k;
            const struct ttp_mesh_cell *c = &m->cell[at];
            if (c->timed && counts(x, o))
                row[c->device][x->line[c->device].count++] = (struct timed){c->start, at, o};
        }
    for (size_t d = 0; d < m->devices; d++) {
        struct timeline *line = &x->line[d];
        qsort(row[d], line->count, sizeof(**row), by_start);
        line->cell = TTP_NEW(x->b->arena, uint32_t, line->count + 1);
        line->op = TTP_NEW(x->b->arena, uint32_t, line->count + 1);
        line->ended = TTP_NEW(x->b->arena, double, line->count + 1);
        for (size_t i = 0; i < line->count; i++) {
            line->cell[i] = row[d][i].cell;
            line->op[i] = row[d][i].op;
            line->ended[i] = m->cell[row[d][i].cell].end;
            if (i && line->ended[i - 1] > line->ended[i])
                line->ended[i] = line->ended[i - 1];
        }
    }
}

static void measure_ops(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;
    double *took = TTP_NEW(x->b->arena, double, m->devices + 1);

    x->median = TTP_NEW(x->b->arena, double, m->ops);
    for (uint32_t o = 0; o < m->ops; o++) {
        struct ttp_mesh_op *op = &m->op[o];
        size_t n = 0;
        double most = -1, least = INFINITY;
        for (uint32_t k = 0; k < op->cells; k++) {
            const struct ttp_mesh_cell *c = &m->cell[op->cells_at + k];
            if (!c->timed)
                continue;
            const double ns = ttp_mesh_took_ns(c);
            took[n++] = ns;
            least = ns < least ? ns : least;
            if (ns > most) {
                most = ns;
                op->slowest = c->device;
            }
        }
        if (n == 0 || !counts(x, o))
            continue;
        x->median[o] = upper_median(took, n);
        op->min_us = least / 1000;
        op->max_us = most / 1000;
        op->median_us = x->median[o] / 1000;
    }
}

/* Ops that follow each other overlap, on other cores: the part of an op before which the device did
 * not compute yet, up to *until. */
static double not_before(const struct ttp_mesh_cell *c, double *until)
{
    const double from = fmax(c->start, *until);

    *until = fmax(c->end, *until);
    return fmin(fmax(c->end - from, 0), ttp_mesh_took_ns(c));
}

/* Ops between two collectives of the device: what they took beyond the median, and the idle time
 * between. */
static void walk_device(struct explainer *x, uint32_t d)
{
    struct ttp_mesh *m = x->b->mesh;
    const struct timeline *line = &x->line[d];
    uint32_t from = TTP_MESH_NONE;
    size_t pending = x->excesses;
    double free_from = 0, idle = 0, computed = -INFINITY;

    for (size_t i = 0; i < line->count; i++) {
        const struct ttp_mesh_cell *c = &m->cell[line->cell[i]];
        const struct ttp_mesh_op *op = &m->op[line->op[i]];
        if (op->kind == TTP_MESH_COMPUTE)
            m->device[d].busy_us += not_before(c, &computed) / 1000;
        if (from != TTP_MESH_NONE && c->start > free_from)
            idle += c->start - free_from;
        if (c->end > free_from)
            free_from = c->end;
        if (op->kind == TTP_MESH_COMPUTE) {
            if (from != TTP_MESH_NONE)
                x->excess[pending++] =
                    (struct excess){d, line->op[i], ttp_mesh_took_ns(c) - x->median[line->op[i]]};
            continue;
        }
        if (from != TTP_MESH_NONE) { /* the stretch is complete */
            x->stretch[x->stretches++] = (struct stretch){from, line->op[i], d, idle};
            m->device[d].stretches++;
            x->excesses = pending;
        }
        from = line->op[i];
        free_from = c->end;
        idle = 0;
        pending = x->excesses;
    }
}

TTP_ORDER(by_ns, struct excess, TTP_UP(ns), TTP_UP(op))

/* Sum of the inner ones, without at least that many on either side: one wrong row decides nothing.
 * Sorts. */
static double inner_sum(struct excess *e, size_t n, size_t least, size_t *from, size_t *to)
{
    size_t outer = (size_t)(OUTER * (double)n);
    double sum = 0;

    if (outer < least)
        outer = least;
    if (2 * outer >= n)
        outer = 0;
    TTP_SORT(e, n, by_ns);
    *from = outer;
    *to = n - outer;
    for (size_t i = *from; i < *to; i++)
        sum += e[i].ns;
    return sum;
}

TTP_ORDER(by_code, struct ttp_mesh_code_sum, ttp_str_cmp(x->code, y->code))

/* The op code with the largest sum of the inner ones, [from, to), and what it comes to with all;
 * none if that is not above the median. */
static void blame(struct explainer *x, struct ttp_mesh_device *device, const struct excess *e,
                  size_t n, size_t from, size_t to)
{
    const struct ttp_mark mark = ttp_arena_mark(x->b->arena);
    struct ttp_mesh_code_sum *sum = TTP_NEW(x->b->arena, struct ttp_mesh_code_sum, n + 1);
    double best = 0;

    for (size_t i = 0; i < n; i++)
        sum[i] = (struct ttp_mesh_code_sum){.code = x->b->mesh->op[e[i].op].code,
                                            .ns = e[i].ns,
                                            .inner_ns = i >= from && i < to ? e[i].ns : 0,
                                            .median_ns = x->median[e[i].op]};
    TTP_SORT(sum, n, by_code);
    for (size_t i = 0, j; i < n; i = j) {
        double inner = 0, all = 0, median = 0;
        for (j = i; j < n && ttp_str_eq(sum[j].code, sum[i].code); j++) {
            inner += sum[j].inner_ns;
            all += sum[j].ns;
            median += sum[j].median_ns;
        }
        if (inner > best && all > 0) {
            best = inner;
            device->op = sum[i].code;
            device->op_us = all / 1000;
            device->op_pct = median > 0 ? all / median * 100 : NAN;
        }
    }
    ttp_arena_rewind(x->b->arena, mark);
}

/* ---- since when ---- */

/* Parts of a run that are compared, if it has too few iterations for that. */
#define PARTS            12
#define ITERATIONS_LEAST 4
/* Before a change less than that part of what is after it. */
#define BEFORE_MOST 0.5
/* Of the squares about the mean, the part that the change must explain. */
#define EXPLAINED 0.5

/* The device's mean excess in equal parts of the run's ops, of those in which it has any. */
static size_t average_parts(double *mean, size_t *number, const struct explainer *x,
                            const struct excess *e, size_t n, size_t parts)
{
    size_t used = 0, ops = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)e[i].op * parts / x->b->mesh->ops;
        if (used == 0 || number[used - 1] != at) {
            number[used] = at;
            mean[used++] = 0;
            ops = 0;
        }
        mean[used - 1] += (e[i].ns - mean[used - 1]) / (double)++ops;
    }
    return used;
}

/* The first part of the later level, if the sums have two levels, and the later is the higher; 0:
 * they have not. */
static size_t find_rise(const double *sum, size_t n)
{
    double all = 0, squares = 0, best = 0, before = 0;
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        all += sum[i];
    for (size_t i = 0; i < n; i++)
        squares += (sum[i] - all / (double)n) * (sum[i] - all / (double)n);
    for (size_t k = 1; k < n; k++) {
        before += sum[k - 1];
        const double low = before / (double)k, high = (all - before) / (double)(n - k);
        const double explained =
            (double)k * (double)(n - k) / (double)n * (high - low) * (high - low);
        if (high > 0 && low < BEFORE_MOST * high && explained > best) {
            best = explained;
            at = k;
        }
    }
    return best > EXPLAINED * squares ? at : 0;
}

/* How often its sequence of ops repeats. */
static size_t count_repeats(const struct explainer *x)
{
    const struct ttp_mesh *m = x->b->mesh;
    const struct ttp_mark mark = ttp_arena_mark(x->b->arena);
    uint64_t *sign = TTP_NEW(x->b->arena, uint64_t, m->ops + 1);

    for (size_t o = 0; o < m->ops; o++)
        sign[o] = m->op[o].signature;
    const size_t period = m->ops ? ttp_mesh_sequence_period(sign, m->ops) : 0;
    ttp_arena_rewind(x->b->arena, mark);
    return period ? (m->ops + period - 1) / period : 0;
}

/* Excesses of one device in the order of time. */
static void date_device(struct explainer *x, const struct excess *e, size_t n)
{
    struct ttp_mesh *m = x->b->mesh;
    struct ttp_mesh_device *d = &m->device[e->device];
    const struct timeline *line = &x->line[e->device];
    const size_t repeats = count_repeats(x);
    const size_t parts = repeats >= ITERATIONS_LEAST ? repeats : PARTS;
    const struct ttp_mark mark = ttp_arena_mark(x->b->arena);
    double *mean = TTP_NEW(x->b->arena, double, n + 1);
    size_t *number = TTP_NEW(x->b->arena, size_t, n + 1);

    const size_t at = find_rise(mean, average_parts(mean, number, x, e, n, parts));
    const size_t rise = at ? number[at] : 0;
    ttp_arena_rewind(x->b->arena, mark);
    d->since_op = (uint32_t)((rise * m->ops + parts - 1) / parts);
    for (size_t i = 0; d->since_op && i < line->count; i++)
        if (line->op[i] >= d->since_op) {
            d->since_us = (m->cell[line->cell[i]].start - m->cell[line->cell[0]].start) / 1000;
            return;
        }
}

static void score_compute(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;

    for (size_t i = 0, j; i < x->excesses; i = j) {
        size_t from, to;
        for (j = i; j < x->excesses && x->excess[j].device == x->excess[i].device; j++)
            continue;
        struct ttp_mesh_device *d = &m->device[x->excess[i].device];
        if (!x->inside)
            date_device(x, &x->excess[i], j - i); /* the sum sorts them */
        d->excess_us = inner_sum(&x->excess[i], j - i, 1, &from, &to) / 1000;
        blame(x, d, &x->excess[i], j - i, from, to);
    }
}

TTP_ORDER(by_place, struct stretch, TTP_UP(to), TTP_UP(from), TTP_UP(device))

/* ---- idle before a collective ---- */

size_t ttp_mesh_first_collective(const struct ttp_mesh *m, uint32_t op)
{
    size_t low = 0;

    TTP_BISECT(low, m->collectives, mid, m->collective[mid].op < op);
    return low;
}

static void tell_member(struct ttp_mesh *m, const struct stretch *s)
{
    for (size_t k = ttp_mesh_first_collective(m, s->to);
         k < m->collectives && m->collective[k].op == s->to; k++)
        for (size_t i = 0; i < m->collective[k].members; i++)
            if (m->collective[k].member[i].device == s->device) {
                m->collective[k].member[i].idle_us = s->idle > 0 ? s->idle / 1000 : 0;
                return;
            }
}

/* The last arrival now, and without idle time above the usual. */
static void measure_lateness(struct ttp_mesh *m)
{
    for (size_t k = 0; k < m->collectives; k++) {
        struct ttp_mesh_collective *c = &m->collective[k];
        double last = -INFINITY, then = -INFINITY;
        for (size_t i = 0; i < c->members; i++) {
            const struct ttp_mesh_member *e = &c->member[i];
            last = e->arrival > last ? e->arrival : last;
            then = fmax(then, e->arrival - e->idle_us * 1000);
        }
        c->late_us = c->aligned ? (last - then) / 1000 : NAN;
    }
}

/* Idle time beyond the median of the devices that went the same stretch. */
static void score_idle(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;
    double *idle = TTP_NEW(x->b->arena, double, m->devices + 1);
    struct excess *e = TTP_NEW(x->b->arena, struct excess, x->stretches + 1);
    size_t from, to;

    TTP_SORT(x->stretch, x->stretches, by_place);
    for (size_t i = 0, j; i < x->stretches; i = j) {
        size_t n = 0;
        for (j = i; j < x->stretches && x->stretch[j].to == x->stretch[i].to &&
                    x->stretch[j].from == x->stretch[i].from;
             j++)
            idle[n++] = x->stretch[j].idle;
        const double middle = upper_median(idle, n);
        for (size_t k = i; k < j; k++) {
            x->stretch[k].idle -= middle;
            if (!x->inside)
                tell_member(m, &x->stretch[k]);
        }
    }
    if (!x->inside)
        measure_lateness(m);
    for (uint32_t d = 0; d < m->devices; d++) {
        size_t n = 0;
        for (size_t k = 0; k < x->stretches; k++)
            if (x->stretch[k].device == d)
                e[n++] = (struct excess){d, x->stretch[k].to, x->stretch[k].idle};
        m->device[d].gap_us = inner_sum(e, n, 0, &from, &to) / 1000;
    }
}

/* ---- communication that compute covers ---- */

/* Time of cell i that ops of another sub-device cover. */
static double covered(const struct explainer *x, const struct timeline *line, size_t i)
{
    const struct ttp_mesh *m = x->b->mesh;
    const struct ttp_mesh_cell *c = &m->cell[line->cell[i]];
    double sum = 0, from = c->start;
    size_t k = i;

    while (k > 0 && line->ended[k - 1] > c->start) /* one that began long before may still run */
        k--;
    for (; k < line->count && from < c->end; k++) {
        const struct ttp_mesh_cell *o = &m->cell[line->cell[k]];
        if (o->start >= c->end)
            break;
        if (k == i || o->sub_device == c->sub_device || o->end <= from ||
            m->op[line->op[k]].kind != TTP_MESH_COMPUTE)
            continue;
        const double a = o->start > from ? o->start : from, b = o->end < c->end ? o->end : c->end;
        sum += b - a;
        from = b;
    }
    return sum;
}

static void measure_cover(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;

    for (size_t d = 0; d < m->devices; d++)
        for (size_t i = 0; i < x->line[d].count; i++) {
            const struct ttp_mesh_cell *c = &m->cell[x->line[d].cell[i]];
            if (m->op[x->line[d].op[i]].kind == TTP_MESH_COMPUTE)
                continue;
            const double hidden = covered(x, &x->line[d], i);
            m->device[d].hidden_us += hidden / 1000;
            if (!x->inside)
                m->op[x->line[d].op[i]].hidden_us +=
                    hidden / 1000 / (double)m->op[x->line[d].op[i]].cells;
            m->device[d].exposed_us += fmax(ttp_mesh_took_ns(c) - hidden, 0) / 1000;
        }
}

/* ---- sums ---- */

static void sum_collectives(const struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;

    for (size_t k = 0; k < m->collectives; k++) {
        const struct ttp_mesh_collective *c = &m->collective[k];
        if (!counts(x, c->op))
            continue;
        for (size_t i = 0; i < c->members; i++) {
            const struct ttp_mesh_cell *cell = &m->cell[c->member[i].cell];
            struct ttp_mesh_device *d = &m->device[c->member[i].device];
            const double took = ttp_mesh_took_ns(cell) / 1000;
            d->wait_us += c->member[i].shown_us;
            d->transfer_us += took > c->member[i].shown_us ? took - c->member[i].shown_us : 0;
        }
        m->imbalance_us += c->mean_wait_us / (double)m->axis[m->op[c->op].axis_at].groups;
        if (!c->aligned)
            continue;
        m->ideal_gain_us += c->second_us / (double)m->axis[m->op[c->op].axis_at].groups;
        /* the last itself does not wait; waits by duration may be less than clocks say */
        m->last_wait_us +=
            fmin(c->second_us * (double)(c->members - 1) / (double)c->members, c->mean_wait_us) /
            (double)m->axis[m->op[c->op].axis_at].groups;
        m->device[c->latest].cost_us += c->mean_wait_us;
        if (c->last != TTP_MESH_NONE)
            m->device[c->last].last++;
        if (c->certain)
            m->device[c->latest].certain++;
        if (c->lead_us > 2 * c->error_us)
            m->device[c->latest].clear++;
    }
}

/* From the first start to the last end in common time, of the time line where that is longest. */
static void measure_span(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;

    for (uint32_t component = 0; component < m->components; component++) {
        double first = INFINITY, last = -INFINITY;
        for (size_t d = 0; d < m->devices; d++)
            for (size_t i = 0; m->device[d].component == component && i < x->line[d].count; i++) {
                const struct ttp_mesh_cell *c = &m->cell[x->line[d].cell[i]];
                const double theta = m->moment[x->line[d].op[i]].theta[d].estimate;
                first = fmin(first, c->start + theta);
                last = fmax(last, c->end + theta);
            }
        if (last - first > m->span_us * 1000)
            m->span_us = (last - first) / 1000;
    }
}

static void typical_errors(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;
    double *bound = TTP_NEW(x->b->arena, double, m->collectives + 1),
           *spread = TTP_NEW(x->b->arena, double, m->collectives + 1);
    size_t n = 0;

    for (size_t k = 0; k < m->collectives; k++) {
        if (!m->collective[k].aligned)
            continue;
        bound[n] = m->collective[k].error_us;
        spread[n++] = m->collective[k].spread_us;
    }
    m->bound_us = n ? ttp_mesh_median(bound, n) : NAN;
    m->estimate_us = n ? ttp_mesh_median(spread, n) : NAN;
}

/* What devices and the run come to in the ops that count. */
static void sum_up(struct explainer *x)
{
    struct ttp_mesh *m = x->b->mesh;

    make_timelines(x);
    measure_ops(x);
    x->stretch = TTP_NEW(x->b->arena, struct stretch, m->cells + 1);
    x->excess = TTP_NEW(x->b->arena, struct excess, m->cells + 1);
    for (uint32_t d = 0; d < m->devices; d++)
        walk_device(x, d);
    score_compute(x);
    score_idle(x);
    measure_cover(x);
    sum_collectives(x);
    measure_span(x);
    ttp_mesh_find_path(x->b, x->inside);
}

void ttp_mesh_explain(struct ttp_mesh_build *b)
{
    struct explainer x = {.b = b};

    sum_up(&x);
    typical_errors(&x);
    ttp_mesh_count_rows(b->mesh);
    ttp_mesh_sum_classes(b);
    ttp_mesh_set_window(b->mesh, NULL, 1);
}

/* ---- the window ---- */

static struct ttp_mesh_device *copy_without_sums(const struct ttp_mesh *m)
{
    struct ttp_mesh_device *out = TTP_NEW(m->arena, struct ttp_mesh_device, m->devices + 1);

    for (size_t d = 0; d < m->devices; d++) {
        out[d] = m->device[d];
        out[d].busy_us = out[d].wait_us = out[d].transfer_us = 0;
        out[d].exposed_us = out[d].hidden_us = 0;
        out[d].excess_us = out[d].gap_us = out[d].op_us = out[d].cost_us = 0;
        out[d].stretches = out[d].last = out[d].certain = out[d].clear = 0;
        out[d].path_excess_us = 0;
        out[d].op = TTP_STR("");
    }
    return out;
}

void ttp_mesh_set_window(struct ttp_mesh *mesh, const bool *inside, size_t iterations)
{
    struct ttp_mesh part = *mesh;
    struct ttp_mesh_window *w = &mesh->window;
    size_t ops = 0;

    for (size_t o = 0; o < mesh->ops; o++)
        ops += !inside || inside[o];
    *w = (struct ttp_mesh_window){.iterations = iterations ? iterations : 1, .ops = ops};
    if (ops && ops < mesh->ops) {
        struct ttp_mesh_build b = {.mesh = &part, .arena = mesh->arena};
        struct explainer x = {.b = &b, .inside = inside};
        w->inside = inside;
        part.device = copy_without_sums(mesh);
        part.span_us = part.imbalance_us = part.ideal_gain_us = part.last_wait_us = 0;
        part.path = (struct ttp_mesh_path){0};
        sum_up(&x);
    }
    w->device = part.device;
    w->span_us = part.span_us;
    w->imbalance_us = part.imbalance_us;
    w->ideal_gain_us = part.ideal_gain_us;
    w->last_wait_us = part.last_wait_us;
    w->path_us = part.path.length_us;
    w->path_idle_us = part.path.idle_us;
    for (size_t d = 0; d < mesh->devices; d++) {
        const double excess = w->device[d].excess_us, busy = w->device[d].busy_us;
        mesh->device[d].excess_each_us = excess / (double)w->iterations;
        mesh->device[d].excess_pct = busy > excess ? excess / (busy - excess) * 100 : NAN;
    }
}
