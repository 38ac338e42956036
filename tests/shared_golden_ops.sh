#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared_golden_ops.sh BIN_DIR SOURCE_DIR [CASE...] - `tt-perf ops --compat` against the output of
# tt-metal's Python, kept in ../shared/golden/ops. Cases that the Python fails on must fail too, and
# say what the Python says. Exits 77 (skipped) where that folder is not there.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
shift 2
golden=$shared/golden/ops
[ -d "$golden" ] || skip "no $golden"

passed=0

# What a failure must be about; a word of our message for each case.
meaning()
{
    case $1 in
    err01* | err13*) echo 'is not in cpp_device_perf_report.csv' ;;
    err02*) echo 'device 1 is in the host logs but not in' ;;
    err03*) echo 'expected 5 ops but received 4 on device 0: the device shows op 5120 where the host has op 4096' ;;
    err05*) echo 'core (1, 2) of device 0 reports a second firmware start for op 3072' ;;
    err06*) echo 'names no ARCH' ;;
    err07*) echo "no 'Max Compute Cores'" ;;
    err08*) echo '13 columns, not 15' ;;
    err09* | err10* | err14*) echo 'op 1024 has a zone but no message' ;;
    err11*) echo 'op 999424 has a zone but no message' ;;
    err15*) echo 'device 0 is in the host logs but not in profile_log_device.csv' ;;
    err17*) echo 'has no column' ;;
    err18*) echo 'zero cycles' ;;
    syn06b*) echo 'which no worker core ran' ;;
    syn07*) echo 'which no worker core ran\|mismatch' ;;
    *) echo 'unexpected failure' ;;
    esac
}

# A CSV with its columns sorted by name: Python's set has no order.
by_column_name()
{
    awk -F, '{ sub(/\r$/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; n = NF }
        { for (i = 1; i <= n; i++) print NR "," name[i] "," $i }' "$1" | sort
}

fail()
{
    echo "FAILED $1: $2"
    failed=$((failed + 1))
}

check()
{
    name=$(basename "$1")
    args=$(sed -n '1s/.*<this dir>//p' "$1/cmd.txt")
    want=$(sed -n 's/^exit code //p' "$1/cmd.txt")
    out=$scratch/$name
    dir=$1
    [ -d "$1/.logs" ] || { dir=$scratch/empty; mkdir -p "$dir/.logs"; }
    # shellcheck disable=SC2086
    "$bin/tt-perf" ops "$dir" --compat $args -o "$out" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    if [ "$want" != 0 ]; then
        [ $status != 0 ] || { fail "$name" "exit status 0"; return; }
        [ $status -lt 64 ] || { fail "$name" "exit status $status"; return; }
        grep -q "$(meaning "$name")" "$scratch/stderr" || { fail "$name" "$(cat "$scratch/stderr")"; return; }
    else
        [ $status = 0 ] || { fail "$name" "exit status $status: $(cat "$scratch/stderr")"; return; }
        if [ -f "$1/expected/stdout.txt" ]; then
            cmp "$1/expected/stdout.txt" "$scratch/stdout" || { fail "$name" "standard output differs"; return; }
        fi
        for file in "$1"/expected/*.csv; do
            [ -f "$file" ] || continue
            ours=$out/$(basename "$file")
            case $file in
            */per_core_op_to_op_times.csv)
                by_column_name "$file" >"$scratch/a"
                by_column_name "$ours" >"$scratch/b"
                cmp -s "$scratch/a" "$scratch/b" || { fail "$name" "per_core_op_to_op_times.csv differs"; return; }
                ;;
            *) cmp "$file" "$ours" || { fail "$name" "$(basename "$file") differs"; return; } ;;
            esac
        done
    fi
    passed=$((passed + 1))
}

if [ $# -gt 0 ]; then
    for case in "$@"; do check "$golden/$case"; done
else
    for case in "$golden"/*/; do check "${case%/}"; done
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
