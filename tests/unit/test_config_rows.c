/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_rows.c - matmuls of real runs (tests/data/config): all were accepted by
 * tt-metal, for they ran; what ttnn chose on its own; and how long they took. */
#include <math.h>
#include <stdlib.h>

#include "config/config_parts.h"
#include "test.h"

static const char *const files[] = {TTP_SOURCE_DIR "/tests/data/config/rows.csv.zst",
                                    TTP_SOURCE_DIR "/tests/data/config/other_rows.csv.zst"};

static struct ttp_arena arena;
static struct ttp_ops ops;
static struct ttp_config_op *op; /* one per row; without a config where it cannot be read */

static const struct ttp_board *board_of(size_t row)
{
    const ttp_sym sym = ttp_ops_sym(&ops, TTP_OPS_ARCH, row);
    const ttp_str name =
        sym == TTP_SYM_MISSING ? TTP_STR("blackhole") : ttp_sym_name(&ops.syms, sym);
    const struct ttp_arch *arch = ttp_device_find_arch(name, false);

    return arch ? ttp_board_find(ttp_boards_builtin(), ttp_str_from(arch->board)) : NULL;
}

/* Read them once; each test begins with it. */
static void load(void **state)
{
    const struct ttp_ops_read_options options = {.threads = 1};

    (void)state;
    ttp_test_needs("zstd");
    if (op)
        return;
    assert_int_equal(ttp_ops_read_csv(&ops, (struct ttp_paths){files, 2}, &options, &arena, NULL),
                     TTP_OK);
    op = TTP_NEW(&arena, struct ttp_config_op, ops.rows);
    for (size_t i = 0; i < ops.rows; i++) {
        struct ttp_err err = {0};
        const ttp_code rc = ttp_config_of_row(&op[i], &ops, i, board_of(i), &err);

        if (rc != TTP_OK)
            print_message("row %zu: %s\n", i + 2, err.text);
        assert_int_equal(rc, TTP_OK);
    }
}

static int unload(void **state)
{
    (void)state;
    ttp_arena_free(&arena);
    return 0;
}

static void say(size_t row, const struct ttp_matmul_config *c, const char *what)
{
    print_message("row %zu: %.*s, %.*s: %s\n", row + 2,
                  TTP_FMT(ttp_config_matmul_line(&op[row].problem, &arena)),
                  TTP_FMT(ttp_config_text(c, &arena)), what);
}

static void test_config_rows__every_config_that_ran_is_accepted(void **state)
{
    size_t seen = 0, refused = 0;

    load(state);
    for (size_t i = 0; i < ops.rows; i++) {
        struct ttp_config_check check;

        if (!op[i].has_config)
            continue;
        seen++;
        ttp_config_check(&check, &op[i].problem, &op[i].config);
        if (check.verdict != TTP_CONFIG_BROKEN)
            continue;
        refused++;
        say(i, &op[i].config, check.reason);
    }
    print_message("%zu of %zu configs accepted\n", seen - refused, seen);
    assert_true(seen > 300);
    assert_int_equal(refused, 0);
}

