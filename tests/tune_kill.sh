#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tune_kill.sh BIN_DIR SOURCE_DIR - `tt-perf tune` is killed at every one of its steps (also in the middle
# of a record), and the next command continues: the same end as without, nothing of the user's lost.
# shellcheck disable=SC2119,SC2317  # functions that are called by name, or with no options
set -u
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"

copy() { # from, to
    rm -rf "${scratch:?}/$2" && cp -a "$scratch/$1" "$scratch/$2" && cd "$scratch/$2" || exit 2
}
killed() { # step, command of tune ...
    local step=$1
    shift
    { TT_PERF_TUNE_DIE_AT_STEP=$step "$program" tune "$@"; } >"$out/killed.txt" 2>"$out/killed.err"
    [ $? -eq 137 ]
}
# Until a change is decided: what a user would do after each kill.
go_on() { # the command of tune
    "$program" tune status >/dev/null 2>"$out/status.err" || return 1
    [ "$(events decision)" = "$decided" ] && return 0
    "$program" tune "$@" --no-guard -q >"$out/again.txt" 2>"$out/again.err"
    [ "$(events decision)" = "$decided" ]
}
whole() { # the ledger has no gap, and the repository none either
    "$program" tune status >/dev/null && git fsck --connectivity-only --no-progress --no-dangling >/dev/null
}
user_things() {
    cat notes untracked
    git diff --cached
    git rev-parse HEAD
    git symbolic-ref HEAD
    git stash list
}

# init: nothing is there, or all of it
make_repo "$scratch/begin"
echo mine >untracked
echo mine >>notes && git add notes
for step in $(seq 40); do
    copy begin work
    before=$(user_things)
    { TT_PERF_TUNE_DIE_AT_STEP=$step init; } >"$out/killed.txt" 2>&1
    [ $? -eq 137 ] || break
    "$program" tune status >/dev/null 2>&1 ||
        check "init killed at step $step: init again" init -o "$out/init.txt"
    check "init killed at step $step: whole" whole
    check "init killed at step $step: the user's work" test "$before" = "$(user_things)"
done
check "init has steps" test "$step" -gt 8
check "and an end" test "$step" -lt 40

# Each case: what to do before, the command, what must be true at the end.
copy begin ready
init >/dev/null

run_case() { # name, new speed or "", outcome, speed at the end, words of tune ...
    local name=$1 edit=$2 outcome=$3 final=$4
    shift 4
    decided=1
    for step in $(seq 60); do
        copy ready work
        [ -z "$edit" ] || echo "$edit" >speed
        local before
        before=$(user_things)
        killed "$step" "$@" --no-guard -q || break
        check "$name killed at step $step: goes on" go_on "$@"
        check "$name killed at step $step: decided once" test "$(events decision)" = 1
        check "$name killed at step $step: outcome" grep -q "\"outcome\":\"$outcome\".*\"crc\"" "$ledger"
        check "$name killed at step $step: working tree" test "$(cat speed)" = "$final"
        check "$name killed at step $step: the user's work" test "$before" = "$(user_things)"
    done
    check "$name: whole" whole
    check "$name has steps" test "$step" -gt 10
    check "$name has an end" test "$step" -lt 60
}
run_case "kept edit" 400 kept 400 try "kept edit"
run_case "reverted edit" 600 reverted 500 try "reverted edit"
check "a reverted edit is not lost" test "$(git show "$(state_ref tune-1):speed")" = 600
printf -- '--- a/speed\n+++ b/speed\n@@ -1 +1 @@\n-500\n+300\n' >"$scratch/good.patch"
run_case "kept patch" "" kept 300 try "kept patch" --patch "$scratch/good.patch"
run_case "sweep" "" kept 500 sweep "sweep" --set LESS=0,100

# undo: the change is taken back once
copy ready kept
attempt "kept patch" --patch "$scratch/good.patch"
for step in $(seq 40); do
    copy kept work
    killed "$step" undo || break
    "$program" tune status >/dev/null 2>&1
    [ "$(events undo)" = 1 ] || "$program" tune undo >/dev/null
    check "undo killed at step $step: once" test "$(events undo)" = 1
    check "undo killed at step $step: working tree" test "$(cat speed)" = 500
done
check "undo has steps" test "$step" -gt 5

# A kill from outside, at any moment.
copy ready work
echo 400 >speed
for pause in 0.02 0.05 0.1 0.15 0.2; do
    "$program" tune try "outside" --no-guard -q >/dev/null 2>&1 &
    pid=$!
    sleep $pause
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
done
decided=1
check "killed from outside: goes on" go_on try "outside"
check "killed from outside: kept" grep -q '"outcome":"kept"' $ledger
check "killed from outside: whole" whole

exit $failed
