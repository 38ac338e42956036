#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# library.sh BIN_DIR SOURCE_DIR - the library as its users see it: the example prints what the program
# prints, and the header is C++ too.
set -eu
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
data=$source/tests/data/demo_ops_perf_results.csv

"$bin/example_report" --json "$data" >"$scratch/library"
"$bin/tt-perf" report -q --no-host-ops --format json "$data" >"$scratch/program"
cmp "$scratch/library" "$scratch/program"
"$bin/example_report" "$data" | grep -q '^slowest: '
# a folder of logs, with what its NoC traces say and with what is wrong in it
"$bin/tt-perf" synth -q --model matmul --ops 4 --cores 3 --noc --faults missing-op -o "$scratch/run"
"$bin/example_report" --json "$scratch/run" >"$scratch/library"
"$bin/tt-perf" report -q --no-host-ops --format json "$scratch/run" >"$scratch/program"
cmp "$scratch/library" "$scratch/program"
grep -q '"hot_link":"' "$scratch/library"
grep -q '"warnings":\["' "$scratch/library"
rm -r "$scratch/run"
if "$bin/example_report" "$scratch" 2>"$scratch/error"; then
    echo "FAILED: a folder without reports is accepted"
    exit 1
fi
grep -q '^hint: ' "$scratch/error"

command -v c++ >/dev/null 2>&1 || skip "no C++ compiler, the header was not tried with one"
cat >"$scratch/use.cpp" <<'END'
#include <ttperf.h>

int main()
{
    ttperf_read_options reading = TTPERF_READ_OPTIONS_INIT;
    ttperf_analysis_options analysis = TTPERF_ANALYSIS_OPTIONS_INIT;
    ttperf_write_options writing = TTPERF_WRITE_OPTIONS_INIT;
    const char *path = "-";
    ttperf_run *run;
    ttperf_report *report;
    ttperf_error error;

    if (ttperf_run_open(&run, &path, 1, &reading, &error) != TTPERF_OK ||
        ttperf_report_open(&report, run, &analysis, &error) != TTPERF_OK ||
        ttperf_report_write_fd(report, TTPERF_FORMAT_TEXT, 1, &writing, &error) != TTPERF_OK)
        return 1;
    ttperf_value v = ttperf_report_value(report, 0, 0);
    ttperf_report_close(report);
    ttperf_run_close(run);
    return v.type == TTPERF_TYPE_MISSING;
}
END
for standard in c++11 c++17; do
    c++ -std=$standard -pedantic -Wall -Wextra -Werror -I"$source/include" -c -o "$scratch/use.o" "$scratch/use.cpp"
done
if command -v nm >/dev/null 2>&1 && nm "$scratch/use.o" | grep ' U _Z.*ttperf'; then
    echo "FAILED: the names are not C names"
    exit 1
fi
