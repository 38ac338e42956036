/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out in the library, at one place after the other: an error, no leak (which the
 * sanitizer would tell), and handles that still work. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ttperf.h"

#define ONE_DEVICE  TTP_SOURCE_DIR "/tests/data/demo_ops_perf_results.csv"
#define LOGS        TTP_SOURCE_DIR "/tests/golden/ops_faults/logs"
#define TWO_DEVICES TTP_SOURCE_DIR "/tests/data/demo_two_devices.csv"

/* Nothing of the demos needs as much. */
#define PLENTY ((uint64_t)1 << 30)
/* The smallest block of an arena is larger: each step gets one further at most. */
#define STEP ((uint64_t)48 << 10)

static size_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static enum ttperf_code open_with(struct ttperf_run **out, const char *path, uint64_t max_memory,
                                  uint32_t threads, struct ttperf_error *error)
{
    struct ttperf_read_options o = TTPERF_READ_OPTIONS_INIT;

    o.threads = threads;
    o.max_memory = max_memory;
    return ttperf_run_open(out, &path, 1, &o, error);
}

/* The least limit, in steps, with which the run can be read. */
static uint64_t find_limit(const char *path, uint32_t threads)
{
    const size_t files = open_files();
    struct ttperf_error error;
    struct ttperf_run *run;
    size_t refused = 0;

    for (uint64_t limit = STEP; limit < PLENTY; limit += STEP) {
        const enum ttperf_code rc = open_with(&run, path, limit, threads, &error);

        assert_int_equal(open_files(), files);
        if (rc == TTPERF_OK) {
            assert_true(ttperf_run_rows(run) > 0);
            ttperf_run_close(run);
            assert_true(refused > 1);
            return limit;
        }
        assert_int_equal(rc, TTPERF_ELIMIT);
        assert_null(run);
        assert_non_null(strstr(error.message, "memory"));
        assert_non_null(strstr(error.hint, "max_memory"));
        refused++;
    }
    fail_msg("%s: never enough", path);
    return 0;
}

static void test_library_memory__reading_fails_at_every_place(void **state)
{
    (void)state;
    (void)find_limit(ONE_DEVICE, 1);
    (void)find_limit(TWO_DEVICES, 4);
    (void)find_limit(LOGS, 1);
    (void)find_limit(LOGS, 3);
}

static void test_library_memory__the_message_names_the_input(void **state)
{
    struct ttperf_error error;
    struct ttperf_run *run;

    (void)state;
    assert_int_equal(open_with(&run, ONE_DEVICE, (uint64_t)512 << 10, 1, &error), TTPERF_ELIMIT);
    assert_non_null(strstr(error.path, "demo_ops_perf_results.csv"));
    assert_non_null(strstr(error.message, "512 KiB"));
}

#define REPORTS 400

/* Reports of one run, all of them open, until the budget is used up. */
struct reports {
    struct ttperf_run *run;
    struct ttperf_report *report[REPORTS];
    size_t count;
};

/* Of the demo: what follows its last signpost has no findings. */
static const struct ttperf_analysis_options whole = {.size = sizeof(whole),
                                                     .flags = TTPERF_IGNORE_SIGNPOSTS};

enum step { OPEN, ADVISE, WRITE };

/* One step for each report; how many went well before one failed. */
static size_t take_step(struct reports *r, enum step step, enum ttperf_code *rc)
{
    size_t n = 0, len;
    const char *text;

    *rc = TTPERF_OK;
    for (; n < (step == OPEN ? REPORTS : r->count) && *rc == TTPERF_OK; n++) {
        struct ttperf_error error = {.code = TTPERF_OK};

        if (step == OPEN)
            *rc = ttperf_report_open(&r->report[n], r->run, &whole, &error);
        else if (step == ADVISE)
            *rc = ttperf_report_advise(r->report[n], &error);
        else
            *rc = ttperf_report_write_memory(&text, &len, r->report[n], TTPERF_FORMAT_JSON, NULL,
                                             &error);
        assert_int_equal(error.code, *rc);
        if (*rc == TTPERF_OK)
            continue;
        assert_int_equal(*rc, TTPERF_ELIMIT);
        if (step == OPEN)
            assert_null(r->report[n]);
        else if (step == ADVISE)
            assert_int_equal(ttperf_report_findings(r->report[n]), 0);
        else
            assert_null(text);
        break;
    }
    if (step == OPEN)
        r->count = n;
    return n;
}

static void close_some(struct reports *r, size_t left)
{
    while (r->count > left)
        ttperf_report_close(r->report[--r->count]);
}

static void test_library_memory__a_run_outlives_its_failures(void **state)
{
    const uint64_t least = find_limit(ONE_DEVICE, 1);
    struct ttperf_error error;
    enum ttperf_code rc;
    size_t failed[] = {[OPEN] = 0, [ADVISE] = 0, [WRITE] = 0};

    (void)state;
    for (uint64_t more = 0; more < 40; more++) {
        struct reports r = {.count = 0};

        assert_int_equal(
            open_with(&r.run, ONE_DEVICE, least + (16 << 17) + more * 10000, 1, &error), TTPERF_OK);
        for (enum step step = OPEN; step <= WRITE; step++) {
            (void)take_step(&r, step, &rc);
            failed[step] += rc != TTPERF_OK;
            if (step == OPEN) { /* some room for what follows, but not enough for all */
                assert_true(r.count > 4 && r.count < REPORTS);
                close_some(&r, r.count - more % 3);
            }
        }
        /* what failed works once others have made room, and is what it always was */
        close_some(&r, 1);
        assert_int_equal(take_step(&r, ADVISE, &rc), 1);
        assert_int_equal(take_step(&r, WRITE, &rc), 1);
        assert_true(ttperf_report_rows(r.report[0]) > 0);
        assert_true(ttperf_report_findings(r.report[0]) > 0);
        close_some(&r, 0);
        ttperf_run_close(r.run);
    }
    assert_true(failed[OPEN] && failed[ADVISE] && failed[WRITE]);
}

static void test_library_memory__what_inflates_too_far_is_refused(void **state)
{
    struct ttperf_read_options o = TTPERF_READ_OPTIONS_INIT;
    char name[] = "/tmp/ttp_library_XXXXXX", command[256];
    const char *path = name;
    struct ttperf_error error;
    struct ttperf_run *run;

    (void)state;
    ttp_test_needs("zlib");
    close(mkstemp(name));
    snprintf(command, sizeof(command), "gzip -c '%s' > '%s'", ONE_DEVICE, name);
    /* a fixed command. NOLINTNEXTLINE(cert-env33-c) */
    assert_int_equal(system(command), 0);
    o.max_inflate = 4096;
    assert_int_equal(ttperf_run_open(&run, &path, 1, &o, &error), TTPERF_ELIMIT);
    assert_non_null(strstr(error.message, "4 KiB"));
    assert_non_null(strstr(error.hint, "max_inflate"));
    o.max_inflate = 0;
    assert_int_equal(ttperf_run_open(&run, &path, 1, &o, &error), TTPERF_OK);
    ttperf_run_close(run);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library_memory__reading_fails_at_every_place),
        cmocka_unit_test(test_library_memory__the_message_names_the_input),
        cmocka_unit_test(test_library_memory__a_run_outlives_its_failures),
        cmocka_unit_test(test_library_memory__what_inflates_too_far_is_refused),
    };
    return ttp_test_end(cmocka_run_group_tests_name("library_memory", tests, NULL, NULL));
}
