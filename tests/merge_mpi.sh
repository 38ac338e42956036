#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# merge_mpi.sh BIN_DIR SOURCE_DIR [KILLS] - `mpirun tt-perf-mpi merge` gives the bytes of `tt-perf merge`; a rank that cannot be read
# costs no other; one that is killed does not hold up the rest, and what is complete is written all the same.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v mpirun >/dev/null || skip "no mpirun (Debian's package openmpi-bin)"
[ -x "$bin/tt-perf-mpi" ] || skip "built without MPI (Debian's package libopenmpi-dev)"
kills=${3:-10}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}detect_leaks=0 # of MPI itself
cd "$scratch" || exit 2
launch()
{
    ranks=$1
    shift
    timeout 100 mpirun --oversubscribe --bind-to none -np "$ranks" "$bin/tt-perf-mpi" "$@"
}

# tt-perf has no symbol of MPI.
check "tt-perf does not link MPI" test "$(ldd "$program" | grep -c libmpi)" -eq 0
check "tt-perf has no symbol of MPI" test "$(nm -D "$program" 2>/dev/null | grep -c ' U MPI_')" -eq 0

"$program" synth -q -o run --ranks 8 --mesh 8x4 --straggler 5:2 --iterations 3 || exit 2
"$program" merge -q --format json run >plain.json || complain "merge: exit status $?"
for n in 1 3 8; do
    launch $n merge -q --format json run -o mpi.json 2>said || complain "$n processes: exit status $?: $(tail -n 5 said)"
    check "$n processes give the same bytes" cmp -s plain.json mpi.json
done
launch 4 merge -q --format json run >mpi.json 2>said || complain "to standard output: exit status $?"
check "standard output has the bytes of the root alone" cmp -s plain.json mpi.json
timeout 100 mpirun --oversubscribe --bind-to none --mca btl self,tcp -np 8 "$bin/tt-perf-mpi" merge -q --format json run -o mpi.json 2>said ||
    complain "over sockets: exit status $?: $(tail -n 5 said)"
check "sockets give the same bytes" cmp -s plain.json mpi.json
"$bin/tt-perf-mpi" report run 2>/dev/null
check "other verbs are refused" test $? -eq 2
for rank in 0 1 2 3 4 5 6 7; do
    check "rank $rank left its part" test -s run/rank$rank/.logs/rank.ttpart
done
# No shared disk: each process sees its own folder alone, by a link of its own.
cat >own.sh <<END
#!/bin/sh
mkdir -p '$scratch'/disk\$OMPI_COMM_WORLD_RANK
ln -s '$scratch'/run/rank\$OMPI_COMM_WORLD_RANK '$scratch'/disk\$OMPI_COMM_WORLD_RANK/ 2>/dev/null
cd '$scratch'/disk\$OMPI_COMM_WORLD_RANK && exec '$bin/tt-perf-mpi' "\$@"
END
chmod +x own.sh
timeout 100 mpirun --oversubscribe --bind-to none -np 8 sh -c "exec ./own.sh merge -q --format json rank\$OMPI_COMM_WORLD_RANK" >mpi.json 2>said ||
    complain "disks of their own: exit status $?: $(tail -n 3 said)"
check "disks of their own give the same bytes" cmp -s plain.json mpi.json

# A rank that cannot be read.
cp -R run broken
rm -rf broken/rank3/.logs broken/rank3/reports/*
mkdir -p broken/rank3/reports/x
echo junk >broken/rank3/reports/x/ops_perf_results_x.csv
"$program" merge -q --format json broken >plain_broken.json 2>/dev/null
launch 8 merge -q --format json broken -o mpi_broken.json 2>/dev/null
check "an unreadable rank ends with 1" test $? -eq 1
check "an unreadable rank costs no other" cmp -s plain_broken.json mpi_broken.json

# A process that stops in an exchange is named, the job ends, and what is complete is written. Rank 1 reads for longer, so
# that process 3 waits when it is stopped.
"$program" synth -q -o stopped --ranks 4 --mesh 4x4 --straggler 2:2 --iterations 3 || exit 2
report=$(ls stopped/rank1/reports/*/*.csv)
awk 'NR > 1 { for (i = 0; i < 200; i++) { sub(/(tt_dnn_device|python_dnn_fallback),[0-9]*/, "python_dnn_fallback," NR * 200 + i); print } }' "$report" >more.csv
cat more.csv >>"$report"
"$program" merge -q --format json stopped >plain_stopped.json || complain "merge: exit status $?"
rm -f stopped/rank*/.logs/rank.ttpart
TT_PERF_MPI_SECONDS=8 launch 4 merge -q --format json stopped -o mpi_stopped.json >/dev/null 2>said &
job=$!
while [ ! -e stopped/rank3/.logs/rank.ttpart ] && kill -0 $job 2>/dev/null; do
    sleep 0.02
done
for pid in $(pgrep -f "^$bin/tt-perf-mpi merge -q --format json stopped"); do
    if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx OMPI_COMM_WORLD_RANK=3; then
        kill -STOP "$pid" 2>/dev/null
    fi
done
wait $job
check "a stopped process ends the job with $?" test $? -ne 0
contains "$(cat said)" 'no answer from process 3;' || complain "the process that stopped is not named: $(cat said)"
for _ in $(seq 600); do
    [ ! -e mpi_stopped.json ] || break
    sleep 0.1
done
check "stopped: the result is whole" cmp -s plain_stopped.json mpi_stopped.json

# Killed at any moment after the root began: the job ends soon, and a separate process writes what is complete, which is
# everything on one machine.
took_most=0
killed=0
processes()
{
    pgrep -f "^$bin/tt-perf-mpi merge -q --format json run"
}
for ((i = 0; i < kills; i++)); do
    rm -f mpi.json run/rank*/.logs/rank.ttpart
    launch 8 merge -q --format json run -o mpi.json >/dev/null 2>said &
    job=$!
    while [ "$(processes | wc -l)" -lt 9 ] && kill -0 $job 2>/dev/null; do
        sleep 0.02
    done
    sleep "0.$((RANDOM % 9))"
    start=$(date +%s%N)
    mapfile -t pids < <(processes)
    [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null
    wait $job || killed=$((killed + 1))
    while [ ! -e mpi.json ] && [ $((($(date +%s%N) - start) / 1000000)) -lt 60000 ]; do
        sleep 0.05
    done
    took=$((($(date +%s%N) - start) / 1000000))
    [ $took -le $took_most ] || took_most=$took
    check "killed: it took $took ms" test $took -lt 60000
    check "killed: the result is whole: $(tail -n 3 said)" cmp -s plain.json mpi.json
done
while processes >/dev/null && [ $((took_most += 50)) -lt 60000 ]; do # no process stays
    sleep 0.05
done
check "no process stays" test -z "$(processes)"
check "some kill ended a job" test $killed -gt 0
echo "$kills kills: the longest took $took_most ms"
exit $failed
