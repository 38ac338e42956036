/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host.h"
#include "host/machine.h"
#include "host/tree.h"
#include "host_tree.h"
#include "test.h"

#define PCI   "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0"
#define CLASS PCI "/tenstorrent/tenstorrent!0"

static int64_t number(const struct ttp_host_sample *s, enum ttp_chip_attr attr)
{
    int64_t v = -1;

    assert_true(ttp_reading_number(&s->chip[0].attr[attr], &v));
    return v;
}

static void test_host__finds_and_reads_an_n150(void **state)
{
    const char *dir = host_tree_make("n150.tree", *state);
    struct ttp_host host;
    struct ttp_host_sample s;

    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    assert_int_equal(host.nchips, 1);
    assert_int_equal(host.pci_devices, 2);
    assert_false(host.live);
    assert_string_equal(host.chip[0].bdf, "0000:01:00.0");
    assert_string_equal(host.chip[0].pci_dir, PCI);
    assert_string_equal(host.chip[0].port_dir, "/sys/devices/pci0000:00/0000:00:01.1");
    assert_string_equal(host.chip[0].driver, "tenstorrent");
    assert_string_equal(host.chip[0].board->name, "n150");
    assert_int_equal(host.chip[0].number, 0);
    assert_true(host.chip[0].node && host.chip[0].accessible);
    assert_int_equal(host.driver_version.value, 0x02090000);

    ttp_host_sample(&s, &host, &(struct ttp_sample_options){0}, *state);
    assert_int_equal(number(&s, TTP_CHIP_AICLK_MHZ), 500);
    assert_int_equal(number(&s, TTP_CHIP_TEMP_MC), 41500);
    assert_int_equal(number(&s, TTP_CHIP_POWER_MAX_UW), 85000000);
    assert_int_equal(number(&s, TTP_CHIP_LINK_SPEED), 160);
    assert_int_equal(number(&s, TTP_CHIP_PORT_WIDTH_MAX), 16);
    assert_int_equal(number(&s, TTP_CHIP_AER_CORRECTABLE), 0);
    assert_int_equal(number(&s, TTP_CHIP_SERIAL), 0x0100018411727021);
    assert_int_equal(s.chip[0].nholders, 0);
    assert_int_equal(s.attr[TTP_HOST_LOAD_1].value, 120);
    assert_true(ttp_str_eq(s.attr[TTP_HOST_GOVERNOR].text, TTP_STR("performance")));
    ttp_host_close(&host);
    host_tree_remove(dir);
}

/* Whatever one file holds, the others are read, and nothing is taken for an invalid number. */
static void test_host__every_attribute_absent_garbled_huge_or_odd(void **state)
{
    static char huge[100000];
    static const struct {
        const char *text; /* NULL: no file */
        enum ttp_reading_state numeric;
    } cases[] = {
        {NULL, TTP_READING_ABSENT},
        {"", TTP_READING_GARBLED},
        {"\n", TTP_READING_GARBLED},
        {"not a number at all\n", TTP_READING_GARBLED},
        {"-99999999999999999999999\n", TTP_READING_GARBLED},
        {"12 34\n", TTP_READING_GARBLED},
        {"\001\002\377\n", TTP_READING_GARBLED},
        {huge, TTP_READING_GARBLED},
    };
    const char *dir = host_tree_make("n150.tree", *state);
    struct ttp_host host;
    struct ttp_host_sample before, s;
    struct ttp_diagnosis d;
    const struct ttp_sample_options all = {0};

    memset(huge, '7', sizeof(huge) - 1);
    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    ttp_host_sample(&before, &host, &all, *state);
    for (int a = 0; a < TTP_CHIP_ATTRS; a++) {
        const struct ttp_reading *was = &before.chip[0].attr[a];
        const bool text =
            a == TTP_CHIP_CARD_TYPE || a == TTP_CHIP_IOMMU || a == TTP_CHIP_RUNTIME_STATUS;
        const bool kept = a == TTP_CHIP_CARD_TYPE || a == TTP_CHIP_SERIAL ||
                          a == TTP_CHIP_PCI_DEVICE || a == TTP_CHIP_SUBSYSTEM;

        if (was->state != TTP_READING_OK || kept)
            continue;
        const bool lines = a >= TTP_CHIP_AER_CORRECTABLE && a <= TTP_CHIP_AER_FATAL;
        const char *path = ttp_arena_zstr(*state, was->path);
        const char *old = ttp_arena_zstr(*state, was->text);
        for (size_t i = 0; i < TTP_COUNT(cases); i++) {
            host_tree_put(dir, path, cases[i].text);
            ttp_host_sample(&s, &host, &all, *state);
            const enum ttp_reading_state got = s.chip[0].attr[a].state;
            if (lines && cases[i].text && strcmp(cases[i].text, "12 34\n") == 0)
                assert_int_equal(got, TTP_READING_OK); /* a name and a count */
            else if (!text)
                assert_int_equal(got, cases[i].numeric);
            else
                assert_true(got != TTP_READING_UNREADABLE);
            ttp_doctor_run(&d, &(struct ttp_doctor_input){.host = &host, .first = &s}, *state);
            assert_true(d.count >= 25); /* whatever is odd, everything else is judged */
            for (int b = 0; b < TTP_CHIP_ATTRS; b++)
                if (b != a && !(a == TTP_CHIP_PCIE_MST_RD_0 && b > a))
                    assert_int_equal(s.chip[0].attr[b].state, before.chip[0].attr[b].state);
        }
        host_tree_put(dir, path, old);
    }
    ttp_host_close(&host);
    host_tree_remove(dir);
}

