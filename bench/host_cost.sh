#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# host_cost.sh - what looking at the machine costs, as JSON lines:
#   doctor  `tt-perf doctor --quick` against cat(1) of the very files it reads, start to exit, turn by
#           turn on a made-up machine of four chips; bar: 5 times
#   top     share of one processor that `tt-perf top` takes at its default rate; bar: 1 %
#   record_sampling
#           share of one processor that sampling the boards ten times a second adds to `tt-perf record`, and the
#           rows a second it writes while the clock of a chip changes; bar: 0.1 %
# ROUNDS (21) is how often each of the first two runs, SECONDS_TOP (10) how long the third, SECONDS_RECORD (10) how
# long each of six recordings. Needs build/release. The names of the files come from a recording.
set -u
BAR=5 BAR_TOP=1 BAR_SAMPLING=0.1
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

# The same command with ten samples a second and with one, turn by turn: what nine of them add, whatever else record
# does, such as reading all files once at its start.
length=${SECONDS_RECORD:-10}
record() # samples a second, folder
{
    # shellcheck disable=SC2016 # expanded by that shell
    bash -c 'TIMEFORMAT="%U %S"; time "$1" record -q --no-report --sample-rate "$2" --root "$3" -o "$4" -- sleep "$5" \
        >/dev/null 2>&1' bash "$bin/tt-perf" "$1" "$scratch/t" "$scratch/$2" "$length" 2>&1 | awk '{ print $1 + $2 }'
}
# Every sample is written only if something changed.
clock=$(find "$scratch/t/sys" -name tt_aiclk | head -n 1)
[ -n "$clock" ] || die "the made-up machine has no clock"
while :; do
    for mhz in 1000 990; do
        echo $mhz >"$clock"
        sleep 0.02
    done
done &
changes=$!
for round in 1 2 3; do
    echo "$(record 10 with_$round) $(record 1 without_$round)"
done >"$scratch/sampling"
kill "$changes"
share=$(awk -v s="$length" '{ print 100 * ($1 - $2) / s * 10 / 9 }' "$scratch/sampling" | sort -g | sed -n 2p)
# rows of one chip: a row per sample, less those that found the same clock again
rows=$(find "$scratch/with_2" -name machine_log.csv -exec awk -F , 'NR > 1 { n[$2]++ }
    END { for (c in n) if (n[c] > most) most = n[c]; print most + 0 }' {} +)
rate=$(awk -v n="${rows:-0}" -v s="$length" 'BEGIN { print n / s }')
echo "{\"bench\":\"record_sampling\",\"chips\":4,\"cpu_pct\":$share,\"rows_s\":$rate,\"bar\":$BAR_SAMPLING}"
awk -v r="$share" -v b="$BAR_SAMPLING" 'BEGIN { exit !(r > b) }' && status=1
[ "${rows:-0}" -gt 0 ] || status=1
exit "$status"
