#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# exit_codes.sh BIN_DIR SOURCE_DIR - what goes wrong ends with the same status in every verb, with one message that
# names the file and with what to do, as text and as JSON of one schema; nothing half-written is left behind.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
needs sqlite lz4 zstd # without one its verbs fail otherwise, see bare.sh
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT NO_COLOR TT_PERF_STORE TT_PERF_BOARDS
export HOME=$scratch/home XDG_STATE_HOME=$scratch/home/state COLUMNS=80 TERM=dumb
export GIT_CEILING_DIRECTORIES=$scratch
as_user=() # a file that may not be read takes someone who may not
count=0
errors=$scratch/errors
mkdir -p "$HOME" "$errors" "$scratch/work" && cd "$scratch/work" || exit 2
sh "$source/tests/data/host/unpack.sh" "$source/tests/data/host/n150.tree" machine || exit 2

fault() { # what is wrong, words of the command
    echo "FAILED: $1: tt-perf ${*:2}" >&2
    sed 's/^/    /' "$scratch/err" >&2
    failed=1
}
verbs=$("$bin/tt-perf" --help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 26 ] || { echo "FAILED: verbs are not found in --help" >&2; exit 1; }
declare -A has_json has_threads code_name
for verb in $verbs; do
    help=$("$bin/tt-perf" help "$verb")
    grep -q '^ *--format \([a-z|-]*|\)\?json\b' <<<"$help" && has_json[$verb]=yes
    grep -q -e '--threads N' <<<"$help" && has_threads[$verb]=yes
done
while read -r status name _; do
    code_name[$status]=$name
done < <("$bin/tt-perf" help exit-codes | grep '^ *[0-9]')
try() { # status, words of the command
    "${as_user[@]}" timeout 60 "$bin/tt-perf" "${@:2}" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    count=$((count + 1))
    [ "$status" = "$1" ] || fault "exit status $status instead of $1" "${@:2}"
    [ ! -s "$scratch/out" ] || fault "it prints a result" "${@:2}"
}
# STATUS NAMED VERB WORDS...: fails with that status; the message has NAMED in it; nothing is left behind
fails() {
    local named=$2 verb=$3 before status
    local -a words=("${@:4}")
    before=$(find . | sort)
    try "$1" "$verb" "${words[@]}"
    grep -q "^tt-perf: $verb: .*$named" "$scratch/err" || fault "the message does not say '$named'" "${@:3}"
    [ "$(grep -vc '^hint: ' "$scratch/err")" = 1 ] || fault "not one message" "${@:3}"
    [ "$(grep -c '^hint: ' "$scratch/err")" -le 1 ] || fault "more than one hint" "${@:3}"
    [ "$1" != 2 ] || grep -q '^hint: ' "$scratch/err" || fault "no hint" "${@:3}"
    ! grep -q 'warning: ' "$scratch/err" || fault "a warning" "${@:3}"
    if [ "${has_json[$verb]:-}" ]; then
        try "$1" "$verb" --format json "${words[@]}"
        [ "$(wc -l <"$scratch/err")" = 1 ] || fault "not one line of JSON" "${@:3}"
        grep -q "^{\"error\":{\"code\":\"${code_name[$1]}\",\"message\":\".*}}$" "$scratch/err" ||
            fault "not that error in JSON" "${@:3}"
        cp "$scratch/err" "$errors/$count.json"
    fi
    [ "$(find . | sort)" = "$before" ] || fault "something is left behind: $(diff <(echo "$before") <(find . | sort))" "${@:3}"
}

