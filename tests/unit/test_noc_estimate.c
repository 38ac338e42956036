/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "noc/noc_sim.h"
#include "test.h"

#define MAX 600

/* A small generator of its own: the same numbers everywhere. */
static uint32_t next(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*seed >> 33) % n;
}

static const struct ttp_noc_options fast = {.cycles_per_step = 32, .threads = 1};

static struct ttp_noc_load make_load(const char *model, struct ttp_noc_transfer *t, size_t n,
                                     struct ttp_arena *arena)
{
    struct ttp_noc_load load = {.model = ttp_device_noc_model(ttp_str_from(model)),
                                .transfer = t,
                                .ntransfers = n,
                                .mesh = {0, 100000},
                                .has_window = true};

    load.window = TTP_NEW(arena, struct ttp_noc_window, load.model->chips);
    for (unsigned d = 0; d < load.model->chips; d++)
        load.window[d] = load.mesh;
    return load;
}

static struct ttp_noc_transfer random_transfer(uint64_t *seed, const struct ttp_noc_model *m)
{
    const struct ttp_noc_grid *g = m->grid;
    struct ttp_noc_transfer t = {.offset_cycles = next(seed, 4000),
                                 .packet_bytes = 32 + next(seed, 8000),
                                 .packets = 1 + next(seed, 3),
                                 .group = TTP_NOC_NO_GROUP,
                                 .index = -1,
                                 .parent = -1,
                                 .sx = (int16_t)next(seed, g->cols),
                                 .sy = (int16_t)next(seed, g->rows),
                                 .dx = (int16_t)next(seed, g->cols),
                                 .dy = (int16_t)next(seed, g->rows),
                                 .device = (uint16_t)next(seed, m->chips),
                                 .noc = (uint8_t)next(seed, 2),
                                 .type = TTP_NOC_WRITE};

    t.ex = t.dx;
    t.ey = t.dy;
    if (next(seed, 5) == 0) {
        t.multicast = true;
        t.type = TTP_NOC_WRITE_MULTICAST;
        t.ex = (int16_t)(t.dx + (int)next(seed, (uint32_t)(g->cols - t.dx)));
        t.ey = (int16_t)(t.dy + (int)next(seed, (uint32_t)(g->rows - t.dy)));
    }
    return t;
}

static const char *const models[] = {"wormhole_b0", "P150", "N300", "P300"};

/* Each transfer ends after it began, not before its bytes could have left, and not before what it
 * waited for. */
static void test_noc_estimate__transfers_take_the_time_that_their_bytes_need(void **state)
{
    struct ttp_noc_transfer t[MAX];
    uint64_t seed = 1;

    for (size_t k = 0; k < TTP_COUNT(models); k++) {
        struct ttp_noc_load load = make_load(models[k], t, MAX, *state);
        struct ttp_noc_estimate est;

        for (size_t i = 0; i < MAX; i++)
            t[i] = random_transfer(&seed, load.model);
        assert_int_equal(ttp_noc_estimate(&est, &load, &fast, *state, NULL), TTP_OK);
        for (size_t i = 0; i < MAX; i++) {
            const double cycles = (double)(est.end_cycle[i] - est.start_cycle[i]);
            assert_true(est.start_cycle[i] >= t[i].offset_cycles);
            assert_true(est.end_cycle[i] > est.start_cycle[i]);
            /* a transfer that catches up may have run a step before it was told to */
            assert_true((cycles + 64) * (double)est.inject[i] >= ttp_noc_bytes(&t[i]));
        }
        assert_true(est.mesh.estimated_cycles >= est.mesh.estimated_cong_free_cycles);
    }
}

struct watched {
    const struct ttp_noc_load *load;
    uint64_t steps;
    size_t running;
};

static ttp_code look(void *ctx, const struct ttp_noc_step *step, struct ttp_err *err)
{
    struct watched *w = ctx;
    const struct ttp_noc_model *m = w->load->model;
    const size_t links = (size_t)m->grid->cols * m->grid->rows * m->chips * 4;
    double sum = 0;

    (void)err;
    for (size_t i = 0; i < links; i++) {
        assert_true(step->link[i] >= 0 && isfinite(step->link[i]));
        sum += (double)fminf(step->link[i], m->link);
    }
    assert_true(step->mesh.avg_link_util <= 100.0001);
    assert_true(fabs(step->mesh.avg_link_util - 100 * sum / ((double)m->link * (double)links)) <
                1e-4);
    assert_true(step->end_cycle == 0 || step->end_cycle == step->start_cycle + 32);
    w->running += step->nlive;
    w->steps++;
    return TTP_OK;
}

