#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# loop_model.sh BIN_DIR SOURCE_DIR - the loop of 'tt-perf skill' and 'tt-perf skill model' from an empty folder, as an
# agent plays it: baseline, profile, advice, config, change, gate, keep or revert, and a report with every figure.
# shellcheck source=tests/loop_workload.sh
. "$(dirname -- "$0")/loop_workload.sh"
command -v python3 >/dev/null || skip "no python3"

make_workload repo matmul-config

# Mistakes at the start: no such number, no ops, a command that fails. Nothing is begun.
begin() {
    tune init -q --no-guard --golden golden --warmup 0 --runs 4 --data 'tokens 32 -> 64, 100000 x 4096, 32 x 32' --board n150 "$@"
}
begin --cmd ./work.sh --metric json:data.window.nothing >"$out/none" 2>"$out/err"
check "a number that the report lacks: exit 3" [ $? = 3 ]
grep -q "has no number 'data.window.nothing'" "$out/err" || complain "the path is not named"
begin --cmd 'cp good.npy out.npy' --metric device-time >"$out/none" 2>"$out/err"
check "nothing was recorded: exit 3" [ $? = 3 ]
grep -q 'the profiler saw no ops' "$out/err" || complain "what was not recorded?"
begin --cmd './work.sh --exit 3' --metric device-time >"$out/none" 2>"$out/err"
check "a command that fails: exit 3" [ $? = 3 ]
check "nothing was begun" [ ! -f "$ledger" ]
begin --cmd ./work.sh --metric wall --window all >"$out/none" 2>&1
check "--window without a recording: exit 2" [ $? = 2 ]

# Baseline and profile.
begin --cmd ./work.sh --metric device-time --goal 100us --format json >"$out/init.json" 2>"$out/err" || complain "init: $(cat "$out/err")"
python3 - "$out/init.json" <<'P' || complain "device time does not repeat within 1 %"
import json, sys
metric = json.load(open(sys.argv[1]))['data']['baseline']['metrics'][0]
sides = [metric['first'], metric['again']]
low, high = min(s['min'] for s in sides), max(s['p95'] for s in sides)
sys.exit(metric['name'] != 'device-time' or not 0 < low <= high < low * 1.01 or abs(metric['change_percent']) >= 1)
P
device=$("$program" report -q $profiles/baseline --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["data"]["window"]["device_us"])')
python3 -c "import sys; sys.exit(abs($device - 1e6 * $(value "$out/init.json" data.gain.1.baseline)) > 0.01 * $device)" ||
    complain "tune and report measure different windows"

# Advice: the same as advise gives.
tune status --format json >"$out/status.json" 2>/dev/null
same_checklist $profiles/baseline
[ "$(value "$out/status.json" data.plan.0.rule)" = matmul-config ] || complain "another advice: $(value "$out/status.json" data.plan.0.rule)"

# The sizes of production: with twice the rows the config in use is not legal, and another is proposed.
python3 - "$out/status.json" <<'P' || complain "the sizes of production were not used"
import json, sys
data = json.load(open(sys.argv[1]))['data']['production']
sys.exit(not (data['sizes'] == [{'name': 'tokens', 'test': 32, 'production': 64}] and data['broken_configs'] == 1
              and data['ops'][0]['verdict'] == 'broken' and 'per_core_M=2' in data['ops'][0]['proposed']['config']
              and [t['fits_l1'] for t in data['tensors']] == [False, True]))
P

# A change that is wrong, and one that brings nothing: both are reverted.
edit result good bad && edit mended no yes
attempt "faster and wrong"
check "a wrong result is reverted" [ $? = 1 ]
grep -q 'gate .*FAIL.*PCC.*worst tile at \[0, 0\]' "$out/try.txt" || complain "the gate does not name the tile: $(cat "$out/try.txt")"
check "the edit is gone" grep -q '^result=good' work.sh
echo '# a comment' >>work.sh
attempt "a comment"
check "no gain is reverted" [ $? = 1 ]

