#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_capture.sh BIN_DIR SOURCE_DIR - recordings of real Tracy clients, kept in
# ../shared/golden/capture, against what Tracy's own csvexport wrote of the same sessions. Exits 77
# (skipped) where that folder is not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
golden=$shared/golden/capture
needs lz4 zstd
[ -d "$golden" ] || skip "no $golden"

# same WHAT GOT WANTED [sorted]
same()
{
    if [ "${4:-}" = sorted ]; then
        LC_ALL=C sort "$2" >"$scratch/got" && LC_ALL=C sort "$3" >"$scratch/wanted"
    else
        cp "$2" "$scratch/got" && cp "$3" "$scratch/wanted"
    fi
    if ! cmp "$scratch/got" "$scratch/wanted"; then
        echo "$1 differs" >&2
        diff "$scratch/got" "$scratch/wanted" | head -5 >&2
        failed=1
    fi
}

for file in wire_client_to_server.bin golden.tracy; do
    "$bin/tt-perf" export csv "$golden/$file" --compat -o "$scratch/fork" >/dev/null || failed=1
    same "fork: messages of $file" "$scratch/fork/tracy_ops_data.csv" "$golden/tracy_ops_data.csv"
    same "fork: zones of $file" "$scratch/fork/tracy_ops_times.csv" "$golden/tracy_ops_times.csv" sorted
    "$bin/csvexport-release" "$golden/$file" >"$scratch/stats.csv" || failed=1
    same "fork: statistics of $file" "$scratch/stats.csv" "$golden/zone_stats.csv" sorted
    "$bin/csvexport-release" -u -p TT_ -x CompileProgram,HWCommandQueue_write_buffer \
        "$golden/$file" >"$scratch/times.csv" || failed=1
    same "fork: csvexport -u of $file" "$scratch/times.csv" "$golden/tracy_ops_times.csv" sorted

    up=$golden/upstream78
    "$bin/tt-perf" export csv "$up/$file" --compat --all-zones -o "$scratch/up" >/dev/null || failed=1
    same "upstream: messages of $file" "$scratch/up/tracy_ops_data.csv" "$up/tracy_ops_data.csv"
    same "upstream: zones of $file" "$scratch/up/zones.csv" "$up/zones.csv" sorted
done
exit $failed
