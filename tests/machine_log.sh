#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# machine_log.sh BIN_DIR SOURCE_DIR - boards are sampled while a command is recorded, and report, trace, diff and
# doctor use the samples. A synthetic sysfs tree changes during the run.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
data=$source/tests/data/host
titles=chip,bus,clock_mhz,clock_max_mhz,power_w,power_limit_w,temperature_c,temperature_limit_c,trips,throttle

# --- exact figures: ten ops of 100 ms, sent 1 ms before they begin but for one, which begins at once ---

write_run() # folder, clock of the second half in MHz
{
    mkdir -p "$1"
    {
        echo "OP CODE,OP TYPE,DEVICE ID,HOST START TS,DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns],CORE COUNT,GLOBAL CALL COUNT"
        i=0
        while [ $i -lt 10 ]; do
            start=$((i * 100000000))
            host=$((5000000000 + start - (i == 3 ? 0 : 1000000)))
            echo "Op$i,tt_dnn_device,0,$host,$start,$((start + 100000000)),100000000,100000000,0,64,$i"
            i=$((i + 1))
        done
    } >"$1/ops_perf_results.csv"
    {
        echo "host_ns,$titles"
        echo "4000000000,0,0000:01:00.0,1000.0,1000.0,90.0,160.0,60.0,75.0,0,"
        echo "5500000000,0,0000:01:00.0,$2.0,1000.0,158.0,160.0,66.0,75.0,0,power"
        echo "5900000000,0,0000:01:00.0,1000.0,1000.0,90.0,160.0,60.0,75.0,0,"
        echo "9000000000,0,0000:01:00.0,1000.0,1000.0,90.0,160.0,60.0,75.0,0,"
    } >"$1/machine_log.csv"
}

figure() # RUN, JQ EXPRESSION
{
    "$program" report "$1" --window all --format json -q | jq -r "$2"
}

write_run "$scratch/slow" 800
write_run "$scratch/full" 1000
got=$(figure "$scratch/slow" '.data.machine | "\(.low_clock_percent | round) \(.clock_loss_percent * 10 | round) \(.low_clock_mhz) \(.mean_clock_mhz) \(.throttle) \(.power_max_w) \(.temperature_max_c)"')
[ "$got" = "40 80 800 920 power 158 66" ] || complain "figures of the slow run: $got"
got=$(figure "$scratch/slow" '.data.quality.checks[] | select(.check == "clock") | "\(.level) \(.text)"')
case $got in
"bad AICLK fell from 1000 to 800 MHz for 40 % of the window (power limit): at full clock it would take up to 8 % less time") ;;
*) complain "verdict of the slow run: $got" ;;
esac
got=$(figure "$scratch/full" '.data.quality.checks[] | select(.check == "clock") | "\(.level) \(.text)"')
[ "$got" = "good AICLK stayed at 1000 MHz" ] || complain "verdict of the full run: $got"

"$program" diff "$scratch/full" "$scratch/slow" --window all 2>&1 | tr -s ' \n' ' ' >"$scratch/err"
grep -q 'different clocks: AICLK was 1000 MHz and 920 MHz on average, 8.0 % apart' "$scratch/err" ||
    complain "diff does not warn: $(cat "$scratch/err")"
"$program" diff "$scratch/full" "$scratch/full" --window all 2>&1 | tr -s ' \n' ' ' >"$scratch/err"
grep -q 'different clocks' "$scratch/err" && complain "diff warns of equal clocks"

# --- doctor ---

