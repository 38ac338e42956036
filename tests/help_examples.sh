#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# help_examples.sh BIN_DIR SOURCE_DIR - the examples of --help and of the manual work when they are copied: in a
# folder that has the files they name, each is run as it is printed.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
count=0
complete=yes # with all libraries
"$program" version | grep -q '^[a-z0-9]* *no (' && complete=no
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT NO_COLOR
export HOME=$scratch/home XDG_STATE_HOME=$scratch/home/state GIT_CEILING_DIRECTORIES=$scratch/run PATH=$scratch/bin:$bin:$PATH COLUMNS=80 TERM=dumb
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# What examples name: other people's programs do nothing, or have left a run's logs; runs are synthetic.
mkdir -p "$scratch/bin" "$scratch/run" "$HOME"
cd "$scratch/run" || exit 2 # copied for each command: some put earlier runs aside
mkdir -p out/.logs build/test nightly pull-request run
for stub in ../bin/python3 ../bin/pytest ../bin/docker build/test/run_ops; do
    printf '#!/bin/sh\nexit 0\n' >"$stub"
    chmod +x "$stub"
done
cat >../bin/python3 <<END
#!/bin/sh
[ -z "\${TT_METAL_PROFILER_DIR:-}" ] || cp -r '$scratch/run/generated/profiler/.logs' "\$TT_METAL_PROFILER_DIR"
END
cat >../bin/pytest <<END
#!/bin/sh
[ -z "\${TT_METAL_DEVICE_PROFILER:-}" ] || exec '$bin/synth_workload' --seed 1 --layers 1
END
tt-perf synth -q -o generated/profiler --layers 1 --cores 4 || exit 1
tt-perf bundle -q generated/profiler -o slow.ttperf.tar.zst || [ "$complete" = no ] || exit 1
tt-perf ops -q generated/profiler -o . >/dev/null || exit 1
for file in run host0 host1 before after main branch ops a1 a2 a3 a4 a5 b1 b2 b3 b4 b5; do
    cp ops_perf_results.csv "$file.csv"
done
cp run.csv nightly/ops_perf_results.csv
cp run.csv pull-request/ops_perf_results.csv
cp run.csv run/ops_perf_results.csv
cp "$source"/tests/golden/info_recording/run.tracy "$source"/tests/golden/info_recording/run.ttcap .
cp run.ttcap out/.logs/capture_1.ttcap
cp "$source"/tests/golden/report_mem/graph_capture.json .
cp "$source"/fuzz/corpus/npy/f32.npy weights.safetensors
printf 'rule cores\nwhen cores<8\nsay use more cores\ngain 5us\n' >team.rules