static void test_noc_estimate__steps_are_shown_once_and_no_link_is_over_its_capacity(void **state)
{
    struct ttp_noc_transfer t[MAX];
    uint64_t seed = 9;

    for (size_t k = 0; k < TTP_COUNT(models); k++) {
        struct ttp_noc_load load = make_load(models[k], t, MAX, *state);
        struct watched w = {.load = &load};
        struct ttp_noc_estimate est;

        for (size_t i = 0; i < MAX; i++)
            t[i] = random_transfer(&seed, load.model);
        assert_int_equal(ttp_noc_estimate(&est, &load, &fast, *state, NULL), TTP_OK);
        assert_int_equal(ttp_noc_steps(&load, &fast, &est, (struct ttp_noc_taker){look, &w}, NULL),
                         TTP_OK);
        assert_int_equal(w.steps, est.mesh.num_timesteps);
        assert_true(w.running >= MAX);
    }
}

/* Transfer i runs, as a simulation would have it do. */
static void run_transfer(struct ttp_noc_sim *s, uint32_t i)
{
    const struct ttp_noc_transfer *t = &s->load->transfer[i];
    struct ttp_noc_live *l = &s->pool[i];

    *l = (struct ttp_noc_live){.id = i,
                               .start = t->offset_cycles,
                               .device = t->device,
                               .mcast_write = t->type == TTP_NOC_WRITE_MULTICAST};
    l->inject = s->model->inject[ttp_device_core_kind(s->model->grid, t->sx, t->sy)];
    l->base = fminf(l->inject, s->model->peak);
    ttp_noc_find_way(s, l);
    s->live[s->nlive++] = i;
}

/* After sharing, what all transfers of a link get together is at most what it can carry, and so for
 * ports. */
static void test_noc_estimate__shares_fit_links_and_ports(void **state)
{
    struct ttp_arena *arena = *state;
    struct ttp_noc_transfer t[200];
    uint64_t seed = 5;

    for (size_t k = 0; k < TTP_COUNT(models); k++) {
        struct ttp_noc_load load = make_load(models[k], t, 200, arena);
        const struct ttp_noc_model *m = load.model;
        struct ttp_noc_sim s = {
            .load = &load, .model = m, .step = 32, .arena = arena, .congestion = true};

        ttp_noc_open_grids(&s, true);
        s.pool = TTP_NEW(arena, struct ttp_noc_live, 200);
        s.live = TTP_NEW(arena, uint32_t, 200);
        for (size_t i = 0; i < 200; i++) {
            do
                t[i] = random_transfer(&seed, m);
            while (t[i].multicast);
            t[i].offset_cycles = 0;
            run_transfer(&s, (uint32_t)i);
        }
        float *carried = TTP_NEW(arena, float, s.lines.chip * m->chips * s.lines.width);
        ttp_noc_ask(&s, 0, 32);
        ttp_noc_share(&s);
        for (size_t i = 0; i < s.nlive; i++) {
            const struct ttp_noc_live *l = &s.pool[i];
            assert_true(l->rate > 0 && l->rate <= l->base);
            for (size_t n = 0; n < l->nspans; n++)
                for (size_t c = 0; c < s.lines.width; c++)
                    carried[l->span[n].line * s.lines.width + c] += l->rate * l->span[n].mask[c];
        }
        for (size_t i = 0; i < s.lines.chip * m->chips * s.lines.width; i++)
            assert_true(carried[i] <= m->link * 1.0001F);
    }
}

/* The same traffic, moved to another place of the torus where all cores are of one kind, takes the
 * same time; and so does traffic turned by half a turn on the other NoC. */
static void test_noc_estimate__symmetric_traffic_has_a_symmetric_result(void **state)
{
    static const struct {
        int16_t sx, sy, dx, dy;
    } pattern[] = {{1, 1, 4, 2}, {2, 1, 4, 3}, {3, 1, 4, 4}, {1, 2, 4, 4}, {2, 2, 3, 4}};
    struct ttp_noc_transfer a[MAX], b[MAX];
    size_t n = 0;

    for (size_t round = 0; round < 20; round++)
        for (size_t i = 0; i < TTP_COUNT(pattern); i++, n++) {
            a[n] = (struct ttp_noc_transfer){.offset_cycles = 40 * round,
                                             .packet_bytes = 4096,
                                             .packets = 1,
                                             .group = TTP_NOC_NO_GROUP,
                                             .index = -1,
                                             .parent = -1,
                                             .sx = pattern[i].sx,
                                             .sy = pattern[i].sy,
                                             .dx = pattern[i].dx,
                                             .dy = pattern[i].dy,
                                             .ex = pattern[i].dx,
                                             .ey = pattern[i].dy,
                                             .type = TTP_NOC_WRITE};
            b[n] = a[n];
            b[n].sx = (int16_t)(a[n].sx + 5); /* columns 6 to 9 are workers as 1 to 4 are */
            b[n].dx = b[n].ex = (int16_t)(a[n].dx + 5);
        }
    struct ttp_noc_load first = make_load("wormhole_b0", a, n, *state);
    struct ttp_noc_load second = make_load("wormhole_b0", b, n, *state);
    struct ttp_noc_estimate x, y;
    assert_int_equal(ttp_noc_estimate(&x, &first, &fast, *state, NULL), TTP_OK);
    assert_int_equal(ttp_noc_estimate(&y, &second, &fast, *state, NULL), TTP_OK);
    assert_true(x.mesh.estimated_cycles == y.mesh.estimated_cycles);
    assert_memory_equal(x.end_cycle, y.end_cycle, n * sizeof(*x.end_cycle));
    assert_true(fabs(x.mesh.overall_avg_link_util - y.mesh.overall_avg_link_util) < 1e-9);
}

