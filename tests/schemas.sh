#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# schemas.sh BIN_DIR SOURCE_DIR - what is printed as JSON is what docs/schemas/ promises: every member
# printed is in the schema, and every property of the schema is printed by one of the runs below.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
cd "$scratch" || exit 2
one=$source/tests/data/demo_ops_perf_results.csv
two=$source/tests/data/demo_two_devices.csv

# Schemas that are generated from declarations are as in docs/schemas; TTP_UPDATE_GOLDEN=1 writes them.
for name in $("$bin/tt-perf" schema); do
    file=$source/docs/schemas/$(echo "$name" | tr / -).json
    "$bin/tt-perf" schema "$name" >generated.json || failed=1
    if [ "${TTP_UPDATE_GOLDEN-}" = 1 ]; then
        cp generated.json "$file"
    elif ! cmp -s generated.json "$file"; then
        echo "docs/schemas: ${file##*/} is stale; TTP_UPDATE_GOLDEN=1 writes it"
        failed=1
    fi
done

checked=' ' # names of schemas that some output was compared with
report() { # file to write, arguments of report
    file=$1
    shift
    "$bin/tt-perf" report -q --format json -o "$file" "$@" || failed=1
}
against() { # schema, files
    name=$1
    checked="$checked$1 "
    shift
    "$bin/schema_check" "$source/docs/schemas/$name.json" "$@" || failed=1
}

generated() { # schema, files
    name=$1
    checked="$checked$1 "
    shift
    "$bin/schema_check" --partial "$source/docs/schemas/$name.json" "$@" || failed=1
}

report report_whole.json "$one" --ignore-signposts --fold --roofline
report report_devices.json "$two" --no-merge-devices --print-signposts --ignore-signposts --group-by op
report report_part.json "$one" --where 'bound=SLOW' --top 3 --columns id,op,time --no-summary --no-advice
report report_empty.json "$two" --where 'id<0' --group-by category
memory=$source/tests/golden/report_mem
report report_mem.json "$memory/ops.csv" --mem "$memory/graph_capture.json"
"$bin/tt-perf" synth -q -o mesh_before --ranks 2 --mesh 2x4 --straggler 1:2 || failed=1
"$bin/tt-perf" synth -q -o mesh_after --ranks 2 --mesh 2x4 --straggler 0:1 --seed 2 || failed=1
report report_ranks.json mesh_before --by-rank
generated tt-perf.report-2 report_*.json
report ranges.json "$one" --ranges
generated tt-perf.ranges-1 ranges.json
report one_op.json "$source/tests/golden/report_op_configs/ops.csv" --op 3
report one_op_other.json "$one" --op 8
generated tt-perf.report-op-1 one_op*.json

originals mem
inputs=$folder/inputs
memory() { # file to write, arguments of mem, which ends with 1 at a failed allocation
    file=$1
    shift
    "$bin/tt-perf" mem --format json "$@" >"$file"
    [ $? -le 1 ] || failed=1
}
n=0
for case in "$inputs"/[bcdmrsu][0-9]*; do
    n=$((n + 1))
    memory "mem_$n.json" --partial "$case"
done
memory mem_pair.json "$inputs/m01_mlp_clean/graph_capture.json" "$inputs/m02_late_free/graph_capture.json"
generated tt-perf.mem-1 mem_*.json
for case in v01_entries_trace v02_inline_source v03_crash_in_compile v05_two_ranks; do
    "$bin/tt-perf" startup --format json "$inputs/$case" >"startup_$case.json" || failed=1
done
"$bin/tt-perf" startup --format json "$inputs/v03_crash_in_compile" "$inputs/v01_entries_trace" >startup_pair.json || failed=1
generated tt-perf.startup-1 startup_*.json
"$bin/tt-perf" startup --format json "$source/tests/golden/startup_run/logs" >start_zones.json || failed=1
"$bin/tt-perf" startup --format json "$source/tests/data/demo_ops_perf_results.csv" >start_ops.json || failed=1
generated tt-perf.start-1 start_*.json
for case in l01_named l03_no_names l04_bad_order; do
    report "realtime_$case.json" "$inputs/$case/realtime_profiler_records.csv"
done
generated tt-perf.realtime-1 realtime_*.json

same=$source/tests/golden/diff_repeated
"$bin/tt-perf" diff -q --format json "$one" "$two" >diff_foreign.json || failed=1
"$bin/tt-perf" diff -q --format json --top 1 "$same/a0.csv,$same/a1.csv" "$same/b0.csv,$same/b1.csv" >diff_repeated.json ||
    failed=1
"$bin/tt-perf" diff -q --format json mesh_before mesh_after >diff_mesh.json || failed=1
generated tt-perf.diff-2 diff_*.json

