/* SPDX-License-Identifier: Apache-2.0 */
/* noc_estimate.c - the figures of tt-npe: two simulations, one of them without congestion. */
#include <inttypes.h>

#include "base/par.h"
#include "base/sink.h"
#include "noc/noc_eth_order.h"
#include "noc/noc_sim.h"

struct both {
    const struct ttp_noc_load *load;
    const struct ttp_noc_options *options;
    const float *inject;
    struct ttp_noc_run run[2]; /* as asked for, and without congestion */
    struct ttp_arena *arena;
    struct ttp_arena own[2];
    size_t made, wanted;
};

struct item {
    size_t which;
};

static ttp_code make_item(void *ctx, void *item, bool *more, struct ttp_err *err)
{
    struct both *b = ctx;

    (void)err;
    *more = b->made < b->wanted;
    ((struct item *)item)->which = b->made++;
    return TTP_OK;
}

static ttp_code simulate(void *ctx, void *item, struct ttp_err *err)
{
    struct both *b = ctx;
    const size_t k = ((struct item *)item)->which;

    return ttp_noc_simulate(&b->run[k], b->load,
                            (struct ttp_noc_sim_options){
                                b->options, b->inject, k == 0 && !b->options->no_congestion, NULL},
                            &b->own[k], err);
}

static ttp_code merge(void *ctx, void *item, struct ttp_err *err)
{
    (void)ctx, (void)item, (void)err;
    return TTP_OK;
}

/* ---- what was moved, by memory controller and ethernet core ---- */

struct traffic {
    uint64_t dram_bytes;
    uint64_t *dram;                /* by controller, of one chip */
    bool *dram_used;               /* a transfer of 0 bytes modulo 2^32 counts too */
    uint64_t *eth;                 /* by core of all chips */
    uint32_t *eth_rank;            /* by core: position in eth_core + 1, 0: not used */
    struct ttp_eth_core *eth_core; /* in order of first use */
    size_t neth;
};

static void count_transfer(struct traffic *a, const struct ttp_noc_grid *g,
                           const struct ttp_noc_transfer *t)
{
    const uint64_t bytes = ttp_noc_bytes(t);
    int channel = ttp_device_dram_channel(g, t->sx, t->sy);

    if (channel < 0 && !t->multicast)
        channel = ttp_device_dram_channel(g, t->dx, t->dy);
    if (channel >= 0) {
        a->dram_bytes += bytes;
        a->dram[channel] += bytes;
        a->dram_used[channel] = true;
    }
    if (!t->multicast && ttp_device_core_kind(g, t->dx, t->dy) == TTP_CORE_ETH) {
        const size_t core = ((size_t)t->device * g->rows + (size_t)t->dy) * g->cols + (size_t)t->dx;
        a->eth[core] += bytes;
        if (a->eth_rank[core] == 0) {
            a->eth_core[a->neth] = (struct ttp_eth_core){t->device, t->dx, t->dy};
            a->eth_rank[core] = (uint32_t)++a->neth;
        }
    }
}

static struct traffic open_traffic(const struct ttp_noc_model *m, struct ttp_arena *arena)
{
    const size_t cores = (size_t)m->grid->cols * m->grid->rows * m->chips;

    return (struct traffic){
        .dram = TTP_NEW(arena, uint64_t, m->grid->dram_channels),
        .dram_used = TTP_NEW(arena, bool, m->grid->dram_channels),
        .eth = TTP_NEW(arena, uint64_t, cores),
        .eth_rank = TTP_NEW(arena, uint32_t, cores),
        .eth_core = TTP_NEW(arena, struct ttp_eth_core, (size_t)m->grid->eth_channels * m->chips)};
}

/* The rate limit of DRAM, in bytes per cycle. */
struct dram_rate {
    float controller, chip;
};

static struct dram_rate dram_rate(const struct ttp_noc_model *m, const struct ttp_noc_rules *rules)
{
    const float board = (float)(ttp_device_noc_model_dram_gbs(m) / ttp_device_noc_model_ghz(m));

    return rules->npe_dram ? (struct dram_rate){m->dram_controller, m->dram_chip}
                           : (struct dram_rate){board / (float)m->dram_controllers, board};
}

static void print_dram(struct ttp_noc_stats *out, const struct traffic *a,
                       const struct ttp_noc_model *m, float controller, struct ttp_arena *arena)
{
    const double most = (double)((float)out->golden_cycles * controller);
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    for (unsigned c = 0; c < m->grid->dram_channels; c++) {
        if (!a->dram_used[c])
            continue;
        ttp_sink_printf(&s, "%sc%u:", s.len ? " " : "", c);
        ttp_sink_fixed(&s, (double)a->dram[c] / most * 100, 1, false);
        ttp_sink_char(&s, '%');
    }
    out->dram_per_ctrl = s.len ? ttp_sink_text(&s) : TTP_STR("-");
}

