#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# record.sh BIN_DIR SOURCE_DIR - record, end to end on loopback: a workload that speaks Tracy's protocol is run, received
# and reported on; what comes out is what the synthetic run's own folder gives.
# shellcheck disable=SC2016,SC2031 # what is in single quotes is for the command
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
workload=$bin/synth_workload
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT TRACY_NO_EXIT TTNN_OP_PROFILER
export NO_COLOR=1 COLUMNS=100
cd "$scratch" || exit 2

needs lz4

# record OUT OPTIONS... - runs it with a limit, keeps stdout, stderr and the time it took; the status is the command's.
record() {
    local out=$1 start status
    shift
    start=$(date +%s%N)
    timeout -k 5 60 "$program" record -o "$out" "$@" >"$out.out" 2>"$out.err"
    status=$?
    took_ms=$((($(date +%s%N) - start) / 1000000))
    return $status
}
own_report() { # folder, synth options: the report of a folder that was never recorded
    local out=$1
    shift
    "$program" synth -o "$out" -q "$@"
    "$program" ops "$out" -o "$out/ops" -q >/dev/null
    "$program" report "$out/ops/ops_perf_results.csv" -q >"$out.out"
}
csv_of() { echo "$1"/reports/*/ops_perf_results*.csv; }
messages_of() { # in how many lines of the folder's message log there is an op
    grep -c 'TT_DNN_.*OP' "$1/.logs/tracy_ops_data.csv"
}

# the whole line, in both dialects
own_report own --ops 60 --devices 2 --replays 3
for dialect in 66 78; do
    record "d$dialect" -q -- "$workload" --dialect $dialect --ops 60 --devices 2 --replays 3
    check "$dialect: status" test $? = 0
    check "$dialect: the ops CSV is the folder's own" cmp own/ops/ops_perf_results.csv "$(csv_of d$dialect)"
    check "$dialect: so is the report" cmp own.out d$dialect.out
    check "$dialect: messages to the byte" cmp own/.logs/tracy_ops_data.csv d$dialect/.logs/tracy_ops_data.csv
    check "$dialect: in silence" test ! -s d$dialect.err
done

# other models, seeds and numbers of devices: no two messages share a time, so their order is the same
for run in '--model resnet --ops 20 --seed 7 --replays 2' '--model matmul --ops 9 --seed 3 --devices 3 --replays 1' \
    '--model llm-prefill --ops 12 --seed 11 --devices 4' '--ops 6 --devices 32 --replays 2'; do
    rm -rf made got
    # shellcheck disable=SC2086 # a list of options
    "$program" synth -o made -q $run
    # shellcheck disable=SC2086
    record got -q --no-report -- "$workload" $run
    check "$run: messages to the byte" cmp made/.logs/tracy_ops_data.csv got/.logs/tracy_ops_data.csv
done

# the stream in small pieces, in bursts, with a zone that never ends
for manner in '--block 300 --piece 61 --pause 200' '--block 2000 --burst 10' '--open-zone --dialect 78' \
    '--block 262144'; do
    rm -rf manner
    # shellcheck disable=SC2086 # a list of options
    record manner -q -- "$workload" --ops 60 --devices 2 --replays 3 $manner
    check "$manner: status" test $? = 0
    check "$manner: same ops" cmp own/ops/ops_perf_results.csv "$(csv_of manner)"
done

# all zones, or the usual ones
record all -q --zones all --no-report -- "$workload" --ops 60
zones=$(wc -l <all/.logs/tracy_ops_times.csv)
record some -q --no-report -- "$workload" --ops 60
check "--zones all has what ops do not need" test "$zones" -gt $((2 * $(wc -l <some/.logs/tracy_ops_times.csv)))
check "--no-report makes none" test ! -e some/reports
check "--no-report prints none" test ! -s some.out

# what modes add
record count --mode counters --counters fpu,pack -- "$workload" --ops 40
check "counters: status" test $? = 0
check "counters: tables" contains "$(cat count.out)" 'FPU'
check "counters: columns" contains "$(head -n 1 "$(csv_of count)")" 'FPU'
record device --mode device-only -- "$workload" --ops 40
check "device-only: status" test $? = 0
check "device-only: no logs of the host" test ! -e device/.logs/tracy_ops_data.csv
check "device-only: times of cores" test -s device/reports/*/per_core_op_to_op_times*.csv
# The next process of tt-metal deletes the inspector's folder: a copy of this run's is kept, and of no earlier one.
record inspected -q -- sh -c "$workload --ops 20 && mkdir -p generated/inspector/_rank_1 &&
    cp '$source'/tests/golden/startup/crash/*.yaml generated/inspector &&
    cp '$source'/tests/golden/startup/crash/*.yaml generated/inspector/_rank_1"
check "inspector: status" test $? = 0
check "inspector: the folder is kept" cmp generated/inspector/programs_log.yaml inspected/.logs/inspector/programs_log.yaml
check "inspector: ranks are kept" cmp generated/inspector/programs_log.yaml \
    inspected/.logs/inspector/_rank_1/programs_log.yaml
"$program" startup inspected >startup.txt 2>&1 || complain "inspector: startup reads the recording: $(cat startup.txt)"
check "inspector: startup tells of the recording" grep -q 'from start to' startup.txt
check "inspector: report tells the cold start" contains "$("$program" report inspected 2>&1 >/dev/null)" 'start-up took'
record later -q -- "$workload" --ops 20
check "inspector: logs of an earlier run are not kept" test ! -e later/.logs/inspector
rm -rf generated
record noc --mode kernel -q -- "$workload" --ops 40
check "kernel: NoC traces next to the logs" compgen -G 'noc/.logs/noc_trace_*.json' >/dev/null

# several processes, side by side and one after the other
for how in '' --sequential; do
    rm -rf several
    # shellcheck disable=SC2086 # an option or none
    record several -- "$workload" --ops 40 --processes 3 $how
    check "processes $how: status" test $? = 0
    for rank in 0 1 2; do
        own_report "own$rank" --ops 40 --seed $((1 + rank))
        check "processes $how: rank $rank has its own report" \
            cmp "own$rank/ops/ops_perf_results.csv" "$(csv_of several/rank$rank)"
    done
done
record shared -- "$workload" --ops 40 --processes 2 --same-dir
check "one folder for two: status" test $? = 0
check "one folder for two: a sub-folder each" test "$(echo shared/*/.logs/tracy_ops_data.csv | wc -w)" = 2
record port0 -p 0 -q -- sh -c "$workload --ops 40 & wait"
check "a port of its own: same ops" cmp own0/ops/ops_perf_results.csv "$(csv_of port0)"
check "every process takes its own port" test -z \
    "$(TRACY_PORT=8498 timeout 20 "$program" record -q -p 0 -o st --no-report -- sh -c 'echo $TRACY_PORT')"