static void test_noc_estimate__the_profile_counts_every_byte_on_every_link_once(void **state)
{
    struct ttp_noc_transfer t[MAX];
    uint64_t seed = 3;

    for (size_t k = 0; k < TTP_COUNT(models); k++) {
        struct ttp_noc_load load = make_load(models[k], t, MAX, *state);
        const struct ttp_noc_model *m = load.model;
        const size_t cores = (size_t)m->grid->cols * m->grid->rows * m->chips;
        struct ttp_noc_profile p;
        uint64_t bytes = 0, hops = 0, links = 0, out = 0, sizes = 0;

        for (size_t i = 0; i < MAX; i++) {
            t[i] = random_transfer(&seed, m);
            bytes += ttp_noc_bytes(&t[i]);
            if (!t[i].multicast)
                hops +=
                    ttp_noc_bytes(&t[i]) *
                    (uint64_t)ttp_noc_hops(m->grid, (struct ttp_noc_way){t[i].sx, t[i].sy, t[i].dx,
                                                                         t[i].dy, t[i].noc});
        }
        ttp_noc_make_profile(&p, &load, NULL, 5, *state);
        for (size_t i = 0; i < cores * 4; i++)
            links += p.link_bytes[i];
        for (size_t i = 0; i < cores; i++)
            out += p.out_bytes[i];
        for (size_t i = 0; i < TTP_NOC_SIZES; i++)
            sizes += p.size_bytes[i];
        assert_true(p.bytes == bytes && out == bytes && sizes == bytes);
        assert_true(p.read_bytes + p.write_bytes + p.fabric_bytes == bytes);
        assert_true(p.noc_bytes[0] + p.noc_bytes[1] == bytes);
        assert_true(links == p.byte_hops && p.byte_hops >= hops);
        assert_int_equal(p.ntop, 5);
        assert_true(p.top[0].bytes >= p.top[4].bytes);
    }
}

/* Sums in any order equal those in order of link numbers to the last bit, whether the steps are so
 * long that rates become small or not, and after others have run on the same grids. */
static void test_noc_estimate__sums_do_not_depend_on_the_order_of_adding(void **state)
{
    static const uint64_t steps[] = {1, 32, 100, 128, 4000, 1000000};
    struct ttp_arena *arena = *state;
    struct ttp_noc_transfer t[300];
    uint64_t seed = 21;

    for (size_t k = 0; k < TTP_COUNT(models) * TTP_COUNT(steps); k++) {
        struct ttp_noc_load load = make_load(models[k % TTP_COUNT(models)], t, 300, arena);
        const uint64_t step = steps[k / TTP_COUNT(models)];
        struct ttp_noc_sim s = {
            .load = &load, .model = load.model, .step = step, .arena = arena, .congestion = true};
        struct ttp_noc_sums *fast_sums = TTP_NEW(arena, struct ttp_noc_sums, 37);
        const size_t size = (load.model->chips + 1U) * sizeof(*fast_sums);

        ttp_noc_open_grids(&s, true);
        s.pool = TTP_NEW(arena, struct ttp_noc_live, 300);
        s.live = TTP_NEW(arena, uint32_t, 300);
        for (size_t round = 0; round < 3; round++) {
            ttp_noc_clear_grids(&s);
            s.nlive = 0;
            for (uint32_t i = 0; i < 100U * (3 - round); i++) {
                t[i] = random_transfer(&seed, load.model);
                t[i].offset_cycles = next(&seed, (uint32_t)step + 1);
                run_transfer(&s, i);
            }
            ttp_noc_ask(&s, 0, step);
            ttp_noc_sum_step(&s);
            memcpy(fast_sums, s.sums, size);
            ttp_noc_sum_in_order(&s);
            assert_true(s.sums[load.model->chips].demand > 0);
            assert_memory_equal(fast_sums, s.sums, size);
        }
    }
}