"$bin/tt-perf" advise -q --format json "$same/a0.csv" >advise_1.json || failed=1
"$bin/tt-perf" advise -q --format json "$one" >advise_2.json || failed=1
generated tt-perf.advise-2 advise_*.json
"$bin/tt-perf" advise -q --format json --what-if weights=bfp4 "$source/tests/golden/advise_what_if/ops.csv" >what_if_1.json || failed=1
"$bin/tt-perf" advise -q --format json --what-if remove=yes --where 'time>10' "$one" >what_if_2.json || failed=1
generated tt-perf.what-if-1 what_if_*.json
"$bin/tt-perf" explain --format json trace >explain_1.json || failed=1
"$bin/tt-perf" explain --format json loop >explain_2.json || failed=1
"$bin/tt-perf" explain --format json --list >explain_3.json || failed=1
generated tt-perf.explain-2 explain_1.json explain_2.json
generated tt-perf.explain-list-1 explain_3.json
traces=$source/tests/golden
"$bin/tt-perf" noc -q --format json "$traces/noc_folder/run" >noc_folder.json || failed=1
"$bin/tt-perf" noc -q --format json "$traces/noc_bad/trace.json" >noc_skipped.json || failed=1
generated tt-perf.noc-2 noc_folder.json noc_skipped.json
"$bin/tt-perf" noc -q --compat --format json "$traces/noc_file/trace.json" >noc_compat.json || failed=1
"$bin/tt-perf" noc -q --compat --format json "$traces/noc_file/trace.json" "$traces/noc_csv/trace.json" >noc_compats.json || failed=1
against tt-perf.noc-compat-1 noc_compat.json noc_compats.json

cp -R "$source/tests/golden/tune_json/state" tuned
"$bin/tt-perf" tune report --state tuned --format json --run "$one" >tune_report.json || failed=1
"$bin/tt-perf" tune undo --state tuned --format json >tune_undo.json || failed=1
mkdir plain && (cd plain && "$bin/tt-perf" tune init -q --no-guard --check true --format json -- true &&
    "$bin/tt-perf" tune report -q --no-guard --rerun --format json) >tune_plain.json || failed=1
sed -n 2p tune_plain.json >tune_final.json
sed 1q tune_plain.json >tune_init.json
generated tt-perf.tune-2 tune_report.json tune_undo.json tune_final.json tune_init.json
"$bin/tt-perf" skill --format json >skill.json || failed=1
generated tt-perf.skill-1 skill.json

history() { # file to write, arguments of history
    file=$1
    shift
    "$bin/tt-perf" history -q --store history.db --format json "$@" >"$file"
    [ $? -le 1 ] || failed=1
}
if part sqlite; then
    sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/p300.tree" tree_history
    "$bin/tt-perf" bench -q --root tree_history --runs 2 --warmup 0 --variant a=X=1 --variant b=X=2 -o bench_history.json -- true >bench.log
    sed -n '1s/"git_branch_name"/"git_commit_ts":"2026-01-01T00:00:00Z",&/p' "$source/tests/data/history_runs.jsonl" >complete.json
    history added_import.json import "$source/tests/data/history_runs.jsonl"
    history added_add.json add --no-git --root tree_history --branch b --commit c0ffee --project p --note hello \
        "$source/tests/data/demo_ops_perf_results.csv" bench_history.json
    history added_complete.json add --no-machine complete.json
    history history_list.json list -n 3
    history show_ops.json show --ops -n 2 37
    history show_bench.json show 38
    history history_trend.json trend 'decode: t/s/u'
    history history_regressions.json regressions --since 2026-01-20
    history history_best.json best --op Matmul
    generated tt-perf.history-add-1 added_*.json
    generated tt-perf.history-list-1 history_list.json
    generated tt-perf.history-show-1 show_*.json
    generated tt-perf.history-trend-1 history_trend.json
    generated tt-perf.history-regressions-1 history_regressions.json
    generated tt-perf.history-best-1 history_best.json
    history export_values.json export --all
    history export_ops.json export --all --ops
    generated tt-perf.history-export-1 export_values.json export_ops.json
    for id in 37 38 39; do
        "$bin/tt-perf" history export $id --format ndjson --store history.db >run_$id.json || failed=1
    done
    against tt-perf.history-run-2 run_*.json
fi

"$bin/tt-perf" synth -q -o logs --ops 20 --layers 1 --faults missing-op || failed=1
"$bin/tt-perf" ops -q --format json -o logs/ops logs >ops.json || failed=1
generated tt-perf.ops-1 ops.json
"$bin/tt-perf" info -q --format json logs >info_logs.json || failed=1
printf '{"phases":' >cut.json
"$bin/tt-perf" info -q --format json cut.json >info_damaged.json
[ $? = 3 ] || failed=1
head -c 20000 "$one" >cut.csv
"$bin/tt-perf" info -q --format json cut.csv >info_truncated.json
[ $? = 1 ] || failed=1
generated tt-perf.info-2 info_*.json

