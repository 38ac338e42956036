/* SPDX-License-Identifier: Apache-2.0 */
/* noc_share.c - who gets how much of links and ports in a step, and the sums of it. Single
 * precision and the order of all additions are tt-npe's. */
#include "noc/noc_sim.h"

#include <math.h>

uint32_t ttp_noc_port_number(const struct ttp_noc_sim *s, uint32_t device, int x, int y, unsigned k)
{
    const struct ttp_noc_grid *g = s->model->grid;

    return ((device * g->rows + (uint32_t)y) * g->cols + (uint32_t)x) * 4 + k;
}

static void add_to(float *grid, const struct ttp_noc_stretch *st, size_t n, float e)
{
    for (size_t i = 0; i < n; i++) {
        float *at = grid + st[i].at;
        for (uint32_t k = 0; k < st[i].count; k++)
            at[k] += e;
    }
}

static float greatest(const float *grid, const struct ttp_noc_stretch *st, size_t n)
{
    float max = 0;

    for (size_t i = 0; i < n; i++) {
        const float *at = grid + st[i].at;
        for (uint32_t k = 0; k < st[i].count; k++)
            max = at[k] > max ? at[k] : max;
    }
    return max;
}

static void add_multicast(struct ttp_noc_sim *s, const struct ttp_noc_live *l, float e)
{
    const struct ttp_noc_transfer *t = &s->load->transfer[l->id];
    struct ttp_noc_stretch st[TTP_NOC_MAX_STRETCHES];
    const size_t n = ttp_noc_stretches(st, s->model->grid, t);

    for (int y = t->dy; y <= t->ey; y++)
        for (int x = t->dx; x <= t->ex; x++)
            if (ttp_device_core_kind(s->model->grid, x, y) == TTP_CORE_WORKER)
                s->port[ttp_noc_port_number(s, t->device, x, y, t->noc * 2U + 1)] += e;
    add_to(s->link, st, n, e);
    if (l->mcast_write && s->mbusy) {
        add_to(s->mlink, st, n, e);
        s->mbusy[l->device] = true;
    }
}

void ttp_noc_ask(struct ttp_noc_sim *s, uint64_t from, uint64_t now)
{
    const float whole = (float)s->step;

    for (size_t i = 0; i < s->nlive; i++) {
        struct ttp_noc_live *l = &s->pool[s->live[i]];
        const uint64_t begin = l->start > from ? l->start : from;
        float e = (float)(now - begin) / whole;

        l->rate = l->base;
        e *= l->rate;
        s->busy[l->device] = true;
        s->port[l->from_port] += e;
        if (l->multicast) {
            add_multicast(s, l, e);
            continue;
        }
        s->port[l->to_port] += e;
        add_to(s->link, l->stretch, l->nstretches, e);
        if (l->mcast_write && s->mbusy) { /* a workload may call a unicast so */
            add_to(s->mlink, l->stretch, l->nstretches, e);
            s->mbusy[l->device] = true;
        }
    }
}

static float asked_most(const struct ttp_noc_sim *s, const struct ttp_noc_live *l)
{
    struct ttp_noc_stretch st[TTP_NOC_MAX_STRETCHES];

    if (!l->multicast)
        return greatest(s->link, l->stretch, l->nstretches);
    const size_t n = ttp_noc_stretches(st, s->model->grid, &s->load->transfer[l->id]);
    return greatest(s->link, st, n);
}

static float smaller(float a, float b)
{
    return b < a ? b : a;
}

void ttp_noc_share(struct ttp_noc_sim *s)
{
    const bool single = s->model->chips == 1;

    for (size_t i = 0; i < s->nlive; i++) {
        struct ttp_noc_live *l = &s->pool[s->live[i]];
        const float link = s->model->link / asked_most(s, l);
        const float source = l->inject / s->port[l->from_port];
        /* tt-npe takes the least demand of a multicast's sinks and 0, so they never limit it */
        const float sink = l->multicast ? INFINITY : l->absorb / s->port[l->to_port];
        const float port = smaller(source, sink);

        if (!(link < 1.0F) && !(port < 1.0F))
            continue;
        const float part = smaller(link, port);
        if (single)
            l->rate = (float)((double)l->rate * (1.0 - (double)(1.0F - part)));
        else
            l->rate *= part;
    }
}

/* ---- sums of a step ---- */

