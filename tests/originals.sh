#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# originals.sh BIN_DIR SOURCE_DIR ARCHIVE TABLE [CASE...] - runs the cases of tests/originals/ARCHIVE.tar.zst that TABLE
# lists and compares the results with what the original tool gave: output, messages, files and exit status. The first
# difference of each case is shown. tests/originals/README.md has the columns of a table.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
archive=$3
table=$4
shift 4
needs zstd
[ "$archive" != capture ] || needs lz4
originals "$archive"
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR TT_METAL_HOME
PATH=$bin:$PATH COLUMNS=80 TERM=dumb LC_ALL=C TZ=UTC
export PATH COLUMNS TERM LC_ALL TZ
messages=$source/tests/originals/messages.tsv
runs=0
results=0
: >"$scratch/differences"

# differs CASE WHAT - prints the first lines of the difference, which standard input has; counted in a file because it
# often runs at the end of a pipe
differs()
{
    echo "DIFFERS $1: $2" | tee -a "$scratch/differences"
    head -n 6
}

# A CSV cell by cell, so that its columns may have any order.
cells()
{
    awk -F, '{ sub(/\r$/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; n = NF }
        { for (i = 1; i <= n; i++) print NR "," name[i] "," $i }' "$1" | sort
}

# values FILE [OPTION...] - a timeline by value, whatever the order of transfers and cores
values()
{
    values_file=$1
    shift
    "$bin/json_elements" "$@" --unordered noc_transfers --unordered zones "$values_file" | sort
}

# timeline CASE FILE SUM [OPTION...] - compares by checksum; only a difference decompresses the recorded timeline
timeline()
{
    zstd -dqf "$2" -o "$scratch/got.json" || return
    timeline_case=$1
    timeline_sum=$3
    shift 3
    sum=$(values "$scratch/got.json" "$@" | sha256sum)
    [ "${sum%% *}" != "$timeline_sum" ] || return
    zstd -dqc "$source/tests/originals/noc_timelines.tar.zst" | tar -xO "./$timeline_case" >"$scratch/wanted"
    values "$scratch/got.json" "$@" | diff "$scratch/wanted" - | cut -c1-300 | differs "$timeline_case" "timeline"
}

# compare CASE RESULT - RESULT is HOW:GOT=WANTED, see README.md
compare()
{
    how=${2%%:*}
    got=${2#*:}
    wanted=$folder/expected/${got#*=}
    got=${got%%=*}
    results=$((results + 1))
    if [ ! -f "$got" ]; then
        echo "it was not written" | differs "$1" "$got"
        return
    fi
    case $how in
    bytes) cmp -s "$wanted" "$got" || diff "$wanted" "$got" | differs "$1" "$got" ;;
    sorted | columns)
        by=cells
        [ "$how" = columns ] || by='sort'
        "$by" "$wanted" >"$scratch/wanted"
        "$by" "$got" >"$scratch/got"
        cmp -s "$scratch/wanted" "$scratch/got" || diff "$scratch/wanted" "$scratch/got" | differs "$1" "$got"
        ;;
    figures) # of the envelope's data; the path of the input is not one
        "$bin/json_elements" --drop input "$wanted" | sort >"$scratch/wanted"
        "$bin/json_elements" --member data --drop input "$got" | sort >"$scratch/got"
        cmp -s "$scratch/wanted" "$scratch/got" || diff "$scratch/wanted" "$scratch/got" | differs "$1" "$got"
        ;;
    members) # of the envelope's data those that the recording has
        "$bin/json_members" "$wanted" "$got" >"$scratch/got" || differs "$1" "$got" <"$scratch/got"
        ;;
    says)
        message=$(awk -F '\t' -v name="${wanted##*/}" '$1 == name { print $2 }' "$messages")
        if [ -z "$message" ]; then
            echo "messages.tsv has no line for ${wanted##*/}" | differs "$1" "$got"
        else
            grep -qE -- "$message" "$got" || differs "$1" "does not say '$message'" <"$got"
        fi
        ;;
    timeline) timeline "$1" "$got" "${wanted##*/}" ;;
    timeline-without-zones) timeline "$1" "$got" "${wanted##*/}" --drop zones ;;
    *) echo "unknown way to compare" | differs "$1" "$how" ;;
    esac
}

# run_case CASE STATUS COMMAND RESULTS - in a folder of its own that has the inputs
run_case()
{
    runs=$((runs + 1))
    results=$((results + 1))
    mkdir "$scratch/case" && cd "$scratch/case" && ln -s "$folder/inputs" inputs || exit 2
    (eval "exec $3") >stdout 2>stderr </dev/null
    status=$?
    case $2 in
    fails) [ "$status" -gt 0 ] && [ "$status" -lt 64 ] ;;
    *) [ "$status" -eq "$2" ] ;;
    esac || differs "$1" "exit status $status, not $2" <stderr
    rest=$4
    while [ -n "$rest" ]; do
        compare "$1" "${rest%%;*}"
        case $rest in
        *';'*) rest=${rest#*;} ;;
        *) rest= ;;
        esac
    done
    cd "$scratch" && rm -rf "$scratch/case"
}

# Fields may be empty, so tabs become a separator that is not a blank.
tr '\t' '\037' <"$folder/$table.tsv" >"$scratch/table"
while IFS="$(printf '\037')" read -r name status command expected; do
    wanted_case=$([ $# -eq 0 ] && echo yes)
    for chosen; do
        [ "$chosen" != "$name" ] || wanted_case=yes
    done
    [ -z "$wanted_case" ] || run_case "$name" "$status" "$command" "$expected"
done <"$scratch/table"
failed=$(wc -l <"$scratch/differences")
echo "ORIGINALS: $archive $table: $runs runs, $results results compared, $failed differ"
[ "$failed" -eq 0 ] && [ "$runs" -gt 0 ]
