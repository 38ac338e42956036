#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_noc.sh BIN_DIR SOURCE_DIR - `tt-perf noc --compat --format json` against every figure
# that tt-npe printed, kept in ../shared/golden/noc, to the last digit; from merged traces, and from
# the folders they were merged from. Exits 77 (skipped) where that folder is not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
[ -d "$shared/golden/noc" ] || skip "no $shared/golden/noc"
golden=$(cd "$shared/golden/noc" && pwd)
cd "$shared/data/noc" || exit 2

passed=0

# Without the blanks and line ends that only indent.
plain()
{
    tr -d '\n' <"$1" | sed 's/ *\("[a-z0-9_-]*":\)/\1/g; s/ *}/}/g'
}

data()
{
    sed 's/^.*"data"://; s/,"warnings":.*$//' "$1" | tr -d '\n'
}

same()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1 differs:"
        printf '%s\n' "$2" | sed 's/,"/\n"/g' >"$scratch/wanted"
        printf '%s\n' "$3" | sed 's/,"/\n"/g' >"$scratch/got"
        diff "$scratch/wanted" "$scratch/got" | head -8
    fi
}

for file in "$golden"/*/*.stats.json; do
    wanted=$(plain "$file")
    input=$(printf '%s' "$wanted" | sed 's/^{"input":"\([^"]*\)".*/\1/')
    device=$(printf '%s' "$wanted" | sed 's/.*"device":"\([^"]*\)".*/\1/')
    step=$(printf '%s' "$wanted" | sed 's/.*"cycles_per_timestep":\([0-9]*\).*/\1/')
    congestion=fast
    case $file in *_nocong/*) congestion=none ;; esac
    "$bin/tt-perf" noc -q --compat --format json -d "$device" -c "$step" --congestion "$congestion" \
        "$input" >"$scratch/out" 2>"$scratch/err" || cat "$scratch/err"
    same "$input" "$wanted" "$(data "$scratch/out")"
done

# what tt-npe's Python merges, we merge ourselves
for folder in derived/*; do
    for file in "$golden/$(echo "$folder" | tr / _)"/*.stats.json; do
        id=$(basename "$file" | sed 's/noc_trace_ID\([0-9]*\)_.*/\1/')
        "$bin/tt-perf" noc -q --compat --format json --program "$id" "$folder" >"$scratch/out" \
            2>"$scratch/err" || cat "$scratch/err"
        same "$folder program $id" "$(plain "$file" | sed 's/"input":"[^"]*",//')" \
            "$(data "$scratch/out" | sed 's/"input":"[^"]*",//')"
    done
done

# inputs that tt-npe fails on: refused where they make no sense to it, fine without --compat
if "$bin/tt-perf" noc -q --compat -d P150_X8 derived/T3K_line-8dev/merged/*.json >/dev/null \
    2>"$scratch/err" || ! grep -q 'at which tt-npe fails' "$scratch/err"; then
    failed=$((failed + 1))
    echo "fabric on Blackhole: tt-npe fails, we did not say so"
fi
for file in tt-npe-history/*combined_traces.json tt-npe-history/*__trace.json; do
    if "$bin/tt-perf" noc -q --format csv "$file" >/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done

echo "$passed figures agree, $failed do not"
[ "$failed" -eq 0 ] && [ "$passed" -gt 100 ]
