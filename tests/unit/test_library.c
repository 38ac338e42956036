/* SPDX-License-Identifier: Apache-2.0 */
/* The library through its public header only. */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ttperf.h"

#define ONE_DEVICE  TTP_SOURCE_DIR "/tests/data/demo_ops_perf_results.csv"
#define LOGS        TTP_SOURCE_DIR "/tests/golden/ops_faults/logs"
#define TWO_DEVICES TTP_SOURCE_DIR "/tests/data/demo_two_devices.csv"

static struct ttperf_run *open_run(const char *path, uint32_t flags)
{
    struct ttperf_read_options options = TTPERF_READ_OPTIONS_INIT;
    struct ttperf_error error;
    struct ttperf_run *run;

    options.flags = flags;
    if (ttperf_run_open(&run, &path, 1, &options, &error) != TTPERF_OK)
        fail_msg("%s: %s", error.path, error.message);
    return run;
}

/* The demo ends with a few ops after its last signpost: all of it has more to show. */
static const struct ttperf_analysis_options whole = {.size = sizeof(whole),
                                                     .flags = TTPERF_IGNORE_SIGNPOSTS};

static struct ttperf_report *open_report(struct ttperf_run *run,
                                         const struct ttperf_analysis_options *options)
{
    struct ttperf_error error;
    struct ttperf_report *report;

    if (ttperf_report_open(&report, run, options, &error) != TTPERF_OK)
        fail_msg("%s", error.message);
    return report;
}

static enum ttperf_code try_open(const char *path, struct ttperf_error *error)
{
    struct ttperf_run *run;
    const enum ttperf_code rc = ttperf_run_open(&run, &path, 1, NULL, error);

    assert_int_equal(rc != TTPERF_OK, run == NULL);
    ttperf_run_close(run);
    return rc;
}

static bool text_is(struct ttperf_value v, const char *text)
{
    return v.type == TTPERF_TYPE_TEXT && v.as.text.len == strlen(text) &&
           memcmp(v.as.text.ptr, text, v.as.text.len) == 0;
}

static void test_library__a_run_has_the_columns_of_its_file(void **state)
{
    struct ttperf_run *run = open_run(TWO_DEVICES, 0);
    const size_t code = ttperf_run_find_column(run, "OP CODE");
    const size_t time = ttperf_run_find_column(run, "DEVICE KERNEL DURATION [ns]");
    const size_t device = ttperf_run_find_column(run, "DEVICE ID");

    (void)state;
    assert_int_equal(ttperf_run_files(run), 1);
    assert_string_equal(ttperf_run_file(run, 0), TWO_DEVICES);
    assert_null(ttperf_run_file(run, 1));
    assert_string_equal(ttperf_run_column(run, time)->unit, "ns");
    assert_int_equal(ttperf_run_column(run, code)->type, TTPERF_TYPE_TEXT);
    assert_null(ttperf_run_column(run, ttperf_run_columns(run)));
    assert_int_equal(ttperf_run_find_column(run, "no such column"), TTPERF_NONE);
    /* the file begins with the signpost "warmup", which has neither device nor duration */
    assert_true(text_is(ttperf_run_value(run, 0, code), "warmup"));
    assert_int_equal(ttperf_run_value(run, 0, time).type, TTPERF_TYPE_MISSING);
    assert_int_equal(ttperf_run_value(run, 0, device).type, TTPERF_TYPE_MISSING);
    assert_true(text_is(ttperf_run_value(run, 1, code), "EmbeddingsDeviceOperation"));
    assert_int_not_equal(ttperf_run_value(run, 1, time).type, TTPERF_TYPE_MISSING);
    assert_int_equal(ttperf_run_value(run, ttperf_run_rows(run), code).type, TTPERF_TYPE_MISSING);
    assert_int_equal(ttperf_run_value(run, 1, TTPERF_NONE).type, TTPERF_TYPE_MISSING);
    ttperf_run_close(run);
}

