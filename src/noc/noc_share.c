/* SPDX-License-Identifier: Apache-2.0 */
/* noc_share.c - the shares of links and ports in a step, and their sums. Single
 * precision and the order of all additions are tt-npe's. */
#include "noc/noc_sim.h"

#include <math.h>

static uint32_t port_number(const struct ttp_noc_sim *s, uint32_t device, int x, int y, unsigned k)
{
    const struct ttp_noc_grid *g = s->model->grid;

    return ((device * g->rows + (uint32_t)y) * g->cols + (uint32_t)x) * 4 + k;
}

/* ---- ways ---- */

static struct ttp_noc_fan *take_fan(struct ttp_noc_sim *s)
{
    struct ttp_noc_fan *fan = s->spare_fan;

    if (fan)
        s->spare_fan = fan->spare;
    else
        fan = ttp_arena_alloc(s->arena, 1, sizeof(*fan) + s->plane * sizeof(fan->port[0]),
                              alignof(struct ttp_noc_fan));
    return fan;
}

void ttp_noc_find_way(struct ttp_noc_sim *s, struct ttp_noc_live *l)
{
    const struct ttp_noc_transfer *t = &s->load->transfer[l->id];
    const struct ttp_noc_grid *g = s->model->grid;
    const unsigned out = t->noc * 2U + 1;

    l->from_port = port_number(s, t->device, t->sx, t->sy, t->noc * 2U);
    if (!t->multicast) {
        l->to_port = port_number(s, t->device, t->dx, t->dy, out);
        l->absorb = s->model->absorb[ttp_device_core_kind(g, t->dx, t->dy)];
        l->nspans = (uint8_t)ttp_noc_spans(l->span, &s->lines, t);
        return;
    }
    l->fan = take_fan(s);
    l->fan->nspans = ttp_noc_spans(l->fan->span, &s->lines, t);
    l->fan->nports = 0;
    for (int y = t->dy; y <= ttp_noc_last_y(t); y++)
        for (int x = t->dx; x <= ttp_noc_last_x(t); x++)
            if (ttp_device_core_kind(g, x, y) == TTP_CORE_WORKER)
                l->fan->port[l->fan->nports++] = port_number(s, t->device, x, y, out);
}

/* ---- asking and sharing ---- */

static void ask_links(struct ttp_noc_sim *s, const struct ttp_noc_live *l,
                      const struct ttp_noc_span *span, size_t n, float e)
{
    ttp_noc_rates_add(&s->link, &s->lines, span, n, e);
    if (l->mcast_write && s->mbusy) { /* a workload may call a unicast so */
        ttp_noc_rates_add(&s->mlink, &s->lines, span, n, e);
        s->mbusy[l->device] = true;
    }
}

void ttp_noc_ask(struct ttp_noc_sim *s, uint64_t from, uint64_t now)
{
    const float whole = (float)s->step;

    float least = INFINITY;
    bool steady = true;

    for (size_t i = 0; i < s->nlive; i++) {
        struct ttp_noc_live *l = &s->pool[s->live[i]];
        float e = l->base;

        if (l->start > from) {
            e *= (float)(int64_t)(now - l->start) / whole;
            steady = false;
        }
        least = e > 0.0F && e < least ? e : least;
        l->rate = l->base;
        s->busy[l->device] = true;
        s->port[l->from_port] += e;
        if (!l->fan) {
            s->port[l->to_port] += e;
            ask_links(s, l, l->span, l->nspans, e);
            continue;
        }
        for (size_t k = 0; k < l->fan->nports; k++)
            s->port[l->fan->port[k]] += e;
        ask_links(s, l, l->fan->span, l->fan->nspans, e);
    }
    s->least = least;
    s->steady = steady;
}

