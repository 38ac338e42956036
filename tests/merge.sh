#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# merge.sh BIN_DIR SOURCE_DIR - ranks merged by their tables: a folder, folders of hosts and parts give the same bytes; the
# straggler is the planted one; a rank that cannot be read costs no other.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
command -v python3 >/dev/null || skip "no python3"
originals mesh
cd "$scratch" || exit 2

cat >check.py <<'END'
import json, sys
merged, mesh, truth = (json.load(open(f)) for f in sys.argv[1:4])
merged, mesh = merged["data"], mesh["data"]
assert not merged["failed_ranks"] and not merged["doubtful_ranks"]
assert all(r["missing"] or 0 < r["sent_bytes"] <= 400000 for r in merged["ranks"]), "a table is larger than 400 KB"
worst = max(merged["devices"], key=lambda d: d["excess_us"])
assert [worst["rank"], worst["id"]] == truth["straggler"], "straggler %s" % worst["name"]
assert worst["op"] == "MatmulDeviceOperation", worst["op"]
assert [d["name"] for d in merged["devices"]] == sorted((d["name"] for d in mesh["devices"]), key=lambda n: [int(x) for x in n.split(":")])
# the same clocks as in the mesh: skews agree but for its estimate among the members of a group alone
skew = {}
for c in mesh["collectives"]:
    skew.setdefault(c["op"], []).append(c["skew_us"])
off = []
for c in merged["collectives"]:
    off.append(min(abs(c["skew_us"] - s) for s in skew[c["op"]]))
