#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile_names.sh BIN_DIR SOURCE_DIR - names of others do no harm: whatever ops, zones, files, labels, tensors, runs and
# the machine are called, no verb prints a control character of theirs, none acts as Markdown, and no cell of a CSV file
# is a formula. Verbs and formats are those that the program lists; one that nothing is tried with is a failure.
# shellcheck disable=SC2086,SC2016  # a word that may be missing; what another shell expands
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT NO_COLOR FORCE_COLOR CLICOLOR_FORCE TT_PERF_STORE TT_PERF_BOARDS
export HOME=$scratch/home XDG_STATE_HOME=$scratch/home/state COLUMNS=100 TERM=xterm LC_ALL=C.UTF-8
export GIT_CEILING_DIRECTORIES=$scratch
corpus=$source/tests/data/hostile_names.txt
hostile=$source/tests/hostile.pl
mkdir -p "$HOME" "$scratch/work" && cd "$scratch/work" || exit 2
mapfile -d '' names < <(perl "$hostile" names "$corpus")
mapfile -d '' words < <(perl "$hostile" words "$corpus")
[ ${#names[@]} -ge 40 ] || { echo "FAILED: no names" >&2; exit 1; }
mapfile -d '' valid < <(perl "$hostile" valid "$corpus")
all=$(printf '%s ' "${names[@]}")
text=$(printf '%s ' "${valid[@]}")
path=$(printf '%s' "${words[@]:0:20}" | head -c 180) # one name of a file may have 255 bytes
count=0
declare -A formats talks colors tried

verbs=$("$program" --help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 26 ] || { echo "FAILED: verbs are not found in --help" >&2; exit 1; }
for verb in $verbs; do
    help=$("$program" help "$verb")
    formats[$verb]=$(sed -n 's/^ *--format \([a-z|-]*\).*/\1/p' <<<"$help" | tr '|' ' ')
    grep -q -e '--color ' <<<"$help" && colors[$verb]=yes
    grep -q -e '--verbose' <<<"$help" && talks[$verb]=-v
done

scan() { # MODE FILE... - and say of which command
    perl "$hostile" scan "$@" || { printf 'FAILED: above: tt-perf %q\n' "$command" >&2; failed=1; }
}
run() { # MODE, words of the command
    mode=$1
    shift
    command="$*"
    timeout 120 "$program" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    count=$((count + 1))
    case $status in 124 | 13? | 70) complain "exit status $status: $(printf '%q ' "$@")" ;; esac
    if [ "$mode" = parquet ] && [ "$status" -eq 0 ]; then # texts are as they were: they must be UTF-8
        python3 -B -c 'import sys; sys.path.insert(0, sys.argv[1]); import parquet_read; parquet_read.read(sys.argv[2])' \
            "$source/tests" "$scratch/out" || complain "no Parquet file: tt-perf $(printf '%q ' "$@")"
    elif [ "$mode" = png ] && [ "$status" -eq 0 ]; then # dots
        [ "$(head -c 4 "$scratch/out")" = $'\x89PNG' ] || complain "no PNG file: tt-perf $(printf '%q ' "$@")"
    elif [ "$mode" = parquet ] || [ "$mode" = png ]; then
        scan text "$scratch/out"
    else
        scan "$mode" "$scratch/out"
    fi
    scan text "$scratch/err"
}
mode_of() { # FORMAT
    case $1 in
    text | github | folded) echo text ;;
    md) echo md ;;
    csv) echo csv ;;
    svg | junit) echo xml ;;
    html) echo html ;;
    parquet | png) echo "$1" ;;
    *json | speedscope | prometheus | benchmark-run | original | perfetto) echo json ;;
    *) echo unknown ;;
    esac
}
worked() { # what was tried must have been a success, or little was tested
    case $status in 0 | 1 | 7) return ;; esac
    complain "exit status $status: $(printf '%q' "$command")"
    cat -v "$scratch/err" >&2
}
forms() { # VERB WORDS... - in each format that the verb has, in colour, and loudly
    tried[$1]=yes
    if [ -z "${formats[$1]}" ]; then
        run text "$@" ${talks[$1]:-}
        worked
        return
    fi
    for format in ${formats[$1]}; do
        [ "$1.$format" = history.original ] && continue # a file as it was added
        [ "$(mode_of "$format")" != unknown ] || complain "--format $format: add it to mode_of() of tests/hostile_names.sh"
        run "$(mode_of "$format")" "$1" ${talks[$1]:-} --format "$format" "${@:2}"
        [ "$format" != text ] || worked
    done
    [ -z "${colors[$1]:-}" ] || run color "$1" ${talks[$1]:-} --color always "${@:2}"
}
put() { # HOW PATTERN FILE - names in place of what matches
    if perl "$hostile" put "$corpus" "$1" "$2" <"$3" >"$scratch/put"; then
        mv "$scratch/put" "$3"
    else
        complain "cannot prepare $3"
    fi
}

