#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh.sh BIN_DIR SOURCE_DIR - many ranks and devices as one run: synthetic runs whose clocks are known, and real ones.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
originals mesh

# ranks CASE - its reports as RANK=CSV
ranks()
{
    for report in "$folder/golden/$1"/rank*/reports/*/*.csv; do
        rank=${report#"$folder/golden/$1/rank"}
        printf '%s=%s\n' "${rank%%/*}" "$report"
    done
}

for case in "$folder"/golden/*/; do
    case=$(basename -- "$case")
    limit=3
    [ "$case" != wander_2x4 ] || limit=5
    # shellcheck disable=SC2046 # one word a report; the scratch folder has no blanks
    "$bin/mesh_check" golden "$folder/golden/$case/truth.json" "$folder/golden/$case/expected.json" $limit \
        $(ranks "$case") >"$scratch/said" || complain "$case: $(cat "$scratch/said")"
done

# Rows that may be set aside: 5 of 3,360 with 32 chips, else 1 in 100.
check "32 chips" "$bin/mesh_check" real 5 "$folder/real/galaxy_32.csv" >"$scratch/said"
contains "$(cat "$scratch/said")" '^axis 0 ring 8: 4 groups, .* proven 0' || complain "32 chips: axis 0 is not said to be unprovable"
contains "$(cat "$scratch/said")" '^axis 1 ring 4: 8 groups, .* proven 1' || complain "32 chips: axis 1 is not proven"
for run in gpt-01_after l70-05_after l70-05_before l8bh-02_after l8bh-02_before mus-15_after mus-16_before mus-17_after; do
    "$bin/mesh_check" real 0 "$folder/real/$run.csv" >"$scratch/said" || complain "$run: $(cat "$scratch/said")"
done
# Clocks that part by a tenth within milliseconds: nothing is said of them, and nothing is set aside.
"$bin/mesh_check" real 0 "$folder/real/mus-17_before.csv" >"$scratch/said" && complain "mus-17_before: aligned"
contains "$(cat "$scratch/said")" '^note: rings of 4: more than 3 % of their rows contradict' ||
    complain "mus-17_before: does not say why its clocks are not aligned"

finish
