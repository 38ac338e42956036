#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernel_passes.sh BIN_DIR SOURCE_DIR - 'record --mode kernel' and 'merge --passes': each pass has its variables, merged
# passes equal a single one in every figure that both have, and passes that disagree are told, not merged.
. "$2/tests/common.sh"
needs lz4
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2
unset TT_METAL_HOME
kernel="$bin/synth_workload --model tt-lang-kernel --cores 8 --pipes"

# pass TEXT - runs the workload and notes the variables of each pass below env/
mkdir env bin
cat >bin/workload <<END
#!/bin/sh
n=\$(ls "$scratch/env" | wc -l)
env >"$scratch/env/\$n"
exec $kernel "\$@"
END
chmod +x bin/workload

# --- variables of each pass ---
TTLANG_AUTO_PROFILE=1 TT_METAL_PROFILE_PERF_COUNTERS=1 \
    "$program" record --mode kernel -o merged -- bin/workload >merged.txt 2>merged.err || complain "record: $(cat merged.err)"
variable()
{
    check "pass $1 has $2" grep -qxE -- "$2" "env/$1"
}
no_variable()
{
    check "pass $1 has no $2" sh -c "! grep -qE '^$2=' env/$1"
}
variable 0 TT_METAL_DEVICE_PROFILER=1
variable 0 TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1
variable 0 TT_METAL_PROFILER_MID_RUN_DUMP=1
variable 0 TTLANG_PERF_DUMP=1
variable 0 TTLANG_SIGNPOST_PROFILE=1
variable 0 "TTLANG_PIPE_GRAPH_JSON=.*/merged/.logs/pipe_graph.json"
no_variable 0 TTLANG_AUTO_PROFILE
no_variable 0 TT_METAL_PROFILE_PERF_COUNTERS
variable 1 TTLANG_AUTO_PROFILE=1
variable 1 TT_METAL_PROFILER_MID_RUN_DUMP=1
variable 1 "TTLANG_PROFILE_CSV=.*/merged/.logs/unmerged/lines/.logs/profile_log_device.csv"
no_variable 1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS
no_variable 1 TTLANG_SIGNPOST_PROFILE
no_variable 1 TT_METAL_PROFILE_PERF_COUNTERS
variable 2 TT_METAL_PROFILE_PERF_COUNTERS=47
no_variable 2 TT_METAL_DEVICE_PROFILER_NOC_EVENTS
no_variable 2 TTLANG_AUTO_PROFILE
check "three passes" [ "$(find env -type f | wc -l)" -eq 3 ]

