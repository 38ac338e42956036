#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_capture.sh BIN_DIR SOURCE_DIR - recordings of real Tracy clients, kept in
# ../shared/golden/capture, against what Tracy's own csvexport wrote of the same sessions. Exits 77
# (skipped) where that folder is not there.
set -u
bin=$1
golden=${TTP_SHARED:-$2/../shared}/golden/capture
[ -d "$golden" ] || { echo "no $golden: skipped"; exit 77; }

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# same WHAT GOT WANTED [sorted]
same()
{
    if [ "${4:-}" = sorted ]; then
        LC_ALL=C sort "$2" >"$work/got" && LC_ALL=C sort "$3" >"$work/wanted"
    else
        cp "$2" "$work/got" && cp "$3" "$work/wanted"
    fi
    if ! cmp "$work/got" "$work/wanted"; then
        echo "$1 differs" >&2
        diff "$work/got" "$work/wanted" | head -5 >&2
        failed=1
    fi
}

for file in wire_client_to_server.bin golden.tracy; do
    "$bin/tt-perf" export csv "$golden/$file" --compat -o "$work/fork" >/dev/null || failed=1
    same "fork: messages of $file" "$work/fork/tracy_ops_data.csv" "$golden/tracy_ops_data.csv"
    same "fork: zones of $file" "$work/fork/tracy_ops_times.csv" "$golden/tracy_ops_times.csv" sorted
    "$bin/csvexport-release" "$golden/$file" >"$work/stats.csv" || failed=1
    same "fork: statistics of $file" "$work/stats.csv" "$golden/zone_stats.csv" sorted
    "$bin/csvexport-release" -u -p TT_ -x CompileProgram,HWCommandQueue_write_buffer \
        "$golden/$file" >"$work/times.csv" || failed=1
    same "fork: csvexport -u of $file" "$work/times.csv" "$golden/tracy_ops_times.csv" sorted

    up=$golden/upstream78
    "$bin/tt-perf" export csv "$up/$file" --compat --all-zones -o "$work/up" >/dev/null || failed=1
    same "upstream: messages of $file" "$work/up/tracy_ops_data.csv" "$up/tracy_ops_data.csv"
    same "upstream: zones of $file" "$work/up/zones.csv" "$up/zones.csv" sorted
done
exit $failed