# ---- invalid command lines and missing files, to every verb ----
for verb in $verbs; do
    first=
    [ "$verb" != tracy ] || first=/bin/true # else a shell is told to run it, and complains in its own words
    for word in "$all" "./$path/$path"; do
        run text "$verb" ${talks[$verb]:-} $first "$word"
        run text "$verb" "--$word"
        run text "$verb" --format "$word" $first "$word"
        run text "$verb" -o "/dev/null/$word" $first "$word"
    done
done
run text "$all"
run text "--$all"
for word in "${names[@]}"; do # a message has room for a few of them only
    run text report "$word"
done

# ---- ops ----
"$program" synth -q -o run --layers 1 --cores 2 || exit 1
"$program" ops -q run -o . >made || exit 1
mv ops_perf_results.csv clean.csv
# below the header a row begins with its op's code
perl -pe 's/^[^,]*,/OP$.,/ if $. > 1' clean.csv >ops.csv
put csv '^OP[0-9]+' ops.csv
cp ops.csv "$path.csv" || exit 2
sed '$d' ops.csv >shorter.csv
for file in ops.csv "$path.csv"; do
    forms report "$file"
    forms report --fold "$file"
    forms report --group-by op "$file"
    forms report --roofline "$file"
    forms diff "$file" shorter.csv
    forms advise "$file"
    forms info "$file"
    forms fit --from "$file"
    forms config check --run "$file"
done
# every other text of a row: memories, types, layouts, attributes, kernels and their files
cp clean.csv fields.csv
put csv '(?<=,)(?:DEV_[0-9]_[A-Z0-9_]+|BFLOAT[0-9A-Z_]+|TILE|ROW_MAJOR)(?=,)' fields.csv
put csv '(?<=,)[[{][^",\n]*[]}](?=[,\n])' fields.csv
for verb in report advise info "fit --from" "config check --run"; do
    forms $verb fields.csv
done
forms diff clean.csv fields.csv
run csv report ops.csv -q --csv table.csv --summary-file sum.mary
scan csv table.csv
scan csv sum.mary.csv
scan xml sum.mary.svg
run text report ops.csv --where "op = '$all'"
run text report ops.csv --columns "$all"
for format in chrome-json perfetto folded speedscope; do
    run json trace ops.csv --format $format -o trace.$format
    [ $format = perfetto ] || scan "$(mode_of $format)" trace.$format
    tried[trace]=yes
done

