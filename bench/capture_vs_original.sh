#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# capture_vs_original.sh [--vs ORIGINAL]... - a stream of OPS (6000) ops with eleven zones each, as a client sent it, to both
# CSVs: `tt-perf record --from`, and with the folder of Tracy's stock tools (protocol 66) their capture and the two
# runs of csvexport that tt-metal makes of it. One JSON line with processor seconds, medians of ROUNDS (3) taken turn
# by turn, and whether the messages are the same. Without the tools there is only our own time. Needs build/release.
set -u
rounds=${ROUNDS:-3}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed synth_workload
cd "$scratch" || exit 2
"$bin/tt-perf" record -q --raw --zones all --no-report -o raw -- "$bin/synth_workload" --dialect 66 --ops "${OPS:-6000}" ||
    exit 2
stream=raw/.logs/capture_1.ttcap
rm -f raw/.logs/profile_log_device.csv # large, and not part of it
csvexport=$tracy_original/csvexport-release
if [ -n "$tracy_original" ] && ! [ -x "$tracy_original/capture-release" ]; then
    echo "SKIPPED: capture_vs_original: no capture-release in $tracy_original, so only our own numbers" >&2
    tracy_original=
fi
if [ -n "$tracy_original" ]; then
    cat >tool <<END
#!/bin/sh
exec "$bin/timed" "$tracy_original/capture-release" "\$@" >>"$scratch/capture"
END
    chmod +x tool
fi

: >ours
: >theirs
round=0
while [ "$round" -lt "$rounds" ]; do
    rm -rf own theirs.tracy capture
    "$bin/timed" "$bin/tt-perf" record -q --from "$stream" --zones all --no-report -o own >>ours
    if [ -n "$tracy_original" ]; then
        timeout 300 "$bin/tt-perf" export tracy "$stream" -q -o theirs.tracy --capture-tool ./tool >/dev/null || die "capture-release failed"
        "$bin/timed" "$csvexport" -u -p TT_ -x CompileProgram,HWCommandQueue_write_buffer theirs.tracy >zones.time
        "$bin/timed" "$csvexport" -m -s ';' theirs.tracy >messages.time
        cat capture zones.time messages.time | awk '{ cpu += $4; if ($2 > kb) kb = $2 } END { print cpu, kb }' >>theirs
    fi
    round=$((round + 1))
done
zones=$(($(wc -l <own/.logs/tracy_ops_times.csv) - 1))
cpu=$(median ours 4) kb=$(median ours 2)
if [ -n "$tracy_original" ]; then
    "$csvexport" -m -s ';' theirs.tracy >messages.csv
    same=false
    cmp -s messages.csv own/.logs/tracy_ops_data.csv && same=true
    awk -v zones="$zones" -v cpu="$cpu" -v kb="$kb" -v ocpu="$(median theirs 1)" -v okb="$(median theirs 2)" -v same="$same" 'BEGIN {
        printf "{\"bench\":\"capture_vs_original\",\"zones\":%d,\"cpu_s\":%.3f,\"kb\":%d,", zones, cpu, kb
        printf "\"original_cpu_s\":%.3f,\"original_kb\":%d,\"ratio\":%.1f,", ocpu, okb, ocpu / cpu
        printf "\"same_messages\":%s}\n", same }'
    [ "$same" = true ] || status=1
else
    echo "{\"bench\":\"capture_vs_original\",\"zones\":$zones,\"cpu_s\":$cpu,\"kb\":$kb}"
fi
exit "$status"
