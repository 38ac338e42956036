#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parquet_npm.sh BIN_DIR SOURCE_DIR - a reader that others wrote (hyparquet, pinned in tests/npm) finds in files of
# --format parquet what tests/parquet_read.py finds, cell by cell.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
without_sanitizers
command -v python3 >/dev/null || skip "no python3"
modules=$(npm_modules)
status=$?
if [ "$status" -ne 0 ]; then
    printf '%s\n' "$modules"
    exit "$status"
fi
cd "$scratch" || exit 2
demo=$source/tests/data/demo_ops_perf_results.csv
{
    head -n 1 "$demo"
    i=0
    while [ $i -lt 300 ]; do # more rows than a group has
        grep ',tt_dnn_device,' "$demo" | sed "s/,tt_dnn_device,/&$i/" # each row is another call
        i=$((i + 1))
    done
} >large.csv
check "report" "$program" report -q "$demo" -o demo.parquet
check "report of many rows" "$program" report -q large.csv --window all --no-advice -o large.parquet
check "report of no rows" "$program" report -q "$demo" --where 'id<0' -o none.parquet
if part sqlite; then
    check "import" "$program" history -q --store history.db import "$source/tests/data/history_runs.jsonl"
    check "export" "$program" history --store history.db export --all -o history.parquet
fi
if [ -x "$bin/bare/tt-perf" ]; then
    check "report without zstd" "$bin/bare/tt-perf" report -q "$demo" -o bare.parquet
fi
for file in *.parquet; do
    node "$source/tests/npm/parquet_rows.mjs" "$modules" "$file" >theirs.jsonl || complain "hyparquet does not read $file"
    python3 -B - "$source/tests" "$file" theirs.jsonl <<'END' || complain "$file: hyparquet reads something else"
import datetime
import json
import sys

sys.path.insert(0, sys.argv[1])
import parquet_read

table = parquet_read.read(sys.argv[2])
with open(sys.argv[3], encoding="utf-8") as file:
    names, *rows = map(json.loads, file)


def time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def same(kind, ours, theirs):
    if kind == "time" and ours is not None and theirs is not None:
        return abs(ours / 1e9 - time(theirs)) < 1e-3
    return ours == theirs


sys.exit(names != table.names or len(rows) != sum(table.groups) or any(
    not same(kind, column[i], row[c]) for c, (kind, column) in enumerate(zip(table.types, table.columns))
    for i, row in enumerate(rows)))
END
done
finish
