#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compare.sh FOLDER VERSION... - the report of a folder's logs in the columns of each age is that of today,
# but for sub-devices and, where the log has no clock, times.
logs=$1
shift
tt-perf ops "$logs" -q -o today >/dev/null || exit
columns() { cut -d, -f1-4,6-9,11-16 "$1/ops_perf_results.csv"; }
columns today >today.txt
columns today | cut -d, -f1-4,8,11-14
for v; do
    mkdir "$v"
    awk -v v="$v" -f convert.awk "$logs/profile_log_device.csv" >"$v/profile_log_device.csv"
    cp "$logs"/tracy* "$v"
    tt-perf ops "$v" -q --strict -o "$v/out" >/dev/null || echo "exit $?"
    columns "$v/out" >then.txt
    echo "$v: $(sed -n '$p' "$v/profile_log_device.csv" | tr , '\n' | wc -l) columns," \
        "version$(tt-perf info "$v/profile_log_device.csv" | sed -n 's/ *version *//p' | sed 's/^/ /')," \
        "$(diff today.txt then.txt | grep -c '^>') rows differ," \
        "$(sed -n '$p' "$v/out/ops_perf_results.csv" | cut -d, -f5,20)"
    rm -r "$v"
done
