#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# top_attach.sh BIN_DIR SOURCE_DIR - `tt-perf top --attach` against a client that tells of programs on two chips, each
# of them busy at most half of the time.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs lz4
cd "$scratch" || exit 2
export TT_METAL_PROFILER_DIR=$scratch

# client PORT MS - begins it; its process is $pid
client()
{
    TRACY_PORT=$1 "$bin/synth_workload" --ops 10 --devices 2 --programs "$2" --wait 30000 2>client.err &
    pid=$!
    for _ in $(seq 100); do
        grep -q "$(printf ':%04X .* 0A' "$1")" /proc/net/tcp /proc/net/tcp6 2>/dev/null && break
        sleep 0.1
    done
}

client 8471 20000
"$program" top --once --attach $pid >out 2>err
check "without --yes it is refused" test $? -eq 2
check "and the reason is told" grep -q 'uses the one connection' err
timeout 60 "$program" top --attach $pid --yes --format ndjson --interval 1 --count 3 >out 2>err
check "attached: status" test $? -eq 0
tail -n 1 out >last
check "both chips are told" jq -e '[.data.busy[].chip] == [0, 1]' last
# a busy machine sends fewer records than it should, and never more
check "busy as the records say" jq -e '.data.busy | all(.busy_percent > 1 and .busy_percent < 75)' last
check "programs are named by their kernels" jq -e '.data.busy[0].ops[0].name == "operations/matmul"' last
check "shares add up" jq -e '.data.busy[0].ops | map(.share_percent) | add | . > 99.9 and . < 100.1' last
timeout 60 "$program" top --once --attach $pid --yes >out 2>err
check "a second time there is no client: status 4" test $? -eq 4
wait $pid
check "the process goes on, and nothing was asked that may not be" test $? -eq 0

client 8472 1000
timeout 60 "$program" top --attach $pid --yes --format ndjson --count 60 >out 2>err
check "a process that ends: status 4" test $? -eq 4
check "what was seen until then is there" test "$(grep -c '"busy":' out)" -ge 1
wait $pid

"$program" top --once --attach $$ --yes >out 2>err
check "no client: status 4" test $? -eq 4
check "no client: reports it" grep -q 'has no Tracy port' err
"$program" top --once --yes >out 2>err
check "--yes alone is refused" test $? -eq 2
"$program" top --once --attach 1 --yes --root . >out 2>err
check "not on another machine's files" test $? -eq 2
finish
