#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh.sh BIN_DIR SOURCE_DIR - many ranks and devices as one run: synthetic runs whose clocks are known, and real ones.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
originals mesh

# ranks CASE - its reports as RANK=CSV
ranks()
{
    for report in "$folder/golden/$1"/rank*/reports/*/*.csv; do
        rank=${report#"$folder/golden/$1/rank"}
        printf '%s=%s\n' "${rank%%/*}" "$report"
    done
}

for case in "$folder"/golden/*/; do
    case=$(basename -- "$case")
    limit=3
    [ "$case" != wander_2x4 ] || limit=5
    # shellcheck disable=SC2046 # one word a report; the scratch folder has no blanks
    "$bin/mesh_check" golden "$folder/golden/$case/truth.json" "$folder/golden/$case/expected.json" $limit \
        $(ranks "$case") >"$scratch/said" || complain "$case: $(cat "$scratch/said")"
done

# Rows that may be set aside: 5 of 3,360 with 32 chips, else 1 in 100.
check "32 chips" "$bin/mesh_check" real 5 "$folder/real/galaxy_32.csv" >"$scratch/said"
contains "$(cat "$scratch/said")" '^axis 0 ring 8: 4 groups, .* proven 0' || complain "32 chips: axis 0 is not reported as unprovable"
contains "$(cat "$scratch/said")" '^axis 1 ring 4: 8 groups, .* proven 1' || complain "32 chips: axis 1 is not proven"
for run in gpt-01_after l70-05_after l70-05_before l8bh-02_after l8bh-02_before mus-15_after mus-16_before mus-17_after; do
    "$bin/mesh_check" real 0 "$folder/real/$run.csv" >"$scratch/said" || complain "$run: $(cat "$scratch/said")"
done
# Clocks that part by a tenth within milliseconds: nothing is reported about them, and nothing is set aside.
"$bin/mesh_check" real 0 "$folder/real/mus-17_before.csv" >"$scratch/said" && complain "mus-17_before: aligned"
contains "$(cat "$scratch/said")" '^note: rings of 4: more than 3 % of their rows contradict' ||
    complain "mus-17_before: does not say why its clocks are not aligned"

# Runs of our own, whose clocks are known too.
made()
{
    limit=$1
    shift
    rm -rf "$scratch/made"
    "$program" synth -q -o "$scratch/made" "$@" || complain "synth $*"
    set --
    for report in "$scratch"/made/rank*/reports/*/*.csv; do
        rank=${report#"$scratch/made/rank"}
        set -- "$@" "${rank%%/*}=$report"
    done
    "$bin/mesh_check" golden "$scratch/made/truth.json" - "$limit" "$@" >"$scratch/said"
}
for seed in 1 2 3; do
    made 3 --seed $seed --ranks 4 --mesh 4x8 --straggler 2:3 || complain "4x8, seed $seed: $(cat "$scratch/said")"
    made 5 --seed $seed --ranks 4 --mesh 4x4 --straggler 1:3 --wander 1000 ||
        complain "4x4 that wanders, seed $seed: $(cat "$scratch/said")"
    made 3 --seed $seed --ranks 8 --straggler 5:0 --arch blackhole || complain "1x8, seed $seed: $(cat "$scratch/said")"
done

# The verb: ranks in any order, from one folder or from several, give the same bytes.
cd "$scratch" || exit 2
run=$scratch/made
"$program" mesh --format json "$run" >whole.json || complain "mesh: exit status $?"
mkdir -p hosts/a hosts/b
for rank in 0 1 2 3 4 5 6 7; do
    host=a
    [ $((rank % 2)) -eq 0 ] || host=b
    cp -R "$run/rank$rank" hosts/$host
    mkdir -p "hosts/a/rank$rank/reports" # as tt-run makes them on the host that it runs on
done
data() # of a document, without the names of its inputs
{
    sed 's/.*"data":{/{/' "$1"
}
for operands in hosts "hosts/b hosts/a" "$run/rank3 $run/rank1 $run/rank0 $run/rank2 $run/rank7 $run/rank6 $run/rank5 $run/rank4"; do
    # shellcheck disable=SC2086 # several operands
    "$program" mesh --format json $operands >parts.json || complain "mesh $operands: exit status $?"
    check "mesh $operands gives the same" test "$(data whole.json | cksum)" = "$(data parts.json | cksum)"
done
for format in csv md svg text; do
    "$program" mesh --format $format "$run" >out.$format || complain "mesh --format $format: exit status $?"
    check "mesh --format $format prints something" test -s out.$format
done

# A missing rank is named first; a rank twice, and ranks of different jobs, are refused.
rm -rf hosts/b/rank3 hosts/a/rank3
contains "$("$program" mesh hosts | head -n 1)" '^8 ranks \(1 missing: 3\), 7 devices' || complain "rank 3 is not missed"
cp -R hosts/a/rank2 hosts/b
"$program" mesh hosts 2>said >/dev/null
check "a rank twice is refused" test $? -eq 3
contains "$(cat said)" 'are both rank 2' || complain "a rank twice: $(cat said)"
rm -rf hosts/b/rank2
mkdir -p hosts/a/rank0/.logs hosts/b/rank1/.logs
echo '{"rank": 0, "size": 8, "job": "one"}' >hosts/a/rank0/.logs/rank.json
echo '{"rank": 1, "size": 8, "job": "two"}' >hosts/b/rank1/.logs/rank.json
"$program" mesh hosts 2>said >/dev/null
check "different jobs are refused" test $? -eq 3
contains "$(cat said)" 'belong to different jobs' || complain "different jobs: $(cat said)"
echo '{"rank": 1, "size": ' >hosts/b/rank1/.logs/rank.json
"$program" mesh hosts 2>said >out
check "a broken rank.json does not end the others" test $? -eq 1
contains "$(cat said)" 'rank 1 cannot be read: .*rank1/.logs/rank.json' || complain "a broken rank.json is not named: $(cat said)"
contains "$(cat out)" 'missing: 1 ' || complain "a rank with a broken rank.json is not missing: $(cat out)"

# Two jobs in one folder: which ranks are of which.
echo '{"rank": 1, "size": 8, "job": "two", "start": {"realtime_ns": 5}}' >hosts/b/rank1/.logs/rank.json
"$program" mesh hosts 2>said >/dev/null
contains "$(cat said)" 'one job has rank 0, another rank 1' || complain "two jobs: $(cat said)"
rm hosts/b/rank1/.logs/rank.json

# A damaged rank is left out by every verb that merges, and named; without any other it ends the verb.
"$program" synth -q -o damaged --ranks 4 --mesh 4x2 || exit 2
: >"$(ls damaged/rank1/reports/*/*.csv)"
for verb in mesh report advise 'trace -o damaged.pftrace' 'ops -o damaged_ops'; do
    # shellcheck disable=SC2086 # with its options
    "$program" $verb damaged >out 2>said
    check "$verb with a damaged rank: exit status" test $? -eq 1
    contains "$(cat said)" 'rank 1 cannot be read: .*the file is empty' || complain "$verb: a damaged rank is not named: $(cat said)"
done
mkdir alone && cp -R damaged/rank1 alone
"$program" mesh alone >/dev/null 2>&1
check "a damaged rank alone" test $? -eq 3

# Shapes are compared as numbers: one empty cell, which makes its column one of 1.0, costs one row.
"$program" synth -q -o blank --ranks 2 --mesh 2x4 || exit 2
report=$(ls blank/rank1/reports/*/*.csv)
column=$(head -n 1 "$report" | tr ',' '\n' | grep -n '^INPUT_0_W' | cut -d: -f1)
if command -v python3 >/dev/null; then
    python3 - "$report" "$column" <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
rows[-1][int(sys.argv[2]) - 1] = ""
csv.writer(open(sys.argv[1], "w", newline="")).writerows(rows)
END
    "$program" mesh blank >out || complain "an empty cell: exit status $?"
    lacks "$(cat out)" '1\.0x' || complain "a shape of 1.0: $(cat out)"
    contains "$(cat out)" '^102 ops in 3 iterations' || complain "an empty cell unmatches a rank: $(cat out)"
fi

# A rank whose rows are there twice is left out and named: its ops would count twice.
"$program" synth -q -o twice --ranks 2 --mesh 2x4 || exit 2
report=$(ls twice/rank1/reports/*/*.csv)
sed 1d "$report" >more.csv && cat more.csv >>"$report"
"$program" mesh twice >out 2>err
status=$?
[ "$status" -eq 1 ] || complain "rows that are there twice: exit status $status: $(cat err)"
contains "$(cat out)" '^102 ops in 3 iterations' || complain "rows that are there twice: $(cat out)"
contains "$(tr -s ' \n' ' ' <err)" 'rank 1 cannot be read: .*the execution of line 2 again' || complain "repeated rows are not named: $(cat err)"
contains "$("$program" report twice 2>&1 | tr -s ' \n' ' ')" 'the execution of line 2 again' || complain "report: repeated rows are not named"

# Ranks that run other programs besides lack a match there, and did not end early.
"$program" mesh --table ranks "$folder/golden/mpmd_2x4" >out
contains "$(cat out)" '^ +1 +4 +117 +15 ' || complain "ops of one rank alone are matched: $(cat out)"
lacks "$(cat out)" 'ended early' || complain "a rank with other programs ended early: $(cat out)"

# Mapping files count before the order of the host.
"$program" synth -q -o placed --ranks 1 --mesh 2x4 || exit 2
mkdir -p placed/rank0/.logs
printf 'chips:\n  0: [0, 0]\n  1: [0, 1]\n  2: [0, 2]\n  3: [0, 3]\n  4:\n    - 1\n    - 0\n  5: [1, 1]\n  6: [1, 2]\n  7: [1, 3]\n' \
    >placed/rank0/.logs/physical_chip_mesh_coordinate_mapping_1_of_1.yaml
contains "$("$program" mesh --table groups placed)" ' 4  files ' || complain "mapping files are not used"
echo '  8: [1]' >>placed/rank0/.logs/physical_chip_mesh_coordinate_mapping_1_of_1.yaml
"$program" mesh placed >/dev/null 2>said
check "a broken mapping file is refused" test $? -eq 3
contains "$(cat said)" 'yaml:12: .*is not .CHIP' || complain "a broken mapping file: $(cat said)"

# Rows that have no nanoseconds: the clock of each device is the one that rank.json has for it.
"$program" synth -q -o noted --ranks 2 --mesh 2x4 --hosts 1 || exit 2
"$program" mesh -q --table devices --columns device,ghz,excess_us --format csv noted >with_times
cat >cut.py <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for row in rows:
    row["DEVICE FW DURATION [ns]"] = ""
with open(sys.argv[1], "w", newline="") as out:
    w = csv.DictWriter(out, rows[0].keys())
    w.writeheader()
    w.writerows(rows)
END
for rank in 0 1; do
    python3 cut.py "$(ls noted/rank$rank/reports/*/*.csv)" || skip "no python3"
done
contains "$("$program" mesh noted 2>&1)" 'its times are not used' || complain "clocks come from nowhere"
for rank in 0 1; do
    sed -i 's/"size"/"devices": [{"id": 0, "mhz": 1000}, {"id": 1, "mhz": 1000}, {"id": 2, "mhz": 1000}, {"id": 3, "mhz": 1000, "arch": "x"}], "size"/' \
        noted/rank$rank/.logs/rank.json
done
"$program" mesh -q --table devices --columns device,ghz,excess_us --format csv noted >with_clocks
check "clocks of rank.json give the same times" cmp -s with_times with_clocks

# A rank that lost an iteration: the shift is found if iterations differ, else it is in doubt until told.
cut_iteration() # folder: rank 1 without its first iteration
{
    report=$(ls "$1"/rank1/reports/*/*.csv)
    awk -F, 'NR == 1 || seen { print; next } /^Embeddings/ && before !~ /^Embeddings/ && ++n == 2 { seen = 1; print }
        { before = $0 }' "$report" >cut.csv && mv cut.csv "$report"
}
for even in '' --even; do
    "$program" synth -q -o cut$even --ranks 2 --mesh 2x4 --iterations 4 $even || exit 2
    cut_iteration cut$even
    "$program" mesh --table ranks cut$even >said
    status=$?
    if [ -z "$even" ]; then
        check "a shift that can be told: $status" test $status -eq 0
        contains "$(cat said)" '^ +1 +4 +102 +0 +34 +1$' || complain "the shift is wrong: $(cat said)"
    else
        check "a shift in doubt ends with 7, not $status" test $status -eq 7
        contains "$(tr -s ' \n' ' ' <said)" 'rank 1: [0-9]+ possible shifts relative to the others: .*0, 34' ||
            complain "a shift in doubt: $(cat said)"
        contains "$("$program" mesh --shift 1=10 cut$even | tr -s ' \n' ' ')" 'with shift 10 102 of 102 ops have no match .*: .*0, 34' ||
            complain "a shift that fits nothing"
        "$program" mesh --shift 9=3 cut$even >/dev/null 2>&1
        check "a shift of a rank that is not there" test $? -eq 2
        "$program" mesh --shift 1=34 --table ranks cut$even >said
        check "a shift that was told" test $? -eq 0
    fi
done

# One rank that lost an iteration does not cost the others their place, although they come after it.
"$program" synth -q -o after --ranks 8 --mesh 8x4 --seed 45 --iterations 4 --straggler 0:0 --arch blackhole || exit 2
cut_iteration after
"$program" mesh --table ranks after >said
check "seven complete ranks and one that lost an iteration: exit status $?" test $? -eq 0
contains "$(cat said)" '^ +1 +4 +102 +0 +34 ' || complain "the shift of one of eight ranks: $(cat said)"
lacks "$(cat said)" '^ +7 +4 +136 +136 ' || complain "a complete rank has no partners: $(cat said)"

# More shifts than can be tried: the right one is among those that are.
for even in '' --even; do
    "$program" synth -q -o many$even --ranks 2 --mesh 2x1 --layers 2 --iterations 150 $even || exit 2
    cut_iteration many$even
    "$program" mesh --table ranks many$even >said
    check "150 iterations $even: exit status $?" test $? -eq $((${#even} ? 7 : 0))
done
"$program" synth -q -o many_hosts --ranks 2 --mesh 2x1 --layers 2 --iterations 150 --even --hosts 1 || exit 2
cut_iteration many_hosts
contains "$("$program" mesh --table ranks many_hosts)" '^ +1 +host0 +1 +1490 +0 +10 +[0-9]+$' ||
    complain "150 even iterations: one host does not decide"
contains "$("$program" mesh --table ranks many)" '^ +1 +1 +1490 +0 +10 +1$' || complain "150 iterations: the shift is wrong"

# Clocks of hosts decide where those of chips cannot: on one host always, on two if an iteration is longer than twice
# their error.
for hosts in 1 2; do
    "$program" synth -q -o hosts$hosts --ranks 2 --mesh 2x4 --iterations 4 --even --hosts $hosts || exit 2
    cut_iteration hosts$hosts
    "$program" mesh --table ranks hosts$hosts >said
    check "$hosts hosts decide a shift: exit status $?" test $? -eq $((hosts == 1 ? 0 : 7))
done
contains "$("$program" mesh --table ranks hosts1)" '^ +1 +host0 +4 +102 +0 +34 +4$' || complain "one host chose another shift"
contains "$("$program" mesh hosts1)" 'rank 1: host clocks chose shift 34' || complain "no note about the choice of hosts"
# Longer iterations: 1.7 ms between the clocks of two hosts no longer matter.
"$program" synth -q -o long --ranks 2 --mesh 2x4 --iterations 4 --even --hosts 2 --layers 60 || exit 2
cut_iteration long
"$program" mesh --table ranks long >said
check "iterations of 20 ms: two hosts decide" test $? -eq 0
"$program" mesh --host-clock-error 50000 long >/dev/null
check "not if their clocks are worse" test $? -eq 7
"$program" mesh --host-clock-error -1 long >/dev/null 2>&1
check "a negative error is wrong usage" test $? -eq 2

# Ranks that no collective connects: two time lines, placed by their hosts within bounds that hold the truth.
"$program" synth -q -o apart --ranks 2 --mesh 2x4 --hosts 2 || exit 2
for report in apart/rank*/reports/*/*.csv; do
    sed '/^AllBroadcast/d' "$report" >cut.csv && mv cut.csv "$report"
done
contains "$("$program" mesh apart)" '^2 time lines: only clocks of hosts relate them' || complain "time lines are not related"
"$program" ops -q -o apart_ops apart >/dev/null 2>&1
contains "$(cut -d, -f1 apart_ops/*.csv | sort -u | tr '\n' ' ')" '0 1 RANK' || complain "ops of two time lines"
if command -v python3 >/dev/null; then
    "$program" mesh --format json apart >apart.json
    python3 - <<'END' || complain "the truth is outside the bounds of the hosts"
import json
mesh, truth = json.load(open("apart.json"))["data"], json.load(open("apart/truth.json"))
base = {tuple(d["device"]): d["base_cycle"] for d in mesh["devices"]}
def true_ns(rank):
    d = next(d for d in truth["devices"] if (d["rank"], d["id"]) == (rank, 0))
    return (base[(rank, 0)] - d["cycles_at_0"]) / d["nominal_ghz"] / (1 + d["ppm"] * 1e-6)
line = mesh["timeline_offsets"][1]
offset = (true_ns(1) - true_ns(0)) / 1000
assert line["related"] and line["low_us"] <= offset <= line["high_us"], (line, offset)
assert abs(line["offset_us"] - offset) < 5000, (line, offset)
END
fi

# Clocks that keep their rates, and links that keep their peak: narrower bounds, which still hold the truth. The critical path is
# as long as the run, also if the device that all wait for began late.
if command -v python3 >/dev/null; then
    cat >narrow.py <<'END'
import json, sys
usual, narrow, truth = (json.load(open(f)) for f in sys.argv[1:4])
usual, narrow = usual["data"], narrow["data"]
true = {(d["rank"], d["id"]): d for d in truth["devices"]}
reference = tuple(narrow["reference"])
def own(d, t):
    c = true[tuple(d["device"])]
    return (c["cycles_at_0"] + c["nominal_ghz"] * t * (1 + c["ppm"] * 1e-6) - d["base_cycle"]) / d["ghz"]
def when(d, own_ns):
    c = true[tuple(d["device"])]
    return (d["base_cycle"] + own_ns * d["ghz"] - c["cycles_at_0"]) / c["nominal_ghz"] / (1 + c["ppm"] * 1e-6)
first = next(d for d in narrow["devices"] if tuple(d["device"]) == reference)
width = []
for i in range(3):
    at = narrow["grid_ns"][4 * i]
    for d, u in zip(narrow["devices"], usual["devices"]):
        theta = at - own(d, when(first, at))
        low, high = d["theta_ns_at_start_mid_end"][i]
        assert low - 5 <= theta <= high + 5, "%s: %.0f is not in %.0f to %.0f" % (d["name"], theta, low, high)
        if d is not first:
            width.append((high - low) / (u["theta_ns_at_start_mid_end"][i][1] - u["theta_ns_at_start_mid_end"][i][0]))
assert max(width) <= 1 and sorted(width)[len(width) // 2] < float(sys.argv[4]), width
path = narrow["critical_path"]["path_us"]
assert abs(path / narrow["span_us"] - 1) < 0.005, (path, narrow["span_us"])
END
    for made in "$folder"/golden/steady_2x4 "$folder"/golden/one_process_4x8 "$folder"/golden/two_rates_2x4; do
        "$program" mesh --format json "$made" >usual.json
        "$program" mesh --steady --format json "$made" >narrow.json
        python3 narrow.py usual.json narrow.json "$made/truth.json" 0.995 || complain "--steady of $(basename -- "$made")"
        "$program" mesh --link-model --format json "$made" >narrow.json
        python3 narrow.py usual.json narrow.json "$made/truth.json" 0.995 || complain "--link-model of $(basename -- "$made")"
    done
fi
"$program" synth -q -o wanders --ranks 2 --mesh 2x2 --layers 2 --iterations 40 --wander 8000 || exit 2
contains "$("$program" mesh --steady wanders)" 'do not keep their rates: --steady does not apply' ||
    complain "--steady does not say that clocks wander"
printf '[n150]\nlink_gbs = 25\n' >twice.conf
share() # the first class of collectives
{
    "$program" mesh --table classes --columns link_share --format csv "$@" "$folder/golden/steady_2x4" | sed -n 2p
}
check "link_gbs of a user's board halves the share" awk "BEGIN { exit !($(share) > 1.9 * $(share --boards twice.conf)) }"

# Meshes of their own with the same coordinates, on two hosts: all chips are on the map, with a line between the hosts.
"$program" synth -q -o meshes --ranks 2 --mesh 2x2 --hosts 2 || exit 2
for rank in 0 1; do
    sed -i "s/\"host\"/\"environment\": {\"TT_MESH_ID\": \"$rank\"}, \"host\"/" meshes/rank$rank/.logs/rank.json
    printf 'chips:\n  0: [0, 0]\n  1: [0, 1]\n' \
        >meshes/rank$rank/.logs/physical_chip_mesh_coordinate_mapping_$((rank + 1))_of_2.yaml
done
map=$("$program" mesh --map compute --table devices meshes | sed -n '/^Map/,$p')
check "both meshes are on the map: $map" test "$(printf '%s\n' "$map" | grep -Ec '^ .*[0-9]+\.[0-9] .* [0-9]+\.[0-9]$')" -eq 2
contains "$map" '^ +-+ +-+$' || complain "no line between the hosts: $map"
check "both meshes are in the picture" test "$("$program" mesh --format svg meshes | grep -c '<title>[01]:')" -eq 4

# No transfer of a synthetic run needs more than its link has.
"$program" synth -q -o wide --ranks 2 --mesh 2x16 || exit 2
lacks "$("$program" mesh wide)" 'more than 100 % of their links' || complain "a synthetic link carries more than its peak"

# Exit status.
"$program" mesh --shift x "$run" 2>/dev/null >&2
check "a bad --shift is wrong usage" test $? -eq 2
printf 'a,b\n1,2\n' >other.csv
"$program" mesh other.csv 2>/dev/null >&2
check "another CSV is bad input" test $? -eq 3
"$program" mesh nowhere 2>/dev/null >&2
check "what is not there cannot be read" test $? -eq 5

finish