# Kernels, their NoC traces, and what people keep next to them.
mkdir kernels
(
    cd kernels || exit 1
    mkdir -p traces/generated generated
    tt-perf synth -q -o traces/generated/profiler --layers 1 --cores 4 --noc
    tt-perf synth -q -o kernel --model tt-lang-kernel --cores 4 --noc
    cp -r kernel/.logs .logs
    cp -r kernel generated/profiler
    cp kernel/fused_exp.py matmul.py
    mkdir old new && cp -r kernel/.logs kernel/fused_exp.py old && cp -r kernel/.logs kernel/fused_exp.py new
    cp "$source"/tests/golden/noc_file/trace.json traces/trace.json
    cp traces/trace.json traces/merged.json
    tt-perf kernel kernel --compat --section perf >run.txt
) || exit 1
# A model in a repository, with its golden outputs, results of benchmarks and a history.
mkdir model
(
    cd model || exit 1
    printf '#!/bin/sh\necho "fps: 10"\nmkdir -p out && cp golden/x.npy out/\n' >model
    chmod +x model && cp model old && cp model new && cp model ../../bin/python
    mkdir golden out && cp "$source"/fuzz/corpus/npy/f32.npy golden/x.npy
    echo 'layers = 1' >model.py
    git -c init.defaultBranch=main init -q . && git add . &&
        git -c user.name=t -c user.email=t@example.com commit -q -m t && git tag v1.2
    echo 'layers = 2' >model.py
    tt-perf bench -q --no-guard --runs 3 --warmup 0 -o run.json -- ./model >/dev/null
    cp run.json old.json && cp run.json new.json
    cp ../graph_capture.json ../ops.csv .
    mkdir -p generated/profiler/reports && cp ../ops.csv generated/profiler/reports/ops_perf_results.csv
    tt-perf history import -q "$source/tests/data/history_runs.jsonl" >/dev/null
    seconds=$(tt-perf report -q ../run.csv --format json | sed -n 's/.*"warm_up_iterations":[0-9]*,"device_us":\([0-9.]*\).*/\1e-6/p')
    echo "{\"results\":[{\"command\":\"llama\",\"times\":[$seconds]}]}" >llama.json
    tt-perf history add -q llama.json --name llama >/dev/null
    head -c 262144 /dev/zero >a.bin && cp a.bin b.bin
) || exit 1
# Ranks of a run as they come from several hosts, two recordings of a kernel, captures of memory, logs of the inspector.
mkdir ranks
(
    cd ranks || exit 1
    tt-perf synth -q -o generated/profiler/ttrun --ranks 8 --mesh 1x8 --layers 1 || exit 1
    cp -r generated/profiler/ttrun ttrun && cp -r ttrun run
    mkdir hostA hostB && cp -r run/rank[0-3] hostA && cp -r run/rank[4-7] hostB
    cp ../run.csv ops_perf_results.csv
    for rank in 0 7; do
        tt-perf merge -q --part run/rank$rank -o rank$rank.ttpart || exit 1
    done
    tt-perf record -q --no-report --mode kernel -o noc -- "$bin/synth_workload" --model tt-lang-kernel --cores 4 || exit 1
    mv noc/.logs/passes/lines lines && rm -r noc/.logs/passes
    mkdir -p generated/ttnn/reports/run
    for file in graph_capture.json before.json after.json generated/ttnn/reports/run/graph_capture.json; do
        cp ../graph_capture.json $file
    done
    cp "$source"/tests/golden/mem/run.log .
    zstd -qdc "$source"/tests/originals/mem.tar.zst | tar xO ./inputs/d01_schema_2_0/db.sqlite >db.sqlite
) || exit 1
mkdir -p starts/generated starts/cold starts/warm starts/logs
(
    cd starts || exit 1
    for folder in generated cold warm logs; do
        cp -r "$source"/tests/golden/startup/crash $folder/inspector
    done
    cp ../run.csv ops_perf_results.csv
    tt-perf record -q --no-report --zones all -o run -- "$bin/synth_workload" --seed 1 --layers 1
) || exit 1
mv kernels model ranks starts "$scratch" # places of their own: less to copy
cat >../bin/tt-smi <<END
#!/bin/sh
cat "$source/tests/data/host/p150_smi.json"
END
chmod +x ../bin/tt-smi