record ranks -q -- sh -c 'for r in 0 1; do
    TRACY_PORT=$((8300 + $$ % 900 + r)) TT_METAL_PROFILER_DIR=$PWD/ranks/$r '"$workload"' --ops 40 & done; wait'
check "ports of the command's own: status" test $? = 0
check "ports of the command's own: both" test "$(messages_of ranks/0) $(messages_of ranks/1)" = \
    "$(messages_of own0) $(messages_of own0)"
if unshare -rp --fork true 2>/dev/null; then # as in containers that share our network
    record inside -q -- sh -c "for i in 1 2; do unshare -rp --fork $workload --ops 40 & done; wait"
    check "two that are process 1: status" test $? = 0
    check "two that are process 1: a folder each" test \
        "$(cat inside/*/.logs/tracy_ops_data.csv | grep -c 'TT_DNN_.*OP')" = $((2 * $(messages_of own0)))
fi
record one_port -p 8495 -- "$workload" --ops 40 --processes 2 --seconds 4 --linger 2000
check "one port for two: reports it" contains "$(cat one_port.err)" '1 more process \(such as [0-9]+\) had a Tracy client'

# status, words, input and output are the command's
for code in 0 1 42 255; do
    record st --no-report -- sh -c "exit $code"
    check "status $code" test $? = $code
done
record st --no-report -- sh -c 'kill -KILL $$'
check "status of a signal" test $? = 137
record st -- ./nothing-here
check "not found" test $? = 127
check "not found: reports it" contains "$(cat st.err)" "cannot run './nothing-here'"
: >not-executable
record st -- ./not-executable
check "not executable" test $? = 126
record st
check "no command" test $? = 125
record st --nonsense -- true
check "wrong usage" test $? = 125
record words --no-report -- printf '<%s>' -v --port '' 'a  b' '$HOME' "it's" -- '*'
check "words untouched" test "$(cat words.out)" = "<-v><--port><><a  b><\$HOME><it's><--><*>"
record words --no-report printf '<%s>' -o x
check "no '--' needed" test "$(cat words.out)" = "<-o><x>"
check "input passes" test "$(echo through | timeout 20 "$program" record -q -o st --no-report -- cat)" = through
check "a dead reader is the command's affair" test \
    "$(timeout 20 "$program" record -q -o st --no-report -- yes 2>/dev/null | head -n 1)" = y

