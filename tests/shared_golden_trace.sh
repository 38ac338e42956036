#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_trace.sh BIN_DIR SOURCE_DIR - `tt-perf trace --compat --format chrome-json` against what
# TT-Lang's Perfetto server gives out, kept in ../shared/golden/kernel; and every device log and ops folder
# there as a Perfetto trace that our decoder finds nothing wrong with. Exits 77 where it is not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
[ -d "$shared/golden/kernel" ] || skip "no $shared/golden/kernel"
shared=$(cd "$shared" && pwd)
traced=0

for want in "$shared"/golden/kernel/out/trace_*.json; do
    case=${want##*/trace_}
    case=${case%.json}
    "$bin/tt-perf" trace "$shared/golden/kernel/inputs/$case" --compat --format chrome-json -o "$scratch/got" &&
        cmp "$scratch/got" "$want" || failed=1
done
"$bin/tt-perf" trace /nonexistent/x.csv --compat --format chrome-json -o "$scratch/none" >"$scratch/said" 2>&1
echo "exit $?" >>"$scratch/said"
diff "$scratch/said" "$shared/golden/kernel/out/serve_nofile.txt" || failed=1

for dir in "$shared"/golden/kernel/inputs/* "$shared"/golden/ops/*; do
    [ -e "$dir/profile_log_device.csv" ] || [ -e "$dir/.logs/profile_log_device.csv" ] ||
        [ -e "$dir/.logs/cpp_device_perf_report.csv" ] || continue
    "$bin/tt-perf" trace "$dir" -q -o "$scratch/out.pftrace" 2>"$scratch/err"
    status=$?
    case $status in
    0)
        "$bin/trace_dump" --counts "$scratch/out.pftrace" >"$scratch/dump" || { echo "$dir: $(cat "$scratch/dump")"; failed=1; }
        traced=$((traced + 1))
        ;;
    3) ;; # refused: a log without what a trace needs
    *)
        echo "$dir: exit $status: $(cat "$scratch/err")"
        failed=1
        ;;
    esac
done
echo "$traced folders traced"
[ "$traced" -gt 10 ] || failed=1
exit $failed
