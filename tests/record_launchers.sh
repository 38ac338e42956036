#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record_launchers.sh BIN_DIR SOURCE_DIR - which rank `tt-perf record` is, by the variables that launchers set: PMIx, PMI and
# Slurm, each with several ranks that run at once, and what is no rank at all. The child sees the variables unchanged.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
for name in $(env | sed -n 's/^\(OMPI_[A-Z_]*\|PMIX_[A-Z_]*\|PMI_[A-Z_]*\|SLURM_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset TT_METAL_HOME TT_METAL_PROFILER_DIR TRACY_PORT TT_METAL_LOGS_PATH
cd "$scratch" || exit 2
cat >rank.sh <<END
#!/bin/sh
env | grep -E '^(MPI|PMI|PMIX|SLURM|OMPI)_' | sort >seen.\$1
exec '$bin/synth_workload' --model matmul --ops \$((5 + \$1))
END
chmod +x rank.sh

# ranks FOLDER VARIABLE=VALUE... - two at once; '@' in a value is the rank
ranks()
{
    into=$1
    shift
    for n in 0 1; do
        set_here=
        for pair in "$@"; do
            set_here="$set_here $(printf '%s' "$pair" | sed "s/@/$n/g")"
        done
        # shellcheck disable=SC2086 # words without blanks
        env $set_here timeout 120 "$program" record -q --no-report -o "$into" -- ./rank.sh $n >"said.$n" 2>&1 &
        eval "pid$n=$!"
    done
    # shellcheck disable=SC2154 # set by eval
    wait "$pid0" || complain "$into: rank 0: $(tail -n 3 said.0)"
    # shellcheck disable=SC2154
    wait "$pid1" || complain "$into: rank 1: $(tail -n 3 said.1)"
    check "$into: no logs outside of ranks" test ! -e "$into/.logs"
    for n in 0 1; do
        check "$into: rank $n has logs" test -s "$into/rank$n/.logs/tracy_ops_data.csv"
        contains "$(tr -d ' \n' <"$into/rank$n/.logs/rank.json")" "\"rank\":$n,$size" ||
            complain "$into: rank.json of $n: $(cat "$into/rank$n/.logs/rank.json")"
        for pair in "$@"; do
            grep -qx -- "$(printf '%s' "$pair" | sed "s/@/$n/g")" "seen.$n" || complain "$into: the child lacks $pair"
        done
    done
}
size='"size":2,"local_rank":[01]'
ranks slurm SLURM_PROCID=@ SLURM_NTASKS=2 SLURM_LOCALID=@ SLURM_JOB_ID=77 SLURM_STEP_ID=0
ranks pmi PMI_RANK=@ PMI_SIZE=2 MPI_LOCALRANKID=@ PMI_JOBID=j1
size='' # PMIx names no size
ranks pmix PMIX_RANK=@ PMIX_NAMESPACE=job.1 PMIX_LOCAL_RANK=@
# OpenMPI is asked before PMIx, and PMIx before Slurm.
size='"size":2'
ranks both OMPI_COMM_WORLD_RANK=@ OMPI_COMM_WORLD_SIZE=2 PMIX_RANK=7 SLURM_PROCID=5 SLURM_NTASKS=9 SLURM_STEP_ID=0

# alone FOLDER VARIABLE=VALUE... - not a rank of several: its logs are not in a folder of a rank
alone()
{
    into=$1
    shift
    env "$@" timeout 120 "$program" record -q --no-report -o "$into" -- ./rank.sh 0 >said 2>&1 || complain "$into: $(tail -n 3 said)"
    check "$into: is not a rank" test -e "$into/.logs" -a ! -e "$into/rank0"
}
alone slurm_batch SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=77      # a script of sbatch: no step
alone slurm_one SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_ID=0
alone pmi_one PMI_RANK=0 PMI_SIZE=1
alone ompi_one OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1
alone junk SLURM_PROCID=x SLURM_NTASKS=y SLURM_STEP_ID=0
for into in slurm pmi pmix both; do
    "$program" mesh -q "$into" >said 2>&1
    contains "$("$program" report -q "$into" 2>&1)" 'ops' || complain "report of $into: $("$program" report -q "$into" 2>&1 | head -n 3)"
done
# Each rank prints one line instead of a report and names itself, and the first says what to do with all of them.
for n in 0 1; do
    OMPI_COMM_WORLD_RANK=$n OMPI_COMM_WORLD_SIZE=2 "$program" record -o told -- ./rank.sh $n >out.$n 2>err.$n || complain "told: $(cat err.$n)"
    check "line of rank $n" grep -qE "^rank $n of 2: .*/told/rank$n/reports/" out.$n
    check "rank $n prints a report" test "$(wc -l <out.$n)" -eq 1
    check "messages of rank $n" lacks "$(grep -v "^tt-perf: record: rank $n: \|^  " err.$n)" .
done
check "the next command" grep -qx "tt-perf: record: rank 0: when all ranks are done: tt-perf mesh .*/told" err.0
check "once" lacks "$(cat err.1)" 'all ranks'
finish