static void test_library__a_report_has_values_and_totals(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, &whole);
    const size_t time = ttperf_report_find_column(report, "time");
    const struct ttperf_totals *totals = ttperf_report_totals(report);
    double sum_us = 0;

    (void)state;
    assert_int_equal(time, ttperf_report_find_column(report, "device_us"));
    assert_string_equal(ttperf_report_column(report, time)->unit, "us");
    assert_int_equal(ttperf_report_column(report, time)->type, TTPERF_TYPE_REAL);
    assert_null(ttperf_report_column(report, ttperf_report_columns(report)));
    for (size_t row = 0; row < ttperf_report_rows(report); row++) {
        const struct ttperf_value v = ttperf_report_value(report, row, time);
        sum_us += v.type == TTPERF_TYPE_REAL ? v.as.f : 0;
    }
    assert_true(sum_us > 0);
    assert_float_equal(sum_us, totals->device_time_us, 1e-6);
    assert_string_equal(totals->arch, "wormhole");
    assert_string_equal(totals->csv_format, "v2.1");
    assert_int_equal(ttperf_report_value(report, ttperf_report_rows(report), time).type,
                     TTPERF_TYPE_MISSING);
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static void test_library__options_choose_the_rows(void **state)
{
    struct ttperf_run *run = open_run(TWO_DEVICES, 0);
    static const struct {
        uint64_t flags;
        const char *start, *end;
        int64_t first_id, last_id;
        bool fewer; /* than with the options of the case before */
    } cases[] = {
        {TTPERF_IGNORE_SIGNPOSTS | TTPERF_KEEP_SIGNPOSTS | TTPERF_NO_MERGE_DEVICES, NULL, NULL, 0,
         0, true},
        {TTPERF_IGNORE_SIGNPOSTS | TTPERF_NO_MERGE_DEVICES, NULL, NULL, 0, 0, true},
        {TTPERF_IGNORE_SIGNPOSTS, NULL, NULL, 0, 0, true},
        {TTPERF_IGNORE_SIGNPOSTS, NULL, NULL, 2, 0, false},
        {TTPERF_IGNORE_SIGNPOSTS | TTPERF_NO_HOST_OPS, NULL, NULL, 0, 0, true},
        {TTPERF_NO_HOST_OPS, "start", NULL, 0, 0, true},
        {TTPERF_NO_HOST_OPS, "start", NULL, 12, 20, true},
        {TTPERF_NO_HOST_OPS, "warmup", "start", 0, 9, true},
    };
    size_t before = SIZE_MAX;

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(cases); i++) {
        struct ttperf_analysis_options options = TTPERF_ANALYSIS_OPTIONS_INIT;
        options.flags = cases[i].flags;
        options.start_signpost = cases[i].start;
        options.end_signpost = cases[i].end;
        options.first_id = cases[i].first_id;
        options.last_id = cases[i].last_id;
        struct ttperf_report *report = open_report(run, &options);
        const size_t rows = ttperf_report_rows(report);
        if (rows == 0 || rows > before || (rows < before) != cases[i].fewer)
            fail_msg("case %zu: %zu rows, before %zu", i, rows, before);
        before = rows;
        ttperf_report_close(report);
    }
    ttperf_run_close(run);
}

static void test_library__findings_name_their_rows(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, &whole);

    (void)state;
    assert_null(ttperf_report_finding(report, 0));
    const size_t count = ttperf_report_findings(report);
    assert_true(count > 0);
    assert_int_equal(ttperf_report_findings(report), count);
    for (size_t i = 0; i < count; i++) {
        const struct ttperf_finding *f = ttperf_report_finding(report, i);
        assert_true(f->row < ttperf_report_rows(report));
        assert_true(f->rule[0] && f->text[0]);
        assert_true(f->gain_us >= 0);
    }
    assert_null(ttperf_report_finding(report, count));
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static void test_library__notes_say_what_was_chosen(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, NULL);
    bool signposts = false;

    (void)state;
    for (size_t i = 0; i < ttperf_report_notes(report); i++)
        signposts |= strstr(ttperf_report_note(report, i)->text, "signpost") != NULL;
    assert_true(signposts);
    assert_null(ttperf_report_note(report, ttperf_report_notes(report)));
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static void test_library__memory_and_descriptor_get_the_same_bytes(void **state)
{
    static const char *const starts[] = {[TTPERF_FORMAT_TEXT] = "",
                                         [TTPERF_FORMAT_CSV] = "ID,",
                                         [TTPERF_FORMAT_JSON] = "{\"schema\":\"tt-perf.report/2\"",
                                         [TTPERF_FORMAT_MARKDOWN] = ""};
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, &whole);

    (void)state;
    for (int format = 0; format < (int)TTP_COUNT(starts); format++) {
        FILE *file = tmpfile();
        const char *text;
        size_t len;

        assert_non_null(file);
        assert_int_equal(
            ttperf_report_write_fd(report, (enum ttperf_format)format, fileno(file), NULL, NULL),
            TTPERF_OK);
        assert_int_equal(
            ttperf_report_write_memory(&text, &len, report, (enum ttperf_format)format, NULL, NULL),
            TTPERF_OK);
        assert_true(len > 1000 && text[len] == '\0');
        assert_memory_equal(text, starts[format], strlen(starts[format]));
        char *written = test_malloc(len + 1);
        rewind(file);
        assert_int_equal(fread(written, 1, len + 1, file), len);
        assert_memory_equal(written, text, len);
        test_free(written);
        fclose(file);
    }
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static size_t written_bytes(struct ttperf_report *report, const struct ttperf_write_options *o)
{
    const char *text;
    size_t len;

    assert_int_equal(ttperf_report_write_memory(&text, &len, report, TTPERF_FORMAT_TEXT, o, NULL),
                     TTPERF_OK);
    return len;
}

