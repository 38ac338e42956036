#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ops_vs_original.sh [--vs ORIGINAL]... - `tt-perf ops` from start to exit on the artifacts of a made-up run,
# turn by turn with `wc -l` of its device log: one JSON line for the device log and one for the C++ report, with
# medians. The bars: BAR_WC times wc, memory of BAR_MEMORY % of the device log, same bytes with 1, 2 and 8
# threads; from logs of 1 GB on, small ones are mostly start and end.
#
# With a checkout of tt-metal its Python runs next to it once on each path: BAR_LEGACY and BAR_CPP times less
# CPU, and the same table. It takes 5 minutes and 7 GB for a log of 1 GB.
#
# OPS (12000, a log of 1 GB) is the size of the run, OPS_VS (the same) that of the one on which the original runs,
# ROUNDS (5) how often ours runs. Needs build/release.
set -u
BAR_WC=5 BAR_MEMORY=5 BAR_LEGACY=200 BAR_CPP=30
rounds=${ROUNDS:-5}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/originals/metal_python.sh
. "$root/tests/originals/metal_python.sh"
needs tt-perf timed
if [ -n "$metal_original" ] && ! metal_python "$scratch/python" "$metal_original"; then
    echo "SKIPPED: ops_vs_original: no Python with pandas and yaml, so only our own numbers" >&2
    metal_original=
fi
run=$scratch/run
"$bin/tt-perf" synth -q -o "$run" --ops "${OPS:-12000}" --arch blackhole || exit 2
log=$run/.logs/profile_log_device.csv
bytes=$(wc -c <"$log")
vs_run=$run
if [ -n "$metal_original" ] && [ "${OPS_VS:-${OPS:-12000}}" -ne "${OPS:-12000}" ]; then
    vs_run=$scratch/vs_run
    "$bin/tt-perf" synth -q -o "$vs_run" --ops "$OPS_VS" --arch blackhole || exit 2
fi
vs_bytes=$(wc -c <"$vs_run/.logs/profile_log_device.csv")

# ours RUN OUT [OPTION...] - once, timed
ours()
{
    from=$1 out=$2
    shift 2
    "$bin/timed" "$bin/tt-perf" ops "$from" --compat -q -o "$out" "$@"
}

# same_for_threads [OPTION...]
same_for_threads()
{
    for threads in 1 2 8; do
        ours "$run" "$scratch/threads$threads" -j "$threads" "$@" >/dev/null
        cmp -s "$scratch/threads1/ops_perf_results.csv" "$scratch/threads$threads/ops_perf_results.csv" ||
            { echo false; return; }
    done
    echo true
}

# measure PATH BAR [OPTION...]
measure()
{
    path=$1 bar=$2
    shift 2
    : >"$scratch/ours"
    : >"$scratch/wc"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        ours "$run" "$scratch/table" "$@" >>"$scratch/ours"
        "$bin/timed" wc -l "$log" >>"$scratch/wc"
        round=$((round + 1))
    done
    awk '$3 != 0 { exit 1 }' "$scratch/ours" || die "a run failed"
    paste -d ' ' "$scratch/ours" "$scratch/wc" | awk '{ print $1 / $5 }' >"$scratch/ratio"
    cpu=$(median "$scratch/ours" 4) kb=$(median "$scratch/ours" 2) same=$(same_for_threads "$@")
    line=$(awk -v path="$path" -v bytes="$bytes" -v s="$(median "$scratch/ours" 1)" -v cpu="$cpu" -v kb="$kb" \
        -v wc="$(median "$scratch/ratio" 1)" -v same="$same" 'BEGIN {
            printf "{\"bench\":\"ops\",\"path\":\"%s\",\"log_mb\":%.0f,\"s\":%.3f,\"cpu_s\":%.3f,", path, bytes / 1e6, s, cpu
            printf "\"vs_wc\":%.2f,\"kb\":%d,\"memory_pct\":%.2f,", wc, kb, kb * 102400 / bytes
            printf "\"same_for_threads\":%s", same }')
    met=$(awk -v wc="$(median "$scratch/ratio" 1)" -v bar=$BAR_WC -v pct="$kb" -v bytes="$bytes" -v memory=$BAR_MEMORY \
        'BEGIN { print bytes < 9e8 || (wc <= bar && pct * 102400 / bytes <= memory) ? "true" : "false" }')
    if [ -n "$metal_original" ]; then
        for round in 1 2 3; do
            ours "$vs_run" "$scratch/table" "$@"
        done >"$scratch/beside"
        cpu=$(median "$scratch/beside" 4)
        metal_run "$bin/timed" "$vs_run" "$@" >"$scratch/theirs"
        equal=false
        cmp -s "$scratch/table/ops_perf_results.csv" "$vs_run/reports/ops_perf_results.csv" && equal=true
        line=$line,$(awk -v cpu="$cpu" -v bytes="$vs_bytes" -v equal="$equal" '{
            printf "\"original_cpu_s\":%.1f,\"original_kb\":%d,\"ratio\":%.0f,", $4, $2, $4 / cpu
            printf "\"vs_log_mb\":%.0f,", bytes / 1e6
            printf "\"same_output\":%s", equal }' "$scratch/theirs")
        awk -v cpu="$cpu" -v bar="$bar" '{ exit !($4 / cpu >= bar) }' "$scratch/theirs" || met=false
        [ "$equal" = true ] || met=false
    fi
    [ "$same" = true ] || met=false
    [ "$met" = true ] || status=1
    echo "$line,\"met\":$met}"
}

measure 'device log' $BAR_LEGACY --force-legacy-device-logs
measure 'C++ report' $BAR_CPP
exit "$status"
