#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# receiver_hostile.sh BIN_DIR SOURCE_DIR - record among others on the machine who announce what they like, and with
# clients that send more than is kept. On loopback only.
# shellcheck disable=SC2016 # what is in single quotes is for the command
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
workload=$bin/synth_workload
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT TRACY_NO_EXIT TTNN_OP_PROFILER
export NO_COLOR=1 COLUMNS=100
cd "$scratch" || exit 2
needs lz4

now() { echo $(($(date +%s%N) / 1000000)); }
record() { # folder, options ...: how long it took is in took_ms
    local start status
    start=$(now)
    timeout -k 5 60 "$program" record -o "$@" >"$1.out" 2>"$1.err"
    status=$?
    took_ms=$(($(now) - start))
    return $status
}
messages_of() { grep -c 'TT_DNN_.*OP' "$1/.logs/tracy_ops_data.csv"; }
await() { # file
    for _ in {1..200}; do
        test -e "$1" && return
        sleep 0.05
    done
    complain "no $1"
}

# a flood of announcements: the command, its client and signals are served all the same
flood=()
for _ in 1 2; do
    "$workload" --flood 60000 &
    flood+=($!)
done
record flood -q --no-report -- sleep 2
check "flood: status" test $? = 0
check "flood: in time ($took_ms ms)" test $took_ms -lt 4000
record received -q -- "$workload" --ops 40
check "flood: a client is received" test "$(messages_of received)" -gt 20
"$program" record -q -o term --no-report -- sh -c 'touch started; exec sleep 30' >/dev/null 2>&1 &
pid=$!
await started
start=$(now)
kill -TERM $pid
wait $pid
check "flood: SIGTERM is passed on" test $? = 143
took_ms=$(($(now) - start))
check "flood: at once ($took_ms ms)" test $took_ms -lt 2000
kill "${flood[@]}"
wait 2>/dev/null

# a client that is not of the command's family, and says it is
record forged -- sh -c 'echo $$ >victim; sleep 2.5' &
run=$!
await victim
env TTNN_OP_PROFILER=1 TRACY_PORT=8451 TT_METAL_PROFILER_DIR="$scratch/forger" timeout 20 "$workload" --ops 40 \
    --claim "$(cat victim)" --wait 4000 --chatty >/dev/null 2>forger.err &
wait $run
check "forged: nothing is received" contains "$(cat forged.err)" 'no ops were captured'
check "forged: why" contains "$(cat forged.err)" \
    'ignored the client on port [0-9]+, of user [0-9]+: it is not a process of the command; .* give -p [0-9]+'
check "forged: no file of it" test -z "$(compgen -G 'forged/.logs/capture_*')"
wait
check "forged: never connected" contains "$(cat forger.err)" 'no server'

# the same one where its port was given: it is received, and told on whose word
(sleep 0.7 && env TTNN_OP_PROFILER=1 TRACY_PORT=8452 TT_METAL_PROFILER_DIR="$scratch/given" timeout 20 "$workload" --ops 40 \
    --wait 4000 >/dev/null 2>&1) &
record given -p 8452 --no-report -- sleep 2.5
check "given: status" test $? = 0
check "given: received" test "$(messages_of given 2>/dev/null || messages_of "$scratch/given")" -gt 20
check "given: says what is trusted" contains "$(cat given.err)" \
    'the client on port 8452, process [0-9]+ \(.*\) of user [0-9]+, is not a process of the command; its data is used'
wait
record own -p 8453 --no-report -- "$workload" --ops 40
check "the command's own: nothing to say" lacks "$(cat own.err)" 'trusted'

# a client of the family that is another user's, or a daemon
if test "$(id -u)" = 0 && command -v setpriv >/dev/null && chmod 755 "$scratch" &&
    setpriv --reuid=65534 test -x "$workload" 2>/dev/null; then
    mkdir other_user && chmod 777 other_user
    record other -q --no-report -- env TT_METAL_PROFILER_DIR="$scratch/other_user" \
        setpriv --reuid=65534 --clear-groups "$workload" --ops 40
    check "another user's, of the family: received" test "$(messages_of other_user)" -gt 20
fi
record daemon -q --no-report -- sh -c 'setsid "$0" --ops 40 --started up & until test -e up; do sleep 0.05; done' "$workload"
check "a daemon: received" test "$(messages_of daemon)" -gt 20

# deeper zones than are kept: told, and the rest is there
record deep -- "$workload" --ops 40 --deep 70000
check "deep: status" test $? = 125
check "deep: in time ($took_ms ms)" test $took_ms -lt 15000
check "deep: told" contains "$(cat deep.err)" 'sent more than the limit: zones nested more than 65,536 deep'
check "deep: what is kept" test "$(messages_of deep)" -gt 20

exit $failed
