#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# faults.sh BIN_DIR SOURCE_DIR [VERB...] - one system call, or one allocation, fails: in `ops`, `trace`, a page of `report`,
# `merge --part`, `bundle`, `history add`, `record` and `tune try`. The program ends with a status of its own and one message; what was there is still there, what
# is written is whole, nothing is left next to it, and the same command then works.
#
# A spread of positions, the same in every run. TTP_FAULTS=STEP takes every STEPth, and of the short verbs every error of
# each call; `./dev fuzz --faults` takes them all.
# shellcheck disable=SC2317,SC2119  # functions that are called by name, or with no options
set -u
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"
inject=$bin/faults/fault_inject.so
[ -e "$inject" ] || skip "fault_inject.so is not built here"
[ "$(sed -n 's/^TTP_SANITIZE:[A-Z]*=//p' "$bin/CMakeCache.txt")" != thread ] || skip "TSan takes no other library before it"
needs sqlite lz4
unset TT_METAL_PROFILER_DIR TT_METAL_HOME TRACY_PORT TT_PERF_STORE NO_COLOR
export HOME=$scratch/home COLUMNS=80 TERM=dumb
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99 UBSAN_OPTIONS=exitcode=99
export GIT_CEILING_DIRECTORIES=$scratch
mkdir -p "$HOME"
log=$scratch/fault
tried=0

# run_faulty KIND NUMBER TURN WORD... - tt-perf with one fault; out, err and status are kept.
run_faulty() {
    local kind=$1 at=$2 turn=$3
    shift 3
    rm -f "$log"
    timeout -k 5 60 env TTP_FAULT_KIND="$kind" TTP_FAULT_AT="$at" TTP_FAULT_TURN="$turn" TTP_FAULT_LOG="$log" \
        LD_PRELOAD="$inject" "$program" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    status=$?
    fault=$(sed -n 's/^fault //p' "$log" 2>/dev/null)
}

bad() { # what
    complain "$verb, $kind $fault (turn $turn), status $status: $*"
    sed 's/^/    /' "$scratch/stderr" | head -n 8 >&2
}

# ended - with a status of ours, without a sanitizer's word, and saying why
ended() {
    case " $statuses " in
    *" $status "*) ;;
    *) bad "not one of its statuses: $statuses" ;;
    esac
    ! grep -qE 'Sanitizer|runtime error' "$scratch/stderr" || bad "a sanitizer speaks"
}

# failed_with_words - one message that begins with the program's name
failed_with_words() {
    local said
    said=$(grep -v 'warning: ' "$scratch/stderr" | grep -c '^tt-perf: ')
    [ "$said" -eq 1 ] || bad "$said messages in place of one"
}

# left_over - a file of ours that has no business there any more
left_over() {
    local files
    files=$(find "$work" "$HOME" "$scratch/tmp" -mindepth 1 \( -name '.tt-perf-*' -o -path "$scratch/tmp/*" \) 2>/dev/null)
    case $fault in
    *unlink* | *rmdir* | *remove*) return ;; # it could not be removed
    esac
    [ -z "$files" ] || bad "left behind: $files"
}

# positions COUNT - which ones are tried
positions() {
    local step=${TTP_FAULTS:-$((($1 + sample - 1) / sample))}
    seq $((1 + $1 % step)) "$step" "$1"
}

# faults VERB - all of one verb; it has functions VERB_begin (makes $begin), VERB_words (sets the array words),
# VERB_result (prints the content of $work), VERB_again (the next run works)
faults() {
    verb=$1
    begin=$scratch/$1.begin
    work=$scratch/work
    local n turns at
    "$1_begin" || complain "$1: cannot be prepared"
    for kind in ${TTP_FAULT_KINDS:-calls memory}; do
        fault=none turn=0
        fresh
        run_faulty "$kind" 0 0 "${words[@]}"
        n=$(sed -n 's/^count //p' "$log" | tail -n 1)
        [ "$status" -eq 0 ] || bad "it does not work without a fault"
        reference=$("$1_result")
        [ "${n:-0}" -gt 15 ] || bad "only ${n:-0} are counted"
        for at in $(positions "$n"); do
            turns=$((at / 2)) # the errors in turn
            [ -z "${TTP_FAULTS:-}" ] || [ "$kind" = memory ] || [ "$n" -gt 500 ] || turns="0 1 2 3"
            for turn in $turns; do
                fresh
                run_faulty "$kind" "$at" "$turn" "${words[@]}"
                [ -n "$fault" ] || continue # fewer calls this time
                ! grep -q ' in nss_' "$scratch/stderr" || continue # the C library itself fails
                tried=$((tried + 1))
                ended
                "$1_holds"
                left_over
                "$1_again" || bad "the next run does not work: $(tail -n 3 "$scratch/again.err")"
            done
        done
    done
}