static void print_eth(struct ttp_noc_stats *out, const struct traffic *a,
                      const struct ttp_noc_model *m, struct ttp_arena *arena)
{
    const double most = (double)((float)out->golden_cycles * m->eth_link);
    const size_t chip = (size_t)m->grid->cols * m->grid->rows;
    uint32_t *order = TTP_NEW(arena, uint32_t, a->neth + 1);
    double *util = TTP_NEW(arena, double, a->neth + 1);
    double sum = 0;
    struct ttp_sink s;

    ttp_sink_to_arena(&s, arena);
    for (size_t core = 0; core < chip * m->chips; core++) {
        if (a->eth_rank[core] == 0)
            continue;
        const double percent = (double)a->eth[core] / most * 100;
        const size_t at = core % chip;
        ttp_sink_printf(&s, "%s(%zu,%zu,%zu):", s.len ? " " : "", core / chip, at / m->grid->cols,
                        at % m->grid->cols);
        ttp_sink_fixed(&s, percent, 1, false);
        ttp_sink_char(&s, '%');
        util[a->eth_rank[core] - 1] = percent;
    }
    ttp_noc_eth_order(order, a->eth_core, a->neth, arena);
    for (size_t i = 0; i < a->neth; i++)
        sum += util[order[i]];
    out->eth_bw_util_agg = a->neth ? sum / (double)a->neth : 0;
    out->eth_per_core = s.len ? ttp_sink_text(&s) : TTP_STR("-");
}

static void fill_traffic(struct ttp_noc_stats *out, const struct traffic *a, const struct both *b,
                         unsigned chips)
{
    const struct ttp_noc_model *m = b->load->model;
    const struct dram_rate rate = dram_rate(m, &b->options->rules);
    const float golden = (float)out->golden_cycles * rate.chip * (float)chips;
    const float simulated = (float)out->estimated_cycles * rate.chip * (float)chips;

    out->dram_bw_util = (double)a->dram_bytes / (double)golden * 100;
    out->dram_bw_util_sim = (double)a->dram_bytes / (double)simulated * 100;
    out->dram_peak_gbs = (double)rate.chip * ttp_device_noc_model_ghz(m);
    print_dram(out, a, m, rate.controller, b->arena);
    print_eth(out, a, m, b->arena);
}

/* ---- averages over steps ---- */

static uint64_t cycles_of(const struct ttp_noc_account *a)
{
    return a->worst_cycle <= a->window.start_cycle ? 0 : a->worst_cycle - a->window.start_cycle;
}

static void fill_steps(struct ttp_noc_stats *out, const struct ttp_noc_account *a,
                       const struct ttp_noc_account *alone, const struct ttp_noc_load *load,
                       uint64_t cycles_per_step)
{
    const uint64_t steps = ttp_noc_account_steps(a, cycles_per_step);
    const double n = (double)steps;

    out->estimated_cycles = cycles_of(a);
    out->estimated_cong_free_cycles = cycles_of(alone);
    out->golden_cycles =
        load->has_window ? a->window.end_cycle - a->window.start_cycle : out->estimated_cycles;
    out->num_timesteps = steps;
    out->overall_avg_link_demand = a->sum.demand / n;
    out->overall_max_link_demand = a->max.demand;
    out->overall_avg_link_util = a->sum.util / n;
    out->overall_max_link_util = a->max.util;
    out->overall_avg_niu_demand = a->sum.niu / n;
    out->overall_max_niu_demand = a->max.niu;
    out->overall_avg_noc0_link_demand = a->sum.noc_demand[0] / n;
    out->overall_avg_noc0_link_util = a->sum.noc_util[0] / n;
    out->overall_max_noc0_link_demand = a->max.noc_demand[0];
    out->overall_avg_noc1_link_demand = a->sum.noc_demand[1] / n;
    out->overall_avg_noc1_link_util = a->sum.noc_util[1] / n;
    out->overall_max_noc1_link_demand = a->max.noc_demand[1];
    out->overall_avg_mcast_write_link_util = a->sum.mcast / n;
    out->cycle_prediction_error =
        100.0 * (double)(float)((int64_t)out->estimated_cycles - (int64_t)out->golden_cycles) /
        (double)out->golden_cycles;
    if (out->estimated_cycles && out->estimated_cong_free_cycles)
        out->cong_impact =
            100.0 * ((double)out->estimated_cycles - (double)out->estimated_cong_free_cycles) /
            (double)out->estimated_cycles;
}

