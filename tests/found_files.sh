#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# found_files.sh BIN_DIR SOURCE_DIR - what is found in folders and named in logs is not trusted: FIFOs, sockets, devices and
# loops of links in a folder are passed over by every verb, and `annotate` reads source below its roots only.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT NO_COLOR TT_PERF_STORE TT_PERF_BOARDS
export HOME=$scratch/home XDG_STATE_HOME=$scratch/home/state COLUMNS=100 TERM=dumb
export GIT_CEILING_DIRECTORIES=$scratch
mkdir -p "$HOME" "$scratch/work" && cd "$scratch/work" || exit 2
count=0

run() { # words of the command: it ends, whatever it finds
    timeout 10 "$program" "$@" >out 2>err </dev/null
    status=$?
    count=$((count + 1))
    case $status in 124 | 13? | 70) complain "exit status $status: tt-perf $*" ;; esac
}
verbs=$("$program" --help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 26 ] || { echo "FAILED: verbs are not found in --help" >&2; exit 1; }
every_verb() { # FOLDER
    for verb in $verbs; do
        case $verb in
        completion | explain | help | schema | skill | version | bench) ;; # take no folder
        history) run history add --no-git --no-machine "$1" ;;
        fit) run fit --from "$1" ;;
        config) run config check --run "$1" ;;
        doctor) run doctor --quick --root "$1" ;;
        top) run top --once --root "$1" ;;
        record | tracy)
            run "$verb" --from "$1"
            run "$verb" -o "$1" -- true
            ;;
        export) run export csv "$1" -o csv ;;
        diff | pcc) run "$verb" "$1" "$1" ;;
        tune) run tune init --no-guard --runs 1 --warmup 0 --golden "$1" --state tuned -- true ;;
        synth) run synth -o "$1" --layers 1 ;;
        *) run "$verb" "$1" ;;
        esac
    done
}
odd() { # KIND PATH
    rm -rf "$2"
    case $1 in
    fifo) mkfifo "$2" ;;
    socket) perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) or die $!' "$2" ;;
    device) ln -s /dev/zero "$2" ;;
    loop) ln -s "${2##*/}" "$2" ;;
    esac || exit 2
}

# ---- odd files next to the logs, with names that are looked for ----
"$program" synth -q -o run --layers 1 --cores 2 || exit 1
"$program" synth -q -o kernel --model tt-lang-kernel --cores 2 --noc || exit 1
"$program" ops -q run -o . >made && mv ops_perf_results.csv ops.csv || exit 1
for folder in run kernel; do
    cp -R $folder beside || exit 2
    for kind in fifo socket device loop; do
        for name in ops_perf_results_$kind.csv noc_trace_dev9_$kind.json $kind.ttcap $kind.tracy $kind.py $kind.npy; do
            odd "$kind" "beside/$name"
            odd "$kind" "beside/.logs/$name"
        done
        ln -s .. "beside/up_$kind"
    done
    cp ops.csv beside/ || exit 2
    every_verb beside
    rm -rf beside tuned
done
cp -R run beside && cp ops.csv beside/ && mkfifo beside/ops_perf_results_new.csv || exit 2
run report beside
check "report passes a FIFO over" test "$status" = 0
check "and reports it" grep -q "skipped 'beside/ops_perf_results_new.csv': it is a FIFO" err
run report -q beside
check "not with -q" test ! -s err
rm -rf beside

# ---- odd files in place of the logs ----
for kind in fifo device loop; do
    for folder in run kernel; do
        cp -R $folder instead || exit 2
        (cd $folder && find . -type f) >files
        while read -r file; do
            odd "$kind" "instead/$file"
        done <files
        every_verb instead
        rm -rf instead tuned
    done
done
cp -R run instead && rm instead/.logs/profile_log_device.csv && mkfifo instead/.logs/profile_log_device.csv || exit 2
run ops instead -o made_ops
check "ops says what was skipped" grep -q "skipped 'instead/.logs/profile_log_device.csv': it is a FIFO" err

# ---- what the user names may be a pipe ----
"$program" report -q ops.csv >expected
check "process substitution" cmp -s <("$program" report -q <(cat ops.csv)) expected
check "standard input" cmp -s <("$program" report -q /dev/stdin <ops.csv) expected
mkfifo named.fifo
(cat ops.csv >named.fifo) &
check "a FIFO that is named" cmp -s <(timeout 20 "$program" report -q named.fifo) expected
wait

