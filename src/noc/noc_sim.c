/* SPDX-License-Identifier: Apache-2.0 */
/* noc_sim.c - transfers through links and ports, step by step, as tt-npe 1021603 does it.
 *
 * In each step the transfers that may run ask for their full rate on every link and port of their
 * way; each then gets its share of the one that is asked for most. All arithmetic on rates is in
 * single precision and in tt-npe's order, so that results agree to the last digit; what is done
 * differently does not change any sum:
 * - the queue of transfers that may not run yet is not searched: whoever becomes free is reported
 * so, and takes the place in the order of running ones that the search would give it;
 * - routes are stretches of memory (noc_route.h), not lists of links;
 * - steps in which nothing runs are skipped, and none is kept. */
#include "noc/noc_sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define CYCLE_LIMIT 50000000000ULL

/* ---- who becomes free ---- */

static void push_timer(struct ttp_noc_sim *s, uint64_t cycle, uint32_t id)
{
    size_t i = s->ntimers++;

    TTP_RESERVE(s->arena, s->timer, i + 1, s->cap_timers);
    for (; i > 0 && s->timer[(i - 1) / 2].cycle > cycle; i = (i - 1) / 2)
        s->timer[i] = s->timer[(i - 1) / 2];
    s->timer[i] = (struct ttp_noc_timer){cycle, id};
}

static uint32_t pop_timer(struct ttp_noc_sim *s)
{
    const uint32_t id = s->timer[0].id;
    const struct ttp_noc_timer last = s->timer[--s->ntimers];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < s->ntimers; i = child) {
        if (child + 1 < s->ntimers && s->timer[child + 1].cycle < s->timer[child].cycle)
            child++;
        if (s->timer[child].cycle >= last.cycle)
            break;
        s->timer[i] = s->timer[child];
    }
    s->timer[i] = last;
    return id;
}

static void set_free(struct ttp_noc_sim *s, uint32_t id)
{
    *TTP_PUSH_WITHIN(s->arena, s->free, s->nfree, s->cap_free) = id;
}

static uint64_t delay_of(const struct ttp_noc_sim *s, uint32_t id)
{
    return s->waits.delay ? s->waits.delay[id] : 0;
}

/* Transfer `id` has ended: those that wait for it run from the step on that ends when both their
 * own time and their delay have passed. */
static void tell_waiting(struct ttp_noc_sim *s, uint32_t id, uint64_t now)
{
    for (uint32_t w = s->waits.first[id]; w != TTP_NOC_NOBODY; w = s->waits.next[w]) {
        const uint64_t ready = s->end[id] + delay_of(s, w);
        const uint64_t cycle = ready > s->start[w] ? ready : s->start[w];

        if (cycle <= now + s->step)
            set_free(s, w);
        else
            push_timer(s, cycle, w);
    }
}

/* Transfers come core by core and run in order of time, so that each is somewhere else in memory:
 * what is soon needed is asked for before. */
#define AHEAD 12

static void fetch(const struct ttp_noc_sim *s, uint32_t id)
{
    __builtin_prefetch(&s->load->transfer[id].offset_cycles);
    __builtin_prefetch(&s->load->transfer[id].multicast);
    __builtin_prefetch(&s->start[id]);
    __builtin_prefetch(&s->waits.on[id]);
    __builtin_prefetch(&s->waits.first[id]);
    __builtin_prefetch(&s->place[id], 1);
    __builtin_prefetch(&s->inject[id]);
}

static void collect_free(struct ttp_noc_sim *s, uint64_t now)
{
    while (s->unseen > 0 && s->start[s->waits.queue[s->unseen - 1]] <= now) {
        if (s->unseen > AHEAD)
            fetch(s, s->waits.queue[s->unseen - AHEAD]);
        const uint32_t id = s->waits.queue[--s->unseen];
        s->place[id] = (uint32_t)s->unseen;
        if (s->waits.on[id] == TTP_NOC_NOBODY)
            set_free(s, id);
    }
    while (s->ntimers > 0 && s->timer[0].cycle <= now)
        set_free(s, pop_timer(s));
}

/* ---- starting ---- */

