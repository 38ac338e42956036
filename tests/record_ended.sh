#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record_ended.sh BIN_DIR SOURCE_DIR - a command that is killed, fails or is interrupted: its run is not trusted, no gate
# passes it, and the hints name that cause.
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
cd -- "$scratch" || exit 2
unset TT_METAL_HOME TT_METAL_PROFILER_DIR TRACY_PORT TT_METAL_LOGS_PATH
COLUMNS=100
export COLUMNS

workload="$bin/synth_workload --layers 2 --replays 3 --block 1024"

# shellcheck disable=SC2086 # words of a command line
{
    status 0 "$program" record -o good -- $workload
    status 137 "$program" record -o killed -- $workload --kill-after 9000
    check "the hints blame a kill" contains "$text" 'without a host op .*the command was killed or crashed'
    check "the report says it first" contains "$text" '^bad .*killed or crashed \(signal 9\)'
    status 9 "$program" record -q -o failed -- sh -c "$workload; exit 9"
    status 137 "$program" record -o early -- $workload --kill-after 1
}
check "nothing is written that the next verb rejects" lacks "$text" "OP CODE"
status 0 "$program" report --check good
for run in killed killed/reports/*/ops_perf_results*.csv killed/.logs; do
    status 1 "$program" report --check "$run"
    check "report of $run" contains "$text" 'logs +bad +.*killed or crashed'
done
status 1 "$program" report --check failed
check "a failed command" contains "$text" 'logs +bad +.*exit status 9'

for form in text md html github junit; do
    status 7 "$program" diff -q --fail-over 2% --format $form good killed
    check "$form of a killed run" contains "$text" 'other: .*killed or crashed'
    status 7 "$program" diff -q --fail-over 200% --format $form good failed
    check "$form of a failed run" contains "$text" 'other: .*exit status 9'
done
status 7 "$program" diff -q --fail-over 2% killed good
status 7 "$program" diff -q good killed
check "a conclusion" lacks "$text" '% (faster|slower)'

# a rank that is killed
for n in 0 1; do
    [ $n -eq 0 ] && kill= || kill='--kill-after 9000'
    # shellcheck disable=SC2086 # words of a command line
    OMPI_COMM_WORLD_RANK=$n OMPI_COMM_WORLD_SIZE=2 "$program" record -q -o ranks -- $workload $kill >/dev/null 2>&1
done
status 1 "$program" report --check ranks
check "the rank is named" contains "$text" 'logs +bad +rank 1: .*killed or crashed'
"$program" ops -q ranks -o merged >/dev/null 2>&1
status 1 "$program" report --check merged

# a rank that was killed before its first op does not hide the others
for n in 0 1; do
    [ $n -eq 1 ] && kill= || kill='--kill-after 1'
    # shellcheck disable=SC2086 # words of a command line
    OMPI_COMM_WORLD_RANK=$n OMPI_COMM_WORLD_SIZE=2 "$program" record -q -o first -- $workload $kill >/dev/null 2>&1
done
status 0 "$program" mesh first
check "the missing rank is named" contains "$text" 'rank 0: no device data'
status 1 "$program" report --check first

if has sqlite; then
    status 0 "$program" history add --store h.db --no-git --no-machine killed
    check "history warns" contains "$text" 'cannot be trusted: .*killed or crashed'
    status 0 "$program" history show --store h.db 1
    check "history marks it" contains "$text" 'bad: .*killed or crashed'
fi
finish
