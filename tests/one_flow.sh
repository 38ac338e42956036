#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one_flow.sh BIN_DIR SOURCE_DIR - operations reach a report on two ways: from logs straight through the join, and from
# the CSV that `ops` writes of the same logs. Over every folder of logs below tests/ both give the same report, but for
# the name of the input and what only the logs can tell (problems of the join, markers per op).
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
command -v zstd >/dev/null || skip "no zstd"
cd "$scratch" || exit 2
for archive in ops ops_synth kernel capture; do
    mkdir -p "originals/$archive"
    zstd -dcq --long=27 "$source/tests/originals/$archive.tar.zst" | tar -x -C "originals/$archive" || exit 2
done
ln -s "$source/tests/golden" golden
find golden/ originals/ \( -name 'profile_log_device*.csv*' -o -name 'cpp_device_perf_report.csv*' -o -name 'tracy_ops_data.csv*' \) \
    -exec dirname {} \; | LC_ALL=C sort -u >folders

# both WHAT ARGUMENT... - the report of either, without the name of its input
both()
{
    what=$1
    shift
    "$program" report "$@" run_logs >logs.out 2>logs.err
    logs=$?
    "$program" report "$@" ops_.csv >csv.out 2>csv.err
    csv=$?
    for out in logs.out csv.out; do
        sed -i -e 's/run_logs/INPUT/g; s/ops_\.csv/INPUT/g; s/"verdict":"[a-z]*"/"verdict":""/' \
            -e 's/"check":"\(logs\|overhead\)"[^{}]*}/"check":"\1"}/g; s/"warnings":\[.*]/"warnings":[]/' $out
    done
    [ "$logs" = "$csv" ] || complain "$folder, $what: status $logs of logs, $csv of the CSV: $(cat logs.err csv.err)"
    cmp -s logs.out csv.out || complain "$folder, $what: $(diff logs.out csv.out | head -n 6)"
}

compared=0
while read -r folder; do
    rm -rf run_logs out
    mkdir run_logs
    find "$folder" -maxdepth 1 -type f ! -name 'ops_perf_results*' -exec cp {} run_logs/ \;
    "$program" ops -q run_logs -o out >/dev/null 2>&1 || continue # what cannot be joined has no CSV
    mv out/ops_perf_results.csv ops_.csv || exit 2
    # Without the host's logs the CSV has no names, as the original's; a report of such a log names programs by their cores.
    head -n 1 ops_.csv | grep -q 'OP CODE' || continue
    both text --window all --min-percentage 0 --print-signposts --no-merge-devices --color never
    both CSV --window all --format csv
    both JSON --format json
    compared=$((compared + 1))
done <folders
echo "$compared of $(wc -l <folders) folders compared"
[ "$compared" -ge 50 ] || complain "only $compared folders have a report"
exit $failed