assert sorted(off)[int(len(off) * 0.95)] < 3, "skews differ by %.2f us" % sorted(off)[int(len(off) * 0.95)]
assert sum(op["devices"] for op in merged["ops"]) == sum(d["rows"] - d["rows_without_times"] for d in merged["devices"])
END
for run in "$folder"/golden/*/; do
    "$program" merge -q --format json "$run" >whole.json || complain "merge $run: exit status $?"
    "$program" mesh -q --format json "$run" >mesh.json || complain "mesh $run: exit status $?"
    python3 check.py whole.json mesh.json "$run/truth.json" || complain "merge of $(basename -- "$run")"
done

# More collectives than are sent: the table keeps to its size, and the skews to the truth.
"$program" synth -q -o long --ranks 4 --mesh 4x8 --straggler 2:3 --iterations 80 || exit 2
"$program" merge -q --format json long >whole.json || complain "a long run: exit status $?"
"$program" mesh -q --format json long >mesh.json || complain "mesh of a long run: exit status $?"
python3 check.py whole.json mesh.json long/truth.json || complain "a long run"
python3 -c 'import json
ranks = json.load(open("whole.json"))["data"]["ranks"]
assert all(r["sent_bytes"] > 50000 for r in ranks)' || complain "a long run sends next to nothing"

# Folders of hosts, parts in any order, a folder of parts: the same bytes.
run=$folder/golden/two_rates_2x4
"$program" merge -q --format json "$run" >whole.json
mkdir -p hosts/a hosts/b parts
for rank in 0 1 2 3; do
    host=a
    [ $((rank % 2)) -eq 0 ] || host=b
    cp -R "$run/rank$rank" hosts/$host
    "$program" merge -q --part "$run/rank$rank" -o parts/$rank.ttpart || complain "--part of rank $rank: exit status $?"
done
for operands in hosts "hosts/b hosts/a" parts "parts/3.ttpart parts/0.ttpart parts/2.ttpart parts/1.ttpart" \
    "$run/rank2 parts/0.ttpart hosts/b"; do
    # shellcheck disable=SC2086 # several operands
    "$program" merge -q --format json $operands >other.json || complain "merge $operands: exit status $?"
    check "merge $operands gives the same" cmp -s whole.json other.json
done
for format in text csv md; do
    "$program" merge -q --format $format "$run" >out.$format || complain "merge --format $format: exit status $?"
    check "merge --format $format prints something" test -s out.$format
done
"$program" merge -q --table devices --where 'excess_us > 100' --columns name,op --format csv "$run" >said
check "a table, chosen: $(cat said)" test "$(wc -l <said)" -eq 2
# A folder in which only the part is left.
mkdir -p left/rank0/.logs left/rank1/.logs left/rank2/.logs left/rank3/.logs
for rank in 0 1 2 3; do
    cp parts/$rank.ttpart left/rank$rank/.logs/rank.ttpart
done
"$program" merge -q --format json left >other.json || complain "folders with parts alone: exit status $?"
check "folders with parts alone give the same" cmp -s whole.json other.json

# A rank that cannot be read: 1, named, and the rest is written. A rank twice is refused.
rm -rf hosts/b/rank3/reports
mkdir hosts/b/rank3/reports hosts/b/rank3/reports/x
echo junk >hosts/b/rank3/reports/x/ops_perf_results_x.csv
"$program" merge -q --format json hosts >other.json 2>said
check "an unreadable rank is a finding" test $? -eq 1
python3 -c 'import json
data = json.load(open("other.json"))["data"]
assert data["failed_ranks"] == 1 and data["ranks"][3]["error"] and len(data["devices"]) == 6' || complain "an unreadable rank"
rm -rf hosts/b/rank3
"$program" merge hosts >said 2>&1 || complain "a missing rank: exit status $?"
contains "$(cat said)" '^3 ranks, 6 devices' || complain "a rank that nothing speaks of: $(head -n 3 said)"
mkdir -p hosts/a/rank0/.logs
echo '{"rank": 0, "size": 4}' >hosts/a/rank0/.logs/rank.json
"$program" merge hosts >said 2>&1 || complain "a missing rank: exit status $?"
contains "$(cat said)" '^4 ranks \(1 missing: 3\), 6 devices' || complain "a missing rank: $(head -n 3 said)"
contains "$(head -n 1 said)" '1 of 4 ranks missing: 3$' || complain "merge does not say first who is missing: $(head -n 1 said)"
"$program" merge parts/0.ttpart parts/1.ttpart parts/0.ttpart >said 2>&1
check "one rank twice is refused" test $? -eq 3
contains "$(cat said)" "'parts/0.ttpart' and 'parts/0.ttpart' are both rank 0" || complain "one rank twice: $(cat said)"
# So is one whose rank.json is damaged. Folders of different jobs are refused, also if they are several operands.
mkdir -p hosts/b/rank1/.logs
echo '{"rank": 1, "size": ' >hosts/b/rank1/.logs/rank.json
"$program" merge -q --format json hosts >other.json 2>said
check "a damaged rank.json is a finding" test $? -eq 1
python3 -c 'import json
data = json.load(open("other.json"))["data"]
assert data["failed_ranks"] == 1 and data["ranks"][1]["error"] and len(data["devices"]) == 4' || complain "a damaged rank.json: $(cat said)"
echo '{"rank": 0, "size": 4, "job": "one"}' >hosts/a/rank0/.logs/rank.json
echo '{"rank": 1, "size": 4, "job": "two"}' >hosts/b/rank1/.logs/rank.json
"$program" merge hosts/a hosts/b >out 2>said
check "different jobs are refused" test $? -eq 3
contains "$(cat said)" 'belong to different jobs' || complain "different jobs: $(cat said)"
# Ranks are read by threads: any number gives the same bytes, also if one of the ranks cannot be read.
for threads in 1 2 3 16; do
    "$program" merge -q --threads $threads --format json "$run" >threads.json || complain "$threads threads: exit status $?"
    check "$threads threads give the same bytes" cmp -s whole.json threads.json
    "$program" merge -q --threads $threads --format json hosts >threads.json 2>&1
    [ $threads -gt 1 ] || cp threads.json one_thread.json
    check "$threads threads report the same of a rank that cannot be read" cmp -s one_thread.json threads.json
done
# Parts carry the job: those of different ones are refused, too; a part of before, which has none, fits all.
for rank in 0 1; do
    host=a
    [ $rank -eq 0 ] || host=b
    "$program" merge -q --part hosts/$host/rank$rank -o job$rank.ttpart || complain "--part with a job: exit status $?"
done
"$program" merge job0.ttpart job1.ttpart >out 2>said
check "parts of different jobs are refused" test $? -eq 3
contains "$(cat said)" 'rank 0 and rank 1 belong to different jobs' || complain "parts of different jobs: $(cat said)"
"$program" merge -q job0.ttpart parts/1.ttpart >out 2>said || complain "a part without a job: $(cat said)"
check "parts have version 2" test "$(head -c 7 job0.ttpart)" = TTPART2
"$program" merge -q "$source/fuzz/corpus/ttpart/rank0.ttpart" "$source/fuzz/corpus/ttpart/rank1.ttpart" >out 2>said ||
    complain "parts of version 1: exit status $?: $(cat said)"
check "the corpus has parts of version 1" test "$(head -c 7 "$source/fuzz/corpus/ttpart/rank0.ttpart")" = TTPART1
# And the clocks of the hosts: where iterations are equally long they decide between shifts, as in mesh.
for hosts in 1 2; do
    "$program" synth -q -o clocks$hosts --ranks 2 --mesh 2x4 --iterations 4 --even --hosts $hosts || exit 2
    report=$(ls clocks$hosts/rank1/reports/*/*.csv)
    awk -F, 'NR == 1 || seen { print; next } /^Embeddings/ && before !~ /^Embeddings/ && ++n == 2 { seen = 1; print }
        { before = $0 }' "$report" >cut.csv && mv cut.csv "$report"
    for rank in 0 1; do
        "$program" merge -q --part clocks$hosts/rank$rank -o clocks$hosts.$rank.ttpart || complain "--part: exit status $?"
    done
    "$program" mesh -q --table ranks --columns rank,shift --format csv clocks$hosts >by_mesh 2>/dev/null
    wanted=$?
    "$program" merge -q --format json clocks$hosts >folder.json 2>/dev/null
    check "$hosts hosts: merge decides as mesh" test $? -eq $wanted
    "$program" merge -q --format json clocks$hosts.1.ttpart clocks$hosts.0.ttpart >by_parts.json 2>/dev/null
    check "$hosts hosts: parts decide as mesh" test $? -eq $wanted
    check "$hosts hosts: parts give the bytes of the folder" cmp -s folder.json by_parts.json
