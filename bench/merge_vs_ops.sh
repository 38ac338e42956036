#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# merge_vs_ops.sh - `tt-perf merge --part` of a rank against `tt-perf ops` of its logs, whole commands turn by turn, and
# the merge of all parts: one JSON line with medians of CPU time. Both read the same logs of the largest rank, and a merge
# of many ranks costs each of them that and the exchange of tables. The bar is BAR times the CPU. Needs build/release.
#
# ROUNDS (7) is how often each runs, OPS (1500) the size of the rank.
set -u
BAR=1.3
rounds=${ROUNDS:-7}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed
"$bin/tt-perf" synth -o "$scratch/run/rank0" --devices 2 --ops "${OPS:-1500}" -q || exit 2
mkdir "$scratch/parts" || exit 2

round=0
while [ "$round" -lt "$rounds" ]; do
    "$bin/timed" "$bin/tt-perf" ops "$scratch/run/rank0" -q -o "$scratch/table" >>"$scratch/ops"
    "$bin/timed" "$bin/tt-perf" merge -q --part "$scratch/run/rank0" -o "$scratch/parts/0.ttpart" >>"$scratch/part"
    "$bin/timed" "$bin/tt-perf" merge -q --format json "$scratch/parts" -o "$scratch/merged.json" >>"$scratch/merge"
    round=$((round + 1))
done
awk '$3 != 0 { exit 1 }' "$scratch/ops" "$scratch/part" "$scratch/merge" || { echo "merge_vs_ops: a run failed" >&2; exit 2; }
paste -d ' ' "$scratch/part" "$scratch/merge" "$scratch/ops" | awk '{ print ($4 + $8) / $12 }' >"$scratch/ratio"
ratio=$(median "$scratch/ratio" 1)
met=$(awk -v r="$ratio" -v bar=$BAR 'BEGIN { print r <= bar ? "true" : "false" }')
printf '{"bench":"merge_vs_ops","log_mb":%.1f,"part_kb":%d,"ops_cpu_s":%.3f,"part_cpu_s":%.3f,"merge_cpu_s":%.3f,"ratio":%.2f,"bar":%s,"met":%s}\n' \
    "$(du -sb "$scratch/run/rank0/.logs" | awk '{ print $1 / 1e6 }')" "$(($(wc -c <"$scratch/parts/0.ttpart") / 1000))" \
    "$(median "$scratch/ops" 4)" "$(median "$scratch/part" 4)" "$(median "$scratch/merge" 4)" "$ratio" $BAR "$met"
[ "$met" = true ]
