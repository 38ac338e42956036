#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# merge_vs_ops.sh - `tt-perf merge` of a run against `tt-perf ops` of its largest rank, whole commands turn by turn: one
# JSON line with medians of CPU time. The run has three ranks, of which the first did nearly all the work, as the driver
# of a job does: a merge on many hosts costs each of them its own rank and the exchange of tables. Both commands read the
# device logs: there is no C++ report. The bar is BAR times the CPU. Needs build/release.
#
# ROUNDS (7) is how often each runs, OPS (1500) the size of the largest rank, SMALL (30) that of the others.
set -u
BAR=1.3
rounds=${ROUNDS:-7}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed
rank=0
for ops in "${OPS:-1500}" "${SMALL:-30}" "${SMALL:-30}"; do
    "$bin/tt-perf" synth -o "$scratch/run/rank$rank" --devices 2 --ops "$ops" --seed $rank -q || exit 2
    rm -f "$scratch/run/rank$rank/.logs/cpp_device_perf_report.csv"
    rank=$((rank + 1))
done

round=0
while [ "$round" -lt "$rounds" ]; do
    "$bin/timed" "$bin/tt-perf" ops "$scratch/run/rank0" -q -o "$scratch/table" >>"$scratch/ops"
    "$bin/timed" "$bin/tt-perf" merge -q --format json "$scratch/run" -o "$scratch/merged.json" >>"$scratch/merge"
    round=$((round + 1))
done
# a report, which the first `ops` did not write next to the logs, would be read instead of them
[ ! -d "$scratch/run/rank0/reports" ] || die "the rank has a report"
awk '$3 != 0 { exit 1 }' "$scratch/ops" "$scratch/merge" || { echo "merge_vs_ops: a run failed" >&2; exit 2; }
paste -d ' ' "$scratch/merge" "$scratch/ops" | awk '{ print $4 / $8 }' >"$scratch/ratio"
ratio=$(median "$scratch/ratio" 1)
met=$(awk -v r="$ratio" -v bar=$BAR 'BEGIN { print r <= bar ? "true" : "false" }')
printf '{"bench":"merge_vs_ops","log_mb":%.1f,"other_ranks_mb":%.1f,"ops_cpu_s":%.3f,"merge_cpu_s":%.3f,"ratio":%.2f,"bar":%s,"met":%s}\n' \
    "$(du -b "$scratch/run/rank0/.logs/profile_log_device.csv" | awk '{ print $1 / 1e6 }')" \
    "$(du -sbc "$scratch"/run/rank[12]/.logs/profile_log_device.csv | awk 'END { print $1 / 1e6 }')" \
    "$(median "$scratch/ops" 4)" "$(median "$scratch/merge" 4)" "$ratio" $BAR "$met"
[ "$met" = true ]