fresh() {
    chmod -R u+w "$work" 2>/dev/null
    rm -rf "$work" "$scratch/tmp"
    mkdir -p "$scratch/tmp"
    export TMPDIR=$scratch/tmp
    cp -a "$begin" "$work"
    cd "$work" || exit 2
    "${verb}_words"
}

again() { # WORD... - without a fault
    "$program" "$@" >"$scratch/again.out" 2>"$scratch/again.err" </dev/null
}

# One file is written over an old one: the old or the new is there, the new if it reports success.
one_file_holds() {
    local there
    there=$("${verb}_result")
    if [ "$status" -eq 0 ]; then
        [ "$there" = "$reference" ] || bad "it says that it worked, but the result is another"
    else
        failed_with_words
        [ "$there" = old ] || [ "$there" = "$reference" ] || bad "neither the old result nor the new one is there"
    fi
}
whole_file() { # FILE - "old", or the sum of its content
    if [ ! -e "$1" ]; then
        echo none
    elif [ "$(head -c 4 "$1" | tr -d '\0')" = old ]; then
        echo old
    else
        cksum <"$1"
    fi
}

ops_begin() {
    mkdir "$begin" && "$program" synth -q -o "$begin/run" --layers 1 --cores 4 --ops 12 && mkdir "$begin/out" &&
        echo old >"$begin/out/ops_perf_results.csv"
}
ops_words() { words=(ops -q run -o out --threads 2); }
ops_result() { whole_file out/ops_perf_results.csv; }
ops_holds() { one_file_holds; }
ops_again() { again "${words[@]}" && [ "$(ops_result)" = "$reference" ]; }

trace_begin() {
    mkdir "$begin" && "$program" synth -q -o "$begin/run" --layers 1 --cores 4 --ops 12 && echo old >"$begin/out.pftrace"
}
trace_words() { words=(trace -q run -o out.pftrace --threads 2); }
trace_result() { whole_file out.pftrace; }
trace_holds() { one_file_holds; }
trace_again() { again "${words[@]}" && [ "$(trace_result)" = "$reference" ]; }

page_begin() {
    mkdir "$begin" && cp "$source/tests/data/demo_ops_perf_results.csv" "$begin/ops.csv" && echo old >"$begin/out.html"
}
page_words() {
    export SOURCE_DATE_EPOCH=1700000000
    words=(report -q ops.csv -o out.html --threads 2)
}
# Without the line about the input: it says if the file could not be read again for its hash.
page_result() {
    [ ! -e out.html ] || sed -i 's/\["Input",[^]]*\]//' out.html
    whole_file out.html
}
page_holds() {
    # a file of the run that could not be looked for is named in the verdict on its quality
    grep -q 'machine_log.csv' out.html && [ "$status" -eq 0 ] && return
    one_file_holds
}
page_again() { again "${words[@]}" && [ "$(page_result)" = "$reference" ]; }

merge_begin() {
    mkdir "$begin" && "$program" synth -q -o "$begin/run" --ranks 2 --mesh 1x2 --layers 1 --cores 4 &&
        echo old >"$begin/out.ttpart"
}
merge_words() { words=(merge -q --part run/rank0 -o out.ttpart --threads 2); }
merge_result() { whole_file out.ttpart; }
merge_holds() { one_file_holds; }
merge_again() { again "${words[@]}" && [ "$(merge_result)" = "$reference" ]; }

