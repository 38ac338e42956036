#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# host_cost.sh - what looking at the machine costs, as JSON lines:
#   doctor  `tt-perf doctor --quick` against cat(1) of the very files it reads, start to exit, turn by
#           turn on a made-up machine of four chips; bar: 5 times
#   top     share of one processor that `tt-perf top` takes at its default rate; bar: 1 %
#   record_sampling
#           share of one processor that `tt-perf record` takes to sample the boards ten times a second, and the
#           rows a second it writes while the clock of a chip changes all the time; bars: 0.1 % and 9.5 rows
# ROUNDS (21) is how often each of the first two runs, SECONDS_TOP (10) how long the third, SECONDS_RECORD (30) how
# long the recording. Needs build/release. The names of the files come from a recording.
set -u
BAR=5 BAR_TOP=1 BAR_SAMPLING=0.1 BAR_ROWS=9.5
rounds=${ROUNDS:-21}
seconds=${SECONDS_TOP:-10}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
data=$root/tests/data/host
needs tt-perf timed
sh "$data/unpack.sh" "$data/galaxy.tree" "$scratch/t" || exit 2
"$bin/tt-perf" doctor --quick -q --root "$scratch/t" --record "$scratch/r.tar" || exit 2
# Files only: links and the nodes of /dev are not read.
tar tvf "$scratch/r.tar" | sed -n 's|^-.* \([^ ]*\)$|\1|p' | grep -v -e '^dev/' -e '^tt-perf/' >"$scratch/files"
count=$(wc -l <"$scratch/files")

cd "$scratch/t" || exit 2
i=0
while [ "$i" -lt "$rounds" ]; do
    ours=$("$bin/timed" "$bin/tt-perf" doctor --quick --root "$scratch/t")
    # shellcheck disable=SC2046 # names without blanks, one word each
    theirs=$("$bin/timed" cat $(cat "$scratch/files"))
    echo "${ours%% *} ${theirs%% *}"
    i=$((i + 1))
done >"$scratch/times"
ratio=$(awk '{ print $1 / $2 }' "$scratch/times" | sort -n | sed -n "$((rounds / 2 + 1))p")
best=$(awk '{ print $1 }' "$scratch/times" | sort -n | head -n 1)
echo "{\"bench\":\"doctor\",\"files\":$count,\"doctor_s\":$best,\"vs_cat\":$ratio,\"bar\":$BAR}"
awk -v r="$ratio" -v b="$BAR" 'BEGIN { exit !(r > b) }' && status=1

# sh counts processor time in hundredths of a second, bash in thousandths.
# shellcheck disable=SC2016 # expanded by that shell
cpu=$(bash -c 'TIMEFORMAT="%U %S"; time "$1" top --format ndjson --count "$2" --root "$3" >/dev/null' \
    bash "$bin/tt-perf" $((seconds * 2)) "$scratch/t" 2>&1)
share=$(echo "$cpu" | awk -v s="$seconds" '{ print 100 * ($1 + $2) / s }')
echo "{\"bench\":\"top\",\"chips\":4,\"interval_s\":0.5,\"cpu_pct\":$share,\"bar\":$BAR_TOP}"
awk -v r="$share" -v b="$BAR_TOP" 'BEGIN { exit !(r > b) }' && status=1

# What the samples took, by the clock of their thread: record itself looks for new processes all the time, and the
# processor time of the whole command varies by more than the bar. Sampling adds no wake-ups, so nothing else is left.
length=${SECONDS_RECORD:-30}
# A sample is written only if something changed: every one finds another clock.
clock=$(find "$scratch/t/sys" -name tt_aiclk | head -n 1)
[ -n "$clock" ] || die "the made-up machine has no clock"
mhz=900
while :; do
    mhz=$((mhz < 1300 ? mhz + 1 : 900))
    echo $mhz >"$clock"
    sleep 0.02
done &
changes=$!
"$bin/tt-perf" record -v --no-report --root "$scratch/t" -o "$scratch/run" -- sleep "$length" >/dev/null 2>"$scratch/said"
kill "$changes"
# "301 samples of the boards in 30.005 s took 0.012345 s of processor time"
figures=$(sed -n 's/.* \([0-9]*\) samples of the boards in \([0-9.]*\) s took \([0-9.]*\) s of.*/\1 \2 \3/p' "$scratch/said")
[ -n "$figures" ] || die "record does not tell what sampling took"
share=$(echo "$figures" | awk '{ print 100 * $3 / $2 }')
each=$(echo "$figures" | awk '{ print 1e6 * $3 / $1 }')
# rows of the chip whose clock changes: a row per sample
rows=$(find "$scratch/run" -name machine_log.csv -exec awk -F , 'NR > 1 { n[$2]++ }
    END { for (c in n) if (n[c] > most) most = n[c]; print most + 0 }' {} +)
rate=$(echo "$figures" | awk -v n="${rows:-0}" '{ print n / $2 }')
echo "{\"bench\":\"record_sampling\",\"chips\":4,\"seconds\":$length,\"sample_us\":$each,\"cpu_pct\":$share,\"rows_s\":$rate,\"bar\":$BAR_SAMPLING,\"bar_rows\":$BAR_ROWS}"
awk -v r="$share" -v b="$BAR_SAMPLING" 'BEGIN { exit !(r > b) }' && status=1
awk -v r="$rate" -v b="$BAR_ROWS" 'BEGIN { exit !(r < b) }' && status=1
exit "$status"