static int by_place(const void *a, const void *b, void *place)
{
    const uint32_t x = ((const uint32_t *)place)[*(const uint32_t *)a];
    const uint32_t y = ((const uint32_t *)place)[*(const uint32_t *)b];

    return (x < y) - (x > y);
}

static void sort_free(struct ttp_noc_sim *s)
{
    if (s->nfree > 32) {
        qsort_r(s->free, s->nfree, sizeof(*s->free), by_place, s->place);
        return;
    }
    for (size_t i = 1; i < s->nfree; i++) {
        const uint32_t id = s->free[i];
        size_t k = i;
        for (; k > 0 && s->place[s->free[k - 1]] < s->place[id]; k--)
            s->free[k] = s->free[k - 1];
        s->free[k] = id;
    }
}

/* Rate of a transfer alone: by the size of its packets, but for the first of them. */
static float table_rate(const struct ttp_noc_model *m, uint32_t bytes, uint32_t packets)
{
    const struct ttp_noc_bandwidth *b = m->bandwidth;

    for (size_t i = 0; i + 1 < m->nbandwidth; i++) {
        if (bytes < b[i].packet_bytes || bytes > b[i + 1].packet_bytes)
            continue;
        const float span = (float)(b[i + 1].packet_bytes - b[i].packet_bytes);
        const float part = (float)(bytes - b[i].packet_bytes) / span;
        const float steady =
            (b[i + 1].bytes_per_cycle - b[i].bytes_per_cycle) * part + b[i].bytes_per_cycle;
        const float ratio = (float)(packets - 1) / (float)packets;
        const float first = (float)(1.0 - (double)ratio);
        return first * m->peak + ratio * steady;
    }
    return b[m->nbandwidth - 1].bytes_per_cycle;
}

static struct ttp_noc_live *add_live(struct ttp_noc_sim *s)
{
    uint32_t place = (uint32_t)s->npool;

    TTP_RESERVE(s->arena, s->live, s->nlive + 1, s->cap_live);
    if (s->nspare > 0) {
        place = s->spare[--s->nspare];
    } else {
        (void)TTP_PUSH_WITHIN(s->arena, s->pool, s->npool, s->cap_pool);
    }
    s->live[s->nlive++] = place;
    return &s->pool[place];
}

static void start_transfer(struct ttp_noc_sim *s, uint32_t id)
{
    const struct ttp_noc_transfer *t = &s->load->transfer[id];
    const uint32_t on = s->waits.on[id];

    struct ttp_noc_live *l = add_live(s);
    s->unchanged = false;
    if (on != TTP_NOC_NOBODY) {
        const uint64_t ready = s->end[on] + delay_of(s, id);
        s->start[id] = ready > s->start[id] ? ready : s->start[id];
    }
    l->id = id;
    l->left_bytes = ttp_noc_bytes(t);
    l->start = s->start[id];
    l->wait_end = on == TTP_NOC_NOBODY ? UINT64_MAX : s->end[on];
    l->inject = s->inject[id];
    l->device = t->device;
    l->mcast_write = t->type == TTP_NOC_WRITE_MULTICAST;
    l->fan = NULL;
    l->base = fminf(l->inject, table_rate(s->model, t->packet_bytes, t->packets));
    l->rate = l->base;
    if (!s->congestion)
        return;
    ttp_noc_find_way(s, l);
}

/* In the order in which a search of the queue from its end would come by them: it swaps each with
 * the last that is left, which moves others to places it has passed. */
static void start_free(struct ttp_noc_sim *s)
{
    size_t last = s->queued;

    sort_free(s);
    for (size_t i = 0; i < s->nfree; i++) {
        const uint32_t id = s->free[i], at = s->place[id];
        const uint32_t moved = s->waits.queue[--last];

        start_transfer(s, id);
        s->waits.queue[at] = moved;
        s->place[moved] = at;
    }
    s->queued = last;
    s->nfree = 0;
}

/* ---- accounts ---- */

uint64_t ttp_noc_account_steps(const struct ttp_noc_account *a, uint64_t cycles_per_step)
{
    if (a->worst_cycle <= a->window.start_cycle)
        return 0;
    return (a->worst_cycle + cycles_per_step - 1) / cycles_per_step -
           a->window.start_cycle / cycles_per_step + 1;
}

