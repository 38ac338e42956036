#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh BIN_DIR SOURCE_DIR - `tt-perf bench` in what golden cases cannot hold: signals, files, boards,
# real time, other people's files.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2

# Ctrl-C: what was measured so far is shown and saved, the command's whole group ends.
"$program" bench --no-guard --runs 1000 --warmup 0 -o int.json -- sh -c 'sleep 0.1 & wait' >int.txt 2>int.err &
pid=$!
for _ in $(seq 100); do
    sleep 0.1
    [ "$(ps -o etimes= -p $pid | tr -d ' ')" -ge 2 ] && break
done
kill -INT $pid
wait $pid
check "interrupted has status 130" test $? -eq 130
check "interrupted shows what there is" grep -q 'stopped: interrupted' int.txt
check "interrupted has a median" grep -q 'median' int.txt
check "interrupted saves what there is" grep -q '"interrupted_by":2,' int.json

# A second process in the group does not outlive a timeout.
"$program" bench --no-guard --timeout 0.3 -- sh -c 'sleep 77.125 & sleep 77.125' 2>time.err
check "timeout has status 6" test $? -eq 6
sleep 0.2
check "timeout leaves nothing behind" test -z "$(pgrep -f '^sleep 77.125')"

# The file is checked before anything runs, and an old one stays when a run fails.
"$program" bench --no-guard -o nosuch/x.json -- touch ran 2>out.err
check "a bad file name is status 5" test $? -eq 5
check "and nothing was run" test ! -e ran
echo old >kept.json
"$program" bench --no-guard -o kept.json -- false 2>out.err
check "a failed run keeps the old file" test "$(cat kept.json)" = old
"$program" bench --no-guard --runs 2 -o - -- true >stdout.json
check "-o - is JSON on standard output" grep -q '^{"schema":"tt-perf.bench/2"' stdout.json

# Real time: a command that takes twice as long is slower, one that is the same never is faster.
"$program" bench --no-guard --min-runs 6 --compare 'sleep 0.02' -- sleep 0.2 >time.txt
check "slower is found" grep -q '^B is slower than A' time.txt
"$program" bench --no-guard --runs 5 --check --metric '([0-9]+)' --compare 'echo 2' -- echo 3 >time.txt
check "--check makes it a finding" test $? -eq 1

# Variants change the environment, prepare runs each time, and neither is timed with the other.
# shellcheck disable=SC2016  # the command's own shell expands it
"$program" bench --no-guard --runs 5 --warmup 0 --prepare 'sh -c "echo x >>prepared"' --metric '([0-9]+)' \
    --variant small=N=10 --variant large=N=20 -- sh -c 'echo $N' >variant.txt
check "variants differ" grep -q '^B is worse than A: +100 %' variant.txt
check "prepare ran before each" test "$(wc -l <prepared)" -eq 10

# Device time comes from a recording of each run; here the command writes the logs of a synthetic one.
if part lz4; then
    # shellcheck disable=SC2016  # the command's own shell expands it
    "$program" bench --no-guard --runs 2 --warmup 0 --metric device-time -o device.json -- \
        sh -c '"$0" synth --ops 20 -o "$TT_METAL_PROFILER_DIR" >device.log 2>&1' "$program" >device.txt
    check "device time is measured" grep -Eq 'median +[0-9.]+ (ms|μs)' device.txt
    check "device time is of that kind" grep -q '"kind":"device"' device.json
    "$program" bench --no-guard --metric device-time -- true 2>device.err
    check "no ops, no device time" test $? -eq 125
fi

# Boards: a tree of a machine with a board; its clock, and what is wrong with it.
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" root || failed=1
"$program" bench --root root --runs 2 -o board.json -- true >board.txt
check "the board is in the fingerprint" grep -q '"arch":"wormhole"' board.json
check "its clock is in the trials" grep -Eq '"aiclk_max_mhz":[0-9]+' board.json
printf '90.00 90.00 90.00 9/99 999\n' >root/proc/loadavg
"$program" bench --root root --runs 2 -- true >board.txt
check "a loaded machine taints" grep -q '^tainted: 2 of 2 runs' board.txt
"$program" bench --root root --runs 2 --strict -- touch strict 2>strict.err
check "--strict refuses with status 4" test $? -eq 4
check "--strict says why" grep -q 'a run may be disturbed: load 90' strict.err
finish