# the environment of each mode; what tt-metal would refuse
variables() { # mode: what it sets
    timeout 20 "$program" record -q -o vars --no-report --mode "$@" -- env |
        sed -n 's/^\(TT_METAL_PROF[^=]*\|TT_METAL_DEV[^=]*\|TTNN_[^=]*\|TTLANG_[^=]*\)=\(.*\)$/\1=\2/p' | sort
}
common='TT_METAL_DEVICE_PROFILER=1
TT_METAL_PROFILER_DIR='$(realpath .)'/vars
TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY=1'
host='TTNN_OP_PROFILER=1
TT_METAL_PROFILER_TRACE_TRACKING=1'
cpp=TT_METAL_PROFILER_CPP_POST_PROCESS=1
logs=$(realpath .)/vars/.logs
expect() { printf '%s\n' "$@" | sort; }
check "mode ops" test "$(variables ops)" = "$(expect "$common" "$host" $cpp)"
check "mode kernel" test "$(variables kernel)" = "$(expect "$common" "$host" $cpp \
    TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=$logs" \
    TT_METAL_PROFILER_MID_RUN_DUMP=1 TTLANG_PERF_DUMP=1 TTLANG_SIGNPOST_PROFILE=1 \
    "TTLANG_PIPE_GRAPH_JSON=$logs/pipe_graph.json")"
check "mode lines" test "$(variables lines)" = "$(expect "$common" "$host" $cpp TTLANG_AUTO_PROFILE=1 \
    TT_METAL_PROFILER_MID_RUN_DUMP=1 "TTLANG_PROFILE_CSV=$logs/profile_log_device.csv")"
check "mode counters" test "$(variables counters)" = \
    "$(expect "$common" "$host" TT_METAL_PROFILE_PERF_COUNTERS=47)"
check "counters chosen" contains "$(variables counters --counters fpu,l1_1)" '^TT_METAL_PROFILE_PERF_COUNTERS=17$'
check "mode device-only" test "$(variables device-only)" = "$(expect "$common")"
check "a .tracy wants device zones" lacks "$(variables ops --tracy-file 2>/dev/null)" DISABLE_PUSH
refuse() { # what it must say, then variables and options
    local text=$1
    shift
    rm -f ran
    env "${@:1:1}" timeout 20 "$program" record -o refused "${@:2}" -- touch ran >out 2>err
    check "refused ($*): status" test $? = 125
    check "refused ($*): why" contains "$(cat err)" "$text"
    check "refused ($*): before the run" test ! -e ran
}
refuse 'more than one L1 bank' A= --mode counters --counters l1_0,l1_1
refuse 'Blackhole only' ARCH_NAME=wormhole_b0 --mode counters --counters l1_3
refuse 'unknown counter group' A= --mode counters --counters fpu,gpu
refuse 'does not print from a device' TT_METAL_DPRINT_CORES=0,0
refuse 'conflict with' TT_METAL_TRACE_PROFILER=1 --mode lines
refuse 'lack op IDs' TT_METAL_PROFILER_ACCUMULATE=1
refuse 'requires device files' TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=1
refuse 'writes no device log' TT_METAL_NOC_DEBUG_DUMP=1
record st -v --no-report -- true
check "-v says what it set" contains "$(cat st.err)" 'TTNN_OP_PROFILER=1  \('

# ports
"$workload" --ops 40 --wait 30000 >/dev/null 2>&1 & # takes one from 8086 on
other=$!
for _ in {1..100}; do
    port=$(for p in {8086..8105}; do
        h=$(printf ':%04X 0*:0000 0A' "$p")
        cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "$h" && echo "$p"
    done | tail -n 1)
    test -n "$port" && break
    sleep 0.05
done
record busy -p "$port" -- true
check "a taken port: status" test $? = 125
check "a taken port: its owner" contains "$(cat busy.err)" "port $port is in use by process [0-9]+ \("
record beside -q -p 0 -- "$workload" --ops 40
check "another's client is left alone" cmp own0/ops/ops_perf_results.csv "$(csv_of beside)"
kill $other
wait $other 2>/dev/null
port=
for i in 1 2 3; do
    timeout 60 "$program" record -q -o at_once$i -- "$workload" --ops 40 --seed $i --processes 2 --seconds 1 >/dev/null &
