#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# record_exclusive.sh BIN_DIR SOURCE_DIR - folders of recordings are held or new, and logs of different runs are not
# joined.
# shellcheck disable=SC2016 # what is in single quotes is for the command
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
workload=$bin/synth_workload
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT TRACY_NO_EXIT TTNN_OP_PROFILER
export NO_COLOR=1 COLUMNS=100
cd "$scratch" || exit 2
needs lz4

record() { # folder, options ...: standard output and error next to it
    timeout -k 5 60 "$program" record -o "$@" >"$1.out" 2>"$1.err"
}
ops_of() { # folder ...: its ops by `tt-perf ops`, into own.csv
    rm -rf made
    timeout 60 "$program" ops "$1" -o made -q >ops.out 2>ops.err
}
own() { # seed: what a run of it gives
    "$program" synth -o "own$1" -q --ops 30 --seed "$1" && "$program" ops "own$1" -o "own$1/ops" -q >/dev/null
}
await() { # file
    for _ in {1..200}; do
        test -e "$1" && return
        sleep 0.05
    done
    complain "no $1"
}
own 1
own 2

# one folder, two at once: the second is refused before its command runs, the first is as if alone
record one -q -- sh -c '"$0" --ops 30 --seed 1; touch started; until test -e checked; do sleep 0.05; done' \
    "$workload" &
first=$!
await started
holder=$(cat one/.tt-perf.lock)
check "held: by a process" test "$(cat "/proc/$holder/comm")" = tt-perf
timeout 20 "$program" record -o one -- touch ran >second.out 2>second.err
check "held: status" test $? = 125
check "held: by whom" contains "$(cat second.err)" "'.*/one' is in use: process $holder records into it"
check "held: what to do" contains "$(cat second.err)" '^hint: wait until it ends, or choose another folder with -o'
check "held: nothing ran" test ! -e ran
"$program" tracy -o one touch ran 2>second.err
check "held: for tracy too" contains "$(cat second.err)" 'is in use: process [0-9]+ records into it'
"$program" tracy -o one --process-logs-only 2>second.err
check "held: for what is made of its logs" contains "$(cat second.err)" 'is in use: process [0-9]+'
"$program" record --from one/.logs/capture_1.ttcap 2>second.err
check "held: for what is made of its capture" contains "$(cat second.err)" 'is in use: process [0-9]+'
touch checked
wait $first
check "held: the first is whole" cmp own1/ops/ops_perf_results.csv one/reports/*/ops_perf_results*.csv
check "held: no lock is left" test ! -e one/.tt-perf.lock
record one -q -- "$workload" --ops 30 --seed 2
check "free again" test $? = 0

# whoever was killed holds nothing
record dead -q -- sh -c 'echo $$ >victim; exec sleep 30' &
await victim
holder=$(cat dead/.tt-perf.lock)
kill -KILL "$holder"
wait 2>/dev/null
kill "$(cat victim)"
check "killed: its file is still there" test -e dead/.tt-perf.lock
record dead -q -- "$workload" --ops 30 --seed 1
check "killed: and does not matter" test $? = 0

# without -o every run has its own folder
mkdir here && cd here || exit 2
for seed in 1 2; do
    timeout 60 "$program" record -q -- "$workload" --ops 30 --seed $seed --seconds 1 >/dev/null 2>err$seed &
done
wait
check "no -o: two reports" test "$(find generated -name 'ops_perf_results*.csv' | wc -l)" = 2
for seed in 1 2; do
    found=
    while read -r csv; do
        cmp -s "$csv" ../own$seed/ops/ops_perf_results.csv && found=$csv
    done < <(find generated -name 'ops_perf_results*.csv')
    check "no -o: the report of run $seed is right" test -n "$found"
done
for seed in 1 2; do
    timeout 60 "$bin/tt_profile" "$workload --ops 30 --seed $seed --seconds 1" >told$seed 2>err$seed &
done
wait
check "tt_profile: a file each" test "$(cat told1 told2 | sed -n 's/^Wrote report to //p' | sort -u | wc -l)" = 2
cd ..

# logs of a former run, in a folder that the command chooses
"$program" synth -o chosen -q --ops 30 --seed 2
gzip chosen/.logs/profile_log_device.csv # which the workload, without a device, does not remove
touch -d '1 hour ago' chosen/.logs/*
record choice -- sh -c 'TT_METAL_PROFILER_DIR=$PWD/chosen TT_METAL_DEVICE_PROFILER=0 "$0" --ops 30 --seed 1' "$workload"
check "former logs: not joined" contains "$(cat choice.err)" 'no report: no cpp_device_perf_report.csv'
check "former logs: kept" test -e chosen/.logs-*/profile_log_device.csv.gz
check "former logs: told" contains "$(cat choice.err)" 'moved logs of an earlier run from .*chosen/.logs'
# and in the one that --from writes to
"$program" synth -o target -q --ops 30 --seed 2
timeout 60 "$program" record -q --from dead/.logs/capture_1.ttcap -o target >/dev/null 2>&1
check "--from -o: the device logs of its own run" cmp dead/.logs/profile_log_device.csv target/.logs/profile_log_device.csv

