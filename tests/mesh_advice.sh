#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_advice.sh BIN_DIR SOURCE_DIR - what `advise` says about meshes: planted stragglers are named with device and op in
# every synthetic run whose truth is known, and real runs without one name none.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
originals mesh
cd "$scratch" || exit 2

# advised WHAT RANK:ID RUN - the straggler that is advised, and its op
advised()
{
    "$program" advise -q --format json "$3" >plan.json || complain "$1: exit status $?"
    said=$(jq -r '.data.plan[] | select(.rule == "straggler") | .evidence' plan.json)
    contains "$said" "device $2 " || complain "$1: not $2 but '$said'"
    contains "$said" 'mostly in MatmulDeviceOperation' || complain "$1: not the op: '$said'"
    check "$1: it saves something" test "$(jq '[.data.plan[] | select(.rule == "straggler") | .gain_us > 0] | all' plan.json)" = true
    check "$1: no gain exceeds the run" test "$(jq '.data.total_us as $t | [.data.plan[].gain_us // 0 | . <= $t] | all' plan.json)" = true
}

for case in "$folder"/golden/*/; do
    name=$(basename -- "$case")
    advised "$name" "$(jq -r '.straggler | "\(.[0]):\(.[1])"' "$case/truth.json")" "$case"
done
for seed in 1 2 3; do
    rm -rf made
    "$program" synth -q -o made --seed $seed --ranks 4 --mesh 4x4 --straggler 3:1 --wander 500 || exit 2
    advised "4x4, seed $seed" 3:1 made
    rm -rf made
    "$program" synth -q -o made --seed $seed --ranks 4 --mesh 4x4 || exit 2
    "$program" advise -q --format json made | jq -e '[.data.plan[].rule] | index("straggler") | not' >none ||
        complain "4x4, seed $seed: a straggler is named"
done
for run in gpt-01_after l70-05_after l70-05_before l8bh-02_after l8bh-02_before mus-15_after mus-16_before mus-17_after; do
    "$program" advise -q --format json "$folder/real/$run.csv" >plan.json || complain "$run: exit status $?"
    jq -e '[.data.plan[].rule] | index("straggler") | not' plan.json >none || complain "$run: a straggler"
done
# One device, and one rank, have no mesh.
"$program" synth -q -o made2 --ranks 2 --mesh 2x4 --straggler 1:2 || exit 2
for part in '--device 1:2' '--rank 1 --device 2'; do
    # shellcheck disable=SC2086 # options
    "$program" advise -q --format json $part made2 | jq -e '[.data.plan[].rule] | index("straggler") | not' >none ||
        complain "advise $part: compares devices"
done
finish
