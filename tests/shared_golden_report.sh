#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_report.sh BIN_DIR SOURCE_DIR - recorded runs of the original tt-perf-report against ours.
# They lie beside the project, in ../shared/golden/report (TTP_SHARED names another `shared` folder):
# stdout, exit status and every CSV must be the same bytes. Where the original orders equal keys at
# random, its recording with stable sorts counts. Without the recordings the test is skipped.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
[ -f "$shared/golden/report/MANIFEST.tsv" ] || skip "no recordings of the original in $shared/golden/report"
golden=$(cd "$shared/golden/report" && pwd) || exit 2
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
PATH=$bin:$PATH COLUMNS=80 TERM=dumb LC_ALL=C TZ=UTC
export PATH COLUMNS TERM LC_ALL TZ

wanted() # file of the recording
{
    if [ -f "$golden/ties_stable/$1" ]; then
        echo "$golden/ties_stable/$1"
    else
        echo "$golden/$1"
    fi
}

# Says what differs; nothing when all is well.
run_case() # folder, exit status, arguments, stdout, other files
{
    mkdir "$1" && ln -s "$golden/inputs" "$1/inputs" || echo "no scratch folder"
    (cd "$1" && eval "exec tt-perf-report $3" >stdout 2>stderr </dev/null)
    status=$?
    [ $status -eq "$2" ] || echo "exit status $status, not $2"
    cmp -s "$1/stdout" "$(wanted "$4")" || echo "stdout"
    printf '%s\n' "$5" | tr ';' '\n' | while read -r file; do
        case $file in
        *.csv)
            made=${file##*/}
            made=${made#*.}
            cmp -s "$1/${made#*.}" "$(wanted "$file")" || echo "${made#*.}"
            ;;
        esac
    done
    rm -rf "$1"
}

# Cases of the odd or even lines: two at a time in all. Fields may be empty, so tabs become a
# separator that is not a blank.
run_half() # 0 or 1
{
    unit=$(printf '\037')
    tail -n +2 "$golden/MANIFEST.tsv" | awk -v half="$1" 'NR % 2 == half' | tr '\t' '\037' |
        while IFS=$unit read -r name status arguments stdout _ files _; do
            differs=$(run_case "$scratch/case$1" "$status" "$arguments" "$stdout" "$files" | tr '\n' ';')
            if [ -z "$differs" ]; then
                echo "ok $name"
            else
                echo "FAILED $name: ${differs%;}"
            fi
        done >"$scratch/results$1"
}

run_half 0 &
run_half 1
wait
failed=$(cat "$scratch"/results? | grep -c '^FAILED')
passed=$(cat "$scratch"/results? | grep -c '^ok')
sort "$scratch"/results? | grep '^FAILED'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