done
wait
for i in 1 2 3; do
    for rank in 0 1; do
        own_report own_once --ops 40 --seed $((i + rank))
        check "three at once: run $i, rank $rank" \
            cmp own_once/.logs/tracy_ops_data.csv "at_once$i/rank$rank/.logs/tracy_ops_data.csv"
        rm -rf own_once
    done
done
for _ in 1 2; do # the second time connections of the first are still known to the system
    record again -q -p 8490 --no-report -- "$workload" --ops 40
    check "the same port again" test $? = 0
done
record moved -p 8492 -- env TRACY_PORT=8493 "$workload" --ops 40
check "a port that the command changes: status" test $? = 0
check "a port that the command changes: received" test "$(messages_of moved)" = "$(messages_of own0)"
check "a given port" test "$(timeout 20 "$program" record -q -o st --no-report -p 8499 -- sh -c 'echo $TRACY_PORT')" = 8499
check "a port of the environment" test \
    "$(TRACY_PORT=8498 timeout 20 "$program" record -q -o st --no-report -- sh -c 'echo $TRACY_PORT')" = 8498

# nothing came: which of the usual causes it is
why() { # text, command ...
    record why -- "${@:2}"
    check "nothing came from: ${*:2}" contains "$(cat why.err)" "$1"
}
why 'did not load tt-metal, or tt-metal was built without Tracy' true
why 'did not load tt-metal' "$workload" --no-client
library=$(sed -n 's/.* \(\/.*\/libc\.so\.6\)$/\1/p' /proc/$$/maps | head -n 1)
if test -n "$library" && cp "$library" libtt_metal.so; then # any library under that name
    why 'tt-metal has no Tracy client' env LD_PRELOAD="$PWD/libtt_metal.so" sleep 1
fi
if unshare -rn true 2>/dev/null; then
    why 'process [0-9]+ has a Tracy client in another network' \
        env TRACY_NO_EXIT=0 unshare -rn "$workload" --ops 40 --wait 1500
fi
if command -v python3 >/dev/null; then # a server of the command's own where its client should be
    record why -p 8494 -- python3 -c 'if True:
        import os, socket, time
        s = socket.create_server(("127.0.0.1", int(os.environ["TRACY_PORT"])))
        s.settimeout(5)
        try:
            c, _ = s.accept()
            c.sendall(b"HTTP/1.0 400 Bad Request\\r\\n\\r\\n")
            time.sleep(0.5)
        except OSError:
            pass'
    check "a server that is none: named" contains "$(cat why.err)" \
        'the program on port 8494(, process [0-9]+ \(python3[^)]*\),)? is not a Tracy client'
fi
why 'without TTNN_OP_PROFILER=1' env -u TTNN_OP_PROFILER "$workload" --ops 40
why 'no report: no cpp_device_perf_report.csv' env -u TT_METAL_DEVICE_PROFILER "$workload" --ops 40

# earlier logs are put aside, later runs do not see them
record twice -q -- "$workload" --ops 40
record twice -q -- true
check "old logs are kept" test -e twice/.logs-*/profile_log_device.csv
check "new logs are new" test ! -e twice/.logs/profile_log_device.csv

# a client that is killed anywhere: all that was sent is there, and nothing waits
for after in 1 5 300 1000 2500 4000 5500 7000 9000 11000 12000 999999; do
    rm -rf cut
    record cut -- "$workload" --ops 60 --devices 2 --replays 3 --block 700 --kill-after $after --sent sent
    status=$?
    if test $after = 999999; then
        check "never killed: status" test $status = 0
    else
        check "killed after $after: status" test $status = 137
    fi
    check "killed after $after: in time ($took_ms ms)" test "$took_ms" -lt 10000
    test -s sent || echo 0 >sent
    kept=$(grep -cE ';[0-9]+$' cut/.logs/tracy_ops_data.csv 2>/dev/null) # no file: it died before its first words
    check "killed after $after: nothing sent is lost" test "${kept:-0}" -ge "$(cat sent)"
done

