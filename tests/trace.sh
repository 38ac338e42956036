#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace.sh BIN_DIR SOURCE_DIR - `tt-perf trace` against the logs it was made of: every zone with its exact
# time, nesting, arrows, counters, filters. Traces are read by our own decoder, by protoc, and by a
# trace_processor where one is installed.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
PATH=$bin:$PATH
cd "$scratch" || exit 2

# count NAME FILE - a number of the first line of a dump.
count()
{
    sed -n "1s/.*	$1=\([0-9]*\).*/\1/p" "$2"
}

# equal WHAT GOT WANT
equal()
{
    [ "$2" = "$3" ] || complain "$1: $2, not $3"
}

# dump FILE - its dump next to it; a fault is a failure.
dump()
{
    trace_dump "$1" >"$1.txt" || complain "$1: $(tail -n 1 "$1.txt")"
}

# Zones of a device log: device, core, RISC, name, first cycle, cycles; paired by a stack of each lane.
log_zones()
{
    awk -F, 'NR > 2 && $12 ~ /^ZONE_(START|END)$/ {
        lane = $1 FS $2 FS $3 FS $4 FS $8 FS $9 FS $10
        if ($12 == "ZONE_START") { n = ++depth[lane]; name[lane, n] = $11; start[lane, n] = $6; next }
        n = depth[lane]--
        printf "%s\t(%s,%s)\t%s\t%s\t%s\t%.0f\n", $1, $2, $3, $4, name[lane, n], start[lane, n], $6 - start[lane, n]
    }' "$1" | sort
}

# The same of a dump.
dump_zones()
{
    awk -F'\t' '$1 == "slice" && $2 ~ /\/Core / {
        n = split($2, p, "/"); sub(/^Device /, "", p[1]); sub(/ .*/, "", p[1]); sub(/^Core /, "", p[2])
        split($7, a, ";"); sub(/.*=/, "", a[1]); sub(/.*=/, "", a[2])
        printf "%s\t%s\t%s\t%s\t%s\t%s\n", p[1], p[2], p[3], $6, a[1], a[2]
    }' "$1" | sort
}

# Times of zones and ops: what is rounded is each cycle, and the shift of a device is one number.
clock_faults()
{
    awk -F'\t' -v mhz="$2" 'function ns(c) { return (c - c % mhz) / mhz * 1000 + int(c % mhz * 1000 / mhz) }
    $1 == "slice" && $2 ~ /^Device / {
        start = cycles = ""
        n = split($7, a, ";")
        for (i = 1; i <= n; i++) {
            if (a[i] ~ /^start cycle=/) start = substr(a[i], 13) + 0
            if (a[i] ~ /^cycles=/) cycles = substr(a[i], 8) + 0
        }
        split($2, p, "/")
        if (!(p[1] in shift)) shift[p[1]] = $3 - ns(start)
        if ($3 - ns(start) != shift[p[1]] || $4 != ns(start + cycles) - ns(start)) bad++
        seen++
    }
    END { print (seen ? bad + 0 : "none seen") }' "$1"
}

# check NAME MHZ SYNTH-OPTIONS... - make up a run, trace it, compare.
check()
{
    name=$1
    mhz=$2
    shift 2
    tt-perf synth -o "$name" "$@" -q || complain "$name: synth failed"
    tt-perf trace "$name" -q -o "$name.pftrace" || complain "$name: trace failed"
    dump "$name.pftrace"
    log_zones "$name/.logs/profile_log_device.csv" >want
    dump_zones "$name.pftrace.txt" >got
    cmp -s want got || complain "$name: zones differ: $(diff want got | head -n 3)"
    [ -s want ] || complain "$name: no zones to compare"
    equal "$name: times" "$(clock_faults "$name.pftrace.txt" "$mhz")" 0
    # an op for each execution, on a track of its device and as a stage
    execs=$(awk -F, 'NR > 2 && $8 != 0 && !(($1, $8, $9, $10) in seen) { seen[$1, $8, $9, $10]; n++ } END { print n }' \
        "$name/.logs/profile_log_device.csv")
    equal "$name: ops" "$(grep -c '^slice	Device [^/]*/Ops	' "$name.pftrace.txt")" "$execs"
    equal "$name: stages" "$(count stages "$name.pftrace.txt")" "$execs"
    # host zones, all of them
    equal "$name: host zones" "$(grep -c '^slice	Host/' "$name.pftrace.txt")" \
        "$(($(wc -l <"$name/.logs/tracy_ops_times.csv") - 1))"
    equal "$name: signposts" "$(grep -c '^instant	Host/Signposts' "$name.pftrace.txt")" \
        "$(grep -c TT_SIGNPOST "$name/.logs/tracy_ops_data.csv")"
}