static void test_host__a_chip_that_vanishes_leaves_absent_readings_and_a_taint(void **state)
{
    const char *dir = host_tree_make("n150.tree", *state);
    const struct ttp_compare_samples guard = {0};
    struct ttp_host host;
    struct ttp_host_sample before, after;
    struct ttp_taints taints;

    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    ttp_host_sample(&before, &host, &(struct ttp_sample_options){0}, *state);
    host_tree_remove(dir);
    ttp_host_sample(&after, &host, &(struct ttp_sample_options){0}, *state);
    assert_int_equal(after.chip[0].attr[TTP_CHIP_AICLK_MHZ].state, TTP_READING_ABSENT);
    ttp_host_compare(&taints, &host, (struct ttp_host_interval){&before, &after}, &guard, *state);
    assert_int_equal(taints.count, 1);
    assert_int_equal(taints.item[0].kind, TTP_TAINT_CHIP_LOST);
    ttp_host_close(&host);
}

static void test_host__links_do_not_lead_out_of_the_root(void **state)
{
    const char *dir = host_tree_make("n150.tree", *state);
    struct ttp_rootdir root;
    char buf[64], path[1024];

    snprintf(path, sizeof(path), "%s/proc/evil", dir);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof(path), "%s/proc/fifo", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int walk = 0; walk < 2; walk++) { /* with the kernel's help and without */
        assert_int_equal(ttp_rootdir_open(&root, dir, NULL), TTP_OK);
        root.walk = root.walk || walk;
        assert_true(ttp_rootdir_read(&root, "/proc/evil", buf, sizeof(buf), true) < 0);
        assert_true(ttp_rootdir_read(&root, "/../../../etc/passwd", buf, sizeof(buf), true) < 0);
        assert_true(ttp_rootdir_read(&root, "/proc/fifo", buf, sizeof(buf), true) < 0);
        assert_true(ttp_rootdir_read(&root, "/proc", buf, sizeof(buf), true) < 0);
        assert_true(ttp_rootdir_read(&root, "/sys/class/tenstorrent/tenstorrent!0/device/numa_node",
                                     buf, sizeof(buf), true) == 2);
        assert_true(
            ttp_rootdir_readlink(&root, "/sys/bus/pci/devices/0000:01:00.0", buf, sizeof(buf)) > 0);
        ttp_rootdir_close(&root);
    }
    host_tree_remove(dir);
}

static void test_host__counters_wrap(void **state)
{
    struct ttp_host_sample a = {.time_ns = 1000000000}, b = {.time_ns = 1500000000};
    struct ttp_chip_sample one = {0}, two = {0};
    struct ttp_pcie_rate rate;
    uint32_t delta;

    (void)state;
    a.chip = &one;
    b.chip = &two;
    assert_false(ttp_host_pcie_rate(&rate, &a, &b, 0)); /* no counters */
    for (int i = TTP_CHIP_PCIE_MST_RD_0; i < TTP_CHIP_ATTRS; i++)
        one.attr[i].state = two.attr[i].state = TTP_READING_OK;
    one.attr[TTP_CHIP_PCIE_MST_RD_0].value = UINT32_MAX - 9;
    two.attr[TTP_CHIP_PCIE_MST_RD_0].value = 90;
    two.attr[TTP_CHIP_PCIE_SLV_RD_1].value = 1000;
    assert_true(ttp_host_counter_delta(&delta, &one.attr[TTP_CHIP_PCIE_MST_RD_0],
                                       &two.attr[TTP_CHIP_PCIE_MST_RD_0]));
    assert_int_equal(delta, 100);
    assert_true(ttp_host_pcie_rate(&rate, &a, &b, 0));
    assert_true(rate.to_chip_bytes_s == 100 * 32 / 0.5);
    assert_true(rate.from_chip_bytes_s == 1000 * 32 / 0.5);
    assert_false(ttp_host_pcie_rate(&rate, &b, &a, 0)); /* time went backwards */
}

