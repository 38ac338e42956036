#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record_ops.sh TT_METAL BIN_DIR - makes ops_synth.tar.zst again: runs that `tt-perf synth` writes, and what tt-metal's own
# post-processing makes of them. It fails where the original refuses a run, or where its two paths disagree.
#
# TT_METAL is a checkout of tt-metal, or its folder tools. A Python with pandas and yaml is needed.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
[ $# -eq 2 ] || {
    echo "usage: record_ops.sh TT_METAL BIN_DIR" >&2
    exit 2
}
metal=$(cd -- "$1" && pwd)
program=$(cd -- "$2" && pwd)/tt-perf
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck source=tests/originals/metal_python.sh
. "$here/metal_python.sh"
# shellcheck source=tests/originals/archive.sh
. "$here/archive.sh"
metal_python "$scratch/python" "$metal" || {
    echo "record_ops.sh: '$1' has no tracy/process_ops_logs.py, or no Python has pandas and yaml" >&2
    exit 2
}

# Columns that one path cannot know, and those that it rounds differently.
cat >"$scratch/agree.py" <<'END'
import csv
import sys

one_path = ("DEVICE ARCH", "AVAILABLE WORKER CORE COUNT", "OP TO OP LATENCY", "PER CORE", "COMPUTE CB")
a, b = (list(csv.DictReader(open(path))) for path in sys.argv[1:3])
wrong = [
    (i, name, x[name], y.get(name))
    for i, (x, y) in enumerate(zip(a, b))
    for name in x
    if not any(part in name for part in one_path) and x[name] != y.get(name)
]
if wrong:
    print(*wrong[:5], sep="\n")
sys.exit(len(a) != len(b) or bool(wrong))
END

# original CASE INPUT [ARGUMENT] - records a run of the original
original()
{
    case=$1
    input=$2
    shift 2
    rm -rf "$root/inputs/$input/reports"
    metal_run env "$root/inputs/$input" "$@" >"$scratch/out" 2>&1 || {
        echo "record_ops.sh: the original refuses $case: $(tail -n 1 "$scratch/out")" >&2
        exit 1
    }
    results=
    for file in ops_perf_results.csv per_core_op_to_op_times.csv; do
        [ -f "$root/inputs/$input/reports/$file" ] || continue
        how=bytes
        [ "$file" != per_core_op_to_op_times.csv ] || how=columns
        keep "$root/inputs/$input/reports/$file" "$case/$file"
        results="${results:+$results;}$how:out/$file=$case/$file"
    done
    rm -rf "$root/inputs/$input/reports"
    row "$case" 0 "tt-perf ops inputs/$input --compat${*:+ $*} -o out" "$results"
}

root=$scratch/ops_synth
mkdir -p "$root/expected" "$root/inputs"
number=0
while read -r options; do
    number=$((number + 1))
    input=run$number
    # shellcheck disable=SC2086 # a list of options
    "$program" synth -q -o "$root/inputs/$input" $options
    original "$input/legacy" "$input" --force-legacy-device-logs
    case $options in
    *--counters*) ;; # there is no C++ report then
    *)
        original "$input/cpp" "$input"
        "$metal_python" "$scratch/agree.py" "$root/expected/$input/cpp/ops_perf_results.csv" \
            "$root/expected/$input/legacy/ops_perf_results.csv" || {
            echo "record_ops.sh: the original's two paths disagree on synth $options" >&2
            exit 1
        }
        ;;
    esac
done <<'END'
--layers 1 --cores 8
--layers 1 --devices 3 --cores 12 --replays 2 --arch blackhole
--layers 1 --sub-devices --sums --cores 16 --replays 1
--model llm-prefill --layers 1 --cores 10 --dumps 3 --seed 7
--model resnet --layers 4 --ops 40 --cores 9 --devices 2
--model matmul --ops 11 --cores 7 --noc
--model matmul --ops 6 --cores 5 --counters
--model matmul --ops 6 --cores 5 --counters --arch blackhole
--model llm-decode --layers 1 --devices 2 --cores 8 --sync --noc
--model tt-lang-kernel --ops 2 --cores 4 --bottleneck imbalance
END
# the device log alone
mkdir -p "$root/inputs/device_only/.logs"
cp "$root/inputs/run6/.logs/profile_log_device.csv" "$root/inputs/device_only/.logs/"
original device_only device_only
archive ops_synth "$root"