tensors=$source/tests/data/tensor
pcc() { # file to write, arguments of pcc
    file=$1
    shift
    "$bin/tt-perf" pcc -q --format json -o "$file" "$@"
    [ $? -le 1 ] || failed=1
}
pcc pcc_same.json "$tensors/golden_f32.npy" "$tensors/golden_f32.npy"
pcc pcc_other.json "$tensors/golden_f32.npy" "$tensors/doubled.npy"
pcc pcc_nonfinite.json "$tensors/golden_f32.npy" "$tensors/actual_nonfinite.npy"
pcc loss.json --loss bfp8_b "$tensors/golden_f32.npy"
generated tt-perf.pcc-2 pcc_*.json
generated tt-perf.pcc-loss-1 loss.json

"$bin/tt-perf" version --format json >version.json || failed=1
generated tt-perf.version-1 version.json

machine() { # file to write, manifest, arguments of doctor
    file=$1 tree=$2
    shift 2
    sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/$tree.tree" "tree_$tree"
    "$bin/tt-perf" doctor --root "tree_$tree" --format json -o "$file" "$@"
    [ $? -le 1 ] || failed=1
}
machine doctor_hot.json hot --why low-throughput --smi "$source/tests/data/host/p150_smi.json"
machine doctor_n150.json n150 --quick --guide
machine doctor_none.json no_card
"$bin/tt-perf" doctor --format json --quick --bandwidth -o doctor_here.json
generated tt-perf.doctor-2 doctor_*.json
"$bin/tt-perf" selftest --format json -o selftest.json || failed=1
"$bin/tt-perf" selftest --device --root tree_n150 --format json -o selftest_device.json -- "$bin/synth_workload" --layers 1
[ $? -le 1 ] || failed=1
generated tt-perf.selftest-1 selftest*.json
"$bin/tt-perf" synth -q -o kernel --model tt-lang-kernel --bottleneck reader --cores 4 --noc || failed=1
cp "$source/tests/golden/kernel_pipes/pipe_graph.json" kernel/ || failed=1
"$bin/tt-perf" kernel -q --format json -o kernel_lines.json kernel || failed=1
"$bin/tt-perf" kernel -q --format json --section perf,signposts -o kernel_sums.json \
    "$source/tests/data/kernel_signposts.csv" || failed=1
generated tt-perf.kernel-2 kernel_*.json
"$bin/tt-perf" annotate -q --format json --vs kernel -o annotate.json kernel || failed=1
generated tt-perf.annotate-2 annotate.json

bench() { # file to write, arguments of bench
    file=$1
    shift
    "$bin/tt-perf" bench -q --warmup 1 --runs 2 --format json -o "$file" "$@" >bench.txt
    case $? in 0 | 7) ;; *) failed=1 ;; esac
}
git -c init.defaultBranch=main init -q . && git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m t || failed=1
bench bench_two.json --compare true --bytes-in 1M --flops 1M --arch wormhole -- true
# shellcheck disable=SC2016  # the command's own shell expands it
bench bench_sweep.json --no-guard --sweep B=1,2,3 -- sh -c 'test $B -lt 3'
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" root || failed=1
bench bench_boards.json --root root --ignore-failure -- false
generated tt-perf.bench-2 bench_*.json