void ttp_noc_clear_grids(struct ttp_noc_sim *s)
{
    const size_t device = 4 * s->plane;

    for (unsigned d = 0; d < s->model->chips; d++) {
        if (!s->busy[d])
            continue;
        memset(s->link + d * device, 0, device * sizeof(float));
        memset(s->port + d * device, 0, device * sizeof(float));
        s->busy[d] = false;
        if (s->mbusy && s->mbusy[d]) {
            memset(s->mlink + d * device, 0, device * sizeof(float));
            s->mbusy[d] = false;
        }
    }
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static void add_pair(struct ttp_noc_sums *m, unsigned noc, float a, float b, float cap)
{
    const float low_a = least(a, cap), low_b = least(b, cap);

    m->demand += (double)a;
    m->demand += (double)b;
    m->util += (double)low_a;
    m->util += (double)low_b;
    m->noc_demand[noc] += (double)a;
    m->noc_demand[noc] += (double)b;
    m->noc_util[noc] += (double)low_a;
    m->noc_util[noc] += (double)low_b;
    const float high = a > b ? a : b;
    m->noc_max[noc] = high > m->noc_max[noc] ? high : m->noc_max[noc];
}

/* In order of link numbers, on top of what *m holds. */
static void sum_device(struct ttp_noc_sums *m, const struct ttp_noc_sim *s, unsigned d)
{
    const int cols = s->model->grid->cols, rows = s->model->grid->rows;
    const float cap = s->model->link;
    const float *east = s->link + (size_t)d * 4 * s->plane, *south = east + s->plane;
    const float *north = south + s->plane, *west = north + s->plane;
    const float *port = s->port + (size_t)d * 4 * s->plane;
    struct ttp_noc_sums sum = *m;

    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) {
            add_pair(&sum, 0, east[y * cols + x], south[x * rows + y], cap);
            add_pair(&sum, 1, north[x * rows + y], west[y * cols + x], cap);
        }
    for (size_t i = 0; i < 4 * s->plane; i++)
        sum.niu += (double)port[i];
    *m = sum;
}

static void sum_multicasts(struct ttp_noc_sums *m, const struct ttp_noc_sim *s, unsigned d)
{
    const int cols = s->model->grid->cols, rows = s->model->grid->rows;
    const float cap = s->model->link;
    const float *east = s->mlink + (size_t)d * 4 * s->plane, *south = east + s->plane;
    const float *north = south + s->plane, *west = north + s->plane;

    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) {
            m->mcast += (double)least(east[y * cols + x], cap);
            m->mcast += (double)least(south[x * rows + y], cap);
            m->mcast += (double)least(north[x * rows + y], cap);
            m->mcast += (double)least(west[y * cols + x], cap);
        }
}

void ttp_noc_sum_step(struct ttp_noc_sim *s)
{
    const unsigned chips = s->model->chips;
    struct ttp_noc_sums *mesh = &s->sums[chips];

    *mesh = (struct ttp_noc_sums){0};
    for (unsigned d = 0; d < chips; d++) {
        s->sums[d] = (struct ttp_noc_sums){0};
        if (!s->busy[d])
            continue;
        sum_device(&s->sums[d], s, d);
        if (s->mbusy && s->mbusy[d])
            sum_multicasts(&s->sums[d], s, d);
        if (chips == 1) {
            *mesh = s->sums[d];
            continue;
        }
        sum_device(mesh, s, d);
        if (s->mbusy && s->mbusy[d])
            sum_multicasts(mesh, s, d);
    }
}

struct ttp_noc_step_stats ttp_noc_percentages(const struct ttp_noc_sim *s,
                                              const struct ttp_noc_sums *m, bool mesh)
{
    const float cap = s->model->link;
    const size_t all = 4 * s->plane * s->model->chips, links = mesh ? all : 4 * s->plane;
    const double of_all = 100. / (double)(cap * (float)links);
    const size_t half = links / 2;
    const double of_half = 100. / (double)(cap * (float)half);
    struct ttp_noc_step_stats out = {.avg_link_demand = m->demand * of_all,
                                     .avg_link_util = m->util * of_all,
                                     .mcast_write_link_util = m->mcast * of_all,
                                     /* tt-npe: ports of all chips, also for one of them */
                                     .avg_niu_demand =
                                         m->niu * (100. / (double)(cap * (float)all))};

    for (unsigned k = 0; k < 2; k++) {
        out.noc_demand[k] = m->noc_demand[k] * of_half;
        out.noc_util[k] = m->noc_util[k] * of_half;
        out.noc_max[k] = (double)m->noc_max[k] * (100. / (double)cap);
    }
    return out;
}
