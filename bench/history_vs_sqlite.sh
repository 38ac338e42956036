#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# history_vs_sqlite.sh - `tt-perf history` list, trend and regressions on a history of RUNS (10000) runs of OPS
# (2000) ops each, the whole command against the same question put to the sqlite3 shell in bare SQL, turn by
# turn: one JSON line each, after one with the rate at which the history was written. HISTORY names a file that
# gen_history has made already; ROUNDS (7) is how often each runs. Needs build/release and the sqlite3 shell.
set -u
runs=${RUNS:-10000}
ops=${OPS:-2000}
rounds=${ROUNDS:-7}
# shellcheck source=bench/common.sh
. "$(dirname -- "$0")/common.sh"
needs tt-perf timed gen_history
if ! command -v sqlite3 >/dev/null 2>&1; then
    echo "SKIPPED: history_vs_sqlite: no sqlite3" >&2
    exit 0
fi
db=${HISTORY:-$scratch/history.db}
[ -f "$db" ] || "$bin/gen_history" "$db" "$runs" "$ops" || exit 1
half=$(sqlite3 "$db" 'SELECT time_ns FROM run ORDER BY time_ns LIMIT 1 OFFSET (SELECT count(*) * 9 / 10 FROM run)')

# versus WHAT SQL ARGUMENT... - of history
versus() {
    what=$1 sql=$2
    shift 2
    : >"$scratch/ours"
    : >"$scratch/theirs"
    : >"$scratch/ratio"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        round=$((round + 1))
        "$bin/timed" "$bin/tt-perf" history "$@" --store "$db" >"$scratch/a"
        "$bin/timed" sqlite3 "$db" "$sql" >"$scratch/b"
        cat "$scratch/a" >>"$scratch/ours"
        cat "$scratch/b" >>"$scratch/theirs"
        paste -d ' ' "$scratch/a" "$scratch/b" | awk '{ print $1 / $5 }' >>"$scratch/ratio"
    done
    printf '{"bench":"history","question":"%s","runs":%s,"ops_each":%s,"ours_ms":%s,"sql_ms":%s,"ratio":%s}\n' \
        "$what" "$runs" "$ops" \
        "$(median "$scratch/ours" 1 | awk '{ printf "%.2f", $1 * 1e3 }')" \
        "$(median "$scratch/theirs" 1 | awk '{ printf "%.2f", $1 * 1e3 }')" \
        "$(median "$scratch/ratio" 1 | awk '{ printf "%.2f", $1 }')"
}

versus list 'SELECT id, time_ns, name, kind, branch, commit_hash, host, board, op_count, device_s FROM run
    ORDER BY time_ns DESC, id DESC LIMIT 20' list
versus 'list --limit 0' 'SELECT id, time_ns, name, kind, branch, commit_hash, host, board, op_count, device_s FROM run
    ORDER BY time_ns DESC, id DESC' list --limit 0 --format csv
# line LIMIT - one line of runs in bare SQL
line() {
    echo "SELECT m.run, m.time_ns, m.median, m.low, m.high, m.count, r.commit_hash, r.branch, r.host
    FROM series l JOIN measurement m ON m.series = l.id JOIN run r ON r.id = m.run
    WHERE l.metric = 'wall' AND l.name = 'model-7' ORDER BY m.time_ns DESC LIMIT $1"
}
versus trend "$(line 200)" trend wall --name model-7
versus 'trend --limit 0' "$(line -1)" trend wall --name model-7 --limit 0
versus regressions "SELECT l.id, m.run, m.time_ns, m.median, m.low, m.high, m.count, r.commit_hash, r.branch, r.host
    FROM series l JOIN measurement m ON m.series = l.id AND m.time_ns > $half JOIN run r ON r.id = m.run;
    SELECT * FROM (SELECT l.id, m.run, m.median, r.commit_hash, row_number() OVER (PARTITION BY l.id ORDER BY
    m.time_ns DESC) AS n FROM series l JOIN measurement m ON m.series = l.id AND m.time_ns <= $half JOIN run r ON
    r.id = m.run) WHERE n <= 30" regressions --since "run:$(sqlite3 "$db" "SELECT id FROM run WHERE time_ns = $half LIMIT 1")"
