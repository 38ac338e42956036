#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record_mpi.sh BIN_DIR SOURCE_DIR - `mpirun tt-perf record -- COMMAND`: ranks that start at once each get a folder rank<N>,
# with rank.json next to the logs, and each report is made of that rank's own operations. tt-run is imitated by a script.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
command -v mpirun >/dev/null || skip "no mpirun (Debian's package openmpi-bin)"
ranks=8
unset TT_METAL_HOME TT_METAL_PROFILER_DIR TRACY_PORT TT_METAL_LOGS_PATH
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# launch COMMAND... - as many ranks as can be
launch()
{
    timeout 120 mpirun --oversubscribe --bind-to none -n $ranks "$@" >"$scratch/out" 2>&1
}
# ops FOLDER - how many operations its logs give
ops()
{
    rm -rf "$scratch/ops"
    "$program" ops -q "$1" -o "$scratch/ops" >/dev/null && tail -n +2 "$scratch/ops/ops_perf_results.csv" | wc -l
}
# folders DIR - of ranks with logs, in one line
folders()
{
    (cd "$1" && find . -name .logs | sort | tr '\n' ' ')
}
every="./rank0/.logs ./rank1/.logs ./rank2/.logs ./rank3/.logs ./rank4/.logs ./rank5/.logs ./rank6/.logs ./rank7/.logs "

# A rank runs as many operations as no other does, and calls MPI itself if there is a compiler for that.
cat >"$scratch/rank.sh" <<END
#!/bin/sh
exec '$bin/synth_workload' --model matmul --ops \$((5 + OMPI_COMM_WORLD_RANK))
END
cat >"$scratch/mpi.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    status = size == atoi(argv[2]) ? system(argv[1]) : 1;
    MPI_Finalize();
    return status != 0;
}
END
chmod +x "$scratch/rank.sh"
mkdir "$scratch/run" && cd "$scratch/run" || exit 2
if command -v mpicc >/dev/null && mpicc -o "$scratch/mpi" "$scratch/mpi.c" 2>/dev/null; then
    launch "$program" record -q --no-report -o X -- "$scratch/mpi" "$scratch/rank.sh" $ranks ||
        complain "an MPI program: exit status $?: $(tail -n 5 "$scratch/out")"
else
    launch "$program" record -q --no-report -o X -- "$scratch/rank.sh" ||
        complain "mpirun: exit status $?: $(tail -n 5 "$scratch/out")"
fi
check "folders are $(folders X)" test "$(folders X)" = "$every"
"$program" synth -q -o "$scratch/alone" --model matmul --ops 5 || exit 1
least=$(ops "$scratch/alone")
for rank in 0 1 2 3 4 5 6 7; do
    check "rank $rank has its own operations" test "$(ops "X/rank$rank")" = $((least + rank))
    facts=$(tr -d ' \n' <"X/rank$rank/.logs/rank.json")
    contains "$facts" "\"rank\":$rank,\"size\":$ranks,\"local_rank\":$rank,\"host\":\"[^\"]+\",\"boot_id\":\"[^\"]+\",\"job\":\"[^\"]+\"" ||
        complain "rank.json of rank $rank: $facts"
    contains "$facts" '"devices":\[\{"id":0,"arch":"[a-z0-9_]+","mhz":[0-9]+\}' || complain "rank.json of rank $rank has no clock of its device: $facts"
    contains "$facts" '"end":\{"realtime_ns"' || complain "rank.json of rank $rank has no end"
done

# Without -o they go below the usual folder, and a second run puts the logs of the first aside.
for again in 1 2; do
    launch "$program" record -q --no-report -- "$scratch/rank.sh" || complain "run $again: $(tail -n 5 "$scratch/out")"
done
check "the usual folder has $(folders generated/profiler)" test "$(folders generated/profiler)" = "$every"
check "the first run was put aside" test "$(find generated/profiler -name '.logs-*' | wc -l)" -eq $ranks

# The status is the program's, and what it is killed by takes nothing from the others.
cat >"$scratch/fails.sh" <<END
#!/bin/sh
'$bin/synth_workload' --model matmul --ops 5
[ "\$OMPI_COMM_WORLD_RANK" != 3 ] || exit 9
END
cat >"$scratch/killed.sh" <<END
#!/bin/sh
'$bin/synth_workload' --model matmul --ops 5
touch '$scratch'/ran.\$OMPI_COMM_WORLD_RANK
if [ "\$OMPI_COMM_WORLD_RANK" = 3 ]; then
    tries=0
    while [ \$tries -lt 1000 ] && [ "\$(ls '$scratch'/ran.* | wc -l)" -lt 8 ]; do
        tries=\$((tries + 1))
        sleep 0.1
    done
    sleep 2 # what the others sent last arrives
    kill -9 \$\$
fi
exec sleep 120
END
chmod +x "$scratch/fails.sh" "$scratch/killed.sh"
launch "$program" record -q --no-report -o F -- "$scratch/fails.sh"
check "mpirun passes the status on" test $? -eq 9
# mpirun ends the other ranks when one dies, by default with SIGKILL after one second
launch --mca odls_base_sigkill_timeout 8 "$program" record -q --no-report -o K -- "$scratch/killed.sh"
check "a rank that is killed fails the job" test $? -ne 0
check "all ranks are kept: $(folders K)" test "$(folders K)" = "$every"
for rank in 0 1 2 4 5 6 7; do
    check "what rank $rank had run is kept" test "$(ops "K/rank$rank")" = "$least"
done

# tt-run: a folder and a port for each rank, variables of its own.
cat >"$scratch/tt-run" <<'END'
#!/bin/sh
# tt-run ROOT COMMAND...
root=$1
shift
for rank in 0 1; do
    mkdir -p "$root/rank$rank"
    set -- "$@" # each rank is an application of its own
done
n=0
line=
for rank in 0 1; do
    [ $n -eq 0 ] || line="$line :"
    line="$line -np 1 -x TT_METAL_PROFILER_DIR=$root/rank$rank -x TRACY_PORT=$((18087 + rank)) -x TT_MESH_ID=0 -x TT_MESH_HOST_RANK=$rank $*"
    n=$((n + 1))
done
# shellcheck disable=SC2086 # words of a command line
exec mpirun --oversubscribe --bind-to none $line
END
chmod +x "$scratch/tt-run"
timeout 120 "$scratch/tt-run" "$scratch/run/inner" "$program" record -q --no-report -- "$scratch/rank.sh" >"$scratch/out" 2>&1 ||
    complain "tt-run tt-perf record: $(tail -n 5 "$scratch/out")"
check "tt-run tt-perf record: $(folders inner)" test "$(folders inner)" = "./rank0/.logs ./rank1/.logs "
contains "$(cat inner/rank1/.logs/rank.json)" '"TT_MESH_HOST_RANK": "1"' || complain "rank.json lacks what tt-run set"
contains "$(cat inner/rank1/.logs/rank.json)" '"ns_per_tick": [0-9]' || complain "rank.json lacks how the host's log counts"
timeout 120 "$program" record -q --no-report -o outer -- "$scratch/tt-run" "$scratch/run/ttrun" "$scratch/rank.sh" \
    >"$scratch/out" 2>&1 || complain "tt-perf record -- tt-run: $(tail -n 5 "$scratch/out")"
check "tt-perf record -- tt-run: $(folders ttrun)" test "$(folders ttrun)" = "./rank0/.logs ./rank1/.logs "
for rank in 0 1; do
    check "its rank $rank has its own operations" test "$(ops "ttrun/rank$rank")" = $((least + rank))
done
exit $failed