# An arrow for each op that the host called and a device ran outside a trace, and for each replay.
check plain 1000 --ops 30 --layers 1
equal "plain: arrows" "$(count flows plain.pftrace.txt)" 30
check clocks 1350 --arch blackhole --ops 20 --layers 1 --cores 20
check mesh 1000 --ops 24 --layers 1 --devices 3 --replays 2 --cores 12 --dumps 2
equal "mesh: devices" "$(count gpus mesh.pftrace.txt)" 3
equal "mesh: replays" "$(grep -c '^flow.*Trace replays' mesh.pftrace.txt)" \
    "$(grep -c TRACE_REPLAY mesh/.logs/tracy_ops_data.csv)"
check programs 1000 --model tt-lang-kernel
check parts 1000 --ops 40 --sub-devices

# An arrow ends at the op of the same name, on the device that its id says. The host names the program, the device also
# the shape: "MatmulDeviceOperation" and "Matmul 32 x 4096 x 2048".
awk -F'\t' '{ host = $4; sub(/DeviceOperation$/, "", host) }
    $1 == "flow" && $3 ~ /Thread/ && host != $6 && index($6, host " ") != 1 { exit 1 }' mesh.pftrace.txt ||
    complain "mesh: an arrow between different ops"

# Counters: as many cores as there are at most, none at the end.
cores=$(awk -F, 'NR > 2 && !(($2, $3) in seen) { seen[$2, $3]; n++ } END { print n }' mesh/.logs/profile_log_device.csv)
awk -F'\t' -v cores="$cores" '$1 == "sample" && $2 ~ /Cores busy$/ { if ($4 > cores || $4 < 0) bad = 1; last[$2] = $4; n++ }
    END { for (t in last) if (last[t] != 0) bad = 1; exit bad || n == 0 }' mesh.pftrace.txt ||
    complain "mesh: cores busy out of range"
grep -q '^sample	Device 0 (wormhole_b0)/AICLK	[0-9]*	1000	MHz$' plain.pftrace.txt || complain "plain: no AICLK"
tt-perf synth -o prefill --model llm-prefill --ops 30 --layers 1 -q
tt-perf trace prefill -q -o prefill.pftrace
dump prefill.pftrace
awk -F'\t' '$1 == "sample" && $2 ~ /DRAM$/ && $4 > 0 && $5 == "GB/s" { n++ } END { exit n == 0 }' prefill.pftrace.txt ||
    complain "prefill: no DRAM traffic"