# A command a line, as it is when the lines are joined.
joined() {
    sed -e ':a' -e '/\\$/{N;s/ \\\n */ /;ba' -e '}'
}
help_examples() { # verb, or nothing for the program
    tt-perf help "$@" | sed -n '/^\(examples\|getting started\):/,/^$/p' | joined | sed -n 's/^  \([^ ].*\)/\1/p'
}
man_examples() { # the same
    case ${1:-} in tt_profile) page=tt_profile ;; *) page=tt-perf${1:+-$1} ;; esac
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$source/docs/man/$page.1" |
        sed -n -e 's/^\.Dl //p' -e '/^\.Bd -literal/,/^\.Ed/{/^\./!p}' |
        sed -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\-/-/g' -e 's/\\e/\\/g' | joined
}
run_examples() { # verb, where: of commands on standard input
    rm -rf "$scratch/copy"
    while IFS= read -r command; do
        count=$((count + 1))
        allowed=0
        case $command in
        *--serve | *'--count 60'*) continue ;;  # until Ctrl-C, or a minute
        'tt-perf advise demo') continue ;;      # what the line above it makes
        *postgresql://*) continue ;;            # a server
        *--attach*) continue ;;                 # a process of the user's
        'tt-perf tune init'*device-time*) continue ;; # a second session, on a board
        *.pt | *.npz | *.safetensors) [ "$1" = info ] || continue ;; # files of other people's libraries
        *kernels.json) continue ;;              # of TT-Lang's process
        *'| jq '*) command -v jq >/dev/null || continue ;;
        *' --ops 12000 '*) command=${command/ 12000 / 12 } ;; # a gigabyte
        'tt-perf export tracy'*) allowed=4 ;;   # Tracy's own tool is missing, or the stream was not kept
        *'tt-perf doctor'* | 'tt-perf fit'* | 'tt-perf mem '* | 'tt-perf startup --check'*) allowed=1 ;; # a finding
        *'selftest --device'* | 'tt-perf top'*) allowed=4 ;; # no card
        *--hostfile*) continue ;;               # other hosts
        mpirun*)
            command -v tt-perf-mpi mpirun >/dev/null || continue
            command="ASAN_OPTIONS=detect_leaks=0 $command" # of MPI itself
            ;;
        'tt-perf bench'* | 'tt-perf tune'* | 'tt-perf history regressions'* | 'tt-perf config'* | *--shift*) allowed=7 ;; # a verdict
        esac
        case $1 in doctor | tune | history) [ -d "$scratch/copy" ] ;; *) rm -rf "$scratch/copy" && false ;; esac ||
            cp -r "$scratch/$2" "$scratch/copy" # one of these continues from the other
        case $command in *profiler/ttrun*)
            tt-perf synth -q -o "$scratch/copy/generated/profiler/ttrun" --ranks 2 --mesh 1x2 ;;
        esac
        [ "$1" != tune ] || echo '# more' >>"$scratch/copy/model.py" # an edit to try
        (cd "$scratch/copy" && timeout 120 bash -o pipefail -c "$command" >"$scratch/out" 2>"$scratch/err" </dev/null)
        status=$?
        lacking=$(sed -n 's/.*this build of tt-perf has no \([^ ,]*\).*/\1/p' "$scratch/err" | head -n 1)
        if [ -n "$lacking" ] && [ "$complete" = no ]; then
            case " $left_out " in *" $lacking "*) ;; *) left_out="$left_out $lacking" ;; esac
            continue
        fi
        case "$allowed $status" in
        "0 0" | "1 "[01] | "4 "[0-4] | "7 "[017]) ;;
        *)
            echo "FAILED ($status): $command" >&2
            head -5 "$scratch/err" >&2
            failed=1
            ;;
        esac
        case $command in
        *'| jq '*) ! grep -qx null "$scratch/out" || complain "nothing is there: $command" ;;
        esac
    done
}
verbs=$(tt-perf help --man | sed -n 's/^\.It Xr tt-perf-\([a-z]*\) 1$/\1/p')
[ -n "$verbs" ] || complain "no verbs at all"
for verb in '' $verbs tt_profile; do
    case $verb in
    mesh | merge | mem) place=ranks ;;
    startup) place=starts ;;
    kernel | annotate) place=kernels ;;
    noc) place=kernels/traces ;;
    fit | bench | pcc | tune | history) place=model ;;
    *) place=run ;;
    esac
    # shellcheck disable=SC2086 # no word for the program itself
    [ "$verb" = tt_profile ] || run_examples "$verb" $place < <(help_examples $verb)
    # shellcheck disable=SC2086
    run_examples "$verb" $place < <(man_examples $verb)
done
[ $count -ge 150 ] || { echo "only $count examples found" >&2; failed=1; }
echo "$count examples"
finish