static void test_config_rows__ttnn_picks_what_it_picked(void **state)
{
    size_t seen = 0, same = 0, older = 0;

    load(state);
    for (size_t i = 0; i < ops.rows; i++) {
        struct ttp_config_auto got;

        if (!op[i].by_ttnn || op[i].config.type == TTP_MATMUL_MINIMAL)
            continue;
        seen++;
        if (ttp_config_auto(&got, &op[i].problem, false) &&
            ttp_config_same(&got.config, &op[i].config))
            same++;
        else if (ttp_config_auto(&got, &op[i].problem, true) &&
                 ttp_config_same(&got.config, &op[i].config))
            older++;
        else
            say(i, &got.config, "was chosen otherwise");
    }
    print_message("%zu of %zu choices of ttnn reproduced, %zu more with the rule of older builds\n",
                  same, seen, older);
    assert_true(seen > 50);
    assert_true((double)same >= 0.97 * (double)seen);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Errors |log2(predicted / measured)| on a chip, sorted, of the rows of files from one on. */
static size_t errors_of(double *error, size_t first, size_t last, const char *chip)
{
    size_t n = 0;

    for (size_t i = ops.first_row[first]; i < ops.first_row[last + 1]; i++) {
        struct ttp_matmul_time time;

        if (!op[i].has_config || op[i].measured_ns <= 0 ||
            strcmp(op[i].problem.chip.board->chip, chip) != 0 ||
            ttp_ops_sym(&ops, TTP_OPS_ARCH, i) == TTP_SYM_MISSING ||
            !ttp_cost_matmul(&time, &op[i].problem, &op[i].config))
            continue;
        error[n++] = fabs(log2(time.ns / op[i].measured_ns));
    }
    qsort(error, n, sizeof(*error), by_value);
    return n;
}

/* The smallest error that this part of the errors does not exceed: no interpolation. */
static double quantile(const double *sorted, size_t n, double part)
{
    return sorted[(size_t)ceil(part * (double)n) - 1];
}

/* On the campaigns, on the other runs, and on all of them; the limits hold for the first and the
 * last. */
static void hold_to(const char *chip, double median, double p90)
{
    static const struct {
        const char *name;
        size_t first, last;
        bool held;
    } sets[] = {{"campaigns", 0, 0, true}, {"other runs", 1, 1, false}, {"all", 0, 1, true}};
    double *error = TTP_NEW(&arena, double, ops.rows);

    for (size_t i = 0; i < TTP_COUNT(sets); i++) {
        const size_t n = errors_of(error, sets[i].first, sets[i].last, chip);

        if (n == 0)
            continue;
        print_message("%s, %s: %zu groups, |log2(predicted/measured)| median %.3f, p90 %.3f\n",
                      sets[i].name, chip, n, quantile(error, n, 0.5), quantile(error, n, 0.9));
        if (!sets[i].held)
            continue;
        assert_true(n > 20);
        assert_true(quantile(error, n, 0.5) <= median);
        assert_true(quantile(error, n, 0.9) <= p90);
    }
}

static void test_config_rows__predictions_are_as_good_as_they_say(void **state)
{
    load(state);
    hold_to("blackhole", 0.06, 0.18);
    hold_to("wormhole", 0.06, 0.30);
}

static bool same_problem(const struct ttp_matmul *a, const struct ttp_matmul *b)
{
    return a->m == b->m && a->k == b->k && a->n == b->n && a->batch == b->batch &&
           a->batch_b == b->batch_b && a->a == b->a && a->b == b->b && a->out == b->out &&
           a->fidelity == b->fidelity && a->fp32_acc == b->fp32_acc &&
           a->chip.board == b->chip.board && a->bias == b->bias && a->in0.l1 == b->in0.l1 &&
           a->in0.layout == b->in0.layout && a->in1.l1 == b->in1.l1 &&
           a->in1.layout == b->in1.layout && a->out_at.l1 == b->out_at.l1 &&
           a->out_at.layout == b->out_at.layout;
}

static void test_config_rows__the_favourite_is_as_fast_as_the_best_that_was_measured(void **state)
{
    bool *done = TTP_NEW(&arena, bool, ops.rows);
    size_t problems = 0, bad = 0;

    load(state);
    for (size_t i = 0; i < ops.rows; i++) {
        double best = INFINITY, predicted = INFINITY, favourite = 0;
        size_t configs = 0;

        for (size_t j = i; j < ops.rows; j++) {
            struct ttp_matmul_time time;

            if (done[j] || !op[j].has_config || op[j].measured_ns <= 0 ||
                !same_problem(&op[i].problem, &op[j].problem) ||
                !ttp_cost_matmul(&time, &op[j].problem, &op[j].config))
                continue;
            done[j] = true;
            configs++;
            best = fmin(best, op[j].measured_ns);
            if (time.ns < predicted) {
                predicted = time.ns;
                favourite = op[j].measured_ns;
            }
        }
        if (configs < 2)
            continue;
        problems++;
        if (favourite <= 1.05 * best)
            continue;
        bad++;
        print_message("row %zu: %.*s: the favourite took %.1f us, the best %.1f us\n", i + 2,
                      TTP_FMT(ttp_config_matmul_line(&op[i].problem, &arena)), favourite / 1e3,
                      best / 1e3);
    }
    print_message("%zu of %zu favourites within 5 %% of the best\n", problems - bad, problems);
    assert_true(problems > 10);
    assert_int_equal(bad, 0);
}

/* Seven ways to spoil a config that ran; false: the type has nothing there to spoil. */
static bool damage(struct ttp_matmul_config *c, const struct ttp_matmul *p, unsigned kind)
{
    const bool cast = c->type == TTP_MATMUL_1D || c->type == TTP_MATMUL_2D;
    const bool blocked = cast || c->type == TTP_MATMUL_REUSE;
    const bool minimal = c->type == TTP_MATMUL_MINIMAL;

    switch (kind) {
    case 0: /* steps that do not divide K; minimal pads K */
        c->block_w = (uint32_t)ttp_ceil_div(p->k, 32) + 1;
        return !minimal;
    case 1: /* a subblock beyond the dest registers */
        c->subblock_h = c->subblock_w = 5;
        c->out_block_h = c->out_block_w = c->per_core_m = c->per_core_n = 5;
        return blocked || minimal;
    case 2: /* a grid beyond the device */
        c->grid_x = p->chip.grid_x + 1;
        return blocked || minimal;
    case 3: /* nothing per step */
        c->block_w = 0;
        return true;
    case 4: /* subblocks that do not divide the block */
        c->subblock_h = c->out_block_h + c->per_core_m + 1;
        return blocked || minimal;
    case 5: /* blocks that do not divide what a core owns, or more rows than there are */
        if (cast)
            c->out_block_w = c->subblock_w * (c->per_core_n + 1);
        else if (c->type == TTP_MATMUL_REUSE)
            c->per_core_n += 1;
        else
            c->per_core_m += 1;
        return !minimal;
    default: /* too few cores for the blocks */
        c->grid_x = c->grid_y = 1;
        return minimal || (cast && (uint64_t)c->per_core_m * c->per_core_n * 32 * 32 <
                                       (c->fuse_batch ? p->batch : 1) * p->m * p->n);
    }
}

static void test_config_rows__damaged_configs_are_rejected(void **state)
{
    size_t damaged = 0, accepted = 0;

    load(state);
    for (size_t i = 0; i < ops.rows; i++)
        for (unsigned kind = 0; kind < 7; kind++) {
            struct ttp_matmul_config c = op[i].config;
            struct ttp_config_check check;

            /* sparse matmuls have few rules, a ring has no grid */
            if (!op[i].has_config || op[i].problem.sparse || c.gather_in0 ||
                !damage(&c, &op[i].problem, kind))
                continue;
            damaged++;
            ttp_config_check(&check, &op[i].problem, &c);
            if (check.verdict == TTP_CONFIG_BROKEN && check.rule && check.reason[0])
                continue;
            accepted++;
            say(i, &c, "was accepted");
        }
    print_message("%zu of %zu damaged configs rejected\n", damaged - accepted, damaged);
    assert_true(damaged > 1000);
    assert_int_equal(accepted, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_rows__every_config_that_ran_is_accepted),
        cmocka_unit_test(test_config_rows__damaged_configs_are_rejected),
        cmocka_unit_test(test_config_rows__ttnn_picks_what_it_picked),
        cmocka_unit_test(test_config_rows__predictions_are_as_good_as_they_say),
        cmocka_unit_test(test_config_rows__the_favourite_is_as_fast_as_the_best_that_was_measured),
    };

    return ttp_test_end(cmocka_run_group_tests(tests, NULL, unload));
}