static void add_record(struct ttp_noc_account *a, const struct ttp_noc_record *r)
{
    a->sum.demand += r->demand;
    a->sum.util += r->util;
    a->sum.mcast += r->mcast;
    a->sum.niu += r->niu;
    a->max.demand = fmax(a->max.demand, r->demand);
    a->max.util = fmax(a->max.util, r->util);
    a->max.niu = fmax(a->max.niu, r->niu);
    for (unsigned k = 0; k < 2; k++) {
        a->sum.noc_demand[k] += r->noc_demand[k];
        a->sum.noc_util[k] += r->noc_util[k];
        a->max.noc_demand[k] = fmax(a->max.noc_demand[k], r->noc_demand[k]);
    }
}

static void note_step(struct ttp_noc_sim *s, struct ttp_noc_account *a,
                      const struct ttp_noc_step_stats *p, uint64_t now)
{
    if (now < a->window.start_cycle)
        return;
    *TTP_PUSH_WITHIN(s->arena, a->waiting, a->nwaiting, a->cap_waiting) = (struct ttp_noc_record){
        .index = (now - a->first_step) / s->step,
        .demand = p->avg_link_demand,
        .util = p->avg_link_util,
        .mcast = p->mcast_write_link_util,
        .niu = p->avg_niu_demand,
        .noc_demand = {p->noc_demand[0], p->noc_demand[1]},
        .noc_util = {p->noc_util[0], p->noc_util[1]},
    };
}

/* Add what is now known to count. */
static void settle(const struct ttp_noc_sim *s, struct ttp_noc_account *a)
{
    const uint64_t steps = ttp_noc_account_steps(a, s->step);

    while (a->first_waiting < a->nwaiting && a->waiting[a->first_waiting].index < steps)
        add_record(a, &a->waiting[a->first_waiting++]);
    if (a->first_waiting == a->nwaiting)
        a->first_waiting = a->nwaiting = 0;
}

static void note_end(struct ttp_noc_account *a, uint64_t offset, uint64_t end)
{
    if (a->window.start_cycle <= offset && offset <= a->issue_end && end > a->worst_cycle)
        a->worst_cycle = end;
}

/* ---- a step ---- */

/* Links by number; devices on which nothing runs stay 0. */
static void number_links(struct ttp_noc_sim *s)
{
    const struct ttp_noc_grid *g = s->model->grid;

    for (uint32_t d = 0; d < s->model->chips; d++) {
        float *out = s->by_number + (size_t)d * 4 * s->plane;

        if (s->by_number_busy[d] && !s->busy[d])
            memset(out, 0, 4 * s->plane * sizeof(float));
        s->by_number_busy[d] = s->busy[d];
        for (int y = 0; y < g->rows && s->busy[d]; y++)
            for (int x = 0; x < g->cols; x++)
                for (unsigned k = 0; k < 4; k++)
                    *out++ = s->link.at[ttp_noc_rate_at(&s->lines, d, x, y, (enum ttp_noc_link)k)];
    }
    s->fresh = false;
}

static ttp_code show(struct ttp_noc_sim *s, uint64_t from, uint64_t now, struct ttp_err *err)
{
    struct ttp_noc_step step = {.start_cycle = from,
                                .end_cycle = now,
                                .nlive = s->nlive,
                                .port = s->port,
                                .link = s->by_number,
                                .busy = s->busy,
                                .live = s->live_ids};

    if (!s->watch || now < s->run->account[s->model->chips].window.start_cycle ||
        s->shown == s->watch->steps)
        return TTP_OK;
    step.live = TTP_RESERVE(s->arena, s->live_ids, s->nlive, s->cap_ids);
    for (size_t i = 0; i < s->nlive; i++)
        s->live_ids[i] = s->pool[s->live[i]].id;
    if (s->fresh)
        number_links(s);
    step.mesh = ttp_noc_percentages(s, &s->sums[s->model->chips], true);
    s->shown++;
    return s->watch->fn(s->watch->ctx, &step, err);
}

static uint64_t active_cycles(const struct ttp_noc_sim *s, const struct ttp_noc_live *l,
                              uint64_t from, uint64_t now)
{
    /* one that was freed in the last step, but could not be shown until now, catches up */
    if (l->wait_end != UINT64_MAX && l->start < from && from >= s->step &&
        l->wait_end >= from - s->step && l->wait_end < from)
        return now - (l->start > l->wait_end ? l->start : l->wait_end);
    return now - l->start < s->step ? now - l->start : s->step;
}