static bool has(const struct ttp_taints *t, enum ttp_taint_kind kind)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->item[i].kind == kind)
            return true;
    return false;
}

static void test_host__taints(void **state)
{
    static const struct {
        const char *path, *text;
        enum ttp_taint_kind kind;
    } cases[] = {
        {CLASS "/tt_aiclk", "460\n", TTP_TAINT_CLOCK},
        {PCI "/hwmon/hwmon3/temp1_input", "75000\n", TTP_TAINT_HOT},
        {PCI "/current_link_width", "8\n", TTP_TAINT_LINK},
        {PCI "/aer_dev_fatal", "DLP 1\nTOTAL_ERR_FATAL 1\n", TTP_TAINT_AER},
        {"/proc/driver/tenstorrent/0/pids", "4711\n", TTP_TAINT_HOLDER},
        {"/proc/driver/tenstorrent/0/pids", "0\n", TTP_TAINT_HOLDER},
        {CLASS "/tt_fw_bundle_ver", "19.7.0.0\n", TTP_TAINT_FIRMWARE},
        {"/proc/loadavg", "7.00 1 1 1/2 3\n", TTP_TAINT_LOAD},
        {"/proc/pressure/io", "some avg10=33.30 avg60=0 total=1\n", TTP_TAINT_PRESSURE},
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n",
         TTP_TAINT_GOVERNOR},
    };
    const struct ttp_compare_samples guard = {.clocks = true};

    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        const char *dir = host_tree_make("n150.tree", *state);
        struct ttp_host host;
        struct ttp_host_sample before, after;
        struct ttp_taints taints;

        assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
        ttp_host_sample(&before, &host, &(struct ttp_sample_options){0}, *state);
        ttp_host_sample(&after, &host, &(struct ttp_sample_options){0}, *state);
        ttp_host_compare(&taints, &host, (struct ttp_host_interval){&before, &after}, &guard,
                         *state);
        assert_int_equal(taints.count, 0);
        host_tree_put(dir, cases[i].path, cases[i].text);
        ttp_host_sample(&after, &host, &(struct ttp_sample_options){0}, *state);
        ttp_host_compare(&taints, &host, (struct ttp_host_interval){&before, &after}, &guard,
                         *state);
        assert_int_equal(taints.count, 1);
        assert_true(has(&taints, cases[i].kind));
        ttp_host_close(&host);
        host_tree_remove(dir);
    }
}

static void test_host__a_clock_within_tolerance_is_no_taint(void **state)
{
    const char *dir = host_tree_make("n150.tree", *state);
    struct ttp_host host;
    struct ttp_host_sample before, after;
    struct ttp_taints taints;

    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    ttp_host_sample(&before, &host, &(struct ttp_sample_options){0}, *state);
    host_tree_put(dir, CLASS "/tt_aiclk", "475\n");
    ttp_host_sample(&after, &host, &(struct ttp_sample_options){.flags = TTP_SAMPLE_LIVE}, *state);
    ttp_host_compare(&taints, &host, (struct ttp_host_interval){&before, &after},
                     &(struct ttp_compare_samples){.clocks = true}, *state);
    assert_int_equal(taints.count, 0);
    host_tree_put(dir, CLASS "/tt_aiclk", "100\n");
    ttp_host_sample(&after, &host, &(struct ttp_sample_options){.flags = TTP_SAMPLE_LIVE}, *state);
    ttp_host_compare(&taints, &host, (struct ttp_host_interval){&before, &after},
                     &(struct ttp_compare_samples){0}, *state);
    assert_int_equal(taints.count, 0); /* idle and busy clocks differ: not asked for */
    ttp_host_close(&host);
    host_tree_remove(dir);
}

