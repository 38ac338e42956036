#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# loop_kernel.sh BIN_DIR SOURCE_DIR - the loop of 'tt-perf skill kernel' from an empty folder: cycles decide, and the
# report has cores, bandwidth, NoC, L1 and the bound before and after.
# shellcheck source=tests/loop_workload.sh
. "$(dirname -- "$0")/loop_workload.sh"
command -v python3 >/dev/null || skip "no python3"

make_workload repo kernel-cores
tune init -q --no-guard --kind kernel --cmd ./work.sh --metric kernel-cycles --golden golden --warmup 0 --runs 4 \
    --data '24576 x 64' --board n150 --format json >"$out/init.json" 2>"$out/err" || complain "init: $(cat "$out/err")"
cycles=$(value "$out/init.json" data.gain.1.baseline)
"$program" kernel -q $profiles/baseline --format json >"$out/kernel.json" 2>/dev/null
grep -qE "[\":]${cycles%.*}[,}]" "$out/kernel.json" || complain "kernel does not show $cycles cycles"

tune status --format json >"$out/status.json" 2>/dev/null
same_checklist $profiles/baseline
[ "$(value "$out/status.json" data.plan.0.rule)" = kernel-cores ] || complain "another advice"

# Noise: each run of this change has another seed, and cycles that differ by little. A tie is not kept.
edit seed 1 2
attempt "another seed" --step kernel-blocks
check "a tie is reverted" [ $? = 1 ]

edit mended no yes
attempt --from-advice 1
check "a trial of advice measures nothing" [ $? = 0 ]
check "and leaves the edit" grep -q '^mended=yes' work.sh
grep -q '^trial of advice 1' "$out/try.txt" || complain "no trial: $(cat "$out/try.txt")"
attempt
check "the whole grid is kept" [ $? = 0 ]
grep -q 'measured: kernel-cycles gained' "$out/try.txt" || complain "no promise: $(cat "$out/try.txt")"

tune report -q >"$out/report.txt" 2>"$out/err" || complain "report: $(cat "$out/err")"
for figure in 'kernel-cycles .* cycles to .* cycles: .* times as fast' 'check +pass, 1 tensor, PCC 1' 'kernel cycles .*cycles' \
    'DRAM bandwidth .*GB/s' 'DRAM traffic' 'tensors, each once' 'cores in use, mean +16.00 +64.00' 'NoC links in use' \
    'NoC transfers' 'waits for own transfers' 'L1 of a core' 'bound +few-cores' 'PCC' 'promised and real' \
    '\[x\] cores of the kernel' '\[x\] final check'; do
    grep -qE -- "$figure" "$out/report.txt" || complain "the report has no '$figure': $(cat "$out/report.txt")"
done
exit $failed
