#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report_of_logs.sh - `tt-perf report` of a folder of logs against the same in two steps, `tt-perf ops` and `report` of its
# CSV, whole commands turn by turn: one JSON line with medians of CPU time (user and system, all threads) and memory, and
# how many times the two steps one costs. It must cost less: no CSV is written and read between them. Needs build/release.
#
# ROUNDS (7) is how often each runs, OPS (20000) the size of the run.
set -u
BAR=0.95
rounds=${ROUNDS:-7} ops=${OPS:-20000}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed
mkdir -p "$scratch/run/.logs" || exit 2
while read -r what name; do
    "$bin/tt-perf" synth -q --ops "$ops" --only "$what" -o "$scratch/run/.logs/$name" || exit 2
done <<FILES
cpp-report cpp_device_perf_report.csv
ops-times tracy_ops_times.csv
ops-data tracy_ops_data.csv
FILES

round=0
while [ "$round" -lt "$rounds" ]; do
    "$bin/timed" "$bin/tt-perf" report -q "$scratch/run" >>"$scratch/one"
    "$bin/timed" "$bin/tt-perf" ops -q "$scratch/run" -o "$scratch/table" >>"$scratch/first"
    "$bin/timed" "$bin/tt-perf" report -q "$scratch/table/ops_perf_results.csv" >>"$scratch/second"
    round=$((round + 1))
done
awk '$3 != 0 { exit 1 }' "$scratch/one" "$scratch/first" "$scratch/second" || { echo "report_of_logs: a run failed" >&2; exit 2; }
paste -d ' ' "$scratch/one" "$scratch/first" "$scratch/second" | awk '{ print $4 / ($8 + $12) }' >"$scratch/ratio"
ratio=$(median "$scratch/ratio" 1)
met=$(awk -v r="$ratio" -v bar=$BAR 'BEGIN { print r <= bar ? "true" : "false" }')
printf '{"bench":"report_of_logs","ops":%d,"cpu_s":%.3f,"ops_cpu_s":%.3f,"report_cpu_s":%.3f,"kb":%d,"csv_kb":%d,"ratio":%.2f,"bar":%.2f,"met":%s}\n' \
    "$ops" "$(median "$scratch/one" 4)" "$(median "$scratch/first" 4)" "$(median "$scratch/second" 4)" \
    "$(median "$scratch/one" 2)" "$(($(wc -c <"$scratch/table/ops_perf_results.csv") / 1024))" "$ratio" $BAR "$met"
[ "$met" = true ]