static void test_host__own_holders_are_known_by_their_parents(void **state)
{
    struct ttp_host host;
    struct ttp_host_sample s;
    const char *dir = host_tree_make("n150.tree", *state);
    char path[1024];

    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    for (int pid = 300; pid <= 302; pid++) {
        snprintf(path, sizeof(path), "%s/proc/%d", dir, pid);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    host_tree_put(dir, "/proc/302/stat", "302 (a) b) (c) R 301 302 1\n");
    host_tree_put(dir, "/proc/301/stat", "301 (sh) S 300 301 1\n");
    host_tree_put(dir, "/proc/302/status", "Name:\tpython3\nUid:\t1000\t1000\t1000\t1000\n");
    host_tree_put(dir, "/proc/driver/tenstorrent/0/pids", "302\n555\n302\n");
    ttp_host_sample(&s, &host, &(struct ttp_sample_options){.own_pid = 300}, *state);
    assert_int_equal(s.chip[0].nholders, 2);
    assert_true(s.chip[0].holder[0].own);
    assert_false(s.chip[0].holder[1].own);
    assert_true(ttp_str_eq(s.chip[0].holder[0].name, TTP_STR("python3")));
    assert_int_equal(s.chip[0].holder[0].uid, 1000);
    assert_int_equal(s.chip[0].holder[1].uid, -1);
    ttp_host_close(&host);
    host_tree_remove(dir);
}

static void test_host__fingerprint(void **state)
{
    const char *dir = host_tree_make("n150.tree", *state);
    struct ttp_host host;
    struct ttp_fingerprint f;

    assert_int_equal(ttp_host_open(&host, dir, NULL, *state, NULL), TTP_OK);
    ttp_host_fingerprint(&f, &host, *state);
    assert_golden(f.key, "host_fingerprint.txt");
    assert_true(ttp_str_eq(f.hostname, TTP_STR("lab1")));
    assert_false(ttp_str_has(f.key, TTP_STR("lab1")));
    assert_int_equal(f.nboards, 1);
    assert_int_equal(f.board[0].pcie_gen, 4);
    ttp_host_close(&host);
    host_tree_remove(dir);
}

static void test_host__texts(void **state)
{
    static const struct {
        enum ttp_text_kind kind;
        bool good;
        const char *text;
        int64_t value;
    } cases[] = {
        {TTP_TEXT_SPEED, true, "16.0 GT/s PCIe", 160},
        {TTP_TEXT_SPEED, true, "2.5 GT/s", 25},
        {TTP_TEXT_SPEED, false, "Unknown", 0},
        {TTP_TEXT_HEX, true, "0x1e52", 0x1e52},
        {TTP_TEXT_HEX, true, "ffffffffffffffff", -1},
        {TTP_TEXT_HEX, false, "0x", 0},
        {TTP_TEXT_HEX, false, "12345678901234567", 0},
        {TTP_TEXT_AER, true, "A 1\nB 2", 3},
        {TTP_TEXT_AER, true, "A 1\nTOTAL_ERR_COR 7", 7},
        {TTP_TEXT_AER, false, "A", 0},
        {TTP_TEXT_FIRST, true, "0.5 1", 500},
        {TTP_TEXT_FIRST, true, "12", 12000},
        {TTP_TEXT_FIRST, false, "1.", 0},
        {TTP_TEXT_FIRST, false, "-1.0", 0},
        {TTP_TEXT_AVG10, true, "some avg10=1.25 avg60=3", 1250},
        {TTP_TEXT_AVG10, false, "full avg10=1.25", 0},
    };

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        int64_t v;

        assert_int_equal(ttp_host_text_parse(&v, cases[i].kind, ttp_str_from(cases[i].text)),
                         cases[i].good);
        if (cases[i].good)
            assert_int_equal(v, cases[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTP_TEST_ARENA(test_host__finds_and_reads_an_n150),
        TTP_TEST_ARENA(test_host__every_attribute_absent_garbled_huge_or_odd),
        TTP_TEST_ARENA(test_host__a_chip_that_vanishes_leaves_absent_readings_and_a_taint),
        TTP_TEST_ARENA(test_host__links_do_not_lead_out_of_the_root),
        cmocka_unit_test(test_host__counters_wrap),
        TTP_TEST_ARENA(test_host__taints),
        TTP_TEST_ARENA(test_host__a_clock_within_tolerance_is_no_taint),
        TTP_TEST_ARENA(test_host__own_holders_are_known_by_their_parents),
        TTP_TEST_ARENA(test_host__fingerprint),
        cmocka_unit_test(test_host__texts),
    };
    return cmocka_run_group_tests_name("host/host", tests, NULL, NULL);
}
