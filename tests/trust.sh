#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trust.sh - verbs conclude nothing from data that does not allow it: truncated files, cold iterations, other chips,
# programs without names.
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd -- "$scratch" || exit 2
COLUMNS=100
export COLUMNS

# a run with replays, as a folder, as an ops CSV, and its device log alone
"$program" synth -q -o run --replays 5 --layers 2 || exit 2
"$program" ops -q run -o ops >/dev/null 2>&1
find ops run -name 'ops_perf_results*.csv' -exec cp {} whole.csv \;
cp run/.logs/profile_log_device.csv log.csv
[ -s whole.csv ] || exit 2

# ---- truncated files: at any byte of the second half but the last line's end ----
size=$(wc -c <whole.csv)
for part in 51 67 83 95; do
    head -c $((size * part / 100)) whole.csv >cut.csv
    [ "$(tail -c 1 cut.csv)" ] || continue
    status 1 "$program" report --check cut.csv
    check "report of a file cut at $part % calls it bad" contains "$text" 'bad .*truncated'
    status 3 "$program" diff --fail-over 2% --no-gaps whole.csv cut.csv
    status 7 "$program" diff -q whole.csv cut.csv
    check "diff of a file cut at $part % draws a conclusion" lacks "$text" '% (less|more) time'
    check "diff of a file cut at $part % names the side" contains "$text" 'bad +other: .*truncated'
done
status 0 "$program" report --check whole.csv
size=$(wc -c <log.csv)
for part in 9 30 77; do
    head -c $((size * part / 100)) log.csv >cut.csv
    [ "$(tail -c 1 cut.csv)" ] || continue
    status 1 "$program" report --check cut.csv
    check "report of a log cut at $part %" contains "$text" 'bad .*truncated'
    check "report of a log cut at $part % advises about cores" lacks "$text" 'next .*(grid|cores)'
    text=$("$program" kernel cut.csv 2>&1)
    check "kernel of a log cut at $part % has a target for cores" lacks "$text" 'idle, up to'
    check "kernel of a log cut at $part % reports it" contains "$text" 'truncated'
done

# ---- damaged rows in the middle: cells are missing, or a duration is not one ----
lines=$(wc -l <whole.csv)
cells=$(head -n 1 whole.csv | awk -F, '{ print NF }')
for at in 2 $((lines / 2)) $((lines - 1)) "$lines"; do
    awk -F, -v at="$at" 'NR == at { print $1 "," $2 "," $3; next } { print }' whole.csv >short.csv
    status 1 "$program" report --check short.csv
    check "report names line $at that lacks cells" contains "$text" "line $at of 'short.csv' has 3 of $cells cells"
    check "report calls a file with a short line $at bad" contains "$text" '^bad '
    status 3 "$program" diff --fail-over 900% whole.csv short.csv
    status 3 "$program" diff --fail-over 900% short.csv whole.csv
    status 7 "$program" diff -q whole.csv short.csv
    check "diff of a short line $at draws a conclusion" lacks "$text" '% (less|more) time'
done
awk '{ sub(/\r$/, "") } NR == 5 { $0 = $0 ",1" } { print }' whole.csv >long.csv
status 3 "$program" report --check long.csv
check "report names the line with too many cells" contains "$text" 'long.csv:5: .* fields in this row'
column=$(head -n 1 whole.csv | tr ',' '\n' | grep -n -x 'DEVICE KERNEL DURATION \[ns\]' | cut -d : -f 1)
for value in abc -5000; do
    awk -F, -v OFS=, -v at=$((lines - 2)) -v column="$column" -v value=$value 'NR == at { $column = value } { print }' \
        whole.csv >odd.csv
    status 1 "$program" report --check odd.csv
    check "report names the op with a duration of $value" contains "$text" "ID $((lines - 2)) has '?$value"
    check "full buffers are blamed for $value" lacks "$text" 'buffers were full'
    status 7 "$program" diff -q --fail-over 900% whole.csv odd.csv