sh "$data/unpack.sh" "$data/n150.tree" "$scratch/tree" || exit 2
"$program" doctor --quick --root "$scratch/tree" --run "$scratch/slow" --format json -q >"$scratch/doctor.json"
got=$(jq -r '[.data.checks[] | select(.id | startswith("run.")) | "\(.id) \(.level)"] | join("; ")' "$scratch/doctor.json")
[ "$got" = "run.clock fail; run.heat warn; run.power warn" ] || complain "doctor of the slow run: $got"
"$program" doctor --quick --root "$scratch/tree" --why low-throughput --run "$scratch/slow" >"$scratch/why" 2>&1
grep -q '800 MHz for 40 % of the window' "$scratch/why" || complain "doctor --why: $(cat "$scratch/why")"
rm "$scratch/full/machine_log.csv"
got=$("$program" doctor --quick --root "$scratch/tree" --run "$scratch/full" --format json -q |
    jq -r '[.data.checks[] | select(.id | startswith("run.")) | "\(.id) \(.level)"] | join("; ")')
[ "$got" = "run.clock skip" ] || complain "doctor of a run without samples: $got"
"$program" doctor --quick --root "$scratch/tree" --run "$scratch/nowhere" >/dev/null 2>"$scratch/err"
[ $? -eq 5 ] || complain "doctor of no run: $(cat "$scratch/err")"

# --- a damaged log is reported and ignored; one of another clock is ignored ---

echo "6000000000,x" >>"$scratch/slow/machine_log.csv"
"$program" report "$scratch/slow" --window all >/dev/null 2>"$scratch/err" || complain "report of a damaged log: $?"
grep -q 'machine_log.csv, line 6: not a row' "$scratch/err" || complain "damaged log: $(cat "$scratch/err")"
"$program" info "$scratch/slow/machine_log.csv" 2>&1 | grep -q 'not a row of a machine log' ||
    complain "info of a damaged log"
write_run "$scratch/slow" 800
sed -i '1s/host_ns/monotonic_ns/' "$scratch/slow/machine_log.csv"
[ "$(figure "$scratch/slow" '.data.machine')" = null ] || complain "a log of another clock is used"

# --- recorded: the clock falls in the middle of the run ---

aiclk=$(find "$scratch/tree" -name tt_aiclk -type f)
echo 1000 >"$aiclk"
(
    while [ ! -e "$scratch/started" ]; do sleep 0.05; done
    echo 500 >"$aiclk"
) &
"$program" record -q -o "$scratch/run" --root "$scratch/tree" --no-report -- "$bin/synth_workload" --seed 1 \
    --model llm-decode --layers 4 --replays 120 --real-time --started "$scratch/started" >"$scratch/out" 2>&1 ||
    complain "record: $(cat "$scratch/out")"
wait
head -n 1 "$scratch/run/.logs/machine_log.csv" | grep -qx "host_ns,$titles" || complain "samples are not on the host's clock"
"$program" report "$scratch/run" --format json -q >"$scratch/report.json"
got=$(jq '.data.machine | .low_clock_percent > 2 and .low_clock_percent <= 100 and .low_clock_mhz == 500' "$scratch/report.json")
[ "$got" = true ] || complain "recorded run: $(jq -c .data.machine "$scratch/report.json"), $(cat "$scratch/run/.logs/machine_log.csv")"
"$program" trace "$scratch/run" --format chrome-json -q -o "$scratch/trace.json"
for track in 'AICLK (sampled)' 'Core power' Temperature; do
    grep -q "\"$track" "$scratch/trace.json" || complain "no track '$track'"
done
"$program" ops "$scratch/run" -q >/dev/null
find "$scratch/run/reports" -name machine_log.csv | grep -q . || complain "the samples do not stay with the report"
"$program" record -q -o "$scratch/wrong" --root "$scratch/no-such-folder" --no-report -- touch "$scratch/ran" >"$scratch/err" 2>&1
check "a wrong --root fails: 125" test $? -eq 125
check "before the command starts" test ! -e "$scratch/ran"
"$program" record -q -o "$scratch/none" --root "$scratch/tree" --sample-rate 0 --no-report -- "$bin/synth_workload" \
    --seed 1 >"$scratch/out" 2>&1 || complain "record without samples: $(cat "$scratch/out")"
[ ! -e "$scratch/none/.logs/machine_log.csv" ] || complain "--sample-rate 0 writes samples"
exit $failed