bundle_begin() {
    mkdir "$begin" && "$program" synth -q -o "$begin/run" --layers 1 --cores 4 --ops 12 && echo old >"$begin/out.ttperf.tar.zst"
}
bundle_words() { words=(bundle -q run -o out.ttperf.tar.zst); }
# The parts of the run itself: doctor and versions tell of this moment.
bundle_result() {
    local sum
    sum=$(whole_file out.ttperf.tar.zst)
    case $sum in
    old | none) echo "$sum" ;;
    *) "$program" bundle --check out.ttperf.tar.zst --where 'name~.logs/' --format csv --columns name,damaged,sha256 2>&1 | cksum ;;
    esac
}
bundle_holds() {
    # an optional file that cannot be looked at counts as missing
    case "$status $fault" in
    "0 "*stat*) return ;;
    esac
    one_file_holds
}
bundle_again() { again "${words[@]}" && [ "$(bundle_result)" = "$reference" ]; }

history_begin() {
    mkdir "$begin" && cd "$begin" && "$program" synth -q -o run --layers 1 --cores 4 --ops 12 &&
        "$program" ops -q run -o run/csv >/dev/null && cp "$source/tests/data/demo_ops_perf_results.csv" first.csv &&
        "$program" history add -q --no-git --no-machine first.csv --name first --store runs.db >/dev/null
}
history_words() { words=(history add -q --no-git --no-machine run/csv/ops_perf_results.csv --name second --store runs.db); }
history_result() { "$program" history list --store runs.db --format csv --columns name 2>&1 | grep -oE 'first|second' | sort | tr '\n' ' '; }
history_holds() {
    local there
    there=$(history_result)
    case "$status $there" in
    "0 first second ") ;;
    0*) bad "it says that it was added, but there is: $there" ;;
    *" first " | *" first second ") failed_with_words ;;
    *) bad "a run that was there is not: $there" ;;
    esac
}
history_again() { again "${words[@]}" && [ "$(history_result)" = "$reference" ]; }

record_begin() {
    mkdir "$begin" && cd "$begin" && "$program" record -q -o old -- "$bin/synth_workload" --ops 12 >/dev/null 2>&1
}
record_words() { words=(record -q -o new -- "$bin/synth_workload" --ops 12); }
record_result() { cat new/reports/*/ops_perf_results*.csv 2>/dev/null | cksum; }
record_holds() {
    cmp -s "$begin"/old/reports/*/ops_perf_results*.csv "$work"/old/reports/*/ops_perf_results*.csv ||
        bad "an older run is not what it was"
    case $status in
    0) [ "$(record_result)" = "$reference" ] || grep -q '^tt-perf: .*warning: ' "$scratch/stderr" ||
        bad "it says that it worked, but the report is another" ;;
    5 | 125) failed_with_words ;;
    126 | 127) grep -q '^tt-perf: record: ' "$scratch/stderr" || bad "says nothing" ;;
    esac
}
record_again() {
    rm -rf new
    again "${words[@]}" && [ "$(record_result)" = "$reference" ]
}

tune_begin() {
    make_repo "$begin" && echo mine >untracked && echo mine >>notes && git add notes &&
        init >/dev/null && echo 400 >speed
}
tune_words() { words=(tune try -q --no-guard faster); }
user_things() {
    cat notes untracked
    git diff --cached
    git rev-parse HEAD
    git symbolic-ref HEAD
}
tune_result() { printf '%s %s' "$(cat speed)" "$(user_things | cksum)"; }
tune_holds() {
    [ "$(tune_result)" = "$reference" ] || bad "working tree or the user's own is not what it was: $(tune_result)"
    case $status in
    0) [ "$(events decision)" = 1 ] || bad "kept, says it, but the ledger does not" ;;
    1 | 7) ;;
    *) failed_with_words ;;
    esac
}
tune_again() {
    again tune status || return 1
    [ "$(events decision)" = 1 ] || again "${words[@]}"
    [ "$(events decision)" = 1 ] && grep -q '"outcome":"kept"' "$ledger" && [ "$(tune_result)" = "$reference" ]
}

shift 2
[ $# -gt 0 ] || set -- ops trace page merge bundle history record tune
for one; do
    statuses="0 3 4 5 6"
    sample=12
    case $one in
    record) statuses="0 5 125 126 127" sample=6 ;; # 5: no memory even to find out that it is asked to record
    tune) statuses="0 3 4 5 6 7" sample=5 ;;
    history) sample=10 ;;
    page | merge | bundle) sample=6 ;;
    ops | trace) ;;
    *) complain "no verb '$one'" && continue ;;
    esac
    faults "$one"
done
echo "$tried faults"
exit $failed
