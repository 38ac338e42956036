#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# help_examples.sh BIN_DIR SOURCE_DIR - the examples of --help work when they are copied: in a folder that has
# the files they name, each is run as it is printed.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
count=0
complete=yes # with all libraries
"$program" version | grep -q '^[a-z0-9]* *no (' && complete=no
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT NO_COLOR
export HOME=$scratch/home PATH=$scratch/bin:$bin:$PATH COLUMNS=80 TERM=dumb

# What examples name: other people's programs do nothing, runs are made up.
mkdir -p "$scratch/bin" "$scratch/run" "$HOME"
cd "$scratch/run" || exit 2 # copied for each command: some put earlier runs aside
mkdir -p out/.logs build/test nightly pull-request run
for stub in ../bin/python3 ../bin/pytest ../bin/docker build/test/run_ops; do
    printf '#!/bin/sh\nexit 0\n' >"$stub"
    chmod +x "$stub"
done
tt-perf synth -q -o generated/profiler --layers 1 --cores 4 || exit 1
tt-perf ops -q generated/profiler -o . >/dev/null || exit 1
for file in run host0 host1 before after main branch ops a1 a2 a3 a4 a5 b1 b2 b3 b4 b5; do
    cp ops_perf_results.csv "$file.csv"
done
cp run.csv nightly/ops_perf_results.csv
cp run.csv pull-request/ops_perf_results.csv
cp run.csv run/ops_perf_results.csv
cp "$source"/tests/golden/info_recording/run.tracy "$source"/tests/golden/info_recording/run.ttcap .
cp run.ttcap out/.logs/capture_1.ttcap
cp "$source"/fuzz/corpus/npy/f32.npy weights.safetensors
printf 'rule cores\nwhen cores<8\nsay use more cores\ngain 5us\n' >team.rules

examples() { # verb, or nothing for the program: one command a line, as it is when the lines are joined
    tt-perf help "$@" | sed -n '/^\(examples\|to begin with\):/,/^$/p' | sed -e ':a' -e '/\\$/{N;s/ \\\n */ /;ba' -e '}' |
        sed -n 's/^  \([^ ].*\)/\1/p'
}
for verb in '' report ops info trace export record tracy synth diff advise explain help version completion schema; do
    # shellcheck disable=SC2086 # no word for the program itself
    while IFS= read -r command; do
        count=$((count + 1))
        case $command in
        *--serve) continue ;;                 # until Ctrl-C
        'tt-perf advise demo') continue ;;    # what the line above it makes
        'tt-perf export tracy'*) allowed=4 ;; # Tracy's own tool is missing, or the stream was not kept
        *) allowed=0 ;;
        esac
        rm -rf "$scratch/copy"
        cp -r "$scratch/run" "$scratch/copy"
        (cd "$scratch/copy" && timeout 120 bash -c "$command" >"$scratch/out" 2>"$scratch/err" </dev/null)
        status=$?
        lacking=$(sed -n 's/.*this build of tt-perf has no \([^ ,]*\).*/\1/p' "$scratch/err" | head -n 1)
        if [ -n "$lacking" ] && [ "$complete" = no ]; then
            case " $left_out " in *" $lacking "*) ;; *) left_out="$left_out $lacking" ;; esac
        elif [ $status != 0 ] && { [ $allowed = 0 ] || [ $status -gt $allowed ]; }; then
            echo "FAILED ($status): $command" >&2
            head -5 "$scratch/err" >&2
            failed=1
        fi
    done < <(examples $verb)
done
[ $count -ge 40 ] || { echo "only $count examples found" >&2; failed=1; }
echo "$count examples"
finish