lines() { # folder of a synthetic machine, or none: this one, which may have no card
    "$bin/tt-perf" top --format ndjson --interval 0.1 --count 2 ${1:+--root "$1"}
    case $?${1-} in 4) ;; 0*) ;; *) failed=1 ;; esac
}
{ lines tree_hot && lines && lines tree_n150; } >top_lines
beat=tree_hot/sys/class/tenstorrent/tenstorrent!0/tt_heartbeat
: >beating
(
    n=6000
    while [ -e beating ]; do
        n=$((n + 1))
        echo "$n" >"$beat.new" && mv "$beat.new" "$beat"
        sleep 0.05
    done
) &
"$bin/tt-perf" top --format ndjson --interval 1 --count 2 --root tree_hot >>top_lines || failed=1
# one process that compiles and has launched a moment ago, one that is gone, and counters of every kind
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" tree_busy || failed=1
inspector=tree_busy/proc/4242/root/run/inspector
mkdir -p tree_busy/dev/shm tree_busy/proc/4242/fd "$inspector"
cp "$folder"/inputs/s01_shm/shm/* tree_busy/dev/shm/
ln -s /run/inspector/programs_log.yaml tree_busy/proc/4242/fd/7
now=$(date +%s%N)
printf -- '- program_compile_started:\n    id: 9\n    timestamp_ns: %s\n' "$now" >"$inspector/programs_log.yaml"
printf -- '- mesh_workload_set_program_binary_status:\n    mesh_workload_id: 1\n    status: Committed\n    timestamp_ns: %s\n' \
    "$now" >"$inspector/mesh_workloads_log.yaml"
"$bin/tt-perf" top --format ndjson --count 1 --root tree_busy >>top_lines || failed=1
rm beating
wait
split -l 1 --additional-suffix=.json top_lines top_line_
generated tt-perf.top-2 top_line_*.json

"$bin/tt-perf" fit --format json --arch n150 --dfb 4x4:bf16 --embedding 10x10:f32 --from "$one" \
    -o fit_whole.json || failed=1
"$bin/tt-perf" fit --format json --arch n150 --from kernel -o fit_kernel.json || failed=1
"$bin/tt-perf" fit --format json --ranges p150a -o fit_ranges.json || failed=1
"$bin/tt-perf" fit --format json --ranges e75 -o fit_guide.json || failed=1
generated tt-perf.fit-2 fit_whole.json fit_kernel.json
generated tt-perf.fit-ranges-1 fit_ranges.json fit_guide.json

"$bin/tt-perf" config --format json 32 4096 6144 --weights bfp4 -o config_propose.json || failed=1
"$bin/tt-perf" config auto --format json 32 4096 6144 -o config_auto.json || failed=1
"$bin/tt-perf" config check --format json 32 4096 6144 --am ws --bm dram_ws --om ws \
    dram in0_block_w=4 per_core_M=1 per_core_N=6 -o config_check.json || failed=1
"$bin/tt-perf" config check --format json 32 4096 6144 dram in0_block_w=4 per_core_M=1 per_core_N=6 \
    -o config_broken.json && failed=1
"$bin/tt-perf" config check --format json --run "$source/tests/golden/config_run/ops.csv" -o config_run.json || failed=1
if zstd -dqf "$source/tests/data/config/rows.csv.zst" -o config_rows.csv 2>/dev/null; then
    grep -v wormhole config_rows.csv >config_blackhole.csv
    "$bin/tt-perf" config calibrate -q --format json config_blackhole.csv -o config_calibrate.json || failed=1
fi
"$bin/tt-perf" config sdpa --format json 1 8 512 512 64 -o config_sdpa.json || failed=1
generated tt-perf.config-1 config_propose.json config_auto.json config_check.json config_broken.json
generated tt-perf.config-ops-1 config_run.json
[ ! -f config_calibrate.json ] || generated tt-perf.config-constants-1 config_calibrate.json
generated tt-perf.config-other-1 config_sdpa.json

for mesh in 2x4 1x2; do
    "$bin/tt-perf" synth -q -o "mesh_$mesh" --ranks 2 --mesh $mesh --straggler 1:0 || failed=1
    "$bin/tt-perf" mesh --format json "mesh_$mesh" -o "mesh_$mesh.json" || failed=1
done
# a row that contradicts the others
report=$(ls mesh_2x4/rank1/reports/*/*.csv)
awk -F, '/^ReduceScatter/ && ++n == 3 { sub($11, sprintf("%.0f", $11 + 4e7)); sub($12, sprintf("%.0f", $12 + 4e7)) }
    { print }' "$report" >cut.csv && mv cut.csv "$report"
"$bin/tt-perf" mesh --format json mesh_2x4 -o mesh_aside.json || failed=1
generated tt-perf.mesh-1 mesh_*.json
mv mesh_2x4/rank1 mesh_2x4/rank2
for mesh in 2x4 1x2; do
    "$bin/tt-perf" merge -q --format json "mesh_$mesh" -o "merge_$mesh.json" || failed=1
done
generated tt-perf.merge-1 merge_*.json
"$bin/tt-perf" bundle --check --format json "$source/fuzz/corpus/bundle/whole.tar" -o bundle.json || failed=1
generated tt-perf.bundle-1 bundle.json

"$bin/tt-perf" report --format json nosuch.csv 2>error_path.json
"$bin/tt-perf" report --format json "$one" --where 'x=1' 2>error_hint.json
generated tt-perf.error-1 error_*.json

for name in $("$bin/tt-perf" schema | tr / -); do
    case $name in
    tt-perf.history-*) part sqlite || continue ;;
    tt-perf.config-constants-1) [ -f config_calibrate.json ] || continue ;;
    esac
    case $checked in *" $name "*) ;; *) complain "no output is compared with $name: add a run to tests/schemas.sh" ;; esac
done
finish
