#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# budgets.sh BIN_DIR SOURCE_DIR - a run has limits on memory, inflated bytes, output and time: reaching one is a
# message that names the input, the limit and the option, and leaves nothing half-written behind.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
demo=$source/tests/data/demo_ops_perf_results.csv
unset TT_PERF_MAX_MEMORY TT_PERF_MAX_INFLATE TT_PERF_MAX_OUTPUT TT_PERF_MAX_TIME
cd "$scratch" || exit 2
sanitized=no
"$program" version | grep -q 'address' && sanitized=yes

# ends STATUS PATTERN COMMAND... - with that status, and a message that fits; nothing is left in `out`
ends()
{
    ends_status=$1 ends_pattern=$2
    shift 2
    rm -rf out
    mkdir out
    said=$("$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" -eq "$ends_status" ] || complain "status $status, not $ends_status: $* ($said)"
    contains "$said" "$ends_pattern" || complain "message of $*: $said"
    [ -z "$(ls -A out)" ] || complain "left behind by $*: $(ls -A out)"
}

# ---- what the options take ----
ends 2 "max-memory 'much' is not a valid size" "$program" report --max-memory much "$demo"
ends 2 "max-memory '0' is not a valid size" "$program" report --max-memory 0 "$demo"
ends 2 "max-inflate '1X' is not a valid size" "$program" report --max-inflate 1X "$demo"
ends 2 "max-output '-1' is not a valid size" "$program" report --max-output=-1 "$demo"
ends 2 "max-time 'soon' is not a valid time" "$program" report --max-time soon "$demo"
ends 2 "TT_PERF_MAX_TIME '1d' is not a valid time" env TT_PERF_MAX_TIME=1d "$program" report "$demo"
"$program" report -q "$demo" >plain || complain "report"
for size in none 1073741824 1.5G 1536MiB '2 gb'; do
    "$program" report -q --max-memory "$size" --max-inflate "$size" --max-output "$size" --max-time 5m "$demo" >limited
    cmp -s plain limited || complain "limits of $size change the report"
done

# ---- memory ----
"$program" synth -q --model matmul --ops 400 --cores 4 -o run || complain "synth"
ends 3 'memory limit of 512 KiB exceeded' "$program" report --max-memory 512K "$demo"
contains "$said" 'demo_ops_perf_results.csv' || complain "the input is not named: $said"
contains "$said" '^hint: raise the limit with --max-memory' || complain "the option is not named: $said"
ends 3 'memory limit of 1 MiB exceeded' env TT_PERF_MAX_MEMORY=1M "$program" ops run -o out
ends 3 '"code":"bad-input","message":"memory limit of 1 MiB' \
    "$program" report --format json --max-memory 1M -o out/x.json run
ends 1 "memory limit of 128 KiB exceeded" env TT_PERF_MAX_MEMORY=128K "$bin/tt-perf-report" "$demo"
# the system has none: an address space that is too small, or an allocator that refuses large blocks
if [ $sanitized = yes ]; then
    no_memory="env ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1:detect_leaks=0"
else
    printf '#!/bin/sh\nulimit -v 40000\nexec "$@"\n' >starve
    chmod +x starve
    no_memory=./starve
fi
awk -v from="$demo" 'BEGIN { while ((getline <from) > 0) line[++n] = $0
    print line[1]; for (i = 0; i < 40000; i++) print line[3] }' >big.csv
# shellcheck disable=SC2086 # two words and more
ends 5 'out of memory' $no_memory "$program" report -j1 -o out/x.txt big.csv

# ---- compressed input ----
if part zlib; then
    { head -n 1 "$demo"; head -c 300000000 /dev/zero; } | gzip -1 >bomb.csv.gz
    ends 3 "bomb.csv.gz.*decompression limit of 256 MiB" "$program" report -o out/x.txt bomb.csv.gz
    contains "$said" 'hint: .*--max-inflate' || complain "the option is not named: $said"
    gzip -c "$demo" >demo.csv.gz
    ends 3 "demo.csv.gz.*decompression limit of 4 KiB" "$program" report --max-inflate 4k demo.csv.gz
    "$program" report -q --max-inflate 1M demo.csv.gz >limited || complain "1M is enough"
fi

# ---- output ----
ends 3 'output limit of 2 KiB' "$program" report --ignore-signposts --format csv --max-output 2k -o out/x.csv "$demo"
contains "$said" 'hint: raise the limit with --max-output' || complain "the option is not named: $said"
contains "$said" 'demo_ops_perf_results.csv' || complain "the input is not named: $said"
ends 3 'output limit of 4 KiB' "$program" trace --max-output 4k -o out/x.pftrace run
ends 3 'output limit of 4 KiB' "$program" noc --max-output 4k --timeline out/x.json \
    "$source/tests/golden/noc_workload/workload.json"
if part zstd; then
    ends 3 'output limit of 100 bytes' "$program" noc -q --max-output 100 --timeline out/x.json.zst \
        "$source/tests/golden/noc_workload/workload.json"
fi

# ---- time ----
mkfifo never
# shellcheck disable=SC2016 # for the inner shell
ends 6 'never: time limit of 0.3 s exceeded' sh -c 'exec 3<>never; exec "$0" report --max-time 0.3 -o out/x.txt never' "$program"
contains "$said" 'hint: raise the limit with --max-time' || complain "the option is not named: $said"

# ---- work that grows with the input only ----
# bounded COMMAND... - within so many seconds of a processor, which the old ways took many times over
bounded()
{
    (ulimit -t 25 && "$@" >/dev/null 2>warnings) || complain "failed, or took too long: $*"
}
# every device has ops of its own names: rounds in which one takes part and all others do not
awk -v from="$demo" 'BEGIN { FS = OFS = ","; while ((getline <from) > 0) line[++n] = $0
    print line[1]; $0 = line[1]; for (i = 1; i <= NF; i++) if ($i == "GLOBAL CALL COUNT") call = i
    for (k = 0; k < 4; k++) for (d = 0; d < 3000; d++) {
        $0 = line[3]; $1 = "Op" d "DeviceOperation"; $4 = d; $call = k * 3000 + d; print } }' >devices.csv
bounded "$program" report --no-summary devices.csv
[ "$(grep -c 'warning' warnings)" -lt 150 ] || complain "a warning per device and op"
contains "$(cat warnings)" 'more warnings about ops' || complain "the omitted warnings are not reported"
# ids that differ in their high bits only
awk -v from="$demo" 'BEGIN { FS = OFS = ","; while ((getline <from) > 0) line[++n] = $0
    print line[1]; for (d = 0; d < 20000; d++) { $0 = line[3]; $4 = sprintf("%.0f", d * 4294967296); print } }' >ids.csv
bounded "$program" report --no-merge-devices ids.csv
# many small tensors
awk 'BEGIN { printf "{"; for (i = 0; i < 15000; i++)
    printf "%s\"layer.%d.weight\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[%d,%d]}", i ? "," : "", i, 4 * i, 4 * i + 4
    printf "}" }' >header
size=$(($(wc -c <header)))
for _ in 1 2 3 4 5 6 7 8; do
    # shellcheck disable=SC2059 # a byte
    printf "\\$(printf %03o $((size % 256)))"
    size=$((size / 256))
done >many.safetensors
cat header >>many.safetensors
head -c 60000 "$program" >>many.safetensors
bounded "$program" pcc -q many.safetensors many.safetensors
finish