# TT-Lang looks for logs below TT_METAL_HOME and fails without them: no summary of logs that are elsewhere
rm -f env/*
mkdir home
TT_METAL_HOME=$scratch/home "$program" record -q --mode kernel -o apart --no-report --counters none -- bin/workload ||
    complain "record with TT_METAL_HOME"
no_variable 0 TTLANG_PERF_DUMP
check "no counters, two passes" [ "$(find env -type f | wc -l)" -eq 2 ]
rm -f env/*
TT_METAL_HOME=$scratch/home "$program" record -q --mode kernel --no-report --counters none -- bin/workload ||
    complain "record below TT_METAL_HOME"
variable 0 TTLANG_PERF_DUMP=1
rm -f env/*
"$program" record -q --mode kernel -o banks --no-report --counters fpu,l1_0,l1_1 -- bin/workload || complain "banks"
variable 2 TT_METAL_PROFILE_PERF_COUNTERS=9
variable 3 TT_METAL_PROFILE_PERF_COUNTERS=16
check "a pass for each bank" [ -d banks/.logs/passes/counters-2 ]

# --- the workload does what its variables ask for, and no more ---
# shellcheck disable=SC2317 # called by check
has_lines()
{
    grep -q '_L[0-9]*,ZONE_START' "$1/profile_log_device.csv"
}
check "no lines in the first pass" sh -c "! grep -q '_L[0-9]*,ZONE_START' merged/.logs/profile_log_device.csv"
check "lines in theirs" has_lines merged/.logs/passes/lines/.logs
check "user zones in the first pass" grep -q 'ttl_blocks,ZONE_START' merged/.logs/profile_log_device.csv
check "NoC events in the first pass" sh -c 'ls merged/.logs/noc_trace_*.json >/dev/null'
check "no NoC events with lines" sh -c '! ls merged/.logs/passes/lines/.logs/noc_trace_* 2>/dev/null'
check "the flow graph with lines" [ -f merged/.logs/passes/lines/.logs/cb_flow_graph.json ]
check "no flow graph without" [ ! -e merged/.logs/cb_flow_graph.json ]
check "pipes" [ -f merged/.logs/pipe_graph.json ]
mkdir plain
TT_METAL_PROFILER_DIR=$scratch/plain TT_METAL_DEVICE_PROFILER=1 $kernel --no-client || complain "the workload alone"
check "nothing of lines unasked" sh -c "! grep -q '_L[0-9]*,ZONE_START\|ttl_' plain/.logs/profile_log_device.csv"
check "no graphs unasked" sh -c '! ls plain/.logs/*graph.json plain/.logs/noc_trace_* 2>/dev/null'

# --- one page has it all ---
page=$(cat merged.txt)
for words in 'Program 1024 \(fused_exp\)' 'tensors: [0-9]+x64 BFLOAT16, [0-9]+x64 BFLOAT16 -> ' 'DRAM read:' 'THREAD SUMMARY' \
    'NCRISC +dm_read' 'SIGNPOST PROFILE' 'blocks +NCRISC' 'DFB FLOW GRAPH' 'dm_read:23 .*DMA' 'PIPE GRAPH' 'multicast to 7'; do
    check "the page has $words" contains "$page" "$words"
done
check "no generic op in the page" lacks "$(sed -n '/^PERF SUMMARY/,$p' merged.txt)" GenericOp
check "it says that they were merged" contains "$(cat merged.err)" 'merged 3 passes: the same 1 execution'

# --- merged passes equal a single pass, figure by figure ---
"$program" record -q --mode kernel --passes 1 -o single -- bin/workload >/dev/null || complain "--passes 1"
"$program" record -q --mode lines -o lines --no-report -- bin/workload || complain "--mode lines"
"$program" record -q --mode counters -o counters --no-report -- bin/workload || complain "--mode counters"
TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 TTLANG_SIGNPOST_PROFILE=1 TT_METAL_PROFILER_MID_RUN_DUMP=1 \
    TTLANG_PIPE_GRAPH_JSON=$scratch/pipe_graph.json "$program" record -q -o noc --no-report -- bin/workload ||
    complain "NoC events"
cp pipe_graph.json noc/.logs/
check "merge" "$program" merge --passes counters lines noc -o joined >joined.txt
check "the first pass is what has NoC events" [ -f joined/.logs/noc_trace_dev0_GenericOpDeviceOperation_ID1024.json ]
"$program" ops counters -o counted >/dev/null 2>&1
for run in merged joined; do
    python3 -B "$source/tests/kernel_passes.py" "$program" "$run" single lines noc counted || failed=1
done

# --- passes that disagree ---
# disagree WORDS ARGUMENTS-OF-THE-PASS-OF-LINES...
disagree()
{
    words=$1
    shift
    rm -rf bad
    cat >bin/other <<END
#!/bin/sh
[ "\$TTLANG_AUTO_PROFILE" = 1 ] && exec $kernel $*
exec $kernel
END
    chmod +x bin/other
    "$program" record --mode kernel --counters none -o bad -- bin/other >bad.txt 2>bad.err
    check "$*: exit 125" [ $? -eq 125 ]
    check "$*: $words: $(cat bad.err)" grep -qE -- "$words" bad.err
    check "$*: reports it" grep -q 'the passes disagree, so they are not merged' bad.err
    check "$*: not merged" [ ! -e bad/.logs/passes ]
    check "$*: kept" [ -f bad/.logs/unmerged/lines/.logs/profile_log_device.csv ]
    check "$*: the first pass is reported" grep -q 'PERF SUMMARY' bad.txt
    "$program" merge --passes bad bad/.logs/unmerged/lines -o never >bad.txt 2>&1
    check "$*: merge exits with 1" [ $? -eq 1 ]
    check "$*: merge names it" grep -qE -- "$words" bad.txt
    check "$*: merge leaves nothing" [ ! -e never ]
}
disagree "cycles in 'noc', [0-9]+ in 'lines'|cycles in 'bad', [0-9]+ in" --bottleneck=compute
disagree "ran 1 ops?, .* ran 3" --ops=3
disagree "is another op" --model=matmul

# --- usage, and commands that fail ---
"$program" merge --passes noc lines -o joined 2>err
check "a folder with logs is refused" [ $? -eq 2 ]
"$program" merge --passes noc -o new 2>err
check "one recording is not enough" [ $? -eq 2 ]
"$program" merge --passes noc lines 2>err
check "-o is needed" [ $? -eq 2 ]
"$program" merge --passes noc noc -o new 2>err
check "a pass that adds nothing" [ $? -eq 2 ]
"$program" merge --passes merged lines -o new 2>err
check "what is merged already" [ $? -eq 2 ]
mkdir empty
"$program" merge --passes noc empty -o new >/dev/null 2>err
check "a folder without a recording" [ $? -eq 3 ]
check "nothing is left of them" [ ! -e new ]
"$program" record --passes 1 -- true 2>err
check "--passes needs --mode kernel" [ $? -eq 125 ]
cat >bin/fails <<END
#!/bin/sh
$kernel
[ "\$TTLANG_AUTO_PROFILE" != 1 ] || exit 9
END
chmod +x bin/fails
"$program" record --mode kernel -o fails -- bin/fails >out.txt 2>err
check "the status of a pass that fails" [ $? -eq 9 ]
check "nothing is merged then: $(cat err)" grep -q "pass 'lines' ended with status 9" err
check "no third pass" [ ! -e fails/.logs/unmerged/counters ]
# --- one program by every number and name that is printed for it ---
report_id=$("$program" report -q merged --rows --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["data"]["ops"][0]["id"])')
for which in "$report_id" 1024 1 fused_exp last; do
    for verb in kernel annotate noc; do
        "$program" $verb -q merged --program "$which" >chosen 2>err || complain "$verb --program $which: $(cat err)"
    done
done
"$bin/synth_workload" --help >help || complain "synth_workload --help: $?"
check "its options" grep -q '^  --bottleneck ' help
exit $failed