# ---- source that a log names ----
cp -R "$source/tests/golden/annotate_cpp/run" cpp || exit 2
log=$(find cpp -name profile_log_device.csv)
zones=$(find cpp -name 'zone_src_locations.log')
mkdir -p secret src/kernels far || exit 2
seq -f 'SECRET line %g' 200 >secret/secret.cpp
cp secret/secret.cpp secret/passwd
annotate() { # PATH in the log, options of annotate
    cp -R cpp named || exit 2
    sed -i "s#/opt/tt-metal/kernels/reader.cpp#$1#g" "named/${log#cpp/}" ${zones:+"named/${zones#cpp/}"}
    run annotate named "${@:2}"
    rm -rf named
}
annotate /etc/passwd
check "/etc/passwd is not shown" lacks "$(cat out)" 'root:'
check "nor is its root" lacks "$("$program" annotate cpp)" SECRET
here=$(pwd)
ln -s ../../secret/secret.cpp src/kernels/link.cpp
ln -s ../../secret src/kernels/folder
ln -s "$here/secret/secret.cpp" src/kernels/absolute.cpp
mkfifo src/kernels/fifo.cpp
ln -s /dev/zero src/kernels/zero.cpp
ln -s loop.cpp src/kernels/loop.cpp
head -c 20000000 /dev/zero | tr '\0' '\n' >src/kernels/large.cpp
cp secret/secret.cpp src/kernels/secret
for name in "$here/secret/secret.cpp" "$here/secret/passwd" ../secret/secret.cpp kernels/../../secret/secret.cpp \
    kernels/link.cpp kernels/folder/secret.cpp kernels/absolute.cpp kernels/fifo.cpp kernels/zero.cpp kernels/loop.cpp \
    kernels/large.cpp kernels/secret kernels /dev/stdin /proc/self/environ; do
    annotate "$name" --src-root src
    check "--src-root: $name is not read" lacks "$(cat out)" 'SECRET'
    check "--src-root: $name is reported as not found" grep -q 'source not found' out
done
cp secret/secret.cpp src/kernels/reader.cpp
annotate "$here/src/kernels/reader.cpp" --src-root src
check "a file below the root is shown" grep -q SECRET out
annotate /elsewhere/kernels/reader.cpp --src-root far --src-root src
check "--src-root can be repeated" grep -q SECRET out
annotate "$here/src/kernels/reader.cpp"
check "without --src-root the current folder is one" grep -q SECRET out
(cd far && cp -R ../cpp named && sed -i "s#/opt/tt-metal/kernels/reader.cpp#$here/src/kernels/reader.cpp#g" \
    "named/${log#cpp/}" ${zones:+"named/${zones#cpp/}"} && "$program" annotate named) >out
check "but not those around it" lacks "$(cat out)" SECRET
if part lz4; then
    # what record notes: the folder that it ran in
    (cd src && "$program" record -q -o "$here/recorded" -- true)
    roots=recorded/.logs/tt_perf_sources.json
    check "record notes the roots" grep -qF "\"roots\":[\"$here/src\"]" "$roots"
    cp -R cpp far/noted && cp "$roots" "far/noted/$(dirname "${log#cpp/}")/" || exit 2
    sed -i "s#/opt/tt-metal/kernels/reader.cpp#$here/src/kernels/reader.cpp#g" "far/noted/${log#cpp/}" \
        ${zones:+"far/noted/${zones#cpp/}"}
    (cd far && "$program" annotate noted) >out
    check "and annotate reads below them" grep -q SECRET out
    noted=far/noted/$(dirname "${log#cpp/}")/tt_perf_sources.json
    sed -i 's#"roots":.*#"roots":["/"]}#' "$noted"
    (cd far && "$program" annotate noted) >out
    check "but not below /" lacks "$(cat out)" SECRET
    cp "$roots" "$noted" && chmod o+w "$noted"
    (cd far && "$program" annotate noted) >out
    check "nor as a file says that anybody may write" lacks "$(cat out)" SECRET
fi
if part lz4 && [ -x "$bin/synth_workload" ]; then
    # the copy that lies in the run, however new others are
    mkdir edited && cd edited || exit 2
    for run in one two; do
        "$program" record -q --no-report --sample-rate 0 --mode lines -o $run -- "$bin/synth_workload" --model tt-lang-kernel \
            --cores 4 >out 2>&1 || complain "record: $(cat out)"
    done
    { echo '# edited' && cat one/fused_exp.py; } >fused_exp.py
    touch two/fused_exp.py
    "$program" annotate one >out 2>err
    check "the source that ran" grep -q '\[dm_read\] one/fused_exp.py$' out
    check "needs no warning" lacks "$(cat err)" changed
    rm one/fused_exp.py
    "$program" annotate one >out 2>err
    check "else the one below the folder of record, not that of another run" grep -q "\[dm_read\] $here/edited/fused_exp.py$" out
    check "with a warning if it is newer" grep -q "/edited/fused_exp.py' was changed after the run" err
    touch -d '2020-01-01' fused_exp.py
    "$program" annotate one >out 2>err
    check "and none if it is older" lacks "$(cat err)" changed
    cd .. || exit 2
fi
# NoC traces under other names are found by what is in them
"$program" synth -q -o noc --ops 3 --layers 1 --noc && mkdir named_otherwise || exit 2
n=0
for trace in noc/.logs/noc_trace_dev*_ID[1-9]*.json; do
    n=$((n + 1))
    cp "$trace" "named_otherwise/copy$n.json"
done
echo '[{"proc": 1}]' >named_otherwise/other.json
echo '{"phases": []}' >named_otherwise/object.json
"$program" noc named_otherwise --format csv >out 2>err
check "traces with other names are read, and nothing else" test "$(wc -l <out)" -eq $((n + 1))
rm named_otherwise/copy*
"$program" noc named_otherwise >out 2>err
check "without traces it is an error" grep -q "no NoC traces in" err

echo "$count commands"
finish
