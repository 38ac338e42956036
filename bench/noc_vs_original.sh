#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# noc_vs_original.sh [--vs ORIGINAL]... - `tt-perf noc` from start to exit on traces of 100 thousand and a
# million records, with and without the timeline: one JSON line each, medians of runs taken turn by turn;
# cpu_s is processor time, which other work on the machine moves less than the time that passes.
#
# With a program that runs tt-npe on the same file it runs next to, called as PROGRAM FILE DEVICE
# [TIMELINE]: then the bars are checked, a tenth of its time and a tenth of its memory. Needs
# build/release. ROUNDS (3) is how often each runs; LARGE=1 adds the million, which takes tt-npe a minute
# and 3 GB without the timeline, which is not asked of it there.
set -u
rounds=${ROUNDS:-3}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed gen_noc_trace
original=$npe_original

compare() { # name, file, timeline or nothing
    : >"$scratch/ours"
    : >"$scratch/theirs"
    i=0
    while [ "$i" -lt "$rounds" ]; do
        "$bin/timed" "$bin/tt-perf" noc -q --compat --format json -d wormhole_b0 \
            ${3:+--timeline "$scratch/ours.npeviz.json.zst"} "$2" >>"$scratch/ours"
        [ -z "$original" ] || "$bin/timed" "$original" "$2" wormhole_b0 ${3:+"$scratch/theirs.npeviz"} \
            >>"$scratch/theirs"
        i=$((i + 1))
    done
    s=$(median "$scratch/ours" 1) kb=$(median "$scratch/ours" 2) cpu=$(median "$scratch/ours" 4)
    if [ -n "$original" ]; then
        os=$(median "$scratch/theirs" 1) okb=$(median "$scratch/theirs" 2) ocpu=$(median "$scratch/theirs" 4)
        awk -v n="$1" -v s="$s" -v cpu="$cpu" -v kb="$kb" -v os="$os" -v ocpu="$ocpu" -v okb="$okb" 'BEGIN {
            printf "{\"bench\":\"noc\",\"input\":\"%s\",\"s\":%.3f,\"cpu_s\":%.3f,\"kb\":%d,", n, s, cpu, kb
            printf "\"original_s\":%.3f,\"original_cpu_s\":%.3f,\"original_kb\":%d,", os, ocpu, okb
            printf "\"times_faster\":%.1f,\"cpu_times_less\":%.1f,\"times_smaller\":%.1f}\n", os / s, ocpu / cpu, okb / kb
            exit !(os / s >= 10 && okb / kb >= 10) }' || status=1
    else
        printf '{"bench":"noc","input":"%s","s":%s,"cpu_s":%s,"kb":%s}\n' "$1" "$s" "$cpu" "$kb"
    fi
}

"$bin/gen_noc_trace" 100000 >"$scratch/small.json" || exit 2
compare small "$scratch/small.json"
compare small_timeline "$scratch/small.json" yes
if [ -n "${LARGE:-}" ]; then
    "$bin/gen_noc_trace" 1000000 >"$scratch/large.json" || exit 2
    rounds=1
    compare large "$scratch/large.json"
    original=
    compare large_timeline "$scratch/large.json" yes
fi
exit "$status"
