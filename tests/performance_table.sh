#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# performance_table.sh BIN_DIR SOURCE_DIR - the table of bars: measured values are judged, missing ones are reported,
# and the rest of the document stays.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"

# has TEXT - in the document
has()
{
    grep -qF -e "$1" "$scratch/doc.md" || {
        echo "missing: $1" >&2
        failed=1
    }
}

# table EXPECTED_STATUS - of the results on standard input
table()
{
    cat >"$scratch/results"
    printf 'before\n<!-- measured -->\nold\n<!-- end of measured -->\nafter\n' >"$scratch/doc.md"
    sh "$source/bench/performance_table.sh" "$scratch/results" "$scratch/doc.md"
    [ $? -eq "$1" ] || {
        echo "status is not $1" >&2
        failed=1
    }
}

table 0 <<'END'
{"bench":"report","input":"a file.csv","ratio":172,"rss_ratio":22.1}
{"bench":"csv","kernel":"x","memory":{"mark_vs_memchr":1.3,"index_vs_memchr":5},"other":{"mark_vs_memchr":9}}
not JSON
END
# shellcheck disable=SC2016 # those of Markdown
has '| `tt-perf-report a file.csv`, whole command, against the original | 172 times as fast | >=100 | yes |'
# shellcheck disable=SC2016
has 'in memory, against `memchr()` | 5 times | <=5 | yes |'
has '| not measured in this run | <=4 | |'
# shellcheck disable=SC2016
has '| held by the test `mesh` | <=5 of 3,360 | yes, or the test fails |'
grep -q '^old$' "$scratch/doc.md" && failed=1
[ "$(head -n 1 "$scratch/doc.md")" = before ] && [ "$(tail -n 1 "$scratch/doc.md")" = after ] || failed=1

table 1 <<'END'
{"bench":"csv","memory":{"mark_vs_memchr":3.01}}
END
has '| 3.01 times | <=3 | **no** |'

: >"$scratch/doc.md"
if sh "$source/bench/performance_table.sh" "$scratch/results" "$scratch/doc.md" 2>/dev/null; then
    echo "a document without marks was taken" >&2
    failed=1
fi
# the document itself has its marks, and every benchmark that prints a line is in the table
grep -qxF -e '<!-- measured -->' "$source/docs/performance.md" || failed=1
sed -n 's/.*"{\\"bench\\":\\"\([a-z_]*\)\\".*/\1/p' "$source"/bench/*.c >"$scratch/names"
while read -r name; do
    grep -q -e "bench=${name}[|,]" "$source/bench/bars.txt" || {
        echo "bench/bars.txt has no line for bench_$name" >&2
        failed=1
    }
done <"$scratch/names"
[ -s "$scratch/names" ] || failed=1
# a bar that names a test names one that there is
sed -n 's/^[^#|][^|]*|test=\([a-z_0-9]*\)|.*/\1/p' "$source/bench/bars.txt" | sort -u >"$scratch/tests"
[ -s "$scratch/tests" ] || failed=1
while read -r name; do
    grep -qE -e "add_test\(\[?=*\[?${name}[] ]" "$bin/CTestTestfile.cmake" || {
        echo "bench/bars.txt names the test '$name', which does not exist" >&2
        failed=1
    }
done <"$scratch/tests"
exit $failed
