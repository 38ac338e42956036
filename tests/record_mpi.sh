#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record_mpi.sh BIN_DIR SOURCE_DIR - `mpirun tt-perf record -- COMMAND`: ranks that start at once in one folder each get a
# folder of their own, and each report is made of that rank's own operations.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
command -v mpirun >/dev/null || skip "no mpirun (Debian's package openmpi-bin)"
ranks=3
unset TT_METAL_HOME TT_METAL_PROFILER_DIR TRACY_PORT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# a rank runs as many operations as no other does
cat >"$scratch/rank.sh" <<END
#!/bin/sh
exec '$bin/synth_workload' --model matmul --ops \$((5 + OMPI_COMM_WORLD_RANK))
END
chmod +x "$scratch/rank.sh"
mkdir "$scratch/run" && cd "$scratch/run" || exit 2
timeout 120 mpirun --oversubscribe --bind-to none -n $ranks "$program" record -q --no-report -- "$scratch/rank.sh" \
    >"$scratch/out" 2>&1 || complain "mpirun: exit status $?: $(tail -n 5 "$scratch/out")"
# ops FOLDER - how many operations its logs give
ops()
{
    rm -rf "$scratch/ops"
    "$program" ops -q "$1" -o "$scratch/ops" >/dev/null && tail -n +2 "$scratch/ops/ops_perf_results.csv" | wc -l
}

find . -name .logs | sort >"$scratch/folders"
check "$ranks ranks leave $ranks folders, not $(wc -l <"$scratch/folders")" test "$(wc -l <"$scratch/folders")" -eq $ranks
while read -r folder; do
    ops "${folder%/.logs}"
done <"$scratch/folders" | sort -n | tr '\n' ' ' >"$scratch/counts"
"$program" synth -q -o "$scratch/alone" --model matmul --ops 5 || exit 1
least=$(ops "$scratch/alone")
check "each folder has the operations of its rank: $(cat "$scratch/counts")" \
    test "$(cat "$scratch/counts")" = "$least $((least + 1)) $((least + 2)) "
exit $failed
