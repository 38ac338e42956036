/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "host/host.h"
#include "host_tree.h"
#include "logs/logs.h"
#include "test.h"

#define PCI   "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0"
#define CLOCK PCI "/tenstorrent/tenstorrent!0/tt_aiclk"

struct metered {
    const char *dir, *path;
    struct ttp_meter *meter;
    struct ttp_machine_log log;
    struct ttp_meter_cost cost;
    struct ttp_arena *arena;
};

static void begin(struct metered *m, const char *manifest, double hz, struct ttp_arena *arena)
{
    struct ttp_meter_options options = {.hz = hz};

    *m = (struct metered){.arena = arena};
    m->dir = host_tree_make(manifest, arena);
    m->path = ttp_file_join(m->dir, "log.csv", arena);
    options.root = m->dir;
    options.path = m->path;
    assert_int_equal(ttp_host_meter_open(&m->meter, &options, NULL), TTP_OK);
    assert_non_null(m->meter);
}

static void let_pass(const struct metered *m, unsigned ms)
{
    for (unsigned i = 0; i < ms; i += 5) {
        ttp_host_meter_tick(m->meter);
        ttp_clock_sleep_ns(5000000);
    }
}

static void end(struct metered *m)
{
    assert_int_equal(ttp_host_meter_close(m->meter, &m->cost, NULL), TTP_OK);
    assert_int_equal(ttp_logs_machine_log_read(&m->log, m->path, m->arena, NULL), TTP_OK);
    host_tree_remove(m->dir);
}

static bool has_clock(const struct metered *m, double mhz)
{
    for (size_t i = 0; i < m->log.chip[0].count; i++)
        if (m->log.chip[0].sample[i].clock_mhz == mhz)
            return true;
    return false;
}

static void test_meter__a_changed_clock_is_seen_also_in_a_new_file(void **state)
{
    struct metered m;

    begin(&m, "n150.tree", 100, *state);
    host_tree_put(m.dir, CLOCK, "1000\n"); /* the same file, as sysfs does it */
    let_pass(&m, 200);
    host_tree_put(m.dir, CLOCK, "garbage\n");
    let_pass(&m, 200);
    host_tree_put(m.dir, CLOCK, NULL);
    host_tree_put(m.dir, CLOCK, "800\n");
    let_pass(&m, 2000);
    end(&m);
    assert_int_equal(m.log.count, 1);
    assert_true(has_clock(&m, 500));
    assert_true(has_clock(&m, 1000));
    assert_true(has_clock(&m, 800));
    assert_true(m.log.chip[0].sample[m.log.chip[0].count - 1].clock_mhz == 800);
    assert_true(m.log.chip[0].power_limit_w == 85);
    assert_true(m.log.chip[0].sample[0].temperature_c == 41.5);
    bool unknown = false;
    for (size_t i = 0; i < m.log.chip[0].count; i++)
        unknown = unknown || isnan(m.log.chip[0].sample[i].clock_mhz);
    assert_true(unknown);
}

/* Power and temperature of four chips a sample: what was not read is not claimed. */
static void test_meter__values_of_many_chips_are_read_in_turn(void **state)
{
    struct metered m;

    begin(&m, "galaxy8.tree", 100, *state);
    let_pass(&m, 500);
    end(&m);
    assert_int_equal(m.log.count, 8);
    for (size_t i = 0; i < 8; i++) {
        const struct ttp_machine_chip *c = &m.log.chip[i];
        size_t with = 0;

        assert_false(isnan(c->sample[0].clock_mhz));
        assert_int_equal(!isnan(c->sample[0].power_w), i < 4); /* of the first sample */
        for (size_t k = 0; k < c->count; k++) {
            with += !isnan(c->sample[k].power_w);
            assert_int_equal(isnan(c->sample[k].power_w), isnan(c->sample[k].temperature_c));
        }
        assert_true(with >= 1);
    }
}

static void test_meter__the_cost_limits_the_samples(void **state)
{
    struct metered m;

    begin(&m, "n150.tree", 1000, *state); /* far more than 0.1 % of a core allows */
    let_pass(&m, 4000);
    end(&m);
    assert_true(m.cost.samples > 10);
    assert_true(m.cost.seconds >= 3.5);
    /* two seconds' worth may be spent at once */
    assert_true(m.cost.cpu_seconds < 0.001 * (m.cost.seconds + 2));
}

static void test_meter__a_machine_without_chips_has_no_log(void **state)
{
    const char *dir = host_tree_make("no_card.tree", *state);
    struct ttp_meter *meter;
    struct ttp_meter_cost cost;

    const struct ttp_meter_options options = {
        .root = dir, .path = ttp_file_join(dir, "log.csv", *state), .hz = 10};
    assert_int_equal(ttp_host_meter_open(&meter, &options, NULL), TTP_OK);
    assert_null(meter);
    ttp_host_meter_tick(meter);
    assert_int_equal(ttp_host_meter_close(meter, &cost, NULL), TTP_OK);
    assert_int_equal(cost.samples, 0);
    assert_false(ttp_file_exists(options.path));
    host_tree_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_meter__a_changed_clock_is_seen_also_in_a_new_file,
                                        ttp_test_arena_setup, ttp_test_arena_teardown),
        cmocka_unit_test_setup_teardown(test_meter__values_of_many_chips_are_read_in_turn,
                                        ttp_test_arena_setup, ttp_test_arena_teardown),
        cmocka_unit_test_setup_teardown(test_meter__the_cost_limits_the_samples,
                                        ttp_test_arena_setup, ttp_test_arena_teardown),
        cmocka_unit_test_setup_teardown(test_meter__a_machine_without_chips_has_no_log,
                                        ttp_test_arena_setup, ttp_test_arena_teardown),
    };
    return cmocka_run_group_tests_name("host/meter", tests, NULL, NULL);
}
