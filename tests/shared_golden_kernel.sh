#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_kernel.sh BIN_DIR SOURCE_DIR - `tt-perf kernel` and `annotate` with --compat against what
# TT-Lang's own scripts print, kept in ../shared/golden/kernel: output, messages and exit codes. Exits 77
# (skipped) where that folder is not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
tool=$(cd "$1" && pwd)/tt-perf
golden=$shared/golden/kernel
[ -d "$golden" ] || skip "no $golden"

passed=0

# compare NAME EXPECTED EXIT COMMAND...: standard output, and the exit status
compare()
{
    name=$1 expected=$2 want=$3
    shift 3
    "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    if [ $status != "$want" ]; then
        echo "FAILED $name: exit status $status, not $want: $(cat "$scratch/stderr")"
        failed=$((failed + 1))
    elif ! cmp "$expected" "$scratch/stdout"; then
        echo "FAILED $name: $expected differs"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

# What the script says on standard error; its last line there is its exit code.
messages()
{
    grep -v '^exit [0-9]*$' "$2" >"$scratch/expected"
    cmp "$scratch/expected" "$scratch/stderr" || { echo "FAILED $1: messages differ"; failed=$((failed + 1)); }
}

for case in "$golden"/inputs/auto_*; do
    name=$(basename "$case")
    want=$(sed -n 's/^exit //p' "$golden/out/$name.stderr")
    for form in always:.ansi.txt never:.txt; do
        compare "$name" "$golden/out/$name${form#*:}" "$want" "$tool" annotate "$case" --compat \
            --side-tables "$case/kernels.json" --color "${form%%:*}"
    done
done
compare signposts "$golden/out/signposts.txt" 0 "$tool" kernel "$golden/inputs/signposts" --compat \
    --section signposts
for name in perf_dram perf_mixed perf_multi; do
    case=$golden/inputs/$name
    compare "$name" "$golden/out/$name.txt" 0 "$tool" kernel "$case" --compat --section perf
    messages "$name" "$golden/out/$name.stderr"
    compare "$name" "$golden/out/$name.json" 0 "$tool" kernel "$case" --compat --section perf --format json
done
compare perf_multi_names "$golden/out/perf_multi_names.txt" 0 "$tool" kernel \
    "$golden/inputs/perf_multi" --compat --section perf --names k_first,k_second
compare perf_none "$golden/out/perf_none.txt" 1 sh -c \
    "cd '$golden' && exec '$tool' kernel inputs/auto_basic --compat --section perf"
messages perf_none "$golden/out/perf_none.stderr"
compare perf_nodir /dev/null 1 "$tool" kernel /nonexistent --compat --section perf
messages perf_nodir "$golden/out/perf_nodir.stderr"
compare perf_noenv /dev/null 1 env -u TT_METAL_HOME "$tool" kernel --compat --section perf
messages perf_noenv "$golden/out/perf_noenv.stderr"

npe=$shared/data/noc/tt-npe/workload
if [ -d "$npe" ]; then
    for name in line-4 line-8dev ring-4dev; do
        case=$npe/T3K-fabric-traces/$name
        compare "$name" "$golden/out/real_npe_$name.txt" 0 "$tool" kernel "$case" --compat --section perf
        compare "$name" "$golden/out/real_npe_$name.json" 0 "$tool" kernel "$case" --compat \
            --section perf --format json
    done
    mkdir "$scratch/reshard" || exit 2
    for pair in 1:DRAM_TO_1x1_BLOCK 3:1x2_BLOCK_TO_4x8_BLOCK 4:4x4_BLOCK_TO_8x8_BLOCK; do
        cp "$npe/noc_trace_json/${pair#*:}.json" "$scratch/reshard/noc_trace_${pair%%:*}.${pair#*:}.json"
    done
    compare reshard "$golden/out/real_npe_reshard.txt" 0 "$tool" kernel "$scratch/reshard" --compat \
        --section perf
fi
echo "$passed as in TT-Lang, $failed not"
[ $failed = 0 ]
