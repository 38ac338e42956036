#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tracy_writer.sh BIN_DIR SOURCE_DIR - .tracy files that tt-perf writes: every recording of the tests gives the same CSVs
# from its .tracy file as from itself, and those of Tracy's own tools are the same as well.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
workload=$bin/synth_workload
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TT_METAL_RUNTIME_ROOT TRACY_PORT TRACY_NO_EXIT TTNN_OP_PROFILER
export NO_COLOR=1 COLUMNS=100
cd "$scratch" || exit 2
needs lz4
ln -s "$program" tracy-csvexport

# same RECORDING WHAT - its .tracy files of both versions read as it does
same()
{
    local version
    rm -rf want got
    "$program" export csv --all-zones "$1" -o want >/dev/null 2>dropped || { complain "$2: cannot be read"; return; }
    for version in auto 0.10 0.13; do
        check "$2, $version: status" "$program" export tracy "$1" -o same.tracy --tracy-version "$version" >said 2>warned
        check "$2, $version: says where" test "$(cat said)" = same.tracy
        "$program" export csv -q --all-zones same.tracy -o got >/dev/null
        check "$2, $version: messages" cmp want/tracy_ops_data.csv got/tracy_ops_data.csv
        grep -q 'times up to 39 hours' warned && continue
        # zones that were dropped on arrival are in the stream, so there may be more
        for csv in zones tracy_ops_times; do
            check "$2, $version: $csv.csv" test -z "$(comm -23 <(sort "want/$csv.csv") <(sort "got/$csv.csv"))"
            [ "$csv" != zones ] || grep -q 'dropped on arrival' dropped ||
                check "$2, $version: no more zones" cmp <(sort want/zones.csv) <(sort got/zones.csv)
        done
    done
}

# every recording that a test has
count=0
while read -r recording; do
    same "$recording" "${recording#"$source"/tests/}"
    count=$((count + 1))
done < <(find "$source/tests/golden" "$source/fuzz/corpus/wire_recording" "$source/fuzz/corpus/capture_file" -type f \
    \( -name '*.ttcap' -o -name '*.wire' -o -name 'run.bin' -o -path '*/wire_recording/*' -o -path '*/capture_file/*' \) |
    while read -r file; do
        "$program" export csv -q "$file" -o probe >/dev/null 2>&1 && echo "$file"
    done)
check "there are recordings ($count)" test "$count" -ge 6

# what a stream has and the file does not is counted
"$program" export tracy "$source/tests/golden/mem_recording/run.wire" -o locks.tracy >/dev/null 2>said
check "lock events that are not written" grep -q 'no call stacks (0 in the stream).*lock events (2)' said

# Tracy's own recording of a run and its own file of it: ours of the first has what theirs has
if command -v zstd >/dev/null && command -v tar >/dev/null; then
    mkdir originals
    zstd -dcq "$source/tests/originals/capture.tar.zst" | tar -x -C originals
    pairs=0
    while read -r wire; do
        theirs=$(dirname -- "$wire")/golden.tracy
        [ -f "$theirs" ] || continue
        pairs=$((pairs + 1))
        same "$wire" "${wire#originals/}"
        "$program" export tracy -q "$wire" -o ours.tracy >/dev/null
        for table in -u -m -g -p ''; do
            # shellcheck disable=SC2086 # no word without an option
            check "Tracy's own, csvexport $table" cmp <(./tracy-csvexport $table "$theirs" | sort) <(./tracy-csvexport $table ours.tracy | sort)
        done
    done < <(find originals -name 'wire_client_to_server.bin')
    check "there are files of Tracy's own" test "$pairs" -ge 1
fi

# live: with the stream, without it, and by record itself
for dialect in 66 78; do
    rm -rf raw plain gui
    "$program" record -q --raw --no-report -o raw -- "$workload" --dialect $dialect --ops 40 --devices 2
    "$program" record -q --no-report -o plain -- "$workload" --dialect $dialect --ops 40 --devices 2
    "$program" record -q --tracy-file --no-report -o gui -- "$workload" --dialect $dialect --ops 40 --devices 2
    said=$("$program" export tracy -v raw/.logs/capture_1.ttcap 2>&1)
    check "$dialect, stream: next to the recording" test -s raw/.logs/capture_1.tracy
    check "$dialect, stream: nothing is missing" lacks "$said" 'does not contain the raw stream|warning'
    said=$("$program" export tracy -v plain/.logs/capture_1.ttcap 2>&1)
    check "$dialect, no stream: status" test -s plain/.logs/capture_1.tracy
    check "$dialect, no stream: says what is missing" contains "$said" 'does not contain the raw stream: no device zones'
    for from in raw/.logs/capture_1 plain/.logs/capture_1 gui/.logs/tracy_profile_log_host; do
        rm -rf want got
        "$program" export csv -q "${from%/*}/capture_1.ttcap" -o want >/dev/null 2>&1
        "$program" export csv -q "$from.tracy" -o got >/dev/null
        check "$dialect, $from: messages" cmp want/tracy_ops_data.csv got/tracy_ops_data.csv
        # with the stream there are zones that were dropped on arrival; those of ops are the same
        check "$dialect, $from: ops" cmp <(grep TT_DNN want/tracy_ops_times.csv | sort) <(grep TT_DNN got/tracy_ops_times.csv | sort)
    done
done

# an existing file stays until the new file is complete
echo old >kept.tracy
"$program" export tracy -q "$source/tests/golden/export_tracy/cmd" -o kept.tracy 2>/dev/null
check "no recording: status" test $? = 3
check "no recording: the old file stays" test "$(cat kept.tracy)" = old
check "no recording: nothing is left" test -z "$(compgen -G 'kept.tracy?*')"

exit $failed