# ourselves told to stop: passed on, saved, processed; a second time it is killed
await() { # file: until it is there
    for _ in {1..200}; do
        test -e "$1" && return
        sleep 0.05
    done
    echo "FAILED: no $1" >&2
    failed=1
}
for signal in TERM HUP INT; do
    rm -rf stop started
    # in the background of a script INT is ignored, unless one says otherwise
    env --default-signal=INT "$program" record -o stop -- "$workload" --ops 2000 --seconds 30 --started started \
        >stop.out 2>stop.err &
    pid=$!
    await started
    sleep 0.5
    start=$(date +%s%N)
    kill -s $signal $pid
    wait $pid
    status=$?
    took_ms=$((($(date +%s%N) - start) / 1000000))
    check "$signal: in time ($took_ms ms)" test $took_ms -lt 8000
    check "$signal: status $status" test $status = $((128 + $(kill -l $signal)))
    check "$signal: reports it" contains "$(cat stop.err)" 'interrupted; processing the captured data'
    check "$signal: ops are there" test "$(messages_of stop)" -gt 0
    check "$signal: there is a report" test -s stop.out
done
rm -rf stop started
"$program" record -o stop -- "$workload" --ops 2000 --seconds 30 --ignore-term --started started \
    >stop.out 2>stop.err &
pid=$!
await started
sleep 0.3
kill -TERM "$pid"
sleep 0.5
check "once: the workload goes on" kill -0 "$pid"
start=$(date +%s%N)
kill -TERM "$pid"
wait $pid
check "twice: killed" test $? = 137
check "twice: at once" test $((($(date +%s%N) - start) / 1000000)) -lt 5000
check "twice: still saved" test "$(messages_of stop)" -gt 0

# ourselves killed: the workload ends all the same, and --from continues from the file
rm -rf dead started
"$program" record -o dead -- "$workload" --ops 2000 --seconds 30 --started started >dead.out 2>&1 &
pid=$!
await started
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
for _ in {1..40}; do
    pgrep -f "^$workload --ops 2000 --seconds 30 --started started" >/dev/null || break
    sleep 0.05
done
check "the workload does not wait for a dead receiver" test -z \
    "$(pgrep -f "^$workload --ops 2000 --seconds 30 --started started")"
timeout 20 "$program" record --from dead/.logs/capture_1.ttcap >from.out 2>from.err
check "--from: status" test $? = 0
check "--from: ops of before" test "$(messages_of dead)" -gt 0
check "--from: there is a report" test -s from.out
timeout 20 "$program" record --from d66/.logs/capture_1.ttcap -q >from.out 2>from.err
check "--from repeats the report" cmp own.out from.out
timeout 20 "$program" record --from d66 -o elsewhere -q >from.out 2>from.err
check "--from a folder, into another" cmp own.out from.out
timeout 20 "$program" record --from own/.logs/topology.json >from.out 2>from.err
check "--from something else" test $? = 125

