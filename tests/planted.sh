#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# planted.sh BUILD_DIR - every rule of the advice: tt-perf synth makes a run that has its problem and one in which it
# is fixed. The rule finds the first, not the second, and what it promises is within a quarter of what fixing saved.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers

number() { # file, key: the first number behind that key
    sed -n "s/.*\"$2\":\(-\{0,1\}[0-9][0-9.e+-]*\).*/\1/p" "$1" | head -1
}
plan_of() { # folder, file to write
    # of what L1 holds only a capture knows
    [ -f "$1/graph_capture.json" ] && set -- "$@" --mem "$1/graph_capture.json"
    folder=$1 into=$2
    shift 2
    "$program" advise -q --format json "$folder" -o "$into" "$@" || failed=1
}
gain_of() { # file, rule: its gain_us; nothing if the rule did not fire, null if it has no estimate
    jq -r --arg rule "$2" 'first(.data.plan[] | select(.rule == $rule)) | .gain_us | tostring' "$1"
}

iteration_of() { # folder of ranks
    "$program" mesh -q --format json "$1" | jq '.data.span_us / .data.iterations'
}

rules=$("$program" explain --list --format json | jq -r ".data.pages[] | select(.kind == \"rule\") | .name")
[ -n "$rules" ] || { echo "no rules in 'explain --list'"; exit 1; }
for arch in wormhole_b0 blackhole; do
    for rule in $rules; do
        for side in "$rule" "$rule:fixed"; do
            "$program" synth -q --arch $arch -o "$scratch/$side" --plant "$side" ||
                { echo "$rule: cannot be planted"; failed=1; }
        done
        plan_of "$scratch/$rule" "$scratch/problem.json"
        plan_of "$scratch/$rule:fixed" "$scratch/fixed.json"
        gain=$(gain_of "$scratch/problem.json" "$rule")
        again=$(gain_of "$scratch/fixed.json" "$rule")
        before=$(number "$scratch/problem.json" total_us)
        after=$(number "$scratch/fixed.json" total_us)
        if [ -d "$scratch/$rule/rank0" ]; then # of a mesh: what its clocks say an iteration takes
            before=$(iteration_of "$scratch/$rule")
            after=$(iteration_of "$scratch/$rule:fixed")
        fi
        awk -v rule="$rule on $arch" -v gain="$gain" -v again="$again" -v before="$before" -v after="$after" '
            BEGIN {
                saved = before - after
                if (gain == "") { print rule ": not found"; exit 1 }
                if (again != "") { print rule ": found where it is fixed"; exit 1 }
                if (gain == "null") { print rule ": no estimate"; exit 1 }
                off = (gain - saved) / saved
                if (off > 0.25 || off < -0.25) { print rule ": promises " gain " us, fixing saved " saved; exit 1 }
                if (ENVIRON["VERBOSE"]) print rule ": promises " gain " us, fixing saved " saved
            }' || failed=1
        rm -rf "${scratch:?}/$rule" "$scratch/$rule:fixed"
    done
done
exit $failed