static void test_library__write_options_change_what_is_written(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, &whole);
    const size_t usual = written_bytes(report, NULL);

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct ttperf_write_options o = TTPERF_WRITE_OPTIONS_INIT;
        switch (i) {
        case 0:
            o.flags = TTPERF_NO_ADVICE;
            break;
        case 1:
            o.flags = TTPERF_NO_SUMMARY;
            break;
        case 2:
            o.flags = TTPERF_COLOR;
            break;
        case 3:
            o.where = "bound=DRAM";
            break;
        case 4:
            o.top = 3;
            break;
        case 5:
            o.columns = "id, op,gap";
            break;
        case 6:
            o.group_by = TTPERF_GROUP_CATEGORY;
            break;
        default:
            o.min_percentage = 50;
        }
        if (written_bytes(report, &o) == usual)
            fail_msg("option %d changes nothing", i);
    }
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static void test_library__what_makes_no_sense_is_refused(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, NULL), *none;
    struct ttperf_analysis_options analysis = TTPERF_ANALYSIS_OPTIONS_INIT;
    struct ttperf_write_options write = TTPERF_WRITE_OPTIONS_INIT;
    struct ttperf_error error;
    const char *text = "";

    (void)state;
    analysis.arch = "abacus";
    assert_int_equal(ttperf_report_open(&none, run, &analysis, &error), TTPERF_EUSAGE);
    assert_null(none);
    assert_non_null(strstr(error.message, "abacus"));
    analysis.arch = NULL;
    analysis.flags = (uint64_t)1 << 40;
    assert_int_equal(ttperf_report_open(&none, run, &analysis, &error), TTPERF_EUSAGE);
    write.where = "bound=";
    assert_int_equal(
        ttperf_report_write_memory(&text, NULL, report, TTPERF_FORMAT_CSV, &write, &error),
        TTPERF_EUSAGE);
    assert_null(text);
    write.where = NULL;
    write.columns = "op,nonsense";
    assert_int_equal(ttperf_report_write_fd(report, TTPERF_FORMAT_TEXT, -1, &write, &error),
                     TTPERF_EUSAGE);
    assert_non_null(strstr(error.message, "nonsense"));
    assert_int_equal(ttperf_report_write_fd(report, (enum ttperf_format)9, 1, NULL, &error),
                     TTPERF_EUSAGE);
    ttperf_report_close(report);
    ttperf_run_close(run);
    assert_int_equal(ttperf_run_open(&run, NULL, 0, NULL, &error), TTPERF_EUSAGE);
}

static void test_library__a_full_disk_is_an_error(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *report = open_report(run, NULL);
    struct ttperf_error error;
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    if (full) {
        assert_int_equal(
            ttperf_report_write_fd(report, TTPERF_FORMAT_CSV, fileno(full), NULL, &error),
            TTPERF_EIO);
        fclose(full);
    }
    ttperf_report_close(report);
    ttperf_run_close(run);
}