# NoC traces: their bytes by the microsecond, DRAM's among them, and every event if asked for.
tt-perf synth -o noc --ops 6 --layers 1 --cores 8 --noc -q
tt-perf trace noc -q -o noc.pftrace
tt-perf trace noc -q --noc -o events.pftrace
dump noc.pftrace
dump events.pftrace
bytes=$(cat noc/.logs/noc_trace_*.json | tr ',' '\n' | sed -n 's/.*"num_bytes": *\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')
# a sample holds until the next one: rate times time is bytes again
got=$(awk -F'\t' '$1 == "sample" && $2 ~ /NoC bytes$/ { if (n++) sum += value * ($3 - at) / 1000; value = $4; at = $3 }
    END { printf "%.0f\n", sum }' noc.pftrace.txt)
equal "bytes of NoC events" "$got" "$bytes"
awk -F'\t' '$1 == "sample" && $2 ~ /DRAM by NoC events$/ && $4 > 0 { n++ } END { exit n == 0 }' noc.pftrace.txt ||
    complain "noc: no DRAM traffic"
equal "NoC events" "$(($(count instants events.pftrace.txt) - $(count instants noc.pftrace.txt) + 2 * ($(count slices events.pftrace.txt) - $(count slices noc.pftrace.txt))))" \
    "$(cat noc/.logs/noc_trace_*.json | tr ',' '\n' | grep -c '"type"')"

# Filters.
tt-perf trace mesh -q --devices 1 --cores '*,1' --zones '*-KERNEL' -o part.pftrace
dump part.pftrace
awk -F'\t' '$2 ~ /^Device/ && $2 !~ /^Device 1 / || $2 ~ /\/Core / && $2 !~ /,1\)/ ||
    $2 ~ /\/Core / && $1 == "slice" && $6 !~ /-KERNEL$/ { exit 1 }' part.pftrace.txt ||
    complain "filters let through what they should not"
grep -q '^slice	Device 1 .*Core (1,1)/BRISC' part.pftrace.txt || complain "filters match nothing"
tt-perf trace plain -q --ops 6-9 -o few.pftrace
dump few.pftrace
tt-perf ops plain -q -o table >/dev/null
want=$(sed -n '6,9p' table/ops_perf_results.csv | cut -d, -f3 | sort | tr '\n' ' ')
got=$(sed -n 's/^slice	Device [^/]*\/Ops	.*	op id=\([0-9]*\);.*/\1/p' few.pftrace.txt | sort | tr '\n' ' ')
equal "--ops 6-9" "$got" "$want"
got=$(sed -n 's/^slice	Device .*Core.*op id=\([0-9]*\)$/\1/p' few.pftrace.txt | sort -u | tr '\n' ' ')
equal "zones of --ops 6-9" "$got" "$want"
# nothing of a device is outside the ops that are shown
awk -F'\t' '$2 ~ /^Device/ && $2 ~ /Ops$/ { if (!n++ || $3 < low) low = $3; if ($3 + $4 > high) high = $3 + $4 }
    $2 ~ /^Device/ && ($1 == "sample" || $1 == "slice") { at[++k] = $3 }
    END { for (i = 1; i <= k; i++) if (at[i] < low || at[i] > high) exit 1 }' few.pftrace.txt ||
    complain "--ops 6-9 shows times outside them"
tt-perf trace plain -q --start-signpost start -o post.pftrace
dump post.pftrace
first=$(grep -n '^start,signpost' table/ops_perf_results.csv | cut -d: -f1)
equal "--start-signpost" "$(grep -c '^slice	Device [^/]*/Ops	' post.pftrace.txt)" \
    "$(sed "1,${first}d" table/ops_perf_results.csv | grep -c ',tt_dnn_device,')"
if tt-perf trace plain -q --start-signpost nowhere -o x.pftrace 2>err || [ -e x.pftrace ]; then
    complain "a signpost that is not there is accepted"
fi
grep -q "no signpost 'nowhere'" err || complain "and not named"

# The same bytes with any number of threads, and from a compressed log.
for threads in 1 2 8; do
    tt-perf trace mesh -q -j "$threads" -o - | cksum
done | sort -u | grep -c . | grep -qx 1 || complain "threads change the trace"
if part zlib; then
    mkdir packed && cp mesh/.logs/* packed && gzip packed/profile_log_device.csv
    tt-perf trace packed -q -o packed.pftrace
    cmp -s packed.pftrace mesh.pftrace || complain "a compressed log gives another trace"
fi

# The C++ report alone still has the ops.
mkdir cpp && cp plain/.logs/* cpp && rm cpp/profile_log_device.csv
tt-perf trace cpp -q -o cpp.pftrace
dump cpp.pftrace
equal "ops of the C++ report" "$(grep -c '^slice	Device [^/]*/Ops	' cpp.pftrace.txt)" 30
# The device log alone too.
mkdir device && cp plain/.logs/profile_log_device.csv device
tt-perf trace device -q -o device.pftrace
dump device.pftrace
equal "ops of the device log" "$(grep -c '^slice	Device [^/]*/Ops	' device.pftrace.txt)" 30

# The host alone: as many slices as its file has zones, whether they are CSVs or a recording.
mkdir host && cp plain/.logs/tracy_ops_*.csv host
tt-perf trace host -q -o host.pftrace || complain "the host alone: failed"
dump host.pftrace
equal "zones of the host" "$(grep -c '^slice	Host/' host.pftrace.txt)" \
    "$(($(wc -l <plain/.logs/tracy_ops_times.csv) - 1))"
grep -q '^slice	Device ' host.pftrace.txt && complain "the host alone has ops of a device"
if part lz4; then
    recording=$source/tests/golden/export_dropin/run.tracy
    mkdir recorded exported && cp "$recording" recorded/any.tracy
    tt-perf export csv -q --all-zones -o exported recorded/any.tracy
    tt-perf trace recorded/any.tracy -q -o recorded.pftrace || complain "a recording of the host: failed"
    dump recorded.pftrace
    equal "zones of a recording" "$(grep -c '^slice	Host/' recorded.pftrace.txt)" \
        "$(($(wc -l <exported/tracy_ops_times.csv) - 1))"
fi
# A report without logs, by any name: every row that ran on a device.
tt-perf ops plain -q -o report
find report -name 'ops_perf_results*.csv' -exec cp {} any-name.csv ';'
tt-perf trace any-name.csv -q -o csv.pftrace || complain "a report without logs: failed"
dump csv.pftrace
equal "ops of a report" "$(count slices csv.pftrace.txt)" 30
tt-perf trace exported/nothing -q -o none.pftrace 2>/dev/null
equal "a file that is missing" $? 5
printf 'a,b\n1,2\n' >other.csv
tt-perf trace other.csv -q -o none.pftrace 2>/dev/null
equal "a foreign file" $? 3

# Damage costs what it hits: the trace is still whole.
for fault in lost-markers missing-op truncated duplicate-start never-replayed old-columns equal-starts; do
    tt-perf synth -o "bad-$fault" --ops 30 --layers 1 --faults "$fault" -q
    tt-perf trace "bad-$fault" -q -o bad.pftrace || complain "$fault: failed"
    dump bad.pftrace
done

# Chrome JSON: an X event for each slice.
tt-perf trace mesh -q --format chrome-json -o mesh.json
equal "chrome events" "$(grep -c '^{"ph":"X"' mesh.json)" "$(count slices mesh.pftrace.txt)"
equal "chrome arrows" "$(grep -c '^{"ph":"f"' mesh.json)" "$(count flows mesh.pftrace.txt)"
if command -v python3 >/dev/null; then
    python3 - <<'END' || complain "mesh.json is not JSON"
import json
with open("mesh.json") as f:
    events = json.load(f)["traceEvents"]
assert any(e["ph"] == "M" and e["args"].get("name") == "Core (1,1) BRISC" for e in events)
END
fi

# Other readers of the same bytes.
if command -v protoc >/dev/null; then
    for name in plain mesh clocks programs; do
        protoc --decode_raw <$name.pftrace >raw || complain "$name: protoc cannot read it"
        equal "$name: packets of protoc" "$(grep -c '^1 {' raw)" "$(count packets $name.pftrace.txt)"
        equal "$name: begins and instants of protoc" "$(grep -c '^    9: [13]$' raw)" \
            "$(($(count slices $name.pftrace.txt) + $(count instants $name.pftrace.txt)))"
        equal "$name: ends of protoc" "$(grep -c '^    9: 2$' raw)" "$(count slices $name.pftrace.txt)"
        equal "$name: stages of protoc" "$(grep -c '^  53 {' raw)" "$(count stages $name.pftrace.txt)"
    done
fi
processor=$(command -v trace_processor || command -v trace_processor_shell || true)
if [ -n "$processor" ]; then
    sql()
    {
        "$processor" query "$1" "$2" 2>/dev/null | tail -n 1 | tr -d '"'
    }
    for name in plain mesh clocks; do
        stages=$(count stages $name.pftrace.txt)
        equal "$name: slices of trace_processor" "$(sql $name.pftrace 'select count(*) from slice')" \
            "$(($(count slices $name.pftrace.txt) + $(count instants $name.pftrace.txt) + stages))"
        equal "$name: flows of trace_processor" "$(sql $name.pftrace 'select count(*) from flow')" \
            "$(count flows $name.pftrace.txt)"
        equal "$name: samples of trace_processor" "$(sql $name.pftrace 'select count(*) from counter')" \
            "$(count samples $name.pftrace.txt)"
        equal "$name: errors of trace_processor" \
            "$(sql $name.pftrace "select count(*) from stats where severity != 'info' and value > 0")" 0
    done
fi
finish
