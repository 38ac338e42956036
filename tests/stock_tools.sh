#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stock_tools.sh BIN_DIR SOURCE_DIR - handing over to Tracy's own capture tool: behind record's proxy, and replayed from a
# recording. A stand-in plays the tool: it takes the same arguments, asks as a server does, and writes our capture file.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
workload=$bin/synth_workload
stock=$bin/stock
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TT_METAL_RUNTIME_ROOT TRACY_PORT TRACY_NO_EXIT TTNN_OP_PROFILER
export NO_COLOR=1 COLUMNS=100
cd "$scratch" || exit 2
csv_of() { echo "$1"/reports/*/ops_perf_results*.csv; }
record() { # out, options ...
    local out=$1
    shift
    timeout -k 5 60 "$program" record -o "$out" "$@" >"$out.out" 2>"$out.err"
}

needs lz4
run='--ops 60 --devices 2 --replays 3'
# shellcheck disable=SC2086 # a list of options
"$program" synth -o own -q $run
"$program" ops own -o own/ops -q >/dev/null

# stock capture behind a proxy, if there is one
record gui --tracy-file -- "$workload" --ops 60 --devices 2 --replays 3
check "no tool: no word about it" lacks "$(cat gui.err)" 'tracy-capture'
"$program" record --from gui/.logs/tracy_profile_log_host.tracy -o gui2 --no-report -q
check "no tool: our own file has all" cmp own/.logs/tracy_ops_data.csv gui2/.logs/tracy_ops_data.csv
rm -rf gui2
rm -rf gui
PATH=$stock:$PATH record gui -q --tracy-file -- "$workload" --ops 60 --devices 2 --replays 3
check "a tool: status" test $? = 0
check "a tool: same ops" cmp own/ops/ops_perf_results.csv "$(csv_of gui)"
"$program" record --from gui/.logs/tracy_profile_log_host.tracy -o gui2 --no-report -q # the stand-in writes ours
check "a tool: it received all" cmp own/.logs/tracy_ops_data.csv gui2/.logs/tracy_ops_data.csv
rm -rf gui
STOCK_PROTOCOL=99 PATH=$stock:$PATH record gui --tracy-file -- "$workload" --ops 60 --devices 2 --replays 3
check "a tool of another version: reports it" contains "$(cat gui.err)" 'different versions of Tracy.s protocol'
check "a tool of another version: same ops" cmp own/ops/ops_perf_results.csv "$(csv_of gui)"
check "a tool of another version: our own file instead" test -s gui/.logs/tracy_profile_log_host.tracy
mkdir false && ln -s /bin/false false/tracy-capture
rm -rf gui
PATH=$PWD/false:$PATH record gui --tracy-file -- "$workload" --ops 60 --devices 2 --replays 3
check "a tool that fails: reports it" contains "$(cat gui.err)" 'ended before it could connect'
check "a tool that fails: same ops" cmp own/ops/ops_perf_results.csv "$(csv_of gui)"

# several clients: a tool and a file for each
rm -rf gui
PATH=$stock:$PATH record gui -q --tracy-file --no-report -- "$workload" --ops 40 --processes 3
check "several clients: status" test $? = 0
for rank in 0 1 2; do
    "$program" synth -o "own$rank" -q --ops 40 --seed $((1 + rank))
    "$program" record --from gui/rank$rank/.logs/tracy_profile_log_host.tracy -o "gui2_$rank" --no-report -q
    check "several clients: rank $rank" cmp "own$rank/.logs/tracy_ops_data.csv" "gui2_$rank/.logs/tracy_ops_data.csv"
done
check "several clients: nothing is left over" test -z "$(compgen -G 'gui/.logs/*.tracy')"
rm -rf gui
PATH=$stock:$PATH record gui --tracy-file -p 8494 -- true
check "no client: no file" test -z "$(compgen -G 'gui/.logs/*.tracy')"

# a recording with the raw stream, played to the tool later
for dialect in 66 78; do
    rm -rf raw raw2
    record raw -q --raw --zones all --no-report -- "$workload" --dialect $dialect --ops 60 --devices 2 --replays 3
    check "$dialect: --raw: status" test $? = 0
    out=$(STOCK_PROTOCOL=$dialect PATH=$stock:$PATH timeout 30 "$program" export tracy raw/.logs/capture_1.ttcap --capture-tool auto 2>export.err)
    check "$dialect: export tracy: status" test $? = 0
    check "$dialect: export tracy: says where" test "$out" = raw/.logs/capture_1.tracy
    "$program" record --from raw/.logs/capture_1.tracy -o raw2 --zones all --no-report -q
    check "$dialect: export tracy: messages" cmp own/.logs/tracy_ops_data.csv raw2/.logs/tracy_ops_data.csv
    check "$dialect: export tracy: zones" cmp raw/.logs/tracy_ops_times.csv raw2/.logs/tracy_ops_times.csv
    STOCK_PROTOCOL=99 timeout 30 "$program" export tracy raw/.logs/capture_1.ttcap -o no.tracy --capture-tool "$stock/tracy-capture" >out 2>export.err
    check "$dialect: export tracy with another version: status" test $? != 0
    check "$dialect: export tracy with another version: reports it" contains "$(cat export.err)" "must support protocol $dialect"
done
"$program" export tracy raw/.logs/capture_1.ttcap -o later.tracy --port 8493 >out 2>&1 &
waiting=$!
for _ in {1..100}; do
    grep -q 'waiting on port 8493' out && break
    sleep 0.05
done
STOCK_PROTOCOL=78 timeout 20 "$stock/tracy-capture" -o later.tracy -f -p 8493
check "export tracy --port: the tool is somebody else's" test $? = 0
wait $waiting
check "export tracy --port: status" test $? = 0
"$program" record --from later.tracy -o later --zones all --no-report -q
check "export tracy --port: zones" cmp raw/.logs/tracy_ops_times.csv later/.logs/tracy_ops_times.csv

exit $failed
