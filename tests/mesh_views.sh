#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_views.sh BIN_DIR SOURCE_DIR - a folder of ranks in other verbs: trace on one time line, ops as JSON, one rank or device.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs zstd
command -v python3 >/dev/null || skip "no python3"
originals mesh
cd "$scratch" || exit 2

# Arrows come in pairs and run forwards; at no collective an aligned end lies before the last aligned start by more than
# the stated error; waits and transfers fill their collective.
cat >check.py <<'END'
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
groups = json.load(open(sys.argv[2]))["data"]["groups"]
name = {e["tid"]: e["args"]["name"].split()[1] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
group = collections.defaultdict(list)
for axis in groups:
    for members in axis["devices"]:
        for device in members:
            group[(axis["axis"], "%d:%d" % tuple(device))] = ["%d:%d" % tuple(d) for d in members]
at = collections.defaultdict(dict)
axis_of = {}
for c in json.load(open(sys.argv[2]))["data"]["collectives"]:
    axis_of[c["op"]] = c["axis"]
for e in events:
    if e["ph"] == "X" and "op ordinal" in e.get("args", {}):
        at[e["args"]["op ordinal"]][name[e["tid"]]] = (e["ts"], e["ts"] + e["dur"], e["args"].get("alignment error ns", 0) / 1000)
worst, seen = -1e18, 0
for op, axis in axis_of.items():
    for device, (start, end, error) in at[op].items():
        members = [at[op][d] for d in group[(axis, device)] if d in at[op]]
        last = max(m[0] for m in members)
        worst = max(worst, last - end - max(m[2] for m in members))
        seen += 1
out = {e["id"]: e["ts"] for e in events if e["ph"] == "s"}
into = {e["id"]: e["ts"] for e in events if e["ph"] == "f"}
assert seen > 0 and worst <= 0, "an end lies %.3f us before the last start, beyond the error" % worst
assert out.keys() == into.keys() and out, "%d arrows leave, %d arrive" % (len(out), len(into))
assert all(into[i] > out[i] for i in out), "an arrow runs backwards"
assert all(e["ts"] >= 0 for e in events if "ts" in e)
END
for run in "$folder"/golden/*/; do
    "$program" trace -q --format chrome-json -o trace.json "$run" 2>/dev/null || complain "trace $run: exit status $?"
    "$program" mesh -q --format json "$run" >mesh.json 2>/dev/null || complain "mesh $run: exit status $?"
    python3 check.py trace.json mesh.json || complain "trace of $(basename -- "$run")"
done
run=$folder/golden/missing_rank_4x2
for form in perfetto chrome-json; do
    "$program" trace --format $form -o all "$run" 2>said || complain "trace --format $form: exit status $?"
    check "$form has a trace" test -s all
    contains "$(head -n 1 said)" '1 of 4 ranks missing: 2' || complain "trace does not say first who is missing: $(cat said)"
done

# A part of it.
tracks()
{
    "$program" trace -q --format chrome-json -o - "$@" 2>/dev/null | python3 -c 'import json, sys
print(*[e["args"]["name"].split()[1] for e in json.load(sys.stdin)["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"])'
}
check "--rank: $(tracks --rank 1 "$run")" test "$(tracks --rank 1 "$run")" = '1:0 1:1'
check "--device: $(tracks --device 3:1,0:0 "$run")" test "$(tracks --device 3:1,0:0 "$run")" = '0:0 3:1'
check "--devices of all ranks" test "$(tracks --devices 1 "$run")" = '0:1 1:1 3:1'
rows=$("$program" ops -q --format json -o ops "$run" 2>/dev/null | python3 -c 'import json, sys
rows = json.load(sys.stdin)["data"]["rows"]
print(len(rows), sum("OP ORDINAL" in r for r in rows), rows[7]["OP CODE"])')
check "ops --format json has the rows of the CSV: $rows" test "${rows%% *}" -eq $(($(wc -l <ops/ops_perf_results.csv) - 1))
line=$(sed -n 9p ops/ops_perf_results.csv | cut -d, -f 1,6 | sed 's/"//g')
shown=$("$program" trace -q --ops 9-9 --format chrome-json -o - "$run" 2>/dev/null | python3 -c 'import json, sys
print(*sorted({e["args"]["report id"] for e in json.load(sys.stdin)["traceEvents"] if "report id" in e.get("args", {})}))')
contains " $shown " ' 9 ' || complain "trace --ops 9-9 shows ops $shown, line 9 is $line"
"$program" ops -q --rank 1 -o one "$run" >/dev/null 2>&1
check "ops --rank of a rank without logs has nothing to make a report of" test $? -eq 3
"$program" mesh --rank 1 --table devices --columns name --format csv "$run" 2>/dev/null | tr -d '\r' | sort | paste -s -d ' ' - >said
check "mesh --rank: $(cat said)" test "$(cat said)" = '1:0 1:1 name'
"$program" mesh --device 0:1 --format json "$run" 2>/dev/null | python3 -c 'import json, sys
data = json.load(sys.stdin)["data"]
assert [d["name"] for d in data["devices"]] == ["0:1"] and len(data["stragglers"]) == 1
assert data["collectives"] and all("0:1" in c["wait_us"] for c in data["collectives"])' || complain "mesh --device"
"$program" mesh --format html -o map.html "$run" 2>/dev/null
check "a page has the map" grep -q '"svg":' map.html
check "a page needs nothing else" test "$(grep -cE '(src|href)="?(https?:|//)' map.html)" -eq 0

# The report says who is missing first, and has skew and last of collectives; one row per op and rank.
contains "$("$program" report -q "$run" 2>/dev/null | head -n 1)" '^4 ranks \(1 missing: 2\), 6 devices' ||
    complain "report does not begin with the ranks"
"$program" report -q --format json "$run" 2>/dev/null | python3 -c 'import json, sys
data = json.load(sys.stdin)["data"]
ops = [o for o in data["ops"] if o["category"] == "CCL"]
assert data["mesh"]["missing_ranks"] == [2]
assert ops and all(o["skew_us"] >= 0 and o["devices"] == "6/6" for o in ops) and any("last" in o for o in ops)' ||
    complain "report has no skew"
"$program" report -q --by-rank --format csv "$run" 2>/dev/null | python3 -c 'import collections, csv, sys
rows = list(csv.DictReader(sys.stdin))
ranks = collections.Counter(r["Device"].split(":")[0] for r in rows if ":" in r["Device"])
assert set(ranks) == {"0", "1", "3"} and len(set(ranks.values())) == 1, ranks
assert all(r["Devices"] == "2/2" for r in rows if ":" in r["Device"])' || complain "report --by-rank"
# Without CSV text in between the report of ranks is that of their CSV.
for made in "$folder"/golden/steady_2x4 "$folder"/golden/mpmd_2x4 "$folder"/golden/wrong_2x4; do
    rm -rf csv
    "$program" ops -q -o csv "$made" >/dev/null 2>&1
    for form in '--format csv --no-merge-devices --window all' '--format csv' '--format csv --by-rank'; do
        # shellcheck disable=SC2086 # options
        "$program" report -q $form "$made" >direct 2>/dev/null
        # shellcheck disable=SC2086
        "$program" report -q $form csv/ops_perf_results.csv >by_text 2>/dev/null
        check "report $form of $(basename -- "$made") is that of its CSV" cmp -s direct by_text
    done
done

# Meshes compared: the straggler moved, and each device is there.
"$program" synth -q -o before --ranks 2 --mesh 2x4 --straggler 1:2 || exit 2
"$program" synth -q -o after --ranks 2 --mesh 2x4 --straggler 0:1 --seed 2 || exit 2
"$program" synth -q -o even --ranks 2 --mesh 2x4 --seed 3 || exit 2
"$program" diff -q --format json before after >diff.json 2>/dev/null || complain "diff: exit status $?"
python3 - <<'END' || complain "diff of meshes"
import json
c = json.load(open("diff.json"))["data"]["comparisons"][0]
assert c["mesh"]["straggler"] == "moved", c["mesh"]
assert (c["mesh"]["base"]["straggler"], c["mesh"]["other"]["straggler"]) == ("1:2", "0:1")
assert c["mesh"]["base"]["straggler_op"] == "MatmulDeviceOperation"
assert len(c["mesh_devices"]) == 8 and len(c["mesh_ranks"]) == 2
slow = {d["device"]: d["compute_change_us"] for d in c["mesh_devices"]}
assert min(slow, key=slow.get) == "1:2" and max(slow, key=slow.get) == "0:1", slow
figure = {f["figure"]: f for f in c["mesh_figures"]}
assert all(figure[n]["base_us"] > 0 for n in ("compute", "wait", "transfer", "skew median", "imbalance")), figure
END
contains "$("$program" diff -q before even 2>/dev/null)" 'straggler: 1:2 .*; gone' || complain "diff: the straggler is not gone"
contains "$("$program" diff -q even after 2>/dev/null)" 'straggler: none; new: 0:1' || complain "diff: the straggler is not new"
for side in before after; do
    "$program" history add -q --store store.db --name run $side 2>/dev/null || complain "history add $side: exit status $?"
done
"$program" history trend -q --store store.db mesh/wait --format json >trend.json 2>/dev/null || complain "history trend: exit status $?"
check "history keeps what devices wait" grep -q 'mesh/wait' trend.json

# One rank, or one device, in every verb that reads a run.
"$program" synth -q -o four --ranks 4 --mesh 4x2 --hosts 2 || exit 2
contains "$("$program" info four 2>/dev/null)" '^ +2 +no +host1 ' || complain "info does not list the ranks"
contains "$("$program" info --rank 3 four 2>&1)" 'ops_perf_results' || complain "info --rank"
cp -R four gap
rm -rf gap/rank2
contains "$("$program" info gap 2>/dev/null)" '^ +2 +yes' || complain "info does not miss rank 2"
contains "$("$program" history add --store gap.db gap 2>&1 | head -n 1)" 'gap: 1 of 4 ranks missing: 2$' ||
    complain "history add does not say first who is missing"
for verb in startup info kernel annotate noc 'export csv' 'fit --arch n150 --from'; do
    # shellcheck disable=SC2086 # a verb and its options
    contains "$("$program" $verb gap 2>&1 | head -n 1)" '1 of 4 ranks missing: 2' || complain "$verb does not say first who is missing"
done
contains "$("$program" bundle -o gap.ttperf.tar.zst gap 2>&1 | head -n 1)" '1 of 4 ranks missing: 2' || complain "bundle does not miss rank 2"
contains "$("$program" startup --device 1:1 four 2>&1)" 'on device 1;' || complain "startup --device"
"$program" ops -q -o all_four four >/dev/null 2>&1
contains "$("$program" startup --device 2:1 all_four/*.csv 2>&1)" 'on device 2:1;' || complain "startup --device of a CSV"
"$program" fit --from four --arch n150 --format json >whole.json 2>/dev/null
"$program" fit --from four --arch n150 --rank 1 --format json >one.json 2>/dev/null
check "fit --rank" test "$(grep -o '"id"' one.json | wc -l)" -le "$(grep -o '"id"' whole.json | wc -l)"
cat >graph_capture.json <<'END'
{"graph":[{"counter":0,"node_type":"capture_start","params":{},"connections":[1,2]},
{"counter":1,"node_type":"buffer_allocate","params":{"address":"1024","device_id":"0","layout":"INTERLEAVED","num_cores":"0","page_size":"2048","size":"2048","type":"L1"},"connections":[]},
{"counter":2,"node_type":"buffer_allocate","params":{"address":"1024","device_id":"1","layout":"INTERLEAVED","num_cores":"0","page_size":"2048","size":"2048","type":"L1"},"connections":[]}]}
END
"$program" mem --format json graph_capture.json >mem_all.json 2>/dev/null
"$program" mem --format json --device 1 graph_capture.json >mem_one.json 2>/dev/null
python3 - <<'END' || complain "mem --device: $(head -c 300 mem_one.json)"
import json
devices = lambda f: sorted(json.load(open(f))["data"]["graphs"]["graph_capture.json"]["devices"])
assert devices("mem_all.json") == ["0", "1"] and devices("mem_one.json") == ["1"], (devices("mem_all.json"), devices("mem_one.json"))
END

# What cannot be: 2, 3 and 5.
status()
{
    wanted=$1
    shift
    "$program" "$@" >/dev/null 2>said
    got=$?
    check "tt-perf $*: exit status $got, not $wanted: $(cat said)" test $got -eq "$wanted"
}
# A large trace becomes a file for each rank, in the same time; the index lists them.
"$program" synth -q -o large --ranks 4 --mesh 4x4 --iterations 12 || exit 2
mkdir split
"$program" trace -q --format chrome-json -o split/whole.json large 2>/dev/null || complain "trace of a large run: exit status $?"
"$program" trace --format chrome-json --split-size 1 -o split/run.json large 2>said || complain "trace --split-size: exit status $?"
check "a split trace leaves no whole one" test ! -e split/run.json
contains "$(cat said)" 'wrote split/run.index.json .* a file for each rank' || complain "trace does not report the index: $(cat said)"
(cd split && python3 -c 'import json
def slices(path):
    return sorted((e["name"], e["ts"], e["dur"]) for e in json.load(open(path))["traceEvents"] if e["ph"] == "X")
index = json.load(open("run.index.json"))["ranks"]
assert [r["rank"] for r in index] == [0, 1, 2, 3], index
parts = [s for r in index for s in slices(r["file"])]
assert sum(r["slices"] for r in index) == len(parts)
assert sorted(parts) == slices("whole.json"), "slices of ranks are not those of the whole"') || complain "the files of a split trace"
"$program" trace -q --format chrome-json --split-size 0 -o split/run.json large 2>/dev/null
check "--split-size 0 writes one file" cmp -s split/run.json split/whole.json
status 2 trace --zones X -o x "$run"
status 2 trace --rank x -o x "$run"
status 2 trace --devices 1:x -o x "$run"
status 3 trace --rank 9 -o x "$run"
status 2 trace -o x "$run/rank0" "$run/rank0/reports"
status 2 mesh --device 1 "$run"
status 3 mesh --rank 9 "$run"
status 2 ops --rank x "$run"
status 3 ops --rank 9 -o x "$run"
status 2 kernel --rank 0 "$run/rank0"
status 2 ops --device x -o x "$run"
status 2 ops --rank 0 --device 1:0 -o x "$run"
status 3 ops --device 9 -o x "$run"
status 2 report --device x "$run"
status 3 report --rank 7 "$run"
status 2 annotate --rank x "$run"
status 2 mem --device 7 graph_capture.json
status 2 mem --device x graph_capture.json
status 2 startup --device x four
status 2 startup --device 0:1 --from zones four
status 3 startup --rank 9 four
status 2 fit --rank x --from four --arch n150
status 3 fit --device 1:9 --from four --arch n150
status 2 fit --rank 1 --arch n150 --dfb 4x4:bf16:2
status 2 info --rank x four
status 3 info --rank 9 four
status 3 export --rank 9 csv four
status 3 export csv four
status 3 bundle --rank 9 four -o b.ttperf.tar.zst
mkdir -p bad/rank0/reports/a bad/rank1/reports/a
echo a,b >bad/rank0/reports/a/ops_perf_results_a.csv
cp bad/rank0/reports/a/*.csv bad/rank1/reports/a/ops_perf_results_a.csv
status 3 trace -o x bad
status 5 trace -o x nowhere
finish
