#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tt_profile.sh BIN_DIR SOURCE_DIR - a capture that is required; what tt_profile leaves, and how report finds it; what
# tt-mlir says of ops as columns, filters and groups.
. "$2/tests/common.sh"
needs lz4
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2
unset TT_METAL_HOME TT_METAL_PROFILER_DIR
ln -s "$program" tt_profile

# --- a capture that is required ---
"$program" record -q --require-capture -o none -- true 2>err
check "nothing captured: exit 125" [ $? -eq 125 ]
check "nothing captured: it says why" grep -q 'nothing was captured: ' err
"$program" record -q --require-capture -o none -- sh -c 'exit 9' 2>err
check "the command's own status first" [ $? -eq 9 ]
"$program" record -q --require-capture --no-report -o some -- "$bin/synth_workload" --ops 12 || complain "something captured"
"$program" record -q -o none -- true 2>err || complain "not required, not a failure"

# --- tt_profile ---
./tt_profile "$bin/synth_workload --ops 12" >out 2>err || complain "tt_profile: $(cat err)"
csv=results/perf/device_ops_perf_trace.csv
check "its CSV" [ -s $csv ]
cp $csv first.csv
./tt_profile "true" >out 2>err
check "nothing captured: exit 1, as the original" [ $? -eq 1 ]
check "no CSV that passes for new" [ ! -e $csv ]
check "the old one is kept" cmp -s first.csv "$(find results/perf -name 'device_ops_perf_trace.csv.*' | head -1)"
./tt_profile "$bin/synth_workload --ops 12" >out 2>err || complain "tt_profile again: $(cat err)"
"$program" report results/perf >report.txt 2>err || complain "report results/perf: $(cat err)"
check "report reads tt_profile's CSV" grep -q 'device_ops_perf_trace.csv' err
./tt_profile -o mine.csv "$bin/synth_workload --ops 12" >out 2>err || complain "tt_profile -o"
mkdir other && mv results/perf/mine.csv other/ && echo 'a,b' >other/newer.csv
"$program" report other >report.txt 2>err || complain "report finds another name: $(cat err)"
check "by its columns" grep -q 'mine.csv' err
rm other/mine.csv
"$program" report other >report.txt 2>err
check "any CSV is not a run" [ $? -eq 3 ]

# --- what tt-mlir says ---
"$program" synth -q -o mlir --layers 1 --ops 12 || exit 1
python3 - mlir/.logs/tracy_ops_data.csv <<'END' || exit 1
import re, sys
text, n = open(sys.argv[1]).read(), 0
def tell(op):
    global n
    n += 1
    return (f'MLIR_OP_LOCATION;loc("model.py":{n % 4}:0);1\nMLIR_CONST_EVAL_OP;{"true" if n % 3 == 0 else "false"};1\n'
            f'MLIR_PROGRAM_METADATA;{{"program_index": {n % 2}}};1\n') + op.group(0)
text = re.sub("^`TT_DNN_DEVICE_OP", tell, text, flags=re.M)
open(sys.argv[1], "w").write(text)
END
for by in location const-eval program; do
    "$program" report mlir --group-by $by --format json >"$by.json" 2>err || complain "--group-by $by: $(cat err)"
    "$program" report mlir --group-by $by --rows >"$by.txt" 2>err || complain "--group-by $by, text: $(cat err)"
done
check "time by source location" grep -q 'by source location' location.txt
check "const-eval share" grep -qE '[0-9.]+ +const-eval ' const-eval.txt
"$program" report mlir --where 'const_eval=true' --columns id,location,const_eval --format csv >where.csv 2>err ||
    complain "--where: $(cat err)"
# shellcheck disable=SC2016 # the inner shell expands it
check "filter by const-eval" sh -c 'test "$(wc -l <where.csv)" -gt 2 && ! grep -q false where.csv'
"$program" report mlir --format csv >all.csv 2>err
check "columns of the CSV" sh -c 'head -1 all.csv | grep -q "Location,Const-eval,Input Layout Conversion,Program Metadata"'
"$program" report some --format csv 2>err | head -1 >none.csv
check "no such columns without tt-mlir" sh -c '! grep -q Location none.csv'
"$program" diff mlir mlir --format json >diff.json 2>err
python3 - <<'END' || failed=1
import csv, json
ops = {}
for row in csv.DictReader(open("all.csv")):
    ops.setdefault(row["Location"], []).append(float(row["Device Time"] or 0))
groups = json.load(open("location.json"))["data"]["summary"]["groups"]
for g in groups: # equal to the sum of its ops
    assert abs(sum(ops[g["key"]]) - g["device_us"]) < 0.01, (g, ops.get(g["key"]))
assert len(groups) == len(ops) == 4, groups
share = {g["key"]: g["share_percent"] for g in json.load(open("const-eval.json"))["data"]["summary"]["groups"]}
assert set(share) == {"const-eval", "model"} and abs(sum(share.values()) - 100) < 1e-6, share
assert len(json.load(open("program.json"))["data"]["summary"]["groups"]) == 2
comparison = json.load(open("diff.json"))["data"]["comparisons"][0]
assert "model.py" in comparison["groups"][0]["location"]
places = {p["name"]: p for p in comparison["locations"]}
assert len(places) == 4, places
for g in groups: # both sides are that run, and each place has what report says of it
    p = places[g["key"]]
    assert abs(p["base_us"] - p["other_us"]) < 1e-9 and p["change_us"] == 0 and p["base_ops"] == p["other_ops"] > 0, p
assert abs(sum(p["base_share_percent"] for p in places.values()) - 100) < 1e-6
kinds = {p["name"]: p["base_share_percent"] for p in comparison["const_eval"]}
assert set(kinds) == {"const-eval", "model"} and abs(sum(kinds.values()) - 100) < 1e-6, kinds
END
"$program" diff mlir mlir >diff.txt 2>err
check "diff: time by source location" grep -q 'Time by source location' diff.txt
check "diff: const-eval share" grep -q 'Const-eval share' diff.txt
"$program" report mlir -o page.html 2>err || complain "page: $(cat err)"
check "page: time by source location" grep -q 'Time by source location' page.html
check "page: const-eval share" grep -q 'Const-eval share' page.html
"$program" report some -o none.html 2>err
check "no such tables without tt-mlir" sh -c '! grep -q "\"id\":\"locations\"" none.html'
"$program" diff some some --format json 2>err | grep -q '"locations"' && complain "locations without tt-mlir"
exit $failed
