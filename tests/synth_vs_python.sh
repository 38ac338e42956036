#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# synth_vs_python.sh BIN_DIR SOURCE_DIR - tt-metal's own post-processing accepts what synth writes, its two
# paths agree, and `tt-perf ops --compat` prints the same bytes.
#
# TT_METAL_TOOLS is a checkout of tt-metal, or its folder tools. Exit 77: not set, or no Python with pandas.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=tests/metal_python.sh
. "$source/tests/metal_python.sh"
metal_python "$scratch/python" "${TT_METAL_TOOLS:-}" ||
    skip "TT_METAL_TOOLS does not lead to tracy/process_ops_logs.py, or no Python has pandas and yaml"

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

# original FOLDER RESULT [--force-legacy-device-logs]
original()
{
    folder=$1
    result=$2
    shift 2
    if ! metal_run env "$folder" "$@" >"$scratch/out" 2>&1; then
        complain "refused by the original: $(tail -n 1 "$scratch/out")"
        return 1
    fi
    mv "$folder/reports/ops_perf_results.csv" "$result"
}

# ours FOLDER EXPECTED [--force-legacy-device-logs]
ours()
{
    folder=$1
    expected=$2
    shift 2
    if ! "$program" ops "$folder" --compat "$@" -o "$scratch/ours" >"$scratch/out" 2>&1; then
        complain "refused by tt-perf ops $*: $(tail -n 1 "$scratch/out")"
    elif ! cmp "$scratch/ours/ops_perf_results.csv" "$expected"; then
        complain "tt-perf ops $* differs from the original"
    fi
    rm -rf "$scratch/ours"
}

while read -r options; do
    run=$scratch/run
    # shellcheck disable=SC2086 # a list of options
    "$program" synth -q -o "$run" $options || exit 1
    if original "$run" "$scratch/legacy.csv" --force-legacy-device-logs; then
        ours "$run" "$scratch/legacy.csv" --force-legacy-device-logs
        case $options in
        *--counters*) ;; # there is no C++ report then
        *)
            if original "$run" "$scratch/cpp.csv"; then
                "$metal_python" "$scratch/agree.py" "$scratch/cpp.csv" "$scratch/legacy.csv" ||
                    complain "the original's two paths disagree"
                ours "$run" "$scratch/cpp.csv"
            fi
            ;;
        esac
    fi
    rm -rf "$run"
done <<'END'
--layers 1
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
exit $failed