done
head -n 1 whole.csv >header.csv
status 3 "$program" report header.csv
check "a file without rows has a name" contains "$text" 'header.csv: .*only a header'
check "a file without rows has an architecture" lacks "$text" 'assuming'
if has zstd && command -v zstd >/dev/null; then
    zstd -qf whole.csv -o whole.csv.zst
    head -c 900 whole.csv.zst >cut.csv.zst
    status 3 "$program" report cut.csv.zst
    check "a truncated archive has a hint" contains "$text" 'copy it again'
fi

# ---- a device log alone ----
status 0 "$program" report log.csv
check "replays of a device log are its iterations" contains "$text" 'replays of trace 0'
status 0 "$program" advise -q log.csv
check "a trace for what is replayed" lacks "$text" 'capture a Metal Trace'
check "cores of programs without names" lacks "$text" 'whole grid:|few-cores|kernel-cores.*us'
"$program" synth -q -o cold_log --arch blackhole --ops 200 --layers 2 || exit 2
status 0 "$program" advise -q cold_log/.logs/profile_log_device.csv
check "one pass has starts of iterations" lacks "$text" 'second command queue'
check "programs on few cores use the whole grid" lacks "$text" '200 of 200 custom kernels use the whole grid'
status 0 "$program" kernel cold_log/.logs/profile_log_device.csv
check "kinds of programs with the most time" contains "$text" 'most time in: [0-9]+ Program on [0-9]+ core'
text=$("$program" report --check log.csv 2>&1)
check "the clock of the log's first line" contains "$text" 'clock +good +one clock'
check "the cycles of the log" contains "$text" 'counters +good'
if has zlib; then
    gzip -k log.csv
    status 0 "$program" report -q log.csv.gz
    compressed=$text
    status 0 "$program" report -q log.csv
    check "a compressed log is another report" test "$compressed" = "$text"
fi
status 0 "$program" diff -q log.csv log.csv
check "a device log is the same as itself" contains "$text" '^the same'

# ---- what cannot be compared ----
"$program" synth -q -o other --replays 5 --layers 2 --arch blackhole || exit 2
status 0 "$program" diff run other
check "diff of two architectures warns" contains "$text" 'different architectures, wormhole.* and blackhole'
status 7 "$program" diff --fail-over 900% run other
check "the text has the outcome" contains "$text" '^undecided: the sides ran on different architectures; the limit'
status 0 "$program" diff --fail-over 2% --format md run run
check "Markdown has the outcome" contains "$text" 'pass: the limit'
status 0 "$program" diff -q --fail-over 2% --format json run run
check "JSON has the outcome" contains "$text" '"outcome":"pass"'
check "JSON has the limit" contains "$text" '"limit_percent":2[,.]'
check "JSON has the quality of both sides" contains "$text" '"base_quality":.*"other_quality":'