static void end_transfer(struct ttp_noc_sim *s, const struct ttp_noc_live *l, uint64_t moved,
                         uint64_t from, uint64_t now)
{
    const unsigned chips = s->model->chips;
    const uint64_t begin = l->start > from ? l->start : from;
    const float cycles = ceilf((float)moved / l->rate);

    s->end[l->id] = (uint64_t)((float)begin + cycles);
    tell_waiting(s, l->id, now);
    /* the window is about the time of issue, not about the start after waiting */
    const uint64_t offset = s->load->transfer[l->id].offset_cycles;
    note_end(&s->run->account[l->device], offset, s->end[l->id]);
    note_end(&s->run->account[chips], offset, s->end[l->id]);
}

static void move(struct ttp_noc_sim *s, uint64_t from, uint64_t now)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->nlive; i++) {
        struct ttp_noc_live *l = &s->pool[s->live[i]];
        /* signed: one instruction instead of several */
        const float most = (float)(int64_t)active_cycles(s, l, from, now) * l->rate;
        const int64_t whole = most >= 1e18F ? INT64_MAX : (int64_t)most;
        const uint32_t moved = whole < (int64_t)l->left_bytes ? (uint32_t)whole : l->left_bytes;

        l->left_bytes -= moved;
        s->moved |= moved > 0 || l->start > from;
        if (l->left_bytes > 0) {
            s->live[kept++] = s->live[i];
            continue;
        }
        end_transfer(s, l, moved, from, now);
        s->unchanged = false;
        if (l->fan) {
            l->fan->spare = s->spare_fan;
            s->spare_fan = l->fan;
        }
        *TTP_PUSH_WITHIN(s->arena, s->spare, s->nspare, s->cap_spare) = s->live[i];
    }
    s->nlive = kept;
}

/* The end of the next step in which something can happen; 0: never. */
static uint64_t next_step(const struct ttp_noc_sim *s, uint64_t now)
{
    uint64_t next = UINT64_MAX;

    if (s->nlive || s->nfree)
        return now + s->step;
    if (s->unseen)
        next = s->start[s->waits.queue[s->unseen - 1]];
    if (s->ntimers && s->timer[0].cycle < next)
        next = s->timer[0].cycle;
    if (next == UINT64_MAX)
        return 0;
    next = (next + s->step - 1) / s->step * s->step;
    return next > now ? next : now + s->step;
}

static void account_step(struct ttp_noc_sim *s, uint64_t now)
{
    for (unsigned d = 0; d <= s->model->chips; d++) {
        const bool mesh = d == s->model->chips;
        if (!mesh && !s->busy[d])
            continue;
        const struct ttp_noc_step_stats p = ttp_noc_percentages(s, &s->sums[d], mesh);
        note_step(s, &s->run->account[d], &p, now);
    }
}

static ttp_code simulate_step(struct ttp_noc_sim *s, uint64_t now, struct ttp_err *err)
{
    const uint64_t from = now - s->step;

    collect_free(s, now);
    start_free(s);
    s->moved = false;
    if (s->congestion && !(s->steady && s->unchanged)) {
        ttp_noc_clear_grids(s);
        ttp_noc_ask(s, from, now);
        ttp_noc_share(s);
        ttp_noc_sum_step(s);
    }
    if (s->congestion && s->nlive)
        account_step(s, now);
    s->unchanged = true;
    TTP_TRY(show(s, from, now, err));
    move(s, from, now);
    for (unsigned d = 0; d <= s->model->chips; d++)
        settle(s, &s->run->account[d]);
    return TTP_OK;
}

/* Steps that were skipped, and the one that tt-npe has after the end. */
static ttp_code show_idle(struct ttp_noc_sim *s, uint64_t now, uint64_t until, struct ttp_err *err)
{
    if (!s->watch || now >= until)
        return TTP_OK;
    ttp_noc_clear_grids(s);
    ttp_noc_sum_step(s);
    for (; now < until && s->shown < s->watch->steps; now += s->step)
        TTP_TRY(show(s, now - s->step, now, err));
    return TTP_OK;
}

