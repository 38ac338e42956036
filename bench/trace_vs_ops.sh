#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace_vs_ops.sh - `tt-perf trace` of a device log against `tt-perf ops` of the same log, whole commands turn by
# turn: one JSON line with medians of CPU time (user and system, all threads), wall time and memory, and how many
# times `ops` a trace costs. The bar is BAR times the CPU. Needs build/release.
#
# ROUNDS (7) is how often each runs, OPS (1500) the size of the run.
set -u
BAR=3
rounds=${ROUNDS:-7}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed
"$bin/tt-perf" synth -o "$scratch/run" --ops "${OPS:-1500}" -q || exit 2
# only the log: what is compared is what both make of it
mkdir "$scratch/log" && mv "$scratch/run/.logs/profile_log_device.csv" "$scratch/log" || exit 2

round=0
while [ "$round" -lt "$rounds" ]; do
    "$bin/timed" "$bin/tt-perf" ops "$scratch/log" -q -o "$scratch/table" >>"$scratch/ops"
    "$bin/timed" "$bin/tt-perf" trace "$scratch/log" -q -o "$scratch/out.pftrace" >>"$scratch/trace"
    round=$((round + 1))
done
awk '$3 != 0 { exit 1 }' "$scratch/ops" "$scratch/trace" || { echo "trace_vs_ops: a run failed" >&2; exit 2; }
paste -d ' ' "$scratch/trace" "$scratch/ops" | awk '{ print $4 / $8 }' >"$scratch/ratio"
log=$(wc -c <"$scratch/log/profile_log_device.csv") trace=$(wc -c <"$scratch/out.pftrace")
ratio=$(median "$scratch/ratio" 1)
met=$(awk -v r="$ratio" -v bar=$BAR 'BEGIN { print r <= bar ? "true" : "false" }')
printf '{"bench":"trace_vs_ops","log_mb":%.1f,"trace_mb":%.1f,"ops_cpu_s":%.3f,"trace_cpu_s":%.3f,"ops_s":%.3f,"trace_s":%.3f,"ops_kb":%d,"trace_kb":%d,"ratio":%.2f,"bar":%d,"met":%s}\n' \
    "$(awk -v n="$log" 'BEGIN { print n / 1e6 }')" "$(awk -v n="$trace" 'BEGIN { print n / 1e6 }')" \
    "$(median "$scratch/ops" 4)" "$(median "$scratch/trace" 4)" "$(median "$scratch/ops" 1)" \
    "$(median "$scratch/trace" 1)" "$(median "$scratch/ops" 2)" "$(median "$scratch/trace" 2)" "$ratio" $BAR "$met"
[ "$met" = true ]
