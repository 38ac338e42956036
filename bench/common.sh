#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# common.sh - what the benchmarks written for the shell share; they read it first, with their arguments.
#
# All take the same arguments, `[--vs ORIGINAL]...`, and each picks the originals that it knows: a checkout
# of tt-perf-report (`report_original`) or tt-metal (`metal_original`), a program that runs tt-npe on one
# file (`npe_original`) or the folder with Tracy's stock tools (`tracy_original`). Gives $root, $bin (the
# release build) and $scratch, which goes away at the end.
root=$(cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 2
bin=$root/build/release
bench=$(basename -- "$0" .sh)
# shellcheck disable=SC2034 # for the script to set
status=0
report_original='' metal_original='' npe_original='' tracy_original=''

die()
{
    echo "$bench: $*" >&2
    exit 2
}

# needs PROGRAM... - of the release build
needs()
{
    for program in "$@"; do
        [ -x "$bin/$program" ] || die "no build/release/$program: build the release preset first"
    done
}

# median FILE COLUMN
median()
{
    cut -d ' ' -f "$2" "$1" | sort -g | awk '{ v[NR] = $1 }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# A Python that has the modules named, or nothing. PYTHON is tried first.
python_with()
{
    for candidate in "${PYTHON:-}" python3 /usr/bin/python3; do
        if [ -n "$candidate" ] && "$candidate" -c "import $1" >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# shellcheck disable=SC2034 # each for the script that wants it
take_original()
{
    if [ -f "$1/src/tt_perf_report/perf_report.py" ]; then
        report_original=$(cd -- "$1" && pwd -P)
    elif [ -f "$1/tools/tracy/process_ops_logs.py" ]; then
        metal_original=$(cd -- "$1" && pwd -P)
    elif [ -x "$1/tracy-csvexport" ] || [ -x "$1/csvexport-release" ]; then
        tracy_original=$(cd -- "$1" && pwd -P)
    elif [ -f "$1" ] && [ -x "$1" ]; then
        npe_original=$(cd -- "$(dirname -- "$1")" && pwd -P)/$(basename -- "$1")
    else
        die "'$1' is no original that is known here: see bench/common.sh"
    fi
}

while [ $# -gt 0 ]; do
    [ "$1" = --vs ] || die "unknown argument '$1'"
    [ $# -ge 2 ] || die "--vs takes an original"
    take_original "$2"
    shift 2
done
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