done
contains "$("$program" merge clocks1)" 'rank 1: host clocks chose shift 34' || complain "merge does not say that hosts chose"
# The last is named only beyond the errors of the clocks; the bound decides what is certain.
python3 -c 'import json
data = json.load(open("whole.json"))["data"]
error = max(d["statistical_error_us"] for d in data["devices"])
bound = max(d["bound_us"] for d in data["devices"])
for c in data["collectives"]:
    assert (c["last"] is not None) == (c["lead_us"] > 2 * error), (c, error)
    assert c["certain"] == (c["lead_us"] > 2 * bound), (c, bound)
assert any(c["last"] is None for c in data["collectives"]) and any(c["last"] for c in data["collectives"])' ||
    complain "merge names a device as last that may not have been"
# A rank that only drives others is listed, and no error.
"$program" synth -q -o driven --ranks 2 --mesh 2x2 --layers 2 || exit 2
mkdir -p driven/rank2/reports/x
head -n 1 driven/rank0/reports/*/*.csv >driven/rank2/reports/x/ops_perf_results_x.csv
echo '(torch) x,python_dnn_fallback,1' >>driven/rank2/reports/x/ops_perf_results_x.csv
"$program" merge -q --table ranks --columns rank,devices,error --format csv driven >said 2>&1
check "a rank without devices is no finding: $(cat said)" test $? -eq 0
contains "$(tr -d '\r' <said)" '^2,0,$' || complain "a rank without devices is not listed: $(cat said)"

# A shift that the data does not decide, until it is told.
"$program" synth -q -o even --ranks 2 --mesh 2x2 --layers 2 --iterations 4 --even || exit 2
report=$(ls even/rank1/reports/*/*.csv)
awk -F, 'NR == 1 || seen { print; next } /^Embeddings/ && before !~ /^Embeddings/ && ++n == 2 { seen = 1; print }
    { before = $0 }' "$report" >cut.csv && mv cut.csv "$report"
"$program" merge even >/dev/null 2>&1
check "a shift in doubt ends with 7" test $? -eq 7
steps=$((($(wc -l <"$(ls even/rank0/reports/*/*.csv)") - $(wc -l <"$report")) / 2))
"$program" merge --shift 1=$steps even >said 2>&1
check "a shift that was told: $(cat said)" test $? -eq 0
head -c 500 parts/1.ttpart >short.ttpart
status()
{
    wanted=$1
    shift
    "$program" "$@" >out 2>said
    got=$?
    check "tt-perf $*: exit status $got, not $wanted: $(cat said)" test $got -eq "$wanted"
}
status 3 merge parts/1.ttpart parts/1.ttpart
status 3 merge short.ttpart
contains "$(cat said)" 'short.ttpart.* ends too soon' || complain "a part that was cut: $(cat said)"
printf 'TTPART1\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >junk.ttpart
status 3 merge junk.ttpart
status 2 merge --part "$run" -o x.ttpart
status 2 merge --part "$run/rank0"
status 2 merge --table nothing "$run"
status 2 merge --shift x "$run"
status 5 merge -o nowhere/at/all.json "$run"
status 3 merge nowhere
finish