# the command lines of python -m tracy and of tt_profile
tracy() { # folder, options ...
    timeout 30 "$program" tracy -o "$@" >tracy.out 2>tracy.err
}
tracy t1 -r -n mine "$workload" --ops 60 --devices 2 --replays 3
check "tracy -r: status" test $? = 0
check "tracy -r: ops" cmp own/ops/ops_perf_results.csv t1/reports/mine/*/ops_perf_results_mine_*.csv
tracy t2 "$workload" --ops 40
check "tracy without -r: no report" test ! -e t2/reports
check "tracy without -r: no messages of ops" test "$(messages_of t2)" = 0
tracy t3 -r --check-exit-code "$workload" --ops 40 --exit 9
check "tracy --check-exit-code" test $? = 4
check "tracy --check-exit-code: nothing is processed" test ! -e t3/reports
tracy t3 "$workload" --ops 40 --exit 9
check "tracy: the command's status" test $? = 9
tracy t4 'echo "a;b" >told; exit 3'
check "tracy: a shell line" test $? = 3
check "tracy: as it is" test "$(cat told)" = 'a;b'
tracy t5 --no-device -t 8497 --sync-host-device --op-support-count 1333 --no-op-info-cache --dump-device-data-mid-run env
check "tracy: variables" test "$(grep -cE '^(TRACY_PORT=8497|TT_METAL_PROFILER_SYNC=1|TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=1333|TT_METAL_PROFILER_NO_CACHE_OP_INFO=1|TT_METAL_PROFILER_MID_RUN_DUMP=1)$' tracy.out)" = 5
check "tracy: no device" lacks "$(cat tracy.out)" '^TT_METAL_DEVICE_PROFILER='
tracy t6 --no-capture-tool env
check "tracy --no-capture-tool" lacks "$(cat tracy.out)" '^TRACY_'
tracy t7 --dump-device-data-mid-run --device-trace-profiler touch ran
check "tracy: what the original refuses" test $? = 125
check "tracy: before the run" test ! -e ran
tracy t1 --process-logs-only
check "tracy --process-logs-only" test $? = 0
check "tracy --process-logs-only: a further report" test "$(find t1/reports -name 'ops_perf*' | wc -l)" = 2
mkdir torch && cd torch || exit 2
timeout 30 "$bin/tt_profile" "$workload --ops 60 --devices 2 --replays 3; exit 5" >profile.out 2>profile.err
check "tt_profile: the command's status" test $? = 5
check "tt_profile: the report" test -s results/perf/device_ops_perf_trace.csv
check "tt_profile: columns" contains "$(head -n 1 results/perf/device_ops_perf_trace.csv)" ',LOC,CONST_EVAL_OP,.*PROGRAM_METADATA.?$'
check "tt_profile: as many ops" test "$(wc -l <results/perf/device_ops_perf_trace.csv)" = \
    "$(wc -l <../own/ops/ops_perf_results.csv)"
timeout 30 "$bin/tt_profile" -o other.csv -p 8496 \
    'test $TRACY_PORT = 8496 && test $TT_METAL_CLEAR_L1 = 1 && '"$workload --ops 40" >/dev/null 2>&1
check "tt_profile -p, -o" test $? = 0
check "tt_profile -o: the report" test -s results/perf/other.csv
timeout 30 "$bin/tt_profile" -o none.csv true >/dev/null 2>profile.err
check "tt_profile: nothing captured" test $? = 1
check "tt_profile: nothing captured, reports it" contains "$(cat profile.err)" 'nothing was captured'
"$bin/tt_profile" >profile.out 2>profile.err
check "tt_profile: usage" test $? = 2
check "tt_profile: usage" contains "$(cat profile.err)" '^usage: tt_profile \[-h\] \[-o OUTPUT_PATH\] \[-p PORT\] test_command$'
cd ..

# logs that cannot be written: the recording is there, and the message says how to continue
record blocked -- sh -c '"$0" --ops 40; cd "$TT_METAL_PROFILER_DIR/.logs" && mkdir tracy_ops_data.csv' "$workload"
check "logs that cannot be written: our failure" test $? = 125
check "logs that cannot be written: named" contains "$(cat blocked.err)" 'tracy_ops_data.csv'
check "logs that cannot be written: how to go on" contains "$(cat blocked.err)" \
    "^hint: the recording is kept; continue with 'tt-perf record --from .*/capture_1.ttcap'"
rmdir blocked/.logs/tracy_ops_data.csv
timeout 60 "$program" record -q --from "$(sed -n "s/.*--from \([^']*\)'.*/\1/p" blocked.err)" >from.out 2>&1
check "logs that cannot be written: going on" test "$(messages_of blocked)" = "$(messages_of own0)"

# a full disk: what was written stays, the workload is not held up
if command -v prlimit >/dev/null; then
    rm -rf full started
    "$program" record -o full -- "$workload" --ops 400 --seconds 3 --started started >full.out 2>full.err &
    pid=$!
    await started
    prlimit --fsize=40000 --pid $pid
    wait $pid
    check "full disk: our failure" test $? = 125
    check "full disk: reports it" contains "$(cat full.err)" 'capture file is incomplete'
    timeout 20 "$program" record --from full/.logs/capture_1.ttcap -q >from.out 2>&1
    check "full disk: what was written is used" test "$(messages_of full)" -gt 5
fi

# Processes one after the other in one folder: each has its own logs, and together they are one run.
"$program" record -q --no-report -o looped -- sh -c "for i in 1 2 3; do '$bin/synth_workload' --model matmul --ops \$((4 + i)); done" ||
    complain "a loop: exit status $?"
check "a loop of three leaves three ranks" test "$(echo looped/rank*/.logs/profile_log_device.csv | wc -w)" = 3
"$program" report -q --no-summary --no-advice looped --no-merge-devices >looped.txt || complain "the report of a loop"
grep -q '18 device ops' looped.txt || complain "ops of a loop are lost: $(tail -n 1 looped.txt)"
ln -sf "$program" tt_profile
./tt_profile -o all.csv "for i in 1 2 3; do '$bin/synth_workload' --model matmul --ops \$((4 + i)); done" >/dev/null 2>&1
check "tt_profile keeps the ops of all" test "$(grep -c '^Matmul' results/perf/all.csv)" = 18

exit $failed