static ttp_code run_all(struct ttp_noc_sim *s, struct ttp_err *err)
{
    uint64_t now = s->step;

    for (;;) {
        TTP_TRY(simulate_step(s, now, err));
        s->run->steps = now / s->step;
        if (s->nlive == 0 && s->queued == 0)
            return TTP_OK;
        const uint64_t next = next_step(s, now);
        if (next == 0)
            return ttp_fail(err, TTP_EPARSE, "%zu transfers wait for each other", s->queued);
        if (s->nlive && !s->moved && !s->unseen && !s->ntimers && !s->nfree)
            return ttp_fail(err, TTP_EPARSE,
                            "%zu transfers get less than a byte per step and would never end; "
                            "use longer steps",
                            s->nlive);
        if (next - s->step > CYCLE_LIMIT) {
            ttp_fail(err, TTP_EPARSE, "the transfers take more than 5e10 cycles");
            ttp_err_hint(err, "the device clocks may not be synchronised");
            return TTP_EPARSE;
        }
        TTP_TRY(show_idle(s, now + s->step, next, err));
        now = next;
    }
}

/* Latency may carry all transfers of a short trace after its end; tt-npe then counts none. */
static bool any_in_time(const struct ttp_noc_sim *s, const struct ttp_noc_window *w,
                        unsigned device)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct ttp_noc_transfer *t = &s->load->transfer[i];
        if ((device == s->model->chips || t->device == device) &&
            t->offset_cycles >= w->start_cycle && t->offset_cycles <= w->end_cycle)
            return true;
    }
    return false;
}

static void open_accounts(struct ttp_noc_sim *s, bool idle)
{
    const unsigned chips = s->model->chips;

    s->run->account = TTP_NEW(s->arena, struct ttp_noc_account, chips + 1U);
    for (unsigned d = 0; d <= chips; d++) {
        struct ttp_noc_account *a = &s->run->account[d];
        a->window = d == chips ? s->load->mesh : s->load->window[d];
        a->issue_end = idle || any_in_time(s, &a->window, d) ? a->window.end_cycle : UINT64_MAX;
        const uint64_t whole = a->window.start_cycle / s->step * s->step;
        a->first_step = whole < a->window.start_cycle || whole == 0 ? whole + s->step : whole;
    }
}

ttp_code ttp_noc_simulate(struct ttp_noc_run *out, const struct ttp_noc_load *load,
                          struct ttp_noc_sim_options options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    const size_t n = load->ntransfers;
    struct ttp_noc_sim s = {.load = load,
                            .model = load->model,
                            .inject = options.inject,
                            .step = options.options->cycles_per_step,
                            .congestion = options.congestion,
                            .n = n,
                            .run = out,
                            .watch = options.watch,
                            .arena = arena,
                            .queued = n,
                            .unseen = n};

    out->start_cycle = s.start = TTP_NEW(arena, uint64_t, n);
    out->end_cycle = s.end = TTP_NEW(arena, uint64_t, n);
    for (size_t i = 0; i < n; i++)
        s.start[i] = load->transfer[i].offset_cycles;
    ttp_noc_find_waits(&s.waits, load, s.start, &options.options->rules, arena);
    s.place = TTP_NEW(arena, uint32_t, n);
    open_accounts(&s, options.options->rules.idle_windows);
    ttp_noc_open_grids(&s, !options.options->rules.lone_blackholes || load->model->chips == 1 ||
                               strcmp(load->model->grid->arch, "blackhole") != 0);
    if (options.watch) {
        s.by_number = TTP_NEW(arena, float, 4 * s.plane * load->model->chips);
        s.by_number_busy = TTP_NEW(arena, bool, load->model->chips);
    }
    if (n == 0)
        return TTP_OK;
    TTP_TRY(run_all(&s, err));
    /* what tt-npe's list of steps is filled up with */
    ttp_noc_clear_grids(&s);
    if (options.watch)
        number_links(&s);
    while (options.watch && s.shown < options.watch->steps) {
        const struct ttp_noc_step step = {
            .port = s.port, .link = s.by_number, .busy = s.busy, .live = s.live_ids};
        s.shown++;
        TTP_TRY(options.watch->fn(options.watch->ctx, &step, err));
    }
    return TTP_OK;
}