static void fill_stats(struct ttp_noc_estimate *out, const struct both *b, struct ttp_arena *arena)
{
    const struct ttp_noc_load *load = b->load;
    const struct ttp_noc_model *m = load->model;
    const struct ttp_noc_run *run = &b->run[0], *alone = &b->run[b->wanted - 1];
    struct traffic *a = TTP_NEW(arena, struct traffic, m->chips + 1U);

    for (unsigned d = 0; d <= m->chips; d++)
        a[d] = open_traffic(m, arena);
    for (size_t i = 0; i < load->ntransfers; i++) {
        count_transfer(&a[load->transfer[i].device], m->grid, &load->transfer[i]);
        count_transfer(&a[m->chips], m->grid, &load->transfer[i]);
    }
    out->device = TTP_NEW(arena, struct ttp_noc_stats, m->chips);
    for (unsigned d = 0; d <= m->chips; d++) {
        struct ttp_noc_stats *s = d == m->chips ? &out->mesh : &out->device[d];
        fill_steps(s, &run->account[d], &alone->account[d], load, b->options->cycles_per_step);
        fill_traffic(s, &a[d], b, d == m->chips ? m->chips : 1);
    }
}

static float *injection(const struct ttp_noc_load *load, const struct ttp_noc_options *options,
                        struct ttp_arena *arena)
{
    float *inject = TTP_NEW(arena, float, load->ntransfers);

    for (size_t i = 0; i < load->ntransfers; i++) {
        const struct ttp_noc_transfer *t = &load->transfer[i];
        inject[i] =
            options->keep_injection
                ? t->inject
                : load->model->inject[ttp_device_core_kind(load->model->grid, t->sx, t->sy)];
    }
    return inject;
}

/* A copy with other times, if they are to be scaled. */
static struct ttp_noc_load scaled(const struct ttp_noc_load *load, float scale,
                                  struct ttp_arena *arena)
{
    struct ttp_noc_load out = *load;

    if (scale == 0.0F || scale == 1.0F)
        return out;
    out.transfer = TTP_NEW(arena, struct ttp_noc_transfer, load->ntransfers);
    for (size_t i = 0; i < load->ntransfers; i++) {
        out.transfer[i] = load->transfer[i];
        out.transfer[i].offset_cycles = (uint64_t)((float)load->transfer[i].offset_cycles * scale);
    }
    return out;
}

static ttp_code check(const struct ttp_noc_load *load, const struct ttp_noc_options *options,
                      const float *inject, struct ttp_err *err)
{
    if (options->cycles_per_step == 0)
        return ttp_fail(err, TTP_EUSAGE, "--cycles-per-step must be at least 1");
    if (!(options->scale >= 0.0F) || options->scale > 1e6F)
        return ttp_fail(err, TTP_EUSAGE, "the scale of times must be from 0 to a million");
    for (size_t i = 0; i < load->ntransfers; i++)
        if (!(inject[i] > 0.0F)) {
            ttp_fail(err, TTP_EPARSE, "transfer %zu has an injection rate of 0 and would never end",
                     i);
            ttp_err_hint(err, "omit the option that uses the file's rates");
            return TTP_EPARSE;
        }
    return TTP_OK;
}

ttp_code ttp_noc_estimate(struct ttp_noc_estimate *out, const struct ttp_noc_load *load,
                          const struct ttp_noc_options *options, struct ttp_arena *arena,
                          struct ttp_err *err)
{
    static const struct ttp_pipeline pipeline = {
        .item_size = sizeof(struct item), .produce = make_item, .work = simulate, .merge = merge};
    const struct ttp_noc_load used = scaled(load, options->scale, arena);
    struct both b = {.load = &used,
                     .options = options,
                     .arena = arena,
                     .wanted = options->no_congestion ? 1 : 2};

    *out = (struct ttp_noc_estimate){0};
    out->inject = injection(&used, options, arena);
    b.inject = out->inject;
    TTP_TRY(check(&used, options, b.inject, err));
    const ttp_code rc = ttp_par_pipeline(&pipeline, &b, options->threads, err);
    if (rc == TTP_OK) {
        fill_stats(out, &b, arena);
        out->steps = b.run[0].steps;
        out->start_cycle = TTP_NEW(arena, uint64_t, used.ntransfers);
        out->end_cycle = TTP_NEW(arena, uint64_t, used.ntransfers);
        if (used.ntransfers) {
            memcpy(out->start_cycle, b.run[0].start_cycle,
                   used.ntransfers * sizeof(*out->start_cycle));
            memcpy(out->end_cycle, b.run[0].end_cycle, used.ntransfers * sizeof(*out->end_cycle));
        }
    }
    ttp_arena_free(&b.own[0]);
    ttp_arena_free(&b.own[1]);
    return rc;
}

ttp_code ttp_noc_steps(const struct ttp_noc_load *load, const struct ttp_noc_options *options,
                       const struct ttp_noc_estimate *estimate, struct ttp_noc_taker take,
                       struct ttp_err *err)
{
    const struct ttp_noc_watch watch = {take.fn, take.ctx, estimate->mesh.num_timesteps};
    struct ttp_arena arena = {0};
    struct ttp_noc_run run = {0};
    const struct ttp_noc_load used = scaled(load, options->scale, &arena);

    const ttp_code rc = ttp_noc_simulate(
        &run, &used,
        (struct ttp_noc_sim_options){options, estimate->inject, !options->no_congestion, &watch},
        &arena, err);
    ttp_arena_free(&arena);
    return rc;
}
