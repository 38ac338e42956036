/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - libttperf in use: the slowest operations of a run, advice on them, and the whole
 * report.
 *
 *   cc -o report report.c $(pkg-config --cflags --libs libttperf)
 *   ./report generated/profiler/reports
 *   ./report --json ops_perf_results.csv | jq .data.run */
#include <stdio.h>
#include <string.h>
#include <ttperf.h>
#include <unistd.h>

static int complain(const struct ttperf_error *error)
{
    fprintf(stderr, "%s%s%s\n", error->path, error->path[0] ? ": " : "", error->message);
    if (error->hint[0])
        fprintf(stderr, "hint: %s\n", error->hint);
    return 1;
}

/* Values of one column: any of them may be missing. */
static void print_slowest(const struct ttperf_report *report)
{
    const size_t time = ttperf_report_find_column(report, "device_us");
    const size_t op = ttperf_report_find_column(report, "op");
    double slowest = -1;
    size_t at = 0;

    for (size_t row = 0; row < ttperf_report_rows(report); row++) {
        const struct ttperf_value v = ttperf_report_value(report, row, time);
        if (v.type == TTPERF_TYPE_REAL && v.as.f > slowest) {
            slowest = v.as.f;
            at = row;
        }
    }
    const struct ttperf_value name = ttperf_report_value(report, at, op);
    if (slowest >= 0 && name.type == TTPERF_TYPE_TEXT)
        printf("slowest: %.*s, %.0f us\n", (int)name.as.text.len, name.as.text.ptr, slowest);
}

static void print_advice(struct ttperf_report *report)
{
    const size_t count = ttperf_report_findings(report);
    double gain_us = 0;

    for (size_t i = 0; i < count; i++)
        gain_us += ttperf_report_finding(report, i)->gain_us;
    printf("advice: %zu findings, up to %.0f us to save of %.0f\n\n", count, gain_us,
           ttperf_report_totals(report)->device_time_us);
}

static int write_report(struct ttperf_report *report, int json)
{
    struct ttperf_error error;

    if (!json) {
        print_slowest(report);
        print_advice(report);
    }
    fflush(stdout); /* the library writes to the descriptor below it */
    if (ttperf_report_write_fd(report, json ? TTPERF_FORMAT_JSON : TTPERF_FORMAT_TEXT,
                               STDOUT_FILENO, NULL, &error) != TTPERF_OK)
        return complain(&error);
    return 0;
}

int main(int argc, char **argv)
{
    const int json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const char *const *paths = (const char *const *)argv + 1 + json;
    struct ttperf_analysis_options options = TTPERF_ANALYSIS_OPTIONS_INIT;
    struct ttperf_error error;
    struct ttperf_run *run;
    struct ttperf_report *report;

    if (argc < 2 + json) {
        fprintf(stderr, "usage: %s [--json] FILE|DIR...\n", argv[0]);
        return 2;
    }
    if (ttperf_run_open(&run, paths, (size_t)(argc - 1 - json), NULL, &error) != TTPERF_OK)
        return complain(&error);
    options.flags = TTPERF_NO_HOST_OPS;
    const enum ttperf_code rc = ttperf_report_open(&report, run, &options, &error);
    ttperf_run_close(run); /* its report keeps what it needs */
    if (rc != TTPERF_OK)
        return complain(&error);
    const int status = write_report(report, json);
    ttperf_report_close(report);
    return status;
}