/* Options of a caller whose header has fewer or more members than ours. */
static void test_library__options_of_other_versions(void **state)
{
    struct {
        struct ttperf_read_options known;
        uint64_t added;
    } newer = {TTPERF_READ_OPTIONS_INIT, 0};
    struct ttperf_analysis_options older = TTPERF_ANALYSIS_OPTIONS_INIT;
    const char *path = ONE_DEVICE;
    struct ttperf_error error;
    struct ttperf_run *run;
    struct ttperf_report *report;

    (void)state;
    newer.known.size = sizeof(newer);
    newer.added = 1;
    assert_int_equal(ttperf_run_open(&run, &path, 1, &newer.known, &error), TTPERF_EUSAGE);
    newer.added = 0;
    assert_int_equal(ttperf_run_open(&run, &path, 1, &newer.known, &error), TTPERF_OK);
    older.size = offsetof(struct ttperf_analysis_options, arch);
    older.arch = "abacus"; /* not there for a caller that does not know about it */
    report = open_report(run, &older);
    ttperf_report_close(report);
    older.size = 0;
    assert_int_equal(ttperf_report_open(&report, run, &older, &error), TTPERF_EUSAGE);
    assert_non_null(strstr(error.hint, "TTPERF_ANALYSIS_OPTIONS_INIT"));
    ttperf_run_close(run);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_library__bad_files_say_what_is_wrong(void **state)
{
    char dir[] = "/tmp/ttperf_XXXXXX", path[64];
    struct ttperf_error error;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(try_open(dir, &error), TTPERF_ENOTFOUND);
    assert_string_equal(error.path, dir);
    assert_true(error.hint[0]);
    snprintf(path, sizeof(path), "%s/ops_perf_results.csv", dir);
    assert_int_equal(try_open(path, &error), TTPERF_EIO);
    assert_int_equal(error.code, TTPERF_EIO);
    assert_string_equal(error.path, path);
    assert_int_equal(try_open(path, NULL), TTPERF_EIO);
    write_file(path, "a,b\n1,2\n");
    assert_int_equal(try_open(dir, &error), TTPERF_EPARSE);
    assert_string_equal(error.path, path);
    assert_int_equal(error.line, 1);
    unlink(path);
    rmdir(dir);
}

static void test_library__figures_of_boards_can_be_ones_own(void **state)
{
    char path[] = "/tmp/ttperf_XXXXXX";
    struct ttperf_analysis_options options = whole;
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *builtin = open_report(run, &options), *own;
    struct ttperf_error error;

    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, "[n150]\ndram_gbs = 100\n[p150a]\ndram_gbs = 100\n");
    options.boards = path;
    own = open_report(run, &options);
    assert_true(ttperf_report_totals(builtin)->peak_dram_gbs > 100);
    assert_float_equal(ttperf_report_totals(own)->peak_dram_gbs, 100, 0);
    ttperf_report_close(own);
    write_file(path, "[n150]\ndram_gbs = much\n");
    assert_int_equal(ttperf_report_open(&own, run, &options, &error), TTPERF_EPARSE);
    assert_null(own);
    assert_string_equal(error.path, path);
    assert_int_equal(error.line, 2);
    unlink(path);
    assert_int_equal(ttperf_report_open(&own, run, &options, &error), TTPERF_EIO);
    ttperf_report_close(builtin);
    ttperf_run_close(run);
}

static int count_open_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

static void test_library__a_folder_of_logs_is_a_run(void **state)
{
    const int before = count_open_files();
    struct ttperf_run *run = open_run(LOGS, 0);
    struct ttperf_report *report = open_report(run, &whole);
    const size_t code = ttperf_run_find_column(run, "OP CODE");
    size_t warnings = 0;

    (void)state;
    assert_int_equal(ttperf_run_files(run), 1);
    assert_string_equal(ttperf_run_file(run, 0), LOGS);
    assert_true(ttperf_run_rows(run) > 0);
    assert_true(code != TTPERF_NONE);
    assert_int_equal(ttperf_run_value(run, 0, code).type, TTPERF_TYPE_TEXT);
    for (size_t i = 0; i < ttperf_report_notes(report); i++) {
        const struct ttperf_note *note = ttperf_report_note(report, i);
        warnings += note->level == TTPERF_NOTE_WARNING &&
                    strstr(note->text, "ops without device data (first: op 2048 on device 0,");
    }
    assert_int_equal(warnings, 1);
    ttperf_report_close(report);
    ttperf_run_close(run);
    assert_int_equal(count_open_files(), before);
}

static void test_library__several_files_are_one_run(void **state)
{
    const char *paths[] = {ONE_DEVICE, TWO_DEVICES};
    struct ttperf_run *one = open_run(ONE_DEVICE, 0), *two = open_run(TWO_DEVICES, 0), *both;

    (void)state;
    assert_int_equal(ttperf_run_open(&both, paths, 2, NULL, NULL), TTPERF_OK);
    assert_int_equal(ttperf_run_files(both), 2);
    assert_int_equal(ttperf_run_rows(both), ttperf_run_rows(one) + ttperf_run_rows(two));
    ttperf_run_close(one);
    ttperf_run_close(two);
    ttperf_run_close(both);
}