# logs that were exchanged afterwards: which, and how they differ
record two -q -- "$workload" --ops 30 --seed 2
record three -q -- "$workload" --ops 30 --seed 1
ops_of three
check "one run: joined" cmp own1/ops/ops_perf_results.csv made/ops_perf_results.csv
for file in profile_log_device.csv cpp_device_perf_report.csv tracy_ops_data.csv; do
    cp -r three mixed && cp two/.logs/$file mixed/.logs/
    ops_of mixed
    check "exchanged $file: status" test $? = 3
    check "exchanged $file: named" contains "$(cat ops.err)" "mixed/.logs/$file: logs of different runs: .*'$file' "
    timeout 60 "$program" report mixed/.logs >/dev/null 2>&1
    check "exchanged $file: for report too" test $? = 3
    "$program" ops mixed -o made --compat >/dev/null 2>ops.err
    check "exchanged $file: the original does not look" lacks "$(cat ops.err)" 'different runs'
    rm -rf mixed
done
cp -r three copied && touch copied/.logs/*
ops_of copied
check "a copy is the same run" cmp own1/ops/ops_perf_results.csv made/ops_perf_results.csv
echo >>copied/.logs/profile_log_device.csv
ops_of copied
check "a log that only grew is of the same run" test $? = 0
cp two/.logs/*.csv two/.logs/*.log copied/.logs/
ops_of copied
check "all of another run: that run" cmp own2/ops/ops_perf_results.csv made/ops_perf_results.csv

# without anything recorded: numbers of ops
cp -r own1 strange
sed -i 's/^\([0-9]*,[0-9]*,[0-9]*,[^,]*,[^,]*,[^,]*,[^,]*\),\([0-9]*\)/\1,9\2/' strange/.logs/profile_log_device.csv
rm strange/.logs/cpp_device_perf_report.csv
ops_of strange
check "no op in common: status" test $? = 3
check "no op in common: says which" contains "$(cat ops.err)" \
    "tracy_ops_data.csv:[0-9]+: logs of different runs: none of the host's [0-9]+ ops \(such as op [0-9]+ on device 0\) is among the [0-9]+ of profile_log_device.csv"
"$program" ops strange --device-only -o made -q >/dev/null 2>&1
check "no op in common: the device alone" test $? = 0

# two processes, one device, one folder
record shared -- "$workload" --ops 30 --processes 2 --same-dir --seconds 8 # both are met while they run, also on a slow machine
check "disputed: status" test $? = 0
check "disputed: no report" test -z "$(find shared -name 'ops_perf_results*.csv')"
check "disputed: why" contains "$(cat shared.err)" 'no report of process [0-9]+: process [0-9]+ also used device 0'
timeout 60 "$program" record -q --from shared/.logs/capture_1.ttcap >/dev/null 2>from.err
check "disputed: nor later" contains "$(cat from.err)" 'several processes of the run used the same device'

exit $failed