# ---- gates ----
header='OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,CORE COUNT,AVAILABLE WORKER CORE COUNT,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]'
# gate EXPECTED WHAT SIDE... - in every format, with the same exit status
gate()
{
    gate_wanted=$1
    gate_what=$2
    shift 2
    for form in text md html github junit; do
        status "$gate_wanted" "$program" diff -q --fail-over 2% --format "$form" "$@"
        check "$form says '$gate_what' of $*" contains "$text" "$gate_what"
    done
}
# a board that throttled: the figures are wrong, so that they cannot pass
mkdir hot
cp whole.csv hot/ops_perf_results.csv
{
    echo 'host_ns,chip,bus,clock_mhz,clock_max_mhz,power_w,power_limit_w,temperature_c,temperature_limit_c,trips,throttle'
    for ns in 1 9000000000000000000; do
        echo "$ns,0,0000:01:00.0,600,1000,50,85,90,90,0,heat"
    done
} >hot/machine_log.csv
gate 7 'AICLK fell' whole.csv hot
status 7 "$program" diff -q --fail-over 2% --format junit whole.csv hot
check "JUnit passes a throttled run" contains "$text" '<skipped message="other: AICLK fell'
status 1 "$program" diff -q --check --fail-over 2% whole.csv hot
# windows of different kinds: undecided, unless somebody chose them
"$program" synth -q -o eager --replays 0 --layers 2 || exit 2
gate 7 'the windows differ in kind' run eager
status 0 "$program" diff -q --fail-over 900% --window all run eager
# work that is missing is not a gain
awk -F, 'NR == 1 || NR % 3' whole.csv >thin.csv
text=$("$program" diff -q --fail-over 2% whole.csv thin.csv 2>&1)
check "missing work is a gain" contains "$text" 'without counterpart'
gate 7 'lacks work of the base|not in its replays' whole.csv thin.csv
# edit WHAT: a program for awk over the rows of whole.csv; `at` are columns by their names
edit()
{
    python3 - "$1" <<'END'
import csv, sys
rows = list(csv.reader(open("whole.csv", newline="")))
at = {name: i for i, name in enumerate(rows[0])}
ns, session = at["DEVICE KERNEL DURATION [ns]"], at["METAL TRACE REPLAY SESSION ID"]
replayed = [i for i, row in enumerate(rows) if i and row[session] and row[ns]]
last = max(int(rows[i][session]) for i in replayed)
longest = max((i for i in replayed if int(rows[i][session]) == last), key=lambda i: float(rows[i][ns]))
exec(sys.argv[1])
with open("edited.csv", "w", newline="") as out:
    csv.writer(out, lineterminator="\n").writerows(rows)
END
}
if command -v python3 >/dev/null; then
    risc='rows[longest][at["DEVICE BRISC KERNEL DURATION [ns]"]] = rows[longest][ns]; '
    for value in 0 1 99999999999999999999; do
        edit "${risc}rows[longest][ns] = '$value'"
        status 1 "$program" report -q --check edited.csv
        check "report --check of a duration of $value" contains "$text" 'bad .*impossible device time'
        gate 7 'the other run cannot be trusted|impossible device time' whole.csv edited.csv
        gate 7 'the base cannot be trusted|impossible device time' edited.csv whole.csv
    done
    edit "${risc}rows[longest][ns] = str(int(rows[longest][ns]) * 3)"
    status 0 "$program" report -q --check edited.csv
    edit "rows[longest][ns] = ''"
    gate 7 'no device time' whole.csv edited.csv
    edit 'for i in replayed: rows[i][ns] = "" if rows[i][at["GLOBAL CALL COUNT"]] == rows[longest][at["GLOBAL CALL COUNT"]] else rows[i][ns]'
    status 7 "$program" diff -q --fail-over 900% --format json whole.csv edited.csv
    check "an op without a time was removed" lacks "$text" '"kind":"removed"'
    check "a time that is unknown is null" contains "$text" '"other_us":null'
    # rows that are missing: the capture of the trace has their ops
    edit 'rows = [r for i, r in enumerate(rows) if not (i in replayed and r[at["GLOBAL CALL COUNT"]] == rows[longest][at["GLOBAL CALL COUNT"]])]'
    status 1 "$program" report -q --check edited.csv
    check "ops that no replay has" contains "$text" '1 op captured into a trace is not in its replays'
    gate 7 'cannot be trusted|not in its replays' whole.csv edited.csv
    # files that were joined, rows that are there twice
    edit 'rows = rows + rows'
    status 3 "$program" report edited.csv
    check "the line of a second header" contains "$text" "edited.csv:$((lines + 1)): a second header"
    status 3 "$program" diff --fail-over 2% whole.csv edited.csv
    edit 'rows.insert(longest + 1, list(rows[longest]))'
    status 3 "$program" report edited.csv
    check "the line of a repeated row" contains "$text" 'edited.csv:[0-9]+: the execution of line [0-9]+ again'
    status 3 "$program" diff -q --fail-over 2% --format github whole.csv edited.csv
    check "an annotation for a bad file" contains "$text" '^::error title=.*the execution of line'
    status 3 "$program" diff -q --fail-over 2% --format junit whole.csv edited.csv
    check "a test case for a bad file" contains "$text" '<failure message=.*the execution of line'
    edit 'rows[longest][ns] = "0"; '"$risc"'rows[longest][at["DEVICE BRISC KERNEL DURATION [ns]"]] = "90000"'
    if has sqlite; then
        status 3 "$program" history add --store damaged.db --no-git --no-machine edited.csv
        check "history refuses times that cannot be" contains "$text" 'cannot be trusted: .*impossible device time'
    fi