static void test_library__a_compatible_run_can_be_written_in_all_forms(void **state)
{
    struct ttperf_run *run = open_run(TWO_DEVICES, TTPERF_READ_COMPAT);
    struct ttperf_report *report = open_report(run, &whole);
    const char *text;
    size_t len;

    (void)state;
    assert_true(ttperf_report_findings(report) > 0);
    for (int format = 0; format <= TTPERF_FORMAT_MARKDOWN; format++) {
        assert_int_equal(
            ttperf_report_write_memory(&text, &len, report, (enum ttperf_format)format, NULL, NULL),
            TTPERF_OK);
        assert_true(len > 0);
    }
    ttperf_report_close(report);
    ttperf_run_close(run);
}

static void test_library__handles_close_in_any_order(void **state)
{
    struct ttperf_run *run = open_run(ONE_DEVICE, 0);
    struct ttperf_report *first = open_report(run, NULL), *second = open_report(run, NULL);
    const size_t op = ttperf_report_find_column(first, "op");

    (void)state;
    ttperf_run_close(run);
    ttperf_report_close(first);
    assert_int_equal(ttperf_report_value(second, 0, op).type, TTPERF_TYPE_TEXT);
    ttperf_report_close(second);
    ttperf_run_close(NULL);
    ttperf_report_close(NULL);
}

struct job {
    pthread_t thread;
    const char *path;
    enum ttperf_code rc;
    size_t findings;
    struct ttperf_report *report;
    const char *json;
    size_t len;
};

static void *work(void *arg)
{
    struct job *job = arg;
    struct ttperf_run *run = NULL;

    job->rc = ttperf_run_open(&run, &job->path, 1, NULL, NULL);
    if (job->rc == TTPERF_OK)
        job->rc = ttperf_report_open(&job->report, run, &whole, NULL);
    ttperf_run_close(run);
    if (job->rc == TTPERF_OK) {
        job->findings = ttperf_report_findings(job->report);
        job->rc = ttperf_report_write_memory(&job->json, &job->len, job->report, TTPERF_FORMAT_JSON,
                                             NULL, NULL);
    }
    return NULL;
}

static void test_library__runs_in_different_threads_are_independent(void **state)
{
    struct job job[] = {
        {.path = ONE_DEVICE}, {.path = TWO_DEVICES}, {.path = ONE_DEVICE}, {.path = TWO_DEVICES}};

    (void)state;
    for (size_t i = 0; i < TTP_COUNT(job); i++)
        assert_int_equal(pthread_create(&job[i].thread, NULL, work, &job[i]), 0);
    for (size_t i = 0; i < TTP_COUNT(job); i++) {
        pthread_join(job[i].thread, NULL);
        assert_int_equal(job[i].rc, TTPERF_OK);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(job[i].findings, job[i + 2].findings);
        assert_int_equal(job[i].len, job[i + 2].len);
        assert_memory_equal(job[i].json, job[i + 2].json, job[i].len);
    }
    for (size_t i = 0; i < TTP_COUNT(job); i++)
        ttperf_report_close(job[i].report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library__a_run_has_the_columns_of_its_file),
        cmocka_unit_test(test_library__a_report_has_values_and_totals),
        cmocka_unit_test(test_library__options_choose_the_rows),
        cmocka_unit_test(test_library__findings_name_their_rows),
        cmocka_unit_test(test_library__notes_say_what_was_chosen),
        cmocka_unit_test(test_library__memory_and_descriptor_get_the_same_bytes),
        cmocka_unit_test(test_library__write_options_change_what_is_written),
        cmocka_unit_test(test_library__what_makes_no_sense_is_refused),
        cmocka_unit_test(test_library__a_full_disk_is_an_error),
        cmocka_unit_test(test_library__options_of_other_versions),
        cmocka_unit_test(test_library__bad_files_say_what_is_wrong),
        cmocka_unit_test(test_library__figures_of_boards_can_be_ones_own),
        cmocka_unit_test(test_library__a_folder_of_logs_is_a_run),
        cmocka_unit_test(test_library__several_files_are_one_run),
        cmocka_unit_test(test_library__a_compatible_run_can_be_written_in_all_forms),
        cmocka_unit_test(test_library__handles_close_in_any_order),
        cmocka_unit_test(test_library__runs_in_different_threads_are_independent),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