"$bin/tt-perf" synth -q -o run --layers 1 --cores 4 --noc || exit 1
"$bin/tt-perf" synth -q -o kernel --model tt-lang-kernel --cores 4 || exit 1
"$bin/tt-perf" ops -q run -o . >/dev/null || exit 1
mv ops_perf_results.csv good.csv
cp "$source/tests/golden/info_recording/run.tracy" "$source/tests/golden/info_recording/run.ttcap" .
cp "$source/fuzz/corpus/npy/f32.npy" tensor.npy
"$bin/tt-perf" bench -q --no-guard --runs 2 --warmup 0 -o bench.json -- true >/dev/null || exit 1
"$bin/tt-perf" history -q add --no-git --no-machine good.csv --store history.db >/dev/null || exit 1
mkdir folder there nothing
: >empty
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\220wS\336' >picture.png
head -c 5000 "$bin/tt-perf" >program.elf
echo '{"a":1,"b":[1,2,3]}' >other.json
head -c 200 run.tracy >cut.tracy

own() { # verb, status: verbs that end with the status of a command have one of their own
    case $1 in record | tracy) echo 125 ;; *) echo "$2" ;; esac
}

# the command line is invalid
for verb in $verbs; do
    fails "$(own "$verb" 2)" "unknown option '--no-such-thing'" "$verb" --no-such-thing
    if [ "${has_json[$verb]:-}" ]; then
        try 2 "$verb" --format nonsense
        grep -q "'nonsense' is not one of" "$scratch/err" || fault "a wrong --format is not reported" "$verb"
    fi
    [ ! "${has_threads[$verb]:-}" ] || fails "$(own "$verb" 2)" "'x'" "$verb" -jx
done
for verb in export tune diff pcc history completion; do
    fails 2 'missing operand' "$verb"
done
cd nothing || exit 2
for verb in report ops trace kernel annotate noc advise; do
    fails 2 "no run found in '.'" "$verb"
done
cd .. || exit 2
fails 2 'give --dfb' fit
fails 2 'missing matmul' config
fails 2 'invalid size' config one two three
fails 2 'no command' bench
fails 2 'missing output folder' synth
fails 125 'no command' record
fails 125 'missing command' tracy
for verb in ops info kernel annotate advise explain fit skill pcc doctor top version completion schema; do
    fails 2 'unexpected operand' "$verb" one two three
done
fails 2 '3 operands, and they are not folders of ranks' trace one two three

