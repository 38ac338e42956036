#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report_vs_original.sh [--vs ORIGINAL]... - the whole command `tt-perf-report FILE --ignore-signposts
# --no-color`, from start to exit, on each input: one JSON line with medians of runs taken turn by turn.
#
# With a checkout of tt-perf-report the original runs next to it, and the bars are checked: BAR times as fast on
# each file, BAR_LARGE times on a file of a hundred times the rows, there with at most 1/BAR_MEMORY of
# the memory. pandas before 2 cannot make the original's summary, so then both leave it out;
# "summary_s" is ours with it. Needs build/release.
#
# ROUNDS (5) and ROUNDS_LARGE (2) are how often each program runs, PYTHON which Python has pandas.
set -u
BAR=100 BAR_LARGE=150 BAR_MEMORY=10
rounds=${ROUNDS:-5}
rounds_large=${ROUNDS_LARGE:-2}
summary=
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
real=$scratch/inputs
needs tt-perf-report timed
zstd -dqc "$root/tests/originals/report.tar.zst" | tar -xf - -C "$scratch" ./inputs
original=${report_original:+$report_original/src}

if [ -n "$original" ]; then
    if python=$(python_with pandas); then
        case $("$python" -c 'import pandas; print(pandas.__version__)') in
        0.* | 1.*) summary=--no-summary ;;
        esac
    else
        echo "SKIPPED: report_vs_original: no Python with pandas, so only our own numbers" >&2
        original=
    fi
fi

run_ours() {
    "$@" "$bin/tt-perf-report" "$file" --ignore-signposts --no-color ${summary:+"$summary"}
}
run_original() {
    (
        cd -- "$scratch" || exit 2
        export PYTHONPATH="$original"
        exec "$@" "$python" -m tt_perf_report.perf_report "$file" --ignore-signposts --no-color \
            ${summary:+"$summary"}
    )
}

# On one thread, where callgrind counts the same twice.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bin/tt-perf" report --compat -j 1 \
        --color=never --ignore-signposts ${summary:+"$summary"} "$file" 2>&1 >/dev/null |
        sed -n 's/.*Collected *: *//p'
}

# measure NAME ROUNDS BAR MEMORY_BAR COUNT - the file is $file; MEMORY_BAR 0: none; COUNT: instructions too.
measure() {
    : >"$scratch/ours"
    : >"$scratch/full"
    : >"$scratch/theirs"
    : >"$scratch/ratio"
    same=null
    run_ours env >"$scratch/ours.txt" 2>/dev/null
    if [ -n "$original" ]; then
        same=false
        run_original env >"$scratch/theirs.txt" 2>/dev/null
        cmp -s "$scratch/ours.txt" "$scratch/theirs.txt" && same=true
    fi
    round=0
    while [ "$round" -lt "$2" ]; do
        round=$((round + 1))
        run_ours "$bin/timed" >"$scratch/a"
        "$bin/timed" "$bin/tt-perf-report" "$file" --ignore-signposts --no-color >>"$scratch/full"
        cat "$scratch/a" >>"$scratch/ours"
        if [ -n "$original" ]; then
            run_original "$bin/timed" >"$scratch/b"
            cat "$scratch/b" >>"$scratch/theirs"
            paste -d ' ' "$scratch/a" "$scratch/b" | awk '{ print $5 / $1 }' >>"$scratch/ratio"
        fi
    done
    bytes=$(wc -c <"$file")
    per_byte=null
    if [ "$5" = yes ] && command -v valgrind >/dev/null 2>&1; then
        per_byte=$(instructions | awk -v bytes="$bytes" '{ printf "%.2f", $1 / bytes }')
    fi
    line=$(printf '{"bench":"report","input":"%s","bytes":%d,"ours_s":%s,"summary_s":%s,"ours_kb":%s' \
        "$1" "$bytes" "$(median "$scratch/ours" 1)" "$(median "$scratch/full" 1)" \
        "$(median "$scratch/ours" 2)")
    line="$line,\"instructions_per_byte\":$per_byte"
    if [ -n "$original" ]; then
        verdict=$(awk -v bar="$3" -v memory_bar="$4" -v same="$same" \
            -v ratio="$(median "$scratch/ratio" 1)" -v s="$(median "$scratch/theirs" 1)" \
            -v ours="$(median "$scratch/ours" 2)" -v kb="$(median "$scratch/theirs" 2)" 'BEGIN {
                met = ratio >= bar && same == "true"
                if (memory_bar > 0 && kb / ours < memory_bar) met = 0
                printf "\"original_s\":%s,\"ratio\":%.0f,\"bar\":%d,", s, ratio, bar
                printf "\"original_kb\":%d,\"rss_ratio\":%.1f,", kb, kb / ours
                printf "\"rss_bar\":%s,", (memory_bar > 0 ? memory_bar : "null")
                printf "\"same_output\":%s,\"met\":%s", same, met ? "true" : "false"
            }')
        line="$line,$verdict"
        case $verdict in
        *'"met":false') status=1 ;;
        esac
    fi
    echo "$line}"
}

# repeat FROM TO TIMES - the header of FROM, then its rows that many times.
repeat() {
    head -n 1 "$1" >"$2"
    tail -n +2 "$1" | awk '1' >"$scratch/rows" # the last row may lack its line end
    times=0
    while [ "$times" -lt "$3" ]; do
        times=$((times + 1))
        cat "$scratch/rows"
    done >>"$2"
}

for file in "$real"/*.csv; do
    case ${file##*/} in
    synth_*) continue ;; # made for one case each, a few rows
    esac
    measure "${file##*/}" "$rounds" $BAR 0 yes
done
base=$real/bh20_oft.csv
file=$scratch/large.csv
repeat "$base" "$file" 100
measure "${base##*/} x 100" "$rounds_large" $BAR_LARGE $BAR_MEMORY no
exit "$status"
