#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# threads.sh BIN_DIR SOURCE_DIR - the same bytes come out whatever the number of threads.
# The file is several blocks long, so that threads really share the work.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"

# same NAME ARGUMENT... - run tt-perf with 1, 2 and 8 threads and compare all it says.
same() {
    name=$1
    shift
    for threads in 1 2 8; do
        "$bin/tt-perf" "$@" -j "$threads" >"$scratch/$name.$threads" 2>&1
        echo "exit $?" >>"$scratch/$name.$threads"
    done
    for threads in 2 8; do
        if ! cmp "$scratch/$name.1" "$scratch/$name.$threads"; then
            echo "$name: -j $threads differs from -j 1" >&2
            failed=1
        fi
    done
    if ! tail -n 1 "$scratch/$name.1" | grep -qx 'exit 0'; then
        echo "$name: failed" >&2
        tail -n 3 "$scratch/$name.1" >&2
        failed=1
    fi
}

"$bin/gen_ops_csv" --seed 3 --layers 24 --repeat 10 -o "$scratch/one.csv" || exit 1
"$bin/gen_ops_csv" --seed 4 --layers 4 --devices 4 --repeat 10 -o "$scratch/four.csv" || exit 1
for file in one four; do
    [ "$(wc -c <"$scratch/$file.csv")" -gt 3000000 ] || {
        echo "$file.csv is too short to be shared" >&2
        exit 1
    }
    same "$file-compat" report --compat --ignore-signposts "$scratch/$file.csv"
    same "$file-compat-color" report --compat --ignore-signposts --color=always "$scratch/$file.csv"
    for format in text csv json md; do
        same "$file-$format" report --format "$format" --ignore-signposts "$scratch/$file.csv"
    done
done

# a refusal names the same line: the last row is one field too long
cp "$scratch/one.csv" "$scratch/bad.csv"
tail -n 1 "$scratch/one.csv" | sed 's/$/,1/' >>"$scratch/bad.csv"
for threads in 1 2 8; do
    "$bin/tt-perf" report --compat "$scratch/bad.csv" -j "$threads" >"$scratch/bad.$threads" 2>&1
    echo "exit $?" >>"$scratch/bad.$threads"
done
cmp "$scratch/bad.1" "$scratch/bad.2" || failed=1
cmp "$scratch/bad.1" "$scratch/bad.8" || failed=1
grep -q "bad.csv:$(wc -l <"$scratch/bad.csv" | tr -d ' '): " "$scratch/bad.1" || {
    echo "the refusal does not name the line" >&2
    cat "$scratch/bad.1" >&2
    failed=1
}
exit $failed
