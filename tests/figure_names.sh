#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# figure_names.sh BIN_DIR SOURCE_DIR - one figure has one name and one unit in the JSON of all verbs.
. "$2/tests/common.sh"
command -v python3 >/dev/null || skip "no python3"
python3 -B "$source/tests/figure_names.py" "$source" || failed=1
# The check finds what it is for: a copy of the schemas with one key renamed each time.
mkdir -p "$scratch/tests/names" "$scratch/docs"
cp "$source/tests/names/figures.txt" "$scratch/tests/names/"
for change in 's/"device_us"/"device_time_us"/' 's/"dram_percent"/"dram_pct"/' 's/"gap_us"/"gap_ns"/' 's/"code"/"op_code"/' \
    's/"l1_peak_bytes"/"l1_peak_size"/' 's/"tflops"/"flops_per_s"/'; do
    rm -rf "$scratch/docs/schemas"
    cp -R "$source/docs/schemas" "$scratch/docs/schemas"
    sed -i "$change" "$scratch"/docs/schemas/tt-perf.report-2.json
    ! cmp -s "$source/docs/schemas/tt-perf.report-2.json" "$scratch/docs/schemas/tt-perf.report-2.json" ||
        complain "changes nothing: $change"
    ! python3 -B "$source/tests/figure_names.py" "$scratch" >/dev/null || complain "not found: $change"
done
sed -i 's/"cores": {/"renamed": {/' "$scratch/docs/schemas/tt-perf.kernel-2.json"
exit $failed