/* Routes as legs hold the links that a walk from router to router passes. */
static void test_noc_estimate__routes_and_walks_agree(void **state)
{
    uint64_t seed = 11;

    for (size_t k = 0; k < 2000; k++) {
        const struct ttp_noc_model *m =
            ttp_device_noc_model(ttp_str_from(models[k % TTP_COUNT(models)]));
        const struct ttp_noc_transfer t = random_transfer(&seed, m);
        const uint32_t chip = (uint32_t)m->grid->cols * m->grid->rows;
        struct ttp_arena arena = {0};
        struct ttp_noc_span span[TTP_NOC_MAX_LEGS];
        struct ttp_noc_lines lines;
        struct ttp_noc_rates rates;
        uint32_t *link;
        const size_t links = ttp_noc_route(&link, m, &t, *state);
        float sum = 0;

        ttp_noc_lines_init(&lines, m->grid, &arena);
        ttp_noc_rates_init(&rates, &lines, m->chips, &arena);
        ttp_noc_rates_add(&rates, &lines, span, ttp_noc_spans(span, &lines, &t), 1);
        for (size_t i = 0; i < links; i++) {
            const uint32_t core = link[i] / 4;
            assert_true(
                rates.at[ttp_noc_rate_at(&lines, core / chip, (int)(core % chip % m->grid->cols),
                                         (int)(core % chip / m->grid->cols),
                                         (enum ttp_noc_link)(link[i] % 4))] == 1.0F);
        }
        for (size_t i = 0; i < lines.chip * m->chips * lines.width; i++)
            sum += rates.at[i];
        assert_true(sum == (float)links);
        if (!links)
            assert_int_equal(ttp_noc_leaving(m->grid, &t), TTP_NOC_LOCAL);
        else
            assert_int_equal(ttp_noc_leaving(m->grid, &t), link[0] % 4);
        ttp_arena_free(&arena);
    }
}

static void test_noc_estimate__what_can_never_end_is_refused(void **state)
{
    struct ttp_noc_transfer t[2] = {{.packet_bytes = 64,
                                     .packets = 1,
                                     .group = 0,
                                     .index = 0,
                                     .parent = 1,
                                     .sx = 1,
                                     .sy = 1,
                                     .dx = 2,
                                     .dy = 1,
                                     .ex = 2,
                                     .ey = 1},
                                    {.packet_bytes = 64,
                                     .packets = 1,
                                     .group = 0,
                                     .index = 1,
                                     .parent = 0,
                                     .sx = 1,
                                     .sy = 1,
                                     .dx = 2,
                                     .dy = 1,
                                     .ex = 2,
                                     .ey = 1}};
    struct ttp_noc_load load = make_load("wormhole_b0", t, 2, *state);
    struct ttp_noc_options keep = fast;
    struct ttp_noc_estimate est;
    struct ttp_err err = {0};

    load.ngroups = 1;
    assert_int_equal(ttp_noc_estimate(&est, &load, &fast, *state, &err), TTP_EPARSE);
    t[0].parent = t[1].parent = -1;
    keep.keep_injection = true;
    assert_int_equal(ttp_noc_estimate(&est, &load, &keep, *state, &err), TTP_EPARSE);
    t[1].offset_cycles = UINT64_C(60000000000);
    assert_int_equal(ttp_noc_estimate(&est, &load, &fast, *state, &err), TTP_EPARSE);
    t[1].offset_cycles = UINT64_C(40000000000); /* far, but idle steps cost nothing */
    assert_int_equal(ttp_noc_estimate(&est, &load, &fast, *state, &err), TTP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_noc_estimate__transfers_take_the_time_that_their_bytes_need),
        TTP_TEST_ARENA(test_noc_estimate__steps_are_shown_once_and_no_link_is_over_its_capacity),
        TTP_TEST_ARENA(test_noc_estimate__shares_fit_links_and_ports),
        TTP_TEST_ARENA(test_noc_estimate__symmetric_traffic_has_a_symmetric_result),
        TTP_TEST_ARENA(test_noc_estimate__the_profile_counts_every_byte_on_every_link_once),
        TTP_TEST_ARENA(test_noc_estimate__sums_do_not_depend_on_the_order_of_adding),
        TTP_TEST_ARENA(test_noc_estimate__routes_and_walks_agree),
        TTP_TEST_ARENA(test_noc_estimate__what_can_never_end_is_refused),
    };
    return cmocka_run_group_tests_name("noc/estimate", tests, NULL, NULL);
}