fi
# the same file twice is one run
cp whole.csv copy.csv
status 0 "$program" diff --fail-over 2% whole.csv,copy.csv,whole.csv whole.csv
check "a copy counts once" contains "$text" "'copy.csv' is the same run as 'whole.csv': it counts once"
check "two copies are repeated runs" lacks "$text" 'mean of'
# a side on more devices
"$program" synth -q -o pair --replays 5 --layers 2 --devices 2 || exit 2
gate 7 'different numbers of devices' run pair
# few runs: as one run, if each exceeds each; one outcome
{
    echo "$header"
    for call in 1 2 3; do
        echo "Alpha,tt_dnn_device,$call,0,wormhole_b0,64,64,0,20000"
    done
} >fast.csv
sed 's/,20000$/,20100/' fast.csv >fast2.csv
sed 's/,20000$/,50000/' fast.csv >slow.csv
sed 's/,20000$/,50100/' fast.csv >slow2.csv
status 1 "$program" diff -q --fail-over 2% fast.csv slow.csv
check "the hint for one run" contains "$text" 'give five per'
status 1 "$program" diff -q --fail-over 2% fast.csv,fast2.csv slow.csv,slow2.csv
check "two runs per side" contains "$text" '^1[0-9.]+ % more time'
check "the figure of the gate" contains "$text" '^fail: device time \+1[0-9.]+ %, the limit is'
status 0 "$program" diff -q --fail-over 2% fast.csv,fast2.csv fast2.csv,fast.csv
check "two equal sides" contains "$text" 'within the spread of 2 and 2 runs'
status 7 "$program" diff -q --fail-over 2% fast.csv,fast2.csv slow.csv,fast.csv
check "two sides that overlap" contains "$text" '^undecided: too few runs to be sure'
# device time and gaps that contradict each other
sed 's/,0,20000$/,200000,10000/' fast.csv >gappy.csv
status 1 "$program" diff -q --fail-over 2% fast.csv gappy.csv
check "a contradiction" contains "$text" '^device time 50.00 % less, but with gaps [0-9.]+ % more'
check "what fails" contains "$text" '^fail: with gaps'

# ---- a cold first iteration ----
# op NAME GAP_NS DURATION_NS CALL
op()
{
    printf '%s,tt_dnn_device,%s,0,wormhole_b0,64,64,%s,%s\n' "$1" "$4" "$2" "$3"
}
{
    echo "$header"
    call=1
    for gap in 40000000 3000 3100; do
        for name in Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa; do
            op "$name" "$gap" 20000 "$call"
            call=$((call + 1))
        done
    done
} >cold.csv
status 0 "$program" report -q cold.csv
check "the cold iteration counts" contains "$text" '^one iteration +22[0-9] μs'
check "its spread is that of the figure" contains "$text" '; 2 within [0-9.]+ %'
status 0 "$program" report -q --window iteration=1 cold.csv
check "compilation is what a trace saves" lacks "$text" 'next .*Metal Trace'

# ---- a file without device times ----
{
    echo "$header"
    op Alpha '' '' 1
    op Beta '' '' 2
} >untimed.csv
status 1 "$program" report --check untimed.csv
check "no times are no full buffers" lacks "$text" 'buffers were full'
check "no times are said to be missing" contains "$text" 'no device times'
status 7 "$program" diff -q cold.csv untimed.csv
check "nothing takes 100 % less time" lacks "$text" '% less time'
exit $failed
