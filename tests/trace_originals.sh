#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace_originals.sh BIN_DIR SOURCE_DIR - writes every device log and run folder of the recordings in tests/originals as
# a Perfetto trace, which our decoder must accept.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
traced=0
for archive in kernel ops; do
    originals "$archive"
    for dir in "$folder"/inputs/*; do
        [ -e "$dir/profile_log_device.csv" ] || [ -e "$dir/.logs/profile_log_device.csv" ] ||
            [ -e "$dir/.logs/cpp_device_perf_report.csv" ] || continue
        "$program" trace "$dir" -q -o "$scratch/out.pftrace" 2>"$scratch/err"
        status=$?
        case $status in
        0)
            "$bin/trace_dump" --counts "$scratch/out.pftrace" >"$scratch/dump" ||
                complain "${dir##*/}: $(cat "$scratch/dump")"
            traced=$((traced + 1))
            ;;
        3) ;; # refused: a log without what a trace needs
        *) complain "${dir##*/}: exit status $status: $(cat "$scratch/err")" ;;
        esac
    done
done
echo "$traced folders traced"
[ "$traced" -gt 10 ] || complain "only $traced folders were traced"
exit $failed
