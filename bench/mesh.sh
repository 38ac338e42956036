#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh.sh [--vs ORIGINAL]... - `tt-perf mesh` of a real run on 32 chips, from start to exit: one JSON line with the median
# of ROUNDS (5). Needs build/release.
set -u
rounds=${ROUNDS:-5}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed
zstd -dqc "$root/tests/originals/mesh.tar.zst" | tar -xf - -C "$scratch" ./real/galaxy_32.csv || exit 2
round=0
while [ "$round" -lt "$rounds" ]; do
    "$bin/timed" "$bin/tt-perf" mesh -q "$scratch/real/galaxy_32.csv"
    round=$((round + 1))
done >"$scratch/times"
awk '$3 != 0 { exit 1 }' "$scratch/times" || die "a run failed"
echo "{\"bench\":\"mesh\",\"chips\":32,\"wall_s\":$(median "$scratch/times" 1),\"cpu_s\":$(median "$scratch/times" 4)}"
exit "$status"