# ---- ranks ----
"$program" synth -q -o "$path.ranks" --ranks 2 --mesh 1x2 --layers 1 || exit 1
for file in "$path.ranks"/rank*/reports/*/*.csv; do
    put csv '^LayerNorm[A-Za-z]*' "$file"
done
forms mesh "$path.ranks"
forms merge "$path.ranks"

# ---- logs of a run: its folder, its ops, its zones ----
cp -R run "$path" || exit 2
put bare '(?<=op_code": ")[A-Za-z0-9_:]+' "$path/.logs/tracy_ops_data.csv"
forms ops "$path" -o made_ops --strict
forms info "$path"
forms report "$path"
run json trace "$path" --format chrome-json -o trace.json
scan json trace.json
"$program" synth -q -o kernel --model tt-lang-kernel --bottleneck reader --noc --cores 2 || exit 1
cp -R kernel "$path/kernel" || exit 2
log=$path/kernel/.logs/profile_log_device.csv
put bare '(?<=,)dm_write_L3[01](?=,)' "$log"             # zones of somebody's own
put bare '(?<=,)(?:dm_[a-z]+|compute)(?=_L[0-9])' "$log" # kernels
put bare '(?<=,)/opt/tt-metal[^,\n]*(?=,)' "$log"        # their files
put json '(?<=")(?:dm_[a-z]+|compute)(?=")' "$path/kernel/.logs/cb_flow_graph.json"
for verb in kernel annotate noc info advise; do
    forms $verb "$path/kernel"
done
forms annotate "$path/kernel" --vs kernel
run text annotate "$path/kernel" --src-root "$path" --source "$path"
run text annotate "$path/kernel" --program "$all" --core "$all"
run json trace "$path/kernel" --format chrome-json -o trace.json
scan json trace.json
cp "$source/tests/golden/kernel_run_log/run.txt" run.txt || exit 2
put bare '(?<=\[)dm_[a-z]+(?=\])|(?<=")dm_[a-z]+(?=")' run.txt
forms kernel --log run.txt

# ---- a bundle: names of the run's folder, of files and folders in it, of its ops, and of its list ----
if part zstd; then
    cp -R "$path" "of $path" || exit 2
    for word in "${words[@]}"; do # text, which is in the bundle, and what is left out
        echo "$word" >"of $path/.logs/$word.txt"
        echo "$word" >"of $path/.logs/$word.bin"
    done
    mkdir "of $path/.logs/$path" && echo "$all" >"of $path/.logs/$path/$path.log" || exit 2
    run text bundle -v "of $path" -o "$path.ttperf.tar.zst" --mask "$all"
    [ $status -eq 0 ] || complain "bundle: $status, $(cat -v "$scratch/err")"
    forms bundle --check "$path.ttperf.tar.zst"
    "$program" bundle --check -q "$path.ttperf.tar.zst" >checked 2>&1 || complain "bundle --check: $(cat -v checked)"
    forms report "$path.ttperf.tar.zst"
    mkdir unpacked
    zstd -dcq -- "$path.ttperf.tar.zst" | tar -xf - -C unpacked || complain "tar does not unpack it"
    put json '(?<="tt_perf": ")[^"]+|(?<="created": ")[^"]+|(?<="left_out": ")[^"]+|(?<="sha256": ")[0-9a-f]+' \
        unpacked/ttperf-bundle.json
    tar -cf others.tar -C unpacked ttperf-bundle.json report.json
    forms bundle --check others.tar
    run text bundle "of $path" -o "/dev/null/$path"
    run text bundle "$path/none" -o none.ttperf.tar.zst
fi

# ---- benchmarks ----
tried[bench]=yes
run json bench --no-guard --runs 2 --warmup 0 -o bench.json --variant "$all=X=1" --variant "other=X=$all" -- true "$all"
forms bench bench.json
forms bench --no-guard --runs 2 --warmup 0 -- sh -c 'printf "%s\n" "$0" >&2' "$all"
run text bench --no-guard --runs 2 --warmup 0 -- sh -c 'printf "%s\n" "$0" >&2; exit 3' "$all"
run text bench --no-guard --runs 1 --warmup 0 --metric "$all" -- true
run text bench --no-guard --runs 1 --warmup 0 --sweep "$all=1,2" -- true
for file in "$source"/tests/data/benchmarks/*.json; do
    cp "$file" other.json
    put json '(?<=":)(?: ?")[A-Za-z.][A-Za-z0-9_/ .:-]*(?=")' other.json
    run text bench other.json
done

# ---- tensors ----
golden=$source/tests/data/tensor/golden_f32.npy
cp "$golden" "$path.npy" || exit 2
cp "$source/tests/golden/mem/graph_capture.json" "$path.json"
put json '(?<="name":")(?:ttnn\.[a-z_]+|[A-Z][A-Za-z]+DeviceOperation)(?=")' "$path.json"
forms mem "$path.json"
run text mem "$path.json" --op 7
cp -r "$source/tests/golden/startup/crash" "$path.inspector"
put bare '(?<=/)(?:binary_ng|matmul)(?=/)' "$path.inspector/programs_log.yaml"
forms startup "$path.inspector"
forms pcc "$path.npy" "$source/tests/data/tensor/actual_f32.npy"
perl -pe 's/arr_0/\x1b[7mX/g; s/golden/\xc2\x9b7mXY/g; s/actual/\xe2\x80\xaeXYZ/g' "$source/tests/data/tensor/pair.npz" >pair.npz
forms pcc pair.npz pair.npz
forms info pair.npz
perl -pe 's/weight/\xe2\x80\xaeXYZ/g; s/golden/\xc2\x9b7mXY/g' "$source/tests/data/tensor/golden.safetensors" >t.safetensors
run text pcc t.safetensors t.safetensors
run text fit --arch blackhole --dfb "$all=2x8:bfp8_b:2"
tried[fit]=yes

# ---- history ----
if part sqlite; then
    tried[history]=yes
    cp "$source/tests/data/history_runs.jsonl" runs.jsonl
    put json '(?<=":")(?:nightly|main|lab-1|llama-3.1-8b|decode|prefill|t/s/u|model|n150)(?=")' runs.jsonl
    run text history -v import runs.jsonl
    worked
    run text history add --no-git ops.csv "$path.csv" bench.json --again --note "$all" --project "$all" --name "$all"
    worked
    run text history add --no-git clean.csv --branch "$all" --commit "$all" --host "$all"
    run text history list --branch "$all" --since "$all"
    forms history list
    for id in 1 2 3 5; do
        forms history show $id
        forms history show $id --ops
        run json history export $id --format ndjson
    done
    forms history regressions --since 2026-01-02
    run text history trend "$all"
    mapfile -d '' metrics < <("$program" history show 1 --format json | perl "$hostile" metrics)
    [ ${#metrics[@]} -gt 0 ] || complain "no metrics in run 1"
    for metric in "${metrics[@]:0:3}"; do
        forms history trend "$metric"
    done
    run json history export --all
    for format in csv json parquet prometheus; do
        run "$(mode_of "$format")" history export --all --format "$format"
        worked
    done
    for format in parquet prometheus; do # csv and json of one run are the file as it was added
        run "$(mode_of "$format")" history export 1 --format "$format"
        worked
    done
    run parquet history export --all --ops --format parquet
    worked
    run text history show "$all"
    run text history --store "$path/none/$path.db" list
fi

# ---- tuning ----
mkdir repo && cd repo || exit 2
git init -q -b main .
data="$text, $(printf '%s 1 -> 2, ' "${valid[@]}")" # sizes, and whatever else is reported
printf '#!/bin/sh\nread -r speed <speed\necho "time: $speed ms"\n' >work.sh
chmod +x work.sh
echo 500 >speed
git add -A && git -c user.name=t -c user.email=t@t commit -qm "$text" || exit 2
run text tune init --no-guard --check /bin/true --cmd "./work.sh '${valid[0]}${valid[9]}'" --warmup 0 \
    --metric 'time: ([0-9.]+);unit=ms' --min-runs 5 --max-runs 5 --data "$data" --board n150
worked
echo 400 >speed
run text tune try --no-guard -v "$text"
worked
echo 600 >speed
printf '%s\n' "$all" >"$path"
run text tune try --no-guard -v "${valid[11]}${valid[14]}"
worked
run text tune try --no-guard "$text" --env "$all=$all"
run text tune try --no-guard "$all" --patch "$path"
run text tune try --no-guard "$all" --git "$all"
forms tune status
forms tune report
forms tune status --run ../run
forms tune report --run ../run
run text tune status --run ../run
grep -q '2 instead of 1' "$scratch/out" || complain "no size of --data is shown"
run text tune report --svg tuned.svg
[ ! -f tuned.svg ] || scan xml tuned.svg
cd .. || exit 2

# ---- the machine ----
for machine in galaxy hot; do
    sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/$machine.tree" $machine || exit 1
    # every file of words, not of figures
    find $machine -type f -size -2k -exec grep -lIE '^[A-Za-z][A-Za-z0-9 _.-]*$' {} + | while read -r file; do
        chmod u+w "$file" && put bare '^[A-Za-z][A-Za-z0-9 _.-]*$' "$file"
    done
    forms doctor --quick --root $machine
    forms doctor --quick --root $machine --why low-throughput
    run text doctor --quick --root $machine --prometheus
    run text doctor --quick --root "$path/$machine"
    run text top --once --root $machine
    run json top --once --root $machine --format ndjson
    run text top --root $machine --format prometheus
    worked
    tried[top]=yes
done
cp "$source/tests/data/host/n300_smi.json" smi.json
put json '(?<=": ")[A-Za-z][A-Za-z0-9 _.-]*(?=")' smi.json
run text doctor --quick --root hot --smi smi.json
run text selftest --device --root hot --minutes 1 -- "$path"
run json selftest --device --root hot --minutes 1 --format json -- "$path"
tried[selftest]=yes
forms info smi.json

# ---- recording ----
if part lz4; then
    tried[record]=yes
    tried[tracy]=yes
    TT_METAL_HOME=$all run text record -v -o "rec $path" -- sh -c 'exit 3' "$all"
    run text record -v -o "rec $path" -- "$all"
    run text tracy -v -o "rec $path" -- "$all"
    run text record --from "rec $path"
    run text export csv "rec $path" -o csv
    run text export tracy "$path.csv"
    tried[export]=yes
fi

# ---- what takes nothing of others ----
for verb in completion explain help schema skill synth version; do
    tried[$verb]=yes
done
run text synth -o "$path.synth" --layers 1 -v
run json trace kernel -o "$path.json" -v

for verb in $verbs; do
    [ -n "${tried[$verb]:-}" ] || complain "$verb is not tried with hostile names: add it to tests/hostile_names.sh"
done
echo "$count commands, ${#names[@]} names"
finish
