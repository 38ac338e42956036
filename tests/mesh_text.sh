#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_text.sh BIN_DIR SOURCE_DIR - what mesh, merge and advise print about a synthetic run of many chips, in 80 columns.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
COLUMNS=80
export COLUMNS
"$program" synth -q -o run --ranks 4 --mesh 4x8 --straggler 2:3 || exit 2

# The plan names the slow chip and its op, also if the entry is not the first.
"$program" advise -q run >said || complain "advise: exit status $?"
contains "$(tr -s ' \n' ' ' <said)" 'the others \(device 2:3 at \[2,3\], mostly in Matmul\), 10 ops' ||
    complain "advise does not name the slow chip: $(cat said)"
awk '{ gsub(/[^ -~]/, "") } length > 80' said | grep . && complain "advise: lines over 80 columns"

# Shades on the map are not units: no character follows a number.
"$program" mesh run >said || complain "mesh: exit status $?"
contains "$(cat said)" '█ 119\.3 ' || complain "the slow chip is not marked on the map: $(cat said)"
sed -n '/^Map/,/^$/p' said | grep -E '[0-9][%@#*=+:.-]( |$)' && complain "a shade follows a number"

# Op codes as in reports, with the input that tells them apart, and the share of the links in a hundred.
contains "$(cat said)" '^  AllGatherAsync +1x1x32x512 +60 .* 77 % ' || complain "collectives: $(cat said)"
contains "$(cat said)" 'Idle vs median' || complain "idle time does not say what it is compared with"
# Shares of devices are that of the headline.
contains "$(cat said)" 'of all devices \(12\.4 %\)' || complain "the headline: $(cat said)"
check "the share of 2:3" test "$("$program" mesh run --table devices --columns excess_percent --where 'name == "2:3"' \
    --format csv | sed -n '2s/\(12\.[34]\).*/\1/p')" != ""
contains "$(tr -s ' \n' ' ' <said)" 'mostly in Matmul \(14\.9 % longer\)' || complain "how slow the chip is: $(cat said)"
contains "$(cat said)" '^idle: 4[0-9] % of the critical path' || complain "late hosts are not named: $(cat said)"
lacks "$(cat said)" '-0\.0( |$)' || complain "a zero has a sign: $(cat said)"
# What is due to the last is a part of the wait; collectives of one device alone are those that it takes part in.
awk '/waiting for others/ { all = $4 } /of it due to the last/ { part = $7 } END { exit !(part > 0 && part <= all) }' said ||
    complain "the last costs more than all waits: $(cat said)"
check "collectives of one device: $("$program" mesh -q run --device 2:3 --table classes --columns count --format csv | tr '\n' ' ')" \
    test "$("$program" mesh -q run --device 2:3 --table classes --columns count --format csv | awk 'NR > 1 { n += $1 } END { print n }')" -eq 39
contains "$("$program" mesh --format md --top 3 run)" '^\.\.\. and [0-9]+ more' || complain "Markdown has no line about more rows"
# A slow chip off the critical path delays no other: its gain is what the path would lose.
"$program" synth -q -o late --ranks 4 --mesh 4x8 --straggler 2:3 --wander 500 --hosts 2 || exit 2
if command -v python3 >/dev/null; then
    "$program" mesh -q --format json late >late.json
    "$program" advise -q --format json late >advice.json
    python3 - <<'END' || complain "the gain of a slow chip exceeds what the critical path would lose"
import json
device = next(d for d in json.load(open("late.json"))["data"]["devices"] if d["name"] == "2:3")
assert device["path_excess_us"] < 0.2 * device["iteration_excess_us"], device["path_excess_us"]
text = json.dumps(json.load(open("advice.json")))
plan = json.load(open("advice.json"))["data"]
entries = [e for e in next(v for k, v in plan.items() if isinstance(v, list) and v and isinstance(v[0], dict) and "rule" in v[0])]
gain = sum(e.get("gain_us", 0) or 0 for e in entries if e["rule"] == "straggler")
assert gain < 0.2 * device["iteration_excess_us"], gain
END
fi
# An op that causes an excess has one above 0.
"$program" mesh run --table devices --columns op,op_us --format csv |
    tr -d "\r" | awk -F, 'NR > 1 && ($1 == "") != ($2 == "") || $2 + 0 < 0 { bad = 1 } END { exit bad }' || complain "an op below the median is named"

# --columns is about the chosen table.
contains "$("$program" mesh --table devices --columns help)" '^since_us' || complain "--table devices --columns help"
contains "$("$program" merge --table ranks --columns help)" '^unmatched' || complain "merge --table ranks --columns help"
contains "$("$program" mesh run --table devices --columns device,excess_us)" '^  2:3 +357\.8$' || complain "--columns device is blank"

# A rank that ends before the others is named; its other ops match.
for report in run/rank2/reports/*/*.csv; do
    head -n 641 "$report" >cut.csv && mv cut.csv "$report"
done
contains "$("$program" mesh run | tr -s ' \n' ' ')" 'rank 2 has fewer ops \([0-9]+\) than the others \(102\): it may have ended early' ||
    complain "a rank that ended early is not named"

# A long name of a file that exists does not push the list of missing ones over the edge.
"$program" info run/rank0 2>/dev/null >said
awk '{ gsub(/[^ -~]/, "") } length > 80' said | grep . && complain "info: lines over 80 columns"
finish