# STATUS of a missing file, of a folder, and of what is something else; then the command, '@' is the file
wrong_file() {
    local missing=$1 folder=$2 other=$3 file
    local -a command=("${@:4}")
    fails "$missing" 'no/such' "${command[@]/@/no/such}"
    [ "$folder" = - ] || fails "$folder" 'folder' "${command[@]/@/folder}"
    for file in empty picture.png program.elf other.json; do
        [ "$other" = - ] || fails "$other" "$file" "${command[@]/@/$file}"
    done
    if [ ${#as_nobody[@]} -gt 0 ]; then
        as_user=("${as_nobody[@]}")
        fails "$missing" 'secret.*Permission denied' "${command[@]/@/secret/file}"
        as_user=()
    fi
}
as_nobody=()
mkdir -m 700 secret && cp good.csv secret/file
chmod 777 . nothing && chmod 666 history.db
chmod 755 "$scratch" "$scratch/home"
if [ "$(id -u)" = 0 ]; then
    if setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/tt-perf" version >/dev/null 2>&1; then
        as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    fi
else
    chmod 0 secret
    as_nobody=(env)
fi
wrong_file 5 3 3 report @
wrong_file 5 3 3 ops -q @ -o nothing/x
wrong_file 5 - 3 info @
wrong_file 5 3 3 trace -q @ -o x
wrong_file 5 3 3 kernel -q @
wrong_file 5 5 3 kernel --log @
wrong_file 5 5 3 kernel -q kernel --flow-graph @
wrong_file 5 5 3 kernel -q kernel --pipe-graph @
wrong_file 5 3 3 annotate -q @
wrong_file 5 3 3 noc -q @
wrong_file 5 5 3 noc -q run --topology @
wrong_file 5 3 3 advise -q @
wrong_file 5 3 3 fit --from @
wrong_file 5 3 3 config -q --run @ --id 4
wrong_file 5 3 3 config -q check --run @
wrong_file 5 3 3 config -q calibrate @
wrong_file 5 3 3 diff -q @ good.csv
wrong_file 5 3 3 diff -q good.csv @
wrong_file 5 5 3 pcc @ tensor.npy
wrong_file 5 5 3 pcc tensor.npy @
wrong_file 5 3 3 history --store history.db add @
wrong_file 5 3 3 history --store history.db import @
wrong_file 5 3 3 export csv @ -o nothing/x
wrong_file 125 125 125 record --from @ -o nothing/x
wrong_file 5 5 3 doctor --quick --smi @
wrong_file 5 3 5 doctor --quick --root @
wrong_file 5 3 5 top --once --root @
wrong_file 5 3 5 bench --root @ -- true
wrong_file 5 5 - report -q good.csv --boards @
wrong_file 5 5 - advise -q good.csv --rules @
for verb in report ops trace advise; do
    fails 3 "cut.tracy: .*ends too early" $verb -q cut.tracy
done
fails 3 "cut.tracy: .*ends too early" export csv cut.tracy -o nothing/x
fails 3 "run.tracy: this is already a .tracy file" export tracy run.tracy -o nothing.tracy
fails 3 "neither a .tracy file, nor a capture file" export tracy /dev/null -o nothing.tracy
fails 2 "tracy-version" export tracy run.ttcap -o nothing.tracy --tracy-version 9
[ ! -e nothing.tracy ] || complain "export tracy: a file although it failed"
printf '{"graph":[{"counter":0' >cut_graph.json
printf '[{"counter":0,"node_type":"capture_start"}]' >graph.json
fails 3 "cut_graph.json:1: input ends .*at byte 22" mem cut_graph.json
fails 3 "run.tracy' has no memory data" mem run.tracy
fails 5 "'no/such/file'" mem no/such/file
fails 2 "no op 3" mem --op 3 graph.json
mkdir -p other_logs && echo other >other_logs/programs_log.yaml
fails 3 "is not an inspector log" startup other_logs
fails 3 "has no programs_log.yaml" startup --from inspector run
fails 5 "no folder 'no/such'" startup no/such

# where the result goes: a folder that is missing, a folder itself, a disk that is full
result() { # verb and words; '-o FILE' is added
    fails 5 "'no/such/file'" "$@" -o no/such/file
    fails 5 "'there'" "$@" -o there
    [ ! -w /dev/full ] || fails 5 "/dev/full.*No space left" "$@" -o /dev/full
}
result report -q good.csv
result info run
result trace -q run
result kernel -q kernel
result annotate -q kernel
result noc -q run
result advise -q good.csv
result explain trace
result fit --ranges p150a
result config 32 64 64
result skill
result diff -q good.csv good.csv
result pcc -q tensor.npy tensor.npy
result history -q list --store history.db
result doctor -q --quick
result top -q --once --root machine
result version
result completion bash
result schema
result synth -q --only device-log --ops 10
side_file() { # verb and words; FILE is added
    fails 5 "'no/such/file'" "$@" no/such/file
    fails 5 "'there'" "$@" there
    [ ! -w /dev/full ] || fails 5 "/dev/full.*No space left" "$@" /dev/full
}
side_file noc -q run --program 1 --svg
side_file noc -q run --program 1 --timeline
side_file doctor -q --quick --record
for verb in ops synth; do
    fails 5 "'/dev/full" $verb -q "$([ $verb = synth ] && echo --noc || echo run)" -o /dev/full/x
done
fails 5 "'/dev/full" export csv run.tracy -o /dev/full/x
fails 5 "/dev/full: cannot write" export tracy run.ttcap -o /dev/full
fails 5 "'/dev/full" export tracy run.ttcap -o /dev/full/x.tracy
fails 125 "'/dev/full" record --from run.tracy -o /dev/full/x

"$bin/schema_check" "$source/docs/schemas/tt-perf.error-1.json" "$errors"/*.json || failed=1
echo "$count commands"
exit $failed