# Config: a trial of the advice shows what 'tt-perf config' proposes, and waits for the change.
tune try --from-advice 1 --format json >"$out/trial.json" 2>/dev/null || complain "a trial cannot be started"
config=$(value "$out/trial.json" data.trial.config.config)
"$program" config -q --run $profiles/baseline --id "$(value "$out/trial.json" data.trial.id)" --format json >"$out/config.json"
grep -qF "\"$config\"" "$out/config.json" || complain "config proposes something else than '$config'"
tune try --from-advice 9 >"$out/none" 2>"$out/err"
check "no such advice: exit 2" [ $? = 2 ]
tune status | grep -q 'a trial of advice 1 waits' || complain "status does not tell of the trial"

# The change, cut off at every stage of recording: the next command continues, and knows the advice.
edit mended no yes
for step in 3 6; do
    TT_PERF_TUNE_DIE_AT_STEP=$step attempt
    [ $? = 137 ] || complain "not killed at step $step"
done
attempt
check "the change is kept" [ $? = 0 ]
grep -q 'promised .*less device time.*measured: device-time gained' "$out/try.txt" || complain "no promise: $(cat "$out/try.txt")"
check "its profile is kept" [ -d $profiles/change-3/.logs ]
check "what was half recorded is gone" [ ! -e .git/tt-perf/tune/recording ]

# The final report has every figure that the documents ask for.
tune report --rerun --no-guard -q --format md -o "$out/report.md" --svg "$out/steps.svg" || complain "no report"
for figure in 'device-time: .* times as fast' 'wall: ' 'final check: pass, 1 tensor, PCC 1' 'goal: 100.0 μs: reached' \
    '\| device time \|.*-[0-9.]+ \|' '\| gaps ' '\| roofline' '\| DRAM bandwidth .*GB/s' '\| of the DRAM peak .*%' \
    '\| cores in use' '\| L1 of a core' '\| bound ' '\| PCC' 'Promised and real' 'reverted .*faster and wrong' \
    'Sizes in production' '\[x\] baseline measured' '\[x\] final check'; do
    grep -qE -- "$figure" "$out/report.md" || complain "the report has no '$figure'"
done
tune report --format json >"$out/report.json" 2>/dev/null
python3 - "$out/report.json" <<'P' || complain "figures before and after are missing"
import json, sys
data = json.load(open(sys.argv[1]))['data']
figures = {f['figure']: f for f in data['figures']}
kept = [c for c in data['changes'] if c['outcome'] == 'kept']
sys.exit(not (figures['device_us']['best'] < figures['device_us']['baseline'] and figures['dram_gbs']['best'] > 0
              and data['final_check']['worst_pcc'] == 1 and data['final_check']['tensor_count'] == 1
              and len(kept) == 1 and kept[0]['promise']['rule'] == 'matmul-config' and kept[0]['real_gain_percent'] > 25
              and data['goal']['reached']))
P
tune report --format html -o "$out/report.html" 2>/dev/null
grep -q 'DRAM bandwidth' "$out/report.html" || complain "the page has no figures"

# The outcome is history: the best setting of the op.
export TT_PERF_HISTORY=$scratch/history.db
if has sqlite && "$program" history add -q "$(value "$out/report.json" data.run)" --name loop >"$out/added" 2>"$out/err"; then
    "$program" history best --op Matmul >"$out/best" 2>>"$out/err"
    grep -q 'Matmul 32 x 4096 x 4096' "$out/best" || complain "history best does not know the op: $(cat "$out/best" "$out/err")"
else
    ! has sqlite || complain "history add: $(cat "$out/err")"
fi

# The legal configs, best prediction first, until the rest cannot win.
tune undo -q >/dev/null 2>&1
tune sweep -q --no-guard --configs --format json >"$out/sweep.json" 2>"$out/err" || complain "sweep: $(cat "$out/err")"
python3 - "$out/sweep.json" <<'P' || complain "the sweep of configs did not stop where the rest cannot win"
import json, sys
change = json.load(open(sys.argv[1]))['data']['change']
ran = [p for p in change['points'] if p['pass']]
left = [p for p in change['points'] if not p['pass']]
predicted = [c['predicted_us'] for c in change['configs']]
sys.exit(not (change['outcome'] == 'kept' and ran and left and predicted == sorted(predicted)
              and all(p['reason'].startswith('not run: ') for p in left)))
P
tune clean -q >/dev/null
check "clean keeps the baseline's profile" [ -d $profiles/baseline ]
check "clean removes the profile of a change that was undone" [ ! -d $profiles/change-3 ]
exit $failed