static float asked_most(const struct ttp_noc_sim *s, const struct ttp_noc_live *l)
{
    if (l->fan)
        return ttp_noc_rates_greatest(&s->link, &s->lines, l->fan->span, l->fan->nspans);
    return ttp_noc_rates_greatest(&s->link, &s->lines, l->span, l->nspans);
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
        const float sink = l->fan ? INFINITY : l->absorb / s->port[l->to_port];
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

void ttp_noc_open_grids(struct ttp_noc_sim *s, bool multicasts)
{
    const unsigned chips = s->model->chips;

    s->plane = (size_t)s->model->grid->cols * s->model->grid->rows;
    s->port = TTP_NEW(s->arena, float, 4 * s->plane * chips);
    s->busy = TTP_NEW(s->arena, bool, chips);
    s->mbusy = multicasts ? TTP_NEW(s->arena, bool, chips) : NULL;
    s->sums = TTP_NEW(s->arena, struct ttp_noc_sums, chips + 1U);
    ttp_noc_lines_init(&s->lines, s->model->grid, s->arena);
    ttp_noc_rates_init(&s->link, &s->lines, chips, s->arena);
    ttp_noc_rates_init(&s->mlink, &s->lines, chips, s->arena);
}

void ttp_noc_clear_grids(struct ttp_noc_sim *s)
{
    const size_t ports = 4 * s->plane;

    s->fresh = true;
    for (unsigned d = 0; d < s->model->chips; d++) {
        if (!s->busy[d])
            continue;
        memset(s->port + d * ports, 0, ports * sizeof(float));
        ttp_noc_rates_clear(&s->link, &s->lines, d);
        s->busy[d] = false;
        if (s->mbusy && s->mbusy[d]) {
            ttp_noc_rates_clear(&s->mlink, &s->lines, d);
            s->mbusy[d] = false;
        }
    }
}

static float at_most(float a, float b)
{
    return a < b ? a : b;
}

static void add_pair(struct ttp_noc_sums *m, unsigned noc, float a, float b, float cap)
{
    const float low_a = at_most(a, cap), low_b = at_most(b, cap);

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

struct router {
    unsigned d;
    int x, y;
};

static float link_at(const struct ttp_noc_sim *s, const struct ttp_noc_rates *r, struct router at,
                     enum ttp_noc_link k)
{
    return r->at[ttp_noc_rate_at(&s->lines, at.d, at.x, at.y, k)];
}

/* In order of link numbers, on top of what *m holds. */
static void sum_device(struct ttp_noc_sums *m, const struct ttp_noc_sim *s, unsigned d)
{
    const float cap = s->model->link;
    const float *port = s->port + (size_t)d * 4 * s->plane;

    for (int y = 0; y < s->model->grid->rows; y++)
        for (int x = 0; x < s->model->grid->cols; x++) {
            add_pair(m, 0, link_at(s, &s->link, (struct router){d, x, y}, TTP_LINK_NOC0_EAST),
                     link_at(s, &s->link, (struct router){d, x, y}, TTP_LINK_NOC0_SOUTH), cap);
            add_pair(m, 1, link_at(s, &s->link, (struct router){d, x, y}, TTP_LINK_NOC1_NORTH),
                     link_at(s, &s->link, (struct router){d, x, y}, TTP_LINK_NOC1_WEST), cap);
            for (unsigned k = 0; k < 4 && s->mbusy && s->mbusy[d]; k++)
                m->mcast += (double)at_most(
                    link_at(s, &s->mlink, (struct router){d, x, y}, (enum ttp_noc_link)k), cap);
        }
    for (size_t i = 0; i < 4 * s->plane; i++)
        m->niu += (double)port[i];
}

void ttp_noc_sum_in_order(struct ttp_noc_sim *s)
{
    const unsigned chips = s->model->chips;

    memset(s->sums, 0, (chips + 1U) * sizeof(*s->sums));
    for (unsigned d = 0; d < chips; d++) {
        if (!s->busy[d])
            continue;
        sum_device(&s->sums[d], s, d);
        sum_device(&s->sums[chips], s, d);
    }
}

/* Rates are positive and have 24 bits, so none of them, nor any sum, has a bit below that of the
 * least rate's last place: at LEAST that is 2^-27. A sum of them below MOST = 2^26 has no more than
 * the 53 bits of a double, and so have all sums on the way there: nothing is rounded, and every
 * order of adding gives the same. */
#define LEAST 0x1p-4F
#define MOST  0x1p26

static void add_sums(struct ttp_noc_sums *to, const struct ttp_noc_sums *from)
{
    to->demand += from->demand;
    to->util += from->util;
    to->mcast += from->mcast;
    to->niu += from->niu;
    for (unsigned k = 0; k < 2; k++) {
        to->noc_demand[k] += from->noc_demand[k];
        to->noc_util[k] += from->noc_util[k];
        to->noc_max[k] = from->noc_max[k] > to->noc_max[k] ? from->noc_max[k] : to->noc_max[k];
    }
}

static void sum_lines(struct ttp_noc_sums *m, const struct ttp_noc_sim *s, unsigned d)
{
    const float cap = s->model->link;

    for (unsigned noc = 0; noc < 2; noc++) {
        const struct ttp_noc_line_sums sum = ttp_noc_rates_sum(&s->link, &s->lines, d, noc, cap);
        m->noc_demand[noc] = sum.all;
        m->noc_util[noc] = sum.low;
        m->noc_max[noc] = sum.max;
        if (s->mbusy && s->mbusy[d])
            m->mcast += ttp_noc_rates_sum(&s->mlink, &s->lines, d, noc, cap).low;
    }
    m->niu = ttp_noc_sum(s->port + (size_t)d * 4 * s->plane, 4 * s->plane);
    m->demand = m->noc_demand[0] + m->noc_demand[1];
    m->util = m->noc_util[0] + m->noc_util[1];
}

void ttp_noc_sum_step(struct ttp_noc_sim *s)
{
    const unsigned chips = s->model->chips;
    struct ttp_noc_sums *mesh = &s->sums[chips];

    if (s->least < LEAST) {
        ttp_noc_sum_in_order(s);
        return;
    }
    memset(s->sums, 0, (chips + 1U) * sizeof(*s->sums));
    for (unsigned d = 0; d < chips; d++) {
        if (!s->busy[d])
            continue;
        sum_lines(&s->sums[d], s, d);
        add_sums(mesh, &s->sums[d]);
    }
    if (!(mesh->demand < MOST) || !(mesh->niu < MOST))
        ttp_noc_sum_in_order(s);
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
